/* slurm.conf as a cluster and the policy's parameters. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gy_scenario.h"
#include "gy_file.h"
#include "slurm_policy.h"

static const char conf[] = "# a small cluster\n"
                           "ClusterName=c\n"
                           "SchedulerType=sched/backfill\n"
                           "SchedulerParameters=bf_interval=10,bf_window=2880,\\\n"
                           "bf_max_job_test=7,bf_continue\n"
                           "TopologyPlugin=topology/tree\n"
                           "PriorityType=priority/multifactor\n"
                           "PriorityWeightAge=1000\n"
                           "PriorityMaxAge=1-12\n"
                           "PriorityDecayHalfLife=00:03:00\n"
                           "PreemptType=preempt/partition_prio\n"
                           "PreemptMode=REQUEUE\n"
                           "NodeName=DEFAULT Sockets=2 CoresPerSocket=8 RealMemory=2048 Weight=5\n"
                           "NodeName=r[1-2]-[1-2] Gres=gpu:a100:4 Feature=fast,ib\n"
                           "NodeName=big Gres=gpu:a100:4,gpu:a100:4 CPUs=64 # the large one\n"
                           "NodeName=cpu1\n"
                           "PartitionName=DEFAULT State=UP\n"
                           "PartitionName=main Nodes=ALL Default=YES TRESBillingWeights=\"CPU=0,GRES/gpu=1.5\"\n"
                           "PartitionName=low Nodes=r1-[1-2],big PriorityTier=0 GraceTime=10 PreemptMode=CANCEL\n";
static const char topology[] = "SwitchName=leaf1 Nodes=r1-[1-2]\nSwitchName=leaf2 Nodes=r2-[1-2],big\n"
                               "SwitchName=top Switches=leaf[1-2]\n";

static char folder[] = "/tmp/gy_slurm_XXXXXX";

static void put(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    cr_assert_not_null(f);
    fputs(text, f);
    fclose(f);
}

static void drop(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
}

static struct gy_scenario *load(const char *more, struct gy_diags *diags)
{
    char text[1024];
    struct gy_error err = {0};
    snprintf(text, sizeof text, "{\"cluster\": {\"slurm_conf\": \"%s/slurm.conf\"}%s}", folder, more);
    struct gy_json_doc *doc = gy_json_parse("s.json", text, strlen(text), &err);
    cr_assert_not_null(doc);
    struct gy_scenario *s = gy_scenario_from(doc, &(struct gy_overrides){0}, diags);
    gy_json_free(doc);
    return s;
}

Test(scenarios_slurm, a_cluster_and_its_policy)
{
    struct gy_diags diags = {0};
    struct gy_error err = {0};
    struct gy_inputs in = {0};
    struct gy_strings *strings = gy_strings_new();
    cr_assert_not_null(mkdtemp(folder));
    put("slurm.conf", conf);
    put("topology.conf", topology);
    struct gy_scenario *s = load(", \"scheduler\": {\"bf_max_job_test\": 9}", &diags);
    cr_assert_not_null(s, "%s: %s", diags.at[0].place, diags.at[0].what);
    cr_expect_str_eq(s->policy->name, "slurm");
    const struct slurm_params *p = s->policy_params;
    cr_expect_eq(p->bf_interval, 10 * GY_SECOND);
    cr_expect_eq(p->bf_window, 2 * GY_DAY);
    cr_expect_eq(p->bf_max_job_test, 9); /* the scenario wins */
    cr_expect_eq(p->priority, SLURM_MULTIFACTOR);
    cr_expect_eq(p->max_age, 36 * GY_HOUR);
    cr_expect_eq(p->half_life, 180 * GY_SECOND);
    cr_expect_eq(p->preempt, SLURM_PREEMPT_PARTITION);
    cr_expect_eq(p->topology, SLURM_TOPO_TREE);
    cr_expect_eq(p->bill_gpu, 1.5);
    const struct slurm_partition_param *parts = p->partitions.at;
    cr_assert_eq(p->partitions.n, 2);
    cr_expect_eq(parts[0].preempt_mode, SLURM_REQUEUE);
    cr_expect_eq(parts[1].preempt_mode, SLURM_CANCEL);
    cr_expect_eq(parts[1].grace, 10 * GY_SECOND);
    cr_assert_eq(gy_scenario_cluster(s, strings, &in, &err), 0, "%s: %s", err.place, err.what);
    cr_assert_eq(in.cluster.nodes.n, 6);
    cr_expect_eq(in.cluster.nodes.at[0].gpus, 4);
    cr_expect_eq(in.cluster.nodes.at[0].cpu_milli, 16000);
    cr_expect_eq(in.cluster.nodes.at[0].mem_mib, 2048);
    cr_expect_eq(in.cluster.nodes.at[4].gpus, 8);
    cr_expect_eq(in.cluster.nodes.at[4].cpu_milli, 64000);
    cr_expect_eq(in.cluster.nodes.at[5].gpus, 0);
    cr_expect_eq(in.cluster.nodes.at[0].leaf, in.cluster.nodes.at[1].leaf);
    cr_expect_neq(in.cluster.nodes.at[1].leaf, in.cluster.nodes.at[2].leaf);
    cr_expect_eq(in.cluster.nodes.at[5].leaf, UINT32_MAX);
    bool weight = false;
    for (size_t i = 0; i < s->cluster.slurm_conf_ignored.n; i++)
        weight = weight || strcmp(s->cluster.slurm_conf_ignored.at[i], "Weight") == 0;
    cr_expect(weight);
    drop("slurm.conf");
    drop("topology.conf");
    rmdir(folder);
}

Test(scenarios_slurm, wrong_files_are_refused)
{
    struct gy_diags none = {0}, empty = {0}, broken = {0};
    cr_assert_not_null(mkdtemp(folder));
    cr_expect_null(load("", &none));
    put("slurm.conf", "ClusterName=c\n");
    cr_expect_null(load("", &empty));
    cr_expect_not_null(strstr(empty.at[0].what, "NodeName"));
    put("slurm.conf", "NodeName=n[1-\n");
    cr_expect_null(load("", &broken));
    drop("slurm.conf");
    rmdir(folder);
}
