/* Buffered output that never leaves half a file under its final name. Not for logs: nothing is seen before a flush. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include "gy_file.h"
#include "gy_vec.h"

#define BUFFER_SIZE ((size_t)1 << 16)

struct gy_writer {
    char *path, *partial; /* partial: where the bytes go until commit; NULL: written in place or to memory */
    int fd;               /* -1: to memory */
    bool close_fd, gzip;
    struct gy_error err; /* the first error; sticks */
    GY_VEC(char) memory;
    z_stream z;
    size_t n;
    uint8_t buffer[BUFFER_SIZE];
    uint8_t packed[BUFFER_SIZE];
};

static const char *shown_path(const struct gy_writer *w)
{
    return w->path == NULL ? "memory" : strcmp(w->path, "-") == 0 ? "standard output" : w->path;
}

static void fail(struct gy_writer *w, const char *verb, int number)
{
    if (w->err.code != GY_OK)
        return;
    gy_fail(&w->err, GY_EIO, shown_path(w), "cannot %s: %s", verb, strerror(number));
    if (number == ENOSPC || number == EDQUOT)
        gy_hint(&w->err, "free some space, or write elsewhere");
    else if (number == EPIPE)
        gy_hint(&w->err, "the program that reads the output has ended");
    else if (number == ENOENT)
        gy_hint(&w->err, "the folder does not exist");
}

static void send_out(struct gy_writer *w, const uint8_t *bytes, size_t n)
{
    while (n > 0 && w->err.code == GY_OK) {
        ssize_t done = write(w->fd, bytes, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0) {
            fail(w, "write", errno);
            return;
        }
        bytes += done;
        n -= (size_t)done;
    }
}

static void squeeze(struct gy_writer *w, int flush)
{
    int z;

    w->z.next_in = w->buffer;
    w->z.avail_in = (uInt)w->n;
    do {
        w->z.next_out = w->packed;
        w->z.avail_out = BUFFER_SIZE;
        z = deflate(&w->z, flush);
        send_out(w, w->packed, BUFFER_SIZE - w->z.avail_out);
    } while (w->err.code == GY_OK && z != Z_STREAM_ERROR && w->z.avail_out == 0);
}

static void flush(struct gy_writer *w, bool last)
{
    if (w->fd >= 0 && w->gzip)
        squeeze(w, last ? Z_FINISH : Z_NO_FLUSH);
    else if (w->fd >= 0)
        send_out(w, w->buffer, w->n);
    w->n = 0;
}

static void start_gzip(struct gy_writer *w)
{
    static const gz_header plain = {.os = 255}; /* no time, no name, no system: the same bytes everywhere */
    gz_header header = plain;

    if (deflateInit2(&w->z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        gy_nomem(&w->err);
        return;
    }
    w->gzip = true;
    deflateSetHeader(&w->z, &header);
    w->z.next_in = w->buffer;
    w->z.next_out = w->packed;
    w->z.avail_out = BUFFER_SIZE;
    deflate(&w->z, Z_BLOCK); /* the header goes out now: header is on this stack */
    send_out(w, w->packed, BUFFER_SIZE - w->z.avail_out);
}

static void open_partial(struct gy_writer *w)
{
    struct stat st;
    bool there = stat(w->path, &st) == 0;

    if (there && S_ISDIR(st.st_mode)) {
        fail(w, "write", EISDIR);
        return;
    }
    if (there && !S_ISREG(st.st_mode)) { /* a device or a pipe: there is nothing to rename */
        w->fd = open(w->path, O_WRONLY | O_CLOEXEC);
    } else {
        w->partial = malloc(strlen(w->path) + sizeof ".partial");
        if (w->partial == NULL) {
            gy_nomem(&w->err);
            return;
        }
        sprintf(w->partial, "%s.partial", w->path);
        w->fd = open(w->partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    }
    w->close_fd = w->fd >= 0;
    if (w->fd < 0) {
        fail(w, "create", errno);
        free(w->partial); /* not ours to remove */
        w->partial = NULL;
    }
}

static void release(struct gy_writer *w)
{
    if (w->gzip)
        deflateEnd(&w->z);
    if (w->close_fd)
        close(w->fd);
    gy_vec_free(&w->memory);
    free(w->partial);
    free(w->path);
    free(w);
}

struct gy_writer *gy_writer_open(const char *path, struct gy_error *err)
{
    struct gy_writer *w = calloc(1, sizeof *w);

    if (w == NULL) {
        gy_nomem(err);
        return NULL;
    }
    w->fd = -1;
    if (path == NULL)
        return w;
    w->path = strdup(path);
    if (w->path == NULL) {
        gy_nomem(&w->err);
    } else if (strcmp(path, "-") == 0) {
        fflush(stdout);
        w->fd = STDOUT_FILENO;
    } else {
        open_partial(w);
    }
    size_t len = strlen(path);
    if (w->err.code == GY_OK && len > 3 && strcmp(path + len - 3, ".gz") == 0)
        start_gzip(w);
    if (w->err.code == GY_OK)
        return w;
    *err = w->err;
    gy_writer_abandon(w);
    return NULL;
}

void gy_writer_put(struct gy_writer *w, const void *bytes, size_t n)
{
    const char *at = bytes;

    if (w->err.code != GY_OK || n == 0)
        return;
    if (w->fd < 0) {
        if (!gy_vec_reserve(&w->memory, w->memory.n + n + 1)) {
            gy_nomem(&w->err);
            return;
        }
        memcpy(w->memory.at + w->memory.n, at, n);
        w->memory.n += n;
        return;
    }
    while (n > 0) {
        size_t room = BUFFER_SIZE - w->n, part = n < room ? n : room;
        memcpy(w->buffer + w->n, at, part);
        w->n += part;
        at += part;
        n -= part;
        if (w->n == BUFFER_SIZE)
            flush(w, false);
    }
}

const char *gy_writer_memory(struct gy_writer *w, size_t *len)
{
    if (len != NULL)
        *len = w->memory.n;
    if (w->fd >= 0 || !gy_vec_reserve(&w->memory, w->memory.n + 1))
        return "";
    w->memory.at[w->memory.n] = '\0';
    return w->memory.at;
}

const struct gy_error *gy_writer_error(const struct gy_writer *w)
{
    return w->err.code == GY_OK ? NULL : &w->err;
}

void gy_writer_fail(struct gy_writer *w, enum gy_code code, const char *what)
{
    if (w->err.code == GY_OK)
        gy_fail(&w->err, code, shown_path(w), "%s", what);
}

/* fsync means nothing to pipes and devices, which say EINVAL or EROFS. */
static void sync_and_close(struct gy_writer *w)
{
    if (w->partial != NULL && fsync(w->fd) < 0 && errno != EINVAL && errno != EROFS)
        fail(w, "write", errno);
    if (w->close_fd && close(w->fd) < 0 && errno != EINTR)
        fail(w, "write", errno);
    w->close_fd = false;
}

int gy_writer_commit(struct gy_writer *w, struct gy_error *err)
{
    if (w->err.code == GY_OK)
        flush(w, true);
    if (w->err.code == GY_OK)
        sync_and_close(w);
    if (w->err.code == GY_OK && w->partial != NULL && rename(w->partial, w->path) < 0)
        fail(w, "rename the finished file", errno);
    if (w->err.code != GY_OK) {
        *err = w->err;
        gy_writer_abandon(w);
        return -1;
    }
    release(w);
    return 0;
}

void gy_writer_abandon(struct gy_writer *w)
{
    if (w == NULL)
        return;
    if (w->partial != NULL)
        unlink(w->partial);
    release(w);
}
