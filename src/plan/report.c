/* plan/report.c -- the buffer assignment as text, in the form of XLA's dump: allocations with the values in them,
 * totals, the live ranges and the peak. */
#ifndef XG_PLAN_REPORT_C
#define XG_PLAN_REPORT_C
#include "plan.h"

XG_FN const char *xg_exe_allocation_name(uint32_t kind) {
    XG_TABLE const char names[][10] = {
#define X(name, text) text,
        XG_EXE_ALLOCATIONS_KINDS(X)
#undef X
    };
    return kind < XG_COUNT(names) ? names[kind] : "?";
}

XG_FN void xg_report_buffer(xg_buf *b, const xg_buffer *s) {
    uint32_t k;
    for (k = 0; k < s->values.n; k++) {
        const xg_plan_value *v = s->values.p[k];
        xg_puts(b, " value: <");
        xg_report_value_name(b, v);
        xg_printf(
            b, "> (size=%lld,offset=%lld,live=%u-%u): ", (long long)s->bytes, (long long)s->offset, v->first, v->last);
        xg_shape_print(b, v->shape, true);
        xg_putc(b, '\n');
    }
}
/* The buffers that lie in the memory of another, in order. */
typedef struct xg_report_guest {
    const xg_buffer *buffer;
    const struct xg_report_guest *next;
} xg_report_guest;
XG_FN xg_map64 xg_report_guests(const xg_plan *p) {
    xg_map64 guests;
    uint32_t k;
    xg_map64_init(&guests, p->arena);
    for (k = p->buffers.n; k-- > 0;)
        if (p->buffers.p[k]->host) {
            uint64_t key = p->buffers.p[k]->host;
            xg_report_guest *g = XG_NEW(p->arena, xg_report_guest);
            g->buffer = p->buffers.p[k];
            g->next = (const xg_report_guest *)xg_map64_get(&guests, key);
            xg_map64_put(&guests, key, g);
        }
    return guests;
}
XG_FN void xg_report_allocation(xg_buf *b, const xg_map64 *guests, const xg_buffer *s, uint32_t number) {
    const xg_report_guest *g =
        s->kind == XG_EXE_ALLOC_RESULT ? (const xg_report_guest *)xg_map64_get(guests, s->slice + (uint64_t)1) : NULL;
    xg_printf(b, "allocation %u: size %lld, ", number, (long long)s->bytes);
    if (s->kind == XG_EXE_ALLOC_CONSTANT || s->kind == XG_EXE_ALLOC_COUNTERS)
        xg_puts(b, xg_exe_allocation_name(s->kind));
    if (s->kind == XG_EXE_ALLOC_PARAMETER)
        xg_printf(b, "parameter %u%s", s->index, s->donated ? ", maybe-live-out, output" : "");
    if (s->kind == XG_EXE_ALLOC_PARAMETER && s->donated) xg_printf(b, " %u", s->donated - 1);
    if (s->kind == XG_EXE_ALLOC_RESULT) xg_printf(b, "maybe-live-out, output %u", s->index);
    xg_puts(b, ":\n");
    xg_report_buffer(b, s);
    for (; g; g = g->next) xg_report_buffer(b, g->buffer);
}

/* What is live when most of the temporary memory of the device is. */
XG_FN void xg_report_peak(xg_buf *b, const xg_plan *p) {
    int64_t *change = XG_NEW_N(p->arena, int64_t, p->end + (size_t)2), live = 0, most = 0;
    uint32_t k, at = 0;
    for (k = 0; k < p->buffers.n; k++) {
        const xg_buffer *s = p->buffers.p[k];
        if (s->kind != XG_EXE_ALLOC_TEMP || s->host || s->space == XG_PLAN_HOST_SPACE || !s->bytes) continue;
        change[s->first] += s->bytes;
        change[s->last + 1] -= s->bytes;
    }
    for (k = 0; k <= p->end; k++) {
        live += change[k];
        if (live > most) {
            most = live;
            at = k;
        }
    }
    if (!most) return;
    xg_printf(b, "Live ranges at %u (peak):\n", at);
    for (k = 0; k < p->buffers.n; k++) {
        const xg_buffer *s = p->buffers.p[k];
        if (s->kind != XG_EXE_ALLOC_TEMP || s->host || s->space == XG_PLAN_HOST_SPACE || s->first > at ||
            s->last < at || !s->bytes)
            continue;
        xg_puts(b, "  ");
        xg_report_value_name(b, s->values.p[0]);
        xg_printf(b, ": %lld bytes\n", (long long)s->bytes);
    }
}

XG_APART XG_FN void xg_plan_print_buffers(xg_buf *b, const xg_plan *p) {
    int64_t total = p->temp_bytes;
    xg_map64 guests = xg_report_guests(p);
    uint32_t k, j, number = 0;
    xg_puts(b, "BufferAssignment:\n");
    for (k = 0; k < p->buffers.n; k++) {
        const xg_buffer *s = p->buffers.p[k];
        if (s->kind == XG_EXE_ALLOC_TEMP) continue;
        total += s->bytes;
        xg_report_allocation(b, &guests, s, number++);
    }
    for (j = 0; j < p->spaces.n; j++) {
        xg_printf(b, "allocation %u: size %lld, ", number++, (long long)p->spaces.p[j].bytes);
        if (p->spaces.p[j].space) xg_printf(b, "color %lld, ", (long long)p->spaces.p[j].space);
        xg_puts(b, "preallocated-temp:\n");
        for (k = 0; k < p->buffers.n; k++) {
            const xg_buffer *s = p->buffers.p[k];
            if (s->kind == XG_EXE_ALLOC_TEMP && !s->host && s->space == p->spaces.p[j].space && s->bytes)
                xg_report_buffer(b, s);
        }
    }
    xg_printf(b, "\nTotal bytes used: %lld\nTemporary bytes: %lld; the largest live set has %lld\n\n", (long long)total,
        (long long)p->temp_bytes, (long long)p->largest_live);
    xg_report_peak(b, p);
    xg_copies_print(b, p);
}

#endif /* XG_PLAN_REPORT_C */
