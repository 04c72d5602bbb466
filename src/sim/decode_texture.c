/* sim/decode_texture.c -- statements on textures: tex becomes one record of K_TEX, the others are refused.
 *
 * The record's sources are the texture's handle in a, the coordinates in b, c and e, the layer in e. A level is read
 * and makes no difference: a texture here has one. */
#ifndef XG_SIM_DECODE_TEXTURE_C
#define XG_SIM_DECODE_TEXTURE_C
#include "decode_system.c"

/* imm of K_TEX. */
enum {
    XG_SIM_TX_RANK = 3,       /* dimensions */
    XG_SIM_TX_LAYERED = 4,    /* a layer is chosen first */
    XG_SIM_TX_WHOLE = 8,      /* coordinates are integers */
    XG_SIM_TX_FLOAT = 16,     /* the result is */
    XG_SIM_TX_COMPONENTS = 4, /* of a result */
    XG_SIM_TX_SOURCES = 4     /* coordinates with a layer or padding */
};

/* The handle of [handle, {coordinates}] and the coordinates in the order of the text; how many the text has. */
XG_FN void xg_sim_tex_sources(xg_sim_asm *p, xg_sim_stmt *s, uint32_t n, xg_sim_ins *in) {
    const xg_sim_operand *where = &s->o[1], *at = where->pair;
    const xg_sim_type type = in->imm & XG_SIM_TX_WHOLE ? XG_SIM_S32 : XG_SIM_F32;
    uint32_t code[XG_SIM_TX_SOURCES], i;
    if (where->kind != XG_SIM_O_ADDR || !at || where->value)
        xg_sim_bad(p, where->at, "write [handle, {x, y}]", "expected a texture's handle and coordinates");
    in->a = xg_sim_source_of(p, s, where->items, XG_SIM_B64);
    if ((at->kind == XG_SIM_O_VEC ? at->n : 1) != n)
        xg_sim_bad(p, at->at, n == XG_SIM_TX_SOURCES ? "the fourth is not read" : NULL,
            "this form of 'tex' takes %u coordinates in braces", n);
    for (i = 0; i < n; i++) {
        const bool layer = i == 0 && in->imm & XG_SIM_TX_LAYERED;
        code[i] = xg_sim_source_of(p, s, at->kind == XG_SIM_O_VEC ? &at->items[i] : at, layer ? XG_SIM_U32 : type);
    }
    i = in->imm & XG_SIM_TX_LAYERED ? 1 : 0;
    in->b = code[i];
    if ((in->imm & XG_SIM_TX_RANK) > 1) in->c = code[i + 1];
    if (n == XG_SIM_TX_SOURCES || i) in->e = code[i ? 0 : 2];
}
/* tex[.level].GEOMETRY.v4.TYPE.TYPE {d, d, d, d}[|p], [handle, {coordinates}][, level] */
XG_FN void xg_sim_d_tex(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    const uint32_t level = xg_sim_has(s, "level"), layered = xg_sim_has(s, "a1d a2d");
    const uint32_t rank = xg_sim_has(s, "3d") ? 3 : xg_sim_has(s, "2d a2d") ? 2 : 1, n = rank + layered;
    const xg_sim_operand *to = &s->o[0];
    uint32_t code[XG_SIM_TX_COMPONENTS], i, there = XG_SIM_NOREG;
    xg_sim_ins in, *put;
    (void)arg;
    if (!xg_sim_form(s, "level? 1d|2d|3d|a1d|a2d v4 f32|s32|u32 f32|s32"))
        xg_sim_unsupported(p, s->at, "there is tex[.level].1d|2d|3d|a1d|a2d.v4.f32|s32|u32.f32|s32",
            "this form of 'tex' is not simulated");
    xg_sim_operands(p, s, 2 + level, 2 + level);
    if (to->kind != XG_SIM_O_VEC || to->n != XG_SIM_TX_COMPONENTS)
        xg_sim_bad(p, to->at, "where one is not needed, _ stands for it", ".v4 takes four registers in braces");
    for (i = 0; i < XG_SIM_TX_COMPONENTS; i++) code[i] = xg_sim_dest_of(p, &to->items[i], XG_SIM_B32);
    if (to->pair) there = xg_sim_dest_of(p, to->pair, XG_SIM_PRED);
    memset(&in, 0, sizeof in);
    in.c = in.e = XG_SIM_NOREG;
    in.imm = rank | (layered ? (uint32_t)XG_SIM_TX_LAYERED : 0u) |
             (xg_str_is(s->mods[s->n_mods - 1], "s32") ? (uint32_t)XG_SIM_TX_WHOLE : 0u) |
             (xg_str_is(s->mods[s->n_mods - 2], "f32") ? (uint32_t)XG_SIM_TX_FLOAT : 0u);
    xg_sim_tex_sources(p, s, n == 3 ? (uint32_t)XG_SIM_TX_SOURCES : n, &in);
    if (level) (void)xg_sim_source(p, s, 2, XG_SIM_B32);
    in.list = xg_sim_list_begin(p);
    for (i = 0; i < XG_SIM_TX_COMPONENTS; i++) xg_sim_list_add(p, code[i]);
    put = xg_sim_put(p, s, XG_SIM_K_TEX);
    put->a = in.a;
    put->b = in.b;
    put->c = in.c;
    put->e = in.e;
    put->imm = in.imm;
    put->list = in.list;
    put->n = XG_SIM_TX_COMPONENTS;
    put->imm2 = (uint32_t)XG_SIM_GLOBAL | 2u << XG_SIM_M_SIZE | (uint32_t)XG_SIM_M_WIDE | 2u << XG_SIM_M_VECTOR |
                (uint32_t)XG_SIM_M_CONSTANT;
    if (there != XG_SIM_NOREG) /* memory is there, always */
        xg_sim_alu_1(p, s, XG_F(mov_b32), there, xg_sim_constant(p, 0xFFFFFFFFu, 4));
}
XG_FN void xg_sim_d_refused(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    (void)arg;
    xg_sim_unsupported(p, s->at, NULL, "'%.*s' is not simulated: of textures only 'tex' is, of surfaces nothing",
        (int)s->op.n, s->op.p);
}

#endif /* XG_SIM_DECODE_TEXTURE_C */
