/* sim/parse.c -- PTX text to statements: operands, variables, functions, directives.
 *
 * One pass, no tree: directives act at once (they declare symbols, lay out variables), an instruction is read into one
 * xg_sim_stmt and handed to xg_sim_decode. Labels may be used before they are defined: branches are resolved when the
 * function ends (flow.c). */
#ifndef XG_SIM_PARSE_C
#define XG_SIM_PARSE_C
#include "text.c"

/* ---- operands ---- */

/* + or - and a number, behind a variable's name. */
XG_FN uint64_t xg_sim_addend(xg_sim_asm *p) {
    const bool minus = xg_sim_is(p, '-');
    const uint64_t v = (xg_sim_next(p), xg_sim_expr(p, XG_SIM_LEVEL_UNARY - 1));
    return minus ? 0 - v : v;
}
/* .5, which was read as a word with a dot */
XG_FN void xg_sim_fraction(xg_sim_asm *p) {
    const uint32_t at = p->t.at;
    if (p->t.kind != XG_SIM_TK_DOT || !xg_sim_is_digit(p->t.text.p[1])) return;
    p->pos = at;
    xg_sim_decimal(p, 0);
    p->t.text = xg_str_of(p->src->text + at, p->pos - at);
}

/* A vector register is its registers in braces; with .x .y .z .w or .r .g .b .a behind it, one of them. */
XG_FN void xg_sim_operand_vector(xg_sim_asm *p, xg_sim_operand *o, xg_sim_sym *s) {
    static const char letters[] = "xyzwrgba";
    uint32_t i;
    xg_sim_next(p);
    if (p->t.kind == XG_SIM_TK_DOT) {
        const char *at = p->t.text.n == 2 ? strchr(letters, p->t.text.p[1]) : NULL;
        if (!at || (uint32_t)(at - letters) % 4 >= s->count) xg_sim_unexpected(p, "an element of the vector");
        o->kind = XG_SIM_O_REG;
        o->sym = &s->members[(at - letters) % 4];
        xg_sim_next(p);
        return;
    }
    o->kind = XG_SIM_O_VEC;
    o->n = s->count;
    o->items = XG_NEW_N(&p->scratch, xg_sim_operand, s->count);
    for (i = 0; i < s->count; i++) {
        o->items[i].kind = XG_SIM_O_REG;
        o->items[i].at = o->at;
        o->items[i].word = o->word;
        o->items[i].sym = &s->members[i];
    }
}
XG_FN void xg_sim_operand_word(xg_sim_asm *p, xg_sim_operand *o) {
    xg_sim_sym *s = xg_sim_lookup(p, p->t.text);
    o->word = p->t.text;
    o->sym = s;
    if (s && s->kind == XG_SIM_SYM_VECTOR) {
        xg_sim_operand_vector(p, o, s);
        return;
    }
    if (xg_str_is(p->t.text, "_"))
        o->kind = XG_SIM_O_SINK;
    else if (!s)
        o->kind = p->t.text.p[0] == '%' ? XG_SIM_O_SREG : XG_SIM_O_LABEL;
    else if (s->kind == XG_SIM_SYM_REG)
        o->kind = XG_SIM_O_REG;
    else if (s->kind == XG_SIM_SYM_VAR)
        o->kind = XG_SIM_O_VAR;
    else if (s->kind == XG_SIM_SYM_FUNC)
        o->kind = XG_SIM_O_FUNC;
    else
        o->kind = XG_SIM_O_LABEL;
    xg_sim_next(p);
    if (o->kind == XG_SIM_O_SREG && p->t.kind == XG_SIM_TK_DOT && p->t.text.n == 2) {
        o->word = xg_str_of(o->word.p, (size_t)(p->t.text.p + 2 - o->word.p));
        xg_sim_next(p);
    }
    if (o->kind == XG_SIM_O_REG && p->t.kind == XG_SIM_TK_DOT && p->stmt->op.n && p->stmt->op.p[0] == 'v') {
        o->select = p->t.text;
        xg_sim_next(p);
    }
    while (o->kind == XG_SIM_O_VAR && (xg_sim_is(p, '+') || xg_sim_is(p, '-'))) o->value += xg_sim_addend(p);
}
/* A float constant whose sign has been read. */
XG_FN void xg_sim_operand_float(xg_sim_asm *p, xg_sim_operand *o, bool minus) {
    o->kind = XG_SIM_O_NUM;
    o->number = p->t.number;
    o->value = minus ? p->t.value ^ (uint64_t)1 << (o->number * 8 - 1) : p->t.value;
    xg_sim_next(p);
}
/* A constant, or the -r of vmad. */
XG_FN void xg_sim_operand_number(xg_sim_asm *p, xg_sim_operand *o) {
    const bool minus = xg_sim_is(p, '-');
    const size_t back = p->pos;
    const xg_sim_tok t = p->t;
    if (minus) xg_sim_next(p);
    xg_sim_fraction(p);
    if (p->t.kind == XG_SIM_TK_NUM && p->t.number) {
        xg_sim_operand_float(p, o, minus);
        return;
    }
    if (minus && p->t.kind == XG_SIM_TK_WORD && xg_str_is(p->stmt->op, "vmad")) {
        xg_sim_operand_word(p, o);
        o->minus = true;
        return;
    }
    p->pos = back;
    p->t = t;
    o->kind = XG_SIM_O_NUM;
    o->value = xg_sim_expr(p, XG_SIM_LEVEL_ALL);
}

XG_FN void xg_sim_operand_read(xg_sim_asm *p, xg_sim_operand *o, int depth) {
    memset(o, 0, sizeof *o);
    o->at = p->t.at;
    if (depth > 2) xg_sim_wrong(p, p->t.at, "operands nest too deep");
    if (xg_sim_is(p, '!') && p->pos < p->src->size &&
        (p->src->text[p->pos] == '%' || !xg_sim_is_digit(p->src->text[p->pos]))) {
        xg_sim_next(p);
        o->inverted = p->t.kind == XG_SIM_TK_WORD;
        if (!o->inverted) xg_sim_unexpected(p, "a predicate");
    }
    if (xg_sim_is(p, '{') || (depth == 0 && xg_sim_is(p, '(') && xg_str_is(p->stmt->op, "call"))) {
        bool vec = xg_sim_is(p, '{');
        XG_VEC(xg_sim_operand) v = {NULL, 0, 0};
        xg_sim_operand item;
        o->kind = vec ? XG_SIM_O_VEC : XG_SIM_O_LIST;
        xg_sim_next(p);
        while (!xg_sim_is(p, vec ? '}' : ')')) {
            xg_sim_operand_read(p, &item, depth + 1);
            if (v.n >= XG_SIM_VECTOR * 4)
                xg_fail_at(
                    p->c, XLAGPU_ERROR_LIMIT, p->src, o->at, NULL, "a vector of more than %d items", XG_SIM_VECTOR * 4);
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
            xg_sim_bad(p, o->items->at, "an address is [register], [register+offset], [variable+offset] or [number]",
                "'%.*s' is not declared, or no address", (int)o->items->word.n, o->items->word.p);
        if (xg_sim_is(p, '+') || xg_sim_is(p, '-')) {
            xg_sim_accept(p, '+');
            o->value = xg_sim_expr(p, XG_SIM_LEVEL_ALL);
        }
        if (xg_sim_accept(p, ',')) { /* a tensor map and the place of a box in it */
            o->pair = XG_NEW(&p->scratch, xg_sim_operand);
            xg_sim_operand_read(p, o->pair, depth + 1);
        }
        xg_sim_expect(p, ']');
    } else if (p->t.kind == XG_SIM_TK_WORD && !xg_str_is(p->t.text, "WARP_SZ"))
        xg_sim_operand_word(p, o);
    else if (p->t.kind == XG_SIM_TK_WORD || p->t.kind == XG_SIM_TK_NUM ||
             (p->t.kind == XG_SIM_TK_DOT && xg_sim_is_digit(p->t.text.p[1])) ||
             (p->t.kind == XG_SIM_TK_PUNCT && strchr("-+~!(", p->t.text.p[0])))
        xg_sim_operand_number(p, o);
    else
        xg_sim_unexpected(p, "an operand");
    if (depth == 0 &&
        (o->kind == XG_SIM_O_REG || o->kind == XG_SIM_O_SINK ||
            (o->kind == XG_SIM_O_VEC && xg_str_is(p->stmt->op, "tex"))) &&
        xg_sim_accept(p, '|')) {
        o->pair = XG_NEW(&p->scratch, xg_sim_operand);
        xg_sim_operand_read(p, o->pair, 1);
    }
}

/* ---- variables ---- */

/* What a pointer to a function is: nothing that could be read. */
XG_FN uint64_t xg_sim_function_address(const xg_sim_func *f) {
    return (uint64_t)0x7F << 56 | (uint64_t)(f->id + 1) << 4;
}

/* An initial value that is an address: of a function, or of a variable defined before; generic(v) is the same here. */
XG_FN uint64_t xg_sim_initial_address(xg_sim_asm *p) {
    const bool generic = xg_str_is(p->t.text, "generic");
    xg_sim_sym *s;
    uint64_t v;
    if (generic) {
        xg_sim_next(p);
        xg_sim_expect(p, '(');
    }
    s = p->t.kind == XG_SIM_TK_WORD ? xg_sim_lookup(p, p->t.text) : NULL;
    if (s && s->kind == XG_SIM_SYM_FUNC)
        v = xg_sim_function_address(s->func);
    else if (s && s->kind == XG_SIM_SYM_VAR && (s->space == XG_SIM_GLOBAL || s->space == XG_SIM_CONST))
        v = s->offset;
    else
        xg_sim_unsupported(p, p->t.at, "only addresses of functions and of .global and .const variables defined before",
            "this initial value is not supported");
    xg_sim_next(p);
    if (generic) xg_sim_expect(p, ')');
    while (xg_sim_is(p, '+') || xg_sim_is(p, '-')) v += xg_sim_addend(p);
    return v;
}
XG_FN void xg_sim_put_value(xg_sim_asm *p, char *out, xg_sim_type type, uint64_t room) {
    uint32_t bytes = xg_sim_types[type].bytes;
    xg_sim_operand o;
    uint64_t v;
    if (bytes > room) xg_sim_wrong(p, p->t.at, "more initial values than the variable has room for");
    memset(&o, 0, sizeof o);
    if (p->t.kind == XG_SIM_TK_WORD && !xg_str_is(p->t.text, "WARP_SZ"))
        v = xg_sim_initial_address(p);
    else {
        xg_sim_operand_number(p, &o);
        v = o.value;
        if (o.number == 8 && bytes == 4)
            v = xg_sim_pack(xg_sim_unpack(v, XG_SIM_IS_F64), XG_SIM_IS_F32, XG_SIM_RN, false);
        if (o.number == 4 && bytes == 8)
            v = xg_sim_pack(xg_sim_unpack(v, XG_SIM_IS_F32), XG_SIM_IS_F64, XG_SIM_RN, false);
        if (!o.number && v && xg_sim_accept(p, '(')) { /* 0xFF00(v): some bits of an address, moved down */
            uint64_t mask = v;
            v = xg_sim_initial_address(p) & mask;
            for (; !(mask & 1); mask >>= 1) v >>= 1;
            xg_sim_expect(p, ')');
        }
    }
    memcpy(out, &v, bytes > 8 ? 8 : bytes);
}

/* The dimensions of an array, the bytes of one element of each: a row begins where the one before ends, whether that is
 * full or not. */
enum {
    XG_SIM_DIMENSIONS = 16
};
typedef struct xg_sim_extent {
    uint64_t bytes, row[XG_SIM_DIMENSIONS];
    uint32_t n;
    bool open; /* the first one's length follows from the initial values */
} xg_sim_extent;

/* Values between braces, of row dimension `level`, the first brace being read. */
XG_FN void xg_sim_initialise_row(
    xg_sim_asm *p, char *out, uint64_t bytes, xg_sim_type type, const xg_sim_extent *shape, uint32_t level) {
    uint64_t at = 0, step = xg_sim_types[type].bytes, row = level < shape->n ? shape->row[level] : step;
    if (level > XG_SIM_DIMENSIONS) xg_sim_wrong(p, p->t.at, "the initial values nest too deep");
    while (!xg_sim_is(p, '}')) {
        if (xg_sim_accept(p, '{')) {
            at = (at + row - 1) / row * row;
            if (at + row > bytes) xg_sim_wrong(p, p->t.at, "more initial values than the variable has room for");
            xg_sim_initialise_row(p, out + at, row, type, shape, level + 1);
            at += row;
        } else {
            xg_sim_put_value(p, out + at, type, bytes - at);
            at += step;
        }
        if (!xg_sim_accept(p, ',')) break;
    }
    xg_sim_expect(p, '}');
}
XG_FN void xg_sim_initialise(xg_sim_asm *p, xg_sim_sym *s, xg_sim_type type, const xg_sim_extent *shape) {
    char *out = (char *)(uintptr_t)s->offset;
    if (xg_sim_accept(p, '{'))
        xg_sim_initialise_row(p, out, s->bytes, type, shape, 0);
    else
        xg_sim_put_value(p, out, type, s->bytes);
}
/* How many bytes the values behind '=' make of an array whose first dimension is left out. */
XG_FN uint64_t xg_sim_initial_bytes(xg_sim_asm *p, xg_sim_type type, const xg_sim_extent *shape) {
    const size_t back = p->pos;
    const xg_sim_tok t = p->t;
    uint64_t items = 0, row = shape->row[0], rows = 0;
    int depth = 0;
    bool item = false; /* something stands since the last comma or brace */
    xg_sim_next(p);
    do {
        if (p->t.kind == XG_SIM_TK_END || xg_sim_is(p, ';')) xg_sim_unexpected(p, "'}'");
        if (xg_sim_is(p, '{')) {
            if (depth++ == 1) rows++;
            item = false;
        } else if (xg_sim_is(p, '}') || xg_sim_is(p, ',')) {
            if (depth == 1 && item) items++;
            item = false;
            depth -= xg_sim_is(p, '}');
        } else
            item = depth == 1;
        xg_sim_next(p);
    } while (depth > 0);
    p->pos = back;
    p->t = t;
    return (rows + (items * xg_sim_types[type].bytes + row - 1) / row) * row;
}

XG_FN xg_sim_extent xg_sim_dimensions(xg_sim_asm *p, xg_sim_type type, uint32_t lanes) {
    uint64_t length[XG_SIM_DIMENSIONS];
    int64_t total = (int64_t)xg_sim_types[type].bytes * lanes;
    xg_sim_extent shape;
    uint32_t i;
    memset(&shape, 0, sizeof shape);
    for (; xg_sim_accept(p, '['); shape.n++) {
        uint32_t at = p->t.at;
        if (shape.n == XG_SIM_DIMENSIONS) xg_sim_wrong(p, at, "more than %d dimensions", (int)XG_SIM_DIMENSIONS);
        length[shape.n] = 1;
        if (shape.n == 0 && xg_sim_is(p, ']'))
            shape.open = true;
        else {
            length[shape.n] = xg_sim_expr(p, XG_SIM_LEVEL_ALL);
            if (length[shape.n] > (uint64_t)1 << 40) xg_sim_limit(p, at, "the variable is larger than 2^40 bytes");
        }
        xg_sim_expect(p, ']');
    }
    for (i = shape.n; i-- > 0;) {
        shape.row[i] = (uint64_t)total;
        if (!xg_mul64(total, (int64_t)length[i], &total) || total > (int64_t)1 << 40)
            xg_sim_limit(p, p->t.at, "the variable is larger than 2^40 bytes");
    }
    shape.bytes = (uint64_t)total;
    return shape;
}

XG_FN uint32_t xg_sim_frame_local(xg_sim_asm *p, uint64_t bytes, uint32_t align, uint32_t at) {
    uint64_t start = ((uint64_t)p->local + align - 1) / align * align;
    if (start + bytes > 1u << 24) xg_sim_limit(p, at, "more than 16 MiB of local memory a thread");
    p->local = (uint32_t)(start + bytes);
    return (uint32_t)start;
}

/* Gives a variable its place; the bytes of .global and .const ones live in the module's arena. */
XG_FN void xg_sim_place(xg_sim_asm *p, xg_sim_sym *s) {
    if (s->space == XG_SIM_SHARED) {
        s->offset = XG_SIM_NOREG;
        xg_push(&p->scratch, xg_sim_sym *, &p->shared, s);
    } else if (s->space == XG_SIM_LOCAL)
        s->offset = xg_sim_frame_local(p, s->bytes, s->align, s->at);
    else {
        xg_sim_var v;
        char *mem;
        if (s->bytes > 1u << 30) xg_sim_limit(p, s->at, "a variable of more than 1 GiB");
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

/* (.managed), (.unified(1, 2)): where the driver would put it. */
XG_FN void xg_sim_skip_attribute(xg_sim_asm *p) {
    int depth = 0;
    do {
        if (p->t.kind == XG_SIM_TK_END) xg_sim_unexpected(p, "')'");
        depth += xg_sim_is(p, '(') - xg_sim_is(p, ')');
        xg_sim_next(p);
    } while (depth > 0);
}
/* `.shared .align 16 .b8 name[64] = {...}, other;` from the first word after the space. */
XG_FN void xg_sim_variables(xg_sim_asm *p, xg_sim_space space, bool is_extern) {
    uint32_t align = 0, lanes = 1;
    xg_sim_type type;
    for (;;) {
        if (xg_sim_accept_dot(p, "align"))
            align = xg_sim_align(p);
        else if (xg_sim_accept_dot(p, "v2"))
            lanes = 2;
        else if (xg_sim_accept_dot(p, "v4"))
            lanes = 4;
        else if (xg_sim_accept_dot(p, "attribute"))
            xg_sim_skip_attribute(p);
        else
            break;
    }
    type = xg_sim_parse_type(p);
    do {
        xg_sim_extent shape;
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
        shape = xg_sim_dimensions(p, type, lanes);
        s->bytes = shape.bytes;
        if (shape.open && space == XG_SIM_SHARED) {
            s->bytes = 0;
            s->is_extern = true;
        } else if (shape.open && xg_sim_is(p, '=') && shape.row[0])
            s->bytes = xg_sim_initial_bytes(p, type, &shape);
        else if (shape.open)
            xg_sim_unsupported(p, at, "give the array its size", "an array without size");
        if (is_extern && space != XG_SIM_SHARED)
            xg_sim_unsupported(p, at, "link the module that defines it", "the variable '%.*s' is defined elsewhere",
                (int)name.n, name.p);
        xg_sim_place(p, s);
        if (xg_sim_accept(p, '=')) {
            if (space != XG_SIM_GLOBAL && space != XG_SIM_CONST)
                xg_sim_wrong(p, at, "only .global and .const variables can have initial values");
            xg_sim_initialise(p, s, type, &shape);
        }
    } while (xg_sim_accept(p, ','));
    xg_sim_expect(p, ';');
}

XG_FN void xg_sim_registers(xg_sim_asm *p) {
    xg_sim_type type;
    const uint32_t lanes = xg_sim_accept_dot(p, "v2") ? 2 : xg_sim_accept_dot(p, "v4") ? 4 : 1;
    uint32_t i;
    type = xg_sim_parse_type(p);
    do {
        xg_str name = p->t.text;
        xg_sim_sym *s;
        uint32_t at = p->t.at;
        if (p->t.kind != XG_SIM_TK_WORD) xg_sim_unexpected(p, "the name of a register");
        xg_sim_next(p);
        if (lanes > 1) {
            s = xg_sim_declare(p, name, XG_SIM_SYM_VECTOR, p->scope, at);
            s->count = lanes;
            s->members = XG_NEW_N(&p->scratch, xg_sim_sym, lanes);
            for (i = 0; i < lanes; i++) {
                xg_sim_sym *r = &s->members[i];
                r->kind = XG_SIM_SYM_REG;
                r->type = type;
                r->space = XG_SIM_REGS;
                r->name = name;
                r->at = at;
                r->scope = p->scope;
                r->bytes = xg_sim_types[type].bytes;
                r->reg = xg_sim_new_reg(p, xg_sim_types[type].bytes);
                p->vregs.p[r->reg].name = at + 1;
            }
        } else if (xg_sim_accept(p, '<')) {
            s = xg_sim_declare(p, name, XG_SIM_SYM_RANGE, p->scope | XG_SIM_RANGES, at);
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
        if (s->n_mods >= XG_SIM_MODS) xg_sim_wrong(p, p->t.at, "more than %d modifiers", (int)XG_SIM_MODS);
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
        if (s->n >= XG_SIM_OPERANDS) xg_sim_wrong(p, p->t.at, "more than %d operands", (int)XG_SIM_OPERANDS);
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
        do {
            xg_sim_next(p);
            if (p->t.kind != XG_SIM_TK_WORD) xg_sim_unexpected(p, "a label");
            xg_push(&p->scratch, uint32_t, &v, xg_sim_name(p, p->t.text));
            xg_sim_next(p);
        } while (xg_sim_is(p, ','));
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
    if (xg_sim_accept_dot(p, "reg"))
        xg_sim_registers(p);
    else if (xg_sim_accept_dot(p, "shared"))
        xg_sim_variables(p, XG_SIM_SHARED, false);
    else if (xg_sim_accept_dot(p, "local") || xg_sim_accept_dot(p, "param"))
        xg_sim_variables(p, XG_SIM_LOCAL, false);
    else if (xg_sim_accept_dot(p, "global"))
        xg_sim_variables(p, XG_SIM_GLOBAL, false);
    else if (xg_sim_accept_dot(p, "const"))
        xg_sim_variables(p, XG_SIM_CONST, false);
    else if (xg_sim_dot(p, "loc") || xg_sim_dot(p, "file")) {
        xg_sim_skip_line(p);
        xg_sim_next(p);
    } else if (xg_sim_accept_dot(p, "pragma")) {
        while (p->t.kind == XG_SIM_TK_STR || xg_sim_is(p, ',')) xg_sim_next(p);
        xg_sim_expect(p, ';');
    } else if (xg_sim_accept_dot(p, "extern")) {
        if (!xg_sim_accept_dot(p, "shared")) xg_sim_unexpected(p, ".shared");
        xg_sim_variables(p, XG_SIM_SHARED, true);
    } else
        xg_sim_unsupported(
            p, p->t.at, NULL, "the directive '%.*s' is not known inside a function", (int)p->t.text.n, p->t.text.p);
}

XG_FN void xg_sim_body(xg_sim_asm *p) { /* after '{', up to the matching '}' */
    uint32_t outer = p->depth;
    xg_sim_scope_push(p, p->t.at);
    while (p->depth > outer) {
        uint32_t guard = XG_SIM_NOREG, at = p->t.at;
        bool guard_not = false;
        if (p->t.kind == XG_SIM_TK_END) xg_sim_bad(p, at, "close it with }", "the function has no end");
        if (xg_sim_accept(p, '{')) {
            xg_sim_scope_push(p, at);
            continue;
        }
        if (xg_sim_is(p, '}')) {
            xg_sim_scope_pop(p);
            if (p->depth > outer) xg_sim_next(p);
            continue;
        }
        if (xg_sim_accept(p, ';')) continue;
        if (p->t.kind == XG_SIM_TK_DOT) {
            xg_sim_body_directive(p);
            continue;
        }
        if (xg_sim_accept(p, '@')) {
            xg_sim_sym *s;
            if (xg_sim_is(p, '@')) {
                xg_sim_skip_line(p);
                xg_sim_next(p);
                continue;
            }
            guard_not = xg_sim_accept(p, '!');
            s = p->t.kind == XG_SIM_TK_WORD ? xg_sim_lookup(p, p->t.text) : NULL;
            if (!s || s->kind != XG_SIM_SYM_REG || s->type != XG_SIM_PRED)
                xg_sim_bad(p, p->t.at, "@p or @!p with a .pred register", "'%.*s' is not a predicate", (int)p->t.text.n,
                    p->t.text.p);
            guard = s->reg << 1;
            xg_sim_next(p);
        } else if (p->t.kind == XG_SIM_TK_WORD) {
            xg_str name = p->t.text;
            size_t back = p->pos;
            xg_sim_tok t = p->t;
            xg_sim_next(p);
            if (xg_sim_accept(p, ':')) {
                xg_sim_label(p, name, at);
                continue;
            }
            p->pos = back;
            p->t = t;
        }
        xg_sim_instruction(p, guard, guard_not);
    }
    xg_sim_expect(p, '}');
}

/* ---- entries and functions ---- */

XG_FN void xg_sim_formal_param(
    xg_sim_asm *p, xg_sim_func *f, xg_sim_param *out, xg_sim_formal *formal, uint32_t *offset) {
    uint32_t align = 0, at;
    bool reg = xg_sim_accept_dot(p, "reg");
    xg_sim_type type;
    xg_sim_extent shape;
    xg_sim_sym *s;
    memset(out, 0, sizeof *out);
    memset(formal, 0, sizeof *formal);
    if (!reg && !xg_sim_accept_dot(p, "param")) xg_sim_unexpected(p, ".param");
    if (xg_sim_accept_dot(p, "align")) align = xg_sim_align(p);
    type = xg_sim_parse_type(p);
    while (p->t.kind == XG_SIM_TK_DOT) {
        if (xg_sim_accept_dot(p, "ptr"))
            out->pointer = true;
        else if (xg_sim_accept_dot(p, "align"))
            out->pointee_align = xg_sim_align(p);
        else if (xg_sim_accept_dot(p, "global") || xg_sim_accept_dot(p, "shared") || xg_sim_accept_dot(p, "const") ||
                 xg_sim_accept_dot(p, "local") || xg_sim_accept_dot(p, "generic") || xg_sim_accept_dot(p, "noalias")) {
        } else
            xg_sim_unexpected(p, "a parameter's name");
    }
    at = p->t.at;
    out->name = p->t.text;
    if (p->t.kind != XG_SIM_TK_WORD) xg_sim_unexpected(p, "a parameter's name");
    s = xg_sim_declare(p, p->t.text, reg ? XG_SIM_SYM_REG : XG_SIM_SYM_VAR, p->scope, at);
    xg_sim_next(p);
    s->type = type;
    s->align = XG_MAX(align, XG_MAX(1u, (uint32_t)xg_sim_types[type].bytes));
    shape = xg_sim_dimensions(p, type, 1);
    s->bytes = shape.bytes;
    if (shape.open || s->bytes > 32764)
        xg_sim_unsupported(p, at, NULL, "a parameter must have between 1 and 32764 bytes");
    if (reg) {
        s->space = XG_SIM_REGS;
        s->reg = xg_sim_new_reg(p, xg_sim_types[type].bytes);
        formal->reg = 1;
        formal->at = s->reg;
    } else if (f->entry) {
        s->space = XG_SIM_PARAM;
        *offset = (*offset + s->align - 1) / s->align * s->align;
        s->offset = *offset;
        *offset += (uint32_t)s->bytes;
        formal->at = (uint32_t)s->offset;
    } else {
        s->space = XG_SIM_LOCAL;
        xg_sim_place(p, s);
        formal->at = (uint32_t)s->offset;
    }
    formal->bytes = out->size = (uint32_t)s->bytes;
    formal->align = out->align = s->align;
    out->offset = (uint32_t)s->offset;
    if (*offset > 32764) xg_sim_wrong(p, at, "more than 32764 bytes of parameters");
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
    if (keep) {
        f->info.params = params.p;
        f->info.n_params = params.n;
    }
    return formals.p;
}

XG_FN void xg_sim_triple(xg_sim_asm *p, uint32_t out[3]) {
    uint32_t i = 0;
    out[0] = out[1] = out[2] = 1;
    do out[i++] = xg_sim_small(p, "a dimension", 0x7FFFFFFF);
    while (i < 3 && xg_sim_accept(p, ','));
}

XG_APART XG_FN void xg_sim_performance(xg_sim_asm *p, xg_sim_func *f) {
    for (;;) {
        if (xg_sim_accept_dot(p, "maxntid"))
            xg_sim_triple(p, f->info.maxntid);
        else if (xg_sim_accept_dot(p, "reqntid"))
            xg_sim_triple(p, f->info.reqntid);
        else if (xg_sim_accept_dot(p, "reqnctapercluster"))
            xg_sim_triple(p, f->info.cluster);
        else if (xg_sim_accept_dot(p, "minnctapersm"))
            f->info.resident = xg_sim_small(p, "a number of blocks", 0x7FFFFFFF);
        else if (xg_sim_accept_dot(p, "maxnreg"))
            f->info.registers = xg_sim_small(p, "a register count", 0x7FFFFFFF);
        else if (xg_sim_accept_dot(p, "maxnctapersm") || xg_sim_accept_dot(p, "maxclusterrank"))
            (void)xg_sim_small(p, "a number of blocks", 0x7FFFFFFF);
        else if (xg_sim_accept_dot(p, "abi_preserve") || xg_sim_accept_dot(p, "abi_preserve_control"))
            xg_sim_small(p, "a register count", 0x7FFFFFFF); /* of no concern to what is computed */
        else if (xg_sim_dot(p, "blocksareclusters"))
            xg_sim_unsupported(
                p, p->t.at, "launch with a grid of blocks", "grids that count clusters are not supported");
        else if (xg_sim_accept_dot(p, "explicitcluster") || xg_sim_accept_dot(p, "noreturn")) {
        } else if (xg_sim_accept_dot(p, "pragma")) {
            while (p->t.kind == XG_SIM_TK_STR || xg_sim_is(p, ',')) xg_sim_next(p);
            xg_sim_expect(p, ';');
        } else
            return;
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
    if (xg_sim_accept_dot(p, "attribute")) xg_sim_skip_attribute(p);
    if (!entry && xg_sim_is(p, '(')) rets = xg_sim_formals(p, &blank, &n_rets, false, &none);
    name = p->t.text;
    at = p->t.at;
    if (p->t.kind != XG_SIM_TK_WORD) xg_sim_unexpected(p, "the name of a function");
    s = (xg_sim_sym *)xg_map64_get(&p->syms, (uint64_t)xg_sim_name(p, name) << 32);
    if (s && (s->kind != XG_SIM_SYM_FUNC || s->func->entry != entry))
        xg_sim_wrong(p, at, "'%.*s' is declared twice", (int)name.n, name.p);
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
        if (f->defined) xg_sim_bad(p, at, NULL, "'%.*s' is defined twice", (int)name.n, name.p);
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

/* .alias a, b; : whoever calls a calls b. */
XG_FN void xg_sim_alias(xg_sim_asm *p) {
    xg_sim_func *f[2];
    int i;
    for (i = 0; i < 2; i++) {
        xg_sim_sym *s = p->t.kind == XG_SIM_TK_WORD ? xg_sim_lookup(p, p->t.text) : NULL;
        if (!s || s->kind != XG_SIM_SYM_FUNC || s->func->entry || s->func->alias || s->func->defined != (i == 1))
            xg_sim_bad(p, p->t.at, ".alias A, B; where A is declared, B defined", "'%.*s' is no function for an alias",
                (int)XG_MIN(p->t.text.n, 60u), p->t.text.p);
        f[i] = s->func;
        xg_sim_next(p);
        xg_sim_expect(p, i ? ';' : ',');
    }
    if (f[0]->n_args != f[1]->n_args || f[0]->n_rets != f[1]->n_rets)
        xg_sim_wrong(p, p->t.at, "an alias must have the parameters of its function");
    f[0]->alias = f[1];
}

XG_FN void xg_sim_skip_section(xg_sim_asm *p) { /* .section name { ... } */
    int depth = 0;
    while (p->t.kind != XG_SIM_TK_END && !xg_sim_is(p, '{')) xg_sim_next(p);
    do {
        if (p->t.kind == XG_SIM_TK_END) xg_sim_unexpected(p, "'}'");
        depth += xg_sim_is(p, '{') - xg_sim_is(p, '}');
        xg_sim_next(p);
    } while (depth);
}

XG_APART XG_FN void xg_sim_header(xg_sim_asm *p) {
    if (xg_sim_dot(p, "version")) {
        const char *s = p->src->text;
        uint32_t major = 0, minor = 0;
        size_t at;
        xg_sim_skip_space(p); /* 8.0 is no token: read it by hand */
        p->t.at = (uint32_t)(at = p->pos);
        while (at < p->src->size && xg_sim_is_digit(s[at]) && major < 1000)
            major = major * 10 + (uint32_t)(s[at++] - '0');
        if (at + 1 >= p->src->size || s[at] != '.' || !xg_sim_is_digit(s[at + 1]) || !major)
            xg_sim_unexpected(p, "a version such as 8.0");
        minor = (uint32_t)(s[++at] - '0');
        p->pos = at + 1;
        p->m->version = major * 10 + minor;
        if (p->pos < p->src->size && xg_sim_is_word(s[p->pos]))
            xg_sim_wrong(p, p->pos, "a version is one number, a dot and one digit");
        xg_sim_next(p);
    } else if (xg_sim_accept_dot(p, "target")) {
        if (p->t.kind != XG_SIM_TK_WORD) xg_sim_unexpected(p, "a target such as sm_90a");
        p->m->target = xg_str_copy(p->a, p->t.text);
        do xg_sim_next(p);
        while (p->t.kind == XG_SIM_TK_WORD || xg_sim_is(p, ','));
    } else {
        uint32_t at;
        xg_sim_next(p);
        at = p->t.at;
        if (xg_sim_small(p, "an address size", 64) != 64)
            xg_sim_unsupported(p, at, "write .address_size 64", "only 64-bit addresses are supported");
    }
}

XG_APART XG_FN void xg_sim_module_item(xg_sim_asm *p) {
    bool is_extern = false;
    if (xg_sim_is(p, '@')) {
        xg_sim_skip_line(p);
        xg_sim_next(p);
        return;
    }
    if (p->t.kind != XG_SIM_TK_DOT) xg_sim_unexpected(p, "a directive");
    if (xg_sim_dot(p, "version") || xg_sim_dot(p, "target") || xg_sim_dot(p, "address_size")) {
        xg_sim_header(p);
        return;
    }
    if (!p->m->version)
        xg_sim_bad(p, p->t.at, "begin with .version 8.0, .target sm_90, .address_size 64",
            "the module does not begin with .version");
    if (xg_sim_dot(p, "file") || xg_sim_dot(p, "loc")) {
        xg_sim_skip_line(p);
        xg_sim_next(p);
        return;
    }
    if (xg_sim_dot(p, "section")) {
        xg_sim_skip_section(p);
        return;
    }
    if (xg_sim_accept_dot(p, "pragma")) {
        while (p->t.kind == XG_SIM_TK_STR || xg_sim_is(p, ',')) xg_sim_next(p);
        xg_sim_expect(p, ';');
        return;
    }
    if (xg_sim_accept_dot(p, "alias")) {
        xg_sim_alias(p);
        return;
    }
    for (;;) {
        if (xg_sim_accept_dot(p, "extern"))
            is_extern = true;
        else if (!xg_sim_accept_dot(p, "visible") && !xg_sim_accept_dot(p, "weak") && !xg_sim_accept_dot(p, "common"))
            break;
    }
    if (xg_sim_accept_dot(p, "entry"))
        xg_sim_function(p, true);
    else if (xg_sim_accept_dot(p, "func"))
        xg_sim_function(p, false);
    else if (xg_sim_accept_dot(p, "global"))
        xg_sim_variables(p, XG_SIM_GLOBAL, is_extern);
    else if (xg_sim_accept_dot(p, "const"))
        xg_sim_variables(p, XG_SIM_CONST, is_extern);
    else if (xg_sim_accept_dot(p, "shared"))
        xg_sim_variables(p, XG_SIM_SHARED, is_extern);
    else
        xg_sim_unsupported(p, p->t.at, NULL, "the directive '%.*s' is not known here", (int)p->t.text.n, p->t.text.p);
}

#endif /* XG_SIM_PARSE_C */
