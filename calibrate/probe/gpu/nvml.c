/* NVML by dlopen, with the few types of its ABI that are used here: no header and no stub is needed to build. Every
 * function may be missing (an old driver) or refuse (a virtual GPU); the fact is then not known. */
#include "gpu.h"
#include <dlfcn.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

typedef struct nvml_device *device_handle;
enum { SUCCESS = 0, TOO_SMALL = 7 };
enum { CLOCK_SM = 1, CLOCK_MEMORY = 2, SENSOR_GPU = 0, LINKS_MAX = 18 };
enum { P2P_READ = 0, P2P_WRITE = 1, P2P_NVLINK = 2 };
struct process_info {
    unsigned pid;
    unsigned long long memory;
    unsigned gpu_instance, compute_instance;
};
struct fabric_info { /* version 2 */
    unsigned version;
    unsigned char cluster[16];
    int status;
    unsigned clique;
    unsigned char state;
    unsigned health;
};

struct gp_nvml {
    void *library;
    device_handle at[GP_GPUS_MAX];
    int (*Init_v2)(void);
    int (*Shutdown)(void);
    int (*SystemGetDriverVersion)(char *, unsigned);
    int (*DeviceGetHandleByPciBusId_v2)(const char *, device_handle *);
    int (*DeviceGetPowerUsage)(device_handle, unsigned *);
    int (*DeviceGetEnforcedPowerLimit)(device_handle, unsigned *);
    int (*DeviceGetClockInfo)(device_handle, int, unsigned *);
    int (*DeviceGetTemperature)(device_handle, int, unsigned *);
    int (*DeviceGetCurrentClocksThrottleReasons)(device_handle, unsigned long long *);
    int (*DeviceGetComputeRunningProcesses_v3)(device_handle, unsigned *, struct process_info *);
    int (*DeviceGetNvLinkState)(device_handle, unsigned, int *);
    int (*DeviceGetNvLinkVersion)(device_handle, unsigned, unsigned *);
    int (*DeviceGetP2PStatus)(device_handle, device_handle, int, int *);
    int (*DeviceGetGpuFabricInfoV)(device_handle, struct fabric_info *);
};

static void load(struct gp_nvml *n)
{
#define X(f) *(void **)&n->f = dlsym(n->library, "nvml" #f);
    X(Init_v2)
    X(Shutdown)
    X(SystemGetDriverVersion)
    X(DeviceGetHandleByPciBusId_v2)
    X(DeviceGetPowerUsage)
    X(DeviceGetEnforcedPowerLimit)
    X(DeviceGetClockInfo)
    X(DeviceGetTemperature)
    X(DeviceGetCurrentClocksThrottleReasons)
    X(DeviceGetComputeRunningProcesses_v3)
    X(DeviceGetNvLinkState)
    X(DeviceGetNvLinkVersion)
    X(DeviceGetP2PStatus)
    X(DeviceGetGpuFabricInfoV)
#undef X
}

struct gp_nvml *gp_nvml_open(char *why, size_t size)
{
    struct gp_nvml *n = calloc(1, sizeof *n);
    if (!n) {
        snprintf(why, size, "out of memory");
        return NULL;
    }
    n->library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!n->library) {
        snprintf(why, size, "%s", dlerror());
        free(n);
        return NULL;
    }
    load(n);
    int status = n->Init_v2 ? n->Init_v2() : -1;
    if (status != SUCCESS) {
        snprintf(why, size, "nvmlInit_v2 answered %d", status);
        dlclose(n->library);
        free(n);
        return NULL;
    }
    return n;
}

void gp_nvml_close(struct gp_nvml *n)
{
    if (n) {
        if (n->Shutdown) {
            n->Shutdown();
        }
        dlclose(n->library);
        free(n);
    }
}

int gp_nvml_attach(struct gp_nvml *n, int gpu, const char *pci)
{
    n->at[gpu] = NULL;
    if (!n->DeviceGetHandleByPciBusId_v2 || n->DeviceGetHandleByPciBusId_v2(pci, &n->at[gpu]) != SUCCESS) {
        n->at[gpu] = NULL;
    }
    return n->at[gpu] ? 0 : -1;
}

void gp_nvml_driver(struct gp_nvml *n, char *buf, size_t size)
{
    if (!n->SystemGetDriverVersion || n->SystemGetDriverVersion(buf, (unsigned)size) != SUCCESS) {
        buf[0] = '\0';
    }
}

static void links(struct gp_nvml *n, device_handle d, struct gy_probe_gpu *facts)
{
    int up = 0, active;
    bool known = false;
    for (unsigned i = 0; n->DeviceGetNvLinkState && i < LINKS_MAX; i++) {
        if (n->DeviceGetNvLinkState(d, i, &active) != SUCCESS) {
            continue;
        }
        known = true;
        unsigned version;
        if (active == 1 && up++ == 0 && n->DeviceGetNvLinkVersion &&
            n->DeviceGetNvLinkVersion(d, i, &version) == SUCCESS) {
            facts->nvlink_version = (int)version;
        }
    }
    if (known) {
        facts->nvlinks = up;
    }
}

/* Compute processes other than this one. In a container the pids are another namespace's: one process that holds memory
 * is then counted although it is this one, so this is asked before this process touches the GPU. */
static int others(struct gp_nvml *n, device_handle d)
{
    unsigned count = 0;
    if (!n->DeviceGetComputeRunningProcesses_v3) {
        return -1;
    }
    int status = n->DeviceGetComputeRunningProcesses_v3(d, &count, NULL);
    if (status == SUCCESS) {
        return 0; /* room for none was enough */
    }
    if (status != TOO_SMALL || count > 65536) {
        return -1;
    }
    count += 16;
    struct process_info *list = calloc(count, sizeof *list);
    int found = -1;
    if (list && n->DeviceGetComputeRunningProcesses_v3(d, &count, list) == SUCCESS) {
        found = 0;
        for (unsigned i = 0; i < count; i++) {
            found += list[i].pid != (unsigned)getpid();
        }
    }
    free(list);
    return found;
}

static void fabric(struct gp_nvml *n, device_handle d, struct gy_probe_gpu *facts)
{
    static const char *const states[] = {"not supported", "not started", "in progress", "completed"};
    struct fabric_info info = {.version = (unsigned)sizeof info | 2u << 24};
    if (n->DeviceGetGpuFabricInfoV && n->DeviceGetGpuFabricInfoV(d, &info) == SUCCESS && info.state < 4) {
        snprintf(facts->fabric_state, sizeof facts->fabric_state, "%s", states[info.state]);
    }
}

void gp_nvml_facts(struct gp_nvml *n, int gpu, struct gy_probe_gpu *facts)
{
    device_handle d = n->at[gpu];
    struct gp_reading r;
    unsigned milliwatts;
    if (!d) {
        return;
    }
    if (n->DeviceGetEnforcedPowerLimit && n->DeviceGetEnforcedPowerLimit(d, &milliwatts) == SUCCESS) {
        facts->power_cap_w = milliwatts / 1000.0;
    }
    gp_nvml_read(n, gpu, &r);
    facts->power_now_w = r.power_w;
    facts->sm_mhz_now = isnan(r.sm_mhz) ? -1 : (int)r.sm_mhz;
    facts->temperature_c = isnan(r.temperature_c) ? -1 : (int)r.temperature_c;
    facts->other_processes = others(n, d);
    links(n, d, facts);
    fabric(n, d, facts);
}

static const char *status_word(int status)
{
    static const char *const words[] = {
        "ok",     "chipset not supported", "GPU not supported", "topology not supported", "disabled", "not supported",
        "unknown"};
    return status >= 0 && status < 7 ? words[status] : "unknown";
}

static const char *pair_status(struct gp_nvml *n, int a, int b, int what)
{
    int status;
    bool asked = n->at[a] && n->at[b] && n->DeviceGetP2PStatus &&
                 n->DeviceGetP2PStatus(n->at[a], n->at[b], what, &status) == SUCCESS;
    return asked ? status_word(status) : NULL;
}

void gp_nvml_pair(struct gp_nvml *n, int a, int b, struct gy_probe_pair *pair)
{
    pair->nvlink = pair_status(n, a, b, P2P_NVLINK);
    pair->read = pair_status(n, a, b, P2P_READ);
    pair->write = pair_status(n, a, b, P2P_WRITE);
}

void gp_nvml_read(struct gp_nvml *n, int gpu, struct gp_reading *r)
{
    device_handle d = n->at[gpu];
    unsigned v;
    unsigned long long reasons;
    *r = (struct gp_reading){NAN, NAN, NAN, NAN, 0};
    if (!d) {
        return;
    }
    if (n->DeviceGetPowerUsage && n->DeviceGetPowerUsage(d, &v) == SUCCESS) {
        r->power_w = v / 1000.0;
    }
    if (n->DeviceGetClockInfo && n->DeviceGetClockInfo(d, CLOCK_SM, &v) == SUCCESS) {
        r->sm_mhz = v;
    }
    if (n->DeviceGetClockInfo && n->DeviceGetClockInfo(d, CLOCK_MEMORY, &v) == SUCCESS) {
        r->memory_mhz = v;
    }
    if (n->DeviceGetTemperature && n->DeviceGetTemperature(d, SENSOR_GPU, &v) == SUCCESS) {
        r->temperature_c = v;
    }
    if (n->DeviceGetCurrentClocksThrottleReasons && n->DeviceGetCurrentClocksThrottleReasons(d, &reasons) == SUCCESS) {
        r->throttle = reasons;
    }
}
