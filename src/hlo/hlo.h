/* hlo/hlo.h -- the HLO module in memory: shapes, literals, instructions, computations; text in and out; its rules.
 *
 * Ideas
 * - Shapes, layouts and names are interned per module: equal ones are the same pointer. `plain` is a shape without
 *   layout, so "compatible" is a pointer comparison.
 * - An instruction is a node in its computation's list (textual order, which is always a topological order) and owns an
 *   array of uses; each use is also a link in the list of users of its operand, in the order they were made. Replacing
 *   an operand or all uses is O(number of uses).
 * - Attributes are a short array of (key, value) in the order of XG_ATTRS. Values are immutable and may be shared.
 * - Nodes are arena memory and never freed one by one; removed nodes are unlinked.
 *
 * Laws: operands precede users; ids are unique in a module and grow; all lists are walked in program order. */
#ifndef XG_HLO_H
#define XG_HLO_H
#include "../cost/cost.h"
#include "../base/number.h"
#include "ops.h"

typedef enum xg_opcode {
#define X(name, text, lo, hi, flags, types, infer, index, eval, elem, fuse, attrs) XG_##name,
    XG_OPS(X)
#undef X
    XG_OPCODE_COUNT
} xg_opcode;
typedef enum xg_op_part {
    XG_OP_none,
    XG_OP_free,
    XG_OP_kernel
} xg_op_part;

typedef enum xg_attr_key {
#define X(name, text, kind) XG_A_##name,
    XG_ATTRS(X)
#undef X
    XG_ATTR_COUNT
} xg_attr_key;

typedef enum xg_attr_kind {
    XG_K_INT,
    XG_K_BOOL,
    XG_K_FLOAT,
    XG_K_WORD,
    XG_K_STR,
    XG_K_RAW,
    XG_K_INTS,
    XG_K_INTLISTS,
    XG_K_WORDS,
    XG_K_COMP,
    XG_K_COMPS,
    XG_K_INSTS,
    XG_K_SLICE,
    XG_K_PADDING,
    XG_K_WINDOW,
    XG_K_DIM_LABELS,
    XG_K_SHAPE,
    XG_K_SHAPES,
    XG_K_LITERAL,
    XG_K_GROUPS,
    XG_K_ALIASES,
    XG_K_SHARDING,
    XG_K_METADATA,
    XG_K_CONFIG
} xg_attr_kind;

typedef struct xg_shape xg_shape;
typedef struct xg_layout xg_layout;
typedef struct xg_literal xg_literal;
typedef struct xg_inst xg_inst;
typedef struct xg_comp xg_comp;
typedef struct xg_module xg_module;

/* ---- shapes ---------------------------------------------------------------------------------------------------- */

enum {
    XG_SHAPE_DEPTH_MAX = 400,
    XG_SHAPE_NODES_MAX = 1 << 22
}; /* of nested tuples */
/* The parser refuses arrays of a higher rank, so no index vector in any room is longer. */
enum {
    XG_RANK_MAX = 64
};

struct xg_layout {
    const int32_t *minor_to_major;
    uint32_t rank;
    int64_t memory_space; /* S(n) */
    int64_t element_bits; /* E(n), 0 = the type's own */
    xg_str extras;        /* canonical text of what follows ':' without S and E: "T(8,128)"; empty for most */
    bool descending;      /* minor_to_major is {rank-1,...,0} */
    uint32_t hash;
};

enum {
    XG_DIM_STATIC = 0,
    XG_DIM_BOUNDED = 1,
    XG_DIM_UNBOUNDED = 2
};
struct xg_shape {
    xlagpu_type type;        /* an element type, TUPLE, TOKEN, OPAQUE or BUFFER (elems[0] is what it holds) */
    uint32_t rank;           /* 0 for non-arrays */
    const int64_t *dims;     /* bounds of dynamic dimensions; 0 for unbounded ones */
    const uint8_t *dynamic;  /* XG_DIM_* per dimension, NULL when all are static */
    const xg_layout *layout; /* NULL in a plain shape and in non-arrays */
    uint32_t n_elems;
    const xg_shape *const *elems; /* of a tuple or buffer */
    int64_t elements;             /* product of dims, checked to fit */
    const xg_shape *plain;        /* the same without any layout (recursively); itself if it has none */
    int64_t leaves;               /* the arrays, tokens ... in a nested tuple; 1 for non-tuples */
    const uint32_t *leaf_at;      /* of a nested tuple: the first leaf of each element; NULL for others */
    /* all shapes of the tree, itself included; limited, which bounds the time of a walk */
    int64_t nodes;
    uint32_t depth; /* of nested tuples and buffers; limited, so a walk may recurse */
    uint32_t id, hash;
    bool flat; /* a tuple without tuples in it */
};

/* ---- values of attributes -------------------------------------------------------------------------------------- */

typedef struct xg_ints {
    const int64_t *p;
    uint32_t n;
} xg_ints;
typedef struct xg_slice_dim {
    int64_t start, limit, stride;
} xg_slice_dim;
typedef struct xg_pad_dim {
    int64_t low, high, interior;
} xg_pad_dim;
typedef struct xg_window_dim {
    int64_t size, stride, pad_low, pad_high, base_dilation, window_dilation;
    bool reversal;
} xg_window_dim; /* lhs_dilate = base */
typedef struct xg_slices {
    uint32_t n;
    const xg_slice_dim *p;
} xg_slices;
typedef struct xg_pads {
    uint32_t n;
    const xg_pad_dim *p;
} xg_pads;
typedef struct xg_window {
    uint32_t n;
    const xg_window_dim *p;
} xg_window;
typedef struct xg_int_lists {
    uint32_t n;
    const xg_ints *p;
    bool flat;
} xg_int_lists; /* flat: was written {1,2}: one list */
typedef struct xg_words {
    uint32_t n;
    const xg_str *p;
} xg_words;
typedef struct xg_comps {
    uint32_t n;
    xg_comp **p;
} xg_comps;
typedef struct xg_insts {
    uint32_t n;
    xg_inst **p;
} xg_insts;
typedef struct xg_shapes {
    uint32_t n;
    const xg_shape **p;
} xg_shapes;
/* Each dimension of input, kernel and output by role. Spatial lists are in the order of the labels 0,1,2...; -1 is an
 * absent role. */
typedef struct xg_dim_labels {
    int64_t input_batch, input_feature, kernel_input, kernel_output, output_batch, output_feature;
    xg_ints input_spatial, kernel_spatial, output_spatial;
    xg_str text;
} xg_dim_labels;
/* Explicit lists, or what the compact forms expand to; text is the form it was written in, printed back as it was. */
typedef struct xg_groups {
    uint32_t n;
    const xg_ints *p;
    xg_str text;
} xg_groups;
typedef struct xg_alias {
    xg_ints output;
    int64_t operand;
    xg_ints operand_index;
} xg_alias;
typedef struct xg_aliases {
    uint32_t n;
    const xg_alias *p;
} xg_aliases;
typedef struct xg_metadata {
    xg_str text;
    xg_str op_type, op_name, source_file;
    int64_t source_line, stack_frame_id;
} xg_metadata;

typedef struct xg_attr {
    xg_attr_key key;
    union {
        int64_t i;         /* INT, BOOL */
        double d;          /* FLOAT */
        const xg_str *str; /* WORD STR RAW SHARDING CONFIG; STR is unescaped, CONFIG keeps its quotes or braces */
        const xg_ints *ints;
        const xg_int_lists *lists;
        const xg_words *words;
        xg_comp *comp;
        const xg_comps *comps;
        const xg_insts *insts;
        const xg_slices *slices;
        const xg_pads *pads;
        const xg_window *window;
        const xg_dim_labels *labels;
        const xg_shape *shape;
        const xg_shapes *shapes;
        const xg_literal *literal;
        const xg_groups *groups;
        const xg_aliases *aliases;
        const xg_metadata *metadata;
        const void *any;
    } v;
} xg_attr;

/* ---- literals -------------------------------------------------------------------------------------------------- */

/* A value of a shape. Array elements lie in logical row-major order whatever the layout, each in its own bytes: pred 0
 * or 1; s1, s2, s4 and u1, u2, u4 one byte each by value (signed ones sign-extended); f4, f6, f8 one byte of bits;
 * complex as (re, im). */
struct xg_literal {
    const xg_shape *shape;
    /* elements * xg_type_bytes(type), zeroed when fresh; NULL for tuples, tokens and elided ones */
    void *data;
    const xg_literal *const *elems; /* of a tuple */
    bool elided;                    /* constant({...}) */
};

/* ---- the graph ------------------------------------------------------------------------------------------------- */

typedef struct xg_use xg_use;
struct xg_use {
    xg_inst *value, *user;
    xg_use *prev, *next;
}; /* one of the user's operands; `prev` of the value's first use is its last one */

/* An instruction is two cache lines. The first has what passes read of operands and users. Instructions lie at a
 * constant distance from each other, which hardware prefetchers recognise; operands and attributes have arenas of their
 * own, also in the order of creation. */
struct xg_inst {
    const xg_shape *shape;
    xg_opcode op;
    uint32_t id;          /* unique in the module, < module->n_ids */
    xg_inst *next;        /* program order */
    const xg_inst *ahead; /* what a walk comes to XG_TRAIL instructions later, or came to once: to be asked for */
    xg_use *operands;
    xg_use *first_use;
    void *scratch; /* for the running pass; undefined at the start of the next one */
    uint32_t n_operands;
    /* kinds: a bit for each xg_attr_kind that any of its attributes has had; most searches end there */
    uint32_t n_attrs : 8, kinds : 24;
    /* the second line */
    xg_attr *attrs; /* sorted by key */
    xg_inst *prev;
    xg_str name;               /* without '%', unique in its computation */
    const xg_literal *literal; /* CONSTANT */
    int64_t number;            /* PARAMETER: its number */
    uint32_t source_at;        /* byte offset of its name in the module's source + 1, 0 when made by a pass */
    uint32_t name_hash;        /* in tables of names; 0: not known */
    xg_comp *comp;
};

struct xg_comp {
    /* the first cache line: what passes read that look into fusions */
    xg_module *module;
    xg_inst *first, *last, *root;
    xg_inst **params; /* by parameter number; an entry is NULL only while a pass runs */
    xg_comp *next;    /* definition order: called computations come before their callers */
    uint32_t n_insts, n_params;
    /* how many instructions are loops or branches, whose computations are steps of the program; how many are fusions */
    uint32_t n_control, n_fusions;
    xg_str name;
    uint32_t id, params_cap;
    xg_comp *prev;
    xg_str execution_thread;
    xg_dict names;
    uint32_t source_at;
    uint32_t fresh;                           /* for the names that passes invent */
    uint32_t taken[XG_OPCODE_COUNT / 32 + 1]; /* a bit for each opcode whose word is the name of an instruction */
};

typedef struct xg_stack_table {
    xg_str text;
} xg_stack_table; /* FileNames ... StackFrames, canonical text */
typedef struct xg_io_alias {
    xg_ints output;
    int64_t param;
    xg_ints param_index;
    bool must;
    uint32_t source_at;
} xg_io_alias;
typedef struct xg_header_attr {
    xg_str name, text;
} xg_header_attr; /* attributes kept as checked text */

enum {
    XG_HLO_CC = 90 /* the compute capability of modules that name none */
};
#define XG_HLO_DEVICE_KEY "xlagpu.device" /* the frontend attribute that names the device */
struct xg_module {
    xg_ctx *ctx;
    xg_arena *arena; /* lives as long as the module */
    /* memory of the running pass: the driver resets it after each, so its pages stay warm */
    xg_arena *work;
    const xg_source *source; /* NULL for modules made by code */
    xg_comp *first, *last, *entry;
    uint32_t n_comps, n_ids, n_shapes, n_comp_ids;
    bool is_scheduled;
    bool compact_operands; /* an operand is printed without its shape (the default of dumps today) */
    bool has_entry_layout; /* the text has an entry_computation_layout */
    /* The parameters' shapes, as a tuple, and the result's, with the layouts of entry_computation_layout or of the
     * instructions. */
    const xg_shape *entry_params, *entry_result;
    int64_t replica_count, num_partitions;
    uint32_t n_aliases;
    xg_device device;        /* the target; the usual one of XG_HLO_CC until one is named */
    int64_t machine_devices; /* so many neighbouring devices form a machine; 0: all of them */
    /* the caller's limits on the bytes that combined collectives move; 0: the model of time sets them */
    uint32_t combine_all_reduce, combine_all_gather, combine_reduce_scatter;
    const xg_io_alias *aliases; /* input_output_alias */
    uint32_t n_donors;
    const xg_io_alias *donors; /* buffer_donor: parameters alone */
    uint32_t n_header;
    const xg_header_attr *header; /* the other attributes of the header, in textual order */
    /* nodes: instructions with nothing between them; uses: what passes read along with them (operands, attributes,
     * literals of the text); comps: computations */
    xg_arena *nodes, *uses, *comps;
    xg_inst *spare; /* removed instructions, with their operand arrays, for reuse */
    xg_str name;
    xg_stack_table stack;
    xg_dict comp_names;
    uint32_t fresh;        /* for the names of computations that passes invent */
    bool has_device;       /* the text or the compilation named the device, so it is printed */
    uint32_t bf16_ops;     /* a bit for each of XG_FLOAT_OPS (opt.h) that the target computes on bf16 */
    bool has_dynamic;      /* a shape with dynamic dimensions has been created */
    bool double_buffering; /* loops may be unrolled by two (double buffering) */
    uint32_t libraries;    /* bits of xg_exe_library: the libraries that may be called */
    bool deterministic;    /* bitwise equal results in every run, whatever the order of threads */
    bool excess_precision; /* the caller allows results that are more precise than the module asks for */
    /* made_...: set at the first one; passes that look for such return early without it */
    bool made_empty;   /* an array shape without elements */
    bool made_tuple;   /* an instruction whose value is a tuple, or whose shape was not known at its creation */
    bool made_order;   /* a control edge */
    bool made_layout;  /* a layout that is not row-major, or has extras */
    bool made_extras;  /* a layout that says more than an order (tiles, widths, memory spaces), or a pinned buffer */
    bool row_programs; /* priority fusion may form row programs (pass row-fusion) */
    /* by leaf: 1 + d where the leaf is the size of dynamic dimension d, else 0; NULL: no dimension is dynamic.
     * DynamicPadder fills them. */
    uint32_t *param_sizes, *result_sizes;
    /* by leaf of the parameters and of the result, which part of the whole array each device holds: the whole's sizes,
     * then for each device 1 or 0 (it has a part or none) and the part's origin. NULL: each holds the whole. */
    const xg_ints **param_parts, **result_parts;
    bool limit_is_wish;   /* the limit is the device's memory, not the caller's: larger programs compile all the same */
    int64_t memory_limit; /* bytes of device memory that the program may need; 0: any */
    uint32_t made_again;  /* kernels that rematerialisation has added */
    xg_buf *fusion_log;   /* NULL: fusion passes keep no log */
    const xg_source *schedule; /* how kernels are made: sched/schedules.c; NULL: as the compiler decides */
    const xg_source *tuned;    /* records by device and computation: choice/tuned.c; NULL: none */
    /* the driver's callback for stages: gets those of kernels' loop nests; NULL: none */
    void (*dump)(void *user, const char *stage, const char *text, size_t n);
    void *dump_user;
    void *kept_plans; /* choice/: the plans of kernels until emission; NULL: none */
    /* the driver's function: picoseconds of a kernel by the model of time; consumes the IR. NULL: there is no model of
     * this device */
    int64_t (*kernel_time)(const xg_module *m, void *kernel);
    const void *target; /* the driver's xg_target */
    /* while parsing: byte offset + 1 of the current instruction, for errors of shapes; else 0 */
    uint32_t at;
    /* an instruction with this opcode has been created; passes about other opcodes return early */
    bool made[XG_OPCODE_COUNT];
    const xg_ints *ints[64];                      /* xg_ints_kept: the last list of each hash */
    const xg_layout *descending[XG_RANK_MAX + 1]; /* the default layout of each rank, created on demand */
    xg_set shapes, layouts;
    xg_pool pool;
    XG_VEC(xg_str) param_names; /* of fused computations, which share these texts */
};

/* ---- shape.c ---- */
/* layout NULL: plain; fails when the element count overflows */
/* without dynamic dimensions and layout */
XG_FN const xg_shape *xg_shape_plain(xg_module *m, xlagpu_type type, const int64_t *dims, uint32_t rank);
XG_FN const xg_shape *xg_shape_array(xg_module *m, xlagpu_type type, const int64_t *dims, uint32_t rank,
    const uint8_t *dynamic, const xg_layout *layout);
XG_FN const xg_shape *xg_shape_scalar(xg_module *m, xlagpu_type type); /* with the (empty) default layout */
XG_FN const xg_shape *xg_shape_tuple(xg_module *m, const xg_shape *const *elems, uint32_t n);
XG_FN const xg_shape *xg_shape_other(xg_module *m, xlagpu_type type, const xg_shape *held);  /* TOKEN, OPAQUE, BUFFER */
XG_FN const xg_shape *xg_shape_with_type(xg_module *m, const xg_shape *s, xlagpu_type type); /* same dims and layout */
XG_FN const xg_shape *xg_shape_with_layout(xg_module *m, const xg_shape *s, const xg_layout *layout);
XG_FN uint32_t xg_shape_minor(const xg_shape *s, uint32_t k); /* the dimension that is so far out in memory: 0 inmost */
XG_FN uint32_t xg_shape_major(const xg_shape *s, uint32_t k); /* ... so far in */
/* every array gets the descending layout (keeps E and S) */
XG_FN const xg_shape *xg_shape_default_layout(xg_module *m, const xg_shape *s);
XG_FN const xg_shape *xg_shape_fill_layout(xg_module *m, const xg_shape *s); /* only arrays that have none */
XG_FN const xg_layout *xg_layout_descending(xg_module *m, uint32_t rank);    /* row-major */
XG_FN const xg_layout *xg_layout_make(
    xg_module *m, const int32_t *minor_to_major, uint32_t rank, int64_t space, int64_t bits, xg_str extras);
XG_FN bool xg_shape_is_array(const xg_shape *s);
XG_FN bool xg_shape_is_scalar(const xg_shape *s);
XG_FN const xg_shape *xg_shape_held(const xg_shape *s); /* the array in a pinned buffer, b(f32[4]); else s */
XG_FN bool xg_shape_compatible(const xg_shape *a, const xg_shape *b); /* equal ignoring layouts */
/* The same, also ignoring which dimensions are dynamic: so XLA's parser compares a shape that stands twice. */
XG_FN bool xg_shape_compatible_sizes(const xg_shape *a, const xg_shape *b);
XG_FN bool xg_shape_same_dims(const xg_shape *a, const xg_shape *b); /* arrays with equal dims, any type and layout */
XG_FN int64_t xg_shape_leaves(const xg_shape *s); /* arrays, tokens and opaques in a nested tuple, in order */
XG_FN uint32_t xg_shape_leaf_at(const xg_shape *s, int64_t k); /* the first leaf of the k-th element of a tuple */
XG_FN uint32_t xg_shape_element_of(const xg_shape *s, uint32_t leaf); /* which element of a tuple it belongs to */
XG_FN void xg_shape_strides(const xg_shape *s, int64_t *strides);     /* in elements, by layout (descending if none) */
XG_FN void xg_shape_print(xg_buf *b, const xg_shape *s, bool layout);
XG_FN const char *xg_type_name(xlagpu_type t);
XG_FN int xg_type_bits(xlagpu_type t);
XG_FN int xg_type_bytes(xlagpu_type t); /* bytes of one element in a literal or an unpacked buffer */
XG_FN int xg_type_class(xlagpu_type t); /* XGT_P, XGT_I, XGT_F, XGT_C or 0 */
XG_FN bool xg_type_signed(xlagpu_type t);
XG_FN xlagpu_type xg_type_real(xlagpu_type t); /* c64 -> f32, c128 -> f64, else itself */
XG_FN xlagpu_type xg_type_find(xg_str name);   /* XLAGPU_INVALID when there is none */
XG_FN bool xg_type_reserves(xg_str name);      /* true for the word of a type: no instruction can have that name */

/* ---- graph.c ---- */
XG_FN const char *xg_op_name(xg_opcode op);
XG_FN uint32_t xg_op_flags(xg_opcode op);
XG_FN uint32_t xg_op_types(xg_opcode op);
XG_FN xg_op_part xg_op_fuses(xg_opcode op);  /* the word `fuse` of its row */
XG_FN bool xg_op_has_elements(xg_opcode op); /* kernels compute it element by element */
XG_FN const char *xg_op_attrs(xg_opcode op);
XG_FN const char *xg_attr_name(xg_attr_key k);
XG_FN xg_attr_kind xg_attr_kind_of(xg_attr_key k);
XG_FN xg_module *xg_module_new(xg_ctx *c, xg_arena *a, xg_str name);
/* made unique; placed before `before`, or last */
XG_FN xg_comp *xg_comp_new(xg_module *m, xg_str name, xg_comp *before);
XG_FN void xg_comp_remove(xg_comp *c);
XG_FN void xg_comp_reuse(xg_comp *c); /* removes it and reuses its instructions: nothing may point to them any more */
/* The parameter gets the next number and stands before the first instruction of another opcode. */
XG_FN xg_inst *xg_comp_add_param(xg_comp *c, const xg_shape *shape, xg_str name);
XG_FN xg_inst *xg_comp_add_numbered_param(xg_comp *c, const xg_shape *shape); /* param_0, param_1 ... */
/* The parameter has no users; later ones are renumbered. */
XG_FN void xg_comp_remove_param(xg_comp *c, uint32_t number);
XG_FN void xg_comp_set_param(xg_inst *i, int64_t number); /* gives a new PARAMETER its number */
/* New instructions go before `before` (same computation), or last. The name is a wish: it is made unique; empty: the
 * opcode's. Operands are copied. */
XG_FN xg_inst *xg_inst_new(xg_comp *c, xg_opcode op, const xg_shape *shape, xg_inst *const *operands, uint32_t n,
    xg_inst *before, xg_str name);
XG_FN void xg_inst_take_name(xg_inst *i);              /* the newest in its computation's table */
XG_FN void xg_inst_give_name(xg_inst *i, xg_str wish); /* the wish, or the next free name; empty: the opcode's */
XG_FN const xg_ints *xg_ints_new(xg_arena *arena, const int64_t *p, uint32_t n); /* a copy */
/* A copy that lives as long as the module; equal lists mostly share one, which then stays in the cache. */
XG_FN const xg_ints *xg_ints_kept(xg_module *m, const int64_t *p, uint32_t n);
XG_FN bool xg_ints_has(xg_ints s, int64_t v);
/* Same op, shape, attributes and number; the caller maps the operands. Control predecessors are kept only within a
 * computation. */
XG_FN xg_inst *xg_inst_clone(xg_inst *i, xg_comp *to, xg_inst *const *operands, xg_inst *before);
/* Moves it to the end of another computation; the caller updates its users. */
XG_FN void xg_inst_move(xg_inst *i, xg_comp *to, xg_inst *const *operands);
XG_FN void xg_inst_remove(xg_inst *i); /* has no users left and is not the root */
XG_FN void xg_inst_reuse(xg_inst *i);  /* and nobody knows it any more: its memory serves new ones */
XG_FN void xg_inst_set_operand(xg_inst *i, uint32_t index, xg_inst *to);
XG_FN void xg_inst_drop_operands(xg_inst *i, uint32_t n); /* keeps the first n */
XG_FN void xg_inst_replace(xg_inst *from, xg_inst *to);   /* all uses but those by `to` itself, and the root */
XG_FN void xg_inst_move_before(xg_inst *i, xg_inst *before);
XG_FN uint32_t xg_inst_n_users(const xg_inst *i);        /* the number of uses; O(uses) */
XG_FN void xg_inst_note_attr(xg_inst *i, xg_attr_key k); /* records that it has an attribute of this key */
XG_FN void xg_inst_set_attr(xg_inst *i, xg_attr attr);
/* True for a dot or convolution of f32 that rounds its operands to tf32: algorithm=dot_tf32_tf32_f32. */
XG_FN bool xg_inst_is_tf32(const xg_inst *i);
XG_FN bool xg_inst_is_default_precision(const xg_inst *i); /* operand_precision asks for no more */
enum {
    XG_TF32_DROPPED = 0x1FFF /* bits of an f32 that tf32 does not hold */
};
XG_FN void xg_inst_remove_attr(xg_inst *i, xg_attr_key k);
XG_FN const xg_attr *xg_inst_attr(const xg_inst *i, xg_attr_key k); /* NULL when absent */
XG_FN bool xg_inst_may_call(const xg_inst *i);        /* false: none of its attributes names a computation */
XG_FN const xg_attr *xg_inst_order(const xg_inst *i); /* control_predecessors; most modules have none anywhere */
XG_FN int64_t xg_attr_int(const xg_inst *i, xg_attr_key k, int64_t otherwise); /* INT, BOOL */
XG_FN int64_t xg_attr_or_0(const xg_inst *i, xg_attr_key k);
XG_FN int64_t xg_attr_or_1(const xg_inst *i, xg_attr_key k);
XG_FN xg_ints xg_attr_ints(const xg_inst *i, xg_attr_key k); /* INTS, or INTLISTS written flat; empty when absent */
XG_FN xg_str xg_attr_str(const xg_inst *i, xg_attr_key k);   /* empty when absent */
XG_FN bool xg_attr_is(const xg_inst *i, xg_attr_key k, const char *text);
XG_FN xg_comp *xg_attr_comp(const xg_inst *i, xg_attr_key k); /* NULL when absent */
XG_FN xg_ints xg_attr_dims(const xg_inst *i);                 /* dimensions */
XG_FN xg_comp *xg_attr_calls(const xg_inst *i);               /* calls */
XG_FN xg_comp *xg_attr_to_apply(const xg_inst *i);            /* to_apply */
XG_FN int64_t xg_attr_index(const xg_inst *i);                /* index, 0 when absent */
XG_FN xg_attr xg_attr_make_int(xg_attr_key k, int64_t v);
XG_FN xg_attr xg_attr_make_ints(xg_module *m, xg_attr_key k, const int64_t *p, uint32_t n);
XG_FN xg_attr xg_attr_make_str(xg_module *m, xg_attr_key k, xg_str s);
XG_FN xg_attr xg_attr_make_comp(xg_attr_key k, xg_comp *c);
XG_FN void xg_inst_set_int(xg_inst *i, xg_attr_key k, int64_t v);
XG_FN void xg_inst_set_comp(xg_inst *i, xg_attr_key k, xg_comp *c);
XG_FN void xg_inst_set_ints(xg_inst *i, xg_attr_key k, const int64_t *p, uint32_t n);
XG_FN void xg_inst_set_one(xg_inst *i, xg_attr_key k, int64_t v); /* a list of one number */
XG_FN void xg_inst_set_str(xg_inst *i, xg_attr_key k, xg_str s);
XG_FN void xg_inst_set_text(xg_inst *i, xg_attr_key k, const char *z);
XG_FN void xg_inst_take_attrs(xg_inst *i, const xg_inst *from); /* all attributes of the other instruction */
#define XG_OPERAND(i, k) ((i)->operands[k].value)
#define XG_USE_INDEX(u) ((uint32_t)((u) - (u)->user->operands)) /* which operand of the user it is */
/* The next and the previous instruction in program order. Following a list, each load waits for the one before it. So
 * an instruction knows one that comes later: of a new one that is what lies XG_INST_AHEAD bytes further on, since
 * memory has them in the order of creation; walks over all of them by passes that leave another order write it anew.
 * Both its lines are asked for, since hardware prefetchers find the next line sooner than the next but one. */
enum {
    XG_TRAIL = 16,
    XG_INST_AHEAD = 2048, /* bytes: as many instructions */
    XG_INST_LINE = 64
};
XG_INLINE void xg_inst_bring(uintptr_t at) {
    XG_PREFETCH((const void *)at);
    XG_PREFETCH((const void *)(at + XG_INST_LINE));
}
XG_INLINE xg_inst *xg_inst_behind(const xg_inst *i) {
    xg_inst_bring((uintptr_t)i->ahead);
    return i->next;
}
XG_INLINE xg_inst *xg_inst_before(const xg_inst *i) {
    xg_inst *before = i->prev;
    xg_inst_bring((uintptr_t)i - XG_INST_AHEAD);
    if (before) xg_inst_bring((uintptr_t)before->prev);
    return before;
}
/* The next computation; prefetches computations further on, and the first instruction of the next but one. */
XG_INLINE xg_comp *xg_comp_behind(const xg_comp *c) {
    xg_comp *next = c->next;
    xg_inst_bring((uintptr_t)c + XG_INST_AHEAD);
    if (next && next->next) xg_inst_bring((uintptr_t)next->next->first);
    return next;
}
/* The last instructions of a walk from the last one to the first, or of one the other way. */
typedef struct xg_trail {
    xg_inst *last[XG_TRAIL];
    uint32_t n;
} xg_trail;
XG_FN void xg_trail_back(xg_trail *t, xg_inst *i);
XG_FN void xg_trail_on(xg_trail *t, xg_inst *i);
/* In a walk that looks into fusions: asks for the next one's computation, and for what names that of the one behind. */
XG_FN void xg_inst_bring_calls(const xg_inst *i);
#define XG_FOR_INSTS(i, comp) for (xg_inst *i = (comp)->first; i; i = xg_inst_behind(i))
#define XG_FOR_USES(u, inst) for (xg_use *u = (inst)->first_use; u; u = u->next)

/* ---- literal.c ---- */
XG_FN size_t xg_literal_bytes(xg_ctx *c, const xg_shape *s);                        /* of its data */
XG_FN xg_literal *xg_literal_make(xg_arena *a, const xg_shape *shape, bool elided); /* elided: without data */
XG_FN xg_literal *xg_literal_new(xg_arena *a, const xg_shape *shape);  /* zeroed; tuples get fresh elements */
XG_FN bool xg_literal_equal(const xg_literal *a, const xg_literal *b); /* bit for bit */
/* arrays of more than 10 elements as {...} unless whole */
XG_FN void xg_literal_print(xg_buf *b, const xg_literal *l, bool whole);
/* Parses a literal of the shape at src->text + *at and moves *at behind it; fails through the context with a
 * position. */
XG_FN xg_literal *xg_literal_parse(xg_ctx *c, xg_arena *a, const xg_source *src, size_t *at, const xg_shape *shape);
XG_FN uint64_t xg_literal_seed(const xg_inst *constant);
XG_FN void xg_literal_fill(xg_literal *l, uint64_t seed); /* what --fill_elided_constants asks for */
XG_FN bool xg_literal_get_int(const xg_literal *l, int64_t index, int64_t *out); /* integers and pred */
XG_FN double xg_literal_get_float(const xg_literal *l, int64_t index);           /* any real type */
/* rounds to nearest even, integers saturate */
XG_FN void xg_literal_set_float(xg_literal *l, int64_t index, double v);
XG_FN void xg_literal_set_int(xg_literal *l, int64_t index, int64_t v);
XG_FN int64_t xg_int_load(xlagpu_type t, const void *p);    /* one element of a literal, with its sign */
XG_FN void xg_int_store(xlagpu_type t, void *p, int64_t v); /* one element of a literal, cut to its bits */

/* ---- config.c: the text of a backend_config ---- */
XG_FN xg_str xg_config_object(xg_arena *a, xg_str config);  /* the JSON object, out of its quotes if it is in any */
XG_FN xg_str xg_config_get(xg_str object, const char *key); /* the value's text; empty when absent */
/* The object with this value; an empty one removes the key. */
XG_FN xg_str xg_config_with(xg_arena *a, xg_str object, const char *key, xg_str value);
XG_FN bool xg_config_is_space(char c);
XG_FN xg_str xg_config_trim(xg_str s); /* without space at its ends */
/* What stands between { } or [ ]; p is NULL where there are no such brackets. */
XG_FN xg_str xg_config_inside(xg_str value, char open);
/* Take the next item (with its key) off the front; false at the end. */
XG_FN bool xg_config_item(xg_str *rest, xg_str *value);
XG_FN bool xg_config_member(xg_str *rest, xg_str *key, xg_str *value);
XG_FN xg_str xg_config_word(xg_str value);            /* without its quotes; escape sequences stay */
XG_FN bool xg_config_int(xg_str value, int64_t *out); /* in quotes or not */

/* ---- tiles.c: layouts with tiles ---- */
enum {
    XG_TILE_COMBINES = -1 /* '*' */
};
typedef struct xg_tile {
    int64_t dims[XG_RANK_MAX];
    uint32_t n;
} xg_tile;
typedef struct xg_tiles {
    uint32_t n;
    xg_tile *p;   /* in the order in which they apply */
    int64_t tail; /* the array's end is padded to a multiple of so many elements */
} xg_tiles;
/* The dimensions of an array while its tiles are applied one after the other, most major first. */
typedef struct xg_tiled_dims {
    uint32_t n;
    int64_t size[2 * XG_RANK_MAX];
    /* of the current tile: */
    uint32_t lead;                    /* it adds so many dimensions of size 1 in front */
    uint32_t merged[2 * XG_RANK_MAX]; /* by dimension of the tile: how many dimensions it combines */
    uint32_t tiled;                   /* it splits so many of the most minor dimensions, */
    int64_t tile[XG_RANK_MAX];        /* into parts of these sizes */
} xg_tiled_dims;
XG_FN bool xg_layout_has_tiles(const xg_layout *l);
XG_FN xg_tiles *xg_tiles_of(xg_arena *a, const xg_layout *l); /* of a layout without tiles: none */
XG_FN void xg_tiles_begin(const xg_shape *s, xg_tiled_dims *d);
XG_FN void xg_tile_prepare(const xg_tile *t, xg_tiled_dims *d);    /* adds leading dimensions and merges, */
XG_FN void xg_tile_split(xg_tiled_dims *d);                        /* then splits */
XG_FN int64_t xg_tiled_elements(xg_arena *a, const xg_shape *s);   /* of its memory, padding included */
XG_FN const char *xg_tiles_refuse(xg_arena *a, const xg_shape *s); /* NULL, or why this shape cannot have these tiles */
XG_FN int64_t xg_tiled_offset(const xg_tiles *t, const xg_shape *s, const int64_t *logical); /* in elements */

XG_FN bool xg_bitcast_sees_tiles(const xg_inst *i); /* else tiles are ignored (infer_movement.c) */

/* ---- windows.c ---- */
typedef struct xg_windows { /* the roles of dimensions in a gather or scatter */
    const xg_inst *indices;
    /* the array in which windows lie, and that of windows alone: a gather's result, a scatter's update */
    const xg_shape *whole, *part;
    int64_t vector_dim, positions;  /* positions: how many windows */
    uint32_t n_starts, n_positions; /* components of an index vector; dims that enumerate the windows */
    /* of such a dim: its number in the indices, and in the part */
    uint32_t place[XG_RANK_MAX], position[XG_RANK_MAX];
    int64_t counts[XG_RANK_MAX]; /* of such a dim: its size */
    int64_t size[XG_RANK_MAX];   /* by dim of the whole: the window's size, */
    int32_t inside[XG_RANK_MAX]; /* the dim of the part that runs along it (-1: none, the size is 1), */
    int32_t start[XG_RANK_MAX];  /* the component that says where windows begin (-1: none), */
    int32_t batch[XG_RANK_MAX];  /* and the enumerating dim that runs along it (-1: none) */
} xg_windows;
XG_FN xg_windows xg_windows_of(const xg_inst *i);
XG_FN bool xg_ints_at(xg_ints list, int64_t v, uint32_t *at); /* true if v is in the list; *at: its place */

/* ---- lex.c, parse_shape.c, parse_devices.c, parse_attr.c, parse.c, parse_module.c (among themselves: text.h) ---- */
/* a module, or a single instruction; fails with a position; verified for grammar only */
XG_FN xg_module *xg_hlo_parse(xg_ctx *c, xg_arena *a, const xg_source *src);
/* the same for a text that ends with a NUL and outlives the module: it is not copied */
XG_FN xg_module *xg_hlo_parse_lasting(xg_ctx *c, xg_arena *a, const xg_source *src);

/* parse_devices.c: a mixed-radix counter, from the slowest digit to the fastest; writes count ids */
XG_FN void xg_devices_walk(const int64_t *sizes, const int64_t *strides, uint32_t n, int64_t count, int64_t *out);

/* ---- print.c, print_attr.c ---- */
typedef struct xg_print_options {
    bool operand_shapes, whole_constants, no_metadata, percent;
} xg_print_options;
/* o NULL: the fixed-point form: percent signs off, whole constants */
XG_FN void xg_hlo_print(xg_buf *b, const xg_module *m, const xg_print_options *o);
XG_FN void xg_hlo_print_comp(xg_buf *b, const xg_comp *c, const xg_print_options *o);
XG_FN void xg_put_quoted(xg_buf *b, xg_str s); /* in double quotes, with C escapes */

/* ---- infer*.c ---- */
/* The shape that the opcode's rule gives to these operands and attributes, with descending layouts; fails at the
 * instruction with both shapes and the rule. For opcodes whose shape must be given it checks i->shape and returns
 * it. */
XG_FN const xg_shape *xg_hlo_infer(xg_module *m, const xg_inst *i);

/* ---- verify.c ---- */
/* Checks every rule of instructions, computations and the module; fails with a position. */
XG_FN void xg_hlo_verify(xg_module *m);
#ifdef XLAGPU_SMALL
/* Fails: the instruction needs `what` ("solvers are"), which a small build lacks. */
XG_NORETURN XG_FN void xg_hlo_left_out(const xg_inst *i, const char *what);
#endif
XG_NORETURN XG_FN void xg_hlo_fail(const xg_inst *i, xlagpu_status s, const char *hint, const char *format, ...)
    XG_PRINTF(4, 5); /* at the instruction's place */
/* The same with XLAGPU_ERROR_INVALID: hundreds of callers pass one argument less. */
XG_NORETURN XG_FN void xg_hlo_invalid(const xg_inst *i, const char *hint, const char *format, ...) XG_PRINTF(3, 4);
XG_NORETURN XG_FN void xg_hlo_wrong(const xg_inst *i, const char *format, ...)
    XG_PRINTF(2, 3); /* ..., without a hint */

/* graph.c */
XG_FN void xg_comp_link(xg_comp *c, xg_comp *before);
XG_FN void xg_comp_give_name(xg_comp *c, xg_str wish);
XG_FN xg_comp *xg_comp_make(xg_module *m);
XG_FN xg_inst *xg_inst_make(
    xg_comp *c, xg_opcode op, const xg_shape *shape, xg_inst *const *operands, uint32_t n, xg_inst *before);
XG_FN void xg_use_link(xg_use *u, xg_inst *value); /* as the last use of the value */
XG_FN xg_attr xg_attr_make(xg_attr_key k);

/* literal.c */
XG_FN int64_t xg_int_type_min(xlagpu_type t);
XG_FN uint64_t xg_int_type_max(xlagpu_type t);

/* terms.c */
XG_FN uint64_t xg_inst_terms(
    const xg_inst *i); /* added up for one element of the result; at least 1 but for empty sums */
#endif                 /* XG_HLO_H */
