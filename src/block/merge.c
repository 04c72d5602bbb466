/* block/merge.c -- one pass of a long sort: pairs of sorted runs become one run of twice the length
 * (fuse/sort_passes.c).
 *
 * Each block makes as many neighbours of the result as it has room for. How many of them are of the first run, and
 * which, a binary search on the two runs tells ("merge path": Green, McColl, Bader 2012): of the first `diag` elements
 * of the result, `count` are of the first run a, so many that
 *     a[count - 1] does not go behind b[diag - count], and b[diag - count - 1] goes before a[count]
 * Two threads search, for the beginning and the end of what the block makes. Then the two pieces are brought into
 * shared memory, the second one back to front. What rises and then falls is brought in order by the last merge of the
 * network that sorts runs (block/sort.c), by log2 of its length steps; what does not exist stands between them, greater
 * than all. Elements are numbered as they stand in the runs, the first one before the second one, so the order of equal
 * ones is kept. */
#ifndef XG_BLOCK_MERGE_C
#define XG_BLOCK_MERGE_C
#include "block.h"
#include "sort.c"

enum {
    XG_MERGING_CUTS = 2 /* where what the block makes begins and ends */
};
/* A pair of runs, and what the block makes of it, all by place in the row. */
typedef struct xg_merging {
    xg_sort_site *d;
    int64_t run;
    xg_kval *row, *first, *second; /* where the runs begin */
    xg_kval *n_first, *n_second;   /* how long they are */
    /* how much of the result stands before what the block makes, and in front of its end */
    xg_kval *diag, *made;
} xg_merging;

XG_FN xg_kval *xg_merging_clamped(xg_merging *m, xg_kval *v, int64_t lo, int64_t hi) {
    xg_kb *b = &m->d->s.b;
    v = xg_k2_int(b, XG_K_OP_MINSI, v, hi);
    v = xg_k2_int(b, XG_K_OP_MAXSI, v, lo);
    xg_kval_set_range(v, xg_range_of(lo, hi));
    return v;
}
XG_FN void xg_merging_begin(xg_merging *m, xg_sort_site *d) {
    xg_aff_ctx *x = d->e->m->aff;
    xg_kb *b = &d->s.b;
    const xg_aff *start = xg_aff_mul(x, xg_aff_mod(x, xg_aff_dim_1(x), d->runs), d->places), *parts[3];
    xg_kval *v[3], *left, *all;
    int64_t to;
    m->d = d;
    (void)xg_fuse_sorted_runs(d->i, &m->run, &to);
    parts[0] = xg_aff_div(x, xg_aff_dim_1(x), d->runs);
    parts[1] = xg_aff_mul(x, xg_aff_div(x, start, to), to);
    parts[2] = xg_aff_mod(x, start, to);
    xg_sort_apply(d, parts, 3, NULL, xg_range_of(0, 0), v);
    m->row = v[0];
    m->first = v[1];
    m->diag = v[2];
    m->second = xg_kaddi_int(b, v[1], m->run);
    m->n_first = m->n_second = xg_elem_index(&d->s, m->run);
    if (d->whole % to) {
        left = xg_ksubi(b, xg_elem_index(&d->s, d->whole), m->first);
        m->n_first = xg_k2(b, XG_K_OP_MINSI, left, m->n_first);
        left = xg_ksubi(b, left, m->n_first);
        m->n_second = xg_merging_clamped(m, left, 0, m->run);
    }
    m->made = xg_kaddi_int(b, m->diag, d->places);
    if (d->whole % d->places) {
        all = xg_kaddi(b, m->n_first, m->n_second);
        m->made = xg_k2(b, XG_K_OP_MINSI, m->made, all);
    }
}
/* What is compared of the element at a place of the row. */
XG_FN void xg_merging_compared(xg_merging *m, xg_kval *place, xg_elem *x) {
    xg_sort_site *d = m->d;
    xg_kval *indices[XG_RANK_MAX];
    uint32_t k;
    xg_sort_at(d, m->row, xg_merging_clamped(m, place, 0, d->whole - 1), indices);
    for (k = 0; k < d->n; k++)
        if (xg_order_asks_for(d->i, k)) x[k] = xg_elem_of(&d->s, XG_OPERAND(d->i, k), indices);
    if (d->o.form != XG_SORT_BY_COMPARATOR) x[0] = xg_elem_real(xg_sort_key_of(&d->s, &d->o, x));
}
/* Whether the element at a place of the second run goes before one of the first. */
XG_FN xg_kval *xg_merging_before(xg_merging *m, xg_kval *second, xg_kval *first) {
    xg_sort_site *d = m->d;
    xg_elem *x = XG_NEW_N(d->e->arena, xg_elem, d->n + 1), *y = XG_NEW_N(d->e->arena, xg_elem, d->n + 1);
    xg_merging_compared(m, second, x);
    xg_merging_compared(m, first, y);
    return d->o.form == XG_SORT_BY_COMPARATOR ? xg_sort_before(&d->s, d->i, x, y)
                                              : xg_kcmpi_(&d->s.b, XG_CI_SLT, x[0].v, y[0].v);
}
/* How many of the first `diag` elements of the result are of the first run: between two bounds, until they meet. */
XG_FN xg_kval *xg_merging_search(xg_merging *m, xg_kval *diag) {
    xg_sort_site *d = m->d;
    xg_kb *b = &d->s.b, outer;
    xg_kval *bounds[3], *one = xg_elem_index(&d->s, 1), *middle, *first, *second, *before, *above;
    const xg_ktype *types[2];
    xg_kop *loop;
    uint32_t k;
    bounds[1] = XG_KOP2(b, XG_K_OP_MAXSI, xg_ksubi(b, diag, m->n_second), xg_elem_index_0(&d->s));
    bounds[2] = xg_k2(b, XG_K_OP_MINSI, diag, m->n_first);
    for (k = 0; k < 2; k++) types[k] = bounds[k + 1]->type;
    loop = xg_kir_op(b, XG_K_OP_WHILE, bounds + 1, 2, types, 2, 2);
    outer = *b;
    for (k = 0; k < 2; k++) {
        xg_kval *args;
        xg_kir_region_args(b, loop, k, types, 2);
        args = loop->regions[k]->args;
        xg_kval_set_range(&args[0], xg_range_of(0, m->run));
        xg_kval_set_range(&args[1], xg_range_of(0, m->run));
        *b = xg_kb_end(d->e->m, loop->regions[k]);
        b->loc = outer.loc;
        bounds[1] = &args[0];
        bounds[2] = &args[1];
        if (k) break;
        bounds[0] = xg_kcmpi_(b, XG_CI_SLT, bounds[1], bounds[2]);
        xg_kir_do(b, XG_K_OP_CONDITION, bounds, 3);
        *b = outer;
    }
    middle = XG_KOP2(b, XG_K_OP_SHRUI, xg_kaddi(b, bounds[1], bounds[2]), one);
    xg_kval_set_range(middle, xg_range_of(0, m->run));
    first = xg_kaddi(b, m->first, middle);
    second = xg_ksubi(b, xg_ksubi(b, diag, middle), one);
    second = xg_kaddi(b, m->second, second);
    before = xg_merging_before(m, second, first);
    above = xg_kaddi(b, middle, one);
    bounds[1] = xg_kselect(b, before, bounds[1], above);
    bounds[2] = xg_kselect(b, before, middle, bounds[2]);
    xg_kyield(b, bounds + 1, 2);
    *b = outer;
    xg_kval_set_range(loop->results, xg_range_of(0, m->run));
    return loop->results;
}
/* How many elements of the first run stand in the result before what the block makes, and before its end: known to all
 * threads. */
XG_FN void xg_merging_cut(xg_merging *m, xg_kval **cuts) {
    xg_sort_site *d = m->d;
    xg_kb *b = &d->s.b;
    xg_kval *shared = xg_shared_array(&d->s.b, XG_E_I32, XG_MERGING_CUTS), *is_first, *found, *at;
    xg_flow f = xg_flow_of(&d->s, &shared);
    int64_t k;
    xg_flow_if(&f, xg_kcmpi_int(b, XG_CI_SLT, d->at[0], 2));
    is_first = xg_kcmpi_int(b, XG_CI_EQ, d->at[0], 0);
    found = xg_merging_search(m, xg_kselect(b, is_first, m->diag, m->made));
    at = xg_k2_int(b, XG_K_OP_MINSI, d->at[0], 1);
    xg_kval_set_range(at, xg_range_of(0, 1));
    shared = xg_kinsert_at(b, xg_kcast_index(b, found, XG_E_I32), shared, at);
    xg_flow_end(&f);
    xg_shared_wait(b, &shared, 1);
    for (k = 0; k < 2; k++) {
        at = xg_elem_index(&d->s, k);
        cuts[k] = xg_kcast_index(b, xg_kextract(b, shared, &at, 1), XG_E_INDEX);
        xg_kval_set_range(cuts[k], xg_range_of(0, m->run));
    }
}
/* Where the element comes from that stands at place `at` before the block's last merge: the number of the element, and
 * its place in the row. */
XG_FN xg_sort_spot xg_merging_spot(
    xg_merging *m, xg_kval *at, xg_kval *const *cuts, xg_kval *n_first, xg_kval *n, xg_kval **number) {
    xg_sort_site *d = m->d;
    xg_kb *b = &d->s.b;
    xg_kval *is_first = xg_kcmpi_(b, XG_CI_SLT, at, n_first), *turned, *place, *other;
    xg_sort_spot s;
    memset(&s, 0, sizeof s);
    turned = xg_ksubi(b, xg_elem_index(&d->s, d->places - 1), at);
    turned = xg_kaddi(b, turned, n_first);
    *number = xg_kselect(b, is_first, at, turned);
    if (d->whole % d->places) s.place_is = xg_kcmpi_(b, XG_CI_SLT, *number, n);
    place = XG_KOP2(b, XG_K_OP_ADDI, xg_kaddi(b, m->first, cuts[0]), *number);
    /* second + (diag - cuts[0]) + (number - n_first) */
    other = XG_KOP2(b, XG_K_OP_SUBI, xg_kaddi(b, m->second, m->diag), xg_kaddi(b, cuts[0], n_first));
    other = xg_kaddi(b, other, *number);
    place = xg_kselect(b, is_first, place, other);
    if (s.place_is)
        place = xg_merging_clamped(m, place, 0, d->whole - 1);
    else
        xg_kval_set_range(place, xg_range_of(0, d->whole - 1));
    xg_sort_at(d, m->row, place, s.indices);
    *number = xg_kcast_index(b, *number, XG_E_I32);
    return s;
}
XG_FN void xg_merging_body(xg_sort_site *d, xg_kval **dest) {
    xg_sort_spot from[XG_SORT_EACH_MAX], to[XG_SORT_EACH_MAX];
    xg_sort_item v[XG_SORT_EACH_MAX];
    xg_kval *given[XG_SORT_EACH_MAX], *cuts[2], *n_first, *n;
    xg_kb *b = &d->s.b;
    int64_t j, k, step;
    xg_merging m;
    xg_merging_begin(&m, d);
    xg_merging_cut(&m, cuts);
    n_first = xg_ksubi(b, cuts[1], cuts[0]);
    xg_kval_set_range(n_first, xg_range_of(0, d->places));
    n = xg_ksubi(b, m.made, m.diag);
    for (j = 0; j < d->each; j++) {
        from[j] = xg_merging_spot(&m, xg_sort_value(d, xg_sort_flat(d, j)), cuts, n_first, n, &given[j]);
    }
    d->given = given;
    d->end = d->whole % d->places ? xg_kcast_index(b, n, XG_E_I32) : NULL;
    xg_sort_begin(d, from, v);
    /* The first steps are closed on what a thread has; the others on shared memory. */
    for (step = d->each / 2; step; step /= 2)
        for (j = 0; j < d->each; j += 2 * step)
            for (k = j; k < j + step; k++) xg_sort_exchange(d, &v[k], &v[k + step]);
    for (j = 0; j < d->each; j++) xg_sort_put(d, xg_sort_flat(d, j), &v[j]);
    xg_sort_sync(d);
    xg_sort_steps_from(d, d->places / d->each / 2, false);
    for (j = 0; j < d->each; j++) {
        v[j] = xg_sort_read(d, xg_sort_flat(d, j));
        to[j] = xg_sort_spot_of(d, j); /* not sooner: registers */
    }
    xg_sort_finish(d, from, to, v, dest);
}
XG_FN const char *xg_merging_plan(xg_sort_site *d) {
    int64_t from, to;
    xg_sort_rows(d);
    (void)xg_fuse_sorted_runs(d->i, &from, &to);
    d->places = d->length = XG_MIN(xg_fuse_sort_run(&d->o), to);
    d->runs = (d->whole + d->places - 1) / d->places;
    d->minor = true;                                           /* a block has one row, whatever lies beside it */
    xg_sort_blocks(d, XG_MIN(xg_sort_each(d), d->places / 2)); /* two threads search */
    xg_form_put(d->e, "places", d->places);
    xg_form_put(d->e, "each", d->each);
    d->e->record->launch.shared = xg_shared_whole(XG_MERGING_CUTS * xg_kelem_bytes(XG_E_I32));
    return NULL;
}
XG_FN bool xg_emit_merge_plan(xg_fusion_emission *e) {
    const xg_inst *i = xg_sort_of_root(e->roots[0]);
    int64_t from, to;
    return i && i->op == XG_SORT && xg_fuse_sorted_runs(i, &from, &to) && from > 1 && xg_sort_takes(e) &&
           xg_sort_launch(e, xg_merging_plan);
}
XG_FN void xg_emit_merge(xg_fusion_emission *e) { xg_sort_emit(e, xg_merging_body); }

#endif /* XG_BLOCK_MERGE_C */
