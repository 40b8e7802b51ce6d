/* NCCL's (and RCCL's) topology XML, by expat: system / cpu / pci / gpu, nic, net, nvlink, xgmi. A pci entry's class
 * says GPU, NIC, bridge or NVSwitch; where it has none, what is inside says it, and else it is odd. NVLinks stand in
 * both GPUs' entries and count once. Rates: PCIe by generation and width, network in Mbit/s as written, NVLink by the
 * GPU's generation (20, 20.6 and 40.1 GB/s a link and direction: sm 60–89, 90, 100 on; NCCL's own figures). */
#include <expat.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "topo.h"

#define MAX_DEPTH 64

struct wire { /* an nvlink or xgmi entry, until all devices are known */
    uint32_t from, count;
    int sm;
    bool xgmi, to_switch;
    gy_str target;
};

struct xml {
    struct gy_topo *t;
    struct topo_text *in;
    struct gy_error *err;
    XML_Parser parser;
    uint32_t at[MAX_DEPTH]; /* the device of each open element, that of its parent where it is none itself */
    int depth;
    int sm; /* of the GPU whose element is open */
    bool root, failed;
    size_t skipped; /* lines before the document */
    uint32_t loose; /* to name what has no bus id */
    GY_VEC(struct wire) wires;
};

static const char *attribute(const char **a, const char *name)
{
    for (; *a; a += 2)
        if (!strcmp(a[0], name))
            return a[1];
    return NULL;
}

static void stop(struct xml *x, const char *what, const char *found)
{
    if (x->failed)
        return;
    x->failed = true;
    x->in->line = x->skipped + (size_t)XML_GetCurrentLineNumber(x->parser);
    topo_fail(x->in, x->err, what, found, found ? strlen(found) : 0);
    XML_StopParser(x->parser, XML_FALSE);
}

static void no_memory(struct xml *x)
{
    x->failed = true;
    gy_nomem(x->err);
    XML_StopParser(x->parser, XML_FALSE);
}

/* "32.0 GT/s PCIe" × 16: bytes/s of payload before packets; 0 where a virtual machine hides it. */
static double pcie_rate(const char *speed, const char *width)
{
    double gt = speed && strstr(speed, "GT/s") ? strtod(speed, NULL) : 0, lanes = width ? strtod(width, NULL) : 0;
    double coding = gt > 5.01 ? 128.0 / 130 : 0.8;

    return gt > 0 && gt < 1000 && lanes > 0 && lanes <= 32 ? gt * 1e9 * coding * lanes / 8 : 0;
}

static enum gy_topo_kind pci_kind(const char *class)
{
    unsigned long c = class ? strtoul(class, NULL, 16) : 0;

    if (c >> 8 == 0x0302 || c >> 8 == 0x0300 || c >> 8 == 0x1200)
        return GY_T_GPU;
    if (c >> 8 == 0x0200 || c >> 8 == 0x0207 || c >> 8 == 0x0208)
        return GY_T_NIC;
    if (c >> 8 == 0x0680)
        return GY_T_NVSWITCH;
    return c >> 8 == 0x0604 ? GY_T_PCI : GY_T_OTHER;
}

static uint32_t new_device(struct xml *x, enum gy_topo_kind kind, const char *name)
{
    bool made;
    uint32_t v = topo_vertex(x->t, kind, name, strlen(name), &made);

    if (v == UINT32_MAX) {
        no_memory(x);
    } else if (!made) {
        stop(x, "the device stands twice in the file", name);
    } else {
        x->t->vertices.at[v].line = x->skipped + (size_t)XML_GetCurrentLineNumber(x->parser);
        x->t->vertices.at[v].parent = x->at[x->depth - 1];
    }
    return v;
}

static void start_cpu(struct xml *x, const char **a)
{
    const char *numa = attribute(a, "numaid");
    char name[64];

    if (numa && strlen(numa) < 16)
        snprintf(name, sizeof name, "cpu%s", numa);
    else
        snprintf(name, sizeof name, "cpu-%u", x->loose++);
    x->at[x->depth] = new_device(x, GY_T_CPU, name);
}

static void start_pci(struct xml *x, const char **a)
{
    const char *bus = attribute(a, "busid"), *class = attribute(a, "class");

    if (!bus || !*bus || strlen(bus) > 63) {
        stop(x, "a pci element without a bus id", bus);
        return;
    }
    uint32_t v = new_device(x, pci_kind(class), bus), above = x->at[x->depth - 1];
    x->at[x->depth] = v;
    if (x->failed)
        return;
    if (!class)
        x->t->vertices.at[v].odd = "a PCI device of no stated class";
    else if (x->t->vertices.at[v].kind == GY_T_OTHER)
        x->t->vertices.at[v].odd = "a PCI device that is no GPU, NIC, bridge or NVSwitch";
    if (!topo_set_id(x->t, v, bus, strlen(bus)) ||
        (above != UINT32_MAX &&
         !topo_link(x->t, above, v, GY_VIA_PCIE, pcie_rate(attribute(a, "link_speed"), attribute(a, "link_width")), 1)))
        no_memory(x);
}

/* A gpu, nic or net element says what its pci element is; a net outside of one is a device of its own. */
static void start_net(struct xml *x, const char **a)
{
    const char *name = attribute(a, "name"), *speed = attribute(a, "speed");
    uint32_t v = x->at[x->depth - 1];

    if (v == UINT32_MAX || x->t->vertices.at[v].kind == GY_T_CPU || x->t->vertices.at[v].kind == GY_T_PCI) {
        char loose[64];
        snprintf(loose, sizeof loose, "net%u", x->loose++);
        v = new_device(x, GY_T_NIC, name && *name && strlen(name) < 64 ? name : loose);
        if (!x->failed && x->at[x->depth - 1] != UINT32_MAX &&
            !topo_link(x->t, x->at[x->depth - 1], v, GY_VIA_PCIE, 0, 1))
            no_memory(x);
    }
    double mbit = speed ? strtod(speed, NULL) : 0;
    if (!x->failed && mbit > 0 && mbit < 1e9)
        x->t->vertices.at[v].rate += mbit * 1e6 / 8;
    if (!x->failed) {
        x->t->vertices.at[v].kind = GY_T_NIC;
        x->t->vertices.at[v].odd = NULL;
    }
    x->at[x->depth] = v;
}

static void start_gpu(struct xml *x, const char **a)
{
    const char *sm = attribute(a, "sm");
    uint32_t v = x->at[x->depth - 1];

    x->sm = sm ? atoi(sm) : 0;
    if (v == UINT32_MAX || x->t->vertices.at[v].id == 0) {
        stop(x, "a gpu element outside of a pci element", attribute(a, "dev"));
        return;
    }
    x->t->vertices.at[v].kind = GY_T_GPU;
    x->t->vertices.at[v].odd = NULL;
}

static void start_wire(struct xml *x, const char **a, bool xgmi)
{
    const char *target = attribute(a, "target"), *count = attribute(a, "count"), *class = attribute(a, "tclass");
    long n = count ? strtol(count, NULL, 10) : 0;

    if (!target || !*target || strlen(target) > 63 || n < 1 || n > 1024 || x->at[x->depth - 1] == UINT32_MAX) {
        stop(x, "wants a link with a target and a count from 1 to 1024 inside a gpu", target);
        return;
    }
    struct wire w = {x->at[x->depth - 1],
                     (uint32_t)n,
                     x->sm,
                     xgmi,
                     pci_kind(class) == GY_T_NVSWITCH,
                     gy_strings_add(x->t->strings, target, strlen(target))};
    if (w.target == GY_STR_FAIL || !gy_vec_push(&x->wires, w))
        no_memory(x);
}

static void XMLCALL on_start(void *data, const char *name, const char **a)
{
    struct xml *x = data;

    if (x->failed)
        return;
    if (++x->depth >= MAX_DEPTH) {
        stop(x, "elements nest more than 63 deep", name);
        return;
    }
    x->at[x->depth] = x->at[x->depth - 1];
    if (!x->root && strcmp(name, "system")) {
        stop(x,
             !strcmp(name, "graphs") ? "this is a file of NCCL's graphs (what it searched out), not a topology"
                                     : "wants a <system> element at the top",
             name);
        return;
    }
    x->root = true;
    if (!strcmp(name, "cpu"))
        start_cpu(x, a);
    else if (!strcmp(name, "pci"))
        start_pci(x, a);
    else if (!strcmp(name, "gpu"))
        start_gpu(x, a);
    else if (!strcmp(name, "net"))
        start_net(x, a);
    else if (!strcmp(name, "nvlink") || !strcmp(name, "xgmi"))
        start_wire(x, a, *name == 'x');
    /* nic groups nets; c2c and other elements add nothing to what a simulation asks for */
}

static void XMLCALL on_end(void *data, const char *name)
{
    struct xml *x = data;

    (void)name;
    x->depth--;
}

static double wire_rate(const struct wire *w)
{
    double each = w->sm >= 100 ? 40.1e9 : w->sm >= 90 ? 20.6e9 : 20e9;

    return w->xgmi || w->sm < 60 ? 0 : each * w->count;
}

/* NVLinks between devices: each pair once. */
static int join_wires(struct xml *x)
{
    struct gy_topo *t = x->t;
    struct gy_map seen = {0};
    bool ok = true;

    for (size_t i = 0; ok && i < x->wires.n; i++) {
        const struct wire *w = &x->wires.at[i];
        const char *target = gy_strings_text(t->strings, w->target);
        uint32_t to = topo_find_id(t, target, strlen(target));
        bool made;
        uint64_t was;
        if (to == UINT32_MAX) { /* NVSwitches are in the file only as targets */
            to = topo_vertex(t, w->to_switch ? GY_T_NVSWITCH : GY_T_OTHER, target, strlen(target), &made);
            ok = to != UINT32_MAX && topo_set_id(t, to, target, strlen(target));
            if (ok && !w->to_switch)
                t->vertices.at[to].odd = "the target of a link, itself not in the file";
        }
        if (ok && to == w->from) {
            t->vertices.at[to].odd = "a GPU whose NVLinks lead to itself (a virtual machine hides the peer)";
            continue;
        }
        uint64_t key = w->from < to ? (uint64_t)w->from << 32 | to : (uint64_t)to << 32 | w->from;
        if (!ok || gy_map_get(&seen, key, &was))
            continue;
        ok = gy_map_put(&seen, key, 1) &&
             topo_link(t, w->from, to, w->xgmi ? GY_VIA_XGMI : GY_VIA_NVLINK, wire_rate(w), w->count);
    }
    gy_map_free(&seen);
    return ok ? 0 : gy_nomem(x->err);
}

static void XMLCALL on_entity(void *data, const char *name, int is_parameter, const char *value, int value_length,
                              const char *base, const char *system_id, const char *public_id, const char *notation)
{
    (void)is_parameter, (void)value, (void)value_length, (void)base, (void)system_id, (void)public_id, (void)notation;
    stop(data, "declares an entity, which a topology has no use for", name);
}

int topo_read_xml(struct gy_topo *t, struct topo_text *in, struct gy_error *err)
{
    struct xml x = {.t = t, .in = in, .err = err, .parser = XML_ParserCreate(NULL)};
    const char *text = in->at;
    int bad = 0;

    if (!x.parser)
        return gy_nomem(err);
    while (text < in->end &&
           strchr(" \t\r\n", *text)) { /* blank lines at the top are no XML, and are there in the wild */
        in->line += *text == '\n';
        text++;
    }
    x.skipped = in->line;
    x.at[0] = UINT32_MAX;
    XML_SetUserData(x.parser, &x);
    XML_SetElementHandler(x.parser, on_start, on_end);
    XML_SetEntityDeclHandler(x.parser, on_entity);
    if (XML_Parse(x.parser, text, (int)(in->end - text), 1) != XML_STATUS_OK) {
        bad = -1;
        if (!x.failed) {
            in->line = x.skipped + (size_t)XML_GetCurrentLineNumber(x.parser);
            topo_fail(in, err, XML_ErrorString(XML_GetErrorCode(x.parser)), NULL, 0);
        }
    }
    XML_ParserFree(x.parser);
    if (!bad)
        bad = join_wires(&x);
    gy_vec_free(&x.wires);
    return bad;
}
