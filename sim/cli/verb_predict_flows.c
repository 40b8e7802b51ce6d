/* gpuyard predict flows: flows on links from their starts to their ends (sim/net/gy_flows.h), from a CSV of flows and,
 * optionally, one of links. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "csv_rows.h"
#include "gy_cli.h"
#include "gy_file.h"
#include "gy_flows.h"
#include "gy_json.h"
#include "gy_str.h"
#include "gy_units.h"

enum { K_LINK_GBPS = 300, K_LINKS };
const struct gy_cli_option gy_predict_flows_options[] = {
    {"link-gbps", K_LINK_GBPS, "X", "Rate of links that --links does not name, in 10^9 bytes per second"},
    {"links", K_LINKS, "FILE.csv", "Links with their own rates: columns link, gbps and, optionally, latency_s"},
    {0},
};

struct replay {
    struct gy_strings *names; /* of links; id 0 is "", link i has id i + 1 */
    struct gy_strings *flow_names;
    GY_VEC(struct gy_flow_link) links;
    GY_VEC(struct gy_flow) flows;
    GY_VEC(gy_str) flow_name;
    GY_VEC(uint32_t) path;
    double rate; /* of links not named, bytes/s; NAN: none given */
    struct gy_flows_result result;
};

struct columns {
    int flow, bytes, start, links, link, gbps, latency;
};

static int wrong(const struct gy_csv *c, const char *file, const char *column, struct gy_field f, const char *want,
                 struct gy_error *err)
{
    char place[512], shown[80];

    snprintf(place, sizeof place, "%s:%llu", file, (unsigned long long)gy_csv_line(c));
    gy_visible(f.at, f.len > 60 ? 60 : f.len, shown, sizeof shown);
    return gy_fail(err, GY_EINPUT, place, "%s is \"%s\", wants %s", column, shown, want);
}

/* The column's index, or an error that names the file and what it has. */
static int need(const struct gy_csv *c, const char *file, const char *name, int *column, struct gy_error *err)
{
    *column = gy_csv_column(c, name);
    if (*column >= 0)
        return 0;
    gy_fail(err, GY_EINPUT, file, "there is no column \"%s\"", name);
    return gy_hint(err, "the first line names the columns");
}

/* The link of that name, made when new. */
static int link_named(struct replay *r, const char *name, size_t len, uint32_t *link, struct gy_error *err)
{
    gy_str s = gy_strings_add(r->names, name, len);

    if (s == GY_STR_FAIL)
        return gy_nomem(err);
    *link = s - 1;
    if (*link < r->links.n)
        return 0;
    return gy_vec_push(&r->links, ((struct gy_flow_link){r->rate, 0})) ? 0 : gy_nomem(err);
}

static int link_row(struct replay *r, const struct gy_csv *c, const char *file, const struct columns *at,
                    struct gy_error *err)
{
    struct gy_field name = gy_csv_field(c, (size_t)at->link), rate = gy_csv_field(c, (size_t)at->gbps);
    struct gy_field latency = at->latency < 0 ? (struct gy_field){"", 0} : gy_csv_field(c, (size_t)at->latency);
    uint32_t link = 0;

    if (name.len == 0)
        return wrong(c, file, "link", name, "a name", err);
    double gbps = rate.len > 0 && gy_number_len(rate.at, rate.len) == rate.len ? strtod(rate.at, NULL) : NAN;
    if (!(gbps >= 0 && gbps < 1e12))
        return wrong(c, file, "gbps", rate, "a rate in 10^9 bytes per second, 0 for a dead link", err);
    if (link_named(r, name.at, name.len, &link, err))
        return -1;
    r->links.at[link].capacity = gbps * 1e9;
    if (latency.len > 0 &&
        (!gy_time_parse(latency.at, latency.len, &r->links.at[link].latency) || r->links.at[link].latency < 0))
        return wrong(c, file, "latency_s", latency, "seconds that are not negative", err);
    return 0;
}

/* "l1;l2;l3" */
static int path_of(struct replay *r, struct gy_field text, struct gy_flow *flow, struct gy_error *err)
{
    const char *p = text.at, *end = text.at + text.len;

    flow->first = r->path.n;
    while (p < end) {
        const char *stop = memchr(p, ';', (size_t)(end - p)), *next = stop ? stop + 1 : end, *q = stop ? stop : end;
        uint32_t link = 0;
        while (p < q && *p == ' ')
            p++;
        while (q > p && q[-1] == ' ')
            q--;
        if (q > p) {
            if (link_named(r, p, (size_t)(q - p), &link, err))
                return -1;
            if (!gy_vec_push(&r->path, link))
                return gy_nomem(err);
            flow->n++;
        }
        p = next;
    }
    return 0;
}

/* A link that neither the file of links nor --link-gbps gives a rate. */
static int check_path(struct replay *r, const struct gy_csv *c, const char *file, const struct gy_flow *flow,
                      struct gy_error *err)
{
    for (uint32_t i = 0; i < flow->n; i++) {
        uint32_t link = r->path.at[flow->first + i];
        if (!isnan(r->links.at[link].capacity))
            continue;
        const char *name = gy_strings_text(r->names, link + 1);
        wrong(c, file, "links", (struct gy_field){name, strlen(name)}, "links that --links names", err);
        return gy_hint(err, "--link-gbps gives all others a rate");
    }
    return 0;
}

static int flow_row(struct replay *r, const struct gy_csv *c, const char *file, const struct columns *at,
                    struct gy_error *err)
{
    struct gy_field name = gy_csv_field(c, (size_t)at->flow), bytes = gy_csv_field(c, (size_t)at->bytes);
    struct gy_field start = at->start < 0 ? (struct gy_field){"", 0} : gy_csv_field(c, (size_t)at->start);
    struct gy_flow flow = {0};
    char why[160];

    if (bytes.len == 0 || !gy_units_parse(bytes.at, GY_U_BYTES, &flow.bytes, why) ||
        !(flow.bytes >= 0 && flow.bytes < 1e30))
        return wrong(c, file, "bytes", bytes, "a number of bytes that is not negative", err);
    if (start.len > 0 && !gy_time_parse(start.at, start.len, &flow.start))
        return wrong(c, file, "start_s", start, "seconds", err);
    if (path_of(r, gy_csv_field(c, (size_t)at->links), &flow, err) || check_path(r, c, file, &flow, err))
        return -1;
    gy_str s = gy_strings_add(r->flow_names, name.at, name.len);
    return s != GY_STR_FAIL && gy_vec_push(&r->flows, flow) && gy_vec_push(&r->flow_name, s) ? 0 : gy_nomem(err);
}

static int find_columns(const struct gy_csv *c, const char *file, bool links, struct columns *at, struct gy_error *err)
{
    if (links) {
        at->latency = gy_csv_column(c, "latency_s");
        return need(c, file, "link", &at->link, err) || need(c, file, "gbps", &at->gbps, err) ? -1 : 0;
    }
    at->start = gy_csv_column(c, "start_s");
    return need(c, file, "flow", &at->flow, err) || need(c, file, "bytes", &at->bytes, err) ||
                   need(c, file, "links", &at->links, err)
               ? -1
               : 0;
}

static int read_rows(struct replay *r, struct gy_csv *c, const char *file, bool links, struct gy_error *err)
{
    struct columns at = {0};
    int more;

    if (gy_csv_header(c, err) || find_columns(c, file, links, &at, err))
        return -1;
    while ((more = gy_csv_next(c, err)) > 0) {
        char place[512];
        snprintf(place, sizeof place, "%s:%llu", file, (unsigned long long)gy_csv_line(c));
        if (more == 2)
            return gy_fail(err, GY_EINPUT, place, "%s", gy_csv_why(c));
        if (gy_csv_fields(c) != gy_csv_columns(c))
            return gy_fail(err, GY_EINPUT, place, "%zu fields, the first line names %zu", gy_csv_fields(c),
                           gy_csv_columns(c));
        if (links ? link_row(r, c, file, &at, err) : flow_row(r, c, file, &at, err))
            return -1;
    }
    return more;
}

static int read_file(struct replay *r, const char *file, bool links, struct gy_error *err)
{
    struct gy_input *in = gy_input_open(file, err);
    struct gy_csv *c = in ? gy_csv_new(in, ',', err) : NULL;
    int bad = c ? read_rows(r, c, file, links, err) : -1;

    gy_csv_free(c);
    if (in)
        gy_input_close(in);
    return bad;
}

static double mean_util(const struct replay *r, size_t link)
{
    double could = r->links.at[link].capacity * r->result.makespan_s;

    return could > 0 ? r->result.load[link].bytes / could : 0;
}

static double peak_util(const struct replay *r, size_t link)
{
    return r->links.at[link].capacity > 0 ? r->result.load[link].peak / r->links.at[link].capacity : 0;
}

static void write_json(const struct replay *r, struct gy_writer *to)
{
    struct gy_json_out o = {.to = to};

    gy_jo_object(&o, NULL);
    gy_jo_string(&o, "model_error", "uncalibrated");
    gy_jo_number(&o, "makespan_s", r->result.makespan_s);
    gy_jo_integer(&o, "stalled", (int64_t)r->result.stalled);
    gy_jo_array(&o, "flows");
    for (size_t i = 0; i < r->flows.n; i++) {
        gy_jo_object(&o, NULL);
        gy_jo_string(&o, "flow", gy_strings_text(r->flow_names, r->flow_name.at[i]));
        gy_jo_number(&o, "end_s", r->result.end_s[i]);
        gy_jo_end(&o, '}');
    }
    gy_jo_end(&o, ']');
    gy_jo_array(&o, "links");
    for (size_t i = 0; i < r->links.n; i++) {
        gy_jo_object(&o, NULL);
        gy_jo_string(&o, "link", gy_strings_text(r->names, (gy_str)(i + 1)));
        gy_jo_number(&o, "bytes", r->result.load[i].bytes);
        gy_jo_number(&o, "util_mean", mean_util(r, i));
        gy_jo_number(&o, "util_max", peak_util(r, i));
        gy_jo_end(&o, '}');
    }
    gy_jo_end(&o, ']');
    gy_jo_end(&o, '}');
}

static void write_flows(const struct replay *r, struct gy_writer *to)
{
    gy_writer_text(to, "flow,end_s\n");
    for (size_t i = 0; i < r->flows.n; i++) {
        gy_writer_csv(to, gy_strings_text(r->flow_names, r->flow_name.at[i]));
        gy_writer_text(to, ",");
        gy_writer_csv_number(to, isfinite(r->result.end_s[i]) ? r->result.end_s[i] : NAN);
        gy_writer_text(to, "\n");
    }
}

static void write_links(const struct replay *r, struct gy_writer *to)
{
    gy_writer_text(to, "link,bytes,util_mean,util_max\n");
    for (size_t i = 0; i < r->links.n; i++) {
        gy_writer_csv(to, gy_strings_text(r->names, (gy_str)(i + 1)));
        gy_writer_text(to, ",");
        gy_writer_csv_number(to, r->result.load[i].bytes);
        gy_writer_text(to, ",");
        gy_writer_csv_number(to, mean_util(r, i));
        gy_writer_text(to, ",");
        gy_writer_csv_number(to, peak_util(r, i));
        gy_writer_text(to, "\n");
    }
}

/* For people: the end, and the links that carried most for their rate. */
static void write_summary(const struct replay *r, struct gy_writer *to)
{
    bool *shown = calloc(r->links.n + 1, sizeof *shown);

    gy_writer_printf(to, "%zu flows over %zu links, the last ends after %.9g s", r->flows.n, r->links.n,
                     r->result.makespan_s);
    if (r->result.stalled)
        gy_writer_printf(to, "; %zu never end: a link of theirs is dead", r->result.stalled);
    gy_writer_text(to, "\nbusiest links (mean and highest load of capacity):\n");
    for (int rows = 0; shown && rows < 10; rows++) {
        size_t best = r->links.n;
        for (size_t i = 0; i < r->links.n; i++)
            if (!shown[i] && r->result.load[i].bytes > 0 &&
                (best == r->links.n || mean_util(r, i) > mean_util(r, best)))
                best = i;
        if (best == r->links.n)
            break;
        shown[best] = true;
        gy_writer_printf(to, "  %-24s %6.1f %%  %6.1f %%  %.6g GB\n", gy_strings_text(r->names, (gy_str)(best + 1)),
                         100 * mean_util(r, best), 100 * peak_util(r, best), r->result.load[best].bytes / 1e9);
    }
    free(shown);
}

static int write_one(const struct replay *r, const char *path, void (*write)(const struct replay *, struct gy_writer *),
                     struct gy_error *err)
{
    struct gy_writer *to = gy_writer_open(path, err);

    if (!to)
        return -1;
    write(r, to);
    return gy_writer_commit(to, err);
}

/* "out.csv" to "out.links.csv", "x.csv.gz" to "x.links.csv.gz". */
static int links_path(const char *out, char *buf, size_t size, struct gy_error *err)
{
    size_t len = strlen(out), end = len;

    if (end > 3 && !strcmp(out + end - 3, ".gz"))
        end -= 3;
    if (end > 4 && !strncmp(out + end - 4, ".csv", 4))
        end -= 4;
    int n = snprintf(buf, size, "%.*s.links%s", (int)end, out, end < len ? out + end : ".csv");
    return n > 0 && (size_t)n < size ? 0 : gy_fail(err, GY_EUSAGE, NULL, "the name of the output is too long");
}

static int write_all(const struct gy_cli *cli, const struct replay *r, struct gy_error *err)
{
    char path[4096];

    if (cli->json && write_one(r, "-", write_json, err))
        return -1;
    if (cli->out && write_one(r, cli->out, write_flows, err))
        return -1;
    if (cli->out && strcmp(cli->out, "-") != 0) {
        if (links_path(cli->out, path, sizeof path, err) || write_one(r, path, write_links, err))
            return -1;
        if (!cli->quiet)
            fprintf(stderr, "ends in %s, load of links in %s\n", cli->out, path);
    }
    return cli->json || cli->out || cli->quiet ? 0 : write_one(r, "-", write_summary, err);
}

static int predict(const struct gy_cli *cli, struct replay *r, struct gy_error *err)
{
    const char *gbps = gy_cli_get(cli, K_LINK_GBPS), *links = gy_cli_get(cli, K_LINKS);

    r->rate = NAN;
    if (!gbps && !links)
        return gy_fail(err, GY_EUSAGE, NULL, "wants --link-gbps or --links, to know the links' rates");
    if (gbps && (gy_number_len(gbps, strlen(gbps)) != strlen(gbps) ||
                 !((r->rate = strtod(gbps, NULL) * 1e9) > 0 && r->rate < 1e21)))
        return gy_fail(err, GY_EUSAGE, "--link-gbps",
                       "\"%s\" is no rate; wants a number of 10^9 bytes per second above 0", gbps);
    r->names = gy_strings_new();
    r->flow_names = gy_strings_new();
    if (!r->names || !r->flow_names)
        return gy_nomem(err);
    if ((links && read_file(r, links, true, err)) || read_file(r, cli->args.at[0], false, err))
        return -1;
    if (r->links.n > UINT32_MAX / 2)
        return gy_fail(err, GY_EINPUT, NULL, "too many links");
    if (gy_flows_replay(r->links.at, (uint32_t)r->links.n, r->flows.at, r->flows.n, r->path.at, &r->result, err))
        return -1;
    return write_all(cli, r, err);
}

int gy_verb_predict_flows(struct gy_cli *cli)
{
    struct replay r = {0};
    struct gy_error err = {0};
    int status = predict(cli, &r, &err) ? gy_cli_fail(&err) : 0;

    gy_flows_result_free(&r.result);
    gy_strings_free(r.names);
    gy_strings_free(r.flow_names);
    gy_vec_free(&r.links);
    gy_vec_free(&r.flows);
    gy_vec_free(&r.flow_name);
    gy_vec_free(&r.path);
    return status;
}
