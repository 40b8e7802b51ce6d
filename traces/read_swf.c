/* The Standard Workload Format (Parallel Workloads Archive, version 2.2): "; Key: value" headers, then 18 numbers a
 * job: job, submit, wait, run, procs used, cpu, memory, procs requested, time requested, memory requested, status,
 * user, group, application, queue, partition, preceding job, think time; -1 is "not known". More columns are ignored
 * (some archives add two or three).
 *
 * One processor is taken as one GPU: what an SWF log schedules is processors, and a cluster for it has as many GPUs.
 * Requested processors count before used ones. A job that ran longer than it asked for keeps both times: killing it at
 * its limit is the engine's work. Preceding job and think time are not used (the log's submit times hold already). */
#include <stdlib.h>
#include <string.h>
#include "lines.h"
#include "reader.h"

enum {
    JOB,
    SUBMIT,
    WAIT,
    RUN,
    PROCS_USED,
    CPU_TIME,
    MEM_USED,
    PROCS,
    TIME,
    MEM,
    STATUS,
    USER,
    GROUP,
    APP,
    QUEUE,
    PARTITION,
    PRECEDING,
    THINK,
    FIELDS
};
static const char *const names[FIELDS] = {
    "job number",  "submit time",          "wait time",      "run time",         "processors used", "CPU time",
    "memory used", "processors requested", "time requested", "memory requested", "status",          "user",
    "group",       "application",          "queue",          "partition",        "preceding job",   "think time"};

struct swf {
    struct gy_lines lines;
    GY_VEC(char) text; /* the row with a NUL behind each field */
    struct gy_field field[FIELDS];
    size_t n;
    gy_time unix_start; /* GY_NONE */
    bool headed, epoch, first;
};

static size_t number_fields(const char *line, size_t len)
{
    size_t i = 0, n = 0;

    while (i < len && line[i] != '\n') {
        while (i < len && (line[i] == ' ' || line[i] == '\t' || line[i] == '\r'))
            i++;
        size_t digits = i < len && line[i] != '\n' ? gy_number_len(line + i, len - i) : 0;
        if (digits == 0)
            break;
        i += digits;
        n++;
    }
    return n;
}

static int sniff(const char *bytes, size_t n, const char *file_name)
{
    size_t len = strlen(file_name);
    bool named = (len > 4 && strcmp(file_name + len - 4, ".swf") == 0) ||
                 (len > 7 && strcmp(file_name + len - 7, ".swf.gz") == 0);
    const char *at = bytes, *end = bytes + n;

    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t line = newline != NULL ? (size_t)(newline - at) + 1 : (size_t)(end - at);
        if (*at != ';' && *at != '\n' && *at != '\r') {
            size_t fields = number_fields(at, line);
            return fields >= FIELDS ? 95 : 0;
        }
        if (newline == NULL)
            break;
        at += line;
    }
    return n > 0 && bytes[0] == ';' ? (named ? 90 : 50) : 0;
}

static int open_log(struct gy_reader *r, struct gy_error *err)
{
    struct swf *s = calloc(1, sizeof *s);

    r->state = s;
    r->has_ids = true;
    if (s == NULL)
        return gy_nomem(err);
    gy_lines_init(&s->lines, r->in);
    s->unix_start = GY_NONE;
    s->first = true;
    return 0;
}

/* "; UnixStartTime: 1027839845" gives the trace's zero; TimeZone its place on the clock of those days. */
static void header(struct gy_reader *r, struct swf *s, const char *text, size_t len)
{
    static const char key[] = "UnixStartTime:";
    const char *at = memmem(text, len, key, sizeof key - 1);

    if (at == NULL || s->unix_start != GY_NONE)
        return;
    const char *value = at + sizeof key - 1, *end = text + len;
    while (value < end && *value == ' ')
        value++;
    gy_time t;
    size_t n = gy_number_len(value, (size_t)(end - value));
    if (n > 0 && gy_time_parse(value, n, &t) && t > 0) {
        s->unix_start = t;
        struct gy_datetime d = {t, true, 0};
        gy_datetime_print(&d, r->t->origin);
    }
}

static int split(struct gy_reader *r, struct swf *s, const char *text, size_t len)
{
    size_t i = 0;

    if (!gy_vec_reserve(&s->text, len + 1)) {
        r->nomem = true;
        return -1;
    }
    memcpy(s->text.at, text, len);
    s->text.at[len] = '\0';
    s->n = 0;
    for (char *at = s->text.at; s->n < FIELDS;) {
        while (i < len && strchr(" \t\r\n", at[i]) != NULL && at[i] != '\0')
            i++;
        if (i >= len)
            break;
        size_t from = i;
        while (i < len && (at[i] == '\0' || strchr(" \t\r\n", at[i]) == NULL))
            i++;
        at[i] = '\0';
        s->field[s->n++] = (struct gy_field){at + from, i - from};
        i++;
    }
    return 0;
}

/* The field as a number in units of scale, GY_NONE for -1 (any negative number means "not known"). */
static bool value(struct gy_reader *r, const struct swf *s, int f, int64_t scale, gy_time *out)
{
    if (!gy_time_parse_in(s->field[f].at, s->field[f].len, scale, out)) {
        bool number = gy_number_len(s->field[f].at, s->field[f].len) == s->field[f].len;
        gy_row_skip(r, names[f], number ? "too large" : "not a number", s->field[f]);
        return false;
    }
    if (*out < 0)
        *out = GY_NONE;
    return true;
}

static gy_str name(struct gy_reader *r, const struct swf *s, int f)
{
    return s->field[f].at[0] == '-' ? 0 : gy_row_text(r, s->field[f]);
}

static bool times(struct gy_reader *r, struct swf *s, struct gy_job_rec *rec)
{
    gy_time wait, run, asked;

    if (!value(r, s, SUBMIT, GY_SECOND, &rec->submit) || !value(r, s, WAIT, GY_SECOND, &wait) ||
        !value(r, s, RUN, GY_SECOND, &run) || !value(r, s, TIME, GY_SECOND, &asked))
        return false;
    if (rec->submit == GY_NONE) {
        gy_row_skip(r, names[SUBMIT], "negative or not known", s->field[SUBMIT]);
        return false;
    }
    if (s->first) {
        s->first = false;
        s->epoch = rec->submit >= GY_UNIX_TIME_MIN;
        r->calendar = r->zoned = s->epoch;
    }
    rec->limit = asked;
    bool cancelled = strcmp(s->field[STATUS].at, "5") == 0;
    if (run == GY_NONE && cancelled && wait != GY_NONE) { /* gave up waiting */
        rec->duration = 0;
        rec->cancel = rec->submit + wait;
        gy_row_note(r, names[RUN], "not known, cancelled: cancelled after its wait if still pending then", GY_NO_FIELD);
        return true;
    }
    if (run == GY_NONE) {
        gy_row_skip(r, names[RUN], "not known", s->field[RUN]);
        return false;
    }
    rec->duration = run;
    return true;
}

static bool processors(struct gy_reader *r, const struct swf *s, struct gy_job_rec *rec)
{
    gy_time asked, used, mem;

    if (!value(r, s, PROCS, 1, &asked) || !value(r, s, PROCS_USED, 1, &used) || !value(r, s, MEM, 1, &mem))
        return false;
    gy_time procs = asked > 0 ? asked : used;
    if (procs <= 0) {
        gy_row_skip(r, "processors", "neither requested nor used are known", GY_NO_FIELD);
        return false;
    }
    if (procs > GY_TRACE_GPUS_MAX) {
        gy_row_skip(r, "processors", "too large", s->field[asked > 0 ? PROCS : PROCS_USED]);
        return false;
    }
    rec->gpus = (uint32_t)procs;
    if (mem > 0 && mem < (gy_time)1 << 40) /* KB a processor */
        rec->mem_mib = ((uint64_t)mem * (uint64_t)procs + 1023) / 1024;
    return true;
}

static void outcome(struct gy_reader *r, const struct swf *s, struct gy_job_rec *rec)
{
    const char *status = s->field[STATUS].at;

    if (strcmp(status, "0") == 0)
        rec->end_state = GY_FAILED;
    else if (strcmp(status, "5") == 0)
        rec->end_state = GY_CANCELLED;
    rec->user = name(r, s, USER);
    rec->team = name(r, s, GROUP);
    rec->workload = name(r, s, APP);
    rec->qos = name(r, s, QUEUE);
}

static int row(struct gy_reader *r, struct swf *s, const char *text, size_t len, struct gy_job_rec *rec)
{
    if (split(r, s, text, len) < 0)
        return GY_ROW_SKIPPED;
    if (s->n < FIELDS)
        return gy_row_skip(r, NULL, "fewer than 18 fields", GY_NO_FIELD);
    if (!times(r, s, rec) || !processors(r, s, rec) || !gy_row_id(r, names[JOB], s->field[JOB], rec))
        return GY_ROW_SKIPPED;
    outcome(r, s, rec);
    return 1;
}

static int next(struct gy_reader *r, struct gy_job_rec *rec, struct gy_error *err)
{
    struct swf *s = r->state;
    char *text;
    size_t len;

    for (;;) {
        int got = gy_lines_next(&s->lines, false, &text, &len, err);
        if (got <= 0)
            return got;
        r->line = s->lines.line;
        size_t i = 0;
        while (i < len && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r' || text[i] == '\n'))
            i++;
        if (i < len && text[i] != ';')
            return row(r, s, text, len, rec);
        if (i < len)
            header(r, s, text, len);
    }
}

static void close_log(struct gy_reader *r)
{
    struct swf *s = r->state;

    if (s != NULL) {
        gy_lines_free(&s->lines);
        gy_vec_free(&s->text);
    }
    free(s);
}

const struct gy_reader_type gy_read_swf = {
    .name = "swf",
    .summary = "Standard Workload Format, 18 columns or more; one processor is one GPU",
    .sniff = sniff,
    .open = open_log,
    .next = next,
    .close = close_log,
};
