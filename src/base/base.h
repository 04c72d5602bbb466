/* base/base.h -- what every room stands on: memory, failure, text, tables.
 *
 * Both public headers carry this room, so each of its files has a guard of its own.
 *
 * Laws
 * - Failure. A compiler function that cannot go on calls xg_fail*, which stores the first error in the context and
 *   jumps to the one protected call in force (xg_try). Code between may hold nothing but arena memory, so nothing
 *   leaks. The runtime uses the same context for its own parsing (PTX, executables) but returns status codes across its
 *   interface.
 * - Memory. An arena hands out zeroed, 16-byte aligned blocks and frees them all at once or back to a mark. No pass
 *   frees.
 * - Sizes. Every product or sum of sizes that can come from input goes through xg_mul/xg_add (size_t) or
 *   xg_mul64/xg_add64.
 * - Order. Tables are looked up by hash but never walked by it: output never depends on an address. */
#ifndef XG_BASE_H
#define XG_BASE_H
#include "../api/config.h"
#include "../api/status.h"

/* Rows of tables that a small build leaves out, with all that only they call: what it then refuses by name is in
 * driver/small.c. */
#ifdef XLAGPU_SMALL
#define XG_WHOLE(...)
#else
#define XG_WHOLE(...) __VA_ARGS__
#endif

/* ---- memory.c: the context, failure, arenas, checked arithmetic ------------------------------------------------ */

/* What errors point into. It outlives the context's error message only until that is composed. */
typedef struct xg_source {
    const char *text; /* NULL: it is no text, and places in it are told as byte offsets */
    const char *name;
    size_t size;
} xg_source;

enum {
    XG_MESSAGE_MAX = 2048
};
typedef struct xg_slab xg_slab;
typedef struct xg_ctx {
    xlagpu_allocator mem;
    jmp_buf *guard;        /* the protected call in force, NULL outside any */
    size_t live, limit;    /* bytes held now; limit 0 = none */
    xlagpu_status status;  /* the first failure since xg_try began */
    uint32_t line, column; /* its position, 1-based; 0 when it has none */
    void *user;            /* what the layer above wants to find from here */
    const char *dims; /* "b=8,arg1.0=4": sizes that a program leaves open (import/lower_dims.c); NULL: none are given */
    const char *entry; /* the function that is the program (import/lower_module.c); NULL: @main, or the only one */
    /* what chunks of arenas are cut from: those that have something to give, the last used first; and the others */
    xg_slab *slabs, *full_slabs;
    size_t slab_bytes, idle_bytes; /* of all, and of those that hold none */
    /* by the owner, which calls xg_ctx_done; only with the default allocator and without a limit */
    bool slabs_wanted;
    char message[XG_MESSAGE_MAX]; /* complete: "file:line:col: error: ...", source line, caret, hint */
} xg_ctx;

/* Usage of the one setjmp of a public entry:
 *     jmp_buf here; if (setjmp(here)) { ...status is in c->status...; return; }
 *     jmp_buf *outer = xg_try(c, &here); ... work ...; xg_end(c, outer);
 * Locals changed after setjmp and read in the failure branch must be volatile. A failure restores c->guard to the outer
 * one. */
XG_FN void xg_ctx_init(xg_ctx *c, const xlagpu_allocator *mem, size_t limit);
XG_FN void xg_ctx_want_slabs(xg_ctx *c);
XG_FN void xg_ctx_done(xg_ctx *c); /* when all arenas are freed: gives back what was kept for the next one */
XG_FN jmp_buf *xg_try(xg_ctx *c, jmp_buf *here); /* clears the error, returns the outer guard */
XG_FN void xg_end(xg_ctx *c, jmp_buf *outer);

/* Never return (to the caller): they store the message and jump. */
XG_NORETURN XG_FN void xg_fail(xg_ctx *c, xlagpu_status status, const char *format, ...) XG_PRINTF(3, 4);
/* At a byte offset of a source: adds position, the line and a caret; hint may be NULL. */
XG_NORETURN XG_FN void xg_fail_at(xg_ctx *c, xlagpu_status status, const xg_source *src, size_t offset,
    const char *hint, const char *format, ...) XG_PRINTF(6, 7);
/* The hint of a reader that fails at that place: `hint`, or, where no more is left of the text than a word without an
 * end of line, that of a file that was cut off. */
XG_FN const char *xg_hint_where(const xg_source *src, size_t offset, const char *hint);
/* The same without a jump: only stores (for code that returns statuses). Keeps an earlier error. */
XG_FN void xg_error_set(xg_ctx *c, xlagpu_status status, const xg_source *src, size_t offset, const char *hint,
    const char *format, va_list args);

XG_FN void *xg_mem_alloc(xg_ctx *c, size_t bytes); /* NULL when there is none or the limit is reached */
XG_FN void xg_mem_free(xg_ctx *c, void *p);

typedef struct xg_chunk xg_chunk;
typedef struct xg_arena xg_arena;
struct xg_arena {
    xg_ctx *ctx;
    xg_chunk *chunk, *spare;
    char *at, *end;
    size_t grow;
    xg_arena *inner, *next;
};
typedef struct xg_mark { /* of two words, which calls pass in registers: the chunk is the one that `at` lies in */
    char *at;
    xg_arena *inner;
} xg_mark;
XG_FN void xg_arena_init(xg_arena *a, xg_ctx *c);
XG_FN void xg_arena_free(xg_arena *a);
/* an arena that ends with this one, for work that is reset often */
XG_FN xg_arena *xg_arena_inner(xg_arena *a);
XG_FN void *xg_alloc(xg_arena *a, size_t bytes); /* zeroed; fails through the context, never NULL */
XG_FN void *xg_alloc_16(xg_arena *a);
XG_FN void *xg_alloc_24(xg_arena *a);
XG_FN void *xg_alloc_n(xg_arena *a, size_t size, size_t n); /* n times the size; fails when that overflows */
XG_FN void *xg_alloc_n1(xg_arena *a, size_t n);             /* n times 1 byte */
XG_FN void *xg_alloc_n4(xg_arena *a, size_t n);
XG_FN void *xg_alloc_n8(xg_arena *a, size_t n);
XG_FN void *xg_alloc_n16(xg_arena *a, size_t n);
XG_FN void *xg_alloc_n24(xg_arena *a, size_t n);
XG_FN void *xg_alloc_raw(xg_arena *a, size_t bytes); /* not zeroed */
/* not zeroed, from the start of a cache line: for nodes whose first line holds what is read most */
XG_FN void *xg_alloc_lines(xg_arena *a, size_t bytes);
/* the newest block in place; false: it is not, or there is no room behind it */
XG_FN bool xg_arena_extend(xg_arena *a, const void *p, size_t bytes, size_t more);
XG_FN xg_mark xg_arena_mark(const xg_arena *a);
/* gives up all that was allocated since the mark; the memory is used again */
XG_FN void xg_arena_reset(xg_arena *a, xg_mark m);
/* of what was given up, so many bytes stay at hand; the rest serves other arenas */
XG_FN void xg_arena_trim(xg_arena *a, size_t keep);
/* as qsort, which asks more often where the items stand in order already */
XG_FN void xg_sort(void *p, size_t n, size_t item, int (*order)(const void *, const void *));
XG_FN size_t xg_mul(xg_ctx *c, size_t a, size_t b); /* fail with ERROR_LIMIT on overflow */
XG_FN size_t xg_add(xg_ctx *c, size_t a, size_t b);
XG_FN bool xg_mul64(int64_t a, int64_t b, int64_t *out); /* false on overflow, *out untouched */
XG_FN bool xg_add64(int64_t a, int64_t b, int64_t *out);
/* The usual sizes have functions of their own: an argument less at each of a thousand places. */
#define XG_NEW(arena, T) \
    ((T *)(sizeof(T) == 16 ? xg_alloc_16(arena) : sizeof(T) == 24 ? xg_alloc_24(arena) : xg_alloc((arena), sizeof(T))))
#define XG_NEW_N(arena, T, n) \
    ((T *)(sizeof(T) == 8    ? xg_alloc_n8((arena), (size_t)(n)) \
           : sizeof(T) == 4  ? xg_alloc_n4((arena), (size_t)(n)) \
           : sizeof(T) == 16 ? xg_alloc_n16((arena), (size_t)(n)) \
           : sizeof(T) == 1  ? xg_alloc_n1((arena), (size_t)(n)) \
           : sizeof(T) == 24 ? xg_alloc_n24((arena), (size_t)(n)) \
                             : xg_alloc_n((arena), sizeof(T), (size_t)(n))))

/* A growable array: XG_VEC(int) v = {0}; xg_push(arena, int, &v, 7); v.p[i], v.n. The old block stays in the arena,
 * unless it grows where it is. */
#define XG_VEC(T) \
    struct { \
        T *p; \
        uint32_t n, cap; \
    }
#define xg_push(arena, T, v, x) ((void)(*(1 ? XG_SLOT(arena, T, v) : (v)->p) = (x)))
#define XG_SLOT(arena, T, v) /* room for one more at the end of an XG_VEC */ \
    ((T *)(sizeof(T) == 8    ? xg_vec_slot_8((arena), (v)) \
           : sizeof(T) == 16 ? xg_vec_slot_16((arena), (v)) \
           : sizeof(T) == 24 ? xg_vec_slot_24((arena), (v)) \
                             : xg_vec_slot((arena), (v), sizeof(T))))
XG_FN void *xg_vec_slot(xg_arena *a, void *vec, size_t item);
XG_FN void *xg_vec_slot_8(xg_arena *a, void *vec);
XG_FN void *xg_vec_slot_16(xg_arena *a, void *vec);
XG_FN void *xg_vec_slot_24(xg_arena *a, void *vec);
/* Twice the room. What is new is zero; in the second, it is whatever lay there: a page that nothing is written to is
 * none that the system has to clear. */
XG_FN void *xg_vec_grow(xg_arena *a, const void *p, uint32_t *cap, size_t item);
XG_FN void *xg_vec_room(xg_arena *a, const void *p, uint32_t *cap, size_t item);

/* ---- text.c: strings, formatting, interning, the nearest known word ------------------------------------------- */

/* A piece of text, not NUL-terminated unless it comes from a pool or xg_str_copy. */
typedef struct xg_str {
    const char *p;
    uint32_t n;
} xg_str;
#define XG_STR(literal) xg_str_of((literal), sizeof(literal) - 1)
XG_FN xg_str xg_str_of(const char *p, size_t n);
XG_FN xg_str xg_str_z(const char *z); /* NULL gives the empty string */
XG_FN bool xg_str_eq(xg_str a, xg_str b);
XG_FN bool xg_str_is(xg_str a, const char *z);
/* The number of the word in a list, "add min max"; -1: it is not there. A table of pointers takes 32 bytes a word, with
 * its relocations. */
XG_FN int xg_word_in(const char *list, xg_str word);
/* The k-th of texts behind one another, each ended by a NUL, none of them empty: "add\0min\0max\0". NULL: there are no
 * more. */
XG_FN const char *xg_text_nth(const void *texts, size_t k);
XG_FN const char *xg_status_text(xlagpu_status s);
XG_FN xg_str xg_str_copy(xg_arena *a, xg_str s); /* NUL-terminated */
XG_FN uint32_t xg_hash(const void *p, size_t n);
XG_FN uint32_t xg_hash_mix(uint32_t h, uint64_t x);

/* Text that grows in an arena. Always NUL-terminated; p is valid until the next append. */
typedef struct xg_buf {
    xg_arena *arena;
    char *p;
    size_t n, cap;
} xg_buf;
XG_FN void xg_buf_init(xg_buf *b, xg_arena *a);
XG_FN void xg_put(xg_buf *b, const char *p, size_t n);
XG_FN void xg_puts(xg_buf *b, const char *z);
XG_FN void xg_put_str(xg_buf *b, xg_str s);
XG_FN void xg_putc(xg_buf *b, char c);
XG_FN void xg_put_i64(xg_buf *b, int64_t v);
XG_FN void xg_put_u64(xg_buf *b, uint64_t v);
XG_FN void xg_put_hex(xg_buf *b, uint64_t v, int digits); /* upper case, at least `digits` of them */
/* Locale-free subset of printf: %s %.*s %c %% %d %i %u %x %X with l, ll, z and width/zero padding. No floats:
 * number.h. */
XG_FN void xg_printf(xg_buf *b, const char *format, ...) XG_PRINTF(2, 3);
XG_FN size_t xg_vformat(char *out, size_t cap, const char *format, va_list args); /* as vsnprintf */
XG_FN size_t xg_format(char *out, size_t cap, const char *format, ...) XG_PRINTF(3, 4);

/* A long text in pieces, which lie one behind the other: it never moves while it grows. */
typedef struct xg_texts {
    xg_str *p;
    uint32_t n, cap;
    size_t bytes;
} xg_texts;
XG_FN void xg_texts_add(xg_texts *t, xg_arena *a, xg_str piece); /* which must stay */
XG_FN void xg_put_texts(xg_buf *b, const xg_texts *t);

/* Interned strings: equal text gives the same pointer for the pool's life. */
typedef struct xg_pool {
    xg_arena *arena;
    xg_str *slots;
    uint32_t n, cap;
} xg_pool;
XG_FN void xg_pool_init(xg_pool *p, xg_arena *a);
XG_FN xg_str xg_intern(xg_pool *p, xg_str s);

/* The candidate closest to `word` by edit distance if it is close enough to be a likely slip, else NULL.
 * names(user, i) returns the i-th candidate, NULL at the end. */
XG_FN const char *xg_nearest(xg_str word, const char *(*names)(const void *user, size_t i), const void *user);

/* ---- table.c: hash tables -------------------------------------------------------------------------------------- */

/* 64-bit key (an id, two packed ids, a pointer) to a pointer. */
typedef struct xg_map64_item {
    uint64_t key;
    void *val;
} xg_map64_item;
typedef struct xg_map64 {
    xg_arena *arena;
    xg_map64_item *at;
    uint32_t n, cap;
} xg_map64;
XG_FN void xg_map64_init(xg_map64 *m, xg_arena *a);
XG_FN void *xg_map64_get(const xg_map64 *m, uint64_t key);     /* NULL when absent */
XG_FN void xg_map64_put(xg_map64 *m, uint64_t key, void *val); /* val may not be NULL */

/* A set of hash-consed nodes. find returns the slot of the node that equals `key` under eq, or an empty slot (*slot ==
 * NULL) where the caller stores the new node before any other call. */
typedef struct xg_set {
    xg_arena *arena;
    void **slots;
    uint32_t *hashes;
    uint32_t n, cap;
} xg_set;
XG_FN void xg_set_init(xg_set *s, xg_arena *a);
XG_FN void xg_set_reserve(xg_set *s, uint32_t n); /* of an empty set: room for so many without growing */
XG_FN void **xg_set_find(xg_set *s, uint32_t hash, bool (*eq)(const void *node, const void *key), const void *key);

/* Name to pointer, the names being any text (copied). */
typedef struct xg_dict_item {
    const char *name;
    void *val;
    uint32_t length, hash;
} xg_dict_item;
typedef struct xg_dict {
    xg_arena *arena;
    xg_dict_item *items;
    uint32_t *slots;
    uint32_t n, cap, item_cap;
} xg_dict;
XG_FN void xg_dict_init(xg_dict *d, xg_arena *a);
XG_FN void xg_dict_reserve(xg_dict *d, uint32_t n); /* of an empty one: room for so many without growing */
XG_FN void *xg_dict_get(const xg_dict *d, xg_str name);
XG_FN xg_str xg_dict_newest(const xg_dict *d); /* the name that came last */
/* false and no change when the name is there; val may not be NULL */
XG_FN bool xg_dict_put(xg_dict *d, xg_str name, void *val);
/* the same for a name that lasts as long as the table: it is not copied */
XG_FN bool xg_dict_put_lasting(xg_dict *d, xg_str name, void *val);
/* and of which the caller knows the hash, from another table's item; 0: it does not */
XG_FN bool xg_dict_put_hashed(xg_dict *d, xg_str name, uint32_t hash, void *val);

/* float_text.c */
XG_INLINE_FAST const char *xg_read_digits(const char *p, const char *end, uint64_t *w);
XG_INLINE bool xg_is_digit(char c);

/* number.c */
XG_FN double xg_f64_power_of_two(int e);
XG_FN double xg_f64_of_bits(uint64_t b);

/* memory.c */
XG_NORETURN XG_FN void xg_jump(xg_ctx *c);

/* text.c */
XG_FN char *xg_digits(char *end, uint64_t v, unsigned base, bool upper);
XG_FN char *xg_buf_room(xg_buf *b, size_t n);
#endif /* XG_BASE_H */
