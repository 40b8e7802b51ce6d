/* A file as gzip in base64, written as it is read: memory is a few buffers whatever the file's size. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "gy_file.h"

#define PIECE 49152 /* a multiple of three, so that base64 needs no padding before the end */

struct packer {
    struct gy_writer *to;
    unsigned char in[PIECE], out[PIECE];
    char text[PIECE / 3 * 4];
    size_t held; /* bytes in out that are not written yet */
    z_stream z;
};

static void put_base64(struct packer *p, size_t n)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t at = 0;

    for (size_t i = 0; i < n; i += 3) {
        const uint32_t b = (uint32_t)p->out[i] << 16 | (i + 1 < n ? (uint32_t)p->out[i + 1] << 8 : 0) |
                           (i + 2 < n ? p->out[i + 2] : 0);
        p->text[at++] = digit[b >> 18];
        p->text[at++] = digit[b >> 12 & 63];
        p->text[at++] = i + 1 < n ? digit[b >> 6 & 63] : '=';
        p->text[at++] = i + 2 < n ? digit[b & 63] : '=';
    }
    gy_writer_put(p->to, p->text, at);
}

/* Deflates what is in z's input; with Z_FINISH to the end. */
static void deflate_all(struct packer *p, int flush)
{
    do {
        p->z.next_out = p->out + p->held;
        p->z.avail_out = (uInt)(PIECE - p->held);
        deflate(&p->z, flush); /* fails only on a broken state */
        p->held = PIECE - p->z.avail_out;
        if (p->held < PIECE)
            break;
        put_base64(p, PIECE);
        p->held = 0;
    } while (p->z.avail_in > 0 || flush == Z_FINISH);
}

int gy_writer_packed(struct gy_writer *w, const char *path, struct gy_error *err)
{
    struct gy_input *in = gy_input_open(path, err);
    struct packer *p = in ? calloc(1, sizeof *p) : NULL;
    gz_header head = {.os = 255}; /* not zlib's own, which names the system */
    long n = -1;

    if (!in)
        return -1;
    if (!p || deflateInit2(&p->z, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(p);
        gy_input_close(in);
        return gy_nomem(err);
    }
    p->to = w;
    deflateSetHeader(&p->z, &head);
    while ((n = gy_input_read(in, p->in, PIECE, err)) > 0) {
        p->z.next_in = p->in;
        p->z.avail_in = (uInt)n;
        deflate_all(p, Z_NO_FLUSH);
    }
    if (n == 0) {
        deflate_all(p, Z_FINISH);
        put_base64(p, p->held);
    }
    deflateEnd(&p->z);
    free(p);
    gy_input_close(in);
    return n == 0 ? 0 : -1;
}
