/* fake_cusolver.h -- the functions of cuSOLVER that we look up, over host memory: libraries.c builds it with
 * -DFAKE_CUSOLVER.
 *
 * One body for all types, over complex doubles: matrices are widened, factored by the textbook (Golub and Van Loan),
 * and narrowed. Matrices lie column by column. Only the triangle that is named is read or written. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
typedef double complex number;
#define AT(a, i, j) (a)[(i) + (size_t)(j) * (size_t)lead]

static number *widen(char type, const void *p, size_t n) {
    number *x = malloc((n + 1) * sizeof *x);
    size_t k;
    for (k = 0; k < n; k++)
        x[k] = type == 'S'   ? ((const float *)p)[k]
               : type == 'D' ? ((const double *)p)[k]
               : type == 'C' ? ((const float complex *)p)[k]
                             : ((const double complex *)p)[k];
    return x;
}
static void narrow(char type, void *p, const number *x, size_t n) {
    size_t k;
    for (k = 0; k < n; k++)
        if (type == 'S')
            ((float *)p)[k] = (float)creal(x[k]);
        else if (type == 'D')
            ((double *)p)[k] = creal(x[k]);
        else if (type == 'C')
            ((float complex *)p)[k] = (float complex)x[k];
        else
            ((double complex *)p)[k] = x[k];
}
static size_t size_of(char type) { return type == 'S' ? 4 : type == 'Z' ? 16 : 8; }
static char real_of(char type) { return type == 'C' ? 'S' : type == 'Z' ? 'D' : type; }
static void *give_back(char type, void *p, number *x, size_t n) {
    narrow(type, p, x, n);
    wrote(p, n * size_of(type));
    free(x);
    fake.products++;
    return NULL;
}

int cusolverGetVersion(int *version) {
    *version = (int)fake.version;
    return 0;
}
int cusolverDnCreate(void **handle) { return make(handle); }
int cusolverDnDestroy(void *handle) { return drop(handle); }
int cusolverDnSetStream(void *handle, void *stream) {
    if (!handle) return 1;
    ((thing *)handle)->lead = (int64_t)(intptr_t)stream;
    return failing();
}

static int do_size(int *words) {
    int e = failing();
    *words = fake.asked ? (int)fake.asked : 33;
    return e;
}
/* The work is ours: 33 elements of it. */
static int begin(char type, void *work, int words, int *info) {
    if (words != 33 && words != -1) return 3;
    memset(work, 0xFF, 33 * (type == 'S' ? 4 : type == 'Z' ? 16 : 8));
    *info = 0;
    return 0;
}
static int do_potrf(char type, int upper, int n, void *p, int lead, void *work, int words, int *info) {
    number *a = widen(type, p, (size_t)lead * (size_t)n), v;
    int i, j, k, e = begin(type, work, words, info);
    for (j = 0; j < n && !e && !*info; j++) {
        double d = creal(AT(a, j, j));
        for (k = 0; k < j; k++) v = upper ? AT(a, k, j) : AT(a, j, k), d -= creal(v * conj(v));
        if (!(d > 0)) {
            *info = j + 1;
            break;
        }
        AT(a, j, j) = d = sqrt(d);
        for (i = j + 1; i < n; i++) {
            v = upper ? AT(a, j, i) : AT(a, i, j);
            for (k = 0; k < j; k++) v -= upper ? conj(AT(a, k, j)) * AT(a, k, i) : AT(a, i, k) * conj(AT(a, j, k));
            *(upper ? &AT(a, j, i) : &AT(a, i, j)) = v / d;
        }
    }
    give_back(type, p, a, (size_t)lead * (size_t)n);
    wrote(info, 4);
    return e;
}
static int do_getrf(char type, int m, int n, void *p, int lead, void *work, int *pivots, int *info) {
    number *a = widen(type, p, (size_t)lead * (size_t)n), t;
    int i, j, k, e = begin(type, work, -1, info);
    for (j = 0; j < m && j < n && !e; j++) {
        int best = j;
        for (i = j + 1; i < m; i++)
            if (fabs(creal(AT(a, i, j))) + fabs(cimag(AT(a, i, j))) >
                fabs(creal(AT(a, best, j))) + fabs(cimag(AT(a, best, j))))
                best = i;
        pivots[j] = best + 1;
        for (k = 0; k < n; k++) t = AT(a, j, k), AT(a, j, k) = AT(a, best, k), AT(a, best, k) = t;
        if (AT(a, j, j) == 0) {
            if (!*info) *info = j + 1;
            continue;
        }
        for (i = j + 1; i < m; i++) {
            AT(a, i, j) /= AT(a, j, j);
            for (k = j + 1; k < n; k++) AT(a, i, k) -= AT(a, i, j) * AT(a, j, k);
        }
    }
    give_back(type, p, a, (size_t)lead * (size_t)n);
    wrote(pivots, (size_t)(m < n ? m : n) * 4);
    wrote(info, 4);
    return e;
}
/* x = (1, v): I - tau x x^H, or its adjoint, times rows j.. of columns from.. */
static void reflect(number *a, int m, int n, int lead, int j, number tau, int from, const number *v) {
    int i, k;
    for (k = from; k < n; k++) {
        number s = AT(a, j, k);
        for (i = j + 1; i < m; i++) s += conj(v[i]) * AT(a, i, k);
        AT(a, j, k) -= tau * s;
        for (i = j + 1; i < m; i++) AT(a, i, k) -= tau * s * v[i];
    }
}
static int do_geqrf(char type, int m, int n, void *p, int lead, void *taus, void *work, int words, int *info) {
    number *a = widen(type, p, (size_t)lead * (size_t)n), *tau = calloc((size_t)(m < n ? m : n), sizeof *tau);
    int i, j, e = begin(type, work, words, info);
    for (j = 0; j < m && j < n && !e; j++) {
        number alpha = AT(a, j, j), *v = &AT(a, 0, j);
        double below = 0, beta;
        for (i = j + 1; i < m; i++) below += creal(v[i] * conj(v[i]));
        if (below == 0 && cimag(alpha) == 0) continue;
        beta = sqrt(below + creal(alpha * conj(alpha)));
        if (creal(alpha) > 0) beta = -beta;
        tau[j] = (beta - alpha) / beta;
        for (i = j + 1; i < m; i++) v[i] /= alpha - beta;
        v[j] = beta;
        reflect(a, m, n, lead, j, conj(tau[j]), j + 1, v);
    }
    narrow(type, taus, tau, (size_t)(m < n ? m : n));
    wrote(taus, (size_t)(m < n ? m : n) * size_of(type));
    wrote(info, 4);
    free(tau);
    give_back(type, p, a, (size_t)lead * (size_t)n);
    return e;
}
static int do_orgqr(
    char type, int m, int n, int count, void *p, int lead, void *taus, void *work, int words, int *info) {
    number *a = widen(type, p, (size_t)lead * (size_t)n), *tau = widen(type, taus, (size_t)count);
    number *q = calloc((size_t)lead * (size_t)n, sizeof *q);
    int j, e = begin(type, work, words, info);
    for (j = 0; j < n; j++) AT(q, j, j) = 1;
    for (j = count; j-- > 0;) reflect(q, m, n, lead, j, tau[j], 0, &AT(a, 0, j));
    free(a);
    free(tau);
    give_back(type, p, q, (size_t)lead * (size_t)n);
    wrote(info, 4);
    return e;
}
/* Columns of a (m by n) are rotated until all are orthogonal (Hestenes): a becomes a v. */
static void orthogonalise(number *a, int m, number *v, int n) {
    int round, i, j, k;
    for (round = 0; round < 60; round++)
        for (i = 0; i < n; i++)
            for (j = i + 1; j < n; j++) {
                double x = 0, y = 0, zeta, t, c;
                number z = 0, phase, *ai = a + (size_t)i * (size_t)m, *aj = a + (size_t)j * (size_t)m;
                for (k = 0; k < m; k++) {
                    x += creal(ai[k] * conj(ai[k]));
                    y += creal(aj[k] * conj(aj[k]));
                    z += conj(ai[k]) * aj[k];
                }
                if (cabs(z) <= 1e-15 * sqrt(x * y)) continue;
                phase = z / cabs(z);
                zeta = (y - x) / (2 * cabs(z));
                t = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
                c = 1 / sqrt(1 + t * t);
                for (k = 0; k < m + n; k++) {
                    number *p = k < m ? ai + k : v + (k - m) + (size_t)i * (size_t)n;
                    number *q = k < m ? aj + k : v + (k - m) + (size_t)j * (size_t)n, old = *p;
                    *p = c * old - c * t * conj(phase) * *q;
                    *q = c * t * phase * old + c * *q;
                }
            }
}
static number *unit(int n) {
    number *v = calloc((size_t)n * (size_t)n, sizeof *v);
    int k;
    for (k = 0; k < n; k++) v[k + k * n] = 1;
    return v;
}
/* A + shift has positive eigenvalues: then its singular values are they, and its right vectors its eigenvectors. */
static int do_syevd(
    char type, int vectors, int upper, int n, void *p, int lead, void *values, void *work, int words, int *info) {
    number *a = widen(type, p, (size_t)lead * (size_t)n), *v = unit(n), *w = calloc((size_t)n, sizeof *w);
    double shift = 1;
    int i, j, k, e = begin(type, work, words, info);
    if (!vectors) return 3;
    for (i = 0; i < n; i++)
        for (j = i; j < n; j++) {
            number x = upper ? AT(a, i, j) : conj(AT(a, j, i));
            shift += cabs(x);
            AT(a, i, j) = i == j ? creal(x) : x;
            AT(a, j, i) = conj(AT(a, i, j));
        }
    for (i = 0; i < n; i++) AT(a, i, i) += 2 * shift;
    orthogonalise(a, n, v, n);
    for (j = 0; j < n; j++) {
        double size = 0;
        for (i = 0; i < n; i++) size += creal(AT(a, i, j) * conj(AT(a, i, j)));
        w[j] = sqrt(size) - 2 * shift;
    }
    for (i = 0; i < n; i++) /* ascending */
        for (j = i + 1; j < n; j++)
            if (creal(w[j]) < creal(w[i]))
                for (k = -1; k < n; k++) {
                    number *x = k < 0 ? w + i : v + k + i * n, *y = k < 0 ? w + j : v + k + j * n, t = *x;
                    *x = *y;
                    *y = t;
                }
    narrow(real_of(type), values, w, (size_t)n);
    wrote(values, (size_t)n * size_of(real_of(type)));
    wrote(info, 4);
    free(w);
    free(a);
    give_back(type, p, v, (size_t)n * (size_t)n);
    return e;
}
/* Without vectors, or with as many left ones as there are columns. */
static int do_gesvd(char type, int job, int job_v, int m, int n, void *p, int lead, void *values, void *u, int lead_u,
    void *vt, int lead_v, void *work, int words, int *info) {
    number *a = widen(type, p, (size_t)lead * (size_t)n), *v = unit(n), *w = calloc((size_t)n, sizeof *w);
    number *t = calloc((size_t)n * (size_t)n, sizeof *t);
    int i, j, k, e = begin(type, work, words, info);
    if (m < n || job != job_v || (job != 'N' && job != 'S') || lead != m ||
        (job == 'S' && (lead_u != m || lead_v != n)))
        return 3;
    orthogonalise(a, m, v, n);
    for (j = 0; j < n; j++) {
        double size = 0;
        for (i = 0; i < m; i++) size += creal(AT(a, i, j) * conj(AT(a, i, j)));
        w[j] = sqrt(size);
        for (i = 0; i < m && size > 0; i++) AT(a, i, j) /= w[j];
    }
    for (i = 0; i < n; i++) /* descending */
        for (j = i + 1; j < n; j++)
            if (creal(w[j]) > creal(w[i]))
                for (k = -1; k < n + m; k++) {
                    number *x = k < 0   ? w + i
                                : k < n ? v + k + i * n
                                        : &AT(a, k - n, i),
                           *y = k < 0   ? w + j
                                : k < n ? v + k + j * n
                                        : &AT(a, k - n, j),
                           s = *x;
                    *x = *y;
                    *y = s;
                }
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) t[i + j * n] = conj(v[j + i * n]);
    narrow(real_of(type), values, w, (size_t)n);
    if (job == 'S') narrow(type, u, a, (size_t)m * (size_t)n);
    if (job == 'S') narrow(type, vt, t, (size_t)n * (size_t)n);
    wrote(values, (size_t)n * size_of(real_of(type)));
    wrote(info, 4);
    if (job == 'S') wrote(u, (size_t)m * (size_t)n * size_of(type));
    if (job == 'S') wrote(vt, (size_t)n * (size_t)n * size_of(type));
    free(v);
    free(w);
    free(t);
    memset(p, 0xFF, (size_t)lead * (size_t)n * 4); /* A is lost */
    fake.products++;
    free(a);
    return e;
}
/* A factorisation that is enqueued. Those with vectors wait for the stream instead: they look at what has converged. */
typedef struct job {
    char which, type;
    int i[4];
    void *p[3];
    int *q[2];
} job;
static void run_job(void *args) {
    const job *j = (const job *)args;
    const int *i = j->i;
    if (j->which == 'p') (void)do_potrf(j->type, i[0], i[1], j->p[0], i[2], j->p[1], i[3], j->q[0]);
    if (j->which == 'l') (void)do_getrf(j->type, i[0], i[1], j->p[0], i[2], j->p[1], j->q[0], j->q[1]);
    if (j->which == 'q') (void)do_geqrf(j->type, i[0], i[1], j->p[0], i[2], j->p[1], j->p[2], i[3], j->q[0]);
    if (j->which == 'o') (void)do_orgqr(j->type, i[0], i[1], i[2], j->p[0], i[3], j->p[1], j->p[2], 33, j->q[0]);
}
static int do_later(void *h, const job *j, int words) {
    int e = failing();
    return e ? e : words != 33 ? 3 : later((void *)(intptr_t)((thing *)h)->lead, run_job, j, sizeof *j, NULL);
}
static int wait_first(void *h) {
    int e = failing();
    return e ? e : settled((void *)(intptr_t)((thing *)h)->lead) ? 7 : 0;
}
#if defined(FAKE_LACKING)
#define GESVD(S)
#else
#define GESVD(S) \
    int cusolverDn##S##gesvd(void *h, signed char ju, signed char jv, int m, int n, void *a, int lead, void *s, \
        void *u, int lu, void *v, int lv, void *work, int words, void *rest, int *info) { \
        int e = wait_first(h); \
        if (e) return e; \
        memset(rest, 0xFF, (size_t)(n - 1) * (*#S == 'S' || *#S == 'C' ? 4 : 8)); \
        return do_gesvd(*#S, ju, jv, m, n, a, lead, s, u, lu, v, lv, work, words, info); \
    }
#endif
#define ALL(S, orgqr, syevd) \
    int cusolverDn##S##potrf_bufferSize(void *h, int up, int n, void *a, int lead, int *words) { \
        return do_size(words); \
    } \
    int cusolverDn##S##getrf_bufferSize(void *h, int m, int n, void *a, int lead, int *words) { \
        return do_size(words); \
    } \
    int cusolverDn##S##geqrf_bufferSize(void *h, int m, int n, void *a, int lead, int *words) { \
        return do_size(words); \
    } \
    int cusolverDn##S##orgqr##_bufferSize(void *h, int m, int n, int k, void *a, int lead, void *tau, int *words) { \
        return do_size(words); \
    } \
    int cusolverDn##S##syevd##_bufferSize(void *h, int z, int up, int n, void *a, int lead, void *w, int *words) { \
        return do_size(words); \
    } \
    int cusolverDn##S##gesvd_bufferSize(void *h, int m, int n, int *words) { return do_size(words); } \
    int cusolverDn##S##potrf(void *h, int up, int n, void *a, int lead, void *work, int words, int *info) { \
        job j = {'p', *#S, {up, n, lead, words}, {a, work}, {info}}; \
        return do_later(h, &j, words); \
    } \
    int cusolverDn##S##getrf(void *h, int m, int n, void *a, int lead, void *work, int *pivots, int *info) { \
        job j = {'l', *#S, {m, n, lead, 0}, {a, work}, {pivots, info}}; \
        return do_later(h, &j, 33); \
    } \
    int cusolverDn##S##geqrf(void *h, int m, int n, void *a, int lead, void *tau, void *work, int words, int *info) { \
        job j = {'q', *#S, {m, n, lead, words}, {a, tau, work}, {info}}; \
        return do_later(h, &j, words); \
    } \
    int cusolverDn##S##orgqr( \
        void *h, int m, int n, int k, void *a, int lead, void *tau, void *work, int words, int *info) { \
        job j = {'o', *#S, {m, n, k, lead}, {a, tau, work}, {info}}; \
        return do_later(h, &j, words); \
    } \
    int cusolverDn##S##syevd( \
        void *h, int z, int up, int n, void *a, int lead, void *w, void *work, int words, int *info) { \
        int e = wait_first(h); \
        if (e) return e; \
        return do_syevd(*#S, z, up, n, a, lead, w, work, words, info); \
    } \
    GESVD(S)
ALL(S, orgqr, syevd)
ALL(D, orgqr, syevd)
ALL(C, ungqr, heevd)
ALL(Z, ungqr, heevd)
