/* Comparisons as a table and as JSON. Computes nothing. */
#include <math.h>
#include <stdio.h>
#include "gy_compare.h"
#include "gy_file.h"

static void add_estimate(struct gy_table *t, const struct gy_estimate *e)
{
    if (isnan(e->half) || isnan(e->mean))
        gy_table_number(t, e->mean);
    else
        gy_table_printf(t, "%.6g ± %.2g", e->mean, e->half);
}

static void add_percent(struct gy_table *t, double ratio)
{
    if (isnan(ratio))
        gy_table_add(t, "-");
    else if (ratio == 0)
        gy_table_add(t, "=");
    else
        gy_table_printf(t, "%+.*f %%", fabs(ratio) < 0.1 ? 2 : 1, 100 * ratio);
}

static bool has_spread(const struct gy_comparison *c)
{
    for (size_t s = 0; s < c->sides.n; s++)
        if (c->sides.at[s].runs.n < 2)
            return false;
    return c->sides.n > 1;
}

void gy_comparison_table(const struct gy_comparison *c, struct gy_table *t)
{
    const bool p = has_spread(c);
    const size_t others = c->sides.n > 0 ? c->sides.n - 1 : 0;
    gy_table_init(t, 2 + others * (p ? 3 : 2));
    gy_table_add(t, "metric");
    for (size_t s = 0; s < c->sides.n; s++) {
        gy_table_add(t, c->sides.at[s].label);
        if (s > 0)
            gy_table_add(t, "change");
        if (s > 0 && p)
            gy_table_add(t, "p");
    }
    for (size_t r = 0; r < c->rows.n; r++) {
        const struct gy_comparison_row *row = &c->rows.at[r];
        gy_table_add(t, row->metric);
        for (size_t s = 0; s < c->sides.n; s++) {
            add_estimate(t, &row->side[s]);
            if (s > 0)
                add_percent(t, row->change[s].relative);
            if (s > 0 && p && isnan(row->change[s].p))
                gy_table_add(t, "-");
            else if (s > 0 && p)
                gy_table_printf(t, "%.2g", row->change[s].p);
        }
    }
}

static void side_json(const struct gy_side *side, const struct gy_run *runs, struct gy_json_out *o)
{
    gy_jo_object(o, NULL);
    gy_jo_string(o, "label", side->label);
    gy_jo_array(o, "runs");
    for (size_t i = 0; i < side->runs.n; i++) {
        gy_jo_object(o, NULL);
        gy_jo_string(o, "path", runs[side->runs.at[i]].path);
        gy_jo_integer(o, "seed", runs[side->runs.at[i]].seed);
        gy_jo_end(o, '}');
    }
    gy_jo_end(o, ']');
    gy_jo_end(o, '}');
}

static void row_json(const struct gy_comparison *c, const struct gy_comparison_row *row, struct gy_json_out *o)
{
    gy_jo_object(o, NULL);
    gy_jo_string(o, "metric", row->metric);
    gy_jo_array(o, "sides");
    for (size_t s = 0; s < c->sides.n; s++) {
        gy_jo_object(o, NULL);
        gy_jo_integer(o, "n", (int64_t)row->side[s].n);
        gy_jo_number(o, "mean", row->side[s].mean);
        gy_jo_number(o, "ci95_half", row->side[s].half);
        if (s > 0) {
            gy_jo_number(o, "absolute", row->change[s].absolute);
            gy_jo_number(o, "relative", row->change[s].relative);
            gy_jo_number(o, "p", row->change[s].p);
            gy_jo_string(o, "test", isnan(row->change[s].p) ? NULL : row->change[s].paired ? "paired t" : "Welch t");
        }
        gy_jo_end(o, '}');
    }
    gy_jo_end(o, ']');
    gy_jo_end(o, '}');
}

void gy_comparison_json(const struct gy_comparison *c, const struct gy_run *runs, struct gy_writer *to)
{
    struct gy_json_out o = {.to = to};
    gy_jo_object(&o, NULL);
    gy_jo_array(&o, "sides");
    for (size_t s = 0; s < c->sides.n; s++)
        side_json(&c->sides.at[s], runs, &o);
    gy_jo_end(&o, ']');
    gy_jo_array(&o, "metrics");
    for (size_t r = 0; r < c->rows.n; r++)
        row_json(c, &c->rows.at[r], &o);
    gy_jo_end(&o, ']');
    gy_jo_end(&o, '}');
}
