/* hlo/text.h -- what the reader and the writer of HLO text share among their files: the scanner, the state of a
 * parse, the printer. For lex.c, parse*.c and print*.c, and for rooms whose texts have HLO in them.
 *
 * Law: list stacks (ops, attrs, ints ...) are used as stacks: whoever pushes remembers the height, copies what lies
 * above it and puts the height back, so nested instructions need no lists of their own. */
#ifndef XG_HLO_TEXT_H
#define XG_HLO_TEXT_H
#include "hlo.h"

/* ---- lex.c ---- */

/* Punctuation tokens are their character. */
typedef enum xg_tok_kind {
    XG_TOK_END = 0,
    XG_TOK_WORD = 256,
    XG_TOK_NAME,
    XG_TOK_NUMBER,
    XG_TOK_STRING,
    XG_TOK_ARROW,
    XG_TOK_LE,
    XG_TOK_DOTS,
    XG_TOK_BAD
} xg_tok_kind;

typedef struct xg_lex {
    int kind;
    uint32_t len; /* its length (strings: with quotes) */
    xg_ctx *ctx;
    xg_arena *arena;
    const xg_source *src;
    const char *base, *end; /* a NUL-terminated copy of the source; *end is the NUL */
    const char *at;         /* behind the current token */
    const char *tok;        /* its first character ('%' left out of names) */
} xg_lex;

enum {
    XG_GROUP_IDS_MAX = 1 << 22,
    XG_MESH_AXES_MAX = 32
};
enum {
    XG_TEXT_DEPTH_MAX = 400
}; /* of nested shapes, operands, computations and braces */

XG_FN void xg_lex_init(xg_lex *x, xg_ctx *c, xg_arena *a, const xg_source *src, bool lasts);
XG_FN void xg_lex_next(xg_lex *x);
/* the next character that is neither white nor in a comment; NUL at the end */
XG_FN char xg_lex_peek(xg_lex *x);
XG_FN xg_str xg_lex_text(const xg_lex *x);   /* of the current token */
XG_FN size_t xg_lex_offset(const xg_lex *x); /* of the current token */
/* from the current token's start: all characters that are alphanumeric or in set; then the next token */
XG_FN xg_str xg_lex_run(xg_lex *x, const char *set);
/* from an opening bracket to its partner, strings skipped; then the next token */
XG_FN xg_str xg_lex_balanced(xg_lex *x);
XG_FN void xg_lex_restart(xg_lex *x, size_t offset);     /* makes the token at the offset the current one */
XG_FN const char *xg_lex_found(const xg_lex *x);         /* the current token for a message */
XG_FN bool xg_lex_is(const xg_lex *x, const char *word); /* a bare word */
XG_FN bool xg_lex_take(xg_lex *x, int kind);             /* if it is there */
XG_FN void xg_lex_expect(xg_lex *x, int kind, const char *what);
XG_FN int64_t xg_lex_int(xg_lex *x, const char *what);
XG_FN bool xg_lex_to_int(xg_str s, int64_t *out);                     /* false when it is no integer of 64 bits */
XG_FN xg_str xg_lex_string(xg_lex *x, xg_arena *a, const char *what); /* unescaped */
/* What would be right, of several messages. */
#define XG_HINT_ONCE "leave one of them out"
#define XG_HINT_WORD "leave the word out of one of them"
#define XG_HINT_NUMBERS "parameters have the numbers from 0 on, each one of its own"
#define XG_HINT_LAYOUT "a layout names each dimension once, the one that changes fastest first: f32[2,3]{1,0}"
#define XG_HINT_SHARDING "examples are {replicated}, {maximal device=0}, {devices=[2,1]<=[2]}"
XG_NORETURN XG_FN void xg_lex_fail(const xg_lex *x, const char *hint, const char *format, ...)
    XG_PRINTF(3, 4); /* at the current token */
XG_NORETURN XG_FN void xg_lex_fail_at(const xg_lex *x, size_t offset, const char *hint, const char *format, ...)
    XG_PRINTF(4, 5);
XG_NORETURN XG_FN void xg_lex_wrong_at(const xg_lex *x, size_t offset, const char *format, ...)
    XG_PRINTF(3, 4); /* without a hint */

/* ---- parse.c ---- */

typedef XG_VEC(xg_inst *) xg_inst_vec;
typedef XG_VEC(xg_attr) xg_attr_vec;
typedef XG_VEC(int64_t) xg_int_vec;
typedef XG_VEC(xg_str) xg_str_vec;
typedef XG_VEC(const xg_shape *) xg_shape_vec;
typedef XG_VEC(xg_comp *) xg_comp_vec;

enum {
    XG_ATTR_WORDS = (XG_ATTR_COUNT + 63) / 64
};
typedef struct xg_attr_set {
    uint64_t w[XG_ATTR_WORDS];
} xg_attr_set;
typedef struct xg_op_attrs_row {
    xg_attr_set allowed, required;
} xg_op_attrs_row;

typedef struct xg_parse {
    xg_lex lex;
    xg_module *m;
    xg_arena *arena;
    xg_comp *comp;   /* being read */
    xg_int_vec ints; /* stacks */
    xg_shape_vec shapes;
    xg_inst_vec insts;
    xg_attr_vec attrs;
    xg_str_vec strs;
    xg_comp_vec comps;
    xg_dict ops, attr_names;   /* word to row + 1 */
    xg_op_attrs_row *op_attrs; /* by opcode */
    xg_attr_set common;
    xg_inst_vec unnamed;       /* instructions of comp that get a name at its end */
    xg_comp_vec unnamed_comps; /* computations that get one at the end of the text */
    xg_map64 elements;         /* (tuple id, index) to the get-tuple-element that x#i made */
    const char *counted;       /* lines were counted up to here */
    uint32_t depth;
    xg_dict groups;    /* expanded replica groups by their text */
    int64_t group_ids; /* that replica groups have expanded to so far */
    bool single;       /* one instruction: unknown operands become parameters */
} xg_parse;

/* <op>-start ...: the row's op is the wrapped one */
typedef enum xg_sugar {
    XG_SUGAR_NONE,
    XG_SUGAR_START,
    XG_SUGAR_UPDATE,
    XG_SUGAR_DONE
} xg_sugar;

typedef struct xg_parse_rhs {
    const xg_shape *shape; /* as written, or NULL */
    size_t at, op_at;      /* the instruction's name, the opcode */
    xg_str op_text;
    xg_opcode op;
    xg_sugar sugar;
    uint32_t operands, attrs; /* heights of the stacks */
    xg_attr_set seen;
    int64_t number;
    const xg_literal *literal;
} xg_parse_rhs;

/* in front of the first token, with an empty module */
XG_FN xg_parse *xg_parse_new(xg_ctx *c, xg_arena *a, const xg_source *src, bool lasts);
XG_FN void xg_parse_read_tables(xg_parse *p);
XG_FN void xg_parse_enter(xg_parse *p); /* bounds the recursion; p->depth-- leaves */
XG_FN bool xg_parse_at_name(const xg_parse *p);
XG_FN xg_str xg_parse_new_name(xg_parse *p, const char *what);
XG_FN uint32_t xg_parse_line_of(const xg_parse *p, size_t offset);
XG_FN const char *xg_parse_did_you_mean(
    xg_parse *p, xg_str word, const char *(*names)(const void *, size_t), const void *user); /* a hint, or NULL */
XG_FN xg_comp *xg_parse_comp_ref(xg_parse *p); /* a name, or { instructions } */
XG_FN xg_inst *xg_parse_inst_ref(xg_parse *p); /* a name defined before */
/* [shape] opcode(arguments), attributes. The shape may have been read already; an empty name is chosen later. */
XG_FN xg_inst *xg_parse_rhs_inst(xg_parse *p, xg_str name, size_t at, const xg_shape *shape, bool attributes);
XG_FN void xg_parse_settle_words(xg_parse *p, xg_opcode op, xg_attr *a); /* words that may be written in any case */
XG_FN void xg_parse_check_operands(xg_parse *p, const xg_parse_rhs *r);  /* how many lie on the stack above r's */
/* The instruction that r describes, its operands and attributes on the stacks, without a name. Readers of other
 * formats end here too: which attributes an opcode needs, and what they become, is known in one place. */
XG_FN xg_inst *xg_parse_build(xg_parse *p, xg_parse_rhs *r);
XG_FN void xg_parse_comp(xg_parse *p);
XG_FN void xg_parse_finish_comp(xg_parse *p, xg_comp *c, uint32_t unnamed);
XG_FN const char *xg_parse_op_name(const void *none, size_t i); /* of each opcode, for hints */

/* ---- parse_module.c ---- */

/* the device among the frontend attributes becomes the module's own; gives what is left of the text */
XG_FN xg_str xg_parse_device(xg_parse *p, xg_str text, size_t at);
XG_FN void xg_parse_finish_entry(xg_parse *p); /* its shapes: as written, or those of its instructions */

/* ---- parse_shape.c ---- */

XG_FN bool xg_parse_at_shape(xg_parse *p); /* is the current token the first of a shape? */
XG_FN const xg_shape *xg_parse_shape(xg_parse *p, bool fill_layouts);
XG_FN const xg_shape *xg_parse_tuple_shape(xg_parse *p, bool fill_layouts);
XG_FN const char *xg_parse_shape_text(xg_parse *p, const xg_shape *s); /* for messages */
/* from the '{' of a layout on; dims: of the array, rank of them */
XG_FN const xg_layout *xg_parse_layout(xg_parse *p, const int64_t *dims, uint32_t rank);
/* the shape, or a failure at the offset: tiles that no memory has */
XG_FN const xg_shape *xg_parse_check_tiles(xg_parse *p, size_t at, const xg_shape *s);

/* ---- parse_attr.c, parse_devices.c ---- */

XG_FN bool xg_parse_bool(xg_parse *p);
XG_FN xg_str xg_parse_raw(xg_parse *p);                  /* brackets with what they hold, or one token */
XG_FN void xg_parse_attr_value(xg_parse *p, xg_attr *a); /* a->key is set; the token is the first of the value */
XG_FN bool xg_attr_set_has(const xg_attr_set *s, uint32_t k);
XG_FN void xg_attr_set_add(xg_attr_set *s, uint32_t k);
XG_FN xg_ints xg_parse_take_ints(xg_parse *p, uint32_t base); /* what lies on the stack of integers above base */
XG_FN xg_ints xg_parse_ints(xg_parse *p, char open, char close, const char *what);
XG_FN xg_str xg_parse_sharding(xg_parse *p); /* canonical text */
XG_FN const xg_groups *xg_parse_groups(xg_parse *p);

XG_FN const xg_str *xg_parse_keep_str(xg_parse *p, xg_str s); /* the string as an attribute's value */

/* X(name, kind): what metadata may say, in the order in which it is printed. */
/* clang-format off */
#define XG_METADATA(X) \
    X(op_type, STRING) \
    X(op_name, STRING) \
    X(source_file, STRING) \
    X(source_line, NUMBER) \
    X(source_end_line, NUMBER) \
    X(source_column, NUMBER) \
    X(source_end_column, NUMBER) \
    X(profile_type, RAW) \
    X(deduplicated_name, STRING) \
    X(preserve_layout, RAW) \
    X(scheduling_name, STRING) \
    X(stack_frame_id, NUMBER) \
    X(metadata_payload, RAW) \
    X(creation_pass_id, NUMBER) \
    X(logical_creation_pass_id, NUMBER) \
    X(size_of_generated_code_in_bytes, NUMBER) \
    X(size_of_memory_working_set_in_bytes, NUMBER)
/* clang-format on */
enum {
    XG_METADATA_STRING,
    XG_METADATA_NUMBER,
    XG_METADATA_RAW
};
typedef enum xg_metadata_key {
#define X(name, kind) XG_M_##name,
    XG_METADATA(X)
#undef X
    XG_METADATA_COUNT
} xg_metadata_key;
static const struct {
    const char *name;
    int kind;
} xg_metadata_rows[] = {
#define X(name, kind) {#name, XG_METADATA_##kind},
    XG_METADATA(X)
#undef X
};
#undef XG_METADATA

/* ---- print.c, print_attr.c ---- */

typedef struct xg_printer {
    xg_buf *b;
    xg_print_options o;
} xg_printer;
XG_FN void xg_print_name(const xg_printer *p, xg_str name);
XG_FN void xg_print_ints(xg_buf *b, xg_ints v);
XG_FN void xg_print_attr(const xg_printer *p, const xg_attr *a); /* ", name=value" */

/* print.c */
XG_FN void xg_print_inst(const xg_printer *p, const xg_inst *i);
XG_FN xg_printer xg_printer_make(xg_buf *b, const xg_print_options *o);
#endif /* XG_HLO_TEXT_H */
