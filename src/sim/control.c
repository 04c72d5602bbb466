/* sim/control.c -- memory, control flow and warp-wide statements to records. */
#ifndef XG_SIM_CONTROL_C
#define XG_SIM_CONTROL_C
#include "convert.c"

/* ---- memory ---- */

/* imm2 of LD, ST, ATOM: what an access is. */
enum {
    XG_SIM_M_SPACE = 15,
    XG_SIM_M_SIZE = 4 /* log2 of an item's bytes, 3 bits */,
    XG_SIM_M_SIGNED = 1 << 7,
    XG_SIM_M_WIDE = 1 << 8 /* 64-bit address */,
    XG_SIM_M_FENCE = 1 << 9,
    XG_SIM_M_VECTOR = 10 /* log2 of items */,
    XG_SIM_M_STRONG = 1 << 12 /* volatile, relaxed, acquire, release */,
    XG_SIM_M_CONSTANT = 1 << 13 /* .nc and ldu: of memory that the kernel does not write */,
    XG_SIM_M_NARROW = 1 << 14 /* of scope .cta */
};

XG_FN bool xg_sim_prefix(xg_str s, const char *prefix) {
    size_t n = strlen(prefix);
    return s.n >= n && memcmp(s.p, prefix, n) == 0;
}

/* Hints that change nothing here: caches, scopes, orders weaker than what the simulator does. */
XG_FN bool xg_sim_take_hints(xg_sim_stmt *s, bool *fence, bool *policy) {
    XG_TABLE const char words[] = "weak volatile relaxed mmio ca cg cs lu cv wb wt nc unified cta cluster gpu sys gl";
    uint32_t i;
    for (i = 0; i < s->n_mods; i++) {
        if (s->used >> i & 1) continue;
        if (xg_word_in(words, s->mods[i]) >= 0) s->used |= 1u << i;
        if (xg_word_in("acquire release acq_rel sc", s->mods[i]) >= 0) {
            s->used |= 1u << i;
            *fence = true;
        }
        if (xg_str_is(s->mods[i], "L2::cache_hint")) {
            s->used |= 1u << i;
            *policy = true;
        } else if (xg_sim_prefix(s->mods[i], "L1::") || xg_sim_prefix(s->mods[i], "L2::"))
            s->used |= 1u << i;
    }
    return true;
}
XG_FN bool xg_sim_strong(const xg_sim_stmt *s) { /* ordered by itself: no data race */
    uint32_t i;
    for (i = 0; i < s->n_mods; i++)
        if (xg_word_in("volatile relaxed mmio acquire release acq_rel sc", s->mods[i]) >= 0) return true;
    return false;
}
XG_FN xg_sim_space xg_sim_take_space(xg_sim_stmt *s) {
    if (xg_sim_take(s, "global")) return XG_SIM_GLOBAL;
    if (xg_sim_take(s, "shared") || xg_sim_take(s, "shared::cta") || xg_sim_take(s, "shared::cluster"))
        return XG_SIM_SHARED;
    if (xg_sim_take(s, "local")) return XG_SIM_LOCAL;
    if (xg_sim_take(s, "const")) return XG_SIM_CONST;
    if (xg_sim_take(s, "param") || xg_sim_take(s, "param::entry") || xg_sim_take(s, "param::func")) return XG_SIM_PARAM;
    return XG_SIM_GENERIC;
}

/* The address operand: base register or constant, what is added, the space it is in. */
XG_FN uint32_t xg_sim_address(
    xg_sim_asm *p, xg_sim_stmt *s, const xg_sim_operand *o, xg_sim_space *space, uint32_t *offset, bool *wide) {
    xg_sim_operand *base;
    uint64_t add;
    uint32_t code;
    if (o->kind != XG_SIM_O_ADDR) xg_sim_bad(p, o->at, "write [register+offset]", "expected an address");
    base = o->items;
    add = o->value + (base->kind == XG_SIM_O_VAR ? base->value : 0);
    *offset = 0;
    *wide = true;
    if (base->kind == XG_SIM_O_NUM) return xg_sim_constant(p, base->value + add, 8);
    if (base->kind == XG_SIM_O_VAR) {
        xg_sim_space is = base->sym->space;
        if (*space == XG_SIM_PARAM && is == XG_SIM_LOCAL) *space = XG_SIM_LOCAL;
        if (*space == XG_SIM_GENERIC) *space = is;
        if (*space != is)
            xg_sim_wrong(p, base->at, "'%.*s' is not in the address space that the instruction names",
                (int)base->word.n, base->word.p);
        return xg_sim_address_of(p, s, base->sym, add, 8);
    }
    if (*space == XG_SIM_PARAM && !p->f->entry) *space = XG_SIM_LOCAL;
    code = base->sym->reg << 1;
    if (base->sym->type == XG_SIM_PRED) xg_sim_wrong(p, base->at, "a predicate is no address");
    *wide = xg_sim_bytes_of(p, code) == 8;
    if (!*wide && (xg_sim_bytes_of(p, code) != 4 || *space == XG_SIM_GLOBAL || *space == XG_SIM_GENERIC))
        xg_sim_bad(p, base->at, "addresses of global and generic memory have 64 bits",
            "'%.*s' is too narrow for an address", (int)base->word.n, base->word.p);
    if ((int64_t)add != (int32_t)add) { /* a distance that the record cannot hold */
        uint32_t sum = xg_sim_temp(p, 8);
        if (!*wide) xg_sim_wrong(p, o->at, "the offset does not fit 32 bits");
        xg_sim_alu_2(p, s, XG_F(add_i64), sum, code, xg_sim_constant(p, add, 8));
        return sum;
    }
    *offset = (uint32_t)add;
    return code;
}

XG_FN uint32_t xg_sim_list_begin(const xg_sim_asm *p) { return p->list.n; }
XG_FN void xg_sim_list_add(xg_sim_asm *p, uint32_t code) { xg_push(&p->scratch, uint32_t, &p->list, code); }

XG_FN uint32_t xg_sim_vector_of(xg_sim_asm *p, xg_sim_stmt *s, const xg_sim_operand *o, const xg_sim_operand **items) {
    uint32_t n = xg_sim_take(s, "v2") ? 2 : xg_sim_take(s, "v4") ? 4 : xg_sim_take(s, "v8") ? 8 : 1;
    if (n == 1) {
        *items = o;
        if (o->kind == XG_SIM_O_VEC && o->n != 1) xg_sim_wrong(p, o->at, "a vector operand needs .v2, .v4 or .v8");
        if (o->kind == XG_SIM_O_VEC) *items = o->items;
        return 1;
    }
    if (o->kind != XG_SIM_O_VEC || o->n != n) xg_sim_wrong(p, o->at, ".v%u needs %u registers in braces", n, n);
    *items = o->items;
    return n;
}

XG_FN bool xg_sim_has(const xg_sim_stmt *s, const char *words); /* decode_async.c */
XG_FN void xg_sim_st_async(xg_sim_asm *p, xg_sim_stmt *s, bool red);
XG_FN void xg_sim_st_bulk(xg_sim_asm *p, xg_sim_stmt *s);
/* Asynchronous towards shared memory; st.async.mmio.release and red.async.mmio.release to global memory are done when
 * they are issued. */
XG_FN bool xg_sim_take_async(xg_sim_stmt *s) {
    return xg_sim_take(s, "async") && !(xg_sim_has(s, "mmio") && xg_sim_has(s, "release") && xg_sim_has(s, "global"));
}
XG_FN void xg_sim_cluster_barrier(xg_sim_asm *p, xg_sim_stmt *s);

XG_FN void xg_sim_access(xg_sim_asm *p, xg_sim_stmt *s, uint32_t store) {
    bool fence = false, policy = false, wide;
    xg_sim_space space;
    xg_sim_type t;
    const xg_sim_operand *items, *data = &s->o[store ? 1 : 0], *where = &s->o[store ? 0 : 1];
    uint32_t n, i, list, address, offset, bytes = 0, code;
    xg_sim_ins *in;
    if (store && xg_sim_has(s, "bulk")) {
        xg_sim_st_bulk(p, s);
        return;
    }
    if (store && xg_sim_take_async(s)) {
        xg_sim_st_async(p, s, false);
        return;
    }
    xg_sim_take_hints(s, &fence, &policy);
    space = xg_sim_take_space(s);
    xg_sim_operands(p, s, policy ? 3 : 2, policy ? 3 : 2);
    n = xg_sim_vector_of(p, s, data, &items);
    t = xg_sim_take_type(p, s);
    if (t == XG_SIM_PRED || (t == XG_SIM_B128 && n > 1)) xg_sim_no_type(p, s, t);
    address = xg_sim_address(p, s, where, &space, &offset, &wide);
    if (n * xg_sim_types[t].bytes > 32) xg_sim_wrong(p, s->at, "an access of more than 32 bytes");
    if (store && (space == XG_SIM_CONST || space == XG_SIM_PARAM))
        xg_sim_wrong(p, s->at, "constants and kernel parameters cannot be written");
    {
        uint32_t codes[8];
        if (t == XG_SIM_B128) {
            xg_sim_halves_of(p, s, items, !store, codes);
            n = 2;
            t = XG_SIM_B64;
            bytes = 8;
        } else
            for (i = 0; i < n; i++) {
                if (store && n > 1 && items[i].kind == XG_SIM_O_NUM) {
                    codes[i] = XG_SIM_NOREG;
                    continue;
                } /* as wide as the registers beside it */
                code = store ? xg_sim_source_in(p, s, &items[i], t, true) : xg_sim_dest_in(p, &items[i], t, true);
                if (bytes && xg_sim_bytes_of(p, code) != bytes)
                    xg_sim_unsupported(p, items[i].at, NULL, "the registers of one access must have one size");
                bytes = xg_sim_bytes_of(p, code);
                codes[i] = code;
            }
        if (!bytes) bytes = XG_MAX(xg_sim_types[t].bytes, 2u);
        for (i = 0; store && i < n; i++)
            if (codes[i] == XG_SIM_NOREG) codes[i] = xg_sim_constant(p, xg_sim_number_as(&items[i], t), bytes);
        list = xg_sim_list_begin(p);
        for (i = 0; i < n; i++) xg_sim_list_add(p, codes[i]);
    }
    in = xg_sim_put(p, s, store ? XG_SIM_K_ST : XG_SIM_K_LD);
    if (!store && space == XG_SIM_PARAM && address & 1) {
        in->kind = XG_SIM_K_PARAM;
        in->imm = (uint32_t)p->consts.p[address >> 1].value;
        in->imm2 = 0;
    } else {
        in->a = address;
        in->imm = offset;
    }
    in->list = list;
    in->n = (uint16_t)n;
    in->dbytes = (uint8_t)bytes;
    in->imm2 = (uint32_t)space | xg_sim_log2(xg_sim_types[t].bytes) << XG_SIM_M_SIZE |
               (xg_sim_types[t].cls == 'S' ? (uint32_t)XG_SIM_M_SIGNED : 0u) | (wide ? (uint32_t)XG_SIM_M_WIDE : 0u) |
               (fence ? (uint32_t)XG_SIM_M_FENCE : 0u) | (xg_sim_strong(s) ? (uint32_t)XG_SIM_M_STRONG : 0u) |
               (xg_sim_has(s, "nc") || xg_str_is(s->op, "ldu") ? (uint32_t)XG_SIM_M_CONSTANT : 0u) |
               (xg_sim_strong(s) && xg_sim_has(s, "cta") ? (uint32_t)XG_SIM_M_NARROW : 0u) |
               (n == 8      ? 3u
                   : n == 4 ? 2u
                   : n == 2 ? 1u
                            : 0u)
                   << XG_SIM_M_VECTOR;
    if (in->kind == XG_SIM_K_PARAM && in->imm + n * xg_sim_types[t].bytes > p->f->info.param_bytes)
        xg_sim_wrong(p, where->at, "the access leaves the kernel's %u bytes of parameters", p->f->info.param_bytes);
}

/* X(NAME, text): the operation of atom and red. */
#define XG_SIM_ATOMS(X) \
    X(ADD, "add") \
    X(MIN, "min") \
    X(MAX, "max") X(AND, "and") X(OR, "or") X(XOR, "xor") X(EXCH, "exch") X(CAS, "cas") X(INC, "inc") X(DEC, "dec")
typedef enum xg_sim_atom {
#define X(name, text) XG_SIM_A_##name,
    XG_SIM_ATOMS(X)
#undef X
    XG_SIM_A_COUNT
} xg_sim_atom;

XG_FN void xg_sim_d_atom(xg_sim_asm *p, xg_sim_stmt *s, uint32_t red) {
    bool fence = false, policy = false, wide;
    xg_sim_space space;
    int op;
    xg_sim_type t;
    uint32_t address, offset, b[8], c = XG_SIM_NOREG, d[8], want, i, n, list, at = red ? 0 : 1;
    const xg_sim_operand *items, *dests = NULL;
    xg_sim_ins *in;
    bool whole; /* 128 bits: the halves of B, then of C */
    if (red && xg_sim_take_async(s)) {
        xg_sim_st_async(p, s, true);
        return;
    }
    xg_sim_take_hints(s, &fence, &policy);
    space = xg_sim_take_space(s);
#define X(name, text) text " "
    op = xg_sim_take_one(s, XG_SIM_ATOMS(X));
#undef X
    if (op < 0) xg_sim_bad(p, s->at, "such as atom.global.add.u32", "'%.*s' needs an operation", (int)s->op.n, s->op.p);
    xg_sim_take(s, "noftz");
    want = (red ? 2u : 3u) + (op == XG_SIM_A_CAS) + policy;
    xg_sim_operands(p, s, want, want);
    n = xg_sim_vector_of(p, s, &s->o[at + 1], &items);
    t = xg_sim_take_type(p, s);
    whole = t == XG_SIM_B128 && !red && n == 1 && (op == XG_SIM_A_EXCH || op == XG_SIM_A_CAS);
    if (xg_sim_types[t].bytes < 2 || (xg_sim_types[t].bytes > 8 && !whole) || t == XG_SIM_PRED ||
        (red && op >= XG_SIM_A_EXCH && op < XG_SIM_A_INC))
        xg_sim_no_type(p, s, t);
    if (xg_sim_types[t].cls == 'B' &&
        (op == XG_SIM_A_ADD || op == XG_SIM_A_MIN || op == XG_SIM_A_MAX || op >= XG_SIM_A_INC))
        xg_sim_no_type(p, s, t);
    if ((xg_sim_types[t].cls == 'F' || xg_sim_types[t].cls == 'V') && op > XG_SIM_A_MAX) xg_sim_no_type(p, s, t);
    if (op >= XG_SIM_A_INC && t != XG_SIM_U32) xg_sim_no_type(p, s, t);
    if (xg_sim_is_float(t) && op != XG_SIM_A_ADD) xg_sim_no_type(p, s, t);
    if (n > 1 && ((space != XG_SIM_GLOBAL && space != XG_SIM_GENERIC) || op > XG_SIM_A_MAX)) xg_sim_no_type(p, s, t);
    address = xg_sim_address(p, s, &s->o[at], &space, &offset, &wide);
    if (space != XG_SIM_GLOBAL && space != XG_SIM_SHARED && space != XG_SIM_GENERIC)
        xg_sim_wrong(p, s->at, "atomics work on global and shared memory only");
    if (whole) {
        xg_sim_halves_of(p, s, &s->o[2], false, b);
        if (op == XG_SIM_A_CAS) xg_sim_halves_of(p, s, &s->o[3], false, b + 2);
        xg_sim_halves_of(p, s, &s->o[0], true, d);
    } else
        for (i = 0; i < n; i++) b[i] = xg_sim_source_of(p, s, &items[i], t);
    if (op == XG_SIM_A_CAS && !whole) c = xg_sim_source(p, s, at + 2, t);
    if (!red && !whole) {
        dests = &s->o[0];
        if (n > 1) {
            if (dests->kind != XG_SIM_O_VEC || dests->n != n)
                xg_sim_wrong(p, dests->at, "the destination must have %u registers in braces", n);
            dests = dests->items;
        }
        for (i = 0; i < n; i++) d[i] = xg_sim_dest_of(p, &dests[i], t);
    }
    list = xg_sim_list_begin(p);
    if (whole) n = op == XG_SIM_A_CAS ? 4 : 2;
    for (i = 0; i < n; i++) xg_sim_list_add(p, b[i]);
    for (i = 0; i < (whole ? 2 : n) && !red; i++) xg_sim_list_add(p, d[i]);
    in = xg_sim_put(p, s, XG_SIM_K_ATOM);
    in->op = (uint16_t)op;
    in->list = list;
    in->n = (uint16_t)(p->list.n - list);
    in->d2bytes = (uint8_t)n;
    in->a = address;
    in->c = c;
    in->imm = offset;
    in->dbytes = whole ? 8 : xg_sim_types[t].bytes;
    in->e = XG_SIM_NOREG;
    in->flags |= fence ? XG_SIM_UNI : 0;
    in->imm2 = (uint32_t)space | xg_sim_log2(xg_sim_types[t].bytes) << XG_SIM_M_SIZE |
               (wide ? (uint32_t)XG_SIM_M_WIDE : 0u) | (fence ? (uint32_t)XG_SIM_M_FENCE : 0u) |
               (xg_sim_has(s, "cta") ? (uint32_t)XG_SIM_M_NARROW : 0u) | (uint32_t)t << 16;
}

/* cvta, cvta.to, isspacep. imm: space, then 0 to generic, 1 from generic, 2 test. */
XG_FN void xg_sim_d_cvta(xg_sim_asm *p, xg_sim_stmt *s, uint32_t test) {
    bool to = !test && xg_sim_take(s, "to");
    xg_sim_space space = xg_sim_take_space(s);
    xg_sim_type t = test ? XG_SIM_U64 : xg_sim_take_type(p, s);
    uint32_t a, d;
    xg_sim_ins *in;
    xg_sim_operands_are(p, s, 2);
    if (space == XG_SIM_GENERIC) xg_sim_wrong(p, s->at, "'%.*s' needs an address space", (int)s->op.n, s->op.p);
    if (t != XG_SIM_U64) xg_sim_no_type(p, s, t);
    a = xg_sim_source_of(p, s, &s->o[1], t);
    d = xg_sim_dest(p, s, test ? XG_SIM_PRED : t);
    if (!test && (space == XG_SIM_GLOBAL || space == XG_SIM_CONST)) {
        xg_sim_alu_1(p, s, XG_F(mov_b64), d, a);
        return;
    }
    if (space == XG_SIM_PARAM && !p->f->entry) space = XG_SIM_LOCAL;
    in = xg_sim_put(p, s, XG_SIM_K_SPACE);
    in->a = a;
    in->d = d;
    in->imm = (uint32_t)space | (test ? 2u : to ? 1u : 0u) << 8;
}

/* ---- control flow ---- */

XG_FN void xg_sim_branch_to(xg_sim_asm *p, uint32_t record, uint32_t name, uint32_t at, uint32_t list) {
    xg_sim_fix f;
    f.record = record;
    f.name = name;
    f.scope = p->scope;
    f.at = at;
    f.list = list;
    xg_push(&p->scratch, xg_sim_fix, &p->fixes, f);
}
XG_FN void xg_sim_d_bra(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    (void)arg;
    xg_sim_take(s, "uni");
    xg_sim_operands_are(p, s, 1);
    if (s->o[0].kind != XG_SIM_O_LABEL) xg_sim_wrong(p, s->o[0].at, "'bra' needs a label");
    xg_sim_put(p, s, XG_SIM_K_BRA);
    xg_sim_branch_to(p, p->code.n - 1, xg_sim_name(p, s->o[0].word), s->o[0].at, XG_SIM_NOREG);
}
XG_FN void xg_sim_d_brx(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    xg_sim_sym *t;
    uint32_t a, i;
    xg_sim_ins *in;
    (void)arg;
    if (!xg_sim_take(s, "idx")) xg_sim_wrong(p, s->at, "'brx' is written brx.idx");
    xg_sim_take(s, "uni");
    xg_sim_operands_are(p, s, 2);
    a = xg_sim_source(p, s, 0, XG_SIM_U32);
    t = s->o[1].kind == XG_SIM_O_LABEL ? s->o[1].sym : NULL;
    if (!t || t->kind != XG_SIM_SYM_TARGETS)
        xg_sim_bad(
            p, s->o[1].at, "name: .branchtargets L1, L2; before it", "expected the name of a .branchtargets list");
    in = xg_sim_put(p, s, XG_SIM_K_BRX);
    in->a = a;
    in->list = p->list.n;
    if (t->n_targets > 0xFFFF) xg_sim_limit(p, s->at, "more than 65535 targets");
    in->n = (uint16_t)t->n_targets;
    for (i = 0; i < t->n_targets; i++) {
        xg_sim_branch_to(p, p->code.n - 1, t->targets[i], s->o[1].at, p->list.n);
        xg_sim_list_add(p, 0);
    }
}
XG_FN void xg_sim_d_exit(xg_sim_asm *p, xg_sim_stmt *s, uint32_t kind) {
    xg_sim_take(s, "uni");
    xg_sim_operands_are(p, s, 0);
    xg_sim_put(p, s, (xg_sim_kind)kind);
    if (kind == XG_SIM_K_BRA) p->code.p[p->code.n - 1].op = 1; /* ret: a branch to the function's end */
}

XG_FN void xg_sim_call_args(
    xg_sim_asm *p, xg_sim_stmt *s, const xg_sim_operand *list, const xg_sim_formal *formals, uint32_t n, bool ret) {
    uint32_t i;
    if ((list ? list->n : 0) != n)
        xg_sim_wrong(p, list ? list->at : s->at, "the function has %u %s, not %u", n, ret ? "results" : "parameters",
            list ? list->n : 0);
    for (i = 0; i < n; i++) {
        const xg_sim_operand *o = &list->items[i];
        xg_sim_copy c;
        uint32_t here;
        memset(&c, 0, sizeof c);
        c.reg = formals[i].reg;
        c.bytes = formals[i].bytes;
        if (c.reg) {
            uint32_t bytes = formals[i].bytes;
            if (o->kind == XG_SIM_O_REG)
                here = o->sym->reg << 1;
            else if (o->kind == XG_SIM_O_SINK && ret)
                here = xg_sim_temp(p, XG_MAX(bytes, 2u));
            else if (o->kind == XG_SIM_O_NUM && !ret)
                here = xg_sim_constant(p, o->value, bytes);
            else
                xg_sim_wrong(p, o->at, "expected a register");
            if (xg_sim_bytes_of(p, here) != XG_MAX(bytes, 2u))
                xg_sim_wrong(p, o->at, "the parameter has %u bytes, the register %u", bytes, xg_sim_bytes_of(p, here));
            xg_sim_list_add(p, here);
        } else {
            if (o->kind != XG_SIM_O_VAR || o->sym->space != XG_SIM_LOCAL)
                xg_sim_wrong(p, o->at, "expected a .param variable of this function");
            if (o->sym->bytes < c.bytes)
                xg_sim_wrong(p, o->at, "the variable has %u bytes; %u are needed", (uint32_t)o->sym->bytes, c.bytes);
            here = (uint32_t)o->sym->offset;
        }
        c.from = ret ? formals[i].at : here;
        c.to = ret ? here : formals[i].at;
        xg_push(&p->scratch, xg_sim_copy, &p->copies, c);
    }
}
/* A branch to a record that is known, or will be: taken when the register's mask is as `not` says; always when there is
 * none. */
XG_APART XG_FN uint32_t xg_sim_jump(xg_sim_asm *p, xg_sim_stmt *s, uint32_t guard, bool inverted) {
    uint32_t had = s->guard;
    bool had_not = s->guard_not;
    s->guard = guard;
    s->guard_not = inverted;
    xg_sim_put(p, s, XG_SIM_K_BRA);
    s->guard = had;
    s->guard_not = had_not;
    return p->code.n - 1;
}
XG_FN void xg_sim_call_one(
    xg_sim_asm *p, xg_sim_stmt *s, xg_sim_func *callee, const xg_sim_operand *rets, const xg_sim_operand *args) {
    xg_sim_callsite site;
    xg_sim_ins *in;
    uint32_t list = xg_sim_list_begin(p);
    memset(&site, 0, sizeof site);
    site.callee = callee;
    site.first_arg = p->copies.n;
    xg_sim_call_args(p, s, args, callee->args, callee->n_args, false);
    site.n_args = p->copies.n - site.first_arg;
    site.first_ret = p->copies.n;
    xg_sim_call_args(p, s, rets, callee->rets, callee->n_rets, true);
    site.n_rets = p->copies.n - site.first_ret;
    in = xg_sim_put(p, s, XG_SIM_K_CALL);
    in->imm = p->sites.n;
    in->list = list;
    in->n = (uint16_t)(p->list.n - list);
    xg_push(&p->scratch, xg_sim_callsite, &p->sites, site);
    xg_push(&p->scratch, uint32_t, &p->calls, callee->id);
}
/* Could the operands be those of such formals? */
XG_FN bool xg_sim_call_fits(const xg_sim_asm *p, const xg_sim_operand *list, const xg_sim_formal *formals, uint32_t n) {
    uint32_t i;
    if ((list ? list->n : 0) != n) return false;
    for (i = 0; i < n; i++) {
        const xg_sim_operand *o = &list->items[i];
        if (formals[i].reg
                ? o->kind != XG_SIM_O_REG || p->vregs.p[o->sym->reg].bytes != XG_MAX(2u, formals[i].bytes)
                : o->kind != XG_SIM_O_VAR || o->sym->space != XG_SIM_LOCAL || o->sym->bytes != formals[i].bytes)
            return false;
    }
    return true;
}
/* A call through a register: one call by name for each function known here that fits, chosen by its address. */
XG_APART XG_FN void xg_sim_call_indirect(
    xg_sim_asm *p, xg_sim_stmt *s, uint32_t pointer, const xg_sim_operand *rets, const xg_sim_operand *args) {
    XG_VEC(uint32_t) ends = {NULL, 0, 0};
    uint32_t i, k, next;
    for (i = 0; i < p->funcs.n; i++) {
        xg_sim_func *f = p->funcs.p[i];
        uint32_t other;
        if (f->entry || !xg_sim_call_fits(p, args, f->args, f->n_args) ||
            !xg_sim_call_fits(p, rets, f->rets, f->n_rets))
            continue;
        other = xg_sim_temp(p, 4);
        xg_sim_alu_2(p, s, XG_F(set_ne_s64), other, pointer, xg_sim_constant(p, xg_sim_function_address(f), 8));
        next = xg_sim_jump(p, s, other, false);
        xg_sim_call_one(p, s, f, rets, args);
        k = xg_sim_jump(p, s, XG_SIM_NOREG, false);
        xg_push(&p->scratch, uint32_t, &ends, k);
        p->code.p[next].imm = p->code.n;
    }
    xg_sim_put(p, s, XG_SIM_K_TRAP)->op = 1; /* no function of this kind */
    for (i = 0; i < ends.n; i++) p->code.p[ends.p[i]].imm = p->code.n;
}
/* call[.uni] [(rets),] name[, (args)][, prototype] */
XG_FN void xg_sim_d_call(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    uint32_t i = 0, around = XG_SIM_NOREG;
    const xg_sim_operand *rets = NULL, *args = NULL, *to;
    (void)arg;
    xg_sim_take(s, "uni");
    if (i < s->n && s->o[i].kind == XG_SIM_O_LIST) rets = &s->o[i++];
    to = i < s->n ? &s->o[i++] : NULL;
    if (!to || (to->kind != XG_SIM_O_FUNC && to->kind != XG_SIM_O_REG))
        xg_sim_bad(p, to ? to->at : s->at, "declare it with .func before", "expected the name of a function");
    if (to->kind == XG_SIM_O_FUNC && to->sym->func->entry) xg_sim_wrong(p, s->at, "an .entry cannot be called");
    if (i < s->n && s->o[i].kind == XG_SIM_O_LIST) args = &s->o[i++];
    if (to->kind == XG_SIM_O_REG) {
        const xg_sim_operand *o = i < s->n ? &s->o[i++] : NULL;
        if (!o || o->kind != XG_SIM_O_LABEL || !o->sym || o->sym->kind != XG_SIM_SYM_PROTO)
            xg_sim_bad(p, o ? o->at : s->at, "name: .callprototype _ (.param .b32 _); before it",
                "a call through a register needs a prototype");
    }
    if (i != s->n) xg_sim_wrong(p, s->at, "too many operands");
    if (s->guard != XG_SIM_NOREG) { /* a branch around it, so that its lanes meet the others behind it */
        around = xg_sim_jump(p, s, s->guard, !s->guard_not);
        s->guard = XG_SIM_NOREG;
        s->guard_not = false;
    }
    if (to->kind == XG_SIM_O_FUNC)
        xg_sim_call_one(p, s, to->sym->func, rets, args);
    else
        xg_sim_call_indirect(p, s, xg_sim_source_of(p, s, to, XG_SIM_U64), rets, args);
    if (around != XG_SIM_NOREG) p->code.p[around].imm = p->code.n;
}

/* ---- barriers and warp-wide operations ---- */

typedef enum xg_sim_warpop {
    XG_SIM_W_UP,
    XG_SIM_W_DOWN,
    XG_SIM_W_BFLY,
    XG_SIM_W_IDX,
    XG_SIM_W_ALL,
    XG_SIM_W_ANY,
    XG_SIM_W_UNI,
    XG_SIM_W_BALLOT,
    XG_SIM_W_ACTIVE,
    XG_SIM_W_MATCH_ANY,
    XG_SIM_W_MATCH_ALL,
    XG_SIM_W_ADD,
    XG_SIM_W_MIN,
    XG_SIM_W_MAX,
    XG_SIM_W_AND,
    XG_SIM_W_OR,
    XG_SIM_W_XOR,
    XG_SIM_W_ELECT,
    XG_SIM_W_SYNC
} xg_sim_warpop;
typedef enum xg_sim_barop {
    XG_SIM_BAR_SYNC,
    XG_SIM_BAR_ARRIVE,
    XG_SIM_BAR_POPC,
    XG_SIM_BAR_AND,
    XG_SIM_BAR_OR
} xg_sim_barop;

XG_FN void xg_sim_d_bar(xg_sim_asm *p, xg_sim_stmt *s, uint32_t barrier) {
    uint32_t a, b = XG_SIM_NOREG, c = XG_SIM_NOREG, d = XG_SIM_NOREG, i = 0;
    xg_sim_barop op = XG_SIM_BAR_SYNC;
    bool aligned = !barrier;
    xg_sim_ins *in;
    xg_sim_take(s, "cta");
    if (xg_sim_take(s, "warp")) {
        xg_sim_take(s, "sync");
        xg_sim_operands_are(p, s, 1);
        a = xg_sim_source(p, s, 0, XG_SIM_U32);
        in = xg_sim_put(p, s, XG_SIM_K_WARP);
        in->op = XG_SIM_W_SYNC;
        in->e = a;
        return;
    }
    if (xg_sim_take(s, "cluster")) {
        xg_sim_cluster_barrier(p, s);
        return;
    }
    if (xg_sim_take(s, "sync")) {
    } else if (xg_sim_take(s, "arrive"))
        op = XG_SIM_BAR_ARRIVE;
    else if (xg_sim_take(s, "red")) {
        op = xg_sim_take(s, "popc")  ? XG_SIM_BAR_POPC
             : xg_sim_take(s, "and") ? XG_SIM_BAR_AND
             : xg_sim_take(s, "or")  ? XG_SIM_BAR_OR
                                     : XG_SIM_BAR_SYNC;
        if (op == XG_SIM_BAR_SYNC) xg_sim_wrong(p, s->at, "a barrier reduction needs .popc, .and or .or");
        xg_sim_take(s, "u32");
        xg_sim_take(s, "pred");
    } else
        xg_sim_bad(p, s->at, "such as bar.sync 0", "'%.*s' needs .sync, .arrive or .red", (int)s->op.n, s->op.p);
    if (xg_sim_take(s, "aligned")) aligned = true;
    if (op >= XG_SIM_BAR_POPC) {
        xg_sim_operands(p, s, 3, 4);
        d = xg_sim_dest(p, s, op == XG_SIM_BAR_POPC ? XG_SIM_U32 : XG_SIM_PRED);
        c = xg_sim_source(p, s, s->n - 1, XG_SIM_PRED);
        a = xg_sim_source(p, s, 1, XG_SIM_U32);
        if (s->n == 4) b = xg_sim_source(p, s, 2, XG_SIM_U32);
    } else {
        xg_sim_operands(p, s, op == XG_SIM_BAR_ARRIVE ? 2 : 1, 2);
        a = xg_sim_source(p, s, i, XG_SIM_U32);
        if (s->n == 2) b = xg_sim_source(p, s, 1, XG_SIM_U32);
    }
    in = xg_sim_put(p, s, XG_SIM_K_BAR);
    in->op = (uint16_t)op;
    in->a = a;
    in->b = b;
    in->c = c;
    in->d = d;
    in->imm = aligned;
}

XG_FN void xg_sim_d_shfl(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    bool sync = xg_sim_take(s, "sync");
    int op = xg_sim_take_one(s, "up down bfly idx");
    uint32_t a, b, c, e, d, d2 = XG_SIM_NOREG;
    xg_sim_ins *in;
    (void)arg;
    if (op < 0) xg_sim_wrong(p, s->at, "'shfl' needs .up, .down, .bfly or .idx");
    xg_sim_take(s, "b32");
    xg_sim_operands(p, s, sync ? 5 : 4, sync ? 5 : 4);
    d = xg_sim_dest(p, s, XG_SIM_B32);
    if (s->o[0].pair) d2 = xg_sim_dest_of(p, s->o[0].pair, XG_SIM_PRED);
    a = xg_sim_source(p, s, 1, XG_SIM_B32);
    b = xg_sim_source(p, s, 2, XG_SIM_B32);
    c = xg_sim_source(p, s, 3, XG_SIM_B32);
    e = sync ? xg_sim_source(p, s, 4, XG_SIM_B32) : XG_SIM_NOREG;
    in = xg_sim_put(p, s, XG_SIM_K_WARP);
    in->op = (uint16_t)op;
    in->d = d;
    in->d2 = d2;
    in->a = a;
    in->b = b;
    in->c = c;
    in->e = e;
    in->dbytes = 4;
}
XG_FN void xg_sim_d_vote(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    bool sync = xg_sim_take(s, "sync");
    int op = xg_sim_take_one(s, "all any uni ballot");
    uint32_t d, a, e;
    xg_sim_ins *in;
    (void)arg;
    if (op < 0) xg_sim_wrong(p, s->at, "'vote' needs .all, .any, .uni or .ballot");
    xg_sim_take(s, op == 3 ? "b32" : "pred");
    xg_sim_operands(p, s, sync ? 3 : 2, sync ? 3 : 2);
    d = xg_sim_dest(p, s, op == 3 ? XG_SIM_B32 : XG_SIM_PRED);
    a = xg_sim_source(p, s, 1, XG_SIM_PRED);
    e = sync ? xg_sim_source(p, s, 2, XG_SIM_B32) : XG_SIM_NOREG;
    in = xg_sim_put(p, s, XG_SIM_K_WARP);
    in->op = (uint16_t)(XG_SIM_W_ALL + op);
    in->d = d;
    in->a = a;
    in->e = e;
    in->dbytes = 4;
}
XG_FN void xg_sim_d_match(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    bool all = xg_sim_take(s, "all"), wide;
    xg_sim_type t;
    uint32_t d, d2 = XG_SIM_NOREG, a, e;
    xg_sim_ins *in;
    (void)arg;
    if (!all && !xg_sim_take(s, "any")) xg_sim_wrong(p, s->at, "'match' needs .any or .all");
    if (!xg_sim_take(s, "sync")) xg_sim_wrong(p, s->at, "'match' needs .sync");
    t = xg_sim_take_type(p, s);
    wide = xg_sim_types[t].bytes == 8;
    if (t != XG_SIM_B32 && t != XG_SIM_B64) xg_sim_no_type(p, s, t);
    xg_sim_operands_are(p, s, 3);
    d = xg_sim_dest(p, s, XG_SIM_B32);
    if (s->o[0].pair) d2 = xg_sim_dest_of(p, s->o[0].pair, XG_SIM_PRED);
    a = xg_sim_source(p, s, 1, t);
    e = xg_sim_source(p, s, 2, XG_SIM_B32);
    in = xg_sim_put(p, s, XG_SIM_K_WARP);
    in->op = all ? XG_SIM_W_MATCH_ALL : XG_SIM_W_MATCH_ANY;
    in->d = d;
    in->d2 = d2;
    in->a = a;
    in->e = e;
    in->imm = wide;
    in->dbytes = 4;
}
XG_FN void xg_sim_d_redux(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    int op;
    bool absolute, nan;
    xg_sim_type t;
    uint32_t d, a, e;
    xg_sim_ins *in;
    (void)arg;
    if (!xg_sim_take(s, "sync")) xg_sim_wrong(p, s->at, "'redux' needs .sync");
    op = xg_sim_take_one(s, "add min max and or xor");
    absolute = xg_sim_take(s, "abs");
    nan = xg_sim_take(s, "NaN");
    t = xg_sim_take_type(p, s);
    if (op < 0 || xg_sim_types[t].bytes != 4 || xg_sim_types[t].cls == 'V' || (t == XG_SIM_F32 && op != 1 && op != 2) ||
        (t != XG_SIM_F32 && (absolute || nan)) || (t == XG_SIM_B32 && op < 3))
        xg_sim_no_type(p, s, t);
    xg_sim_operands_are(p, s, 3);
    d = xg_sim_dest(p, s, t);
    a = xg_sim_source(p, s, 1, t);
    if (absolute) a = xg_sim_via(p, s, XG_F(abs_f32), 4, a);
    e = xg_sim_source(p, s, 2, XG_SIM_B32);
    in = xg_sim_put(p, s, XG_SIM_K_WARP);
    in->op = (uint16_t)(XG_SIM_W_ADD + op);
    in->d = d;
    in->a = a;
    in->e = e;
    in->imm = t == XG_SIM_S32 ? 1 : t == XG_SIM_F32 ? (nan ? 3u : 2u) : 0;
    in->dbytes = 4;
}
XG_FN void xg_sim_d_active(xg_sim_asm *p, xg_sim_stmt *s, uint32_t elect) {
    uint32_t d, d2 = XG_SIM_NOREG, e = XG_SIM_NOREG;
    xg_sim_ins *in;
    xg_sim_take(s, elect ? "sync" : "b32");
    xg_sim_operands(p, s, elect ? 2 : 1, elect ? 2 : 1);
    d = xg_sim_dest(p, s, XG_SIM_B32);
    if (elect) {
        if (!s->o[0].pair) xg_sim_bad(p, s->o[0].at, "write d|p or _|p", "'elect' has two destinations");
        d2 = xg_sim_dest_of(p, s->o[0].pair, XG_SIM_PRED);
        e = xg_sim_source(p, s, 1, XG_SIM_B32);
    }
    in = xg_sim_put(p, s, XG_SIM_K_WARP);
    in->op = elect ? XG_SIM_W_ELECT : XG_SIM_W_ACTIVE;
    in->d = d;
    in->d2 = d2;
    in->e = e;
    in->dbytes = 4;
}

#endif /* XG_SIM_CONTROL_C */
