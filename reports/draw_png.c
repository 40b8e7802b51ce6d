/* Drawing as PNG, at twice the size, through cairo: the only file that knows it. */
#include "draw.h"
#ifdef GY_CAIRO
#include <cairo.h>
#include <stdlib.h>
#include "gy_file.h"

struct gy_draw {
    cairo_surface_t *surface;
    cairo_t *c;
    struct gy_writer *to;
};

static struct gy_draw *png_open(const char *path, double width, double height, struct gy_error *err)
{
    struct gy_draw *d = calloc(1, sizeof *d);

    if (!d || !(d->to = gy_writer_open(path, err))) {
        if (!d)
            gy_nomem(err);
        free(d);
        return NULL;
    }
    d->surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(2 * width), (int)(2 * height));
    d->c = cairo_create(d->surface);
    cairo_scale(d->c, 2, 2);
    cairo_select_font_face(d->c, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    return d;
}

static void set_colour(struct gy_draw *d, const char *colour)
{
    const unsigned long rgb = strtoul(colour + 1, NULL, 16);
    cairo_set_source_rgb(d->c, (double)(rgb >> 16) / 255, (double)(rgb >> 8 & 255) / 255, (double)(rgb & 255) / 255);
}

static void png_rect(struct gy_draw *d, double x, double y, double w, double h, const char *colour)
{
    set_colour(d, colour);
    cairo_rectangle(d->c, x, y, w > 0 ? w : 0, h > 0 ? h : 0);
    cairo_fill(d->c);
}

static void png_path(struct gy_draw *d, const double *xy, size_t n, const char *colour, double line)
{
    set_colour(d, colour);
    cairo_new_path(d->c); /* not from where a text ended */
    for (size_t i = 0; i < n; i++)
        cairo_line_to(d->c, xy[2 * i], xy[2 * i + 1]);
    cairo_set_line_width(d->c, line);
    cairo_set_line_join(d->c, CAIRO_LINE_JOIN_ROUND);
    if (line > 0)
        cairo_stroke(d->c);
    else
        cairo_fill(d->c);
}

static void png_text(struct gy_draw *d, double x, double y, double size, int align, const char *colour,
                     const char *text)
{
    cairo_text_extents_t e;

    set_colour(d, colour);
    cairo_set_font_size(d->c, size);
    cairo_text_extents(d->c, text, &e);
    cairo_move_to(d->c, align < 0 ? x : align > 0 ? x - e.x_advance : x - e.x_advance / 2, y);
    cairo_show_text(d->c, text);
}

static cairo_status_t put(void *to, const unsigned char *bytes, unsigned n)
{
    gy_writer_put(to, bytes, n);
    return CAIRO_STATUS_SUCCESS;
}

static int png_close(struct gy_draw *d, struct gy_error *err)
{
    const cairo_status_t s = cairo_surface_write_to_png_stream(d->surface, put, d->to);
    int rc;

    if (s != CAIRO_STATUS_SUCCESS)
        gy_writer_fail(d->to, GY_EIO, cairo_status_to_string(s));
    rc = gy_writer_commit(d->to, err);
    cairo_destroy(d->c);
    cairo_surface_destroy(d->surface);
    free(d);
    return rc;
}

static const struct gy_draw_type png = {
    .open = png_open, .rect = png_rect, .path = png_path, .text = png_text, .close = png_close};
#endif

const struct gy_draw_type *gy_draw_png(void)
{
#ifdef GY_CAIRO
    return &png;
#else
    return NULL;
#endif
}
