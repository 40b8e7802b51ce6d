/* A small drawing surface with two makers: SVG text, and PNG through cairo where it was there at build time. Units are
 * pixels from the top left. */
#ifndef GY_DRAW_H
#define GY_DRAW_H
#include <stdbool.h>
#include <stddef.h>
#include "gy_error.h"

struct gy_draw;
struct gy_draw_type {
    struct gy_draw *(*open)(const char *path, double width, double height, struct gy_error *err);
    void (*rect)(struct gy_draw *d, double x, double y, double w, double h, const char *colour);
    /* n points x, y, x, y …; filled, or a line of that width. colour is "#rrggbb". */
    void (*path)(struct gy_draw *d, const double *xy, size_t n, const char *colour, double line);
    /* align: -1 begins at x, 0 is centred, 1 ends there. */
    void (*text)(struct gy_draw *d, double x, double y, double size, int align, const char *colour, const char *text);
    int (*close)(struct gy_draw *d, struct gy_error *err); /* frees it */
};
extern const struct gy_draw_type gy_draw_svg;
extern const struct gy_draw_type *gy_draw_png(void); /* NULL: built without cairo */
#endif
