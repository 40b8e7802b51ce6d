/* The families of measurements, in the order in which they run. */
#include "gpu.h"

const struct gp_family *const gp_families[] = {&gp_launch,      &gp_memory,    &gp_gemm_family, &gp_attention,
                                               &gp_elementwise, &gp_host_copy, &gp_peer_copy,   &gp_collective,
                                               &gp_concurrent,  &gp_overlap,   &gp_power,       NULL};

int gp_family_count(void)
{
    int n = 0;
    while (gp_families[n]) {
        n++;
    }
    return n;
}
