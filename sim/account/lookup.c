/* Metrics by name, also of groups; the nearest name; thresholds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "account_internal.h"

struct group_name { /* "team" + "." + group + "." + metric, or "team_others" + "." + metric */
    enum gy_group_by by;
    const char *rest; /* after the first dot */
    bool others;
};

static bool split(const struct gy_account *a, const char *name, struct group_name *out)
{
    const char *dot = strchr(name, '.');

    for (int by = 0; a->groups && dot && by < GY_BY_COUNT; by++) {
        const char *first = gy_group_by_name((enum gy_group_by)by);
        const size_t n = strlen(first), len = (size_t)(dot - name);
        if (strncmp(name, first, n) || (len != n && (len != n + 7 || strncmp(name + n, "_others", 7))))
            continue;
        *out = (struct group_name){(enum gy_group_by)by, dot + 1, len != n};
        return true;
    }
    return false;
}

/* The group metric whose name text is, or ends with after a dot; the bytes before that dot in *len. */
static const char *metric_at_end(const char *text, size_t *index, size_t *len)
{
    static const struct gy_group none;
    const size_t all = strlen(text);
    const char *metric;
    double value;

    for (size_t i = 0; gy_group_metric(&none, i, &metric, &value); i++) {
        const size_t n = strlen(metric);
        if (all > n && text[all - n - 1] == '.' && strcmp(text + all - n, metric) == 0) {
            *index = i;
            *len = all - n - 1;
            return metric;
        }
    }
    return NULL;
}

static const struct gy_group *find_group(const struct gy_grouping *g, const char *name, size_t len, bool sorted)
{
    size_t from = 0, to = g->n;

    for (size_t i = 0; !sorted && i < g->n; i++)
        if (strncmp(g->at[i].name, name, len) == 0 && g->at[i].name[len] == '\0')
            return &g->at[i];
    while (sorted && from < to) {
        const size_t mid = from + (to - from) / 2;
        const int order = strncmp(g->at[mid].name, name, len);
        if (order == 0 && g->at[mid].name[len] == '\0')
            return &g->at[mid];
        if (order < 0)
            from = mid + 1;
        else
            to = mid;
    }
    return NULL;
}

static bool group_metric(const struct gy_account *a, const struct group_name *g, struct gy_metric *out)
{
    const struct gy_grouping *grouping = gy_groups_at(a->groups, g->by);
    const struct gy_group *group = g->others ? grouping->others : NULL;
    size_t index = 0, len;

    if (group) {
        for (; gy_group_metric(group, index, &out->name, &out->value); index++)
            if (strcmp(out->name, g->rest) == 0)
                return true;
        return false;
    }
    if (g->others || !metric_at_end(g->rest, &index, &len))
        return false;
    group = find_group(grouping, g->rest, len, g->by != GY_BY_SIZE);
    return group && gy_group_metric(group, index, &out->name, &out->value);
}

bool gy_account_metric(const struct gy_account *a, const char *name, struct gy_metric *out)
{
    const struct gy_metric *m = gy_metrics_find(&a->metrics, name);
    struct group_name g;

    *out = m ? *m : (struct gy_metric){.value = NAN};
    if (m)
        return true;
    if (!split(a, name, &g) || !group_metric(a, &g, out))
        return false;
    out->key = out->word = NULL;
    return true;
}

/* For "team.x.wait_s.p9": the group as it is and the nearest metric; for "team.y.wait_s.p95": the nearest group. */
static const char *nearest_of_group(const struct gy_account *a, const struct group_name *g, char *buf, size_t size)
{
    const struct gy_grouping *grouping = gy_groups_at(a->groups, g->by);
    const char *first = gy_group_by_name(g->by), *metric, *found = NULL;
    size_t index, len;

    if ((metric = metric_at_end(g->rest, &index, &len))) {
        char *name = strndup(g->rest, len);
        const char **names = malloc((grouping->n + 1) * sizeof *names);
        for (size_t i = 0; names && i < grouping->n; i++)
            names[i] = grouping->at[i].name;
        found = name && names ? gy_nearest(name, names, grouping->n) : NULL;
        if (found)
            snprintf(buf, size, "%s.%s.%s", first, found, metric);
        free(name);
        free(names);
        return found ? buf : NULL;
    }
    for (size_t i = 0; i < grouping->n && !found; i++) {
        const struct gy_group *group = &grouping->at[i];
        const char *names[64];
        size_t n = 0;
        double value;
        len = strlen(group->name);
        if (strncmp(g->rest, group->name, len) || g->rest[len] != '.')
            continue;
        while (n < 64 && gy_group_metric(group, n, &names[n], &value))
            n++;
        if ((found = gy_nearest(g->rest + len + 1, names, n)))
            snprintf(buf, size, "%s.%s.%s", first, group->name, found);
    }
    return found ? buf : NULL;
}

const char *gy_account_nearest(const struct gy_account *a, const char *name, char *buf, size_t size)
{
    struct group_name g;

    if (split(a, name, &g))
        return nearest_of_group(a, &g, buf, size);
    const char **names = malloc((a->metrics.at.n + 1) * sizeof *names);
    if (!names)
        return NULL;
    for (size_t i = 0; i < a->metrics.at.n; i++)
        names[i] = a->metrics.at.at[i].name;
    const char *found = gy_nearest(name, names, a->metrics.at.n);
    free(names);
    return found;
}

int gy_account_check(const struct gy_account *a, const struct gy_threshold *thresholds, size_t n,
                     struct gy_verdict *verdicts, struct gy_error *err)
{
    char buf[512];

    for (size_t i = 0; i < n; i++) {
        const struct gy_threshold *t = &thresholds[i];
        struct gy_metric m;
        if (!gy_account_metric(a, t->metric, &m)) {
            const char *nearest = gy_account_nearest(a, t->metric, buf, sizeof buf);
            gy_fail(err, GY_EINPUT, NULL, "the threshold's metric \"%s\" is not a metric of this run", t->metric);
            if (nearest)
                gy_hint(err, "did you mean \"%s\"?", nearest);
            return -1;
        }
        if (m.word)
            return gy_fail(err, GY_EINPUT, NULL, "the threshold's metric \"%s\" is a word (\"%s\"), not a number",
                           t->metric, m.word);
        const bool ok = !isnan(m.value) && !(m.value < t->min) && !(m.value > t->max);
        verdicts[i] = (struct gy_verdict){t->metric, t->min, t->max, m.value, ok};
    }
    return 0;
}
