/* sim/decode.c -- arithmetic statements to records.
 *
 * XG_SIM_ROWS lists every mnemonic with the function that decodes it. A decoder takes the modifiers it understands
 * (what is left over is an error), fetches operands with the sizes the type asks for, and puts records. A modifier that
 * the arithmetic function does not know itself becomes a record of its own before or after (.ftz, .sat), on temporary
 * registers; the real destination is written by the last record only, so that sources which are the same register stay
 * readable.
 *
 * Operands in records are id*2 for registers and id*2+1 for constants until flow.c turns them into offsets. */
#ifndef XG_SIM_DECODE_C
#define XG_SIM_DECODE_C
#include "scalar.c"

/* ---- modifiers ---- */

XG_FN bool xg_sim_take(xg_sim_stmt *s, const char *word) {
    uint32_t i;
    for (i = 0; i < s->n_mods; i++)
        if (!(s->used >> i & 1) && xg_str_is(s->mods[i], word)) {
            s->used |= 1u << i;
            return true;
        }
    return false;
}
XG_FN xg_sim_type xg_sim_take_type(xg_sim_asm *p, xg_sim_stmt *s) { /* the first one left */
    uint32_t i;
    for (i = 0; i < s->n_mods; i++) {
        xg_sim_type t = s->used >> i & 1 ? XG_SIM_NONE : xg_sim_type_of(s->mods[i]);
        if (t != XG_SIM_NONE) {
            s->used |= 1u << i;
            return t;
        }
    }
    xg_sim_bad(p, s->at, "write it as in add.s32", "'%.*s' needs a type", (int)s->op.n, s->op.p);
}
/* The first modifier left that is one of the words, by the word's number; -1 when none is there. */
XG_FN int xg_sim_take_one(xg_sim_stmt *s, const char *words) {
    uint32_t i;
    for (i = 0; i < s->n_mods; i++) {
        int k = s->used >> i & 1 ? -1 : xg_word_in(words, s->mods[i]);
        if (k < 0) continue;
        s->used |= 1u << i;
        return k;
    }
    return -1;
}
XG_APART XG_FN xg_sim_round xg_sim_take_round(xg_sim_stmt *s) {
    int i = xg_sim_take_one(s, "rn rz rm rp");
    return i < 0 ? XG_SIM_RN : (xg_sim_round)i;
}
XG_NORETURN XG_FN void xg_sim_no_type(xg_sim_asm *p, const xg_sim_stmt *s, xg_sim_type t) {
    xg_sim_unsupported(
        p, s->at, NULL, "'%.*s' has no form for .%s with these modifiers", (int)s->op.n, s->op.p, xg_sim_types[t].text);
}
XG_FN void xg_sim_operands(xg_sim_asm *p, const xg_sim_stmt *s, uint32_t least, uint32_t most) {
    if (s->n < least || s->n > most)
        xg_sim_wrong(p, s->at, "'%.*s' takes %u operands here, not %u", (int)s->op.n, s->op.p,
            s->n < least ? least : most, s->n);
}
XG_APART XG_FN void xg_sim_operands_are(xg_sim_asm *p, const xg_sim_stmt *s, uint32_t n) {
    xg_sim_operands(p, s, n, n);
}

/* ---- records ---- */

XG_FN xg_sim_ins *xg_sim_put(xg_sim_asm *p, xg_sim_stmt *s, xg_sim_kind kind) {
    xg_sim_ins in;
    memset(&in, 0, sizeof in);
    in.kind = (uint8_t)kind;
    in.d = in.d2 = in.a = in.b = in.c = in.e = in.list = XG_SIM_NOREG;
    in.guard = s->guard;
    in.at = s->at;
    if (s->guard != XG_SIM_NOREG) in.flags |= XG_SIM_GUARDED;
    if (s->guard_not) in.flags |= XG_SIM_NOT;
    if (p->code.n == s->first) in.flags |= XG_SIM_FIRST;
    if (p->code.n >= 1u << 26) xg_sim_limit(p, s->at, "more than 2^26 records");
    xg_push(&p->scratch, xg_sim_ins, &p->code, in);
    return &p->code.p[p->code.n - 1];
}
XG_FN xg_sim_ins *xg_sim_alu(
    xg_sim_asm *p, xg_sim_stmt *s, xg_sim_f f, uint32_t d, uint32_t a, uint32_t b, uint32_t c) {
    xg_sim_ins *in = xg_sim_put(p, s, XG_SIM_K_ALU);
    XLAGPU_ASSERT(f != XG_SIM_F_none);
    in->op = (uint16_t)f;
    in->d = d;
    in->a = a;
    in->b = b;
    in->c = c;
    return in;
}
XG_APART XG_FN xg_sim_ins *xg_sim_alu_2(xg_sim_asm *p, xg_sim_stmt *s, xg_sim_f f, uint32_t d, uint32_t a, uint32_t b) {
    return xg_sim_alu(p, s, f, d, a, b, XG_SIM_NOREG);
}
XG_APART XG_FN xg_sim_ins *xg_sim_alu_1(xg_sim_asm *p, xg_sim_stmt *s, xg_sim_f f, uint32_t d, uint32_t a) {
    return xg_sim_alu_2(p, s, f, d, a, XG_SIM_NOREG);
}
XG_FN uint32_t xg_sim_temp(xg_sim_asm *p, uint32_t bytes) { return xg_sim_new_reg(p, bytes) << 1; }
XG_FN uint32_t xg_sim_bytes_of(const xg_sim_asm *p, uint32_t code) {
    return code & 1 ? p->consts.p[code >> 1].bytes : p->vregs.p[code >> 1].bytes;
}
XG_FN uint32_t xg_sim_via(
    xg_sim_asm *p, xg_sim_stmt *s, xg_sim_f f, uint32_t bytes, uint32_t a) { /* f(a) in a temporary */
    uint32_t t = xg_sim_temp(p, bytes);
    xg_sim_alu_1(p, s, f, t, a);
    return t;
}

/* ---- constants ---- */

XG_FN uint32_t xg_sim_constant(xg_sim_asm *p, uint64_t value, uint32_t bytes) {
    xg_map64 *m = &p->const_map[bytes <= 2 ? 0 : bytes == 4 ? 1 : 2];
    uint64_t key = bytes <= 2 ? value & 0xFFFF : bytes == 4 ? value & 0xFFFFFFFFu : value;
    void *found = xg_map64_get(m, key);
    xg_sim_const k;
    if (found) return (uint32_t)((uintptr_t)found - 1) << 1 | 1;
    memset(&k, 0, sizeof k);
    k.value = key;
    k.bytes = (uint8_t)(bytes <= 2 ? 2 : bytes == 4 ? 4 : 8);
    xg_push(&p->scratch, xg_sim_const, &p->consts, k);
    xg_map64_put(m, key, (void *)(uintptr_t)p->consts.n);
    return (p->consts.n - 1) << 1 | 1;
}
/* The address of a shared variable: known when all functions are. */
XG_FN uint32_t xg_sim_shared_address(xg_sim_asm *p, xg_sim_sym *v, uint64_t addend, uint32_t bytes) {
    xg_sim_const k;
    if (v->users == 0 || v->user != p->f->id) {
        v->users++;
        v->user = p->f->id;
    }
    memset(&k, 0, sizeof k);
    k.value = addend;
    k.bytes = (uint8_t)bytes;
    k.sym = v;
    k.func = p->f->id;
    xg_push(&p->scratch, xg_sim_const, &p->consts, k);
    return (p->consts.n - 1) << 1 | 1;
}
XG_FN uint32_t xg_sim_address_of(xg_sim_asm *p, xg_sim_stmt *s, xg_sim_sym *v, uint64_t addend, uint32_t bytes) {
    if (v->space == XG_SIM_SHARED) return xg_sim_shared_address(p, v, addend, bytes);
    if (v->space == XG_SIM_LOCAL && !p->f->entry) { /* the frame's place is known when running */
        uint32_t t = xg_sim_temp(p, bytes);
        xg_sim_ins *in = xg_sim_put(p, s, XG_SIM_K_LOCAL);
        in->d = t;
        in->imm = (uint32_t)(v->offset + addend);
        return t;
    }
    return xg_sim_constant(p, v->offset + addend, bytes);
}

/* ---- operands ---- */

/* X(text, size in bytes, number): what a warp reads; run.c computes them. */
/* clang-format off */
#define XG_SIM_SREGS(X) \
    X("%tid.x", TID_X, 4) \
    X("%tid.y", TID_Y, 4) \
    X("%tid.z", TID_Z, 4) \
    X("%ntid.x", NTID_X, 4) \
    X("%ntid.y", NTID_Y, 4) \
    X("%ntid.z", NTID_Z, 4) \
    X("%ctaid.x", CTAID_X, 4) \
    X("%ctaid.y", CTAID_Y, 4) \
    X("%ctaid.z", CTAID_Z, 4) \
    X("%nctaid.x", NCTAID_X, 4) \
    X("%nctaid.y", NCTAID_Y, 4) \
    X("%nctaid.z", NCTAID_Z, 4) \
    X("%laneid", LANEID, 4) \
    X("%warpid", WARPID, 4) \
    X("%nwarpid", NWARPID, 4) \
    X("%smid", SMID, 4) \
    X("%nsmid", NSMID, 4) \
    X("%gridid", GRIDID, 8) \
    X("%lanemask_eq", LANEMASK_EQ, 4) \
    X("%lanemask_lt", LANEMASK_LT, 4) \
    X("%lanemask_le", LANEMASK_LE, 4) \
    X("%lanemask_gt", LANEMASK_GT, 4) \
    X("%lanemask_ge", LANEMASK_GE, 4) \
    X("%clock", CLOCK, 4) \
    X("%clock_hi", CLOCK_HI, 4) \
    X("%clock64", CLOCK64, 8) \
    X("%globaltimer", GLOBALTIMER, 8) \
    X("%globaltimer_lo", GLOBALTIMER_LO, 4) \
    X("%globaltimer_hi", GLOBALTIMER_HI, 4) \
    X("%dynamic_smem_size", DYNAMIC_SMEM, 4) \
    X("%total_smem_size", TOTAL_SMEM, 4) \
    X("%cluster_ctarank", CLUSTER_CTARANK, 4) \
    X("%cluster_nctarank", CLUSTER_NCTARANK, 4) \
    X("%clusterid.x", CLUSTERID_X, 4) \
    X("%clusterid.y", CLUSTERID_Y, 4) \
    X("%clusterid.z", CLUSTERID_Z, 4) \
    X("%nclusterid.x", NCLUSTERID_X, 4) \
    X("%nclusterid.y", NCLUSTERID_Y, 4) \
    X("%nclusterid.z", NCLUSTERID_Z, 4) \
    X("%cluster_ctaid.x", CLUSTER_CTAID_X, 4) \
    X("%cluster_ctaid.y", CLUSTER_CTAID_Y, 4) \
    X("%cluster_ctaid.z", CLUSTER_CTAID_Z, 4) \
    X("%aggr_smem_size", AGGR_SMEM, 4) \
    X("", WINDOW, 4) \
    X("%is_explicit_cluster", EXPLICIT_CLUSTER, 4) \
    X("%cluster_nctaid.x", CLUSTER_NCTAID_X, 4) \
    X("%cluster_nctaid.y", CLUSTER_NCTAID_Y, 4) \
    X("%cluster_nctaid.z", CLUSTER_NCTAID_Z, 4)
/* clang-format on */
typedef enum xg_sim_sreg {
#define X(text, name, bytes) XG_SIM_SREG_##name,
    XG_SIM_SREGS(X)
#undef X
    XG_SIM_SREG_COUNT
} xg_sim_sreg;
XG_TABLE const char xg_sim_sreg_names[] =
#define X(text, name, bytes) text "\0"
    XG_SIM_SREGS(X)
#undef X
    ;
XG_TABLE const uint8_t xg_sim_sreg_bytes[] = {
#define X(text, name, bytes) bytes,
    XG_SIM_SREGS(X)
#undef X
};
XG_FN const char *xg_sim_sreg_name(const void *names, size_t i) { /* one is empty: kernels do not name it */
    const char *name = (const char *)names;
    if (i >= XG_SIM_SREG_COUNT) return NULL;
    for (; i; i--) name += strlen(name) + 1;
    return name;
}

XG_NORETURN XG_FN void xg_sim_unknown_word(xg_sim_asm *p, const xg_sim_operand *o) {
    const char *near_name = o->word.p[0] == '%' ? xg_nearest(o->word, xg_sim_sreg_name, xg_sim_sreg_names) : NULL;
    char hint[80];
    if (near_name) xg_format(hint, sizeof hint, "did you mean %s?", near_name);
    xg_sim_bad(p, o->at, near_name ? hint : NULL, "'%.*s' is not declared", (int)o->word.n, o->word.p);
}
/* Counters and places of a driver that is not here: they are 0. */
XG_FN bool xg_sim_sreg_zero(xg_str w, uint32_t *bytes) {
    static const struct {
        const char *text;
        uint8_t n, bytes;
    } rows[] = {{"%envreg", 32, 4}, {"%pm", 8, 4}, {"%reserved_smem_offset_", 2, 4}};
    size_t i, k;
    *bytes = 4;
    if (xg_word_in("%reserved_smem_offset_begin %reserved_smem_offset_end %reserved_smem_offset_cap %tid.w %ntid.w "
                   "%ctaid.w %nctaid.w %clusterid.w %nclusterid.w %cluster_ctaid.w %cluster_nctaid.w",
            w) >= 0)
        return true;
    *bytes = 8;
    if (xg_word_in("%current_graph_exec %pm0_64 %pm1_64 %pm2_64 %pm3_64 %pm4_64 %pm5_64 %pm6_64 %pm7_64", w) >= 0)
        return true;
    for (i = 0; i < XG_COUNT(rows); i++) {
        uint32_t number = 0;
        size_t n = strlen(rows[i].text);
        if (w.n <= n || w.n > n + 2 || memcmp(w.p, rows[i].text, n) != 0) continue;
        for (k = n; k < w.n && xg_sim_is_digit(w.p[k]); k++) number = number * 10 + (uint32_t)(w.p[k] - '0');
        *bytes = rows[i].bytes;
        if (k == w.n && number < rows[i].n) return true;
    }
    return false;
}
XG_FN uint32_t xg_sim_sreg_read(xg_sim_asm *p, xg_sim_stmt *s, uint32_t i) {
    uint32_t t = xg_sim_temp(p, xg_sim_sreg_bytes[i]);
    xg_sim_ins *in = xg_sim_put(p, s, XG_SIM_K_SREG);
    in->d = t;
    in->op = (uint16_t)i;
    return t;
}
XG_FN uint32_t xg_sim_special(xg_sim_asm *p, xg_sim_stmt *s, const xg_sim_operand *o) {
    const char *name = xg_sim_sreg_names;
    uint32_t i, t;
    for (i = 0; i < XG_SIM_SREG_COUNT && !xg_str_is(o->word, name); i++) name += strlen(name) + 1;
    if (i == XG_SIM_SREG_COUNT && xg_sim_sreg_zero(o->word, &t)) return xg_sim_constant(p, 0, t);
    if (i == XG_SIM_SREG_COUNT) xg_sim_unknown_word(p, o);
    return xg_sim_sreg_read(p, s, i);
}
/* The address of a variable as a value. A shared one's has its block's rank, where the kernel may look at that. */
XG_FN uint32_t xg_sim_address_value(xg_sim_asm *p, xg_sim_stmt *s, const xg_sim_operand *o, uint32_t bytes) {
    uint32_t code = xg_sim_address_of(p, s, o->sym, o->value, bytes), window, sum;
    if (o->sym->space != XG_SIM_SHARED || !p->m->ranks) return code;
    window = xg_sim_sreg_read(p, s, XG_SIM_SREG_WINDOW);
    if (bytes == 8) window = xg_sim_via(p, s, XG_SIM_F_u64_u32, 8, window);
    sum = xg_sim_temp(p, bytes);
    xg_sim_alu_2(p, s, bytes == 8 ? XG_SIM_F_add_i64 : XG_SIM_F_add_i32, sum, code, window);
    return sum;
}

XG_FN uint64_t xg_sim_number_as(const xg_sim_operand *o, xg_sim_type t) {
    if (o->number == 8 && xg_sim_types[t].bytes == 4)
        return xg_sim_pack(xg_sim_unpack(o->value, XG_SIM_IS_F64), XG_SIM_IS_F32, XG_SIM_RN, false);
    if (o->number == 4 && t == XG_SIM_F64)
        return xg_sim_pack(xg_sim_unpack(o->value, XG_SIM_IS_F32), XG_SIM_IS_F64, XG_SIM_RN, false);
    return o->value;
}

/* A source of `bytes` bytes; `wider` allows larger registers (ld, st, cvt). */
XG_FN uint32_t xg_sim_source_in(xg_sim_asm *p, xg_sim_stmt *s, const xg_sim_operand *o, xg_sim_type t, bool wider) {
    uint32_t bytes = xg_sim_types[t].bytes, have;
    uint32_t code;
    if (t == XG_SIM_PRED) {
        if (o->kind == XG_SIM_O_NUM && !o->number) return xg_sim_constant(p, o->value ? 0xFFFFFFFFu : 0, 4);
        if (o->kind == XG_SIM_O_SREG && xg_str_is(o->word, "%is_explicit_cluster")) return xg_sim_special(p, s, o);
        if (o->kind != XG_SIM_O_REG || o->sym->type != XG_SIM_PRED) xg_sim_wrong(p, o->at, "expected a predicate");
        return o->inverted ? xg_sim_via(p, s, XG_SIM_F_not_b32, 4, o->sym->reg << 1) : o->sym->reg << 1;
    }
    if (o->inverted) xg_sim_wrong(p, o->at, "'!' only stands before a predicate");
    switch (o->kind) {
    case XG_SIM_O_NUM: return xg_sim_constant(p, xg_sim_number_as(o, t), bytes);
    case XG_SIM_O_VAR: return xg_sim_address_value(p, s, o, bytes == 4 ? 4 : 8);
    case XG_SIM_O_SREG: code = xg_sim_special(p, s, o); break;
    case XG_SIM_O_REG:
        if (o->sym->type == XG_SIM_PRED)
            xg_sim_wrong(
                p, o->at, "'%.*s' is a predicate; a .%s is wanted", (int)o->word.n, o->word.p, xg_sim_types[t].text);
        code = o->sym->reg << 1;
        break;
    case XG_SIM_O_LABEL: xg_sim_unknown_word(p, o);
    default: xg_sim_wrong(p, o->at, "expected a register or constant of type .%s", xg_sim_types[t].text);
    }
    have = xg_sim_bytes_of(p, code);
    if (have != XG_MAX(bytes, 2u) && !(wider && have > bytes)) {
        if (o->kind == XG_SIM_O_SREG && have == 4 && bytes == 2) return xg_sim_via(p, s, XG_SIM_F_u16_u32, 2, code);
        if (o->kind == XG_SIM_O_SREG && have == 4 && bytes == 8) return xg_sim_via(p, s, XG_SIM_F_u64_u32, 8, code);
        if (o->kind == XG_SIM_O_SREG && have == 8 && bytes == 4) return xg_sim_via(p, s, XG_SIM_F_u32_u64, 4, code);
        xg_sim_wrong(p, o->at, "'%.*s' has %u bits; .%s needs %u", (int)o->word.n, o->word.p, have * 8,
            xg_sim_types[t].text, (uint32_t)xg_sim_types[t].bits);
    }
    return code;
}
XG_APART XG_FN uint32_t xg_sim_source_of(xg_sim_asm *p, xg_sim_stmt *s, const xg_sim_operand *o, xg_sim_type t) {
    return xg_sim_source_in(p, s, o, t, false);
}
XG_ONE_COPY XG_FN uint32_t xg_sim_source(xg_sim_asm *p, xg_sim_stmt *s, uint32_t i, xg_sim_type t) {
    return xg_sim_source_of(p, s, &s->o[i], t);
}

XG_FN uint32_t xg_sim_dest_in(xg_sim_asm *p, const xg_sim_operand *o, xg_sim_type t, bool wider) {
    uint32_t bytes = XG_MAX(xg_sim_types[t].bytes, 2u), have;
    if (o->kind == XG_SIM_O_SINK) return xg_sim_temp(p, bytes);
    if (o->kind == XG_SIM_O_LABEL || o->kind == XG_SIM_O_SREG) xg_sim_unknown_word(p, o);
    if (o->kind != XG_SIM_O_REG || o->inverted) xg_sim_wrong(p, o->at, "the destination must be a register");
    have = p->vregs.p[o->sym->reg].bytes;
    if ((o->sym->type == XG_SIM_PRED) != (t == XG_SIM_PRED))
        xg_sim_wrong(p, o->at, "'%.*s' is .%s; .%s is wanted", (int)o->word.n, o->word.p,
            xg_sim_types[o->sym->type].text, xg_sim_types[t].text);
    if (have != bytes && !(wider && have > bytes))
        xg_sim_wrong(p, o->at, "'%.*s' has %u bits; .%s needs %u", (int)o->word.n, o->word.p, have * 8,
            xg_sim_types[t].text, (uint32_t)xg_sim_types[t].bits);
    return o->sym->reg << 1;
}
XG_APART XG_FN uint32_t xg_sim_dest_of(xg_sim_asm *p, const xg_sim_operand *o, xg_sim_type t) {
    return xg_sim_dest_in(p, o, t, false);
}
XG_ONE_COPY XG_FN uint32_t xg_sim_dest(xg_sim_asm *p, xg_sim_stmt *s, xg_sim_type t) {
    return xg_sim_dest_of(p, s->o, t);
}
/* The arithmetic of the operands from 1 on, of these types, into operand 0. They are read in the order of the text, so
 * that messages name the first that is wrong whatever compiler orders the arguments of a call. */
XG_FN xg_sim_ins *xg_sim_alu_of(
    xg_sim_asm *p, xg_sim_stmt *s, xg_sim_f f, xg_sim_type d, xg_sim_type a, xg_sim_type b, xg_sim_type c) {
    uint32_t code[4], k;
    xg_sim_type t[4];
    t[0] = d;
    t[1] = a;
    t[2] = b;
    t[3] = c;
    code[0] = xg_sim_dest(p, s, d);
    for (k = 1; k < 4; k++) code[k] = t[k] == XG_SIM_NO_TYPE ? XG_SIM_NOREG : xg_sim_source(p, s, k, t[k]);
    return xg_sim_alu(p, s, f, code[0], code[1], code[2], code[3]);
}
XG_APART XG_FN xg_sim_ins *xg_sim_alu_of_2(
    xg_sim_asm *p, xg_sim_stmt *s, xg_sim_f f, xg_sim_type d, xg_sim_type a, xg_sim_type b) {
    return xg_sim_alu_of(p, s, f, d, a, b, XG_SIM_NO_TYPE);
}

/* ---- functions by type ---- */

typedef struct xg_sim_by_type {
    uint16_t u16, s16, u32, s32, u64, s64, f32, f64, f16, bf16;
} xg_sim_by_type;
#define XG_F(n) XG_SIM_F_##n
/* X(name, u16, s16, u32, s32, u64, s64, f32, f64, f16, bf16); none where there is no such form. */
/* clang-format off */
#define XG_SIM_BY_TYPE(X) \
    X(add, add_i16, add_i16, add_i32, add_i32, add_i64, add_i64, add_f32, add_f64, add_f16, add_bf16) \
    X(sub, sub_i16, sub_i16, sub_i32, sub_i32, sub_i64, sub_i64, sub_f32, sub_f64, sub_f16, sub_bf16) \
    X(mul, mul_i16, mul_i16, mul_i32, mul_i32, mul_i64, mul_i64, mul_f32, mul_f64, mul_f16, mul_bf16) \
    X(mulh, mulh_u16, mulh_s16, mulh_u32, mulh_s32, mulh_u64, mulh_s64, none, none, none, none) \
    X(mulw, mulw_u16, mulw_s16, mulw_u32, mulw_s32, none, none, none, none, none, none) \
    X(mad, mad_i16, mad_i16, mad_i32, mad_i32, mad_i64, mad_i64, none, none, none, none) \
    X(madw, madw_u16, madw_s16, madw_u32, madw_s32, none, none, none, none, none, none) \
    X(fma, none, none, none, none, none, none, fma_f32, fma_f64, none, none) \
    X(div, div_u16, div_s16, div_u32, div_s32, div_u64, div_s64, div_f32, div_f64, none, none) \
    X(rem, rem_u16, rem_s16, rem_u32, rem_s32, rem_u64, rem_s64, none, none, none, none) \
    X(min, min_u16, min_s16, min_u32, min_s32, min_u64, min_s64, min_f32, min_f64, none, none) \
    X(max, max_u16, max_s16, max_u32, max_s32, max_u64, max_s64, max_f32, max_f64, none, none) \
    X(abs, none, abs_s16, none, abs_s32, none, abs_s64, abs_f32, abs_f64, abs_f16, abs_f16) \
    X(neg, none, neg_i16, none, neg_i32, none, neg_i64, neg_f32, neg_f64, neg_f16, neg_f16) \
    X(and, and_b16, none, and_b32, none, and_b64, none, none, none, none, none) \
    X(or, or_b16, none, or_b32, none, or_b64, none, none, none, none, none) \
    X(xor, xor_b16, none, xor_b32, none, xor_b64, none, none, none, none, none) \
    X(not, not_b16, none, not_b32, none, not_b64, none, none, none, none, none) \
    X(cnot, cnot_b16, none, cnot_b32, none, cnot_b64, none, none, none, none, none) \
    X(shl, shl_b16, none, shl_b32, none, shl_b64, none, none, none, none, none) \
    X(shr, shr_u16, shr_s16, shr_u32, shr_s32, shr_u64, shr_s64, none, none, none, none) \
    X(mov, mov_b16, mov_b16, mov_b32, mov_b32, mov_b64, mov_b64, mov_b32, mov_b64, mov_b16, mov_b16) \
    X(sel, sel_b16, sel_b16, sel_b32, sel_b32, sel_b64, sel_b64, sel_b32, sel_b64, sel_b16, sel_b16) \
    X(sad, sad_u16, sad_s16, sad_u32, sad_s32, sad_u64, sad_s64, none, none, none, none) \
    X(addm, none, none, none, none, none, none, addm_f32, addm_f64, none, none) \
    X(subm, none, none, none, none, none, none, subm_f32, subm_f64, none, none) \
    X(mulm, none, none, none, none, none, none, mulm_f32, mulm_f64, none, none) \
    X(divm, none, none, none, none, none, none, divm_f32, divm_f64, none, none) \
    X(fmam, none, none, none, none, none, none, fmam_f32, fmam_f64, none, none) \
    X(sqrtm, none, none, none, none, none, none, sqrtm_f32, sqrtm_f64, none, none) \
    X(sqrt, none, none, none, none, none, none, sqrt_f32, sqrt_f64, none, none) \
    X(rcp, none, none, none, none, none, none, rcp_f32, rcp_f64, none, none) \
    X(rsqrt, none, none, none, none, none, none, rsqrt_f32, rsqrt_f64, none, none) \
    X(copysign, none, none, none, none, none, none, copysign_f32, copysign_f64, none, none) \
    X(testp, none, none, none, none, none, none, testp_f32, testp_f64, none, none) \
    X(eq, set_eq_s16, set_eq_s16, set_eq_s32, set_eq_s32, set_eq_s64, set_eq_s64, set_eq_f32, set_eq_f64, none, none) \
    X(ne, set_ne_s16, set_ne_s16, set_ne_s32, set_ne_s32, set_ne_s64, set_ne_s64, set_ne_f32, set_ne_f64, none, none) \
    X(lt, set_lt_u16, set_lt_s16, set_lt_u32, set_lt_s32, set_lt_u64, set_lt_s64, set_lt_f32, set_lt_f64, none, none) \
    X(le, set_le_u16, set_le_s16, set_le_u32, set_le_s32, set_le_u64, set_le_s64, set_le_f32, set_le_f64, none, none) \
    X(uno, none, none, none, none, none, none, uno_f32, uno_f64, none, none)
/* clang-format on */
typedef enum xg_sim_bt {
#define X(n, a, b, c, d, e, f, g, h, i, j) XG_SIM_BT_##n,
    XG_SIM_BY_TYPE(X)
#undef X
    XG_SIM_BT_COUNT
} xg_sim_bt;
XG_TABLE const xg_sim_by_type xg_sim_typed[XG_SIM_BT_COUNT] = {
#define X(n, a, b, c, d, e, f, g, h, i, j) \
    {XG_F(a), XG_F(b), XG_F(c), XG_F(d), XG_F(e), XG_F(f), XG_F(g), XG_F(h), XG_F(i), XG_F(j)},
    XG_SIM_BY_TYPE(X)
#undef X
};
XG_FN xg_sim_f xg_sim_pick_or_none(xg_sim_bt op, xg_sim_type t) {
    const xg_sim_by_type *r = &xg_sim_typed[op];
    switch (t) {
    case XG_SIM_B16:
    case XG_SIM_U16: return (xg_sim_f)r->u16;
    case XG_SIM_S16: return (xg_sim_f)r->s16;
    case XG_SIM_B32:
    case XG_SIM_U32:
    case XG_SIM_F16X2:
    case XG_SIM_BF16X2:
    case XG_SIM_U16X2:
    case XG_SIM_S16X2: return (xg_sim_f)r->u32;
    case XG_SIM_S32: return (xg_sim_f)r->s32;
    case XG_SIM_B64:
    case XG_SIM_U64:
    case XG_SIM_F32X2: return (xg_sim_f)r->u64;
    case XG_SIM_S64: return (xg_sim_f)r->s64;
    case XG_SIM_F32: return (xg_sim_f)r->f32;
    case XG_SIM_F64: return (xg_sim_f)r->f64;
    case XG_SIM_F16: return (xg_sim_f)r->f16;
    case XG_SIM_BF16: return (xg_sim_f)r->bf16;
    default: return XG_SIM_F_none;
    }
}
XG_FN xg_sim_f xg_sim_pick(xg_sim_asm *p, const xg_sim_stmt *s, xg_sim_bt op, xg_sim_type t) {
    xg_sim_f f = xg_sim_pick_or_none(op, t);
    if (f == XG_SIM_F_none) xg_sim_no_type(p, s, t);
    return f;
}
XG_FN bool xg_sim_is_float(xg_sim_type t) { return t == XG_SIM_F32 || t == XG_SIM_F64; }
XG_FN bool xg_sim_is_half(xg_sim_type t) {
    return t == XG_SIM_F16 || t == XG_SIM_BF16 || t == XG_SIM_F16X2 || t == XG_SIM_BF16X2;
}
XG_ONE_COPY XG_FN xg_sim_type xg_sim_bits_type(xg_sim_type t) { /* the .b type of the same size */
    return xg_sim_types[t].bytes == 2 ? XG_SIM_B16 : xg_sim_types[t].bytes == 4 ? XG_SIM_B32 : XG_SIM_B64;
}
XG_FN xg_sim_type xg_sim_twice(xg_sim_type t) {
    return t == XG_SIM_U16 ? XG_SIM_U32 : t == XG_SIM_S16 ? XG_SIM_S32 : t == XG_SIM_U32 ? XG_SIM_U64 : XG_SIM_S64;
}

/* ---- arithmetic ---- */

/* d = f(src) of f32 or f64 with .ftz and .sat around it; n sources. */
XG_FN void xg_sim_float_into(xg_sim_asm *p, xg_sim_stmt *s, xg_sim_f f, xg_sim_type t, uint32_t d, uint32_t *src,
    uint32_t n, bool ftz, bool sat, uint32_t imm) {
    uint32_t i, bytes = xg_sim_types[t].bytes, last = d;
    if ((ftz || sat) && t != XG_SIM_F32) xg_sim_no_type(p, s, t);
    if (ftz && (f == XG_SIM_F_ex2_f32 || f == XG_SIM_F_rcp_f32)) {
        f = f == XG_SIM_F_ex2_f32 ? XG_SIM_F_ex2ftz_f32 : XG_SIM_F_rcpftz_f32;
        ftz = false;
    } /* common */
    for (i = 0; i < n; i++)
        if (ftz) src[i] = xg_sim_via(p, s, XG_SIM_F_ftz_f32, 4, src[i]);
    if (ftz || sat) last = xg_sim_temp(p, bytes);
    xg_sim_alu(p, s, f, last, src[0], n > 1 ? src[1] : XG_SIM_NOREG, n > 2 ? src[2] : XG_SIM_NOREG)->imm = imm;
    if (ftz && sat) {
        i = xg_sim_temp(p, 4);
        xg_sim_alu_1(p, s, XG_SIM_F_ftz_f32, i, last);
        last = i;
        ftz = false;
    }
    if (ftz) xg_sim_alu_1(p, s, XG_SIM_F_ftz_f32, d, last);
    if (sat) xg_sim_alu_1(p, s, XG_SIM_F_sat_f32, d, last);
}
/* The sources follow the destination. Those before the last may be 16-bit floats (`narrow`), which become f32 first. */
XG_FN void xg_sim_float_of(xg_sim_asm *p, xg_sim_stmt *s, xg_sim_f f, xg_sim_type t, xg_sim_type narrow, uint32_t n,
    bool ftz, bool sat, uint32_t imm) {
    uint32_t src[3], i;
    for (i = 0; i < n; i++) {
        bool half = narrow != XG_SIM_NONE && (i == 0 || i + 1 < n);
        src[i] = xg_sim_source(p, s, i + 1, half ? narrow : t);
        if (half) src[i] = xg_sim_via(p, s, narrow == XG_SIM_F16 ? XG_SIM_F_f32_f16 : XG_SIM_F_f32_bf16, 4, src[i]);
    }
    xg_sim_float_into(p, s, f, t, xg_sim_dest(p, s, t), src, n, ftz, sat, imm);
}
XG_FN void xg_sim_float(
    xg_sim_asm *p, xg_sim_stmt *s, xg_sim_f f, xg_sim_type t, uint32_t n, bool ftz, bool sat, uint32_t imm) {
    xg_sim_float_of(p, s, f, t, XG_SIM_NONE, n, ftz, sat, imm);
}
/* The type of 16-bit sources of an f32 result, such as add.f32.f16. */
XG_FN xg_sim_type xg_sim_take_narrow(xg_sim_stmt *s, xg_sim_type t) {
    return t != XG_SIM_F32          ? XG_SIM_NONE
           : xg_sim_take(s, "f16")  ? XG_SIM_F16
           : xg_sim_take(s, "bf16") ? XG_SIM_BF16
                                    : XG_SIM_NONE;
}
/* Two f32 in 64 bits, one after the other. */
XG_FN void xg_sim_float_x2(xg_sim_asm *p, xg_sim_stmt *s, xg_sim_f f, uint32_t n, bool ftz, uint32_t imm) {
    uint32_t src[3], part[3], r[2], i, half, d = xg_sim_dest(p, s, XG_SIM_F32X2);
    for (i = 0; i < n; i++) src[i] = xg_sim_source(p, s, i + 1, XG_SIM_F32X2);
    for (half = 0; half < 2; half++) {
        r[half] = xg_sim_temp(p, 4);
        for (i = 0; i < n; i++) part[i] = xg_sim_via(p, s, half ? XG_SIM_F_high_b64 : XG_SIM_F_u32_u64, 4, src[i]);
        xg_sim_float_into(p, s, f, XG_SIM_F32, r[half], part, n, ftz, false, imm);
    }
    xg_sim_alu_2(p, s, XG_SIM_F_pack_b64, d, r[0], r[1]);
}

/* 16-bit floats with whatever modifiers, scalar or packed. */
XG_FN void xg_sim_half_op(xg_sim_asm *p, xg_sim_stmt *s, xg_sim_type t, uint32_t n, uint32_t op) {
    uint32_t src[3] = {XG_SIM_NOREG, XG_SIM_NOREG, XG_SIM_NOREG}, i;
    bool packed = xg_sim_types[t].bytes == 4;
    if (t == XG_SIM_BF16 || t == XG_SIM_BF16X2) op |= XG_SIM_H_BF16;
    for (i = 0; i < n; i++) src[i] = xg_sim_source(p, s, i + 1, t);
    xg_sim_alu(p, s, packed ? XG_SIM_F_half_x2 : XG_SIM_F_half_16, xg_sim_dest(p, s, t), src[0], src[1], src[2])->imm =
        op;
}

XG_FN void xg_sim_carry(
    xg_sim_asm *p, xg_sim_stmt *s, xg_sim_f f, xg_sim_type t, uint32_t d, uint32_t a, uint32_t b, bool in, bool out) {
    xg_sim_ins *r;
    (void)t;
    if (p->carry == XG_SIM_NOREG) p->carry = xg_sim_temp(p, 4);
    r = xg_sim_alu(p, s, f, d, a, b, in ? p->carry : XG_SIM_NOREG);
    if (out) r->d2 = p->carry;
    r->imm = in;
}

/* add, sub (arg: BT_add or BT_sub), also addc, subc (arg + 1000). */
XG_FN void xg_sim_d_add(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    bool in = arg >= 1000, out = xg_sim_take(s, "cc"), sat, ftz;
    xg_sim_round mode;
    xg_sim_type t;
    xg_sim_bt op = (xg_sim_bt)(arg % 1000);
    bool sub = op == XG_SIM_BT_sub;
    xg_sim_operands_are(p, s, 3);
    mode = xg_sim_take_round(s);
    ftz = xg_sim_take(s, "ftz");
    sat = xg_sim_take(s, "sat");
    t = xg_sim_take_type(p, s);
    if (t == XG_SIM_F32X2 && !in && !out && !sat)
        xg_sim_float_x2(p, s,
            mode == XG_SIM_RN ? (sub ? XG_SIM_F_sub_f32 : XG_SIM_F_add_f32)
            : sub             ? XG_SIM_F_subm_f32
                              : XG_SIM_F_addm_f32,
            2, ftz, mode);
    else if (in || out) {
        bool wide = xg_sim_types[t].bytes == 8;
        uint32_t d, a, b;
        if (xg_sim_types[t].cls == 'F' || xg_sim_types[t].bytes < 4) xg_sim_no_type(p, s, t);
        d = xg_sim_dest(p, s, t);
        a = xg_sim_source(p, s, 1, t);
        b = xg_sim_source(p, s, 2, t);
        xg_sim_carry(p, s,
            sub    ? (wide ? XG_SIM_F_subc_u64 : XG_SIM_F_subc_u32)
            : wide ? XG_SIM_F_addc_u64
                   : XG_SIM_F_addc_u32,
            t, d, a, b, in, out);
    } else if (xg_sim_is_float(t)) {
        xg_sim_bt modal = sub ? XG_SIM_BT_subm : XG_SIM_BT_addm;
        xg_sim_float_of(
            p, s, xg_sim_pick(p, s, mode == XG_SIM_RN ? op : modal, t), t, xg_sim_take_narrow(s, t), 2, ftz, sat, mode);
    } else if (xg_sim_is_half(t)) {
        if (mode != XG_SIM_RN) xg_sim_no_type(p, s, t);
        if (!ftz && !sat && xg_sim_types[t].bytes == 2)
            xg_sim_alu_of_2(p, s, xg_sim_pick(p, s, op, t), t, t, t);
        else
            xg_sim_half_op(
                p, s, t, 2, (sub ? XG_SIM_H_SUB : XG_SIM_H_ADD) | (ftz ? XG_SIM_H_FTZ : 0) | (sat ? XG_SIM_H_SAT : 0));
    } else if (t == XG_SIM_U16X2 || t == XG_SIM_S16X2) {
        if (sub) xg_sim_no_type(p, s, t);
        xg_sim_alu_of_2(p, s, XG_SIM_F_int_x2, t, t, t)->imm = 0;
    } else {
        xg_sim_f f = sat ? (sub ? XG_SIM_F_subsat_s32 : XG_SIM_F_addsat_s32) : xg_sim_pick(p, s, op, t);
        if (ftz || (sat && t != XG_SIM_S32)) xg_sim_no_type(p, s, t);
        xg_sim_alu_of_2(p, s, f, t, t, t);
    }
}

XG_FN void xg_sim_d_mul(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    int part = xg_sim_take_one(s, "lo hi wide");
    xg_sim_round mode = xg_sim_take_round(s);
    bool ftz = xg_sim_take(s, "ftz"), sat = xg_sim_take(s, "sat");
    xg_sim_type t = xg_sim_take_type(p, s);
    (void)arg;
    xg_sim_operands_are(p, s, 3);
    if (t == XG_SIM_F32X2 && !sat) {
        xg_sim_float_x2(p, s, mode == XG_SIM_RN ? XG_SIM_F_mul_f32 : XG_SIM_F_mulm_f32, 2, ftz, mode);
        return;
    }
    if (xg_sim_is_float(t)) {
        xg_sim_float(
            p, s, xg_sim_pick(p, s, mode == XG_SIM_RN ? XG_SIM_BT_mul : XG_SIM_BT_mulm, t), t, 2, ftz, sat, mode);
        return;
    }
    if (xg_sim_is_half(t)) {
        if (mode != XG_SIM_RN) xg_sim_no_type(p, s, t);
        if (!ftz && !sat && xg_sim_types[t].bytes == 2)
            xg_sim_alu_of_2(p, s, xg_sim_pick(p, s, XG_SIM_BT_mul, t), t, t, t);
        else
            xg_sim_half_op(p, s, t, 2, XG_SIM_H_MUL | (ftz ? XG_SIM_H_FTZ : 0) | (sat ? XG_SIM_H_SAT : 0));
        return;
    }
    if (part < 0)
        xg_sim_bad(p, s->at, "write mul.lo, mul.hi or mul.wide",
            "an integer 'mul' must say which part of the product it wants");
    if (ftz || sat) xg_sim_no_type(p, s, t);
    xg_sim_alu_of_2(p, s,
        xg_sim_pick(p, s,
            part == 0   ? XG_SIM_BT_mul
            : part == 1 ? XG_SIM_BT_mulh
                        : XG_SIM_BT_mulw,
            t),
        part == 2 ? xg_sim_twice(t) : t, t, t);
}

/* mad, fma; madc (arg 2). */
XG_FN void xg_sim_d_mad(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    int part = xg_sim_take_one(s, "lo hi wide");
    xg_sim_round mode = xg_sim_take_round(s);
    bool ftz = xg_sim_take(s, "ftz"), sat = xg_sim_take(s, "sat"), relu = xg_sim_take(s, "relu"), in = arg == 2,
         out = xg_sim_take(s, "cc");
    xg_sim_type t = xg_sim_take_type(p, s);
    uint32_t a, b, c, product;
    xg_sim_operands_are(p, s, 4);
    if (t == XG_SIM_F32X2 && !relu && !in && !out && !sat && part < 0) {
        xg_sim_float_x2(p, s, mode == XG_SIM_RN ? XG_SIM_F_fma_f32 : XG_SIM_F_fmam_f32, 3, ftz, mode);
        return;
    }
    if (xg_sim_is_float(t) && !relu && !in && !out && part < 0) {
        xg_sim_float_of(p, s, xg_sim_pick(p, s, mode == XG_SIM_RN ? XG_SIM_BT_fma : XG_SIM_BT_fmam, t), t,
            xg_sim_take_narrow(s, t), 3, ftz, sat, mode);
        return;
    }
    if (xg_sim_is_half(t) && mode == XG_SIM_RN && arg == 1) {
        xg_sim_half_op(p, s, t, 3,
            XG_SIM_H_FMA | (ftz ? XG_SIM_H_FTZ : 0) | (sat ? XG_SIM_H_SAT : 0) | (relu ? XG_SIM_H_RELU : 0));
        return;
    }
    if (part < 0 || arg == 1 || ftz || relu) xg_sim_no_type(p, s, t);
    a = xg_sim_source(p, s, 1, t);
    b = xg_sim_source(p, s, 2, t);
    c = xg_sim_source(p, s, 3, part == 2 ? xg_sim_twice(t) : t);
    if (sat) {
        if (t != XG_SIM_S32 || part != 1 || in || out) xg_sim_no_type(p, s, t);
        xg_sim_alu(p, s, XG_SIM_F_madhisat_s32, xg_sim_dest(p, s, t), a, b, c);
    } else if (part == 2) {
        if (in || out) xg_sim_no_type(p, s, t);
        xg_sim_alu(p, s, xg_sim_pick(p, s, XG_SIM_BT_madw, t), xg_sim_dest(p, s, xg_sim_twice(t)), a, b, c);
    } else if (part == 0 && !in && !out)
        xg_sim_alu(p, s, xg_sim_pick(p, s, XG_SIM_BT_mad, t), xg_sim_dest(p, s, t), a, b, c);
    else {
        bool wide = xg_sim_types[t].bytes == 8;
        product = xg_sim_temp(p, xg_sim_types[t].bytes);
        xg_sim_alu_2(p, s, xg_sim_pick(p, s, part ? XG_SIM_BT_mulh : XG_SIM_BT_mul, t), product, a, b);
        if (!in && !out)
            xg_sim_alu_2(p, s, xg_sim_pick(p, s, XG_SIM_BT_add, t), xg_sim_dest(p, s, t), product, c);
        else if (xg_sim_types[t].bytes < 4)
            xg_sim_no_type(p, s, t);
        else
            xg_sim_carry(
                p, s, wide ? XG_SIM_F_addc_u64 : XG_SIM_F_addc_u32, t, xg_sim_dest(p, s, t), product, c, in, out);
    }
}

XG_FN void xg_sim_d_mul24(xg_sim_asm *p, xg_sim_stmt *s, uint32_t mad) {
    bool hi = xg_sim_take(s, "hi"), sat = mad && hi && xg_sim_take(s, "sat"), sgn;
    xg_sim_type t;
    xg_sim_f f;
    uint32_t d, a, b, c, product;
    if (!hi && !xg_sim_take(s, "lo")) xg_sim_wrong(p, s->at, "'%.*s' needs .lo or .hi", (int)s->op.n, s->op.p);
    t = xg_sim_take_type(p, s);
    if (t != XG_SIM_U32 && t != XG_SIM_S32) xg_sim_no_type(p, s, t);
    sgn = t == XG_SIM_S32;
    f = hi ? (sgn ? XG_SIM_F_mul24hi_s32 : XG_SIM_F_mul24hi_u32) : sgn ? XG_SIM_F_mul24lo_s32 : XG_SIM_F_mul24lo_u32;
    xg_sim_operands(p, s, 3 + mad, 3 + mad);
    if (sat) {
        if (!sgn) xg_sim_no_type(p, s, t);
        xg_sim_alu_of(p, s, XG_SIM_F_mad24hisat_s32, t, t, t, t);
        return;
    }
    d = xg_sim_dest(p, s, t);
    a = xg_sim_source(p, s, 1, t);
    b = xg_sim_source(p, s, 2, t);
    c = mad ? xg_sim_source(p, s, 3, t) : XG_SIM_NOREG;
    product = mad ? xg_sim_temp(p, 4) : d;
    xg_sim_alu_2(p, s, f, product, a, b);
    if (mad) xg_sim_alu_2(p, s, XG_SIM_F_add_i32, d, product, c);
}

/* div, sqrt, rcp: .approx and .full are rounded once, except where the bound allows much more (math.c). */
XG_FN void xg_sim_d_div(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    bool full = xg_sim_take(s, "full"), approx = xg_sim_take(s, "approx") || full, ftz = xg_sim_take(s, "ftz");
    xg_sim_round mode = xg_sim_take_round(s);
    xg_sim_type t = xg_sim_take_type(p, s);
    uint32_t n = arg == XG_SIM_BT_div ? 2 : 1;
    xg_sim_operands(p, s, n + 1, n + 1);
    if (xg_sim_is_float(t)) {
        if (approx && t == XG_SIM_F64 && arg == XG_SIM_BT_rcp)
            xg_sim_float(p, s, XG_SIM_F_rcpcoarse_f64, t, 1, false, false, 0);
        else if (approx && t == XG_SIM_F32 && p->approx)
            xg_sim_float(p, s, n == 2 ? XG_SIM_F_bentdiv_f32 : XG_SIM_F_bent_f32, t, n, ftz, false,
                (uint32_t)p->approx << 8 | (uint32_t)(n == 2                 ? XG_SIM_AP_DIV
                                                      : arg == XG_SIM_BT_rcp ? XG_SIM_AP_RCP
                                                                             : XG_SIM_AP_SQRT));
        else if (approx && !full && t == XG_SIM_F32 && n == 2)
            xg_sim_float(p, s, XG_SIM_F_divapprox_f32, t, n, ftz, false, 0);
        else if (mode == XG_SIM_RN)
            xg_sim_float(p, s, xg_sim_pick(p, s, (xg_sim_bt)arg, t), t, n, ftz, false, 0);
        else if (arg == XG_SIM_BT_div)
            xg_sim_float(p, s, xg_sim_pick(p, s, XG_SIM_BT_divm, t), t, n, ftz, false, mode);
        else if (arg == XG_SIM_BT_sqrt)
            xg_sim_float(p, s, xg_sim_pick(p, s, XG_SIM_BT_sqrtm, t), t, n, ftz, false, mode);
        else { /* rcp: 1 / a */
            uint32_t a = xg_sim_source(p, s, 1, t), q;
            if (ftz) a = xg_sim_via(p, s, XG_SIM_F_ftz_f32, 4, a);
            q = ftz ? xg_sim_temp(p, 4) : xg_sim_dest(p, s, t);
            xg_sim_alu_2(p, s, xg_sim_pick(p, s, XG_SIM_BT_divm, t), q,
                xg_sim_constant(p, t == XG_SIM_F32 ? 0x3F800000u : 0x3FF0000000000000u, xg_sim_types[t].bytes), a)
                ->imm = mode;
            if (ftz) xg_sim_alu_1(p, s, XG_SIM_F_ftz_f32, xg_sim_dest(p, s, t), q);
        }
        return;
    }
    if (arg != XG_SIM_BT_div || ftz || approx) xg_sim_no_type(p, s, t);
    xg_sim_alu_of_2(p, s, xg_sim_pick(p, s, XG_SIM_BT_div, t), t, t, t);
}

XG_FN uint32_t xg_sim_bent_of(xg_sim_f f) {
    switch (f) {
    case XG_SIM_F_ex2_f32: return XG_SIM_AP_EX2;
    case XG_SIM_F_lg2_f32: return XG_SIM_AP_LG2;
    case XG_SIM_F_sin_f32: return XG_SIM_AP_SIN;
    case XG_SIM_F_cos_f32: return XG_SIM_AP_COS;
    case XG_SIM_F_tanh_f32: return XG_SIM_AP_TANH;
    default: return XG_SIM_AP_RSQRT;
    }
}
/* ex2, lg2, sin, cos, tanh, rsqrt of f32; ex2 and tanh of 16-bit floats too. */
XG_FN void xg_sim_d_approx(xg_sim_asm *p, xg_sim_stmt *s, uint32_t f) {
    bool ftz;
    xg_sim_type t;
    xg_sim_take(s, "approx");
    ftz = xg_sim_take(s, "ftz");
    t = xg_sim_take_type(p, s);
    xg_sim_operands_are(p, s, 2);
    if (xg_sim_is_half(t) && (f == XG_SIM_F_ex2_f32 || f == XG_SIM_F_tanh_f32))
        xg_sim_half_op(p, s, t, 1,
            (uint32_t)(f == XG_SIM_F_ex2_f32 ? XG_SIM_H_EX2 : XG_SIM_H_TANH) | (uint32_t)p->approx << XG_SIM_H_BENT);
    else if (f == XG_SIM_F_rsqrt_f32 && t == XG_SIM_F64)
        xg_sim_float(p, s, ftz ? XG_SIM_F_rsqrtcoarse_f64 : XG_SIM_F_rsqrt_f64, t, 1, false, false, 0);
    else if (t == XG_SIM_F32 && p->approx)
        xg_sim_float(p, s, XG_SIM_F_bent_f32, t, 1, ftz, false, (uint32_t)p->approx << 8 | xg_sim_bent_of((xg_sim_f)f));
    else if (t == XG_SIM_F32)
        xg_sim_float(p, s, (xg_sim_f)f, t, 1, ftz, false, 0);
    else
        xg_sim_no_type(p, s, t);
}

/* abs, neg, rem, and, or, xor, not, cnot, copysign: one function per type, n sources. */
XG_FN void xg_sim_d_plain(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    xg_sim_bt op = (xg_sim_bt)arg;
    uint32_t n = op == XG_SIM_BT_abs || op == XG_SIM_BT_neg || op == XG_SIM_BT_not || op == XG_SIM_BT_cnot ? 1 : 2;
    bool ftz = xg_sim_take(s, "ftz");
    xg_sim_type t = xg_sim_take_type(p, s), u = t == XG_SIM_PRED ? XG_SIM_B32 : t;
    xg_sim_f f;
    xg_sim_operands(p, s, n + 1, n + 1);
    if (t == XG_SIM_PRED && (op == XG_SIM_BT_cnot || op == XG_SIM_BT_rem || op == XG_SIM_BT_abs))
        xg_sim_no_type(p, s, t);
    if (xg_sim_is_float(t)) {
        xg_sim_float(p, s, xg_sim_pick(p, s, op, t), t, n, ftz, false, 0);
        return;
    }
    if ((t == XG_SIM_F16X2 || t == XG_SIM_BF16X2) && (op == XG_SIM_BT_abs || op == XG_SIM_BT_neg))
        f = op == XG_SIM_BT_abs ? XG_SIM_F_abs_f16x2 : XG_SIM_F_neg_f16x2;
    else if (xg_sim_types[t].cls == 'V')
        xg_sim_no_type(p, s, t);
    else
        f = xg_sim_pick(p, s, op, u);
    if (ftz && !xg_sim_is_half(t)) xg_sim_no_type(p, s, t);
    if (xg_sim_types[t].cls != 'B' && t != XG_SIM_PRED &&
        (op == XG_SIM_BT_and || op == XG_SIM_BT_or || op == XG_SIM_BT_xor || op == XG_SIM_BT_not ||
            op == XG_SIM_BT_cnot))
        xg_sim_no_type(p, s, t);
    xg_sim_alu_of_2(p, s, f, t, t, n == 2 ? t : XG_SIM_NO_TYPE);
}

XG_FN void xg_sim_d_minmax(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    bool max = arg == XG_SIM_BT_max, ftz = xg_sim_take(s, "ftz"), nan = xg_sim_take(s, "NaN"),
         relu = xg_sim_take(s, "relu"), xorsign = xg_sim_take(s, "xorsign"), absolute = xg_sim_take(s, "abs");
    xg_sim_type t = xg_sim_take_type(p, s);
    uint32_t a, b, d, sign = XG_SIM_NOREG, r;
    bool three = t == XG_SIM_F32 && s->n == 4 && !xorsign;
    xg_sim_operands(p, s, three ? 4 : 3, three ? 4 : 3);
    if (xg_sim_is_half(t)) {
        xg_sim_half_op(p, s, t, 2,
            (max ? XG_SIM_H_MAX : XG_SIM_H_MIN) | (ftz ? XG_SIM_H_FTZ : 0) | (nan ? XG_SIM_H_NAN : 0) |
                (relu ? XG_SIM_H_RELU : 0) | (xorsign ? XG_SIM_H_XORSIGN : 0) | (absolute ? XG_SIM_H_ABS : 0));
        return;
    }
    a = xg_sim_source(p, s, 1, t);
    b = xg_sim_source(p, s, 2, t);
    d = xg_sim_dest(p, s, t);
    if (t == XG_SIM_F32) {
        xg_sim_f f = nan ? (max ? XG_SIM_F_maxn_f32 : XG_SIM_F_minn_f32) : max ? XG_SIM_F_max_f32 : XG_SIM_F_min_f32;
        if (relu) xg_sim_no_type(p, s, t);
        if (ftz) {
            a = xg_sim_via(p, s, XG_SIM_F_ftz_f32, 4, a);
            b = xg_sim_via(p, s, XG_SIM_F_ftz_f32, 4, b);
        }
        if (xorsign) {
            sign = xg_sim_temp(p, 4);
            xg_sim_alu_2(p, s, XG_SIM_F_xor_b32, sign, a, b);
        }
        if (absolute) {
            a = xg_sim_via(p, s, XG_SIM_F_abs_f32, 4, a);
            b = xg_sim_via(p, s, XG_SIM_F_abs_f32, 4, b);
        }
        if (three) { /* of the first two, then of the third */
            uint32_t ab = xg_sim_temp(p, 4), c = xg_sim_source(p, s, 3, t);
            if (ftz) c = xg_sim_via(p, s, XG_SIM_F_ftz_f32, 4, c);
            if (absolute) c = xg_sim_via(p, s, XG_SIM_F_abs_f32, 4, c);
            xg_sim_alu_2(p, s, f, ab, a, b);
            a = ab;
            b = c;
        }
        r = xorsign ? xg_sim_temp(p, 4) : d;
        xg_sim_alu_2(p, s, f, r, a, b);
        if (xorsign) xg_sim_alu_2(p, s, XG_SIM_F_copysign_f32, d, sign, r);
        return;
    }
    if (ftz || nan || xorsign || absolute || (relu && t != XG_SIM_S32 && t != XG_SIM_S16X2)) xg_sim_no_type(p, s, t);
    if (t == XG_SIM_U16X2 || t == XG_SIM_S16X2) {
        r = relu ? xg_sim_temp(p, 4) : d;
        xg_sim_alu_2(p, s, XG_SIM_F_int_x2, r, a, b)->imm = (max ? 2u : 1u) | (t == XG_SIM_S16X2 ? 4u : 0u);
        if (relu) xg_sim_alu_2(p, s, XG_SIM_F_int_x2, d, r, xg_sim_constant(p, 0, 4))->imm = 2 | 4;
        return;
    }
    r = relu ? xg_sim_temp(p, 4) : d;
    xg_sim_alu_2(p, s, xg_sim_pick(p, s, (xg_sim_bt)arg, t), r, a, b);
    if (relu) xg_sim_alu_2(p, s, XG_SIM_F_max_s32, d, r, xg_sim_constant(p, 0, 4));
}

XG_FN void xg_sim_d_shift(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    xg_sim_type t = xg_sim_take_type(p, s);
    xg_sim_operands_are(p, s, 3);
    xg_sim_alu_of_2(p, s, xg_sim_pick(p, s, (xg_sim_bt)arg, t), t, t, XG_SIM_U32);
}

#endif /* XG_SIM_DECODE_C */
