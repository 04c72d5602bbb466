/* tests/programs/fake_cuda.c -- the platform "cuda" without a GPU: a shared library with the driver's entry points,
 * whose kernels run on our simulator.
 *
 * This file is both: with -DFAKE_DRIVER the library, with -DFAKE_OLD_DRIVER one that lacks functions, else the program,
 * which has the two built by $CC (default cc) into build/. The library counts what it gives out and what comes back,
 * and can be told to fail the n-th call of a function. Law: every failure of the driver gives a status and a message
 * that says what was being done, and all resources come back. Ends with "N passed, N failed". */
#if defined(FAKE_OLD_DRIVER)
int cuInit(unsigned flags);
int cuInit(unsigned flags) {
    (void)flags;
    return 0;
}
#elif defined(FAKE_NVTX) /* NVIDIA's library of ranges */
#include <string.h>
typedef struct fake_nvtx {
    int depth, deepest, pushed, wrong;
    char names[4000];
} fake_nvtx;
fake_nvtx nvtx;
int nvtxRangePushA(const char *name);
int nvtxRangePop(void);
int nvtxRangePushA(const char *name) {
    if (strlen(nvtx.names) + strlen(name) + 2 < sizeof nvtx.names) {
        strcat(nvtx.names, name);
        strcat(nvtx.names, "\n");
    }
    nvtx.pushed++;
    if (++nvtx.depth > nvtx.deepest) nvtx.deepest = nvtx.depth;
    return nvtx.depth - 1;
}
int nvtxRangePop(void) {
    nvtx.wrong += nvtx.depth-- <= 0;
    return nvtx.depth;
}
#elif defined(FAKE_INJECTION) /* a profiler's library: NVTX 3 asks it to put its functions in their places */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
typedef void (*function)(void);
typedef struct callbacks {
    size_t bytes;
    int (*list)(int module, function ***out, unsigned *n);
} callbacks;
static void say(const char *what, const char *name) {
    FILE *f = fopen(getenv("FAKE_INJECTION_LOG"), "a");
    if (f) fprintf(f, "%s %s\n", what, name);
    if (f) fclose(f);
}
static int push(const char *name) {
    say("push", name);
    return 0;
}
static int pop(void) {
    say("pop", "");
    return 0;
}
int InitializeInjectionNvtx2(const void *(*table)(uint32_t id));
int InitializeInjectionNvtx2(const void *(*table)(uint32_t id)) {
    const callbacks *c = (const callbacks *)table(1);
    function **places = NULL;
    unsigned n = 0;
    if (!c || c->bytes < sizeof *c || !c->list(1, &places, &n) || n < 12) return 0;
    *places[9] = (function)push;
    *places[11] = (function)pop;
    return 1;
}
#else

#if defined(FAKE_DRIVER)
#include "fake_driver.h"
#else /* the program */
#include "../../src/xlagpu.h"
#include "../../src/xlagpu_runtime.h"
#include "expect.h"
#include "fake_state.h"
#include <dirent.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LIBRARY "./build/fake_cuda.so"
#define OLD_LIBRARY "./build/fake_cuda_old.so"
static fake_state *fake;
static counter count;
/* How often something has looked for the end of a line: in place of the C library's function. */
static long lines_sought;
void *memchr(const void *from, int byte, size_t bytes) {
    const unsigned char *p = (const unsigned char *)from;
    lines_sought++;
    while (bytes && *p != (unsigned char)byte) p++, bytes--;
    return bytes ? (void *)(uintptr_t)p : NULL;
}

static bool build(const char *flags, const char *path) {
    char command[1000];
    const char *cc = getenv("CC");
    snprintf(command, sizeof command,
        "%s -std=gnu99 -w -O1 -shared -fPIC %s tests/programs/fake_cuda.c -o %s -lm -ldl -lpthread", cc ? cc : "cc",
        flags, path);
    return system(command) == 0;
}
static void reset(void) {
    memset(fake, 0, sizeof *fake);
    fake->devices = 2;
    fake->major = 9;
    fake->version = 12080;
}

static bool copy_stream, concurrent, ranges_wanted;
static const char *cache; /* the folder for machine code; NULL: none */
static xlagpu_status open_with(const char *platform, const char *driver, int ordinal, xlagpu_device **d) {
    xlagpu_device_desc desc;
    memset(&desc, 0, sizeof desc);
    memset(&count, 0, sizeof count);
    desc.platform = platform;
    desc.driver = driver;
    desc.ordinal = ordinal;
    desc.cache = cache;
    desc.copy_stream = copy_stream;
    desc.concurrent = concurrent;
    desc.nvtx = ranges_wanted;
    desc.allocator = counter_of(&count);
    return xlagpu_rt_open(&desc, d);
}
static bool nothing_left(void) {
    return count.live == 0 && !fake->contexts && !fake->memory && !fake->modules && !fake->pushed && !fake->events &&
           !fake->graphs && !fake->execs && !fake->links && !fake->streams;
}

static xlagpu_bytes compile_for(xlagpu_context *c, const char *text, const char *target) {
    xlagpu_compile_desc d;
    xlagpu_module *m = xlagpu_parse(c, "fake", text, strlen(text));
    memset(&d, 0, sizeof d);
    d.target.name = target;
    d.no_command_buffers = true; /* single launches; graphs() has the others */
    return m ? xlagpu_compile(m, &d) : xlagpu_print(NULL);
}

static xlagpu_bytes compile(xlagpu_context *c, const char *text) { return compile_for(c, text, "sm_90a"); }

/* ---- opening ---- */

static void refused(const char *platform, const char *driver, int ordinal, xlagpu_status want, const char *text) {
    xlagpu_device *d = NULL;
    EXPECT(open_with(platform, driver, ordinal, &d) == want);
    EXPECT_TEXT(xlagpu_rt_error(d), text);
    EXPECT(strcmp(xlagpu_rt_platform(d), "none") == 0);
    EXPECT(xlagpu_rt_load(d, "x", 1) == NULL && xlagpu_rt_wait(d, NULL) == XLAGPU_ERROR_USAGE);
    xlagpu_rt_close(d);
    EXPECT_IN(nothing_left(), text);
}
static void opening(void) {
    xlagpu_device *d = NULL;
    xlagpu_target_desc target;
    reset();
    EXPECT(open_with("cuda", LIBRARY, 1, &d) == XLAGPU_OK);
    EXPECT(strcmp(xlagpu_rt_platform(d), "cuda") == 0);
    EXPECT(strcmp(xlagpu_rt_name(d), "Fake GPU 71") == 0);
    EXPECT(strcmp(xlagpu_rt_target(d), "sm_90a") == 0);
    EXPECT(xlagpu_rt_target_desc(d, &target) == XLAGPU_OK && strcmp(target.name, "sm_90a") == 0);
    EXPECT(target.sm_count == 114 && target.memory_bytes == (uint64_t)3 << 30); /* as the driver says */
    EXPECT(target.bandwidth == 2039040000000u); /* 1593 MHz, twice a clock, 640 bytes: an H100's PCIe card */
    EXPECT(target.threads_per_sm == 2048 && target.tensor_f16 == 2048); /* not said: by part */
    EXPECT(fake->contexts == 1);
    xlagpu_rt_close(d);
    EXPECT(nothing_left());
    fake->major = 8;
    fake->minor = 6;
    EXPECT(open_with("auto", LIBRARY, 0, &d) == XLAGPU_OK && strcmp(xlagpu_rt_target(d), "sm_86") == 0);
    xlagpu_rt_close(d);
    refused("cuda", "./build/no_such_library.so", 0, XLAGPU_ERROR_NO_DEVICE, "no_such_library.so cannot be opened");
    refused("cuda", OLD_LIBRARY, 0, XLAGPU_ERROR_UNSUPPORTED, "cuDriverGetVersion: it is too old");
    refused("auto", OLD_LIBRARY, 0, XLAGPU_ERROR_UNSUPPORTED, "cuDriverGetVersion: it is too old");
    refused("cuda", LIBRARY, 2, XLAGPU_ERROR_USAGE, "no GPU number 2: the driver knows 2");
    refused("auto", LIBRARY, 2, XLAGPU_ERROR_USAGE, "no GPU number 2: the driver knows 2");
    refused("cuda", LIBRARY, -1, XLAGPU_ERROR_USAGE, "no GPU number -1");
    refused("gpu", LIBRARY, 0, XLAGPU_ERROR_USAGE, "no platform is called 'gpu'");
    refused("llvm-cpu", LIBRARY, 0, XLAGPU_ERROR_NO_DEVICE, "the platform llvm-cpu is not in this build");
    fake->devices = 0;
    refused("cuda", LIBRARY, 0, XLAGPU_ERROR_NO_DEVICE, "no GPU number 0");
    EXPECT(open_with(NULL, LIBRARY, 0, &d) == XLAGPU_OK && strcmp(xlagpu_rt_platform(d), "host") == 0);
    xlagpu_rt_close(d);
    EXPECT(open_with("auto", "./build/no_such_library.so", 0, &d) == XLAGPU_OK &&
           strcmp(xlagpu_rt_platform(d), "host") == 0 && !*xlagpu_rt_error(d));
    xlagpu_rt_close(d);
    reset();
    fake->fail = "cuInit";
    fake->fail_at = 1;
    fake->error = 100;
    refused("cuda", LIBRARY, 0, XLAGPU_ERROR_NO_DEVICE,
        "starting the NVIDIA driver: a fake failure (CUDA_ERROR_FAKE, error 100)");
    fake->seen = 0;
    EXPECT(open_with("auto", LIBRARY, 0, &d) == XLAGPU_OK && strcmp(xlagpu_rt_platform(d), "host") == 0);
    xlagpu_rt_close(d);
    EXPECT(nothing_left());
}

/* ---- the whole way ---- */

static xlagpu_status run_whole(xlagpu_program *p) {
    whole_data w;
    xlagpu_status s;
    WHOLE_TENSORS(xlagpu_rt_tensor, in, out, &w);
    whole_fill(&w);
    s = xlagpu_rt_run(p, in, WHOLE_IN, out, WHOLE_OUT);
    if (s == XLAGPU_OK) EXPECT(whole_right(&w));
    return s;
}
static xlagpu_status run_control(xlagpu_program *p) {
    float x[6] = {1, 2, 3, 4, 5, 6}, y[6];
    int32_t b = 1;
    xlagpu_rt_tensor in[2], out;
    xlagpu_status s;
    in[0].data = x;
    in[0].bytes = sizeof x;
    in[1].data = &b;
    in[1].bytes = 4;
    out.data = y;
    out.bytes = sizeof y;
    s = xlagpu_rt_run(p, in, 2, &out, 1);
    if (s == XLAGPU_OK) EXPECT(control_right(x, b, y));
    return s;
}
/* The status of the first call that fails. */
static xlagpu_status way(xlagpu_bytes exe, char message[XG_MESSAGE_MAX]) {
    xlagpu_device *d = NULL;
    xlagpu_program *p = NULL;
    xlagpu_status s = open_with("cuda", LIBRARY, 0, &d);
    if (s == XLAGPU_OK && !(p = xlagpu_rt_load(d, exe.data, exe.size))) s = d->c.status;
    if (s == XLAGPU_OK) s = strcmp(xlagpu_rt_program_name(p), "whole") == 0 ? run_whole(p) : run_control(p);
    strcpy(message, xlagpu_rt_error(d));
    EXPECT((s == XLAGPU_OK) == !*message);
    xlagpu_rt_close(d);
    return s;
}

static xlagpu_status graph_way(xlagpu_bytes exe, char message[XG_MESSAGE_MAX]);

/* Each call of each function fails once, in two ways. */
static void every_failure(xlagpu_bytes exe, xlagpu_status (*go)(xlagpu_bytes, char *)) {
    static const struct {
        const char *name;
        bool harmless;
    } rows[] = {
#define X(field, symbol, parameters) {symbol, false},
        XR_CUDA_FUNCTIONS(X) XR_CUDA_GRAPH_FUNCTIONS(X) XR_CUDA_CONDITIONAL_FUNCTIONS(X) XR_CUDA_LINK_FUNCTIONS(X)
            XR_CUDA_STREAM_FUNCTIONS(X) XR_CUDA_CAPTURE_FUNCTIONS(X)
#undef X
    };
    static const char *const harmless[] = {"cuStreamDestroy_v2", "cuEventDestroy_v2", "cuGraphDestroy",
        "cuGraphExecDestroy", "cuDevicePrimaryCtxRelease_v2", "cuCtxPopCurrent_v2", "cuMemFree_v2", "cuMemFreeHost",
        "cuModuleUnload", "cuCtxSynchronize", "cuGetErrorName", "cuGetErrorString", "cuLinkCreate_v2",
        "cuLinkAddData_v2", "cuLinkComplete", "cuLinkDestroy"};
    /* the first two at each call, the others, on the plain way, at the first */
    static const int errors[] = {2, 719, 1, 3, 4, 34, 46, 100, 101, 200, 201, 209, 214, 218, 220, 221, 222, 226, 300,
        301, 304, 400, 401, 500, 700, 701, 702, 704, 708, 709, 710, 714, 716, 717, 718, 720, 800, 801, 802, 803, 804,
        900, 901, 999};
    size_t k, e, h;
    for (k = 0; k < XG_COUNT(rows); k++)
        for (e = 0; e < (go == way && !cache ? XG_COUNT(errors) : 2); e++) {
            bool quiet = false;
            long n;
            for (h = 0; h < XG_COUNT(harmless); h++) quiet = quiet || strcmp(harmless[h], rows[k].name) == 0;
            for (n = 1; n < (e < 2 ? 1000 : 2); n++) {
                char message[XG_MESSAGE_MAX], what[100];
                bool absent = strcmp(rows[k].name, "cuInit") == 0 && (errors[e] == 34 || errors[e] == 100);
                xlagpu_status s, want = absent           ? XLAGPU_ERROR_NO_DEVICE
                                        : errors[e] == 2 ? XLAGPU_ERROR_MEMORY
                                                         : XLAGPU_ERROR_DEVICE;
                reset();
                fake->fail = rows[k].name;
                fake->fail_at = n;
                fake->error = errors[e];
                s = go(exe, message);
                snprintf(what, sizeof what, "%s, call %ld, error %d", rows[k].name, n, errors[e]);
                EXPECT_IN(count.live == 0 && !fake->contexts && !fake->pushed, what);
                if (fake->seen < n) break;
                /* A context that cannot be made current any more keeps what is in it. */
                EXPECT_IN((!fake->memory && !fake->modules && !fake->events && !fake->graphs && !fake->execs &&
                              !fake->links && !fake->streams) ||
                              strstr(rows[k].name, "CtxPush"),
                    what);
                if (quiet) {
                    EXPECT_IN(s == XLAGPU_OK, what);
                    continue;
                }
                if ((strcmp(rows[k].name, "cuCtxPushCurrent_v2") == 0 ||
                        strcmp(rows[k].name, "cuEventSynchronize") == 0) &&
                    s == XLAGPU_OK)
                    continue; /* while releasing */
                /* machine code that cannot be loaded is made anew */
                if (cache && s == XLAGPU_OK && strcmp(rows[k].name, "cuModuleLoadDataEx") == 0) continue;
                /* without the condition kernel there are no conditional nodes */
                if (go == graph_way && s == XLAGPU_OK && strncmp(rows[k].name, "cuModule", 8) == 0) continue;
                EXPECT_IN(s == want, what);
                EXPECT_IN(strstr(message, errors[e] == 2 ? "out of memory" : "a fake failure") ||
                              (errors[e] == 222 && strstr(message, "older than this PTX")),
                    message);
            }
            fake->fail = NULL;
        }
    reset();
}

/* ---- machine code kept in a folder ---- */

#define CACHE "./build/fake_cache"
/* The one file in the folder, whose name is not known; *n: how many there are. */
static bool cache_file(char path[600], int *n) {
    DIR *dir = opendir(CACHE);
    struct dirent *e;
    *n = 0;
    while (dir && (e = readdir(dir)))
        if (e->d_name[0] != '.') {
            snprintf(path, 600, CACHE "/%s", e->d_name);
            ++*n;
        }
    if (dir) closedir(dir);
    return *n == 1;
}
static void cache_clear(void) {
    char path[600];
    int n;
    for (cache_file(path, &n); n; cache_file(path, &n))
        if (remove(path) != 0) {
            EXPECT_IN(0, path);
            return;
        }
}
static int cache_files(void) {
    char path[600];
    int n;
    cache_file(path, &n);
    return n;
}
/* One run of the program: was the machine code made, or found? */
static void cache_run(xlagpu_bytes exe, bool made, int files, const char *what) {
    char message[XG_MESSAGE_MAX];
    long linked = fake->linked, loaded = fake->from_code;
    EXPECT_IN(way(exe, message) == XLAGPU_OK && nothing_left(), what);
    EXPECT_IN(fake->linked - linked == (made ? 1 : 0), what);
    EXPECT_IN(fake->from_code - loaded == 1, what);
    EXPECT_IN(cache_files() == files, what);
}
/* Each byte of the head, and some of the code: as good as no file, and a good one takes its place. A file cut short or
 * made longer, too. */
static void cache_damaged(xlagpu_bytes exe) {
    static unsigned char good[1 << 20], back[1 << 20];
    char path[600];
    int n;
    size_t size = 0, at, cut;
    FILE *f;
    if (!EXPECT(cache_file(path, &n))) return;
    f = fopen(path, "rb");
    if (f) {
        size = fread(good, 1, sizeof good, f);
        fclose(f);
    }
    EXPECT(size > sizeof(xr_cached) && size < sizeof good);
    for (at = 0; at < size; at += at < sizeof(xr_cached) ? 1 : 199) {
        f = fopen(path, "wb");
        if (!EXPECT(f != NULL)) return;
        memcpy(back, good, size);
        back[at] ^= at % 2 ? 0xFF : 1;
        fwrite(back, 1, size, f);
        fclose(f);
        cache_run(exe, true, 1, "a damaged file");
    }
    for (cut = 0; cut < 5; cut++) {
        size_t left = cut == 0   ? 0
                      : cut == 1 ? sizeof(xr_cached) - 1
                      : cut == 2 ? sizeof(xr_cached)
                      : cut == 3 ? size - 1
                                 : size + 1;
        memcpy(back, good, size);
        back[size] = 0;
        f = fopen(path, "wb");
        if (!EXPECT(f != NULL)) return;
        fwrite(back, 1, left, f);
        fclose(f);
        cache_run(exe, true, 1, "a file of another length");
    }
    f = fopen(path, "rb");
    EXPECT(f && fread(back, 1, sizeof back, f) == size && memcmp(back, good, size) == 0);
    if (f) fclose(f);
    cache_run(exe, false, 1, "whole again");
}
/* Machine code that the driver does not take: made anew, or else the driver gets the PTX. */
static void cache_refused(xlagpu_bytes exe) {
    long k;
    for (k = 1; k <= 2; k++) {
        char message[XG_MESSAGE_MAX];
        long linked = fake->linked;
        fake->fail = "cuModuleLoadDataEx";
        fake->fail_at = 1;
        fake->seen = 0;
        fake->error = 209;
        if (k == 2) cache_clear();
        EXPECT(way(exe, message) == XLAGPU_OK && nothing_left() && fake->linked == linked + 1);
        EXPECT(cache_files() == (k == 1 ? 1 : 0));
        fake->fail = NULL;
    }
}
/* Several processes begin with nothing and make the same file at the same time: each works, and one file is left, a
 * good one. */
static void cache_together(xlagpu_bytes exe) {
    enum {
        CHILDREN = 4
    };
    pid_t child[CHILDREN];
    int k, j, status, wrong = 0;
    for (j = 0; j < 8; j++) {
        cache_clear();
        fflush(NULL);
        for (k = 0; k < CHILDREN; k++) {
            if ((child[k] = fork()) != 0) continue;
            for (status = 0, k = 0; k < 3; k++) {
                char message[XG_MESSAGE_MAX];
                status = status || way(exe, message) != XLAGPU_OK;
            }
            _exit(status || failed);
        }
        for (k = 0; k < CHILDREN; k++)
            wrong += child[k] < 0 || waitpid(child[k], &status, 0) != child[k] || status != 0;
        EXPECT(wrong == 0 && cache_files() == 1);
        cache_run(exe, false, 1, "made by several processes");
    }
}
static xlagpu_status miss_way(xlagpu_bytes exe, char message[XG_MESSAGE_MAX]) {
    cache_clear();
    return way(exe, message);
}
static void caching(xlagpu_bytes exe, xlagpu_bytes other) {
    cache = CACHE;
    (void)mkdir(CACHE, 0777);
    cache_clear();
    reset();
    cache_run(exe, true, 1, "nothing there yet");
    cache_run(exe, false, 1, "there");
    EXPECT(fake->from_code == 2);
    cache_run(other, true, 2, "another program");
    fake->version = 12090;
    cache_run(exe, true, 3, "another driver");
    cache_run(exe, false, 3, "another driver, again");
    fake->version = 12080;
    fake->major = 10;
    cache_run(exe, true, 4, "another GPU");
    fake->major = 9;
    cache_run(exe, false, 4, "the first driver and GPU");
    cache_clear();
    cache_run(exe, true, 1, "the folder has been emptied");
    cache_damaged(exe);
    cache_refused(exe);
    cache_together(exe);
    every_failure(exe, miss_way);
    every_failure(exe, way);
    cache_clear();
    rmdir(CACHE);
    cache_run(exe, true, 0, "no such folder");
    (void)mkdir(CACHE, 0555);
    if (geteuid()) cache_run(exe, true, 0, "a folder that we may not write into"); /* root may */
    rmdir(CACHE);
    cache = LIBRARY; /* a file: nobody can write into it, whoever we are */
    cache_run(exe, true, 0, "no folder");
    cache = NULL;
    reset();
}

static void named_failures(xlagpu_bytes exe) {
    char message[XG_MESSAGE_MAX];
    reset();
    EXPECT(way(exe, message) == XLAGPU_OK && fake->launches > 0 && nothing_left());
    fake->fail = "cuModuleLoadDataEx";
    fake->fail_at = 1;
    fake->error = 222;
    EXPECT(way(exe, message) == XLAGPU_ERROR_DEVICE && nothing_left());
    EXPECT_TEXT(message, "the driver (CUDA 12.8) is older than this PTX");
    fake->seen = 0;
    fake->error = 218;
    fake->log = "ptxas application ptx input, line 7; error: Unknown symbol 'frob'";
    EXPECT(way(exe, message) == XLAGPU_ERROR_DEVICE && nothing_left());
    EXPECT_TEXT(message, "line 7; error: Unknown symbol 'frob'");
    EXPECT_TEXT(message, "218");
    reset();
    fake->fail = "cuLaunchKernel";
    fake->fail_at = 1;
    fake->error = 719;
    EXPECT(way(exe, message) == XLAGPU_ERROR_DEVICE && nothing_left());
    EXPECT_TEXT(message, "launching a kernel: a fake failure (CUDA_ERROR_FAKE, error 719)");
    EXPECT_TEXT(message, "while running HLO ");
    EXPECT_TEXT(message, "(kernel ");
    reset();
}

/* A GPU of sm_86: what is made for newer ones is refused with what to do, and of several targets it takes its own. */
static void other_targets(xlagpu_context *c) {
    static const char text[] = "ENTRY e { a = f32[8] parameter(0) ROOT b = f32[8] add(a, a) }";
    static const char *const targets[] = {"sm_75", "sm_80", "sm_90", "sm_100"};
    enum {
        N = sizeof targets / sizeof *targets,
        MOST = 1 << 16
    };
    static unsigned char all[MOST];
    xlagpu_device *d = NULL;
    xlagpu_program *p;
    size_t n = 0, first_two = 0;
    int k;
    reset();
    fake->major = 8;
    fake->minor = 6;
    EXPECT(open_with("cuda", LIBRARY, 0, &d) == XLAGPU_OK);
    for (k = 0; k < N; k++) {
        xlagpu_bytes exe = compile_for(c, text, targets[k]);
        bool runs = k < 2;
        p = xlagpu_rt_load(d, exe.data, exe.size);
        EXPECT((p != NULL) == runs && (!runs || strcmp(xlagpu_rt_program_target(p), targets[k]) == 0));
        if (!runs) {
            EXPECT(xlagpu_rt_error_status(d) == XLAGPU_ERROR_DEVICE);
            EXPECT_TEXT(xlagpu_rt_error(d), targets[k]);
            EXPECT_TEXT(xlagpu_rt_error(d), ", and this is sm_86 (");
            EXPECT_TEXT(xlagpu_rt_error(d), "compile with --target=sm_86");
        }
        xlagpu_rt_unload(p);
        if (!EXPECT(n + exe.size <= MOST)) break;
        memcpy(all + n, exe.data, exe.size);
        n += exe.size;
        if (k == 1) first_two = n;
    }
    p = xlagpu_rt_load(d, all, n);
    EXPECT(p && strcmp(xlagpu_rt_program_target(p), "sm_80") == 0);
    p = xlagpu_rt_load(d, all, n - 1);
    EXPECT(!p && xlagpu_rt_error_status(d) == XLAGPU_ERROR_CORRUPT);
    all[first_two - 1] ^= 1; /* of two targets that run the better one is damaged: the other is taken */
    p = xlagpu_rt_load(d, all, n);
    EXPECT(p && strcmp(xlagpu_rt_program_target(p), "sm_75") == 0);
    xlagpu_rt_close(d);
    EXPECT(nothing_left());
    fake->major = 9;
    fake->minor = 0;
}

/* ---- command buffers ---- */

static xlagpu_bytes compile_commands(xlagpu_context *c, const char *text, uint32_t least, bool control) {
    xlagpu_compile_desc d;
    xlagpu_module *m = xlagpu_parse(c, "fake", text, strlen(text));
    memset(&d, 0, sizeof d);
    d.target.name = "sm_90a";
    d.disable_all_passes = true; /* every operation is a kernel */
    d.command_buffer_least = least;
    d.command_buffer_control = control;
    return m ? xlagpu_compile(m, &d) : xlagpu_print(NULL);
}
static char last_note[XR_NOTE_MAX]; /* of the execution of the last graph_way */
/* Three runs of one execution: from buffers, from the same, from others. */
static xlagpu_status graph_runs(xlagpu_device *d, xlagpu_program *p) {
    xlagpu_execution *e = xlagpu_rt_prepare(p);
    xlagpu_buffer in[2][2], out[2];
    float x[6], y[6];
    xlagpu_status s = e ? XLAGPU_OK : d->c.status;
    int k, i;
    memset(in, 0, sizeof in);
    memset(out, 0, sizeof out);
    for (k = 0; k < 2 && s == XLAGPU_OK; k++) {
        s = xlagpu_rt_alloc(d, sizeof x, &in[k][0]);
        if (s == XLAGPU_OK) s = xlagpu_rt_alloc(d, 4, &in[k][1]);
        if (s == XLAGPU_OK) s = xlagpu_rt_alloc(d, sizeof y, &out[k]);
    }
    for (k = 0; k < 3 && s == XLAGPU_OK; k++) {
        int32_t b = k;
        for (i = 0; i < 6; i++) x[i] = (float)(i + k);
        s = xlagpu_rt_upload(d, in[k / 2][0], x, sizeof x);
        if (s == XLAGPU_OK) s = xlagpu_rt_upload(d, in[k / 2][1], &b, 4);
        if (s != XLAGPU_OK) break;
        s = xlagpu_rt_execute(e, in[k / 2], &out[k / 2], NULL);
        if (s == XLAGPU_OK) s = xlagpu_rt_execution_wait(e);
        if (s != XLAGPU_OK) {
            EXPECT(*xlagpu_rt_execution_error(e));
            xr_fail(&d->c, s, "%s", xlagpu_rt_execution_error(e));
            break;
        }
        s = xlagpu_rt_download(d, y, out[k / 2], sizeof y);
        if (s == XLAGPU_OK) EXPECT(control_right(x, b, y));
    }
    strcpy(last_note, xlagpu_rt_execution_note(e));
    if (s != XLAGPU_OK && fake->fail) { /* the device is as good as before */
        char message[XG_MESSAGE_MAX];
        const char *failing = fake->fail;
        strcpy(message, d->c.message);
        fake->fail = NULL;
        if (e && in[1][1].address && out[1].address)
            EXPECT(
                xlagpu_rt_execute(e, in[1], &out[1], NULL) == XLAGPU_OK || strcmp(failing, "cuCtxPushCurrent_v2") == 0);
        fake->fail = failing;
        xr_begin(&d->c);
        xr_fail(&d->c, s, "%s", message);
    }
    return s;
}
static xlagpu_status graph_way(xlagpu_bytes exe, char message[XG_MESSAGE_MAX]) {
    xlagpu_device *d = NULL;
    xlagpu_program *p = NULL;
    xlagpu_status s = open_with("cuda", LIBRARY, 0, &d);
    if (s == XLAGPU_OK && !(p = xlagpu_rt_load(d, exe.data, exe.size))) s = d->c.status;
    if (s == XLAGPU_OK) s = graph_runs(d, p);
    strcpy(message, xlagpu_rt_error(d));
    xlagpu_rt_close(d);
    return s;
}
static void graphs(xlagpu_context *c) {
    xlagpu_bytes plain = compile_commands(c, control_text, 1, false),
                 control = compile_commands(c, control_text, 1, true);
    char message[XG_MESSAGE_MAX];
    if (!EXPECT(plain.data && control.data)) return;
    reset();
    EXPECT(graph_way(plain, message) == XLAGPU_OK && nothing_left());
    EXPECT(fake->graph_launches > 3 && fake->conditionals == 0 && fake->updates > 0);
    reset();
    EXPECT(graph_way(control, message) == XLAGPU_OK && nothing_left());
    EXPECT_IN(fake->graph_launches == 3, "the whole program is one graph");
    /* a loop and two branches, built once; nodes inside of them change when addresses do */
    EXPECT(fake->conditionals == 3 && fake->updates > 0);
    EXPECT(!*last_note);
    reset();
    fake->no_conditions = 1;
    EXPECT(
        graph_way(control, message) == XLAGPU_OK && nothing_left() && fake->graph_launches == 0 && fake->launches > 20);
    every_failure(plain, graph_way);
    every_failure(control, graph_way);
}

/* A hundred kernels are one launch, and running them again costs nothing but that. */
static void one_launch(xlagpu_context *c) {
    char text[16000];
    size_t n = 0;
    int k;
    xlagpu_bytes exe;
    xlagpu_device *d = NULL;
    xlagpu_program *p;
    xlagpu_execution *e;
    xlagpu_buffer in, out;
    float x[4] = {1, 2, 3, 4};
    long calls, launches;
    n += (size_t)snprintf(text + n, sizeof text - n, "ENTRY e { v0 = f32[4] parameter(0)\n");
    for (k = 1; k <= 100; k++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%sv%d = f32[4] %s(v%d)\n", k == 100 ? "ROOT " : "", k,
            k % 2 ? "negate" : "abs", k - 1);
    snprintf(text + n, sizeof text - n, "}");
    exe = compile_commands(c, text, 0, false);
    reset();
    EXPECT(open_with("cuda", LIBRARY, 0, &d) == XLAGPU_OK);
    p = exe.data ? xlagpu_rt_load(d, exe.data, exe.size) : NULL;
    e = xlagpu_rt_prepare(p);
    if (!EXPECT(p && e)) {
        printf("%s\n%s\n", xlagpu_error(c), xlagpu_rt_error(d));
        xlagpu_rt_close(d);
        return;
    }
    EXPECT(xlagpu_rt_alloc(d, 16, &in) == XLAGPU_OK && xlagpu_rt_alloc(d, 16, &out) == XLAGPU_OK &&
           xlagpu_rt_upload(d, in, x, 16) == XLAGPU_OK);
    EXPECT(xlagpu_rt_execute(e, &in, &out, NULL) == XLAGPU_OK);
    EXPECT(fake->graph_launches == 1 && fake->nodes == 100 && fake->edges == 99 && fake->launches == 100);
    calls = fake->calls;
    launches = count.calls;
    for (k = 0; k < 10; k++) EXPECT(xlagpu_rt_execute(e, &in, &out, NULL) == XLAGPU_OK);
    EXPECT_IN(fake->calls - calls == 10 * 4, "push, launch, record, pop");
    EXPECT_IN(count.calls == launches, "a steady run allocates");
    EXPECT(fake->updates == 0 && fake->graph_launches == 11);
    xlagpu_rt_close(d);
    EXPECT(nothing_left());
}

/* ---- copies beside kernels ---- */

static long wrong; /* elements, ever */
/* Twice the same buffers: what is asked must be there, and every two steps that touch the same memory must be ordered,
 * on the streams or by events. */
static xlagpu_status lanes_way(xlagpu_bytes exe, char message[XG_MESSAGE_MAX]) {
    xlagpu_device *d = NULL;
    xlagpu_program *p = NULL;
    xlagpu_execution *e = NULL;
    xlagpu_buffer in[4], out[4];
    float a[64], x[64], u[4] = {-1, -2, -3, -4}, y[64];
    int32_t at = 8, k, j, r;
    const void *from[4];
    static const size_t bytes[4] = {sizeof a, sizeof x, sizeof u, sizeof at};
    xlagpu_status s = open_with("cuda", LIBRARY, 0, &d);
    from[0] = a;
    from[1] = x;
    from[2] = u;
    from[3] = &at;
    for (k = 0; k < 64; k++) {
        a[k] = (float)k;
        x[k] = (float)(100 * k);
    }
    if (s == XLAGPU_OK && !(p = xlagpu_rt_load(d, exe.data, exe.size))) s = d->c.status;
    if (s == XLAGPU_OK && !(e = xlagpu_rt_prepare(p))) s = d->c.status;
    for (k = 0; k < 4 && s == XLAGPU_OK; k++) s = xlagpu_rt_alloc(d, bytes[k], &in[k]);
    for (k = 0; k < 4 && s == XLAGPU_OK; k++) s = xlagpu_rt_upload(d, in[k], from[k], bytes[k]);
    for (k = 0; k < 4 && s == XLAGPU_OK; k++) s = xlagpu_rt_alloc(d, sizeof y, &out[k]);
    if (s == XLAGPU_OK) {
        fake->read_only[0] = in[0].address;
        fake->read_only[1] = in[1].address;
    }
    for (r = 0; r < 2 && s == XLAGPU_OK; r++)
        if ((s = xlagpu_rt_execute(e, in, out, NULL)) != XLAGPU_OK) {
            strcpy(message, xlagpu_rt_execution_error(e));
            xlagpu_rt_close(d);
            return s;
        }
    for (k = 0; k < 4 && s == XLAGPU_OK; k++) {
        s = xlagpu_rt_download(d, y, out[k], sizeof y);
        for (j = 0; j < 64 && s == XLAGPU_OK; j++) {
            float put = j >= 8 && j < 12 ? u[j - 8] : a[j];
            bool right = y[j] == (k == 0 ? a[j] : k == 1 ? put : k == 2 ? put + x[j] : x[j]);
            wrong += !right;
            if (!fake->deaf) EXPECT(right);
        }
    }
    strcpy(message, xlagpu_rt_error(d));
    xlagpu_rt_close(d);
    return s;
}
/* On a device that does everything as late as it may, in several orders; and one that does not wait where it is told to
 * is found out. */
static void in_any_order(xlagpu_bytes exe) {
    char message[XG_MESSAGE_MAX];
    unsigned long long k;
    for (k = 1; k <= 8; k++) {
        reset();
        fake->late = 7919 * k;
        EXPECT(lanes_way(exe, message) == XLAGPU_OK && nothing_left());
    }
    for (wrong = 0, k = 1; k <= 200 && !wrong; k++) {
        reset();
        fake->late = 7919 * k;
        fake->deaf = 1;
        /* the simulator may find that memory is read before it is written */
        wrong += lanes_way(exe, message) != XLAGPU_OK;
    }
    EXPECT_IN(wrong > 0, "no order gives other results on a device that does not wait");
    reset();
}
/* The same among more kernels than the window has, before the copies and behind them. */
static void lanes_of_many(xlagpu_context *c) {
    enum {
        N = 300
    };
    static char text[60000];
    char message[XG_MESSAGE_MAX];
    size_t n = (size_t)snprintf(text, sizeof text,
        "ENTRY e { a = f32[64] parameter(0) x = f32[64] parameter(1) u = f32[4] parameter(2) i = s32[] parameter(3) v0 "
        "= f32[64] add(x, x)\n");
    xlagpu_bytes exe;
    int k;
    for (k = 1; k <= N; k++) n += (size_t)snprintf(text + n, sizeof text - n, "v%d = f32[64] negate(v%d)\n", k, k - 1);
    n += (size_t)snprintf(
        text + n, sizeof text - n, "w0 = f32[64] subtract(v%d, x) d = f32[64] dynamic-update-slice(a, u, i)\n", N);
    for (k = 1; k <= N; k++) n += (size_t)snprintf(text + n, sizeof text - n, "w%d = f32[64] negate(w%d)\n", k, k - 1);
    snprintf(text + n, sizeof text - n,
        "y = f32[64] add(d, w%d) ROOT t = (f32[64], f32[64], f32[64], f32[64]) tuple(a, d, y, x) }", N);
    exe = compile_commands(c, text, 1u << 30, false);
    reset();
    EXPECT(exe.data && lanes_way(exe, message) == XLAGPU_OK && nothing_left());
    EXPECT(fake->aside == 2 * 2 * 3 && fake->races == 0 && fake->launches >= 2 * 2 * N);
}
static void lanes(xlagpu_context *c) {
    static const char text[] =
        "HloModule lanes\nENTRY e { a = f32[64] parameter(0) x = f32[64] parameter(1) u = f32[4] parameter(2) i = "
        "s32[] parameter(3)\n"
        "k1 = f32[64] negate(x) k2 = f32[64] add(k1, x) k3 = f32[64] add(k2, x) d = f32[64] dynamic-update-slice(a, u, "
        "i)\n"
        "k4 = f32[64] add(d, k3) ROOT t = (f32[64], f32[64], f32[64], f32[64]) tuple(a, d, k4, x) }";
    xlagpu_bytes plain = compile_commands(c, text, 1u << 30, false), commands = compile_commands(c, text, 1, false);
    char message[XG_MESSAGE_MAX];
    long calls, waits;
    if (!EXPECT(plain.data && commands.data)) return;
    reset();
    EXPECT(lanes_way(plain, message) == XLAGPU_OK && nothing_left());
    EXPECT_IN(fake->aside == 0 && fake->waits == 0 && fake->races == 0, "off by default");
    calls = fake->calls;
    copy_stream = true;
    reset();
    EXPECT(lanes_way(plain, message) == XLAGPU_OK && nothing_left());
    EXPECT(fake->aside == 2 * 2 * 3 && fake->races == 0); /* in two runs both ends of three copies */
    waits = fake->waits;
    EXPECT_IN(waits == 2 * (2 + 1), "both ends of the sequence, and the update waits for its copy");
    EXPECT_IN(fake->calls < calls + 40, "few events");
    reset();
    EXPECT(lanes_way(commands, message) == XLAGPU_OK && nothing_left());
    EXPECT(fake->aside == 2 * 2 * 3 && fake->races == 0 && fake->graph_launches == 0);
    reset();
    fake->deaf = 1;
    EXPECT(lanes_way(plain, message) == XLAGPU_OK);
    EXPECT_IN(fake->races > 0, "streams that do not wait are found out");
    in_any_order(plain);
    every_failure(plain, lanes_way);
    lanes_of_many(c);
    copy_stream = false;
    reset();
}

/* Two chains of kernels that meet at the end, and copies. The same numbers, the same buffers twice. */
static void concurrency(xlagpu_context *c) {
    enum {
        N = 100
    };
    static char text[40000];
    char message[XG_MESSAGE_MAX];
    xlagpu_bytes plain, commands, control;
    size_t n = (size_t)snprintf(text, sizeof text,
        "ENTRY e { a = f32[64] parameter(0) x = f32[64] parameter(1) u = f32[4] parameter(2) i = s32[] parameter(3) v0 "
        "= f32[64] negate(x) w0 = f32[64] negate(a)\n");
    int k;
    long edges;
    for (k = 1; k <= N; k++)
        n += (size_t)snprintf(
            text + n, sizeof text - n, "v%d = f32[64] negate(v%d) w%d = f32[64] negate(w%d)\n", k, k - 1, k, k - 1);
    snprintf(text + n, sizeof text - n,
        "vv = f32[64] subtract(x, v%d) d = f32[64] dynamic-update-slice(a, u, i) f = f32[64] add(d, x) g = f32[64] "
        "add(f, vv) h = f32[64] subtract(g, x) z = f32[64] add(h, v%d)\n"
        "ww = f32[64] add(a, w%d) y = f32[64] add(z, ww) ROOT t = (f32[64], f32[64], f32[64], f32[64]) tuple(a, d, y, "
        "x) }",
        N, N, N);
    plain = compile_commands(c, text, 1u << 30, false);
    commands = compile_commands(c, text, 1, false);
    control = compile_commands(c, control_text, 1, true);
    if (!EXPECT(plain.data && commands.data && control.data)) return;
    reset();
    EXPECT(lanes_way(commands, message) == XLAGPU_OK && fake->races == 0);
    EXPECT_IN(fake->edges == fake->nodes - 1, "a chain by default");
    concurrent = true;
    reset();
    EXPECT(lanes_way(plain, message) == XLAGPU_OK && nothing_left());
    EXPECT_IN(fake->aside >= 2 * N && fake->races == 0, "one chain aside");
    EXPECT_IN(fake->waits < 2 * 12, "chains do not wait for each other");
    reset();
    EXPECT(lanes_way(commands, message) == XLAGPU_OK && nothing_left());
    EXPECT(fake->races == 0 && fake->graph_launches == 2 && fake->aside == 0);
    edges = fake->edges;
    /* one more where chains meet, some where a front of commands ends */
    EXPECT_IN(edges < fake->nodes + 12, "no edge that others say already");
    reset();
    fake->deaf = 1;
    EXPECT(lanes_way(plain, message) == XLAGPU_OK);
    EXPECT_IN(fake->races > 0, "streams that do not wait are found out");
    reset();
    fake->deaf = 1;
    EXPECT(lanes_way(commands, message) == XLAGPU_OK);
    EXPECT_IN(fake->races > 0, "and nodes");
    in_any_order(plain);
    in_any_order(commands);
    reset();
    EXPECT(graph_way(control, message) == XLAGPU_OK && nothing_left() && fake->races == 0 && fake->conditionals == 3);
    every_failure(control, graph_way);
    concurrent = false;
    reset();
}

/* fake_cuda --speed: what a kernel costs on the processor beyond the driver's call, launched by itself and in a command
 * buffer. */

static double time_runs(xlagpu_bytes exe, const char *how, int kernels) {
    enum {
        RUNS = 2000,
        TRIES = 7
    };
    xlagpu_device *d = NULL;
    xlagpu_program *p;
    xlagpu_execution *e;
    xlagpu_buffer in, out;
    double best = 1e9;
    int k, t;
    reset();
    open_with("cuda", LIBRARY, 0, &d);
    p = exe.data ? xlagpu_rt_load(d, exe.data, exe.size) : NULL;
    e = xlagpu_rt_prepare(p);
    if (!EXPECT(e && xlagpu_rt_alloc(d, 16, &in) == XLAGPU_OK && xlagpu_rt_alloc(d, 16, &out) == XLAGPU_OK)) return 0;
    fake->idle = 1;
    for (t = 0; t < TRIES; t++) {
        clock_t from = clock(); /* of this process: others may be busy */
        double took;
        for (k = 0; k < RUNS; k++) EXPECT(xlagpu_rt_execute(e, &in, &out, NULL) == XLAGPU_OK);
        took = (double)(clock() - from) / CLOCKS_PER_SEC / RUNS;
        best = took < best ? took : best;
    }
    xlagpu_rt_close(d);
    printf("%s: %.1f ns a run, %.2f ns a kernel\n", how, best * 1e9, best * 1e9 / kernels);
#if !defined(__TINYC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    EXPECT_IN(best * 1e9 / kernels <= 100, "a kernel costs the processor 100 ns at most beyond the driver's call");
#endif
    return best;
}
static void speed(xlagpu_context *c) {
    enum {
        N = 100
    };
    char text[16000];
    size_t n = 0;
    int k;
    n += (size_t)snprintf(text + n, sizeof text - n, "ENTRY e { v0 = f32[4] parameter(0)\n");
    for (k = 1; k <= N; k++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%sv%d = f32[4] %s(v%d)\n", k == N ? "ROOT " : "", k,
            k % 2 ? "negate" : "abs", k - 1);
    snprintf(text + n, sizeof text - n, "}");
    time_runs(compile_commands(c, text, 1u << 30, false), "100 kernels, one by one", N);
    time_runs(compile_commands(c, text, 0, false), "100 kernels, one command buffer", N);
}
/* Memory of the device for each parameter and result of the whole module. */
static void whole_buffers(xlagpu_device *d, xlagpu_program *p, xlagpu_buffer *in, xlagpu_buffer *out) {
    xlagpu_rt_value v;
    uint32_t k;
    for (k = 0; k < WHOLE_IN; k++) {
        xlagpu_rt_parameter(p, k, &v);
        EXPECT(xlagpu_rt_alloc(d, v.bytes, &in[k]) == XLAGPU_OK);
    }
    for (k = 0; k < WHOLE_OUT; k++) {
        xlagpu_rt_result(p, k, &v);
        EXPECT(xlagpu_rt_alloc(d, v.bytes, &out[k]) == XLAGPU_OK);
    }
}

/* ---- the fast way ---- */

static void fast_way(xlagpu_bytes exe) {
    xlagpu_device *d = NULL;
    xlagpu_program *p, *q;
    xlagpu_execution *e;
    xlagpu_buffer in[WHOLE_IN], out[WHOLE_OUT];
    xlagpu_kernel_stats stats[64];
    whole_data w;
    float x[15];
    int i, j;
    long calls;
    uint32_t k;
    WHOLE_TENSORS(xlagpu_rt_tensor, host_in, host_out, &w);
    reset();
    whole_fill(&w);
    EXPECT(open_with("cuda", LIBRARY, 0, &d) == XLAGPU_OK);
    p = xlagpu_rt_load(d, exe.data, exe.size);
    q = xlagpu_rt_load(d, exe.data, exe.size);
    e = xlagpu_rt_prepare(p);
    EXPECT(p && q && e);
    whole_buffers(d, p, in, out);
    for (i = 0; i < 3; i++)
        for (j = 0; j < 5; j++) x[j * 3 + i] = w.x[i * 5 + j]; /* the parameter is column-major */
    EXPECT(xlagpu_rt_upload(d, in[0], x, sizeof x) == XLAGPU_OK &&
           xlagpu_rt_upload(d, in[1], w.n, sizeof w.n) == XLAGPU_OK);
    calls = count.calls;
    for (i = 0; i < 3; i++) EXPECT(xlagpu_rt_execute(e, in, out, NULL) == XLAGPU_OK);
    EXPECT_IN(count.calls == calls, "executing allocates");
    EXPECT(xlagpu_rt_wait(d, NULL) == XLAGPU_OK && !fake->pushed);
    for (k = 0; k < WHOLE_OUT; k++)
        if (k != 2) EXPECT(xlagpu_rt_download(d, host_out[k].data, out[k], host_out[k].bytes) == XLAGPU_OK);
    EXPECT(xlagpu_rt_download(d, x, out[2], sizeof x) == XLAGPU_OK);
    for (i = 0; i < 3; i++)
        for (j = 0; j < 5; j++) w.e[i * 5 + j] = x[j * 3 + i];
    EXPECT(whole_right(&w));
    EXPECT(xlagpu_rt_stats(p, stats, 64) == xlagpu_rt_kernel_count(p) && stats[0].launches == 3);
    in[0].bytes = 4;
    EXPECT(xlagpu_rt_execute(e, in, out, NULL) == XLAGPU_ERROR_USAGE);
    EXPECT_TEXT(xlagpu_rt_execution_error(e), "the buffer of parameter 0 has 4 bytes; it needs 60");
    EXPECT(!*xlagpu_rt_error(d));
    fake->fail = "cuCtxPushCurrent_v2";
    fake->seen = 0;
    fake->fail_at = 1;
    fake->error = 709;
    in[0].bytes = 60;
    EXPECT(xlagpu_rt_execute(e, in, out, NULL) == XLAGPU_ERROR_DEVICE);
    EXPECT_TEXT(xlagpu_rt_execution_error(e), "making the GPU's context current");
    xlagpu_rt_unload(q);
    xlagpu_rt_close(d); /* with all the rest still there */
    EXPECT(nothing_left());
    (void)host_in;
}

/* What is released while it may still be in use: the runtime waits first, after a run that failed half way, too; and
 * the host's memory comes back when the context is gone. */
static void release_in_flight(xlagpu_bytes exe) {
    enum {
        WAITED,
        FAILED,
        STILL,
        GONE,
        WAYS
    };
    int way;
    for (way = 0; way < WAYS; way++) {
        xlagpu_device *d = NULL;
        xlagpu_program *p;
        xlagpu_execution *e;
        xlagpu_buffer in[WHOLE_IN], out[WHOLE_OUT];
        reset();
        EXPECT(open_with("cuda", LIBRARY, 0, &d) == XLAGPU_OK);
        p = xlagpu_rt_load(d, exe.data, exe.size);
        e = xlagpu_rt_prepare(p);
        if (!EXPECT(e != NULL)) return;
        EXPECT(xlagpu_rt_profile(e, 16) == XLAGPU_OK);
        whole_buffers(d, p, in, out);
        if (way != GONE) EXPECT(xlagpu_rt_profile(e, 0) == XLAGPU_OK);
        fake->fail = way == FAILED ? "cuLaunchKernel" : NULL;
        fake->fail_at = 2;
        fake->error = 719;
        fake->idle = way != FAILED;
        EXPECT(xlagpu_rt_execute(e, in, out, NULL) == (way == FAILED ? XLAGPU_ERROR_DEVICE : XLAGPU_OK));
        if (way == FAILED) EXPECT_TEXT(xlagpu_rt_execution_error(e), "launching a kernel");
        if (way == WAITED) EXPECT(xlagpu_rt_execution_wait(e) == XLAGPU_OK);
        fake->fail = way == GONE ? "cuCtxPushCurrent_v2" : "cuEventSynchronize";
        fake->seen = 0;
        fake->fail_at = way == GONE ? 1 : 1000;
        xlagpu_rt_finish(e);
        if (way != GONE)
            EXPECT_IN(fake->seen == (way == WAITED ? 0 : 1), "an execution that may still run is waited for, once");
        fake->fail = NULL;
        xlagpu_rt_close(d);
        EXPECT(count.live == 0);
    }
}

/* Buffers that are none. */
static void no_buffers(xlagpu_bytes exe) {
    xlagpu_device *d = NULL;
    xlagpu_program *p;
    xlagpu_execution *e;
    xlagpu_buffer in[WHOLE_IN], out[WHOLE_OUT];
    reset();
    EXPECT(open_with("cuda", LIBRARY, 0, &d) == XLAGPU_OK);
    p = xlagpu_rt_load(d, exe.data, exe.size);
    e = xlagpu_rt_prepare(p);
    whole_buffers(d, p, in, out);
    EXPECT(xlagpu_rt_execute(e, NULL, out, NULL) == XLAGPU_ERROR_USAGE);
    EXPECT(xlagpu_rt_execute(e, in, NULL, NULL) == XLAGPU_ERROR_USAGE);
    in[1].address = 0;
    EXPECT(xlagpu_rt_execute(e, in, out, NULL) == XLAGPU_ERROR_USAGE && fake->launches == 0);
    EXPECT_TEXT(xlagpu_rt_execution_error(e), "the buffer of parameter 1 has no address");
    xlagpu_rt_close(d);
    EXPECT(nothing_left());
}

#include "fake_hardware.h"

/* ---- NVTX: the program is a range, and in a profile each of its steps ---- */

typedef struct fake_nvtx {
    int depth, deepest, pushed, wrong;
    char names[4000];
} fake_nvtx;
static void ranges(xlagpu_bytes exe) {
    static const char path[] = "./build/libnvToolsExt.so.1";
    char message[XG_MESSAGE_MAX];
    void *library = build("-DFAKE_NVTX -Wl,-soname,libnvToolsExt.so.1", path)
                        ? dlopen(path, RTLD_NOW | RTLD_LOCAL)
                        : NULL; /* open already: found by its name */
    fake_nvtx *nvtx = library ? (fake_nvtx *)dlsym(library, "nvtx") : NULL;
    xlagpu_device *d = NULL;
    xlagpu_program *p;
    xlagpu_execution *e;
    xlagpu_rt_tensor in[WHOLE_IN], out[WHOLE_OUT];
    whole_data w;
    uint32_t n;
    if (!EXPECT(nvtx != NULL)) return;
    reset();
    EXPECT(way(exe, message) == XLAGPU_OK && nvtx->pushed == 0);
    ranges_wanted = true;
    EXPECT(
        way(exe, message) == XLAGPU_OK && nvtx->pushed == 1 && nvtx->depth == 0 && strcmp(nvtx->names, "whole\n") == 0);
    fake->fail = "cuLaunchKernel";
    fake->fail_at = 1;
    fake->error = 719;
    EXPECT(way(exe, message) == XLAGPU_ERROR_DEVICE);
    EXPECT_IN(nvtx->depth == 0 && !nvtx->wrong, "a run that fails ends its ranges");
    reset();
    whole_fill(&w);
    {
        WHOLE_TENSORS(xlagpu_rt_tensor, i, o, &w);
        memcpy(in, i, sizeof in);
        memcpy(out, o, sizeof out);
    }
    nvtx->names[0] = 0;
    EXPECT(open_with("cuda", LIBRARY, 0, &d) == XLAGPU_OK);
    p = xlagpu_rt_load(d, exe.data, exe.size);
    e = xlagpu_rt_prepare(p);
    EXPECT(e && xlagpu_rt_profile(e, 100) == XLAGPU_OK &&
           xlagpu_rt_run_with(e, in, WHOLE_IN, out, WHOLE_OUT) == XLAGPU_OK);
    if (e && xlagpu_rt_profile_events(e, &n, NULL)) {
        EXPECT(n > 0 && nvtx->depth == 0 && nvtx->deepest == 2 && !nvtx->wrong);
        while (n--) EXPECT_TEXT(nvtx->names, xlagpu_rt_profile_events(e, NULL, NULL)[n].hlo);
    }
    xlagpu_rt_close(d);
    EXPECT(nothing_left());
    ranges_wanted = false;
    dlclose(library);
}

/* A damaged number of operands must not make the driver read behind the end of a list. */
static void damaged(xlagpu_bytes exe) {
    unsigned char *copy = (unsigned char *)malloc(exe.size);
    xg_exe_header h;
    xg_exe_section s[XG_EXE_SECTION_COUNT];
    xlagpu_device *d = NULL;
    xg_exe_thunk t;
    uint64_t sum;
    size_t from = offsetof(xg_exe_header, target), at;
    reset();
    memcpy(copy, exe.data, exe.size);
    xg_exe_check(exe.data, exe.size, &h, s);
    for (at = (size_t)s[XG_EXE_THUNKS].offset;; at += sizeof t) {
        memcpy(&t, copy + at, sizeof t);
        if (t.kind == XG_EXE_THUNK_KERNEL) break;
    }
    t.n_links--;
    memcpy(copy + at, &t, sizeof t);
    sum = xg_exe_checksum(copy + from, exe.size - from);
    memcpy(copy + offsetof(xg_exe_header, checksum), &sum, 8);
    EXPECT(open_with("cuda", LIBRARY, 0, &d) == XLAGPU_OK);
    EXPECT(!xlagpu_rt_load(d, copy, exe.size));
    EXPECT_TEXT(xlagpu_rt_error(d), "another number of buffers");
    xlagpu_rt_close(d);
    EXPECT(nothing_left());
    free(copy);
}

static void any_ptx(void) {
    static const char ptx[] =
        ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry put(.param .u64 p, .param .u32 v) {\n"
        "  .reg .b64 %d<2>; .reg .b32 %r<2>;\n  ld.param.u64 %d0, [p];\n  ld.param.u32 %r0, [v];\n  st.global.u32 "
        "[%d0], %r0;\n  ret;\n}\n";
    unsigned char block[12];
    xlagpu_ptx_launch l;
    xlagpu_kernel_stats s;
    xlagpu_buffer b;
    xlagpu_device *d = NULL;
    uint32_t value = 12345, got = 0;
    reset();
    EXPECT(open_with("cuda", LIBRARY, 0, &d) == XLAGPU_OK && xlagpu_rt_alloc(d, 4, &b) == XLAGPU_OK);
    memcpy(block, &b.address, 8);
    memcpy(block + 8, &value, 4);
    memset(&l, 0, sizeof l);
    l.entry = "put";
    l.parameters = block;
    l.parameter_bytes = sizeof block;
    EXPECT(xlagpu_rt_launch_ptx(d, "put.ptx", ptx, sizeof ptx - 1, &l, &s) == XLAGPU_OK && s.launches == 1);
    EXPECT(xlagpu_rt_download(d, &got, b, 4) == XLAGPU_OK && got == value);
    l.entry = NULL;
    EXPECT(
        xlagpu_rt_launch_ptx(d, "put.ptx", ptx, sizeof ptx - 1, &l, &s) == XLAGPU_ERROR_USAGE && *xlagpu_rt_error(d));
    l.entry = "no_such";
    EXPECT(xlagpu_rt_launch_ptx(d, "put.ptx", ptx, sizeof ptx - 1, &l, &s) == XLAGPU_ERROR_DEVICE);
    EXPECT_TEXT(xlagpu_rt_error(d), "finding a kernel");
    xlagpu_rt_close(d);
    EXPECT(nothing_left());
}
/* A cluster may be given by one of its sides; the others are 1. */
static void clustered_ptx(void) {
    static const char ptx[] =
        ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry put(.param .u64 p) {\n  .reg .b64 %d<3>; .reg "
        ".b32 %r<4>;\n  ld.param.u64 %d0, [p];\n  mov.u32 %r0, %ctaid.y;\n  mul.wide.u32 %d1, %r0, 4;\n  add.u64 %d2, "
        "%d0, %d1;\n  mov.u32 %r1, %cluster_nctarank;\n  st.global.u32 [%d2], %r1;\n  ret;\n}\n";
    unsigned char block[8];
    xlagpu_ptx_launch l;
    xlagpu_buffer b;
    xlagpu_device *d = NULL;
    uint32_t got[4];
    int side;
    reset();
    EXPECT(open_with("cuda", LIBRARY, 0, &d) == XLAGPU_OK && xlagpu_rt_alloc(d, sizeof got, &b) == XLAGPU_OK);
    memcpy(block, &b.address, 8);
    for (side = -1; side < 3; side++) {
        const uint32_t want = side == 1 ? 4 : 1;
        memset(&l, 0, sizeof l);
        l.entry = "put";
        l.grid[1] = 4;
        if (side >= 0) l.cluster[side] = want;
        l.parameters = block;
        l.parameter_bytes = sizeof block;
        EXPECT(xlagpu_rt_launch_ptx(d, "put.ptx", ptx, sizeof ptx - 1, &l, NULL) == XLAGPU_OK);
        EXPECT(xlagpu_rt_download(d, got, b, sizeof got) == XLAGPU_OK);
        EXPECT(got[0] == want && got[1] == want && got[2] == want && got[3] == want);
    }
    fake->fail = "cuLaunchKernelEx";
    fake->fail_at = 1;
    fake->seen = 0;
    fake->error = 801;
    EXPECT(xlagpu_rt_launch_ptx(d, "put.ptx", ptx, sizeof ptx - 1, &l, NULL) != XLAGPU_OK);
    fake->fail = NULL;
    xlagpu_rt_close(d);
    EXPECT(nothing_left());
}

int main(int argc, char **argv) {
    xlagpu_context *c = xlagpu_create(NULL);
    xlagpu_bytes exe = compile(c, whole_text), control = compile(c, control_text);
    void *library;
    if (!EXPECT(exe.data != NULL)) {
        printf("%s\n", xlagpu_error(c));
        return finish();
    }
    if (!EXPECT(
            system(". tests/scripts/tally.sh; fake_driver " LIBRARY) == 0 && build("-DFAKE_OLD_DRIVER", OLD_LIBRARY)))
        return finish();
    library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL); /* stays open, so that its state does */
    fake = library ? (fake_state *)dlsym(library, "fake") : NULL;
    if (!EXPECT(fake != NULL)) return finish();
    if (argc > 1 && strcmp(argv[1], "--concurrency") == 0) {
        concurrency(c);
        xlagpu_destroy(c);
        return finish();
    }
    if (argc > 1 && strcmp(argv[1], "--speed") == 0) {
        speed(c);
        xlagpu_destroy(c);
        return finish();
    }
    opening();
    named_failures(exe);
    other_targets(c);
    every_failure(exe, way);
    if (EXPECT(control.data != NULL)) every_failure(control, way);
    if (control.data) caching(exe, control);
    graphs(c);
    one_launch(c);
    lanes(c);
    concurrency(c);
    fast_way(exe);
    release_in_flight(exe);
    no_buffers(exe);
    hardware(c, exe);
    ranges(exe);
    speed(c);
    damaged(exe);
    any_ptx();
    clustered_ptx();
    xlagpu_destroy(c);
    return finish();
}
#endif
#endif
