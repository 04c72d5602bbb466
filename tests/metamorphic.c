/* tests/metamorphic.c -- passes do not change what a module means.
 *
 * Each module is evaluated as it is, and again after each HLO pass alone (what it requires before it included), and after the whole pipeline with each optional
 * pass switched off in turn. Inputs are made up, of moderate size; results must agree within a few roundings, integers and pred exactly.
 *
 * metamorphic [-v] FILE.hlo ... Ends with "N passed, N failed". */
#include "../src/xlagpu.h"
#include <stdio.h>

static uint64_t seed;
static uint64_t rng(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return seed >> 20;
}
static char *read_file(const char *path) {
    FILE *f = fopen(path, "rb");
    char *text;
    long n;
    if (!f) return NULL;
    fseek(f, 0, SEEK_END);
    n = ftell(f);
    rewind(f);
    text = (char *)calloc(1, (size_t)n + 1);
    if (fread(text, 1, (size_t)n, f) != (size_t)n) { free(text); text = NULL; }
    fclose(f);
    return text;
}

static xg_literal *made_up(xg_arena *a, const xg_shape *s) {
    xg_literal *l = xg_literal_new(a, s);
    int64_t k, n = s->elements;
    uint32_t e;
    if (s->type == XLAGPU_TUPLE) { for (e = 0; e < s->n_elems; e++) ((const xg_literal **)l->elems)[e] = made_up(a, s->elems[e]); return l; }
    if (!xg_shape_is_array(s)) return l;
    for (k = 0; k < n; k++) {
        double v = (double)(rng() % 2000) / 1000.0 - 1.0;
        if (xg_type_class(s->type) & (XGT_I | XGT_P)) xg_literal_set_int(l, k, s->type == XLAGPU_PRED ? (int64_t)(rng() & 1) : (int64_t)(rng() % 7));
        else xg_literal_set_float(l, k, v);
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
        double x = xg_float_load(t, (const char *)a->data + (size_t)k * bytes), y = xg_float_load(t, (const char *)b->data + (size_t)k * bytes);
        if (x == y || (x != x && y != y)) continue;
        if (!(fabs(x - y) <= 64 * eps * (fabs(x) + most + 1e-30))) return false;
    }
    return true;
}
static bool close_literals(const xg_literal *a, const xg_literal *b) {
    xlagpu_type t = a->shape->type, real;
    uint32_t e;
    if (t == XLAGPU_TUPLE) { for (e = 0; e < a->shape->n_elems; e++) if (!close_literals(a->elems[e], b->elems[e])) return false; return true; }
    if (!a->data) return true;
    if (xg_type_class(t) & (XGT_I | XGT_P)) return memcmp(a->data, b->data, (size_t)a->shape->elements * (size_t)xg_type_bytes(t)) == 0;
    real = xg_type_real(t);
    return close_reals(real, a, b, a->shape->elements * (real == t ? 1 : 2), (size_t)xg_type_bytes(real));
}

/* ---- one module under one treatment ---- */

typedef struct trial { const char *path, *text; const char *pass; bool without; bool ok; char message[XG_MESSAGE_MAX]; } trial;
static void try_it(xg_ctx *c, xg_arena *a, trial *t, xg_module **twin, const xg_literal *const **args, const xg_literal **want) {
    xg_source src;
    xg_driver_options o;
    xg_module *m;
    xg_eval_options e;
    uint32_t k;
    src.name = t->path;
    src.text = t->text;
    src.size = strlen(t->text);
    memset(&e, 0, sizeof e);
    e.fill_elided = true;
    if (!*twin) {
        const xg_literal **made;
        *twin = xg_hlo_parse(c, a, &src);
        xg_hlo_verify(*twin);
        made = XG_NEW_N(a, const xg_literal *, (*twin)->entry->n_params + 1);
        seed = 42;
        for (k = 0; k < (*twin)->entry->n_params; k++) made[k] = made_up(a, (*twin)->entry->params[k]->shape);
        *args = made;
        *want = xg_eval_module(*twin, a, made, (*twin)->entry->n_params, &e);
        return;
    }
    m = xg_hlo_parse(c, a, &src);
    if (!t->without) xg_driver_run_named(m, xg_str_z(t->pass));
    else {
        memset(&o, 0, sizeof o);
        o.target = *xg_target_find(c, XG_STR("sm_90a"));
        o.disable_passes = xg_str_z(t->pass);
        xg_driver_run_passes(m, &o);
        xg_hlo_verify(m);
    }
    t->ok = close_literals(*want, xg_eval_module(m, a, *args, m->entry->n_params, &e));
    if (!t->ok) snprintf(t->message, sizeof t->message, "other results");
}
static bool guarded(xg_ctx *c, xg_arena *a, trial *t, xg_module **twin, const xg_literal *const **args, const xg_literal **want) {
    jmp_buf here;
    if (setjmp(here) == 0) {
        jmp_buf *outer = xg_try(c, &here);
        t->ok = true;
        try_it(c, a, t, twin, args, want);
        xg_end(c, outer);
    } else {
        t->ok = false;
        memcpy(t->message, c->message, sizeof t->message);
    }
    return t->ok;
}

int main(int argc, char **argv) {
    int passed = 0, failed = 0, k;
    bool verbose = false;
    for (k = 1; k < argc; k++) {
        xg_ctx c;
        xg_arena a;
        xg_module *twin = NULL;
        const xg_literal *const *args = NULL, *want = NULL;
        trial t;
        const char *name;
        uint32_t n;
        if (strcmp(argv[k], "-v") == 0) { verbose = true; continue; }
        memset(&t, 0, sizeof t);
        t.path = argv[k];
        t.text = read_file(argv[k]);
        if (!t.text) { printf("FAIL %s: cannot be read\n", argv[k]); failed++; continue; }
        xg_ctx_init(&c, NULL, 0);
        xg_arena_init(&a, &c);
        t.pass = "";
        if (!guarded(&c, &a, &t, &twin, &args, &want)) { printf("FAIL %s: %s\n", argv[k], t.message); failed++; xg_arena_free(&a); continue; }
        for (n = 0; (name = xg_driver_pass_name(n)) != NULL; n++) {
            int way;
            for (way = 0; way < 2; way++) {
                xg_arena work;
                trial one = t;
                one.pass = name;
                one.without = way == 1;
                if (one.without && xg_driver_pass_is_required(name)) continue;
                xg_arena_init(&work, &c);
                if (verbose) printf("%s %s %s\n", argv[k], one.without ? "without" : "only", name);
                if (guarded(&c, &work, &one, &twin, &args, &want)) passed++;
                else { printf("FAIL %s, %s %s: %s\n", argv[k], one.without ? "the pipeline without" : "after", name, one.message); failed++; }
                xg_arena_free(&work);
            }
        }
        xg_arena_free(&a);
        free((char *)t.text);
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
