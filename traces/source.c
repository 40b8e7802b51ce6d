/* A stream over a loaded trace. Not a copy: the trace must outlive it. */
#include <stdlib.h>
#include "gy_trace.h"

struct cursor {
    const struct gy_trace *t;
    size_t next;
};

static int next(void *self, struct gy_job_rec *rec, struct gy_error *err)
{
    struct cursor *c = self;

    (void)err;
    if (c->next == c->t->jobs.n)
        return 0;
    *rec = c->t->jobs.at[c->next++];
    return 1;
}

int gy_trace_source(const struct gy_trace *t, struct gy_source *out, struct gy_error *err)
{
    struct cursor *c = calloc(1, sizeof *c);

    if (c == NULL)
        return gy_nomem(err);
    c->t = t;
    *out = (struct gy_source){.self = c, .next = next, .deps = t->deps.at, .strings = t->strings, .count = t->jobs.n};
    return 0;
}
