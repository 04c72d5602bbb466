/* import/proto_write.c -- a module as HloModuleProto.
 *
 * An instruction's fields are gathered with their paths, sorted, and written; those whose paths begin alike share the
 * message that holds them.
 *
 * Laws
 * - What the reader makes of the bytes prints as the module does. The format has no place for how dimensions may be
 *   resharded (allow_spmd_sharding_propagation), alias_passthrough_params and the origins of values: they are left out.
 *   An attribute that has no field for another reason is an error with its name.
 * - XLA reads it: names are unique (those of two computations that share one get a number), computations stand before
 *   their callers, an instruction's id is its computation's and its place in it, every dimension of a window says all
 *   its numbers, layouts are always there. */
#ifndef XG_IMPORT_PROTO_WRITE_C
#define XG_IMPORT_PROTO_WRITE_C
#include "proto.h"
#include "proto_write_attr.c"

/* ---- instructions ---- */

/* A field to come: an attribute by its row; a number that text leaves out; or one of XG_INST_*. */
typedef struct xg_proto_item {
    uint32_t key;
    const xg_attr *attr;
    int64_t number;
    uint32_t row;
} xg_proto_item;
enum {
    XG_PROTO_ITEMS_MAX = XG_ATTR_COUNT + 16
};
typedef struct xg_proto_items {
    xg_proto_item p[XG_PROTO_ITEMS_MAX];
    uint32_t n;
} xg_proto_items;

XG_FN void xg_proto_add_item(xg_proto_items *v, uint32_t key, const xg_attr *a, uint32_t row, int64_t number) {
    uint32_t k;
    for (k = v->n++; k && v->p[k - 1].key > key; k--) v->p[k] = v->p[k - 1];
    v->p[k].key = key;
    v->p[k].attr = a;
    v->p[k].row = row;
    v->p[k].number = number;
}
XG_FN int64_t xg_proto_id_of(const xg_proto_writer *w, const xg_inst *i) {
    return (int64_t)((uint64_t)w->comps[i->comp->id] << 32 | w->locals[i->id]);
}
/* Of the forms of replica groups, the field of the one that was written. */
XG_FN bool xg_proto_fits(const xg_proto_row *row, const xg_attr *a) {
    char first = row->attr == XG_A_replica_groups && a->v.groups->text.n ? a->v.groups->text.p[0] : '{';
    switch (row->key >> 16) {
    case 49: return false; /* of older writers */
    case 87: return first == '{' || row->attr != XG_A_replica_groups;
    case 92: return first == '[';
    case 93: return first == 'm';
    default: return true;
    }
}
XG_FN void xg_proto_add_attr(xg_proto_writer *w, xg_proto_items *v, const xg_inst *i, const xg_attr *a) {
    uint32_t n, k, before = v->n;
    const xg_proto_row *rows = xg_proto_rows(&n);
    bool own = false;
    for (k = w->first_row[a->key]; k; k = w->next_row[k - 1]) own = own || rows[k - 1].op == (int)i->op;
    for (k = w->first_row[a->key]; k; k = w->next_row[k - 1]) {
        const xg_proto_row *row = &rows[k - 1];
        if (row->op != (own ? (int)i->op : (int)XG_PROTO_ANY) || !xg_proto_fits(row, a)) continue;
        xg_proto_add_item(v, row->key, a, k - 1, 0);
    }
    if (v->n == before)
        xg_fail(w->ctx, XLAGPU_ERROR_UNSUPPORTED, "error: HLO protobuf: the attribute %s of %.*s has no field",
            xg_attr_name(a->key), (int)XG_MIN(i->name.n, 200u), i->name.p);
    if (a->key == XG_A_operand_layout_constraints)
        xg_proto_add_item(v, XG_PROTO_KEY(XG_INST_CONSTRAINED, 0, 0), NULL, 0, 1);
}
XG_FN void xg_proto_add_usual(xg_proto_items *v, const xg_inst *i, uint32_t key, int64_t number) {
    uint32_t k;
    (void)i;
    for (k = 0; k < v->n && v->p[k].key != key; k++) {}
    if (k == v->n) xg_proto_add_item(v, key, NULL, 0, number);
}
XG_FN void xg_proto_put_item(xg_proto_writer *w, const xg_proto_item *item, uint32_t number) {
    uint32_t n;
    const xg_proto_row *rows = xg_proto_rows(&n);
    if (item->attr)
        xg_proto_write_row(w, &rows[item->row], number, item->attr);
    else
        xg_proto_put_int(w, number, item->number);
}
/* Items from..to lie in the same message; shift tells which part of the path is the number of their fields. */
XG_FN void xg_proto_put_items(xg_proto_writer *w, const xg_proto_items *v, uint32_t from, uint32_t to, uint32_t shift) {
    uint32_t k;
    while (from < to) {
        uint32_t part = v->p[from].key >> shift;
        for (k = from; k < to && v->p[k].key >> shift == part; k++) {}
        if (!shift || !(v->p[from].key & ((1u << shift) - 1)))
            for (; from < k; from++) xg_proto_put_item(w, &v->p[from], part & (shift == 16 ? 0xFFFF : 0xFF));
        else {
            size_t at = xg_proto_begin(w, part & (shift == 16 ? 0xFFFF : 0xFF));
            xg_proto_put_items(w, v, from, k, shift - 8);
            xg_proto_end(w, at);
            from = k;
        }
    }
}
XG_FN void xg_proto_put_ids(xg_proto_writer *w, uint32_t number, xg_inst *const *insts, uint32_t n) {
    size_t at;
    uint32_t k;
    if (!n) return;
    at = xg_proto_begin(w, number);
    for (k = 0; k < n; k++) xg_proto_put_varint(w, (uint64_t)xg_proto_id_of(w, insts[k]));
    xg_proto_end(w, at);
}
XG_FN void xg_proto_put_operands(xg_proto_writer *w, const xg_inst *i) {
    size_t at;
    uint32_t k;
    if (!i->n_operands) return;
    at = xg_proto_begin(w, XG_INST_OPERANDS);
    for (k = 0; k < i->n_operands; k++) xg_proto_put_varint(w, (uint64_t)xg_proto_id_of(w, i->operands[k].value));
    xg_proto_end(w, at);
}
XG_FN void xg_proto_put_predecessors(xg_proto_writer *w, const xg_inst *i) {
    uint32_t k;
    for (k = 0; k < i->n_attrs; k++)
        if (i->attrs[k].key == XG_A_control_predecessors)
            xg_proto_put_ids(w, XG_INST_PREDECESSORS, i->attrs[k].v.insts->p, i->attrs[k].v.insts->n);
}
/* Called computations, in the order of the format. */
XG_FN void xg_proto_put_called(xg_proto_writer *w, const xg_inst *i) {
    int64_t *ids = XG_NEW_N(w->arena, int64_t, (size_t)i->n_attrs + 2);
    xg_ints v;
    uint32_t k, n;
    v.p = ids;
    v.n = 0;
#define X(op_name, one, two) \
    if (i->op == XG_##op_name) { \
        ids[v.n++] = w->comps[xg_attr_comp(i, XG_A_##one)->id]; \
        ids[v.n++] = w->comps[xg_attr_comp(i, XG_A_##two)->id]; \
    }
    XG_PROTO_CALLS(X)
#undef X
    for (k = 0; k < i->n_attrs && !v.n; k++) {
        const xg_attr *a = &i->attrs[k];
        if (xg_attr_kind_of(a->key) != XG_K_COMPS) continue;
        ids = XG_NEW_N(w->arena, int64_t, a->v.comps->n);
        for (n = 0; n < a->v.comps->n; n++) ids[n] = w->comps[a->v.comps->p[n]->id];
        v.p = ids;
        v.n = a->v.comps->n;
    }
    n = v.n;
    for (k = 0; k < i->n_attrs && !n; k++) /* to_apply, calls; true and false branches */
        if (xg_attr_kind_of(i->attrs[k].key) == XG_K_COMP) ids[v.n++] = w->comps[i->attrs[k].v.comp->id];
    xg_proto_put_ints(w, XG_INST_CALLED, v);
}
/* In the format names are unique in the module; in the graph, in a computation. The first to have a name keeps it. */
XG_FN void xg_proto_put_name(xg_proto_writer *w, const xg_inst *i) {
    uint32_t k;
    xg_buf b;
    if (xg_dict_get(&w->names, i->name) == (const void *)i) {
        xg_proto_put_string(w, XG_INST_NAME, i->name);
        return;
    }
    xg_buf_init(&b, w->arena);
    for (k = 1;; k++) {
        b.n = 0;
        xg_printf(&b, "%.*s.%u", (int)i->name.n, i->name.p, k);
        if (xg_dict_put(&w->names, xg_str_of(b.p, b.n), (void *)(uintptr_t)i)) break;
    }
    xg_proto_put_string(w, XG_INST_NAME, xg_str_of(b.p, b.n));
}
/* One of XG_INST_*. */
XG_FN void xg_proto_put_part(xg_proto_writer *w, const xg_inst *i, uint32_t part) {
    switch (part) {
    case XG_INST_NAME: xg_proto_put_name(w, i); break;
    case XG_INST_OPCODE: xg_proto_put_string(w, part, xg_str_z(xg_op_name(i->op))); break;
    case XG_INST_SHAPE: xg_proto_put_shape(w, part, i->shape, true); break;
    case XG_INST_LITERAL:
        if (i->literal && !i->literal->elided) xg_proto_put_literal(w, part, i->literal);
        break;
    case XG_INST_PARAMETER: xg_proto_put_int(w, part, i->op == XG_PARAMETER ? i->number : 0); break;
    case XG_INST_ID: xg_proto_put_int(w, part, xg_proto_id_of(w, i)); break;
    case XG_INST_OPERANDS: xg_proto_put_operands(w, i); break;
    case XG_INST_PREDECESSORS: xg_proto_put_predecessors(w, i); break;
    case XG_INST_CALLED: xg_proto_put_called(w, i); break;
    default: break;
    }
}
XG_FN bool xg_proto_is_part(xg_attr_kind kind) { return kind == XG_K_COMP || kind == XG_K_COMPS || kind == XG_K_INSTS; }
XG_FN void xg_proto_put_inst(xg_proto_writer *w, const xg_inst *i) {
    XG_TABLE const uint8_t parts[] = {XG_INST_NAME, XG_INST_OPCODE, XG_INST_SHAPE, XG_INST_LITERAL, XG_INST_PARAMETER,
        XG_INST_ID, XG_INST_OPERANDS, XG_INST_PREDECESSORS, XG_INST_CALLED};
    size_t inst = xg_proto_begin(w, XG_COMP_INSTRUCTIONS);
    xg_mark mark = xg_arena_mark(w->arena);
    xg_proto_items v;
    uint32_t k, done = 0, upto;
    v.n = 0;
    for (k = 0; k < i->n_attrs; k++)
        if (!xg_proto_is_part(xg_attr_kind_of(i->attrs[k].key))) xg_proto_add_attr(w, &v, i, &i->attrs[k]);
#define X(op_name, a, b, number) \
    if (i->op == XG_##op_name) xg_proto_add_usual(&v, i, XG_PROTO_KEY(a, b, 0), number);
    XG_PROTO_USUAL(X)
#undef X
    for (k = 0; k < XG_COUNT(parts); k++) {
        for (upto = done; upto < v.n && v.p[upto].key >> 16 < parts[k]; upto++) {}
        xg_proto_put_items(w, &v, done, upto, 16);
        done = upto;
        xg_proto_put_part(w, i, parts[k]);
    }
    xg_proto_put_items(w, &v, done, v.n, 16);
    xg_arena_reset(w->arena, mark);
    xg_proto_end(w, inst);
}

/* ---- computations ---- */

XG_FN void xg_proto_put_program_shape(
    xg_proto_writer *w, uint32_t number, const xg_comp *c, const xg_shape *params, const xg_shape *result) {
    size_t at = xg_proto_begin(w, number);
    uint32_t k;
    for (k = 0; k < c->n_params; k++) xg_proto_put_shape(w, 1, params ? params->elems[k] : c->params[k]->shape, true);
    xg_proto_put_shape(w, 2, result ? result : c->root->shape, true);
    for (k = 0; k < c->n_params; k++) xg_proto_put_bytes(w, 3, c->params[k]->name);
    xg_proto_end(w, at);
}
XG_FN void xg_proto_put_comp(xg_proto_writer *w, const xg_comp *c, bool fusion) {
    size_t at = xg_proto_begin(w, XG_MODULE_COMPUTATIONS);
    uint32_t n = 0;
    XG_FOR_INSTS(i, c) w->locals[i->id] = n++;
    xg_proto_put_string(w, XG_COMP_NAME, c->name);
    XG_FOR_INSTS(i, c) xg_proto_put_inst(w, i);
    xg_proto_put_program_shape(w, XG_COMP_SHAPE, c, NULL, NULL);
    xg_proto_put_int(w, XG_COMP_ID, w->comps[c->id]);
    xg_proto_put_int(w, XG_COMP_ROOT, xg_proto_id_of(w, c->root));
    xg_proto_put_int(w, XG_COMP_IS_FUSION, fusion);
    xg_proto_put_string(w, XG_COMP_THREAD, c->execution_thread);
    xg_proto_end(w, at);
}

/* ---- the module ---- */

XG_FN void xg_proto_put_schedule(xg_proto_writer *w, const bool *fusions) {
    size_t schedule = xg_proto_begin(w, XG_MODULE_SCHEDULE), entry, sequence, ids;
    const xg_comp *c;
    for (c = w->m->first; c; c = c->next) {
        if (fusions[c->id]) continue;
        entry = xg_proto_begin(w, 1);
        xg_proto_put_int(w, 1, w->comps[c->id]);
        sequence = xg_proto_begin(w, 2);
        ids = xg_proto_begin(w, 1);
        XG_FOR_INSTS(i, c) xg_proto_put_varint(w, (uint64_t)xg_proto_id_of(w, i));
        xg_proto_end(w, ids);
        xg_proto_end(w, sequence);
        xg_proto_end(w, entry);
    }
    xg_proto_end(w, schedule);
}
XG_FN void xg_proto_put_aliases(xg_proto_writer *w) {
    size_t all = xg_proto_begin(w, XG_MODULE_ALIASES);
    uint32_t k;
    for (k = 0; k < w->m->n_aliases; k++) {
        const xg_io_alias *a = &w->m->aliases[k];
        size_t at = xg_proto_begin(w, 1);
        xg_proto_put_ints(w, 1, a->output);
        xg_proto_put_int(w, 2, a->param);
        xg_proto_put_ints(w, 3, a->param_index);
        xg_proto_put_int(w, 4, a->must ? 2 : 1);
        xg_proto_end(w, at);
    }
    xg_proto_end(w, all);
}
XG_FN void xg_proto_put_donors(xg_proto_writer *w) {
    size_t all = xg_proto_begin(w, XG_MODULE_DONORS);
    uint32_t k;
    for (k = 0; k < w->m->n_donors; k++) {
        size_t at = xg_proto_begin(w, 1);
        xg_proto_put_int(w, 1, w->m->donors[k].param);
        xg_proto_put_ints(w, 2, w->m->donors[k].param_index);
        xg_proto_end(w, at);
    }
    xg_proto_end(w, all);
}
/* The counts of replicas and partitions live in a module's configuration; the module itself can say them by an
 * assignment of devices: here the usual one, which counts them. */
XG_FN void xg_proto_put_counts(xg_proto_writer *w) {
    size_t all = xg_proto_begin(w, XG_MODULE_DEVICES), at, list;
    int64_t replica, partition, replicas = w->m->replica_count, partitions = w->m->num_partitions;
    if (replicas > XG_GROUP_IDS_MAX / partitions)
        xg_fail(w->ctx, XLAGPU_ERROR_LIMIT, "error: HLO protobuf: a module for more than %d devices",
            (int)XG_GROUP_IDS_MAX);
    xg_proto_put_int(w, 1, replicas);
    xg_proto_put_int(w, 2, partitions);
    for (partition = 0; partition < partitions; partition++) {
        at = xg_proto_begin(w, 3);
        list = xg_proto_begin(w, 1);
        for (replica = 0; replica < replicas; replica++)
            xg_proto_put_varint(w, (uint64_t)(replica * partitions + partition));
        xg_proto_end(w, list);
        xg_proto_end(w, at);
    }
    xg_proto_end(w, all);
}
XG_FN void xg_proto_put_frontend(xg_proto_writer *w) {
    size_t at = xg_proto_begin(w, XG_MODULE_FRONTEND);
    uint32_t k;
    if (w->m->has_device) {
        xg_buf device;
        xg_buf_init(&device, w->arena);
        xg_device_print(&device, &w->m->device);
        xg_proto_put_entry(w, XG_STR(XG_HLO_DEVICE_KEY), xg_str_of(device.p, device.n));
    }
    for (k = 0; k < w->m->n_header; k++)
        if (xg_str_is(w->m->header[k].name, "frontend_attributes")) xg_proto_put_entries(w, w->m->header[k].text);
    if (w->b.n == at)
        w->b.n = at - 3; /* nothing to say: without its tag of two bytes and its length */
    else
        xg_proto_end(w, at);
}
XG_APART XG_FN void xg_proto_put_module(xg_proto_writer *w, const bool *fusions) {
    const xg_module *m = w->m;
    const xg_comp *c;
    xg_proto_put_string(w, XG_MODULE_NAME, m->name);
    xg_proto_put_string(w, XG_MODULE_ENTRY_NAME, m->entry->name);
    for (c = m->first; c; c = c->next) xg_proto_put_comp(w, c, fusions[c->id]);
    xg_proto_put_program_shape(w, XG_MODULE_SHAPE, m->entry, m->entry_params, m->entry_result);
    xg_proto_put_int(w, XG_MODULE_ENTRY_ID, w->comps[m->entry->id]);
    if (m->is_scheduled) xg_proto_put_schedule(w, fusions);
    if (m->n_aliases) xg_proto_put_aliases(w);
    if (m->replica_count != 1 || m->num_partitions != 1) xg_proto_put_counts(w);
    if (m->stack.text.n) xg_proto_put_stack(w, m->stack.text);
    if (m->n_donors) xg_proto_put_donors(w);
    xg_proto_put_frontend(w);
}
XG_APART XG_FN void xg_proto_writer_init(xg_proto_writer *w, const xg_module *m, xg_arena *a) {
    uint32_t n, k, ids = 1;
    const xg_proto_row *rows = xg_proto_rows(&n);
    const xg_comp *c;
    memset(w, 0, sizeof *w);
    w->ctx = m->ctx;
    w->arena = xg_arena_inner(a);
    w->m = m;
    w->locals = XG_NEW_N(w->arena, uint32_t, m->n_ids);
    w->comps = XG_NEW_N(w->arena, int64_t, m->n_comp_ids);
    w->next_row = XG_NEW_N(w->arena, uint8_t, n);
    for (k = n; k-- > 0;) {
        w->next_row[k] = w->first_row[rows[k].attr];
        w->first_row[rows[k].attr] = (uint8_t)(k + 1);
    }
    xg_dict_init(&w->names, xg_arena_inner(a));
    for (c = m->first; c; c = c->next) {
        w->comps[c->id] = ids++;
        XG_FOR_INSTS(i, c) xg_dict_put_lasting(&w->names, i->name, i);
    }
}
XG_FN void xg_proto_print(xg_buf *b, const xg_module *m, bool wrapped) {
    xg_proto_writer w;
    size_t at = 0;
    bool *fusions;
    const xg_comp *c;
    xg_proto_writer_init(&w, m, b->arena);
    w.b = *b;
    fusions = XG_NEW_N(w.arena, bool, m->n_comp_ids);
    for (c = m->first; c; c = c->next)
        XG_FOR_INSTS(i, c)
            if (i->op == XG_FUSION) fusions[xg_attr_calls(i)->id] = true;
    if (wrapped) at = xg_proto_begin(&w, XG_HLO_PROTO_MODULE);
    xg_proto_put_module(&w, fusions);
    if (wrapped) xg_proto_end(&w, at);
    *b = w.b;
}

#endif /* XG_IMPORT_PROTO_WRITE_C */
