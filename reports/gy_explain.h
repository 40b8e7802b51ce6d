/* Why a run used no more of its cluster, and why a job waited. Facts only: what stood in the run folder, and what
 * follows from it by counting. Texts of the run are shown with control bytes made visible. */
#ifndef GY_EXPLAIN_H
#define GY_EXPLAIN_H
#include "gy_history.h"

struct gy_writer;
/* The unused GPU-hours by cause, with their sum beside free + down. 0, or -1 with err when the run has no such metrics.
 */
int gy_explain_run(const struct gy_run *run, bool json, struct gy_writer *to, struct gy_error *err);
/* The life of a job. 0, or -1 with err: no such job. */
int gy_explain_job(const struct gy_run *run, const char *id, bool json, struct gy_writer *to, struct gy_error *err);
/* One sentence for a reason word of a policy, or the word itself. */
const char *gy_explain_reason(const char *word);
#endif
