/* Reading the tables of a run folder: CSV as gpuyard itself writes it (RFC 4180). Not a reader of other people's CSV,
 * which is in traces/. */
#include <stdlib.h>
#include <string.h>
#include "gy_file.h"
#include "gy_history.h"

#define COLUMNS_MAX 64
#define FIELD_MAX   (64u << 20) /* a row longer than this is not one of ours */

struct rows {
    struct gy_input *in;
    unsigned char buf[65536];
    size_t at, n;
    uint64_t line;
    GY_VEC(char) text;   /* of one row: fields with a NUL after each */
    GY_VEC(size_t) from; /* where each begins */
};

static int next_byte(struct rows *r, struct gy_error *err)
{
    if (r->at == r->n) {
        const long got = gy_input_read(r->in, r->buf, sizeof r->buf, err);
        if (got <= 0)
            return got == 0 ? -1 : -2;
        r->at = 0;
        r->n = (size_t)got;
    }
    return r->buf[r->at++];
}

static bool put(struct rows *r, int c)
{
    return r->text.n < FIELD_MAX && gy_vec_push(&r->text, (char)c);
}

/* 1: a row; 0: the end; -1 with err. */
static int next_row(struct rows *r, struct gy_error *err)
{
    bool quoted = false, any = false, closed = false;
    int c;

    gy_vec_clear(&r->text);
    gy_vec_clear(&r->from);
    if (!gy_vec_push(&r->from, 0))
        return gy_nomem(err);
    while ((c = next_byte(r, err)) >= 0) {
        bool good = true;
        any = true;
        if (quoted) {
            if (c == '"')
                quoted = false, closed = true;
            else
                good = put(r, c);
        } else if (c == '"') {
            if (closed) /* a doubled quote */
                good = put(r, c);
            quoted = true;
        } else if (c == ',') {
            good = put(r, 0) && gy_vec_push(&r->from, r->text.n);
        } else if (c == '\n') {
            break;
        } else if (c != '\r') {
            good = put(r, c);
        }
        if (!quoted && c != '"')
            closed = false;
        if (!good)
            return gy_nomem(err);
    }
    r->line++;
    if (c == -2)
        return -1;
    if (!any)
        return 0;
    return put(r, 0) ? 1 : gy_nomem(err);
}

static int find_columns(struct rows *r, const char *path, const char *const *columns, size_t n, size_t *where,
                        struct gy_error *err)
{
    for (size_t i = 0; i < n; i++) {
        where[i] = SIZE_MAX;
        for (size_t k = 0; k < r->from.n; k++)
            if (strcmp(r->text.at + r->from.at[k], columns[i]) == 0)
                where[i] = k;
        if (where[i] == SIZE_MAX)
            return gy_fail(err, GY_EINPUT, path, "no column \"%s\"", columns[i]);
    }
    return 0;
}

static int read_all(struct rows *r, const char *path, const char *const *columns, size_t n,
                    int (*fn)(void *, const char *const *, struct gy_error *), void *ctx, struct gy_error *err)
{
    size_t where[COLUMNS_MAX];
    const char *field[COLUMNS_MAX];
    int rc = next_row(r, err);

    if (rc <= 0)
        return rc < 0 ? rc : gy_fail(err, GY_EINPUT, path, "the file is empty");
    const size_t width = r->from.n;
    if (find_columns(r, path, columns, n, where, err))
        return -1;
    while ((rc = next_row(r, err)) > 0) {
        if (r->from.n != width)
            return gy_fail(err, GY_EINPUT, path, "line %llu: found %zu fields; expected %zu",
                           (unsigned long long)r->line, r->from.n, width);
        for (size_t i = 0; i < n; i++)
            field[i] = r->text.at + r->from.at[where[i]];
        if ((rc = fn(ctx, field, err)) != 0)
            return rc;
    }
    return rc;
}

int gy_rows_read(const char *path, const char *const *columns, size_t n,
                 int (*fn)(void *ctx, const char *const *field, struct gy_error *err), void *ctx, struct gy_error *err)
{
    struct rows *r = calloc(1, sizeof *r);
    int rc = -1;

    if (!r || n > COLUMNS_MAX) {
        free(r);
        return gy_nomem(err);
    }
    r->in = gy_input_open(path, err);
    if (r->in)
        rc = read_all(r, path, columns, n, fn, ctx, err);
    gy_input_close(r->in);
    gy_vec_free(&r->text);
    gy_vec_free(&r->from);
    free(r);
    return rc;
}
