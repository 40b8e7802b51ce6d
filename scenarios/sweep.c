/* Running the points of a sweep on threads. Each thread runs whole simulations, which share nothing that changes; the
 * store is written by one thread at a time. */
#include "crew.h"
#include "gy_hash.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "gy_file.h"

int gy_sweep_point(const struct gy_sweep *s, size_t point, const volatile int *stop_flag, gy_one_run_take *take,
                   void *ctx, struct gy_error *err)
{
    struct gy_diags diags = {0};
    struct gy_scenario *sc = gy_study_scenario(s->study, point, &diags);
    if (!sc) {
        *err = diags.at[0];
        return -1;
    }
    const int rc = gy_one_run(sc, s->inputs.at[s->points.at[point].inputs], false, stop_flag, take, ctx, err);
    gy_scenario_free(sc);
    return rc;
}

const char *gy_sweep_setting(const struct gy_sweep *s, size_t point, struct gy_arena *arena)
{
    struct gy_error err = {0};
    struct gy_writer *w = gy_writer_open(NULL, &err);
    if (!w)
        return NULL;
    struct gy_json_out o = {.to = w, .compact = true};
    gy_jo_object(&o, NULL);
    for (size_t i = 0; i < s->study->axes.n; i++) {
        const char *value = gy_study_value(s->study, point, i);
        struct gy_json_doc *doc = gy_json_parse("value", value, strlen(value), &err);
        if (doc)
            gy_jo_value(&o, s->study->axes.at[i].pointer, gy_json_root(doc));
        gy_json_free(doc);
    }
    gy_jo_end(&o, '}');
    size_t len;
    const char *text = gy_writer_memory(w, &len);
    while (len > 0 && text[len - 1] == '\n')
        len--;
    const char *kept = gy_arena_strndup(arena, text, len);
    gy_writer_abandon(w);
    return kept;
}

bool gy_crew_take(struct gy_crew *c, size_t *point)
{
    pthread_mutex_lock(&c->lock);
    const bool stop = c->o->stop_flag && *c->o->stop_flag;
    const bool got = !c->failed && !stop && c->next < c->todo.n;
    if (stop)
        c->outcome->stopped = true;
    if (got)
        *point = c->todo.at[c->next++];
    pthread_mutex_unlock(&c->lock);
    return got;
}

struct keeping {
    struct gy_crew *crew;
    size_t point;
};

int gy_crew_store(struct gy_crew *c, size_t point, const struct gy_metric *m, size_t n, struct gy_error *err)
{
    struct gy_arena arena = GY_ARENA_INIT;
    const char *setting = gy_sweep_setting(c->s, point, &arena);
    int rc = setting ? 0 : gy_nomem(err);
    pthread_mutex_lock(&c->lock);
    if (rc == 0)
        rc = gy_store_put(c->store, c->s->points.at[point].id, setting, gy_study_seed(c->s->study, point), m, n, err);
    if (rc == 0) {
        c->outcome->ran++;
        if (c->o->progress)
            c->o->progress(c->o->ctx, c->outcome->found + c->outcome->ran, c->outcome->total);
    }
    pthread_mutex_unlock(&c->lock);
    gy_arena_free(&arena);
    return rc;
}

void gy_crew_note(struct gy_crew *c, int rc, const struct gy_error *err)
{
    pthread_mutex_lock(&c->lock);
    if (rc > 0)
        c->outcome->stopped = true;
    if (rc < 0 && !c->failed) {
        c->failed = true;
        c->err = *err;
    }
    pthread_mutex_unlock(&c->lock);
}

static int keep(void *ctx, const struct gy_account *account, struct gy_error *err)
{
    const struct keeping *k = ctx;
    size_t n;
    const struct gy_metric *m = gy_account_metrics(account, &n);
    return gy_crew_store(k->crew, k->point, m, n, err);
}

static void *work(void *ctx)
{
    struct gy_crew *c = ctx;
    struct keeping k = {.crew = c};
    while (gy_crew_take(c, &k.point)) {
        struct gy_error err = {0};
        const int rc = gy_sweep_point(c->s, k.point, c->o->stop_flag, keep, &k, &err);
        gy_crew_note(c, rc, &err);
    }
    return NULL;
}

static int list_work(struct gy_crew *c, struct gy_error *err)
{
    struct gy_map seen = {0}; /* equal points are run once */
    int rc = 0;
    for (size_t p = 0; p < c->s->points.n && rc == 0; p++) {
        const char *id = c->s->points.at[p].id;
        if (c->o->shards > 1 && p % c->o->shards != c->o->shard)
            continue;
        c->outcome->total++;
        const uint64_t key = gy_hash_bytes(id, 64);
        if (gy_map_get(&seen, key, &(uint64_t){0}) || gy_store_has(c->store, id))
            c->outcome->found++;
        else if (!gy_vec_push(&c->todo, p) || !gy_map_put(&seen, key, p))
            rc = gy_nomem(err);
    }
    gy_map_free(&seen);
    return rc;
}

int gy_sweep_run(const struct gy_sweep *s, struct gy_store *store, const struct gy_sweep_options *o,
                 struct gy_sweep_outcome *outcome, struct gy_error *err)
{
    struct gy_crew c = {.s = s, .store = store, .o = o, .outcome = outcome, .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t thread[256];
    unsigned started = 0;
    *outcome = (struct gy_sweep_outcome){0};
    int rc = list_work(&c, err);
    if (rc == 0 && o->progress)
        o->progress(o->ctx, outcome->found, outcome->total);
    /* With other ranks this thread serves them and the others run points; alone it runs points too. */
    const unsigned side = o->ranks ? o->threads : o->threads - 1;
    for (; rc == 0 && started < side && started < 256; started++)
        if (pthread_create(&thread[started], NULL, work, &c) != 0)
            break; /* fewer threads do the same work */
    if (o->ranks)
        gy_ranks_serve(&c, o->ranks, rc == 0);
    else if (rc == 0)
        work(&c);
    while (started-- > 0)
        pthread_join(thread[started], NULL);
    gy_vec_free(&c.todo);
    if (rc == 0 && c.failed) {
        *err = c.err;
        return -1;
    }
    return rc;
}
