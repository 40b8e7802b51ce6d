/* What a log says in words: which GPU, which network, how many ports, forced algorithms, a known bad fabric. A set of
 * plain rules over lower-case text; the user's options come before them. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gy_measure.h"

static void lower(const char *text, char *buf, size_t size)
{
    size_t n = 0;
    for (; text && *text && n + 1 < size; text++)
        buf[n++] = (char)tolower((unsigned char)*text);
    buf[n] = '\0';
}

struct rule {
    const char *all[3]; /* every word must be there */
    const char *name;
};

static const char *first_match(const struct rule *rules, const char *text)
{
    for (; rules->name; rules++) {
        bool ok = true;
        for (int i = 0; i < 3 && rules->all[i]; i++)
            ok &= strstr(text, rules->all[i]) != NULL;
        if (ok)
            return rules->name;
    }
    return NULL;
}

static const struct rule gpu_rules[] = {
    {{"gb300"}, "gb300-nvl72"},
    {{"gb200"}, "gb200-nvl72"},
    {{"b300"}, "b300"},
    {{"b200"}, "b200"},
    {{"h200"}, "h200"},
    {{"h100", "pcie"}, "h100-pcie"},
    {{"h100"}, "hgx-h100"},
    {{"mi300x"}, "mi300x"},
    {{"a100", "abci"}, "abci-a"},
    {{"a100", "pcie"}, "a100-pcie"},
    {{"a100", "dgx", "40gb"}, "dgx-a100-40"},
    {{"a100", "dgx"}, "dgx-a100-80"},
    {{"a100", "40gb"}, "hgx-a100-40"},
    {{"a100", "p4d.24xlarge"}, "hgx-a100-40"},
    {{"a100", "p4de"}, "hgx-a100-80"},
    {{"a100"}, "dgx-a100-80"},
    {{"v100", "abci"}, "v100-4x"},
    {{"v100", "pcie"}, "v100-pcie"},
    {{"v100", "sxm3"}, "dgx-2"},
    {{"v100"}, "dgx-v100"},
    {{"rtx pro 6000"}, "rtx-pro-6000"},
    {{"rtx_pro_6000"}, "rtx-pro-6000"},
    {{"l40s"}, "l40s"},
    {{"tesla t4"}, "t4"},
    {{"nvidia t4"}, "t4"},
    {{"nvidia l4"}, "l4"},
    {{NULL}, NULL},
};

static const struct rule fabric_rules[] = {
    {{"mnnvl"}, "nvlink-domain"},
    {{"ipoib"}, "ipoib"},
    {{"tcpxo"}, "tcpxo"},
    {{"tcpx"}, "tcpx"},
    {{" efa", "p5"}, "efa-p5"},
    {{"32x efa"}, "efa-p5"},
    {{" efa", "p4"}, "efa-p4"},
    {{" efa", "4x"}, "efa-p4"},
    {{" efa"}, "efa-25"},
    {{"roce", "a100", "oci"}, "roce-oci-a100"},
    {{"edr"}, "ib-edr"},
    {{"hdr"}, "ib-hdr"},
    {{"ndr"}, "ib-ndr"},
    {{"xdr"}, "ib-xdr"},
    {{NULL}, NULL},
};

/* "8x400 gb/s": ports and rate. */
static bool ports(const char *text, double *nics, double *gbit)
{
    for (const char *x = strchr(text, 'x'); x; x = strchr(x + 1, 'x')) {
        const char *from = x;
        while (from > text && isdigit((unsigned char)from[-1]))
            from--;
        char *end;
        double n = strtod(from, &end), rate = from < x && end == x ? strtod(x + 1, &end) : 0;
        while (*end == ' ')
            end++;
        if (n >= 1 && n <= 64 && rate >= 10 && rate <= 3200 && (!strncmp(end, "gb", 2) || !strncmp(end, "efa", 3))) {
            *nics = n;
            *gbit = rate;
            return true;
        }
    }
    return false;
}

static const char *keep(struct gy_measurements *m, const char *text)
{
    const char *copy = gy_arena_strndup(&m->arena, text, strlen(text));
    return copy ? copy : "";
}

static void infer_fabric(struct gy_measurements *m, struct gy_meas_set *s, const char *text)
{
    const char *name = first_match(fabric_rules, text);
    double nics = 0, gbit = 0;
    bool known = ports(text, &nics, &gbit);
    if (!name && strstr(text, "nvlink"))
        name = "nvlink-domain";
    if (!name && (strstr(text, "roce") || strstr(text, "ethernet")))
        name = gbit >= 800 ? "roce-800" : gbit >= 400 || !known ? "roce-400" : gbit >= 200 ? "roce-200" : "roce-100";
    if (!name && strstr(text, "infiniband"))
        name = gbit >= 800 ? "ib-xdr" : gbit >= 400 || !known ? "ib-ndr" : gbit >= 200 ? "ib-hdr" : "ib-edr";
    if (!name)
        return;
    s->fabric = keep(m, name);
    if (known && s->nics <= 0 && strncmp(name, "efa", 3) && strncmp(name, "tcp", 3) && strcmp(name, "roce-oci-a100")) {
        s->nics = nics;
        s->nic_gbit = gbit;
    }
}

const char *gy_gpu_family(const char *hardware)
{
    static const char *const families[] = {"gb300", "gb200",  "b300", "b200", "h200", "h100",        "a100",
                                           "v100",  "mi300x", "l40s", "l4",   "t4",   "rtx-pro-6000"};
    if (!strcmp(hardware, "abci-a"))
        return "a100";
    if (!strcmp(hardware, "dgx-2"))
        return "v100";
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        if (strstr(hardware, families[i]))
            return families[i];
    return hardware;
}

void gy_infer(struct gy_measurements *m, struct gy_meas_set *s, const char *gpu, const char *words)
{
    char text[4096], device[1024];
    lower(words, text, sizeof text);
    lower(gpu, device, sizeof device);
    char both[5200];
    snprintf(both, sizeof both, "%s %s", device, text);
    if (!*s->hardware) {
        const char *hw = first_match(gpu_rules, *device ? device : text);
        if (hw && !strcmp(hw, "hgx-a100-40") && strstr(both, "dgx"))
            hw = "dgx-a100-40";
        if (hw)
            s->hardware = keep(m, hw);
    }
    if (!*s->fabric && s->nodes > 1)
        infer_fabric(m, s, both);
    if (strstr(text, "degraded") || strstr(text, "misconfig") || strstr(text, "under-performing") ||
        strstr(text, "fallback"))
        s->degraded = true;
    const char *algo = strstr(text, "nccl_algo");
    if (s->algo == GY_ALGO_AUTO && algo) {
        char word[16] = "";
        if (sscanf(algo + 9, "%*[ =:]%15[a-z_]", word) == 1 && gy_coll_algo_of(word) > 0)
            s->algo = (enum gy_coll_algo)gy_coll_algo_of(word);
    }
    const char *version = strstr(text, "nccl version ");
    version = version ? version + 13 : strstr(text, "nccl 2.") ? strstr(text, "nccl 2.") + 5 : NULL;
    char number[32] = "";
    if (!*s->library && version && sscanf(version, "%31[0-9.]", number) == 1)
        s->library = keep(m, number);
}

/* "_2n16g": nodes and ranks. */
static bool shape(const char *name, uint32_t *nodes, uint32_t *ranks)
{
    for (const char *p = name; *p; p++) {
        if (!isdigit((unsigned char)*p) || (p > name && isalnum((unsigned char)p[-1])))
            continue;
        char *end;
        unsigned long n = strtoul(p, &end, 10), g = *end == 'n' ? strtoul(end + 1, &end, 10) : 0;
        if (n >= 1 && n <= 65536 && g >= n && g <= 1 << 20 && *end == 'g') {
            *nodes = (uint32_t)n;
            *ranks = (uint32_t)g;
            return true;
        }
    }
    return false;
}

void gy_infer_from_name(struct gy_meas_set *s, const char *path, bool *has_op)
{
    static const struct {
        const char *word;
        enum gy_coll_op op;
    } ops[] = {
        {"allreduce", GY_ALL_REDUCE},  {"all_reduce", GY_ALL_REDUCE},        {"allgather", GY_ALL_GATHER},
        {"all_gather", GY_ALL_GATHER}, {"reducescatter", GY_REDUCE_SCATTER}, {"reduce_scatter", GY_REDUCE_SCATTER},
        {"alltoall", GY_ALL_TO_ALL},   {"all_to_all", GY_ALL_TO_ALL},        {"sendrecv", GY_SEND_RECV},
        {"send_recv", GY_SEND_RECV},   {"broadcast", GY_BROADCAST},          {"bcast", GY_BROADCAST},
        {"reduce", GY_REDUCE}};
    char name[512];
    const char *slash = strrchr(path, '/');
    lower(slash ? slash + 1 : path, name, sizeof name);
    for (size_t i = 0; !*has_op && i < sizeof ops / sizeof ops[0]; i++)
        if (strstr(name, ops[i].word)) {
            s->op = ops[i].op;
            *has_op = true;
        }
    uint32_t nodes, ranks;
    if (shape(name, &nodes, &ranks)) {
        if (!s->nodes)
            s->nodes = nodes;
        if (!s->ranks)
            s->ranks = ranks;
    }
    if (strstr(name, "degraded") || strstr(name, "misconfig"))
        s->degraded = true;
}
