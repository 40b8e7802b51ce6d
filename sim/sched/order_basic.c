/* Queue orders by time queued, by estimated length, by size, and by priority. Keys are the same all the while a job
 * waits; orders that age are policies of their own. */
#include "gy_parts.h"

static double key_fifo(const struct gy_view *view, const struct gy_job *job)
{
    (void)view;
    (void)job;
    return 0;
}

static double key_shortest(const struct gy_view *view, const struct gy_job *job)
{
    (void)view;
    return (double)gy_job_estimate(job);
}

static double key_longest(const struct gy_view *view, const struct gy_job *job)
{
    return -key_shortest(view, job);
}

static double key_smallest(const struct gy_view *view, const struct gy_job *job)
{
    (void)view;
    return (double)gy_job_gpu_milli(&job->rec);
}

static double key_largest(const struct gy_view *view, const struct gy_job *job)
{
    return -key_smallest(view, job);
}

static double key_priority(const struct gy_view *view, const struct gy_job *job)
{
    (void)view;
    return -(double)job->rec.priority;
}

const struct gy_order_type gy_order_fifo = {"fifo", "first come, first served", key_fifo};
const struct gy_order_type gy_order_sjf = {"sjf", "shortest first, by limit or else duration", key_shortest};
const struct gy_order_type gy_order_ljf = {"ljf", "longest first, by limit or else duration", key_longest};
const struct gy_order_type gy_order_smallest = {"smallest", "fewest GPUs first", key_smallest};
const struct gy_order_type gy_order_largest = {"largest", "most GPUs first", key_largest};
const struct gy_order_type gy_order_priority = {"priority", "highest priority of the trace first", key_priority};
