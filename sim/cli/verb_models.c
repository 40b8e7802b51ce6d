/* gpuyard models list and show: the built-in data files, and every figure of one with its source. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "gy_cli.h"
#include "gy_file.h"
#include "gy_hardware.h"
#include "gy_json.h"

static const char *summary_of(const struct gy_json_doc *doc)
{
    const struct gy_json *root = gy_json_root(doc);
    const struct gy_json *s = gy_json_type(root) == GY_J_OBJECT ? gy_json_get(root, "summary") : NULL;
    return s && gy_json_string(s) ? gy_json_string(s) : "";
}

static void aliases_of(const struct gy_json_doc *doc, char *buf, size_t size)
{
    const struct gy_json *list = gy_json_get(gy_json_root(doc), "aliases");
    size_t n = 0;
    buf[0] = '\0';
    for (const struct gy_json *a = list ? gy_json_first(list) : NULL; a && n + 2 < size; a = gy_json_next(a))
        n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? ", " : " (", gy_json_string(a) ? gy_json_string(a) : "?");
    if (n && n + 2 < size)
        snprintf(buf + n, size - n, ")");
}

static int list(const struct gy_cli *cli, struct gy_writer *to, struct gy_error *err)
{
    struct gy_json_out o = {.to = to, .first = true};
    const struct gy_model_file *f;
    const char *kind = "";
    if (cli->json)
        gy_jo_array(&o, NULL);
    for (size_t i = 0; (f = gy_model_file_at(i)); i++) {
        struct gy_json_doc *doc = gy_json_parse(f->name, f->text, f->len, err);
        char aliases[256];
        if (!doc)
            return -1;
        aliases_of(doc, aliases, sizeof aliases);
        if (cli->json) {
            gy_jo_object(&o, NULL);
            gy_jo_string(&o, "kind", f->kind);
            gy_jo_string(&o, "name", f->name);
            gy_jo_string(&o, "summary", summary_of(doc));
            gy_jo_end(&o, '}');
        } else {
            if (strcmp(kind, f->kind) != 0)
                gy_writer_printf(to, "%s%s\n", i ? "\n" : "", f->kind);
            gy_writer_printf(to, "  %-18s %s%s\n", f->name, summary_of(doc), aliases);
        }
        kind = f->kind;
        gy_json_free(doc);
    }
    if (cli->json) {
        gy_jo_end(&o, ']');
        gy_writer_text(to, "\n");
    }
    return 0;
}

static void show_value(struct gy_writer *to, const struct gy_json *v)
{
    char number[40];
    switch (gy_json_type(v)) {
    case GY_J_STRING:
        gy_writer_text(to, gy_json_string(v));
        break;
    case GY_J_NUMBER:
        gy_number_print(gy_json_number(v), number);
        gy_writer_text(to, number);
        break;
    case GY_J_BOOL:
        gy_writer_text(to, gy_json_true(v) ? "yes" : "no");
        break;
    default:
        gy_writer_text(to, "-");
        break;
    }
}

/* A figure on one line with its source; lists of plain values on one line; objects indented. */
static void show(struct gy_writer *to, const struct gy_json *v, int depth)
{
    for (const struct gy_json *c = gy_json_first(v); c; c = gy_json_next(c)) {
        enum gy_json_type type = gy_json_type(c);
        const char *key = gy_json_key(c);
        gy_writer_printf(to, "%*s%-*s ", 2 * depth, "", 30 - 2 * depth > 0 ? 30 - 2 * depth : 1, key ? key : "-");
        if (type == GY_J_OBJECT && gy_json_get(c, "value")) {
            show_value(to, gy_json_get(c, "value"));
            const struct gy_json *source = gy_json_get(c, "source");
            gy_writer_printf(to, "  [%s]\n", source && gy_json_string(source) ? gy_json_string(source) : "no source");
        } else if (type == GY_J_ARRAY && gy_json_type(gy_json_first(c)) != GY_J_OBJECT) {
            for (const struct gy_json *e = gy_json_first(c); e; e = gy_json_next(e)) {
                show_value(to, e);
                gy_writer_text(to, gy_json_next(e) ? ", " : "");
            }
            gy_writer_text(to, "\n");
        } else if (type == GY_J_OBJECT || type == GY_J_ARRAY) {
            gy_writer_text(to, "\n");
            show(to, c, depth + 1);
        } else {
            show_value(to, c);
            gy_writer_text(to, "\n");
        }
    }
}

/* Any kind that has the name; hardware first. */
static struct gy_json_doc *open_any(const char *name, struct gy_error *err)
{
    static const char *const kinds[] = {"hardware", "fabrics", "workloads", "calibrations"};
    if (gy_model_is_path(name))
        return gy_json_load(name, err);
    for (int i = 0; i < 4; i++) {
        struct gy_error quiet = {0};
        struct gy_json_doc *doc = gy_model_open(kinds[i], name, &quiet);
        if (doc)
            return doc;
    }
    char buf[64];
    const char *near = gy_model_nearest(NULL, name, buf);
    gy_fail(err, GY_EUSAGE, NULL, "no model named \"%s\"", name);
    if (near)
        gy_hint(err, "did you mean \"%s\"?", near);
    else
        gy_hint(err, "\"%s models list\" shows what is built in", GY_PROGRAM);
    return NULL;
}

static int finish(struct gy_writer *to, int rc, struct gy_error *err)
{
    if (rc && to)
        gy_writer_abandon(to);
    else if (to)
        rc = gy_writer_commit(to, err);
    return rc || !to ? gy_cli_fail(err) : 0;
}

int gy_verb_models_list(struct gy_cli *cli)
{
    struct gy_error err = {0};
    struct gy_writer *to = gy_writer_open("-", &err);
    return finish(to, to ? list(cli, to, &err) : -1, &err);
}

int gy_verb_models_show(struct gy_cli *cli)
{
    struct gy_error err = {0};
    struct gy_json_doc *doc = open_any(cli->args.at[0], &err);
    struct gy_writer *to = doc ? gy_writer_open("-", &err) : NULL;
    if (to && cli->json) {
        struct gy_json_out o = {.to = to, .first = true};
        gy_jo_value(&o, NULL, gy_json_root(doc));
        gy_writer_text(to, "\n");
    } else if (to)
        show(to, gy_json_root(doc), 0);
    int rc = finish(to, to ? 0 : -1, &err);
    gy_json_free(doc);
    return rc;
}
