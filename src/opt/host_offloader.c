/* opt/host_offloader.c -- values that the module sends to the host, to have them back later, lie in host memory in
 * between.
 *
 * MoveToHost and MoveToDevice say so, and annotate_device_placement, which JAX writes for both (a policy of
 * rematerialisation may offload what a backward pass needs). The way there and each way back becomes an asynchronous
 * copy to or from memory space S(5); the schedule spreads them. Where another operation uses the value on the host, or
 * nothing has it back, it stays on the device: such calls are their operand. */
#ifndef XG_OPT_HOST_OFFLOADER_C
#define XG_OPT_HOST_OFFLOADER_C
#include "opt.h"

enum {
    XG_OFFLOAD_SPACE = 5
};

/* _xla_buffer_placement="pinned_host" among the frontend_attributes, as they are written. */
XG_FN bool xg_offload_says(const xg_inst *i, const char *where) {
    XG_TABLE const char key[] = "_xla_buffer_placement=\"";
    xg_str s = xg_attr_str(i, XG_A_frontend_attributes);
    size_t n = strlen(where);
    uint32_t k;
    for (k = 0; k + sizeof key - 1 + n < s.n; k++)
        if (memcmp(s.p + k, key, sizeof key - 1) == 0)
            return memcmp(s.p + k + sizeof key - 1, where, n) == 0 && s.p[k + sizeof key - 1 + n] == '"';
    return false;
}
XG_FN bool xg_offload_is_marker(const xg_inst *i) {
    xg_str s = xg_attr_str(i, XG_A_custom_call_target);
    if (i->op != XG_CUSTOM_CALL || i->n_operands != 1 || i->shape->plain != XG_OPERAND(i, 0)->shape->plain)
        return false;
    return xg_word_in("MoveToHost MoveToDevice annotate_device_placement", s) >= 0;
}
XG_FN bool xg_offload_to(const xg_inst *i, bool host) {
    xg_str s = xg_attr_str(i, XG_A_custom_call_target);
    if (!xg_offload_is_marker(i) || !xg_shape_is_array(i->shape) || i->shape->dynamic) return false;
    if (xg_str_is(s, host ? "MoveToHost" : "MoveToDevice")) return true;
    return xg_str_is(s, "annotate_device_placement") &&
           (host ? xg_offload_says(i, "pinned_host") || xg_offload_says(i, "unpinned_host")
                 : xg_offload_says(i, "device"));
}

/* Goes to the host, and all that want it have it brought back. */
XG_FN bool xg_offload_leaves(const xg_inst *i) {
    if (!xg_offload_to(i, true) || i == i->comp->root || !i->first_use) return false;
    XG_FOR_USES(u, i)
        if (!xg_offload_to(u->user, false)) return false;
    return true;
}

XG_FN const xg_shape *xg_offload_shape(xg_module *m, const xg_shape *s, int64_t space) {
    const xg_layout *l;
    s = xg_shape_fill_layout(m, s);
    l = s->layout;
    return xg_shape_with_layout(m, s, xg_layout_make(m, l->minor_to_major, l->rank, space, l->element_bits, l->extras));
}
/* copy-start and copy-done to the memory. */
XG_FN xg_inst *xg_offload_copy(xg_inst *at, xg_inst *x, int64_t space) {
    xg_module *m = at->comp->module;
    xg_hb b = xg_hb_at(at);
    const xg_shape *elems[3], *to = xg_offload_shape(m, x->shape, space);
    xg_inst *start;
    elems[0] = to;
    elems[1] = xg_shape_fill_layout(m, x->shape);
    elems[2] = xg_shape_scalar(m, XLAGPU_U32);
    start = xg_hb_of(&b, XG_COPY_START, xg_shape_tuple(m, elems, 3), x);
    return xg_hb_of(&b, XG_COPY_DONE, to, start);
}

XG_FN void xg_offload_value(xg_inst *i) {
    xg_inst *away = xg_offload_copy(i, XG_OPERAND(i, 0), XG_OFFLOAD_SPACE);
    while (i->first_use) {
        xg_inst *back = i->first_use->user;
        xg_opt_replace(back, xg_offload_copy(back, away, 0));
        xg_inst_remove(back);
    }
    xg_inst_remove(i);
}

XG_FN bool xg_opt_host_offloader(xg_module *m) {
    bool changed = false;
    xg_comp *c;
    for (c = m->made[XG_CUSTOM_CALL] ? m->first : NULL; c; c = c->next) {
        xg_inst *i, *before;
        /* from the end, for the ways back go with the way there, and stand behind it */
        for (i = c->last; i; i = before) {
            before = i->prev;
            if (!xg_offload_leaves(i)) continue;
            xg_offload_value(i);
            changed = true;
        }
        for (i = c->last; i; i = before) {
            before = i->prev;
            if (!xg_offload_is_marker(i)) continue;
            if (xg_shape_is_array(i->shape))
                xg_opt_replace(i, XG_OPERAND(i, 0));
            else
                xg_inst_replace(i, XG_OPERAND(i, 0));
            xg_inst_remove(i);
            changed = true;
        }
    }
    return changed;
}

#endif /* XG_OPT_HOST_OFFLOADER_C */
