/* expand/vendor.c -- calls of vendor libraries that passes write: custom calls whose operands are laid out as the
 * library wants them. */
#ifndef XG_EXPAND_VENDOR_C
#define XG_EXPAND_VENDOR_C
#include "../api/executable.h"
#include "expand.h"

XG_FN bool xg_vendor_allows(const xg_module *m, xg_exe_library library) { return (m->libraries >> library & 1) != 0; }

/* Dimensions in their order, the last two the other way round if `turned`. */
XG_FN const xg_shape *xg_vendor_laid_out(xg_module *m, const xg_shape *s, bool turned) {
    int32_t order[XG_RANK_MAX];
    uint32_t k;
    for (k = 0; k < s->rank; k++) order[k] = (int32_t)(s->rank - 1 - k);
    if (turned && s->rank >= 2) {
        order[0] = (int32_t)s->rank - 2;
        order[1] = (int32_t)s->rank - 1;
    }
    return xg_shape_with_layout(m, s, xg_layout_make(m, order, s->rank, 0, 0, xg_str_of("", 0)));
}
/* What a library works in beside its buffers is known to the runtime only, which holds it to the limit. */
XG_FN xg_str xg_vendor_config(xg_module *m, const char *config) {
    xg_buf b;
    if (m->memory_limit <= 0 || m->limit_is_wish) return xg_str_z(config);
    xg_buf_init(&b, m->arena);
    xg_printf(
        &b, "{%s = %lld : i64%s%s", XG_EXE_LIMIT, (long long)m->memory_limit, config[1] == '}' ? "" : ", ", config + 1);
    return xg_str_of(b.p, b.n);
}
/* Of operands laid out so; result `leaf` lies where operand 0 does, -1: none. */
XG_FN xg_inst *xg_vendor_call(const xg_hb *b, const char *target, const char *config, const xg_shape *shape,
    xg_inst *const *in, const xg_shape **laid_out, uint32_t n, int leaf) {
    xg_module *m = b->comp->module;
    xg_inst *i = xg_hb_op(b, XG_CUSTOM_CALL, shape, in, n);
    xg_attr attr;
    xg_inst_set_text(i, XG_A_custom_call_target, target);
    attr = xg_attr_make(XG_A_operand_layout_constraints);
    {
        xg_shapes *shapes = XG_NEW(m->arena, xg_shapes);
        shapes->n = n;
        shapes->p = XG_NEW_N(m->arena, const xg_shape *, n + (size_t)1);
        memcpy(shapes->p, laid_out, n * sizeof *laid_out);
        attr.v.shapes = shapes;
    }
    xg_inst_set_attr(i, attr);
    if (leaf >= 0) {
        xg_aliases *aliases = XG_NEW(m->arena, xg_aliases);
        xg_alias *alias = XG_NEW(m->arena, xg_alias);
        int64_t *output = XG_NEW(m->arena, int64_t);
        *output = leaf;
        alias->output.p = output;
        alias->output.n = shape->type == XLAGPU_TUPLE;
        aliases->n = 1;
        aliases->p = alias;
        attr = xg_attr_make(XG_A_output_to_operand_aliasing);
        attr.v.aliases = aliases;
        xg_inst_set_attr(i, attr);
    }
    xg_inst_set_text(i, XG_A_api_version, "API_VERSION_TYPED_FFI");
    xg_inst_set_str(i, XG_A_backend_config, xg_vendor_config(m, config));
    return i;
}
/* An array as the rest of the module has them. */
XG_FN xg_inst *xg_vendor_plain(const xg_hb *b, xg_inst *x) {
    const xg_shape *s = xg_vendor_laid_out(b->comp->module, x->shape, false);
    if (!x->shape->layout || x->shape->layout->descending) return x;
    return xg_hb_of(b, XG_COPY, s, x);
}

#endif /* XG_EXPAND_VENDOR_C */
