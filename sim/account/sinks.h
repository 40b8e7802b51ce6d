/* The files that are written as a run goes on; each is fed events and leaving jobs. Shared parts of their rows. */
#ifndef GY_SINKS_H
#define GY_SINKS_H
#include "family.h"
#include "gy_file.h"

void gy_jobs_csv_head(struct gy_writer *w);
int gy_jobs_csv_leave(void *writer_and_text, const struct gy_account *a, const struct gy_view *v,
                      const struct gy_leave *leave, struct gy_error *err);
void gy_timeline_head(struct gy_writer *w);
int gy_timeline_event(void *sink, const struct gy_account *a, const struct gy_view *v, const struct gy_event *e,
                      struct gy_error *err);
int gy_events_event(void *sink, const struct gy_account *a, const struct gy_view *v, const struct gy_event *e,
                    struct gy_error *err);

struct gy_sink { /* self of the above */
    struct gy_writer *to;
    GY_VEC(char) text; /* scratch */
};
/* "n3:0-3;n4:0,1", "n3:2@460" for 460 thousandths of a GPU, "n3" for CPUs alone, into the sink's scratch; NULL: no
 * memory. */
const char *gy_placement_text(struct gy_sink *s, const struct gy_account *a, struct gy_holding h);
uint32_t gy_holding_nodes(struct gy_holding h); /* distinct nodes; shares of a node stand together */
void gy_put_unsigned(struct gy_writer *w, uint64_t x);
/* Exact decimal GPU-seconds; buf ≥ 48 bytes. */
const char *gy_gpu_seconds_print(gy_gpu_time t, char *buf);
#endif
