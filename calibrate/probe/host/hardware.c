/* From the name that the driver gives a device to the name under which the hardware catalogue knows a node of it. */
#include "gy_probe.h"
#include <ctype.h>
#include <string.h>

void gy_probe_hardware_name(const char *device, char *buf, size_t size)
{
    static const struct {
        const char *in, *name;
    } known[] = {
        /* the longer text of two that both fit stands first */
        {"GB300", "gb300-nvl72"},
        {"GB200", "gb200-nvl72"},
        {"B300", "b300"},
        {"B200", "b200"},
        {"H200", "h200"},
        {"H100 PCIe", "h100-pcie"},
        {"H100 NVL", "h100-nvl"},
        {"H100", "hgx-h100"},
        {"A100-PCIE", "a100-pcie"},
        {"A100 80GB PCIe", "a100-pcie"},
        {"A100-SXM4-80GB", "dgx-a100-80"},
        {"A100-SXM4-40GB", "hgx-a100-40"},
        {"V100-SXM2", "dgx-v100"},
        {"V100-SXM3", "dgx-2"},
        {"V100-PCIE", "v100-pcie"},
        {"RTX PRO 6000", "rtx-pro-6000"},
        {"L40S", "l40s"},
        {" L4", "l4"},
        {"T4", "t4"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strstr(device, known[i].in)) {
            snprintf(buf, size, "%s", known[i].name);
            return;
        }
    }
    size_t n = 0;
    for (const char *p = device; *p && n + 1 < size; p++) {
        buf[n++] = isalnum((unsigned char)*p) ? (char)tolower((unsigned char)*p) : '-';
    }
    buf[n] = '\0';
}
