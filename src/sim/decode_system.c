/* sim/decode_system.c -- statements between a thread and what runs it: its stack, launches that are cancelled, memory
 * of several devices.
 *
 * There is one device here, so the multicast object behind an address of multimem has one member: multimem.ld_reduce is
 * a load, multimem.st a store, multimem.red a reduction. */
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
    if (!align || align & (align - 1)) XG_SIM_BAD(p, s->o[2].at, NULL, "an alignment is a power of two");
    if (op != XG_SIM_Y_STACK_RESTORE) d = xg_sim_dest(p, s, 0, t);
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
    xg_sim_operands(p, s, 2, 2);
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
    xg_sim_operands(p, s, 2, 2);
    xg_sim_halves_of(p, s, &s->o[1], false, halves);
    if (n == 4 && (o->kind != XG_SIM_O_VEC || o->n != 4)) XG_SIM_BAD(p, o->at, NULL, ".v4 needs 4 registers in braces");
    for (i = 0; i < n; i++) d[i] = xg_sim_dest_of(p, n == 4 ? &o->items[i] : o, asks ? XG_SIM_PRED : XG_SIM_B32, false);
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
    if (xg_sim_form(s, "try_cancel async shared::cta? mbarrier::complete_tx::bytes multicast::cluster::all? b128"))
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

/* Two floats or four small ones are words to a load and a store. */
XG_FN void xg_sim_multimem_words(xg_sim_stmt *s) {
    uint32_t i;
    for (i = 0; i < s->n_mods; i++) {
        int k = xg_word_in("e4m3 e5m2 f16 bf16 e4m3x2 e5m2x2 f16x2 bf16x2 e4m3x4 e5m2x4", s->mods[i]);
        if (k >= 0) s->mods[i] = xg_str_z(k < 2 ? "b8" : k < 6 ? "b16" : "b32");
    }
}
#define XG_SIM_MULTIMEM_TYPES \
    "f16|f16x2|bf16|bf16x2|f32|f64|u32|s32|u64|s64|b32|b64|e4m3|e4m3x2|e4m3x4|e5m2|e5m2x2|e5m2x4"
XG_FN void xg_sim_d_multimem(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    bool load, store;
    (void)arg;
    load = xg_sim_form(s,
        "ld_reduce weak|relaxed|acquire? cta|cluster|gpu|sys? global? min|max|add|and|or|xor acc::f32|acc::f16? "
        "v2|v4|v8? " XG_SIM_MULTIMEM_TYPES);
    store = !load &&
            xg_sim_form(s, "st weak|relaxed|release? cta|cluster|gpu|sys? global? v2|v4|v8? " XG_SIM_MULTIMEM_TYPES);
    if (!load && !store &&
        !xg_sim_form(s, "red relaxed|release? cta|cluster|gpu|sys? global? min|max|add|and|or|xor "
                        "v2|v4|v8? " XG_SIM_MULTIMEM_TYPES))
        xg_sim_no_form(p, s);
    s->used = 0;
    while (xg_sim_take_one(s, "ld_reduce st red acc::f32 acc::f16") >= 0) {}
    if (load) xg_sim_take_one(s, "min max add and or xor");
    if (load || store) {
        xg_sim_multimem_words(s);
        xg_sim_access(p, s, store);
    } else
        xg_sim_d_atom(p, s, 1);
}
#undef XG_SIM_MULTIMEM_TYPES

#endif /* XG_SIM_DECODE_SYSTEM_C */
