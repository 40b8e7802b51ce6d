/* Input: plain, gzip (in members, truncated, corrupt), peeking, hashes, whole files, paths, and the errors of opening.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "gy_file.h"

static char dir[64];
static struct gy_error err;

static void make_dir(void)
{
    strcpy(dir, "/tmp/gy-io-XXXXXX");
    cr_assert_not_null(mkdtemp(dir));
    memset(&err, 0, sizeof err);
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

static void put_file(const char *path, const void *bytes, size_t n)
{
    FILE *to = fopen(path, "wb");

    cr_assert_not_null(to);
    cr_assert_eq(fwrite(bytes, 1, n, to), n);
    cr_assert_eq(fclose(to), 0);
}

/* n bytes that a compressor cannot make much of. */
static char *noise(size_t n)
{
    char *bytes = malloc(n);
    uint64_t x = 88172645463325252u;

    for (size_t i = 0; i < n; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        bytes[i] = (char)(x >> 40);
    }
    return bytes;
}

/* bytes as a gzip file, read back raw; *len is its size. */
static char *gzipped(const void *bytes, size_t n, size_t *len)
{
    const char *path = in_dir("made.gz");
    struct gy_writer *w = gy_writer_open(path, &err);
    struct stat st;

    cr_assert_not_null(w, "%s", err.what);
    gy_writer_put(w, bytes, n);
    cr_assert_eq(gy_writer_commit(w, &err), 0);
    cr_assert_eq(stat(path, &st), 0);
    *len = (size_t)st.st_size;
    char *raw = malloc(*len + 1);
    FILE *from = fopen(path, "rb");
    cr_assert_eq(fread(raw, 1, *len, from), *len);
    fclose(from);
    return raw;
}

/* All of a memory input by reads of step bytes; NULL on an error. */
static char *read_through(const void *bytes, size_t n, size_t step, size_t *len)
{
    struct gy_input *in = gy_input_memory("mem", bytes, n, &err);
    char *all = malloc(1 << 20);
    long got = 1;

    *len = 0;
    if (in == NULL) {
        free(all);
        return NULL;
    }
    while (got > 0) {
        got = gy_input_read(in, all + *len, step, &err);
        *len += got > 0 ? (size_t)got : 0;
    }
    gy_input_close(in);
    if (got == 0)
        return all;
    free(all);
    return NULL;
}

TestSuite(io_file, .init = make_dir, .fini = remove_dir);

Test(io_file, known_hashes)
{
    static const struct {
        const char *text, *hash;
    } rows[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    };
    char hex[65], buf[16];

    for (size_t i = 0; i < 2; i++) {
        struct gy_input *in = gy_input_memory("mem", rows[i].text, strlen(rows[i].text), &err);
        cr_assert_not_null(in);
        while (gy_input_read(in, buf, sizeof buf, &err) > 0)
            ;
        gy_input_sha256(in, hex);
        cr_assert_str_eq(hex, rows[i].hash);
        cr_assert_eq(gy_input_bytes(in), strlen(rows[i].text));
        gy_input_close(in);
    }
}

Test(io_file, no_hash_before_the_end)
{
    char hex[65] = "x", buf[2], *bytes = noise(300000);
    struct gy_input *in = gy_input_memory("mem", bytes, 300000, &err);

    cr_assert_eq(gy_input_read(in, buf, 2, &err), 2);
    gy_input_sha256(in, hex);
    cr_assert_str_eq(hex, "");
    gy_input_close(in);
    free(bytes);
}

Test(io_file, gzip_comes_back_for_any_read_size)
{
    size_t n = 300000, packed_len, len, steps[] = {1, 7, 4096, 1 << 18};
    char *bytes = noise(n), *packed = gzipped(bytes, n, &packed_len);

    for (size_t i = 0; i < 4; i++) {
        char *got = read_through(packed, packed_len, steps[i], &len);
        cr_assert_not_null(got, "%s", err.what);
        cr_assert_eq(len, n);
        cr_assert_eq(memcmp(got, bytes, n), 0);
        free(got);
    }
    free(packed);
    free(bytes);
}

Test(io_file, gzip_members_and_padding)
{
    size_t a_len, b_len, len;
    char *a = gzipped("one,", 4, &a_len), *b = gzipped("two", 3, &b_len), *joined = calloc(1, a_len + b_len + 512);

    memcpy(joined, a, a_len);
    memcpy(joined + a_len, b, b_len);
    char *got = read_through(joined, a_len + b_len + 512, 100, &len); /* with zeros behind, as tapes have them */
    cr_assert_not_null(got, "%s", err.what);
    cr_assert_eq(len, 7);
    cr_assert_eq(memcmp(got, "one,two", 7), 0);
    free(got);
    joined[a_len + b_len + 3] = 'x';
    cr_assert_null(read_through(joined, a_len + b_len + 512, 100, &len));
    cr_assert_eq(err.code, GY_EINPUT);
    cr_assert_not_null(strstr(err.what, "after the end of the gzip data"));
    free(a);
    free(b);
    free(joined);
}

Test(io_file, every_truncation_of_gzip_is_an_error)
{
    size_t packed_len, len;
    char *packed = gzipped("a text that is long enough, long enough to shrink", 49, &packed_len);

    for (size_t cut = 2; cut < packed_len; cut++) {
        err.what[0] = '\0';
        char *got = read_through(packed, cut, 4096, &len);
        cr_assert_null(got, "cut at %zu", cut);
        cr_assert_eq(err.code, GY_EINPUT);
        cr_assert_str_eq(err.place, "mem");
        cr_assert_not_null(strstr(err.what, "truncated"), "%s", err.what);
    }
    free(packed);
}

Test(io_file, corrupt_gzip_is_an_error)
{
    size_t n = 5000, packed_len, len;
    char *bytes = noise(n), *packed = gzipped(bytes, n, &packed_len);

    packed[packed_len / 2] ^= 0x10; /* the checksum sees it, if inflating does not */
    cr_assert_null(read_through(packed, packed_len, 4096, &len));
    cr_assert_eq(err.code, GY_EINPUT);
    free(bytes);
    free(packed);
}

Test(io_file, peek_does_not_consume)
{
    size_t n = 10000, got = 0;
    char *bytes = noise(n), *all = malloc(n);
    struct gy_input *in;
    const char *ahead;

    bytes[0] = 'x'; /* no gzip */
    in = gy_input_memory("mem", bytes, n, &err);
    cr_assert_eq(gy_input_peek(in, &ahead, &err), 4096);
    cr_assert_eq(memcmp(ahead, bytes, 4096), 0);
    cr_assert_eq(gy_input_read(in, all, 100, &err), 100);
    cr_assert_eq(gy_input_peek(in, &ahead, &err), 4096);
    cr_assert_eq(memcmp(ahead, bytes + 100, 4096), 0);
    got = 100;
    for (long k; (k = gy_input_read(in, all + got, 3000, &err)) > 0;)
        got += (size_t)k;
    cr_assert_eq(got, n);
    cr_assert_eq(memcmp(all, bytes, n), 0);
    cr_assert_eq(gy_input_peek(in, &ahead, &err), 0);
    cr_assert_not_null(ahead); /* the end, no error */
    gy_input_close(in);
    free(bytes);
    free(all);
}

Test(io_file, slurp_and_its_limit)
{
    char hex[65], *text;
    size_t len;

    put_file(in_dir("a.txt"), "abc", 3);
    text = gy_file_slurp(in_dir("a.txt"), 3, &len, hex, &err);
    cr_assert_not_null(text);
    cr_assert_eq(len, 3);
    cr_assert_str_eq(text, "abc");
    cr_assert_eq(strncmp(hex, "ba7816bf", 8), 0);
    free(text);
    cr_assert_null(gy_file_slurp(in_dir("a.txt"), 2, &len, hex, &err));
    cr_assert_eq(err.code, GY_EINPUT);
    cr_assert_not_null(strstr(err.what, "more than 2 bytes"));
}

Test(io_file, a_small_gzip_cannot_fill_the_memory)
{
    size_t n = 8 << 20, len, packed_len;
    char *zeros = calloc(1, n);

    free(gzipped(zeros, n, &packed_len));
    cr_assert_lt(packed_len, n / 500);
    cr_assert_null(gy_file_slurp(in_dir("made.gz"), 1 << 20, &len, NULL, &err));
    cr_assert_not_null(strstr(err.what, "too large"));
    free(zeros);
}

static void open_fails(const char *path, enum gy_code code, const char *what, const char *hint)
{
    cr_assert_null(gy_input_open(path, &err), "%s", path);
    cr_assert_eq(err.code, code);
    cr_assert_not_null(strstr(err.what, what), "%s: %s", path, err.what);
    cr_assert_not_null(strstr(err.hint, hint), "%s: %s", path, err.hint);
}

Test(io_file, errors_of_opening)
{
    put_file(in_dir("cluster_log.csv"), "x", 1);
    put_file(in_dir("other"), "x", 1);
    open_fails(in_dir("cluster_lgo.csv"), GY_EINPUT, "no such file", "cluster_log.csv\"?");
    open_fails(in_dir("nothing_like_it_at_all"), GY_EINPUT, "no such file", "");
    open_fails(in_dir("none/a.csv"), GY_EINPUT, "no such file", "there is no folder");
    open_fails(dir, GY_EINPUT, "is a folder", "");
    open_fails("", GY_EINPUT, "empty file name", "");
    open_fails(in_dir("other/a"), GY_EINPUT, "Not a directory", "");
    if (geteuid() != 0) {
        cr_assert_eq(chmod(in_dir("other"), 0), 0);
        open_fails(in_dir("other"), GY_EINPUT, "Permission denied", "");
    }
}

Test(io_file, paths_beside_a_file)
{
    static const struct {
        const char *base, *path, *want;
    } rows[] = {
        {"scenarios/a.json", "t.csv", "scenarios/t.csv"},
        {"a.json", "t.csv", "t.csv"},
        {"/x/a.json", "../t.csv", "/x/../t.csv"},
        {"x/a.json", "/t.csv", "/t.csv"},
        {"x/a.json", "-", "-"},
        {NULL, "t.csv", "t.csv"},
    };
    char buf[64];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert(gy_path_resolve(rows[i].base, rows[i].path, buf, sizeof buf));
        cr_assert_str_eq(buf, rows[i].want);
    }
    cr_assert_not(gy_path_resolve("scenarios/a.json", "t.csv", buf, 15));
    cr_assert(gy_path_resolve("scenarios/a.json", "t.csv", buf, 16));
}
