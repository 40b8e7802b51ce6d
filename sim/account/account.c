/* The account: one observer over ledger, crowd and families; and at the end the numbers. Look-up and thresholds are in
 * lookup.c, summary.json in summary.c. */
#include <math.h>
#include <stdlib.h>
#include "account_internal.h"

double gy_gpu_hours(gy_gpu_time t)
{
    return (double)t / ((double)GY_MILLI * (double)GY_HOUR);
}

/* Who is to be told what. */
static void subscribe(struct gy_account *a, uint8_t i)
{
    if (gy_families[i]->advance)
        a->moved[a->n_moved++] = i;
    for (unsigned kind = 0; kind <= GY_E_LEFT; kind++)
        if (gy_families[i]->kinds >> kind & 1)
            a->heard[kind][a->n_heard[kind]++] = i;
}

struct gy_account *gy_account_new(const struct gy_account_options *o, struct gy_error *err)
{
    struct gy_account *a = calloc(1, sizeof *a);

    if (!a) {
        gy_nomem(err);
        return NULL;
    }
    a->options = *o;
    a->ledger.prices = o->prices;
    a->crowd.groups = o->groups;
    a->crowd.cluster = o->cluster;
    for (uint8_t i = 0; gy_families[i] && i < GY_FAMILIES_MAX; i++) {
        void *state = calloc(1, gy_families[i]->state_size ? gy_families[i]->state_size : 1);
        if (!state || !gy_vec_push(&a->states, state)) {
            free(state);
            gy_nomem(err);
            gy_account_free(a);
            return NULL;
        }
        if (gy_families[i]->init && gy_families[i]->init(state, &a->options, err)) {
            gy_account_free(a);
            return NULL;
        }
        subscribe(a, i);
    }
    return a;
}

void gy_account_free(struct gy_account *a)
{
    if (!a)
        return;
    for (size_t i = 0; i < a->states.n; i++) {
        if (gy_families[i]->fini)
            gy_families[i]->fini(a->states.at[i]);
        free(a->states.at[i]);
    }
    gy_vec_free(&a->states);
    gy_vec_free(&a->listeners);
    gy_ledger_free(&a->ledger);
    gy_crowd_free(&a->crowd);
    gy_groups_free(a->groups);
    gy_metrics_free(&a->metrics);
    free(a);
}

static int leave(struct gy_account *a, const struct gy_view *v, const struct gy_event *e, struct gy_error *err)
{
    const struct gy_leave leave = gy_ledger_leave(&a->ledger, e);

    if (gy_crowd_add(&a->crowd, &leave, err))
        return -1;
    for (size_t i = 0; i < a->listeners.n; i++) {
        const struct gy_listener *x = &a->listeners.at[i];
        if (x->on_leave && x->on_leave(x->self, a, v, &leave, err))
            return -1;
    }
    gy_ledger_forget(&a->ledger, e->id);
    return 0;
}

static void advance(struct gy_account *a, gy_time to)
{
    if (!a->ledger.open || a->ledger.closed || to <= a->ledger.now)
        return;
    for (uint8_t k = 0; k < a->n_moved; k++)
        gy_families[a->moved[k]]->advance(a->states.at[a->moved[k]], &a->ledger, to);
}

static int on_event(void *self, const struct gy_view *v, const struct gy_event *e, struct gy_error *err)
{
    struct gy_account *a = self;

    advance(a, e->time);
    if (gy_ledger_event(&a->ledger, e, err))
        return -1;
    for (size_t i = 0; i < a->states.n; i++)
        if ((gy_families[i]->kinds >> e->kind & 1) && gy_families[i]->on_event(a->states.at[i], &a->ledger, v, e, err))
            return -1;
    for (size_t i = 0; i < a->listeners.n; i++) {
        const struct gy_listener *x = &a->listeners.at[i];
        if (x->on_event && x->on_event(x->self, a, v, e, err))
            return -1;
    }
    if ((e->kind == GY_E_END || e->kind == GY_E_LEFT) && gy_ledger_life(&a->ledger, e->id))
        return leave(a, v, e, err);
    return 0;
}

struct gy_observer gy_account_observer(struct gy_account *a)
{
    return (struct gy_observer){a, on_event};
}

int gy_account_listen(struct gy_account *a, struct gy_listener listener, struct gy_error *err)
{
    return gy_vec_push(&a->listeners, listener) ? 0 : gy_nomem(err);
}

/* Every quantity ranked once, for the whole and for all groups. */
static int rank_all(struct gy_account *a, struct gy_spread *spreads, struct gy_error *err)
{
    const struct gy_ledger *l = &a->ledger;
    const double window = (double)(l->now - l->start);
    const double mean_gpus =
        l->open && window > 0 ? (double)l->total / window / GY_MILLI : (double)l->totals.total / GY_MILLI;
    const uint32_t teams = gy_crowd_teams(&a->crowd);
    struct gy_ranker whole;
    struct gy_division by[GY_BY_COUNT + 1] = {{.n_groups = 1, .rankers = &whole}};
    const size_t n_groups = a->groups ? gy_groups_divisions(a->groups, by + 1) : 0;
    struct gy_rank_item *items = malloc((a->crowd.records.n + 1) * sizeof *items);
    uint32_t *counts = malloc((a->crowd.cohorts.n + 1) * sizeof *counts);

    if (!items || !counts || teams == UINT32_MAX) {
        free(items);
        free(counts);
        return gy_nomem(err);
    }
    for (int q = 0; q < GY_Q_COUNT; q++) {
        const bool grouped = q <= GY_Q_BOUNDED;
        gy_crowd_rank(&a->crowd, (enum gy_quantity)q, mean_gpus, teams, items, counts, by,
                      1 + (grouped ? n_groups : 0));
        spreads[q] = gy_ranker_spread(&whole);
        if (a->groups && grouped)
            gy_groups_take(a->groups, (enum gy_quantity)q);
    }
    free(items);
    free(counts);
    return 0;
}

int gy_account_finish(struct gy_account *a, const struct gy_sim_result *result, struct gy_error *err)
{
    struct gy_spread spreads[GY_Q_COUNT];
    const struct gy_closing closing = {&a->options, &a->ledger, &a->crowd, &a->result, spreads};

    a->result = *result;
    if (a->options.groups && !(a->groups = gy_groups_new(&a->crowd, a->options.strings, err)))
        return -1;
    if (rank_all(a, spreads, err) || (a->groups && gy_groups_finish(a->groups, &a->crowd, err)))
        return -1;
    for (size_t i = 0; i < a->states.n; i++)
        if (gy_families[i]->emit)
            gy_families[i]->emit(a->states.at[i], &closing, &a->metrics);
    if (a->metrics.nomem)
        return gy_nomem(err);
    gy_vec_free(&a->crowd.records);
    gy_vec_free(&a->crowd.extras);
    return 0;
}

const struct gy_metric *gy_account_metrics(const struct gy_account *a, size_t *n)
{
    *n = a->metrics.at.n;
    return a->metrics.at.at;
}

const struct gy_grouping *gy_account_groups(const struct gy_account *a, enum gy_group_by by)
{
    return a->groups ? gy_groups_at(a->groups, by) : NULL;
}

const struct gy_sim_result *gy_account_result(const struct gy_account *a)
{
    return &a->result;
}

void gy_account_books(const struct gy_account *a, struct gy_books *out)
{
    const struct gy_ledger *l = &a->ledger;
    *out = (struct gy_books){.total = l->total,
                             .down = l->down,
                             .allocated = l->allocated,
                             .free = l->free,
                             .busy = l->allocated - l->idle - l->lost,
                             .idle_held = l->idle,
                             .lost = l->lost,
                             .start = l->open ? l->start : GY_NONE,
                             .end = l->open ? l->now : GY_NONE};
}

const struct gy_ledger *gy_account_ledger(const struct gy_account *a)
{
    return &a->ledger;
}

const struct gy_account_options *gy_account_options_of(const struct gy_account *a)
{
    return &a->options;
}

const struct gy_metrics *gy_account_metrics_of(const struct gy_account *a)
{
    return &a->metrics;
}

const void *gy_account_family(const struct gy_account *a, const struct gy_family_type *type)
{
    for (size_t i = 0; i < a->states.n; i++)
        if (gy_families[i] == type)
            return a->states.at[i];
    return NULL;
}
