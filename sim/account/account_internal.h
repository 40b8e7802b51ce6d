/* The account's insides, shared by account.c, lookup.c and summary.c alone. */
#ifndef ACCOUNT_INTERNAL_H
#define ACCOUNT_INTERNAL_H
#include "family.h"

struct gy_account {
    struct gy_account_options options;
    struct gy_ledger ledger;
    struct gy_crowd crowd;
    GY_VEC(void *) states; /* of gy_families, parallel */
    GY_VEC(struct gy_listener) listeners;
    struct gy_groups *groups; /* after finish, if asked for */
    struct gy_metrics metrics;
    struct gy_sim_result result;
};
#endif
