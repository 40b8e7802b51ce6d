/* Loads NCCL and cuBLASLt by dlopen under the names of the major versions whose headers this was built with. */
#include "gpu.h"
#include <dlfcn.h>
#include <string.h>

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)

struct symbol {
    const char *name;
    void **to;
};

static void *open_library(const char *file, const struct symbol *symbols, size_t n, char *why, size_t size)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(why, size, "%s", dlerror());
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        *symbols[i].to = dlsym(library, symbols[i].name);
        if (!*symbols[i].to) {
            snprintf(why, size, "%s has no %s: it is too old", file, symbols[i].name);
            dlclose(library);
            return NULL;
        }
    }
    return library;
}

void gp_nccl_open(struct gp_nccl *l)
{
    const struct symbol symbols[] = {
#define X(f) {"nccl" #f, (void **)&l->f},
        GP_NCCL(X)
#undef X
    };
    l->library = open_library("libnccl.so.2", symbols, sizeof symbols / sizeof *symbols, l->why, sizeof l->why);
}

void gp_lt_open(struct gp_lt *l)
{
    const struct symbol symbols[] = {
#define X(f) {"cublasLt" #f, (void **)&l->f},
        GP_LT(X)
#undef X
    };
    l->library = open_library("libcublasLt.so." TEXT(CUBLAS_VER_MAJOR), symbols, sizeof symbols / sizeof *symbols,
                              l->why, sizeof l->why);
}
