/* kir/parse.c -- reads the text that print.c writes, so that every dump can be a test's input.
 *
 * Functions' headers are read first, for calls may name what comes later; then bodies.
 * Laws: any bytes of input give a module or an error with a position; recursion is bounded; the cost is linear. */
#ifndef XG_KIR_PARSE_C
#define XG_KIR_PARSE_C
#include "kir.h"
#include "parse_ops.c"

/* ---- functions ---- */

typedef struct xg_kheader {
    xg_kfunc *f;
    xg_knews params;
    size_t body;
} xg_kheader;

XG_FN void xg_kparse_arg_attrs(xg_kparser *p, xg_karg *a) {
    if (!xg_ktake(p, "{")) return;
    a->aliased = a->written = true;
    do {
        if (xg_ktake(p, "llvm.align")) {
            xg_kexpect(p, "=");
            a->align = xg_kinteger(p);
        } else if (xg_ktake(p, "llvm.dereferenceable")) {
            xg_kexpect(p, "=");
            a->bytes = xg_kinteger(p);
        } else if (xg_ktake(p, "llvm.noalias"))
            a->aliased = false;
        else if (xg_ktake(p, "xla.invariant"))
            a->written = false;
        else if (xg_ktake(p, "xla.part_of_block"))
            a->parted = true;
        else if (xg_ktake(p, "xla.slice_index")) {
            xg_kexpect(p, "=");
            a->slice = (int32_t)(xg_kcount(p) & 0x7FFFFFFF);
        } else
            xg_kparse_fail(p, p->at,
                "expected llvm.align, llvm.dereferenceable, llvm.noalias, xla.invariant, xla.part_of_block or "
                "xla.slice_index",
                xg_str_of(NULL, 0));
    } while (xg_ktake(p, ","));
    xg_kexpect(p, "}");
}
XG_FN void xg_kparse_three(xg_kparser *p, uint32_t *out) {
    int d;
    xg_kexpect(p, "=");
    xg_kexpect(p, "[");
    for (d = 0; d < 3; d++) {
        if (d) xg_kexpect(p, ",");
        out[d] = xg_kcount(p);
    }
    xg_kexpect(p, "]");
}
XG_FN uint32_t xg_kparse_small(xg_kparser *p, const char *name) {
    size_t at = p->at;
    int64_t n = xg_knumber(p, name);
    if (n < 0 || n > UINT16_MAX) xg_kparse_fail(p, at, "expected a number of 16 bits", xg_str_of(NULL, 0));
    return (uint32_t)n;
}
XG_FN void xg_kparse_tensor_map(xg_kparser *p, xg_kfunc *f) {
    xg_kmap *maps = XG_NEW_N(p->m->arena, xg_kmap, f->n_maps + 1), *m = &maps[f->n_maps];
    if (f->n_maps) memcpy(maps, f->maps, f->n_maps * sizeof *maps);
    f->maps = maps;
    f->n_maps++;
    xg_kexpect(p, "=");
    xg_kexpect(p, "{");
    m->arg = xg_kparse_small(p, "arg");
    xg_kexpect(p, ",");
    m->type = xg_kparse_small(p, "type");
    xg_kexpect(p, ",");
    m->bytes = (int32_t)xg_kparse_small(p, "bytes");
    xg_kexpect(p, ",");
    m->swizzle = xg_kparse_small(p, "swizzle");
    while (m->rank < XG_KMAP_RANK && xg_ktake(p, ",")) {
        xg_kexpect(p, "[");
        m->dims[m->rank] = xg_knumber(p, "size");
        xg_kexpect(p, ",");
        m->box[m->rank] = xg_kparse_small(p, "box");
        if (m->rank) xg_kexpect(p, ",");
        if (m->rank) m->strides[m->rank - 1] = xg_knumber(p, "stride");
        m->rank++;
        xg_kexpect(p, "]");
    }
    xg_kexpect(p, "}");
}
XG_FN void xg_kparse_func_attrs(xg_kparser *p, xg_kfunc *f) {
    if (!xg_ktake(p, "attributes")) return;
    xg_kexpect(p, "{");
    do {
        if (xg_ktake(p, "xla.entry"))
            f->entry = true;
        else if (xg_ktake(p, "xla.inline"))
            f->inline_always = true;
        else if (xg_ktake(p, "xla.inputs")) {
            xg_kexpect(p, "=");
            f->n_inputs = xg_kcount(p);
        } else if (xg_ktake(p, "xla.threads"))
            xg_kparse_three(p, f->threads);
        else if (xg_ktake(p, "xla.blocks"))
            xg_kparse_three(p, f->blocks);
        else if (xg_ktake(p, "xla.async_copies"))
            f->async_copies = true;
        else if (xg_ktake(p, "xla.pairs"))
            f->pairs = true;
        else if (xg_ktake(p, "xla.cluster")) {
            xg_kexpect(p, "=");
            f->cluster = xg_kcount(p);
        } else if (xg_ktake(p, "xla.map"))
            xg_kparse_tensor_map(p, f);
        else if (xg_ktake(p, "xla.producers")) {
            xg_kexpect(p, "=");
            f->producers = xg_kcount(p);
        } else
            xg_kparse_fail(p, p->at,
                "expected xla.entry, xla.inline, xla.inputs, xla.threads, xla.blocks, xla.async_copies, xla.pairs, "
                "xla.cluster, xla.map or xla.producers",
                xg_str_of(NULL, 0));
    } while (xg_ktake(p, ","));
    xg_kexpect(p, "}");
}
/* What an entry's parameter is unless its attributes say more: a buffer of its own, aligned as XLA aligns, written if
 * it is a destination. */
XG_FN xg_karg xg_karg_default(const xg_ktype *t, uint32_t index, bool written) {
    xg_karg a;
    memset(&a, 0, sizeof a);
    a.bytes = 1;
    (void)xg_mul64(t->elements, xg_kelem_bytes(t->elem), &a.bytes);
    a.align = 128;
    a.slice = (int32_t)index;
    a.written = written;
    return a;
}

/* Behind a body that is skipped: braces in balance (texts in quotes cannot occur in one). */
XG_FN void xg_kskip_body(xg_kparser *p) {
    uint32_t open = 1;
    size_t start = p->at;
    while (open) {
        char c;
        xg_kskip(p);
        if (p->at >= p->src->size) xg_kparse_fail(p, start, "the function's body does not end", xg_str_of(NULL, 0));
        c = p->src->text[p->at++];
        open += c == '{';
        open -= c == '}';
    }
}

XG_FN xg_kheader xg_kparse_header(xg_kparser *p) {
    xg_kheader h;
    xg_ktypes types, results;
    XG_VEC(xg_karg) args;
    XG_VEC(bool) given;
    xg_str name;
    size_t at;
    bool is_private = xg_ktake(p, "private");
    uint32_t k;
    memset(&h, 0, sizeof h);
    memset(&types, 0, sizeof types);
    memset(&results, 0, sizeof results);
    memset(&args, 0, sizeof args);
    memset(&given, 0, sizeof given);
    xg_kskip(p);
    at = p->at;
    name = xg_kname(p, '@');
    xg_kexpect(p, "(");
    if (!xg_ktake(p, ")")) {
        do {
            xg_karg a;
            size_t before;
            xg_push(p->a, xg_knew, &h.params, xg_kparse_new(p));
            xg_kexpect(p, ":");
            xg_push(p->a, const xg_ktype *, &types, xg_kparse_type(p));
            a = xg_karg_default(types.p[types.n - 1], types.n - 1, false);
            before = p->at;
            xg_kparse_arg_attrs(p, &a);
            xg_push(p->a, bool, &given, p->at != before && xg_kchar(p, p->at - 1) == '}');
            xg_push(p->a, xg_karg, &args, a);
        } while (xg_ktake(p, ","));
        xg_kexpect(p, ")");
    }
    if (xg_ktake(p, "->")) results = xg_kparse_types(p);
    h.f = xg_kir_func(p->m, name, types.p, types.n, results.p, results.n);
    h.f->n_inputs = types.n - XG_MIN(types.n, results.n);
    xg_kparse_func_attrs(p, h.f);
    if (is_private && h.f->entry) xg_kparse_fail(p, at, "a private function cannot be the entry:", name);
    if (!is_private) h.f->entry = true;
    if (h.f->n_inputs > types.n) xg_kparse_fail(p, at, "there are fewer parameters than inputs:", name);
    for (k = 0; k < types.n; k++) {
        h.f->args[k] = args.p[k];
        if (!given.p[k]) h.f->args[k].written = k >= h.f->n_inputs;
    }
    if (h.f->entry && p->m->entry) xg_kparse_fail(p, at, "a module has one entry; this is the second:", name);
    if (h.f->entry) p->m->entry = h.f;
    if (!xg_dict_put(&p->funcs, name, h.f)) xg_kparse_fail(p, at, "this function's name is taken:", name);
    xg_kexpect(p, "{");
    h.body = p->at;
    xg_kskip_body(p);
    return h;
}
XG_FN void xg_kparse_func_body(xg_kparser *p, const xg_kheader *h) {
    p->at = h->body;
    xg_dict_init(&p->names, p->a);
    p->scope.n = 0;
    xg_kbind_args(p, h->f->body, 0, &h->params);
    xg_kparse_body(p, h->f->body, 0);
}

/* ---- the module ---- */

/* Comment lines at the very start are the module's comment. */
XG_FN void xg_kparse_comment(xg_kparser *p) {
    xg_buf b;
    xg_buf_init(&b, p->a);
    while (xg_kchar(p, p->at) == '/' && xg_kchar(p, p->at + 1) == '/') {
        p->at += 2;
        if (xg_kchar(p, p->at) == ' ') p->at++;
        if (b.n) xg_putc(&b, '\n');
        while (p->at < p->src->size && p->src->text[p->at] != '\n') xg_putc(&b, p->src->text[p->at++]);
        if (p->at < p->src->size) p->at++;
    }
    p->m->comment = xg_str_of(b.p, b.n);
}
XG_FN void xg_kparse_map_alias(xg_kparser *p) {
    size_t at = p->at;
    xg_str name = xg_kname(p, '#');
    const xg_imap *map;
    xg_kexpect(p, "=");
    xg_kexpect(p, "#xla_gpu.indexing_map<");
    xg_kskip(p);
    if (xg_kchar(p, p->at) == '"') p->at++;
    map = xg_imap_parse(p->m->aff, p->src, &p->at);
    while (xg_kchar(p, p->at) == '"' || xg_kchar(p, p->at) == ' ') p->at++;
    xg_kexpect(p, ">");
    if (map->state == XG_IMAP_UNDEFINED) xg_kparse_fail(p, at, "the map is undefined:", name);
    if (!xg_dict_put(&p->maps, name, (void *)map)) xg_kparse_fail(p, at, "this map's name is taken:", name);
}
XG_FN void xg_kparse_module_attrs(xg_kparser *p) {
    xg_kexpect(p, "attributes");
    xg_kexpect(p, "{");
    do {
        if (xg_ktake(p, "xla.shared_bytes")) {
            xg_kexpect(p, "=");
            p->m->shared_bytes = xg_kcount(p);
        } else if (xg_ktake(p, "xla.ftz"))
            p->m->ftz = true;
        else if (xg_ktake(p, "xla.fma"))
            p->m->fma = true;
        else
            xg_kparse_fail(p, p->at, "expected xla.shared_bytes, xla.ftz or xla.fma", xg_str_of(NULL, 0));
    } while (xg_ktake(p, ","));
    xg_kexpect(p, "}");
}

XG_FN xg_kmodule *xg_kir_parse(xg_ctx *c, xg_arena *a, xg_aff_ctx *aff, const xg_source *src) {
    xg_kparser p;
    XG_VEC(xg_kheader) headers;
    uint32_t k;
    memset(&p, 0, sizeof p);
    memset(&headers, 0, sizeof headers);
    p.c = c;
    p.a = a;
    p.src = src;
    p.m = xg_kir_module(c, a, aff);
    xg_dict_init(&p.maps, a);
    xg_dict_init(&p.funcs, a);
    xg_dict_init(&p.ops, a);
    for (k = 0; k < XG_K_OP_COUNT; k++)
        (void)xg_dict_put(&p.ops, xg_str_z(xg_kop_name((xg_kopcode)k)), (void *)&xg_kop_rows[k]);
    (void)xg_dict_put(&p.ops, XG_STR("scf.yield"), (void *)&xg_kop_rows[XG_K_OP_YIELD]);
    (void)xg_dict_put(&p.ops, XG_STR("xla_gpu.yield"), (void *)&xg_kop_rows[XG_K_OP_YIELD]);
    xg_kparse_comment(&p);
    for (xg_kskip(&p); p.at < src->size; xg_kskip(&p)) {
        if (xg_kchar(&p, p.at) == '#')
            xg_kparse_map_alias(&p);
        else if (xg_ktake(&p, "module"))
            xg_kparse_module_attrs(&p);
        else if (xg_ktake(&p, "func.func"))
            xg_push(a, xg_kheader, &headers, xg_kparse_header(&p));
        else
            xg_kparse_fail(&p, p.at, "expected '#map = ...', 'module' or 'func.func'", xg_str_of(NULL, 0));
    }
    for (k = 0; k < headers.n; k++) xg_kparse_func_body(&p, &headers.p[k]);
    return p.m;
}

#endif /* XG_KIR_PARSE_C */
