/* What is written through a writer: formatted text, CSV fields, times. Not a CSV table: the caller sets the commas. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gy_file.h"
#include "gy_json.h"
#include "gy_time.h"

void gy_writer_text(struct gy_writer *w, const char *text)
{
    gy_writer_put(w, text, strlen(text));
}

void gy_writer_printf(struct gy_writer *w, const char *fmt, ...)
{
    char small[512], *large = NULL;
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(small, sizeof small, fmt, ap);
    va_end(ap);
    if (n >= 0 && (size_t)n < sizeof small) {
        gy_writer_put(w, small, (size_t)n);
        return;
    }
    va_start(ap, fmt);
    n = vasprintf(&large, fmt, ap);
    va_end(ap);
    if (n < 0) {
        gy_writer_fail(w, GY_ENOMEM, "out of memory");
        return;
    }
    gy_writer_put(w, large, (size_t)n);
    free(large);
}

void gy_writer_csv(struct gy_writer *w, const char *text)
{
    if (text[strcspn(text, ",\"\r\n")] == '\0') {
        gy_writer_text(w, text);
        return;
    }
    gy_writer_put(w, "\"", 1);
    for (;;) {
        size_t n = strcspn(text, "\"");
        gy_writer_put(w, text, n);
        if (text[n] == '\0')
            break;
        gy_writer_put(w, "\"\"", 2);
        text += n + 1;
    }
    gy_writer_put(w, "\"", 1);
}

void gy_writer_spark(struct gy_writer *w, double part, bool blocks)
{
    static const char *const block[] = {" ",      "\u2581", "\u2582", "\u2583", "\u2584",
                                        "\u2585", "\u2586", "\u2587", "\u2588"};
    static const char ascii[] = " .:-=+*#@";
    int level = isnan(part) ? 0 : (int)rint(fmin(fmax(part, 0), 1) * 8);

    if (level == 0 && part > 0) /* a little is not nothing */
        level = 1;
    gy_writer_put(w, blocks ? block[level] : &ascii[level], blocks ? strlen(block[level]) : 1);
}

void gy_writer_csv_number(struct gy_writer *w, double v)
{
    char buf[32];

    if (!isnan(v))
        gy_writer_put(w, buf, gy_number_print(v, buf));
}

void gy_writer_time(struct gy_writer *w, int64_t ns)
{
    char buf[32];

    gy_writer_put(w, buf, gy_time_print(ns, buf));
}
