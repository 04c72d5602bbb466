/* sim/rows.c -- the table of all mnemonics.
 *
 * To add an instruction: a row of XG_SIM_ROWS, a decoder in one of the decoding files (arithmetic: decode.c, convert.c;
 * memory, branches, warps: control.c; copies and memory barriers: decode_async.c; tiles of matrices: decode_matrix.c;
 * textures: decode_texture.c),
 * and a function in lanes.c/scalar.c or a case of a kind in memory.c, warp.c, async.c or matrix.c. Nothing else knows
 * mnemonics. */
#ifndef XG_SIM_ROWS_C
#define XG_SIM_ROWS_C
#include "targets.c"

/* ---- all mnemonics: R(text, decoder, argument) ---- */

/* clang-format off */
#define XG_SIM_ROWS(R) \
    R("add", add, XG_SIM_BT_add) \
    R("sub", add, XG_SIM_BT_sub) \
    R("addc", add, 1000 + XG_SIM_BT_add) \
    R("subc", add, 1000 + XG_SIM_BT_sub) \
    R("mul", mul, 0) \
    R("mad", mad, 0) \
    R("fma", mad, 1) \
    R("madc", mad, 2) \
    R("mul24", mul24, 0) \
    R("mad24", mul24, 1) \
    R("div", div, XG_SIM_BT_div) \
    R("rcp", div, XG_SIM_BT_rcp) \
    R("sqrt", div, XG_SIM_BT_sqrt) \
    R("rem", plain, XG_SIM_BT_rem) \
    R("rsqrt", approx, XG_F(rsqrt_f32)) \
    R("ex2", approx, XG_F(ex2_f32)) \
    R("lg2", approx, XG_F(lg2_f32)) \
    R("sin", approx, XG_F(sin_f32)) \
    R("cos", approx, XG_F(cos_f32)) \
    R("tanh", approx, XG_F(tanh_f32)) \
    R("abs", plain, XG_SIM_BT_abs) \
    R("neg", plain, XG_SIM_BT_neg) \
    R("and", plain, XG_SIM_BT_and) \
    R("or", plain, XG_SIM_BT_or) \
    R("xor", plain, XG_SIM_BT_xor) \
    R("not", plain, XG_SIM_BT_not) \
    R("cnot", plain, XG_SIM_BT_cnot) \
    R("copysign", plain, XG_SIM_BT_copysign) \
    R("min", minmax, XG_SIM_BT_min) \
    R("max", minmax, XG_SIM_BT_max) \
    R("shl", shift, XG_SIM_BT_shl) \
    R("shr", shift, XG_SIM_BT_shr) \
    R("popc", count, XG_SIM_BIT_popc) \
    R("clz", count, XG_SIM_BIT_clz) \
    R("brev", count, XG_SIM_BIT_brev) \
    R("bfind", count, XG_SIM_BIT_bfind) \
    R("bfe", field, XG_SIM_BIT_bfe) \
    R("bfi", field, XG_SIM_BIT_bfi) \
    R("prmt", three, XG_SIM_BIT_prmt) \
    R("shf", three, XG_SIM_BIT_shf) \
    R("dp4a", three, XG_SIM_BIT_dp4a) \
    R("dp2a", three, XG_SIM_BIT_dp2a) \
    R("fns", three, XG_SIM_BIT_fns) \
    R("lop3", lop3, 0) \
    R("sad", sad, 0) \
    R("bmsk", mask, XG_SIM_BIT_bmsk) \
    R("szext", mask, XG_SIM_BIT_szext) \
    R("testp", testp, 0) \
    R("setp", setp, 0) \
    R("set", set, 0) \
    R("selp", selp, 0) \
    R("slct", selp, 1) \
    R("mov", mov, 0) \
    R("cvt", cvt, 0) \
    R("cvta", cvta, 0) \
    R("isspacep", cvta, 1) \
    R("ld", access, 0) \
    R("ldu", access, 0) \
    R("st", access, 1) \
    R("atom", atom, 0) \
    R("red", atom, 1) \
    R("cp", cp, 0) \
    R("prefetch", hint, 0) \
    R("prefetchu", hint, 0) \
    R("applypriority", hint, 0) \
    R("discard", hint, 0) \
    R("membar", hint, 0) \
    R("fence", hint, 0) \
    R("griddepcontrol", hint, 0) \
    R("nanosleep", hint, 0) \
    R("pmevent", hint, 0) \
    R("ldmatrix", ldmatrix_any, 0) \
    R("stmatrix", ldmatrix_any, 1) \
    R("movmatrix", movmatrix, 0) \
    R("mma", mma_any, 0) \
    R("wmma", wmma, 0) \
    R("wgmma", wgmma, 0) \
    R("vadd", video, XG_SIM_V_ADD) \
    R("vsub", video, XG_SIM_V_SUB) \
    R("vabsdiff", video, XG_SIM_V_ABSDIFF) \
    R("vmin", video, XG_SIM_V_MIN) \
    R("vmax", video, XG_SIM_V_MAX) \
    R("vset", video, XG_SIM_V_SET) \
    R("vshl", video, XG_SIM_V_SHL) \
    R("vshr", video, XG_SIM_V_SHR) \
    R("vmad", video, XG_SIM_V_MAD) \
    R("vadd2", videos, XG_SIM_V_ADD) \
    R("vsub2", videos, XG_SIM_V_SUB) \
    R("vavrg2", videos, XG_SIM_V_AVRG) \
    R("vabsdiff2", videos, XG_SIM_V_ABSDIFF) \
    R("vmin2", videos, XG_SIM_V_MIN) \
    R("vmax2", videos, XG_SIM_V_MAX) \
    R("vset2", videos, XG_SIM_V_SET) \
    R("vadd4", videos, 16 + XG_SIM_V_ADD) \
    R("vsub4", videos, 16 + XG_SIM_V_SUB) \
    R("vavrg4", videos, 16 + XG_SIM_V_AVRG) \
    R("vabsdiff4", videos, 16 + XG_SIM_V_ABSDIFF) \
    R("vmin4", videos, 16 + XG_SIM_V_MIN) \
    R("vmax4", videos, 16 + XG_SIM_V_MAX) \
    R("vset4", videos, 16 + XG_SIM_V_SET) \
    R("tex", tex, 0) \
    R("tld4", refused, 0) \
    R("txq", refused, 0) \
    R("istypep", refused, 0) \
    R("suld", refused, 0) \
    R("sust", refused, 0) \
    R("sured", refused, 0) \
    R("suq", refused, 0) \
    R("tcgen05", tcgen05, 0) \
    R("multimem", multimem, 0) \
    R("stacksave", stack, XG_SIM_Y_STACK_SAVE) \
    R("stackrestore", stack, XG_SIM_Y_STACK_RESTORE) \
    R("alloca", stack, XG_SIM_Y_ALLOCA) \
    R("clusterlaunchcontrol", launchcontrol, 0) \
    R("setmaxnreg", hint, 0) \
    R("createpolicy", policy, 0) \
    R("mbarrier", mbarrier, 0) \
    R("mapa", mapa, 0) \
    R("getctarank", mapa, 1) \
    R("tensormap", tensormap, 0) \
    R("bra", bra, 0) \
    R("brx", brx, 0) \
    R("call", call, 0) \
    R("ret", exit, XG_SIM_K_BRA) \
    R("exit", exit, XG_SIM_K_EXIT) \
    R("trap", exit, XG_SIM_K_TRAP) \
    R("brkpt", exit, XG_SIM_K_TRAP) \
    R("bar", bar, 0) \
    R("barrier", bar, 1) \
    R("shfl", shfl, 0) \
    R("vote", vote, 0) \
    R("match", match, 0) \
    R("redux", redux, 0) \
    R("activemask", active, 0) \
    R("elect", active, 1)
/* clang-format on */

#define xg_sim_d_access xg_sim_access
/* The columns are lists of their own, in the same order, the names each ended by a NUL: rows would be longer. */
typedef void (*xg_sim_decoder)(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg);
/* clang-format off */
#define XG_SIM_DECODERS(X) \
    X(add) X(mul) X(mad) X(mul24) X(div) X(plain) X(approx) X(minmax) X(shift) X(count) X(field) X(three) X(lop3) \
    X(sad) X(mask) X(testp) X(setp) X(set) X(selp) X(mov) X(cvt) X(cvta) X(access) X(atom) X(cp) X(hint) \
    X(ldmatrix_any) X(movmatrix) X(mma_any) X(wmma) X(wgmma) X(video) X(videos) X(tex) X(refused) X(tcgen05) \
    X(multimem) X(stack) X(launchcontrol) X(policy) X(mbarrier) X(mapa) X(tensormap) X(bra) X(brx) X(call) X(exit) \
    X(bar) X(shfl) X(vote) X(match) X(redux) X(active)
/* clang-format on */
enum {
#define X(decoder) XG_SIM_D_##decoder,
    XG_SIM_DECODERS(X)
#undef X
};
XG_TABLE const xg_sim_decoder xg_sim_decoders[] = {
#define X(decoder) xg_sim_d_##decoder,
    XG_SIM_DECODERS(X)
#undef X
};
#undef XG_SIM_DECODERS
XG_TABLE const uint8_t xg_sim_row_decoders[] = {
#define R(text, decoder, arg) XG_SIM_D_##decoder,
    XG_SIM_ROWS(R)
#undef R
};
XG_TABLE const uint16_t xg_sim_row_args[] = {
#define R(text, decoder, arg) arg,
    XG_SIM_ROWS(R)
#undef R
};
XG_TABLE const char xg_sim_row_names[] =
#define R(text, decoder, arg) text "\0"
    XG_SIM_ROWS(R)
#undef R
    ;
#undef xg_sim_d_access

XG_FN void xg_sim_decode(xg_sim_asm *p, xg_sim_stmt *s) {
    const size_t row = (size_t)(uintptr_t)xg_dict_get(&p->rows, s->op); /* plus 1 */
    uint32_t i;
    if (!row) {
        const char *near_name = xg_nearest(s->op, xg_text_nth, xg_sim_row_names);
        char hint[64];
        if (near_name) xg_format(hint, sizeof hint, "did you mean '%s'?", near_name);
        xg_sim_unsupported(p, s->at, near_name ? hint : NULL, "the instruction '%.*s' is not known",
            (int)XG_MIN(s->op.n, 60u), s->op.p);
    }
    xg_sim_decoders[xg_sim_row_decoders[row - 1]](p, s, xg_sim_row_args[row - 1]);
    if (xg_word_in("mov selp", s->op) >= 0)
        for (i = s->first; i < p->code.n; i++)
            if (p->code.p[i].kind == XG_SIM_K_ALU) p->code.p[i].flags |= XG_SIM_COPIES;
    for (i = 0; i < s->n_mods; i++)
        if (!(s->used >> i & 1))
            xg_sim_unsupported(p, s->mod_at[i], NULL,
                "the modifier '.%.*s' is not known here, or does not go with the others",
                (int)XG_MIN(s->mods[i].n, 60u), s->mods[i].p);
    xg_sim_need_check(p, s);
}

#endif /* XG_SIM_ROWS_C */
