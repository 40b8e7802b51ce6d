/* What the fuzz targets of trace readers share: any bytes as a trace of one format. Whatever is kept must be in order
 * and in range, every row must be accounted for, and what is written as gpuyard CSV must read back as the same jobs. */
#ifndef FUZZ_TRACE_H
#define FUZZ_TRACE_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gy_file.h"
#include "gy_trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(x) ((x) ? (void)0 : must_(#x, __LINE__))

static void must_(const char *what, int line)
{
    fprintf(stderr, "line %d: not so: %s\n", line, what);
    abort();
}

static void check(const struct gy_trace *t)
{
    uint64_t skipped = 0;

    for (size_t i = 0; i < t->skips.n; i++)
        skipped += t->skips.at[i].count;
    MUST(t->rows_kept == t->jobs.n && t->rows_kept > 0 && t->rows_read == t->rows_kept + skipped);
    for (size_t i = 0; i < t->jobs.n; i++) {
        const struct gy_job_rec *j = &t->jobs.at[i];
        MUST(j->row == i && (i == 0 || t->jobs.at[i - 1].submit <= j->submit));
        MUST(j->submit >= 0 && j->submit <= GY_TIME_MAX);
        MUST(j->duration >= 0 && (j->duration <= GY_TIME_MAX || j->duration == GY_NEVER));
        MUST(j->gpus <= GY_TRACE_GPUS_MAX && j->gpu_milli >= 1 && j->gpu_milli <= GY_MILLI);
        MUST(j->limit == GY_NONE || j->limit > 0);
        MUST((size_t)j->dep_first + j->dep_n <= t->deps.n);
        for (uint32_t d = 0; d < j->dep_n; d++) {
            uint32_t row = t->deps.at[j->dep_first + d].row;
            MUST(row == UINT32_MAX || (row < t->jobs.n && row != i && t->jobs.at[row].depended_on));
        }
    }
}

static void read_back(const struct gy_trace *t)
{
    struct gy_trace_options o = GY_TRACE_OPTIONS_INIT;
    struct gy_error err = {0};
    struct gy_writer *w = gy_writer_open(NULL, &err);
    struct gy_trace *back = NULL;
    size_t len;

    MUST(w != NULL);
    gy_trace_write_csv(t, w);
    const char *text = gy_writer_memory(w, &len);
    struct gy_input *in = gy_input_memory("back", text, len, &err);
    MUST(in != NULL);
    o.format = "gpuyard";
    if (t->deps.n == 0) { /* an id may hold the characters that part dependencies */
        MUST(gy_trace_load_input(&o, in, NULL, NULL, &back, &err) == 0);
        MUST(back->jobs.n == t->jobs.n);
        for (size_t i = 0; i < t->jobs.n; i++) {
            const struct gy_job_rec *a = &t->jobs.at[i], *b = &back->jobs.at[i];
            MUST(a->submit == b->submit && a->duration == b->duration && a->gpus == b->gpus && a->limit == b->limit);
            MUST(a->cancel == b->cancel && a->end_state == b->end_state && a->nodes == b->nodes);
            MUST(a->gpus == 0 || a->gpu_milli == b->gpu_milli);
        }
    }
    gy_trace_free(back);
    gy_input_close(in);
    gy_writer_abandon(w);
}

static inline int fuzz_trace(const char *format, const struct gy_json *columns, const uint8_t *data, size_t size,
                             const uint8_t *second, size_t second_size)
{
    struct gy_trace_options o = GY_TRACE_OPTIONS_INIT;
    struct gy_error err = {0};
    struct gy_trace *t = NULL;
    struct gy_input *in = gy_input_memory("f", data, size, &err);
    struct gy_input *in2 = second == NULL ? NULL : gy_input_memory("g", second, second_size, &err);

    o.format = format;
    o.columns = columns;
    o.limit_factor = size % 2 == 1 ? 1.5 : 0;
    if (in != NULL && (second == NULL || in2 != NULL)) {
        if (gy_trace_load_input(&o, in, in2, NULL, &t, &err) == 0) {
            check(t);
            read_back(t);
        } else {
            MUST(t == NULL && err.what[0] != '\0' && err.code != GY_EINTERNAL);
        }
    }
    gy_trace_free(t);
    if (in != NULL)
        gy_input_close(in);
    if (in2 != NULL)
        gy_input_close(in2);
    return 0;
}

#define FUZZ_TRACE(format)                                                                                             \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)                                                       \
    {                                                                                                                  \
        return fuzz_trace(format, NULL, data, size, NULL, 0);                                                          \
    }
#endif
