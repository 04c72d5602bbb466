/* rt/cusolver.c -- factorisations by cuSOLVER: a handle for each call, since a handle has one stream and one user.
 *
 * Each has a function that says how much memory it works in, cusolverDn<letter>NAME_bufferSize, and one for each
 * matrix, which is in place. Matrices lie column by column, but for potrf, for which a row-major matrix is the other
 * triangle of its conjugate. */
#ifndef XG_RT_CUSOLVER_C
#define XG_RT_CUSOLVER_C
#include "library.h"

typedef enum xr_routine {
#define X(name) XR_ROUTINE_##name,
    XG_EXE_SOLVERS(X)
#undef X
    XR_ROUTINE_COUNT
} xr_routine;
/* Signatures of the pairs, the same for all four types; matrices as void *. */
typedef int (*xr_potrf_size)(void *, int, int, void *, int, int *);
typedef int (*xr_potrf)(void *, int, int, void *, int, void *, int, int *);
typedef int (*xr_factor_size)(void *, int, int, void *, int, int *); /* getrf, geqrf */
typedef int (*xr_getrf)(void *, int, int, void *, int, void *, int *, int *);
typedef int (*xr_geqrf)(void *, int, int, void *, int, void *, void *, int, int *);
typedef int (*xr_orgqr_size)(void *, int, int, int, void *, int, void *, int *);
typedef int (*xr_orgqr)(void *, int, int, int, void *, int, void *, void *, int, int *);
typedef int (*xr_syevd_size)(void *, int, int, int, void *, int, void *, int *);
typedef int (*xr_syevd)(void *, int, int, int, void *, int, void *, void *, int, int *);
typedef int (*xr_gesvd_size)(void *, int, int, int *);
typedef int (*xr_gesvd)(void *, signed char, signed char, int, int, void *, int, void *, void *, int, void *, int,
    void *, int, void *, int *);
typedef void (*xr_any_function)(void);

/* item: bytes of an element; part[k]: bytes of buffer k for each matrix. */
typedef struct xr_solver_state {
    void *handle;
    xr_any_function size, run;
    xr_routine routine;
    char symbol[48];
    int rows, columns, count, lead, reflectors, words, item, upper, u_columns;
    bool vectors;
    size_t part[6];
} xr_solver_state;
enum {
    XR_SOLVER_ALIGN = 256, /* behind the work lies where info goes that nothing reads, then a gesvd's real numbers */
    XR_SOLVER_VECTORS = 1,
    XR_SOLVER_NO_VECTORS = 0
};

/* ---- what is called ---- */

XG_FN XG_COLD int xr_solver_routine(const char *target) { /* -1: none */
#define X(name) #name
    static const char names[] = XG_EXE_SOLVERS(X);
#undef X
    const char *name = target + strlen(XG_EXE_SOLVER_TARGET);
    int k = strlen(name) == 5 ? XR_ROUTINE_COUNT : 0;
    while (k-- > 0 && memcmp(names + 5 * k, name, 5) != 0) {}
    return k;
}
XG_FN XG_COLD bool xr_solver_flag(const xlagpu_rt_call *c, const char *name) {
    const xlagpu_rt_attribute *a = xlagpu_rt_attribute_of(c, name, XLAGPU_ATTRIBUTE_SCALAR, XLAGPU_PRED);
    return a && *(const char *)a->data;
}
/* The matrix's sizes as the library sees it; false: it has none. *by_columns: how it lies. */
XG_FN XG_COLD bool xr_solver_matrix(xr_solver_state *s, const xlagpu_rt_value *a, bool *by_columns) {
    int64_t count = 1;
    uint32_t k, rank = a->rank;
    if (rank < 2) return false;
    for (k = 0; k < rank; k++)
        if (a->dims[k] < 1 || a->dims[k] > INT32_MAX) return false;
    for (k = 0; k + 2 < rank; k++) {
        count *= a->dims[k];
        if (count > INT32_MAX || a->minor_to_major[2 + k] != (int64_t)rank - 3 - k) return false;
    }
    *by_columns = a->minor_to_major[0] == (int64_t)rank - 2;
    s->rows = (int)a->dims[rank - (*by_columns ? 2 : 1)];
    s->columns = (int)a->dims[rank - (*by_columns ? 1 : 2)];
    s->count = (int)count;
    return true;
}
XG_FN XG_COLD bool xr_solver_read(xr_solver_state *s, const xlagpu_rt_call *c) {
    static const uint8_t operands[] = {1, 1, 1, 2, 1, 1}, results[] = {2, 3, 2, 1, 3, 5};
    const xlagpu_rt_value *a = c->arrays;
    const char *name = c->target + strlen(XG_EXE_SOLVER_TARGET);
    bool by_columns, is_complex, wide;
    char letter;
    uint32_t k;
    s->routine = (xr_routine)xr_solver_routine(c->target);
    if (c->n_operands != operands[s->routine] || c->n_results != results[s->routine] ||
        !xr_solver_matrix(s, a, &by_columns) || a[c->n_operands].alias != 1)
        return false;
    is_complex = a->type == XLAGPU_C64 || a->type == XLAGPU_C128;
    wide = a->type == XLAGPU_F64 || a->type == XLAGPU_C128;
    letter = is_complex ? wide ? 'Z' : 'C' : wide ? 'D' : 'S';
    if (letter == 'S' && a->type != XLAGPU_F32) return false;
    s->item = (wide ? 8 : 4) << is_complex;
    s->lead = s->rows;
    for (k = 0; k < c->n_operands + c->n_results; k++) {
        s->part[k] = c->buffers[k].bytes / (size_t)s->count;
        if (c->buffers[k].bytes % (size_t)s->count) return false;
    }
    s->upper = xr_solver_flag(c, "lower") != by_columns;
    s->vectors = xr_solver_flag(c, "compute_uv");
    if (s->routine != XR_ROUTINE_potrf && s->routine != XR_ROUTINE_gesvd && !by_columns) return false;
    xg_format(s->symbol, sizeof s->symbol, "cusolverDn%c%.5s", letter,
        !is_complex                      ? name
        : s->routine == XR_ROUTINE_orgqr ? "ungqr"
        : s->routine == XR_ROUTINE_syevd ? "heevd"
                                         : name);
    return true;
}
/* Results are as large as the library makes them. */
XG_FN XG_COLD bool xr_solver_fits(xr_solver_state *s, const xlagpu_rt_call *c) {
    size_t least = (size_t)(s->rows < s->columns ? s->rows : s->columns), item = (size_t)s->item;
    size_t real = item >> (c->arrays->type == XLAGPU_C64 || c->arrays->type == XLAGPU_C128), rows = (size_t)s->rows;
    bool square = s->rows == s->columns;
    const size_t *p = s->part + c->n_operands;
    if (s->routine == XR_ROUTINE_orgqr) {
        s->reflectors = (int)(s->part[1] / item);
        return s->rows >= s->columns && s->part[1] <= least * item;
    }
    if (s->routine == XR_ROUTINE_geqrf) return p[1] == least * item;
    if (p[c->n_results - 1] != sizeof(int32_t)) return false;
    if (s->routine == XR_ROUTINE_potrf) return square;
    if (s->routine == XR_ROUTINE_getrf) return p[1] == least * sizeof(int32_t);
    if (p[1] != least * real) return false;
    if (s->routine == XR_ROUTINE_syevd) return square;
    s->u_columns = (int)(xr_solver_flag(c, "full_matrices") ? rows : least);
    return s->rows >= s->columns &&
           (!s->vectors || (p[2] == rows * (size_t)s->u_columns * item && p[3] == least * least * item));
}
XG_FN XG_COLD xr_any_function xr_solver_find(xlagpu_device *d, const char *symbol) {
    void *p = xr_library_symbol(d->libraries->files[XG_EXE_LIBRARY_CUSOLVER], symbol);
    xr_any_function f;
    memcpy(&f, &p, sizeof f);
    return f;
}
XG_FN XG_COLD int xr_solver_size(xr_solver_state *s) {
    int rows = s->rows, columns = s->columns, *words = &s->words;
    switch (s->routine) {
    case XR_ROUTINE_potrf: return ((xr_potrf_size)s->size)(s->handle, s->upper, rows, NULL, s->lead, words);
    case XR_ROUTINE_orgqr:
        return ((xr_orgqr_size)s->size)(s->handle, rows, columns, s->reflectors, NULL, s->lead, NULL, words);
    case XR_ROUTINE_syevd:
        return ((xr_syevd_size)s->size)(s->handle, XR_SOLVER_VECTORS, s->upper, rows, NULL, s->lead, NULL, words);
    case XR_ROUTINE_gesvd: return ((xr_gesvd_size)s->size)(s->handle, rows, columns, words);
    default: return ((xr_factor_size)s->size)(s->handle, rows, columns, NULL, s->lead, words);
    }
}

/* ---- a call ---- */

XG_FN XG_COLD void xr_solver_finish(void *user, const xlagpu_rt_call *c) {
    xlagpu_device *d = (xlagpu_device *)user;
    xr_solver_state *s = (xr_solver_state *)c->state;
    if (s->handle) d->libraries->solver.destroy(s->handle);
    xg_mem_free(&d->c, s);
}
XG_FN XG_COLD xlagpu_status xr_solver_failed(const xlagpu_rt_call *c, const char *what, int error) {
    return xr_library_failed(c, "cuSOLVER", what, error, XR_SOLVER_NO_MEMORY, XR_SOLVER_NOT_SUPPORTED);
}
XG_FN XG_COLD xlagpu_status xr_solver_open(xlagpu_device *d, xr_solver_state *s, xlagpu_rt_call *c) {
    char symbol[64];
    const char *what = NULL;
    int e = 0;
    xg_format(symbol, sizeof symbol, "%s_bufferSize", s->symbol);
    s->size = xr_solver_find(d, symbol);
    s->run = xr_solver_find(d, s->symbol);
    if (!s->size || !s->run) {
        xg_format(c->error, c->error_bytes, "cuSOLVER has no %s: it is too old", s->size ? s->symbol : symbol);
        return XLAGPU_ERROR_UNSUPPORTED;
    }
    XR_DO(d->libraries->solver.create(&s->handle), "cusolverDnCreate");
    XR_DO(xr_solver_size(s), symbol);
    if (!e && s->words < 0) e = XR_SOLVER_NOT_SUPPORTED;
    if (e) return xr_solver_failed(c, what ? what : symbol, e);
    c->scratch.bytes = ((size_t)s->words * (size_t)s->item + XR_SOLVER_ALIGN - 1) / XR_SOLVER_ALIGN * XR_SOLVER_ALIGN +
                       XR_SOLVER_ALIGN + (size_t)(s->columns) * 8;
    return XLAGPU_OK;
}
XG_FN XG_COLD xlagpu_status xr_solver_prepare(void *user, xlagpu_rt_call *c) {
    xlagpu_device *d = (xlagpu_device *)user;
    xr_solver_state *s = (xr_solver_state *)xg_mem_alloc(&d->c, sizeof *s);
    xlagpu_status status;
    if (!s) return XLAGPU_ERROR_MEMORY;
    memset(s, 0, sizeof *s);
    c->state = s;
    status = xr_solver_read(s, c) && xr_solver_fits(s, c) ? xr_solver_open(d, s, c) : xr_library_damaged(c);
    if (status != XLAGPU_OK) xr_solver_finish(user, c);
    return status;
}
XG_FN int xr_solver_run(const xr_solver_state *s, const xlagpu_rt_call *c, int k) {
    char *p[7], *work = (char *)(uintptr_t)c->scratch.address,
                *spare = work + c->scratch.bytes - (size_t)s->columns * 8;
    int *info = (int *)(void *)(spare - XR_SOLVER_ALIGN), rows = s->rows, columns = s->columns, lead = s->lead;
    char job = s->vectors ? s->u_columns > columns ? 'A' : 'S' : 'N';
    uint32_t b, n = c->n_operands + c->n_results;
    for (b = 0; b < n; b++) p[b] = (char *)xr_library_pointer(c, b) + s->part[b] * (size_t)k;
    if (s->routine != XR_ROUTINE_geqrf && s->routine != XR_ROUTINE_orgqr) info = (int *)(void *)p[n - 1];
    switch (s->routine) {
    case XR_ROUTINE_potrf: return ((xr_potrf)s->run)(s->handle, s->upper, rows, p[0], lead, work, s->words, info);
    case XR_ROUTINE_getrf:
        return ((xr_getrf)s->run)(s->handle, rows, columns, p[0], lead, work, (int *)(void *)p[2], info);
    case XR_ROUTINE_geqrf: return ((xr_geqrf)s->run)(s->handle, rows, columns, p[0], lead, p[2], work, s->words, info);
    case XR_ROUTINE_orgqr:
        return ((xr_orgqr)s->run)(s->handle, rows, columns, s->reflectors, p[0], lead, p[1], work, s->words, info);
    case XR_ROUTINE_syevd:
        return ((xr_syevd)s->run)(s->handle, XR_SOLVER_VECTORS, s->upper, rows, p[0], lead, p[2], work, s->words, info);
    default:
        return ((xr_gesvd)s->run)(s->handle, (signed char)job, (signed char)job, rows, columns, p[0], lead, p[2], p[3],
            rows, p[4], columns, work, s->words, spare, info);
    }
}
XG_FN xlagpu_status xr_solver_call(void *user, const xlagpu_rt_call *c) {
    const xr_solver_state *s = (const xr_solver_state *)c->state;
    const char *what = NULL;
    int e = 0, k;
    XR_DO(((xlagpu_device *)user)->libraries->solver.stream(s->handle, c->stream), "cusolverDnSetStream");
    for (k = 0; k < s->count && !e; k++) XR_DO(xr_solver_run(s, c, k), s->symbol);
    return e ? xr_solver_failed(c, what, e) : XLAGPU_OK;
}

#endif /* XG_RT_CUSOLVER_C */
