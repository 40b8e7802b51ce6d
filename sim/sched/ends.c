/* Running jobs in order of their expected ends. */
#include "gy_shadow.h"

void gy_ends_free(struct gy_ends *e)
{
    gy_blist_free(&e->list);
    gy_vec_free(&e->rows);
}

bool gy_ends_add(struct gy_ends *e, const struct gy_view *v, gy_job_id job)
{
    const struct gy_running none = {.in = false};
    while (e->rows.n <= job.i)
        if (!gy_vec_push(&e->rows, none))
            return false;
    if (e->rows.at[job.i].in)
        return true;
    const struct gy_job *j = gy_view_job(v, job);
    const struct gy_item item = {j->expected_end, 0, j->rec.row, job.i};
    if (!gy_blist_insert(&e->list, &item, 0))
        return false;
    e->rows.at[job.i] = (struct gy_running){item, true};
    return true;
}

void gy_ends_remove(struct gy_ends *e, gy_job_id job)
{
    struct gy_blist_pos pos;
    if (gy_ends_has(e, job) && gy_blist_find(&e->list, &e->rows.at[job.i].item, &pos)) {
        gy_blist_erase(&e->list, &pos);
        e->rows.at[job.i].in = false;
    }
}
