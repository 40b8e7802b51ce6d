/* The course of the run for pictures in a terminal: what part of the available GPUs was allocated, over time. Puts no
 * metrics; the exact numbers are family_use.c's, and timeline.csv's for plots. */
#include "family.h"
#include <math.h>
#include "series.h"

struct course {
    struct gy_series allocated, available;
};

static void advance(void *self, const struct gy_ledger *l, gy_time to)
{
    struct course *c = self;
    gy_series_add(&c->allocated, l->totals.allocated, l->now, to);
    gy_series_add(&c->available, l->totals.total - l->totals.down, l->now, to);
}

double gy_course_allocated(const void *state, unsigned slice, unsigned slices)
{
    const struct course *c = state;
    const double span = (double)(c->available.last - c->available.start);
    const double from = span * slice / slices, to = span * (slice + 1) / slices;
    const double available = gy_series_area(&c->available, to) - gy_series_area(&c->available, from);

    return available > 0 ? (gy_series_area(&c->allocated, to) - gy_series_area(&c->allocated, from)) / available : NAN;
}

const struct gy_family_type gy_family_course = {
    .name = "course", .state_size = sizeof(struct course), .advance = advance};
