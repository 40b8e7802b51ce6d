/* A sweep's results in the order of its points, from the store: CSV and JSON. */
#include <math.h>
#include <string.h>
#include "gy_file.h"
#include "gy_hash.h"
#include "gy_sweep.h"

struct column {
    const char *name;
};
struct columns { /* metrics, in the order in which points first have them */
    GY_VEC(struct column) at;
    struct gy_map by_name;
    struct gy_arena arena;
    GY_VEC(double) value; /* of the present point */
    GY_VEC(const char *) word;
    struct gy_arena words;
};

static void columns_free(struct columns *c)
{
    gy_vec_free(&c->at);
    gy_vec_free(&c->value);
    gy_vec_free(&c->word);
    gy_map_free(&c->by_name);
    gy_arena_free(&c->arena);
    gy_arena_free(&c->words);
}

static int see(void *ctx, const char *name, double value, const char *word)
{
    struct columns *c = ctx;
    const uint64_t key = gy_hash_bytes(name, strlen(name));
    (void)value;
    (void)word;
    if (gy_map_get(&c->by_name, key, &(uint64_t){0}))
        return 0;
    const struct column new_column = {gy_arena_strndup(&c->arena, name, strlen(name))};
    return new_column.name && gy_vec_push(&c->at, new_column) && gy_map_put(&c->by_name, key, c->at.n - 1) ? 0 : -1;
}

static int fill(void *ctx, const char *name, double value, const char *word)
{
    struct columns *c = ctx;
    uint64_t at;
    if (!gy_map_get(&c->by_name, gy_hash_bytes(name, strlen(name)), &at))
        return -1;
    c->value.at[at] = value;
    c->word.at[at] = word ? gy_arena_strndup(&c->words, word, strlen(word)) : NULL;
    return 0;
}

static int all_columns(const struct gy_sweep *s, struct gy_store *store, struct columns *c, struct gy_error *err)
{
    for (size_t p = 0; p < s->points.n; p++)
        if (gy_store_get(store, s->points.at[p].id, see, c, err))
            return err->code ? -1 : gy_nomem(err);
    if (!gy_vec_reserve(&c->value, c->at.n + 1) || !gy_vec_reserve(&c->word, c->at.n + 1))
        return gy_nomem(err);
    return 0;
}

static int read_point(const struct gy_sweep *s, struct gy_store *store, size_t p, struct columns *c,
                      struct gy_error *err)
{
    gy_arena_reset(&c->words);
    for (size_t i = 0; i < c->at.n; i++) {
        c->value.at[i] = NAN;
        c->word.at[i] = NULL;
    }
    return gy_store_get(store, s->points.at[p].id, fill, c, err);
}

/* An axis's value without the quotes of a JSON string. */
static void csv_value(struct gy_writer *to, const char *json)
{
    struct gy_error err = {0};
    struct gy_json_doc *doc = gy_json_parse("value", json, strlen(json), &err);
    const char *text = doc ? gy_json_string(gy_json_root(doc)) : NULL;
    gy_writer_csv(to, text ? text : json);
    gy_json_free(doc);
}

int gy_sweep_write_csv(const struct gy_sweep *s, struct gy_store *store, struct gy_writer *to, struct gy_error *err)
{
    struct columns c = {0};
    int rc = all_columns(s, store, &c, err);
    if (rc == 0) {
        gy_writer_text(to, "point,id,seed");
        for (size_t i = 0; i < s->study->axes.n; i++) {
            gy_writer_put(to, ",", 1);
            gy_writer_csv(to, s->study->axes.at[i].pointer);
        }
        for (size_t i = 0; i < c.at.n; i++) {
            gy_writer_put(to, ",", 1);
            gy_writer_csv(to, c.at.at[i].name);
        }
        gy_writer_put(to, "\n", 1);
    }
    for (size_t p = 0; p < s->points.n && rc == 0; p++) {
        rc = read_point(s, store, p, &c, err);
        gy_writer_printf(to, "%zu,%s,%lld", p, s->points.at[p].id, (long long)gy_study_seed(s->study, p));
        for (size_t i = 0; i < s->study->axes.n; i++) {
            gy_writer_put(to, ",", 1);
            csv_value(to, gy_study_value(s->study, p, i));
        }
        for (size_t i = 0; i < c.at.n; i++) {
            gy_writer_put(to, ",", 1);
            if (c.word.at[i])
                gy_writer_csv(to, c.word.at[i]);
            else
                gy_writer_csv_number(to, c.value.at[i]);
        }
        gy_writer_put(to, "\n", 1);
    }
    columns_free(&c);
    return rc;
}

int gy_sweep_write_json(const struct gy_sweep *s, struct gy_store *store, struct gy_writer *to, struct gy_error *err)
{
    struct columns c = {0};
    struct gy_json_out o = {.to = to};
    int rc = all_columns(s, store, &c, err);
    gy_jo_object(&o, NULL);
    gy_jo_array(&o, "points");
    for (size_t p = 0; p < s->points.n && rc == 0; p++) {
        rc = read_point(s, store, p, &c, err);
        gy_jo_object(&o, NULL);
        gy_jo_string(&o, "id", s->points.at[p].id);
        gy_jo_integer(&o, "seed", gy_study_seed(s->study, p));
        gy_jo_object(&o, "setting");
        for (size_t i = 0; i < s->study->axes.n; i++) {
            const char *value = gy_study_value(s->study, p, i);
            struct gy_json_doc *doc = gy_json_parse("value", value, strlen(value), err);
            if (doc)
                gy_jo_value(&o, s->study->axes.at[i].pointer, gy_json_root(doc));
            gy_json_free(doc);
        }
        gy_jo_end(&o, '}');
        gy_jo_object(&o, "metrics");
        for (size_t i = 0; i < c.at.n; i++) {
            if (c.word.at[i])
                gy_jo_string(&o, c.at.at[i].name, c.word.at[i]);
            else
                gy_jo_number(&o, c.at.at[i].name, c.value.at[i]);
        }
        gy_jo_end(&o, '}');
        gy_jo_end(&o, '}');
    }
    gy_jo_end(&o, ']');
    gy_jo_end(&o, '}');
    columns_free(&c);
    return rc;
}
