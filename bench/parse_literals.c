/* bench/parse_literals.c -- how fast whole literals are read and printed, in MB/s of text.
 *
 *     cc -O2 -I src bench/parse_literals.c -lm && ./a.out [elements]
 *
 * Each kind of text is parsed five times as one constant; the best time counts. Needs POSIX clock_gettime. */
#define _POSIX_C_SOURCE 199309L
#define XLAGPU_IMPLEMENTATION
#include "../src/xlagpu.h"
#include <stdio.h>
#include <time.h>

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t random_bits(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 11;
}

/* form 0: uniform in [-1, 1), 1: any integer, 2: 0 to 9, 3: any bits */
typedef struct kind {
    const char *name;
    xlagpu_type type;
    int digits, form;
} kind;
static const kind kinds[] = {
    {"f32 %.9g", XLAGPU_F32, 9, 0},
    {"f32 %.9g any exponent", XLAGPU_F32, 9, 3},
    {"f32 %.6g", XLAGPU_F32, 6, 0},
    {"bf16 %.4g", XLAGPU_BF16, 4, 0},
    {"f64 %.17g", XLAGPU_F64, 17, 0},
    {"f64 %.17g any exponent", XLAGPU_F64, 17, 3},
    {"s32", XLAGPU_S32, 0, 1},
    {"s32 one digit", XLAGPU_S32, 0, 2},
    {"s64", XLAGPU_S64, 0, 1},
};

static void put_value(xg_buf *b, const kind *k, uint64_t *state) {
    uint64_t r = random_bits(state);
    double v = (double)r / 4503599627370496.0 - 1;
    if (k->form == 2) {
        xg_put_u64(b, r % 10);
        return;
    }
    if (k->form == 1) {
        xg_put_i64(b, k->type == XLAGPU_S32 ? (int64_t)(int32_t)(uint32_t)r : (int64_t)(r * 2049));
        return;
    }
    if (k->form == 3) {
        v = k->type == XLAGPU_F32 ? (double)xg_f32_of_bits((uint32_t)r) : xg_f64_of_bits(r * 2049);
        if (!(v - v == 0)) v = 1;
    }
    xg_float_print_g(b, k->type == XLAGPU_F32 ? (double)(float)v : v, k->digits);
}

static void measure(xg_ctx *c, const kind *k, int64_t n) {
    xg_arena arena, work;
    xg_module *m;
    const xg_shape *shape;
    xg_literal *l = NULL;
    xg_source src;
    xg_buf text, printed;
    uint64_t state = 1;
    double best = 1e9, print_time, t;
    int64_t i;
    int round;
    xg_arena_init(&arena, c);
    xg_arena_init(&work, c);
    m = xg_module_new(c, &arena, XG_STR("bench"));
    shape = xg_shape_array(m, k->type, &n, 1, NULL, NULL);
    xg_buf_init(&text, &arena);
    xg_putc(&text, '{');
    for (i = 0; i < n; i++) {
        if (i) xg_puts(&text, ", ");
        put_value(&text, k, &state);
    }
    xg_putc(&text, '}');
    src.name = "bench";
    src.text = text.p;
    src.size = text.n;
    for (round = 0; round < 5; round++) {
        size_t at = 0;
        xg_arena_free(&work);
        t = seconds();
        l = xg_literal_parse(c, &work, &src, &at, shape);
        t = seconds() - t;
        if (t < best) best = t;
    }
    xg_buf_init(&printed, &work);
    t = seconds();
    xg_literal_print(&printed, l, true);
    print_time = seconds() - t;
    printf("%-24s %8.0f MB/s read %8.1f ns/element %8.0f MB/s printed\n", k->name, (double)text.n / best / 1e6,
        best / (double)n * 1e9, (double)printed.n / print_time / 1e6);
    xg_arena_free(&work);
    xg_arena_free(&arena);
}

int main(int argc, char **argv) {
    int64_t n = argc > 1 ? strtol(argv[1], NULL, 10) : 1000000;
    xg_ctx c;
    jmp_buf here;
    size_t i;
    xg_ctx_init(&c, NULL, 0);
    if (setjmp(here)) {
        fprintf(stderr, "%s\n", c.message);
        return 1;
    }
    xg_try(&c, &here);
    for (i = 0; i < XG_COUNT(kinds); i++) measure(&c, &kinds[i], n);
    return 0;
}
