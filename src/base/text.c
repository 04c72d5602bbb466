/* base/text.c -- strings, locale-free formatting, interning, the nearest known word. */
#ifndef XG_BASE_TEXT_C
#define XG_BASE_TEXT_C
#include "base.h"

XG_FN xg_str xg_str_of(const char *p, size_t n) {
    xg_str s;
    s.p = p;
    s.n = (uint32_t)n;
    return s;
}
XG_FN xg_str xg_str_z(const char *z) { return xg_str_of(z ? z : "", z ? strlen(z) : 0); }
XG_FN bool xg_str_eq(xg_str a, xg_str b) {
    return a.n == b.n && (a.n == 0 || a.p == b.p || memcmp(a.p, b.p, a.n) == 0);
}
XG_FN bool xg_str_is(xg_str a, const char *z) {
    size_t n = strlen(z);
    return a.n == n && (n == 0 || memcmp(a.p, z, n) == 0);
}
XG_FN int xg_word_in(const char *list, xg_str word) {
    size_t n;
    int k = 0;
    for (; *list; list += n + (list[n] == ' '), k++) {
        n = strcspn(list, " ");
        if (word.n == n && memcmp(word.p, list, n) == 0) return k;
    }
    return -1;
}
XG_FN const char *xg_text_nth(const void *texts, size_t k) {
    const char *t = (const char *)texts;
    for (; *t && k; k--) t += strlen(t) + 1;
    return *t ? t : NULL;
}
XG_COLD XG_FN const char *xg_status_text(xlagpu_status s) {
    XG_TABLE const char texts[] =
#define X(name, text) text "\0"
        XLAGPU_STATUSES(X)
#undef X
        ;
    const char *text = xg_text_nth(texts, (size_t)s);
    return text ? text : "unknown status";
}
XG_FN xg_str xg_str_copy(xg_arena *a, xg_str s) {
    char *p = (char *)xg_alloc_raw(a, (size_t)s.n + 1);
    if (s.n) memcpy(p, s.p, s.n);
    p[s.n] = 0;
    return xg_str_of(p, s.n);
}

/* Xorshift-multiply over 8-byte words, of which the upper half is kept; quality is enough for tables, and it is the
 * same on every machine. */
XG_FN uint32_t xg_hash_mix(uint32_t h, uint64_t x) {
    uint64_t v = ((uint64_t)h + 0x9E3779B97F4A7C15u) ^ x;
    v ^= v >> 32;
    v *= 0xD6E8FEB86659FD93u;
    return (uint32_t)(v >> 32);
}
XG_FN uint32_t xg_hash(const void *data, size_t n) {
    const char *p = (const char *)data;
    uint32_t h = (uint32_t)n;
    uint64_t w;
    for (; n >= 8; n -= 8, p += 8) {
        memcpy(&w, p, 8);
        h = xg_hash_mix(h, w);
    }
    w = 0;
    if (n) memcpy(&w, p, n);
    return xg_hash_mix(h, w);
}

/* ---- growing text ---- */

XG_FN void xg_buf_init(xg_buf *b, xg_arena *a) {
    memset(b, 0, sizeof *b);
    b->arena = a;
}

XG_FN char *xg_buf_room(xg_buf *b, size_t n) {
    if (n >= b->cap - b->n || !b->p) {
        size_t need = xg_add(b->arena->ctx, xg_add(b->arena->ctx, b->n, n), 1), cap = b->cap ? b->cap : 256;
        char *p;
        if (cap < need) cap = xg_mul(b->arena->ctx, cap, 2);
        cap = XG_MAX(cap, need);
        if (!xg_arena_extend(b->arena, b->p, b->cap, cap)) {
            p = (char *)xg_alloc_raw(b->arena, cap);
            if (b->n) memcpy(p, b->p, b->n);
            b->p = p;
        }
        b->cap = cap;
    }
    return b->p + b->n;
}
XG_FN void xg_put(xg_buf *b, const char *p, size_t n) {
    char *at = xg_buf_room(b, n);
    if (n) memcpy(at, p, n);
    b->n += n;
    b->p[b->n] = 0;
}
XG_FN void xg_puts(xg_buf *b, const char *z) { xg_put(b, z, strlen(z)); }
XG_FN void xg_put_str(xg_buf *b, xg_str s) { xg_put(b, s.p, s.n); }
XG_FN void xg_putc(xg_buf *b, char c) {
    char *at = XG_LIKELY(b->n + 1 < b->cap) ? b->p + b->n : xg_buf_room(b, 1);
    at[0] = c;
    at[1] = 0;
    b->n++;
}

XG_FN void xg_put_u64(xg_buf *b, uint64_t v) {
    char t[24], *e = t + sizeof t, *s = xg_digits(e, v, 10, false);
    xg_put(b, s, (size_t)(e - s));
}
XG_FN void xg_put_i64(xg_buf *b, int64_t v) {
    if (v < 0) xg_putc(b, '-');
    xg_put_u64(b, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}
XG_FN void xg_put_hex(xg_buf *b, uint64_t v, int digits) {
    char t[24], *e = t + sizeof t, *s = xg_digits(e, v, 16, true);
    while (e - s < digits && s > t) *--s = '0';
    xg_put(b, s, (size_t)(e - s));
}

XG_FN void xg_printf(xg_buf *b, const char *format, ...) {
    va_list args;
    size_t n;
    char *at = xg_buf_room(b, 120);
    va_start(args, format);
    n = xg_vformat(at, b->cap - b->n, format, args);
    va_end(args);
    if (n >= b->cap - b->n) {
        at = xg_buf_room(b, n + 1);
        va_start(args, format);
        n = xg_vformat(at, b->cap - b->n, format, args);
        va_end(args);
    }
    b->n += n;
}

XG_FN void xg_texts_add(xg_texts *t, xg_arena *a, xg_str piece) {
    xg_push(a, xg_str, t, piece);
    t->bytes += piece.n;
}
XG_FN void xg_put_texts(xg_buf *b, const xg_texts *t) {
    uint32_t k;
    (void)xg_buf_room(b, t->bytes);
    for (k = 0; k < t->n; k++) xg_put_str(b, t->p[k]);
}

/* ---- interning ---- */

XG_FN void xg_pool_init(xg_pool *p, xg_arena *a) {
    memset(p, 0, sizeof *p);
    p->arena = a;
}

XG_FN void xg_pool_grow(xg_pool *p) {
    uint32_t cap = p->cap ? p->cap * 2 : 256, i, at;
    xg_str *slots = XG_NEW_N(p->arena, xg_str, cap);
    for (i = 0; i < p->cap; i++) {
        if (!p->slots[i].p) continue;
        for (at = xg_hash(p->slots[i].p, p->slots[i].n) & (cap - 1); slots[at].p; at = (at + 1) & (cap - 1)) {}
        slots[at] = p->slots[i];
    }
    p->slots = slots;
    p->cap = cap;
}
XG_FN xg_str xg_intern(xg_pool *p, xg_str s) {
    uint32_t at;
    if (p->n * 2 >= p->cap) xg_pool_grow(p);
    for (at = xg_hash(s.p, s.n) & (p->cap - 1); p->slots[at].p; at = (at + 1) & (p->cap - 1))
        if (xg_str_eq(p->slots[at], s)) return p->slots[at];
    p->n++;
    return p->slots[at] = xg_str_copy(p->arena, s);
}

/* ---- the nearest word ---- */

enum {
    XG_NEAR_MAX = 40
};

/* Damerau-Levenshtein distance (adjacent swaps count one) of two short words. */
XG_FN uint32_t xg_edit_distance(xg_str a, xg_str b) {
    uint32_t rows[3][XG_NEAR_MAX + 1], i, j;
    for (j = 0; j <= b.n; j++) rows[0][j] = j;
    for (i = 1; i <= a.n; i++) {
        uint32_t *now = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        now[0] = i;
        for (j = 1; j <= b.n; j++) {
            uint32_t best = last[j - 1] + (a.p[i - 1] != b.p[j - 1]);
            best = XG_MIN(best, XG_MIN(last[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] && a.p[i - 2] == b.p[j - 1])
                best = XG_MIN(best, before[j - 2] + 1);
            now[j] = best;
        }
    }
    return rows[a.n % 3][b.n];
}

XG_FN const char *xg_nearest(xg_str word, const char *(*names)(const void *user, size_t i), const void *user) {
    uint32_t best = word.n <= 4 ? 2 : word.n / 3 + 2;
    const char *found = NULL, *name;
    size_t i;
    if (word.n == 0 || word.n > XG_NEAR_MAX) return NULL;
    for (i = 0; (name = names(user, i)) != NULL; i++) {
        xg_str s = xg_str_z(name);
        uint32_t d;
        if (s.n > XG_NEAR_MAX || s.n > word.n + best || word.n > s.n + best) continue;
        d = xg_edit_distance(word, s);
        if (d < best && d < word.n) {
            best = d;
            found = name;
        }
    }
    return found;
}

#endif /* XG_BASE_TEXT_C */
