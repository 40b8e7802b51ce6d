/* gpuyard trace generate: a made-up trace as gpuyard CSV. The parameters are the generator's own table. */
#include "gy_bind.h"
#include "gy_cli.h"
#include "gy_describe.h"
#include "gy_file.h"
#include "gy_generate.h"

/* The options given as a document, so that binding checks them like a scenario's keys. */
static struct gy_json_doc *document(const struct gy_cli *cli, struct gy_error *err)
{
    struct gy_json_doc *doc = gy_json_parse("trace generate", "{}", 2, err);

    for (size_t i = 0; i < cli->own.n && doc != NULL; i++) {
        const struct gy_cli_value *v = &cli->own.at[i];
        char pointer[80];
        snprintf(pointer, sizeof pointer, "/%s", gy_generate_params[v->key - GY_CLI_PARAM].name);
        if (gy_json_set_as(doc, pointer, v->value, "trace generate", err) == 0)
            continue;
        gy_json_free(doc);
        doc = NULL;
    }
    return doc;
}

static int generate(const struct gy_cli *cli, const struct gy_generate *p, struct gy_error *err)
{
    struct gy_trace *t = NULL;
    struct gy_writer *to = NULL;
    char jobs[32];
    int rc = -1;

    if (gy_trace_generate(p, NULL, &t, err) == 0)
        to = gy_writer_open(cli->out == NULL ? "-" : cli->out, err);
    if (to != NULL) {
        gy_trace_write_csv(t, to);
        rc = gy_writer_commit(to, err);
    }
    if (rc == 0 && !cli->quiet && cli->out != NULL)
        fprintf(stderr, "%s jobs written to %s\n", gy_grouped(t->jobs.n, jobs), cli->out);
    gy_trace_free(t);
    return rc;
}

int gy_verb_trace_generate(struct gy_cli *cli)
{
    struct gy_arena arena = GY_ARENA_INIT;
    struct gy_diags diags = {0};
    struct gy_error err = {0};
    struct gy_generate p;
    struct gy_json_doc *doc = document(cli, &err);
    int status;

    if (doc == NULL)
        return gy_cli_fail(&err);
    if (gy_bind(gy_generate_params, doc, gy_json_root(doc), "", &p, &arena, &diags) != 0)
        status = gy_cli_fail_all(&diags);
    else
        status = generate(cli, &p, &err) == 0 ? 0 : gy_cli_fail(&err);
    gy_json_free(doc);
    gy_arena_free(&arena);
    return status;
}
