/* gpuyard policies: what is built in, and every parameter of one. */
#include "gy_bind.h"
#include "gy_cli.h"
#include "gy_file.h"
#include "gy_policy.h"

static void list(struct gy_writer *to)
{
    for (size_t i = 0; gy_policies[i] != NULL; i++)
        gy_writer_printf(to, "%-18s %s\n", gy_policies[i]->name, gy_policies[i]->summary);
}

static void list_json(struct gy_writer *to)
{
    struct gy_json_out o = {.to = to};

    gy_jo_array(&o, NULL);
    for (size_t i = 0; gy_policies[i] != NULL; i++) {
        gy_jo_object(&o, NULL);
        gy_jo_string(&o, "name", gy_policies[i]->name);
        gy_jo_string(&o, "summary", gy_policies[i]->summary);
        gy_jo_end(&o, '}');
    }
    gy_jo_end(&o, ']');
}

static int finish(struct gy_writer *to, struct gy_error *err)
{
    return gy_writer_commit(to, err) == 0 ? 0 : gy_cli_fail(err);
}

int gy_verb_policies_list(struct gy_cli *cli)
{
    struct gy_error err = {0};
    struct gy_writer *to = gy_writer_open("-", &err);

    if (to == NULL)
        return gy_cli_fail(&err);
    if (cli->json)
        list_json(to);
    else
        list(to);
    return finish(to, &err);
}

static const struct gy_policy_type *find(const char *name, struct gy_error *err)
{
    const struct gy_policy_type *policy = gy_policy_find(name);
    const char *names[128], *nearest;
    size_t n = 0;

    if (policy != NULL)
        return policy;
    while (n < 128 && gy_policies[n] != NULL) {
        names[n] = gy_policies[n]->name;
        n++;
    }
    nearest = gy_nearest(name, names, n);
    gy_fail(err, GY_EUSAGE, NULL, "unknown policy \"%s\"", name);
    if (nearest != NULL)
        gy_hint(err, "did you mean \"%s\"?", nearest);
    else
        gy_hint(err, "\"%s policies list\" shows what is built in", GY_PROGRAM);
    return NULL;
}

int gy_verb_policies_show(struct gy_cli *cli)
{
    struct gy_error err = {0};
    const struct gy_policy_type *policy = find(cli->args.at[0], &err);
    struct gy_writer *to = policy == NULL ? NULL : gy_writer_open("-", &err);
    struct gy_json_out o = {.to = to};

    if (to == NULL)
        return gy_cli_fail(&err);
    if (cli->json) {
        gy_bind_schema(policy->params, &o, NULL);
    } else {
        gy_writer_printf(to, "%s: %s\n\n", policy->name, policy->summary);
        gy_bind_help(policy->params, to);
    }
    return finish(to, &err);
}
