/* The registry of metric families: one line each, in the order of summary.json. */
#include "family.h"

const struct gy_family_type *const gy_families[] = {
    &gy_family_jobs,          &gy_family_times,    &gy_family_use,     &gy_family_unused,
    &gy_family_fragmentation, &gy_family_fairness, &gy_family_churn,   &gy_family_steady,
    &gy_family_course,        &gy_family_cost,     &gy_family_network, NULL,
};
