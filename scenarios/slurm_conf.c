/* slurm.conf, with the topology.conf beside it, as a cluster and the parameters of the policy "slurm": the
 * document gets the nodes, partitions and scheduler keys that the files say, before it is bound, so the manifest shows
 * what was understood. What the scenario itself says wins. Keys without a meaning here are listed as ignored.
 * Not read: gres.conf (counts and types come from Gres= of NodeName lines; core affinity is not modelled), Include,
 * nodes' Weight, reservations, accounting (associations and QOS live in the database). */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "gy_file.h"
#include "gy_hostlist.h"
#include "inside.h"

enum { CONF_MAX = 1 << 24, WORDS = 128, SEEN = 256 };

struct word { /* key=value */
    char *key, *value;
};
struct entry {
    struct word at[WORDS];
    size_t n;
};
struct conf {
    struct gy_json_doc *doc;
    struct gy_error *err;
    const char *path;
    FILE *nodes, *parts, *tiers;
    char *text[3];
    size_t len[3];
    char *topo_text;
    char preempt[24];
    struct entry node_default, part_default;
    GY_VEC(char *) leaf_nodes; /* host list of each leaf */
    GY_VEC(char *) leaf_names;
    GY_VEC(char *) unknown;
    bool any_node, any_part, failed;
};

static const char *value_of(const struct entry *e, const char *key)
{
    for (size_t i = e->n; i-- > 0;)
        if (strcasecmp(e->at[i].key, key) == 0)
            return e->at[i].value;
    return NULL;
}

/* Splits "Key=value Key2=\"a b\"" in place. */
static void split(char *line, struct entry *e)
{
    for (char *p = line; *p && e->n < WORDS;) {
        p += strspn(p, " \t");
        char *eq = p + strcspn(p, "= \t");
        if (*eq != '=')
            break;
        *eq = '\0';
        struct word w = {p, eq + 1};
        const bool quoted = *w.value == '"';
        w.value += quoted;
        p = w.value + strcspn(w.value, quoted ? "\"" : " \t");
        if (*p)
            *p++ = '\0';
        e->at[e->n++] = w;
    }
}

/* The next line without its comment, lines that end in a backslash joined; NULL at the end. */
static char *next_line(char **at)
{
    char *line = *at;
    if (!line || !*line)
        return NULL;
    char *end = line;
    for (;;) {
        end += strcspn(end, "\n");
        if (*end && end > line && end[-1] == '\\') {
            end[-1] = end[0] = ' ';
            continue;
        }
        break;
    }
    *at = *end ? end + 1 : end;
    *end = '\0';
    line[strcspn(line, "#\r")] = '\0';
    return line + strspn(line, " \t");
}

static bool plain(const char *text)
{
    for (const char *p = text; *p; p++)
        if ((unsigned char)*p < 32 || *p == '"' || *p == '\\')
            return false;
    return true;
}

static void ignore(struct conf *c, const char *key)
{
    for (size_t i = 0; i < c->unknown.n; i++)
        if (strcasecmp(c->unknown.at[i], key) == 0)
            return;
    char *copy = c->unknown.n < SEEN && plain(key) ? strdup(key) : NULL;
    if (copy && !gy_vec_push(&c->unknown, copy))
        free(copy);
}

/* "30", "5:00", "1:00:00", "7-0", "1-12:00:00"; a plain number is in `unit` seconds. Seconds, -1 when it is none. */
static int64_t span(const char *text, int64_t unit)
{
    int64_t part[4] = {0}, day = 0;
    int n = 0;
    if (strcasecmp(text, "UNLIMITED") == 0 || strcasecmp(text, "INFINITE") == 0)
        return -1;
    const char *dash = strchr(text, '-'), *p = text;
    if (dash) {
        day = strtoll(text, NULL, 10);
        p = dash + 1;
    }
    for (char *stop; n < 3 && isdigit((unsigned char)*p); p = stop + (*stop == ':')) {
        part[n++] = strtoll(p, &stop, 10);
        if (part[n - 1] < 0 || part[n - 1] > 1000000000)
            return -1;
        if (*stop != ':')
            break;
    }
    if (n == 0 || day < 0 || day > 1000000)
        return -1;
    if (dash)
        return day * 86400 + part[0] * 3600 + part[1] * 60 + part[2];
    return n == 1 ? part[0] * unit : n == 2 ? part[0] * 60 + part[1] : part[0] * 3600 + part[1] * 60 + part[2];
}

/* Sets a key of the scheduler unless the scenario has it. */
static void schedule(struct conf *c, const char *key, const char *json)
{
    char pointer[96];
    const struct gy_json *s = gy_json_get(gy_json_root(c->doc), "scheduler");
    if (c->failed || (s && gy_json_get(s, key)))
        return;
    snprintf(pointer, sizeof pointer, "/scheduler/%s", key);
    c->failed = gy_json_set(c->doc, pointer, json, c->err) != 0;
}

static void schedule_number(struct conf *c, const char *key, double v)
{
    char text[40];
    snprintf(text, sizeof text, "%.17g", v);
    if (v >= 0)
        schedule(c, key, text);
}

static bool has_word(const char *list, const char *word)
{
    const size_t n = strlen(word);
    for (const char *p = list; p && *p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
        if (strncasecmp(p, word, n) == 0 && (p[n] == ',' || p[n] == '\0'))
            return true;
    return false;
}

static void scheduler_parameters(struct conf *c, char *list)
{
    static const struct {
        const char *name, *key;
        double scale;
    } known[] = {{"bf_interval", "bf_interval_s", 1},
                 {"bf_window", "bf_window_s", 60},
                 {"bf_resolution", "bf_resolution_s", 1},
                 {"bf_max_job_test", "bf_max_job_test", 1},
                 {"bf_max_job_user", "bf_max_job_user", 1},
                 {"bf_max_job_start", "bf_max_job_start", 1},
                 {"sched_interval", "sched_interval_s", 1},
                 {"batch_sched_delay", "batch_sched_delay_s", 1},
                 {"default_queue_depth", "default_queue_depth", 1}};
    char *save;
    for (char *p = strtok_r(list, ",", &save); p; p = strtok_r(NULL, ",", &save)) {
        char *eq = strchr(p, '=');
        bool found = false;
        for (size_t i = 0; eq && i < sizeof known / sizeof *known && !found; i++)
            if (strncasecmp(p, known[i].name, (size_t)(eq - p)) == 0 && known[i].name[eq - p] == '\0') {
                schedule_number(c, known[i].key, known[i].scale * strtod(eq + 1, NULL));
                found = true;
            }
        if (!found)
            ignore(c, p);
    }
}

/* Keys with one number or word each. False: not one of them. */
static bool simple_key(struct conf *c, const struct word *w)
{
    static const struct {
        const char *name, *key;
        int64_t unit; /* 0: a plain number */
    } known[] = {{"PriorityWeightAge", "weight_age", 0},
                 {"PriorityWeightFairshare", "weight_fairshare", 0},
                 {"PriorityWeightJobSize", "weight_job_size", 0},
                 {"PriorityWeightPartition", "weight_partition", 0},
                 {"PriorityWeightQOS", "weight_qos", 0},
                 {"FairShareDampeningFactor", "dampening", 0},
                 {"PriorityMaxAge", "max_age_s", 60},
                 {"PriorityDecayHalfLife", "half_life_s", 60},
                 {"PriorityCalcPeriod", "priority_calc_period_s", 60},
                 {"PreemptExemptTime", "preempt_exempt_s", 60},
                 {"KillWait", "kill_wait_s", 1}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcasecmp(w->key, known[i].name) == 0) {
            schedule_number(c, known[i].key,
                            known[i].unit ? (double)span(w->value, known[i].unit) : strtod(w->value, NULL));
            return true;
        }
    return false;
}

static void choice(struct conf *c, const char *key, const char *word)
{
    char json[64];
    snprintf(json, sizeof json, "\"%s\"", word);
    schedule(c, key, json);
}

static void global_key(struct conf *c, const struct word *w)
{
    const char *v = w->value;
    if (simple_key(c, w))
        return;
    if (strcasecmp(w->key, "SchedulerType") == 0)
        choice(c, "scheduler", strcasecmp(v, "sched/builtin") == 0 ? "builtin" : "backfill");
    else if (strcasecmp(w->key, "SchedulerParameters") == 0)
        scheduler_parameters(c, w->value);
    else if (strcasecmp(w->key, "SelectTypeParameters") == 0)
        choice(c, "select", has_word(v, "CR_LLN") ? "lln" : "cons_tres");
    else if (strcasecmp(w->key, "TopologyPlugin") == 0)
        choice(c, "topology", strcasecmp(v, "topology/tree") == 0 ? "tree" : "none");
    else if (strcasecmp(w->key, "PriorityType") == 0)
        choice(c, "priority", strcasecmp(v, "priority/multifactor") == 0 ? "multifactor" : "basic");
    else if (strcasecmp(w->key, "PriorityFavorSmall") == 0)
        schedule(c, "favor_small", strcasecmp(v, "YES") == 0 ? "true" : "false");
    else if (strcasecmp(w->key, "PriorityFlags") == 0)
        choice(c, "fairshare", has_word(v, "NO_FAIR_TREE") ? "classic" : "fair-tree");
    else if (strcasecmp(w->key, "AccountingStorageEnforce") == 0)
        schedule(c, "charge_at_end", has_word(v, "limits") || has_word(v, "all") ? "true" : "false");
    else if (strcasecmp(w->key, "PreemptType") == 0)
        choice(c, "preempt",
               strcasecmp(v, "preempt/partition_prio") == 0 ? "partition_prio"
               : strcasecmp(v, "preempt/qos") == 0          ? "qos"
                                                            : "none");
    else if (strcasecmp(w->key, "PreemptMode") == 0)
        snprintf(c->preempt, sizeof c->preempt, "%s", v);
    else
        ignore(c, w->key);
}

static double number(const struct entry *e, const char *key, double otherwise)
{
    const char *v = value_of(e, key);
    return v ? strtod(v, NULL) : otherwise;
}

/* "gpu:a100:8", "gpu:8", "gpu:a100:4,gpu:v100:4(S:0-1)": all GPUs, and the type when there is one. */
static unsigned gpus_of(const char *gres, char *type, size_t size)
{
    unsigned all = 0;
    type[0] = '\0';
    for (const char *p = gres; p && *p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
        if (strncasecmp(p, "gpu", 3) != 0 || (p[3] != ':' && p[3] != ',' && p[3] != '\0'))
            continue;
        const char *a = p[3] == ':' ? p + 4 : "1";
        const size_t n = strcspn(a, ":,(");
        const bool typed = !isdigit((unsigned char)*a);
        if (typed && n < size)
            snprintf(type, size, "%.*s", (int)n, a);
        all += typed ? (a[n] == ':' ? (unsigned)strtoul(a + n + 1, NULL, 10) : 1) : (unsigned)strtoul(a, NULL, 10);
    }
    return all;
}

struct lookup {
    const char *name;
    bool found;
};

static int is_name(void *ctx, const char *name, struct gy_error *err)
{
    struct lookup *l = ctx;
    (void)err;
    l->found = strcmp(name, l->name) == 0;
    return l->found;
}

static const char *leaf_of(const struct conf *c, const char *node)
{
    struct gy_error err;
    for (size_t i = 0; i < c->leaf_nodes.n; i++) {
        struct lookup l = {node, false};
        gy_hostlist_each(c->leaf_nodes.at[i], 1 << 20, is_name, &l, &err);
        if (l.found)
            return c->leaf_names.at[i];
    }
    return NULL;
}

/* One node of a NodeName line, as a member of cluster.nodes. */
struct one {
    struct conf *c;
    const struct entry *e;
    unsigned gpus;
    char type[64];
};

static int add_node(void *ctx, const char *name, struct gy_error *err)
{
    const struct one *o = ctx;
    struct conf *c = o->c;
    const struct entry *e = o->e;
    const double sockets = number(e, "Sockets", number(e, "Boards", 1) * number(e, "SocketsPerBoard", 1));
    const double cpus = number(e, "CPUs", sockets * number(e, "CoresPerSocket", 1) * number(e, "ThreadsPerCore", 1));
    const char *leaf = leaf_of(c, name), *feature = value_of(e, "Feature");
    if (!feature)
        feature = value_of(e, "Features");
    if (!plain(name) || !plain(o->type) || (leaf && !plain(leaf)) || (feature && !plain(feature)))
        return gy_fail(err, GY_EINPUT, c->path, "a name of node \"%s\" has a quote, a backslash or a control byte",
                       name);
    fprintf(c->nodes, "%s{\"name\":\"%s\",\"gpus\":%u,\"cpus\":%.17g,\"mem_gib\":%.17g", c->any_node ? "," : "", name,
            o->gpus, cpus, number(e, "RealMemory", 0) / 1024);
    if (o->type[0])
        fprintf(c->nodes, ",\"gpu_type\":\"%s\"", o->type);
    if (leaf)
        fprintf(c->nodes, ",\"leaf\":\"%s\"", leaf);
    if (feature && *feature) {
        fprintf(c->nodes, ",\"labels\":{");
        for (const char *p = feature; *p; p += strcspn(p, ","), p += *p == ',')
            fprintf(c->nodes, "%s\"%.*s\":\"yes\"", p == feature ? "" : ",", (int)strcspn(p, ","), p);
        fputc('}', c->nodes);
    }
    fputc('}', c->nodes);
    c->any_node = true;
    return 0;
}

static void inherit(struct entry *e, const struct entry *from)
{
    struct entry all = *from;
    for (size_t i = 0; i < e->n && all.n < WORDS; i++)
        all.at[all.n++] = e->at[i];
    *e = all;
}

static void node_line(struct conf *c, struct entry *e)
{
    static const char *const known[] = {
        "NodeName",       "CPUs",       "Boards", "Sockets", "SocketsPerBoard", "CoresPerSocket",
        "ThreadsPerCore", "RealMemory", "Gres",   "Feature", "Features",        NULL};
    const char *name = value_of(e, "NodeName");
    for (size_t i = 0; i < e->n; i++) {
        bool found = false;
        for (int k = 0; known[k]; k++)
            found = found || strcasecmp(known[k], e->at[i].key) == 0;
        if (!found)
            ignore(c, e->at[i].key);
    }
    if (strcasecmp(name, "DEFAULT") == 0) {
        e->at[0].key = (char *)(uintptr_t) "";
        inherit(e, &c->node_default);
        c->node_default = *e;
        return;
    }
    inherit(e, &c->node_default);
    struct one o = {.c = c, .e = e};
    o.gpus = gpus_of(value_of(e, "Gres"), o.type, sizeof o.type);
    if (gy_hostlist_each(name, 1 << 20, add_node, &o, c->err) < 0) {
        if (c->err->place[0] == '\0')
            snprintf(c->err->place, sizeof c->err->place, "%.500s", c->path);
        c->failed = true;
    }
}

static const char *mode_word(const char *mode)
{
    return has_word(mode, "CANCEL")    ? "cancel"
           : has_word(mode, "SUSPEND") ? "suspend"
           : has_word(mode, "REQUEUE") ? "requeue"
                                       : "off";
}

static void partition_line(struct conf *c, struct entry *e)
{
    const char *name = value_of(e, "PartitionName");
    if (strcasecmp(name, "DEFAULT") == 0) {
        e->at[0].key = (char *)(uintptr_t) "";
        inherit(e, &c->part_default);
        c->part_default = *e;
        return;
    }
    inherit(e, &c->part_default);
    const char *nodes = value_of(e, "Nodes"), *mode = value_of(e, "PreemptMode"), *grace = value_of(e, "GraceTime");
    const char *bill = value_of(e, "TRESBillingWeights");
    if (!plain(name) || (nodes && !plain(nodes))) {
        c->failed =
            gy_fail(c->err, GY_EINPUT, c->path, "a partition's name or node list has a quote or a control byte") != 0;
        return;
    }
    fprintf(c->parts, "%s{\"name\":\"%s\"", c->any_part ? "," : "", name);
    if (nodes && strcasecmp(nodes, "ALL") != 0)
        fprintf(c->parts, ",\"nodes\":\"%s\"", nodes);
    fputc('}', c->parts);
    fprintf(c->tiers, "%s{\"name\":\"%s\",\"tier\":%.0f,\"job_factor\":%.17g,\"preempt_mode\":\"%s\",\"grace_s\":%lld}",
            c->any_part ? "," : "", name, number(e, "PriorityTier", 1), number(e, "PriorityJobFactor", 1),
            mode_word(mode ? mode : c->preempt), (long long)(grace && span(grace, 1) > 0 ? span(grace, 1) : 0));
    c->any_part = true;
    for (const char *p = bill; p && *p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
        if (strncasecmp(p, "GRES/gpu=", 9) == 0)
            schedule_number(c, "bill_gpu", strtod(p + 9, NULL));
        if (strncasecmp(p, "CPU=", 4) == 0)
            schedule_number(c, "bill_cpu", strtod(p + 4, NULL));
    }
}

static char *beside(const char *path, const char *name)
{
    char file[1024], sha[65];
    struct gy_error err;
    const char *slash = strrchr(path, '/');
    size_t len;
    snprintf(file, sizeof file, "%.*s%s", slash ? (int)(slash - path + 1) : 0, path, name);
    FILE *f = fopen(file, "r");
    if (!f)
        return NULL;
    fclose(f);
    return gy_file_slurp(file, CONF_MAX, &len, sha, &err);
}

static void read_topology(struct conf *c)
{
    char *at = c->topo_text, *line;
    while ((line = next_line(&at))) {
        struct entry e = {.n = 0};
        split(line, &e);
        const char *name = value_of(&e, "SwitchName"), *nodes = value_of(&e, "Nodes");
        if (name && nodes &&
            (!gy_vec_push(&c->leaf_names, (char *)(uintptr_t)name) ||
             !gy_vec_push(&c->leaf_nodes, (char *)(uintptr_t)nodes)))
            c->failed = gy_nomem(c->err) != 0;
    }
}

static void read_lines(struct conf *c, char *text)
{
    char *line;
    while (!c->failed && (line = next_line(&text))) {
        struct entry e = {.n = 0};
        split(line, &e);
        if (e.n == 0)
            continue;
        if (strcasecmp(e.at[0].key, "NodeName") == 0)
            node_line(c, &e);
        else if (strcasecmp(e.at[0].key, "PartitionName") == 0)
            partition_line(c, &e);
        else
            for (size_t i = 0; i < e.n; i++)
                global_key(c, &e.at[i]);
    }
}

static void put(struct conf *c, const char *pointer, int k)
{
    char *json = NULL;
    if (c->failed || asprintf(&json, "[%s]", c->text[k] ? c->text[k] : "") < 0) {
        c->failed = true;
        return;
    }
    c->failed = gy_json_set(c->doc, pointer, json, c->err) != 0;
    free(json);
}

static void finish(struct conf *c)
{
    fclose(c->nodes);
    fclose(c->parts);
    fclose(c->tiers);
    put(c, "/cluster/nodes", 0);
    const struct gy_json *cluster = gy_json_get(gy_json_root(c->doc), "cluster");
    if (!c->failed && !gy_json_get(cluster, "partitions"))
        put(c, "/cluster/partitions", 1);
    const struct gy_json *s = gy_json_get(gy_json_root(c->doc), "scheduler");
    if (!c->failed && !(s && gy_json_get(s, "partitions")))
        put(c, "/scheduler/partitions", 2);
    char *list = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&list, &len);
    for (size_t i = 0; f && i < c->unknown.n; i++)
        fprintf(f, "%s\"%s\"", i ? "," : "[", c->unknown.at[i]);
    if (f) {
        fputs(c->unknown.n ? "]" : "[]", f);
        fclose(f);
        if (!c->failed)
            c->failed = gy_json_set(c->doc, "/cluster/slurm_conf_ignored", list, c->err) != 0;
    }
    free(list);
}

int gy_sc_slurm_conf(struct gy_json_doc *doc, struct gy_error *err)
{
    const struct gy_json *cluster = gy_json_get(gy_json_root(doc), "cluster");
    const struct gy_json *file = cluster ? gy_json_get(cluster, "slurm_conf") : NULL;
    const struct gy_json *nodes = cluster ? gy_json_get(cluster, "nodes") : NULL;
    if (!file || !gy_json_string(file) || (nodes && gy_json_count(nodes) > 0))
        return 0;
    char path[1024], sha[65];
    const char *name = gy_json_string(file), *from = gy_json_name(doc), *slash = from ? strrchr(from, '/') : NULL;
    size_t len;
    snprintf(path, sizeof path, "%.*s%s", name[0] != '/' && slash ? (int)(slash - from + 1) : 0, slash ? from : "",
             name);
    struct conf c = {.doc = doc, .err = err, .path = path};
    char *text = gy_file_slurp(path, CONF_MAX, &len, sha, err);
    if (!text)
        return -1;
    c.nodes = open_memstream(&c.text[0], &c.len[0]);
    c.parts = open_memstream(&c.text[1], &c.len[1]);
    c.tiers = open_memstream(&c.text[2], &c.len[2]);
    snprintf(c.preempt, sizeof c.preempt, "OFF");
    if (!c.nodes || !c.parts || !c.tiers)
        c.failed = gy_nomem(err) != 0;
    choice(&c, "preset", "slurm");
    if (!c.failed && (c.topo_text = beside(path, "topology.conf")))
        read_topology(&c);
    read_lines(&c, text);
    finish(&c);
    if (!c.failed && !c.any_node)
        c.failed = gy_fail(err, GY_EINPUT, path, "no NodeName line in it; a cluster needs at least one node") != 0;
    free(text);
    free(c.topo_text);
    for (size_t i = 0; i < c.unknown.n; i++)
        free(c.unknown.at[i]);
    gy_vec_free(&c.unknown);
    gy_vec_free(&c.leaf_names);
    gy_vec_free(&c.leaf_nodes);
    for (int i = 0; i < 3; i++)
        free(c.text[i]);
    return c.failed ? -1 : 0;
}
