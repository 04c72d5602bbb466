/* hlo/parse.c -- HLO text to a graph: computations, instructions, operands, names, asynchronous forms.
 *
 * Idea: recursive descent over one token of lookahead; everything is defined before it is used, so one pass makes the
 * graph. What an opcode may carry is read from its row in ops.h into a bit set once per parse. Names that the text does
 * not give (nested operands, x#1, inline computations) are chosen when all given ones are known, so they never clash.
 *
 * Laws
 * - Errors say what was wanted, what was found, where, and the nearest word that would have been right.
 * - Recursion is bounded by XG_TEXT_DEPTH_MAX; work is linear in the text.
 * - Only grammar, names, operand counts and the presence of attributes are judged here; shapes are the verifier's. */
#ifndef XG_HLO_PARSE_C
#define XG_HLO_PARSE_C
#include "text.h"
#include "graph.c"
#include "verify_attr.c"
#include "foreign.c"

/* ---- helpers ---- */

XG_FN void xg_parse_enter(xg_parse *p) {
    if (++p->depth > XG_TEXT_DEPTH_MAX)
        xg_fail_at(p->lex.ctx, XLAGPU_ERROR_LIMIT, p->lex.src, xg_lex_offset(&p->lex), NULL, "nested more than %d deep",
            (int)XG_TEXT_DEPTH_MAX);
}
XG_FN const char *xg_parse_did_you_mean(
    xg_parse *p, xg_str word, const char *(*names)(const void *, size_t), const void *user) {
    const char *nearby = xg_nearest(word, names, user);
    xg_buf b;
    if (!nearby) return NULL;
    xg_buf_init(&b, p->arena);
    xg_printf(&b, "did you mean '%s'?", nearby);
    return b.p;
}
XG_FN const char *xg_parse_dict_name(const void *dict, size_t i) {
    return i < ((const xg_dict *)dict)->n ? ((const xg_dict *)dict)->items[i].name : NULL;
}
XG_FN const char *xg_parse_op_name(const void *none, size_t i) {
    (void)none;
    return i < XG_OPCODE_COUNT ? xg_op_name((xg_opcode)i) : NULL;
}
XG_FN bool xg_parse_at_name(const xg_parse *p) { return p->lex.kind == XG_TOK_WORD || p->lex.kind == XG_TOK_NAME; }
XG_FN uint32_t xg_parse_line_of(const xg_parse *p, size_t offset) {
    uint32_t line = 1;
    size_t i;
    for (i = 0; i < offset; i++) line += p->lex.base[i] == '\n';
    return line;
}

/* ---- the tables, as bit sets ---- */

XG_FN bool xg_attr_set_has(const xg_attr_set *s, uint32_t k) { return (s->w[k / 64] >> (k % 64)) & 1; }
XG_ONE_COPY XG_FN void xg_attr_set_add(xg_attr_set *s, uint32_t k) { s->w[k / 64] |= UINT64_C(1) << (k % 64); }

XG_FN void xg_parse_read_row(xg_parse *p, xg_op_attrs_row *row, const char *words) {
    *row = p->op_attrs[XG_OPCODE_COUNT]; /* the common ones */
    while (*words) {
        size_t n = strcspn(words, " !"), k;
        if (n) {
            k = (size_t)(uintptr_t)xg_dict_get(&p->attr_names, xg_str_of(words, n));
            XLAGPU_ASSERT(k);
            xg_attr_set_add(&row->allowed, (uint32_t)k - 1);
            if (words[n] == '!') xg_attr_set_add(&row->required, (uint32_t)k - 1);
        }
        words += n + (words[n] != 0);
    }
}
XG_FN void xg_parse_read_tables(xg_parse *p) {
    XG_TABLE const xg_attr_key common[] = {
#define X(name, text, kind) XG_A_##name,
        XG_COMMON_ATTRS(X)
#undef X
    };
    uint32_t k;
    xg_dict_init(&p->ops, p->arena);
    xg_dict_init(&p->attr_names, p->arena);
    p->op_attrs = XG_NEW_N(p->arena, xg_op_attrs_row, XG_OPCODE_COUNT + 1);
    for (k = 0; k < XG_COUNT(common); k++)
        if (common[k] != XG_A_result_accuracy) /* rows with XGF_ACC name it */
            xg_attr_set_add(&p->op_attrs[XG_OPCODE_COUNT].allowed, (uint32_t)common[k]);
    for (k = 0; k < XG_ATTR_COUNT; k++)
        xg_dict_put(&p->attr_names, xg_str_z(xg_attr_name((xg_attr_key)k)), (void *)(uintptr_t)(k + 1));
    for (k = 0; k < XG_OPCODE_COUNT; k++) {
        xg_dict_put(&p->ops, xg_str_z(xg_op_name((xg_opcode)k)), (void *)(uintptr_t)(k + 1));
        xg_parse_read_row(p, &p->op_attrs[k], xg_op_attrs((xg_opcode)k));
    }
}

/* ---- names of things ---- */

XG_FN xg_comp *xg_parse_body(xg_parse *p, xg_comp *c);
XG_FN xg_comp *xg_parse_inline(xg_parse *p) {
    xg_comp *c = xg_comp_make(p->m);
    bool single = p->single;
    p->single = false;
    c->source_at = (uint32_t)xg_lex_offset(&p->lex) + 1;
    xg_parse_body(p, c);
    xg_comp_link(c, NULL);
    xg_push(p->arena, xg_comp *, &p->unnamed_comps, c);
    p->single = single;
    return c;
}
XG_FN xg_comp *xg_parse_comp_ref(xg_parse *p) {
    xg_comp *c;
    if (p->lex.kind == '{') return xg_parse_inline(p);
    if (!xg_parse_at_name(p))
        xg_lex_fail(&p->lex, NULL, "expected a computation: its name, or its instructions in braces; found %s",
            xg_lex_found(&p->lex));
    c = (xg_comp *)xg_dict_get(&p->m->comp_names, xg_lex_text(&p->lex));
    if (!c) {
        const char *hint = xg_parse_did_you_mean(p, xg_lex_text(&p->lex), xg_parse_dict_name, &p->m->comp_names);
        xg_lex_fail(&p->lex, hint ? hint : "a computation is defined before its first use",
            "no computation %s is defined above", xg_lex_found(&p->lex));
    }
    xg_lex_next(&p->lex);
    return c;
}
XG_FN xg_inst *xg_parse_inst_ref(xg_parse *p) {
    xg_inst *i;
    if (!xg_parse_at_name(p))
        xg_lex_fail(&p->lex,
            p->lex.kind == XG_TOK_NUMBER ? "a number is an instruction, too: c = f32[] constant(1)" : NULL,
            "expected the name of an instruction, found %s", xg_lex_found(&p->lex));
    i = (xg_inst *)xg_dict_get(&p->comp->names, xg_lex_text(&p->lex));
    if (XG_UNLIKELY(!i)) {
        const char *hint = xg_parse_did_you_mean(p, xg_lex_text(&p->lex), xg_parse_dict_name, &p->comp->names);
        xg_lex_fail(&p->lex, hint ? hint : "an instruction is defined before its first use, in the same computation",
            "no instruction %s is defined above in this computation", xg_lex_found(&p->lex));
    }
    xg_lex_next(&p->lex);
    return i;
}
/* Takes the name of a new instruction or computation. Element types cannot be names: `f32[2] f32` would not be
 * readable. */
XG_FN xg_str xg_parse_new_name(xg_parse *p, const char *what) {
    xg_str name = xg_lex_text(&p->lex);
    if (!xg_parse_at_name(p))
        xg_lex_fail(&p->lex, NULL, "expected the name of %s, found %s", what, xg_lex_found(&p->lex));
    if (xg_type_reserves(name))
        xg_lex_fail(
            &p->lex, "add an underscore to it", "'%.*s' is an element type and cannot be a name", (int)name.n, name.p);
    xg_lex_next(&p->lex);
    return name;
}

/* ---- instructions ---- */

/* An instruction that the text does not name; it gets a name at the end of its computation. */
XG_FN xg_inst *xg_parse_unnamed(xg_parse *p, xg_inst *i, size_t at) {
    i->source_at = (uint32_t)at + 1;
    xg_push(p->arena, xg_inst *, &p->unnamed, i);
    return i;
}
XG_FN xg_inst *xg_parse_element(xg_parse *p, xg_inst *tuple) {
    size_t at = xg_lex_offset(&p->lex);
    int64_t index = xg_lex_int(&p->lex, "the index of a tuple element");
    uint64_t key;
    xg_inst *i;
    if (tuple->shape->type != XLAGPU_TUPLE)
        xg_lex_wrong_at(&p->lex, at, "#%lld asks for an element of %s, which is no tuple", (long long)index,
            xg_parse_shape_text(p, tuple->shape));
    if (index < 0 || index >= tuple->shape->n_elems)
        xg_lex_wrong_at(&p->lex, at, "#%lld: the tuple has %u elements", (long long)index, tuple->shape->n_elems);
    key = (uint64_t)tuple->id << 32 | (uint64_t)index;
    i = (xg_inst *)xg_map64_get(&p->elements, key);
    if (i) return i;
    i = xg_inst_make(p->comp, XG_GET_TUPLE_ELEMENT, tuple->shape->elems[index], &tuple, 1, NULL);
    xg_inst_set_int(i, XG_A_index, index);
    xg_map64_put(&p->elements, key, i);
    return xg_parse_unnamed(p, i, at);
}
XG_FN xg_inst *xg_parse_implicit_param(xg_parse *p, const xg_shape *shape, bool named) {
    size_t at = xg_lex_offset(&p->lex);
    xg_inst *i = xg_inst_make(p->comp, XG_PARAMETER, shape, NULL, 0, NULL);
    i->number = p->comp->n_params++;
    if (!named) return xg_parse_unnamed(p, i, at);
    i->source_at = (uint32_t)at + 1;
    xg_dict_put(&p->comp->names, xg_parse_new_name(p, "an operand"), i);
    xg_inst_take_name(i);
    return i;
}
XG_FN xg_inst *xg_parse_operand(xg_parse *p) {
    xg_lex *x = &p->lex;
    const xg_shape *shape = NULL;
    size_t at = xg_lex_offset(x);
    xg_inst *i;
    if (xg_parse_at_shape(p)) shape = xg_parse_shape(p, true);
    if (x->kind == XG_TOK_WORD && (*x->at == '(' || xg_lex_peek(x) == '('))
        return xg_parse_rhs_inst(p, XG_STR(""), at, shape, false);
    if (p->single && shape && (!xg_parse_at_name(p) || !xg_dict_get(&p->comp->names, xg_lex_text(x))))
        return xg_parse_implicit_param(p, shape, xg_parse_at_name(p));
    i = xg_parse_inst_ref(p);
    while (x->kind == '#') {
        xg_lex_next(x);
        i = xg_parse_element(p, i);
    }
    if (shape && !xg_shape_compatible_sizes(shape, i->shape))
        xg_lex_wrong_at(x, at, "the operand is written as %s, but '%s' is %s", xg_parse_shape_text(p, shape), i->name.p,
            xg_parse_shape_text(p, i->shape));
    return i;
}
XG_FN void xg_parse_check_operands(xg_parse *p, const xg_parse_rhs *r) {
    const xg_op_row *row = &xg_op_rows[r->op];
    uint32_t n = p->insts.n - r->operands;
    if (r->sugar == XG_SUGAR_UPDATE || r->sugar == XG_SUGAR_DONE) row = &xg_op_rows[XG_ASYNC_DONE];
    if (n < row->lo || (row->hi != 255 && n > row->hi))
        xg_lex_wrong_at(&p->lex, r->op_at, "'%.*s' takes %s%u operand%s, but got %u", (int)r->op_text.n, r->op_text.p,
            row->lo == row->hi ? "" : "at least ", row->lo, row->lo == 1 ? "" : "s", n);
}
XG_FN void xg_parse_operands(xg_parse *p, xg_parse_rhs *r) {
    while (p->lex.kind != ')') {
        xg_inst *i;
        if (p->insts.n > r->operands) xg_lex_expect(&p->lex, ',', "',' or ')' after an operand");
        i = xg_parse_operand(p);
        xg_push(p->arena, xg_inst *, &p->insts, i);
    }
    xg_parse_check_operands(p, r);
}
XG_FN void xg_parse_constant(xg_parse *p, xg_parse_rhs *r) {
    size_t at = xg_lex_offset(&p->lex);
    if (!r->shape)
        xg_lex_fail_at(
            &p->lex, r->op_at, "write it between '=' and the opcode", "the shape of a constant must be written");
    r->literal = xg_literal_parse(p->lex.ctx, p->m->uses, p->lex.src, &at, r->shape);
    xg_lex_restart(&p->lex, at);
}
XG_FN void xg_parse_arguments(xg_parse *p, xg_parse_rhs *r) {
    size_t at;
    xg_lex_expect(&p->lex, '(', "'(' after the opcode");
    at = xg_lex_offset(&p->lex);
    if (r->op == XG_CONSTANT)
        xg_parse_constant(p, r);
    else if (r->op == XG_PARAMETER) {
        r->number = xg_lex_int(&p->lex, "the parameter's number");
        if (r->number < 0) xg_lex_fail_at(&p->lex, at, XG_HINT_NUMBERS, "a parameter's number cannot be negative");
    } else
        xg_parse_operands(p, r);
    xg_lex_expect(&p->lex, ')', "')' after the operands");
}

/* The opcode, or one with -start, -update, -done that has no asynchronous form of its own. */
XG_FN bool xg_parse_sugar(xg_parse *p, xg_parse_rhs *r) {
    static const struct {
        const char *text;
        uint32_t n;
    } ends[] = {{"", 0}, {"-start", 6}, {"-update", 7}, {"-done", 5}};
    char native[48];
    uint32_t k, stem;
    size_t op;
    for (k = 1; k < 4; k++) {
        if (r->op_text.n <= ends[k].n || memcmp(r->op_text.p + r->op_text.n - ends[k].n, ends[k].text, ends[k].n) != 0)
            continue;
        stem = r->op_text.n - ends[k].n;
        op = (size_t)(uintptr_t)xg_dict_get(&p->ops, xg_str_of(r->op_text.p, stem));
        if (!op || stem > 40 || op - 1 == XG_PARAMETER || op - 1 == XG_CONSTANT || op - 1 == XG_ASYNC_UPDATE ||
            xg_op_flags((xg_opcode)(op - 1)) & (XGF_START | XGF_DONE))
            return false;
        xg_format(native, sizeof native, "%.*s-done", (int)stem, r->op_text.p);
        if (xg_dict_get(&p->ops, xg_str_z(native))) return false;
        r->op = (xg_opcode)(op - 1);
        r->sugar = k == 1 ? XG_SUGAR_START : k == 2 ? XG_SUGAR_UPDATE : XG_SUGAR_DONE;
        return true;
    }
    return false;
}
XG_FN const char *xg_parse_op_hint(xg_parse *p, xg_str word) {
    const char *hint;
    if (xg_type_find(word) != XLAGPU_INVALID || xg_foreign_find(p->arena, xg_foreign_types, word))
        return "a shape has its dimensions in brackets: f32[2,3], f32[]";
    hint =
        xg_foreign_hint(p->arena, word, xg_foreign_ops, xg_dict_get(&p->ops, xg_foreign_plain(p->arena, word)) != NULL);
    return hint ? hint : xg_parse_did_you_mean(p, word, xg_parse_op_name, NULL);
}
XG_APART XG_FN void xg_parse_opcode(xg_parse *p, xg_parse_rhs *r) {
    xg_lex *x = &p->lex;
    size_t op;
    r->op_at = xg_lex_offset(x);
    r->op_text = xg_lex_text(x);
    if (x->kind != XG_TOK_WORD)
        xg_lex_fail(x, x->kind == '{' ? "was it an attribute? ',' stands in front of each" : NULL,
            "expected an opcode, found %s", xg_lex_found(x));
    op = (size_t)(uintptr_t)xg_dict_get(&p->ops, r->op_text);
    if (op)
        r->op = (xg_opcode)(op - 1);
    else if (!xg_parse_sugar(p, r))
        xg_lex_fail(x, xg_parse_op_hint(p, r->op_text), "%s is not an opcode", xg_lex_found(x));
    xg_lex_next(x);
}

/* ---- attributes: which may stand here; their values are read in parse_attr.c ---- */

XG_FN const char *xg_parse_allowed_name(const void *set, size_t i) {
    uint32_t k;
    for (k = 0; k < XG_ATTR_COUNT; k++)
        if (xg_attr_set_has((const xg_attr_set *)set, k) && i-- == 0) return xg_attr_name((xg_attr_key)k);
    return NULL;
}
XG_NORETURN XG_FN void xg_parse_bad_attr(xg_parse *p, const xg_parse_rhs *r, const xg_attr_set *allowed, bool known) {
    const char *name, *nearby = xg_nearest(xg_lex_text(&p->lex), xg_parse_allowed_name, allowed);
    xg_buf b;
    size_t i;
    xg_buf_init(&b, p->arena);
    if (nearby && !known) xg_printf(&b, "did you mean '%s'? ", nearby);
    xg_puts(&b, "allowed are");
    for (i = 0; (name = xg_parse_allowed_name(allowed, i)) != NULL; i++) xg_printf(&b, "%s %s", i ? "," : "", name);
    xg_lex_fail(&p->lex, b.p, "%s %s '%.*s'", xg_lex_found(&p->lex),
        known ? "is not an attribute of" : "is an unknown attribute of", (int)r->op_text.n, r->op_text.p);
}
XG_FN void xg_parse_settle_words(xg_parse *p, xg_opcode op, xg_attr *a) {
    xg_attr_kind kind = xg_attr_kind_of(a->key);
    xg_str *words;
    uint32_t n = 1, k;
    if (kind != XG_K_WORD && kind != XG_K_WORDS) return;
    words = (xg_str *)(void *)(uintptr_t)(kind == XG_K_WORD ? a->v.str : a->v.words->p); /* made for this parse */
    if (kind == XG_K_WORDS) n = a->v.words->n;
    for (k = 0; k < n; k++) words[k] = xg_word_in_print(op, a->key, words[k]);
    (void)p;
}
XG_FN void xg_parse_attrs(xg_parse *p, xg_parse_rhs *r) {
    xg_lex *x = &p->lex;
    xg_attr_set allowed = p->op_attrs[r->sugar >= XG_SUGAR_UPDATE ? XG_ASYNC_DONE : r->op].allowed;
    if (r->sugar == XG_SUGAR_START) xg_attr_set_add(&allowed, XG_A_async_execution_thread);
    while (xg_lex_take(x, ',')) {
        size_t k, at = xg_lex_offset(x);
        xg_attr a;
        if (x->kind != XG_TOK_WORD || xg_lex_peek(x) != '=')
            xg_lex_fail(x, NULL, "expected an attribute (name=value), found %s", xg_lex_found(x));
        k = (size_t)(uintptr_t)xg_dict_get(&p->attr_names, xg_lex_text(x));
        if (!k || !xg_attr_set_has(&allowed, (uint32_t)k - 1)) xg_parse_bad_attr(p, r, &allowed, k != 0);
        memset(&a, 0, sizeof a);
        a.key = (xg_attr_key)(k - 1);
        if (xg_attr_set_has(&r->seen, (uint32_t)a.key))
            xg_lex_fail_at(x, at, XG_HINT_ONCE, "the attribute '%s' is given twice", xg_attr_name(a.key));
        xg_attr_set_add(&r->seen, (uint32_t)a.key);
        xg_lex_next(x);
        xg_lex_next(x);
        xg_parse_attr_value(p, &a);
        xg_parse_settle_words(p, r->op, &a);
        xg_push(p->arena, xg_attr, &p->attrs, a);
    }
}
XG_FN void xg_parse_need_attrs(xg_parse *p, const xg_parse_rhs *r) {
    const xg_attr_set *required = &p->op_attrs[r->op].required;
    uint32_t k, w;
    for (w = 0; w < XG_ATTR_WORDS; w++)
        if (required->w[w] & ~r->seen.w[w]) break;
    if (XG_LIKELY(w == XG_ATTR_WORDS) || r->sugar >= XG_SUGAR_UPDATE) return;
    for (k = 0; !(xg_attr_set_has(required, k) && !xg_attr_set_has(&r->seen, k)); k++) {}
    xg_lex_fail_at(&p->lex, r->op_at,
        xg_str_is(xg_lex_text(&p->lex), xg_attr_name((xg_attr_key)k)) ? "',' is missing in front of it" : NULL,
        "'%.*s' needs the attribute '%s'", (int)r->op_text.n, r->op_text.p, xg_attr_name((xg_attr_key)k));
}
/* Copies the attributes on the stack to the instruction, by key. */
XG_FN void xg_parse_give_attrs(xg_parse *p, xg_inst *i, uint32_t base) {
    uint32_t n = p->attrs.n - base, k, j;
    if (!n) return;
    i->attrs = (xg_attr *)xg_alloc_raw(p->m->uses, n * sizeof(xg_attr));
    for (k = 0; k < n; k++) {
        xg_attr a = p->attrs.p[base + k];
        xg_inst_note_attr(i, a.key);
        for (j = k; j > 0 && i->attrs[j - 1].key > a.key; j--) i->attrs[j] = i->attrs[j - 1];
        i->attrs[j] = a;
    }
    i->n_attrs = n & 0xFFu;
}

/* ---- asynchronous forms ---- */

/* Of an attribute given with <op>-start: does it belong to the start itself, or to the wrapped operation? */
XG_FN bool xg_parse_is_of_start(xg_attr_key k) {
    return k == XG_A_async_execution_thread || k == XG_A_metadata || k == XG_A_control_predecessors ||
           k == XG_A_frontend_attributes || k == XG_A_sharding || k == XG_A_origin || k == XG_A_statistics;
}
/* The computation that <op>-start calls: parameters like the operands, the operation as its root with the shape that
 * the start's tuple states. */
XG_FN xg_comp *xg_parse_wrap(xg_parse *p, const xg_parse_rhs *r) {
    uint32_t n = p->insts.n - r->operands, k;
    xg_comp *c = xg_comp_make(p->m);
    xg_inst *param, **params = XG_NEW_N(p->arena, xg_inst *, n);
    uint32_t kept = r->attrs, base;
    if (!r->shape || r->shape->type != XLAGPU_TUPLE || r->shape->n_elems < 2)
        xg_lex_wrong_at(&p->lex, r->op_at,
            "the shape of '%.*s' must be written as ((operand shapes...), result shape, ...)", (int)r->op_text.n,
            r->op_text.p);
    for (k = 0; k < n; k++) {
        param = xg_inst_new(c, XG_PARAMETER, p->insts.p[r->operands + k]->shape, NULL, 0, NULL, XG_STR("async_param"));
        param->source_at = (uint32_t)r->at + 1;
        xg_comp_set_param(param, k);
        params[k] = param;
    }
    c->root = xg_inst_new(c, r->op, r->shape->elems[1], params, n, NULL, XG_STR("async_op"));
    c->root->source_at = c->source_at = (uint32_t)r->at + 1;
    base = p->attrs.n;
    for (k = r->attrs; k < base; k++)
        if (!xg_parse_is_of_start(p->attrs.p[k].key)) {
            xg_attr a = p->attrs.p[k];
            xg_push(p->arena, xg_attr, &p->attrs, a);
        }
    xg_parse_give_attrs(p, c->root, base);
    for (k = r->attrs; k < base; k++) {
        if (p->attrs.p[k].key == XG_A_async_execution_thread) c->execution_thread = *p->attrs.p[k].v.str;
        if (xg_parse_is_of_start(p->attrs.p[k].key)) p->attrs.p[kept++] = p->attrs.p[k];
    }
    p->attrs.n = kept;
    xg_comp_link(c, NULL);
    xg_push(p->arena, xg_comp *, &p->unnamed_comps, c);
    return c;
}
XG_FN void xg_parse_unsugar(xg_parse *p, xg_parse_rhs *r) {
    xg_attr calls;
    xg_inst *start;
    if (r->sugar == XG_SUGAR_START) {
        calls = xg_attr_make_comp(XG_A_calls, xg_parse_wrap(p, r));
        xg_push(p->arena, xg_attr, &p->attrs, calls);
        r->op = XG_ASYNC_START;
        return;
    }
    for (start = p->insts.p[r->operands]; start->op == XG_ASYNC_UPDATE; start = XG_OPERAND(start, 0)) {}
    if (start->op != XG_ASYNC_START || xg_attr_calls(start)->root->op != r->op)
        xg_lex_wrong_at(&p->lex, r->op_at, "'%.*s' must follow a '%s-start', not '%s'", (int)r->op_text.n, r->op_text.p,
            xg_op_name(r->op),
            start->op == XG_ASYNC_START ? xg_op_name(xg_attr_calls(start)->root->op) : xg_op_name(start->op));
    r->op = r->sugar == XG_SUGAR_UPDATE ? XG_ASYNC_UPDATE : XG_ASYNC_DONE;
}

XG_FN xg_inst *xg_parse_build(xg_parse *p, xg_parse_rhs *r) {
    xg_inst *i;
    xg_parse_need_attrs(p, r);
    if (!r->shape && (r->sugar || xg_op_flags(r->op) & XGF_SHAPE))
        xg_lex_fail_at(&p->lex, r->op_at, "write it between '=' and the opcode, like f32[2,3]",
            "the shape of '%.*s' must be written", (int)r->op_text.n, r->op_text.p);
    if (r->sugar) xg_parse_unsugar(p, r);
    i = xg_inst_make(p->comp, r->op, r->shape, p->insts.n > r->operands ? p->insts.p + r->operands : NULL,
        p->insts.n - r->operands, NULL);
    xg_parse_give_attrs(p, i, r->attrs);
    p->insts.n = r->operands;
    p->attrs.n = r->attrs;
    i->number = r->number;
    i->literal = r->literal;
    i->source_at = (uint32_t)r->at + 1;
    return i;
}
XG_FN xg_inst *xg_parse_rhs_inst(xg_parse *p, xg_str name, size_t at, const xg_shape *shape, bool attributes) {
    xg_parse_rhs r;
    xg_inst *i;
    xg_parse_enter(p);
    memset(&r, 0, sizeof r);
    r.at = at;
    p->m->at = (uint32_t)at + 1;
    r.operands = p->insts.n;
    r.attrs = p->attrs.n;
    r.shape = shape ? shape : xg_parse_at_shape(p) ? xg_parse_shape(p, true) : NULL;
    xg_parse_opcode(p, &r);
    xg_parse_arguments(p, &r);
    if (attributes) xg_parse_attrs(p, &r);
    i = xg_parse_build(p, &r);
    if (!name.n) xg_parse_unnamed(p, i, at);
    if (!i->shape) {
        p->m->at = (uint32_t)at + 1;
        i->name = xg_str_copy(p->arena, name.n ? name : r.op_text); /* for messages */
        i->shape = xg_hlo_infer(p->m, i);
    }
    p->depth--;
    return i;
}
XG_FN xg_inst *xg_parse_inst(xg_parse *p, bool *root) {
    xg_lex *x = &p->lex;
    size_t at;
    xg_str name;
    xg_inst *i;
    *root = x->kind == XG_TOK_WORD && x->len == 4 && memcmp(x->tok, "ROOT", 4) == 0;
    if (*root) xg_lex_next(x);
    at = xg_lex_offset(x);
    name = xg_parse_new_name(p, "an instruction");
    if (x->kind == '{' || x->kind == '(' || (xg_str_is(name, "ENTRY") && xg_parse_at_name(p)))
        xg_lex_wrong_at(x, at, "'}' is missing in front of this: the computation above it is not closed");
    xg_lex_expect(x, '=', "'=' after the instruction's name");
    i = xg_parse_rhs_inst(p, name, at, NULL, true);
    if (!xg_dict_put(&p->comp->names, name, i)) {
        const xg_inst *other = (const xg_inst *)xg_dict_get(&p->comp->names, name);
        xg_lex_fail_at(x, at, "names are unique in a computation",
            "'%.*s' is already the name of an instruction in line %u", (int)name.n, name.p,
            xg_parse_line_of(p, other->source_at - 1));
    }
    xg_inst_take_name(i);
    return i;
}

/* ---- computations ---- */

/* Puts the parameters in the order of their numbers, which must be 0, 1, ... n-1. */
XG_FN void xg_parse_number_params(xg_parse *p, xg_comp *c) {
    uint32_t n = 0, left;
    xg_inst *i;
    XG_FOR_INSTS(j, c) n += j->op == XG_PARAMETER;
    c->n_params = 0;
    if (!n) return;
    left = n;
    c->params = XG_NEW_N(p->arena, xg_inst *, n);
    c->params_cap = n;
    for (i = c->first; left; i = i->next) {
        if (i->op != XG_PARAMETER) continue;
        left--;
        if (i->number >= n)
            xg_lex_wrong_at(&p->lex, i->source_at - 1,
                "parameter number %lld, but the computation has %u parameters: they are numbered from 0",
                (long long)i->number, n);
        if (c->params[i->number])
            xg_lex_fail_at(&p->lex, i->source_at - 1, XG_HINT_NUMBERS, "parameter number %lld is taken by '%s'",
                (long long)i->number, c->params[i->number]->name.p);
        xg_comp_set_param(i, i->number);
    }
}
XG_FN void xg_parse_finish_comp(xg_parse *p, xg_comp *c, uint32_t unnamed) {
    uint32_t k;
    char wish[64];
    if (!c->root) c->root = c->last;
    for (k = unnamed; k < p->unnamed.n; k++) {
        xg_inst *i = p->unnamed.p[k];
        xg_format(wish, sizeof wish,
            i->op == XG_PARAMETER           ? "arg"
            : i->op == XG_GET_TUPLE_ELEMENT ? "%s"
                                            : "%s.anon",
            xg_op_name(i->op));
        xg_inst_give_name(i, xg_str_z(wish));
    }
    p->unnamed.n = unnamed;
    xg_parse_number_params(p, c);
}
/* How many instructions the body has whose brace has been read, as texts are written mostly: one a line, indented, and
 * its end is not. A table that begins with room for their names need not grow. What was looked over once, in a text
 * written otherwise, is not looked over again; lines too short for an instruction are not counted. */
XG_FN uint32_t xg_parse_lines(xg_parse *p) {
    enum {
        SHORTEST = 16
    };
    const char *at = p->lex.at, *end;
    uint32_t n = 1;
    if (at < p->counted) return 0;
    while ((end = (const char *)memchr(at, '\n', (size_t)(p->lex.end - at))) != NULL &&
           (end[1] == ' ' || end[1] == '\t')) {
        n += end - at >= SHORTEST;
        at = end + 1;
    }
    p->counted = end ? end : p->lex.end;
    return n + n / 4 + 2; /* passes add some */
}
XG_FN xg_comp *xg_parse_body(xg_parse *p, xg_comp *c) {
    xg_lex *x = &p->lex;
    xg_comp *outer = p->comp;
    uint32_t unnamed = p->unnamed.n;
    size_t open = xg_lex_offset(x);
    bool root;
    xg_parse_enter(p);
    xg_lex_expect(x, '{', "'{' and the instructions of the computation");
    p->comp = c;
    xg_dict_reserve(&c->names, xg_parse_lines(p));
    while (x->kind != '}') {
        size_t at = xg_lex_offset(x);
        xg_inst *i;
        if (x->kind == XG_TOK_END) xg_lex_wrong_at(x, open, "the computation is never closed: '}' is missing");
        i = xg_parse_inst(p, &root);
        if (!root) continue;
        if (c->root)
            xg_lex_fail_at(x, at, XG_HINT_WORD, "a second ROOT: '%s' in line %u is the first", c->root->name.p,
                xg_parse_line_of(p, c->root->source_at - 1));
        c->root = i;
    }
    if (!c->first) xg_lex_wrong_at(x, open, "a computation without instructions");
    xg_lex_next(x);
    xg_parse_finish_comp(p, c, unnamed);
    p->comp = outer;
    p->depth--;
    return c;
}
/* "(p: f32[2], q: s32[]) -> f32[2]": the parameters are only read over; the result is returned. */
XG_FN const xg_shape *xg_parse_signature(xg_parse *p) {
    xg_lex *x = &p->lex;
    bool first = true;
    if (x->kind != '(') return NULL;
    xg_lex_next(x);
    while (x->kind != ')') {
        if (!first) xg_lex_expect(x, ',', "',' or ')' in the list of parameters");
        first = false;
        if (!xg_parse_at_name(p)) xg_lex_fail(x, NULL, "expected the name of a parameter, found %s", xg_lex_found(x));
        xg_lex_next(x);
        xg_lex_take(x, ':'); /* XLA reads it as the end of the name, and names need none */
        xg_parse_shape(p, true);
    }
    xg_lex_next(x);
    xg_lex_expect(x, XG_TOK_ARROW, "'->' and the result's shape");
    return xg_parse_shape(p, true);
}
XG_FN void xg_parse_comp_attrs(xg_parse *p, xg_comp *c) {
    bool seen = false;
    while (xg_lex_take(&p->lex, ',')) {
        if (!xg_lex_is(&p->lex, "execution_thread"))
            xg_lex_fail(&p->lex, "execution_thread=\"name\" is the only one",
                "expected an attribute of the computation, found %s", xg_lex_found(&p->lex));
        if (seen) xg_lex_fail(&p->lex, XG_HINT_ONCE, "the attribute 'execution_thread' is given twice");
        seen = true;
        xg_lex_next(&p->lex);
        xg_lex_expect(&p->lex, '=', "'='");
        c->execution_thread = xg_lex_string(&p->lex, p->arena, "the thread's name");
    }
}
XG_FN void xg_parse_comp(xg_parse *p) {
    xg_lex *x = &p->lex;
    bool entry = xg_lex_is(x, "ENTRY");
    xg_comp *c = xg_comp_make(p->m);
    const xg_shape *result;
    size_t at, result_at;
    xg_str name;
    if (entry) {
        if (p->m->entry)
            xg_lex_fail(x, XG_HINT_WORD, "a second ENTRY: '%s' in line %u is the first", p->m->entry->name.p,
                xg_parse_line_of(p, p->m->entry->source_at - 1));
        xg_lex_next(x);
    }
    at = xg_lex_offset(x);
    name = xg_parse_new_name(p, "a computation");
    if (xg_dict_get(&p->m->comp_names, name))
        xg_lex_fail_at(x, at, "names of computations are unique in a module",
            "'%.*s' is already the name of a computation", (int)name.n, name.p);
    c->source_at = (uint32_t)at + 1;
    result_at = xg_lex_offset(x);
    result = xg_parse_signature(p);
    xg_parse_body(p, c);
    if (result && !xg_shape_compatible_sizes(result, c->root->shape))
        xg_lex_wrong_at(x, result_at, "the computation is declared to give %s, but its root '%s' is %s",
            xg_parse_shape_text(p, result), c->root->name.p, xg_parse_shape_text(p, c->root->shape));
    xg_parse_comp_attrs(p, c);
    xg_comp_give_name(c, name);
    xg_comp_link(c, NULL);
    if (entry) p->m->entry = c;
}

#endif /* XG_HLO_PARSE_C */
