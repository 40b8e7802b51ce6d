/* From a scenario's fabric and workloads to a rate model. The model itself is sim/fluid; hardware and fabric figures
 * come from models/. */
#include "gy_network.h"
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gy_file.h"
#include "gy_calibration.h"
#include "gy_hardware.h"
#include "inside.h"
#include "network_tables.h"

#define GIGA 1e9

struct rule {
    struct gy_sc_match match;
    struct gy_profile profile;
};

struct gy_network {
    struct gy_graph graph;
    struct gy_fluid *fluid;
    struct gy_rates rates;
    const struct gy_strings *strings;
    GY_VEC(struct rule) rules;
    const struct gy_hw *hw;         /* of all nodes, and */
    const struct gy_fabric *fabric; /* between them: both known, collectives take as long as their model says */
    struct gy_calibration calibration;
    bool calibrated;
    struct gy_arena arena;
};

/* ---- workloads --------------------------------------------------------------------------------------------------- */

static int one_rule(const struct gy_scenario *s, const struct gy_json *v, size_t i, struct rule *rule,
                    struct gy_arena *arena, struct gy_diags *diags)
{
    struct gy_sc_workload w = {0};
    char at[64];
    double lo, hi;
    snprintf(at, sizeof at, "/workloads/%zu", i);
    if (gy_bind(gy_sc_workload_table, s->doc, v, at, &w, arena, diags))
        return -1;
    strncat(at, "/match/gpus", sizeof at - strlen(at) - 1);
    if (!gy_sc_range(w.match.gpus, &lo, &hi))
        return gy_sc_wrong(s, diags, "write \"8\", \">=8\", \"<16\" or \"8-64\"", at,
                           "found \"%s\"; expected a range of GPUs", w.match.gpus);
    rule->match = w.match;
    rule->profile = (struct gy_profile){.name = w.profile.name ? w.profile.name : "",
                                        .compute_s = w.profile.compute_s,
                                        .allreduce_bytes = w.profile.allreduce_gb * GIGA,
                                        .gamma = w.profile.overlap_gamma};
    return 0;
}

static int read_rules(const struct gy_scenario *s, struct gy_network *n, struct gy_diags *diags)
{
    const struct gy_json *list = gy_sc_all(s)->workloads;
    int rc = 0;
    size_t i = 0;
    if (list && gy_json_type(list) != GY_J_ARRAY)
        return gy_sc_wrong(s, diags, NULL, "/workloads", "found %s; expected an array", gy_json_type_name(list));
    for (const struct gy_json *v = list ? gy_json_first(list) : NULL; v; v = gy_json_next(v), i++) {
        struct rule r = {0};
        if (one_rule(s, v, i, &r, &n->arena, diags))
            rc = -1;
        else if (!gy_vec_push(&n->rules, r))
            rc = gy_sc_wrong(s, diags, NULL, "/workloads", "out of memory");
    }
    return rc;
}

static bool text_matches(const char *pattern, const struct gy_strings *strings, gy_str id)
{
    return !pattern || fnmatch(pattern, gy_strings_text(strings, id), 0) == 0;
}

static const struct gy_profile *profile_of(void *ctx, const struct gy_job_rec *rec)
{
    const struct gy_network *n = ctx;
    for (size_t i = 0; i < n->rules.n; i++) {
        const struct gy_sc_match *m = &n->rules.at[i].match;
        double lo, hi;
        gy_sc_range(m->gpus, &lo, &hi);
        if (rec->gpus >= lo && rec->gpus <= hi && text_matches(m->team, n->strings, rec->team) &&
            text_matches(m->user, n->strings, rec->user) && text_matches(m->workload, n->strings, rec->workload) &&
            text_matches(m->partition, n->strings, rec->partition))
            return &n->rules.at[i].profile;
    }
    return NULL;
}

/* ---- collectives ------------------------------------------------------------------------------------------------- */

/* Seconds of the job's all-reduce on as many nodes and GPUs with the network for itself. */
static double comm_s(void *ctx, const struct gy_job *job, const struct gy_profile *p)
{
    const struct gy_network *n = ctx;
    uint32_t *gpus_of = calloc(job->n_shares, sizeof *gpus_of), nodes = 0;
    struct gy_error err = {0};
    struct gy_coll_answer answer;
    double seconds = NAN;
    for (uint32_t i = 0; gpus_of && i < job->n_shares; i++) {
        nodes += i == 0 || job->shares[i].node.i != job->shares[i - 1].node.i;
        gpus_of[nodes - 1] += (uint32_t)__builtin_popcountll(job->shares[i].mask);
    }
    const struct gy_coll_query q = {
        .op = GY_ALL_REDUCE, .hw = n->hw, .fabric = n->fabric, .nodes = nodes, .gpus_of = gpus_of};
    if (gpus_of && n->hw && n->fabric && gy_coll_check(&q, &err) == 0 &&
        gy_coll_predict(n->calibrated ? &n->calibration : NULL, &q, p->allreduce_bytes, NULL, &answer, &err) == 0)
        seconds = answer.r.time_s;
    free(gpus_of);
    return seconds;
}

/* Hardware and fabric by name, when all nodes have the same and both are named; else only rates count. */
static int find_models(const struct gy_scenario *s, const struct gy_sc_fabric *f, struct gy_network *n,
                       struct gy_error *err)
{
    const struct gy_sc_nodes *g = s->cluster.nodes.at;
    const char *hw = s->cluster.nodes.n ? g[0].hardware : NULL, *file = gy_sc_all(s)->network.calibration;
    for (size_t i = 1; hw && i < s->cluster.nodes.n; i++)
        if (!g[i].hardware || strcmp(g[i].hardware, hw) != 0)
            hw = NULL;
    if (!hw || !f->nic) {
        if (file)
            return gy_sc_fail(s, err, "/network/calibration",
                              "a calibration needs nodes of one \"hardware\" and a named \"nic\"");
        return 0;
    }
    if (!(n->hw = gy_hw_find(hw, &n->arena, err)) || !(n->fabric = gy_fabric_find(f->nic, &n->arena, err)) ||
        gy_calibration_load(&n->calibration, file, err))
        return -1;
    n->calibrated = true;
    return 0;
}

/* ---- fabric ------------------------------------------------------------------------------------------------------ */

/* NICs of a node and their payload rate: as given, else from the named fabric, else from the first nodes' hardware. */
static int nic_rates(const struct gy_scenario *s, struct gy_sc_fabric *f, struct gy_arena *arena, struct gy_error *err)
{
    const struct gy_sc_nodes *first = s->cluster.nodes.n ? s->cluster.nodes.at : NULL;
    double efficiency = 1, gbit = isnan(f->nic_gbit) ? 0 : f->nic_gbit;
    if (first && first->hardware && (f->nics == 0 || gbit == 0)) {
        const struct gy_hw *hw = gy_hw_find(first->hardware, arena, err);
        if (!hw)
            return -1;
        f->nics = f->nics ? f->nics : (int64_t)hw->nics.value;
        gbit = gbit > 0 ? gbit : hw->nic_gbit.value;
    }
    if (f->nic && isnan(f->nic_gbit)) {
        const struct gy_fabric *fabric = gy_fabric_find(f->nic, arena, err);
        if (!fabric)
            return -1;
        gbit = fabric->nic_gbit.value > 0 ? fabric->nic_gbit.value : gbit;
        efficiency = fabric->efficiency.value > 0 ? fabric->efficiency.value : 1;
    }
    if (!(gbit > 0))
        return gy_sc_fail(s, err, "/cluster/fabric",
                          "the NIC rate is not known; give \"nic_gbit\", or \"nic\" by name, or "
                          "nodes with \"hardware\"");
    f->nics = f->nics ? f->nics : 1;
    f->nic_gbit = gbit * efficiency;
    return 0;
}

static int build_graph(const struct gy_scenario *s, uint32_t nodes, struct gy_network *n, struct gy_error *err)
{
    struct gy_sc_fabric f = {0};
    struct gy_diags diags = {0};
    if (gy_bind(gy_sc_fabric_table, s->doc, s->cluster.fabric, "/cluster/fabric", &f, &n->arena, &diags)) {
        *err = diags.at[0];
        return -1;
    }
    if (nic_rates(s, &f, &n->arena, err) || find_models(s, &f, n, err))
        return -1;
    const struct gy_graph_plan plan = {.type = (enum gy_graph_type)f.type,
                                       .nodes = nodes,
                                       .nics_per_node = (uint32_t)f.nics,
                                       .nic_rate = f.nic_gbit * GIGA / 8,
                                       .nodes_per_leaf = (uint32_t)f.nodes_per_leaf,
                                       .radix = (uint32_t)f.radix,
                                       .levels = (uint32_t)f.levels,
                                       .leaves_per_pod = (uint32_t)f.leaves_per_pod,
                                       .oversubscription = f.oversubscription,
                                       .link_rate = isnan(f.link_gbit) ? 0 : f.link_gbit * GIGA / 8,
                                       .nodes_per_router = (uint32_t)f.nodes_per_router,
                                       .dim = {(uint32_t)f.dim_x, (uint32_t)f.dim_y, (uint32_t)f.dim_z}};
    if (gy_graph_build(&n->graph, &plan, err) == 0)
        return 0;
    char place[sizeof err->place];
    gy_json_place(s->doc, "/cluster/fabric", place, sizeof place);
    memcpy(err->place, place, sizeof place);
    return -1;
}

static const char *node_name(void *ctx, uint32_t node)
{
    const struct gy_cluster_spec *spec = ctx;
    return gy_strings_text(spec->strings, spec->nodes.at[node].name);
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

struct gy_network *gy_network_new(const struct gy_scenario *s, const struct gy_inputs *in, struct gy_error *err)
{
    struct gy_network *n = calloc(1, sizeof *n);
    struct gy_diags diags = {0};
    if (!n) {
        gy_nomem(err);
        return NULL;
    }
    n->strings = in->strings;
    if (read_rules(s, n, &diags)) {
        *err = diags.at[0];
    } else if (build_graph(s, (uint32_t)in->cluster.nodes.n, n, err) == 0) {
        n->graph.node_name = node_name;
        n->graph.node_name_ctx = (void *)(uintptr_t)&in->cluster;
        const struct gy_fluid_config config = {.graph = &n->graph,
                                               .rule = gy_sc_all(s)->network.routing == 1 ? GY_ROUTE_ECMP
                                                                                          : GY_ROUTE_DETERMINISTIC,
                                               .seed = (uint64_t)s->seed,
                                               .profile_of = profile_of,
                                               .comm_s = comm_s,
                                               .ctx = n,
                                               .tell_why = s->output.events};
        n->fluid = gy_fluid_new(&config, err);
        if (n->fluid) {
            n->rates = gy_fluid_rates(n->fluid);
            return n;
        }
    }
    gy_network_free(n);
    return NULL;
}

void gy_network_free(struct gy_network *n)
{
    if (!n)
        return;
    gy_fluid_free(n->fluid);
    gy_graph_free(&n->graph);
    gy_vec_free(&n->rules);
    if (n->calibrated)
        gy_calibration_free(&n->calibration);
    gy_arena_free(&n->arena);
    free(n);
}

const struct gy_rates *gy_network_rates(const struct gy_network *n)
{
    return &n->rates;
}

int gy_network_check(const struct gy_scenario *s, struct gy_diags *diags)
{
    struct gy_network n = {0};
    struct gy_sc_fabric f = {0};
    int rc = read_rules(s, &n, diags);
    if (gy_bind(gy_sc_fabric_table, s->doc, s->cluster.fabric, "/cluster/fabric", &f, &n.arena, diags))
        rc = -1;
    gy_vec_free(&n.rules);
    gy_arena_free(&n.arena);
    return rc;
}

void gy_network_leaves(const struct gy_scenario *s, struct gy_cluster_spec *cluster)
{
    struct gy_sc_fabric f = {0};
    struct gy_diags diags = {0};
    struct gy_arena arena = GY_ARENA_INIT;
    bool named = false;
    for (size_t i = 0; i < cluster->nodes.n; i++)
        named = named || cluster->nodes.at[i].leaf != UINT32_MAX;
    if (!named && gy_bind(gy_sc_fabric_table, s->doc, s->cluster.fabric, "/cluster/fabric", &f, &arena, &diags) == 0 &&
        f.nodes_per_leaf > 0)
        for (size_t i = 0; i < cluster->nodes.n; i++)
            cluster->nodes.at[i].leaf = (uint32_t)(i / (size_t)f.nodes_per_leaf);
    gy_arena_free(&arena);
}

static double could_carry(const struct gy_network *n, const struct gy_sim_result *r, uint32_t link)
{
    const double seconds = r->end == GY_NONE ? 0 : gy_time_to_s(r->end - r->first_submit);
    return n->graph.links.at[link].capacity * seconds;
}

void gy_network_link_util(struct gy_network *n, const struct gy_sim_result *r, double *mean, double *max)
{
    double sum = 0;
    *mean = *max = NAN;
    if (r->end == GY_NONE || r->end <= r->first_submit || n->graph.links.n == 0)
        return;
    gy_fluid_advance(n->fluid, r->end);
    *max = 0;
    for (uint32_t l = 0; l < n->graph.links.n; l++) {
        const double u = gy_fluid_link_bytes(n->fluid, l) / could_carry(n, r, l);
        sum += u;
        *max = fmax(*max, u);
    }
    *mean = sum / (double)n->graph.links.n;
}

void gy_network_tell(struct gy_network *n, const struct gy_sim_result *r, struct gy_account *a)
{
    double mean, max;
    gy_network_link_util(n, r, &mean, &max);
    gy_account_network(a, mean, max);
}

void gy_network_write_links(struct gy_network *n, const struct gy_sim_result *r, struct gy_writer *to)
{
    char a[300], b[300];
    gy_writer_text(to, "link,from,to,gbps,bytes,utilization\n");
    for (uint32_t l = 0; l < n->graph.links.n && r->end != GY_NONE; l++) {
        const struct gy_edge *e = &n->graph.links.at[l];
        const double bytes = gy_fluid_link_bytes(n->fluid, l);
        if (bytes <= 0)
            continue;
        gy_writer_printf(to, "%u,", l);
        gy_writer_csv(to, gy_graph_name(&n->graph, e->from, a, sizeof a));
        gy_writer_put(to, ",", 1);
        gy_writer_csv(to, gy_graph_name(&n->graph, e->to, b, sizeof b));
        gy_writer_put(to, ",", 1);
        gy_writer_csv_number(to, e->capacity / GIGA);
        gy_writer_put(to, ",", 1);
        gy_writer_csv_number(to, bytes);
        gy_writer_put(to, ",", 1);
        gy_writer_csv_number(to, bytes / could_carry(n, r, l));
        gy_writer_put(to, "\n", 1);
    }
}
