/* format: each line of the input is a file's first bytes, with \\xHH for any byte and \\n for a new line; the format
 * that they are told to have. `check`: the message about the first line instead. */
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
            xg_source s = {"FILE", bytes, made};
            xg_import_check(io->ctx, &s);
            xg_puts(&io->out, "read\n");
            return;
        }
        xg_printf(&io->out, "%s\n", names[xg_import_detect(bytes, made)]);
        p += n + 1;
    }
}
