/* A bound struct back to JSON, every default filled in, so that binding what is written gives the same struct. */
#include <stdio.h>
#include <string.h>
#include "bind_row.h"

/* A JSON number where that reads back to the same nanosecond, else exact seconds as a text. */
static void write_time(struct gy_json_out *o, const char *key, gy_time t, gy_time unit)
{
    double value = (double)t / (double)unit;
    char number[40];
    gy_time again;

    if (t == GY_NEVER) {
        gy_jo_string(o, key, "never");
        return;
    }
    if (gy_time_parse_in(number, gy_number_print(value, number), unit, &again) && again == t) {
        gy_jo_number(o, key, value);
        return;
    }
    strcpy(number + gy_time_print(t, number), "s");
    gy_jo_string(o, key, number);
}

static void write_choice(struct gy_json_out *o, const struct gy_param *row, int choice)
{
    char name[48];

    if (choice >= 0 && gy_choice(row->choices, (size_t)choice, name, sizeof name))
        gy_jo_string(o, row->name, name);
    else
        gy_jo_string(o, row->name, NULL);
}

static void write_list(struct gy_json_out *o, const struct gy_param *row, const struct gy_list *list)
{
    gy_jo_array(o, row->name);
    for (size_t i = 0; i < list->n; i++) {
        gy_jo_object(o, NULL);
        gy_bind_write(row->fields, (const char *)list->at + i * row->item_size, o);
        gy_jo_end(o, '}');
    }
    gy_jo_end(o, ']');
}

static void write_texts(struct gy_json_out *o, const char *key, const struct gy_texts *texts)
{
    gy_jo_array(o, key);
    for (size_t i = 0; i < texts->n; i++)
        gy_jo_string(o, NULL, texts->at[i]);
    gy_jo_end(o, ']');
}

static void write_present(struct gy_json_out *o, const struct gy_param *row, const void *field)
{
    switch (row->type) {
    case GY_P_BOOL:
        gy_jo_bool(o, row->name, *(const bool *)field);
        break;
    case GY_P_INT:
        gy_jo_integer(o, row->name, *(const int64_t *)field);
        break;
    case GY_P_REAL:
        gy_jo_number(o, row->name, *(const double *)field);
        break;
    case GY_P_TIME:
        write_time(o, row->name, *(const gy_time *)field, gy_key_unit(row).ns);
        break;
    case GY_P_TEXT:
    case GY_P_PATH:
        gy_jo_string(o, row->name, *(const char *const *)field);
        break;
    case GY_P_CHOICE:
        write_choice(o, row, *(const int *)field);
        break;
    case GY_P_TEXTS:
        write_texts(o, row->name, field);
        break;
    case GY_P_OBJECT:
        gy_jo_object(o, row->name);
        gy_bind_write(row->fields, field, o);
        gy_jo_end(o, '}');
        break;
    case GY_P_LIST:
        write_list(o, row, field);
        break;
    case GY_P_JSON:
        gy_jo_value(o, row->name, *(const struct gy_json *const *)field);
        break;
    }
}

/* null means the default, so an absent field is null only where absent is the default. What is absent elsewhere is an
 * empty array or false or an object of nulls, which write_present writes. */
void gy_bind_write(const struct gy_param *table, const void *in, struct gy_json_out *o)
{
    for (const struct gy_param *row = table; row->name != NULL; row++) {
        const void *field = gy_field_of(row, in);
        bool absent = row->preset != NULL && strcmp(row->preset, "null") == 0 && gy_bind_is_blank(row, field);
        bool shown = row->type == GY_P_BOOL || row->type == GY_P_TEXTS || row->type == GY_P_LIST;
        if (absent && !shown)
            gy_jo_string(o, row->name, NULL);
        else
            write_present(o, row, field);
    }
}
