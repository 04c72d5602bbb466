/* choice/tuned.c -- records of kernels as a file: what was measured once is taken wherever the same is computed on the
 * same device.
 *
 *     # comment
 *     9f0c3be2714d8a55 "H200" {"rule":"tile","form":{"tile":["128","128","64"]},"why":"..."}
 *
 * A line has a key, the part (cost/device.c) and a record (fuse/record.c). The key says what a fusion computes: its
 * instructions with shapes, layouts, attributes and constants, without names; it does not change from version to
 * version. Of equal keys the last line counts, so that files are joined one behind the other.
 *
 * A record of a file is advice: where this version cannot obey it, or the module brings a record of its own, it is
 * dropped. Results never depend on it beyond the order of sums, for any record that is obeyed is a right kernel. */
#ifndef XG_CHOICE_TUNED_C
#define XG_CHOICE_TUNED_C
#include "../hlo/text.h"
#include "choice.h"

enum {
    XG_TUNED_KEY = 16 /* digits */
};

/* ---- keys ---- */

XG_FN void xg_tuned_put_comp(xg_buf *b, const xg_comp *c);
XG_FN void xg_tuned_put_attr(xg_buf *b, const xg_attr *a) {
    xg_printer p = xg_printer_make(b, NULL);
    uint32_t k;
    if (xg_fingerprint_ignores(a->key) || a->key == XG_A_backend_config) return;
    switch (xg_attr_kind_of(a->key)) {
    case XG_K_COMP: xg_tuned_put_comp(b, a->v.comp); return;
    case XG_K_COMPS:
        for (k = 0; k < a->v.comps->n; k++) xg_tuned_put_comp(b, a->v.comps->p[k]);
        return;
    default: xg_print_attr(&p, a); return;
    }
}
/* A line for each instruction, operands by their places. */
XG_FN void xg_tuned_put_comp(xg_buf *b, const xg_comp *c) {
    xg_map64 places;
    uint32_t n = 0, k;
    xg_map64_init(&places, b->arena);
    XG_FOR_INSTS(i, c) {
        xg_map64_put(&places, i->id + (uint64_t)1, (void *)(uintptr_t)++n);
        xg_printf(b, "%s ", xg_op_name(i->op));
        xg_shape_print(b, i->shape, true);
        if (i->op == XG_PARAMETER) xg_printf(b, " %lld", (long long)i->number);
        if (i->op == XG_CONSTANT) xg_literal_print(b, i->literal, true);
        for (k = 0; k < i->n_operands; k++)
            xg_printf(b, " %u", (unsigned)(uintptr_t)xg_map64_get(&places, XG_OPERAND(i, k)->id + (uint64_t)1));
        for (k = 0; k < i->n_attrs; k++) xg_tuned_put_attr(b, &i->attrs[k]);
        xg_putc(b, '\n');
    }
    xg_printf(b, "%u\n", (unsigned)(uintptr_t)xg_map64_get(&places, c->root->id + (uint64_t)1));
}
/* Digits of the 64-bit FNV-1a hash of that text (Fowler, Noll, Vo; isthe.com/chongo/tech/comp/fnv). */
XG_FN void xg_tuned_key(xg_arena *a, const xg_inst *fusion, char out[XG_TUNED_KEY + 1]) {
    uint64_t h = 14695981039346656037u;
    xg_buf b;
    size_t k;
    xg_buf_init(&b, a);
    xg_tuned_put_comp(&b, xg_attr_calls(fusion));
    for (k = 0; k < b.n; k++) h = (h ^ (unsigned char)b.p[k]) * 1099511628211u;
    for (k = 0; k < XG_TUNED_KEY; k++) out[k] = "0123456789abcdef"[h >> (60 - 4 * k) & 15];
    out[XG_TUNED_KEY] = 0;
}

/* ---- reading ---- */

typedef struct xg_tuned_line {
    xg_str key, part, record;
} xg_tuned_line;

XG_FN size_t xg_tuned_skip(xg_str s, size_t at) {
    while (at < s.n && xg_config_is_space(s.p[at])) at++;
    return at;
}
XG_FN bool xg_tuned_is_key(xg_str s) {
    size_t k;
    for (k = 0; k < s.n; k++)
        if (!((s.p[k] >= '0' && s.p[k] <= '9') || (s.p[k] >= 'a' && s.p[k] <= 'f'))) return false;
    return s.n == XG_TUNED_KEY;
}
/* False where it has another form; at: how far it was read. */
XG_FN bool xg_tuned_split(xg_str s, xg_tuned_line *l, size_t *at) {
    size_t from = *at;
    while (*at < s.n && !xg_config_is_space(s.p[*at])) ++*at;
    l->key = xg_str_of(s.p + from, (uint32_t)(*at - from));
    if (!xg_tuned_is_key(l->key)) {
        *at = from;
        return false;
    }
    *at = xg_tuned_skip(s, *at);
    if (*at == s.n || s.p[*at] != '"') return false;
    from = ++*at;
    while (*at < s.n && s.p[*at] != '"') ++*at;
    if (*at == s.n) return false;
    l->part = xg_str_of(s.p + from, (uint32_t)(*at - from));
    *at = xg_tuned_skip(s, *at + 1);
    l->record = xg_config_trim(xg_str_of(s.p + *at, (uint32_t)(s.n - *at)));
    return xg_config_inside(l->record, '{').p != NULL;
}
XG_FN void xg_tuned_open(xg_tuned *t, xg_arena *a, const xg_module *m) {
    const xg_source *src = m->tuned;
    size_t at, end;
    t->from = src;
    if (!src) return;
    xg_dict_init(&t->lines, a);
    for (at = 0; at < src->size; at = end + 1) {
        xg_str line;
        xg_tuned_line l;
        xg_str *record;
        size_t read;
        for (end = at; end < src->size && src->text[end] != '\n'; end++) {}
        line = xg_str_of(src->text + at, (uint32_t)(end - at));
        read = xg_tuned_skip(line, 0);
        if (read == line.n || line.p[read] == '#') continue;
        if (!xg_tuned_split(line, &l, &read))
            xg_fail_at(m->ctx, XLAGPU_ERROR_USAGE, src, at + read, "KEY \"PART\" {...}, as --emit=records writes them",
                "no record of a kernel");
        if (!xg_str_is(l.part, m->device.part)) continue;
        record = (xg_str *)xg_dict_get(&t->lines, l.key);
        if (!record) (void)xg_dict_put(&t->lines, l.key, record = XG_NEW(a, xg_str));
        *record = l.record;
    }
}
XG_FN const xg_record *xg_tuned_find(const xg_tuned *t, xg_arena *a, const xg_inst *fusion) {
    char key[XG_TUNED_KEY + 1];
    const xg_str *text;
    xg_record *r;
    if (!t->from) return NULL;
    xg_tuned_key(a, fusion, key);
    text = (const xg_str *)xg_dict_get(&t->lines, xg_str_z(key));
    if (!text) return NULL;
    r = xg_record_read_from(a, fusion, t->from, *text);
    if (!r->why.n) r->why = XG_STR("tuned");
    return r;
}

/* ---- writing ---- */

XG_FN void xg_tuned_print_one(xg_buf *b, const xg_inst *fusion, const char *key, const xg_record *r) {
    xg_printf(b, "# %s: ", fusion->name.p);
    xg_shape_print(b, fusion->shape, false);
    xg_printf(b, "\n%s \"%s\" {", key, fusion->comp->module->device.part);
    xg_record_print_way(b, r);
    xg_record_print_list(b, "estimates", &r->estimates);
    if (r->why.n) xg_printf(b, ",\"why\":\"%.*s\"", (int)r->why.n, r->why.p);
    xg_puts(b, "}\n");
}
XG_APART XG_FN void xg_tuned_print(xg_buf *b, const xg_module *m) {
    xg_arena *a = xg_arena_inner(m->arena);
    const xg_comp *c;
    xg_dict known;
    xg_dict_init(&known, a);
    for (c = m->first; c; c = c->next)
        XG_FOR_INSTS(i, c) {
            const xg_record *r = i->op == XG_FUSION ? xg_record_read(a, i) : NULL;
            char key[XG_TUNED_KEY + 1];
            if (!r || !r->way.n || xg_fuse_is_phases(i)) continue;
            xg_tuned_key(a, i, key);
            if (xg_dict_get(&known, xg_str_z(key))) continue;
            (void)xg_dict_put(&known, xg_str_copy(a, xg_str_z(key)), i);
            xg_tuned_print_one(b, i, key, r);
        }
}

#endif /* XG_CHOICE_TUNED_C */
