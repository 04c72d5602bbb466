/* sim/decode_video.c -- the video instructions to records. */
#ifndef XG_SIM_DECODE_VIDEO_C
#define XG_SIM_DECODE_VIDEO_C
#include "control.c"

/* ".b2" and ".h1" to 1-6; 0 when there is none. */
XG_FN uint32_t xg_sim_video_select(xg_sim_asm *p, const xg_sim_operand *o) {
    xg_str w = o->select;
    if (!w.n) return 0;
    if (w.n == 3 && w.p[1] == 'b' && w.p[2] >= '0' && w.p[2] <= '3') return 1u + (uint32_t)(w.p[2] - '0');
    if (w.n == 3 && w.p[1] == 'h' && (w.p[2] == '0' || w.p[2] == '1')) return 5u + (uint32_t)(w.p[2] - '0');
    xg_sim_bad(p, o->at, "a byte .b0 to .b3, or a half .h0 or .h1", "'%.*s' selects no part", (int)w.n, w.p);
}
XG_FN uint32_t xg_sim_video_types(xg_sim_asm *p, xg_sim_stmt *s, uint32_t n) {
    XG_TABLE const uint32_t flags[3] = {XG_SIM_V_DSIGNED, XG_SIM_V_ASIGNED, XG_SIM_V_BSIGNED};
    uint32_t i, imm = 0;
    for (i = 3 - n; i < 3; i++) {
        xg_sim_type t = xg_sim_take_type(p, s);
        if (t != XG_SIM_U32 && t != XG_SIM_S32) xg_sim_no_type(p, s, t);
        if (t == XG_SIM_S32) imm |= flags[i];
    }
    return imm;
}
XG_FN uint32_t xg_sim_video_compare_word(xg_sim_asm *p, xg_sim_stmt *s) {
    int i = xg_sim_take_one(s, "eq ne lt le gt ge");
    if (i < 0) xg_sim_bad(p, s->at, "such as .lt", "'%.*s' needs a comparison", (int)s->op.n, s->op.p);
    return (uint32_t)i << XG_SIM_V_COMPARE;
}
XG_FN void xg_sim_d_video(xg_sim_asm *p, xg_sim_stmt *s, uint32_t op) {
    uint32_t imm = op, select, second, a, b, c = XG_SIM_NOREG, d, least = op == XG_SIM_V_MAD ? 4 : 3, i, neg;
    xg_sim_ins *in;
    if (op == XG_SIM_V_SET)
        imm |= xg_sim_video_types(p, s, 2) | xg_sim_video_compare_word(p, s);
    else
        imm |= xg_sim_video_types(p, s, 3);
    if (op != XG_SIM_V_SET && xg_sim_take(s, "sat")) imm |= XG_SIM_V_SAT;
    if (op == XG_SIM_V_SHL || op == XG_SIM_V_SHR) {
        if (xg_sim_take(s, "wrap"))
            imm |= XG_SIM_V_WRAP;
        else if (!xg_sim_take(s, "clamp"))
            xg_sim_wrong(p, s->at, "'%.*s' needs .clamp or .wrap", (int)s->op.n, s->op.p);
    }
    if (op == XG_SIM_V_MAD)
        imm |= (xg_sim_take(s, "po") ? (uint32_t)XG_SIM_V_PLUS_ONE : 0u) | (xg_sim_take(s, "shr7")       ? 1u
                                                                               : xg_sim_take(s, "shr15") ? 2u
                                                                                                         : 0u)
                                                                               << XG_SIM_V_SCALE;
    second = op == XG_SIM_V_MAD ? 0 : (uint32_t)(xg_sim_take_one(s, "add min max") + 1);
    imm |= second << XG_SIM_V_SECOND;
    if (s->n && (second || s->o[0].select.n)) least = 4;
    xg_sim_operands(p, s, least, least);
    for (i = 1, neg = 0; i < s->n; i++)
        if (s->o[i].minus) {
            if (op != XG_SIM_V_MAD) xg_sim_wrong(p, s->o[i].at, "only vmad takes negated operands");
            neg ^= i == 3 ? 2u : 1u;
        }
    if (neg == 3 || (neg && imm & XG_SIM_V_PLUS_ONE) || (neg & 1 && !(imm & (XG_SIM_V_ASIGNED | XG_SIM_V_BSIGNED))))
        xg_sim_unsupported(p, s->at, NULL, "these negations of 'vmad' are not simulated");
    imm |= (neg & 1 ? (uint32_t)XG_SIM_V_NEG_PRODUCT : 0u) | (neg & 2 ? (uint32_t)XG_SIM_V_NEG_C : 0u);
    select = xg_sim_video_select(p, &s->o[0]) | xg_sim_video_select(p, &s->o[1]) << 4 |
             xg_sim_video_select(p, &s->o[2]) << 8;
    a = xg_sim_source(p, s, 1, XG_SIM_U32);
    b = xg_sim_source(p, s, 2, XG_SIM_U32);
    c = least == 4 ? xg_sim_source(p, s, 3, XG_SIM_U32) : xg_sim_constant(p, 0, 4);
    d = xg_sim_dest(p, s, XG_SIM_U32);
    in = xg_sim_alu(p, s, XG_F(video_b32), d, a, b, c);
    in->imm = imm;
    in->imm2 = select;
}

/* ".h10", ".b3210": digits, the highest lane first; `highest` is the largest digit. */
XG_FN uint32_t xg_sim_video_lanes(
    xg_sim_asm *p, const xg_sim_operand *o, uint32_t n, uint32_t first, uint32_t highest) {
    uint32_t i, r = 0;
    for (i = 0; i < n && !o->select.n; i++) r |= (first + i) << (3 * i);
    if (!o->select.n) return r;
    if (o->select.n != n + 2 || o->select.p[1] != (n == 4 ? 'b' : 'h'))
        xg_sim_wrong(p, o->at, "'%.*s' does not select %u parts", (int)o->select.n, o->select.p, n);
    for (i = 0; i < n; i++) {
        uint32_t digit = (uint32_t)(o->select.p[n + 1 - i] - '0');
        if (digit > highest)
            xg_sim_wrong(p, o->at, "'%.*s' does not select %u parts", (int)o->select.n, o->select.p, n);
        r |= digit << (3 * i);
    }
    return r;
}
XG_FN void xg_sim_d_videos(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) { /* arg: operation, 16: four parts */
    uint32_t n = arg & 16 ? 4 : 2, op = arg & 15, imm = op | (arg & 16 ? (uint32_t)XG_SIM_V_FOUR : 0u), mask = 0, i, a,
             b, c;
    xg_sim_ins *in;
    xg_str w;
    if (op == XG_SIM_V_SET)
        imm |= xg_sim_video_types(p, s, 2) | xg_sim_video_compare_word(p, s);
    else
        imm |= xg_sim_video_types(p, s, 3);
    if (xg_sim_take(s, "sat")) imm |= XG_SIM_V_SAT;
    if (xg_sim_take(s, "add")) imm |= 1u << XG_SIM_V_SECOND;
    xg_sim_operands_are(p, s, 4);
    w = s->o[0].select;
    if (!w.n) mask = (1u << n) - 1;
    for (i = 2; i < w.n; i++) {
        if (w.p[i] < '0' || w.p[i] >= (char)('0' + n))
            xg_sim_wrong(p, s->o[0].at, "'%.*s' is no mask of %u parts", (int)w.n, w.p, n);
        mask |= 1u << (w.p[i] - '0');
    }
    a = xg_sim_source(p, s, 1, XG_SIM_U32);
    b = xg_sim_source(p, s, 2, XG_SIM_U32);
    c = xg_sim_source(p, s, 3, XG_SIM_U32);
    in = xg_sim_alu(p, s, XG_F(videos_b32), xg_sim_dest(p, s, XG_SIM_U32), a, b, c);
    in->imm = imm;
    in->imm2 = mask | xg_sim_video_lanes(p, &s->o[1], n, 0, 2 * n - 1) << 4 |
               xg_sim_video_lanes(p, &s->o[2], n, n, 2 * n - 1) << 16;
}

#endif /* XG_SIM_DECODE_VIDEO_C */
