/* tests/stages/dynamic.c -- bounded dimensions on a device: evaluates a module as the stage `eval` does and prints the
 * result; then lets ScanExpander and DynamicPadder have it, evaluates that with garbage for padding, and runs it on the
 * simulator. What differs is printed behind.
 *
 * The argument of a dynamic parameter states its sizes:  // arg: [2,3] {{1, 2, 3}, {4, 5, 6}}       `passes=off` in the
 *     stage's line: no optional passes */

static const xg_literal *dynamic_argument(xg_stage *io, const char **at, const xg_module *m, const xg_shape *s) {
    size_t from = (size_t)(*at - io->in.text);
    const xg_literal *l;
    int64_t dims[XG_RANK_MAX];
    uint32_t d;
    if (xg_shape_is_array(s) && s->dynamic) { /* "// arg: [2,3] {...}" */
        for (d = 0; d < s->rank; d++) dims[d] = s->dims[d];
        while (io->in.text[from] == ' ') from++;
        if (io->in.text[from] == '[')
            for (d = 0; d < s->rank; d++) {
                dims[d] = strtol(io->in.text + from + 1, NULL, 10);
                for (from++; io->in.text[from] != ',' && io->in.text[from] != ']'; from++) {}
                if (d + 1 == s->rank) from++;
            }
        s = xg_shape_array((xg_module *)(uintptr_t)m, s->type, dims, s->rank, NULL, NULL);
    }
    l = xg_literal_parse(io->ctx, io->arena, &io->in, &from, s);
    *at = io->in.text + from;
    return l;
}

/* ---- packing: leaves of bounds, and sizes ---- */

typedef struct dynamic_leaves {
    const xg_literal *p[64];
    uint32_t n;
} dynamic_leaves;

static void dynamic_copy(const xg_literal *from, const xg_literal *to) {
    int64_t at[XG_RANK_MAX], k, j, index;
    size_t bytes = (size_t)xg_type_bytes(from->shape->type);
    uint32_t d;
    for (k = 0; k < from->shape->elements; k++) {
        bool fits = true;
        for (index = k, d = from->shape->rank; d-- > 0;) {
            at[d] = index % from->shape->dims[d];
            index /= from->shape->dims[d];
        }
        for (j = 0, d = 0; d < from->shape->rank; d++) {
            j = j * to->shape->dims[d] + at[d];
            fits = fits && at[d] < to->shape->dims[d];
        }
        if (fits) memcpy((char *)to->data + (size_t)j * bytes, (const char *)from->data + (size_t)k * bytes, bytes);
    }
}
static void dynamic_pack(xg_stage *io, xg_module *m, const xg_literal *l, const xg_shape *s, dynamic_leaves *out) {
    xg_literal *whole, *size;
    uint32_t k;
    if (s->type == XLAGPU_TUPLE) {
        for (k = 0; k < s->n_elems; k++) dynamic_pack(io, m, l->elems[k], s->elems[k], out);
        return;
    }
    whole = xg_literal_new(io->arena, xg_dyn_bounds(m, s));
    memset(whole->data, s->type == XLAGPU_PRED ? 1 : 0x7B,
        (size_t)whole->shape->elements * (size_t)xg_type_bytes(s->type));
    dynamic_copy(l, whole);
    out->p[out->n++] = whole;
    for (k = 0; k < s->rank; k++)
        if (xg_dyn_is_open(s, k)) {
            size = xg_literal_new(io->arena, xg_shape_scalar(m, XLAGPU_S32));
            xg_literal_set_int(size, 0, l->shape->dims[k]);
            out->p[out->n++] = size;
        }
}
static const xg_literal *dynamic_unpack(xg_stage *io, xg_module *m, const xg_shape *s, const xg_literal *const **from) {
    int64_t dims[XG_RANK_MAX], v;
    xg_literal *l;
    const xg_literal *whole;
    uint32_t k;
    if (s->type == XLAGPU_TUPLE) {
        const xg_literal **elems = XG_NEW_N(io->arena, const xg_literal *, s->n_elems + (size_t)1);
        l = XG_NEW(io->arena, xg_literal);
        for (k = 0; k < s->n_elems; k++) elems[k] = dynamic_unpack(io, m, s->elems[k], from);
        l->shape = s;
        l->elems = elems;
        return l;
    }
    whole = *(*from)++;
    for (k = 0; k < s->rank; k++) {
        dims[k] = s->dims[k];
        if (xg_dyn_is_open(s, k)) {
            xg_literal_get_int(*(*from)++, 0, &v);
            dims[k] = XG_MIN(XG_MAX(v, (int64_t)0), dims[k]);
        }
    }
    l = xg_literal_new(io->arena, xg_shape_array(m, s->type, dims, s->rank, NULL, NULL));
    dynamic_copy(whole, l);
    return l;
}

/* ---- the three ways ---- */

static const xg_literal *dynamic_tree(xg_stage *io, const xg_shape *s, const xg_literal *const **leaves) {
    const xg_literal **elems;
    xg_literal *l;
    uint32_t k;
    if (s->type != XLAGPU_TUPLE) return *(*leaves)++;
    elems = XG_NEW_N(io->arena, const xg_literal *, s->n_elems + (size_t)1);
    for (k = 0; k < s->n_elems; k++) elems[k] = dynamic_tree(io, s->elems[k], leaves);
    l = XG_NEW(io->arena, xg_literal);
    l->shape = s;
    l->elems = elems;
    return l;
}
static void dynamic_flatten(const xg_literal *l, dynamic_leaves *out) {
    uint32_t k;
    if (l->shape->type == XLAGPU_TUPLE)
        for (k = 0; k < l->shape->n_elems; k++) dynamic_flatten(l->elems[k], out);
    else
        out->p[out->n++] = l;
}
static void dynamic_evaluate(xg_stage *io, const dynamic_leaves *in, dynamic_leaves *out) {
    xg_module *m = pipeline_parse(io);
    const xg_literal **args = XG_NEW_N(io->arena, const xg_literal *, m->entry->n_params + (size_t)1), *const *at =
                                                                                                           in->p;
    xg_eval_options o;
    uint32_t k;
    xg_driver_run_named(m, XG_STR("call-inliner,scan_expander,dynamic_padder"));
    for (k = 0; k < m->entry->n_params; k++) args[k] = dynamic_tree(io, m->entry->params[k]->shape, &at);
    memset(&o, 0, sizeof o);
    dynamic_flatten(xg_eval_module(m, io->arena, args, m->entry->n_params, &o), out);
}
static const char *dynamic_run(xg_stage *io, const dynamic_leaves *in, dynamic_leaves *out) {
    xg_module *m = pipeline_parse(io);
    xlagpu_rt_tensor tin[64], tout[64];
    xlagpu_device_desc d;
    xlagpu_device *device;
    xlagpu_program *program;
    xg_driver_options o;
    const char *error = NULL;
    const xg_shape *shapes[64];
    uint32_t k, n = 0;
    xg_str exe;
    memset(&o, 0, sizeof o);
    o.target = *xg_target_find(io->ctx, XG_STR("sm_90a"));
    o.disable_all_passes = strstr(io->args, "passes=off") != NULL;
    exe = xg_driver_compile(m, io->arena, &o, NULL, io->arena);
    xg_plan_leaf_shapes(m->entry_result, shapes, &n);
    for (k = 0; k < in->n; k++) {
        tin[k].data = in->p[k]->data;
        tin[k].bytes = (size_t)xg_plan_bytes(in->p[k]->shape);
    }
    for (k = 0; k < n; k++) {
        xg_literal *l = xg_literal_new(io->arena, shapes[k]);
        tout[k].data = l->data;
        tout[k].bytes = (size_t)xg_plan_bytes(shapes[k]);
        out->p[out->n++] = l;
    }
    memset(&d, 0, sizeof d);
    d.platform = "host";
    d.threads = 1;
    if (xlagpu_rt_open(&d, &device) != XLAGPU_OK) return "no device";
    program = xlagpu_rt_load(device, exe.p, exe.n);
    if (!program || xlagpu_rt_run(program, tin, in->n, tout, n) != XLAGPU_OK)
        error = xg_str_copy(io->arena, xg_str_z(xlagpu_rt_error(device))).p;
    xlagpu_rt_close(device);
    return error;
}
/* Prints the result when it is not what is wanted. */
static void dynamic_compare(xg_stage *io, xg_module *m, const char *who, const dynamic_leaves *got, const char *want) {
    const xg_literal *const *at = got->p;
    xg_buf b;
    xg_buf_init(&b, io->arena);
    xg_literal_print(&b, dynamic_unpack(io, m, m->entry_result, &at), true);
    if (strcmp(b.p, want) != 0) xg_printf(&io->out, "\n%s: %s", who, b.p);
}

static void stage_dynamic(xg_stage *io) {
    xg_module *m = pipeline_parse(io);
    const char *at = io->in.text, *end = io->in.text + io->in.size, *error;
    const xg_literal **args = XG_NEW_N(io->arena, const xg_literal *, m->entry->n_params + (size_t)1);
    dynamic_leaves in, padded, ran;
    xg_eval_options o;
    uint32_t k;
    xg_buf want;
    memset(&in, 0, sizeof in);
    memset(&padded, 0, sizeof padded);
    memset(&ran, 0, sizeof ran);
    memset(&o, 0, sizeof o);
    for (k = 0; k < m->entry->n_params; k++) {
        at = stage_eval_find(at, end, "// arg:");
        if (!at) xg_fail(io->ctx, XLAGPU_ERROR_USAGE, "%u arguments were given, %u are needed", k, m->entry->n_params);
        at += 7;
        args[k] = dynamic_argument(io, &at, m, m->entry->params[k]->shape);
        dynamic_pack(io, m, args[k], m->entry->params[k]->shape, &in);
    }
    xg_buf_init(&want, io->arena);
    xg_literal_print(&want, xg_eval_module(m, io->arena, args, m->entry->n_params, &o), true);
    xg_put(&io->out, want.p, want.n);
    dynamic_evaluate(io, &in, &padded);
    dynamic_compare(io, m, "padded", &padded, want.p);
    error = dynamic_run(io, &in, &ran);
    if (error)
        xg_printf(&io->out, "\n%s", error);
    else
        dynamic_compare(io, m, "device", &ran, want.p);
}
