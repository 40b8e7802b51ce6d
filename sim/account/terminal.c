/* The summary table: one function a section, in the order in which a person asks. */
#include "terminal_page.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "family.h"
#include "gy_file.h"

static void print_title(const struct page *p)
{
    const struct gy_run_facts *f = p->facts;
    char line[512];

    page_paint(p, BOLD);
    gy_print_fitted(p->to, f->name && *f->name ? f->name : "run", p->style->width, false);
    page_paint(p, PLAIN);
    gy_writer_text(p->to, "\n");
    const char *const part[][2] = {{"Cluster", f->cluster}, {"Trace", f->trace}, {"Policy", f->policy}};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        if (!part[i][1])
            continue;
        page_label(p, part[i][0]);
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
    page_label(p, name);
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
    page_painted(f->p, as, text);
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
        const double n = page_value(p, parts[i].name);
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
    flow_add(&f, gy_print_duration(page_value(p, "makespan_s"), buf), PLAIN);
    if (gy_account_metric(p->a, "steady_state", &m) && m.word) {
        snprintf(text, sizeof text, "%s (offered load %s)", m.word,
                 gy_print_amount(page_value(p, "offered_load"), buf));
        flow_add(&f, text, strcmp(m.word, "stable") == 0 ? PLAIN : YELLOW);
    }
    static const char *const churn[] = {"preemptions", "restarts", "resizes"};
    for (size_t i = 0; i < sizeof churn / sizeof *churn; i++)
        if (page_value(p, churn[i]) > 0) {
            snprintf(text, sizeof text, "%s %s", gy_print_count(page_value(p, churn[i]), buf), churn[i]);
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

/* Allocated GPUs over time, from the first submit to the end. */
static void print_course(const struct page *p, int columns)
{
    const void *course = gy_account_family(p->a, &gy_family_course);

    for (int i = 0; i < columns; i++)
        gy_writer_spark(p->to, gy_course_allocated(course, (unsigned)i, (unsigned)columns), p->style->terminal);
}

static void print_use(const struct page *p)
{
    static const char *const parts[] = {"allocated", "busy", "goodput"};
    const double allocated = page_value(p, "utilization.allocated"), down = page_value(p, "utilization.down");
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
        snprintf(text, sizeof text, "%.1f %% %s", 100 * page_value(p, name), parts[i]);
        flow_add(&f, text, PLAIN);
    }
    if (down > 0) {
        snprintf(text, sizeof text, "%.1f %% down", 100 * down);
        flow_add(&f, text, PLAIN);
    }
    gy_writer_printf(p->to, "\n%14s", "");
    page_paint(p, GREEN);
    print_bar(p, allocated, columns);
    gy_writer_printf(p->to, "\n%14s", "");
    print_course(p, columns);
    page_paint(p, PLAIN);
    gy_writer_text(p->to, "\n");
}

/* Why GPUs were not held, largest part first. */
static void print_unused(const struct page *p)
{
    static const char prefix[] = "unused_gpu_hours.";
    const double unused = page_value(p, "gpu_hours.free") + page_value(p, "gpu_hours.down");
    double below = INFINITY;
    char text[128];
    struct flow f;
    size_t n;
    const struct gy_metric *all = gy_account_metrics(p->a, &n);

    if (!(unused > 0))
        return;
    flow_start(&f, p, "Unused");
    for (;;) { /* each turn finds the largest below the one before; equal ones are shown together */
        double largest = 0;
        for (size_t i = 0; i < n; i++)
            if (strncmp(all[i].name, prefix, strlen(prefix)) == 0 && all[i].value > largest && all[i].value < below)
                largest = all[i].value;
        if (largest < unused / 2000)
            break;
        for (size_t i = 0; i < n; i++)
            if (strncmp(all[i].name, prefix, strlen(prefix)) == 0 && all[i].value == largest) {
                snprintf(text, sizeof text, "%s %.1f %%", all[i].name + strlen(prefix), 100 * largest / unused);
                for (char *c = text; *c; c++)
                    *c = *c == '_' ? ' ' : *c;
                flow_add(&f, text, PLAIN);
            }
        below = largest;
    }
    flow_end(&f);
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
    const double total = page_value(p, "gpu_hours.total"), fragmented = page_value(p, "fragmentation.mean");
    char text[128], buf[32];
    struct flow f;

    flow_start(&f, p, "GPU-hours");
    snprintf(text, sizeof text, "%s", gy_print_amount(total, buf));
    flow_add(&f, text, PLAIN);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const double x = page_value(p, parts[i].name);
        if (x == 0 && !parts[i].always)
            continue;
        snprintf(text, sizeof text, "%s %s (%.1f %%)", gy_print_amount(x, buf), parts[i].text,
                 total > 0 ? 100 * x / total : 0);
        flow_add(&f, text, PLAIN);
    }
    flow_end(&f);
    print_unused(p);
    if (isnan(fragmented))
        return;
    page_label(p, "Fragmentation");
    gy_writer_printf(p->to, "%.1f %% of the free GPU-hours are too small for the job mix\n", 100 * fragmented);
}

/* At most three lines, broken at spaces. */
static void warn(const struct page *p, const char *text)
{
    const size_t width = (size_t)p->style->width - 2;

    page_painted(p, YELLOW, "! ");
    for (int line = 0;; line++) {
        const size_t len = strlen(text);
        size_t n = len < width ? len : width;
        while (len > width && n > width / 2 && text[n] != ' ')
            n--;
        if (len <= width || line == 2 || text[n] != ' ')
            break;
        char part[128];
        snprintf(part, sizeof part, "%.*s", (int)n, text);
        gy_print_fitted(p->to, part, (int)width, false);
        gy_writer_text(p->to, "\n  ");
        text += n + 1;
    }
    gy_print_fitted(p->to, text, (int)width, false);
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
    if (page_value(p, "rejected") > 0) {
        snprintf(text, sizeof text, "%s job%s rejected because this cluster can never hold them; jobs.csv says why",
                 gy_print_count(page_value(p, "rejected"), count), page_value(p, "rejected") == 1 ? "" : "s");
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
    page_spreads(&p);
    page_sizes(&p);
    page_verdicts(&p, verdicts, verdicts ? n_verdicts : 0);
    const size_t warnings = facts->n_skips + facts->n_notes + (page_value(&p, "rejected") > 0) +
                            gy_account_result(a)->deadlock + gy_account_result(a)->partial;
    if (warnings)
        gy_writer_text(to, "\n");
    print_warnings(&p);
}
