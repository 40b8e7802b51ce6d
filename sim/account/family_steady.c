/* offered_load and steady_state: whether the cluster kept up with what came.
 *
 * The submission window (first to last submit) is cut into quarters; q1 … q4 are the mean GPUs asked for by jobs in the
 * queue in each, over the mean GPUs available. stable: q4 ≤ 0.1, or q4 ≤ 1.25 × the larger of q1 and q2: the queue at
 * the end is small or no longer than before. Otherwise it grew: overloaded when the offered load is above 1, so that no
 * policy could have kept up, else backlogged. When all jobs came at one instant there are no quarters: stable if
 * nothing ever waited in the queue, else backlogged.
 */
#include "family.h"
#include <math.h>
#include "series.h"

static void advance(void *self, const struct gy_ledger *l, gy_time to)
{
    gy_series_add(self, l->asked_pending, l->now, to);
}

static const char *judge(const struct gy_series *s, const struct gy_ledger *l, double load)
{
    const double window = (double)(l->last_submit - l->start);
    double q[4];

    if (!(window > 0) || s->n == 0)
        return s->area > 0 ? "backlogged" : "stable";
    const double available = (double)l->available_at_last_submit / 4;
    for (int i = 0; i < 4; i++) {
        const double area = gy_series_area(s, window * (i + 1) / 4) - gy_series_area(s, window * i / 4);
        q[i] = available > 0 ? area / available : area > 0 ? INFINITY : 0;
    }
    if (q[3] <= 0.1 || q[3] <= 1.25 * fmax(q[0], q[1]))
        return "stable";
    return load > 1 ? "overloaded" : "backlogged";
}

static void emit(void *self, const struct gy_closing *c, struct gy_metrics *m)
{
    const struct gy_series *s = self;
    const struct gy_ledger *l = c->ledger;

    if (!l->open)
        return;
    const double load =
        l->available_at_last_submit > 0 ? (double)l->offered / (double)l->available_at_last_submit : NAN;
    gy_metrics_put(m, "offered_load", load);
    gy_metrics_put_word(m, "steady_state", judge(s, l, load));
}

const struct gy_family_type gy_family_steady = {
    .name = "steady", .state_size = sizeof(struct gy_series), .advance = advance, .emit = emit};
