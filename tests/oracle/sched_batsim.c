/* Backfill against recordings of Batsim with batsched's EASY: every start, and every host set. */
#include "../sched_bed.h"
#include "gy_file.h"
#include "gy_trace.h"

#define DATA GY_SOURCE_DIR "/../shared/data/traces/batsim/"

struct recorded {
    uint64_t id;
    double start, end;
    uint64_t hosts[4]; /* bits of up to 256 hosts */
};

static bool have(const char *path)
{
    FILE *f = fopen(path, "r");
    if (!f) {
        fprintf(stderr, "SKIP: %s is not there\n", path);
        return false;
    }
    fclose(f);
    return true;
}

/* The text of the field of that number in a line without quotes before it. */
static const char *field(const char *line, int number)
{
    while (number-- > 0)
        line = strchr(line, ',') + 1;
    return line;
}

static int column(const char *header, const char *name)
{
    for (int i = 0;; i++) {
        const char *at = field(header, i);
        if (strncmp(at, name, strlen(name)) == 0 && strchr(",\n\r", at[strlen(name)]))
            return i;
    }
}

static size_t read_recording(const char *path, struct recorded *out, size_t max)
{
    struct gy_error err;
    char *text = gy_file_slurp(path, 1 << 26, NULL, NULL, &err);
    cr_assert_not_null(text, "%s", err.what);
    const int id = column(text, "job_id"), start = column(text, "starting_time"), end = column(text, "finish_time"),
              hosts = column(text, "allocated_resources");
    size_t n = 0;
    for (const char *line = strchr(text, '\n') + 1; *line && n < max; line = strchr(line, '\n') + 1) {
        struct recorded *r = &out[n++];
        *r = (struct recorded){.id = strtoull(field(line, id), NULL, 10),
                               .start = strtod(field(line, start), NULL),
                               .end = strtod(field(line, end), NULL)};
        for (const char *p = field(line, hosts); *p >= '0' && *p <= '9';) {
            char *stop;
            unsigned long a = strtoul(p, &stop, 10), b = a;
            if (*stop == '-')
                b = strtoul(stop + 1, &stop, 10);
            for (; a <= b; a++)
                r->hosts[a / 64] |= UINT64_C(1) << (a % 64);
            p = *stop == ' ' ? stop + 1 : stop;
        }
    }
    free(text);
    return n;
}

static void hosts_of(const struct sb_run *r, uint64_t *bits)
{
    memset(bits, 0, 4 * sizeof *bits);
    for (size_t i = 0; i < r->shares.n; i++)
        bits[r->shares.at[i].node.i / 64] |= UINT64_C(1) << (r->shares.at[i].node.i % 64);
}

/* Loads the workload and makes hosts of one GPU each. */
static struct gy_trace *load(struct sb *b, const char *path, uint32_t hosts)
{
    const struct gy_trace_options o = {.path = path, .from = GY_NONE, .to = GY_NONE};
    struct gy_trace *t = NULL;
    sb_init(b);
    cr_assert_eq(gy_trace_load(&o, b->strings, &t, &b->err), 0, "%s", b->err.what);
    for (uint32_t i = 0; i < hosts; i++)
        sb_node(b, 1);
    for (size_t i = 0; i < t->jobs.n; i++)
        cr_assert(gy_vec_push(&b->jobs, t->jobs.at[i]));
    return t;
}

struct agreement {
    size_t jobs, starts, hosts;
    double worst;       /* difference of starts, s */
    size_t first;       /* row of the first start that differs by more than tolerance */
    gy_time first_host; /* earliest recorded start on other hosts */
};

static struct agreement compare(const struct sb *b, const struct recorded *rec, size_t n, double tolerance)
{
    struct agreement a = {.first = SIZE_MAX, .first_host = GY_NEVER};
    for (size_t i = 0; i < b->jobs.n; i++)
        for (size_t k = 0; k < n; k++) {
            char buf[24];
            if (strtoull(gy_job_rec_id(&b->jobs.at[i], b->strings, buf), NULL, 10) != rec[k].id)
                continue;
            uint64_t bits[4];
            const double off = gy_time_to_s(b->run[i].start) - rec[k].start, size = off < 0 ? -off : off;
            hosts_of(&b->run[i], bits);
            a.jobs++;
            a.starts += size <= tolerance;
            const bool same = memcmp(bits, rec[k].hosts, sizeof bits) == 0;
            a.hosts += same;
            if (!same && gy_time_from_s(rec[k].start) < a.first_host)
                a.first_host = gy_time_from_s(rec[k].start);
            a.worst = size > a.worst ? size : a.worst;
            if (size > tolerance && a.first == SIZE_MAX)
                a.first = i;
            break;
        }
    return a;
}

static void report(const char *what, const struct sb *b, struct agreement a)
{
    fprintf(stderr, "%s: %zu jobs, %zu starts, %zu host sets as recorded, worst start %.6f s off%s", what, a.jobs,
            a.starts, a.hosts, a.worst, a.first == SIZE_MAX ? "\n" : "");
    if (a.first != SIZE_MAX)
        fprintf(stderr, "; first job that differs: row %zu\n", a.first);
    (void)b;
}

Test(batsim, medium_late)
{
    static struct recorded rec[1000];
    struct sb b;
    if (!have(DATA "medium_late.json"))
        return;
    const size_t n = read_recording(DATA "medium_late_easy/out_jobs.csv", rec, 1000);
    struct gy_trace *t = load(&b, DATA "medium_late.json", 32);
    sb_composed(&b, "fifo", "strict", "easy-batsched", "first");
    struct agreement a = compare(&b, rec, n, 2e-6);
    report("medium_late easy-batsched", &b, a);
    cr_expect_eq(a.jobs, 801);
    cr_expect_eq(a.starts, 801);
    cr_expect_eq(a.hosts, 801);
    sb_composed(&b, "fifo", "strict", "easy", "first");
    a = compare(&b, rec, n, 2e-6);
    report("medium_late easy", &b, a);
    cr_expect_eq(a.starts, 725, "the textbook rule is another");
    gy_trace_free(t);
    b.jobs.n = 0;
    sb_free(&b);
}

/* Recorded times carry message delays, so what happens at one instant here came one by one there, some ms apart, and
 * the recorded scheduler decided in between. First other hosts: in second 2268996 a job (836) arrives as another (834)
 * ends; the recorded end came 1.8 ms later, so its hosts were not free yet. First other start: in second 4076024 three
 * jobs end, up to 9 ms apart, jobs placed between them get other hosts, and 12 s later one more job fits here than
 * there. */
Test(batsim, hpc2n)
{
    static struct recorded rec[4000];
    struct sb b;
    if (!have(DATA "hpc2n3k.json.gz"))
        return;
    const size_t n = read_recording(DATA "hpc2n3k_easy/out_jobs.csv.gz", rec, 4000);
    struct gy_trace *t = load(&b, DATA "hpc2n3k.json.gz", 240);
    sb_composed(&b, "fifo", "strict", "easy-batsched", "first");
    const struct agreement a = compare(&b, rec, n, 0.1);
    report("hpc2n3k easy-batsched", &b, a);
    cr_expect_eq(a.jobs, 3145);
    cr_expect_geq(a.starts, 3103);
    cr_expect_eq(a.first, 2332);
    cr_expect_eq(a.first_host / S, 2268996);
    size_t ends = 0;
    for (size_t k = 0; k < n; k++)
        ends += gy_time_from_s(rec[k].end) / S == 4076024;
    cr_expect_eq(ends, 3);
    gy_trace_free(t);
    b.jobs.n = 0;
    sb_free(&b);
}
