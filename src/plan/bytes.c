/* plan/bytes.c -- writes a plan as the bytes of an executable (api/executable.h). A block of temporary memory is one
 * allocation; every parameter, result and constant is one of its own. Slice numbers are buffer numbers. */
#ifndef XG_PLAN_BYTES_C
#define XG_PLAN_BYTES_C
#include "plan.h"
#include "../api/executable_read.c"
#include "alias.c"
#include "collectives.c"
/* Literal data lie in logical row-major order; a buffer follows its layout. */
XG_APART XG_FN void xg_exe_put_literal(xg_buf *out, const xg_literal *l, const xg_shape *s) {
    size_t n = (size_t)xg_type_bytes(s->type);
    int64_t strides[XG_RANK_MAX], index[XG_RANK_MAX], k;
    char *to, *at;
    uint32_t d;
    xg_shape_strides(s, strides);
    for (k = 1, d = s->rank; d-- > 0 && (s->dims[d] == 1 || strides[d] == k);) k *= s->dims[d];
    if (d == UINT32_MAX) {
        xg_put(out, (const char *)l->data, (size_t)s->elements * n);
        return;
    } /* the two orders are one */
    to = (char *)xg_alloc(out->arena, xg_mul(out->arena->ctx, (size_t)s->elements, n) + 1);
    memset(index, 0, sizeof index);
    for (k = 0; k < s->elements; k++) {
        int64_t place = 0;
        for (d = 0; d < s->rank; d++) place += index[d] * strides[d];
        at = to + (size_t)place * n;
        memcpy(at, (const char *)l->data + (size_t)k * n, n);
        for (d = s->rank; d-- > 0;) {
            if (++index[d] < s->dims[d]) break;
            index[d] = 0;
        }
    }
    xg_put(out, to, (size_t)s->elements * n);
}

XG_FN const xg_literal *xg_exe_constant(xg_plan *p, const xg_inst *i, bool fill) {
    const xg_literal *l = i->literal;
    xg_literal *made;
    if (!l->elided && l->data) return l;
    if (!fill)
        xg_hlo_fail(i, XLAGPU_ERROR_INVALID,
            "export the module in full (print_large_constants=True), or pass --fill_elided_constants for seeded values",
            "the constant's values are elided");
    made = xg_literal_new(p->arena, i->shape);
    xg_literal_fill(made, xg_literal_seed(i));
    return made;
}

XG_APART XG_FN uint64_t xg_exe_put_constant(xg_exe_writer *w, xg_plan *p, const xg_inst *i, bool fill) {
    xg_buf *data = &w->sections[XG_EXE_DATA];
    uint64_t at;
    if (data->n % 256) {
        size_t gap = 256 - data->n % 256;
        memset(xg_buf_room(data, gap), 0, gap + 1);
        data->n += gap;
    }
    at = data->n;
    xg_exe_put_literal(data, xg_exe_constant(p, i, fill), i->shape);
    return at;
}

/* One allocation a block of temporary memory, one each for all others; slices follow in the order of the buffers. */
XG_APART XG_FN void xg_exe_put_allocations(xg_exe_writer *w, xg_plan *p, bool fill) {
    uint32_t *of = XG_NEW_N(w->arena, uint32_t, p->buffers.n + (size_t)1), k, j;
    uint64_t at[2] = {0, 0}; /* in the block of device memory, of host memory */
    xg_exe_allocation a;
    for (j = 0; j < p->spaces.n; j++) {
        memset(&a, 0, sizeof a);
        a.kind = XG_EXE_ALLOC_TEMP;
        a.host = p->spaces.p[j].space == XG_PLAN_HOST_SPACE;
        a.bytes = (uint64_t)p->spaces.p[j].bytes;
        a.offset = (at[a.host] + 255) / 256 * 256;
        at[a.host] = a.offset + a.bytes;
        xg_exe_put(w, XG_EXE_ALLOCATIONS, &a, sizeof a);
    }
    for (k = 0; k < p->buffers.n; k++) {
        const xg_buffer *b = p->buffers.p[k];
        memset(&a, 0, sizeof a);
        a.kind = (uint32_t)b->kind;
        a.index = b->index;
        a.bytes = (uint64_t)b->bytes;
        if (b->kind == XG_EXE_ALLOC_TEMP) continue;
        if (b->kind == XG_EXE_ALLOC_CONSTANT && !b->used) {
            of[k] = UINT32_MAX;
            continue;
        }
        if (b->kind == XG_EXE_ALLOC_COUNTERS) {
            a.offset = (at[0] + 255) / 256 * 256;
            at[0] = a.offset + a.bytes;
        }
        if (b->kind == XG_EXE_ALLOC_CONSTANT) a.data = xg_exe_put_constant(w, p, b->values.p[0]->inst, fill);
        of[k] = xg_exe_put(w, XG_EXE_ALLOCATIONS, &a, sizeof a);
    }
    w->temp_bytes = at[0];
    w->host_bytes = at[1];
    for (k = 0; k < p->buffers.n; k++) {
        const xg_buffer *b = p->buffers.p[k];
        xg_exe_slice s;
        memset(&s, 0, sizeof s);
        s.bytes = (uint64_t)b->bytes;
        if (b->kind == XG_EXE_ALLOC_TEMP && (b->bytes || b->host)) {
            s.offset = (uint64_t)b->offset;
            for (j = 0; j < p->spaces.n && p->spaces.p[j].space != b->space; j++) {}
            s.allocation = b->host ? of[b->host - 1] : j;
        } else if (b->kind != XG_EXE_ALLOC_TEMP && of[k] != UINT32_MAX)
            s.allocation = of[k];
        else
            s.bytes = 0; /* nothing, or a constant that only fills: nothing reads the slice */
        xg_exe_put(w, XG_EXE_SLICES, &s, sizeof s);
    }
}

XG_FN void xg_exe_put_value(xg_exe_writer *w, const xg_shape *s, uint32_t allocation, xg_str name, uint32_t alias,
    uint32_t size_of, const xg_ints *parts) {
    xg_exe_value v;
    uint32_t k;
    memset(&v, 0, sizeof v);
    v.type = (uint32_t)s->type;
    v.rank = s->rank;
    v.allocation = allocation;
    v.alias = alias;
    v.size_of = size_of;
    v.bytes = (uint64_t)xg_plan_bytes(s);
    v.name = xg_exe_string(w, name);
    v.first_dim = (uint32_t)(w->sections[XG_EXE_DIMS].n / sizeof(int64_t));
    for (k = 0; k < s->rank; k++) xg_exe_put(w, XG_EXE_DIMS, &s->dims[k], sizeof s->dims[k]);
    for (k = 0; k < s->rank; k++) {
        int64_t d = xg_shape_minor(s, k);
        xg_exe_put(w, XG_EXE_DIMS, &d, sizeof d);
    }
    if (parts) v.parts = (uint32_t)(w->sections[XG_EXE_DIMS].n / sizeof(int64_t)) + 1;
    for (k = 0; parts && k < parts->n; k++) xg_exe_put(w, XG_EXE_DIMS, &parts->p[k], sizeof parts->p[k]);
    xg_exe_put(w, XG_EXE_VALUES, &v, sizeof v);
}

/* Does the module say that the caller must hand the parameter's memory over? */
XG_FN uint32_t xg_exe_alias(const xg_plan *p, const xg_buffer *b, uint32_t result) {
    uint32_t k, alias = b->kind == XG_EXE_ALLOC_PARAMETER ? b->index + 1 : 0;
    for (k = 0; alias && k < p->m->n_aliases; k++)
        if (p->m->aliases[k].must &&
            xg_alias_leaf(p->m->entry->root, p->m->entry->root->shape, p->m->aliases[k].output) == result)
            alias |= XG_EXE_MUST_ALIAS;
    return alias;
}
XG_APART XG_FN void xg_exe_put_values(xg_exe_writer *w, const xg_plan *p) {
    uint32_t k, j, n, at = 0;
    const xg_shape *const *leaves;
    const xg_exe_slice *slices = (const xg_exe_slice *)(const void *)w->sections[XG_EXE_SLICES].p;
    for (k = 0; k < p->m->entry->n_params; k++) {
        leaves = xg_plan_leaves(p->arena, &p->m->entry->params[k]->shape, &n);
        for (j = 0; j < n; j++, at++)
            xg_exe_put_value(w, leaves[j], slices[p->params[at]->slice].allocation, p->m->entry->params[k]->name, 0,
                p->m->param_sizes ? p->m->param_sizes[at] : 0, p->m->param_parts ? p->m->param_parts[at] : NULL);
    }
    leaves = xg_plan_leaves(p->arena, &p->m->entry->root->shape, &n);
    for (k = 0; k < p->n_results; k++)
        xg_exe_put_value(w, leaves[k], slices[p->results[k]->slice].allocation, p->m->entry->root->name,
            xg_exe_alias(p, p->results[k], k), p->m->result_sizes ? p->m->result_sizes[k] : 0,
            p->m->result_parts ? p->m->result_parts[k] : NULL);
}

/* A kernel takes each buffer once, where it first appears; one that is written is so wherever it appears. */
XG_FN uint32_t xg_exe_put_kernel_links(xg_exe_writer *w, const xg_plan *p, const xg_plan_step *s) {
    uint32_t n = 0, k, j;
    uint32_t *links = XG_NEW_N(w->arena, uint32_t, s->n_links + (size_t)1);
    uint32_t *place = w->place;
    for (k = 0; k < s->n_links; k++) {
        uint32_t slice = s->links[k], written = k >= s->n_links - s->n_written ? XG_EXE_WRITTEN : 0;
        if (s->kind == XG_EXE_THUNK_KERNEL && place[slice] && place[slice] <= n &&
            (links[place[slice] - 1] & ~XG_EXE_WRITTEN) == slice) {
            links[place[slice] - 1] |= written;
            continue;
        }
        links[n++] = slice | written;
        place[slice] = n;
    }
    for (j = 0; j < n; j++) xg_exe_put(w, XG_EXE_LINKS, &links[j], sizeof links[j]);
    (void)p;
    return n;
}

/* A backend_config in quotes is the text inside them; one in braces is as it was written. */
XG_FN xg_str xg_exe_config(xg_exe_writer *w, xg_str s) {
    xg_buf b;
    uint32_t k;
    if (s.n < 2 || s.p[0] != '"') return s;
    xg_buf_init(&b, w->arena);
    for (k = 1; k + 1 < s.n; k++) {
        char c = s.p[k];
        if (c == '\\' && k + 2 < s.n) {
            c = s.p[++k];
            c = c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
        }
        xg_putc(&b, c);
    }
    return xg_str_of(b.p ? b.p : "", b.n);
}

XG_FN uint32_t xg_exe_collective(xg_exe_writer *w, const xg_plan_step *s) {
    xg_buf b;
    uint32_t k;
    xg_buf_init(&b, w->arena);
    xg_plan_collective(&b, s->inst);
    for (k = 0; s->peers && k < s->inst->n_operands; k++) xg_printf(&b, "%s%u", k ? "," : " kernels ", s->peers[k]);
    for (k = 0; s->casts && k < s->inst->n_operands; k++) xg_printf(&b, "%s%u", k ? "," : " multimem ", s->casts[k]);
    return xg_exe_string(w, xg_str_of(b.p, b.n));
}

/* What a call is told: a text, and the attributes that it writes. XLA's optimised modules have either inside an object
 * of their own. */
XG_FN void xg_exe_put_config(xg_exe_writer *w, const xg_inst *i, xg_exe_thunk *t) {
    xg_str config = xg_exe_config(w, xg_attr_str(i, XG_A_backend_config)), typed = config;
    xg_str object = xg_config_get(config, "custom_call_backend_config");
    const char *wrong;
    uint32_t end;
    if (object.n) {
        typed = xg_exe_config(w, xg_config_get(object, "attributes"));
        config = typed.n ? typed : xg_exe_config(w, xg_config_get(object, "opaque"));
    }
    t->value = xg_exe_string(w, config);
    typed = xg_config_trim(typed);
    if (!typed.n || typed.p[0] != '{') return;
    wrong = xg_attributes_read(w, typed, &end, t);
    if (wrong && xg_attr_is(i, XG_A_api_version, "API_VERSION_TYPED_FFI"))
        xg_hlo_fail(i, XLAGPU_ERROR_INVALID, "a typed call is given a dictionary, {n = 3 : i64, s = \"x\"}",
            "the attributes: %s is expected before '%.*s'", wrong, (int)XG_MIN(typed.n - end, 20u), typed.p + end);
}
/* One for each slice that the call is given; a result in the slice of an operand aliases it. */
XG_FN void xg_exe_put_call_value(
    xg_exe_writer *w, const xg_plan *p, const xg_plan_step *s, const xg_shape *leaf, xg_str name, uint32_t *n) {
    uint32_t at;
    if (!xg_shape_is_array(leaf)) return;
    if (*n == s->n_links || p->buffers.p[s->links[*n]]->bytes != xg_plan_bytes(leaf))
        xg_hlo_fail(s->inst, XLAGPU_ERROR_INVALID, "plan the module again",
            "the slices of '%s' are not those of its operands and results", s->inst->name.p);
    at = w->place[s->links[*n]]; /* of an operand with the same slice, plus 1 */
    if (at > *n || (at && s->links[at - 1] != s->links[*n]) || *n < s->n_links - s->n_written) at = 0;
    ++*n;
    if (!at) w->place[s->links[*n - 1]] = *n;
    xg_exe_put_value(w, leaf, 0, name, at, 0, NULL);
}
/* What a library is told, from the record of the fusion; false: that lacks something. */
XG_FN bool xg_exe_put_matmul(xg_buf *b, const xg_record *r) {
    uint32_t k;
    xg_puts(b, "{matmul = array<i64");
    for (k = 0; k < XG_EXE_MATMUL_COUNT; k++) {
        const xg_numbers *n = xg_record_get(&r->form, xg_cublaslt_field((xg_exe_matmul)k));
        if (!n || n->n != 1) return false;
        xg_printf(b, "%s%lld", k ? ", " : ": ", (long long)n->p[0]);
    }
    xg_puts(b, ">}");
    return true;
}
XG_FN bool xg_exe_put_graph(xg_buf *b, const xg_record *r) {
    const xg_numbers *graph = xg_record_get(&r->form, "graph"), *notes = xg_record_get(&r->form, "refused_notes");
    uint32_t k;
    if (!graph || !graph->n || !notes || notes->n != 1) return false;
    xg_printf(b, "{refused_notes = %lld : i64, graph = array<i64", (long long)notes->p[0]);
    for (k = 0; k < graph->n; k++) xg_printf(b, "%s%lld", k ? ", " : ": ", (long long)graph->p[k]);
    xg_puts(b, ">}");
    return true;
}
XG_FN void xg_exe_put_library(xg_exe_writer *w, const xg_plan *p, const xg_plan_step *s, xg_exe_thunk *t) {
    const xg_record *r = xg_records_of(p->records, s->inst);
    bool graph = r && xg_str_is(r->way, "cudnn");
    xg_buf b;
    uint32_t end;
    xg_buf_init(&b, w->arena);
    if (!r || !(graph ? xg_exe_put_graph(&b, r) : xg_exe_put_matmul(&b, r)) ||
        xg_attributes_read(w, xg_str_of(b.p, b.n), &end, t))
        xg_hlo_fail(s->inst, XLAGPU_ERROR_INVALID, "leave it out: what is not given is decided",
            "the record of this fusion is no whole library call");
    t->kernel = xg_exe_string(w, graph ? XG_STR(XG_EXE_DNN_TARGET) : r->way);
    t->value = xg_exe_string(w, xg_str_z(""));
}
XG_FN void xg_exe_put_call(xg_exe_writer *w, const xg_plan *p, const xg_plan_step *s, xg_exe_thunk *t) {
    const xg_shape *const *leaves;
    uint32_t k, j, leaf_count, n = 0;
    t->first_value = (uint32_t)(w->sections[XG_EXE_VALUES].n / sizeof(xg_exe_value));
    for (k = 0; k < s->inst->n_operands; k++) {
        leaves = xg_plan_leaves(p->arena, &XG_OPERAND(s->inst, k)->shape, &leaf_count);
        for (j = 0; j < leaf_count; j++) xg_exe_put_call_value(w, p, s, leaves[j], XG_OPERAND(s->inst, k)->name, &n);
    }
    leaves = xg_plan_leaves(p->arena, &s->inst->shape, &leaf_count);
    for (j = 0; j < leaf_count; j++) xg_exe_put_call_value(w, p, s, leaves[j], s->inst->name, &n);
    if (s->kind == XG_EXE_THUNK_LIBRARY_CALL && n + 1 == s->n_links) { /* what it works in */
        int64_t bytes = p->buffers.p[s->links[n]]->bytes;
        xg_exe_put_call_value(w, p, s, xg_shape_plain(p->m, XLAGPU_U8, &bytes, 1), s->inst->name, &n);
    }
    if (n != s->n_links)
        xg_hlo_fail(s->inst, XLAGPU_ERROR_INVALID, "plan the module again",
            "the slices of '%s' are not those of its operands and results", s->inst->name.p);
    if (s->kind == XG_EXE_THUNK_LIBRARY_CALL && s->inst->op == XG_FUSION) xg_exe_put_library(w, p, s, t);
    if (s->inst->op != XG_CUSTOM_CALL) return;
    t->kernel = xg_exe_string(w, xg_attr_str(s->inst, XG_A_custom_call_target));
    xg_exe_put_config(w, s->inst, t);
}

XG_FN void xg_exe_put_words(xg_exe_writer *w, const xg_plan *p, const xg_plan_step *s, xg_exe_thunk *t) {
    t->kernel = s->kernel;
    t->value = s->value;
    if (xg_exe_thunk_row_of(s->kind)->flags & XG_EXE_CALLS) xg_exe_put_call(w, p, s, t);
    if (s->kind == XG_EXE_THUNK_COLLECTIVE) t->value = xg_exe_collective(w, s);
    if (s->kind == XG_EXE_THUNK_RANDOM_STATE) t->value = (uint32_t)xg_attr_or_0(s->inst, XG_A_delta);
    if (s->kind == XG_EXE_THUNK_INFEED) t->value = xg_exe_string(w, xg_attr_str(s->inst, XG_A_infeed_config));
    if (s->kind == XG_EXE_THUNK_OUTFEED) t->value = xg_exe_string(w, xg_attr_str(s->inst, XG_A_outfeed_config));
}

XG_FN uint32_t xg_exe_put_thunk(
    xg_exe_writer *w, xg_exe_thunk_kind kind, xg_str name, const uint32_t *links, uint32_t n) {
    xg_exe_thunk t;
    uint32_t k;
    memset(&t, 0, sizeof t);
    t.kind = (uint32_t)kind;
    t.name = xg_exe_string(w, name);
    t.n_links = n;
    t.first_link = (uint32_t)(w->sections[XG_EXE_LINKS].n / sizeof(uint32_t));
    for (k = 0; k < n; k++) xg_exe_put(w, XG_EXE_LINKS, &links[k], sizeof links[k]);
    return xg_exe_put(w, XG_EXE_THUNKS, &t, sizeof t);
}

XG_FN uint32_t xg_exe_put_sequence(xg_exe_writer *w, const xg_plan *p, uint32_t number);
XG_FN uint32_t xg_exe_put_step(xg_exe_writer *w, const xg_plan *p, const xg_plan_step *s);
XG_FN uint32_t xg_exe_put_run(xg_exe_writer *w, const xg_plan *p, const xg_plan_step *s) {
    const xg_plan_sequence *q = p->sequences.p[s->children[0]];
    uint32_t *made = XG_NEW_N(w->arena, uint32_t, q->steps.n + (size_t)1), k;
    for (k = 0; k < q->steps.n; k++) made[k] = xg_exe_put_step(w, p, &p->steps.p[q->steps.p[k]]);
    return xg_exe_put_thunk(w, XG_EXE_THUNK_COMMAND_BUFFER, s->inst->name, made, q->steps.n);
}
XG_FN uint32_t xg_exe_put_step(xg_exe_writer *w, const xg_plan *p, const xg_plan_step *s) {
    uint32_t *children = XG_NEW_N(w->arena, uint32_t, s->n_children + (size_t)1), j;
    xg_exe_thunk t;
    for (j = 0; j < s->n_children && s->kind != XG_EXE_THUNK_COMMAND_BUFFER; j++)
        children[j] = xg_exe_put_sequence(w, p, s->children[j]);
    memset(&t, 0, sizeof t);
    t.kind = (uint32_t)s->kind;
    t.name = xg_exe_string(w, s->inst->name);
    if (s->kind == XG_EXE_THUNK_COMMAND_BUFFER) return xg_exe_put_run(w, p, s);
    xg_exe_put_words(w, p, s, &t);
    xg_plan_cost(p, s, &t.flops, &t.bytes);
    t.first_link = (uint32_t)(w->sections[XG_EXE_LINKS].n / sizeof(uint32_t));
    if (xg_exe_thunk_row_of(s->kind)->writes == XG_EXE_WRITES_MARKED)
        t.n_links = xg_exe_put_kernel_links(w, p, s);
    else
        for (j = 0; j < s->n_links; j++, t.n_links++) xg_exe_put(w, XG_EXE_LINKS, &s->links[j], sizeof(uint32_t));
    for (j = 0; j < s->n_children; j++, t.n_links++) xg_exe_put(w, XG_EXE_LINKS, &children[j], sizeof(uint32_t));
    return xg_exe_put(w, XG_EXE_THUNKS, &t, sizeof t);
}

/* Children are written before their parents, so that a thunk only names earlier ones. Gives the number of the
 * sequence's thunk. */
XG_FN uint32_t xg_exe_put_sequence(xg_exe_writer *w, const xg_plan *p, uint32_t number) {
    const xg_plan_sequence *q = p->sequences.p[number];
    uint32_t *made = XG_NEW_N(w->arena, uint32_t, q->steps.n + (size_t)1), k;
    for (k = 0; k < q->steps.n; k++) made[k] = xg_exe_put_step(w, p, &p->steps.p[q->steps.p[k]]);
    return xg_exe_put_thunk(w, XG_EXE_THUNK_SEQUENCE, number ? q->comp->name : p->m->name, made, q->steps.n);
}

XG_FN void xg_exe_put_map(xg_exe_writer *w, uint32_t kernel, const xg_kmap *m) {
    xg_exe_map r;
    uint32_t k;
    memset(&r, 0, sizeof r);
    r.kernel = kernel;
    r.link = m->arg;
    r.type = m->type;
    r.rank = m->rank;
    r.swizzle = m->swizzle;
    for (k = 0; k < m->rank; k++) {
        r.dims[k] = (uint64_t)m->dims[k];
        r.box[k] = m->box[k];
        if (k) r.strides[k - 1] = (uint64_t)m->strides[k - 1];
    }
    xg_exe_put(w, XG_EXE_MAPS, &r, sizeof r);
}
XG_APART XG_FN void xg_exe_put_kernels(xg_exe_writer *w, const xg_plan *p) {
    uint32_t k, j;
    for (k = 0; k < p->kernels.n; k++) {
        const xg_plan_kernel *q = &p->kernels.p[k];
        xg_exe_kernel r;
        memset(&r, 0, sizeof r);
        r.name = xg_exe_string(w, q->name);
        r.shared_bytes = q->shared_bytes;
        memcpy(r.threads, q->threads, sizeof r.threads);
        memcpy(r.blocks, q->blocks, sizeof r.blocks);
        xg_exe_put(w, XG_EXE_KERNELS, &r, sizeof r);
        for (j = 0; j < q->n_maps; j++) xg_exe_put_map(w, k, &q->maps[j]);
    }
}

XG_FN size_t xg_exe_section_bytes(const xg_exe_writer *w, uint32_t k) {
    return w->texts[k].n ? w->texts[k].bytes + 1 : w->sections[k].n;
}
XG_FN void xg_exe_put_section(unsigned char *out, const xg_exe_writer *w, uint32_t k) {
    uint32_t i;
    if (w->sections[k].n) memmove(out, w->sections[k].p, w->sections[k].n);
    for (i = 0; i < w->texts[k].n; out += w->texts[k].p[i++].n) memcpy(out, w->texts[k].p[i].p, w->texts[k].p[i].n);
    if (w->texts[k].n) *out = 0;
}
/* Sections that were written into the executable's memory move down there, if none has to move up. */
XG_FN xg_str xg_exe_assemble(xg_exe_writer *w, xg_exe_header *h, xg_arena *to) {
    xg_exe_section table[XG_EXE_SECTION_COUNT];
    size_t at = sizeof *h + sizeof table, end = at;
    unsigned char *out = w->block;
    uint32_t k;
    memset(table, 0, sizeof table);
    for (k = 0; k < XG_EXE_SECTION_COUNT; k++) {
        at = (at + XG_EXE_ALIGN - 1) / XG_EXE_ALIGN * XG_EXE_ALIGN;
        table[k].kind = k;
        table[k].bytes = xg_exe_section_bytes(w, k);
        table[k].count = (uint32_t)(table[k].bytes / xg_exe_record_size(k));
        table[k].offset = at;
        if (at > w->at[k]) out = NULL;
        at = xg_add(w->arena->ctx, at, (size_t)table[k].bytes);
    }
    h->size = at;
    if (!out || at >= w->room) out = (unsigned char *)xg_alloc_raw(to, at + 1);
    for (k = 0; k < XG_EXE_SECTION_COUNT; k++) {
        memset(out + end, 0, (size_t)table[k].offset - end);
        xg_exe_put_section(out + table[k].offset, w, k);
        end = (size_t)(table[k].offset + table[k].bytes);
    }
    out[at] = 0;
    memcpy(out + sizeof *h, table, sizeof table);
    memcpy(out, h, sizeof *h);
    h->checksum = xg_exe_checksum(out + offsetof(xg_exe_header, target), at - offsetof(xg_exe_header, target));
    memcpy(out, h, sizeof *h);
    if (at > UINT32_MAX) xg_fail(w->arena->ctx, XLAGPU_ERROR_LIMIT, "an executable of more than 4 GiB");
    return xg_str_of((const char *)out, at);
}

/* A constant that only fills memory is not shipped. */
XG_FN void xg_exe_mark_constants(xg_plan *p) {
    uint32_t k, j;
    for (k = 0; k < p->steps.n; k++)
        for (j = 0; j < p->steps.p[k].n_links; j++) p->buffers.p[p->steps.p[k].links[j]]->used = true;
}

XG_FN xg_exe_writer *xg_exe_writer_new(xg_arena *a) {
    xg_exe_writer *w = XG_NEW(a, xg_exe_writer);
    uint32_t k;
    w->arena = a;
    for (k = 0; k < XG_EXE_SECTION_COUNT; k++) xg_buf_init(&w->sections[k], a);
    xg_dict_init(&w->strings, a);
    return w;
}
XG_FN size_t xg_exe_dims(const xg_shape *s) {
    size_t n = s->rank;
    uint32_t k;
    for (k = 0; s->type == XLAGPU_TUPLE && k < s->n_elems; k++) n += xg_exe_dims(s->elems[k]);
    return n;
}
/* Room for what can be counted beforehand, in the executable's own memory: a section that grows leaves the smaller ones
 * behind, and all of them have to be copied. */
XG_APART XG_FN void xg_exe_reserve(xg_exe_writer *w, const xg_plan *p, xg_arena *to) {
    const xg_comp *e = p->m->entry;
    size_t n[XG_EXE_SECTION_COUNT], at = sizeof(xg_exe_header) + XG_EXE_SECTION_COUNT * sizeof(xg_exe_section);
    uint32_t k;
    memset(n, 0, sizeof n);
    n[XG_EXE_STRINGS] = (size_t)p->m->name.n + p->target_name.n + e->root->name.n + 3;
    n[XG_EXE_DIMS] = 2 * xg_exe_dims(e->root->shape);
    for (k = 0; k < e->n_params; k++) {
        n[XG_EXE_STRINGS] += e->params[k]->name.n + (size_t)1;
        n[XG_EXE_DIMS] += 2 * xg_exe_dims(e->params[k]->shape);
    }
    n[XG_EXE_SLICES] = p->buffers.n;
    n[XG_EXE_ALLOCATIONS] = p->spaces.n;
    for (k = 0; k < p->buffers.n; k++) {
        const xg_buffer *b = p->buffers.p[k];
        n[XG_EXE_ALLOCATIONS] += b->kind != XG_EXE_ALLOC_TEMP;
        if (b->kind == XG_EXE_ALLOC_CONSTANT && b->used)
            n[XG_EXE_DATA] = xg_add(w->arena->ctx, n[XG_EXE_DATA], xg_add(w->arena->ctx, (size_t)b->bytes, 256));
    }
    n[XG_EXE_KERNELS] = p->kernels.n;
    for (k = 0; k < p->kernels.n; k++) {
        n[XG_EXE_STRINGS] += p->kernels.p[k].name.n + (size_t)1;
        n[XG_EXE_MAPS] += p->kernels.p[k].n_maps;
    }
    n[XG_EXE_THUNKS] = (size_t)p->steps.n + p->sequences.n;
    for (k = 0; k < p->steps.n; k++) {
        n[XG_EXE_STRINGS] += p->steps.p[k].inst->name.n + (size_t)1;
        n[XG_EXE_LINKS] += (size_t)p->steps.p[k].n_links + p->steps.p[k].n_children + 1;
    }
    for (k = 1; k < p->sequences.n; k++) n[XG_EXE_STRINGS] += p->sequences.p[k]->comp->name.n + (size_t)1;
    n[XG_EXE_VALUES] = (size_t)p->n_params + p->n_results;
    n[XG_EXE_HLO] = p->hlo.n;
    n[p->is_object ? XG_EXE_CUBIN : XG_EXE_PTX] = p->ptx.bytes;
    for (k = 0; k < XG_EXE_SECTION_COUNT; k++) {
        w->at[k] = at;
        at = xg_add(w->arena->ctx, at, xg_mul(w->arena->ctx, n[k], xg_exe_record_size(k)) + XG_EXE_ALIGN);
        at -= at % XG_EXE_ALIGN;
    }
    xg_dict_reserve(&w->strings, e->n_params + p->steps.n + p->sequences.n);
    w->room = at;
    w->block = (unsigned char *)xg_alloc_raw(to, at);
    for (k = 0; k < XG_EXE_SECTION_COUNT; k++) {
        w->sections[k].p = (char *)w->block + w->at[k];
        w->sections[k].cap = (k + 1 < XG_EXE_SECTION_COUNT ? w->at[k + 1] : at) - w->at[k];
    }
}
XG_FN xg_exe_header xg_exe_head(void) {
    xg_exe_header h;
    memset(&h, 0, sizeof h);
    memcpy(h.magic, XG_EXE_MAGIC, sizeof h.magic);
    h.version = XG_EXE_VERSION;
    h.n_sections = XG_EXE_SECTION_COUNT;
    h.replicas = h.partitions = 1;
    return h;
}

XG_APART XG_FN xg_str xg_plan_executable(xg_plan *p, bool fill_elided, xg_arena *to) {
    xg_exe_writer *w = xg_exe_writer_new(p->arena);
    xg_exe_header h = xg_exe_head();
    xg_exe_mark_constants(p);
    xg_exe_reserve(w, p, to);
    h.target = p->target;
    h.target_name = xg_exe_string(w, p->target_name);
    h.name = xg_exe_string(w, p->m->name);
    h.n_params = p->n_params;
    h.n_results = p->n_results;
    h.replicas = (uint32_t)p->m->replica_count;
    h.partitions = (uint32_t)p->m->num_partitions;
    w->place = XG_NEW_N(p->arena, uint32_t, p->buffers.n + (size_t)1);
    xg_exe_put_allocations(w, p, fill_elided);
    h.temp_bytes = w->temp_bytes;
    h.host_bytes = w->host_bytes;
    xg_exe_put_values(w, p);
    xg_exe_put_kernels(w, p);
    h.root_thunk = xg_exe_put_sequence(w, p, 0);
    w->texts[p->is_object ? XG_EXE_CUBIN : XG_EXE_PTX] = p->ptx;
    if (p->hlo.n) xg_texts_add(&w->texts[XG_EXE_HLO], w->arena, p->hlo);
    return xg_exe_assemble(w, &h, to);
}

#endif /* XG_PLAN_BYTES_C */
