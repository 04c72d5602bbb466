/* stage slabs: lines "take ARENA KIB" and "give ARENA", of arenas a to h of a context of its own; at most 32 MiB are
 * taken at a time. After each line, how many MiB of slabs the context has, and how many of these are idle. */
static void stage_slabs(xg_stage *io) {
    const char *p = io->in.text, *end = p + io->in.size;
    xg_arena arenas[8];
    xg_ctx ctx;
    uint32_t k;
    xg_ctx_init(&ctx, NULL, 0);
    xg_ctx_want_slabs(&ctx);
    ctx.guard = io->ctx->guard;
    for (k = 0; k < XG_COUNT(arenas); k++) xg_arena_init(&arenas[k], &ctx);
    while (p < end) {
        const char *eol = (const char *)memchr(p, '\n', (size_t)(end - p));
        number_words q = number_split(p, (size_t)((eol ? eol : end) - p));
        xg_arena *a = &arenas[q.w[1].n ? (uint32_t)(q.w[1].p[0] - 'a') % XG_COUNT(arenas) : 0];
        if (xg_str_is(q.w[0], "give"))
            xg_arena_free(a);
        else
            (void)xg_alloc_raw(a, (size_t)XG_MIN(strtoul(q.w[2].p, NULL, 10), 1ul << 15) << 10);
        xg_printf(&io->out, "%.*s: %u MiB, %u idle\n", (int)((eol ? eol : end) - p), p,
            (unsigned)(ctx.slab_bytes >> 20), (unsigned)(ctx.idle_bytes >> 20));
        p = eol ? eol + 1 : end;
    }
    for (k = 0; k < XG_COUNT(arenas); k++) xg_arena_free(&arenas[k]);
    xg_ctx_done(&ctx);
}
