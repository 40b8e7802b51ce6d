/* The jobs as `sacct --parsable2` prints them, a row a job (no steps). Times are whole seconds there: fractions are
 * cut. Zero of the run is the trace's own origin where it had one, else 1970-01-01T00:00:00. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "gy_export.h"
#include "gy_file.h"

/* Days since 1970-01-01 of a Gregorian date, and back: Howard Hinnant's days_from_civil and civil_from_days. */
static int64_t days_of(int64_t y, int m, int d)
{
    y -= m <= 2;
    const int64_t era = (y >= 0 ? y : y - 399) / 400;
    const int64_t yoe = y - era * 400, doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
    return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}

static void date_of(int64_t days, int64_t *y, int *m, int *d)
{
    days += 719468;
    const int64_t era = (days >= 0 ? days : days - 146096) / 146097, doe = days - era * 146097;
    const int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365,
                  doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    const int64_t mp = (5 * doy + 2) / 153;

    *d = (int)(doy - (153 * mp + 2) / 5 + 1);
    *m = (int)(mp < 10 ? mp + 3 : mp - 9);
    *y = yoe + era * 400 + (*m <= 2);
}

static int64_t origin_of(const struct gy_run *run)
{
    const char *text = gy_json_string(gy_json_at(gy_json_root(run->manifest), "/trace/origin"));
    int y, mo, d, h = 0, mi = 0, s = 0;
    char sep;

    if (!text || sscanf(text, "%d-%d-%d%c%d:%d:%d", &y, &mo, &d, &sep, &h, &mi, &s) < 3 || mo < 1 || mo > 12 || d < 1 ||
        d > 31)
        return 0;
    return days_of(y, mo, d) * 86400 + h * 3600 + mi * 60 + s;
}

static void put_time(struct gy_writer *to, int64_t origin, gy_time t)
{
    int64_t y;
    int m, d;

    if (t == GY_NONE) {
        gy_writer_text(to, "|Unknown");
        return;
    }
    const int64_t whole = t / GY_SECOND - (t % GY_SECOND < 0), s = origin + whole;
    const int64_t days = s / 86400 - (s % 86400 < 0), rest = s - days * 86400;
    date_of(days, &y, &m, &d);
    gy_writer_printf(to, "|%04" PRId64 "-%02d-%02dT%02d:%02d:%02d", y, m, d, (int)(rest / 3600), (int)(rest / 60 % 60),
                     (int)(rest % 60));
}

/* A field cannot hold the separator, a line end or another control byte: they become '_'. */
static void put_field(struct gy_writer *to, const char *text)
{
    gy_writer_put(to, "|", 1);
    for (; *text; text++)
        gy_writer_put(to, *text == '|' || (unsigned char)*text < ' ' || *text == 127 ? "_" : text, 1);
}

static const char *state_of(const char *state)
{
    static const char *const names[][2] = {
        {"completed", "COMPLETED"}, {"failed", "FAILED"},       {"cancelled", "CANCELLED"},
        {"timeout", "TIMEOUT"},     {"node_fail", "NODE_FAIL"}, {"rejected", "FAILED"},
        {"pending", "PENDING"},     {"running", "RUNNING"},     {"suspended", "SUSPENDED"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i][0], state) == 0)
            return names[i][1];
    return "FAILED";
}

struct node_list {
    struct gy_writer *to;
    const char *last;
    size_t last_len;
};

static void put_node(void *ctx, const char *node, size_t len, uint32_t low, uint32_t high, uint32_t milli)
{
    struct node_list *l = ctx;

    (void)low;
    (void)high;
    (void)milli;
    if (l->last && l->last_len == len && memcmp(l->last, node, len) == 0)
        return;
    gy_writer_text(l->to, l->last ? "," : "");
    for (size_t i = 0; i < len; i++)
        gy_writer_put(l->to, node[i] == '|' || (unsigned char)node[i] < ' ' ? "_" : &node[i], 1);
    l->last = node;
    l->last_len = len;
}

static void put_tres(struct gy_writer *to, const struct gy_past_job *j)
{
    char gpus[40];

    gy_writer_put(to, "|", 1);
    if (!isnan(j->gpus) && j->gpus > 0) {
        gy_number_print(j->gpus, gpus);
        gy_writer_printf(to, "gres/gpu=%s,", gpus);
    }
    gy_writer_printf(to, "node=%" PRIu32, j->nodes ? j->nodes : 1);
}

static void put_job(struct gy_writer *to, const struct gy_past_job *j, int64_t origin)
{
    struct node_list nodes = {.to = to};

    for (const char *p = j->id; *p; p++)
        gy_writer_put(to, *p == '|' || (unsigned char)*p < ' ' ? "_" : p, 1);
    put_field(to, "gpuyard");
    put_field(to, j->user);
    put_field(to, j->team);
    put_field(to, j->partition);
    put_time(to, origin, j->submit);
    put_time(to, origin, j->eligible);
    put_time(to, origin, j->start);
    put_time(to, origin, j->end);
    put_field(to, state_of(j->state));
    gy_writer_printf(to, "|%" PRId64 "|%" PRIu32, j->run == GY_NONE ? 0 : j->run / GY_SECOND, j->nodes);
    put_tres(to, j);
    if (j->start == GY_NONE)
        gy_writer_put(to, "|", 1);
    else
        put_tres(to, j);
    gy_writer_put(to, "|", 1);
    if (*j->placement)
        gy_placement_each(j->placement, put_node, &nodes);
    else
        gy_writer_text(to, "None assigned");
    gy_writer_printf(to, "|%" PRIu32 "\n", j->restarts);
}

static int write_sacct(const struct gy_run *run, const char *path, struct gy_error *err)
{
    struct gy_history h;
    const int64_t origin = origin_of(run);

    if (gy_history_load(run, &h, err))
        return -1;
    struct gy_writer *to = gy_writer_open(path, err);
    if (to) {
        gy_writer_text(to,
                       "JobID|JobName|User|Account|Partition|Submit|Eligible|Start|End|State|ElapsedRaw|NNodes|ReqTRES|"
                       "AllocTRES|NodeList|Restarts\n");
        for (size_t i = 0; i < h.jobs.n; i++)
            put_job(to, &h.jobs.at[i], origin);
    }
    const int rc = to ? gy_writer_commit(to, err) : -1;
    gy_history_free(&h);
    return rc;
}

const struct gy_export_type gy_export_sacct = {
    .name = "sacct", .summary = "The jobs as sacct --parsable2 prints them", .suffix = ".txt", .write = write_sacct};
