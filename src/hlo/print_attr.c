/* hlo/print_attr.c -- attributes as text: one printer per kind of ops.h, xg_attr_print_<KIND>; the mirror of
 * parse_attr.c.
 *
 * Law: what a printer writes its reader reads back to an equal value, and XLA reads it too. Parts that have their
 * default in all dimensions (strides of one, no interior padding) are left out, as XLA does. */
#ifndef XG_HLO_PRINT_ATTR_C
#define XG_HLO_PRINT_ATTR_C
#include "text.h"

/* Would the bare name be read as something else? No keyword ends in a digit, most names do. */
XG_FN bool xg_print_is_keyword(xg_str name) {
    XG_TABLE const char *const words[] = {"true", "false", "inf", "nan", "HloModule", "ENTRY", "ROOT", "FileLocations",
        "FileNames", "FunctionNames", "StackFrames", "maximal", "replicated", "manual", "last_tile_dim_replicate",
        "shard_as", "shard_like", "unknown", "unreduced", "execution_thread"};
    uint32_t k;
    if (name.n == 0 || (name.p[name.n - 1] >= '0' && name.p[name.n - 1] <= '9' && name.n > 1)) return false;
    for (k = 0; k < XG_COUNT(words); k++)
        if (xg_str_is(name, words[k])) return true;
    k = (uint32_t)xg_type_find(name);
    return k != XLAGPU_INVALID && k != XLAGPU_BUFFER && k != XLAGPU_TUPLE;
}
XG_FN void xg_print_name(const xg_printer *p, xg_str name) {
    if (p->o.percent || xg_print_is_keyword(name)) xg_putc(p->b, '%');
    xg_put_str(p->b, name);
}

XG_FN void xg_put_quoted(xg_buf *b, xg_str s) {
    uint32_t k, from = 0;
    xg_putc(b, '"');
    for (k = 0; k < s.n; k++) {
        unsigned char c = (unsigned char)s.p[k];
        const char *word = c == '\n'   ? "\\n"
                           : c == '\r' ? "\\r"
                           : c == '\t' ? "\\t"
                           : c == '"'  ? "\\\""
                           : c == '\'' ? "\\'"
                           : c == '\\' ? "\\\\"
                                       : NULL;
        if (!word && c >= 32 && c < 127) continue;
        xg_put(b, s.p + from, k - from);
        from = k + 1;
        if (word)
            xg_puts(b, word);
        else {
            xg_putc(b, '\\');
            xg_putc(b, (char)('0' + (c >> 6)));
            xg_putc(b, (char)('0' + ((c >> 3) & 7)));
            xg_putc(b, (char)('0' + (c & 7)));
        }
    }
    xg_put(b, s.p + from, s.n - from);
    xg_putc(b, '"');
}
XG_FN void xg_print_ints(xg_buf *b, xg_ints v) {
    uint32_t k;
    xg_putc(b, '{');
    for (k = 0; k < v.n; k++) {
        if (k) xg_putc(b, ',');
        xg_put_i64(b, v.p[k]);
    }
    xg_putc(b, '}');
}

XG_FN void xg_attr_print_INT(const xg_printer *p, const xg_attr *a) { xg_put_i64(p->b, a->v.i); }
XG_FN void xg_attr_print_BOOL(const xg_printer *p, const xg_attr *a) { xg_puts(p->b, a->v.i ? "true" : "false"); }
XG_FN void xg_attr_print_FLOAT(const xg_printer *p, const xg_attr *a) {
    float v = (float)a->v.d;
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    xg_float_print(p->b, XLAGPU_F32, bits);
}
XG_FN void xg_attr_print_WORD(const xg_printer *p, const xg_attr *a) { xg_put_str(p->b, *a->v.str); }
XG_FN void xg_attr_print_STR(const xg_printer *p, const xg_attr *a) { xg_put_quoted(p->b, *a->v.str); }
XG_FN void xg_attr_print_RAW(const xg_printer *p, const xg_attr *a) { xg_put_str(p->b, *a->v.str); }
XG_FN void xg_attr_print_SHARDING(const xg_printer *p, const xg_attr *a) { xg_put_str(p->b, *a->v.str); }
XG_FN void xg_attr_print_CONFIG(const xg_printer *p, const xg_attr *a) { xg_put_str(p->b, *a->v.str); }
XG_FN void xg_attr_print_SHAPE(const xg_printer *p, const xg_attr *a) { xg_shape_print(p->b, a->v.shape, true); }
XG_FN void xg_attr_print_COMP(const xg_printer *p, const xg_attr *a) { xg_print_name(p, a->v.comp->name); }
XG_FN void xg_attr_print_DIM_LABELS(const xg_printer *p, const xg_attr *a) { xg_put_str(p->b, a->v.labels->text); }
XG_FN void xg_attr_print_GROUPS(const xg_printer *p, const xg_attr *a) { xg_put_str(p->b, a->v.groups->text); }
XG_FN void xg_attr_print_LITERAL(const xg_printer *p, const xg_attr *a) {
    xg_shape_print(p->b, a->v.literal->shape, true);
    xg_putc(p->b, ' ');
    xg_literal_print(p->b, a->v.literal, p->o.whole_constants);
}
XG_FN void xg_attr_print_METADATA(const xg_printer *p, const xg_attr *a) {
    xg_putc(p->b, '{');
    xg_put_str(p->b, a->v.metadata->text);
    xg_putc(p->b, '}');
}

/* ---- lists ---- */

XG_FN void xg_attr_print_INTS(const xg_printer *p, const xg_attr *a) { xg_print_ints(p->b, *a->v.ints); }
XG_FN void xg_attr_print_INTLISTS(const xg_printer *p, const xg_attr *a) {
    uint32_t k;
    if (a->v.lists->flat && a->v.lists->n == 1) {
        xg_print_ints(p->b, a->v.lists->p[0]);
        return;
    }
    xg_putc(p->b, '{');
    for (k = 0; k < a->v.lists->n; k++) {
        if (k) xg_putc(p->b, ',');
        xg_print_ints(p->b, a->v.lists->p[k]);
    }
    xg_putc(p->b, '}');
}
XG_FN void xg_attr_print_WORDS(const xg_printer *p, const xg_attr *a) {
    uint32_t k;
    xg_putc(p->b, '{');
    for (k = 0; k < a->v.words->n; k++) {
        if (k) xg_putc(p->b, ',');
        xg_put_str(p->b, a->v.words->p[k]);
    }
    xg_putc(p->b, '}');
}
XG_FN void xg_attr_print_COMPS(const xg_printer *p, const xg_attr *a) {
    uint32_t k;
    xg_putc(p->b, '{');
    for (k = 0; k < a->v.comps->n; k++) {
        if (k) xg_puts(p->b, ", ");
        xg_print_name(p, a->v.comps->p[k]->name);
    }
    xg_putc(p->b, '}');
}
XG_FN void xg_attr_print_INSTS(const xg_printer *p, const xg_attr *a) {
    uint32_t k;
    xg_putc(p->b, '{');
    for (k = 0; k < a->v.insts->n; k++) {
        if (k) xg_puts(p->b, ", ");
        xg_print_name(p, a->v.insts->p[k]->name);
    }
    xg_putc(p->b, '}');
}
XG_FN void xg_attr_print_SHAPES(const xg_printer *p, const xg_attr *a) {
    uint32_t k;
    xg_putc(p->b, '{');
    for (k = 0; k < a->v.shapes->n; k++) {
        if (k) xg_puts(p->b, ", ");
        xg_shape_print(p->b, a->v.shapes->p[k], true);
    }
    xg_putc(p->b, '}');
}
XG_FN void xg_attr_print_ALIASES(const xg_printer *p, const xg_attr *a) {
    uint32_t k;
    xg_putc(p->b, '{');
    for (k = 0; k < a->v.aliases->n; k++) {
        const xg_alias *one = &a->v.aliases->p[k];
        if (k) xg_puts(p->b, ", ");
        xg_print_ints(p->b, one->output);
        xg_puts(p->b, ": (");
        xg_put_i64(p->b, one->operand);
        xg_puts(p->b, ", ");
        xg_print_ints(p->b, one->operand_index);
        xg_putc(p->b, ')');
    }
    xg_putc(p->b, '}');
}

/* ---- slices, padding, windows ---- */

XG_FN void xg_attr_print_SLICE(const xg_printer *p, const xg_attr *a) {
    const xg_slices *s = a->v.slices;
    bool strides = false;
    uint32_t k;
    for (k = 0; k < s->n; k++) strides = strides || s->p[k].stride != 1;
    xg_putc(p->b, '{');
    for (k = 0; k < s->n; k++) {
        xg_puts(p->b, k ? ", [" : "[");
        xg_put_i64(p->b, s->p[k].start);
        xg_putc(p->b, ':');
        xg_put_i64(p->b, s->p[k].limit);
        if (strides) {
            xg_putc(p->b, ':');
            xg_put_i64(p->b, s->p[k].stride);
        }
        xg_putc(p->b, ']');
    }
    xg_putc(p->b, '}');
}
XG_FN void xg_attr_print_PADDING(const xg_printer *p, const xg_attr *a) {
    const xg_pads *s = a->v.pads;
    bool interior = false;
    uint32_t k;
    for (k = 0; k < s->n; k++) interior = interior || s->p[k].interior != 0;
    for (k = 0; k < s->n; k++) {
        if (k) xg_putc(p->b, 'x');
        xg_put_i64(p->b, s->p[k].low);
        xg_putc(p->b, '_');
        xg_put_i64(p->b, s->p[k].high);
        if (interior) {
            xg_putc(p->b, '_');
            xg_put_i64(p->b, s->p[k].interior);
        }
    }
}
/* One part of a window: " name=AxB" unless it has its default everywhere. */
XG_FN void xg_print_window_part(
    xg_buf *b, const xg_window *w, const char *name, int64_t otherwise, int64_t (*part)(const xg_window_dim *)) {
    uint32_t k;
    bool usual = true;
    for (k = 0; k < w->n; k++) usual = usual && part(&w->p[k]) == otherwise;
    if (usual) return;
    xg_puts(b, name);
    for (k = 0; k < w->n; k++) {
        if (k) xg_putc(b, 'x');
        xg_put_i64(b, part(&w->p[k]));
    }
}
XG_FN int64_t xg_window_part_stride(const xg_window_dim *d) { return d->stride; }
XG_FN int64_t xg_window_part_base(const xg_window_dim *d) { return d->base_dilation; }
XG_FN int64_t xg_window_part_window(const xg_window_dim *d) { return d->window_dilation; }
XG_FN int64_t xg_window_part_reversal(const xg_window_dim *d) { return d->reversal; }
XG_FN void xg_attr_print_WINDOW(const xg_printer *p, const xg_attr *a) {
    const xg_window *w = a->v.window;
    bool pad = false;
    uint32_t k;
    xg_puts(p->b, w->n ? "{size=" : "{");
    for (k = 0; k < w->n; k++) {
        if (k) xg_putc(p->b, 'x');
        xg_put_i64(p->b, w->p[k].size);
        pad = pad || w->p[k].pad_low || w->p[k].pad_high;
    }
    xg_print_window_part(p->b, w, " stride=", 1, xg_window_part_stride);
    if (pad) xg_puts(p->b, " pad=");
    for (k = 0; pad && k < w->n; k++) {
        if (k) xg_putc(p->b, 'x');
        xg_put_i64(p->b, w->p[k].pad_low);
        xg_putc(p->b, '_');
        xg_put_i64(p->b, w->p[k].pad_high);
    }
    xg_print_window_part(p->b, w, " lhs_dilate=", 1, xg_window_part_base);
    xg_print_window_part(p->b, w, " rhs_dilate=", 1, xg_window_part_window);
    xg_print_window_part(p->b, w, " rhs_reversal=", 0, xg_window_part_reversal);
    xg_putc(p->b, '}');
}

XG_FN void xg_print_attr(const xg_printer *p, const xg_attr *a) {
    xg_puts(p->b, ", ");
    xg_puts(p->b, xg_attr_name(a->key));
    xg_putc(p->b, '=');
    switch (a->key) {
#define X(name, text, kind) \
    case XG_A_##name: xg_attr_print_##kind(p, a); break;
        XG_ATTRS(X)
#undef X
    case XG_ATTR_COUNT: break;
    }
}

#endif /* XG_HLO_PRINT_ATTR_C */
