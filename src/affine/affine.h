/* affine/affine.h -- affine expressions with floor division and remainder, and indexing maps made of them.
 *
 * Ideas
 * - An expression is hash-consed: equal expressions of a context are the same pointer. A sum is one node, `k + s1*t1 +
 *   ... + sn*tn`, whose terms are variables, quotients and remainders in a fixed order; so there is no tree of
 *   additions and multiplications to normalise, and a stride is read off a term.
 * - Divisors are positive constants. `floordiv` rounds down, `mod` is never negative; values are mathematical integers.
 * - Constructors simplify. Those that know the ranges of the variables (xg_aff_env) simplify more. All rules make
 *   expressions smaller or divisors smaller, so they end; a node costs what its own terms cost.
 * - An indexing map takes dimension variables (an element's index, thread and block numbers), range symbols (loops,
 *   reduced dimensions) and runtime symbols (values read from an operand) to results, inside a domain: each variable's
 *   interval and constraints `expression in [lo, hi]`. Range and runtime symbols share one numbering, runtime symbols
 *   last.
 *
 * Laws
 * - Maps and expressions are immutable once made (a node keeps a memo, which no one sees), live in the context's arena
 *   and never change meaning. A context is for one thread.
 * - Overflow and growth. A constructor answers NULL when a coefficient leaves int64 or the expression grows past
 *   XG_AFF_SIZE_MAX nodes, and NULL for a NULL operand; a map with such a result is undefined, and undefined maps stay
 *   undefined.
 * - A simplified map agrees with the original at every point of the domain; outside it may not. */
#ifndef XG_AFFINE_H
#define XG_AFFINE_H
#include "../base/base.h"

enum {
    XG_AFF_SIZE_MAX = 1 << 12,
    XG_AFF_DEPTH_MAX = 96,
    XG_AFF_TERMS_MAX = 512,
    XG_IMAP_VARS_MAX = 1024,
    XG_IMAP_RTS_MAX = 512
};

/* ---- expressions ----------------------------------------------------------------------------------------------- */

typedef enum xg_aff_kind {
    XG_AFF_CONST,
    XG_AFF_DIV,
    XG_AFF_MOD,
    XG_AFF_DIM,
    XG_AFF_SYM,
    XG_AFF_SUM
} xg_aff_kind; /* DIV..SYM is also the order of terms */
typedef struct xg_aff xg_aff;
typedef struct xg_term {
    int64_t scale;
    const xg_aff *of;
} xg_term; /* scale is not 0; of is DIV, MOD, DIM or SYM */
/* closed; empty when lo > hi; INT64_MIN and INT64_MAX mean unbounded */
typedef struct xg_range {
    int64_t lo, hi;
} xg_range;

struct xg_aff {
    xg_aff_kind kind;
    uint32_t n;               /* DIM, SYM: which; SUM: number of terms (one term only with k or a scale other than 1) */
    int64_t k;                /* CONST: value; SUM: constant; DIV, MOD: the divisor, > 1 */
    const xg_aff *of;         /* DIV, MOD: what is divided */
    const xg_term *terms;     /* SUM: in order, no two alike */
    uint32_t id, size, depth; /* order of creation; nodes when written out as a tree; nesting */
    uint64_t range_stamp, memo_stamp;
    xg_range range;
    const xg_aff *memo;
};

typedef struct xg_aff_ctx xg_aff_ctx;

/* The ranges of variables that an expression is read under. A variable beyond the arrays is unbounded. */
typedef struct xg_aff_env {
    xg_aff_ctx *x;
    const xg_range *dims, *syms;
    uint32_t n_dims, n_syms;
    uint64_t stamp;
} xg_aff_env;

/* What a quotient or remainder came to under an environment: code that is written out asks for the same ones again. */
enum {
    XG_AFF_DIVIDED = 128
};
typedef struct xg_aff_divided {
    const xg_aff *e, *to;
    uint64_t stamp; /* of the environment */
    int64_t k;
    xg_aff_kind kind;
} xg_aff_divided;

struct xg_aff_ctx {
    xg_arena *arena;
    xg_aff_env anywhere; /* no ranges known */
    xg_ctx *ctx;
    xg_set nodes;
    uint32_t n_nodes;
    uint64_t stamp;
    const xg_aff *dims[32]; /* the first variables, once they were asked for */
    xg_term *buffer;        /* of `room`: where the terms of a sum are merged; contexts are many, most sums short */
    uint32_t room;
    xg_set envs;             /* those that were asked for: equal ranges have one stamp */
    xg_aff_divided *divided; /* XG_AFF_DIVIDED of them, NULL until there is one */
};

/* ---- expr.c: nodes, ranges, evaluation ---- */
XG_FN xg_aff_ctx *xg_aff_new(xg_arena *a); /* everything of the context lives in this arena */
XG_FN const xg_aff *xg_aff_const(xg_aff_ctx *x, int64_t v);
XG_FN const xg_aff *xg_aff_dim(xg_aff_ctx *x, uint32_t which);
XG_FN const xg_aff *xg_aff_dim_0(xg_aff_ctx *x);
XG_FN const xg_aff *xg_aff_dim_1(xg_aff_ctx *x);
XG_FN const xg_aff *xg_aff_sym(xg_aff_ctx *x, uint32_t which);
/* keeps the pointers; make a new one when a range changes */
XG_FN xg_aff_env xg_aff_env_of(
    xg_aff_ctx *x, const xg_range *dims, uint32_t n_dims, const xg_range *syms, uint32_t n_syms);
XG_FN xg_range xg_aff_range(xg_aff_env *env, const xg_aff *e); /* contains every value of e; may be wider */
XG_FN bool xg_aff_eval(
    const xg_aff *e, const int64_t *dims, const int64_t *syms, int64_t *out); /* false when a step leaves int64 */
XG_FN int xg_aff_compare(const xg_aff *a, const xg_aff *b);                   /* a total order by structure */
/* the coefficient of a variable, quotient or remainder in the sum e; 0 when absent */
XG_FN int64_t xg_aff_scale_of(const xg_aff *e, const xg_aff *atom);
XG_FN bool xg_aff_uses(const xg_aff *e, const xg_aff *var); /* the variable occurs anywhere in e */
/* By how much e grows, whatever the variables are, when one of them grows by `by`; false: it depends on them. */
XG_FN bool xg_aff_growth(const xg_aff *e, const xg_aff *var, int64_t by, int64_t *out);
/* a number that divides every value of e, the largest that is plain to see; 0 when e is 0 */
XG_FN int64_t xg_aff_divisor(const xg_aff *e);
XG_FN int64_t xg_floor_div(int64_t a, int64_t b); /* b > 0 */
XG_FN int64_t xg_floor_mod(int64_t a, int64_t b);
XG_FN int64_t xg_gcd(int64_t a, int64_t b); /* of the absolute values; (0, b) gives |b| */
XG_FN xg_range xg_range_of(int64_t lo, int64_t hi);
XG_FN bool xg_range_is_point(xg_range r);
XG_FN bool xg_range_known(xg_range r); /* bounded on both sides */
XG_FN bool xg_range_within(xg_range inner, xg_range outer);
XG_FN xg_range xg_range_meet(xg_range a, xg_range b);
XG_FN xg_range xg_range_add(xg_range a, xg_range b); /* unbounded where it would overflow */
XG_FN xg_range xg_range_scale(xg_range a, int64_t s);

/* ---- rules.c: the arithmetic that simplifies ---- */
XG_FN const xg_aff *xg_aff_add(xg_aff_ctx *x, const xg_aff *a, const xg_aff *b);
XG_FN const xg_aff *xg_aff_add_mul(xg_aff_ctx *x, const xg_aff *a, const xg_aff *b, int64_t scale); /* a + b * scale */
XG_FN const xg_aff *xg_aff_add_dim(xg_aff_ctx *x, const xg_aff *a, uint32_t dim, int64_t scale); /* a + scale * dim */
XG_FN const xg_aff *xg_aff_sub(xg_aff_ctx *x, const xg_aff *a, const xg_aff *b);
XG_FN const xg_aff *xg_aff_add_k(xg_aff_ctx *x, const xg_aff *a, int64_t k);
XG_FN const xg_aff *xg_aff_mul(xg_aff_ctx *x, const xg_aff *a, int64_t scale);
XG_FN const xg_aff *xg_aff_div(xg_aff_ctx *x, const xg_aff *a, int64_t k); /* floor; k > 0 */
XG_FN const xg_aff *xg_aff_mod(xg_aff_ctx *x, const xg_aff *a, int64_t k);
/* The same under ranges. */
XG_FN const xg_aff *xg_aff_add_in(xg_aff_env *env, const xg_aff *a, const xg_aff *b);
XG_FN const xg_aff *xg_aff_add_scaled(xg_aff_env *env, const xg_aff *a, const xg_aff *b, int64_t s); /* a + s*b */
XG_FN const xg_aff *xg_aff_div_in(xg_aff_env *env, const xg_aff *a, int64_t k);
XG_FN const xg_aff *xg_aff_mod_in(xg_aff_env *env, const xg_aff *a, int64_t k);
/* Several expressions rewritten together share their work: begin, then each. dims and syms replace the variables (NULL:
 * they stay). */
typedef struct xg_aff_rewrite {
    xg_aff_env *env;
    const xg_aff *const *dims, *const *syms;
    uint32_t n_dims, n_syms;
    uint64_t stamp;
} xg_aff_rewrite;
XG_FN xg_aff_rewrite xg_aff_rewrite_begin(
    xg_aff_env *env, const xg_aff *const *dims, uint32_t n_dims, const xg_aff *const *syms, uint32_t n_syms);
XG_FN const xg_aff *xg_aff_rewrite_one(xg_aff_rewrite *w, const xg_aff *e);
XG_FN const xg_aff *xg_aff_simplify(xg_aff_env *env, const xg_aff *e);

/* ---- maps ------------------------------------------------------------------------------------------------------ */

typedef struct xg_imap xg_imap;
/* an empty name is printed as d0, s0, rt0 by position */
typedef struct xg_imap_var {
    xg_str name;
    xg_range range;
} xg_imap_var;
typedef struct xg_constraint {
    const xg_aff *expr;
    xg_range range;
} xg_constraint;
/* A runtime symbol: the value of element `map` of what `source` names (the indexing room stores an xg_inst; this room
 * only compares and keeps the pointer), clamped into the symbol's range. map takes the owner's dims and the first few
 * of its range symbols, and may have runtime symbols of its own; NULL when not known. */
typedef struct xg_imap_rt {
    const void *source;
    const xg_imap *map;
} xg_imap_rt;

typedef enum xg_imap_state {
    XG_IMAP_OK,
    XG_IMAP_UNDEFINED,
    XG_IMAP_EMPTY /* no point is in the domain */
} xg_imap_state;
struct xg_imap {
    const xg_aff **results;
    xg_imap_state state;
    uint32_t n_dims, n_syms, n_rts, n_results, n_constraints; /* n_syms: range symbols only */
    xg_imap_var *dims;
    xg_imap_var *syms; /* n_syms + n_rts: range symbols, then runtime symbols */
    xg_imap_rt *rts;   /* n_rts */
    /* runtime symbols, with those of their places; at most XG_IMAP_RTS_MAX, else the map is undefined */
    uint32_t rt_size;
    xg_constraint *constraints;
};

/* ---- imap.c: making, composing, evaluating ---- */
/* Filled by the caller (zeroed: unnamed variables of range [0, 0], results NULL) and then left alone; finish with
 * xg_imap_simplify. */
XG_FN xg_imap *xg_imap_new(
    xg_aff_ctx *x, uint32_t n_dims, uint32_t n_syms, uint32_t n_rts, uint32_t n_results, uint32_t n_constraints);
XG_FN xg_imap *xg_imap_of_dims(xg_aff_ctx *x, uint32_t n_dims, uint32_t n_results); /* and nothing else */
XG_FN void xg_imap_counts(xg_imap_var *v, const char *name, int64_t n); /* v has that name and counts 0 .. n - 1 */
XG_FN const xg_imap *xg_imap_undefined(xg_aff_ctx *x);
XG_FN const xg_imap *xg_imap_empty(xg_aff_ctx *x, uint32_t n_dims, uint32_t n_results); /* no point is in its domain */
XG_FN const xg_imap *xg_imap_identity(xg_aff_ctx *x, const int64_t *dims, uint32_t rank);
XG_FN bool xg_imap_is_identity(const xg_imap *m); /* results are the dims in order, no symbols, no constraints */
XG_FN bool xg_imap_ok(const xg_imap *m);          /* defined and not known to be empty */
/* `first`, then `second` on its results: second's dims become first's results, with their intervals as constraints.
 * Symbols: those of first, then those of second (range symbols and runtime symbols apart). Simplified. The results must
 * be as many as second's dims. */
XG_FN const xg_imap *xg_imap_compose(xg_aff_ctx *x, const xg_imap *first, const xg_imap *second);
XG_FN const xg_imap *xg_imap_with_results(
    xg_aff_ctx *x, const xg_imap *m, const xg_aff *const *results, uint32_t n); /* same domain; simplified */
XG_FN const xg_imap *xg_imap_with_constraint(
    xg_aff_ctx *x, const xg_imap *m, const xg_aff *e, xg_range r); /* simplified */
/* every symbol, in order, becomes a dim after the dims */
XG_FN const xg_imap *xg_imap_syms_to_dims(xg_aff_ctx *x, const xg_imap *m);
/* values of syms: range symbols, then runtime symbols. */
XG_FN bool xg_imap_in_domain(const xg_imap *m, const int64_t *dims, const int64_t *syms);
/* false: outside the domain, undefined, or overflow */
XG_FN bool xg_imap_eval(const xg_imap *m, const int64_t *dims, const int64_t *syms, int64_t *results);
/* ranges, results, constraints and runtime symbols; names do not count */
XG_FN bool xg_imap_equal(const xg_imap *a, const xg_imap *b);
/* equal maps have equal hashes; no address goes into it */
XG_FN uint32_t xg_imap_hash(const xg_imap *m);
XG_FN xg_aff_env xg_imap_env(xg_aff_ctx *x, const xg_imap *m); /* the ranges of its variables */
XG_FN xg_range xg_imap_result_range(xg_aff_ctx *x, const xg_imap *m, uint32_t which);
XG_FN xg_str xg_imap_sym_name(xg_aff_ctx *x, const xg_imap *m, uint32_t which);

/* ---- simplify.c: domains ---- */
/* Expressions simplified under the domain; constraints reduced to what is not implied, moved into the variables' ranges
 * where they say no more than that, sorted; variables keep their places. */
XG_FN const xg_imap *xg_imap_simplify(xg_aff_ctx *x, const xg_imap *m);
/* the same of one whose expressions are as the rules leave them under its ranges */
XG_FN const xg_imap *xg_imap_simplify_domain(xg_aff_ctx *x, const xg_imap *m);
/* Without the variables that neither results nor constraints (nor the places of runtime symbols that stay) use. kept
 * (may be NULL): for each dim, then each symbol, of those dropped from, its number in m. */
enum {
    XG_DROP_DIMS = 1,
    XG_DROP_SYMS = 2,
    XG_DROP_RTS = 4
};
XG_FN const xg_imap *xg_imap_drop_unused(xg_aff_ctx *x, const xg_imap *m, int what, uint32_t *kept);
XG_FN const xg_imap *xg_imap_drop_unused_syms(xg_aff_ctx *x, const xg_imap *m, uint32_t *kept);
XG_FN const xg_imap *xg_imap_drop_unused_dims(xg_aff_ctx *x, const xg_imap *m, uint32_t *kept);

/* ---- text.c: the text form ---- */
/* (th_x, bl_x)[vector_index]{rt0} -> (results), domain: th_x in [0, 127], ..., expression in [lo, hi]      also:
 *     UNDEFINED, KNOWN EMPTY */
XG_FN void xg_imap_print(xg_buf *b, const xg_imap *m);
XG_FN void xg_aff_print(xg_buf *b, const xg_aff *e, const xg_imap *names); /* names NULL: d0, s0 */
/* Reads a map at src->text + *at and moves *at behind it; quotes between its parts are skipped. Not simplified beyond
 * its constructors. Fails with a position. */
XG_FN const xg_imap *xg_imap_parse(xg_aff_ctx *x, const xg_source *src, size_t *at);

/* ---- inside the room ------------------------------------------------------------------------------------------- */

/* Any expression seen as k + terms. `one` holds the only term of what is not a sum, so a copy of this is not valid. */
typedef struct xg_linear {
    int64_t k;
    uint32_t n;
    const xg_term *terms;
    xg_term one;
} xg_linear;
XG_FN void xg_aff_linear(const xg_aff *e, xg_linear *out);
XG_FN const xg_aff *xg_aff_make(xg_aff_ctx *x, xg_aff_kind kind, uint32_t n, int64_t k, const xg_aff *of);
XG_FN const xg_aff *xg_aff_from_terms(xg_aff_ctx *x, int64_t k, const xg_term *terms, uint32_t n);
typedef enum xg_aff_part {
    XG_PART_QUOTIENT,
    XG_PART_REST
} xg_aff_part;
XG_FN const xg_aff *xg_aff_by_multiples(xg_aff_ctx *x, const xg_aff *e, int64_t k, xg_aff_part part);
XG_FN bool xg_aff_split(xg_aff_env *env, const xg_aff *e, int64_t g, const xg_aff **a, const xg_aff **r);
XG_FN bool xg_range_equal(xg_range a, xg_range b);
XG_FN xg_imap *xg_imap_copy(xg_aff_ctx *x, const xg_imap *m, uint32_t more_constraints);
XG_FN bool xg_imap_count_rts(xg_imap *m);
XG_FN xg_str xg_imap_default_name(xg_aff_ctx *x, const char *prefix, uint32_t which);

/* Reads the text form of expressions: text.c. */
typedef struct xg_aff_reader {
    xg_aff_ctx *x;
    const xg_source *src;
    size_t at;
    uint32_t depth;
    xg_dict names; /* each variable by name */
} xg_aff_reader;

/* imap.c */
XG_FN void xg_imap_fix_names(xg_aff_ctx *x, xg_imap *m);

/* text.c */
XG_FN const xg_aff *xg_aff_read_sum(xg_aff_reader *r);
XG_FN xg_aff_reader xg_aff_reader_new(xg_aff_ctx *x, const xg_source *src, size_t at);
#endif /* XG_AFFINE_H */
