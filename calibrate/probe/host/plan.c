/* The list of points to measure, filled by the families, and what was left out and why. */
#include "gy_probe.h"
#include <stdarg.h>

void gy_probe_plan_add(struct gy_probe_plan *p, struct gy_probe_step step)
{
    step.family = p->family;
    if (!gy_vec_push(&p->steps, step)) {
        p->failed = true;
    }
}

void gy_probe_plan_note(struct gy_probe_plan *p, const char *fmt, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, fmt);
    int n = vasprintf(&text, fmt, args);
    va_end(args);
    if (n < 0) {
        p->failed = true;
    } else if (!gy_vec_push(&p->notes, text)) {
        free(text);
        p->failed = true;
    }
}

void gy_probe_plan_free(struct gy_probe_plan *p)
{
    for (size_t i = 0; i < p->notes.n; i++) {
        free(p->notes.at[i]);
    }
    gy_vec_free(&p->notes);
    gy_vec_free(&p->steps);
}
