/* hlo/parse_module.c -- the outermost level of HLO text: header, stack tables, the entry's layout; or a single
 * instruction.
 *
 * A text is a module if it starts with HloModule, ENTRY or `name {`; anything else is one instruction, in which
 * operands that are written with a shape and are not known become parameters. */
#ifndef XG_HLO_PARSE_MODULE_C
#define XG_HLO_PARSE_MODULE_C
#include "text.h"
#include "graph.c"

XG_FN void xg_parse_entry_layout(xg_parse *p) {
    xg_lex *x = &p->lex;
    uint32_t base = p->shapes.n;
    xg_lex_expect(x, '{', "'{' and (shapes)->shape");
    if (x->kind != '(') xg_lex_fail(x, NULL, "expected '(' and the parameters' shapes, found %s", xg_lex_found(x));
    p->m->entry_params = xg_parse_tuple_shape(p, true);
    p->shapes.n = base;
    xg_lex_expect(x, XG_TOK_ARROW, "'->' and the result's shape");
    p->m->entry_result = xg_parse_shape(p, true);
    xg_lex_expect(x, '}', "'}'");
    p->m->has_entry_layout = true;
}
/* { {0}: (1, {}, may-alias), ... } */
XG_FN void xg_parse_io_aliases(xg_parse *p) {
    xg_lex *x = &p->lex;
    XG_VEC(xg_io_alias) list = {NULL, 0, 0};
    xg_lex_expect(x, '{', "'{' and the aliases");
    while (x->kind != '}') {
        xg_io_alias a;
        memset(&a, 0, sizeof a);
        if (list.n) xg_lex_expect(x, ',', "',' or '}' after an alias");
        a.source_at = (uint32_t)xg_lex_offset(x) + 1;
        a.output = xg_parse_ints(p, '{', '}', "an output index");
        xg_lex_expect(x, ':', "':'");
        xg_lex_expect(x, '(', "'(' and the parameter's number");
        a.param = xg_lex_int(x, "a parameter number");
        xg_lex_expect(x, ',', "','");
        a.param_index = xg_parse_ints(p, '{', '}', "a parameter index");
        if (xg_lex_take(x, ',')) {
            a.must = xg_lex_is(x, "must-alias");
            if (!a.must && !xg_lex_is(x, "may-alias"))
                xg_lex_fail(x, NULL, "expected may-alias or must-alias, found %s", xg_lex_found(x));
            xg_lex_next(x);
        }
        xg_lex_expect(x, ')', "')'");
        xg_push(p->arena, xg_io_alias, &list, a);
    }
    xg_lex_next(x);
    p->m->aliases = list.p;
    p->m->n_aliases = list.n;
}
/* { (0, {}), (1, {2}) } */
XG_FN void xg_parse_donors(xg_parse *p) {
    xg_lex *x = &p->lex;
    XG_VEC(xg_io_alias) list = {NULL, 0, 0};
    xg_lex_expect(x, '{', "'{' and the donors");
    while (x->kind != '}') {
        xg_io_alias a;
        memset(&a, 0, sizeof a);
        if (list.n) xg_lex_expect(x, ',', "',' or '}' after a donor");
        a.source_at = (uint32_t)xg_lex_offset(x) + 1;
        xg_lex_expect(x, '(', "'(' and the parameter's number");
        a.param = xg_lex_int(x, "a parameter number");
        xg_lex_expect(x, ',', "','");
        a.param_index = xg_parse_ints(p, '{', '}', "a parameter index");
        xg_lex_expect(x, ')', "')'");
        xg_push(p->arena, xg_io_alias, &list, a);
    }
    xg_lex_next(x);
    p->m->donors = list.p;
    p->m->n_donors = list.n;
}
XG_FN int64_t xg_parse_positive(xg_parse *p, const char *what) {
    size_t at = xg_lex_offset(&p->lex);
    int64_t v = xg_lex_int(&p->lex, what);
    if (v < 1) xg_lex_wrong_at(&p->lex, at, "%s must be at least 1", what);
    return v;
}

/* The attributes of the header. X(name, what is done with the value) */
/* clang-format off */
#define XG_HEADER_ATTRS(X) \
    X(is_scheduled, p->m->is_scheduled = xg_parse_bool(p)) \
    X(replica_count, p->m->replica_count = xg_parse_positive(p, "the number of replicas")) \
    X(num_partitions, p->m->num_partitions = xg_parse_positive(p, "the number of partitions")) \
    X(input_output_alias, xg_parse_io_aliases(p)) \
    X(entry_computation_layout, xg_parse_entry_layout(p)) \
    X(buffer_donor, xg_parse_donors(p)) \
    X(alias_passthrough_params, keep = true) \
    X(allow_spmd_sharding_propagation_to_parameters, keep = true) \
    X(allow_spmd_sharding_propagation_to_output, keep = true) \
    X(frontend_attributes, keep = true) \
    X(origin_recovery_table, keep = true) \
    X(debug_attributes, keep = true)
/* clang-format on */

XG_TABLE const char xg_header_names[] =
#define X(name, action) #name "\0"
    XG_HEADER_ATTRS(X)
#undef X
    ;
XG_FN const char *xg_parse_header_name(const void *none, size_t i) {
    (void)none;
    return xg_text_nth(xg_header_names, i);
}

XG_NORETURN XG_FN void xg_parse_bad_header(xg_parse *p) {
    const char *nearby = xg_nearest(xg_lex_text(&p->lex), xg_parse_header_name, NULL);
    xg_buf b;
    size_t i;
    xg_buf_init(&b, p->arena);
    if (nearby) xg_printf(&b, "did you mean '%s'? ", nearby);
    xg_puts(&b, "allowed are");
    for (i = 0; (nearby = xg_text_nth(xg_header_names, i)) != NULL; i++) xg_printf(&b, "%s %s", i ? "," : "", nearby);
    xg_lex_fail(&p->lex, b.p, "%s is not an attribute of HloModule", xg_lex_found(&p->lex));
}
/* The device among the frontend attributes, {xlagpu.device="H100, sm_count=114"}: the module's own from now on. What is
 * left of the text; none: there was nothing else. */
XG_FN xg_str xg_parse_device(xg_parse *p, xg_str text, size_t at) {
    size_t from = xg_device_find(text, XG_HLO_DEVICE_KEY), to, n = sizeof XG_HLO_DEVICE_KEY + 1; /* key="... */
    const char *wrong;
    xg_buf b;
    if (!from) return text;
    for (to = from + n; text.p[to] != '"'; to++) {}
    wrong = xg_device_parse(xg_str_of(text.p + from + n, to - from - n), &p->m->device);
    if (wrong)
        xg_lex_fail_at(&p->lex, at + from, "an example is " XG_HLO_DEVICE_KEY "=\"H100, sm_count=114\"", "%s", wrong);
    p->m->has_device = true;
    to++;
    if (text.p[to] == ',') /* the comma goes with it */
        to += text.p[to + 1] == ' ' ? 2 : 1;
    else if (text.p[from - 1] == ',')
        from--;
    xg_buf_init(&b, p->arena);
    xg_put(&b, text.p, from);
    xg_put(&b, text.p + to, text.n - to);
    for (to = 0; to < b.n && strchr("{ }", b.p[to]); to++) {}
    return to < b.n ? xg_str_of(b.p, b.n) : xg_str_of(NULL, 0);
}
XG_FN void xg_parse_header(xg_parse *p) {
    xg_lex *x = &p->lex;
    XG_VEC(xg_header_attr) kept = {NULL, 0, 0};
    uint32_t seen = 0;
    xg_lex_next(x);
    if (!xg_parse_at_name(p)) xg_lex_fail(x, NULL, "expected the name of the module, found %s", xg_lex_found(x));
    p->m->name = xg_str_copy(p->arena, xg_lex_text(x));
    xg_lex_next(x);
    xg_lex_take(x, ':');
    while (xg_lex_take(x, ',')) {
        xg_header_attr a;
        const char *known;
        size_t at;
        uint32_t k = 0;
        bool keep = false;
        if (x->kind != XG_TOK_WORD)
            xg_lex_fail(x, NULL, "expected an attribute of the module (name=value), found %s", xg_lex_found(x));
        a.name = xg_lex_text(x);
        while ((known = xg_text_nth(xg_header_names, k)) != NULL && !xg_str_is(a.name, known)) k++;
        if (!known) xg_parse_bad_header(p);
        if ((seen >> k) & 1) xg_lex_fail(x, XG_HINT_ONCE, "the attribute %s is given twice", xg_lex_found(x));
        seen |= 1u << k;
        xg_lex_next(x);
        xg_lex_expect(x, '=', "'=' after the attribute's name");
#define X(name, action) \
    if (k-- == 0) { action; }
        XG_HEADER_ATTRS(X)
#undef X
        if (!keep) continue;
        at = xg_lex_offset(x);
        a.text = xg_parse_raw(p);
        if (xg_str_is(a.name, "frontend_attributes")) a.text = xg_parse_device(p, a.text, at);
        if (!a.text.n) continue;
        xg_push(p->arena, xg_header_attr, &kept, a);
    }
    p->m->header = kept.p;
    p->m->n_header = kept.n;
}
#undef XG_HEADER_ATTRS

/* One row of a stack table: a number, then a string or {name=number ...}. */
XG_FN void xg_parse_stack_row(xg_parse *p, xg_buf *b, bool named) {
    xg_lex *x = &p->lex;
    bool first = true;
    xg_printf(b, "%lld ", (long long)xg_lex_int(x, "a row number"));
    if (named) {
        if (x->kind != XG_TOK_STRING) xg_lex_fail(x, NULL, "expected a quoted string, found %s", xg_lex_found(x));
        xg_put_str(b, xg_lex_text(x));
        xg_lex_next(x);
    } else {
        xg_lex_expect(x, '{', "'{' and the fields");
        xg_putc(b, '{');
        while (x->kind != '}') {
            if (!first) {
                xg_lex_take(x, ',');
                xg_putc(b, ' ');
            }
            first = false;
            if (x->kind != XG_TOK_WORD)
                xg_lex_fail(x, NULL, "expected a field (name=number), found %s", xg_lex_found(x));
            xg_put_str(b, xg_lex_text(x));
            xg_lex_next(x);
            xg_lex_expect(x, '=', "'='");
            xg_printf(b, "=%lld", (long long)xg_lex_int(x, "a number"));
        }
        xg_lex_next(x);
        xg_putc(b, '}');
    }
    xg_putc(b, '\n');
}
XG_FN void xg_parse_stack_tables(xg_parse *p) {
    XG_TABLE const char *const tables[] = {"FileNames", "FunctionNames", "FileLocations", "StackFrames"};
    xg_buf b;
    uint32_t k;
    xg_buf_init(&b, p->arena);
    for (k = 0; k < XG_COUNT(tables); k++) {
        if (!xg_lex_is(&p->lex, tables[k])) continue;
        if (b.n) xg_putc(&b, '\n');
        xg_printf(&b, "%s\n", tables[k]);
        xg_lex_next(&p->lex);
        while (p->lex.kind == XG_TOK_NUMBER) xg_parse_stack_row(p, &b, k < 2);
    }
    p->m->stack.text = b.n ? xg_str_of(b.p, b.n) : XG_STR("");
}
/* The entry's shapes: as written, or those of its instructions. */
XG_FN void xg_parse_finish_entry(xg_parse *p) {
    xg_module *m = p->m;
    const xg_shape **shapes;
    uint32_t k;
    if (!m->entry) m->entry = m->last;
    shapes = XG_NEW_N(p->arena, const xg_shape *, m->entry->n_params);
    for (k = 0; k < m->entry->n_params; k++) shapes[k] = m->entry->params[k]->shape;
    if (!m->has_entry_layout) {
        m->entry_params = xg_shape_tuple(m, shapes, m->entry->n_params);
        m->entry_result = m->entry->root->shape;
        return;
    }
    if (m->entry_params->n_elems != m->entry->n_params)
        xg_lex_wrong_at(&p->lex, m->entry->source_at - 1,
            "the entry has %u parameters, entry_computation_layout has %u", m->entry->n_params,
            m->entry_params->n_elems);
    for (k = 0; k < m->entry->n_params; k++)
        if (!xg_shape_compatible(shapes[k], m->entry_params->elems[k]))
            xg_lex_wrong_at(&p->lex, m->entry->params[k]->source_at - 1,
                "parameter %u is %s, but entry_computation_layout says %s", k, xg_parse_shape_text(p, shapes[k]),
                xg_parse_shape_text(p, m->entry_params->elems[k]));
    if (!xg_shape_compatible(m->entry->root->shape, m->entry_result))
        xg_lex_wrong_at(&p->lex, m->entry->root->source_at - 1,
            "the entry's result is %s, but entry_computation_layout says %s",
            xg_parse_shape_text(p, m->entry->root->shape), xg_parse_shape_text(p, m->entry_result));
}
XG_FN void xg_parse_single(xg_parse *p) {
    xg_lex *x = &p->lex;
    xg_comp *c = xg_comp_make(p->m);
    xg_str name = XG_STR("");
    size_t at;
    p->single = true;
    p->comp = c;
    if (xg_lex_is(x, "ROOT")) xg_lex_next(x);
    at = xg_lex_offset(x);
    c->source_at = (uint32_t)at + 1;
    if (xg_parse_at_name(p) && xg_lex_peek(x) == '=') {
        name = xg_parse_new_name(p, "the instruction");
        xg_lex_next(x);
    }
    c->root = xg_parse_rhs_inst(p, name, at, NULL, true);
    if (name.n) {
        if (!xg_dict_put(&c->names, name, c->root))
            xg_lex_wrong_at(x, at, "'%.*s' is the name of one of its own operands", (int)name.n, name.p);
        xg_inst_take_name(c->root);
    }
    if (x->kind != XG_TOK_END)
        xg_lex_fail(x, "a module starts with 'HloModule name', 'ENTRY' or 'name {'",
            "the text holds one instruction, but goes on with %s", xg_lex_found(x));
    xg_parse_finish_comp(p, c, 0);
    xg_comp_give_name(c, XG_STR("entry"));
    xg_comp_link(c, NULL);
    p->m->entry = c;
}
XG_FN bool xg_parse_at_module(xg_parse *p) {
    xg_lex *x = &p->lex;
    char next;
    if (xg_lex_is(x, "HloModule") || xg_lex_is(x, "ENTRY")) return true;
    if (!xg_parse_at_name(p)) return false;
    next = xg_lex_peek(x);
    return next == '{' || (next == '(' && (x->kind == XG_TOK_NAME || !(xg_dict_get(&p->ops, xg_lex_text(x)) ||
                                                                         xg_str_is(xg_lex_text(x), "b"))));
}
XG_FN xg_parse *xg_parse_new(xg_ctx *c, xg_arena *a, const xg_source *src, bool lasts) {
    xg_parse *p = XG_NEW(a, xg_parse);
    p->arena = a;
    xg_lex_init(&p->lex, c, a, src, lasts);
    p->m = xg_module_new(c, a, XG_STR("module"));
    p->m->source = src;
    p->m->stack.text = XG_STR("");
    xg_map64_init(&p->elements, a);
    xg_dict_init(&p->groups, a);
    xg_parse_read_tables(p);
    return p;
}
XG_FN xg_module *xg_parse_source(xg_ctx *c, xg_arena *a, const xg_source *src, bool lasts) {
    xg_parse *p = xg_parse_new(c, a, src, lasts);
    uint32_t k;
    if (p->lex.kind == XG_TOK_END) xg_lex_fail(&p->lex, "a module starts with 'HloModule name'", "the text is empty");
    if (!xg_parse_at_module(p))
        xg_parse_single(p);
    else {
        bool header = xg_lex_is(&p->lex, "HloModule");
        if (header) {
            xg_parse_header(p);
            xg_parse_stack_tables(p);
        }
        while (p->lex.kind != XG_TOK_END) xg_parse_comp(p);
        if (!p->m->last) xg_lex_fail(&p->lex, NULL, "a module without computations");
        if (!header) {
            xg_buf b;
            xg_buf_init(&b, a);
            xg_puts(&b, "module_");
            xg_put_str(&b, (p->m->entry ? p->m->entry : p->m->last)->name);
            p->m->name = xg_str_of(b.p, b.n);
        }
    }
    for (k = 0; k < p->unnamed_comps.n; k++) xg_comp_give_name(p->unnamed_comps.p[k], XG_STR("anonymous"));
    xg_parse_finish_entry(p);
    p->m->at = 0;
    return p->m;
}
XG_FN xg_module *xg_hlo_parse(xg_ctx *c, xg_arena *a, const xg_source *src) {
    return xg_parse_source(c, a, src, false);
}
XG_FN xg_module *xg_hlo_parse_lasting(xg_ctx *c, xg_arena *a, const xg_source *src) {
    return xg_parse_source(c, a, src, true);
}

#endif /* XG_HLO_PARSE_MODULE_C */
