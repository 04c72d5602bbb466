/* tests/programs/hostile.c -- modules that are made to break a compiler: too deep, too long, too many, or small and yet
 * without end.
 *
 * Law: what grows with the text takes time and memory that grow with the text; what would grow beyond is refused with a
 * message that says where and why. Each module is compiled with every dump asked for, within 1 GiB and 20 seconds, and
 * all memory is given back. (Damaged texts: tests/programs/fuzz.c. What is merely wrong: tests/text/hlo/.) Ends with "N
 * passed, N failed". */
#define _POSIX_C_SOURCE 200809L
#include "../../src/xlagpu.h"
#include "expect.h"
#include <signal.h>
#include <stdarg.h>
#include <unistd.h>

static const char *now = "";
static void too_long(int signal_number) {
    (void)signal_number;
    if (write(1, "FAIL over 20 seconds: ", 22) < 0 || write(1, now, strlen(now)) < 0 ||
        write(1, "\n0 passed, 1 failed\n", 20) < 0) {}
    _exit(1);
}

/* ---- texts ---- */

static char *text;
static size_t n_text, room;
static void put(const char *format, ...) {
    va_list a;
    int n;
    if (room - n_text < 4096) text = (char *)realloc(text, room = 2 * room + 8192);
    va_start(a, format);
    n = vsnprintf(text + n_text, 4096, format, a);
    va_end(a);
    n_text += (size_t)n;
}
static void puts_of(const char *one, int times) {
    while (times-- > 0) put("%s", one);
}

static const char *const sums = "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }\n";
static const char *const sine = "fn0 { p = f32[8] parameter(0) ROOT s = f32[8] sine(p) }\n";

static void calls(int depth, bool twice) {
    int k;
    put("%s", sine);
    for (k = 1; k < depth; k++)
        if (twice)
            put("fn%d { p = f32[8] parameter(0) a = f32[8] call(p), to_apply=fn%d b = f32[8] call(a), to_apply=fn%d "
                "ROOT r = f32[8] add(a, b) }\n",
                k, k - 1, k - 1);
        else
            put("fn%d { p = f32[8] parameter(0) ROOT a = f32[8] call(p), to_apply=fn%d }\n", k, k - 1);
    put("ENTRY e { p = f32[8] parameter(0) ROOT r = f32[8] call(p), to_apply=fn%d }\n", depth - 1);
}
static void doubled_calls(int n) { calls(n, true); }
static void deep_calls(int n) { calls(n, false); }
/* Reducers that reduce: n loops, one in the other. */
static void deep_reduces(int n) {
    int k;
    put("%s", sums);
    for (k = 0; k < n; k++)
        put("fn%d { a = f32[] parameter(0) b = f32[] parameter(1) v = f32[3] broadcast(a), dimensions={} ROOT r = "
            "f32[] reduce(v, b), dimensions={0}, to_apply=%s%.*d }\n",
            k, k ? "fn" : "add", k > 0, k ? k - 1 : 0);
    put("ENTRY e { p = f32[8] parameter(0) z = f32[] constant(0) ROOT r = f32[] reduce(p, z), dimensions={0}, "
        "to_apply=fn%d }\n",
        n - 1);
}
static void deep_loops(int n) {
    int k;
    put("c { p = f32[] parameter(0) one = f32[] constant(1) ROOT l = pred[] compare(p, one), direction=LT }\nfn0 { p = "
        "f32[] parameter(0) ROOT s = f32[] sine(p) }\n");
    for (k = 1; k < n; k++)
        put("fn%d { p = f32[] parameter(0) ROOT w = f32[] while(p), condition=c, body=fn%d }\n", k, k - 1);
    put("ENTRY e { p = f32[] parameter(0) ROOT w = f32[] while(p), condition=c, body=fn%d }\n", n - 1);
}
static void chain(const char *even, const char *odd, const char *op, int n) {
    int k;
    put("ENTRY e {\nx0 = %s parameter(0)\n", even);
    for (k = 1; k < n; k++) put("x%d = %s %s(x%d)\n", k, k % 2 ? odd : even, op, k - 1);
    put("}\n");
}
static void bitcasts(int n) { chain("f32[8]", "f32[2,4]", "bitcast", n); }
static void reshapes(int n) { chain("f32[8]", "f32[2,4]", "reshape", n); }
static void sines(int n) { chain("f32[8]", "f32[8]", "sine", n); }
static void doublings(int n) {
    int k;
    put("ENTRY e {\nx0 = f32[8] parameter(0)\n");
    for (k = 1; k < n; k++) put("x%d = f32[8] add(x%d, x%d)\n", k, k - 1, k - 1);
    put("}\n");
}
static void long_name(int n) {
    put("ENTRY e { ROOT ");
    puts_of("x", n);
    put(" = f32[] parameter(0) }\n");
}
static void brackets(int n) {
    put("ENTRY e { x = ");
    puts_of("(", n);
    put("f32[]");
    puts_of(")", n);
    put(" parameter(0) }\n");
}
static void json(int n) {
    put("ENTRY e { p = f32[2] parameter(0) ROOT c = f32[2] custom-call(p), custom_call_target=\"x\", "
        "backend_config={\"a\":");
    puts_of("[", n);
    puts_of("]", n);
    put("} }\n");
}
static void leaves(int n) {
    put("ENTRY e { p = f32[] parameter(0) ROOT t = (f32[]");
    puts_of(", f32[]", n - 1);
    put(") tuple(p");
    puts_of(", p", n - 1);
    put(") }\n");
}
static void operands(int n) {
    int k;
    put("ENTRY e {\n");
    for (k = 0; k < n; k++) put("p%d = f32[2] parameter(%d)\n", k, k);
    put("ROOT c = f32[%d] concatenate(p0", 2 * n);
    for (k = 1; k < n; k++) put(", p%d", k);
    put("), dimensions={0} }\n");
}
static void branches(int n) {
    put("b { p = f32[] parameter(0) ROOT s = f32[] sine(p) }\nENTRY e { i = s32[] parameter(0) x = f32[] parameter(1) "
        "ROOT c = f32[] conditional(i, x");
    puts_of(", x", n - 1);
    put("), branch_computations={b");
    puts_of(", b", n - 1);
    put("} }\n");
}

/* ---- the cases ---- */

typedef struct row {
    const char *name;
    void (*make)(int n);
    int n;
    const char *refusal;
} row; /* refusal NULL: it compiles */
static const row rows[] = {
    {"calls that double at each level", doubled_calls, 60, "inlining all calls gives more than"},
    {"calls that double at some levels", doubled_calls, 12, NULL},
    {"a chain of calls", deep_calls, 5000, NULL},
    {"reducers in reducers", deep_reduces, 40, NULL},
    {"loops in loops", deep_loops, 3000, "nested deeper than 64"},
    {"bitcasts of bitcasts", bitcasts, 10000, NULL},
    {"reshapes of reshapes", reshapes, 10000, NULL},
    {"sines of sines", sines, 3000, NULL},
    {"what doubles at each step", doublings, 3000, NULL},
    {"a name of a megabyte", long_name, 1 << 20, NULL},
    {"brackets in a shape", brackets, 100000, "nested more than 400 deep"},
    {"brackets in a configuration", json, 100000, "nested more than 400 deep"},
    {"one value many times", leaves, 20000, NULL},
    {"operands of a concatenation", operands, 2000, NULL},
    {"branches", branches, 2000, NULL},
};

static void ignore(void *user, const char *stage, const char *said, size_t n) {
    (void)user;
    (void)stage;
    (void)said;
    (void)n;
}
static void one(const row *r, counter *count) {
    xlagpu_context_desc cd;
    xlagpu_compile_desc desc;
    xlagpu_context *c;
    xlagpu_module *m;
    uint32_t line = 0, column;
    memset(&cd, 0, sizeof cd);
    memset(&desc, 0, sizeof desc);
    memset(count, 0, sizeof *count);
    cd.allocator = counter_of(count);
    cd.memory_limit = (size_t)1 << 30;
    desc.dump = ignore;
    now = r->name;
    n_text = 0;
    put("HloModule hostile\n");
    r->make(r->n);
    alarm(20);
    c = xlagpu_create(&cd);
    m = xlagpu_parse(c, r->name, text, n_text);
    if (m && xlagpu_compile(m, &desc).data)
        EXPECT_IN(!r->refusal, r->name);
    else {
        EXPECT_TEXT(xlagpu_error(c), r->refusal ? r->refusal : "(it should compile)");
        xlagpu_error_position(c, &line, &column);
        EXPECT_IN(line > 0, r->name);
    }
    xlagpu_destroy(c);
    alarm(0);
    EXPECT_IN(count->live == 0, r->name);
}

/* ---- devices that no maker would build ---- */

static const char *const kernels[] = {
    "ENTRY e { x = bf16[768,16] parameter(0) y = bf16[768,96] parameter(1) ROOT d = f32[16,96] dot(x, y), "
    "lhs_contracting_dims={0}, rhs_contracting_dims={0} }",
    "s { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\nENTRY e { x = f32[33,4,70] "
    "parameter(0) z = f32[] constant(0) ROOT r = f32[4,70] reduce(x, z), dimensions={0}, to_apply=s }",
    "ENTRY e { x = bf16[2,9,9,64] parameter(0) y = bf16[3,3,64,64] parameter(1) ROOT c = bf16[2,9,9,64] convolution(x, "
    "y), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f }"};

/* Half of the figures are others than the part's: the least, the most, or far more. Shared memory stays: a kernel
 * may need some. */
static void odd_figures(xlagpu_target_desc *t, uint32_t seed) {
    uint64_t shared = t->shared_per_block, declared = t->shared_static;
#define X(figure, most, what) \
    seed = seed * 1664525u + 1013904223u; \
    if (seed >> 16 & 1) t->figure = seed >> 20 & 1 ? 1 : seed >> 21 & 1 ? (uint64_t)(most) : UINT64_MAX;
    XLAGPU_TARGET_FIGURES(X)
#undef X
    t->shared_per_block = shared;
    t->shared_static = declared;
}
/* Such a device has kernels, too, and choosing them ends. */
static void odd_devices(void) {
    static const char *const parts[] = {"T4", "A100", "L40", "H100", "B200", "RTX 5090"};
    uint32_t k;
    for (k = 0; k < 90; k++) {
        xlagpu_compile_desc desc;
        xlagpu_context *c = xlagpu_create(NULL);
        const char *source = kernels[k % 3];
        xlagpu_module *m = xlagpu_parse(c, "odd", source, strlen(source));
        memset(&desc, 0, sizeof desc);
        desc.target.part = parts[k / 3 % 6];
        odd_figures(&desc.target, k);
        now = desc.target.part;
        alarm(20);
        if (!EXPECT(m && xlagpu_compile(m, &desc).data)) printf("draw %u, %s: %s\n", k, now, xlagpu_error(c));
        alarm(0);
        xlagpu_destroy(c);
    }
}

int main(int argc, char **argv) {
    counter count;
    size_t k;
    signal(SIGALRM, too_long);
    for (k = 0; k < sizeof rows / sizeof rows[0]; k++)
        if (argc < 2 || strstr(rows[k].name, argv[1])) one(&rows[k], &count);
    odd_devices();
    free(text);
    return finish();
}
