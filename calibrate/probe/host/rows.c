/* Rows of results: a section and up to GY_PROBE_FIELDS_MAX named values in the order in which they are written. */
#include "gy_probe.h"
#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

static void add(struct gy_probe_row *r, struct gy_probe_field f)
{
    assert(r->count < GY_PROBE_FIELDS_MAX);
    r->at[r->count++] = f;
}

void gy_probe_row_text(struct gy_probe_row *r, const char *key, const char *text)
{
    add(r, (struct gy_probe_field){.key = key, .type = GY_PROBE_TEXT, .text = text});
}

void gy_probe_row_number(struct gy_probe_row *r, const char *key, double v)
{
    add(r, (struct gy_probe_field){.key = key, .type = GY_PROBE_NUMBER, .number = v});
}

void gy_probe_row_integer(struct gy_probe_row *r, const char *key, int64_t v)
{
    add(r, (struct gy_probe_field){.key = key, .type = GY_PROBE_INTEGER, .integer = v});
}

void gy_probe_row_bool(struct gy_probe_row *r, const char *key, bool v)
{
    add(r, (struct gy_probe_field){.key = key, .type = GY_PROBE_BOOLEAN, .integer = v});
}

void gy_probe_row_timing(struct gy_probe_row *r, const struct gy_probe_timing *t)
{
    gy_probe_row_number(r, "time_us", t->median_us);
    gy_probe_row_number(r, "min_us", t->min_us);
    gy_probe_row_number(r, "p95_us", t->p95_us);
    gy_probe_row_number(r, "mean_us", t->mean_us);
    gy_probe_row_integer(r, "iterations", t->iterations);
    gy_probe_row_integer(r, "repeats", t->repeats);
    gy_probe_row_integer(r, "warmup", t->warmup);
    gy_probe_row_text(r, "clock", t->clock == GY_PROBE_EVENT ? "event" : "wall");
}

double gy_probe_row_get(const struct gy_probe_row *r, const char *key)
{
    for (int i = 0; i < r->count; i++) {
        if (strcmp(r->at[i].key, key) == 0) {
            return r->at[i].type == GY_PROBE_NUMBER ? r->at[i].number
                   : r->at[i].type == GY_PROBE_TEXT ? NAN
                                                    : (double)r->at[i].integer;
        }
    }
    return NAN;
}

const char *gy_probe_row_word(const struct gy_probe_row *r, const char *key)
{
    for (int i = 0; i < r->count; i++) {
        if (strcmp(r->at[i].key, key) == 0 && r->at[i].type == GY_PROBE_TEXT && r->at[i].text) {
            return r->at[i].text;
        }
    }
    return "";
}

void gy_probe_file_add(struct gy_probe_file *f, const struct gy_probe_row *row)
{
    if (!gy_vec_push(&f->rows, *row)) {
        f->failed = true;
    }
}

void gy_probe_file_skip(struct gy_probe_file *f, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    const char *kept = gy_arena_strndup(&f->arena, text, strlen(text));
    if (!kept || !gy_vec_push(&f->skipped, kept)) {
        f->failed = true;
    }
}

void gy_probe_file_free(struct gy_probe_file *f)
{
    gy_vec_free(&f->gpu);
    gy_vec_free(&f->nic);
    gy_vec_free(&f->pair);
    gy_vec_free(&f->rows);
    gy_vec_free(&f->skipped);
    gy_arena_free(&f->arena);
}
