/* What the gate prints: a table, JUnit XML, GitHub-flavoured markdown, JSON. Judges nothing. */
#include <math.h>
#include <stdio.h>
#include "gy_check.h"
#include "gy_file.h"

static const char *kind_name(enum gy_check_kind kind)
{
    return kind == GY_CHECK_THRESHOLD ? "threshold" : "baseline";
}

static const char *verdict(const struct gy_check *c)
{
    return c->ok ? "ok" : !c->known ? "NO SUCH METRIC" : isnan(c->value) ? "NO VALUE" : "FAILED";
}

/* "0.8 … 1", "≤ 3600", "≥ 0.8". buf ≥ 96 bytes. */
static void allowed(const struct gy_check *c, char *buf, size_t size)
{
    if (isnan(c->min) && isnan(c->max))
        snprintf(buf, size, "any");
    else if (isnan(c->min))
        snprintf(buf, size, "≤ %.6g", c->max);
    else if (isnan(c->max))
        snprintf(buf, size, "≥ %.6g", c->min);
    else
        snprintf(buf, size, "%.6g … %.6g", c->min, c->max);
}

void gy_checks_table(const struct gy_checks *c, struct gy_table *t)
{
    gy_table_init(t, 6);
    static const char *const head[] = {"metric", "value", "allowed", "baseline", "kind", ""};
    for (size_t i = 0; i < 6; i++)
        gy_table_add(t, head[i]);
    for (size_t i = 0; i < c->at.n; i++) {
        const struct gy_check *x = &c->at.at[i];
        char buf[96];
        allowed(x, buf, sizeof buf);
        gy_table_add(t, x->metric);
        gy_table_number(t, x->value);
        gy_table_add(t, buf);
        gy_table_number(t, x->base);
        gy_table_add(t, kind_name(x->kind));
        gy_table_add(t, verdict(x));
    }
}

static void message(const struct gy_check *x, struct gy_writer *to)
{
    char buf[96];
    allowed(x, buf, sizeof buf);
    if (!x->known) {
        gy_html_text(to, "the run has no metric of this name");
        if (x->nearest) {
            gy_html_text(to, "; did you mean ");
            gy_html_text(to, x->nearest);
        }
    } else if (isnan(x->value)) {
        gy_html_text(to, "the run has no value for this metric");
    } else {
        gy_writer_printf(to, "%.9g; allowed %s", x->value, buf);
    }
}

void gy_checks_junit(const struct gy_checks *c, const struct gy_run *run, struct gy_writer *to)
{
    gy_writer_text(to, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    gy_writer_printf(to, "<testsuites tests=\"%zu\" failures=\"%zu\">\n", c->at.n, c->failed);
    gy_writer_text(to, "  <testsuite name=\"gpuyard ");
    gy_html_text(to, run->label);
    gy_writer_printf(to, "\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"0\" time=\"0\">\n", c->at.n,
                     c->failed);
    for (size_t i = 0; i < c->at.n; i++) {
        const struct gy_check *x = &c->at.at[i];
        gy_writer_printf(to, "    <testcase classname=\"gpuyard.%s\" name=\"", kind_name(x->kind));
        gy_html_text(to, x->metric);
        gy_writer_text(to, "\" time=\"0\"");
        if (x->ok) {
            gy_writer_text(to, "/>\n");
            continue;
        }
        gy_writer_text(to, ">\n      <failure type=\"");
        gy_writer_text(to, kind_name(x->kind));
        gy_writer_text(to, "\" message=\"");
        message(x, to);
        gy_writer_text(to, "\"/>\n    </testcase>\n");
    }
    gy_writer_text(to, "  </testsuite>\n</testsuites>\n");
}

void gy_checks_markdown(const struct gy_checks *c, const struct gy_run *run, struct gy_writer *to)
{
    struct gy_table title, t;
    gy_table_init(&title, 1);
    gy_table_add(&title, run->label);
    gy_writer_text(to, "### gpuyard: ");
    gy_html_text(to, title.nomem ? "" : title.cells.at[0]);
    gy_writer_printf(to, " — %s\n\n%zu of %zu checks passed.%s\n\n", c->failed ? "failed" : "passed",
                     c->at.n - c->failed, c->at.n, run->partial ? " The run is partial." : "");
    gy_table_free(&title);
    gy_checks_table(c, &t);
    gy_table_render(&t, GY_TABLE_MARKDOWN, to);
    gy_table_free(&t);
}

void gy_checks_json(const struct gy_checks *c, const struct gy_run *run, struct gy_writer *to)
{
    struct gy_json_out o = {.to = to};
    gy_jo_object(&o, NULL);
    gy_jo_string(&o, "run", run->path);
    gy_jo_bool(&o, "ok", c->failed == 0);
    gy_jo_integer(&o, "failed", (int64_t)c->failed);
    gy_jo_array(&o, "checks");
    for (size_t i = 0; i < c->at.n; i++) {
        const struct gy_check *x = &c->at.at[i];
        gy_jo_object(&o, NULL);
        gy_jo_string(&o, "kind", kind_name(x->kind));
        gy_jo_string(&o, "metric", x->metric);
        gy_jo_number(&o, "value", x->value);
        gy_jo_number(&o, "min", x->min);
        gy_jo_number(&o, "max", x->max);
        gy_jo_number(&o, "baseline", x->base);
        gy_jo_bool(&o, "ok", x->ok);
        gy_jo_bool(&o, "known", x->known);
        gy_jo_string(&o, "nearest", x->nearest);
        gy_jo_end(&o, '}');
    }
    gy_jo_end(&o, ']');
    gy_jo_end(&o, '}');
}
