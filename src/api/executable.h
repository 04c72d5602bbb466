/* api/executable.h -- the one thing that compiler and runtime share: the bytes of an executable.
 *
 * Idea: what the compiler hands over IS its serialised form, so that saving, loading, embedding as a C array and
 * running at once are one path, always tested. The bytes are little-endian, position-independent, versioned and
 * checksummed; a reader trusts nothing.
 *
 * Layout: xg_exe_header, then n_sections xg_exe_section, then the sections, each 16-byte aligned, each an array of one
 * record type (or raw bytes). Records refer to each other by index, to names by offset into STRINGS (NUL-terminated),
 * to data by offset into DATA.
 *
 * Several of them, one behind the other, are one module for several targets: the loader takes the best for its device.
 *
 * Laws: a new field goes at the end of a record only together with a new XG_EXE_VERSION; unknown section kinds are an
 * error. */
#ifndef XG_API_EXECUTABLE_H
#define XG_API_EXECUTABLE_H
#include "config.h"
#include "status.h"

enum {
    XG_EXE_VERSION = 7,
    XG_EXE_ALIGN = 16,
    XG_EXE_MAX_PARAMS = 4096
};
#define XG_EXE_MAGIC "xlagpu\x1a\n" /* 8 bytes; the control characters catch text-mode copies */

/* X(NAME, record): the sections. */
/* clang-format off */
#define XG_EXE_SECTIONS(X) \
    X(STRINGS, char) \
    X(ALLOCATIONS, xg_exe_allocation) \
    X(SLICES, xg_exe_slice) \
    X(KERNELS, xg_exe_kernel) \
    X(MAPS, xg_exe_map) \
    X(THUNKS, xg_exe_thunk) \
    X(LINKS, uint32_t) \
    X(VALUES, xg_exe_value) \
    X(ATTRIBUTES, xg_exe_attribute) \
    X(DIMS, int64_t) \
    X(DATA, unsigned char) \
    X(PTX, char) \
    X(HLO, char) \
    X(CUBIN, unsigned char) /* machine code: of a GPU; or objects for a host's processor, see xg_exe_object */
/* clang-format on */
typedef enum xg_exe_section_kind {
#define X(name, record) XG_EXE_##name,
    XG_EXE_SECTIONS(X)
#undef X
    XG_EXE_SECTION_COUNT
} xg_exe_section_kind;

typedef struct xg_exe_header {
    char magic[8];
    uint32_t version, n_sections;
    uint64_t size;     /* of everything */
    uint64_t checksum; /* xg_exe_checksum of everything behind this field */
    uint32_t target;   /* compute capability times 10, 900 for sm_90 */
    uint32_t name;     /* string: the module's name */
    /* VALUES: parameters first, then the leaves of the result, then what calls are given */
    uint32_t n_params, n_results;
    /* of the TEMP allocations in device memory, with the COUNTERS, and in host memory */
    uint64_t temp_bytes, host_bytes;
    uint32_t target_name, root_thunk; /* string "sm_90a"; the thunk that is the program */
    uint32_t replicas, partitions;    /* it runs on so many devices together */
} xg_exe_header;
typedef struct xg_exe_section {
    uint32_t kind, count;
    uint64_t offset, bytes;
} xg_exe_section;

/* X(NAME, text): what an allocation is. COUNTERS are temporary memory that is zero when an execution has been prepared;
 * the one kernel that has them leaves zeros. */
#define XG_EXE_ALLOCATIONS_KINDS(X) \
    X(PARAMETER, "parameter") X(RESULT, "result") X(TEMP, "temp") X(CONSTANT, "constant") X(COUNTERS, "counters")
typedef enum xg_exe_allocation_kind {
#define X(name, text) XG_EXE_ALLOC_##name,
    XG_EXE_ALLOCATIONS_KINDS(X)
#undef X
    XG_EXE_ALLOC_COUNT
} xg_exe_allocation_kind;
typedef struct xg_exe_allocation {
    uint32_t kind, index; /* parameter or result number */
    uint64_t bytes;
    uint64_t data;           /* CONSTANT: offset in DATA */
    uint64_t offset;         /* TEMP, COUNTERS: place in the one temporary block of its kind of memory */
    uint32_t host, reserved; /* TEMP: 1: in host memory that the device can reach */
} xg_exe_allocation;
XG_FN bool xg_exe_is_temporary(uint32_t allocation_kind) {
    return allocation_kind == XG_EXE_ALLOC_TEMP || allocation_kind == XG_EXE_ALLOC_COUNTERS;
}
typedef struct xg_exe_slice {
    uint32_t allocation, reserved;
    uint64_t offset, bytes;
} xg_exe_slice;
typedef struct xg_exe_kernel {
    uint32_t name, shared_bytes, threads[3], blocks[3];
} xg_exe_kernel;

/* In front of each object of the machine code for a host's processor, of one kernel NAME and the number NAME.scratch
 * (llvm/cpu.c says what they are): a relocatable ELF file, behind which the next begins at a multiple of 16 bytes. They
 * stand in the order of KERNELS. */
#define XG_EXE_OBJECT_MAGIC "xgobject"
typedef struct xg_exe_object {
    char magic[8];
    uint32_t bytes, n_params; /* of the file behind it; buffers that the kernel takes */
} xg_exe_object;

/* A tensor map that a kernel takes behind its buffers: of the array in buffer `link`. Numbers as those of
 * xlagpu_tensor_map. A kernel's maps follow each other, kernels in order. */
typedef struct xg_exe_map {
    uint64_t dims[5], strides[4];
    uint32_t kernel, link, type, rank, swizzle, box[5];
} xg_exe_map;

/* X(NAME, text, of, slices, runs, value, writes, flags): THE table of the kinds of thunks. Arity, checks, both texts,
 * recording and streams follow from it.
 *   of        the HLO opcode whose step it is, by its text; "" any; "-" none: it is made of others
 *   slices    how many of its links are slices of memory; these come first
 *   runs      how many of its links are thunks that it runs
 *   value     what its word `value` is: NO, NUMBER, TEXT (a string)
 *   writes    which of its slices it writes: NO, ALL, LAST, MARKED (those with bit XG_EXE_WRITTEN)
 *   flags     INSIDE   may stand in a command buffer; without thunks that it runs, it is a command
 *             ASKS     the host reads its slice, to decide
 *             OWN      fills its slice with a number that the runtime knows
 *             CALLS    runs a registered function, called as `text` unless the thunk has a name for it
 *             CAPTURED a library enqueues it: as a command it is captured from a stream
 *
 *   KERNEL        kernel: its number; a slice per parameter
 *   COPY          source, destination (equal bytes); within the device, between the device and host memory, or within
 *                 host memory
 *   MEMSET        value: a 32-bit pattern; destination
 *   SEQUENCE      thunks, run in order
 *   WHILE         a pred, the condition's thunk, the body's: condition, then while the pred is true body and condition
 *   FOR           value: how often; the body's thunk
 *   CONDITIONAL   a pred or s32, thunks of the branches: true runs the first, false the second; an index out of range
 *                 the last
 *   CUSTOM_CALL   kernel: string, the name of a registered function; value: its backend_config; operands, then results
 *   LIBRARY_CALL  kernel: string, the name of a library, or the target of a custom call that one makes; operands,
 *                 results, then perhaps memory that it works in
 *   REPLICA_ID, PARTITION_ID   a u32
 *   INFEED        value: its config; slices that are filled      OUTFEED  the same; slices that are given away
 *   RANDOM_STATE  value: by how much; 16 bytes: the execution's state of 128 bits, to which value is added then
 *   COMMAND_BUFFER  thunks, run in order, by one command to the device where it can
 *   COLLECTIVE    value: what is done and which devices meet (plan/collectives.c); operands, then results
 * A thunk names only thunks of smaller numbers. */
/* clang-format off */
#define XG_EXE_THUNKS_KINDS(X) \
    X(KERNEL, "kernel", "fusion", XG_EXE_MANY, 0, NO, MARKED, XG_EXE_INSIDE) \
    X(COPY, "copy", "", 2, 0, NO, LAST, XG_EXE_INSIDE) \
    X(MEMSET, "memset", "", 1, 0, NUMBER, ALL, XG_EXE_INSIDE) \
    X(SEQUENCE, "sequence", "-", 0, XG_EXE_MANY, NO, NO, XG_EXE_INSIDE) \
    X(WHILE, "while", "while", 1, 2, NO, NO, XG_EXE_INSIDE | XG_EXE_ASKS) \
    X(FOR, "for", "while", 0, 1, NUMBER, NO, 0) \
    X(CONDITIONAL, "conditional", "conditional", 1, XG_EXE_MANY, NO, NO, XG_EXE_INSIDE | XG_EXE_ASKS) \
    X(CUSTOM_CALL, "custom-call", "custom-call", XG_EXE_MANY, 0, TEXT, MARKED, XG_EXE_CALLS) \
    X(LIBRARY_CALL, "library-call", "", XG_EXE_MANY, 0, TEXT, MARKED, XG_EXE_CALLS | XG_EXE_INSIDE | XG_EXE_CAPTURED) \
    X(REPLICA_ID, "replica-id", "replica-id", 1, 0, NO, ALL, XG_EXE_INSIDE | XG_EXE_OWN) \
    X(PARTITION_ID, "partition-id", "partition-id", 1, 0, NO, ALL, XG_EXE_INSIDE | XG_EXE_OWN) \
    X(INFEED, "infeed", "infeed", XG_EXE_MANY, 0, TEXT, ALL, XG_EXE_CALLS) \
    X(OUTFEED, "outfeed", "outfeed", XG_EXE_MANY, 0, TEXT, NO, XG_EXE_CALLS) \
    X(COMMAND_BUFFER, "command-buffer", "-", 0, XG_EXE_MANY, NO, NO, 0) \
    X(RANDOM_STATE, "rng-get-and-update-state", "rng-get-and-update-state", 1, 0, NUMBER, ALL, 0) \
    X(COLLECTIVE, "collective", "", XG_EXE_MANY, 0, TEXT, MARKED, XG_EXE_INSIDE | XG_EXE_CAPTURED)
/* clang-format on */
enum {
    XG_EXE_MANY = 255,
    XG_EXE_INSIDE = 1,
    XG_EXE_ASKS = 2,
    XG_EXE_OWN = 4,
    XG_EXE_CALLS = 8,
    XG_EXE_CAPTURED = 16
};
typedef enum xg_exe_thunk_value {
    XG_EXE_VALUE_NO,
    XG_EXE_VALUE_NUMBER,
    XG_EXE_VALUE_TEXT
} xg_exe_thunk_value;
typedef enum xg_exe_thunk_writes {
    XG_EXE_WRITES_NO,
    XG_EXE_WRITES_ALL,
    XG_EXE_WRITES_LAST,
    XG_EXE_WRITES_MARKED
} xg_exe_thunk_writes;
typedef struct xg_exe_thunk_row {
    const char *text, *of;
    uint8_t slices, runs, value, writes, flags;
} xg_exe_thunk_row;
#define XG_EXE_WRITTEN 0x80000000u
#define XG_EXE_PEERS_MAX 16            /* devices whose memory the kernel of a COLLECTIVE reads */
#define XG_EXE_RANDOM_FIRST 0x7012395u /* XLA's first state of random numbers */
#define XG_EXE_RANDOM_KEY 1            /* of the streams of rng, in its lower half; above it the replica */
typedef enum xg_exe_thunk_kind {
#define X(name, text, of, slices, runs, value, writes, flags) XG_EXE_THUNK_##name,
    XG_EXE_THUNKS_KINDS(X)
#undef X
    XG_EXE_THUNK_COUNT
} xg_exe_thunk_kind;
XG_TABLE const xg_exe_thunk_row xg_exe_thunk_rows[] = {
#define X(name, text, of, slices, runs, value, writes, flags) \
    {text, of, slices, runs, XG_EXE_VALUE_##value, XG_EXE_WRITES_##writes, flags},
    XG_EXE_THUNKS_KINDS(X)
#undef X
};
XG_ONE_COPY XG_FN const xg_exe_thunk_row *xg_exe_thunk_row_of(uint32_t kind) { return &xg_exe_thunk_rows[kind]; }
XG_FN const char *xg_exe_thunk_name(uint32_t kind) {
    return kind < XG_EXE_THUNK_COUNT ? xg_exe_thunk_rows[kind].text : "?";
}
/* Whether a thunk writes the slice of its link `number` of n. */
XG_FN bool xg_exe_writes(uint32_t kind, uint32_t link, uint32_t number, uint32_t n) {
    switch (xg_exe_thunk_rows[kind].writes) {
    case XG_EXE_WRITES_ALL: return true;
    case XG_EXE_WRITES_LAST: return number + 1 == n;
    case XG_EXE_WRITES_MARKED: return (link & XG_EXE_WRITTEN) != 0;
    default: return false;
    }
}
typedef struct xg_exe_thunk {
    uint32_t kind, name, first_link, n_links, kernel, value; /* name: the HLO instruction */
    uint64_t flops, bytes; /* what one run computes, and moves at least: for profiles */
    /* of a call: the VALUES of its slices, one each, and its ATTRIBUTES */
    uint32_t first_value, first_attribute, n_attributes, reserved;
} xg_exe_thunk;

/* An attribute of a call. data: of a dictionary the first of its count members, which stand before it; else the offset
 * in DATA of count elements, or of a string of count characters and a zero. name: string; "" in a list. */
typedef struct xg_exe_attribute {
    uint32_t name, kind, type, count;
    uint64_t data;
} xg_exe_attribute;

/* X(NAME, text): vendor libraries that a LIBRARY_CALL may call. */
#define XG_EXE_LIBRARIES(X) X(CUBLASLT, "cublaslt") X(CUFFT, "cufft") X(CUDNN, "cudnn") X(CUSOLVER, "cusolver")
typedef enum xg_exe_library {
#define X(name, text) XG_EXE_LIBRARY_##name,
    XG_EXE_LIBRARIES(X)
#undef X
    XG_EXE_LIBRARY_COUNT
} xg_exe_library;
#define XG_EXE_LIBRARY_ALWAYS 0x80000000u /* beside their bits: wherever they can, not where they are faster */

/* X(name): what of cuSOLVER may be called, by LAPACK's names. */
#define XG_EXE_SOLVERS(X) X(potrf) X(getrf) X(geqrf) X(orgqr) X(syevd) X(gesvd)
/* Of these, those that wait for the device before all of their work is enqueued: the host looks at what has
 * converged. */
#define XG_EXE_SOLVERS_THAT_WAIT(X) X(syevd) X(gesvd)
/* Custom calls of these targets are LIBRARY_CALLs (expand/library_rewriter.c writes them):
 *   __cufft$fft    {rank = 2 : i64, inverse = false}: of the last dimensions, from complex or real numbers or back to
 *                  real ones, not divided by their number; back to real numbers it has a second result, in the memory
 *                  of the operand, which is lost
 *   __cusolver$NAME   as JAX's cusolver_NAME_ffi, in the memory of the first operand; the triangle that potrf does not
 *                  make is as it was
 *   __cudnn$graph  {graph = array<i64: ..>, refused_notes = 4 : i64, ..}: a graph of operations (expand/dnn.c writes
 *                  it); the last result is memory to work in; engines with a numerical note among these bits are not
 *                  taken
 * Each has xlagpu_memory_limit = N : i64, too, where the module was compiled for a limit: the bytes of device memory
 * that the program may take, with what libraries ask for when an execution is prepared. */
#define XG_EXE_LIMIT "xlagpu_memory_limit"
#define XG_EXE_FFT_TARGET "__cufft$fft"
#define XG_EXE_SOLVER_TARGET "__cusolver$"
#define XG_EXE_DNN_TARGET "__cudnn$graph"
/* Words of `graph`, by cuDNN's own numbers:
 *   NEW kind                   a descriptor begins, the one before it is complete; the last one is the graph
 *   name type count values..   an attribute of it: numbers, bits of a float or a double, places of descriptors
 *   VALUE INT64 1 bits         of a tensor that is passed by value, what it is
 * The unique id of a tensor is the place of its operand or result plus 1, or, from BETWEEN on, of none. */
enum {
    XG_EXE_DNN_NEW = -1,
    XG_EXE_DNN_VALUE = -2,
    XG_EXE_DNN_BETWEEN = 1000
};

/* X(field): what a call of cuBLASLt is told, in the order of its one attribute "matmul", an array of s64. Types,
 * compute and epilogue are cuBLAS's own numbers. The matrices lie column by column: D, rows by columns, is A, rows by
 * depth, or its transposed, times B, depth by columns, likewise. lead: elements from column to column; stride: from one
 * matrix of the batch to the next. operand: the place among the slices of A, B, the bias, of the numbers by which A, B
 * and D are multiplied, and of C, which is added and lies as D does; -1: none. largest: the second result is the
 * largest absolute value before D is multiplied. */
/* clang-format off */
#define XG_EXE_MATMUL_FIELDS(X) \
    X(compute) X(scale) X(epilogue) X(type_a) X(type_b) X(type_d) X(trans_a) X(trans_b) X(rows) X(columns) X(depth) \
    X(lead_a) X(lead_b) X(lead_d) X(batch) X(stride_a) X(stride_b) X(stride_d) X(operand_a) X(operand_b) \
    X(operand_bias) X(operand_scale_a) X(operand_scale_b) X(operand_scale_d) X(operand_c) X(largest) X(deterministic)
/* clang-format on */
typedef enum xg_exe_matmul {
#define X(field) XG_EXE_MATMUL_##field,
    XG_EXE_MATMUL_FIELDS(X)
#undef X
    XG_EXE_MATMUL_COUNT
} xg_exe_matmul;

/* A parameter, a leaf of the result or an array of a call, which has no allocation of its own. Dims: logical sizes,
 * then minor_to_major. alias: of a result that shares the memory of a parameter, that parameter's number plus 1 (of a
 * call: the place of its operand); bit 31: the caller must give both the same buffer (otherwise the parameter is copied
 * first). size_of: of an s32 that says how much there is of a bounded dimension, that dimension of the array in front
 * of it, plus 1. parts: of an array of which each device has a part, where in DIMS the sizes of the whole stand, plus
 * 1; behind them for each partition whether it has a part (1 or 0), and where that begins. 0: each device has all of
 * it. */
typedef struct xg_exe_value {
    uint32_t type, rank, first_dim, allocation, name, alias;
    uint64_t bytes;
    uint32_t size_of, parts;
} xg_exe_value;
#define XG_EXE_MUST_ALIAS 0x80000000u

/* Two running sums of 32-bit words (Fletcher's idea), enough against truncation and damage; not against an adversary,
 * against whom every index and size is checked anyway. Four words go at once: the second sum has each of them as often
 * as it is there from then on. Words are those of a little-endian host, which is the only one that there is. */
enum {
    XG_EXE_SUM_WORDS = 256 /* that are brought into place together, a multiple of four */
};
XG_FN uint64_t xg_exe_checksum(const unsigned char *p, uint64_t n) {
    uint32_t words[XG_EXE_SUM_WORDS];
    uint64_t a = 1, b = 0;
    while (n >= 4) {
        size_t bytes = (size_t)(n < sizeof words ? n / 4 * 4 : sizeof words), k;
        memcpy(words, p, bytes);
        for (k = 0; k + 4 <= bytes / 4; k += 4) {
            const uint32_t *w = &words[k];
            b += 4 * (a + w[0]) + 3 * (uint64_t)w[1] + 2 * (uint64_t)w[2] + w[3];
            a += (uint64_t)w[0] + w[1] + w[2] + w[3];
        }
        for (; k < bytes / 4; k++) b += a += words[k];
        p += bytes;
        n -= bytes;
    }
    for (; n; n--) b += a += *p++;
    return (a & 0xFFFFFFFFu) << 32 ^ b;
}

#endif /* XG_API_EXECUTABLE_H */
