/* From the text of a field to a member of a record. A value that is not what the column should hold is reported as the
 * reason to skip the row. */
#include <string.h>
#include <strings.h>
#include "reader.h"

static bool bad(struct gy_reader *r, const char *column, const char *why, struct gy_field f)
{
    gy_row_skip(r, column, why, f);
    return false;
}

bool gy_field_none(struct gy_field f)
{
    static const char *const words[] = {"null", "None", "NULL", "NaN", "nan", "N/A"};

    if (f.len == 0)
        return true;
    if (f.len > 4 || (f.at[0] != 'n' && f.at[0] != 'N'))
        return false;
    for (size_t i = 0; i < GY_COUNT(words); i++)
        if (strcmp(f.at, words[i]) == 0)
            return true;
    return false;
}

/* As gy_time_parse_in, quicker for what most fields are: up to nine digits. */
static bool parse_in(struct gy_field f, gy_time unit, gy_time *out)
{
    gy_time n = 0;

    if (f.len == 0 || f.len > 9 || unit > GY_SECOND)
        return gy_time_parse_in(f.at, f.len, unit, out);
    for (size_t i = 0; i < f.len; i++) {
        if (f.at[i] < '0' || f.at[i] > '9')
            return gy_time_parse_in(f.at, f.len, unit, out);
        n = n * 10 + (f.at[i] - '0');
    }
    *out = n * unit;
    return true;
}

/* Why a text is no number ≥ 0 of this size. */
static bool bad_number(struct gy_reader *r, const char *column, struct gy_field f)
{
    if (gy_field_none(f))
        return bad(r, column, "missing", f);
    if (gy_number_len(f.at, f.len) != f.len)
        return bad(r, column, "not a number", f);
    return bad(r, column, f.at[0] == '-' ? "negative" : "too large", f);
}

bool gy_row_time(struct gy_reader *r, const char *column, struct gy_field f, gy_time unit, gy_time *out)
{
    if (f.len == 0 || !parse_in(f, unit, out) || *out < 0)
        return bad_number(r, column, f);
    return true;
}

bool gy_row_calendar(struct gy_reader *r, const char *column, struct gy_field f, gy_time *out)
{
    struct gy_datetime d;

    if (gy_field_none(f))
        return bad(r, column, "missing", f);
    if (!gy_datetime_parse(f.at, f.len, &d))
        return bad(r, column, "not a date and time", f);
    r->calendar = true;
    if (!r->any_calendar) {
        r->any_calendar = true;
        r->zoned = d.zoned;
        r->offset_s = d.offset_s;
    }
    if (d.zoned != r->zoned)
        gy_row_note(r, column, "times with and without a zone are mixed; those without are taken as UTC", f);
    *out = d.local - (d.zoned ? d.offset_s * GY_SECOND : 0);
    return true;
}

bool gy_row_count(struct gy_reader *r, const char *column, struct gy_field f, uint32_t most, uint32_t *out)
{
    gy_time t;

    if (f.len == 0 || !parse_in(f, GY_SECOND, &t) || t < 0)
        return bad_number(r, column, f);
    if (t % GY_SECOND != 0)
        return bad(r, column, "not a whole number", f);
    if (t / GY_SECOND > most)
        return bad(r, column, "too large", f);
    *out = (uint32_t)(t / GY_SECOND);
    return true;
}

bool gy_row_scaled(struct gy_reader *r, const char *column, struct gy_field f, int64_t scale, uint64_t *out)
{
    gy_time t;

    if (f.len == 0 || !parse_in(f, scale, &t) || t < 0)
        return bad_number(r, column, f);
    *out = (uint64_t)t;
    return true;
}

bool gy_row_integer(struct gy_reader *r, const char *column, struct gy_field f, int32_t *out)
{
    gy_time t;

    if (f.len == 0 || !gy_time_parse(f.at, f.len, &t))
        return bad_number(r, column, f);
    if (t % GY_SECOND != 0)
        return bad(r, column, "not a whole number", f);
    if (t / GY_SECOND > INT32_MAX || t / GY_SECOND < -INT32_MAX)
        return bad(r, column, "too large", f);
    *out = (int32_t)(t / GY_SECOND);
    return true;
}

gy_str gy_row_text(struct gy_reader *r, struct gy_field f)
{
    if (gy_field_none(f))
        return 0;
    gy_str id = gy_strings_add(r->t->strings, f.at, f.len);
    if (id == GY_STR_FAIL) {
        r->nomem = true;
        return 0;
    }
    return id;
}

bool gy_row_id(struct gy_reader *r, const char *column, struct gy_field f, struct gy_job_rec *rec)
{
    uint64_t n = 0;
    size_t i = 0;

    if (f.len == 0)
        return bad(r, column, "missing", f);
    if (memchr(f.at, '\0', f.len) != NULL)
        return bad(r, column, "holds a NUL byte", f);
    for (; i < f.len && i < 18 && f.at[i] >= '0' && f.at[i] <= '9'; i++)
        n = n * 10 + (uint64_t)(f.at[i] - '0');
    rec->name = 0;
    rec->number = 0;
    if (i == f.len && (f.at[0] != '0' || f.len == 1)) {
        rec->number = n;
        return true;
    }
    rec->name = gy_strings_add(r->t->strings, f.at, f.len);
    if (rec->name == GY_STR_FAIL) {
        r->nomem = true;
        rec->name = 0;
    }
    return true;
}

bool gy_row_state(struct gy_reader *r, const char *column, struct gy_field f, struct gy_job_rec *rec)
{
    static const struct {
        const char *word;
        uint8_t state;
        bool prefix;
    } words[] = {
        {"completed", GY_COMPLETED, false},  {"complete", GY_COMPLETED, false},  {"succeeded", GY_COMPLETED, false},
        {"success", GY_COMPLETED, false},    {"succeed", GY_COMPLETED, false},   {"pass", GY_COMPLETED, false},
        {"terminated", GY_COMPLETED, false}, {"failed", GY_FAILED, false},       {"fail", GY_FAILED, false},
        {"out_of_memory", GY_FAILED, false}, {"cancelled", GY_CANCELLED, true},  {"canceled", GY_CANCELLED, true},
        {"killed", GY_CANCELLED, false},     {"preempted", GY_CANCELLED, false}, {"deadline", GY_TIMEOUT, false},
        {"timeout", GY_TIMEOUT, false},      {"node_fail", GY_NODE_FAIL, false}, {"boot_fail", GY_NODE_FAIL, false},
    };

    if (gy_field_none(f))
        return true;
    for (size_t i = 0; i < GY_COUNT(words); i++) {
        size_t len = strlen(words[i].word);
        bool same_len = f.len == len || (words[i].prefix && f.len > len && f.at[len] == ' ');
        if (same_len && strncasecmp(f.at, words[i].word, len) == 0) {
            rec->end_state = words[i].state;
            return true;
        }
    }
    gy_row_note(r, column, "unknown end state, taken as completed", f);
    return true;
}

bool gy_row_span(struct gy_reader *r, const char *column, gy_time start, gy_time end, gy_time *out)
{
    if (end < start)
        return bad(r, column, "before the start", GY_NO_FIELD);
    *out = end - start;
    return true;
}

void gy_row_gpus(struct gy_reader *r, const char *column, uint64_t milli, struct gy_job_rec *rec)
{
    if (milli % GY_MILLI != 0 && milli > GY_MILLI)
        gy_row_note(r, column, "more than one GPU, but not a whole number: rounded up", GY_NO_FIELD);
    rec->gpus = (uint32_t)((milli + GY_MILLI - 1) / GY_MILLI);
    rec->gpu_milli = milli > 0 && milli < GY_MILLI ? (uint32_t)milli : GY_MILLI;
}

bool gy_row_lifetime(struct gy_reader *r, struct gy_field submit, struct gy_field start, struct gy_field end,
                     struct gy_job_rec *rec)
{
    gy_time from, to;

    if (!gy_row_calendar(r, "submit_time", submit, &rec->submit) || !gy_row_calendar(r, "end_time", end, &to))
        return false;
    if (!gy_field_none(start))
        return gy_row_calendar(r, "start_time", start, &from) && gy_row_span(r, "end_time", from, to, &rec->duration);
    if (to < rec->submit)
        return bad(r, "end_time", "before the submission", end);
    rec->duration = 0;
    rec->cancel = to;
    rec->end_state = GY_CANCELLED;
    gy_row_note(r, "start_time", "never started: cancelled at its end time if still pending then", GY_NO_FIELD);
    return true;
}
