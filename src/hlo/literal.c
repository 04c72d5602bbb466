/* hlo/literal.c -- the values of constants: memory, text in and out, single elements.
 *
 * Reading is one loop over tokens with a counter per dimension, no recursion. Rows of plain numbers take a fast path
 * that knows nothing of comments, words or errors: whatever it does not understand it leaves to the general path, so
 * each fact of the grammar and each message exists once.
 *
 * Laws
 * - The text bounds the memory. An array takes at least one byte of text per element; when there is less, the elements
 *   are read into nowhere and the reading ends in the message that says which count is wrong.
 * - parse(print(x)) == x, bit for bit: NaN payloads are written, and "-0" is a negative zero in a float type (XLA's own
 *   reader drops that sign).
 * - Counts, commas (which may be missing or doubled), true and false as 1 and 0, unsigned texts in s64 and saturation
 *   of f4 and f6 are as XLA has them. A decimal in an integer type or a finite text that a type cannot hold is an
 *   error. */
#ifndef XG_HLO_LITERAL_C
#define XG_HLO_LITERAL_C
#include "hlo.h"

/* ---- memory ---- */

XG_FN size_t xg_literal_bytes(xg_ctx *c, const xg_shape *s) {
    if (s->elements < 0 || (uint64_t)s->elements > SIZE_MAX)
        xg_fail(c, XLAGPU_ERROR_LIMIT, "a literal of %lld elements cannot be addressed", (long long)s->elements);
    return xg_mul(c, (size_t)s->elements, (size_t)xg_type_bytes(s->type));
}

/* With data, or elided all through. */
XG_FN xg_literal *xg_literal_make(xg_arena *a, const xg_shape *shape, bool elided) {
    xg_literal *l = XG_NEW(a, xg_literal);
    l->shape = shape;
    l->elided = elided;
    if (shape->type == XLAGPU_TUPLE) {
        const xg_literal **elems = XG_NEW_N(a, const xg_literal *, shape->n_elems);
        uint32_t i;
        for (i = 0; i < shape->n_elems; i++) elems[i] = xg_literal_make(a, shape->elems[i], elided);
        l->elems = elems;
    } else if (xg_shape_is_array(shape) && !elided)
        l->data = xg_alloc(a, xg_literal_bytes(a->ctx, shape));
    return l;
}

XG_FN xg_literal *xg_literal_new(xg_arena *a, const xg_shape *shape) { return xg_literal_make(a, shape, false); }

XG_FN bool xg_literal_equal(const xg_literal *a, const xg_literal *b) {
    const xg_shape *s = a->shape, *t = b->shape;
    uint32_t i;
    if (s->type != t->type || s->rank != t->rank || s->n_elems != t->n_elems || a->elided != b->elided) return false;
    for (i = 0; i < s->rank; i++)
        if (s->dims[i] != t->dims[i]) return false;
    if (s->type == XLAGPU_TUPLE) {
        for (i = 0; i < s->n_elems; i++)
            if (!xg_literal_equal(a->elems[i], b->elems[i])) return false;
        return true;
    }
    if (!a->data || !b->data) return a->data == b->data;
    return s->elements == 0 || memcmp(a->data, b->data, (size_t)s->elements * (size_t)xg_type_bytes(s->type)) == 0;
}

/* ---- single elements ---- */

/* The least and the greatest value of an integer type or pred; the latter as an unsigned number. */
XG_FN int64_t xg_int_type_min(xlagpu_type t) {
    return t != XLAGPU_PRED && xg_type_signed(t) ? (int64_t)(0 - ((uint64_t)1 << (xg_type_bits(t) - 1))) : 0;
}
XG_FN uint64_t xg_int_type_max(xlagpu_type t) {
    int bits = t == XLAGPU_PRED ? 1 : xg_type_signed(t) ? xg_type_bits(t) - 1 : xg_type_bits(t);
    return bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

XG_FN int64_t xg_int_load(xlagpu_type t, const void *p) {
    int bytes = xg_type_bytes(t);
    uint64_t v = 0;
    memcpy(&v, p, (size_t)bytes); /* little-endian hosts */
    if (bytes < 8 && t != XLAGPU_PRED && xg_type_signed(t))
        v = (v ^ (uint64_t)1 << (8 * bytes - 1)) - ((uint64_t)1 << (8 * bytes - 1));
    return (int64_t)v;
}

/* Wraps around as a conversion between integer types does; pred is "not zero". */
XG_FN void xg_int_store(xlagpu_type t, void *p, int64_t v) {
    int bits = xg_type_bits(t);
    uint64_t u = (uint64_t)v;
    if (t == XLAGPU_PRED)
        u = v != 0;
    else if (bits < 8) {
        u &= ((uint64_t)1 << bits) - 1;
        if (xg_type_signed(t)) u = (u ^ (uint64_t)1 << (bits - 1)) - ((uint64_t)1 << (bits - 1));
    }
    memcpy(p, &u, (size_t)xg_type_bytes(t));
}

XG_FN bool xg_literal_get_int(const xg_literal *l, int64_t index, int64_t *out) {
    xlagpu_type t = l->shape->type;
    if (!l->data || index < 0 || index >= l->shape->elements || !(xg_type_class(t) & (XGT_P | XGT_I))) return false;
    *out = xg_int_load(t, (const char *)l->data + index * xg_type_bytes(t));
    return true;
}

XG_FN double xg_literal_get_float(const xg_literal *l, int64_t index) {
    xlagpu_type t = l->shape->type;
    const char *p = (const char *)l->data + index * xg_type_bytes(t);
    int64_t v;
    if (xg_type_class(t) & (XGT_F | XGT_C)) return xg_float_load(xg_type_real(t), p);
    v = xg_int_load(t, p);
    return t == XLAGPU_U64 ? (double)(uint64_t)v : (double)v;
}

/* Truncates towards zero; beyond the range the nearest end, NaN gives 0. */
XG_FN int64_t xg_int_of_float(xlagpu_type t, double v) {
    double low = (double)xg_int_type_min(t), high = (double)xg_int_type_max(t);
    if (v != v) return 0;
    if (v <= low) return xg_int_type_min(t);
    if (v >= high) return (int64_t)xg_int_type_max(t);
    return t == XLAGPU_U64 ? (int64_t)(uint64_t)v : (int64_t)v;
}

XG_FN void xg_literal_set_float(xg_literal *l, int64_t index, double v) {
    xlagpu_type t = l->shape->type, real = xg_type_real(t);
    int bytes = xg_type_bytes(t);
    char *p = (char *)l->data + index * bytes;
    if (t == XLAGPU_PRED)
        *p = v != 0;
    else if (xg_type_class(t) & XGT_I)
        xg_int_store(t, p, xg_int_of_float(t, v));
    else {
        xg_float_store(real, p, v);
        if (real != t) memset(p + bytes / 2, 0, (size_t)bytes / 2);
    }
}

/* An integer as a double that any narrower format rounds as it would the integer itself: what does not fit into 53 bits
 * leaves its trace in the last one. */
XG_FN double xg_int_for_rounding(int64_t v) {
    uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    double d = u >> 53 ? (double)(int64_t)(u >> 11 | ((u & 2047) != 0)) * 2048.0 : (double)(int64_t)u;
    return v < 0 ? -d : d;
}

XG_FN void xg_literal_set_int(xg_literal *l, int64_t index, int64_t v) {
    xlagpu_type t = l->shape->type;
    if (xg_type_class(t) & (XGT_P | XGT_I))
        xg_int_store(t, (char *)l->data + index * xg_type_bytes(t), v);
    else
        xg_literal_set_float(l, index, xg_type_real(t) == XLAGPU_F64 ? (double)v : xg_int_for_rounding(v));
}

/* ---- made-up values ---- */

XG_FN uint64_t xg_literal_random(uint64_t seed, uint64_t index) {
    uint64_t z = seed + (index + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

/* [-0.1, 0.2), the range of XLA's fake arguments; wider where that would round to zeros only, positive where there is
 * no sign. */
XG_FN double xg_literal_random_float(xlagpu_type t, uint64_t r) {
    const xg_float_format *f = xg_float_format_of(t);
    double u = (double)(int64_t)(r >> 11) * (1.0 / 9007199254740992.0);
    if (!f->has_sign) return 0.25 + 3.75 * u;
    return f->bits <= 6 ? -1 + 3 * u : -0.1 + 0.3 * u;
}

/* Every element depends on the seed and its index only. Integers are small and not negative, so that they may serve as
 * indices. Elided literals have no memory: make a new one of their shape to fill. */
/* Copies of a constant, inlined or hoisted, have its place in the source, and so its values. */
XG_FN uint64_t xg_literal_seed(const xg_inst *constant) {
    return constant->source_at ? constant->source_at : constant->id;
}
XG_FN void xg_literal_fill(xg_literal *l, uint64_t seed) {
    xlagpu_type t = l->shape->type, real;
    int64_t i, n = l->shape->elements;
    uint32_t k;
    if (t == XLAGPU_TUPLE) {
        for (k = 0; k < l->shape->n_elems; k++)
            xg_literal_fill((xg_literal *)l->elems[k], xg_literal_random(seed, k)); /* as xg_literal_new made them */
        return;
    }
    if (!l->data) return;
    real = xg_type_real(t);
    for (i = 0; i < n; i++) {
        uint64_t r = xg_literal_random(seed, (uint64_t)i);
        char *p = (char *)l->data + i * xg_type_bytes(t);
        if (xg_type_class(t) & (XGT_P | XGT_I))
            xg_int_store(t, p, (int64_t)(r % (XG_MIN(xg_int_type_max(t), 15) + 1)));
        else
            xg_float_store(real, p, xg_literal_random_float(real, r));
        if (real != t)
            xg_float_store(real, p + xg_type_bytes(real), xg_literal_random_float(real, xg_literal_random(r, 1)));
    }
}

/* ---- printing ---- */

XG_FN void xg_literal_print_element(xg_buf *b, xlagpu_type t, const char *p) {
    xlagpu_type real = xg_type_real(t);
    uint64_t bits = 0;
    if (xg_type_class(t) & (XGT_P | XGT_I)) {
        if (t == XLAGPU_U64)
            xg_put_u64(b, (uint64_t)xg_int_load(t, p));
        else
            xg_put_i64(b, xg_int_load(t, p));
        return;
    }
    if (real != t) xg_putc(b, '(');
    memcpy(&bits, p, (size_t)xg_type_bytes(real));
    xg_float_print(b, real, bits);
    if (real == t) return;
    xg_puts(b, ", ");
    memcpy(&bits, p + xg_type_bytes(real), (size_t)xg_type_bytes(real));
    xg_float_print(b, real, bits);
    xg_putc(b, ')');
}

/* XLA's spaces: {1, 2} for a vector; { { 1, 2 }, { 3, 4 } } with {5} and {} for short rows; from rank 4 on the indices
 * as comments. */
XG_FN void xg_literal_print_dim(xg_buf *b, const xg_literal *l, uint32_t dim, int64_t index, const char **p) {
    const xg_shape *s = l->shape;
    bool inner = dim + 1 == s->rank, spaced = s->rank > 1 && !(inner && s->dims[dim] <= 1),
         noted = s->rank > 3 && dim > 0 && !inner;
    int64_t i;
    xg_puts(b, spaced ? "{ " : "{");
    if (noted) xg_printf(b, "/*i%u=%lld*/ ", dim - 1, (long long)index);
    for (i = 0; i < s->dims[dim]; i++) {
        if (i) xg_puts(b, ", ");
        if (!inner)
            xg_literal_print_dim(b, l, dim + 1, i, p);
        else {
            xg_literal_print_element(b, s->type, *p);
            *p += xg_type_bytes(s->type);
        }
    }
    xg_puts(b, spaced && !(noted && s->dims[dim] == 0) ? " }" : "}");
}

XG_FN void xg_literal_print(xg_buf *b, const xg_literal *l, bool whole) {
    enum {
        SHORT = 10
    };
    const xg_shape *s = l->shape;
    const char *p = (const char *)l->data;
    uint32_t i;
    if (l->elided || (!whole && (s->type == XLAGPU_TUPLE || s->elements > SHORT)))
        xg_puts(b, "{...}");
    else if (s->type == XLAGPU_TUPLE) {
        xg_puts(b, "( ");
        for (i = 0; i < s->n_elems; i++) {
            if (i) xg_puts(b, ", ");
            xg_literal_print(b, l->elems[i], whole);
        }
        xg_puts(b, " )");
    } else if (!p)
        xg_puts(b, xg_type_name(s->type));
    else if (s->rank)
        xg_literal_print_dim(b, l, 0, 0, &p);
    else if (s->type == XLAGPU_PRED)
        xg_puts(b, *p ? "true" : "false");
    else
        xg_literal_print_element(b, s->type, p);
}

/* ---- reading: tokens ---- */

typedef struct xg_lit_reader {
    const char *p, *end;
    const xg_source *src;
    xg_ctx *ctx;
    xg_arena *arena;
    xlagpu_type type, real; /* of the array being read */
    int64_t least;          /* of an integer type */
    uint64_t greatest;
    char *out, nowhere[16]; /* the next element, and what stands in for it when there is no memory */
    int step;               /* bytes from one to the next, 0 in nowhere */
} xg_lit_reader;

XG_NORETURN XG_FN void xg_lit_fail(const xg_lit_reader *r, const char *where, const char *hint, const char *format, ...)
    XG_PRINTF(4, 5);
XG_NORETURN XG_FN void xg_lit_fail(
    const xg_lit_reader *r, const char *where, const char *hint, const char *format, ...) {
    va_list args;
    va_start(args, format);
    xg_error_set(r->ctx, XLAGPU_ERROR_SYNTAX, r->src, (size_t)(where - r->src->text), hint, format, args);
    va_end(args);
    xg_jump(r->ctx);
}

XG_ONE_COPY XG_INLINE_FAST bool xg_lit_is_word_char(char c) {
    return xg_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
}

/* Blanks and comments, and commas if they are to be skipped too. */
XG_FN void xg_lit_space(xg_lit_reader *r, bool commas) {
    const char *p = r->p, *end = r->end;
    for (; p < end; p++) {
        if (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r' || (*p == ',' && commas)) continue;
        if (*p != '/' || end - p < 2) break;
        if (p[1] == '/') {
            p = (const char *)memchr(p, '\n', (size_t)(end - p));
            if (!p) {
                p = end;
                break;
            }
        } else if (p[1] == '*') {
            const char *start = p;
            for (p += 2; end - p >= 2 && !(p[0] == '*' && p[1] == '/'); p++) {}
            if (end - p < 2) xg_lit_fail(r, start, "end it with */", "this comment does not end");
            p++;
        } else
            break;
    }
    r->p = p;
}

XG_FN char xg_lit_peek(const xg_lit_reader *r) { return r->p < r->end ? *r->p : 0; }

/* The word or number at p as far as it goes, for messages. */
XG_FN int xg_lit_extent(const xg_lit_reader *r, const char *p) {
    const char *q = p;
    while (q < r->end && q - p < 40 && (xg_lit_is_word_char(*q) || *q == '-' || *q == '+')) q++;
    return q == p && p < r->end ? 1 : (int)(q - p);
}

XG_NORETURN XG_FN void xg_lit_fail_unexpected(xg_lit_reader *r, const char *at, const char *hint) {
    if (at >= r->end) xg_lit_fail(r, at, NULL, "the text ends inside a literal");
    xg_lit_fail(
        r, at, hint, "expects a value of type %s, but sees '%.*s'", xg_type_name(r->type), xg_lit_extent(r, at), at);
}

/* A word (true, false, inf, nan) at r->p, not followed by more of a word. */
XG_FN bool xg_lit_word(xg_lit_reader *r, const char *word) {
    size_t n = strlen(word);
    if ((size_t)(r->end - r->p) < n || memcmp(r->p, word, n) != 0) return false;
    if ((size_t)(r->end - r->p) > n && (xg_lit_is_word_char(r->p[n]) || r->p[n] == '-')) return false;
    r->p += n;
    return true;
}

XG_FN bool xg_lit_elided(xg_lit_reader *r) { /* {...}: skips it if it is there */
    const char *start = r->p;
    if (xg_lit_peek(r) == '{') {
        r->p++;
        xg_lit_space(r, false);
        if (r->end - r->p >= 3 && memcmp(r->p, "...", 3) == 0) {
            r->p += 3;
            xg_lit_space(r, false);
            if (xg_lit_peek(r) == '}') {
                r->p++;
                return true;
            }
        }
    }
    r->p = start;
    return false;
}

/* ---- reading: one element ---- */

XG_NORETURN XG_FN void xg_lit_fail_range(xg_lit_reader *r, const char *at) {
    const xg_float_format *f = xg_float_format_of(r->real);
    xg_buf b;
    double most;
    xg_buf_init(&b, r->arena);
    if (f) {
        most = xg_float_decode(r->real, f->max_bits);
        xg_float_print_g(&b, f->has_sign ? -most : xg_float_decode(r->real, 0), 6);
        xg_puts(&b, ", ");
        xg_float_print_g(&b, most, 6);
    } else {
        xg_put_i64(&b, r->least);
        xg_puts(&b, ", ");
        xg_put_u64(&b, r->greatest);
    }
    xg_lit_fail(r, at, NULL, "value %.*s is out of range for type %s, which is [%s]", xg_lit_extent(r, at), at,
        xg_type_name(r->type), b.p);
}

/* How far below zero an integer may be: u64 takes what fits in s64, by its bits, as XLA does. */
XG_FN uint64_t xg_lit_least(const xg_lit_reader *r) {
    return r->type == XLAGPU_U64 ? (uint64_t)1 << 63 : 0 - (uint64_t)r->least;
}
XG_FN void xg_lit_int(xg_lit_reader *r, void *out) {
    const char *start = r->p, *p = start;
    bool negative = p < r->end && *p == '-', wide = false;
    uint64_t v = 0;
    p += negative;
    if (p == r->end || !xg_is_digit(*p))
        xg_lit_fail_unexpected(r, start,
            r->type == XLAGPU_PRED ? "true, false or an integer"
                                   : "an integer: digits, with - in front if it is negative");
    for (; p < r->end && xg_is_digit(*p); p++) {
        unsigned digit = (unsigned)(*p - '0');
        if (v > (UINT64_MAX - digit) / 10) wide = true;
        v = v * 10 + digit;
    }
    if (p < r->end && xg_lit_is_word_char(*p))
        xg_lit_fail_unexpected(r, start, "an integer type takes digits only, no point and no exponent");
    if (wide || (r->type != XLAGPU_PRED && (negative ? v > xg_lit_least(r) : v > r->greatest)))
        xg_lit_fail_range(r, start);
    r->p = p;
    xg_int_store(r->type, out, (int64_t)(negative ? 0 - v : v));
}

/* The payload of a NaN behind "nan": all mantissa bits, in hexadecimal. 0 when there is none. */
XG_FN uint64_t xg_lit_payload(xg_lit_reader *r) {
    const xg_float_format *f = xg_float_format_of(r->real);
    const char *start = r->p, *p = start;
    uint64_t v = 0, most = ((uint64_t)1 << f->mantissa_bits) - 1;
    bool wide = false;
    if (p == r->end || *p != '(') return 0;
    if (r->end - p < 4 || p[1] != '0' || p[2] != 'x')
        xg_lit_fail(r, p, NULL, "the payload of a NaN is written nan(0x1)");
    for (p += 3; p < r->end && *p != ')'; p++) {
        int digit = *p >= '0' && *p <= '9'   ? *p - '0'
                    : *p >= 'a' && *p <= 'f' ? *p - 'a' + 10
                    : *p >= 'A' && *p <= 'F' ? *p - 'A' + 10
                                             : -1;
        if (digit < 0) xg_lit_fail(r, p, NULL, "'%c' is not a hexadecimal digit", *p);
        wide |= v >> 60 != 0;
        v = v << 4 | (uint64_t)digit;
    }
    if (p == r->end) xg_lit_fail(r, start, NULL, "expects ')' after the payload of a NaN");
    if (!f->has_infinity) xg_lit_fail(r, start, NULL, "a NaN of type %s has no payload", xg_type_name(r->real));
    if (wide || v == 0 || v > most)
        xg_lit_fail(r, start, NULL, "the payload of a NaN of type %s lies between 0x1 and 0x%llx",
            xg_type_name(r->real), (unsigned long long)most);
    r->p = p + 1;
    return v;
}

/* inf, nan, nan(0x1), true, false and the negative ones; false when there is no word. */
XG_FN bool xg_lit_float_word(xg_lit_reader *r, void *out) {
    const xg_float_format *f = xg_float_format_of(r->real);
    const char *start = r->p;
    bool negative = xg_lit_peek(r) == '-';
    uint64_t payload, bits;
    if (!negative && xg_lit_word(r, "true")) {
        xg_float_store(r->real, out, 1);
        return true;
    }
    if (!negative && xg_lit_word(r, "false")) {
        xg_float_store(r->real, out, 0);
        return true;
    }
    r->p += negative;
    if (xg_lit_word(r, "inf")) {
        xg_float_store(r->real, out, xg_f64_of_bits(XG_F64_INFINITY | (uint64_t)negative << 63));
        return true;
    }
    if (xg_lit_word(r, "nan")) {
        payload = xg_lit_payload(r);
        bits = xg_float_encode(r->real, xg_f64_of_bits(XG_F64_INFINITY | XG_F64_QUIET | (uint64_t)negative << 63));
        if (payload) bits = ((f->max_bits + 1) | payload) | (uint64_t)negative << (f->bits - 1);
        memcpy(out, &bits, (size_t)xg_type_bytes(r->real)); /* little-endian hosts */
        return true;
    }
    r->p = start;
    return false;
}

/* A real number; the first character is not '+' nor '.', as in XLA. */
XG_FN size_t xg_lit_float_text(xg_lit_reader *r, void *out, bool *overflow) {
    const xg_float_format *f;
    uint64_t bits;
    size_t n;
    double v;
    if (!xg_is_digit(*r->p) && *r->p != '-') return 0;
    if (r->real == XLAGPU_F32) {
        float w;
        n = xg_float_parse32(r->p, (size_t)(r->end - r->p), &w, overflow);
        if (n) memcpy(out, &w, 4);
        return n;
    }
    n = xg_float_parse(r->p, (size_t)(r->end - r->p), &v, overflow);
    if (!n || r->real == XLAGPU_F64) {
        if (n) memcpy(out, &v, 8);
        return n;
    }
    bits = xg_float_encode(r->real, v);
    memcpy(out, &bits, (size_t)xg_type_bytes(r->real)); /* little-endian hosts */
    f = xg_float_format_of(r->real);
    *overflow |= (bits & (((uint64_t)1 << (f->bits - f->has_sign)) - 1)) > f->max_bits ||
                 (f->nan_is_negative_zero && bits == f->nan_bits);
    return n;
}

XG_FN void xg_lit_float(xg_lit_reader *r, void *out) {
    const char *start = r->p, *hint = "a number like -1.5e-3, or inf, -inf, nan";
    bool overflow = false;
    size_t n;
    if (start == r->end) xg_lit_fail_unexpected(r, start, NULL);
    if (xg_lit_float_word(r, out)) return;
    n = xg_lit_float_text(r, out, &overflow);
    if (!n || (start + n < r->end && xg_lit_is_word_char(start[n]))) xg_lit_fail_unexpected(r, start, hint);
    if (overflow) xg_lit_fail_range(r, start);
    r->p += n;
}

XG_FN void xg_lit_complex(xg_lit_reader *r, char *out) {
    if (xg_lit_peek(r) != '(') xg_lit_fail_unexpected(r, r->p, "a complex number is written (real, imaginary)");
    r->p++;
    xg_lit_space(r, false);
    xg_lit_float(r, out);
    xg_lit_space(r, false);
    if (xg_lit_peek(r) != ',')
        xg_lit_fail(r, r->p, "a complex number is written (real, imaginary)", "expects ',' after the real part");
    r->p++;
    xg_lit_space(r, false);
    xg_lit_float(r, out + xg_type_bytes(r->real));
    xg_lit_space(r, false);
    if (xg_lit_peek(r) != ')')
        xg_lit_fail(r, r->p, "a complex number is written (real, imaginary)", "expects ')' after the imaginary part");
    r->p++;
}

XG_FN void xg_lit_element(xg_lit_reader *r) {
    if (r->real != r->type)
        xg_lit_complex(r, r->out);
    else if (xg_float_format_of(r->type))
        xg_lit_float(r, r->out);
    else if (xg_lit_word(r, "true"))
        xg_int_store(r->type, r->out, 1);
    else if (xg_lit_word(r, "false"))
        xg_int_store(r->type, r->out, 0);
    else
        xg_lit_int(r, r->out);
    r->out += r->step;
}

/* ---- reading: rows of plain numbers ---- */

XG_ONE_COPY XG_INLINE_FAST const char *xg_lit_skip_plain(const char *p, const char *end) {
    if (end - p >= 2 && p[0] == ',' && p[1] == ' ') p += 2;
    while (p < end && (*p == ' ' || *p == ',' || *p == '\n')) p++;
    return p;
}
/* What may stand right behind a number; anything else is for the general path to judge. */
XG_ONE_COPY XG_INLINE_FAST bool xg_lit_ends(const char *p, const char *end) {
    return p < end && (*p == ',' || *p == ' ' || *p == '}' || *p == '\n');
}

XG_APART XG_FN int64_t xg_lit_row_ints(xg_lit_reader *r, int64_t room) {
    const char *p = r->p, *end = r->end, *first;
    const uint64_t least = 0 - (uint64_t)r->least, greatest = r->greatest;
    char *out = r->out;
    const int step = r->step;
    int64_t n;
    for (n = 0; n < room; n++) {
        uint64_t v = 0;
        bool negative;
        p = xg_lit_skip_plain(p, end);
        r->p = p;
        if (p == end) break;
        negative = *p == '-';
        first = p += negative;
        if (end - p >= 2 && xg_is_digit(p[0]) && p[1] == ',')
            v = (uint64_t)(*p++ - '0');
        else
            p = xg_read_digits(p, end, &v);
        if (p == first || p - first > 19 || !xg_lit_ends(p, end) || v > (negative ? least : greatest)) break;
        if (negative) v = 0 - v;
        if (step == 4) {
            uint32_t w = (uint32_t)v;
            memcpy(out, &w, 4);
        } else if (step == 8)
            memcpy(out, &v, 8);
        else if (step == 2) {
            uint16_t w = (uint16_t)v;
            memcpy(out, &w, 2);
        } else
            *out = (char)v;
        out += step;
        r->p = p;
    }
    r->out = out;
    return n;
}

XG_FN int64_t xg_lit_row_floats(xg_lit_reader *r, int64_t room) {
    int64_t n;
    for (n = 0; n < room; n++) {
        bool overflow = false;
        size_t size;
        r->p = xg_lit_skip_plain(r->p, r->end);
        if (r->p == r->end) break;
        size = xg_lit_float_text(r, r->out, &overflow);
        if (!size || overflow || !xg_lit_ends(r->p + size, r->end)) break;
        r->p += size;
        r->out += r->step;
    }
    return n;
}

/* As many elements as are plainly written, at most `room`. Leaves r->p at what follows, even if it read none. */
XG_FN int64_t xg_lit_row(xg_lit_reader *r, int64_t room) {
    if (r->step == 0 || r->real != r->type || r->type == XLAGPU_PRED) return 0;
    return xg_float_format_of(r->type) ? xg_lit_row_floats(r, room) : xg_lit_row_ints(r, room);
}

/* ---- reading: arrays and tuples ---- */

XG_FN void xg_lit_array(xg_lit_reader *r, const xg_shape *s) {
    int64_t count[XG_RANK_MAX], n;
    uint32_t depth = 0;
    do {
        char c;
        xg_lit_space(r, depth > 0);
        c = xg_lit_peek(r);
        if (c == '}' && depth > 0) {
            if (count[depth - 1] != s->dims[depth - 1])
                xg_lit_fail(r, r->p, NULL, "dimension %u has size %lld, but %lld given", depth - 1,
                    (long long)s->dims[depth - 1], (long long)count[depth - 1]);
            depth--;
            r->p++;
            continue;
        }
        if (r->end - r->p >= 3 && memcmp(r->p, "...", 3) == 0)
            xg_lit_fail(r, r->p, "write all elements, or {...} alone for an elided literal",
                "'...' stands for a whole array only");
        if (c == 0 && r->p >= r->end) xg_lit_fail_unexpected(r, r->p, NULL);
        if (depth > 0 && count[depth - 1] == s->dims[depth - 1])
            xg_lit_fail(r, r->p, NULL, "dimension %u has size %lld, but more elements are given", depth - 1,
                (long long)s->dims[depth - 1]);
        if (depth < s->rank) {
            if (c != '{')
                xg_lit_fail(r, r->p, "one pair of braces for each dimension, as { {1, 2}, {3, 4} }",
                    "expects '{' for dimension %u of %u, but sees '%.*s'", depth, s->rank, xg_lit_extent(r, r->p),
                    r->p);
            if (depth > 0) count[depth - 1]++;
            count[depth++] = 0;
            r->p++;
            continue;
        }
        if (c == '{') xg_lit_fail(r, r->p, NULL, "more braces than the %u dimensions of the shape", s->rank);
        n = xg_lit_row(r, s->dims[depth - 1] - count[depth - 1]);
        count[depth - 1] += n;
        if (n == 0) {
            xg_lit_element(r);
            count[depth - 1]++;
        }
    } while (depth > 0);
}

XG_FN xg_literal *xg_lit_read(xg_lit_reader *r, const xg_shape *s, uint32_t depth);

XG_FN xg_literal *xg_lit_tuple(xg_lit_reader *r, const xg_shape *s, uint32_t depth) {
    const xg_literal **elems = XG_NEW_N(r->arena, const xg_literal *, s->n_elems);
    xg_literal *l = XG_NEW(r->arena, xg_literal);
    uint32_t i;
    if (xg_lit_peek(r) != '(') xg_lit_fail(r, r->p, NULL, "expects '(' in front of the elements of a tuple");
    r->p++;
    for (i = 0; i < s->n_elems; i++) {
        xg_lit_space(r, i > 0);
        if (xg_lit_peek(r) == ')') xg_lit_fail(r, r->p, NULL, "the tuple has %u elements, but %u given", s->n_elems, i);
        elems[i] = xg_lit_read(r, s->elems[i], depth + 1);
    }
    xg_lit_space(r, s->n_elems > 0);
    if (xg_lit_peek(r) != ')')
        xg_lit_fail(r, r->p, NULL, "expects ')' at the end of a tuple of %u elements", s->n_elems);
    r->p++;
    l->shape = s;
    l->elems = elems;
    return l;
}

/* f32[9] constant(7): the first element, as XLA reads it; all others are zero. */
XG_FN xg_literal *xg_lit_first(xg_lit_reader *r, const xg_shape *s) {
    enum {
        ELEMENTS_MAX = 1 << 26 /* few bytes of text would take all memory otherwise */
    };
    xg_literal *l;
    if (s->elements > ELEMENTS_MAX)
        xg_fail_at(r->ctx, XLAGPU_ERROR_LIMIT, r->src, (size_t)(r->p - r->src->text), "broadcast a scalar constant",
            "one element is written for an array of more than %d", (int)ELEMENTS_MAX);
    l = xg_literal_new(r->arena, s);
    r->out = (char *)l->data;
    r->step = xg_type_bytes(s->type);
    xg_lit_element(r);
    return l;
}
XG_FN xg_literal *xg_lit_dense(xg_lit_reader *r, const xg_shape *s) {
    xg_literal *l;
    size_t room = (size_t)(r->end - r->p);
    r->type = s->type;
    r->real = xg_type_real(s->type);
    r->step = 0;
    r->out = r->nowhere;
    if (!xg_float_format_of(r->real)) {
        r->least = xg_int_type_min(s->type);
        r->greatest = s->type == XLAGPU_S64 ? UINT64_MAX : xg_int_type_max(s->type);
    }
    if (s->rank && s->elements > 0 && r->real == r->type && xg_lit_peek(r) != '{' && r->p < r->end)
        return xg_lit_first(r, s);
    if (s->elements < 0 || (uint64_t)s->elements > room) { /* cannot be all there: find the place where it is not */
        xg_lit_array(r, s);
        xg_lit_fail(r, r->p, NULL, "the literal has fewer elements than its shape");
    }
    l = xg_literal_new(r->arena, s);
    r->out = (char *)l->data;
    r->step = xg_type_bytes(s->type);
    if (s->rank)
        xg_lit_array(r, s);
    else {
        if (xg_lit_peek(r) == '{') xg_lit_fail(r, r->p, NULL, "a scalar is written without braces");
        xg_lit_element(r);
    }
    return l;
}

XG_FN xg_literal *xg_lit_read(xg_lit_reader *r, const xg_shape *s, uint32_t depth) {
    enum {
        DEEPEST = 512
    };
    if (depth > DEEPEST) xg_lit_fail(r, r->p, NULL, "tuples are nested more than %d deep", DEEPEST);
    if (s->type != XLAGPU_TUPLE && !xg_shape_is_array(s))
        xg_lit_fail(r, r->p, NULL, "a value of type %s cannot be written as a literal", xg_type_name(s->type));
    if ((s->rank || s->type == XLAGPU_TUPLE) && xg_lit_elided(r)) return xg_literal_make(r->arena, s, true);
    return s->type == XLAGPU_TUPLE ? xg_lit_tuple(r, s, depth) : xg_lit_dense(r, s);
}

XG_FN xg_literal *xg_literal_parse(xg_ctx *c, xg_arena *a, const xg_source *src, size_t *at, const xg_shape *shape) {
    xg_lit_reader r;
    xg_literal *l;
    memset(&r, 0, sizeof r);
    r.ctx = c;
    r.arena = a;
    r.src = src;
    r.p = src->text + *at;
    r.end = src->text + src->size;
    xg_lit_space(&r, false);
    l = xg_lit_read(&r, shape, 0);
    *at = (size_t)(r.p - src->text);
    return l;
}

#endif /* XG_HLO_LITERAL_C */
