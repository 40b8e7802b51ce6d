/* Storage and look-up of metrics. Not their definitions: those are the families'. */
#include "metrics.h"
#include <math.h>
#include <string.h>

static void put(struct gy_metrics *m, const char *name, const char *key, struct gy_metric metric)
{
    metric.name = gy_arena_strndup(&m->arena, name, strlen(name));
    metric.key = key ? gy_arena_strndup(&m->arena, key, strlen(key)) : NULL;
    if (!metric.name || (key && !metric.key) || !gy_vec_push(&m->at, metric))
        m->nomem = true;
}

void gy_metrics_put(struct gy_metrics *m, const char *name, double value)
{
    put(m, name, NULL, (struct gy_metric){.value = value});
}

void gy_metrics_put_keyed(struct gy_metrics *m, const char *name, const char *key, double value)
{
    put(m, name, key, (struct gy_metric){.value = value});
}

void gy_metrics_put_word(struct gy_metrics *m, const char *name, const char *word)
{
    put(m, name, NULL, (struct gy_metric){.word = word, .value = NAN});
}

void gy_metrics_put_spread(struct gy_metrics *m, const char *name, const struct gy_spread *s)
{
    const double value[] = {s->mean, s->p50, s->p90, s->p95, s->p99, s->max};
    static const char *const part[] = {"mean", "p50", "p90", "p95", "p99", "max"};

    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        const char *full = gy_arena_printf(&m->arena, "%s.%s", name, part[i]);
        if (full)
            gy_metrics_put(m, full, value[i]);
        else
            m->nomem = true;
    }
}

const struct gy_metric *gy_metrics_find(const struct gy_metrics *m, const char *name)
{
    for (size_t i = 0; i < m->at.n; i++) {
        const struct gy_metric *x = &m->at.at[i];
        const size_t n = strlen(x->name);
        if (x->key ? strncmp(name, x->name, n) == 0 && name[n] == '.' && strcmp(name + n + 1, x->key) == 0
                   : strcmp(name, x->name) == 0)
            return x;
    }
    return NULL;
}

void gy_metrics_free(struct gy_metrics *m)
{
    gy_vec_free(&m->at);
    gy_arena_free(&m->arena);
}
