/* tests/programs/algebraic.c -- holds every rule of the algebraic simplifier to what algsimp.h promises of it.
 *
 * The modules of tests/text/algsimp/<rule>.txt, one file a rule, are written once more for each element type,
 * evaluated on values that are seldom what one thinks of (NaN, infinities, both zeros, subnormals, the ends of the
 * range), rewritten by that one rule, and evaluated again on the same values. The results must have the same bits; a
 * NaN that arithmetic made equals any NaN. Rules that are CLOSE: near each other, on values of moderate size; each
 * product of a sum may round once.
 *
 * algebraic [-n ROUNDS] [--only RULE]. Ends with "N passed, N failed". */
#include "../../src/xlagpu.h"
#include "modules.h"

/* ---- one case for one type ---- */

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
}
/* The text with each word `from` made `to`. */
static void retype(xg_buf *out, const char *p, const char *end, const char *from, const char *to) {
    size_t n = strlen(from);
    const char *begin = p;
    while (p < end) {
        if ((size_t)(end - p) > n && memcmp(p, from, n) == 0 && p[n] == '[' && (p == begin || !is_word(p[-1]))) {
            xg_puts(out, to);
            p += n;
        } else
            xg_putc(out, *p++);
    }
}

static void fill_real(xlagpu_type t, unsigned char *p, bool gentle) {
    const double odd[] = {0.0, -0.0, 1, -1, 2, 0.5, -3, 7, 1e30, -1e30, 1e-40, HUGE_VAL, -HUGE_VAL, NAN};
    xg_shape s;
    xg_literal l;
    uint64_t bits = rng();
    if (gentle) {
        xg_float_store(t, p, (double)(int64_t)(bits % 4001) / 1000.0 - 2.0);
        return;
    }
    if (bits % 3 == 0) {
        memcpy(p, &bits, (size_t)xg_type_bytes(t));
        if (xg_type_bits(t) < 8) *p &= (unsigned char)((1 << xg_type_bits(t)) - 1);
        return;
    }
    memset(&s, 0, sizeof s);
    memset(&l, 0, sizeof l);
    s.type = t;
    s.elements = 1;
    l.shape = &s;
    l.data = p;
    xg_literal_set_float(&l, 0, odd[(bits >> 8) % (sizeof odd / sizeof odd[0])]);
}
static void fill(xg_literal *l, bool gentle) {
    xlagpu_type t = l->shape->type;
    int bytes = xg_type_bytes(t);
    unsigned char *p = (unsigned char *)l->data;
    int64_t k;
    for (k = 0; k < l->shape->elements; k++, p += bytes) {
        uint64_t bits = rng();
        if (xg_type_class(t) == XGT_F)
            fill_real(t, p, gentle);
        else if (xg_type_class(t) == XGT_C) {
            fill_real(xg_type_real(t), p, gentle);
            fill_real(xg_type_real(t), p + bytes / 2, gentle);
        } else {
            static const int64_t odd[] = {
                0, 1, -1, 2, 3, 5, -7, INT64_MIN, INT64_MAX, INT32_MIN, INT32_MAX, 127, -128, 255};
            int64_t v = bits % 3 == 0 ? (int64_t)(bits >> 3) : odd[(bits >> 8) % (sizeof odd / sizeof odd[0])];
            if (gentle) v = (int64_t)(bits % 9) - 4;
            xg_literal_set_int(l, k, t == XLAGPU_PRED ? v & 1 : v);
        }
    }
}

/* Does the module make floats, or only move them? */
static bool computes(const xg_module *m) {
    const xg_comp *c;
    for (c = m->first; c; c = c->next)
        XG_FOR_INSTS(i, c) {
            bool makes = (xg_op_flags(i->op) & XGF_EW) || i->op == XG_DOT || i->op == XG_REDUCE ||
                         i->op == XG_REDUCE_WINDOW || i->op == XG_MAP;
            if (makes && i->op != XG_COPY && i->op != XG_SELECT && (xg_type_class(i->shape->type) & (XGT_F | XGT_C)))
                return true;
        }
    return false;
}

/* The most products that are summed up to an element. */
static int64_t products(const xg_module *m) {
    int64_t most = 1, n;
    const xg_comp *c;
    uint32_t k;
    for (c = m->first; c; c = c->next)
        XG_FOR_INSTS(i, c) {
            if (i->op != XG_DOT && i->op != XG_CONVOLUTION) continue;
            if (i->op == XG_DOT) {
                xg_ints dims = xg_attr_ints(i, XG_A_lhs_contracting_dims);
                for (n = 1, k = 0; k < dims.n; k++) n *= XG_OPERAND(i, 0)->shape->dims[dims.p[k]];
            } else {
                const xg_shape *kernel = XG_OPERAND(i, 1)->shape;
                n = kernel->elements /
                    XG_MAX(kernel->dims[xg_inst_attr(i, XG_A_dim_labels)->v.labels->kernel_output], (int64_t)1);
            }
            most = XG_MAX(most, n);
        }
    return most;
}

typedef struct job {
    const char *text, *rule;
    bool close;
    int rounds;
    xg_arena *arena;
    bool fired, differs;
    char message[XG_MESSAGE_MAX];
} job;

/* products: of which `close` sums are made; 0: the same bits. */
static bool same_real(xlagpu_type t, const void *a, const void *b, bool any_nan, int64_t products) {
    double x = xg_float_load(t, a), y = xg_float_load(t, b), size;
    if (memcmp(a, b, (size_t)xg_type_bytes(t)) == 0) return true;
    if (x != x && y != y) return any_nan || products;
    if (!products || x != x || y != y) return false;
    size = fabs(x) > fabs(y) ? fabs(x) : fabs(y);
    /* a sum of products walks as far as their root, and rounds at each */
    return fabs(x - y) <= (size + sqrt((double)products)) * (double)XG_MAX(products, (int64_t)64) *
                              ldexp(1.0, -xg_float_format_of(t)->mantissa_bits - 1);
}
static bool same(const xg_literal *a, const xg_literal *b, bool any_nan, int64_t products) {
    xlagpu_type t = a->shape->type;
    size_t bytes = (size_t)xg_type_bytes(t);
    int64_t k;
    for (k = 0; k < a->shape->elements; k++) {
        const char *p = (const char *)a->data + (size_t)k * bytes, *q = (const char *)b->data + (size_t)k * bytes;
        if (xg_type_class(t) == XGT_F) {
            if (!same_real(t, p, q, any_nan, products)) return false;
        } else if (xg_type_class(t) == XGT_C) {
            if (!same_real(xg_type_real(t), p, q, any_nan, products) ||
                !same_real(xg_type_real(t), p + bytes / 2, q + bytes / 2, any_nan, products))
                return false;
        } else if (memcmp(p, q, bytes) != 0)
            return false;
    }
    return true;
}

static void try_job(xg_ctx *c, void *user) {
    job *j = (job *)user;
    xg_arena *a = j->arena;
    xg_module *before = module_of(c, a, j->rule, j->text), *after = module_of(c, a, j->rule, j->text);
    const xg_literal **args;
    xg_buf b;
    bool any_nan;
    int round;
    uint32_t k;
    j->fired = xg_algsimp_only(after, j->rule);
    if (!j->fired) return;
    j->differs = true; /* a failure from here on is the rule's */
    xg_hlo_verify(after);
    any_nan = computes(before);
    args = XG_NEW_N(a, const xg_literal *, before->entry->n_params + 1);
    for (k = 0; k < before->entry->n_params; k++) /* many elements are many rounds */
        if (before->entry->params[k]->shape->elements >= 1 << 16) j->rounds = 1;
    for (round = 0; round < j->rounds; round++) {
        const xg_literal *was, *is;
        for (k = 0; k < before->entry->n_params; k++) {
            xg_literal *l = xg_literal_new(a, before->entry->params[k]->shape);
            fill(l, j->close);
            args[k] = l;
        }
        was = xg_eval_module(before, a, args, before->entry->n_params, NULL);
        is = xg_eval_module(after, a, args, before->entry->n_params, NULL);
        if (same(was, is, any_nan, j->close ? products(before) : 0)) continue;
        xg_buf_init(&b, a);
        for (k = 0; k < before->entry->n_params; k++) {
            xg_literal_print(&b, args[k], true);
            xg_puts(&b, " ");
        }
        xg_puts(&b, "-> ");
        xg_literal_print(&b, was, true);
        xg_puts(&b, " became ");
        xg_literal_print(&b, is, true);
        snprintf(j->message, sizeof j->message, "%s", b.p);
        return;
    }
    j->differs = false;
}
/* false: not a module for this type. */
static bool run_job(job *j) {
    xg_ctx c;
    xg_arena a;
    bool ok;
    xg_ctx_init(&c, NULL, 0);
    xg_arena_init(&a, &c);
    j->arena = &a;
    ok = guarded(&c, try_job, j);
    if (!ok && j->differs) {
        snprintf(j->message, sizeof j->message, "%s", c.message);
        ok = true;
    }
    xg_arena_free(&a);
    return ok;
}

/* ---- a rule ---- */

static const char *main_type(const char *text, const char *end) {
    static const char *const types[] = {"f32", "s32", "u32", "pred", "s8", "u8", "f16", "bf16"};
    size_t k;
    const char *p;
    for (k = 0; k < sizeof types / sizeof types[0]; k++)
        for (p = text; p + 6 < end; p++)
            if (memcmp(p, types[k], strlen(types[k])) == 0 && p[strlen(types[k])] == '[' && !is_word(p[-1]))
                return types[k];
    return "f32";
}
static int run_rule(const char *rule, bool close, int rounds, int *failed) {
    char path[300];
    char *text, *at;
    int passed = 0, fired = 0;
    size_t size;
    xg_ctx c;
    xg_arena a;
    snprintf(path, sizeof path, "tests/text/algsimp/%s.txt", rule);
    text = (char *)file_read(path, &size);
    if (!text) {
        printf("FAIL %s: there is no %s\n", rule, path);
        ++*failed;
        return 0;
    }
    xg_ctx_init(&c, NULL, 0);
    xg_arena_init(&a, &c);
    for (at = text; at && *at;) {
        char *begin = strchr(at, '\n'), *end = begin ? strstr(begin, "\n----") : NULL,
             *next = end ? strstr(end, "\n====\n") : NULL;
        const char *from;
        int t;
        if (!end) break;
        from = main_type(begin, end);
        for (t = 1; t < XLAGPU_TYPE_COUNT; t++) {
            job j;
            xg_buf b;
            if (!(xg_type_class((xlagpu_type)t) & XGT_ANY)) continue;
            xg_buf_init(&b, &a);
            retype(&b, begin + 1, end + 1, from, xg_type_name((xlagpu_type)t));
            memset(&j, 0, sizeof j);
            j.text = b.p;
            j.rule = rule;
            j.close = close;
            j.rounds = rounds;
            if (!run_job(&j) || !j.fired) continue;
            fired++;
            if (j.differs) {
                printf("FAIL %s for %s: %s\n%s\n", rule, xg_type_name((xlagpu_type)t), j.message, b.p);
                ++*failed;
            } else
                passed++;
        }
        at = next ? next + 6 : NULL;
    }
    if (!fired) {
        printf("FAIL %s: applies to none of its modules\n", rule);
        ++*failed;
    }
    xg_arena_free(&a);
    free(text);
    return passed;
}

int main(int argc, char **argv) {
    int rounds = 12, passed = 0, failed = 0, k;
    const char *only = NULL, *name;
    bool close = false;
    uint32_t n;
    for (k = 1; k + 1 < argc; k += 2) {
        if (strcmp(argv[k], "-n") == 0) rounds = atoi(argv[k + 1]);
        if (strcmp(argv[k], "--only") == 0) only = argv[k + 1];
    }
    for (n = 0; (name = xg_algsimp_rule(n, &close)) != NULL; n++)
        if (!only || strcmp(only, name) == 0) passed += run_rule(name, close, rounds, &failed);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
