/* The promise map of a backfill pass: which nodes are promised to nobody, interval by interval. Not a profile of
 * amounts: Slurm promises whole nodes. */
#include "slurm_internal.h"

static uint64_t *set_at(const struct slurm_map *m, uint32_t set)
{
    return &m->sets.at[(size_t)set * m->words];
}

static bool new_set(struct slurm_map *m, uint32_t *set)
{
    if (m->spare.n) {
        *set = m->spare.at[--m->spare.n];
        return true;
    }
    if (!gy_vec_reserve(&m->sets, m->sets.n + m->words))
        return false;
    *set = (uint32_t)(m->sets.n / m->words);
    m->sets.n += m->words;
    return gy_vec_reserve(&m->spare, m->sets.n / m->words);
}

bool slurm_map_reset(struct slurm_map *m, uint32_t words, int64_t begin, int64_t end, const uint64_t *nodes)
{
    m->words = words;
    gy_vec_clear(&m->spans);
    gy_vec_clear(&m->sets);
    gy_vec_clear(&m->spare);
    struct slurm_span all = {.begin = begin, .end = end};
    if (!new_set(m, &all.set) || !gy_vec_push(&m->spans, all))
        return false;
    set_copy(set_at(m, all.set), nodes, words);
    return true;
}

void slurm_map_free(struct slurm_map *m)
{
    gy_vec_free(&m->spans);
    gy_vec_free(&m->sets);
    gy_vec_free(&m->spare);
}

/* Makes t a boundary, unless it lies outside. */
static bool split(struct slurm_map *m, int64_t t)
{
    for (size_t i = 0; i < m->spans.n; i++) {
        struct slurm_span *s = &m->spans.at[i];
        if (t <= s->begin)
            return true;
        if (t >= s->end)
            continue;
        struct slurm_span tail = {.begin = t, .end = s->end};
        if (!new_set(m, &tail.set) || !gy_vec_push(&m->spans, tail))
            return false;
        s = &m->spans.at[i];
        set_copy(set_at(m, tail.set), set_at(m, s->set), m->words);
        s->end = t;
        memmove(&m->spans.at[i + 2], &m->spans.at[i + 1], (m->spans.n - i - 2) * sizeof *s);
        m->spans.at[i + 1] = tail;
        return true;
    }
    return true;
}

/* Joins neighbours that say the same. */
static void join(struct slurm_map *m)
{
    size_t kept = 0;
    for (size_t i = 1; i < m->spans.n; i++) {
        struct slurm_span *a = &m->spans.at[kept], *b = &m->spans.at[i];
        if (memcmp(set_at(m, a->set), set_at(m, b->set), m->words * sizeof(uint64_t)) == 0) {
            a->end = b->end;
            m->spare.at[m->spare.n++] = b->set;
        } else {
            m->spans.at[++kept] = *b;
        }
    }
    m->spans.n = kept + 1;
}

bool slurm_map_promise(struct slurm_map *m, int64_t start, int64_t end, const uint64_t *nodes)
{
    if (!split(m, start) || !split(m, end))
        return false;
    for (size_t i = 0; i < m->spans.n; i++) {
        const struct slurm_span *s = &m->spans.at[i];
        if (s->begin < start || s->end > end)
            continue;
        uint64_t *set = set_at(m, s->set);
        for (uint32_t w = 0; w < m->words; w++)
            set[w] &= ~nodes[w];
    }
    join(m);
    return true;
}

int64_t slurm_map_over(const struct slurm_map *m, int64_t start, int64_t end, const uint64_t *mine, uint64_t *nodes)
{
    set_copy(nodes, mine, m->words);
    for (size_t i = 0; i < m->spans.n; i++) {
        const struct slurm_span *s = &m->spans.at[i];
        if (s->end <= start)
            continue;
        const uint64_t *set = set_at(m, s->set);
        for (uint32_t w = 0; w < m->words && s->begin <= end; w++)
            nodes[w] &= set[w];
        if (i + 1 == m->spans.n)
            break;
        const uint64_t *next = set_at(m, m->spans.at[i + 1].set);
        bool loses = false, adds = false;
        for (uint32_t w = 0; w < m->words; w++) {
            adds = adds || (next[w] & mine[w] & ~nodes[w]);
            loses = loses || (nodes[w] & ~next[w]);
        }
        if (adds || !loses) {
            for (i++; i < m->spans.n && m->spans.at[i].begin <= end; i++)
                for (uint32_t w = 0; w < m->words; w++)
                    nodes[w] &= set_at(m, m->spans.at[i].set)[w];
            return s->end;
        }
    }
    return 0;
}

bool slurm_map_overlaps(const struct slurm_map *m, int64_t start, int64_t end, const uint64_t *nodes)
{
    for (size_t i = 0; i < m->spans.n; i++) {
        const struct slurm_span *s = &m->spans.at[i];
        if (s->end <= start || s->begin >= end)
            continue;
        const uint64_t *set = set_at(m, s->set);
        for (uint32_t w = 0; w < m->words; w++)
            if (nodes[w] & ~set[w])
                return true;
    }
    return false;
}
