/* jobs.csv: a row a job, written when it leaves; those left at the end of the run come last. */
#include <math.h>
#include "sinks.h"

void gy_jobs_csv_head(struct gy_writer *w)
{
    gy_writer_text(
        w, "job_id,user,team,partition,gpus,nodes,submit_s,eligible_s,start_s,end_s,state,wait_s,run_s,slowdown,"
           "preemptions,restarts,gpu_seconds,lost_gpu_seconds,cost_usd,energy_j,placement,reason\n");
}

static void comma(struct gy_writer *w)
{
    gy_writer_put(w, ",", 1);
}

static void put_times(struct gy_writer *w, const struct gy_leave *x)
{
    const gy_time times[] = {x->job->rec.submit, x->job->eligible, x->life->first_start, x->end};

    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        comma(w);
        gy_writer_time(w, times[i]);
    }
    comma(w);
    gy_writer_text(w, gy_job_state_name(x->state));
    comma(w);
    gy_writer_time(w, x->wait);
    comma(w);
    if (x->life->first_start != GY_NONE)
        gy_writer_time(w, x->life->run);
    comma(w);
    if (x->wait != GY_NONE && x->end != GY_NONE && x->life->run > 0) /* to six decimals */
        gy_writer_csv_number(w, rint((double)(x->end - x->job->eligible) / (double)x->life->run * 1e6) / 1e6);
}

/* What it waited for, or why it was rejected, failed or cancelled; empty when it waited for nothing. */
static const char *reason_of(const struct gy_leave *x)
{
    if (x->note)
        return x->note;
    if (x->wait == 0 || (x->wait == GY_NONE && x->life->reason == GY_R_NONE))
        return "";
    return x->life->reason == GY_R_NONE ? "" : gy_reason_name((enum gy_reason)x->life->reason);
}

int gy_jobs_csv_leave(void *sink, const struct gy_account *a, const struct gy_view *v, const struct gy_leave *x,
                      struct gy_error *err)
{
    struct gy_sink *s = sink;
    struct gy_writer *w = s->to;
    const struct gy_strings *names = gy_account_options_of(a)->strings;
    const struct gy_job_rec *r = &x->job->rec;
    const struct gy_holding held = gy_life_holding(x->life);
    const gy_str who[] = {r->user, r->team, r->partition};
    char buf[48];

    (void)v;
    gy_writer_csv(w, gy_job_rec_id(r, names, buf));
    for (size_t i = 0; i < sizeof who / sizeof *who; i++) {
        comma(w);
        gy_writer_csv(w, gy_strings_text(names, who[i]));
    }
    comma(w);
    if (r->gpu_milli == GY_MILLI)
        gy_put_unsigned(w, r->gpus);
    else
        gy_writer_csv_number(w, (double)gy_job_gpu_milli(r) / GY_MILLI);
    comma(w);
    if (held.n || r->nodes)
        gy_put_unsigned(w, held.n ? gy_holding_nodes(held) : r->nodes);
    put_times(w, x);
    comma(w);
    gy_put_unsigned(w, x->job->preemptions);
    comma(w);
    gy_put_unsigned(w, x->job->restarts);
    comma(w);
    gy_writer_text(w, gy_gpu_seconds_print(x->life->gpu_time, buf));
    comma(w);
    gy_writer_text(w, gy_gpu_seconds_print(x->life->lost, buf));
    const char *placement = gy_placement_text(s, a, held);
    if (!placement)
        return gy_nomem(err);
    comma(w);
    if (gy_account_options_of(a)->prices) /* to a millionth of a dollar */
        gy_writer_csv_number(w, rint(x->life->usd * 1e6) / 1e6);
    gy_writer_text(w, ",,"); /* energy: not modelled */
    gy_writer_csv(w, placement);
    comma(w);
    gy_writer_csv(w, reason_of(x));
    gy_writer_put(w, "\n", 1);
    const struct gy_error *failed = gy_writer_error(w);
    if (failed)
        *err = *failed;
    return failed ? -1 : 0;
}
