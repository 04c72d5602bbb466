/* sched/cublaslt.c -- products of matrices that cuBLASLt makes.
 *
 * A fusion is taken if it is one dot of parameters, perhaps of a narrower type than it multiplies in, whose dimensions
 * are four groups (batch, rows, columns, summed), each of which has one stride in memory; and behind the dot nothing
 * but an array of the result's shape or a bias along the dimension that lies innermost, both added in either order; a
 * maximum with 0 or GELU by tanh; and a narrower type, in this order. Products of f8 may be multiplied by one or two
 * numbers that lie in memory, before anything is added: the library's scales of its operands. Their result may be f8,
 * multiplied by a number and limited to what f8 holds; then a second result may be the largest of the absolute values
 * before that (f8_pass.c makes such fusions).
 *
 * The library thinks of matrices as columns side by side. A result whose rows lie side by side is one whose columns do,
 * transposed: then the right operand is the library's first one. */
#ifndef XG_SCHED_CUBLASLT_C
#define XG_SCHED_CUBLASLT_C
#include "library.h"
#include "tile.h"

enum {
    XG_LT_WORKSPACE_SHARE = 64, /* of the program's memory limit, at most a 64th */
    XG_LT_TILE = 128,           /* rows and columns of a block's usual tile */
    XG_LT_PEAK_PERMILLE = 850,  /* of a matrix unit's rate, that large products reach; reasoned, not measured */
    XG_LT_ALIGN = 16            /* f8: rows are multiples of so many elements */
};

/* X(operands, result, cudaDataType of each, cublasComputeType, cudaDataType of alpha, figure of the device's rate):
 * several rows of one type of operands are several types of results. */
/* clang-format off */
#define XG_LT_TYPES(X) \
    X(F64, F64, 1, 1, 70, 1, tensor_f64) \
    X(F32, F32, 0, 0, 68, 0, f32_rate) \
    X(BF16, BF16, 14, 14, 68, 0, tensor_f16) \
    X(BF16, F32, 14, 0, 68, 0, tensor_f16) \
    X(F16, F16, 2, 2, 68, 0, tensor_f16) \
    X(F16, F32, 2, 0, 68, 0, tensor_f16) \
    X(C64, C64, 4, 4, 68, 4, f32_rate) \
    X(C128, C128, 5, 5, 70, 5, f64_rate) \
    X(F8E4M3FN, BF16, 28, 14, 68, 0, tensor_f8) \
    X(F8E4M3FN, F16, 28, 2, 68, 0, tensor_f8) \
    X(F8E4M3FN, F32, 28, 0, 68, 0, tensor_f8) \
    X(F8E4M3FN, F8E4M3FN, 28, 28, 68, 0, tensor_f8) \
    X(S8, S32, 3, 10, 72, 10, tensor_i8)
/* clang-format on */
typedef struct xg_lt_types {
    xlagpu_type in, out;
    int64_t in_code, out_code, compute, scale, rate;
} xg_lt_types;

/* What a fusion is, as long as it is that. */
typedef struct xg_lt_match {
    const xg_inst *dot, *bias, *addend; /* bias, addend (of the result's shape): parameters, or NULL */
    const xg_inst *operand[2];          /* parameters */
    const xg_inst *scale[2];            /* parameters of one f32 */
    const xg_inst *scale_out, *largest; /* likewise, of an f8 result; what max |y| is of y */
    uint32_t n_scales;
    bool relu, gelu, limited; /* limited: to what an f8 result holds */
    xlagpu_type in, out;
} xg_lt_match;

/* ---- the fusion ---- */

XG_FN bool xg_lt_is_row_major(const xg_shape *s) {
    uint32_t k;
    for (k = 0; s->layout && k < s->rank; k++)
        if (s->layout->minor_to_major[k] != (int64_t)s->rank - 1 - k) return false;
    return true;
}
/* Through what does nothing to memory. */
XG_FN const xg_inst *xg_lt_peel(const xg_inst *i) {
    while (i->op == XG_BITCAST ||
           (i->op == XG_RESHAPE && xg_lt_is_row_major(i->shape) && xg_lt_is_row_major(XG_OPERAND(i, 0)->shape)))
        i = XG_OPERAND(i, 0);
    return i;
}
XG_FN bool xg_lt_is_zero(const xg_inst *i) {
    uint32_t pattern;
    return xg_fuse_is_fill(i, &pattern) && pattern == 0;
}
/* The parameter of a vector that is the same for all but the dimension that lies innermost in `whole`; NULL: none. */
XG_FN const xg_inst *xg_lt_vector(const xg_inst *i) {
    const xg_shape *s;
    if (i->op == XG_CONVERT) i = XG_OPERAND(i, 0);
    s = i->shape;
    if (i->op != XG_BROADCAST || XG_OPERAND(i, 0)->shape->rank != 1 || !s->rank ||
        xg_attr_dims(i).p[0] != (int64_t)xg_shape_minor(s, 0))
        return NULL;
    i = XG_OPERAND(i, 0);
    if (i->op == XG_CONVERT) i = XG_OPERAND(i, 0);
    i = xg_lt_peel(i);
    return i->op == XG_PARAMETER && i->shape->rank == 1 ? i : NULL;
}
/* The parameter whose elements, perhaps of a narrower type, are those of an array that lies as it does; NULL: none. */
XG_FN const xg_inst *xg_lt_whole(const xg_inst *i) {
    i = xg_lt_peel(i);
    if (i->op == XG_CONVERT) i = xg_lt_peel(XG_OPERAND(i, 0));
    return i->op == XG_PARAMETER ? i : NULL;
}

XG_FN bool xg_lt_lies_as(const xg_shape *a, const xg_shape *b) {
    if (a->elements != b->elements) return false;
    if (xg_lt_is_row_major(a) && xg_lt_is_row_major(b)) return true;
    return xg_shape_same_dims(a, b) && a->layout && b->layout &&
           memcmp(a->layout->minor_to_major, b->layout->minor_to_major, a->rank * sizeof *b->layout->minor_to_major) ==
               0;
}

/* A value as p(x) + q(x) tanh(u(x)), u being GELU's: coefficients from the constant on. */
typedef struct xg_lt_form {
    double p[4], q[4];
} xg_lt_form;
static const double xg_lt_gelu_inner[4] = {0, 0.79788456080286535588, 0, 0.79788456080286535588 * 0.044715};
static const double xg_lt_gelu_outer[4] = {0, 0.5, 0, 0}; /* both p and q */

XG_FN bool xg_lt_near(const double *a, const double *b) { /* constants are rounded to f32 */
    uint32_t k;
    for (k = 0; k < 4; k++)
        if (!(fabs(a[k] - b[k]) <= 1e-6 * fabs(b[k]))) return false;
    return true;
}
XG_FN bool xg_lt_times(const double *a, const double *b, double *to) { /* to += a b; false: of a higher degree */
    uint32_t j, k;
    for (j = 0; j < 4; j++)
        for (k = 0; k < 4; k++) {
            if (a[j] == 0 || b[k] == 0) continue;
            if (j + k > 3) return false;
            to[j + k] += a[j] * b[k];
        }
    return true;
}
XG_FN bool xg_lt_constant(const xg_inst *i, double *v) {
    if (i->op == XG_BROADCAST) i = XG_OPERAND(i, 0);
    if (i->op != XG_CONSTANT || !xg_shape_is_scalar(i->shape) || xg_type_class(i->shape->type) != XGT_F) return false;
    *v = xg_literal_get_float(i->literal, 0);
    return true;
}
/* steps: how many are left, since what is shared is read each time. */
XG_FN bool xg_lt_form_of(const xg_inst *i, const xg_inst *x, xg_lt_form *f, uint32_t *steps) {
    xg_lt_form a, b;
    uint32_t k;
    memset(f, 0, sizeof *f);
    if (i == x) {
        f->p[1] = 1;
        return true;
    }
    if (xg_lt_constant(i, &f->p[0])) return true;
    if (!(*steps)-- || (i->op != XG_ADD && i->op != XG_MULTIPLY && i->op != XG_TANH)) {
        *steps = 0;
        return false;
    }
    if (!xg_lt_form_of(XG_OPERAND(i, 0), x, &a, steps)) return false;
    if (i->op == XG_TANH) {
        static const double none[4] = {0, 0, 0, 0};
        f->q[0] = 1;
        return xg_lt_near(a.p, xg_lt_gelu_inner) && xg_lt_near(a.q, none);
    }
    if (!xg_lt_form_of(XG_OPERAND(i, 1), x, &b, steps)) return false;
    for (k = 0; i->op == XG_ADD && k < 4; k++) {
        f->p[k] = a.p[k] + b.p[k];
        f->q[k] = a.q[k] + b.q[k];
    }
    if (i->op == XG_ADD) return true;
    for (k = 0; k < 4; k++)
        if (a.q[k] != 0) break;
    if (k < 4 && xg_lt_times(a.q, b.q, f->q)) /* the square of tanh */
        for (k = 0; k < 4; k++)
            if (f->q[k] != 0) return false;
    return xg_lt_times(a.p, b.p, f->p) && xg_lt_times(a.p, b.q, f->q) && xg_lt_times(a.q, b.p, f->q);
}
/* Of which value i is GELU by tanh, on the way from the dot; NULL: of none. */
XG_FN const xg_inst *xg_lt_gelu(const xg_inst *i) {
    enum {
        STEPS = 64 /* of a formula; usual ones take about 20 */
    };
    const xg_inst *x = NULL;
    if ((i->op != XG_MULTIPLY && i->op != XG_ADD) || xg_type_bits(i->shape->type) < 32) return NULL;
    XG_FOR_INSTS(s, i->comp)
        if (s->op == XG_DOT) x = s;
    while (x && x != i) {
        uint32_t steps = STEPS;
        xg_lt_form f;
        if (xg_lt_form_of(i, x, &f, &steps) && xg_lt_near(f.p, xg_lt_gelu_outer) && xg_lt_near(f.q, xg_lt_gelu_outer))
            return x;
        x = x->first_use && !x->first_use->next ? x->first_use->user : NULL;
    }
    return NULL;
}
/* The parameter that is one number, the same for all elements; NULL: none. */
XG_FN const xg_inst *xg_lt_scalar(const xg_inst *i) {
    while (i->op == XG_BROADCAST || i->op == XG_BITCAST || i->op == XG_RESHAPE) i = XG_OPERAND(i, 0);
    return i->op == XG_PARAMETER && i->shape->elements == 1 && i->shape->type == XLAGPU_F32 ? i : NULL;
}
/* From a product to the dot: what it is multiplied by. */
XG_FN const xg_inst *xg_lt_scales(const xg_inst *i, xg_lt_match *m) {
    while (i->op == XG_MULTIPLY && m->n_scales < XG_COUNT(m->scale)) {
        uint32_t k = xg_lt_scalar(XG_OPERAND(i, 0)) ? 0 : 1;
        const xg_inst *scale = xg_lt_scalar(XG_OPERAND(i, k));
        if (!scale) break;
        m->scale[m->n_scales++] = scale;
        i = xg_lt_peel(XG_OPERAND(i, 1 - k));
    }
    return i;
}
/* Of an f8 result: y, which is multiplied by a number, limited and converted; else i. */
XG_FN const xg_inst *xg_lt_narrow(const xg_inst *i, xg_lt_match *m) {
    xlagpu_type t = i->shape->type;
    double most = xg_float_decode(t, xg_float_format_of(t)->max_bits), low, high;
    const xg_inst *low_of;
    if (i->op != XG_CONVERT) return i;
    low_of = XG_OPERAND(i, 0);
    if (low_of->op != XG_MINIMUM || !xg_lt_constant(XG_OPERAND(low_of, 1), &high) || high != most) return i;
    low_of = XG_OPERAND(low_of, 0);
    if (low_of->op != XG_MAXIMUM || !xg_lt_constant(XG_OPERAND(low_of, 1), &low) || low != -most) return i;
    i = XG_OPERAND(low_of, 0);
    m->limited = true;
    if (m->largest && XG_OPERAND(XG_OPERAND(m->largest, 0), 0) == i) return i;
    m->scale_out = i->op == XG_MULTIPLY ? xg_lt_scalar(XG_OPERAND(i, 1)) : NULL;
    return m->scale_out ? XG_OPERAND(i, 0) : i;
}
/* From the root to the dot: a narrower type, a maximum with 0 or GELU, what is added, scales. */
XG_APART XG_FN const xg_inst *xg_lt_epilogue(const xg_inst *i, xg_lt_match *m) {
    uint32_t k;
    i = xg_lt_peel(i);
    if (i->shape->type == XLAGPU_F8E4M3FN) {
        const xg_inst *y = xg_lt_narrow(i, m);
        if (m->largest && (!m->limited || XG_OPERAND(XG_OPERAND(m->largest, 0), 0) != y)) return i;
        i = xg_lt_peel(y);
    } else if (i->op == XG_CONVERT)
        i = xg_lt_peel(XG_OPERAND(i, 0));
    for (k = 0; i->op == XG_MAXIMUM && k < 2 && !m->relu; k++)
        if (xg_lt_is_zero(XG_OPERAND(i, k))) {
            m->relu = true;
            i = xg_lt_peel(XG_OPERAND(i, !k));
        }
    if (!m->relu && xg_lt_gelu(i)) {
        m->gelu = true;
        i = xg_lt_peel(xg_lt_gelu(i));
    }
    for (k = 0; i->op == XG_ADD && k < 4; k++) { /* each operand, twice */
        const xg_inst *added = XG_OPERAND(i, k & 1), *rest = XG_OPERAND(i, !(k & 1));
        const xg_inst *vector = m->bias ? NULL : xg_lt_vector(added), *whole = m->addend ? NULL : xg_lt_whole(added);
        if (!vector && !whole) continue;
        if (vector)
            m->bias = vector;
        else
            m->addend = whole;
        i = xg_lt_peel(rest);
        k = (uint32_t)-1;
    }
    return xg_lt_scales(i, m);
}
/* An operand: the parameter, whose type may be narrower than the dot's. */
XG_FN const xg_inst *xg_lt_operand(const xg_inst *i) {
    i = xg_lt_peel(i);
    if (i->op == XG_CONVERT && xg_tile_holds(XG_OPERAND(i, 0)->shape->type, i->shape->type))
        i = xg_lt_peel(XG_OPERAND(i, 0));
    return i->op == XG_PARAMETER ? i : NULL;
}
/* The second root: max |y| of all y. */
XG_FN bool xg_lt_largest(const xg_inst *i, xg_lt_match *m) {
    const xg_comp *c = i->op == XG_REDUCE && i->n_operands == 2 ? xg_attr_to_apply(i) : NULL;
    double init;
    if (!c || i->shape->elements != 1 || i->shape->type != XLAGPU_F32 || XG_OPERAND(i, 0)->op != XG_ABS ||
        !xg_reducer_is_plain(c) || c->root->op != XG_MAXIMUM || !xg_lt_constant(XG_OPERAND(i, 1), &init) || init > 0)
        return false;
    m->largest = i;
    return true;
}
XG_APART XG_FN bool xg_lt_match_of(const xg_inst *fusion, xg_lt_match *m) {
    const xg_inst *root = xg_attr_calls(fusion)->root;
    uint32_t k;
    memset(m, 0, sizeof *m);
    if (root->op == XG_TUPLE && root->n_operands == 2) {
        if (!xg_lt_largest(XG_OPERAND(root, 1), m)) return false;
        root = XG_OPERAND(root, 0);
    }
    m->dot = xg_lt_epilogue(root, m);
    if (!xg_shape_is_array(root->shape) || m->dot->op != XG_DOT || m->dot->n_operands != 2 ||
        xg_inst_attr(m->dot, XG_A_sparsity_config) || xg_inst_attr(m->dot, XG_A_algorithm))
        return false;
    for (k = 0; k < 2; k++)
        if ((m->operand[k] = xg_lt_operand(XG_OPERAND(m->dot, k))) == NULL) return false;
    m->in = m->operand[0]->shape->type;
    m->out = root->shape->type;
    if (m->addend && (m->addend->shape->type != m->out || !xg_lt_lies_as(m->addend->shape, m->dot->shape)))
        return false;
    return m->operand[1]->shape->type == m->in && (!m->bias || m->bias->shape->type == m->out);
}
/* Sums that are rounded before the epilogue are no sums of the library's. */
XG_APART XG_FN const xg_lt_types *xg_lt_types_of(const xg_lt_match *m, const xg_device *d, xg_lt_types *out) {
    bool epilogue = m->bias || m->relu || m->gelu || m->addend || m->n_scales;
    bool rounded = m->dot->shape->type != m->out && xg_type_bits(m->dot->shape->type) < 32;
#define X(in_, out_, in_code_, out_code_, compute_, scale_, rate_) \
    if (m->in == XLAGPU_##in_ && m->out == XLAGPU_##out_) { \
        out->in_code = in_code_; \
        out->out_code = out_code_; \
        out->compute = compute_; \
        out->scale = scale_; \
        out->rate = d->rate_; \
    }
    memset(out, 0, sizeof *out);
    XG_LT_TYPES(X)
#undef X
    if (m->n_scales && m->in != XLAGPU_F8E4M3FN) return NULL;
    if (m->out == XLAGPU_F8E4M3FN ? !m->limited || m->bias || m->addend : m->largest != NULL) return NULL;
    if (!out->compute || rounded || (epilogue && xg_type_bits(m->dot->shape->type) < 32) ||
        (epilogue && (xg_type_class(m->out) == XGT_C || m->out == XLAGPU_S32)))
        return NULL;
    if (!out->rate) out->rate = d->f32_rate;
    return out;
}

/* ---- matrices ---- */

typedef struct xg_lt_axis {
    int64_t extent, stride;
} xg_lt_axis;

/* Dimensions, outermost first, as one of one stride; false: they are not one behind the other in memory. */
XG_FN bool xg_lt_join(const xg_shape *s, const int64_t *dims, uint32_t n, xg_lt_axis *out) {
    int64_t strides[XG_RANK_MAX];
    uint32_t k;
    xg_shape_strides(s, strides);
    out->extent = 1;
    out->stride = 0;
    for (k = n; k-- > 0;) {
        if (s->dims[dims[k]] == 1) continue;
        if (out->extent > 1 && strides[dims[k]] != out->stride * out->extent) return false;
        if (out->extent == 1) out->stride = strides[dims[k]];
        out->extent *= s->dims[dims[k]];
    }
    return true;
}
/* The dimensions of an operand that are in neither list. */
XG_FN uint32_t xg_lt_others(const xg_shape *s, xg_ints a, xg_ints b, int64_t *out) {
    uint32_t n = 0, d;
    for (d = 0; d < s->rank; d++)
        if (!xg_ints_at(a, d, NULL) && !xg_ints_at(b, d, NULL)) out[n++] = d;
    return n;
}
/* own: of the dimensions that only this operand has. */
typedef struct xg_lt_matrix {
    xg_lt_axis batch, own, sum;
} xg_lt_matrix;
XG_FN bool xg_lt_matrix_of(const xg_inst *i, xg_ints batch, xg_ints sum, xg_lt_matrix *m) {
    int64_t own[XG_RANK_MAX];
    uint32_t n = xg_lt_others(i->shape, batch, sum, own);
    return xg_lt_join(i->shape, batch.p, batch.n, &m->batch) && xg_lt_join(i->shape, own, n, &m->own) &&
           xg_lt_join(i->shape, sum.p, sum.n, &m->sum);
}
/* A matrix with `inner` or `outer` contiguous: whether it is that of the other one, and how far it is to its next
 * column. */
XG_FN bool xg_lt_leading(const xg_lt_axis *inner, const xg_lt_axis *outer, int64_t *transposed, int64_t *lead) {
    bool straight = inner->extent == 1 || inner->stride == 1;
    const xg_lt_axis *in = straight ? inner : outer, *across = straight ? outer : inner;
    *transposed = !straight;
    if (in->extent > 1 && in->stride != 1) return false;
    *lead = across->extent > 1 ? across->stride : in->extent;
    return *lead >= in->extent;
}
typedef struct xg_lt_call {
#define X(field) int64_t field;
    XG_EXE_MATMUL_FIELDS(X)
#undef X
} xg_lt_call;

XG_FN bool xg_lt_call_of(const xg_lt_match *m, const xg_lt_types *t, xg_lt_call *c) {
    const xg_shape *s = m->dot->shape;
    xg_lt_matrix in[2];
    xg_lt_axis batch, out[2];
    int64_t dims[XG_RANK_MAX], ignored;
    uint32_t n_batch = xg_attr_ints(m->dot, XG_A_lhs_batch_dims).n, rows, first, k;
    memset(c, 0, sizeof *c);
    if (!xg_lt_matrix_of(XG_OPERAND(m->dot, 0), xg_attr_ints(m->dot, XG_A_lhs_batch_dims),
            xg_attr_ints(m->dot, XG_A_lhs_contracting_dims), &in[0]) ||
        !xg_lt_matrix_of(XG_OPERAND(m->dot, 1), xg_attr_ints(m->dot, XG_A_rhs_batch_dims),
            xg_attr_ints(m->dot, XG_A_rhs_contracting_dims), &in[1]))
        return false;
    rows = XG_OPERAND(m->dot, 0)->shape->rank - xg_attr_ints(m->dot, XG_A_lhs_contracting_dims).n - n_batch;
    for (k = 0; k < s->rank; k++) dims[k] = k;
    if (!xg_lt_join(s, dims, n_batch, &batch) || !xg_lt_join(s, dims + n_batch, rows, &out[0]) ||
        !xg_lt_join(s, dims + n_batch + rows, s->rank - n_batch - rows, &out[1]))
        return false;
    first = out[1].extent == 1 ? 0 : out[1].stride == 1 || out[0].extent == 1; /* the operand that is the first one */
    if (out[first].extent > 1 && out[first].stride != 1) return false;
    if (!xg_lt_leading(&in[first].own, &in[first].sum, &c->trans_a, &c->lead_a) ||
        !xg_lt_leading(&in[!first].sum, &in[!first].own, &c->trans_b, &c->lead_b) ||
        !xg_lt_leading(&out[first], &out[!first], &ignored, &c->lead_d) || ignored)
        return false;
    c->compute = t->compute;
    c->scale = t->scale;
    c->type_a = c->type_b = t->in_code;
    c->type_d = t->out_code;
    c->rows = out[first].extent;
    c->columns = out[!first].extent;
    c->depth = in[0].sum.extent;
    c->batch = batch.extent;
    c->stride_a = in[first].batch.stride;
    c->stride_b = in[!first].batch.stride;
    c->stride_d = batch.stride;
    c->epilogue = m->bias || m->relu || m->gelu ? (m->relu ? 2 : 0) + (m->bias ? 4 : 0) + (m->gelu ? 32 : 0) : 1;
    c->operand_a = m->operand[first]->number;
    c->operand_b = m->operand[!first]->number;
    c->operand_bias = m->bias ? m->bias->number : -1;
    c->operand_c = m->addend ? m->addend->number : -1;
    c->operand_scale_a = m->n_scales ? m->scale[0]->number : -1;
    c->operand_scale_b = m->n_scales > 1 ? m->scale[1]->number : -1;
    c->operand_scale_d = m->scale_out ? m->scale_out->number : -1;
    c->largest = m->largest != NULL;
    return !m->bias || m->bias->shape->dims[0] == c->rows;
}
/* Of 8-bit elements it multiplies only rows of one matrix with columns of the other, each aligned. */
XG_FN bool xg_lt_is_known(const xg_lt_match *m, const xg_lt_call *c, const xg_device *d) {
    if (c->rows > INT32_MAX || c->columns > INT32_MAX || c->depth > INT32_MAX || c->batch > INT32_MAX) return false;
    if (xg_type_bits(m->in) > 8) return true;
    return c->trans_a && !c->trans_b && (m->in == XLAGPU_S8 || d->tensor_f8) && c->rows % XG_LT_ALIGN == 0 &&
           c->depth % XG_LT_ALIGN == 0 && c->columns % XG_LT_ALIGN == 0 && c->lead_a % XG_LT_ALIGN == 0 &&
           c->lead_b % XG_LT_ALIGN == 0;
}

/* ---- time ---- */

/* Picoseconds: blocks of usual tiles in waves over the multiprocessors, or all bytes once, if that takes longer. */
XG_FN int64_t xg_lt_time(const xg_lt_match *m, const xg_lt_call *c, const xg_lt_types *t, const xg_device *d) {
    double tiles =
        (double)xg_tile_over(c->rows, XG_LT_TILE) * (double)xg_tile_over(c->columns, XG_LT_TILE) * (double)c->batch;
    double waves = (double)xg_tile_over((int64_t)XG_MIN(tiles, 1e15), d->sm_count);
    double work = (double)(XG_LT_TILE * XG_LT_TILE) * (double)c->depth * (xg_type_class(m->in) == XGT_C ? 4 : 1);
    double clocks = waves * work * 1000 / ((double)t->rate * (double)XG_LT_PEAK_PERMILLE);
    double bytes = (double)xg_cost_bytes(m->operand[0]->shape) + (double)xg_cost_bytes(m->operand[1]->shape) +
                   (double)c->rows * (double)c->columns * (double)c->batch * xg_type_bytes(m->out);
    double moved = xg_cost_moved(d, bytes);
    double computed = clocks * 1e6 / (double)XG_MAX(d->tensor_mhz ? d->tensor_mhz : d->clock_mhz, (int64_t)1);
    return (int64_t)XG_MIN(XG_MAX(moved, computed), 9e18);
}

/* ---- the way ---- */

XG_FN int64_t xg_lt_workspace(const xg_way_job *job, const xg_device *d) {
    const xg_numbers *given = job->given ? xg_record_get(&job->given->form, "workspace") : NULL;
    int64_t limit = job->fusion->comp->module->memory_limit;
    if (given && given->n == 1) return given->p[0];
    if (limit <= 0) limit = d->memory_bytes;
    return XG_MIN((int64_t)XG_LT_WORKSPACE_BYTES, limit / XG_LT_WORKSPACE_SHARE / 256 * 256);
}
/* Whether the library makes it, and how. */
XG_FN bool xg_lt_takes(const xg_inst *fusion, xg_lt_match *m, xg_lt_call *c, xg_lt_types *types) {
    const xg_device *d = &fusion->comp->module->device;
    return xg_lt_match_of(fusion, m) && xg_lt_types_of(m, d, types) && xg_lt_call_of(m, types, c) &&
           xg_lt_is_known(m, c, d);
}
XG_FN const char *xg_cublaslt_field(xg_exe_matmul which) {
    XG_TABLE const char names[] =
#define X(field) #field "\0"
        XG_EXE_MATMUL_FIELDS(X)
#undef X
        ;
    return xg_text_nth(names, which);
}
XG_FN bool xg_cublaslt_plan(xg_way_job *job, xg_record *r, xg_way_times *times) {
    const xg_module *module = job->fusion->comp->module;
    const xg_device *d = &module->device;
    int64_t workspace, numbers[XG_EXE_MATMUL_COUNT]; /* as many as the fields of xg_lt_call */
    uint32_t k;
    xg_lt_match m;
    xg_lt_types types;
    xg_lt_call c;
    bool ordered = job->given && job->given->way.n;
    if (!ordered && !(module->libraries & 1u << XG_EXE_LIBRARY_CUBLASLT)) return false;
    r->why = xg_str_z("it is no product of matrices that cuBLASLt makes");
    if (!xg_lt_takes(job->fusion, &m, &c, &types)) return false;
    r->why = xg_str_of(NULL, 0);
    c.deterministic = module->deterministic;
    memcpy(numbers, &c, sizeof numbers);
    for (k = 0; k < XG_EXE_MATMUL_COUNT; k++)
        xg_record_put(job->arena, &r->form, xg_cublaslt_field((xg_exe_matmul)k), &numbers[k], 1);
    workspace = xg_lt_workspace(job, d);
    xg_record_put(job->arena, &r->form, "workspace", &workspace, 1);
    times->own = module->libraries & XG_EXE_LIBRARY_ALWAYS ? 0 : xg_lt_time(&m, &c, &types, d);
    times->emitter = 0;
    return true;
}

#endif /* XG_SCHED_CUBLASLT_C */
