/* Loading a study and laying out its points. Runs nothing. */
#include "gy_study.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gy_file.h"
#include "gy_stream.h"
#include "inside.h"

struct sample {
    int method; /* 0 grid */
    int64_t n, seed;
};
struct sections {
    const struct gy_json *base, *axes, *points, *set, *seeds;
    struct gy_study_plan plan;
    const char *name;
    struct sample sample;
};
enum { GRID, RANDOM, HYPERCUBE };

static const struct gy_param sample_rows[] = {{.name = "method",
                                               .type = GY_P_CHOICE,
                                               .offset = offsetof(struct sample, method),
                                               .preset = "\"grid\"",
                                               .choices = "grid|random|latin-hypercube",
                                               .help = "how points are taken from the axes",
                                               .source = ""},
                                              {.name = "n",
                                               .type = GY_P_INT,
                                               .offset = offsetof(struct sample, n),
                                               .preset = "100",
                                               .min = 1,
                                               .max = GY_STUDY_POINTS_MAX,
                                               .help = "points of a random or Latin-hypercube sample",
                                               .source = ""},
                                              {.name = "seed",
                                               .type = GY_P_INT,
                                               .offset = offsetof(struct sample, seed),
                                               .preset = "1",
                                               .min = 0,
                                               .max = 9007199254740991.0,
                                               .help = "of the sample itself",
                                               .source = ""},
                                              {.name = NULL}};
static const struct gy_param rows[] = {
    {.name = "name",
     .type = GY_P_TEXT,
     .offset = offsetof(struct sections, name),
     .preset = "null",
     .help = "for people",
     .source = ""},
    {.name = "base",
     .type = GY_P_JSON,
     .offset = offsetof(struct sections, base),
     .help = "path of the base scenario, relative to the study, or the scenario itself",
     .source = ""},
    {.name = "set",
     .type = GY_P_JSON,
     .offset = offsetof(struct sections, set),
     .preset = "null",
     .help = "values by JSON pointer that all points share",
     .source = ""},
    {.name = "axes",
     .type = GY_P_JSON,
     .offset = offsetof(struct sections, axes),
     .preset = "null",
     .help = "by JSON pointer: an array of values, or {min, max, step | steps, integer, scale}",
     .source = ""},
    {.name = "points",
     .type = GY_P_JSON,
     .offset = offsetof(struct sections, points),
     .preset = "null",
     .help = "instead of axes: an array of objects of values by JSON pointer",
     .source = ""},
    {.name = "seeds",
     .type = GY_P_JSON,
     .offset = offsetof(struct sections, seeds),
     .preset = "null",
     .help = "an array of seeds, each of which every point is run with; the base's own seed when absent",
     .source = ""},
    {.name = "sample",
     .type = GY_P_OBJECT,
     .offset = offsetof(struct sections, sample),
     .preset = "{}",
     .fields = sample_rows,
     .help = "a sample of the axes instead of their grid",
     .source = ""},
    {.name = "goal",
     .type = GY_P_JSON,
     .offset = offsetof(struct sections, plan.goal),
     .preset = "null",
     .help = "plan: thresholds to meet",
     .source = ""},
    {.name = "vary",
     .type = GY_P_JSON,
     .offset = offsetof(struct sections, plan.vary),
     .preset = "null",
     .help = "plan: by JSON pointer, {min, max, integer, step, prefer}",
     .source = ""},
    {.name = "minimize",
     .type = GY_P_TEXT,
     .offset = offsetof(struct sections, plan.minimize),
     .preset = "null",
     .help = "plan: what to make small: \"cost\" (of the cluster an hour), \"gpus\", \"nodes\", or a metric",
     .source = ""},
    {.name = "confidence",
     .type = GY_P_REAL,
     .offset = offsetof(struct sections, plan.confidence),
     .preset = "0.95",
     .min = 0.5,
     .max = 0.9999,
     .help = "plan: with several seeds, how sure a goal must be met",
     .source = ""},
    {.name = "max_settings",
     .type = GY_P_INT,
     .offset = offsetof(struct sections, plan.max_settings),
     .preset = "200",
     .min = 1,
     .max = 1000000,
     .help = "plan: settings to try at most",
     .source = ""},
    {.name = NULL}};

struct axis_range {
    double min, max, step;
    int64_t steps;
    bool integer;
    int scale;
};
static const struct gy_param range_rows[] = {
    {.name = "min", .type = GY_P_REAL, .offset = offsetof(struct axis_range, min), .help = "least value"},
    {.name = "max", .type = GY_P_REAL, .offset = offsetof(struct axis_range, max), .help = "largest value"},
    {.name = "step",
     .type = GY_P_REAL,
     .offset = offsetof(struct axis_range, step),
     .preset = "null",
     .help = "distance of a grid"},
    {.name = "steps",
     .type = GY_P_INT,
     .offset = offsetof(struct axis_range, steps),
     .preset = "0",
     .min = 0,
     .max = GY_STUDY_POINTS_MAX,
     .help = "values of a grid, ends included"},
    {.name = "integer",
     .type = GY_P_BOOL,
     .offset = offsetof(struct axis_range, integer),
     .preset = "false",
     .help = "round"},
    {.name = "scale",
     .type = GY_P_CHOICE,
     .offset = offsetof(struct axis_range, scale),
     .preset = "\"linear\"",
     .choices = "linear|log",
     .help = "of the grid or the sample"},
    {.name = NULL}};

static void complain(struct gy_diags *diags, const struct gy_json_doc *doc, const char *pointer, const char *what)
{
    struct gy_error err = {0};
    char place[sizeof err.place];
    gy_json_place(doc, pointer, place, sizeof place);
    gy_fail(&err, GY_EINPUT, place, "%s", what);
    gy_diags_add(diags, &err);
}

static bool out_of_memory(struct gy_diags *diags)
{
    struct gy_error err = {0};
    gy_nomem(&err);
    gy_diags_add(diags, &err);
    return false;
}

/* A value as compact JSON text. */
static const char *text_of(struct gy_arena *arena, const struct gy_json *v)
{
    struct gy_error err = {0};
    struct gy_writer *w = gy_writer_open(NULL, &err);
    if (!w)
        return NULL;
    struct gy_json_out o = {.to = w, .compact = true};
    gy_jo_value(&o, NULL, v);
    size_t len;
    const char *text = gy_writer_memory(w, &len);
    while (len > 0 && text[len - 1] == '\n')
        len--;
    const char *kept = gy_arena_strndup(arena, text, len);
    gy_writer_abandon(w);
    return kept;
}

static const char *number_text(struct gy_arena *arena, double v)
{
    char buf[32];
    return gy_arena_strndup(arena, buf, gy_number_print(v, buf));
}

/* The value at part u of the way, 0 … 1. */
static double along(const struct gy_axis *a, double u)
{
    const double v = a->log ? a->min * pow(a->max / a->min, u) : a->min + (a->max - a->min) * u;
    return a->integer ? round(v) : v;
}

static bool range_axis(struct gy_study *s, struct gy_axis *a, const struct gy_json *v, const char *at, bool sampled,
                       struct gy_diags *diags)
{
    struct axis_range r = {0};
    if (gy_bind(range_rows, s->doc, v, at, &r, &s->arena, diags))
        return false;
    if (!(r.min <= r.max) || (r.scale == 1 && !(r.min > 0)) || (!isnan(r.step) && !(r.step > 0))) {
        complain(diags, s->doc, at, "expected min ≤ max, a step above 0, and a min above 0 on a log scale");
        return false;
    }
    *a = (struct gy_axis){
        .pointer = a->pointer, .min = r.min, .max = r.max, .range = true, .integer = r.integer, .log = r.scale == 1};
    if (sampled)
        return true;
    const double span = isnan(r.step) ? (double)r.steps - 1 : floor((r.max - r.min) / r.step + 1e-9);
    if ((isnan(r.step) && r.steps < 1) || span > GY_STUDY_POINTS_MAX) {
        complain(diags, s->doc, at, "a range in a grid needs \"step\" or \"steps\", and at most a million values");
        return false;
    }
    for (double i = 0; i <= span; i++) {
        const double x = isnan(r.step) ? along(a, span > 0 ? i / span : 0) : r.min + i * r.step;
        const char *text = number_text(&s->arena, a->integer ? round(x) : x);
        if (!text || !gy_vec_push(&a->values, text))
            return out_of_memory(diags);
    }
    return true;
}

static bool add_axis(struct gy_study *s, const struct gy_json *v, bool sampled, struct gy_diags *diags)
{
    char at[600];
    struct gy_axis a = {.pointer = gy_json_key(v)};
    snprintf(at, sizeof at, "/axes/%s", gy_json_key(v));
    for (char *p = at + 6; *p; p++) /* the key is one component: its own slashes are escaped as RFC 6901 says */
        if (*p == '/' && strlen(at) + 2 < sizeof at) {
            memmove(p + 2, p + 1, strlen(p));
            memcpy(p, "~1", 2);
        }
    if (gy_json_type(v) == GY_J_OBJECT) {
        if (!range_axis(s, &a, v, at, sampled, diags))
            return false;
    } else if (gy_json_type(v) == GY_J_ARRAY && gy_json_first(v)) {
        for (const struct gy_json *x = gy_json_first(v); x; x = gy_json_next(x)) {
            const char *text = text_of(&s->arena, x);
            if (!text || !gy_vec_push(&a.values, text))
                return out_of_memory(diags);
        }
    } else {
        complain(diags, s->doc, at, "expected an array of values or a range {min, max, …}");
        return false;
    }
    return gy_vec_push(&s->axes, a) || out_of_memory(diags);
}

static bool push_set(struct gy_study *s, const char *pointer, const char *value, struct gy_diags *diags)
{
    const char *set = gy_arena_printf(&s->arena, "%s=%s", pointer, value);
    return (set && gy_vec_push(&s->sets, set)) || out_of_memory(diags);
}

/* The last axis runs fastest, so neighbours differ in one value. */
static bool grid(struct gy_study *s, struct gy_diags *diags)
{
    double points = 1;
    for (size_t i = 0; i < s->axes.n; i++)
        points *= (double)s->axes.at[i].values.n;
    if (points * (double)s->seeds.n > GY_STUDY_POINTS_MAX) {
        complain(diags, s->doc, "/axes", "the grid has more than a million points; use \"sample\"");
        return false;
    }
    s->settings = (size_t)points;
    for (size_t p = 0; p < s->settings; p++) {
        size_t stride = s->settings, rest = p;
        for (size_t i = 0; i < s->axes.n; i++) {
            const struct gy_axis *a = &s->axes.at[i];
            stride /= a->values.n;
            if (!push_set(s, a->pointer, a->values.at[rest / stride], diags))
                return false;
            rest %= stride;
        }
    }
    return true;
}

/* McKay, Beckman and Conover 1979: each axis is cut into n equal parts, each part used once, in a random order. */
static bool sample_axes(struct gy_study *s, const struct sample *how, struct gy_diags *diags)
{
    const size_t n = (size_t)how->n, axes = s->axes.n;
    struct gy_stream stream;
    double *u = calloc(n * axes + 1, sizeof *u);
    if (!u || !gy_stream_init(&stream, (uint64_t)how->seed, "sample")) {
        free(u);
        return out_of_memory(diags);
    }
    for (size_t i = 0; i < axes; i++) {
        for (size_t p = 0; p < n; p++)
            u[p * axes + i] = how->method == RANDOM ? gy_stream_uniform(&stream)
                                                    : ((double)p + gy_stream_uniform(&stream)) / (double)n;
        for (size_t p = n; how->method == HYPERCUBE && p > 1; p--) {
            const size_t q = gy_stream_below(&stream, p);
            const double swap = u[(p - 1) * axes + i];
            u[(p - 1) * axes + i] = u[q * axes + i];
            u[q * axes + i] = swap;
        }
    }
    bool ok = true;
    for (size_t p = 0; p < n && ok; p++)
        for (size_t i = 0; i < axes && ok; i++) {
            const struct gy_axis *a = &s->axes.at[i];
            const double x = u[p * axes + i];
            const char *value =
                a->range ? number_text(&s->arena, along(a, x)) : a->values.at[(size_t)(x * (double)a->values.n)];
            ok = value ? push_set(s, a->pointer, value, diags) : out_of_memory(diags);
        }
    s->settings = n;
    gy_stream_free(&stream);
    free(u);
    return ok;
}

/* Every point of a list names the same pointers: they become the axes. */
static bool list_points(struct gy_study *s, const struct gy_json *list, struct gy_diags *diags)
{
    const struct gy_json *head = gy_json_first(list);
    if (gy_json_type(list) != GY_J_ARRAY || !head || gy_json_type(head) != GY_J_OBJECT) {
        complain(diags, s->doc, "/points", "expected an array of objects of values by JSON pointer");
        return false;
    }
    for (const struct gy_json *k = gy_json_first(head); k; k = gy_json_next(k)) {
        const struct gy_axis a = {.pointer = gy_json_key(k)};
        if (!gy_vec_push(&s->axes, a))
            return out_of_memory(diags);
    }
    for (const struct gy_json *p = head; p; p = gy_json_next(p), s->settings++)
        for (size_t i = 0; i < s->axes.n; i++) {
            const struct gy_json *v = gy_json_type(p) == GY_J_OBJECT ? gy_json_get(p, s->axes.at[i].pointer) : NULL;
            char at[64];
            snprintf(at, sizeof at, "/points/%zu", s->settings);
            if (!v || gy_json_count(p) != s->axes.n) {
                complain(diags, s->doc, at, "every point must give the same pointers as the first one");
                return false;
            }
            const char *text = text_of(&s->arena, v);
            if (!text ? !out_of_memory(diags) : !push_set(s, s->axes.at[i].pointer, text, diags))
                return false;
            if (!text)
                return false;
        }
    return true;
}

static bool read_seeds(struct gy_study *s, const struct gy_json *list, const struct gy_overrides *common,
                       struct gy_diags *diags)
{
    int64_t seed;
    if (common && common->has_seed) /* of the command line: it alone */
        return gy_vec_push(&s->seeds, common->seed) || out_of_memory(diags);
    for (const struct gy_json *v = list && gy_json_type(list) == GY_J_ARRAY ? gy_json_first(list) : NULL; v;
         v = gy_json_next(v)) {
        if (!gy_json_is_integer(v, &seed) || seed < 0) {
            complain(diags, s->doc, "/seeds", "expected an array of integers from 0 on");
            return false;
        }
        if (!gy_vec_push(&s->seeds, seed))
            return out_of_memory(diags);
    }
    if (list && s->seeds.n == 0) {
        complain(diags, s->doc, "/seeds", "expected an array of at least one integer");
        return false;
    }
    if (s->seeds.n > 0)
        return true;
    const struct gy_json *own = gy_json_get(gy_json_root(s->base), "seed");
    seed = own && gy_json_is_integer(own, &seed) ? seed : 1;
    return gy_vec_push(&s->seeds, seed) || out_of_memory(diags);
}

/* The base, from its file or from inside the study, with "set" and the command line's overrides applied. */
static struct gy_json_doc *load_base(struct gy_study *s, const struct sections *x, const struct gy_overrides *common,
                                     struct gy_diags *diags)
{
    struct gy_error err = {0};
    struct gy_json_doc *base = NULL;
    char path[4096];
    const char *file = gy_json_string(x->base);
    if (x->set && gy_json_type(x->set) != GY_J_OBJECT) {
        complain(diags, s->doc, "/set", "expected an object of values by JSON pointer");
        return NULL;
    }
    if (file && !gy_path_resolve(s->path, file, path, sizeof path))
        gy_fail(&err, GY_EINPUT, "/base", "the path is too long");
    else if (file)
        base = gy_json_load(path, &err);
    else if ((base = gy_json_parse(s->path, "{}", 2, &err)) && gy_json_merge_as(base, x->base, s->path, &err)) {
        gy_json_free(base);
        base = NULL;
    }
    bool ok = base != NULL;
    for (const struct gy_json *v = ok && x->set ? gy_json_first(x->set) : NULL; v && ok; v = gy_json_next(v)) {
        const char *text = text_of(&s->arena, v);
        ok = (text ? gy_json_set_as(base, gy_json_key(v), text, s->path, &err) : gy_nomem(&err)) == 0;
    }
    for (size_t i = 0; common && ok && i < common->n_sets; i++) {
        const char *set = common->sets[i], *equals = strchr(set, '=');
        const char *pointer = equals ? gy_arena_strndup(&s->arena, set, (size_t)(equals - set)) : NULL;
        ok = (pointer ? gy_json_set_as(base, pointer, equals + 1, "--set", &err)
                      : gy_fail(&err, GY_EUSAGE, "--set", "expected POINTER=VALUE, found %s", set)) == 0;
    }
    if (ok && common && common->trace)
        ok = gy_json_set_as(base, "/trace/path", common->trace, "--trace", &err) == 0;
    if (ok)
        return base;
    gy_diags_add(diags, &err);
    gy_json_free(base);
    return NULL;
}

static bool lay_out(struct gy_study *s, const struct sections *x, struct gy_diags *diags)
{
    if (x->axes && x->points) {
        complain(diags, s->doc, "/points", "a study has either \"axes\" or \"points\"");
        return false;
    }
    if (x->axes && gy_json_type(x->axes) != GY_J_OBJECT) {
        complain(diags, s->doc, "/axes", "expected an object: by JSON pointer, an array of values or a range");
        return false;
    }
    if (x->points)
        return list_points(s, x->points, diags);
    for (const struct gy_json *v = x->axes ? gy_json_first(x->axes) : NULL; v; v = gy_json_next(v))
        if (!add_axis(s, v, x->sample.method != GRID, diags))
            return false;
    return x->sample.method == GRID ? grid(s, diags) : sample_axes(s, &x->sample, diags);
}

struct gy_study *gy_study_load(const char *path, const struct gy_overrides *common, struct gy_diags *diags)
{
    struct gy_error err = {0};
    struct gy_study *s = calloc(1, sizeof *s);
    struct sections x = {0};
    if (!s) {
        out_of_memory(diags);
        return NULL;
    }
    s->path = path;
    if (!(s->doc = gy_json_load(path, &err)))
        gy_diags_add(diags, &err);
    else if (gy_bind(rows, s->doc, gy_json_root(s->doc), "", &x, &s->arena, diags) == 0 &&
             (s->base = load_base(s, &x, common, diags)) && read_seeds(s, x.seeds, common, diags) &&
             lay_out(s, &x, diags)) {
        s->plan = x.plan;
        return s;
    }
    gy_study_free(s);
    return NULL;
}

void gy_study_free(struct gy_study *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->axes.n; i++)
        gy_vec_free(&s->axes.at[i].values);
    gy_vec_free(&s->axes);
    gy_vec_free(&s->seeds);
    gy_vec_free(&s->sets);
    gy_json_free((struct gy_json_doc *)s->base);
    gy_json_free(s->doc);
    gy_arena_free(&s->arena);
    free(s);
}

size_t gy_study_points(const struct gy_study *s)
{
    return s->settings * s->seeds.n;
}

int64_t gy_study_seed(const struct gy_study *s, size_t point)
{
    return s->seeds.at[point % s->seeds.n];
}

const char *gy_study_value(const struct gy_study *s, size_t point, size_t axis)
{
    return strchr(s->sets.at[point / s->seeds.n * s->axes.n + axis], '=') + 1;
}

/* A text as JSON. */
static const char *quoted(struct gy_arena *arena, const char *text)
{
    struct gy_error err = {0};
    struct gy_writer *w = gy_writer_open(NULL, &err);
    if (!w)
        return NULL;
    struct gy_json_out o = {.to = w, .compact = true};
    gy_jo_string(&o, NULL, text);
    const char *kept = gy_arena_printf(arena, "%s", gy_writer_memory(w, NULL));
    gy_writer_abandon(w);
    return kept;
}

/* The base with {seed} in its trace's path replaced, or NULL where the path has none. */
static struct gy_json_doc *seeded(const struct gy_study *s, int64_t seed, struct gy_error *err)
{
    const char *path = gy_json_string(gy_json_at(gy_json_root(s->base), "/trace/path"));
    const char *mark = path ? strstr(path, "{seed}") : NULL;
    struct gy_json_doc *copy;
    struct gy_arena arena = GY_ARENA_INIT;
    if (!mark)
        return NULL;
    const char *named =
        gy_arena_printf(&arena, "%.*s%lld%s", (int)(mark - path), path, (long long)seed, mark + strlen("{seed}"));
    named = named ? quoted(&arena, named) : NULL;
    copy = named ? gy_json_copy(s->base) : NULL;
    if (!copy) {
        gy_nomem(err);
    } else if (gy_json_set_as(copy, "/trace/path", named, gy_json_origin(s->base, "/trace/path"), err)) {
        gy_json_free(copy);
        copy = NULL;
    } else {
        *err = (struct gy_error){0};
    }
    gy_arena_free(&arena);
    return copy;
}

struct gy_scenario *gy_study_scenario_of(const struct gy_study *s, const char *const *sets, size_t n, int64_t seed,
                                         struct gy_diags *diags)
{
    const struct gy_overrides o = {.sets = sets, .n_sets = n, .has_seed = true, .seed = seed};
    struct gy_error err = {0};
    struct gy_json_doc *own = seeded(s, seed, &err);
    struct gy_scenario *scenario = NULL;
    if (err.code)
        gy_diags_add(diags, &err);
    else
        scenario = gy_scenario_from(own ? own : s->base, &o, diags);
    gy_json_free(own);
    return scenario;
}

struct gy_scenario *gy_study_scenario(const struct gy_study *s, size_t point, struct gy_diags *diags)
{
    return gy_study_scenario_of(s, s->sets.at ? s->sets.at + point / s->seeds.n * s->axes.n : NULL, s->axes.n,
                                gy_study_seed(s, point), diags);
}

int gy_study_schema(struct gy_writer *to, struct gy_error *err)
{
    struct gy_json_out o = {.to = to};
    (void)err;
    gy_bind_schema(rows, &o, NULL);
    return 0;
}

void gy_study_keys(struct gy_writer *to)
{
    gy_writer_text(to, "| key | what | default | meaning |\n| --- | --- | --- | --- |\n");
    gy_sc_key_rows(rows, "", to);
}
