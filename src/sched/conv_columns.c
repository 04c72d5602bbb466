/* sched/conv_columns.c -- convolution-to-columns: a convolution that spreads its input, to a few features, becomes a
 * product of each pixel by all places of the window, and sums of what falls on the same position.
 *
 *     y[n,h,w,(kh,kw,o)] = dot(x[n,h,w,c], kernel[kh,kw,c,o])
 *     result             = sum over (kh,kw) of y[..,(kh,kw,o)], padded by s - 1 inside: a position s * h + low - kh
 *
 * The product reads each pixel once, where phases (tile_form.c) read it for each place of the window. Sums of the sum's
 * type go through memory, so features have to be few. */
#ifndef XG_SCHED_CONV_COLUMNS_C
#define XG_SCHED_CONV_COLUMNS_C
#include "tile.h"
#include "../opt/opt.h"

/* Both ways wait for memory, or for the second cache, whichever has more to give. */
XG_FN bool xg_columns_pay(const xg_inst *conv, const xg_dim_labels *l, int64_t places) {
    enum {
        PLACES = 32, /* each is an operand of the sum */
        GAIN_PERCENT = 88
    };
    const xg_device *m = &conv->comp->module->device;
    const xg_shape *in = XG_OPERAND(conv, 0)->shape;
    int64_t bytes = xg_cost_bytes(in), pixels = in->elements / in->dims[l->input_feature], sums, phases;
    if (places > PLACES || xg_device_is_cpu(m)) return false;
    sums = xg_cost_mul(xg_cost_mul(pixels, places), conv->shape->dims[l->output_feature]);
    sums = xg_cost_mul(sums, 2 * xg_type_bytes(xg_contract_sum_type(conv)));
    phases = xg_cost_scale(xg_cost_mul(bytes, places), 1000, xg_device_gbs(m->l2_bandwidth));
    sums = xg_cost_scale(xg_cost_add(bytes, sums), 1000, xg_device_gbs(m->bandwidth)) + m->graph_ns * 1000;
    return sums < xg_cost_scale(phases, GAIN_PERCENT, 100);
}
XG_FN bool xg_columns_suit(const xg_inst *i) {
    const xg_dim_labels *l;
    int64_t places = 1;
    xg_window w;
    uint32_t k;
    bool spread = false;
    if (i->op != XG_CONVOLUTION || i->n_operands != 2 || i->shape->dynamic || !i->shape->elements ||
        !xg_conv_is_labelled(i) || xg_type_class(i->shape->type) != XGT_F || xg_inst_attr(i, XG_A_algorithm) ||
        xg_attr_or_1(i, XG_A_feature_group_count) * xg_attr_or_1(i, XG_A_batch_group_count) != 1)
        return false;
    l = xg_inst_attr(i, XG_A_dim_labels)->v.labels;
    w = xg_emit_window(i);
    for (k = 0; k < w.n; k++) {
        if (w.p[k].stride != 1) return false;
        spread = spread || w.p[k].base_dilation > 1;
        places = xg_cost_mul(places, w.p[k].size);
    }
    for (k = 0; k < 2; k++)
        if (XG_OPERAND(i, k)->shape->dynamic || !XG_OPERAND(i, k)->shape->elements) return false;
    return spread && XG_OPERAND(i, 1)->shape->rank + w.n < XG_RANK_MAX && xg_columns_pay(i, l, places);
}
/* What the product makes for a place of the window, at its positions of the result. */
XG_FN xg_inst *xg_columns_place(const xg_hb *b, const xg_inst *conv, xg_inst *y, xg_inst *zero, int64_t place) {
    const xg_dim_labels *l = xg_inst_attr(conv, XG_A_dim_labels)->v.labels;
    xg_window w = xg_emit_window(conv);
    uint32_t n = w.n + 1, k; /* dimensions of the input that are left: all but the features */
    int64_t dims[XG_RANK_MAX];
    xg_slice_dim of[XG_RANK_MAX];
    xg_pad_dim pad[XG_RANK_MAX];
    memset(pad, 0, sizeof pad);
    for (k = 0; k < y->shape->rank; k++) {
        of[k].start = 0;
        of[k].limit = dims[k] = y->shape->dims[k];
        of[k].stride = 1;
    }
    for (k = 0; k < w.n; place /= w.p[k++].size) {
        const xg_window_dim *d = &w.p[k];
        int64_t tap = place % d->size, at = l->input_spatial.p[k], of_tap = l->kernel_spatial.p[k];
        xg_pad_dim *p = &pad[at - (at > l->input_feature)];
        xg_slice_dim *s = &of[n + of_tap - (of_tap > l->kernel_input)];
        s->start = d->reversal ? d->size - 1 - tap : tap;
        s->limit = s->start + 1;
        p->low = d->pad_low - tap * d->window_dilation;
        p->interior = d->base_dilation - 1;
        p->high = conv->shape->dims[l->output_spatial.p[k]] - p->low - 1 -
                  (XG_OPERAND(conv, 0)->shape->dims[at] - 1) * d->base_dilation;
    }
    dims[n] = conv->shape->dims[l->output_feature];
    return xg_hb_pad(b, xg_hb_reshape(b, xg_hb_slice(b, y, of), dims, n + 1), zero, pad);
}
XG_FN xg_inst *xg_columns_make(const xg_hb *b, xg_inst *conv) {
    const xg_dim_labels *l = xg_inst_attr(conv, XG_A_dim_labels)->v.labels;
    xlagpu_type type = xg_contract_sum_type(conv);
    int64_t places = 1, k, perm[XG_RANK_MAX];
    xg_inst *y, *zero, *sum = NULL, *one;
    xg_window w = xg_emit_window(conv);
    xg_dot_dims d;
    memset(&d, 0, sizeof d);
    d.lc.p = &l->input_feature;
    d.rc.p = &l->kernel_input;
    d.lc.n = d.rc.n = 1;
    y = xg_hb_dot(b, XG_OPERAND(conv, 0), XG_OPERAND(conv, 1), d, type, conv);
    zero = xg_hb_float(b, type, 0);
    perm[l->output_batch] = l->input_batch - (l->input_batch > l->input_feature);
    perm[l->output_feature] = w.n + 1;
    for (k = 0; k < (int64_t)w.n; places *= w.p[k++].size)
        perm[l->output_spatial.p[k]] = l->input_spatial.p[k] - (l->input_spatial.p[k] > l->input_feature);
    for (k = 0; k < places; k++) {
        one = xg_columns_place(b, conv, y, zero, k);
        sum = sum ? xg_hb_2(b, XG_ADD, sum, one) : one;
    }
    return xg_hb_convert(b, xg_hb_transpose(b, sum, perm), conv->shape->type);
}
XG_FN bool xg_columns_comp(xg_comp *c) {
    bool changed = false;
    xg_inst *i = c->first, *next;
    for (; i; i = next) {
        xg_hb b;
        next = i->next;
        if (!xg_columns_suit(i)) continue;
        b = xg_hb_at(i);
        xg_opt_replace(i, xg_columns_make(&b, i));
        xg_inst_remove(i);
        changed = true;
    }
    return changed;
}
XG_FN bool xg_tile_conv_columns(xg_module *m) {
    return m->made[XG_CONVOLUTION] && xg_opt_each_sequence(m, xg_columns_comp);
}

#endif /* XG_SCHED_CONV_COLUMNS_C */
