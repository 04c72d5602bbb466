/* sched/tile_form.c -- which axes a dot or convolution has: of a batch, of each operand alone, and summed ones. */
#ifndef XG_SCHED_TILE_FORM_C
#define XG_SCHED_TILE_FORM_C
#include "tile.h"

/* How far out dimension d lies in memory: 0 is the innermost one. */
XG_FN uint32_t xg_tile_depth(const xg_shape *s, uint32_t d) {
    uint32_t k;
    for (k = 0; k < s->rank && xg_shape_minor(s, k) != d; k++) {}
    return k;
}
/* Behind those that lie further out in memory. */
XG_FN void xg_tile_add(xg_tile_group *g, uint32_t of, int64_t extent, int64_t scale, uint32_t depth, uint32_t *depths) {
    uint32_t k = g->n++;
    for (; k > 0 && depths[k - 1] < depth; k--) {
        g->axes[k] = g->axes[k - 1];
        depths[k] = depths[k - 1];
    }
    g->axes[k].of = of;
    g->axes[k].extent = extent;
    g->axes[k].scale = scale;
    depths[k] = depth;
}
typedef struct xg_tile_builder {
    xg_tile_form *f;
    uint32_t depths[XG_TILE_ROLES][XG_TILE_VARS_MAX];
} xg_tile_builder;
XG_FN void xg_tile_add_dim(xg_tile_builder *b, xg_tile_role role, uint32_t dim, int64_t extent, int64_t scale) {
    xg_tile_add(&b->f->group[role], dim, extent, scale, xg_tile_depth(b->f->hero->shape, dim), b->depths[role]);
}
/* A summed one lies as deep as the dimension of operand 0 that it counts. */
XG_FN void xg_tile_add_sum(xg_tile_builder *b, uint32_t which, uint32_t dim, int64_t extent) {
    uint32_t depth = xg_tile_depth(XG_OPERAND(b->f->hero, 0)->shape, dim);
    xg_tile_add(&b->f->group[XG_TILE_K], b->f->rank + which, extent, 1, depth, b->depths[XG_TILE_K]);
}

/* Of a ragged-dot the batch is of what stands in front of the ragged dimension, and of groups, whose number is the last
 * variable; the other rows lie behind it. Or the sum is ragged: then groups are a dimension of the result, and what
 * else is summed lies behind it. */
XG_APART XG_FN bool xg_tile_dot(xg_tile_builder *b) {
    const xg_inst *i = b->f->hero;
    const xg_shape *s = i->shape, *lhs = XG_OPERAND(i, 0)->shape;
    bool ragged = i->op == XG_RAGGED_DOT, sums;
    uint32_t n_batch = xg_attr_ints(i, XG_A_lhs_batch_dims).n, left, which = 0, k;
    xg_ints summed = xg_attr_ints(i, XG_A_lhs_contracting_dims);
    if (i->n_operands != 2 + (uint32_t)ragged) return false;
    sums = ragged && xg_ragged_sums(i, &which);
    if (sums && XG_OPERAND(i, 2)->shape->rank > 1 + n_batch) return false;
    n_batch = sums ? n_batch + 1 : ragged ? xg_ragged_dim(i) : n_batch;
    left = lhs->rank - summed.n + sums;
    for (k = 0; k < s->rank; k++)
        xg_tile_add_dim(b, k < n_batch ? XG_TILE_B : k < left ? XG_TILE_M : XG_TILE_N, k, s->dims[k], 1);
    for (k = 0; k < summed.n; k++) xg_tile_add_sum(b, k, (uint32_t)summed.p[k], lhs->dims[summed.p[k]]);
    b->f->n_vars = s->rank + summed.n;
    if (sums) return b->f->group[XG_TILE_K].axes[0].of == s->rank + which;
    if (!ragged) return true;
    xg_tile_add(&b->f->group[XG_TILE_B], b->f->n_vars++, xg_ragged_groups(i), 1, 0, b->depths[XG_TILE_B]);
    return b->f->group[XG_TILE_M].axes[0].of == n_batch;
}
XG_APART XG_FN bool xg_tile_convolution(xg_tile_builder *b) {
    const xg_inst *i = b->f->hero;
    const xg_shape *s = i->shape, *kernel = XG_OPERAND(i, 1)->shape;
    const xg_dim_labels *l = xg_inst_attr(i, XG_A_dim_labels)->v.labels;
    xg_window w = xg_emit_window(i);
    int64_t groups = xg_attr_or_1(i, XG_A_feature_group_count) * xg_attr_or_1(i, XG_A_batch_group_count), features;
    uint32_t k;
    if (i->n_operands != 2 || xg_inst_attr(i, XG_A_sparsity_config) || groups < 1) return false;
    features = s->dims[l->output_feature] / groups;
    for (k = 0; k < s->rank; k++)
        if (k != (uint32_t)l->output_feature) xg_tile_add_dim(b, XG_TILE_M, k, s->dims[k], 1);
    if (groups > 1) xg_tile_add_dim(b, XG_TILE_B, (uint32_t)l->output_feature, groups, features);
    xg_tile_add_dim(b, XG_TILE_N, (uint32_t)l->output_feature, features, 1);
    for (k = 0; k < w.n; k++) xg_tile_add_sum(b, k, (uint32_t)l->input_spatial.p[k], w.p[k].size);
    xg_tile_add_sum(b, w.n, (uint32_t)l->input_feature, kernel->dims[l->kernel_input]);
    b->f->n_vars = s->rank + w.n + 1;
    return true;
}

XG_FN int64_t xg_tile_group_size(const xg_tile_group *g) {
    int64_t n = 1;
    uint32_t k;
    for (k = 0; k < g->n; k++)
        if (!xg_mul64(n, g->axes[k].extent, &n)) return -1;
    return n;
}
/* The role whose last axis of more than one element lies innermost in the result: threads write it side by side. */
XG_FN bool xg_tile_m_is_minor(const xg_tile_builder *b) {
    uint32_t best[2] = {UINT32_MAX, UINT32_MAX}, role, k;
    for (role = XG_TILE_M; role <= XG_TILE_N; role++) {
        const xg_tile_group *g = &b->f->group[role];
        for (k = 0; k < g->n; k++)
            if (g->axes[k].extent > 1) best[role - XG_TILE_M] = b->depths[role][k];
    }
    return best[0] < best[1];
}
XG_FN void xg_tile_swap(xg_tile_form *f) {
    xg_tile_group g = f->group[XG_TILE_M];
    f->group[XG_TILE_M] = f->group[XG_TILE_N];
    f->group[XG_TILE_N] = g;
    f->operand[0] = 1;
    f->operand[1] = 0;
}

/* The few features of a convolution are rows on matrix units: tiles have 16 of these at least, but 32 columns. Then
 * neighbours in memory leave one by one, which little of a result may. */
XG_FN bool xg_tile_few_features(const xg_tile_form *f) {
    enum {
        FEW = 8,
        LESS = 4 /* times as many elements as the result has are read */
    };
    const xg_tile_group *g = f->group;
    const xg_shape *read = XG_OPERAND(f->hero, 0)->shape;
    return f->hero->op == XG_CONVOLUTION && g[XG_TILE_N].size <= FEW && xg_type_bits(read->type) <= 16 &&
           f->hero->shape->elements <= read->elements / LESS && g[XG_TILE_M].size >= FEW * FEW;
}
/* With one row there is nothing that tiles would read once, unless windows overlap: they have other merits there. */
XG_FN bool xg_tile_is_wide(const xg_tile_form *f) {
    return XG_MIN(f->group[XG_TILE_M].size, f->group[XG_TILE_N].size) > 1 || xg_dot_is_of_tiles(f->hero);
}
XG_FN bool xg_tile_form_of(xg_tile_form *f, xg_aff_ctx *x, const xg_inst *hero) {
    xg_tile_builder b;
    uint32_t k;
    memset(f, 0, sizeof *f);
    memset(&b, 0, sizeof b);
    b.f = f;
    f->hero = hero;
    f->rank = hero->shape->rank;
    f->operand[1] = 1;
    if (!xg_shape_is_array(hero->shape) || hero->shape->dynamic || hero->shape->elements == 0) return false;
    for (k = 0; k < 2; k++)
        if (XG_OPERAND(hero, k)->shape->dynamic || XG_OPERAND(hero, k)->shape->elements == 0) return false;
    for (k = 0; k < 2; k++)
        if (!xg_imap_ok(xg_indexing_operand(x, hero, k))) return false;
    if (hero->op == XG_CONVOLUTION ? !xg_tile_convolution(&b) : !xg_tile_dot(&b)) return false;
    f->sum = xg_contract_sum_type(hero);
    for (k = 0; k < XG_TILE_ROLES; k++)
        if ((f->group[k].size = xg_tile_group_size(&f->group[k])) <= 0) return false;
    if (xg_tile_m_is_minor(&b) || xg_tile_few_features(f)) {
        if (hero->op == XG_RAGGED_DOT && !xg_ragged_sums(hero, &k)) return false; /* rows of groups are those of M */
        xg_tile_swap(f);
    }
    for (k = 0; k < XG_TILE_SIDES; k++)
        f->map[k] = xg_imap_syms_to_dims(x, xg_indexing_operand(x, hero, f->operand[k]));
    return f->sum != XLAGPU_PRED;
}

/* ---- phases ---- */

/* The first place of the window that meets an element of the input at this position. */
XG_FN const xg_aff *xg_tile_phase_place(xg_aff_ctx *x, const xg_window_dim *d, const xg_aff *position) {
    const xg_aff *v = xg_aff_add_k(x, xg_aff_mul(x, position, -1), d->pad_low);
    return xg_aff_sub(x, v, xg_aff_mul(x, xg_aff_div(x, v, d->base_dilation), d->base_dilation));
}
/* Along dimension k of the window, and `dim` of the result. */
XG_FN void xg_tile_form_phase(xg_tile_form *f, xg_aff_ctx *x, const xg_window_dim *d, uint32_t k, uint32_t dim) {
    xg_tile_group *batch = &f->group[XG_TILE_B];
    int64_t s = d->base_dilation;
    const xg_aff *phase = xg_aff_mod(x, xg_aff_div(x, xg_aff_dim_0(x), batch->size), s);
    uint32_t r, v;
    for (r = XG_TILE_M; r < XG_TILE_ROLES; r++)
        for (v = 0; v < f->group[r].n; v++) {
            xg_tile_axis *a = &f->group[r].axes[v];
            if (a->of != (r == XG_TILE_K ? k : dim)) continue;
            a->extent = (a->extent + s - 1) / s;
            f->group[r].size = xg_tile_group_size(&f->group[r]);
            if (r == XG_TILE_K) {
                phase = xg_aff_mul(x, xg_tile_phase_place(x, d, phase), -1);
                a->places = xg_aff_div(x, xg_aff_add_k(x, phase, d->size + s - 1), s);
                f->some_places = xg_cost_mul(f->some_places, d->size);
                f->all_places = xg_cost_mul(f->all_places, xg_cost_mul(s, a->extent));
            } else
                a->scale = s;
        }
    memmove(batch->axes + 1, batch->axes, batch->n++ * sizeof *batch->axes);
    batch->axes[0].of = dim;
    batch->axes[0].extent = s;
    batch->axes[0].scale = 1;
    batch->size *= s;
}
/* Below an input that is spread by s (of the gradient of a convolution's input, of stride s) positions that are s apart
 * have the same places of the window, every s-th one, and neighbours' elements: such a phase is a number of the batch,
 * and its sum has no zeros between elements. Where some phases have a position less, it is no part of the result. */
XG_FN void xg_tile_form_phases(xg_tile_form *f, xg_aff_ctx *x) {
    xg_window w = xg_emit_window(f->hero);
    xg_imap *m = xg_imap_of_dims(x, f->n_vars, f->n_vars);
    uint32_t k, v, dim;
    f->some_places = f->all_places = 1;
    for (v = 0; v < f->n_vars; v++) {
        m->results[v] = xg_aff_dim(x, v);
        m->dims[v].range = f->map[0]->dims[v].range;
    }
    for (k = 0; k < w.n; k++) {
        const xg_window_dim *d = &w.p[k];
        dim = (uint32_t)xg_inst_attr(f->hero, XG_A_dim_labels)->v.labels->output_spatial.p[k];
        v = f->rank + k;
        if (d->stride != 1 || d->window_dilation != 1 || d->base_dilation == 1 ||
            d->base_dilation > f->hero->shape->dims[dim])
            continue; /* or most phases have no position */
        f->filled = f->filled || f->hero->shape->dims[dim] % d->base_dilation;
        m->results[v] = xg_aff_add_dim(x, xg_tile_phase_place(x, d, xg_aff_dim(x, dim)), v, d->base_dilation);
        m->dims[v].range.hi = (d->size - 1) / d->base_dilation;
        xg_tile_form_phase(f, x, d, v, dim);
        f->phased = true;
    }
    for (k = 0; k < XG_TILE_SIDES && f->phased; k++) f->map[k] = xg_imap_compose(x, m, f->map[k]);
}

/* Whether the operand's elements are those of a parameter, unchanged. */
XG_FN bool xg_tile_is_moved(const xg_inst *i) {
    while (i->op == XG_BITCAST || i->op == XG_RESHAPE || i->op == XG_TRANSPOSE || i->op == XG_REVERSE ||
           i->op == XG_SLICE || i->op == XG_COPY || i->op == XG_BROADCAST)
        i = XG_OPERAND(i, 0);
    return i->op == XG_PARAMETER;
}
/* Sectors that a warp asks for at once, of neighbours along rows, or along k. */
XG_FN int64_t xg_tile_touches(const xg_imap *at, bool along_k, int64_t bytes) {
    int64_t place[4] = {0, 0, 0, 0}, v, sector, before = 0, n = 0, *lane = &place[along_k];
    for (; *lane < XG_WARP_LANES && *lane <= at->dims[along_k].range.hi; ++*lane, before = sector) {
        if (!xg_aff_eval(at->results[0], place, place, &v)) return XG_WARP_LANES;
        sector = xg_floor_div(v * bytes, XG_SECTOR_BYTES);
        n += !*lane || sector != before;
    }
    return xg_cost_scale(n, XG_WARP_LANES, *lane);
}
/* The way of fewer sectors. Of pixels, whose features are no vectors, only where they are far fewer: k is turned on its
 * way into shared memory. */
XG_FN void xg_tile_choose_way(const xg_tile_plan *p, xg_tile_fetch *t, const xg_imap *at) {
    enum {
        FEWER = 4 /* times as many along rows */
    };
    int64_t by_rows = xg_tile_touches(at, false, t->bytes), by_k = xg_tile_touches(at, true, t->bytes);
    const xg_dim_labels *l = xg_inst_attr(p->form.hero, XG_A_dim_labels)->v.labels;
    bool planar = l->output_feature + 1 < p->form.rank, apart = by_k * FEWER <= by_rows;
    apart = apart && p->device->async_bytes && !p->may_group;
    if (planar ? by_rows != by_k : apart) t->along_k = by_k < by_rows;
    if (planar || apart) t->touched = XG_MIN(by_rows, by_k);
}

XG_FN void xg_tile_variables(const xg_tile_form *f, xg_aff_env *env, const xg_aff *const *linear, const xg_aff **vars) {
    uint32_t role, k;
    for (k = 0; k < f->n_vars; k++) vars[k] = xg_aff_const(env->x, 0);
    for (role = 0; role < XG_TILE_ROLES; role++) {
        const xg_tile_group *g = &f->group[role];
        const xg_aff *rest = linear[role];
        for (k = g->n; k-- > 0 && rest;) {
            const xg_tile_axis *axis = &g->axes[k];
            const xg_aff *own = k ? xg_aff_mod_in(env, rest, axis->extent) : rest;
            vars[axis->of] = xg_aff_add_scaled(env, vars[axis->of], own, axis->scale);
            vars[axis->of] = xg_aff_add_k(env->x, vars[axis->of], axis->first);
            rest = k ? xg_aff_div_in(env, rest, axis->extent) : NULL;
        }
    }
}
XG_ONE_COPY XG_FN void xg_tile_set_variables(
    const xg_tile_form *f, xg_aff_ctx *x, xg_imap *m, const xg_aff *const *linear) {
    const xg_aff *vars[XG_TILE_VARS_MAX];
    xg_aff_env env = xg_imap_env(x, m);
    xg_tile_variables(f, &env, linear, vars);
    memcpy(m->results, vars, m->n_results * sizeof *vars);
}
XG_FN bool xg_tile_is_hero(void *data, const xg_inst *i, bool first) {
    (void)data;
    return first && (i->op == XG_DOT || i->op == XG_RAGGED_DOT || i->op == XG_CONVOLUTION);
}

#endif /* XG_SCHED_TILE_FORM_C */
