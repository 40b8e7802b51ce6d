/* Inside of the solver, shared by solver.c (what exists) and solver_fill.c (what rates follow). Not an interface. */
#ifndef SOLVER_H
#define SOLVER_H
#include "gy_heap.h"
#include "gy_solver.h"
#include "gy_vec.h"

/* Levels closer than this, relative, are one level: rounding of a sum of a link's uses stays far below. */
#define LEVEL_TOLERANCE 1e-13

enum var_state { VAR_FREE, VAR_NEW, VAR_RISING, VAR_SETTLED }; /* NEW: rises from 0 in the next solve */
struct var_hot {
    double level;   /* of the last solution while it rises */
    uint32_t owner; /* full link that holds it; NONE: at its cap, or not settled */
    uint8_t state;
    bool listed; /* in changed */
    bool fresh;  /* to be listed whatever comes out */
};
struct var {
    double weight, cap;
    uint32_t uses, n; /* block in the pool */
    uint32_t was_owner;
    uint8_t size_class;
};

enum link_state { LINK_IDLE, LINK_OPEN, LINK_DONE };
struct link {
    double capacity, load; /* load of settled variables only */
    double level;          /* INFINITY: owns nothing */
    double was;            /* open: level before */
    double own_aw;         /* Σ a·w of its own variables */
    uint32_t own_n;
    uint32_t rising_n; /* open: variables that count as rising on it, own ones included */
    double frozen;     /* open: load that does not rise */
    double rising_aw;  /* open: Σ a·w of what rises */
    double key;        /* in the heap */
    gy_heap_handle handle;
    uint8_t state;
    bool marked;
    uint8_t visits; /* for the refresh of load */
    struct gy_solver_use *use;
    uint32_t n, cap;
};

struct lowered { /* a variable that a link may hold below its present level */
    double level, aw;
    uint32_t var;
};

#define POOL_CLASSES 32
struct gy_solver {
    GY_VEC(struct link) links;
    GY_VEC(struct var_hot) hot; /* parallel to vars: what a link's scan reads */
    GY_VEC(struct var) vars;
    GY_VEC(struct gy_solver_use) pool; /* the variables' uses, in blocks of 2^class */
    GY_VEC(double) coef;               /* parallel to pool */
    GY_VEC(uint32_t) free_vars;
    GY_VEC(uint32_t) free_blocks[POOL_CLASSES];
    GY_VEC(uint32_t) marked; /* links to open in the next solve */
    GY_VEC(uint32_t) risen;  /* variables that rise from 0 in the next solve */
    GY_VEC(uint32_t) changed, touched;
    GY_VEC(struct lowered) lowered; /* scratch of one link's filling */
    struct gy_heap heap;
    bool failed; /* out of memory within a fill */
};

static inline struct gy_solver_use *var_uses(struct gy_solver *s, const struct var *v)
{
    return s->pool.at + v->uses;
}
#endif
