/* api/executable.h -- the one thing that compiler and runtime share: the bytes of an executable.
 *
 * Idea: what the compiler hands over IS its serialised form, so that saving, loading, embedding as a C array and running at once are one
 * path, always tested. The bytes are little-endian, position-independent, versioned and checksummed; a reader trusts nothing.
 *
 * Layout: xg_exe_header, then n_sections xg_exe_section, then the sections, each 16-byte aligned, each an array of one record type (or raw
 * bytes). Records refer to each other by index, to names by offset into STRINGS (NUL-terminated), to data by offset into DATA.
 *
 * Laws: a new field goes at the end of a record only together with a new XG_EXE_VERSION; unknown section kinds are an error. */
#ifndef XG_API_EXECUTABLE_H
#define XG_API_EXECUTABLE_H
#include "config.h"
#include "status.h"

enum { XG_EXE_VERSION = 1, XG_EXE_ALIGN = 16, XG_EXE_MAX_PARAMS = 4096 };
#define XG_EXE_MAGIC "xlagpu\x1a\n" /* 8 bytes; the control characters catch text-mode copies */

/* X(NAME, record): the sections. */
#define XG_EXE_SECTIONS(X) \
    X(STRINGS, char) X(ALLOCATIONS, xg_exe_allocation) X(SLICES, xg_exe_slice) X(KERNELS, xg_exe_kernel) X(THUNKS, xg_exe_thunk) \
    X(LINKS, uint32_t) X(VALUES, xg_exe_value) X(DIMS, int64_t) X(DATA, unsigned char) X(PTX, char) X(HLO, char)
typedef enum xg_exe_section_kind {
#define X(name, record) XG_EXE_##name,
    XG_EXE_SECTIONS(X)
#undef X
    XG_EXE_SECTION_COUNT
} xg_exe_section_kind;

typedef struct xg_exe_header {
    char magic[8];
    uint32_t version, n_sections;
    uint64_t size;      /* of everything */
    uint64_t checksum;  /* xg_exe_checksum of everything behind this field */
    uint32_t target;    /* compute capability times 10, 900 for sm_90 */
    uint32_t name;      /* string: the module's name */
    uint32_t n_params, n_results; /* VALUES: parameters first, then the leaves of the result */
    uint64_t temp_bytes;          /* of all TEMP allocations together */
    uint32_t target_name, root_thunk; /* string "sm_90a"; the thunk that is the program */
} xg_exe_header;
typedef struct xg_exe_section { uint32_t kind, count; uint64_t offset, bytes; } xg_exe_section;

/* X(NAME, text): what an allocation is. */
#define XG_EXE_ALLOCATIONS_KINDS(X) X(PARAMETER, "parameter") X(RESULT, "result") X(TEMP, "temp") X(CONSTANT, "constant")
typedef enum xg_exe_allocation_kind {
#define X(name, text) XG_EXE_ALLOC_##name,
    XG_EXE_ALLOCATIONS_KINDS(X)
#undef X
    XG_EXE_ALLOC_COUNT
} xg_exe_allocation_kind;
typedef struct xg_exe_allocation {
    uint32_t kind, index; /* parameter or result number */
    uint64_t bytes;
    uint64_t data;        /* CONSTANT: offset in DATA */
    uint64_t offset;      /* TEMP: place in the one temporary block */
} xg_exe_allocation;
typedef struct xg_exe_slice { uint32_t allocation, reserved; uint64_t offset, bytes; } xg_exe_slice;
typedef struct xg_exe_kernel { uint32_t name, shared_bytes, threads[3], blocks[3]; } xg_exe_kernel;

/* X(NAME, text): the kinds of thunks.
 *   KERNEL    kernel; links: one slice per parameter
 *   COPY      links: source slice, destination slice (equal bytes)
 *   MEMSET    value: a 32-bit pattern; links: destination slice
 *   SEQUENCE  links: thunks, run in order
 *   WHILE     links: a pred slice, the condition's thunk, the body's: condition, then while the pred is true body and condition
 *   CONDITIONAL  links: a pred or s32 slice, thunks of the branches: true runs the first, false the second; an index out of range the last
 * A thunk names only thunks of smaller numbers. */
#define XG_EXE_THUNKS_KINDS(X) X(KERNEL, "kernel") X(COPY, "copy") X(MEMSET, "memset") X(SEQUENCE, "sequence") X(WHILE, "while") X(CONDITIONAL, "conditional")
typedef enum xg_exe_thunk_kind {
#define X(name, text) XG_EXE_THUNK_##name,
    XG_EXE_THUNKS_KINDS(X)
#undef X
    XG_EXE_THUNK_COUNT
} xg_exe_thunk_kind;
typedef struct xg_exe_thunk { uint32_t kind, name, first_link, n_links, kernel, value; } xg_exe_thunk; /* name: the HLO instruction */

/* A parameter or a leaf of the result. Dims: logical sizes, then minor_to_major. */
typedef struct xg_exe_value { uint32_t type, rank, first_dim, allocation, name, reserved; uint64_t bytes; } xg_exe_value;

/* Two running sums of 32-bit words (Fletcher's idea), enough against truncation and damage; not against an adversary, against whom every
 * index and size is checked anyway. */
XG_FN uint64_t xg_exe_checksum(const unsigned char *p, uint64_t n) {
    uint64_t a = 1, b = 0, i;
    for (i = 0; i + 4 <= n; i += 4) {
        uint32_t w = (uint32_t)p[i] | (uint32_t)p[i + 1] << 8 | (uint32_t)p[i + 2] << 16 | (uint32_t)p[i + 3] << 24;
        a += w;
        b += a;
    }
    for (; i < n; i++) { a += p[i]; b += a; }
    return (a & 0xFFFFFFFFu) << 32 ^ b;
}

#endif /* XG_API_EXECUTABLE_H */
