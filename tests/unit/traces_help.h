/* For the tests of traces: load a text as if it were a file. */
#ifndef TRACES_HELP_H
#define TRACES_HELP_H
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "gy_file.h"
#include "gy_trace.h"

/* NULL with the error in *err. o may be NULL; second may be NULL. */
static inline struct gy_trace *load_text2(const char *format, const char *text, const char *second,
                                          const struct gy_trace_options *o, struct gy_error *err)
{
    struct gy_trace_options options = GY_TRACE_OPTIONS_INIT;
    struct gy_trace *t = NULL;
    struct gy_input *in2 = NULL;

    if (o != NULL)
        options = *o;
    options.format = format;
    memset(err, 0, sizeof *err);
    struct gy_input *in = gy_input_memory("t.csv", text, strlen(text), err);
    cr_assert_not_null(in);
    if (second != NULL)
        in2 = gy_input_memory("u.csv", second, strlen(second), err);
    int done = gy_trace_load_input(&options, in, in2, NULL, &t, err);
    gy_input_close(in);
    if (in2 != NULL)
        gy_input_close(in2);
    cr_assert((done == 0) == (t != NULL));
    if (t != NULL) {
        uint64_t skipped = 0;
        for (size_t i = 0; i < t->skips.n; i++)
            skipped += t->skips.at[i].count;
        cr_assert_eq(t->rows_read, t->rows_kept + skipped, "%llu read, %llu kept, %llu skipped",
                     (unsigned long long)t->rows_read, (unsigned long long)t->rows_kept, (unsigned long long)skipped);
        cr_assert_eq(t->rows_kept, t->jobs.n);
    }
    return t;
}

static inline struct gy_trace *load_text(const char *format, const char *text)
{
    struct gy_error err;
    struct gy_trace *t = load_text2(format, text, NULL, NULL, &err);

    cr_assert_not_null(t, "%s: %s; %s", err.place, err.what, err.hint);
    return t;
}

static inline const char *str_of(const struct gy_trace *t, gy_str s)
{
    return gy_strings_text(t->strings, s);
}

/* The skip (or note) of that reason; fails when there is none. */
static inline const struct gy_trace_skip *why_of(const struct gy_trace_skips *list, const char *why)
{
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->at[i].why, why) == 0)
            return &list->at[i];
    for (size_t i = 0; i < list->n; i++)
        printf("have: %s (%llu) %s\n", list->at[i].why, (unsigned long long)list->at[i].count, list->at[i].first);
    cr_assert_fail("no \"%s\"", why);
    return NULL;
}

/* Path of a data file; NULL, said aloud, where the data is not there. */
static inline const char *data_path(const char *name)
{
    static char path[1024];

    snprintf(path, sizeof path, "%s/../shared/data/traces/%s", GY_SOURCE_DIR, name);
    if (access(path, R_OK) == 0)
        return path;
    printf("SKIP: no %s\n", path);
    return NULL;
}
#endif
