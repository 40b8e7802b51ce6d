/* The plain twin of the solver: progressive filling from nothing, O(rounds · uses), for tests only. */
#ifndef NET_TWIN_H
#define NET_TWIN_H
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

struct twin_var {
    double weight, cap;
    unsigned n;
    unsigned link[8];
    double coef[8];
    double rate;
    bool frozen, live;
};

static inline double twin_next_level(const struct twin_var *v, size_t nv, const double *cap, size_t nl, double *fill)
{
    double level = INFINITY;

    for (size_t l = 0; l < nl; l++) {
        double left = cap[l], rising = 0;
        for (size_t i = 0; i < nv; i++)
            for (unsigned k = 0; v[i].live && k < v[i].n; k++)
                if (v[i].link[k] == l && v[i].frozen)
                    left -= v[i].coef[k] * v[i].rate;
                else if (v[i].link[k] == l)
                    rising += v[i].coef[k] * v[i].weight;
        fill[l] = rising > 0 ? fmax(left, 0) / rising : INFINITY;
        level = fmin(level, fill[l]);
    }
    for (size_t i = 0; i < nv; i++)
        if (v[i].live && !v[i].frozen)
            level = fmin(level, v[i].cap / v[i].weight);
    return level;
}

static inline void twin_solve(struct twin_var *v, size_t nv, const double *cap, size_t nl)
{
    double *fill = calloc(nl + 1, sizeof *fill);
    size_t left = 0;

    for (size_t i = 0; i < nv; i++) {
        v[i].frozen = false;
        left += v[i].live;
    }
    while (left) {
        double level = twin_next_level(v, nv, cap, nl, fill);
        for (size_t i = 0; i < nv; i++) {
            if (!v[i].live || v[i].frozen)
                continue;
            bool stop = v[i].cap / v[i].weight <= level || level == INFINITY;
            for (unsigned k = 0; k < v[i].n; k++)
                stop |= v[i].coef[k] > 0 && fill[v[i].link[k]] <= level * (1 + 1e-14);
            if (!stop)
                continue;
            v[i].rate = fmin(level * v[i].weight, v[i].cap);
            v[i].frozen = true;
            left--;
        }
    }
    free(fill);
}
#endif
