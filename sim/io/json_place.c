/* From a JSON pointer back to line and column, by scanning the text along the pointer. Done for errors only, so
 * nothing is kept for it but the text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "json_doc.h"
#include "json_scan.h"

#define TOKEN_SIZE 512

/* At '{': moves to the value of key and sets *at to the key's offset. Of equal keys the last, which is the error. */
static bool enter_object(struct gy_scan *s, const char *key, size_t *at)
{
    char name[TOKEN_SIZE];
    size_t value = 0;
    int more = 1;

    for (s->at++; more > 0; more = gy_scan_comma(s, '}')) {
        gy_scan_space(s);
        size_t start = s->at;
        if (gy_scan_string(s, "a key") < 0) /* an empty object */
            break;
        bool found = gy_scan_decode(s->text + start, name, sizeof name) && strcmp(name, key) == 0;
        if (gy_scan_colon(s) < 0)
            break;
        if (found) {
            *at = start;
            value = s->at;
        }
        if (gy_scan_value(s) < 0)
            break;
    }
    s->at = value;
    return value != 0;
}

static bool enter_array(struct gy_scan *s, const char *token, size_t *at)
{
    char *end;
    unsigned long index = strtoul(token, &end, 10);

    if (token[0] < '0' || token[0] > '9' || *end != '\0')
        return false;
    for (s->at++;; index--) {
        gy_scan_space(s);
        *at = s->at;
        if (index == 0)
            return s->text[s->at] != ']';
        if (gy_scan_value(s) < 0 || gy_scan_comma(s, ']') <= 0)
            return false;
    }
}

bool gy_json_find(const struct gy_json_doc *doc, const char *pointer, size_t *at)
{
    struct gy_error ignored;
    struct gy_scan s = {
        .name = doc->name, .text = doc->text, .len = doc->len, .first_line = 1, .first_column = 1, .err = &ignored};
    char token[TOKEN_SIZE];
    bool found = true;

    gy_scan_space(&s);
    *at = s.at;
    while (found && gy_pointer_next(&pointer, token, sizeof token)) {
        gy_scan_space(&s);
        if (s.at >= s.len)
            return false;
        found = s.text[s.at] == '{'   ? enter_object(&s, token, at)
                : s.text[s.at] == '[' ? enter_array(&s, token, at)
                                      : false;
    }
    return found;
}

const struct gy_json_change *gy_json_changed(const struct gy_json_doc *doc, const char *pointer)
{
    for (size_t i = doc->changes.n; i-- > 0;) {
        const struct gy_json_change *c = &doc->changes.at[i];
        size_t n = strlen(c->pointer);
        if (strncmp(c->pointer, pointer, n) == 0 && (pointer[n] == '\0' || pointer[n] == '/'))
            return c;
    }
    return NULL;
}

void gy_json_place(const struct gy_json_doc *doc, const char *pointer, char *buf, size_t size)
{
    const struct gy_json_change *change = gy_json_changed(doc, pointer);
    const char *gap = pointer[0] == '\0' ? "" : ": ";
    size_t at, line, column;

    if (change != NULL || !gy_json_find(doc, pointer, &at)) {
        snprintf(buf, size, "%s%s%s", change != NULL ? change->from : doc->name, gap, pointer);
        return;
    }
    gy_json_line_column(doc->text, at, &line, &column);
    snprintf(buf, size, "%s:%zu:%zu%s%s", doc->name, line, column, gap, pointer);
}
