/* Random streams over GSL's Mersenne Twister. Not cryptographic. A stream is seeded by a hash of (seed, purpose), of
 * which the generator takes 32 bits. The generator's record is allocated here: gsl_rng_alloc aborts when out of memory.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include "gy_hash.h"
#include "gy_stream.h"

/* gsl_ran_poisson counts in an unsigned int. Beyond this mean the skewness is below 1e-4 and a normal takes over. */
#define POISSON_EXACT_MOST 1e9

bool gy_stream_init(struct gy_stream *s, uint64_t seed, const char *purpose)
{
    const gsl_rng_type *type = gsl_rng_mt19937;
    gsl_rng *rng = malloc(sizeof *rng);
    void *state = calloc(1, type->size);

    s->rng = NULL;
    if (rng == NULL || state == NULL) {
        free(rng);
        free(state);
        return false;
    }
    rng->type = type;
    rng->state = state;
    uint64_t hash = gy_hash_mix(gy_hash_mix(seed + 0x9e3779b97f4a7c15u) ^ gy_hash_bytes(purpose, strlen(purpose)));
    gsl_rng_set(rng, (unsigned long)(hash >> 32));
    s->rng = rng;
    return true;
}

void gy_stream_free(struct gy_stream *s)
{
    gsl_rng *rng = s->rng;

    if (rng != NULL)
        free(rng->state);
    free(rng);
    s->rng = NULL;
}

static uint64_t bits32(struct gy_stream *s)
{
    return (uint64_t)gsl_rng_get(s->rng);
}

static uint64_t bits64(struct gy_stream *s)
{
    uint64_t high = bits32(s);

    return high << 32 | bits32(s);
}

/* Lemire, "Fast random integer generation in an interval", 2019: the product's low half is rejected below
 * 2^w mod n, which leaves every result equally many draws. */
uint64_t gy_stream_below(struct gy_stream *s, uint64_t n)
{
    assert(n >= 1);
    if (n <= UINT32_MAX) {
        uint64_t product = bits32(s) * n;
        if ((uint32_t)product < n) {
            uint64_t reject = ((uint64_t)1 << 32) % n;
            while ((uint32_t)product < reject)
                product = bits32(s) * n;
        }
        return product >> 32;
    }
    unsigned __int128 product = (unsigned __int128)bits64(s) * n;
    if ((uint64_t)product < n) {
        uint64_t reject = (0 - n) % n;
        while ((uint64_t)product < reject)
            product = (unsigned __int128)bits64(s) * n;
    }
    return (uint64_t)(product >> 64);
}

double gy_stream_uniform(struct gy_stream *s)
{
    return (double)(bits64(s) >> 11) * 0x1p-53;
}

double gy_stream_exponential(struct gy_stream *s, double mean)
{
    return gsl_ran_exponential(s->rng, mean);
}

double gy_stream_normal(struct gy_stream *s, double mean, double sigma)
{
    return mean + gsl_ran_gaussian(s->rng, sigma);
}

double gy_stream_lognormal(struct gy_stream *s, double mu, double sigma)
{
    return gsl_ran_lognormal(s->rng, mu, sigma);
}

double gy_stream_pareto(struct gy_stream *s, double shape, double scale)
{
    return gsl_ran_pareto(s->rng, shape, scale);
}

double gy_stream_weibull(struct gy_stream *s, double scale, double shape)
{
    return gsl_ran_weibull(s->rng, scale, shape);
}

double gy_stream_gamma(struct gy_stream *s, double shape, double scale)
{
    return gsl_ran_gamma(s->rng, shape, scale);
}

uint64_t gy_stream_poisson(struct gy_stream *s, double mean)
{
    if (!(mean > 0))
        return 0;
    if (mean <= POISSON_EXACT_MOST)
        return gsl_ran_poisson(s->rng, mean);
    double x = nearbyint(gy_stream_normal(s, mean, sqrt(mean)));
    return x < 0x1p64 ? (uint64_t)x : UINT64_MAX;
}
