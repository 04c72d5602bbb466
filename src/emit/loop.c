/* emit/loop.c -- the default emitter: threads walk linearly over a root, in the order of its buffer, so that writes are
 * coalesced.
 *
 * Each thread makes `unroll` consecutive elements: element v + unroll * (thread + 128 * block), of wide types in a few
 * rounds, each of which is one piece of memory. Roots with as many elements as the first are made by one walk and
 * written at the same linear position; others follow by the same threads, those of one shape by one walk. In a walk all
 * elements at an index are made before the first is written (fuse/in_place.c relies on it). Unrolling starts only when
 * the array is large
 * enough to fill the device with one element per thread. Where a vector is read again for each row (a bias), a round is
 * whole rows, so that a thread meets the same columns in all of its rounds, and reads of the vector once. Where a row
 * has one value (a mean), all rounds of a block lie in one row, and its threads read it once. Rows may be longer than a
 * block is wide, or of an odd length: then a round is as many of them as end at a sector, and blocks beside each other
 * have slices of it. What such rounds, or the vectors of an odd number of elements, leave over at the end is made by
 * the same threads, one element each. Where columns are joined, a thread has whole rows, its rounds one behind the
 * other in memory: which column an element is of is known for each, and all are written by vectors. */
#ifndef XG_EMIT_LOOP_C
#define XG_EMIT_LOOP_C
#include "emit.h"

/* A long concatenation becomes a tree of branches per element, a contraction a loop: unrolling would only multiply
 * them. */
enum {
    XG_LOOP_THREADS_MAX = 1024, /* of a block: the targets' limit */
    XG_LOOP_VECTOR_MAX = 16,    /* elements of a byte each in the widest access */
    XG_LOOP_PIECES_MAX = 32,    /* elements that a thread has of a concatenation's rows */
    XG_LOOP_ROUNDS_MAX = 64,    /* that an order may ask for: straight code of so many */
    XG_LOOP_CONCAT_MAX = 10,
    XG_LOOP_HELD_WORDS = 144 /* beside their addresses */,
    XG_LOOP_ROUNDS_WORK = 256,
    XG_LOOP_ROWS = 16 /* rounds, at most */,
    XG_LOOP_ROWS_WORK = 400 /* a round that stays in a loop would wait for memory each time */,
    XG_LOOP_ROW_BYTES = 128 /* of a vector that is worth it */,
    XG_LOOP_ROWS_LEAST = 8 /* rounds that are worth it */,
    XG_LOOP_RESIDENT = 4 /* such a part of the threads there is room for, at least: in place rounds wait in turn */,
    XG_LOOP_NEIGHBOURS_WORK = 1024 /* of all rounds that are written out */
};
/* Rounds that are neighbours, as a power of two. */
enum {
    XG_LOOP_WALKS = 4
};
XG_TABLE const char xg_loop_walks[] = "flat\0rows2\0rows4\0rows8\0";
XG_FN bool xg_loop_unroll_hurts(const xg_comp *comp) {
    XG_FOR_INSTS(i, comp) {
        switch (i->op) {
        case XG_CONCATENATE:
            if (i->n_operands > XG_LOOP_CONCAT_MAX) return true;
            break;
        case XG_REDUCE:
        case XG_REDUCE_WINDOW:
        case XG_SELECT_AND_SCATTER:
        case XG_DOT:
        case XG_RAGGED_DOT:
        case XG_CONVOLUTION:
        case XG_SCATTER:
        case XG_SCAN: return true;
        default: break;
        }
    }
    return false;
}

/* Elements of the widest array of at least so many that are one access: what a warp touches at a time has no holes
 * then, which would touch each sector twice. */
XG_FN int64_t xg_emit_vector(const xg_fusion_emission *e, int64_t elements) {
    int64_t bytes = 1;
    uint32_t k;
    for (k = 0; k < e->comp->n_params; k++)
        if (elements && e->comp->params[k]->shape->elements >= elements)
            bytes = XG_MAX(bytes, (int64_t)xg_type_bytes(e->comp->params[k]->shape->type));
    for (k = 0; k < e->n_roots; k++) bytes = XG_MAX(bytes, (int64_t)xg_type_bytes(e->roots[k]->shape->type));
    return XG_MAX(16 / bytes, (int64_t)1);
}
/* Registers for one element of each array that is read or written: the step of an optimiser has many, for it is that of
 * many parameters at once. */
XG_FN int64_t xg_loop_words(const xg_fusion_emission *e, int64_t elements) {
    int64_t words = 0;
    uint32_t k;
    for (k = 0; k < e->comp->n_params; k++)
        if (e->comp->params[k]->shape->elements >= elements)
            words += (xg_type_bytes(e->comp->params[k]->shape->type) + 3) / 4;
    for (k = 0; k < e->n_roots; k++) words += (xg_type_bytes(e->roots[k]->shape->type) + 3) / 4;
    return words;
}
/* One access of the widest array, or less where a thread has no registers for that much of each. */
XG_FN int64_t xg_loop_vector(const xg_fusion_emission *e, int64_t elements) {
    int64_t vector = XG_MIN(e->target->max_vector, xg_emit_vector(e, elements)), words = xg_loop_words(e, elements);
    while (vector > 1 && words * vector > XG_LOOP_HELD_WORDS) vector /= 2;
    return vector;
}
XG_FN int64_t xg_loop_unroll(const xg_fusion_emission *e, int64_t elements) {
    if (elements < e->target->resident_threads || xg_loop_unroll_hurts(e->comp)) return 1;
    return xg_gcd(elements, xg_loop_vector(e, elements));
}

/* What one access does not hold of the elements that are worth the way to a thread comes in further rounds. */
XG_FN int64_t xg_loop_rounds(const xg_fusion_emission *e, int64_t elements, int64_t unroll) {
    int64_t most = e->target->max_unroll;
    if (elements < e->target->resident_threads || xg_loop_unroll_hurts(e->comp) ||
        xg_emit_work(e->comp) * most > XG_LOOP_ROUNDS_WORK || xg_loop_words(e, elements) * most > XG_LOOP_HELD_WORDS)
        return 1;
    return elements % most == 0 ? XG_MAX(most / unroll, (int64_t)1) : 1;
}

/* ---- vectors that are read again and again ---- */

/* A walk over root `lead`: the near roots together, or far ones of one shape. */
typedef struct xg_loop_walk {
    xg_fusion_emission *e;
    xg_launch launch;
    int64_t rounds, unroll, threads;
    int64_t period, slices; /* elements of a round that blocks have slices of; 0: a round is what one block has */
    int64_t rest;           /* elements at the end that are made one by one */
    int64_t together;       /* 1: a thread's rounds are one piece of memory */
    uint32_t lead, walk;    /* walk: of xg_loop_walks; their number: none is named */
    xg_kval **tensors, **dest;
    xg_indexing_group *places; /* see xg_loop_places */
} xg_loop_walk;

/* The maps of the first root's place in memory to what it is made of; made when they are asked for first. */
XG_FN xg_indexing_group *xg_loop_places(xg_loop_walk *w) {
    const xg_fusion_emission *e = w->e;
    xg_aff_ctx *x = e->m->aff;
    const xg_shape *s = e->roots[0]->shape;
    xg_index_order order = xg_index_order_of_shape(s);
    xg_imap *place;
    if (w->places) return w->places;
    place = xg_imap_of_dims(x, 1, s->rank);
    place->dims[0].range = xg_range_of(0, s->elements - 1);
    xg_index_delinearise(x, &order, xg_aff_dim_0(x), place->results);
    return w->places = xg_indexing_group_back(x, e->roots[0], xg_imap_simplify(x, place));
}
/* Whether the element of the parameter is known from the place in memory modulo so much; the elements of the root: it
 * is at the same place. */
XG_FN bool xg_loop_repeats(xg_loop_walk *w, const xg_inst *param, int64_t modulo) {
    xg_aff_ctx *x = w->e->m->aff;
    const xg_shape *s = w->e->roots[0]->shape;
    const xg_aff *want = modulo == s->elements ? xg_aff_dim_0(x) : xg_aff_mod(x, xg_aff_dim_0(x), modulo);
    xg_imaps maps = xg_indexing_group_maps(xg_loop_places(w), param, 0);
    uint32_t k;
    for (k = 0; k < maps.n; k++) {
        const xg_imap *m = xg_imap_ok(maps.p[k]) ? xg_indexing_flatten(x, maps.p[k], param->shape) : NULL;
        if (!m || !xg_imap_ok(m) || m->n_constraints || m->results[0] != want) return false;
    }
    return maps.n > 0;
}
/* The length of the rows that have such a vector, of so many bytes at least, the longest one; 0: there is none. */
XG_FN int64_t xg_loop_row(xg_loop_walk *w, int64_t elements, int64_t bytes) {
    const xg_fusion_emission *e = w->e;
    int64_t row = 0;
    uint32_t k;
    if (e->roots[0]->shape->elements != elements || !xg_index_has_order(e->roots[0]->shape)) return 0;
    for (k = 0; k < e->comp->n_params; k++) {
        const xg_shape *s = e->comp->params[k]->shape;
        if (s->elements <= row || s->elements >= elements || s->elements * (int64_t)xg_type_bytes(s->type) < bytes ||
            elements % s->elements)
            continue;
        if (xg_loop_repeats(w, e->comp->params[k], s->elements)) row = s->elements;
    }
    return row;
}
/* What some rounds of a thread that meets the same columns in all of them compute, roughly: what is made of vectors
 * alone it makes once. */
XG_FN int64_t xg_loop_rows_work(const xg_fusion_emission *e, int64_t elements, int64_t rounds) {
    int64_t each = 0, all = xg_emit_work(e->comp);
    XG_FOR_INSTS(i, e->comp)
        if (xg_shape_is_array(i->shape) && i->shape->elements == elements && i->op != XG_BROADCAST)
            each += xg_emit_inst_work(i);
    return each * rounds + all - each;
}
/* Threads and rounds that go down in rows, if there are enough rows for all multiprocessors. */
XG_FN void xg_loop_down_rows(xg_loop_walk *w, int64_t elements) {
    const xg_fusion_emission *e = w->e;
    int64_t most = xg_loop_vector(e, elements), row, threads, rounds, blocks = e->target->sms;
    row = xg_loop_row(w, elements, XG_LOOP_ROW_BYTES);
    most = xg_gcd(row, most);
    if (!row || row / most > XG_LOOP_THREADS_MAX) return;
    threads = row / most * XG_MAX(XG_LAUNCH_THREADS / (row / most), (int64_t)1);
    while (threads > row / most && elements % (threads * most)) threads -= row / most;
    for (rounds = XG_LOOP_ROWS;
         rounds > 1 && (elements % (threads * most * rounds) || elements / (threads * most * rounds) < blocks ||
                           xg_loop_rows_work(e, elements, rounds) * most > XG_LOOP_ROWS_WORK);
         rounds /= 2) {}
    if (rounds <= w->rounds) return;
    w->unroll = most;
    w->rounds = rounds;
    w->launch.threads[0] = (uint32_t)threads;
    w->launch.blocks[0] = (uint32_t)(elements / (threads * most * rounds));
}

/* Elements of the root, one behind the other, that all read the same of the parameter; 0: not known. *maps_of: made
 * when it is asked for first. */
XG_FN int64_t xg_loop_same(const xg_fusion_emission *e, const xg_inst *param, xg_indexing_group **maps_of) {
    const xg_shape *root = e->roots[0]->shape;
    xg_index_order order;
    xg_indexing_group *g;
    xg_imaps maps;
    int64_t same = 1;
    uint32_t k, j, r;
    if (!xg_shape_is_array(param->shape) || param->shape->elements <= 1 ||
        param->shape->elements > root->elements / 2 || root->elements % param->shape->elements)
        return 0;
    if (!*maps_of) *maps_of = xg_indexing_group_back(e->m->aff, e->roots[0], NULL);
    g = *maps_of;
    maps = xg_indexing_group_maps(g, param, 0);
    order = xg_index_order_of_shape(root);
    for (k = 0; k < order.n; k++) {
        for (j = 0; j < maps.n; j++) {
            const xg_imap *m = maps.p[j];
            if (!xg_imap_ok(m) || m->n_syms + m->n_rts + m->n_constraints) return 0;
            for (r = 0; r < m->n_results; r++)
                if (xg_aff_uses(m->results[r], xg_aff_dim(g->x, order.dim[k]))) return same;
        }
        same *= order.size[k];
    }
    return same;
}
/* Threads and rounds that stay in one row, of the shortest rows that have a value of their own. */
XG_FN void xg_loop_along_rows(xg_loop_walk *w, int64_t elements) {
    const xg_fusion_emission *e = w->e;
    int64_t row = elements, vector, vectors, threads, rounds, blocks = e->target->sms;
    xg_indexing_group *maps_of = NULL;
    uint32_t k;
    if (!xg_index_has_order(e->roots[0]->shape) || e->roots[0]->shape->elements != elements) return;
    for (k = 0; k < e->comp->n_params; k++) {
        int64_t same = xg_loop_same(e, e->comp->params[k], &maps_of);
        if (same >= XG_LAUNCH_THREADS) row = XG_MIN(row, same);
    }
    vector = xg_gcd(row, xg_loop_vector(e, elements));
    vectors = row / vector;
    if (row == elements || elements % row) return;
    for (rounds = XG_LOOP_ROWS; rounds > w->rounds; rounds--) {
        if (vectors % rounds || elements / (vectors / rounds) < blocks ||
            elements / (vector * rounds) < e->target->resident_threads / XG_LOOP_RESIDENT ||
            xg_loop_rows_work(e, elements, rounds) * vector > XG_LOOP_ROWS_WORK)
            continue;
        for (threads = 2 * XG_LAUNCH_THREADS; threads >= XG_LAUNCH_THREADS / 2;
             threads--) { /* of whole warps, nearly */
            if (vectors / rounds % threads || (threads + XG_WARP_LANES - 1) / XG_WARP_LANES * 28 > threads ||
                elements / (threads * vector * rounds) < blocks)
                continue;
            w->unroll = vector;
            w->rounds = rounds;
            w->launch.threads[0] = (uint32_t)threads;
            w->launch.blocks[0] = (uint32_t)(elements / (threads * vector * rounds));
            return;
        }
    }
}

/* Elements after which all arrays as large as the root are at a sector again. */
XG_FN int64_t xg_loop_unit(const xg_fusion_emission *e, int64_t elements) {
    int64_t least = XG_SECTOR_BYTES;
    uint32_t k;
    for (k = 0; k < e->comp->n_params; k++)
        if (e->comp->params[k]->shape->elements == elements)
            least = XG_MIN(least, (int64_t)xg_type_bytes(e->comp->params[k]->shape->type));
    for (k = 0; k < e->n_roots; k++) least = XG_MIN(least, (int64_t)xg_type_bytes(e->roots[k]->shape->type));
    return XG_MAX(XG_SECTOR_BYTES / XG_MAX(least, (int64_t)1), (int64_t)1);
}
/* All results are made by one walk. */
XG_FN bool xg_loop_all_near(const xg_fusion_emission *e) {
    uint32_t k;
    for (k = 0; k < e->n_roots; k++)
        if (!xg_partition_is_near(e->parts, k)) return false;
    return true;
}
/* All that is written lies at the same place, and so does all that is read but single elements, the vectors of these
 * rows, and what each row has one of. */
XG_FN bool xg_loop_is_linear(xg_loop_walk *w, int64_t elements, int64_t row) {
    const xg_fusion_emission *e = w->e;
    xg_indexing_group *maps_of = NULL;
    uint32_t k;
    if (!xg_index_has_order(e->roots[0]->shape) || !xg_loop_all_near(e)) return false;
    for (k = 0; k < e->comp->n_params; k++) {
        int64_t n = e->comp->params[k]->shape->elements;
        if (n == 1 || (n != row && xg_loop_same(e, e->comp->params[k], &maps_of) >= row)) continue;
        if ((n != elements && n != row) || !xg_loop_repeats(w, e->comp->params[k], n)) return false;
    }
    return true;
}
/* Rounds of several rows, in slices: as many as leave few over, of enough blocks. */
XG_FN void xg_loop_down_slices(xg_loop_walk *w, int64_t elements) {
    const xg_fusion_emission *e = w->e;
    int64_t row, unit, vector, period, wide, threads, slices, total, rounds, best = 0, sms = e->target->sms;
    if ((row = xg_loop_row(w, elements, 2)) == 0 || !xg_loop_is_linear(w, elements, row)) return;
    unit = xg_loop_unit(e, elements);
    vector = xg_gcd(row, xg_loop_vector(e, elements));
    period = row / xg_gcd(row, unit) * unit;
    wide = period / vector;
    threads = wide > 1024 ? (int64_t)XG_LAUNCH_THREADS : wide * XG_MAX(XG_LAUNCH_THREADS / wide, (int64_t)1);
    slices = (wide + threads - 1) / threads;
    if (slices == 1) period = threads * vector;
    total = elements / period;
    for (rounds = XG_LOOP_ROWS * 2 / XG_MIN(vector, (int64_t)2); rounds >= XG_LOOP_ROWS_LEAST; rounds--) {
        if (xg_loop_rows_work(e, elements, rounds) * vector > XG_LOOP_ROWS_WORK ||
            total / rounds * slices < XG_MAX(sms * 3 / 4, (int64_t)1))
            continue;
        if (!best || total % rounds * best < total % best * rounds) best = rounds;
    }
    if (!best || total % best * 8 > total) return;
    w->unroll = vector;
    w->rounds = best;
    w->period = period;
    w->slices = slices;
    w->rest = elements - total / best * best * period;
    w->launch.threads[0] = (uint32_t)threads;
    w->launch.blocks[0] = (uint32_t)(total / best * slices);
}
/* So many rounds of vectors, and what they leave. */
XG_ONE_COPY XG_FN void xg_loop_set(xg_loop_walk *w, int64_t elements, int64_t unroll, int64_t rounds) {
    w->unroll = unroll;
    w->rounds = rounds;
    w->rest = elements % (unroll * rounds);
    w->launch = xg_launch_linear(w->e, elements, unroll * rounds);
    w->threads = w->launch.threads[0];
}
/* Whole vectors of an odd number of elements. */
XG_FN void xg_loop_odd_vectors(xg_loop_walk *w, int64_t elements) {
    const xg_fusion_emission *e = w->e;
    int64_t vector = xg_loop_vector(e, elements);
    if (elements % vector == 0 || !xg_loop_all_near(e)) return;
    xg_loop_set(w, elements, vector, 1);
}

XG_FN int64_t xg_loop_pieces(const xg_fusion_emission *e, const xg_inst *i) {
    xg_index_order o = xg_index_order_of_shape(i->shape);
    uint32_t dim = (uint32_t)xg_attr_dims(i).p[0], k, n;
    int64_t vector = xg_emit_vector(e, 0), inner = 1, row, rows, least;
    if (i->shape->elements < e->target->resident_threads || !xg_hero_in_place(e, xg_partition_place(e->parts, i)))
        return 0;
    for (k = 0; k < o.n && o.dim[k] != dim; k++) inner *= o.size[k];
    least = row = inner * i->shape->dims[dim];
    for (n = 0; n < i->n_operands; n++) least = XG_MIN(least, inner * XG_OPERAND(i, n)->shape->dims[dim]);
    rows = vector / xg_gcd(row, vector);
    return least < vector && row <= XG_LOOP_PIECES_MAX / rows && xg_emit_work(e->comp) * rows <= XG_LOOP_NEIGHBOURS_WORK
               ? row * rows
               : 0;
}
/* Threads that have whole rows of a concatenation: what an element is a piece of is known then. */
XG_FN bool xg_loop_joins(xg_loop_walk *w, int64_t elements) {
    const xg_fusion_emission *e = w->e;
    int64_t most = 0;
    XG_FOR_INSTS(i, e->comp)
        if (i->op == XG_CONCATENATE) most = XG_MAX(most, xg_loop_pieces(e, i));
    if (most <= w->unroll || !xg_loop_all_near(e)) return false;
    xg_loop_set(w, elements, xg_emit_vector(e, 0), most / xg_emit_vector(e, 0));
    w->together = 1;
    return true;
}
XG_FN int64_t xg_loop_neighbours(const xg_fusion_emission *e) {
    const xg_shape *root = e->roots[0]->shape;
    const xg_slice_dim *first = NULL;
    int64_t most = 1, found = 0;
    uint32_t rank = 0, k;
    XG_FOR_INSTS(i, e->comp) {
        const xg_slice_dim *s = i->op == XG_SLICE ? xg_inst_attr(i, XG_A_slice)->v.slices->p : NULL;
        xg_index_order o = xg_index_order_of_shape(s ? i->shape : root);
        int64_t row = 1, apart;
        if (!s || i->shape->elements <= root->elements / 2 || (first && i->shape->rank != rank)) continue;
        if (!first) first = s;
        rank = i->shape->rank;
        for (k = 1; k < o.n; k++) {
            row *= o.size[k - 1];
            apart = s[o.dim[k]].start - first[o.dim[k]].start;
            apart = XG_MAX(apart, -apart);
            if (apart < most || (apart == most && row < found) || root->elements % row) continue;
            most = apart;
            found = row;
        }
    }
    return found;
}
/* Rounds that are neighbours: all numbers of them are left open, or what is ordered. */
XG_FN void xg_loop_beside(xg_loop_walk *w, int64_t elements) {
    xg_fusion_emission *e = w->e;
    int64_t row = xg_index_has_order(e->roots[0]->shape) ? xg_loop_neighbours(e) : 0, rounds = (int64_t)1 << w->walk,
            vector = xg_gcd(row, w->unroll), wide = row / vector, threads, slices = 0;
    uint32_t k;
    if (!row) return;
    if (w->walk == XG_LOOP_WALKS) {
        for (k = 0; k < w->walk; k++) xg_form_leave_open(e, xg_text_nth(xg_loop_walks, k));
        return;
    }
    for (threads = XG_LAUNCH_THREADS; threads; threads -= XG_WARP_LANES) { /* nearly all of which have something */
        slices = (wide + threads - 1) / threads;
        if (slices * threads * 7 <= wide * 8) break;
    }
    if (!threads || elements % (row * rounds) * 8 > elements ||
        xg_emit_work(e->comp) * rounds > XG_LOOP_NEIGHBOURS_WORK)
        return;
    w->unroll = vector;
    w->rounds = rounds;
    w->threads = threads;
    w->period = row;
    w->slices = slices;
    w->rest = elements % (row * rounds);
}

XG_FN bool xg_loop_takes(const xg_loop_walk *w, uint32_t root) {
    bool is_near = xg_partition_is_near(w->e->parts, root);
    return w->lead ? !is_near && xg_in_place_same_shape(w->e->roots[root]->shape, w->e->roots[w->lead]->shape)
                   : is_near;
}
/* No earlier walk has made it. */
XG_FN bool xg_loop_leads(xg_loop_walk *w, uint32_t root) {
    uint32_t k;
    for (k = 0; k < root; k++) {
        w->lead = k;
        if (xg_loop_takes(w, root)) return false;
    }
    w->lead = root;
    return true;
}

/* The roots' elements at the indices of the lead. */
XG_FN void xg_loop_elements(const xg_loop_walk *w, xg_kb *b, xg_kval *const *at, xg_elem *out) {
    xg_fusion_emission *e = w->e;
    uint32_t n = e->comp->n_params, rank = e->roots[w->lead]->shape->rank, count = 0, k;
    xg_kval **args = XG_NEW_N(e->arena, xg_kval *, n + rank + 1);
    xg_kop *call;
    if (w->lead) {
        xg_scope s = xg_emit_scope(e, e->m->entry, UINT32_MAX);
        s.b = *b;
        for (k = w->lead; k < e->n_roots; k++)
            if (xg_loop_takes(w, k)) out[k] = xg_elem_of(&s, e->roots[k], at);
        return;
    }
    for (k = 0; k < n; k++) args[k] = w->tensors[k];
    for (k = 0; k < rank; k++) args[n + k] = at[k];
    call = xg_kcall(b, e->funcs[0], args, n + rank);
    for (k = 0; k < e->n_roots; k++)
        if (xg_loop_takes(w, k)) out[k] = xg_elem_real(&call->results[count++]);
}

/* The body for one index of the lead: makes the elements and inserts each. */
XG_FN void xg_loop_body(const xg_loop_walk *w, xg_kb *b, xg_kval *const *at, xg_kval **dest) {
    xg_fusion_emission *e = w->e;
    const xg_shape *shape = e->roots[w->lead]->shape;
    xg_elem *v = XG_NEW_N(e->arena, xg_elem, e->n_roots + 1);
    uint32_t k, d;
    xg_loop_elements(w, b, at, v);
    for (k = 0; k < e->n_roots; k++) {
        const xg_imap *map;
        xg_kval *here[XG_RANK_MAX];
        if (!xg_loop_takes(w, k)) continue;
        map = w->lead ? NULL : xg_partition_root_map(e->m->aff, e->parts, k);
        if (!map || xg_imap_is_identity(map)) {
            for (d = 0; d < shape->rank; d++) here[d] = at[d];
        } else if (map->n_results) {
            xg_kop *apply = xg_kapply(b, map, at);
            for (d = 0; d < map->n_results; d++) here[d] = &apply->results[d];
        }
        dest[k] = xg_emit_insert(b, v[k], dest[k], e->roots[k]->shape, here);
    }
}

/* (th_x, bl_x)[round, vector_index] to the indices of the lead: all but the rest, or that. */
XG_FN const xg_imap *xg_loop_map(const xg_loop_walk *w, bool rest) {
    xg_aff_ctx *x = w->e->m->aff;
    const xg_shape *s = w->e->roots[w->lead]->shape;
    int64_t threads = w->launch.threads[0], blocks = w->launch.blocks[0],
            rounds = rest ? (w->rest + threads * blocks - 1) / (threads * blocks) : w->rounds,
            unroll = rest ? 1 : w->unroll, body = s->elements - w->rest;
    const xg_aff *th = xg_aff_dim_0(x), *bl = xg_aff_dim_1(x), *round = xg_aff_sym(x, 0), *at, *within;
    xg_index_order order;
    xg_imap *m;
    if (!w->rest && !w->period && !w->together)
        return xg_indexing_thread_rounds(x, s, threads, blocks, w->rounds, w->unroll);
    m = xg_imap_new(x, 2, 2, 0, s->rank, 1);
    xg_imap_counts(&m->dims[0], "th_x", threads);
    xg_imap_counts(&m->dims[1], "bl_x", blocks);
    xg_imap_counts(&m->syms[0], "round", rounds);
    xg_imap_counts(&m->syms[1], "vector_index", unroll);
    if (rest || !w->period) {
        bool joins = w->together && !rest;
        within = xg_aff_add_mul(x, th, joins ? bl : xg_aff_add_mul(x, bl, round, blocks), threads);
        at = joins ? xg_aff_add_mul(x, round, within, rounds) : within;
        at = xg_aff_add_k(x, xg_aff_mul(x, at, unroll), rest ? body : 0);
        m->constraints[0].range = xg_range_of(0, (rest ? w->rest : body / unroll / (joins ? rounds : 1)) - 1);
    } else {
        within = xg_aff_add_mul(x, th, xg_aff_mod(x, bl, w->slices), threads);
        at = xg_aff_add_mul(x, round, xg_aff_div(x, bl, w->slices), rounds);
        at = xg_aff_add_mul(x, xg_aff_mul(x, at, w->period), within, unroll);
        m->constraints[0].range = xg_range_of(0, w->period / unroll - 1);
    }
    m->constraints[0].expr = within;
    order = xg_index_order_of_shape(s);
    xg_index_delinearise(x, &order, xg_aff_add(x, at, xg_aff_sym(x, 1)), m->results);
    return xg_imap_simplify(x, m);
}
XG_FN void xg_loop_walk_emit(xg_loop_walk *w, xg_kb *b, const xg_imap *map) {
    xg_fusion_emission *e = w->e;
    xg_kval *dims[2], *at[XG_RANK_MAX], **inits = XG_NEW_N(e->arena, xg_kval *, e->n_roots + 1),
                                        **carried = XG_NEW_N(e->arena, xg_kval *, e->n_roots + 1);
    uint32_t n = 0, first = map->n_syms, k;
    xg_kregion *body;
    xg_kop *loop;
    xg_kb in;
    for (k = 0; k < e->n_roots; k++)
        if (xg_loop_takes(w, k)) inits[n++] = w->dest[k];
    dims[0] = xg_kthread_id(b, 0, w->launch.threads[0]);
    dims[1] = xg_kblock_id(b, 0, w->launch.blocks[0]);
    loop = xg_kloop(b, map, dims, inits, n);
    if (w->walk - 1 < XG_LOOP_WALKS - 1 || w->together) loop->flags = KL_WHOLE;
    body = loop->regions[0];
    in = xg_kb_end(e->m, body);
    in.loc = b->loc;
    for (k = 0; k < map->n_syms; k++) body->args[k].name = map->syms[k].name;
    for (k = 0; k < map->n_results; k++) {
        at[k] = &body->args[first + k];
        xg_emit_name(e->m, at[k], "dim%u", k);
    }
    for (n = 0, k = 0; k < e->n_roots; k++) {
        if (!xg_loop_takes(w, k)) continue;
        carried[k] = &body->args[first + map->n_results + n++];
        xg_emit_name(e->m, carried[k], e->n_roots == 1 ? "iter" : "iter%u", k);
    }
    xg_loop_body(w, &in, at, carried);
    for (n = 0, k = 0; k < e->n_roots; k++)
        if (xg_loop_takes(w, k)) {
            inits[n] = carried[k];
            w->dest[k] = &loop->results[n++];
        }
    xg_kyield(&in, inits, n);
}

/* ---- the form ---- */

XG_TABLE const xg_form_field xg_loop_form[] = {
    {"vector", offsetof(xg_loop_walk, unroll)},
    {"rounds", offsetof(xg_loop_walk, rounds)},
    {"threads", offsetof(xg_loop_walk, threads)},
    {"period", offsetof(xg_loop_walk, period)},
    {"slices", offsetof(xg_loop_walk, slices)},
    {"rest", offsetof(xg_loop_walk, rest)},
    {"together", offsetof(xg_loop_walk, together)},
};
XG_FN void xg_loop_decide(xg_loop_walk *w, int64_t elements) {
    const xg_fusion_emission *e = w->e;
    bool few = elements < e->target->resident_threads;
    int64_t unroll = xg_loop_unroll(e, elements), rounds = xg_loop_rounds(e, elements, unroll);
    xg_loop_set(w, elements, unroll, rounds);
    if (xg_form_is_ordered(e)) { /* of other rows only by an order that says all of them */
        if (w->walk < XG_LOOP_WALKS) xg_loop_beside(w, elements);
        return;
    }
    if (xg_loop_joins(w, elements) || xg_loop_unroll_hurts(e->comp)) return;
    if (!few) xg_loop_down_rows(w, elements);
    if (w->rounds == rounds) xg_loop_down_slices(w, elements);
    if (!few && !w->period && w->rounds == rounds) xg_loop_along_rows(w, elements);
    if (!few && !w->period && w->rounds == rounds) xg_loop_odd_vectors(w, elements);
    w->threads = w->launch.threads[0];
    /* in loops arrays may share memory: a round would wait for what the one before writes */
    if (!w->period && w->rounds == rounds && w->unroll > 1 && e->fusion->comp == e->fusion->comp->module->entry)
        xg_loop_beside(w, elements);
}
/* Why no walk of this form meets each element once; NULL: one does. */
XG_FN const char *xg_loop_refuses(const xg_loop_walk *w, int64_t elements) {
    int64_t total, each;
    if (w->unroll < 1 || w->unroll > XG_LOOP_VECTOR_MAX) return "vector must be 1 to 16";
    if (w->rounds < 1 || w->rounds > XG_LOOP_ROUNDS_MAX) return "rounds must be 1 to 64";
    if (w->threads < 1 || w->threads > XG_LOOP_THREADS_MAX) return "threads must be 1 to 1024";
    each = w->unroll * w->rounds;
    if (!w->period && !w->rest && !w->together) return elements % each ? "vectors and rounds must divide it" : NULL;
    if (!xg_loop_all_near(w->e)) return "there are results of other sizes, which have no such rows";
    if (!w->period)
        return (w->rounds != 1 && !w->together) || w->rest != elements % each ? "rest must be what vectors leave"
                                                                              : NULL;
    if (w->period < 1 || w->period > elements || w->period % w->unroll) return "vectors must divide the period";
    if (w->slices < 1 || w->slices > w->period || w->slices * w->threads * w->unroll < w->period)
        return "the slices do not make the period";
    total = elements / w->period / w->rounds * w->rounds;
    return !total || w->rest != elements - total * w->period ? "rest must be what rounds of periods leave" : NULL;
}
XG_FN int64_t xg_loop_blocks(const xg_loop_walk *w, int64_t elements) {
    int64_t each = w->unroll * w->rounds, n = (elements + each - 1) / each;
    if (w->period) return elements / w->period / w->rounds * w->slices;
    return XG_MAX((n + w->threads - 1) / w->threads, (int64_t)1);
}
XG_FN bool xg_emit_loop_plan(xg_fusion_emission *e) {
    xg_loop_walk *w = XG_NEW(e->arena, xg_loop_walk);
    int64_t most = 0, blocks;
    const char *why;
    uint32_t k;
    for (k = 0; k < e->n_roots; k++) most = XG_MAX(most, e->roots[k]->shape->elements);
    w->e = e;
    e->form = w;
    w->walk = xg_form_walk(e, xg_loop_walks, XG_LOOP_WALKS);
    if (!xg_form_is_whole(e)) xg_loop_decide(w, most);
    xg_form_read(e, xg_loop_form, XG_COUNT(xg_loop_form), w);
    if (w->walk < XG_LOOP_WALKS && w->rounds == (int64_t)1 << w->walk)
        xg_form_write_walk(e, xg_text_nth(xg_loop_walks, w->walk));
    why = e->given ? xg_loop_refuses(w, most) : NULL;
    if (why) return xg_emit_refuse(e, why);
    blocks = xg_loop_blocks(w, most);
    if (blocks > INT32_MAX) return xg_emit_refuse(e, "it has more than 2147483647 blocks");
    w->launch.threads[0] = (uint32_t)w->threads;
    w->launch.blocks[0] = (uint32_t)blocks;
    xg_form_write(e, xg_loop_form, XG_COUNT(xg_loop_form), w);
    return xg_emit_launch(e, w->threads, blocks, 0);
}
XG_FN void xg_emit_loop(xg_fusion_emission *e) {
    xg_kfunc *f = e->m->entry;
    xg_kb b = xg_kb_end(e->m, f->body);
    xg_loop_walk *w = (xg_loop_walk *)e->form;
    uint32_t n = e->comp->n_params, k;
    xg_emit_functions(e, true);
    w->tensors = XG_NEW_N(e->arena, xg_kval *, n + 1);
    w->dest = XG_NEW_N(e->arena, xg_kval *, e->n_roots + 1);
    for (k = 0; k < n; k++) w->tensors[k] = &f->body->args[k];
    for (k = 0; k < e->n_roots; k++) w->dest[k] = &f->body->args[n + k];
    b.loc = e->fusion->id + 1;
    for (k = 0; k < e->n_roots; k++)
        if (xg_loop_leads(w, k) && e->roots[k]->shape->elements) {
            xg_loop_walk_emit(w, &b, xg_loop_map(w, false));
            if (w->rest) xg_loop_walk_emit(w, &b, xg_loop_map(w, true));
        }
    xg_kreturn(&b, w->dest, e->n_roots);
}

#endif /* XG_EMIT_LOOP_C */
