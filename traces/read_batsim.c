/* Batsim workloads: {"nb_res", "jobs": [{id, subtime, res, walltime?, profile}], "profiles": {name: {type, …}}}; the
 * replay of OAR logs has jobs as an object keyed by id. One host is one GPU. Profiles that are a fixed delay (or a
 * sequence of such) have a run time; profiles of computation and communication need Batsim's platform model to have
 * one, so their jobs are skipped. walltime -1 or absent is no limit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gy_hash.h"
#include "reader.h"

#define FILE_MAX  ((size_t)1 << 27) /* a tree of it takes many times that in memory */
#define DEPTH_MAX 500               /* of profiles made of profiles */

struct profile {
    const struct gy_json *is;
    double seconds;
    const char *why;  /* it has no run time; NULL: it has */
    bool known, open; /* open: being worked out */
};

struct batsim {
    struct gy_json_doc *doc;
    const struct gy_json *profiles, *job; /* job: the next one */
    GY_VEC(struct profile) list;
    struct gy_map names; /* interned name of a profile to its index in list */
};

static int sniff(const char *bytes, size_t n, const char *file_name)
{
    size_t i = 0;

    (void)file_name;
    while (i < n && strchr(" \t\r\n", bytes[i]) != NULL && bytes[i] != '\0')
        i++;
    if (i == n || bytes[i] != '{')
        return 0;
    if (memmem(bytes, n, "\"subtime\"", 9) != NULL)
        return 100;
    return memmem(bytes, n, "\"nb_res\"", 8) != NULL ? 95 : memmem(bytes, n, "\"jobs\"", 6) != NULL ? 60 : 20;
}

/* Profiles are many and looked up by name for each job: an index over them. */
static int index_profiles(struct gy_reader *r, struct batsim *b, struct gy_error *err)
{
    for (const struct gy_json *p = gy_json_first(b->profiles); p != NULL; p = gy_json_next(p)) {
        const char *key = gy_json_key(p);
        gy_str name = key == NULL ? 0 : gy_strings_add(r->t->strings, key, strlen(key));
        if (name == GY_STR_FAIL || !gy_map_put(&b->names, name, b->list.n) ||
            !gy_vec_push(&b->list, ((struct profile){.is = p})))
            return gy_nomem(err);
    }
    return 0;
}

static int open_workload(struct gy_reader *r, struct gy_error *err)
{
    struct batsim *b = calloc(1, sizeof *b);
    size_t len;

    r->state = b;
    r->has_ids = true;
    if (b == NULL)
        return gy_nomem(err);
    char *text = gy_input_slurp(r->in, FILE_MAX, &len, err);
    if (text == NULL)
        return -1;
    b->doc = gy_json_parse(gy_input_name(r->in), text, len, err);
    free(text);
    if (b->doc == NULL)
        return -1;
    const struct gy_json *root = gy_json_root(b->doc), *jobs = gy_json_get(root, "jobs");
    b->profiles = gy_json_get(root, "profiles");
    if (jobs == NULL || (gy_json_type(jobs) != GY_J_ARRAY && gy_json_type(jobs) != GY_J_OBJECT)) {
        gy_fail(err, GY_EINPUT, gy_input_name(r->in),
                "/jobs: an array of jobs, or an object of them by id, was expected");
        return -1;
    }
    if (b->profiles == NULL || gy_json_type(b->profiles) != GY_J_OBJECT) {
        gy_fail(err, GY_EINPUT, gy_input_name(r->in), "/profiles: an object was expected");
        return -1;
    }
    b->job = gy_json_first(jobs);
    return index_profiles(r, b, err);
}

static struct profile *find_profile(const struct gy_reader *r, const struct batsim *b, const char *name)
{
    gy_str id = gy_strings_find(r->t->strings, name, strlen(name));
    uint64_t at;

    return id != GY_STR_FAIL && gy_map_get(&b->names, id, &at) ? &b->list.at[at] : NULL;
}

static bool is_delay(const char *type)
{
    return strcmp(type, "delay") == 0 || strcmp(type, "Delay") == 0 || strcmp(type, "DelayProfile") == 0;
}

static bool is_sequence(const char *type)
{
    return strcmp(type, "composed") == 0 || strcmp(type, "SequentialComposition") == 0 ||
           strcmp(type, "SequentialCompositionProfile") == 0;
}

static double seconds(const struct gy_reader *r, const struct batsim *b, const char *name, int depth, const char **why);

static double sequence(const struct gy_reader *r, const struct batsim *b, const struct gy_json *p, int depth,
                       const char **why)
{
    const struct gy_json *repeat = gy_json_get(p, "repeat");
    double times = repeat == NULL ? 1 : gy_json_number(repeat), sum = 0;

    if (depth >= DEPTH_MAX || !(times >= 0))
        *why = depth >= DEPTH_MAX ? "a sequence too deep" : "repeat is not a number from 0";
    for (const struct gy_json *part = gy_json_first(gy_json_get(p, "seq")); part != NULL && *why == NULL;
         part = gy_json_next(part)) {
        const char *name = gy_json_string(part);
        if (name == NULL)
            *why = "a sequence of what are not names";
        else
            sum += seconds(r, b, name, depth + 1, why);
    }
    return sum * times;
}

/* Seconds that a profile takes by itself, worked out once; a text of why not in *why. */
static double seconds(const struct gy_reader *r, const struct batsim *b, const char *name, int depth, const char **why)
{
    struct profile *p = find_profile(r, b, name);
    const char *type = p == NULL ? NULL : gy_json_string(gy_json_get(p->is, "type"));

    *why = p == NULL ? "not among the profiles" : p->open ? "a sequence that holds itself" : p->why;
    if (*why != NULL || p->known)
        return p != NULL ? p->seconds : 0;
    p->open = true;
    if (type == NULL) {
        *why = "has no type";
    } else if (is_delay(type)) {
        p->seconds = gy_json_number(gy_json_get(p->is, "delay"));
        *why = p->seconds >= 0 ? NULL : "delay is missing or negative";
    } else if (is_sequence(type) && gy_json_get(p->is, "seq") != NULL) {
        p->seconds = sequence(r, b, p->is, depth, why);
    } else {
        *why = "computes or communicates: its run time needs Batsim's platform model";
    }
    p->open = false;
    p->known = true;
    p->why = *why;
    return p->seconds;
}

static bool job_id(struct gy_reader *r, const struct gy_json *job, struct gy_job_rec *rec)
{
    const struct gy_json *id = gy_json_get(job, "id");
    int64_t number;
    char buf[24];

    if (id == NULL && gy_json_key(job) != NULL)
        return gy_row_id(r, "id", gy_field_of(gy_json_key(job)), rec);
    if (id != NULL && gy_json_string(id) != NULL)
        return gy_row_id(r, "id", gy_field_of(gy_json_string(id)), rec);
    if (id != NULL && gy_json_is_integer(id, &number)) {
        int n = snprintf(buf, sizeof buf, "%lld", (long long)number);
        return gy_row_id(r, "id", (struct gy_field){buf, (size_t)n}, rec);
    }
    gy_row_skip(r, "id", "neither a whole number nor a text", GY_NO_FIELD);
    return false;
}

/* A number of seconds ≥ 0 that a time can hold. */
static bool time_of(struct gy_reader *r, const char *key, double s, gy_time *out)
{
    if (!(s >= 0) || s > (double)(GY_TIME_MAX / GY_SECOND)) {
        gy_row_skip(r, key, s < 0 ? "negative" : s > 0 ? "too large" : "missing or not a number", GY_NO_FIELD);
        return false;
    }
    *out = gy_time_from_s(s);
    return true;
}

static double number_at(const struct gy_json *job, const char *key)
{
    const struct gy_json *v = gy_json_get(job, key);

    return v == NULL ? (double)NAN : gy_json_number(v);
}

static int row(struct gy_reader *r, struct batsim *b, const struct gy_json *job, struct gy_job_rec *rec)
{
    const char *profile, *why;
    int64_t res;

    if (gy_json_type(job) != GY_J_OBJECT)
        return gy_row_skip(r, NULL, "a job that is not an object", GY_NO_FIELD);
    if (!job_id(r, job, rec) || !time_of(r, "subtime", number_at(job, "subtime"), &rec->submit))
        return GY_ROW_SKIPPED;
    const struct gy_json *v = gy_json_get(job, "res");
    if (v == NULL || !gy_json_is_integer(v, &res) || res < 0 || res > GY_TRACE_GPUS_MAX)
        return gy_row_skip(r, "res", "not a whole number from 0 to a million", GY_NO_FIELD);
    rec->gpus = (uint32_t)res;
    v = gy_json_get(job, "walltime");
    if (v != NULL && gy_json_type(v) != GY_J_NULL && !(gy_json_number(v) < 0) &&
        !time_of(r, "walltime", gy_json_number(v), &rec->limit))
        return GY_ROW_SKIPPED;
    profile = gy_json_string(gy_json_get(job, "profile"));
    if (profile == NULL)
        return gy_row_skip(r, "profile", "missing or not a text", GY_NO_FIELD);
    double s = seconds(r, b, profile, 0, &why);
    if (why != NULL)
        return gy_row_skip(r, "profile", why, gy_field_of(profile));
    if (!time_of(r, "delay", s, &rec->duration))
        return GY_ROW_SKIPPED;
    rec->gpus_per_node = rec->gpus > 0 ? 1 : 0;
    rec->workload = gy_row_text(r, gy_field_of(profile));
    return 1;
}

static int next(struct gy_reader *r, struct gy_job_rec *rec, struct gy_error *err)
{
    struct batsim *b = r->state;
    const struct gy_json *job = b->job;

    (void)err;
    if (job == NULL)
        return 0;
    b->job = gy_json_next(job);
    return row(r, b, job, rec);
}

static void close_workload(struct gy_reader *r)
{
    struct batsim *b = r->state;

    if (b != NULL) {
        gy_json_free(b->doc);
        gy_vec_free(&b->list);
        gy_map_free(&b->names);
    }
    free(b);
}

const struct gy_reader_type gy_read_batsim = {
    .name = "batsim",
    .summary = "Batsim workload JSON with delay profiles; one host is one GPU",
    .sniff = sniff,
    .open = open_workload,
    .next = next,
    .close = close_workload,
};
