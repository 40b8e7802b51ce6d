/* Every metric of the run, a row each: metric, value. Not the tables, which are CSV already. */
#include <math.h>
#include "gy_export.h"
#include "gy_file.h"

static int write_csv(const struct gy_run *run, const char *path, struct gy_error *err)
{
    struct gy_writer *to = gy_writer_open(path, err);

    if (!to)
        return -1;
    gy_writer_text(to, "metric,value\n");
    for (size_t i = 0; i < run->metrics.n; i++) {
        const struct gy_run_metric *m = &run->metrics.at[i];
        gy_writer_csv(to, m->name);
        gy_writer_put(to, ",", 1);
        if (m->word)
            gy_writer_csv(to, m->word);
        else
            gy_writer_csv_number(to, m->value);
        gy_writer_put(to, "\n", 1);
    }
    return gy_writer_commit(to, err);
}

const struct gy_export_type gy_export_csv = {
    .name = "csv", .summary = "Every metric as a row of CSV", .suffix = ".csv", .write = write_csv};
