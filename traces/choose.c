/* Which reader a trace is for: by name, by its first bytes, or "csv" where there is a map of columns. */
#include <string.h>
#include "loading.h"

static void list_formats(char *buf, size_t size)
{
    size_t n = 0;

    for (size_t i = 0; gy_readers[i] != NULL && n < size; i++)
        n += (size_t)snprintf(buf + n, size - n, "%s%s", i > 0 ? ", " : "", gy_readers[i]->name);
}

static const struct gy_reader_type *by_name(const char *name, struct gy_error *err)
{
    const char *names[64] = {NULL};
    size_t n = 0;
    char all[300];

    for (; gy_readers[n] != NULL && n < GY_COUNT(names); n++) {
        if (strcmp(gy_readers[n]->name, name) == 0)
            return gy_readers[n];
        names[n] = gy_readers[n]->name;
    }
    const char *near = gy_nearest(name, names, n);
    list_formats(all, sizeof all);
    gy_fail(err, GY_EUSAGE, NULL, "unknown trace format \"%s\"", name);
    if (near != NULL)
        gy_hint(err, "did you mean \"%s\"? Known: %s", near, all);
    else
        gy_hint(err, "known: %s", all);
    return NULL;
}

static const struct gy_reader_type *sniff(struct gy_input *in, struct gy_error *err)
{
    const struct gy_reader_type *best = NULL;
    const char *bytes;
    int most = 0;
    char seen[80], all[300];

    err->code = GY_OK;
    size_t n = gy_input_peek(in, &bytes, err);
    if (err->code != GY_OK)
        return NULL;
    if (n == 0) {
        gy_fail(err, GY_EINPUT, gy_input_name(in), "the file is empty; a trace was expected");
        gy_hint(err, "was its download or the program that writes it cut off?");
        return NULL;
    }
    for (size_t i = 0; gy_readers[i] != NULL; i++) {
        int sure = gy_readers[i]->sniff(bytes, n, gy_input_name(in));
        if (sure > most) {
            most = sure;
            best = gy_readers[i];
        }
    }
    if (best == NULL) {
        gy_visible(bytes, n < 48 ? n : 48, seen, sizeof seen);
        list_formats(all, sizeof all);
        gy_fail(err, GY_EINPUT, gy_input_name(in), "not a trace format that is known; it begins \"%s\"", seen);
        gy_hint(err, "name it by --format (%s), or map its columns with \"format\": \"csv\" and \"columns\"", all);
    }
    return best;
}

const struct gy_reader_type *gy_load_choose(const struct gy_trace_options *o, struct gy_input *in, struct gy_error *err)
{
    if (o->format != NULL)
        return by_name(o->format, err);
    return o->columns != NULL ? &gy_read_csv : sniff(in, err);
}
