/* tests/programs/expect.h -- what the C programs under tests/ share: counting checks, an allocator that counts and can
 * refuse, a module that uses all of a program's parts. Include it after the headers. */
#ifndef XLAGPU_TESTS_EXPECT_H
#define XLAGPU_TESTS_EXPECT_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__GNUC__)
#define EXPECT_FN __attribute__((unused)) static
#else
#define EXPECT_FN static
#endif

static unsigned long passed, failed;
EXPECT_FN bool expect_(bool ok, const char *what, const char *file, int line) {
    if (ok)
        passed++;
    else if (failed++ < 20)
        printf("FAIL %s:%d: %s\n", file, line, what);
    return ok;
}
#define EXPECT(x) expect_((x), #x, __FILE__, __LINE__)
/* The same with a text that says which case it was. */
#define EXPECT_IN(x, what) expect_((x), (what), __FILE__, __LINE__)
/* The message names this. */
#define EXPECT_TEXT(text, part) expect_text_((text), (part), __FILE__, __LINE__)
EXPECT_FN bool expect_text_(const char *text, const char *part, const char *file, int line) {
    if (text && strstr(text, part)) {
        passed++;
        return true;
    }
    if (failed++ < 20) printf("FAIL %s:%d: '%s' is not in: %s\n", file, line, part, text ? text : "(null)");
    return false;
}
EXPECT_FN int finish(void) {
    printf("%lu passed, %lu failed\n", passed, failed);
    return failed != 0;
}

/* ---- an allocator that counts, and refuses ---- */
/* refuse: the number of the call that gets nothing; 0: none */
typedef struct counter {
    long live, calls, refuse;
    bool from_there_on;
    long refused;
} counter;
EXPECT_FN void *counter_alloc(void *user, size_t bytes) {
    counter *c = (counter *)user;
    void *p;
    c->calls++;
    if (c->refuse && (c->calls == c->refuse || (c->from_there_on && c->calls > c->refuse))) {
        c->refused++;
        return NULL;
    }
    p = malloc(bytes);
    if (p) {
        memset(p, 0xA5, bytes);
        c->live++;
    } /* nothing may count on zeros */
    return p;
}
EXPECT_FN void counter_release(void *user, void *p) {
    counter *c = (counter *)user;
    if (p) c->live--;
    free(p);
}
EXPECT_FN xlagpu_allocator counter_of(counter *c) {
    xlagpu_allocator a;
    a.alloc = counter_alloc;
    a.release = counter_release;
    a.user = c;
    return a;
}

/* ---- a module with temporary memory, an array constant, layouts, a parameter and a constant that leave, a value that
 * leaves twice ---- */
static const char whole_text[] = "HloModule whole, entry_computation_layout={(f32[3,5]{0,1}, s32[7])->(f32[5,3]{1,0}, "
                                 "f32[3,5]{1,0}, f32[3,5]{0,1}, s32[7]{0}, s32[4]{0})}\n"
                                 "ENTRY main {\n"
                                 "  x = f32[3,5]{0,1} parameter(0)\n"
                                 "  n = s32[7] parameter(1)\n"
                                 "  k = s32[4] constant({3, 1, 4, 1})\n"
                                 "  w = f32[3,5] constant({{1,2,3,4,5},{6,7,8,9,10},{11,12,13,14,15}})\n"
                                 "  y = f32[3,5] multiply(x, w)\n"
                                 "  z = f32[3,1] slice(y), slice={[0:3], [4:5]}\n"
                                 "  s = f32[3] reshape(z)\n"
                                 "  t = f32[3,5] broadcast(s), dimensions={0}\n"
                                 "  d = f32[3,5] subtract(y, t)\n"
                                 "  r = f32[5,3] transpose(d), dimensions={1,0}\n"
                                 "  ROOT all = (f32[5,3], f32[3,5], f32[3,5], s32[7], s32[4]) tuple(r, d, d, n, k)\n"
                                 "}\n";
enum {
    WHOLE_IN = 2,
    WHOLE_OUT = 5
};
typedef struct whole_data {
    float x[15], r[15], d[15], e[15];
    int32_t n[7], m[7], k[4];
} whole_data;
EXPECT_FN void whole_fill(whole_data *w) {
    int i;
    memset(w, 0, sizeof *w);
    for (i = 0; i < 15; i++) w->x[i] = (float)i * 0.5f - 2;
    for (i = 0; i < 7; i++) w->n[i] = i * i - 9;
}
/* Row-major results. All arithmetic here is exact. */
EXPECT_FN bool whole_right(const whole_data *w) {
    static const int32_t k[4] = {3, 1, 4, 1};
    int i, j;
    for (i = 0; i < 3; i++) {
        float s = w->x[i * 5 + 4] * (float)(i * 5 + 5);
        for (j = 0; j < 5; j++) {
            float d = w->x[i * 5 + j] * (float)(i * 5 + j + 1) - s;
            if (w->d[i * 5 + j] != d || w->e[i * 5 + j] != d || w->r[j * 3 + i] != d) return false;
        }
    }
    return memcmp(w->n, w->m, sizeof w->n) == 0 && memcmp(w->k, k, sizeof k) == 0;
}
#define WHOLE_TENSORS(T, in, out, w) \
    T in[WHOLE_IN], out[WHOLE_OUT]; \
    in[0].data = (w)->x; \
    in[0].bytes = sizeof(w)->x; \
    in[1].data = (w)->n; \
    in[1].bytes = sizeof(w)->n; \
    out[0].data = (w)->r; \
    out[0].bytes = sizeof(w)->r; \
    out[1].data = (w)->d; \
    out[1].bytes = sizeof(w)->d; \
    out[2].data = (w)->e; \
    out[2].bytes = sizeof(w)->e; \
    out[3].data = (w)->m; \
    out[3].bytes = sizeof(w)->m; \
    out[4].data = (w)->k; \
    out[4].bytes = sizeof(w)->k

/* ---- a loop and a branch ---- */
static const char control_text[] =
    "HloModule control\n"
    "cond { s = (s32[], f32[6]) parameter(0) i = s32[] get-tuple-element(s), index=0 n = s32[] constant(5) ROOT lt = "
    "pred[] compare(i, n), direction=LT }\n"
    "body { s = (s32[], f32[6]) parameter(0) i = s32[] get-tuple-element(s), index=0 one = s32[] constant(1) j = s32[] "
    "add(i, one) x = f32[6] get-tuple-element(s), index=1 "
    "y = f32[6] add(x, x) ROOT t = (s32[], f32[6]) tuple(j, y) }\n"
    "plus { p = f32[6] parameter(0) ROOT q = f32[6] add(p, p) }\n"
    "minus { p = f32[6] parameter(0) ROOT q = f32[6] negate(p) }\n"
    "ENTRY e { x = f32[6] parameter(0) b = s32[] parameter(1) zero = s32[] constant(0) t = (s32[], f32[6]) tuple(zero, "
    "x) w = (s32[], f32[6]) while(t), condition=cond, body=body "
    "y = f32[6] get-tuple-element(w), index=1 ROOT c = f32[6] conditional(b, y, y), branch_computations={plus, minus} "
    "}\n";
/* x times 32, then doubled or negated. */
EXPECT_FN bool control_right(const float *x, int32_t b, const float *y) {
    int k;
    for (k = 0; k < 6; k++)
        if (y[k] != x[k] * (b == 0 ? 64 : -32)) return false;
    return true;
}

#endif
