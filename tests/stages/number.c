/* stages/number.c -- one question a line:
 *     decode TYPE HEX     the value as %.17g               encode TYPE TEXT   the bits of the value
 *     print TYPE HEX      XLA's text                       g DIGITS TEXT      the value as %.*g
 *     f64 TEXT, f32 TEXT  the bits, the bytes read, whether it overflowed
 *     fast HEX            f32 bits to bf16 and f16 and back, against the general conversions
 *     decode-all TYPE     a sum over all bit patterns      encode-all TYPE    a sum over a grid of f32 values
 *     reread-all TYPE     how many bit patterns change when they are printed and read again */

typedef struct number_words {
    xg_str w[3];
} number_words;

static number_words number_split(const char *p, size_t n) {
    number_words words;
    const char *end = p + n;
    int i;
    for (i = 0; i < 3; i++) {
        const char *start;
        while (p < end && *p == ' ') p++;
        start = p;
        while (p < end && *p != ' ') p++;
        words.w[i] = xg_str_of(start, (size_t)(p - start));
    }
    return words;
}

static xlagpu_type number_type(xg_stage *io, xg_str name) {
    int t;
#define X(id, text, bits, cls) \
    if (xg_str_is(name, text)) { \
        t = XLAGPU_##id; \
        if (xg_float_format_of((xlagpu_type)t)) return (xlagpu_type)t; \
    }
    XLAGPU_TYPES(X)
#undef X
    xg_fail(io->ctx, XLAGPU_ERROR_USAGE, "no float type '%.*s'", (int)name.n, name.p);
}

static uint64_t number_hex(xg_str s) {
    uint64_t v = 0;
    uint32_t i;
    for (i = s.n > 1 && s.p[1] == 'x' ? 2 : 0; i < s.n; i++)
        v = v << 4 | (uint64_t)(s.p[i] <= '9' ? s.p[i] - '0' : (s.p[i] | 32) - 'a' + 10);
    return v;
}

static double number_value(xg_stage *io, xg_str s) {
    double v = 0;
    bool overflow;
    if (xg_float_parse(s.p, s.n, &v, &overflow) != s.n)
        xg_fail(io->ctx, XLAGPU_ERROR_USAGE, "no number '%.*s'", (int)s.n, s.p);
    return v;
}

static uint64_t number_weight(uint64_t i) { return i * 0x9E3779B97F4A7C15u + 1; }

static uint64_t number_decode_all(xlagpu_type t) {
    uint64_t sum = 0, i, n = (uint64_t)1 << xg_float_format_of(t)->bits;
    for (i = 0; i < n; i++) {
        double v = xg_float_decode(t, i);
        uint64_t bits = xg_f64_bits(v);
        sum += (v != v ? 0x7FF8000000000000u : bits) * number_weight(i);
    }
    return sum;
}

static uint64_t number_encode_all(xlagpu_type t) {
    static const uint32_t low[] = {0, 1, 0xFFF, 0x1000, 0x1001, 0x2FFF, 0x3000, 0x3001, 0x7FFF, 0x8000, 0x8001, 0xFFFF};
    uint64_t sum = 0, n = 0;
    uint32_t high, k;
    for (high = 0; high < 65536; high++)
        for (k = 0; k < XG_COUNT(low); k++, n++) {
            float v = xg_f32_of_bits(high << 16 | low[k]);
            if (v == v) sum += xg_float_encode(t, v) * number_weight(n);
        }
    return sum;
}

static uint32_t number_reread_all(xg_stage *io, xlagpu_type t) {
    uint32_t i, n = (uint32_t)1 << xg_float_format_of(t)->bits, differ = 0;
    for (i = 0; i < n; i++) {
        xg_mark mark = xg_arena_mark(io->arena);
        xg_buf b;
        double v = xg_float_decode(t, i);
        bool overflow;
        if (v != v) continue;
        xg_buf_init(&b, io->arena);
        xg_float_print(&b, t, i);
        differ += xg_float_parse(b.p, b.n, &v, &overflow) != b.n || xg_float_encode(t, v) != i;
        xg_arena_reset(io->arena, mark);
    }
    return differ;
}

static void number_fast(xg_stage *io, uint32_t bits) {
    float v = xg_f32_of_bits(bits);
    uint16_t b = xg_f32_to_bf16(v), h = xg_f32_to_f16(v);
    bool same = b == xg_float_encode(XLAGPU_BF16, v) && h == xg_float_encode(XLAGPU_F16, v);
    same = same && (v != v || (xg_bf16_to_f32(b) == (float)xg_float_decode(XLAGPU_BF16, b) &&
                                  xg_f16_to_f32(h) == (float)xg_float_decode(XLAGPU_F16, h)));
    xg_printf(&io->out, "%04x %04x%s\n", b, h, same ? "" : " but the general conversion differs");
}

static void number_parse(xg_stage *io, xg_str s, bool wide) {
    bool overflow = false;
    double d = 0;
    float f = 0;
    size_t n = wide ? xg_float_parse(s.p, s.n, &d, &overflow) : xg_float_parse32(s.p, s.n, &f, &overflow);
    if (wide)
        xg_printf(&io->out, "%016llx", (unsigned long long)xg_f64_bits(d));
    else
        xg_printf(&io->out, "%08x", xg_f32_bits(f));
    xg_printf(&io->out, " %zu%s\n", n, overflow ? " overflow" : "");
}

static void number_line(xg_stage *io, number_words q) {
    xg_buf *out = &io->out;
    if (xg_str_is(q.w[0], "f64") || xg_str_is(q.w[0], "f32")) {
        number_parse(io, q.w[1], q.w[0].p[1] == '6');
        return;
    }
    if (xg_str_is(q.w[0], "fast")) {
        number_fast(io, (uint32_t)number_hex(q.w[1]));
        return;
    }
    if (xg_str_is(q.w[0], "g"))
        xg_float_print_g(out, number_value(io, q.w[2]), (int)number_value(io, q.w[1]));
    else if (xg_str_is(q.w[0], "decode"))
        xg_float_print_g(out, xg_float_decode(number_type(io, q.w[1]), number_hex(q.w[2])), 17);
    else if (xg_str_is(q.w[0], "encode"))
        xg_printf(out, "%llx", (unsigned long long)xg_float_encode(number_type(io, q.w[1]), number_value(io, q.w[2])));
    else if (xg_str_is(q.w[0], "print"))
        xg_float_print(out, number_type(io, q.w[1]), number_hex(q.w[2]));
    else if (xg_str_is(q.w[0], "decode-all"))
        xg_printf(out, "%016llx", (unsigned long long)number_decode_all(number_type(io, q.w[1])));
    else if (xg_str_is(q.w[0], "encode-all"))
        xg_printf(out, "%016llx", (unsigned long long)number_encode_all(number_type(io, q.w[1])));
    else if (xg_str_is(q.w[0], "reread-all"))
        xg_printf(out, "%u differ", number_reread_all(io, number_type(io, q.w[1])));
    else
        xg_fail(io->ctx, XLAGPU_ERROR_USAGE, "no question '%.*s'", (int)q.w[0].n, q.w[0].p);
    xg_putc(out, '\n');
}

static void stage_number(xg_stage *io) {
    const char *p = io->in.text, *end = p + io->in.size;
    while (p < end) {
        const char *eol = (const char *)memchr(p, '\n', (size_t)(end - p));
        if (!eol) eol = end;
        if (eol > p) number_line(io, number_split(p, (size_t)(eol - p)));
        p = eol < end ? eol + 1 : end;
    }
}
