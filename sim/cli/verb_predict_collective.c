/* gpuyard predict collective: time, bandwidth and bound of one collective operation, without a simulation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gy_calibration.h"
#include "gy_cli.h"
#include "gy_file.h"
#include "gy_json.h"
#include "gy_units.h"

enum { K_OP = 256, K_HARDWARE, K_NODES, K_GPUS, K_FABRIC, K_CALIBRATION, K_BYTES, K_ALGO, K_PROTO, K_NICS };
const struct gy_cli_option gy_predict_collective_options[] = {
    {"op", K_OP, "OP", "all_reduce, all_gather, reduce_scatter, broadcast, reduce, all_to_all or send_recv"},
    {"hardware", K_HARDWARE, "NAME|FILE", "Node type (gpuyard models list)"},
    {"nodes", K_NODES, "N", "Number of nodes (default 1)"},
    {"gpus-per-node", K_GPUS, "G", "GPUs used on each node (default all), or one number a node: 3,5"},
    {"fabric", K_FABRIC, "NAME|FILE", "Network between the nodes (default: the node type's)"},
    {"nics", K_NICS, "N", "Network ports of a node, where they differ from the catalogue"},
    {"calibration", K_CALIBRATION, "NAME|FILE",
     "Calibration to use; none: the prior alone (default: all that are built in)"},
    {"bytes", K_BYTES, "LIST", "Sizes: 8,64KiB,1GiB"},
    {"algo", K_ALGO, "NAME", "auto, ring, tree, nvls, nvlstree, collnet, direct or rail"},
    {"proto", K_PROTO, "NAME", "auto, ll, ll128 or simple"},
    {0},
};

struct request {
    struct gy_arena arena;
    struct gy_coll_query q;
    struct gy_calibration cal;
    bool calibrated;
    GY_VEC(double) bytes;
    GY_VEC(uint32_t) gpus;
};

static int whole(const char *option, const char *text, uint32_t *out, struct gy_error *err)
{
    char *end;
    unsigned long n = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || n < 1 || n > 1 << 20)
        return gy_fail(err, GY_EUSAGE, NULL, "--%s %s: expected a whole number of at least 1", option, text);
    *out = (uint32_t)n;
    return 0;
}

/* One comma-separated piece after another, copied to buf; NULL at the end. */
static const char *piece(const char **list, char buf[64])
{
    if (!*list || !**list)
        return NULL;
    size_t n = strcspn(*list, ",");
    snprintf(buf, 64, "%.*s", (int)(n < 63 ? n : 63), *list);
    *list += n + ((*list)[n] == ',');
    return buf;
}

static int take_bytes(struct request *r, const char *list, struct gy_error *err)
{
    char buf[64], why[128];
    for (const char *p; (p = piece(&list, buf));) {
        double v;
        if (!gy_units_parse(p, GY_U_BYTES, &v, why))
            return gy_fail(err, GY_EUSAGE, NULL, "--bytes %s: %s", p, why);
        if (!(v >= 0 && v <= 1e15))
            return gy_fail(err, GY_EUSAGE, NULL, "--bytes %s: expected 0 to 10^15 bytes", p);
        if (!gy_vec_push(&r->bytes, v))
            return gy_nomem(err);
    }
    return r->bytes.n ? 0
                      : gy_fail(err, GY_EUSAGE, NULL, "--bytes is empty; expected sizes, as in --bytes 8,64KiB,1GiB");
}

static int take_gpus(struct request *r, const char *list, struct gy_error *err)
{
    char buf[64];
    for (const char *p; (p = piece(&list, buf));) {
        uint32_t n = 0;
        if (whole("gpus-per-node", p, &n, err))
            return -1;
        if (!gy_vec_push(&r->gpus, n))
            return gy_nomem(err);
    }
    if (!r->gpus.n)
        return gy_fail(err, GY_EUSAGE, NULL, "--gpus-per-node is empty");
    r->q.gpus_per_node = r->gpus.at[0];
    if (r->gpus.n == 1)
        return 0;
    if (r->q.nodes == 1)
        r->q.nodes = (uint32_t)r->gpus.n;
    if (r->gpus.n != r->q.nodes)
        return gy_fail(err, GY_EUSAGE, NULL, "--gpus-per-node lists %zu nodes, --nodes says %u", r->gpus.n, r->q.nodes);
    r->q.gpus_of = r->gpus.at;
    return 0;
}

static int word(const char *option, const char *text, int (*of)(const char *), int *out, struct gy_error *err)
{
    *out = text ? of(text) : 0;
    return *out >= 0 ? 0
                     : gy_fail(err, GY_EUSAGE, NULL, "--%s %s: no such name; see \"gpuyard help predict collective\"",
                               option, text);
}

static int request_of(const struct gy_cli *cli, struct request *r, struct gy_error *err)
{
    const char *op = gy_cli_get(cli, K_OP), *hw = gy_cli_get(cli, K_HARDWARE), *bytes = gy_cli_get(cli, K_BYTES);
    const char *nodes = gy_cli_get(cli, K_NODES), *gpus = gy_cli_get(cli, K_GPUS), *fabric = gy_cli_get(cli, K_FABRIC);
    const char *cal = gy_cli_get(cli, K_CALIBRATION), *nics = gy_cli_get(cli, K_NICS);
    int o, a, p;
    uint32_t ports = 0;
    if (!op || !hw || !bytes)
        return gy_fail(err, GY_EUSAGE, NULL, "predict collective needs --op, --hardware and --bytes");
    if (word("op", op, gy_coll_op_of, &o, err) || word("algo", gy_cli_get(cli, K_ALGO), gy_coll_algo_of, &a, err) ||
        word("proto", gy_cli_get(cli, K_PROTO), gy_coll_proto_of, &p, err))
        return -1;
    r->q = (struct gy_coll_query){
        .op = (enum gy_coll_op)o, .algo = (enum gy_coll_algo)a, .proto = (enum gy_coll_proto)p, .nodes = 1};
    if (!(r->q.hw = gy_hw_find(hw, &r->arena, err)))
        return -1;
    r->q.gpus_per_node = (uint32_t)r->q.hw->gpus.value;
    if ((nodes && whole("nodes", nodes, &r->q.nodes, err)) || (nics && whole("nics", nics, &ports, err)) ||
        (gpus && take_gpus(r, gpus, err)) || take_bytes(r, bytes, err))
        return -1;
    r->q.nics = ports;
    if ((r->q.nodes > 1 || fabric) &&
        !(r->q.fabric = gy_fabric_find(fabric ? fabric : r->q.hw->fabric, &r->arena, err)))
        return -1;
    if (gy_coll_check(&r->q, err))
        return -1;
    r->calibrated = !cal || strcmp(cal, "none") != 0;
    return r->calibrated ? gy_calibration_load(&r->cal, cal, err) : 0;
}

static void model_error(struct gy_json_out *o, const struct gy_coll_basis *a)
{
    if (!a->system) {
        gy_jo_string(o, "model_error", "uncalibrated");
        return;
    }
    gy_jo_object(o, "model_error");
    gy_jo_number(o, "median", a->median);
    gy_jo_number(o, "p95", a->p95);
    gy_jo_string(o, "left_out", gy_coll_error_name(a->of));
    gy_jo_string(o, "basis", a->system);
    gy_jo_number(o, "trust", round(a->trust * 1000) / 1000);
    gy_jo_end(o, '}');
}

static void answer_json(struct gy_json_out *o, const struct request *r, double bytes, const struct gy_coll_answer *a)
{
    gy_jo_object(o, NULL);
    gy_jo_string(o, "op", gy_coll_op_name(r->q.op));
    gy_jo_number(o, "bytes", bytes);
    gy_jo_integer(o, "ranks", a->r.ranks);
    gy_jo_integer(o, "nodes", a->r.nodes);
    gy_jo_number(o, "time_us", a->r.time_s * 1e6);
    gy_jo_number(o, "algbw_gbps", a->r.algbw_gbps);
    gy_jo_number(o, "busbw_gbps", a->r.busbw_gbps);
    gy_jo_string(o, "algorithm", gy_coll_algo_name(a->r.algo));
    gy_jo_string(o, "protocol", gy_coll_proto_name(a->r.proto));
    gy_jo_string(o, "bound_by", gy_coll_bound_name(a->r.bound));
    gy_jo_number(o, "nic_bytes", a->r.nic_bytes);
    gy_jo_number(o, "link_bytes", a->r.link_bytes);
    model_error(o, &a->basis);
    gy_jo_end(o, '}');
}

static void answer_text(struct gy_writer *to, double bytes, const struct gy_coll_answer *a)
{
    gy_writer_printf(to, "%15.0f %12.2f %10.2f %10.2f  %-9s %-7s %-8s ", bytes, a->r.time_s * 1e6, a->r.algbw_gbps,
                     a->r.busbw_gbps, gy_coll_algo_name(a->r.algo), gy_coll_proto_name(a->r.proto),
                     gy_coll_bound_name(a->r.bound));
    const struct gy_coll_basis *b = &a->basis;
    static const char *const left_out[] = {"", "sizes", "node counts", "systems"};
    if (!b->system)
        gy_writer_text(to, "uncalibrated\n");
    else if (isnan(b->median))
        gy_writer_printf(to, "not measured (%s), as %s\n", left_out[b->of], b->system);
    else
        gy_writer_printf(to, "%.1f %% (p95 %.0f %%, %s), as %s\n", 100 * b->median, 100 * b->p95, left_out[b->of],
                         b->system);
}

static int answer(const struct gy_cli *cli, const struct request *r, struct gy_writer *to, struct gy_error *err)
{
    struct gy_json_out o = {.to = to, .first = true};
    if (cli->json)
        gy_jo_array(&o, NULL);
    else
        gy_writer_printf(to, "%s over %u ranks on %u node%s of %s%s%s\n%15s %12s %10s %10s  %-9s %-7s %-8s %s\n",
                         gy_coll_op_name(r->q.op), gy_coll_ranks(&r->q), r->q.nodes, r->q.nodes > 1 ? "s" : "",
                         r->q.hw->name, r->q.nodes > 1 ? ", " : "", r->q.nodes > 1 ? r->q.fabric->name : "", "bytes",
                         "time us", "algbw GB/s", "busbw GB/s", "algorithm", "proto", "bound by", "error held out");
    for (size_t i = 0; i < r->bytes.n; i++) {
        struct gy_coll_answer a;
        if (gy_coll_predict(r->calibrated ? &r->cal : NULL, &r->q, r->bytes.at[i], NULL, &a, err))
            return -1;
        if (cli->json)
            answer_json(&o, r, r->bytes.at[i], &a);
        else
            answer_text(to, r->bytes.at[i], &a);
    }
    if (cli->json) {
        gy_jo_end(&o, ']');
        gy_writer_text(to, "\n");
    }
    return 0;
}

int gy_verb_predict_collective(struct gy_cli *cli)
{
    struct gy_error err = {0};
    struct request *r = calloc(1, sizeof *r);
    int rc = r ? request_of(cli, r, &err) : gy_nomem(&err);
    struct gy_writer *to = rc ? NULL : gy_writer_open("-", &err);
    if (to) {
        rc = answer(cli, r, to, &err);
        if (rc)
            gy_writer_abandon(to);
        else
            rc = gy_writer_commit(to, &err);
    } else
        rc = -1;
    if (r) {
        gy_vec_free(&r->bytes);
        gy_vec_free(&r->gpus);
        if (r->calibrated)
            gy_calibration_free(&r->cal);
        gy_arena_free(&r->arena);
        free(r);
    }
    return rc ? gy_cli_fail(&err) : 0;
}
