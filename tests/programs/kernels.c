/* tests/programs/kernels.c -- what kernels promise, on the simulator with its checks on.
 *
 *     kernels [--verbose | --whole], and the flags of platform.h: on a GPU results are compared, and nothing is counted
 *
 *   traffic   elementwise operations, transposes (wide ones, of dimensions of whole sectors; such as leave no dimension
 *             wide; and such whose rows begin inside of sectors), reductions, softmax and layer norm on
 *             arrays of a megabyte and more: at most 5% more sectors than what is read and written holds, in one
 *             kernel; transposes without a bank conflict; what only moves elements (reversed, beside each other,
 *             heads), with a bound on lane instructions
 *             recurrences: a loop that reads a row a round and writes one is one kernel, without traffic of its own
 *   sizes     every hero on sizes that hurt (0, 1, beside powers of two, primes, rank 0 to 8), bit for bit what the
 *             evaluator says
 *   work      what is long (windows, sorts, the best few of many) takes no more than a bound of lane instructions an
 *             element, and of sectors
 *   large     elements with numbers beyond 2^31, computed where a small result needs them; arrays of more than 2^31
 *             elements compiled, every element with a thread
 *   diamonds  a chain whose paths double thirty times: code grows by the step
 * Ends with "N passed, N failed". */
#include "../../src/xlagpu.h"
#include "../../src/xlagpu_runtime.h"
#include <math.h>
#include <stdarg.h>
#include "expect.h"
#include "platform.h"

typedef struct text {
    char p[32768];
    size_t n;
} text;
static text src; /* the module at hand */
static xlagpu_device *device;
static bool verbose, whole;
static const char *target = "sm_90a";

static void put(const char *format, ...) {
    va_list a;
    int n;
    va_start(a, format);
    n = vsnprintf(src.p + src.n, sizeof src.p - src.n, format, a);
    va_end(a);
    src.n += n > 0 ? (size_t)n : 0;
    if (src.n >= sizeof src.p) src.n = sizeof src.p - 1;
}
static void begin(const char *reducer, const char *type) {
    src.n = 0;
    put("HloModule kernels\n");
    if (reducer)
        put("fold { a = %s[] parameter(0) b = %s[] parameter(1) ROOT r = %s[] %s(a, b) }\n", type, type, type, reducer);
}
/* Results that may lie over parameters. */
static void begin_over(const char *aliases) {
    src.n = 0;
    put("HloModule kernels, input_output_alias={ %s }\n", aliases);
}
/* The rest of a computation in which N and C stand for numbers of rows and columns. */
static void put_rows(const char *body, int rows, int columns) {
    for (; *body; body++) {
        if (*body == 'N')
            put("%d", rows);
        else if (*body == 'C')
            put("%d", columns);
        else
            put("%c", *body);
    }
    put(" }\n");
}
static bool broken(const char *what, const char *message) {
    char line[400];
    snprintf(line, sizeof line, "%s: %s", what, message);
    if (verbose) printf("%s", src.p);
    return EXPECT_IN(false, line);
}

/* ---- one module, compiled and run ---- */

typedef struct job {
    xlagpu_context *c;
    xlagpu_module *m;
    xlagpu_program *p;
    xlagpu_tensor in[16], want[4];
    xlagpu_rt_tensor rin[16], out[4];
    uint32_t n_in, n_out;
    size_t bytes;
    const char *what;
    bool broken; /* it has failed on the device */
} job;

static bool job_open(job *j, const char *what) {
    xlagpu_value_info v;
    xlagpu_compile_desc d;
    xlagpu_bytes exe;
    uint32_t k;
    size_t i;
    memset(j, 0, sizeof *j);
    j->what = what;
    if (!platform_takes()) return false;
    memset(&d, 0, sizeof d);
    d.target.name = target;
    j->c = xlagpu_create(NULL);
    j->m = xlagpu_parse(j->c, what, src.p, src.n);
    if (!j->m || !(exe = xlagpu_compile(j->m, &d)).data) return broken(what, xlagpu_error(j->c));
    j->p = xlagpu_rt_load(device, exe.data, exe.size);
    if (!j->p) {
        j->broken = true;
        return broken(what, xlagpu_rt_error(device));
    }
    j->n_in = xlagpu_parameter_count(j->m);
    j->n_out = xlagpu_result_count(j->m);
    for (k = 0; k < j->n_in; k++) {
        unsigned char *p;
        xlagpu_parameter_info(j->m, k, &v);
        p = (unsigned char *)malloc(v.bytes + 1);
        for (i = 0; i < v.bytes; i++)
            p[i] = v.type == XLAGPU_S32 && i % 4
                       ? 0
                       : (unsigned char)((i * 2654435761u >> 13) % (v.type == XLAGPU_PRED ? 2 : 101));
        j->in[k].data = j->rin[k].data = p;
        j->in[k].bytes = j->rin[k].bytes = v.bytes;
        j->bytes += v.bytes;
    }
    for (k = 0; k < j->n_out; k++) {
        xlagpu_result_info(j->m, k, &v);
        j->want[k].data = calloc(1, v.bytes + 1);
        j->out[k].data = calloc(1, v.bytes + 1);
        j->want[k].bytes = j->out[k].bytes = v.bytes;
        j->bytes += v.bytes;
    }
    return true;
}
static void job_close(job *j) {
    uint32_t k;
    xlagpu_rt_unload(j->p);
    if (j->broken) {
        platform_check(j->what);
        if (platform.on_device) device = platform.device;
    }
    for (k = 0; k < j->n_in; k++) free(j->in[k].data);
    for (k = 0; k < j->n_out; k++) {
        free(j->want[k].data);
        free(j->out[k].data);
    }
    xlagpu_destroy(j->c);
}
static bool job_run(job *j, const char *what) {
    if (xlagpu_rt_run(j->p, j->rin, j->n_in, j->out, j->n_out) == XLAGPU_OK) return true;
    j->broken = true;
    return broken(what, xlagpu_rt_error(device));
}

/* The results of a job that has run. */
static void job_compare(job *j, const char *what) {
    uint32_t k;
    if (xlagpu_evaluate(j->m, j->in, j->n_in, j->want, j->n_out, false) != XLAGPU_OK) {
        (void)broken(what, xlagpu_error(j->c));
        return;
    }
    for (k = 0; k < j->n_out; k++) {
        if (memcmp(j->want[k].data, j->out[k].data, j->out[k].bytes) == 0)
            passed++;
        else
            (void)broken(what, "differs from the evaluator");
    }
}

/* ---- traffic ---- */

/* On a GPU: what only moves elements, or computes each of them once, is what the evaluator says. */
static void same(const char *what);
static void traffic(const char *what, bool no_conflicts) {
    xlagpu_kernel_stats s[8];
    uint64_t sectors = 0, conflicts = 0;
    uint32_t n, k;
    char line[200];
    job j;
    if (job_open(&j, what) && job_run(&j, what)) {
        if (no_conflicts && platform.on_device) job_compare(&j, what);
        n = xlagpu_rt_stats(j.p, s, 8);
        for (k = 0; k < n && k < 8; k++) {
            sectors += s[k].sectors;
            conflicts += s[k].bank_conflicts;
        }
        snprintf(line, sizeof line, "%s: %u kernels, %llu sectors for %llu, %llu bank conflicts", what, n,
            (unsigned long long)sectors, (unsigned long long)(j.bytes / 32), (unsigned long long)conflicts);
        if (verbose) printf("%s\n", line);
        EXPECT_IN(n <= 1 && sectors * 100 <= j.bytes / 32 * 105 && (!no_conflicts || !conflicts), line);
    }
    job_close(&j);
}
static void traffic_of(const char *type, int64_t bytes) {
    static const int64_t shapes[][3] = {{1, 1024, 512}, {1, 4096, 96}, {6, 256, 352}, {96, 32, 192}};
    static const int perms[][3] = {{0, 2, 1}, {1, 0, 2}, {2, 0, 1}};
    char what[96];
    size_t i, k;
    for (i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        long long a = shapes[i][0], b = shapes[i][1], c = shapes[i][2] * (bytes < 4 ? 4 / bytes : 1);
        begin(NULL, type);
        put("ENTRY e { x = %s[%lld,%lld,%lld] parameter(0) y = %s[%lld,%lld,%lld] parameter(1) ROOT r = "
            "%s[%lld,%lld,%lld] add(x, y) }\n",
            type, a, b, c, type, a, b, c, type, a, b, c);
        snprintf(what, sizeof what, "add %s[%lld,%lld,%lld]", type, a, b, c);
        traffic(what, true);
        for (k = 0; k < sizeof perms / sizeof *perms; k++) {
            long long d[3];
            d[0] = a;
            d[1] = b;
            d[2] = c;
            begin(NULL, type);
            put("ENTRY e { x = %s[%lld,%lld,%lld] parameter(0) ROOT r = %s[%lld,%lld,%lld] transpose(x), "
                "dimensions={%d,%d,%d} }\n",
                type, a, b, c, type, d[perms[k][0]], d[perms[k][1]], d[perms[k][2]], perms[k][0], perms[k][1],
                perms[k][2]);
            snprintf(what, sizeof what, "transpose {%d,%d,%d} of %s[%lld,%lld,%lld]", perms[k][0], perms[k][1],
                perms[k][2], type, a, b, c);
            traffic(what, true);
        }
    }
}
/* Transposes with a side whose minor dimension is no sector: channels, pairs, structures of arrays, heads. */
static void traffic_narrow(const char *type, int64_t bytes) {
    static const struct {
        int rank, dims[5], perm[5];
    } cases[] = {
        {4, {2, 224, 224, 3}, {0, 3, 1, 2}},
        {4, {2, 3, 224, 224}, {0, 2, 3, 1}},
        {4, {2, 192, 192, 4}, {0, 3, 1, 2}},
        {4, {2, 4, 192, 192}, {0, 2, 3, 1}},
        {2, {131072, 2}, {1, 0}},
        {2, {2, 131072}, {1, 0}},
        {2, {100000, 3}, {1, 0}},
        {2, {5, 65536}, {1, 0}},
        {2, {32768, 8}, {1, 0}},
        {2, {16384, 17}, {1, 0}},
        {2, {26272, 20}, {1, 0}},
        {3, {32768, 3, 4}, {0, 2, 1}},
        {3, {4096, 12, 8}, {2, 1, 0}},
        {3, {58272, 3, 3}, {1, 0, 2}},
        {3, {480, 100, 6}, {0, 2, 1}},
        {5, {4, 1024, 3, 8, 4}, {2, 0, 3, 1, 4}},
        {5, {2, 512, 3, 4, 64}, {2, 0, 3, 1, 4}},
        {5, {8, 7, 64, 6, 16}, {4, 2, 0, 3, 1}},
        {5, {2, 4, 56, 240, 3}, {4, 3, 2, 0, 1}},
    };
    size_t i;
    int k;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        char from[64], to[64], perm[32], what[160];
        int n = 0, m = 0, o = 0, most = 0;
        for (k = 0; k < cases[i].rank; k++)
            if (cases[i].dims[k] > cases[i].dims[most]) most = k; /* the longest grows as elements shrink */
        for (k = 0; k < cases[i].rank; k++) {
            int p = cases[i].perm[k], more = bytes < 4 ? (int)(4 / bytes) : 1;
            n += snprintf(
                from + n, sizeof from - (size_t)n, "%s%d", k ? "," : "", cases[i].dims[k] * (k == most ? more : 1));
            m += snprintf(
                to + m, sizeof to - (size_t)m, "%s%d", k ? "," : "", cases[i].dims[p] * (p == most ? more : 1));
            o += snprintf(perm + o, sizeof perm - (size_t)o, "%s%d", k ? "," : "", p);
        }
        begin(NULL, type);
        put("ENTRY e { x = %s[%s] parameter(0) ROOT r = %s[%s] transpose(x), dimensions={%s} }\n", type, from, type, to,
            perm);
        snprintf(what, sizeof what, "transpose {%s} of %s[%s]", perm, type, from);
        traffic(what, true);
        if (i > 1) continue;
        begin(NULL, type); /* something is computed in front of it, and behind it with another array */
        put("ENTRY e { x = %s[%s] parameter(0) y = %s[%s] parameter(1) z = %s[%s] parameter(2) s = %s[%s] add(x, y) t "
            "= %s[%s] transpose(s), dimensions={%s} ROOT r = %s[%s] multiply(t, z) }\n",
            type, from, type, from, type, to, type, from, type, to, perm, type, to);
        snprintf(what, sizeof what, "transpose {%s} of %s[%s] between others", perm, type, from);
        traffic(what, true);
    }
}
/* Transposes with rows that begin inside of sectors, in one array or in both. */
static void traffic_skewed(void) {
    static const struct {
        const char *type, *from, *to, *perm;
    } cases[] = {
        {"f32", "601,699", "699,601", "1,0"}, {"f32", "1023,513", "513,1023", "1,0"},
        {"f32", "301,1024", "1024,301", "1,0"}, {"f32", "33,65,127", "127,65,33", "2,1,0"},
        {"f64", "401,399", "399,401", "1,0"}, {"s64", "7,7,19,9,29", "7,29,19,9,7", "0,4,2,3,1"},
        {"bf16", "157,33,129", "129,157,33", "2,0,1"}, {"bf16", "8,57,57,24", "8,24,57,57", "0,3,1,2"},
        {"s8", "51,35,11,73", "11,35,73,51", "2,1,3,0"}, {"s8", "145,197,65", "197,145,65", "1,0,2"},
        {"s8", "1024,1027", "1027,1024", "1,0"}, {"s64", "219,65,35", "35,65,219", "2,1,0"},
        {"s16", "300,35,63", "300,63,35", "0,2,1"}, {"s64", "27,39,139", "39,27,139", "1,0,2"},
        {"u8", "767,1445", "1445,767", "1,0"}, {"bf16", "1251,843", "843,1251", "1,0"},
        {"s8", "3325,735", "735,3325", "1,0"}, {"s16", "115,9,1177", "1177,9,115", "2,1,0"},
        {"u8", "95,83,5,41", "83,41,95,5", "1,3,0,2"}, /* by clusters */
        {"u32", "339,13,123", "339,123,13", "0,2,1"}, {"f32", "15,17,3,9,11,7", "9,15,17,7,3,11", "3,0,1,5,2,4"},
        {"u64", "177,5,211", "177,211,5", "0,2,1"},
        {"f64", "31,7,9,11,3,5", "3,31,9,7,11,5", "4,0,2,1,3,5"}, /* lanes stay idle */
        {"bf16", "7,21,17955", "21,7,17955", "1,0,2"}, {"s8", "13,17,9001", "17,13,9001", "1,0,2"},
        {"f32", "9,11,4097", "11,9,4097", "1,0,2"}, /* long rows */
    };
    char what[160];
    size_t i;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *t = cases[i].type, *from = cases[i].from, *to = cases[i].to, *perm = cases[i].perm;
        begin(NULL, t);
        if (i % 5)
            put("ENTRY e { x = %s[%s] parameter(0) ROOT r = %s[%s] transpose(x), dimensions={%s} }\n", t, from, t, to,
                perm);
        else
            put("ENTRY e { x = %s[%s] parameter(0) y = %s[%s] parameter(1) z = %s[%s] parameter(2) s = %s[%s] add(x, "
                "y) t = %s[%s] transpose(s), dimensions={%s} ROOT r = %s[%s] maximum(t, z) }\n",
                t, from, t, from, t, to, t, from, t, to, perm, t, to);
        snprintf(what, sizeof what, "transpose {%s} of %s[%s]%s", perm, t, from, i % 5 ? "" : " between others");
        traffic(what, true);
    }
}
static void traffic_rows(const char *type, long long rows, long long columns) {
    char what[96];
    begin("add", type);
    put("ENTRY e { x = %s[%lld,%lld] parameter(0) z = %s[] constant(0) ROOT r = %s[%lld] reduce(x, z), dimensions={1}, "
        "to_apply=fold }\n",
        type, rows, columns, type, type, rows);
    snprintf(what, sizeof what, "rows of %s[%lld,%lld]", type, rows, columns);
    traffic(what, false);
    begin("add", type);
    put("ENTRY e { x = %s[%lld,%lld] parameter(0) z = %s[] constant(0) ROOT r = %s[%lld] reduce(x, z), dimensions={0}, "
        "to_apply=fold }\n",
        type, columns / 16, rows * 16, type, type, rows * 16);
    snprintf(what, sizeof what, "columns of %s[%lld,%lld]", type, columns / 16, rows * 16);
    traffic(what, false);
}
/* Columns whose rows begin inside of sectors: what they touch, as a rule a few sectors more than a tile's row has. Few
 * tiles are narrower than many. */
static void traffic_skewed_columns(const char *type, long long bytes) {
    static const struct {
        int a, b, c;
        double most;
    } cases[] = {
        {1, 128, 8193, 1.03},
        {1, 400, 5001, 1.05},
        {1, 4096, 129, 1.04},
        {1, 512, 1025, 1.05},
        {17, 100, 301, 1.05},
        {64, 32, 129, 1.03},
        {64, 49, 197, 1.06},
        {500, 20, 49, 1.02},
        {4096, 3, 37, 1.01},
        {9, 701, 123, 1.05},
    };
    size_t i, k;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        long long a = cases[i].a, b = cases[i].b, c = cases[i].c;
        xlagpu_kernel_stats s[8];
        uint64_t sectors = 0;
        char line[200], what[96];
        uint32_t n;
        job j;
        begin(type[0] == 's' ? "add" : "maximum", type);
        put("ENTRY e { x = %s[%lld,%lld,%lld] parameter(0) z = %s[] constant(0) ROOT r = %s[%lld,%lld] reduce(x, z), "
            "dimensions={1}, to_apply=fold }\n",
            type, a, b, c, type, type, a, c);
        snprintf(what, sizeof what, "skewed columns of %s[%lld,%lld,%lld]", type, a, b, c);
        if (job_open(&j, what) && job_run(&j, what)) {
            n = xlagpu_rt_stats(j.p, s, 8);
            for (k = 0; k < n && k < 8; k++) sectors += s[k].sectors;
            snprintf(line, sizeof line, "%s: %u kernels, %llu sectors for %llu", what, n, (unsigned long long)sectors,
                (unsigned long long)(j.bytes / 32));
            if (verbose) printf("%s\n", line);
            EXPECT_IN(
                n <= 2 && (double)sectors * 32 <= (cases[i].most + (bytes < 4 ? 0.05 : 0)) * (double)j.bytes, line);
            job_compare(&j, what);
        }
        job_close(&j);
    }
}
/* Two transposes that turn differently: tiles serve one of them, and the other is made apart; together they would touch
 * up to twelve times the sectors. */
static void traffic_two_turns(const char *type) {
    xlagpu_kernel_stats s[8];
    uint64_t sectors = 0;
    char line[200], what[96];
    uint32_t n, k;
    job j;
    begin(NULL, type);
    put("ENTRY e { x = %s[96,128,256] parameter(0) y = %s[96,256,128] parameter(1) a = %s[256,128,96] transpose(x), "
        "dimensions={2,1,0} b = %s[256,128,96] transpose(y), dimensions={1,2,0} ROOT r = %s[256,128,96] add(a, b) }\n",
        type, type, type, type, type);
    snprintf(what, sizeof what, "two turns of %s", type);
    if (job_open(&j, what) && job_run(&j, what)) {
        n = xlagpu_rt_stats(j.p, s, 8);
        for (k = 0; k < n && k < 8; k++) sectors += s[k].sectors;
        snprintf(line, sizeof line, "%s: %u kernels, %llu sectors for %llu", what, n, (unsigned long long)sectors,
            (unsigned long long)(j.bytes / 32));
        if (verbose) printf("%s\n", line);
        EXPECT_IN(n <= 2 && sectors * 100 <= j.bytes / 32 * 168, line);
    }
    job_close(&j);
}
/* Rows of a few elements, which begin inside of sectors. */
static void traffic_short_rows(const char *type, long long bytes) {
    static const int lengths[] = {3, 5, 7, 10, 11, 12, 17, 20, 31, 50, 100};
    char what[96];
    size_t i;
    for (i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        long long c = lengths[i], r = (1048576 / bytes / c + 31) / 32 * 32;
        begin("add", "f32");
        put("ENTRY e { x = %s[%lld,%lld] parameter(0) y = f32[%lld,%lld] convert(x) z = f32[] constant(0) s = "
            "f32[%lld] reduce(y, z), dimensions={1}, to_apply=fold ROOT r = %s[%lld] convert(s) }\n",
            type, r, c, r, c, r, type, r);
        snprintf(what, sizeof what, "short rows of %s[%lld,%lld]", type, r, c);
        traffic(what, !platform.on_device);
    }
}
static void softmax(const char *t, long long r, long long c) {
    begin("add", t);
    put("most { a = %s[] parameter(0) b = %s[] parameter(1) ROOT r = %s[] maximum(a, b) }\nENTRY e {\n  x = "
        "%s[%lld,%lld] parameter(0)\n  z = %s[] constant(0)\n  l = %s[] constant(-inf)\n",
        t, t, t, t, r, c, t, t);
    put("  m = %s[%lld] reduce(x, l), dimensions={1}, to_apply=most\n  mb = %s[%lld,%lld] broadcast(m), "
        "dimensions={0}\n  d = %s[%lld,%lld] subtract(x, mb)\n  e = %s[%lld,%lld] exponential(d)\n",
        t, r, t, r, c, t, r, c, t, r, c);
    put("  s = %s[%lld] reduce(e, z), dimensions={1}, to_apply=fold\n  sb = %s[%lld,%lld] broadcast(s), "
        "dimensions={0}\n  ROOT q = %s[%lld,%lld] divide(e, sb)\n}\n",
        t, r, t, r, c, t, r, c);
}
static void layer_norm(const char *t, long long r, long long c, bool scaled) {
    begin("add", t);
    put("ENTRY e {\n  x = %s[%lld,%lld] parameter(0)\n  z = %s[] constant(0)\n  n = %s[] constant(0.001)\n  nr = "
        "%s[%lld] broadcast(n), dimensions={}\n",
        t, r, c, t, t, t, r);
    put("  s = %s[%lld] reduce(x, z), dimensions={1}, to_apply=fold\n  m = %s[%lld] multiply(s, nr)\n  mb = "
        "%s[%lld,%lld] broadcast(m), dimensions={0}\n  d = %s[%lld,%lld] subtract(x, mb)\n",
        t, r, t, r, t, r, c, t, r, c);
    put("  q = %s[%lld,%lld] multiply(d, d)\n  v = %s[%lld] reduce(q, z), dimensions={1}, to_apply=fold\n  w = "
        "%s[%lld] add(v, nr)\n  k = %s[%lld] rsqrt(w)\n",
        t, r, c, t, r, t, r, t, r);
    put("  kb = %s[%lld,%lld] broadcast(k), dimensions={0}\n", t, r, c);
    if (scaled)
        put("  dk = %s[%lld,%lld] multiply(d, kb)\n  g = %s[%lld] parameter(1)\n  h = %s[%lld] parameter(2)\n  gb = "
            "%s[%lld,%lld] broadcast(g), dimensions={1}\n  hb = %s[%lld,%lld] broadcast(h), dimensions={1}\n"
            "  dg = %s[%lld,%lld] multiply(dk, gb)\n  ROOT o = %s[%lld,%lld] add(dg, hb)\n}\n",
            t, r, c, t, c, t, c, t, r, c, t, r, c, t, r, c, t, r, c);
    else
        put("  ROOT o = %s[%lld,%lld] multiply(d, kb)\n}\n", t, r, c);
}
static void traffic_row_programs(const char *t, long long r, long long c) {
    char what[96];
    softmax(t, r, c);
    snprintf(what, sizeof what, "softmax of %s[%lld,%lld]", t, r, c);
    traffic(what, false);
    layer_norm(t, r, c, false);
    snprintf(what, sizeof what, "layer norm of %s[%lld,%lld]", t, r, c);
    traffic(what, false);
}
/* Rows that nobody has room for are read twice, and written: in three kernels. Numbers of all sizes, and masked ones:
 * many, or all of a row. */
static void traffic_long_rows(const char *of, long long r, long long c, double most) {
    int k, form, n, i, bad;
    target = of;
    for (form = 0; form < 4; form++) {
        xlagpu_kernel_stats s[8];
        uint64_t sectors = 0;
        char what[96], line[200];
        job j;
        if (form < 3)
            softmax("f32", r, c);
        else
            layer_norm("f32", r, c, false);
        snprintf(what, sizeof what, "%s of f32[%lld,%lld] on %s%s", form < 3 ? "softmax" : "layer norm", r, c, of,
            form == 1   ? ", masked"
            : form == 2 ? ", one row all masked"
                        : "");
        if (job_open(&j, what)) {
            float *x = (float *)j.in[0].data;
            for (i = 0; i < (int)(r * c); i++) {
                x[i] = (float)((unsigned)i * 2654435761u >> 12) / (float)(1 << 15) - 16.0f + (float)(i / 100000);
                if ((form == 1 && i % c > c / 3) || (form == 2 && i < c)) x[i] = -INFINITY;
            }
            if (job_run(&j, what)) {
                n = (int)xlagpu_rt_stats(j.p, s, 8);
                for (k = 0; k < n && k < 8; k++) sectors += s[k].sectors;
                snprintf(line, sizeof line, "%s: %d kernels, %llu sectors for %.0f", what, n,
                    (unsigned long long)sectors, (double)j.bytes / 32 * 1.5);
                if (verbose) printf("%s\n", line);
                EXPECT_IN(n <= 3 && (double)sectors * 32 <= most * 1.5 * (double)j.bytes, line);
                if (xlagpu_evaluate(j.m, j.in, j.n_in, j.want, j.n_out, false) == XLAGPU_OK) {
                    const float *got = (const float *)j.out[0].data, *want = (const float *)j.want[0].data;
                    for (bad = i = 0; i < (int)(r * c); i++)
                        bad += !((want[i] != want[i] && got[i] != got[i]) ||
                                 fabsf(got[i] - want[i]) <= 2e-5f * fabsf(want[i]) + 1e-30f);
                    EXPECT_IN(!bad, what);
                }
            }
        }
        job_close(&j);
    }
    target = platform.target;
}

/* What only moves elements, each array of one type: one kernel, no more sectors than it must, and at most so many lane
 * instructions for each 32 bytes of f32 that it reads or writes, of bytes as many times that where single ones change
 * their places. */
static void traffic_moves(const char *type, int64_t bytes) {
    static const struct {
        const char *what;
        double most, bytewise;
        const char *body;
    } cases[] = {
        {"reversed rows", 22, 2, "x = @[600,1024] parameter(0) ROOT r = @[600,1024] reverse(x), dimensions={1}"},
        {"rows in reverse", 21, 1, "x = @[600,1024] parameter(0) ROOT r = @[600,1024] reverse(x), dimensions={0}"},
        {"columns beside each other", 12.5, 1,
            "x = @[64,16,16,64] parameter(0) y = @[64,16,16,64] parameter(1) z = @[64,16,16,32] parameter(2) ROOT r = "
            "@[64,16,16,160] concatenate(x, y, z), dimensions={3}"},
        {"rows below each other", 10.5, 1,
            "x = @[600,1024] parameter(0) y = @[424,1024] parameter(1) ROOT r = @[1024,1024] concatenate(x, y), "
            "dimensions={0}"},
        {"halves the other way round", 10, 1,
            "x = @[8,16,256,64] parameter(0) a = @[8,16,256,32] slice(x), slice={[0:8], [0:16], [0:256], [0:32]} b = "
            "@[8,16,256,32] slice(x), slice={[0:8], [0:16], [0:256], [32:64]} ROOT r = @[8,16,256,64] concatenate(b, "
            "a), dimensions={3}"},
        {"split heads", 29, 1,
            "x = @[4,512,1024] parameter(0) h = @[4,512,16,64] reshape(x) ROOT r = @[4,16,512,64] transpose(h), "
            "dimensions={0,2,1,3}"},
        {"merged heads", 29, 1,
            "x = @[4,16,512,64] parameter(0) h = @[4,512,16,64] transpose(x), dimensions={0,2,1,3} ROOT r = "
            "@[4,512,1024] reshape(h)"},
        {"three slices", 19, 1,
            "x = @[512,1536] parameter(0) a = @[512,512] slice(x), slice={[0:512], [0:512]} b = @[512,512] slice(x), "
            "slice={[0:512], [512:1024]} c = @[512,512] slice(x), slice={[0:512], [1024:1536]} ROOT r = (@[512,512], "
            "@[512,512], @[512,512]) tuple(a, b, c)"},
    };
    size_t i;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        xlagpu_kernel_stats s[8];
        char line[200];
        const char *p;
        uint32_t kernels;
        job j;
        begin(NULL, NULL);
        put("ENTRY e { ");
        for (p = cases[i].body; *p; p++) {
            if (*p == '@')
                put("%s", type);
            else
                put("%c", *p);
        }
        put(" }\n");
        if (job_open(&j, cases[i].what) && job_run(&j, cases[i].what)) {
            double sectors = (double)j.bytes / 32, lanes,
                   most =
                       cases[i].most * (bytes > 4 ? 0.65 : 4.0 / (double)bytes) * (bytes == 1 ? cases[i].bytewise : 1);
            kernels = xlagpu_rt_stats(j.p, s, 8);
            lanes = (double)s[0].lane_instructions / sectors;
            snprintf(line, sizeof line,
                "%s of %s: %u kernels, %llu sectors for %.0f, %.1f lane instructions for 32 bytes", cases[i].what, type,
                kernels, (unsigned long long)s[0].sectors, sectors, lanes);
            if (verbose) printf("%s\n", line);
            job_compare(&j, cases[i].what);
            EXPECT_IN(kernels == 1 && (double)s[0].sectors <= sectors * 1.05 && lanes <= most, line);
        }
        job_close(&j);
    }
}

/* Contractions of arrays that lie behind each other: no step asks in which of them it is, so it takes what one array
 * takes: about the same time with the tile that each gets, and about the same instructions with one tile for both. */
typedef struct pieces {
    const char *parameters, *arguments, *body; /* the body names parameter k of the fusion p<k> */
} pieces;
static xlagpu_kernel_stats pieces_cost(const char *what, const pieces *p, const char *result, const char *record) {
    xlagpu_kernel_stats s[8];
    uint32_t kernels = 0;
    job j;
    memset(s, 0, sizeof s);
    begin(NULL, NULL);
    put("contraction { %s %s }\nENTRY e { %s ROOT f = %s fusion(%s), kind=kLoop, calls=contraction%s }\n",
        p->parameters, p->body, p->parameters, result, p->arguments, record);
    if (job_open(&j, what) && job_run(&j, what)) {
        kernels = xlagpu_rt_stats(j.p, s, 8);
        job_compare(&j, what);
    }
    job_close(&j);
    EXPECT_IN(kernels == 1 && s[0].predicted_ns > 0, what);
    return s[0];
}
static void traffic_pieces(void) {
    static const struct {
        const char *result, *record;
        pieces whole, cut;
    } cases[] = {
        {"s32[2,8,8,16]",
            ", backend_config={\"xlagpu_kernel\":{\"rule\":\"tile\",\"form\":{\"tile\":[\"16\",\"32\",\"128\"],"
            "\"thread_tile\":[\"4\",\"4\"],\"slices\":\"4\"}}}",
            {"p0 = s32[2,8,8,48] parameter(0) p1 = s32[3,3,48,16] parameter(1)", "p0, p1",
                "ROOT r = s32[2,8,8,16] convolution(p0, p1), window={size=3x3 pad=1_1x1_1}, "
                "dim_labels=b01f_01io->b01f"},
            {"p0 = s32[2,8,8,32] parameter(0) p1 = s32[3,3,48,16] parameter(1) p2 = s32[2,8,8,16] parameter(2)",
                "p0, p1, p2",
                "c = s32[2,8,8,48] concatenate(p0, p2), dimensions={3} ROOT r = s32[2,8,8,16] convolution(c, p1), "
                "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"}},
        {"s32[64,32]",
            ", backend_config={\"xlagpu_kernel\":{\"rule\":\"tile\",\"form\":{\"tile\":[\"32\",\"64\",\"32\"],"
            "\"thread_tile\":[\"4\",\"4\"],\"slices\":\"2\"}}}",
            {"p0 = s32[64,96] parameter(0) p1 = s32[96,32] parameter(1)", "p0, p1",
                "ROOT r = s32[64,32] dot(p0, p1), lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
            {"p0 = s32[64,40] parameter(0) p1 = s32[96,32] parameter(1) p2 = s32[64,56] parameter(2)", "p0, p1, p2",
                "c = s32[64,96] concatenate(p0, p2), dimensions={1} ROOT r = s32[64,32] dot(c, p1), "
                "lhs_contracting_dims={1}, rhs_contracting_dims={0}"}}};
    char line[240];
    xlagpu_device *without = device;
    xlagpu_device_desc d;
    size_t i, same;
    memset(&d, 0, sizeof d);
    d.platform = "host";
    d.predict = true;
    EXPECT(xlagpu_rt_open(&d, &device) == XLAGPU_OK);
    for (i = 0; i < sizeof cases / sizeof *cases; i++)
        for (same = 0; same < 2; same++) {
            const char *record = same ? cases[i].record : "";
            xlagpu_kernel_stats one =
                                    pieces_cost("a contraction of one array", &cases[i].whole, cases[i].result, record),
                                cut = pieces_cost("a contraction of pieces", &cases[i].cut, cases[i].result, record);
            snprintf(line, sizeof line,
                "a contraction of pieces%s: predicted %llu ns, of one array %llu; lane instructions %llu and %llu",
                same ? " by the same tile" : "", (unsigned long long)cut.predicted_ns,
                (unsigned long long)one.predicted_ns, (unsigned long long)cut.lane_instructions,
                (unsigned long long)one.lane_instructions);
            if (verbose) printf("%s\n", line);
            EXPECT_IN((double)cut.predicted_ns <= 1.15 * (double)one.predicted_ns, line);
            if (same) EXPECT_IN((double)cut.lane_instructions <= 1.15 * (double)one.lane_instructions, line);
        }
    xlagpu_rt_close(device);
    device = without;
}

/* A batch of products of tiny matrices takes about as long as reading them and writing what they make: a kernel that
 * only moves so many bytes. */
static uint64_t tiny_time(const char *what) {
    xlagpu_kernel_stats s[8];
    uint64_t ns = 0;
    job j;
    memset(s, 0, sizeof s);
    if (job_open(&j, what) && job_run(&j, what)) {
        if (xlagpu_rt_stats(j.p, s, 8) == 1) ns = s[0].predicted_ns;
        job_compare(&j, what);
    }
    job_close(&j);
    EXPECT_IN(ns, what);
    return ns;
}
static void tiny_products(int m, int n, int k, int batch, bool turned, double most) {
    char line[160];
    uint64_t copy, dot;
    long long half = (long long)batch * (m * n + m * k + k * n) / 2;
    begin(NULL, NULL);
    put("ENTRY e { p = s32[%lld] parameter(0) ROOT r = s32[%lld] negate(p) }\n", half, half);
    copy = tiny_time("as many bytes as tiny matrices");
    begin(NULL, NULL);
    put("ENTRY e { p0 = s32[%d,%d,%d] parameter(0) p1 = s32[%d,%d,%d] parameter(1)\n", batch, turned ? k : m,
        turned ? m : k, batch, turned ? n : k, turned ? k : n);
    put("ROOT r = s32[%d,%d,%d] dot(p0, p1), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={%d}, "
        "rhs_contracting_dims={%d} }\n",
        batch, m, n, turned ? 1 : 2, turned ? 2 : 1);
    dot = tiny_time("products of tiny matrices");
    snprintf(line, sizeof line, "%d products %dx%dx%d: predicted %llu ns, to move as many bytes %llu", batch, m, n, k,
        (unsigned long long)dot, (unsigned long long)copy);
    if (verbose) printf("%s\n", line);
    EXPECT_IN((double)dot <= most * (double)copy, line);
}
/* Sums whose elements lie in many short runs, or in so few columns that one cluster had them all, take about as long as
 * sums of as many elements that lie better. */
static uint64_t sum_time(const char *in, const char *dims, const char *out) {
    begin("add", "s32");
    put("ENTRY e { p = s32[%s] parameter(0) z = s32[] constant(0)\n", in);
    put("ROOT r = s32[%s] reduce(p, z), dimensions={%s}, to_apply=fold }\n", out, dims);
    return tiny_time(in);
}
static void spread_sums(void) {
    static const struct {
        const char *what, *in, *dims, *out, *in_well, *dims_well, *out_well;
        double most;
    } cases[] = {
        {"channels of groups", "2,16,16,8,32", "1,2,4", "2,8", "16,8192", "1", "16", 1.25},
        {"at an odd number of places", "3,7,7,5,32", "1,2,4", "3,5", "15,1568", "1", "15", 1.25},
        {"in runs longer than a round", "2,7,7,4,64", "1,2,4", "2,4", "8,3136", "1", "8", 1.25},
        {"few columns of many rows", "6272,128", "0", "128", "1568,512", "0", "512", 1.5},
    };
    size_t k;
    for (k = 0; k < sizeof cases / sizeof *cases; k++) {
        char line[160];
        uint64_t well = sum_time(cases[k].in_well, cases[k].dims_well, cases[k].out_well);
        uint64_t ours = sum_time(cases[k].in, cases[k].dims, cases[k].out);
        snprintf(line, sizeof line, "sums of %s: predicted %llu ns, of elements that lie better %llu", cases[k].what,
            (unsigned long long)ours, (unsigned long long)well);
        if (verbose) printf("%s\n", line);
        EXPECT_IN((double)ours <= cases[k].most * (double)well, line);
    }
}
static void predicted_times(void) {
    xlagpu_device *without = device;
    xlagpu_device_desc d;
    memset(&d, 0, sizeof d);
    d.platform = "host";
    d.predict = true;
    EXPECT(xlagpu_rt_open(&d, &device) == XLAGPU_OK);
    spread_sums();
    tiny_products(4, 4, 4, 20000, false, 1.5);
    tiny_products(4, 4, 4, 20000, true, 1.5);
    tiny_products(3, 3, 3, 20000, false, 1.5);
    tiny_products(2, 5, 7, 9000, false, 1.5);
    tiny_products(8, 8, 8, 5000, true, 1.5);
    tiny_products(16, 16, 16, 1000, true, 2.0);
    xlagpu_rt_close(device);
    device = without;
}

/* Vectors that all rows read: each block reads them once. */
static void traffic_norms(const char *t, const char *of, long long r, long long c) {
    char what[96];
    begin("add", "f32");
    put("ENTRY e {\n  p = %s[%lld,%lld] parameter(0)\n  g0 = %s[%lld] parameter(1)\n  b0 = %s[%lld] parameter(2)\n  x "
        "= f32[%lld,%lld] convert(p)\n  g = f32[%lld] convert(g0)\n  b = f32[%lld] convert(b0)\n",
        t, r, c, of, c, of, c, r, c, c, c);
    put("  z = f32[] constant(0)\n  n = f32[] constant(0.001)\n  nr = f32[%lld] broadcast(n), dimensions={}\n  q = "
        "f32[%lld,%lld] multiply(x, x)\n  s = f32[%lld] reduce(q, z), dimensions={1}, to_apply=fold\n",
        r, r, c, r);
    put("  m = f32[%lld] multiply(s, nr)\n  k = f32[%lld] rsqrt(m)\n  kb = f32[%lld,%lld] broadcast(k), "
        "dimensions={0}\n  y = f32[%lld,%lld] multiply(x, kb)\n",
        r, r, r, c, r, c);
    put("  gb = f32[%lld,%lld] broadcast(g), dimensions={1}\n  bb = f32[%lld,%lld] broadcast(b), dimensions={1}\n  yg "
        "= f32[%lld,%lld] multiply(y, gb)\n  yb = f32[%lld,%lld] add(yg, bb)\n  ROOT o = %s[%lld,%lld] "
        "convert(yb)\n}\n",
        r, c, r, c, r, c, r, c, t, r, c);
    snprintf(what, sizeof what, "norm of %s[%lld,%lld] with scale and offset", t, r, c);
    traffic(what, false);
}

static void traffic_bias(const char *t, long long r, long long c) {
    char what[96];
    begin(NULL, t);
    put("ENTRY e { x = %s[%lld,%lld] parameter(0) g = %s[%lld] parameter(1) b = %s[%lld,%lld] broadcast(g), "
        "dimensions={1} ROOT o = %s[%lld,%lld] add(x, b) }\n",
        t, r, c, t, c, t, r, c, t, r, c);
    snprintf(what, sizeof what, "bias of %s[%lld,%lld]", t, r, c);
    traffic(what, true);
}

/* A loop of so many rounds, each of which reads a row and writes one: no row of the state lies in memory. */
static void recurrence(const char *t, long long r, long long c) {
    begin(NULL, t);
    put("below { s = (s32[], %s[%lld], %s[%lld,%lld], %s[%lld,%lld]) parameter(0) i = s32[] get-tuple-element(s), "
        "index=0 n = s32[] constant(%lld) ROOT p = pred[] compare(i, n), direction=LT }\n",
        t, c, t, r, c, t, r, c, r);
    put("step { s = (s32[], %s[%lld], %s[%lld,%lld], %s[%lld,%lld]) parameter(0) i = s32[] get-tuple-element(s), "
        "index=0 m = %s[%lld] get-tuple-element(s), index=1 y = %s[%lld,%lld] get-tuple-element(s), index=2 "
        "x = %s[%lld,%lld] get-tuple-element(s), index=3 o = s32[] constant(0) one = s32[] constant(1) "
        "j = s32[] add(i, one) a = %s[1,%lld] dynamic-slice(x, i, o), dynamic_slice_sizes={1,%lld} "
        "b = %s[%lld] reshape(a) d = %s[%lld] subtract(b, m) e = %s[1,%lld] reshape(d) "
        "z = %s[%lld,%lld] dynamic-update-slice(y, e, i, o) "
        "ROOT u = (s32[], %s[%lld], %s[%lld,%lld], %s[%lld,%lld]) tuple(j, d, z, x) }\n",
        t, c, t, r, c, t, r, c, t, c, t, r, c, t, r, c, t, c, c, t, c, t, c, t, c, t, r, c, t, c, t, r, c, t, r, c);
    put("ENTRY e { x = %s[%lld,%lld] parameter(0) o = s32[] constant(0) z = %s[] convert(o) m = %s[%lld] "
        "broadcast(z), dimensions={} y = %s[%lld,%lld] broadcast(z), dimensions={} "
        "s = (s32[], %s[%lld], %s[%lld,%lld], %s[%lld,%lld]) tuple(o, m, y, x) "
        "w = (s32[], %s[%lld], %s[%lld,%lld], %s[%lld,%lld]) while(s), condition=below, body=step "
        "ROOT v = %s[%lld,%lld] get-tuple-element(w), index=2 }\n",
        t, r, c, t, t, c, t, r, c, t, c, t, r, c, t, r, c, t, c, t, r, c, t, r, c, t, r, c);
}
static void traffic_recurrence(const char *t, long long r, long long c) {
    char what[96];
    recurrence(t, r, c);
    snprintf(what, sizeof what, "recurrence of %s[%lld,%lld]", t, r, c);
    traffic(what, true);
    same(what);
}

/* ---- sizes ---- */

/* Of what takes long one in six, unless all of it was asked for. */
static bool in_sample(long long length, size_t number) { return whole || length < 5000 || number % 6 == 0; }
static void same(const char *what) {
    job j;
    if (job_open(&j, what) && job_run(&j, what)) job_compare(&j, what);
    job_close(&j);
}
/* What stands between "ENTRY e {" and "}", with N, P (N + 1) and H (half of N, rounded up) as numbers. */
static void same_of(const char *body, long long n) {
    const char *p;
    char what[60];
    begin("add", "s32");
    put("most { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] maximum(a, b) }\nless { a = s32[] "
        "parameter(0) b = s32[] parameter(1) ROOT r = pred[] compare(a, b), direction=LT }\n"
        "upper { a = s8[] parameter(0) b = s8[] parameter(1) i = s32[] parameter(2) j = s32[] parameter(3) c = s8[] "
        "negate(a) d = s8[] negate(b) ROOT r = pred[] compare(c, d), direction=GT }\n"
        "wide { a = s64[] parameter(0) b = s64[] parameter(1) i = s32[] parameter(2) j = s32[] parameter(3) ROOT r = "
        "pred[] compare(a, b), direction=GT }\n"
        "both { a = s32[] parameter(0) b = s32[] parameter(1) c = s32[] parameter(2) d = s32[] parameter(3) l = pred[] "
        "compare(a, b), direction=LT e = pred[] compare(a, b), direction=EQ g = pred[] compare(c, d), direction=GT f = "
        "pred[] and(e, g) ROOT r = pred[] or(l, f) }\n"
        "bytes { a = u8[] parameter(0) b = u8[] parameter(1) c = s8[] parameter(2) d = s8[] parameter(3) i = s32[] "
        "parameter(4) j = s32[] parameter(5) l = pred[] compare(a, b), direction=GT e = pred[] compare(b, a), "
        "direction=EQ g = pred[] compare(c, d), direction=LT f = pred[] and(g, e) ROOT r = pred[] or(f, l) }\n"
        "mixed { a = pred[] parameter(0) b = pred[] parameter(1) c = bf16[] parameter(2) d = bf16[] parameter(3) m = "
        "u16[] parameter(4) n = u16[] parameter(5) l = pred[] compare(a, b), direction=LT e = pred[] compare(a, b), "
        "direction=EQ g = pred[] compare(c, d), direction=GT, type=TOTALORDER h = pred[] compare(c, d), direction=NE, "
        "type=TOTALORDER o = pred[] compare(m, n), direction=LT s = pred[] select(h, g, o) ROOT r = pred[] select(e, "
        "s, l) }\n"
        "zeros { a = f32[] parameter(0) b = f32[] parameter(1) c = s16[] parameter(2) d = s16[] parameter(3) l = "
        "pred[] compare(a, b), direction=LT e = pred[] compare(a, b), direction=EQ g = pred[] compare(d, c), "
        "direction=LT f = pred[] and(e, g) ROOT r = pred[] or(l, f) }\n"
        "halves { c = c64[] parameter(0) d = c64[] parameter(1) a = bf16[] parameter(2) b = bf16[] parameter(3) ROOT r "
        "= pred[] compare(b, a), direction=GT, type=TOTALORDER }\n"
        "first { a = s32[] parameter(0) i = s32[] parameter(1) b = s32[] parameter(2) j = s32[] parameter(3) c = "
        "pred[] compare(a, b), direction=GE d = s32[] select(c, a, b) e = s32[] select(c, i, j) ROOT r = (s32[], "
        "s32[]) tuple(d, e) }\n"
        "best { a = s32[] parameter(0) i = s32[] parameter(1) b = s32[] parameter(2) j = s32[] parameter(3) g = pred[] "
        "compare(a, b), direction=GT q = pred[] compare(a, b), direction=EQ l = pred[] compare(i, j), direction=LT f = "
        "pred[] and(q, l) c = pred[] or(g, f) d = s32[] select(c, a, b) e = s32[] select(c, i, j) ROOT r = (s32[], "
        "s32[]) tuple(d, e) }\n"
        "step { a = s32[5] parameter(0) b = s32[5] parameter(1) s = s32[5] add(a, b) ROOT r = (s32[5], s32[5]) "
        "tuple(s, s) }\n"
        "more { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = pred[] compare(a, b), direction=GE }\nENTRY e { "
        "x = s32[5,%lld] parameter(0) z = s32[] constant(0) ",
        n);
    for (p = body; *p; p++) {
        if (*p == 'N')
            put("%lld", n);
        else if (*p == 'P')
            put("%lld", n + 1);
        else if (*p == 'H')
            put("%lld", (n + 1) / 2);
        else if (*p == 'M')
            put("%lld", n ? n - 1 : 0);
        else
            put("%c", *p);
    }
    put(" }\n");
    snprintf(what, sizeof what, "%.40s for %lld", strstr(body, "ROOT"), n);
    same(what);
}
static void sizes(void) {
    static const long long lengths[] = {0, 1, 31, 33, 127, 129, 251, 4095, 65537};
    static const char *const bodies[] = {
        "ROOT r = s32[5,N] multiply(x, x)",
        "ROOT r = s32[N,5] transpose(x), dimensions={1,0}",
        "y = s32[N,5] reshape(x) ROOT r = s32[5,N] transpose(y), dimensions={1,0}",
        "ROOT r = s32[5,N] reverse(x), dimensions={1}",
        "ROOT r = s32[5] reduce(x, z), dimensions={1}, to_apply=fold",
        "ROOT r = s32[N] reduce(x, z), dimensions={0}, to_apply=fold",
        "ROOT r = s32[] reduce(x, z), dimensions={0,1}, to_apply=most",
        "s = s32[5] reduce(x, z), dimensions={1}, to_apply=fold b = s32[5,N] broadcast(s), dimensions={0} ROOT r = "
        "s32[5,N] subtract(x, b)",
        "ROOT r = s32[5,N] sort(x), dimensions={1}, to_apply=less",
        "ROOT r = s32[5,N] sort(x), dimensions={0}, to_apply=less, is_stable=true",
        "y = s8[5,N] convert(x) i = s32[5,N] iota(), iota_dimension=1 ROOT r = (s8[5,N], s32[5,N]) sort(y, i), "
        "dimensions={1}, to_apply=upper, is_stable=true",
        "y = s64[5,N] convert(x) i = s32[5,N] iota(), iota_dimension=1 ROOT r = (s64[5,N], s32[5,N]) sort(y, i), "
        "dimensions={1}, to_apply=wide",
        "y = s32[5,N] parameter(1) ROOT r = (s32[5,N], s32[5,N]) sort(x, y), dimensions={1}, to_apply=both, "
        "is_stable=true",
        "k = s32[] constant(3) m = s32[5,N] broadcast(k), dimensions={} l = s32[5,N] and(x, m) y = u8[5,N] convert(l) "
        "v = s8[5,N] convert(x) ROOT r = (u8[5,N], s8[5,N], s32[5,N]) sort(y, v, x), dimensions={1}, to_apply=bytes, "
        "is_stable=true",
        "k = s32[] constant(3) m = s32[5,N] broadcast(k), dimensions={} l = s32[5,N] and(x, m) y = bf16[5,N] "
        "convert(l) v = u16[5,N] convert(x) o = s32[5,N] broadcast(z), dimensions={} p = pred[5,N] compare(x, o), "
        "direction=GT ROOT r = (pred[5,N], bf16[5,N], u16[5,N]) sort(p, y, v), dimensions={1}, to_apply=mixed, "
        "is_stable=true",
        "k = s32[] constant(1) m = s32[5,N] broadcast(k), dimensions={} l = s32[5,N] and(x, m) f = f32[5,N] convert(l) "
        "q = f32[] constant(0) o = f32[5,N] broadcast(q), dimensions={} n = f32[5,N] negate(f) p = s32[5,N] "
        "broadcast(z), dimensions={} c = pred[5,N] compare(x, p), direction=GT y = f32[5,N] select(c, f, n) h = "
        "s16[5,N] convert(x) ROOT r = (f32[5,N], s16[5,N]) sort(y, h), dimensions={1}, to_apply=zeros, is_stable=true",
        "y = bf16[5,N] convert(x) c = c64[5,N] convert(x) ROOT r = (c64[5,N], bf16[5,N]) sort(c, y), dimensions={1}, "
        "to_apply=halves, is_stable=true",
        "y = s32[5,P] parameter(1) ROOT r = s32[5,2N1] concatenate(x, y), dimensions={1}",
        "ROOT r = s32[6,P] pad(x, z), padding=0_1x1_0",
        "ROOT r = s32[3,H] slice(x), slice={[1:4], [0:N:2]}",
        "u = s32[2,H] parameter(1) i = s32[] parameter(2) ROOT r = s32[5,N] dynamic-update-slice(x, u, i, i)",
        "u = s32[2,H] parameter(1) v = s32[3,H] parameter(2) w = s32[5,H] parameter(3) i = s32[] parameter(4) j = "
        "s32[] parameter(5) a = s32[5,N] dynamic-update-slice(x, u, i, j) n = s32[3,H] negate(v) b = s32[5,N] "
        "dynamic-update-slice(a, n, j, i) ROOT r = s32[5,N] dynamic-update-slice(b, w, i, i)",
        "u = s32[2,N] parameter(1) i = s32[] parameter(2) j = s32[] parameter(3) a = s32[5,N] dynamic-update-slice(x, "
        "u, i, z) d = s32[3,N] dynamic-slice(a, j, z), dynamic_slice_sizes={3,N} e = s32[3,N] add(d, d) ROOT r = "
        "s32[5,N] dynamic-update-slice(a, e, j, z)",
        "i = s32[] parameter(1) ROOT r = s32[2,H] dynamic-slice(x, i, i), dynamic_slice_sizes={2,H}",
        "i = s32[N] parameter(1) ROOT r = s32[5,N] gather(x, i), offset_dims={0}, collapsed_slice_dims={1}, "
        "start_index_map={1}, index_vector_dim=1, slice_sizes={5,1}",
        "i = s32[N,1] parameter(1) u = s32[5,N] parameter(2) ROOT r = s32[5,N] scatter(x, i, u), "
        "update_window_dims={0}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, index_vector_dim=1, "
        "to_apply=fold",
        "ROOT r = s32[5,N] iota(), iota_dimension=1",
        "k = u64[2] parameter(1) ROOT r = (u64[2], u32[5,N]) rng-bit-generator(k), algorithm=rng_three_fry",
        "k = u64[2] parameter(1) ROOT r = (u64[2], u8[N]) rng-bit-generator(k), algorithm=rng_three_fry",
        "ROOT r = s32[5,N]{0,1} copy(x)",
        "v = s32[N] parameter(1) ROOT r = s32[3,N,2] broadcast(v), dimensions={1}",
        "i = s32[5,N] iota(), iota_dimension=1 m = s32[] constant(-1) ROOT r = (s32[5], s32[5]) reduce(x, i, m, z), "
        "dimensions={1}, to_apply=best",
        "i = s32[5,N] iota(), iota_dimension=0 m = s32[] constant(-1) ROOT r = (s32[N], s32[N]) reduce(x, i, m, z), "
        "dimensions={0}, to_apply=best",
        "y = s32[N] parameter(1) i = s32[N] iota(), iota_dimension=0 m = s32[] constant(-1) ROOT r = (s32[], s32[]) "
        "reduce(y, i, m, z), dimensions={0}, to_apply=best",
        "y = s32[N,5] parameter(1) i = s32[N,5] iota(), iota_dimension=0 m = s32[] constant(-1) ROOT r = (s32[5], "
        "s32[5]) reduce(y, i, m, z), dimensions={0}, to_apply=best",
        "y = s32[N,5] parameter(1) ROOT r = s32[5] reduce(y, z), dimensions={0}, to_apply=fold",
        "a = s32[5] reduce(x, z), dimensions={1}, to_apply=fold b = s32[5] reduce(x, z), dimensions={1}, to_apply=most "
        "c = s32[5,N] multiply(x, x) ROOT r = (s32[5], s32[5], s32[5,N]) tuple(a, b, c)",
        "y = s32[N,7] parameter(1) a = s32[7] reduce(y, z), dimensions={0}, to_apply=fold c = s32[N,7] multiply(y, y) "
        "b = s32[7] reduce(c, z), dimensions={0}, to_apply=most ROOT r = (s32[7], s32[7], s32[N,7]) tuple(a, b, c)",
        "a = s32[5,H] slice(x), slice={[0:5], [0:H]} b = s32[2,N] slice(x), slice={[3:5], [0:N]} c = s32[1,H] "
        "slice(x), slice={[2:3], [0:N:2]} ROOT r = (s32[5,H], s32[2,N], s32[1,H]) tuple(a, b, c)",
        "y = s32[N,5] parameter(1) i = s32[7] parameter(2) ROOT r = s32[7,5] gather(y, i), offset_dims={1}, "
        "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,5}",
        "y = s32[N,5] parameter(1) i = s32[N,1] parameter(2) u = s32[N,5] parameter(3) ROOT r = s32[N,5] scatter(y, i, "
        "u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
        "to_apply=most",
        "i = s32[N,1] iota(), iota_dimension=0 y = s32[N] parameter(1) u = s32[N] parameter(2) ROOT r = s32[N] "
        "scatter(y, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
        "index_vector_dim=1, unique_indices=true, indices_are_sorted=true, to_apply=fold",
    };
    static const char *const windows[] = {
        /* of at least one element */
        "c = s32[5] parameter(1) ROOT r = (s32[5,N], s32[5]) scan(x, c), dimensions={1}, num_carries=1, to_apply=step",
        "c = s32[5] parameter(1) y = s32[N,5] parameter(2) ROOT r = (s32[N,5], s32[5]) scan(y, c), dimensions={0}, "
        "num_carries=1, is_reverse=true, is_associative=true, to_apply=step",
        "ROOT r = s32[5,N] reduce-window(x, z), window={size=1xN pad=0_0xM_0}, to_apply=fold",
        "w = s32[5,N] reduce-window(x, z), window={size=1xN pad=0_0xM_0}, to_apply=fold n = s32[5,N] negate(x) y = "
        "s32[5,N] multiply(w, n) ROOT r = (s32[5,N], s32[5,N], s32[5,N]) tuple(y, n, w)",
        "i = s32[5,N] iota(), iota_dimension=1 m = s32[] constant(-2147483648) t = (s32[5,N], s32[5,N]) "
        "reduce-window(x, i, m, z), window={size=1xN pad=0_0x0_M}, to_apply=first a = s32[5,N] get-tuple-element(t), "
        "index=1 b = s32[5,N] get-tuple-element(t), index=0 ROOT r = s32[5,N] subtract(a, b)",
        "ROOT r = s32[5,N] reduce-window(x, z), window={size=3x3 pad=1_1x1_1}, to_apply=most",
        "y = s32[5,H] parameter(1) ROOT r = s32[5,N] select-and-scatter(x, y, z), window={size=1x3 stride=1x2 "
        "pad=0_0x1_1}, select=more, scatter=fold",
        "ROOT r = s32[5,H] reduce-window(x, z), window={size=1x7 stride=1x2 pad=0_0x3_3}, to_apply=most",
        "ROOT r = s32[5,N] reduce-window(x, z), window={size=1x31 pad=0_0x15_15}, to_apply=fold",
        "ROOT r = s32[3,N] reduce-window(x, z), window={size=3x40 pad=0_0x39_0}, to_apply=fold",
        "y = s32[5,N] negate(x) w = s32[6,N] reduce-window(y, z), window={size=4x3 pad=2_2x0_4 rhs_dilate=1x2}, "
        "to_apply=fold ROOT r = s32[6,N] multiply(w, w)",
        "ROOT r = s32[9,P] reduce-window(x, z), window={size=3x5 pad=1_1x2_3 lhs_dilate=2x1}, to_apply=most",
        "i = s32[5,N] iota(), iota_dimension=1 ROOT r = (s32[5,N], s32[5,N]) reduce-window(x, i, z, z), "
        "window={size=1x9 pad=0_0x4_4}, to_apply=first",
        "y = s32[5,N] parameter(1) ROOT r = s32[5,N] select-and-scatter(x, y, z), window={size=2x7 pad=1_0x3_3}, "
        "select=more, scatter=fold",
        "y = s32[5,H] parameter(1) p = s32[5,P] pad(x, z), padding=0_0x0_1 q = s32[5,P] select-and-scatter(p, y, z), "
        "window={size=1x2 stride=1x2 pad=0_0x0_1}, select=more, scatter=most s = s32[5,N] slice(q), slice={[0:5], "
        "[1:P]} ROOT r = s32[5,N] add(s, x)",
        "y = s32[1,N] parameter(1) ROOT r = s32[5,N] select-and-scatter(x, y, z), window={size=5x40 stride=20x1 "
        "pad=0_0x39_0}, select=more, scatter=fold",
        "y = s32[N,7] parameter(1) ROOT r = s32[5,7] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
    };
    size_t i, k;
    for (i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        for (k = 0; k < sizeof bodies / sizeof *bodies; k++) {
            if (strstr(bodies[k], "2N1")) { /* the sum of N and P */
                begin(NULL, NULL);
                put("ENTRY e { x = s32[5,%lld] parameter(0) y = s32[5,%lld] parameter(1) ROOT r = s32[5,%lld] "
                    "concatenate(x, y), dimensions={1} }\n",
                    lengths[i], lengths[i] + 1, 2 * lengths[i] + 1);
                same("concatenate");
            } else if ((lengths[i] || !strstr(bodies[k], "gather(")) && in_sample(lengths[i], k))
                same_of(bodies[k], lengths[i]);
        }
        for (k = 0; lengths[i] && k < sizeof windows / sizeof *windows; k++)
            if ((!strstr(windows[k], "size=1xN") || lengths[i] < 5000) && in_sample(lengths[i], k))
                same_of(windows[k], lengths[i]); /* the evaluator sums each window anew */
    }
}
/* Boxes of shared memory in every form: what is cut at the end, idle lanes, vectors of all widths, several heroes; of
 * each type the same elements. */
static void boxes(void) {
    static const struct {
        int rank, dims[5], perm[5];
    } cases[] = {
        {2, {20011, 3}, {1, 0}},
        {2, {3, 20011}, {1, 0}},
        {2, {1250, 24}, {1, 0}},
        {3, {1999, 3, 4}, {0, 2, 1}},
        {3, {5003, 3, 3}, {1, 0, 2}},
        {4, {3, 171, 11, 13}, {1, 3, 0, 2}},
        {5, {8, 7, 20, 6, 5}, {4, 2, 0, 3, 1}},
        {5, {2, 64, 3, 9, 12}, {2, 0, 3, 1, 4}},
        {3, {37, 31, 33}, {2, 1, 0}},
    };
    static const char *const types[] = {"s8", "s16", "s32", "f64", "c128"};
    size_t i, t;
    int k, form;
    for (i = 0; i < sizeof cases / sizeof *cases; i++)
        for (t = 0; t < sizeof types / sizeof *types; t++)
            for (form = 0; form < 2; form++) {
                char from[64], to[64], perm[32], what[160];
                int n = 0, m = 0, o = 0;
                for (k = 0; k < cases[i].rank; k++) {
                    n += snprintf(from + n, sizeof from - (size_t)n, "%s%d", k ? "," : "", cases[i].dims[k]);
                    m += snprintf(to + m, sizeof to - (size_t)m, "%s%d", k ? "," : "", cases[i].dims[cases[i].perm[k]]);
                    o += snprintf(perm + o, sizeof perm - (size_t)o, "%s%d", k ? "," : "", cases[i].perm[k]);
                }
                begin(NULL, NULL);
                put("ENTRY e { x = %s[%s] parameter(0) ", types[t], from);
                if (!form)
                    put("ROOT r = %s[%s] transpose(x), dimensions={%s} }\n", types[t], to, perm);
                else
                    put("y = s8[%s] parameter(1) u = %s[%s] transpose(x), dimensions={%s} v = s8[%s] transpose(y), "
                        "dimensions={%s} w = %s[%s] convert(v) q = %s[%s] add(u, w) ROOT r = (%s[%s], s8[%s]) tuple(q, "
                        "y) }\n",
                        from, types[t], to, perm, to, perm, types[t], to, types[t], to, types[t], to, from);
                snprintf(
                    what, sizeof what, "box {%s} of %s[%s]%s", perm, types[t], from, form ? " beside another" : "");
                same(what);
            }
}
/* The best k of rows, of types whose keys are made in different ways; s8 has many equal elements. */
static void selections(void) {
    static const char *const types[] = {"s32", "f32", "s8", "bf16", "u32", "f8e4m3fn"};
    static const long long lengths[] = {1, 2, 31, 33, 127, 129, 1009, 4095, 8191, 9001, 65537},
                           few[] = {1, 2, 7, 64, 100, 1000};
    size_t i, k, t = 0;
    for (i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (k = 0; k < sizeof few / sizeof *few; k++, t++) {
            const char *type = types[t % 6];
            char what[80];
            if (few[k] > lengths[i]) continue;
            begin(NULL, NULL);
            put("ENTRY e { x = %s[3,%lld] parameter(0) ROOT r = (%s[3,%lld], s32[3,%lld]) topk(x), k=%lld, largest=%s "
                "}\n",
                type, lengths[i], type, few[k], few[k], few[k], t % 5 ? "true" : "false");
            snprintf(what, sizeof what, "the best %lld of %s[%lld]", few[k], type, lengths[i]);
            same(what);
        }
}

/* ---- work ---- */

/* One kernel of at most `most` lane instructions for each of n elements. */
static void work(const char *what, double most, long long n) {
    xlagpu_kernel_stats s[8];
    char line[200];
    uint32_t kernels;
    job j;
    if (job_open(&j, what) && job_run(&j, what)) {
        kernels = xlagpu_rt_stats(j.p, s, 8);
        snprintf(line, sizeof line, "%s: %u kernels, %.1f lane instructions an element", what, kernels,
            (double)s[0].lane_instructions / (double)n);
        if (verbose) printf("%s\n", line);
        EXPECT_IN(kernels == 1 && s[0].launches == 1 && (double)s[0].lane_instructions <= most * (double)n, line);
    }
    job_close(&j);
}
static void costs(const char *what, uint32_t kernels, double lanes, double sectors, long long n);
/* Batch normalisation, the channels innermost or not: its last kernel reads what each channel has once for many
 * elements; the array is read for the mean, for the variance, and for that; for the first two at a time, where channels
 * have pieces of their own. */
static void batch_norms(void) {
    static const struct {
        const char *of;
        int channels, index;
        double lanes, sectors;
    } cases[] = {{"32,56,56,64", 64, 3, 12.5, 2.1}, {"32,64,56,56", 64, 1, 18, 1.55},
        {"16,28,28,128", 128, 3, 12.5, 2.15}, {"16,128,28,28", 128, 1, 25, 1.66}};
    char what[60];
    size_t i;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *s = cases[i].of;
        int c = cases[i].channels;
        begin(NULL, NULL);
        put("ENTRY e { x = f32[%s] parameter(0) g = f32[%d] parameter(1) b = f32[%d] parameter(2) ROOT t = (f32[%s], "
            "f32[%d], f32[%d]) batch-norm-training(x, g, b), epsilon=1e-5, feature_index=%d }\n",
            s, c, c, s, c, c, cases[i].index);
        snprintf(what, sizeof what, "batch norm of f32[%s]", s);
        costs(what, 5, cases[i].lanes, cases[i].sectors,
            cases[i].channels == 64 ? 32 * 56 * 56 * 64 : 16 * 28 * 28 * 128);
    }
}
/* What is read for each row and for each column of long rows, too, is read once for some of them. */
static void scaled_norms(void) {
    target = "sm_75";
    layer_norm("f32", 40, 70000, true);
    costs("layer norm of f32[40,70000] with scale and offset", 3, 19, 1.65, 40 * 70000);
    target = "sm_90a";
}
/* The largest of each row, and where it is, as JAX has it: its place is known when the code is made. */
static void argmaxes(void) {
    static const struct {
        int rows, columns;
        double lanes;
    } cases[] = {{65536, 10, 9}, {65536, 7, 9}, {20000, 33, 9.5}, {4096, 10, 11}, {128, 10, 10}};
    char what[60];
    size_t i;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        int r = cases[i].rows, c = cases[i].columns;
        begin(NULL, NULL);
        put("best { a = f32[] parameter(0) i = s32[] parameter(1) b = f32[] parameter(2) j = s32[] parameter(3) g = "
            "pred[] compare(a, b), direction=GT n = pred[] compare(a, a), direction=NE w = pred[] or(g, n) v = f32[] "
            "select(w, a, b) "
            "e = pred[] compare(a, b), direction=EQ l = pred[] compare(i, j), direction=LT f = pred[] and(e, l) o = "
            "pred[] or(w, f) k = s32[] select(o, i, j) ROOT t = (f32[], s32[]) tuple(v, k) }\n"
            "ENTRY e { x = f32[%d,%d] parameter(0) i = s32[%d,%d] iota(), iota_dimension=1 l = f32[] constant(-inf) z "
            "= s32[] constant(0) t = (f32[%d], s32[%d]) reduce(x, i, l, z), dimensions={1}, to_apply=best ROOT r = "
            "s32[%d] get-tuple-element(t), index=1 }\n",
            r, c, r, c, r, r, r);
        snprintf(what, sizeof what, "argmax of f32[%d,%d]", r, c);
        costs(what, 1, cases[i].lanes, 1.01, (long long)r * c);
        same(what);
    }
}
static void works(void) {
    int k;
    argmaxes();
    batch_norms();
    scaled_norms();
    begin(NULL, NULL);
    put("ENTRY e { x = f32[4,32000] parameter(0) ROOT r = (f32[4,8], s32[4,8]) topk(x), k=8, largest=true }\n");
    work("the best 8 of 32000", 13, 4 * 32000);
    begin(NULL, NULL);
    put("ENTRY e { x = bf16[2,50257] parameter(0) ROOT r = (bf16[2,64], s32[2,64]) topk(x), k=64, largest=true }\n");
    work("the best 64 of 50257", 24, 2 * 50257);
    begin("add", "f32");
    put("ENTRY e { x = f32[16,4095] parameter(0) z = f32[] constant(0) ROOT r = f32[16,3996] reduce-window(x, z), "
        "window={size=1x100}, to_apply=fold }\n");
    work("windows of 100", 42, 16 * 3996);
    begin("maximum", "f32");
    put("ENTRY e { x = f32[2,56,56,16] parameter(0) z = f32[] constant(-inf) ROOT r = f32[2,50,50,16] reduce-window(x, "
        "z), window={size=1x7x7x1}, to_apply=fold }\n");
    work("windows of 7x7", 45, 2 * 50 * 50 * 16);
    begin(NULL, NULL);
    put("less { a = f32[] parameter(0) b = f32[] parameter(1) z = f32[] constant(0) p = pred[] compare(a, z), "
        "direction=EQ q = pred[] compare(b, z), direction=EQ c = f32[] select(p, z, a) d = f32[] select(q, z, b) "
        "ROOT r = pred[] compare(c, d), direction=LT, type=TOTALORDER }\nENTRY e { x = f32[4,4096] parameter(0) ROOT r "
        "= f32[4,4096] sort(x), dimensions={1}, is_stable=true, to_apply=less }\n");
    work("sorted rows of 4096", 190, 4 * 4096);
    begin("add", "f32");
    put("more { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), direction=GE }\nENTRY e { "
        "x = f32[4,56,56,16] parameter(0) y = f32[4,28,28,16] parameter(1) s = s32[4,28,28,16] parameter(2) z = f32[] "
        "constant(0) "
        "ROOT r = f32[4,56,56,16] select-and-scatter(x, y, z, s), window={size=1x3x3x1 stride=1x2x2x1 "
        "pad=0_0x0_1x0_1x0_0}, select=more, scatter=fold }\n");
    work("scattered windows of 3x3", 24, 4 * 56 * 56 * 16);
    begin(NULL, NULL); /* boxes whose sides are no powers of two */
    put("ENTRY e { x = s8[9,37,67,17] parameter(0) ROOT r = s8[17,67,37,9] transpose(x), dimensions={3,2,1,0} }\n");
    work("an odd box of s8", 17, 9 * 37 * 67 * 17);
    begin(NULL, NULL);
    put("ENTRY e { x = pred[2,61,7,23,19] parameter(0) ROOT r = pred[19,7,23,61,2] transpose(x), "
        "dimensions={4,2,3,1,0} }\n");
    work("an odd box of pred", 10, 2 * 61 * 7 * 23 * 19);
    begin(NULL, NULL);
    put("ENTRY e { x = s16[381,11,3,11] parameter(0) ROOT r = s16[11,381,11,3] transpose(x), dimensions={1,0,3,2} }\n");
    work("an odd box of s16", 7, 381 * 11 * 3 * 11);
    begin_over("{}: (0, {}, may-alias)");
    put("ENTRY e { x = f32[512,256] parameter(0) u = f32[4,256] parameter(1) v = f32[8,16] parameter(2) i = s32[] "
        "parameter(3) j = s32[] parameter(4) "
        "a = f32[512,256] dynamic-update-slice(x, u, i, i) ROOT r = f32[512,256] dynamic-update-slice(a, v, j, j) }\n");
    work("two updates of one array", 60, 4 * 256 + 8 * 16);
    begin_over("{}: (0, {}, may-alias)");
    put("ENTRY e { k0 = bf16[8,2,256,8,64] parameter(0) p = s32[] parameter(1) z = s32[] constant(0) ");
    for (k = 0; k < 8; k++)
        put("n%d = bf16[2,4,512] parameter(%d) m%d = bf16[1,2,4,8,64] reshape(n%d) l%d = s32[] constant(%d) %sk%d = "
            "bf16[8,2,256,8,64] dynamic-update-slice(k%d, m%d, l%d, z, p, z, z) ",
            k, k + 2, k, k, k, k, k == 7 ? "ROOT " : "", k + 1, k, k, k);
    put("}\n");
    work("four tokens into the caches of eight layers", 32, 8 * 2 * 4 * 512);
    same("four tokens into the caches of eight layers");
    begin_over("{0}: (0, {}, may-alias), {1}: (1, {}, may-alias)");
    put("ENTRY e { k = f32[8,2,256,8,64] parameter(0) v = f32[8,2,256,8,64] parameter(1) m = f32[8,2,1,8,64] "
        "parameter(2) n = f32[8,2,1,8,64] parameter(3) p = s32[] parameter(4) z = s32[] constant(0) "
        "a = f32[8,2,256,8,64] dynamic-update-slice(k, m, z, z, p, z, z) b = f32[8,2,256,8,64] dynamic-update-slice(v, "
        "n, z, z, p, z, z) ROOT r = (f32[8,2,256,8,64], f32[8,2,256,8,64]) tuple(a, b) }\n");
    work("a token into two caches", 30, 2 * 8 * 2 * 512);
    same("a token into two caches");
    begin_over("{}: (0, {}, may-alias)");
    put("ENTRY e { x = f32[1024,1024] parameter(0) u = f32[300,1024] parameter(1) v = f32[200,512] parameter(2) w = "
        "f32[64,1024] parameter(3) i = s32[] parameter(4) j = s32[] parameter(5) z = s32[] constant(0) "
        "a = f32[1024,1024] dynamic-update-slice(x, u, i, z) b = f32[1024,1024] dynamic-update-slice(a, v, j, i) ROOT "
        "c = f32[1024,1024] dynamic-update-slice(b, w, j, z) }\n");
    work("three large updates of one array", 17, 300 * 1024 + 200 * 512 + 64 * 1024);
    same("three large updates of one array");
}

/* In at most so many kernels, with at most so many lane instructions for each of n elements, and so many times the
 * sectors that arguments and results hold. */
static void costs(const char *what, uint32_t kernels, double lanes, double sectors, long long n) {
    xlagpu_kernel_stats s[16];
    uint64_t l = 0, t = 0, launches = 0;
    char line[200];
    uint32_t k, m;
    job j;
    if (job_open(&j, what) && job_run(&j, what)) {
        m = xlagpu_rt_stats(j.p, s, 16);
        for (k = 0; k < m && k < 16; k++) {
            l += s[k].lane_instructions;
            t += s[k].sectors;
            launches += s[k].launches;
        }
        snprintf(line, sizeof line, "%s: %llu launches, %.1f lane instructions an element, %.2f times the sectors",
            what, (unsigned long long)launches, (double)l / (double)n, (double)t * 32 / (double)j.bytes);
        if (verbose) printf("%s\n", line);
        EXPECT_IN(m <= 16 && launches <= kernels && (double)l <= lanes * (double)n &&
                      (double)t * 32 <= sectors * (double)j.bytes,
            line);
    }
    job_close(&j);
}
/* A comparator as JAX has it: zeros made alike, in total order; and of numbers. */
static void compared(void) {
    begin(NULL, NULL);
    put("less { a = f32[] parameter(0) b = f32[] parameter(1) z = f32[] constant(0) p = pred[] compare(a, z), "
        "direction=EQ q = pred[] compare(b, z), direction=EQ c = f32[] select(p, z, a) d = f32[] select(q, z, b) "
        "ROOT r = pred[] compare(c, d), direction=LT, type=TOTALORDER }\n"
        "pair { a = s32[] parameter(0) b = s32[] parameter(1) x = f32[] parameter(2) y = f32[] parameter(3) ROOT r = "
        "pred[] compare(a, b), direction=LT }\n"
        "two { a = s32[] parameter(0) b = s32[] parameter(1) x = f32[] parameter(2) y = f32[] parameter(3) l = pred[] "
        "compare(a, b), direction=LT e = pred[] compare(a, b), direction=EQ g = pred[] compare(x, y), direction=LT, "
        "type=TOTALORDER f = pred[] and(e, g) ROOT r = pred[] or(l, f) }\n"
        "byte { a = bf16[] parameter(0) b = bf16[] parameter(1) ROOT r = pred[] compare(a, b), direction=LT, "
        "type=TOTALORDER }\nENTRY e { ");
}
/* Sorts: one kernel for a row that fits, and one more for each time that runs grow twice as long, each of which reads
 * and writes everything once. */
static void sorted(void) {
    compared();
    put("x = f32[64,1024] parameter(0) ROOT r = f32[64,1024] sort(x), dimensions={1}, is_stable=true, to_apply=less "
        "}\n");
    costs("sorted rows of 1024", 1, 145, 1.0, 64 * 1024);
    compared();
    put("x = s32[16,4096] parameter(0) y = f32[16,4096] parameter(1) ROOT r = (s32[16,4096], f32[16,4096]) sort(x, y), "
        "dimensions={1}, is_stable=true, to_apply=pair }\n");
    costs("sorted pairs, rows of 4096", 1, 185, 1.0, 16 * 4096);
    compared();
    put("x = s32[64,1000] parameter(0) y = f32[64,1000] parameter(1) ROOT r = (s32[64,1000], f32[64,1000]) sort(x, y), "
        "dimensions={1}, is_stable=true, to_apply=two }\n");
    costs("sorted by two keys, rows of 1000", 1, 395, 1.01, 64 * 1000);
    compared();
    put("x = f32[1024,64] parameter(0) ROOT r = f32[1024,64] sort(x), dimensions={0}, is_stable=true, to_apply=less "
        "}\n");
    costs("sorted columns of 1024", 1, 160, 2.0, 64 * 1024);
    compared();
    put("x = f32[2000,100] parameter(0) ROOT r = f32[2000,100] sort(x), dimensions={1}, is_stable=true, to_apply=less "
        "}\n");
    costs("sorted rows of 100", 1, 112, 1.35, 2000 * 100);
    compared();
    put("x = f32[4096,16] parameter(0) ROOT r = f32[4096,16] sort(x), dimensions={1}, is_stable=true, to_apply=less "
        "}\n");
    costs("sorted rows of 16", 1, 45, 1.0, 4096 * 16);
    compared();
    put("x = s32[4096,8] parameter(0) y = f32[4096,8] parameter(1) ROOT r = (s32[4096,8], f32[4096,8]) sort(x, y), "
        "dimensions={1}, is_stable=true, to_apply=pair }\n");
    costs("sorted pairs, rows of 8", 1, 30, 2.0, 4096 * 8);
    compared();
    put("x = bf16[1000,24] parameter(0) ROOT r = bf16[1000,24] sort(x), dimensions={1}, to_apply=byte }\n");
    costs("sorted bf16, rows of 24", 1, 70, 1.01, 1000 * 24);
    compared();
    put("x = bf16[8,8192] parameter(0) ROOT r = bf16[8,8192] sort(x), dimensions={1}, to_apply=byte }\n");
    costs("sorted bf16, rows of 8192", 1, 185, 1.0, 8 * 8192);
    compared();
    put("x = f32[65536] parameter(0) ROOT r = f32[65536] sort(x), dimensions={0}, is_stable=true, to_apply=less }\n");
    costs("sorted row of 65536", 5, 440, 5.6, 65536);
    compared();
    put("x = s32[100003] parameter(0) y = f32[100003] parameter(1) ROOT r = (s32[100003], f32[100003]) sort(x, y), "
        "dimensions={0}, is_stable=true, to_apply=pair }\n");
    costs("sorted pairs, row of 100003", 6, 540, 6.7, 100003);
}
/* Windows along the innermost dimension: each element is read once. */
static void windowed(void) {
    begin("add", "f32");
    put("ENTRY e { x = f32[64,4096] parameter(0) z = f32[] constant(0) ROOT r = f32[64,4096] reduce-window(x, z), "
        "window={size=1x17 pad=0_0x8_8}, to_apply=fold }\n");
    costs("windows of 17 along rows", 1, 22, 1.03, 64 * 4096);
    begin("add", "f32");
    put("ENTRY e { x = f32[131072] parameter(0) z = f32[] constant(0) ROOT r = f32[130973] reduce-window(x, z), "
        "window={size=100}, to_apply=fold }\n");
    costs("windows of 100 along a row", 1, 35, 1.04, 130973);
    begin("maximum", "f32");
    put("best { a = f32[] parameter(0) i = s32[] parameter(1) b = f32[] parameter(2) j = s32[] parameter(3) c = pred[] "
        "compare(a, b), direction=GE x = f32[] select(c, a, b) y = s32[] select(c, i, j) ROOT r = (f32[], s32[]) "
        "tuple(x, y) }\n"
        "ENTRY e { x = f32[256,512] parameter(0) i = s32[256,512] parameter(1) z = f32[] constant(-inf) w = s32[] "
        "constant(0) ROOT r = (f32[256,512], s32[256,512]) reduce-window(x, i, z, w), window={size=1x5 pad=0_0x2_2}, "
        "to_apply=best }\n");
    costs("the best of 5 and its place", 1, 46, 1.2, 256 * 512);
    begin("add", "s32");
    put("ENTRY e { x = f32[64,512] parameter(0) z = f32[] constant(0) b = f32[64,512] broadcast(z), dimensions={} p = "
        "pred[64,512] compare(x, b), direction=GT i = s32[64,512] convert(p) n = s32[] constant(0)\n"
        "w = s32[64,512] reduce-window(i, n), window={size=1x512 pad=0_0x511_0}, to_apply=fold o = s32[] constant(1) c "
        "= s32[64,512] broadcast(o), dimensions={} ROOT r = s32[64,512] subtract(w, c) }\n");
    costs("running counts less one", 1, 20, 1.01, 64 * 512);
    begin("add", "f32");
    put("linear { a = f32[] parameter(0) x = f32[] parameter(1) p = pred[] parameter(2) b = f32[] parameter(3) y = "
        "f32[] parameter(4) q = pred[] parameter(5) c = f32[] multiply(a, b) d = f32[] select(p, c, b) e = f32[] "
        "select(q, d, a)\n"
        "m = f32[] multiply(b, x) s = f32[] add(m, y) t = f32[] select(p, s, y) u = f32[] select(q, t, x) o = pred[] "
        "or(p, q) ROOT r = (f32[], f32[], pred[]) tuple(e, u, o) }\n"
        "ENTRY e { x = f32[64,1024] parameter(0) y = f32[64,1024] parameter(1) k = pred[] constant(true) z = f32[] "
        "constant(0) n = pred[] constant(false) t = pred[64,1024] broadcast(k), dimensions={}\n"
        "w = (f32[64,1024], f32[64,1024], pred[64,1024]) reduce-window(x, y, t, z, z, n), window={size=1x1024 "
        "pad=0_0x1023_0}, to_apply=linear ROOT r = f32[64,1024] get-tuple-element(w), index=1 }\n");
    costs("linear recurrences, a neutral element adjoined", 1, 48, 1.01, 64 * 1024);
}

/* Short rows: the last block has a part of its rows; a reducer of two values, two reducers at once, something in front
 * and behind, kept dimensions of any order. */
static void short_rows(void) {
    static const char *const bodies[] = {
        "x = s32[N,C] parameter(0) z = s32[] constant(3) ROOT r = s32[N] reduce(x, z), dimensions={1}, to_apply=fold",
        "x = s32[N,C] parameter(0) i = s32[N,C] iota(), iota_dimension=1 z = s32[] constant(-9) w = s32[] constant(0) "
        "ROOT r = (s32[N], s32[N]) reduce(x, i, z, w), dimensions={1}, to_apply=best",
        "x = s32[N,C] parameter(0) y = s32[C] parameter(1) b = s32[N,C] broadcast(y), dimensions={1} m = s32[N,C] "
        "multiply(x, b) z = s32[] constant(0) s = s32[N] reduce(m, z), dimensions={1}, to_apply=fold"
        " t = s32[N] reduce(x, z), dimensions={1}, to_apply=most ROOT r = s32[N] subtract(s, t)",
        "x = s32[7,N,C]{2,0,1} parameter(0) z = s32[] constant(1) s = s32[7,N] reduce(x, z), dimensions={2}, "
        "to_apply=fold ROOT r = s32[7,N] negate(s)",
        "x = f64[N,C] parameter(0) z = f64[] constant(0) ROOT r = f64[N] reduce(x, z), dimensions={1}, "
        "to_apply=largest",
        "x = s16[N,C] parameter(0) y = s32[N,C] convert(x) z = s32[] constant(0) ROOT r = s32[N] reduce(y, z), "
        "dimensions={1}, to_apply=fold",
        "x = s8[N,C] parameter(0) z = s8[] constant(3) ROOT r = s8[N] reduce(x, z), dimensions={1}, to_apply=bytes",
        "x = s8[N,C] parameter(0) c = s8[] constant(40) b = s8[N,C] broadcast(c), dimensions={} p = pred[N,C] "
        "compare(x, b), direction=GT z = pred[] constant(false) ROOT r = pred[N] reduce(p, z), dimensions={1}, "
        "to_apply=odd",
    };
    static const int lengths[] = {3, 7, 9, 10, 12, 31, 33, 53, 68, 129, 301, 500}, rows[] = {513, 5003, 20000};
    size_t i, k, n;
    for (n = 0; n < sizeof rows / sizeof *rows; n++)
        for (k = 0; k < sizeof lengths / sizeof *lengths; k++)
            for (i = 0; i < sizeof bodies / sizeof *bodies; i++) {
                char what[80];
                if (rows[n] > 10000 ? k > 2 : rows[n] > 1000 && k > 8) continue;
                begin("add", "s32");
                put("most { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] maximum(a, b) }\nlargest { a "
                    "= f64[] parameter(0) b = f64[] parameter(1) ROOT r = f64[] maximum(a, b) }\n"
                    "bytes { a = s8[] parameter(0) b = s8[] parameter(1) ROOT r = s8[] add(a, b) }\nodd { a = pred[] "
                    "parameter(0) b = pred[] parameter(1) ROOT r = pred[] xor(a, b) }\n"
                    "best { a = s32[] parameter(0) i = s32[] parameter(1) b = s32[] parameter(2) j = s32[] "
                    "parameter(3) g = pred[] compare(a, b), direction=GT e = pred[] compare(a, b), direction=EQ l = "
                    "pred[] compare(i, j), direction=LE f = pred[] and(e, l) h = pred[] or(g, f) v = s32[] select(h, "
                    "a, b) w = s32[] select(h, i, j) ROOT r = (s32[], s32[]) tuple(v, w) }\nENTRY e { ");
                put_rows(bodies[i], rows[n], lengths[k]);
                snprintf(what, sizeof what, "short rows %d of %d by %d", (int)i, rows[n], lengths[k]);
                same(what);
            }
}
/* Row programs whose rows begin inside of a sector: through shared memory, with what all rows read in it, too. */
static void row_tiles(void) {
    static const char *const bodies[] = {
        "x = s32[N,C] parameter(0) s = s32[N] reduce(x, z), dimensions={1}, to_apply=fold b = s32[N,C] broadcast(s), "
        "dimensions={0} ROOT r = s32[N,C] subtract(x, b)",
        "x = s32[N,C] parameter(0) y = s8[N,C] parameter(1) k = s32[N,C] convert(y) p = s32[N,C] multiply(x, k) m = "
        "s32[N] reduce(p, z), dimensions={1}, to_apply=most b = s32[N,C] broadcast(m), dimensions={0} d = s32[N,C] "
        "subtract(x, b)"
        " t = s32[N] reduce(d, z), dimensions={1}, to_apply=fold u = s32[N,C] broadcast(t), dimensions={0} o = "
        "s32[N,C] xor(k, u) q = s8[N,C] convert(o) ROOT r = (s32[N,C], s8[N,C], s32[N]) tuple(d, q, t)",
        "x = s32[N,C] parameter(0) g = s32[C] parameter(1) v = s32[N] parameter(2) vb = s32[N,C] broadcast(v), "
        "dimensions={0} i = s32[N,C] iota(), iota_dimension=1 e = pred[N,C] compare(i, vb), direction=LT"
        " zb = s32[N,C] broadcast(z), dimensions={} p = s32[N,C] select(e, x, zb) s = s32[N] reduce(p, z), "
        "dimensions={1}, to_apply=fold b = s32[N,C] broadcast(s), dimensions={0} gb = s32[N,C] broadcast(g), "
        "dimensions={1}"
        " d = s32[N,C] multiply(p, gb) w = s32[N,C] add(d, b) h = s16[N,C] convert(w) ROOT r = s16[N,C] negate(h)",
        "y = s8[3,N,C] parameter(0) c = s8[] constant(40) cb = s8[3,N,C] broadcast(c), dimensions={} x = pred[3,N,C] "
        "compare(y, cb), direction=GT w = s32[3,N,C] convert(x) s = s32[3,N] reduce(w, z), dimensions={2}, "
        "to_apply=fold"
        " b = s32[3,N,C] broadcast(s), dimensions={0,1} n = s32[3,N,C] negate(b) ROOT r = s32[3,N,C] select(x, b, n)",
    };
    static const int lengths[] = {3, 7, 10, 12, 33, 50, 100, 129, 257, 300}, rows[] = {611, 2503, 5000};
    size_t i, k, n;
    for (n = 0; n < sizeof rows / sizeof *rows; n++)
        for (k = 0; k < sizeof lengths / sizeof *lengths; k++)
            for (i = 0; i < sizeof bodies / sizeof *bodies; i++) {
                char what[80];
                if (rows[n] > 1000 && lengths[k] > 50) continue;
                begin("add", "s32");
                put("most { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] maximum(a, b) }\nENTRY e { z "
                    "= s32[] constant(0) ");
                put_rows(bodies[i], rows[n], lengths[k]);
                snprintf(what, sizeof what, "row tiles %d of %d by %d", (int)i, rows[n], lengths[k]);
                same(what);
            }
}
/* Rank 0 to 8, every dimension a prime or 1: reversed, rotated, reduced over every other dimension. */
static void ranks(void) {
    static const int primes[] = {3, 7, 2, 5, 1, 3, 2, 11};
    int rank, k, form;
    for (rank = 0; rank <= 8; rank++)
        for (form = 0; form < 3; form++) {
            char what[40];
            if (form == 2 && !rank) continue;
            begin("add", "s32");
            put("ENTRY e { x = s32[");
            for (k = 0; k < rank; k++) put("%s%d", k ? "," : "", primes[k]);
            put("] parameter(0) z = s32[] constant(5) ROOT r = s32[");
            if (form < 2)
                for (k = 0; k < rank; k++) put("%s%d", k ? "," : "", primes[form ? (k + 1) % rank : rank - 1 - k]);
            else
                for (k = 1; k < rank; k += 2) put("%s%d", k > 1 ? "," : "", primes[k]);
            put(form < 2 ? "] transpose(x), dimensions={" : "] reduce(x, z), dimensions={");
            if (form < 2)
                for (k = 0; k < rank; k++) put("%s%d", k ? "," : "", form ? (k + 1) % rank : rank - 1 - k);
            else
                for (k = 0; k < rank; k += 2) put("%s%d", k ? "," : "", k);
            put("}%s }\n", form == 2 ? ", to_apply=fold" : "");
            snprintf(what, sizeof what, "rank %d, form %d", rank, form);
            same(what);
        }
}

/* ---- more than 2^31 elements ---- */

/* Elements of arrays that nobody makes as a whole: s64 results, each the number that element [row, column] of f(iota)
 * has. */
static void far_elements(const char *body, int64_t rows, int64_t columns, int64_t (*want)(int64_t row, int64_t column),
    int64_t first_row, int64_t first_column) {
    int64_t k, bad = 0;
    job j;
    begin(NULL, NULL);
    put("ENTRY e { %s ROOT r = s64[%lld,%lld] slice(y), slice={[%lld:%lld], [%lld:%lld]} }\n", body, (long long)rows,
        (long long)columns, (long long)first_row, (long long)(first_row + rows), (long long)first_column,
        (long long)(first_column + columns));
    if (job_open(&j, body) && job_run(&j, body)) {
        for (k = 0; k < rows * columns; k++)
            bad += ((int64_t *)j.out[0].data)[k] != want(first_row + k / columns, first_column + k % columns);
        EXPECT_IN(!bad, body);
    }
    job_close(&j);
}
static int64_t want_flat(int64_t row, int64_t column) { return row * 60000 + column; }
static int64_t want_turned(int64_t row, int64_t column) { return column * 60000 + row; }
static int64_t want_reversed(int64_t row, int64_t column) { return (49999 - row) * 60000 + 59999 - column; }
static int64_t want_padded(int64_t row, int64_t column) { return column < 7 ? -1 : row * 60000 + column - 7; }
static void far_arrays(void) {
    far_elements(
        "i = s64[3000000000] iota(), iota_dimension=0 y = s64[50000,60000] reshape(i)", 9, 70, want_flat, 49990, 59000);
    far_elements("i = s64[3000000000] iota(), iota_dimension=0 m = s64[50000,60000] reshape(i) y = s64[60000,50000] "
                 "transpose(m), dimensions={1,0}",
        70, 9, want_turned, 59000, 49990);
    far_elements("i = s64[3000000000] iota(), iota_dimension=0 m = s64[50000,60000] reshape(i) y = s64[50000,60000] "
                 "reverse(m), dimensions={0,1}",
        9, 70, want_reversed, 3, 5);
    far_elements("i = s64[3000000000] iota(), iota_dimension=0 m = s64[50000,60000] reshape(i) c = s64[] constant(-1) "
                 "y = s64[50000,60007] pad(m, c), padding=0_0x7_0",
        9, 70, want_padded, 49990, 0);
}
static void large(void) {
    static const char *const whole[] = {
        "ROOT r = s8[50000,60000] add(x, x)",
        "ROOT r = s8[60000,50000] transpose(x), dimensions={1,0}",
        "ROOT r = s8[50000,60000] reverse(x), dimensions={0,1}",
        "ROOT r = s8[50000] reduce(x, z), dimensions={1}, to_apply=fold",
        "ROOT r = s8[60000] reduce(x, z), dimensions={0}, to_apply=fold",
        "ROOT r = s8[100000,60000] concatenate(x, x), dimensions={0}",
        "ROOT r = s8[50001,60003] pad(x, z), padding=0_1x2_1",
        "ROOT r = s8[49000,59000] slice(x), slice={[1000:50000], [1000:60000]}",
        "ROOT r = s8[50000,60000] reduce-window(x, z), window={size=1x60000 pad=0_0x59999_0}, to_apply=fold",
        "y = s8[25000,60000] parameter(1) i = s32[] parameter(2) ROOT r = s8[50000,60000] dynamic-update-slice(x, y, "
        "i, i)",
        "i = s32[] parameter(1) ROOT r = s8[40000,60000] dynamic-slice(x, i, i), dynamic_slice_sizes={40000,60000}",
        "i = s32[45000] parameter(1) ROOT r = s8[45000,60000] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, "
        "start_index_map={0}, index_vector_dim=1, slice_sizes={1,60000}",
        "i = s32[45000,1] parameter(1) u = s8[45000,60000] parameter(2) ROOT r = s8[50000,60000] scatter(x, i, u), "
        "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
        "to_apply=fold",
        "ROOT r = s8[50000,60000] sort(x), dimensions={1}, to_apply=less",
        "ROOT r = s8[50000,60000] sort(x), dimensions={0}, to_apply=less",
        "ROOT r = (s8[50000,10], s32[50000,10]) topk(x), k=10, largest=true",
        "ROOT r = s8[50000,60000]{0,1} copy(x)",
        "k = u64[2] parameter(1) ROOT r = (u64[2], u8[50000,60000]) rng-bit-generator(k), algorithm=rng_three_fry",
        "v = s8[60000] parameter(1) ROOT r = s8[50000,60000] broadcast(v), dimensions={1}",
        "i = s32[50000,60000] iota(), iota_dimension=1 w = s32[] constant(0) ROOT r = (s8[50000], s32[50000]) "
        "reduce(x, i, z, w), dimensions={1}, to_apply=best",
        "i = s32[50000,60000] iota(), iota_dimension=0 w = s32[] constant(0) ROOT r = (s8[60000], s32[60000]) "
        "reduce(x, i, z, w), dimensions={0}, to_apply=best",
        "a = s8[50000] reduce(x, z), dimensions={1}, to_apply=fold b = s8[50000,60000] multiply(x, x) ROOT r = "
        "(s8[50000], s8[50000,60000]) tuple(a, b)",
        "a = s8[40000,60000] slice(x), slice={[0:40000], [0:60000]} b = s8[50000,1] slice(x), slice={[0:50000], [7:8]} "
        "ROOT r = (s8[40000,60000], s8[50000,1]) tuple(a, b)",
        "y = s8[25000,30000] parameter(1) ROOT r = s8[50000,60000] select-and-scatter(x, y, z), window={size=2x2 "
        "stride=2x2}, select=more, scatter=fold",
        "c = s8[50000] parameter(1) ROOT r = (s8[50000,60000], s8[50000]) scan(x, c), dimensions={1}, num_carries=1, "
        "to_apply=step",
    };
    size_t k;
    far_arrays();
    for (k = 0; k < sizeof whole / sizeof *whole; k++) {
        xlagpu_context *c = xlagpu_create(NULL);
        xlagpu_compile_desc d;
        xlagpu_module *m;
        memset(&d, 0, sizeof d);
        d.target.name = "sm_90a";
        begin("add", "s8");
        put("less { a = s8[] parameter(0) b = s8[] parameter(1) ROOT r = pred[] compare(a, b), direction=LT }\nmore { "
            "a = s8[] parameter(0) b = s8[] parameter(1) ROOT r = pred[] compare(a, b), direction=GE }\n"
            "best { a = s8[] parameter(0) i = s32[] parameter(1) b = s8[] parameter(2) j = s32[] parameter(3) c = "
            "pred[] compare(a, b), direction=GT d = s8[] select(c, a, b) e = s32[] select(c, i, j) ROOT r = (s8[], "
            "s32[]) tuple(d, e) }\n"
            "step { a = s8[50000] parameter(0) b = s8[50000] parameter(1) s = s8[50000] add(a, b) ROOT r = (s8[50000], "
            "s8[50000]) tuple(s, s) }\n"
            "ENTRY e { x = s8[50000,60000] parameter(0) z = s8[] constant(0) %s }\n",
            whole[k]);
        m = xlagpu_parse(c, "large", src.p, src.n);
        if (m && xlagpu_compile(m, &d).data)
            passed++;
        else
            (void)broken(whole[k], xlagpu_error(c));
        xlagpu_destroy(c);
    }
}

/* ---- diamonds ---- */

/* Each step reads the one before it at two places, so that 2^steps paths lead to the first; fused: all of it is one
 * kernel. The bytes of PTX, 0 when it fails. */
static uint64_t diamonds(int steps, bool fused) {
    xlagpu_context *c = xlagpu_create(NULL);
    xlagpu_compile_desc d;
    xlagpu_report report;
    xlagpu_module *m;
    int k;
    memset(&d, 0, sizeof d);
    memset(&report, 0, sizeof report);
    d.target.name = "sm_90a";
    begin(NULL, NULL);
    put("%s {\n  v0 = f32[64,64] parameter(0)\n", fused ? "f" : "ENTRY e");
    for (k = 1; k <= steps; k++) {
        put("  t%d = f32[64,64] transpose(v%d), dimensions={1,0}\n  c%d = f32[] constant(%d.5)\n  b%d = f32[64,64] "
            "broadcast(c%d), dimensions={}\n",
            k, k - 1, k, k, k, k);
        put("  w%d = f32[64,64] multiply(v%d, b%d)\n  %sv%d = f32[64,64] add(t%d, w%d)\n", k, k - 1, k,
            k == steps ? "ROOT " : "", k, k, k);
    }
    put("}\n");
    if (fused) put("ENTRY e { x = f32[64,64] parameter(0) ROOT r = f32[64,64] fusion(x), kind=kLoop, calls=f }\n");
    m = xlagpu_parse(c, "diamonds", src.p, src.n);
    if (!m || !xlagpu_compile(m, &d).data || !xlagpu_compile_report(m, &report))
        (void)broken("diamonds", xlagpu_error(c));
    xlagpu_destroy(c);
    return report.ptx_bytes;
}

/* Transposes and columns of all widths. */
static void moves(void) {
    traffic_of("s8", 1);
    traffic_of("bf16", 2);
    traffic_of("f32", 4);
    traffic_of("f64", 8);
    traffic_narrow("s8", 1);
    traffic_narrow("bf16", 2);
    traffic_narrow("f32", 4);
    traffic_narrow("f64", 8);
    traffic_skewed();
    traffic_skewed_columns("s32", 4);
    traffic_skewed_columns("f64", 8);
    traffic_skewed_columns("bf16", 2);
}
/* What has a result to compare. Predictions, counts and what is only compiled are the same everywhere. */
static int on_device(void) {
    device = platform_open(0);
    target = platform.target;
    moves();
    traffic_bias("f32", 513, 1023);
    traffic_bias("bf16", 4096, 768);
    traffic_bias("f64", 513, 511);
    traffic_moves("pred", 1);
    traffic_moves("s8", 1);
    traffic_moves("bf16", 2);
    traffic_moves("f32", 4);
    traffic_moves("f64", 8);
    traffic_long_rows(target, 1, 1000000, 1.03);
    sizes();
    selections();
    argmaxes();
    sorted();
    windowed();
    ranks();
    boxes();
    short_rows();
    row_tiles();
    far_arrays();
    platform_close();
    return finish();
}

int main(int argc, char **argv) {
    uint64_t ten, thirty;
    int fused, k;
    for (k = 1; k < argc; k++) {
        if (platform_flag(argc, argv, &k)) continue;
        verbose = verbose || strcmp(argv[k], "--verbose") == 0;
        whole = whole || strcmp(argv[k], "--whole") == 0;
    }
    if (platform.on_device) return on_device();
    device = platform_open(0);
    moves();
    traffic_two_turns("s8");
    traffic_two_turns("bf16");
    traffic_two_turns("f32");
    traffic_short_rows("f32", 4);
    traffic_short_rows("bf16", 2);
    traffic_moves("pred", 1);
    traffic_moves("s8", 1);
    traffic_moves("bf16", 2);
    traffic_moves("f32", 4);
    traffic_moves("f64", 8);
    traffic_rows("f32", 2048, 256);
    traffic_rows("s32", 256, 2048);
    traffic_rows("bf16", 1024, 1024);
    traffic_rows("f64", 200, 1600);
    traffic_row_programs("f32", 1024, 256);
    traffic_row_programs("f32", 64, 8192);
    traffic_row_programs("bf16", 512, 1024);
    traffic_row_programs("f32", 30000, 17);
    traffic_row_programs("f32", 2048, 257);
    traffic_row_programs("bf16", 4100, 129);
    traffic_row_programs("bf16", 20002, 50);
    traffic_row_programs("f64", 20001, 33);
    traffic_row_programs("f32", 131, 2001); /* too long for a tile of whole sectors */
    traffic_row_programs("bf16", 105, 5003);
    traffic_row_programs("f64", 27, 5003);
    traffic_row_programs("f32", 27, 10007);
    traffic_row_programs("f32", 9, 30011); /* too long for registers */
    traffic_row_programs("f32", 8, 40000);
    traffic_row_programs("f32", 7, 50257);
    traffic_row_programs("bf16", 11, 50257);
    traffic_row_programs("f32", 3, 100000); /* too long for a block's shared memory */
    traffic_row_programs("f32", 1, 400001);
    traffic_long_rows("sm_75", 1, 400001, 1.03); /* too long for a cluster's, or there are no clusters */
    traffic_long_rows("sm_75", 3, 200002, 1.12); /* rows begin anywhere */
    traffic_long_rows("sm_90a", 1, 1000000, 1.03);
    traffic_norms("f32", "f32", 4096, 256);
    traffic_norms("f32", "bf16", 4096, 1024);
    traffic_norms("bf16", "f32", 8200, 768);
    traffic_norms("bf16", "bf16", 8200, 256);
    traffic_norms("f32", "f32", 4200, 1027);
    traffic_norms("f32", "bf16", 1800, 12003); /* vectors of more than 40 KiB */
    traffic_bias("f32", 4096, 1024);
    traffic_bias("bf16", 4096, 768);
    traffic_bias("s8", 8192, 768);
    traffic_bias("f32", 8192, 48);
    traffic_bias("f32", 513, 1023); /* nothing but the rows of a sector's elements ends at one */
    traffic_bias("bf16", 1025, 1023);
    traffic_bias("s8", 2049, 1023);
    traffic_bias("f64", 513, 511);
    traffic_bias("f32", 30001, 17);
    traffic_bias("f32", 300, 8192);
    traffic_recurrence("f32", 1000, 264);
    traffic_recurrence("f64", 60, 4096);
    traffic_recurrence("bf16", 1001, 256);
    traffic_recurrence("c64", 37, 1024);
    traffic_recurrence("s8", 64, 4096);
    traffic_recurrence("u32", 34, 1000);
    traffic_pieces();
    predicted_times();
    sizes();
    selections();
    works();
    sorted();
    windowed();
    ranks();
    boxes();
    short_rows();
    row_tiles();
    large();
    for (fused = 0; fused < 2; fused++) {
        ten = diamonds(10, fused != 0);
        thirty = diamonds(30, fused != 0);
        if (verbose)
            printf("diamonds: %llu bytes of PTX for 10 steps, %llu for 30\n", (unsigned long long)ten,
                (unsigned long long)thirty);
        EXPECT(thirty && thirty <= 4 * ten);
    }
    platform_close();
    return finish();
}
