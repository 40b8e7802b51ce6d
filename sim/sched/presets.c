/* Presets: the composed policy with some parts fixed and the others open. A preset is a table of what stays open and a
 * line that names what is fixed. */
#include <string.h>
#include "gy_registry.h"

/* Index in a list of the registry by name; the names below are in it. */
#define INDEX_OF(array)                                                                                                \
    static int array##_index(const char *name)                                                                         \
    {                                                                                                                  \
        int i = 0;                                                                                                     \
        while (array[i] && strcmp(array[i]->name, name) != 0)                                                          \
            i++;                                                                                                       \
        return i;                                                                                                      \
    }
INDEX_OF(gy_orders)
INDEX_OF(gy_backfills)

#define PLACEMENT                                                                                                      \
    {                                                                                                                  \
        .name = "placement", .type = GY_P_CHOICE, .offset = offsetof(struct gy_sched_params, placement),               \
        .preset = "\"pack\"", .choices = GY_CHOICES(GY_PLACES), .help = "which nodes a job gets", .source = ""         \
    }
#define QUEUEING                                                                                                       \
    {                                                                                                                  \
        .name = "queueing", .type = GY_P_CHOICE, .offset = offsetof(struct gy_sched_params, queueing),                 \
        .preset = "\"strict\"", .choices = "strict|best-effort",                                                       \
        .help = "stop at the first job that does not fit, or keep scanning", .source = ""                              \
    }
#define ORDER                                                                                                          \
    {                                                                                                                  \
        .name = "order", .type = GY_P_CHOICE, .offset = offsetof(struct gy_sched_params, order), .preset = "\"fifo\"", \
        .choices = GY_CHOICES(GY_ORDERS), .help = "order of the queue; ties by time queued, then by row of the trace", \
        .source = ""                                                                                                   \
    }

static const struct gy_param queue_params[] = {PLACEMENT, QUEUEING, {.name = NULL}};
static const struct gy_param backfill_params[] = {ORDER, PLACEMENT, {.name = NULL}};
static const struct gy_param depth_params[] = {ORDER, PLACEMENT, GY_SCHED_DEPTH_PARAM, {.name = NULL}};

static int init_fixed(void *self, const struct gy_sched_params *p, const char *order, const char *backfill,
                      const struct gy_view *v, struct gy_error *err)
{
    struct gy_sched_params fixed = *p;
    if (order)
        fixed.order = gy_orders_index(order);
    fixed.backfill = gy_backfills_index(backfill);
    return gy_sched_init(self, &fixed, v, err);
}

#define PRESET(id, text, fixed_order, fixed_backfill, table)                                                           \
    static int init_##id(void *self, const void *p, const struct gy_view *v, struct gy_error *err)                     \
    {                                                                                                                  \
        return init_fixed(self, p, fixed_order, fixed_backfill, v, err);                                               \
    }                                                                                                                  \
    const struct gy_policy_type gy_policy_##id = {.name = #id,                                                         \
                                                  .summary = text,                                                     \
                                                  .state_size = sizeof(struct gy_sched),                               \
                                                  .params_size = sizeof(struct gy_sched_params),                       \
                                                  .params = table,                                                     \
                                                  .init = init_##id,                                                   \
                                                  .fini = gy_sched_fini,                                               \
                                                  .on_event = gy_sched_on_event,                                       \
                                                  .decide = gy_sched_decide};

PRESET(fifo, "first come, first served, without backfill", "fifo", "none", queue_params)
PRESET(sjf, "shortest job first, without backfill or preemption", "sjf", "none", queue_params)
PRESET(easy, "EASY backfill: the head of the queue is never delayed by those behind it", NULL, "easy", backfill_params)
PRESET(conservative, "conservative backfill: no reserved job is delayed by one behind it", NULL, "conservative",
       depth_params)
