/* sched/split_k.c -- a dot or convolution whose few tiles meet a long sum becomes many shorter ones, and a sum of them.
 *
 *     dot(f32[32,4096], f32[4096,64])  ==>  sum over s of dot(f32[32,s,4096/s], f32[s,4096/s,64]) with s as batch
 *
 * A convolution is cut along its input features, into groups of features; the gradient of a kernel is the case that
 * needs it, whose input features are the images of a batch:
 *
 *     convolution(x[n,..], g[n,..,o])  ==>  sum over s of convolution(x, g'[n/s,..,s*o]), feature_group_count=s
 *
 * Where each picture of a batch has features of the result for itself (batch_group_count: the gradient of a kernel that
 * takes channel by channel), pictures become groups of features as well, of s * batch groups.
 *
 * Where their rows lie in memory, each of few taps is a sum of its own instead, of products with a slice: one kernel
 * makes all of them by rows, where a thread for each tap and picture would read far apart.
 *
 * The second step is a reduction, with whatever is behind the dot; so results do not depend on the order in which
 * blocks come. One launch is enough where the blocks of a tile share the sum, in a cluster or by way of memory
 * (tile_split.c), but a kernel of its own reads many parts faster. The estimate of tile_plan.c says whether the tiles
 * that this makes are worth what goes through memory between both steps. */
#ifndef XG_SCHED_SPLIT_K_C
#define XG_SCHED_SPLIT_K_C
#include "tile.h"
#include "attention.h"
#include "../opt/opt.h"

enum {
    XG_SPLIT_PARTS_MAX = 128,
    XG_SPLIT_LENGTH_MIN = 64,     /* of a part: several steps */
    XG_SPLIT_PLAIN_PERCENT = 95,  /* of the time before, on plain cores, where steps are counted */
    XG_SPLIT_GAIN_PERCENT = 92,   /* of the time before: the model is no better than that */
    XG_SPLIT_FILL_PERCENT = 80,   /* of the multiprocessors */
    XG_SPLIT_EQUAL_PERCENT = 110, /* of the least time: the model is no better than that */
    XG_SPLIT_BOTH_PERCENT = 103,  /* of the time, where blocks meet in memory, too: two guesses are less sure */
    XG_SPLIT_SLACK = 32,          /* parts of a time ... */
    XG_SPLIT_FEW = 8,             /* parts that a kernel of what follows adds up, if it makes sums itself */
    XG_SPLIT_AGAIN_PS = 500000    /* of the second step beside its launch: the way to memory and back */
};

typedef struct xg_split {
    uint32_t dim[2]; /* of each operand: the summed dimension that is cut */
    int64_t parts;
} xg_split;

/* Time in parts, with the second step; the plan's form and how operands are brought stay. No blocks: it is no less than
 * `most`. */
XG_FN int64_t xg_split_time(xg_tile_plan *p, const xg_device *m, int64_t parts, int64_t most) {
    int64_t out = xg_cost_mul(xg_cost_mul(p->form.hero->shape->elements, xg_type_bytes(p->form.sum)), parts), more = 0;
    xg_tile_fetch fetch[XG_TILE_SIDES];
    if (parts > 1)
        more = xg_cost_scale(out, 1000, xg_device_gbs(m->bandwidth)) + m->graph_ns * 1000 + XG_SPLIT_AGAIN_PS;
    p->blocks = 0;
    if (most <= more + xg_tile_roof(p, m, out) - xg_tile_empty(m)) return most;
    p->picoseconds = most - more;
    if (p->unit == XG_TILE_NO_UNIT) /* of those about equal the first is taken */
        p->picoseconds = xg_cost_add(p->picoseconds, most / XG_SPLIT_SLACK);
    memcpy(fetch, p->fetch, sizeof fetch);
    p->form.group[XG_TILE_B].size *= parts;
    p->form.group[XG_TILE_K].size /= parts;
    xg_tile_choose(p, NULL, m, out);
    p->form.group[XG_TILE_B].size /= parts;
    p->form.group[XG_TILE_K].size *= parts;
    memcpy(p->fetch, fetch, sizeof fetch);
    if (!p->blocks) return most;
    if (parts > 1 && p->shape.split > 1) p->picoseconds = xg_cost_scale(p->picoseconds, XG_SPLIT_BOTH_PERCENT, 100);
    return xg_cost_add(p->picoseconds, more);
}
/* Powers of two; any divisor of a size that is no multiple of eight, such as the 50,257 words of GPT-2. */
XG_FN bool xg_split_may(int64_t size, int64_t parts) {
    return size % parts == 0 && ((parts & (parts - 1)) == 0 || size % 8 != 0);
}
/* Boxes along the axis that is cut: of so many pictures each. */
XG_FN int64_t xg_split_pictures(const xg_tile_plan *p) {
    const xg_tile_axis *a = p->form.group[XG_TILE_K].axes;
    while (a->of + 1 != p->form.n_vars) a++;
    return a->extent;
}
/* Into how many parts of equal length a sum over `size` is best cut: of nearly equal ones those whose blocks fill the
 * device. Sets *takes to the time of that, or, where it is no less than *takes, to any that is not. */
XG_FN int64_t xg_split_best(xg_tile_plan *p, const xg_device *m, int64_t size, bool summed, int64_t *takes) {
    int64_t most = *takes, again = m->graph_ns * 1000 + XG_SPLIT_AGAIN_PS, whole, least, best = 1;
    int64_t filled = INT64_MAX, full = 1, parts, time, gain, bar;
    bool shared; /* two ways to do the same, of which the model knows as much */
    whole = least = xg_split_time(p, m, 1, summed ? INT64_MAX : xg_cost_scale(most, 100, XG_SPLIT_PLAIN_PERCENT) + 1);
    shared = p->blocks && xg_tile_sharers(p) > 1;
    gain = shared ? 100 : p->unit == XG_TILE_NO_UNIT ? XG_SPLIT_PLAIN_PERCENT : XG_SPLIT_GAIN_PERCENT;
    bar = xg_cost_scale(whole, gain, 100);
    summed = summed && p->shape.split > 1;
    for (parts = 2; parts <= XG_SPLIT_PARTS_MAX; parts++) {
        int64_t there = summed && parts <= XG_SPLIT_FEW ? again : 0; /* the second step is anyway */
        if (!xg_split_may(size, parts) || (p->halo && xg_split_pictures(p) % parts)) continue;
        if (p->form.group[XG_TILE_K].size / parts < XG_SPLIT_LENGTH_MIN) break;
        time = xg_cost_scale(XG_MIN(least, most), XG_SPLIT_EQUAL_PERCENT, 100) + 1; /* more is never taken */
        time = XG_MIN(time, XG_MIN(XG_MAX(least, filled), bar));
        time = xg_split_time(p, m, parts, time + there) - there;
        if (!p->blocks) continue;
        if (time < filled && p->blocks >= xg_cost_scale(m->sm_count, XG_SPLIT_FILL_PERCENT, 100)) {
            filled = time;
            full = parts;
        }
        if (time >= least) continue;
        least = time;
        best = parts;
    }
    if (filled <= xg_cost_scale(least, XG_SPLIT_EQUAL_PERCENT, 100)) {
        least = filled;
        best = full;
    }
    if (least >= bar) {
        least = whole;
        best = 1;
    }
    *takes = least;
    return best;
}
/* The longest summed dimension. */
XG_FN int64_t xg_split_longest(const xg_inst *dot, xg_split *s) {
    xg_dot_dims d = xg_dot_dims_of(dot);
    int64_t size = 0;
    uint32_t k;
    for (k = 0; k < d.lc.n; k++) {
        int64_t n = XG_OPERAND(dot, 0)->shape->dims[d.lc.p[k]];
        if (n <= size) continue;
        size = n;
        s->dim[0] = (uint32_t)d.lc.p[k];
        s->dim[1] = (uint32_t)d.rc.p[k];
    }
    return size;
}
XG_FN int64_t xg_split_product(const xg_shape *s, xg_ints dims) {
    int64_t n = 1;
    uint32_t k;
    for (k = 0; k < dims.n; k++) n = xg_cost_mul(n, s->dims[dims.p[k]]);
    return n;
}
/* The input features of a convolution that may be cut; 0: it may not. */
XG_FN int64_t xg_split_features(const xg_inst *i) {
    const xg_dim_labels *l = xg_inst_attr(i, XG_A_dim_labels)->v.labels;
    if (i->n_operands != 2 || !xg_conv_is_labelled(i) || xg_attr_or_1(i, XG_A_feature_group_count) != 1 ||
        (xg_attr_or_1(i, XG_A_batch_group_count) != 1 && i->shape->dims[l->output_batch] != 1) ||
        XG_OPERAND(i, 0)->shape->dynamic || XG_OPERAND(i, 1)->shape->dynamic ||
        XG_OPERAND(i, 1)->shape->rank >= XG_RANK_MAX)
        return 0;
    return XG_OPERAND(i, 0)->shape->dims[l->input_feature];
}
/* Whether tiles of a middle size fill the device: then nothing is gained by more of them. */
XG_FN bool xg_split_fills(const xg_inst *dot, const xg_device *m) {
    enum {
        EDGE = 64
    };
    const xg_shape *l = XG_OPERAND(dot, 0)->shape, *r = XG_OPERAND(dot, 1)->shape;
    xg_dot_dims d;
    int64_t batch, shared;
    if (dot->op == XG_CONVOLUTION) /* where threads bring patches, tiles are larger */
        return dot->shape->elements / (EDGE * EDGE) >=
               (int64_t)m->sm_count * (m->warp_groups || m->tensor_memory ? 1 : 4);
    d = xg_dot_dims_of(dot);
    batch = xg_split_product(l, d.lb);
    shared = xg_cost_mul(batch, xg_split_product(l, d.lc));
    if (!shared) return true;
    return xg_cost_mul(batch, xg_cost_mul(xg_tile_over(l->elements / shared, EDGE),
                                  xg_tile_over(r->elements / shared, EDGE))) >= (int64_t)m->sm_count;
}
/* A sum over what lies side by side in memory. */
XG_FN bool xg_split_is_row_sum(const xg_inst *i) {
    const xg_shape *s = XG_OPERAND(i, 0)->shape;
    uint32_t k;
    for (k = 0; i->op == XG_REDUCE && k < s->rank; k++) {
        uint32_t d = xg_shape_minor(s, k);
        if (s->dims[d] > 1) return xg_ints_at(xg_attr_dims(i), d, NULL);
    }
    return false;
}
/* Of what is made of i, element by element, something is summed up, or rows are: a norm follows. */
XG_FN bool xg_split_feeds(const xg_inst *i, bool rows) {
    enum {
        SEEN = 16
    };
    const xg_inst *seen[SEEN];
    uint32_t n = 0, k;
    seen[n++] = i;
    for (k = 0; k < n; k++)
        XG_FOR_USES(u, seen[k]) {
            if (rows ? xg_split_is_row_sum(u->user) : u->user->op == XG_REDUCE) return true;
            if (n < SEEN &&
                ((xg_op_flags(u->user->op) & XGF_EW) || u->user->op == XG_BITCAST || u->user->op == XG_RESHAPE))
                seen[n++] = u->user;
        }
    return false;
}
/* How a plan's operands are brought, where what will be fused is not known yet. */
XG_FN void xg_split_fetch(xg_tile_plan *p, xg_aff_ctx *x, const xg_device *m) {
    uint32_t k;
    for (k = 0; k < XG_TILE_SIDES; k++) {
        xg_tile_choose_fetch(p, x, m, k);
        p->fetch[k].branches = p->fetch[k].work = 0;
        p->fetch[k].loads = 1;
    }
}
enum {
    XG_SPLIT_PLANS = 10
};
/* One of those that a convolution may have, made of the plain one: boxes, with a border or without, or patches, of
 * positions in rows or k; or boxes with a border of both sides. */
XG_FN bool xg_split_plan(const xg_tile_plan *plain, xg_tile_plan *p, xg_aff_ctx *x, const xg_device *m, uint32_t k) {
    enum {
        LEAST = 64 /* bytes of a pixel */
    };
    xg_tile_role role = k % 2 ? XG_TILE_K : XG_TILE_M;
    bool patch = k > XG_SPLIT_PLANS / 2 - 1 && k < XG_SPLIT_PLANS - 1, border = (k + 1) / 2 % 2, may;
    if (k &&
        ((role == XG_TILE_M && !plain->fetch[0].along_k) || !(patch ? xg_tile_patch_might : xg_tile_box_wants)(plain)))
        return false;
    *p = *plain;
    if (!k) return true;
    if (k == XG_SPLIT_PLANS - 1 && !xg_tile_halo_cross(p, x)) return false;
    may =
        patch ? xg_tile_patch_may(p, x, role, LEAST << border) : (border ? xg_tile_halo_may : xg_tile_box_may)(p, role);
    if (may) xg_split_fetch(p, x, m);
    return may && (patch || xg_tile_may_bulk(p));
}
XG_FN int64_t xg_split_count(const xg_inst *dot, int64_t size) {
    xg_module *module = dot->comp->module;
    const xg_device *m = &module->device;
    xg_aff_ctx *x = xg_aff_new(module->work);
    xg_tile_plan p, own;
    int64_t least = INT64_MAX, parts = 1, some, time;
    bool summed = xg_split_feeds(dot, false);
    uint32_t k;
    memset(&p, 0, sizeof p);
    if (!xg_tile_form_of(&p.form, x, dot) || !xg_tile_is_worth(&p.form)) return 1;
    p.alone =
        !xg_tile_is_sure(&p.form); /* what follows may take it in, by one thread for each sum: these are long then */
    xg_tile_choose_unit(&p, NULL, m);
    xg_tile_find_scale(&p, x);
    xg_split_fetch(&p, x, m);
    for (k = 1; k <= XG_SPLIT_PLANS; k++) { /* what is brought element by element is seldom best, and has most shapes */
        if (!xg_split_plan(&p, &own, x, m, k % XG_SPLIT_PLANS)) continue;
        time = least;
        some = xg_split_best(&own, m, size, summed, &time);
        if (time >= least) continue;
        least = time;
        parts = some;
    }
    return parts;
}
/* Of channel by channel, which threads make: as many parts as give the device warps enough. */
XG_FN int64_t xg_split_channels(const xg_inst *conv, int64_t size) {
    const xg_device *m = &conv->comp->module->device;
    int64_t most = 8 * m->sm_count * (int64_t)m->threads_per_sm, parts = XG_MIN(most / conv->shape->elements, size);
    for (; parts > 1 && size % parts; parts--) {}
    return parts;
}
/* Equal dots of operands alike are cut alike. */
XG_FN xg_str xg_split_key(const xg_inst *dot) {
    xg_buf b;
    uint32_t k;
    xg_buf_init(&b, dot->comp->module->work);
    xg_fuse_fingerprint_inst(&b, dot);
    for (k = 0; k < dot->n_operands; k++) {
        xg_put_i64(&b, XG_OPERAND(dot, k)->shape->id);
        xg_putc(&b, ' ');
        xg_puts(&b, xg_op_name(XG_OPERAND(dot, k)->op));
    }
    if (xg_inst_is_tf32(dot)) xg_puts(&b, " tf32");
    if (xg_split_feeds(dot, false)) xg_puts(&b, " summed up");
    return xg_str_of(b.p, b.n);
}
/* known: parts by key. */
XG_APART XG_FN bool xg_split_of(const xg_inst *i, xg_split *s, xg_dict *known) {
    xg_module *m = i->comp->module;
    int64_t size, *parts;
    xg_str key;
    if ((i->op != XG_DOT && i->op != XG_CONVOLUTION) || i->shape->dynamic ||
        (xg_inst_attr(i, XG_A_algorithm) && !xg_inst_is_tf32(i)))
        return false;
    size = i->op == XG_DOT ? xg_split_longest(i, s) : xg_split_features(i);
    if (size < 2 || (i->op == XG_DOT ? size : xg_tile_terms(i)) < 4 * XG_SPLIT_LENGTH_MIN ||
        xg_split_fills(i, &m->device))
        return false;
    key = xg_split_key(i);
    parts = (int64_t *)xg_dict_get(known, key);
    if (!parts) {
        parts = XG_NEW(m->work, int64_t);
        *parts = i->op == XG_CONVOLUTION && xg_attr_or_1(i, XG_A_batch_group_count) > 1 ? xg_split_channels(i, size)
                                                                                        : xg_split_count(i, size);
        (void)xg_dict_put(known, key, parts);
    }
    s->parts = *parts;
    return s->parts > 1;
}

/* x with dimension `dim` as so many parts of equal length. Conversions stay behind: tiles bring what is narrower. */
XG_FN xg_inst *xg_split_operand(const xg_hb *b, xg_inst *x, uint32_t dim, int64_t parts) {
    int64_t dims[XG_RANK_MAX];
    uint32_t k, n = 0;
    if (x->op == XG_CONVERT) return xg_hb_convert(b, xg_split_operand(b, XG_OPERAND(x, 0), dim, parts), x->shape->type);
    for (k = 0; k < x->shape->rank; k++) {
        if (k == dim) dims[n++] = parts;
        dims[n++] = k == dim ? x->shape->dims[k] / parts : x->shape->dims[k];
    }
    return xg_hb_reshape(b, x, dims, n);
}
/* The dimensions' new numbers; with `more`, the parts behind them. */
XG_FN xg_ints xg_split_dims(xg_arena *a, xg_ints d, uint32_t dim, bool more) {
    int64_t *to = XG_NEW_N(a, int64_t, d.n + (size_t)1);
    xg_ints r;
    uint32_t k;
    for (k = 0; k < d.n; k++) to[k] = d.p[k] + (d.p[k] >= (int64_t)dim);
    if (more) to[k] = dim;
    r.p = to;
    r.n = d.n + more;
    return r;
}
/* The sum over the parts, one after the other. In front of a norm few are read by slices: elementwise operations make
 * the sum then, which the kernel of the norm takes in; it knows no reduction but that of its rows. */
XG_FN xg_inst *xg_split_sum(const xg_hb *b, xg_inst *x, int64_t dim, const xg_inst *dot) {
    int64_t dims[XG_RANK_MAX], parts = x->shape->dims[dim], k;
    xg_inst *sum = NULL, *part;
    uint32_t j, n = 0;
    if (parts > XG_SPLIT_FEW || !xg_split_feeds(dot, true)) return xg_hb_sum(b, x, &dim, 1);
    for (j = 0; j < x->shape->rank; j++)
        if (j != (uint32_t)dim) dims[n++] = x->shape->dims[j];
    for (k = 0; k < parts; k++) {
        part = xg_hb_reshape(b, xg_hb_slice_dim(b, x, (uint32_t)dim, k, k + 1), dims, n);
        sum = sum ? xg_hb_2(b, XG_ADD, sum, part) : part;
    }
    return sum;
}
XG_APART XG_FN xg_inst *xg_split_make(const xg_hb *b, xg_inst *dot, const xg_split *s) {
    xg_arena *a = dot->comp->module->arena;
    xg_dot_dims d = xg_dot_dims_of(dot), to;
    xg_inst *l, *r, *sum;
    int64_t part = d.lb.n;
    l = xg_split_operand(b, XG_OPERAND(dot, 0), s->dim[0], s->parts);
    r = xg_split_operand(b, XG_OPERAND(dot, 1), s->dim[1], s->parts);
    to.lb = xg_split_dims(a, d.lb, s->dim[0], true);
    to.rb = xg_split_dims(a, d.rb, s->dim[1], true);
    to.lc = xg_split_dims(a, d.lc, s->dim[0], false);
    to.rc = xg_split_dims(a, d.rc, s->dim[1], false);
    sum = xg_split_sum(b, xg_hb_dot(b, l, r, to, xg_contract_sum_type(dot), dot), part, dot);
    return xg_hb_convert(b, sum, dot->shape->type);
}
/* The second operand with the groups of its input features beside each other among its output features; the first one
 * of `batches` with groups, then batches, in front of its input features. */
XG_FN xg_inst *xg_split_features_of(
    const xg_hb *b, xg_inst *x, int64_t in, int64_t other, int64_t parts, bool batches) {
    const xg_shape *s = x->shape;
    int64_t perm[XG_RANK_MAX], dims[XG_RANK_MAX], k;
    uint32_t n = 0;
    x = xg_split_operand(b, x, (uint32_t)in, parts);
    for (k = 0; k < s->rank; k++) {
        if (k == (batches ? in : other)) perm[n++] = in; /* the groups */
        if (batches && k == in) perm[n++] = other + (other > in);
        dims[k] = s->dims[k];
        if (k == (batches ? other : in)) dims[k] = batches ? 1 : dims[k] / parts;
        if (k == (batches ? in : other)) dims[k] *= batches ? s->dims[other] : parts;
        if (!batches || k != other) perm[n++] = k + (k >= in);
    }
    return xg_hb_reshape(b, xg_hb_transpose(b, x, perm), dims, s->rank);
}
XG_APART XG_FN xg_inst *xg_split_convolution(const xg_hb *b, xg_inst *conv, int64_t parts) {
    const xg_dim_labels *l = xg_inst_attr(conv, XG_A_dim_labels)->v.labels;
    xg_inst *operands[2], *made;
    int64_t dims[XG_RANK_MAX], part = l->output_feature, batches = xg_attr_or_1(conv, XG_A_batch_group_count);
    operands[0] = XG_OPERAND(conv, 0);
    if (batches > 1) operands[0] = xg_split_features_of(b, operands[0], l->input_feature, l->input_batch, parts, true);
    operands[1] = xg_split_features_of(b, XG_OPERAND(conv, 1), l->kernel_input, l->kernel_output, parts, false);
    memcpy(dims, conv->shape->dims, conv->shape->rank * sizeof *dims);
    dims[part] *= parts;
    made = xg_inst_clone(conv, conv->comp, operands, b->before);
    made->shape = xg_hb_shape(b, xg_contract_sum_type(conv), dims, conv->shape->rank);
    xg_inst_set_int(made, XG_A_feature_group_count, parts * batches);
    if (batches > 1) xg_inst_set_int(made, XG_A_batch_group_count, 1);
    made = xg_split_operand(b, made, (uint32_t)part, parts);
    return xg_hb_convert(b, xg_hb_sum(b, made, &part, 1), conv->shape->type);
}
/* Whether taps of i become sums of slices. Both operands have their dimensions in the same order. */
XG_APART XG_FN bool xg_split_is_taps(const xg_inst *i) {
    enum {
        TAPS = 27,
        PLACES = 16 /* of a picture, for each tap: fewer do not fill a row's threads */
    };
    const xg_shape *s;
    const xg_dim_labels *l;
    xg_window w;
    uint32_t k;
    if (i->op != XG_CONVOLUTION || !xg_conv_is_labelled(i) || i->n_operands != 2 || i->shape->dynamic ||
        xg_type_class(i->shape->type) != XGT_F)
        return false;
    s = XG_OPERAND(i, 0)->shape;
    l = xg_inst_attr(i, XG_A_dim_labels)->v.labels;
    w = xg_index_window_of(i);
    if (!w.n || s->dynamic || s->dims[l->input_batch] < 2 ||
        xg_attr_or_1(i, XG_A_batch_group_count) != s->dims[l->input_batch] ||
        s->dims[l->input_batch] != i->shape->dims[l->output_feature] || l->input_feature != l->kernel_input ||
        l->input_batch != l->kernel_output || l->input_spatial.p[w.n - 1] != xg_shape_major(s, s->rank - 1) ||
        i->shape->elements > TAPS * s->dims[l->input_batch] ||
        XG_OPERAND(i, 1)->shape->elements / s->dims[l->input_feature] < PLACES * i->shape->elements)
        return false;
    for (k = 0; k < w.n; k++)
        if (w.p[k].base_dilation != 1 || w.p[k].reversal || l->input_spatial.p[k] != l->kernel_spatial.p[k] ||
            l->output_spatial.p[k] < (k ? l->output_spatial.p[k - 1] : l->output_feature))
            return false;
    return true;
}
XG_FN xg_inst *xg_split_taps(const xg_hb *b, xg_inst *i) {
    const xg_dim_labels *l = xg_inst_attr(i, XG_A_dim_labels)->v.labels;
    xg_window w = xg_index_window_of(i);
    xg_inst *x = XG_OPERAND(i, 0), *y = XG_OPERAND(i, 1), **sums, *zero = xg_hb_int(b, x->shape->type, 0);
    int64_t channels = i->shape->dims[l->output_feature], n = i->shape->elements / channels, t, rest;
    int64_t over[XG_RANK_MAX], dims[2];
    xlagpu_type type = xg_contract_sum_type(i);
    xg_pad_dim pads[XG_RANK_MAX];
    xg_slice_dim d[XG_RANK_MAX];
    uint32_t k, m = 0;
    memset(pads, 0, sizeof pads);
    for (k = 0; k < x->shape->rank; k++) {
        d[k].start = 0;
        d[k].limit = x->shape->dims[k];
        d[k].stride = 1;
        if (k != (uint32_t)l->input_batch) over[m++] = k;
    }
    for (k = 0; k < w.n; k++) {
        pads[l->input_spatial.p[k]].low = w.p[k].pad_low;
        pads[l->input_spatial.p[k]].high = w.p[k].pad_high;
    }
    x = xg_hb_pad(b, x, zero, pads);
    y = xg_hb_convert(b, y, type);
    sums = XG_NEW_N(b->comp->module->arena, xg_inst *, n);
    dims[0] = channels;
    for (t = 0; t < n; t++) {
        for (k = w.n, rest = t; k-- > 0;) {
            int64_t taps = i->shape->dims[l->output_spatial.p[k]];
            xg_slice_dim *s = &d[l->input_spatial.p[k]];
            s->start = rest % taps * w.p[k].stride;
            s->stride = w.p[k].window_dilation;
            s->limit = s->start + (w.p[k].size - 1) * s->stride + 1;
            rest /= taps;
        }
        sums[t] = xg_hb_2(b, XG_MULTIPLY, xg_hb_convert(b, xg_hb_slice(b, x, d), type), y);
        dims[1] = 1;
        sums[t] = xg_hb_reshape(b, xg_hb_sum(b, sums[t], over, m), dims, 2);
    }
    dims[1] = n;
    x = xg_hb_concat(b, sums, (uint32_t)n, 1);
    return xg_hb_convert(b, xg_hb_reshape(b, x, i->shape->dims, i->shape->rank), i->shape->type);
}
/* The second dot of attention stays whole for its pass, which knows how to share the keys, and so do dQ, dK and dV. One
 * row of bytes is tiles' as long as it is no batch. */
XG_FN bool xg_split_spares(xg_inst *i) {
    if (i->op == XG_DOT && xg_dot_is_of_bytes(i)) return true;
#ifdef XLAGPU_SMALL
    return false; /* which lacks attention */
#else
    xg_attention_gradient g;
    if (i->op != XG_DOT) return false;
    if (xg_attention_gradient_find(i, &g) && (g.grad_dot || xg_attention_has_gradient(g.exp)))
        return xg_attention_back_has_unit(g.scores_dot, &i->comp->module->device);
    return xg_attention_will_take(i);
#endif
}
/* Of what runs by itself: what a fusion of the text computes is one kernel, as it says. */
XG_FN bool xg_split_comp(xg_comp *c) {
    bool changed = false;
    xg_inst *i = c->first, *next;
    xg_dict known;
    xg_split s;
    memset(&s, 0, sizeof s);
    xg_dict_init(&known, c->module->work);
    for (; i; i = next) {
        xg_hb b;
        bool taps = xg_split_is_taps(i);
        next = i->next;
        if (!taps && (!xg_split_of(i, &s, &known) || xg_split_spares(i))) continue;
        b = xg_hb_at(i);
        xg_opt_replace(i, taps              ? xg_split_taps(&b, i)
                          : i->op == XG_DOT ? xg_split_make(&b, i, &s)
                                            : xg_split_convolution(&b, i, s.parts));
        xg_inst_remove(i);
        changed = true;
    }
    return changed;
}
XG_FN bool xg_tile_split_k(xg_module *m) {
    return (m->made[XG_DOT] || m->made[XG_CONVOLUTION]) && xg_opt_each_sequence(m, xg_split_comp);
}

#endif /* XG_SCHED_SPLIT_K_C */
