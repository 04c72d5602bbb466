/* graph: edits the entry computation, then prints it and the users of each instruction. Commands are separated by ';':
 *     replace A B     remove A     clone A     operand A INDEX B     move A BEFORE     negate A NAME     param NAME
 *                     unparam NUMBER     attr A dimensions
 * After each one the links of the graph are checked. */
static xg_inst *graph_inst(xg_stage *io, const xg_module *m, const char *name) {
    xg_inst *i = (xg_inst *)xg_dict_get(&m->entry->names, xg_str_z(name));
    if (!i) xg_fail(io->ctx, XLAGPU_ERROR_USAGE, "no instruction '%s'", name);
    return i;
}
static void graph_check(xg_stage *io, const xg_comp *c) {
    uint32_t n = 0, k;
    const xg_inst *last = NULL;
    XG_FOR_INSTS(i, c) {
        const xg_use *before = NULL;
        if (i->prev != last || i->comp != c)
            xg_fail(io->ctx, XLAGPU_ERROR_INTERNAL, "the list is broken at '%s'", i->name.p);
        for (k = 0; k < i->n_operands; k++)
            if (i->operands[k].user != i)
                xg_fail(io->ctx, XLAGPU_ERROR_INTERNAL, "operand %u of '%s' is broken", k, i->name.p);
        XG_FOR_USES(u, i) {
            if (u->value != i || (before && u->prev != before) || XG_USE_INDEX(u) >= u->user->n_operands)
                xg_fail(io->ctx, XLAGPU_ERROR_INTERNAL, "the users of '%s' are broken", i->name.p);
            before = u;
        }
        if (before && i->first_use->prev != before)
            xg_fail(io->ctx, XLAGPU_ERROR_INTERNAL, "the last user of '%s' is wrong", i->name.p);
        last = i;
        n++;
    }
    if (c->last != last || c->n_insts != n)
        xg_fail(io->ctx, XLAGPU_ERROR_INTERNAL, "the list ends wrong: %u instructions, %u counted", c->n_insts, n);
    for (k = 0; k < c->n_params; k++)
        if (!c->params[k] || c->params[k]->number != k)
            xg_fail(io->ctx, XLAGPU_ERROR_INTERNAL, "parameter %u is wrong", k);
}
static void graph_edit(xg_stage *io, xg_module *m, const char *command) {
    char verb[32], a[64] = "", b[64] = "", c[64] = "";
    xg_inst *i, *ops[16];
    uint32_t k;
    if (sscanf(command, " %31s %63s %63s %63s", verb, a, b, c) < 2)
        xg_fail(io->ctx, XLAGPU_ERROR_USAGE, "a command needs arguments: %s", command);
    if (strcmp(verb, "param") == 0) {
        xg_comp_add_param(m->entry, xg_shape_scalar(m, XLAGPU_F32), xg_str_z(a));
        return;
    }
    if (strcmp(verb, "unparam") == 0) {
        xg_comp_remove_param(m->entry, (uint32_t)atoi(a));
        return;
    }
    i = graph_inst(io, m, a);
    for (k = 0; k < i->n_operands && k < 16; k++) ops[k] = XG_OPERAND(i, k);
    if (strcmp(verb, "replace") == 0)
        xg_inst_replace(i, graph_inst(io, m, b));
    else if (strcmp(verb, "remove") == 0)
        xg_inst_remove(i);
    else if (strcmp(verb, "clone") == 0)
        xg_inst_clone(i, m->entry, ops, i->next);
    else if (strcmp(verb, "operand") == 0)
        xg_inst_set_operand(i, (uint32_t)atoi(b), graph_inst(io, m, c));
    else if (strcmp(verb, "move") == 0)
        xg_inst_move_before(i, graph_inst(io, m, b));
    else if (strcmp(verb, "negate") == 0)
        xg_inst_new(m->entry, XG_NEGATE, i->shape, &i, 1, i->next, xg_str_z(b));
    else if (strcmp(verb, "attr") == 0) {
        int64_t dims[2] = {1, 0};
        xg_inst_set_attr(i, xg_attr_make_str(m, XG_A_backend_config, XG_STR("{}")));
        xg_inst_set_attr(i, xg_attr_make_ints(m, XG_A_dimensions, dims, 2));
        xg_inst_set_attr(i, xg_attr_make_int(XG_A_index, 3));
        xg_inst_set_attr(i, xg_attr_make_ints(m, XG_A_slice_sizes, dims, 2));
        xg_inst_set_attr(i,
            xg_attr_make_int(XG_A_index, xg_attr_int(i, XG_A_index, 0) + (int64_t)xg_attr_ints(i, XG_A_slice_sizes).n));
        xg_inst_remove_attr(i, XG_A_dimensions);
    } else
        xg_fail(io->ctx, XLAGPU_ERROR_USAGE, "no command '%s'", verb);
}
static void stage_graph(xg_stage *io) {
    xg_module *m = xg_hlo_parse(io->ctx, io->arena, &io->in);
    const char *at = io->args;
    while (*at) {
        size_t n = strcspn(at, ";");
        graph_edit(io, m, xg_str_copy(io->arena, xg_str_of(at, n)).p);
        graph_check(io, m->entry);
        at += n + (at[n] != 0);
    }
    xg_hlo_print_comp(&io->out, m->entry, NULL);
    XG_FOR_INSTS(i, m->entry) {
        xg_printf(&io->out, "%s:", i->name.p);
        XG_FOR_USES(u, i) xg_printf(&io->out, " %s.%u", u->user->name.p, XG_USE_INDEX(u));
        xg_printf(&io->out, " (%u)\n", xg_inst_n_users(i));
    }
}
