/* sched/tile_store.c -- how blocks of tensor copies (tile_bulk.c) give their results away: through shared memory of
 * their own, a chunk of columns at a time, so that the buffers of operands are free for the next tile.
 *
 *     for each chunk of columns:
 *         wait until the chunk before the last one has left shared memory
 *         put the sums into the chunk, as the type of the result; wait for the others
 *         one thread asks for a tensor store
 *
 * It goes on beside the threads, which begin with the next chunk or tile. A chunk is a line of 128 bytes of each row,
 * swizzled as tensor copies are. An epilogue that is more than arithmetic on the element, or a result that no tensor
 * map describes, is walked over chunk by chunk by all threads, as that of other tiles is (tile_emit.c). */
#ifndef XG_SCHED_TILE_STORE_C
#define XG_SCHED_TILE_STORE_C
#include "tile.h"

enum {
    XG_TILE_STORE_WORK = 4,        /* instructions behind the sum, at most: they are written out for each of them */
    XG_TILE_STORE_BUFFERS = 2,     /* chunks: one leaves shared memory while the other is filled */
    XG_TILE_STORE_COLUMNS = 64,    /* of a chunk that threads walk over */
    XG_TILE_STORE_FRAGMENTS = 2,   /* of a warp's rows in a chunk, at most */
    XG_TILE_STORE_ROW_BYTES = 256, /* of shared memory for each row of a part: two lines, or that chunk */
    XG_TILE_STORE_EIGHT = 8        /* elements of a lane that stmatrix writes */
};

/* ---- the plan ---- */

#ifdef XLAGPU_SMALL /* such builds have no tensor stores: threads write */
XG_FN void xg_tile_store_describe(xg_tile_plan *p, const xg_fusion_emission *e) {
    (void)e;
    p->may_store = false;
}
#else
/* Behind the hero there is arithmetic on its element only, so that no index is asked for. */
XG_FN bool xg_tile_store_is_simple(const xg_inst *i, const xg_inst *hero, int64_t *work) {
    uint32_t k;
    if (i == hero || i->op == XG_CONSTANT) return i == hero || i->shape->elements == 1;
    if (i->op == XG_BROADCAST && XG_OPERAND(i, 0)->shape->elements == 1)
        return xg_tile_store_is_simple(XG_OPERAND(i, 0), hero, work);
    if (!(xg_op_flags(i->op) & XGF_EW) || (*work += xg_emit_inst_work(i)) > XG_TILE_STORE_WORK) return false;
    for (k = 0; k < i->n_operands; k++)
        if (!xg_tile_store_is_simple(XG_OPERAND(i, k), hero, work)) return false;
    return true;
}
XG_FN void xg_tile_store_describe(xg_tile_plan *p, const xg_fusion_emission *e) {
    const xg_shape *root = e->roots[0]->shape;
    int64_t bytes = xg_type_bytes(root->type), work = 0;
    const xg_tile_group *g = p->form.group;
    xg_aff_ctx *x = e->m->aff;
    memset(&p->result, 0, sizeof p->result);
    p->may_store = false;
    if (!xg_tile_may_bulk(p) || e->n_roots != 1 || p->heroes.n != 1 || p->reads) return;
    if ((bytes != 2 && bytes != 4) || (xg_type_class(root->type) & XGT_C)) return;
    if (!xg_tile_store_is_simple(e->roots[0], p->form.hero, &work)) return;
    p->result.arg = e->comp->n_params;
    p->result.bytes = (int32_t)bytes;
    p->result.swizzle = XG_KMAP_SWIZZLE_LINE;
    p->result.type = xg_tile_map_type(root->type);
    p->may_store =
        !xg_tile_box_is_filled(p) && xg_tile_bulk_is_matrix(&p->result, x, xg_tile_out_probe(&p->form, x, root, 1),
                                         g[XG_TILE_M].size, g[XG_TILE_N].size, g[XG_TILE_B].size, 1);
    p->result_boxes = NULL;
    if (p->may_store || !p->pixels) return;
    p->result.rank = 0;
    xg_tile_box_result(p, x, root);
}
#endif
/* ... tiles of so many columns: none beyond the last one, where the array has those of the next phase or group. */
XG_FN bool xg_tile_store_may(const xg_tile_plan *p, int64_t n) {
    int64_t columns = p->form.group[XG_TILE_N].size;
    return p->may_store && (columns % n == 0 || p->result.dims[0] == columns);
}
/* Why a record that wants such blocks cannot be obeyed; NULL: it wants none, or something else is the matter. */
XG_FN const char *xg_tile_store_refuses(const xg_tile_plan *p, const xg_record *given, const xg_device *m) {
    bool pairs = xg_tile_is_named(given, "multicast"), stores = xg_tile_is_named(given, "tensor_store");
    if (xg_tile_is_named(given, "halo") && !p->halo)
        return "no tile of these numbers has views of a picture; they want tensor copies, whole lines of channels, and "
               "a window of several places, without a stride unless sums lie in tensor memory";
    if (!pairs && !stores && !xg_tile_is_named(given, "stays")) return NULL;
    if (!m->warp_groups && !m->tensor_memory)
        return "pairs of blocks, blocks that stay and tensor stores want warp groups, which sm_90a has, or tensor "
               "memory";
    if (!xg_tile_bulk_shapes(p))
        return "pairs of blocks, blocks that stay and tensor stores want operands that tensor copies bring";
    if (pairs && m->blocks_per_cluster < 2) return "pairs of blocks want clusters, which the device has not";
    if (stores && !p->may_store)
        return "tensor stores want an array that a tensor map describes, and no more than arithmetic on its elements";
    return "no tile of these numbers does so, or its shared memory is too large";
}
XG_FN bool xg_tile_is_apart(const xg_tile_plan *p) { return p->shape.stays || p->shape.stores; }
/* Fragments of a warp's rows that a chunk has: of tensor memory all that it may read. */
XG_FN int64_t xg_tile_store_fragments(const xg_tile_plan *p) {
    return xg_tile_is_pair(p) ? (int64_t)XG_KTENSOR_M / XG_KMMA_M / p->rows : 1;
}
/* Chunks that are filled side by side, by four warps each; what threads walk over is one chunk of both. */
XG_FN int64_t xg_tile_store_beside(const xg_tile_plan *p) {
    return xg_tile_is_pair(p) && p->shape.stores ? p->columns : 1;
}
XG_FN int64_t xg_tile_store_rows(const xg_tile_plan *p) { return p->rows * XG_KMMA_M * xg_tile_store_fragments(p); }
XG_FN int64_t xg_tile_store_bytes(const xg_tile_plan *p) {
    return xg_tile_is_apart(p) ? xg_tile_store_rows(p) * XG_TILE_STORE_ROW_BYTES : 0;
}
XG_FN int64_t xg_tile_store_columns(const xg_tile_plan *p) {
    return p->shape.stores ? XG_KWGMMA_LINE_BYTES / p->result.bytes : (int64_t)XG_TILE_STORE_COLUMNS;
}
XG_APART XG_FN int64_t xg_tile_store_chunks(const xg_tile_plan *p) {
    return xg_tile_is_apart(p) ? p->parts * (p->shape.n / xg_tile_store_columns(p)) : 0;
}
XG_FN void xg_tile_store_settle(xg_tile_plan *p) {
    if (!xg_tile_is_apart(p)) return;
    p->parts = p->shape.tm / XG_KMMA_M / xg_tile_store_fragments(p);
    if (!p->shape.stores || p->result_boxes) return;
    p->result.box[0] = (uint32_t)xg_tile_store_columns(p);
    p->result.box[1] = (uint32_t)xg_tile_store_rows(p);
    p->result.box[2] = 1;
}

/* ---- into shared memory ---- */

XG_FN void xg_tile_store_begin(xg_tile_kernel *w) {
    const xg_tile_plan *p = w->p;
    xg_kelem type = xg_kelem_of(p->shape.stores ? w->e->roots[0]->shape->type : p->form.sum);
    int64_t n = xg_tile_store_bytes(p) / xg_kelem_bytes(type);
    if (!xg_tile_is_apart(p)) return;
    w->out = xg_shared_of(&w->s.b, xg_kir_tensor(w->s.b.m, type, &n, 1));
    w->out->def->b = XG_KWGMMA_ALIGN;
}
XG_FN void xg_tile_store_wait(xg_tile_kernel *w) {
    xg_kop *op = xg_shared_wait(&w->s.b, &w->out, 1);
    op->a = w->p->threads;
    op->b = w->team;
}
enum {
    XG_TILE_AT_WARP,
    XG_TILE_AT_LANE,
    XG_TILE_AT_SIXTEEN, /* lane mod 16 */
    XG_TILE_AT_HALF,    /* lane / 16 */
    XG_TILE_AT_ROW,     /* lane / 4: that of a fragment's sums */
    XG_TILE_AT_PAIR,    /* lane mod 4: pairs of columns */
    XG_TILE_AT_DIMS
};
/* Where the thread stands in a chunk whose rows have so many elements. */
XG_FN xg_kval *xg_tile_store_spot(xg_tile_kernel *w, const xg_aff *place) {
    int64_t counts[XG_TILE_AT_DIMS];
    xg_kval *at[XG_TILE_AT_DIMS], *lane = xg_tile_rest(w, w->thread, XG_WARP_LANES);
    xg_tile_lined lined;
    counts[XG_TILE_AT_WARP] = w->p->threads / XG_WARP_LANES;
    counts[XG_TILE_AT_LANE] = XG_WARP_LANES;
    counts[XG_TILE_AT_SIXTEEN] = XG_KMMA_M;
    counts[XG_TILE_AT_HALF] = (int64_t)XG_WARP_LANES / XG_KMMA_M;
    counts[XG_TILE_AT_ROW] = XG_KMMA_N;
    counts[XG_TILE_AT_PAIR] = (int64_t)XG_WARP_LANES / XG_KMMA_N;
    at[XG_TILE_AT_WARP] = xg_tile_quotient(w, w->thread, XG_WARP_LANES);
    at[XG_TILE_AT_LANE] = lane;
    at[XG_TILE_AT_SIXTEEN] = xg_tile_rest(w, lane, XG_KMMA_M);
    at[XG_TILE_AT_HALF] = xg_tile_quotient(w, lane, XG_KMMA_M);
    at[XG_TILE_AT_ROW] = xg_tile_quotient(w, lane, counts[XG_TILE_AT_PAIR]);
    at[XG_TILE_AT_PAIR] = xg_tile_rest(w, lane, counts[XG_TILE_AT_PAIR]);
    lined.bytes = xg_kelem_bytes(w->out->type->elem);
    lined.elements = xg_tile_store_bytes(w->p) / lined.bytes;
    return xg_tile_group_spot(w, lined, counts, XG_TILE_AT_DIMS, place, at);
}
/* The row of the chunk that is the warp's first one; what the next four warps fill lies so far from a place. */
XG_FN const xg_aff *xg_tile_store_first(xg_tile_kernel *w) {
    const xg_tile_plan *p = w->p;
    xg_aff_ctx *x = w->s.b.m->aff;
    const xg_aff *warp = xg_aff_dim(x, XG_TILE_AT_WARP);
    return xg_aff_mul(
        x, xg_tile_is_pair(p) ? xg_aff_mod(x, warp, p->rows) : warp, XG_KMMA_M * xg_tile_store_fragments(p));
}
XG_FN const xg_aff *xg_tile_store_next(xg_tile_kernel *w, const xg_aff *at, int64_t apart) {
    xg_aff_ctx *x = w->s.b.m->aff;
    if (!xg_tile_is_pair(w->p)) return at;
    return xg_aff_add_mul(x, at, xg_aff_div(x, xg_aff_dim(x, XG_TILE_AT_WARP), w->p->rows), apart);
}
#ifndef XLAGPU_SMALL
/* Sum `which` of four, as the root's element. */
XG_FN xg_kval *xg_tile_store_value(xg_tile_kernel *w, int64_t sum, int64_t which) {
    xg_fusion_emission *e = w->e;
    const xg_inst *hero = w->p->form.hero;
    xg_kval *here[XG_RANK_MAX], *o[2];
    uint32_t k;
    o[0] = w->sums[sum].v;
    o[1] = xg_elem_index(&w->s, which);
    o[0] = xg_kir_value(&w->s.b, XG_K_OP_VEXTRACT, o, 2, xg_kir_scalar(w->s.b.m, o[0]->type->elem));
    xg_emit_forget(&w->s);
    xg_hero_give(&w->s, hero, xg_tile_result(w, xg_tile_ended(w, xg_elem_real(o[0]))));
    for (k = 0; k < e->roots[0]->shape->rank; k++) here[k] = xg_elem_index_0(&w->s); /* nobody asks */
    return xg_elem_of(&w->s, e->roots[0], here).v;
}
XG_FN xg_kval *xg_tile_store_vector(xg_tile_kernel *w, int64_t sum, int64_t first, int64_t n) {
    const xg_ktype *type = xg_kir_vector(w->s.b.m, w->out->type->elem, n);
    xg_kval *v = xg_kconst_bits(&w->s.b, type, 0), *o[3];
    int64_t k;
    for (k = 0; k < n; k++) {
        o[0] = xg_tile_store_value(w, sum + (first + k) / 4, (first + k) % 4);
        o[1] = v;
        o[2] = xg_elem_index(&w->s, k);
        v = xg_kir_value(&w->s.b, XG_K_OP_VINSERT, o, 3, type);
    }
    return v;
}
/* Elements of 16 bits: sixteen columns of the warp's rows at a time. spots: where these go, once it is known. */
XG_FN void xg_tile_store_halves(xg_tile_kernel *w, int64_t sum, int64_t columns, int64_t from, xg_kval **spots) {
    xg_aff_ctx *x = w->s.b.m->aff;
    const xg_aff *row = xg_tile_store_first(w), *at;
    int64_t k;
    row = xg_aff_add(x, row, xg_aff_dim(x, XG_TILE_AT_SIXTEEN));
    at = xg_aff_add_dim(x, xg_aff_mul(x, row, columns), XG_TILE_AT_HALF, XG_KMMA_N);
    at = xg_tile_store_next(w, at, xg_tile_store_rows(w->p) * columns);
    for (k = 0; k < columns; k += 2 * XG_KMMA_N, spots++) {
        xg_kval *o[2], *v = xg_tile_store_vector(w, sum + k / XG_KMMA_N, 0, XG_TILE_STORE_EIGHT);
        if (!*spots) *spots = xg_tile_bulk_at(w, w->out, xg_tile_store_spot(w, xg_aff_add_k(x, at, from + k)));
        o[0] = *spots;
        o[1] = xg_kir_of(&w->s.b, XG_K_OP_BITCAST, v, xg_kir_vector(w->s.b.m, XG_E_I32, 4));
        xg_kir_do(&w->s.b, XG_K_OP_STMATRIX, o, 2);
    }
}
/* Two words of a row, as the root's elements. */
XG_FN xg_kval *xg_tile_store_two(xg_tile_kernel *w, int64_t sum, int64_t half) {
    return xg_tile_store_vector(w, sum, 2 * half, 2);
}
/* Words, a line of each row: two of them at a time. Lines of neighbouring rows are swizzled alike but for the order of
 * two pieces, which a fragment's four lanes fill; so odd rows begin with the fragment after the next one. */
XG_APART XG_FN void xg_tile_store_words(xg_tile_kernel *w, int64_t sum, int64_t columns, int64_t from) {
    xg_aff_ctx *x = w->s.b.m->aff;
    const xg_aff *row = xg_tile_store_first(w), *odd, *at;
    xg_kval *is_odd = xg_tile_rest(w, xg_tile_quotient(w, w->thread, 4), 2);
    int64_t fragments = columns / XG_KMMA_N, apart = fragments / 2, k, h;
    is_odd = xg_kcmpi_int(&w->s.b, XG_CI_NE, is_odd, 0);
    odd = xg_aff_mod(x, xg_aff_dim(x, XG_TILE_AT_ROW), 2);
    row = xg_aff_add(x, row, xg_aff_dim(x, XG_TILE_AT_ROW));
    at = xg_aff_add_dim(x, xg_aff_mul(x, row, columns), XG_TILE_AT_PAIR, 2);
    at = xg_tile_store_next(w, at, xg_tile_store_rows(w->p) * columns);
    for (k = 0; k < fragments; k++)
        for (h = 0; h < 2; h++) {
            int64_t other = k < apart ? apart : -apart, place = from + (k + h * columns) * XG_KMMA_N;
            const xg_aff *own = xg_aff_add_mul(x, at, odd, other * XG_KMMA_N);
            xg_kval *v = xg_tile_store_two(w, sum + k, h), *u = xg_tile_store_two(w, sum + k + other, h);
            v = xg_k3(&w->s.b, XG_K_OP_SELECT, is_odd, u, v);
            xg_tile_put_into(w, &w->out, v, xg_tile_store_spot(w, xg_aff_add_k(x, own, place)));
        }
}
#endif
/* Sums that threads walk over then: two of them at a time, in rows of two lines, which are swizzled apart; `own` of the
 * columns are the warp's. */
XG_FN void xg_tile_store_sums(xg_tile_kernel *w, int64_t sum, int64_t columns, int64_t own, int64_t from) {
    xg_aff_ctx *x = w->s.b.m->aff;
    const xg_aff *row = xg_tile_store_first(w), *at;
    int64_t k, h;
    row = xg_aff_add(x, row, xg_aff_dim(x, XG_TILE_AT_ROW));
    at = xg_aff_add_dim(x, xg_aff_mul(x, row, columns), XG_TILE_AT_PAIR, 2);
    at = xg_tile_store_next(w, at, own);
    for (k = 0; k < own / XG_KMMA_N; k++)
        for (h = 0; h < 2; h++) {
            xg_kval *spot = xg_tile_store_spot(w, xg_aff_add_k(x, at, from + (k + h * columns) * XG_KMMA_N));
            xg_tile_put_into(w, &w->out, xg_tile_unit_pair(w, sum + k, 2 * h), spot);
        }
}

/* The number of the first sum of a chunk, of whose fragments each has its columns' sums behind those of the other. */
XG_FN int64_t xg_tile_store_take(xg_tile_kernel *w, int64_t part, int64_t column, int64_t columns) {
    if (!xg_tile_is_pair(w->p)) return (part * w->p->shape.tn + column) / XG_KMMA_N;
    xg_tile_pairs_take(w, columns); /* there is one chunk, or one for each four warps */
    return 0;
}

#ifndef XLAGPU_SMALL
/* ---- tensor stores ---- */

/* Of the thread that asks. */
XG_FN xg_kval *xg_tile_store_asks(xg_tile_kernel *w) { return xg_kcmpi_int(&w->s.b, XG_CI_EQ, w->thread, 0); }
XG_FN void xg_tile_store_leave(xg_tile_kernel *w, int64_t but) {
    xg_flow f = xg_flow_begin(&w->s);
    xg_flow_if(&f, xg_tile_store_asks(w));
    xg_kir_do_0(&w->s.b, XG_K_OP_BULK_WAIT_READ)->b = but;
    xg_flow_end(&f);
}
/* Where the next group begins within the part, threads copy rows. */
XG_FN void xg_tile_store_ask(xg_tile_kernel *w, int64_t part, int64_t column, int64_t from) {
    const xg_tile_plan *p = w->p;
    int64_t rows = xg_tile_store_rows(p);
    xg_flow whole = xg_flow_of(&w->s, w->dest);
    xg_kval *shared = w->shared;
    xg_aff_ctx *x = w->s.b.m->aff;
    xg_kval *o[1 + XG_KMAP_RANK], *at[3];
    const xg_aff *place[XG_KMAP_RANK], *linear[XG_TILE_ROLES] = {NULL};
    int64_t counts[3], each = p->result_boxes ? p->pixels : rows, row;
    xg_flow f;
    uint32_t k;
    counts[0] = p->tiles[1];
    counts[1] = xg_tile_paces(p, 0);
    counts[2] = p->batch;
    if (xg_tile_is_ragged(p))
        xg_flow_if(&whole, xg_tile_ragged_has(w, xg_kaddi_int(&w->s.b, w->tile[0], (part + 1) * rows - 1)));
    f = xg_flow_begin(&w->s);
    at[0] = w->tile[1];
    at[1] = w->tile[0];
    at[2] = w->batch;
    xg_flow_if(&f, xg_tile_store_asks(w));
    for (row = 0; row < rows; row += each) {
        place[0] = xg_aff_add_k(x, xg_aff_mul(x, xg_aff_dim_0(x), p->shape.n), column);
        place[1] = xg_aff_mul(x, xg_aff_dim_1(x), xg_tile_pace(p, 0, p->shape.m));
        place[1] = xg_aff_add_k(x, place[1], part * rows + row);
        place[2] = xg_aff_dim(x, 2);
        linear[XG_TILE_N] = place[0];
        linear[XG_TILE_M] = place[1];
        linear[XG_TILE_B] = place[2];
        if (p->result_boxes) xg_tile_box_place(w, p->result_boxes, counts, 3, linear, place);
        o[0] = xg_tile_bulk_at(w, w->out, xg_elem_index(&w->s, from + row * xg_tile_store_columns(p)));
        for (k = 0; k < p->result.rank; k++)
            o[1 + k] = xg_kcast(&w->s.b, XG_K_OP_INDEX_CAST, xg_tile_apply(w, counts, 3, place[k], at), XG_E_I32);
        xg_kir_do(&w->s.b, XG_K_OP_TENSOR_STORE, o, 1 + p->result.rank)->b = XG_TILE_SIDES;
    }
    xg_kir_do_0(&w->s.b, XG_K_OP_BULK_COMMIT);
    xg_flow_end(&f);
    if (!whole.op) return;
    xg_flow_else(&whole);
    f = xg_flow_begin(&w->s);
    xg_flow_if(&f, xg_tile_store_asks(w));
    xg_kir_do_0(&w->s.b, XG_K_OP_BULK_COMMIT); /* of no store: groups are counted */
    xg_flow_end(&f);
    w->shared = w->out;
    w->from = from;
    xg_tile_out_chunk(w, part, column, xg_tile_store_columns(p));
    w->shared = shared;
    xg_flow_end(&whole);
}
/* Chunk by chunk, the two buffers by turns, or both at a time; of an odd number of chunks the next tile's first one
 * meets the last one. */
XG_FN void xg_tile_store_results(xg_tile_kernel *w) {
    enum {
        SPOTS = XG_KWGMMA_LINE_BYTES / (2 * XG_TILE_ACCESS_BYTES)
    };
    const xg_tile_plan *p = w->p;
    int64_t columns = xg_tile_store_columns(p), own = p->shape.n / columns, chunks = p->parts * own, k;
    int64_t room = xg_tile_store_rows(p) * columns, beside = xg_tile_store_beside(p), f;
    xg_kval *spots[XG_TILE_STORE_BUFFERS][XG_TILE_STORE_FRAGMENTS][SPOTS] = {{{NULL}}};
    for (k = 0; k < chunks; k += beside) {
        int64_t turn = beside > 1 ? 0 : k % XG_TILE_STORE_BUFFERS, from = turn * room;
        int64_t sum = xg_tile_store_take(w, k / own, k % own * columns, columns);
        bool leaves = beside > 1 || (k == 0 && chunks % XG_TILE_STORE_BUFFERS);
        xg_tile_store_leave(w, leaves ? 0 : XG_TILE_STORE_BUFFERS - 1);
        xg_tile_store_wait(w);
        for (f = 0; f < xg_tile_store_fragments(p); f++) {
            int64_t row = from + f * XG_KMMA_M * columns, first = sum + f * columns / XG_KMMA_N;
            if (p->result.bytes == 2)
                xg_tile_store_halves(w, first, columns, row, spots[turn][f]);
            else
                xg_tile_store_words(w, first, columns, row);
        }
        xg_kir_do_0(&w->s.b, XG_K_OP_PROXY_FENCE);
        xg_tile_store_wait(w);
        for (f = 0; f < beside; f++) xg_tile_store_ask(w, k / own, (k % own + f) * columns, from + f * room);
    }
}

#endif
/* ---- by threads ---- */

XG_FN void xg_tile_store_walk(xg_tile_kernel *w) {
    const xg_tile_plan *p = w->p;
    int64_t columns = xg_tile_store_columns(p), own = p->shape.n / columns, k, f;
    xg_kval *shared = w->shared;
    for (k = 0; k < p->parts * own; k++) {
        int64_t each = xg_tile_is_pair(p) ? columns / p->columns : columns;
        int64_t sum = xg_tile_store_take(w, k / own, k % own * columns, each);
        xg_tile_store_wait(w);
        for (f = 0; f < xg_tile_store_fragments(p); f++)
            xg_tile_store_sums(w, sum + f * each / XG_KMMA_N, columns, each, f * XG_KMMA_M * columns);
        xg_tile_store_wait(w);
        w->shared = w->out;
        xg_tile_out_chunk(w, k / own, k % own * columns, columns);
        w->shared = shared;
    }
}
#ifdef XLAGPU_SMALL
XG_FN void xg_tile_store_all(xg_tile_kernel *w) { xg_tile_store_walk(w); }
XG_APART XG_FN void xg_tile_store_end(xg_tile_kernel *w) { (void)w; }
#else
XG_FN void xg_tile_store_all(xg_tile_kernel *w) {
    if (w->p->shape.stores)
        xg_tile_store_results(w);
    else
        xg_tile_store_walk(w);
}
/* Nothing of it may be left when the block ends. */
XG_FN void xg_tile_store_end(xg_tile_kernel *w) {
    if (w->p->shape.stores) xg_tile_store_leave(w, 0);
}
#endif

#endif /* XG_SCHED_TILE_STORE_C */
