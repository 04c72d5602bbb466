/* emit/reduction.c -- the reduction emitter: chooses between walks by rows, columns and pairs, and how many threads. */
#ifndef XG_EMIT_REDUCTION_C
#define XG_EMIT_REDUCTION_C
#include "emit.h"
#include "reduction_column.c"
#include "reduction_pairs.c"
#include "reduction_short.c"

typedef struct xg_reduction_kernel {
    xg_reduction r;
    uint32_t walk;
    int64_t parts;       /* blocks of a cluster; 0: there is none */
    xg_short_plan brief; /* one of the four */
    xg_row_plan row;
    xg_column_plan column;
    xg_pairs_plan pairs;
} xg_reduction_kernel;

enum {
    XG_REDUCTION_SHORT,
    XG_REDUCTION_ROW,
    XG_REDUCTION_SERIAL, /* then those of columns, in the order of XG_COLUMN_... */
    XG_REDUCTION_PAIRS = XG_REDUCTION_SERIAL + XG_COLUMN_SHIFTED + 1,
    XG_REDUCTION_WALKS
};
XG_TABLE const char xg_reduction_walks[] = "short\0row\0column\0column-tile\0column-linear\0column-shifted\0pairs\0";
XG_TABLE const xg_form_field xg_short_form[] = {
    {"vector", offsetof(xg_short_plan, vector)},
    {"fold", offsetof(xg_short_plan, fold)},
    {"rows", offsetof(xg_short_plan, rows)},
    {"lanes", offsetof(xg_short_plan, lanes)},
};
XG_TABLE const xg_form_field xg_row_form_fields[] = {
    {"vector", offsetof(xg_row_plan, vector)},
    {"lanes", offsetof(xg_row_plan, lanes)},
    {"rows", offsetof(xg_row_plan, rows)},
    {"unit", offsetof(xg_row_plan, unit)},
    {"pieces", offsetof(xg_row_plan, pieces)},
    {"beside", offsetof(xg_row_plan, beside)},
    {"own", offsetof(xg_row_plan, own)},
};
XG_TABLE const xg_form_field xg_column_form[] = {
    {"vector", offsetof(xg_column_plan, vector)},
    {"depth", offsetof(xg_column_plan, depth)},
    {"width", offsetof(xg_column_plan, width)},
    {"parts", offsetof(xg_column_plan, parts)},
};
XG_TABLE const xg_form_field xg_pairs_form[] = {
    {"high", offsetof(xg_pairs_plan, high)},
    {"wide", offsetof(xg_pairs_plan, wide)},
    {"lanes", offsetof(xg_pairs_plan, lanes)},
    {"steps", offsetof(xg_pairs_plan, steps)},
};

/* What walks of no pairs do. */
XG_FN uint32_t xg_reduction_usual(xg_reduction_kernel *w, bool any, uint32_t walk) {
    if (any || walk == XG_REDUCTION_SHORT) w->brief = xg_short_plan_of(&w->r);
    if (w->brief.vector) return XG_REDUCTION_SHORT;
    if (w->r.row) {
        w->row = xg_row_plan_of(&w->r);
        return XG_REDUCTION_ROW;
    }
    w->column = xg_column_plan_of(&w->r);
    return XG_REDUCTION_SERIAL + (uint32_t)w->column.way;
}
/* By itself, if no walk is ordered: which, and its form; else what the order may leave open. */
XG_FN uint32_t xg_reduction_decide(xg_reduction_kernel *w, uint32_t walk) {
    bool any = walk == XG_REDUCTION_WALKS;
    uint32_t usual = xg_reduction_usual(w, any, walk), other = usual;
    if (!any) return usual;
    if (w->r.in->elements >= XG_PAIRS_LEAST && xg_pairs_plan_of(&w->r, &w->pairs))
        usual = XG_REDUCTION_PAIRS;
    else if (usual == XG_REDUCTION_SHORT && !w->r.row && w->r.n_reduced * w->r.minor * w->r.bytes <= XG_LINE_BYTES)
        /* by shared memory, or each thread by itself, who finds in the first cache what its neighbours have read */
        other = XG_REDUCTION_SERIAL + (uint32_t)xg_column_plan_of(&w->r).way;
    else
        return usual;
    xg_form_leave_open(w->r.e, xg_text_nth(xg_reduction_walks, usual));
    xg_form_leave_open(w->r.e, xg_text_nth(xg_reduction_walks, other));
    return usual;
}
/* By an order, which may leave numbers open; NULL, or why not. */
XG_FN const char *xg_reduction_obey(xg_reduction_kernel *w, uint32_t walk) {
    xg_fusion_emission *e = w->r.e;
    switch (walk) {
    case XG_REDUCTION_SHORT:
        xg_form_read(e, xg_short_form, XG_COUNT(xg_short_form), &w->brief);
        return xg_short_complete(&w->r, &w->brief);
    case XG_REDUCTION_ROW:
        /* decided for other ways of the lanes */
        if (xg_record_get(&e->given->form, "lanes")) w->row.beside = w->row.own = 0;
        if (xg_record_get(&e->given->form, "unit") || xg_record_get(&e->given->form, "pieces")) w->row.own = 0;
        xg_form_read(e, xg_row_form_fields, XG_COUNT(xg_row_form_fields), &w->row);
        return w->r.row ? xg_row_complete(&w->r, &w->row) : "it does not reduce the innermost dimension";
    case XG_REDUCTION_PAIRS:
        if (!w->pairs.high && !xg_pairs_plan_of(&w->r, &w->pairs)) return "no operand is the same for several results";
        xg_form_read(e, xg_pairs_form, XG_COUNT(xg_pairs_form), &w->pairs);
        return xg_pairs_complete(&w->r, &w->pairs);
    default:
        xg_form_read(e, xg_column_form, XG_COUNT(xg_column_form), &w->column);
        w->column.way = (int)(walk - XG_REDUCTION_SERIAL);
        return w->r.row ? "it reduces the innermost dimension" : xg_column_complete(&w->r, &w->column);
    }
}
XG_APART XG_FN void xg_reduction_write(xg_reduction_kernel *w, uint32_t walk) {
    xg_fusion_emission *e = w->r.e;
    xg_reduction *r = &w->r;
    xg_form_write_walk(e, xg_text_nth(xg_reduction_walks, walk));
    w->walk = walk;
    switch (walk) {
    case XG_REDUCTION_SHORT:
        xg_form_write(e, xg_short_form, XG_COUNT(xg_short_form), &w->brief);
        r->threads = XG_LAUNCH_THREADS;
        r->blocks = (r->n_kept + w->brief.rows - 1) / w->brief.rows;
        e->record->launch.shared = xg_short_shared_bytes(r, &w->brief);
        break;
    case XG_REDUCTION_ROW:
        xg_form_write(e, xg_row_form_fields, XG_COUNT(xg_row_form_fields), &w->row);
        r->threads = w->row.lanes * w->row.rows;
        r->blocks = (r->n_kept / xg_row_own(&w->row) + w->row.rows - 1) / w->row.rows;
        e->record->launch.shared = xg_row_shared_bytes(r, &w->row);
        break;
    case XG_REDUCTION_PAIRS:
        xg_form_write(e, xg_pairs_form, XG_COUNT(xg_pairs_form), &w->pairs);
        r->threads = w->pairs.threads;
        r->blocks = w->pairs.blocks;
        break;
    default:
        xg_form_write(e, xg_column_form, XG_COUNT(xg_column_form), &w->column);
        r->threads = w->column.threads;
        r->blocks = w->column.blocks;
        e->record->launch.shared = xg_column_shared_bytes(r, &w->column);
        if (w->column.parts > 1) w->parts = w->column.parts;
        break;
    }
}
XG_FN bool xg_emit_reduction_plan(xg_fusion_emission *e) {
    xg_reduction_kernel *w = XG_NEW(e->arena, xg_reduction_kernel);
    xg_reduction *r = &w->r;
    uint32_t walk = xg_form_walk(e, xg_reduction_walks, XG_REDUCTION_WALKS);
    const char *why = NULL;
    e->form = w;
    if (!xg_reduction_of(r, e) || r->n_reduced <= 1 || !(r->row || xg_column_takes(r))) return false;
    if (!xg_form_is_whole(e) || walk == XG_REDUCTION_WALKS) {
        uint32_t own = xg_reduction_decide(w, walk);
        if (walk == XG_REDUCTION_WALKS) walk = own;
    }
    if (e->given) why = xg_reduction_obey(w, walk);
    if (why) return xg_emit_refuse(e, why);
    xg_reduction_write(w, walk);
    if (r->blocks > INT32_MAX)
        xg_hlo_fail(e->fusion, XLAGPU_ERROR_LIMIT, NULL,
            "a reduction to %lld elements needs %lld blocks; the limit is 2147483647", (long long)r->n_kept,
            (long long)r->blocks);
    return xg_emit_launch(e, r->threads, r->blocks, w->parts);
}

XG_FN void xg_emit_reduction(xg_fusion_emission *e) {
    xg_reduction_kernel *w = (xg_reduction_kernel *)e->form;
    xg_reduction *r = &w->r;
    xg_partial p;
    uint32_t own = w->walk == XG_REDUCTION_ROW ? (uint32_t)xg_row_own(&w->row) : 1, k;
    p = xg_partial_enter(e, r, own * r->n_values);
    for (k = 0; w->walk <= XG_REDUCTION_ROW && k < own; k++) xg_reduction_start(r, p.acc + k * r->n_values);
    if (w->walk == XG_REDUCTION_PAIRS)
        xg_pairs_emit(r, &w->pairs, &p);
    else if (w->walk == XG_REDUCTION_SHORT)
        xg_short_emit(r, &w->brief, &p);
    else if (w->walk == XG_REDUCTION_ROW)
        xg_row_emit(r, &w->row, &p);
    else
        xg_column_emit(r, &w->column, &p);
    xg_kreturn(&r->s.b, p.dest, e->n_roots);
}

#endif /* XG_EMIT_REDUCTION_C */
