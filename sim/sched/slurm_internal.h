/* What the files of the Slurm passes share: the scratch buffers, the promise map and words of node sets. */
#ifndef SLURM_INTERNAL_H
#define SLURM_INTERNAL_H
#include <string.h>
#include "gy_slurm.h"

/* The map of promises: consecutive intervals of time, each with the nodes that are not promised in it. */
struct slurm_span {
    int64_t begin, end;
    uint32_t set; /* index of its node set */
};
struct slurm_map {
    uint32_t words;
    GY_VEC(struct slurm_span) spans; /* ascending, without gaps */
    GY_VEC(uint64_t) sets;           /* words of set k at k * words */
    GY_VEC(uint32_t) spare;          /* sets not in use */
};
bool slurm_map_reset(struct slurm_map *m, uint32_t words, int64_t begin, int64_t end, const uint64_t *nodes);
void slurm_map_free(struct slurm_map *m);
/* Takes nodes out of [start, end). False: out of memory. */
bool slurm_map_promise(struct slurm_map *m, int64_t start, int64_t end, const uint64_t *nodes);
/* nodes: those of mine that are promised to nobody over [start, end]. Returns when it is worth looking again: the first
 * change of the map after start that is not a mere loss of nodes usable so far; 0 when there is none. */
int64_t slurm_map_over(const struct slurm_map *m, int64_t start, int64_t end, const uint64_t *mine, uint64_t *nodes);
bool slurm_map_overlaps(const struct slurm_map *m, int64_t start, int64_t end, const uint64_t *nodes);

struct slurm_kept {
    uint32_t nodes;
    bool has_rest, exclusive;
    struct gy_slurm_amount amount, rest;
    int64_t start;
    uint32_t rest_node;
};

struct gy_slurm_scratch {
    uint32_t nodes, words;
    struct gy_slurm_amount *free; /* future capacity */
    uint32_t *jobs;
    uint64_t *fit, *fit_rest, *left, *out, *usable, *up, *before, *mine, *open;
    GY_VEC(uint32_t) tested; /* a user: jobs looked at */
    struct slurm_map map;
    GY_VEC(struct slurm_kept) kept; /* answers of this pass, for jobs that ask for the same on the same nodes */
    GY_VEC(uint64_t) kept_sets;     /* two sets an answer: usable, chosen */
};

static inline bool set_has(const uint64_t *s, uint32_t i)
{
    return s[i / 64] >> (i % 64) & 1;
}
static inline void set_put(uint64_t *s, uint32_t i)
{
    s[i / 64] |= UINT64_C(1) << (i % 64);
}
static inline void set_drop(uint64_t *s, uint32_t i)
{
    s[i / 64] &= ~(UINT64_C(1) << (i % 64));
}
static inline uint32_t set_count(const uint64_t *s, uint32_t words)
{
    uint32_t n = 0;
    for (uint32_t w = 0; w < words; w++)
        n += (uint32_t)__builtin_popcountll(s[w]);
    return n;
}
static inline void set_clear(uint64_t *s, uint32_t words)
{
    memset(s, 0, words * sizeof *s);
}
static inline void set_copy(uint64_t *to, const uint64_t *from, uint32_t words)
{
    memcpy(to, from, words * sizeof *to);
}
/* The smallest member ≥ i, or UINT32_MAX. */
static inline uint32_t set_next(const uint64_t *s, uint32_t words, uint32_t i)
{
    for (uint32_t w = i / 64; w < words; w++) {
        const uint64_t bits = w == i / 64 ? s[w] & (UINT64_MAX << (i % 64)) : s[w];
        if (bits)
            return w * 64 + (uint32_t)__builtin_ctzll(bits);
    }
    return UINT32_MAX;
}
static inline bool slurm_amount_fits(const struct gy_slurm_amount *want, const struct gy_slurm_amount *free)
{
    return want->gpus <= free->gpus && want->cpu_milli <= free->cpu_milli && want->mem_mib <= free->mem_mib;
}
void slurm_take(struct gy_slurm_amount *free, const struct gy_slurm_amount *a);
void slurm_give(struct gy_slurm_amount *free, const struct gy_slurm_amount *a);
/* Books a started job: its holds, and a running job until end_s. */
bool slurm_book(struct gy_slurm_state *s, const struct gy_slurm_job *j, const uint64_t *nodes, uint32_t rest_node,
                int64_t end_s);
/* gy_slurm_will_run on w->usable into w->out, or what it said to an equal question since the last start. */
int64_t slurm_will_run_kept(struct gy_slurm_pass *p, const struct gy_slurm_job *j, uint32_t *rest_node);
static inline bool slurm_node_fits(const struct gy_slurm_amount *free, const uint32_t *jobs,
                                   const struct gy_slurm_job *j, const struct gy_slurm_amount *want, uint32_t i)
{
    return slurm_amount_fits(want, &free[i]) && !(j->exclusive && jobs[i] > 0);
}
/* Picks out of the fit sets already in the scratch (w->fit, w->fit_rest). */
bool slurm_pick_fit(struct gy_slurm_scratch *w, const struct gy_slurm_config *c, const struct gy_slurm_amount *free,
                    const struct gy_slurm_job *j, int64_t now_s, uint64_t *out, uint32_t *rest_node);
#endif
