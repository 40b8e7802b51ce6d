/* offered_load and steady_state: whether the cluster kept up with what came.
 *
 * The submission window (first to last submit) is cut into quarters; q1 … q4 are the mean GPUs asked for by jobs in the
 * queue in each, over the mean GPUs available. stable: q4 ≤ 0.1, or q4 ≤ 1.25 × the larger of q1 and q2: the queue at
 * the end is small or no longer than before. Otherwise it grew: overloaded when the offered load is above 1, so that no
 * policy could have kept up, else backlogged. When all jobs came at one instant there are no quarters: stable if
 * nothing ever waited in the queue, else backlogged.
 *
 * The queue's integral is kept at 256 to 512 equally spaced times, whose spacing doubles as the run grows; between them
 * it is read by straight lines. */
#include "family.h"
#include <math.h>

#define MARKS 512

struct steady {
    gy_time start, last, width; /* marks stand at start + k × width */
    gy_gpu_time area;           /* ∫ asked dt from start to last */
    int64_t asked;              /* since last */
    uint32_t n;
    bool open;
    gy_gpu_time mark[MARKS];
};

/* Every second mark goes. */
static void widen(struct steady *s)
{
    for (uint32_t k = 0; k < (s->n + 1) / 2; k++)
        s->mark[k] = s->mark[2 * k];
    s->n = (s->n + 1) / 2;
    s->width *= 2;
}

static void advance(struct steady *s, gy_time to)
{
    while ((to - s->start) / s->width >= MARKS)
        widen(s);
    while (s->start + (gy_time)s->n * s->width <= to) {
        const gy_time at = s->start + (gy_time)s->n * s->width;
        s->mark[s->n++] = s->area + (gy_gpu_time)s->asked * (at - s->last);
    }
    s->area += (gy_gpu_time)s->asked * (to - s->last);
    s->last = to;
}

static int on_event(void *self, const struct gy_ledger *l, const struct gy_view *v, const struct gy_event *e,
                    struct gy_error *err)
{
    struct steady *s = self;

    (void)v;
    (void)err;
    if (!s->open && l->open) {
        s->open = true;
        s->start = s->last = e->time;
        s->width = GY_SECOND;
    }
    if (s->open && !l->closed && e->time > s->last)
        advance(s, e->time);
    s->asked = l->asked_pending;
    return 0;
}

/* The integral to a time in [start, last]. */
static double area_at(const struct steady *s, double t)
{
    const double k = floor(t / (double)s->width);
    const uint32_t i = k < (double)s->n - 1 ? (uint32_t)k : s->n - 1;
    const double t0 = (double)i * (double)s->width, a0 = (double)s->mark[i];
    const double t1 = i + 1 < s->n ? t0 + (double)s->width : (double)(s->last - s->start);
    const double a1 = i + 1 < s->n ? (double)s->mark[i + 1] : (double)s->area;
    return t1 > t0 ? a0 + (a1 - a0) * (t - t0) / (t1 - t0) : a0;
}

static const char *judge(const struct steady *s, const struct gy_ledger *l, double load)
{
    const double window = (double)(l->last_submit - l->start);
    double q[4];

    if (!(window > 0) || s->n == 0)
        return s->area > 0 ? "backlogged" : "stable";
    const double available = (double)l->available_at_last_submit / 4;
    for (int i = 0; i < 4; i++) {
        const double area = area_at(s, window * (i + 1) / 4) - area_at(s, window * i / 4);
        q[i] = available > 0 ? area / available : area > 0 ? INFINITY : 0;
    }
    if (q[3] <= 0.1 || q[3] <= 1.25 * fmax(q[0], q[1]))
        return "stable";
    return load > 1 ? "overloaded" : "backlogged";
}

static void emit(void *self, const struct gy_closing *c, struct gy_metrics *m)
{
    struct steady *s = self;
    const struct gy_ledger *l = c->ledger;

    if (!l->open)
        return;
    const double load =
        l->available_at_last_submit > 0 ? (double)l->offered / (double)l->available_at_last_submit : NAN;
    if (s->n == 0)
        advance(s, s->last);
    gy_metrics_put(m, "offered_load", load);
    gy_metrics_put_word(m, "steady_state", judge(s, l, load));
}

const struct gy_family_type gy_family_steady = {
    .name = "steady", .state_size = sizeof(struct steady), .on_event = on_event, .emit = emit};
