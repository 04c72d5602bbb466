/* hlo/parse_attr.c -- the values of attributes: one reader per kind of ops.h, xg_attr_parse_<KIND>.
 *
 * Idea: what other rooms compute with becomes numbers and pointers; what they only carry (metadata, frontend
 * attributes, backend configurations) stays text, checked for its form. Text that points into the module's copy of the
 * source is not copied again.
 *
 * Laws
 * - A value that can be written in two ways is stored in one, so that printing it again gives the same bytes.
 * - Lists are read onto the parse's stacks and copied once. The ids that compact replica groups expand to are bounded
 *   per module, since thirty bytes of text may stand for millions of them. */
#ifndef XG_HLO_PARSE_ATTR_C
#define XG_HLO_PARSE_ATTR_C
#include "text.h"
#include "graph.c"

/* ---- lists ---- */

XG_FN xg_ints xg_parse_take_ints(xg_parse *p, uint32_t base) {
    xg_ints v;
    v.n = p->ints.n - base;
    v.p = xg_ints_kept(p->m, v.n ? p->ints.p + base : NULL, v.n)->p;
    p->ints.n = base;
    return v;
}
XG_FN xg_ints xg_parse_ints(xg_parse *p, char open, char close, const char *what) {
    char want[32];
    uint32_t base = p->ints.n;
    xg_format(want, sizeof want, "'%c'", open);
    xg_lex_expect(&p->lex, (unsigned char)open, want);
    xg_format(want, sizeof want, "',' or '%c'", close);
    while (p->lex.kind != (unsigned char)close) {
        int64_t v;
        if (p->ints.n > base) xg_lex_expect(&p->lex, ',', want);
        v = xg_lex_int(&p->lex, what);
        xg_push(p->arena, int64_t, &p->ints, v);
    }
    xg_lex_next(&p->lex);
    return xg_parse_take_ints(p, base);
}
XG_FN const xg_str *xg_parse_keep_str(xg_parse *p, xg_str s) {
    xg_str *made = (xg_str *)xg_alloc_raw(p->m->uses, sizeof *made);
    *made = s;
    return made;
}
/* Items of a braced list, separated by commas. `next` is true while there is one to read. */
XG_FN bool xg_parse_next_item(xg_parse *p, bool first) {
    if (xg_lex_take(&p->lex, '}')) return false;
    if (!first) xg_lex_expect(&p->lex, ',', "',' or '}'");
    return true;
}

/* ---- one value ---- */

XG_FN bool xg_parse_bool(xg_parse *p) {
    bool v = xg_lex_is(&p->lex, "true");
    if (!v && !xg_lex_is(&p->lex, "false"))
        xg_lex_fail(&p->lex, NULL, "expected true or false, found %s", xg_lex_found(&p->lex));
    xg_lex_next(&p->lex);
    return v;
}
/* Brackets, or one token. */
XG_FN xg_str xg_parse_raw(xg_parse *p) {
    xg_str text = xg_lex_text(&p->lex);
    if (p->lex.kind == '{' || p->lex.kind == '[' || p->lex.kind == '(') return xg_lex_balanced(&p->lex);
    if (p->lex.kind != XG_TOK_WORD && p->lex.kind != XG_TOK_NUMBER && p->lex.kind != XG_TOK_STRING)
        xg_lex_fail(&p->lex, NULL, "expected a value, found %s", xg_lex_found(&p->lex));
    xg_lex_next(&p->lex);
    return text;
}
XG_FN void xg_attr_parse_INT(xg_parse *p, xg_attr *a) { a->v.i = xg_lex_int(&p->lex, "a number"); }
XG_FN void xg_attr_parse_BOOL(xg_parse *p, xg_attr *a) { a->v.i = xg_parse_bool(p); }
XG_FN void xg_attr_parse_FLOAT(xg_parse *p, xg_attr *a) {
    size_t at = xg_lex_offset(&p->lex);
    xg_str text = xg_lex_run(&p->lex, "+-.");
    float v = 0;
    bool overflow = false;
    if (!text.n || xg_float_parse32(text.p, text.n, &v, &overflow) != text.n || overflow)
        xg_lex_wrong_at(&p->lex, at, "expected a number like 0.001");
    a->v.d = v;
}
XG_FN void xg_attr_parse_WORD(xg_parse *p, xg_attr *a) {
    if (p->lex.kind != XG_TOK_WORD)
        xg_lex_fail(&p->lex, NULL, "'%s' takes a word, found %s", xg_attr_name(a->key), xg_lex_found(&p->lex));
    a->v.str = xg_parse_keep_str(p, xg_intern(&p->m->pool, xg_lex_text(&p->lex)));
    xg_lex_next(&p->lex);
}
XG_FN void xg_attr_parse_STR(xg_parse *p, xg_attr *a) {
    a->v.str = xg_parse_keep_str(p, xg_str_copy(p->arena, xg_lex_string(&p->lex, p->arena, "the value")));
}
XG_FN void xg_attr_parse_RAW(xg_parse *p, xg_attr *a) { a->v.str = xg_parse_keep_str(p, xg_parse_raw(p)); }
XG_FN void xg_attr_parse_SHAPE(xg_parse *p, xg_attr *a) { a->v.shape = xg_parse_shape(p, true); }
XG_FN void xg_attr_parse_COMP(xg_parse *p, xg_attr *a) { a->v.comp = xg_parse_comp_ref(p); }
XG_FN void xg_attr_parse_LITERAL(xg_parse *p, xg_attr *a) {
    const xg_shape *shape = xg_parse_shape(p, true);
    size_t at = xg_lex_offset(&p->lex);
    a->v.literal = xg_literal_parse(p->lex.ctx, p->arena, p->lex.src, &at, shape);
    xg_lex_restart(&p->lex, at);
}
/* A string is kept with double quotes around it, a JSON object as it is. */
XG_FN void xg_attr_parse_CONFIG(xg_parse *p, xg_attr *a) {
    if (p->lex.kind == XG_TOK_STRING && p->lex.tok[0] == '\'') {
        xg_buf b;
        xg_buf_init(&b, p->arena);
        xg_put_quoted(&b, xg_lex_string(&p->lex, p->arena, "the configuration"));
        a->v.str = xg_parse_keep_str(p, xg_str_of(b.p, b.n));
        return;
    }
    if (p->lex.kind != XG_TOK_STRING && p->lex.kind != '{')
        xg_lex_fail(&p->lex, NULL, "'%s' takes a quoted string or a JSON object, found %s", xg_attr_name(a->key),
            xg_lex_found(&p->lex));
    a->v.str = xg_parse_keep_str(p, xg_parse_raw(p));
}

/* ---- lists of values ---- */

XG_FN void xg_attr_parse_INTS(xg_parse *p, xg_attr *a) {
    int64_t one;
    if (p->lex.kind == '{') {
        uint32_t base = p->ints.n;
        bool first = true;
        xg_lex_next(&p->lex);
        for (; xg_parse_next_item(p, first); first = false) {
            one = xg_lex_int(&p->lex, "a number");
            xg_push(p->arena, int64_t, &p->ints, one);
        }
        a->v.ints = xg_ints_kept(p->m, p->ints.n > base ? p->ints.p + base : NULL, p->ints.n - base);
        p->ints.n = base;
        return;
    }
    one = xg_lex_int(&p->lex, "'{' and numbers, or one number");
    a->v.ints = xg_ints_kept(p->m, &one, 1);
}
XG_FN void xg_attr_parse_INTLISTS(xg_parse *p, xg_attr *a) {
    xg_int_lists *lists = XG_NEW(p->arena, xg_int_lists);
    XG_VEC(xg_ints) list = {NULL, 0, 0};
    if (p->lex.kind == '{' && xg_lex_peek(&p->lex) == '{') {
        xg_lex_next(&p->lex);
        while (xg_parse_next_item(p, list.n == 0)) {
            xg_ints v = xg_parse_ints(p, '{', '}', "a number");
            xg_push(p->arena, xg_ints, &list, v);
        }
    } else {
        xg_ints v = xg_parse_ints(p, '{', '}', "a number");
        lists->flat = true;
        if (v.n) xg_push(p->arena, xg_ints, &list, v);
    }
    lists->p = list.p;
    lists->n = list.n;
    a->v.lists = lists;
}
XG_FN void xg_attr_parse_WORDS(xg_parse *p, xg_attr *a) {
    xg_words *words = XG_NEW(p->arena, xg_words);
    uint32_t base = p->strs.n;
    xg_str *copy;
    xg_lex_expect(&p->lex, '{', "'{' and words");
    while (xg_parse_next_item(p, p->strs.n == base)) {
        if (p->lex.kind != XG_TOK_WORD) xg_lex_fail(&p->lex, NULL, "expected a word, found %s", xg_lex_found(&p->lex));
        xg_push(p->arena, xg_str, &p->strs, xg_intern(&p->m->pool, xg_lex_text(&p->lex)));
        xg_lex_next(&p->lex);
    }
    words->n = p->strs.n - base;
    copy = XG_NEW_N(p->arena, xg_str, words->n);
    if (words->n) memcpy(copy, p->strs.p + base, words->n * sizeof *copy);
    words->p = copy;
    p->strs.n = base;
    a->v.words = words;
}
XG_FN void xg_attr_parse_COMPS(xg_parse *p, xg_attr *a) {
    xg_comps *comps = XG_NEW(p->arena, xg_comps);
    uint32_t base = p->comps.n;
    xg_lex_expect(&p->lex, '{', "'{' and computations");
    while (xg_parse_next_item(p, p->comps.n == base)) {
        xg_comp *c = xg_parse_comp_ref(p);
        xg_push(p->arena, xg_comp *, &p->comps, c);
    }
    comps->n = p->comps.n - base;
    comps->p = XG_NEW_N(p->arena, xg_comp *, comps->n);
    if (comps->n) memcpy((void *)comps->p, (const void *)(p->comps.p + base), comps->n * sizeof *comps->p);
    p->comps.n = base;
    a->v.comps = comps;
}
XG_FN void xg_attr_parse_INSTS(xg_parse *p, xg_attr *a) {
    xg_insts *insts = XG_NEW(p->arena, xg_insts);
    uint32_t base = p->insts.n;
    xg_lex_expect(&p->lex, '{', "'{' and names of instructions");
    while (xg_parse_next_item(p, p->insts.n == base)) {
        xg_inst *i = xg_parse_inst_ref(p);
        xg_push(p->arena, xg_inst *, &p->insts, i);
    }
    insts->n = p->insts.n - base;
    insts->p = XG_NEW_N(p->arena, xg_inst *, insts->n);
    if (insts->n) memcpy((void *)insts->p, (const void *)(p->insts.p + base), insts->n * sizeof *insts->p);
    p->insts.n = base;
    a->v.insts = insts;
}
XG_FN void xg_attr_parse_SHAPES(xg_parse *p, xg_attr *a) {
    xg_shapes *shapes = XG_NEW(p->arena, xg_shapes);
    uint32_t base = p->shapes.n;
    xg_lex_expect(&p->lex, '{', "'{' and shapes");
    while (xg_parse_next_item(p, p->shapes.n == base)) {
        const xg_shape *s = xg_parse_shape(p, true);
        xg_push(p->arena, const xg_shape *, &p->shapes, s);
    }
    shapes->n = p->shapes.n - base;
    shapes->p = XG_NEW_N(p->arena, const xg_shape *, shapes->n);
    if (shapes->n) memcpy((void *)shapes->p, (const void *)(p->shapes.p + base), shapes->n * sizeof *shapes->p);
    p->shapes.n = base;
    a->v.shapes = shapes;
}

/* ---- slices, padding, windows, dimension labels ---- */

XG_FN void xg_attr_parse_SLICE(xg_parse *p, xg_attr *a) { /* {[0:4:2],[1:3]} */
    xg_lex *x = &p->lex;
    xg_slices *s = XG_NEW(p->arena, xg_slices);
    XG_VEC(xg_slice_dim) list = {NULL, 0, 0};
    xg_lex_expect(x, '{', "'{' and [start:limit:stride] for each dimension");
    while (xg_parse_next_item(p, list.n == 0)) {
        xg_slice_dim d;
        xg_lex_expect(x, '[', "'['");
        d.start = xg_lex_int(x, "the start");
        xg_lex_expect(x, ':', "':'");
        d.limit = xg_lex_int(x, "the limit");
        d.stride = xg_lex_take(x, ':') ? xg_lex_int(x, "the stride") : 1;
        xg_lex_expect(x, ']', "':' or ']'");
        xg_push(p->arena, xg_slice_dim, &list, d);
    }
    s->n = list.n;
    s->p = list.p;
    a->v.slices = s;
}

/* Numbers like "0_1_2x3_4": cuts the next one off the text, with the sign in front; its end character into *mark, 0 at
 * the end. */
XG_FN bool xg_parse_cut_int(xg_str *text, int64_t *v, char *mark) {
    uint32_t n = text->n && text->p[0] == '-';
    xg_str one;
    while (n < text->n && text->p[n] >= '0' && text->p[n] <= '9') n++;
    one = xg_str_of(text->p, n);
    *mark = n < text->n ? text->p[n] : 0;
    *text = xg_str_of(text->p + n + (*mark != 0), text->n - n - (*mark != 0));
    return xg_lex_to_int(one, v);
}
enum {
    XG_GRID_PARTS = 3
};
/* "AxB": dimensions of at most `most` numbers joined by '_'. Returns how many dimensions. */
XG_FN uint32_t xg_parse_grid(
    xg_parse *p, int64_t out[][XG_GRID_PARTS], uint32_t least, uint32_t most, const char *form) {
    size_t at = xg_lex_offset(&p->lex);
    xg_str text = xg_lex_run(&p->lex, "-");
    uint32_t n = 0, k;
    char mark = 'x';
    while (mark == 'x') {
        if (n == XG_RANK_MAX) xg_lex_wrong_at(&p->lex, at, "more than %d dimensions", (int)XG_RANK_MAX);
        out[n][2] = 0;
        mark = '_';
        for (k = 0; k < most && mark == '_'; k++)
            if (!xg_parse_cut_int(&text, &out[n][k], &mark)) xg_lex_wrong_at(&p->lex, at, "expected %s", form);
        if (k < least || mark == '_') xg_lex_wrong_at(&p->lex, at, "expected %s", form);
        n++;
    }
    if (mark) xg_lex_wrong_at(&p->lex, at, "expected %s", form);
    return n;
}
XG_FN void xg_attr_parse_PADDING(xg_parse *p, xg_attr *a) { /* 0_1x2_3_1 */
    int64_t grid[XG_RANK_MAX][XG_GRID_PARTS];
    xg_pads *pads = XG_NEW(p->arena, xg_pads);
    xg_pad_dim *dims;
    uint32_t k;
    if (p->lex.kind == XG_TOK_NUMBER)
        pads->n = xg_parse_grid(p, grid, 2, 3, "low_high or low_high_interior for each dimension, joined by 'x'");
    dims = XG_NEW_N(p->arena, xg_pad_dim, pads->n);
    for (k = 0; k < pads->n; k++) {
        dims[k].low = grid[k][0];
        dims[k].high = grid[k][1];
        dims[k].interior = grid[k][2];
    }
    pads->p = dims;
    a->v.pads = pads;
}
/* {size=3x3 stride=2x2 pad=1_1x1_1 lhs_dilate=.. rhs_dilate=.. rhs_reversal=0x1} */
XG_FN void xg_attr_parse_WINDOW(xg_parse *p, xg_attr *a) {
    XG_TABLE const char *const fields[] = {"size", "stride", "pad", "lhs_dilate", "rhs_dilate", "rhs_reversal"};
    xg_lex *x = &p->lex;
    int64_t grid[XG_COUNT(fields)][XG_RANK_MAX][XG_GRID_PARTS];
    uint32_t n[XG_COUNT(fields)] = {0, 0, 0, 0, 0, 0}, k, f;
    size_t at = xg_lex_offset(x);
    xg_window *w = XG_NEW(p->arena, xg_window);
    xg_window_dim *dims;
    xg_lex_expect(x, '{', "'{' and the window");
    while (x->kind != '}') {
        for (f = 0; f < XG_COUNT(fields) && !xg_lex_is(x, fields[f]); f++) {}
        if (f == XG_COUNT(fields))
            xg_lex_fail(x, "a window has size, stride, pad, lhs_dilate, rhs_dilate, rhs_reversal",
                "expected a part of the window, found %s", xg_lex_found(x));
        if (n[f]) xg_lex_fail(x, XG_HINT_ONCE, "'%s' is given twice", fields[f]);
        xg_lex_next(x);
        xg_lex_expect(x, '=', "'='");
        n[f] = f == 2 ? xg_parse_grid(p, grid[f], 2, 2, "low_high for each dimension, joined by 'x'")
                      : xg_parse_grid(p, grid[f], 1, 1, "numbers joined by 'x'");
    }
    xg_lex_next(x);
    for (f = 1; f < XG_COUNT(fields); f++)
        if (n[f] && n[f] != n[0])
            xg_lex_wrong_at(x, at, "the window's size has %u dimensions, its %s has %u", n[0], fields[f], n[f]);
    dims = XG_NEW_N(p->arena, xg_window_dim, n[0]);
    for (k = 0; k < n[0]; k++) {
        dims[k].size = grid[0][k][0];
        dims[k].stride = n[1] ? grid[1][k][0] : 1;
        dims[k].pad_low = n[2] ? grid[2][k][0] : 0;
        dims[k].pad_high = n[2] ? grid[2][k][1] : 0;
        dims[k].base_dilation = n[3] ? grid[3][k][0] : 1;
        dims[k].window_dilation = n[4] ? grid[4][k][0] : 1;
        dims[k].reversal = n[5] && grid[5][k][0] != 0;
        if (n[5] && (grid[5][k][0] < 0 || grid[5][k][0] > 1))
            xg_lex_wrong_at(x, at, "rhs_reversal is 0 or 1 in each dimension");
    }
    w->n = n[0];
    w->p = dims;
    a->v.window = w;
}

/* One part of the labels: the roles of two letters and of the digits. */
XG_FN void xg_parse_labels(
    xg_parse *p, size_t at, xg_str s, const char *letters, int64_t role[2], int64_t spatial[10], uint32_t *n) {
    uint32_t k, digits = 0;
    role[0] = role[1] = -1;
    for (k = 0; k < 10; k++) spatial[k] = -1;
    for (k = 0; k < s.n; k++) {
        int64_t *slot;
        char c = s.p[k];
        if (c == '?') continue;
        slot = c == letters[0]        ? &role[0]
               : c == letters[1]      ? &role[1]
               : c >= '0' && c <= '9' ? &spatial[c - '0']
                                      : NULL;
        if (!slot) xg_lex_wrong_at(&p->lex, at, "dimension labels: '%c' has no meaning in '%.*s'", c, (int)s.n, s.p);
        if (*slot >= 0)
            xg_lex_wrong_at(&p->lex, at, "dimension labels: '%c' is there twice in '%.*s'", c, (int)s.n, s.p);
        *slot = k;
        digits += c >= '0' && c <= '9';
    }
    for (k = 0; k < digits; k++)
        if (spatial[k] < 0)
            xg_lex_wrong_at(&p->lex, at, "dimension labels: '%.*s' lacks the spatial dimension %u", (int)s.n, s.p, k);
    *n = digits;
}
XG_FN void xg_attr_parse_DIM_LABELS(xg_parse *p, xg_attr *a) { /* b01f_01io->b01f */
    xg_dim_labels *l = XG_NEW(p->arena, xg_dim_labels);
    size_t at = xg_lex_offset(&p->lex);
    xg_str text = xg_lex_run(&p->lex, "?->");
    const char *under = text.n ? (const char *)memchr(text.p, '_', text.n) : NULL, *arrow = NULL;
    int64_t role[2], spatial[10];
    uint32_t n, n_kernel, n_output, k;
    for (k = 0; k + 1 < text.n; k++)
        if (text.p[k] == '-' && text.p[k + 1] == '>') {
            arrow = text.p + k;
            break;
        }
    if (!under || !arrow || under > arrow)
        xg_lex_wrong_at(&p->lex, at, "expected dimension labels like b01f_01io->b01f");
    l->text = text;
    xg_parse_labels(p, at, xg_str_of(text.p, (size_t)(under - text.p)), "bf", role, spatial, &n);
    l->input_batch = role[0];
    l->input_feature = role[1];
    l->input_spatial = *xg_ints_new(p->arena, spatial, n);
    xg_parse_labels(p, at, xg_str_of(under + 1, (size_t)(arrow - under - 1)), "io", role, spatial, &n_kernel);
    l->kernel_input = role[0];
    l->kernel_output = role[1];
    l->kernel_spatial = *xg_ints_new(p->arena, spatial, n_kernel);
    xg_parse_labels(p, at, xg_str_of(arrow + 2, text.n - (size_t)(arrow + 2 - text.p)), "bf", role, spatial, &n_output);
    l->output_batch = role[0];
    l->output_feature = role[1];
    l->output_spatial = *xg_ints_new(p->arena, spatial, n_output);
    if (n != n_kernel || n != n_output)
        xg_lex_wrong_at(&p->lex, at, "dimension labels: input, kernel and output have %u, %u and %u spatial dimensions",
            n, n_kernel, n_output);
    a->v.labels = l;
}
XG_FN void xg_attr_parse_ALIASES(xg_parse *p, xg_attr *a) { /* {{0}: (1, {}), ...} */
    xg_lex *x = &p->lex;
    xg_aliases *made = XG_NEW(p->arena, xg_aliases);
    XG_VEC(xg_alias) list = {NULL, 0, 0};
    xg_lex_expect(x, '{', "'{' and {output}: (operand, {index})");
    while (xg_parse_next_item(p, list.n == 0)) {
        xg_alias one;
        one.output = xg_parse_ints(p, '{', '}', "an output index");
        xg_lex_expect(x, ':', "':'");
        xg_lex_expect(x, '(', "'('");
        one.operand = xg_lex_int(x, "an operand number");
        xg_lex_expect(x, ',', "','");
        one.operand_index = xg_parse_ints(p, '{', '}', "an operand index");
        xg_lex_expect(x, ')', "')'");
        xg_push(p->arena, xg_alias, &list, one);
    }
    made->n = list.n;
    made->p = list.p;
    a->v.aliases = made;
}

/* ---- metadata ---- */

XG_FN const char *xg_parse_metadata_name(const void *none, size_t i) {
    (void)none;
    return i < XG_METADATA_COUNT ? xg_metadata_rows[i].name : NULL;
}

/* One value: its text as it will be printed, and the string or number in it. */
XG_FN xg_str xg_parse_metadata_value(xg_parse *p, int kind, xg_str *string, int64_t *number) {
    xg_lex *x = &p->lex;
    xg_str text = xg_lex_text(x);
    xg_buf b;
    if (kind == XG_METADATA_RAW) return xg_parse_raw(p);
    if (kind == XG_METADATA_NUMBER) {
        *number = xg_lex_int(x, "a number");
        return text;
    }
    *string = xg_lex_string(x, p->arena, "the value");
    if (text.p[0] == '"' && string->n == text.n - 2) return text;
    xg_buf_init(&b, p->arena);
    xg_put_quoted(&b, *string);
    return xg_str_of(b.p, b.n);
}
/* The text inside the braces is canonical if it is in order with one blank between the parts and every part is; then it
 * is used as it is. */
XG_FN void xg_attr_parse_METADATA(xg_parse *p, xg_attr *a) {
    xg_lex *x = &p->lex;
    xg_metadata *m = XG_NEW(p->arena, xg_metadata);
    xg_str text[XG_METADATA_COUNT], string[XG_METADATA_COUNT];
    int64_t number[XG_METADATA_COUNT];
    uint32_t seen = 0, k, last = 0;
    const char *start = x->tok + 1, *end = start;
    bool canonical = true;
    xg_buf b;
    memset(string, 0, sizeof string);
    memset(number, 0, sizeof number);
    xg_lex_expect(x, '{', "'{' and the metadata");
    while (x->kind != '}') {
        const char *tok = x->tok;
        if (seen && xg_lex_take(x, ',')) tok = NULL;
        for (k = 0; k < XG_METADATA_COUNT && !xg_lex_is(x, xg_metadata_rows[k].name); k++) {}
        if (k == XG_METADATA_COUNT)
            xg_lex_fail(x,
                x->kind == XG_TOK_WORD ? xg_parse_did_you_mean(p, xg_lex_text(x), xg_parse_metadata_name, NULL) : NULL,
                "expected a part of the metadata, found %s", xg_lex_found(x));
        if ((seen >> k) & 1) xg_lex_fail(x, XG_HINT_ONCE, "'%s' is given twice", xg_metadata_rows[k].name);
        canonical = canonical && (seen ? k > last && tok == end + 1 && *end == ' ' : tok == start);
        seen |= 1u << k;
        last = k;
        xg_lex_next(x);
        canonical = canonical && x->tok == tok + strlen(xg_metadata_rows[k].name) && x->kind == '=' && *x->at != ' ';
        xg_lex_expect(x, '=', "'='");
        end = x->tok;
        text[k] = xg_parse_metadata_value(p, xg_metadata_rows[k].kind, &string[k], &number[k]);
        canonical = canonical && text[k].p == end;
        end = text[k].p + text[k].n;
    }
    canonical = canonical && x->tok == end;
    xg_lex_next(x);
    m->op_type = string[XG_M_op_type];
    m->op_name = string[XG_M_op_name];
    m->source_file = string[XG_M_source_file];
    m->source_line = number[XG_M_source_line];
    m->stack_frame_id = number[XG_M_stack_frame_id];
    a->v.metadata = m;
    m->text = xg_str_of(start, canonical ? (size_t)(end - start) : 0);
    if (canonical) return;
    xg_buf_init(&b, p->arena);
    for (k = 0; k < XG_METADATA_COUNT; k++) {
        if (!((seen >> k) & 1)) continue;
        if (b.n) xg_putc(&b, ' ');
        xg_printf(&b, "%s=%.*s", xg_metadata_rows[k].name, (int)text[k].n, text[k].p);
    }
    m->text = xg_str_of(b.p, b.n);
}

/* ---- the dispatch ---- */

XG_FN void xg_attr_parse_GROUPS(xg_parse *p, xg_attr *a) { a->v.groups = xg_parse_groups(p); }
XG_FN void xg_attr_parse_SHARDING(xg_parse *p, xg_attr *a) { a->v.str = xg_parse_keep_str(p, xg_parse_sharding(p)); }
XG_FN void xg_parse_attr_value(xg_parse *p, xg_attr *a) {
    switch (a->key) {
#define X(name, text, kind) \
    case XG_A_##name: xg_attr_parse_##kind(p, a); break;
        XG_ATTRS(X)
#undef X
    case XG_ATTR_COUNT: break;
    }
}

#endif /* XG_HLO_PARSE_ATTR_C */
