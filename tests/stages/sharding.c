/* tests/stages/sharding.c -- the shardings of a module: how they are understood.
 *
 * sharding        each annotated leaf in three forms, each of which is read again and must be the same sharding, and
 * how many tiles it has sharding tiles  each annotated leaf and the part of it that each device holds */

static void sharding_part(
    xg_stage *io, const xg_spmd_mesh *mesh, const xg_sharding *s, const xg_shape *shape, int64_t device) {
    uint32_t d;
    xg_printf(&io->out, "  device %lld: [", (long long)device);
    for (d = 0; d < s->rank; d++) {
        int64_t n = shape->dims[d], size = xg_tile_size(n, xg_sharding_tiles(mesh, s, d)),
                at = XG_MIN(n, size * xg_sharding_tile(mesh, s, d, device));
        xg_printf(&io->out, "%s%lld:%lld", d ? ", " : "", (long long)at, (long long)XG_MIN(n, at + size));
    }
    xg_puts(&io->out, "]\n");
}

/* Reads what was printed as an annotation of an array of that shape. */
static void sharding_again(
    xg_stage *io, const xg_spmd_mesh *mesh, const xg_sharding *s, const xg_shape *shape, const xg_buf *text) {
    xg_buf b;
    xg_source source;
    xg_module *m;
    xg_sharding *again;
    xg_buf_init(&b, io->arena);
    xg_printf(&b, "HloModule m, num_partitions=%lld\nENTRY e { ROOT p = ", (long long)mesh->devices);
    xg_shape_print(&b, shape, false);
    xg_printf(&b, " parameter(0), sharding=%.*s }\n", (int)text->n, text->p);
    source = io->in;
    source.text = b.p;
    source.size = b.n;
    m = xg_hlo_parse(io->ctx, io->arena, &source);
    again = xg_sharding_of(io->arena, mesh, m->entry->root)[0];
    if (s->devices && again->devices &&
        memcmp(s->devices, again->devices, sizeof(int64_t) * (size_t)mesh->devices) == 0)
        again->devices = s->devices;
    if (!xg_sharding_same(s, again)) xg_puts(&io->out, "  which is read as another one");
}

static void stage_sharding(xg_stage *io) {
    static const xg_sharding_form forms[] = {XG_SHARDING_IOTA, XG_SHARDING_LIST, XG_SHARDING_NAMED};
    xg_module *m = xg_hlo_parse(io->ctx, io->arena, &io->in);
    xg_spmd_mesh mesh = xg_mesh_of_module(m);
    uint32_t f;
    xg_puts(&io->out, "mesh");
    for (f = 0; f < mesh.n; f++) xg_printf(&io->out, " %lld", (long long)mesh.size[f]);
    xg_putc(&io->out, '\n');
    XG_FOR_INSTS(i, m->entry) {
        xg_sharding **s = xg_sharding_of(io->arena, &mesh, i);
        const xg_shape **shapes = xg_shape_leaf_list(io->arena, i->shape);
        int64_t k, d;
        for (k = 0; s && k < i->shape->leaves; k++) {
            xg_printf(&io->out, "%.*s", (int)i->name.n, i->name.p);
            if (strcmp(io->args, "tiles") == 0) {
                xg_putc(&io->out, '\n');
                for (d = 0; d < mesh.devices; d++) sharding_part(io, &mesh, s[k], shapes[k], d);
                continue;
            }
            for (f = 0; f < XG_COUNT(forms); f++) {
                xg_buf text;
                xg_buf_init(&text, io->arena);
                xg_sharding_print(&text, &mesh, s[k], forms[f]);
                xg_printf(&io->out, "%s%.*s", f ? "\n  " : " ", (int)text.n, text.p);
                sharding_again(io, &mesh, s[k], shapes[k], &text);
            }
            xg_printf(&io->out, "\n  %lld tiles\n", (long long)xg_sharding_all_tiles(&mesh, s[k]));
        }
    }
}
