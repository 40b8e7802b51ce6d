/* Options: the shared rows, finding the verb, parsing by argp, and help. Messages about a wrong command line are ours,
 * so that they can name the nearest valid one; argp does the parsing and formats the help. */
#include <argp.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "gy_cli.h"
#include "gy_param.h"

enum { K_SET = 1000, K_TRACE, K_FORMAT, K_SEED, K_JSON, K_PROGRESS, K_TIMING, K_PLAIN, K_HELP };
#define OPTIONS_MAX 64

static const struct {
    unsigned group;
    struct gy_cli_option option;
} shared[] = {
    {GY_CLI_SCENARIO,
     {"set", K_SET, "POINTER=VALUE",
      "Sets a value of the scenario: /json/pointer=VALUE or cluster.nodes.0.count=32; may be repeated"}},
    {GY_CLI_SCENARIO, {"trace", K_TRACE, "FILE", "Replaces the scenario's trace; - is standard input"}},
    {GY_CLI_FORMAT, {"format", K_FORMAT, "NAME", "Format of the trace, instead of finding it out"}},
    {GY_CLI_SCENARIO, {"seed", K_SEED, "N", "Replaces the scenario's seed"}},
    {GY_CLI_OUT, {"out", 'o', "PATH", "Where the result goes; - is standard output where that makes sense"}},
    {GY_CLI_JSON, {"json", K_JSON, NULL, "Prints the result as JSON on standard output"}},
    {GY_CLI_QUIET, {"quiet", 'q', NULL, "Prints errors only (and the JSON of --json)"}},
    {GY_CLI_PLAIN, {"plain", K_PLAIN, NULL, "On a terminal too: plain characters, no colour"}},
    {GY_CLI_PROGRESS, {"progress", K_PROGRESS, "WHEN", "auto (on a terminal), always or never"}},
    {GY_CLI_PROGRESS, {"timing", K_TIMING, NULL, "Adds the engine's own speed: on standard error, and to --json"}},
    {~0u, {"help", 'h', NULL, "Prints this help"}},
};

struct table {
    struct argp_option rows[OPTIONS_MAX + 1];
    size_t n;
    char names[OPTIONS_MAX][40], helps[OPTIONS_MAX][256]; /* of parameters: with dashes, with their default */
};

struct parse {
    struct gy_cli *cli;
    struct gy_error *err;
    bool failed, help;
};

static void add_option(struct table *t, const struct gy_cli_option *o)
{
    if (t->n < OPTIONS_MAX)
        t->rows[t->n++] = (struct argp_option){.name = o->name, .key = o->key, .arg = o->arg, .doc = o->help};
}

static void add_param(struct table *t, const struct gy_param *row, int key)
{
    struct gy_cli_option o = {t->names[t->n], key, "VALUE", t->helps[t->n]};

    if (t->n == OPTIONS_MAX)
        return;
    snprintf(t->names[t->n], sizeof *t->names, "%s", row->name);
    for (char *c = t->names[t->n]; *c != '\0'; c++)
        *c = *c == '_' ? '-' : *c;
    snprintf(t->helps[t->n], sizeof *t->helps, "%s (%s)", row->help, row->preset == NULL ? "required" : row->preset);
    add_option(t, &o);
}

static void options_of(const struct gy_verb *verb, struct table *t)
{
    memset(t, 0, sizeof *t);
    for (const struct gy_cli_option *o = verb->options; o != NULL && o->name != NULL; o++)
        add_option(t, o);
    for (int i = 0; verb->params != NULL && verb->params[i].name != NULL; i++)
        add_param(t, &verb->params[i], GY_CLI_PARAM + i);
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        if ((verb->common | 1u << 31) & shared[i].group)
            add_option(t, &shared[i].option);
}

/* How many words of argv the name takes when it is the verb asked for, else 0. */
static int words_matched(const char *name, int argc, char **argv)
{
    const char *blank = strchr(name, ' ');
    size_t first = blank == NULL ? strlen(name) : (size_t)(blank - name);

    if (argc < 2 || strlen(argv[1]) != first || strncmp(argv[1], name, first) != 0)
        return 0;
    if (blank == NULL)
        return 1;
    return argc > 2 && strcmp(argv[2], blank + 1) == 0 ? 2 : 0;
}

/* "no such verb", with the nearest: among second words when the first one is right. */
static void unknown_verb(int argc, char **argv, struct gy_error *err)
{
    const char *near[64], *nearest;
    size_t n = 0, first = strlen(argv[1]);
    bool second = false;

    for (const struct gy_verb *v = gy_verbs; v->name != NULL && n < 64; v++) {
        if (strncmp(v->name, argv[1], first) != 0 || v->name[first] != ' ')
            continue;
        second = true;
        near[n++] = v->name + first + 1;
    }
    if (second && argc < 3) {
        gy_fail(err, GY_EUSAGE, NULL, "\"%s\" needs one more word", argv[1]);
        gy_hint(err, "try \"%s help %s\"", GY_PROGRAM, argv[1]);
        return;
    }
    for (const struct gy_verb *v = gy_verbs; !second && v->name != NULL && n < 64; v++)
        near[n++] = v->name;
    nearest = gy_nearest(argv[second ? 2 : 1], near, n);
    gy_fail(err, GY_EUSAGE, NULL, "unknown verb \"%s%s%s\"", argv[1], second ? " " : "", second ? argv[2] : "");
    if (nearest != NULL)
        gy_hint(err, "did you mean \"%s%s%s\"?", second ? argv[1] : "", second ? " " : "", nearest);
    else
        gy_hint(err, "\"%s help\" lists them", GY_PROGRAM);
}

const struct gy_verb *gy_cli_find(int argc, char **argv, int *words, struct gy_error *err)
{
    for (const struct gy_verb *v = gy_verbs; v->name != NULL; v++) {
        *words = words_matched(v->name, argc, argv);
        if (*words > 0)
            return v;
    }
    unknown_verb(argc, argv, err);
    return NULL;
}

static const struct argp_option *short_option(const struct table *t, char c)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->rows[i].key == c && isalpha((unsigned char)c))
            return &t->rows[i];
    return NULL;
}

/* The option that the text (without dashes, up to '=') names exactly or begins as the only one. */
static const struct argp_option *long_option(const struct table *t, const char *text, size_t len, bool *ambiguous)
{
    const struct argp_option *found = NULL;

    *ambiguous = false;
    for (size_t i = 0; i < t->n; i++) {
        if (strncmp(t->rows[i].name, text, len) != 0)
            continue;
        if (t->rows[i].name[len] == '\0')
            return &t->rows[i];
        *ambiguous = found != NULL;
        found = found == NULL ? &t->rows[i] : found;
    }
    return *ambiguous ? NULL : found;
}

static int unknown_option(const struct table *t, const char *text, size_t len, bool ambiguous, struct gy_error *err)
{
    const char *names[OPTIONS_MAX], *nearest;
    char name[128];

    for (size_t i = 0; i < t->n; i++)
        names[i] = t->rows[i].name;
    snprintf(name, sizeof name, "%.*s", (int)len, text);
    gy_fail(err, GY_EUSAGE, NULL, ambiguous ? "option \"--%s\" may mean several" : "unknown option \"--%s\"", name);
    nearest = gy_nearest(name, names, t->n);
    if (nearest != NULL)
        gy_hint(err, "did you mean \"--%s\"?", nearest);
    return -1;
}

/* Checks argv[i], an option, against the table; the number of further words that it takes (0 or 1), or -1. */
static int check_long(const struct table *t, int argc, char **argv, int i, struct gy_error *err)
{
    const char *text = argv[i] + 2, *equals = strchr(text, '=');
    size_t len = equals == NULL ? strlen(text) : (size_t)(equals - text);
    bool ambiguous;
    const struct argp_option *o = long_option(t, text, len, &ambiguous);

    if (o == NULL)
        return unknown_option(t, text, len, ambiguous, err);
    if (o->arg == NULL && equals != NULL)
        return gy_fail(err, GY_EUSAGE, NULL, "option \"--%s\" takes no value", o->name);
    if (o->arg == NULL || equals != NULL)
        return 0;
    if (i + 1 < argc)
        return 1;
    return gy_fail(err, GY_EUSAGE, NULL, "option \"--%s\" needs a value: --%s %s", o->name, o->name, o->arg);
}

static int check_short(const struct table *t, int argc, char **argv, int i, struct gy_error *err)
{
    for (const char *c = argv[i] + 1; *c != '\0'; c++) {
        const struct argp_option *o = short_option(t, *c);
        if (o == NULL)
            return gy_fail(err, GY_EUSAGE, NULL, "unknown option \"-%c\" in \"%s\"", *c, argv[i]);
        if (o->arg == NULL)
            continue;
        if (c[1] != '\0')
            return 0;
        if (i + 1 < argc)
            return 1;
        return gy_fail(err, GY_EUSAGE, NULL, "option \"-%c\" needs a value: -%c %s", *c, *c, o->arg);
    }
    return 0;
}

static int check(const struct table *t, int argc, char **argv, struct gy_error *err)
{
    for (int i = 1; i < argc; i++) {
        int more = 0;
        if (strcmp(argv[i], "--") == 0)
            return 0;
        if (strncmp(argv[i], "--", 2) == 0)
            more = check_long(t, argc, argv, i, err);
        else if (argv[i][0] == '-' && argv[i][1] != '\0')
            more = check_short(t, argc, argv, i, err);
        if (more < 0)
            return -1;
        i += more;
    }
    return 0;
}

static int take_seed(struct gy_cli *cli, const char *arg, struct gy_error *err)
{
    char *end;
    long long n = strtoll(arg, &end, 10);

    if (!isdigit((unsigned char)arg[0]) || *end != '\0' || n > (1ll << 53))
        return gy_fail(err, GY_EUSAGE, NULL, "--seed %s: expected a whole number from 0 to 2^53", arg);
    cli->has_seed = true;
    cli->seed = n;
    return 0;
}

static int take_progress(struct gy_cli *cli, const char *arg, struct gy_error *err)
{
    static const char *const words[] = {"auto", "always", "never"};
    const char *nearest = gy_nearest(arg, words, 3);

    for (int i = 0; i < 3; i++) {
        if (strcmp(arg, words[i]) == 0) {
            cli->progress = (enum gy_cli_progress)i;
            return 0;
        }
    }
    gy_fail(err, GY_EUSAGE, NULL, "--progress %s: expected auto, always or never", arg);
    if (nearest != NULL)
        gy_hint(err, "did you mean \"%s\"?", nearest);
    return -1;
}

static int take(struct parse *p, int key, const char *arg)
{
    struct gy_cli *cli = p->cli;

    switch (key) {
    case K_SET:
        if (strchr(arg, '=') == NULL || arg[0] == '=')
            return gy_fail(p->err, GY_EUSAGE, NULL, "--set %s: expected POINTER=VALUE, as in --set /seed=2", arg);
        return gy_vec_push(&cli->sets, arg) ? 0 : gy_nomem(p->err);
    case K_TRACE:
        cli->trace = arg;
        return 0;
    case K_FORMAT:
        cli->format = arg;
        return 0;
    case K_SEED:
        return take_seed(cli, arg, p->err);
    case K_JSON:
        cli->json = true;
        return 0;
    case K_PROGRESS:
        return take_progress(cli, arg, p->err);
    case K_TIMING:
        cli->timing = true;
        return 0;
    case K_PLAIN:
        cli->plain = true;
        return 0;
    case 'h':
        p->help = true;
        return 0;
    case 'q':
        cli->quiet = true;
        return 0;
    default:
        break;
    }
    if (key == 'o' && (cli->verb->common & GY_CLI_OUT)) {
        cli->out = arg;
        return 0;
    }
    struct gy_cli_value v = {key, arg == NULL ? "" : arg};
    return gy_vec_push(&cli->own, v) ? 0 : gy_nomem(p->err);
}

static error_t parser(int key, char *arg, struct argp_state *state)
{
    struct parse *p = state->input;

    if (p->failed)
        return 0;
    if (key == ARGP_KEY_ARG) {
        if (!gy_vec_push(&p->cli->args, arg))
            p->failed = gy_nomem(p->err) != 0;
        return 0;
    }
    if (key <= 0 || key >= ARGP_KEY_END)
        return ARGP_ERR_UNKNOWN;
    p->failed = take(p, key, arg) != 0;
    return 0;
}

static int check_args(const struct gy_cli *cli, struct gy_error *err)
{
    const struct gy_verb *v = cli->verb;

    if (cli->args.n < v->min_args)
        gy_fail(err, GY_EUSAGE, NULL, "%s: expected %s", v->name, v->args);
    else if (cli->args.n > v->max_args)
        gy_fail(err, GY_EUSAGE, NULL, "%s: \"%s\" is one argument too many", v->name, cli->args.at[v->max_args]);
    else
        return 0;
    return gy_hint(err, "usage: %s %s [OPTION...] %s", GY_PROGRAM, v->name, v->args);
}

int gy_cli_parse(struct gy_cli *cli, int argc, char **argv, struct gy_error *err)
{
    struct table table;
    struct parse p = {.cli = cli, .err = err};

    options_of(cli->verb, &table);
    if (check(&table, argc, argv, err) != 0) {
        if (err->hint[0] == '\0')
            gy_hint(err, "\"%s help %s\" lists the options", GY_PROGRAM, cli->verb->name);
        return -1;
    }
    const struct argp argp = {.options = table.rows, .parser = parser};
    error_t rc = argp_parse(&argp, argc, argv, ARGP_NO_EXIT | ARGP_NO_ERRS | ARGP_NO_HELP, NULL, &p);
    if (p.failed)
        return -1;
    if (rc != 0)
        return gy_fail(err, GY_EUSAGE, NULL, "%s: the command line was not understood", cli->verb->name);
    if (p.help) {
        gy_cli_help_verb(stdout, cli->verb);
        return 1;
    }
    return check_args(cli, err);
}

void gy_cli_free(struct gy_cli *cli)
{
    gy_vec_free(&cli->args);
    gy_vec_free(&cli->sets);
    gy_vec_free(&cli->own);
}

const char *gy_cli_get(const struct gy_cli *cli, int key)
{
    for (size_t i = cli->own.n; i-- > 0;)
        if (cli->own.at[i].key == key)
            return cli->own.at[i].value;
    return NULL;
}

void gy_cli_help_verb(FILE *to, const struct gy_verb *verb)
{
    struct table table;
    char name[64], doc[4096];

    options_of(verb, &table);
    snprintf(name, sizeof name, GY_PROGRAM " %s", verb->name);
    snprintf(doc, sizeof doc, "%s.%s%s", verb->summary, verb->doc == NULL ? "" : "\v",
             verb->doc == NULL ? "" : verb->doc);
    const struct argp argp = {.options = table.rows, .parser = parser, .args_doc = verb->args, .doc = doc};
    argp_help(&argp, to, ARGP_HELP_USAGE | ARGP_HELP_DOC | ARGP_HELP_LONG, name);
}

void gy_cli_help(FILE *to)
{
    fprintf(to,
            "Usage: %s VERB [OPTION...] ...\n"
            "A simulator of GPU clusters: replays job traces on clusters that you describe.\n\n",
            GY_PROGRAM);
    for (const struct gy_verb *v = gy_verbs; v->name != NULL; v++) {
        char left[80];
        snprintf(left, sizeof left, "%s %s", v->name, v->args);
        fprintf(to, "  %-30s  %s\n", left, v->summary);
    }
    fprintf(to, "\n  %-30s  %s\n  %-30s  %s\n\n", "help [VERB]", "More about one verb", "--version",
            "Prints the version");
    fprintf(to, "Results go to standard output, progress and warnings to standard error.\n"
                "Exit status: 0 done, 1 a check or threshold failed, 2 the input or the command line is wrong,\n"
                "3 the machine failed; 130 and 143 interrupted (what was written is marked as partial).\n");
}
