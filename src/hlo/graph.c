/* hlo/graph.c -- modules, computations, instructions: making, linking, changing; the attribute list of an instruction.
 *
 * Idea: an instruction owns an array of uses, one per operand; each use is a link in the doubly linked list of users
 * that its value keeps, oldest first. So every change of an edge is O(1), and replacing a value is O(its users).
 *
 * Laws
 * - A name once taken in a computation stays taken, also when its instruction is removed: dumps of two passes never use
 *   one name for two things.
 * - Attribute arrays are replaced, not edited, when they grow; clones never share one.
 * - Nothing here judges: arity, shapes and attributes are the parser's and the verifier's to check. */
#ifndef XG_HLO_GRAPH_C
#define XG_HLO_GRAPH_C
#include "hlo.h"

/* ---- the tables as functions ---- */

/* All names behind one another: a row says where its name begins, in two bytes where a pointer has eight. */
typedef struct xg_names {
#define X(name, text, lo, hi, flags, types, infer, index, eval, elem, fuse, attrs) char of_##name[sizeof(text)];
    XG_OPS(X)
#undef X
#define X(name, text, kind) char of_attr_##name[sizeof(text)];
    XG_ATTRS(X)
#undef X
} xg_names;
static const xg_names xg_name_texts = {
#define X(name, text, lo, hi, flags, types, infer, index, eval, elem, fuse, attrs) text,
    XG_OPS(X)
#undef X
#define X(name, text, kind) text,
        XG_ATTRS(X)
#undef X
};
typedef struct xg_op_row {
    const char *attrs;
    uint16_t name;
    uint8_t flags, length, types, lo, hi; /* hi 255: any number */
    uint8_t part;                         /* an xg_op_part */
} xg_op_row;
XG_TABLE const xg_op_row xg_op_rows[] = {
#define X(name, text, lo, hi, flags, types, infer, index, eval, elem, fuse, attrs) \
    {attrs, offsetof(xg_names, of_##name), (uint8_t)(flags), sizeof(text) - 1, types, lo, hi, XG_OP_##fuse},
    XG_OPS(X)
#undef X
};
typedef struct xg_attr_row {
    uint16_t name;
    uint8_t kind; /* an xg_attr_kind */
} xg_attr_row;
XG_TABLE const xg_attr_row xg_attr_rows[] = {
#define X(name, text, kind) {offsetof(xg_names, of_attr_##name), XG_K_##kind},
    XG_ATTRS(X)
#undef X
};

XG_ONE_COPY XG_FN const char *xg_op_name(xg_opcode op) { return (const char *)&xg_name_texts + xg_op_rows[op].name; }
XG_ONE_COPY XG_FN uint32_t xg_op_flags(xg_opcode op) { return xg_op_rows[op].flags; }
XG_FN bool xg_op_has_elements(xg_opcode op) {
    switch (op) {
#define X(name, text, lo, hi, flags, types, infer, index, eval, elem, fuse, attrs) \
    case XG_##name: return strcmp(#elem, "none") != 0;
        XG_OPS(X)
#undef X
    case XG_OPCODE_COUNT: break;
    }
    return false;
}
XG_FN xg_op_part xg_op_fuses(xg_opcode op) { return (xg_op_part)xg_op_rows[op].part; }
XG_FN uint32_t xg_op_types(xg_opcode op) { return xg_op_rows[op].types; }
XG_FN const char *xg_op_attrs(xg_opcode op) { return xg_op_rows[op].attrs; }
XG_ONE_COPY XG_FN const char *xg_attr_name(xg_attr_key k) {
    return (const char *)&xg_name_texts + xg_attr_rows[k].name;
}
XG_ONE_COPY XG_FN xg_attr_kind xg_attr_kind_of(xg_attr_key k) { return (xg_attr_kind)xg_attr_rows[k].kind; }

/* ---- names ---- */

/* ".17" at p; how long it is. */
XG_FN size_t xg_graph_number(char *p, uint32_t v) {
    char digits[16];
    size_t n = 0, k;
    for (; v || !n; v /= 10) digits[n++] = (char)('0' + v % 10);
    *p++ = '.';
    for (k = 0; k < n; k++) p[k] = digits[n - 1 - k];
    return n + 1;
}
/* A stem with the next number that is free. */
XG_FN xg_str xg_graph_numbered(xg_dict *taken, uint32_t *fresh, xg_str stem, void *val) {
    char little[128], *text = little;
    size_t n;
    if (stem.n + (size_t)16 > sizeof little) text = (char *)xg_alloc_raw(taken->arena, (size_t)stem.n + 16);
    memcpy(text, stem.p, stem.n);
    do n = stem.n + xg_graph_number(text + stem.n, ++*fresh);
    while (!xg_dict_put(taken, xg_str_of(text, n), val));
    return xg_dict_newest(taken);
}
/* The wish itself if it is free, else its stem with a number: "add.3" wished twice gives "add.1". A wish that lasts is
 * not copied. */
XG_FN xg_str xg_graph_name(xg_dict *taken, uint32_t *fresh, xg_str wish, bool lasts, void *val) {
    xg_str stem = wish;
    if (lasts ? xg_dict_put_lasting(taken, wish, val) : xg_dict_put(taken, wish, val)) return xg_dict_newest(taken);
    while (stem.n && stem.p[stem.n - 1] >= '0' && stem.p[stem.n - 1] <= '9') stem.n--;
    if (stem.n > 1 && stem.n < wish.n && stem.p[stem.n - 1] == '.')
        stem.n--;
    else
        stem = wish;
    return xg_graph_numbered(taken, fresh, stem, val);
}
XG_FN void xg_inst_take_name(xg_inst *i) {
    const xg_dict *d = &i->comp->names;
    i->name = xg_dict_newest(d);
    i->name_hash = d->items[d->n - 1].hash;
}
XG_FN void xg_inst_give_name(xg_inst *i, xg_str wish) {
    xg_comp *c = i->comp;
    xg_str word = xg_str_of(xg_op_name(i->op), xg_op_rows[i->op].length);
    if (wish.n)
        (void)xg_graph_name(&c->names, &c->fresh, wish, false, i);
    else if (c->taken[i->op / 32] >> i->op % 32 & 1)
        (void)xg_graph_numbered(&c->names, &c->fresh, word, i);
    else
        (void)xg_graph_name(&c->names, &c->fresh, word, true, i);
    xg_inst_take_name(i);
    if (!wish.n) c->taken[i->op / 32] |= (uint32_t)1 << i->op % 32;
}
/* The name of another one, which lasts, if it is free there. Its text is not looked at: it lies in no cache. */
XG_FN void xg_inst_keep_name(xg_inst *i, const xg_inst *of) {
    xg_comp *c = i->comp;
    if (!xg_dict_put_hashed(&c->names, of->name, of->name_hash, i))
        (void)xg_graph_name(&c->names, &c->fresh, of->name, true, i);
    xg_inst_take_name(i);
}
XG_FN void xg_comp_give_name(xg_comp *c, xg_str wish) {
    c->name =
        xg_graph_name(&c->module->comp_names, &c->module->fresh, wish.n ? wish : XG_STR("computation"), !wish.n, c);
}

/* ---- modules and computations ---- */

XG_FN xg_module *xg_module_new(xg_ctx *c, xg_arena *a, xg_str name) {
    xg_module *m = XG_NEW(a, xg_module);
    m->ctx = c;
    m->arena = a;
    m->nodes = xg_arena_inner(a);
    m->uses = xg_arena_inner(a);
    m->comps = xg_arena_inner(a);
    m->work = xg_arena_inner(a);
    xg_pool_init(&m->pool, a);
    xg_set_init(&m->shapes, a);
    xg_set_init(&m->layouts, a);
    xg_dict_init(&m->comp_names, a);
    m->name = xg_str_copy(a, name);
    m->replica_count = m->num_partitions = 1;
    m->compact_operands = true;
    (void)xg_device_of_cc(XG_HLO_CC, &m->device);
    return m;
}
XG_FN void xg_comp_link(xg_comp *c, xg_comp *before) {
    xg_module *m = c->module;
    c->next = before;
    c->prev = before ? before->prev : m->last;
    *(c->prev ? &c->prev->next : &m->first) = c;
    *(before ? &before->prev : &m->last) = c;
    m->n_comps++;
}
/* A computation that is in no list and has no name yet. */
XG_FN xg_comp *xg_comp_make(xg_module *m) {
    xg_comp *c = (xg_comp *)xg_alloc_lines(m->comps, sizeof *c);
    memset(c, 0, sizeof *c);
    c->module = m;
    c->id = m->n_comp_ids++;
    c->name = c->execution_thread = XG_STR("");
    xg_dict_init(&c->names, m->arena);
    return c;
}
XG_FN xg_comp *xg_comp_new(xg_module *m, xg_str name, xg_comp *before) {
    xg_comp *c = xg_comp_make(m);
    xg_comp_give_name(c, name);
    xg_comp_link(c, before);
    return c;
}
XG_FN void xg_comp_remove(xg_comp *c) {
    xg_module *m = c->module;
    *(c->prev ? &c->prev->next : &m->first) = c->next;
    *(c->next ? &c->next->prev : &m->last) = c->prev;
    c->prev = c->next = NULL;
    m->n_comps--;
}
XG_FN void xg_comp_reuse(xg_comp *c) {
    xg_inst *i, *prev;
    xg_comp_remove(c);
    for (i = c->last; i; i = prev) {
        prev = i->prev;
        i->next = c->module->spare;
        c->module->spare = i;
    }
    c->first = c->last = NULL;
}
XG_FN void xg_comp_set_param(xg_inst *i, int64_t number) {
    xg_comp *c = i->comp;
    XLAGPU_ASSERT(i->op == XG_PARAMETER && number >= 0 && number < INT32_MAX);
    i->number = number;
    if (c->params_cap < c->n_params) c->params_cap = c->n_params; /* an array that a pass made itself */
    while (c->params_cap <= (uint32_t)number)
        c->params =
            (xg_inst **)xg_vec_grow(c->module->uses, (const void *)c->params, &c->params_cap, sizeof *c->params);
    c->params[number] = i;
    c->n_params = XG_MAX(c->n_params, (uint32_t)number + 1);
}
XG_FN xg_inst *xg_comp_add_param(xg_comp *c, const xg_shape *shape, xg_str name) {
    xg_inst *before = c->first, *i;
    while (before && before->op == XG_PARAMETER) before = before->next;
    i = xg_inst_new(c, XG_PARAMETER, shape, NULL, 0, before, name.n ? name : XG_STR("param"));
    xg_comp_set_param(i, c->n_params);
    return i;
}
/* Of a computation that has its parameters first. */
XG_FN xg_inst *xg_comp_add_numbered_param(xg_comp *c, const xg_shape *shape) {
    xg_module *m = c->module;
    uint32_t n = c->n_params;
    xg_inst *i = xg_inst_make(c, XG_PARAMETER, shape, NULL, 0, n ? c->params[n - 1]->next : c->first);
    char name[32];
    if (n == m->param_names.n) {
        xg_format(name, sizeof name, "param_%u", n);
        xg_push(m->arena, xg_str, &m->param_names, xg_str_copy(m->arena, xg_str_z(name)));
    }
    (void)xg_graph_name(&c->names, &c->fresh, m->param_names.p[n], true, i);
    xg_inst_take_name(i);
    xg_comp_set_param(i, n);
    return i;
}
XG_FN void xg_comp_remove_param(xg_comp *c, uint32_t number) {
    uint32_t k;
    xg_inst *gone = c->params[number];
    xg_inst_remove(gone);
    for (k = number; k + 1 < c->n_params; k++) {
        c->params[k] = c->params[k + 1];
        c->params[k]->number = k;
    }
    c->params[--c->n_params] = NULL;
}

/* ---- edges ---- */

XG_FN void xg_use_link(xg_use *u, xg_inst *value) {
    xg_use *first = value->first_use;
    u->value = value;
    u->next = NULL;
    u->prev = first ? first->prev : u;
    *(first ? &first->prev->next : &value->first_use) = u;
    value->first_use->prev = u;
}
XG_FN void xg_use_unlink(xg_use *u) {
    xg_use *first = u->value->first_use;
    *(u == first ? &u->value->first_use : &u->prev->next) = u->next;
    (u->next ? u->next : first)->prev = u->prev;
    u->prev = u->next = NULL;
    u->value = NULL;
}

/* ---- instructions ---- */

XG_FN void xg_inst_link(xg_inst *i, xg_inst *before) {
    xg_comp *c = i->comp;
    i->next = before;
    i->prev = before ? before->prev : c->last;
    *(i->prev ? &i->prev->next : &c->first) = i;
    *(before ? &before->prev : &c->last) = i;
    c->n_insts++;
    c->n_control += i->op == XG_WHILE || i->op == XG_CONDITIONAL;
    c->n_fusions += i->op == XG_FUSION;
}
XG_FN void xg_trail_back(xg_trail *t, xg_inst *i) {
    xg_inst **last = &t->last[t->n++ % XG_TRAIL];
    if (*last) i->ahead = *last;
    *last = i;
}
XG_FN void xg_trail_on(xg_trail *t, xg_inst *i) {
    xg_inst **last = &t->last[t->n++ % XG_TRAIL];
    if (*last) (*last)->ahead = i;
    *last = i;
}
XG_FN void xg_inst_unlink(xg_inst *i) {
    xg_comp *c = i->comp;
    *(i->prev ? &i->prev->next : &c->first) = i->next;
    *(i->next ? &i->next->prev : &c->last) = i->prev;
    i->prev = i->next = NULL;
    c->n_insts--;
    c->n_control -= i->op == XG_WHILE || i->op == XG_CONDITIONAL;
    c->n_fusions -= i->op == XG_FUSION;
}
XG_FN void xg_inst_bring_calls(const xg_inst *i) {
    const xg_inst *next = i->next;
    if (!next) return;
    if (next->next) XG_PREFETCH(next->next->attrs);
    if (next->op == XG_FUSION) XG_PREFETCH(xg_attr_calls(next));
}
/* Linked into its computation and to its operands, but without a name. */
XG_FN xg_inst *xg_inst_make(
    xg_comp *c, xg_opcode op, const xg_shape *shape, xg_inst *const *operands, uint32_t n, xg_inst *before) {
    xg_module *m = c->module;
    xg_inst *i = m->spare;
    xg_use *uses = NULL;
    uint32_t k;
    if (i) {
        m->spare = i->next;
        if (n <= i->n_operands) uses = i->operands;
    } else
        i = (xg_inst *)xg_alloc_lines(m->nodes, sizeof *i);
    memset(i, 0, sizeof *i);
    i->op = op;
    m->made[op] = true;
    m->made_tuple |= !shape || shape->type == XLAGPU_TUPLE;
    i->id = m->n_ids++;
    i->name = XG_STR("");
    i->shape = shape;
    i->comp = c;
    i->ahead = (const xg_inst *)((uintptr_t)i + XG_INST_AHEAD);
    i->n_operands = n;
    i->operands = !n || uses ? uses : (xg_use *)xg_alloc_raw(m->uses, xg_mul(m->ctx, sizeof(xg_use), n));
    for (k = 0; k < n; k++) {
        i->operands[k].user = i;
        xg_use_link(&i->operands[k], operands[k]);
    }
    xg_inst_link(i, before);
    return i;
}
XG_FN xg_inst *xg_inst_new(xg_comp *c, xg_opcode op, const xg_shape *shape, xg_inst *const *operands, uint32_t n,
    xg_inst *before, xg_str name) {
    xg_inst *i = xg_inst_make(c, op, shape, operands, n, before);
    xg_inst_give_name(i, name);
    return i;
}
XG_FN void xg_inst_copy_attrs(xg_inst *to, const xg_inst *from) {
    if (!from->n_attrs) return;
    to->attrs = (xg_attr *)xg_alloc_raw(to->comp->module->uses, from->n_attrs * sizeof *to->attrs);
    memcpy(to->attrs, from->attrs, from->n_attrs * sizeof *to->attrs);
    to->n_attrs = from->n_attrs;
    to->kinds = from->kinds;
    if (to->comp != from->comp && xg_inst_order(to)) xg_inst_remove_attr(to, XG_A_control_predecessors);
}
XG_FN xg_inst *xg_inst_clone(xg_inst *i, xg_comp *to, xg_inst *const *operands, xg_inst *before) {
    xg_inst *made = xg_inst_make(to, i->op, i->shape, operands, i->n_operands, before);
    if (i->comp->module->arena == to->module->arena && i->name.n)
        xg_inst_keep_name(made, i);
    else {
        (void)xg_graph_name(&to->names, &to->fresh, i->name.n ? i->name : xg_str_z(xg_op_name(i->op)), false, made);
        xg_inst_take_name(made);
    }
    xg_inst_copy_attrs(made, i);
    made->literal = i->literal;
    made->source_at = i->source_at;
    if (i->op == XG_PARAMETER) xg_comp_set_param(made, i->number);
    return made;
}
XG_FN void xg_inst_move(xg_inst *i, xg_comp *to, xg_inst *const *operands) {
    uint32_t k;
    XLAGPU_ASSERT(i->op != XG_PARAMETER && i->comp->root != i && i->comp->module == to->module);
    xg_inst_unlink(i);
    i->comp = to;
    for (k = 0; k < i->n_operands; k++) { /* one that moved before it, too: users stand in the order of the moves */
        xg_use_unlink(&i->operands[k]);
        xg_use_link(&i->operands[k], operands[k]);
    }
    xg_inst_link(i, NULL);
    xg_inst_keep_name(i, i);
    if (xg_inst_order(i)) xg_inst_remove_attr(i, XG_A_control_predecessors);
}
XG_FN void xg_inst_remove(xg_inst *i) {
    uint32_t k;
    XLAGPU_ASSERT(!i->first_use && i->comp->root != i);
    for (k = 0; k < i->n_operands; k++) xg_use_unlink(&i->operands[k]);
    if (i->op == XG_PARAMETER && i->number < (int64_t)i->comp->n_params && i->comp->params[i->number] == i)
        i->comp->params[i->number] = NULL;
    xg_inst_unlink(i);
}
XG_FN void xg_inst_reuse(xg_inst *i) {
    xg_inst_remove(i);
    i->next = i->comp->module->spare;
    i->comp->module->spare = i;
}
XG_FN void xg_inst_set_operand(xg_inst *i, uint32_t index, xg_inst *to) {
    if (i->operands[index].value == to) return;
    xg_use_unlink(&i->operands[index]);
    xg_use_link(&i->operands[index], to);
}
XG_FN void xg_inst_drop_operands(xg_inst *i, uint32_t n) {
    uint32_t k;
    for (k = n; k < i->n_operands; k++) xg_use_unlink(&i->operands[k]);
    i->n_operands = XG_MIN(i->n_operands, n);
}
XG_FN void xg_inst_replace(xg_inst *from, xg_inst *to) {
    xg_use *u, *next;
    if (from == to) return;
    for (u = from->first_use; u; u = next) {
        next = u->next;
        if (u->user == to) continue;
        xg_use_unlink(u);
        xg_use_link(u, to);
    }
    if (from->comp->root == from) from->comp->root = to;
}
XG_FN void xg_inst_move_before(xg_inst *i, xg_inst *before) {
    if (i == before) return;
    xg_inst_unlink(i);
    xg_inst_link(i, before);
}
XG_FN uint32_t xg_inst_n_users(const xg_inst *i) {
    uint32_t n = 0;
    XG_FOR_USES(u, i) n++;
    return n;
}

/* ---- attributes ---- */

XG_FN const xg_attr *xg_inst_attr(const xg_inst *i, xg_attr_key k) {
    uint32_t n;
    if (!(i->kinds >> xg_attr_kind_of(k) & 1)) return NULL;
    for (n = 0; n < i->n_attrs && i->attrs[n].key <= k; n++)
        if (i->attrs[n].key == k) return &i->attrs[n];
    return NULL;
}
XG_FN bool xg_inst_may_call(const xg_inst *i) { return i->kinds & (1u << XG_K_COMP | 1u << XG_K_COMPS); }
XG_ONE_COPY XG_FN const xg_attr *xg_inst_order(const xg_inst *i) { return xg_inst_attr(i, XG_A_control_predecessors); }
XG_FN bool xg_inst_is_tf32(const xg_inst *i) {
    return (i->op == XG_DOT || i->op == XG_RAGGED_DOT || i->op == XG_CONVOLUTION) &&
           XG_OPERAND(i, 0)->shape->type == XLAGPU_F32 && XG_OPERAND(i, 1)->shape->type == XLAGPU_F32 &&
           xg_str_is(xg_attr_str(i, XG_A_algorithm), "dot_tf32_tf32_f32");
}
XG_FN bool xg_inst_is_default_precision(const xg_inst *i) {
    const xg_attr *a = xg_inst_attr(i, XG_A_operand_precision);
    uint32_t k;
    for (k = 0; a && k < a->v.words->n; k++)
        if (!xg_str_is(a->v.words->p[k], "default")) return false;
    return true;
}
XG_NOINLINE XG_FN void xg_inst_note_attr(xg_inst *i, xg_attr_key k) {
    if (k == XG_A_control_predecessors) i->comp->module->made_order = true;
    i->kinds = (i->kinds | 1u << xg_attr_kind_of(k)) & 0xFFFFFFu; /* as the bits that there are */
}
XG_FN void xg_inst_set_attr(xg_inst *i, xg_attr attr) {
    xg_attr *grown;
    uint32_t at = 0;
    xg_inst_note_attr(i, attr.key);
    while (at < i->n_attrs && i->attrs[at].key < attr.key) at++;
    if (at < i->n_attrs && i->attrs[at].key == attr.key) {
        i->attrs[at] = attr;
        return;
    }
    grown = XG_NEW_N(i->comp->module->uses, xg_attr, i->n_attrs + 1);
    if (at) memcpy(grown, i->attrs, at * sizeof *grown);
    grown[at] = attr;
    if (at < i->n_attrs) memcpy(grown + at + 1, i->attrs + at, (i->n_attrs - at) * sizeof *grown);
    i->attrs = grown;
    i->n_attrs++;
}
XG_FN void xg_inst_remove_attr(xg_inst *i, xg_attr_key k) {
    uint32_t from, to = 0;
    for (from = 0; from < i->n_attrs; from++)
        if (i->attrs[from].key != k) i->attrs[to++] = i->attrs[from];
    i->n_attrs = to & 0xFFu;
}
XG_FN int64_t xg_attr_int(const xg_inst *i, xg_attr_key k, int64_t otherwise) {
    const xg_attr *a = xg_inst_attr(i, k);
    return a ? a->v.i : otherwise;
}
XG_ONE_COPY XG_FN int64_t xg_attr_or_0(const xg_inst *i, xg_attr_key k) { return xg_attr_int(i, k, 0); }
XG_ONE_COPY XG_FN int64_t xg_attr_or_1(const xg_inst *i, xg_attr_key k) { return xg_attr_int(i, k, 1); }
XG_FN xg_ints xg_attr_ints(const xg_inst *i, xg_attr_key k) {
    const xg_attr *a = xg_inst_attr(i, k);
    xg_ints none = {NULL, 0};
    if (!a) return none;
    if (xg_attr_kind_of(k) == XG_K_INTLISTS) return a->v.lists->flat && a->v.lists->n ? a->v.lists->p[0] : none;
    return *a->v.ints;
}
XG_FN xg_str xg_attr_str(const xg_inst *i, xg_attr_key k) {
    const xg_attr *a = xg_inst_attr(i, k);
    if (!a) return XG_STR("");
    return xg_attr_kind_of(k) == XG_K_METADATA ? a->v.metadata->text : *a->v.str;
}
XG_ONE_COPY XG_FN bool xg_attr_is(const xg_inst *i, xg_attr_key k, const char *text) {
    return xg_str_is(xg_attr_str(i, k), text);
}
XG_FN xg_comp *xg_attr_comp(const xg_inst *i, xg_attr_key k) {
    const xg_attr *a = xg_inst_attr(i, k);
    return a ? a->v.comp : NULL;
}
XG_FN xg_attr xg_attr_make(xg_attr_key k) {
    xg_attr a;
    memset(&a, 0, sizeof a);
    a.key = k;
    return a;
}
/* Those that are asked for most, from hundreds of places. */
XG_ONE_COPY XG_FN xg_ints xg_attr_dims(const xg_inst *i) { return xg_attr_ints(i, XG_A_dimensions); }
XG_ONE_COPY XG_FN xg_comp *xg_attr_calls(const xg_inst *i) { return xg_attr_comp(i, XG_A_calls); }
XG_ONE_COPY XG_FN xg_comp *xg_attr_to_apply(const xg_inst *i) { return xg_attr_comp(i, XG_A_to_apply); }
XG_ONE_COPY XG_FN int64_t xg_attr_index(const xg_inst *i) { return xg_attr_or_0(i, XG_A_index); }
XG_FN xg_attr xg_attr_make_int(xg_attr_key k, int64_t v) {
    xg_attr a = xg_attr_make(k);
    a.v.i = v;
    return a;
}
XG_FN bool xg_ints_has(xg_ints s, int64_t v) {
    uint32_t k;
    for (k = 0; k < s.n; k++)
        if (s.p[k] == v) return true;
    return false;
}
XG_FN const xg_ints *xg_ints_new(xg_arena *arena, const int64_t *p, uint32_t n) {
    xg_ints *made = XG_NEW(arena, xg_ints);
    int64_t *copy = XG_NEW_N(arena, int64_t, n);
    if (n) memcpy(copy, p, n * sizeof *p);
    made->p = copy;
    made->n = n;
    return made;
}
XG_FN const xg_ints *xg_ints_kept(xg_module *m, const int64_t *p, uint32_t n) {
    const xg_ints **known = &m->ints[xg_hash(p, n * sizeof *p) % XG_COUNT(m->ints)];
    if (!*known || (*known)->n != n || (n && memcmp((*known)->p, p, n * sizeof *p) != 0))
        *known = xg_ints_new(m->arena, p, n);
    return *known;
}
XG_FN xg_attr xg_attr_make_ints(xg_module *m, xg_attr_key k, const int64_t *p, uint32_t n) {
    xg_attr a = xg_attr_make(k);
    if (xg_attr_kind_of(k) == XG_K_INTLISTS) {
        xg_int_lists *lists = XG_NEW(m->arena, xg_int_lists);
        lists->p = xg_ints_kept(m, p, n);
        lists->n = 1;
        lists->flat = true;
        a.v.lists = lists;
    } else
        a.v.ints = xg_ints_kept(m, p, n);
    return a;
}
XG_FN xg_attr xg_attr_make_str(xg_module *m, xg_attr_key k, xg_str s) {
    xg_attr a = xg_attr_make(k);
    xg_str *made = XG_NEW(m->arena, xg_str);
    *made = xg_intern(&m->pool, s);
    a.v.str = made;
    return a;
}
XG_FN xg_attr xg_attr_make_comp(xg_attr_key k, xg_comp *c) {
    xg_attr a = xg_attr_make(k);
    a.v.comp = c;
    return a;
}
XG_ONE_COPY XG_FN void xg_inst_set_int(xg_inst *i, xg_attr_key k, int64_t v) {
    xg_inst_set_attr(i, xg_attr_make_int(k, v));
}
XG_ONE_COPY XG_FN void xg_inst_set_comp(xg_inst *i, xg_attr_key k, xg_comp *c) {
    xg_inst_set_attr(i, xg_attr_make_comp(k, c));
}
XG_ONE_COPY XG_FN void xg_inst_set_ints(xg_inst *i, xg_attr_key k, const int64_t *p, uint32_t n) {
    xg_inst_set_attr(i, xg_attr_make_ints(i->comp->module, k, p, n));
}
XG_ONE_COPY XG_FN void xg_inst_set_one(xg_inst *i, xg_attr_key k, int64_t v) { xg_inst_set_ints(i, k, &v, 1); }
XG_ONE_COPY XG_FN void xg_inst_set_str(xg_inst *i, xg_attr_key k, xg_str s) {
    xg_inst_set_attr(i, xg_attr_make_str(i->comp->module, k, s));
}
XG_ONE_COPY XG_FN void xg_inst_set_text(xg_inst *i, xg_attr_key k, const char *z) {
    xg_inst_set_str(i, k, xg_str_z(z));
}
XG_FN void xg_inst_take_attrs(xg_inst *i, const xg_inst *from) {
    uint32_t k;
    for (k = 0; k < from->n_attrs; k++) xg_inst_set_attr(i, from->attrs[k]);
}

/* Where the text speaks of it, plus 1: of a fusion that the compiler made, where it speaks of what ends it. 0:
 * nowhere. */
static uint32_t xg_inst_place(const xg_inst *i) {
    const xg_comp *c = i->op == XG_FUSION ? xg_attr_calls(i) : NULL;
    uint32_t at = i->source_at;
    if (at || !c) return at;
    for (i = c->last; i && !at; i = i->prev) at = xg_inst_place(i);
    return at;
}
/* Where `name=` stands among the attributes of the instruction that begins there; 0: not in its line. */
XG_FN size_t xg_hlo_attr_place(const xg_source *source, size_t at, const char *name, size_t n) {
    const char *t = source->text;
    uint32_t depth = 0;
    for (; t[at] && (depth || t[at] != '\n'); at++) {
        if (t[at] == '"')
            for (at++; t[at] && t[at] != '"'; at++) at += t[at] == '\\' && t[at + 1];
        else if (t[at] == '(' || t[at] == '{' || t[at] == '[')
            depth++;
        else if (t[at] == ')' || t[at] == '}' || t[at] == ']') {
            if (!depth) return 0;
            depth--;
        } else if (!depth && t[at] == ',') {
            size_t from = at + 1;
            while (t[from] == ' ') from++;
            if (strncmp(t + from, name, n) == 0 && t[from + n] == '=') return from;
        }
        if (!t[at]) return 0;
    }
    return 0;
}
/* The place of the attribute that the message names first, as in "dimensions={0,0} names ..."; else the instruction's.
 */
XG_FN size_t xg_hlo_place_of(const xg_source *source, size_t at, const char *message) {
    const char *eq;
    uint32_t tried = 0;
    if (!source->text) return at;
    for (eq = strchr(message, '='); eq && tried < 4; eq = strchr(eq + 1, '='), tried++) { /* lines may be long */
        const char *from = eq;
        size_t place;
        while (from > message && ((from[-1] >= 'a' && from[-1] <= 'z') || from[-1] == '_' || from[-1] == '-')) from--;
        place = from < eq ? xg_hlo_attr_place(source, at, from, (size_t)(eq - from)) : 0;
        if (place) return place;
    }
    return at;
}
#ifdef XLAGPU_SMALL
XG_COLD XG_NORETURN XG_FN void xg_hlo_left_out(const xg_inst *i, const char *what) {
    xg_hlo_fail(
        i, XLAGPU_ERROR_UNSUPPORTED, "build it without XLAGPU_SMALL", "%s left out of this build (XLAGPU_SMALL)", what);
}
#endif
XG_COLD XG_NORETURN XG_FN void xg_hlo_raise(
    const xg_inst *i, xlagpu_status s, const char *hint, const char *format, va_list args) {
    xg_module *m = i->comp->module;
    uint32_t at = m->source ? xg_inst_place(i) : 0;
    char text[XG_MESSAGE_MAX / 2], who[256];
    bool named = !xg_str_is(i->name, xg_op_name(i->op)); /* StableHLO's instructions are called as their opcodes are */
    xg_vformat(text, sizeof text, format, args);
    xg_format(who, sizeof who, "%s%s%.*s", xg_op_name(i->op), named ? " " : "",
        named ? (int)XG_MIN(i->name.n, 200u) : 0, i->name.p);
    if (at) xg_fail_at(m->ctx, s, m->source, xg_hlo_place_of(m->source, at - 1, text), hint, "%s: %s", who, text);
    xg_fail(m->ctx, s, "%s in %.*s: %s%s%s", who, (int)XG_MIN(i->comp->name.n, 200u), i->comp->name.p, text,
        hint ? "; " : "", hint ? hint : "");
}
/* None of these returns, so none comes to a va_end. */
XG_NORETURN XG_FN void xg_hlo_fail(const xg_inst *i, xlagpu_status s, const char *hint, const char *format, ...) {
    va_list args;
    va_start(args, format);
    xg_hlo_raise(i, s, hint, format, args);
}
XG_NORETURN XG_FN void xg_hlo_invalid(const xg_inst *i, const char *hint, const char *format, ...) {
    va_list args;
    va_start(args, format);
    xg_hlo_raise(i, XLAGPU_ERROR_INVALID, hint, format, args);
}
XG_NORETURN XG_FN void xg_hlo_wrong(const xg_inst *i, const char *format, ...) {
    va_list args;
    va_start(args, format);
    xg_hlo_raise(i, XLAGPU_ERROR_INVALID, NULL, format, args);
}

#endif /* XG_HLO_GRAPH_C */
