/* Weighted max-min fair rates over shared links, kept current under change.
 *
 * A variable (a flow, a group of equal flows, or a job) has a weight w, a cap (its own rate without contention) and
 * uses each of its links with a coefficient a: rate x loads the link by a·x. The level of a variable is x/w. Max-min
 * fair means: no link carries more than its capacity, and every variable is at its cap or has a bottleneck, that is a
 * full link on which no variable has a higher level. These rates are unique (Bertsekas and Gallager, Data
 * Networks, 6.5.2).
 *
 * Progressive filling raises one common level; a link fills at (capacity - frozen load)/Σ a·w of what still rises on
 * it. solve() replays this filling only where it now differs from the last solution: a change marks its links, a link
 * whose filling differs spreads to the links of its own variables, and the spread ends where the same level comes out
 * again. So a solve touches at most the connected component of what changed, and O(uses touched + links touched · log)
 * work; a first solve is a whole filling. The order is by level, then by the order of marking: no hash, no address.
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

/* After solve: the variables whose rate or owner changed in it, in a deterministic order; valid until the next call. */
const uint32_t *gy_solver_changed(const struct gy_solver *s, size_t *n);
/* After solve: the links that it touched (a superset of those whose load changed). */
const uint32_t *gy_solver_touched(const struct gy_solver *s, size_t *n);

double gy_solver_rate(const struct gy_solver *s, uint32_t var);
double gy_solver_level(const struct gy_solver *s, uint32_t var); /* rate / weight */
double gy_solver_weight(const struct gy_solver *s, uint32_t var);
uint32_t gy_solver_owner(const struct gy_solver *s, uint32_t var); /* its bottleneck link; NONE: it runs at its cap */
double gy_solver_capacity(const struct gy_solver *s, uint32_t link);
double gy_solver_load(const struct gy_solver *s, uint32_t link);       /* Σ a·x of the last solve */
double gy_solver_link_level(const struct gy_solver *s, uint32_t link); /* of its own variables; INFINITY: owns none */

struct gy_solver_use {
    uint32_t other; /* in a link's list: the variable; in a variable's list: the link */
    uint32_t at;    /* place of the twin entry in the other's list */
    double aw;      /* coefficient · weight */
};
const struct gy_solver_use *gy_solver_link_uses(const struct gy_solver *s, uint32_t link, size_t *n);
const struct gy_solver_use *gy_solver_var_uses(const struct gy_solver *s, uint32_t var, size_t *n);
#endif
