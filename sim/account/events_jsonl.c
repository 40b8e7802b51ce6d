/* events.jsonl: one JSON object a line, in the order of the events. Times and GPU-seconds are exact decimals. */
#include "gy_json.h"
#include "sinks.h"

static void put_exact(struct gy_writer *w, const char *key, const char *decimal)
{
    gy_writer_printf(w, ",\"%s\":%s", key, *decimal ? decimal : "null");
}

static void put_time(struct gy_writer *w, const char *key, gy_time t)
{
    char buf[32];
    gy_time_print(t, buf);
    put_exact(w, key, buf);
}

static int put_placement(struct gy_sink *s, const struct gy_account *a, const struct gy_event *e, struct gy_json_out *o,
                         struct gy_error *err)
{
    const struct gy_life *life = gy_ledger_life(gy_account_ledger(a), e->id);
    const struct gy_holding held = life ? gy_life_holding(life) : (struct gy_holding){0};
    const char *text = gy_placement_text(s, a, held);

    if (!text)
        return gy_nomem(err);
    gy_jo_integer(o, "nodes", gy_holding_nodes(held));
    gy_jo_string(o, "placement", text);
    return 0;
}

static void put_who(const struct gy_strings *names, const struct gy_job_rec *r, struct gy_json_out *o)
{
    static const char *const key[] = {"user", "team", "partition", "gpu_type", "workload"};
    const gy_str who[] = {r->user, r->team, r->partition, r->gpu_type, r->workload};

    for (size_t i = 0; i < sizeof who / sizeof *who; i++)
        if (who[i])
            gy_jo_string(o, key[i], gy_strings_text(names, who[i]));
}

static int put_job(struct gy_sink *s, const struct gy_account *a, const struct gy_event *e, struct gy_json_out *o,
                   struct gy_error *err)
{
    const struct gy_strings *names = gy_account_options_of(a)->strings;
    const struct gy_job *j = e->job;
    char buf[48];

    gy_jo_string(o, "job_id", gy_job_rec_id(&j->rec, names, buf));
    if (e->kind == GY_E_SUBMIT)
        put_who(names, &j->rec, o);
    else if (j->rec.team)
        gy_jo_string(o, "team", gy_strings_text(names, j->rec.team));
    if (e->kind == GY_E_SUBMIT || e->kind == GY_E_START)
        gy_jo_number(o, "gpus", (double)gy_job_gpu_milli(&j->rec) / GY_MILLI);
    if (e->kind == GY_E_START)
        put_time(s->to, "waited_s", e->time - j->queued);
    if ((e->kind == GY_E_START || e->kind == GY_E_RESIZE) && put_placement(s, a, e, o, err))
        return -1;
    if (e->kind == GY_E_PREEMPT || e->kind == GY_E_END || e->kind == GY_E_LEFT)
        gy_jo_string(o, "state", gy_job_state_name(j->state));
    if (e->lost_ns_milli)
        put_exact(s->to, "lost_gpu_seconds", gy_gpu_seconds_print(e->lost_ns_milli, buf));
    if (e->kind == GY_E_RATE)
        gy_jo_number(o, "rate", j->rate);
    if (e->kind == GY_E_HOLD || (e->kind == GY_E_LEFT && j->state != GY_RUNNING))
        gy_jo_string(o, "reason", gy_reason_name((enum gy_reason)j->reason));
    if (e->kind == GY_E_RESERVE)
        put_time(s->to, "at_s", e->at);
    return 0;
}

static const char *node_state_name(enum gy_node_state s)
{
    static const char *const name[] = {
        [GY_NODE_UP] = "up", [GY_NODE_DRAINED] = "drained", [GY_NODE_DOWN] = "down", [GY_NODE_ABSENT] = "absent"};
    return (size_t)s < sizeof name / sizeof *name ? name[s] : "?";
}

int gy_events_event(void *sink, const struct gy_account *a, const struct gy_view *v, const struct gy_event *e,
                    struct gy_error *err)
{
    struct gy_sink *s = sink;
    const struct gy_account_options *opt = gy_account_options_of(a);
    struct gy_json_out o = {.to = s->to, .depth = 1, .compact = true}; /* inside an object that has a first member */
    char buf[32];

    (void)v;
    if (e->kind == GY_E_SAMPLE)
        return 0;
    gy_time_print(e->time, buf);
    gy_writer_printf(s->to, "{\"time_s\":%s", buf);
    gy_jo_string(&o, "event", gy_event_name(e->kind));
    if (e->job && put_job(s, a, e, &o, err))
        return -1;
    if (e->kind == GY_E_NODE && e->node.i < opt->cluster->nodes.n) {
        gy_jo_string(&o, "node", gy_strings_text(opt->strings, opt->cluster->nodes.at[e->node.i].name));
        gy_jo_string(&o, "state", node_state_name(e->node_state));
    }
    if (e->kind == GY_E_FINISH) {
        gy_jo_integer(&o, "jobs_running", e->running);
        gy_jo_integer(&o, "jobs_pending", e->pending);
    }
    if (e->note && e->kind != GY_E_HOLD) /* a hold has its reason */
        gy_jo_string(&o, "why", e->note);
    gy_writer_text(s->to, "}\n");
    const struct gy_error *failed = gy_writer_error(s->to);
    if (failed)
        *err = *failed;
    return failed ? -1 : 0;
}
