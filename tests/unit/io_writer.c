/* Output: nothing under the final name before commit, the same gzip bytes each time, errors that stick, CSV fields. */
#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "gy_file.h"
#include "gy_json.h"
#include "gy_time.h"

static char dir[64];
static struct gy_error err;

static void make_dir(void)
{
    strcpy(dir, "/tmp/gy-io-XXXXXX");
    cr_assert_not_null(mkdtemp(dir));
}

static void remove_dir(void)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf %s", dir);
    cr_assert_eq(system(command), 0);
}

static const char *in_dir(const char *name)
{
    static char path[4][256];
    static int next;

    next = (next + 1) % 4;
    snprintf(path[next], sizeof path[next], "%s/%s", dir, name);
    return path[next];
}

static bool exists(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0;
}

static void holds(const char *path, const char *want)
{
    char *text = gy_file_slurp(path, 1 << 20, NULL, NULL, &err);

    cr_assert_not_null(text, "%s", err.what);
    cr_assert_str_eq(text, want);
    free(text);
}

TestSuite(io_writer, .init = make_dir, .fini = remove_dir);

Test(io_writer, the_old_file_stands_until_commit)
{
    const char *path = in_dir("a.csv"), *partial = in_dir("a.csv.partial");
    struct gy_writer *w = gy_writer_open(path, &err);

    gy_writer_text(w, "old");
    cr_assert_not(exists(path));
    cr_assert(exists(partial));
    cr_assert_eq(gy_writer_commit(w, &err), 0);
    holds(path, "old");
    cr_assert_not(exists(partial));
    w = gy_writer_open(path, &err);
    gy_writer_text(w, "new");
    holds(path, "old");
    gy_writer_abandon(w);
    holds(path, "old");
    cr_assert_not(exists(partial));
    w = gy_writer_open(path, &err);
    gy_writer_printf(w, "%s %d", "new", 5);
    cr_assert_eq(gy_writer_commit(w, &err), 0);
    holds(path, "new 5");
}

Test(io_writer, long_texts_pass_the_buffer)
{
    struct gy_writer *w = gy_writer_open(in_dir("a.gz"), &err);
    size_t n = 1000000, len;
    char *line = malloc(n + 1), *got;

    memset(line, 'y', n);
    line[n] = '\0';
    gy_writer_printf(w, "<%s>", line);
    gy_writer_put(w, line, n);
    cr_assert_eq(gy_writer_commit(w, &err), 0);
    got = gy_file_slurp(in_dir("a.gz"), 1 << 24, &len, NULL, &err);
    cr_assert_eq(len, 2 * n + 2);
    cr_assert_eq(got[0], '<');
    cr_assert_eq(got[n + 1], '>');
    cr_assert_eq(memcmp(got + n + 2, line, n), 0);
    free(got);
    free(line);
}

Test(io_writer, gzip_bytes_tell_no_time_and_no_system)
{
    unsigned char head[10];
    static const unsigned char want[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};
    struct gy_writer *w = gy_writer_open(in_dir("a.gz"), &err);

    gy_writer_text(w, "abc");
    cr_assert_eq(gy_writer_commit(w, &err), 0);
    FILE *from = fopen(in_dir("a.gz"), "rb");
    cr_assert_eq(fread(head, 1, 10, from), 10);
    fclose(from);
    cr_assert_eq(memcmp(head, want, 10), 0);
    holds(in_dir("a.gz"), "abc");
}

Test(io_writer, memory)
{
    struct gy_writer *w = gy_writer_open(NULL, &err);
    size_t len;

    cr_assert_str_eq(gy_writer_memory(w, &len), "");
    cr_assert_eq(len, 0);
    gy_writer_text(w, "ab");
    gy_writer_put(w, "c", 1);
    cr_assert_str_eq(gy_writer_memory(w, &len), "abc");
    cr_assert_eq(len, 3);
    cr_assert_null(gy_writer_error(w));
    cr_assert_eq(gy_writer_commit(w, &err), 0);
}

Test(io_writer, cannot_create)
{
    cr_assert_null(gy_writer_open(in_dir("none/a.csv"), &err));
    cr_assert_eq(err.code, GY_EIO);
    cr_assert_str_eq(err.hint, "the folder does not exist");
    cr_assert_null(gy_writer_open(dir, &err));
    cr_assert_eq(err.code, GY_EIO);
    cr_assert_not_null(strstr(err.what, "directory"));
}

/* /dev/full says "no space" to every write. */
Test(io_writer, a_full_disk_is_an_error_that_sticks)
{
    struct gy_writer *w = gy_writer_open("/dev/full", &err);

    cr_assert_not_null(w);
    for (int i = 0; i < 100000; i++)
        gy_writer_text(w, "0123456789");
    cr_assert_not_null(gy_writer_error(w));
    cr_assert_eq(gy_writer_commit(w, &err), -1);
    cr_assert_eq(err.code, GY_EIO);
    cr_assert_str_eq(err.place, "/dev/full");
    cr_assert_str_eq(err.what, "cannot write: No space left on device");
    w = gy_writer_open("/dev/full", &err);
    gy_writer_text(w, "short"); /* seen at commit only */
    cr_assert_null(gy_writer_error(w));
    cr_assert_eq(gy_writer_commit(w, &err), -1);
    cr_assert(exists("/dev/full"));
}

Test(io_writer, a_closed_pipe_is_an_error)
{
    int ends[2], saved = dup(STDOUT_FILENO);
    struct gy_writer *w;

    signal(SIGPIPE, SIG_IGN);
    fflush(stdout);
    cr_assert_eq(pipe(ends), 0);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    w = gy_writer_open("-", &err);
    gy_writer_text(w, "into nothing");
    int rc = gy_writer_commit(w, &err);
    dup2(saved, STDOUT_FILENO);
    cr_assert_eq(rc, -1);
    cr_assert_eq(err.code, GY_EIO);
    cr_assert_str_eq(err.place, "standard output");
    cr_assert_not_null(strstr(err.hint, "has ended"));
}

Test(io_writer, a_failure_from_above_leaves_nothing)
{
    struct gy_writer *w = gy_writer_open(in_dir("a.csv"), &err);

    gy_writer_text(w, "half");
    gy_writer_fail(w, GY_EINPUT, "the trace is unsorted");
    gy_writer_fail(w, GY_EIO, "later, so not told");
    cr_assert_eq(gy_writer_commit(w, &err), -1);
    cr_assert_eq(err.code, GY_EINPUT);
    cr_assert_str_eq(err.what, "the trace is unsorted");
    cr_assert_not(exists(in_dir("a.csv")));
    cr_assert_not(exists(in_dir("a.csv.partial")));
}

Test(io_writer, csv_fields)
{
    static const char *const texts[] = {"plain", "", "a,b", "say \"x\"", "two\nlines", "\"", "\r"};
    struct gy_writer *w = gy_writer_open(NULL, &err);

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        gy_writer_csv(w, texts[i]);
        gy_writer_text(w, ";");
    }
    cr_assert_str_eq(gy_writer_memory(w, NULL), "plain;;\"a,b\";\"say \"\"x\"\"\";\"two\nlines\";\"\"\"\";\"\r\";");
    gy_writer_abandon(w);
    w = gy_writer_open(NULL, &err);
    gy_writer_csv_number(w, 0.1);
    gy_writer_text(w, ",");
    gy_writer_csv_number(w, NAN);
    gy_writer_text(w, ",");
    gy_writer_time(w, 4709164000);
    gy_writer_text(w, ",");
    gy_writer_time(w, GY_NONE);
    cr_assert_str_eq(gy_writer_memory(w, NULL), "0.1,,4.709164,");
    gy_writer_abandon(w);
}
