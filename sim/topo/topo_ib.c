/* `ibnetdiscover`: a record a switch or channel adapter, then a line a port with its peer; every link stands in both
 * ends' records. A host's adapters are named "host mlx5_0" or "host HCA-1"; a director's chips share a name and differ
 * in the part behind the model. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "topo.h"

struct ib {
    struct gy_topo *t;
    struct topo_text *in;
    struct gy_error *err;
    uint32_t current;   /* vertex whose ports follow */
    struct gy_map seen; /* an end of a link (vertex, port): which link; links seen from both ends are taken out */
    bool dead;          /* out of memory */
};

struct quoted {
    const char *at;
    size_t len;
};

/* The text between the next two quotes; moves p behind. */
static bool quoted(const char **p, const char *end, struct quoted *q)
{
    const char *a = memchr(*p, '"', (size_t)(end - *p));
    const char *b = a ? memchr(a + 1, '"', (size_t)(end - a - 1)) : NULL;

    if (!b)
        return false;
    *q = (struct quoted){a + 1, (size_t)(b - a - 1)};
    *p = b + 1;
    return true;
}

/* "[12]" at p: the number; moves p behind. */
static bool bracketed(const char **p, const char *end, uint32_t *n)
{
    const char *c = *p + 1;
    uint32_t v = 0;

    if (*p >= end || **p != '[' || c >= end || *c < '0' || *c > '9')
        return false;
    for (; c < end && *c >= '0' && *c <= '9' && v < 1024; c++)
        v = v * 10 + (uint32_t)(*c - '0');
    if (c >= end || *c != ']' || v >= 1024)
        return false;
    *n = v;
    *p = c + 1;
    return true;
}

/* "4xNDR" at the end of a port line: bytes/s; 0 when there is none that is known. Effective rates a lane in Gbit/s. */
static double width_rate(const char *at, const char *end)
{
    static const struct {
        const char *name;
        double gbit;
    } lanes[] = {{"SDR", 2},  {"DDR", 4},  {"QDR", 8},   {"FDR10", 10}, {"FDR", 13.636363636363637},
                 {"EDR", 25}, {"HDR", 50}, {"NDR", 100}, {"XDR", 200}};

    for (const char *x = at; x < end; x++) {
        if (*x != 'x' || x == at || x[-1] < '0' || x[-1] > '9')
            continue;
        size_t n = 0;
        while (x + 1 + n < end && x[1 + n] != ' ' && x[1 + n] != '\t')
            n++;
        const char *d = x - 1;
        while (d > at && d[-1] >= '0' && d[-1] <= '9')
            d--;
        for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++)
            if (strlen(lanes[i].name) == n && !memcmp(lanes[i].name, x + 1, n))
                return strtod(d, NULL) * lanes[i].gbit * 1e9 / 8;
    }
    return 0;
}

/* The name of a switch from its description: "MF0;leaf-01:MQM9701/U1" is leaf-01, "MF0;sw:MCS8500/L01/U1" is sw/L01. */
static size_t switch_name(struct quoted d, char *buf, size_t size)
{
    const char *semi = memchr(d.at, ';', d.len), *end = d.at + d.len;
    const char *name = semi ? semi + 1 : d.at, *colon = memchr(name, ':', (size_t)(end - name));
    const char *part = colon ? memchr(colon, '/', (size_t)(end - colon)) : NULL;
    const char *unit = part ? memchr(part + 1, '/', (size_t)(end - part - 1)) : NULL;

    if (!semi)
        return (size_t)snprintf(buf, size, "%.*s", (int)(d.len < 200 ? d.len : 200), d.at);
    size_t n = (size_t)((colon ? colon : end) - name);
    n = n < 200 ? n : 200;
    if (unit)
        return (size_t)snprintf(buf, size, "%.*s%.*s", (int)n, name, (int)(unit - part < 40 ? unit - part : 40), part);
    return (size_t)snprintf(buf, size, "%.*s", (int)n, name);
}

static bool is_device(const char *at, size_t len)
{
    static const char *const heads[] = {"mlx",   "HCA-", "ib",   "hfi",  "qib",  "bnxt",
                                        "irdma", "efa",  "rdma", "roce", "cxgb", "opa"};
    bool digit = false;

    for (size_t i = 0; i < len; i++)
        digit |= at[i] >= '0' && at[i] <= '9';
    for (size_t i = 0; digit && i < sizeof heads / sizeof *heads; i++)
        if (len > strlen(heads[i]) && !strncasecmp(at, heads[i], strlen(heads[i])))
            return true;
    return false;
}

/* Why the adapter so described belongs to no host that could be named; NULL: it does, and host is its first word. */
static const char *why_odd(struct quoted d, size_t *host)
{
    static const char *const defaults[] = {"localhost", "localhost.localdomain", "ubuntu", "debian", "centos", "rocky",
                                           "(none)"};
    const char *space = memchr(d.at, ' ', d.len);

    *host = space ? (size_t)(space - d.at) : d.len;
    if (memmem(d.at, d.len, "Aggregation Node", 16))
        return "an aggregation node of a switch, not a host";
    if (!space || !is_device(space + 1, d.len - *host - 1) || memchr(space + 1, ' ', d.len - *host - 1))
        return "an adapter without a host's name";
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        if (*host == strlen(defaults[i]) && !memcmp(d.at, defaults[i], *host))
            return "a host with a default name, which may be several";
    return NULL;
}

/* A vertex for a GUID: "S-…" or "H-…", made from its description when new. UINT32_MAX on error. */
static uint32_t device(struct ib *ib, struct quoted guid, struct quoted d)
{
    char name[512];
    uint32_t v = topo_find_id(ib->t, guid.at, guid.len), host = UINT32_MAX;
    const char *odd = NULL;
    size_t n, host_len = 0;
    bool made;

    if (v != UINT32_MAX)
        return v;
    bool is_switch = guid.at[0] == 'S';
    if (!is_switch)
        odd = why_odd(d, &host_len);
    if (!is_switch && !odd) {
        host = topo_vertex(ib->t, GY_T_HOST, d.at, host_len, &made);
        ib->dead |= host == UINT32_MAX;
        if (made)
            ib->t->vertices.at[host].line = ib->in->line;
        n = (size_t)snprintf(name, sizeof name, "%.*s/%.*s", (int)host_len, d.at, (int)(d.len - host_len - 1),
                             d.at + host_len + 1);
    } else {
        n = is_switch ? switch_name(d, name, sizeof name)
                      : (size_t)snprintf(name, sizeof name, "%.*s", (int)(d.len < 200 ? d.len : 200), d.at);
    }
    n = n < sizeof name ? n : sizeof name - 1;
    if (topo_find(ib->t, name, n) != UINT32_MAX || n == 0) /* a second one of that name: its GUID tells it apart */
        n = (size_t)snprintf(name + n, sizeof name - n, "@%.*s", (int)guid.len, guid.at) + n;
    v = topo_vertex(ib->t, is_switch ? GY_T_SWITCH : GY_T_NIC, name, n < sizeof name ? n : sizeof name - 1, &made);
    if (v == UINT32_MAX || ib->dead || !topo_set_id(ib->t, v, guid.at, guid.len)) {
        ib->dead = true;
        return UINT32_MAX;
    }
    ib->t->vertices.at[v].odd = odd;
    ib->t->vertices.at[v].parent = host;
    ib->t->vertices.at[v].line = ib->in->line;
    return v;
}

static bool good_guid(struct quoted g)
{
    return g.len > 2 && g.len < 64 && (g.at[0] == 'S' || g.at[0] == 'H' || g.at[0] == 'R') && g.at[1] == '-';
}

/* Switch	65 "S-0002"		# "MF0;leaf-01:MQM9701/U1" … */
static int record(struct ib *ib, const char *line, size_t len)
{
    const char *p = line, *end = line + len;
    struct quoted guid, d;

    if (!quoted(&p, end, &guid) || !good_guid(guid) || !quoted(&p, end, &d))
        return topo_fail(ib->in, ib->err, "wants a record: a type, ports, a quoted GUID and a quoted description", line,
                         len);
    ib->current = device(ib, guid, d);
    return ib->current == UINT32_MAX ? gy_nomem(ib->err) : 0;
}

/* The link between two ends, unless the other end has told it. */
static int link_once(struct ib *ib, uint32_t a, uint32_t pa, uint32_t b, uint32_t pb, double rate)
{
    uint64_t here = (uint64_t)a << 10 | pa, there = (uint64_t)b << 10 | pb, link;

    if (gy_map_get(&ib->seen, here, &link)) {
        const struct gy_topo_link *l = &ib->t->links.at[link];
        if (!(l->a == b && l->b == a))
            return topo_fail(ib->in, ib->err, "the port is already joined to another device", NULL, 0);
        ib->t->one_sided--;
        return 0;
    }
    if (gy_map_get(&ib->seen, there, &link) && ib->t->links.at[link].a != a)
        return topo_fail(ib->in, ib->err, "the peer's port is already joined to another device", NULL, 0);
    ib->t->one_sided++;
    link = ib->t->links.n;
    if (!topo_link(ib->t, a, b, GY_VIA_NETWORK, rate, 1) || !gy_map_put(&ib->seen, here, link) ||
        !gy_map_put(&ib->seen, there, link))
        return gy_nomem(ib->err);
    for (int i = 0; i < 2; i++) {
        struct gy_topo_vertex *v = &ib->t->vertices.at[i ? b : a];
        v->rate += v->kind == GY_T_NIC ? rate : 0;
    }
    return 0;
}

/* [1]	"S-0014"[32]		# "MF0;spine-01:…" lid 236 4xNDR, or of an adapter [1](guid) 	"S-…"[1]
 * # lid 4 lmc 0 "MF0;…" … */
static int port(struct ib *ib, const char *line, size_t len)
{
    const char *p = line, *end = line + len;
    struct quoted guid, d;
    uint32_t here, there;

    if (ib->current == UINT32_MAX)
        return topo_fail(ib->in, ib->err, "a port before any Switch or Ca record", line, len);
    if (!bracketed(&p, end, &here) || !quoted(&p, end, &guid) || !good_guid(guid) || !bracketed(&p, end, &there) ||
        !quoted(&p, end, &d))
        return topo_fail(ib->in, ib->err, "wants a port: [n] \"peer\"[m] # \"description\" … width", line, len);
    double rate = width_rate(p, end);
    if (rate == 0)
        return topo_fail(ib->in, ib->err, "wants a link width and speed such as 4xNDR at the end", line, len);
    uint32_t peer = device(ib, guid, d);
    if (peer == UINT32_MAX)
        return gy_nomem(ib->err);
    return link_once(ib, ib->current, here, peer, there, rate);
}

static bool starts(const char *line, size_t len, const char *word)
{
    return len >= strlen(word) && !memcmp(line, word, strlen(word));
}

int topo_read_ib(struct gy_topo *t, struct topo_text *in, struct gy_error *err)
{
    static const char *const skipped[] = {
        "vendid=", "devid=", "sysimgguid=", "switchguid=", "caguid=", "rtguid=", "#", "DR path"};
    struct ib ib = {.t = t, .in = in, .err = err, .current = UINT32_MAX};
    const char *line;
    size_t len;
    int bad = 0;

    while (!bad && topo_line(in, &line, &len)) {
        bool skip = len == 0;
        for (size_t i = 0; i < sizeof skipped / sizeof *skipped; i++)
            skip |= starts(line, len, skipped[i]);
        if (skip)
            continue;
        if (*line == '[')
            bad = port(&ib, line, len);
        else if (starts(line, len, "Switch") || starts(line, len, "Ca") || starts(line, len, "Rt"))
            bad = record(&ib, line, len);
        else
            bad = topo_fail(in, err, "wants Switch, Ca, Rt, a port or a comment", line, len);
    }
    gy_map_free(&ib.seen);
    return bad;
}
