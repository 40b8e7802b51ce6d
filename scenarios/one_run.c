/* One simulation in memory, from a loaded scenario to a finished account. */
#include "gy_one_run.h"
#include <stdlib.h>
#include <string.h>
#include "gy_network.h"

static struct gy_entitlement *entitlements(const struct gy_scenario *sc, const struct gy_inputs *in, size_t *n)
{
    struct gy_entitlement *e = calloc(sc->n_teams + 1, sizeof *e);
    *n = 0;
    for (size_t i = 0; e && i < sc->n_teams; i++) {
        const gy_str id = gy_strings_find(in->strings, sc->teams[i].name, strlen(sc->teams[i].name));
        if (id != GY_STR_FAIL)
            e[(*n)++] = (struct gy_entitlement){id, sc->teams[i].share};
    }
    return e;
}

static int simulate(const struct gy_scenario *sc, const struct gy_inputs *in, const volatile int *stop_flag,
                    struct gy_account *account, struct gy_error *err)
{
    struct gy_sim_config config = {0};
    struct gy_network *network;
    struct gy_sim_result result;
    if (gy_inputs_config(sc, in, &config, &network, err)) {
        gy_inputs_config_free(&config, network);
        return -1;
    }
    config.stop_flag = stop_flag;
    config.sample_every = GY_NEVER;
    const struct gy_observer observer = gy_account_observer(account);
    int rc = gy_sim_run(&config, &observer, 1, &result, err);
    if (rc == 0 && network)
        gy_network_tell(network, &result, account);
    gy_inputs_config_free(&config, network);
    if (rc == 0 && result.partial)
        return 1;
    return rc == 0 ? gy_account_finish(account, &result, err) : -1;
}

int gy_one_run(const struct gy_scenario *sc, const struct gy_inputs *in, bool groups, const volatile int *stop_flag,
               gy_one_run_take *take, void *ctx, struct gy_error *err)
{
    struct gy_account_options o = {
        .cluster = &in->cluster, .strings = in->strings, .network = sc->fidelity != 0, .groups = groups};
    struct gy_entitlement *e = entitlements(sc, in, &o.n_entitlements);
    struct gy_account *account = NULL;
    double *prices = NULL;
    int rc = e ? gy_scenario_prices(sc, in, &prices, err) : gy_nomem(err);
    o.entitlements = e;
    o.prices = prices;
    if (rc == 0 && !(account = gy_account_new(&o, err)))
        rc = -1;
    if (rc == 0)
        rc = simulate(sc, in, stop_flag, account, err);
    if (rc == 0)
        rc = take(ctx, account, err);
    gy_account_free(account);
    free(prices);
    free(e);
    return rc;
}
