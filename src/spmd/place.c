/* spmd/place.c -- on which devices a module runs and what each has of its arrays, where the caller says so beside the
 * text.
 *
 *     mesh       data=2,model=4     axes, major first, with their sizes; 2x4: axes x and y (then z, w)
 *     shardings  w1=-,model; out0=data
 *                by parameter's name, by leaf of all parameters (arg0) or results (out0): for each dimension the axes
 *                that split it, a+b with the major one first, - where none does; dimensions left out are whole
 *     batch      data               axes that split the batch wherever parameters and results have it (batch.c); a mesh
 *                                   where no other is given
 *
 * All of it becomes annotations of the entry's parameters and root, as if the text had them; what the text annotates
 * itself stays, but for the leaves that are named. */
#ifndef XG_SPMD_PLACE_C
#define XG_SPMD_PLACE_C
#include "spmd.h"

XG_NORETURN XG_FN void xg_place_fail(const xg_module *m, const char *what, xg_str text, const char *why) {
    xg_fail(m->ctx, XLAGPU_ERROR_USAGE, "%s '%.*s': %s", what, (int)XG_MIN(text.n, (size_t)80), text.p, why);
}
/* The next word up to the separator, without spaces around it; false at the end. */
XG_FN bool xg_place_word(xg_str *text, char separator, xg_str *word) {
    uint32_t n = 0;
    while (text->n && *text->p == ' ') text->p++, text->n--;
    if (!text->n) return false;
    while (n < text->n && text->p[n] != separator) n++;
    *word = xg_str_of(text->p, n);
    while (word->n && word->p[word->n - 1] == ' ') word->n--;
    n += n < text->n;
    text->p += n;
    text->n -= n;
    return true;
}
/* A count of decimal digits; 0: it is none, or above 2^22. */
XG_FN int64_t xg_place_count(xg_str s) {
    int64_t v = 0;
    size_t k;
    for (k = 0; k < s.n && s.p[k] >= '0' && s.p[k] <= '9' && v <= 1 << 22; k++) v = v * 10 + (s.p[k] - '0');
    return s.n && k == s.n && v <= 1 << 22 ? v : 0;
}

/* ---- the mesh ---- */

XG_FN void xg_place_axis(const xg_module *m, xg_named_mesh *mesh, xg_str text, xg_str name, xg_str size) {
    int64_t n = xg_place_count(size);
    uint32_t k;
    for (k = 0; k < mesh->n && !xg_str_eq(mesh->name[k], name); k++) {}
    if (k < mesh->n) xg_place_fail(m, "mesh", text, "two axes have one name");
    if (!n || !name.n)
        xg_place_fail(m, "mesh", text, "axes and their sizes are expected, such as data=2,model=4 or 2x4");
    if (mesh->n == XG_SPMD_AXES_MAX || !xg_mul64(mesh->devices, n, &mesh->devices) || mesh->devices > 1 << 22)
        xg_place_fail(m, "mesh", text, "it has too many devices");
    mesh->name[mesh->n] = name;
    mesh->size[mesh->n++] = n;
}
XG_FN xg_named_mesh xg_place_mesh(const xg_module *m, xg_str text) {
    static const char names[] = "xyzw";
    bool named = memchr(text.p, '=', text.n) != NULL;
    xg_named_mesh mesh;
    xg_str left = text, word;
    memset(&mesh, 0, sizeof mesh);
    mesh.devices = 1;
    while (xg_place_word(&left, named ? ',' : 'x', &word)) {
        const char *eq = named ? (const char *)memchr(word.p, '=', word.n) : NULL;
        size_t n = eq ? (size_t)(eq - word.p) : 0;
        if (named)
            xg_place_axis(m, &mesh, text, xg_str_of(word.p, n), xg_str_of(word.p + n + !!eq, word.n - n - !!eq));
        else
            xg_place_axis(m, &mesh, text, xg_str_of(&names[mesh.n], mesh.n < 4), word);
    }
    if (!mesh.n) xg_place_fail(m, "mesh", text, "axes and their sizes are expected, such as data=2,model=4 or 2x4");
    return mesh;
}

/* ---- shardings ---- */

/* data,-,a+b as [{'data'}, {}, {'a','b'}]. */
XG_FN xg_str xg_place_dims(xg_arena *a, xg_str dims) {
    xg_str dim, axis;
    xg_buf b;
    uint32_t n = 0, k;
    xg_buf_init(&b, a);
    xg_putc(&b, '[');
    while (xg_place_word(&dims, ',', &dim)) {
        xg_puts(&b, n++ ? ", {" : "{");
        for (k = 0; !xg_str_is(dim, "-") && xg_place_word(&dim, '+', &axis); k++)
            xg_printf(&b, "%s'%.*s'", k ? "," : "", (int)axis.n, axis.p);
        xg_putc(&b, '}');
    }
    xg_putc(&b, ']');
    return xg_str_of(b.p, b.n);
}
XG_FN xg_sharding *xg_place_sharding(
    xg_inst *i, const xg_spmd_mesh *mesh, const xg_named_mesh *named, uint32_t rank, xg_str dims) {
    xg_shread r;
    xg_tiling t;
    r.s = xg_place_dims(i->comp->module->work, dims);
    r.arena = i->comp->module->work;
    r.inst = i;
    r.partitions = mesh->devices;
    (void)xg_shread_named(&r, named, &t, rank);
    return xg_sharding_of_tiling(r.arena, mesh, &t);
}
/* Whose leaf it is, and which: of the parameter with that name, argN, outN. */
XG_FN xg_inst *xg_place_find(const xg_module *m, xg_str name, int64_t *leaf) {
    bool arg = name.n > 3 && memcmp(name.p, "arg", 3) == 0, out = name.n > 3 && memcmp(name.p, "out", 3) == 0;
    xg_str digits = name.n > 3 ? xg_str_of(name.p + 3, name.n - 3) : xg_str_of(name.p, 0);
    bool zero = digits.n == 1 && *digits.p == '0';
    uint32_t k;
    *leaf = 0;
    for (k = 0; k < m->entry->n_params; k++)
        if (xg_str_eq(m->entry->params[k]->name, name)) return m->entry->params[k];
    if (!(arg || out) || (!zero && !xg_place_count(digits))) return NULL;
    *leaf = xg_place_count(digits);
    if (out) return *leaf < m->entry->root->shape->leaves ? m->entry->root : NULL;
    for (k = 0; k < m->entry->n_params; *leaf -= m->entry->params[k++]->shape->leaves)
        if (*leaf < m->entry->params[k]->shape->leaves) return m->entry->params[k];
    return NULL;
}
XG_FN void xg_place_one(xg_module *m, const xg_spmd_mesh *mesh, const xg_named_mesh *named, xg_str word) {
    const char *eq = (const char *)memchr(word.p, '=', word.n);
    size_t n = eq ? (size_t)(eq - word.p) : 0;
    const xg_shape **leaves;
    xg_sharding **said;
    int64_t leaf;
    xg_inst *i;
    if (!eq) xg_place_fail(m, "sharding", word, "NAME=AXES,AXES is expected, such as w1=-,model");
    i = xg_place_find(m, xg_str_of(word.p, n), &leaf);
    if (!i) xg_place_fail(m, "sharding", word, "there is no such parameter, argN or outN");
    leaves = xg_shape_leaf_list(m->work, i->shape);
    if (i->op == XG_PARAMETER && i->shape->type == XLAGPU_TUPLE && xg_str_eq(i->name, xg_str_of(word.p, n)))
        xg_place_fail(m, "sharding", word, "this parameter is a tuple: name its leaves by argN");
    said = xg_spmd_said(mesh, i, i == m->entry->root);
    said[leaf] = xg_place_sharding(i, mesh, named, leaves[leaf]->rank, xg_str_of(word.p + n + 1, word.n - n - 1));
    xg_spmd_annotate(i, mesh, said, i->shape->leaves);
}

/* ---- all of it ---- */

XG_FN void xg_place_counts(xg_module *m, const xg_place *p, const xg_named_mesh *named) {
    int64_t partitions = p->partitions ? p->partitions : named->n ? named->devices : m->num_partitions;
    int64_t replicas = p->replicas ? p->replicas : m->replica_count, all;
    if (named->n && named->devices != partitions)
        xg_fail(m->ctx, XLAGPU_ERROR_USAGE, "the mesh has %lld devices, and there are %lld partitions",
            (long long)named->devices, (long long)partitions);
    if (!xg_mul64(XG_MAX(replicas, (int64_t)1), XG_MAX(partitions, (int64_t)1), &all) || all > 1 << 22)
        xg_fail(m->ctx, XLAGPU_ERROR_USAGE, "%lld replicas of %lld partitions are too many", (long long)replicas,
            (long long)partitions);
    m->replica_count = replicas;
    m->num_partitions = partitions;
}
/* axes: a+b; empty: all of the mesh. */
XG_FN void xg_place_batch(xg_module *m, const xg_spmd_mesh *mesh, const xg_named_mesh *named, xg_str axes) {
    const xg_sharding *s;
    xg_axes_list list;
    xg_buf all;
    uint32_t k;
    xg_buf_init(&all, m->work);
    for (k = 0; !axes.n && k < named->n; k++)
        xg_printf(&all, "%s%.*s", k ? "+" : "", (int)named->name[k].n, named->name[k].p);
    s = xg_place_sharding(m->entry->root, mesh, named, 1, axes.n ? axes : xg_str_of(all.p, all.n));
    if (s->devices) xg_place_fail(m, "mesh", axes, "it does not fit the shardings that the module has already");
    list = xg_sharding_axes_of(s, 0);
    xg_spmd_split_batch(m, mesh, &list);
}
XG_FN void xg_spmd_place(xg_module *m, const xg_place *p) {
    bool batch_is_mesh = p->batch && !p->mesh;
    const char *text = batch_is_mesh ? p->batch : p->mesh;
    xg_str shardings = xg_str_z(p->shardings ? p->shardings : ""), word;
    xg_mark mark = xg_arena_mark(m->work);
    xg_named_mesh named;
    xg_spmd_mesh mesh;
    memset(&named, 0, sizeof named);
    if (text) named = xg_place_mesh(m, xg_str_z(text));
    xg_place_counts(m, p, &named);
    if (!named.n && shardings.n) xg_place_fail(m, "sharding", shardings, "its axes need a mesh: none is given");
    if (named.n && (shardings.n || p->batch)) {
        mesh = xg_mesh_of(m, &named);
        while (xg_place_word(&shardings, ';', &word)) xg_place_one(m, &mesh, &named, word);
        if (p->batch) xg_place_batch(m, &mesh, &named, batch_is_mesh ? xg_str_of(NULL, 0) : xg_str_z(p->batch));
    }
    xg_arena_reset(m->work, mark);
}

#endif /* XG_SPMD_PLACE_C */
