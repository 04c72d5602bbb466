/* fake_cufft.h -- the functions of cuFFT that we look up, over host memory: libraries.c builds it with -DFAKE_CUFFT.
 *
 * Each dimension by the definition of the transform. As the real one, it does not divide an inverse one, and a
 * transform back to real numbers destroys what it reads. */
#include <complex.h>
#include <math.h>
typedef struct plan {
    int used, rank, in, out, own;
    long long n[3], batch;
    size_t bytes;
    char *work;
    void *stream;
} plan;
static plan plans[64];

int cufftGetVersion(int *version) {
    *version = (int)fake.version;
    return 0;
}
int cufftCreate(int *out) {
    int e = failing(), k = 1;
    if (e) return e;
    while (plans[k].used) k++;
    memset(&plans[k], 0, sizeof plans[k]);
    plans[k].used = plans[k].own = 1;
    fake.live++;
    *out = k;
    return 0;
}
int cufftDestroy(int p) {
    plans[p].used = 0;
    fake.live--;
    return 0;
}
int cufftSetAutoAllocation(int p, int own) {
    plans[p].own = own;
    return failing();
}
int cufftSetStream(int p, void *stream) {
    if (p < 1 || !plans[p].used) return 1;
    plans[p].stream = stream;
    return failing();
}
int cufftXtMakePlanMany(int p, int rank, long long *n, long long *in_embed, long long in_stride, long long in_distance,
    int in, long long *out_embed, long long out_stride, long long out_distance, int out, long long batch, size_t *work,
    int type) {
    int k, e = failing();
    (void)in_stride, (void)in_distance, (void)out_stride, (void)out_distance;
    if (e) return e;
    if (in_embed || out_embed || rank < 1 || rank > 3 || batch < 1 || type != (in > out ? in : out)) return 4;
    plans[p].rank = rank;
    plans[p].in = in;
    plans[p].out = out;
    plans[p].batch = batch;
    *work = fake.asked ? (size_t)fake.asked : 100;
    for (k = 0; k < rank; k++) plans[p].n[k] = n[k];
    plans[p].bytes = *work;
    return 0;
}
#if !defined(FAKE_LACKING)
int cufftSetWorkArea(int p, void *work) {
    plans[p].work = work;
    return failing();
}
#endif
static double complex fft_load(const void *p, int type, long long at) {
    switch (type) {
    case 0: return ((const float *)p)[at];
    case 1: return ((const double *)p)[at];
    case 4: return ((const float complex *)p)[at];
    default: return ((const double complex *)p)[at];
    }
}
static void fft_store(void *p, int type, long long at, double complex v) {
    switch (type) {
    case 0: ((float *)p)[at] = (float)creal(v); break;
    case 1: ((double *)p)[at] = creal(v); break;
    case 4: ((float complex *)p)[at] = (float complex)v; break;
    default: ((double complex *)p)[at] = v; break;
    }
}
/* Along dimension d of an array of the plan's whole lengths. */
static void fft_along(double complex *x, const plan *p, int d, int sign) {
    long long n = p->n[d], inner = 1, outer = 1, a, b, j, k;
    double complex *y = malloc((size_t)n * sizeof *y);
    for (k = d + 1; k < p->rank; k++) inner *= p->n[k];
    for (k = 0; k < d; k++) outer *= p->n[k];
    for (a = 0; a < outer; a++)
        for (b = 0; b < inner; b++) {
            double complex *line = x + a * n * inner + b;
            for (k = 0; k < n; k++)
                for (y[k] = 0, j = 0; j < n; j++)
                    y[k] += line[j * inner] * cexp(sign * 2 * M_PI * I * (double)(j * k % n) / (double)n);
            for (k = 0; k < n; k++) line[k * inner] = y[k];
        }
    free(y);
}
/* Element k of the whole spectrum, from its stored half: the mirror image in all dimensions is the conjugate. */
static double complex fft_mirrored(const void *in, const plan *p, long long base, long long k) {
    long long at[3] = {0, 0, 0}, half = p->n[p->rank - 1] / 2 + 1, index = 0;
    int d, mirror;
    double complex v;
    for (d = p->rank; d-- > 0; k /= p->n[d]) at[d] = k % p->n[d];
    mirror = at[p->rank - 1] >= half;
    for (d = 0; d < p->rank; d++)
        index = index * (d + 1 == p->rank ? half : p->n[d]) + (mirror ? (p->n[d] - at[d]) % p->n[d] : at[d]);
    v = fft_load(in, p->in, base + index);
    return mirror ? conj(v) : v;
}
/* A transform that is enqueued. */
typedef struct job {
    plan p;
    void *in, *out;
    int direction;
} job;
static void run_job(void *args) {
    const job *j = (const job *)args;
    const plan *p = &j->p;
    void *in = j->in, *out = j->out;
    long long volume = 1, last = p->n[p->rank - 1], half = last / 2 + 1, b, k, to;
    double complex *x;
    int d, back = p->out < 2, sign = p->in < 2 ? -1 : back ? 1 : j->direction;
    size_t size = p->out == 0 ? 4 : p->out == 5 ? 16 : 8;
    memset(p->work, 0xFF, p->bytes);
    for (d = 0; d < p->rank; d++) volume *= p->n[d];
    x = malloc((size_t)volume * sizeof *x);
    for (b = 0; b < p->batch; b++) {
        for (k = 0; k < volume; k++)
            x[k] = back ? fft_mirrored(in, p, b * (volume / last * half), k) : fft_load(in, p->in, b * volume + k);
        for (d = 0; d < p->rank; d++) fft_along(x, p, d, sign);
        for (k = 0, to = 0; k < volume; k++)
            if (p->in >= 2 || k % last < half)
                fft_store(out, p->out, b * (p->in < 2 ? volume / last * half : volume) + to++, x[k]);
    }
    if (back) memset(in, 0xFF, (size_t)(p->batch * (volume / last * half)) * (p->in == 4 ? 8 : 16));
    free(x);
    wrote(out, (size_t)(p->batch * (p->in < 2 ? volume / last * half : volume)) * size);
}
int cufftXtExec(int handle, void *in, void *out, int direction) {
    int e = failing();
    job j;
    if (e) return e;
    j.p = plans[handle];
    j.in = in;
    j.out = out;
    j.direction = direction;
    if (j.p.own || !j.p.work || (direction != 1 && direction != -1)) return 4;
    fake.products++;
    return later(j.p.stream, run_job, &j, sizeof j, NULL);
}
