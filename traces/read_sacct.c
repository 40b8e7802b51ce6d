/* What Slurm's accounting prints: `sacct -P` (or --parsable) with a header in any set and order of columns,
 * --format=ALL included, and the 26 fields without a header that Open XDMoD's shredder takes. Steps are passed over.
 * Job names and submit lines may hold raw bars and newlines: a record begins at a line that begins like one, and
 * surplus bars are given to the name or the submit line, whichever makes state and times readable. Not a database dump:
 * those are read by sacct itself. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "lines.h"
#include "reader.h"

enum {
    JOB_ID,
    USER,
    ACCOUNT,
    PARTITION,
    QOS,
    SUBMIT,
    START,
    END,
    STATE,
    NODES,
    CPUS,
    REQ_CPUS,
    REQ_MEM,
    REQ_TRES,
    ALLOC_TRES,
    LIMIT,
    NAME,
    SUBMIT_LINE,
    COLUMNS
};
static const char *const names[COLUMNS] = {"JobID",  "User",    "Account",   "Partition", "QOS",     "Submit",
                                           "Start",  "End",     "State",     "NNodes",    "NCPUS",   "ReqCPUS",
                                           "ReqMem", "ReqTRES", "AllocTRES", "Timelimit", "JobName", "SubmitLine"};
static const int xdmod[COLUMNS] = {0, 8, 5, 3, 4, 10, 12, 13, 16, 17, 18, 19, 20, 21, 22, 23, 25, -1};
enum { XDMOD_FIELDS = 26, MAX_FIELDS = 1024 };

struct sacct {
    struct gy_lines lines;
    int column[COLUMNS];
    size_t columns;
    char *next, *record; /* the line that begins the next record; the record at hand */
    size_t next_len, next_cap, len, cap;
    uint64_t next_line;
    struct gy_field field[MAX_FIELDS];
    size_t fields;
};

/* The field of that number in the line, NULL when there is none. */
static const char *field_at(const char *text, size_t len, int number)
{
    const char *p = text;
    for (; number > 0; number--) {
        p = memchr(p, '|', len - (size_t)(p - text));
        if (!p)
            return NULL;
        p++;
    }
    return p;
}

/* Whether the field of that number is a job's or a step's id ("123", "123_4.batch", "123_[1-3%2]"): a record begins. */
static bool begins_record(const char *text, size_t len, int id)
{
    const char *p = field_at(text, len, id);
    if (!p)
        return false;
    const size_t left = len - (size_t)(p - text);
    size_t i = 0;
    while (i < left && isdigit((unsigned char)p[i]))
        i++;
    if (i == 0)
        return false;
    while (i < left && i < 400 && (isalnum((unsigned char)p[i]) || strchr("_[]-,%+.", p[i])))
        i++;
    return i < left && p[i] == '|';
}

static size_t bars(const char *text, size_t len)
{
    size_t n = 0;
    for (size_t i = 0; i < len; i++)
        n += text[i] == '|';
    return n;
}

static int sniff(const char *bytes, size_t n, const char *file_name)
{
    static const char *const must[] = {"JobID", "Submit", "State"};
    const char *end = memchr(bytes, '\n', n);
    const size_t len = end ? (size_t)(end - bytes) : n;

    (void)file_name;
    if (gy_sniff_columns(bytes, n, '|', must, GY_COUNT(must)))
        return 100;
    return begins_record(bytes, len, 0) && bars(bytes, len) >= XDMOD_FIELDS - 1 && memchr(bytes, 'T', len) ? 70 : 0;
}

static bool append(char **to, size_t *len, size_t *cap, const char *text, size_t n)
{
    if (*len + n + 1 > *cap) {
        const size_t want = 2 * (*len + n + 1);
        char *more = realloc(*to, want);
        if (!more)
            return false;
        *to = more;
        *cap = want;
    }
    memcpy(*to + *len, text, n);
    *len += n;
    (*to)[*len] = '\0';
    return true;
}

static void split(struct sacct *s)
{
    char *p = s->record;
    size_t len = s->len;
    while (len > 0 && (p[len - 1] == '\n' || p[len - 1] == '\r'))
        p[--len] = '\0';
    for (s->fields = 0; s->fields < MAX_FIELDS;) {
        char *bar = memchr(p, '|', len);
        const size_t n = bar ? (size_t)(bar - p) : len;
        s->field[s->fields++] = (struct gy_field){p, n};
        if (!bar)
            break;
        *bar = '\0';
        p = bar + 1;
        len -= n + 1;
    }
    if (s->fields == s->columns + 1 && s->field[s->fields - 1].len == 0)
        s->fields--; /* --parsable ends lines with a bar */
}

static bool same_word(struct gy_field f, const char *word)
{
    const size_t n = strlen(word);
    if (f.len != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (tolower((unsigned char)f.at[i]) != tolower((unsigned char)word[i]))
            return false;
    return true;
}

static int read_header(struct gy_reader *r, struct sacct *s, struct gy_error *err)
{
    char place[512];
    for (int c = 0; c < COLUMNS; c++) {
        s->column[c] = -1;
        for (size_t i = 0; i < s->fields && s->column[c] < 0; i++)
            if (same_word(s->field[i], names[c]))
                s->column[c] = (int)i;
    }
    static const int must[] = {JOB_ID, SUBMIT, START, END, STATE};
    for (size_t i = 0; i < GY_COUNT(must); i++)
        if (s->column[must[i]] < 0) {
            gy_row_place(r, 1, place, sizeof place);
            gy_fail(err, GY_EINPUT, place, "no column %s in the header of sacct", names[must[i]]);
            return gy_hint(err, "ask for it: sacct -P --format=JobID,User,Account,Partition,QOS,Submit,Start,End,State,"
                                "NNodes,NCPUS,ReqTRES,AllocTRES,Timelimit");
        }
    s->columns = s->fields;
    return 0;
}

/* The next line that begins a record into s->next, what comes before it appended to the record. 1, 0 at the end, -1. */
static int next_line(struct gy_reader *r, struct sacct *s, struct gy_error *err)
{
    char *text;
    size_t len;
    for (;;) {
        const int got = gy_lines_next(&s->lines, false, &text, &len, err);
        if (got <= 0)
            return got;
        if (begins_record(text, len, s->column[JOB_ID])) {
            s->next_len = 0;
            s->next_line = s->lines.line;
            return append(&s->next, &s->next_len, &s->next_cap, text, len) ? 1 : gy_nomem(err);
        }
        if (s->len + len > GY_LINE_MAX)
            continue; /* a record that never ends: its surplus is dropped */
        if (!append(&s->record, &s->len, &s->cap, text, len))
            return gy_nomem(err);
    }
    (void)r;
}

static int open_sacct(struct gy_reader *r, struct gy_error *err)
{
    struct sacct *s = r->state = calloc(1, sizeof *s);
    char *text;
    size_t len;
    if (!s)
        return gy_nomem(err);
    gy_lines_init(&s->lines, r->in);
    r->has_ids = true;
    const int got = gy_lines_next(&s->lines, false, &text, &len, err);
    if (got <= 0)
        return got < 0 ? -1 : 0;
    if (begins_record(text, len, 0)) {
        memcpy(s->column, xdmod, sizeof xdmod);
        s->columns = XDMOD_FIELDS;
        s->next_line = 1;
        return append(&s->next, &s->next_len, &s->next_cap, text, len) ? 0 : gy_nomem(err);
    }
    if (!append(&s->record, &s->len, &s->cap, text, len))
        return gy_nomem(err);
    split(s);
    if (read_header(r, s, err))
        return -1;
    s->len = 0;
    return next_line(r, s, err) < 0 ? -1 : 0;
}

static void close_sacct(struct gy_reader *r)
{
    struct sacct *s = r->state;
    if (!s)
        return;
    gy_lines_free(&s->lines);
    free(s->next);
    free(s->record);
    free(s);
}

static bool looks_like_time(struct gy_field f)
{
    return (f.len == 19 && f.at[4] == '-' && f.at[10] == 'T') || same_word(f, "Unknown") || same_word(f, "None");
}

/* Surplus fields go to the name while `shift` of them do, the rest to the submit line. */
static struct gy_field field(const struct sacct *s, int c, size_t shift, size_t surplus)
{
    const int at = s->column[c];
    if (at < 0)
        return (struct gy_field){"", 0};
    size_t i = (size_t)at;
    if (s->column[NAME] >= 0 && at > s->column[NAME])
        i += shift;
    if (s->column[SUBMIT_LINE] >= 0 && at > s->column[SUBMIT_LINE])
        i += surplus - shift;
    return i < s->fields ? s->field[i] : (struct gy_field){"", 0};
}

static bool find_shift(const struct sacct *s, size_t surplus, size_t *shift)
{
    for (*shift = 0; *shift <= surplus; ++*shift) {
        if (s->column[SUBMIT_LINE] < 0 && *shift < surplus)
            continue; /* only the name can hold them */
        const struct gy_field state = field(s, STATE, *shift, surplus);
        if (looks_like_time(field(s, SUBMIT, *shift, surplus)) && looks_like_time(field(s, END, *shift, surplus)) &&
            looks_like_time(field(s, START, *shift, surplus)) && state.len > 0 && isupper((unsigned char)state.at[0]))
            return true;
    }
    return false;
}

/* "[D-]HH:MM:SS" in ns; false for anything else. */
static bool duration(struct gy_field f, gy_time *out)
{
    int64_t part[4] = {0}, n = 0;
    bool days = false;
    const char *p = f.at;
    while (n < 4) {
        char *stop;
        if (!isdigit((unsigned char)*p))
            return false;
        part[n++] = strtoll(p, &stop, 10);
        if (part[n - 1] > 1000000 || (*stop && *stop != ':' && *stop != '-' && *stop != '.'))
            return false;
        if (*stop == '-')
            days = true;
        if (!*stop || *stop == '.')
            break;
        p = stop + 1;
    }
    const int64_t day = days ? part[0] : 0, *t = days ? part + 1 : part, left = n - days;
    if (left < 2 || left > 3)
        return false;
    const int64_t s = left == 3 ? t[0] * 3600 + t[1] * 60 + t[2] : days ? t[0] * 3600 + t[1] * 60 : t[0] * 60 + t[1];
    if (day * 86400 + s > INT64_C(9000000000)) /* 285 years: what a gy_time holds */
        return false;
    *out = (day * 86400 + s) * GY_SECOND;
    return true;
}

/* The number behind "key=" of a TRES list, NULL when it has none. */
static const char *tres(struct gy_field f, const char *key)
{
    const size_t n = strlen(key);
    for (const char *p = f.at; p && *p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
        if (strncmp(p, key, n) == 0 && p[n] == '=')
            return p + n + 1;
    return NULL;
}

/* The untyped total when there is one, else the typed ones together; the type when there is just one. */
static uint64_t gpus_of(struct gy_reader *r, struct gy_field f, gy_str *type)
{
    const char *total = tres(f, "gres/gpu");
    uint64_t typed = 0;
    int types = 0;
    for (const char *p = f.at; p && *p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
        if (strncmp(p, "gres/gpu:", 9) != 0)
            continue;
        const char *eq = strchr(p, '=');
        if (!eq)
            continue;
        typed += strtoull(eq + 1, NULL, 10);
        *type = gy_row_text(r, (struct gy_field){p + 9, (size_t)(eq - p - 9)});
        types++;
    }
    if (types != 1)
        *type = 0;
    return total ? strtoull(total, NULL, 10) : typed;
}

/* "64G", "4000M", "2.5T" in MiB; 0 for nothing and for values with Slurm's flag bit. */
static uint64_t memory(const char *text, char *per)
{
    char *stop;
    double v = strtod(text, &stop);
    static const char units[] = "KMGTP";
    const char *u = *stop ? strchr(units, toupper((unsigned char)*stop)) : NULL;
    double mib = u ? v / 1024 : v;
    for (const char *k = units; u && k < u; k++)
        mib *= 1024;
    if (u)
        stop++;
    *per = *stop == 'n' || *stop == 'c' ? *stop : '\0';
    return v > 0 && mib >= 1 && mib < 2147483648.0 ? (uint64_t)mib : 0;
}

static bool resources(struct gy_reader *r, struct sacct *s, size_t shift, size_t surplus, struct gy_job_rec *rec)
{
    const struct gy_field alloc = field(s, ALLOC_TRES, shift, surplus), req = field(s, REQ_TRES, shift, surplus),
                          nodes = field(s, NODES, shift, surplus);
    struct gy_field cpus = field(s, CPUS, shift, surplus);
    uint64_t gpus = gpus_of(r, alloc, &rec->gpu_type);
    if (gpus == 0)
        gpus = gpus_of(r, req, &rec->gpu_type);
    if (gpus > GY_TRACE_GPUS_MAX)
        return gy_row_skip(r, "AllocTRES", "too many GPUs", alloc), false;
    rec->gpus = (uint32_t)gpus;
    if (!gy_field_none(nodes) && !gy_row_count(r, "NNodes", nodes, GY_TRACE_GPUS_MAX, &rec->nodes))
        return false;
    if (gy_field_none(cpus) || same_word(cpus, "0"))
        cpus = field(s, REQ_CPUS, shift, surplus);
    if (!gy_field_none(cpus) && !gy_row_scaled(r, "NCPUS", cpus, 1000, &rec->cpu_milli))
        return false;
    char per = '\0';
    const char *mem = tres(alloc, "mem") ? tres(alloc, "mem") : tres(req, "mem");
    rec->mem_mib = memory(mem ? mem : field(s, REQ_MEM, shift, surplus).at, &per);
    if (!mem && per == 'n')
        rec->mem_mib *= rec->nodes ? rec->nodes : 1;
    if (!mem && per == 'c')
        rec->mem_mib *= rec->cpu_milli / 1000 ? rec->cpu_milli / 1000 : 1;
    return true;
}

static struct gy_field known_time(struct gy_field f)
{
    return same_word(f, "Unknown") ? (struct gy_field){"", 0} : f;
}

static int one_record(struct gy_reader *r, struct sacct *s, struct gy_job_rec *rec)
{
    split(s);
    if (s->fields < s->columns)
        return gy_row_skip(r, NULL, "fewer fields than the header has", GY_NO_FIELD);
    size_t shift = 0;
    const size_t surplus = s->fields - s->columns;
    if (surplus > 0 && !find_shift(s, surplus, &shift))
        return gy_row_skip(r, NULL, "more fields than the header has, and no place for them", s->field[0]);
    const struct gy_field id = field(s, JOB_ID, shift, surplus), limit = field(s, LIMIT, shift, surplus);
    if (memchr(id.at, '[', id.len))
        return gy_row_skip(r, "JobID", "array tasks that never started", id);
    if (!gy_row_id(r, "JobID", id, rec) || !resources(r, s, shift, surplus, rec) ||
        !gy_row_state(r, "State", field(s, STATE, shift, surplus), rec) ||
        !gy_row_lifetime(r, known_time(field(s, SUBMIT, shift, surplus)), known_time(field(s, START, shift, surplus)),
                         known_time(field(s, END, shift, surplus)), rec))
        return GY_ROW_SKIPPED;
    gy_time t;
    if (duration(limit, &t) && t > 0)
        rec->limit = t;
    rec->user = gy_row_text(r, field(s, USER, shift, surplus));
    rec->team = gy_row_text(r, field(s, ACCOUNT, shift, surplus));
    rec->partition = gy_row_text(r, field(s, PARTITION, shift, surplus));
    rec->qos = gy_row_text(r, field(s, QOS, shift, surplus));
    const char *task = memchr(id.at, '_', id.len);
    if (task)
        rec->array = gy_row_text(r, (struct gy_field){id.at, (size_t)(task - id.at)});
    return 1;
}

/* A step's id has a dot: "123.batch". */
static bool is_step(const struct sacct *s)
{
    const char *id = field_at(s->record, s->len, s->column[JOB_ID]);
    const char *bar = id ? memchr(id, '|', s->len - (size_t)(id - s->record)) : NULL;
    return bar && memchr(id, '.', (size_t)(bar - id));
}

static int next(struct gy_reader *r, struct gy_job_rec *rec, struct gy_error *err)
{
    struct sacct *s = r->state;
    do {
        if (s->next_len == 0)
            return 0;
        s->len = 0;
        r->line = s->next_line;
        if (!append(&s->record, &s->len, &s->cap, s->next, s->next_len))
            return gy_nomem(err);
        s->next_len = 0;
        if (next_line(r, s, err) < 0)
            return -1;
    } while (is_step(s));
    return one_record(r, s, rec);
}

const struct gy_reader_type gy_read_sacct = {
    .name = "sacct",
    .summary = "Slurm's sacct -P with a header, or Open XDMoD's 26 fields without",
    .sniff = sniff,
    .open = open_sacct,
    .next = next,
    .close = close_sacct,
};
