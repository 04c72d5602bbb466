/* stage attention TARGET [drawn]: a module, compiled and run on the simulator with numbers around 0, whose results must
 * be the evaluator's but for rounding. Says how many kernels there are, the bytes of memory between them, and the form
 * of those that the rule attention makes. drawn: it runs again, with warps in some other orders. */

static void attention_fill(tiles_run *t, xg_literal *l) {
    int64_t k;
    for (k = 0; k < l->shape->elements; k++)
        if (xg_type_class(l->shape->type) == XGT_F)
            xg_literal_set_float(l, k, (double)(tiles_draw(t, 4001) - 2000) / 1000);
        else
            xg_literal_set_int(l, k, tiles_draw(t, 2));
}
/* The largest difference of the type's last places near 1; NaN is NaN. */
static bool attention_is_near(const xg_literal *want, const xg_literal *got, int64_t k) {
    double w = xg_literal_get_float(want, k), g = xg_literal_get_float(got, k), size = w < 0 ? -w : w;
    double place = want->shape->type == XLAGPU_BF16  ? 1.0 / 128
                   : want->shape->type == XLAGPU_F16 ? 1.0 / 1024
                   : want->shape->type == XLAGPU_F64 ? 1e-14
                                                     : 1e-6;
    double apart = w > g ? w - g : g - w;
    if (w != w || g != g) return w != w && g != g;
    return w == g || apart <= 4 * place * (size > 1 ? size : 1);
}
enum {
    ATTENTION_RESULTS_MAX = 4
};
static bool attention_run(
    tiles_run *t, xlagpu_program *p, xg_module *m, const xlagpu_rt_tensor *in, const xg_literal *want) {
    uint32_t n = (uint32_t)xg_shape_leaves(m->entry->root->shape), j;
    xlagpu_rt_tensor out[ATTENTION_RESULTS_MAX];
    xg_literal *got[ATTENTION_RESULTS_MAX];
    int64_t k;
    if (n > ATTENTION_RESULTS_MAX) {
        xg_puts(&t->io->out, "too many results for this stage\n");
        return false;
    }
    for (j = 0; j < n; j++) {
        got[j] = xg_literal_new(t->io->arena, tiles_leaf(m, j));
        out[j].data = got[j]->data;
        out[j].bytes = (size_t)(got[j]->shape->elements * xg_type_bytes(got[j]->shape->type));
    }
    if (xlagpu_rt_run(p, in, m->entry->n_params, out, n) != XLAGPU_OK) return false;
    for (j = 0; j < n; j++) {
        const xg_literal *w = want->elems ? want->elems[j] : want;
        for (k = 0; k < w->shape->elements; k++) {
            if (attention_is_near(w, got[j], k)) continue;
            xg_printf(&t->io->out, "result %u, element %lld differs\n", j, (long long)k);
            return false;
        }
    }
    return true;
}
typedef struct attention_said {
    xg_stage *io;
    const xg_module *compiled;
    xg_driver_report report;
} attention_said;
static void attention_say(void *user, xlagpu_program *program) {
    const attention_said *a = (const attention_said *)user;
    xg_buf *b = &a->io->out;
    (void)program;
    xg_printf(
        b, "%lld kernels, %lld bytes between them", (long long)a->report.kernels, (long long)a->report.temp_bytes);
    XG_FOR_INSTS(i, a->compiled->entry) {
        const xg_record *made = xg_record_read(a->io->arena, i);
        if (!made || !xg_str_is(made->way, "attention")) continue;
        xg_puts(b, "; ");
        xg_record_print_way(b, made);
    }
    xg_putc(b, '\n');
}
static void stage_attention(xg_stage *io) {
    xg_module *m = pipeline_parse(io), *twin = pipeline_parse(io);
    tiles_trial trial = {m, {NULL, 0}, attention_fill, attention_run, attention_say, NULL};
    xg_driver_options o;
    attention_said said;
    tiles_run t;
    memset(&t, 0, sizeof t);
    memset(&o, 0, sizeof o);
    memset(&said, 0, sizeof said);
    t.io = said.io = io;
    t.state = 7;
    said.compiled = twin;
    t.drawn = strstr(io->args, " drawn") ? 3 : 0;
    o.target = *xg_target_find(io->ctx, xg_str_of(io->args, strcspn(io->args, " ")));
    trial.exe = xg_driver_compile(twin, io->arena, &o, &said.report, io->arena);
    trial.user = &said;
    tiles_try(&t, &trial);
}
