/* sim/provided.c -- what a GPU's driver gives to every kernel: vprintf, assertions, a heap, a stack that grows; and
 * launches that are cancelled.
 *
 * Modules declare vprintf, __assertfail, malloc and free without a body; a call of one of them comes here. Text goes to
 * the launch's `print` (nothing happens where there is none), block by block when one worker runs. The heap is one
 * buffer of the memory that the kernel is launched on, made by the first launch that needs it and kept as a GPU keeps
 * it; an allocation begins with its size, and all of them are found from there. */
#ifndef XG_SIM_PROVIDED_C
#define XG_SIM_PROVIDED_C
#include "umma.c"

XG_FN bool xg_sim_cluster_of(const xg_sim_launch *l, uint64_t block, uint64_t *blocks); /* run.c */
XG_FN void xg_sim_position(const xg_sim_launch *l, uint64_t block, uint32_t at[3]);

enum {
    XG_SIM_PRINT_MAX = 1024,     /* bytes of one call's text: what a GPU's buffer takes is not said either */
    XG_SIM_HEAP_BYTES = 8 << 20, /* as cudaLimitMallocHeapSize says by default */
    XG_SIM_HEAP_ALIGN = 16,
    XG_SIM_ALLOCA_BYTES = 16384 /* of a thread: more than the 1 KiB that a GPU gives by default */
};

/* ---- text ---- */

typedef struct xg_sim_text {
    char p[XG_SIM_PRINT_MAX];
    size_t n;
} xg_sim_text;
typedef struct xg_sim_conversion {
    bool left, plus, space, sharp, zero;
    int width, precision; /* -1: none */
    uint32_t bytes;       /* of an integer */
    char letter;
} xg_sim_conversion;

XG_FN void xg_sim_text_put(xg_sim_text *t, const char *p, size_t n) {
    n = XG_MIN(n, sizeof t->p - t->n);
    memcpy(t->p + t->n, p, n);
    t->n += n;
}
/* `n` bytes, their first `sign` a sign or prefix, in a field. */
XG_FN void xg_sim_text_field(
    xg_sim_text *t, const xg_sim_conversion *c, const char *p, size_t n, size_t sign, bool zero) {
    size_t pad = c->width > 0 && (size_t)c->width > n ? (size_t)c->width - n : 0, i;
    for (i = 0; i < pad && !c->left && !zero; i++) xg_sim_text_put(t, " ", 1);
    xg_sim_text_put(t, p, sign);
    for (i = 0; i < pad && !c->left && zero; i++) xg_sim_text_put(t, "0", 1);
    xg_sim_text_put(t, p + sign, n - sign);
    for (i = 0; i < pad && c->left; i++) xg_sim_text_put(t, " ", 1);
}
XG_FN void xg_sim_text_integer(xg_sim_text *t, const xg_sim_conversion *c, uint64_t x) {
    XG_TABLE const char small_digits[] = "0123456789abcdef", large_digits[] = "0123456789ABCDEF";
    char out[128];
    size_t n = 0, sign, i, digits = 0;
    bool sgn = c->letter == 'd' || c->letter == 'i', minus = sgn && (int64_t)x < 0;
    uint32_t base = c->letter == 'o' ? 8 : c->letter == 'x' || c->letter == 'X' || c->letter == 'p' ? 16 : 10;
    char all[24];
    uint64_t y = minus ? 0 - x : x;
    for (; y; y /= base) all[digits++] = (c->letter == 'X' ? large_digits : small_digits)[y % base];
    if (!digits && c->precision != 0) all[digits++] = '0';
    if (minus || (sgn && (c->plus || c->space))) out[n++] = minus ? '-' : c->plus ? '+' : ' ';
    if (c->letter == 'p' || (c->sharp && base == 16 && x)) {
        out[n++] = '0';
        out[n++] = c->letter == 'X' ? 'X' : 'x';
    }
    sign = n;
    if (c->sharp && base == 8 && (int)digits >= c->precision && !(digits == 1 && all[0] == '0')) out[n++] = '0';
    for (i = digits; c->precision > 0 && i < (size_t)XG_MIN(c->precision, 64); i++) out[n++] = '0';
    for (i = digits; i-- > 0;) out[n++] = all[i];
    xg_sim_text_field(t, c, out, n, sign, c->zero && c->precision < 0);
}
/* Digits with a point behind the first `whole` of them. */
XG_FN size_t xg_sim_text_digits(char *out, const char *digits, int n, int whole, int fraction, bool point) {
    size_t at = 0;
    int i;
    if (whole <= 0) out[at++] = '0';
    for (i = 0; i < whole; i++) out[at++] = i < n ? digits[i] : '0';
    if (fraction > 0 || point) out[at++] = '.';
    for (i = whole; i < whole + fraction; i++) out[at++] = i < 0 || i >= n ? '0' : digits[i];
    return at;
}
/* The digits of x rounded to `fraction` places behind the point; returns how many, *exponent that of the first. */
XG_FN int xg_sim_text_round(double x, int fraction, int *exponent, char *digits) {
    int n;
    *exponent = xg_float_digits(x, 17, digits);
    n = *exponent + 1 + fraction;
    if (n < 0) return 0;
    if (n == 0) { /* one place below the last one that is kept: it rounds to 0 or to 1 */
        *exponent = xg_float_digits(x, 17, digits);
        n = digits[0] > '5' || (digits[0] == '5' && memcmp(digits + 1, "0000000000000000", 16) != 0);
        digits[0] = '1';
        *exponent += n;
        return n;
    }
    *exponent = xg_float_digits(x, n, digits);
    return n;
}
XG_FN void xg_sim_text_float(xg_sim_text *t, const xg_sim_conversion *c, double x) {
    char out[512], digits[420];
    size_t n = 0, sign;
    int precision = c->precision < 0 ? 6 : XG_MIN(c->precision, 60), exponent = 0, count = 0;
    char letter = c->letter | 32;
    bool upper = c->letter != letter, zero = x == 0, minus = xg_f64_bits(x) >> 63 != 0, g = letter == 'g';
    memset(digits, '0', sizeof digits);
    if (minus) x = -x;
    if (minus || c->plus || c->space) out[n++] = minus ? '-' : c->plus ? '+' : ' ';
    sign = n;
    if (x != x || x > 1.7976931348623157e308) {
        memcpy(out + n, x != x ? (upper ? "NAN" : "nan") : upper ? "INF" : "inf", 3);
        xg_sim_text_field(t, c, out, n + 3, sign, false);
        return;
    }
    if (g) {
        precision = XG_MAX(precision, 1);
        if (!zero) exponent = xg_float_digits(x, precision, digits);
        letter = exponent < -4 || exponent >= precision ? 'e' : 'f';
        count = precision;
        precision = letter == 'e' ? precision - 1 : precision - 1 - exponent;
        while (!c->sharp && precision > 0 && digits[letter == 'e' ? precision : exponent + precision] == '0')
            precision--;
    } else if (letter == 'e') {
        count = precision + 1;
        if (!zero) exponent = xg_float_digits(x, count, digits);
    } else if (!zero)
        count = xg_sim_text_round(x, precision, &exponent, digits);
    if (letter == 'e') {
        int k = exponent < 0 ? -exponent : exponent;
        n += xg_sim_text_digits(out + n, digits, count, 1, precision, c->sharp);
        out[n++] = upper ? 'E' : 'e';
        out[n++] = exponent < 0 ? '-' : '+';
        if (k >= 100) out[n++] = (char)('0' + k / 100);
        out[n++] = (char)('0' + k / 10 % 10);
        out[n++] = (char)('0' + k % 10);
    } else
        n += xg_sim_text_digits(out + n, digits, count, exponent + 1, precision, c->sharp);
    xg_sim_text_field(t, c, out, n, sign, c->zero);
}

/* ---- what a thread points to ---- */

/* A byte at a generic address; -1 after a fault. */
XG_FN int xg_sim_byte_at(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane, uint64_t a) {
    const char *p = xg_sim_reach_lane(w, v, in, lane, XG_SIM_GENERIC, a, 1, false);
    return p ? (unsigned char)*p : -1;
}
/* Text that ends with a 0, or after `most` bytes; false after a fault. */
XG_FN bool xg_sim_string_at(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane, uint64_t a,
    size_t most, xg_sim_text *t) {
    size_t i;
    for (i = 0; i < most; i++) {
        int c = xg_sim_byte_at(w, v, in, lane, a + i);
        char x = (char)c;
        if (c <= 0) return c == 0;
        xg_sim_text_put(t, &x, 1);
    }
    return true;
}
/* The next argument of vprintf, from where they are packed, each at a multiple of its size. */
XG_FN bool xg_sim_print_argument(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane,
    uint64_t *at, uint32_t bytes, uint64_t *x) {
    const char *p;
    *at = (*at + bytes - 1) / bytes * bytes;
    p = xg_sim_reach_lane(w, v, in, lane, XG_SIM_GENERIC, *at, bytes, false);
    if (!p) return false;
    *x = 0;
    memcpy(x, p, bytes);
    *at += bytes;
    return true;
}

/* Reads one conversion behind its %; returns how many characters it has, 0 for none. */
XG_FN size_t xg_sim_conversion_read(const char *f, size_t n, xg_sim_conversion *c) {
    size_t i = 0;
    uint32_t longs = 0, shorts = 0;
    memset(c, 0, sizeof *c);
    c->width = c->precision = -1;
    for (; i < n && strchr("-+ #0", f[i]) && f[i]; i++) {
        if (f[i] == '-') c->left = true;
        if (f[i] == '+') c->plus = true;
        if (f[i] == ' ') c->space = true;
        if (f[i] == '#') c->sharp = true;
        if (f[i] == '0') c->zero = true;
    }
    if (i < n && f[i] == '*') c->width = -2, i++;
    for (; i < n && xg_sim_is_digit(f[i]); i++) c->width = XG_MIN(XG_MAX(c->width, 0) * 10 + (f[i] - '0'), 900);
    if (i < n && f[i] == '.') {
        c->precision = 0;
        i++;
        if (i < n && f[i] == '*') c->precision = -2, i++;
        for (; i < n && xg_sim_is_digit(f[i]); i++) c->precision = XG_MIN(c->precision * 10 + (f[i] - '0'), 900);
    }
    for (; i < n && strchr("hlLqjzt", f[i]) && f[i]; i++) {
        longs += f[i] != 'h';
        shorts += f[i] == 'h';
    }
    if (i == n || !f[i] || !strchr("diouxXcspfFeEgGaA%", f[i])) return 0;
    c->letter = f[i];
    c->bytes = longs || f[i] == 'p' ? 8 : shorts == 1 ? 2 : shorts ? 1 : 4;
    return i + 1;
}
/* A width or precision that is an argument. */
XG_FN bool xg_sim_conversion_star(
    xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane, uint64_t *at, int *value) {
    uint64_t x;
    if (*value != -2) return true;
    if (!xg_sim_print_argument(w, v, in, lane, at, 4, &x)) return false;
    *value = XG_MAX(XG_MIN((int32_t)(uint32_t)x, 900), -900);
    return true;
}
XG_FN bool xg_sim_print_one(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane, uint64_t *at,
    xg_sim_conversion *c, xg_sim_text *t) {
    uint64_t x = 0;
    double d;
    if (!xg_sim_conversion_star(w, v, in, lane, at, &c->width) ||
        !xg_sim_conversion_star(w, v, in, lane, at, &c->precision))
        return false;
    if (c->width < -1) {
        c->left = true;
        c->width = -c->width;
    }
    if (c->letter == '%') {
        xg_sim_text_put(t, "%", 1);
        return true;
    }
    if (strchr("fFeEgGaA", c->letter)) {
        if (!xg_sim_print_argument(w, v, in, lane, at, 8, &x)) return false;
        memcpy(&d, &x, 8);
        if ((c->letter | 32) == 'a') c->letter = c->letter == 'a' ? 'e' : 'E';
        xg_sim_text_float(t, c, d);
        return true;
    }
    if (!xg_sim_print_argument(w, v, in, lane, at, c->letter == 's' || c->bytes == 8 ? 8 : 4, &x)) return false;
    if (c->letter == 's') {
        xg_sim_text inner;
        inner.n = 0;
        if (!xg_sim_string_at(w, v, in, lane, x, c->precision >= 0 ? (size_t)c->precision : sizeof inner.p, &inner))
            return false;
        xg_sim_text_field(t, c, inner.p, inner.n, 0, false);
    } else if (c->letter == 'c') {
        char y = (char)x;
        xg_sim_text_field(t, c, &y, 1, 0, false);
    } else {
        if (c->letter == 'd' || c->letter == 'i')
            x = c->bytes == 8   ? x
                : c->bytes == 4 ? (uint64_t)(int32_t)x
                : c->bytes == 2 ? (uint64_t)(int16_t)x
                                : (uint64_t)(int8_t)x;
        else if (c->bytes < 8)
            x &= ((uint64_t)1 << (c->bytes * 8)) - 1;
        xg_sim_text_integer(t, c, x);
    }
    return true;
}
/* vprintf of one thread; its result, -1 after a fault. */
XG_FN int xg_sim_print(
    xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane, uint64_t format, uint64_t arguments) {
    xg_sim_text f, t;
    size_t i = 0;
    int n = 0;
    f.n = t.n = 0;
    if (!xg_sim_string_at(w, v, in, lane, format, sizeof f.p, &f)) return -1;
    while (i < f.n) {
        xg_sim_conversion c;
        size_t used;
        if (f.p[i] != '%' || !(used = xg_sim_conversion_read(f.p + i + 1, f.n - i - 1, &c))) {
            xg_sim_text_put(&t, f.p + i++, 1);
            continue;
        }
        if (!xg_sim_print_one(w, v, in, lane, &arguments, &c, &t)) return -1;
        n += c.letter != '%';
        i += 1 + used;
    }
    if (w->l->print) w->l->print(w->l->print_user, t.p, t.n);
    return n;
}

/* ---- the heap ---- */

/* What stands before each piece of the heap. */
typedef struct xg_sim_piece {
    uint64_t bytes; /* with this; a multiple of XG_SIM_HEAP_ALIGN */
    uint32_t used, mark;
} xg_sim_piece;
enum {
    XG_SIM_PIECE_MARK = 0x50414548
};
XG_ONE_COPY XG_FN void xg_sim_heap_lock(xg_sim_memory *m) {
    while (!xg_sim_counter_swap(&m->heap_lock, 0, 1)) {}
}
/* The heap's address; 0 when there is no room for one. Before a launch: no other worker runs. */
XG_FN bool xg_sim_heap_make(xg_sim_memory *m) {
    xg_sim_buffer b;
    xg_sim_piece first;
    uint64_t limit;
    xlagpu_status status;
    char *p;
    if (m->heap) return true;
    p = (char *)xg_mem_alloc(m->ctx, XG_SIM_HEAP_BYTES + 256);
    if (!p) return false;
    memset(&b, 0, sizeof b);
    b.base = ((uint64_t)(uintptr_t)p + 255) / 256 * 256;
    b.bytes = XG_SIM_HEAP_BYTES;
    b.name = "device heap";
    memset(&first, 0, sizeof first);
    first.bytes = b.bytes;
    first.mark = XG_SIM_PIECE_MARK;
    memcpy((char *)(uintptr_t)b.base, &first, sizeof first);
    limit = m->shadow_limit;
    m->shadow_limit = 1; /* no shadow: what one thread frees, another one may get without any order between them */
    status = xg_sim_memory_add(m, &b);
    m->shadow_limit = limit;
    if (status != XLAGPU_OK) {
        xg_mem_free(m->ctx, p);
        return false;
    }
    m->heap = b.base;
    m->heap_block = p;
    return true;
}
XG_FN uint64_t xg_sim_heap_alloc(xg_sim_memory *m, uint64_t bytes) {
    uint64_t at = m->heap, end = at + XG_SIM_HEAP_BYTES, found = 0;
    uint64_t want = (bytes + sizeof(xg_sim_piece) + XG_SIM_HEAP_ALIGN - 1) / XG_SIM_HEAP_ALIGN * XG_SIM_HEAP_ALIGN;
    if (!at || !bytes || bytes > XG_SIM_HEAP_BYTES) return 0;
    xg_sim_heap_lock(m);
    while (at < end && !found) {
        xg_sim_piece p, rest;
        memcpy(&p, (const char *)(uintptr_t)at, sizeof p);
        if (p.mark != XG_SIM_PIECE_MARK || !p.bytes || p.bytes > end - at) break; /* the kernel has overwritten it */
        while (!p.used && at + p.bytes < end) {                                   /* free neighbours become one */
            memcpy(&rest, (const char *)(uintptr_t)(at + p.bytes), sizeof rest);
            if (rest.used || rest.mark != XG_SIM_PIECE_MARK) break;
            p.bytes += rest.bytes;
        }
        if (!p.used && p.bytes >= want) {
            if (p.bytes - want >= 2 * sizeof p) {
                rest = p;
                rest.bytes = p.bytes - want;
                memcpy((char *)(uintptr_t)(at + want), &rest, sizeof rest);
                p.bytes = want;
            }
            p.used = 1;
            found = at + sizeof p;
        }
        memcpy((char *)(uintptr_t)at, &p, sizeof p);
        at += p.bytes;
    }
    XG_SIM_COUNTER_SET(&m->heap_lock, 0);
    return found;
}
/* False when no piece in use begins there. */
XG_FN bool xg_sim_heap_free(xg_sim_memory *m, uint64_t address) {
    uint64_t at = m->heap, end = at + XG_SIM_HEAP_BYTES;
    bool found = false;
    if (!address) return true;
    xg_sim_heap_lock(m);
    while (at && at < end && !found) {
        xg_sim_piece p;
        memcpy(&p, (const char *)(uintptr_t)at, sizeof p);
        if (p.mark != XG_SIM_PIECE_MARK || !p.bytes || p.bytes > end - at) break;
        if (at + sizeof p == address && p.used) {
            p.used = 0;
            found = true;
            memcpy((char *)(uintptr_t)at, &p, sizeof p);
        }
        at += p.bytes;
    }
    XG_SIM_COUNTER_SET(&m->heap_lock, 0);
    return found;
}

/* ---- calls ---- */

/* X(NAME, text, arguments): what a driver provides. */
#define XG_SIM_PROVIDED(X) X(PRINT, "vprintf", 2) X(ASSERT, "__assertfail", 5) X(ALLOC, "malloc", 1) X(FREE, "free", 1)
typedef enum xg_sim_provided {
#define X(name, text, n) XG_SIM_P_##name,
    XG_SIM_PROVIDED(X)
#undef X
    XG_SIM_P_COUNT
} xg_sim_provided;
XG_FN xg_sim_provided xg_sim_provided_of(const xg_sim_func *f) {
    static const struct {
        const char *text;
        uint32_t n;
    } rows[XG_SIM_P_COUNT] = {
#define X(name, text, n) {text, n},
        XG_SIM_PROVIDED(X)
#undef X
    };
    uint32_t i;
    for (i = 0; i < XG_SIM_P_COUNT; i++)
        if (!f->defined && f->n_args == rows[i].n && xg_str_is(f->info.name, rows[i].text)) break;
    return (xg_sim_provided)i;
}
/* A call's arguments of one thread, up to 64 bits each. */
XG_FN void xg_sim_provided_arguments(const xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in,
    const xg_sim_callsite *s, uint32_t lane, uint64_t x[5]) {
    const char *t = w->local + ((size_t)v->id * XG_SIM_WARP + lane) * w->l->local_bytes + v->local;
    uint32_t i, item = 0;
    for (i = 0; i < s->n_args && i < 5; i++) {
        const xg_sim_copy *c = &w->m->copies[s->first_arg + i];
        uint32_t bytes = XG_MIN(c->bytes, 8u);
        x[i] = 0;
        if (c->reg)
            memcpy(&x[i], xg_sim_slot(w, v, w->m->list[in->list + item++]) + (size_t)lane * XG_MAX(2u, bytes), bytes);
        else
            memcpy(&x[i], t + c->from, bytes);
    }
}
XG_FN void xg_sim_provided_result(const xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in,
    const xg_sim_callsite *s, uint32_t lane, uint64_t x) {
    const xg_sim_copy *c = &w->m->copies[s->first_ret];
    uint32_t i, item = 0;
    if (!s->n_rets) return;
    for (i = 0; i < s->n_args; i++) item += w->m->copies[s->first_arg + i].reg;
    if (c->reg)
        memcpy(v->regs + w->m->list[in->list + item] + (size_t)lane * XG_MAX(2u, c->bytes), &x, XG_MIN(c->bytes, 8u));
    else
        memcpy(w->local + ((size_t)v->id * XG_SIM_WARP + lane) * w->l->local_bytes + v->local + c->to, &x,
            XG_MIN(c->bytes, 8u));
}
/* __assertfail(message, file, line, function, bytes of a character) */
XG_FN void xg_sim_assert(
    xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane, const uint64_t x[5]) {
    xg_sim_text message, file, function;
    message.n = file.n = function.n = 0;
    if (xg_sim_string_at(w, v, in, lane, x[0], 200, &message) && xg_sim_string_at(w, v, in, lane, x[1], 200, &file) &&
        xg_sim_string_at(w, v, in, lane, x[3], 200, &function))
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_ASSERT, "%.*s:%u: %.*s: assertion '%.*s' failed", (int)file.n, file.p,
            (uint32_t)x[2], (int)function.n, function.p, (int)message.n, message.p);
}
/* True when the driver provides the function; it has been executed then. */
XG_APART XG_FN bool xg_sim_exec_provided(
    xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, const xg_sim_callsite *s, uint32_t mask) {
    xg_sim_provided what = xg_sim_provided_of(s->callee);
    uint32_t i;
    if (what == XG_SIM_P_COUNT) return false;
    for (i = 0; i < XG_SIM_WARP && !w->faulted; i++) {
        uint64_t x[5], result = 0;
        if (!(mask >> i & 1)) continue;
        xg_sim_provided_arguments(w, v, in, s, i, x);
        if (what == XG_SIM_P_PRINT)
            result = (uint64_t)(int64_t)xg_sim_print(w, v, in, i, x[0], x[1]);
        else if (what == XG_SIM_P_ASSERT)
            xg_sim_assert(w, v, in, i, x);
        else if (what == XG_SIM_P_ALLOC)
            result = w->l->memory ? xg_sim_heap_alloc(w->l->memory, x[0]) : 0;
        else if (!w->l->memory || !xg_sim_heap_free(w->l->memory, x[0]))
            xg_sim_fault(w, v, in, i, XG_SIM_FAULT_OPERAND,
                "free of 0x%llX, which malloc has not returned or which has been freed", (unsigned long long)x[0]);
        xg_sim_provided_result(w, v, in, s, i, result);
    }
    return true;
}

/* ---- the stack ---- */

XG_FN bool xg_sim_stack_lane(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane) {
    uint32_t *used = &w->stack[v->id * XG_SIM_WARP + lane], base = w->l->local_bytes - w->l->alloca_bytes, bytes;
    uint64_t x = in->op == XG_SIM_Y_STACK_SAVE ? base + *used
                                               : xg_sim_lane_address(xg_sim_slot(w, v, in->a), lane, in->imm2 != 0, 0);
    if (in->op == XG_SIM_Y_STACK_RESTORE) {
        if (x < base || x - base > *used) {
            xg_sim_fault(
                w, v, in, lane, XG_SIM_FAULT_OPERAND, "0x%llX is not what stacksave has given", (unsigned long long)x);
            return false;
        }
        *used = (uint32_t)(x - base);
        return true;
    }
    if (in->op == XG_SIM_Y_ALLOCA) {
        uint64_t at = ((uint64_t)base + *used + in->imm - 1) / in->imm * in->imm;
        if (x > XG_SIM_ALLOCA_BYTES || at + x > w->l->local_bytes) {
            xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_BOUNDS, "alloca of %llu bytes: the thread has %u left of %d",
                (unsigned long long)x, w->l->alloca_bytes - *used, (int)XG_SIM_ALLOCA_BYTES);
            return false;
        }
        *used = (uint32_t)(at + x - base);
        x = at;
    }
    bytes = in->dbytes;
    memcpy(v->regs + in->d + (size_t)lane * bytes, &x, bytes);
    return true;
}

/* ---- launches that are cancelled ---- */

/* The next cluster that no worker has begun, which the asking one takes over; false when there is none. */
XG_FN bool xg_sim_cancel_next(xg_sim_worker *w, uint64_t *block) {
    xg_sim_worker *first = w->cluster->peers[0];
    const xg_sim_launch *l = w->l;
    uint64_t total = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2], blocks[XG_SIM_CLUSTER_MAX];
    do {
        *block = first->range_at < first->range_end ? first->range_at++ : xg_sim_next_blocks(w->l, 1);
        if (*block >= total) return false;
        *block = xg_sim_block_at(l, *block);
    } while (!xg_sim_cluster_of(l, *block, blocks));
    return true;
}
XG_FN bool xg_sim_try_cancel_lane(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane) {
    char *to = xg_sim_reach_bytes(w, v, in, lane, in->a, in->imm2, 16, 16, true);
    char *bar = to ? xg_sim_mb_at(w, v, in, lane, in->c, in->imm2 >> 16, false) : NULL;
    uint32_t answer[4] = {0, 0, 0, 0}, r;
    uint64_t block;
    if (!bar) return false;
    if (!xg_sim_owner(w, to)) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_OPERAND, "the answer to clusterlaunchcontrol goes to shared memory");
        return false;
    }
    if (xg_sim_cancel_next(w, &block)) {
        xg_sim_position(w->l, block, answer);
        answer[3] = 1;
    }
    for (r = 0; r < w->cluster->n; r++) {
        bool all = (in->imm & XG_SIM_BK_MULTICAST) != 0;
        xg_sim_flight *f;
        char *there = all ? xg_sim_in_peer(w, to, r) : to;
        if (!all && r) break;
        if (!xg_sim_claim(w, v, in, lane, there, 16, true)) return false;
        f = xg_sim_take_off(w, v, in, lane, all ? xg_sim_in_peer(w, bar, r) : bar);
        memcpy(f->answer, answer, sizeof answer);
        f->dst = there;
        f->src = NULL; /* the answer */
        f->bytes = 16;
        f->imm = 0;
    }
    return true;
}
XG_FN bool xg_sim_cancelled_lane(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane) {
    uint32_t answer[4], i;
    uint64_t half[2];
    half[0] = xg_sim_mb_get(xg_sim_slot(w, v, in->a) + (size_t)lane * 8);
    half[1] = xg_sim_mb_get(xg_sim_slot(w, v, in->b) + (size_t)lane * 8);
    memcpy(answer, half, sizeof answer);
    if (answer[3] > 1 || (in->imm != 3 && !answer[3])) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_OPERAND,
            answer[3] > 1 ? "these 16 bytes are no answer of clusterlaunchcontrol.try_cancel"
                          : "the first block of a cluster that was not cancelled: ask is_canceled before");
        return false;
    }
    for (i = 0; i < in->n; i++) {
        uint32_t x = in->imm == 3 ? (answer[3] ? 0xFFFFFFFFu : 0u) : answer[XG_MIN(in->imm + i, 3u)];
        if (i == 3) x = 0;
        xg_sim_put_u32(v->regs + w->m->list[in->list + i], lane, x);
    }
    return true;
}
/* ---- memory of several devices ---- */

/* Floats are added as `wide`, rounded after each addition. */
XG_FN double xg_sim_multi_float(xg_sim_multi_op op, xlagpu_type wide, double a, double b) {
    char sum[8];
    if (op == XG_SIM_MULTI_MIN) return a != a || b < a ? b : a;
    if (op == XG_SIM_MULTI_MAX) return a != a || b > a ? b : a;
    xg_float_store(wide, sum, a + b);
    return xg_float_load(wide, sum);
}
XG_FN uint64_t xg_sim_multi_int(xg_sim_multi_op op, uint64_t flip, uint64_t a, uint64_t b) {
    switch (op) {
    case XG_SIM_MULTI_MIN: return (a ^ flip) < (b ^ flip) ? a : b;
    case XG_SIM_MULTI_MAX: return (a ^ flip) > (b ^ flip) ? a : b;
    case XG_SIM_MULTI_ADD: return a + b;
    case XG_SIM_MULTI_AND: return a & b;
    case XG_SIM_MULTI_OR: return a | b;
    default: return a ^ b;
    }
}
/* One element, of all members, in their order. */
XG_FN void xg_sim_multi_reduce(uint32_t how, const xg_sim_multi_row *t, const xg_sim_buffer *b, uint64_t at, char *to) {
    const xg_sim_multi_op op = (xg_sim_multi_op)(how >> XG_SIM_MULTI_OP & 7);
    const bool is_float = t->type >= XLAGPU_F4E2M1FN && t->type <= XLAGPU_F64;
    const xlagpu_type wide = how & XG_SIM_MULTI_WIDE ? XLAGPU_F32 : t->bytes == 1 ? XLAGPU_F16 : t->type;
    const uint64_t flip = t->type == XLAGPU_S32 || t->type == XLAGPU_S64 ? (uint64_t)1 << (8 * t->bytes - 1) : 0;
    double sum = 0;
    uint64_t all = 0;
    uint32_t k;
    for (k = 0; k < b->n_members; k++) {
        const char *from = (const char *)(uintptr_t)(b->members[k] + at);
        if (is_float) {
            double x = xg_float_load(t->type, from);
            sum = k ? xg_sim_multi_float(op, wide, sum, x) : x;
        } else {
            uint64_t x = 0;
            memcpy(&x, from, t->bytes);
            all = k ? xg_sim_multi_int(op, flip, all, x) : x;
        }
    }
    if (is_float)
        xg_float_store(t->type, to, sum);
    else
        memcpy(to, &all, t->bytes);
}
/* In front of the load of multimem.ld_reduce, and behind the store of multimem.st. A bad address is that one's. */
XG_FN bool xg_sim_multimem_lane(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane) {
    const xg_sim_multi_row *t = &xg_sim_multi_rows[in->imm2 >> XG_SIM_MULTI_TYPE & 31];
    uint64_t address = xg_sim_lane_address(xg_sim_slot(w, v, in->a), lane, (in->imm2 & XG_SIM_M_WIDE) != 0, in->imm);
    const xg_sim_buffer *b = xg_sim_memory_find(w->l->memory, address);
    char *here = (char *)(uintptr_t)address;
    uint32_t i, bytes = 1u << ((in->imm2 >> XG_SIM_M_SIZE & 7) + (in->imm2 >> XG_SIM_M_VECTOR & 3));
    if (!b || !b->n_members || bytes > b->bytes - (address - b->base)) return true;
    address -= b->base;
    if ((in->imm2 >> XG_SIM_MULTI_OP & 7) != XG_SIM_MULTI_STORE)
        for (i = 0; i < bytes; i += t->bytes) xg_sim_multi_reduce(in->imm2, t, b, address + i, here + i);
    else
        for (i = 0; i < b->n_members; i++) memcpy((char *)(uintptr_t)(b->members[i] + address), here, bytes);
    return true;
}

XG_FN bool xg_sim_system_lane(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane) {
    if (in->op == XG_SIM_Y_TRY_CANCEL) return xg_sim_try_cancel_lane(w, v, in, lane);
    if (in->op == XG_SIM_Y_CANCELLED) return xg_sim_cancelled_lane(w, v, in, lane);
    if (in->op == XG_SIM_Y_MULTIMEM) return xg_sim_multimem_lane(w, v, in, lane);
    return xg_sim_stack_lane(w, v, in, lane);
}

#endif /* XG_SIM_PROVIDED_C */
