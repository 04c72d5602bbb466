/* tests/programs/medleys.c -- random modules of everything (tests/programs/medley.h): evaluated, compiled, run on the
 * simulator with all its checks, compared; with all passes, and with some off.
 *
 *     medleys [--n COUNT] [--seed FIRST] [--most ELEMENTS] [--without PASSES] [--smaller] [--print] [--verbose],
 *     and the flags of platform.h
 *
 * --most: no array has many more elements. --without: these passes are off, instead of a half of the optional ones,
 * drawn by chance. --smaller: a module that fails is made smaller step by step, and printed. --print: only prints the
 * modules. A module's number is its seed. In 300 of them every opcode comes up, but for those that `left_out` explains.
 * Ends with "N passed, N failed". */
#define XLAGPU_DEBUG /* modules are verified after each pass */
#include "../../src/xlagpu.h"
#include "../../src/xlagpu_runtime.h"
#include "expect.h"
#include "platform.h"
#include "medley.h"

enum {
    MANY = 300 /* modules, in which every opcode comes up */
};
/* Each of these has cases of its own, in tests/programs/coverage.c and in the text tests. */
static const struct {
    const char *why, *opcodes;
} left_out[] = {{"not exact, and no function of one element", " fft cholesky triangular-solve batch-norm-grad "},
    {"sizes that are known when it runs", " dynamic-reshape set-dimension-size ragged-dot "},
    {"remembers", " rng rng-get-and-update-state "}, {"types of its own", " scaled-dot "},
    {"somebody else's", " custom-call domain "},
    {"several devices, or the host",
        " after-all add-dependency all-reduce all-reduce-start all-reduce-done reduce-scatter all-gather "
        "all-gather-start all-gather-done all-to-all ragged-all-to-all collective-broadcast "
        "collective-permute collective-permute-start collective-permute-done async-start async-update async-done "
        "copy-start copy-done send send-done recv recv-done infeed outfeed "}};

typedef struct bench {
    const char *without;
    const char *why;
    char passes[3000], message[400];
    unsigned char *data[PARAMS], *want[RESULTS], *got[RESULTS];
} bench;

/* The numbers of an argument: small and whole; now and then, for integers, any. */
static void fill(const value *v, unsigned char *p, size_t bytes) {
    int64_t n = elements(v), k, x;
    int size = xg_type_bytes(v->t), bits = xg_type_bits(v->t), parts = is(v->t, XGT_C) ? 2 : 1, j;
    bool is_signed = !is_unsigned(v->t);
    memset(p, 0, bytes);
    for (k = 0; k < n; k++) {
        for (j = 0; j < parts; j++) {
            uint64_t r = mixed(v->id + (uint64_t)(k * parts + j)), wide;
            if (is(v->t, XGT_F | XGT_C)) {
                xg_float_store(xg_type_real(v->t), p + k * size + j * (size / parts), (double)((int64_t)(r % 9) - 4));
                continue;
            }
            if (v->limit)
                x = (int64_t)(r % (uint64_t)(v->limit + 4)) - 2 * is_signed;
            else if (v->t == XLAGPU_PRED)
                x = (int64_t)(r & 1);
            else if (bits <= 4)
                x = (int64_t)(r >> 20 & ((1u << bits) - 1)) - (is_signed ? 1 << (bits - 1) : 0);
            else if (r % 20 == 0)
                x = (int64_t)(r << 1);
            else
                x = (int64_t)(r % 41) - 20 * is_signed;
            wide = (uint64_t)x;
            memcpy(p + k * size, &wide, (size_t)size); /* little-endian, as every host that this runs on */
        }
    }
}
/* Equal; rough ones within 32 roundings of the larger, or of 1. */
static bool agree(const value *v, const unsigned char *want, const unsigned char *got, size_t bytes) {
    xlagpu_type real = xg_type_real(v->t);
    size_t size = (size_t)xg_type_bytes(real), k;
    double eps;
    if (is(v->t, XGT_I | XGT_P)) return memcmp(want, got, bytes) == 0;
    eps = ldexp(1.0, -xg_float_format_of(real)->mantissa_bits);
    for (k = 0; k < bytes / size; k++) {
        double x = xg_float_load(real, want + k * size), y = xg_float_load(real, got + k * size);
        if (x == y || (x != x && y != y) || (v->rough && fabs(x - y) <= 32 * eps * (fabs(x) > 1 ? fabs(x) : 1)))
            continue;
        return false;
    }
    return true;
}
/* Each optional pass with a probability of one half; drawn anew for each module, and the same when it is made
 * smaller. */
static const char *some_passes(bench *b, uint64_t seed) {
    const char *name;
    size_t n = 0;
    uint32_t k;
    b->passes[0] = 0;
    for (k = 0; (name = xg_driver_pass_name(k)) != NULL; k++)
        if (!xg_driver_pass_is_required(name) && mixed(seed * 1000 + k) >> 40 & 1)
            n += xg_format(b->passes + n, sizeof b->passes - n, "%s%s", n ? "," : "", name);
    return b->passes;
}
static bool fails(bench *b, const char *why) {
    b->why = why;
    return false;
}
static unsigned char *room(size_t bytes) {
    unsigned char *p = (unsigned char *)malloc(bytes + 1);
    if (!p) exit(2);
    return p;
}

static bool runs(bench *b, medley *g, xlagpu_context *x, xlagpu_module *m, const char *without) {
    xlagpu_rt_tensor rin[PARAMS], rout[RESULTS];
    xlagpu_value_info v;
    xlagpu_compile_desc d;
    xlagpu_bytes exe;
    xlagpu_program *p;
    int k;
    bool good = true;
    memset(&d, 0, sizeof d);
    d.target.name = platform.target;
    d.disable_passes = without;
    exe = xlagpu_compile(m, &d);
    if (!exe.data) {
        xg_format(b->message, sizeof b->message, "compile: %s", xlagpu_error(x));
        return fails(b, b->message);
    }
    for (k = 0; k < g->n_params; k++) {
        xlagpu_parameter_info(m, (uint32_t)k, &v);
        rin[k].data = b->data[k];
        rin[k].bytes = v.bytes;
    }
    for (k = 0; k < g->n_results; k++) {
        xlagpu_result_info(m, (uint32_t)k, &v);
        rout[k].data = b->got[k];
        rout[k].bytes = v.bytes;
        memset(b->got[k], 0x5A, v.bytes);
    }
    p = xlagpu_rt_load(platform.device, exe.data, exe.size);
    if (!p || xlagpu_rt_run(p, rin, (uint32_t)g->n_params, rout, (uint32_t)g->n_results) != XLAGPU_OK) {
        xg_format(b->message, sizeof b->message, "run: %s", xlagpu_rt_error(platform.device));
        good = fails(b, b->message);
    } else
        for (k = 0; good && k < g->n_results; k++) {
            if (agree(V(g->results[k]), b->want[k], b->got[k], rout[k].bytes)) continue;
            xg_format(b->message, sizeof b->message, "result %d differs", k);
            good = fails(b, b->message);
        }
    xlagpu_rt_unload(p);
    return good;
}
/* Whether the module in g->whole is the same on the simulator, with all passes and without some. */
static bool holds(bench *b, medley *g) {
    xlagpu_context *x = xlagpu_create(NULL);
    xlagpu_module *m = xlagpu_parse(x, "medley", g->whole, strlen(g->whole));
    xlagpu_tensor in[PARAMS], out[RESULTS];
    xlagpu_value_info v;
    int k;
    bool good = true;
    b->why = "";
    for (k = 0; k < PARAMS; k++) b->data[k] = NULL;
    for (k = 0; k < RESULTS; k++) b->want[k] = b->got[k] = NULL;
    if (!m || xlagpu_parameter_count(m) != (uint32_t)g->n_params || xlagpu_result_count(m) != (uint32_t)g->n_results) {
        xg_format(b->message, sizeof b->message, "not a module: %s", xlagpu_error(x));
        good = fails(b, b->message);
    } else {
        for (k = 0; k < g->n_params; k++) {
            xlagpu_parameter_info(m, (uint32_t)k, &v);
            b->data[k] = room(v.bytes);
            fill(V(g->params[k]), b->data[k], v.bytes);
            in[k].data = b->data[k];
            in[k].bytes = v.bytes;
        }
        for (k = 0; k < g->n_results; k++) {
            xlagpu_result_info(m, (uint32_t)k, &v);
            b->want[k] = room(v.bytes);
            b->got[k] = room(v.bytes);
            out[k].data = b->want[k];
            out[k].bytes = v.bytes;
        }
        if (xlagpu_evaluate(m, in, (uint32_t)g->n_params, out, (uint32_t)g->n_results, false) != XLAGPU_OK) {
            xg_format(b->message, sizeof b->message, "evaluate: %s", xlagpu_error(x));
            good = fails(b, b->message);
        } else
            good = runs(b, g, x, m, NULL) && runs(b, g, x, m, b->without ? b->without : some_passes(b, g->seed));
    }
    for (k = 0; k < PARAMS; k++) free(b->data[k]);
    for (k = 0; k < RESULTS; k++) {
        free(b->want[k]);
        free(b->got[k]);
    }
    xlagpu_destroy(x);
    return good;
}
/* Leaves out results, then steps, as long as it fails for the same reason. */
static void make_smaller(bench *b, medley *g, uint64_t seed, int64_t most) {
    uint64_t steps[STEPS], ids[RESULTS];
    char first[8];
    int n, k;
    bool changed = true;
    xg_format(first, sizeof first, "%s", b->why); /* its first words */
    for (n = g->n_results, k = 0; k < n; k++) ids[k] = V(g->results[k])->id;
    for (k = 0; k < n; k++) {
        g->only = ids[k];
        make_medley(g, seed, most);
        if (!holds(b, g) && strncmp(b->why, first, strlen(first)) == 0) break;
    }
    if (k == n) g->only = 0;
    while (changed) {
        changed = false;
        make_medley(g, seed, most);
        n = g->n_done;
        memcpy(steps, g->done, (size_t)n * sizeof *steps);
        for (k = n - 1; k >= 0; k--) {
            g->skip[g->n_skip++] = steps[k];
            make_medley(g, seed, most);
            if (g->n_results && !holds(b, g) && strncmp(b->why, first, strlen(first)) == 0)
                changed = true;
            else
                g->n_skip--;
        }
    }
    make_medley(g, seed, most);
    (void)holds(b, g);
    printf("%s: %s\n", b->why, g->whole);
}
/* Marks the opcodes of a module's text. */
static void mark(const char *text, bool *seen) {
    char call[48];
    int k;
    for (k = 0; k < XG_OPCODE_COUNT; k++) {
        if (seen[k]) continue;
        xg_format(call, sizeof call, " %s(", xg_op_name((xg_opcode)k));
        seen[k] = strstr(text, call) != NULL;
    }
}
static void all_come_up(const bool *seen) {
    char word[48];
    size_t j;
    int k;
    for (k = 0; k < XG_OPCODE_COUNT; k++) {
        bool out = false;
        xg_format(word, sizeof word, " %s ", xg_op_name((xg_opcode)k));
        for (j = 0; j < sizeof left_out / sizeof *left_out; j++) out = out || strstr(left_out[j].opcodes, word);
        EXPECT_IN(seen[k] != out, word);
    }
}

int main(int argc, char **argv) {
    static medley g;
    static bench b;
    static bool seen[XG_OPCODE_COUNT];
    unsigned long n = 200, first = 1, k;
    int64_t most = 200000;
    bool verbose = false, smaller = false, print = false;
    int a;
    for (a = 1; a < argc; a++) {
        if (platform_flag(argc, argv, &a)) continue;
        if (strcmp(argv[a], "--n") == 0 && a + 1 < argc)
            n = strtoul(argv[++a], NULL, 10);
        else if (strcmp(argv[a], "--seed") == 0 && a + 1 < argc)
            first = strtoul(argv[++a], NULL, 10);
        else if (strcmp(argv[a], "--most") == 0 && a + 1 < argc)
            most = strtol(argv[++a], NULL, 10);
        else if (strcmp(argv[a], "--without") == 0 && a + 1 < argc)
            b.without = argv[++a];
        else if (strcmp(argv[a], "--smaller") == 0)
            smaller = true;
        else if (strcmp(argv[a], "--print") == 0)
            print = true;
        else if (strcmp(argv[a], "--verbose") == 0)
            verbose = true;
        else {
            fprintf(stderr, "usage: medleys [--n COUNT] [--seed FIRST] [--most ELEMENTS] [--without PASSES] "
                            "[--smaller] [--print] [--verbose] " PLATFORM_USAGE "\n");
            return 2;
        }
    }
    if (!print) (void)platform_open(1);
    for (k = first; k < first + n; k++) {
        char what[500];
        bool good;
        if (!platform_takes()) continue;
        g.n_skip = 0;
        g.only = 0;
        make_medley(&g, k, most);
        if (print) {
            printf("%s", g.whole);
            continue;
        }
        mark(g.whole, seen);
        good = holds(&b, &g);
        xg_format(what, sizeof what, "seed %lu: %s", k, b.why);
        EXPECT_IN(good, what);
        if (!good) platform_check(what);
        if (verbose) {
            printf("%s\n", what);
            fflush(stdout);
        }
        if (!good && smaller && !platform.lost) make_smaller(&b, &g, k, most);
    }
    if (!print && n >= MANY && platform.parts == 1 && platform.from == 1 && !platform.lost) all_come_up(seen);
    platform_close();
    return finish();
}
