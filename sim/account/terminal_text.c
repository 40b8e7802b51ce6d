/* Numbers, durations and names as a person reads them in a narrow column. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "gy_file.h"
#include "gy_terminal.h"

#define WIDEST 100

struct gy_terminal_style gy_terminal_style_of(FILE *to, bool plain)
{
    const char *term = getenv("TERM"), *no_colour = getenv("NO_COLOR");
    struct gy_terminal_style s = {.terminal = isatty(fileno(to)), .width = WIDEST};
    struct winsize size;

    if (s.terminal && ioctl(fileno(to), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        s.width = size.ws_col < 40 ? 40 : size.ws_col > WIDEST ? WIDEST : size.ws_col;
    s.terminal &= !plain;
    s.colour = s.terminal && (!no_colour || !*no_colour) && (!term || strcmp(term, "dumb") != 0);
    return s;
}

const char *gy_print_duration(double s, char *buf)
{
    if (isnan(s))
        return strcpy(buf, "-");
    const double whole = rint(s);
    if (s < 59.95)
        snprintf(buf, 32, "%.3gs", s < 0.0005 && s > -0.0005 ? 0 : s < 10 ? rint(s * 1000) / 1000 : rint(s * 10) / 10);
    else if (whole < 3600)
        snprintf(buf, 32, "%dm%02ds", (int)whole / 60, (int)whole % 60);
    else if (rint(s / 60) < 1440)
        snprintf(buf, 32, "%dh%02dm", (int)rint(s / 60) / 60, (int)rint(s / 60) % 60);
    else if (s < 1e12)
        snprintf(buf, 32, "%lldd%02lldh", (long long)rint(s / 3600) / 24, (long long)rint(s / 3600) % 24);
    else
        snprintf(buf, 32, "%.3gs", s);
    return buf;
}

const char *gy_print_count(double n, char *buf)
{
    char digits[32];

    if (isnan(n))
        return strcpy(buf, "-");
    if (fabs(n) >= 1e15) {
        snprintf(buf, 32, "%.3g", n);
        return buf;
    }
    const int len = snprintf(digits, sizeof digits, "%.0f", fabs(n));
    char *to = buf;
    if (n < 0 && strcmp(digits, "0") != 0)
        *to++ = '-';
    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return buf;
}

const char *gy_print_amount(double x, char *buf)
{
    const double size = fabs(x);

    if (isnan(x))
        return strcpy(buf, "-");
    if (size >= 99.95)
        return gy_print_count(x, buf);
    snprintf(buf, 32, "%.*f", size == 0 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3, x);
    return buf;
}

/* Columns of a character: two for East Asian wide and emoji blocks, none for combining marks. */
static int columns_of(uint32_t c)
{
    static const uint32_t none[][2] = {{0x300, 0x36f},   {0x483, 0x489},   {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff},
                                       {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}};
    static const uint32_t wide[][2] = {{0x1100, 0x115f},   {0x2e80, 0x303e},  {0x3041, 0xa4cf}, {0xac00, 0xd7a3},
                                       {0xf900, 0xfaff},   {0xfe30, 0xfe6f},  {0xff00, 0xff60}, {0xffe0, 0xffe6},
                                       {0x1f300, 0x1faff}, {0x20000, 0x3fffd}};

    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (c >= none[i][0] && c <= none[i][1])
            return 0;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (c >= wide[i][0] && c <= wide[i][1])
            return 2;
    return 1;
}

/* Bytes and code of the character at p, which is well-formed UTF-8 (gy_visible's). */
static size_t character(const char *p, uint32_t *code)
{
    const unsigned char *u = (const unsigned char *)p;
    const size_t n = *u < 0x80 ? 1 : *u < 0xe0 ? 2 : *u < 0xf0 ? 3 : 4;

    *code = n == 1 ? *u : *u & (0x7fu >> n);
    for (size_t i = 1; i < n && u[i]; i++)
        *code = *code << 6 | (u[i] & 0x3f);
    return n;
}

void gy_print_fitted(struct gy_writer *to, const char *text, int columns, bool pad)
{
    char visible[1024];
    int used = 0, cut_used = 0;
    size_t at = 0, cut = 0; /* cut: where to stop if it does not fit, leaving room for ".." */
    uint32_t code;
    const size_t len = strlen(text), taken = len < 900 ? len : 900;

    gy_visible(text, taken, visible, sizeof visible);
    while (visible[at]) {
        const size_t n = character(visible + at, &code);
        const int width = columns_of(code);
        if (used + width > columns)
            break;
        used += width;
        at += n;
        if (used <= columns - 2) {
            cut = at;
            cut_used = used;
        }
    }
    if (visible[at] && columns >= 2) {
        gy_writer_put(to, visible, cut);
        gy_writer_text(to, "..");
        used = cut_used + 2;
    } else {
        gy_writer_put(to, visible, at);
    }
    for (; pad && used < columns; used++)
        gy_writer_put(to, " ", 1);
}
