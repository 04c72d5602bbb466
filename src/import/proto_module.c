/* import/proto_module.c -- HloModuleProto and what it comes in: HloProto, HloSnapshot, HloModuleProtoWithConfig.
 *
 * All of them begin with field 1: a module's is its name, a wrapper's the message inside it. The module is the first
 * message on the way in whose field 1 is a name and which has computations. */
#ifndef XG_IMPORT_PROTO_MODULE_C
#define XG_IMPORT_PROTO_MODULE_C
#include "proto.h"
#include "proto_read.c"

/* ---- what the module says beside its computations ---- */

XG_APART XG_FN void xg_proto_aliases(xg_proto *p, xg_proto_bytes m) {
    XG_VEC(xg_io_alias) list = {NULL, 0, 0};
    xg_proto_field f;
    while (xg_proto_next(p, &m, &f)) {
        xg_io_alias a;
        xg_proto_bytes entry;
        if (f.number != 1) continue;
        memset(&a, 0, sizeof a);
        entry = xg_proto_message(p, &f);
        a.source_at = (uint32_t)(f.at - p->base) + 1;
        a.output = xg_proto_ints_of(p, entry, 1);
        a.param = xg_proto_int_of(p, entry, 2);
        a.param_index = xg_proto_ints_of(p, entry, 3);
        a.must = xg_proto_int_of(p, entry, 4) == 2;
        xg_push(p->arena, xg_io_alias, &list, a);
    }
    p->m->aliases = list.p;
    p->m->n_aliases = list.n;
}
XG_FN void xg_proto_donors(xg_proto *p, xg_proto_bytes m) {
    XG_VEC(xg_io_alias) list = {NULL, 0, 0};
    xg_proto_field f;
    while (xg_proto_next(p, &m, &f)) {
        xg_io_alias a;
        if (f.number != 1) continue;
        memset(&a, 0, sizeof a);
        a.source_at = (uint32_t)(f.at - p->base) + 1;
        a.param = xg_proto_int_of(p, xg_proto_message(p, &f), 1);
        a.param_index = xg_proto_ints_of(p, f.bytes, 2);
        xg_push(p->arena, xg_io_alias, &list, a);
    }
    p->m->donors = list.p;
    p->m->n_donors = list.n;
}
XG_FN void xg_proto_frontend(xg_proto *p, xg_proto_bytes m) {
    size_t at = (size_t)(m.p - p->base);
    xg_header_attr *a = XG_NEW(p->arena, xg_header_attr);
    a->name = XG_STR("frontend_attributes");
    a->text = xg_proto_map_text(p, m);
    if (a->text.n) a->text = xg_parse_device(p->parse, a->text, at);
    if (!a->text.n) return;
    p->m->header = a;
    p->m->n_header = 1;
}
XG_FN void xg_proto_schedule(xg_proto *p, xg_proto_bytes m) {
    xg_proto_field f, sequence;
    p->m->is_scheduled = true;
    while (xg_proto_next(p, &m, &f)) {
        xg_proto_bytes *kept;
        if (f.number != 1) continue;
        kept = XG_NEW(p->arena, xg_proto_bytes);
        kept->p = kept->end = f.bytes.end;
        if (xg_proto_find(p, xg_proto_message(p, &f), 2, &sequence)) *kept = xg_proto_message(p, &sequence);
        xg_map64_put(&p->schedules, (uint64_t)xg_proto_int_of(p, f.bytes, 1), kept);
    }
}

/* ---- stack frames, as the tables of HLO text ---- */

typedef struct xg_proto_column {
    char name[17];
    uint8_t number, add; /* text counts a frame without parent as 1 */
} xg_proto_column;
static const struct {
    char title[14];
    uint8_t number, n;
    xg_proto_column columns[6];
} xg_proto_tables[] = {
    {"FileNames", 1, 0, {{"", 0, 0}}},
    {"FunctionNames", 2, 0, {{"", 0, 0}}},
    {"FileLocations", 3, 6,
        {{"file_name_id", 1, 0}, {"function_name_id", 2, 0}, {"line", 3, 0}, {"end_line", 5, 0}, {"column", 4, 0},
            {"end_column", 6, 0}}},
    {"StackFrames", 4, 2, {{"file_location_id", 1, 0}, {"parent_frame_id", 2, 1}}},
};
XG_FN void xg_proto_put_frame(xg_proto *p, xg_buf *b, const xg_proto_field *f, uint32_t table) {
    uint32_t k;
    if (!xg_proto_tables[table].n) {
        xg_put_quoted(b, xg_proto_str(p, f));
        return;
    }
    for (k = 0; k < xg_proto_tables[table].n; k++) {
        const xg_proto_column *c = &xg_proto_tables[table].columns[k];
        xg_printf(b, "%s%s=%lld", k ? " " : "{", c->name,
            (long long)((uint64_t)xg_proto_int_of(p, xg_proto_message(p, f), c->number) + (uint64_t)c->add));
    }
    xg_putc(b, '}');
}
XG_FN void xg_proto_stack(xg_proto *p, xg_proto_bytes m) {
    xg_buf b;
    uint32_t table, n;
    xg_buf_init(&b, p->arena);
    for (table = 0; table < XG_COUNT(xg_proto_tables); table++) {
        xg_proto_bytes rest = m;
        xg_proto_field f;
        for (n = 0; xg_proto_next(p, &rest, &f);) {
            if (f.number != xg_proto_tables[table].number) continue;
            if (!n) xg_printf(&b, b.n ? "\n%s\n" : "%s\n", xg_proto_tables[table].title);
            xg_printf(&b, "%u ", ++n);
            xg_proto_put_frame(p, &b, &f, table);
            xg_putc(&b, '\n');
        }
    }
    p->m->stack.text = b.n ? xg_str_of(b.p, b.n) : XG_STR("");
}
/* DeviceAssignmentProto: replicas and partitions. */
XG_FN int64_t xg_proto_count_of(xg_proto *p, xg_proto_bytes m, uint32_t number) {
    int64_t v = xg_proto_int_of(p, m, number);
    if (v < 0 || v > INT32_MAX) xg_proto_fail(p, m.p, NULL, "a module for %lld devices", (long long)v);
    return v ? v : 1;
}

/* ---- the module ---- */

typedef struct xg_proto_heads {
    xg_str entry_name;
    int64_t entry_id;
    bool has_id;
} xg_proto_heads;

/* Everything but the computations, which need the schedule and the payloads. */
XG_APART XG_FN void xg_proto_module_field(xg_proto *p, const xg_proto_field *f, xg_proto_heads *heads) {
    switch (f->number) {
    case XG_MODULE_NAME: p->m->name = xg_str_copy(p->arena, xg_proto_name(p, xg_proto_str(p, f))); break;
    case XG_MODULE_ENTRY_NAME: heads->entry_name = xg_proto_str(p, f); break;
    case XG_MODULE_ENTRY_ID:
        heads->entry_id = xg_proto_int(p, f);
        heads->has_id = true;
        break;
    case XG_MODULE_SHAPE:
        xg_proto_program_shape(p, xg_proto_message(p, f), &p->m->entry_params, &p->m->entry_result);
        p->m->has_entry_layout = p->m->entry_result != NULL;
        break;
    case XG_MODULE_SCHEDULE: xg_proto_schedule(p, xg_proto_message(p, f)); break;
    case XG_MODULE_ALIASES: xg_proto_aliases(p, xg_proto_message(p, f)); break;
    case XG_MODULE_DONORS: xg_proto_donors(p, xg_proto_message(p, f)); break;
    case XG_MODULE_STACK: xg_proto_stack(p, xg_proto_message(p, f)); break;
    case XG_MODULE_FRONTEND: xg_proto_frontend(p, xg_proto_message(p, f)); break;
    case XG_MODULE_DEVICES:
        p->m->replica_count = xg_proto_count_of(p, xg_proto_message(p, f), 1);
        p->m->num_partitions = xg_proto_count_of(p, f->bytes, 2);
        break;
    case XG_MODULE_PAYLOADS: xg_push(p->arena, xg_proto_bytes, &p->payloads, xg_proto_message(p, f)); break;
    default: break;
    }
}
XG_FN void xg_proto_choose_entry(xg_proto *p, const xg_proto_heads *heads, const unsigned char *at) {
    xg_module *m = p->m;
    if (!m->last) xg_proto_fail(p, at, NULL, "a module without computations");
    m->entry = (xg_comp *)xg_map64_get(&p->comps, (uint64_t)heads->entry_id);
    if (m->entry) return;
    if (heads->has_id)
        xg_proto_fail(p, at, NULL, "the entry is computation %lld, which the module lacks", (long long)heads->entry_id);
    m->entry = (xg_comp *)xg_dict_get(&m->comp_names, heads->entry_name);
    if (!m->entry) m->entry = m->last;
}
XG_FN void xg_proto_read_module(xg_proto *p, xg_proto_bytes m) {
    const unsigned char *at = m.p;
    xg_proto_bytes rest = m;
    xg_proto_heads heads;
    xg_proto_field f;
    memset(&heads, 0, sizeof heads);
    while (xg_proto_next(p, &m, &f)) xg_proto_module_field(p, &f, &heads);
    while (xg_proto_next(p, &rest, &f))
        if (f.number == XG_MODULE_COMPUTATIONS) xg_proto_read_comp(p, xg_proto_message(p, &f));
    xg_proto_choose_entry(p, &heads, at);
    xg_parse_finish_entry(p->parse);
    p->m->at = 0;
}

/* ---- wrappers ---- */

/* Is it a module, and no wrapper of one? A wrapper's field 1 is a message, whose first byte is a tag. */
XG_FN bool xg_proto_is_module(xg_proto *p, xg_proto_bytes m) {
    xg_proto_field f;
    bool named = true;
    while (xg_proto_next(p, &m, &f)) {
        if (f.number == XG_MODULE_COMPUTATIONS && named) return f.wire == XG_WIRE_BYTES;
        if (f.number == XG_MODULE_NAME) named = f.bytes.p == f.bytes.end || *f.bytes.p >= ' ';
    }
    return false;
}
XG_FN void xg_proto_config(xg_proto *p, xg_proto_bytes m) {
    xg_proto_field f;
    if (!xg_proto_find(p, m, XG_HLO_PROTO_CONFIG, &f) || f.wire != XG_WIRE_BYTES) return;
    p->m->replica_count = xg_proto_count_of(p, f.bytes, XG_CONFIG_REPLICAS);
    p->m->num_partitions = xg_proto_count_of(p, f.bytes, XG_CONFIG_PARTITIONS);
}
/* The module in m; the message around it, which may be a snapshot's HloProto, in *around. */
XG_FN xg_proto_bytes xg_proto_unwrap(xg_proto *p, xg_proto_bytes m, xg_proto_bytes *around, xg_proto_bytes *outermost) {
    uint32_t depth;
    *around = *outermost = m;
    for (depth = 0; depth < 3; depth++) {
        xg_proto_field f;
        if (xg_proto_is_module(p, m)) return m;
        if (!xg_proto_find(p, m, 1, &f) || f.wire != XG_WIRE_BYTES) break;
        *around = m;
        m = f.bytes;
    }
    xg_proto_fail(p, p->base, "HloModuleProto, HloProto and HloSnapshot are read", "there is no HLO module in it");
}
XG_FN xg_proto *xg_proto_new(xg_ctx *c, xg_arena *a, const xg_source *src) {
    static const xg_source none = {"", "", 0};
    xg_proto *p = XG_NEW(a, xg_proto);
    xg_source *places = XG_NEW(a, xg_source);
    const xg_proto_row *rows;
    uint32_t n, k;
    places->name = src->name;
    places->size = src->size;
    p->ctx = c;
    p->arena = a;
    p->base = (const unsigned char *)src->text;
    p->source = places;
    p->parse = xg_parse_new(c, a, &none, true);
    p->parse->lex.src = places;
    p->m = p->parse->m;
    p->m->source = places;
    xg_map64_init(&p->comps, a);
    xg_map64_init(&p->schedules, a);
    xg_dict_init(&p->metadata, a);
    xg_dict_init(&p->shapes, a);
    rows = xg_proto_rows(&n);
    for (k = n; k-- > 0;) p->first_row[rows[k].key >> 16] = (uint16_t)(k + 1);
    if (src->size > XG_PROTO_BYTES_MAX)
        xg_fail(c, XLAGPU_ERROR_LIMIT,
            "%s: error: HLO protobuf: %llu bytes; the format ends at 2 GiB: pass large constants as arguments",
            src->name, (unsigned long long)src->size);
    return p;
}
XG_APART XG_FN xg_module *xg_proto_read(xg_ctx *c, xg_arena *a, const xg_source *src) {
    xg_proto *p = xg_proto_new(c, a, src);
    xg_proto_bytes all, module, around, outermost;
    all.p = p->base;
    all.end = p->base + src->size;
    module = xg_proto_unwrap(p, all, &around, &outermost);
    xg_proto_read_module(p, module);
    if (module.p != around.p) xg_proto_config(p, around);
    return p->m;
}
XG_FN uint32_t xg_proto_examples(
    xg_module *m, const xg_source *src, const xg_literal ***arguments, const xg_literal **result) {
    xg_proto *p = xg_proto_new(m->ctx, m->arena, src);
    xg_proto_bytes all, around, outermost;
    XG_VEC(const xg_literal *) list = {NULL, 0, 0};
    xg_proto_field f;
    all.p = p->base;
    all.end = p->base + src->size;
    *result = NULL;
    if (xg_proto_unwrap(p, all, &around, &outermost).p == around.p || around.p == outermost.p) return 0;
    while (xg_proto_next(p, &outermost, &f)) {
        const xg_literal *l;
        if (f.number != XG_SNAPSHOT_ARGUMENTS && f.number != XG_SNAPSHOT_RESULT) continue;
        l = xg_proto_literal(p, xg_proto_message(p, &f));
        if (f.number == XG_SNAPSHOT_RESULT)
            *result = l;
        else
            xg_push(p->arena, const xg_literal *, &list, l);
    }
    *arguments = list.p;
    return list.n;
}

#endif /* XG_IMPORT_PROTO_MODULE_C */
