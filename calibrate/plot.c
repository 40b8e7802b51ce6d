/* A picture of a validation: for each of up to eight sets a panel with the measured points and the predicted curve over
 * size (both axes logarithmic), and below it the residuals in per cent. Plain SVG, no fonts to fetch, no script. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gy_file.h"
#include "gy_fit.h"

#define PANELS 8
enum { WIDTH = 560, TOP = 250, BOTTOM = 110, GAP = 50, LEFT = 70, RIGHT = 20, HEAD = 50, LEGEND = 34 };

struct panel {
    const struct gy_meas_set *set;
    struct gy_coll_table table;
    struct gy_coll_except except;
    struct gy_line_fit line; /* with every third size left out, instead of the table */
    bool *held;              /* the sizes left out; NULL unless every third is */
    enum gy_valid_mode mode;
    double x0, x1, y0, y1, worst; /* log2 bytes, log10 µs, largest residual shown */
    double left, top;
};

static double predicted_us(const struct panel *p, double bytes)
{
    return p->held ? exp(gy_line_at(&p->line, log2(bytes))) : gy_coll_table_time(&p->table, bytes) * 1e6;
}

static double px(const struct panel *p, double bytes)
{
    return p->left + LEFT + (log2(bytes) - p->x0) / (p->x1 - p->x0) * (WIDTH - LEFT - RIGHT);
}

static double py(const struct panel *p, double us)
{
    return p->top + HEAD + TOP - (log10(us) - p->y0) / (p->y1 - p->y0) * TOP;
}

static double pr(const struct panel *p, double residual)
{
    double r = fmax(-p->worst, fmin(p->worst, residual));
    return p->top + HEAD + TOP + 30 + BOTTOM / 2.0 - r / p->worst * BOTTOM / 2;
}

/* "64K", "1M", "8G". */
static const char *size_name(double bytes, char buf[16])
{
    static const char units[] = " KMGT";
    int u = 0;
    while (bytes >= 1024 && u < 4) {
        bytes /= 1024;
        u++;
    }
    if (u)
        snprintf(buf, 16, "%.0f%c", bytes, units[u]);
    else
        snprintf(buf, 16, "%.0f", bytes);
    return buf;
}

/* "20 µs", "3 ms". */
static const char *time_name(double us, char buf[16])
{
    snprintf(buf, 16,
             us < 1e3   ? "%.0f µs"
             : us < 1e6 ? "%.0f ms"
                        : "%.0f s",
             us < 1e3   ? us
             : us < 1e6 ? us / 1e3
                        : us / 1e6);
    return buf;
}

static void escaped(struct gy_writer *w, const char *text)
{
    for (; *text; text++) {
        if (*text == '<' || *text == '&')
            gy_writer_text(w, *text == '<' ? "&lt;" : "&amp;");
        else if ((unsigned char)*text >= 32)
            gy_writer_put(w, text, 1);
    }
}

static void bounds(struct panel *p)
{
    p->x0 = p->y0 = INFINITY;
    p->x1 = p->y1 = -INFINITY;
    double worst = 0.1;
    for (size_t i = 0; i < p->set->rows.n; i++) {
        double us = gy_meas_time_us(p->set, i), x = log2(p->set->rows.at[i].bytes);
        double predicted = predicted_us(p, p->set->rows.at[i].bytes);
        p->x0 = fmin(p->x0, x);
        p->x1 = fmax(p->x1, x);
        p->y0 = fmin(p->y0, log10(fmin(us, predicted)));
        p->y1 = fmax(p->y1, log10(fmax(us, predicted)));
        if (!p->held || p->held[i])
            worst = fmax(worst, fabs(predicted / us - 1));
    }
    p->x0 -= 0.5;
    p->x1 += 0.5;
    p->y0 = floor(p->y0 * 2) / 2;
    p->y1 = ceil(p->y1 * 2) / 2;
    if (p->y1 <= p->y0)
        p->y1 = p->y0 + 0.5;
    p->worst = worst > 0.5 ? 1 : worst > 0.25 ? 0.5 : worst > 0.1 ? 0.25 : 0.1;
}

static void axes(struct gy_writer *w, const struct panel *p)
{
    char buf[16];
    double bottom = p->top + HEAD + TOP, right = p->left + WIDTH - RIGHT;
    for (double d = ceil(p->y0); d <= p->y1 + 1e-9; d++) {
        double y = py(p, pow(10, d));
        gy_writer_printf(w, "<line class='g' x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f'/>", p->left + LEFT, y, right, y);
        gy_writer_printf(w, "<text class='a' text-anchor='end' x='%.1f' y='%.1f'>%s</text>\n", p->left + LEFT - 6,
                         y + 4, time_name(pow(10, d), buf));
    }
    double span = p->x1 - p->x0, step = span > 24 ? 5 : span > 12 ? 3 : span > 5 ? 2 : 1;
    for (double x = ceil(p->x0 / step) * step; x <= p->x1; x += step) {
        double at = px(p, exp2(x));
        gy_writer_printf(w, "<line class='g' x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f'/>", at, p->top + HEAD, at, bottom);
        gy_writer_printf(w, "<text class='a' text-anchor='middle' x='%.1f' y='%.1f'>%s</text>\n", at, bottom + 16,
                         size_name(exp2(x), buf));
    }
    gy_writer_printf(w, "<rect class='f' x='%.1f' y='%.1f' width='%d' height='%d'/>\n", p->left + LEFT, p->top + HEAD,
                     WIDTH - LEFT - RIGHT, TOP);
    gy_writer_printf(w, "<rect class='f' x='%.1f' y='%.1f' width='%d' height='%d'/>\n", p->left + LEFT, bottom + 30,
                     WIDTH - LEFT - RIGHT, BOTTOM);
    for (int k = -1; k <= 1; k++)
        gy_writer_printf(w, "<text class='a' text-anchor='end' x='%.1f' y='%.1f'>%+.0f %%</text>\n", p->left + LEFT - 6,
                         pr(p, k * p->worst) + 4, 100 * k * p->worst);
    gy_writer_printf(w, "<line class='z' x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f'/>\n", p->left + LEFT, pr(p, 0), right,
                     pr(p, 0));
}

static void draw(struct gy_writer *w, const struct panel *p)
{
    const struct gy_meas_set *s = p->set;
    gy_writer_printf(w, "<text class='t' x='%.1f' y='%.1f'>%s, %u × %u %s%s%s</text>\n", p->left + LEFT, p->top + 20,
                     gy_coll_op_name(s->op), s->nodes, s->gpus_per_node, s->hardware, *s->fabric ? ", " : "",
                     s->fabric);
    gy_writer_printf(w, "<text class='a' x='%.1f' y='%.1f'>", p->left + LEFT, p->top + 38);
    escaped(w, s->system);
    if (s->algo != GY_ALGO_AUTO)
        gy_writer_printf(w, ", %s forced", gy_coll_algo_name(s->algo));
    static const char *const left[] = {", prior alone", "", ", this system left out", ", every third left out"};
    gy_writer_printf(w, "%s%s</text>\n", s->degraded ? ", called degraded" : "", left[p->mode]);
    axes(w, p);
    gy_writer_text(w, "<polyline class='c' points='");
    for (double x = p->x0 + 0.5; x <= p->x1 - 0.5 + 1e-9; x += 0.25)
        gy_writer_printf(w, "%.1f,%.1f ", px(p, exp2(x)), py(p, predicted_us(p, exp2(x))));
    gy_writer_text(w, "'/>\n");
    for (size_t i = 0; i < s->rows.n; i++) {
        double bytes = s->rows.at[i].bytes, us = gy_meas_time_us(s, i);
        double residual = predicted_us(p, bytes) / us - 1;
        gy_writer_printf(w, "<circle class='p' cx='%.1f' cy='%.1f' r='3'/>", px(p, bytes), py(p, us));
        if (p->held && !p->held[i])
            continue;
        gy_writer_printf(w, "<line class='r' x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f'/>", px(p, bytes), pr(p, 0),
                         px(p, bytes), pr(p, residual));
        gy_writer_printf(w, "<circle class='q' cx='%.1f' cy='%.1f' r='2.5'/>\n", px(p, bytes), pr(p, residual));
    }
}

/* 0, or 1 where the set has no curve to draw. */
static int panel_init(struct panel *p, const struct gy_calibration *cal, const struct gy_meas_set *s,
                      struct gy_arena *arena, enum gy_valid_mode mode, struct gy_error *err)
{
    struct gy_coll_query q;
    int known = gy_set_query(s, arena, &q, err);
    if (known)
        return known < 0 ? -1 : 1;
    p->set = s;
    p->mode = mode;
    p->except = (struct gy_coll_except){.system = s->system};
    if (mode != GY_VALID_THIRD)
        return gy_coll_table_init(&p->table, mode == GY_VALID_PRIOR ? NULL : cal, &q,
                                  mode == GY_VALID_LEAVE_SYSTEM ? &p->except : NULL, err);
    if (s->rows.n < 4)
        return 1;
    p->held = calloc(s->rows.n, sizeof *p->held);
    return p->held ? gy_third_line(s, &p->line, p->held, err) : gy_nomem(err);
}

int gy_validation_plot(const struct gy_calibration *cal, const struct gy_measurements *m, enum gy_valid_mode mode,
                       const char *path, struct gy_error *err)
{
    struct panel *panel = calloc(PANELS, sizeof *panel);
    struct gy_arena arena = GY_ARENA_INIT;
    size_t n = 0;
    int rc = panel ? 0 : gy_nomem(err);
    for (size_t i = 0; !rc && i < m->sets.n && n < PANELS; i++) {
        int got = panel_init(&panel[n], cal, &m->sets.at[i], &arena, mode, err);
        rc = got < 0 ? -1 : 0;
        if (got)
            continue;
        bounds(&panel[n]);
        n++;
    }
    if (!rc && !n)
        rc = gy_fail(err, GY_EINPUT, NULL,
                     "no set to plot: known hardware, and four sizes where every third is left out");
    struct gy_writer *w = rc ? NULL : gy_writer_open(path, err);
    if (w) {
        size_t columns = n > 1 ? 2 : 1, rows = (n + columns - 1) / columns;
        int height = HEAD + TOP + 30 + BOTTOM + GAP;
        gy_writer_printf(
            w,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%zu' height='%zu' font-family='sans-serif'>\n"
            "<style>.t{font-size:15px;font-weight:bold;fill:#222}.a{font-size:12px;fill:#444}"
            ".g{stroke:#ddd}.f{fill:none;stroke:#888}.z{stroke:#888}.c{fill:none;stroke:#c8102e;stroke-width:1.6}"
            ".p{fill:none;stroke:#1f5fa8;stroke-width:1.4}.q{fill:#1f5fa8}.r{stroke:#9bbbe0;stroke-width:2}"
            "</style>\n<rect width='100%%' height='100%%' fill='white'/>\n",
            columns * WIDTH + 20, rows * (size_t)height + LEGEND);
        gy_writer_printf(
            w,
            "<circle class='p' cx='%d' cy='16' r='3'/><text class='a' x='%d' y='20'>measured</text>"
            "<line class='c' x1='%d' y1='16' x2='%d' y2='16'/><text class='a' x='%d' y='20'>predicted</text>"
            "<circle class='q' cx='%d' cy='16' r='2.5'/><text class='a' x='%d' y='20'>predicted / measured "
            "- 1; time over bytes above</text>\n",
            LEFT, LEFT + 10, LEFT + 90, LEFT + 115, LEFT + 122, LEFT + 200, LEFT + 210);
        for (size_t i = 0; i < n; i++) {
            panel[i].left = (double)(i % columns) * WIDTH;
            panel[i].top = LEGEND + (double)(i / columns) * height;
            draw(w, &panel[i]);
        }
        gy_writer_text(w, "</svg>\n");
        rc = gy_writer_commit(w, err);
    } else
        rc = -1;
    gy_arena_free(&arena);
    for (size_t i = 0; panel && i < PANELS; i++)
        free(panel[i].held);
    free(panel);
    return rc;
}
