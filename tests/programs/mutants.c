/* tests/programs/mutants.c -- modules whose meaning was changed a little, all the way: read, printed, compiled for a
 * target and options drawn by their number, evaluated and run on the simulator where they are small.
 *
 *     mutants [--count N] [--seconds N] [--seed FIRST] [--keep DIR] [--show] FILE.hlo ...
 *
 * fuzz.c damages bytes, most of which is refused by the grammar; a mutant stays near to the language: another element
 * type or size in all places, layouts with every suffix, another opcode, operand, attribute or root. Law: a mutant is
 * refused with a class, a message and a line, or it is compiled; one that runs gives what the evaluator gives. No
 * crash, no leak, no more than 10 seconds.
 *
 * Mutants are numbered: --seed 7 --count 1 makes number 7 again. The first ones are the files as they are, for every
 * target. They are tried in child processes, a batch each, so that a crash ends only one batch; the parent goes on
 * behind it. Those that fail lie in DIR (build/mutants_failed). A mutant that failed once and is fixed belongs into
 * tests/corpus/mutants/, whose files are seeds like the others. Ends with "N passed, N failed" and, on the line before,
 * how many were compiled and run. */
#define _XOPEN_SOURCE 700
#include "../../src/xlagpu.h"
#include "../../src/xlagpu_runtime.h"
#include "../../tools/npz.c"
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    SECONDS_MAX = 10,     /* of the processor, for one mutant */
    WAIT_MAX = 300,       /* seconds, however much the machine has to do */
    JITTERS = 8,          /* changes of the arguments, to see how far the results move */
    BATCH = 100,          /* mutants in a child */
    GROWTH = 8192,        /* bytes that mutations may add */
    RUN_BYTES = 64 << 10, /* of arguments and results of what is run */
    LEAVES = 64
};

static unsigned char *seeds[4096];
static size_t seed_bytes[4096];
static int n_seeds;
static const char *keep_dir = "build/mutants_failed";

static uint64_t state;
static uint64_t draw(uint64_t below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return below ? (state >> 11) % below : 0;
}

/* ---- the text ---- */

typedef struct text {
    char *p;
    size_t n, room;
} text;

static bool in_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' ||
           c == '-';
}
static bool in_applied; /* something in front of the entry was changed in one place: a reducer, perhaps */
static void replace(text *t, size_t at, size_t k, const char *by) {
    size_t m = strlen(by);
    const char *entry = strstr(t->p, "ENTRY ");
    in_applied = in_applied || !entry || at < (size_t)(entry - t->p);
    if (t->n - k + m + 1 > t->room) return;
    memmove(t->p + at + m, t->p + at + k, t->n - at - k + 1);
    memcpy(t->p + at, by, m);
    t->n += m - k;
}
/* The word at or behind a drawn place, of n characters; the end of the text where there is none. */
static size_t draw_word(const text *t, size_t *n) {
    size_t at = (size_t)draw(t->n), end;
    while (at < t->n && !in_word(t->p[at])) at++;
    while (at && in_word(t->p[at - 1])) at--;
    for (end = at; end < t->n && in_word(t->p[end]); end++) {}
    *n = end - at;
    return at;
}
/* Words that `is` takes, tried at some drawn places. */
static bool find_word(const text *t, bool (*is)(const text *t, size_t at, size_t n), size_t *at, size_t *n) {
    int k;
    for (k = 0; k < 60; k++) {
        *at = draw_word(t, n);
        if (*n && is(t, *at, *n)) return true;
    }
    return false;
}
/* Every word like the one at `at` that `is` takes, or only this one. */
static void replace_words(
    text *t, size_t at, size_t n, const char *by, bool all, bool (*is)(const text *t, size_t at, size_t n)) {
    char old[64];
    size_t k;
    bool was;
    if (n >= sizeof old) return;
    memcpy(old, t->p + at, n);
    old[n] = 0;
    if (!all) {
        replace(t, at, n, by);
        return;
    }
    was = in_applied;
    for (k = 0; k + n <= t->n; k++) {
        if (memcmp(t->p + k, old, n) != 0 || (k && in_word(t->p[k - 1])) || in_word(t->p[k + n]) || !is(t, k, n))
            continue;
        replace(t, k, n, by);
        k += strlen(by);
    }
    in_applied = was; /* types and sizes that change everywhere leave a sum a sum */
}

/* ---- what a word is ---- */

static bool is_type(const text *t, size_t at, size_t n) { return t->p[at + n] == '[' && n <= 13; }
static bool is_number(const text *t, size_t at, size_t n) {
    size_t k;
    for (k = 0; k < n; k++)
        if (t->p[at + k] < '0' || t->p[at + k] > '9') return false;
    return true;
}
static bool is_size(const text *t, size_t at, size_t n) {
    size_t k = at;
    if (!is_number(t, at, n)) return false;
    while (k && (in_word(t->p[k - 1]) || t->p[k - 1] == ',' || t->p[k - 1] == ' ' || t->p[k - 1] == ':')) k--;
    return k && (t->p[k - 1] == '[' || t->p[k - 1] == '{' || t->p[k - 1] == '=');
}
static bool is_opcode(const text *t, size_t at, size_t n) {
    return t->p[at + n] == '(' && at && t->p[at - 1] == ' ' && t->p[at] >= 'a' && t->p[at] <= 'z';
}
static bool is_truth(const text *t, size_t at, size_t n) {
    return (n == 4 && memcmp(t->p + at, "true", 4) == 0) || (n == 5 && memcmp(t->p + at, "false", 5) == 0);
}
static bool is_attribute(const text *t, size_t at, size_t n) {
    return t->p[at + n] == '=' && at > 1 && t->p[at - 1] == ' ' && t->p[at - 2] == ',';
}
static bool is_name(const text *t, size_t at, size_t n) {
    return at && (t->p[at - 1] == '(' || t->p[at - 1] == ' ' || t->p[at - 1] == '%') &&
           (t->p[at + n] == ',' || t->p[at + n] == ')') && !is_number(t, at, n) && !is_truth(t, at, n);
}
static bool is_shape(const text *t, size_t at, size_t n) { return is_type(t, at, n) && n >= 2 && t->p[at] != 't'; }

/* ---- mutations ---- */

static const char *const types[] = {"pred", "s2", "s4", "s8", "s16", "s32", "s64", "u2", "u4", "u8", "u16", "u32",
    "u64", "f16", "bf16", "f32", "f64", "f8e5m2", "f8e4m3", "f8e4m3fn", "f8e4m3b11fnuz", "f8e3m4", "f8e5m2fnuz",
    "f8e4m3fnuz", "f8e8m0fnu", "f4e2m1fn", "c64", "c128", "token", "opaque"};
static const char *const sizes[] = {"0", "1", "2", "3", "4", "5", "7", "8", "16", "17", "31", "32", "33", "64", "100",
    "128", "129", "1000", "1024", "-1", "4294967296", "<=4", "?"};
static const char *const opcodes[] = {"abs", "negate", "sign", "not", "exponential", "log", "sqrt", "rsqrt", "tanh",
    "sine", "floor", "convert", "copy", "bitcast", "reshape", "real", "imag", "is-finite", "popcnt", "cosine", "erf",
    "logistic", "cbrt", "bitcast-convert", "reduce-precision", "after-all", "opt-barrier", "tuple", "add", "subtract",
    "multiply", "divide", "maximum", "minimum", "power", "remainder", "and", "or", "xor", "shift-left",
    "shift-right-logical", "shift-right-arithmetic", "atan2", "complex", "compare", "select", "clamp", "broadcast",
    "transpose", "reverse", "slice", "pad", "concatenate", "dynamic-slice", "dynamic-update-slice", "gather", "scatter",
    "dot", "convolution", "reduce", "reduce-window", "sort", "map", "iota", "fft", "cholesky", "while", "conditional",
    "call", "fusion", "async-start", "copy-start", "infeed", "outfeed", "send", "recv", "all-reduce", "all-gather",
    "topk", "rng", "custom-call", "get-tuple-element", "set-dimension-size", "get-dimension-size"};
static const char *const suffixes[] = {":T(8,128)", ":T(8,128)(2,1)", ":T(128)", ":T(2,2)", ":T(*,4)", ":T(4)L(16)",
    ":E(4)", ":E(32)", ":S(1)", ":S(5)", ":S(3)", ":SC(0:1)", ":SC(1:2,3)", ":M(64)", ":#(u32)", ":*(s32)", ":D(D,C)",
    ":T(8)E(4)S(5)", ":L(7)", ":T(0)", ""};
static const char *const headers[] = {", is_scheduled=true", ", num_partitions=2", ", replica_count=2",
    ", input_output_alias={ {}: (0, {}, may-alias) }", ", buffer_donor={ (0, {}) }", ", frontend_attributes={a=\"b\"}"};
#define PICK(list) list[draw(sizeof(list) / sizeof *(list))]

/* Behind the dimensions of an array: a layout in a drawn order, with a suffix. */
static void mutate_layout(text *t) {
    size_t at, n, end;
    char layout[400];
    int rank = 0, order[16], k, j;
    size_t w = 0;
    if (!find_word(t, is_shape, &at, &n)) return;
    for (at += n, end = at + 1; end < t->n && t->p[end] != ']'; end++)
        if (t->p[end] == ',') rank++;
    if (end == at + 1)
        rank = 0;
    else if (++rank > 12)
        return;
    for (k = 0; k < rank; k++) order[k] = rank - 1 - k;
    for (k = rank - 1; k > 0 && draw(2); k--) {
        j = (int)draw((uint64_t)k + 1);
        n = (size_t)order[k];
        order[k] = order[j];
        order[j] = (int)n;
    }
    layout[w++] = '{';
    for (k = 0; k < rank; k++) w += (size_t)snprintf(layout + w, sizeof layout - w, "%s%d", k ? "," : "", order[k]);
    snprintf(layout + w, sizeof layout - w, "%s}", draw(2) ? PICK(suffixes) : "");
    for (end++, n = 0; t->p[end] == '{' && end + n < t->n && t->p[end + n] != '}'; n++) {}
    replace(t, end, n ? n + 1 : 0, layout);
}
static void mutate_line(text *t) {
    size_t at = (size_t)draw(t->n), end, to;
    char line[2000];
    while (at && t->p[at - 1] != '\n') at--;
    for (end = at; end < t->n && t->p[end] != '\n'; end++) {}
    if (end - at + 2 > sizeof line) return;
    memcpy(line, t->p + at, end - at);
    line[end - at] = '\n';
    line[end - at + 1] = 0;
    if (draw(2)) {
        replace(t, at, end - at + (end < t->n), "");
        return;
    }
    for (to = (size_t)draw(t->n); to && t->p[to - 1] != '\n'; to--) {}
    replace(t, to, 0, line);
}
static void mutate_root(text *t) {
    char *root = strstr(t->p, "ROOT "), *next;
    size_t at;
    while (root && draw(2) && (next = strstr(root + 5, "ROOT ")) != NULL) root = next;
    if (!root) return;
    at = (size_t)(root - t->p);
    replace(t, at, 5, "");
    if (draw(3) == 0) return; /* the last one is the root then */
    while (at > 2 && !(t->p[at - 1] == '\n' && t->p[at] == ' ' && draw(2))) at--;
    while (t->p[at] == ' ') at++;
    replace(t, at, 0, "ROOT ");
}
/* A part of a tuple's shape or of a list away, or there twice. */
static void mutate_list(text *t) {
    size_t at = (size_t)draw(t->n), end, k;
    char item[300];
    while (at < t->n && t->p[at] != ',') at++;
    for (end = at + 1, k = 0; end < t->n; end++) {
        if (strchr("([{", t->p[end])) k++;
        if (strchr(")]}", t->p[end]) && k-- == 0) break;
        if (t->p[end] == ',' && k == 0) break;
    }
    if (at >= t->n || end - at >= sizeof item) return;
    memcpy(item, t->p + at, end - at);
    item[end - at] = 0;
    if (draw(2))
        replace(t, at, end - at, "");
    else
        replace(t, at, 0, item);
}
static void mutate_word(text *t, bool (*is)(const text *t, size_t at, size_t n), const char *by, bool all) {
    size_t at, n;
    if (find_word(t, is, &at, &n)) replace_words(t, at, n, by, all, is);
}
/* A word of the text in the place of another one of its kind. */
static void mutate_swap(text *t, bool (*is)(const text *t, size_t at, size_t n)) {
    size_t at, n;
    char by[200];
    if (!find_word(t, is, &at, &n) || n >= sizeof by) return;
    memcpy(by, t->p + at, n);
    by[n] = 0;
    mutate_word(t, is, by, false);
}
static void mutate_attribute(text *t) {
    size_t at, n, end, k = 0;
    if (!find_word(t, is_attribute, &at, &n)) return;
    for (end = at; end < t->n; end++) {
        if (strchr("([{", t->p[end])) k++;
        if (strchr(")]}", t->p[end]) && k-- == 0) break;
        if ((t->p[end] == ',' || t->p[end] == '\n') && k == 0) break;
    }
    replace(t, at - 2, end - at + 2, "");
}
static void mutate(text *t) {
    char *header = strstr(t->p, "HloModule ");
    size_t at;
    switch (draw(16)) {
    case 0:
    case 1: mutate_word(t, is_type, PICK(types), true); return;
    case 2: mutate_word(t, is_type, PICK(types), false); return;
    case 3:
    case 4: mutate_word(t, is_size, PICK(sizes), true); return;
    case 5: mutate_word(t, is_size, PICK(sizes), false); return;
    case 6:
    case 7: mutate_layout(t); return;
    case 8: mutate_word(t, is_opcode, PICK(opcodes), false); return;
    case 9: mutate_swap(t, is_name); return;
    case 10: mutate_swap(t, is_opcode); return;
    case 11: mutate_word(t, is_truth, draw(2) ? "true" : "false", false); return;
    case 12: mutate_attribute(t); return;
    case 13: mutate_line(t); return;
    case 14: mutate_list(t); return;
    default:
        if (draw(2)) {
            mutate_root(t);
            return;
        }
        if (!header) return;
        for (at = (size_t)(header - t->p) + 10; in_word(t->p[at]); at++) {}
        replace(t, at, 0, PICK(headers));
    }
}

static const char *const targets[] = {
    "sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_120"};
enum {
    N_TARGETS = sizeof targets / sizeof *targets
};

/* Mutant number k: into out, which has room. */
static void make(uint64_t k, text *out) {
    int which, times;
    state = (k + 1) * 0x9E3779B97F4A7C15u ^ 88172645463325252u;
    for (times = 0; times < 8; times++) draw(2);
    in_applied = false;
    which = k < (uint64_t)n_seeds * N_TARGETS ? (int)(k / N_TARGETS) : (int)draw((uint64_t)n_seeds);
    out->n = seed_bytes[which];
    memcpy(out->p, seeds[which], out->n);
    out->p[out->n] = 0;
    if (k < (uint64_t)n_seeds * N_TARGETS) return;
    for (times = 1 + (int)draw(3); times > 0; times--) mutate(out);
}

/* ---- trying one ---- */

static long live;
static void *count_alloc(void *user, size_t bytes) {
    void *p = malloc(bytes);
    (void)user;
    live += p != NULL;
    return p;
}
static void count_release(void *user, void *p) {
    (void)user;
    live -= p != NULL;
    free(p);
}

static const char *refusal(xlagpu_context *c, bool place) {
    xlagpu_status s = xlagpu_error_status(c);
    uint32_t line = 0, column = 0;
    xlagpu_error_position(c, &line, &column);
    if (s == XLAGPU_OK || s == XLAGPU_ERROR_INTERNAL || !*xlagpu_error(c)) return xlagpu_error(c);
    if (place && !line && (s == XLAGPU_ERROR_SYNTAX || s == XLAGPU_ERROR_INVALID) &&
        !strstr(xlagpu_error(c), "entry_computation_layout"))
        return xlagpu_error(c);
    return NULL;
}
static const char *print_twice(xlagpu_context *c, xlagpu_module *m) {
    xlagpu_bytes first = xlagpu_print(m), second;
    xlagpu_module *again;
    if (!first.data) return xlagpu_error(c);
    again = xlagpu_parse(c, "again", (const char *)first.data, first.size);
    if (!again) return "what it prints does not read back";
    second = xlagpu_print(again);
    return second.size == first.size && memcmp(first.data, second.data, first.size) == 0 ? NULL
                                                                                         : "printing is not stable";
}

/* Whole numbers, small enough to be exact in most types. */
static void fill(const xlagpu_value_info *v, unsigned char *p) {
    size_t size = xlagpu_type_bytes(v->type), n = size ? v->bytes / size : 0, k;
    memset(p, 0, v->bytes);
    for (k = 0; k < n; k++) xlagpu_set_element(v->type, p + k * size, (double)draw(7) - (v->type >= XLAGPU_U8 ? 0 : 2));
}
/* Floats that went through approximations and sums in another order: elements that are far apart, not many. */
static bool far_apart(const xlagpu_value_info *v, const unsigned char *want, const unsigned char *got) {
    size_t size = xlagpu_type_bytes(v->type), n = size ? v->bytes / size : 0, k, bad = 0;
    for (k = 0; k < n; k++) {
        double x = xlagpu_get_element(v->type, want + k * size), y = xlagpu_get_element(v->type, got + k * size);
        if (x == y || (x != x && y != y)) continue;
        if (fabs(x - y) <=
            0.05 * (fabs(x) > 1 ? fabs(x) : 1) + (v->type == XLAGPU_F32 || v->type == XLAGPU_F64 ? 0 : 0.5))
            continue;
        bad++;
    }
    return bad > n / 10;
}

typedef struct memory {
    unsigned char *data[LEAVES];
    xlagpu_value_info info[LEAVES];
    uint32_t n;
    size_t bytes;
} memory;
static bool describe(xlagpu_module *m, memory *v, bool results) {
    uint32_t k;
    v->n = results ? xlagpu_result_count(m) : xlagpu_parameter_count(m);
    v->bytes = 0;
    if (v->n > LEAVES) return false;
    for (k = 0; k < v->n; k++) {
        if (!(results ? xlagpu_result_info : xlagpu_parameter_info)(m, k, &v->info[k])) return false;
        v->bytes += v->info[k].bytes;
        if (v->bytes > RUN_BYTES || !v->info[k].bytes || v->info[k].size_of) return false;
    }
    return true;
}
static void take(memory *v) {
    uint32_t k;
    for (k = 0; k < v->n; k++) {
        v->data[k] = (unsigned char *)malloc(v->info[k].bytes);
        memset(v->data[k], 0, v->info[k].bytes);
    }
}
static void give(memory *v) {
    uint32_t k;
    for (k = 0; k < v->n; k++) free(v->data[k]);
}
static long ill_conditioned;
/* The argument, where it is of floats with each changed by 2^-18 of itself at most. */
static bool jitter(const xlagpu_value_info *v, const unsigned char *from, unsigned char *to) {
    size_t size = xlagpu_type_bytes(v->type), e;
    memcpy(to, from, v->bytes);
    if (v->type != XLAGPU_F32 && v->type != XLAGPU_F64) return false;
    for (e = 0; e < v->bytes / size; e++) {
        double x = xlagpu_get_element(v->type, to + e * size);
        xlagpu_set_element(v->type, to + e * size, x * (1 + ((double)draw(1001) - 500) / 500 / (1 << 18)));
    }
    return true;
}
/* Is the module's own rounding larger than what is compared? It is where the evaluator's results are as far apart for
 * arguments that differ by 2^-18 of themselves: a quotient of sums that cancel, say. Whether such a sum is zero, of
 * which a remainder is no number, is a matter of luck: some draws are tried. */
static bool is_ill_conditioned(xlagpu_module *m, const memory *in, const memory *want, memory *other) {
    xlagpu_tensor a[LEAVES], b[LEAVES];
    uint32_t k, tries;
    bool moved = false, away = false;
    for (k = 0; k < in->n; k++) {
        a[k].data = malloc(in->info[k].bytes);
        a[k].bytes = in->info[k].bytes;
    }
    for (k = 0; k < want->n; k++) {
        b[k].data = other->data[k];
        b[k].bytes = want->info[k].bytes;
    }
    for (tries = 0; tries < JITTERS && !away; tries++) {
        for (k = 0; k < in->n; k++)
            if (jitter(&in->info[k], in->data[k], (unsigned char *)a[k].data)) moved = true;
        if (!moved || xlagpu_evaluate(m, a, in->n, b, want->n, true) != XLAGPU_OK) break;
        for (k = 0; k < want->n; k++) away = away || far_apart(&want->info[k], want->data[k], other->data[k]);
    }
    for (k = 0; k < in->n; k++) free(a[k].data);
    return away;
}
/* What one device without callbacks does not run: calls, loops without an end, a part of a program of several, whose
 * arguments are parts, too. */
static bool is_beyond(const char *said) {
    return strstr(said, "not registered") || strstr(said, "limit") || strstr(said, "this one is alone") ||
           strstr(said, "; it needs ");
}
static const char *compare(
    xlagpu_module *m, xlagpu_device *d, xlagpu_bytes exe, memory *in, memory *want, memory *got) {
    xlagpu_tensor a[LEAVES], b[LEAVES];
    xlagpu_rt_tensor x[LEAVES], y[LEAVES];
    xlagpu_program *p;
    const char *why = NULL;
    uint32_t k;
    for (k = 0; k < in->n; k++) {
        fill(&in->info[k], in->data[k]);
        a[k].data = x[k].data = in->data[k];
        a[k].bytes = x[k].bytes = in->info[k].bytes;
    }
    for (k = 0; k < want->n; k++) {
        b[k].data = want->data[k];
        y[k].data = got->data[k];
        b[k].bytes = y[k].bytes = want->info[k].bytes;
    }
    if (xlagpu_evaluate(m, a, in->n, b, want->n, true) != XLAGPU_OK) return NULL;
    p = xlagpu_rt_load(d, exe.data, exe.size);
    if (!p) return *xlagpu_rt_error(d) && !strstr(xlagpu_rt_error(d), "bug") ? NULL : xlagpu_rt_error(d);
    if (xlagpu_rt_run(p, x, in->n, y, want->n) != XLAGPU_OK)
        why = is_beyond(xlagpu_rt_error(d)) ? NULL : xlagpu_rt_error(d);
    else
        for (k = 0; !why && k < want->n; k++)
            if (far_apart(&want->info[k], want->data[k], got->data[k]))
                why = "the simulator differs from the evaluator";
    xlagpu_rt_unload(p);
    if (why && strstr(why, "differs from") && is_ill_conditioned(m, in, want, got)) {
        ill_conditioned++;
        why = NULL;
    }
    return why;
}
/* Two results are right: a power of complex zero is NaN to XLA's evaluator and zero to XLA:GPU; a predicate made of
 * bits is any byte to the one and 0 or 1 to the other. */
static bool has_two_results(const text *t) {
    if (strstr(t->p, "power(") && (strstr(t->p, "c64[") || strstr(t->p, "c128["))) return true;
    return strstr(t->p, "pred[") && (strstr(t->p, "bitcast(") || strstr(t->p, "bitcast-convert("));
}
/* Loops may never end once they are mutated. Sums of narrow floats depend on
 * their order, as does whatever a reducer computes that is no longer a sum. */
static bool may_run(const text *t) {
    static const char *const folds[] = {"reduce", "scan", "scatter", "dot(", "convolution(", "sort(", "map("};
    /* nearly singular matrices; a format without zero, whose padding reads as its least number */
    if (strstr(t->p, "cholesky(") || strstr(t->p, "triangular-solve(") || strstr(t->p, "f8e8m0") || has_two_results(t))
        return false;
    bool narrow = strstr(t->p, "f8e") || strstr(t->p, "f4e") || strstr(t->p, "f6e");
    size_t k;
    for (k = 0; k < sizeof folds / sizeof *folds && (narrow || in_applied); k++)
        if (strstr(t->p, folds[k])) return false;
    return !strstr(t->p, "while(") && !strstr(t->p, "infeed") && !strstr(t->p, "outfeed") &&
           !strstr(t->p, "custom-call");
}
static const char *run(xlagpu_module *m, xlagpu_bytes exe) {
    static memory in, want, got;
    xlagpu_device_desc desc;
    xlagpu_device *d = NULL;
    const char *why;
    static char said[600];
    if (!describe(m, &in, false) || !describe(m, &want, true)) return NULL;
    got = want;
    memset(&desc, 0, sizeof desc);
    desc.platform = "host";
    desc.threads = 1;
    if (xlagpu_rt_open(&desc, &d) != XLAGPU_OK) return "no device";
    take(&in);
    take(&want);
    take(&got);
    why = compare(m, d, exe, &in, &want, &got);
    if (why) {
        snprintf(said, sizeof said, "%s", why);
        why = said;
    }
    give(&in);
    give(&want);
    give(&got);
    xlagpu_rt_close(d);
    return why;
}

typedef struct tally {
    long tried, compiled, ran, ill_conditioned, failed;
} tally;

static const char *try_one(const text *t, uint64_t k, tally *n) {
    static char said[700];
    xlagpu_context_desc d;
    xlagpu_compile_desc e;
    xlagpu_context *c;
    xlagpu_module *m;
    xlagpu_bytes exe = {NULL, 0};
    const char *why = NULL;
    memset(&d, 0, sizeof d);
    d.allocator.alloc = count_alloc;
    d.allocator.release = count_release;
    d.memory_limit = (size_t)1 << 30;
    memset(&e, 0, sizeof e);
    e.target.name = targets[k % N_TARGETS];
    e.fill_elided_constants = true;
    e.disable_all_passes = k % 4 == 1;
    e.deterministic_ops = k % 5 == 1;
    e.double_buffer_loops = k % 7 == 1;
    e.command_buffer_control = k % 3 == 1;
    c = xlagpu_create(&d);
    m = xlagpu_parse(c, "mutant", t->p, t->n);
    if (!m)
        why = refusal(c, true);
    else if ((why = print_twice(c, m)) == NULL) {
        exe = xlagpu_compile(m, &e);
        if (!exe.data) why = refusal(c, false);
    }
    n->compiled += exe.data != NULL;
    if (exe.data && may_run(t)) {
        n->ran++;
        why = run(m, exe);
    }
    if (why) {
        snprintf(said, sizeof said, "%s", why);
        why = said;
    }
    xlagpu_destroy(c);
    if (!why && live) why = "memory is not given back";
    live = 0;
    return why;
}

/* ---- batches ---- */

static int report_to;
static text current;
static uint64_t current_number;

static void keep(const char *why) {
    char path[400];
    FILE *f;
    mkdir(keep_dir, 0777);
    snprintf(path, sizeof path, "%s/%llu.hlo", keep_dir, (unsigned long long)current_number);
    f = fopen(path, "wb");
    if (!f) return;
    fwrite(current.p, 1, current.n, f);
    fclose(f);
    printf("FAIL %llu: %.300s\n", (unsigned long long)current_number, why);
    fflush(stdout);
}
/* What a sanitizer finds ends in `died` like any other crash. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "abort_on_error=1:detect_leaks=0"; }
const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void) { return "abort_on_error=1:print_stacktrace=1"; }
static void died(int signal_number) {
    keep(signal_number == SIGALRM || signal_number == SIGPROF ? "more than 10 seconds" : "a crash");
    if (write(report_to, &current_number, sizeof current_number) < 0) {}
    _exit(3);
}
/* A mutant's time is the processor's: others may use the machine. One that waits for ever uses none. */
static void limit(bool on) {
    struct itimerval t;
    memset(&t, 0, sizeof t);
    t.it_value.tv_sec = on ? SECONDS_MAX : 0;
    setitimer(ITIMER_PROF, &t, NULL);
    alarm(on ? WAIT_MAX : 0);
}
/* Tries [from, to); what came of it goes through the pipe: a crash sends only the number. */
static void child(uint64_t from, uint64_t to, int pipe_to, bool show) {
    tally n = {0, 0, 0, 0, 0};
    report_to = pipe_to;
    signal(SIGSEGV, died);
    signal(SIGBUS, died);
    signal(SIGFPE, died);
    signal(SIGILL, died);
    signal(SIGABRT, died);
    signal(SIGALRM, died);
    signal(SIGPROF, died);
    for (; from < to; from++) {
        const char *why;
        current_number = from;
        make(from, &current);
        if (show) fwrite(current.p, 1, current.n, stdout);
        limit(true);
        why = try_one(&current, from, &n);
        limit(false);
        n.tried++;
        if (!why) continue;
        n.failed++;
        keep(why);
    }
    n.ill_conditioned = ill_conditioned;
    if (write(pipe_to, &n, sizeof n) < 0) {}
    _exit(0);
}
/* The number to go on from. */
static uint64_t batch(uint64_t from, uint64_t to, tally *sum, bool show) {
    union {
        tally n;
        uint64_t number;
    } said;
    int ends[2], status = 0;
    ssize_t got;
    pid_t id;
    if (pipe(ends)) exit(2);
    fflush(stdout);
    id = fork();
    if (id == 0) child(from, to, ends[1], show);
    close(ends[1]);
    memset(&said, 0, sizeof said);
    got = read(ends[0], &said, sizeof said);
    close(ends[0]);
    waitpid(id, &status, 0);
    if (got == (ssize_t)sizeof said.n) {
        sum->tried += said.n.tried;
        sum->compiled += said.n.compiled;
        sum->ran += said.n.ran;
        sum->ill_conditioned += said.n.ill_conditioned;
        sum->failed += said.n.failed;
        return to;
    }
    sum->failed++;
    sum->tried++;
    return got == (ssize_t)sizeof said.number ? said.number + 1 : to;
}

int main(int argc, char **argv) {
    tally sum = {0, 0, 0, 0, 0};
    uint64_t first = 0, count = UINT64_MAX / 2, k;
    long seconds = 0;
    time_t start = time(NULL);
    size_t largest = 0;
    bool show = false;
    int a;
    for (a = 1; a < argc; a++) {
        if (strcmp(argv[a], "--count") == 0 && a + 1 < argc)
            count = strtoull(argv[++a], NULL, 10);
        else if (strcmp(argv[a], "--seconds") == 0 && a + 1 < argc)
            seconds = atol(argv[++a]);
        else if (strcmp(argv[a], "--seed") == 0 && a + 1 < argc)
            first = strtoull(argv[++a], NULL, 10);
        else if (strcmp(argv[a], "--keep") == 0 && a + 1 < argc)
            keep_dir = argv[++a];
        else if (strcmp(argv[a], "--show") == 0)
            show = true;
        else if (n_seeds < (int)(sizeof seeds / sizeof *seeds) &&
                 (seeds[n_seeds] = file_read(argv[a], &seed_bytes[n_seeds])) != NULL) {
            if (seed_bytes[n_seeds] > (size_t)64 << 10) { /* a large one is slow, and no richer */
                free(seeds[n_seeds]);
                continue;
            }
            largest = seed_bytes[n_seeds] > largest ? seed_bytes[n_seeds] : largest;
            n_seeds++;
        }
    }
    if (!n_seeds || (!seconds && count > UINT64_MAX / 4)) {
        fprintf(stderr, "usage: mutants --count N | --seconds N [--seed FIRST] [--keep DIR] [--show] FILE.hlo ...\n");
        return 2;
    }
    current.room = largest + GROWTH;
    current.p = (char *)malloc(current.room);
    for (k = first; k < first + count && (!seconds || time(NULL) - start < seconds);)
        k = batch(k, first + count - k < BATCH ? first + count : k + BATCH, &sum, show);
    printf("%ld mutants, %ld compiled, %ld run, %ld of them ill-conditioned: not compared\n", sum.tried, sum.compiled,
        sum.ran, sum.ill_conditioned);
    printf("%ld passed, %ld failed\n", sum.tried - sum.failed, sum.failed);
    return sum.failed != 0;
}
