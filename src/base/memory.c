/* base/memory.c -- contexts, failure, arenas, checked arithmetic.
 *
 * An arena is a list of chunks, newest first; allocation moves a pointer. Chunks double up to 1 MiB so that a module of
 * any size costs a handful of calls to the user's allocator. A mark is a position in that list; resetting to it sets
 * aside the chunks that came after, for the next ones: work that is done again and again stays in the same, warm
 * memory.
 *
 * A context that has the memory from malloc cuts chunks from slabs of 8 MiB, which begin at large pages, once it holds
 * XG_SLAB_FROM bytes, those asked for among them: a system with large pages then maps a slab in few pieces. The
 * compilation of a kernel needs one slab, which malloc keeps for the next context; of two it would give some back.
 * Only the first ones ask for large pages: those that were not used for long are dear (a guest's have to come from its
 * host), and a context that needs hundreds of them gets such. A larger chunk has a slab of its size. Chunks that are
 * given up serve other arenas, large ones piece by piece; as many bytes of slabs as are in use are kept, and a few
 * slabs for the next module of the context, so that one module hardly ever asks for memory twice: a page that comes
 * anew has to be cleared. */
#ifndef XG_BASE_MEMORY_C
#define XG_BASE_MEMORY_C
#include "base.h"

enum {
    XG_BLOCK_ALIGN = 16,
    XG_CHUNK_MIN = 16384,
    XG_CHUNK_MAX = 1 << 20
};

XG_FN void *xg_mem_default_alloc(void *user, size_t bytes) {
    (void)user;
    return malloc(bytes);
}
XG_FN void xg_mem_default_release(void *user, void *p) {
    (void)user;
    free(p);
}

XG_FN void xg_ctx_init(xg_ctx *c, const xlagpu_allocator *mem, size_t limit) {
    memset(c, 0, sizeof *c);
    if (mem && mem->alloc && mem->release)
        c->mem = *mem;
    else {
        c->mem.alloc = xg_mem_default_alloc;
        c->mem.release = xg_mem_default_release;
    }
    c->limit = limit;
}

XG_FN void xg_ctx_want_slabs(xg_ctx *c) { c->slabs_wanted = c->mem.alloc == xg_mem_default_alloc && !c->limit; }

XG_ONE_COPY XG_FN jmp_buf *xg_try(xg_ctx *c, jmp_buf *here) {
    jmp_buf *outer = c->guard;
    c->guard = here;
    c->status = XLAGPU_OK;
    c->line = c->column = 0;
    c->message[0] = 0;
    return outer;
}

XG_FN void xg_end(xg_ctx *c, jmp_buf *outer) { c->guard = outer; }

/* ---- failure ---- */

XG_FN size_t xg_line_start(const xg_source *s, size_t at) {
    while (at > 0 && s->text[at - 1] != '\n') at--;
    return at;
}

/* "name:line:col: error: " and afterwards the line with a caret; a long line shows a window around the column. */
XG_FN size_t xg_error_show_line(char *out, size_t cap, const xg_source *s, size_t at) {
    enum {
        WINDOW = 100,
        BEFORE = 60
    };
    size_t start = xg_line_start(s, at), end = at, n = 0, i;
    while (end < s->size && s->text[end] != '\n' && s->text[end] != '\r') end++;
    if (at - start > BEFORE) start = at - BEFORE;
    if (end - start > WINDOW) end = start + WINDOW;
    if (cap < (size_t)2 * WINDOW + 8) return 0;
    out[n++] = '\n';
    for (i = start; i < end; i++)
        out[n++] = (unsigned char)s->text[i] < 32 || (unsigned char)s->text[i] == 127 ? ' ' : s->text[i];
    out[n++] = '\n';
    for (i = start; i < at; i++) out[n++] = ' ';
    out[n++] = '^';
    out[n] = 0;
    return n;
}

XG_FN void xg_error_set(xg_ctx *c, xlagpu_status status, const xg_source *src, size_t offset, const char *hint,
    const char *format, va_list args) {
    size_t n = 0, cap = sizeof c->message, i;
    if (c->status != XLAGPU_OK) return;
    c->status = status;
    if (src && src->text) {
        if (offset > src->size) offset = src->size;
        c->line = 1;
        for (i = 0; i < offset; i++) c->line += src->text[i] == '\n';
        c->column = (uint32_t)(offset - xg_line_start(src, offset) + 1);
        n = xg_format(c->message, cap, "%s:%u:%u: error: ", src->name ? src->name : "input", c->line, c->column);
    } else if (src)
        n = xg_format(c->message, cap, "%s: byte %llu: error: ", src->name, (unsigned long long)offset);
    if (n < cap) n += xg_vformat(c->message + n, cap - n, format, args);
    if (n >= cap) n = cap - 1;
    if (src && src->text) n += xg_error_show_line(c->message + n, cap - n, src, offset);
    if (hint && n < cap) xg_format(c->message + n, cap - n, "\nhint: %s", hint);
}

XG_NORETURN XG_FN void xg_jump(xg_ctx *c) {
    XLAGPU_ASSERT(c->guard);
    longjmp(*c->guard, 1);
}

XG_NORETURN XG_FN void xg_fail(xg_ctx *c, xlagpu_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    xg_error_set(c, status, NULL, 0, NULL, format, args);
    va_end(args);
    xg_jump(c);
}

XG_FN XG_COLD const char *xg_hint_where(const xg_source *src, size_t offset, const char *hint) {
    size_t k = offset;
    if (hint || !src->text || offset > src->size) return hint;
    while (k < src->size && (src->text[k] == '_' || src->text[k] == '.' || src->text[k] == '-' ||
                                (src->text[k] >= '0' && src->text[k] <= '9') ||
                                ((src->text[k] | 32) >= 'a' && (src->text[k] | 32) <= 'z')))
        k++;
    if (k == offset)
        while (k < src->size && (src->text[k] == ' ' || src->text[k] == '\n' || src->text[k] == '\r')) k++;
    return k < src->size ? NULL : "the text ends there: it may be cut off, write or copy it again";
}
XG_NORETURN XG_FN void xg_fail_at(
    xg_ctx *c, xlagpu_status status, const xg_source *src, size_t offset, const char *hint, const char *format, ...) {
    va_list args;
    va_start(args, format);
    xg_error_set(c, status, src, offset, hint, format, args);
    va_end(args);
    xg_jump(c);
}

/* ---- the user's allocator ---- */

/* Each block carries its size in front, so that live bytes can be counted without asking the allocator. */
XG_FN void *xg_mem_alloc(xg_ctx *c, size_t bytes) {
    char *p;
    if (bytes > SIZE_MAX - XG_BLOCK_ALIGN) return NULL;
    if (c->limit && (bytes > c->limit || c->live > c->limit - bytes)) return NULL;
    p = (char *)c->mem.alloc(c->mem.user, bytes + XG_BLOCK_ALIGN);
    if (!p) return NULL;
    memcpy(p, &bytes, sizeof bytes);
    c->live += bytes;
    return p + XG_BLOCK_ALIGN;
}

XG_FN void xg_mem_free(xg_ctx *c, void *p) {
    size_t bytes;
    if (!p) return;
    memcpy(&bytes, (char *)p - XG_BLOCK_ALIGN, sizeof bytes);
    c->live -= bytes;
    c->mem.release(c->mem.user, (char *)p - XG_BLOCK_ALIGN);
}

/* ---- chunks ---- */

/* Under the address sanitizer, which does not see what an arena does with its chunks, the arena says it: what is not
 * handed out is poison, and some of that lies between blocks. With XG_ARENA_FENCES, which tests define, the arena
 * itself looks: poison is a pattern, and whoever wrote into it is found when the next block is handed out. */
#if defined(XG_ARENA_FENCES)
#define XG_ARENA_POISON
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define XG_ARENA_POISON
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define XG_ARENA_POISON
#endif
#ifdef XG_ARENA_POISON
enum {
    XG_BLOCK_APART = XG_BLOCK_ALIGN
};
#else
enum {
    XG_BLOCK_APART = 0
};
#endif
#ifdef XG_ARENA_FENCES
#include <stdio.h>
enum {
    XG_FENCE = 0xA5
};
XG_FN void xg_fence_check(const void *from, size_t bytes) {
    const unsigned char *p = (const unsigned char *)from;
    while (bytes--)
        if (*p++ != XG_FENCE) {
            fputs("something was written beyond a block of an arena\n", stderr);
            abort();
        }
}
#define XG_POISON(p, bytes) ((void)memset(p, XG_FENCE, bytes))
#define XG_UNPOISON(p, bytes) xg_fence_check((char *)(p)-XG_BLOCK_APART, (bytes) + XG_BLOCK_APART)
#define XG_UNPOISON_MORE(p, bytes, more) xg_fence_check((const char *)(p) + (bytes), (more) - (bytes))
#define XG_UNPOISON_CHUNK(p, bytes) ((void)0)
#define XG_LAST_BLOCK(at) xg_fence_check((at)-XG_BLOCK_APART, XG_BLOCK_APART)
#elif defined(XG_ARENA_POISON)
#ifdef __cplusplus
extern "C" {
#endif
void __asan_poison_memory_region(const volatile void *p, size_t bytes);
void __asan_unpoison_memory_region(const volatile void *p, size_t bytes);
#ifdef __cplusplus
}
#endif
#define XG_POISON(p, bytes) __asan_poison_memory_region(p, bytes)
#define XG_UNPOISON(p, bytes) __asan_unpoison_memory_region(p, bytes)
#define XG_UNPOISON_MORE(p, bytes, more) __asan_unpoison_memory_region(p, more)
#define XG_UNPOISON_CHUNK(p, bytes) __asan_unpoison_memory_region(p, bytes)
#define XG_LAST_BLOCK(at) ((void)0)
#else
#define XG_POISON(p, bytes) ((void)0)
#define XG_UNPOISON(p, bytes) ((void)0)
#define XG_UNPOISON_MORE(p, bytes, more) ((void)0)
#define XG_UNPOISON_CHUNK(p, bytes) ((void)0)
#define XG_LAST_BLOCK(at) ((void)0)
#endif
enum {
    XG_LARGE_PAGE = 1 << 21,
    XG_SLAB = 4 * XG_LARGE_PAGE,
    XG_SLAB_PIECE = 1 << 18, /* the largest chunk that nothing asks for */
    XG_SLAB_FROM = 1 << 19,
    XG_SLABS_KEPT = 2 * XG_SLAB,
    XG_SLABS_LARGE = 32 * XG_SLAB,
    XG_SLABS_TRIED = 8
};
struct xg_chunk {
    xg_chunk *older;
    char *end;
    xg_slab *slab;
};
struct xg_slab {
    xg_slab *prev, *next;
    char *memory, *at, *end;
    xg_chunk *unused;
    uint32_t used;
    bool full;
};
enum {
    XG_CHUNK_HEAD = (sizeof(xg_chunk) + XG_BLOCK_ALIGN - 1) / XG_BLOCK_ALIGN * XG_BLOCK_ALIGN,
    XG_SLAB_HEAD = (sizeof(xg_slab) + XG_BLOCK_ALIGN - 1) / XG_BLOCK_ALIGN * XG_BLOCK_ALIGN
};

XG_FN xg_chunk *xg_chunk_at(char *at, size_t room, xg_slab *slab) {
    xg_chunk *c = (xg_chunk *)(void *)at;
    c->older = NULL;
    c->end = at + room;
    c->slab = slab;
    return c;
}

/* A slab stands in the list of those that have something to give, or in that of the full ones. */
XG_FN void xg_slab_list(xg_ctx *c, xg_slab *s, bool full) {
    xg_slab **list = full ? &c->full_slabs : &c->slabs;
    s->full = full;
    s->prev = NULL;
    s->next = *list;
    if (s->next) s->next->prev = s;
    *list = s;
}
XG_FN void xg_slab_unlist(xg_ctx *c, xg_slab *s) {
    *(s->prev ? &s->prev->next : s->full ? &c->full_slabs : &c->slabs) = s->next;
    if (s->next) s->next->prev = s->prev;
}
XG_FN void xg_slab_set_full(xg_ctx *c, xg_slab *s, bool full) {
    if (s->full == full) return;
    xg_slab_unlist(c, s);
    xg_slab_list(c, s, full);
}

XG_FN size_t xg_slab_bytes(const xg_slab *s) { return (size_t)(s->end - (const char *)s); }

/* With room for `least` bytes; NULL when there is no memory. */
XG_FN xg_slab *xg_slab_new(xg_ctx *c, size_t least) {
    size_t bytes, align = XG_LARGE_PAGE;
    char *memory;
    xg_slab *s;
    if (least > SIZE_MAX - 2 * XG_SLAB) return NULL;
    bytes = XG_MAX((least + XG_SLAB_HEAD + align - 1) / align * align, (size_t)XG_SLAB);
    memory = (char *)malloc(bytes + align);
    if (!memory) return NULL;
    s = (xg_slab *)(void *)(memory + (align - (size_t)((uintptr_t)memory & (align - 1))));
    if (c->slab_bytes < XG_SLABS_LARGE) XG_HUGE_PAGES((void *)s, bytes);
    c->slab_bytes += bytes;
    memset(s, 0, sizeof *s);
    s->memory = memory;
    s->at = (char *)s + XG_SLAB_HEAD;
    s->end = (char *)s + bytes;
    xg_slab_list(c, s, false);
    c->idle_bytes += bytes;
    return s;
}
XG_FN void xg_slab_free(xg_ctx *c, xg_slab *s) {
    xg_slab_unlist(c, s);
    if (!s->used) c->idle_bytes -= xg_slab_bytes(s);
    c->slab_bytes -= xg_slab_bytes(s);
    free(s->memory);
}

/* A chunk from the slab, of `least` bytes and of `room` if it has that much; NULL: it has not. */
XG_FN xg_chunk *xg_slab_take(xg_ctx *c, xg_slab *s, size_t least, size_t room) {
    xg_chunk **link = &s->unused, *k;
    while (*link && (size_t)((*link)->end - (char *)*link) < least) link = &(*link)->older;
    k = *link;
    if (k && (size_t)(k->end - (char *)k) / 2 > room) { /* of a much larger one, the end */
        k->end -= room;
        k = xg_chunk_at(k->end, room, s);
    } else if (k)
        *link = k->older;
    else {
        size_t left = (size_t)(s->end - s->at);
        if (left < least || left < room / 2) return NULL;
        k = xg_chunk_at(s->at, XG_MIN(room, left), s);
        s->at = k->end;
    }
    if (!s->used++) c->idle_bytes -= xg_slab_bytes(s);
    xg_slab_set_full(c, s, !s->unused && s->end - s->at < XG_CHUNK_MIN);
    return k;
}

/* Of `least` bytes, rather of `room`. */
XG_FN xg_chunk *xg_chunk_new(xg_ctx *c, size_t least, size_t room) {
    xg_slab *s, *next;
    xg_chunk *k = NULL;
    char *p;
    uint32_t tries = 0;
    if (c->slabs_wanted && c->live + room >= XG_SLAB_FROM) {
        room = XG_MAX(least, XG_MIN(room, (size_t)XG_SLAB_PIECE));
        for (s = c->slabs; s && !k && tries < XG_SLABS_TRIED; s = next, tries++) {
            next = s->next;
            k = xg_slab_take(c, s, least, room);
        }
        if (!k && (s = xg_slab_new(c, room)) != NULL) k = xg_slab_take(c, s, least, room);
        if (k) {
            c->live += (size_t)(k->end - (char *)k);
            return k;
        }
    }
    p = (char *)xg_mem_alloc(c, room);
    return p ? xg_chunk_at(p, room, NULL) : NULL;
}
XG_FN void xg_chunk_free(xg_ctx *c, xg_chunk *k) {
    xg_slab *s = k->slab;
    XG_UNPOISON_CHUNK(k, (size_t)(k->end - (char *)k));
    if (!s) {
        xg_mem_free(c, k);
        return;
    }
    c->live -= (size_t)(k->end - (char *)k);
    xg_slab_set_full(c, s, false);
    if (--s->used) { /* what lies side by side becomes one again */
        xg_chunk **link = &s->unused, *o;
        while ((o = *link) != NULL) {
            bool below = o->end == (char *)k, above = k->end == (char *)o;
            if (below || above)
                *link = o->older;
            else
                link = &o->older;
            if (above) k->end = o->end;
            if (below) {
                o->end = k->end;
                k = o;
            }
        }
        k->older = s->unused;
        s->unused = k;
        return;
    }
    s->unused = NULL;
    s->at = (char *)s + XG_SLAB_HEAD;
    c->idle_bytes += xg_slab_bytes(s);
    if (c->idle_bytes > XG_MAX((size_t)XG_SLABS_KEPT, c->slab_bytes / 2)) xg_slab_free(c, s);
}
XG_FN void xg_ctx_done(xg_ctx *c) {
    while (c->slabs) xg_slab_free(c, c->slabs);
    while (c->full_slabs) xg_slab_free(c, c->full_slabs);
}

/* ---- arenas ---- */

/* What a block takes of its chunk; fewer than `bytes`: more than can be addressed. */
XG_FN size_t xg_block_room(size_t bytes) {
    return (bytes + XG_BLOCK_ALIGN - 1) / XG_BLOCK_ALIGN * XG_BLOCK_ALIGN + XG_BLOCK_APART;
}

XG_FN void xg_arena_init(xg_arena *a, xg_ctx *c) {
    memset(a, 0, sizeof *a);
    a->ctx = c;
    a->grow = XG_CHUNK_MIN;
}

/* The first spare chunk that has room. NULL: none. */
XG_FN xg_chunk *xg_arena_take_spare(xg_arena *a, size_t room) {
    xg_chunk **link = &a->spare, *c;
    while (*link && (size_t)((*link)->end - (char *)*link) < room) link = &(*link)->older;
    c = *link;
    if (c) *link = c->older;
    return c;
}
XG_FN void xg_arena_trim(xg_arena *a, size_t keep) {
    xg_chunk **link = &a->spare, *c;
    while (*link && (size_t)((*link)->end - (char *)*link) <= keep) {
        keep -= (size_t)((*link)->end - (char *)*link);
        link = &(*link)->older;
    }
    while ((c = *link) != NULL) {
        *link = c->older;
        xg_chunk_free(a->ctx, c);
    }
}

XG_FN void xg_arena_reset(xg_arena *a, xg_mark m) {
    char *used = a->at;
    if (a->chunk) XG_LAST_BLOCK(a->at);
    for (; a->inner != m.inner; a->inner = a->inner->next) xg_arena_free(a->inner);
    while (a->chunk && (m.at <= (char *)a->chunk || m.at > a->chunk->end)) {
        xg_chunk *c = a->chunk;
        a->chunk = c->older;
        c->older = a->spare;
        a->spare = c;
        used = a->chunk ? a->chunk->end : m.at;
    }
    a->at = m.at;
    a->end = a->chunk ? a->chunk->end : NULL;
    if (used > a->at) XG_POISON(a->at, (size_t)(used - a->at));
}

XG_FN void xg_arena_free(xg_arena *a) {
    xg_mark none;
    memset(&none, 0, sizeof none);
    xg_arena_reset(a, none);
    xg_arena_trim(a, 0);
    a->grow = XG_CHUNK_MIN;
}
XG_FN xg_mark xg_arena_mark(const xg_arena *a) {
    xg_mark m;
    m.at = a->at;
    m.inner = a->inner;
    return m;
}

XG_FN xg_arena *xg_arena_inner(xg_arena *a) {
    xg_arena *inner = XG_NEW(a, xg_arena);
    xg_arena_init(inner, a->ctx);
    inner->next = a->inner;
    a->inner = inner;
    return inner;
}

XG_NOINLINE XG_FN void xg_arena_grow(xg_arena *a, size_t bytes) {
    size_t least = xg_add(a->ctx, bytes, (size_t)XG_CHUNK_HEAD + XG_BLOCK_APART), room = XG_MAX(least, a->grow);
    xg_chunk *chunk = xg_arena_take_spare(a, least);
    if (!chunk) {
        if (a->grow < XG_CHUNK_MAX) a->grow *= 2;
        chunk = xg_chunk_new(a->ctx, least, room);
        if (!chunk && a->spare) {
            xg_arena_trim(a, 0);
            chunk = xg_chunk_new(a->ctx, least, room);
        }
    }
    if (!chunk)
        xg_fail(a->ctx, XLAGPU_ERROR_MEMORY, "out of memory: no %zu bytes beyond the %zu in use", room, a->ctx->live);
    chunk->older = a->chunk;
    a->chunk = chunk;
    a->at = (char *)chunk + XG_CHUNK_HEAD + XG_BLOCK_APART;
    a->end = chunk->end;
    XG_POISON(a->at - XG_BLOCK_APART, (size_t)(a->end - a->at) + XG_BLOCK_APART);
}

XG_NOINLINE XG_FN void *xg_alloc_far(xg_arena *a, size_t bytes) {
    char *p;
    if (bytes > SIZE_MAX - XG_BLOCK_ALIGN - 2 * XG_BLOCK_APART - XG_CHUNK_HEAD)
        xg_fail(a->ctx, XLAGPU_ERROR_LIMIT, "a block of %zu bytes cannot be addressed", bytes);
    xg_arena_grow(a, xg_block_room(bytes));
    p = a->at;
    a->at += xg_block_room(bytes);
    XG_UNPOISON(p, bytes);
    return p;
}
XG_FN void *xg_alloc_raw(xg_arena *a, size_t bytes) {
    char *p = a->at;
    size_t room = xg_block_room(bytes);
    if (XG_UNLIKELY(room > (size_t)(a->end - p) || room < bytes)) return xg_alloc_far(a, bytes);
    a->at = p + room;
    XG_UNPOISON(p, bytes);
    return p;
}

XG_FN void *xg_alloc_lines(xg_arena *a, size_t bytes) {
    enum {
        LINE = 64
    };
    size_t pad = (size_t)(0 - (uintptr_t)a->at) & (LINE - 1);
    if (bytes > SIZE_MAX - 2 * LINE || pad + xg_block_room(bytes) > (size_t)(a->end - a->at)) {
        xg_arena_grow(a, xg_add(a->ctx, bytes, 2 * LINE));
        pad = (size_t)(0 - (uintptr_t)a->at) & (LINE - 1);
    }
    a->at += pad;
    return xg_alloc_raw(a, bytes);
}

XG_FN void *xg_alloc(xg_arena *a, size_t bytes) {
    void *p = xg_alloc_raw(a, bytes);
    if (bytes) memset(p, 0, bytes);
    return p;
}
XG_FN void *xg_alloc_n(xg_arena *a, size_t size, size_t n) {
    if (XG_UNLIKELY((size | n) >> (sizeof(size_t) * 4))) return xg_alloc(a, xg_mul(a->ctx, size, n));
    return xg_alloc(a, size * n);
}
XG_FN XG_NOINLINE void *xg_alloc_16(xg_arena *a) { return xg_alloc(a, 16); }
XG_FN XG_NOINLINE void *xg_alloc_24(xg_arena *a) { return xg_alloc(a, 24); }
XG_FN XG_NOINLINE void *xg_alloc_n1(xg_arena *a, size_t n) { return xg_alloc_n(a, 1, n); }
XG_FN XG_NOINLINE void *xg_alloc_n4(xg_arena *a, size_t n) { return xg_alloc_n(a, 4, n); }
XG_FN XG_NOINLINE void *xg_alloc_n8(xg_arena *a, size_t n) { return xg_alloc_n(a, 8, n); }
XG_FN XG_NOINLINE void *xg_alloc_n16(xg_arena *a, size_t n) { return xg_alloc_n(a, 16, n); }
XG_FN XG_NOINLINE void *xg_alloc_n24(xg_arena *a, size_t n) { return xg_alloc_n(a, 24, n); }

XG_FN bool xg_arena_extend(xg_arena *a, const void *p, size_t bytes, size_t more) {
    size_t had = xg_block_room(bytes), want = xg_block_room(more);
    if (!p || (const char *)p + had != a->at || want < more || want - had > (size_t)(a->end - a->at)) return false;
    a->at += want - had;
    XG_UNPOISON_MORE(p, bytes, more);
    return true;
}

XG_FN void *xg_vec_room(xg_arena *a, const void *p, uint32_t *cap, size_t item) {
    uint32_t bigger = *cap ? *cap * 2 : 8;
    size_t bytes;
    void *q = (void *)(uintptr_t)p;
    if (*cap > UINT32_MAX / 2) xg_fail(a->ctx, XLAGPU_ERROR_LIMIT, "a list of more than 2^31 items");
    bytes = xg_mul(a->ctx, bigger, item);
    if (!xg_arena_extend(a, p, *cap * item, bytes)) {
        q = xg_alloc_raw(a, bytes);
        if (*cap) memcpy(q, p, *cap * item);
    }
    *cap = bigger;
    return q;
}
XG_FN void *xg_vec_grow(xg_arena *a, const void *p, uint32_t *cap, size_t item) {
    uint32_t had = *cap;
    char *q = (char *)xg_vec_room(a, p, cap, item);
    memset(q + had * item, 0, (*cap - had) * item);
    return q;
}

/* Of an XG_VEC of any type: the pointer is copied as bytes, since a compiler takes pointers of two types for two
 * places. */
XG_FN XG_NOINLINE void *xg_vec_slot(xg_arena *a, void *vec, size_t item) {
    uint32_t *n = (uint32_t *)(void *)((char *)vec + sizeof(void *)), *cap = n + 1;
    char *p;
    memcpy(&p, vec, sizeof p);
    if (*n == *cap) {
        p = (char *)xg_vec_room(a, p, cap, item);
        memcpy(vec, &p, sizeof p);
    }
    return p + (*n)++ * item;
}
XG_FN XG_NOINLINE void *xg_vec_slot_8(xg_arena *a, void *vec) { return xg_vec_slot(a, vec, 8); }
XG_FN XG_NOINLINE void *xg_vec_slot_16(xg_arena *a, void *vec) { return xg_vec_slot(a, vec, 16); }
XG_FN XG_NOINLINE void *xg_vec_slot_24(xg_arena *a, void *vec) { return xg_vec_slot(a, vec, 24); }

XG_FN void xg_sort(void *p, size_t n, size_t item, int (*order)(const void *, const void *)) {
    const char *at = (const char *)p;
    size_t k;
    for (k = 1; k < n && order(at + (k - 1) * item, at + k * item) <= 0; k++) {}
    if (k < n) qsort(p, n, item, order);
}

/* ---- sizes ---- */

XG_FN size_t xg_mul(xg_ctx *c, size_t a, size_t b) {
    if (XG_UNLIKELY((a | b) >> (sizeof(size_t) * 4)) && b && a > SIZE_MAX / b)
        xg_fail(c, XLAGPU_ERROR_LIMIT, "a size overflows: %zu times %zu", a, b);
    return a * b;
}
XG_FN size_t xg_add(xg_ctx *c, size_t a, size_t b) {
    if (a > SIZE_MAX - b) xg_fail(c, XLAGPU_ERROR_LIMIT, "a size overflows: %zu plus %zu", a, b);
    return a + b;
}
XG_FN bool xg_mul64(int64_t a, int64_t b, int64_t *out) {
#ifdef XG_MUL_OVERFLOWS
    int64_t r;
    if (XG_MUL_OVERFLOWS(a, b, &r)) return false;
    *out = r;
    return true;
#else
    if (!(((uint64_t)a | (uint64_t)b) >> 31)) { /* most are, and a division is dear */
        *out = a * b;
        return true;
    }
    if (a > 0   ? (b > 0 ? a > INT64_MAX / b : b < INT64_MIN / a)
        : a < 0 ? (b > 0 ? a < INT64_MIN / b : b < 0 && a < INT64_MAX / b)
                : false)
        return false;
    *out = a * b;
    return true;
#endif
}
XG_FN bool xg_add64(int64_t a, int64_t b, int64_t *out) {
#ifdef XG_ADD_OVERFLOWS
    int64_t r;
    if (XG_ADD_OVERFLOWS(a, b, &r)) return false;
    *out = r;
#else
    if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b) return false;
    *out = a + b;
#endif
    return true;
}

#endif /* XG_BASE_MEMORY_C */
