/* Weighted max-min fair rates over shared links, kept current under change.
 *
 * A variable (a flow, a group of equal flows, or a job) has a weight w, a cap (its own rate without contention) and
 * uses each of its links with a coefficient a: rate x loads the link by a·x. The level of a variable is x/w. Max-min
 * fair means: no link carries more than its capacity, and every variable is at its cap or has a bottleneck, that is a
 * full link on which no variable has a higher level. These rates are unique (Bertsekas and Gallager, Data
 * Networks, 6.5.2).
 *
 * Every link owns the variables that it holds back; their common level is (capacity - load of the others)/Σ a·w. A
 * change marks its links. A marked link finds its level from those of the others, takes over variables that run above
 * it and hands over those that another link or their cap holds lower; where its level differs, it marks the links of
 * its own variables. Links are visited from low levels to high, so that one visit nearly always is enough, and the
 * spread ends where the same level comes out again: a solve touches at most the connected component of what changed,
 * and costs O(uses of changed variables + links touched · log). The least level of all is right after the first visits
 * whatever the others say, then the next one, so it ends (as in Charny's and Bertsekas and Gallager's distributed
 * form); rounding cannot make a variable go to and fro, because hands change only beyond a tolerance. No hash, no
 * address has a say.
 *
 * Not thread-safe; one solver a simulation. Ids are small integers; those of removed variables are used again.
 * Functions that say bool return false when out of memory; the solver may then only be freed. */
#ifndef GY_SOLVER_H
#define GY_SOLVER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GY_SOLVER_NONE UINT32_MAX /* no link, no variable, no owner */

struct gy_solver;
struct gy_solver *gy_solver_new(void); /* NULL when out of memory */
void gy_solver_free(struct gy_solver *s);

/* capacity ≥ 0 and finite, in any unit a second; the rates come in the same unit. */
bool gy_solver_add_link(struct gy_solver *s, double capacity, uint32_t *link);
bool gy_solver_set_capacity(struct gy_solver *s, uint32_t link, double capacity);
uint32_t gy_solver_links(const struct gy_solver *s);

/* weight > 0 and finite; cap ≥ 0, INFINITY for none. coef NULL means 1 each; entries of coefficient 0 are left out and
 * a link named twice counts the sum. A variable without links runs at its cap. */
bool gy_solver_add_var(struct gy_solver *s, double weight, double cap, const uint32_t *links, const double *coef,
                       size_t n, uint32_t *var);
void gy_solver_remove_var(struct gy_solver *s, uint32_t var);
void gy_solver_set_weight(struct gy_solver *s, uint32_t var, double weight);
void gy_solver_set_cap(struct gy_solver *s, uint32_t var, double cap);

/* Makes the rates current. */
bool gy_solver_solve(struct gy_solver *s);

/* After solve, in a deterministic order and valid until the next call: */
/* variables that are new or have another owner than before (or came back to it), or were removed since */
const uint32_t *gy_solver_moved(const struct gy_solver *s, size_t *n);
/* links whose level or own variables changed: all rates that changed belong to their own variables or to moved ones */
const uint32_t *gy_solver_changed_links(const struct gy_solver *s, size_t *n);
/* the variables of both, each once: every variable whose rate changed, and few others. O(their number) when first
 * asked. */
const uint32_t *gy_solver_changed(struct gy_solver *s, size_t *n);
/* After solve: the links that it touched (a superset of those whose load changed). */
const uint32_t *gy_solver_touched(const struct gy_solver *s, size_t *n);

double gy_solver_rate(const struct gy_solver *s, uint32_t var);
double gy_solver_level(const struct gy_solver *s, uint32_t var); /* rate / weight */
double gy_solver_weight(const struct gy_solver *s, uint32_t var);
uint32_t gy_solver_owner(const struct gy_solver *s, uint32_t var); /* its bottleneck link; NONE: it runs at its cap */
double gy_solver_capacity(const struct gy_solver *s, uint32_t link);
double gy_solver_load(const struct gy_solver *s, uint32_t link);       /* Σ a·x of the last solve */
double gy_solver_link_level(const struct gy_solver *s, uint32_t link); /* of its own variables; INFINITY: owns none */

/* The link's own variables are number 0 … owned - 1 of those on it. */
uint32_t gy_solver_owned(const struct gy_solver *s, uint32_t link);
uint32_t gy_solver_var_on(const struct gy_solver *s, uint32_t link, uint32_t i);

struct gy_solver_use {
    uint32_t other; /* the link */
    uint32_t at;    /* place in the link's list */
    double aw;      /* coefficient · weight */
};
const struct gy_solver_use *gy_solver_var_uses(const struct gy_solver *s, uint32_t var, size_t *n);
#endif
