/* Fuzzes the import of nccl-tests logs: whatever is accepted has positive sizes and times, and a group that exists. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "gy_measure.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gy_error err = {0};
    struct gy_measurements m = {0};
    char *text = calloc(1, size + 1);

    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    if (gy_import_nccl_text(&m, "log_2n16g", text, NULL, &err) == 0)
        for (size_t i = 0; i < m.sets.n; i++) {
            const struct gy_meas_set *s = &m.sets.at[i];
            if (s->nodes < 1 || s->ranks < 1 || s->nodes * s->gpus_per_node < s->ranks)
                abort();
            for (size_t r = 0; r < s->rows.n; r++)
                if (!(s->rows.at[r].bytes > 0) || !(gy_meas_time_us(s, r) > 0))
                    abort();
        }
    gy_measurements_free(&m);
    free(text);
    return 0;
}
