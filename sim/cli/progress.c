/* Progress on stderr, and signals. Wall-clock figures live here and in --timing only, never in a result. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "gy_cli.h"
#include "gy_time.h"

#define BAR_WIDTH 28

static volatile sig_atomic_t caught; /* the process's signals are the process's: the only global */
static volatile int stop_flag;

static void on_signal(int number)
{
    caught = number;
    stop_flag = 1;
}

volatile int *gy_cli_catch_signals(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = (int)(SA_RESETHAND | SA_RESTART);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return &stop_flag;
}

int gy_cli_signal(void)
{
    return (int)caught;
}

double gy_cli_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void gy_progress_begin(struct gy_progress *p, const struct gy_cli *cli, uint64_t total)
{
    const char *term = getenv("TERM");
    bool terminal = isatty(STDERR_FILENO) == 1 && (term == NULL || strcmp(term, "dumb") != 0);

    *p = (struct gy_progress){.total = total, .began = gy_cli_seconds()};
    p->bar = terminal;
    p->on = cli->progress == GY_PROGRESS_ALWAYS || (cli->progress == GY_PROGRESS_AUTO && terminal && !cli->quiet);
    p->shown = p->began - (p->bar ? 0 : 10);
}

static void print_bar(const struct gy_progress *p, double part, const char *simulated, uint64_t ended, double left)
{
    char bar[BAR_WIDTH + 1];

    for (int i = 0; i < BAR_WIDTH; i++)
        bar[i] = i < (int)(part * BAR_WIDTH) ? '#' : '.';
    bar[BAR_WIDTH] = '\0';
    fprintf(stderr, "\r[%s] %3.0f %%  %llu of %llu jobs  at %s  %.0f s left\033[K", bar, 100 * part,
            (unsigned long long)ended, (unsigned long long)p->total, simulated, left);
    fflush(stderr);
}

void gy_progress_tick(void *self, int64_t now_ns, uint64_t arrived, uint64_t ended)
{
    struct gy_progress *p = self;
    char simulated[48];

    if (!p->on || p->total == 0)
        return;
    double now = gy_cli_seconds();
    if (now - p->shown < (p->bar ? 0.1 : 2.0))
        return;
    p->shown = now;
    double part = (double)(arrived + ended) / (2.0 * (double)p->total);
    double left = part > 0 ? (now - p->began) * (1 - part) / part : 0;
    gy_time_print_human(now_ns, simulated);
    if (p->bar)
        print_bar(p, part, simulated, ended, left);
    else
        fprintf(stderr, "%3.0f %%  %llu of %llu jobs  at %s  %.0f s left\n", 100 * part, (unsigned long long)ended,
                (unsigned long long)p->total, simulated, left);
}

void gy_progress_end(struct gy_progress *p)
{
    if (p->on && p->bar)
        fprintf(stderr, "\r\033[K");
    p->on = false;
}
