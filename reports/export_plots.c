/* The main plots for slides, without a browser: GPUs over time, waits, unused GPU-hours by cause. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "draw.h"
#include "gy_explain.h"
#include "gy_export.h"
#include "gy_file.h"

static const double WIDTH = 1200, HEIGHT = 1010, LEFT = 90, RIGHT = 1170;
static const char ink[] = "#1b1f24", soft[] = "#59626c", line[] = "#dfe2dd", blue[] = "#0a6aa8", amber[] = "#c58a00",
                  pale[] = "#e1e4de", dark[] = "#33383f", orange[] = "#d1600a";

struct plots {
    const struct gy_draw_type *type;
    struct gy_draw *d;
    GY_VEC(double) time, busy, held, up, total; /* of the samples */
    double most;
};

static int add_sample(void *ctx, const char *const *f, struct gy_error *err)
{
    struct plots *p = ctx;
    double v[5];

    for (int i = 0; i < 5; i++)
        v[i] = strtod(f[i], NULL);
    p->most = fmax(p->most, v[1]);
    return gy_vec_push(&p->time, v[0]) && gy_vec_push(&p->total, v[1]) && gy_vec_push(&p->up, v[1] - v[2]) &&
                   gy_vec_push(&p->held, v[3]) && gy_vec_push(&p->busy, v[4])
               ? 0
               : gy_nomem(err);
}

static void axis(struct plots *p, double top, double bottom, double most, const char *unit)
{
    char text[48];

    for (int i = 0; i <= 4; i++) {
        const double y = bottom - (bottom - top) * i / 4;
        p->type->rect(p->d, LEFT, y, RIGHT - LEFT, 1, line);
        snprintf(text, sizeof text, "%.4g%s", most * i / 4, unit);
        p->type->text(p->d, LEFT - 8, y + 4, 12, 1, soft, text);
    }
}

/* A stepped area from the axis up to the values, thinned to two points a pixel by its largest value. */
static int area(struct plots *p, const double *value, double top, double bottom, const char *colour,
                struct gy_error *err)
{
    GY_VEC(double) xy = {0};
    const size_t n = p->time.n;
    const double t0 = p->time.at[0], span = fmax(1, p->time.at[n - 1] - t0);
    bool good = gy_vec_push(&xy, LEFT) && gy_vec_push(&xy, bottom);

    for (size_t i = 0; good && i < n;) {
        const double x = LEFT + (RIGHT - LEFT) * (p->time.at[i] - t0) / span;
        double v = value[i];
        for (i++; i < n && LEFT + (RIGHT - LEFT) * (p->time.at[i] - t0) / span < x + 0.5; i++)
            v = fmax(v, value[i]);
        const double y = bottom - (bottom - top) * v / fmax(1, p->most);
        const double next = i < n ? LEFT + (RIGHT - LEFT) * (p->time.at[i] - t0) / span : RIGHT;
        good = gy_vec_push(&xy, x) && gy_vec_push(&xy, y) && gy_vec_push(&xy, next) && gy_vec_push(&xy, y);
    }
    good = good && gy_vec_push(&xy, RIGHT) && gy_vec_push(&xy, bottom);
    if (good)
        p->type->path(p->d, xy.at, xy.n / 2, colour, 0);
    gy_vec_free(&xy);
    return good ? 0 : gy_nomem(err);
}

static void legend(struct plots *p, double y, const char *const *names, const char *const *colours, int n)
{
    double x = RIGHT - 95.0 * n;
    for (int i = 0; i < n; i++, x += 95) {
        p->type->rect(p->d, x, y - 10, 11, 11, colours[i]);
        p->type->text(p->d, x + 17, y, 13, -1, soft, names[i]);
    }
}

static int draw_use(struct plots *p, const struct gy_run *run, struct gy_error *err)
{
    static const char *const columns[] = {"time_s", "gpus_total", "gpus_down", "gpus_allocated", "gpus_busy"};
    static const char *const names[] = {"busy", "held, idle", "free", "down"}, *const colours[] = {blue, amber, pale,
                                                                                                   dark};
    char path[4096], text[64];
    const double top = 130, bottom = 400;

    p->type->text(p->d, LEFT, 108, 17, -1, ink, "GPUs over time");
    if (gy_history_has(run, "timeline.csv") &&
        gy_rows_read(gy_history_path(run, "timeline.csv", path, sizeof path), columns, 5, add_sample, p, err))
        return -1;
    if (p->time.n == 0) {
        p->type->text(p->d, LEFT, 150, 14, -1, soft, "this run wrote no timeline (output.timeline_s)");
        return 0;
    }
    legend(p, 108, names, colours, 4);
    if (area(p, p->total.at, top, bottom, dark, err) || area(p, p->up.at, top, bottom, pale, err) ||
        area(p, p->held.at, top, bottom, amber, err) || area(p, p->busy.at, top, bottom, blue, err))
        return -1;
    axis(p, top, bottom, p->most, "");
    for (int i = 0; i <= 6; i++) {
        const double t = p->time.at[0] + (p->time.at[p->time.n - 1] - p->time.at[0]) * i / 6;
        snprintf(text, sizeof text, "day %.1f", t / 86400);
        p->type->text(p->d, LEFT + (RIGHT - LEFT) * i / 6, bottom + 20, 12, i == 0 ? -1 : i == 6 ? 1 : 0, soft, text);
    }
    return 0;
}

static int by_value(const void *a, const void *b)
{
    const gy_time x = *(const gy_time *)a, y = *(const gy_time *)b;
    return (x > y) - (x < y);
}

static int draw_waits(struct plots *p, const struct gy_history *h, struct gy_error *err)
{
    static const double ticks[] = {1, 10, 60, 600, 3600, 21600, 86400, 604800, 2592000};
    static const char *const names[] = {"1 s", "10 s", "1 min", "10 min", "1 h", "6 h", "1 d", "7 d", "30 d"};
    GY_VEC(gy_time) w = {0};
    double xy[2 * 401], most = 10;
    const double top = 480, bottom = 700;

    for (size_t i = 0; i < h->jobs.n; i++)
        if (h->jobs.at[i].wait != GY_NONE && !gy_vec_push(&w, h->jobs.at[i].wait))
            return gy_nomem(err);
    p->type->text(p->d, LEFT, top - 22, 17, -1, ink, "Share of jobs that waited at most so long");
    if (w.n) {
        qsort(w.at, w.n, sizeof *w.at, by_value);
        most = fmax(most, gy_time_to_s(w.at[w.n - 1]));
        size_t at = 0;
        for (int i = 0; i <= 400; i++) {
            const double s = exp(log(most) * i / 400);
            while (at < w.n && gy_time_to_s(w.at[at]) <= s * (1 + 1e-12))
                at++;
            xy[2 * i] = LEFT + (RIGHT - LEFT) * i / 400;
            xy[2 * i + 1] = bottom - (bottom - top) * (double)at / (double)w.n;
        }
        axis(p, top, bottom, 100, " %");
        p->type->path(p->d, xy, 401, blue, 2.5);
        for (size_t i = 0; i < sizeof ticks / sizeof *ticks && ticks[i] <= most; i++)
            p->type->text(p->d, LEFT + (RIGHT - LEFT) * log(ticks[i]) / log(most), bottom + 20, 12, i == 0 ? -1 : 0,
                          soft, names[i]);
    }
    gy_vec_free(&w);
    return 0;
}

static void draw_unused(struct plots *p, const struct gy_run *run)
{
    static const char prefix[] = "unused_gpu_hours.";
    const struct gy_run_metric *total = gy_run_metric(run, "gpu_hours.total");
    double y = 790, most = 0;
    char text[160];

    p->type->text(p->d, LEFT, 768, 17, -1, ink, "GPU-hours that no job held, by cause");
    for (size_t i = 0; i < run->metrics.n; i++)
        if (strncmp(run->metrics.at[i].name, prefix, sizeof prefix - 1) == 0 && run->metrics.at[i].value > most)
            most = run->metrics.at[i].value;
    for (size_t i = 0; i < run->metrics.n && y < HEIGHT - 30; i++) {
        const struct gy_run_metric *m = &run->metrics.at[i];
        if (strncmp(m->name, prefix, sizeof prefix - 1) != 0 || m->group || !(m->value > 0))
            continue;
        const char *cause = m->name + sizeof prefix - 1;
        p->type->text(p->d, LEFT + 110, y + 13, 13, 1, ink, cause);
        p->type->rect(p->d, LEFT + 120, y, 600 * m->value / most, 17,
                      strcmp(cause, "no_work") == 0 ? "#b9beb6" : orange);
        snprintf(text, sizeof text, "%.0f (%.1f %%)", m->value, total ? 100 * m->value / total->value : NAN);
        p->type->text(p->d, LEFT + 128 + 600 * m->value / most, y + 13, 13, -1, soft, text);
        y += 24;
    }
}

static int draw_all(struct plots *p, const struct gy_run *run, const struct gy_history *h, struct gy_error *err)
{
    const struct gy_run_metric *used = gy_run_metric(run, "utilization.allocated");
    char label[512], text[96];

    gy_visible(run->label, strlen(run->label) < 90 ? strlen(run->label) : 90, label, sizeof label);
    p->type->rect(p->d, 0, 0, WIDTH, HEIGHT, "#ffffff");
    p->type->text(p->d, LEFT, 48, 26, -1, ink, label);
    snprintf(text, sizeof text, "%zu jobs, %.1f %% of the available GPU time allocated", h->jobs.n,
             used ? 100 * used->value : NAN);
    p->type->text(p->d, LEFT, 72, 14, -1, soft, text);
    if (draw_use(p, run, err) || draw_waits(p, h, err))
        return -1;
    draw_unused(p, run);
    return 0;
}

static int write_plots(const struct gy_draw_type *type, const struct gy_run *run, const char *path,
                       struct gy_error *err)
{
    struct gy_history h;
    struct plots p = {.type = type};
    struct gy_error ignored = {0};

    if (gy_history_load(run, &h, err))
        return -1;
    p.d = type->open(path, WIDTH, HEIGHT, err);
    int rc = p.d ? draw_all(&p, run, &h, err) : -1;
    if (p.d && type->close(p.d, rc ? &ignored : err))
        rc = -1;
    gy_vec_free(&p.time);
    gy_vec_free(&p.busy);
    gy_vec_free(&p.held);
    gy_vec_free(&p.up);
    gy_vec_free(&p.total);
    gy_history_free(&h);
    return rc;
}

static int write_svg(const struct gy_run *run, const char *path, struct gy_error *err)
{
    return write_plots(&gy_draw_svg, run, path, err);
}

static int write_png(const struct gy_run *run, const char *path, struct gy_error *err)
{
    if (gy_draw_png())
        return write_plots(gy_draw_png(), run, path, err);
    gy_fail(err, GY_EIO, NULL, "this gpuyard was built without cairo, so it writes no PNG");
    return gy_hint(err, "use --format svg, or build again where cairo's development files are installed");
}

const struct gy_export_type gy_export_svg = {
    .name = "svg", .summary = "The main plots as SVG", .suffix = ".svg", .write = write_svg};
const struct gy_export_type gy_export_png = {
    .name = "png", .summary = "The main plots as PNG", .suffix = ".png", .write = write_png};
