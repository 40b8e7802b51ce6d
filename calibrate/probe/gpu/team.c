/* One thread a GPU, so that the launches of a collective on many GPUs do not queue behind one another. Between runs the
 * threads sleep; inside a run they meet by spinning, since waking takes longer than a small message. */
#include "gpu.h"
#include <sched.h>

struct gp_team {
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    pthread_t thread[GP_GPUS_MAX];
    struct gp_member member[GP_GPUS_MAX];
    int result[GP_GPUS_MAX];
    int threads, members, running;
    unsigned long round;
    bool quit;
    gp_member_fn *fn;
    void *arg;
    atomic_int arrived;
    atomic_uint turn;
    atomic_bool failed;
};

struct start {
    struct gp_team *team;
    int index;
};

static void run_member(struct gp_team *t, int i)
{
    t->member[i].err = (struct gy_error){0};
    t->result[i] = t->fn(&t->member[i], t->arg);
    if (t->result[i] != 0) {
        atomic_store(&t->failed, true);
    }
}

static void *thread_main(void *arg)
{
    struct start s = *(struct start *)arg;
    struct gp_team *t = s.team;
    unsigned long seen = 0;
    free(arg);
    pthread_mutex_lock(&t->lock);
    for (;;) {
        while (!t->quit && (t->round == seen || s.index >= t->members)) {
            seen = t->round;
            pthread_cond_wait(&t->wake, &t->lock);
        }
        if (t->quit) {
            break;
        }
        seen = t->round;
        pthread_mutex_unlock(&t->lock);
        run_member(t, s.index);
        pthread_mutex_lock(&t->lock);
        if (--t->running == 0) {
            pthread_cond_signal(&t->done);
        }
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

static bool add_thread(struct gp_team *t, int index)
{
    struct start *s = malloc(sizeof *s);
    if (!s) {
        return false;
    }
    *s = (struct start){t, index};
    if (pthread_create(&t->thread[index], NULL, thread_main, s) != 0) {
        free(s);
        return false;
    }
    t->threads = index;
    return true;
}

struct gp_team *gp_team_open(struct gp_context *c, int most)
{
    struct gp_team *t = calloc(1, sizeof *t);
    if (!t) {
        return NULL;
    }
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->wake, NULL);
    pthread_cond_init(&t->done, NULL);
    for (int i = 0; i < most; i++) {
        t->member[i] = (struct gp_member){.context = c, .index = i};
        if (i > 0 && !add_thread(t, i)) {
            gp_team_close(t);
            return NULL;
        }
    }
    return t;
}

void gp_team_close(struct gp_team *t)
{
    if (!t) {
        return;
    }
    pthread_mutex_lock(&t->lock);
    t->quit = true;
    pthread_cond_broadcast(&t->wake);
    pthread_mutex_unlock(&t->lock);
    for (int i = 1; i <= t->threads; i++) {
        pthread_join(t->thread[i], NULL);
    }
    pthread_cond_destroy(&t->wake);
    pthread_cond_destroy(&t->done);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

int gp_team_run(struct gp_team *t, int members, gp_member_fn *fn, void *arg, struct gy_error *err)
{
    if (members < 1) {
        return 0;
    }
    pthread_mutex_lock(&t->lock);
    t->fn = fn;
    t->arg = arg;
    t->members = members;
    t->running = members - 1;
    t->round++;
    atomic_store(&t->failed, false);
    atomic_store(&t->arrived, 0);
    pthread_cond_broadcast(&t->wake);
    pthread_mutex_unlock(&t->lock);
    run_member(t, 0);
    pthread_mutex_lock(&t->lock);
    while (t->running > 0) {
        pthread_cond_wait(&t->done, &t->lock);
    }
    pthread_mutex_unlock(&t->lock);
    for (int i = 0; i < members; i++) {
        if (t->result[i] != 0 && t->member[i].err.code != GY_OK) {
            *err = t->member[i].err;
            return -1;
        }
    }
    return atomic_load(&t->failed) ? gy_fail(err, GY_EINTERNAL, NULL, "a thread failed and did not say why") : 0;
}

bool gp_team_meet(struct gp_team *t)
{
    unsigned turn = atomic_load(&t->turn);
    if (atomic_fetch_add(&t->arrived, 1) + 1 == t->members) {
        atomic_store(&t->arrived, 0);
        atomic_fetch_add(&t->turn, 1);
        return !atomic_load(&t->failed);
    }
    for (unsigned spins = 0; atomic_load(&t->turn) == turn; spins++) {
        if (atomic_load(&t->failed)) {
            return false;
        }
        if (spins % 256 == 255) {
            sched_yield();
        }
    }
    return !atomic_load(&t->failed);
}

void gp_team_fail(struct gp_team *t)
{
    atomic_store(&t->failed, true);
}

bool gp_team_failed(struct gp_team *t)
{
    return atomic_load(&t->failed);
}
