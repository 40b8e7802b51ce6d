/* summary.json: every metric of the whole cluster, nested by the dots of its name; then by group; then the thresholds.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "account_internal.h"
#include "gy_file.h"
#include "gy_json.h"

struct entry { /* a value to be written under a dotted path */
    const char *name, *key, *word;
    double value;
};

static void put_value(struct gy_json_out *o, const char *key, const struct entry *e)
{
    if (e->word)
        gy_jo_string(o, key, e->word);
    else
        gy_jo_number(o, key, e->value);
}

static bool under(const struct entry *e, const char *prefix, size_t len)
{
    return strncmp(e->name, prefix, len) == 0 && (len == 0 || e->name[len - 1] == '.' || e->name[len] == '\0');
}

/* Writes all entries whose names begin with the first len bytes of prefix (a path that ends with a dot, or nothing),
 * each common next part as one object, where its first entry stands. O(n²) in a list of about a hundred. */
static void put_level(struct gy_json_out *o, const struct entry *at, size_t n, const char *prefix, size_t len)
{
    for (size_t i = 0; i < n; i++) {
        if (!under(&at[i], prefix, len))
            continue;
        const char *part = at[i].name + len, *dot = strchr(part, '.');
        const size_t part_len = dot ? (size_t)(dot - part) : strlen(part), next = len + part_len + (dot != NULL);
        char key[64];
        bool earlier = false;
        snprintf(key, sizeof key, "%.*s", (int)part_len, part);
        for (size_t k = 0; k < i && !earlier; k++)
            earlier = under(&at[k], prefix, len) && strncmp(at[k].name + len, part, part_len) == 0 &&
                      (at[k].name[len + part_len] == '.' || at[k].name[len + part_len] == '\0');
        if (earlier)
            continue;
        if (dot) {
            gy_jo_object(o, key);
            put_level(o, at, n, at[i].name, next);
            gy_jo_end(o, '}');
        } else if (at[i].key) { /* all keyed entries of this name */
            gy_jo_object(o, key);
            for (size_t k = i; k < n; k++)
                if (at[k].key && strcmp(at[k].name, at[i].name) == 0)
                    put_value(o, at[k].key, &at[k]);
            gy_jo_end(o, '}');
        } else {
            put_value(o, key, &at[i]);
        }
    }
}

static void put_group(struct gy_json_out *o, const char *key, const struct gy_group *g, double groups)
{
    struct entry entries[64];
    size_t n = 0;

    while (n < 64 && gy_group_metric(g, n, &entries[n].name, &entries[n].value)) {
        entries[n].key = entries[n].word = NULL;
        n++;
    }
    gy_jo_object(o, key);
    if (groups > 0)
        gy_jo_number(o, "groups", groups);
    put_level(o, entries, n, "", 0);
    gy_jo_end(o, '}');
}

static void put_groups(struct gy_json_out *o, const struct gy_account *a)
{
    for (int by = 0; a->groups && by < GY_BY_COUNT; by++) {
        const struct gy_grouping *g = gy_groups_at(a->groups, (enum gy_group_by)by);
        const char *name = gy_group_by_name((enum gy_group_by)by);
        gy_jo_object(o, name);
        for (size_t i = 0; i < g->n; i++)
            put_group(o, g->at[i].name, &g->at[i], 0);
        gy_jo_end(o, '}');
        if (g->others) {
            char others[64];
            snprintf(others, sizeof others, "%s_others", name);
            put_group(o, others, g->others, (double)g->n_others);
        }
    }
}

static void put_verdicts(struct gy_json_out *o, const struct gy_verdict *v, size_t n)
{
    gy_jo_array(o, "thresholds");
    for (size_t i = 0; i < n; i++) {
        gy_jo_object(o, NULL);
        gy_jo_string(o, "metric", v[i].metric);
        gy_jo_number(o, "value", v[i].value);
        gy_jo_number(o, "min", v[i].min);
        gy_jo_number(o, "max", v[i].max);
        gy_jo_bool(o, "ok", v[i].ok);
        gy_jo_end(o, '}');
    }
    gy_jo_end(o, ']');
}

void gy_account_write_summary(const struct gy_account *a, const struct gy_verdict *verdicts, size_t n_verdicts,
                              struct gy_writer *to)
{
    struct gy_json_out o = {.to = to};
    struct entry *entries = malloc((a->metrics.at.n + 1) * sizeof *entries);

    if (!entries) {
        gy_writer_fail(to, GY_ENOMEM, "out of memory");
        return;
    }
    for (size_t i = 0; i < a->metrics.at.n; i++) {
        const struct gy_metric *m = &a->metrics.at.at[i];
        entries[i] = (struct entry){m->name, m->key, m->word, m->value};
    }
    gy_jo_object(&o, NULL);
    gy_jo_bool(&o, "partial", a->result.partial);
    gy_jo_bool(&o, "deadlock", a->result.deadlock);
    put_level(&o, entries, a->metrics.at.n, "", 0);
    if (verdicts)
        put_verdicts(&o, verdicts, n_verdicts);
    put_groups(&o, a);
    gy_jo_end(&o, '}');
    free(entries);
}
