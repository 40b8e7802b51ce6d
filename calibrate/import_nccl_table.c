/* The end of an nccl-tests table: which operation it was, over how many ranks, whether algbw = size/time and busbw =
 * algbw × factor hold on every row, and the set that comes of it. Not the parsing of lines. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "gy_file.h"
#include "nccl_line.h"

void nccl_table_word(struct nccl_table *t, const char *text, size_t len)
{
    const size_t have = strlen(t->words);
    if (have + 2 >= sizeof t->words)
        return; /* full */
    const size_t room = sizeof t->words - have - 2;
    if (len > room)
        len = room;
    memcpy(t->words + have, text, len);
    t->words[have + len] = ' ';
    t->words[have + len + 1] = '\0';
}

static int complain(const struct nccl_table *t, size_t line, struct gy_error *err, const char *what)
{
    char place[400];
    if (line)
        snprintf(place, sizeof place, "%s:%zu", t->path, line);
    else
        snprintf(place, sizeof place, "%s", t->path);
    return gy_fail(err, GY_EINPUT, place, "%s", what);
}

/* busbw/algbw of the row with the most digits, or NaN. */
static double measured_factor(const struct nccl_table *t)
{
    double best = 0, factor = NAN;
    for (size_t i = 0; i < t->rows.n; i++)
        for (int h = 0; h < 2; h++) {
            const struct nccl_half *x = &t->rows.at[i].half[h];
            if (x->algbw > best && x->busbw > 0) {
                best = x->algbw;
                factor = x->busbw / x->algbw;
            }
        }
    return best >= 0.5 ? factor : NAN;
}

/* The operation that the rows themselves tell: root and reduction columns, then the factor. */
static int guess_op(struct nccl_table *t, double factor)
{
    const struct nccl_row *r = &t->rows.at[0];
    bool none = !*r->redop || !strcmp(r->redop, "none");
    if (!isnan(r->root) && r->root >= 0)
        t->op = none ? GY_BROADCAST : GY_REDUCE;
    else if (!none && factor > 1.01)
        t->op = GY_ALL_REDUCE;
    else if (!none && factor < 0.995)
        t->op = GY_REDUCE_SCATTER;
    else
        return -1; /* all-gather and all-to-all look alike; so do two ranks of anything */
    return 0;
}

static uint32_t ranks_of_factor(enum gy_coll_op op, double f)
{
    double n = op == GY_ALL_REDUCE                                                     ? 2 / (2 - f)
               : op == GY_ALL_GATHER || op == GY_REDUCE_SCATTER || op == GY_ALL_TO_ALL ? 1 / (1 - f)
                                                                                       : NAN;
    return isfinite(n) && n >= 1.5 && n < 1 << 20 ? (uint32_t)(n + 0.5) : 0;
}

static int settle_op(struct nccl_table *t, double factor, struct gy_error *err)
{
    int op = t->opt && t->opt->op ? gy_coll_op_of(t->opt->op) : -1;
    if (t->opt && t->opt->op && op < 0)
        return gy_fail(err, GY_EUSAGE, NULL, "no operation named \"%s\"", t->opt->op);
    if (op >= 0)
        t->op = (enum gy_coll_op)op;
    else if (!t->has_op && guess_op(t, factor)) {
        complain(t, t->header_line, err, "cannot tell which operation this table is of");
        return gy_hint(err, "give --op all_reduce|all_gather|reduce_scatter|broadcast|reduce|all_to_all|send_recv");
    }
    return 0;
}

static int settle_ranks(struct nccl_table *t, struct gy_meas_set *s, double factor, struct gy_error *err)
{
    char what[256];
    const struct gy_import_options *o = t->opt;
    if (o && o->nodes)
        s->nodes = o->nodes;
    if (o && o->gpus_per_node)
        s->gpus_per_node = o->gpus_per_node;
    if (s->nodes && s->gpus_per_node)
        s->ranks = s->nodes * s->gpus_per_node;
    uint32_t told = ranks_of_factor(t->op, factor);
    double width = 0.02 + factor * 0.01; /* printed to two decimals */
    if (!s->ranks && told && fabs(gy_coll_bus_factor(t->op, told) - factor) < width && told <= 64)
        s->ranks = told; /* beyond 64 ranks two decimals do not tell neighbours apart */
    if (!s->ranks) {
        complain(t, t->header_line, err, "cannot tell how many ranks ran");
        return gy_hint(err, "give --nodes and --gpus-per-node");
    }
    if (!s->nodes)
        s->nodes = s->gpus_per_node ? (s->ranks + s->gpus_per_node - 1) / s->gpus_per_node
                   : s->ranks <= 8  ? 1
                                    : (s->ranks + 7) / 8;
    if (!s->gpus_per_node)
        s->gpus_per_node = (s->ranks + s->nodes - 1) / s->nodes;
    if (s->nodes * s->gpus_per_node < s->ranks || (s->nodes - 1) * s->gpus_per_node >= s->ranks) {
        snprintf(what, sizeof what, "%u ranks do not fit %u nodes of %u GPUs", s->ranks, s->nodes, s->gpus_per_node);
        return complain(t, t->header_line, err, what);
    }
    return 0;
}

/* algbw = size/time within 2 % and busbw = algbw × factor, both within what two decimals allow. */
static int check_rows(const struct nccl_table *t, const struct gy_meas_set *s, struct gy_error *err)
{
    double factor = gy_coll_bus_factor(s->op, s->ranks);
    char what[320];
    for (size_t i = 0; i < t->rows.n; i++)
        for (int h = 0; h < 2; h++) {
            const struct nccl_row *r = &t->rows.at[i];
            const struct nccl_half *x = &r->half[h];
            if (isnan(x->time_us) || isnan(x->algbw))
                continue;
            double alg = r->bytes / x->time_us / 1e3;
            if (fabs(alg - x->algbw) > 0.02 * alg + 0.006) {
                snprintf(what, sizeof what, "algbw %.2f is not size/time = %.2f GB/s", x->algbw, alg);
                return complain(t, r->line, err, what);
            }
            if (!isnan(x->busbw) && fabs(x->algbw * factor - x->busbw) > 0.02 * x->busbw + 0.006 * (1 + factor)) {
                snprintf(what, sizeof what, "busbw %.2f is not algbw %.2f x %.4f, the factor of %s over %u ranks",
                         x->busbw, x->algbw, factor, gy_coll_op_name(s->op), s->ranks);
                complain(t, r->line, err, what);
                return gy_hint(err, "the operation or the rank count is another than the log or the options say");
            }
        }
    return 0;
}

static const char *keep(struct gy_measurements *m, const char *text)
{
    const char *copy = gy_arena_strndup(&m->arena, text, strlen(text));
    return copy ? copy : "";
}

/* "github.com/owner/repo path" is of the system owner/repo; else the text to its first bracket. */
static const char *system_of(struct gy_measurements *m, const struct nccl_table *t, const struct gy_meas_set *s)
{
    char buf[256];
    if (t->opt && t->opt->system)
        return keep(m, t->opt->system);
    const char *from = *t->system ? t->system : t->source;
    if (!strncmp(from, "github.com/", 11))
        from += 11;
    size_t n = 0;
    int slashes = 0;
    for (; from[n] && from[n] != ' ' && n < 120; n++)
        if (from[n] == '/' && ++slashes == 2)
            break;
    if (!slashes)
        n = strcspn(from, "(,") < 120 ? strcspn(from, "(,") : 120;
    while (n && from[n - 1] == ' ')
        n--;
    if (!n) {
        const char *slash = strrchr(t->path, '/');
        from = slash ? slash + 1 : t->path;
        n = strcspn(from, ".");
    }
    snprintf(buf, sizeof buf, "%.*s%s%s", (int)n, from, *s->hardware ? " " : "", gy_gpu_family(s->hardware));
    return keep(m, buf);
}

static void copy_rows(struct nccl_table *t, struct gy_meas_set *s, bool *full)
{
    for (size_t i = 0; i < t->rows.n && *full; i++) {
        const struct nccl_row *r = &t->rows.at[i];
        struct gy_meas_row row = {r->bytes, r->half[0].time_us > 0 ? r->half[0].time_us : NAN,
                                  r->half[1].time_us > 0 ? r->half[1].time_us : NAN};
        if (row.bytes > 0 && (row.time_us > 0 || row.in_place_us > 0))
            *full = gy_vec_push(&s->rows, row);
    }
    if (s->rows.n >= 2 &&
        !isnan(s->rows.at[0].in_place_us)) /* connections come up in the first half of the first row */
        s->cold_first_row = s->rows.at[0].time_us > 1.3 * s->rows.at[0].in_place_us &&
                            s->rows.at[0].time_us > 1.3 * s->rows.at[1].time_us;
}

int nccl_table_end(struct gy_measurements *m, struct nccl_table *t, struct gy_error *err)
{
    if (!t->rows.n)
        return 0;
    struct gy_meas_set *s = gy_meas_add(m);
    if (!s)
        return gy_nomem(err);
    double factor = measured_factor(t);
    s->nodes = t->nodes;
    s->ranks = t->ranks;
    s->gpus_per_node = t->gpus_per_node;
    s->op = t->op;
    gy_infer_from_name(s, t->path, &t->has_op);
    t->op = s->op;
    if (settle_op(t, factor, err))
        return -1;
    s->op = t->op;
    if (settle_ranks(t, s, factor, err) || check_rows(t, s, err))
        return -1;
    if (t->opt && t->opt->algo && gy_coll_algo_of(t->opt->algo) < 0)
        return gy_fail(err, GY_EUSAGE, NULL, "no algorithm named \"%s\"", t->opt->algo);
    if (t->opt && t->opt->algo)
        s->algo = (enum gy_coll_algo)gy_coll_algo_of(t->opt->algo);
    if (t->opt && t->opt->hardware)
        s->hardware = keep(m, gy_hw_canonical(t->opt->hardware) ? gy_hw_canonical(t->opt->hardware) : t->opt->hardware);
    if (t->opt && t->opt->fabric)
        s->fabric = keep(m, t->opt->fabric);
    gy_infer(m, s, t->gpu, t->words);
    s->dtype = keep(m, t->rows.at[0].type);
    s->source = keep(m, *t->source ? t->source : t->path);
    s->system = system_of(m, t, s);
    s->note = keep(m, t->words);
    bool full = true;
    copy_rows(t, s, &full);
    gy_vec_clear(&t->rows);
    return full ? 0 : gy_nomem(err);
}
