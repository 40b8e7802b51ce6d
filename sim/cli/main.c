/* gpuyard: finds the verb, parses its options, runs it, and sees to it that what was printed arrived. The only exit. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include "gy_cli.h"

int gy_cli_fail(const struct gy_error *err)
{
    fflush(stdout);
    gy_error_print(stderr, GY_PROGRAM, err);
    return gy_exit_status(err->code);
}

int gy_cli_fail_all(const struct gy_diags *diags)
{
    fflush(stdout);
    gy_diags_print(stderr, GY_PROGRAM, diags);
    return diags->shown == 0 ? 2 : gy_exit_status(diags->at[0].code);
}

int gy_verb_version(struct gy_cli *cli)
{
    (void)cli;
    printf("%s %s\n", GY_PROGRAM, GY_VERSION);
    return 0;
}

static bool is_one_of(const char *text, const char *a, const char *b, const char *c)
{
    return strcmp(text, a) == 0 || strcmp(text, b) == 0 || strcmp(text, c) == 0;
}

/* help, help VERB, help trace (all the verbs that begin so). */
static int help(int argc, char **argv)
{
    struct gy_error err = {0};
    size_t first = argc > 2 ? strlen(argv[2]) : 0;
    int words, shown = 0;

    if (argc < 3) {
        gy_cli_help(stdout);
        return 0;
    }
    for (const struct gy_verb *v = gy_verbs; argc == 3 && v->name != NULL; v++) {
        if (strncmp(v->name, argv[2], first) != 0 || v->name[first] != ' ')
            continue;
        if (shown++ > 0)
            putchar('\n');
        gy_cli_help_verb(stdout, v);
    }
    if (shown > 0)
        return 0;
    const struct gy_verb *verb = gy_cli_find(argc - 1, argv + 1, &words, &err);
    if (verb == NULL)
        return gy_cli_fail(&err);
    gy_cli_help_verb(stdout, verb);
    return 0;
}

static int dispatch(int argc, char **argv)
{
    struct gy_error err = {0};
    struct gy_cli cli = {.argc = argc, .argv = argv};
    int words, rc;

    if (argc < 2) {
        gy_cli_help(stderr);
        return 2;
    }
    if (is_one_of(argv[1], "help", "--help", "-h"))
        return help(argc, argv);
    if (is_one_of(argv[1], "--version", "-V", "version"))
        return gy_verb_version(&cli);
    cli.verb = gy_cli_find(argc, argv, &words, &err);
    if (cli.verb == NULL) {
        if (argv[1][0] == '-')
            gy_fail(&err, GY_EUSAGE, NULL, "expected a verb before \"%s\"", argv[1]);
        return gy_cli_fail(&err);
    }
    rc = gy_cli_parse(&cli, argc - words, argv + words, &err);
    if (rc < 0)
        rc = gy_cli_fail(&err);
    else
        rc = rc > 0 ? 0 : cli.verb->run(&cli);
    gy_cli_free(&cli);
    return rc;
}

int main(int argc, char **argv)
{
    struct gy_error err = {0};
    int rc;

    signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error that is told, not a silent end */
    signal(SIGXFSZ, SIG_IGN); /* as is a file that may grow no more */
    rc = dispatch(argc, argv);
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        gy_fail(&err, GY_EIO, "standard output", "cannot write: %s",
                errno == 0 ? "an earlier write failed" : strerror(errno));
        return gy_cli_fail(&err);
    }
    return rc;
}
