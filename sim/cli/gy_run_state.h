/* One run of `gpuyard run`, with everything that has to be given back. Shared by verb_run.c and run_facts.c. */
#ifndef GY_RUN_STATE_H
#define GY_RUN_STATE_H
#include "gy_account.h"
#include "gy_cli.h"
#include "gy_engine.h"
#include "gy_folder.h"
#include "gy_network.h"
#include "gy_scenario.h"

struct gy_run_state {
    const struct gy_cli *cli;
    const struct gy_scenario *s;
    struct gy_inputs inputs;
    struct gy_sim_config config;
    struct gy_network *network; /* NULL without one */
    struct gy_entitlement *entitlements;
    double *prices; /* by node, or NULL */
    struct gy_account *account;
    struct gy_folder *folder;
    struct gy_sim_result result;
    struct gy_verdict *verdicts;
    double seconds; /* wall time of the engine */
    struct gy_run_facts facts;
    struct gy_run_input files[12];
    size_t n_files;
    GY_VEC(const char *) command, left_out;
    struct gy_arena arena;
};

/* Fills facts, once the inputs are loaded. */
int gy_run_facts_of(struct gy_run_state *r, struct gy_error *err);
#endif
