/* What the parts of the terminal summary share. Internal to terminal*.c. */
#ifndef TERMINAL_PAGE_H
#define TERMINAL_PAGE_H
#include "gy_terminal.h"

struct page {
    const struct gy_account *a;
    const struct gy_run_facts *facts;
    const struct gy_terminal_style *style;
    struct gy_writer *to;
};

enum paint { PLAIN, BOLD, DIM, GREEN, RED, YELLOW };

void page_paint(const struct page *p, enum paint as);
void page_painted(const struct page *p, enum paint as, const char *text);
void page_label(const struct page *p, const char *text);   /* 14 columns */
double page_value(const struct page *p, const char *name); /* NaN when there is no such metric */
void page_spreads(const struct page *p);
void page_sizes(const struct page *p);
void page_verdicts(const struct page *p, const struct gy_verdict *v, size_t n);
#endif
