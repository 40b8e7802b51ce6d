/* The trace generator. Draws are made job by job from one stream a purpose, so that changing one parameter leaves the
 * draws of the others in place. Only the last step rounds to whole seconds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gy_generate.h"
#include "gy_stream.h"
#include "reader.h"

#define HOURS_A_WEEK 168
#define MIX_MAX      64

enum { S_ARRIVALS, S_USERS, S_SIZES, S_DURATIONS, S_ENDS, S_LIMITS, S_COUNT };

struct draft { /* a job before rounding */
    gy_time submit;
    double natural, part; /* run time in s, and the part of it after which the job ends */
    double ratio;         /* limit / run time */
    uint32_t user, gpus, seq;
    uint8_t state;
    bool overrun;
};

struct user {
    gy_str name, team;
    double effect; /* on the logarithm of run times */
};

struct gen {
    const struct gy_generate *p;
    struct gy_trace *t;
    struct gy_stream stream[S_COUNT];
    double *hours, *activity; /* cumulative weights of the span's hours, of users */
    size_t n_hours;
    uint32_t mix_gpus[MIX_MAX];
    double mix_sum[MIX_MAX]; /* cumulative */
    size_t n_mix;
    struct user *users;
    GY_VEC(struct draft) drafts;
};

/* The first entry whose cumulative weight is above x. */
static size_t pick(const double *sum, size_t n, double x)
{
    size_t low = 0, high = n - 1;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (sum[middle] > x)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static int bad_mix(const char *at, struct gy_error *err)
{
    gy_fail(err, GY_EINPUT, NULL, "gpu_mix: \"%.40s\" is not \"GPUs:weight,…\"", at);
    return gy_hint(err, "for example \"1:0.7,8:0.3\"; at most %d entries of up to %u GPUs", MIX_MAX, GY_TRACE_GPUS_MAX);
}

static int parse_mix(struct gen *g, struct gy_error *err)
{
    double sum = 0;

    for (const char *at = g->p->gpu_mix; *at != '\0';) {
        size_t len = strcspn(at, ","), colon = strcspn(at, ":");
        gy_time gpus, weight;
        if (colon >= len || g->n_mix == MIX_MAX || !gy_time_parse_in(at, colon, 1000, &gpus) || gpus < 1000 ||
            gpus % 1000 != 0 || gpus / 1000 > GY_TRACE_GPUS_MAX ||
            !gy_time_parse_in(at + colon + 1, len - colon - 1, 1000000, &weight) || weight < 0 ||
            weight > 1000000000000)
            return bad_mix(at, err);
        sum += (double)weight / 1e6;
        g->mix_gpus[g->n_mix] = (uint32_t)(gpus / 1000);
        g->mix_sum[g->n_mix++] = sum;
        at += len + (at[len] == ',');
    }
    return sum > 0 ? 0 : bad_mix(g->p->gpu_mix, err);
}

/* Weight of each hour of the span: a cosine over the day with its peak at 15 o'clock, days 5 and 6 quieter. The cosine
 * is a table, since a constant argument may be folded by a compiler to another last bit than the library gives. */
static int set_hours(struct gen *g, struct gy_error *err)
{
    static const double quarter[7] = {
        1, 0.9659258262890683, 0.8660254037844386, 0.7071067811865476, 0.5, 0.2588190451025208, 0};
    double sum = 0;

    g->n_hours = (size_t)((g->p->span + GY_HOUR - 1) / GY_HOUR);
    g->hours = calloc(g->n_hours, sizeof *g->hours);
    if (g->hours == NULL)
        return gy_nomem(err);
    for (size_t h = 0; h < g->n_hours; h++) {
        size_t from_peak = (h + 24 - 15) % 24, fold = from_peak > 12 ? 24 - from_peak : from_peak;
        double wave = fold <= 6 ? quarter[fold] : -quarter[12 - fold];
        bool weekend = h % HOURS_A_WEEK >= 5 * 24;
        double filled = h + 1 == g->n_hours ? (double)(g->p->span - (gy_time)h * GY_HOUR) / (double)GY_HOUR : 1;
        sum += (1 + g->p->daily * wave) * (weekend ? 1 - g->p->weekly : 1) * filled;
        g->hours[h] = sum;
    }
    return sum > 0 ? 0 : gy_fail(err, GY_EINPUT, NULL, "daily and weekly leave no hour in which anybody submits");
}

static gy_str name(struct gen *g, const char *prefix, size_t n, size_t of)
{
    char text[32];
    int digits = of < 10 ? 1 : of < 100 ? 2 : of < 1000 ? 3 : of < 10000 ? 4 : of < 100000 ? 5 : 7;

    return gy_strings_add(g->t->strings, text, (size_t)snprintf(text, sizeof text, "%s%0*zu", prefix, digits, n));
}

static int set_users(struct gen *g, struct gy_error *err)
{
    size_t users = (size_t)g->p->users, teams = (size_t)g->p->teams;
    double *team_sum = calloc(teams, sizeof *team_sum), sum = 0;
    struct gy_stream *s = &g->stream[S_USERS];

    g->users = calloc(users, sizeof *g->users);
    g->activity = calloc(users, sizeof *g->activity);
    if (team_sum == NULL || g->users == NULL || g->activity == NULL) {
        free(team_sum);
        return gy_nomem(err);
    }
    for (size_t k = 0; k < teams; k++)
        team_sum[k] = sum += pow((double)(k + 1), -g->p->zipf);
    double team_total = sum;
    sum = 0;
    for (size_t k = 0; k < users; k++) {
        struct user *u = &g->users[k];
        g->activity[k] = sum += pow((double)(k + 1), -g->p->zipf);
        u->name = name(g, "u", k + 1, users);
        u->team = name(g, "team", pick(team_sum, teams, gy_stream_uniform(s) * team_total) + 1, teams);
        u->effect = gy_stream_normal(s, 0, 1) * g->p->sigma * sqrt(0.3);
        if (u->name == GY_STR_FAIL || u->team == GY_STR_FAIL) {
            free(team_sum);
            return gy_nomem(err);
        }
    }
    free(team_sum);
    return 0;
}

/* The variance of the body's logarithm is 0.3 between users, 0.4 between submissions, 0.3 between jobs of one. */
static double run_time(struct gen *g, const struct user *u, double burst_effect, uint32_t gpus)
{
    const struct gy_generate *p = g->p;
    struct gy_stream *s = &g->stream[S_DURATIONS];
    double noise = gy_stream_normal(s, 0, 1) * p->sigma * sqrt(0.3), in_tail = gy_stream_uniform(s);
    double body = gy_time_to_s(p->median) * exp(u->effect + burst_effect + noise);
    double tail = gy_stream_pareto(s, p->tail_shape, gy_time_to_s(p->tail_from));
    double t = (in_tail < p->tail ? tail : body) * (gpus > 1 ? pow(gpus, p->size_exponent) : 1);
    double most = gy_time_to_s(p->most);

    return t > most ? most : t;
}

static void set_end(struct gen *g, struct draft *d)
{
    double which = gy_stream_uniform(&g->stream[S_ENDS]), part = gy_stream_uniform(&g->stream[S_ENDS]);

    d->state = which < g->p->failed ? GY_FAILED : which < g->p->failed + g->p->cancelled ? GY_CANCELLED : GY_COMPLETED;
    d->part = d->state == GY_COMPLETED ? 1 : part;
    d->overrun = gy_stream_uniform(&g->stream[S_LIMITS]) < g->p->overrun;
    d->ratio = g->p->limit_ratio * exp(gy_stream_normal(&g->stream[S_LIMITS], 0, 1) * g->p->limit_sigma);
}

/* One submission: a user, a GPU count, and a geometric number of jobs that follow each other within seconds. */
static int burst(struct gen *g, struct gy_error *err)
{
    const struct gy_generate *p = g->p;
    struct gy_stream *arrivals = &g->stream[S_ARRIVALS], *sizes = &g->stream[S_SIZES];
    double at = gy_stream_uniform(arrivals) * g->hours[g->n_hours - 1];
    size_t hour = pick(g->hours, g->n_hours, at);
    double before = hour > 0 ? g->hours[hour - 1] : 0;
    double t = 3600 * ((double)hour + (at - before) / (g->hours[hour] - before));
    uint32_t user = (uint32_t)pick(g->activity, (size_t)p->users,
                                   gy_stream_uniform(&g->stream[S_USERS]) * g->activity[p->users - 1]);
    bool cpu = gy_stream_uniform(sizes) < p->cpu_jobs;
    uint32_t gpus = g->mix_gpus[pick(g->mix_sum, g->n_mix, gy_stream_uniform(sizes) * g->mix_sum[g->n_mix - 1])];
    double effect = gy_stream_normal(&g->stream[S_DURATIONS], 0, 1) * p->sigma * sqrt(0.4), stop = 1 / p->burst;

    do {
        gy_time submit = gy_time_from_s(floor(t));
        struct draft d = {.submit = submit < p->span ? submit : p->span - 1, .user = user, .gpus = cpu ? 0 : gpus};
        d.submit = d.submit / GY_SECOND * GY_SECOND;
        d.seq = (uint32_t)g->drafts.n;
        d.natural = run_time(g, &g->users[user], effect, d.gpus);
        set_end(g, &d);
        if (!gy_vec_push(&g->drafts, d))
            return gy_nomem(err);
        t += gy_stream_exponential(arrivals, 20);
    } while (g->drafts.n < (size_t)p->jobs && gy_stream_uniform(arrivals) >= stop);
    return 0;
}

static int by_submit(const void *a, const void *b)
{
    const struct draft *x = a, *y = b;

    if (x->submit != y->submit)
        return x->submit < y->submit ? -1 : 1;
    return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* Scales run times to the load that is asked for. The cap is applied again, so a load that needs many jobs at the cap
 * comes out lower. */
static void scale(struct gen *g)
{
    double work = 0, most = gy_time_to_s(g->p->most);

    for (size_t i = 0; i < g->drafts.n; i++)
        work += g->drafts.at[i].natural * g->drafts.at[i].part * g->drafts.at[i].gpus;
    if (!(g->p->load > 0) || !(work > 0))
        return;
    double factor = g->p->load * (double)g->p->load_gpus * gy_time_to_s(g->p->span) / work;
    for (size_t i = 0; i < g->drafts.n; i++) {
        double t = g->drafts.at[i].natural * factor;
        g->drafts.at[i].natural = t > most ? most : t;
    }
}

/* People ask for round limits: the next one up, or for an overrun the next one below the run time. */
static gy_time round_limit(double seconds, double run, bool overrun)
{
    static const int32_t usual[] = {600,   1800,   3600,   7200,   14400,   28800,  43200,
                                    86400, 172800, 345600, 604800, 1209600, 2592000};
    size_t n = GY_COUNT(usual), i = 0;

    if (overrun) {
        while (i + 1 < n && usual[i + 1] < run)
            i++;
        return usual[i] < run ? usual[i] * GY_SECOND : GY_NONE;
    }
    while (i < n && usual[i] < seconds)
        i++;
    return i < n ? usual[i] * GY_SECOND : (gy_time)ceil(seconds / 2592000) * (2592000 * GY_SECOND);
}

static void set_limit(const struct gen *g, const struct draft *d, struct gy_job_rec *j)
{
    double ratio = d->ratio < 1 ? 1 : d->ratio, run = gy_time_to_s(j->duration);

    if (!(g->p->limit_ratio > 0))
        return;
    if (d->overrun)
        j->limit = round_limit(0, run, true);
    if (j->limit == GY_NONE)
        j->limit = round_limit(fmax(d->natural * ratio, run), 0, false);
}

static int to_records(struct gen *g, struct gy_error *err)
{
    struct gy_trace *t = g->t;

    if (!gy_vec_reserve(&t->jobs, g->drafts.n))
        return gy_nomem(err);
    for (size_t i = 0; i < g->drafts.n; i++) {
        const struct draft *d = &g->drafts.at[i];
        struct gy_job_rec j;
        gy_row_init(&j);
        double seconds = floor(d->natural * d->part + 0.5);
        j.number = i + 1;
        j.row = (uint32_t)i;
        j.submit = d->submit;
        j.duration = gy_time_from_s(seconds < 1 ? 1 : seconds);
        j.gpus = d->gpus;
        j.user = g->users[d->user].name;
        j.team = g->users[d->user].team;
        j.end_state = d->state;
        j.cpu_milli = (uint64_t)(g->p->cpus_per_gpu * (d->gpus > 0 ? d->gpus : 1) * 1000 + 0.5);
        set_limit(g, d, &j);
        t->jobs.at[t->jobs.n++] = j;
    }
    t->rows_read = t->rows_kept = t->jobs.n;
    return 0;
}

/* The ranges of the table, for callers that did not fill the parameters in by it. */
static int check(const struct gy_generate *p, struct gy_error *err)
{
    for (const struct gy_param *row = gy_generate_params; row->name != NULL; row++) {
        const char *at = (const char *)p + row->offset;
        double v = row->type == GY_P_INT    ? (double)*(const int64_t *)(const void *)at
                   : row->type == GY_P_TIME ? gy_time_to_s(*(const gy_time *)(const void *)at)
                   : row->type == GY_P_REAL ? *(const double *)(const void *)at
                                            : row->min;
        if (!(v >= row->min && v <= row->max))
            return gy_fail(err, GY_EINPUT, NULL, "%s: found %g, expected %g to %g", row->name, v, row->min, row->max);
    }
    return p->gpu_mix != NULL ? 0 : gy_fail(err, GY_EINPUT, NULL, "gpu_mix is missing");
}

static int make(struct gen *g, uint64_t seed, struct gy_error *err)
{
    static const char *const purpose[S_COUNT] = {"generate.arrivals",  "generate.users", "generate.sizes",
                                                 "generate.durations", "generate.ends",  "generate.limits"};

    if (check(g->p, err) < 0)
        return -1;
    for (int s = 0; s < S_COUNT; s++)
        if (!gy_stream_init(&g->stream[s], seed, purpose[s]))
            return gy_nomem(err);
    if (parse_mix(g, err) < 0 || set_hours(g, err) < 0 || set_users(g, err) < 0)
        return -1;
    while (g->drafts.n < (size_t)g->p->jobs)
        if (burst(g, err) < 0)
            return -1;
    if (g->drafts.n > 1)
        qsort(g->drafts.at, g->drafts.n, sizeof *g->drafts.at, by_submit);
    scale(g);
    return to_records(g, err);
}

int gy_trace_generate(const struct gy_generate *p, struct gy_strings *strings, struct gy_trace **out,
                      struct gy_error *err)
{
    struct gy_trace *t = calloc(1, sizeof *t);
    struct gen g = {.p = p, .t = t};

    *out = NULL;
    if (t == NULL)
        return gy_nomem(err);
    t->format = "generated";
    t->owns_strings = strings == NULL;
    t->strings = strings != NULL ? strings : gy_strings_new();
    int done = t->strings != NULL ? make(&g, (uint64_t)p->seed, err) : gy_nomem(err);
    for (int s = 0; s < S_COUNT; s++)
        gy_stream_free(&g.stream[s]);
    free(g.hours);
    free(g.activity);
    free(g.users);
    gy_vec_free(&g.drafts);
    if (done < 0) {
        gy_trace_free(t);
        return -1;
    }
    *out = t;
    return 0;
}
