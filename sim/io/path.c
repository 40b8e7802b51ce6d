/* Whole files, paths beside a file, and errors that name the file that was probably meant. No globbing, no walking. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "file_hint.h"
#include "gy_file.h"
#include "gy_vec.h"

#define NAMES_MOST 20000 /* looked at for a hint; a larger folder gives none */

typedef GY_VEC(const char *) name_list;

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names in folder, sorted so that the hint does not depend on the file system's order. */
static void list_folder(const char *folder, name_list *names)
{
    DIR *dir = opendir(folder);
    struct dirent *e;

    if (dir == NULL)
        return;
    while ((e = readdir(dir)) != NULL && names->n < NAMES_MOST) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        const char *copy = strdup(e->d_name);
        if (copy == NULL || !gy_vec_push(names, copy)) {
            free((void *)copy);
            break;
        }
    }
    closedir(dir);
    if (names->n > 1)
        qsort(names->at, names->n, sizeof *names->at, compare_names);
}

static void hint_nearest(struct gy_error *err, const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t head = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    char folder[4096];
    name_list names = {0};
    struct stat st;

    if (head >= sizeof folder)
        return;
    snprintf(folder, sizeof folder, "%.*s", head == 0 ? 1 : (int)head, head == 0 ? "." : path);
    if (stat(folder, &st) < 0) {
        gy_hint(err, "there is no folder %s", folder);
        return;
    }
    list_folder(folder, &names);
    const char *best = names.n == 0 ? NULL : gy_nearest(path + head, names.at, names.n);
    if (best != NULL)
        gy_hint(err, "did you mean \"%.*s%s\"?", (int)head, path, best);
    for (size_t i = 0; i < names.n; i++)
        free((void *)names.at[i]);
    gy_vec_free(&names);
}

int gy_fail_open(struct gy_error *err, const char *path, int number)
{
    if (path[0] == '\0')
        return gy_fail(err, GY_EINPUT, NULL, "found an empty file name");
    switch (number) {
    case ENOENT:
        gy_fail(err, GY_EINPUT, path, "no such file");
        hint_nearest(err, path);
        return -1;
    case EISDIR:
        return gy_fail(err, GY_EINPUT, path, "is a folder; expected a file");
    case EACCES:
    case ENOTDIR:
    case ELOOP:
    case ENAMETOOLONG:
        return gy_fail(err, GY_EINPUT, path, "cannot open: %s", strerror(number));
    default:
        return gy_fail(err, GY_EIO, path, "cannot open: %s", strerror(number));
    }
}

/* Reads to the end of in; the text is NUL-ended and freed by the caller. */
static char *read_all(struct gy_input *in, size_t max, size_t *len, struct gy_error *err)
{
    GY_VEC(char) text = {0};

    for (;;) {
        if (!gy_vec_reserve(&text, text.n + 4096 + 1)) {
            gy_nomem(err);
            break;
        }
        long n = gy_input_read(in, text.at + text.n, text.cap - text.n - 1, err);
        if (n < 0)
            break;
        text.n += (size_t)n;
        if (n == 0) {
            text.at[text.n] = '\0';
            *len = text.n;
            return text.at;
        }
        if (text.n > max) {
            gy_fail(err, GY_EINPUT, gy_input_name(in), "is too large: more than %zu bytes", max);
            break;
        }
    }
    gy_vec_free(&text);
    return NULL;
}

char *gy_file_slurp(const char *path, size_t max, size_t *len, char sha256[65], struct gy_error *err)
{
    struct gy_input *in = gy_input_open(path, err);
    size_t n = 0;
    char *text;

    if (in == NULL)
        return NULL;
    text = read_all(in, max, &n, err);
    if (text != NULL && len != NULL)
        *len = n;
    if (text != NULL && sha256 != NULL)
        gy_input_sha256(in, sha256);
    gy_input_close(in);
    return text;
}

bool gy_path_resolve(const char *base_file, const char *path, char *buf, size_t size)
{
    const char *slash = base_file == NULL ? NULL : strrchr(base_file, '/');
    size_t head = slash == NULL || path[0] == '/' || strcmp(path, "-") == 0 ? 0 : (size_t)(slash - base_file) + 1;

    if (head + strlen(path) >= size)
        return false;
    if (head > 0)
        memcpy(buf, base_file, head);
    strcpy(buf + head, path);
    return true;
}
