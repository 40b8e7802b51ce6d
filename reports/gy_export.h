/* A run in other tools' formats. A format is one file and one line in export.c. */
#ifndef GY_EXPORT_H
#define GY_EXPORT_H
#include "gy_history.h"

struct gy_export_type {
    const char *name, *summary, *suffix;
    bool to_file; /* writes a file of its own at path; "-" is refused */
    int (*write)(const struct gy_run *run, const char *path, struct gy_error *err);
};
extern const struct gy_export_type *const gy_exports[];                              /* NULL-ended */
const struct gy_export_type *gy_export_find(const char *name, struct gy_error *err); /* NULL with err */
extern const struct gy_export_type gy_export_perfetto, gy_export_sqlite, gy_export_openmetrics, gy_export_sacct,
    gy_export_batsim_jobs, gy_export_batsim_schedule, gy_export_csv, gy_export_svg, gy_export_png;
#endif
