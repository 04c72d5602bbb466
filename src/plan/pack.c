/* plan/pack.c -- where each buffer lies.
 *
 * A temporary that is needed no more when a result of the program is made may lie in that result's memory, which is the
 * caller's and idle until then (if it is that of a parameter, from its last use until then): in one of the
 * smallest results that have room, or of those that are made soonest after it, or else in the largest ones, which are
 * filled like a block. Two orders are tried with both. The others share one block a memory space: best fit by
 * decreasing size, each at the best gap beside those that live at the same time. Three orders (size, length of life,
 * both multiplied) and two notions of best (the lowest gap, the tightest one) are tried, then what reached highest is
 * placed first, until the block is hardly larger than the largest live set, which is a lower bound.
 *
 * A buffer is aligned to the power of two that is not less than its size, at least 16; a larger one to a sector, and to
 * more only while that wastes at most a sixteenth of it. */
#ifndef XG_PLAN_PACK_C
#define XG_PLAN_PACK_C
#include "plan.h"

enum {
    XG_PACK_ALIGN_MIN = 16,
    XG_PACK_ALIGN_MAX = 256,
    XG_PACK_HOSTS_TRIED = 16,
    XG_PACK_HOSTS_FILLED = 16,
    XG_PACK_GUESTS_MAX = 32,
    XG_PACK_MISSES_MAX = 64,
    XG_PACK_ROUNDS = 4,
    XG_PACK_KEEPS = 1 << 20, /* bytes */
    XG_PACK_SLIGHT = 1024    /* of the lower bound: not worth another try */
};

XG_FN int64_t xg_pack_natural(int64_t bytes) {
    int64_t a = XG_PACK_ALIGN_MIN,
            most = XG_MIN(XG_MAX(bytes / 16, (int64_t)XG_SECTOR_BYTES), (int64_t)XG_PACK_ALIGN_MAX);
    while (a < bytes && 2 * a <= most) a *= 2;
    return a;
}
XG_FN int64_t xg_pack_up(int64_t n, int64_t align) { return (n + align - 1) / align * align; }

/* ---- what is placed already ---- */

/* By time: nodes is a tree over the steps at which buffers begin, by number (node k has children 2k and 2k + 1, the
 * leaf of step t is steps + t), and each buffer stands in the few nodes that make up its life; by_first is all buffers
 * in the order of their first steps, those of step t from start[t] on. So buffers that live together are found without
 * asking the others. ordered: by offset, for values that meet nearly all others. */
typedef XG_VEC(xg_buffer *) xg_buffers;
typedef struct xg_packer {
    xg_arena *arena;
    uint32_t steps, n_steps, *start, n_ordered, n_fresh;
    uint32_t *number; /* by position: of the last step at which one begins */
    xg_buffers *nodes;
    xg_buffer **by_first, **ordered, **fresh, **met; /* fresh: placed, but not in order yet */
} xg_packer;

XG_FN void xg_pack_init(xg_packer *q, xg_arena *a, xg_buffer *const *temps, uint32_t n) {
    uint32_t end = 0, k;
    memset(q, 0, sizeof *q);
    q->arena = a;
    for (k = 0; k < n; k++) end = XG_MAX(end, temps[k]->last + 1);
    q->number = XG_NEW_N(a, uint32_t, (size_t)end + 1);
    for (k = 0; k < n; k++) q->number[temps[k]->first] = 1;
    for (k = 0; k < end; k++) {
        q->n_steps += q->number[k];
        q->number[k] = q->n_steps - 1; /* before the first one nothing is asked */
    }
    for (q->steps = 1; q->steps < q->n_steps; q->steps *= 2) {}
    q->nodes = XG_NEW_N(a, xg_buffers, (size_t)2 * q->steps);
    q->start = XG_NEW_N(a, uint32_t, (size_t)q->n_steps + 2);
    q->by_first = XG_NEW_N(a, xg_buffer *, (size_t)n + 1);
    q->ordered = XG_NEW_N(a, xg_buffer *, (size_t)n + 1);
    q->fresh = XG_NEW_N(a, xg_buffer *, (size_t)n + 1);
    q->met = XG_NEW_N(a, xg_buffer *, (size_t)n + 1);
}
/* None is placed: a try begins, with the same buffers in whatever order. */
XG_FN void xg_pack_begin(xg_packer *q, xg_buffer *const *temps, uint32_t n) {
    uint32_t end = q->n_steps, k;
    for (k = 0; k < n; k++) temps[k]->placed = false;
    for (k = 0; k < 2 * q->steps; k++) q->nodes[k].n = 0;
    q->n_ordered = q->n_fresh = 0;
    memset(q->start, 0, ((size_t)end + 2) * sizeof *q->start);
    for (k = 0; k < n; k++) q->start[q->number[temps[k]->first] + 1]++;
    for (k = 1; k <= end; k++) q->start[k] += q->start[k - 1];
    for (k = 0; k < n; k++) q->by_first[q->start[q->number[temps[k]->first]]++] = temps[k];
    for (k = end; k > 0; k--) q->start[k] = q->start[k - 1];
    q->start[0] = 0;
}

XG_FN int xg_pack_by_offset(const void *a, const void *b) {
    const xg_buffer *x = *(xg_buffer *const *)a, *y = *(xg_buffer *const *)b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

XG_FN void xg_pack_placed(xg_packer *q, xg_buffer *b) {
    uint32_t l = q->number[b->first] + q->steps, r = q->number[b->last] + q->steps + 1;
    b->placed = true;
    for (; l < r; l /= 2, r /= 2) {
        if (l & 1) {
            xg_push(q->arena, xg_buffer *, &q->nodes[l], b);
            l++;
        }
        if (r & 1) {
            r--;
            xg_push(q->arena, xg_buffer *, &q->nodes[r], b);
        }
    }
    q->fresh[q->n_fresh++] = b;
}
/* Sorts those that came since the last time in among the others. */
XG_FN void xg_pack_order(xg_packer *q) {
    uint32_t at, n = q->n_ordered, f = q->n_fresh;
    if (f > 1) qsort(q->fresh, f, sizeof *q->fresh, xg_pack_by_offset);
    for (at = n + f; f; at--)
        q->ordered[at - 1] = n && q->ordered[n - 1]->offset > q->fresh[f - 1]->offset ? q->ordered[--n] : q->fresh[--f];
    q->n_ordered += q->n_fresh;
    q->n_fresh = 0;
}

/* Those placed whose lives meet b's, by offset, in met; their number. */
XG_FN uint32_t xg_pack_meet(xg_packer *q, const xg_buffer *b) {
    uint32_t first = q->number[b->first], k, n = 0, node;
    for (node = first + q->steps; node; node /= 2)
        for (k = 0; k < q->nodes[node].n; k++) q->met[n++] = q->nodes[node].p[k]; /* alive when b begins */
    for (k = q->start[first + 1]; k < q->start[q->number[b->last] + 1]; k++)
        if (q->by_first[k]->placed) q->met[n++] = q->by_first[k]; /* begin later */
    if (n < (q->n_ordered + q->n_fresh) / 16 || n < 2) {
        if (n > 1) qsort(q->met, n, sizeof *q->met, xg_pack_by_offset);
        return n;
    }
    xg_pack_order(q);
    for (k = 0, n = 0; k < q->n_ordered; k++)
        if (q->ordered[k]->first <= b->last && b->first <= q->ordered[k]->last) q->met[n++] = q->ordered[k];
    return n;
}

/* A gap beside those placed: the lowest, or the tightest. What is open upwards is taken only when there is no other. */
XG_FN int64_t xg_pack_gap(xg_packer *q, const xg_buffer *b, bool tight) {
    uint32_t k, n = xg_pack_meet(q, b);
    int64_t at = 0, align = xg_pack_natural(b->bytes), best = -1, waste = INT64_MAX;
    for (k = 0; k < n; k++) {
        int64_t from = xg_pack_up(at, align), left = q->met[k]->offset - from - b->bytes;
        if (left >= 0 && left < waste) {
            best = from;
            waste = left;
            if (!tight) break;
        }
        at = XG_MAX(at, q->met[k]->offset + q->met[k]->bytes);
    }
    return best >= 0 ? best : xg_pack_up(at, align);
}

/* ---- orders ---- */

XG_FN int xg_pack_tie(const xg_buffer *a, const xg_buffer *b) {
    const xg_plan_value *x = a->values.p[0], *y = b->values.p[0];
    if (a->first != b->first) return a->first < b->first ? -1 : 1;
    if (x->leaf != y->leaf) return x->leaf < y->leaf ? -1 : 1;
    if (x->inst->id != y->inst->id) return x->inst->id < y->inst->id ? -1 : 1;
    return x->role < y->role ? -1 : x->role > y->role;
}
XG_FN int xg_pack_by_size(const void *pa, const void *pb) {
    const xg_buffer *a = *(xg_buffer *const *)pa, *b = *(xg_buffer *const *)pb;
    return a->bytes != b->bytes ? (a->bytes > b->bytes ? -1 : 1) : xg_pack_tie(a, b);
}
XG_FN int xg_pack_by_space(const void *pa, const void *pb) {
    const xg_buffer *a = *(xg_buffer *const *)pa, *b = *(xg_buffer *const *)pb;
    return a->space != b->space ? (a->space < b->space ? -1 : 1) : xg_pack_by_size(pa, pb);
}
XG_FN int xg_pack_by_life(const void *pa, const void *pb) {
    const xg_buffer *a = *(xg_buffer *const *)pa, *b = *(xg_buffer *const *)pb;
    uint32_t x = a->last - a->first, y = b->last - b->first;
    return x != y ? (x > y ? -1 : 1) : xg_pack_by_size(pa, pb);
}
XG_FN int xg_pack_by_area(const void *pa, const void *pb) {
    const xg_buffer *a = *(xg_buffer *const *)pa, *b = *(xg_buffer *const *)pb;
    double x = (double)a->bytes * (a->last - a->first + 1.0), y = (double)b->bytes * (b->last - b->first + 1.0);
    return x != y ? (x > y ? -1 : 1) : xg_pack_by_size(pa, pb);
}

/* One try, in the order of the list; the size of the block. */
XG_FN int64_t xg_pack_place(xg_packer *q, xg_buffer **temps, uint32_t n, bool tight) {
    int64_t size = 0;
    uint32_t k;
    xg_pack_begin(q, temps, n);
    for (k = 0; k < n; k++) {
        int64_t end;
        temps[k]->offset = xg_pack_gap(q, temps[k], tight);
        if (!xg_add64(temps[k]->offset, temps[k]->bytes, &end) || end > INT64_MAX / 4)
            xg_fail(q->arena->ctx, XLAGPU_ERROR_LIMIT, "temporary memory overflows 64 bits");
        size = XG_MAX(size, end);
        xg_pack_placed(q, temps[k]);
    }
    return size;
}
/* The most bytes of these that are needed at one time. */
XG_FN int64_t xg_pack_live(xg_plan *p, xg_buffer *const *temps, uint32_t n) {
    xg_mark mark = xg_arena_mark(p->arena);
    int64_t *change = XG_NEW_N(p->arena, int64_t, p->end + (size_t)2), live = 0, most = 0;
    uint32_t k;
    for (k = 0; k < n; k++) {
        change[temps[k]->first] += temps[k]->bytes;
        change[temps[k]->last + 1] -= temps[k]->bytes;
    }
    for (k = 0; k <= p->end; k++) {
        live += change[k];
        most = XG_MAX(most, live);
    }
    xg_arena_reset(p->arena, mark);
    return most;
}

/* One try; a block smaller than all before is kept. */
XG_FN void xg_pack_try(xg_packer *q, xg_plan_space *s, xg_buffer **temps, uint32_t n, bool tight) {
    int64_t size = xg_pack_place(q, temps, n, tight);
    uint32_t k;
    if (size >= s->bytes) return;
    s->bytes = size;
    for (k = 0; k < n; k++) temps[k]->work.best = temps[k]->offset;
}
/* What reaches highest comes first. */
XG_FN void xg_pack_lower(xg_buffer **temps, uint32_t n) {
    xg_buffer *b;
    uint32_t k, top = 0;
    for (k = 1; k < n; k++)
        if (temps[k]->offset + temps[k]->bytes > temps[top]->offset + temps[top]->bytes) top = k;
    b = temps[top];
    memmove(temps + 1, temps, top * sizeof *temps);
    temps[0] = b;
}

XG_FN void xg_pack_space(xg_plan *p, int64_t space, xg_buffer **temps, uint32_t n) {
    XG_TABLE int (*const orders[])(const void *, const void *) = {xg_pack_by_size, xg_pack_by_area, xg_pack_by_life};
    xg_mark mark = xg_arena_mark(p->arena);
    xg_packer q;
    xg_plan_space s;
    int64_t enough;
    uint32_t o, round, k;
    xg_pack_init(&q, p->arena, temps, n);
    s.space = space;
    s.bytes = INT64_MAX;
    s.largest_live = xg_pack_live(p, temps, n);
    enough = s.largest_live + s.largest_live / XG_PACK_SLIGHT;
    for (o = 0; o < XG_COUNT(orders) && s.bytes > enough; o++) {
        xg_sort(temps, n, sizeof *temps, orders[o]);
        xg_pack_try(&q, &s, temps, n, true);
        for (round = 0; round < XG_PACK_ROUNDS && s.bytes > enough; round++) {
            if (round) xg_pack_lower(temps, n);
            xg_pack_try(&q, &s, temps, n, false);
        }
    }
    for (k = 0; k < n; k++) temps[k]->offset = temps[k]->work.best;
    xg_arena_reset(p->arena, mark);
    xg_push(p->arena, xg_plan_space, &p->spaces, s);
    if (space == XG_PLAN_HOST_SPACE) return;
    p->temp_bytes += s.bytes;
    p->largest_live += s.largest_live;
}

/* ---- guests in the memory of results ---- */

typedef struct xg_pack_host {
    xg_buffer *buffer;
    XG_VEC(xg_buffer *) guests;
} xg_pack_host; /* guests by offset */

/* When the result is made, and whether nothing else is in its memory while b lives: before that; in a parameter's
 * memory, after the parameter is read for the last time. */
XG_FN uint32_t xg_pack_made(const xg_buffer *host) {
    return host->kind == XG_EXE_ALLOC_PARAMETER ? host->values.p[1]->first : host->first;
}
XG_FN bool xg_pack_idle(const xg_buffer *host, const xg_buffer *b) {
    return b->space == host->space && b->last < xg_pack_made(host) &&
           (host->kind == XG_EXE_ALLOC_RESULT || b->first > host->values.p[0]->last);
}

XG_FN int xg_pack_smaller_first(const void *pa, const void *pb) {
    const xg_buffer *a = ((const xg_pack_host *)pa)->buffer, *b = ((const xg_pack_host *)pb)->buffer;
    return a->bytes != b->bytes ? (a->bytes < b->bytes ? -1 : 1) : a->index < b->index ? -1 : a->index > b->index;
}

XG_FN int xg_pack_sooner_first(const void *pa, const void *pb) {
    const xg_buffer *a = ((const xg_pack_host *)pa)->buffer, *b = ((const xg_pack_host *)pb)->buffer;
    uint32_t x = xg_pack_made(a), y = xg_pack_made(b);
    return x != y ? (x < y ? -1 : 1) : xg_pack_smaller_first(pa, pb);
}

XG_FN bool xg_pack_invite(xg_plan *p, xg_pack_host *h, xg_buffer *b) {
    int64_t at = 0;
    uint32_t k, place = 0;
    if (h->guests.n >= XG_PACK_GUESTS_MAX || !xg_pack_idle(h->buffer, b)) return false;
    for (k = 0; k < h->guests.n; k++) {
        const xg_buffer *g = h->guests.p[k];
        if (g->first > b->last || b->first > g->last) continue;
        if (g->offset - at >= b->bytes) break;
        at = XG_MAX(at, xg_pack_up(g->offset + g->bytes, XG_PACK_ALIGN_MIN));
    }
    if (at + b->bytes > h->buffer->bytes) return false;
    b->host = h->buffer->slice + 1;
    b->offset = at;
    while (place < h->guests.n && h->guests.p[place]->offset <= at) place++;
    xg_push(p->arena, xg_buffer *, &h->guests, b);
    memmove(h->guests.p + place + 1, h->guests.p + place, (h->guests.n - 1 - place) * sizeof *h->guests.p);
    h->guests.p[place] = b;
    return true;
}

/* A large result filled like a block, beginning with the temporaries that take most of the others: large ones that live
 * long. After some for which there is no room it is full. */
XG_APART XG_FN void xg_pack_fill(xg_plan *p, xg_pack_host *h, xg_buffer *const *temps, uint32_t n) {
    xg_mark mark = xg_arena_mark(p->arena);
    xg_buffer **fit = XG_NEW_N(p->arena, xg_buffer *, (size_t)n + h->guests.n + 1);
    xg_packer q;
    uint32_t m = 0, missed = 0, k;
    for (k = 0; k < h->guests.n; k++) fit[m++] = h->guests.p[k];
    for (k = 0; k < n; k++)
        if (!temps[k]->host && temps[k]->bytes <= h->buffer->bytes && xg_pack_idle(h->buffer, temps[k]))
            fit[m++] = temps[k];
    xg_pack_init(&q, p->arena, fit, m);
    xg_pack_begin(&q, fit, m);
    for (k = 0; k < h->guests.n; k++) xg_pack_placed(&q, h->guests.p[k]);
    xg_sort(fit + h->guests.n, m - h->guests.n, sizeof *fit, xg_pack_by_area);
    for (k = h->guests.n; k < m && missed < XG_PACK_MISSES_MAX; k++) {
        int64_t at = xg_pack_gap(&q, fit[k], false);
        if (at > h->buffer->bytes - fit[k]->bytes) {
            missed++;
            continue;
        }
        fit[k]->host = h->buffer->slice + 1;
        fit[k]->offset = at;
        xg_pack_placed(&q, fit[k]);
    }
    xg_arena_reset(p->arena, mark);
}

/* Too small, or made too soon. */
XG_FN bool xg_pack_below(const xg_buffer *host, const xg_buffer *b, bool by_time) {
    return by_time ? xg_pack_made(host) <= b->last : host->bytes < b->bytes;
}

/* Each with the smallest results that have room, or those that are made soonest; then the largest results, which hold
 * what those could not. */
XG_FN void xg_pack_guests(xg_plan *p, xg_buffer *const *temps, uint32_t n, bool by_time) {
    xg_pack_host *hosts = XG_NEW_N(p->arena, xg_pack_host, p->n_results + (size_t)1);
    uint32_t m = 0, k, j;
    for (k = 0; k < p->n_results; k++)
        if (p->results[k]->bytes) hosts[m++].buffer = p->results[k];
    xg_sort(hosts, m, sizeof *hosts, by_time ? xg_pack_sooner_first : xg_pack_smaller_first);
    for (k = 0; k < n; k++) {
        uint32_t lo = 0, hi = m;
        while (lo < hi) {
            uint32_t mid = (lo + hi) / 2;
            if (xg_pack_below(hosts[mid].buffer, temps[k], by_time))
                lo = mid + 1;
            else
                hi = mid;
        }
        for (j = 0; j < XG_PACK_HOSTS_TRIED && lo + j < m; j++)
            if (xg_pack_invite(p, &hosts[lo + j], temps[k])) break;
    }
    if (by_time) xg_sort(hosts, m, sizeof *hosts, xg_pack_smaller_first);
    for (j = 0; j < XG_PACK_HOSTS_FILLED && j < m; j++) xg_pack_fill(p, &hosts[m - 1 - j], temps, n);
}

/* ---- all ---- */

/* The buffers that are left, in the order of their first values, with their lives. */
XG_FN void xg_pack_collect(xg_plan *p) {
    uint32_t k, j;
    p->buffers.p = (xg_buffer **)xg_alloc_raw(p->arena, p->values.n * sizeof *p->buffers.p);
    p->buffers.cap = p->values.n;
    for (k = 0; k < p->values.n; k++) {
        xg_buffer *b = xg_plan_value_at(p, k)->buffer;
        if (b->slice) continue;
        if (b->bytes > INT64_MAX / 4)
            xg_fail(p->arena->ctx, XLAGPU_ERROR_LIMIT, "%s: a buffer overflows 64 bits", b->values.p[0]->inst->name.p);
        b->slice = p->buffers.n + 1;
        b->first = b->values.p[0]->first;
        for (j = 0; j < b->values.n; j++) b->last = XG_MAX(b->last, b->values.p[j]->last);
        xg_push(p->arena, xg_buffer *, &p->buffers, b);
    }
    for (k = 0; k < p->buffers.n; k++) p->buffers.p[k]->slice--;
}

/* For whom room in results is sought first: by size, or those that live longest while nearly the most is needed, by
 * their bytes. */
XG_FN int xg_pack_by_need(const void *pa, const void *pb) {
    const xg_buffer *a = *(xg_buffer *const *)pa, *b = *(xg_buffer *const *)pb;
    return a->work.need != b->work.need ? (a->work.need > b->work.need ? -1 : 1) : xg_pack_by_size(pa, pb);
}
XG_FN void xg_pack_needs(xg_plan *p, xg_buffer *const *temps, uint32_t n) {
    xg_mark mark = xg_arena_mark(p->arena);
    int64_t *change = XG_NEW_N(p->arena, int64_t, p->end + (size_t)2), live = 0, most = xg_pack_live(p, temps, n);
    /* before each, those at which more than 3/4 of the most is needed */
    uint32_t *steps = XG_NEW_N(p->arena, uint32_t, p->end + (size_t)2), k;
    for (k = 0; k < n; k++) {
        change[temps[k]->first] += temps[k]->bytes;
        change[temps[k]->last + 1] -= temps[k]->bytes;
    }
    for (k = 0; k <= p->end; k++) {
        live += change[k];
        steps[k + 1] = steps[k] + (live > most - most / 4);
    }
    for (k = 0; k < n; k++)
        temps[k]->work.need = (double)temps[k]->bytes * (steps[temps[k]->last + 1] - steps[temps[k]->first]);
    xg_arena_reset(p->arena, mark);
}

/* Those without a place in a result go to `left`; the most bytes of these that are needed at one time. */
typedef struct xg_pack_way {
    int (*order)(const void *, const void *);
    bool by_time;
} xg_pack_way;
XG_FN int64_t xg_pack_seat(
    xg_plan *p, xg_buffer **temps, uint32_t n, const xg_pack_way *way, xg_buffer **left, uint32_t *n_left) {
    uint32_t k;
    for (k = 0; k < n; k++) temps[k]->host = 0;
    xg_sort(temps, n, sizeof *temps, way->order);
    xg_pack_guests(p, temps, n, way->by_time);
    for (k = 0, *n_left = 0; k < n; k++)
        if (!temps[k]->host) left[(*n_left)++] = temps[k];
    return xg_pack_live(p, left, *n_left);
}

XG_FN void xg_plan_pack(xg_plan *p) {
    XG_TABLE const xg_pack_way ways[] = {
        {xg_pack_by_size, false}, {xg_pack_by_need, false}, {xg_pack_by_size, true}, {xg_pack_by_need, true}};
    xg_buffer **temps, **left;
    int64_t least = INT64_MAX;
    uint32_t n = 0, m = 1, best = 0, last = 0, k, end;
    xg_pack_collect(p);
    temps = XG_NEW_N(p->arena, xg_buffer *, (size_t)p->buffers.n + 1);
    left = XG_NEW_N(p->arena, xg_buffer *, (size_t)p->buffers.n + 1);
    for (k = 0; k < p->buffers.n; k++)
        if (p->buffers.p[k]->kind == XG_EXE_ALLOC_TEMP && p->buffers.p[k]->bytes) temps[n++] = p->buffers.p[k];
    if (!n) return;
    xg_pack_needs(p, temps, n);
    for (k = 0; k < XG_COUNT(ways) && m && (!k || m < n); k++) { /* until no other is left, or none fits anywhere */
        int64_t live = xg_pack_seat(p, temps, n, &ways[last = k], left, &m);
        if (live < least) {
            least = live;
            best = k;
        }
    }
    if (best != last) (void)xg_pack_seat(p, temps, n, &ways[best], left, &m);
    xg_sort(left, m, sizeof *left, xg_pack_by_space);
    for (k = 0; k < m; k = end) {
        for (end = k; end < m && left[end]->space == left[k]->space; end++) {}
        xg_pack_space(p, left[k]->space, left + k, end - k);
    }
}

XG_FN xg_plan *xg_plan_buffers(xg_arena *a, xg_module *m) {
    xg_plan *p = xg_plan_values(a, m);
    xg_plan_alias(p);
    xg_plan_copies(p);
    xg_plan_pack(p);
    xg_arena_trim(a, XG_PACK_KEEPS); /* what packing took serves steps and executable */
    return p;
}

#endif /* XG_PLAN_PACK_C */
