/* Interned strings: texts in an arena, an array by id, and an open-addressing index from hash to id. Nothing is ever
 * removed, and the order of the index is never seen. */
#include <stdlib.h>
#include <string.h>
#include "gy_arena.h"
#include "gy_hash.h"
#include "gy_str.h"
#include "gy_vec.h"

struct entry {
    const char *text;
    size_t len;
    uint64_t hash;
};

struct gy_strings {
    struct gy_arena texts;
    GY_VEC(struct entry) entries;
    uint32_t *index; /* id + 1, or 0 where empty */
    size_t cap;      /* of index: a power of two */
};

static size_t probe(const struct gy_strings *s, uint64_t hash, const char *text, size_t len)
{
    size_t i = (size_t)hash & (s->cap - 1);

    for (; s->index[i] != 0; i = (i + 1) & (s->cap - 1)) {
        const struct entry *e = &s->entries.at[s->index[i] - 1];
        if (e->hash == hash && e->len == len && (len == 0 || memcmp(e->text, text, len) == 0))
            break;
    }
    return i;
}

static bool index_grow(struct gy_strings *s)
{
    size_t cap = s->cap == 0 ? 64 : s->cap * 2;
    uint32_t *index = calloc(cap, sizeof *index);

    if (index == NULL)
        return false;
    for (size_t id = 0; id < s->entries.n; id++) {
        size_t i = (size_t)s->entries.at[id].hash & (cap - 1);
        while (index[i] != 0)
            i = (i + 1) & (cap - 1);
        index[i] = (uint32_t)id + 1;
    }
    free(s->index);
    s->index = index;
    s->cap = cap;
    return true;
}

struct gy_strings *gy_strings_new(void)
{
    struct gy_strings *s = calloc(1, sizeof *s);

    if (s != NULL && gy_strings_add(s, "", 0) == GY_STR_FAIL) {
        gy_strings_free(s);
        return NULL;
    }
    return s;
}

void gy_strings_free(struct gy_strings *s)
{
    if (s == NULL)
        return;
    gy_arena_free(&s->texts);
    gy_vec_free(&s->entries);
    free(s->index);
    free(s);
}

gy_str gy_strings_add(struct gy_strings *s, const char *text, size_t len)
{
    if ((s->entries.n + 1) * 2 > s->cap && !index_grow(s))
        return GY_STR_FAIL;

    struct entry e = {.len = len, .hash = gy_hash_bytes(text, len)};
    size_t i = probe(s, e.hash, text, len);
    if (s->index[i] != 0)
        return s->index[i] - 1;
    if (s->entries.n >= GY_STR_FAIL - 1 || !gy_vec_reserve(&s->entries, s->entries.n + 1))
        return GY_STR_FAIL;
    e.text = gy_arena_strndup(&s->texts, text, len);
    if (e.text == NULL)
        return GY_STR_FAIL;
    s->entries.at[s->entries.n++] = e;
    s->index[i] = (uint32_t)s->entries.n;
    return (gy_str)(s->entries.n - 1);
}

gy_str gy_strings_find(const struct gy_strings *s, const char *text, size_t len)
{
    size_t i = probe(s, gy_hash_bytes(text, len), text, len);

    return s->index[i] == 0 ? GY_STR_FAIL : s->index[i] - 1;
}

const char *gy_strings_text(const struct gy_strings *s, gy_str id)
{
    return s->entries.at[id].text;
}

size_t gy_strings_len(const struct gy_strings *s, gy_str id)
{
    return s->entries.at[id].len;
}

uint32_t gy_strings_count(const struct gy_strings *s)
{
    return (uint32_t)s->entries.n;
}
