/* tests/stages/infer.c -- a module whose shapes are left out, printed with the shapes that were inferred; then
 * verified. */
static void stage_infer(xg_stage *io) {
    xg_module *m = xg_hlo_parse(io->ctx, io->arena, &io->in);
    xg_hlo_verify(m);
    xg_hlo_print(&io->out, m, NULL);
}
