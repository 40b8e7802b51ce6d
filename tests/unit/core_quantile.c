/* Sample statistics: hand values, GSL's and qsort's answers, and independence from the order of arrival. */
#include <criterion/criterion.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gy_hash.h"
#include "gy_quantile.h"

static struct gy_sample sample_of(const double *at, size_t n)
{
    struct gy_sample s = {0};

    for (size_t i = 0; i < n; i++)
        cr_assert(gy_sample_add(&s, at[i]));
    return s;
}

Test(quantile, empty_is_nan)
{
    struct gy_sample s = {0};

    cr_assert(isnan(gy_sample_mean(&s)) && isnan(gy_sample_max(&s)) && isnan(gy_sample_quantile(&s, 0.5)));
    gy_sample_free(&s);
}

Test(quantile, hand_values)
{
    struct gy_sample s = sample_of((double[]){4, 1, 3, 2}, 4);

    cr_assert_eq(gy_sample_quantile(&s, 0), 1);
    cr_assert_eq(gy_sample_quantile(&s, 0.25), 1.75);
    cr_assert_eq(gy_sample_quantile(&s, 0.5), 2.5);
    cr_assert_float_eq(gy_sample_quantile(&s, 0.9), 3.7, 1e-12);
    cr_assert_eq(gy_sample_quantile(&s, 1), 4);
    cr_assert_eq(gy_sample_quantile(&s, 7), 4);
    cr_assert_eq(gy_sample_quantile(&s, -7), 1);
    cr_assert_eq(gy_sample_mean(&s), 2.5);
    cr_assert_eq(gy_sample_max(&s), 4);
    cr_assert(gy_sample_add(&s, 10)); /* after a read */
    cr_assert_eq(gy_sample_max(&s), 10);
    cr_assert_eq(gy_sample_quantile(&s, 0.5), 3);
    cr_assert_eq(gy_sample_mean(&s), 4);
    gy_sample_free(&s);
    s = sample_of((double[]){7}, 1);
    cr_assert_eq(gy_sample_quantile(&s, 0.3), 7);
    gy_sample_free(&s);
}

Test(quantile, infinities_are_ordered)
{
    struct gy_sample s = sample_of((double[]){INFINITY, -1, -INFINITY, INFINITY, 0.0, -0.0}, 6);

    cr_assert_eq(gy_sample_quantile(&s, 0), -INFINITY);
    cr_assert_eq(gy_sample_max(&s), INFINITY);
    cr_assert_eq(gy_sample_quantile(&s, 0.9), INFINITY);
    cr_assert_eq(gy_sample_quantile(&s, 0.5), 0);
    gy_sample_free(&s);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void against_references(size_t n, uint64_t kind)
{
    double *at = malloc(n * sizeof *at);

    for (size_t i = 0; i < n; i++) {
        uint64_t r = gy_hash_mix(i * 4 + kind);
        double u = (double)(r >> 11) * 0x1p-53 - 0.5;
        at[i] = kind == 0   ? u
                : kind == 1 ? u * pow(10, (double)(r % 600) - 300)
                : kind == 2 ? (double)(r % 5)
                            : -(double)i;
    }
    struct gy_sample s = sample_of(at, n);
    qsort(at, n, sizeof *at, by_value);
    for (double q = 0; q <= 1; q += 0.03125) {
        double want = gsl_stats_quantile_from_sorted_data(at, 1, n, q), got = gy_sample_quantile(&s, q);
        cr_assert(fabs(got - want) <= 1e-13 * fabs(want) + 1e-300, "n %zu kind %d q %g: %g, not %g", n, (int)kind, q,
                  got, want);
    }
    cr_assert_eq(memcmp(s.at, at, n * sizeof *at), 0);
    gy_sample_free(&s);
    free(at);
}

Test(quantile, equals_gsl_and_qsort)
{
    const size_t sizes[] = {2, 3, 100, 2047, 2048, 2049, 100000};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (uint64_t kind = 0; kind < 4; kind++)
            against_references(sizes[i], kind);
}

Test(quantile, mean_does_not_depend_on_order)
{
    struct gy_sample a = {0}, b = {0};

    for (size_t i = 0; i < 10000; i++) {
        cr_assert(gy_sample_add(&a, pow(10, (double)(gy_hash_mix(i) % 30))));
        cr_assert(gy_sample_add(&b, pow(10, (double)(gy_hash_mix(9999 - i) % 30))));
    }
    cr_assert_eq(gy_sample_mean(&a), gy_sample_mean(&b));
    gy_sample_free(&a);
    gy_sample_free(&b);
}

Test(quantile, sum_compensates)
{
    cr_assert_eq(gy_sum((double[]){1, 1e100, 1, -1e100}, 4), 2); /* Neumaier's own example; Kahan gives 0 */
    cr_assert_eq(gy_sum(NULL, 0), 0);
    cr_assert_eq(gy_sum((double[]){1, INFINITY, 1}, 3), INFINITY);
    cr_assert(isnan(gy_sum((double[]){INFINITY, -INFINITY}, 2)));
}
