/* The life of a job: what the run told of it, who held the GPUs while it waited, and what would have let it start
 * earlier by GPUs alone. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gy_explain.h"
#include "gy_file.h"
#include "gy_json.h"
#include "occupancy.h"

#define INSTANTS_MAX 300000 /* looked at between eligible and start */
#define SHOWN        6      /* jobs named in a list */

struct fact { /* of the job, in the order of events.jsonl */
    gy_time at, planned;
    const char *kind, *reason, *why, *placement, *state; /* NULL: not told */
    double rate;                                         /* NaN: not told */
    struct gy_fit fit;                                   /* of holds */
};

struct story {
    const struct gy_history *h;
    const struct gy_past_job *job;
    size_t index;
    GY_VEC(struct fact) facts;
    struct gy_arena arena;
    int64_t part;                           /* thousandths of GPUs on one node */
    uint32_t parts;                         /* nodes */
    gy_time until;                          /* when the first wait ended: start, or end, or end of the run */
    gy_time first_fit, one_more, any_split; /* GY_NEVER: not before until */
    GY_VEC(uint32_t) made_room, holders;    /* stays */
    GY_VEC(uint32_t) overtook;              /* jobs */
    uint32_t ahead;
    double ahead_gpus;
    bool clipped; /* too many instants */
};

static const char *text_of(struct story *s, const struct gy_json *item, const char *key)
{
    const char *t = gy_json_string(gy_json_get(item, key));
    return t ? gy_arena_strndup(&s->arena, t, strlen(t)) : NULL;
}

static int on_line(void *ctx, const struct gy_json *item, size_t line)
{
    struct story *s = ctx;
    const char *id = gy_json_string(gy_json_get(item, "job_id"));
    const struct gy_json *planned = gy_json_get(item, "at_s");

    (void)line;
    if (!id || strcmp(id, s->job->id) != 0)
        return 0;
    struct fact f = {
        .at = gy_time_from_s(gy_json_number(gy_json_get(item, "time_s"))),
        .planned = planned && gy_json_type(planned) == GY_J_NUMBER ? gy_time_from_s(gy_json_number(planned)) : GY_NONE,
        .kind = text_of(s, item, "event"),
        .reason = text_of(s, item, "reason"),
        .why = text_of(s, item, "why"),
        .placement = text_of(s, item, "placement"),
        .state = text_of(s, item, "state"),
        .rate = gy_json_number(gy_json_get(item, "rate"))};
    return f.kind && gy_vec_push(&s->facts, f) ? 0 : 1;
}

static int read_events(struct story *s, const struct gy_run *run, struct gy_error *err)
{
    char path[4096];
    struct gy_input *in = gy_input_open(gy_history_path(run, "events.jsonl", path, sizeof path), err);
    int rc = in ? gy_json_lines(in, on_line, s, err) : -1;

    gy_input_close(in);
    return rc > 0 ? gy_nomem(err) : rc;
}

/* Without an event log: what jobs.csv knows. */
static int facts_of_row(struct story *s, struct gy_error *err)
{
    const struct gy_past_job *j = s->job;
    const bool told = j->start != GY_NONE && *j->reason && j->wait > 0;
    const struct fact all[] = {
        {.at = j->submit, .planned = GY_NONE, .kind = "submit"},
        {.at = j->eligible, .planned = GY_NONE, .kind = "eligible"},
        {.at = told ? j->eligible : GY_NONE, .planned = GY_NONE, .kind = "hold", .reason = j->reason},
        {.at = j->start, .planned = GY_NONE, .kind = "start", .placement = j->preemptions ? NULL : j->placement},
        {.at = j->end,
         .planned = GY_NONE,
         .kind = "end",
         .state = j->state,
         .why = told || !*j->reason ? NULL : j->reason},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].at != GY_NONE && !gy_vec_push(&s->facts, all[i]))
            return gy_nomem(err);
    return 0;
}

static bool waits_at(const struct gy_past_job *j, gy_time t)
{
    return j->eligible != GY_NONE && j->eligible <= t && (j->start == GY_NONE || j->start > t) &&
           (j->end == GY_NONE || j->end > t);
}

/* Who was ahead of it, and who came later and started before it. Jobs lie in the order of their submission. */
static int look_at_queue(struct story *s, struct gy_error *err)
{
    for (size_t i = 0; i < s->h->jobs.n; i++) {
        const struct gy_past_job *j = &s->h->jobs.at[i];
        if (i < s->index && waits_at(j, s->job->eligible)) {
            s->ahead++;
            s->ahead_gpus += isnan(j->gpus) ? 0 : j->gpus;
        }
        if (i > s->index && j->submit > s->job->submit && j->gpus > 0 && j->start != GY_NONE &&
            j->start >= s->job->eligible && j->start < s->until && !gy_vec_push(&s->overtook, (uint32_t)i))
            return gy_nomem(err);
    }
    return 0;
}

struct counting {
    int64_t milli;
};

static void count_part(void *ctx, const char *node, size_t len, uint32_t low, uint32_t high, uint32_t milli)
{
    (void)node;
    (void)len;
    ((struct counting *)ctx)->milli += (int64_t)(high - low) * milli;
}

static double gpus_of(const struct gy_stay *s)
{
    struct counting c = {0};
    gy_placement_each(s->placement, count_part, &c);
    return (double)c.milli / 1000;
}

/* Stays that held GPUs when it became eligible or while it waited: those whose end made room, and those that go on. */
static int look_at_holders(struct story *s, struct gy_error *err)
{
    for (size_t i = 0; i < s->h->stays.n; i++) {
        const struct gy_stay *x = &s->h->stays.at[i];
        if (x->job == s->index || x->from >= s->until || x->to <= s->job->eligible || gpus_of(x) <= 0)
            continue;
        if (x->to == s->until && !gy_vec_push(&s->made_room, (uint32_t)i))
            return gy_nomem(err);
        if (x->from <= s->job->eligible && !gy_vec_push(&s->holders, (uint32_t)i))
            return gy_nomem(err);
    }
    return 0;
}

static void look_at_instant(struct story *s, const struct gy_occupancy *o, gy_time t)
{
    const struct gy_fit f = gy_occupancy_fit(o, s->part);

    if (f.nodes >= s->parts && t < s->first_fit)
        s->first_fit = t;
    if (f.nodes + 1 >= s->parts && t < s->one_more)
        s->one_more = t;
    if (f.free >= s->part * s->parts && t < s->any_split)
        s->any_split = t;
}

/* The first instants of the wait at which it would have fit, by GPUs alone. */
static int look_at_nodes(struct story *s, const struct gy_run *run, struct gy_error *err)
{
    struct gy_occupancy o;
    int rc = gy_occupancy_open(run, s->h, &o, err);
    gy_time t = s->job->eligible;

    for (size_t n = 0; rc == 0 && t < s->until; n++) {
        if (n >= INSTANTS_MAX) {
            s->clipped = true;
            break;
        }
        gy_occupancy_to(&o, t, false);
        look_at_instant(s, &o, t);
        if (s->first_fit != GY_NEVER)
            break;
        t = gy_occupancy_next(&o, s->until);
    }
    gy_occupancy_close(&o);
    rc = rc ? rc : gy_occupancy_open(run, s->h, &o, err);
    for (size_t i = 0; rc == 0 && i < s->facts.n; i++) {
        struct fact *f = &s->facts.at[i];
        if (strcmp(f->kind, "hold") == 0) {
            gy_occupancy_to(&o, f->at, true);
            f->fit = gy_occupancy_fit(&o, s->part);
        }
    }
    gy_occupancy_close(&o);
    return rc;
}

/* ---- texts */

static void put_visible(struct gy_writer *to, const char *text, size_t most)
{
    char buf[1200];
    const size_t len = strlen(text);

    gy_visible(text, len < most ? len : most, buf, sizeof buf);
    gy_writer_text(to, buf);
    if (len > most)
        gy_writer_printf(to, "... (%zu bytes)", len);
}

static void put_span(struct gy_writer *to, gy_time t)
{
    char buf[48];
    gy_time_print_human(t, buf);
    gy_writer_text(to, buf);
}

static void put_gpus(struct gy_writer *to, double gpus)
{
    char buf[32];
    gy_number_print(gpus, buf);
    gy_writer_printf(to, "%s GPU%s", buf, gpus == 1 ? "" : "s");
}

static void put_at(struct gy_writer *to, const struct story *s, gy_time at)
{
    char when[32], since[48];

    gy_time_print(at, when);
    gy_time_print_human(at - s->job->submit, since);
    gy_writer_printf(to, "  %14s  +%-14s  ", when, since);
}

static void put_fit(struct gy_writer *to, const struct story *s, const struct gy_fit *f)
{
    gy_writer_text(to, "; free then: ");
    put_gpus(to, (double)f->free / 1000);
    gy_writer_printf(to, " of %" PRId64, f->total / 1000);
    if (s->part > 0)
        gy_writer_printf(to, ", %" PRIu32 " of the %" PRIu32 " node%s it needs with ",
                         f->nodes < s->parts ? f->nodes : s->parts, s->parts, s->parts == 1 ? "" : "s");
    if (s->part > 0)
        put_gpus(to, (double)s->part / 1000);
    if (s->part > 0)
        gy_writer_text(to, " free");
}

static void put_fact(struct gy_writer *to, const struct story *s, const struct fact *f)
{
    put_at(to, s, f->at);
    if (strcmp(f->kind, "hold") == 0 && f->reason) {
        gy_writer_text(to, "waits: ");
        put_visible(to, f->reason, 200);
        gy_writer_text(to, " (");
        put_visible(to, gy_explain_reason(f->reason), 200);
        gy_writer_text(to, ")");
        put_fit(to, s, &f->fit);
    } else if (strcmp(f->kind, "reserve") == 0) {
        char when[32];
        gy_time_print(f->planned, when);
        gy_writer_printf(to, "gets a planned start at %s", *when ? when : "an unknown time");
    } else if (strcmp(f->kind, "rate") == 0 && !isnan(f->rate)) {
        if (f->rate == 1)
            gy_writer_text(to, "runs at its full speed");
        else
            gy_writer_printf(to, "runs at %.3g times its speed", f->rate);
    } else {
        static const char *const words[][2] = {{"submit", "submitted"},
                                               {"eligible", "may start"},
                                               {"start", "starts"},
                                               {"preempt", "is preempted"},
                                               {"resize", "changes its placement"},
                                               {"end", "ends"},
                                               {"left", "is left when the run ends"}};
        const char *word = f->kind;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (strcmp(words[i][0], f->kind) == 0)
                word = words[i][1];
        put_visible(to, word, 100);
        if (f->placement && *f->placement) {
            gy_writer_text(to, " on ");
            put_visible(to, f->placement, 200);
        }
        if (f->state) {
            gy_writer_text(to, ": ");
            put_visible(to, f->state, 100);
        }
        if (f->reason) {
            gy_writer_text(to, ", ");
            put_visible(to, f->reason, 200);
        }
    }
    if (f->why) {
        gy_writer_text(to, ", ");
        put_visible(to, f->why, 300);
    }
    gy_writer_text(to, "\n");
}

static void put_job_name(struct gy_writer *to, const struct gy_past_job *j)
{
    put_visible(to, j->id, 100);
    if (*j->team) {
        gy_writer_text(to, " of ");
        put_visible(to, j->team, 60);
    }
}

static void put_stays(struct gy_writer *to, const struct story *s, const uint32_t *at, size_t n)
{
    for (size_t i = 0; i < n && i < SHOWN; i++) {
        const struct gy_stay *x = &s->h->stays.at[at[i]];
        char from[32], end[32];
        gy_time_print(x->from, from);
        gy_time_print(x->to, end);
        gy_writer_text(to, "    job ");
        put_job_name(to, &s->h->jobs.at[x->job]);
        gy_writer_text(to, ": ");
        put_gpus(to, gpus_of(x));
        gy_writer_printf(to, ", %s to %s%s\n", from, end, x->how == GY_STAY_PREEMPT ? ", then preempted" : "");
    }
    if (n > SHOWN)
        gy_writer_printf(to, "    and %zu more\n", n - SHOWN);
}

static void put_overtakers(struct gy_writer *to, const struct story *s)
{
    if (s->overtook.n == 0)
        return;
    gy_writer_printf(to, "  %zu job%s submitted later started before it:", s->overtook.n,
                     s->overtook.n == 1 ? "" : "s");
    for (size_t i = 0; i < s->overtook.n && i < SHOWN; i++) {
        const struct gy_past_job *j = &s->h->jobs.at[s->overtook.at[i]];
        gy_writer_text(to, i ? ", " : " ");
        put_visible(to, j->id, 60);
        gy_writer_text(to, " (");
        put_gpus(to, j->gpus);
        gy_writer_text(to, ")");
    }
    gy_writer_text(to, s->overtook.n > SHOWN ? " ...\n" : "\n");
}

static void put_blockers(struct gy_writer *to, const struct story *s)
{
    const bool started = s->job->start != GY_NONE;

    gy_writer_text(to, "\nWho was in the way\n");
    if (s->ahead)
        gy_writer_printf(to, "  %" PRIu32 " job%s submitted before it waited too, for %.6g GPUs\n", s->ahead,
                         s->ahead == 1 ? "" : "s", s->ahead_gpus);
    put_overtakers(to, s);
    if (s->holders.n) {
        gy_writer_printf(to, "  %zu job%s held GPUs when it could have started, the largest first:\n", s->holders.n,
                         s->holders.n == 1 ? "" : "s");
        put_stays(to, s, s->holders.at, s->holders.n);
    }
    if (started && s->made_room.n) {
        gy_writer_text(to, "  it started at the instant at which these gave their GPUs back:\n");
        put_stays(to, s, s->made_room.at, s->made_room.n);
    }
    if (!s->ahead && !s->overtook.n && !s->holders.n)
        gy_writer_text(to, "  no job held GPUs and none stood before it\n");
}

static void put_earlier(struct gy_writer *to, const struct story *s, gy_time at, const char *what)
{
    char when[32];

    if (at == GY_NEVER)
        return;
    gy_time_print(at, when);
    gy_writer_printf(to, "  %s: at %s, ", what, when);
    put_span(to, s->until - at);
    gy_writer_text(to, s->job->start == GY_NONE ? " before it left\n" : " earlier\n");
}

static const char *last_reason(const struct story *s)
{
    const char *reason = NULL;
    for (size_t i = 0; i < s->facts.n && s->facts.at[i].at <= s->until; i++)
        if (strcmp(s->facts.at[i].kind, "hold") == 0)
            reason = s->facts.at[i].reason;
    return reason;
}

static void put_advice(struct gy_writer *to, const struct story *s)
{
    const char *reason = last_reason(s);

    gy_writer_text(
        to,
        "\nWhat would have let it start earlier (by GPUs alone; CPUs, memory, types and limits are not looked at)\n");
    if (s->first_fit < s->until) {
        put_earlier(to, s, s->first_fit, "GPUs for it were free already");
        gy_writer_text(
            to,
            "  so it was not short of hardware: its place in the queue, a reservation for another job or a limit kept "
            "it waiting");
        if (reason) {
            gy_writer_text(to, "; the last reason told is ");
            put_visible(to, reason, 200);
        }
        gy_writer_text(to, "\n");
    } else if (s->job->start != GY_NONE) {
        gy_writer_text(to, "  nothing that was there: it started at the first instant at which its GPUs were free\n");
    } else {
        gy_writer_text(to, "  nothing that was there: its GPUs were never free together while it waited\n");
    }
    if (s->one_more < s->until && s->one_more < s->first_fit) {
        char what[96];
        snprintf(what, sizeof what, "one more node with %.6g free GPUs", (double)s->part / 1000);
        put_earlier(to, s, s->one_more, what);
    }
    if (s->any_split < s->until && s->any_split < s->first_fit)
        put_earlier(to, s, s->any_split, "a placement in any pieces (the free GPUs were scattered)");
    if (s->clipped)
        gy_writer_printf(to, "  (the wait was looked at for its first %d changes only)\n", INSTANTS_MAX);
}

static void put_head(struct gy_writer *to, const struct story *s)
{
    const struct gy_past_job *j = s->job;

    gy_writer_text(to, "Job ");
    put_job_name(to, j);
    if (*j->user) {
        gy_writer_text(to, ", user ");
        put_visible(to, j->user, 60);
    }
    gy_writer_text(to, ": ");
    put_gpus(to, j->gpus);
    if (j->nodes)
        gy_writer_printf(to, " on %" PRIu32 " node%s", j->nodes, j->nodes == 1 ? "" : "s");
    gy_writer_text(to, ", ");
    put_visible(to, j->state, 60);
    if (j->wait != GY_NONE) {
        gy_writer_text(to, ", waited ");
        put_span(to, j->wait);
    }
    if (j->run != GY_NONE) {
        gy_writer_text(to, ", ran ");
        put_span(to, j->run);
    }
    gy_writer_printf(to, "\n\n  %14s  %-15s\n", "second", "since submit");
}

static bool waited(const struct story *s)
{
    return s->job->eligible != GY_NONE && s->until > s->job->eligible && strcmp(s->job->state, "rejected") != 0;
}

static void put_text(struct gy_writer *to, const struct story *s)
{
    put_head(to, s);
    for (size_t i = 0; i < s->facts.n; i++)
        put_fact(to, s, &s->facts.at[i]);
    if (!waited(s)) {
        gy_writer_text(to, strcmp(s->job->state, "rejected") == 0
                               ? "\nIt can never run on this cluster: "
                               : "\nIt started the moment it could: nothing was in its way.\n");
        if (strcmp(s->job->state, "rejected") == 0) {
            put_visible(to, s->job->reason, 500);
            gy_writer_text(to, "\n");
        }
    } else {
        put_blockers(to, s);
        put_advice(to, s);
    }
    if (!s->h->from_events)
        gy_writer_text(
            to,
            "\nThis run wrote no event log: only the last reason is known, and of preempted jobs only the last run.\n"
            "Run it again with --set output.events=true for every step.\n");
}

static void put_json_jobs(struct gy_json_out *o, const char *key, const struct story *s, const uint32_t *at, size_t n,
                          bool stays)
{
    gy_jo_array(o, key);
    for (size_t i = 0; i < n; i++) {
        const struct gy_stay *x = stays ? &s->h->stays.at[at[i]] : NULL;
        gy_jo_object(o, NULL);
        gy_jo_string(o, "job_id", s->h->jobs.at[stays ? x->job : at[i]].id);
        gy_jo_number(o, "gpus", stays ? gpus_of(x) : s->h->jobs.at[at[i]].gpus);
        if (stays) {
            gy_jo_number(o, "from_s", gy_time_to_s(x->from));
            gy_jo_number(o, "to_s", gy_time_to_s(x->to));
        }
        gy_jo_end(o, '}');
    }
    gy_jo_end(o, ']');
}

static void put_json_fact(struct gy_json_out *o, const struct fact *f)
{
    gy_jo_object(o, NULL);
    gy_jo_number(o, "time_s", gy_time_to_s(f->at));
    gy_jo_string(o, "event", f->kind);
    if (f->reason)
        gy_jo_string(o, "reason", f->reason);
    if (f->planned != GY_NONE)
        gy_jo_number(o, "at_s", gy_time_to_s(f->planned));
    if (f->placement)
        gy_jo_string(o, "placement", f->placement);
    if (f->state)
        gy_jo_string(o, "state", f->state);
    if (strcmp(f->kind, "rate") == 0)
        gy_jo_number(o, "rate", f->rate);
    if (f->why)
        gy_jo_string(o, "why", f->why);
    if (strcmp(f->kind, "hold") == 0) {
        gy_jo_number(o, "gpus_free", (double)f->fit.free / 1000);
        gy_jo_integer(o, "nodes_that_fit", f->fit.nodes);
    }
    gy_jo_end(o, '}');
}

static void put_json_time(struct gy_json_out *o, const char *key, gy_time t)
{
    gy_jo_number(o, key, t == GY_NEVER ? NAN : gy_time_to_s(t));
}

static void put_json(struct gy_writer *to, const struct story *s)
{
    struct gy_json_out o = {.to = to};

    gy_jo_object(&o, NULL);
    gy_jo_string(&o, "job_id", s->job->id);
    gy_jo_string(&o, "state", s->job->state);
    gy_jo_number(&o, "gpus", s->job->gpus);
    put_json_time(&o, "wait_s", s->job->wait);
    gy_jo_bool(&o, "from_events", s->h->from_events);
    gy_jo_string(&o, "last_reason", waited(s) ? last_reason(s) : NULL);
    gy_jo_array(&o, "timeline");
    for (size_t i = 0; i < s->facts.n; i++)
        put_json_fact(&o, &s->facts.at[i]);
    gy_jo_end(&o, ']');
    gy_jo_integer(&o, "jobs_ahead", s->ahead);
    put_json_jobs(&o, "held_by", s, s->holders.at, s->holders.n, true);
    put_json_jobs(&o, "made_room", s, s->made_room.at, s->made_room.n, true);
    put_json_jobs(&o, "overtaken_by", s, s->overtook.at, s->overtook.n, false);
    put_json_time(&o, "gpus_free_at_s", s->first_fit);
    put_json_time(&o, "with_one_more_node_at_s", s->one_more);
    put_json_time(&o, "in_any_pieces_at_s", s->any_split);
    gy_jo_end(&o, '}');
}

/* The largest first; equal ones as they began. */
static void sort_holders(struct story *s)
{
    for (size_t i = 1; i < s->holders.n && s->holders.n < 20000; i++)
        for (size_t k = i;
             k > 0 && gpus_of(&s->h->stays.at[s->holders.at[k]]) > gpus_of(&s->h->stays.at[s->holders.at[k - 1]]);
             k--) {
            const uint32_t x = s->holders.at[k];
            s->holders.at[k] = s->holders.at[k - 1];
            s->holders.at[k - 1] = x;
        }
}

static int look(struct story *s, const struct gy_run *run, struct gy_error *err)
{
    const struct gy_past_job *j = s->job;

    s->until = j->start != GY_NONE ? j->start : j->end != GY_NONE ? j->end : s->h->end;
    s->parts = j->nodes ? j->nodes : 1;
    s->part = isnan(j->gpus) ? 0 : (int64_t)llrint(j->gpus * 1000) / s->parts;
    s->first_fit = s->one_more = s->any_split = GY_NEVER;
    if ((s->h->from_events ? read_events(s, run, err) : facts_of_row(s, err)) != 0)
        return -1;
    if (!waited(s))
        return 0;
    if (look_at_queue(s, err) || look_at_holders(s, err) || look_at_nodes(s, run, err))
        return -1;
    sort_holders(s);
    return 0;
}

int gy_explain_job(const struct gy_run *run, const char *id, bool json, struct gy_writer *to, struct gy_error *err)
{
    struct gy_history h;
    struct story s = {.h = &h};
    int rc = gy_history_load(run, &h, err);

    if (rc != 0)
        return -1;
    s.index = gy_history_find(&h, id);
    if (s.index == SIZE_MAX) {
        rc = gy_fail(err, GY_EUSAGE, run->path, "no job has the id \"%s\"", id);
        if (h.jobs.n)
            gy_hint(err, "the %zu jobs of this run are in its jobs.csv; the first is \"%s\"", h.jobs.n,
                    h.jobs.at[0].id);
    } else {
        s.job = &h.jobs.at[s.index];
        rc = look(&s, run, err);
    }
    if (rc == 0 && json)
        put_json(to, &s);
    else if (rc == 0)
        put_text(to, &s);
    gy_vec_free(&s.facts);
    gy_vec_free(&s.made_room);
    gy_vec_free(&s.holders);
    gy_vec_free(&s.overtook);
    gy_arena_free(&s.arena);
    gy_history_free(&h);
    return rc;
}
