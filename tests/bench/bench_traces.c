/* Speed of reading traces as ratios taken in one run: our rows against libcsv alone over the same bytes (budget: half
 * of its speed or better), a whole load against our rows, and the two generators. Best of five. */
#include <csv.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "csv_rows.h"
#include "gy_file.h"
#include "gy_generate.h"

#define ROUNDS 5
#define CHUNK  ((size_t)65536)

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void on_field(void *text, size_t len, void *sum)
{
    (void)text;
    *(size_t *)sum += len;
}

static void on_row(int by, void *sum)
{
    (void)by;
    (void)sum;
}

static size_t by_libcsv(const char *text, size_t len)
{
    struct csv_parser p;
    size_t sum = 0;

    if (csv_init(&p, 0) != 0)
        return 0;
    for (size_t i = 0; i < len; i += CHUNK)
        csv_parse(&p, text + i, len - i < CHUNK ? len - i : CHUNK, on_field, on_row, &sum);
    csv_fini(&p, on_field, on_row, &sum);
    csv_free(&p);
    return sum;
}

static size_t by_rows(const char *text, size_t len)
{
    struct gy_error err;
    struct gy_input *in = gy_input_memory("bench", text, len, &err);
    struct gy_csv *c = in == NULL ? NULL : gy_csv_new(in, ',', &err);
    size_t sum = 0;

    while (c != NULL && gy_csv_next(c, &err) == 1)
        for (size_t i = 0; i < gy_csv_fields(c); i++)
            sum += gy_csv_field(c, i).len;
    gy_csv_free(c);
    if (in != NULL)
        gy_input_close(in);
    return sum;
}

static size_t by_load(const char *text, size_t len)
{
    struct gy_trace_options o = GY_TRACE_OPTIONS_INIT;
    struct gy_error err;
    struct gy_trace *t = NULL;
    struct gy_input *in = gy_input_memory("bench", text, len, &err);

    if (in == NULL || gy_trace_load_input(&o, in, NULL, NULL, &t, &err) < 0)
        return 0;
    size_t jobs = t->jobs.n;
    gy_trace_free(t);
    gy_input_close(in);
    return jobs;
}

static size_t by_stream(const char *text, size_t jobs)
{
    const struct gy_bench p = {.jobs = jobs, .seed = 1, .gpus = 10000, .load = 0.9};
    struct gy_source s;
    struct gy_error err;
    struct gy_job_rec rec;
    size_t n = 0;

    (void)text;
    if (gy_bench_source(&p, &s, &err) < 0)
        return 0;
    while (s.next(s.self, &rec, &err) == 1)
        n++;
    gy_bench_source_free(&s);
    return n;
}

static double best(size_t (*run)(const char *text, size_t len), const char *text, size_t len, size_t *result)
{
    double least = 1e9;

    for (int i = 0; i < ROUNDS; i++) {
        double began = now();
        *result = run(text, len);
        double took = now() - began;
        least = took < least ? took : least;
    }
    return least;
}

int main(int argc, char **argv)
{
    struct gy_arena arena = GY_ARENA_INIT;
    struct gy_generate p;
    struct gy_error err = {0};
    struct gy_trace *t;
    size_t len, a = 0, b = 0, jobs = 0, made = 0;

    if (gy_generate_defaults(&p, &arena, &err) < 0)
        return 3;
    p.jobs = argc > 1 ? atol(argv[1]) : 500000;
    double began = now();
    if (gy_trace_generate(&p, NULL, &t, &err) < 0)
        return 3;
    double generated = now() - began;
    struct gy_writer *w = gy_writer_open(NULL, &err);
    if (w == NULL)
        return 3;
    gy_trace_write_csv(t, w);
    const char *text = gy_writer_memory(w, &len);
    double lib = best(by_libcsv, text, len, &a), rows = best(by_rows, text, len, &b),
           load = best(by_load, text, len, &jobs);
    double stream = best(by_stream, NULL, (size_t)p.jobs, &made);
    printf("csv: %.1f MB, libcsv %.0f MB/s, our rows %.0f MB/s: %.2f of libcsv's speed (budget 0.50)\n",
           (double)len / 1e6, (double)len / lib / 1e6, (double)len / rows / 1e6, lib / rows);
    printf("load: %.2f million jobs/s, %.1f x the time of the rows alone\n", (double)jobs / load / 1e6, load / rows);
    printf("generate: %.2f million jobs/s; stream for benchmarks: %.2f million jobs/s\n",
           (double)p.jobs / generated / 1e6, (double)made / stream / 1e6);
    gy_writer_abandon(w);
    gy_trace_free(t);
    gy_arena_free(&arena);
    return a == b && jobs == (size_t)p.jobs && made == jobs ? 0 : 1; /* both read the same fields */
}
