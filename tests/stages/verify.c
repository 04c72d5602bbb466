/* tests/stages/verify.c -- "ok", or what is wrong with the module. */
static void stage_verify(xg_stage *io) {
    xg_module *m = xg_hlo_parse(io->ctx, io->arena, &io->in);
    xg_hlo_verify(m);
    xg_puts(&io->out, "ok\n");
}
