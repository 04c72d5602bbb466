/* tools/verdict.c -- are these results right? The bound of a comparison, and the line that says the verdict.
 *
 * Without --rtol and --atol every element is first held to the tolerance of its type, of narrow floats a strict one:
 * most errors of a kernel are smaller than what the largest element may err. A long sum errs more than that
 * whatever order it is added in, so an array with elements beyond it is judged by the module's own rounding, which is
 * measured: the module is evaluated in float64 (the types in its text are replaced) and in its own types, for the
 * arguments and for SAMPLES neighbours of theirs, each moved by one unit in the last place. The evaluator adds in
 * float64, so these errors are those of n rounded terms: they grow with the square root of n. A kernel that adds n
 * terms in the result's own type also rounds n partial sums, and errs about sqrt(n) / 7 times as much (each partial sum
 * is sqrt(k) terms large and rounded to half a unit: N. Higham, Accuracy and Stability of Numerical Algorithms, 4.2).
 * So an element may err, against float64, max(FACTOR_LEAST, FACTOR * sqrt(n) / 7) times as much as the worst element
 * of its magnitude or below errs in these evaluations, where n is the module's longest sum; so may the value that it is
 * compared with, which need not be the evaluator's. Floats of fewer bits are added in f32: n does not matter in what
 * is rounded to them, and as arguments they are not moved. What stays f32 errs by such a sum all the same, so a module
 * that has them is also evaluated with f32 in their place, its arguments moved by a unit of f32. Elements of one
 * magnitude are judged together since the error of a single element may vanish by chance; magnitudes apart, so that a
 * small element is not excused by the rounding of a large one.
 *
 * A module that does not evaluate in float64 (bits of floats are converted, the text is not ours to change) is held to
 * the tolerance of its types alone. Integers must be equal in one of the evaluations, or within --int-atol. */
#include "tool.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SAMPLES = 2,       /* neighbours of the arguments; three evaluations in all meet most unlucky cancellations */
    FACTOR = 4,        /* for a sum: the worst of many elements against the typical one */
    FACTOR_LEAST = 2,  /* where no sum is long */
    MAGNITUDES = 2200, /* binary exponents of float64, subnormal ones and zero included */
    PEERS_LEAST = 32   /* elements from which an error is estimated: a magnitude of fewer takes larger ones along */
};

typedef struct wider {
    const char *from, *to;
} wider;
/* The text with these types in place of others, `changed` of them; NULL if that changes the meaning. */
static char *text_in(const wider *types, size_t count, const char *text, size_t n, size_t *changed) {
    char *out = (char *)malloc(2 * n + 1), *at = out;
    size_t p = 0, k;
    *changed = 0;
    while (out && p < n) {
        bool inside = p > 0 && (isalnum((unsigned char)text[p - 1]) || text[p - 1] == '_' || text[p - 1] == '.');
        if (n - p > 16 && strncmp(text + p, "bitcast-convert(", 16) == 0) {
            free(out);
            return NULL;
        }
        for (k = 0; k < count; k++) {
            size_t len = strlen(types[k].from);
            if (!inside && n - p >= len && strncmp(text + p, types[k].from, len) == 0) break;
        }
        if (k == count) {
            *at++ = text[p++];
            continue;
        }
        ++*changed;
        memcpy(at, types[k].to, strlen(types[k].to));
        at += strlen(types[k].to);
        p += strlen(types[k].from);
    }
    if (out) *at = 0;
    return out;
}
/* Every float type of the text is f64, every complex one c128. */
static char *text_in_f64(const char *text, size_t n) {
    static const wider types[] = {{"f32[", "f64["}, {"bf16[", "f64["}, {"f16[", "f64["}, {"c64[", "c128["}};
    size_t changed;
    return text_in(types, sizeof types / sizeof types[0], text, n, &changed);
}
/* f32 for floats of fewer bits; NULL: there are none. */
static char *text_in_f32(const char *text, size_t n) {
    static const wider types[] = {{"bf16[", "f32["}, {"f16[", "f32["}};
    size_t changed;
    char *out = text_in(types, sizeof types / sizeof types[0], text, n, &changed);
    if (out && changed) return out;
    free(out);
    return NULL;
}

/* Reals of an array: a complex element is two. */
static size_t reals_of(const tensor *t) { return tensor_count(t) * (tensor_real(t->type) == t->type ? 1 : 2); }
static double real_at(const tensor *t, size_t k) {
    xlagpu_type r = tensor_real(t->type);
    return xlagpu_get_element(r, t->data + k * xlagpu_type_bytes(r));
}

/* Fills `to`, of the same dimensions and perhaps of wider floats; `moved`: every float by one unit in the last place
 * of its new type, up or down by chance. */
static void take(tensor *to, const tensor *from, bool moved, uint64_t *seed) {
    xlagpu_type r = tensor_real(from->type), w = tensor_real(to->type);
    size_t n = reals_of(from), k;
    if (!tensor_is_float(r)) {
        memcpy(to->data, from->data, from->bytes < to->bytes ? from->bytes : to->bytes);
        return;
    }
    for (k = 0; k < n; k++) {
        double x = real_at(from, k);
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        if (moved && tensor_ulp(w) < NARROW_ULP) x += ((*seed >> 60) & 1 ? 1 : -1) * fabs(x) * tensor_ulp(w);
        xlagpu_set_element(w, to->data + k * xlagpu_type_bytes(w), x);
    }
}

/* ---- evaluations ---- */

/* The results of module `m` for `in`, as the module takes them; NULL if it does not evaluate. */
static tensor *evaluated(
    xlagpu_module *m, const tensor *in, uint32_t n_in, uint32_t n_out, bool moved, bool fill, uint64_t *seed) {
    tensor *args = arrays_new(m, false, n_in), *out = arrays_new(m, true, n_out);
    xlagpu_tensor *a = (xlagpu_tensor *)calloc((size_t)n_in + 1, sizeof *a),
                  *o = (xlagpu_tensor *)calloc((size_t)n_out + 1, sizeof *o);
    bool ok = args && out && a && o;
    uint32_t k;
    for (k = 0; ok && k < n_in; k++) {
        take(&args[k], &in[k], moved, seed);
        a[k].data = args[k].data;
        a[k].bytes = args[k].bytes;
    }
    for (k = 0; ok && k < n_out; k++) {
        o[k].data = out[k].data;
        o[k].bytes = out[k].bytes;
    }
    ok = ok && xlagpu_evaluate(m, a, n_in, o, n_out, fill) == XLAGPU_OK;
    free(a);
    free(o);
    arrays_free(args, n_in);
    if (!ok) arrays_free(out, n_out);
    return ok ? out : NULL;
}

struct judge {
    xlagpu_context *context;
    double factor;
    /* in float64; in the module's own types, the first for the very arguments; and with f32 for narrower ones */
    tensor *exact, *sample[SAMPLES + 2];
    uint32_t n_out, n_samples, n_own;
};

/* The results of the module of this text, which is given free; NULL if it does not evaluate so. */
static tensor *evaluated_text(
    judge *j, const char *path, char *text, const tensor *in, uint32_t n_in, bool moved, bool fill, uint64_t *seed) {
    xlagpu_module *m = text ? xlagpu_parse(j->context, path, text, strlen(text)) : NULL;
    bool ok = m && xlagpu_parameter_count(m) == n_in && xlagpu_result_count(m) == j->n_out;
    free(text);
    return ok ? evaluated(m, in, n_in, j->n_out, moved, fill, seed) : NULL;
}
judge *judge_new(xlagpu_module *m, const char *path, const tensor *in, uint32_t n_in, uint32_t n_out, bool fill) {
    judge *j = (judge *)calloc(1, sizeof *j);
    xlagpu_bytes hlo = xlagpu_print(m); /* whatever form it was read from */
    const char *text = (const char *)hlo.data;
    size_t n = hlo.size;
    uint64_t seed = 42;
    bool ok = text && j && (j->context = xlagpu_create(NULL)) != NULL;
    if (ok) {
        j->n_out = n_out;
        j->factor = fmax(FACTOR_LEAST, FACTOR * sqrt((double)xlagpu_longest_sum(m)) / 7);
        j->exact = evaluated_text(j, path, text_in_f64(text, n), in, n_in, false, fill, &seed);
        ok = j->exact != NULL;
    }
    for (; ok && j->n_samples <= SAMPLES; j->n_samples++)
        ok = (j->sample[j->n_samples] = evaluated(m, in, n_in, n_out, j->n_samples > 0, fill, &seed)) != NULL;
    if (ok) {
        j->n_own = j->n_samples;
        j->sample[j->n_samples] = evaluated_text(j, path, text_in_f32(text, n), in, n_in, true, fill, &seed);
        j->n_samples += j->sample[j->n_samples] != NULL;
        return j;
    }
    judge_free(j);
    return NULL;
}
void judge_free(judge *j) {
    uint32_t k;
    if (!j) return;
    arrays_free(j->exact, j->n_out);
    for (k = 0; k < j->n_samples; k++) arrays_free(j->sample[k], j->n_out);
    xlagpu_destroy(j->context);
    free(j);
}

/* ---- one array ---- */

static int magnitude_of(double x) {
    int e;
    if (x == 0 || !isfinite(x)) return x == 0 ? 0 : MAGNITUDES - 1;
    (void)frexp(x, &e);
    return e + 1080; /* the exponent of the least subnormal number is -1073 */
}
/* bound[m]: the worst error of the samples in elements of magnitude m or below; from as many elements as it takes. */
static void measure(const judge *j, uint32_t which, double bound[MAGNITUDES]) {
    const tensor *exact = &j->exact[which];
    size_t n = reals_of(exact), i, *count = (size_t *)calloc(MAGNITUDES, sizeof *count), seen = 0;
    double worst = 0;
    int m, upto;
    uint32_t k;
    for (m = 0; m < MAGNITUDES; m++) bound[m] = 0;
    if (!count) return;
    for (i = 0; i < n; i++) {
        double y = real_at(exact, i);
        m = magnitude_of(y);
        count[m]++;
        for (k = 0; k < j->n_samples; k++) {
            double d = fabs(real_at(&j->sample[k][which], i) - y);
            if (d > bound[m]) bound[m] = d;
        }
    }
    for (m = 0, upto = 0; m < MAGNITUDES; m++) {
        while (upto < MAGNITUDES && (upto <= m || seen < PEERS_LEAST)) {
            if (bound[upto] > worst) worst = bound[upto];
            seen += count[upto++];
        }
        bound[m] = worst;
    }
    free(count);
}

static bool same_bytes(const tensor *a, const tensor *b, size_t k) {
    size_t size = xlagpu_type_bytes(a->type);
    return memcmp(a->data + k * size, b->data + k * size, size) == 0;
}

/* Elements of `got` beyond what the module's own rounding allows, beside those that are close to `want` already. */
static difference judge_elements(
    const judge *j, uint32_t which, const tensor *want, const tensor *got, double rtol, double atol) {
    double *bound = (double *)calloc(MAGNITUDES, sizeof *bound);
    const tensor *exact = &j->exact[which];
    bool real = tensor_is_float(tensor_real(got->type));
    size_t n = reals_of(got), per = tensor_count(got) ? n / tensor_count(got) : 1, i, last = 0;
    double factor = tensor_ulp(tensor_real(got->type)) < NARROW_ULP ? j->factor : FACTOR;
    difference d;
    uint32_t k;
    memset(&d, 0, sizeof d);
    if (bound && real) measure(j, which, bound);
    for (i = 0; i < n; i++) {
        double w = real_at(want, i), g = real_at(got, i), y = real_at(exact, i), e, allowed;
        bool same = real ? w == g || (isnan(w) && isnan(g)) : same_bytes(want, got, i);
        if (!real && !same) {
            bool may_g = false, may_w = false;
            for (k = 0; k < j->n_own; k++) {
                may_g = may_g || same_bytes(&j->sample[k][which], got, i);
                may_w = may_w || same_bytes(&j->sample[k][which], want, i);
            }
            same = may_g && may_w;
        }
        if (same) continue;
        e = fabs(g - w);
        allowed = !real ? atol : isfinite(w) && isfinite(g) ? atol + rtol * fabs(w) : 0;
        if (real && bound && isfinite(g) && isfinite(w) && isfinite(y)) {
            double own = factor * bound[magnitude_of(y)];
            if (own > d.bound) d.bound = own;
            if (own > allowed && fabs(g - y) <= own && fabs(w - y) <= own) allowed = e;
        }
        if (isnan(e)) e = HUGE_VAL;
        if (e <= allowed) {
            if (e > d.error && !d.bad) {
                d.error = e;
                d.index = i / per;
            }
            continue;
        }
        if (!d.bad || e > d.error) {
            d.error = e;
            d.index = i / per;
        }
        d.excess = allowed > 0 && e / allowed > d.excess ? e / allowed : d.excess > 0 ? d.excess : HUGE_VAL;
        if (!d.bad || i / per != last) d.bad++; /* of a complex element both parts may differ */
        last = i / per;
    }
    free(bound);
    return d;
}

difference judge_compare(const judge *j, uint32_t which, const tensor *want, const tensor *got, const flag_values *f) {
    double rtol, atol;
    tolerance_of(want, f, j != NULL, &rtol, &atol);
    return j ? judge_elements(j, which, want, got, rtol, atol) : tensor_compare(want, got, rtol, atol);
}

/* Units in the last place of `want` that `error` is: what a reader of floats can compare between types. */
double error_in_ulp(xlagpu_type t, double want, double error) {
    double ulp = tensor_ulp(tensor_real(t)), size = fabs(want);
    int e;
    if (!tensor_is_float(tensor_real(t)) || !(ulp > 0) || !isfinite(error) || !isfinite(size)) return error;
    if (size < 1e-300) return error > 0 ? HUGE_VAL : 0;
    (void)frexp(size, &e);
    return error / ldexp(ulp, e - 1);
}
