/* timeline.csv: a row a sample. Columns that nothing models yet are empty. */
#include "sinks.h"

void gy_timeline_head(struct gy_writer *w)
{
    gy_writer_text(w, "time_s,gpus_total,gpus_down,gpus_allocated,gpus_busy,jobs_running,jobs_pending,gpus_pending,"
                      "fragmentation,power_w,cost_usd_per_h,net_max_link_util\n");
}

static void put_gpus(struct gy_writer *w, int64_t milli)
{
    gy_writer_put(w, ",", 1);
    gy_writer_csv_number(w, (double)milli / GY_MILLI);
}

int gy_timeline_event(void *sink, const struct gy_account *a, const struct gy_view *v, const struct gy_event *e,
                      struct gy_error *err)
{
    struct gy_writer *w = ((struct gy_sink *)sink)->to;
    const struct gy_ledger *l = gy_account_ledger(a);

    (void)v;
    if (e->kind != GY_E_SAMPLE)
        return 0;
    gy_writer_time(w, e->time);
    put_gpus(w, e->totals.total);
    put_gpus(w, e->totals.down);
    put_gpus(w, e->totals.allocated);
    put_gpus(w, e->totals.allocated - l->idle_now);
    gy_writer_printf(w, ",%u,%u", e->running, e->pending);
    put_gpus(w, l->asked_pending);
    gy_writer_put(w, ",", 1);
    gy_writer_csv_number(w, gy_fragmentation_now(gy_account_family(a, &gy_family_fragmentation)));
    gy_writer_text(w, ",,");
    gy_writer_csv_number(w, gy_cost_now(gy_account_family(a, &gy_family_cost)));
    gy_writer_text(w, ",\n");
    const struct gy_error *failed = gy_writer_error(w);
    if (failed)
        *err = *failed;
    return failed ? -1 : 0;
}
