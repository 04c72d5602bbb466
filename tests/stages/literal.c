/* stages/literal.c -- lines "SHAPE LITERAL": prints what was read, and says so if that does not read back as the same
 * bits. An error ends the case. Arguments: "short" prints as dumps do, "fill" prints the made-up value of the shape
 * instead (seed 1). */

typedef struct literal_reader {
    xg_stage *io;
    xg_module *m;
    const char *p, *end;
} literal_reader;

static const xg_shape *literal_shape(literal_reader *r) {
    const xg_shape *elems[64];
    int64_t dims[XG_RANK_MAX];
    const char *start = r->p;
    xlagpu_type type;
    uint32_t n = 0;
    if (*r->p == '(') {
        for (r->p++; r->p < r->end && *r->p != ')' && n < 64;) {
            if (*r->p == ',' || *r->p == ' ')
                r->p++;
            else
                elems[n++] = literal_shape(r);
        }
        r->p++;
        return xg_shape_tuple(r->m, elems, n);
    }
    while (r->p < r->end && *r->p != '[') r->p++;
    type = xg_type_find(xg_str_of(start, (size_t)(r->p - start)));
    for (r->p++; r->p < r->end && *r->p != ']' && n < XG_RANK_MAX; n++) {
        for (dims[n] = 0; r->p < r->end && *r->p >= '0' && *r->p <= '9'; r->p++) dims[n] = dims[n] * 10 + (*r->p - '0');
        if (*r->p == ',') r->p++;
    }
    r->p++;
    if (type == XLAGPU_INVALID)
        xg_fail(r->io->ctx, XLAGPU_ERROR_USAGE, "no type in '%.*s'", (int)(r->p - start), start);
    return xg_type_class(type) ? xg_shape_array(r->m, type, dims, n, NULL, NULL) : xg_shape_other(r->m, type, NULL);
}

static xg_literal *literal_read(xg_stage *io, const xg_shape *shape, const char *text, size_t n, size_t *used) {
    xg_source src;
    src.name = "literal";
    src.text = text;
    src.size = n;
    *used = 0;
    return xg_literal_parse(io->ctx, io->arena, &src, used, shape);
}

static void literal_line(xg_stage *io, xg_module *m, const char *p, const char *end) {
    literal_reader r;
    const xg_shape *shape;
    xg_literal *l, *again;
    xg_buf whole;
    size_t used;
    r.io = io;
    r.m = m;
    r.p = p;
    r.end = end;
    shape = literal_shape(&r);
    if (r.p > end) r.p = end;
    if (strcmp(io->args, "fill") == 0) {
        l = xg_literal_new(io->arena, shape);
        xg_literal_fill(l, 1);
        used = 0;
    } else
        l = literal_read(io, shape, r.p, (size_t)(end - r.p), &used);
    xg_buf_init(&whole, io->arena);
    xg_literal_print(&whole, l, true);
    if (strcmp(io->args, "short") == 0)
        xg_literal_print(&io->out, l, false);
    else
        xg_put(&io->out, whole.p, whole.n);
    if (used && used < (size_t)(end - r.p))
        xg_printf(&io->out, "  and then '%.*s'", (int)((size_t)(end - r.p) - used), r.p + used);
    again = literal_read(io, shape, whole.p, whole.n, &used);
    if (used != whole.n || !xg_literal_equal(l, again)) xg_puts(&io->out, "  CHANGES WHEN READ AGAIN");
    xg_putc(&io->out, '\n');
}

static void stage_literal(xg_stage *io) {
    xg_module *m = xg_module_new(io->ctx, io->arena, XG_STR("m"));
    const char *p = io->in.text, *end = p + io->in.size;
    while (p < end) {
        const char *eol = (const char *)memchr(p, '\n', (size_t)(end - p));
        if (!eol) eol = end;
        if (eol > p) literal_line(io, m, p, eol);
        p = eol < end ? eol + 1 : end;
    }
}
