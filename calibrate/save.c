/* Writing a calibration file: parameters, intervals, errors and provenance; no measured tables. */
#include <math.h>
#include "gy_file.h"
#include "gy_fit.h"
#include "gy_json.h"

/* Four significant digits: more would pretend. */
static double digits(double v)
{
    if (!isfinite(v) || v == 0)
        return v;
    double unit = pow(10, 3 - floor(log10(fabs(v))));
    return unit >= 1 ? round(v * unit) / unit : round(v / (1 / unit)) * (1 / unit);
}

static void write_curve(struct gy_json_out *o, const struct gy_curve *c)
{
    gy_jo_object(o, NULL);
    gy_jo_string(o, "system", c->system);
    gy_jo_string(o, "hardware", c->at.hw->name);
    gy_jo_string(o, "fabric", c->at.fabric ? c->at.fabric->name : "");
    gy_jo_integer(o, "nodes", c->at.nodes);
    gy_jo_integer(o, "gpus_per_node", c->at.gpus_per_node);
    if (c->at.nics > 0)
        gy_jo_number(o, "nics", c->at.nics);
    if (c->at.nic_gbit > 0)
        gy_jo_number(o, "nic_gbit", c->at.nic_gbit);
    gy_jo_string(o, "op", gy_coll_op_name(c->at.op));
    gy_jo_string(o, "algo", gy_coll_algo_name(c->at.algo));
    gy_jo_string(o, "proto", gy_coll_proto_name(c->at.proto));
    gy_jo_string(o, "dtype", c->dtype);
    gy_jo_string(o, "timing", c->timing);
    gy_jo_string(o, "library", c->library);
    gy_jo_string(o, "source", c->source);
    gy_jo_integer(o, "rows", c->rows);
    gy_jo_number(o, "residual_median", digits(c->fit_median));
    if (!isnan(c->error_median)) {
        gy_jo_number(o, "holdout_median", digits(c->error_median));
        gy_jo_number(o, "holdout_p95", digits(c->error_p95));
    }
    if (c->tail_beta_gbps > 0) {
        gy_jo_number(o, "tail_alpha_us", digits(c->tail_alpha_us));
        gy_jo_number(o, "tail_beta_gbps", digits(c->tail_beta_gbps));
    }
    bool was = o->compact;
    gy_jo_array(o, "bytes");
    o->compact = true;
    for (size_t i = 0; i < c->n; i++)
        gy_jo_number(o, NULL, round(exp2(c->log2_bytes[i])));
    gy_jo_end(o, ']');
    o->compact = was;
    gy_jo_array(o, "time_us");
    o->compact = true;
    for (size_t i = 0; i < c->n; i++)
        gy_jo_number(o, NULL, digits(exp(c->log_us[i])));
    gy_jo_end(o, ']');
    o->compact = was;
    gy_jo_array(o, "ci95");
    o->compact = true;
    for (size_t i = 0; i < c->n; i++)
        gy_jo_number(o, NULL, round(c->ci95[i] * 1e4) / 1e4);
    gy_jo_end(o, ']');
    o->compact = was;
    gy_jo_end(o, '}');
}

static void write_gemm(struct gy_json_out *o, const struct gy_gemm_model *g)
{
    gy_jo_object(o, NULL);
    gy_jo_string(o, "hardware", g->hardware);
    gy_jo_string(o, "dtype", gy_precision_name((enum gy_precision)g->dtype));
    gy_jo_string(o, "source", g->source);
    gy_jo_integer(o, "rows", g->rows);
    gy_jo_number(o, "holdout_median", digits(g->error_median));
    gy_jo_number(o, "holdout_p95", digits(g->error_p95));
    gy_jo_array(o, "parameters");
    bool was = o->compact;
    o->compact = true;
    for (int i = 0; i < GY_GEMM_PARAMETERS; i++)
        gy_jo_number(o, NULL, digits(g->p[i]));
    gy_jo_end(o, ']');
    o->compact = was;
    gy_jo_end(o, '}');
}

int gy_calibration_save(const struct gy_calibration *c, const char *path, struct gy_error *err)
{
    struct gy_writer *w = gy_writer_open(path, err);
    if (!w)
        return -1;
    struct gy_json_out o = {.to = w, .first = true};
    gy_jo_object(&o, NULL);
    gy_jo_string(&o, "format", "gpuyard-calibration-1");
    gy_jo_string(&o, "name", c->name);
    gy_jo_string(&o, "summary", c->summary);
    gy_jo_array(&o, "holdout");
    for (size_t i = 0; i < c->errors.n; i++) {
        const struct gy_error_row *e = &c->errors.at[i];
        gy_jo_object(&o, NULL);
        gy_jo_string(&o, "kind", e->kind);
        gy_jo_string(&o, "key", e->key);
        gy_jo_integer(&o, "rows", e->rows);
        gy_jo_number(&o, "median", digits(e->median));
        gy_jo_number(&o, "p95", digits(e->p95));
        gy_jo_number(&o, "worst", digits(e->worst));
        gy_jo_end(&o, '}');
    }
    gy_jo_end(&o, ']');
    gy_jo_array(&o, "curves");
    for (size_t i = 0; i < c->curves.n; i++)
        write_curve(&o, &c->curves.at[i]);
    gy_jo_end(&o, ']');
    gy_jo_array(&o, "gemm");
    for (size_t i = 0; i < c->gemms.n; i++)
        write_gemm(&o, &c->gemms.at[i]);
    gy_jo_end(&o, ']');
    gy_jo_end(&o, '}');
    gy_writer_text(w, "\n");
    return gy_writer_commit(w, err);
}
