/* Recordings of real Slurm as tests read them: jobs, attempts, controller events and backfill plans of one folder of
 * ../shared/data/slurm. Only for tests; the files hold no quotes in quotes and no newlines in fields. */
#ifndef SLURM_RECORD_H
#define SLURM_RECORD_H
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gy_file.h"
#include "gy_vec.h"

#define SLURM_DATA  GY_SOURCE_DIR "/../shared/data/slurm/"
#define REC_CLOCK_S 0.002 /* a pass reads its clock so long after its begin is logged */
enum { REC_COLUMNS = 40, REC_NAME = 24 };

struct rec_table {
    char *text;
    char *column[REC_COLUMNS];
    size_t columns;
    GY_VEC(char **) rows;
};

static inline size_t rec_split(char *line, char **out)
{
    size_t n = 0;
    for (char *p = line;; p++) {
        if (*p == '"') {
            out[n++] = ++p;
            p = strchr(p, '"');
            *p++ = '\0';
        } else {
            out[n++] = p;
            p += strcspn(p, ",");
        }
        const char stop = *p;
        *p = '\0';
        if (stop != ',' || n == REC_COLUMNS)
            return n;
    }
}

static inline void rec_read(struct rec_table *t, const char *folder, const char *file)
{
    char path[1024];
    struct gy_error err;
    snprintf(path, sizeof path, SLURM_DATA "%s/%s", folder, file);
    memset(t, 0, sizeof *t);
    t->text = gy_file_slurp(path, 1 << 28, NULL, NULL, &err);
    cr_assert_not_null(t->text, "%s: %s", path, err.what);
    char *save, *line = strtok_r(t->text, "\r\n", &save);
    t->columns = rec_split(line, t->column);
    while ((line = strtok_r(NULL, "\r\n", &save))) {
        char *parts[REC_COLUMNS] = {0};
        const size_t n = rec_split(line, parts);
        cr_assert_leq(n, t->columns);
        char **row = calloc(t->columns + 1, sizeof *row);
        memcpy(row, parts, n * sizeof *row);
        cr_assert(gy_vec_push(&t->rows, row));
    }
}

static inline size_t rec_column(const struct rec_table *t, const char *name)
{
    for (size_t i = 0; i < t->columns; i++)
        if (strcmp(t->column[i], name) == 0)
            return i;
    cr_assert_fail("no column %s", name);
    return 0;
}

static inline const char *rec_at(const struct rec_table *t, size_t row, const char *name)
{
    const char *at = t->rows.at[row][rec_column(t, name)];
    return at ? at : "";
}

static inline void rec_free(struct rec_table *t)
{
    for (size_t i = 0; i < t->rows.n; i++)
        free(t->rows.at[i]);
    gy_vec_free(&t->rows);
    free(t->text);
}

/* "n[1-2,4]" or "n1 n2" of nodes n1…n64 as bits. */
static inline uint64_t rec_nodes(const char *text)
{
    uint64_t set = 0;
    for (const char *p = text; *p;) {
        if (*p < '0' || *p > '9') {
            p++;
            continue;
        }
        char *stop;
        unsigned long a = strtoul(p, &stop, 10), b = a;
        if (*stop == '-')
            b = strtoul(stop + 1, &stop, 10);
        for (; a <= b && a >= 1 && a <= 64; a++)
            set |= UINT64_C(1) << (a - 1);
        p = stop;
    }
    return set;
}

static inline bool rec_have(const char *folder)
{
    char path[1024];
    snprintf(path, sizeof path, SLURM_DATA "%s/jobs.csv", folder);
    FILE *f = fopen(path, "r");
    if (!f) {
        fprintf(stderr, "SKIP: %s is not there\n", path);
        return false;
    }
    fclose(f);
    return true;
}
#endif
