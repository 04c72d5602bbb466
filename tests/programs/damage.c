/* tests/programs/damage.c -- planned modules and lists of thunks that somebody has changed: read, compiled on and
 * loaded, or refused with a position.
 *
 * Of each text every line is dropped, doubled and moved up, every token is replaced by others, and the text is cut
 * anywhere; --random N moreover damages bytes N times. What is refused says why, and where if the text is wrong; what
 * is accepted is loaded and, where no loop could run forever, run on the simulator: wrong results are fine, a fault
 * that the simulator names is fine, an access that a sanitizer finds is not. --quick takes every seventh token. Best
 * under -fsanitize=address,undefined. Ends with "N passed, N failed". */
#include "../../src/xlagpu.h"
#include "../../src/xlagpu_runtime.h"
#include "expect.h"
#include "modules.h"

static xlagpu_device *device;
static size_t apart = 1; /* of so many tokens one is changed */
static long accepted, refused;

/* Not more than 1 MiB at a time: damaged sizes ask for anything. */
static void *little_alloc(void *user, size_t bytes) {
    return bytes > (size_t)1 << 20 ? NULL : counter_alloc(user, bytes);
}
static counter count;
static xlagpu_device *open_host(void) {
    xlagpu_device_desc d;
    xlagpu_device *host = NULL;
    memset(&d, 0, sizeof d);
    d.platform = "host";
    d.threads = 1;
    d.allocator = counter_of(&count);
    d.allocator.alloc = little_alloc;
    xlagpu_rt_open(&d, &host);
    return host;
}
static xlagpu_status nothing(void *user, const xlagpu_rt_call *call) {
    (void)user;
    (void)call;
    return XLAGPU_OK;
}

/* ---- what is damaged ---- */

/* All that a planned module can say: a bounded dimension, a parameter given to a result, memory of the host, constants,
 * a call, ids, random bits, guests in a result. */
static const char all_text[] =
    "HloModule all, input_output_alias={ {0}: (0, {}, may-alias) }\n"
    "ENTRY e { a = f32[8,4] parameter(0) u = f32[1,4] parameter(1) i = s32[] parameter(2) d = f32[<=9] parameter(3) z "
    "= s32[] constant(0)\n"
    "x = f32[8,4] dynamic-update-slice(a, u, i, z) w = f32[4] constant({3, 1, 4, 1}) wb = f32[8,4] broadcast(w), "
    "dimensions={1} y = f32[8,4] multiply(x, wb)\n"
    "h = f32[8,4] custom-call(y), custom_call_target=\"MoveToHost\" k = f32[8,4] custom-call(h), "
    "custom_call_target=\"MoveToDevice\"\n"
    "c = f32[4] custom-call(w), custom_call_target=\"mine\", backend_config=\"so \\\"it\\\" is\" r = u32[] "
    "replica-id() p = u32[] partition-id()\n"
    "s = f32[<=9] add(d, d) zero = f32[] constant(0) one = f32[] constant(1) g = f32[5] rng(zero, one), "
    "distribution=rng_uniform\n"
    "ROOT t = (f32[8,4], f32[8,4], f32[4], u32[], u32[], f32[<=9], f32[5]) tuple(x, k, c, r, p, s, g) }\n";
static const struct {
    const char *name, *text;
    bool loops;
} modules[] = {{"whole", whole_text, false}, {"all", all_text, false}, {"control", control_text, true}};

typedef struct texts {
    xg_arena *arena;
    xg_str plan, thunks;
} texts;
static void keep(void *user, const char *stage, const char *text, size_t n) {
    texts *t = (texts *)user;
    if (strcmp(stage, "plan") == 0) t->plan = xg_str_copy(t->arena, xg_str_of(text, n));
    if (strcmp(stage, "thunk_sequence") == 0) t->thunks = xg_str_copy(t->arena, xg_str_of(text, n));
}
static xg_driver_options options_of(xg_ctx *c) {
    xg_driver_options o;
    memset(&o, 0, sizeof o);
    o.target = *xg_target_find(c, XG_STR("sm_90a"));
    return o;
}
typedef struct source {
    const char *text;
    texts *t;
} source;
static void print_both(xg_ctx *c, void *user) {
    source *s = (source *)user;
    xg_driver_options o = options_of(c);
    o.dump = keep;
    o.dump_user = s->t;
    (void)xg_driver_compile(module_of(c, s->t->arena, "damage", s->text), s->t->arena, &o, NULL, s->t->arena);
}

/* ---- what is tried ---- */

typedef struct trial {
    const char *name, *what;
    const char *text;
    size_t n;
    bool thunks, run, took;
    xg_str bytes;
    xg_arena *arena;
} trial;

static void read_it(xg_ctx *c, void *user) {
    trial *t = (trial *)user;
    xg_source s;
    xg_driver_options o = options_of(c);
    s.name = t->name;
    s.text = t->text;
    s.size = t->n;
    if (t->thunks)
        t->bytes = xg_listing_parse(c, t->arena, &s);
    else if (xg_plan_is_text(t->text, t->n))
        t->bytes = xg_driver_compile_plan(c, t->arena, &s, &o, NULL, t->arena);
    else
        xg_fail(c, XLAGPU_ERROR_UNSUPPORTED, "no planned module");
    t->took = true;
}
static void run_anyhow(xlagpu_program *p) {
    xlagpu_rt_tensor *t =
        (xlagpu_rt_tensor *)calloc((size_t)xlagpu_rt_parameter_count(p) + xlagpu_rt_result_count(p) + 1, sizeof *t);
    uint32_t n = xlagpu_rt_parameter_count(p), m = xlagpu_rt_result_count(p), k;
    xlagpu_rt_value v;
    for (k = 0; k < n + m; k++) {
        if (k < n)
            xlagpu_rt_parameter(p, k, &v);
        else
            xlagpu_rt_result(p, k - n, &v);
        t[k].bytes = v.bytes;
        if (v.bytes < (size_t)1 << 20) t[k].data = calloc(v.bytes + 1, 1);
    }
    if (xlagpu_rt_run(p, t, n, t + n, m) != XLAGPU_OK)
        EXPECT_IN(*xlagpu_rt_error(device) && !strstr(xlagpu_rt_error(device), "a bug"), xlagpu_rt_error(device));
    for (k = 0; k < n + m; k++) free(t[k].data);
    free(t);
}
/* The bytes are of exactly this size, so that a sanitizer sees a read behind the end. */
static void load_it(const trial *t) {
    void *exact = malloc(t->bytes.n);
    xlagpu_program *p;
    memcpy(exact, t->bytes.p, t->bytes.n);
    p = xlagpu_rt_load(device, exact, t->bytes.n);
    free(exact);
    if (!p)
        EXPECT_IN(*xlagpu_rt_error(device) && !strstr(xlagpu_rt_error(device), "a bug"),
            "loading is refused without a message");
    else if (t->run)
        run_anyhow(p);
    xlagpu_rt_unload(p);
}
static void complain(const trial *t, const char *why, const char *message) {
    char text[1400];
    snprintf(text, sizeof text, "%s of %s, %s: %s (%s)", t->thunks ? "thunks" : "plan", t->name, t->what, why, message);
    EXPECT_IN(false, text);
}
static void attempt(trial *t, const char *text, size_t n, const char *what) {
    xg_ctx c;
    xg_arena a;
    char *exact = (char *)malloc(n ? n : 1);
    memcpy(exact, text, n);
    xg_ctx_init(&c, NULL, 0);
    xg_arena_init(&a, &c);
    t->what = what;
    t->text = exact;
    t->n = n;
    t->arena = &a;
    t->took = false;
    if (guarded(&c, read_it, t)) {
        accepted++;
        load_it(t);
    } else {
        refused++;
        if (c.status == XLAGPU_OK || c.status == XLAGPU_ERROR_INTERNAL || !c.message[0])
            complain(t, "no proper refusal", c.message);
        else if (!c.line && (c.status == XLAGPU_ERROR_SYNTAX || c.status == XLAGPU_ERROR_INVALID))
            complain(t, "refused without a position", c.message);
        else
            passed++;
    }
    xg_arena_free(&a);
    free(exact);
}

/* `from` to `to` of the text replaced. */
static void replaced(trial *t, xg_str text, size_t from, size_t to, const char *by, size_t n, const char *what) {
    char *made = (char *)malloc(text.n + n + 1);
    memcpy(made, text.p, from);
    memcpy(made + from, by, n);
    memcpy(made + from + n, text.p + to, text.n - to);
    attempt(t, made, text.n - (to - from) + n, what);
    free(made);
}
static void lines(trial *t, xg_str text) {
    size_t from, to, before = 0;
    for (from = 0; from < text.n; before = from, from = to) {
        char *swapped;
        for (to = from; to < text.n && text.p[to] != '\n'; to++) {}
        to += to < text.n;
        replaced(t, text, from, to, "", 0, "a line dropped");
        replaced(t, text, from, from, text.p + from, to - from, "a line doubled");
        if (!from) continue;
        swapped = (char *)malloc(to - before + 1);
        memcpy(swapped, text.p + from, to - from);
        memcpy(swapped + (to - from), text.p + before, from - before);
        replaced(t, text, before, to, swapped, to - before, "a line moved up");
        free(swapped);
    }
}
static bool of_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' ||
           c == '-';
}
static size_t token_end(xg_str text, size_t from) {
    size_t to = from + 1;
    if (of_word(text.p[from]))
        while (to < text.n && of_word(text.p[to])) to++;
    return to;
}
static void tokens(trial *t, xg_str text) {
    static const char *const others[] = {"", "0", "1", "7", "4294967295", "9223372036854775807", "99999999999999999999",
        "-1", "x", "b3", "(", "}", "\"", "\\", "\n", "\xff"};
    size_t from, to, number = 0, k;
    char what[200];
    for (from = 0; from < text.n; from = to) {
        size_t next;
        to = token_end(text, from);
        if (text.p[from] == ' ' || text.p[from] == '\n' || number++ % apart) continue;
        snprintf(what, sizeof what, "the token '%.*s' at %zu changed", (int)(to - from < 60 ? to - from : 60),
            text.p + from, from);
        for (k = 0; k < XG_COUNT(others); k++) replaced(t, text, from, to, others[k], strlen(others[k]), what);
        for (next = to; next < text.n && (text.p[next] == ' ' || text.p[next] == '\n'); next++) {}
        if (next < text.n) replaced(t, text, from, to, text.p + next, token_end(text, next) - next, what);
        replaced(t, text, from, from, text.p + from, to - from, what);
    }
}
static void cuts(trial *t, xg_str text) {
    size_t n;
    for (n = 0; n < text.n; n += apart) attempt(t, text.p, n, "cut");
}
static void at_random(trial *t, xg_str text, long times) {
    char *made = (char *)malloc(text.n + 1);
    for (; times > 0; times--) {
        size_t k = 1 + rng() % 8;
        memcpy(made, text.p, text.n);
        while (k--) made[rng() % text.n] = rng() % 2 ? (char)rng() : text.p[rng() % text.n];
        attempt(t, made, text.n, "bytes by chance");
    }
    for (times = 0; times < 64; times++) {
        size_t k, n = rng() % 200;
        for (k = 0; k < n && k < text.n; k++) made[k] = (char)rng();
        attempt(t, made, k, "nothing but chance");
    }
    free(made);
}

int main(int argc, char **argv) {
    long times = 0;
    size_t k;
    int j;
    for (j = 1; j < argc; j++) {
        if (strcmp(argv[j], "--quick") == 0)
            apart = 7;
        else if (strcmp(argv[j], "--random") == 0 && j + 1 < argc)
            times = atol(argv[++j]);
    }
    device = open_host();
    EXPECT(xlagpu_rt_register(device, "mine", nothing, NULL) == XLAGPU_OK);
    for (k = 0; k < XG_COUNT(modules); k++) {
        xg_ctx c;
        xg_arena a;
        texts both;
        source s;
        int kind;
        xg_ctx_init(&c, NULL, 0);
        xg_arena_init(&a, &c);
        memset(&both, 0, sizeof both);
        both.arena = &a;
        s.text = modules[k].text;
        s.t = &both;
        if (!guarded(&c, print_both, &s)) EXPECT_IN(false, c.message);
        for (kind = 0; kind < 2; kind++) {
            trial t;
            xg_str text = kind ? both.thunks : both.plan;
            memset(&t, 0, sizeof t);
            t.name = modules[k].name;
            t.thunks = kind == 1;
            t.run = !modules[k].loops;
            if (!EXPECT(text.n > 0)) continue;
            refused = 0;
            attempt(&t, text.p, text.n, "whole");
            EXPECT_IN(!refused, "the text as it is");
            lines(&t, text);
            tokens(&t, text);
            cuts(&t, text);
            at_random(&t, text, times);
        }
        xg_arena_free(&a);
    }
    EXPECT_IN(accepted > 100 && refused > 100, "some are taken, some are not");
    xlagpu_rt_close(device);
    EXPECT_IN(count.live == 0, "memory is not given back");
    return finish();
}
