/* NVML: one handle a GPU by its PCI address, steady readings, and other processes on demand. */
#include "emulator.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct nvml_device *device_handle;
struct process_info {
    unsigned pid;
    unsigned long long memory;
    unsigned gpu_instance, compute_instance;
};
int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlSystemGetDriverVersion(char *buf, unsigned size);
int nvmlDeviceGetHandleByPciBusId_v2(const char *id, device_handle *d);
int nvmlDeviceGetPowerUsage(device_handle d, unsigned *milliwatts);
int nvmlDeviceGetEnforcedPowerLimit(device_handle d, unsigned *milliwatts);
int nvmlDeviceGetClockInfo(device_handle d, int what, unsigned *mhz);
int nvmlDeviceGetTemperature(device_handle d, int what, unsigned *celsius);
int nvmlDeviceGetComputeRunningProcesses_v3(device_handle d, unsigned *count, struct process_info *list);
int nvmlDeviceGetNvLinkState(device_handle d, unsigned link, int *active);
int nvmlDeviceGetNvLinkVersion(device_handle d, unsigned link, unsigned *version);
int nvmlDeviceGetP2PStatus(device_handle a, device_handle b, int what, int *status);

int nvmlInit_v2(void)
{
    return 0;
}

int nvmlShutdown(void)
{
    return 0;
}

int nvmlSystemGetDriverVersion(char *buf, unsigned size)
{
    snprintf(buf, size, "580.00");
    return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *id, device_handle *d)
{
    *d = (device_handle)strtoul(id + 5, NULL, 16);
    return *d ? 0 : 6;
}

int nvmlDeviceGetPowerUsage(device_handle d, unsigned *milliwatts)
{
    *milliwatts = 100000 + (unsigned)(uintptr_t)d;
    return 0;
}

int nvmlDeviceGetEnforcedPowerLimit(device_handle d, unsigned *milliwatts)
{
    (void)d;
    *milliwatts = 700000;
    return 0;
}

int nvmlDeviceGetClockInfo(device_handle d, int what, unsigned *mhz)
{
    (void)d;
    *mhz = what == 1 ? 1980 : 2619;
    return 0;
}

int nvmlDeviceGetTemperature(device_handle d, int what, unsigned *celsius)
{
    (void)d;
    *celsius = 40;
    return what == 0 ? 0 : 2;
}

int nvmlDeviceGetComputeRunningProcesses_v3(device_handle d, unsigned *count, struct process_info *list)
{
    unsigned n = (unsigned)emu_number("EMU_PROCESSES", 0), room = *count;
    (void)d;
    *count = n;
    if (n > room) {
        return 7;
    }
    for (unsigned i = 0; i < n; i++) {
        list[i] = (struct process_info){.pid = 1 + i};
    }
    return 0;
}

int nvmlDeviceGetNvLinkState(device_handle d, unsigned link, int *active)
{
    (void)d;
    *active = link < 4;
    return link < 6 ? 0 : 2;
}

int nvmlDeviceGetNvLinkVersion(device_handle d, unsigned link, unsigned *version)
{
    (void)d, (void)link;
    *version = 4;
    return 0;
}

int nvmlDeviceGetP2PStatus(device_handle a, device_handle b, int what, int *status)
{
    *status = what == 2 && a == b ? 5 : 0;
    return 0;
}
