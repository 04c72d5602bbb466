/* parse: HLO text -> the module as it is printed, or the error. Arguments: `shapes` writes operands with their shapes,
 * `percent` the long form, `short` elides long constants, `comp` prints the entry computation only, `groups` the
 * replica groups of the entry as lists. */
static void parse_show_groups(xg_stage *io, const xg_inst *i) {
    const xg_attr *a = xg_inst_attr(i, XG_A_replica_groups);
    uint32_t k, j;
    if (!a) return;
    xg_printf(&io->out, "%s:", i->name.p);
    for (k = 0; k < a->v.groups->n; k++) {
        xg_puts(&io->out, " {");
        for (j = 0; j < a->v.groups->p[k].n; j++)
            xg_printf(&io->out, j ? ",%lld" : "%lld", (long long)a->v.groups->p[k].p[j]);
        xg_puts(&io->out, "}");
    }
    xg_puts(&io->out, "\n");
}
static void stage_parse(xg_stage *io) {
    xg_module *m = xg_hlo_parse(io->ctx, io->arena, &io->in);
    xg_print_options o;
    memset(&o, 0, sizeof o);
    o.operand_shapes = strstr(io->args, "shapes") != NULL;
    o.percent = strstr(io->args, "percent") != NULL;
    o.whole_constants = strstr(io->args, "short") == NULL;
    o.no_metadata = strstr(io->args, "no_metadata") != NULL;
    if (strstr(io->args, "groups")) {
        XG_FOR_INSTS(i, m->entry) parse_show_groups(io, i);
    } else if (strstr(io->args, "comp"))
        xg_hlo_print_comp(&io->out, m->entry, &o);
    else
        xg_hlo_print(&io->out, m, &o);
}
