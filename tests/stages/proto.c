/* proto: hexadecimal bytes of an HLO protobuf, with # comments -> the module as HLO text; where the same module follows
 * as text, which begins with HloModule, only whether both are the same. `cut`: reads every beginning
 * of them, which must fail each time without reading further. `flip`: reads them with each bit wrong, one at a time;
 * says how many were refused. */
static size_t proto_unhex(const xg_source *in, char *out, size_t end) {
    size_t n = 0, k;
    int high = -1;
    for (k = 0; k < end; k++) {
        int digit = xg_lex_hex(in->text[k]);
        if (in->text[k] == '#')
            while (k < in->size && in->text[k] != '\n') k++;
        else if (digit >= 0 && high < 0)
            high = digit;
        else if (digit >= 0) {
            out[n++] = (char)(high * 16 + digit);
            high = -1;
        }
    }
    return n;
}
/* Reads a copy that ends where its memory ends, so that a sanitizer sees what lies behind. */
static bool proto_reads(xg_stage *io, const char *bytes, size_t n) {
    char *copy = (char *)malloc(n ? n : 1);
    xg_arena arena;
    xg_source s = {NULL, "FILE", 0};
    jmp_buf here, *volatile outer = NULL;
    volatile bool read = false;
    if (n) memcpy(copy, bytes, n);
    s.text = copy;
    s.size = n;
    xg_arena_init(&arena, io->ctx);
    outer = io->ctx->guard;
    if (!setjmp(here)) {
        xg_try(io->ctx, &here);
        xg_hlo_verify(xg_proto_read(io->ctx, &arena, &s));
        read = true;
    }
    io->ctx->guard = outer;
    io->ctx->status = XLAGPU_OK;
    xg_arena_free(&arena);
    free(copy);
    return read;
}
static void proto_damage(xg_stage *io, char *bytes, size_t n, bool flip) {
    size_t k, refused = 0, tries = flip ? 8 * n : n;
    for (k = 0; k < tries; k++) {
        if (flip) bytes[k / 8] = (char)(bytes[k / 8] ^ 1 << k % 8);
        refused += !proto_reads(io, bytes, flip ? n : k);
        if (flip) bytes[k / 8] = (char)(bytes[k / 8] ^ 1 << k % 8);
    }
    if (refused < tries)
        xg_printf(
            &io->out, "%llu of %llu still read\n", (unsigned long long)(tries - refused), (unsigned long long)tries);
    else
        xg_puts(&io->out, "all refused\n");
}
/* Computations may stand in another order, wherever that keeps callees in front of their callers. */
static bool proto_same(xg_stage *io, const xg_module *a, const xg_module *b, const xg_buf *one, const xg_buf *two) {
    const char *head = strstr(one->p, "\n\n"), *other = strstr(two->p, "\n\n");
    const xg_comp *c, *d;
    if (one->n != two->n || !head || !other || head - one->p != other - two->p ||
        memcmp(one->p, two->p, (size_t)(head - one->p)) != 0)
        return false;
    for (c = a->first; c; c = c->next) {
        xg_buf x, y;
        for (d = b->first; d && !xg_str_eq(c->name, d->name); d = d->next) {}
        if (!d) return false;
        xg_buf_init(&x, io->arena);
        xg_buf_init(&y, io->arena);
        xg_hlo_print_comp(&x, c, NULL);
        xg_hlo_print_comp(&y, d, NULL);
        if (x.n != y.n || memcmp(x.p, y.p, x.n) != 0) return false;
    }
    return true;
}
/* Does what is written of a module read as the same module? Otherwise both texts. */
static bool proto_written(xg_stage *io, const xg_module *m, const xg_buf *text) {
    xg_source s = {NULL, "WRITTEN", 0};
    const xg_module *again;
    xg_buf bytes, printed;
    xg_buf_init(&bytes, io->arena);
    xg_buf_init(&printed, io->arena);
    xg_proto_print(&bytes, m, false);
    s.text = bytes.p;
    s.size = bytes.n;
    again = xg_proto_read(io->ctx, io->arena, &s);
    xg_hlo_print(&printed, again, NULL);
    if (proto_same(io, m, again, text, &printed)) return true;
    xg_printf(&io->out, "read again:\n%swritten:\n%s", printed.p, text->p);
    return false;
}
static void proto_compare(xg_stage *io, const xg_module *read, xg_str text) {
    xg_source s = {NULL, "TEXT", 0};
    const xg_module *parsed;
    xg_buf one, two;
    s.text = text.p;
    s.size = text.n;
    parsed = xg_hlo_parse(io->ctx, io->arena, &s);
    xg_buf_init(&one, io->arena);
    xg_buf_init(&two, io->arena);
    xg_hlo_print(&one, read, NULL);
    xg_hlo_print(&two, parsed, NULL);
    if (proto_same(io, read, parsed, &one, &two) && proto_written(io, parsed, &two))
        xg_puts(&io->out, "same\n");
    else
        xg_printf(&io->out, "bytes:\n%stext:\n%s", one.p, two.p);
}
static void stage_proto(xg_stage *io) {
    const char *found = strstr(io->in.text, "HloModule");
    const char *text = found && found < io->in.text + io->in.size ? found : NULL; /* not in the expectation */
    char *bytes = (char *)xg_alloc(io->arena, io->in.size + 1);                   /* a text ends with a zero byte */
    size_t end = text ? (size_t)(text - io->in.text) : io->in.size, n = proto_unhex(&io->in, bytes, end);
    xg_source s = {NULL, "FILE", 0};
    xg_module *m;
    s.text = bytes;
    s.size = n;
    if (strstr(io->args, "cut") || strstr(io->args, "flip")) {
        proto_damage(io, bytes, n, strstr(io->args, "flip") != NULL);
        return;
    }
    m = xg_import_parse(io->ctx, io->arena, &s);
    xg_hlo_verify(m);
    if (text)
        proto_compare(io, m, xg_str_of(text, io->in.size - end));
    else
        xg_hlo_print(&io->out, m, NULL);
}
/* proto_write: HLO text -> bytes of a HloModuleProto -> the module that is read of them; `bytes` gives the bytes. */
static void stage_proto_write(xg_stage *io) {
    xg_module *m = xg_hlo_parse(io->ctx, io->arena, &io->in);
    xg_buf bytes, text;
    size_t k;
    xg_hlo_verify(m);
    xg_buf_init(&bytes, io->arena);
    xg_buf_init(&text, io->arena);
    xg_hlo_print(&text, m, NULL);
    if (strstr(io->args, "bytes")) {
        xg_proto_print(&bytes, m, false);
        for (k = 0; k < bytes.n; k++)
            xg_printf(
                &io->out, "%02x%c", (unsigned)(unsigned char)bytes.p[k], k % 40 == 39 || k + 1 == bytes.n ? '\n' : ' ');
    } else if (proto_written(io, m, &text))
        xg_puts(&io->out, "same\n");
}
