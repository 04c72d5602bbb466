/* spmd/import.c -- what JAX writes of Shardy into HLO, in the words of GSPMD.
 *
 *   frontend_attributes xla.sdy.sharding      the instruction's sharding, with its open dimensions
 *   xla.sdy.FuncResultSharding                Sharding
 *   xla.sdy.GlobalToLocalShape (many arrays)  copies with the shardings outside, then SPMDFullToShardShape of each
 *   xla.sdy.LocalToGlobalShape                SPMDShardToFullShape of each
 *   xla.sdy.PropagationBarrier                its operand; xla.sdy.ShardingGroup: nothing
 * and what is left open by unspecified_dims of a Sharding. */
#ifndef XG_SPMD_IMPORT_C
#define XG_SPMD_IMPORT_C
#include "spmd.h"

/* The text behind `key` in a list of attributes; empty: it is not there. */
XG_FN xg_str xg_shardy_find(xg_str text, const char *key) {
    size_t n = strlen(key), k;
    for (k = 0; k + n <= text.n; k++)
        if (memcmp(text.p + k, key, n) == 0) return xg_str_of(text.p + k + n, text.n - k - n);
    return xg_str_of(NULL, 0);
}
XG_FN xg_str xg_shardy_meshes(const xg_module *m) {
    uint32_t k;
    for (k = 0; k < m->n_header; k++)
        if (xg_str_is(m->header[k].name, "frontend_attributes"))
            return xg_shardy_find(m->header[k].text, "xla.sdy.meshes=");
    return xg_str_of(NULL, 0);
}
XG_FN xg_shread xg_shardy_reader(xg_arena *a, const xg_inst *i, xg_str text) {
    xg_shread r;
    r.s = text;
    r.arena = a;
    r.inst = i;
    r.partitions = 0;
    return r;
}

/* The mesh with that name: `mesh = #sdy.mesh<["data"=2, "model"=4]>`. */
XG_FN bool xg_shardy_mesh(xg_arena *a, const xg_inst *i, xg_str name, xg_named_mesh *out) {
    xg_str meshes = xg_shardy_meshes(i->comp->module);
    xg_shread r = xg_shardy_reader(a, i, meshes);
    (void)xg_shread_take(&r, "{");
    while (r.s.n) {
        xg_str word;
        xg_shread_skip(&r);
        word.p = r.s.p;
        while (r.s.n && *r.s.p != ' ' && *r.s.p != '=' && *r.s.p != '}') r.s.p++, r.s.n--;
        word.n = (uint32_t)(r.s.p - word.p);
        if (!xg_shread_take(&r, "=") || !xg_shread_take(&r, "#sdy.mesh<[")) return false;
        xg_shread_mesh(&r, out, "]");
        if (xg_str_eq(word, name)) return true;
        while (r.s.n && *r.s.p != '>') r.s.p++, r.s.n--;
        (void)xg_shread_take(&r, ">");
        if (!xg_shread_take(&r, ",")) return false;
    }
    return false;
}
/* Whether results that are not annotated may have any sharding: Shardy's way, or what the module says. */
XG_FN bool xg_spmd_results_are_open(const xg_module *m) {
    uint32_t k;
    for (k = 0; k < m->n_header; k++)
        if (xg_str_is(m->header[k].name, "allow_spmd_sharding_propagation_to_output"))
            return xg_shardy_find(m->header[k].text, "true").n > 0;
    return xg_shardy_meshes(m).n > 0;
}
/* Of each leaf what is annotated; where nothing is, whole, and results open where the module leaves them so. */
XG_FN xg_sharding **xg_spmd_said(const xg_spmd_mesh *mesh, const xg_inst *i, bool result) {
    const xg_module *m = i->comp->module;
    xg_sharding **said = xg_sharding_of(m->work, mesh, i);
    const xg_shape **leaves = xg_shape_leaf_list(m->work, i->shape);
    int64_t k;
    if (said) return said;
    said = XG_NEW_N(m->work, xg_sharding *, (size_t)i->shape->leaves + 1);
    for (k = 0; k < i->shape->leaves; k++) {
        said[k] = xg_sharding_new(m->work, leaves[k]->rank);
        if (result && xg_spmd_results_are_open(m) && leaves[k]->rank)
            said[k]->open = ~(uint64_t)0 >> (64 - leaves[k]->rank);
    }
    return said;
}
/* Cuts of the first mesh that is named: its axes, so that they are axes of the module's. */
XG_FN void xg_shardy_cut(xg_module *m, xg_spmd_mesh *mesh) {
    xg_str at = xg_shardy_find(xg_shardy_meshes(m), "#sdy.mesh<[");
    xg_shread r = xg_shardy_reader(m->work, m->entry->root, at);
    xg_named_mesh named;
    int64_t cut = 1;
    uint32_t k;
    if (!at.n) return;
    xg_shread_mesh(&r, &named, "]");
    if (!mesh->devices) mesh->devices = named.devices;
    for (k = named.n; k-- > 0 && mesh->devices == named.devices;) xg_mesh_add_cut(mesh, cut *= named.size[k]);
}

XG_FN xg_spmd_mesh xg_mesh_of_module(xg_module *m) { return xg_mesh_of(m, NULL); }
XG_FN xg_spmd_mesh xg_mesh_of(xg_module *m, const xg_named_mesh *also) {
    xg_spmd_mesh mesh;
    xg_mark mark = xg_arena_mark(m->work);
    xg_comp *c;
    int64_t cut = 1;
    uint32_t k;
    xg_mesh_init(&mesh, m->num_partitions > 1 ? m->num_partitions : 0);
    for (c = m->first; c; c = c->next)
        XG_FOR_INSTS(i, c)
            if (xg_inst_attr(i, XG_A_sharding)) (void)xg_shread_inst(m->work, &mesh, i, true);
    xg_shardy_cut(m, &mesh);
    if (!mesh.devices) mesh.devices = 1;
    for (k = also ? also->n : 0; k-- > 0;) xg_mesh_add_cut(&mesh, cut *= also->size[k]);
    xg_mesh_finish(&mesh);
    xg_arena_reset(m->work, mark);
    return mesh;
}

/* "<@mesh, [{\"data\"}, {?}]>": NULL when it is not understood. */
XG_FN xg_sharding *xg_shardy_sharding(xg_shread *r, const xg_spmd_mesh *mesh, uint32_t rank, xg_named_mesh *named) {
    xg_tiling t;
    xg_str name;
    uint64_t open;
    xg_sharding *s;
    if (!xg_shread_take(r, "<@")) return NULL;
    name.p = r->s.p;
    while (r->s.n && *r->s.p != ',' && *r->s.p != '>') r->s.p++, r->s.n--;
    name.n = (uint32_t)(r->s.p - name.p);
    if (!xg_shardy_mesh(r->arena, r->inst, name, named) || named->devices != mesh->devices) return NULL;
    open = xg_shread_named(r, named, &t, rank);
    (void)xg_shread_take(r, ">");
    (void)xg_shread_take(r, ",");
    s = xg_sharding_of_tiling(r->arena, mesh, &t);
    s->open = open;
    return s;
}
/* Of a list of them, one for each shape. */
XG_FN xg_sharding **xg_shardy_shardings(
    xg_arena *a, const xg_spmd_mesh *mesh, const xg_inst *i, xg_str text, const xg_shape *const *shapes, int64_t n) {
    xg_shread r = xg_shardy_reader(a, i, text);
    xg_sharding **out = XG_NEW_N(a, xg_sharding *, n + 1);
    xg_named_mesh named;
    int64_t k;
    (void)(xg_shread_take(&r, "\"#sdy.sharding_per_value<[") || xg_shread_take(&r, "\"#sdy.sharding"));
    for (k = 0; k < n; k++) {
        out[k] = xg_shardy_sharding(&r, mesh, xg_shape_is_array(shapes[k]) ? shapes[k]->rank : 0, &named);
        if (!out[k]) return NULL;
    }
    return out;
}
/* The axes of "#sdy<manual_axes{\"data\"}>", of the mesh that the shardings name. */
XG_FN xg_axis_set xg_shardy_manual(xg_arena *a, const xg_spmd_mesh *mesh, const xg_inst *i, xg_str attrs) {
    xg_shread r = xg_shardy_reader(a, i, xg_shardy_find(attrs, "manual_axes="));
    xg_str at = xg_shardy_find(attrs, "<@");
    xg_named_mesh named;
    xg_tiling t;
    xg_str name = xg_str_of(at.p, 0);
    while (name.n < at.n && at.p[name.n] != ',' && at.p[name.n] != '>') name.n++;
    if (!xg_shardy_mesh(a, i, name, &named) || named.devices != mesh->devices)
        xg_hlo_wrong(i, "its manual axes are of no mesh of the module's devices");
    (void)xg_shread_take(&r, "\"#sdy<manual_axes");
    {
        xg_named_tiling n;
        memset(&n, 0, sizeof n);
        memset(&t, 0, sizeof t);
        n.mesh = &named;
        t.group[0] = 'm';
        t.tiles[0] = xg_named_axes(&r, &n, 0);
        t.n = 1;
        xg_named_finish(&r, &n, &t);
    }
    return xg_sharding_of_tiling(a, mesh, &t)->manual;
}

XG_FN void xg_spmd_annotate(xg_inst *i, const xg_spmd_mesh *mesh, xg_sharding *const *leaves, int64_t n) {
    xg_module *m = i->comp->module;
    bool tuple = i->shape->type == XLAGPU_TUPLE;
    xg_buf b;
    int64_t k;
    xg_buf_init(&b, m->arena);
    if (tuple) xg_putc(&b, '{');
    for (k = 0; k < n; k++) {
        if (k) xg_puts(&b, ", ");
        xg_sharding_print(&b, mesh, leaves[k], leaves[k]->open ? XG_SHARDING_NAMED : XG_SHARDING_IOTA);
    }
    if (tuple) xg_putc(&b, '}');
    xg_inst_set_str(i, XG_A_sharding, xg_str_of(b.p, b.n));
}

/* One array of a manual region's border. outside: its sharding there. */
XG_FN xg_inst *xg_shardy_border(const xg_hb *b, const xg_spmd_mesh *mesh, xg_inst *x, const xg_shape *shape,
    xg_sharding *outside, xg_axis_set manual, bool enters) {
    xg_module *m = b->comp->module;
    xg_sharding *inside = xg_sharding_new(m->work, outside->rank);
    xg_inst *i;
    uint32_t d, k;
    for (d = 0; d < outside->rank; d++) {
        xg_axes_list l = xg_sharding_axes_of(outside, d), kept;
        for (k = kept.n = 0; k < l.n; k++)
            if (!(manual >> l.p[k] & 1)) kept.p[kept.n++] = l.p[k];
        xg_sharding_set_axes(inside, d, &kept);
    }
    inside->manual = manual;
    x = xg_hb_1(b, XG_COPY, x);
    if (enters) xg_spmd_annotate(x, mesh, &outside, 1);
    i = xg_hb_of(b, XG_CUSTOM_CALL, shape, x);
    xg_inst_set_text(i, XG_A_custom_call_target, enters ? "SPMDFullToShardShape" : "SPMDShardToFullShape");
    xg_spmd_annotate(i, mesh, enters ? &inside : &outside, 1);
    return i;
}
XG_APART XG_FN xg_inst *xg_shardy_borders(const xg_hb *b, const xg_spmd_mesh *mesh, xg_inst *i, bool enters) {
    xg_arena *a = b->comp->module->work;
    xg_str attrs = xg_attr_str(i, XG_A_frontend_attributes);
    bool tuple = i->shape->type == XLAGPU_TUPLE;
    const xg_shape **shapes = XG_NEW_N(a, const xg_shape *, (size_t)i->n_operands + 1);
    xg_inst **out = XG_NEW_N(a, xg_inst *, (size_t)i->n_operands + 1);
    xg_axis_set manual = xg_shardy_manual(a, mesh, i, attrs);
    xg_sharding **outside;
    uint32_t k;
    for (k = 0; k < i->n_operands; k++)
        shapes[k] = enters ? XG_OPERAND(i, k)->shape : tuple ? i->shape->elems[k] : i->shape;
    outside = xg_shardy_shardings(
        a, mesh, i, xg_shardy_find(attrs, enters ? "in_shardings=" : "out_shardings="), shapes, i->n_operands);
    if (!outside) xg_hlo_wrong(i, "its shardings are not understood");
    for (k = 0; k < i->n_operands; k++) {
        const xg_shape *gives = tuple ? i->shape->elems[k] : i->shape;
        out[k] = xg_shardy_border(b, mesh, XG_OPERAND(i, k), gives, outside[k], manual, enters);
    }
    return tuple ? xg_hb_tuple(b, out, i->n_operands) : out[0];
}

/* Sharding says which dimensions it leaves open: "unspecified_dims=[1]". */
XG_FN void xg_spmd_import_open(xg_inst *i, const xg_spmd_mesh *mesh) {
    xg_arena *a = i->comp->module->work;
    xg_shread r = xg_shardy_reader(a, i, xg_shardy_find(xg_attr_str(i, XG_A_backend_config), "unspecified_dims=["));
    xg_sharding **s;
    xg_ints dims;
    uint32_t k;
    if (!r.s.n || i->shape->type == XLAGPU_TUPLE || (s = xg_sharding_of(a, mesh, i)) == NULL) return;
    dims = xg_shread_ints(&r);
    for (k = 0; k < dims.n; k++)
        if (dims.p[k] < s[0]->rank) s[0]->open |= (uint64_t)1 << dims.p[k];
    xg_spmd_annotate(i, mesh, s, 1);
}
XG_FN void xg_shardy_annotate(xg_inst *i, const xg_spmd_mesh *mesh) {
    xg_arena *a = i->comp->module->work;
    xg_str text = xg_shardy_find(xg_attr_str(i, XG_A_frontend_attributes), "xla.sdy.sharding=");
    const xg_shape **shapes = xg_shape_leaf_list(a, i->shape);
    xg_sharding **s;
    if (!text.n) return;
    s = xg_shardy_shardings(a, mesh, i, text, shapes, i->shape->leaves);
    if (s) xg_spmd_annotate(i, mesh, s, i->shape->leaves);
}

XG_APART XG_FN void xg_spmd_import_inst(xg_inst *i, const xg_spmd_mesh *mesh) {
    xg_str target = i->op == XG_CUSTOM_CALL ? xg_attr_str(i, XG_A_custom_call_target) : xg_str_of(NULL, 0);
    bool enters = xg_str_is(target, "xla.sdy.GlobalToLocalShape");
    xg_hb b = xg_hb_at(i);
    xg_shardy_annotate(i, mesh);
    if (xg_str_is(target, "xla.sdy.FuncResultSharding")) {
        xg_inst_set_text(i, XG_A_custom_call_target, "Sharding");
        xg_inst_remove_attr(i, XG_A_custom_call_has_side_effect);
    } else if (enters || xg_str_is(target, "xla.sdy.LocalToGlobalShape")) {
        xg_inst_replace(i, xg_shardy_borders(&b, mesh, i, enters));
        xg_inst_remove(i);
    } else if (xg_str_is(target, "xla.sdy.PropagationBarrier")) {
        xg_inst_replace(i, XG_OPERAND(i, 0));
        xg_inst_remove(i);
    } else if (xg_str_is(target, "xla.sdy.ShardingGroup")) {
        if (!i->first_use && i->comp->root != i) xg_inst_remove(i);
    } else if (xg_str_is(target, "Sharding") && !i->shape->rank && i->shape->type != XLAGPU_TUPLE) {
        xg_inst_replace(i, XG_OPERAND(i, 0)); /* reducers are plain again */
        xg_inst_remove(i);
    } else if (xg_str_is(target, "Sharding"))
        xg_spmd_import_open(i, mesh);
}

XG_FN void xg_spmd_import(xg_module *m, const xg_spmd_mesh *mesh) {
    xg_comp *c;
    xg_inst *i, *next;
    for (c = m->first; c; c = c->next)
        for (i = c->first; i; i = next) {
            next = i->next;
            xg_spmd_import_inst(i, mesh);
        }
}

/* Calls in place, and topk as an instruction; but the root keeps its annotation. */
XG_FN void xg_spmd_prepare(xg_module *m) {
    (void)xg_opt_call_inliner(m);
    if (m->entry->root->op != XG_CUSTOM_CALL) (void)xg_opt_topk_calls(m);
}

#endif /* XG_SPMD_IMPORT_C */
