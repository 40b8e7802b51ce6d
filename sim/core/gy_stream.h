/* Random streams: one named, seeded stream a purpose ("arrivals", "failures", "ecmp"), so that adding a draw to one
 * never shifts another. The generator and the distributions are GSL's. */
#ifndef GY_STREAM_H
#define GY_STREAM_H
#include <stdbool.h>
#include <stdint.h>

struct gy_stream {
    void *rng; /* gsl_rng */
};

bool gy_stream_init(struct gy_stream *s, uint64_t seed, const char *purpose); /* false when out of memory */
void gy_stream_free(struct gy_stream *s);
uint64_t gy_stream_below(struct gy_stream *s, uint64_t n); /* uniform in [0, n), n ≥ 1, without modulo bias */
double gy_stream_uniform(struct gy_stream *s);             /* [0, 1) */
double gy_stream_exponential(struct gy_stream *s, double mean);
double gy_stream_normal(struct gy_stream *s, double mean, double sigma);
double gy_stream_lognormal(struct gy_stream *s, double mu, double sigma);
double gy_stream_pareto(struct gy_stream *s, double shape, double scale);
double gy_stream_weibull(struct gy_stream *s, double scale, double shape);
double gy_stream_gamma(struct gy_stream *s, double shape, double scale);
uint64_t gy_stream_poisson(struct gy_stream *s, double mean);
#endif
