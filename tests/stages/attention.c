/* stage attention TARGET: a module, compiled and run on the simulator with numbers around 0, whose results must be the
 * evaluator's but for rounding. Says how many kernels there are, the bytes of memory between them, and the form of
 * those that the rule attention makes. */

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
static bool attention_run(
    tiles_run *t, xlagpu_program *p, const xg_module *m, const xlagpu_rt_tensor *in, const xg_literal *want) {
    uint32_t n = (uint32_t)xg_shape_leaves(m->entry->root->shape), j;
    xlagpu_rt_tensor out[4];
    xg_literal *got[4];
    int64_t k;
    for (j = 0; j < n && j < 4; j++) {
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
static void attention_say(xg_stage *io, const xg_module *m, const xg_driver_report *r) {
    xg_printf(&io->out, "%lld kernels, %lld bytes between them", (long long)r->kernels, (long long)r->temp_bytes);
    XG_FOR_INSTS(i, m->entry) {
        const xg_record *made = xg_record_read(io->arena, i);
        if (!made || !xg_str_is(made->way, "attention")) continue;
        xg_puts(&io->out, "; ");
        xg_record_print_way(&io->out, made);
    }
    xg_putc(&io->out, '\n');
}
static void stage_attention(xg_stage *io) {
    xg_module *m = pipeline_parse(io), *twin = pipeline_parse(io);
    const xg_literal *args[8], *want;
    xlagpu_rt_tensor in[8];
    xg_driver_options o;
    xg_driver_report report;
    xlagpu_device_desc d;
    xlagpu_device *device;
    xlagpu_program *program;
    tiles_run t;
    xg_str exe;
    uint32_t k;
    memset(&t, 0, sizeof t);
    memset(&o, 0, sizeof o);
    memset(&d, 0, sizeof d);
    memset(&report, 0, sizeof report);
    t.io = io;
    t.state = 7;
    o.target = *xg_target_find(io->ctx, xg_str_z(io->args));
    exe = xg_driver_compile(twin, io->arena, &o, &report, io->arena);
    for (k = 0; k < m->entry->n_params && k < 8; k++) {
        xg_literal *l = xg_literal_new(io->arena, m->entry->params[k]->shape);
        attention_fill(&t, l);
        args[k] = l;
        in[k].data = l->data;
        in[k].bytes = (size_t)(l->shape->elements * xg_type_bytes(l->shape->type));
    }
    want = xg_eval_module(m, io->arena, args, m->entry->n_params, NULL);
    d.platform = "host";
    d.threads = 1;
    if (xlagpu_rt_open(&d, &device) == XLAGPU_OK) {
        program = xlagpu_rt_load(device, exe.p, exe.n);
        if (program && attention_run(&t, program, m, in, want))
            attention_say(io, twin, &report);
        else
            xg_puts(&io->out, xlagpu_rt_error(device));
    }
    xlagpu_rt_close(device);
}
