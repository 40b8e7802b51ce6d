/* One row of a parameter table. Help, schema, defaults, checks and the resolved scenario in the manifest all come from
 * these rows; there is no second list. sim/io/gy_bind.h fills a C struct from JSON by them. */
#ifndef GY_PARAM_H
#define GY_PARAM_H
#include <stddef.h>
#include "gy_units.h"

enum gy_param_type {
    GY_P_BOOL,   /* bool */
    GY_P_INT,    /* int64_t */
    GY_P_REAL,   /* double; a string with a unit is accepted where unit is not GY_U_NONE */
    GY_P_TIME,   /* gy_time; number of seconds or "1.5h" */
    GY_P_TEXT,   /* const char * (NULL when absent), owned by the binding's arena */
    GY_P_PATH,   /* as TEXT; resolved against the folder of the file that names it */
    GY_P_CHOICE, /* int: index into the |-separated choices */
    GY_P_TEXTS,  /* struct gy_texts */
    GY_P_OBJECT, /* struct laid out by fields */
    GY_P_LIST,   /* struct gy_list of structs laid out by fields, item_size bytes each */
    GY_P_JSON    /* const struct gy_json *: the subtree, checked by its own module */
};
struct gy_texts {
    const char **at;
    size_t n;
};
struct gy_list {
    void *at;
    size_t n;
};

struct gy_param {
    const char *name; /* JSON key, with its unit suffix; NULL ends a table */
    enum gy_param_type type;
    size_t offset; /* in the struct that is filled */
    enum gy_unit unit;
    const char *preset;  /* default, as JSON text: "1", "\"first\"", "null" (absent); NULL: the key is required */
    double min, max;     /* inclusive range of numbers and of list lengths; both 0: unbounded */
    const char *choices; /* "fifo|sjf" for CHOICE */
    const struct gy_param *fields; /* OBJECT, LIST */
    size_t item_size;              /* LIST */
    const char *help;              /* one sentence */
    const char *source;            /* where the default or the meaning comes from, or "" */
};
#endif
