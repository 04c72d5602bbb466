/* import: a module in any form that is read -> HLO text, checked. Arguments: `eval` the entry's result instead, `locs`
 * keeps the metadata, `dims=b=8` sizes of open dimensions, `hex` the input are hexadecimal bytes with # comments. */
static size_t proto_unhex(const xg_source *in, char *out, size_t end);
static void stage_import(xg_stage *io) {
    xg_source *src = XG_NEW(io->arena, xg_source);
    xg_module *m;
    xg_print_options o;
    *src = io->in;
    src->text = xg_str_copy(io->arena, xg_str_of(io->in.text, io->in.size)).p;
    if (strstr(io->args, "hex")) src->size = proto_unhex(&io->in, (char *)(uintptr_t)src->text, io->in.size);
    io->ctx->dims = strstr(io->args, "dims=") ? strstr(io->args, "dims=") + 5 : NULL;
    m = xg_import_parse(io->ctx, io->arena, src);
    xg_hlo_verify(m);
    if (strstr(io->args, "eval")) {
        xg_eval_options e;
        memset(&e, 0, sizeof e);
        xg_literal_print(&io->out, xg_eval_module(m, io->arena, NULL, 0, &e), true);
        return;
    }
    memset(&o, 0, sizeof o);
    o.whole_constants = true;
    o.no_metadata = strstr(io->args, "locs") == NULL;
    xg_hlo_print(&io->out, m, &o);
}
/* stablehlo: HLO text -> StableHLO; `again`: the HLO that the reader makes of that. */
static void stage_stablehlo(xg_stage *io) {
    xg_module *m = xg_hlo_parse(io->ctx, io->arena, &io->in);
    xg_source s = {NULL, "WRITTEN", 0};
    xg_buf text;
    xg_hlo_verify(m);
    if (!strstr(io->args, "again")) {
        xg_stable_print(&io->out, m);
        return;
    }
    xg_buf_init(&text, io->arena);
    xg_stable_print(&text, m);
    s.text = text.p;
    s.size = text.n;
    m = xg_import_parse(io->ctx, io->arena, &s);
    xg_hlo_verify(m);
    xg_hlo_print(&io->out, m, NULL);
}
