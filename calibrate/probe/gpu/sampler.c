/* Reads power, clocks and temperature of every GPU from NVML at a steady pace while the measurements run. NVML's power
 * is itself an average over tens of milliseconds, so a point shorter than that says little and has few readings. */
#include "gpu.h"
#include <math.h>
#include <time.h>

struct sum {
    int readings, powers, clocks;
    double power, power_max, sm, sm_min, memory, temperature_max;
    uint64_t throttle;
};
struct gp_sampler {
    struct gp_nvml *nvml;
    pthread_mutex_t lock;
    pthread_cond_t change;
    pthread_t thread;
    struct sum sum[GP_GPUS_MAX];
    int gpus;
    double period_s;
    bool quit;
};

static void take(struct sum *s, const struct gp_reading *r)
{
    s->readings++;
    if (!isnan(r->power_w)) {
        s->powers++;
        s->power += r->power_w;
        s->power_max = fmax(s->power_max, r->power_w);
    }
    if (!isnan(r->sm_mhz)) {
        s->sm_min = s->clocks++ == 0 ? r->sm_mhz : fmin(s->sm_min, r->sm_mhz);
        s->sm += r->sm_mhz;
    }
    s->memory = r->memory_mhz;
    s->temperature_max = fmax(s->temperature_max, r->temperature_c);
    s->throttle |= r->throttle;
}

static void *sampler_main(void *arg)
{
    struct gp_sampler *s = arg;
    struct timespec due;
    clock_gettime(CLOCK_MONOTONIC, &due);
    pthread_mutex_lock(&s->lock);
    while (!s->quit) {
        for (int g = 0; g < s->gpus; g++) {
            struct gp_reading r;
            pthread_mutex_unlock(&s->lock);
            gp_nvml_read(s->nvml, g, &r);
            pthread_mutex_lock(&s->lock);
            take(&s->sum[g], &r);
        }
        due.tv_nsec += (long)(s->period_s * 1e9);
        due.tv_sec += due.tv_nsec / 1000000000;
        due.tv_nsec %= 1000000000;
        if (!s->quit) {
            pthread_cond_timedwait(&s->change, &s->lock, &due);
        }
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

struct gp_sampler *gp_sampler_open(struct gp_nvml *n, int gpus, double period_s)
{
    struct gp_sampler *s = n ? calloc(1, sizeof *s) : NULL;
    pthread_condattr_t attr;
    if (!s) {
        return NULL;
    }
    s->nvml = n;
    s->gpus = gpus;
    s->period_s = period_s;
    pthread_mutex_init(&s->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&s->change, &attr);
    pthread_condattr_destroy(&attr);
    if (pthread_create(&s->thread, NULL, sampler_main, s) != 0) {
        pthread_cond_destroy(&s->change);
        pthread_mutex_destroy(&s->lock);
        free(s);
        return NULL;
    }
    return s;
}

void gp_sampler_mark(struct gp_sampler *s)
{
    if (s) {
        pthread_mutex_lock(&s->lock);
        for (int g = 0; g < s->gpus; g++) {
            s->sum[g] = (struct sum){0};
        }
        pthread_mutex_unlock(&s->lock);
    }
}

void gp_sampler_load(struct gp_sampler *s, int gpu, struct gp_load *load)
{
    *load = (struct gp_load){0, NAN, NAN, NAN, NAN, NAN, NAN, 0};
    if (!s) {
        return;
    }
    pthread_mutex_lock(&s->lock);
    struct sum sum = s->sum[gpu];
    pthread_mutex_unlock(&s->lock);
    load->readings = sum.readings;
    if (sum.powers > 0) {
        load->power_mean_w = sum.power / sum.powers;
        load->power_max_w = sum.power_max;
    }
    if (sum.clocks > 0) {
        load->sm_mhz_mean = sum.sm / sum.clocks;
        load->sm_mhz_min = sum.sm_min;
    }
    if (sum.readings > 0) {
        load->memory_mhz = sum.memory;
        load->temperature_max_c = sum.temperature_max;
        load->throttle = sum.throttle;
    }
}

void gp_sampler_close(struct gp_sampler *s)
{
    if (!s) {
        return;
    }
    pthread_mutex_lock(&s->lock);
    s->quit = true;
    pthread_cond_signal(&s->change);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
    pthread_cond_destroy(&s->change);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

void gp_row_load(struct gp_context *c, int gpu, struct gy_probe_row *r)
{
    struct gp_load load;
    gp_sampler_load(c->sampler, gpu, &load);
    bool enough = load.readings >= 2;
    gy_probe_row_number(r, "sm_mhz", enough ? load.sm_mhz_mean : NAN);
    gy_probe_row_number(r, "power_w", enough ? load.power_mean_w : NAN);
}
