/* rt/object.c -- object code for the processor of this host: relocatable ELF files, mapped.
 *
 *     one mapping:   sections of code of all files | ways to functions of the C library || sections of constants
 *
 * It is written, its addresses are put in, and then it is sealed: code can be run and not written, constants only read.
 * Nothing of a file is trusted: every offset, size, index and name is checked before it is followed. What the code does
 * when it runs cannot be checked: run object code of a trusted source only. */
#ifndef XG_RT_OBJECT_C
#define XG_RT_OBJECT_C
#include "rt.h"

#if defined(XLAGPU_USE_LLVM_CPU) && (defined(__GNUC__) || defined(__clang__)) && !defined(__TINYC__) && \
    (defined(__x86_64__) || defined(__aarch64__))
#define XR_CPU
#endif

#ifdef XR_CPU
#if defined(__x86_64__) && defined(_WIN32)
#define XR_OBJECT_CALL __attribute__((sysv_abi))
#else
#define XR_OBJECT_CALL
#endif
typedef void(XR_OBJECT_CALL *xr_object_code)(const uint64_t *buffers, void *scratch, uint32_t first, uint32_t end);

enum {
    XR_ELF_HEADER = 64, /* bytes: of the file's header, of a section's, of a symbol, of a relocation */
    XR_ELF_SECTION = 64,
    XR_ELF_SYMBOL = 24,
    XR_ELF_RELOCATION = 24,
    XR_ELF_SYMTAB = 2, /* types of sections */
    XR_ELF_RELA = 4,
    XR_ELF_NOBITS = 8,
    XR_ELF_REL = 9,
    XR_ELF_WRITE = 1, /* flags of sections */
    XR_ELF_ALLOC = 2,
    XR_ELF_EXECUTE = 4,
    XR_ELF_ABSOLUTE = 0xFFF1, /* instead of the number of a symbol's section */
    XR_OBJECT_ALIGN = 4096,
    XR_OBJECT_STUB = 16,
    XR_OBJECT_MOST = 1 << 30 /* bytes of all sections: what relocations of 32 bits span with room to spare */
};
#ifdef __x86_64__
#define XR_ELF_MACHINE 62
#else
#define XR_ELF_MACHINE 183
#endif

typedef struct xr_elf_section {
    uint32_t name, type;
    uint64_t flags, address, offset, size;
    uint32_t link, info;
    uint64_t align, each;
} xr_elf_section;
typedef struct xr_elf_symbol {
    uint32_t name;
    uint8_t info, other;
    uint16_t section;
    uint64_t value, size;
} xr_elf_symbol;
typedef struct xr_elf_relocation {
    uint64_t offset, info;
    int64_t addend;
} xr_elf_relocation;

/* One file, and where its sections lie in the mapping: at[k], 1 + offset; 0: nowhere. */
typedef struct xr_object {
    const unsigned char *file;
    uint64_t bytes;
    uint32_t n;
    uint64_t table, *at;
    xr_elf_section symbols, names;
    uint32_t n_symbols;
} xr_object;
typedef struct xr_objects {
    char *base; /* of the mapping */
    size_t bytes, code, stubs;
} xr_objects;

/* ---- functions that LLVM calls for what is no operation of its own ---- */

static XR_OBJECT_CALL void *xr_object_memcpy(void *to, const void *from, size_t n) { return memcpy(to, from, n); }
static XR_OBJECT_CALL void *xr_object_memmove(void *to, const void *from, size_t n) { return memmove(to, from, n); }
static XR_OBJECT_CALL void *xr_object_memset(void *to, int c, size_t n) { return memset(to, c, n); }
static XR_OBJECT_CALL double xr_object_fma(double a, double b, double c) { return fma(a, b, c); }
static XR_OBJECT_CALL float xr_object_fmaf(float a, float b, float c) { return fmaf(a, b, c); }
static XR_OBJECT_CALL double xr_object_fmod(double a, double b) { return fmod(a, b); }
static XR_OBJECT_CALL float xr_object_fmodf(float a, float b) { return fmodf(a, b); }
#define XR_OBJECT_FUNCTIONS(X) X(memcpy) X(memmove) X(memset) X(fma) X(fmaf) X(fmod) X(fmodf)
enum {
#define X(name) XR_OBJECT_##name,
    XR_OBJECT_FUNCTIONS(X)
#undef X
    XR_OBJECT_FUNCTION_COUNT
};
XG_TABLE const char *const xr_object_names[] = {
#define X(name) #name,
    XR_OBJECT_FUNCTIONS(X)
#undef X
};
/* A jump to an address of 64 bits, which stands behind it. */
XG_FN XG_COLD void xr_object_stub(char *to, uint64_t address) {
#ifdef __x86_64__
    static const unsigned char jump[] = {0xFF, 0x25, 0, 0, 0, 0, 0x90, 0x90}; /* jmp [rip] */
    memcpy(to, jump, 6);
    memcpy(to + 6, &address, 8);
    memcpy(to + 14, jump + 6, 2);
#else
    XG_TABLE const uint32_t jump[] = {0x58000050, 0xD61F0200}; /* ldr x16, 8; br x16 */
    memcpy(to, jump, 8);
    memcpy(to + 8, &address, 8);
#endif
}
XG_FN XG_COLD void xr_object_stubs(char *to) {
    uint64_t address;
#define X(name) \
    address = (uint64_t)(uintptr_t)xr_object_##name; \
    xr_object_stub(to + XR_OBJECT_##name * XR_OBJECT_STUB, address);
    XR_OBJECT_FUNCTIONS(X)
#undef X
}

/* ---- reading a file ---- */

XG_FN XG_COLD bool xr_object_section(const xr_object *o, uint32_t k, xr_elf_section *s) {
    if (k >= o->n) return false;
    memcpy(s, o->file + o->table + (uint64_t)k * XR_ELF_SECTION, sizeof *s);
    if (s->type == XR_ELF_NOBITS) return s->size <= (uint64_t)XR_OBJECT_MOST;
    return s->offset <= o->bytes && s->size <= o->bytes - s->offset;
}
/* A name of the file's strings; NULL: it does not end in them. */
XG_FN XG_COLD const char *xr_object_name(const xr_object *o, uint32_t name) {
    const char *p = (const char *)o->file + o->names.offset;
    return name < o->names.size && memchr(p + name, 0, (size_t)(o->names.size - name)) ? p + name : NULL;
}
XG_FN XG_COLD bool xr_object_symbol(const xr_object *o, uint64_t k, xr_elf_symbol *s) {
    if (k >= o->n_symbols) return false;
    memcpy(s, o->file + o->symbols.offset + k * XR_ELF_SYMBOL, sizeof *s);
    return true;
}
XG_FN XG_COLD bool xr_object_open(xr_object *o) {
    static const unsigned char ident[] = {0x7F, 'E', 'L', 'F', 2, 1, 1}; /* 64 bits, little-endian */
    uint16_t type, machine, each, n;
    xr_elf_section s;
    uint32_t k;
    if (o->bytes < XR_ELF_HEADER || memcmp(o->file, ident, sizeof ident) != 0) return false;
    memcpy(&type, o->file + 16, 2);
    memcpy(&machine, o->file + 18, 2);
    memcpy(&o->table, o->file + 40, 8);
    memcpy(&each, o->file + 58, 2);
    memcpy(&n, o->file + 60, 2);
    if (type != 1 || machine != XR_ELF_MACHINE || each != XR_ELF_SECTION || o->table > o->bytes ||
        (uint64_t)n * XR_ELF_SECTION > o->bytes - o->table)
        return false;
    o->n = n;
    for (k = 0; k < o->n; k++) {
        if (!xr_object_section(o, k, &s)) return false;
        if (s.type != XR_ELF_SYMTAB) continue;
        if (o->n_symbols || s.size / XR_ELF_SYMBOL > UINT32_MAX || !xr_object_section(o, s.link, &o->names) ||
            o->names.type == XR_ELF_NOBITS)
            return false;
        o->symbols = s;
        o->n_symbols = (uint32_t)(s.size / XR_ELF_SYMBOL);
    }
    return true;
}

/* ---- laying it out ---- */

/* Behind *code or *constants; false: it has what can be written, or is too large. */
XG_FN XG_COLD bool xr_object_place(xr_object *o, uint64_t *code, uint64_t *constants) {
    xr_elf_section s;
    uint32_t k;
    for (k = 0; k < o->n; k++) {
        uint64_t *end;
        o->at[k] = 0;
        (void)xr_object_section(o, k, &s);
        if (!(s.flags & XR_ELF_ALLOC) || !s.size) continue;
        if (s.flags & XR_ELF_WRITE || s.align > XR_OBJECT_ALIGN || (s.align & (s.align - 1))) return false;
        end = s.flags & XR_ELF_EXECUTE ? code : constants;
        if (s.align) *end = (*end + s.align - 1) / s.align * s.align;
        o->at[k] = *end + 1;
        if (s.size > (uint64_t)XR_OBJECT_MOST - *end) return false;
        *end += s.size;
    }
    return true;
}
XG_FN XG_COLD void xr_object_copy(const xr_object *o, const xr_objects *all) {
    xr_elf_section s;
    uint32_t k;
    for (k = 0; k < o->n; k++) {
        (void)xr_object_section(o, k, &s);
        if (o->at[k] && s.type != XR_ELF_NOBITS) memcpy(all->base + o->at[k] - 1, o->file + s.offset, (size_t)s.size);
    }
}

/* ---- addresses ---- */

XG_FN XG_COLD bool xr_object_address(const xr_object *o, const xr_objects *all, uint64_t symbol, uint64_t *out) {
    xr_elf_symbol y;
    xr_elf_section s;
    const char *name;
    uint32_t k;
    if (!xr_object_symbol(o, symbol, &y)) return false;
    if (y.section == XR_ELF_ABSOLUTE) {
        *out = y.value;
        return true;
    }
    if (y.section) {
        if (!xr_object_section(o, y.section, &s) || !o->at[y.section] || y.value > s.size) return false;
        *out = (uint64_t)(uintptr_t)all->base + o->at[y.section] - 1 + y.value;
        return true;
    }
    name = xr_object_name(o, y.name);
    for (k = 0; name && k < XR_OBJECT_FUNCTION_COUNT; k++) {
        if (strcmp(name, xr_object_names[k]) != 0) continue;
        *out = (uint64_t)(uintptr_t)all->base + all->stubs + k * XR_OBJECT_STUB;
        return true;
    }
    return false;
}
/* Bits [first, first + n) of the word at p. */
XG_FN XG_COLD void xr_object_bits(char *p, uint32_t first, uint32_t n, uint64_t value) {
    uint32_t word, mask = ((uint32_t)1 << n) - 1;
    memcpy(&word, p, 4);
    word = (word & ~(mask << first)) | ((uint32_t)value & mask) << first;
    memcpy(p, &word, 4);
}
XG_FN XG_COLD bool xr_object_fits(int64_t v, uint32_t bits) {
    int64_t most = (int64_t)1 << (bits - 1);
    return v >= -most && v < most;
}
/* s: what the symbol and the addend say; at: the address of p; room: bytes there. */
XG_FN XG_COLD bool xr_object_patch(char *p, uint64_t room, uint32_t type, uint64_t s, uint64_t at) {
    int64_t relative = (int64_t)(s - at);
    uint32_t shift = 0;
    switch (type) {
#ifdef __x86_64__
    case 0: return true;
    case 1: /* R_X86_64_64 */
        if (room < 8) return false;
        memcpy(p, &s, 8);
        return true;
    case 24: /* PC64 */
        if (room < 8) return false;
        memcpy(p, &relative, 8);
        return true;
    case 2: /* PC32, PLT32 */
    case 4:
        if (room < 4 || !xr_object_fits(relative, 32)) return false;
        memcpy(p, &relative, 4);
        return true;
    default: return false;
#else
    case 0: return true;
    case 257: /* R_AARCH64_ABS64 */
        if (room < 8) return false;
        memcpy(p, &s, 8);
        return true;
    case 260: /* PREL64, PREL32 */
    case 261:
        if (room < (type == 260 ? 8u : 4u) || (type == 261 && !xr_object_fits(relative, 32))) return false;
        memcpy(p, &relative, type == 260 ? 8 : 4);
        return true;
    case 275: /* ADR_PREL_PG_HI21 */
        relative = (int64_t)(s >> 12) - (int64_t)(at >> 12);
        if (room < 4 || !xr_object_fits(relative, 21)) return false;
        xr_object_bits(p, 29, 2, (uint64_t)relative);
        xr_object_bits(p, 5, 19, (uint64_t)relative >> 2);
        return true;
    case 282: /* JUMP26, CALL26 */
    case 283:
        if (room < 4 || relative & 3 || !xr_object_fits(relative, 28)) return false;
        xr_object_bits(p, 0, 26, (uint64_t)relative >> 2);
        return true;
    case 299: shift++; /* LDST128_ABS_LO12_NC, then of 64, 32, 16 bits */ /* fall through */
    case 286: shift++;                                                    /* fall through */
    case 285: shift++;                                                    /* fall through */
    case 284: shift++;                                                    /* fall through */
    case 278:                                                             /* of 8 bits; ADD_ABS_LO12_NC */
    case 277:
        if (room < 4) return false;
        xr_object_bits(p, 10, 12, (s & 0xFFF) >> shift);
        return true;
    default: return false;
#endif
    }
    (void)shift;
}
XG_FN XG_COLD bool xr_object_relocate(const xr_object *o, const xr_objects *all, const xr_elf_section *list) {
    xr_elf_section target;
    xr_elf_relocation r;
    uint64_t k, address;
    char *p;
    if (!xr_object_section(o, list->info, &target)) return false;
    if (!o->at[list->info]) return true; /* of what is not mapped */
    if (target.type == XR_ELF_NOBITS) return false;
    p = all->base + o->at[list->info] - 1;
    for (k = 0; k < list->size / XR_ELF_RELOCATION; k++) {
        memcpy(&r, o->file + list->offset + k * XR_ELF_RELOCATION, sizeof r);
        if (r.offset > target.size || !xr_object_address(o, all, r.info >> 32, &address) ||
            !xr_object_patch(p + r.offset, target.size - r.offset, (uint32_t)r.info, address + (uint64_t)r.addend,
                (uint64_t)(uintptr_t)p + r.offset))
            return false;
    }
    return true;
}
XG_FN XG_COLD bool xr_object_link(const xr_object *o, const xr_objects *all) {
    xr_elf_section s;
    uint32_t k;
    for (k = 0; k < o->n; k++) {
        (void)xr_object_section(o, k, &s);
        if (s.type == XR_ELF_REL && s.info < o->n && o->at[s.info]) return false; /* without addends */
        if (s.type == XR_ELF_RELA && !xr_object_relocate(o, all, &s)) return false;
    }
    return true;
}
/* What the name stands for, of at least so many bytes, in code or in constants. */
XG_FN XG_COLD char *xr_object_find(
    const xr_object *o, const xr_objects *all, const char *name, bool code, uint64_t bytes) {
    xr_elf_symbol y;
    xr_elf_section s;
    const char *its;
    uint32_t k;
    for (k = 0; k < o->n_symbols; k++) {
        (void)xr_object_symbol(o, k, &y);
        its = xr_object_name(o, y.name);
        if (!its || strcmp(its, name) != 0 || !y.section || !xr_object_section(o, y.section, &s) || !o->at[y.section] ||
            y.value > s.size || s.size - y.value < bytes || !(s.flags & XR_ELF_EXECUTE) == code)
            continue;
        return all->base + o->at[y.section] - 1 + y.value;
    }
    return NULL;
}

#endif /* XR_CPU */
#endif /* XG_RT_OBJECT_C */
