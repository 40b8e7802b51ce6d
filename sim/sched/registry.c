/* The lists of everything built in. */
#include <string.h>
#include "gy_registry.h"

#define X(id, name) &gy_order_##id,
const struct gy_order_type *const gy_orders[] = {GY_ORDERS(X) NULL};
#undef X
#define X(id, name) &gy_place_##id,
const struct gy_place_type *const gy_places[] = {GY_PLACES(X) NULL};
#undef X
#define X(id, name) &gy_backfill_##id,
const struct gy_backfill_type *const gy_backfills[] = {GY_BACKFILLS(X) NULL};
#undef X
#define X(id, name) &gy_policy_##id,
const struct gy_policy_type *const gy_policies[] = {GY_POLICIES(X) NULL};
#undef X

const struct gy_policy_type *gy_policy_find(const char *name)
{
    for (size_t i = 0; gy_policies[i]; i++)
        if (strcmp(gy_policies[i]->name, name) == 0)
            return gy_policies[i];
    return NULL;
}

gy_time gy_job_estimate(const struct gy_job *j)
{
    if (j->rec.limit != GY_NONE)
        return j->rec.limit;
    return j->first_start != GY_NONE ? j->work_left : j->rec.duration; /* started before: what is left */
}
