/* The formats that a run can be exported to. */
#include "gy_export.h"
#include <string.h>

const struct gy_export_type *const gy_exports[] = {
    &gy_export_perfetto,        &gy_export_sqlite, &gy_export_openmetrics, &gy_export_sacct, &gy_export_batsim_jobs,
    &gy_export_batsim_schedule, &gy_export_csv,    &gy_export_svg,         &gy_export_png,   NULL,
};

const struct gy_export_type *gy_export_find(const char *name, struct gy_error *err)
{
    const char *names[16], *nearest;
    size_t n = 0;

    for (; gy_exports[n]; n++) {
        names[n] = gy_exports[n]->name;
        if (strcmp(names[n], name) == 0)
            return gy_exports[n];
    }
    nearest = gy_nearest(name, names, n);
    gy_fail(err, GY_EUSAGE, NULL,
            "unknown format \"%s\"; expected perfetto, sqlite, openmetrics, sacct, batsim, batsim-schedule, csv, svg "
            "or png",
            name);
    if (nearest)
        gy_hint(err, "did you mean \"%s\"?", nearest);
    return NULL;
}
