/* plan/listing.c -- the thunks of an executable as text, from its bytes alone, and back to records.
 *
 *     ThunkSequence name, sm_90a, root 4                  ", devices 1 x 8": replicas and partitions, where there are
 *                                                         several
 *     allocation 0: parameter 0, 4000 bytes               result, temp with ", offset 0" and perhaps ", host", constant
 *         and counters with ", offset 0"
 *     kernel 0: loop_add_fusion, grid 8 1 1, block 128 1 1, shared 0
 *     thunk 0: kernel add, flops 1000, bytes 8000, run 0 (0[0+4000], 1[0+4000]*)      allocation[offset+bytes]; * is
 *         written
 *     thunk 1: memset z, value 0 (1[0+4000])
 *     thunk 2: for loop, value 10 {0, 1}                   the thunks below it
 *     thunk 3: custom-call c, target "f", config "{n = 1 : i64}", attributes {n = 1 : i64} (0[0+4000] f32[1000]{0})
 *
 * What is read back has everything but the data, the PTX and the shapes of parameters and results. */
#ifndef XG_PLAN_LISTING_C
#define XG_PLAN_LISTING_C
#include "plan.h"
#include "bytes.c"
#include "text.c"

typedef struct xg_listing {
    const unsigned char *bytes;
    xg_exe_section s[XG_EXE_SECTION_COUNT];
} xg_listing;

XG_ONE_COPY XG_FN const void *xg_listing_at(const xg_listing *l, xg_exe_section_kind kind) {
    return l->bytes + l->s[kind].offset;
}
XG_FN const char *xg_listing_string(const xg_listing *l, uint32_t at) {
    return at < l->s[XG_EXE_STRINGS].bytes ? (const char *)xg_listing_at(l, XG_EXE_STRINGS) + at : "?";
}

/* How many links of a thunk are slices; they come first. */
XG_FN uint32_t xg_listing_slices(uint32_t kind, uint32_t n_links) {
    const xg_exe_thunk_row *row = xg_exe_thunk_row_of(kind);
    return row->runs ? XG_MIN(n_links, (uint32_t)row->slices) : n_links;
}

/* What a call is given in a slice: " f32[2,3]{1,0}". */
XG_APART XG_FN void xg_listing_array(xg_buf *b, const xg_listing *l, uint32_t number) {
    const xg_exe_value *v = (const xg_exe_value *)xg_listing_at(l, XG_EXE_VALUES) + number;
    const int64_t *dims = (const int64_t *)xg_listing_at(l, XG_EXE_DIMS) + v->first_dim;
    uint32_t k;
    xg_printf(b, " %s[", xg_type_name((xlagpu_type)v->type));
    for (k = 0; k < v->rank; k++) xg_printf(b, k ? ",%lld" : "%lld", (long long)dims[k]);
    xg_puts(b, "]{");
    for (k = 0; k < v->rank; k++) xg_printf(b, k ? ",%lld" : "%lld", (long long)dims[v->rank + k]);
    xg_putc(b, '}');
}

XG_APART XG_FN void xg_listing_thunk(xg_buf *b, const xg_listing *l, uint32_t number) {
    const xg_exe_thunk *t = (const xg_exe_thunk *)xg_listing_at(l, XG_EXE_THUNKS) + number;
    const uint32_t *links = (const uint32_t *)xg_listing_at(l, XG_EXE_LINKS) + t->first_link;
    const xg_exe_slice *slices = (const xg_exe_slice *)xg_listing_at(l, XG_EXE_SLICES);
    uint32_t k, n = xg_listing_slices(t->kind, t->n_links), value = xg_exe_thunk_row_of(t->kind)->value;
    xg_printf(b, "thunk %u: %s %s", number, xg_exe_thunk_name(t->kind), xg_listing_string(l, t->name));
    if (t->flops || t->bytes)
        xg_printf(b, ", flops %llu, bytes %llu", (unsigned long long)t->flops, (unsigned long long)t->bytes);
    if (t->kind == XG_EXE_THUNK_KERNEL) xg_printf(b, ", run %u", t->kernel);
    if (value == XG_EXE_VALUE_NUMBER) xg_printf(b, ", value %u", t->value);
    if (t->kind == XG_EXE_THUNK_CUSTOM_CALL || t->kind == XG_EXE_THUNK_LIBRARY_CALL) {
        xg_puts(b, ", target ");
        xg_put_quoted(b, xg_str_z(xg_listing_string(l, t->kernel)));
    }
    if (value == XG_EXE_VALUE_TEXT && *xg_listing_string(l, t->value)) {
        xg_puts(b, ", config ");
        xg_put_quoted(b, xg_str_z(xg_listing_string(l, t->value)));
    }
    if (t->n_attributes) {
        xg_attributes_of in;
        in.records = (const xg_exe_attribute *)xg_listing_at(l, XG_EXE_ATTRIBUTES);
        in.strings = (const char *)xg_listing_at(l, XG_EXE_STRINGS);
        in.data = (const unsigned char *)xg_listing_at(l, XG_EXE_DATA);
        xg_puts(b, ", attributes ");
        xg_attributes_print(b, &in, t->first_attribute, t->n_attributes);
    }
    for (k = 0; k < t->n_links; k++) {
        const xg_exe_slice *s;
        xg_puts(b, k == 0 && n ? " (" : k == n ? " {" : ", ");
        if (k < n) {
            s = &slices[links[k] & ~XG_EXE_WRITTEN];
            xg_printf(b, "%u[%llu+%llu]%s", s->allocation, (unsigned long long)s->offset, (unsigned long long)s->bytes,
                links[k] & XG_EXE_WRITTEN ? "*" : "");
            if (xg_exe_thunk_row_of(t->kind)->flags & XG_EXE_CALLS) xg_listing_array(b, l, t->first_value + k);
        } else
            xg_printf(b, "%u", links[k]);
        if (k + 1 == n) xg_putc(b, ')');
    }
    if (t->n_links > n) xg_putc(b, '}');
    xg_putc(b, '\n');
}

XG_FN void xg_listing_map(xg_buf *b, const xg_exe_map *m) {
    uint32_t k;
    xg_printf(b, "map of kernel %u: buffer %u, type %u, swizzle %u", m->kernel, m->link, m->type, m->swizzle);
    for (k = 0; k < m->rank && k < XG_COUNT(m->dims); k++)
        xg_printf(b, ", %llu box %u stride %llu", (unsigned long long)m->dims[k], m->box[k],
            (unsigned long long)(k ? m->strides[k - 1] : 0));
    xg_putc(b, '\n');
}
XG_FN void xg_listing_print(xg_buf *b, xg_str exe) {
    xg_listing l;
    xg_exe_header h;
    uint32_t k;
    const char *wrong = xg_exe_check((const unsigned char *)exe.p, exe.n, &h, l.s);
    if (wrong) xg_fail(b->arena->ctx, XLAGPU_ERROR_CORRUPT, "the executable cannot be listed: %s", wrong);
    l.bytes = (const unsigned char *)exe.p;
    xg_printf(b, "ThunkSequence %s, %s, root %u", xg_listing_string(&l, h.name), xg_listing_string(&l, h.target_name),
        h.root_thunk);
    if (h.replicas * (uint64_t)h.partitions > 1) xg_printf(b, ", devices %u x %u", h.replicas, h.partitions);
    xg_putc(b, '\n');
    for (k = 0; k < l.s[XG_EXE_ALLOCATIONS].count; k++) {
        const xg_exe_allocation *a = (const xg_exe_allocation *)xg_listing_at(&l, XG_EXE_ALLOCATIONS) + k;
        xg_printf(b, "allocation %u: %s %u, %llu bytes", k, xg_exe_allocation_name(a->kind), a->index,
            (unsigned long long)a->bytes);
        if (xg_exe_is_temporary(a->kind) || a->kind == XG_EXE_ALLOC_CONSTANT)
            xg_printf(b, ", offset %llu", (unsigned long long)(xg_exe_is_temporary(a->kind) ? a->offset : a->data));
        xg_puts(b, a->host ? ", host\n" : "\n");
    }
    for (k = 0; k < l.s[XG_EXE_KERNELS].count; k++) {
        const xg_exe_kernel *q = (const xg_exe_kernel *)xg_listing_at(&l, XG_EXE_KERNELS) + k;
        xg_printf(b, "kernel %u: %s, grid %u %u %u, block %u %u %u, shared %u\n", k, xg_listing_string(&l, q->name),
            q->blocks[0], q->blocks[1], q->blocks[2], q->threads[0], q->threads[1], q->threads[2], q->shared_bytes);
    }
    for (k = 0; k < l.s[XG_EXE_MAPS].count; k++)
        xg_listing_map(b, (const xg_exe_map *)xg_listing_at(&l, XG_EXE_MAPS) + k);
    for (k = 0; k < l.s[XG_EXE_THUNKS].count; k++) xg_listing_thunk(b, &l, k);
}

/* ---- back ---- */

XG_FN uint32_t xg_listing_u32(xg_ptext *t) { return xg_ptext_index(t, (int64_t)UINT32_MAX + 1, "32 bits"); }
XG_FN void xg_listing_number(xg_ptext *t, uint32_t want) {
    if (xg_listing_u32(t) != want) xg_ptext_fail(t, "the next number");
    xg_ptext_want(t, ":");
}
/* A quoted text: of the escapes, those that the printer writes. */
XG_FN uint32_t xg_listing_quoted(xg_ptext *t, xg_exe_writer *w) {
    xg_buf b;
    xg_buf_init(&b, w->arena);
    xg_ptext_want(t, "\"");
    for (; t->at < t->end && t->src->text[t->at] != '"'; t->at++) {
        char c = t->src->text[t->at];
        if (c == '\\' && t->at + 1 < t->end) {
            c = t->src->text[++t->at];
            c = c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
        }
        xg_putc(&b, c);
    }
    xg_ptext_want(t, "\"");
    return xg_exe_string(w, xg_str_of(b.p, b.n));
}
XG_FN void xg_listing_read_allocation(xg_ptext *t, xg_exe_writer *w) {
    xg_exe_allocation a;
    xg_str word;
    uint64_t at;
    memset(&a, 0, sizeof a);
    xg_listing_number(t, (uint32_t)(w->sections[XG_EXE_ALLOCATIONS].n / sizeof a));
    word = xg_ptext_name(t);
    while (a.kind < XG_EXE_ALLOC_COUNT && !xg_str_is(word, xg_exe_allocation_name(a.kind))) a.kind++;
    if (a.kind == XG_EXE_ALLOC_COUNT) xg_ptext_fail(t, "a kind of allocation");
    a.index = xg_listing_u32(t);
    xg_ptext_want(t, ",");
    a.bytes = (uint64_t)xg_ptext_number(t);
    xg_ptext_want(t, "bytes");
    if (xg_ptext_take(t, ", offset")) {
        at = (uint64_t)xg_ptext_number(t);
        if (xg_exe_is_temporary(a.kind))
            a.offset = at;
        else
            a.data = at;
    }
    a.host = xg_ptext_take(t, ", host");
    xg_exe_put(w, XG_EXE_ALLOCATIONS, &a, sizeof a);
}
XG_FN void xg_listing_read_kernel(xg_ptext *t, xg_exe_writer *w) {
    xg_exe_kernel q;
    uint32_t k;
    memset(&q, 0, sizeof q);
    xg_listing_number(t, (uint32_t)(w->sections[XG_EXE_KERNELS].n / sizeof q));
    q.name = xg_exe_string(w, xg_ptext_name(t));
    xg_ptext_want(t, ", grid");
    for (k = 0; k < 3; k++) q.blocks[k] = xg_listing_u32(t);
    xg_ptext_want(t, ", block");
    for (k = 0; k < 3; k++) q.threads[k] = xg_listing_u32(t);
    xg_ptext_want(t, ", shared");
    q.shared_bytes = xg_listing_u32(t);
    xg_exe_put(w, XG_EXE_KERNELS, &q, sizeof q);
}
XG_FN void xg_listing_read_map(xg_ptext *t, xg_exe_writer *w) {
    xg_exe_map m;
    uint64_t stride;
    memset(&m, 0, sizeof m);
    m.kernel = xg_listing_u32(t);
    xg_ptext_want(t, ": buffer");
    m.link = xg_listing_u32(t);
    xg_ptext_want(t, ", type");
    m.type = xg_listing_u32(t);
    xg_ptext_want(t, ", swizzle");
    m.swizzle = xg_listing_u32(t);
    for (; m.rank < XG_COUNT(m.dims) && xg_ptext_take(t, ","); m.rank++) {
        m.dims[m.rank] = (uint64_t)xg_ptext_number(t);
        xg_ptext_want(t, "box");
        m.box[m.rank] = xg_listing_u32(t);
        xg_ptext_want(t, "stride");
        stride = (uint64_t)xg_ptext_number(t);
        if (m.rank) m.strides[m.rank - 1] = stride;
    }
    xg_exe_put(w, XG_EXE_MAPS, &m, sizeof m);
}
XG_FN uint32_t xg_listing_read_slice(xg_ptext *t, xg_exe_writer *w) {
    xg_exe_slice s;
    uint32_t link;
    memset(&s, 0, sizeof s);
    s.allocation = xg_listing_u32(t);
    xg_ptext_want(t, "[");
    s.offset = (uint64_t)xg_ptext_number(t);
    xg_ptext_want(t, "+");
    s.bytes = (uint64_t)xg_ptext_number(t);
    xg_ptext_want(t, "]");
    link = xg_exe_put(w, XG_EXE_SLICES, &s, sizeof s);
    return xg_ptext_take(t, "*") ? link | XG_EXE_WRITTEN : link;
}
XG_FN void xg_listing_read_attributes(xg_ptext *t, xg_exe_writer *w, xg_exe_thunk *to) {
    uint32_t end;
    const char *wrong;
    xg_ptext_blank(t);
    wrong = xg_attributes_read(w, xg_str_of(t->src->text + t->at, t->end - t->at), &end, to);
    t->at += end;
    if (wrong) xg_ptext_fail(t, wrong);
}
/* The array of a slice that a call is given. */
XG_FN void xg_listing_read_array(xg_ptext *t, xg_exe_writer *w) {
    int64_t dims[XG_RANK_MAX], order[XG_RANK_MAX];
    xg_exe_value v;
    size_t from;
    uint32_t k;
    memset(&v, 0, sizeof v);
    xg_ptext_blank(t);
    for (from = t->at; t->at < t->end && t->src->text[t->at] != '['; t->at++) {}
    v.type = (uint32_t)xg_type_find(xg_str_of(t->src->text + from, t->at - from));
    if (v.type == XLAGPU_INVALID) xg_ptext_fail(t, "a type");
    xg_ptext_want(t, "[");
    while (!xg_ptext_take(t, "]")) {
        if (v.rank == XG_RANK_MAX) xg_ptext_fail(t, "']'");
        if (v.rank) xg_ptext_want(t, ",");
        dims[v.rank++] = xg_ptext_number(t);
    }
    xg_ptext_want(t, "{");
    for (k = 0; k < v.rank; k++) {
        if (k) xg_ptext_want(t, ",");
        order[k] = xg_ptext_index(t, v.rank, "a dimension");
    }
    xg_ptext_want(t, "}");
    v.name = xg_exe_string(w, xg_str_z(""));
    v.first_dim = (uint32_t)(w->sections[XG_EXE_DIMS].n / sizeof *dims);
    for (k = 0; k < v.rank; k++) xg_exe_put(w, XG_EXE_DIMS, &dims[k], sizeof *dims);
    for (k = 0; k < v.rank; k++) xg_exe_put(w, XG_EXE_DIMS, &order[k], sizeof *order);
    xg_exe_put(w, XG_EXE_VALUES, &v, sizeof v);
}
XG_FN void xg_listing_read_thunk(xg_ptext *t, xg_exe_writer *w) {
    xg_exe_thunk r;
    XG_VEC(uint32_t) links = {NULL, 0, 0};
    uint32_t k;
    memset(&r, 0, sizeof r);
    xg_listing_number(t, (uint32_t)(w->sections[XG_EXE_THUNKS].n / sizeof r));
    r.kind = xg_ptext_kind(t);
    r.name = xg_exe_string(w, xg_ptext_name(t));
    if (xg_ptext_take(t, ", flops")) {
        r.flops = (uint64_t)xg_ptext_number(t);
        xg_ptext_want(t, ", bytes");
        r.bytes = (uint64_t)xg_ptext_number(t);
    }
    if (xg_ptext_take(t, ", run")) r.kernel = xg_listing_u32(t);
    if (xg_ptext_take(t, ", value")) r.value = xg_listing_u32(t);
    if (xg_exe_thunk_row_of(r.kind)->value == XG_EXE_VALUE_TEXT) r.value = xg_exe_string(w, xg_str_z(""));
    if (xg_ptext_take(t, ", target")) r.kernel = xg_listing_quoted(t, w);
    if (xg_ptext_take(t, ", config")) r.value = xg_listing_quoted(t, w);
    if (xg_ptext_take(t, ", attributes")) xg_listing_read_attributes(t, w, &r);
    r.first_value = (uint32_t)(w->sections[XG_EXE_VALUES].n / sizeof(xg_exe_value));
    if (xg_ptext_take(t, "(")) {
        do {
            xg_push(w->arena, uint32_t, &links, xg_listing_read_slice(t, w));
            if (xg_exe_thunk_row_of(r.kind)->flags & XG_EXE_CALLS) xg_listing_read_array(t, w);
        } while (xg_ptext_take(t, ","));
        xg_ptext_want(t, ")");
    }
    if (xg_ptext_take(t, "{")) {
        do xg_push(w->arena, uint32_t, &links, xg_listing_u32(t));
        while (xg_ptext_take(t, ","));
        xg_ptext_want(t, "}");
    }
    r.first_link = (uint32_t)(w->sections[XG_EXE_LINKS].n / sizeof(uint32_t));
    r.n_links = links.n;
    for (k = 0; k < links.n; k++) xg_exe_put(w, XG_EXE_LINKS, &links.p[k], sizeof(uint32_t));
    xg_exe_put(w, XG_EXE_THUNKS, &r, sizeof r);
}

XG_FN xg_str xg_listing_parse(xg_ctx *c, xg_arena *a, const xg_source *src) {
    xg_ptext t;
    xg_exe_writer *w = xg_exe_writer_new(a);
    xg_exe_header h = xg_exe_head();
    (void)c;
    memset(&t, 0, sizeof t);
    t.src = src;
    t.end = src->size;
    t.p = XG_NEW(a, xg_plan);
    t.p->arena = a;
    xg_ptext_want(&t, "ThunkSequence");
    h.name = xg_exe_string(w, xg_ptext_name(&t));
    xg_ptext_want(&t, ",");
    h.target_name = xg_exe_string(w, xg_ptext_name(&t));
    xg_ptext_want(&t, ", root");
    h.root_thunk = xg_listing_u32(&t);
    if (xg_ptext_take(&t, ", devices")) {
        h.replicas = xg_listing_u32(&t);
        xg_ptext_want(&t, "x");
        h.partitions = xg_listing_u32(&t);
    }
    while (xg_ptext_take(&t, "allocation ")) xg_listing_read_allocation(&t, w);
    while (xg_ptext_take(&t, "kernel ")) xg_listing_read_kernel(&t, w);
    while (xg_ptext_take(&t, "map of kernel ")) xg_listing_read_map(&t, w);
    while (xg_ptext_take(&t, "thunk ")) xg_listing_read_thunk(&t, w);
    xg_ptext_blank(&t);
    if (t.at < t.end) xg_ptext_fail(&t, "a thunk, or the end");
    return xg_exe_assemble(w, &h, w->arena);
}

#endif /* XG_PLAN_LISTING_C */
