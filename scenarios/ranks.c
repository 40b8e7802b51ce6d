/* Sharing the points of a sweep between processes: rank 0 hands them out and keeps the store, the others ask for the
 * next one with the result of the last. What carries the messages is behind gy_ranks.h.
 *
 * To rank 0: kind, then for RESULT the point and its metrics, for FAILED an error. From rank 0: the next point, or
 * NONE. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "crew.h"

enum kind { FREE, RESULT, STOPPED, FAILED };
#define NONE UINT64_MAX

struct bytes {
    GY_VEC(char) at;
    bool nomem;
};

static void put(struct bytes *b, const void *from, size_t n)
{
    if (n == 0)
        return;
    if (b->nomem || !gy_vec_reserve(&b->at, b->at.n + n)) {
        b->nomem = true;
        return;
    }
    memcpy(b->at.at + b->at.n, from, n);
    b->at.n += n;
}

static void put_text(struct bytes *b, const char *text)
{
    const uint64_t n = text ? strlen(text) : NONE;
    put(b, &n, sizeof n);
    if (text)
        put(b, text, n + 1);
}

struct cursor {
    const char *at, *end;
    bool bad;
};

static void get(struct cursor *c, void *to, size_t n)
{
    if (c->bad || (size_t)(c->end - c->at) < n) {
        c->bad = true;
        memset(to, 0, n);
        return;
    }
    memcpy(to, c->at, n);
    c->at += n;
}

static const char *get_text(struct cursor *c)
{
    uint64_t n;
    get(c, &n, sizeof n);
    if (c->bad || n == NONE)
        return NULL;
    if (n >= (uint64_t)(c->end - c->at) || c->at[n] != '\0') {
        c->bad = true;
        return NULL;
    }
    const char *text = c->at;
    c->at += n + 1;
    return text;
}

static void put_result(struct bytes *b, uint64_t point, const struct gy_metric *m, size_t n)
{
    const uint64_t count = n;
    const uint32_t kind = RESULT;
    put(b, &kind, sizeof kind);
    put(b, &point, sizeof point);
    put(b, &count, sizeof count);
    for (size_t i = 0; i < n; i++) {
        put_text(b, m[i].name);
        put_text(b, m[i].key);
        put_text(b, m[i].word);
        put(b, &m[i].value, sizeof m[i].value);
    }
}

static int take_result(struct gy_crew *c, struct cursor *in, struct gy_error *err)
{
    uint64_t point, n;
    get(in, &point, sizeof point);
    get(in, &n, sizeof n);
    if (in->bad || point >= c->s->points.n || n > (uint64_t)(in->end - in->at))
        return gy_fail(err, GY_EINTERNAL, "ranks", "a message makes no sense");
    struct gy_metric *m = calloc(n + 1, sizeof *m);
    if (!m)
        return gy_nomem(err);
    for (uint64_t i = 0; i < n; i++) {
        m[i].name = get_text(in);
        m[i].key = get_text(in);
        m[i].word = get_text(in);
        get(in, &m[i].value, sizeof m[i].value);
        in->bad = in->bad || !m[i].name;
    }
    const int rc =
        in->bad ? gy_fail(err, GY_EINTERNAL, "ranks", "a message makes no sense") : gy_crew_store(c, point, m, n, err);
    free(m);
    return rc;
}

static void hear(struct gy_crew *c, struct cursor *in)
{
    struct gy_error err = {0};
    uint32_t kind;
    get(in, &kind, sizeof kind);
    if (kind == RESULT && take_result(c, in, &err))
        gy_crew_note(c, -1, &err);
    if (kind == STOPPED)
        gy_crew_note(c, 1, NULL);
    if (kind == FAILED) {
        get(in, &err, sizeof err);
        gy_crew_note(c, -1, &err);
    }
}

void gy_ranks_serve(struct gy_crew *c, const struct gy_ranks *ranks, bool work)
{
    int left = ranks->size - 1; /* processes that wait for no more */
    while (left > 0) {
        void *message;
        size_t n, point;
        int from;
        uint64_t next = NONE;
        if (ranks->receive(1, &from, &message, &n)) {
            struct gy_error err = {0};
            gy_fail(&err, GY_EIO, "ranks", "a message was lost");
            if (work)
                gy_crew_note(c, -1, &err);
            return;
        }
        struct cursor in = {message, (const char *)message + n, false};
        if (work)
            hear(c, &in);
        free(message);
        if (work && gy_crew_take(c, &point))
            next = point;
        ranks->send(from, &next, sizeof next);
        left -= next == NONE;
    }
}

void gy_sweep_dismiss(const struct gy_ranks *ranks)
{
    gy_ranks_serve(NULL, ranks, false);
}

struct taking {
    struct bytes *message;
    uint64_t point;
};

static int pack(void *ctx, const struct gy_account *account, struct gy_error *err)
{
    const struct taking *t = ctx;
    size_t n;
    const struct gy_metric *m = gy_account_metrics(account, &n);
    put_result(t->message, t->point, m, n);
    return t->message->nomem ? gy_nomem(err) : 0;
}

/* Sends and hears what comes next. False: no more. */
static bool exchange(const struct gy_ranks *ranks, const struct bytes *message, uint64_t *point)
{
    void *answer;
    size_t n;
    int from;
    if (ranks->send(0, message->at.at, message->at.n) || ranks->receive(1, &from, &answer, &n))
        return false;
    const bool more = n == sizeof *point && (memcpy(point, answer, n), *point != NONE);
    free(answer);
    return more;
}

static void put_kind(struct bytes *b, enum kind kind, const struct gy_error *err)
{
    const uint32_t k = (uint32_t)kind;
    gy_vec_clear(&b->at);
    b->nomem = false;
    put(b, &k, sizeof k);
    if (err)
        put(b, err, sizeof *err);
}

int gy_sweep_help(const struct gy_sweep *s, const struct gy_ranks *ranks, const struct gy_sweep_options *o,
                  struct gy_error *err)
{
    struct bytes message = {0};
    uint64_t point;
    put_kind(&message, s ? FREE : FAILED, s ? NULL : err);
    while (exchange(ranks, &message, &point) && s && point < s->points.n) {
        struct gy_error failed = {0};
        struct taking t = {&message, point};
        put_kind(&message, FREE, NULL);
        gy_vec_clear(&message.at);
        const int rc = gy_sweep_point(s, point, o->stop_flag, pack, &t, &failed);
        if (rc != 0)
            put_kind(&message, rc > 0 ? STOPPED : FAILED, rc > 0 ? NULL : &failed);
    }
    gy_vec_free(&message.at);
    return s ? 0 : -1;
}

static bool under_mpirun(void)
{
    static const char *const signs[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (getenv(signs[i]) && atoi(getenv(signs[i])) > 1)
            return true;
    return false;
}

/* Beside the binary, or in lib/gpuyard where it is installed. */
static void *load_module(char *why, size_t size)
{
    static const char *const places[] = {
        "%s/gpuyard-mpi.so", "%s/../lib/gpuyard/gpuyard-mpi.so", "%s/../lib/x86_64-linux-gnu/gpuyard/gpuyard-mpi.so",
        "%s/../lib/aarch64-linux-gnu/gpuyard/gpuyard-mpi.so", "%s/../lib64/gpuyard/gpuyard-mpi.so"};
    char self[1024], path[1200];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    snprintf(why, size, "gpuyard-mpi.so is not there: this was built without MPI");
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(path, sizeof path, places[i], self);
#pragma GCC diagnostic pop
        if (access(path, R_OK) != 0)
            continue;
        void *module = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
        if (!module)
            snprintf(why, size, "%s", dlerror());
        return module;
    }
    return NULL;
}

int gy_ranks_open(struct gy_ranks *out, struct gy_error *err)
{
    char why[600];
    if (!under_mpirun())
        return 0;
    void *module = load_module(why, sizeof why);
    if (!module) {
        gy_fail(err, GY_EIO, "mpirun", "%s", why);
        return gy_hint(err, "build with MPI, or use -j N or --shard I/N");
    }
    gy_ranks_start_fn *start = (gy_ranks_start_fn *)dlsym(module, GY_RANKS_SYMBOL);
    if (!start || start(out) != 0)
        return gy_fail(err, GY_EIO, "mpirun", "MPI does not start");
    return 1;
}
