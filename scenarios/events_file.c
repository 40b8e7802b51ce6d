/* Planned changes of capacity from a CSV: at_s,nodes,state and maybe partition,up_nodes, in any order of columns. */
#include <stdlib.h>
#include <string.h>
#include "builder.h"
#include "csv_rows.h"
#include "gy_file.h"

struct columns {
    int at_s, nodes, state, partition, up_nodes;
};

struct reading {
    struct gy_builder *b;
    struct gy_csv *csv;
    struct columns column;
    const char *file;
};

static int wrong(struct reading *r, const char *column, const char *found, const char *expected)
{
    char place[512];

    snprintf(place, sizeof place, "%s:%llu", r->file, (unsigned long long)gy_csv_line(r->csv));
    return gy_fail(r->b->err, GY_EINPUT, place, "%s: found \"%s\"; expected %s", column, found, expected);
}

static int header(struct reading *r)
{
    static const char *const known[] = {"at_s", "nodes", "state", "partition", "up_nodes"};
    int *const columns[] = {&r->column.at_s, &r->column.nodes, &r->column.state, &r->column.partition,
                            &r->column.up_nodes};

    if (gy_csv_header(r->csv, r->b->err) != 0)
        return -1;
    for (size_t i = 0; i < 5; i++)
        *columns[i] = gy_csv_column(r->csv, known[i]);
    for (size_t i = 0; i < gy_csv_columns(r->csv); i++) {
        const char *name = gy_csv_column_name(r->csv, i), *nearest;
        size_t k = 0;
        while (k < 5 && *columns[k] != (int)i)
            k++;
        if (k < 5)
            continue;
        gy_fail(r->b->err, GY_EINPUT, r->file, "unknown column \"%s\"", name);
        nearest = gy_nearest(name, known, 5);
        return nearest == NULL ? -1 : gy_hint(r->b->err, "did you mean \"%s\"?", nearest);
    }
    if (r->column.at_s < 0)
        return gy_fail(r->b->err, GY_EINPUT, r->file, "the column \"at_s\" is missing");
    return 0;
}

/* The text of a column, in the inputs' arena; NULL when the column is not there or empty. */
static int text_of(struct reading *r, int column, const char **out)
{
    struct gy_field f = {"", 0};

    *out = NULL;
    if (column >= 0)
        f = gy_csv_field(r->csv, (size_t)column);
    if (f.len == 0)
        return 0;
    *out = gy_arena_strndup(&r->b->in->arena, f.at, f.len);
    return *out == NULL ? gy_nomem(r->b->err) : 0;
}

static int state_of(struct reading *r, const char *text, int *out)
{
    static const char *const names[] = {"up", "drained", "down", "absent"}; /* as enum gy_node_state */

    for (int i = 0; i < 4; i++) {
        if (text == NULL || strcmp(text, names[i]) == 0) {
            *out = i;
            return 0;
        }
    }
    return wrong(r, "state", text, "up, drained, down or absent");
}

static int row(struct reading *r, struct gy_sc_event *e)
{
    const struct gy_field at = gy_csv_field(r->csv, (size_t)r->column.at_s);
    const char *state, *up;
    char *end = NULL;

    *e = (struct gy_sc_event){0};
    if (!gy_time_parse(at.at, at.len, &e->at))
        return wrong(r, "at_s", at.at, "seconds");
    if (text_of(r, r->column.nodes, &e->nodes) != 0 || text_of(r, r->column.partition, &e->partition) != 0 ||
        text_of(r, r->column.state, &state) != 0 || text_of(r, r->column.up_nodes, &up) != 0)
        return -1;
    if (up != NULL) {
        e->up_nodes = strtoll(up, &end, 10);
        if (*end != '\0' || e->up_nodes < 0 || e->up_nodes > GY_MAX_NODES)
            return wrong(r, "up_nodes", up, "a number of nodes");
    }
    return state_of(r, state, &e->state);
}

static int rows(struct reading *r, gy_sc_events *out)
{
    struct gy_sc_event e;
    int rc = header(r);

    while (rc == 0) {
        int got = gy_csv_next(r->csv, r->b->err);
        if (got <= 0)
            return got;
        if (got == 2)
            return wrong(r, "row", gy_csv_why(r->csv), "a row of CSV");
        rc = row(r, &e);
        if (rc == 0 && !gy_vec_push(out, e))
            return gy_nomem(r->b->err);
    }
    return rc;
}

int gy_builder_events_file(struct gy_builder *b, gy_sc_events *out)
{
    struct reading r = {.b = b, .file = b->s->cluster.events_file};
    struct gy_input *in;
    char sha256[65];
    int rc = -1;

    if (r.file == NULL)
        return 0;
    in = gy_input_open(r.file, b->err);
    if (in == NULL)
        return -1;
    r.csv = gy_csv_new(in, ',', b->err);
    if (r.csv != NULL)
        rc = rows(&r, out);
    gy_csv_free(r.csv);
    gy_input_sha256(in, sha256);
    gy_input_close(in);
    return rc == 0 ? gy_inputs_note(b->in, "events", r.file, sha256, b->err) : -1;
}
