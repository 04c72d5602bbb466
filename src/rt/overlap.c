/* rt/overlap.c -- sorting without memory, and whether the buffers of a run lie over each other.
 *
 * Law: a result may share bytes with nothing but the parameter whose memory it takes, and with that one only from the
 * same address on. Parameters may share what they like: they are read. */
#ifndef XG_RT_OVERLAP_C
#define XG_RT_OVERLAP_C
#include "rt.h"

/* ---- heap sort: no memory, and never more than n log n steps ---- */

XG_FN void xr_swap(char *a, char *b, size_t bytes) {
    size_t k;
    for (k = 0; k < bytes; k++) {
        char t = a[k];
        a[k] = b[k];
        b[k] = t;
    }
}
XG_FN void xr_sift(char *list, size_t at, size_t n, size_t bytes, xr_less less, const void *user) {
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= n) return;
        if (child + 1 < n && less(user, list + child * bytes, list + (child + 1) * bytes)) child++;
        if (!less(user, list + at * bytes, list + child * bytes)) return;
        xr_swap(list + at * bytes, list + child * bytes, bytes);
        at = child;
    }
}
XG_FN void xr_sort(void *list, size_t n, size_t bytes, xr_less less, const void *user) {
    char *l = (char *)list;
    size_t k;
    for (k = n / 2; k-- > 0;) xr_sift(l, k, n, bytes, less, user);
    for (k = n; k-- > 1;) {
        xr_swap(l, l + k * bytes, bytes);
        xr_sift(l, 0, k, bytes, less, user);
    }
}

/* ---- buffers ---- */

/* Those that begin at the same address: parameters first, so that a result meets the one that it shares with. */
XG_FN bool xr_extent_less(const void *user, const void *a, const void *b) {
    const xr_extent *x = (const xr_extent *)a, *y = (const xr_extent *)b;
    (void)user;
    return x->from != y->from ? x->from < y->from : x->value < y->value;
}

/* Of the extents met so far the two that reach furthest; value UINT32_MAX: none. */
typedef struct xr_reach {
    uint64_t to[2];
    uint32_t value[2];
} xr_reach;
XG_FN void xr_reach_add(xr_reach *r, const xr_extent *x) {
    uint32_t place = x->to > r->to[0] ? 0 : 1;
    if (x->to <= r->to[1]) return;
    r->to[1] = place ? x->to : r->to[0];
    r->value[1] = place ? x->value : r->value[0];
    if (place) return;
    r->to[0] = x->to;
    r->value[0] = x->value;
}
/* One that reaches behind `from` and is not `but`. */
XG_FN uint32_t xr_reach_over(const xr_reach *r, uint64_t from, uint32_t but) {
    uint32_t k = r->value[0] == but;
    return r->to[k] > from ? r->value[k] : UINT32_MAX;
}

XG_FN const char *xr_value_kind(const xlagpu_program *p, uint32_t *value) {
    if (*value < p->head.n_params) return "parameter";
    *value -= p->head.n_params;
    return "result";
}
XG_FN XG_COLD xlagpu_status xr_overlap_fail(xlagpu_execution *e, uint32_t a, uint32_t b) {
    const char *first = xr_value_kind(e->program, &a), *second = xr_value_kind(e->program, &b);
    return xr_fail(&e->c, XLAGPU_ERROR_USAGE,
        "the buffers of %s %u and %s %u overlap: a result needs memory of its own, or all that of a parameter that the "
        "module gives it",
        first, a, second, b);
}

/* Of the addresses in e->bound, parameters first. */
XG_FN xlagpu_status xr_overlap_check(xlagpu_execution *e) {
    const xlagpu_program *p = e->program;
    uint32_t all = p->head.n_params + p->head.n_results, n = 0, k, other;
    xr_reach params = {{0, 0}, {UINT32_MAX, UINT32_MAX}}, results = {{0, 0}, {UINT32_MAX, UINT32_MAX}};
    for (k = 0; k < all; k++) {
        if (!p->values[k].bytes) continue;
        e->extents[n].from = e->bound[k];
        e->extents[n].to = e->bound[k] + p->values[k].bytes;
        e->extents[n++].value = k;
    }
    xr_sort(e->extents, n, sizeof *e->extents, xr_extent_less, NULL);
    for (k = 0; k < n; k++) {
        const xr_extent *x = &e->extents[k];
        bool result = x->value >= p->head.n_params;
        uint32_t shares = result ? p->values[x->value].alias & ~XG_EXE_MUST_ALIAS : 0;
        uint32_t but = shares && e->bound[shares - 1] == x->from ? shares - 1 : UINT32_MAX - 1;
        other = xr_reach_over(&results, x->from, UINT32_MAX - 1);
        if (other == UINT32_MAX && result) other = xr_reach_over(&params, x->from, but);
        if (other != UINT32_MAX) return xr_overlap_fail(e, other, x->value);
        xr_reach_add(result ? &results : &params, x);
    }
    return XLAGPU_OK;
}

#endif /* XG_RT_OVERLAP_C */
