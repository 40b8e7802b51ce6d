/* What a trace holds, beyond its rows: sizes, run times, limits, names. For `trace info`; not metrics of a run. */
#include <inttypes.h>
#include <string.h>
#include "gy_bitset.h"
#include "gy_describe.h"
#include "gy_file.h"
#include "gy_quantile.h"

#define SIZES 6
static const char *const size_names[SIZES] = {"0", "1", "2-4", "5-8", "9-64", "65+"};

enum { N_USERS, N_TEAMS, N_PARTITIONS, N_GPU_TYPES, N_NAMES };
static const char *const name_words[N_NAMES] = {"users", "teams", "partitions", "gpu_types"};

/* What info tells beside the rows. */
struct facts {
    struct gy_sample run_s;
    uint64_t states[GY_REJECTED + 1];
    uint64_t sizes[SIZES];
    uint64_t fractions, with_limit, past_limit, with_deps, with_nodes, endless;
    double gpu_hours, sizes_gpu_hours[SIZES];
    uint64_t names[N_NAMES]; /* different ones */
    uint32_t widest;
};

static size_t size_of(uint32_t gpus)
{
    static const uint32_t ends[] = {0, 1, 4, 8, 64};
    size_t i = 0;

    while (i < 5 && gpus > ends[i])
        i++;
    return i;
}

static bool collect_job(struct facts *f, const struct gy_job_rec *r)
{
    const size_t size = size_of(r->gpus);
    const bool endless = r->duration == GY_NEVER; /* no run time to add up or to sort */
    const double hours = endless ? 0 : gy_time_to_s(r->duration) / 3600 * (double)gy_job_gpu_milli(r) / 1000;

    f->states[r->end_state]++;
    f->sizes[size]++;
    f->sizes_gpu_hours[size] += hours;
    f->gpu_hours += hours;
    f->fractions += r->gpu_milli < 1000 && r->gpus > 0;
    f->with_limit += r->limit != GY_NONE;
    f->endless += endless;
    f->past_limit += r->limit != GY_NONE && r->duration > r->limit;
    f->with_deps += r->dep_n > 0;
    f->with_nodes += r->nodes > 0;
    f->widest = r->gpus > f->widest ? r->gpus : f->widest;
    return endless || gy_sample_add(&f->run_s, gy_time_to_s(r->duration));
}

static bool count_names(struct facts *f, const struct gy_trace *t, int which)
{
    struct gy_bitset seen;

    if (!gy_bitset_init(&seen, gy_strings_count(t->strings) + 1))
        return false;
    for (size_t i = 0; i < t->jobs.n; i++) {
        const struct gy_job_rec *r = &t->jobs.at[i];
        const gy_str names[N_NAMES] = {r->user, r->team, r->partition, r->gpu_type};
        if (names[which] != 0)
            gy_bitset_insert(&seen, names[which]);
    }
    f->names[which] = seen.count;
    gy_bitset_free(&seen);
    return true;
}

static int collect(struct facts *f, const struct gy_trace *t, struct gy_error *err)
{
    for (size_t i = 0; i < t->jobs.n; i++)
        if (!collect_job(f, &t->jobs.at[i]))
            return gy_nomem(err);
    for (int i = 0; i < N_NAMES; i++)
        if (!count_names(f, t, i))
            return gy_nomem(err);
    return 0;
}

static void print_sizes(const struct facts *f, uint64_t jobs, struct gy_writer *to)
{
    char n[32];

    gy_writer_text(to, "GPUs       jobs              share   GPU-hours share\n");
    for (size_t i = 0; i < SIZES; i++)
        gy_writer_printf(to, "  %-8s %-16s %5.1f %%   %13.1f %%\n", size_names[i], gy_grouped(f->sizes[i], n),
                         100 * (double)f->sizes[i] / (double)jobs,
                         f->gpu_hours > 0 ? 100 * f->sizes_gpu_hours[i] / f->gpu_hours : 0);
}

static void print_quantiles(struct facts *f, struct gy_writer *to)
{
    static const struct {
        const char *name;
        double q;
    } at[] = {{"median", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"longest", 1}};
    const char *before = "run time   ";
    char text[48];

    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        gy_time_print_human(gy_time_from_s(gy_sample_quantile(&f->run_s, at[i].q)), text);
        gy_writer_printf(to, "%s%s %s", before, at[i].name, text);
        before = ", ";
    }
    gy_writer_text(to, "\n");
}

static void print_ends(const struct facts *f, struct gy_writer *to)
{
    const char *before = "ends       ";
    char n[32];

    for (int s = 0; s <= GY_REJECTED; s++) {
        if (f->states[s] == 0)
            continue;
        gy_writer_printf(to, "%s%s %s", before, gy_grouped(f->states[s], n), gy_job_state_name((enum gy_job_state)s));
        before = ", ";
    }
    gy_writer_text(to, "\n");
}

/* "12,000 with a time limit, 4 of which run past it": only what there is. */
static void print_traits(const struct facts *f, struct gy_writer *to)
{
    const struct {
        uint64_t count;
        const char *what;
    } traits[] = {{f->with_limit, "with a time limit"},       {f->past_limit, "that run past it"},
                  {f->fractions, "on a part of a GPU"},       {f->with_nodes, "that name a number of nodes"},
                  {f->with_deps, "that wait for other jobs"}, {f->endless, "that never end"}};
    const char *before = "jobs       ";
    char n[32];

    for (size_t i = 0; i < sizeof traits / sizeof *traits; i++) {
        if (traits[i].count == 0)
            continue;
        gy_writer_printf(to, "%s%s %s", before, gy_grouped(traits[i].count, n), traits[i].what);
        before = ", ";
    }
    if (before[0] == ',')
        gy_writer_text(to, "\n");
}

int gy_describe_trace(const struct gy_trace *t, const char *path, struct gy_writer *to, struct gy_error *err)
{
    struct facts f = {0};
    char a[48], b[48], n[32];

    if (collect(&f, t, err) != 0) {
        gy_sample_free(&f.run_s);
        return -1;
    }
    gy_describe_rows(t, path, to);
    if (t->jobs.n > 0) {
        gy_time_print_human(t->jobs.at[0].submit, a);
        gy_time_print_human(t->jobs.at[t->jobs.n - 1].submit, b);
        gy_writer_printf(to, "submits    from %s to %s%s%s\n", a, b, t->origin[0] == '\0' ? "" : " after ", t->origin);
        if (f.run_s.n > 0)
            print_quantiles(&f, to);
        gy_writer_printf(to, "work       %.1f GPU-hours; widest job %s GPUs\n", f.gpu_hours, gy_grouped(f.widest, n));
        print_ends(&f, to);
        print_traits(&f, to);
        gy_writer_text(to, "names     ");
        for (int i = 0; i < N_NAMES; i++)
            gy_writer_printf(to, "%s %s %s", i == 0 ? "" : ",", gy_grouped(f.names[i], n),
                             i == N_GPU_TYPES ? "GPU types" : name_words[i]);
        gy_writer_text(to, "\n");
        print_sizes(&f, t->jobs.n, to);
    }
    gy_sample_free(&f.run_s);
    return 0;
}

static void facts_json(struct facts *f, struct gy_json_out *o)
{
    gy_jo_object(o, "run_s");
    gy_jo_number(o, "mean", gy_sample_mean(&f->run_s));
    gy_jo_number(o, "p50", gy_sample_quantile(&f->run_s, 0.5));
    gy_jo_number(o, "p90", gy_sample_quantile(&f->run_s, 0.9));
    gy_jo_number(o, "p99", gy_sample_quantile(&f->run_s, 0.99));
    gy_jo_number(o, "max", gy_sample_max(&f->run_s));
    gy_jo_end(o, '}');
    gy_jo_number(o, "gpu_hours", f->gpu_hours);
    gy_jo_integer(o, "widest_gpus", f->widest);
    gy_jo_object(o, "states");
    for (int s = 0; s <= GY_REJECTED; s++)
        if (f->states[s] > 0)
            gy_jo_integer(o, gy_job_state_name((enum gy_job_state)s), (int64_t)f->states[s]);
    gy_jo_end(o, '}');
    gy_jo_integer(o, "with_limit", (int64_t)f->with_limit);
    gy_jo_integer(o, "past_limit", (int64_t)f->past_limit);
    gy_jo_integer(o, "fractions", (int64_t)f->fractions);
    gy_jo_integer(o, "with_nodes", (int64_t)f->with_nodes);
    gy_jo_integer(o, "with_dependencies", (int64_t)f->with_deps);
    gy_jo_integer(o, "endless", (int64_t)f->endless);
    for (int i = 0; i < N_NAMES; i++)
        gy_jo_integer(o, name_words[i], (int64_t)f->names[i]);
    gy_jo_object(o, "by_gpus");
    for (size_t i = 0; i < SIZES; i++) {
        gy_jo_object(o, size_names[i]);
        gy_jo_integer(o, "jobs", (int64_t)f->sizes[i]);
        gy_jo_number(o, "gpu_hours", f->sizes_gpu_hours[i]);
        gy_jo_end(o, '}');
    }
    gy_jo_end(o, '}');
}

int gy_describe_trace_json(const struct gy_trace *t, struct gy_writer *to, struct gy_error *err)
{
    struct gy_json_out o = {.to = to};
    struct facts f = {0};
    int rc = collect(&f, t, err);

    if (rc == 0) {
        gy_jo_object(&o, NULL);
        gy_describe_rows_json(t, &o);
        if (t->jobs.n > 0) {
            gy_jo_number(&o, "first_submit_s", gy_time_to_s(t->jobs.at[0].submit));
            gy_jo_number(&o, "last_submit_s", gy_time_to_s(t->jobs.at[t->jobs.n - 1].submit));
        }
        facts_json(&f, &o);
        gy_jo_end(&o, '}');
    }
    gy_sample_free(&f.run_s);
    return rc;
}
