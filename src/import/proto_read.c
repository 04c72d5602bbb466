/* import/proto_read.c -- HloModuleProto to a module: instructions, computations, the module, what it is wrapped in.
 *
 * An instruction's fields are gathered first, for its opcode may come behind the attributes whose meaning it decides.
 * Those of nested messages that hold several attributes (dimension numbers) are gathered with the path as key.
 *
 * Laws
 * - Operands, control predecessors and called computations are named by ids that were defined above, as XLA writes
 *   them. An instruction's id counts in its low 32 bits, within its computation: newer writers put the computation's
 *   id above them.
 * - Where the module has a schedule, instructions are made in its order. */
#ifndef XG_IMPORT_PROTO_READ_C
#define XG_IMPORT_PROTO_READ_C
#include "proto.h"
#include "proto_attr.c"

/* ---- names and ids ---- */

XG_FN xg_str xg_proto_name(xg_proto *p, xg_str s) { return xg_import_name(p->arena, s); }
XG_FN uint32_t xg_proto_local(int64_t id) { return (uint32_t)((uint64_t)id & UINT32_MAX); }
XG_FN xg_inst *xg_proto_inst_of(const xg_proto *p, int64_t id) {
    uint32_t local = xg_proto_local(id);
    return local < p->n_near ? p->near_ids[local] : (xg_inst *)xg_map64_get(&p->far_ids, local);
}
XG_FN void xg_proto_define(xg_proto *p, const unsigned char *at, int64_t id, xg_inst *i) {
    uint32_t local = xg_proto_local(id);
    const xg_inst *other = xg_proto_inst_of(p, id);
    if (other)
        xg_proto_fail(p, at, "ids are unique in a computation", "instruction %.*s has the id %lld of %.*s",
            (int)XG_MIN(i->name.n, 200u), i->name.p, (long long)id, (int)XG_MIN(other->name.n, 200u), other->name.p);
    if (local < p->n_near)
        p->near_ids[local] = i;
    else
        xg_map64_put(&p->far_ids, local, i);
}
/* Pushes the instructions with these ids. */
XG_FN void xg_proto_push_insts(xg_proto *p, const xg_proto_field *f, const char *what) {
    uint32_t base = p->parse->ints.n, k;
    xg_proto_push_ints(p, f);
    for (k = base; k < p->parse->ints.n; k++) {
        xg_inst *i = xg_proto_inst_of(p, p->parse->ints.p[k]);
        if (!i)
            xg_proto_fail(p, f->at, "an instruction is defined before its first use, in the same computation",
                "no instruction with the id %lld of %s is defined above", (long long)p->parse->ints.p[k], what);
        xg_push(p->arena, xg_inst *, &p->parse->insts, i);
    }
    p->parse->ints.n = base;
}

/* ---- instructions ---- */

typedef struct xg_proto_inst {
    xg_proto_bytes bytes;
    xg_str name, opcode;
    int64_t id, number;
    xg_proto_bytes shape, literal;
    xg_proto_field predecessors;
    uint32_t fields, called; /* heights of the stacks */
    bool has_predecessors;
} xg_proto_inst;

/* Does the message with this key hold attributes of its own? */
XG_FN bool xg_proto_holds_rows(const xg_proto *p, uint32_t key) {
    uint32_t n, k = p->first_row[key >> 16], shift = key & 0xFF00 ? 8 : 16;
    const xg_proto_row *rows = xg_proto_rows(&n);
    for (; k && k <= n && rows[k - 1].key >> 16 == key >> 16; k++)
        if (rows[k - 1].key != key && rows[k - 1].key >> shift == key >> shift) return true;
    return false;
}
XG_FN void xg_proto_gather(xg_proto *p, xg_proto_field *f, uint32_t key) {
    xg_proto_bytes m;
    xg_proto_field part;
    uint32_t shift = key & 0xFF00 ? 0 : 8;
    f->number = key;
    if (f->wire != XG_WIRE_BYTES || key & 0xFF || !xg_proto_holds_rows(p, key)) {
        xg_push(p->arena, xg_proto_field, &p->fields, *f);
        return;
    }
    m = f->bytes;
    while (xg_proto_next(p, &m, &part))
        if (part.number < 256) xg_proto_gather(p, &part, key | part.number << shift);
}
XG_FN void xg_proto_payload(xg_proto *p, xg_proto_field *f) {
    xg_proto_field value;
    int64_t id;
    if (xg_proto_find(p, xg_proto_message(p, f), 1, &value))
        f->bytes = xg_proto_message(p, &value);
    else {
        id = xg_proto_int_of(p, f->bytes, 2);
        if (id < 0 || id >= p->payloads.n)
            xg_proto_fail(p, f->at, NULL, "payload %lld of a module with %u", (long long)id, p->payloads.n);
        f->bytes = p->payloads.p[id];
    }
    if (f->bytes.p == f->bytes.end) return;
    f->number = XG_PROTO_KEY(43, 0, 0);
    xg_push(p->arena, xg_proto_field, &p->fields, *f);
}
XG_APART XG_FN void xg_proto_inst_field(xg_proto *p, xg_proto_inst *v, xg_proto_field *f) {
    switch (f->number) {
    case XG_INST_NAME: v->name = xg_proto_str(p, f); break;
    case XG_INST_OPCODE: v->opcode = xg_proto_str(p, f); break;
    case XG_INST_SHAPE: v->shape = xg_proto_message(p, f); break;
    case XG_INST_PARAMETER: v->number = xg_proto_int(p, f); break;
    case XG_INST_ID: v->id = xg_proto_int(p, f); break;
    case XG_INST_OPERANDS: xg_proto_push_insts(p, f, "an operand"); break;
    case XG_INST_CALLED: xg_proto_push_ints(p, f); break;
    case XG_INST_PREDECESSORS:
        v->predecessors = *f;
        v->has_predecessors = f->bytes.p < f->bytes.end || f->wire == XG_WIRE_VARINT;
        break;
    case XG_INST_CONFIG_PAYLOAD: xg_proto_payload(p, f); break;
    case XG_INST_LITERAL: v->literal = xg_proto_message(p, f); /* fall through */
    default:
        if (f->number >= XG_COUNT(p->first_row) || !p->first_row[f->number]) break;
        xg_proto_gather(p, f, XG_PROTO_KEY(f->number, 0, 0));
    }
}
XG_FN void xg_proto_fail_opcode(xg_proto *p, const xg_proto_inst *v) {
    char word[64];
    const char *nearby = xg_nearest(v->opcode, xg_parse_op_name, NULL);
    xg_format(word, sizeof word, "did you mean '%s'?", nearby ? nearby : "");
    xg_proto_fail(p, v->bytes.p, nearby ? word : "it may be newer than this reader",
        "instruction %.*s has the opcode '%.*s', which is not known", (int)XG_MIN(v->name.n, 200u), v->name.p,
        (int)XG_MIN(v->opcode.n, 100u), v->opcode.p);
}
XG_FN void xg_proto_push_attr(xg_proto *p, xg_parse_rhs *r, xg_attr a) {
    xg_attr_set_add(&r->seen, (uint32_t)a.key);
    xg_push(p->arena, xg_attr, &p->parse->attrs, a);
}
/* The opcode; for one of the comparisons of old files, its direction too. */
XG_APART XG_FN void xg_proto_opcode(xg_proto *p, const xg_proto_inst *v, xg_parse_rhs *r) {
    size_t op = (size_t)(uintptr_t)xg_dict_get(&p->parse->ops, v->opcode);
    r->op_text = v->opcode;
    if (op) {
        r->op = (xg_opcode)(op - 1);
        return;
    }
#define X(old, direction) \
    if (xg_str_is(v->opcode, old)) { \
        xg_proto_push_attr(p, r, xg_attr_make_str(p->m, XG_A_direction, XG_STR(direction))); \
        r->op = XG_COMPARE; \
        return; \
    }
    XG_PROTO_OLD_COMPARES(X)
#undef X
    xg_proto_fail_opcode(p, v);
}

/* ---- attributes ---- */

/* The row that gives the field with this key its meaning in the opcode; NULL: none does. */
XG_FN const xg_proto_row *xg_proto_row_of(const xg_proto *p, const xg_parse_rhs *r, uint32_t key) {
    const xg_attr_set *allowed = &p->parse->op_attrs[r->op].allowed;
    uint32_t n, k = p->first_row[key >> 16];
    const xg_proto_row *rows = xg_proto_rows(&n), *any = NULL;
    for (; k && k <= n && rows[k - 1].key >> 16 == key >> 16; k++) {
        const xg_proto_row *row = &rows[k - 1];
        if (row->key != key || !xg_attr_set_has(allowed, row->attr)) continue;
        if (row->op == (int)r->op) return row;
        if (row->op == (int)XG_PROTO_ANY) any = row;
    }
    return any;
}
/* An empty message or string, where that says nothing. An empty sharding is a replicated one, and an empty entry of a
 * list is one of zeros. */
XG_FN bool xg_proto_says_nothing(const xg_proto_row *row, const xg_proto_field *f) {
    if (f->wire != XG_WIRE_BYTES || f->bytes.p != f->bytes.end) return false;
    switch (xg_attr_kind_of((xg_attr_key)row->attr)) {
    case XG_K_METADATA:
    case XG_K_CONFIG:
    case XG_K_SHAPE:
    case XG_K_LITERAL:
    case XG_K_DIM_LABELS: return true;
    case XG_K_RAW: return row->attr != XG_A_domain;
    default: return false;
    }
}
XG_APART XG_FN void xg_proto_attrs(xg_proto *p, const xg_proto_inst *v, xg_parse_rhs *r) {
    uint32_t k, end = p->fields.n;
    for (k = v->fields; k < end; k++) {
        const xg_proto_row *row = xg_proto_row_of(p, r, p->fields.p[k].number);
        xg_attr a;
        if (!row || xg_attr_set_has(&r->seen, row->attr)) continue;
        if (xg_proto_says_nothing(row, &p->fields.p[k])) continue;
        memset(&a, 0, sizeof a);
        a.key = (xg_attr_key)row->attr;
        if (xg_proto_read_row(p, row, k, end, &a)) {
            xg_parse_settle_words(p->parse, r->op, &a);
            xg_proto_push_attr(p, r, a);
        }
    }
}
/* Attributes that must be there and say zero or nothing have no fields. */
XG_FN bool xg_proto_default_of(xg_proto *p, const xg_proto_row *row, xg_attr *a) {
    switch (xg_attr_kind_of((xg_attr_key)row->attr)) {
    case XG_K_COMP:
    case XG_K_COMPS:
    case XG_K_SHAPE:
    case XG_K_LITERAL:
    case XG_K_DIM_LABELS: return false;
    default: return xg_proto_read_row(p, row, 0, 0, a);
    }
}
XG_APART XG_FN void xg_proto_defaults(xg_proto *p, xg_parse_rhs *r) {
    xg_attr_set need = p->parse->op_attrs[r->op].required;
    uint32_t n, k, w;
    const xg_proto_row *rows = xg_proto_rows(&n);
    uint64_t missing = 0;
    if (xg_attr_set_has(&p->parse->op_attrs[r->op].allowed, XG_A_replica_groups))
        xg_attr_set_add(&need, XG_A_replica_groups);
#define X(name, attr) \
    if (r->op == XG_##name) xg_attr_set_add(&need, XG_A_##attr);
    XG_PROTO_ALWAYS(X)
#undef X
    for (w = 0; w < XG_ATTR_WORDS; w++) missing |= need.w[w] & ~r->seen.w[w];
    for (k = 0; missing && k < n; k++) {
        uint32_t attr = rows[k].attr;
        xg_attr a;
        if (!xg_attr_set_has(&need, attr) || xg_attr_set_has(&r->seen, attr)) continue;
        if (rows[k].op != (int)XG_PROTO_ANY && rows[k].op != (int)r->op) continue;
        memset(&a, 0, sizeof a);
        a.key = (xg_attr_key)rows[k].attr;
        if (xg_proto_default_of(p, &rows[k], &a)) xg_proto_push_attr(p, r, a);
    }
}

XG_FN xg_comp *xg_proto_comp_of(xg_proto *p, const xg_proto_inst *v, int64_t id) {
    xg_comp *c = (xg_comp *)xg_map64_get(&p->comps, (uint64_t)id);
    if (!c)
        xg_proto_fail(p, v->bytes.p, "a computation is defined before its first use",
            "instruction %.*s calls computation %lld, but none with that id is defined above",
            (int)XG_MIN(v->name.n, 200u), v->name.p, (long long)id);
    return c;
}
XG_FN void xg_proto_call_one(xg_proto *p, const xg_proto_inst *v, xg_parse_rhs *r, xg_attr_key key, uint32_t k) {
    uint32_t at = v->called + k;
    if (at < p->parse->ints.n)
        xg_proto_push_attr(p, r, xg_attr_make_comp(key, xg_proto_comp_of(p, v, p->parse->ints.p[at])));
}
XG_FN void xg_proto_call_all(xg_proto *p, const xg_proto_inst *v, xg_parse_rhs *r, xg_attr_key key) {
    uint32_t n = p->parse->ints.n - v->called, k;
    xg_comps *comps = XG_NEW(p->arena, xg_comps);
    xg_attr a = xg_attr_make(key);
    if (!n) return;
    comps->n = n;
    comps->p = XG_NEW_N(p->arena, xg_comp *, n);
    for (k = 0; k < n; k++) comps->p[k] = xg_proto_comp_of(p, v, p->parse->ints.p[v->called + k]);
    a.v.comps = comps;
    xg_proto_push_attr(p, r, a);
}
XG_FN bool xg_proto_branches_on_pred(const xg_proto *p, const xg_parse_rhs *r) {
    return p->parse->insts.n > r->operands && p->parse->insts.p[r->operands]->shape->type == XLAGPU_PRED;
}
XG_APART XG_FN void xg_proto_calls(xg_proto *p, const xg_proto_inst *v, xg_parse_rhs *r) {
    const xg_attr_set *allowed = &p->parse->op_attrs[r->op].allowed;
#define X(op_name, one, two) \
    if (r->op == XG_##op_name) { \
        xg_proto_call_one(p, v, r, XG_A_##one, 0); \
        xg_proto_call_one(p, v, r, XG_A_##two, 1); \
        return; \
    }
    XG_PROTO_CALLS(X)
#undef X
    if (r->op == XG_CONDITIONAL && xg_proto_branches_on_pred(p, r)) {
        xg_proto_call_one(p, v, r, XG_A_true_computation, 0);
        xg_proto_call_one(p, v, r, XG_A_false_computation, 1);
    } else if (r->op == XG_CONDITIONAL)
        xg_proto_call_all(p, v, r, XG_A_branch_computations);
    else if (xg_attr_set_has(allowed, XG_A_called_computations))
        xg_proto_call_all(p, v, r, XG_A_called_computations);
    else if (xg_attr_set_has(allowed, XG_A_to_apply))
        xg_proto_call_one(p, v, r, XG_A_to_apply, 0);
    else if (xg_attr_set_has(allowed, XG_A_calls))
        xg_proto_call_one(p, v, r, XG_A_calls, 0);
}
XG_FN void xg_proto_predecessors(xg_proto *p, const xg_proto_inst *v, xg_parse_rhs *r) {
    uint32_t base = p->parse->insts.n;
    xg_insts *insts = XG_NEW(p->arena, xg_insts);
    xg_attr a = xg_attr_make(XG_A_control_predecessors);
    xg_proto_push_insts(p, &v->predecessors, "a control predecessor");
    insts->n = p->parse->insts.n - base;
    insts->p = XG_NEW_N(p->arena, xg_inst *, insts->n);
    memcpy((void *)insts->p, (const void *)(p->parse->insts.p + base), insts->n * sizeof *insts->p);
    p->parse->insts.n = base;
    a.v.insts = insts;
    xg_proto_push_attr(p, r, a);
}
/* A comparison's type that follows from its operands is not written in text. */
XG_FN void xg_proto_drop_usual_type(xg_proto *p, xg_parse_rhs *r) {
    xlagpu_type t;
    const char *usual;
    uint32_t k;
    if (r->op != XG_COMPARE || p->parse->insts.n == r->operands) return;
    t = p->parse->insts.p[r->operands]->shape->type;
    usual = xg_type_class(t) & (XGT_F | XGT_C)      ? "FLOAT"
            : t != XLAGPU_PRED && xg_type_signed(t) ? "SIGNED"
                                                    : "UNSIGNED";
    for (k = r->attrs; k < p->parse->attrs.n; k++) {
        if (p->parse->attrs.p[k].key != XG_A_type || !xg_str_is(*p->parse->attrs.p[k].v.str, usual)) continue;
        p->parse->attrs.p[k] = p->parse->attrs.p[--p->parse->attrs.n];
        return;
    }
}

XG_APART XG_FN xg_inst *xg_proto_build(xg_proto *p, const xg_proto_inst *v, xg_parse_rhs *r) {
    xg_proto_attrs(p, v, r);
    xg_proto_calls(p, v, r);
    if (v->has_predecessors) xg_proto_predecessors(p, v, r);
    xg_proto_defaults(p, r);
    xg_proto_drop_usual_type(p, r);
    if (r->op == XG_PARAMETER) {
        r->number = v->number;
        if (v->number < 0) xg_proto_fail(p, v->bytes.p, NULL, "a parameter's number cannot be negative");
    }
    if (r->op == XG_CONSTANT) {
        bool tuple = r->shape->type == XLAGPU_TUPLE;
        if (!tuple && !xg_shape_is_array(r->shape))
            xg_proto_fail(p, v->bytes.p, NULL, "a constant of type %s", xg_type_name(r->shape->type));
        if (!v->literal.p && !r->shape->rank && !tuple)
            xg_proto_fail(p, v->bytes.p, NULL, "a scalar constant without its value");
        r->literal = v->literal.p ? xg_proto_literal_of(p, v->literal, r->shape)
                                  : xg_literal_make(p->arena, r->shape, tuple || r->shape->elements > 0);
    }
    xg_parse_check_operands(p->parse, r);
    return xg_parse_build(p->parse, r);
}
XG_APART XG_FN xg_inst *xg_proto_read_inst(xg_proto *p, xg_proto_bytes bytes) {
    xg_proto_inst v;
    xg_proto_field f;
    xg_parse_rhs r;
    xg_inst *i;
    memset(&v, 0, sizeof v);
    memset(&r, 0, sizeof r);
    v.bytes = bytes;
    v.fields = p->fields.n;
    v.called = p->parse->ints.n;
    r.at = r.op_at = (size_t)(bytes.p - p->base);
    r.operands = p->parse->insts.n;
    r.attrs = p->parse->attrs.n;
    while (xg_proto_next(p, &bytes, &f)) xg_proto_inst_field(p, &v, &f);
    if (!v.shape.p) xg_proto_fail(p, v.bytes.p, NULL, "an instruction without a shape");
    p->m->at = (uint32_t)r.at + 1;
    xg_proto_opcode(p, &v, &r);
    r.shape = xg_proto_shape(p, v.shape);
    i = xg_proto_build(p, &v, &r);
    p->fields.n = v.fields;
    p->parse->ints.n = v.called;
    xg_inst_give_name(i, xg_proto_name(p, v.name));
    xg_proto_define(p, v.bytes.p, v.id, i);
    return i;
}

/* ---- computations ---- */

typedef struct xg_proto_comp {
    xg_proto_bytes bytes;
    xg_str name, thread;
    int64_t id, root;
    XG_VEC(xg_proto_bytes) insts;
} xg_proto_comp;

/* Puts the instructions into the order of the schedule, which names each once. */
XG_APART XG_FN void xg_proto_order(xg_proto *p, xg_proto_comp *v, const xg_proto_bytes *sequence) {
    xg_ints ids = xg_proto_ints_of(p, *sequence, 1);
    xg_proto_bytes *ordered = XG_NEW_N(p->arena, xg_proto_bytes, v->insts.n);
    xg_map64 places;
    uint32_t k;
    if (ids.n != v->insts.n)
        xg_proto_fail(p, sequence->p, NULL, "the schedule has %u instructions of computation %.*s, which has %u", ids.n,
            (int)XG_MIN(v->name.n, 200u), v->name.p, v->insts.n);
    xg_map64_init(&places, p->arena);
    for (k = 0; k < ids.n; k++) {
        if (xg_map64_get(&places, xg_proto_local(ids.p[k])))
            xg_proto_fail(p, sequence->p, NULL, "the schedule names instruction %lld twice", (long long)ids.p[k]);
        xg_map64_put(&places, xg_proto_local(ids.p[k]), (void *)&ordered[k]);
    }
    for (k = 0; k < v->insts.n; k++) {
        int64_t id = xg_proto_int_of(p, v->insts.p[k], XG_INST_ID);
        xg_proto_bytes *place = (xg_proto_bytes *)xg_map64_get(&places, xg_proto_local(id));
        if (!place || place->p)
            xg_proto_fail(p, v->insts.p[k].p, NULL, "the schedule lacks instruction %lld of computation %.*s",
                (long long)id, (int)XG_MIN(v->name.n, 200u), v->name.p);
        *place = v->insts.p[k];
    }
    v->insts.p = ordered;
}
XG_FN void xg_proto_begin_ids(xg_proto *p, uint32_t n) {
    p->n_near = 2 * n + 64;
    p->near_ids = XG_NEW_N(p->arena, xg_inst *, p->n_near);
    xg_map64_init(&p->far_ids, p->arena);
}
XG_FN void xg_proto_comp_insts(xg_proto *p, const xg_proto_comp *v, xg_comp *c) {
    uint32_t k;
    xg_proto_begin_ids(p, v->insts.n);
    xg_dict_reserve(&c->names, v->insts.n);
    p->parse->comp = c;
    for (k = 0; k < v->insts.n; k++) xg_proto_read_inst(p, v->insts.p[k]);
    if (!c->first) xg_proto_fail(p, v->bytes.p, NULL, "a computation without instructions");
    c->root = xg_proto_inst_of(p, v->root);
    if (!c->root)
        xg_proto_fail(p, v->bytes.p, NULL, "the root of computation %.*s is the instruction %lld, which it lacks",
            (int)XG_MIN(v->name.n, 200u), v->name.p, (long long)v->root);
    xg_parse_finish_comp(p->parse, c, p->parse->unnamed.n);
}
XG_APART XG_FN void xg_proto_read_comp(xg_proto *p, xg_proto_bytes m) {
    xg_comp *c = xg_comp_make(p->m);
    xg_proto_comp v;
    xg_proto_field f;
    const xg_proto_bytes *sequence;
    memset(&v, 0, sizeof v);
    v.bytes = m;
    while (xg_proto_next(p, &m, &f)) {
        if (f.number == XG_COMP_INSTRUCTIONS)
            xg_push(p->arena, xg_proto_bytes, &v.insts, xg_proto_message(p, &f));
        else if (f.number == XG_COMP_NAME)
            v.name = xg_proto_str(p, &f);
        else if (f.number == XG_COMP_ID)
            v.id = xg_proto_int(p, &f);
        else if (f.number == XG_COMP_ROOT)
            v.root = xg_proto_int(p, &f);
        else if (f.number == XG_COMP_THREAD)
            v.thread = xg_proto_str(p, &f);
    }
    c->source_at = (uint32_t)(v.bytes.p - p->base) + 1;
    if (xg_map64_get(&p->comps, (uint64_t)v.id))
        xg_proto_fail(
            p, v.bytes.p, "ids are unique in a module", "a second computation with the id %lld", (long long)v.id);
    sequence = (const xg_proto_bytes *)xg_map64_get(&p->schedules, (uint64_t)v.id);
    if (sequence) xg_proto_order(p, &v, sequence);
    xg_proto_comp_insts(p, &v, c);
    if (v.thread.n && !xg_str_is(v.thread, "main")) c->execution_thread = xg_str_copy(p->arena, v.thread);
    xg_comp_give_name(c, xg_proto_name(p, v.name));
    xg_comp_link(c, NULL);
    xg_map64_put(&p->comps, (uint64_t)v.id, c);
}

#endif /* XG_IMPORT_PROTO_READ_C */
