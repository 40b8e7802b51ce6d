/* What "absent" looks like in a field (a default of null), and whether a field is so. Not defaults: those are rows'. */
#include <math.h>
#include "bind_row.h"

void gy_bind_blank(const struct gy_param *row, void *field)
{
    switch (row->type) {
    case GY_P_BOOL:
        *(bool *)field = false;
        break;
    case GY_P_INT:
        *(int64_t *)field = INT64_MIN;
        break;
    case GY_P_REAL:
        *(double *)field = NAN;
        break;
    case GY_P_TIME:
        *(gy_time *)field = GY_NONE;
        break;
    case GY_P_TEXT:
    case GY_P_PATH:
        *(const char **)field = NULL;
        break;
    case GY_P_CHOICE:
        *(int *)field = -1;
        break;
    case GY_P_TEXTS:
        *(struct gy_texts *)field = (struct gy_texts){NULL, 0};
        break;
    case GY_P_OBJECT:
        for (const struct gy_param *r = row->fields; r->name != NULL; r++)
            gy_bind_blank(r, gy_field(r, field));
        break;
    case GY_P_LIST:
        *(struct gy_list *)field = (struct gy_list){NULL, 0};
        break;
    case GY_P_JSON:
        *(const struct gy_json **)field = NULL;
        break;
    }
}

bool gy_bind_is_blank(const struct gy_param *row, const void *field)
{
    switch (row->type) {
    case GY_P_BOOL:
        return !*(const bool *)field;
    case GY_P_INT:
        return *(const int64_t *)field == INT64_MIN;
    case GY_P_REAL:
        return isnan(*(const double *)field);
    case GY_P_TIME:
        return *(const gy_time *)field == GY_NONE;
    case GY_P_TEXT:
    case GY_P_PATH:
        return *(const char *const *)field == NULL;
    case GY_P_CHOICE:
        return *(const int *)field < 0;
    case GY_P_TEXTS:
        return ((const struct gy_texts *)field)->n == 0;
    case GY_P_OBJECT:
        for (const struct gy_param *r = row->fields; r->name != NULL; r++)
            if (!gy_bind_is_blank(r, gy_field_of(r, field)))
                return false;
        return true;
    case GY_P_LIST:
        return ((const struct gy_list *)field)->n == 0;
    case GY_P_JSON:
        return *(const struct gy_json *const *)field == NULL;
    }
    return false;
}
