/* `nvidia-smi topo -m`: a matrix of GPUs and NICs. NV# is a bundle of # NVLinks. Where every GPU reaches every other by
 * the same bundle, and all of them would be more wires than a GPU has, there is a switch between, and a GPU's wires go
 * to it. Every other relation (PIX, PXB, PHB, NODE, SYS) is kept once as such: it says how far, not by which wire. */
#include <stdlib.h>
#include <string.h>
#include "topo.h"

#define MAX_DEVICES 512
#define MAX_NVLINKS 18 /* of one GPU (Hopper, Blackwell) */

struct matrix {
    size_t n, rows;
    uint32_t *cell; /* n × n: 0 not yet, else 1 + index into words, or NV_BASE + wires */
    uint32_t vertex[MAX_DEVICES];
};
#define NV_BASE 1000u

static const char *const words[] = {"X", "PIX", "PXB", "PHB", "NODE", "SYS", "SOC"};

/* The next word; terminal escapes count as blanks. */
static bool word(const char **p, const char *end, const char **at, size_t *len)
{
    for (;;) {
        while (*p < end && (**p == ' ' || **p == '\t'))
            (*p)++;
        if (*p >= end || **p != 27)
            break;
        while (*p < end && **p != 'm')
            (*p)++;
        *p += *p < end;
    }
    *at = *p;
    while (*p < end && **p != ' ' && **p != '\t' && **p != 27)
        (*p)++;
    *len = (size_t)(*p - *at);
    return *len > 0;
}

static int header(struct gy_topo *t, struct topo_text *in, struct matrix *m, const char *line, size_t len,
                  struct gy_error *err)
{
    const char *p = line, *at;
    size_t n;
    bool made;

    while (word(&p, line + len, &at, &n)) {
        if ((n == 3 && !memcmp(at, "CPU", 3)) || (n == 4 && !memcmp(at, "NUMA", 4)) ||
            (n == 3 && !memcmp(at, "GPU", 3)))
            break; /* the columns of affinity */
        if (m->n == MAX_DEVICES)
            return topo_fail(in, err, "more than 512 devices", NULL, 0);
        uint32_t v = topo_vertex(t, n > 3 && !memcmp(at, "GPU", 3) ? GY_T_GPU : GY_T_NIC, at, n, &made);
        if (v == UINT32_MAX)
            return gy_nomem(err);
        if (!made)
            return topo_fail(in, err, "a device stands twice in the header", at, n);
        t->vertices.at[v].line = in->line;
        m->vertex[m->n++] = v;
    }
    m->cell = calloc(m->n * m->n + 1, sizeof *m->cell);
    return m->cell ? 0 : gy_nomem(err);
}

static uint32_t relation(const char *at, size_t n)
{
    uint32_t wires = 0;

    for (uint32_t i = 0; i < sizeof words / sizeof *words; i++)
        if (n == strlen(words[i]) && !memcmp(at, words[i], n))
            return i + 1;
    if (n < 3 || n > 5 || memcmp(at, "NV", 2))
        return 0;
    for (size_t i = 2; i < n; i++) {
        if (at[i] < '0' || at[i] > '9')
            return 0;
        wires = wires * 10 + (uint32_t)(at[i] - '0');
    }
    return wires ? NV_BASE + wires : 0;
}

static int row(struct gy_topo *t, struct topo_text *in, struct matrix *m, const char *line, size_t len,
               struct gy_error *err)
{
    const char *p = line, *at;
    size_t n, i = m->rows;

    if (i == m->n || !word(&p, line + len, &at, &n) || topo_find(t, at, n) != m->vertex[i])
        return topo_fail(in, err, "wants a row a device in the header's order", line, len);
    for (size_t k = 0; k < m->n; k++) {
        uint32_t r = word(&p, line + len, &at, &n) ? relation(at, n) : 0;
        if (r == 0)
            return topo_fail(in, err, "wants X, NV#, PIX, PXB, PHB, NODE or SYS for every device", line, len);
        if ((r == 1) != (i == k))
            return topo_fail(in, err, "X must stand on the diagonal and only there", line, len);
        if (k < i && m->cell[k * m->n + i] != r)
            return topo_fail(in, err, "says another relation than the other device's row", line, len);
        m->cell[i * m->n + k] = r;
    }
    m->rows++;
    return 0;
}

/* The bundle by which each GPU reaches every other, if that needs a switch; else 0. */
static uint32_t switched(const struct gy_topo *t, const struct matrix *m)
{
    uint32_t wires = 0, gpus = 0;

    for (size_t i = 0; i < m->n; i++)
        gpus += t->vertices.at[m->vertex[i]].kind == GY_T_GPU;
    for (size_t i = 0; i < m->n; i++)
        for (size_t k = 0; k < m->n; k++) {
            if (i == k || t->vertices.at[m->vertex[i]].kind != GY_T_GPU ||
                t->vertices.at[m->vertex[k]].kind != GY_T_GPU)
                continue;
            uint32_t r = m->cell[i * m->n + k];
            if (r < NV_BASE || (wires && wires != r - NV_BASE))
                return 0;
            wires = r - NV_BASE;
        }
    return gpus > 2 && wires * (gpus - 1) > MAX_NVLINKS ? wires : 0;
}

static bool join(struct gy_topo *t, const struct matrix *m)
{
    uint32_t wires = switched(t, m), hub = UINT32_MAX;
    bool made, ok = true;

    if (wires)
        ok = (hub = topo_vertex(t, GY_T_NVSWITCH, "NVSwitch", 8, &made)) != UINT32_MAX;
    for (size_t i = 0; ok && i < m->n; i++) {
        if (wires && t->vertices.at[m->vertex[i]].kind == GY_T_GPU)
            ok = topo_link(t, m->vertex[i], hub, GY_VIA_NVLINK, 0, wires);
        for (size_t k = i + 1; ok && k < m->n; k++) {
            uint32_t r = m->cell[i * m->n + k];
            if (r >= NV_BASE && wires)
                continue;
            ok = topo_link(t, m->vertex[i], m->vertex[k], r >= NV_BASE ? GY_VIA_NVLINK : GY_VIA_PATH, 0,
                           r >= NV_BASE ? r - NV_BASE : 1);
            if (ok && r < NV_BASE)
                t->links.at[t->links.n - 1].label = gy_strings_add(t->strings, words[r - 1], strlen(words[r - 1]));
        }
    }
    return ok;
}

int topo_read_smi(struct gy_topo *t, struct topo_text *in, struct gy_error *err)
{
    struct matrix m = {0};
    const char *line;
    size_t len;
    int bad = 0;

    while (!bad && topo_line(in, &line, &len)) {
        if (len == 0 && m.n == 0)
            continue;
        if (len == 0)
            break; /* the legend follows */
        bad = m.n == 0 ? header(t, in, &m, line, len, err) : row(t, in, &m, line, len, err);
        if (!bad && m.n == 0)
            bad = topo_fail(in, err, "wants a header line of devices", line, len);
    }
    if (!bad && m.rows < m.n)
        bad = topo_fail(in, err, "the matrix ends before every device has its row", NULL, 0);
    if (!bad && !join(t, &m))
        bad = gy_nomem(err);
    free(m.cell);
    return bad;
}
