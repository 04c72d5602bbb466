/* import/lower_sharding.c -- shardings: mhlo.sharding is HLO's text already; sdy names the axes of a mesh.
 *
 * #sdy.sharding<@mesh, [{"a"}, {}]> of a mesh a=2, b=4 divides dimension 0 in two and repeats each part on four
 * devices: devices=[2,1,4]<=[8] last_tile_dim_replicate. Devices are numbered along the mesh; the axes that divide
 * dimensions come first, in their order, then those that repeat. */
#ifndef XG_IMPORT_LOWER_SHARDING_C
#define XG_IMPORT_LOWER_SHARDING_C
#include "lower.h"
#include "ir.c"

typedef struct xg_low_mesh {
    xg_str names[XG_MESH_AXES_MAX];
    int64_t sizes[XG_MESH_AXES_MAX];
    uint32_t n;
} xg_low_mesh;

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
XG_FN void xg_low_mesh_read(xg_low *w, xg_str t, xg_low_mesh *mesh) {
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
XG_FN void xg_low_mesh_find(xg_low *w, xg_str t, uint32_t *at, xg_low_mesh *mesh) { /* behind '@' */
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
    xg_low_mesh_read(w, a->text, mesh);
}
typedef struct xg_shard {
    int64_t tiles[XG_RANK_MAX];
    uint32_t order[XG_MESH_AXES_MAX], n_used, n_dims; /* axes in the order of their use */
    bool used[XG_MESH_AXES_MAX];
} xg_shard;
XG_FN void xg_shard_axis(xg_low *w, xg_str t, const xg_low_mesh *mesh, xg_str name, xg_shard *s) {
    uint32_t k = 0;
    while (k < mesh->n && !xg_str_eq(mesh->names[k], name)) k++;
    if (k == mesh->n || s->used[k]) xg_shard_refuse(w, t, "names an axis that the mesh has not, or twice");
    s->used[k] = true;
    s->order[s->n_used++] = k;
    s->tiles[s->n_dims - 1] *= mesh->sizes[k];
}
XG_FN void xg_shard_read(xg_low *w, xg_str t, uint32_t at, const xg_low_mesh *mesh, xg_shard *s) { /* [{"a"}, {}] */
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
XG_FN void xg_shard_print(const xg_low_mesh *mesh, xg_shard *s, xg_buf *b) {
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
    xg_low_mesh mesh;
    xg_shard s;
    uint32_t at = 0;
    while (at < t.n && t.p[at] != '@') at++;
    if (at == t.n) xg_shard_refuse(w, t, "names no mesh");
    at++;
    xg_low_mesh_find(w, t, &at, &mesh);
    while (at < t.n && t.p[at] != '[') at++;
    xg_shard_read(w, t, at, &mesh, &s);
    xg_shard_print(&mesh, &s, b);
}
/* Of a dictionary of attributes. On one partition a sharding has no meaning and is dropped. */
XG_FN bool xg_low_sharding(xg_low *w, const xg_ir_attr *dict, xg_buf *out) {
    const xg_ir_attr *a = xg_ir_dict_get(dict, "mhlo.sharding");
    if (a && a->kind == XG_IR_STRING && a->text.n) {
        xg_put_str(out, a->text);
        return true;
    }
    a = xg_ir_dict_get(dict, "sdy.sharding");
    if (!a || w->m->num_partitions == 1) return false;
    xg_shard_convert(w, a->text, out);
    return true;
}

/* ---- what XLA writes of Shardy into HLO: custom calls and frontend attributes that say it in sdy's words ---- */

XG_FN xg_str xg_shard_joined(xg_low *w, const char *front, xg_str text, const char *back) {
    xg_buf b;
    xg_buf_init(&b, w->arena);
    xg_printf(&b, "%s%.*s%s", front, (int)text.n, text.p, back);
    return xg_str_of(b.p, b.n);
}
/* {key="value",key="value"}; an empty key: there is no second one */
XG_FN void xg_shard_frontend(xg_low *w, xg_inst *i, const char *key, xg_str value, const char *other, xg_str second) {
    xg_buf b;
    xg_buf_init(&b, w->arena);
    xg_printf(&b, "{%s=", key);
    xg_put_quoted(&b, value);
    if (other) {
        xg_printf(&b, ",%s=", other);
        xg_put_quoted(&b, second);
    }
    xg_puts(&b, "}");
    xg_low_set_text(w, i, XG_A_frontend_attributes, xg_str_of(b.p, b.n));
}
/* Behind the '<' of #sdy.sharding<@mesh, ..>, with it: what stands in a list of shardings. */
XG_FN xg_str xg_shard_value(xg_str t) {
    uint32_t k = 0;
    while (k < t.n && t.p[k] != '<') k++;
    return xg_str_of(t.p + k, t.n - k);
}
XG_FN xg_inst *xg_shard_custom(xg_low *w, const char *target, const xg_shape *s, xg_inst *const *in, uint32_t n) {
    xg_inst *i = xg_low_new(w, XG_CUSTOM_CALL, s, in, n);
    xg_inst_set_text(i, XG_A_custom_call_target, target);
    return i;
}
XG_FN xg_str xg_low_sdy_text(xg_low *w, const xg_ir_attr *dict) { /* empty: none, or one partition */
    const xg_ir_attr *a = xg_ir_dict_get(dict, "sdy.sharding");
    return a && w->m->num_partitions > 1 ? a->text : XG_STR("");
}
XG_FN void xg_low_param_sdy(xg_low *w, const xg_ir_attr *dict, xg_inst *param) {
    xg_str t = xg_low_sdy_text(w, dict);
    if (t.n) xg_shard_frontend(w, param, "xla.sdy.sharding", t, NULL, t);
}
XG_FN xg_inst *xg_low_result_sdy(xg_low *w, const xg_ir_attr *dict, xg_inst *x) {
    xg_str t = xg_low_sdy_text(w, dict);
    xg_inst *i;
    if (!t.n) return x;
    i = xg_shard_custom(w, "xla.sdy.FuncResultSharding", x->shape, &x, 1);
    xg_low_set_int(i, XG_A_custom_call_has_side_effect, 1);
    t = xg_shard_joined(w, "#sdy.sharding_per_value<[", xg_shard_value(t), "]>");
    xg_shard_frontend(w, i, "xla.sdy.sharding", t, NULL, t);
    return i;
}
XG_APART XG_FN void xg_low_put_meshes(xg_low *w, const xg_ir_region *body) { /* into the module's header */
    const xg_ir_op *op;
    xg_header_attr *h;
    xg_buf b;
    xg_buf_init(&b, w->arena);
    if (w->m->num_partitions == 1) return;
    for (op = body->first; op; op = op->next) {
        xg_str name = xg_ir_word(op, "sym_name");
        const xg_ir_attr *mesh = xg_ir_find(op, "mesh");
        if (!xg_ir_is(op, "sdy.mesh") || !mesh) continue;
        xg_printf(&b, "%s%.*s = #sdy.mesh%.*s", b.n ? ", " : "{xla.sdy.meshes={", (int)name.n, name.p,
            (int)mesh->text.n, mesh->text.p);
    }
    if (!b.n) return;
    xg_puts(&b, "}}");
    h = XG_NEW(w->arena, xg_header_attr);
    h->name = XG_STR("frontend_attributes");
    h->text = xg_str_of(b.p, b.n);
    w->m->header = h;
    w->m->n_header = 1;
}
XG_FN xg_inst *xg_lower_sharding_constraint(xg_low *w, const xg_ir_op *op) {
    xg_inst *x = xg_low_array_0(w, op), *i;
    const xg_ir_attr *a = xg_ir_find(op, "sharding");
    xg_str t;
    xg_buf b;
    if (w->m->num_partitions == 1) return x;
    if (!a || !a->text.n) xg_ir_invalid(w->ir, op, "its sharding is missing");
    xg_buf_init(&b, w->arena);
    xg_shard_convert(w, a->text, &b);
    i = xg_shard_custom(w, "Sharding", x->shape, &x, 1);
    xg_low_set_text(w, i, XG_A_sharding, xg_str_of(b.p, b.n));
    t = xg_shard_joined(w, "#sdy.sharding_per_value<[", xg_shard_value(a->text), "]>");
    xg_shard_frontend(w, i, "xla.sdy.sharding", t, NULL, t);
    return i;
}
XG_FN const xg_shape *xg_shard_shapes(xg_low *w, xg_ir_value *const *args, uint32_t n) {
    const xg_shape **all = XG_NEW_N(w->arena, const xg_shape *, n + (size_t)1);
    uint32_t k;
    for (k = 0; k < n; k++) all[k] = xg_low_type(w, args[k]->type);
    return n == 1 ? all[0] : xg_shape_tuple(w->m, all, n);
}
/* An attribute with its dialect in front: the pretty form leaves it out, the generic form and bytecode do not. In a
 * list of shardings none of them repeats it. */
XG_FN xg_str xg_shard_whole(xg_low *w, const char *front, xg_str t) {
    static const char repeated[] = "#sdy.sharding<";
    const uint32_t n = (uint32_t)sizeof repeated - 1;
    xg_buf b;
    uint32_t k;
    if (!t.n || t.p[0] != '#') return xg_shard_joined(w, front, t, ">");
    xg_buf_init(&b, w->arena);
    for (k = 0; k < t.n; k++) {
        if (t.n - k > n && memcmp(t.p + k, repeated, n) == 0) k += n - 1;
        xg_putc(&b, t.p[k]);
    }
    return xg_str_of(b.p, b.n);
}
XG_FN void xg_shard_border(xg_low *w, const xg_ir_op *op, xg_inst *i, bool enters) {
    const xg_ir_attr *axes = xg_ir_find(op, "manual_axes"),
                     *list = xg_ir_find(op, enters ? "in_shardings" : "out_shardings");
    xg_str manual, t;
    if (!axes || !list) xg_ir_invalid(w->ir, op, "its shardings or axes are missing");
    manual = xg_shard_whole(w, "#sdy<manual_axes", axes->text);
    t = xg_shard_whole(w, "#sdy.sharding_per_value<", list->text);
    xg_low_set_int(i, XG_A_custom_call_has_side_effect, 1);
    if (enters)
        xg_shard_frontend(w, i, "xla.sdy.in_shardings", t, "xla.sdy.manual_axes", manual);
    else
        xg_shard_frontend(w, i, "xla.sdy.manual_axes", manual, "xla.sdy.out_shardings", t);
}
/* The body is a computation of local arrays between two calls that say how the whole ones are divided. On one device
 * local arrays are the whole ones. */
XG_FN xg_inst *xg_lower_manual_computation(xg_low *w, const xg_ir_op *op) {
    const xg_ir_region *r = xg_low_region_at(w, op, 0);
    xg_inst **in = xg_low_stored_ins(w, op), *i;
    xg_comp *c;
    uint32_t n = op->n_operands, k;
    if (r->n_args != n || !n) xg_ir_invalid(w->ir, op, "its body must have an argument for each operand");
    c = xg_low_region(w, r);
    if (w->m->num_partitions == 1) return xg_low_call(w, c, in, n);
    i = xg_shard_custom(w, "xla.sdy.GlobalToLocalShape", xg_shard_shapes(w, r->args, n), in, n);
    xg_shard_border(w, op, i, true);
    for (k = 0; k < n; k++) in[k] = n == 1 ? i : xg_hb_element(&w->b, i, k);
    i = xg_low_call(w, c, in, n);
    xg_low_set_text(w, i, XG_A_frontend_attributes, XG_STR("{inlineable=\"false\"}"));
    n = op->n_results;
    if (n != 1 && (i->shape->type != XLAGPU_TUPLE || i->shape->n_elems != n))
        xg_ir_invalid(w->ir, op, "its body returns another number of values");
    in = XG_NEW_N(w->arena, xg_inst *, n + (size_t)1);
    for (k = 0; k < n; k++) in[k] = n == 1 ? i : xg_hb_element(&w->b, i, k);
    i = xg_shard_custom(w, "xla.sdy.LocalToGlobalShape", xg_low_results(w, op), in, n);
    xg_shard_border(w, op, i, false);
    return i;
}

/* ---- replica groups by axes of a mesh ---- */

/* Devices are numbered along the mesh, so an axis, or a part of one, steps by a distance. */
typedef struct xg_low_step {
    int64_t size, distance;
} xg_low_step;
XG_NORETURN XG_FN void xg_low_mesh_refuse(xg_low *w, const xg_ir_op *op, const char *why) {
    xg_ir_refuse(w->ir, op, XLAGPU_ERROR_UNSUPPORTED, "write them as dense<[[0, 1], ..]>",
        "its groups are axes of a mesh: %s", why);
}
/* By its name, or as it stands in the attribute. */
XG_FN void xg_low_groups_mesh(xg_low *w, const xg_ir_op *op, const xg_ir_attr *groups, xg_low_mesh *mesh) {
    const xg_ir_attr *m = xg_ir_dict_get(groups, "mesh"), *axes = xg_ir_dict_get(m, "axes");
    uint32_t k, at = 0;
    mesh->n = 0;
    if (!m) xg_low_mesh_refuse(w, op, "the mesh is missing");
    if (m->kind == XG_IR_SYMBOL || m->kind == XG_IR_STRING) {
        xg_low_mesh_find(w, m->text, &at, mesh);
        return;
    }
    if (!axes || axes->kind != XG_IR_LIST || xg_ir_dict_get(m, "device_ids") || axes->n > XG_MESH_AXES_MAX)
        xg_low_mesh_refuse(w, op, "the mesh lists its devices, or has no axes");
    for (k = 0; k < axes->n; k++) {
        const xg_ir_attr *name = xg_ir_dict_get(axes->v.items[k], "name");
        const xg_ir_attr *size = xg_ir_dict_get(axes->v.items[k], "size");
        if (!name || !size || size->kind != XG_IR_INT || size->i < 1)
            xg_low_mesh_refuse(w, op, "an axis without its name or size");
        mesh->names[mesh->n] = name->text;
        mesh->sizes[mesh->n++] = size->i;
    }
}
/* An axis, or its part (pre)size, which has pre * size * what is left of it. */
XG_FN xg_low_step xg_low_mesh_step(xg_low *w, const xg_ir_op *op, const xg_low_mesh *mesh, const xg_ir_attr *axis) {
    const xg_ir_attr *name = xg_ir_dict_get(axis, "name"), *part = xg_ir_dict_get(axis, "sub_axis_info");
    const xg_ir_attr *pre = xg_ir_dict_get(part, "pre_size"), *size = xg_ir_dict_get(part, "size");
    xg_low_step s;
    uint32_t k = 0, j;
    while (name && k < mesh->n && !xg_str_eq(mesh->names[k], name->text)) k++;
    if (!name || k == mesh->n) xg_low_mesh_refuse(w, op, "it names an axis that the mesh has not");
    s.size = mesh->sizes[k];
    s.distance = 1;
    for (j = k + 1; j < mesh->n; j++) s.distance *= mesh->sizes[j];
    if (!part) return s;
    if (!pre || !size || pre->kind != XG_IR_INT || size->kind != XG_IR_INT || pre->i < 1 || size->i < 1 ||
        pre->i > s.size || size->i > s.size || s.size % (pre->i * size->i))
        xg_low_mesh_refuse(w, op, "a part does not divide its axis");
    s.distance *= s.size / (pre->i * size->i);
    s.size = size->i;
    return s;
}
XG_FN void xg_low_put_group(
    const xg_low_step *steps, uint32_t n, int64_t device, bool *first, xg_buf *b) { /* the first axis outermost */
    int64_t k;
    if (!n) {
        if (!*first) xg_putc(b, ',');
        *first = false;
        xg_put_i64(b, device);
        return;
    }
    for (k = 0; k < steps->size; k++) xg_low_put_group(steps + 1, n - 1, device + k * steps->distance, first, b);
}
XG_FN void xg_low_mesh_groups(xg_low *w, const xg_ir_op *op, const xg_ir_attr *groups, xg_buf *b) {
    enum {
        DEVICES_MAX = 1 << 20
    };
    const xg_ir_attr *axes = xg_ir_dict_get(groups, "axes");
    xg_low_mesh mesh;
    xg_low_step steps[XG_MESH_AXES_MAX];
    int64_t total = 1, size = 1, device, n_groups = 0;
    uint32_t k, n = axes->kind == XG_IR_LIST ? axes->n : 0;
    bool first;
    xg_low_groups_mesh(w, op, groups, &mesh);
    for (k = 0; k < mesh.n; k++)
        if (mesh.sizes[k] > DEVICES_MAX || (total *= mesh.sizes[k]) > DEVICES_MAX)
            xg_low_mesh_refuse(w, op, "the mesh has more than 2^20 devices");
    if (n > XG_MESH_AXES_MAX) xg_low_mesh_refuse(w, op, "more axes than a mesh may have");
    for (k = 0; k < n; k++) {
        steps[k] = xg_low_mesh_step(w, op, &mesh, axes->v.items[k]);
        if ((size *= steps[k].size) > total) xg_low_mesh_refuse(w, op, "an axis is there twice");
    }
    xg_putc(b, '{');
    for (device = 0; device < total; device++) {
        for (k = 0; k < n && device / steps[k].distance % steps[k].size == 0; k++) {}
        if (k < n) continue;
        xg_puts(b, n_groups++ ? ",{" : "{");
        first = true;
        xg_low_put_group(steps, n, device, &first, b);
        xg_putc(b, '}');
    }
    xg_putc(b, '}');
    if (n_groups * size != total) xg_low_mesh_refuse(w, op, "an axis is there twice");
}

#endif /* XG_IMPORT_LOWER_SHARDING_C */
