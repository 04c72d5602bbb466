/* fuse/rows.c -- row programs: softmax, layer norms and their like, in one kernel.
 *
 *     x --> reduce over the row --> a value of each row --> broadcast back --> elementwise with x --> reduce over the
 *     row --> ...
 *
 * Idea: seen in the order of memory all of this is an array of rows times columns. Reductions give one value a row from
 * all of its columns; what is made of them is an element of a row (made once for it), or of the array. If every value
 * that depends on a reduction is needed at one index only for each (row, column), then threads that hold a row
 * can make it stage by stage: the reductions that need nothing of others, what is made of these, the reductions of
 * that. emit/rows.c does.
 *
 * Laws
 * - xg_fuse_row_form is THE rule, for fusion and for the emitter: what it accepts is emitted, and fusion makes nothing
 *   else into one.
 * - Fusion comes after priority fusion: by then each reduction has its producers and what follows it. A producer moves
 *   into the kernel that reads it; levels (multi_output.c) keep that free of cycles; values that only the new kernel
 *   reads need no memory any more. */
#ifndef XG_FUSE_ROWS_C
#define XG_FUSE_ROWS_C
#include "fuse.h"
#include "multi_output.c"

/* ---- the form ---- */

enum {
    XG_ROWS_REDUCES_MAX = 64, /* each has its own shared memory */
    XG_ROWS_PRODUCT = 1 << 22 /* multiply-adds that a loop of each thread makes in less than a launch takes */
};

XG_FN bool xg_fuse_reduce_has_values(const xg_inst *i) {
    uint32_t k;
    if (XG_OPERAND(i, 0)->shape->dynamic) return false;
    for (k = 0; k < i->n_operands / 2; k++) {
        const xg_shape *s = xg_indexing_output_shape(i, k);
        if (!xg_shape_is_array(s) || (xg_type_class(s->type) == XGT_F && xg_type_bits(s->type) < 8) ||
            !xg_shape_same_dims(s, xg_indexing_output_shape(i, 0)))
            return false;
        if (XG_OPERAND(i, k)->shape->type != s->type ||
            !xg_shape_same_dims(XG_OPERAND(i, k)->shape, XG_OPERAND(i, 0)->shape))
            return false;
    }
    return true;
}

/* What may stand behind a reduction: an element is made of one element of each operand, unconditionally. */
XG_FN bool xg_row_passes(const xg_inst *i) {
    switch (i->op) {
    case XG_BITCAST:
    case XG_RESHAPE:
    case XG_BROADCAST:
    case XG_COPY:
    case XG_TUPLE: return true;
    default: return (xg_op_flags(i->op) & XGF_EW) != 0;
    }
}

/* The rows that a reduction goes over: the reduced dimensions lie innermost. */
XG_FN bool xg_row_reduces(const xg_inst *i, xg_arena *a, int64_t *rows, int64_t *cols) {
    const xg_shape *s = XG_OPERAND(i, 0)->shape;
    xg_ints dims = xg_attr_dims(i);
    bool inside = true;
    uint32_t k;
    *rows = *cols = 1;
    if (i->n_operands != 2 || !xg_shape_is_array(i->shape) || s->elements == 0 || !xg_fuse_reduce_has_values(i))
        return false;
    for (k = 0; k < s->rank; k++) {
        uint32_t d = xg_shape_minor(s, k);
        bool reduced = xg_ints_at(dims, d, NULL);
        if (s->dims[d] == 1) continue;
        if (reduced && !inside) return false;
        inside = reduced;
        *(reduced ? cols : rows) *= s->dims[d];
    }
    return *cols > 1 && xg_reducer_is_known(i, a);
}

XG_FN uint32_t xg_row_place(const xg_row_form *f, const xg_inst *i) {
    void *v = xg_map64_get(&f->places, i->id + (uint64_t)1);
    return v ? (uint32_t)((size_t)v - 1) : UINT32_MAX;
}
/* How many reductions stand one behind the other in what it is made of; 0 for what comes from outside. */
XG_FN uint32_t xg_row_stage(const xg_row_form *f, const xg_inst *i) {
    uint32_t place = xg_row_place(f, i);
    return place == UINT32_MAX ? 0 : f->stage[place];
}

/* All that can be told without maps. */
XG_FN bool xg_row_stages(xg_row_form *f, xg_arena *a) {
    int64_t rows, cols;
    bool back = false;
    uint32_t k, j;
    for (k = 0; k < f->n; k++) {
        const xg_inst *i = f->insts[k];
        for (j = 0; j < i->n_operands; j++) f->stage[k] = XG_MAX(f->stage[k], xg_row_stage(f, XG_OPERAND(i, j)));
        if (i->op != XG_REDUCE) {
            if (f->stage[k] && !xg_row_passes(i)) return false;
            back = back || (f->stage[k] && i->op == XG_BROADCAST);
            continue;
        }
        if (!xg_row_reduces(i, a, &rows, &cols) || xg_row_stage(f, XG_OPERAND(i, 1))) return false;
        if (f->n_reduces == XG_ROWS_REDUCES_MAX) return false;
        if (f->n_reduces++ && (rows != f->rows || cols != f->cols)) return false;
        f->rows = rows;
        f->cols = cols;
        f->stage[k]++;
        f->n_stages = XG_MAX(f->n_stages, f->stage[k]);
    }
    return back;
}

/* (row, column) to the indices of the shape: an element of the array, or one of each row; NULL if it is neither. */
XG_FN const xg_imap *xg_row_map(xg_row_form *f, const xg_shape *s) {
    int64_t dims[2];
    xg_shape from;
    xg_imap *row;
    if (!xg_shape_is_array(s)) return NULL;
    memset(&from, 0, sizeof from);
    from.type = s->type;
    from.dims = dims;
    from.elements = s->elements;
    dims[0] = f->rows;
    dims[1] = f->cols;
    from.rank = s->elements == f->rows ? 1 : 2;
    if (from.rank == 2) return s->elements == f->rows * f->cols ? xg_indexing_bitcast(f->x, &from, s) : NULL;
    row = xg_imap_of_dims(f->x, 2, 1);
    row->dims[0].range = xg_range_of(0, f->rows - 1);
    row->dims[1].range = xg_range_of(0, f->cols - 1);
    row->results[0] = xg_aff_dim_0(f->x);
    return xg_imap_compose(f->x, xg_imap_simplify(f->x, row), xg_indexing_bitcast(f->x, &from, s));
}

XG_FN bool xg_row_needs(xg_row_form *f, const xg_inst *i, const xg_imap *at) {
    uint32_t place = xg_row_place(f, i);
    if (place == UINT32_MAX || !f->stage[place]) return true;
    if (!at || !xg_imap_ok(at) || at->n_syms + at->n_rts + at->n_constraints > 0) return false;
    if (f->maps[place] && !xg_imap_equal(f->maps[place], at)) return false;
    f->maps[place] = at;
    return true;
}

XG_FN bool xg_row_is_wide(const xg_row_form *f, uint32_t place) {
    const xg_imap *m = f->maps[place];
    uint32_t k;
    for (k = 0; m && k < m->n_results; k++)
        if (xg_aff_uses(m->results[k], xg_aff_dim_1(f->x))) return true;
    return false;
}

/* Users before operands: where each value that depends on reductions is needed. */
XG_FN bool xg_row_maps(xg_row_form *f, xg_inst *const *roots, uint32_t n_roots) {
    bool back = false;
    uint32_t k, j;
    for (k = 0; k < n_roots; k++) {
        const xg_imap *at = xg_row_map(f, roots[k]->shape);
        if (!at || !xg_row_needs(f, roots[k], at)) return false;
    }
    for (k = f->n; k-- > 0;) {
        const xg_inst *i = f->insts[k];
        if (i->op == XG_TUPLE || !f->maps[k]) continue;
        if (i->op == XG_REDUCE) {
            if (!xg_imap_equal(f->maps[k], xg_row_map(f, i->shape)) ||
                !xg_row_needs(f, XG_OPERAND(i, 0), xg_row_map(f, XG_OPERAND(i, 0)->shape)))
                return false;
            continue;
        }
        back = back || xg_row_is_wide(f, k);
        for (j = 0; j < i->n_operands; j++)
            if (!xg_row_needs(f, XG_OPERAND(i, j), xg_imap_compose(f->x, f->maps[k], xg_indexing_operand(f->x, i, j))))
                return false;
    }
    return back;
}

XG_FN bool xg_fuse_row_form(xg_row_form *f, xg_arena *a, xg_aff_ctx *x, xg_inst *const *insts, uint32_t n,
    xg_inst *const *roots, uint32_t n_roots) {
    uint32_t k;
    memset(f, 0, sizeof *f);
    for (k = 0; k < n && insts[k]->op != XG_REDUCE; k++) {}
    if (k == n) return false;
    f->insts = insts;
    f->n = n;
    f->stage = XG_NEW_N(a, uint32_t, n + (size_t)1);
    f->maps = XG_NEW_N(a, const xg_imap *, n + (size_t)1);
    xg_map64_init(&f->places, a);
    for (k = 0; k < n; k++) xg_map64_put(&f->places, insts[k]->id + (uint64_t)1, (void *)(uintptr_t)(k + (size_t)1));
    if (!xg_row_stages(f, a)) return false;
    f->x = x ? x : xg_aff_new(a);
    return xg_row_maps(f, roots, n_roots);
}

/* ---- which kernels become one ---- */

enum {
    XG_ROWS_TRIES = 6
};

XG_FN bool xg_rows_reads(const xg_kernel *b, const xg_kernel *a) {
    uint32_t j;
    for (j = 0; j < b->n_inputs; j++)
        if (b->inputs[j].from->live && b->inputs[j].from->leader == a) return true;
    return false;
}
/* Whether what the kernel has now, with its members in g->order, is a row program. Layers of a model are alike, and
 * asked for once. */
XG_FN bool xg_rows_is_form(xg_kernels *g, const xg_kernel *b) {
    static const char yes = 1, no = 0;
    xg_mark none = xg_arena_mark(g->arena);
    uint32_t n = g->order.n, n_roots = xg_kernel_n_outputs(b), k;
    xg_inst **insts = XG_NEW_N(g->arena, xg_inst *, n + (size_t)1),
            **roots = XG_NEW_N(g->arena, xg_inst *, n_roots + (size_t)1);
    const char *answer;
    xg_row_form f;
    xg_buf key;
    qsort(g->order.p, n, sizeof *g->order.p, xg_fusions_by_place);
    for (k = 0; k < n; k++) insts[k] = g->order.p[k]->inst;
    for (k = 0; k < n_roots; k++) roots[k] = xg_kernel_root(b, k)->inst;
    xg_buf_init(&key, g->arena);
    xg_fuse_fingerprint_part(&key, g->arena, insts, n, roots, n_roots);
    answer = (const char *)xg_dict_get(&g->row_forms, xg_str_of(key.p, key.n));
    if (!answer) {
        answer = xg_fuse_row_form(&f, g->arena, NULL, insts, n, roots, n_roots) ? &yes : &no;
        xg_dict_put(&g->row_forms, xg_str_of(key.p, key.n), (void *)(uintptr_t)answer);
    }
    xg_arena_reset(g->arena, none);
    return *answer != 0;
}
XG_FN void xg_rows_log(
    const xg_kernels *g, const xg_kernel *a, const xg_kernel *b, const char *why, int64_t apart, int64_t together) {
    if (!g->log) return;
    xg_printf(g->log, "row-fusion %s: %s into %s: ", g->comp->name.p, a->inst->name.p, b->inst->name.p);
    if (why)
        xg_printf(g->log, "refused, %s\n", why);
    else
        xg_printf(g->log, "%s, apart %lld ns, together %lld ns\n", together < apart ? "fused" : "refused",
            (long long)(apart / 1000), (long long)(together / 1000));
}

/* b with all of a inside, its roots first. */
XG_FN void xg_rows_join(xg_kernels *g, xg_kernel *a, xg_kernel *b) {
    xg_kernel was = *b;
    uint32_t j;
    b->rows = true;
    b->roots.cap = xg_kernel_n_outputs(a) + xg_kernel_n_outputs(b);
    b->roots.p = XG_NEW_N(g->arena, xg_kernel *, b->roots.cap);
    b->roots.n = 0;
    for (j = 0; j < xg_kernel_n_outputs(&was); j++) b->roots.p[b->roots.n++] = was.roots.n > 1 ? was.roots.p[j] : b;
    for (j = 0; j < xg_kernel_n_outputs(a); j++) {
        xg_kernel *root = xg_kernel_root(a, j);
        if (xg_multi_keeps(root, a, b))
            b->roots.p[b->roots.n++] = root;
        else
            root->live = false;
    }
    if (b->roots.n == 1) b->roots.n = 0;
}

/* The reduction that the kernel is made for; a short one is no hero, but its rows are rows. */
XG_FN const xg_inst *xg_rows_reduce(const xg_kernel *k) {
    const xg_inst *i = k->hero ? k->hero : k->inst;
    return i->op == XG_REDUCE ? i : NULL;
}
XG_FN int64_t xg_rows_walk(const xg_kernel *k) {
    return xg_rows_reduce(k) ? XG_OPERAND(xg_rows_reduce(k), 0)->shape->elements : xg_kernel_domain(k)->elements;
}

/* A product that wants tiles, of which no row program is made: it would be a loop of each thread. */
XG_FN bool xg_rows_is_product(const xg_kernel *k) {
    return xg_multi_is_tiled(k) && xg_cost_mul(k->hero->shape->elements, xg_fuse_steps(k->hero)) > XG_ROWS_PRODUCT;
}
XG_FN bool xg_rows_merge(xg_kernels *g, xg_kernel *a, xg_kernel *b) {
    xg_kernel was = *b, *from = a;
    xg_kernel **roots = XG_NEW_N(g->arena, xg_kernel *, xg_kernel_n_outputs(a) + (size_t)1);
    uint32_t n = xg_kernel_n_outputs(a), level, j;
    int64_t apart = xg_cost_add(a->time, b->time);
    const char *why = NULL;
    if (a->is_update_in_place || b->is_update_in_place || xg_rows_walk(a) != xg_rows_walk(b)) return false;
    if (xg_rows_is_product(a) || xg_rows_is_product(b))
        why = "tiles make one of both";
    else if (!xg_multi_common_level(a, b, &level))
        why = "one waits for the other, or it cannot be told";
    if (why) {
        xg_rows_log(g, a, b, why, 0, 0);
        return false;
    }
    for (j = 0; j < n; j++) roots[j] = xg_kernel_root(a, j);
    xg_rows_join(g, a, b);
    for (j = 0; j < n; j++) roots[j]->leader = b;
    xg_kernel_walk(g, b);
    if (b->ops > XG_FUSE_OPS_MAX)
        why = "the code would be too large";
    else if (b->n_inputs + xg_kernel_n_outputs(b) > XG_FUSE_BUFFERS_MAX)
        why = "the kernel would have too many buffers";
    else if (b->time < apart && !xg_rows_is_form(g, b))
        why = "not rows that one after the other could be made of";
    xg_rows_log(g, a, b, why, apart, b->time);
    if (why || b->time >= apart) {
        xg_kernel_inputs_give(g, b->inputs, b->inputs_cap);
        *b = was;
        for (j = 0; j < n; j++) {
            roots[j]->leader = from;
            roots[j]->live = true;
        }
        return false;
    }
    b->level = level;
    for (j = 0; j < b->roots.n; j++) b->roots.p[j]->level = level;
    b->shared = b->shared || a->shared;
    for (j = 0; j < b->n_inputs; j++)
        if (!xg_kernel_find_input(&was, b->inputs[j].from)) xg_kernel_add_reader(g, b->inputs[j].from, b);
    xg_kernel_inputs_drop(g, &was);
    return true;
}

/* The first kernel that reads the kernel and takes it. */
XG_APART XG_FN bool xg_rows_into_reader(xg_kernels *g, xg_kernel *a) {
    uint32_t r, j, n = 0, total = 0;
    xg_kernel **list;
    for (r = 0; r < xg_kernel_n_outputs(a); r++) total += xg_kernel_root(a, r)->readers.n;
    list = XG_NEW_N(g->arena, xg_kernel *, total + (size_t)1);
    for (r = 0; r < xg_kernel_n_outputs(a); r++) {
        const xg_kernel *root = xg_kernel_root(a, r);
        for (j = 0; j < root->readers.n; j++) {
            xg_kernel *c = root->readers.p[j]->leader;
            if (c->live && c != a && xg_rows_reads(c, a)) list[n++] = c;
        }
    }
    if (n > 1) qsort(list, n, sizeof *list, xg_fusions_by_place);
    for (r = 0, j = 0; j < n && r < XG_ROWS_TRIES; j++) {
        if (j && list[j] == list[j - 1]) continue;
        r++;
        if (xg_rows_merge(g, a, list[j])) return true;
    }
    return false;
}

XG_FN bool xg_fuse_allow_rows(xg_module *m) {
    m->row_programs = true;
    return false;
}

/* Requires levels, and keeps them. */
XG_FN void xg_rows_run(xg_kernels *g) {
    xg_arena *known = xg_arena_inner(g->arena);
    uint32_t k;
    xg_dict_init(&g->row_forms, known);
    for (k = 0; k < g->kernels.n; k++) {
        xg_kernel *a = g->kernels.p[k];
        if (!a->live || a->leader != a || !xg_rows_reduce(a)) continue;
        (void)xg_rows_into_reader(g, a);
    }
    xg_arena_free(known);
}

#endif /* XG_FUSE_ROWS_C */
