/* import/lower.h -- what the files share that make HLO of generic operations (lower*.c).
 *
 * A translation xg_lower_<word>(w, op) makes instructions at the end of the computation that is being built and returns
 * the operation's value: a tuple if it has several results, NULL if it has none. */
#ifndef XG_IMPORT_LOWER_H
#define XG_IMPORT_LOWER_H
#include "ir.h"
#include "../hlo/text.h"
#include "../opt/opt.h"

typedef struct xg_low_func {
    const xg_ir_op *op;
    xg_comp *comp; /* NULL until it is called */
    bool open;     /* it is being made: a call now would be recursion */
} xg_low_func;
typedef struct xg_low_undo {
    xg_ir_value *value;
    xg_inst *made;
} xg_low_undo;
typedef struct xg_low {
    xg_ir *ir;
    xg_module *m;
    xg_arena *arena;
    xg_parse *hlo;            /* reads attributes that are written as HLO text */
    const xg_ir_op *op;       /* being translated */
    xg_hb b;                  /* the end of the computation */
    xg_dict funcs, meshes;    /* by symbol: xg_low_func, sdy.mesh */
    xg_map64 metadata;        /* location to attribute */
    xg_buf line;              /* where the text of one is put together */
    XG_VEC(xg_low_undo) undo; /* values that mean something else inside a region */
    uint32_t depth, mark;
    const xg_ir_op *entry;
    int64_t **sizes;     /* of the entry's arguments whose type is OPEN; -1: not known */
    bool in_place;       /* types may be OPEN; functions stand where they are called */
    uint32_t n_in_place; /* operations of such functions */
    uint32_t n_steps;    /* at expressions of sizes */
    xg_map64 literals;   /* values of instructions that say dimensions */
    bool expressed;      /* inside a region of a quantised operation, whose values are floats */
    xg_inst place;       /* carries its metadata and its place in the source */
} xg_low;

/* ---- lower.c ---- */
XG_FN uint32_t xg_low_n(const xg_ir_op *op); /* operands */
XG_FN xg_inst *xg_low_value(xg_low *w, xg_ir_value *v);
XG_FN xg_inst *xg_low_in(xg_low *w, const xg_ir_op *op, uint32_t k);           /* an operand, dequantised */
XG_FN xg_inst **xg_low_ins(xg_low *w, const xg_ir_op *op);                     /* all of them */
XG_FN const xg_shape *xg_low_type(xg_low *w, const xg_ir_type *t);             /* of an element that is expressed */
XG_FN const xg_shape *xg_low_shape(xg_low *w, const xg_ir_op *op, uint32_t k); /* of a result */
XG_FN const xg_shape *xg_low_results(xg_low *w, const xg_ir_op *op);           /* one shape, or a tuple of all */
XG_FN xg_inst *xg_low_array(xg_low *w, const xg_ir_op *op, uint32_t k);        /* an operand that must be an array */
XG_FN xg_inst *xg_low_array_0(xg_low *w, const xg_ir_op *op);
XG_FN xg_inst *xg_low_make(xg_low *w, const xg_ir_op *op, xg_opcode opcode); /* of all operands and results */
XG_FN xg_inst *xg_low_new(xg_low *w, xg_opcode opcode, const xg_shape *s, xg_inst *const *in, uint32_t n);
XG_FN void xg_low_set_int(xg_inst *i, xg_attr_key k, int64_t v);
XG_FN void xg_low_set_ints(xg_inst *i, xg_attr_key k, xg_ints v);
XG_FN void xg_low_set_text(xg_low *w, xg_inst *i, xg_attr_key k, xg_str text); /* of HLO */
XG_FN xg_ints xg_low_ints(xg_low *w, const xg_ir_op *op, const char *name);    /* empty when absent */
XG_FN xg_ints xg_low_ints_n(xg_low *w, const xg_ir_op *op, const char *name, uint32_t n, int64_t otherwise);
XG_FN xg_ints xg_low_dims(xg_low *w, const xg_ir_op *op, const char *name, uint32_t rank); /* all below rank */
XG_FN int64_t xg_low_dim(xg_low *w, const xg_ir_op *op, const char *name, uint32_t rank);
XG_FN bool xg_low_flag(const xg_ir_op *op, const char *name);
XG_FN bool xg_low_constant(xg_low *w, const xg_ir_op *op, uint32_t k, xg_ints *out); /* an operand's known integers */
XG_FN const xg_ir_region *xg_low_region_at(xg_low *w, const xg_ir_op *op, uint32_t k);
XG_FN xg_comp *xg_low_region(xg_low *w, const xg_ir_region *r); /* a parameter for each of its arguments */
typedef struct xg_low_captures {                                /* values from outside that regions use */
    xg_ir_values values;
    uint32_t mark;
} xg_low_captures;
XG_FN xg_low_captures xg_low_captured(xg_low *w, const xg_ir_region *regions, uint32_t n);
XG_FN xg_inst *xg_low_state(xg_low *w, xg_inst *const *in, uint32_t n); /* one value as it is, else a tuple */
/* carried: of a loop's body, which results are its next state; NULL: all are the computation's */
XG_FN xg_comp *xg_low_region_of_state(
    xg_low *w, const xg_ir_region *r, const xg_shape *state, const xg_low_captures *c, const uint32_t *carried);
XG_FN xg_inst *xg_low_tuple(xg_low *w, xg_inst *const *in, uint32_t n);
XG_FN xg_inst **xg_low_stored_ins(xg_low *w, const xg_ir_op *op); /* operands as they lie in memory */
XG_FN void xg_low_op(xg_low *w, const xg_ir_op *op);
XG_FN xg_comp *xg_low_function(xg_low *w, xg_str symbol);
XG_FN xg_inst *xg_low_call(xg_low *w, xg_comp *c, xg_inst *const *in, uint32_t n);

XG_FN xg_low_func *xg_low_find_function(xg_low *w, xg_str symbol); /* that may be called here */
XG_FN bool xg_low_is_terminator(const xg_ir_op *op);
XG_FN xg_opcode xg_low_opcode(const xg_ir_op *op);
XG_FN void xg_low_enter(xg_low *w, const xg_ir_op *op); /* w->depth-- leaves */
XG_FN void xg_low_at(xg_low *w, const xg_ir_op *op);
XG_FN const xg_ir_attr *xg_low_item(const xg_ir_op *func, const char *list, uint32_t k); /* a dictionary, or NULL */
XG_FN xg_str xg_low_item_text(const xg_ir_op *func, const char *list, uint32_t k, const char *name);

/* ---- lower_dims.c ---- */
XG_FN void xg_dims_entry(xg_low *w, const xg_ir_op *entry);
XG_FN const xg_shape *xg_dims_argument(xg_low *w, uint32_t k);                   /* of the entry */
XG_FN const xg_shape *xg_dims_result(xg_low *w, const xg_ir_op *op, uint32_t k); /* of an OPEN type */
XG_FN void xg_dims_settle(xg_low *w, const xg_ir_op *op, xg_inst *i);
XG_FN bool xg_dims_ints(xg_low *w, xg_ir_value *v, xg_ints *out); /* false: it does not follow from constants */
XG_FN xg_inst *xg_dims_call(xg_low *w, const xg_ir_op *op);
XG_FN bool xg_dims_assert(xg_low *w, const xg_ir_op *op);

/* ---- lower_quant.c ---- */
XG_FN xg_inst *xg_low_dequantise(xg_low *w, xg_inst *x, const xg_ir_quant *q);
XG_FN xg_inst *xg_low_quantise(xg_low *w, xg_inst *x, const xg_ir_quant *q);

/* ---- lower_sharding.c ---- */
/* Replica groups by axes of a mesh, as {{0,1},{2,3}}. */
XG_FN void xg_low_mesh_groups(xg_low *w, const xg_ir_op *op, const xg_ir_attr *groups, xg_buf *b);
XG_FN bool xg_low_sharding(xg_low *w, const xg_ir_attr *dict, xg_buf *out); /* false: none to be kept */
XG_FN void xg_low_param_sdy(xg_low *w, const xg_ir_attr *dict, xg_inst *param);
XG_FN xg_inst *xg_low_result_sdy(xg_low *w, const xg_ir_attr *dict, xg_inst *x);
XG_FN void xg_low_put_meshes(xg_low *w, const xg_ir_region *body);

#endif /* XG_IMPORT_LOWER_H */
