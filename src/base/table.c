/* base/table.c -- open-addressing hash tables of power-of-two size, at most half full. */
#ifndef XG_BASE_TABLE_C
#define XG_BASE_TABLE_C
#include "base.h"

XG_FN uint32_t xg_table_next_cap(xg_ctx *c, uint32_t cap) {
    if (cap > UINT32_MAX / 4) xg_fail(c, XLAGPU_ERROR_LIMIT, "a table of more than 2^29 entries");
    return cap ? cap * 2 : 32;
}

/* ---- 64-bit keys ---- */

enum {
    XG_MAP64_FEW = 8
}; /* most have no more than half as many */

XG_FN void xg_map64_init(xg_map64 *m, xg_arena *a) {
    memset(m, 0, sizeof *m);
    m->arena = a;
}
XG_FN uint32_t xg_map64_slot(const xg_map64 *m, uint64_t key) {
    uint32_t at = xg_hash_mix(0, key) & (m->cap - 1);
    while (m->at[at].val && m->at[at].key != key) at = (at + 1) & (m->cap - 1);
    return at;
}
XG_FN void *xg_map64_get(const xg_map64 *m, uint64_t key) { return m->cap ? m->at[xg_map64_slot(m, key)].val : NULL; }
XG_FN void xg_map64_put(xg_map64 *m, uint64_t key, void *val) {
    uint32_t at;
    if (m->n * 2 >= m->cap) {
        xg_map64 old = *m;
        m->cap = old.cap ? xg_table_next_cap(m->arena->ctx, old.cap) : (uint32_t)XG_MAP64_FEW;
        m->at = XG_NEW_N(m->arena, xg_map64_item, m->cap);
        for (at = 0; at < old.cap; at++)
            if (old.at[at].val) m->at[xg_map64_slot(m, old.at[at].key)] = old.at[at];
    }
    at = xg_map64_slot(m, key);
    m->n += !m->at[at].val;
    m->at[at].key = key;
    m->at[at].val = val;
}

/* ---- hash-consed nodes ---- */

XG_FN void xg_set_init(xg_set *s, xg_arena *a) {
    memset(s, 0, sizeof *s);
    s->arena = a;
}
XG_FN void xg_set_make(xg_set *s, uint32_t cap) {
    void **slots = (void **)xg_alloc_raw(s->arena, xg_mul(s->arena->ctx, cap, sizeof *slots));
    s->hashes = XG_NEW_N(s->arena, uint32_t, cap);
    s->slots = slots;
    s->cap = cap;
}
XG_FN void xg_set_reserve(xg_set *s, uint32_t n) {
    uint32_t cap = 32;
    if (s->cap || n > UINT32_MAX / 8) return;
    while (cap < 2 * n) cap *= 2;
    xg_set_make(s, cap);
}
XG_FN uint32_t xg_set_next(const xg_set *s, uint32_t at) { return (at + 1) & (s->cap - 1); }
/* A slot with hash 0 is free: what is not there is mostly known to be so from the hashes alone. A bit that no place is
 * made of keeps them from being 0. */
XG_FN void **xg_set_find(xg_set *s, uint32_t hash, bool (*eq)(const void *node, const void *key), const void *key) {
    const uint32_t taken = (uint32_t)1 << 31;
    uint32_t at, to;
    if (s->n * 2 >= s->cap) {
        xg_set old = *s;
        xg_set_make(s, xg_table_next_cap(s->arena->ctx, old.cap));
        for (at = 0; at < old.cap; at++) {
            if (!old.hashes[at]) continue;
            for (to = old.hashes[at] & (s->cap - 1); s->hashes[to]; to = xg_set_next(s, to)) {}
            s->slots[to] = old.slots[at];
            s->hashes[to] = old.hashes[at];
        }
    }
    hash |= taken;
    for (at = hash & (s->cap - 1); s->hashes[at]; at = xg_set_next(s, at))
        if (s->hashes[at] == hash && (!s->slots[at] || eq(s->slots[at], key))) return &s->slots[at];
    s->hashes[at] = hash;
    s->slots[at] = NULL;
    s->n++; /* the caller fills the slot; should it fail first, the next one who wants an equal node does */
    return &s->slots[at];
}

/* ---- names ---- */

/* Few names are looked through; only more than that get slots.
 *
 * Most names end with a number that counts, and a caller has mostly asked for its neighbours just now: sixteen that
 * follow each other have their slots in one cache line (but each hundred begins a new one: two digits are all that is
 * looked at). A search that finds its slot taken looks into the same place of the next lines, for a taken line is
 * mostly taken as a whole; then, so that all slots are met, into one after the other. */
enum {
    XG_DICT_FEW = 16,
    XG_DICT_MANY = 4096,
    XG_DICT_LINE = 16,
    XG_DICT_LINES = 4
};

XG_FN void xg_dict_init(xg_dict *d, xg_arena *a) {
    memset(d, 0, sizeof *d);
    d->arena = a;
}
XG_FN bool xg_dict_is_digit(xg_str name, uint32_t n) { return n && name.p[n - 1] >= '0' && name.p[n - 1] <= '9'; }
XG_FN uint32_t xg_dict_hash(xg_str name) {
    uint32_t n = name.n, number;
    if (!xg_dict_is_digit(name, n)) return xg_hash(name.p, n);
    number = (uint32_t)(name.p[--n] - '0');
    if (xg_dict_is_digit(name, n)) number += 10 * (uint32_t)(name.p[--n] - '0');
    return (xg_hash(name.p, n) + number / XG_DICT_LINE * 0x9E3779B1u) * XG_DICT_LINE |
           number % XG_DICT_LINE; /* the lines of a hundred lie anywhere */
}
XG_FN uint32_t xg_dict_next(uint32_t at, uint32_t tried) {
    return at + (tried < XG_DICT_LINES ? (uint32_t)XG_DICT_LINE : 1u);
}
XG_FN bool xg_dict_is(const xg_dict_item *i, xg_str name, uint32_t hash) {
    return i->hash == hash && i->length == name.n && (i->name == name.p || memcmp(i->name, name.p, name.n) == 0);
}
/* A slot has the item's number plus 1 and, above it, the bits of the hash that its place does not tell: items that are
 * others are mostly not looked at. */
XG_FN uint32_t xg_dict_slot(const xg_dict *d, xg_str name, uint32_t hash) {
    const uint32_t mask = d->cap - 1;
    uint32_t at = hash & mask, tried = 0;
    for (; d->slots[at]; at = xg_dict_next(at, tried++) & mask)
        if (!((d->slots[at] ^ hash) & ~mask) && xg_dict_is(&d->items[(d->slots[at] & mask) - 1], name, hash)) break;
    return at;
}
/* The item's number plus 1; 0: there is none. */
XG_FN uint32_t xg_dict_find(const xg_dict *d, xg_str name, uint32_t hash) {
    uint32_t k;
    if (d->cap) return d->slots[xg_dict_slot(d, name, hash)] & (d->cap - 1);
    for (k = 0; k < d->n; k++)
        if (xg_dict_is(&d->items[k], name, hash)) return k + 1;
    return 0;
}
XG_FN void *xg_dict_get(const xg_dict *d, xg_str name) {
    uint32_t found = d->n ? xg_dict_find(d, name, xg_dict_hash(name)) : 0;
    return found ? d->items[found - 1].val : NULL;
}
XG_FN void xg_dict_grow(xg_dict *d) {
    uint32_t i, at, tried;
    do d->cap = xg_table_next_cap(d->arena->ctx, d->cap);
    while (d->cap < 2 * d->n);
    d->slots = XG_NEW_N(d->arena, uint32_t, d->cap);
    for (i = 0; i < d->n; i++) { /* no two are equal */
        for (at = d->items[i].hash & (d->cap - 1), tried = 0; d->slots[at];
             at = xg_dict_next(at, tried++) & (d->cap - 1)) {}
        d->slots[at] = (d->items[i].hash & ~(d->cap - 1)) | (i + 1);
    }
}
XG_FN void xg_dict_reserve(xg_dict *d, uint32_t n) {
    if (d->n || d->item_cap || n > UINT32_MAX / 8) return;
    d->item_cap = n < XG_DICT_MANY ? n : n / 4 * 7; /* the end of a long list that is not used is not touched */
    d->items = (xg_dict_item *)xg_alloc_raw(d->arena, xg_mul(d->arena->ctx, d->item_cap, sizeof *d->items));
    if (n <= XG_DICT_FEW) return;
    for (d->cap = 16; d->cap < 2 * n; d->cap *= 2) {}
    d->slots = XG_NEW_N(d->arena, uint32_t, d->cap);
}
XG_FN xg_str xg_dict_newest(const xg_dict *d) { return xg_str_of(d->items[d->n - 1].name, d->items[d->n - 1].length); }
XG_FN bool xg_dict_put_hashed(xg_dict *d, xg_str name, uint32_t hash, void *val) {
    uint32_t at = 0;
    if (!hash) hash = xg_dict_hash(name);
    if (d->n >= XG_DICT_FEW && d->n * 2 >= d->cap) xg_dict_grow(d);
    if (d->cap) {
        at = xg_dict_slot(d, name, hash);
        if (d->slots[at]) return false;
    } else if (xg_dict_find(d, name, hash))
        return false;
    if (d->n == d->item_cap) d->items = (xg_dict_item *)xg_vec_room(d->arena, d->items, &d->item_cap, sizeof *d->items);
    d->items[d->n].name = name.p;
    d->items[d->n].length = name.n;
    d->items[d->n].hash = hash;
    d->items[d->n].val = val;
    d->n++;
    if (d->cap) d->slots[at] = (hash & ~(d->cap - 1)) | d->n;
    return true;
}
XG_FN bool xg_dict_put_lasting(xg_dict *d, xg_str name, void *val) { return xg_dict_put_hashed(d, name, 0, val); }
XG_FN bool xg_dict_put(xg_dict *d, xg_str name, void *val) {
    if (!xg_dict_put_lasting(d, name, val)) return false;
    d->items[d->n - 1].name = xg_str_copy(d->arena, name).p;
    return true;
}

#endif /* XG_BASE_TABLE_C */
