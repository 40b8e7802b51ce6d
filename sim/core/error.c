/* Errors as values, and their printing. Not a log, and nothing here exits. */
#include <string.h>
#include "gy_error.h"

static const struct {
    int status;
    const char *text;
} codes[] = {
#define X(code, status, text) [code] = {status, text},
    GY_CODES(X)
#undef X
};

/* vsnprintf that marks a text cut short by "..." and does not cut inside a UTF-8 character. */
static void print_into(char *buf, size_t size, const char *fmt, va_list ap)
{
    int len = vsnprintf(buf, size, fmt, ap);

    if (len < 0)
        buf[0] = '\0';
    if (len < 0 || (size_t)len < size)
        return;
    size_t end = size - 4;
    while (end > 0 && (buf[end] & 0xc0) == 0x80)
        end--;
    memcpy(buf + end, "...", 4);
}

int gy_fail(struct gy_error *err, enum gy_code code, const char *place, const char *fmt, ...)
{
    struct gy_error next = {.code = code}; /* the arguments may point into *err */
    va_list ap;

    if (place != NULL)
        snprintf(next.place, sizeof next.place, "%s", place);
    va_start(ap, fmt);
    print_into(next.what, sizeof next.what, fmt, ap);
    va_end(ap);
    *err = next;
    return -1;
}

int gy_nomem(struct gy_error *err)
{
    return gy_fail(err, GY_ENOMEM, NULL, "out of memory");
}

int gy_hint(struct gy_error *err, const char *fmt, ...)
{
    char hint[sizeof err->hint];
    va_list ap;

    va_start(ap, fmt);
    print_into(hint, sizeof hint, fmt, ap);
    va_end(ap);
    memcpy(err->hint, hint, sizeof hint);
    return -1;
}

int gy_exit_status(enum gy_code code)
{
    return (size_t)code < sizeof codes / sizeof *codes ? codes[code].status : codes[GY_EINTERNAL].status;
}

const char *gy_code_text(enum gy_code code)
{
    return (size_t)code < sizeof codes / sizeof *codes ? codes[code].text : codes[GY_EINTERNAL].text;
}

static void print_visible(FILE *to, const char *text)
{
    char shown[8 * sizeof((struct gy_error *)0)->what];

    gy_visible(text, strlen(text), shown, sizeof shown);
    fputs(shown, to);
}

void gy_error_print(FILE *to, const char *program, const struct gy_error *err)
{
    if (program != NULL && program[0] != '\0')
        fprintf(to, "%s: ", program);
    if (err->place[0] != '\0') {
        print_visible(to, err->place);
        fputs(": ", to);
    }
    print_visible(to, err->what[0] != '\0' ? err->what : gy_code_text(err->code));
    if (err->hint[0] != '\0') {
        fputs("; ", to);
        print_visible(to, err->hint);
    }
    fputc('\n', to);
}

void gy_diags_add(struct gy_diags *d, const struct gy_error *err)
{
    d->total++;
    if (d->shown < GY_DIAGS_MAX)
        d->at[d->shown++] = *err;
}

void gy_diags_print(FILE *to, const char *program, const struct gy_diags *d)
{
    for (size_t i = 0; i < d->shown; i++)
        gy_error_print(to, program, &d->at[i]);
    if (d->total > d->shown)
        fprintf(to, "%s%sand %zu more\n", program == NULL ? "" : program, program == NULL || !program[0] ? "" : ": ",
                d->total - d->shown);
}
