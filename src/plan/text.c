/* plan/text.c -- the planned module as text: operations on slices of memory, and the HLO that they compute. What is
 * printed is read back to the same plan, and compiled on from there.
 *
 *     PlannedModule name
 *     temp 8192 bytes, largest live 8000          one line a memory space; ", color 5" where it is not 0
 *     size parameter 1 dimension 0                a leaf that says how much there is of a bounded dimension of the
 *                                                 array in front of it; the same of results
 *     parts parameter 0 8,4,1,0,0,1,4,0           of which part of a whole array it is: the sizes of the whole, then
 *                                                 for each device 1 (it has a part) or 0, and where that begins
 *     b0 = parameter 0, 4000 bytes                a slice of memory: parameter N, result N, constant INST of COMP, temp
 *     b1 = parameter 1, 4000 bytes, output 2      a parameter whose memory is that of a result, too
 *     b2 = temp, 4000 bytes, offset 4096
 *     b3 = temp, 40 bytes, offset 0, in b7        in the memory of a result
 *     b4 = counters, 64 bytes                     of one step, which has them behind its results
 *     main {                                      the steps of a computation
 *       kernel add(b0, b1) -> (b2)
 *       copy t(b2) -> (b7)
 *       memset z() -> (b2), value=0
 *       collective sum(b2) -> (b3)                what is done, and by which devices, is the HLO instruction's
 *       while w(b9), condition, body              the computations are those of the HLO instruction
 *     }
 *     HloModule ...                               scheduled, as the steps are
 */
#ifndef XG_PLAN_TEXT_C
#define XG_PLAN_TEXT_C
#include "../choice/choice.h"
#include "plan.h"

static const char xg_plan_text_head[] = "PlannedModule ";
static const char xg_plan_text_hlo[] = "\nHloModule ";

/* ---- out ---- */

XG_APART XG_FN void xg_ptext_buffer(xg_buf *b, const xg_buffer *s) {
    xg_printf(b, "b%u = ", s->slice);
    if (s->kind == XG_EXE_ALLOC_CONSTANT)
        xg_printf(b, "constant %s of %s", s->values.p[0]->inst->name.p, s->values.p[0]->inst->comp->name.p);
    else if (xg_exe_is_temporary(s->kind))
        xg_puts(b, xg_exe_allocation_name(s->kind));
    else
        xg_printf(b, "%s %u", xg_exe_allocation_name(s->kind), s->index);
    xg_printf(b, ", %lld bytes", (long long)s->bytes);
    if (s->kind == XG_EXE_ALLOC_TEMP) xg_printf(b, ", offset %lld", (long long)s->offset);
    if (s->kind == XG_EXE_ALLOC_TEMP && s->space) xg_printf(b, ", color %lld", (long long)s->space);
    if (s->host) xg_printf(b, ", in b%u", s->host - 1);
    if (s->donated) xg_printf(b, ", output %u", s->donated - 1);
    xg_putc(b, '\n');
}

XG_FN void xg_ptext_slices(xg_buf *b, const uint32_t *links, uint32_t n) {
    uint32_t k;
    xg_putc(b, '(');
    for (k = 0; k < n; k++) xg_printf(b, "%sb%u", k ? ", " : "", links[k]);
    xg_putc(b, ')');
}
/* How many slices a kind that has a number of its own writes. */
XG_FN uint32_t xg_ptext_writes(const xg_exe_thunk_row *row) {
    return row->writes == XG_EXE_WRITES_ALL ? row->slices : row->writes == XG_EXE_WRITES_LAST;
}
/* How many of a step's links are read. */
XG_FN uint32_t xg_ptext_reads(const xg_plan_step *s) {
    const xg_exe_thunk_row *row = xg_exe_thunk_row_of(s->kind);
    return s->n_links - (row->slices == XG_EXE_MANY ? s->n_written : xg_ptext_writes(row));
}
XG_APART XG_FN void xg_ptext_step(xg_buf *b, const xg_plan *p, const xg_plan_step *s) {
    uint32_t reads = xg_ptext_reads(s), k;
    xg_printf(b, "  %s %s", xg_exe_thunk_name(s->kind), s->inst->name.p);
    xg_ptext_slices(b, s->links, reads);
    if (s->n_links > reads) {
        xg_puts(b, " -> ");
        xg_ptext_slices(b, s->links + reads, s->n_links - reads);
    }
    if (s->kind == XG_EXE_THUNK_MEMSET) xg_printf(b, ", value=%u", s->value);
    if (s->kind == XG_EXE_THUNK_FOR) xg_printf(b, ", count=%u", s->value);
    for (k = 0; k < s->n_children; k++) xg_printf(b, ", %s", p->sequences.p[s->children[k]]->comp->name.p);
    xg_putc(b, '\n');
}

XG_FN void xg_ptext_sizes_of(xg_buf *b, const uint32_t *sizes, uint32_t n, const char *what) {
    uint32_t k;
    for (k = 0; sizes && k < n; k++)
        if (sizes[k]) xg_printf(b, "size %s %u dimension %u\n", what, k, sizes[k] - 1);
}

XG_FN void xg_ptext_parts_of(xg_buf *b, const xg_ints *const *parts, uint32_t n, const char *what) {
    uint32_t k, j;
    for (k = 0; parts && k < n; k++) {
        if (!parts[k]) continue;
        xg_printf(b, "parts %s %u", what, k);
        for (j = 0; j < parts[k]->n; j++) xg_printf(b, "%s%lld", j ? "," : " ", (long long)parts[k]->p[j]);
        xg_putc(b, '\n');
    }
}

XG_APART XG_FN void xg_plan_print(xg_buf *b, const xg_plan *p) {
    uint32_t k, j;
    xg_printf(b, "%s%s\n", xg_plan_text_head, p->m->name.p);
    for (k = 0; k < p->spaces.n; k++) {
        xg_printf(b, "temp %lld bytes, largest live %lld", (long long)p->spaces.p[k].bytes,
            (long long)p->spaces.p[k].largest_live);
        if (p->spaces.p[k].space) xg_printf(b, ", color %lld", (long long)p->spaces.p[k].space);
        xg_putc(b, '\n');
    }
    xg_ptext_sizes_of(b, p->m->param_sizes, p->n_params, "parameter");
    xg_ptext_sizes_of(b, p->m->result_sizes, p->n_results, "result");
    xg_ptext_parts_of(b, p->m->param_parts, p->n_params, "parameter");
    xg_ptext_parts_of(b, p->m->result_parts, p->n_results, "result");
    for (k = 0; k < p->buffers.n; k++) xg_ptext_buffer(b, p->buffers.p[k]);
    for (k = 0; k < p->sequences.n; k++) {
        const xg_plan_sequence *q = p->sequences.p[k];
        xg_printf(b, "%s {\n", q->comp->name.p);
        for (j = 0; j < q->steps.n; j++) xg_ptext_step(b, p, &p->steps.p[q->steps.p[j]]);
        xg_puts(b, "}\n");
    }
    xg_putc(b, '\n');
    xg_hlo_print(b, p->m, NULL);
}

/* ---- in ---- */

/* in a slice that may stand below; where that is said */
typedef struct xg_ptext_guest {
    xg_buffer *buffer;
    size_t at;
} xg_ptext_guest;
/* sequences: computation name -> its sequence's number + 1 */
typedef struct xg_ptext {
    xg_plan *p;
    const xg_source *src;
    size_t at, end;
    xg_dict sequences;
    XG_VEC(xg_ptext_guest) guests;
} xg_ptext;

XG_NORETURN XG_FN void xg_ptext_fail(xg_ptext *t, const char *what) {
    xg_fail_at(t->p->arena->ctx, XLAGPU_ERROR_SYNTAX, t->src, t->at, NULL, "%s is expected here", what);
}
XG_FN void xg_ptext_blank(xg_ptext *t) {
    while (t->at < t->end && (t->src->text[t->at] == ' ' || t->src->text[t->at] == '\n')) t->at++;
}
XG_FN bool xg_ptext_take(xg_ptext *t, const char *word) {
    size_t n = strlen(word);
    xg_ptext_blank(t);
    if (t->end - t->at < n || memcmp(t->src->text + t->at, word, n) != 0) return false;
    t->at += n;
    return true;
}
/* the word with a digit behind it; a computation may have the word's name */
XG_FN bool xg_ptext_numbered(xg_ptext *t, const char *word) {
    size_t at = t->at;
    if (xg_ptext_take(t, word) && t->at < t->end && t->src->text[t->at] >= '0' && t->src->text[t->at] <= '9')
        return true;
    t->at = at;
    return false;
}
XG_FN void xg_ptext_want(xg_ptext *t, const char *word) {
    if (!xg_ptext_take(t, word)) xg_ptext_fail(t, word);
}
XG_FN int64_t xg_ptext_number(xg_ptext *t) {
    int64_t n = 0;
    size_t from;
    xg_ptext_blank(t);
    for (from = t->at; t->at < t->end && t->src->text[t->at] >= '0' && t->src->text[t->at] <= '9' && t->at - from < 18;
         t->at++)
        n = 10 * n + (t->src->text[t->at] - '0');
    if (from == t->at) xg_ptext_fail(t, "a number");
    return n;
}
XG_FN uint32_t xg_ptext_index(xg_ptext *t, int64_t bound, const char *what) {
    size_t at = t->at;
    int64_t n = xg_ptext_number(t);
    if (n >= bound) {
        t->at = at;
        xg_ptext_fail(t, what);
    }
    return (uint32_t)n;
}
XG_FN xg_str xg_ptext_name(xg_ptext *t) {
    size_t from;
    xg_ptext_blank(t);
    for (from = t->at; t->at < t->end && !strchr(" ,(){}\n", t->src->text[t->at]); t->at++) {}
    if (from == t->at) xg_ptext_fail(t, "a name");
    return xg_str_of(t->src->text + from, t->at - from);
}
XG_FN const xg_comp *xg_ptext_comp(xg_ptext *t) {
    size_t at = t->at;
    const xg_comp *c = (const xg_comp *)xg_dict_get(&t->p->m->comp_names, xg_ptext_name(t));
    if (!c) {
        t->at = at;
        xg_ptext_fail(t, "a computation of the HLO below");
    }
    return c;
}
XG_FN const xg_inst *xg_ptext_inst_of(xg_ptext *t, const xg_comp *c, xg_str name) {
    const xg_inst *i = (const xg_inst *)xg_dict_get(&c->names, name);
    if (!i) xg_ptext_fail(t, "an instruction of this computation of the HLO below");
    return i;
}
XG_FN uint32_t xg_ptext_slice(xg_ptext *t) {
    xg_ptext_want(t, "b");
    return xg_ptext_index(t, t->p->buffers.n, "the number of a slice above");
}

XG_FN void xg_ptext_read_temp(xg_ptext *t) {
    xg_plan_space s;
    memset(&s, 0, sizeof s);
    s.bytes = xg_ptext_number(t);
    xg_ptext_want(t, "bytes, largest live");
    s.largest_live = xg_ptext_number(t);
    if (xg_ptext_take(t, ", color")) s.space = xg_ptext_number(t);
    if (s.bytes > INT64_MAX / 4 - t->p->temp_bytes || s.largest_live > INT64_MAX / 4 - t->p->largest_live ||
        (t->p->spaces.n && t->p->spaces.p[t->p->spaces.n - 1].space >= s.space))
        xg_ptext_fail(t, "a greater color, and sizes that make less than 2^61,");
    xg_push(t->p->arena, xg_plan_space, &t->p->spaces, s);
    if (s.space != XG_PLAN_HOST_SPACE) {
        t->p->temp_bytes += s.bytes;
        t->p->largest_live += s.largest_live;
    }
}

/* What is said of a leaf twice holds as it was said last. */
XG_FN void xg_ptext_read_size(xg_ptext *t, uint32_t **sizes, uint32_t n) {
    uint32_t leaf = xg_ptext_index(t, n, "the number of a leaf");
    if (!*sizes) *sizes = XG_NEW_N(t->p->arena, uint32_t, n + (size_t)1);
    xg_ptext_want(t, "dimension");
    (*sizes)[leaf] = xg_ptext_index(t, XG_RANK_MAX, "a dimension") + 1;
}

XG_FN void xg_ptext_read_parts(xg_ptext *t, const xg_ints ***parts, uint32_t n) {
    uint32_t leaf = xg_ptext_index(t, n, "the number of a leaf");
    XG_VEC(int64_t) list = {NULL, 0, 0};
    xg_ints *out = XG_NEW(t->p->arena, xg_ints);
    if (!*parts) *parts = XG_NEW_N(t->p->arena, const xg_ints *, n + (size_t)1);
    do xg_push(t->p->arena, int64_t, &list, xg_ptext_number(t));
    while (xg_ptext_take(t, ","));
    out->p = list.p;
    out->n = list.n;
    (*parts)[leaf] = out;
}

XG_FN int64_t xg_ptext_room(const xg_plan *p, const xg_buffer *b) {
    uint32_t k;
    if (b->host) return p->buffers.p[b->host - 1]->bytes;
    for (k = 0; k < p->spaces.n; k++)
        if (p->spaces.p[k].space == b->space) return p->spaces.p[k].bytes;
    return 0;
}
XG_FN void xg_ptext_check_room(xg_ptext *t, const xg_buffer *b) {
    int64_t room = xg_ptext_room(t->p, b);
    if (b->bytes && (b->offset > room || b->bytes > room - b->offset)) xg_ptext_fail(t, "a slice inside its memory");
}
XG_FN void xg_ptext_read_guest(xg_ptext *t, xg_buffer *b) {
    xg_ptext_guest g;
    g.buffer = b;
    g.at = t->at;
    b->host = xg_ptext_index(t, UINT32_MAX, "the number of a slice") + 1;
    xg_push(t->p->arena, xg_ptext_guest, &t->guests, g);
}
/* When all slices are known. */
XG_FN void xg_ptext_seat_guests(xg_ptext *t) {
    size_t at = t->at;
    uint32_t k;
    for (k = 0; k < t->guests.n; k++) {
        xg_buffer *b = t->guests.p[k].buffer;
        t->at = t->guests.p[k].at;
        if (b->host > t->p->buffers.n ||
            (t->p->buffers.p[b->host - 1]->kind != XG_EXE_ALLOC_RESULT && !t->p->buffers.p[b->host - 1]->donated))
            xg_ptext_fail(t, "the slice of a result");
        xg_ptext_check_room(t, b);
    }
    t->at = at;
}
/* A value stands for the array that a parameter, result or constant is; temporaries have one of their size alone. */
XG_APART XG_FN void xg_ptext_read_buffer(xg_ptext *t) {
    xg_plan *p = t->p;
    xg_buffer *b = XG_NEW(p->arena, xg_buffer);
    xg_plan_value *v = XG_NEW(p->arena, xg_plan_value);
    b->slice = xg_ptext_index(t, (int64_t)p->buffers.n + 1, "the next slice");
    if (b->slice != p->buffers.n) xg_ptext_fail(t, "the next slice");
    xg_ptext_want(t, "=");
    v->inst = p->m->entry->root;
    if (xg_ptext_take(t, "parameter")) {
        b->kind = XG_EXE_ALLOC_PARAMETER;
        b->index = xg_ptext_index(t, p->n_params, "the number of a parameter");
        v->role = XG_VALUE_PARAMETER;
    } else if (xg_ptext_take(t, "result")) {
        b->kind = XG_EXE_ALLOC_RESULT;
        b->index = xg_ptext_index(t, p->n_results, "the number of a result");
        v->role = XG_VALUE_RESULT;
    } else if (xg_ptext_take(t, "constant")) {
        xg_str name = xg_ptext_name(t);
        xg_ptext_want(t, "of");
        b->kind = XG_EXE_ALLOC_CONSTANT;
        v->role = XG_VALUE_CONSTANT;
        v->inst = xg_ptext_inst_of(t, xg_ptext_comp(t), name);
        if (v->inst->op != XG_CONSTANT) xg_ptext_fail(t, "a constant");
    } else if (xg_ptext_take(t, "counters"))
        b->kind = XG_EXE_ALLOC_COUNTERS;
    else {
        xg_ptext_want(t, "temp");
        b->kind = XG_EXE_ALLOC_TEMP;
    }
    xg_ptext_want(t, ",");
    b->bytes = xg_ptext_number(t);
    xg_ptext_want(t, "bytes");
    if (b->kind == XG_EXE_ALLOC_TEMP) {
        xg_ptext_want(t, ", offset");
        b->offset = xg_ptext_number(t);
    }
    if (b->kind == XG_EXE_ALLOC_TEMP && xg_ptext_take(t, ", color"))
        b->space = (int32_t)xg_ptext_index(t, INT32_MAX, "the number of a memory space");
    if (b->kind == XG_EXE_ALLOC_TEMP && xg_ptext_take(t, ", in b")) xg_ptext_read_guest(t, b);
    if (b->kind == XG_EXE_ALLOC_PARAMETER && xg_ptext_take(t, ", output"))
        b->donated = xg_ptext_index(t, p->n_results, "the number of a result") + 1;
    if (b->kind == XG_EXE_ALLOC_TEMP && (!t->guests.n || t->guests.p[t->guests.n - 1].buffer != b))
        xg_ptext_check_room(t, b);
    if (b->kind == XG_EXE_ALLOC_CONSTANT && b->bytes != xg_plan_bytes(v->inst->shape))
        xg_ptext_fail(t, "the size of the constant");
    v->shape = v->inst->shape;
    v->buffer = b;
    xg_push(p->arena, xg_plan_value *, &b->values, v);
    xg_push(p->arena, xg_buffer *, &p->buffers, b);
    if (b->kind == XG_EXE_ALLOC_PARAMETER) p->params[b->index] = b;
    if (b->kind == XG_EXE_ALLOC_RESULT) p->results[b->index] = b;
    if (b->donated) p->results[b->donated - 1] = b;
}

XG_FN xg_exe_thunk_kind xg_ptext_kind(xg_ptext *t) {
    size_t at = t->at;
    xg_str word = xg_ptext_name(t);
    uint32_t k;
    for (k = 0; k < XG_EXE_THUNK_COUNT; k++)
        if (xg_str_is(word, xg_exe_thunk_name(k))) return (xg_exe_thunk_kind)k;
    t->at = at;
    xg_ptext_fail(t, "a kind of step");
}
XG_FN uint32_t xg_ptext_list(xg_ptext *t, xg_plan_step *s, uint32_t cap) {
    uint32_t n = 0;
    xg_ptext_want(t, "(");
    if (xg_ptext_take(t, ")")) return 0;
    do {
        if (s->n_links == cap) xg_ptext_fail(t, "no more slices");
        s->links[s->n_links++] = xg_ptext_slice(t);
        n++;
    } while (xg_ptext_take(t, ","));
    xg_ptext_want(t, ")");
    return n;
}

/* How many slices a step of this kind and instruction has, read and written. */
XG_FN void xg_ptext_arity(const xg_plan *p, const xg_plan_step *s, uint32_t *read, uint32_t *written) {
    uint32_t k, j, n;
    const xg_inst *i = s->inst;
    const xg_exe_thunk_row *row = xg_exe_thunk_row_of(s->kind);
    *read = *written = 0;
    if (row->slices != XG_EXE_MANY) {
        *written = xg_ptext_writes(row);
        *read = row->slices - *written;
        return;
    }
    for (k = 0; k < i->n_operands; k++) {
        n = (uint32_t)xg_shape_leaves(XG_OPERAND(i, k)->shape);
        for (j = 0; j < n; j++) ++*read;
    }
    *written = (uint32_t)xg_shape_leaves(i->shape) + (s->kind == XG_EXE_THUNK_LIBRARY_CALL); /* to work in */
    if (s->kind != XG_EXE_THUNK_KERNEL) return;
    for (k = 0; k < 2; k++) *written += xg_plan_workspace_bytes(xg_records_of(p->records, i), k) != 0;
}
XG_FN bool xg_ptext_fits(const xg_plan_step *s) { /* the kind with the instruction */
    const char *of = xg_exe_thunk_row_of(s->kind)->of;
    if (s->kind == XG_EXE_THUNK_COLLECTIVE) return xg_opt_is_canonical_collective(s->inst);
    if (s->kind == XG_EXE_THUNK_KERNEL) return xg_choice_needs_kernel(s->inst); /* what only fills is a memset */
    if (s->kind == XG_EXE_THUNK_LIBRARY_CALL) return s->inst->op == XG_FUSION || xg_library_is_target(s->inst);
    return !*of || strcmp(of, xg_op_name(s->inst->op)) == 0;
}
/* From this link on a kernel has memory to work in, and counters. */
XG_FN bool xg_ptext_works(const xg_plan *p, const xg_plan_step *s, uint32_t at) {
    uint32_t k;
    for (k = 0; k < 2; k++) {
        int64_t bytes = xg_plan_workspace_bytes(xg_records_of(p->records, s->inst), k);
        xg_buffer *b = bytes ? p->buffers.p[s->links[at++]] : NULL;
        if (b && (b->bytes != bytes || b->kind != (k ? XG_EXE_ALLOC_COUNTERS : XG_EXE_ALLOC_TEMP))) return false;
    }
    return true;
}
/* The slices have the sizes of what the kernel reads and writes there. */
XG_FN bool xg_ptext_sizes(const xg_plan *p, const xg_plan_step *s) {
    uint32_t k, n;
    const xg_shape *const *leaves;
    if (s->kind == XG_EXE_THUNK_COPY) return p->buffers.p[s->links[0]]->bytes == p->buffers.p[s->links[1]]->bytes;
    if (s->kind != XG_EXE_THUNK_KERNEL && s->kind != XG_EXE_THUNK_COLLECTIVE) return true;
    for (k = 0; k < s->inst->n_operands; k++)
        if (p->buffers.p[s->links[k]]->bytes != xg_plan_bytes(XG_OPERAND(s->inst, k)->shape)) return false;
    leaves = xg_plan_leaves(p->arena, &s->inst->shape, &n);
    for (k = 0; k < n; k++)
        if (p->buffers.p[s->links[s->inst->n_operands + k]]->bytes != xg_plan_bytes(leaves[k])) return false;
    return s->kind != XG_EXE_THUNK_KERNEL || xg_ptext_works(p, s, s->inst->n_operands + n);
}

XG_FN void xg_ptext_read_children(xg_ptext *t, xg_plan_step *s) {
    uint32_t runs = xg_exe_thunk_row_of(s->kind)->runs, n;
    uint32_t want = runs == XG_EXE_MANY ? s->inst->n_operands - 1 : runs; /* a conditional has a branch an operand */
    s->children = XG_NEW_N(t->p->arena, uint32_t, want + (size_t)1);
    for (n = 0; n < want; n++) {
        void *number;
        xg_ptext_want(t, ",");
        number = xg_dict_get(&t->sequences, xg_ptext_name(t));
        if (!number) xg_ptext_fail(t, "a computation whose steps stand below, and that no other step names,");
        s->children[n] = (uint32_t)(uintptr_t)number - 1;
    }
    s->n_children = want;
}
XG_APART XG_FN void xg_ptext_read_step(xg_ptext *t, xg_plan_sequence *q) {
    xg_exe_thunk_kind kind = xg_ptext_kind(t);
    const xg_inst *i = xg_ptext_inst_of(t, q->comp, xg_ptext_name(t));
    xg_plan_step s, *made;
    uint32_t read, written, got;
    bool whole = !(xg_exe_thunk_row_of(kind)->flags & XG_EXE_CALLS); /* calls may leave tokens and constants out */
    memset(&s, 0, sizeof s);
    s.kind = kind;
    s.inst = i;
    if (!xg_ptext_fits(&s)) xg_ptext_fail(t, "an instruction that this kind of step runs");
    xg_ptext_arity(t->p, &s, &read, &written);
    made = xg_plan_step_new(t->p, q, kind, i, read + written);
    made->n_links = 0;
    got = xg_ptext_list(t, made, read);
    if (whole && got != read) xg_ptext_fail(t, "as many slices as the step reads");
    if (xg_ptext_take(t, "->")) made->n_written = xg_ptext_list(t, made, made->n_links + written);
    if (whole && made->n_written != written) xg_ptext_fail(t, "as many slices as the step writes");
    if (!xg_ptext_sizes(t->p, made)) xg_ptext_fail(t, "slices of the sizes of the arrays");
    if (kind == XG_EXE_THUNK_MEMSET || kind == XG_EXE_THUNK_FOR) {
        xg_ptext_want(t, kind == XG_EXE_THUNK_MEMSET ? ", value=" : ", count=");
        made->value = xg_ptext_index(t, (int64_t)UINT32_MAX + 1, "32 bits");
    }
    if (kind == XG_EXE_THUNK_COPY || kind == XG_EXE_THUNK_MEMSET) made->n_written = 0;
    xg_ptext_read_children(t, made);
}

/* The names of all sequences first: steps name those below them. */
XG_FN void xg_ptext_scan(xg_ptext *t) {
    size_t from = t->at;
    while (xg_ptext_blank(t), t->at < t->end) {
        xg_plan_sequence *q = XG_NEW(t->p->arena, xg_plan_sequence);
        q->comp = xg_ptext_comp(t);
        xg_ptext_want(t, "{");
        xg_push(t->p->arena, xg_plan_sequence *, &t->p->sequences, q);
        if (!xg_dict_put(&t->sequences, q->comp->name, (void *)(uintptr_t)t->p->sequences.n))
            xg_ptext_fail(t, "a computation whose steps do not stand above");
        while (t->at < t->end && t->src->text[t->at] != '}') t->at++;
        xg_ptext_want(t, "}");
    }
    if (!t->p->sequences.n || t->p->sequences.p[0]->comp != t->p->m->entry) xg_ptext_fail(t, "the entry's steps first");
    t->at = from;
}
/* Each sequence is named once, by one that stands above it: so they are a tree. */
XG_FN void xg_ptext_check_tree(xg_ptext *t) {
    xg_plan *p = t->p;
    bool *named = XG_NEW_N(p->arena, bool, p->sequences.n + (size_t)1);
    uint32_t k, j, l;
    for (k = 0; k < p->sequences.n; k++)
        for (j = 0; j < p->sequences.p[k]->steps.n; j++) {
            const xg_plan_step *s = &p->steps.p[p->sequences.p[k]->steps.p[j]];
            for (l = 0; l < s->n_children; l++) {
                if (s->children[l] <= k || named[s->children[l]])
                    xg_ptext_fail(t, "a computation that stands below its step and is run from one place only");
                named[s->children[l]] = true;
            }
        }
}

XG_FN bool xg_plan_is_text(const char *text, size_t n) {
    return n >= sizeof xg_plan_text_head - 1 && memcmp(text, xg_plan_text_head, sizeof xg_plan_text_head - 1) == 0;
}

/* Where the HLO begins. */
XG_FN size_t xg_ptext_hlo(const xg_source *src) {
    size_t k;
    for (k = 0; k + sizeof xg_plan_text_hlo <= src->size; k++)
        if (src->text[k] == '\n' && memcmp(src->text + k, xg_plan_text_hlo, sizeof xg_plan_text_hlo - 1) == 0)
            return k + 1;
    return src->size;
}
XG_FN xg_module *xg_plan_parse_hlo(xg_ctx *c, xg_arena *a, const xg_source *src) {
    size_t at = xg_ptext_hlo(src);
    xg_source *hlo = XG_NEW(a, xg_source);
    hlo->name = src->name;
    hlo->text = src->text + at;
    hlo->size = src->size - at;
    return xg_hlo_parse(c, a, hlo);
}

XG_FN bool xg_ptext_is_tiled(const xg_shape *s) {
    uint32_t k;
    if (s->layout && s->layout->extras.n) return true;
    for (k = 0; s->type == XLAGPU_TUPLE && k < s->n_elems; k++)
        if (xg_ptext_is_tiled(s->elems[k])) return true;
    return false;
}
/* The passes in front of a plan have put tiles into the dimensions: kernels know an order of dimensions alone. */
XG_FN void xg_ptext_check_layouts(const xg_module *m) {
    const xg_comp *c;
    for (c = m->made_extras ? m->first : NULL; c; c = c->next)
        XG_FOR_INSTS(i, c)
            if (xg_ptext_is_tiled(i->shape))
                xg_hlo_fail(i, XLAGPU_ERROR_INVALID, "compile the module that has such a layout; its plan has none",
                    "in a plan a layout is an order of dimensions, without tiles, lengths and splits");
}

XG_APART XG_FN xg_plan *xg_plan_parse(xg_ctx *c, xg_arena *a, const xg_source *src) {
    xg_ptext t;
    uint32_t k;
    memset(&t, 0, sizeof t);
    t.src = src;
    t.end = xg_ptext_hlo(src);
    t.p = XG_NEW(a, xg_plan);
    t.p->arena = a;
    t.p->records = XG_NEW(a, xg_records);
    xg_records_open(t.p->records, a);
    t.p->m = xg_plan_parse_hlo(c, a, src);
    xg_hlo_verify(t.p->m);
    xg_ptext_check_layouts(t.p->m);
    for (k = 0; k < t.p->m->entry->n_params; k++)
        t.p->n_params += (uint32_t)xg_shape_leaves(t.p->m->entry->params[k]->shape);
    t.p->n_results = (uint32_t)xg_shape_leaves(t.p->m->entry->root->shape);
    t.p->params = XG_NEW_N(a, xg_buffer *, t.p->n_params + (size_t)1);
    t.p->results = XG_NEW_N(a, xg_buffer *, t.p->n_results + (size_t)1);
    xg_dict_init(&t.sequences, a);
    xg_ptext_want(&t, "PlannedModule");
    t.p->m->name = xg_str_copy(a, xg_ptext_name(&t));
    while (xg_ptext_numbered(&t, "temp ")) xg_ptext_read_temp(&t);
    while (xg_ptext_take(&t, "size parameter ")) xg_ptext_read_size(&t, &t.p->m->param_sizes, t.p->n_params);
    while (xg_ptext_take(&t, "size result ")) xg_ptext_read_size(&t, &t.p->m->result_sizes, t.p->n_results);
    while (xg_ptext_take(&t, "parts parameter ")) xg_ptext_read_parts(&t, &t.p->m->param_parts, t.p->n_params);
    while (xg_ptext_take(&t, "parts result ")) xg_ptext_read_parts(&t, &t.p->m->result_parts, t.p->n_results);
    while (xg_ptext_numbered(&t, "b")) xg_ptext_read_buffer(&t);
    xg_ptext_seat_guests(&t);
    for (k = 0; k < t.p->n_params; k++)
        if (!t.p->params[k]) xg_ptext_fail(&t, "a slice for each parameter");
    for (k = 0; k < t.p->n_results; k++)
        if (!t.p->results[k]) xg_ptext_fail(&t, "a slice for each result");
    xg_ptext_scan(&t);
    for (k = 0; k < t.p->sequences.n; k++) {
        (void)xg_ptext_name(&t);
        xg_ptext_want(&t, "{");
        while (!xg_ptext_take(&t, "}")) xg_ptext_read_step(&t, t.p->sequences.p[k]);
    }
    xg_ptext_check_tree(&t);
    return t.p;
}

#endif /* XG_PLAN_TEXT_C */
