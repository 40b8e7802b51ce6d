/* Random tables and random dependency graphs against naive twins. Every case prints its seed when it fails. */
#include <stdlib.h>
#include "../unit/traces_help.h"
#include "csv_rows.h"
#include "gy_stream.h"

/* Fields of any bytes but NUL, written by the CSV writer with every field quoted or by need, read back the same. Rows
 * of up to a few hundred kB, so that they lie across the chunks in which the file is read. */
Test(traces_twins, any_fields_survive_writing_and_reading)
{
    static const char alphabet[] = "ab, \"\n\t;x\r";

    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct gy_stream s;
        struct gy_error err = {0};
        cr_assert(gy_stream_init(&s, seed, "test"));
        size_t rows = 1 + gy_stream_below(&s, 6), columns = 1 + gy_stream_below(&s, 5),
               most = seed % 10 == 0 ? 60000 : 12;
        char **field = calloc(rows * columns, sizeof *field);
        struct gy_writer *w = gy_writer_open(NULL, &err);
        for (size_t i = 0; i < rows * columns; i++) {
            size_t len = 1 + gy_stream_below(&s, most);
            field[i] = calloc(len + 1, 1);
            for (size_t c = 0; c < len; c++)
                field[i][c] = alphabet[gy_stream_below(&s, sizeof alphabet - 1)];
            if (i % columns > 0)
                gy_writer_text(w, ",");
            gy_writer_text(w, "\"");
            for (const char *c = field[i]; *c != '\0'; c++)
                gy_writer_printf(w, *c == '"' ? "\"\"" : "%c", *c);
            gy_writer_text(w, i % columns + 1 == columns ? "\"\n" : "\"");
        }
        size_t len;
        const char *text = gy_writer_memory(w, &len);
        struct gy_input *in = gy_input_memory("x", text, len, &err);
        struct gy_csv *c = gy_csv_new(in, ',', &err);
        uint64_t line = 1;
        for (size_t r = 0; r < rows; r++) {
            cr_assert_eq(gy_csv_next(c, &err), 1, "seed %d row %zu", (int)seed, r);
            cr_assert_eq(gy_csv_fields(c), columns);
            cr_assert_eq(gy_csv_line(c), line, "seed %d row %zu", (int)seed, r);
            for (size_t k = 0; k < columns; k++) {
                const char *want = field[r * columns + k];
                cr_assert_str_eq(gy_csv_field(c, k).at, want, "seed %d row %zu column %zu", (int)seed, r, k);
                for (; *want != '\0'; want++)
                    line += *want == '\n';
            }
            line++;
        }
        cr_assert_eq(gy_csv_next(c, &err), 0);
        gy_csv_free(c);
        gy_input_close(in);
        gy_writer_abandon(w);
        for (size_t i = 0; i < rows * columns; i++)
            free(field[i]);
        free(field);
        gy_stream_free(&s);
    }
}

/* A line without quotes is cut in place; the same line behind a quoted field goes through libcsv. */
Test(traces_twins, both_ways_of_cutting_a_line_agree)
{
    static const char alphabet[] = "ab,, \t;.";
    struct gy_stream s;

    cr_assert(gy_stream_init(&s, 5, "test"));
    for (int i = 0; i < 3000; i++) {
        char line[40], text[128];
        size_t len = gy_stream_below(&s, sizeof line - 2), n;
        struct gy_error err = {0};
        char delimiter = ",;\t"[gy_stream_below(&s, 3)];
        for (size_t c = 0; c < len; c++)
            line[c] = alphabet[gy_stream_below(&s, sizeof alphabet - 1)];
        line[len] = '\0';
        n = (size_t)snprintf(text, sizeof text, "x%c%s\n\"x\"%c%s%s", delimiter, line, delimiter, line,
                             i % 2 ? "\n" : "\r\n");
        struct gy_input *in = gy_input_memory("x", text, n, &err);
        struct gy_csv *c = gy_csv_new(in, delimiter, &err);
        char first[400];
        size_t k = 0;
        cr_assert_eq(gy_csv_next(c, &err), 1);
        size_t fields = gy_csv_fields(c);
        for (size_t f = 0; f < fields; f++)
            k +=
                (size_t)snprintf(first + k, sizeof first - k, "[%s]%zu", gy_csv_field(c, f).at, gy_csv_field(c, f).len);
        cr_assert_eq(gy_csv_next(c, &err), 1);
        cr_assert_eq(gy_csv_fields(c), fields, "\"%s\"", line);
        char second[400];
        k = 0;
        for (size_t f = 0; f < fields; f++)
            k += (size_t)snprintf(second + k, sizeof second - k, "[%s]%zu", gy_csv_field(c, f).at,
                                  gy_csv_field(c, f).len);
        cr_assert_str_eq(first, second, "\"%s\"", line);
        gy_csv_free(c);
        gy_input_close(in);
    }
    gy_stream_free(&s);
}

#define N 12

/* A row goes exactly when it waits for itself or can reach itself over other rows that do not wait for themselves. */
static void twin(bool edge[N][N], bool gone[N])
{
    bool reach[N][N];

    for (int i = 0; i < N; i++)
        gone[i] = edge[i][i];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            reach[i][j] = edge[i][j] && !gone[i] && !gone[j];
    for (int k = 0; k < N; k++)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                reach[i][j] = reach[i][j] || (reach[i][k] && reach[k][j]);
    for (int i = 0; i < N; i++)
        gone[i] = gone[i] || reach[i][i];
}

Test(traces_twins, circles_are_found_exactly)
{
    size_t circles = 0;

    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct gy_stream s;
        bool edge[N][N] = {{false}}, gone[N];
        char text[4096];
        size_t n = (size_t)snprintf(text, sizeof text, "job_id,submit_s,duration_s,gpus,depends_on\n");
        cr_assert(gy_stream_init(&s, seed, "test"));
        for (int i = 0; i < N; i++) {
            n += (size_t)snprintf(text + n, sizeof text - n, "%d,0,1,1,", i);
            for (int j = 0; j < N; j++) {
                edge[i][j] = gy_stream_below(&s, i == j ? 60 : 14) == 0;
                if (edge[i][j])
                    n += (size_t)snprintf(text + n, sizeof text - n, "%d;", j);
            }
            n += (size_t)snprintf(text + n, sizeof text - n, "\n");
        }
        n += (size_t)snprintf(text + n, sizeof text - n, "99,0,1,1,\n"); /* so that the trace is never empty */
        twin(edge, gone);
        struct gy_trace *t = load_text(NULL, text);
        bool kept[N] = {false};
        for (size_t i = 0; i < t->jobs.n; i++)
            if (t->jobs.at[i].number < N)
                kept[t->jobs.at[i].number] = true;
        for (int i = 0; i < N; i++) {
            cr_assert_eq(kept[i], !gone[i], "seed %d job %d\n%s", (int)seed, i, text);
            circles += gone[i];
        }
        gy_trace_free(t);
        gy_stream_free(&s);
    }
    cr_expect_gt(circles, 400); /* the graphs are such that it matters */
    cr_expect_lt(circles, 4400);
}
