/* Fuzzes the scenario loader: any bytes as a scenario file, through binding, checks, the cluster, and back as resolved
 * JSON, which must load again to the same text. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gy_file.h"
#include "gy_scenario.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A host list or a count can ask for 16 million nodes, which is legal and slow; that is not what is looked for here. */
static bool is_large(const struct gy_scenario *s)
{
    const struct gy_sc_nodes *g = s->cluster.nodes.at;

    for (size_t i = 0; i < s->cluster.nodes.n; i++)
        if (g[i].count > 1000 || (g[i].name != NULL && strchr(g[i].name, '[') != NULL && strlen(g[i].name) > 12))
            return true;
    return s->cluster.nodes_file != NULL || s->cluster.events_file != NULL;
}

static bool is_ascii(const uint8_t *data, size_t size)
{
    while (size > 0 && data[size - 1] < 0x80)
        size--;
    return size == 0;
}

static void build(const struct gy_scenario *s)
{
    struct gy_inputs in = {0};
    struct gy_error err = {0};

    if (is_large(s))
        return;
    in.strings = gy_strings_new();
    if (in.strings != NULL)
        (void)gy_scenario_cluster(s, in.strings, &in, &err);
    gy_inputs_free(&in);
}

static char *resolved(const struct gy_scenario *s, size_t *len)
{
    struct gy_error err;
    struct gy_writer *w = gy_writer_open(NULL, &err);
    struct gy_json_out o = {.to = w};
    char *text = NULL;

    if (w == NULL)
        return NULL;
    gy_jo_object(&o, NULL);
    gy_scenario_write(s, &o);
    gy_jo_end(&o, '}');
    const char *at = gy_writer_memory(w, len);
    text = strndup(at, *len);
    gy_writer_abandon(w);
    return text;
}

static struct gy_scenario *load(const char *text, size_t len, struct gy_diags *diags)
{
    const struct gy_overrides none = {0};
    struct gy_error err = {0};
    struct gy_json_doc *doc = gy_json_parse("f.json", text, len, &err);
    struct gy_scenario *s = doc == NULL ? NULL : gy_scenario_from(doc, &none, diags);

    gy_json_free(doc);
    return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gy_diags diags = {0};
    struct gy_scenario *s = load((const char *)data, size, &diags), *again;
    size_t len, len2;

    if (s == NULL)
        return 0;
    build(s);
    char *text = resolved(s, &len);
    if (!is_ascii(data,
                  size)) { /* bytes that are not UTF-8 become U+FFFD, which is longer: a path may not fit any more */
        free(text);
        gy_scenario_free(s);
        return 0;
    }
    again = text == NULL ? NULL : load(text, len, &diags);
    if (again == NULL) {
        fprintf(stderr, "the resolved scenario does not load: %s: %s\n%s\n", diags.at[0].place, diags.at[0].what, text);
        abort();
    }
    char *text2 = resolved(again, &len2);
    if (text2 == NULL || strcmp(text, text2) != 0) {
        fprintf(stderr, "the resolved scenario changes when it is loaded again:\n%s\n%s\n", text, text2);
        abort();
    }
    free(text);
    free(text2);
    gy_scenario_free(s);
    gy_scenario_free(again);
    return 0;
}
