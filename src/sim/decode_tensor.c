/* sim/decode_tensor.c -- statements on the tensor memory of sm_100: tcgen05.
 *
 * Tensor memory has 128 lanes of 512 columns of 32 bits. Its addresses have 32 bits, the lane in the upper half and the
 * column in the lower one. A statement becomes one record of K_TENSOR; a multiplication's operands stand in its list
 * in the order of xg_sim_umma_operand, those that it lacks are constants. */
#ifndef XG_SIM_DECODE_TENSOR_C
#define XG_SIM_DECODE_TENSOR_C
#include "decode_small.c"

/* op of K_TENSOR; of ALLOC and FREE also of K_WAIT. */
typedef enum xg_sim_tensorop {
    XG_SIM_N_FREE,
    XG_SIM_N_RELINQUISH,
    XG_SIM_N_LOAD,
    XG_SIM_N_STORE,
    XG_SIM_N_WAIT_LOAD,
    XG_SIM_N_WAIT_STORE,
    XG_SIM_N_FENCE,
    XG_SIM_N_COPY,
    XG_SIM_N_SHIFT,
    XG_SIM_N_MMA,
    XG_SIM_N_COMMIT,
    XG_SIM_N_ALLOC = 64 /* of K_WAIT: none of xg_sim_asyncop */
} xg_sim_tensorop;

/* imm of all of them: the two blocks of a pair work together. */
#define XG_SIM_N_PAIR 0x80000000u

/* X(NAME, text, lanes, columns of one repetition, registers of one repetition): the shapes of ld and st. */
/* clang-format off */
#define XG_SIM_TENSOR_SHAPES(X) \
    X(32X32, "32x32b", 32, 1, 1) \
    X(16X64, "16x64b", 16, 2, 1) \
    X(16X128, "16x128b", 16, 4, 2) \
    X(16X256, "16x256b", 16, 8, 4) \
    X(16X32X2, "16x32bx2", 16, 1, 1)
/* clang-format on */
typedef enum xg_sim_tensorshape {
#define X(name, text, lanes, columns, regs) XG_SIM_N_##name,
    XG_SIM_TENSOR_SHAPES(X)
#undef X
    XG_SIM_N_SHAPES
} xg_sim_tensorshape;
static const struct {
    char text[9];
    uint8_t lanes, columns, regs;
} xg_sim_tensor_shapes[XG_SIM_N_SHAPES] = {
#define X(name, text, lanes, columns, regs) {text, lanes, columns, regs},
    XG_SIM_TENSOR_SHAPES(X)
#undef X
};

/* imm of LOAD and STORE: the shape (3 bits), repetitions << 3, packed << 12; imm2: columns to the second half of
 * 16x32bx2. */
enum {
    XG_SIM_N_REPEAT = 3,
    XG_SIM_N_PACKED = 1 << 12
};

/* imm of COPY: rows << 0 (8 bits), bits of a row / 128 << 8 (2 bits), how rows are repeated << 10, what is unpacked
 * << 12. */
typedef enum xg_sim_tensorspread {
    XG_SIM_N_SPREAD_ONCE,
    XG_SIM_N_SPREAD_02_13,
    XG_SIM_N_SPREAD_01_23,
    XG_SIM_N_SPREAD_X4,
    XG_SIM_N_SPREAD_STEP /* 4x256b: a row for each part of 32 lanes */
} xg_sim_tensorspread;

/* X(NAME, text, bytes of K, scaled): what a multiplication takes. */
/* clang-format off */
#define XG_SIM_UMMA_KINDS(X) \
    X(F16, "kind::f16", 0) \
    X(TF32, "kind::tf32", 0) \
    X(F8F6F4, "kind::f8f6f4", 0) \
    X(I8, "kind::i8", 0) \
    X(MXF8F6F4, "kind::mxf8f6f4", 1) \
    X(MXF4, "kind::mxf4", 1) \
    X(MXF4NVF4, "kind::mxf4nvf4", 1)
/* clang-format on */
typedef enum xg_sim_ummakind {
#define X(name, text, scaled) XG_SIM_U_##name,
    XG_SIM_UMMA_KINDS(X)
#undef X
    XG_SIM_U_KINDS
} xg_sim_ummakind;
static const struct {
    char text[15];
    uint8_t scaled;
} xg_sim_umma_kinds[XG_SIM_U_KINDS] = {
#define X(name, text, scaled) {text, scaled},
    XG_SIM_UMMA_KINDS(X)
#undef X
};

/* The operands of MMA in its list. MASK: four words, or eight of a pair. */
typedef enum xg_sim_umma_operand {
    XG_SIM_U_D,
    XG_SIM_U_A,
    XG_SIM_U_B,
    XG_SIM_U_SHAPE,
    XG_SIM_U_ADD,
    XG_SIM_U_SCALE_A,
    XG_SIM_U_SCALE_B,
    XG_SIM_U_MASK
} xg_sim_umma_operand;
/* imm of MMA: the kind (4 bits), flags, scales of a row << 8 (3 bits; 0 where there are none). imm2: D is divided by
 * 2^imm2 first. */
enum {
    XG_SIM_U_IN_TENSOR = 1 << 4, /* A lies in tensor memory */
    XG_SIM_U_STATIONARY = 1 << 5,
    XG_SIM_U_MASKED = 1 << 6,
    XG_SIM_U_SHIFTED = 1 << 7,
    XG_SIM_U_SCALES = 8
};

/* ---- operands ---- */

/* [address + offset] in tensor memory. */
XG_FN uint32_t xg_sim_tensor_address(xg_sim_asm *p, xg_sim_stmt *s, const xg_sim_operand *o) {
    const xg_sim_operand *base = o->items;
    uint32_t code, sum;
    if (o->kind != XG_SIM_O_ADDR) xg_sim_bad(p, o->at, "write [register]", "expected an address in tensor memory");
    if (base->kind == XG_SIM_O_NUM) return xg_sim_constant(p, base->value + o->value, 4);
    code = xg_sim_source_of(p, s, base, XG_SIM_B32);
    if (!o->value) return code;
    sum = xg_sim_temp(p, 4);
    xg_sim_alu_2(p, s, XG_F(add_i32), sum, code, xg_sim_constant(p, o->value, 4));
    return sum;
}
XG_FN xg_sim_ins *xg_sim_put_tensor(xg_sim_asm *p, xg_sim_stmt *s, xg_sim_tensorop op) {
    xg_sim_ins *in = xg_sim_put(p, s, XG_SIM_K_TENSOR);
    in->op = (uint16_t)op;
    in->imm = xg_sim_has(s, "cta_group::2") ? (uint32_t)XG_SIM_N_PAIR : 0u;
    p->m->tensor_memory = true;
    return in;
}

/* ---- allocation and waits ---- */

XG_FN void xg_sim_tensor_alloc(xg_sim_asm *p, xg_sim_stmt *s) {
    xg_sim_spot to;
    uint32_t n;
    xg_sim_ins *in;
    xg_sim_operands_are(p, s, 2);
    to = xg_sim_spot_of(p, s, &s->o[0], xg_sim_shared_word(s));
    n = xg_sim_source(p, s, 1, XG_SIM_U32);
    in = xg_sim_put_tensor(p, s, XG_SIM_N_ALLOC);
    in->kind = XG_SIM_K_WAIT;
    in->a = to.code;
    in->b = n;
    in->imm2 = xg_sim_spot_bits(to);
}
XG_FN void xg_sim_tensor_free(xg_sim_asm *p, xg_sim_stmt *s) {
    uint32_t at, n;
    xg_sim_ins *in;
    xg_sim_operands_are(p, s, 2);
    at = s->o[0].kind == XG_SIM_O_ADDR ? xg_sim_tensor_address(p, s, &s->o[0]) : xg_sim_source(p, s, 0, XG_SIM_B32);
    n = xg_sim_source(p, s, 1, XG_SIM_U32);
    in = xg_sim_put_tensor(p, s, XG_SIM_N_FREE);
    in->a = at;
    in->b = n;
}

/* ---- ld and st ---- */

XG_FN uint32_t xg_sim_tensor_repeat(xg_sim_asm *p, const xg_sim_stmt *s, xg_sim_tensorshape shape) {
    int i = xg_sim_which(s, "x1 x2 x4 x8 x16 x32 x64 x128");
    if (i < 0 || (1u << i) * xg_sim_tensor_shapes[shape].regs > 128)
        xg_sim_unsupported(p, s->at, NULL, "'tcgen05' has no such repetition of .%s", xg_sim_tensor_shapes[shape].text);
    return 1u << i;
}
XG_FN void xg_sim_tensor_move(xg_sim_asm *p, xg_sim_stmt *s, bool store) {
    uint32_t shape = 0, repeat, regs, i, address, half = 0, list, codes[128];
    bool split, packed = xg_sim_has(s, store ? "unpack::16b" : "pack::16b");
    const xg_sim_operand *data;
    xg_sim_ins *in;
    while (shape < XG_SIM_N_SHAPES && !xg_sim_has(s, xg_sim_tensor_shapes[shape].text)) shape++;
    if (shape == XG_SIM_N_SHAPES) xg_sim_no_form(p, s);
    split = shape == XG_SIM_N_16X32X2;
    repeat = xg_sim_tensor_repeat(p, s, (xg_sim_tensorshape)shape);
    regs = repeat * xg_sim_tensor_shapes[shape].regs;
    xg_sim_operands(p, s, 2 + split, 2 + split);
    data = &s->o[store ? 1 + split : 0];
    address = xg_sim_tensor_address(p, s, &s->o[store ? 0 : 1]);
    if (split) half = xg_sim_literal(p, s, store ? 1 : 2, 511);
    if ((data->kind == XG_SIM_O_VEC ? data->n : 1) != regs)
        xg_sim_wrong(
            p, data->at, ".%s.x%u takes %u registers in braces", xg_sim_tensor_shapes[shape].text, repeat, regs);
    for (i = 0; i < regs; i++) {
        const xg_sim_operand *o = data->kind == XG_SIM_O_VEC ? &data->items[i] : data;
        codes[i] = store ? xg_sim_source_of(p, s, o, XG_SIM_B32) : xg_sim_dest_of(p, o, XG_SIM_B32);
    }
    list = xg_sim_list_begin(p);
    for (i = 0; i < regs; i++) xg_sim_list_add(p, codes[i]);
    in = xg_sim_put_tensor(p, s, store ? XG_SIM_N_STORE : XG_SIM_N_LOAD);
    in->a = address;
    in->list = list;
    in->n = (uint16_t)regs;
    in->d2bytes = (uint8_t)(store ? 0 : regs);
    in->imm |= shape | repeat << XG_SIM_N_REPEAT | (packed ? (uint32_t)XG_SIM_N_PACKED : 0u);
    in->imm2 = half;
}

/* ---- cp and shift ---- */

XG_FN void xg_sim_tensor_copy(xg_sim_asm *p, xg_sim_stmt *s) {
    static const struct {
        char text[9];
        uint8_t rows, words;
    } shapes[] = {{"128x256b", 128, 2}, {"4x256b", 4, 2}, {"128x128b", 128, 1}, {"64x128b", 64, 1}, {"32x128b", 32, 1}};
    uint32_t i = 0, spread = (uint32_t)(xg_sim_which(s, "warpx2::02_13 warpx2::01_23 warpx4") + 1), unpack, address,
             matrix;
    xg_sim_ins *in;
    while (i < XG_COUNT(shapes) && !xg_sim_has(s, shapes[i].text)) i++;
    if (i == XG_COUNT(shapes) || (shapes[i].rows == 64) != (spread == 1 || spread == 2) ||
        (shapes[i].rows == 32) != (spread == 3))
        xg_sim_no_form(p, s);
    if (shapes[i].rows == 4) spread = XG_SIM_N_SPREAD_STEP;
    unpack = xg_sim_has(s, "b4x16_p64") ? 1 : xg_sim_has(s, "b6x16_p32") ? 2 : 0;
    if ((unpack != 0) != xg_sim_has(s, "b8x16")) xg_sim_no_form(p, s);
    xg_sim_operands_are(p, s, 2);
    address = xg_sim_tensor_address(p, s, &s->o[0]);
    matrix = xg_sim_source(p, s, 1, XG_SIM_B64);
    in = xg_sim_put_tensor(p, s, XG_SIM_N_COPY);
    in->a = address;
    in->b = matrix;
    in->imm |= shapes[i].rows | (uint32_t)shapes[i].words << 8 | spread << 10 | unpack << 13;
}

/* ---- mma ---- */

/* Scales of a row or column of one multiplication: 0 where there are none. */
XG_FN uint32_t xg_sim_umma_scales(xg_sim_asm *p, const xg_sim_stmt *s, xg_sim_ummakind kind) {
    int i = xg_sim_which(s, "scale_vec::1X scale_vec::2X scale_vec::4X block32 block16");
    uint32_t n;
    if (!xg_sim_umma_kinds[kind].scaled) return 0;
    n = kind == XG_SIM_U_MXF8F6F4 ? 1 : kind == XG_SIM_U_MXF4 ? 2 : 4; /* where the statement says nothing */
    if (i >= 0 && i < 3) n = 1u << i;
    if (i >= 3) n = (kind == XG_SIM_U_MXF8F6F4 ? 1u : 2u) << (i - 3);
    if ((kind == XG_SIM_U_MXF8F6F4 && n != 1) || (kind == XG_SIM_U_MXF4 && n != 2) ||
        (kind == XG_SIM_U_MXF4NVF4 && n == 1))
        xg_sim_unsupported(p, s->at, NULL, "'tcgen05.mma' has no form with these scales");
    return n;
}
XG_FN void xg_sim_tensor_mma(xg_sim_asm *p, xg_sim_stmt *s, uint32_t stationary) {
    uint32_t kind = 0, scales, at = 4, i, n, codes[16], list, factor = 0, mask = 0, flags = stationary;
    bool pair = xg_sim_has(s, "cta_group::2"), in_tensor;
    xg_sim_ins *in;
    while (kind < XG_SIM_U_KINDS && !xg_sim_has(s, xg_sim_umma_kinds[kind].text)) kind++;
    if (kind == XG_SIM_U_KINDS || (xg_sim_umma_kinds[kind].scaled != 0) != xg_sim_has(s, "block_scale"))
        xg_sim_no_form(p, s);
    scales = xg_sim_umma_scales(p, s, (xg_sim_ummakind)kind);
    if (s->n < 5) xg_sim_operands(p, s, 5, 7);
    in_tensor = s->o[1].kind == XG_SIM_O_ADDR;
    if (in_tensor) flags |= XG_SIM_U_IN_TENSOR;
    if (xg_sim_has(s, "ashift")) flags |= XG_SIM_U_SHIFTED;
    codes[XG_SIM_U_D] = xg_sim_tensor_address(p, s, &s->o[0]);
    codes[XG_SIM_U_A] = in_tensor ? xg_sim_tensor_address(p, s, &s->o[1]) : xg_sim_source(p, s, 1, XG_SIM_B64);
    codes[XG_SIM_U_B] = xg_sim_source(p, s, 2, XG_SIM_B64);
    codes[XG_SIM_U_SHAPE] = xg_sim_source(p, s, 3, XG_SIM_B32);
    codes[XG_SIM_U_SCALE_A] = codes[XG_SIM_U_SCALE_B] = xg_sim_constant(p, 0, 4);
    if (scales) {
        codes[XG_SIM_U_SCALE_A] = xg_sim_tensor_address(p, s, &s->o[at++]);
        codes[XG_SIM_U_SCALE_B] = xg_sim_tensor_address(p, s, &s->o[at++]);
    } else if (s->o[at].kind == XG_SIM_O_VEC) {
        mask = pair ? 8 : 4;
        if (s->o[at].n != mask)
            xg_sim_wrong(p, s->o[at].at, "the lanes that are left out are %u registers in braces", mask);
        for (i = 0; i < mask; i++) codes[XG_SIM_U_MASK + i] = xg_sim_source_of(p, s, &s->o[at].items[i], XG_SIM_B32);
        flags |= XG_SIM_U_MASKED;
        at++;
    }
    if (s->n <= at) xg_sim_operands(p, s, at + 1, at + 2);
    codes[XG_SIM_U_ADD] = xg_sim_source(p, s, at++, XG_SIM_PRED);
    if (s->n > at && stationary)
        xg_sim_unsupported(p, s->o[at].at, NULL, "tcgen05.mma.ws with a mask of columns is not simulated");
    if (s->n > at && (kind == XG_SIM_U_F16 || kind == XG_SIM_U_TF32)) factor = xg_sim_literal(p, s, at++, 15);
    xg_sim_operands(p, s, at, at);
    n = XG_SIM_U_MASK + mask;
    list = xg_sim_list_begin(p);
    for (i = 0; i < n; i++) xg_sim_list_add(p, codes[i]);
    in = xg_sim_put_tensor(p, s, XG_SIM_N_MMA);
    in->list = list;
    in->n = (uint16_t)n;
    in->imm |= kind | flags | scales << XG_SIM_U_SCALES;
    in->imm2 = factor;
}

/* ---- commit ---- */

XG_FN void xg_sim_tensor_commit(xg_sim_asm *p, xg_sim_stmt *s) {
    bool multicast = xg_sim_has(s, "multicast::cluster");
    xg_sim_spot bar;
    uint32_t mask = XG_SIM_NOREG;
    xg_sim_ins *in;
    xg_sim_operands(p, s, 1u + multicast, 1u + multicast);
    bar = xg_sim_spot_of(p, s, &s->o[0], xg_sim_shared_word(s));
    if (multicast) mask = xg_sim_source(p, s, 1, XG_SIM_B16);
    in = xg_sim_put_tensor(p, s, XG_SIM_N_COMMIT);
    in->c = bar.code;
    in->e = mask;
    in->imm2 = xg_sim_spot_bits(bar) << 16;
}

/* ---- all ---- */

#define XG_SIM_COLLECTOR "collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?"
#define XG_SIM_COLLECTOR_B \
    "collector::b0::fill|collector::b0::use|collector::b0::lastuse|collector::b0::discard|collector::b1::fill|" \
    "collector::b1::use|collector::b1::lastuse|collector::b1::discard|collector::b2::fill|collector::b2::use|" \
    "collector::b2::lastuse|collector::b2::discard|collector::b3::fill|collector::b3::use|collector::b3::lastuse|" \
    "collector::b3::discard?"
XG_FN void xg_sim_d_tcgen05(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    (void)arg;
    if (xg_sim_form(s, "alloc $a sync aligned $e? b32"))
        xg_sim_tensor_alloc(p, s);
    else if (xg_sim_form(s, "dealloc $a sync aligned b32"))
        xg_sim_tensor_free(p, s);
    else if (xg_sim_form(s, "relinquish_alloc_permit $a sync aligned")) {
        xg_sim_operands_are(p, s, 0);
        xg_sim_put_tensor(p, s, XG_SIM_N_RELINQUISH);
    } else if (xg_sim_form(s, "wait::ld|wait::st sync aligned")) {
        xg_sim_operands_are(p, s, 0);
        xg_sim_put_tensor(p, s, xg_sim_has(s, "wait::ld") ? XG_SIM_N_WAIT_LOAD : XG_SIM_N_WAIT_STORE);
    } else if (xg_sim_form(s, "fence::before_thread_sync|fence::after_thread_sync")) {
        xg_sim_operands_are(p, s, 0);
        xg_sim_put_tensor(p, s, XG_SIM_N_FENCE);
    } else if (xg_sim_form(s, "ld sync aligned $m $n pack::16b? b32"))
        xg_sim_tensor_move(p, s, false);
    else if (xg_sim_form(s, "st sync aligned $m $n unpack::16b? b32"))
        xg_sim_tensor_move(p, s, true);
    else if (xg_sim_form(
                 s, "cp $a 128x256b|4x256b|128x128b|64x128b|32x128b warpx2::02_13|warpx2::01_23|warpx4? b8x16? $o?"))
        xg_sim_tensor_copy(p, s);
    else if (xg_sim_form(s, "shift $a down")) {
        uint32_t at;
        xg_sim_operands_are(p, s, 1);
        at = xg_sim_tensor_address(p, s, &s->o[0]);
        xg_sim_put_tensor(p, s, XG_SIM_N_SHIFT)->a = at;
    } else if (xg_sim_form(s, "commit $a mbarrier::arrive::one $d? $g? b64"))
        xg_sim_tensor_commit(p, s);
    else if (xg_sim_form(s, "mma $a $l ashift? " XG_SIM_COLLECTOR) ||
             xg_sim_form(s, "mma $a kind::mxf8f6f4|kind::mxf4|kind::mxf4nvf4 block_scale "
                            "scale_vec::1X|scale_vec::2X|scale_vec::4X|block16|block32? " XG_SIM_COLLECTOR))
        xg_sim_tensor_mma(p, s, 0);
    else if (xg_sim_form(s, "mma ws cta_group::1 $l " XG_SIM_COLLECTOR_B))
        xg_sim_tensor_mma(p, s, XG_SIM_U_STATIONARY);
    else if (xg_sim_has(s, "mma") && xg_sim_has(s, "sp"))
        xg_sim_unsupported(p, s->at, NULL, "'tcgen05.mma.sp', a sparse A, is not simulated");
    else
        xg_sim_no_form(p, s);
}
#undef XG_SIM_COLLECTOR
#undef XG_SIM_COLLECTOR_B

#endif /* XG_SIM_DECODE_TENSOR_C */
