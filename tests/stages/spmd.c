/* tests/stages/spmd.c -- modules for many devices.
 *
 * factors     the factor rule of each instruction of the entry
 * spmd PASSES the module before and after these passes, the last of which partitions it: whole arguments, drawn by
 *             chance from few numbers so that sums are exact, are cut into parts with NaN behind their ends, and the
 *             joined result must be that of one device, bit for bit, or within ulp=N; then what the devices send
 * place replicas=N partitions=N mesh=M shard=S batch=B
 *             what the caller says of devices, each word where it is wanted: how many there are, and the annotations of
 *             parameters and root that come of it */

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
        else if (cls == XGT_C && shape->type == XLAGPU_C64)
            ((float *)l->data)[2 * k] = (float)(2 * v + 1) / 4, ((float *)l->data)[2 * k + 1] = (float)(4 * v + 1);
        else if (cls == XGT_C)
            ((double *)l->data)[2 * k] = (double)(2 * v + 1) / 4, ((double *)l->data)[2 * k + 1] = (double)(4 * v + 1);
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

/* ---- where a module runs ---- */

/* The word behind "key=" in the arguments; NULL: it is not there. */
static const char *spmd_word(const xg_stage *io, const char *key) {
    const char *at = strstr(io->args, key);
    return at ? xg_str_copy(io->arena, xg_str_of(at + strlen(key), strcspn(at + strlen(key), " "))).p : NULL;
}
static void spmd_put_annotation(xg_buf *out, const xg_inst *i) {
    xg_str s = xg_attr_str(i, XG_A_sharding);
    if (s.n) xg_printf(out, "%.*s %.*s\n", (int)i->name.n, i->name.p, (int)s.n, s.p);
}
static void stage_place(xg_stage *io) {
    xg_module *m = pipeline_parse(io);
    const char *replicas = spmd_word(io, "replicas="), *partitions = spmd_word(io, "partitions=");
    xg_place p;
    uint32_t k;
    p.replicas = replicas ? atoi(replicas) : 0;
    p.partitions = partitions ? atoi(partitions) : 0;
    p.mesh = spmd_word(io, "mesh=");
    p.shardings = spmd_word(io, "shard=");
    p.batch = spmd_word(io, "batch=");
    xg_spmd_place(m, &p);
    xg_printf(&io->out, "%lld x %lld\n", (long long)m->replica_count, (long long)m->num_partitions);
    for (k = 0; k < m->entry->n_params; k++) spmd_put_annotation(&io->out, m->entry->params[k]);
    if (m->entry->root->op != XG_PARAMETER) spmd_put_annotation(&io->out, m->entry->root);
}

/* ---- which factors are partitioned, and how ---- */

/* The tiling of dimension d by all devices; replicated where d < 0. */
static void spmd_annotate_dim(xg_inst *i, const xg_spmd_mesh *mesh, uint32_t leaf, int64_t d) {
    xg_arena *a = i->comp->module->work;
    const xg_shape **shapes = xg_shape_leaf_list(a, i->shape);
    int64_t n = i->shape->leaves, k;
    xg_sharding **s = xg_sharding_of(a, mesh, i), **leaves = XG_NEW_N(a, xg_sharding *, (size_t)n + 1);
    for (k = 0; k < n; k++)
        leaves[k] = s ? s[k] : xg_sharding_new(a, xg_shape_is_array(shapes[k]) ? shapes[k]->rank : 0);
    if (d >= 0) {
        xg_axes_list all;
        for (all.n = 0; all.n < mesh->n; all.n++) all.p[all.n] = (uint8_t)all.n;
        xg_sharding_set_axes(leaves[leaf], (uint32_t)d, &all);
    }
    xg_spmd_annotate(i, mesh, leaves, n);
}
/* All arrays that have the factor as a dimension's first one are split along it; how many those are. */
static uint32_t spmd_annotate_factor(
    xg_buf *out, xg_inst *i, const xg_spmd_mesh *mesh, const xg_spmd_rule *r, uint32_t factor) {
    uint32_t t, d, places = 0;
    for (t = 0; t < r->n_operands + r->n_results; t++) {
        bool result = t >= r->n_operands;
        xg_inst *x = result ? i : XG_OPERAND(i, t);
        for (d = 0; d < r->arrays[t].rank; d++) {
            const xg_spmd_rule_array *a = &r->arrays[t];
            if (a->first[d] == a->first[d + 1] || a->factors[a->first[d]] != factor) continue;
            if (result)
                xg_printf(out, " out%u.%u", t - r->n_operands, d);
            else
                xg_printf(out, " in%u.%u", t, d);
            spmd_annotate_dim(x, mesh, result ? t - r->n_operands : 0, d);
            places++;
        }
    }
    return places;
}

static void spmd_put_collectives(xg_buf *out, const xg_module *m) {
    static const xg_opcode kinds[] = {
        XG_ALL_GATHER, XG_ALL_REDUCE, XG_REDUCE_SCATTER, XG_ALL_TO_ALL, XG_COLLECTIVE_PERMUTE};
    bool any = false;
    uint32_t k;
    for (k = 0; k < XG_COUNT(kinds); k++) {
        const xg_comp *c;
        uint32_t n = 0;
        for (c = m->first; c; c = c->next)
            XG_FOR_INSTS(i, c) n += i->op == kinds[k];
        if (n) xg_printf(out, "%s %u %s", any ? "," : "", n, xg_op_name(kinds[k]));
        any = any || n;
    }
    if (!any) xg_puts(out, " local");
}

/* The module with one instruction of the entry alone, as the root. */
static xg_module *spmd_only(xg_stage *io, int32_t id, xg_inst **inst) {
    xg_module *m = pipeline_parse(io);
    *inst = NULL;
    XG_FOR_INSTS(i, m->entry)
        if ((int32_t)i->id == id) *inst = i;
    m->entry->root = *inst;
    m->entry_result = (*inst)->shape;
    (void)xg_opt_dce(m);
    return m;
}
static void spmd_cover(xg_stage *io, const xg_inst *of, uint32_t factor) {
    xg_inst *i;
    xg_module *whole = spmd_only(io, (int32_t)of->id, &i), *parts = spmd_only(io, (int32_t)of->id, &i);
    xg_spmd_mesh mesh = xg_mesh_of_module(parts);
    const xg_spmd_rule *r = xg_spmd_rule_of(io->arena, i);
    const xg_literal **args = XG_NEW_N(io->arena, const xg_literal *, (size_t)whole->entry->n_params + 1);
    uint64_t state = 1;
    const xg_literal *want, *got;
    uint32_t k, n = whole->entry->n_params;
    xg_spmd_job job;
    xg_buf diff, places;
    xg_buf_init(&diff, io->arena);
    xg_buf_init(&places, io->arena);
    for (k = 0; k < n; k++) spmd_annotate_dim(parts->entry->params[k], &mesh, 0, -1);
    spmd_annotate_dim(i, &mesh, 0, -1);
    if (!spmd_annotate_factor(&places, i, &mesh, r, factor)) return;
    for (k = 0; k < n; k++) args[k] = spmd_draw(io->arena, whole->entry->params[k]->shape, &state);
    job = xg_spmd_job_of(parts, io->arena);
    xg_driver_run_named(parts, XG_STR("spmd-partitioner"));
    want = xg_eval_module(whole, io->arena, args, n, NULL);
    got = xg_spmd_eval(&job, parts, io->arena, args, n, NULL);
    stage_oracle_compare(&diff, got, want, 0, 0);
    xg_printf(&io->out, "%.*s%.*s%s:", (int)of->name.n, of->name.p, (int)places.n, places.p,
        r->factors[factor].kind == XG_FACTOR_NEED ? " (need)" : "");
    if (diff.n) xg_puts(&io->out, " WRONG");
    spmd_put_collectives(&io->out, parts);
    xg_putc(&io->out, '\n');
}

/* Each instruction of the entry is split along each of its factors in turn, by all devices: what is sent. */
static void stage_spmd_coverage(xg_stage *io) {
    const xg_module *m = pipeline_parse(io);
    XG_FOR_INSTS(i, m->entry) {
        const xg_spmd_rule *r;
        uint32_t k;
        if (i->op == XG_PARAMETER || i->op == XG_CONSTANT || i->op == XG_GET_TUPLE_ELEMENT) continue;
        if (i == m->entry->root && i->op == XG_TUPLE) continue;
        r = xg_spmd_rule_of(io->arena, i);
        for (k = 0; k < r->n_factors; k++) spmd_cover(io, i, k);
    }
}
