/* Multifactor priority and fair share of the policy "slurm". The age moves only at ticks, as recorded: between ticks it
 * stands, and a job that arrived since the last tick has none.
 * Terms: age, fair share, job size (half nodes, half CPUs, never GPUs), partition, QOS, TRES (GPUs), nice.
 * Source: Slurm's page "Multifactor Priority Plugin"; checked against sprio of a recorded controller. */
#include <math.h>
#include "slurm_policy.h"

static gy_str find(const struct gy_view *v, const char *text)
{
    return text ? gy_strings_find(v->strings, text, strlen(text)) : GY_STR_FAIL;
}

static uint64_t pair(gy_str a, gy_str b)
{
    return (uint64_t)a << 32 | b;
}

static bool add_account(struct slurm *s, const struct gy_view *v, const struct slurm_account_param *a, uint32_t up,
                        uint32_t *made)
{
    const uint32_t node = *made = gy_fair_add(&s->fair, up, (uint32_t)a->shares, false);
    const gy_str name = find(v, a->name);
    if (node == UINT32_MAX ||
        (name != GY_STR_FAIL && !gy_map_put(&s->fair_of, pair(name, 0) ^ UINT64_C(1) << 63, node)))
        return false;
    for (size_t i = 0; i < a->users.n; i++) {
        const struct slurm_user_param *u = &((const struct slurm_user_param *)a->users.at)[i];
        const uint32_t leaf = gy_fair_add(&s->fair, node, (uint32_t)u->shares, true);
        const gy_str user = find(v, u->name);
        if (leaf == UINT32_MAX ||
            (name != GY_STR_FAIL && user != GY_STR_FAIL && !gy_map_put(&s->fair_of, pair(name, user), leaf)))
            return false;
    }
    return true;
}

/* Parents are found among the parameters: an account above others need not have jobs of its own. */
static int add_accounts(struct slurm *s, const struct gy_view *v, struct gy_error *err)
{
    const struct slurm_account_param *a = s->p.accounts.at;
    GY_VEC(uint32_t) node = {0};
    int rc = gy_vec_reserve(&node, s->p.accounts.n + 1) ? 0 : gy_nomem(err);
    for (size_t i = 0; rc == 0 && i < s->p.accounts.n; i++) {
        size_t k = 0;
        while (a[i].parent && k < i && strcmp(a[k].name, a[i].parent) != 0)
            k++;
        if (a[i].parent && k == i)
            rc = gy_fail(err, GY_EINPUT, "/scheduler/accounts", "account %s: its parent %s is not listed before it",
                         a[i].name, a[i].parent);
        else if (!add_account(s, v, &a[i], a[i].parent ? node.at[k] : GY_FAIR_ROOT, &node.at[i]))
            rc = gy_nomem(err);
    }
    gy_vec_free(&node);
    return rc;
}

int slurm_priority_init(struct slurm *s, const struct gy_view *v, struct gy_error *err)
{
    if (!gy_fair_init(&s->fair))
        return gy_nomem(err);
    if (add_accounts(s, v, err))
        return -1;
    for (uint32_t n = 0; n < gy_cluster_nodes(v->cluster); n++)
        s->total_cpu_milli += gy_cluster_spec(v->cluster)->nodes.at[n].cpu_milli;
    s->next_tick = s->p.priority_phase;
    s->last_tick = GY_NONE;
    return gy_fair_tree(&s->fair) ? 0 : gy_nomem(err);
}

const struct slurm_partition_param *slurm_partition_of(const struct slurm *s, const struct gy_view *v, gy_str name)
{
    const struct slurm_partition_param *p = s->p.partitions.at;
    for (size_t i = 0; i < s->p.partitions.n; i++)
        if (strcmp(p[i].name, gy_strings_text(v->strings, name)) == 0)
            return &p[i];
    return NULL;
}

const struct slurm_qos_param *slurm_qos_of(const struct slurm *s, const struct gy_view *v, gy_str name)
{
    const struct slurm_qos_param *q = s->p.qos.at;
    for (size_t i = 0; i < s->p.qos.n; i++)
        if (strcmp(q[i].name, gy_strings_text(v->strings, name)) == 0)
            return &q[i];
    return NULL;
}

int64_t slurm_tier_of(const struct slurm *s, const struct gy_view *v, const struct gy_job *j)
{
    const struct slurm_partition_param *p = slurm_partition_of(s, v, j->rec.partition);
    return p ? p->tier : 1;
}

/* The user's node of the tree; users and accounts that no parameter names are added with one share. */
static uint32_t fair_node(struct slurm *s, const struct gy_view *v, gy_job_id job)
{
    struct slurm_known *k = slurm_known_of(s, v, job);
    const struct gy_job_rec *r = &gy_view_job(v, job)->rec;
    uint64_t at, up = GY_FAIR_ROOT;
    if (!k || k->fair != UINT32_MAX)
        return k ? k->fair : UINT32_MAX;
    if (!gy_map_get(&s->fair_of, pair(r->team, r->user), &at)) {
        const uint64_t account = pair(r->team, 0) ^ UINT64_C(1) << 63;
        if (r->team && !gy_map_get(&s->fair_of, account, &up)) {
            up = gy_fair_add(&s->fair, GY_FAIR_ROOT, 1, false);
            if (up == UINT32_MAX || !gy_map_put(&s->fair_of, account, up))
                return UINT32_MAX;
        }
        at = gy_fair_add(&s->fair, (uint32_t)up, 1, true);
        if (at == UINT32_MAX || !gy_map_put(&s->fair_of, pair(r->team, r->user), at) || !gy_fair_tree(&s->fair))
            return UINT32_MAX;
    }
    return k->fair = (uint32_t)at;
}

static double size_factor(const struct slurm *s, const struct gy_view *v, const struct gy_job *j)
{
    const struct gy_shape *shape = gy_shape_at(v->shapes, j->shape);
    const double nodes = (double)gy_cluster_nodes(v->cluster), want = shape->full_nodes + (shape->rest > 0);
    const double cpus = s->total_cpu_milli ? (double)j->rec.cpu_milli / (double)s->total_cpu_milli : want / nodes;
    const double f = (want / nodes + cpus) / 2;
    return s->p.favor_small ? 1 - f : f;
}

double slurm_priority_of(struct slurm *s, const struct gy_view *v, gy_job_id job)
{
    const struct gy_job *j = gy_view_job(v, job);
    if (s->p.priority == SLURM_BASIC)
        return (double)j->rec.priority;
    const struct slurm_params *p = &s->p;
    const gy_time waited = s->last_tick != GY_NONE && s->last_tick > j->eligible ? s->last_tick - j->eligible : 0;
    double age = p->max_age > 0 ? (double)waited / (double)p->max_age : 0, fair = 0;
    const struct slurm_partition_param *part = slurm_partition_of(s, v, j->rec.partition);
    const struct slurm_qos_param *qos = slurm_qos_of(s, v, j->rec.qos);
    if (p->weight_fairshare > 0) {
        const uint32_t n = fair_node(s, v, job);
        s->no_memory = s->no_memory || n == UINT32_MAX;
        fair = n == UINT32_MAX ? 0 : s->fair.nodes.at[n].factor;
    }
    double most = 0, tier = 0;
    for (size_t i = 0; i < p->partitions.n; i++)
        most = fmax(most, ((const struct slurm_partition_param *)p->partitions.at)[i].job_factor);
    for (size_t i = 0; i < p->qos.n; i++)
        tier = fmax(tier, ((const struct slurm_qos_param *)p->qos.at)[i].priority);
    const struct gy_totals all = gy_cluster_totals(v->cluster);
    age = floor(p->weight_age * fmin(age, 1));
    const double sum = age + floor(p->weight_fairshare * fair) + floor(p->weight_job_size * size_factor(s, v, j)) +
                       floor(part && most > 0 ? p->weight_partition * part->job_factor / most : 0) +
                       floor(qos && tier > 0 ? p->weight_qos * qos->priority / tier : 0) +
                       floor(all.total > 0 ? p->weight_gpu * (double)gy_job_gpu_milli(&j->rec) / (double)all.total : 0);
    return sum + (double)j->rec.priority; /* priority of the record: minus its nice */
}

/* Usage of a job from the last charge to `to`, decayed over its own time, as measured. */
static bool charge(struct slurm *s, const struct gy_view *v, gy_job_id job, gy_time to)
{
    const struct gy_job *j = gy_view_job(v, job);
    struct slurm_known *k = slurm_known_of(s, v, job);
    const uint32_t node = fair_node(s, v, job);
    if (!k || node == UINT32_MAX)
        return false;
    k = slurm_known_of(s, v, job);
    const gy_time from = k->charged > j->start ? k->charged : j->start;
    const double d = (double)(slurm_seconds(to) - slurm_seconds(from));
    const double billing = s->p.bill_gpu * (double)gy_job_gpu_milli(&j->rec) / GY_MILLI +
                           s->p.bill_cpu * (double)j->rec.cpu_milli / 1000.0;
    k->charged = to;
    if (d > 0)
        gy_fair_charge(&s->fair, node, billing * d * gy_fair_decay(gy_time_to_s(s->p.half_life), d));
    return true;
}

bool slurm_charge_end(struct slurm *s, const struct gy_view *v, gy_job_id job)
{
    return s->p.weight_fairshare <= 0 || !s->p.charge_at_end || charge(s, v, job, v->now);
}

bool slurm_tick(struct slurm *s, const struct gy_view *v)
{
    if (s->p.weight_fairshare > 0) {
        const gy_time since = s->last_tick == GY_NONE ? 0 : v->now - s->last_tick;
        gy_fair_scale(&s->fair, gy_fair_decay(gy_time_to_s(s->p.half_life), (double)(since / GY_SECOND)));
        for (size_t i = 0; i < s->running.n; i++)
            if (!charge(s, v, s->running.at[i].job, v->now))
                return false;
        if (s->p.fairshare == SLURM_FAIR_CLASSIC)
            gy_fair_classic(&s->fair, s->p.dampening);
        else if (!gy_fair_tree(&s->fair))
            return false;
    }
    s->last_tick = v->now;
    return !s->no_memory;
}
