/* sim/text.c -- PTX text to tokens, names, types and constants.
 *
 * Names live in nested scopes; `.reg .b32 %r<100>` declares a range whose members come into being when first used.
 * Symbols are found by (name id, scope id) in one hash table; no list is walked per use except the chain of enclosing
 * scopes.
 *
 * Laws: every token has its offset, so every error shows its place. Nesting is bounded by XG_SIM_NEST. */
#ifndef XG_SIM_TEXT_C
#define XG_SIM_TEXT_C
#include "moves.c"

enum {
    XG_SIM_NEST = 64,
    XG_SIM_MODS = 24,
    XG_SIM_OPERANDS = 16,
    XG_SIM_VECTOR = 128
};

typedef enum xg_sim_tk {
    XG_SIM_TK_END,
    XG_SIM_TK_WORD,
    XG_SIM_TK_DOT,
    XG_SIM_TK_NUM,
    XG_SIM_TK_STR,
    XG_SIM_TK_PUNCT
} xg_sim_tk;
typedef struct xg_sim_tok {
    xg_sim_tk kind;
    xg_str text;
    uint32_t at;
    uint64_t value; /* of a number: an integer, or the bits of a float */
    uint8_t number; /* 0 integer, 4 f32 bits, 8 f64 bits */
} xg_sim_tok;

typedef enum xg_sim_symkind {
    XG_SIM_SYM_REG,
    XG_SIM_SYM_RANGE,
    XG_SIM_SYM_VECTOR,
    XG_SIM_SYM_VAR,
    XG_SIM_SYM_LABEL,
    XG_SIM_SYM_FUNC,
    XG_SIM_SYM_TARGETS,
    XG_SIM_SYM_PROTO
} xg_sim_symkind;
typedef struct xg_sim_sym {
    xg_sim_symkind kind;
    xg_sim_type type;
    xg_sim_space space;
    bool is_extern;
    xg_str name;
    uint32_t reg, count;    /* register, or size of a range */
    uint64_t offset, bytes; /* of a variable: address or offset in its space */
    uint32_t align, at;
    uint32_t record;      /* of a label */
    uint32_t users, user; /* of a shared variable: how many functions, the last one */
    xg_sim_func *func;
    uint32_t *targets, n_targets; /* of .branchtargets: label name ids */
    struct xg_sim_sym *members;   /* of a vector register: `count` registers */
    uint32_t scope;
} xg_sim_sym;

typedef struct xg_sim_const {
    uint64_t value;
    uint8_t bytes;
    xg_sim_sym *sym;
    uint32_t func;
    uint32_t offset;
} xg_sim_const;
/* name: where it stands in the text, 1-based; 0 for ours */
typedef struct xg_sim_vreg {
    uint8_t bytes;
    uint8_t local;
    uint32_t first, last, block, slot, name;
} xg_sim_vreg;
typedef struct xg_sim_fix {
    uint32_t record, name, scope, at, list;
} xg_sim_fix; /* a branch waiting for its label */

typedef enum xg_sim_ok {
    XG_SIM_O_REG,
    XG_SIM_O_NUM,
    XG_SIM_O_VAR,
    XG_SIM_O_FUNC,
    XG_SIM_O_LABEL,
    XG_SIM_O_VEC,
    XG_SIM_O_ADDR,
    XG_SIM_O_SREG,
    XG_SIM_O_SINK,
    XG_SIM_O_LIST
} xg_sim_ok;
typedef struct xg_sim_operand {
    xg_sim_ok kind;
    uint32_t at;
    bool inverted, minus; /* !p; -r of vmad */
    xg_str select;        /* r.b1, r.h10: parts of a register, of video instructions */
    uint8_t number;       /* as in xg_sim_tok */
    uint64_t value;       /* number; or what is added to a base */
    xg_sim_sym *sym;
    xg_str word;                  /* label or special register */
    struct xg_sim_operand *pair;  /* p|q; the coordinates behind a tensor map's address */
    struct xg_sim_operand *items; /* of a vector or list; the base of an address */
    uint32_t n;
} xg_sim_operand;

typedef struct xg_sim_stmt {
    uint32_t at;
    xg_str op;
    uint32_t n;
    uint32_t guard; /* operand code of the predicate or XG_SIM_NOREG */
    uint32_t n_mods;
    uint32_t used; /* a bit per modifier that the decoder understood */
    bool guard_not;
    uint32_t first; /* its first record */
    xg_sim_operand o[XG_SIM_OPERANDS];
    xg_str mods[XG_SIM_MODS];
    uint32_t mod_at[XG_SIM_MODS];
} xg_sim_stmt;

typedef struct xg_sim_asm {
    xg_ctx *c;
    const xg_source *src;
    size_t pos;
    xg_sim_tok t;
    xg_sim_module *m;
    XG_VEC(xg_sim_ins) code;
    XG_VEC(xg_sim_vreg) vregs;
    xg_arena *a;         /* the module's */
    xg_arena scratch;    /* what dies with the load */
    xg_sim_func *f;      /* the function being read */
    xg_dict names, rows; /* text to id; mnemonic to its row */
    xg_map64 syms;       /* (name id, scope id) to symbol */
    uint32_t n_names, n_scopes, scope, depth, parents_cap, *parents;
    uint32_t local; /* bytes of local memory of this function so far */
    XG_VEC(xg_sim_const) consts;
    uint32_t consts_placed; /* how many have their offset */
    XG_VEC(xg_sim_fix) fixes;
    XG_VEC(uint32_t) list;
    XG_VEC(xg_sim_copy) copies;
    XG_VEC(xg_sim_callsite) sites;
    XG_VEC(uint32_t) calls; /* callee ids of this function */
    XG_VEC(xg_sim_func *) funcs;
    XG_VEC(xg_sim_var) vars;
    XG_VEC(xg_sim_sym *) shared;
    XG_VEC(uint32_t) labels; /* records that labels of this function stand at */
    xg_map64 const_map[3];   /* value to constant, by size */
    xg_sim_stmt *stmt;       /* the one being read */
    uint32_t carry;          /* the register of the carry flag of this function, NOREG until used */
    xg_sim_unit unit;        /* whose arithmetic functions the records get */
    xg_sim_approx approx;
} xg_sim_asm;

XG_FN void xg_sim_decode(xg_sim_asm *p, xg_sim_stmt *s); /* decode.c */
XG_FN void xg_sim_function_end(xg_sim_asm *p);           /* flow.c */

XG_NORETURN XG_FN void xg_sim_bad(const xg_sim_asm *p, size_t at, const char *hint, const char *format, ...)
    XG_PRINTF(4, 5);
XG_NORETURN XG_FN void xg_sim_wrong(const xg_sim_asm *p, size_t at, const char *format, ...) XG_PRINTF(3, 4);
XG_NORETURN XG_FN void xg_sim_limit(const xg_sim_asm *p, size_t at, const char *format, ...) XG_PRINTF(3, 4);
XG_NORETURN XG_FN void xg_sim_unsupported(const xg_sim_asm *p, size_t at, const char *hint, const char *format, ...)
    XG_PRINTF(4, 5);
XG_NORETURN XG_FN void xg_sim_bad(const xg_sim_asm *p, size_t at, const char *hint, const char *format, ...) {
    va_list args;
    va_start(args, format);
    xg_error_set(p->c, XLAGPU_ERROR_SYNTAX, p->src, at, hint, format, args);
    va_end(args);
    xg_jump(p->c);
}
/* ..., without a hint. */
XG_NORETURN XG_FN void xg_sim_wrong(const xg_sim_asm *p, size_t at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    xg_error_set(p->c, XLAGPU_ERROR_SYNTAX, p->src, at, NULL, format, args);
    va_end(args);
    xg_jump(p->c);
}
/* More than is supported of something. */
XG_NORETURN XG_FN void xg_sim_limit(const xg_sim_asm *p, size_t at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    xg_error_set(p->c, XLAGPU_ERROR_LIMIT, p->src, at, NULL, format, args);
    va_end(args);
    xg_jump(p->c);
}
XG_NORETURN XG_FN void xg_sim_unsupported(const xg_sim_asm *p, size_t at, const char *hint, const char *format, ...) {
    va_list args;
    va_start(args, format);
    xg_error_set(p->c, XLAGPU_ERROR_UNSUPPORTED, p->src, at, hint, format, args);
    va_end(args);
    xg_jump(p->c);
}

/* ---- tokens ---- */

XG_FN bool xg_sim_is_word(char ch) {
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || ch == '_' || ch == '$';
}
XG_FN bool xg_sim_is_digit(char ch) { return ch >= '0' && ch <= '9'; }

XG_FN void xg_sim_skip_line(xg_sim_asm *p) {
    while (p->pos < p->src->size && p->src->text[p->pos] != '\n') p->pos++;
}

XG_FN void xg_sim_skip_space(xg_sim_asm *p) {
    const char *s = p->src->text;
    size_t n = p->src->size;
    for (;;) {
        while (p->pos < n && (s[p->pos] == ' ' || (s[p->pos] >= '\t' && s[p->pos] <= '\r'))) p->pos++;
        if (p->pos + 1 < n && s[p->pos] == '/' && s[p->pos + 1] == '/')
            xg_sim_skip_line(p);
        else if (p->pos + 1 < n && s[p->pos] == '/' && s[p->pos + 1] == '*') {
            size_t start = p->pos;
            for (p->pos += 2; p->pos + 1 < n && !(s[p->pos] == '*' && s[p->pos + 1] == '/'); p->pos++) {}
            if (p->pos + 1 >= n) xg_sim_bad(p, start, "close it with */", "a comment without end");
            p->pos += 2;
        } else if (p->pos < n && s[p->pos] == '#' && (p->pos == 0 || s[p->pos - 1] == '\n'))
            xg_sim_skip_line(p);
        else
            return;
    }
}

XG_FN int xg_sim_hex(char ch) {
    return ch >= '0' && ch <= '9'   ? ch - '0'
           : ch >= 'a' && ch <= 'f' ? ch - 'a' + 10
           : ch >= 'A' && ch <= 'F' ? ch - 'A' + 10
                                    : 99;
}

/* 1.5, 2.5e-3, .5, 1e9: a float constant in decimal; the dot is at `dot`, or the last digit before an exponent is. */
XG_FN void xg_sim_decimal(xg_sim_asm *p, size_t dot) {
    const char *s = p->src->text + p->pos;
    size_t n = p->src->size - p->pos, i = dot + 1, sign;
    double d = 0;
    bool overflow;
    while (i < n && xg_sim_is_digit(s[i])) i++;
    if (i < n && (s[i] | 32) == 'e') {
        sign = i + 1 < n && (s[i + 1] == '+' || s[i + 1] == '-');
        if (i + 1 + sign < n && xg_sim_is_digit(s[i + 1 + sign]))
            for (i += 1 + sign; i < n && xg_sim_is_digit(s[i]); i++) {}
    }
    if (i < n && xg_sim_is_word(s[i])) xg_sim_wrong(p, p->pos + i, "'%c' does not belong to a number", s[i]);
    if (!xg_float_parse(s, i, &d, &overflow)) xg_sim_wrong(p, p->pos, "not a number");
    p->t.value = xg_f64_bits(d);
    p->t.number = 8;
    p->t.kind = XG_SIM_TK_NUM;
    p->pos += i;
}

/* 0fXXXXXXXX, 0dXXXXXXXXXXXXXXXX, 0x, 0b, 0 octal, decimal with an optional U. */
XG_FN void xg_sim_number(xg_sim_asm *p) {
    const char *s = p->src->text + p->pos;
    size_t n = p->src->size - p->pos, i = 0, digits;
    int base = 10;
    uint64_t v = 0;
    char second = n > 1 ? (char)(s[1] | 32) : 0;
    p->t.number = 0;
    while (i < n && xg_sim_is_digit(s[i])) i++;
    if (i < n && s[i] == '.') {
        xg_sim_decimal(p, i);
        return;
    }
    if (i + 1 < n && (s[i] | 32) == 'e' && (xg_sim_is_digit(s[i + 1]) || s[i + 1] == '-' || s[i + 1] == '+')) {
        xg_sim_decimal(p, i - 1);
        return;
    }
    i = 0;
    if (s[0] == '0' && (second == 'f' || second == 'd' || second == 'x' || second == 'b')) {
        base = second == 'b' ? 2 : 16;
        if (second == 'f') p->t.number = 4;
        if (second == 'd') p->t.number = 8;
        i = 2;
    } else if (s[0] == '0')
        base = 8;
    for (digits = i; i < n && xg_sim_hex(s[i]) < base; i++) {
        if (v > (UINT64_MAX - (uint64_t)xg_sim_hex(s[i])) / (uint64_t)base)
            xg_sim_wrong(p, p->pos, "the number does not fit 64 bits");
        v = v * (uint64_t)base + (uint64_t)xg_sim_hex(s[i]);
    }
    if (i == digits) xg_sim_wrong(p, p->pos, "a number without digits");
    if (p->t.number && i - digits != (size_t)p->t.number * 2)
        xg_sim_bad(p, p->pos, "0f takes 8 hex digits, 0d takes 16", "a float constant with %zu digits", i - digits);
    if (!p->t.number && i < n && s[i] == 'U') i++;
    if (i < n && xg_sim_is_word(s[i])) xg_sim_wrong(p, p->pos + i, "'%c' does not belong to a number", s[i]);
    p->t.value = v;
    p->t.kind = XG_SIM_TK_NUM;
    p->pos += i;
}

XG_FN void xg_sim_next(xg_sim_asm *p) {
    const char *s = p->src->text;
    size_t n = p->src->size, start;
    xg_sim_skip_space(p);
    start = p->pos;
    p->t.at = (uint32_t)start;
    if (start >= n) {
        p->t.kind = XG_SIM_TK_END;
        p->t.text = xg_str_of("end of text", 11);
        return;
    }
    if (xg_sim_is_digit(s[start]))
        xg_sim_number(p);
    else if (xg_sim_is_word(s[start]) || (s[start] == '%' && start + 1 < n && xg_sim_is_word(s[start + 1]))) {
        p->t.kind = XG_SIM_TK_WORD;
        for (p->pos++; p->pos < n && xg_sim_is_word(s[p->pos]); p->pos++) {}
    } else if (s[start] == '.' && start + 1 < n && xg_sim_is_word(s[start + 1])) {
        p->t.kind = XG_SIM_TK_DOT;
        for (p->pos++; p->pos < n; p->pos++) {
            if (s[p->pos] == ':' && p->pos + 2 < n && s[p->pos + 1] == ':' && xg_sim_is_word(s[p->pos + 2])) {
                p->pos += 2;
                continue;
            }
            if (!xg_sim_is_word(s[p->pos])) break;
        }
    } else if (s[start] == '"') {
        p->t.kind = XG_SIM_TK_STR;
        for (p->pos++; p->pos < n && s[p->pos] != '"' && s[p->pos] != '\n'; p->pos++) {}
        if (p->pos >= n || s[p->pos] != '"') xg_sim_bad(p, start, "close it with \"", "a string without end");
        p->pos++;
    } else {
        p->t.kind = XG_SIM_TK_PUNCT;
        p->pos++;
    }
    p->t.text = xg_str_of(s + start, p->pos - start);
}

XG_FN bool xg_sim_is(const xg_sim_asm *p, char ch) { return p->t.kind == XG_SIM_TK_PUNCT && p->t.text.p[0] == ch; }
XG_FN bool xg_sim_accept(xg_sim_asm *p, char ch) {
    if (!xg_sim_is(p, ch)) return false;
    xg_sim_next(p);
    return true;
}
XG_NORETURN XG_FN void xg_sim_unexpected(xg_sim_asm *p, const char *wanted) {
    xg_sim_wrong(p, p->t.at, "expected %s, found '%.*s'", wanted, (int)XG_MIN(p->t.text.n, 60u), p->t.text.p);
}
XG_FN void xg_sim_expect(xg_sim_asm *p, char ch) {
    char what[4];
    what[0] = what[2] = '\'';
    what[1] = ch;
    what[3] = 0;
    if (!xg_sim_accept(p, ch)) xg_sim_unexpected(p, what);
}
XG_FN bool xg_sim_dot(const xg_sim_asm *p, const char *word) {
    return p->t.kind == XG_SIM_TK_DOT && p->t.text.n == strlen(word) + 1 &&
           memcmp(p->t.text.p + 1, word, p->t.text.n - 1) == 0;
}
XG_FN bool xg_sim_accept_dot(xg_sim_asm *p, const char *word) {
    if (!xg_sim_dot(p, word)) return false;
    xg_sim_next(p);
    return true;
}

/* ---- names and scopes ---- */

XG_FN uint32_t xg_sim_name(xg_sim_asm *p, xg_str s) {
    void *v = xg_dict_get(&p->names, s);
    if (!v) {
        v = (void *)(uintptr_t)++p->n_names;
        xg_dict_put(&p->names, s, v);
    }
    return (uint32_t)(uintptr_t)v;
}
XG_FN void xg_sim_scope_push(xg_sim_asm *p, uint32_t at) {
    if (++p->depth > XG_SIM_NEST) xg_sim_limit(p, at, "blocks nest deeper than %d", (int)XG_SIM_NEST);
    p->n_scopes++;
    if (p->n_scopes >= p->parents_cap)
        p->parents = (uint32_t *)xg_vec_grow(&p->scratch, p->parents, &p->parents_cap, sizeof(uint32_t));
    p->parents[p->n_scopes] = p->scope;
    p->scope = p->n_scopes;
}
XG_ONE_COPY XG_FN void xg_sim_scope_pop(xg_sim_asm *p) {
    p->scope = p->parents[p->scope];
    p->depth--;
}

/* Ranges of registers have names of their own: %f<9> declares %f0, not %f. */
#define XG_SIM_RANGES 0x80000000u
XG_FN xg_sim_sym *xg_sim_lookup_id(const xg_sim_asm *p, uint32_t name, uint32_t scope, uint32_t ranges) {
    for (;;) {
        xg_sim_sym *s = (xg_sim_sym *)xg_map64_get(&p->syms, (uint64_t)name << 32 | scope | ranges);
        if (s || scope == 0) return s;
        scope = p->parents[scope];
    }
}
XG_FN xg_sim_sym *xg_sim_declare(xg_sim_asm *p, xg_str name, xg_sim_symkind kind, uint32_t scope, uint32_t at) {
    uint64_t key = (uint64_t)xg_sim_name(p, name) << 32 | scope;
    xg_sim_sym *s = (xg_sim_sym *)xg_map64_get(&p->syms, key);
    if (s && !(kind == XG_SIM_SYM_VAR && s->kind == XG_SIM_SYM_VAR && s->is_extern))
        xg_sim_wrong(p, at, "'%.*s' is declared twice in this scope", (int)name.n, name.p);
    if (!s) {
        s = XG_NEW(&p->scratch, xg_sim_sym);
        xg_map64_put(&p->syms, key, s);
    }
    s->kind = kind;
    s->name = name;
    s->at = at;
    s->scope = scope;
    return s;
}
XG_FN uint32_t xg_sim_new_reg(xg_sim_asm *p, uint32_t bytes) { /* one of 16 bytes is two, one behind the other */
    xg_sim_vreg r;
    if (bytes == 16) {
        uint32_t low = xg_sim_new_reg(p, 8);
        xg_sim_new_reg(p, 8);
        return low;
    }
    memset(&r, 0, sizeof r);
    r.bytes = (uint8_t)(bytes == 1 ? 2 : bytes);
    r.first = XG_SIM_NOREG;
    if (p->vregs.n >= 1u << 30) xg_fail(p->c, XLAGPU_ERROR_LIMIT, "more than 2^30 registers");
    xg_push(&p->scratch, xg_sim_vreg, &p->vregs, r);
    return p->vregs.n - 1;
}

/* The symbol of a word; a member of a register range is made when first asked for. NULL when there is none. */
XG_FN xg_sim_sym *xg_sim_lookup(xg_sim_asm *p, xg_str w) {
    xg_sim_sym *s = NULL, *range;
    void *id = xg_dict_get(&p->names, w);
    uint32_t cut = w.n, i;
    uint64_t number = 0;
    if (id) s = xg_sim_lookup_id(p, (uint32_t)(uintptr_t)id, p->scope, 0);
    if (s) return s;
    while (cut > 1 && xg_sim_is_digit(w.p[cut - 1]) && w.n - cut < 9) cut--;
    for (; cut < w.n; cut++) { /* the longest number first: %r1<10> declares %r10 while %r<100> does too */
        id = xg_dict_get(&p->names, xg_str_of(w.p, cut));
        range = id ? xg_sim_lookup_id(p, (uint32_t)(uintptr_t)id, p->scope, XG_SIM_RANGES) : NULL;
        if (!range || (w.p[cut] == '0' && cut + 1 < w.n)) continue;
        for (number = 0, i = cut; i < w.n; i++) number = number * 10 + (uint64_t)(w.p[i] - '0');
        if (number >= range->count) continue;
        s = xg_sim_declare(p, w, XG_SIM_SYM_REG, range->scope & ~XG_SIM_RANGES, range->at);
        s->type = range->type;
        s->space = XG_SIM_REGS;
        s->reg = xg_sim_new_reg(p, (uint32_t)range->bytes);
        p->vregs.p[s->reg].name = (uint32_t)(w.p - p->src->text) + 1;
        if (range->bytes == 16) p->vregs.p[s->reg + 1].name = p->vregs.p[s->reg].name;
        return s;
    }
    return NULL;
}

/* ---- types ---- */

typedef struct xg_sim_type_row {
    char text[8];
    uint8_t bytes, bits;
    char cls;
} xg_sim_type_row;
XG_TABLE const xg_sim_type_row xg_sim_types[XG_SIM_TYPE_COUNT] = {
#define X(name, text, bytes, bits, cls) {text, bytes, bits, #cls[0]},
    XG_SIM_TYPES(X)
#undef X
};
XG_FN xg_sim_type xg_sim_type_of(xg_str word) { /* without the dot; NONE when it is no type */
    int i;
    for (i = 1; i < XG_SIM_TYPE_COUNT; i++)
        if (xg_str_is(word, xg_sim_types[i].text)) return (xg_sim_type)i;
    return XG_SIM_NONE;
}
XG_FN xg_str xg_sim_undot(xg_str s) { return xg_str_of(s.p + 1, s.n - 1); }

XG_FN xg_sim_type xg_sim_parse_type(xg_sim_asm *p) {
    xg_sim_type t = p->t.kind == XG_SIM_TK_DOT ? xg_sim_type_of(xg_sim_undot(p->t.text)) : XG_SIM_NONE;
    if (t == XG_SIM_NONE) xg_sim_unexpected(p, "a type such as .b32");
    xg_sim_next(p);
    return t;
}

/* ---- constant expressions ---- */

/* All of C's operators on integers, which are signed until one of them is not: a literal with U or beyond 63 bits, a
 * cast. */
typedef struct xg_sim_value {
    uint64_t v;
    bool is_unsigned;
} xg_sim_value;
/* X(level, text): what binds more strongly has a higher level, what is longer stands first. */
/* clang-format off */
#define XG_SIM_BINARY(X) \
    X(1, "||") \
    X(2, "&&") \
    X(6, "==") \
    X(6, "!=") \
    X(8, "<<") \
    X(8, ">>") \
    X(7, "<=") \
    X(7, ">=") \
    X(7, "<") \
    X(7, ">") \
    X(3, "|") \
    X(4, "^") \
    X(5, "&") \
    X(9, "+") \
    X(9, "-") \
    X(10, "*") \
    X(10, "/") \
    X(10, "%")
/* clang-format on */
enum {
    XG_SIM_LEVEL_ALL = 0 /* with ?: */,
    XG_SIM_LEVEL_SHIFT = 8 /* what may stand before the '>' of a register range */,
    XG_SIM_LEVEL_UNARY = 11
};

typedef struct xg_sim_binary_row {
    uint8_t level;
    char text[3];
} xg_sim_binary_row;
XG_TABLE const xg_sim_binary_row xg_sim_binaries[] = {
#define X(level, text) {level, text},
    XG_SIM_BINARY(X)
#undef X
};

XG_FN xg_sim_value xg_sim_value_of(uint64_t v, bool is_unsigned) {
    xg_sim_value x;
    x.v = v;
    x.is_unsigned = is_unsigned;
    return x;
}
XG_FN xg_sim_value xg_sim_expr_value(xg_sim_asm *p, int level, int depth);
XG_FN xg_sim_value xg_sim_expr_one(xg_sim_asm *p, int depth) {
    xg_sim_value x;
    if (depth > 64) xg_sim_limit(p, p->t.at, "the constant expression nests too deep");
    if (xg_sim_accept(p, '+')) return xg_sim_expr_one(p, depth + 1);
    if (xg_sim_accept(p, '-')) {
        x = xg_sim_expr_one(p, depth + 1);
        x.v = 0 - x.v;
        return x;
    }
    if (xg_sim_accept(p, '~')) {
        x = xg_sim_expr_one(p, depth + 1);
        x.v = ~x.v;
        return x;
    }
    if (xg_sim_accept(p, '!')) return xg_sim_value_of(!xg_sim_expr_one(p, depth + 1).v, false);
    if (xg_sim_accept(p, '(')) {
        if (p->t.kind == XG_SIM_TK_DOT) { /* a cast */
            const bool to_unsigned = p->t.text.n > 1 && p->t.text.p[1] == 'u';
            xg_sim_next(p);
            xg_sim_expect(p, ')');
            return xg_sim_value_of(xg_sim_expr_one(p, depth + 1).v, to_unsigned);
        }
        x = xg_sim_expr_value(p, XG_SIM_LEVEL_ALL, depth + 1);
        xg_sim_expect(p, ')');
        return x;
    }
    if (p->t.kind == XG_SIM_TK_WORD && xg_str_is(p->t.text, "WARP_SZ")) {
        xg_sim_next(p);
        return xg_sim_value_of(XG_SIM_WARP, false);
    }
    if (p->t.kind != XG_SIM_TK_NUM || p->t.number) xg_sim_unexpected(p, "an integer constant");
    x = xg_sim_value_of(p->t.value, p->t.value >> 63 || p->t.text.p[p->t.text.n - 1] == 'U');
    xg_sim_next(p);
    return x;
}
/* The operator that stands here: the first row that fits the text; NULL when none does or it binds less than
 * `level`. */
XG_FN const xg_sim_binary_row *xg_sim_binary_here(const xg_sim_asm *p, int level) {
    size_t i, n;
    if (p->t.kind != XG_SIM_TK_PUNCT) return NULL;
    for (i = 0; i < XG_COUNT(xg_sim_binaries); i++) {
        n = strlen(xg_sim_binaries[i].text);
        if (p->src->size - p->t.at >= n && memcmp(p->src->text + p->t.at, xg_sim_binaries[i].text, n) == 0)
            return xg_sim_binaries[i].level >= level ? &xg_sim_binaries[i] : NULL;
    }
    return NULL;
}
XG_FN uint64_t xg_sim_binary(
    xg_sim_asm *p, const char *op, xg_sim_value a, xg_sim_value b, bool is_unsigned, uint32_t at) {
    const bool both = is_unsigned || !((a.v | b.v) >> 63); /* signed and unsigned agree */
    const bool less = both ? a.v < b.v : (int64_t)a.v < (int64_t)b.v;
    if ((op[0] == '/' || op[0] == '%') && b.v == 0) xg_sim_wrong(p, at, "division by zero in a constant expression");
    switch (op[0]) {
    case '|': return op[1] ? a.v || b.v : a.v | b.v;
    case '&': return op[1] ? a.v && b.v : a.v & b.v;
    case '^': return a.v ^ b.v;
    case '=': return a.v == b.v;
    case '!': return a.v != b.v;
    case '<': return op[1] == '<' ? (b.v > 63 ? 0 : a.v << b.v) : op[1] ? less || a.v == b.v : less;
    case '>':
        if (op[1] == '>')
            return a.is_unsigned || !(a.v >> 63) ? (b.v > 63 ? 0 : a.v >> b.v) : ~(b.v > 63 ? 0 : ~a.v >> b.v);
        return op[1] ? !less : !less && a.v != b.v;
    case '+': return a.v + b.v;
    case '-': return a.v - b.v;
    case '*': return a.v * b.v;
    default: {
        const uint64_t x = both || !(a.v >> 63) ? a.v : 0 - a.v, y = both || !(b.v >> 63) ? b.v : 0 - b.v;
        const bool minus = !both && (op[0] == '%' ? a.v >> 63 : (a.v ^ b.v) >> 63);
        const uint64_t r = op[0] == '/' ? x / y : x % y;
        return minus ? 0 - r : r;
    }
    }
}
XG_FN xg_sim_value xg_sim_expr_value(xg_sim_asm *p, int level, int depth) {
    const xg_sim_binary_row *row;
    xg_sim_value a = xg_sim_expr_one(p, depth), b, c;
    while ((row = xg_sim_binary_here(p, level)) != NULL) {
        const uint32_t at = p->t.at;
        const bool truth = row->level <= 2 || row->level == 6 || row->level == 7;
        xg_sim_next(p);
        if (row->text[1]) xg_sim_next(p);
        b = xg_sim_expr_value(p, row->level + 1, depth + 1);
        c.is_unsigned = a.is_unsigned || (b.is_unsigned && row->level != 8);
        c.v = xg_sim_binary(p, row->text, a, b, c.is_unsigned, at);
        a = xg_sim_value_of(c.v, c.is_unsigned && !truth);
    }
    if (level > XG_SIM_LEVEL_ALL || !xg_sim_accept(p, '?')) return a;
    b = xg_sim_expr_value(p, XG_SIM_LEVEL_ALL, depth + 1);
    xg_sim_expect(p, ':');
    c = xg_sim_expr_value(p, XG_SIM_LEVEL_ALL, depth + 1);
    return xg_sim_value_of(a.v ? b.v : c.v, b.is_unsigned || c.is_unsigned);
}
XG_FN uint64_t xg_sim_expr(xg_sim_asm *p, int level) { return xg_sim_expr_value(p, level, 0).v; }
XG_FN uint32_t xg_sim_small(xg_sim_asm *p, const char *what, uint32_t max) {
    uint32_t at = p->t.at;
    uint64_t v = xg_sim_expr(p, XG_SIM_LEVEL_SHIFT);
    if (v > max) xg_sim_wrong(p, at, "%s may be at most %u", what, max);
    return (uint32_t)v;
}
XG_FN uint32_t xg_sim_align(xg_sim_asm *p) {
    uint32_t at = p->t.at, v = xg_sim_small(p, "an alignment", 1u << 20);
    if (!v || (v & (v - 1))) xg_sim_wrong(p, at, "an alignment must be a power of two, not %u", v);
    return v;
}

#endif /* XG_SIM_TEXT_C */
