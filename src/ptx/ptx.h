/* ptx/ptx.h -- the last step of the compiler: low-level kernel IR to PTX text for one target.
 *
 *     kernel IR (scalars, small vectors, pointers, for/if/while)
 *        ──legalize.c──▶ only operations and types the target has   (convert.c: float formats; math_*.c: exp, sin ...)
 *        ──print.c──▶ registers, labels, moves   ──isel.c──▶ one PTX line an operation, from THE instruction table
 *
 * Laws
 * - What the target lacks is expanded in kernel IR, never in text: so an expansion can be interpreted and measured
 *   (tests/programs/math.c) and reads like C.
 * - Every rounding the kernel IR asks for happens, and happens once. Contraction to fma only if the module allows it.
 * - Values of i8 and i16 live in 32-bit registers whose upper bits are unspecified; only operations where these matter
 *   extend first.
 * - The text is a function of the module and the target alone. `.version` is the lowest that target and instructions
 *   need. */
#ifndef XG_PTX_H
#define XG_PTX_H
#include "../kir/kir.h"

/* ---- targets.c ---- */
/* What generations of hardware can do. X(NAME, text, first compute capability that has it). */
/* clang-format off */
#define XG_TARGET_FEATURES(X) \
    X(MAX_NAN, "max.NaN", 80) \
    X(HALF_MINMAX, "max.f16", 80) \
    X(BF16_FMA, "fma.bf16", 80) \
    X(BF16_CVT, "cvt.bf16", 80) \
    X(CP_ASYNC, "cp.async", 80) \
    X(MMA_BF16, "mma.bf16", 80) \
    X(CVT_F8, "cvt.f8", 89) \
    X(BF16_ARITH, "add.bf16", 90) \
    X(TMA, "cp.async.bulk", 90) \
    X(PDL, "griddepcontrol", 90) \
    X(CLUSTERS, "barrier.cluster", 90) \
    X(RED_VECTORS, "red.v4.f32", 90) \
    X(CVT_F4, "cvt.f4", 100)
/* clang-format on */
typedef enum xg_target_feature {
#define X(name, text, cc) XG_TARGET_##name,
    XG_TARGET_FEATURES(X)
#undef X
    XG_TARGET_FEATURE_COUNT
} xg_target_feature;

/* What PTX can be made for; the devices themselves are described in cost.h. */
typedef struct xg_target {
    char name[10]; /* "sm_90a" */
    uint8_t cc;    /* compute capability times 10: 90 */
    char suffix;   /* 'a', 'f' or 0; XG_TARGET_CPU: a processor of a host, which takes object code */
    uint8_t isa;   /* lowest PTX ISA version times 10 */
} xg_target;
enum {
    XG_TARGET_CPU = 'c'
};
/* "sm_90a", "90a" or "9.0a"; for a device that is not in the table the newest target that it runs; fails with the
 * nearest known name */
XG_FN const xg_target *xg_target_find(xg_ctx *c, xg_str name);
XG_FN const xg_target *xg_target_at(size_t i);             /* of GPUs; NULL behind the last */
XG_FN const xg_target *xg_target_called(const char *name); /* of exactly that name; NULL: there is none */
XG_FN const xg_target *xg_target_of(uint32_t cc);          /* the one with all features of a device; NULL: unknown */
XG_FN const xg_target *xg_target_base(const xg_target *t); /* the same without a letter */
XG_FN bool xg_target_has(const xg_target *t, xg_target_feature f);

/* Bytes of a kernel's parameters: what every driver takes; with PTX 8.1 (CUDA 12.1). */
enum {
    XG_PTX_PARAM_BYTES_OLD = 4096,
    XG_PTX_PARAM_BYTES_MAX = 32764
};

/* ---- legalize.c ---- */
/* m->target says for what; afterwards every operation has a row of the instruction table */
XG_FN void xg_ptx_legalize(xg_kmodule *m);

/* ---- convert.c: float formats; each makes operations at b and returns the value ---- */
/* any float to any narrower or equal one, rounded once */
XG_FN xg_kval *xg_ptx_truncf(xg_kb *b, xg_kval *x, xg_kelem to);
XG_FN xg_kval *xg_ptx_extf(xg_kb *b, xg_kval *x, xg_kelem to); /* exact */
XG_FN xg_kval *xg_ptx_remf(xg_kb *b, xg_kval *x, xg_kval *y);

/* ---- math_common.c, math_f32.c, math_f64.c: the functions of the math dialect ---- */
/* the f32 operand is a widened one and the result will be narrowed: less accuracy will do */
enum {
    XG_MATH_SHORT_BF16 = 1,
    XG_MATH_SHORT_F16 = 2
};
/* f32 or f64; y NULL unless binary; NULL: no expansion for op */
/* What libdevice calls the function of the math dialect, without "__nv_" and the "f" of f32; NULL: it has none. */
XG_FN const char *xg_libdevice_name(xg_kopcode op);
XG_FN xg_kval *xg_math_expand(xg_kb *b, xg_kopcode op, xg_kval *x, xg_kval *y, uint32_t shortness);

/* ---- isel.c: the instruction table; print.c: the text ---- */
typedef struct xg_ptx xg_ptx;
XG_FN xg_ptx *xg_ptx_begin(xg_ctx *c, xg_arena *a, const xg_target *t, const xg_device *d); /* d NULL: the usual one */
XG_FN void xg_ptx_kernel(xg_ptx *p, xg_kmodule *m); /* legalizes m (which it changes) and appends its entry function */
/* The two halves of xg_ptx_kernel: m becomes legal, its entry gets a name, m->shared_bytes is known; then the text. */
XG_FN void xg_ptx_prepare(xg_ptx *p, xg_kmodule *m);
XG_FN void xg_ptx_print_prepared(xg_ptx *p);
XG_FN void xg_ptx_find_resident(xg_ptx *p); /* of the kernel that is prepared: f->resident, by the words that live */
/* Instead of the second half: an entry that was printed elsewhere, which must stay; `isa`: the PTX version it needs. */
XG_FN void xg_ptx_add(xg_ptx *p, xg_str entry, uint32_t isa, uint32_t instructions);
/* the whole module: head, then the kernels in the order given; gives the number of their instructions */
XG_FN uint32_t xg_ptx_finish(xg_ptx *p, xg_texts *out);

/* What any backend offers; state is made by begin. */
typedef void (*xg_backend_dump)(void *user, const char *stage, xg_str text);
typedef struct xg_backend {
    const char *name;
    void *(*begin)(xg_ctx *c, xg_arena *a, const xg_target *t, const xg_device *d);
    /* dump: is called with each text on the way, if there is one; stage: "llvm" ... */
    void (*kernel)(void *state, xg_kmodule *m, xg_backend_dump dump, void *user);
    uint32_t (*finish)(void *state, xg_texts *out); /* the text; gives the number of instructions in it */
    bool takes_libdevice;
} xg_backend;
XG_FN const xg_backend *xg_ptx_backend(void);

/* A row of the instruction table: XG_PTX_ROWS of isel.c. */
enum {
    XG_PI_IMM16 = 1 /* 16-bit immediates are allowed */,
    XG_PI_VECTOR = 2 /* of vectors of the operand type; all other rows are of scalars */,
    XG_PI_LETTER = 4 /* only targets with a letter have it (sm_90a), and its PTX runs on no later device */,
    XG_PI_ONE = 8 /* operand 0 is the constant 1, which the text does not name */,
    XG_PI_REG = 16 /* no operand may be an immediate */
};
typedef struct xg_ptx_row {
    uint16_t op;
    uint8_t in, out, cc, isa, flags, length; /* in, out: sets of types in isel.c; length: of the text, with its end */
} xg_ptx_row;

/* First rows by opcode, and where their texts begin: filled at the start of a module, so that finding a row does not
 * scan the table. */
typedef struct xg_ptx_index {
    uint16_t first[XG_K_OP_COUNT + 1], text[XG_K_OP_COUNT + 1];
} xg_ptx_index;

/* ---- matrix.c ---- */
typedef enum xg_ptx_mma_way {
    XG_PTX_MMA_WHOLE,
    XG_PTX_MMA_HALVES,  /* of k: two instructions */
    XG_PTX_MMA_QUARTERS /* of k and of the rows: four */
} xg_ptx_mma_way;
typedef struct xg_ptx_mma_row {
    uint8_t what; /* an xg_kmma */
    char shape[9];
    uint8_t way; /* an xg_ptx_mma_way */
    uint8_t cc, isa;
} xg_ptx_mma_row;
/* of MMA's flags; NULL: the target has no such matrix unit */
static const xg_ptx_mma_row *xg_ptx_find_mma(const xg_target *t, uint32_t what);

/* isel.c */
static const xg_ptx_row *xg_ptx_find_row(
    const xg_ptx_index *x, const xg_target *t, xg_kopcode op, const xg_ktype *operand, const xg_ktype *result);
static void xg_ptx_index_make(xg_ptx_index *x);
static const char *xg_ptx_row_text(const xg_ptx_index *x, const xg_ptx_row *row);
XG_FN const char *xg_ptx_condition(const xg_kop *op); /* of a compare: "lt.u" ($c) */
#endif                                                /* XG_PTX_H */
