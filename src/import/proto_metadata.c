/* import/proto_metadata.c -- maps of strings and OpMetadata, as the texts that HLO keeps of them. */
#ifndef XG_IMPORT_PROTO_METADATA_C
#define XG_IMPORT_PROTO_METADATA_C
#include "proto.h"
#include "proto_wire.c"

typedef struct xg_proto_pair {
    xg_str key, value;
} xg_proto_pair;
typedef XG_VEC(xg_proto_pair) xg_proto_pairs;

XG_FN bool xg_proto_less(xg_str a, xg_str b) {
    int c = memcmp(a.p, b.p, XG_MIN(a.n, b.n));
    return c ? c < 0 : a.n < b.n;
}
/* A map's entries by key; of equal ones the last counts. */
XG_FN void xg_proto_add_pair(xg_proto *p, xg_proto_pairs *v, xg_proto_pair one) {
    uint32_t at = v->n, low = 0, middle;
    while (low < at) {
        middle = low + (at - low) / 2;
        if (xg_proto_less(v->p[middle].key, one.key))
            low = middle + 1;
        else
            at = middle;
    }
    if (at < v->n && xg_str_eq(v->p[at].key, one.key)) {
        v->p[at] = one;
        return;
    }
    xg_push(p->arena, xg_proto_pair, v, one);
    memmove(v->p + at + 1, v->p + at, (v->n - 1 - at) * sizeof *v->p);
    v->p[at] = one;
}
XG_FN xg_str xg_proto_map_text(xg_proto *p, xg_proto_bytes m) {
    xg_proto_pairs pairs = {NULL, 0, 0};
    xg_proto_field f, part;
    xg_buf b;
    uint32_t k;
    while (xg_proto_next(p, &m, &f)) {
        xg_proto_pair one;
        if (f.number != 1) continue;
        one.key = xg_proto_find(p, xg_proto_message(p, &f), 1, &part) ? xg_proto_str(p, &part) : XG_STR("");
        one.value = xg_proto_find(p, f.bytes, 2, &part) ? xg_proto_str(p, &part) : XG_STR("");
        xg_proto_add_pair(p, &pairs, one);
    }
    if (!pairs.n) return XG_STR("");
    xg_buf_init(&b, p->arena);
    for (k = 0; k < pairs.n; k++) {
        xg_putc(&b, k ? ',' : '{');
        xg_proto_put_key(&b, pairs.p[k].key);
        xg_putc(&b, '=');
        xg_proto_put_value(&b, pairs.p[k].value);
    }
    xg_putc(&b, '}');
    return xg_str_of(b.p, b.n);
}
typedef struct xg_proto_meta {
    xg_str string[XG_METADATA_COUNT];
    int64_t number[XG_METADATA_COUNT];
} xg_proto_meta;
XG_APART XG_FN void xg_proto_metadata_field(xg_proto *p, const xg_proto_field *f, xg_proto_meta *v) {
#define XG_PROTO_STRING(key) v->string[key] = xg_proto_str(p, f)
#define XG_PROTO_NUMBER(key) v->number[key] = xg_proto_int(p, f)
    switch (f->number) {
#define X(n, name, kind) \
    case n: XG_PROTO_##kind(XG_M_##name); break;
        XG_PROTO_METADATA(X)
#undef X
    default: break;
    }
#undef XG_PROTO_STRING
#undef XG_PROTO_NUMBER
}
XG_FN xg_str xg_proto_metadata_text(xg_proto *p, xg_proto_bytes m, xg_metadata *out) {
    XG_TABLE const uint8_t keys[] = {
#define X(n, name, kind) XG_M_##name,
        XG_PROTO_METADATA(X)
#undef X
    };
    xg_proto_meta v;
    xg_proto_field f;
    xg_buf b;
    uint32_t k;
    memset(&v, 0, sizeof v);
    xg_buf_init(&b, p->arena);
    while (xg_proto_next(p, &m, &f)) xg_proto_metadata_field(p, &f, &v);
    for (k = 0; k < XG_COUNT(keys); k++) {
        uint32_t key = keys[k];
        if (!v.string[key].n && !v.number[key]) continue;
        if (b.n) xg_putc(&b, ' ');
        xg_printf(&b, "%s=", xg_metadata_rows[key].name);
        if (v.string[key].n)
            xg_put_quoted(&b, v.string[key]);
        else
            xg_put_i64(&b, v.number[key]);
    }
    memset(out, 0, sizeof *out);
    out->op_type = v.string[XG_M_op_type];
    out->op_name = v.string[XG_M_op_name];
    out->source_file = v.string[XG_M_source_file];
    out->source_line = v.number[XG_M_source_line];
    out->stack_frame_id = v.number[XG_M_stack_frame_id];
    return out->text = b.n ? xg_str_of(b.p, b.n) : XG_STR("");
}

#endif /* XG_IMPORT_PROTO_METADATA_C */
