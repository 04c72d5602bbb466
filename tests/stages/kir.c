/* stage kir: parse, verify, print; the text must not change when it is read and printed again.
 * stage kir_pass: args are names of passes in order, as in driver/passes.h with _ for -; the result is verified after
 * each and printed. stage kir_made: the same, but what is printed is how many operations and values the passes made, of
 * which most may be gone again. stage kir_arity: which operations of values and one type the reader takes with 0, 1,
 * 2 ... operands. */
static const xg_kmodule *kir_read(xg_stage *io, const xg_source *src) {
    const xg_kmodule *m = xg_kir_parse(io->ctx, io->arena, xg_aff_new(io->arena), src);
    xg_kir_verify(m);
    return m;
}
static void kir_write(xg_stage *io, const xg_kmodule *m) {
    xg_buf again;
    xg_source src;
    xg_kir_print(&io->out, m);
    src.name = "printed";
    src.text = io->out.p;
    src.size = io->out.n;
    xg_buf_init(&again, io->arena);
    xg_kir_print(&again, kir_read(io, &src));
    if (again.n != io->out.n || memcmp(again.p, io->out.p, again.n) != 0) {
        xg_puts(&io->out, "\nREAD AGAIN:\n");
        xg_put(&io->out, again.p, again.n);
    }
}
static void stage_kir(xg_stage *io) { kir_write(io, kir_read(io, &io->in)); }

/* clang-format off */
#define KIR_PASSES(X) \
    X(lower_shuffles) \
    X(inline) \
    X(lower_loops) \
    X(flatten_tensors) \
    X(simplify_indexing) \
    X(vectorize) \
    X(unroll) \
    X(unroll_lowered) \
    X(canonicalize) \
    X(cse) \
    X(hoist) \
    X(lower_tensors) \
    X(lower_indexing) \
    X(convert_index) \
    X(widen_loads) \
    X(step_pointers) \
    X(sink) \
    X(async_copies) \
    X(verify_low)
/* clang-format on */
static const struct kir_pass_row {
    const char *name;
    void (*run)(xg_kmodule *m);
} kir_pass_rows[] = {
#define X(name) {#name, xg_kir_##name},
    KIR_PASSES(X)
#undef X
};
static void kir_run_passes(xg_stage *io, xg_kmodule *m) {
    const char *at = io->args;
    xg_kir_verify(m);
    while (*at) {
        const char *end = at;
        size_t k;
        while (*end && *end != ' ') end++;
        for (k = 0; k < XG_COUNT(kir_pass_rows) && !xg_str_is(xg_str_of(at, (size_t)(end - at)), kir_pass_rows[k].name);
             k++) {}
        if (k == XG_COUNT(kir_pass_rows))
            xg_fail(io->ctx, XLAGPU_ERROR_USAGE, "no pass is called '%.*s'", (int)(end - at), at);
        kir_pass_rows[k].run(m);
        xg_kir_verify(m);
        for (at = end; *at == ' '; at++) {}
    }
}
static void stage_kir_pass(xg_stage *io) {
    xg_kmodule *m = xg_kir_parse(io->ctx, io->arena, xg_aff_new(io->arena), &io->in);
    kir_run_passes(io, m);
    kir_write(io, m);
}
static void stage_kir_made(xg_stage *io) {
    xg_kmodule *m = xg_kir_parse(io->ctx, io->arena, xg_aff_new(io->arena), &io->in);
    uint32_t before = m->n_ids;
    kir_run_passes(io, m);
    xg_printf(&io->out, "%u\n", m->n_ids - before);
}
/* Does the reader take the operation with so many operands? What else is wrong does not count. */
static bool kir_takes(xg_stage *io, const char *name, int operands) {
    char text[400];
    xg_source s = {text, "arity", 0};
    jmp_buf here, *volatile outer = io->ctx->guard;
    volatile bool takes = true;
    int k;
    s.size = xg_format(
        text, sizeof text, "func.func @f(%%a: i32) attributes {xla.entry, xla.inputs = 1} {\n  %%r = %s", name);
    for (k = 0; k < operands; k++) s.size += xg_format(text + s.size, sizeof text - s.size, k ? ", %%a" : " %%a");
    s.size += xg_format(text + s.size, sizeof text - s.size, " : i32\n  return\n}\n");
    if (!setjmp(here)) {
        xg_try(io->ctx, &here);
        (void)xg_kir_parse(io->ctx, io->arena, xg_aff_new(io->arena), &s);
    } else
        takes = strstr(io->ctx->message, "wrong number of operands") == NULL;
    io->ctx->guard = outer;
    io->ctx->status = XLAGPU_OK;
    return takes;
}
static void stage_kir_arity(xg_stage *io) {
    int n, k;
    for (n = 0; n < 6; n++) {
        xg_printf(&io->out, "%d:", n);
        for (k = 1; k < XG_K_OP_COUNT; k++)
            if (xg_kop_rows[k].form == XG_KFORM_none && kir_takes(io, xg_kop_name((xg_kopcode)k), n))
                xg_printf(&io->out, " %s", xg_kop_name((xg_kopcode)k));
        xg_putc(&io->out, '\n');
    }
}
