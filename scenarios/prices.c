/* Prices of a scenario, node by node, and what its cluster costs an hour. */
#include <stdlib.h>
#include <string.h>
#include "inside.h"

static double price_of(const struct gy_json *prices, const char *type)
{
    const struct gy_json *own = gy_json_get(prices, type);

    return gy_json_number(own != NULL ? own : gy_json_get(prices, "*"));
}

int gy_scenario_prices(const struct gy_scenario *s, const struct gy_inputs *in, double **out, struct gy_error *err)
{
    const struct gy_json *prices = gy_sc_all(s)->prices;
    const size_t n = in->cluster.nodes.n;

    *out = NULL;
    if (prices == NULL || gy_json_count(prices) == 0)
        return 0;
    double *each = malloc((n + 1) * sizeof *each), last = 0;
    gy_str last_type = GY_STR_FAIL;
    if (each == NULL)
        return gy_nomem(err);
    for (size_t i = 0; i < n; i++) {
        const struct gy_node_spec *node = &in->cluster.nodes.at[i];
        const char *type = gy_strings_text(in->cluster.strings, node->gpu_type);
        if (node->gpu_type != last_type)
            last = price_of(prices, type);
        last_type = node->gpu_type;
        each[i] = node->gpus == 0 ? 0 : last;
        if (each[i] >= 0)
            continue;
        free(each);
        return gy_sc_fail(s, err, "/prices", "no price for GPUs of type \"%s\"; give it, or \"*\" for all others",
                          type);
    }
    *out = each;
    return 0;
}

double gy_inputs_usd_per_h(const struct gy_inputs *in, const double *prices)
{
    double usd = 0;

    for (size_t i = 0; prices != NULL && i < in->cluster.nodes.n; i++)
        if (!in->cluster.nodes.at[i].absent)
            usd += prices[i] * in->cluster.nodes.at[i].gpus;
    return usd;
}
