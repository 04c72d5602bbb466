/* sim/texture.c -- texture objects and the fetches of them.
 *
 * What a handle is on a GPU only its driver knows. Here it is the address of a texture object in global memory: a magic
 * number and an xlagpu_texture, made by xg_sim_texture_encode. Texels lie in global memory row by row.
 *
 * A fetch follows the CUDA programming guide, appendix "Texture Fetching". Along each dimension it finds two texels and
 * their shares (of a fetch without filtering the second's is 0); the texels of all lanes with the same pair of numbers
 * are one load, checked and counted as ld.global.nc is. So linear filtering of two dimensions loads up to four times.
 * Shares have 8 bits behind the point. Texels of a filtered fetch are added in double precision and rounded once.
 *
 * Laws
 * - A kernel can write over an object, or make one up: nothing in it is believed before xg_sim_texture_check.
 * - Texels with a share of 0 are not read: neither bounds nor NaNs beside the place matter. */
#ifndef XG_SIM_TEXTURE_C
#define XG_SIM_TEXTURE_C
#include "provided.c"

#define XG_SIM_TEXTURE_MAGIC 0x5455544558455458u /* "XTEXETUT" */

/* xlagpu_texture's kinds and address modes. */
typedef enum xg_sim_texel_kind {
    XG_SIM_TEXEL_SIGNED,
    XG_SIM_TEXEL_UNSIGNED,
    XG_SIM_TEXEL_FLOAT
} xg_sim_texel_kind;
typedef enum xg_sim_edge {
    XG_SIM_EDGE_WRAP,
    XG_SIM_EDGE_CLAMP,
    XG_SIM_EDGE_MIRROR,
    XG_SIM_EDGE_BORDER
} xg_sim_edge;
enum {
    XG_SIM_TEXELS_MOST = 1 << 27, /* of a dimension, as CUDA's limit of linear memory */
    XG_SIM_TEXTURE_RANK = 3,
    XG_SIM_TEXTURE_TAPS = 1 << XG_SIM_TEXTURE_RANK /* texels of a filtered fetch */
};

/* ---- objects ---- */

XG_FN uint32_t xg_sim_texture_rank(const xlagpu_texture *t) { return t->dims[2] ? 3 : t->dims[1] ? 2 : 1; }
/* True when a fetch gives floats, which may be filtered. */
XG_FN bool xg_sim_texture_real(const xlagpu_texture *t) { return t->kind == XG_SIM_TEXEL_FLOAT || t->normalized_float; }
/* What is wrong with a texture; NULL when nothing is. */
XG_FN const char *xg_sim_texture_check(const xlagpu_texture *t) {
    uint64_t item;
    uint32_t i;
    if (t->kind > XG_SIM_TEXEL_FLOAT || !(t->bits == 32 || t->bits == 16 || (t->bits == 8 && t->kind < 2)))
        return "a texture has integers of 8, 16 or 32 bits or floats of 16 or 32";
    if (t->channels != 1 && t->channels != 2 && t->channels != 4) return "a texel has 1, 2 or 4 channels";
    if (!t->dims[0] || (t->dims[2] && !t->dims[1]) || (t->dims[2] && t->layers))
        return "a texture has one to three dimensions, with layers at most two";
    for (i = 0; i < XG_SIM_TEXTURE_RANK; i++)
        if (t->dims[i] > XG_SIM_TEXELS_MOST || t->address_mode[i] > XG_SIM_EDGE_BORDER)
            return "a texture has at most 2^27 texels along a dimension, and address modes 0 to 3";
    if (t->normalized_float && (t->kind == XG_SIM_TEXEL_FLOAT || t->bits == 32))
        return "only integers of 8 and 16 bits are read as normalised floats";
    if (t->linear && !xg_sim_texture_real(t)) return "linear filtering is of floats, or of integers read as such";
    item = t->bits / 8 * t->channels;
    if (t->address % item || t->row_bytes % item || (t->row_bytes && t->row_bytes < item * t->dims[0]))
        return "a texture's address and row must be multiples of a texel, the row as long as its texels";
    return NULL;
}
XG_SIM_FN const char *xg_sim_texture_encode(const xlagpu_texture *t, void *out) {
    const uint64_t magic = XG_SIM_TEXTURE_MAGIC;
    const char *wrong = xg_sim_texture_check(t);
    if (wrong) return wrong;
    memcpy(out, &magic, sizeof magic);
    memcpy((char *)out + sizeof magic, t, sizeof *t);
    return NULL;
}
/* The kernel's parameter that holds a handle, alone or in a structure; NULL when none does. */
XG_FN const xg_sim_param *xg_sim_handle_param(const xg_sim_worker *w, uint64_t handle) {
    const xg_sim_info *info = &w->l->entry->f.info;
    uint32_t i, at;
    for (i = 0; i < info->n_params; i++)
        for (at = 0; at + 8 <= info->params[i].size; at += 8)
            if (memcmp(w->params + info->params[i].offset + at, &handle, 8) == 0) return &info->params[i];
    return NULL;
}
/* The texture of a handle; false after a fault. */
XG_FN bool xg_sim_texture_of(
    xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane, uint64_t handle, xlagpu_texture *t) {
    const xg_sim_buffer *b = xg_sim_memory_find(w->l->memory, handle);
    const xg_sim_param *p;
    char where[XG_SIM_PLACE_MAX] = "";
    uint64_t magic = 0;
    if (b && b->base + b->bytes - handle >= XG_SIM_TEXTURE_BYTES) {
        const char *from = (const char *)(uintptr_t)handle;
        memcpy(&magic, from, sizeof magic);
        memcpy(t, from + sizeof magic, sizeof *t);
        if (magic == XG_SIM_TEXTURE_MAGIC && !xg_sim_texture_check(t)) return true;
    }
    p = xg_sim_handle_param(w, handle);
    if (b) xg_sim_buffer_text(b, false, where, sizeof where);
    xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_OPERAND,
        "there is no texture at 0x%llX%s%.*s%s%s%s: --arg tex:F.npy makes one, in C xlagpu_rt_make_texture",
        (unsigned long long)handle, p ? ", which is parameter '" : "", p ? (int)XG_MIN(p->name.n, 60u) : 0,
        p ? p->name.p : "", p ? "'" : "", b ? ", in " : "", where);
    return false;
}

/* ---- fetches ---- */

/* What the lanes with one handle fetch. */
typedef struct xg_sim_fetch {
    xlagpu_texture t;
    uint32_t taps; /* that may have a share */
    bool filters;
    uint64_t at[XG_SIM_TEXTURE_TAPS][XG_SIM_WARP]; /* addresses of texels */
    float share[XG_SIM_TEXTURE_TAPS][XG_SIM_WARP]; /* exact: 24 bits */
    double sum[XG_SIM_TX_COMPONENTS][XG_SIM_WARP];
    uint32_t out[XG_SIM_TX_COMPONENTS][XG_SIM_WARP];
} xg_sim_fetch;

/* The two texels beside a coordinate and their shares. A coordinate is first brought near the texture, so that any
 * float, NaN too, becomes an integer. */
XG_APART XG_FN void xg_sim_fetch_axis(
    const xlagpu_texture *t, uint32_t axis, bool whole, double x, uint32_t at[2], double share[2]) {
    const double n = t->dims[axis];
    const bool scaled = t->normalized && !whole;
    const uint32_t mode =
        scaled || t->address_mode[axis] == XG_SIM_EDGE_BORDER ? t->address_mode[axis] : (uint32_t)XG_SIM_EDGE_CLAMP;
    double first, turns;
    uint32_t k;
    if (scaled) {
        turns = floor(x);
        if (mode == XG_SIM_EDGE_WRAP || mode == XG_SIM_EDGE_MIRROR) x -= turns;
        if (mode == XG_SIM_EDGE_MIRROR && fmod(turns, 2) != 0) x = 1 - x;
        x *= n;
    }
    if (t->linear && !whole) x -= 0.5;
    x = x > n ? n : x >= -1 ? x : x < -1 ? -1 : 0;
    first = floor(x);
    share[1] = t->linear && !whole ? floor((x - first) * 256 + 0.5) / 256 : 0;
    share[0] = 1 - share[1];
    for (k = 0; k < 2; k++) {
        double i = first + k;
        if (i < 0 || i >= n) {
            if (mode == XG_SIM_EDGE_BORDER) share[k] = i = 0;
            i = mode == XG_SIM_EDGE_WRAP ? (i < 0 ? n - 1 : 0) : i < 0 ? 0 : XG_MIN(i, n - 1);
        }
        at[k] = (uint32_t)i;
    }
}
/* Where a lane's texels lie and what their shares are; false after a fault. */
XG_FN bool xg_sim_fetch_lane(
    xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane, xg_sim_fetch *f) {
    const xlagpu_texture *t = &f->t;
    const uint32_t item = t->bits / 8 * t->channels, rank = in->imm & XG_SIM_TX_RANK;
    const uint64_t row = t->row_bytes ? t->row_bytes : (uint64_t)item * t->dims[0];
    uint32_t code[XG_SIM_TEXTURE_RANK], at[XG_SIM_TEXTURE_RANK][2], layer = 0, axis, k;
    double share[XG_SIM_TEXTURE_RANK][2];
    code[0] = in->b;
    code[1] = in->c;
    code[2] = in->e;
    if (in->imm & XG_SIM_TX_LAYERED && (layer = xg_sim_lane_u32(xg_sim_slot(w, v, in->e), lane)) >= t->layers) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_BOUNDS, "layer %u of a texture of %u", layer, t->layers);
        return false;
    }
    for (axis = 0; axis < rank; axis++) {
        const uint32_t x = xg_sim_lane_u32(xg_sim_slot(w, v, code[axis]), lane);
        const bool whole = (in->imm & XG_SIM_TX_WHOLE) != 0;
        xg_sim_fetch_axis(
            t, axis, whole, whole ? (double)(int32_t)x : (double)xg_f32_of_bits(x), at[axis], share[axis]);
    }
    for (k = 0; k < f->taps; k++) {
        uint64_t rows = layer;
        double all = 1;
        for (axis = rank; axis-- > 0;) {
            const uint32_t side = k >> axis & 1;
            all *= share[axis][side];
            if (axis) rows = rows * t->dims[axis] + at[axis][side];
        }
        f->at[k][lane] = t->address + rows * row + (uint64_t)at[0][k & 1] * item;
        f->share[k][lane] = (float)all;
    }
    return true;
}
/* A component as the register gets it. */
XG_FN uint32_t xg_sim_texel_bits(const xlagpu_texture *t, const char *p) {
    const uint32_t top = 1u << (t->bits - 1);
    uint32_t x = 0;
    double y;
    memcpy(&x, p, t->bits / 8);
    if (t->kind == XG_SIM_TEXEL_FLOAT) return t->bits == 16 ? xg_sim_f16_to_f32(x) : x;
    if (t->kind == XG_SIM_TEXEL_SIGNED) x = (x ^ top) - top;
    if (!t->normalized_float) return x;
    y = t->kind == XG_SIM_TEXEL_SIGNED ? (double)(int32_t)x / (top - 1) : (double)x / (2 * top - 1);
    return xg_f32_bits((float)XG_MAX(y, -1.0));
}
/* The load of one texel of each lane of the mask; false after a fault. */
XG_FN bool xg_sim_fetch_tap(
    xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask, uint32_t k, xg_sim_fetch *f) {
    const uint32_t bytes = f->t.bits / 8, item = bytes * f->t.channels;
    xg_sim_reach r;
    uint32_t i, c;
    for (i = 0; i < XG_SIM_WARP; i++)
        if (mask >> i & 1 && f->share[k][i] == 0) mask &= ~(1u << i);
    if (!mask) return true;
    if (!xg_sim_reach_warp(w, v, in, (const char *)f->at[k], 0, true, XG_SIM_GLOBAL, mask, item, false, &r) ||
        !xg_sim_shadow(w, v, in, &r, mask, item, XG_SIM_READS, false))
        return false;
    for (i = 0; i < XG_SIM_WARP; i++)
        for (c = 0; mask >> i & 1 && c < f->t.channels; c++) {
            const uint32_t x = xg_sim_texel_bits(&f->t, xg_sim_reach_at(&r, i) + c * bytes);
            f->out[c][i] = x;
            if (f->filters) f->sum[c][i] += (double)f->share[k][i] * (double)xg_f32_of_bits(x);
        }
    return true;
}
/* What the lanes of the mask fetch of the texture f->t; false after a fault. */
XG_APART XG_FN bool xg_sim_fetch_all(
    xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask, xg_sim_fetch *f) {
    const uint32_t lane = xg_sim_first_lane(mask), rank = xg_sim_texture_rank(&f->t);
    const bool layered = (in->imm & XG_SIM_TX_LAYERED) != 0, real = xg_sim_texture_real(&f->t);
    uint32_t i, k, c;
    if (rank != (in->imm & XG_SIM_TX_RANK) || layered != (f->t.layers != 0)) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_OPERAND, "the texture has %u dimension%s and %s", rank,
            rank > 1 ? "s" : "", f->t.layers ? "layers" : "no layers");
        return false;
    }
    if (real != ((in->imm & XG_SIM_TX_FLOAT) != 0)) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_OPERAND, "the texture gives %s", real ? "f32" : "u32 or s32");
        return false;
    }
    f->filters = f->t.linear && !(in->imm & XG_SIM_TX_WHOLE);
    f->taps = f->filters ? 1u << rank : 1u;
    memset(f->sum, 0, sizeof f->sum);
    for (i = 0; i < XG_SIM_WARP; i++)
        if (mask >> i & 1 && !xg_sim_fetch_lane(w, v, in, i, f)) return false;
    for (k = 0; k < f->taps; k++)
        if (!xg_sim_fetch_tap(w, v, in, mask, k, f)) return false;
    for (i = 0; f->filters && i < XG_SIM_WARP; i++)
        for (c = 0; mask >> i & 1 && c < f->t.channels; c++) f->out[c][i] = xg_f32_bits((float)f->sum[c][i]);
    return true;
}
XG_FN void xg_sim_exec_tex(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    const char *handles = xg_sim_slot(w, v, in->a);
    xg_sim_fetch f;
    uint32_t rest = mask, same, i, lane;
    memset(f.out, 0, sizeof f.out);
    w->stats.global_loads++;
    for (; rest; rest &= ~same) { /* lanes with one handle, which mostly are all */
        const uint64_t handle = xg_sim_lane_address(handles, lane = xg_sim_first_lane(rest), true, 0);
        for (same = i = 0; i < XG_SIM_WARP; i++)
            same |= (rest >> i & (xg_sim_lane_address(handles, i, true, 0) == handle)) << i;
        if (!xg_sim_texture_of(w, v, in, lane, handle, &f.t) || !xg_sim_fetch_all(w, v, in, same, &f)) return;
    }
    for (i = 0; i < XG_SIM_TX_COMPONENTS; i++)
        xg_sim_blend(v->regs + w->m->list[in->list + i], (const char *)f.out[i], mask, 4);
}

#endif /* XG_SIM_TEXTURE_C */
