/* The tables of the terminal summary: spreads, size classes, thresholds; and what every part prints with. */
#include "terminal_page.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gy_file.h"

void page_paint(const struct page *p, enum paint as)
{
    static const char *const code[] = {"0", "1", "2", "32", "1;31", "33"};
    if (p->style->colour)
        gy_writer_printf(p->to, "\x1b[%sm", code[as]);
}

void page_painted(const struct page *p, enum paint as, const char *text)
{
    if (as != PLAIN)
        page_paint(p, as);
    gy_writer_text(p->to, text);
    if (as != PLAIN)
        page_paint(p, PLAIN);
}

void page_label(const struct page *p, const char *text)
{
    page_paint(p, DIM);
    gy_writer_printf(p->to, "%-14s", text);
    page_paint(p, PLAIN);
}

double page_value(const struct page *p, const char *name)
{
    struct gy_metric m;
    gy_account_metric(p->a, name, &m);
    return m.value;
}

void page_spreads(const struct page *p)
{
    static const struct {
        const char *name, *text;
        bool time;
    } rows[] = {{"wait_s", "Wait", true},
                {"jct_s", "JCT", true},
                {"slowdown", "Slowdown", false},
                {"bounded_slowdown", "  bounded", false}};
    static const char *const all[] = {"mean", "p50", "p90", "p95", "p99", "max"}, *const few[] = {"mean", "p50", "max"};
    const bool narrow = p->style->width < 68;
    const char *const *parts = narrow ? few : all;
    const size_t n_parts = narrow ? 3 : 6;
    char name[64], buf[32];
    const int column = narrow ? 8 : (p->style->width - 14) / 6 < 11 ? (p->style->width - 14) / 6 : 11;

    if (isnan(page_value(p, "wait_s.mean")))
        return;
    page_paint(p, DIM);
    gy_writer_printf(p->to, "\n%14s", "");
    for (size_t i = 0; i < n_parts; i++)
        gy_writer_printf(p->to, "%*s", column, parts[i]);
    page_paint(p, PLAIN);
    gy_writer_text(p->to, "\n");
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        page_label(p, rows[r].text);
        for (size_t i = 0; i < n_parts; i++) {
            snprintf(name, sizeof name, "%s.%s", rows[r].name, parts[i]);
            const double v = page_value(p, name);
            gy_writer_printf(p->to, "%*s", column, rows[r].time ? gy_print_duration(v, buf) : gy_print_amount(v, buf));
        }
        gy_writer_text(p->to, "\n");
    }
}

/* One row of the table by size; as many columns as fit. */
static void print_size_row(const struct page *p, const char *const *cell, size_t n)
{
    static const int width[] = {-10, 10, 11, 12, 11, 11, 11};
    int used = 0;

    for (size_t i = 0; i < n; i++) {
        used += abs(width[i]);
        if (used > p->style->width)
            break;
        gy_writer_printf(p->to, "%*s", width[i], cell[i]);
    }
    gy_writer_text(p->to, "\n");
}

void page_sizes(const struct page *p)
{
    static const char *const head[] = {"GPUs a job", "jobs",     "wait mean", "GPU-hours",
                                       "wait p50",   "wait p95", "JCT p50"};
    const struct gy_grouping *g = gy_account_groups(p->a, GY_BY_SIZE);
    char buf[6][32];

    if (!g || g->n < 2)
        return;
    gy_writer_text(p->to, "\n");
    page_paint(p, DIM);
    print_size_row(p, head, 7);
    page_paint(p, PLAIN);
    for (size_t i = 0; i < g->n; i++) {
        const struct gy_group *x = &g->at[i];
        const char *const cell[] = {x->name,
                                    gy_print_count((double)x->jobs[GY_N_SUBMITTED], buf[0]),
                                    gy_print_duration(x->wait_s.mean, buf[1]),
                                    gy_print_amount(x->allocated, buf[2]),
                                    gy_print_duration(x->wait_s.p50, buf[3]),
                                    gy_print_duration(x->wait_s.p95, buf[4]),
                                    gy_print_duration(x->jct_s.p50, buf[5])};
        print_size_row(p, cell, 7);
    }
}

/* A bound or value of a metric; times also as a person says them. */
static void print_value(const struct page *p, const char *metric, double v)
{
    const char *s = strstr(metric, "_s.");
    const size_t n = strlen(metric);
    char buf[32];

    gy_writer_printf(p->to, "%.6g", v);
    if (s || (n > 2 && strcmp(metric + n - 2, "_s") == 0))
        gy_writer_printf(p->to, " (%s)", gy_print_duration(v, buf));
}

void page_verdicts(const struct page *p, const struct gy_verdict *v, size_t n)
{
    const int names = p->style->width < 90 ? p->style->width / 2 - 6 : 40;

    if (n)
        gy_writer_text(p->to, "\n");
    for (size_t i = 0; i < n; i++) {
        page_painted(p, v[i].ok ? GREEN : RED, v[i].ok ? "pass  " : "FAIL  ");
        gy_print_fitted(p->to, v[i].metric, names, true);
        gy_writer_text(p->to, " ");
        if (isnan(v[i].value))
            gy_writer_text(p->to, "no value in this run");
        else
            print_value(p, v[i].metric, v[i].value);
        if (!isnan(v[i].min)) {
            gy_writer_text(p->to, ", at least ");
            print_value(p, v[i].metric, v[i].min);
        }
        if (!isnan(v[i].max)) {
            gy_writer_text(p->to, ", at most ");
            print_value(p, v[i].metric, v[i].max);
        }
        gy_writer_text(p->to, "\n");
    }
}
