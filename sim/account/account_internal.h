/* The account's insides, shared by account.c, lookup.c and summary.c alone. */
#ifndef ACCOUNT_INTERNAL_H
#define ACCOUNT_INTERNAL_H
#include "family.h"

#define GY_FAMILIES_MAX 64

struct gy_account {
    struct gy_account_options options;
    struct gy_ledger ledger;
    struct gy_crowd crowd;
    GY_VEC(void *) states;                                                 /* of gy_families, parallel */
    uint8_t moved[GY_FAMILIES_MAX], n_moved;                               /* families that integrate */
    uint8_t heard[GY_E_LEFT + 1][GY_FAMILIES_MAX], n_heard[GY_E_LEFT + 1]; /* families by kind of event */
    GY_VEC(struct gy_listener) listeners;
    struct gy_groups *groups; /* after finish, if asked for */
    struct gy_metrics metrics;
    struct gy_sim_result result;
};
#endif
