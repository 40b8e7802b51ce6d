/* Fair share against `sshare` of a recorded controller: usage of every user and factor of every rank at all ticks, from
 * the recorded starts and ends and the sacctmgr lines alone. */
#include <math.h>
#include "../slurm_record.h"
#include "gy_fair.h"

struct who {
    char name[32];
    uint32_t node;
};
struct bed {
    struct gy_fair fair;
    struct who who[32];
    size_t n;
    struct rec_table jobs, expected;
    size_t compared, equal, ranks, equal_ranks;
};

static uint32_t node_of(const struct bed *b, const char *name)
{
    for (size_t i = 0; i < b->n; i++)
        if (strcmp(b->who[i].name, name) == 0)
            return b->who[i].node;
    return UINT32_MAX;
}

static void add(struct bed *b, const char *name, uint32_t parent, uint32_t shares, bool user)
{
    struct who *w = &b->who[b->n++];
    snprintf(w->name, sizeof w->name, "%s", name);
    w->node = gy_fair_add(&b->fair, parent, shares, user);
}

static char *slurp(const char *folder, const char *file)
{
    char path[1024];
    struct gy_error err;
    snprintf(path, sizeof path, SLURM_DATA "%s/%s", folder, file);
    char *text = gy_file_slurp(path, 1 << 28, NULL, NULL, &err);
    cr_assert_not_null(text);
    return text;
}

static void read_tree(struct bed *b, const char *folder)
{
    char *text = slurp(folder, "sacctmgr.txt"), *save, kind[16], name[32], key[2][64];
    unsigned shares;
    cr_assert(gy_fair_init(&b->fair));
    add(b, "root user", GY_FAIR_ROOT, 1, true);
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        cr_assert_eq(sscanf(line, "add %15s %31s %63s", kind, name, key[0]), 3);
        const char *s = strstr(line, "fairshare=");
        shares = (unsigned)atoi(s + 10);
        const char *parent = strchr(key[0], '=') + 1;
        const bool top = strncmp(key[0], "cluster=", 8) == 0;
        add(b, name, top ? GY_FAIR_ROOT : node_of(b, parent), shares, strcmp(kind, "user") == 0);
    }
    free(text);
}

/* Charges every job for its time in (from, to] up to to: at a tick what runs; with limits also what ended since. */
static void tick(struct bed *b, int64_t from, int64_t to, bool limits)
{
    const double half = 180;
    gy_fair_scale(&b->fair, gy_fair_decay(half, (double)(to - from)));
    for (size_t i = 0; i < b->expected.rows.n; i++) {
        const int64_t start = atol(rec_at(&b->expected, i, "start_s")), end = atol(rec_at(&b->expected, i, "end_s"));
        const char *tres = strstr(rec_at(&b->expected, i, "alloc_tres"), "billing=");
        if (!tres || start >= to || end <= from || (!limits && end <= to))
            continue;
        const int64_t d = (end < to ? end : to) - (start > from ? start : from);
        double amount = atof(tres + 8) * (double)d * gy_fair_decay(half, (double)d);
        if (end <= to) /* charged when it ended, decayed with the rest at the tick */
            amount *= gy_fair_decay(half, (double)(to - from));
        gy_fair_charge(&b->fair, node_of(b, rec_at(&b->expected, i, "user")), amount);
    }
    cr_assert(gy_fair_tree(&b->fair));
}

static void compare_line(struct bed *b, const char *line)
{
    char user[32] = "", account[32] = "";
    unsigned long shares, usage;
    double norm, share, effective, factor;
    if (sscanf(line, " %31[^|]|%31[^|]|%lu|%lf|%lu|%lf|%lf|%lf|", account, user, &shares, &norm, &usage, &share,
               &effective, &factor) != 8)
        return;
    const struct gy_fair_node *n = &b->fair.nodes.at[node_of(b, strcmp(user, "root") == 0 ? "root user" : user)];
    b->ranks++;
    b->equal_ranks += fabs(n->factor - factor) < 1e-6;
    if (strcmp(user, "root") == 0)
        return;
    b->compared++;
    b->equal += (unsigned long)n->usage == usage;
    if ((unsigned long)n->usage != usage)
        fprintf(stderr, "  %s: recorded %lu, found %.3f\n", user, usage, n->usage);
}

/* The first snapshot after each tick is compared. */
static void replay(struct bed *b, const char *folder, double first_tick, bool limits)
{
    char *text = slurp(folder, "sshare.txt"), *save;
    int64_t last = (int64_t)first_tick - 60;
    double next = first_tick;
    bool fresh = false;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        if (strncmp(line, "# t=", 4) == 0) {
            fresh = false;
            for (; atof(line + 4) > next; next += 60) {
                tick(b, last, (int64_t)next, limits);
                last = (int64_t)next;
                fresh = true;
            }
        } else if (fresh) {
            compare_line(b, line);
        }
    }
    free(text);
}

static void one(const char *folder, double first_tick, bool limits, size_t least)
{
    struct bed b = {.n = 0};
    if (!rec_have(folder))
        return;
    rec_read(&b.expected, folder, "expected.csv");
    read_tree(&b, folder);
    replay(&b, folder, first_tick, limits);
    fprintf(stderr, "%-20s %zu of %zu usages equal, %zu of %zu ranks\n", folder, b.equal, b.compared, b.equal_ranks,
            b.ranks);
    cr_expect_geq(b.equal, least);
    cr_expect_gt(b.compared, 50);
    rec_free(&b.expected);
    gy_fair_free(&b.fair);
}

Test(slurm_fairtree, usage_and_ranks)
{
    one("s4_fairtree", 55.45, false, 54);
    one("s4_fairtree_limits", 55.38, true, 52);
}
