/* Fuzzes the reading of a slurm.conf into a scenario. */
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include "inside.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gy_error err = {0};
    char text[96];
    const int fd = memfd_create("slurm.conf", 0);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        return 0;
    const int n = snprintf(text, sizeof text, "{\"cluster\": {\"slurm_conf\": \"/proc/self/fd/%d\"}}", fd);
    struct gy_json_doc *doc = gy_json_parse("s.json", text, (size_t)n, &err);
    if (doc != NULL)
        (void)gy_sc_slurm_conf(doc, &err);
    gy_json_free(doc);
    close(fd);
    return 0;
}
