/* Dependencies: from "afterok:12:13,afterany:14" to edges between rows, without cycles. */
#include <stdlib.h>
#include <string.h>
#include "loading.h"

static bool kind_of(const char *word, size_t len, uint8_t *kind)
{
    static const struct {
        const char *word;
        uint8_t kind;
    } kinds[] = {{"afterok", GY_DEP_AFTEROK},
                 {"afterany", GY_DEP_AFTERANY},
                 {"afternotok", GY_DEP_AFTERNOTOK},
                 {"after", GY_DEP_AFTER}};

    for (size_t i = 0; i < GY_COUNT(kinds); i++)
        if (strlen(kinds[i].word) == len && memcmp(kinds[i].word, word, len) == 0) {
            *kind = kinds[i].kind;
            return true;
        }
    return false;
}

static int add_edge(struct gy_loading *l, uint32_t row, uint8_t kind, const char *id, size_t len, struct gy_error *err)
{
    struct gy_dep_edge e = {row, gy_load_find(l, id, len), kind};

    if (e.to == UINT32_MAX)
        gy_skip_count(&l->r, &l->r.t->notes, "depends_on", "a job that is not in the trace; taken as ended well",
                      l->line.at[row], (struct gy_field){id, len});
    return gy_vec_push(&l->edges, e) ? 0 : gy_nomem(err);
}

/* One text: groups parted by ',' or ';', parts of a group by ':', a leading kind (afterok when there is none). */
static int parse(struct gy_loading *l, const struct gy_dep_text *d, struct gy_error *err)
{
    const char *at = d->text, *end = d->text + d->len;
    uint8_t kind = GY_DEP_AFTEROK;
    bool first = true;
    size_t before = l->edges.n;

    while (at < end) {
        size_t n = 0;
        while (at + n < end && strchr(",;:", at[n]) == NULL)
            n++;
        const char *id = at;
        size_t len = n;
        for (; len > 0 && *id == ' '; len--)
            id++;
        for (; len > 0 && id[len - 1] == ' '; len--)
            ;
        if (first)
            kind = GY_DEP_AFTEROK;
        if (first && at + n < end && at[n] == ':' && kind_of(id, len, &kind))
            first = false;
        else if (len > 0) {
            first = false;
            if (add_edge(l, d->row, kind, id, len, err) < 0)
                return -1;
            if (l->edges.at[l->edges.n - 1].to == d->row) {
                l->edges.n = before;
                return gy_load_drop(l, d->row, "depends_on", "the job waits for itself", true, err);
            }
        }
        first = first || (at + n < end && at[n] != ':');
        at += n + 1;
    }
    if (l->edges.n == before)
        return gy_load_drop(l, d->row, "depends_on", "names no job", true, err);
    return 0;
}

/* Tarjan's strongly connected components, iteratively, over rows that wait for something. */
struct tarjan {
    uint32_t *first;       /* of each row, its first edge; first[row + 1] ends it */
    uint32_t *index, *low; /* 0: not visited */
    uint8_t *on_stack;
    uint32_t *stack, *path; /* component stack; rows being visited */
    uint32_t *next_edge;    /* of each row on the path */
    uint32_t stacked, count;
};

static bool tarjan_init(struct tarjan *t, size_t n)
{
    t->first = calloc(n + 2, sizeof *t->first);
    t->index = calloc(n + 1, sizeof *t->index);
    t->low = calloc(n + 1, sizeof *t->low);
    t->on_stack = calloc(n + 1, 1);
    t->stack = calloc(n + 1, sizeof *t->stack);
    t->path = calloc(n + 1, sizeof *t->path);
    t->next_edge = calloc(n + 1, sizeof *t->next_edge);
    return t->first != NULL && t->index != NULL && t->low != NULL && t->on_stack != NULL && t->stack != NULL &&
           t->path != NULL && t->next_edge != NULL;
}

static void tarjan_free(struct tarjan *t)
{
    free(t->first);
    free(t->index);
    free(t->low);
    free(t->on_stack);
    free(t->stack);
    free(t->path);
    free(t->next_edge);
}

static void enter(struct tarjan *t, uint32_t *depth, uint32_t row)
{
    t->index[row] = t->low[row] = ++t->count;
    t->stack[t->stacked++] = row;
    t->on_stack[row] = 1;
    t->next_edge[row] = t->first[row];
    t->path[(*depth)++] = row;
}

/* Pops the component whose root is row; its rows are dropped when there are several. */
static int leave(struct gy_loading *l, struct tarjan *t, uint32_t row, struct gy_error *err)
{
    uint32_t size = 0, member;

    do {
        member = t->stack[--t->stacked];
        t->on_stack[member] = 0;
        size++;
    } while (member != row);
    for (uint32_t i = 0; size > 1 && i < size; i++)
        if (gy_load_drop(l, t->stack[t->stacked + i], "depends_on", "jobs wait for each other in a circle", true, err) <
            0)
            return -1;
    return 0;
}

static int visit(struct gy_loading *l, struct tarjan *t, uint32_t root, struct gy_error *err)
{
    uint32_t depth = 0;

    enter(t, &depth, root);
    while (depth > 0) {
        uint32_t row = t->path[depth - 1];
        if (t->next_edge[row] < t->first[row + 1]) {
            uint32_t to = l->edges.at[t->next_edge[row]++].to;
            if (to == UINT32_MAX || l->dropped.at[to])
                continue;
            if (t->index[to] == 0)
                enter(t, &depth, to);
            else if (t->on_stack[to] && t->index[to] < t->low[row])
                t->low[row] = t->index[to];
            continue;
        }
        depth--;
        if (depth > 0 && t->low[row] < t->low[t->path[depth - 1]])
            t->low[t->path[depth - 1]] = t->low[row];
        if (t->low[row] == t->index[row] && leave(l, t, row, err) < 0)
            return -1;
    }
    return 0;
}

static int cut_cycles(struct gy_loading *l, struct gy_error *err)
{
    size_t n = l->r.t->jobs.n;
    struct tarjan t = {0};
    int done = 0;

    if (!tarjan_init(&t, n)) {
        tarjan_free(&t);
        return gy_nomem(err);
    }
    for (size_t i = 0; i < l->edges.n; i++) /* edges are by ascending row */
        t.first[l->edges.at[i].row + 1]++;
    for (size_t i = 0; i < n; i++)
        t.first[i + 1] += t.first[i];
    for (size_t i = 0; i < l->edges.n && done == 0; i++)
        if (t.index[l->edges.at[i].row] == 0 && !l->dropped.at[l->edges.at[i].row])
            done = visit(l, &t, l->edges.at[i].row, err);
    tarjan_free(&t);
    return done;
}

int gy_load_deps(struct gy_loading *l, struct gy_error *err)
{
    if (l->dep_texts.n == 0)
        return 0;
    if (gy_load_index(l, err) < 0)
        return -1;
    for (size_t i = 0; i < l->dep_texts.n; i++)
        if (!l->dropped.at[l->dep_texts.at[i].row] && parse(l, &l->dep_texts.at[i], err) < 0)
            return -1;
    return cut_cycles(l, err);
}
