/* Size lists, groups of GPUs, and how a time budget is shared. Pure arithmetic. */
#include "gy_probe.h"

int gy_probe_sizes(uint64_t lo, uint64_t hi, unsigned factor, uint64_t *out, int max)
{
    int n = 0;
    uint64_t top = lo;
    if (lo == 0 || hi < lo || factor < 2) {
        return 0;
    }
    while (top <= hi / 2) {
        top *= 2;
    }
    for (uint64_t s = lo; s <= top && n < max; s *= factor) {
        out[n++] = s;
        if (s > top / factor) {
            break;
        }
    }
    if (n > 0 && out[n - 1] != top && n < max) {
        out[n++] = top;
    }
    return n;
}

/* 1, 2, 4, … and n itself. */
static int powers(int n, int *out)
{
    int count = 0;
    for (int p = 1; p <= n; p *= 2) {
        out[count++] = p;
        if (p > n / 2) {
            break;
        }
    }
    if (count > 0 && out[count - 1] != n) {
        out[count++] = n;
    }
    return count;
}

static int blocks(int gpus, const int *sizes, int count, struct gy_probe_group *out, int n, int max)
{
    for (int i = 0; i < count; i++) {
        int g = sizes[i];
        bool power = (g & (g - 1)) == 0;
        for (int first = g; power && g > 1 && first + g <= gpus && n < max; first += g) {
            out[n++] = (struct gy_probe_group){1, first, g};
        }
    }
    return n;
}

int gy_probe_groups(int nodes, int gpus, bool every_block, struct gy_probe_group *out, int max)
{
    int of_nodes[33], of_gpus[33], n = 0;
    if (nodes < 1 || gpus < 1) {
        return 0;
    }
    int node_count = powers(nodes, of_nodes), gpu_count = powers(gpus, of_gpus);
    for (int i = 0; i < node_count; i++) {
        for (int j = 0; j < gpu_count && n < max; j++) {
            bool alone = of_nodes[i] == 1 && of_gpus[j] == 1;
            if (!alone || (nodes == 1 && gpus == 1)) {
                out[n++] = (struct gy_probe_group){of_nodes[i], 0, of_gpus[j]};
            }
        }
    }
    return every_block ? blocks(gpus, of_gpus, gpu_count, out, n, max) : n;
}

double gy_probe_allot(const double *shares, int n, int from, double remaining_s)
{
    double sum = 0;
    for (int i = from; i < n; i++) {
        sum += shares[i];
    }
    return sum > 0 && remaining_s > 0 ? remaining_s * shares[from] / sum : 0;
}
