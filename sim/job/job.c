/* Names of job states and reasons, and a record's id as text. Not the life cycle (sim/engine). */
#include "gy_job.h"
#include <inttypes.h>
#include <stdio.h>

const char *gy_job_state_name(enum gy_job_state s)
{
    static const char *const name[] = {
#define X(id, text) [id] = text,
        GY_JOB_STATES(X)
#undef X
    };
    return (size_t)s < sizeof name / sizeof *name ? name[s] : "?";
}

const char *gy_reason_name(enum gy_reason r)
{
    static const char *const name[] = {
#define X(id, text, long_text) [id] = text,
        GY_REASONS(X)
#undef X
    };
    return (size_t)r < GY_R_COUNT ? name[r] : "?";
}

const char *gy_reason_text(enum gy_reason r)
{
    static const char *const text[] = {
#define X(id, name, long_text) [id] = long_text,
        GY_REASONS(X)
#undef X
    };
    return (size_t)r < GY_R_COUNT ? text[r] : "?";
}

const char *gy_job_rec_id(const struct gy_job_rec *r, const struct gy_strings *s, char *buf)
{
    if (r->name != 0)
        return gy_strings_text(s, r->name);
    snprintf(buf, 24, "%" PRIu64, r->number);
    return buf;
}
