/* Sequential input: plain or gzip by content, from a file, standard input or memory, hashed while it is read.
 * Not a seekable file, and no threads: one reader, forwards. */
#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include "file_hint.h"
#include "gy_file.h"

#define RAW_SIZE  ((size_t)1 << 17)
#define PEEK_SIZE ((size_t)4096)
#define READ_MOST ((size_t)1 << 30) /* in one call, so that sizes fit every type on the way */

struct gy_input {
    char *name;
    int fd; /* -1 when reading from memory */
    bool close_fd;
    const uint8_t *memory; /* what is left of it */
    size_t memory_len;
    uint64_t bytes, size; /* read from, and of, the file on disk */
    struct sha256_ctx sha;
    bool raw_end;           /* the file has no more bytes */
    bool gzip, member_open; /* member_open: inside a gzip member */
    z_stream z;             /* next_in, avail_in: the raw bytes not yet used, of plain input too */
    uint8_t raw[RAW_SIZE];
    char peek[PEEK_SIZE]; /* decoded, not yet consumed: [peek_at, peek_len) */
    size_t peek_at, peek_len;
};

static long read_some(struct gy_input *in, void *buf, size_t size, struct gy_error *err)
{
    ssize_t n;

    if (in->fd < 0) {
        n = (ssize_t)(size < in->memory_len ? size : in->memory_len);
        memcpy(buf, in->memory, (size_t)n);
        in->memory += n;
        in->memory_len -= (size_t)n;
    } else {
        do
            n = read(in->fd, buf, size);
        while (n < 0 && errno == EINTR);
    }
    if (n < 0)
        return gy_fail(err, errno == EISDIR ? GY_EINPUT : GY_EIO, in->name, "cannot read: %s", strerror(errno));
    if (n == 0)
        in->raw_end = true;
    in->bytes += (uint64_t)n;
    sha256_update(&in->sha, (size_t)n, buf);
    return n;
}

/* Makes at least want (≤ RAW_SIZE) raw bytes available, or as many as there are. */
static int fill_raw(struct gy_input *in, size_t want, struct gy_error *err)
{
    if (in->z.avail_in >= want)
        return 0;
    memmove(in->raw, in->z.next_in, in->z.avail_in);
    in->z.next_in = in->raw;
    while (in->z.avail_in < want && !in->raw_end) {
        long n = read_some(in, in->raw + in->z.avail_in, RAW_SIZE - in->z.avail_in, err);
        if (n < 0)
            return -1;
        in->z.avail_in += (uInt)n;
    }
    return 0;
}

static bool gzip_magic(const struct gy_input *in)
{
    return in->z.avail_in >= 2 && in->z.next_in[0] == 0x1f && in->z.next_in[1] == 0x8b;
}

static struct gy_input *start(struct gy_input *in, const char *name, struct gy_error *err)
{
    sha256_init(&in->sha);
    in->z.next_in = in->raw;
    in->name = strdup(name);
    if (in->name == NULL) {
        gy_nomem(err);
        goto fail;
    }
    if (fill_raw(in, 2, err) < 0)
        goto fail;
    if (!gzip_magic(in))
        return in;
    if (inflateInit2(&in->z, 15 + 16) != Z_OK) {
        gy_nomem(err);
        goto fail;
    }
    in->gzip = in->member_open = true;
    return in;
fail:
    gy_input_close(in);
    return NULL;
}

static int open_file(struct gy_input *in, const char *path, struct gy_error *err)
{
    struct stat st;

    if (strcmp(path, "-") == 0) {
        in->fd = STDIN_FILENO;
    } else {
        in->fd = open(path, O_RDONLY | O_CLOEXEC);
        in->close_fd = in->fd >= 0;
    }
    if (in->fd < 0 || fstat(in->fd, &st) < 0)
        return gy_fail_open(err, path, errno);
    if (S_ISDIR(st.st_mode))
        return gy_fail_open(err, path, EISDIR);
    if (S_ISREG(st.st_mode))
        in->size = (uint64_t)st.st_size;
    return 0;
}

struct gy_input *gy_input_open(const char *path, struct gy_error *err)
{
    struct gy_input *in = calloc(1, sizeof *in);

    if (in == NULL) {
        gy_nomem(err);
        return NULL;
    }
    in->fd = -1;
    if (open_file(in, path, err) < 0) {
        gy_input_close(in);
        return NULL;
    }
    return start(in, strcmp(path, "-") == 0 ? "standard input" : path, err);
}

struct gy_input *gy_input_memory(const char *name, const void *bytes, size_t len, struct gy_error *err)
{
    struct gy_input *in = calloc(1, sizeof *in);

    if (in == NULL) {
        gy_nomem(err);
        return NULL;
    }
    in->fd = -1;
    in->memory = len > 0 ? bytes : (const void *)"";
    in->memory_len = len;
    in->size = len;
    return start(in, name, err);
}

/* After a gzip member: opens the next one, or finds the end (zero padding is no error, as gzip has it). */
static int next_member(struct gy_input *in, struct gy_error *err)
{
    if (fill_raw(in, 2, err) < 0)
        return -1;
    if (gzip_magic(in)) {
        if (inflateReset(&in->z) != Z_OK)
            return gy_fail(err, GY_EINTERNAL, in->name, "zlib refused to start again");
        in->member_open = true;
        return 1;
    }
    while (in->z.avail_in > 0) {
        if (*in->z.next_in != 0)
            return gy_fail(err, GY_EINPUT, in->name, "found other bytes after the end of the gzip data");
        in->z.next_in++;
        in->z.avail_in--;
        if (fill_raw(in, 1, err) < 0)
            return -1;
    }
    return 0;
}

static long read_gzip(struct gy_input *in, void *buf, size_t size, struct gy_error *err)
{
    in->z.next_out = buf;
    in->z.avail_out = (uInt)size;
    while (in->z.avail_out == size) {
        if (!in->member_open) {
            int more = next_member(in, err);
            if (more <= 0)
                return more;
        }
        if (fill_raw(in, 1, err) < 0)
            return -1;
        if (in->z.avail_in == 0)
            return gy_fail(err, GY_EINPUT, in->name, "the gzip data is truncated: it ends after %llu bytes on disk",
                           (unsigned long long)in->bytes);
        int z = inflate(&in->z, Z_NO_FLUSH);
        if (z == Z_STREAM_END)
            in->member_open = false;
        else if (z == Z_MEM_ERROR)
            return gy_nomem(err);
        else if (z != Z_OK && z != Z_BUF_ERROR)
            return gy_fail(err, GY_EINPUT, in->name, "the gzip data is corrupt: %s",
                           in->z.msg != NULL ? in->z.msg : "not deflate data");
    }
    return (long)(size - in->z.avail_out);
}

static long read_plain(struct gy_input *in, void *buf, size_t size, struct gy_error *err)
{
    if (in->z.avail_in == 0)
        return in->raw_end ? 0 : read_some(in, buf, size, err);
    size_t n = size < in->z.avail_in ? size : in->z.avail_in;
    memcpy(buf, in->z.next_in, n);
    in->z.next_in += n;
    in->z.avail_in -= (uInt)n;
    return (long)n;
}

static long decode(struct gy_input *in, void *buf, size_t size, struct gy_error *err)
{
    return in->gzip ? read_gzip(in, buf, size, err) : read_plain(in, buf, size, err);
}

long gy_input_read(struct gy_input *in, void *buf, size_t size, struct gy_error *err)
{
    size_t ahead = in->peek_len - in->peek_at;

    if (size > READ_MOST)
        size = READ_MOST;
    if (size == 0)
        return 0;
    if (ahead == 0)
        return decode(in, buf, size, err);
    if (size > ahead)
        size = ahead;
    memcpy(buf, in->peek + in->peek_at, size);
    in->peek_at += size;
    return (long)size;
}

size_t gy_input_peek(struct gy_input *in, const char **bytes, struct gy_error *err)
{
    size_t len = in->peek_len - in->peek_at;

    memmove(in->peek, in->peek + in->peek_at, len);
    in->peek_at = 0;
    in->peek_len = len;
    while (in->peek_len < PEEK_SIZE) {
        long n = decode(in, in->peek + in->peek_len, PEEK_SIZE - in->peek_len, err);
        if (n < 0) {
            *bytes = NULL;
            return 0;
        }
        if (n == 0)
            break;
        in->peek_len += (size_t)n;
    }
    *bytes = in->peek;
    return in->peek_len;
}

const char *gy_input_name(const struct gy_input *in)
{
    return in->name;
}

void gy_input_sha256(const struct gy_input *in, char hex[65])
{
    struct sha256_ctx copy = in->sha;
    uint8_t digest[SHA256_DIGEST_SIZE];

    hex[0] = '\0';
    if (!in->raw_end)
        return;
    sha256_digest(&copy, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++) {
        hex[2 * i] = "0123456789abcdef"[digest[i] >> 4];
        hex[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
    }
    hex[2 * sizeof digest] = '\0';
}

uint64_t gy_input_bytes(const struct gy_input *in)
{
    return in->bytes;
}

uint64_t gy_input_size(const struct gy_input *in)
{
    return in->size;
}

void gy_input_close(struct gy_input *in)
{
    if (in == NULL)
        return;
    if (in->gzip)
        inflateEnd(&in->z);
    if (in->close_fd)
        close(in->fd);
    free(in->name);
    free(in);
}
