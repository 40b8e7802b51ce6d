/* Interned strings: equal texts have equal 32-bit ids, id 0 is "". Ids are given in the order of first use, so they are
 * deterministic. Not shared between threads while it grows; const use is safe. */
#ifndef GY_STR_H
#define GY_STR_H
#include <stddef.h>
#include <stdint.h>

typedef uint32_t gy_str;
#define GY_STR_FAIL UINT32_MAX

struct gy_strings;
struct gy_strings *gy_strings_new(void);
void gy_strings_free(struct gy_strings *s);
gy_str gy_strings_add(struct gy_strings *s, const char *text, size_t len);        /* GY_STR_FAIL when out of memory */
gy_str gy_strings_find(const struct gy_strings *s, const char *text, size_t len); /* GY_STR_FAIL when absent */
const char *gy_strings_text(const struct gy_strings *s, gy_str id);               /* NUL-ended, lives as long as s */
size_t gy_strings_len(const struct gy_strings *s, gy_str id);
uint32_t gy_strings_count(const struct gy_strings *s);
#endif
