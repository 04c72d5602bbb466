/* sim/parse.c -- PTX text to statements: tokens, scopes, declarations, operands.
 *
 * One pass, no tree: directives act at once (they declare symbols, lay out variables), an instruction is read into one xg_sim_stmt
 * and handed to xg_sim_decode. Names live in nested scopes; `.reg .b32 %r<100>` declares a range whose members come into being when
 * first used. Labels may be used before they are defined: branches are resolved when the function ends (flow.c).
 *
 * Laws: every token has its offset, so every error shows its place. Nesting is bounded by XG_SIM_NEST. Symbols are found by
 * (name id, scope id) in one hash table; no list is walked per use except the chain of enclosing scopes. */
#ifndef XG_SIM_PARSE_C
#define XG_SIM_PARSE_C
#include "moves.c"

enum { XG_SIM_NEST = 64, XG_SIM_MODS = 24, XG_SIM_OPERANDS = 16, XG_SIM_VECTOR = 128 };

typedef enum xg_sim_tk { XG_SIM_TK_END, XG_SIM_TK_WORD, XG_SIM_TK_DOT, XG_SIM_TK_NUM, XG_SIM_TK_STR, XG_SIM_TK_PUNCT } xg_sim_tk;
typedef struct xg_sim_tok {
    xg_sim_tk kind;
    xg_str text;
    uint32_t at;
    uint64_t value;   /* of a number: an integer, or the bits of a float */
    uint8_t number;   /* 0 integer, 4 f32 bits, 8 f64 bits */
} xg_sim_tok;

typedef enum xg_sim_symkind { XG_SIM_SYM_REG, XG_SIM_SYM_RANGE, XG_SIM_SYM_VAR, XG_SIM_SYM_LABEL, XG_SIM_SYM_FUNC, XG_SIM_SYM_TARGETS, XG_SIM_SYM_PROTO } xg_sim_symkind;
typedef struct xg_sim_sym {
    xg_sim_symkind kind;
    xg_sim_type type;
    xg_sim_space space;
    bool is_extern;
    xg_str name;
    uint32_t reg, count;      /* register, or size of a range */
    uint64_t offset, bytes;   /* of a variable: address or offset in its space */
    uint32_t align, at;
    uint32_t record;          /* of a label */
    uint32_t users, user;     /* of a shared variable: how many functions, the last one */
    xg_sim_func *func;
    uint32_t *targets, n_targets; /* of .branchtargets: label name ids */
    uint32_t scope;
} xg_sim_sym;

typedef struct xg_sim_const { uint64_t value; uint8_t bytes; xg_sim_sym *sym; uint32_t func; uint32_t offset; } xg_sim_const;
typedef struct xg_sim_vreg { uint8_t bytes; uint8_t local; uint32_t first, last, block, slot, name; } xg_sim_vreg; /* name: where it stands in the text, 1-based; 0 for ours */
typedef struct xg_sim_fix { uint32_t record, name, scope, at, list; } xg_sim_fix; /* a branch waiting for its label */

typedef enum xg_sim_ok { XG_SIM_O_REG, XG_SIM_O_NUM, XG_SIM_O_VAR, XG_SIM_O_FUNC, XG_SIM_O_LABEL, XG_SIM_O_VEC, XG_SIM_O_ADDR, XG_SIM_O_SREG, XG_SIM_O_SINK, XG_SIM_O_LIST } xg_sim_ok;
typedef struct xg_sim_operand {
    xg_sim_ok kind;
    uint32_t at;
    bool inverted, minus;           /* !p; -r of vmad */
    xg_str select;                  /* r.b1, r.h10: parts of a register, of video instructions */
    uint8_t number;                 /* as in xg_sim_tok */
    uint64_t value;                 /* number; or what is added to a base */
    xg_sim_sym *sym;
    xg_str word;                    /* label or special register */
    struct xg_sim_operand *pair;    /* p|q; the coordinates behind a tensor map's address */
    struct xg_sim_operand *items;   /* of a vector or list; the base of an address */
    uint32_t n;
} xg_sim_operand;

typedef struct xg_sim_stmt {
    uint32_t at;
    xg_str op;
    xg_str mods[XG_SIM_MODS];
    uint32_t mod_at[XG_SIM_MODS], n_mods, used; /* used: a bit per modifier that the decoder understood */
    xg_sim_operand o[XG_SIM_OPERANDS];
    uint32_t n;
    uint32_t guard;   /* operand code of the predicate or XG_SIM_NOREG */
    bool guard_not;
    uint32_t first;   /* its first record */
} xg_sim_stmt;

typedef struct xg_sim_asm {
    xg_ctx *c;
    xg_arena *a, scratch;       /* the module's; what dies with the load */
    const xg_source *src;
    size_t pos;
    xg_sim_tok t;
    xg_sim_module *m;
    xg_sim_func *f;             /* the function being read */
    xg_dict names, rows;        /* text to id; mnemonic to its row */
    xg_map64 syms;              /* (name id, scope id) to symbol */
    uint32_t n_names, n_scopes, scope, depth, parents_cap, *parents;
    uint32_t local;             /* bytes of local memory of this function so far */
    XG_VEC(xg_sim_vreg) vregs;
    XG_VEC(xg_sim_const) consts;
    uint32_t consts_placed;     /* how many have their offset */
    XG_VEC(xg_sim_fix) fixes;
    XG_VEC(xg_sim_ins) code;
    XG_VEC(uint32_t) list;
    XG_VEC(xg_sim_copy) copies;
    XG_VEC(xg_sim_callsite) sites;
    XG_VEC(uint32_t) calls;     /* callee ids of this function */
    XG_VEC(xg_sim_func *) funcs;
    XG_VEC(xg_sim_var) vars;
    XG_VEC(xg_sim_sym *) shared;
    XG_VEC(uint32_t) labels;    /* records that labels of this function stand at */
    xg_map64 const_map[3];      /* value to constant, by size */
    xg_sim_stmt *stmt;          /* the one being read */
    uint32_t carry;             /* the register of the carry flag of this function, NOREG until used */
    xg_sim_unit unit;           /* whose arithmetic functions the records get */
} xg_sim_asm;

XG_FN void xg_sim_decode(xg_sim_asm *p, xg_sim_stmt *s);      /* decode.c */
XG_FN void xg_sim_function_end(xg_sim_asm *p);                  /* flow.c */

#define XG_SIM_BAD(p, at, hint, ...) xg_fail_at((p)->c, XLAGPU_ERROR_SYNTAX, (p)->src, (at), (hint), __VA_ARGS__)
#define XG_SIM_UNSUPPORTED(p, at, hint, ...) xg_fail_at((p)->c, XLAGPU_ERROR_UNSUPPORTED, (p)->src, (at), (hint), __VA_ARGS__)

/* ---- tokens ---- */

XG_FN bool xg_sim_is_word(char ch) { return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || ch == '_' || ch == '$'; }
XG_FN bool xg_sim_is_digit(char ch) { return ch >= '0' && ch <= '9'; }

XG_FN void xg_sim_skip_line(xg_sim_asm *p) { while (p->pos < p->src->size && p->src->text[p->pos] != '\n') p->pos++; }

XG_FN void xg_sim_skip_space(xg_sim_asm *p) {
    const char *s = p->src->text;
    size_t n = p->src->size;
    for (;;) {
        while (p->pos < n && (s[p->pos] == ' ' || (s[p->pos] >= '\t' && s[p->pos] <= '\r'))) p->pos++;
        if (p->pos + 1 < n && s[p->pos] == '/' && s[p->pos + 1] == '/') xg_sim_skip_line(p);
        else if (p->pos + 1 < n && s[p->pos] == '/' && s[p->pos + 1] == '*') {
            size_t start = p->pos;
            for (p->pos += 2; p->pos + 1 < n && !(s[p->pos] == '*' && s[p->pos + 1] == '/'); p->pos++) {}
            if (p->pos + 1 >= n) XG_SIM_BAD(p, start, "close it with */", "a comment without end");
            p->pos += 2;
        } else if (p->pos < n && s[p->pos] == '#' && (p->pos == 0 || s[p->pos - 1] == '\n')) xg_sim_skip_line(p);
        else return;
    }
}

XG_FN int xg_sim_hex(char ch) { return ch >= '0' && ch <= '9' ? ch - '0' : ch >= 'a' && ch <= 'f' ? ch - 'a' + 10 : ch >= 'A' && ch <= 'F' ? ch - 'A' + 10 : 99; }

/* 1.5, 2.5e-3: a float constant in decimal; the dot is at `dot`. */
XG_FN void xg_sim_decimal(xg_sim_asm *p, size_t dot) {
    const char *s = p->src->text + p->pos;
    size_t n = p->src->size - p->pos, i = dot + 1, sign;
    double d = 0;
    bool overflow;
    while (i < n && xg_sim_is_digit(s[i])) i++;
    if (i < n && (s[i] | 32) == 'e') {
        sign = i + 1 < n && (s[i + 1] == '+' || s[i + 1] == '-');
        if (i + 1 + sign < n && xg_sim_is_digit(s[i + 1 + sign])) for (i += 1 + sign; i < n && xg_sim_is_digit(s[i]); i++) {}
    }
    if (i < n && xg_sim_is_word(s[i])) XG_SIM_BAD(p, p->pos + i, NULL, "'%c' does not belong to a number", s[i]);
    if (!xg_float_parse(s, i, &d, &overflow)) XG_SIM_BAD(p, p->pos, NULL, "not a number");
    p->t.value = xg_sim_bits_f64(d);
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
    if (i < n && s[i] == '.' && base == 10) { xg_sim_decimal(p, i); return; }
    i = 0;
    if (s[0] == '0' && (second == 'f' || second == 'd' || second == 'x' || second == 'b')) {
        base = second == 'b' ? 2 : 16;
        if (second == 'f') p->t.number = 4;
        if (second == 'd') p->t.number = 8;
        i = 2;
    } else if (s[0] == '0') base = 8;
    for (digits = i; i < n && xg_sim_hex(s[i]) < base; i++) {
        if (v > (UINT64_MAX - (uint64_t)xg_sim_hex(s[i])) / (uint64_t)base) XG_SIM_BAD(p, p->pos, NULL, "the number does not fit 64 bits");
        v = v * (uint64_t)base + (uint64_t)xg_sim_hex(s[i]);
    }
    if (i == digits) XG_SIM_BAD(p, p->pos, NULL, "a number without digits");
    if (p->t.number && i - digits != (size_t)p->t.number * 2) XG_SIM_BAD(p, p->pos, "0f takes 8 hex digits, 0d takes 16", "a float constant with %zu digits", i - digits);
    if (!p->t.number && i < n && s[i] == 'U') i++;
    if (i < n && xg_sim_is_word(s[i])) XG_SIM_BAD(p, p->pos + i, NULL, "'%c' does not belong to a number", s[i]);
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
    if (start >= n) { p->t.kind = XG_SIM_TK_END; p->t.text = xg_str_of("end of text", 11); return; }
    if (xg_sim_is_digit(s[start])) xg_sim_number(p);
    else if (xg_sim_is_word(s[start]) || (s[start] == '%' && start + 1 < n && xg_sim_is_word(s[start + 1]))) {
        p->t.kind = XG_SIM_TK_WORD;
        for (p->pos++; p->pos < n && xg_sim_is_word(s[p->pos]); p->pos++) {}
    } else if (s[start] == '.' && start + 1 < n && xg_sim_is_word(s[start + 1])) {
        p->t.kind = XG_SIM_TK_DOT;
        for (p->pos++; p->pos < n; p->pos++) {
            if (s[p->pos] == ':' && p->pos + 2 < n && s[p->pos + 1] == ':' && xg_sim_is_word(s[p->pos + 2])) { p->pos += 2; continue; }
            if (!xg_sim_is_word(s[p->pos])) break;
        }
    } else if (s[start] == '"') {
        p->t.kind = XG_SIM_TK_STR;
        for (p->pos++; p->pos < n && s[p->pos] != '"' && s[p->pos] != '\n'; p->pos++) {}
        if (p->pos >= n || s[p->pos] != '"') XG_SIM_BAD(p, start, "close it with \"", "a string without end");
        p->pos++;
    } else { p->t.kind = XG_SIM_TK_PUNCT; p->pos++; }
    p->t.text = xg_str_of(s + start, p->pos - start);
}

XG_FN bool xg_sim_is(const xg_sim_asm *p, char ch) { return p->t.kind == XG_SIM_TK_PUNCT && p->t.text.p[0] == ch; }
XG_FN bool xg_sim_accept(xg_sim_asm *p, char ch) { if (!xg_sim_is(p, ch)) return false; xg_sim_next(p); return true; }
XG_NORETURN XG_FN void xg_sim_unexpected(xg_sim_asm *p, const char *wanted) {
    XG_SIM_BAD(p, p->t.at, NULL, "expected %s, found '%.*s'", wanted, (int)XG_MIN(p->t.text.n, 60u), p->t.text.p);
}
XG_FN void xg_sim_expect(xg_sim_asm *p, char ch) {
    char what[4];
    what[0] = what[2] = '\''; what[1] = ch; what[3] = 0;
    if (!xg_sim_accept(p, ch)) xg_sim_unexpected(p, what);
}
XG_FN bool xg_sim_dot(const xg_sim_asm *p, const char *word) { return p->t.kind == XG_SIM_TK_DOT && p->t.text.n == strlen(word) + 1 && memcmp(p->t.text.p + 1, word, p->t.text.n - 1) == 0; }
XG_FN bool xg_sim_accept_dot(xg_sim_asm *p, const char *word) { if (!xg_sim_dot(p, word)) return false; xg_sim_next(p); return true; }

/* ---- names and scopes ---- */

XG_FN uint32_t xg_sim_name(xg_sim_asm *p, xg_str s) {
    void *v = xg_dict_get(&p->names, s);
    if (!v) { v = (void *)(uintptr_t)++p->n_names; xg_dict_put(&p->names, s, v); }
    return (uint32_t)(uintptr_t)v;
}
XG_FN void xg_sim_scope_push(xg_sim_asm *p, uint32_t at) {
    if (++p->depth > XG_SIM_NEST) xg_fail_at(p->c, XLAGPU_ERROR_LIMIT, p->src, at, NULL, "blocks nest deeper than %d", (int)XG_SIM_NEST);
    p->n_scopes++;
    if (p->n_scopes >= p->parents_cap) p->parents = (uint32_t *)xg_vec_grow(&p->scratch, p->parents, &p->parents_cap, sizeof(uint32_t));
    p->parents[p->n_scopes] = p->scope;
    p->scope = p->n_scopes;
}
XG_FN void xg_sim_scope_pop(xg_sim_asm *p) { p->scope = p->parents[p->scope]; p->depth--; }

XG_FN xg_sim_sym *xg_sim_lookup_id(const xg_sim_asm *p, uint32_t name, uint32_t scope) {
    for (;;) {
        xg_sim_sym *s = (xg_sim_sym *)xg_map64_get(&p->syms, (uint64_t)name << 32 | scope);
        if (s || scope == 0) return s;
        scope = p->parents[scope];
    }
}
XG_FN xg_sim_sym *xg_sim_declare(xg_sim_asm *p, xg_str name, xg_sim_symkind kind, uint32_t scope, uint32_t at) {
    uint64_t key = (uint64_t)xg_sim_name(p, name) << 32 | scope;
    xg_sim_sym *s = (xg_sim_sym *)xg_map64_get(&p->syms, key);
    if (s && !(kind == XG_SIM_SYM_VAR && s->kind == XG_SIM_SYM_VAR && s->is_extern)) XG_SIM_BAD(p, at, NULL, "'%.*s' is declared twice in this scope", (int)name.n, name.p);
    if (!s) { s = XG_NEW(&p->scratch, xg_sim_sym); xg_map64_put(&p->syms, key, s); }
    s->kind = kind;
    s->name = name;
    s->at = at;
    s->scope = scope;
    return s;
}
XG_FN uint32_t xg_sim_new_reg(xg_sim_asm *p, uint32_t bytes) { /* one of 16 bytes is two, one behind the other */
    xg_sim_vreg r;
    if (bytes == 16) { uint32_t low = xg_sim_new_reg(p, 8); xg_sim_new_reg(p, 8); return low; }
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
    if (id) s = xg_sim_lookup_id(p, (uint32_t)(uintptr_t)id, p->scope);
    if (s && s->kind != XG_SIM_SYM_RANGE) return s;
    while (cut > 1 && xg_sim_is_digit(w.p[cut - 1]) && w.n - cut < 9) cut--;
    for (; cut < w.n; cut++) { /* the longest number first: %r1<10> declares %r10 while %r<100> does too */
        id = xg_dict_get(&p->names, xg_str_of(w.p, cut));
        range = id ? xg_sim_lookup_id(p, (uint32_t)(uintptr_t)id, p->scope) : NULL;
        if (!range || range->kind != XG_SIM_SYM_RANGE || (w.p[cut] == '0' && cut + 1 < w.n)) continue;
        for (number = 0, i = cut; i < w.n; i++) number = number * 10 + (uint64_t)(w.p[i] - '0');
        if (number >= range->count) continue;
        s = xg_sim_declare(p, w, XG_SIM_SYM_REG, range->scope, range->at);
        s->type = range->type;
        s->space = XG_SIM_REGS;
        s->reg = xg_sim_new_reg(p, range->bytes);
        p->vregs.p[s->reg].name = (uint32_t)(w.p - p->src->text) + 1;
        if (range->bytes == 16) p->vregs.p[s->reg + 1].name = p->vregs.p[s->reg].name;
        return s;
    }
    return NULL;
}

/* ---- types ---- */

typedef struct xg_sim_type_row { const char *text; uint8_t bytes, bits; char cls; } xg_sim_type_row;
static const xg_sim_type_row xg_sim_types[XG_SIM_TYPE_COUNT] = {
#define X(name, text, bytes, bits, cls) {text, bytes, bits, #cls[0]},
    XG_SIM_TYPES(X)
#undef X
};
XG_FN xg_sim_type xg_sim_type_of(xg_str word) { /* without the dot; NONE when it is no type */
    int i;
    for (i = 1; i < XG_SIM_TYPE_COUNT; i++) if (xg_str_is(word, xg_sim_types[i].text)) return (xg_sim_type)i;
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

XG_FN uint64_t xg_sim_expr(xg_sim_asm *p, int level, int depth);
XG_FN uint64_t xg_sim_expr_unary(xg_sim_asm *p, int depth) {
    uint64_t v;
    if (depth > 32) xg_fail_at(p->c, XLAGPU_ERROR_LIMIT, p->src, p->t.at, NULL, "the constant expression nests too deep");
    if (xg_sim_accept(p, '-')) return 0 - xg_sim_expr_unary(p, depth + 1);
    if (xg_sim_accept(p, '+')) return xg_sim_expr_unary(p, depth + 1);
    if (xg_sim_accept(p, '~')) return ~xg_sim_expr_unary(p, depth + 1);
    if (xg_sim_accept(p, '!')) return !xg_sim_expr_unary(p, depth + 1);
    if (xg_sim_accept(p, '(')) {
        if (p->t.kind == XG_SIM_TK_DOT) { xg_sim_next(p); xg_sim_expect(p, ')'); return xg_sim_expr_unary(p, depth + 1); } /* a cast (.u64) */
        v = xg_sim_expr(p, 0, depth + 1);
        xg_sim_expect(p, ')');
        return v;
    }
    if (p->t.kind == XG_SIM_TK_WORD && xg_str_is(p->t.text, "WARP_SZ")) { xg_sim_next(p); return XG_SIM_WARP; }
    if (p->t.kind != XG_SIM_TK_NUM || p->t.number) xg_sim_unexpected(p, "an integer constant");
    v = p->t.value;
    xg_sim_next(p);
    return v;
}
/* Levels: 0 or, 1 xor, 2 and, 3 shifts, 4 sums, 5 products. */
XG_FN uint64_t xg_sim_expr(xg_sim_asm *p, int level, int depth) {
    static const char *const ops[6] = {"|", "^", "&", "<>", "+-", "*/%"};
    uint64_t a = level == 5 ? xg_sim_expr_unary(p, depth) : xg_sim_expr(p, level + 1, depth), b;
    while (p->t.kind == XG_SIM_TK_PUNCT && p->t.text.p[0] && strchr(ops[level], p->t.text.p[0])) {
        char op = p->t.text.p[0];
        uint32_t at = p->t.at;
        if (level == 3 && (p->pos >= p->src->size || p->src->text[p->pos] != op)) break; /* the '>' of a register range */
        xg_sim_next(p);
        if (level == 3) xg_sim_next(p);
        b = level == 5 ? xg_sim_expr_unary(p, depth) : xg_sim_expr(p, level + 1, depth);
        if ((op == '/' || op == '%') && b == 0) XG_SIM_BAD(p, at, NULL, "division by zero in a constant expression");
        if (op == '|') a |= b;
        else if (op == '^') a ^= b;
        else if (op == '&') a &= b;
        else if (op == '<') a = b > 63 ? 0 : a << b;
        else if (op == '>') a = b > 63 ? 0 : a >> b;
        else if (op == '+') a += b;
        else if (op == '-') a -= b;
        else if (op == '*') a *= b;
        else if (op == '/') a /= b;
        else a %= b;
    }
    return a;
}
XG_FN uint32_t xg_sim_small(xg_sim_asm *p, const char *what, uint32_t max) {
    uint32_t at = p->t.at;
    uint64_t v = xg_sim_expr(p, 0, 0);
    if (v > max) XG_SIM_BAD(p, at, NULL, "%s may be at most %u", what, max);
    return (uint32_t)v;
}
XG_FN uint32_t xg_sim_align(xg_sim_asm *p) {
    uint32_t at = p->t.at, v = xg_sim_small(p, "an alignment", 1u << 20);
    if (!v || (v & (v - 1))) XG_SIM_BAD(p, at, NULL, "an alignment must be a power of two, not %u", v);
    return v;
}

/* ---- operands ---- */

XG_FN void xg_sim_operand_word(xg_sim_asm *p, xg_sim_operand *o) {
    xg_sim_sym *s = xg_sim_lookup(p, p->t.text);
    o->word = p->t.text;
    o->sym = s;
    if (xg_str_is(p->t.text, "_")) o->kind = XG_SIM_O_SINK;
    else if (xg_str_is(p->t.text, "WARP_SZ")) { o->kind = XG_SIM_O_NUM; o->value = XG_SIM_WARP; }
    else if (!s) o->kind = p->t.text.p[0] == '%' ? XG_SIM_O_SREG : XG_SIM_O_LABEL;
    else if (s->kind == XG_SIM_SYM_REG) o->kind = XG_SIM_O_REG;
    else if (s->kind == XG_SIM_SYM_VAR) o->kind = XG_SIM_O_VAR;
    else if (s->kind == XG_SIM_SYM_FUNC) o->kind = XG_SIM_O_FUNC;
    else o->kind = XG_SIM_O_LABEL;
    xg_sim_next(p);
    if (o->kind == XG_SIM_O_SREG && p->t.kind == XG_SIM_TK_DOT && p->t.text.n == 2) {
        o->word = xg_str_of(o->word.p, (size_t)(p->t.text.p + 2 - o->word.p));
        xg_sim_next(p);
    }
    if (o->kind == XG_SIM_O_REG && p->t.kind == XG_SIM_TK_DOT && p->stmt->op.n && p->stmt->op.p[0] == 'v') { o->select = p->t.text; xg_sim_next(p); }
    if (o->kind == XG_SIM_O_VAR && (xg_sim_is(p, '+') || xg_sim_is(p, '-'))) o->value = xg_sim_expr_unary(p, 0);
}

XG_FN void xg_sim_operand_read(xg_sim_asm *p, xg_sim_operand *o, int depth) {
    memset(o, 0, sizeof *o);
    o->at = p->t.at;
    if (depth > 2) XG_SIM_BAD(p, p->t.at, NULL, "operands nest too deep");
    if (xg_sim_accept(p, '!')) o->inverted = true;
    if (xg_sim_is(p, '{') || (depth == 0 && xg_sim_is(p, '(') && !o->inverted)) {
        bool vec = xg_sim_is(p, '{');
        XG_VEC(xg_sim_operand) v = {NULL, 0, 0};
        xg_sim_operand item;
        o->kind = vec ? XG_SIM_O_VEC : XG_SIM_O_LIST;
        xg_sim_next(p);
        while (!xg_sim_is(p, vec ? '}' : ')')) {
            xg_sim_operand_read(p, &item, depth + 1);
            if (v.n >= XG_SIM_VECTOR * 4) xg_fail_at(p->c, XLAGPU_ERROR_LIMIT, p->src, o->at, NULL, "a vector of more than %d items", XG_SIM_VECTOR * 4);
            xg_push(&p->scratch, xg_sim_operand, &v, item);
            if (!xg_sim_accept(p, ',')) break;
        }
        xg_sim_expect(p, vec ? '}' : ')');
        o->items = v.p;
        o->n = v.n;
    } else if (xg_sim_accept(p, '[')) {
        o->kind = XG_SIM_O_ADDR;
        o->items = XG_NEW(&p->scratch, xg_sim_operand);
        o->n = 1;
        xg_sim_operand_read(p, o->items, depth + 1);
        if (o->items->kind != XG_SIM_O_REG && o->items->kind != XG_SIM_O_VAR && o->items->kind != XG_SIM_O_NUM)
            XG_SIM_BAD(p, o->items->at, "an address is [register], [register+offset], [variable+offset] or [number]", "not an address");
        if (xg_sim_is(p, '+') || xg_sim_is(p, '-')) {
            xg_sim_accept(p, '+');
            o->value = xg_sim_expr(p, 0, 0);
        }
        if (xg_sim_accept(p, ',')) { /* a tensor map and the place of a box in it */
            o->pair = XG_NEW(&p->scratch, xg_sim_operand);
            xg_sim_operand_read(p, o->pair, depth + 1);
        }
        xg_sim_expect(p, ']');
    } else if (p->t.kind == XG_SIM_TK_WORD) xg_sim_operand_word(p, o);
    else if (p->t.kind == XG_SIM_TK_NUM && p->t.number) {
        o->kind = XG_SIM_O_NUM;
        o->value = p->t.value;
        o->number = p->t.number;
        xg_sim_next(p);
    } else if (p->t.kind == XG_SIM_TK_NUM || xg_sim_is(p, '-') || xg_sim_is(p, '+') || xg_sim_is(p, '~') || xg_sim_is(p, '(')) {
        bool minus = xg_sim_is(p, '-');
        o->kind = XG_SIM_O_NUM;
        if (minus) xg_sim_next(p);
        if (minus && p->t.kind == XG_SIM_TK_NUM && p->t.number) {
            o->number = p->t.number;
            o->value = p->t.value ^ (uint64_t)1 << (o->number * 8 - 1);
            xg_sim_next(p);
        } else if (minus && p->t.kind == XG_SIM_TK_WORD && xg_str_is(p->stmt->op, "vmad")) { xg_sim_operand_word(p, o); o->minus = true; }
        else o->value = minus ? 0 - xg_sim_expr(p, 5, 0) : xg_sim_expr(p, 0, 0);
    } else xg_sim_unexpected(p, "an operand");
    if (depth == 0 && (o->kind == XG_SIM_O_REG || o->kind == XG_SIM_O_SINK) && xg_sim_accept(p, '|')) {
        o->pair = XG_NEW(&p->scratch, xg_sim_operand);
        xg_sim_operand_read(p, o->pair, 1);
    }
}

/* ---- variables ---- */

/* What a pointer to a function is: nothing that could be read. */
XG_FN uint64_t xg_sim_function_address(const xg_sim_func *f) { return (uint64_t)0x7F << 56 | (uint64_t)(f->id + 1) << 4; }

XG_FN void xg_sim_put_value(xg_sim_asm *p, char *out, xg_sim_type type, uint64_t room) {
    uint32_t at = p->t.at, bytes = xg_sim_types[type].bytes;
    uint64_t v;
    if (bytes > room) XG_SIM_BAD(p, at, NULL, "more initial values than the variable has room for");
    if (p->t.kind == XG_SIM_TK_NUM && p->t.number) {
        v = p->t.value;
        if (p->t.number == 8 && bytes == 4) v = xg_sim_pack(xg_sim_unpack(v, XG_SIM_IS_F64), XG_SIM_IS_F32, XG_SIM_RN, false);
        if (p->t.number == 4 && bytes == 8) v = xg_sim_pack(xg_sim_unpack(v, XG_SIM_IS_F32), XG_SIM_IS_F64, XG_SIM_RN, false);
        xg_sim_next(p);
    } else if (p->t.kind == XG_SIM_TK_WORD && !xg_str_is(p->t.text, "WARP_SZ")) {
        xg_sim_sym *s;
        bool generic = xg_str_is(p->t.text, "generic");
        if (generic) { xg_sim_next(p); xg_sim_expect(p, '('); }
        s = p->t.kind == XG_SIM_TK_WORD ? xg_sim_lookup(p, p->t.text) : NULL;
        if (s && s->kind == XG_SIM_SYM_FUNC) { v = xg_sim_function_address(s->func); memcpy(out, &v, bytes > 8 ? 8 : bytes); xg_sim_next(p); if (generic) xg_sim_expect(p, ')'); return; }
        if (!s || s->kind != XG_SIM_SYM_VAR || (s->space != XG_SIM_GLOBAL && s->space != XG_SIM_CONST))
            XG_SIM_UNSUPPORTED(p, p->t.at, "only addresses of functions and of .global and .const variables defined before", "this initial value is not supported");
        v = s->offset;
        xg_sim_next(p);
        if (generic) xg_sim_expect(p, ')');
        if (xg_sim_is(p, '+') || xg_sim_is(p, '-')) v += xg_sim_expr_unary(p, 0);
    } else v = xg_sim_expr(p, 0, 0);
    memcpy(out, &v, bytes > 8 ? 8 : bytes);
}

XG_FN void xg_sim_initialise(xg_sim_asm *p, xg_sim_sym *s, xg_sim_type type, uint64_t bytes) {
    char *out = (char *)(uintptr_t)s->offset;
    uint64_t at = 0, step = xg_sim_types[type].bytes;
    int depth = 0;
    do {
        while (xg_sim_accept(p, '{')) depth++;
        if (!xg_sim_is(p, '}')) { xg_sim_put_value(p, out + at, type, bytes - at); at += step; }
        while (depth && xg_sim_accept(p, '}')) depth--;
    } while (depth && (xg_sim_accept(p, ','), true) && p->t.kind != XG_SIM_TK_END);
}

XG_FN uint64_t xg_sim_dimensions(xg_sim_asm *p, uint64_t item, bool *open) {
    int64_t total = (int64_t)item;
    *open = false;
    while (xg_sim_accept(p, '[')) {
        uint32_t at = p->t.at;
        if (xg_sim_is(p, ']')) *open = true;
        else {
            uint64_t n = xg_sim_expr(p, 0, 0);
            if (n > (uint64_t)1 << 40 || !xg_mul64(total, (int64_t)n, &total) || total > (int64_t)1 << 40) xg_fail_at(p->c, XLAGPU_ERROR_LIMIT, p->src, at, NULL, "the variable is larger than 2^40 bytes");
        }
        xg_sim_expect(p, ']');
    }
    return (uint64_t)total;
}

XG_FN uint32_t xg_sim_frame_local(xg_sim_asm *p, uint64_t bytes, uint32_t align, uint32_t at) {
    uint64_t start = ((uint64_t)p->local + align - 1) / align * align;
    if (start + bytes > 1u << 24) xg_fail_at(p->c, XLAGPU_ERROR_LIMIT, p->src, at, NULL, "more than 16 MiB of local memory a thread");
    p->local = (uint32_t)(start + bytes);
    return (uint32_t)start;
}

/* Gives a variable its place; the bytes of .global and .const ones live in the module's arena. */
XG_FN void xg_sim_place(xg_sim_asm *p, xg_sim_sym *s) {
    if (s->space == XG_SIM_SHARED) { s->offset = XG_SIM_NOREG; xg_push(&p->scratch, xg_sim_sym *, &p->shared, s); }
    else if (s->space == XG_SIM_LOCAL) s->offset = xg_sim_frame_local(p, s->bytes, s->align, s->at);
    else {
        xg_sim_var v;
        char *mem;
        if (s->bytes > 1u << 30) xg_fail_at(p->c, XLAGPU_ERROR_LIMIT, p->src, s->at, NULL, "a variable of more than 1 GiB");
        mem = (char *)xg_alloc(p->a, xg_add(p->c, (size_t)s->bytes, s->align));
        s->offset = ((uint64_t)(uintptr_t)mem + s->align - 1) / s->align * s->align;
        memset(&v, 0, sizeof v);
        v.name = xg_str_copy(p->a, s->name);
        v.address = s->offset;
        v.bytes = s->bytes;
        v.readonly = s->space == XG_SIM_CONST;
        xg_push(&p->scratch, xg_sim_var, &p->vars, v);
    }
}

/* `.shared .align 16 .b8 name[64] = {...}, other;` from the first word after the space. */
XG_FN void xg_sim_variables(xg_sim_asm *p, xg_sim_space space, bool is_extern) {
    uint32_t align = 0, lanes = 1;
    xg_sim_type type;
    for (;;) {
        if (xg_sim_accept_dot(p, "align")) align = xg_sim_align(p);
        else if (xg_sim_accept_dot(p, "v2")) lanes = 2;
        else if (xg_sim_accept_dot(p, "v4")) lanes = 4;
        else if (xg_sim_accept_dot(p, "attribute")) { xg_sim_expect(p, '('); while (!xg_sim_is(p, ')') && p->t.kind != XG_SIM_TK_END) xg_sim_next(p); xg_sim_expect(p, ')'); }
        else break;
    }
    type = xg_sim_parse_type(p);
    do {
        bool open;
        xg_str name = p->t.text;
        uint32_t at = p->t.at;
        xg_sim_sym *s;
        if (p->t.kind != XG_SIM_TK_WORD) xg_sim_unexpected(p, "the name of a variable");
        s = xg_sim_declare(p, name, XG_SIM_SYM_VAR, p->scope, at);
        xg_sim_next(p);
        s->type = type;
        s->space = space;
        s->is_extern = is_extern;
        s->align = XG_MAX(align, XG_MAX(1u, xg_sim_types[type].bytes * lanes));
        s->bytes = xg_sim_dimensions(p, (uint64_t)xg_sim_types[type].bytes * lanes, &open);
        if (open && space == XG_SIM_SHARED) { s->bytes = 0; s->is_extern = true; }
        else if (open) XG_SIM_UNSUPPORTED(p, at, "give the array its size", "an array without size");
        if (is_extern && space != XG_SIM_SHARED) XG_SIM_UNSUPPORTED(p, at, "link the module that defines it", "the variable '%.*s' is defined elsewhere", (int)name.n, name.p);
        xg_sim_place(p, s);
        if (xg_sim_accept(p, '=')) {
            if (space != XG_SIM_GLOBAL && space != XG_SIM_CONST) XG_SIM_BAD(p, at, NULL, "only .global and .const variables can have initial values");
            xg_sim_initialise(p, s, type, s->bytes);
        }
    } while (xg_sim_accept(p, ','));
    xg_sim_expect(p, ';');
}

XG_FN void xg_sim_registers(xg_sim_asm *p) {
    xg_sim_type type;
    if (xg_sim_dot(p, "v2") || xg_sim_dot(p, "v4")) XG_SIM_UNSUPPORTED(p, p->t.at, "declare scalar registers and use {a,b} where a vector is needed", "vector registers are not supported");
    type = xg_sim_parse_type(p);
    do {
        xg_str name = p->t.text;
        xg_sim_sym *s;
        uint32_t at = p->t.at;
        if (p->t.kind != XG_SIM_TK_WORD) xg_sim_unexpected(p, "the name of a register");
        xg_sim_next(p);
        if (xg_sim_accept(p, '<')) {
            s = xg_sim_declare(p, name, XG_SIM_SYM_RANGE, p->scope, at);
            s->count = xg_sim_small(p, "a register count", 1u << 30);
            xg_sim_expect(p, '>');
        } else {
            s = xg_sim_declare(p, name, XG_SIM_SYM_REG, p->scope, at);
            s->reg = xg_sim_new_reg(p, xg_sim_types[type].bytes);
            p->vregs.p[s->reg].name = at + 1;
        }
        s->type = type;
        s->space = XG_SIM_REGS;
        s->bytes = xg_sim_types[type].bytes;
    } while (xg_sim_accept(p, ','));
    xg_sim_expect(p, ';');
}

/* ---- function bodies ---- */

XG_FN void xg_sim_modifiers(xg_sim_asm *p, xg_sim_stmt *s) {
    while (p->t.kind == XG_SIM_TK_DOT) {
        if (s->n_mods >= XG_SIM_MODS) XG_SIM_BAD(p, p->t.at, NULL, "more than %d modifiers", (int)XG_SIM_MODS);
        s->mods[s->n_mods] = xg_sim_undot(p->t.text);
        s->mod_at[s->n_mods++] = p->t.at;
        xg_sim_next(p);
    }
}

XG_FN void xg_sim_instruction(xg_sim_asm *p, uint32_t guard, bool guard_not) {
    xg_sim_stmt *s = p->stmt;
    memset(s, 0, sizeof *s);
    s->at = p->t.at;
    s->op = p->t.text;
    s->guard = guard;
    s->guard_not = guard_not;
    if (p->t.kind != XG_SIM_TK_WORD) xg_sim_unexpected(p, "an instruction");
    xg_sim_next(p);
    xg_sim_modifiers(p, s);
    while (!xg_sim_is(p, ';')) {
        if (s->n >= XG_SIM_OPERANDS) XG_SIM_BAD(p, p->t.at, NULL, "more than %d operands", (int)XG_SIM_OPERANDS);
        xg_sim_operand_read(p, &s->o[s->n++], 0);
        if (!xg_sim_accept(p, ',')) break;
    }
    xg_sim_expect(p, ';');
    s->first = p->code.n;
    xg_sim_decode(p, s);
}

XG_FN void xg_sim_label(xg_sim_asm *p, xg_str name, uint32_t at) {
    xg_sim_sym *s;
    if (xg_sim_dot(p, "branchtargets")) {
        XG_VEC(uint32_t) v = {NULL, 0, 0};
        s = xg_sim_declare(p, name, XG_SIM_SYM_TARGETS, p->scope, at);
        do { xg_sim_next(p); if (p->t.kind != XG_SIM_TK_WORD) xg_sim_unexpected(p, "a label"); xg_push(&p->scratch, uint32_t, &v, xg_sim_name(p, p->t.text)); xg_sim_next(p); } while (xg_sim_is(p, ','));
        xg_sim_expect(p, ';');
        s->targets = v.p;
        s->n_targets = v.n;
    } else if (xg_sim_dot(p, "callprototype") || xg_sim_dot(p, "calltargets")) {
        xg_sim_declare(p, name, XG_SIM_SYM_PROTO, p->scope, at);
        while (!xg_sim_is(p, ';') && p->t.kind != XG_SIM_TK_END) xg_sim_next(p);
        xg_sim_expect(p, ';');
    } else {
        s = xg_sim_declare(p, name, XG_SIM_SYM_LABEL, p->scope, at);
        s->record = p->code.n;
        xg_push(&p->scratch, uint32_t, &p->labels, p->code.n);
    }
}

XG_FN void xg_sim_body_directive(xg_sim_asm *p) {
    if (xg_sim_accept_dot(p, "reg")) xg_sim_registers(p);
    else if (xg_sim_accept_dot(p, "shared")) xg_sim_variables(p, XG_SIM_SHARED, false);
    else if (xg_sim_accept_dot(p, "local") || xg_sim_accept_dot(p, "param")) xg_sim_variables(p, XG_SIM_LOCAL, false);
    else if (xg_sim_accept_dot(p, "global")) xg_sim_variables(p, XG_SIM_GLOBAL, false);
    else if (xg_sim_accept_dot(p, "const")) xg_sim_variables(p, XG_SIM_CONST, false);
    else if (xg_sim_dot(p, "loc") || xg_sim_dot(p, "file")) { xg_sim_skip_line(p); xg_sim_next(p); }
    else if (xg_sim_accept_dot(p, "pragma")) { while (p->t.kind == XG_SIM_TK_STR || xg_sim_is(p, ',')) xg_sim_next(p); xg_sim_expect(p, ';'); }
    else if (xg_sim_accept_dot(p, "extern")) { if (!xg_sim_accept_dot(p, "shared")) xg_sim_unexpected(p, ".shared"); xg_sim_variables(p, XG_SIM_SHARED, true); }
    else XG_SIM_UNSUPPORTED(p, p->t.at, NULL, "the directive '%.*s' is not known inside a function", (int)p->t.text.n, p->t.text.p);
}

XG_FN void xg_sim_body(xg_sim_asm *p) { /* after '{', up to the matching '}' */
    uint32_t outer = p->depth;
    xg_sim_scope_push(p, p->t.at);
    while (p->depth > outer) {
        uint32_t guard = XG_SIM_NOREG, at = p->t.at;
        bool guard_not = false;
        if (p->t.kind == XG_SIM_TK_END) XG_SIM_BAD(p, at, "close it with }", "the function has no end");
        if (xg_sim_accept(p, '{')) { xg_sim_scope_push(p, at); continue; }
        if (xg_sim_is(p, '}')) { xg_sim_scope_pop(p); if (p->depth > outer) xg_sim_next(p); continue; }
        if (xg_sim_accept(p, ';')) continue;
        if (p->t.kind == XG_SIM_TK_DOT) { xg_sim_body_directive(p); continue; }
        if (xg_sim_accept(p, '@')) {
            xg_sim_sym *s;
            if (xg_sim_is(p, '@')) { xg_sim_skip_line(p); xg_sim_next(p); continue; }
            guard_not = xg_sim_accept(p, '!');
            s = p->t.kind == XG_SIM_TK_WORD ? xg_sim_lookup(p, p->t.text) : NULL;
            if (!s || s->kind != XG_SIM_SYM_REG || s->type != XG_SIM_PRED) XG_SIM_BAD(p, p->t.at, "@p or @!p with a .pred register", "'%.*s' is not a predicate", (int)p->t.text.n, p->t.text.p);
            guard = s->reg << 1;
            xg_sim_next(p);
        } else if (p->t.kind == XG_SIM_TK_WORD) {
            xg_str name = p->t.text;
            size_t back = p->pos;
            xg_sim_tok t = p->t;
            xg_sim_next(p);
            if (xg_sim_accept(p, ':')) { xg_sim_label(p, name, at); continue; }
            p->pos = back;
            p->t = t;
        }
        xg_sim_instruction(p, guard, guard_not);
    }
    xg_sim_expect(p, '}');
}

/* ---- entries and functions ---- */

XG_FN void xg_sim_formal_param(xg_sim_asm *p, xg_sim_func *f, xg_sim_param *out, xg_sim_formal *formal, uint32_t *offset) {
    uint32_t align = 0, at;
    bool open, reg = xg_sim_accept_dot(p, "reg");
    xg_sim_type type;
    xg_sim_sym *s;
    memset(out, 0, sizeof *out);
    memset(formal, 0, sizeof *formal);
    if (!reg && !xg_sim_accept_dot(p, "param")) xg_sim_unexpected(p, ".param");
    if (xg_sim_accept_dot(p, "align")) align = xg_sim_align(p);
    type = xg_sim_parse_type(p);
    while (p->t.kind == XG_SIM_TK_DOT) {
        if (xg_sim_accept_dot(p, "ptr")) out->pointer = true;
        else if (xg_sim_accept_dot(p, "align")) out->pointee_align = xg_sim_align(p);
        else if (xg_sim_accept_dot(p, "global") || xg_sim_accept_dot(p, "shared") || xg_sim_accept_dot(p, "const") || xg_sim_accept_dot(p, "local") || xg_sim_accept_dot(p, "generic") || xg_sim_accept_dot(p, "noalias")) {}
        else xg_sim_unexpected(p, "a parameter's name");
    }
    at = p->t.at;
    out->name = p->t.text;
    if (p->t.kind != XG_SIM_TK_WORD) xg_sim_unexpected(p, "a parameter's name");
    s = xg_sim_declare(p, p->t.text, reg ? XG_SIM_SYM_REG : XG_SIM_SYM_VAR, p->scope, at);
    xg_sim_next(p);
    s->type = type;
    s->align = XG_MAX(align, XG_MAX(1u, (uint32_t)xg_sim_types[type].bytes));
    s->bytes = xg_sim_dimensions(p, xg_sim_types[type].bytes, &open);
    if (open || s->bytes > 32764) XG_SIM_UNSUPPORTED(p, at, NULL, "a parameter must have between 1 and 32764 bytes");
    if (reg) { s->space = XG_SIM_REGS; s->reg = xg_sim_new_reg(p, xg_sim_types[type].bytes); formal->reg = 1; formal->at = s->reg; }
    else if (f->entry) { s->space = XG_SIM_PARAM; *offset = (*offset + s->align - 1) / s->align * s->align; s->offset = *offset; *offset += (uint32_t)s->bytes; formal->at = (uint32_t)s->offset; }
    else { s->space = XG_SIM_LOCAL; xg_sim_place(p, s); formal->at = (uint32_t)s->offset; }
    formal->bytes = out->size = (uint32_t)s->bytes;
    formal->align = out->align = s->align;
    out->offset = (uint32_t)s->offset;
    if (*offset > 32764) XG_SIM_BAD(p, at, NULL, "more than 32764 bytes of parameters");
}

XG_FN xg_sim_formal *xg_sim_formals(xg_sim_asm *p, xg_sim_func *f, uint32_t *n, bool keep, uint32_t *offset) {
    XG_VEC(xg_sim_formal) formals = {NULL, 0, 0};
    XG_VEC(xg_sim_param) params = {NULL, 0, 0};
    xg_sim_expect(p, '(');
    while (!xg_sim_is(p, ')')) {
        xg_sim_formal formal;
        xg_sim_param param;
        xg_sim_formal_param(p, f, &param, &formal, offset);
        xg_push(p->a, xg_sim_formal, &formals, formal);
        xg_push(p->a, xg_sim_param, &params, param);
        if (!xg_sim_accept(p, ',')) break;
    }
    xg_sim_expect(p, ')');
    *n = formals.n;
    if (keep) { f->info.params = params.p; f->info.n_params = params.n; }
    return formals.p;
}

XG_FN void xg_sim_triple(xg_sim_asm *p, uint32_t out[3]) {
    uint32_t i = 0;
    out[0] = out[1] = out[2] = 1;
    do out[i++] = xg_sim_small(p, "a dimension", 0x7FFFFFFF); while (i < 3 && xg_sim_accept(p, ','));
}

XG_FN void xg_sim_performance(xg_sim_asm *p, xg_sim_func *f) {
    uint32_t one[3];
    for (;;) {
        if (xg_sim_accept_dot(p, "maxntid")) xg_sim_triple(p, f->info.maxntid);
        else if (xg_sim_accept_dot(p, "reqntid")) xg_sim_triple(p, f->info.reqntid);
        else if (xg_sim_accept_dot(p, "reqnctapercluster")) xg_sim_triple(p, f->info.cluster);
        else if (xg_sim_accept_dot(p, "minnctapersm") || xg_sim_accept_dot(p, "maxnctapersm") || xg_sim_accept_dot(p, "maxnreg") || xg_sim_accept_dot(p, "maxclusterrank")) xg_sim_triple(p, one);
        else if (xg_sim_accept_dot(p, "explicitcluster") || xg_sim_accept_dot(p, "noreturn")) {}
        else if (xg_sim_accept_dot(p, "pragma")) { while (p->t.kind == XG_SIM_TK_STR || xg_sim_is(p, ',')) xg_sim_next(p); xg_sim_expect(p, ';'); }
        else return;
    }
}

XG_FN void xg_sim_function(xg_sim_asm *p, bool entry) {
    xg_sim_entry *whole;
    xg_sim_func *f, blank;
    xg_sim_sym *s;
    xg_str name;
    uint32_t at, bytes = 0, none = 0;
    xg_sim_formal *rets = NULL;
    uint32_t n_rets = 0;
    memset(&blank, 0, sizeof blank);
    blank.entry = entry;
    p->vregs.n = p->fixes.n = p->labels.n = p->calls.n = 0;
    p->carry = XG_SIM_NOREG;
    p->local = 0;
    p->f = &blank;
    xg_sim_scope_push(p, p->t.at);
    if (!entry && xg_sim_is(p, '(')) rets = xg_sim_formals(p, &blank, &n_rets, false, &none);
    name = p->t.text;
    at = p->t.at;
    if (p->t.kind != XG_SIM_TK_WORD) xg_sim_unexpected(p, "the name of a function");
    s = (xg_sim_sym *)xg_map64_get(&p->syms, (uint64_t)xg_sim_name(p, name) << 32);
    if (s && (s->kind != XG_SIM_SYM_FUNC || s->func->entry != entry)) XG_SIM_BAD(p, at, NULL, "'%.*s' is declared twice", (int)name.n, name.p);
    xg_sim_next(p);
    if (!s) {
        s = xg_sim_declare(p, name, XG_SIM_SYM_FUNC, 0, at);
        whole = XG_NEW(p->a, xg_sim_entry);
        s->func = &whole->f;
        s->func->id = p->funcs.n;
        s->func->entry = entry;
        s->func->at = at;
        s->func->info.name = xg_str_copy(p->a, name);
        xg_push(&p->scratch, xg_sim_func *, &p->funcs, s->func);
    }
    f = p->f = s->func;
    f->rets = rets;
    f->n_rets = n_rets;
    if (xg_sim_is(p, '(')) f->args = xg_sim_formals(p, f, &f->n_args, true, &bytes);
    f->info.param_bytes = bytes;
    xg_sim_performance(p, f);
    if (!xg_sim_accept(p, ';')) {
        if (f->defined) XG_SIM_BAD(p, at, NULL, "'%.*s' is defined twice", (int)name.n, name.p);
        if (!xg_sim_accept(p, '{')) xg_sim_unexpected(p, "'{' or ';'");
        f->defined = true;
        f->begin = p->code.n;
        xg_sim_body(p);
        xg_sim_function_end(p);
    }
    xg_sim_scope_pop(p);
    p->f = NULL;
}

/* ---- module level ---- */

XG_FN void xg_sim_skip_section(xg_sim_asm *p) { /* .section name { ... } */
    int depth = 0;
    while (p->t.kind != XG_SIM_TK_END && !xg_sim_is(p, '{')) xg_sim_next(p);
    do {
        if (p->t.kind == XG_SIM_TK_END) xg_sim_unexpected(p, "'}'");
        depth += xg_sim_is(p, '{') - xg_sim_is(p, '}');
        xg_sim_next(p);
    } while (depth);
}

XG_FN void xg_sim_header(xg_sim_asm *p) {
    if (xg_sim_dot(p, "version")) {
        const char *s = p->src->text;
        uint32_t major = 0, minor = 0;
        size_t at;
        xg_sim_skip_space(p); /* 8.0 is no token: read it by hand */
        p->t.at = (uint32_t)(at = p->pos);
        while (at < p->src->size && xg_sim_is_digit(s[at]) && major < 1000) major = major * 10 + (uint32_t)(s[at++] - '0');
        if (at + 1 >= p->src->size || s[at] != '.' || !xg_sim_is_digit(s[at + 1]) || !major) xg_sim_unexpected(p, "a version such as 8.0");
        minor = (uint32_t)(s[++at] - '0');
        p->pos = at + 1;
        p->m->version = major * 10 + minor;
        if (p->pos < p->src->size && xg_sim_is_word(s[p->pos])) XG_SIM_BAD(p, p->pos, NULL, "a version is one number, a dot and one digit");
        xg_sim_next(p);
    } else if (xg_sim_accept_dot(p, "target")) {
        if (p->t.kind != XG_SIM_TK_WORD) xg_sim_unexpected(p, "a target such as sm_90a");
        p->m->target = xg_str_copy(p->a, p->t.text);
        do xg_sim_next(p); while (p->t.kind == XG_SIM_TK_WORD || xg_sim_is(p, ','));
    } else {
        uint32_t at;
        xg_sim_next(p);
        at = p->t.at;
        if (xg_sim_small(p, "an address size", 64) != 64) XG_SIM_UNSUPPORTED(p, at, "write .address_size 64", "only 64-bit addresses are supported");
    }
}

XG_FN void xg_sim_module_item(xg_sim_asm *p) {
    bool is_extern = false;
    if (xg_sim_is(p, '@')) { xg_sim_skip_line(p); xg_sim_next(p); return; }
    if (p->t.kind != XG_SIM_TK_DOT) xg_sim_unexpected(p, "a directive");
    if (xg_sim_dot(p, "version") || xg_sim_dot(p, "target") || xg_sim_dot(p, "address_size")) { xg_sim_header(p); return; }
    if (!p->m->version) XG_SIM_BAD(p, p->t.at, "begin with .version 8.0, .target sm_90, .address_size 64", "the module does not begin with .version");
    if (xg_sim_dot(p, "file") || xg_sim_dot(p, "loc")) { xg_sim_skip_line(p); xg_sim_next(p); return; }
    if (xg_sim_dot(p, "section")) { xg_sim_skip_section(p); return; }
    if (xg_sim_accept_dot(p, "pragma")) { while (p->t.kind == XG_SIM_TK_STR || xg_sim_is(p, ',')) xg_sim_next(p); xg_sim_expect(p, ';'); return; }
    for (;;) {
        if (xg_sim_accept_dot(p, "extern")) is_extern = true;
        else if (!xg_sim_accept_dot(p, "visible") && !xg_sim_accept_dot(p, "weak") && !xg_sim_accept_dot(p, "common")) break;
    }
    if (xg_sim_accept_dot(p, "entry")) xg_sim_function(p, true);
    else if (xg_sim_accept_dot(p, "func")) xg_sim_function(p, false);
    else if (xg_sim_accept_dot(p, "global")) xg_sim_variables(p, XG_SIM_GLOBAL, is_extern);
    else if (xg_sim_accept_dot(p, "const")) xg_sim_variables(p, XG_SIM_CONST, is_extern);
    else if (xg_sim_accept_dot(p, "shared")) xg_sim_variables(p, XG_SIM_SHARED, is_extern);
    else XG_SIM_UNSUPPORTED(p, p->t.at, NULL, "the directive '%.*s' is not known here", (int)p->t.text.n, p->t.text.p);
}

#endif /* XG_SIM_PARSE_C */
