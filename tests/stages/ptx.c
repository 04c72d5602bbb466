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
/* The kernel's LLVM IR, for a GPU or for a processor. */
static void stage_llvm(xg_stage *io) {
    const xg_target *t = xg_target_find(io->ctx, xg_str_z(io->args));
    xg_ptx *p = xg_ptx_begin(io->ctx, io->arena, t, NULL);
    xg_kmodule *m = xg_kir_parse(io->ctx, io->arena, xg_aff_new(io->arena), &io->in);
    xg_llvm_ir ir;
    bool cpu = t->suffix == XG_TARGET_CPU;
    const xg_kop *lacks;
    xg_kir_verify(m);
    xg_ptx_prepare(p, m);
    lacks = cpu ? xg_cpu_print(io->arena, m, t, &ir.text) : NULL;
    if (lacks)
        xg_printf(&io->out, "no processor has %s\n", xg_kop_name(lacks->op));
    else if (cpu || xg_llvm_print(io->arena, m, t, &ir))
        xg_put_str(&io->out, ir.text);
    else
        xg_puts(&io->out, "the kernel is printed as PTX\n");
}
