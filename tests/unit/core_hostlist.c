/* Host lists: what each text expands to, and what is refused. */
#include <criterion/criterion.h>
#include <string.h>
#include "gy_hostlist.h"

static int join(void *ctx, const char *name, struct gy_error *err)
{
    char *to = ctx;

    (void)err;
    if (to[0] != '\0')
        strcat(to, " ");
    strcat(to, name);
    return 0;
}

static void check(const char *text, const char *expected)
{
    char got[4096] = "";
    struct gy_error err = {0};

    cr_assert_eq(gy_hostlist_each(text, 100, join, got, &err), 0, "%s: %s", text, err.what);
    cr_expect_str_eq(got, expected, "%s gives %s, expected %s", text, got, expected);
}

static void refused(const char *text, const char *why)
{
    char got[4096] = "";
    struct gy_error err = {0};

    cr_expect_eq(gy_hostlist_each(text, 12, join, got, &err), -1, "%s was taken: %s", text, got);
    cr_expect(strstr(err.what, why) != NULL, "%s: %s", text, err.what);
}

Test(hostlist, expands_as_slurm_does)
{
    check("login", "login");
    check("v[008-011]", "v008 v009 v010 v011");
    check("n[8-11]", "n8 n9 n10 n11");
    check("n[1,3-4,007]x", "n1x n3x n4x n007x");
    check("a,b[1-2] , c", "a b1 b2 c");
    check("r[1-2]n[1-3]", "r1n1 r1n2 r1n3 r2n1 r2n2 r2n3");
    check("n[1-2,x[7-8]]-m", "n1-m n2-m nx7-m nx8-m");
    check("cpn-q06-04-[01-02],x[17,25]", "cpn-q06-04-01 cpn-q06-04-02 x17 x25");
    check("a-[1-1]-b", "a-1-b");
}

Test(hostlist, refuses_what_it_cannot_read)
{
    refused("", "empty name");
    refused("a,,b", "empty name");
    refused("a,", "empty name");
    refused("a[", "without ']'");
    refused("a]", "without '['");
    refused("a[]", "empty item");
    refused("a[1-]", "two numbers");
    refused("a[3-1]", "smaller first");
    refused("a[0-999999999999999999]", "more than 12 names");
    refused("a[1-3]b[1-2]c[1-3]", "more than 12 names");
    refused("a[1-3,b[1-10]]", "more than 12 names");
    refused("a[1-6],b[1-6],c", "more than 12 names");
    refused("a[1-1000]b[1-1000]c[1-1000]d[1-1000]e[1-1000]", "more than 12 names");
    refused("a[0-9999999999999999999999]", "two numbers");
    refused("a[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]", "too deeply");
}

Test(hostlist, next_name_counts_on)
{
    char buf[GY_HOST_NAME_MAX + 1];

    cr_assert(gy_hostlist_next("v133", buf));
    cr_expect_str_eq(buf, "v134");
    cr_assert(gy_hostlist_next("v099", buf));
    cr_expect_str_eq(buf, "v100");
    cr_assert(gy_hostlist_next("r9-n99.x", buf));
    cr_expect_str_eq(buf, "r9-n100.x");
    cr_expect_not(gy_hostlist_next("login", buf));
}
