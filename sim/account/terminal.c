/* The summary table: one function a section, in the order in which a person asks. */
#include "gy_terminal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gy_file.h"

struct page {
    const struct gy_account *a;
    const struct gy_run_facts *facts;
    const struct gy_terminal_style *style;
    struct gy_writer *to;
};

enum paint { PLAIN, BOLD, DIM, GREEN, RED, YELLOW };

static void paint(const struct page *p, enum paint as)
{
    static const char *const code[] = {"0", "1", "2", "32", "1;31", "33"};
    if (p->style->colour)
        gy_writer_printf(p->to, "\x1b[%sm", code[as]);
}

static void painted(const struct page *p, enum paint as, const char *text)
{
    paint(p, as);
    gy_writer_text(p->to, text);
    paint(p, PLAIN);
}

static void label(const struct page *p, const char *text)
{
    paint(p, DIM);
    gy_writer_printf(p->to, "%-14s", text);
    paint(p, PLAIN);
}

static double value(const struct page *p, const char *name)
{
    struct gy_metric m;
    gy_account_metric(p->a, name, &m);
    return m.value;
}

static void print_title(const struct page *p)
{
    const struct gy_run_facts *f = p->facts;
    char line[512];

    paint(p, BOLD);
    gy_print_fitted(p->to, f->name && *f->name ? f->name : "run", p->style->width, false);
    paint(p, PLAIN);
    gy_writer_text(p->to, "\n");
    const char *const part[][2] = {{"Cluster", f->cluster}, {"Trace", f->trace}, {"Policy", f->policy}};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        if (!part[i][1])
            continue;
        label(p, part[i][0]);
        snprintf(line, sizeof line, "%s", part[i][1]);
        gy_print_fitted(p->to, line, p->style->width - 14, false);
        gy_writer_text(p->to, "\n");
    }
}

/* "name value" pairs after a label, wrapped under it. */
struct flow {
    const struct page *p;
    int used;
};

static void flow_start(struct flow *f, const struct page *p, const char *name)
{
    *f = (struct flow){p, 14};
    label(p, name);
}

static void flow_add(struct flow *f, const char *text, enum paint as)
{
    const int n = (int)strlen(text) + (f->used > 14 ? 3 : 0);
    if (f->used > 14 && f->used + n > f->p->style->width) {
        gy_writer_printf(f->p->to, "\n%14s", "");
        f->used = 14;
    }
    if (f->used > 14)
        gy_writer_text(f->p->to, "   ");
    painted(f->p, as, text);
    f->used += (int)strlen(text) + (f->used > 14 ? 3 : 0);
}

static void flow_end(const struct flow *f)
{
    gy_writer_text(f->p->to, "\n");
}

static void print_jobs(const struct page *p)
{
    static const struct {
        const char *name, *text;
        enum paint as;
        bool always;
    } parts[] = {{"jobs.submitted", "submitted", PLAIN, true}, {"jobs.completed", "completed", PLAIN, true},
                 {"jobs.failed", "failed", PLAIN, false},      {"jobs.cancelled", "cancelled", PLAIN, false},
                 {"jobs.timeout", "timeout", PLAIN, false},    {"jobs.pending", "pending", YELLOW, false},
                 {"jobs.running", "running", PLAIN, false}};
    char text[128], buf[32];
    struct flow f;

    flow_start(&f, p, "Jobs");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const double n = value(p, parts[i].name);
        if (n == 0 && !parts[i].always)
            continue;
        snprintf(text, sizeof text, "%s %s", gy_print_count(n, buf), parts[i].text);
        flow_add(&f, text, parts[i].as);
    }
    flow_end(&f);
}

static void print_span(const struct page *p)
{
    struct gy_metric m = {.word = NULL};
    char text[128], buf[32];
    struct flow f;

    flow_start(&f, p, "Makespan");
    flow_add(&f, gy_print_duration(value(p, "makespan_s"), buf), PLAIN);
    if (gy_account_metric(p->a, "steady_state", &m) && m.word) {
        snprintf(text, sizeof text, "%s (offered load %s)", m.word, gy_print_amount(value(p, "offered_load"), buf));
        flow_add(&f, text, strcmp(m.word, "stable") == 0 ? PLAIN : YELLOW);
    }
    static const char *const churn[] = {"preemptions", "restarts", "resizes"};
    for (size_t i = 0; i < sizeof churn / sizeof *churn; i++)
        if (value(p, churn[i]) > 0) {
            snprintf(text, sizeof text, "%s %s", gy_print_count(value(p, churn[i]), buf), churn[i]);
            flow_add(&f, text, PLAIN);
        }
    flow_end(&f);
}

static void print_bar(const struct page *p, double part, int columns)
{
    static const char *const eighths[] = {"", "\u258f", "\u258e", "\u258d", "\u258c", "\u258b", "\u258a", "\u2589"};
    const int n = (int)rint(fmin(fmax(part, 0), 1) * columns * 8);
    int used = n / 8;

    for (int i = 0; i < n / 8; i++)
        gy_writer_text(p->to, p->style->terminal ? "\u2588" : "#");
    if (p->style->terminal && n % 8) {
        gy_writer_text(p->to, eighths[n % 8]);
        used++;
    }
    for (; used < columns; used++)
        gy_writer_text(p->to, p->style->terminal ? "\u00b7" : ".");
}

static void print_use(const struct page *p)
{
    static const char *const parts[] = {"allocated", "busy", "goodput"};
    const double allocated = value(p, "utilization.allocated"), down = value(p, "utilization.down");
    const int columns = p->style->width - 16 < 60 ? p->style->width - 16 : 60;
    char name[64], text[64];
    struct flow f;

    flow_start(&f, p, "Utilisation");
    if (isnan(allocated)) {
        gy_writer_text(p->to, "no GPU-time\n");
        return;
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        snprintf(name, sizeof name, "utilization.%s", parts[i]);
        snprintf(text, sizeof text, "%.1f %% %s", 100 * value(p, name), parts[i]);
        flow_add(&f, text, PLAIN);
    }
    if (down > 0) {
        snprintf(text, sizeof text, "%.1f %% down", 100 * down);
        flow_add(&f, text, PLAIN);
    }
    gy_writer_printf(p->to, "\n%14s", "");
    paint(p, GREEN);
    print_bar(p, allocated, columns);
    paint(p, PLAIN);
    gy_writer_text(p->to, "\n");
}

/* Where the cluster's GPU-hours went; the unused ones by kind. */
static void print_hours(const struct page *p)
{
    static const struct {
        const char *name, *text;
        bool always;
    } parts[] = {{"gpu_hours.busy", "kept", true},
                 {"gpu_hours.idle_held", "held idle", false},
                 {"gpu_hours.lost", "lost", false},
                 {"gpu_hours.down", "down", false},
                 {"gpu_hours.free", "free", true}};
    const double total = value(p, "gpu_hours.total"), fragmented = value(p, "fragmentation.mean");
    char text[128], buf[32];
    struct flow f;

    flow_start(&f, p, "GPU-hours");
    snprintf(text, sizeof text, "%s", gy_print_amount(total, buf));
    flow_add(&f, text, PLAIN);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const double x = value(p, parts[i].name);
        if (x == 0 && !parts[i].always)
            continue;
        snprintf(text, sizeof text, "%s %s (%.1f %%)", gy_print_amount(x, buf), parts[i].text,
                 total > 0 ? 100 * x / total : 0);
        flow_add(&f, text, PLAIN);
    }
    flow_end(&f);
    if (isnan(fragmented))
        return;
    label(p, "Fragmentation");
    gy_writer_printf(p->to, "%.1f %% of the free GPU-hours are too small for the job mix\n", 100 * fragmented);
}

static void print_spreads(const struct page *p)
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

    if (isnan(value(p, "wait_s.mean")))
        return;
    paint(p, DIM);
    gy_writer_printf(p->to, "\n%14s", "");
    for (size_t i = 0; i < n_parts; i++)
        gy_writer_printf(p->to, "%*s", column, parts[i]);
    paint(p, PLAIN);
    gy_writer_text(p->to, "\n");
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        label(p, rows[r].text);
        for (size_t i = 0; i < n_parts; i++) {
            snprintf(name, sizeof name, "%s.%s", rows[r].name, parts[i]);
            const double v = value(p, name);
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

static void print_sizes(const struct page *p)
{
    static const char *const head[] = {"GPUs a job", "jobs",     "wait mean", "GPU-hours",
                                       "wait p50",   "wait p95", "JCT p50"};
    const struct gy_grouping *g = gy_account_groups(p->a, GY_BY_SIZE);
    char buf[6][32];

    if (!g || g->n < 2)
        return;
    gy_writer_text(p->to, "\n");
    paint(p, DIM);
    print_size_row(p, head, 7);
    paint(p, PLAIN);
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

static void print_verdicts(const struct page *p, const struct gy_verdict *v, size_t n)
{
    const int names = p->style->width < 90 ? p->style->width / 2 - 6 : 40;

    if (n)
        gy_writer_text(p->to, "\n");
    for (size_t i = 0; i < n; i++) {
        painted(p, v[i].ok ? GREEN : RED, v[i].ok ? "pass  " : "FAIL  ");
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

static void warn(const struct page *p, const char *text)
{
    painted(p, YELLOW, "! ");
    gy_print_fitted(p->to, text, p->style->width - 2, false);
    gy_writer_text(p->to, "\n");
}

static void print_warnings(const struct page *p)
{
    const struct gy_run_facts *f = p->facts;
    const struct gy_sim_result *r = gy_account_result(p->a);
    char text[640], count[32];

    for (size_t i = 0; i < f->n_skips + f->n_notes; i++) {
        const struct gy_run_skip *s = i < f->n_skips ? &f->skips[i] : &f->notes[i - f->n_skips];
        if (s->count == 0)
            continue;
        snprintf(text, sizeof text, "%s row%s %s: %s%s%s%s", gy_print_count((double)s->count, count),
                 s->count == 1 ? "" : "s", i < f->n_skips ? "skipped" : "changed", s->why,
                 s->first && *s->first ? " (first: " : "", s->first ? s->first : "", s->first && *s->first ? ")" : "");
        warn(p, text);
    }
    if (value(p, "rejected") > 0) {
        snprintf(text, sizeof text, "%s job%s rejected because this cluster can never hold them; jobs.csv says why",
                 gy_print_count(value(p, "rejected"), count), value(p, "rejected") == 1 ? "" : "s");
        warn(p, text);
    }
    if (r->deadlock)
        warn(p, "deadlock: jobs were still pending when nothing could change any more");
    if (r->partial)
        warn(p, "partial: the run was stopped before its end, and all numbers are of that part");
}

void gy_terminal_summary(const struct gy_account *a, const struct gy_run_facts *facts,
                         const struct gy_verdict *verdicts, size_t n_verdicts, const struct gy_terminal_style *style,
                         struct gy_writer *to)
{
    const struct page p = {a, facts, style, to};

    print_title(&p);
    gy_writer_text(to, "\n");
    print_jobs(&p);
    print_span(&p);
    print_use(&p);
    print_hours(&p);
    print_spreads(&p);
    print_sizes(&p);
    print_verdicts(&p, verdicts, verdicts ? n_verdicts : 0);
    const size_t warnings = facts->n_skips + facts->n_notes + (value(&p, "rejected") > 0) +
                            gy_account_result(a)->deadlock + gy_account_result(a)->partial;
    if (warnings)
        gy_writer_text(to, "\n");
    print_warnings(&p);
}
