/* import/ir.h -- generic operations: what the readers of MLIR text and of MLIR bytecode make, and what becomes HLO.
 *
 * Ideas
 * - An operation has a name, operands, results, named attributes, regions and a location. Its pretty form, its generic
 *   form and its VHLO encoding end in the same attributes, so the translation to HLO exists once.
 * - A reader calls xg_ir_new, fills ir->top with the operations of the module (func.func at its top level, or one
 *   builtin.module that holds them), and hands it to xg_ir_lower (lower_module.c).
 * - An attribute has one value whichever way it was written: `dims = [1]`, `dense<1> : tensor<1xi64>`,
 *   `array<i64: 1>` and VHLO's tensor all answer xg_ir_ints with {1}.
 *
 * Laws: values are numbered in the order of the input, so a region's own values are a range of serials; recursion is
 * bounded by XG_IMPORT_DEPTH_MAX; memory is bounded by the size of the input. */
#ifndef XG_IMPORT_IR_H
#define XG_IMPORT_IR_H
#include "../hlo/hlo.h"

enum {
    XG_IMPORT_DEPTH_MAX = 200, /* of nested regions, calls, types and attributes */
    XG_IR_INTS_MAX = 1 << 22,  /* integers of one attribute */
    XG_IR_NAME_SHOWN = 200     /* bytes of a name that a message repeats */
};

typedef enum xg_ir_type_kind {
    XG_IR_ARRAY, /* a tensor */
    XG_IR_SCALAR,
    XG_IR_TUPLE,
    XG_IR_TOKEN,
    XG_IR_FUNCTION,
    XG_IR_NONE,
    XG_IR_OPEN,   /* a tensor without rank, or with a dimension that has no bound */
    XG_IR_FOREIGN /* of a dialect that has no counterpart */
} xg_ir_type_kind;
typedef struct xg_ir_type xg_ir_type;
typedef struct xg_ir_quant {
    xlagpu_type storage, expressed;
    int64_t axis;      /* -1: one scale for all */
    int64_t low, high; /* of the storage */
    uint32_t n;        /* of scales and zero points */
    const double *scales;
    const int64_t *zeros;
} xg_ir_quant;
struct xg_ir_type {
    xg_ir_type_kind kind;
    xlagpu_type element;   /* of ARRAY and SCALAR */
    const xg_shape *shape; /* of ARRAY, TUPLE, TOKEN */
    uint32_t n_in, n_out;  /* of FUNCTION; a TUPLE has n_in */
    const xg_ir_type *const *in, *const *out;
    const xg_ir_quant *quant;
    uint32_t n_dims;     /* of OPEN; no dims: it has no rank */
    const int64_t *dims; /* -1: not known */
    xg_str text;
};

typedef enum xg_ir_attr_kind {
    XG_IR_UNIT,
    XG_IR_BOOL,
    XG_IR_INT,
    XG_IR_FLOAT,
    XG_IR_STRING,
    XG_IR_SYMBOL,
    XG_IR_TYPE,
    XG_IR_INTS, /* a list of plain integers */
    XG_IR_LIST,
    XG_IR_DICT,
    XG_IR_DENSE,
    XG_IR_WORD, /* an enumerator */
    XG_IR_RAW   /* text that nothing here understands */
} xg_ir_attr_kind;
typedef struct xg_ir_attr xg_ir_attr;
typedef struct xg_ir_named {
    xg_str name;
    const xg_ir_attr *value;
} xg_ir_named;
struct xg_ir_attr {
    xg_ir_attr_kind kind;
    bool splat; /* DENSE: one element stands for all */
    uint32_t n;
    int64_t i;   /* BOOL, INT */
    double d;    /* FLOAT */
    xg_str text; /* STRING, SYMBOL, WORD, RAW; the mnemonic of a DICT; else as it was written, may be empty */
    const xg_ir_type *type; /* INT, FLOAT, TYPE, DENSE */
    union {
        const int64_t *ints;
        const xg_ir_attr *const *items;
        const xg_ir_named *named;
        const xg_literal *literal; /* of a splat: a scalar */
    } v;
};

/* Where an operation comes from: what profilers and messages call it, and its place in the user's program. */
typedef struct xg_ir_loc {
    xg_str name, file; /* empty: not known */
    int64_t line;
} xg_ir_loc;
typedef struct xg_ir_op xg_ir_op;
typedef struct xg_ir_value {
    const xg_ir_type *type;
    const xg_ir_op *op; /* NULL: an argument of a block */
    xg_inst *made;
    uint32_t serial;           /* in the order of the input: a region's values are a range */
    uint32_t mark;             /* of the last search that met it */
    struct xg_ir_value *alias; /* an argument that is always this value; NULL: it is not */
    const xg_ir_loc *loc;      /* of an argument; NULL: not known */
} xg_ir_value;
typedef XG_VEC(xg_ir_value *) xg_ir_values;
typedef struct xg_ir_region {
    uint32_t n_blocks, n_args;
    xg_ir_value **args;
    xg_ir_op *first, *last;
    uint32_t from, to; /* serials of the values in it */
} xg_ir_region;
struct xg_ir_op {
    uint32_t n_operands, n_results, n_regions, n_attrs;
    int row;              /* of XG_IR_OPS; -1: not known */
    uint32_t at;          /* byte offset + 1; 0 in bytecode */
    xg_str name;          /* "stablehlo.add" */
    const xg_ir_loc *loc; /* NULL: not known */
    xg_ir_value **operands, *results;
    const xg_ir_named *attrs;
    xg_ir_region *regions;
    xg_ir_op *next;
};

typedef struct xg_ir {
    xg_arena *arena;
    xg_ctx *ctx;
    xg_module *m;
    const xg_source *src; /* NULL: not a text */
    xg_dict rows;         /* name to row + 1 */
    uint32_t serial;
    bool open; /* there is a type of kind OPEN */
    xg_ir_region top;
} xg_ir;

XG_FN xg_ir *xg_ir_new(xg_ctx *c, xg_arena *a, const xg_source *src, const char *name);
/* A new operation, its row found by its name; the caller fills in the rest. at: byte offset + 1, or 0. */
XG_FN xg_ir_op *xg_ir_op_new(xg_ir *ir, xg_str name, uint32_t at);
XG_FN xg_ir_op *xg_ir_op_of_row(xg_ir *ir, int row, xg_str name, uint32_t at);
/* An operation at the end of a region; an argument of a region. */
XG_FN void xg_ir_append(xg_ir_region *r, xg_ir_op *op);
XG_FN void xg_ir_value_init(xg_ir *ir, xg_ir_value *v, const xg_ir_type *type, const xg_ir_op *op);
XG_FN int xg_ir_row(const xg_ir *ir, xg_str name);
XG_FN bool xg_ir_is(const xg_ir_op *op, const char *name);
XG_FN const xg_ir_type *xg_ir_type_array(
    xg_ir *ir, xlagpu_type element, const int64_t *dims, uint32_t rank, const uint8_t *dynamic);
XG_FN const xg_ir_type *xg_ir_type_scalar(xg_ir *ir, xlagpu_type element, xg_str text);
XG_FN const xg_ir_type *xg_ir_type_kind_of(xg_ir *ir, xg_ir_type_kind kind, xg_str text);
XG_FN const xg_ir_type *xg_ir_type_open(
    xg_ir *ir, xlagpu_type element, const int64_t *dims, const uint8_t *dynamic, uint32_t rank, xg_str text);
XG_FN const xg_ir_type *xg_ir_type_tuple(xg_ir *ir, const xg_ir_type *const *in, uint32_t n);
XG_FN const xg_ir_type *xg_ir_type_function(
    xg_ir *ir, const xg_ir_type *const *in, uint32_t n_in, const xg_ir_type *const *out, uint32_t n_out);
XG_FN xlagpu_type xg_ir_element(xg_str name); /* of MLIR's name of an element type */
XG_FN const char *xg_ir_element_text(xlagpu_type t);
XG_FN xg_ir_attr *xg_ir_attr_new(xg_ir *ir, xg_ir_attr_kind kind, xg_str text);
XG_FN const xg_ir_attr *xg_ir_attr_ints(xg_ir *ir, const int64_t *p, uint32_t n);
XG_FN const xg_ir_attr *xg_ir_attr_dense(xg_ir *ir, const xg_ir_type *type, const void *bytes, size_t n, bool packed);
XG_FN void xg_ir_results(xg_ir *ir, xg_ir_op *op, const xg_ir_type *const *types, uint32_t n);
/* By its own name, the name it has in pretty forms, or as a field of a dictionary like dimension_numbers. */
XG_FN const xg_ir_attr *xg_ir_find(const xg_ir_op *op, const char *name);
XG_FN const xg_ir_attr *xg_ir_dict_get(const xg_ir_attr *dict, const char *name);
XG_FN int64_t xg_ir_int(const xg_ir_op *op, const char *name, int64_t otherwise);
XG_FN xg_str xg_ir_word(const xg_ir_op *op, const char *name); /* of STRING, SYMBOL, WORD, RAW */
XG_FN xg_ints xg_ir_ints(xg_ir *ir, const xg_ir_attr *a);      /* of INTS, DENSE or nested lists, in their order */
/* Of an operation of another dialect: whose it is, and what to do; NULL: the dialect is not known. */
XG_FN const char *xg_ir_foreign(xg_str op, const char **hint);
XG_NORETURN XG_FN void xg_ir_refuse(
    const xg_ir *ir, const xg_ir_op *op, xlagpu_status s, const char *hint, const char *format, ...) XG_PRINTF(5, 6);
/* XLAGPU_ERROR_INVALID, without a hint */
XG_NORETURN XG_FN void xg_ir_invalid(const xg_ir *ir, const xg_ir_op *op, const char *format, ...) XG_PRINTF(3, 4);

/* ---- lower_module.c: operations to HLO ---- */
XG_FN xg_module *xg_ir_lower(xg_ir *ir);

#endif /* XG_IMPORT_IR_H */
