/* Files: reading with .gz found by content, and writing so that a half-written file never stands under its final name.
 */
#ifndef GY_FILE_H
#define GY_FILE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "gy_error.h"

/* Sequential input. path "-" is stdin. Gzip is recognised by its first bytes; a truncated or corrupt stream is an
 * error. The SHA-256 is of the bytes on disk (of a .gz: the compressed ones), ready once the end was read. */
struct gy_input;
struct gy_input *gy_input_open(const char *path, struct gy_error *err);
/* The same over len bytes in memory, which must outlive it; name is for messages. */
struct gy_input *gy_input_memory(const char *name, const void *bytes, size_t len, struct gy_error *err);
/* Bytes read into buf (0 at the end), or -1. */
long gy_input_read(struct gy_input *in, void *buf, size_t size, struct gy_error *err);
/* The next bytes without consuming them, at most 4096; for sniffing. On an error *bytes is NULL and 0 comes back. */
size_t gy_input_peek(struct gy_input *in, const char **bytes, struct gy_error *err);
const char *gy_input_name(const struct gy_input *in);
void gy_input_sha256(const struct gy_input *in, char hex[65]); /* "" before the end was read */
uint64_t gy_input_bytes(const struct gy_input *in);            /* read so far from disk, for progress */
uint64_t gy_input_size(const struct gy_input *in);             /* of the file on disk, 0 when unknown */
void gy_input_close(struct gy_input *in);                      /* NULL is fine */
/* A whole file, NUL-ended, at most max bytes after decompression; free() it. len and sha256 may be NULL. */
char *gy_file_slurp(const char *path, size_t max, size_t *len, char sha256[65], struct gy_error *err);
/* dirname(base) joined with path unless path is absolute or "-". buf receives; returns false when too long. */
bool gy_path_resolve(const char *base_file, const char *path, char *buf, size_t size);

/* Buffered output to path + ".partial", renamed on commit; "-" is stdout; ".gz" compresses (with the same
 * bytes everywhere: no time, no name); a device or pipe is written in place. NULL path: to memory. Errors are GY_EIO;
 * they stick, later bytes are dropped, and commit returns the first. A broken pipe is such an error only where the
 * program ignores SIGPIPE. */
struct gy_writer;
struct gy_writer *gy_writer_open(const char *path, struct gy_error *err);
void gy_writer_put(struct gy_writer *w, const void *bytes, size_t n);
void gy_writer_text(struct gy_writer *w, const char *text);
/* One column of a sparkline: part of 0 … 1, NaN a blank; block characters, or plain ASCII. */
void gy_writer_spark(struct gy_writer *w, double part, bool blocks);
void gy_writer_printf(struct gy_writer *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* One CSV field, quoted when it holds a comma, quote or newline (RFC 4180). */
void gy_writer_csv(struct gy_writer *w, const char *text);
void gy_writer_csv_number(struct gy_writer *w, double v); /* shortest; NaN is an empty field; inf, -inf */
void gy_writer_time(struct gy_writer *w, int64_t ns);     /* exact decimal seconds; empty when not given */
/* A whole file as gzip in base64, on one line: for data inside a text. The same bytes everywhere. 0, or -1 with err. */
int gy_writer_packed(struct gy_writer *w, const char *path, struct gy_error *err);
const char *gy_writer_memory(struct gy_writer *w, size_t *len);    /* of a memory writer, valid until closed */
const struct gy_error *gy_writer_error(const struct gy_writer *w); /* the first error so far, or NULL */
void gy_writer_fail(struct gy_writer *w, enum gy_code code, const char *what); /* makes commit fail with this */
int gy_writer_commit(struct gy_writer *w, struct gy_error *err); /* flush, sync, rename, free; on -1 nothing is left */
void gy_writer_abandon(struct gy_writer *w);                     /* remove the partial file, free; NULL is fine */
#endif
