/* import/lower_sharding.c -- shardings: mhlo.sharding is HLO's text already; sdy names the axes of a mesh.
 *
 * #sdy.sharding<@mesh, [{"a"}, {}]> of a mesh a=2, b=4 divides dimension 0 in two and repeats each part on four
 * devices: devices=[2,1,4]<=[8] last_tile_dim_replicate. Devices are numbered along the mesh; the axes that divide
 * dimensions come first, in their order, then those that repeat. */
#ifndef XG_IMPORT_LOWER_SHARDING_C
#define XG_IMPORT_LOWER_SHARDING_C
#include "lower.h"
#include "ir.c"

typedef struct xg_sdy_mesh {
    xg_str names[XG_MESH_AXES_MAX];
    int64_t sizes[XG_MESH_AXES_MAX];
    uint32_t n;
} xg_sdy_mesh;

XG_NORETURN XG_FN void xg_shard_refuse(xg_low *w, xg_str text, const char *why) {
    xg_ir_refuse(
        w->ir, w->op, XLAGPU_ERROR_UNSUPPORTED, NULL, "the sharding %.*s %s", (int)XG_MIN(text.n, 200u), text.p, why);
}
XG_FN bool xg_shard_quoted(xg_str t, uint32_t *at, xg_str *name) { /* the next quoted name, in front of `stop` */
    uint32_t from;
    if (*at >= t.n || t.p[*at] != '"') return false;
    from = ++*at;
    while (*at < t.n && t.p[*at] != '"') ++*at;
    *name = xg_str_of(t.p + from, *at - from);
    if (*at < t.n) ++*at;
    return true;
}
/* <["data"=2, "model"=4]> */
XG_FN void xg_sdy_mesh_read(xg_low *w, xg_str t, xg_sdy_mesh *mesh) {
    uint32_t at;
    mesh->n = 0;
    for (at = 0; at < t.n; at++) {
        int64_t size = 0;
        xg_str name;
        if (t.p[at] == 'd') xg_shard_refuse(w, t, "lists its devices, which is not read");
        if (!xg_shard_quoted(t, &at, &name)) continue;
        while (at < t.n && (t.p[at] == '=' || t.p[at] == ' ')) at++;
        for (; at < t.n && xg_is_digit(t.p[at]); at++)
            if (size < (int64_t)1 << 40) size = size * 10 + (t.p[at] - '0');
        if (mesh->n == XG_MESH_AXES_MAX || size < 1) xg_shard_refuse(w, t, "is not a mesh that is read");
        mesh->names[mesh->n] = name;
        mesh->sizes[mesh->n++] = size;
    }
}
XG_FN void xg_sdy_mesh_find(xg_low *w, xg_str t, uint32_t *at, xg_sdy_mesh *mesh) { /* behind '@' */
    uint32_t from = *at;
    const xg_ir_op *op;
    const xg_ir_attr *a;
    xg_str name;
    if (from < t.n && t.p[from] == '"')
        (void)xg_shard_quoted(t, at, &name);
    else {
        while (*at < t.n && t.p[*at] != ',' && t.p[*at] != '>' && t.p[*at] != ' ') ++*at;
        name = xg_str_of(t.p + from, *at - from);
    }
    op = (const xg_ir_op *)xg_dict_get(&w->meshes, name);
    a = op ? xg_ir_find(op, "mesh") : NULL;
    if (!a) xg_shard_refuse(w, t, "names a mesh that is not defined");
    xg_sdy_mesh_read(w, a->text, mesh);
}
typedef struct xg_shard {
    int64_t tiles[XG_RANK_MAX];
    uint32_t order[XG_MESH_AXES_MAX], n_used, n_dims; /* axes in the order of their use */
    bool used[XG_MESH_AXES_MAX];
} xg_shard;
XG_FN void xg_shard_axis(xg_low *w, xg_str t, const xg_sdy_mesh *mesh, xg_str name, xg_shard *s) {
    uint32_t k = 0;
    while (k < mesh->n && !xg_str_eq(mesh->names[k], name)) k++;
    if (k == mesh->n || s->used[k]) xg_shard_refuse(w, t, "names an axis that the mesh has not, or twice");
    s->used[k] = true;
    s->order[s->n_used++] = k;
    s->tiles[s->n_dims - 1] *= mesh->sizes[k];
}
XG_FN void xg_shard_read(xg_low *w, xg_str t, uint32_t at, const xg_sdy_mesh *mesh, xg_shard *s) { /* [{"a"}, {}] */
    xg_str name;
    memset(s, 0, sizeof *s);
    for (; at < t.n && t.p[at] != ']'; at++) {
        if (t.p[at] == '{') {
            if (s->n_dims == XG_RANK_MAX) xg_shard_refuse(w, t, "has too many dimensions");
            s->tiles[s->n_dims++] = 1;
        }
        if (t.p[at] == '(') xg_shard_refuse(w, t, "divides an axis, which is not read");
        while (s->n_dims && xg_shard_quoted(t, &at, &name)) xg_shard_axis(w, t, mesh, name, s);
        if (at >= t.n) break;
        if (t.p[at] == '(') xg_shard_refuse(w, t, "divides an axis, which is not read");
    }
}
XG_FN void xg_shard_print(const xg_sdy_mesh *mesh, xg_shard *s, xg_buf *b) {
    int64_t total = 1, repeated = 1;
    uint32_t k, n = s->n_used;
    bool in_order = true;
    for (k = 0; k < mesh->n; k++) {
        total *= mesh->sizes[k];
        if (s->used[k]) continue;
        repeated *= mesh->sizes[k];
        s->order[n++] = k;
    }
    if (repeated == total) {
        xg_puts(b, "{replicated}");
        return;
    }
    xg_puts(b, "{devices=[");
    for (k = 0; k < s->n_dims; k++) xg_printf(b, "%s%lld", k ? "," : "", (long long)s->tiles[k]);
    if (repeated > 1) xg_printf(b, ",%lld", (long long)repeated);
    for (k = 0; k < n; k++) in_order = in_order && s->order[k] == k;
    xg_puts(b, "]<=[");
    if (in_order)
        xg_printf(b, "%lld]", (long long)total);
    else {
        for (k = 0; k < n; k++) xg_printf(b, "%s%lld", k ? "," : "", (long long)mesh->sizes[k]);
        xg_puts(b, "]T(");
        for (k = 0; k < n; k++) xg_printf(b, "%s%u", k ? "," : "", s->order[k]);
        xg_puts(b, ")");
    }
    xg_puts(b, repeated > 1 ? " last_tile_dim_replicate}" : "}");
}
/* The text of sdy's attribute as HLO's. */
XG_FN void xg_shard_convert(xg_low *w, xg_str t, xg_buf *b) {
    xg_sdy_mesh mesh;
    xg_shard s;
    uint32_t at = 0;
    while (at < t.n && t.p[at] != '@') at++;
    if (at == t.n) xg_shard_refuse(w, t, "names no mesh");
    at++;
    xg_sdy_mesh_find(w, t, &at, &mesh);
    while (at < t.n && t.p[at] != '[') at++;
    xg_shard_read(w, t, at, &mesh, &s);
    xg_shard_print(&mesh, &s, b);
}
/* Of a dictionary of attributes. On one partition a sharding has no meaning and is dropped. */
XG_FN bool xg_low_sharding(xg_low *w, const xg_ir_attr *dict, uint32_t rank, xg_buf *out) {
    const xg_ir_attr *a = xg_ir_dict_get(dict, "mhlo.sharding");
    (void)rank;
    if (a && a->kind == XG_IR_STRING && a->text.n) {
        xg_put_str(out, a->text);
        return true;
    }
    a = xg_ir_dict_get(dict, "sdy.sharding");
    if (!a || w->m->num_partitions == 1) return false;
    xg_shard_convert(w, a->text, out);
    return true;
}
XG_FN xg_inst *xg_lower_sharding_constraint(xg_low *w, const xg_ir_op *op) {
    xg_inst *x = xg_low_array(w, op, 0), *i;
    const xg_ir_attr *a = xg_ir_find(op, "sharding");
    xg_buf b;
    if (w->m->num_partitions == 1) return x;
    if (!a || !a->text.n) xg_ir_refuse(w->ir, op, XLAGPU_ERROR_INVALID, NULL, "its sharding is missing");
    xg_buf_init(&b, w->arena);
    xg_shard_convert(w, a->text, &b);
    i = xg_low_new(w, XG_CUSTOM_CALL, x->shape, &x, 1);
    xg_low_set_word(w, i, XG_A_custom_call_target, "Sharding");
    xg_low_set_text(w, i, XG_A_sharding, xg_str_of(b.p, b.n));
    return i;
}
/* On one device the body's shapes are the whole ones, and it runs as it stands. */
XG_FN xg_inst *xg_lower_manual_computation(xg_low *w, const xg_ir_op *op) {
    const xg_ir_region *r = xg_low_region_at(w, op, 0);
    xg_comp *c;
    if (w->m->num_partitions != 1)
        xg_ir_refuse(w->ir, op, XLAGPU_ERROR_UNSUPPORTED, "lower it with jax_use_shardy_partitioner off",
            "a part of the program that is written for each of several devices");
    if (r->n_args != op->n_operands)
        xg_ir_refuse(w->ir, op, XLAGPU_ERROR_INVALID, NULL, "its body must have an argument for each operand");
    c = xg_low_region(w, r);
    return xg_low_call(w, c, xg_low_stored_ins(w, op), op->n_operands);
}

#endif /* XG_IMPORT_LOWER_SHARDING_C */
