/* Topologies: formats and how they are told apart, the table of vertices and links. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "gy_file.h"
#include "topo.h"

#define MAX_FILE ((size_t)1 << 28)

static const struct format {
    const char *name;
    int (*read)(struct gy_topo *t, struct topo_text *in, struct gy_error *err);
} formats[] = {
    {"ibnetdiscover", topo_read_ib}, {"slurm-topology", topo_read_slurm}, {"csv", topo_read_csv},
    {"nccl-xml", topo_read_xml},     {"nvidia-smi-topo", topo_read_smi},
};
#define N_FORMATS (sizeof formats / sizeof *formats)

const char *gy_topo_kind_name(enum gy_topo_kind kind)
{
    static const char *const names[] = {
#define X(id, text) text,
        GY_TOPO_KINDS(X)
#undef X
    };
    return names[kind];
}

bool topo_line(struct topo_text *t, const char **line, size_t *len)
{
    if (t->at >= t->end)
        return false;
    const char *stop = memchr(t->at, '\n', (size_t)(t->end - t->at));
    size_t n = (size_t)((stop ? stop : t->end) - t->at);
    *line = t->at;
    t->at += n + (stop ? 1 : 0);
    t->line++;
    while (n > 0 && ((*line)[n - 1] == '\r' || (*line)[n - 1] == ' ' || (*line)[n - 1] == '\t'))
        n--;
    *len = n;
    return true;
}

int topo_fail(const struct topo_text *t, struct gy_error *err, const char *what, const char *found, size_t len)
{
    char place[512], shown[120];

    snprintf(place, sizeof place, "%s:%zu", t->name, t->line);
    gy_visible(found, len > 100 ? 100 : len, shown, sizeof shown);
    return found ? gy_fail(err, GY_EINPUT, place, "%s, found \"%s\"", what, shown)
                 : gy_fail(err, GY_EINPUT, place, "%s", what);
}

uint32_t topo_find(const struct gy_topo *t, const char *name, size_t len)
{
    gy_str s = gy_strings_find(t->strings, name, len);
    uint64_t v;

    return s != GY_STR_FAIL && gy_map_get(&t->by_name, s, &v) ? (uint32_t)v : UINT32_MAX;
}

uint32_t topo_vertex(struct gy_topo *t, enum gy_topo_kind kind, const char *name, size_t len, bool *made)
{
    uint32_t v = topo_find(t, name, len);
    gy_str s;

    *made = false;
    if (v != UINT32_MAX)
        return v;
    s = gy_strings_add(t->strings, name, len);
    v = (uint32_t)t->vertices.n;
    if (s == GY_STR_FAIL || !gy_map_put(&t->by_name, s, v) ||
        !gy_vec_push(&t->vertices, ((struct gy_topo_vertex){.kind = kind, .name = s, .parent = UINT32_MAX})))
        return UINT32_MAX;
    *made = true;
    return v;
}

bool topo_set_id(struct gy_topo *t, uint32_t v, const char *id, size_t len)
{
    gy_str s = gy_strings_add(t->strings, id, len);

    t->vertices.at[v].id = s;
    return s != GY_STR_FAIL && gy_map_put(&t->by_id, s, v);
}

uint32_t topo_find_id(const struct gy_topo *t, const char *id, size_t len)
{
    gy_str s = gy_strings_find(t->strings, id, len);
    uint64_t v;

    return s != GY_STR_FAIL && gy_map_get(&t->by_id, s, &v) ? (uint32_t)v : UINT32_MAX;
}

bool topo_link(struct gy_topo *t, uint32_t a, uint32_t b, enum gy_topo_via via, double rate, uint32_t count)
{
    return gy_vec_push(&t->links, ((struct gy_topo_link){.a = a, .b = b, .via = via, .rate = rate, .count = count}));
}

static bool has(const char *text, size_t len, const char *word)
{
    return memmem(text, len, word, strlen(word)) != NULL;
}

/* By words that the others do not have. */
static const struct format *sniff(const char *text, size_t len)
{
    size_t head = len < 16384 ? len : 16384;
    const char *first = text;

    while (first < text + head && strchr(" \t\r\n", *first))
        first++;
    if (first < text + head && *first == '<')
        return &formats[3];
    if (has(text, head, "switchguid=") || has(text, head, "caguid=") || has(text, head, "vendid="))
        return &formats[0];
    for (const char *p = text; p + 11 < text + head; p++)
        if (!strncasecmp(p, "SwitchName=", 11) || !strncasecmp(p, "BlockName=", 10))
            return &formats[1];
    if (has(text, head, "GPU0") && (has(text, head, " X ") || has(text, head, "\tX\t")))
        return &formats[4];
    const char *end = memchr(text, '\n', head);
    return end && has(text, (size_t)(end - text), ",") ? &formats[2] : NULL;
}

static const struct format *format_named(const char *name)
{
    for (size_t i = 0; i < N_FORMATS; i++)
        if (!strcmp(formats[i].name, name))
            return &formats[i];
    return NULL;
}

int gy_topo_parse(struct gy_topo *t, const char *name, const char *text, size_t len, const char *format,
                  struct gy_error *err)
{
    struct topo_text in = {.name = name, .at = text, .end = text + len};
    const struct format *f = format ? format_named(format) : sniff(text, len);
    const char *nul = memchr(text, 0, len);

    *t = (struct gy_topo){.strings = gy_strings_new()};
    if (!t->strings)
        return gy_nomem(err);
    if (!f && format)
        return gy_fail(
            err, GY_EINPUT, name,
            "no topology format \"%s\"; there are ibnetdiscover, slurm-topology, csv, nccl-xml, nvidia-smi-topo",
            format);
    if (!f)
        return gy_fail(err, GY_EINPUT, name,
                       "looks like none of ibnetdiscover, slurm-topology, csv, nccl-xml, nvidia-smi-topo");
    if (nul) {
        for (const char *p = text; p < nul; p++)
            in.line += *p == '\n';
        in.line++;
        return topo_fail(&in, err, "a zero byte: this is no text", NULL, 0);
    }
    t->format = f->name;
    if (f->read(t, &in, err))
        return -1;
    if (t->vertices.n == 0)
        return gy_fail(err, GY_EINPUT, name, "holds no topology");
    return 0;
}

int gy_topo_load(struct gy_topo *t, const char *path, const char *format, struct gy_error *err)
{
    size_t len;
    char *text = gy_file_slurp(path, MAX_FILE, &len, NULL, err);

    *t = (struct gy_topo){0};
    if (!text)
        return -1;
    int done = gy_topo_parse(t, path, text, len, format, err);
    free(text);
    return done;
}

void gy_topo_free(struct gy_topo *t)
{
    gy_strings_free(t->strings);
    gy_vec_free(&t->vertices);
    gy_vec_free(&t->links);
    gy_map_free(&t->by_name);
    gy_map_free(&t->by_id);
    *t = (struct gy_topo){0};
}

size_t gy_topo_count(const struct gy_topo *t, enum gy_topo_kind kind, bool odd)
{
    size_t n = 0;

    for (size_t i = 0; i < t->vertices.n; i++)
        n += t->vertices.at[i].kind == kind && (t->vertices.at[i].odd != NULL) == odd;
    return n;
}
