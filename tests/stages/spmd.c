/* tests/stages/spmd.c -- modules for many devices.
 *
 * factors     the factor rule of each instruction of the entry
 * spmd PASSES the module before and after these passes, the last of which partitions it: whole arguments, drawn by
 *             chance from few numbers so that sums are exact, are cut into parts with NaN behind their ends, and the
 *             joined result must be that of one device, bit for bit, or within ulp=N; then what the devices send */

static void stage_factors(xg_stage *io) {
    xg_module *m = pipeline_parse(io);
    XG_FOR_INSTS(i, m->entry) {
        xg_printf(&io->out, "%.*s ", (int)i->name.n, i->name.p);
        xg_spmd_rule_print(&io->out, xg_spmd_rule_of(io->arena, i));
        xg_putc(&io->out, '\n');
    }
}

static uint64_t spmd_random(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}
static const xg_literal *spmd_draw(xg_arena *a, const xg_shape *shape, uint64_t *state) {
    xg_literal *l = xg_literal_new(a, shape);
    int cls = xg_type_class(shape->type);
    int64_t k;
    for (k = 0; k < shape->elements; k++) {
        int64_t v = (int64_t)(spmd_random(state) % 15) - 7;
        if (cls == XGT_P)
            ((unsigned char *)l->data)[k] = v & 1;
        else if (cls == XGT_I)
            xg_literal_set_int(l, k, v + 7);
        else if (cls == XGT_F)
            xg_literal_set_float(l, k, (double)v / 4);
    }
    return l;
}

static void stage_spmd(xg_stage *io) {
    xg_module *whole = pipeline_parse(io), *parts = pipeline_parse(io);
    const char *passes = strstr(io->args, "ulp=") ? strchr(io->args, ' ') + 1 : io->args, *last = strrchr(passes, ',');
    const xg_literal **args = XG_NEW_N(io->arena, const xg_literal *, (size_t)whole->entry->n_params + 1);
    uint64_t state = 1;
    uint32_t n = whole->entry->n_params, k;
    const xg_literal *want, *got;
    xg_spmd_traffic sent;
    xg_spmd_job job;
    for (k = 0; k < n; k++) args[k] = spmd_draw(io->arena, whole->entry->params[k]->shape, &state);
    if (last) xg_driver_run_named(parts, xg_str_of(passes, (size_t)(last - passes)));
    job = xg_spmd_job_of(parts, io->arena);
    xg_driver_run_named(parts, xg_str_z(last ? last + 1 : passes));
    want = xg_eval_module(whole, io->arena, args, n, NULL);
    got = xg_spmd_eval(&job, parts, io->arena, args, n, NULL);
    stage_oracle_compare(&io->out, got, want, stage_eval_number(io->args, "ulp=", 0), 0);
    sent = xg_spmd_traffic_of(parts);
    xg_printf(&io->out, "%s, %u collectives, %lld bytes\n", io->out.n ? "wrong" : "equal", sent.collectives,
        (long long)sent.bytes);
}
