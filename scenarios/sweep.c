/* Running the points of a sweep on threads. Each thread runs whole simulations, which share nothing that changes; the
 * store is written by one thread at a time. */
#include "gy_hash.h"
#include "gy_sweep.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "gy_file.h"
#include "gy_network.h"

static struct gy_entitlement *entitlements(const struct gy_scenario *sc, const struct gy_inputs *in, size_t *n)
{
    struct gy_entitlement *e = calloc(sc->n_teams + 1, sizeof *e);
    *n = 0;
    for (size_t i = 0; e && i < sc->n_teams; i++) {
        const gy_str id = gy_strings_find(in->strings, sc->teams[i].name, strlen(sc->teams[i].name));
        if (id != GY_STR_FAIL)
            e[(*n)++] = (struct gy_entitlement){id, sc->teams[i].share};
    }
    return e;
}

/* 0: ended; 1: stopped by the flag; -1: err. */
static int simulate(const struct gy_scenario *sc, const struct gy_inputs *in, const volatile int *stop_flag,
                    struct gy_account *account, struct gy_error *err)
{
    struct gy_sim_config config = {0};
    struct gy_network *network;
    struct gy_sim_result result;
    if (gy_inputs_config(sc, in, &config, &network, err)) {
        gy_inputs_config_free(&config, network);
        return -1;
    }
    config.stop_flag = stop_flag;
    config.sample_every = GY_NEVER;
    const struct gy_observer observer = gy_account_observer(account);
    int rc = gy_sim_run(&config, &observer, 1, &result, err);
    if (rc == 0 && network)
        gy_network_tell(network, &result, account);
    gy_inputs_config_free(&config, network);
    if (rc == 0 && result.partial)
        return 1;
    return rc == 0 ? gy_account_finish(account, &result, err) : -1;
}

int gy_sweep_point(const struct gy_sweep *s, size_t point, const volatile int *stop_flag, struct gy_account **account,
                   struct gy_error *err)
{
    struct gy_diags diags = {0};
    struct gy_scenario *sc = gy_study_scenario(s->study, point, &diags);
    const struct gy_inputs *in = s->inputs.at[s->points.at[point].inputs];
    size_t n = 0;
    *account = NULL;
    if (!sc) {
        *err = diags.at[0];
        return -1;
    }
    struct gy_entitlement *e = entitlements(sc, in, &n);
    const struct gy_account_options o = {.cluster = &in->cluster,
                                         .strings = in->strings,
                                         .network = sc->fidelity != 0,
                                         .entitlements = e,
                                         .n_entitlements = n};
    int rc = e ? 0 : gy_nomem(err);
    if (rc == 0 && !(*account = gy_account_new(&o, err)))
        rc = -1;
    if (rc == 0)
        rc = simulate(sc, in, stop_flag, *account, err);
    if (rc != 0) {
        gy_account_free(*account);
        *account = NULL;
    }
    free(e);
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

struct crew { /* what the threads share, under the lock */
    const struct gy_sweep *s;
    struct gy_store *store;
    const struct gy_sweep_options *o;
    struct gy_sweep_outcome *outcome;
    pthread_mutex_t lock;
    GY_VEC(size_t) todo;
    size_t next;
    bool failed;
    struct gy_error err; /* the first */
};

static bool take(struct crew *c, size_t *point)
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

static int keep(struct crew *c, size_t point, const struct gy_account *account, struct gy_error *err)
{
    struct gy_arena arena = GY_ARENA_INIT;
    size_t n;
    const struct gy_metric *m = gy_account_metrics(account, &n);
    const char *setting = gy_sweep_setting(c->s, point, &arena);
    const int rc = setting ? gy_store_put(c->store, c->s->points.at[point].id, setting,
                                          gy_study_seed(c->s->study, point), m, n, err)
                           : gy_nomem(err);
    gy_arena_free(&arena);
    return rc;
}

static void *work(void *ctx)
{
    struct crew *c = ctx;
    size_t point;
    while (take(c, &point)) {
        struct gy_account *account = NULL;
        struct gy_error err = {0};
        int rc = gy_sweep_point(c->s, point, c->o->stop_flag, &account, &err);
        pthread_mutex_lock(&c->lock);
        if (rc == 0)
            rc = keep(c, point, account, &err);
        if (rc > 0)
            c->outcome->stopped = true;
        if (rc < 0 && !c->failed) {
            c->failed = true;
            c->err = err;
        }
        if (rc == 0) {
            c->outcome->ran++;
            if (c->o->progress)
                c->o->progress(c->o->ctx, c->outcome->found + c->outcome->ran, c->outcome->total);
        }
        pthread_mutex_unlock(&c->lock);
        gy_account_free(account);
    }
    return NULL;
}

static int list_work(struct crew *c, struct gy_error *err)
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
    struct crew c = {.s = s, .store = store, .o = o, .outcome = outcome, .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t thread[256];
    unsigned started = 0;
    *outcome = (struct gy_sweep_outcome){0};
    int rc = list_work(&c, err);
    if (rc == 0 && o->progress)
        o->progress(o->ctx, outcome->found, outcome->total);
    for (; rc == 0 && started + 1 < o->threads && started < 255; started++)
        if (pthread_create(&thread[started], NULL, work, &c) != 0)
            break; /* fewer threads do the same work */
    if (rc == 0)
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
