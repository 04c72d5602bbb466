/* import/bytecode.c -- the container of MLIR's bytecode: sections, operations, regions; and jax.export's file.
 *
 * Values are numbered: a region reserves as many numbers as it defines values, from the first that is free; they are
 * taken in the order of reading and are free again when it ends. A function begins anew. A use may stand in front of
 * its definition in the bytes, but HLO has no such order, so it is an error. */
#ifndef XG_IMPORT_BYTECODE_C
#define XG_IMPORT_BYTECODE_C
#include "bytecode.h"
#include "bytecode_attr.c"

/* ---- sections ---- */

/* id | 128 if aligned, length, [alignment, padding], data */
XG_FN xg_bc_cur xg_bc_section_of(xg_bc *b, xg_bc_cur *c, uint32_t *id) {
    const unsigned char *at = c->p;
    unsigned head = *xg_bc_take(b, c, 1).p;
    uint64_t n = xg_bc_int(b, c), alignment;
    *id = head & 127;
    if (*id >= XG_BC_SECTIONS)
        xg_bc_fail(b, at, "it may be newer than this reader", "a section with the number %u", *id);
    if (head & 128) {
        alignment = xg_bc_int(b, c);
        if (!alignment || alignment & (alignment - 1) || alignment > 1 << 20)
            xg_bc_fail(b, at, NULL, "a section aligned to %llu bytes", (unsigned long long)alignment);
        while ((uint64_t)(c->p - b->start) & (alignment - 1))
            if (*xg_bc_take(b, c, 1).p != XG_BC_PADDING) xg_bc_fail(b, c->p - 1, NULL, "padding is missing");
    }
    return xg_bc_take(b, c, n);
}
XG_FN void xg_bc_sections(xg_bc *b, xg_bc_cur c) {
    XG_TABLE const xg_bc_section needed[] = {XG_BC_STRINGS, XG_BC_DIALECTS, XG_BC_DATA, XG_BC_OFFSETS, XG_BC_IR};
    uint32_t id, k;
    while (c.p < c.end) {
        const unsigned char *at = c.p;
        xg_bc_cur data = xg_bc_section_of(b, &c, &id);
        if (b->has[id]) xg_bc_fail(b, at, NULL, "a second section with the number %u", id);
        b->has[id] = true;
        b->sections[id] = data;
    }
    for (k = 0; k < XG_COUNT(needed); k++)
        if (!b->has[needed[k]])
            xg_bc_fail(b, c.end, "the file is damaged or cut off: write or copy it again", "section %u is missing",
                (unsigned)needed[k]);
}
/* Their lengths, the last one first, each with its NUL; then their bytes. */
XG_FN void xg_bc_strings(xg_bc *b) {
    xg_bc_cur c = b->sections[XG_BC_STRINGS], one;
    uint32_t n = xg_bc_count(b, &c), k;
    uint64_t *sizes = XG_NEW_N(b->arena, uint64_t, n + (size_t)1);
    for (k = n; k-- > 0;) sizes[k] = xg_bc_int(b, &c);
    b->strings = XG_NEW_N(b->arena, xg_str, n + (size_t)1);
    for (k = 0; k < n; k++) {
        one = xg_bc_take(b, &c, sizes[k]);
        if (one.p == one.end || one.end[-1]) xg_bc_fail(b, one.p, NULL, "a string without its end");
        b->strings[k] = xg_str_of((const char *)one.p, (size_t)(one.end - one.p - 1));
    }
    b->n_strings = n;
}
/* The names of an operation's properties, and its newest version that is known. NULL: not known. */
XG_FN const char *xg_bc_prop_names(xg_str op, int *newest) {
    XG_TABLE const char *const names[] = {
#define X(ops, newest, names) names,
        XG_BC_OPS(X)
#undef X
    };
    XG_TABLE const uint8_t versions[] = {
#define X(ops, newest, names) newest,
        XG_BC_OPS(X)
#undef X
    };
    const char *row =
#define X(ops, newest, names) ops "\0"
        XG_BC_OPS(X);
#undef X
    uint32_t k;
    for (k = 0; k < XG_COUNT(versions); k++, row += strlen(row) + 1)
        if (xg_word_in(row, op) >= 0) {
            *newest = versions[k];
            return names[k];
        }
    return NULL;
}
/* vhlo.add_v1 is StableHLO's add; func, call and return are of the dialect func. */
XG_APART XG_FN xg_bc_name xg_bc_name_of(xg_bc *b, const unsigned char *at, xg_str dialect, xg_str op) {
    XG_TABLE const char *const func[] = {"func", "call"};
    xg_bc_name v;
    xg_buf out;
    uint32_t n = op.n, k;
    int newest = 1;
    memset(&v, 0, sizeof v);
    v.version = 1;
    v.vhlo = xg_str_is(dialect, "vhlo");
    if (v.vhlo) {
        while (n && xg_is_digit(op.p[n - 1])) n--;
        if (n > 2 && n < op.n && op.n - n < 6 && op.p[n - 1] == 'v' && op.p[n - 2] == '_') {
            for (v.version = 0, k = n; k < op.n; k++) v.version = v.version * 10 + (op.p[k] - '0');
            op.n = n - 2;
        }
        dialect = XG_STR("stablehlo");
        for (k = 0; k < XG_COUNT(func); k++)
            if (xg_str_is(op, func[k])) dialect = XG_STR("func");
    }
    xg_buf_init(&out, b->arena);
    xg_printf(&out, "%.*s.%.*s", (int)dialect.n, dialect.p, (int)op.n, op.p);
    v.text = xg_str_of(out.p, out.n);
    v.row = xg_ir_row(b->ir, v.text);
    v.props = xg_bc_prop_names(v.vhlo ? op : v.text, &newest);
    if (v.vhlo && v.version > newest)
        xg_bc_fail(b, at, "write an older version: serialize_portable_artifact takes one",
            "%.*s, version %d, is newer than this reader", (int)XG_MIN(v.text.n, 100u), v.text.p, v.version);
    return v;
}
XG_FN void xg_bc_dialects(xg_bc *b) {
    xg_bc_cur c = b->sections[XG_BC_DIALECTS];
    XG_VEC(xg_bc_name) names = {NULL, 0, 0};
    uint32_t k, n, id;
    b->n_dialects = xg_bc_count(b, &c);
    b->dialects = XG_NEW_N(b->arena, xg_str, b->n_dialects + (size_t)1);
    for (k = 0; k < b->n_dialects; k++) {
        const unsigned char *at = c.p;
        uint64_t v = xg_bc_int(b, &c), string = b->version >= 1 ? v >> 1 : v;
        if (string >= b->n_strings) xg_bc_fail(b, at, NULL, "a dialect without a name");
        b->dialects[k] = b->strings[string];
        if (b->version >= 1 && v & 1) (void)xg_bc_section_of(b, &c, &id);
    }
    if (b->version >= 4) (void)xg_bc_int(b, &c); /* how many names there are */
    while (c.p < c.end) {
        uint32_t dialect = xg_bc_index(b, &c, b->n_dialects, "dialect");
        for (n = xg_bc_count(b, &c); n > 0; n--) {
            const unsigned char *at = c.p;
            uint64_t v = xg_bc_int(b, &c), string = b->version >= 5 ? v >> 1 : v;
            xg_bc_name name;
            if (string >= b->n_strings) xg_bc_fail(b, at, NULL, "an operation without a name");
            name = xg_bc_name_of(b, at, b->dialects[dialect], b->strings[string]);
            name.registered = b->version < 5 || v & 1;
            xg_push(b->arena, xg_bc_name, &names, name);
        }
    }
    b->names = names.p;
    b->n_names = names.n;
}
XG_FN xg_bc_entry *xg_bc_entries(xg_bc *b, xg_bc_cur *c, xg_bc_cur *data, uint32_t n) {
    xg_bc_entry *v = XG_NEW_N(b->arena, xg_bc_entry, n + (size_t)1);
    uint32_t made = 0, k;
    while (made < n) {
        const unsigned char *at = c->p;
        uint32_t dialect = xg_bc_index(b, c, b->n_dialects, "dialect"), count = xg_bc_count(b, c);
        if (count > n - made) xg_bc_fail(b, at, NULL, "more attributes or types than there are");
        for (k = 0; k < count; k++) {
            uint64_t e = xg_bc_int(b, c);
            v[made].dialect = b->dialects[dialect];
            v[made].custom = e & 1;
            v[made++].bytes = xg_bc_take(b, data, e >> 1);
        }
    }
    return v;
}
XG_FN void xg_bc_offsets(xg_bc *b) {
    xg_bc_cur c = b->sections[XG_BC_OFFSETS], data = b->sections[XG_BC_DATA];
    b->n_attrs = xg_bc_count(b, &c);
    b->n_types = xg_bc_count(b, &c);
    b->attrs = xg_bc_entries(b, &c, &data, b->n_attrs);
    b->types = xg_bc_entries(b, &c, &data, b->n_types);
}
XG_FN void xg_bc_properties(xg_bc *b) {
    xg_bc_cur c = b->sections[XG_BC_PROPERTIES];
    uint32_t k;
    if (!b->has[XG_BC_PROPERTIES]) return;
    b->n_props = xg_bc_count(b, &c);
    b->props = XG_NEW_N(b->arena, xg_bc_cur, b->n_props + (size_t)1);
    for (k = 0; k < b->n_props; k++) {
        uint64_t n = xg_bc_int(b, &c);
        b->props[k] = xg_bc_take(b, &c, n);
    }
}

/* ---- attributes of an operation ---- */

typedef XG_VEC(xg_ir_named) xg_bc_named_vec;
XG_FN void xg_bc_add(xg_bc *b, xg_bc_named_vec *v, xg_str name, const xg_ir_attr *value) {
    xg_ir_named one;
    one.name = name;
    one.value = value;
    if (value) xg_push(b->arena, xg_ir_named, v, one);
}
XG_FN void xg_bc_op_properties(xg_bc *b, xg_bc_cur *c, const xg_bc_name *name, xg_bc_named_vec *v) {
    const unsigned char *at = c->p;
    const char *names;
    xg_bc_cur m;
    if (!name->registered) {
        const xg_ir_attr *dict = xg_bc_attr(b, c);
        uint32_t k;
        for (k = 0; dict->kind == XG_IR_DICT && k < dict->n; k++)
            xg_bc_add(b, v, dict->v.named[k].name, dict->v.named[k].value);
        return;
    }
    m = b->props[xg_bc_index(b, c, b->n_props, "properties")];
    names = name->props;
    while (names && *names) {
        size_t n = strcspn(names, " ?+-");
        char mark = names[n];
        if (mark != (name->version > 1 ? '-' : '+'))
            xg_bc_add(b, v, xg_str_of(names, n), mark == '?' ? xg_bc_optional(b, &m) : xg_bc_attr(b, &m));
        names += n + (mark != ' ' && mark);
        names += *names == ' ';
    }
    if (m.p != m.end)
        xg_bc_fail(b, at,
            name->vhlo ? "it may be newer than this reader"
                       : "write a portable artifact (stablehlo.serialize_portable_artifact), or MLIR text",
            "%.*s, version %d, has attributes that are not known", (int)XG_MIN(name->text.n, 100u), name->text.p,
            name->version);
}
XG_FN void xg_bc_op_dict(xg_bc *b, xg_bc_cur *c, xg_bc_named_vec *v) {
    const xg_ir_attr *dict = xg_bc_attr(b, c);
    uint32_t k;
    for (k = 0; dict->kind == XG_IR_DICT && k < dict->n; k++)
        xg_bc_add(b, v, dict->v.named[k].name, dict->v.named[k].value);
}

/* ---- operations ---- */

XG_FN void xg_bc_region(xg_bc *b, xg_bc_cur *c, xg_ir_region *r);
/* The order of uses, which only printers of MLIR care for. */
XG_FN void xg_bc_skip_orders(xg_bc *b, xg_bc_cur *c, uint32_t range) {
    uint32_t n = range > 1 ? xg_bc_count(b, c) : 1;
    for (; n > 0; n--) {
        uint64_t e, k;
        if (range > 1) (void)xg_bc_int(b, c);
        e = xg_bc_int(b, c);
        for (k = 0; k < e >> 1; k++) (void)xg_bc_int(b, c);
    }
}
XG_FN void xg_bc_define(xg_bc *b, const unsigned char *at, uint32_t *next, xg_ir_value *v) {
    if (*next >= b->values.n) xg_bc_fail(b, at, NULL, "a region defines more values than it announces");
    b->values.p[(*next)++] = v;
}
XG_FN void xg_bc_operands(xg_bc *b, xg_bc_cur *c, xg_ir_op *op) {
    uint32_t k, n = xg_bc_count(b, c);
    op->n_operands = n;
    op->operands = XG_NEW_N(b->arena, xg_ir_value *, n + (size_t)1);
    for (k = 0; k < n; k++) {
        const unsigned char *at = c->p;
        uint32_t id = xg_bc_index(b, c, b->values.n - b->scope, "value");
        op->operands[k] = b->values.p[b->scope + id];
        if (!op->operands[k])
            xg_bc_fail(b, at, "a value is defined before it is used", "value %u is not defined here", id);
    }
}
XG_FN void xg_bc_regions(xg_bc *b, xg_bc_cur *c, xg_ir_op *op) {
    const unsigned char *at = c->p;
    uint64_t e = xg_bc_int(b, c);
    uint32_t scope = b->scope, k, id;
    xg_bc_cur inside;
    if (e >> 1 > (uint64_t)(c->end - c->p)) xg_bc_fail(b, at, NULL, "more regions than bytes");
    op->n_regions = (uint32_t)(e >> 1);
    op->regions = XG_NEW_N(b->arena, xg_ir_region, op->n_regions + (size_t)1);
    if (e & 1) b->scope = b->values.n;
    if (e & 1 && b->version >= 2) { /* a section of their own, which readers may skip */
        inside = xg_bc_section_of(b, c, &id);
        c = &inside;
    }
    for (k = 0; k < op->n_regions; k++) xg_bc_region(b, c, &op->regions[k]);
    b->scope = scope;
}
XG_FN void xg_bc_op(xg_bc *b, xg_bc_cur *c, xg_ir_region *r, uint32_t *next) {
    const unsigned char *at = c->p;
    const xg_bc_name *name = &b->names[xg_bc_index(b, c, b->n_names, "operation")];
    unsigned mask = *xg_bc_take(b, c, 1).p;
    xg_ir_op *op = xg_ir_op_of_row(b->ir, name->row, name->text, (uint32_t)(at - b->base) + 1);
    xg_bc_named_vec attrs = {NULL, 0, 0};
    uint32_t k, n = 0;
    xg_bc_enter(b, at);
    op->loc = xg_bc_loc(b, c);
    if (mask & 1) xg_bc_op_dict(b, c, &attrs);
    if (mask & 64) xg_bc_op_properties(b, c, name, &attrs);
    op->attrs = attrs.p;
    op->n_attrs = attrs.n;
    if (mask & 2) {
        const xg_ir_type *const *types = xg_bc_types(b, c, &n);
        xg_ir_results(b->ir, op, types, n);
        for (k = 0; k < n; k++) xg_bc_define(b, at, next, &op->results[k]);
    }
    if (mask & 4) xg_bc_operands(b, c, op);
    if (mask & 8) xg_bc_fail(b, at, NULL, "jumps between blocks are not read");
    if (mask & 32) xg_bc_skip_orders(b, c, n);
    if (mask & 16) xg_bc_regions(b, c, op);
    b->depth--;
    xg_ir_append(r, op);
}
XG_FN void xg_bc_args(xg_bc *b, xg_bc_cur *c, xg_ir_region *r, uint32_t *next) {
    uint32_t n = xg_bc_count(b, c), k;
    xg_ir_value *v = XG_NEW_N(b->arena, xg_ir_value, n + (size_t)1);
    r->n_args = n;
    r->args = XG_NEW_N(b->arena, xg_ir_value *, n + (size_t)1);
    for (k = 0; k < n; k++) {
        const unsigned char *at = c->p;
        uint64_t e = xg_bc_int(b, c), type = b->version >= 4 ? e >> 1 : e;
        if (type >= b->n_types) xg_bc_fail(b, at, NULL, "type %llu of %u", (unsigned long long)type, b->n_types);
        xg_ir_value_init(b->ir, &v[k], xg_bc_type_at(b, at, (uint32_t)type), NULL);
        if (b->version < 4 || e & 1) v[k].loc = xg_bc_loc(b, c);
        r->args[k] = &v[k];
        xg_bc_define(b, at, next, &v[k]);
    }
    if (b->version >= 3 && *xg_bc_take(b, c, 1).p) xg_bc_skip_orders(b, c, n);
}
XG_FN void xg_bc_block(xg_bc *b, xg_bc_cur *c, xg_ir_region *r, uint32_t *next) {
    uint64_t head = xg_bc_int(b, c), k;
    if (head & 1) xg_bc_args(b, c, r, next);
    for (k = 0; k < head >> 1; k++) xg_bc_op(b, c, r, next);
}
XG_FN void xg_bc_region(xg_bc *b, xg_bc_cur *c, xg_ir_region *r) {
    const unsigned char *at = c->p;
    uint32_t base = b->values.n, next = base, n, k;
    uint64_t blocks = xg_bc_int(b, c);
    r->from = b->ir->serial;
    r->to = r->from;
    if (!blocks) return;
    n = xg_bc_count(b, c);
    if (blocks != 1)
        xg_bc_fail(b, at, NULL, "a region of %llu blocks, which HLO does not have", (unsigned long long)blocks);
    for (k = 0; k < n; k++) xg_push(b->arena, xg_ir_value *, &b->values, NULL);
    r->n_blocks = 1;
    xg_bc_block(b, c, r, &next);
    b->values.n = base;
    r->to = b->ir->serial;
}

/* ---- files ---- */

XG_FN void xg_bc_check_size(xg_ctx *c, const xg_source *src) {
    if (src->size >= UINT32_MAX)
        xg_fail(c, XLAGPU_ERROR_LIMIT, "%s: error: MLIR bytecode of more than 4 GiB is not read", src->name);
}
XG_FN xg_module *xg_bc_read(xg_ctx *c, xg_arena *a, const xg_source *src, xg_bc_cur m) {
    xg_bc *b = XG_NEW(a, xg_bc);
    xg_source *places = XG_NEW(a, xg_source);
    uint32_t next = 0;
    xg_bc_check_size(c, src);
    places->name = src->name;
    places->size = src->size;
    b->ctx = c;
    b->arena = a;
    b->base = (const unsigned char *)src->text;
    b->source = places;
    b->start = m.p;
    b->ir = xg_ir_new(c, a, places, "module");
    m.p += 4; /* the magic bytes */
    b->version = xg_bc_int(b, &m);
    if (b->version > XG_BC_VERSION_MAX)
        xg_bc_fail(b, b->base, "write an older version: serialize_portable_artifact takes one",
            "format version %llu; versions up to %d are read", (unsigned long long)b->version, (int)XG_BC_VERSION_MAX);
    while (*xg_bc_take(b, &m, 1).p) {} /* the producer's name */
    xg_bc_sections(b, m);
    xg_bc_strings(b);
    xg_bc_dialects(b);
    xg_bc_offsets(b);
    xg_bc_properties(b);
    xg_bc_block(b, &b->sections[XG_BC_IR], &b->ir->top, &next);
    if (!b->ir->top.first) xg_bc_fail(b, b->sections[XG_BC_IR].p, NULL, "there is no module in it");
    return xg_ir_lower(b->ir);
}
XG_FN xg_module *xg_bytecode_read(xg_ctx *c, xg_arena *a, const xg_source *src) {
    xg_bc_cur m;
    m.p = (const unsigned char *)src->text;
    m.end = m.p + src->size;
    return xg_bc_read(c, a, src, m);
}

/* ---- jax.export: a flatbuffer whose field 13 is the artifact ---- */

XG_APART XG_FN uint32_t xg_export_u32(const xg_source *src, size_t at) {
    uint32_t v = 0;
    if (at + 4 <= src->size) memcpy(&v, src->text + at, 4); /* little-endian hosts */
    return v;
}
XG_FN uint16_t xg_export_u16(const xg_source *src, size_t at) {
    uint16_t v = 0;
    if (at + 2 <= src->size) memcpy(&v, src->text + at, 2);
    return v;
}
/* The table's field: its place in the file; 0: it is not there. */
XG_FN size_t xg_export_field(const xg_source *src, uint32_t field) {
    size_t table = xg_export_u32(src, 0);
    size_t vtable = (size_t)((int64_t)table - (int32_t)xg_export_u32(src, table)), offset;
    if (vtable > src->size || 4 + 2 * (size_t)field >= xg_export_u16(src, vtable)) return 0;
    offset = xg_export_u16(src, vtable + 4 + 2 * (size_t)field);
    return offset ? table + offset : 0;
}
XG_APART XG_FN xg_module *xg_export_read(xg_ctx *c, xg_arena *a, const xg_source *src) {
    enum {
        ARTIFACT = 13
    };
    size_t at = xg_export_field(src, ARTIFACT), n;
    xg_bc_cur m;
    if (at) at += xg_export_u32(src, at);
    n = xg_export_u32(src, at);
    if (!at || at + 4 > src->size || n > src->size - at - 4 || n < 4 || memcmp(src->text + at + 4, "ML\xEFR", 4) != 0)
        xg_fail(c, XLAGPU_ERROR_SYNTAX,
            "%s: byte %llu: error: jax.export: there is no artifact of StableHLO in it (write it again: "
            "jax.export.export(jax.jit(f))(x).serialize())",
            src->name, (unsigned long long)XG_MIN(at, src->size));
    m.p = (const unsigned char *)src->text + at + 4;
    m.end = m.p + n;
    return xg_bc_read(c, a, src, m);
}

#endif /* XG_IMPORT_BYTECODE_C */
