/* kir/kir.h -- kernel IR: one data structure, printer, parser and verifier for all levels between a fusion and PTX.
 *
 * Ideas
 * - A module holds functions; a function has one region; a region is one list of operations with arguments in front; an
 *   operation has operands, results, attributes and nested regions. SSA: a value is a result or a region argument and
 *   is used only where it dominates.
 * - Control flow is structured (for, if, while): no branch leaves a region; the PTX printer writes the labels.
 * - Tensors have value semantics above `lower_tensors` (insert gives a new tensor), memory semantics below it. The
 *   entry function takes inputs and then destinations as tensors and returns the destinations after the last insert;
 *   nothing else may use them.
 * - Types are interned: equality is pointer equality. pred (HLO) is i1 as a value and one byte in a tensor. Integers
 *   are signless; operations say signed or unsigned. Sub-byte HLO integers are i8 by value. f8, f6, f4 exist as element
 *   types and convert; they do not compute.
 * - `index` is the type of positions; `convert_index` decides i32 or i64 for the whole kernel.
 *
 * Laws: operands precede users; ids grow and are unique in the module; passes walk in program order; a pass allocates
 * what it leaves behind from the module's arena, and its own data from temp, and frees nothing. */
#ifndef XG_KIR_H
#define XG_KIR_H
#include "../base/formula.h"
#include "../affine/affine.h"
#include "../cost/cost.h"
#include "ops.h"

typedef enum xg_kopcode {
#define X(name, text, lo, hi, results, regions, flags, types, attrs) XG_K_OP_##name,
    XG_KIR_OPS(X)
#undef X
    XG_K_OP_COUNT
} xg_kopcode;

enum {
#define X(word) XG_KCHECK_##word,
    XG_KIR_CHECKS(X)
#undef X
};
enum {
#define X(word) XG_KFORM_##word,
    XG_KIR_FORMS(X)
#undef X
};

typedef struct xg_ktype xg_ktype;
typedef struct xg_kval xg_kval;
typedef struct xg_kop xg_kop;
typedef struct xg_kregion xg_kregion;
typedef struct xg_kfunc xg_kfunc;
typedef struct xg_kmodule xg_kmodule;
typedef struct xg_kinliner xg_kinliner;
typedef struct xg_krules xg_krules;

/* ---- types ---- */
/* Element types. X(NAME, text, bits, class: INT FLOAT COMPLEX INDEX). */
/* clang-format off */
#define XG_KIR_ELEMS(X) \
    X(I1, "i1", 1, INT) \
    X(I8, "i8", 8, INT) \
    X(I16, "i16", 16, INT) \
    X(I32, "i32", 32, INT) \
    X(I64, "i64", 64, INT) \
    X(INDEX, "index", 0, INDEX) \
    X(BF16, "bf16", 16, FLOAT) \
    X(F16, "f16", 16, FLOAT) \
    X(F32, "f32", 32, FLOAT) \
    X(F64, "f64", 64, FLOAT) \
    X(F8E5M2, "f8e5m2", 8, FLOAT) \
    X(F8E4M3, "f8e4m3", 8, FLOAT) \
    X(F8E4M3FN, "f8e4m3fn", 8, FLOAT) \
    X(F8E3M4, "f8e3m4", 8, FLOAT) \
    X(F8E4M3B11FNUZ, "f8e4m3b11fnuz", 8, FLOAT) \
    X(F8E5M2FNUZ, "f8e5m2fnuz", 8, FLOAT) \
    X(F8E4M3FNUZ, "f8e4m3fnuz", 8, FLOAT) \
    X(F8E8M0FNU, "f8e8m0fnu", 8, FLOAT) \
    X(F4E2M1FN, "f4e2m1fn", 4, FLOAT) \
    X(F6E2M3FN, "f6e2m3fn", 6, FLOAT) \
    X(F6E3M2FN, "f6e3m2fn", 6, FLOAT) \
    X(C64, "complex<f32>", 64, COMPLEX) \
    X(C128, "complex<f64>", 128, COMPLEX)
/* clang-format on */
typedef enum xg_kelem {
#define X(name, text, bits, cls) XG_E_##name,
    XG_KIR_ELEMS(X)
#undef X
    XG_E_COUNT
} xg_kelem;

typedef enum xg_kkind {
    XG_TK_SCALAR,
    XG_TK_VECTOR,
    XG_TK_TENSOR,
    XG_TK_POINTER
} xg_kkind;
typedef enum xg_kspace {
    XG_SPACE_GLOBAL,
    XG_SPACE_SHARED,
    XG_SPACE_LOCAL,
    XG_SPACE_CONST,
    XG_SPACE_CLUSTER /* shared memory of the blocks of a cluster */
} xg_kspace;
#define XG_KSPACE_IS_SHORT(space) \
    ((space) == XG_SPACE_SHARED || (space) == XG_SPACE_CLUSTER) /* addresses of 32 bits \
                                                                 */
struct xg_ktype {
    xg_kelem elem; /* of a pointer: I8 */
    xg_kkind kind;
    xg_kspace space; /* of a pointer */
    uint32_t rank;   /* vector: 1 */
    const int64_t *dims;
    int64_t elements;
    uint32_t id;
};

/* ---- values and operations ---- */
typedef struct xg_kuse xg_kuse;
/* The members that walks over uses and operations read come first, so that they share a cache line. */
struct xg_kuse {
    xg_kval *value;
    xg_kop *user;
    xg_kuse *prev, *next;
}; /* one of the user's operands */
#define XG_KUSE_INDEX(u) ((uint32_t)((u) - (u)->user->operands))
struct xg_kval {
    const xg_ktype *type;
    xg_kop *def; /* NULL for a region argument */
    xg_kuse *first_use, *last_use;
    /* the range of an index or integer if lo <= hi; set for ids, induction variables, map results */
    int64_t lo, hi;
    void *scratch;
    uint32_t index;     /* which result or argument */
    uint32_t id;        /* unique in the module */
    xg_kregion *region; /* of an argument */
    xg_str name;        /* a suggestion for the printer: "dim0", "extracted"; may be empty */
};
struct xg_kop {
    xg_kuse *operands;
    xg_kopcode op;
    uint32_t n_operands, n_results, n_regions;
    xg_kop *next, *prev;
    xg_kregion *parent;
    xg_kval *results;
    /* since canonicalize last saw it: it is new, or an operand or the uses of its result have changed */
    bool changed;
    uint32_t flags; /* predicate of a compare, axis of an id, KM_* of a memory access, KL_* of a FOR */
    void *scratch;
    /* attributes, by opcode. CONST: a has the bits; integers sign-extended, i1 0 or 1; complex: a real, b imaginary
     * part. APPLY: a is 1 if simplify_indexing has written it */
    int64_t a, b;
    /* LOOP, APPLY: xg_imap; CALL, SHUFFLE_REDUCE: xg_kfunc; SHARED_PTR: xg_str, the array's name */
    const void *p;
    xg_kregion **regions;
    uint32_t id;
    uint32_t loc; /* id of the HLO instruction it comes from, + 1; 0 unknown */
};
struct xg_kregion {
    xg_kval *args;
    xg_kop *owner;
    xg_kfunc *func;
    uint32_t n_args;
    xg_kop *first, *last;
};

enum {
    KM_INVARIANT = 1,
    KM_VOLATILE = 2,
    KM_STREAM = 4 /* stored once, and not loaded again soon */
};
/* Of FOR. UNROLLED: unrolled as far as intended, so the assembler must not unroll it; UNROLL_LOWERED: to be unrolled
 * completely after lowering. */
enum {
    KL_UNROLLED = 1,
    KL_UNROLL_LOWERED = 2,
    KL_STEP_POINTERS = 4,  /* carry addresses that grow by a constant in each round (step_pointers.c) */
    KL_READS_AHEAD = 8,    /* with KL_UNROLL_LOWERED: a step's loads come before the sums of the previous one */
    KL_LANES = 32,         /* with KL_UNROLLED: rounds are lanes of a processor's vectors, and independent in memory */
    KL_WHOLE = 64,         /* of LOOP, too: unroll completely, however large the code */
    KL_READS_TOGETHER = 16 /* unroll by up to four, with all loads before the stores. No step may read what another
                              one writes */
};
enum {
    XG_KUNROLL_TOGETHER = 4 /* steps: the loads of more would take too many registers */
};
enum {
    XG_KMATRIX_TRANSPOSED = 1 /* of LOAD_MATRIX, LDMATRIX */
};
/* Flags. FTZ, of EX2A, LG2A, RCPA, RSQRTA: subnormal operands and results do not matter; SHORT, of TANH: an absolute
 * error of 2^-21 suffices, also near 0. */
enum {
    XG_KA_FTZ = 1,
    XG_KA_SHORT = 1
};
/* Types of MMA: X(NAME, type of a, type of b, of the sum, bytes of an element, kind in the device's description). */
/* clang-format off */
#define XG_KIR_MMA(X) \
    X(F16, "f16", "f16", F32, 2, F16) \
    X(BF16, "bf16", "bf16", F32, 2, F16) \
    X(TF32, "tf32", "tf32", F32, 4, TF32) \
    X(E4M3, "e4m3", "e4m3", F32, 1, F8) \
    X(E4M3_E5M2, "e4m3", "e5m2", F32, 1, F8) \
    X(E5M2_E4M3, "e5m2", "e4m3", F32, 1, F8) \
    X(E5M2, "e5m2", "e5m2", F32, 1, F8) \
    X(S8, "s8", "s8", I32, 1, I8) \
    X(S8_U8, "s8", "u8", I32, 1, I8) \
    X(U8_S8, "u8", "s8", I32, 1, I8) \
    X(U8, "u8", "u8", I32, 1, I8)
/* clang-format on */
typedef enum xg_kmma {
#define X(name, a, b, sum, bytes, tensor) XG_KMMA_##name,
    XG_KIR_MMA(X)
#undef X
    XG_KMMA_COUNT
} xg_kmma;
typedef struct xg_kmma_row {
    char a[5], b[5];
    uint8_t bytes;
    xg_kelem sum;
    xg_cost_tensor tensor;
} xg_kmma_row;
enum {
    XG_KMMA_M = 16,
    XG_KMMA_N = 8,
    XG_KMMA_K_BYTES = 32
};
/* WGMMA, a warp group's multiplication. A descriptor names the first matrix, or registers hold it: four words of each
 * thread, as for mma. Flags: the types; then for a (rows) and b (columns) whether a line has these for one k; otherwise
 * a line has consecutive k. */
enum {
    XG_KWGMMA_M = 64,
    XG_KWGMMA_N_MAX = 256,
    XG_KWGMMA_SUMS_MAX = 32, /* vectors of sums: one for each eight columns */
    XG_KWGMMA_LINE_BYTES = 128,
    XG_KWGMMA_LINES = 8,    /* so many lines are swizzled together */
    XG_KWGMMA_ALIGN = 1024, /* bytes of such a group of lines */
    XG_KWGMMA_TYPES = 255,
    XG_KWGMMA_A_ROWS = 256,
    XG_KWGMMA_B_ROWS = 512
};
/* Tensor memory, and TENSOR_MMA, a multiplication whose sums are there. */
enum {
    XG_KTENSOR_M = 128,     /* rows: the lanes of tensor memory; each of four warps can read 32 of them */
    XG_KTENSOR_N_STEP = 16, /* columns of a multiplication are a multiple of this */
    XG_KTENSOR_COLUMNS = 512,
    XG_KTENSOR_COLUMNS_LEAST = 32, /* of an allocation, which is a power of two */
    XG_KTENSOR_LANE_SHIFT = 16     /* an address has the lane above this bit, the column below it */
};
enum {
    XG_KTEAM_CLUSTER = -1,
    XG_KTEAM_RELAXED = 1 /* b of a cluster's barrier: it orders no memory accesses */
};                       /* of SYNC, BARRIER: the waiting threads, if not a number of them */
enum {
    KP_INBOUNDS = 1
}; /* of PTR_ADD: whenever it is executed the index is in 0..2^31-1, whatever its range */
/* Predicates. With a NaN operand, cmpf o.. is false and u.. true. */
#define XG_KIR_CMPI(X) \
    X(EQ, "eq") \
    X(NE, "ne") \
    X(SLT, "slt") X(SLE, "sle") X(SGT, "sgt") X(SGE, "sge") X(ULT, "ult") X(ULE, "ule") X(UGT, "ugt") X(UGE, "uge")
/* clang-format off */
#define XG_KIR_CMPF(X) \
    X(OEQ, "oeq") \
    X(OGT, "ogt") \
    X(OGE, "oge") \
    X(OLT, "olt") \
    X(OLE, "ole") \
    X(ONE, "one") \
    X(ORD, "ord") \
    X(UEQ, "ueq") \
    X(UGT, "ugt") \
    X(UGE, "uge") \
    X(ULT, "ult") \
    X(ULE, "ule") \
    X(UNE, "une") \
    X(UNO, "uno")
/* clang-format on */
typedef enum xg_kcmpi {
#define X(name, text) XG_CI_##name,
    XG_KIR_CMPI(X)
#undef X
    XG_CI_COUNT
} xg_kcmpi;
typedef enum xg_kcmpf {
#define X(name, text) XG_CF_##name,
    XG_KIR_CMPF(X)
#undef X
    XG_CF_COUNT
} xg_kcmpf;

/* Facts about a parameter of the entry function, a slice of a buffer. */
typedef struct xg_karg {
    int64_t bytes, align;
    bool written;  /* by this kernel, through this or another parameter of the same slice */
    bool parted;   /* each block has a part of the buffer, of the tensor's size: block x the x-th */
    bool aliased;  /* overlaps another parameter without being the same slice, and one of the two is written */
    int32_t slice; /* parameters of equal slice are the same memory, and the first one represents all */
} xg_karg;

/* A tensor map, as a parameter of the kernel: describes the boxes of an array that tensor copies transfer. Dimension 0
 * is the innermost; types and swizzles are numbered as in CUtensorMapDataType and CUtensorMapSwizzle. */
enum {
    XG_KMAP_RANK = 5,
    XG_KMAP_BYTES = 128,
    XG_KMAP_BOX_MAX = 256,
    XG_KMAP_SWIZZLE_HALF = 2, /* lines of 64 bytes, */
    XG_KMAP_SWIZZLE_LINE = 3  /* ... of 128 bytes, as wgmma reads them */
};
typedef struct xg_kmap {
    uint32_t arg, type, rank, swizzle;                     /* arg: of the entry */
    int64_t dims[XG_KMAP_RANK], strides[XG_KMAP_RANK - 1]; /* strides: in bytes, of all dimensions but the first */
    uint32_t box[XG_KMAP_RANK];
    int32_t bytes; /* of an element */
} xg_kmap;

struct xg_kfunc {
    xg_kregion *body; /* its arguments are the parameters */
    xg_str name;
    xg_karg *args;                  /* entry only: one per parameter */
    uint32_t threads[3], blocks[3]; /* entry only */
    uint32_t n_maps;                /* entry only: parameters after the others */
    xg_kmap *maps;
    xg_kfunc *prev, *next;
    uint32_t n_results;
    uint32_t n_inputs; /* entry only: parameters before the destinations */
    bool entry, inline_always;
    /* entry only: so many neighbouring blocks, by x, form a cluster; 0: none */
    uint32_t cluster;
    xg_kmodule *module;
    const xg_ktype **results;
    uint32_t idle; /* entry only: blocks that are expected to be idle */
    /* entry only: loads whose only use is a store to shared memory may become asynchronous copies */
    bool async_copies;
    /* entry only: blocks that a multiprocessor must hold at a time, for which the assembler may have to spill; 0: as
     * many as the registers allow */
    uint32_t resident;
    int64_t longest; /* entry only: see xg_cost_counts */
    /* entry only: so many threads at the end of a block copy operands for the others; of two warps the second one
     * issues products */
    uint32_t producers;
    /* entry only: the warps after the first of these that issue products in tensor memory; the barriers, from the first
     * one on, of copies */
    uint32_t askers, brought;
    /* entry only: pairs of neighbouring blocks multiply in tensor memory: 128 rows of each, and half of the right
     * matrix's columns of each. A thread of the even block issues; both blocks are signalled */
    bool pairs;
    uint32_t mark; /* for passes */
};
typedef struct xg_kops {
    xg_kop **p;
    uint32_t n, cap;
} xg_kops;
struct xg_kmodule {
    xg_aff_ctx *aff; /* owns its maps */
    xg_ctx *ctx;
    xg_arena *arena;
    /* for a pass's own data; the driver may reset it after each pass. The same as arena unless set */
    xg_arena *temp;
    xg_set types;
    uint32_t n_types, n_ids, n_ops; /* n_ops: existing operations */
    uint32_t n_walks;               /* of cse.c */
    xg_kfunc *first, *last, *entry;
    xg_str comment; /* printed at the head of the kernel: the HLO fusion's name and operations */
    uint32_t shared_bytes;
    bool ftz, fma;      /* flush subnormals; contraction of a*b+c allowed */
    const void *target; /* xg_target, for passes below lower_tensors */
    bool plain;         /* printed by the ptx room, also where the backend is llvm */
    /* LLVM bitcode with functions of the math dialect (xg_libdevice_name), which the backend llvm calls in place of our
     * own expansions; .p NULL: none */
    xg_str libdevice;
    /* once cse has gathered them: the constants at the head of the entry, without duplicates; new ones join them */
    xg_set constants;
    xg_kop *last_constant;
    xg_krules *rules;     /* rules.c: by opcode; NULL until first used */
    xg_kinliner *inliner; /* while the pass inline runs: its state */
    uint32_t n_held;
    const xg_ktype *scalars[XG_E_COUNT]; /* the interned scalar types, by element */
    uint32_t made[XG_K_OP_COUNT];        /* upper bounds on existing operations, by opcode */
    xg_kops loops;                       /* FOR and WHILE in the order of creation; some may have been removed */
    struct xg_kval *held[64];            /* by XG_KOP2 and its kin, while they build an expression */
};

/* ---- ranges.c: ranges of integer values ---- */
/* Every integer result gets its range at creation, from those of its operands; lo > hi: not known. */
/* The range, never empty: if not known, the type's whole signed range; of an i1 [0, 1]. */
XG_FN xg_range xg_kval_range(const xg_kval *v);
XG_FN void xg_kval_set_range(xg_kval *v, xg_range r); /* drops the range if it does not fit the type */
XG_FN bool xg_ktype_has_range(const xg_ktype *t);     /* false: values of the type have no ranges */
/* sets the range of the result; for operations whose range follows from operands */
XG_FN void xg_kop_infer_range(xg_kop *op);
XG_FN xg_range xg_kelem_range(xg_kelem e); /* signed; i1 [0, 1] */

/* ---- build.c ---- */
XG_FN xg_kmodule *xg_kir_module(xg_ctx *c, xg_arena *a, xg_aff_ctx *aff);
XG_FN const xg_ktype *xg_kir_scalar(xg_kmodule *m, xg_kelem e);
XG_FN const xg_ktype *xg_kir_vector(xg_kmodule *m, xg_kelem e, int64_t lanes);
/* A vector register of a host's processor: floats of XG_KWHOLE_BYTES, which no pass splits. */
enum {
    XG_KWHOLE_BYTES = 64
};
XG_FN bool xg_ktype_is_whole(const xg_ktype *t);
XG_FN const xg_ktype *xg_kir_tensor(xg_kmodule *m, xg_kelem e, const int64_t *dims, uint32_t rank);
XG_FN const xg_ktype *xg_kir_pointer(xg_kmodule *m, xg_kspace space);
XG_FN int xg_kelem_bits(xg_kelem e);      /* of a value; INDEX 0 */
XG_FN int64_t xg_kelem_bytes(xg_kelem e); /* in memory: i1, f4, f6 one byte */
XG_FN bool xg_kelem_is_int(xg_kelem e);   /* i1..i64 and index */
XG_FN bool xg_kelem_is_float(xg_kelem e);
XG_FN bool xg_kelem_is_complex(xg_kelem e);
/* s32, u32 -> I32 ...; XG_E_COUNT for what has no element (no type can be made of that) */
XG_FN xg_kelem xg_kelem_of(xlagpu_type t);
/* the HLO type of a float element, for base/number.h; INVALID for others */
XG_FN xlagpu_type xg_kelem_format(xg_kelem e);
XG_FN const char *xg_kelem_name(xg_kelem e);
XG_FN const xg_kmma_row *xg_kmma_row_of(uint32_t kind); /* of MMA's flags */
/* appended; entry functions first by convention */
XG_FN xg_kfunc *xg_kir_func(
    xg_kmodule *m, xg_str name, const xg_ktype *const *params, uint32_t n, const xg_ktype *const *results, uint32_t nr);
XG_FN void xg_kir_func_remove(xg_kfunc *f);

/* A builder: creates operations at the end of a region, or before an operation. */
typedef struct xg_kb {
    xg_kmodule *m;
    xg_kregion *region;
    xg_kop *before;
    uint32_t loc;
} xg_kb;
XG_FN xg_kb xg_kb_end(xg_kmodule *m, xg_kregion *r);
XG_FN xg_kb xg_kb_before(xg_kmodule *m, xg_kop *op);
XG_FN xg_kb xg_kb_after(xg_kmodule *m, xg_kop *op);
XG_FN void xg_kb_move(xg_kb *b, xg_kop *op); /* the same builder, now in front of op */
/* The general form; results get the given types. The others call it and return the first result. Integer results of
 * xg_k1, xg_k2, xg_k3, casts, comparisons and selects are folded (xg_kfolded): to a constant or an operation of another
 * opcode, never to an operand. */
XG_FN xg_kop *xg_kir_op(xg_kb *b, xg_kopcode op, xg_kval *const *operands, uint32_t n, const xg_ktype *const *results,
    uint32_t nr, uint32_t n_regions);
XG_FN xg_kop *xg_kir_do(xg_kb *b, xg_kopcode op, xg_kval *const *operands, uint32_t n); /* without results */
XG_FN xg_kop *xg_kir_do_0(xg_kb *b, xg_kopcode op);                                     /* ... of no operands */
XG_FN xg_kregion *xg_kir_region_args(
    xg_kb *b, xg_kop *op, uint32_t which, const xg_ktype *const *types, uint32_t n); /* gives a region its arguments */
XG_FN xg_kval *xg_k1(xg_kb *b, xg_kopcode op, xg_kval *x);                           /* result type = x's */
XG_FN xg_kval *xg_k2(xg_kb *b, xg_kopcode op, xg_kval *x, xg_kval *y);
XG_FN xg_kval *xg_kaddi(xg_kb *b, xg_kval *x, xg_kval *y);
XG_FN xg_kval *xg_ksubi(xg_kb *b, xg_kval *x, xg_kval *y);
XG_FN xg_kval *xg_kmulf(xg_kb *b, xg_kval *x, xg_kval *y);
XG_FN xg_kval *xg_kandi(xg_kb *b, xg_kval *x, xg_kval *y);
XG_FN xg_kval *xg_k3(xg_kb *b, xg_kopcode op, xg_kval *x, xg_kval *y, xg_kval *z);
XG_FN xg_kval *xg_kcast(xg_kb *b, xg_kopcode op, xg_kval *x, xg_kelem to); /* scalar or same number of lanes */
XG_FN xg_kval *xg_kcast_index(xg_kb *b, xg_kval *x, xg_kelem to);
XG_FN xg_kval *xg_kbitcast(xg_kb *b, xg_kval *x, xg_kelem to);
XG_FN xg_kval *xg_kextui(xg_kb *b, xg_kval *x, xg_kelem to);
XG_FN xg_kval *xg_kconst_int(xg_kb *b, xg_kelem e, int64_t v); /* i1, integers, index */
XG_FN xg_kval *xg_kconst_i32(xg_kb *b, int64_t v);
XG_FN xg_kval *xg_kir_lane(xg_kb *b, xg_kval *vector, xg_kval *lane);
XG_FN xg_kval *xg_kir_with_lane(xg_kb *b, xg_kval *x, xg_kval *vector, xg_kval *lane);
XG_FN xg_kval *xg_kconst_float(xg_kb *b, xg_kelem e, double v); /* rounded to the format */
XG_FN xg_kval *xg_kconst_bits(xg_kb *b, const xg_ktype *t, uint64_t bits);
XG_FN xg_kval *xg_kcmpi_(xg_kb *b, xg_kcmpi p, xg_kval *x, xg_kval *y);
XG_FN xg_kval *xg_kcmpf_(xg_kb *b, xg_kcmpf p, xg_kval *x, xg_kval *y);
/* the same with a constant of x's type, a scalar's */
XG_FN xg_kval *xg_k2_int(xg_kb *b, xg_kopcode op, xg_kval *x, int64_t y);
XG_FN xg_kval *xg_kaddi_int(xg_kb *b, xg_kval *x, int64_t y);
XG_FN xg_kval *xg_kcmpi_int(xg_kb *b, xg_kcmpi p, xg_kval *x, int64_t y);
XG_FN xg_kval *xg_kselect(xg_kb *b, xg_kval *c, xg_kval *x, xg_kval *y);
/* C leaves open which argument of a call is evaluated first. Where several arguments make operations, these forms
 * decide it, the last one first; so a formula may be nested, and every compiler makes the same code of it. All but the
 * first operand are held until the operation is made. */
XG_FN void xg_khold(xg_kb *b, xg_kval *v);
XG_FN xg_kval *xg_kheld(xg_kb *b); /* what was held last */
XG_FN xg_kval *xg_k2_held(xg_kb *b, xg_kopcode op, xg_kval *x);
XG_FN xg_kval *xg_k3_held(xg_kb *b, xg_kopcode op, xg_kval *x);
XG_FN xg_kval *xg_kcmpi_held(xg_kb *b, xg_kcmpi p, xg_kval *x);
XG_FN xg_kval *xg_kcmpf_held(xg_kb *b, xg_kcmpf p, xg_kval *x);
#define XG_KOP2(b, op, x, y) (xg_khold(b, y), xg_k2_held(b, op, x))
#define XG_KOP3(b, op, x, y, z) (xg_khold(b, z), xg_khold(b, y), xg_k3_held(b, op, x))
#define XG_KCMPI(b, p, x, y) (xg_khold(b, y), xg_kcmpi_held(b, p, x))
#define XG_KCMPF(b, p, x, y) (xg_khold(b, y), xg_kcmpf_held(b, p, x))
#define XG_KSELECT(b, c, x, y) XG_KOP3(b, XG_K_OP_SELECT, c, x, y)
XG_FN xg_kval *xg_kextract(xg_kb *b, xg_kval *tensor, xg_kval *const *indices, uint32_t n);
XG_FN xg_kval *xg_kinsert(xg_kb *b, xg_kval *value, xg_kval *tensor, xg_kval *const *indices, uint32_t n);
XG_FN xg_kval *xg_kinsert_at(xg_kb *b, xg_kval *value, xg_kval *tensor, xg_kval *index); /* by one index */
XG_FN xg_kval *xg_kthread_id(xg_kb *b, int axis, int64_t count);                         /* index in [0, count-1] */
XG_FN xg_kval *xg_kblock_id(xg_kb *b, int axis, int64_t count);
/* one result per map result, with its range */
XG_FN xg_kop *xg_kapply(xg_kb *b, const xg_imap *map, xg_kval *const *dims_and_symbols);
XG_FN xg_kop *xg_kcall(xg_kb *b, xg_kfunc *callee, xg_kval *const *args, uint32_t n);
/* both regions empty: the caller fills and yields */
XG_FN xg_kop *xg_kif(xg_kb *b, xg_kval *cond, const xg_ktype *const *results, uint32_t n);
XG_FN xg_kop *xg_kfor(xg_kb *b, xg_kval *lo, xg_kval *hi, xg_kval *step, xg_kval *const *inits, uint32_t n);
XG_FN xg_kop *xg_kloop(xg_kb *b, const xg_imap *map, xg_kval *const *dims, xg_kval *const *inits, uint32_t n);
XG_FN void xg_kyield(xg_kb *b, xg_kval *const *vals, uint32_t n);
XG_FN void xg_kreturn(xg_kb *b, xg_kval *const *vals, uint32_t n);
/* ---- formula.c: operations from formulas ---- */
typedef struct xg_kform_row { /* a polynomial: its n coefficients, highest first, as constants are */
    const void *bits;
    char name;
    uint8_t n;
} xg_kform_row;
typedef struct xg_kform {
    xg_fml words;
    xg_kb *b;
    xg_kelem elem;         /* of numbers among numbers */
    const void *constants; /* 26, by their bits, as uint64_t where elem is an f64, else as uint32_t */
    const xg_kform_row *polynomials;
    xg_kval *v[26];
} xg_kform;
XG_FN xg_kval *xg_kformula(xg_kform *f, const char *text);

/* Changing it. */
XG_FN void xg_kval_replace(xg_kval *from, xg_kval *to);
XG_FN void xg_kop_set_operand(xg_kop *op, uint32_t i, xg_kval *v);
XG_FN void xg_kop_shorten(xg_kop *op, uint32_t n); /* only the first n operands stay */
XG_FN void xg_kop_remove(xg_kop *op);              /* its results have no uses; nested regions go with it */
XG_FN void xg_kop_move_before(xg_kop *op, xg_kop *before);
/* Copies of what is in a region. Begin forgets earlier copies of all that it reads and makes; put says what stands for
 * a value, value asks; clone reads that for operands and puts results and arguments, so that more copies may follow.
 * Kept in the values' scratch. What the copies show to be a known lane or number is that value, and no operation. */
XG_FN void xg_kclone_begin(const xg_kregion *r);
XG_FN void xg_kclone_put(xg_kval *v, xg_kval *copy);
XG_FN xg_kval *xg_kclone_value(xg_kval *v);
XG_FN void xg_kop_clone(xg_kb *b, const xg_kop *op);
/* inline.c: instead of a copy what is called, or what constants decide */
XG_FN bool xg_kclone_instead(xg_kb *b, const xg_kop *op);
/* inline.c: an equal operation that was copied before instead */
XG_FN void xg_kclone_merge(xg_kb *b, const xg_kop *op, xg_kop *copy);
/* fold.c: an operation of one or two integers; false: nothing is known of it */
XG_FN bool xg_kfold_int(xg_kopcode op, xg_kelem e, int64_t x, int64_t y, int64_t *out);
XG_FN bool xg_kfold_cmpi(
    uint32_t predicate, xg_kelem e, int64_t x, int64_t y, bool *out); /* the same of a comparison */
XG_FN bool xg_kval_is_const(const xg_kval *v, int64_t *bits); /* not complex; as in xg_kop.a; bits may be NULL */
XG_FN bool xg_kused_once(const xg_kval *v);
XG_FN xg_kop *xg_kregion_end(const xg_kregion *r);                          /* its terminator; NULL while it has none */
XG_FN bool xg_kregion_inside(const xg_kregion *r, const xg_kregion *outer); /* r is outer or nested in it */
#define XG_KOPERAND(op, k) ((op)->operands[k].value)
#define XG_FOR_KOPS(o, region) for (xg_kop *o = (region)->first; o; o = o->next)

/* ---- print.c, parse.c, verify.c ---- */
XG_FN const char *xg_kcmp_name(const xg_kop *op); /* the predicate of a comparison */
XG_FN void xg_kir_print(xg_buf *b, const xg_kmodule *m);
XG_FN xg_kmodule *xg_kir_parse(xg_ctx *c, xg_arena *a, xg_aff_ctx *aff, const xg_source *src); /* what print writes */
XG_FN void xg_kir_verify(const xg_kmodule *m); /* fails with ERROR_INTERNAL naming function, operation and rule */
XG_FN void xg_ktype_print(xg_buf *b, const xg_ktype *t);
/* fails if the entry still has tensors, indexing maps, calls, complex or index values: what no backend knows */
XG_FN void xg_kir_verify_low(xg_kmodule *m);
/* One read of tensor memory behind the other: they are waited for together. */
XG_INLINE bool xg_kop_reads_on(const xg_kop *op) { return op->next && op->next->op == XG_K_OP_TENSOR_READ; }
XG_FN const char *xg_kop_name(xg_kopcode op);
XG_FN uint32_t xg_kop_flags(xg_kopcode op);

/* ---- edit.c: what several passes do ---- */
/* something besides its results can tell that it ran; inserts into tensors are not effects: the new tensor is a
 * result */
XG_FN bool xg_kop_has_effects(const xg_kop *op);
XG_FN bool xg_kop_is_dead(const xg_kop *op); /* no results in use, no effects, no terminator */
XG_FN xg_kval *xg_ktensor_root(xg_kval *v);  /* the parameter or shared array whose memory a tensor is */
XG_FN int64_t xg_ktensor_align(xg_kval *v);  /* what its memory is aligned to, in bytes */
XG_FN bool xg_ktensor_is_constant(xg_kval *v);
XG_FN int64_t xg_kfor_trips(const xg_kop *op); /* -1 when not known */
/* moves all operations of a region in front of another operation */
XG_FN void xg_kregion_take(xg_kregion *from, xg_kop *before);
XG_FN void xg_kregion_take_end(xg_kregion *from, xg_kregion *to); /* ... to the end of another region */
/* The same operation, in front of the old one, with other operands and results; it takes over attributes and regions.
 * The old one keeps its results (for the caller to replace) and has no regions any more. */
XG_FN xg_kop *xg_kop_rebuild(
    xg_kmodule *m, xg_kop *old, xg_kval *const *operands, uint32_t n, const xg_ktype *const *results, uint32_t nr);
/* The operations of one opcode, or two, in a function's body, inner ones first, others in program order, but loops as
 * they were made; a snapshot: the caller may change the body. */
XG_FN void xg_kops_collect_of(xg_arena *a, xg_kops *out, const xg_kregion *r, xg_kopcode op, xg_kopcode other);
/* those of all functions, as they were at the beginning of each */
XG_FN void xg_kops_each_of(xg_kmodule *m, xg_kopcode op, void (*fn)(xg_kmodule *m, xg_kop *op));

/* ---- atomics.c: memory that others change too ---- */
typedef xg_kval *(*xg_katomic_fn)(xg_kb *b, void *data, xg_kval *current); /* the new element */
/* A loop that computes a new element and exchanges it for the old one, until no other thread came between. shift: the
 * element is a byte at this bit of the word at p. */
XG_FN void xg_katomic_loop(xg_kb *b, xg_kelem e, xg_kval *p, xg_kval *shift, xg_katomic_fn fn, void *data);
/* in front of an operation, by the region of an atomic_rmw: one instruction where its form is known, else the loop */
XG_FN void xg_katomic_region(xg_kb *b, xg_kregion *r, xg_kelem e, xg_kval *p, xg_kval *shift);
/* what the region of an atomic_rmw adds to a float, if that is all that it does; NULL otherwise */
XG_FN xg_kval *xg_katomic_addend(const xg_kregion *r);
XG_FN xg_kopcode xg_katomic_combiner(xg_kopcode red); /* the operation that llvm.atomicrmw.* does */

/* ---- one pass a file; the list with its order is driver/passes.h. Each is void xg_kir_<pass>(xg_kmodule *m). ---- */
/* lower_shuffles.c: shuffle_reduce -> calls of the combiner and shuffles of 32 bits */
XG_FN void xg_kir_lower_shuffles(xg_kmodule *m);
/* inline.c: functions called once, or marked inline_always; drops dead ones */
XG_FN void xg_kir_inline(xg_kmodule *m);
/* lower_loops.c: xla_gpu.loop -> scf.for and scf.if; bounds that ranges prove vanish; peels */
XG_FN void xg_kir_lower_loops(xg_kmodule *m);
/* flatten.c: N-d tensors -> 1-d by layout-free row-major; complex and i1 kept as elements */
XG_FN void xg_kir_flatten_tensors(xg_kmodule *m);
/* indexing.c: composes apply_indexing chains and simplifies with ranges */
XG_FN xg_kval *xg_kir_simplify_index(xg_kmodule *m, xg_kval *v); /* of an apply_indexing: an equal value in its place */
/* v + c at b, as an apply_indexing of that name: of the operands of v, where v is a simplified one. */
XG_FN xg_kval *xg_kir_index_plus(xg_kb *b, xg_kval *v, int64_t c, xg_str name);
XG_FN void xg_kir_simplify_indexing(xg_kmodule *m);
/* vectorize.c: contiguous aligned extracts/inserts over a loop -> transfer_read/transfer_write */
XG_FN void xg_kir_vectorize(xg_kmodule *m);
XG_FN void xg_kir_unroll(xg_kmodule *m);
XG_FN void xg_kir_unroll_lowered(xg_kmodule *m); /* unroll.c */
XG_FN void xg_kir_widen_loads(xg_kmodule *m);    /* widen_loads.c: loads of neighbours as one of a vector */
XG_FN void xg_kir_step_pointers(xg_kmodule *m);
XG_FN void xg_kir_async_copies(xg_kmodule *m);
XG_FN bool xg_kop_is_dead(const xg_kop *op); /* canonicalize.c: nothing reads it, and it does nothing else */
/* canonicalize.c: rule table: constant folding, identities, if/for simplification, DCE; to a fixed point */
XG_FN void xg_kir_canonicalize(xg_kmodule *m);
/* cse.c: dominating equal pure operations; loads that nothing between could change */
XG_FN void xg_kir_cse(xg_kmodule *m);
XG_FN void xg_kir_cse_func(xg_kmodule *m, xg_kfunc *f);
XG_FN void xg_kir_hoist(xg_kmodule *m); /* hoist.c: loop-invariant code motion */
XG_FN void xg_kir_sink(xg_kmodule *m);  /* sink.c: into the branch that alone uses it */
/* lower_tensors.c: tensors -> pointers, loads, stores; equal slices merged; shared arrays */
XG_FN void xg_kir_lower_tensors(xg_kmodule *m);
/* a value that lower-tensors takes to pieces: lanes of such are known by number then */
XG_FN bool xg_klow_is_high(const xg_ktype *t);
/* lower_indexing.c: apply_indexing -> arith; division by constants by range: shifts, masks, multiply-high */
XG_FN void xg_kir_lower_indexing(xg_kmodule *m);
/* convert_index.c: index -> i32 when every value fits in 0..2^31-1 (ranges), else i64 */
XG_FN void xg_kir_convert_index(xg_kmodule *m);

/* unroll.c */
enum {
    XG_KUNROLL_WAITS_MAX = 8 /* trips of a loop that waits for the lowering of its lanes before it is unrolled */
};

/* build.c */
XG_FN xg_kval *xg_kvector_lane(xg_kval *v, const xg_kval *index);
XG_FN xg_kval *xg_kir_value(xg_kb *b, xg_kopcode op, xg_kval *const *operands, uint32_t n, const xg_ktype *t);
XG_FN xg_kval *xg_kir_of(xg_kb *b, xg_kopcode op, xg_kval *x, const xg_ktype *t); /* of one operand */

/* lower_shuffles.c */
XG_FN xg_kval *xg_kshuffle(xg_kb *b, xg_kopcode code, xg_kval *v, xg_kval *lane);

/* rules.c */
XG_FN bool xg_kval_by(const xg_kval *v, xg_kopcode op);
/* the result of an operation that was just made, or the constant that it is */
XG_FN xg_kval *xg_kfolded(xg_kb *b, xg_kval *v);
/* ---- estimate.c ---- */
/* What a low-level kernel will do on the device, for xg_cost_predict; made in the arena, which is reset. */
XG_FN void xg_kir_estimate(const xg_kmodule *m, const xg_device *d, xg_arena *a, xg_cost_counts *out);

#endif /* XG_KIR_H */
