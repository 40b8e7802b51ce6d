/* Rows on their way from a reader to the table: the counters of what was skipped or noted, and CSV rows checked for
 * their number of fields. */
#include <stdlib.h>
#include <string.h>
#include "reader.h"

#define WHY_MAX 200 /* kinds of reasons; column names are static, so this is never reached by far */

void gy_row_init(struct gy_job_rec *rec)
{
    memset(rec, 0, sizeof *rec);
    rec->submit = rec->duration = rec->limit = rec->cancel = rec->checkpoint = rec->idle_tail = GY_NONE;
    rec->gpu_milli = GY_MILLI;
    rec->end_state = GY_COMPLETED;
}

void gy_row_place(const struct gy_reader *r, uint64_t line, char *buf, size_t size)
{
    if (line == 0)
        snprintf(buf, size, "%s", gy_input_name(r->in));
    else
        snprintf(buf, size, "%s:%llu", gy_input_name(r->in), (unsigned long long)line);
}

/* "column: why", and "column: "found"" for the place of the first. */
static void describe(const struct gy_reader *r, uint64_t line, const char *column, struct gy_field found, char *buf,
                     size_t size)
{
    const char *name = strrchr(gy_input_name(r->in), '/'); /* the folder would fill the text */
    char seen[96] = "";
    int n = snprintf(buf, size, "%.60s", name != NULL ? name + 1 : gy_input_name(r->in));

    if (line > 0)
        n += snprintf(buf + n, size - (size_t)n, ":%llu", (unsigned long long)line);
    if (found.at == NULL)
        return;
    gy_visible(found.at, found.len < 64 ? found.len : 64, seen, sizeof seen);
    snprintf(buf + n, size - (size_t)n, ": %.30s%s\"%.48s\"", column != NULL ? column : "", column != NULL ? " " : "",
             seen);
}

void gy_skip_count(struct gy_reader *r, struct gy_trace_skips *list, const char *column, const char *why, uint64_t line,
                   struct gy_field found)
{
    char text[160];
    struct gy_trace_skip *s;

    snprintf(text, sizeof text, "%s%s%s", column != NULL ? column : "", column != NULL ? ": " : "", why);
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->at[i].why, text) == 0) {
            list->at[i].count++;
            return;
        }
    if (list->n == WHY_MAX) {
        list->at[WHY_MAX - 1].count++;
        return;
    }
    struct gy_trace_skip fresh = {.why = gy_arena_strndup(&r->t->texts, text, strlen(text)), .count = 1};
    if (fresh.why == NULL || !gy_vec_push(list, fresh)) {
        r->nomem = true;
        return;
    }
    s = &list->at[list->n - 1];
    describe(r, line, column, found, s->first, sizeof s->first);
}

int gy_row_skip(struct gy_reader *r, const char *column, const char *why, struct gy_field found)
{
    char place[512], seen[128] = "";

    r->t->rows_read++;
    gy_skip_count(r, &r->t->skips, column, why, r->line, found);
    if (!r->o->strict || r->strict_hit)
        return GY_ROW_SKIPPED;
    r->strict_hit = true;
    gy_row_place(r, r->line, place, sizeof place);
    if (found.at != NULL)
        gy_visible(found.at, found.len < 100 ? found.len : 100, seen, sizeof seen);
    gy_fail(&r->strict, GY_EINPUT, place, "%s%s%s%s%s%s", column != NULL ? column : "", column != NULL ? ": " : "", why,
            found.at != NULL ? ": found \"" : "", seen, found.at != NULL ? "\"" : "");
    gy_hint(&r->strict, "without --strict the row would be skipped and counted");
    return GY_ROW_SKIPPED;
}

void gy_row_note(struct gy_reader *r, const char *column, const char *why, struct gy_field found)
{
    gy_skip_count(r, &r->t->notes, column, why, r->line, found);
}

int gy_row_csv(struct gy_reader *r, size_t columns, struct gy_error *err)
{
    int got = gy_csv_next(r->csv, err);

    if (got <= 0)
        return got;
    r->line = gy_csv_line(r->csv);
    if (got == 2)
        return gy_row_skip(r, NULL, gy_csv_why(r->csv), GY_NO_FIELD);
    size_t n = gy_csv_fields(r->csv);
    if (columns == 0 || n == columns)
        return 1;
    for (size_t i = columns; i < n; i++)
        if (gy_csv_field(r->csv, i).len > 0)
            return gy_row_skip(r, NULL, "more fields than the header has", gy_csv_field(r->csv, i));
    if (n < columns)
        gy_row_note(r, NULL, "fewer fields than the header has: the missing ones taken as empty", GY_NO_FIELD);
    return 1;
}

int gy_row_csv_open(struct gy_reader *r, char delimiter, bool header, struct gy_error *err)
{
    r->csv = gy_csv_new(r->in, delimiter, err);
    if (r->csv == NULL)
        return -1;
    return header ? gy_csv_header(r->csv, err) : 0;
}

static int missing_column(struct gy_reader *r, const char *name, struct gy_error *err)
{
    char place[512];
    size_t n = gy_csv_columns(r->csv);
    const char **have = calloc(n + 1, sizeof *have);

    if (have == NULL)
        return gy_nomem(err);
    for (size_t i = 0; i < n; i++)
        have[i] = gy_csv_column_name(r->csv, i);
    const char *near = gy_nearest(name, have, n);
    char seen[200] = "";
    if (near != NULL)
        gy_visible(near, strlen(near), seen, sizeof seen);
    gy_row_place(r, gy_csv_line(r->csv), place, sizeof place);
    gy_fail(err, GY_EINPUT, place, "no column \"%s\" in the header", name);
    if (near != NULL)
        gy_hint(err, "did you mean \"%s\"?", seen);
    free(have);
    return -1;
}

int gy_row_columns(struct gy_reader *r, const char *const *names, size_t n, int *out, struct gy_error *err)
{
    for (size_t i = 0; i < n; i++) {
        bool optional = names[i][0] == '?';
        out[i] = gy_csv_column(r->csv, names[i] + optional);
        if (out[i] < 0 && !optional)
            return missing_column(r, names[i], err);
    }
    return 0;
}

int gy_row_table_open(struct gy_reader *r, const char *const *names, size_t n, struct gy_error *err)
{
    int *column = calloc(n, sizeof *column);

    r->state = column;
    if (column == NULL)
        return gy_nomem(err);
    return gy_row_csv_open(r, ',', true, err) < 0 || gy_row_columns(r, names, n, column, err) < 0 ? -1 : 0;
}

void gy_row_table_close(struct gy_reader *r)
{
    free(r->state);
}

bool gy_sniff_columns(const char *bytes, size_t n, char delimiter, const char *const *names, size_t count)
{
    const char *newline = memchr(bytes, '\n', n);
    size_t len = newline != NULL ? (size_t)(newline - bytes) : n, found = 0;

    if (len >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) {
        bytes += 3;
        len -= 3;
    }
    for (size_t name = 0; name < count; name++) {
        size_t from = 0, want = strlen(names[name]);
        bool hit = false;
        while (from <= len && !hit) {
            const char *next = memchr(bytes + from, delimiter, len - from);
            size_t to = next != NULL ? (size_t)(next - bytes) : len, a = from, b = to;
            while (a < b && strchr(" \t\r\"", bytes[a]) != NULL)
                a++;
            while (b > a && strchr(" \t\r\"", bytes[b - 1]) != NULL)
                b--;
            hit = b - a == want && strncasecmp(bytes + a, names[name], want) == 0;
            from = to + 1;
        }
        found += hit;
    }
    return found == count;
}

char *gy_input_slurp(struct gy_input *in, size_t max, size_t *len, struct gy_error *err)
{
    GY_VEC(char) text = {0};

    for (;;) {
        if (!gy_vec_reserve(&text, text.n + 65537)) {
            gy_nomem(err);
            break;
        }
        long got = gy_input_read(in, text.at + text.n, 65536, err);
        if (got < 0)
            break;
        text.n += (size_t)got;
        if (got == 0) {
            text.at[text.n] = '\0';
            *len = text.n;
            return text.at;
        }
        if (text.n > max) {
            gy_fail(err, GY_EINPUT, gy_input_name(in), "larger than %zu MiB, the most that is read of such a file",
                    max >> 20);
            break;
        }
    }
    gy_vec_free(&text);
    return NULL;
}
