/* ptx/print.c -- legal kernel IR to text: registers, labels, moves.
 *
 * Ideas
 * - A value is a list of lanes (one for a scalar); a lane is a register, an immediate, or for a pointer a base with a
 *   constant offset that is folded into the address of its loads and stores. Extracting, inserting and same-class
 *   bitcasts make no instruction: they only rename lanes.
 * - Every value gets a register of its own, numbered in program order; the assembler allocates. Only what a loop
 *   carries and what an `if` yields shares one, so that most moves vanish: a yielded value is computed in its
 *   destination when nothing reads the old content afterwards.
 * - A short `if` without results is predicated; any other structure becomes labels and branches.
 *
 * Laws: nothing is decided by address or hash order; an operation is printed exactly where it stands. */
#ifndef XG_PTX_PRINT_C
#define XG_PTX_PRINT_C
#include "ptx.h"
#include "isel.c"

/* Register classes. X(NAME, prefix, declaration and move type). */
#define XG_PTX_CLASSES(X) \
    X(P, "%p", "pred") X(RS, "%rs", "b16") X(R, "%r", "b32") X(RD, "%rd", "b64") X(F, "%f", "f32") X(FD, "%fd", "f64")
typedef enum xg_ptx_class {
#define X(name, prefix, type) XG_PC_##name,
    XG_PTX_CLASSES(X)
#undef X
    XG_PC_COUNT
} xg_ptx_class;
XG_TABLE const char xg_ptx_prefixes[][4] = {
#define X(name, prefix, type) prefix,
    XG_PTX_CLASSES(X)
#undef X
};
XG_TABLE const char xg_ptx_class_types[][5] = {
#define X(name, prefix, type) type,
    XG_PTX_CLASSES(X)
#undef X
};

typedef enum xg_ptx_lane_kind {
    XG_PL_REG,
    XG_PL_IMM,
    XG_PL_SYM
} xg_ptx_lane_kind;
enum {
    XG_PTX_REG_MAX = 7 /* characters of a register's name that is kept */
};
typedef struct xg_ptx_lane {
    uint8_t kind, cls;
    bool zext;    /* an i8 or i16 whose upper register bits are known to be zero */
    bool sext;    /* ... to be its sign */
    uint32_t num; /* REG */
    int64_t bits; /* IMM: the constant; pointers: the offset to add */
    union {
        const xg_str *sym;             /* SYM: a shared array */
        char name[XG_PTX_REG_MAX + 1]; /* REG: its characters, and behind them how many; 0: they are too many */
    } as;
} xg_ptx_lane;
typedef struct xg_ptx_val {
    xg_ptx_lane *lane;
    uint32_t n;
    bool wished;
} xg_ptx_val;

/* From this byte of the body on: xg_kop.loc. */
typedef struct xg_ptx_place {
    size_t at;
    uint32_t loc;
} xg_ptx_place;
struct xg_ptx {
    xg_ctx *ctx;
    xg_arena *arena; /* of the current kernel */
    xg_arena *all;   /* of what lasts: the text */
    const xg_target *target;
    const xg_device *device;
    uint32_t isa;
    bool letter; /* an instruction needs the target's letter */
    /* of the current kernel */
    xg_kmodule *m;
    xg_kfunc *f;
    xg_buf body, shared, head; /* head: what stands in front of these */
    uint32_t regs[XG_PC_COUNT], labels, depth;
    char reg_names[XG_PC_COUNT][XG_PTX_REG_MAX + 1]; /* of the last ones */
    int64_t static_shared, dynamic_at, shared_align;
    bool dynamic; /* shared arrays are slices of one dynamic array */
    xg_dict arrays;
    const xg_kregion **homes; /* by parameter: where it is loaded, while the entry is printed */
    uint32_t params_left;
    xg_ptx_lane guard; /* predicate of the lines, num 0: none */
    bool guard_not;
    bool keeps_places; /* for a dump: from where on lines of the body come from which operation */
    XG_VEC(xg_ptx_place) places;
    xg_ptx_index index;
    /* of the module */
    xg_texts text;                    /* the head of the module, finished kernels */
    uint32_t instructions;            /* in these */
    xg_dict names;                    /* entries so far */
    const struct xg_ptx_mma_row *mma; /* of the last product of matrices, and its line down to the registers */
    char mma_text[64];
    size_t mma_n;
};

enum {
    XG_PTX_DEPTH_MAX = 256,
    XG_PTX_PREDICATED_MAX = 4,
    XG_PTX_PREDICATED_RESULT = 3 /* the assembler moves such lines ahead, and has seven predicates */
};

/* ---- lanes ---- */
static xg_ptx_class xg_ptx_class_of(const xg_ktype *t) {
    if (t->kind == XG_TK_POINTER) return XG_KSPACE_IS_SHORT(t->space) ? XG_PC_R : XG_PC_RD;
    switch (t->elem) {
    case XG_E_I1: return XG_PC_P;
    case XG_E_I64: return XG_PC_RD;
    case XG_E_BF16:
    case XG_E_F16: return XG_PC_RS;
    case XG_E_F32: return XG_PC_F;
    case XG_E_F64: return XG_PC_FD;
    default: return XG_PC_R;
    }
}
static uint32_t xg_ptx_lanes_of(const xg_ktype *t) { return t->kind == XG_TK_VECTOR ? (uint32_t)t->elements : 1; }
static int xg_ptx_elem_bits(const xg_ktype *t) {
    int n = xg_kelem_bits(t->elem);
    return n > 1 && n < 8 ? 8 : n;
}

static void xg_ptx_no_regs(xg_ptx *p) {
    uint32_t k;
    memset(p->regs, 0, sizeof p->regs);
    for (k = 0; k < XG_PC_COUNT; k++) {
        size_t n = strlen(xg_ptx_prefixes[k]);
        memcpy(p->reg_names[k], xg_ptx_prefixes[k], n);
        p->reg_names[k][n] = '0';
        p->reg_names[k][XG_PTX_REG_MAX] = (char)(n + 1);
    }
}
/* The next register's name: a line has many, and to count in digits is cheaper than to find them each time. */
static void xg_ptx_count_reg(char *name) {
    size_t n = (size_t)name[XG_PTX_REG_MAX], i = n;
    if (!n) return;
    while (name[i - 1] == '9') name[--i] = '0';
    if (name[i - 1] >= '0' && name[i - 1] < '9')
        name[i - 1]++;
    else if (n == XG_PTX_REG_MAX)
        name[XG_PTX_REG_MAX] = 0;
    else {
        name[i] = '1';
        name[n] = '0';
        name[XG_PTX_REG_MAX] = (char)(n + 1);
    }
}
static xg_ptx_lane xg_ptx_new_reg(xg_ptx *p, xg_ptx_class cls) {
    xg_ptx_lane l;
    memset(&l, 0, sizeof l);
    l.kind = XG_PL_REG;
    l.cls = (uint8_t)cls;
    l.num = ++p->regs[cls];
    xg_ptx_count_reg(p->reg_names[cls]);
    memcpy(l.as.name, p->reg_names[cls], sizeof l.as.name);
    return l;
}
static xg_ptx_lane xg_ptx_imm(xg_ptx_class cls, int64_t bits) {
    xg_ptx_lane l;
    memset(&l, 0, sizeof l);
    l.kind = XG_PL_IMM;
    l.cls = (uint8_t)cls;
    l.bits = bits;
    return l;
}
static bool xg_ptx_lane_eq(const xg_ptx_lane *a, const xg_ptx_lane *b) {
    return a->kind == XG_PL_REG && b->kind == XG_PL_REG && a->cls == b->cls && a->num == b->num;
}

/* Its lanes are for the caller to set. */
static xg_ptx_val *xg_ptx_val_new(xg_ptx *p, xg_kval *v) {
    uint32_t n = xg_ptx_lanes_of(v->type);
    size_t head = (sizeof(xg_ptx_val) + sizeof(int64_t) - 1) / sizeof(int64_t) * sizeof(int64_t);
    char *block = (char *)xg_alloc_raw(p->arena, head + n * sizeof(xg_ptx_lane));
    xg_ptx_val *x = (xg_ptx_val *)(void *)block;
    x->n = n;
    x->wished = false;
    x->lane = (xg_ptx_lane *)(void *)(block + head);
    v->scratch = x;
    return x;
}
/* The registers a value is to be computed in: wished ones, or new ones. */
static xg_ptx_val *xg_ptx_define(xg_ptx *p, xg_kval *v) {
    xg_ptx_val *x = (xg_ptx_val *)v->scratch;
    xg_ptx_class cls;
    uint32_t i;
    if (x) return x;
    x = xg_ptx_val_new(p, v);
    cls = xg_ptx_class_of(v->type);
    for (i = 0; i < x->n; i++) x->lane[i] = xg_ptx_new_reg(p, cls);
    return x;
}
static xg_ptx_val *xg_ptx_of(const xg_kval *v) {
    XLAGPU_ASSERT(v->scratch);
    return (xg_ptx_val *)v->scratch;
}

/* ---- lines ---- */
/* A line is written by a pen: there is room for it, so that its characters go one behind the other. Only the name of an
 * array may be longer, and makes room itself. */
enum {
    XG_PTX_LINE_MAX = 1024
};
static char *xg_ptx_pen(xg_ptx *p) {
    return XG_LIKELY(p->body.cap - p->body.n > XG_PTX_LINE_MAX) ? p->body.p + p->body.n
                                                                : xg_buf_room(&p->body, XG_PTX_LINE_MAX);
}
static void xg_ptx_pen_up(xg_ptx *p, const char *at) { p->body.n = (size_t)(at - p->body.p); }
static char *xg_ptx_pen_text(char *at, const char *z) {
    while (*z) *at++ = *z++;
    return at;
}
static char *xg_ptx_pen_comma(char *at) {
    at[0] = ',';
    at[1] = ' ';
    return at + 2;
}
static char *xg_ptx_pen_digits(char *at, uint64_t v) {
    char t[24], *end = t + sizeof t, *s;
    for (s = xg_digits(end, v, 10, false); s < end; s++) *at++ = *s;
    return at;
}
static char *xg_ptx_pen_i64(char *at, int64_t v) {
    if (v < 0) *at++ = '-';
    return xg_ptx_pen_digits(at, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}
XG_APART static char *xg_ptx_pen_hex(char *at, uint64_t v, int digits) {
    while (digits-- > 0) *at++ = "0123456789ABCDEF"[v >> 4 * digits & 15];
    return at;
}
static char *xg_ptx_pen_symbol(xg_ptx *p, char *at, xg_str name) {
    xg_ptx_pen_up(p, at);
    xg_put_str(&p->body, name);
    return xg_ptx_pen(p);
}
static char *xg_ptx_pen_constant(char *at, const xg_ptx_lane *l) {
    switch (l->cls) {
    case XG_PC_F: return xg_ptx_pen_hex(xg_ptx_pen_text(at, "0f"), (uint64_t)l->bits, 8);
    case XG_PC_FD: return xg_ptx_pen_hex(xg_ptx_pen_text(at, "0d"), (uint64_t)l->bits, 16);
    case XG_PC_RS: return xg_ptx_pen_hex(xg_ptx_pen_text(at, "0x"), (uint64_t)l->bits, 4);
    case XG_PC_P: *at++ = l->bits & 1 ? '1' : '0'; return at;
    default: return xg_ptx_pen_i64(at, l->cls == XG_PC_R ? (int64_t)(int32_t)(uint32_t)(uint64_t)l->bits : l->bits);
    }
}
static char *xg_ptx_pen_lane(xg_ptx *p, char *at, const xg_ptx_lane *l) {
    if (l->kind != XG_PL_REG)
        return l->kind == XG_PL_SYM ? xg_ptx_pen_symbol(p, at, *l->as.sym) : xg_ptx_pen_constant(at, l);
    if (XG_UNLIKELY(!l->as.name[XG_PTX_REG_MAX]))
        return xg_ptx_pen_digits(xg_ptx_pen_text(at, xg_ptx_prefixes[l->cls]), l->num);
    memcpy(at, l->as.name, sizeof l->as.name); /* what is too much is written over */
    return at + l->as.name[XG_PTX_REG_MAX];
}
static char *xg_ptx_line_begin(xg_ptx *p) {
    char *at = xg_ptx_pen(p);
    p->instructions++;
    *at++ = '\t';
    if (p->guard.num) {
        at = xg_ptx_pen_lane(p, xg_ptx_pen_text(at, p->guard_not ? "@!" : "@"), &p->guard);
        *at++ = ' ';
    }
    return at;
}
static void xg_ptx_line_end(xg_ptx *p, char *at) {
    *at++ = ';';
    *at++ = '\n';
    xg_ptx_pen_up(p, at);
}
/* One line from text and lanes: $ stands for the next lane. */
static void xg_ptx_line(xg_ptx *p, const char *text, const xg_ptx_lane *a, const xg_ptx_lane *b, const xg_ptx_lane *c,
    const xg_ptx_lane *d) {
    const xg_ptx_lane *args[4];
    uint32_t n = 0;
    char *at = xg_ptx_line_begin(p);
    args[0] = a;
    args[1] = b;
    args[2] = c;
    args[3] = d;
    for (; *text; text++) {
        if (*text == '$')
            at = xg_ptx_pen_lane(p, at, args[n++]);
        else
            *at++ = *text;
    }
    xg_ptx_line_end(p, at);
}
static void xg_ptx_move(xg_ptx *p, const xg_ptx_lane *to, const xg_ptx_lane *from) {
    char *at;
    if (xg_ptx_lane_eq(to, from)) return;
    at = xg_ptx_pen_text(xg_ptx_line_begin(p), "mov.");
    at = xg_ptx_pen_text(at, from->kind == XG_PL_SYM ? "u32" : xg_ptx_class_types[to->cls]);
    *at++ = ' ';
    at = xg_ptx_pen_text(xg_ptx_pen_lane(p, at, to), ", ");
    at = xg_ptx_pen_lane(p, at, from);
    if (from->kind == XG_PL_SYM && from->bits) {
        *at++ = '+';
        at = xg_ptx_pen_i64(at, from->bits);
    }
    xg_ptx_line_end(p, at);
}
/* A register with the lane's content: constants, array addresses and pointers with an offset become one. */
static xg_ptx_lane xg_ptx_in_reg(xg_ptx *p, const xg_ptx_lane *l) {
    xg_ptx_lane r, base = *l;
    if (l->kind == XG_PL_REG && l->bits == 0) return *l;
    r = xg_ptx_new_reg(p, (xg_ptx_class)l->cls);
    if (l->kind != XG_PL_REG) {
        xg_ptx_move(p, &r, l);
        return r;
    }
    base.bits = 0;
    {
        xg_ptx_lane off = xg_ptx_imm((xg_ptx_class)l->cls, l->bits);
        xg_ptx_line(p, l->cls == XG_PC_R ? "add.s32 $, $, $" : "add.s64 $, $, $", &r, &base, &off, NULL);
    }
    return r;
}
static void xg_ptx_define_as(xg_ptx *p, xg_kval *v, const xg_ptx_lane *lanes, uint32_t n) {
    xg_ptx_val *x = (xg_ptx_val *)v->scratch;
    uint32_t i;
    if (x) { /* its registers are given: move */
        for (i = 0; i < n; i++) {
            xg_ptx_lane l = lanes[i].kind == XG_PL_REG ? xg_ptx_in_reg(p, &lanes[i]) : lanes[i];
            xg_ptx_move(p, &x->lane[i], &l);
        }
        return;
    }
    x = xg_ptx_val_new(p, v);
    XLAGPU_ASSERT(x->n == n);
    for (i = 0; i < n; i++) x->lane[i] = lanes[i];
}

/* ---- table rows to lines ---- */
static void xg_ptx_need_isa(xg_ptx *p, uint32_t isa) {
    if (isa > p->isa) p->isa = isa;
}

static char *xg_ptx_pen_address(xg_ptx *p, char *at, const xg_ptx_lane *a) {
    *at++ = '[';
    if (a->kind == XG_PL_IMM)
        at = xg_ptx_pen_i64(at, a->bits);
    else {
        at = xg_ptx_pen_lane(p, at, a);
        if (a->bits) {
            *at++ = '+';
            at = xg_ptx_pen_i64(at, a->bits);
        } /* "+-72": the assembler does not take "-72" */
    }
    *at++ = ']';
    return at;
}
static char *xg_ptx_pen_braced(xg_ptx *p, char *at, const xg_ptx_lane *l, uint32_t n) {
    uint32_t i;
    *at++ = '{';
    for (i = 0; i < n; i++) at = xg_ptx_pen_lane(p, i ? xg_ptx_pen_comma(at) : at, &l[i]);
    *at++ = '}';
    return at;
}
static char *xg_ptx_pen_lanes(xg_ptx *p, char *at, const xg_ptx_lane *l, uint32_t n) {
    return n == 1 ? xg_ptx_pen_lane(p, at, l) : xg_ptx_pen_braced(p, at, l, n);
}
XG_TABLE const char xg_ptx_vector_text[][4] = {"", "", ".v2", "", ".v4", "", "", "", ".v8"};
/* What stands for the letters of one row: $0 to $2, $n, $v, and temporaries, which are made when the text has them. */
typedef struct xg_ptx_fill {
    const xg_kop *op;
    const xg_ptx_lane *d;
    xg_ptx_lane in[3], narrow, lanes[8], tmp[4];
    bool has_tmp[4];
} xg_ptx_fill;

/* Operands as they may stand in the text: most constants as they are, other things in registers. */
XG_APART static void xg_ptx_fill_operands(xg_ptx *p, xg_ptx_fill *f, const xg_ptx_row *row, const char *text) {
    const xg_kop *op = f->op;
    bool vector = (row->flags & XG_PI_VECTOR) != 0, all_imm = true;
    uint32_t n = op->n_operands, i;
    XLAGPU_ASSERT(n <= XG_COUNT(f->in));
    for (i = 0; i < n; i++) {
        f->in[i] = xg_ptx_of(XG_KOPERAND(op, i))->lane[0];
        if (f->in[i].kind != XG_PL_IMM) all_imm = false;
    }
    if (vector) {
        const xg_ptx_val *x = xg_ptx_of(XG_KOPERAND(op, 0));
        XLAGPU_ASSERT(x->n <= XG_COUNT(f->lanes));
        for (i = 0; i < x->n; i++) f->lanes[i] = xg_ptx_in_reg(p, &x->lane[i]);
    }
    for (i = 0; i < n; i++) {
        xg_ptx_lane *in = &f->in[i];
        if ((in->kind == XG_PL_REG && !in->bits) || (i == 0 && vector) || (i == 1 && strstr(text, "$p"))) continue;
        if (in->kind != XG_PL_IMM || (in->cls == XG_PC_RS && !(row->flags & XG_PI_IMM16)) || in->cls == XG_PC_P ||
            (all_imm && i == 0) || (row->flags & XG_PI_REG))
            *in = xg_ptx_in_reg(p, in);
    }
}
/* Operand 1 in 32 bits, if the text asks for it. */
static void xg_ptx_fill_narrow(xg_ptx *p, xg_ptx_fill *f, const char *text) {
    if (f->op->n_operands != 2 || f->in[1].cls != XG_PC_RD || !strstr(text, "$n1")) return;
    f->narrow = f->in[1];
    f->narrow.cls = XG_PC_R;
    if (f->in[1].kind == XG_PL_IMM) return;
    f->narrow = xg_ptx_new_reg(p, XG_PC_R);
    xg_ptx_line(p, "cvt.u32.u64 $, $", &f->narrow, &f->in[1], NULL, NULL);
}
static char *xg_ptx_pen_temporary(xg_ptx *p, char *at, xg_ptx_fill *f, char letter) {
    static const char temps[] = "tqhs";
    XG_TABLE const xg_ptx_class classes[] = {XG_PC_R, XG_PC_RD, XG_PC_P, XG_PC_RS};
    const char *which = letter ? strchr(temps, letter) : NULL;
    size_t i;
    XLAGPU_ASSERT(which); /* else an unknown letter in an instruction text */
    i = (size_t)(which - temps);
    if (!f->has_tmp[i]) {
        f->tmp[i] = xg_ptx_new_reg(p, classes[i]);
        f->has_tmp[i] = true;
    }
    return xg_ptx_pen_lane(p, at, &f->tmp[i]);
}
/* What the letters that few texts have stand for. */
XG_APART static char *xg_ptx_pen_letter(xg_ptx *p, char *at, xg_ptx_fill *f, char letter) {
    const xg_kop *op = f->op;
    switch (letter) {
    case 'p': return xg_ptx_pen_address(p, at, &xg_ptx_of(XG_KOPERAND(op, 1))->lane[0]);
    case 'n': return xg_ptx_pen_lane(p, at, &f->narrow);
    case 'f': return xg_ptx_pen_text(at, p->m->ftz ? ".ftz" : "");
    case 'a': return xg_ptx_pen_text(at, p->m->ftz || (op->flags & XG_KA_FTZ) ? ".ftz" : "");
    case 'l': return xg_ptx_pen_text(at, xg_ptx_vector_text[xg_ptx_of(XG_KOPERAND(op, 0))->n]);
    case 'v': return xg_ptx_pen_lanes(p, at, f->lanes, xg_ptx_of(XG_KOPERAND(op, 0))->n);
    case 'x': *at++ = "xyz"[op->flags % 3]; return at;
    case 'b':
        at = xg_ptx_pen_digits(at, (uint32_t)op->b);
        return op->a ? xg_ptx_pen_digits(xg_ptx_pen_text(at, ", "), (uint32_t)op->a) : at;
    case 'c': return xg_ptx_pen_text(at, xg_ptx_condition(op));
    default: return xg_ptx_pen_temporary(p, at, f, letter);
    }
}
static char *xg_ptx_pen_row(xg_ptx *p, char *at, xg_ptx_fill *f, const char *t) {
    for (;;) {
        char c = *t++;
        if (c == '$') {
            c = *t++;
            if (c == 'd')
                at = xg_ptx_pen_lane(p, at, f->d);
            else if (c >= '0' && c <= '2')
                at = xg_ptx_pen_lane(p, at, &f->in[c - '0']);
            else
                at = xg_ptx_pen_letter(p, at, f, c);
            if (c == 'n') t++;
        } else if (c == '|') {
            xg_ptx_line_end(p, at);
            at = xg_ptx_line_begin(p);
        } else if (c)
            *at++ = c;
        else
            return at;
    }
}
static void xg_ptx_expand(xg_ptx *p, const xg_kop *op, const xg_ptx_row *row) {
    const char *text = xg_ptx_row_text(&p->index, row);
    xg_ptx_fill f;
    f.op = op;
    f.d = NULL;
    memset(f.has_tmp, 0, sizeof f.has_tmp);
    memset(&f.narrow, 0, sizeof f.narrow);
    xg_ptx_fill_operands(p, &f, row, text);
    xg_ptx_fill_narrow(p, &f, text);
    if (op->n_results) f.d = &xg_ptx_define(p, &op->results[0])->lane[0];
    xg_ptx_line_end(p, xg_ptx_pen_row(p, xg_ptx_line_begin(p), &f, text));
    xg_ptx_need_isa(p, row->isa);
    p->letter = p->letter || row->flags & XG_PI_LETTER;
}

/* ---- memory ---- */
static const char *xg_ptx_memory_type(const xg_ktype *t, bool sign) {
    switch (xg_ptx_class_of(t)) {
    case XG_PC_RS: return "b16";
    case XG_PC_F: return "f32";
    case XG_PC_FD: return "f64";
    case XG_PC_RD: return "b64";
    default: break;
    }
    switch (xg_ptx_elem_bits(t)) {
    case 8: return sign ? "s8" : "u8";
    case 16: return sign ? "s16" : "u16";
    default: return "b32";
    }
}
static const char *xg_ptx_space(const xg_kval *pointer) {
    switch (pointer->type->space) {
    case XG_SPACE_SHARED: return "shared";
    case XG_SPACE_CLUSTER: return "shared::cluster";
    case XG_SPACE_LOCAL: return "local";
    case XG_SPACE_CONST: return "const";
    default: return "global";
    }
}

/* "ld.global.nc.v4.f32 ": what a volatile access may not have is left out. */
static char *xg_ptx_pen_access(
    char *at, const char *what, uint32_t flags, const char *space, const char *hint, uint32_t lanes, const char *type) {
    at = xg_ptx_pen_text(at, what);
    if (flags & KM_VOLATILE) at = xg_ptx_pen_text(at, ".volatile");
    *at++ = '.';
    at = xg_ptx_pen_text(at, space);
    if (!(flags & KM_VOLATILE)) at = xg_ptx_pen_text(at, hint);
    at = xg_ptx_pen_text(at, xg_ptx_vector_text[lanes]);
    *at++ = '.';
    at = xg_ptx_pen_text(at, type);
    *at++ = ' ';
    return at;
}

static bool xg_ptx_only_signed_uses(const xg_kval *v) {
    const xg_kuse *u;
    for (u = v->first_use; u; u = u->next)
        if (u->user->op != XG_K_OP_EXTSI) return false;
    return v->first_use != NULL;
}
static void xg_ptx_print_load(xg_ptx *p, xg_kop *op) {
    xg_kval *v = &op->results[0];
    bool little = v->type->kind == XG_TK_SCALAR && xg_kelem_is_int(v->type->elem) && xg_ptx_elem_bits(v->type) < 32;
    bool sign = little && xg_ptx_only_signed_uses(v), global = XG_KOPERAND(op, 0)->type->space == XG_SPACE_GLOBAL;
    xg_ptx_val *x = xg_ptx_define(p, v);
    uint32_t i;
    char *at;
    XLAGPU_ASSERT(x->n == 1 || x->n == 2 || x->n == 4);
    at = xg_ptx_pen_access(xg_ptx_line_begin(p), "ld", op->flags, xg_ptx_space(XG_KOPERAND(op, 0)),
        global && (op->flags & KM_INVARIANT) ? ".nc" : "", x->n, xg_ptx_memory_type(v->type, sign));
    at = xg_ptx_pen_text(xg_ptx_pen_lanes(p, at, x->lane, x->n), ", ");
    xg_ptx_line_end(p, xg_ptx_pen_address(p, at, &xg_ptx_of(XG_KOPERAND(op, 0))->lane[0]));
    for (i = 0; i < x->n; i++) {
        x->lane[i].zext = !sign;
        x->lane[i].sext = sign;
    }
}
static void xg_ptx_print_store(xg_ptx *p, xg_kop *op) {
    xg_kval *v = XG_KOPERAND(op, 0);
    const xg_ptx_val *x = xg_ptx_of(v);
    bool global = XG_KOPERAND(op, 1)->type->space == XG_SPACE_GLOBAL;
    xg_ptx_lane lanes[4];
    uint32_t i;
    char *at;
    XLAGPU_ASSERT(x->n == 1 || x->n == 2 || x->n == 4);
    for (i = 0; i < x->n; i++)
        lanes[i] =
            x->lane[i].kind == XG_PL_IMM && x->lane[i].cls != XG_PC_RS ? x->lane[i] : xg_ptx_in_reg(p, &x->lane[i]);
    at = xg_ptx_pen_access(xg_ptx_line_begin(p), "st", op->flags, xg_ptx_space(XG_KOPERAND(op, 1)),
        global && (op->flags & KM_STREAM) ? ".cs" : "", x->n, xg_ptx_memory_type(v->type, false));
    at = xg_ptx_pen_text(xg_ptx_pen_address(p, at, &xg_ptx_of(XG_KOPERAND(op, 1))->lane[0]), ", ");
    xg_ptx_line_end(p, xg_ptx_pen_lanes(p, at, lanes, x->n));
}

/* An i32 that is extended by its sign for addresses alone: their instructions do it. */
static bool xg_ptx_is_signed_index(const xg_kval *v) {
    const xg_kop *op = v->def;
    const xg_kuse *u;
    if (!op || op->op != XG_K_OP_EXTSI || XG_KOPERAND(op, 0)->type->elem != XG_E_I32 || v->type->elem != XG_E_I64 ||
        xg_kval_is_const(XG_KOPERAND(op, 0), NULL))
        return false;
    for (u = v->first_use; u; u = u->next) {
        const xg_kop *user = u->user;
        if (user->op != XG_K_OP_PTR_ADD || XG_KUSE_INDEX(u) != 1 || user->a < 0 || user->a > INT32_MAX ||
            user->results[0].type->space != XG_SPACE_GLOBAL)
            return false;
    }
    return true;
}
/* pointer + index * a + b, the constant part kept for the address. An i32 index is unsigned. */
static void xg_ptx_print_ptr_add(xg_ptx *p, xg_kop *op) {
    xg_ptx_lane base = xg_ptx_of(XG_KOPERAND(op, 0))->lane[0], index = xg_ptx_of(XG_KOPERAND(op, 1))->lane[0], r, scale,
                offset_base;
    bool extended = xg_ptx_is_signed_index(XG_KOPERAND(op, 1));
    bool wide = XG_KOPERAND(op, 1)->type->elem == XG_E_I64 && !extended, shared = base.cls == XG_PC_R;
    int64_t each = op->a ? op->a : 1, offset = op->b, part;
    if (index.kind == XG_PL_IMM) {
        part = wide ? index.bits : (int64_t)(uint32_t)(uint64_t)index.bits;
        if (!xg_mul64(part, each, &part) || !xg_add64(offset, part, &offset))
            xg_fail(p->ctx, XLAGPU_ERROR_LIMIT, "an address offset does not fit in 64 bits");
    }
    if (!xg_add64(base.bits, offset, &offset))
        xg_fail(p->ctx, XLAGPU_ERROR_LIMIT, "an address offset does not fit in 64 bits");
    base.bits = 0;
    if (index.kind == XG_PL_IMM)
        r = base;
    else {
        scale = xg_ptx_imm(XG_PC_R, each);
        if (base.kind == XG_PL_SYM) {
            offset_base = base;
            base = xg_ptx_in_reg(p, &offset_base);
        }
        index = xg_ptx_in_reg(p, &index);
        if (shared && wide) {
            xg_ptx_lane t = xg_ptx_new_reg(p, XG_PC_R);
            xg_ptx_line(p, "cvt.u32.u64 $, $", &t, &index, NULL, NULL);
            index = t;
        }
        r = xg_ptx_new_reg(p, shared ? XG_PC_R : XG_PC_RD);
        if (shared) {
            if (each == 1)
                xg_ptx_line(p, "add.s32 $, $, $", &r, &base, &index, NULL);
            else
                xg_ptx_line(p, "mad.lo.s32 $, $, $, $", &r, &index, &scale, &base);
        } else if (!wide && each > 0 && each <= INT32_MAX)
            xg_ptx_line(p, extended ? "mad.wide.s32 $, $, $, $" : "mad.wide.u32 $, $, $, $", &r, &index, &scale, &base);
        else {
            xg_ptx_lane t = index;
            scale.cls = XG_PC_RD;
            if (!wide) {
                t = xg_ptx_new_reg(p, XG_PC_RD);
                xg_ptx_line(p, "cvt.u64.u32 $, $", &t, &index, NULL, NULL);
            }
            if (each == 1)
                xg_ptx_line(p, "add.s64 $, $, $", &r, &base, &t, NULL);
            else if (each > 0 && (each & (each - 1)) == 0) {
                xg_ptx_lane s = xg_ptx_new_reg(p, XG_PC_RD);
                int bits = 0;
                while ((int64_t)1 << bits < each) bits++;
                scale = xg_ptx_imm(XG_PC_R, bits);
                xg_ptx_line(p, "shl.b64 $, $, $", &s, &t, &scale, NULL);
                xg_ptx_line(p, "add.s64 $, $, $", &r, &base, &s, NULL);
            } else
                xg_ptx_line(p, "mad.lo.s64 $, $, $, $", &r, &t, &scale, &base);
        }
    }
    r.bits = offset;
    if (offset < INT32_MIN || offset > INT32_MAX) r = xg_ptx_in_reg(p, &r);
    xg_ptx_define_as(p, &op->results[0], &r, 1);
}
/* A static shared array of this function, or a slice of the dynamic one. */
static void xg_ptx_print_shared(xg_ptx *p, xg_kop *op) {
    xg_ptx_lane l;
    xg_str symbol = op->p ? *(const xg_str *)op->p : XG_STR("shared");
    xg_ptx_lane *known = (xg_ptx_lane *)xg_dict_get(&p->arrays, symbol);
    const xg_kuse *u;
    bool variable = false;
    int64_t align = op->b > 0 ? op->b : 16;
    if (!known) {
        xg_buf name;
        xg_str *called;
        uint32_t i;
        known = XG_NEW(p->arena, xg_ptx_lane);
        memset(known, 0, sizeof *known);
        known->kind = XG_PL_SYM;
        known->cls = XG_PC_R;
        xg_buf_init(&name, p->arena);
        if (p->dynamic) {
            p->dynamic_at = (p->dynamic_at + align - 1) / align * align;
            xg_printf(&name, "%.*s_dynamic", (int)p->f->name.n, p->f->name.p);
            known->bits = p->dynamic_at;
            p->dynamic_at += op->a;
        } else {
            xg_printf(&name, "s%u_", p->arrays.n);
            for (i = 0; i < symbol.n; i++) {
                char c = symbol.p[i];
                xg_putc(&name, (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ? c : '_');
            }
            xg_printf(&p->shared, "\t.shared .align %lld .b8 %s[%lld];\n", (long long)align, name.p, (long long)op->a);
        }
        called = XG_NEW(p->arena, xg_str);
        *called = xg_str_of(name.p, name.n);
        known->as.sym = called;
        xg_dict_put(&p->arrays, symbol, known);
    }
    l = *known;
    for (u = op->results[0].first_use; u; u = u->next)
        variable = variable || (u->user->op == XG_K_OP_PTR_ADD && !xg_kval_is_const(XG_KOPERAND(u->user, 1), NULL));
    if (variable) l = xg_ptx_in_reg(p, known); /* an address is computed from it: once into a register */
    xg_ptx_define_as(p, &op->results[0], &l, 1);
}

/* ---- labels and branches ---- */

/* ---- structure ---- */
static void xg_ptx_label(xg_ptx *p, uint32_t label) {
    char *at = xg_ptx_pen(p);
    *at++ = 'L';
    xg_ptx_pen_up(p, xg_ptx_pen_text(xg_ptx_pen_digits(at, label), ":\n"));
}
static void xg_ptx_branch(xg_ptx *p, const xg_ptx_lane *cond, bool negate, uint32_t label) {
    char *at = xg_ptx_pen_text(xg_ptx_pen(p), "\t");
    p->instructions++;
    if (cond) {
        at = xg_ptx_pen_lane(p, xg_ptx_pen_text(at, negate ? "@!" : "@"), cond);
        *at++ = ' ';
    }
    xg_ptx_line_end(p, xg_ptx_pen_digits(xg_ptx_pen_text(at, "bra L"), label));
}

#endif /* XG_PTX_PRINT_C */
