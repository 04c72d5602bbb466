/* import/proto_write_attr.c -- the attributes of an instruction as fields: one writer per codec of XG_PROTO_ATTRS, each
 * the way back of its reader in proto_attr.c. A writer is given the number of its field in the message that is open. */
#ifndef XG_IMPORT_PROTO_WRITE_ATTR_C
#define XG_IMPORT_PROTO_WRITE_ATTR_C
#include "proto.h"
#include "proto_write_text.c"
#include "proto_attr.c"

typedef void xg_proto_write(xg_proto_writer *w, const xg_proto_row *row, uint32_t number, const xg_attr *a);

/* ---- one value ---- */

XG_FN void xg_proto_write_INT(xg_proto_writer *w, const xg_proto_row *row, uint32_t number, const xg_attr *a) {
    (void)row;
    xg_proto_put_int(w, number, a->v.i);
}
XG_FN void xg_proto_write_BOOL(xg_proto_writer *w, const xg_proto_row *row, uint32_t number, const xg_attr *a) {
    (void)row;
    xg_proto_put_int(w, number, a->v.i != 0);
}
XG_FN void xg_proto_write_TRISTATE(xg_proto_writer *w, const xg_proto_row *row, uint32_t number, const xg_attr *a) {
    (void)row;
    xg_proto_put_int(w, number, a->v.i ? 1 : 2);
}
XG_FN void xg_proto_write_FLOAT(xg_proto_writer *w, const xg_proto_row *row, uint32_t number, const xg_attr *a) {
    float v = (float)a->v.d;
    (void)row;
    if (v == 0) return;
    xg_proto_put_tag(w, number, XG_WIRE_FIXED32);
    xg_put(&w->b, (const char *)&v, sizeof v); /* little-endian hosts */
}
/* The place of a word in a list separated by blanks. */
XG_FN int64_t xg_proto_number_of(const xg_proto_writer *w, const xg_proto_row *row, xg_str word) {
    const char *words = xg_proto_detail(row);
    int64_t k = 0;
    for (;;) {
        size_t n = strcspn(words, " ");
        if (n == word.n && memcmp(words, word.p, n) == 0) return k;
        if (!words[n]) break;
        words += n + 1;
        k++;
    }
    xg_fail(w->ctx, XLAGPU_ERROR_UNSUPPORTED, "error: HLO protobuf: %s=%.*s has no number in the format",
        xg_attr_name((xg_attr_key)row->attr), (int)XG_MIN(word.n, 200u), word.p);
}
XG_FN void xg_proto_write_ENUM(xg_proto_writer *w, const xg_proto_row *row, uint32_t number, const xg_attr *a) {
    bool usual = row->attr == XG_A_api_version && xg_str_is(*a->v.str, "API_VERSION_ORIGINAL");
    xg_proto_put_int(w, number, usual ? 1 : xg_proto_number_of(w, row, *a->v.str));
}
XG_FN void xg_proto_write_ENUMS(xg_proto_writer *w, const xg_proto_row *row, uint32_t number, const xg_attr *a) {
    const xg_words *words = a->v.words;
    int64_t *list = XG_NEW_N(w->arena, int64_t, words->n);
    xg_ints v;
    uint32_t k;
    for (k = 0; k < words->n; k++) list[k] = xg_proto_number_of(w, row, words->p[k]);
    v.p = list;
    v.n = words->n;
    xg_proto_put_ints(w, number, v);
}
XG_FN void xg_proto_write_NAME(xg_proto_writer *w, const xg_proto_row *row, uint32_t number, const xg_attr *a) {
    (void)row;
    xg_proto_put_string(w, number, *a->v.str);
}
XG_FN void xg_proto_write_TEXT(xg_proto_writer *w, const xg_proto_row *row, uint32_t number, const xg_attr *a) {
    (void)row;
    xg_proto_put_string(w, number, *a->v.str);
}
/* The text of a string, or a dictionary as it stands. */
XG_FN void xg_proto_write_CONFIG(xg_proto_writer *w, const xg_proto_row *row, uint32_t number, const xg_attr *a) {
    xg_lex x = xg_proto_scan(w, *a->v.str);
    (void)row;
    xg_proto_put_string(w, number, xg_import_value(w->arena, &x));
}
XG_FN void xg_proto_write_SHAPE(xg_proto_writer *w, const xg_proto_row *row, uint32_t number, const xg_attr *a) {
    (void)row;
    xg_proto_put_shape(w, number, a->v.shape, true);
}
XG_FN void xg_proto_write_LITERAL(xg_proto_writer *w, const xg_proto_row *row, uint32_t number, const xg_attr *a) {
    (void)row;
    xg_proto_put_literal(w, number, a->v.literal);
}

/* ---- lists ---- */

XG_FN void xg_proto_write_INTS(xg_proto_writer *w, const xg_proto_row *row, uint32_t number, const xg_attr *a) {
    (void)row;
    xg_proto_put_ints(w, number, *a->v.ints);
}
XG_FN void xg_proto_write_FIRST(xg_proto_writer *w, const xg_proto_row *row, uint32_t number, const xg_attr *a) {
    xg_ints one;
    (void)row;
    one.p = &a->v.i;
    one.n = 1;
    xg_proto_put_ints(w, number, one);
}
XG_FN void xg_proto_write_FLAT(xg_proto_writer *w, const xg_proto_row *row, uint32_t number, const xg_attr *a) {
    (void)row;
    if (a->v.lists->n) xg_proto_put_ints(w, number, a->v.lists->p[0]);
}
/* A message of numbers, the fields from 1 on. */
XG_FN void xg_proto_put_numbers(xg_proto_writer *w, uint32_t number, const int64_t *v, uint32_t n) {
    size_t at = xg_proto_begin(w, number);
    uint32_t k;
    for (k = 0; k < n; k++) xg_proto_put_int(w, k + 1, v[k]);
    xg_proto_end(w, at);
}
XG_FN void xg_proto_write_PAIRS(xg_proto_writer *w, const xg_proto_row *row, uint32_t number, const xg_attr *a) {
    uint32_t k;
    (void)row;
    for (k = 0; k < a->v.lists->n; k++)
        xg_proto_put_numbers(w, number, a->v.lists->p[k].p, XG_MIN(a->v.lists->p[k].n, 2u));
}
XG_FN void xg_proto_write_SHAPES(xg_proto_writer *w, const xg_proto_row *row, uint32_t number, const xg_attr *a) {
    uint32_t k;
    (void)row;
    for (k = 0; k < a->v.shapes->n; k++) xg_proto_put_shape(w, number, a->v.shapes->p[k], true);
}
XG_FN void xg_proto_write_SLICES(xg_proto_writer *w, const xg_proto_row *row, uint32_t number, const xg_attr *a) {
    uint32_t k;
    (void)row;
    for (k = 0; k < a->v.slices->n; k++) {
        const xg_slice_dim *d = &a->v.slices->p[k];
        const int64_t v[3] = {d->start, d->limit, d->stride};
        xg_proto_put_numbers(w, number, v, 3);
    }
}
XG_FN void xg_proto_write_PADS(xg_proto_writer *w, const xg_proto_row *row, uint32_t number, const xg_attr *a) {
    size_t all = xg_proto_begin(w, number);
    uint32_t k;
    (void)row;
    for (k = 0; k < a->v.pads->n; k++) {
        const xg_pad_dim *d = &a->v.pads->p[k];
        const int64_t v[3] = {d->low, d->high, d->interior};
        xg_proto_put_numbers(w, 1, v, 3);
    }
    xg_proto_end(w, all);
}
XG_FN void xg_proto_write_WINDOW(xg_proto_writer *w, const xg_proto_row *row, uint32_t number, const xg_attr *a) {
    size_t all = xg_proto_begin(w, number);
    uint32_t k;
    (void)row;
    for (k = 0; k < a->v.window->n; k++) {
        const xg_window_dim *d = &a->v.window->p[k];
        const int64_t v[7] = {
            d->size, d->stride, d->pad_low, d->pad_high, d->window_dilation, d->base_dilation, d->reversal};
        xg_proto_put_numbers(w, 1, v, 7);
    }
    xg_proto_end(w, all);
}
XG_FN void xg_proto_write_ALIASES(xg_proto_writer *w, const xg_proto_row *row, uint32_t number, const xg_attr *a) {
    uint32_t k;
    (void)row;
    for (k = 0; k < a->v.aliases->n; k++) {
        const xg_alias *one = &a->v.aliases->p[k];
        size_t at = xg_proto_begin(w, number);
        xg_proto_put_ints(w, 1, one->output);
        xg_proto_put_int(w, 2, one->operand);
        xg_proto_put_ints(w, 3, one->operand_index);
        xg_proto_end(w, at);
    }
}
XG_FN void xg_proto_write_LABELS(xg_proto_writer *w, const xg_proto_row *row, uint32_t number, const xg_attr *a) {
    const xg_dim_labels *l = a->v.labels;
    size_t at = xg_proto_begin(w, number);
    (void)row;
    xg_proto_put_int(w, 3, l->kernel_input);
    xg_proto_put_int(w, 4, l->kernel_output);
    xg_proto_put_ints(w, 6, l->kernel_spatial);
    xg_proto_put_int(w, 7, l->input_batch);
    xg_proto_put_int(w, 8, l->input_feature);
    xg_proto_put_int(w, 9, l->output_batch);
    xg_proto_put_int(w, 10, l->output_feature);
    xg_proto_put_ints(w, 11, l->input_spatial);
    xg_proto_put_ints(w, 12, l->output_spatial);
    xg_proto_end(w, at);
}

/* ---- groups of devices: the form that was written has its own field ---- */

XG_FN void xg_proto_write_GROUPS(xg_proto_writer *w, const xg_proto_row *row, uint32_t number, const xg_attr *a) {
    uint32_t k;
    (void)row;
    for (k = 0; k < a->v.groups->n; k++) {
        size_t at = xg_proto_begin(w, number);
        xg_proto_put_ints(w, 1, a->v.groups->p[k]);
        xg_proto_end(w, at);
    }
}
XG_FN void xg_proto_write_IOTA_GROUPS(xg_proto_writer *w, const xg_proto_row *row, uint32_t number, const xg_attr *a) {
    xg_lex x = xg_proto_scan(w, a->v.groups->text);
    xg_ints tile = xg_proto_scan_ints(w, &x, '[', ']', 0);
    size_t at = xg_proto_begin(w, number);
    (void)row;
    xg_proto_put_int(w, 1, tile.n > 0 ? tile.p[0] : 0);
    xg_proto_put_int(w, 2, tile.n > 1 ? tile.p[1] : 0);
    xg_lex_expect(&x, XG_TOK_LE, "'<='");
    xg_proto_put_iota_of(w, &x, 3, 4);
    xg_proto_end(w, at);
}
XG_FN void xg_proto_write_MESH_GROUPS(xg_proto_writer *w, const xg_proto_row *row, uint32_t number, const xg_attr *a) {
    xg_lex x = xg_proto_scan(w, a->v.groups->text);
    size_t at = xg_proto_begin(w, number);
    xg_proto_names names;
    (void)row;
    xg_lex_next(&x);
    xg_proto_put_mesh_of(w, 1, &x, &names);
    xg_proto_put_axes_of(w, 2, &x, &names);
    xg_proto_end(w, at);
}
XG_FN void xg_proto_write_SHARDING(xg_proto_writer *w, const xg_proto_row *row, uint32_t number, const xg_attr *a) {
    xg_lex x = xg_proto_scan(w, *a->v.str);
    size_t at = xg_proto_begin(w, number);
    (void)row;
    xg_proto_put_sharding_of(w, &x);
    xg_proto_end(w, at);
}
/* {kind="sharding", entry={...}, exit={...}}: field 54 is the exit of the text, 55 its entry. */
XG_FN void xg_proto_write_DOMAIN(xg_proto_writer *w, const xg_proto_row *row, uint32_t number, const xg_attr *a) {
    const char *side = number == 54 ? "exit" : "entry";
    xg_lex x = xg_proto_scan(w, *a->v.str);
    (void)row;
    xg_lex_take(&x, '{');
    while (x.kind != '}' && x.kind != XG_TOK_END) {
        bool found = xg_lex_is(&x, side);
        xg_lex_next(&x);
        xg_lex_expect(&x, '=', "'='");
        if (found) {
            size_t at = xg_proto_begin(w, number);
            xg_proto_put_sharding_of(w, &x);
            xg_proto_end(w, at);
        } else if (x.kind == '{')
            xg_lex_balanced(&x);
        else
            xg_lex_next(&x);
        xg_lex_take(&x, ',');
    }
}

/* ---- what is text otherwise ---- */

XG_FN void xg_proto_write_BOOLS(xg_proto_writer *w, const xg_proto_row *row, uint32_t number, const xg_attr *a) {
    xg_lex x = xg_proto_scan(w, *a->v.str);
    size_t at = xg_proto_begin(w, number);
    (void)row;
    xg_lex_take(&x, '{');
    while (x.kind != '}' && x.kind != XG_TOK_END) {
        xg_putc(&w->b, xg_lex_is(&x, "true"));
        xg_lex_next(&x);
        xg_lex_take(&x, ',');
    }
    xg_proto_end(w, at);
}
XG_FN double xg_proto_scan_double(xg_lex *x) {
    xg_str s = xg_lex_run(x, "+-.");
    double v = 0;
    bool overflow;
    xg_float_parse(s.p, s.n, &v, &overflow);
    return v;
}
/* {mode=highest} or {tolerance={atol=1,rtol=0,ulps=4}} */
XG_FN void xg_proto_write_ACCURACY(xg_proto_writer *w, const xg_proto_row *row, uint32_t number, const xg_attr *a) {
    xg_lex x = xg_proto_scan(w, *a->v.str);
    size_t at = xg_proto_begin(w, number), inner;
    uint32_t k;
    (void)row;
    xg_lex_next(&x);
    if (xg_proto_scan_word(&x, "mode")) {
        xg_lex_next(&x);
        xg_proto_put_int(w, 1, xg_lex_is(&x, "highest") || xg_lex_is(&x, "HIGHEST"));
    } else {
        xg_lex_next(&x);
        xg_lex_expect(&x, '=', "'='");
        xg_lex_expect(&x, '{', "'{'");
        inner = xg_proto_begin(w, 2);
        for (k = 1; k <= 3; k++) {
            xg_lex_next(&x);
            xg_lex_expect(&x, '=', "'='");
            if (k < 3)
                xg_proto_put_double(w, k, xg_proto_scan_double(&x));
            else
                xg_proto_put_int(w, k, xg_lex_int(&x, "a number"));
            xg_lex_take(&x, ',');
        }
        xg_proto_end(w, inner);
    }
    xg_proto_end(w, at);
}
/* {visualizing_index=0,name=1.5} */
XG_FN void xg_proto_write_STATISTICS(xg_proto_writer *w, const xg_proto_row *row, uint32_t number, const xg_attr *a) {
    xg_lex x = xg_proto_scan(w, *a->v.str);
    size_t at = xg_proto_begin(w, number), one;
    (void)row;
    xg_lex_take(&x, '{');
    while (x.kind != '}' && x.kind != XG_TOK_END) {
        xg_str key = xg_import_key(w->arena, &x);
        xg_lex_expect(&x, '=', "'='");
        if (xg_str_is(key, "visualizing_index"))
            xg_proto_put_int(w, 1, xg_lex_int(&x, "a number"));
        else {
            one = xg_proto_begin(w, 2);
            xg_proto_put_string(w, 1, key);
            xg_proto_put_double(w, 2, xg_proto_scan_double(&x));
            xg_proto_end(w, one);
        }
        if (!xg_lex_take(&x, ',')) break;
    }
    xg_proto_end(w, at);
}
/* Values' origins are not kept: the reader leaves them out too. */
XG_FN void xg_proto_write_ORIGIN(xg_proto_writer *w, const xg_proto_row *row, uint32_t number, const xg_attr *a) {
    (void)w, (void)row, (void)number, (void)a;
}
XG_FN void xg_proto_write_SPARSITY(xg_proto_writer *w, const xg_proto_row *row, uint32_t number, const xg_attr *a) {
    (void)row, (void)number, (void)a;
    xg_fail(w->ctx, XLAGPU_ERROR_UNSUPPORTED, "error: HLO protobuf: sparse convolutions are not supported");
}
XG_FN void xg_proto_write_MAP(xg_proto_writer *w, const xg_proto_row *row, uint32_t number, const xg_attr *a) {
    size_t at = xg_proto_begin(w, number);
    (void)row;
    xg_proto_put_entries(w, *a->v.str);
    xg_proto_end(w, at);
}
XG_FN void xg_proto_write_METADATA(xg_proto_writer *w, const xg_proto_row *row, uint32_t number, const xg_attr *a) {
    (void)row;
    xg_proto_put_metadata(w, number, a->v.metadata->text);
}

XG_FN void xg_proto_write_row(xg_proto_writer *w, const xg_proto_row *row, uint32_t number, const xg_attr *a) {
    XG_TABLE xg_proto_write *const writers[] = {
#define X(codec) xg_proto_write_##codec,
        XG_PROTO_CODECS(X)
#undef X
    };
    writers[row->codec](w, row, number, a);
}

#endif /* XG_IMPORT_PROTO_WRITE_ATTR_C */
