/* The tables of a scenario: every key with its type, unit, default and range, once. Sections with keys of their own kind
 * (scheduler: the policy's parameters; teams: names) are bound in sections.c. */
#include "inside.h"

#define AT(member) offsetof(struct gy_sc_all, member)

static const struct gy_param nodes_table[] = {
#define A(member) offsetof(struct gy_sc_nodes, member)
    {.name = "name", .type = GY_P_TEXT, .offset = A(name), .preset = "null",
     .help = "Host list (\"v[001-133]\", several brackets, commas), or a prefix when count is given"},
    {.name = "count", .type = GY_P_INT, .offset = A(count), .preset = "0", .min = 0, .max = GY_MAX_NODES,
     .help = "Number of nodes: cuts the host list or continues its numbers; 0: as many as the host list names"},
    {.name = "hardware", .type = GY_P_TEXT, .offset = A(hardware), .preset = "null",
     .help = "Node type of the hardware catalogue or a file; fills gpus, gpu_type and memory that are not given"},
    {.name = "gpus", .type = GY_P_INT, .offset = A(gpus), .preset = "-1", .min = -1, .max = GY_MAX_NODE_GPUS,
     .help = "GPUs of each node; -1: as the hardware says"},
    {.name = "gpu_type", .type = GY_P_TEXT, .offset = A(gpu_type), .preset = "null",
     .help = "What jobs call this GPU when they ask for a type"},
    {.name = "gpu_mem_gib", .type = GY_P_REAL, .offset = A(gpu_mem_gib), .unit = GY_U_BYTES, .preset = "0", .min = 0, .max = 1e6,
     .help = "Memory of one GPU; 0: not known"},
    {.name = "cpus", .type = GY_P_REAL, .offset = A(cpus), .preset = "0", .min = 0, .max = 1e6,
     .help = "CPU cores of each node; 0: CPUs are not modelled on it"},
    {.name = "mem_gib", .type = GY_P_REAL, .offset = A(mem_gib), .unit = GY_U_BYTES, .preset = "0", .min = 0, .max = 1e9,
     .help = "Memory of each node; 0: memory is not modelled on it"},
    {.name = "partition", .type = GY_P_JSON, .offset = A(partition), .preset = "null",
     .help = "Partitions it belongs to: a name, \"a,b\" or an array; none anywhere: jobs' partitions are ignored"},
    {.name = "labels", .type = GY_P_JSON, .offset = A(labels), .preset = "{}",
     .help = "Labels, as an object of texts; a job's constraint \"key=value\" matches them"},
    {.name = "speed", .type = GY_P_REAL, .offset = A(speed), .preset = "1", .min = 1e-3, .max = 1e3,
     .help = "Speed of its GPUs against those on which the trace's run times were taken"},
    {.name = "absent", .type = GY_P_BOOL, .offset = A(absent), .preset = "false",
     .help = "Not part of the cluster until an event brings it"},
    {.name = "leaf", .type = GY_P_TEXT, .offset = A(leaf), .preset = "null",
     .help = "Leaf switch that it hangs on"},
    {0}
#undef A
};

static const struct gy_param partitions_table[] = {
    {.name = "name", .type = GY_P_TEXT, .offset = offsetof(struct gy_sc_partition, name), .help = "Its name"},
    {.name = "nodes", .type = GY_P_TEXT, .offset = offsetof(struct gy_sc_partition, nodes), .preset = "null",
     .help = "Host list of its nodes; none: all"},
    {0}};

static const struct gy_param events_table[] = {
#define A(member) offsetof(struct gy_sc_event, member)
    {.name = "at_s", .type = GY_P_TIME, .offset = A(at), .unit = GY_U_TIME, .help = "When, in the trace's time"},
    {.name = "nodes", .type = GY_P_TEXT, .offset = A(nodes), .preset = "null", .help = "Host list; none: all nodes"},
    {.name = "partition", .type = GY_P_TEXT, .offset = A(partition), .preset = "null",
     .help = "Only nodes of this partition"},
    {.name = "state", .type = GY_P_CHOICE, .offset = A(state), .preset = "\"up\"", .choices = "up|drained|down|absent",
     .help = "What they become"},
    {.name = "up_nodes", .type = GY_P_INT, .offset = A(up_nodes), .preset = "0", .min = 0, .max = GY_MAX_NODES,
     .help = "The first so many of them are up; the others take state (for a capacity that changes by day)"},
    {0}
#undef A
};

static const struct gy_param cluster_table[] = {
#define A(member) offsetof(struct gy_sc_cluster, member)
    {.name = "nodes", .type = GY_P_LIST, .offset = A(nodes), .preset = "[]", .fields = nodes_table,
     .item_size = sizeof(struct gy_sc_nodes), .help = "Groups of like nodes; node numbers follow their order"},
    {.name = "nodes_file", .type = GY_P_PATH, .offset = A(nodes_file), .preset = "null",
     .help = "Node list of a trace (openb, PAI, Philly, Tiresias), after nodes"},
    {.name = "nodes_format", .type = GY_P_TEXT, .offset = A(nodes_format), .preset = "null",
     .help = "Its format, instead of finding it out"},
    {.name = "partitions", .type = GY_P_LIST, .offset = A(partitions), .preset = "[]", .fields = partitions_table,
     .item_size = sizeof(struct gy_sc_partition), .help = "Partitions by host list, beside those that nodes name"},
    {.name = "events", .type = GY_P_LIST, .offset = A(events), .preset = "[]", .fields = events_table,
     .item_size = sizeof(struct gy_sc_event), .help = "Planned changes of capacity"},
    {.name = "events_file", .type = GY_P_PATH, .offset = A(events_file), .preset = "null",
     .help = "CSV with the columns of events (at_s,nodes,state and maybe partition,up_nodes)"},
    {.name = "fabric", .type = GY_P_JSON, .offset = A(fabric), .preset = "{}",
     .help = "The network between the nodes; used when network.fidelity is not none"},
    {0}
#undef A
};

static const struct gy_param trace_table[] = {
#define A(member) offsetof(struct gy_sc_trace, member)
    {.name = "path", .type = GY_P_PATH, .offset = A(path), .preset = "null",
     .help = "The trace; - is standard input; .gz is understood"},
    {.name = "second_path", .type = GY_P_PATH, .offset = A(second_path), .preset = "null",
     .help = "Second table of formats that have two (PAI 2020: the task table)"},
    {.name = "format", .type = GY_P_TEXT, .offset = A(format), .preset = "null",
     .help = "Format, instead of finding it out (gpuyard help trace info lists them)"},
    {.name = "from", .type = GY_P_TIME, .offset = A(from), .unit = GY_U_TIME, .preset = "null",
     .help = "Jobs submitted from this time on, in the trace's time"},
    {.name = "to", .type = GY_P_TIME, .offset = A(to), .unit = GY_U_TIME, .preset = "null",
     .help = "Jobs submitted before this time"},
    {.name = "limit_factor", .type = GY_P_REAL, .offset = A(limit_factor), .preset = "0", .min = 0, .max = 1e6,
     .help = "Where the trace gives no time limit: run time times this; 0: no limit"},
    {.name = "strict", .type = GY_P_BOOL, .offset = A(strict), .preset = "false",
     .help = "The first row that cannot be used ends the run with an error"},
    {.name = "gpu_jobs_only", .type = GY_P_BOOL, .offset = A(gpu_jobs_only), .preset = "false",
     .help = "Leaves out jobs that ask for no GPU"},
    {.name = "columns", .type = GY_P_JSON, .offset = A(columns), .preset = "{}",
     .help = "For format csv: which column of the file is which of ours, {\"submit_s\": \"SubmitTime\"}"},
    {0}
#undef A
};

static const struct gy_param jobs_table[] = {
#define A(member) offsetof(struct gy_sc_jobs, member)
    {.name = "requeue_on_failure", .type = GY_P_BOOL, .offset = A(requeue_on_failure), .preset = "true",
     .help = "Jobs on a node that goes down return to the queue; else they end as node_fail",
     .source = "Slurm JobRequeue=1"},
    {.name = "requeue_delay_s", .type = GY_P_TIME, .offset = A(requeue_delay), .unit = GY_U_TIME, .preset = "0", .min = 0,
     .max = 1e9, .help = "How long a job that was put back waits before it may start again"},
    {.name = "any_split", .type = GY_P_BOOL, .offset = A(any_split), .preset = "false",
     .help = "Jobs that name no shape may get their GPUs on any nodes in any amounts"},
    {0}
#undef A
};

static const struct gy_param network_table[] = {
    {.name = "fidelity", .type = GY_P_CHOICE, .offset = 0, .preset = "\"none\"", .choices = "none|fluid|flow",
     .help = "How contention is modelled; only none is built"},
    {0}};

static const struct gy_param stop_table[] = {
    {.name = "at", .type = GY_P_TIME, .offset = 0, .unit = GY_U_TIME, .preset = "null", .min = 0, .max = 4e9,
     .help = "When the run ends, in the trace's time; none: when every job has ended or can never start"},
    {0}};

static const struct gy_param output_table[] = {
#define A(member) offsetof(struct gy_sc_output, member)
    {.name = "jobs", .type = GY_P_BOOL, .offset = A(jobs), .preset = "true", .help = "Writes jobs.csv"},
    {.name = "timeline_s", .type = GY_P_TIME, .offset = A(timeline), .unit = GY_U_TIME, .preset = "300", .min = 0,
     .max = 1e9, .help = "Sampling period of timeline.csv; 0: none"},
    {.name = "events", .type = GY_P_BOOL, .offset = A(events), .preset = "false", .help = "Writes events.jsonl"},
    {0}
#undef A
};

static const struct gy_param thresholds_table[] = {
    {.name = "metric", .type = GY_P_TEXT, .offset = offsetof(struct gy_threshold, metric),
     .help = "Name in summary.json, as wait_s.p95"},
    {.name = "min", .type = GY_P_REAL, .offset = offsetof(struct gy_threshold, min), .preset = "null",
     .help = "Least value that passes"},
    {.name = "max", .type = GY_P_REAL, .offset = offsetof(struct gy_threshold, max), .preset = "null",
     .help = "Greatest value that passes"},
    {0}};

const struct gy_param gy_sc_team_table[] = {
    {.name = "share", .type = GY_P_REAL, .offset = offsetof(struct gy_sc_team, share), .preset = "1", .min = 0, .max = 1e9,
     .help = "What the team is entitled to, relative to the others; 0 leaves it out of fairness"},
    {0}};

const struct gy_param gy_sc_table[] = {
    {.name = "name", .type = GY_P_TEXT, .offset = AT(name), .preset = "\"\"", .help = "What the run is called"},
    {.name = "seed", .type = GY_P_INT, .offset = AT(seed), .preset = "1", .min = 0, .max = 9007199254740992.0,
     .help = "Seed of every random stream"},
    {.name = "cluster", .type = GY_P_OBJECT, .offset = AT(cluster), .preset = "{}", .fields = cluster_table,
     .help = "The machines"},
    {.name = "trace", .type = GY_P_OBJECT, .offset = AT(trace), .preset = "{}", .fields = trace_table, .help = "The jobs"},
    {.name = "workloads", .type = GY_P_JSON, .offset = AT(workloads), .preset = "[]",
     .help = "Training profiles of jobs; not built yet: must be empty"},
    {.name = "scheduler", .type = GY_P_JSON, .offset = AT(scheduler), .preset = "{}",
     .help = "The policy, by preset, and its parameters (gpuyard policies show NAME)"},
    {.name = "network", .type = GY_P_OBJECT, .offset = AT(network), .preset = "{}", .fields = network_table,
     .help = "Contention between jobs"},
    {.name = "jobs", .type = GY_P_OBJECT, .offset = AT(jobs), .preset = "{}", .fields = jobs_table,
     .help = "What holds for all jobs"},
    {.name = "teams", .type = GY_P_JSON, .offset = AT(teams), .preset = "{}",
     .help = "Teams by name, each {\"share\": number}; for fairness"},
    {.name = "faults", .type = GY_P_JSON, .offset = AT(faults), .preset = "{}", .help = "Not built yet: must be empty"},
    {.name = "power", .type = GY_P_JSON, .offset = AT(power), .preset = "{}", .help = "Not built yet: must be empty"},
    {.name = "prices", .type = GY_P_JSON, .offset = AT(prices), .preset = "{}", .help = "Not built yet: must be empty"},
    {.name = "services", .type = GY_P_JSON, .offset = AT(services), .preset = "[]", .help = "Not built yet: must be empty"},
    {.name = "autoscale", .type = GY_P_JSON, .offset = AT(autoscale), .preset = "{}",
     .help = "Not built yet: must be empty"},
    {.name = "stop", .type = GY_P_OBJECT, .offset = AT(stop), .preset = "{}", .fields = stop_table, .help = "When it ends"},
    {.name = "output", .type = GY_P_OBJECT, .offset = AT(output), .preset = "{}", .fields = output_table,
     .help = "What the run folder holds beside summary.json and manifest.json"},
    {.name = "thresholds", .type = GY_P_LIST, .offset = AT(thresholds), .preset = "[]", .fields = thresholds_table,
     .item_size = sizeof(struct gy_threshold), .help = "What the run must reach, else exit status 1"},
    {0}};
