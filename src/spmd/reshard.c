/* spmd/reshard.c -- from one sharding to another, by the chain of exchanges that sends least.
 *
 * Order: slice first, for whatever comes then is smaller; then all-to-all, which moves axes from one dimension to
 * another and sends less than a part; then permute, which sends a part; gathers last. Each step brings the sharding
 * closer to the goal; the same steps are taken to count bytes and to write instructions.
 *
 * Where tiles are uneven, those of more axes do not always lie inside those of fewer: 10 elements are 5 and 5, but 3,
 * 3, 3 and 1. Axes come and go in steps for which they do; all axes of a dimension can always come and go together. */
#ifndef XG_SPMD_RESHARD_C
#define XG_SPMD_RESHARD_C
#include "spmd.h"

XG_FN bool xg_tiles_nest(int64_t n, int64_t tiles, int64_t more) {
    return tiles == 1 || xg_tile_size(n, tiles) == xg_tile_size(n, tiles * more) * more;
}

typedef enum xg_reshard_kind {
    XG_RESHARD_DONE,
    XG_RESHARD_SLICE,
    XG_RESHARD_EXCHANGE, /* all-to-all: axes go from dimension `from` to dimension `to` */
    XG_RESHARD_PERMUTE,
    XG_RESHARD_GATHER /* axes leave dimension `from` */
} xg_reshard_kind;
typedef struct xg_reshard_step {
    xg_reshard_kind kind;
    uint32_t from, to;
    xg_axes_list axes;
    xg_sharding *next;
} xg_reshard_step;

XG_FN bool xg_axes_begin(const xg_axes_list *l, const xg_axes_list *with) { /* is `with` a prefix of l? */
    return with->n <= l->n && memcmp(l->p, with->p, with->n) == 0;
}
XG_ONE_COPY XG_FN uint32_t xg_axes_common(const xg_axes_list *a, const xg_axes_list *b) {
    uint32_t k = 0;
    while (k < a->n && k < b->n && a->p[k] == b->p[k]) k++;
    return k;
}
XG_FN xg_axes_list xg_axes_cut(const xg_axes_list *l, uint32_t from, uint32_t to) {
    xg_axes_list out;
    out.n = to - from;
    memcpy(out.p, l->p + from, out.n);
    return out;
}
XG_FN void xg_axes_append(xg_axes_list *l, const xg_axes_list *more) {
    memcpy(l->p + l->n, more->p, more->n);
    l->n += more->n;
}
XG_FN xg_sharding *xg_sharding_copy(xg_arena *a, const xg_sharding *s) {
    xg_sharding *out = XG_NEW(a, xg_sharding);
    *out = *s;
    return out;
}

/* A search for the next step. */
typedef struct xg_resharding {
    xg_arena *arena;
    const xg_spmd_mesh *mesh;
    const int64_t *dims;
    const xg_sharding *from, *to;
    xg_reshard_step step;
} xg_resharding;

/* Tiles that do not lie in what the goal wants of the dimension would have to be given up again. */
XG_FN bool xg_resharding_reaches(const xg_resharding *r, uint32_t d, int64_t tiles) {
    int64_t goal = xg_sharding_tiles(r->mesh, r->to, d);
    return goal % tiles == 0 && xg_tiles_nest(r->dims[d], tiles, goal / tiles);
}
XG_FN int64_t xg_resharding_tiles(const xg_resharding *r, uint32_t d) { return xg_sharding_tiles(r->mesh, r->from, d); }

/* All dimensions that can take more of what they shall have. */
XG_FN bool xg_reshard_slice(xg_resharding *r) {
    xg_axis_set used = xg_sharding_used(r->from) | r->from->manual;
    xg_sharding *next = xg_sharding_copy(r->arena, r->from);
    bool any = false;
    uint32_t d, k, n;
    for (d = 0; d < next->rank; d++) {
        xg_axes_list has = xg_sharding_axes_of(next, d), wants = xg_sharding_axes_of(r->to, d);
        if (!xg_axes_begin(&wants, &has)) continue;
        for (n = has.n; n < wants.n && !(used >> wants.p[n] & 1); n++) {}
        for (; n > has.n; n--) {
            xg_axes_list more = xg_axes_cut(&wants, has.n, n);
            int64_t tiles = xg_axes_size(r->mesh, &has), parts = xg_axes_size(r->mesh, &more);
            if (!xg_tiles_nest(r->dims[d], tiles, parts) || !xg_resharding_reaches(r, d, tiles * parts)) continue;
            for (k = 0; k < more.n; k++) used |= (xg_axis_set)1 << more.p[k];
            xg_axes_append(&has, &more);
            xg_sharding_set_axes(next, d, &has);
            any = true;
            break;
        }
    }
    r->step.kind = XG_RESHARD_SLICE;
    r->step.next = next;
    return any;
}

/* Moves the last axes of dimension i behind those of dimension j, if tiles nest. */
XG_FN bool xg_reshard_move(xg_resharding *r, uint32_t i, uint32_t j, uint32_t keep) {
    xg_axes_list has = xg_sharding_axes_of(r->from, i), gets = xg_sharding_axes_of(r->from, j),
                 moved = xg_axes_cut(&has, keep, has.n), kept = xg_axes_cut(&has, 0, keep);
    int64_t g = xg_axes_size(r->mesh, &moved);
    if (!xg_tiles_nest(r->dims[i], xg_axes_size(r->mesh, &kept), g) ||
        !xg_tiles_nest(r->dims[j], xg_axes_size(r->mesh, &gets), g) ||
        !xg_resharding_reaches(r, j, xg_axes_size(r->mesh, &gets) * g))
        return false;
    xg_axes_append(&gets, &moved);
    r->step.kind = XG_RESHARD_EXCHANGE;
    r->step.from = i;
    r->step.to = j;
    r->step.axes = moved;
    r->step.next = xg_sharding_copy(r->arena, r->from);
    xg_sharding_set_axes(r->step.next, i, &kept);
    xg_sharding_set_axes(r->step.next, j, &gets);
    return true;
}
XG_FN bool xg_reshard_exchange(xg_resharding *r) {
    uint32_t i, j, keep;
    for (i = 0; i < r->from->rank; i++) {
        xg_axes_list has = xg_sharding_axes_of(r->from, i);
        for (keep = 0; keep < has.n; keep++) { /* as many as possible at a time */
            xg_axes_list moved = xg_axes_cut(&has, keep, has.n);
            for (j = 0; j < r->from->rank; j++) {
                xg_axes_list gets = xg_sharding_axes_of(r->from, j), wants = xg_sharding_axes_of(r->to, j);
                if (j == i) continue;
                xg_axes_append(&gets, &moved);
                if (xg_axes_begin(&wants, &gets) && xg_reshard_move(r, i, j, keep)) return true;
            }
        }
    }
    return false;
}
/* Where as many tiles are wanted as there are: axes of the right sizes, whichever they are; a permute puts them right.
 */
XG_FN bool xg_reshard_exchange_sizes(xg_resharding *r) {
    uint32_t i, j;
    if (xg_sharding_all_tiles(r->mesh, r->from) != xg_sharding_all_tiles(r->mesh, r->to)) return false;
    for (i = 0; i < r->from->rank; i++) {
        xg_axes_list has = xg_sharding_axes_of(r->from, i);
        int64_t size = has.n ? r->mesh->size[has.p[has.n - 1]] : 1;
        if (!has.n || xg_resharding_tiles(r, i) / size % xg_sharding_tiles(r->mesh, r->to, i)) continue;
        for (j = 0; j < r->from->rank; j++)
            if (j != i && xg_sharding_tiles(r->mesh, r->to, j) % (xg_resharding_tiles(r, j) * size) == 0 &&
                xg_reshard_move(r, i, j, has.n - 1))
                return true;
    }
    return false;
}

/* Before a permute puts other axes of the same sizes into their places: what the goal has behind them is cut off, so
 * that less is sent. */
XG_FN bool xg_reshard_slice_sizes(xg_resharding *r) {
    xg_axis_set used = xg_sharding_used(r->from) | r->from->manual;
    xg_sharding *next = xg_sharding_copy(r->arena, r->from);
    bool any = false;
    uint32_t d, k, n;
    for (d = 0; d < next->rank; d++) {
        xg_axes_list has = xg_sharding_axes_of(next, d), wants = xg_sharding_axes_of(r->to, d), more;
        for (k = 0; k < has.n && k < wants.n && r->mesh->size[has.p[k]] == r->mesh->size[wants.p[k]]; k++) {}
        if (!has.n || k < has.n || xg_axes_begin(&wants, &has)) continue;
        for (n = has.n; n < wants.n && !(used >> wants.p[n] & 1); n++) {}
        more = xg_axes_cut(&wants, has.n, n);
        if (!more.n || !xg_tiles_nest(r->dims[d], xg_axes_size(r->mesh, &has), xg_axes_size(r->mesh, &more)) ||
            !xg_resharding_reaches(r, d, xg_axes_size(r->mesh, &has) * xg_axes_size(r->mesh, &more)))
            continue;
        for (k = 0; k < more.n; k++) used |= (xg_axis_set)1 << more.p[k];
        xg_axes_append(&has, &more);
        xg_sharding_set_axes(next, d, &has);
        any = true;
    }
    r->step.kind = XG_RESHARD_SLICE;
    r->step.next = next;
    return any;
}

/* The sharding with the same tile counts that has as many of the wanted axes as possible in their places. */
XG_FN bool xg_reshard_permute(xg_resharding *r) {
    xg_sharding *next = xg_sharding_copy(r->arena, r->from);
    xg_axis_set taken = 0;
    bool same = true;
    uint32_t d, k, a;
    next->devices = NULL;
    for (d = 0; d < next->rank; d++) {
        same = same && xg_resharding_tiles(r, d) == xg_sharding_tiles(r->mesh, r->to, d);
    }
    if (same) { /* the goal itself, with its table of devices */
        next = xg_sharding_copy(r->arena, r->to);
        next->manual = r->from->manual;
    } else {
        bool wanted[XG_SPMD_AXES_MAX]; /* by place in `axes` */
        for (d = 0; d < next->rank; d++)
            for (k = next->start[d]; k < next->start[d + 1]; k++) {
                uint32_t at = k - next->start[d], goal = r->to->start[d] + at;
                wanted[k] = goal < r->to->start[d + 1] &&
                            r->mesh->size[r->to->axes[goal]] == r->mesh->size[next->axes[k]] &&
                            (at == 0 || wanted[k - 1]);
                if (wanted[k]) next->axes[k] = r->to->axes[goal];
                if (wanted[k]) taken |= (xg_axis_set)1 << next->axes[k];
            }
        for (k = 0; k < next->start[next->rank]; k++) {
            if (wanted[k]) continue;
            a = r->from->axes[k];
            if (taken >> a & 1)
                for (a = 0; a < r->mesh->n && ((taken >> a & 1) || (r->from->manual >> a & 1) ||
                                                  r->mesh->size[a] != r->mesh->size[r->from->axes[k]]);
                     a++) {}
            if (a == r->mesh->n) return false;
            next->axes[k] = (uint8_t)a;
            taken |= (xg_axis_set)1 << a;
        }
    }
    r->step.kind = XG_RESHARD_PERMUTE;
    r->step.next = next;
    return next->devices != r->from->devices || memcmp(next->axes, r->from->axes, next->start[next->rank]) != 0;
}

XG_FN void xg_reshard_gather_axes(xg_resharding *r, uint32_t d, const xg_axes_list *kept, const xg_axes_list *gone) {
    r->step.kind = XG_RESHARD_GATHER;
    r->step.from = d;
    r->step.axes = *gone;
    r->step.next = xg_sharding_copy(r->arena, r->from);
    xg_sharding_set_axes(r->step.next, d, kept);
}
XG_FN bool xg_reshard_gather(xg_resharding *r) {
    uint32_t d, keep;
    for (d = 0; d < r->from->rank; d++) {
        xg_axes_list has = xg_sharding_axes_of(r->from, d), wants = xg_sharding_axes_of(r->to, d);
        keep = xg_axes_common(&has, &wants);
        if (keep == has.n && (wants.n == has.n || keep == 0)) continue;
        if (keep == has.n) keep = 0; /* it wants more of them, and its tiles do not nest */
        for (;; keep--) {
            xg_axes_list kept = xg_axes_cut(&has, 0, keep), gone = xg_axes_cut(&has, keep, has.n);
            int64_t tiles = xg_axes_size(r->mesh, &kept);
            if (gone.n && xg_tiles_nest(r->dims[d], tiles, xg_axes_size(r->mesh, &gone)) &&
                (!keep || xg_resharding_reaches(r, d, tiles))) {
                xg_reshard_gather_axes(r, d, &kept, &gone);
                return true;
            }
            if (!keep) break;
        }
    }
    return false;
}

/* Last axes of a dimension that the goal has no use for: what lies before them may be wanted elsewhere. */
XG_FN bool xg_reshard_drop(xg_resharding *r) {
    xg_axis_set wanted = xg_sharding_used(r->to);
    uint32_t d, keep;
    for (d = 0; d < r->from->rank; d++) {
        xg_axes_list has = xg_sharding_axes_of(r->from, d), kept, gone;
        for (keep = has.n; keep && !(wanted >> has.p[keep - 1] & 1); keep--) {}
        if (!keep || keep == has.n) continue; /* all of them: the last step */
        kept = xg_axes_cut(&has, 0, keep);
        gone = xg_axes_cut(&has, keep, has.n);
        if (!xg_tiles_nest(r->dims[d], xg_axes_size(r->mesh, &kept), xg_axes_size(r->mesh, &gone))) continue;
        xg_reshard_gather_axes(r, d, &kept, &gone);
        return true;
    }
    /* ... or whole dimensions, which then can take others */
    for (d = 0; d < r->from->rank; d++) {
        xg_axes_list has = xg_sharding_axes_of(r->from, d), wants = xg_sharding_axes_of(r->to, d), none;
        for (keep = 0; keep < has.n && !(wanted >> has.p[keep] & 1); keep++) {}
        if (!has.n || keep < has.n || !wants.n) continue;
        none.n = 0;
        xg_reshard_gather_axes(r, d, &none, &has);
        return true;
    }
    return false;
}

/* The plain way: all axes of a dimension that is not as it shall be. */
XG_FN bool xg_reshard_gather_whole(xg_resharding *r) {
    uint32_t d;
    for (d = 0; d < r->from->rank; d++) {
        xg_axes_list has = xg_sharding_axes_of(r->from, d), wants = xg_sharding_axes_of(r->to, d), none;
        if (!has.n || (has.n == wants.n && xg_axes_begin(&has, &wants))) continue;
        none.n = 0;
        xg_reshard_gather_axes(r, d, &none, &has);
        return true;
    }
    return false;
}

typedef enum xg_reshard_way {
    XG_WAY_MOVE,  /* as in the head of this file */
    XG_WAY_DROP,  /* axes that the goal has no use for are gathered first */
    XG_WAY_PLAIN, /* each dimension whole, then cut */
    XG_WAY_COUNT
} xg_reshard_way;
XG_FN xg_reshard_step xg_reshard_next(xg_arena *a, const xg_spmd_mesh *mesh, const xg_shape *shape,
    const xg_sharding *from, const xg_sharding *to, xg_reshard_way way) {
    xg_resharding r;
    r.arena = a;
    r.mesh = mesh;
    r.dims = shape->dims;
    r.from = from;
    r.to = to;
    memset(&r.step, 0, sizeof r.step);
    if (from->start[from->rank] == to->start[to->rank] && from->devices == to->devices &&
        memcmp(from->start, to->start, (size_t)from->rank + 1) == 0 &&
        memcmp(from->axes, to->axes, from->start[from->rank]) == 0)
        return r.step;
    if (from->devices) { /* plain axes first */
        if (xg_reshard_permute(&r)) return r.step;
        r.step.kind = XG_RESHARD_PERMUTE;
        r.step.next = xg_sharding_copy(a, from);
        r.step.next->devices = NULL;
        return r.step;
    }
    if (way == XG_WAY_PLAIN && (xg_reshard_gather_whole(&r) || xg_reshard_slice(&r) || xg_reshard_permute(&r)))
        return r.step;
    if (xg_reshard_slice(&r) || (way == XG_WAY_DROP && xg_reshard_drop(&r)) || xg_reshard_exchange(&r) ||
        xg_reshard_exchange_sizes(&r) || xg_reshard_slice_sizes(&r) || xg_reshard_permute(&r) || xg_reshard_gather(&r))
        return r.step;
    r.step.kind = XG_RESHARD_DONE;
    return r.step;
}

/* ---- bytes ---- */

XG_FN double xg_spmd_bytes(const xg_spmd_mesh *mesh, const xg_shape *global, const xg_sharding *s) { /* of a part */
    double n = (double)xg_type_bits(global->type) / 8;
    uint32_t d;
    for (d = 0; d < global->rank; d++)
        n *= (double)xg_tile_size(global->dims[d], s->rank ? xg_sharding_tiles(mesh, s, d) : 1);
    return n;
}
enum {
    XG_RESHARD_STEPS = 16 /* a way of more has gone astray: each dimension changes twice at most */
};
XG_FN double xg_reshard_way_bytes(xg_arena *a, const xg_spmd_mesh *mesh, const xg_shape *global,
    const xg_sharding *from, const xg_sharding *to, xg_reshard_way way) {
    double sum = 0;
    uint32_t n;
    for (n = 0; way == XG_WAY_PLAIN || n < XG_RESHARD_STEPS; n++) {
        xg_reshard_step step = xg_reshard_next(a, mesh, global, from, to, way);
        double part = xg_spmd_bytes(mesh, global, from), g = (double)xg_axes_size(mesh, &step.axes);
        switch (step.kind) {
        case XG_RESHARD_DONE: return sum;
        case XG_RESHARD_EXCHANGE: sum += part * (g - 1) / g; break;
        case XG_RESHARD_PERMUTE: sum += part; break;
        case XG_RESHARD_GATHER: sum += part * (g - 1); break;
        default: break;
        }
        from = step.next;
    }
    return HUGE_VAL;
}
/* *best: which way that is */
XG_FN double xg_reshard_least_bytes(xg_arena *a, const xg_spmd_mesh *mesh, const xg_shape *global,
    const xg_sharding *from, const xg_sharding *to, xg_reshard_way *best) {
    double least = HUGE_VAL;
    int way;
    *best = XG_WAY_PLAIN;
    for (way = 0; way < XG_WAY_COUNT && least > 0; way++) {
        double bytes = xg_reshard_way_bytes(a, mesh, global, from, to, (xg_reshard_way)way);
        XG_ESTIMATED(bytes);
        if (bytes >= least) continue;
        least = bytes;
        *best = (xg_reshard_way)way;
    }
    return least;
}
XG_FN double xg_reshard_bytes(
    xg_arena *a, const xg_spmd_mesh *mesh, const xg_shape *global, const xg_sharding *from, const xg_sharding *to) {
    xg_reshard_way way;
    return xg_shape_is_array(global) ? xg_reshard_least_bytes(a, mesh, global, from, to, &way) : 0;
}
XG_FN double xg_spmd_value_bytes(
    xg_arena *a, const xg_spmd_mesh *mesh, const xg_spmd_value *p, const xg_sharding *to, const xg_spmd_value **from) {
    const xg_spmd_value *v = p;
    double least = HUGE_VAL;
    *from = p;
    if (!xg_shape_is_array(p->global)) return 0;
    do {
        double bytes = xg_reshard_bytes(a, mesh, p->global, v->s, to);
        if (bytes < least) {
            least = bytes;
            *from = v;
        }
        v = v->other ? v->other : p;
    } while (v != p && least > 0);
    return least;
}

/* ---- writing the steps ---- */

XG_FN xg_spmd_value *xg_spmd_part(xg_spmd *s, xg_inst *local, const xg_shape *global, const xg_sharding *sharding) {
    xg_spmd_value *p = XG_NEW(s->arena, xg_spmd_value);
    /* exchanges keep dimensions of no fixed size, which are never split */
    if (xg_shape_is_array(global) && global->dynamic)
        local->shape = xg_spmd_local_shape(s->m, &s->mesh, global, sharding);
    p->local = local;
    p->global = global;
    p->s = sharding;
    return p;
}

XG_FN xg_inst *xg_spmd_slice(xg_spmd *s, xg_spmd_value *p, const xg_sharding *next) {
    xg_inst *x = p->local, *starts[XG_RANK_MAX];
    int64_t sizes[XG_RANK_MAX], *by = XG_NEW_N(s->arena, int64_t, s->mesh.devices), k;
    uint32_t d;
    for (d = 0; d < p->global->rank; d++) {
        int64_t n = p->global->dims[d], was = xg_sharding_tiles(&s->mesh, p->s, d),
                tiles = xg_sharding_tiles(&s->mesh, next, d);
        sizes[d] = xg_tile_size(n, tiles);
        if (tiles != was) x = xg_spmd_pad_dim(s, x, d, sizes[d] * (tiles / was));
        for (k = 0; k < s->mesh.devices; k++)
            by[k] = tiles == was ? 0
                                 : xg_sharding_tile(&s->mesh, next, d, k) * sizes[d] -
                                       xg_sharding_tile(&s->mesh, p->s, d, k) * sizes[d] * (tiles / was);
        starts[d] = xg_spmd_by_device(s, by);
    }
    for (d = 0; d < p->global->rank; d++) starts[d] = xg_hb_convert(&s->b, starts[d], XLAGPU_S32);
    return xg_hb_dynamic_slice(&s->b, x, starts, sizes);
}

/* Part k of dimension `to` goes to the k-th device of the group; what comes is joined along dimension `from`. */
XG_FN xg_inst *xg_spmd_exchange(xg_spmd *s, xg_spmd_value *p, const xg_reshard_step *step) {
    xg_inst *x = p->local;
    int64_t g = xg_axes_size(&s->mesh, &step->axes), dims[XG_RANK_MAX + 1], perm[XG_RANK_MAX + 1], at = step->to,
            tiles = xg_sharding_tiles(&s->mesh, step->next, step->to),
            part = xg_tile_size(p->global->dims[step->to], tiles), whole;
    uint32_t rank = p->global->rank, d, n;
    if (rank == XG_RANK_MAX) xg_fail(s->m->ctx, XLAGPU_ERROR_LIMIT, "an array of %u dimensions is exchanged", rank);
    x = xg_spmd_pad_dim(s, x, step->to, part * g);
    for (d = n = 0; d < rank; d++) {
        if (d == step->to) dims[n++] = g;
        dims[n++] = d == step->to ? part : x->shape->dims[d];
    }
    x = xg_hb_reshape(&s->b, x, dims, rank + 1);
    x = xg_spmd_collective(s, XG_ALL_TO_ALL, x, dims, &step->axes);
    xg_inst_set_one(x, XG_A_dimensions, at);
    for (d = n = 0; d < rank; d++) { /* the group in front of `from` */
        if (d == step->from) perm[n++] = step->to;
        perm[n++] = d >= step->to ? (int64_t)d + 1 : d;
    }
    x = xg_hb_transpose(&s->b, x, perm);
    for (d = 0; d < rank; d++) dims[d] = d == step->to ? part : p->local->shape->dims[d];
    dims[step->from] *= g;
    x = xg_hb_reshape(&s->b, x, dims, rank);
    whole = xg_tile_size(p->global->dims[step->from], xg_sharding_tiles(&s->mesh, step->next, step->from));
    return xg_hb_slice_dim(&s->b, x, step->from, 0, whole);
}

/* The tile that a device has, all dimensions in one number. */
XG_FN int64_t xg_sharding_place(const xg_spmd_mesh *mesh, const xg_sharding *s, int64_t device) {
    int64_t at = 0;
    uint32_t d;
    for (d = 0; d < s->rank; d++) at = at * xg_sharding_tiles(mesh, s, d) + xg_sharding_tile(mesh, s, d, device);
    for (d = 0; d < mesh->n; d++) /* within a manual region devices have nothing in common */
        if (s->manual >> d & 1) at = at * mesh->size[d] + xg_mesh_digit(mesh, d, device);
    return at;
}
/* A device that has the tile already keeps it; the others take from those that still have to give. */
XG_FN xg_inst *xg_spmd_move(xg_spmd *s, xg_spmd_value *p, const xg_sharding *next) {
    int64_t n = s->mesh.devices, *source = XG_NEW_N(s->arena, int64_t, n), *behind = XG_NEW_N(s->arena, int64_t, n), d;
    bool moved = false;
    xg_map64 first; /* by place: 1 + the first device that has it to give; behind[] is the one after it */
    xg_map64_init(&first, s->arena);
    for (d = n; d-- > 0;) {
        uint64_t place = (uint64_t)xg_sharding_place(&s->mesh, p->s, d) + 1;
        source[d] = (int64_t)place - 1 == xg_sharding_place(&s->mesh, next, d) ? d : -1;
        if (source[d] == d) continue;
        behind[d] = (int64_t)(uintptr_t)xg_map64_get(&first, place);
        xg_map64_put(&first, place, (void *)(uintptr_t)(d + 1));
    }
    for (d = 0; d < n; d++) {
        uint64_t place = (uint64_t)xg_sharding_place(&s->mesh, next, d) + 1;
        if (source[d] == d) continue;
        source[d] = (int64_t)(uintptr_t)xg_map64_get(&first, place) - 1;
        moved = true;
        if (source[d] >= 0 && behind[source[d]]) xg_map64_put(&first, place, (void *)(uintptr_t)behind[source[d]]);
    }
    return moved ? xg_spmd_permute(s, p->local, source) : p->local;
}

XG_FN xg_inst *xg_spmd_gather(xg_spmd *s, xg_spmd_value *p, const xg_reshard_step *step) {
    xg_inst *x = xg_spmd_all_gather(s, p->local, step->from, &step->axes);
    int64_t whole = xg_tile_size(p->global->dims[step->from], xg_sharding_tiles(&s->mesh, step->next, step->from));
    return xg_hb_slice_dim(&s->b, x, step->from, 0, whole);
}

XG_FN xg_inst *xg_spmd_step(xg_spmd *s, xg_spmd_value *p, const xg_reshard_step *step) {
    switch (step->kind) {
    case XG_RESHARD_SLICE: return xg_spmd_slice(s, p, step->next);
    case XG_RESHARD_EXCHANGE: return xg_spmd_exchange(s, p, step);
    case XG_RESHARD_PERMUTE: return xg_spmd_move(s, p, step->next);
    default: return xg_spmd_gather(s, p, step);
    }
}

/* Each sharding that an array was brought into is kept, all of them in a ring: the next one that wants it takes it, and
 * and a new sharding is made from the nearest one. */
XG_FN xg_spmd_value *xg_spmd_reshard(xg_spmd *s, xg_spmd_value *p, const xg_sharding *to) {
    const xg_spmd_value *nearest;
    xg_spmd_value *from, *known;
    xg_reshard_way way;
    if (!xg_shape_is_array(p->global)) return p;
    (void)xg_spmd_value_bytes(s->arena, &s->mesh, p, to, &nearest);
    from = (xg_spmd_value *)(uintptr_t)nearest;
    (void)xg_reshard_least_bytes(s->arena, &s->mesh, p->global, from->s, to, &way);
    for (;;) {
        xg_reshard_step step = xg_reshard_next(s->arena, &s->mesh, p->global, from->s, to, way);
        if (step.kind == XG_RESHARD_DONE) return from;
        for (known = from->other; known && known != from && !xg_sharding_same(known->s, step.next);)
            known = known->other;
        if (!known || known == from) {
            known = xg_spmd_part(s, xg_spmd_step(s, from, &step), p->global, step.next);
            known->other = from->other ? from->other : from;
            from->other = known;
        }
        from = known;
    }
}

#endif /* XG_SPMD_RESHARD_C */
