/* fake_cublaslt.h -- the functions of cuBLASLt that we look up, over host memory: libraries.c builds it. */
#include <math.h>
static int set(void *p, int attribute, const void *value, size_t bytes) {
    int e = failing();
    if (e || attribute < 0 || attribute >= 40 || bytes > 8) return e ? e : 7;
    ((thing *)p)->attribute[attribute] = 0;
    memcpy(&((thing *)p)->attribute[attribute], value, bytes);
    return 0;
}
size_t cublasLtGetVersion(void) { return fake.version; }
int cublasLtCreate(void **h) { return make(h); }
int cublasLtDestroy(void *h) { return drop(h); }
int cublasLtMatmulDescCreate(void **d, int compute, int scale) {
    int e = make(d);
    if (e) return e;
    ((thing *)*d)->compute = compute;
    ((thing *)*d)->scale = scale;
    return 0;
}
int cublasLtMatmulDescSetAttribute(void *d, int a, const void *v, size_t n) { return set(d, a, v, n); }
int cublasLtMatmulDescDestroy(void *d) { return drop(d); }
int cublasLtMatrixLayoutCreate(void **l, int type, uint64_t rows, uint64_t columns, int64_t lead) {
    int e = make(l);
    if (e) return e;
    ((thing *)*l)->type = type;
    ((thing *)*l)->rows = (int64_t)rows;
    ((thing *)*l)->columns = (int64_t)columns;
    ((thing *)*l)->lead = lead;
    return 0;
}
int cublasLtMatrixLayoutSetAttribute(void *l, int a, const void *v, size_t n) { return set(l, a, v, n); }
int cublasLtMatrixLayoutDestroy(void *l) { return drop(l); }
int cublasLtMatmulPreferenceCreate(void **p) { return make(p); }
int cublasLtMatmulPreferenceSetAttribute(void *p, int a, const void *v, size_t n) { return set(p, a, v, n); }
int cublasLtMatmulPreferenceDestroy(void *p) { return drop(p); }
typedef struct choice {
    uint64_t algorithm[8];
    size_t workspace;
    int status;
    float waves;
    int reserved[4];
} choice;
int cublasLtMatmulAlgoGetHeuristic(
    void *handle, void *desc, void *a, void *b, void *c, void *d, void *wish, int wanted, choice *out, int *n) {
    int e = failing();
    (void)handle, (void)desc, (void)a, (void)b, (void)c, (void)d;
    if (e) return e;
    *n = fake.algorithms < 0 || wanted < fake.algorithms ? wanted : fake.algorithms;
    out->status = fake.algorithms < 0 ? 14 : 0;
    fake.reductions = (unsigned)((thing *)wish)->attribute[3];
    out->algorithm[0] = 77;
    out->workspace = fake.asked ? (size_t)fake.asked : (size_t)((thing *)wish)->attribute[1];
    return 0;
}
static double half(uint16_t v) { /* f16 */
    int exponent = v >> 10 & 31;
    double m = exponent ? 1 + (v & 1023) / 1024.0 : (v & 1023) / 512.0;
    for (; exponent > 15; exponent--) m *= 2;
    for (; exponent < 15; exponent++) m /= 2;
    return v >> 15 ? -m : m;
}
static float brain(uint16_t v) { /* bf16 */
    uint32_t bits = (uint32_t)v << 16;
    float f;
    memcpy(&f, &bits, 4);
    return f;
}
static double tiny(uint8_t v) { /* f8e4m3fn */
    int exponent = v >> 3 & 15;
    double m = exponent ? 1 + (v & 7) / 8.0 : (v & 7) / 4.0;
    m = (v & 127) == 127 ? NAN : ldexp(m, (exponent ? exponent : 0) - 7);
    return v >> 7 ? -m : m;
}
static double load(const void *p, int64_t type, int64_t at) {
    switch (type) {
    case 0: return ((const float *)p)[at];
    case 1: return ((const double *)p)[at];
    case 2: return half(((const uint16_t *)p)[at]);
    case 3: return ((const int8_t *)p)[at];
    case 14: return brain(((const uint16_t *)p)[at]);
    case 28: return tiny(((const uint8_t *)p)[at]);
    default: return 0;
    }
}
/* The nearest one, ties to even, no larger than the largest. */
static uint8_t to_tiny(double v) {
    uint8_t best = 0, k;
    if (v != v) return 127;
    for (k = 1; k < 127; k++) {
        double near = fabs(tiny(k) - fabs(v)), was = fabs(tiny(best) - fabs(v));
        if (near < was || (near == was && !(k & 1))) best = k;
    }
    return (uint8_t)(best | (v < 0 ? 128 : 0));
}
static void store(void *p, int64_t type, int64_t at, double v) {
    float f = (float)v;
    uint32_t bits;
    memcpy(&bits, &f, 4);
    if (type == 0) ((float *)p)[at] = f;
    if (type == 1) ((double *)p)[at] = v;
    if (type == 28) ((uint8_t *)p)[at] = to_tiny(v);
    if (type == 10) ((int32_t *)p)[at] = (int32_t)v;
    if (type == 14) ((uint16_t *)p)[at] = (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}
/* Complex elements are two numbers each. */
static void product(const thing *t, const char *a, const thing *la, const char *b, const thing *lb, const char *c,
    char *d, const thing *ld, int64_t batch) {
    int64_t i, j, k, depth = t->attribute[3] ? la->rows : la->columns;
    const char *bias = (const char *)(uintptr_t)t->attribute[8];
    float *largest = (float *)(uintptr_t)t->attribute[21];
    int complex = la->type == 4 || la->type == 5;
    for (i = 0; i < ld->rows; i++)
        for (j = 0; j < ld->columns; j++) {
            double re = 0, im = 0;
            int64_t to = batch * ld->attribute[6] + i + j * ld->lead;
            for (k = 0; k < depth; k++) {
                int64_t x = batch * la->attribute[6] + (t->attribute[3] ? k + i * la->lead : i + k * la->lead),
                        y = batch * lb->attribute[6] + (t->attribute[4] ? j + k * lb->lead : k + j * lb->lead);
                if (complex) {
                    int64_t real = la->type - 4;
                    double xr = load(a, real, 2 * x), xi = load(a, real, 2 * x + 1), yr = load(b, real, 2 * y),
                           yi = load(b, real, 2 * y + 1);
                    re += xr * yr - xi * yi;
                    im += xr * yi + xi * yr;
                } else
                    re += load(a, la->type, x) * load(b, lb->type, y);
            }
            for (k = 17; k <= 18; k++) /* scales of A and B */
                if (t->attribute[k]) re *= *(const float *)(uintptr_t)t->attribute[k];
            if (c) re += load(c, ld->type, to);
            if (t->attribute[7] & 4) re += load(bias, ld->type, i);
            if (t->attribute[7] & 2 && re < 0) re = 0;
            if (t->attribute[7] & 32) re *= 0.5 * (1 + tanh(0.7978845608028654 * (re + 0.044715 * re * re * re)));
            if (largest && fabs(re) > *largest) *largest = (float)fabs(re);
            if (t->attribute[20]) re *= *(const float *)(uintptr_t)t->attribute[20];
            store(d, complex ? ld->type - 4 : ld->type, complex ? 2 * to : to, re);
            if (complex) store(d, ld->type - 4, 2 * to + 1, im);
        }
}
static size_t width_of(int64_t type) {
    return type == 3 || type == 28 ? 1 : type == 2 || type == 14 ? 2 : type == 1 || type == 4 ? 8 : type == 5 ? 16 : 4;
}
/* A product that is enqueued: what it is told lies in here. */
typedef struct job {
    thing t, la, lb, ld;
    const char *a, *b, *c;
    char *d, *workspace;
    size_t bytes;
} job;
static void run_job(void *args) {
    const job *j = (const job *)args;
    int64_t n = j->ld.attribute[5] ? j->ld.attribute[5] : 1, k;
    memset(j->workspace, 0xFF, j->bytes); /* it is ours */
    if (j->t.attribute[21]) *(float *)(uintptr_t)j->t.attribute[21] = 0;
    for (k = 0; k < n; k++) product(&j->t, j->a, &j->la, j->b, &j->lb, j->c, j->d, &j->ld, k);
    wrote(j->d, ((size_t)((n - 1) * j->ld.attribute[6] + (j->ld.columns - 1) * j->ld.lead + j->ld.rows)) *
                    width_of(j->ld.type));
    if (j->t.attribute[21]) wrote((const void *)(uintptr_t)j->t.attribute[21], 4);
}
#if !defined(FAKE_LACKING)
int cublasLtMatmul(void *handle, void *desc, const void *alpha, const void *a, void *la, const void *b, void *lb,
    const void *beta, const void *c, void *lc, void *d, void *ld, const uint64_t *algorithm, void *workspace,
    size_t bytes, void *stream) {
    const thing *t = (const thing *)desc;
    int e = failing(), adds;
    job j;
    if (e) return e;
    if (!handle || algorithm[0] != 77 ||
        ((thing *)lc)->type != (((thing *)ld)->type == 28 ? 14 : ((thing *)ld)->type) ||
        ((thing *)lc)->lead != ((thing *)ld)->lead || ((thing *)lc)->rows != ((thing *)ld)->rows ||
        !!workspace != !!bytes)
        return 7;
    if (t->scale == 10 ? *(const int *)alpha != 1
        : t->scale % 4 ? *(const double *)alpha != 1
                       : *(const float *)alpha != 1)
        return 7;
    adds = t->scale == 10 ? *(const int *)beta : t->scale % 4 ? *(const double *)beta != 0 : *(const float *)beta != 0;
    if (!adds && c != d) return 7;
    fake.workspace = bytes;
    fake.products++;
    j.t = *t;
    j.la = *(const thing *)la;
    j.lb = *(const thing *)lb;
    j.ld = *(const thing *)ld;
    j.a = (const char *)a;
    j.b = (const char *)b;
    j.c = adds ? (const char *)c : NULL;
    j.d = (char *)d;
    j.workspace = (char *)workspace;
    j.bytes = bytes;
    return later(stream, run_job, &j, sizeof j, NULL);
}
#endif
