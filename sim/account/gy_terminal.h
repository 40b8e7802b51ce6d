/* The summary of a run for people: a table of at most 100 columns. Names from outside are made visible as text. */
#ifndef GY_TERMINAL_H
#define GY_TERMINAL_H
#include <stdio.h>
#include "gy_account.h"
#include "gy_folder.h"

struct gy_terminal_style {
    bool terminal; /* block characters for bars; else plain ASCII */
    bool colour;
    int width; /* columns, 40 … 100 */
};
/* For a stream: a terminal has its own width and, unless NO_COLOR is set or TERM is dumb, colour. plain: as if it were
 * none, but for the width. */
struct gy_terminal_style gy_terminal_style_of(FILE *to, bool plain);

/* After gy_account_finish. verdicts may be NULL. */
void gy_terminal_summary(const struct gy_account *a, const struct gy_run_facts *facts,
                         const struct gy_verdict *verdicts, size_t n_verdicts, const struct gy_terminal_style *style,
                         struct gy_writer *to);

/* For tables of others (compare, sweep). buf ≥ 32 bytes each; they return buf. */
const char *gy_print_duration(double seconds, char *buf); /* "0s" "45.2s" "12m05s" "3h25m" "2d04h"; "-" for NaN */
const char *gy_print_count(double n, char *buf);          /* "82,247"; rounded to a whole number */
const char *gy_print_amount(double x, char *buf);         /* three digits: "0.042", "12.5", "1,064" */
/* text made visible and cut to so many columns, padded if pad; wide characters count two. */
void gy_print_fitted(struct gy_writer *to, const char *text, int columns, bool pad);
#endif
