/* Limits of the policy "slurm": running jobs and GPUs of a user, an account, a QOS or a partition, or of each user
 * there. Jobs that a limit stops do not block those behind them. */
#include "slurm_policy.h"

static bool named(const struct gy_view *v, const char *want, gy_str have)
{
    return !want || strcmp(want, gy_strings_text(v->strings, have)) == 0;
}

static bool concerns(const struct gy_view *v, const struct slurm_limit_param *l, const struct gy_job_rec *r)
{
    return named(v, l->user, r->user) && named(v, l->account, r->team) && named(v, l->qos, r->qos) &&
           named(v, l->partition, r->partition);
}

/* The slot of what is used under the limit; SIZE_MAX: none yet (or no memory when make). */
static size_t slot(struct slurm *s, size_t limit, const struct slurm_limit_param *l, const struct gy_job_rec *r,
                   bool make)
{
    const uint64_t key = (uint64_t)limit << 32 | (l->per_user ? r->user : 0);
    uint64_t at;
    if (gy_map_get(&s->used, key, &at))
        return (size_t)at;
    if (!make || !gy_vec_push(&s->use, UINT64_C(0)) || !gy_vec_push(&s->use, UINT64_C(0)))
        return SIZE_MAX;
    return gy_map_put(&s->used, key, s->use.n - 2) ? s->use.n - 2 : SIZE_MAX;
}

bool slurm_limits_allow(struct slurm *s, const struct gy_view *v, const struct gy_job *j)
{
    const struct slurm_limit_param *l = s->p.limits.at;
    for (size_t i = 0; i < s->p.limits.n; i++) {
        if (!concerns(v, &l[i], &j->rec))
            continue;
        const size_t at = slot(s, i, &l[i], &j->rec, false);
        const uint64_t jobs = at == SIZE_MAX ? 0 : s->use.at[at], gpus = at == SIZE_MAX ? 0 : s->use.at[at + 1];
        if ((l[i].max_jobs >= 0 && jobs + 1 > (uint64_t)l[i].max_jobs) ||
            (l[i].max_gpus >= 0 && gpus + j->rec.gpus > (uint64_t)l[i].max_gpus))
            return false;
    }
    return true;
}

bool slurm_limits_take(struct slurm *s, const struct gy_view *v, const struct gy_job *j, bool give)
{
    const struct slurm_limit_param *l = s->p.limits.at;
    for (size_t i = 0; i < s->p.limits.n; i++) {
        if (!concerns(v, &l[i], &j->rec))
            continue;
        const size_t at = slot(s, i, &l[i], &j->rec, true);
        if (at == SIZE_MAX)
            return false;
        s->use.at[at] += give ? UINT64_MAX : 1; /* minus one */
        s->use.at[at + 1] += give ? 0 - (uint64_t)j->rec.gpus : j->rec.gpus;
    }
    return true;
}
