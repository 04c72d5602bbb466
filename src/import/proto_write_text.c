/* import/proto_write_text.c -- what a module keeps as text becomes messages: shardings, meshes, metadata, frontend
 * attributes, stack frames.
 *
 * The texts are those that the parser of HLO checked and brought into one form (hlo/parse_devices.c), so nothing here
 * checks them again; proto_devices.c is the way back. */
#ifndef XG_IMPORT_PROTO_WRITE_TEXT_C
#define XG_IMPORT_PROTO_WRITE_TEXT_C
#include "proto.h"
#include "proto_write_wire.c"
#include "proto_devices.c"
#include "proto_module.c"

XG_FN bool xg_proto_scan_word(xg_lex *x, const char *word) {
    if (!xg_lex_is(x, word)) return false;
    xg_lex_next(x);
    return true;
}

/* ---- metadata ---- */

/* `name=value name=value`, or in braces. */
XG_FN void xg_proto_put_metadata_parts(xg_proto_writer *w, xg_lex *x) {
    static const struct {
        uint32_t number;
        const char *name;
    } parts[] = {
#define X(number, name, kind) {number, #name},
        XG_PROTO_METADATA(X)
#undef X
    };
    xg_str string[XG_COUNT(parts)];
    int64_t value[XG_COUNT(parts)];
    uint32_t k, number;
    memset(string, 0, sizeof string);
    memset(value, 0, sizeof value);
    while (x->kind == XG_TOK_WORD) {
        for (k = 0; k < XG_COUNT(parts) && !xg_lex_is(x, parts[k].name); k++) {}
        xg_lex_next(x);
        xg_lex_expect(x, '=', "'='");
        if (k < XG_COUNT(parts) && x->kind == XG_TOK_STRING)
            string[k] = xg_lex_string(x, w->arena, "a string");
        else if (k < XG_COUNT(parts))
            value[k] = xg_lex_int(x, "a number");
        else if (x->kind == '{')
            xg_lex_balanced(x);
        else
            xg_lex_next(x);
    }
    for (number = 1; number < 32; number++)
        for (k = 0; k < XG_COUNT(parts); k++) {
            if (parts[k].number != number) continue;
            xg_proto_put_string(w, number, string[k]);
            xg_proto_put_int(w, number, value[k]);
        }
}
XG_FN void xg_proto_put_metadata(xg_proto_writer *w, uint32_t number, xg_str text) {
    size_t at = xg_proto_begin(w, number);
    xg_lex x = xg_proto_scan(w, text);
    xg_proto_put_metadata_parts(w, &x);
    xg_proto_end(w, at);
}
/* metadata={...} or metadata={{...}, {...}}, behind the word. */
XG_FN void xg_proto_put_metadata_list(xg_proto_writer *w, uint32_t number, xg_lex *x) {
    xg_lex_expect(x, '=', "'='");
    xg_lex_expect(x, '{', "'{'");
    if (x->kind != '{') {
        size_t at = xg_proto_begin(w, number);
        xg_proto_put_metadata_parts(w, x);
        xg_proto_end(w, at);
    }
    while (xg_lex_take(x, '{')) {
        size_t at = xg_proto_begin(w, number);
        xg_proto_put_metadata_parts(w, x);
        xg_proto_end(w, at);
        xg_lex_expect(x, '}', "'}'");
        xg_lex_take(x, ',');
    }
    xg_lex_expect(x, '}', "'}'");
}

/* ---- maps of strings ---- */

/* One entry of map<string, string>. */
XG_FN void xg_proto_put_entry(xg_proto_writer *w, xg_str key, xg_str value) {
    size_t at = xg_proto_begin(w, 1);
    xg_proto_put_bytes(w, 1, key);
    xg_proto_put_bytes(w, 2, value);
    xg_proto_end(w, at);
}
/* {key="value", other={...}}: the entries alone. */
XG_FN void xg_proto_put_entries(xg_proto_writer *w, xg_str text) {
    xg_lex x = xg_proto_scan(w, text);
    if (!xg_lex_take(&x, '{')) return;
    while (x.kind != '}' && x.kind != XG_TOK_END) {
        xg_str key = xg_import_key(w->arena, &x), value;
        xg_lex_expect(&x, '=', "'='");
        value = xg_import_value(w->arena, &x);
        xg_proto_put_entry(w, key, value);
        if (!xg_lex_take(&x, ',')) break;
    }
}

/* ---- meshes ---- */

typedef struct xg_proto_names {
    xg_str p[XG_MESH_AXES_MAX];
    uint32_t n;
} xg_proto_names;

/* [4,2]T(1,0) as the fields `dims` and `perm`; a permutation that changes nothing is written all the same, as XLA
 * does */
XG_FN void xg_proto_put_iota_of(xg_proto_writer *w, xg_lex *x, uint32_t dims_field, uint32_t perm_field) {
    xg_ints dims = xg_proto_scan_ints(w, x, '[', ']', 0), perm;
    int64_t *same = XG_NEW_N(w->arena, int64_t, dims.n);
    uint32_t k;
    for (k = 0; k < dims.n; k++) same[k] = k;
    perm.p = same;
    perm.n = dims.n;
    if (xg_proto_scan_word(x, "T")) perm = xg_proto_scan_ints(w, x, '(', ')', 0);
    xg_proto_put_ints(w, dims_field, dims);
    xg_proto_put_ints(w, perm_field, perm);
}
/* mesh['x'=2,'y'=4], device_ids=(...), behind the word mesh */
XG_FN void xg_proto_put_mesh_of(xg_proto_writer *w, uint32_t number, xg_lex *x, xg_proto_names *names) {
    size_t mesh = xg_proto_begin(w, number);
    xg_lex_expect(x, '[', "'['");
    names->n = 0;
    while (x->kind != ']') {
        size_t at = xg_proto_begin(w, 1);
        xg_lex_take(x, ',');
        names->p[names->n] = xg_lex_string(x, w->arena, "the name of an axis");
        xg_proto_put_string(w, 1, names->p[names->n++]);
        xg_lex_expect(x, '=', "'='");
        xg_proto_put_int(w, 2, xg_lex_int(x, "a size"));
        xg_proto_end(w, at);
    }
    xg_lex_next(x);
    if (x->kind == ',' && xg_lex_peek(x) == 'd') {
        xg_lex_next(x);
        xg_lex_next(x);
        xg_lex_expect(x, '=', "'='");
        if (xg_lex_peek(x) == '[') {
            size_t at = xg_proto_begin(w, 3);
            xg_lex_next(x);
            xg_proto_put_iota_of(w, x, 1, 2);
            xg_proto_end(w, at);
            xg_lex_expect(x, ')', "')'");
        } else
            xg_proto_put_ints(w, 2, xg_proto_scan_ints(w, x, '(', ')', 0));
    }
    xg_proto_end(w, mesh);
}
/* 'x' or 'x':(2)4, as an AxisRef */
XG_FN void xg_proto_put_axis_of(xg_proto_writer *w, uint32_t number, xg_lex *x, const xg_proto_names *names) {
    xg_str name = xg_lex_string(x, w->arena, "the name of an axis");
    size_t at = xg_proto_begin(w, number), part;
    uint32_t k;
    for (k = 0; k < names->n && !xg_str_eq(names->p[k], name); k++) {}
    xg_proto_put_int(w, 1, k);
    if (xg_lex_take(x, ':')) {
        part = xg_proto_begin(w, 2);
        xg_lex_expect(x, '(', "'('");
        xg_proto_put_int(w, 1, xg_lex_int(x, "a size"));
        xg_lex_expect(x, ')', "')'");
        xg_proto_put_int(w, 2, xg_lex_int(x, "a size"));
        xg_proto_end(w, part);
    }
    xg_proto_end(w, at);
}
/* {'x', 'y', ?}; true: it ends in a question mark, which leaves it open */
XG_FN bool xg_proto_put_axes_of(xg_proto_writer *w, uint32_t number, xg_lex *x, const xg_proto_names *names) {
    bool open = false;
    xg_lex_expect(x, '{', "'{'");
    while (!xg_lex_take(x, '}')) {
        if (xg_lex_take(x, ',')) continue;
        if (xg_lex_take(x, '?'))
            open = true;
        else
            xg_proto_put_axis_of(w, number, x, names);
    }
    return open;
}

/* ---- shardings ---- */

/* Behind the word mesh: the mesh, [{'x'}, {?}], replicated={'y'}, ... NamedSharding's fields in the order of their
 * numbers, whichever the text has. */
XG_FN void xg_proto_put_named_of(xg_proto_writer *w, xg_lex *x) {
    XG_TABLE const char *const words[] = {"replicated", "unreduced", "metadata", "manual"}; /* fields 4 to 7 */
    XG_TABLE const char *const reductions[] = {"sum", "max", "min"};                        /* field 8 */
    size_t named = xg_proto_begin(w, 14);
    xg_proto_names names;
    xg_lex found[XG_COUNT(words)];
    bool has[XG_COUNT(words)] = {false, false, false, false};
    int64_t reduction = 0;
    uint32_t k;
    xg_proto_put_mesh_of(w, 2, x, &names);
    while (xg_lex_take(x, ',')) {
        if (xg_lex_take(x, '[')) {
            while (!xg_lex_take(x, ']')) {
                size_t at;
                if (xg_lex_take(x, ',')) continue;
                at = xg_proto_begin(w, 3);
                xg_proto_put_int(w, 2, !xg_proto_put_axes_of(w, 1, x, &names));
                xg_proto_end(w, at);
            }
            continue;
        }
        for (k = 0; k < XG_COUNT(words) && !xg_lex_is(x, words[k]); k++) {}
        xg_lex_next(x);
        if (k == XG_COUNT(words) || x->kind != '=') continue;
        has[k] = true;
        found[k] = *x;
        xg_lex_next(x);
        while (x->kind == XG_TOK_WORD) xg_lex_next(x);
        xg_lex_balanced(x);
    }
    for (k = 0; k < XG_COUNT(words); k++) {
        if (!has[k]) continue;
        if (k == 2) {
            xg_proto_put_metadata_list(w, 6, &found[k]);
            continue;
        }
        xg_lex_next(&found[k]);
        if (found[k].kind == XG_TOK_WORD) {
            for (reduction = 0; reduction < 2 && !xg_lex_is(&found[k], reductions[reduction]); reduction++) {}
            xg_lex_next(&found[k]);
        }
        xg_proto_put_axes_of(w, 4 + k, &found[k], &names);
    }
    xg_proto_put_int(w, 8, reduction);
    xg_proto_end(w, named);
}
XG_FN int64_t xg_proto_sharding_number(const xg_lex *x) {
    int64_t k;
    for (k = 0; k < XG_PROTO_SHARDING_KINDS; k++)
        if (xg_proto_sharding_words[k] && xg_lex_is(x, xg_proto_sharding_words[k])) return k;
    return XG_PROTO_SHARDING_OTHER;
}
/* What an OpSharding says beside a mesh. */
typedef struct xg_proto_tiling {
    int64_t kind, group, group_like;
    xg_ints tile, devices, last;
    xg_lex iota, metadata;
    bool has_iota, replicate_last, has_group, has_metadata;
} xg_proto_tiling;
XG_FN xg_ints xg_proto_scan_devices(xg_proto_writer *w, xg_lex *x) {
    xg_int_vec list = {NULL, 0, 0};
    xg_ints v;
    do {
        int64_t one = xg_lex_int(x, "a device");
        xg_push(w->arena, int64_t, &list, one);
    } while (xg_lex_take(x, ','));
    v.p = list.p;
    v.n = list.n;
    return v;
}
XG_FN void xg_proto_scan_last(xg_proto_writer *w, xg_lex *x, xg_proto_tiling *t) {
    xg_int_vec list = {NULL, 0, 0};
    xg_lex_expect(x, '=', "'='");
    xg_lex_expect(x, '{', "'{'");
    while (!xg_lex_take(x, '}')) {
        int64_t kind = xg_proto_sharding_number(x);
        if (xg_lex_take(x, ',')) continue;
        xg_push(w->arena, int64_t, &list, kind);
        xg_lex_next(x);
    }
    t->last.p = list.p;
    t->last.n = list.n;
}
XG_FN void xg_proto_scan_tiling(xg_proto_writer *w, xg_lex *x, xg_proto_tiling *t) {
    memset(t, 0, sizeof *t);
    while (x->kind == XG_TOK_WORD) {
        if (xg_proto_scan_word(x, "devices")) {
            t->kind = XG_PROTO_SHARDING_OTHER;
            xg_lex_expect(x, '=', "'='");
            t->tile = xg_proto_scan_ints(w, x, '[', ']', 0);
            t->has_iota = xg_lex_take(x, XG_TOK_LE);
            t->iota = *x;
            if (!t->has_iota)
                t->devices = xg_proto_scan_devices(w, x);
            else {
                xg_lex_balanced(x);
                if (xg_proto_scan_word(x, "T")) xg_lex_balanced(x);
            }
        } else if (xg_proto_scan_word(x, "device")) {
            xg_lex_expect(x, '=', "'='");
            t->devices = xg_proto_scan_devices(w, x);
        } else if (xg_proto_scan_word(x, "last_tile_dim_replicate"))
            t->replicate_last = true;
        else if (xg_proto_scan_word(x, "last_tile_dims"))
            xg_proto_scan_last(w, x, t);
        else if (xg_lex_is(x, "shard_as") || xg_lex_is(x, "shard_like")) {
            t->has_group = true;
            t->group_like = xg_lex_is(x, "shard_like");
            xg_lex_next(x);
            t->group = xg_lex_int(x, "a group");
        } else if (xg_proto_scan_word(x, "metadata")) {
            t->has_metadata = true;
            t->metadata = *x;
            xg_lex_next(x);
            xg_lex_balanced(x);
        } else {
            t->kind = xg_proto_sharding_number(x);
            xg_lex_next(x);
        }
    }
}
XG_APART XG_FN void xg_proto_put_tiling_of(xg_proto_writer *w, const xg_proto_tiling *t) {
    xg_lex x = t->iota;
    xg_proto_put_int(w, 1, t->kind);
    xg_proto_put_ints(w, 3, t->tile);
    xg_proto_put_ints(w, 4, t->devices);
    xg_proto_put_int(w, 6, t->replicate_last);
    if (t->has_metadata) {
        xg_lex metadata = t->metadata;
        xg_proto_put_metadata_list(w, 7, &metadata);
    }
    xg_proto_put_ints(w, 8, t->last);
    if (t->has_iota) xg_proto_put_iota_of(w, &x, 9, 10);
    xg_proto_put_int(w, 11, t->has_group);
    xg_proto_put_int(w, 12, t->group);
    xg_proto_put_int(w, 13, t->group_like);
}
/* The fields of an OpSharding; the scanner stands at its '{'. */
XG_FN void xg_proto_put_sharding_of(xg_proto_writer *w, xg_lex *x) {
    xg_lex_expect(x, '{', "'{'");
    if (x->kind == '{' || x->kind == '}') {
        xg_proto_put_int(w, 1, XG_PROTO_SHARDING_TUPLE);
        while (x->kind == '{') {
            size_t at = xg_proto_begin(w, 5);
            xg_proto_put_sharding_of(w, x);
            xg_proto_end(w, at);
            xg_lex_take(x, ',');
        }
    } else if (xg_proto_scan_word(x, "mesh"))
        xg_proto_put_named_of(w, x);
    else if (xg_lex_is(x, "maximal_mesh"))
        xg_fail(w->ctx, XLAGPU_ERROR_UNSUPPORTED,
            "error: HLO protobuf: a sharding on a mesh of one device cannot be written: write {maximal device=n}");
    else {
        xg_proto_tiling t;
        xg_proto_scan_tiling(w, x, &t);
        xg_proto_put_tiling_of(w, &t);
    }
    xg_lex_expect(x, '}', "'}'");
}

/* ---- stack frames ---- */

/* The tables of proto_module.c, back from their text. */
XG_APART XG_FN void xg_proto_put_stack(xg_proto_writer *w, xg_str text) {
    size_t stack = xg_proto_begin(w, XG_MODULE_STACK), at;
    xg_lex x = xg_proto_scan(w, text);
    uint32_t table, k, row;
    for (table = 0; table < XG_COUNT(xg_proto_tables); table++) {
        if (!xg_proto_scan_word(&x, xg_proto_tables[table].title)) continue;
        while (x.kind == XG_TOK_NUMBER) {
            int64_t values[XG_COUNT(xg_proto_tables[0].columns) + 1]; /* the last: of names that the format lacks */
            memset(values, 0, sizeof values);
            xg_lex_next(&x);
            if (!xg_proto_tables[table].n) {
                xg_proto_put_bytes(w, xg_proto_tables[table].number, xg_lex_string(&x, w->arena, "a name"));
                continue;
            }
            xg_lex_expect(&x, '{', "'{'");
            while (!xg_lex_take(&x, '}')) {
                for (k = 0; k < xg_proto_tables[table].n; k++)
                    if (xg_lex_is(&x, xg_proto_tables[table].columns[k].name)) break;
                xg_lex_next(&x);
                xg_lex_expect(&x, '=', "'='");
                values[k < xg_proto_tables[table].n ? k : XG_COUNT(values) - 1] = xg_lex_int(&x, "a number");
            }
            at = xg_proto_begin(w, xg_proto_tables[table].number);
            for (row = 1; row <= xg_proto_tables[table].n; row++)
                for (k = 0; k < xg_proto_tables[table].n; k++)
                    if (xg_proto_tables[table].columns[k].number == row && values[k])
                        xg_proto_put_int(w, row, values[k] - xg_proto_tables[table].columns[k].add);
            xg_proto_end(w, at);
        }
    }
    xg_proto_end(w, stack);
}

#endif /* XG_IMPORT_PROTO_WRITE_TEXT_C */
