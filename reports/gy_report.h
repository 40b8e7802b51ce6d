/* The HTML report: one file that holds the page and the files of the run folders, and asks nothing of a network. What
 * the page shows is in reports/web; here the file is put together. */
#ifndef GY_REPORT_H
#define GY_REPORT_H
#include <stddef.h>
#include "gy_runfolder.h"

/* The bundled page, part of the binary. */
struct gy_report_page {
    const unsigned char *script, *style;
    size_t script_len, style_len;
    const char *missing; /* why there is no page, or NULL */
};
extern const struct gy_report_page gy_report_page;

/* Writes the report of n runs, 1 to 26, to path ("-" is stdout). Memory does not grow with the runs' rows. 0, or -1
 * with err. */
int gy_report_write(const struct gy_run *runs, size_t n, const char *path, struct gy_error *err);
#endif
