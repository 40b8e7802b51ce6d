/* Inside of the solver, shared by solver.c (what exists) and solver_fill.c (what rates follow). Not an interface. */
#ifndef SOLVER_H
#define SOLVER_H
#include "gy_heap.h"
#include "gy_solver.h"
#include "gy_vec.h"

struct var {
    uint32_t owner;   /* full link that holds it, NONE: at its cap, or new */
    uint32_t uses, n; /* block in the pool */
    uint8_t size_class;
    uint8_t state;
    bool moved;       /* in the list */
    double cap_level; /* cap / weight */
    double weight, cap;
};
enum var_state { VAR_FREE, VAR_NEW, VAR_PLACED };

/* A link owns the variables that it holds back; they stand first in its list. Their common level is (capacity - frozen)
 * / own_aw, frozen being the load of all others. This is what its neighbours read and write: one line of the cache. */
struct link {
    _Alignas(64) double capacity;
    double frozen, own_aw;
    double level; /* of its own variables as the other links count them; own_n 0: INFINITY; fresh: 0 */
    double top;   /* no other variable on it has a higher level */
    gy_heap_handle handle;
    uint32_t own_n;
    bool fresh; /* has own variables, but no level yet */
    bool rough; /* frozen has been far above capacity since it was summed */
    bool pending, touched, changed, marked;
};

struct link_use { /* gy_solver_use, and where the variable's uses lie */
    struct gy_solver_use u;
    uint32_t uses, n;
};

struct link_list {
    struct link_use *use;
    uint32_t n, cap;
    uint32_t capped; /* how many of them have a cap */
    uint8_t visits;  /* for the refresh of sums */
    double own_peak; /* highest own_aw since it was summed */
    double total_aw; /* of all */
};

struct candidate { /* a variable that may change hands */
    double level, aw;
    uint32_t var, to;
};

#define POOL_CLASSES 32
struct gy_solver {
    struct link *links; /* aligned */
    size_t n_links, cap_links;
    GY_VEC(struct link_list) lists; /* parallel to links */
    GY_VEC(struct var) vars;
    GY_VEC(struct gy_solver_use) pool; /* the variables' uses, in blocks of 2^class */
    GY_VEC(double) coef;               /* parallel to pool */
    GY_VEC(uint32_t) free_vars;
    GY_VEC(uint32_t) free_blocks[POOL_CLASSES];
    GY_VEC(uint32_t) marked;  /* links to look at in the next solve */
    GY_VEC(uint32_t) fresh;   /* variables to place in it */
    GY_VEC(uint32_t) pending; /* links whose frozen load just changed */
    GY_VEC(uint32_t) moved, touched, changed_links, changed;
    GY_VEC(struct candidate) candidates;
    struct gy_heap heap;
    double tolerance; /* levels closer than this, relative, do not make a variable change hands */
    bool failed;      /* out of memory within a fill */
    bool listed;      /* `changed` is that of the last solve */
};

static inline struct gy_solver_use *var_uses(struct gy_solver *s, const struct var *v)
{
    return s->pool.at + v->uses;
}

/* The level at which the links count the variable. */
static inline double var_level(const struct gy_solver *s, const struct var *v)
{
    return v->owner == GY_SOLVER_NONE ? v->cap_level : s->links[v->owner].level;
}

void link_own(struct gy_solver *s, uint32_t link, uint32_t at);    /* use number at becomes own */
void link_disown(struct gy_solver *s, uint32_t link, uint32_t at); /* and no longer */
void link_mark(struct gy_solver *s, uint32_t link);
#endif
