/* tests/stages/oracle.c -- evaluates a module and compares with what XLA, or numpy, says: the output is "ok", or the
 * worst difference.
 *
 * Behind the module, in comments: one "// arg:" a parameter and one "// want:" of the result's shape; with `devices=N`
 * in the stage's line the arguments and then the results of one device after another. The line may also say `ulp=N`:
 * floats may differ by so many units in the last place (complex parts: of the larger one); `abs=N`: or by N times the
 * type's epsilon. Otherwise all must be equal, zeros with their signs; NaNs are all the same. `pass=NAMES`, at the end
 * of the line: evaluated again after these HLO passes, with the same wants; `after=NAMES`: only after them. `double`:
 * two rounds of a loop may become one. */

typedef struct stage_oracle_worst {
    double ulps;
    int64_t element;
    double got, want;
    bool bad;
} stage_oracle_worst;

/* The distance of two floats in steps of their type; those of -0 and 0 are one. */
static double stage_oracle_steps(const xg_float_format *f, uint64_t a, uint64_t b) {
    int64_t x = xg_eval_total_key(f, a), y = xg_eval_total_key(f, b);
    return (double)(x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x);
}

static void stage_oracle_float(xlagpu_type t, const char *got, const char *want, int64_t element, double ulps,
    double absolute, stage_oracle_worst *w, double part) {
    const xg_float_format *f = xg_float_format_of(t);
    double a = xg_float_load(t, got), b = xg_float_load(t, want), steps, eps = ldexp(1.0, -f->mantissa_bits);
    if (a != a && b != b) return;
    steps = a != a || b != b ? HUGE_VAL
                             : stage_oracle_steps(f, xg_eval_load_bits(got, (size_t)xg_type_bytes(t)),
                                   xg_eval_load_bits(want, (size_t)xg_type_bytes(t)));
    if (steps <= ulps || (absolute > 0 && fabs(a - b) <= absolute * eps) ||
        (part > 0 && fabs(a - b) <= ulps * eps * part))
        return;
    if (w->bad && steps <= w->ulps) return;
    w->bad = true;
    w->ulps = steps;
    w->element = element;
    w->got = a;
    w->want = b;
}

static void stage_oracle_compare(
    xg_buf *out, const xg_literal *got, const xg_literal *want, double ulps, double absolute) {
    xlagpu_type t = want->shape->type, real = xg_type_real(t);
    size_t bytes = (size_t)xg_type_bytes(t), half = (size_t)xg_type_bytes(real);
    stage_oracle_worst w;
    int64_t k;
    uint32_t e;
    memset(&w, 0, sizeof w);
    if (t == XLAGPU_TUPLE) {
        for (e = 0; e < want->shape->n_elems; e++) {
            size_t before = out->n;
            stage_oracle_compare(out, got->elems[e], want->elems[e], ulps, absolute);
            if (out->n > before) xg_printf(out, "in element %u of the result\n", e);
        }
        return;
    }
    if (got->shape->elements != want->shape->elements) {
        xg_printf(out, "the result has %lld elements\n", (long long)got->shape->elements);
        return;
    }
    for (k = 0; k < want->shape->elements; k++) {
        const char *a = (const char *)got->data + (size_t)k * bytes, *b = (const char *)want->data + (size_t)k * bytes;
        if (xg_type_class(t) == XGT_F)
            stage_oracle_float(t, a, b, k, ulps, absolute, &w, 0);
        else if (xg_type_class(t) == XGT_C) {
            double re = fabs(xg_float_load(real, b)), im = fabs(xg_float_load(real, b + half)),
                   part = ulps > 0 ? XG_MAX(re, im) : 0;
            stage_oracle_float(real, a, b, k, ulps, absolute, &w, part);
            stage_oracle_float(real, a + half, b + half, k, ulps, absolute, &w, part);
        } else if (memcmp(a, b, bytes) != 0) {
            w.bad = true;
            w.element = k;
            w.ulps = 0;
            w.got = (double)xg_eval_load_int(t, a);
            w.want = (double)xg_eval_load_int(t, b);
        }
    }
    if (!w.bad) return;
    xg_printf(out, "element %lld: ", (long long)w.element);
    xg_float_print_g(out, w.got, 17);
    xg_puts(out, ", wanted ");
    xg_float_print_g(out, w.want, 17);
    xg_puts(out, ", steps ");
    xg_float_print_g(out, w.ulps, 6);
    xg_puts(out, "\n");
}

static const xg_literal *stage_oracle_literal(xg_stage *io, const char **at, const char *word, const xg_shape *shape) {
    size_t from;
    const xg_literal *l;
    *at = stage_eval_find(*at, io->in.text + io->in.size, word);
    if (!*at) xg_fail(io->ctx, XLAGPU_ERROR_USAGE, "the case lacks '%s'", word);
    from = (size_t)(*at + strlen(word) - io->in.text);
    l = xg_literal_parse(io->ctx, io->arena, &io->in, &from, shape);
    *at = io->in.text + from;
    return l;
}

static void stage_oracle(xg_stage *io) {
    xg_module *m = xg_hlo_parse(io->ctx, io->arena, &io->in);
    uint32_t devices = stage_eval_number(io->args, "devices=", 1), n = m->entry->n_params, d, k, round;
    const xg_literal **args = XG_NEW_N(io->arena, const xg_literal *, (size_t)n *devices + 1),
                     **wants = XG_NEW_N(io->arena, const xg_literal *, devices + 1);
    const xg_literal *const **rows = XG_NEW_N(io->arena, const xg_literal *const *, devices);
    double ulps = stage_eval_number(io->args, "ulp=", 0), absolute = stage_eval_number(io->args, "abs=", 0);
    const char *at = io->in.text, *passes = strstr(io->args, "pass="), *after = strstr(io->args, "after=");
    m->double_buffering = strstr(io->args, "double ") != NULL;
    xg_hlo_verify(m);
    for (k = 0; k < n * devices; k++)
        args[k] = stage_oracle_literal(io, &at, "// arg:", m->entry->params[k % n]->shape);
    for (d = 0; d < devices; d++) rows[d] = args + (size_t)d * n;
    for (d = 0; d < devices; d++) wants[d] = stage_oracle_literal(io, &at, "// want:", m->entry->root->shape);
    if (after) passes = after + 1;
    for (round = after ? 1 : 0; round < (passes ? 2u : 1u); round++) {
        const xg_literal *const *got;
        if (round) xg_driver_run_named(m, xg_str_z(passes + 5));
        got = xg_eval_replicas(m, io->arena, rows, n, devices, NULL);
        for (d = 0; d < devices; d++) {
            size_t before = io->out.n;
            stage_oracle_compare(&io->out, got[d], wants[d], ulps, absolute);
            if (devices > 1 && io->out.n > before) xg_printf(&io->out, "on device %u\n", d);
            if (round && io->out.n > before) xg_puts(&io->out, "after the passes\n");
        }
    }
    if (!io->out.n) xg_puts(&io->out, "ok");
}
