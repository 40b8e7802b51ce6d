/* Fair share as Slurm computes it: an account tree with decayed usage, and the factor of every user by Fair Tree or by
 * the classic formula. Pure: times and amounts come in, factors come out.
 * Source: Slurm's pages "Fair Tree Fairshare Algorithm" and "Classic Fairshare Algorithm"; the decay of a second,
 * 1 - 0.693 / half-life, and the charge of a job at a tick were measured (../shared: SLURM.md 9). */
#ifndef GY_FAIR_H
#define GY_FAIR_H
#include <stdbool.h>
#include <stdint.h>
#include "gy_vec.h"

#define GY_FAIR_ROOT 0u

struct gy_fair_node {
    uint32_t parent; /* of the root: itself */
    uint32_t shares;
    bool user;          /* a leaf that jobs are charged to */
    double usage;       /* decayed, of the whole subtree */
    double norm_shares; /* of its level */
    double effective;   /* share of its level's usage; classic: see gy_fair_classic */
    double level_fs;    /* norm_shares / effective; infinite without usage */
    double factor;      /* 0…1, users only */
};
struct gy_fair {
    GY_VEC(struct gy_fair_node) nodes; /* 0 is the root; parents come before children */
    GY_VEC(uint32_t) order;            /* scratch */
    uint32_t users;
};
bool gy_fair_init(struct gy_fair *f); /* makes the root */
void gy_fair_free(struct gy_fair *f);
/* The new node's index; UINT32_MAX when out of memory. */
uint32_t gy_fair_add(struct gy_fair *f, uint32_t parent, uint32_t shares, bool user);
/* Adds to the usage of a node and all above it. */
void gy_fair_charge(struct gy_fair *f, uint32_t node, double amount);
/* What is left of usage after so many seconds; half_life_s 0: all of it (no decay). */
double gy_fair_decay(double half_life_s, double seconds);
void gy_fair_scale(struct gy_fair *f, double by);
/* Sets factor of every user: rank from the best to the worst, divided by the number of users; ties share a rank.
 * O(nodes log nodes). False: out of memory. */
bool gy_fair_tree(struct gy_fair *f);
/* 2^(-U/S/d), U the effective usage of Slurm's documentation. O(nodes). */
void gy_fair_classic(struct gy_fair *f, double dampening);
#endif
