/* Tables of texts in three forms. Knows nothing of runs or metrics. */
#include "gy_table.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gy_error.h"
#include "gy_file.h"

void gy_table_init(struct gy_table *t, size_t columns)
{
    *t = (struct gy_table){.columns = columns};
}

void gy_table_free(struct gy_table *t)
{
    gy_vec_free(&t->cells);
    gy_arena_free(&t->arena);
}

/* Cells are made visible once, here: no escape sequence or mark reaches any form. */
void gy_table_add(struct gy_table *t, const char *text)
{
    const size_t len = text ? strlen(text) : 0;
    char buf[512];
    gy_visible(text ? text : "", len, buf, sizeof buf);
    const char *kept = gy_arena_strndup(&t->arena, buf, strlen(buf));
    t->nomem = t->nomem || !kept || !gy_vec_push(&t->cells, kept);
}

void gy_table_printf(struct gy_table *t, const char *fmt, ...)
{
    char buf[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(buf, sizeof buf, fmt, ap);
    va_end(ap);
    gy_table_add(t, buf);
}

void gy_table_number(struct gy_table *t, double v)
{
    if (isnan(v))
        gy_table_add(t, "-");
    else if (v == floor(v) && fabs(v) < 1e15)
        gy_table_printf(t, "%.0f", v);
    else
        gy_table_printf(t, "%.6g", v);
}

/* Columns on the screen: UTF-8 continuation bytes take none. */
static size_t width(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static void pad(struct gy_writer *to, size_t n)
{
    while (n-- > 0)
        gy_writer_put(to, " ", 1);
}

static void render_text(const struct gy_table *t, struct gy_writer *to, size_t *widest)
{
    const size_t rows = t->cells.n / t->columns;
    for (size_t i = 0; i < rows * t->columns; i++)
        if (width(t->cells.at[i]) > widest[i % t->columns])
            widest[i % t->columns] = width(t->cells.at[i]);
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < t->columns; c++) {
            const char *cell = t->cells.at[r * t->columns + c];
            const size_t room = widest[c] - width(cell);
            if (c > 0)
                pad(to, room + 2);
            gy_writer_text(to, cell);
            if (c == 0 && t->columns > 1)
                pad(to, room);
        }
        gy_writer_put(to, "\n", 1);
    }
}

void gy_html_text(struct gy_writer *to, const char *text)
{
    for (const char *p = text; *p; p++) {
        switch (*p) {
        case '&':
            gy_writer_text(to, "&amp;");
            break;
        case '<':
            gy_writer_text(to, "&lt;");
            break;
        case '>':
            gy_writer_text(to, "&gt;");
            break;
        case '"':
            gy_writer_text(to, "&quot;");
            break;
        case '\'':
            gy_writer_text(to, "&#39;");
            break;
        default:
            gy_writer_put(to, (unsigned char)*p < 0x20 && *p != '\n' && *p != '\t' ? " " : p, 1);
        }
    }
}

/* A markdown cell: what would end the cell or start markup is escaped. */
static void markdown_cell(struct gy_writer *to, const char *text)
{
    for (const char *p = text; *p; p++) {
        if (*p == '<' || *p == '&')
            gy_writer_text(to, *p == '<' ? "&lt;" : "&amp;");
        else if (strchr("|\\`*_[]!#~", *p) && p > text && *p == '_')
            gy_writer_put(to, p, 1); /* inside words an underscore is text */
        else if (strchr("|\\`*[]!#~", *p))
            gy_writer_printf(to, "\\%c", *p);
        else
            gy_writer_put(to, p, 1);
    }
}

static void render_markdown(const struct gy_table *t, struct gy_writer *to)
{
    const size_t rows = t->cells.n / t->columns;
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < t->columns; c++) {
            gy_writer_text(to, c == 0 ? "| " : " | ");
            markdown_cell(to, t->cells.at[r * t->columns + c]);
        }
        gy_writer_text(to, " |\n");
        for (size_t c = 0; r == 0 && c < t->columns; c++)
            gy_writer_text(to, c == 0 ? "| ---" : " | ---:");
        if (r == 0)
            gy_writer_text(to, " |\n");
    }
}

static void render_html(const struct gy_table *t, struct gy_writer *to)
{
    const size_t rows = t->cells.n / t->columns;
    gy_writer_text(to, "<table>\n");
    for (size_t r = 0; r < rows; r++) {
        gy_writer_text(to, "<tr>");
        for (size_t c = 0; c < t->columns; c++) {
            gy_writer_text(to, r == 0 ? "<th>" : "<td>");
            gy_html_text(to, t->cells.at[r * t->columns + c]);
            gy_writer_text(to, r == 0 ? "</th>" : "</td>");
        }
        gy_writer_text(to, "</tr>\n");
    }
    gy_writer_text(to, "</table>\n");
}

bool gy_table_render(const struct gy_table *t, enum gy_table_form form, struct gy_writer *to)
{
    if (t->nomem)
        return false;
    if (form == GY_TABLE_MARKDOWN) {
        render_markdown(t, to);
    } else if (form == GY_TABLE_HTML) {
        render_html(t, to);
    } else {
        size_t *widest = calloc(t->columns + 1, sizeof *widest);
        if (!widest)
            return false;
        render_text(t, to, widest);
        free(widest);
    }
    return true;
}
