/* tests/programs/metamorphic.c -- passes do not change what a module means.
 *
 * Each module is evaluated as it is, and again
 *   after each HLO pass alone,
 *   after the whole pipeline; with each optional pass switched off in turn (one that is required refuses, by name);
 *   with all of them off, and with N sets of optional passes off that are drawn by chance (--sets N).
 * The arguments are those of NAME.npz beside NAME.hlo, or made up, of moderate size. Results must agree within a few
 * roundings, integers and pred exactly.
 *
 * A module can ask for more than its own arithmetic can give: what a loop stopped at is the difference of nearly equal
 * numbers, and the round in which it stopped is a matter of one rounding where that difference meets the tolerance.
 * Where results do not agree, the judge is the same module in f64 (the type names in its text are replaced). How exact
 * the module is, is measured, not assumed: the errors, against f64, of its own results for these arguments and for
 * SAMPLES neighbours of theirs, each moved by at most one unit in the last place. A trial may err FACTOR times as much
 * in an array as the worst of these; an integer must be one of theirs. A module that does not evaluate in f64 is not
 * excused.
 *
 * metamorphic [-v] [--sets N] FILE.hlo ... Ends with "N passed, N failed". */
#include "../../src/xlagpu.h"
#include <ctype.h>
#include "modules.h"

static xg_literal *made_up(xg_arena *a, const xg_shape *s) {
    xg_literal *l = xg_literal_new(a, s);
    int64_t k, n = s->elements;
    uint32_t e;
    if (s->type == XLAGPU_TUPLE) {
        for (e = 0; e < s->n_elems; e++) ((const xg_literal **)l->elems)[e] = made_up(a, s->elems[e]);
        return l;
    }
    if (!xg_shape_is_array(s)) return l;
    for (k = 0; k < n; k++) {
        double v = (double)(rng() % 2000) / 1000.0 - 1.0;
        if (xg_type_class(s->type) & (XGT_I | XGT_P))
            xg_literal_set_int(l, k, s->type == XLAGPU_PRED ? (int64_t)(rng() & 1) : (int64_t)(rng() % 7));
        else
            xg_literal_set_float(l, k, v);
        if (xg_type_class(s->type) == XGT_C) {
            char *im = (char *)l->data + k * xg_type_bytes(s->type) + xg_type_bytes(s->type) / 2;
            xg_float_store(xg_type_real(s->type), im, (double)(rng() % 2000) / 1000.0 - 1.0);
        }
    }
    return l;
}

/* Elementwise near, or near on the scale of the whole: factorisations lose digits where numbers cancel. */
static bool close_reals(xlagpu_type t, const xg_literal *a, const xg_literal *b, int64_t n, size_t bytes) {
    double most = 0, eps = ldexp(1.0, -xg_float_format_of(t)->mantissa_bits);
    int64_t k;
    for (k = 0; k < n; k++) {
        double x = xg_float_load(t, (const char *)a->data + (size_t)k * bytes);
        if (x - x == 0 && fabs(x) > most) most = fabs(x);
    }
    for (k = 0; k < n; k++) {
        double x = xg_float_load(t, (const char *)a->data + (size_t)k * bytes),
               y = xg_float_load(t, (const char *)b->data + (size_t)k * bytes);
        if (x == y || (x != x && y != y)) continue;
        if (!(fabs(x - y) <= 64 * eps * (fabs(x) + most + 1e-30))) return false;
    }
    return true;
}
static bool close_literals(const xg_literal *a, const xg_literal *b) {
    xlagpu_type t = a->shape->type, real;
    uint32_t e;
    if (t == XLAGPU_TUPLE) {
        for (e = 0; e < a->shape->n_elems; e++)
            if (!close_literals(a->elems[e], b->elems[e])) return false;
        return true;
    }
    if (!a->data) return true;
    if (xg_type_class(t) & (XGT_I | XGT_P))
        return memcmp(a->data, b->data, (size_t)a->shape->elements * (size_t)xg_type_bytes(t)) == 0;
    real = xg_type_real(t);
    return close_reals(real, a, b, a->shape->elements * (real == t ? 1 : 2), (size_t)xg_type_bytes(real));
}

/* ---- the judge ---- */

enum {
    SAMPLES = 8,
    FACTOR = 4
};
typedef struct judge {
    bool asked, able;                      /* made when a trial needs it first */
    const xg_literal *exact;               /* in f64 */
    const xg_literal *sample[SAMPLES + 1]; /* the module's own results; the first for the arguments as they are */
} judge;

/* Every float type of the text is f64, every complex one c128. */
static char *in_f64(xg_arena *a, const char *text) {
    static const struct {
        const char *from, *to;
    } types[] = {{"f32[", "f64["}, {"bf16[", "f64["}, {"f16[", "f64["}, {"c64[", "c128["}};
    char *out = XG_NEW_N(a, char, 2 * strlen(text) + 1), *at = out;
    const char *p = text;
    while (*p) {
        size_t k, n = sizeof types / sizeof types[0];
        for (k = 0; k < n; k++) {
            bool inside = p > text && (isalnum((unsigned char)p[-1]) || p[-1] == '_' || p[-1] == '.');
            if (!inside && strncmp(p, types[k].from, strlen(types[k].from)) == 0) break;
        }
        if (k == n) {
            *at++ = *p++;
            continue;
        }
        memcpy(at, types[k].to, strlen(types[k].to));
        at += strlen(types[k].to);
        p += strlen(types[k].from);
    }
    *at = 0;
    return out;
}
/* Fills `to`, of the same dimensions and perhaps of wider floats; every float moved by up to `ulps` units in the last
 * place of its own type. */
static void take_literal(xg_literal *to, const xg_literal *from, int ulps) {
    xlagpu_type t = from->shape->type, r, w;
    int64_t k, n;
    uint32_t e;
    if (t == XLAGPU_TUPLE) {
        for (e = 0; e < from->shape->n_elems; e++) take_literal((xg_literal *)to->elems[e], from->elems[e], ulps);
        return;
    }
    if (!from->data) return;
    if (xg_type_class(t) & (XGT_I | XGT_P)) {
        memcpy(to->data, from->data, (size_t)from->shape->elements * (size_t)xg_type_bytes(t));
        return;
    }
    r = xg_type_real(t);
    w = xg_type_real(to->shape->type);
    n = from->shape->elements * (r == t ? 1 : 2);
    for (k = 0; k < n; k++) {
        double x = xg_float_load(r, (const char *)from->data + k * xg_type_bytes(r));
        if (ulps)
            x += ldexp(x, -xg_float_format_of(r)->mantissa_bits) * (double)((int)(rng() >> 20 & 1) * 2 - 1) * ulps;
        xg_float_store(w, (char *)to->data + k * xg_type_bytes(w), x);
    }
}
static xg_literal *empty_like(xg_arena *a, const xg_shape *s) {
    xg_literal *l = xg_literal_new(a, s);
    uint32_t e;
    if (s->type == XLAGPU_TUPLE)
        for (e = 0; e < s->n_elems; e++) ((const xg_literal **)l->elems)[e] = empty_like(a, s->elems[e]);
    return l;
}
static double part(const xg_literal *l, int64_t k) {
    xlagpu_type r = xg_type_real(l->shape->type);
    return xg_float_load(r, (const char *)l->data + k * xg_type_bytes(r));
}
/* The most that array `l` errs by; where both are not finite, in the same way, it does not. */
static double error_of(const xg_literal *l, const xg_literal *exact) {
    int64_t k, n = l->shape->elements * (xg_type_class(l->shape->type) & XGT_C ? 2 : 1);
    double most = 0;
    for (k = 0; k < n; k++) {
        double x = part(l, k), y = part(exact, k), d = fabs(x - y);
        if (x == y || (x != x && y != y)) continue;
        if (!(d <= most)) most = d;
    }
    return most;
}
static bool judged(const xg_literal *got, const xg_literal *exact, const xg_literal *const *sample) {
    xlagpu_type t = got->shape->type;
    double most = 0, d;
    uint32_t e, k;
    if (t == XLAGPU_TUPLE) {
        for (e = 0; e < got->shape->n_elems; e++) {
            const xg_literal *s[SAMPLES + 1];
            for (k = 0; k <= SAMPLES; k++) s[k] = sample[k]->elems[e];
            if (!judged(got->elems[e], exact->elems[e], s)) return false;
        }
        return true;
    }
    if (!got->data) return true;
    for (k = 0; k <= SAMPLES; k++) {
        if (close_literals(sample[k], got)) return true;
        if (xg_type_class(t) & (XGT_I | XGT_P)) continue;
        d = error_of(sample[k], exact);
        if (!(d <= most)) most = d;
    }
    return !(xg_type_class(t) & (XGT_I | XGT_P)) && most - most == 0 && error_of(got, exact) <= FACTOR * most;
}

/* ---- the arguments ---- */

/* The arrays arg<k> in the order of the flattened parameters; NULL where the file does not have them so. */
static const xg_literal *loaded(xg_arena *a, const npz_file *f, const xg_shape *s, uint32_t *k) {
    char name[32];
    const npy_array *array;
    xg_literal *l = xg_literal_new(a, s);
    uint32_t e;
    if (s->type == XLAGPU_TUPLE) {
        for (e = 0; e < s->n_elems; e++)
            if ((((const xg_literal **)l->elems)[e] = loaded(a, f, s->elems[e], k)) == NULL) return NULL;
        return l;
    }
    snprintf(name, sizeof name, "arg%u", (*k)++);
    array = npz_find(f, name);
    if (!array || array->bytes != (size_t)s->elements * (size_t)xg_type_bytes(s->type)) return NULL;
    memcpy(l->data, array->data, array->bytes);
    return l;
}
static void take_arguments(xg_arena *a, const xg_module *m, const npz_file *f, const xg_literal **args) {
    uint32_t k, n = 0;
    bool all = f->n > 0;
    rng_state = 42;
    for (k = 0; all && k < m->entry->n_params; k++)
        all = (args[k] = loaded(a, f, m->entry->params[k]->shape, &n)) != NULL;
    for (k = 0; !all && k < m->entry->n_params; k++) args[k] = made_up(a, m->entry->params[k]->shape);
}

/* ---- one module ---- */

enum {
    WORK = 400000000
}; /* operations on elements: a loop need not end for numbers that are made up */
typedef struct subject {
    const char *path, *text;
    npz_file data;
    xg_arena *arena, *work; /* of the module as it is; of one trial */
    xg_module *m;
    const xg_literal **args, *want;
    judge judge;
    int passed, failed;
    bool verbose;
} subject;
typedef enum treatment {
    ONLY,
    WITHOUT,
    NONE
} treatment;
typedef struct trial {
    subject *s;
    treatment how;
    const char *passes;
    const xg_literal *got;
} trial;

static const xg_literal *evaluated_with(xg_module *m, xg_arena *a, const xg_literal *const *args) {
    xg_eval_options e;
    memset(&e, 0, sizeof e);
    e.fill_elided = true;
    e.max_work = WORK;
    return xg_eval_module(m, a, args, m->entry->n_params, &e);
}
static const xg_literal *evaluated(const subject *s, xg_module *m, xg_arena *a) {
    return evaluated_with(m, a, s->args);
}

/* The arguments of subject `s` as module `m` takes them: moved by up to `ulps`, in f64 where the module is. */
static const xg_literal **taken(subject *s, const xg_module *m, int ulps) {
    const xg_literal **args = XG_NEW_N(s->arena, const xg_literal *, m->entry->n_params + 1);
    uint32_t k;
    for (k = 0; k < m->entry->n_params; k++) {
        xg_literal *l = empty_like(s->arena, m->entry->params[k]->shape);
        take_literal(l, s->args[k], ulps);
        args[k] = l;
    }
    return args;
}
static void prepare_judge(xg_ctx *c, void *user) {
    subject *s = (subject *)user;
    xg_module *wide;
    int k;
    if (strstr(s->text, "bitcast-convert(")) return; /* bits of numbers are others in f64 */
    wide = module_of(c, s->arena, s->path, in_f64(s->arena, s->text));
    s->judge.exact = evaluated_with(wide, s->arena, taken(s, wide, 0));
    s->judge.sample[0] = s->want;
    for (k = 1; k <= SAMPLES; k++) s->judge.sample[k] = evaluated_with(s->m, s->arena, taken(s, s->m, 1));
    s->judge.able = true;
}
/* Called outside of the trial: what it makes lives as long as the subject. */
static bool excused(xg_ctx *c, subject *s, const xg_literal *got) {
    if (!s->judge.asked) {
        s->judge.asked = true;
        (void)guarded(c, prepare_judge, s);
    }
    return s->judge.able && judged(got, s->judge.exact, s->judge.sample);
}
static void begin(xg_ctx *c, void *user) {
    subject *s = (subject *)user;
    s->m = module_of(c, s->arena, s->path, s->text);
    s->args = XG_NEW_N(s->arena, const xg_literal *, s->m->entry->n_params + 1);
    take_arguments(s->arena, s->m, &s->data, s->args);
    s->want = evaluated(s, s->m, s->arena);
}
static void treat(xg_ctx *c, void *user) {
    trial *t = (trial *)user;
    xg_module *m = module_of(c, t->s->work, t->s->path, t->s->text);
    xg_driver_options o;
    if (t->how == ONLY)
        xg_driver_run_named(m, xg_str_z(t->passes));
    else {
        memset(&o, 0, sizeof o);
        o.target = *xg_target_find(c, XG_STR("sm_90a"));
        o.disable_passes = xg_str_z(t->passes);
        o.disable_all_passes = t->how == NONE;
        xg_driver_run_passes(m, &o);
        if (xg_opt_entry_layout(m))
            xg_fail(c, XLAGPU_ERROR_INTERNAL,
                "a value changes its layout where it is handed on"); /* the evaluator knows no layouts */
        xg_hlo_verify(m);
    }
    t->got = evaluated(t->s, m, t->s->work);
}
/* With `refusal` the trial must fail, in these words. */
static void attempt(xg_ctx *c, subject *s, treatment how, const char *passes, const char *refusal) {
    static const char *const names[] = {"after", "the pipeline without", "the pipeline without any optional pass"};
    xg_arena work;
    trial t;
    bool ran, ok;
    t.s = s;
    t.how = how;
    t.passes = passes;
    t.got = NULL;
    xg_arena_init(&work, c);
    s->work = &work;
    if (s->verbose) printf("%s, %s %s\n", s->path, names[how], passes);
    ran = guarded(c, treat, &t);
    ok =
        refusal ? !ran && strstr(c->message, refusal) : ran && (close_literals(s->want, t.got) || excused(c, s, t.got));
    if (ok)
        s->passed++;
    else {
        printf("FAIL %s, %s %s: %s\n", s->path, names[how], passes,
            ran ? refusal ? "was not refused" : "other results" : c->message);
        s->failed++;
    }
    xg_arena_free(&work);
}
/* Each optional pass is off half the time. */
static void draw_set(char *out, size_t size) {
    const char *name;
    uint32_t n;
    size_t at = 0;
    out[0] = 0;
    for (n = 0; (name = xg_driver_pass_name(n)) != NULL; n++)
        if (!xg_driver_pass_is_required(name) && (rng() >> 20 & 1))
            at += (size_t)snprintf(out + at, size - at, "%s%s", at ? "," : "", name);
}
static void try_passes(xg_ctx *c, subject *s, int sets) {
    char set[2000];
    const char *name;
    uint32_t n;
    for (n = 0; (name = xg_driver_pass_name(n)) != NULL; n++) {
        attempt(c, s, ONLY, name, NULL);
        attempt(c, s, WITHOUT, name, xg_driver_pass_is_required(name) ? name : NULL);
    }
    attempt(c, s, WITHOUT, "", NULL);
    attempt(c, s, NONE, "", NULL);
    for (; sets > 0; sets--) {
        draw_set(set, sizeof set);
        attempt(c, s, WITHOUT, set, NULL);
    }
}
static void try_file(subject *s, int sets) {
    char data[1000];
    xg_ctx c;
    xg_arena a;
    size_t size, stem = strlen(s->path) > 4 ? strlen(s->path) - 4 : 0;
    char *text = (char *)file_read(s->path, &size);
    if (!text) {
        printf("FAIL %s: cannot be read\n", s->path);
        s->failed++;
        return;
    }
    snprintf(data, sizeof data, "%.*s.npz", (int)stem, s->path);
    if (!npz_read(data, &s->data)) memset(&s->data, 0, sizeof s->data);
    xg_ctx_init(&c, NULL, 0);
    xg_arena_init(&a, &c);
    s->arena = &a;
    s->text = text;
    memset(&s->judge, 0, sizeof s->judge);
    if (guarded(&c, begin, s))
        try_passes(&c, s, sets);
    else {
        printf("FAIL %s: %s\n", s->path, c.message);
        s->failed++;
    }
    xg_arena_free(&a);
    npz_free(&s->data);
    free(text);
}

int main(int argc, char **argv) {
    int sets = 0, k;
    subject s;
    memset(&s, 0, sizeof s);
    for (k = 1; k < argc; k++) {
        if (strcmp(argv[k], "-v") == 0)
            s.verbose = true;
        else if (strcmp(argv[k], "--sets") == 0 && k + 1 < argc)
            sets = atoi(argv[++k]);
        else {
            s.path = argv[k];
            try_file(&s, sets);
        }
    }
    printf("%d passed, %d failed\n", s.passed, s.failed);
    return s.failed != 0;
}
