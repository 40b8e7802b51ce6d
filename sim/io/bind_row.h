/* Inside sim/io only: what the parts of the binding share. */
#ifndef GY_BIND_ROW_H
#define GY_BIND_ROW_H
#include "gy_bind.h"

/* Where a value stands, as a chain to the document's root; a text is made of it only for an error. */
struct gy_bind_at {
    const struct gy_bind_at *up; /* NULL: base */
    const char *base;            /* pointer of the value that was bound */
    const char *key;             /* NULL: an element */
    size_t index;
};

struct gy_bind {
    const struct gy_json_doc *doc; /* may be NULL */
    struct gy_arena *arena;
    struct gy_diags *diags;
    bool failed;
};

/* The unit that a key's suffix names: a value in base units is value × over ÷ times in the key's unit. */
struct gy_key_unit {
    double times, over;
    gy_time ns;       /* of a time: nanoseconds in the key's unit */
    const char *name; /* for people: "GiB", "s", "" */
};
struct gy_key_unit gy_key_unit(const struct gy_param *row);

void gy_bind_pointer(const struct gy_bind_at *at, char *buf, size_t size);
/* Adds an error about at ("" hint for none). */
void gy_bind_fail(struct gy_bind *b, const struct gy_bind_at *at, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void gy_bind_nomem(struct gy_bind *b);
/* v in words: a number, a quoted string, "an object". */
void gy_bind_describe(const struct gy_json *v, char *buf, size_t size);

/* Fills one field that is neither OBJECT nor LIST from v; v is not null. */
void gy_bind_scalar(struct gy_bind *b, const struct gy_param *row, const struct gy_json *v, const struct gy_bind_at *at,
                    void *field);
/* Whether row allows n elements; adds an error otherwise. */
bool gy_bind_length(struct gy_bind *b, const struct gy_param *row, size_t n, const struct gy_bind_at *at);
/* The value that stands for "absent": NULL, NaN, GY_NONE, INT64_MIN, false, -1, an empty list, and so on inside. */
void gy_bind_blank(const struct gy_param *row, void *field);
bool gy_bind_is_blank(const struct gy_param *row, const void *field);

static inline void *gy_field(const struct gy_param *row, void *out)
{
    return (char *)out + row->offset;
}
static inline const void *gy_field_of(const struct gy_param *row, const void *in)
{
    return (const char *)in + row->offset;
}
/* The i-th of the |-separated choices into buf; false behind the last. Choices of more than size - 1 bytes are cut. */
bool gy_choice(const char *choices, size_t i, char *buf, size_t size);
#endif
