/* Drawing as SVG. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "draw.h"
#include "gy_file.h"
#include "gy_table.h"

struct gy_draw {
    struct gy_writer *to;
};

static struct gy_draw *svg_open(const char *path, double width, double height, struct gy_error *err)
{
    struct gy_draw *d = calloc(1, sizeof *d);

    if (!d || !(d->to = gy_writer_open(path, err))) {
        if (!d)
            gy_nomem(err);
        free(d);
        return NULL;
    }
    gy_writer_printf(
        d->to,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
        "font-family=\"Helvetica, Arial, sans-serif\">\n",
        width, height, width, height);
    return d;
}

static void svg_rect(struct gy_draw *d, double x, double y, double w, double h, const char *colour)
{
    gy_writer_printf(d->to, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>\n", x, y,
                     fmax(0, w), fmax(0, h), colour);
}

static void svg_path(struct gy_draw *d, const double *xy, size_t n, const char *colour, double line)
{
    gy_writer_text(d->to, "<path d=\"");
    for (size_t i = 0; i < n; i++)
        gy_writer_printf(d->to, "%s%.2f %.2f", i ? "L" : "M", xy[2 * i], xy[2 * i + 1]);
    if (line > 0)
        gy_writer_printf(d->to, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"%.2f\" stroke-linejoin=\"round\"/>\n",
                         colour, line);
    else
        gy_writer_printf(d->to, "Z\" fill=\"%s\"/>\n", colour);
}

static void svg_text(struct gy_draw *d, double x, double y, double size, int align, const char *colour,
                     const char *text)
{
    gy_writer_printf(d->to, "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">", x, y,
                     size,
                     align < 0   ? "start"
                     : align > 0 ? "end"
                                 : "middle",
                     colour);
    gy_html_text(d->to, text);
    gy_writer_text(d->to, "</text>\n");
}

static int svg_close(struct gy_draw *d, struct gy_error *err)
{
    gy_writer_text(d->to, "</svg>\n");
    const int rc = gy_writer_commit(d->to, err);
    free(d);
    return rc;
}

const struct gy_draw_type gy_draw_svg = {
    .open = svg_open, .rect = svg_rect, .path = svg_path, .text = svg_text, .close = svg_close};
