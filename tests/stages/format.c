/* format: each line of the input is a file's first bytes, with \\xHH for any byte and \\n for a new line; the format
 * that they are told to have. `check`: the message about the first line instead. `messages`: of each line what reading
 * it as a module says, the name of the file aside. */
static size_t format_unescape(const char *p, size_t n, char *out) {
    size_t made = 0, k = 0;
    while (k < n) {
        unsigned v = (unsigned char)p[k];
        size_t used = 1;
        if (v == '\\' && k + 3 < n && p[k + 1] == 'x' && sscanf(p + k + 2, "%2x", &v) == 1)
            used = 4;
        else if (v == '\\' && k + 1 < n && p[k + 1] == 'n') {
            v = '\n';
            used = 2;
        }
        out[made++] = (char)v;
        k += used;
    }
    return made;
}
static void format_message(xg_stage *io, const char *bytes, size_t n) {
    xg_source s = {bytes, "FILE", n};
    jmp_buf here, *volatile outer = io->ctx->guard;
    if (!setjmp(here)) {
        xg_try(io->ctx, &here);
        xg_hlo_verify(xg_import_parse(io->ctx, io->arena, &s));
        xg_puts(&io->out, "read\n");
    } else {
        const char *line = strchr(io->ctx->message, '\n'), *hint = strstr(io->ctx->message, "hint: ");
        xg_put(&io->out, io->ctx->message, line ? (size_t)(line - io->ctx->message) : strlen(io->ctx->message));
        xg_printf(&io->out, "%s%s\n", hint ? "; " : "", hint ? hint : "");
    }
    io->ctx->guard = outer;
    io->ctx->status = XLAGPU_OK;
}
static void stage_format(xg_stage *io) {
    static const char *const names[] = {
#define X(name, what, hint) #name,
        XG_FORMATS(X)
#undef X
    };
    const char *p = io->in.text, *end = p + io->in.size;
    while (p < end) {
        const char *line_end = (const char *)memchr(p, '\n', (size_t)(end - p));
        size_t n = line_end ? (size_t)(line_end - p) : (size_t)(end - p), made;
        char *bytes = (char *)xg_alloc_raw(io->arena, n + 1);
        made = format_unescape(p, n, bytes);
        bytes[made] = 0;
        if (strstr(io->args, "check")) {
            xg_source s = {bytes, "FILE", made};
            xg_import_check(io->ctx, &s);
            xg_puts(&io->out, "read\n");
            return;
        }
        if (strstr(io->args, "messages")) {
            format_message(io, bytes, made);
            p += n + 1;
            continue;
        }
        xg_printf(&io->out, "%s\n", names[xg_import_detect(bytes, made)]);
        p += n + 1;
    }
}
