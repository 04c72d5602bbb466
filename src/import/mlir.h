/* import/mlir.h -- what the files that read MLIR text share: the scanner and the scopes of values. */
#ifndef XG_IMPORT_MLIR_H
#define XG_IMPORT_MLIR_H
#include "ir.h"

typedef struct xg_mlir_cell { /* what a name stands for at this place */
    xg_ir_value *values;
    uint32_t n;
} xg_mlir_cell;
typedef struct xg_mlir_undo {
    xg_mlir_cell *cell, old;
} xg_mlir_undo;
typedef XG_VEC(xg_mlir_undo) xg_mlir_undos;
typedef XG_VEC(xg_mlir_cell *) xg_mlir_pages;
enum {
    XG_MLIR_PAGE = 256 /* cells of values that are numbered, made when the first of them is named */
};
typedef XG_VEC(const xg_ir_type *) xg_mlir_types;
typedef XG_VEC(const xg_ir_attr *) xg_mlir_attrs;
typedef XG_VEC(xg_ir_named) xg_mlir_named;
typedef XG_VEC(xg_str) xg_mlir_strs;
typedef struct xg_mlir {
    const char *at;
    xg_ir *ir;
    const char *base, *end;           /* *end is a NUL */
    xg_dict names;                    /* "%x" to its cell */
    xg_mlir_pages pages;              /* the cells of %0, %1, ... */
    xg_mlir_undos undo;               /* definitions in force, for the ends of regions */
    xg_dict types;                    /* text of a type to the type */
    xg_dict aliases;                  /* "#loc3", "!t": where its definition begins */
    xg_dict resources;                /* of dialect_resources: where their strings begin */
    xg_dict locs;                     /* text of a location to the location */
    xg_dict known_attrs, known_types; /* aliases that were read */
    uint32_t depth;
} xg_mlir;

/* ---- mlir_text.c ---- */
XG_FN void xg_mlir_skip(xg_mlir *x); /* white space and comments */
XG_FN bool xg_mlir_take(xg_mlir *x, const char *token);
XG_FN void xg_mlir_want(xg_mlir *x, const char *token, const char *what);
XG_FN bool xg_mlir_at_word(xg_mlir *x);
XG_FN xg_str xg_mlir_peek_word(xg_mlir *x); /* letters, digits, _ $ . */
XG_FN xg_str xg_mlir_word(xg_mlir *x, const char *what);
XG_FN bool xg_mlir_take_word(xg_mlir *x, const char *word);
XG_FN xg_str xg_mlir_string(xg_mlir *x);     /* unescaped */
XG_FN xg_str xg_mlir_symbol(xg_mlir *x);     /* behind '@' */
XG_FN xg_str xg_mlir_value_name(xg_mlir *x); /* with its '%' */
XG_FN xg_str xg_mlir_balanced(xg_mlir *x);   /* brackets with what they hold */
XG_FN bool xg_mlir_int(xg_mlir *x, int64_t *out);
XG_FN void xg_mlir_enter(xg_mlir *x); /* x->depth-- leaves */
XG_NORETURN XG_FN void xg_mlir_fail(const xg_mlir *x, const char *at, const char *hint, const char *format, ...)
    XG_PRINTF(4, 5);
XG_NORETURN XG_FN void xg_mlir_expected(xg_mlir *x, const char *what);

/* ---- mlir_type.c, mlir_attr.c, mlir_dense.c ---- */
XG_FN const xg_ir_type *xg_mlir_type(xg_mlir *x);
XG_FN const char *xg_mlir_string_end(xg_mlir *x);
XG_FN bool xg_mlir_at_type(xg_mlir *x);
XG_FN const xg_ir_attr *xg_mlir_attr(xg_mlir *x);
XG_FN void xg_mlir_dict(xg_mlir *x, char close, xg_mlir_named *out); /* behind its opening bracket */
XG_FN const xg_ir_attr *xg_mlir_dense(xg_mlir *x);                   /* behind `dense` */
XG_FN const xg_ir_attr *xg_mlir_resource(xg_mlir *x);                /* behind `dense_resource` */
XG_FN bool xg_mlir_at_alias(xg_mlir *x);
XG_FN const char *xg_mlir_alias(xg_mlir *x, xg_str name); /* where its definition stands; NULL: nowhere */

/* ---- mlir_op.c ---- */
XG_FN xg_ir *xg_mlir_read(xg_ctx *c, xg_arena *a, const xg_source *src); /* a text that ends with a NUL */

#endif /* XG_IMPORT_MLIR_H */
