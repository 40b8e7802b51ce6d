/* One simulation in memory: what sweep and plan do for each of their points. No files, no progress. */
#ifndef GY_ONE_RUN_H
#define GY_ONE_RUN_H
#include "gy_scenario.h"

/* Told the finished account, which is freed afterwards. 0, or -1 with err. */
typedef int gy_one_run_take(void *ctx, const struct gy_account *account, struct gy_error *err);
/* Runs the scenario on its inputs; groups: with metrics by team, user and so on. Reentrant: inputs are only read.
 * 0; 1: stopped by the flag, take was not called; -1: err. */
int gy_one_run(const struct gy_scenario *sc, const struct gy_inputs *in, bool groups, const volatile int *stop_flag,
               gy_one_run_take *take, void *ctx, struct gy_error *err);
#endif
