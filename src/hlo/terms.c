/* hlo/terms.c -- how many terms an instruction adds up for one element of its result. Costs and error bounds use it. */
#ifndef XG_HLO_TERMS_C
#define XG_HLO_TERMS_C
#include "hlo.h"

XG_APART XG_FN uint64_t xg_terms_of_dims(const xg_shape *s, xg_ints dims) {
    uint64_t n = 1;
    uint32_t k;
    for (k = 0; k < dims.n; k++) n *= (uint64_t)s->dims[dims.p[k]];
    return n;
}
XG_FN uint64_t xg_terms_of_window(const xg_inst *i) {
    const xg_attr *w = xg_inst_attr(i, XG_A_window);
    uint64_t n = 1;
    uint32_t k;
    for (k = 0; w && k < w->v.window->n; k++) n *= (uint64_t)w->v.window->p[k].size;
    return n;
}
XG_FN uint64_t xg_inst_terms(const xg_inst *i) {
    switch (i->op) {
    case XG_RAGGED_DOT:
    case XG_DOT: return xg_terms_of_dims(XG_OPERAND(i, 0)->shape, xg_attr_ints(i, XG_A_lhs_contracting_dims));
    case XG_REDUCE: return xg_terms_of_dims(XG_OPERAND(i, 0)->shape, xg_attr_dims(i));
    case XG_CONVOLUTION: {
        const xg_shape *kernel = XG_OPERAND(i, 1)->shape;
        const xg_attr *labels = xg_inst_attr(i, XG_A_dim_labels);
        int64_t outputs = labels ? kernel->dims[labels->v.labels->kernel_output] : 1;
        return outputs ? (uint64_t)(kernel->elements / outputs) : 0;
    }
    case XG_FFT: {
        xg_ints d = xg_attr_ints(i, XG_A_fft_length);
        uint64_t n = 1;
        uint32_t k;
        for (k = 0; k < d.n; k++) n *= (uint64_t)d.p[k];
        return n;
    }
    case XG_REDUCE_WINDOW: return xg_terms_of_window(i);
    case XG_SCATTER: /* all updates may meet in one element */
    case XG_SELECT_AND_SCATTER: {
        const xg_shape *s = XG_OPERAND(i, i->n_operands - 1)->shape;
        return xg_shape_is_array(s) ? (uint64_t)s->elements : 1;
    }
    case XG_CHOLESKY: return (uint64_t)i->shape->dims[i->shape->rank - 1];
    case XG_TRIANGULAR_SOLVE: return (uint64_t)XG_OPERAND(i, 0)->shape->dims[XG_OPERAND(i, 0)->shape->rank - 1];
    default: return 1;
    }
}

#endif /* XG_HLO_TERMS_C */
