/* sim/decode_matrix.c -- statements on tiles of matrices: ldmatrix, stmatrix, movmatrix, mma, wmma, wgmma.
 *
 * A multiplication becomes one record. Its shape and element types stand in imm and imm2 (xg_sim_tile_of unpacks them),
 * its registers in the list: A, B, C, the metadata of a sparse A, then D. Which shapes and types go together is said by
 * the rows of XG_SIM_MMAS and XG_SIM_WMMAS. */
#ifndef XG_SIM_DECODE_MATRIX_C
#define XG_SIM_DECODE_MATRIX_C
#include "decode_async.c"

/* X(NAME, text, bits of an element, float or integer): the elements of tiles. */
/* clang-format off */
#define XG_SIM_ELEMS(X) \
    X(F16, "f16", 16, 1) \
    X(BF16, "bf16", 16, 1) \
    X(TF32, "tf32", 32, 1) \
    X(F32, "f32", 32, 1) \
    X(F64, "f64", 64, 1) \
    X(E4M3, "e4m3", 8, 1) \
    X(E5M2, "e5m2", 8, 1) \
    X(E2M3, "e2m3", 6, 1) \
    X(E3M2, "e3m2", 6, 1) \
    X(E2M1, "e2m1", 4, 1) \
    X(S8, "s8", 8, 0) \
    X(U8, "u8", 8, 0) \
    X(S4, "s4", 4, 0) \
    X(U4, "u4", 4, 0) \
    X(B1, "b1", 1, 0) \
    X(S32, "s32", 32, 0)
/* clang-format on */
typedef enum xg_sim_elem {
#define X(name, text, bits, real) XG_SIM_EL_##name,
    XG_SIM_ELEMS(X)
#undef X
    XG_SIM_EL_COUNT
} xg_sim_elem;
typedef struct xg_sim_elem_row {
    char text[5];
    uint8_t bits, real;
} xg_sim_elem_row;
XG_TABLE const xg_sim_elem_row xg_sim_elems[XG_SIM_EL_COUNT] = {
#define X(name, text, bits, real) {text, bits, real},
    XG_SIM_ELEMS(X)
#undef X
};
XG_APART XG_FN xg_sim_elem xg_sim_elem_of(xg_str word) {
    int i;
    for (i = 0; i < XG_SIM_EL_COUNT; i++)
        if (xg_str_is(word, xg_sim_elems[i].text)) return (xg_sim_elem)i;
    return XG_SIM_EL_COUNT;
}

/* op of K_TILE. */
typedef enum xg_sim_tileop {
    XG_SIM_T_LOAD,
    XG_SIM_T_STORE,
    XG_SIM_T_MOVE,
    XG_SIM_T_MMA,
    XG_SIM_T_VOLTA /* mma.m8n8k4 of f16 */,
    XG_SIM_T_WMMA,
    XG_SIM_T_WLOAD,
    XG_SIM_T_WSTORE,
    XG_SIM_T_WGMMA,
    XG_SIM_T_WGSYNC,
    XG_SIM_T_BYTES_LOAD /* small.c */,
    XG_SIM_T_BYTES_STORE,
    XG_SIM_T_SMALL
} xg_sim_tileop;

/* Flags of a multiplication, and of the transfers. */
enum {
    XG_SIM_TF_SATURATE = 1,
    XG_SIM_TF_ACOL = 2,
    XG_SIM_TF_BROW = 4,
    XG_SIM_TF_XOR = 8,
    XG_SIM_TF_SPARSE = 16,
    XG_SIM_TF_ORDERED = 32,
    XG_SIM_TF_AREG = 64 /* wgmma: A in registers */,
    XG_SIM_TF_NEGA = 128,
    XG_SIM_TF_NEGB = 256
};
typedef struct xg_sim_tile {
    uint32_t m, n, k, flags, selector;
    xg_sim_elem a, b, c, d;
} xg_sim_tile;

/* imm: m, n and k, 10 bits each; imm2: four elements of 4 bits, 10 flags; selector: beside op. */
XG_FN void xg_sim_tile_put(xg_sim_ins *in, xg_sim_tileop op, const xg_sim_tile *t) {
    in->op = (uint16_t)((uint32_t)op | t->selector << 8);
    in->imm = t->m | t->n << 10 | t->k << 20;
    in->imm2 = (uint32_t)t->a | (uint32_t)t->b << 4 | (uint32_t)t->c << 8 | (uint32_t)t->d << 12 | t->flags << 16;
}
XG_FN xg_sim_tile xg_sim_tile_of(const xg_sim_ins *in) {
    xg_sim_tile t;
    t.m = in->imm & 1023;
    t.n = in->imm >> 10 & 1023;
    t.k = in->imm >> 20;
    t.a = (xg_sim_elem)(in->imm2 & 15);
    t.b = (xg_sim_elem)(in->imm2 >> 4 & 15);
    t.c = (xg_sim_elem)(in->imm2 >> 8 & 15);
    t.d = (xg_sim_elem)(in->imm2 >> 12 & 15);
    t.flags = in->imm2 >> 16;
    t.selector = in->op >> 8;
    return t;
}

/* ---- reading statements ---- */

/* "m16n8k16" to its numbers. */
XG_FN bool xg_sim_shape(xg_str w, xg_sim_tile *t) {
    static const char letters[3] = {'m', 'n', 'k'};
    uint32_t v[3] = {0, 0, 0}, i = 0, k;
    for (k = 0; k < 3; k++) {
        if (i >= w.n || w.p[i++] != letters[k]) return false;
        while (i < w.n && xg_sim_is_digit(w.p[i]) && v[k] < 1000) v[k] = v[k] * 10 + (uint32_t)(w.p[i++] - '0');
        if (!v[k] || v[k] > 512) return false;
    }
    t->m = v[0];
    t->n = v[1];
    t->k = v[2];
    return i == w.n;
}
XG_FN void xg_sim_take_shape(xg_sim_asm *p, xg_sim_stmt *s, xg_sim_tile *t) {
    uint32_t i;
    for (i = 0; i < s->n_mods; i++)
        if (!(s->used >> i & 1) && xg_sim_shape(s->mods[i], t)) {
            s->used |= 1u << i;
            return;
        }
    xg_sim_bad(p, s->at, "such as .m16n8k16", "'%.*s' needs a shape", (int)s->op.n, s->op.p);
}
/* The element types in their order; how many. */
XG_FN uint32_t xg_sim_take_elems(xg_sim_stmt *s, xg_sim_elem out[4]) {
    uint32_t i, n = 0;
    for (i = 0; i < s->n_mods && n < 4; i++) {
        xg_sim_elem e = s->used >> i & 1 ? XG_SIM_EL_COUNT : xg_sim_elem_of(s->mods[i]);
        if (e != XG_SIM_EL_COUNT) {
            s->used |= 1u << i;
            out[n++] = e;
        }
    }
    return n;
}
/* row or col, of A and then of B: true for the first one that is not what mma takes by itself. */
XG_FN void xg_sim_take_layouts(xg_sim_asm *p, xg_sim_stmt *s, xg_sim_tile *t) {
    uint32_t i, n = 0;
    for (i = 0; i < s->n_mods; i++) {
        bool row = xg_str_is(s->mods[i], "row");
        if (!row && !xg_str_is(s->mods[i], "col")) continue;
        s->used |= 1u << i;
        if (n == 0 && !row) t->flags |= XG_SIM_TF_ACOL;
        if (n == 1 && row) t->flags |= XG_SIM_TF_BROW;
        n++;
    }
    if (n != 2) xg_sim_bad(p, s->at, "such as .row.col", "'%.*s' needs the layouts of A and B", (int)s->op.n, s->op.p);
}
XG_FN bool xg_sim_in_choice(const char *choice, const char *word) {
    size_t n = strlen(word);
    const char *q = choice;
    while (*q) {
        size_t k = strcspn(q, "|");
        if (k == n && memcmp(q, word, n) == 0) return true;
        q += k;
        if (*q) q++;
    }
    return false;
}
/* The register type of elements. */
XG_FN xg_sim_type xg_sim_elem_type(xg_sim_elem e) {
    return e == XG_SIM_EL_F64 ? XG_SIM_F64 : e == XG_SIM_EL_F32 ? XG_SIM_F32 : XG_SIM_B32;
}

typedef struct xg_sim_regs {
    uint32_t codes[288], n;
} xg_sim_regs;
XG_FN void xg_sim_tile_operand(
    xg_sim_asm *p, xg_sim_stmt *s, uint32_t i, uint32_t n, xg_sim_elem e, bool dest, xg_sim_regs *r) {
    const xg_sim_operand *o = &s->o[i], *items = o->items;
    xg_sim_type t = xg_sim_elem_type(e);
    uint32_t k;
    if (o->kind != XG_SIM_O_VEC && n == 1)
        items = o; /* braces may be left out */
    else if (o->kind != XG_SIM_O_VEC || o->n != n)
        xg_sim_wrong(p, o->at, "this tile of .%s takes %u registers in braces", xg_sim_elems[e].text, n);
    for (k = 0; k < n; k++)
        r->codes[r->n++] = dest ? xg_sim_dest_of(p, &items[k], t) : xg_sim_source_of(p, s, &items[k], t);
}
XG_FN xg_sim_ins *xg_sim_put_tile(xg_sim_asm *p, xg_sim_stmt *s, const xg_sim_regs *r, uint32_t dests) {
    uint32_t i, list = xg_sim_list_begin(p);
    xg_sim_ins *in;
    for (i = 0; i < r->n; i++) xg_sim_list_add(p, r->codes[i]);
    in = xg_sim_put(p, s, XG_SIM_K_TILE);
    in->list = list;
    in->n = (uint16_t)r->n;
    in->d2bytes = (uint8_t)dests;
    return in;
}

/* ---- ldmatrix, stmatrix, movmatrix ---- */

XG_FN void xg_sim_d_ldmatrix(xg_sim_asm *p, xg_sim_stmt *s, uint32_t store) {
    xg_sim_regs r;
    xg_sim_tile t;
    xg_sim_spot a;
    uint32_t n, i;
    const xg_sim_operand *o, *items;
    xg_sim_ins *in;
    memset(&t, 0, sizeof t);
    r.n = 0;
    /* the number of matrices may also stand before the shape, as CUTLASS writes it */
    if (!xg_sim_form(s, "sync aligned m8n8 x1|x2|x4 trans? $c? b16") &&
        !xg_sim_form(s, "sync aligned x1|x2|x4 trans? m8n8 $c? b16"))
        xg_sim_no_form(p, s);
    n = xg_sim_has(s, "x4") ? 4 : xg_sim_has(s, "x2") ? 2 : 1;
    xg_sim_operands_are(p, s, 2);
    a = xg_sim_spot_of(p, s, &s->o[store ? 0 : 1], xg_sim_shared_word(s));
    o = &s->o[store ? 1 : 0];
    items = o->kind == XG_SIM_O_VEC ? o->items : o;
    if ((o->kind == XG_SIM_O_VEC ? o->n : 1) != n) xg_sim_wrong(p, o->at, ".x%u takes %u registers in braces", n, n);
    for (i = 0; i < n; i++)
        r.codes[r.n++] =
            store ? xg_sim_source_of(p, s, &items[i], XG_SIM_B32) : xg_sim_dest_of(p, &items[i], XG_SIM_B32);
    in = xg_sim_put_tile(p, s, &r, store ? 0 : n);
    in->op = store ? XG_SIM_T_STORE : XG_SIM_T_LOAD;
    in->a = a.code;
    in->imm = xg_sim_has(s, "trans");
    in->imm2 = xg_sim_spot_bits(a);
}
XG_FN void xg_sim_d_movmatrix(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    uint32_t a, d;
    xg_sim_regs r;
    (void)arg;
    if (!xg_sim_form(s, "sync aligned m8n8 trans b16")) xg_sim_no_form(p, s);
    xg_sim_operands_are(p, s, 2);
    a = xg_sim_source(p, s, 1, XG_SIM_B32);
    d = xg_sim_dest(p, s, XG_SIM_B32);
    r.codes[0] = a;
    r.codes[1] = d;
    r.n = 2;
    xg_sim_put_tile(p, s, &r, 1)->op = XG_SIM_T_MOVE;
}

/* ---- mma ---- */

/* X(m, n, k, elements of A and B, elements of C and D, sparse): with a choice every pair of A and B is meant, except
 * for 16-bit floats. */
/* clang-format off */
#define XG_SIM_MMAS(X) \
    X(8, 8, 4, "f16", "f16|f32", 0) \
    X(16, 8, 8, "f16", "f16|f32", 0) \
    X(16, 8, 16, "f16", "f16|f32", 0) \
    X(16, 8, 8, "bf16", "f32", 0) \
    X(16, 8, 16, "bf16", "f32", 0) \
    X(16, 8, 4, "tf32", "f32", 0) \
    X(16, 8, 8, "tf32", "f32", 0) \
    X(8, 8, 4, "f64", "f64", 0) \
    X(16, 8, 4, "f64", "f64", 0) \
    X(16, 8, 8, "f64", "f64", 0) \
    X(16, 8, 16, "f64", "f64", 0) \
    X(8, 8, 16, "s8|u8", "s32", 0) \
    X(16, 8, 16, "s8|u8", "s32", 0) \
    X(16, 8, 32, "s8|u8", "s32", 0) \
    X(8, 8, 32, "s4|u4", "s32", 0) \
    X(16, 8, 32, "s4|u4", "s32", 0) \
    X(16, 8, 64, "s4|u4", "s32", 0) \
    X(8, 8, 128, "b1", "s32", 0) \
    X(16, 8, 128, "b1", "s32", 0) \
    X(16, 8, 256, "b1", "s32", 0) \
    X(16, 8, 16, "e4m3|e5m2", "f16|f32", 0) \
    X(16, 8, 32, "e4m3|e5m2", "f16|f32", 0) \
    X(16, 8, 16, "f16", "f16|f32", 1) \
    X(16, 8, 32, "f16", "f16|f32", 1) \
    X(16, 8, 16, "bf16", "f32", 1) \
    X(16, 8, 32, "bf16", "f32", 1) \
    X(16, 8, 8, "tf32", "f32", 1) \
    X(16, 8, 16, "tf32", "f32", 1) \
    X(16, 8, 32, "s8|u8", "s32", 1) \
    X(16, 8, 64, "s8|u8", "s32", 1) \
    X(16, 8, 64, "s4|u4", "s32", 1) \
    X(16, 8, 128, "s4|u4", "s32", 1) \
    X(16, 8, 64, "e4m3|e5m2", "f16|f32", 1)
/* clang-format on */
typedef struct xg_sim_mma_row {
    uint8_t m, n, sparse;
    char ab[10], cd[8];
    uint16_t k;
} xg_sim_mma_row;
XG_TABLE const xg_sim_mma_row xg_sim_mmas[] = {
#define X(m, n, k, ab, cd, sparse) {m, n, sparse, ab, cd, k},
    XG_SIM_MMAS(X)
#undef X
};

XG_FN bool xg_sim_mma_known(const xg_sim_tile *t) {
    size_t i;
    for (i = 0; i < XG_COUNT(xg_sim_mmas); i++) {
        const xg_sim_mma_row *r = &xg_sim_mmas[i];
        if (r->m == t->m && r->n == t->n && r->k == t->k && r->sparse == ((t->flags & XG_SIM_TF_SPARSE) != 0) &&
            xg_sim_in_choice(r->ab, xg_sim_elems[t->a].text) && xg_sim_in_choice(r->ab, xg_sim_elems[t->b].text) &&
            xg_sim_in_choice(r->cd, xg_sim_elems[t->d].text) && xg_sim_in_choice(r->cd, xg_sim_elems[t->c].text))
            return true;
    }
    return false;
}
/* Registers that hold n elements of a warp's tile. */
XG_FN uint32_t xg_sim_tile_regs(uint32_t elements, xg_sim_elem e) {
    return XG_MAX(1u, elements * xg_sim_elems[e].bits / 32 / (e == XG_SIM_EL_F64 ? 64 : 32));
}

/* The selector of a sparse multiplication: which threads of four hold the metadata. */
XG_FN uint32_t xg_sim_selectors(const xg_sim_tile *t) { /* how many there are */
    uint32_t bits = t->a == XG_SIM_EL_TF32                         ? t->k * 2
                    : t->a == XG_SIM_EL_S4 || t->a == XG_SIM_EL_U4 ? t->k / 2
                                                                   : t->k; /* of metadata a row */
    return bits == 16 ? 4 : bits == 32 ? 2 : 1;
}
XG_FN void xg_sim_d_mma(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    xg_sim_tile t;
    xg_sim_elem e[4];
    xg_sim_regs r;
    uint32_t n = 0, dests, sparse;
    bool volta;
    xg_sim_ins *in;
    (void)arg;
    memset(&t, 0, sizeof t);
    r.n = 0;
    if (xg_sim_take(s, "sp")) t.flags |= XG_SIM_TF_SPARSE;
    if (xg_sim_take(s, "sp::ordered_metadata")) t.flags |= XG_SIM_TF_SPARSE | XG_SIM_TF_ORDERED;
    sparse = (t.flags & XG_SIM_TF_SPARSE) != 0;
    if (!xg_sim_take(s, "sync") || !xg_sim_take(s, "aligned"))
        xg_sim_wrong(p, s->at, "'mma' is written mma.sync.aligned");
    xg_sim_take_shape(p, s, &t);
    xg_sim_take_layouts(p, s, &t);
    if (xg_sim_take(s, "satfinite")) t.flags |= XG_SIM_TF_SATURATE;
    if (xg_sim_take_elems(s, e) != 4)
        xg_sim_bad(p, s->at, "such as .f32.f16.f16.f32", "'mma' needs the types of D, A, B and C");
    t.d = e[0];
    t.a = e[1];
    t.b = e[2];
    t.c = e[3];
    if (t.a == XG_SIM_EL_B1) {
        if (xg_sim_take(s, "xor"))
            t.flags |= XG_SIM_TF_XOR;
        else if (!xg_sim_take(s, "and"))
            xg_sim_wrong(p, s->at, "a multiplication of bits needs .xor.popc or .and.popc");
        if (!xg_sim_take(s, "popc")) xg_sim_wrong(p, s->at, "a multiplication of bits needs .xor.popc or .and.popc");
    }
    volta = t.m == 8 && t.a == XG_SIM_EL_F16;
    if (!xg_sim_mma_known(&t) || (t.c != t.d && !(volta && t.d == XG_SIM_EL_F32)) ||
        (!volta && t.flags & (XG_SIM_TF_ACOL | XG_SIM_TF_BROW)) ||
        (t.flags & XG_SIM_TF_SATURATE && (xg_sim_elems[t.a].real || t.a == XG_SIM_EL_B1)))
        xg_sim_unsupported(p, s->at, NULL, "'mma' has no form for this shape with these types");
    xg_sim_operands(p, s, sparse ? 6 : 4, sparse ? 6 : 4);
    xg_sim_tile_operand(p, s, 1, volta ? 2 : xg_sim_tile_regs(t.m * t.k / (1 + sparse), t.a), t.a, false, &r);
    xg_sim_tile_operand(p, s, 2, volta ? 2 : xg_sim_tile_regs(t.k * t.n, t.b), t.b, false, &r);
    xg_sim_tile_operand(
        p, s, 3, volta ? (t.c == XG_SIM_EL_F16 ? 4 : 8) : xg_sim_tile_regs(t.m * t.n, t.c), t.c, false, &r);
    if (sparse) {
        r.codes[r.n++] = xg_sim_source(p, s, 4, XG_SIM_B32);
        t.selector = xg_sim_literal(p, s, 5, xg_sim_selectors(&t) - 1);
    }
    n = r.n;
    xg_sim_tile_operand(
        p, s, 0, volta ? (t.d == XG_SIM_EL_F16 ? 4 : 8) : xg_sim_tile_regs(t.m * t.n, t.d), t.d, true, &r);
    dests = r.n - n;
    in = xg_sim_put_tile(p, s, &r, dests);
    xg_sim_tile_put(in, volta ? XG_SIM_T_VOLTA : XG_SIM_T_MMA, &t);
}

/* ---- wmma ---- */

/* X(m, n, k, elements of A and B, of C and D, registers of A, B, 32-bit C) */
/* clang-format off */
#define XG_SIM_WMMAS(X) \
    X(16, 16, 16, "f16", "f16|f32", 8, 8, 8) \
    X(8, 32, 16, "f16", "f16|f32", 8, 8, 8) \
    X(32, 8, 16, "f16", "f16|f32", 8, 8, 8) \
    X(16, 16, 16, "bf16", "f32", 4, 4, 8) \
    X(8, 32, 16, "bf16", "f32", 2, 8, 8) \
    X(32, 8, 16, "bf16", "f32", 8, 2, 8) \
    X(16, 16, 8, "tf32", "f32", 4, 4, 8) \
    X(8, 8, 4, "f64", "f64", 1, 1, 2) \
    X(16, 16, 16, "s8|u8", "s32", 2, 2, 8) \
    X(8, 32, 16, "s8|u8", "s32", 1, 4, 8) \
    X(32, 8, 16, "s8|u8", "s32", 4, 1, 8) \
    X(8, 8, 32, "s4|u4", "s32", 1, 1, 2) \
    X(8, 8, 128, "b1", "s32", 1, 1, 2)
/* clang-format on */
typedef struct xg_sim_wmma_row {
    uint16_t m, n, k;
    char ab[8], cd[8];
    uint8_t a, b, c;
} xg_sim_wmma_row;
XG_TABLE const xg_sim_wmma_row xg_sim_wmmas[] = {
#define X(m, n, k, ab, cd, ra, rb, rc) {m, n, k, ab, cd, ra, rb, rc},
    XG_SIM_WMMAS(X)
#undef X
};
/* The row of a shape: by the elements of A and B, or for a tile of C by those of C alone. */
XG_FN const xg_sim_wmma_row *xg_sim_wmma_find(
    xg_sim_asm *p, const xg_sim_stmt *s, const xg_sim_tile *t, xg_sim_elem ab, xg_sim_elem cd) {
    size_t i;
    for (i = 0; i < XG_COUNT(xg_sim_wmmas); i++) {
        const xg_sim_wmma_row *r = &xg_sim_wmmas[i];
        if (r->m == t->m && r->n == t->n && r->k == t->k &&
            (ab == XG_SIM_EL_COUNT || xg_sim_in_choice(r->ab, xg_sim_elems[ab].text)) &&
            (cd == XG_SIM_EL_COUNT || xg_sim_in_choice(r->cd, xg_sim_elems[cd].text)))
            return r;
    }
    xg_sim_unsupported(p, s->at, NULL, "'wmma' has no form for this shape with these types");
}
XG_ONE_COPY XG_FN uint32_t xg_sim_wmma_c(const xg_sim_wmma_row *r, xg_sim_elem e) {
    return e == XG_SIM_EL_F16 ? r->c / 2u : r->c;
}

/* flags of WLOAD and WSTORE: bit 0: columns are contiguous; then which matrix, 0 A, 1 B, 2 C or D. */
XG_FN void xg_sim_wmma_transfer(xg_sim_asm *p, xg_sim_stmt *s, bool store) {
    xg_sim_tile t;
    xg_sim_elem e[4];
    xg_sim_regs r;
    xg_sim_spot a;
    int which = store ? 2 : xg_sim_take_one(s, "a b c");
    bool col;
    uint32_t stride, regs;
    const xg_sim_wmma_row *row;
    xg_sim_ins *in;
    memset(&t, 0, sizeof t);
    r.n = 0;
    if (which < 0 || (store && !xg_sim_take(s, "d")) || !xg_sim_take(s, "sync") || !xg_sim_take(s, "aligned"))
        xg_sim_no_form(p, s);
    col = xg_sim_take(s, "col");
    if (!col && !xg_sim_take(s, "row")) xg_sim_wrong(p, s->at, "'wmma' needs the layout in memory, .row or .col");
    xg_sim_take_shape(p, s, &t);
    a.space = xg_sim_take_space(s);
    if (xg_sim_take_elems(s, e) != 1) xg_sim_wrong(p, s->at, "'wmma' needs the type of the elements");
    row = xg_sim_wmma_find(p, s, &t, which < 2 ? e[0] : XG_SIM_EL_COUNT, which < 2 ? XG_SIM_EL_COUNT : e[0]);
    regs = which == 0 ? row->a : which == 1 ? row->b : xg_sim_wmma_c(row, e[0]);
    xg_sim_operands(p, s, 2, 3);
    a = xg_sim_spot_of(p, s, &s->o[store ? 0 : 1], a.space);
    stride = s->n == 3 ? xg_sim_source(p, s, 2, XG_SIM_U32) : XG_SIM_NOREG;
    xg_sim_tile_operand(p, s, store ? 1 : 0, regs, e[0], !store, &r);
    t.a = t.b = t.c = t.d = e[0];
    t.flags = (uint32_t)col | (uint32_t)which << 1;
    in = xg_sim_put_tile(p, s, &r, store ? 0 : regs);
    xg_sim_tile_put(in, store ? XG_SIM_T_WSTORE : XG_SIM_T_WLOAD, &t);
    in->a = a.code;
    in->b = stride;
    in->op = (uint16_t)(in->op | xg_sim_spot_bits(a) << 8);
}
XG_FN void xg_sim_d_wmma(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    xg_sim_tile t;
    xg_sim_elem e[4];
    xg_sim_regs r;
    uint32_t n, k;
    const xg_sim_wmma_row *row;
    (void)arg;
    if (xg_sim_take(s, "load")) {
        xg_sim_wmma_transfer(p, s, false);
        return;
    }
    if (xg_sim_take(s, "store")) {
        xg_sim_wmma_transfer(p, s, true);
        return;
    }
    memset(&t, 0, sizeof t);
    r.n = 0;
    if (xg_sim_take(s, "xor")) t.flags |= XG_SIM_TF_XOR;
    k = (t.flags & XG_SIM_TF_XOR) || xg_sim_take(s, "and") ? xg_sim_take(s, "popc") : 2u;
    if (!xg_sim_take(s, "mma") || !xg_sim_take(s, "sync") || !xg_sim_take(s, "aligned") || !k) xg_sim_no_form(p, s);
    xg_sim_take_shape(p, s, &t);
    xg_sim_take_layouts(p, s, &t);
    t.flags &= ~(uint32_t)(XG_SIM_TF_ACOL | XG_SIM_TF_BROW); /* the loads have seen to it */
    if (xg_sim_take(s, "satfinite")) t.flags |= XG_SIM_TF_SATURATE;
    n = xg_sim_take_elems(s, e);
    if (n != 4 && n != 2) xg_sim_wrong(p, s->at, "'wmma.mma' needs the types of D and C, or of D, A, B and C");
    t.d = e[0];
    t.a = n == 2 ? XG_SIM_EL_F16 : e[1];
    t.b = n == 2 ? XG_SIM_EL_F16 : e[2];
    t.c = e[n - 1];
    if ((t.a == XG_SIM_EL_B1) != (k == 1) ||
        (t.flags & XG_SIM_TF_SATURATE && xg_sim_elems[t.a].real && t.a != XG_SIM_EL_F16) || (t.a != t.b))
        xg_sim_no_form(p, s);
    row = xg_sim_wmma_find(p, s, &t, t.a, t.d);
    xg_sim_wmma_find(p, s, &t, t.b, t.c);
    xg_sim_operands_are(p, s, 4);
    xg_sim_tile_operand(p, s, 1, row->a, t.a, false, &r);
    xg_sim_tile_operand(p, s, 2, row->b, t.b, false, &r);
    xg_sim_tile_operand(p, s, 3, xg_sim_wmma_c(row, t.c), t.c, false, &r);
    xg_sim_tile_operand(p, s, 0, xg_sim_wmma_c(row, t.d), t.d, true, &r);
    xg_sim_tile_put(xg_sim_put_tile(p, s, &r, xg_sim_wmma_c(row, t.d)), XG_SIM_T_WMMA, &t);
}

/* ---- wgmma ---- */

/* One k of each element type, dense. */
XG_FN uint32_t xg_sim_wgmma_k(xg_sim_elem e) {
    return e == XG_SIM_EL_F16 || e == XG_SIM_EL_BF16 ? 16 : e == XG_SIM_EL_TF32 ? 8 : e == XG_SIM_EL_B1 ? 256 : 32;
}
XG_FN bool xg_sim_wgmma_known(const xg_sim_tile *t) {
    bool real = xg_sim_elems[t->a].real != 0, sparse = (t->flags & XG_SIM_TF_SPARSE) != 0;
    if (t->m != 64 || t->n % 8 || t->n < 8 || t->n > 256 || t->k != xg_sim_wgmma_k(t->a) << sparse) return false;
    if (!real && t->n > 32 && t->n % 16) return false;
    if (!real && t->n > 8 && t->n < 32 && t->n != 16 && t->n != 24) return false;
    switch (t->a) {
    case XG_SIM_EL_F16: return t->b == t->a && (t->d == XG_SIM_EL_F16 || t->d == XG_SIM_EL_F32);
    case XG_SIM_EL_BF16:
    case XG_SIM_EL_TF32: return t->b == t->a && t->d == XG_SIM_EL_F32;
    case XG_SIM_EL_E4M3:
    case XG_SIM_EL_E5M2:
        return (t->b == XG_SIM_EL_E4M3 || t->b == XG_SIM_EL_E5M2) && (t->d == XG_SIM_EL_F16 || t->d == XG_SIM_EL_F32);
    case XG_SIM_EL_S8:
    case XG_SIM_EL_U8: return (t->b == XG_SIM_EL_S8 || t->b == XG_SIM_EL_U8) && t->d == XG_SIM_EL_S32;
    case XG_SIM_EL_B1: return t->b == t->a && t->d == XG_SIM_EL_S32 && !sparse;
    default: return false;
    }
}
/* mma_async[.sp] d, a, b[, metadata, selector], scale-d[, imm-scale-a, imm-scale-b[, trans-a][, trans-b]] */
XG_FN void xg_sim_wgmma_mma(xg_sim_asm *p, xg_sim_stmt *s) {
    xg_sim_tile t;
    xg_sim_elem e[4];
    xg_sim_regs r;
    uint32_t at = 3, n, scale, descriptor_a = XG_SIM_NOREG, descriptor_b;
    bool sparse, half;
    xg_sim_ins *in;
    memset(&t, 0, sizeof t);
    r.n = 0;
    sparse = xg_sim_take(s, "sp") || xg_sim_take(s, "sp::ordered_metadata");
    if (sparse) t.flags |= XG_SIM_TF_SPARSE;
    if (!xg_sim_take(s, "sync") || !xg_sim_take(s, "aligned")) xg_sim_no_form(p, s);
    xg_sim_take_shape(p, s, &t);
    if (xg_sim_take_elems(s, e) != 3)
        xg_sim_bad(p, s->at, "such as .f32.bf16.bf16", "'wgmma' needs the types of D, A and B");
    t.d = t.c = e[0];
    t.a = e[1];
    t.b = e[2];
    if (xg_sim_take(s, "satfinite")) t.flags |= XG_SIM_TF_SATURATE;
    if (t.a == XG_SIM_EL_B1 && (!xg_sim_take(s, "and") || !xg_sim_take(s, "popc"))) xg_sim_no_form(p, s);
    if (!xg_sim_wgmma_known(&t) || (t.flags & XG_SIM_TF_SATURATE && t.d != XG_SIM_EL_S32))
        xg_sim_unsupported(p, s->at, NULL, "'wgmma' has no form for this shape with these types");
    half = t.a == XG_SIM_EL_F16 || t.a == XG_SIM_EL_BF16;
    if (s->n < 4) xg_sim_operands(p, s, 4, 10);
    if (s->o[1].kind == XG_SIM_O_VEC) {
        t.flags |= XG_SIM_TF_AREG;
        xg_sim_tile_operand(p, s, 1, 4, t.a, false, &r);
    } else
        descriptor_a = xg_sim_source(p, s, 1, XG_SIM_B64);
    descriptor_b = xg_sim_source(p, s, 2, XG_SIM_B64);
    if (sparse) {
        if (s->n < 6) xg_sim_operands(p, s, 6, 12);
        r.codes[r.n++] = xg_sim_source(p, s, at++, XG_SIM_B32);
        t.selector = xg_sim_literal(p, s, at++, xg_sim_selectors(&t) - 1);
    }
    scale = xg_sim_source(p, s, at++, XG_SIM_PRED);
    n = at + (xg_sim_elems[t.a].real ? 2u : 0u) + (half ? (t.flags & XG_SIM_TF_AREG ? 1u : 2u) : 0u);
    xg_sim_operands_are(p, s, n);
    if (xg_sim_elems[t.a].real) {
        uint32_t k;
        for (k = 0; k < 2; k++, at++) {
            const xg_sim_operand *o = &s->o[at];
            if (o->kind != XG_SIM_O_NUM || (o->value != 1 && o->value != ~(uint64_t)0))
                xg_sim_wrong(p, o->at, "a factor of an operand is 1 or -1");
            if (o->value != 1) t.flags |= k ? XG_SIM_TF_NEGB : XG_SIM_TF_NEGA;
        }
    }
    if (half && !(t.flags & XG_SIM_TF_AREG) && xg_sim_literal(p, s, at++, 1)) t.flags |= XG_SIM_TF_ACOL;
    if (half && xg_sim_literal(p, s, at, 1)) t.flags |= XG_SIM_TF_BROW;
    n = xg_sim_tile_regs(16 * t.n, t.d);
    xg_sim_tile_operand(p, s, 0, n, t.d, false, &r);
    xg_sim_tile_operand(p, s, 0, n, t.d, true, &r);
    in = xg_sim_put_tile(p, s, &r, n);
    xg_sim_tile_put(in, XG_SIM_T_WGMMA, &t);
    in->a = descriptor_a;
    in->b = descriptor_b;
    in->c = scale;
}
/* wgmma.fence, .commit_group and .wait_group. imm: which; imm2: how many groups may go on. */
enum {
    XG_SIM_WG_FENCE,
    XG_SIM_WG_COMMIT,
    XG_SIM_WG_WAIT
};
XG_FN void xg_sim_d_wgmma(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    uint32_t what = XG_SIM_WG_WAIT, left = 0;
    xg_sim_ins *in;
    (void)arg;
    if (xg_sim_take(s, "mma_async")) {
        xg_sim_wgmma_mma(p, s);
        return;
    }
    if (xg_sim_form(s, "fence|commit_group sync aligned")) {
        xg_sim_operands_are(p, s, 0);
        what = xg_sim_has(s, "fence") ? XG_SIM_WG_FENCE : XG_SIM_WG_COMMIT;
    } else if (xg_sim_form(s, "wait_group sync aligned")) {
        xg_sim_operands_are(p, s, 1);
        left = xg_sim_literal(p, s, 0, 7);
    } else
        xg_sim_no_form(p, s);
    in = xg_sim_put(p, s, XG_SIM_K_TILE);
    in->op = XG_SIM_T_WGSYNC;
    in->imm = what;
    in->imm2 = left;
}

#endif /* XG_SIM_DECODE_MATRIX_C */
