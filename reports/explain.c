/* Why a run's utilisation is what it is: the GPU-hours that no job held, by cause. */
#include "gy_explain.h"
#include <math.h>
#include <string.h>
#include "gy_file.h"
#include "gy_json.h"

static const struct {
    const char *word, *means;
} reasons[] = {
    {"no_work", "no job in the queue wanted them"},
    {"not_eligible", "the jobs that wanted them waited for others, for a place in their array, or after a preemption"},
    {"resources", "more was asked for than was free"},
    {"fragmentation", "enough was free in all, but in pieces too small"},
    {"reservation", "kept free for a job with a planned start"},
    {"quota", "the team or user was at its limit"},
    {"topology", "free, but not close enough together"},
    {"gang", "not all parts of the job could start at once"},
    {"held", "the job was held"},
    {"down", "nodes that it needs were down"},
    {"priority", "other jobs stood before it"},
    {"waiting", "the policy told no reason"},
    {"dependency", "it waited for jobs that it depends on"},
    {"drained", "on nodes that took no new work"},
    {"failed", "on nodes that were down"},
};

const char *gy_explain_reason(const char *word)
{
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (strcmp(reasons[i].word, word) == 0)
            return reasons[i].means;
    return word;
}

static const char prefix[] = "unused_gpu_hours.";

static double value_of(const struct gy_run *run, const char *name)
{
    const struct gy_run_metric *m = gy_run_metric(run, name);
    return m ? m->value : NAN;
}

struct cause {
    const char *word;
    double hours;
};

static size_t causes_of(const struct gy_run *run, struct cause *out, size_t most)
{
    size_t n = 0;
    for (size_t i = 0; i < run->metrics.n && n < most; i++) {
        const struct gy_run_metric *m = &run->metrics.at[i];
        if (strncmp(m->name, prefix, sizeof prefix - 1) == 0 && !m->group && !isnan(m->value))
            out[n++] = (struct cause){m->name + sizeof prefix - 1, m->value};
    }
    for (size_t i = 1; i < n; i++) /* by size, equal ones as they came */
        for (size_t k = i; k > 0 && out[k].hours > out[k - 1].hours; k--) {
            const struct cause x = out[k];
            out[k] = out[k - 1];
            out[k - 1] = x;
        }
    return n;
}

static void put_text(const struct gy_run *run, const struct cause *c, size_t n, double sum, struct gy_writer *to)
{
    const double total = value_of(run, "gpu_hours.total"), allocated = value_of(run, "gpu_hours.allocated");
    char label[600];

    gy_visible(run->label, strlen(run->label), label, sizeof label);
    gy_writer_printf(to, "%s: %.1f %% of the available GPU time was allocated\n\n", label,
                     100 * value_of(run, "utilization.allocated"));
    gy_writer_printf(to, "%14s  %7s\n", "GPU-hours", "of all");
    gy_writer_printf(to, "%14.2f  %6.2f%%  held by jobs\n", allocated, 100 * allocated / total);
    for (size_t i = 0; i < n; i++)
        if (c[i].hours > 0)
            gy_writer_printf(to, "%14.2f  %6.2f%%  %-14s %s\n", c[i].hours, 100 * c[i].hours / total, c[i].word,
                             gy_explain_reason(c[i].word));
    gy_writer_printf(to, "%14.2f  %6.2f%%  in all\n\n", total, 100.0);
    gy_writer_printf(to, "The causes add up to %.6f GPU-hours; free and down are %.6f.\n", sum,
                     value_of(run, "gpu_hours.free") + value_of(run, "gpu_hours.down"));
}

static void put_json(const struct gy_run *run, const struct cause *c, size_t n, double sum, struct gy_writer *to)
{
    struct gy_json_out o = {.to = to};

    gy_jo_object(&o, NULL);
    gy_jo_string(&o, "run", run->label);
    gy_jo_number(&o, "total_gpu_hours", value_of(run, "gpu_hours.total"));
    gy_jo_number(&o, "allocated_gpu_hours", value_of(run, "gpu_hours.allocated"));
    gy_jo_number(&o, "unused_gpu_hours", sum);
    gy_jo_array(&o, "causes");
    for (size_t i = 0; i < n; i++) {
        gy_jo_object(&o, NULL);
        gy_jo_string(&o, "cause", c[i].word);
        gy_jo_number(&o, "gpu_hours", c[i].hours);
        gy_jo_string(&o, "means", gy_explain_reason(c[i].word));
        gy_jo_end(&o, '}');
    }
    gy_jo_end(&o, ']');
    gy_jo_end(&o, '}');
}

int gy_explain_run(const struct gy_run *run, bool json, struct gy_writer *to, struct gy_error *err)
{
    struct cause c[64];
    const size_t n = causes_of(run, c, 64);
    double sum = 0;

    if (n == 0)
        return gy_fail(err, GY_EINPUT, run->path, "this run has no GPU-hours to explain");
    for (size_t i = n; i-- > 0;)
        sum += c[i].hours;
    if (json)
        put_json(run, c, n, sum, to);
    else
        put_text(run, c, n, sum, to);
    return 0;
}
