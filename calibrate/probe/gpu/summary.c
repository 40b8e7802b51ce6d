/* A few lines for people after a run: the best rates of each kind. The file has the rest. */
#include "gpu.h"
#include <math.h>
#include <string.h>

/* The first row of its (name, detail) prints the best rate of all rows that share them. */
static void best(const struct gy_probe_file *f, enum gy_probe_section section, const char *name, const char *detail,
                 const char *rate, const char *unit, FILE *to)
{
    for (size_t i = 0; i < f->rows.n; i++) {
        const struct gy_probe_row *r = &f->rows.at[i];
        double top = NAN, count = gy_probe_row_get(r, "ranks");
        bool first = true;
        if (r->section != section || isnan(gy_probe_row_get(r, rate)) || count == 1) {
            continue;
        }
        for (size_t j = 0; j < f->rows.n; j++) {
            const struct gy_probe_row *o = &f->rows.at[j];
            double other = gy_probe_row_get(o, "ranks");
            bool same = o->section == section && strcmp(gy_probe_row_word(o, name), gy_probe_row_word(r, name)) == 0 &&
                        strcmp(gy_probe_row_word(o, detail), gy_probe_row_word(r, detail)) == 0 &&
                        (isnan(count) ? isnan(other) : count == other);
            first = first && !(same && j < i);
            top = same ? fmax(top, gy_probe_row_get(o, rate)) : top;
        }
        if (first) {
            fprintf(to, "  %-15s %-9s", gy_probe_row_word(r, name), gy_probe_row_word(r, detail));
            if (!isnan(count)) {
                fprintf(to, " %3.0f ranks", count);
            }
            fprintf(to, " %10.1f %s\n", top, unit);
        }
    }
}

void gp_summary(const struct gy_probe_file *f, FILE *to)
{
    fprintf(to, "%d node%s of %d × %s: best of each kind\n", f->nodes, f->nodes == 1 ? "" : "s", f->gpus,
            f->gpu.at[0].name);
    best(f, GY_PROBE_KERNELS, "kernel", "dtype", "tflops", "TFLOP/s", to);
    best(f, GY_PROBE_KERNELS, "kernel", "dtype", "gbps", "GB/s", to);
    best(f, GY_PROBE_COPIES, "copy", "host_memory", "gbps", "GB/s", to);
    best(f, GY_PROBE_COLLECTIVES, "op", "dtype", "busbw_gbps", "GB/s bus", to);
    if (!f->links_measured && f->links_note) {
        fprintf(to, "  %s\n", f->links_note);
    }
    for (size_t i = 0; i < f->skipped.n; i++) {
        fprintf(to, "  skipped: %s\n", f->skipped.at[i]);
    }
}
