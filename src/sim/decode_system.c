/* sim/decode_system.c -- statements between a thread and what runs it: its stack, launches that are cancelled, memory
 * of several devices.
 *
 * Behind an address of multimem may stand a multicast object (xg_sim_buffer.members): multimem.ld_reduce reduces what
 * its members have in their order, multimem.st and multimem.red (atomics.c) reach all. Other memory is an object of one
 * member. */
#ifndef XG_SIM_DECODE_SYSTEM_C
#define XG_SIM_DECODE_SYSTEM_C
#include "decode_tensor.c"

/* ---- the stack ---- */

/* alloca.u64 d, bytes[, align]; stacksave.u64 d; stackrestore.u64 a. Addresses are those of local memory. */
XG_FN void xg_sim_d_stack(xg_sim_asm *p, xg_sim_stmt *s, uint32_t op) {
    bool wide = xg_sim_has(s, "u64");
    xg_sim_type t = wide ? XG_SIM_U64 : XG_SIM_U32;
    uint32_t a = XG_SIM_NOREG, align = 8, d = XG_SIM_NOREG;
    xg_sim_ins *in;
    if (!xg_sim_form(s, "u32|u64")) xg_sim_no_form(p, s);
    xg_sim_operands(p, s, op == XG_SIM_Y_ALLOCA ? 2 : 1, op == XG_SIM_Y_ALLOCA ? 3 : 1);
    if (op != XG_SIM_Y_STACK_SAVE) a = xg_sim_source(p, s, op == XG_SIM_Y_ALLOCA ? 1 : 0, t);
    if (s->n == 3) align = xg_sim_literal(p, s, 2, 1 << 15);
    if (!align || align & (align - 1)) xg_sim_wrong(p, s->o[2].at, "an alignment is a power of two");
    if (op != XG_SIM_Y_STACK_RESTORE) d = xg_sim_dest(p, s, t);
    in = xg_sim_put_async(p, s, (xg_sim_asyncop)op);
    in->a = a;
    in->d = d;
    in->imm = align;
    in->imm2 = wide;
    p->m->allocas = true;
}

/* ---- launches that are cancelled ---- */

XG_FN void xg_sim_try_cancel(xg_sim_asm *p, xg_sim_stmt *s) {
    xg_sim_spot to, bar;
    xg_sim_ins *in;
    xg_sim_operands_are(p, s, 2);
    to = xg_sim_spot_of(p, s, &s->o[0], xg_sim_has(s, "shared::cta") ? XG_SIM_SHARED : XG_SIM_GENERIC);
    bar = xg_sim_spot_of(p, s, &s->o[1], to.space);
    in = xg_sim_put_async(p, s, XG_SIM_Y_TRY_CANCEL);
    in->a = to.code;
    in->c = bar.code;
    in->imm = xg_sim_has(s, "multicast::cluster::all") ? (uint32_t)XG_SIM_BK_MULTICAST : 0u;
    in->imm2 = xg_sim_spot_bits(to) | xg_sim_spot_bits(bar) << 16;
    p->m->cancels = true;
}
/* The answer's 16 bytes are a register of 128 bits. */
XG_FN void xg_sim_query_cancel(xg_sim_asm *p, xg_sim_stmt *s, uint32_t from, uint32_t n) {
    uint32_t halves[2], d[4], i, list;
    const xg_sim_operand *o = &s->o[0];
    xg_sim_ins *in;
    bool asks = from == 3;
    xg_sim_operands_are(p, s, 2);
    xg_sim_halves_of(p, s, &s->o[1], false, halves);
    if (n == 4 && (o->kind != XG_SIM_O_VEC || o->n != 4)) xg_sim_wrong(p, o->at, ".v4 needs 4 registers in braces");
    for (i = 0; i < n; i++) d[i] = xg_sim_dest_of(p, n == 4 ? &o->items[i] : o, asks ? XG_SIM_PRED : XG_SIM_B32);
    list = xg_sim_list_begin(p);
    for (i = 0; i < n; i++) xg_sim_list_add(p, d[i]);
    in = xg_sim_put_async(p, s, XG_SIM_Y_CANCELLED);
    in->a = halves[0];
    in->b = halves[1];
    in->list = list;
    in->n = (uint16_t)n;
    in->d2bytes = (uint8_t)n;
    in->imm = from;
}
XG_FN void xg_sim_d_launchcontrol(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    (void)arg;
    if (xg_sim_form(s, "try_cancel async $e? $b multicast::cluster::all? b128"))
        xg_sim_try_cancel(p, s);
    else if (xg_sim_form(s, "query_cancel is_canceled pred b128"))
        xg_sim_query_cancel(p, s, 3, 1);
    else if (xg_sim_form(s, "query_cancel get_first_ctaid v4 b32 b128"))
        xg_sim_query_cancel(p, s, 0, 4);
    else if (xg_sim_form(s, "query_cancel get_first_ctaid::x|get_first_ctaid::y|get_first_ctaid::z b32 b128"))
        xg_sim_query_cancel(p, s,
            xg_sim_has(s, "get_first_ctaid::x")   ? 0
            : xg_sim_has(s, "get_first_ctaid::y") ? 1
                                                  : 2,
            1);
    else
        xg_sim_no_form(p, s);
}

/* ---- memory of several devices ---- */

/* X(text, word, type of an element, bytes of it): two floats or four small ones are words to a load and a store. */
#define XG_SIM_MULTIMEM_TYPES(X) \
    X("f16", "b16", F16, 2) \
    X("f16x2", "b32", F16, 2) \
    X("bf16", "b16", BF16, 2) \
    X("bf16x2", "b32", BF16, 2) \
    X("f32", "", F32, 4) \
    X("f64", "", F64, 8) \
    X("u32", "", U32, 4) \
    X("s32", "", S32, 4) \
    X("u64", "", U64, 8) \
    X("s64", "", S64, 8) \
    X("b32", "", U32, 4) \
    X("b64", "", U64, 8) \
    X("e4m3", "b8", F8E4M3FN, 1) \
    X("e4m3x2", "b16", F8E4M3FN, 1) \
    X("e4m3x4", "b32", F8E4M3FN, 1) \
    X("e5m2", "b8", F8E5M2, 1) \
    X("e5m2x2", "b16", F8E5M2, 1) \
    X("e5m2x4", "b32", F8E5M2, 1)
/* imm2 of the record, above the bits of the access. */
enum {
    XG_SIM_MULTI_TYPE = 16 /* the row, 5 bits */,
    XG_SIM_MULTI_OP = 21 /* 3 bits */,
    XG_SIM_MULTI_WIDE = 1 << 24 /* floats are added as f32 */
};
typedef enum xg_sim_multi_op {
    XG_SIM_MULTI_MIN,
    XG_SIM_MULTI_MAX,
    XG_SIM_MULTI_ADD,
    XG_SIM_MULTI_AND,
    XG_SIM_MULTI_OR,
    XG_SIM_MULTI_XOR,
    XG_SIM_MULTI_STORE
} xg_sim_multi_op;
typedef struct xg_sim_multi_row {
    char text[7], word[4];
    uint8_t bytes;
    xlagpu_type type;
} xg_sim_multi_row;
XG_TABLE const xg_sim_multi_row xg_sim_multi_rows[] = {
#define X(text, word, type, bytes) {text, word, bytes, XLAGPU_##type},
    XG_SIM_MULTIMEM_TYPES(X)
#undef X
};
/* The number of its row. */
XG_FN uint32_t xg_sim_multimem_type(xg_sim_stmt *s) {
    uint32_t i, k;
    for (i = 0; i < s->n_mods; i++)
        for (k = 0; k < XG_COUNT(xg_sim_multi_rows); k++)
            if (xg_str_is(s->mods[i], xg_sim_multi_rows[k].text)) {
                if (*xg_sim_multi_rows[k].word) s->mods[i] = xg_str_z(xg_sim_multi_rows[k].word);
                return k;
            }
    return 0; /* every form has one */
}
/* A load of what is reduced in front of it; a store that is spread behind it. */
XG_FN void xg_sim_multimem_access(xg_sim_asm *p, xg_sim_stmt *s, bool store, uint32_t bits) {
    uint32_t row = xg_sim_multimem_type(s);
    xg_sim_ins *in, access;
    xg_sim_access(p, s, store);
    access = p->code.p[p->code.n - 1];
    in = xg_sim_put_async(p, s, XG_SIM_Y_MULTIMEM);
    in->a = access.a;
    in->imm = access.imm;
    in->imm2 = access.imm2 | row << XG_SIM_MULTI_TYPE | bits;
    if (store) return;
    in->flags = access.flags; /* the two change places */
    access.flags = (uint8_t)(access.flags & ~XG_SIM_FIRST);
    in[-1] = *in;
    *in = access;
}
XG_FN void xg_sim_d_multimem(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
#define X(text, word, type, bytes) "|" text
#define XG_SIM_MULTIMEM_FORM "v2|v4|v8? f16" XG_SIM_MULTIMEM_TYPES(X)
    uint32_t wide, op = XG_SIM_MULTI_STORE;
    bool load, store;
    (void)arg;
    load = xg_sim_form(s,
        "ld_reduce weak|relaxed|acquire? $k? global? min|max|add|and|or|xor acc::f32|acc::f16? " XG_SIM_MULTIMEM_FORM);
    store = !load && xg_sim_form(s, "st weak|relaxed|release? $k? global? " XG_SIM_MULTIMEM_FORM);
    if (!load && !store &&
        !xg_sim_form(
            s, "red relaxed|release? cta|cluster|gpu|sys? global? min|max|add|and|or|xor " XG_SIM_MULTIMEM_FORM))
        xg_sim_no_form(p, s);
    s->used = 0;
    wide = xg_sim_has(s, "acc::f32") ? (uint32_t)XG_SIM_MULTI_WIDE : 0;
    while (xg_sim_take_one(s, "ld_reduce st red acc::f32 acc::f16") >= 0) {}
    if (load) op = (uint32_t)xg_sim_take_one(s, "min max add and or xor");
    if (load || store)
        xg_sim_multimem_access(p, s, store, op << XG_SIM_MULTI_OP | wide);
    else
        xg_sim_d_atom(p, s, 1);
#undef XG_SIM_MULTIMEM_FORM
#undef X
}

#endif /* XG_SIM_DECODE_SYSTEM_C */
