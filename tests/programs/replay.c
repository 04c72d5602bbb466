/* tests/programs/replay.c EXE ARGS.npz WANT.npz -- the runtime alone, without the compiler: loads an executable, runs
 * it on the simulator, and compares every byte of the results with those in WANT.npz. Exit status 0: equal. */
#include "../../src/xlagpu_runtime.h"
#include "../../tools/npz.c"

static int stop(const char *what, const char *why) {
    fprintf(stderr, "replay: %s: %s\n", what, why);
    return 1;
}

static int bind(const npz_file *f, const char *prefix, uint32_t k, size_t bytes, const npy_array **out) {
    char name[32];
    snprintf(name, sizeof name, "%s%u", prefix, k);
    *out = npz_find(f, name);
    if (!*out) return stop(name, "is not in the file");
    return (*out)->bytes == bytes ? 0 : stop(name, "has another size");
}

int main(int argc, char **argv) {
    xlagpu_device_desc desc;
    xlagpu_device *d = NULL;
    xlagpu_program *p;
    xlagpu_rt_tensor *t;
    const npy_array *a;
    npz_file args, want;
    unsigned char *exe;
    size_t size;
    xlagpu_rt_value v;
    uint32_t n, m, k;
    if (argc != 4) return stop("usage", "replay EXE ARGS.npz WANT.npz");
    exe = file_read(argv[1], &size);
    if (!exe) return stop(argv[1], "cannot be read");
    if (!npz_read(argv[2], &args)) return stop(argv[2], args.error);
    if (!npz_read(argv[3], &want)) return stop(argv[3], want.error);
    memset(&desc, 0, sizeof desc);
    desc.platform = "host";
    desc.threads = 1; /* atomic sums in one order */
    if (xlagpu_rt_open(&desc, &d) != XLAGPU_OK) return stop("device", xlagpu_rt_error(d));
    p = xlagpu_rt_load(d, exe, size);
    if (!p) return stop(argv[1], xlagpu_rt_error(d));
    n = xlagpu_rt_parameter_count(p);
    m = xlagpu_rt_result_count(p);
    t = (xlagpu_rt_tensor *)calloc((size_t)n + m + 1, sizeof *t);
    for (k = 0; k < n; k++) {
        xlagpu_rt_parameter(p, k, &v);
        if (bind(&args, "arg", k, v.bytes, &a)) return 1;
        t[k].data = a->data;
        t[k].bytes = a->bytes;
    }
    for (k = 0; k < m; k++) {
        xlagpu_rt_result(p, k, &v);
        t[n + k].bytes = v.bytes;
        t[n + k].data = calloc(v.bytes + 1, 1);
    }
    if (xlagpu_rt_run(p, t, n, t + n, m) != XLAGPU_OK) return stop(argv[1], xlagpu_rt_error(d));
    for (k = 0; k < m; k++) {
        if (bind(&want, "out", k, t[n + k].bytes, &a)) return 1;
        if (memcmp(a->data, t[n + k].data, a->bytes) != 0) return stop(a->name, "differs");
        free(t[n + k].data);
    }
    free(t);
    free(exe);
    npz_free(&args);
    npz_free(&want);
    xlagpu_rt_close(d);
    return 0;
}
