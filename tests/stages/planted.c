/* stages/planted.c -- a bug, and the program without it.
 *
 * A case is the body of a kernel in two versions: lines that begin with "BUG:" belong to the wrong one alone, with
 * "FIX:" to the right one alone. Headers are those of stages/sim.c; %NAME is the address of buffer NAME, %t %u the
 * thread's x and y, %b the block's x, %g the thread's number in the grid, %l the lane, %w the warp; %r %h %x %f %e %p
 * are registers of 32, 16 and 64 bits, f32, f64 and predicates; `// shared N` declares s[N], `// target NAME`, `//
 * global TEXT` what stands before the kernel. The output is what became of the wrong version and of the right one: a
 * fault's name and the PTX line, or "clean". */
static void planted_text(xg_stage *io, bool bug, xg_buf *out, xg_buf *headers) {
    const char *p = io->in.text, *stop = p + io->in.size;
    char target[64] = "sm_90", shared[64] = "", global[512] = "";
    xg_buf body, params, loads;
    xg_buf_init(&body, io->arena);
    xg_buf_init(&params, io->arena);
    xg_buf_init(&loads, io->arena);
    while (p < stop) {
        const char *end = (const char *)memchr(p, '\n', (size_t)(stop - p));
        size_t n = end ? (size_t)(end - p) : (size_t)(stop - p);
        char line[1024], w[64];
        xg_format(line, sizeof line, "%.*s", (int)n, p);
        p = end ? end + 1 : stop;
        if (strncmp(line, "BUG: ", 5) == 0 || strncmp(line, "FIX: ", 5) == 0) {
            if ((line[0] == 'B') != bug) continue;
            memmove(line, line + 5, strlen(line + 5) + 1);
        }
        if (strncmp(line, "// target ", 10) == 0)
            sim_word(line + 10, target);
        else if (strncmp(line, "// shared ", 10) == 0)
            sim_word(line + 10, shared);
        else if (strncmp(line, "// global ", 10) == 0)
            xg_format(global + strlen(global), sizeof global - strlen(global), "%s\n", line + 10);
        else if (strncmp(line, "// buf ", 7) == 0 || strncmp(line, "// launch", 9) == 0)
            xg_printf(headers, "%s\n", line);
        else
            xg_printf(&body, "%s\n", line);
        if (strncmp(line, "// buf ", 7) != 0) continue;
        sim_word(line + 7, w);
        xg_printf(&params, "%s.param .u64 p%s", params.n ? ", " : "", w);
        xg_printf(&loads, ".reg .b64 %%%s; ld.param.u64 %%%s, [p%s];\n", w, w, w);
    }
    xg_printf(out, ".version 8.6\n.target %s\n.address_size 64\n%s.visible .entry k(%.*s) {\n", target, global,
        (int)params.n, params.p ? params.p : "");
    xg_printf(out, ".reg .b32 %%t, %%u, %%b, %%g, %%l, %%w, %%nt; .reg .b32 %%r<32>; .reg .b16 %%h<16>; .reg .b64 "
                   "%%x<16>; .reg .f32 %%f<16>; .reg .f64 %%e<8>; .reg .pred %%p<8>;\n");
    if (shared[0]) xg_printf(out, ".shared .align 128 .b8 s[%s];\n", shared);
    xg_printf(out,
        "%.*smov.u32 %%t, %%tid.x; mov.u32 %%u, %%tid.y; mov.u32 %%b, %%ctaid.x; mov.u32 %%nt, %%ntid.x; mad.lo.u32 "
        "%%g, %%b, %%nt, %%t; mov.u32 %%l, %%laneid; mov.u32 %%w, %%warpid;\n%.*sret;\n}\n",
        (int)loads.n, loads.p ? loads.p : "", (int)body.n, body.p ? body.p : "");
}
static void planted_version(xg_stage *io, bool bug) {
    sim_case *k = XG_NEW(io->arena, sim_case);
    xg_buf text, headers;
    xg_source ptx, head;
    xg_sim_memory memory;
    xg_sim_worker *w = NULL;
    xlagpu_status status = XLAGPU_OK;
    char fault[2048];
    const char *name, *line;
    jmp_buf here, *outer = io->ctx->guard;
    xg_buf_init(&text, io->arena);
    xg_buf_init(&headers, io->arena);
    planted_text(io, bug, &text, &headers);
    memset(&ptx, 0, sizeof ptx);
    ptx.name = "k";
    ptx.text = text.p;
    ptx.size = text.n;
    head = ptx;
    head.text = headers.p;
    head.size = headers.n;
    xg_sim_memory_init(&memory, io->ctx);
    if (headers.n) sim_headers(io, k, &head);
    sim_memory(k, &memory);
    if (setjmp(here)) {
        io->ctx->guard = outer;
        xg_printf(&io->out, "refused: %.*s\n", (int)strcspn(io->ctx->message, "\n"), io->ctx->message);
        xg_sim_memory_free(&memory);
        return;
    }
    io->ctx->guard = &here;
    w = sim_go(io, k, &ptx, &memory, &status);
    io->ctx->guard = outer;
    xg_sim_memory_free(&memory);
    if (!w) {
        xg_printf(&io->out, "refused: %.*s\n", (int)strcspn(io->ctx->message, "\n"), io->ctx->message);
        return;
    }
    if (status == XLAGPU_OK) {
        xg_puts(&io->out, "clean\n");
        return;
    }
    xg_sim_fault_text(w, fault, sizeof fault);
    name = strstr(fault, "): ");
    line = strchr(fault, '\n');
    xg_printf(&io->out, "%.*s |%.*s\n", name && line ? (int)(line - name - 3) : 0, name ? name + 3 : "",
        line ? (int)strcspn(line + 4, "\n") : 0, line ? line + 4 : "");
}
static void stage_planted(xg_stage *io) {
    planted_version(io, true);
    planted_version(io, false);
}
