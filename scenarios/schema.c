/* The JSON Schema of a scenario, and the list of its keys for people: both from the tables that the loader obeys. */
#include <string.h>
#include "gy_file.h"
#include "inside.h"

/* scheduler: the preset says which other keys there are. */
static int scheduler_schema(struct gy_json_out *o)
{
    struct gy_arena arena = GY_ARENA_INIT;
    int rc = 0;
    size_t size;

    gy_jo_object(o, "scheduler");
    gy_jo_string(o, "type", "object");
    gy_jo_object(o, "properties");
    gy_jo_object(o, "preset");
    gy_jo_array(o, "enum");
    for (size_t i = 0; gy_policies[i] != NULL; i++)
        gy_jo_string(o, NULL, gy_policies[i]->name);
    gy_jo_end(o, ']');
    gy_jo_end(o, '}');
    gy_jo_end(o, '}');
    gy_jo_array(o, "allOf");
    for (size_t i = 0; gy_policies[i] != NULL && rc == 0; i++) {
        const struct gy_param *table = gy_sc_scheduler_table(gy_policies[i], &arena, &size);
        gy_jo_object(o, NULL);
        gy_jo_object(o, "if");
        gy_jo_object(o, "properties");
        gy_jo_object(o, "preset");
        gy_jo_string(o, "const", gy_policies[i]->name);
        gy_jo_end(o, '}');
        gy_jo_end(o, '}');
        if (i > 0) { /* without a preset it is the first one */
            gy_jo_array(o, "required");
            gy_jo_string(o, NULL, "preset");
            gy_jo_end(o, ']');
        }
        gy_jo_end(o, '}');
        if (table != NULL)
            gy_bind_schema(table, o, "then");
        else
            rc = -1;
        gy_jo_end(o, '}');
    }
    gy_jo_end(o, ']');
    gy_jo_end(o, '}');
    gy_arena_free(&arena);
    return rc;
}

int gy_scenario_schema(struct gy_writer *to, struct gy_error *err)
{
    struct gy_json_out o = {.to = to};
    int rc;

    gy_jo_object(&o, NULL);
    gy_jo_string(&o, "$schema", "http://json-schema.org/draft-07/schema#");
    gy_jo_string(&o, "title", "gpuyard scenario");
    gy_jo_array(&o, "allOf");
    gy_bind_schema(gy_sc_table, &o, NULL);
    gy_jo_object(&o, NULL);
    gy_jo_object(&o, "properties");
    rc = scheduler_schema(&o);
    gy_jo_object(&o, "teams");
    gy_jo_string(&o, "type", "object");
    gy_bind_schema(gy_sc_team_table, &o, "additionalProperties");
    gy_jo_end(&o, '}');
    gy_jo_end(&o, '}');
    gy_jo_end(&o, '}');
    gy_jo_end(&o, ']');
    gy_jo_end(&o, '}');
    return rc == 0 ? 0 : gy_nomem(err);
}

static const char *type_word(const struct gy_param *row)
{
    static const char *const words[] = {
        [GY_P_BOOL] = "true or false", [GY_P_INT] = "whole number", [GY_P_REAL] = "number", [GY_P_TIME] = "time",
        [GY_P_TEXT] = "text",          [GY_P_PATH] = "path",        [GY_P_CHOICE] = "",     [GY_P_TEXTS] = "texts",
        [GY_P_OBJECT] = "object",      [GY_P_LIST] = "list",        [GY_P_JSON] = "",
    };
    return words[row->type];
}

void gy_sc_key_rows(const struct gy_param *table, const char *prefix, struct gy_writer *to)
{
    char path[256];

    for (const struct gy_param *row = table; row->name != NULL; row++) {
        snprintf(path, sizeof path, "%s%s%s", prefix, row->name, row->type == GY_P_LIST ? "[]" : "");
        gy_writer_printf(to, "| `%s` | %s", path, type_word(row));
        for (const char *c = row->choices; row->type == GY_P_CHOICE && *c != '\0'; c++)
            gy_writer_text(to, *c == '|' ? ", " : (char[]){*c, '\0'});
        gy_writer_printf(to, " | %s%s%s | %s |\n", row->preset == NULL ? "required" : "`",
                         row->preset == NULL ? "" : row->preset, row->preset == NULL ? "" : "`", row->help);
        if (row->type == GY_P_OBJECT || row->type == GY_P_LIST) {
            snprintf(path + strlen(path), sizeof path - strlen(path), ".");
            gy_sc_key_rows(row->fields, path, to);
        }
    }
}

void gy_scenario_keys(struct gy_writer *to)
{
    gy_writer_text(to, "| key | what | default | meaning |\n| --- | --- | --- | --- |\n");
    gy_sc_key_rows(gy_sc_table, "", to);
    gy_sc_key_rows(gy_sc_team_table, "teams.NAME.", to);
}
