/* roundtrip: parses, prints, parses the print and prints again; says "same", or both texts. */
static void stage_roundtrip(xg_stage *io) {
    xg_buf first, second;
    xg_source again;
    xg_buf_init(&first, io->arena);
    xg_buf_init(&second, io->arena);
    xg_hlo_print(&first, xg_hlo_parse(io->ctx, io->arena, &io->in), NULL);
    again.name = "printed";
    again.text = first.p;
    again.size = first.n;
    xg_hlo_print(&second, xg_hlo_parse(io->ctx, io->arena, &again), NULL);
    if (first.n == second.n && memcmp(first.p, second.p, first.n) == 0)
        xg_puts(&io->out, "same\n");
    else
        xg_printf(&io->out, "first:\n%ssecond:\n%s", first.p, second.p);
}
