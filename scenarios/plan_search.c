/* Searching the lattice of a plan. Which setting to try next; what a try means is plan_trial.c's business. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gy_planner.h"

#define PIVOTS 64 /* tries weighed against each other before one is made */

struct open { /* a setting that may still be the answer */
    uint32_t at;
    double size;
    uint32_t index[GY_PLAN_DIMENSIONS];
};
struct search {
    struct gy_planner *p;
    const struct gy_plan_options *o;
    struct gy_error *err;
    struct open *open; /* by size, then by distance from the preferred corner, then by place */
    size_t n;
};

/* The trial's index, or −1. */
static int64_t attempt(struct search *s, uint32_t at)
{
    const struct gy_trial *t = gy_planner_try(s->p, at, s->o, s->err);
    return t ? t - s->p->trials.at : -1;
}

static bool over(const struct search *s)
{
    return s->err->code != 0 || s->p->stopped || s->p->out_of_trials;
}

static uint32_t corner(const struct gy_planner *p, unsigned bits)
{
    uint32_t index[GY_PLAN_DIMENSIONS];
    for (size_t d = 0; d < p->vary.n; d++)
        index[d] = bits >> d & 1 ? p->vary.at[d].n - 1 : 0;
    return gy_planner_index(p, index);
}

static void note_closest(struct gy_planner *p)
{
    double least = INFINITY;
    for (size_t i = 0; i < p->trials.n; i++) {
        const double miss = gy_trial_miss(p, &p->trials.at[i]);
        if (miss < least)
            p->closest = (uint32_t)i;
        least = fmin(least, miss);
    }
}

static bool better(const struct gy_planner *p, const struct gy_trial *a, const struct gy_trial *b)
{
    uint32_t x[GY_PLAN_DIMENSIONS], y[GY_PLAN_DIMENSIONS], sum_x = 0, sum_y = 0;
    if (p->minimize == GY_MIN_VALUE)
        return a->at < b->at;
    if (a->objective != b->objective)
        return a->objective < b->objective;
    gy_planner_indices(p, a->at, x);
    gy_planner_indices(p, b->at, y);
    for (size_t d = 0; d < p->vary.n; d++) {
        sum_x += x[d];
        sum_y += y[d];
    }
    return sum_x != sum_y ? sum_x < sum_y : a->at < b->at;
}

static void take_best(struct gy_planner *p)
{
    for (size_t i = 0; i < p->trials.n; i++) {
        const struct gy_trial *t = &p->trials.at[i];
        if (t->met && !isnan(t->objective) && (p->best < 0 || better(p, t, &p->trials.at[p->best])))
            p->best = (int64_t)i;
    }
}

/* What is minimised, of every setting, from its corners: exact where it is linear in each value alone, as the GPUs of a
 * cluster are in counts of nodes and GPUs of a node. */
static bool sizes(struct search *s, double *at_corner)
{
    const unsigned corners = 1u << s->p->vary.n;
    for (unsigned c = 0; c < corners; c++) {
        at_corner[c] = s->p->minimize == GY_MIN_VALUE ? 0 : gy_planner_size(s->p, corner(s->p, c), s->err);
        if (s->err->code)
            return false;
    }
    return true;
}

static double size_at(const struct gy_planner *p, const double *at_corner, const uint32_t *index)
{
    double size = 0;
    if (p->minimize == GY_MIN_VALUE)
        return index[0];
    for (unsigned c = 0; c < 1u << p->vary.n; c++) {
        double weight = 1;
        for (size_t d = 0; d < p->vary.n && weight > 0; d++) {
            const double u = p->vary.at[d].n > 1 ? index[d] / (double)(p->vary.at[d].n - 1) : 0;
            weight *= c >> d & 1 ? u : 1 - u;
        }
        size += weight * at_corner[c];
    }
    return rint(size * 1e6) / 1e6; /* so that equal sizes are equal */
}

static int by_size(const void *a, const void *b)
{
    const struct open *x = a, *y = b;
    uint32_t sum_x = 0, sum_y = 0;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    for (size_t d = 0; d < GY_PLAN_DIMENSIONS; d++) {
        sum_x += x->index[d];
        sum_y += y->index[d];
    }
    if (sum_x != sum_y)
        return sum_x < sum_y ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static bool all_open(struct search *s)
{
    double at_corner[1 << GY_PLAN_DIMENSIONS];
    if (!sizes(s, at_corner))
        return false;
    s->open = calloc(s->p->settings, sizeof *s->open);
    if (!s->open) {
        gy_nomem(s->err);
        return false;
    }
    for (uint32_t at = 0; at < s->p->settings; at++) {
        struct open *x = &s->open[s->n++];
        x->at = at;
        gy_planner_indices(s->p, at, x->index);
        x->size = size_at(s->p, at_corner, x->index);
    }
    qsort(s->open, s->n, sizeof *s->open, by_size);
    return true;
}

static bool no_larger(const struct open *a, const struct open *b)
{
    for (size_t d = 0; d < GY_PLAN_DIMENSIONS; d++)
        if (a->index[d] > b->index[d])
            return false;
    return true;
}

/* The open setting whose try rules out most in the worse of both cases. */
static size_t pivot(const struct search *s)
{
    const size_t step = s->n / PIVOTS + 1;
    size_t best = 0, best_gain = 0;
    for (size_t i = step / 2 < s->n ? step / 2 : 0; i < s->n; i += step) {
        const size_t if_met = s->n - i;
        size_t if_not = 0;
        if (if_met <= best_gain)
            break;
        for (size_t k = 0; k <= i; k++)
            if_not += no_larger(&s->open[k], &s->open[i]);
        const size_t gain = if_met < if_not ? if_met : if_not;
        if (gain > best_gain) {
            best_gain = gain;
            best = i;
        }
    }
    return best;
}

static void rule_out(struct search *s, size_t tried, const struct gy_trial *t)
{
    const struct open x = s->open[tried];
    const bool larger = gy_trial_large_enough(s->p, t), smaller = gy_trial_small_enough(s->p, t);
    size_t kept = 0;
    if (larger && smaller) {
        s->n = tried;
        return;
    }
    for (size_t k = 0; k < s->n; k++)
        if (!(!larger && no_larger(&s->open[k], &x)) && !(!smaller && no_larger(&x, &s->open[k])))
            s->open[kept++] = s->open[k];
    s->n = kept;
}

/* Runs the settings one step nearer to the preferred end than the answer; goes on from one that meets the goals too. */
static void check_neighbours(struct search *s)
{
    struct gy_planner *p = s->p;
    bool moved = true;
    while (moved && !over(s)) {
        uint32_t index[GY_PLAN_DIMENSIONS];
        const int64_t before = p->best;
        gy_planner_indices(p, p->trials.at[p->best].at, index);
        for (size_t d = 0; d < p->vary.n && !over(s); d++) {
            if (index[d] == 0)
                continue;
            index[d]--;
            attempt(s, gy_planner_index(p, index));
            index[d]++;
        }
        take_best(p);
        moved = p->best != before;
        p->not_monotone = p->not_monotone || moved;
    }
}

/* Whether a setting is seen to be larger than another and yet worse for a goal that it should help, or the reverse. */
static bool seen_to_hurt(const struct gy_planner *p)
{
    uint32_t x[GY_PLAN_DIMENSIONS], y[GY_PLAN_DIMENSIONS];
    for (size_t a = 0; a < p->trials.n; a++)
        for (size_t b = 0; b < p->trials.n; b++) {
            bool larger = (gy_trial_large_enough(p, &p->trials.at[a]) && !gy_trial_large_enough(p, &p->trials.at[b])) ||
                          (gy_trial_small_enough(p, &p->trials.at[b]) && !gy_trial_small_enough(p, &p->trials.at[a]));
            gy_planner_indices(p, p->trials.at[a].at, x);
            gy_planner_indices(p, p->trials.at[b].at, y);
            for (size_t d = 0; d < p->vary.n; d++)
                larger = larger && y[d] >= x[d];
            if (larger)
                return true;
        }
    return false;
}

bool gy_trial_large_enough(const struct gy_planner *p, const struct gy_trial *t)
{
    for (size_t i = 0; i < p->goals.n; i++)
        if (!p->pulls_down[i] && !t->goal[i].met)
            return false;
    return t->stranded <= p->stranded_allowed;
}

bool gy_trial_small_enough(const struct gy_planner *p, const struct gy_trial *t)
{
    for (size_t i = 0; i < p->goals.n; i++)
        if (p->pulls_down[i] && !t->goal[i].met)
            return false;
    return true;
}

/* A goal that the largest setting fails and the smallest meets, or fails by less, pulls down. */
static bool find_pulls(struct search *s, int64_t largest)
{
    struct gy_planner *p = s->p;
    const struct gy_threshold *goal = p->goals.at;
    bool all = true;
    if (p->trials.at[largest].met)
        return true;
    const int64_t smallest = attempt(s, 0);
    if (smallest < 0)
        return false;
    for (size_t i = 0; i < p->goals.n; i++) {
        const struct gy_estimate_of *top = &p->trials.at[largest].goal[i], *low = &p->trials.at[smallest].goal[i];
        const bool rises =
            !isnan(goal[i].min) && top->mean < goal[i].min ? low->mean > top->mean : low->mean < top->mean;
        p->pulls_down[i] = !top->met && rises;
        all = all && (top->met || p->pulls_down[i]);
    }
    return all;
}

static void bracket(struct search *s, int64_t largest)
{
    struct gy_planner *p = s->p;
    if (!find_pulls(s, largest) || !all_open(s)) {
        for (unsigned c = 1; c + 1 < 1u << p->vary.n && !over(s); c++)
            attempt(s, corner(p, c)); /* it may be that less helps in some dimension */
        take_best(p);
        if (p->best >= 0)
            check_neighbours(s);
        p->not_monotone = p->best >= 0;
        return;
    }
    for (size_t i = 0; i < p->trials.n; i++)
        for (size_t k = 0; k < s->n; k++)
            if (s->open[k].at == p->trials.at[i].at) {
                rule_out(s, k, &p->trials.at[i]);
                break;
            }
    while (s->n > 0 && !over(s)) {
        const size_t next = pivot(s);
        const int64_t t = attempt(s, s->open[next].at);
        if (t >= 0)
            rule_out(s, next, &p->trials.at[t]);
    }
    take_best(p);
    p->proven = s->n == 0 && !over(s);
    if (p->best >= 0)
        check_neighbours(s);
    p->not_monotone = p->not_monotone || seen_to_hurt(p);
}

static void try_all(struct search *s)
{
    for (uint32_t at = 0; at < s->p->settings && !over(s); at++)
        attempt(s, at);
    take_best(s->p);
    s->p->proven = !over(s);
}

/* A coarse lattice of at most `most` settings, its ends included. */
static void try_coarse(struct search *s, uint32_t most)
{
    const struct gy_planner *p = s->p;
    uint32_t per[GY_PLAN_DIMENSIONS], total = 1, i[GY_PLAN_DIMENSIONS] = {0}, index[GY_PLAN_DIMENSIONS];
    const double side = fmax(2, floor(pow(most, 1.0 / (double)p->vary.n)));
    for (size_t d = 0; d < p->vary.n; d++) {
        per[d] = p->vary.at[d].n < side ? p->vary.at[d].n : (uint32_t)side;
        total *= per[d];
    }
    for (uint32_t k = 0; k < total && !over(s); k++) {
        uint32_t rest = k;
        for (size_t d = 0; d < p->vary.n; d++, rest /= per[d - 1]) {
            i[d] = rest % per[d];
            index[d] = per[d] > 1 ? (uint32_t)((uint64_t)i[d] * (p->vary.at[d].n - 1) / (per[d] - 1)) : 0;
        }
        attempt(s, gy_planner_index(p, index));
    }
}

/* From the best so far (or the one that misses by least), steps that halve whenever no neighbour is better. */
static void descend(struct search *s)
{
    struct gy_planner *p = s->p;
    uint32_t step = 1, index[GY_PLAN_DIMENSIONS];
    for (size_t d = 0; d < p->vary.n; d++)
        while (step < p->vary.at[d].n / 4)
            step *= 2;
    for (; step > 0 && !over(s); step /= 2)
        for (bool moved = true; moved && !over(s);) {
            take_best(p);
            note_closest(p);
            const int64_t best = p->best;
            const uint32_t from = best < 0 ? p->closest : (uint32_t)best, closest = p->closest;
            gy_planner_indices(p, p->trials.at[from].at, index);
            for (size_t d = 0; d < p->vary.n && !over(s); d++) {
                const uint32_t at = index[d];
                if (at >= step) {
                    index[d] = at - step;
                    attempt(s, gy_planner_index(p, index));
                }
                if (at + step < p->vary.at[d].n && !over(s)) {
                    index[d] = at + step;
                    attempt(s, gy_planner_index(p, index));
                }
                index[d] = at;
            }
            take_best(p);
            note_closest(p);
            moved = p->best != best || (best < 0 && p->closest != closest);
        }
}

int gy_planner_search(struct gy_planner *p, const struct gy_plan_options *o, struct gy_error *err)
{
    struct search s = {.p = p, .o = o, .err = err};
    const uint32_t most =
        p->study->plan.max_settings > GY_PLAN_LATTICE ? GY_PLAN_LATTICE : (uint32_t)p->study->plan.max_settings;
    const int64_t largest = attempt(&s, corner(p, (1u << p->vary.n) - 1));
    if (largest >= 0) {
        p->stranded_allowed = p->trials.at[largest].stranded;
        if (p->minimize != GY_MIN_METRIC) {
            bracket(&s, largest);
        } else if (p->settings <= most) {
            try_all(&s);
        } else {
            try_coarse(&s, most / 2);
            descend(&s);
        }
    }
    free(s.open);
    take_best(p);
    note_closest(p);
    return err->code ? -1 : 0;
}

/* One trial at least as good as another in the objective and every goal's metric, and better in one. */
static bool beats(const struct gy_planner *p, const struct gy_trial *a, const struct gy_trial *b)
{
    const struct gy_threshold *goal = p->goals.at;
    if (isnan(a->objective) || a->objective > b->objective || a->stranded > b->stranded)
        return false;
    bool less = a->objective < b->objective;
    for (size_t i = 0; i < p->goals.n; i++) {
        const double x = a->goal[i].mean, y = b->goal[i].mean;
        const bool up = isnan(goal[i].max);
        if (isnan(x) || (up ? x < y : x > y))
            return false;
        less = less || x != y;
    }
    return less || a->at < b->at;
}

uint32_t *gy_planner_front(const struct gy_planner *p, size_t *n)
{
    uint32_t *front = calloc(p->trials.n + 1, sizeof *front);
    *n = 0;
    for (uint32_t i = 0; front && i < p->trials.n; i++) {
        const struct gy_trial *t = &p->trials.at[i];
        bool beaten = isnan(t->objective) || t->stranded > p->stranded_allowed;
        for (size_t g = 0; g < p->goals.n; g++)
            beaten = beaten || isnan(t->goal[g].mean);
        for (size_t k = 0; k < p->trials.n && !beaten; k++)
            beaten = k != i && beats(p, &p->trials.at[k], t);
        if (beaten)
            continue;
        size_t at = (*n)++; /* insertion by objective */
        for (; at > 0 && p->trials.at[front[at - 1]].objective > t->objective; at--)
            front[at] = front[at - 1];
        front[at] = i;
    }
    return front;
}
