/* tools/nvtx.c -- ranges for NVIDIA's profilers, by version 3 of NVTX: the profiler names a library in the environment,
 * which asks us for the places of functions and puts its own there.
 *
 * NVIDIA's header does the same in a thousand lines for all of NVTX; here are two functions, from the layout of the
 * tables that it documents. The places are the program's own memory, so this is the tool's and not the runtime's. */
#include "tool.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
bool nvtx_begin(xlagpu_device_desc *d) {
    (void)d;
    return false;
}
#else
#include <dlfcn.h>

enum {
    TABLE_CALLBACKS = 1,
    TABLE_VERSION = 3,
    NVTX_VERSION = 3,
    MODULE_CORE = 1,
    PUSH_A = 9, /* places in the module's list */
    POP = 11,
    CORE_SIZE = 16
};
typedef void (*function)(void);
typedef struct callbacks {
    size_t bytes;
    int (*list)(int module, function ***out, unsigned *n);
} callbacks;
typedef struct version_info {
    size_t bytes;
    uint32_t version, reserved;
    void (*set)(uint32_t version);
} version_info;

static function places[CORE_SIZE];
static function *list_of_places[CORE_SIZE + 1];

static int list(int module, function ***out, unsigned *n) {
    int k;
    if (module != MODULE_CORE) return 0;
    for (k = 1; k < CORE_SIZE; k++) list_of_places[k] = &places[k];
    if (out) *out = list_of_places;
    if (n) *n = CORE_SIZE;
    return 1;
}
static void set_version(uint32_t version) { (void)version; }
static const void *table(uint32_t id) {
    static const callbacks of_lists = {sizeof(callbacks), list};
    static const version_info of_version = {sizeof(version_info), NVTX_VERSION, 0, set_version};
    return id == TABLE_CALLBACKS ? (const void *)&of_lists : id == TABLE_VERSION ? (const void *)&of_version : NULL;
}

static void range(void *user, const char *name) {
    int (*push)(const char *);
    int (*pop)(void);
    (void)user;
    memcpy(&push, &places[PUSH_A], sizeof push);
    memcpy(&pop, &places[POP], sizeof pop);
    if (name && push)
        push(name);
    else if (!name && pop)
        pop();
}

/* False: no profiler has named a library, or it does not want us. */
bool nvtx_begin(xlagpu_device_desc *d) {
    const char *path = getenv(sizeof(void *) == 8 ? "NVTX_INJECTION64_PATH" : "NVTX_INJECTION32_PATH");
    void *library = path ? dlopen(path, RTLD_LAZY) : NULL, *symbol;
    int (*begin)(const void *(*)(uint32_t));
    symbol = library ? dlsym(library, "InitializeInjectionNvtx2") : NULL;
    if (!symbol) return false;
    memcpy(&begin, &symbol, sizeof begin);
    if (!begin(table)) return false;
    d->range = range;
    return true;
}
#endif
