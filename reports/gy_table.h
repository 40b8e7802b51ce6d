/* A small table of texts, rendered for a terminal, as GitHub-flavoured markdown or as an HTML table. Texts are escaped
 * by the renderer: whatever is in a cell is shown as text. */
#ifndef GY_TABLE_H
#define GY_TABLE_H
#include <stdbool.h>
#include <stddef.h>
#include "gy_arena.h"
#include "gy_vec.h"

struct gy_writer;
struct gy_table {
    size_t columns;
    GY_VEC(const char *) cells; /* row by row, the first row is the head */
    struct gy_arena arena;
    bool nomem;
};
void gy_table_init(struct gy_table *t, size_t columns);
void gy_table_free(struct gy_table *t);
void gy_table_add(struct gy_table *t, const char *text); /* the next cell, copied; NULL is an empty one */
void gy_table_printf(struct gy_table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void gy_table_number(struct gy_table *t, double v); /* up to six significant digits; NaN is "-" */

enum gy_table_form { GY_TABLE_TEXT, GY_TABLE_MARKDOWN, GY_TABLE_HTML };
/* Columns after the first are aligned to the right. false: memory ran out while the table was filled. */
bool gy_table_render(const struct gy_table *t, enum gy_table_form form, struct gy_writer *to);
/* Text escaped for HTML and XML: & < > " ' and control bytes. */
void gy_html_text(struct gy_writer *to, const char *text);
#endif
