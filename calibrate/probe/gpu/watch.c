/* The last resort against an operation that never returns (a hung GPU, a lost rank in NCCL's set-up): a thread that
 * calls `expired`, which is expected to end the process. It cannot interrupt the operation itself. */
#include "gpu.h"
#include <errno.h>
#include <time.h>

struct gp_watch {
    pthread_mutex_t lock;
    pthread_cond_t change;
    pthread_t thread;
    struct timespec due;
    bool armed, quit;
    const char *what;
    void (*expired)(void *self, const char *what);
    void *self;
};

static void *watch_main(void *arg)
{
    struct gp_watch *w = arg;
    pthread_mutex_lock(&w->lock);
    while (!w->quit) {
        if (!w->armed) {
            pthread_cond_wait(&w->change, &w->lock);
            continue;
        }
        struct timespec due = w->due, now;
        int status = pthread_cond_timedwait(&w->change, &w->lock, &due);
        clock_gettime(CLOCK_MONOTONIC, &now);
        bool late = now.tv_sec > w->due.tv_sec || (now.tv_sec == w->due.tv_sec && now.tv_nsec >= w->due.tv_nsec);
        if (status == ETIMEDOUT && w->armed && late && !w->quit) {
            w->expired(w->self, w->what);
            w->armed = false;
        }
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

struct gp_watch *gp_watch_open(void (*expired)(void *self, const char *what), void *self)
{
    struct gp_watch *w = calloc(1, sizeof *w);
    pthread_condattr_t attr;
    if (!w) {
        return NULL;
    }
    w->expired = expired;
    w->self = self;
    pthread_mutex_init(&w->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&w->change, &attr);
    pthread_condattr_destroy(&attr);
    if (pthread_create(&w->thread, NULL, watch_main, w) != 0) {
        pthread_cond_destroy(&w->change);
        pthread_mutex_destroy(&w->lock);
        free(w);
        return NULL;
    }
    return w;
}

void gp_watch_arm(struct gp_watch *w, double seconds, const char *what)
{
    pthread_mutex_lock(&w->lock);
    clock_gettime(CLOCK_MONOTONIC, &w->due);
    w->due.tv_sec += (time_t)seconds + 1;
    w->what = what;
    w->armed = true;
    pthread_cond_signal(&w->change);
    pthread_mutex_unlock(&w->lock);
}

void gp_watch_rest(struct gp_watch *w)
{
    pthread_mutex_lock(&w->lock);
    w->armed = false;
    pthread_cond_signal(&w->change);
    pthread_mutex_unlock(&w->lock);
}

void gp_watch_close(struct gp_watch *w)
{
    if (!w) {
        return;
    }
    pthread_mutex_lock(&w->lock);
    w->quit = true;
    pthread_cond_signal(&w->change);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    pthread_cond_destroy(&w->change);
    pthread_mutex_destroy(&w->lock);
    free(w);
}
