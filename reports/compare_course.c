/* The courses of several runs as sparklines under each other. Reads timeline.csv. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gy_compare.h"
#include "gy_file.h"
#include "gy_history.h"
#include "gy_str.h"

struct sample {
    double at, total, allocated, waiting;
};
struct course {
    GY_VEC(struct sample) samples;
};

static int add_sample(void *ctx, const char *const *field, struct gy_error *err)
{
    struct course *c = ctx;
    const struct sample s = {atof(field[0]), atof(field[1]), atof(field[2]), atof(field[3])};
    return gy_vec_push(&c->samples, s) ? 0 : gy_nomem(err);
}

static int read_courses(const struct gy_run *runs, size_t n, struct course *c, struct gy_error *err)
{
    static const char *const columns[] = {"time_s", "gpus_total", "gpus_allocated", "gpus_pending"};
    char path[4096];
    for (size_t i = 0; i < n; i++)
        if (gy_history_has(&runs[i], "timeline.csv") &&
            gy_rows_read(gy_history_path(&runs[i], "timeline.csv", path, sizeof path), columns, 4, add_sample, &c[i],
                         err))
            return -1;
    return 0;
}

/* One line: the mean of the samples in each column of [from, to], as a part of most. */
static void line(const struct course *c, bool waiting, double from, double to, double most, int columns,
                 struct gy_writer *w)
{
    size_t at = 0;
    for (int k = 0; k < columns; k++) {
        const double end = from + (to - from) * (k + 1) / columns;
        double sum = 0;
        size_t n = 0;
        for (; at < c->samples.n && (c->samples.at[at].at < end || k + 1 == columns); at++, n++)
            sum += waiting ? c->samples.at[at].waiting : c->samples.at[at].allocated;
        gy_writer_spark(w, n ? sum / (double)n / most : NAN, true);
    }
    gy_writer_text(w, "\n");
}

int gy_comparison_courses(const struct gy_run *runs, size_t n, int label_columns, int columns, struct gy_writer *to,
                          struct gy_error *err)
{
    static const char *const heads[] = {"GPUs allocated over time", "GPUs waited for over time"};
    struct course *c = calloc(n ? n : 1, sizeof *c);
    int rc = c ? read_courses(runs, n, c, err) : gy_nomem(err);
    char label[256];
    double from = INFINITY, end = -INFINITY, most[2] = {0, 0};
    for (size_t i = 0; c && i < n; i++)
        for (size_t k = 0; k < c[i].samples.n; k++) {
            const struct sample *s = &c[i].samples.at[k];
            from = fmin(from, s->at);
            end = fmax(end, s->at);
            most[0] = fmax(most[0], s->total);
            most[1] = fmax(most[1], s->waiting);
        }
    for (int what = 0; !rc && end > from && what < 2; what++) {
        if (!(most[what] > 0))
            continue;
        gy_writer_printf(to, "\n%s (full height: %.0f)\n", heads[what], most[what]);
        for (size_t i = 0; i < n; i++)
            if (c[i].samples.n) {
                const size_t len = strlen(runs[i].path), most_bytes = (size_t)label_columns - 2;
                gy_visible(runs[i].path, len < most_bytes ? len : most_bytes, label, sizeof label);
                gy_writer_printf(to, "%-*.*s", label_columns, label_columns - 2, label);
                line(&c[i], what == 1, from, end, most[what], columns, to);
            }
    }
    for (size_t i = 0; c && i < n; i++)
        gy_vec_free(&c[i].samples);
    free(c);
    return rc;
}
