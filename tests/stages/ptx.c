/* tests/stages/ptx.c -- low-level kernel IR to PTX. args: the target. `ptx_legal` shows the legal kernel IR instead. */
static xg_ptx *stage_ptx_make(xg_stage *io, xg_kmodule **m) {
    xg_ptx *p = xg_ptx_begin(io->ctx, io->arena, xg_target_find(io->ctx, xg_str_z(io->args)), NULL);
    *m = xg_kir_parse(io->ctx, io->arena, xg_aff_new(io->arena), &io->in);
    xg_kir_verify(*m);
    xg_ptx_kernel(p, *m);
    return p;
}
static void stage_ptx(xg_stage *io) {
    xg_kmodule *m;
    xg_texts text;
    xg_ptx_finish(stage_ptx_make(io, &m), &text);
    xg_put_texts(&io->out, &text);
}
static void stage_ptx_legal(xg_stage *io) {
    xg_kmodule *m;
    (void)stage_ptx_make(io, &m);
    xg_kir_print(&io->out, m);
}
