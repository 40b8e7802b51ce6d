/* What a reader is given and the helpers it fills records with. Internal to traces/.
 *
 * A helper that finds a bad value reports the row by gy_row_skip and returns false; the reader then returns
 * GY_ROW_SKIPPED. Column names and reasons are static texts, so their number is bounded whatever the file holds. */
#ifndef GY_READER_H
#define GY_READER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "csv_rows.h"
#include "datetime.h"
#include "gy_file.h"
#include "gy_trace.h"

#define GY_UNIX_TIME_MIN (600000000 * GY_SECOND) /* seconds from here on (1989) can only mean Unix time */

struct gy_reader {
    const struct gy_trace_options *o;
    struct gy_input *in, *second; /* open at their start; the loader closes them */
    struct gy_trace *t;           /* its strings and counters only */
    void *state;                  /* the reader's own; its close frees it. Zero before open */
    struct gy_csv *csv;           /* of readers over CSV; the loader frees it */

    /* about the row at hand */
    uint64_t line;       /* 0 where the format has no lines */
    const char *depends; /* text of depends_on, valid until the next row; NULL or empty: none */
    size_t depends_len;
    gy_str *extra; /* of gpuyard CSV: its t->extra_names.n values, else NULL */

    /* about the trace */
    bool has_ids;      /* ids come from the file, so they can repeat; else they are row numbers */
    bool calendar;     /* times are ns since 1970: UTC where zoned, naive otherwise */
    bool zoned;        /* the first calendar time had a zone */
    int32_t offset_s;  /* that zone */
    bool any_calendar; /* a calendar time was seen */

    /* sticky outcome of the helpers, looked at by the loader after each row */
    bool nomem;
    bool strict_hit; /* --strict met a bad row: strict is the error */
    struct gy_error strict;
};

/* All times not given, whole GPUs, ends completed. */
void gy_row_init(struct gy_job_rec *rec);
/* The row is not kept. column may be NULL. found: what stood there (may be NULL). Returns GY_ROW_SKIPPED. */
int gy_row_skip(struct gy_reader *r, const char *column, const char *why, struct gy_field found);
/* The row is kept, but something in it was changed or is odd. */
void gy_row_note(struct gy_reader *r, const char *column, const char *why, struct gy_field found);
/* "file:line" into buf; the file alone when line is 0. */
void gy_row_place(const struct gy_reader *r, uint64_t line, char *buf, size_t size);
/* Counts one why in list with its first place; used by the above and by the loader. */
void gy_skip_count(struct gy_reader *r, struct gy_trace_skips *list, const char *column, const char *why, uint64_t line,
                   struct gy_field found);

/* Next CSV row: 1, 0, -1, or GY_ROW_SKIPPED when it cannot be split. Checks the number of fields against columns (0: no
 * check): a surplus that is not empty skips the row, a lack is noted. Sets r->line. */
int gy_row_csv(struct gy_reader *r, size_t columns, struct gy_error *err);
/* Opens r->csv over r->in and reads its header. */
int gy_row_csv_open(struct gy_reader *r, char delimiter, bool header, struct gy_error *err);
/* Indices of the named columns; a required one (name without a leading '?') that is missing is an error with the
 * nearest name. out[i] is -1 where an optional one is missing. */
int gy_row_columns(struct gy_reader *r, const char *const *names, size_t n, int *out, struct gy_error *err);
/* -1 with an error when the header names that column more than once. */
int gy_row_column_once(const struct gy_reader *r, const char *name, struct gy_error *err);
/* The two for readers whose only state is the indices of their columns: comma separated, with a header. */
int gy_row_table_open(struct gy_reader *r, const char *const *names, size_t n, struct gy_error *err);
void gy_row_table_close(struct gy_reader *r);
static inline struct gy_field gy_row_field(const struct gy_reader *r, int column)
{
    return column < 0 ? (struct gy_field){"", 0} : gy_csv_field(r->csv, (size_t)column);
}

/* "", and the words that traces write for nothing: null, None, NULL, NaN, nan, N/A. */
bool gy_field_none(struct gy_field f);
/* A decimal number of units, ≥ 0, at most GY_TIME_MAX. The field must be given. */
bool gy_row_time(struct gy_reader *r, const char *column, struct gy_field f, gy_time unit, gy_time *out);
/* A calendar time, to ns since 1970 (UTC where it has a zone). */
bool gy_row_calendar(struct gy_reader *r, const char *column, struct gy_field f, gy_time *out);
/* A whole number 0 … most; "8.0" is one. */
bool gy_row_count(struct gy_reader *r, const char *column, struct gy_field f, uint32_t most, uint32_t *out);
/* A decimal number ≥ 0 times scale, rounded to a whole number. */
bool gy_row_scaled(struct gy_reader *r, const char *column, struct gy_field f, int64_t scale, uint64_t *out);
bool gy_row_integer(struct gy_reader *r, const char *column, struct gy_field f, int32_t *out); /* may be negative */
/* The job's id: a plain decimal number is kept as one, anything else as a name; must not be empty. */
bool gy_row_id(struct gy_reader *r, const char *column, struct gy_field f, struct gy_job_rec *rec);
/* Interned; 0 for "nothing". */
gy_str gy_row_text(struct gy_reader *r, struct gy_field f);
/* "COMPLETED", "Pass", "CANCELLED by 12" … to an end state, without regard to case. */
bool gy_row_state(struct gy_reader *r, const char *column, struct gy_field f, struct gy_job_rec *rec);
/* Whole GPUs, or one part of a GPU, from an amount in thousandths; a part above one GPU is rounded up and noted. */
void gy_row_gpus(struct gy_reader *r, const char *column, uint64_t milli, struct gy_job_rec *rec);
/* Submit, start and end as calendar times: the run time is end - start. Never started: the job is cancelled at its end
 * time if it still waits then, with run time 0. Without an end there is no run time, and the row is skipped. */
bool gy_row_lifetime(struct gy_reader *r, struct gy_field submit, struct gy_field start, struct gy_field end,
                     struct gy_job_rec *rec);
/* end - start as *out; skips the row when negative. */
bool gy_row_span(struct gy_reader *r, const char *column, gy_time start, gy_time end, gy_time *out);

/* The whole rest of an input in memory, NUL-ended, at most max bytes; free() it. */
char *gy_input_slurp(struct gy_input *in, size_t max, size_t *len, struct gy_error *err);
/* For sniffing: whether the first line of bytes, split by delimiter, has all the names (blanks around them ignored). */
bool gy_sniff_columns(const char *bytes, size_t n, char delimiter, const char *const *names, size_t count);
static inline struct gy_field gy_field_of(const char *text)
{
    struct gy_field f = {text, 0};
    while (text[f.len] != '\0')
        f.len++;
    return f;
}
#define GY_NO_FIELD ((struct gy_field){NULL, 0})
#define GY_COUNT(a) (sizeof(a) / sizeof *(a))

extern const struct gy_reader_type gy_read_gpuyard, gy_read_csv, gy_read_philly, gy_read_philly_json, gy_read_helios,
    gy_read_acme, gy_read_openb, gy_read_pai2020, gy_read_pai100k, gy_read_batsim, gy_read_swf, gy_read_tiresias,
    gy_read_acme_kalos, gy_read_spot2026, gy_read_gavel, gy_read_sacct;
#endif
