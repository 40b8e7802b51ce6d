/* Random streams: repeatable, independent by name, unbiased below n, and distributions with the right moments. */
#include <criterion/criterion.h>
#include <math.h>
#include "gy_stream.h"

static struct gy_stream stream(uint64_t seed, const char *purpose)
{
    struct gy_stream s;

    cr_assert(gy_stream_init(&s, seed, purpose));
    return s;
}

Test(stream, same_seed_and_name_repeat)
{
    struct gy_stream a = stream(42, "arrivals"), b = stream(42, "arrivals");

    for (int i = 0; i < 1000; i++) {
        cr_assert_eq(gy_stream_below(&a, 1000003), gy_stream_below(&b, 1000003));
        cr_assert_eq(gy_stream_normal(&a, 0, 1), gy_stream_normal(&b, 0, 1));
    }
    gy_stream_free(&a);
    gy_stream_free(&b);
}

static double correlation(struct gy_stream a, struct gy_stream b)
{
    double sum = 0;

    for (int i = 0; i < 100000; i++)
        sum += (gy_stream_uniform(&a) - 0.5) * (gy_stream_uniform(&b) - 0.5) * 12;
    gy_stream_free(&a);
    gy_stream_free(&b);
    return fabs(sum / 100000);
}

Test(stream, differ_by_name_and_seed)
{
    const double four_sigma = 4 / sqrt(100000);

    cr_assert_lt(correlation(stream(1, "arrivals"), stream(1, "failures")), four_sigma);
    cr_assert_lt(correlation(stream(1, "arrivals"), stream(2, "arrivals")), four_sigma);
    cr_assert_lt(correlation(stream(0, ""), stream((uint64_t)1 << 63, "")), four_sigma);
    cr_assert_lt(correlation(stream(1, "a"), stream(1, "b")), four_sigma);
}

Test(stream, draws_of_one_do_not_shift_another)
{
    struct gy_stream a = stream(7, "a"), b = stream(7, "b"), again = stream(7, "b");

    for (int i = 0; i < 100; i++) {
        gy_stream_gamma(&a, 2, 3);
        cr_assert_eq(gy_stream_uniform(&b), gy_stream_uniform(&again));
    }
    gy_stream_free(&a);
    gy_stream_free(&b);
    gy_stream_free(&again);
}

/* Known values: a change here changes every seeded result. */
Test(stream, is_stable)
{
    struct gy_stream s = stream(1, "arrivals");

    cr_assert_eq(gy_stream_below(&s, 1000000), 611462);
    cr_assert_eq(gy_stream_below(&s, UINT64_MAX), 6407508082326148252u);
    gy_stream_free(&s);
}

Test(stream, below_is_uniform_and_in_range)
{
    struct gy_stream s = stream(3, "below");
    unsigned count[7] = {0};
    double chi2 = 0;

    for (int i = 0; i < 70000; i++)
        count[gy_stream_below(&s, 7)]++;
    for (int d = 0; d < 7; d++)
        chi2 += (count[d] - 10000.0) * (count[d] - 10000.0) / 10000;
    cr_assert_lt(chi2, 22.5); /* 99.9 % point at 6 degrees of freedom */
    for (int i = 0; i < 100; i++)
        cr_assert_eq(gy_stream_below(&s, 1), 0);
    gy_stream_free(&s);
}

/* With n = 3 × 2^62, a modulo of 64 bits would put half of the draws into the first third. */
Test(stream, below_has_no_modulo_bias_when_large)
{
    struct gy_stream s = stream(4, "below");
    const uint64_t third = (uint64_t)1 << 62;
    int first = 0, top = 0;

    for (int i = 0; i < 30000; i++) {
        uint64_t x = gy_stream_below(&s, 3 * third);
        cr_assert_lt(x, 3 * third);
        first += x < third;
        top += gy_stream_below(&s, UINT64_MAX) > UINT64_MAX / 2;
        cr_assert_leq(gy_stream_below(&s, ((uint64_t)1 << 32) + 1), (uint64_t)1 << 32);
    }
    cr_assert(abs(first - 10000) < 330, "%d", first); /* four sigma */
    cr_assert(abs(top - 15000) < 350, "%d", top);
    gy_stream_free(&s);
}

#define DRAWS 200000

static void check_mean(const char *what, double sum, double mean, double sigma)
{
    double error = fabs(sum / DRAWS - mean) / (sigma / sqrt(DRAWS));

    cr_assert_lt(error, 4.5, "%s: mean %g, expected %g", what, sum / DRAWS, mean);
}

Test(stream, moments)
{
    struct gy_stream s = stream(5, "moments");
    double uniform = 0, exponential = 0, normal = 0, lognormal = 0, pareto = 0, weibull = 0, gamma_ = 0, poisson = 0;

    for (int i = 0; i < DRAWS; i++) {
        double u = gy_stream_uniform(&s), p = gy_stream_pareto(&s, 4, 3);
        cr_assert(u >= 0 && u < 1 && p >= 3);
        uniform += u;
        pareto += p;
        exponential += gy_stream_exponential(&s, 5);
        normal += gy_stream_normal(&s, 10, 2);
        lognormal += gy_stream_lognormal(&s, 1, 0.5);
        weibull += gy_stream_weibull(&s, 3, 2);
        gamma_ += gy_stream_gamma(&s, 2, 3);
        poisson += (double)gy_stream_poisson(&s, 40);
    }
    check_mean("uniform", uniform, 0.5, sqrt(1.0 / 12));
    check_mean("exponential", exponential, 5, 5);
    check_mean("normal", normal, 10, 2);
    check_mean("lognormal", lognormal, exp(1.125), exp(1.125) * sqrt(exp(0.25) - 1));
    check_mean("pareto", pareto, 4, sqrt(9 * 4 / (9.0 * 2)));
    check_mean("weibull", weibull, 3 * tgamma(1.5), 3 * sqrt(1 - tgamma(1.5) * tgamma(1.5)));
    check_mean("gamma", gamma_, 6, sqrt(18));
    check_mean("poisson", poisson, 40, sqrt(40));
    gy_stream_free(&s);
}

Test(stream, poisson_edges)
{
    struct gy_stream s = stream(6, "poisson");

    cr_assert_eq(gy_stream_poisson(&s, 0), 0);
    cr_assert_eq(gy_stream_poisson(&s, -1), 0);
    cr_assert_eq(gy_stream_poisson(&s, NAN), 0);
    double x = (double)gy_stream_poisson(&s, 1e12);
    cr_assert(fabs(x - 1e12) < 6e6);
    cr_assert_eq(gy_stream_poisson(&s, 1e30), UINT64_MAX);
    gy_stream_free(&s);
}
