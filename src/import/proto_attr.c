/* import/proto_attr.c -- the attributes of an instruction from their fields: one reader per codec of XG_PROTO_ATTRS.
 *
 * A reader gets the fields of its row, which may be several: the last one counts for single values, lists and repeated
 * messages are the sum of all. Without any it gives the default, as attributes need that must be there. */
#ifndef XG_IMPORT_PROTO_ATTR_C
#define XG_IMPORT_PROTO_ATTR_C
#include "proto.h"
#include "proto_devices.c"
#include "proto_literal.c"
#include "proto_metadata.c"

/* The next field of the row, from n on. */
XG_FN uint32_t xg_proto_more(const xg_proto *p, const xg_proto_row *row, uint32_t n, uint32_t end) {
    while (n < end && p->fields.p[n].number != row->key) n++;
    return n;
}
XG_FN const xg_proto_field *xg_proto_last(const xg_proto *p, const xg_proto_row *row, uint32_t n, uint32_t end) {
    for (; end > n; end--)
        if (p->fields.p[end - 1].number == row->key) return &p->fields.p[end - 1];
    return NULL;
}
XG_FN xg_ints xg_proto_all_ints(xg_proto *p, const xg_proto_row *row, uint32_t n, uint32_t end) {
    uint32_t base = p->parse->ints.n;
    for (; (n = xg_proto_more(p, row, n, end)) < end; n++) xg_proto_push_ints(p, &p->fields.p[n]);
    return xg_parse_take_ints(p->parse, base);
}
#define XG_PROTO_FOR(p, row, n, end) for (; ((n) = xg_proto_more((p), (row), (n), (end))) < (end); (n)++)

XG_FN void xg_proto_read_text(xg_proto *p, const unsigned char *at, const xg_buf *text, xg_attr *a) {
    xg_lex saved = p->parse->lex;
    xg_proto_lex(p, at, text);
    xg_parse_attr_value(p->parse, a);
    if (p->parse->lex.kind != XG_TOK_END)
        xg_lex_fail(&p->parse->lex, NULL, "expected the end of the value, found %s", xg_lex_found(&p->parse->lex));
    p->parse->lex = saved;
}
XG_FN const xg_str *xg_proto_keep(xg_proto *p, xg_str s) {
    return xg_parse_keep_str(p->parse, xg_str_copy(p->arena, s));
}

/* ---- one value ---- */

/* A number that says nothing is left out: the one of the row's detail, and for channels whatever is below it. */
XG_FN bool xg_proto_read_INT(xg_proto *p, const xg_proto_row *row, uint32_t n, uint32_t end, xg_attr *a) {
    const xg_proto_field *f = xg_proto_last(p, row, n, end);
    char usual = *xg_proto_detail(row);
    a->v.i = f ? xg_proto_int(p, f) : 0;
    return !usual || (a->v.i > 0 && a->v.i != usual - '0');
}
XG_FN bool xg_proto_read_BOOL(xg_proto *p, const xg_proto_row *row, uint32_t n, uint32_t end, xg_attr *a) {
    const xg_proto_field *f = xg_proto_last(p, row, n, end);
    a->v.i = f && xg_proto_int(p, f) != 0;
    return a->v.i != 0;
}
XG_FN bool xg_proto_read_TRISTATE(xg_proto *p, const xg_proto_row *row, uint32_t n, uint32_t end, xg_attr *a) {
    const xg_proto_field *f = xg_proto_last(p, row, n, end);
    int64_t v = f ? xg_proto_int(p, f) : 0;
    if (v < 0 || v > 2) xg_proto_fail(p, f->at, NULL, "%s is neither true nor false", xg_attr_name(a->key));
    a->v.i = v == 1;
    return v != 0;
}
XG_FN bool xg_proto_read_FLOAT(xg_proto *p, const xg_proto_row *row, uint32_t n, uint32_t end, xg_attr *a) {
    const xg_proto_field *f = xg_proto_last(p, row, n, end);
    float v = 0;
    if (f && f->wire != XG_WIRE_FIXED32) xg_proto_fail(p, f->at, NULL, "%s is no float", xg_attr_name(a->key));
    if (f) memcpy(&v, f->bytes.p, 4); /* little-endian hosts */
    if (v - v != 0) xg_proto_fail(p, f->at, NULL, "%s is not finite", xg_attr_name(a->key));
    a->v.d = v;
    return true;
}
/* The word with this number in a list separated by blanks. "-" says nothing, and "!" or none is an error. */
XG_FN xg_str xg_proto_word(xg_proto *p, const unsigned char *at, xg_attr_key key, const char *words, int64_t number) {
    int64_t k;
    size_t n = strcspn(words, " ");
    for (k = 0; k < number && words[n]; k++) {
        words += n + 1;
        n = strcspn(words, " ");
    }
    if (k != number || *words == '!')
        xg_proto_fail(p, at, "it may be newer than this reader", "%s has no value with the number %lld",
            xg_attr_name(key), (long long)number);
    return xg_str_of(words, n);
}
XG_FN bool xg_proto_read_ENUM(xg_proto *p, const xg_proto_row *row, uint32_t n, uint32_t end, xg_attr *a) {
    const xg_proto_field *f = xg_proto_last(p, row, n, end);
    xg_str word;
    if (!f && *xg_proto_detail(row) == '!') return false;
    word = xg_proto_word(p, f ? f->at : p->base, a->key, xg_proto_detail(row), f ? xg_proto_int(p, f) : 0);
    a->v.str = xg_parse_keep_str(p->parse, xg_intern(&p->m->pool, word));
    return !xg_str_is(word, "-");
}
/* A list of them says nothing when all are the first word. */
XG_FN bool xg_proto_read_ENUMS(xg_proto *p, const xg_proto_row *row, uint32_t n, uint32_t end, xg_attr *a) {
    const unsigned char *at = n < end ? p->fields.p[n].at : p->base;
    xg_ints v = xg_proto_all_ints(p, row, n, end);
    xg_words *words = XG_NEW(p->arena, xg_words);
    xg_str *list = XG_NEW_N(p->arena, xg_str, v.n);
    uint32_t k;
    bool any = false;
    for (k = 0; k < v.n; k++) {
        list[k] = xg_intern(&p->m->pool, xg_proto_word(p, at, a->key, xg_proto_detail(row), v.p[k]));
        any = any || v.p[k];
    }
    words->n = v.n;
    words->p = list;
    a->v.words = words;
    return any;
}
XG_FN bool xg_proto_read_NAME(xg_proto *p, const xg_proto_row *row, uint32_t n, uint32_t end, xg_attr *a) {
    const xg_proto_field *f = xg_proto_last(p, row, n, end);
    if (!f) return false;
    a->v.str = xg_parse_keep_str(p->parse, xg_intern(&p->m->pool, xg_proto_str(p, f)));
    return true;
}
XG_FN bool xg_proto_read_TEXT(xg_proto *p, const xg_proto_row *row, uint32_t n, uint32_t end, xg_attr *a) {
    const xg_proto_field *f = xg_proto_last(p, row, n, end);
    a->v.str = xg_proto_keep(p, f ? xg_proto_str(p, f) : XG_STR(""));
    return true;
}
XG_FN bool xg_proto_read_CONFIG(xg_proto *p, const xg_proto_row *row, uint32_t n, uint32_t end, xg_attr *a) {
    const xg_proto_field *f = xg_proto_last(p, row, n, end);
    xg_str s = xg_proto_str(p, f);
    xg_buf b;
    xg_buf_init(&b, p->arena);
    xg_proto_put_value(&b, s);
    a->v.str = xg_parse_keep_str(p->parse, xg_str_of(b.p, b.n));
    return true;
}
XG_FN bool xg_proto_read_SHAPE(xg_proto *p, const xg_proto_row *row, uint32_t n, uint32_t end, xg_attr *a) {
    const xg_proto_field *f = xg_proto_last(p, row, n, end);
    a->v.shape = xg_proto_shape(p, xg_proto_message(p, f));
    return true;
}
XG_FN bool xg_proto_read_LITERAL(xg_proto *p, const xg_proto_row *row, uint32_t n, uint32_t end, xg_attr *a) {
    const xg_proto_field *f = xg_proto_last(p, row, n, end);
    a->v.literal = xg_proto_literal(p, xg_proto_message(p, f));
    return true;
}

/* ---- lists ---- */

XG_FN bool xg_proto_read_INTS(xg_proto *p, const xg_proto_row *row, uint32_t n, uint32_t end, xg_attr *a) {
    xg_ints v = xg_proto_all_ints(p, row, n, end);
    a->v.ints = xg_ints_new(p->arena, v.p, v.n);
    return true;
}
XG_FN bool xg_proto_read_FIRST(xg_proto *p, const xg_proto_row *row, uint32_t n, uint32_t end, xg_attr *a) {
    xg_ints v = xg_proto_all_ints(p, row, n, end);
    if (v.n > 1) xg_proto_fail(p, p->fields.p[n].at, NULL, "%s is one number, not %u", xg_attr_name(a->key), v.n);
    a->v.i = v.n ? v.p[0] : 0;
    return true;
}
XG_FN void xg_proto_give_lists(xg_proto *p, xg_attr *a, const xg_ints *lists, uint32_t n, bool flat) {
    xg_int_lists *made = XG_NEW(p->arena, xg_int_lists);
    made->p = lists;
    made->n = n;
    made->flat = flat;
    a->v.lists = made;
}
XG_FN bool xg_proto_read_FLAT(xg_proto *p, const xg_proto_row *row, uint32_t n, uint32_t end, xg_attr *a) {
    xg_ints *one = XG_NEW(p->arena, xg_ints);
    *one = xg_proto_all_ints(p, row, n, end);
    xg_proto_give_lists(p, a, one, one->n ? 1 : 0, true);
    return true;
}
XG_FN bool xg_proto_read_PAIRS(xg_proto *p, const xg_proto_row *row, uint32_t n, uint32_t end, xg_attr *a) {
    XG_VEC(xg_ints) list = {NULL, 0, 0};
    XG_PROTO_FOR(p, row, n, end) {
        xg_proto_bytes m = xg_proto_message(p, &p->fields.p[n]);
        int64_t pair[2];
        pair[0] = xg_proto_int_of(p, m, 1);
        pair[1] = xg_proto_int_of(p, m, 2);
        xg_push(p->arena, xg_ints, &list, *xg_ints_new(p->arena, pair, 2));
    }
    xg_proto_give_lists(p, a, list.p, list.n, list.n == 0);
    return true;
}
XG_FN bool xg_proto_read_SHAPES(xg_proto *p, const xg_proto_row *row, uint32_t n, uint32_t end, xg_attr *a) {
    xg_shapes *shapes = XG_NEW(p->arena, xg_shapes);
    XG_VEC(const xg_shape *) list = {NULL, 0, 0};
    XG_PROTO_FOR(p, row, n, end) {
        const xg_shape *s = xg_proto_shape(p, xg_proto_message(p, &p->fields.p[n]));
        xg_push(p->arena, const xg_shape *, &list, s);
    }
    shapes->n = list.n;
    shapes->p = list.p;
    a->v.shapes = shapes;
    return true;
}
XG_FN bool xg_proto_read_SLICES(xg_proto *p, const xg_proto_row *row, uint32_t n, uint32_t end, xg_attr *a) {
    xg_slices *s = XG_NEW(p->arena, xg_slices);
    XG_VEC(xg_slice_dim) list = {NULL, 0, 0};
    XG_PROTO_FOR(p, row, n, end) {
        xg_proto_bytes m = xg_proto_message(p, &p->fields.p[n]);
        xg_slice_dim d;
        d.start = xg_proto_int_of(p, m, 1);
        d.limit = xg_proto_int_of(p, m, 2);
        d.stride = xg_proto_int_of(p, m, 3);
        if (!d.stride) d.stride = 1;
        xg_push(p->arena, xg_slice_dim, &list, d);
    }
    s->n = list.n;
    s->p = list.p;
    a->v.slices = s;
    return true;
}
XG_FN bool xg_proto_read_PADS(xg_proto *p, const xg_proto_row *row, uint32_t n, uint32_t end, xg_attr *a) {
    xg_pads *pads = XG_NEW(p->arena, xg_pads);
    XG_VEC(xg_pad_dim) list = {NULL, 0, 0};
    XG_PROTO_FOR(p, row, n, end) {
        xg_proto_bytes all = xg_proto_message(p, &p->fields.p[n]), m;
        xg_proto_field f;
        while (xg_proto_next(p, &all, &f)) {
            xg_pad_dim d;
            if (f.number != 1) continue;
            m = xg_proto_message(p, &f);
            d.low = xg_proto_int_of(p, m, 1);
            d.high = xg_proto_int_of(p, m, 2);
            d.interior = xg_proto_int_of(p, m, 3);
            xg_push(p->arena, xg_pad_dim, &list, d);
        }
    }
    pads->n = list.n;
    pads->p = list.p;
    a->v.pads = pads;
    return true;
}
XG_APART XG_FN xg_window_dim xg_proto_window_dim(xg_proto *p, xg_proto_bytes m) {
    int64_t v[8] = {0, 0, 1, 0, 0, 1, 1, 0};
    xg_proto_field f;
    xg_window_dim d;
    while (xg_proto_next(p, &m, &f))
        if (f.number < 8) v[f.number] = xg_proto_int(p, &f);
    d.size = v[1];
    d.stride = v[2] ? v[2] : 1;
    d.pad_low = v[3];
    d.pad_high = v[4];
    d.window_dilation = v[5] ? v[5] : 1;
    d.base_dilation = v[6] ? v[6] : 1;
    d.reversal = v[7] != 0;
    return d;
}
XG_FN bool xg_proto_read_WINDOW(xg_proto *p, const xg_proto_row *row, uint32_t n, uint32_t end, xg_attr *a) {
    xg_window *w = XG_NEW(p->arena, xg_window);
    XG_VEC(xg_window_dim) list = {NULL, 0, 0};
    XG_PROTO_FOR(p, row, n, end) {
        xg_proto_bytes all = xg_proto_message(p, &p->fields.p[n]);
        xg_proto_field f;
        while (xg_proto_next(p, &all, &f)) {
            xg_window_dim d;
            if (f.number != 1) continue;
            d = xg_proto_window_dim(p, xg_proto_message(p, &f));
            xg_push(p->arena, xg_window_dim, &list, d);
        }
    }
    w->n = list.n;
    w->p = list.p;
    a->v.window = w;
    return list.n > 0;
}
XG_FN bool xg_proto_read_ALIASES(xg_proto *p, const xg_proto_row *row, uint32_t n, uint32_t end, xg_attr *a) {
    xg_aliases *made = XG_NEW(p->arena, xg_aliases);
    XG_VEC(xg_alias) list = {NULL, 0, 0};
    XG_PROTO_FOR(p, row, n, end) {
        xg_proto_bytes m = xg_proto_message(p, &p->fields.p[n]);
        xg_alias one;
        one.output = xg_proto_ints_of(p, m, 1);
        one.operand = xg_proto_int_of(p, m, 2);
        one.operand_index = xg_proto_ints_of(p, m, 3);
        xg_push(p->arena, xg_alias, &list, one);
    }
    made->n = list.n;
    made->p = list.p;
    a->v.aliases = made;
    return true;
}

/* ---- what is read from its text ---- */

/* One part of dimension labels: letters and digits at the places that the message gives them. */
XG_FN void xg_proto_put_labels(xg_proto *p, xg_buf *b, xg_proto_bytes m, const char *letters, const uint32_t *numbers) {
    xg_ints spatial = xg_proto_ints_of(p, m, numbers[2]);
    char text[XG_RANK_MAX];
    uint32_t k, n = spatial.n + 2;
    if (spatial.n > 10) xg_proto_fail(p, m.p, NULL, "a convolution with %u spatial dimensions", spatial.n);
    memset(text, '?', sizeof text);
    for (k = 0; k < n; k++) {
        int64_t d = k < spatial.n ? spatial.p[k] : xg_proto_int_of(p, m, numbers[k - spatial.n]);
        if (d < 0 || d >= XG_RANK_MAX || text[d] != '?')
            xg_proto_fail(p, m.p, NULL, "the dimension numbers of a convolution name dimension %lld twice or beyond",
                (long long)d);
        text[d] = k < spatial.n ? (char)('0' + k) : letters[k - spatial.n];
    }
    for (n = XG_RANK_MAX; text[n - 1] == '?'; n--) {}
    xg_put(b, text, n);
}
XG_FN bool xg_proto_read_LABELS(xg_proto *p, const xg_proto_row *row, uint32_t n, uint32_t end, xg_attr *a) {
    XG_TABLE const uint32_t input[] = {7, 8, 11}, kernel[] = {3, 4, 6}, output[] = {9, 10, 12};
    const xg_proto_field *f = xg_proto_last(p, row, n, end);
    xg_proto_bytes m = xg_proto_message(p, f);
    xg_buf b;
    xg_buf_init(&b, p->arena);
    xg_proto_put_labels(p, &b, m, "bf", input);
    xg_putc(&b, '_');
    xg_proto_put_labels(p, &b, m, "io", kernel);
    xg_puts(&b, "->");
    xg_proto_put_labels(p, &b, m, "bf", output);
    xg_proto_read_text(p, f->at, &b, a);
    return true;
}
XG_FN bool xg_proto_read_GROUPS(xg_proto *p, const xg_proto_row *row, uint32_t n, uint32_t end, xg_attr *a) {
    const unsigned char *at = n < end ? p->fields.p[n].at : p->base;
    xg_buf b;
    (void)row;
    xg_buf_init(&b, p->arena);
    xg_proto_put_groups(p, &b, n, end);
    xg_proto_read_text(p, at, &b, a);
    return true;
}
/* Of one message, by the text that `put` makes of it. */
XG_FN bool xg_proto_read_as_text(
    xg_proto *p, const xg_proto_field *f, xg_attr *a, void (*put)(xg_proto *p, xg_buf *b, xg_proto_bytes m)) {
    xg_buf b;
    xg_buf_init(&b, p->arena);
    put(p, &b, xg_proto_message(p, f));
    xg_proto_read_text(p, f->at, &b, a);
    return true;
}
XG_FN bool xg_proto_read_IOTA_GROUPS(xg_proto *p, const xg_proto_row *row, uint32_t n, uint32_t end, xg_attr *a) {
    return xg_proto_read_as_text(p, xg_proto_last(p, row, n, end), a, xg_proto_put_iota_groups);
}
XG_FN bool xg_proto_read_MESH_GROUPS(xg_proto *p, const xg_proto_row *row, uint32_t n, uint32_t end, xg_attr *a) {
    return xg_proto_read_as_text(p, xg_proto_last(p, row, n, end), a, xg_proto_put_mesh_groups);
}
XG_FN bool xg_proto_read_SHARDING(xg_proto *p, const xg_proto_row *row, uint32_t n, uint32_t end, xg_attr *a) {
    return xg_proto_read_as_text(p, xg_proto_last(p, row, n, end), a, xg_proto_put_sharding);
}
/* domain={kind="sharding", entry={maximal device=0}, exit={maximal device=1}}, from two fields: what the format calls
 * the entry is the operand's side, which text calls the exit */
XG_FN bool xg_proto_read_DOMAIN(xg_proto *p, const xg_proto_row *row, uint32_t n, uint32_t end, xg_attr *a) {
    static const struct {
        uint32_t number;
        const char *word;
    } sides[] = {{55, "entry"}, {54, "exit"}};
    const unsigned char *at = n < end ? p->fields.p[n].at : p->base;
    xg_buf b;
    uint32_t side, k;
    (void)row;
    xg_buf_init(&b, p->arena);
    xg_puts(&b, "{kind=\"sharding\"");
    for (side = 0; side < XG_COUNT(sides); side++) {
        xg_printf(&b, ", %s=", sides[side].word);
        for (k = n; k < end && p->fields.p[k].number != XG_PROTO_KEY(sides[side].number, 0, 0); k++) {}
        if (k < end)
            xg_proto_put_sharding(p, &b, xg_proto_message(p, &p->fields.p[k]));
        else
            xg_puts(&b, "{replicated}");
    }
    xg_putc(&b, '}');
    xg_proto_read_text(p, at, &b, a);
    return true;
}
XG_FN bool xg_proto_read_BOOLS(xg_proto *p, const xg_proto_row *row, uint32_t n, uint32_t end, xg_attr *a) {
    xg_ints v = xg_proto_all_ints(p, row, n, end);
    xg_buf b;
    uint32_t k;
    xg_buf_init(&b, p->arena);
    xg_putc(&b, '{');
    for (k = 0; k < v.n; k++) xg_printf(&b, k ? ",%s" : "%s", v.p[k] ? "true" : "false");
    xg_putc(&b, '}');
    a->v.str = xg_parse_keep_str(p->parse, xg_str_of(b.p, b.n));
    return v.n > 0;
}
XG_FN double xg_proto_double_of(xg_proto *p, xg_proto_bytes m, uint32_t number) {
    xg_proto_field f;
    double v = 0;
    if (!xg_proto_find(p, m, number, &f)) return 0;
    if (f.wire != XG_WIRE_FIXED64) xg_proto_fail(p, f.at, NULL, "the field here must be a double");
    memcpy(&v, f.bytes.p, 8); /* little-endian hosts */
    return v;
}
XG_FN bool xg_proto_read_ACCURACY(xg_proto *p, const xg_proto_row *row, uint32_t n, uint32_t end, xg_attr *a) {
    xg_proto_bytes m = xg_proto_message(p, xg_proto_last(p, row, n, end));
    xg_proto_field f;
    xg_buf b;
    xg_buf_init(&b, p->arena);
    if (xg_proto_find(p, m, 2, &f)) {
        m = xg_proto_message(p, &f);
        xg_puts(&b, "{tolerance={atol=");
        xg_float_print_g(&b, xg_proto_double_of(p, m, 1), 17);
        xg_puts(&b, ",rtol=");
        xg_float_print_g(&b, xg_proto_double_of(p, m, 2), 17);
        xg_printf(&b, ",ulps=%lld}}", (long long)xg_proto_int_of(p, m, 3));
    } else if (xg_proto_int_of(p, m, 1) == 1)
        xg_puts(&b, "{mode=highest}");
    else
        return false;
    a->v.str = xg_parse_keep_str(p->parse, xg_str_of(b.p, b.n));
    return true;
}
XG_FN bool xg_proto_read_STATISTICS(xg_proto *p, const xg_proto_row *row, uint32_t n, uint32_t end, xg_attr *a) {
    xg_proto_bytes m = xg_proto_message(p, xg_proto_last(p, row, n, end));
    xg_proto_field f, name;
    xg_buf b;
    bool any = false;
    xg_buf_init(&b, p->arena);
    xg_printf(&b, "{visualizing_index=%lld", (long long)xg_proto_int_of(p, m, 1));
    while (xg_proto_next(p, &m, &f)) {
        xg_str key;
        if (f.number != 2) continue;
        key = xg_proto_find(p, xg_proto_message(p, &f), 1, &name) ? xg_proto_str(p, &name) : XG_STR("");
        xg_putc(&b, ',');
        xg_proto_put_key(&b, key);
        xg_putc(&b, '=');
        xg_float_print_g(&b, xg_proto_double_of(p, f.bytes, 2), 17);
        any = true;
    }
    xg_putc(&b, '}');
    a->v.str = xg_parse_keep_str(p->parse, xg_str_of(b.p, b.n));
    return any;
}
/* Which instructions of an earlier program the values stand for: a debugger's matter, which is not kept. */
XG_FN bool xg_proto_read_ORIGIN(xg_proto *p, const xg_proto_row *row, uint32_t n, uint32_t end, xg_attr *a) {
    (void)p, (void)row, (void)n, (void)end, (void)a;
    return false;
}
XG_FN bool xg_proto_read_SPARSITY(xg_proto *p, const xg_proto_row *row, uint32_t n, uint32_t end, xg_attr *a) {
    const xg_proto_field *f = xg_proto_last(p, row, n, end);
    (void)a;
    xg_fail_at(p->ctx, XLAGPU_ERROR_UNSUPPORTED, p->source, (size_t)(f->at - p->base), NULL,
        "HLO protobuf: sparse convolutions are not supported");
}

/* ---- frontend attributes and metadata ---- */

XG_FN bool xg_proto_read_MAP(xg_proto *p, const xg_proto_row *row, uint32_t n, uint32_t end, xg_attr *a) {
    xg_str text = xg_proto_map_text(p, xg_proto_message(p, xg_proto_last(p, row, n, end)));
    a->v.str = xg_parse_keep_str(p->parse, text);
    return text.n > 0;
}
/* Many instructions share theirs. */
XG_FN bool xg_proto_read_METADATA(xg_proto *p, const xg_proto_row *row, uint32_t n, uint32_t end, xg_attr *a) {
    const xg_proto_field *f = xg_proto_last(p, row, n, end);
    xg_str bytes = xg_proto_str(p, f);
    xg_metadata *known = (xg_metadata *)xg_dict_get(&p->metadata, bytes);
    if (!known) {
        known = XG_NEW(p->arena, xg_metadata);
        xg_proto_metadata_text(p, f->bytes, known);
        xg_dict_put_lasting(&p->metadata, bytes, known);
    }
    a->v.metadata = known;
    return known->text.n > 0;
}

/* ---- the rows ---- */

XG_TABLE const xg_proto_row xg_proto_attr_rows[] = {
#define X(a, b, c, attr, op, codec, detail) {XG_PROTO_KEY(a, b, c), XG_A_##attr, XG_##op, XG_PROTO_CODEC_##codec},
    XG_PROTO_ATTRS(X)
#undef X
};
/* Their details in the same order, of which most are empty: pointers would double the rows. */
XG_TABLE const char xg_proto_details[] =
#define X(a, b, c, attr, op, codec, detail) detail "\0"
    XG_PROTO_ATTRS(X)
#undef X
    ;
XG_FN const xg_proto_row *xg_proto_rows(uint32_t *n) {
    *n = XG_COUNT(xg_proto_attr_rows);
    return xg_proto_attr_rows;
}
XG_FN const char *xg_proto_detail(const xg_proto_row *row) {
    const char *detail = xg_proto_details;
    for (; row > xg_proto_attr_rows; row--) detail += strlen(detail) + 1;
    return detail;
}
/* From fields n..end of p->fields with the row's key; false: they say nothing. n == end: the default. */
XG_FN bool xg_proto_read_row(xg_proto *p, const xg_proto_row *row, uint32_t n, uint32_t end, xg_attr *a) {
    XG_TABLE bool (*const readers[])(xg_proto *, const xg_proto_row *, uint32_t, uint32_t, xg_attr *) = {
#define X(codec) xg_proto_read_##codec,
        XG_PROTO_CODECS(X)
#undef X
    };
    return readers[row->codec](p, row, n, end, a);
}

#endif /* XG_IMPORT_PROTO_ATTR_C */
