/* sim/tensormap.c -- tensor maps: what a tensor in global memory looks like, and which bytes a box of it has.
 *
 * A GPU's encoding of the 128 bytes is secret, so the simulator has its own: the structure xg_sim_tensormap, at the
 * start of them. Programs make maps by xg_sim_tensormap_encode, whose rules are those of cuTensorMapEncodeTiled and
 * cuTensorMapEncodeIm2col, and kernels by tensormap.replace.
 *
 * A box is a number of rows. A row is box[0] elements side by side in memory (im2col: the channels of one pixel); rows
 * lie one after the other in shared memory, the lowest dimension first. Parts outside of the tensor read as the fill
 * and are not written.
 * Not here: interleaved layouts, swizzles that flip 8 bytes, packed 4- and 6-bit elements. */
#ifndef XG_SIM_TENSORMAP_C
#define XG_SIM_TENSORMAP_C
#include "warp.c"

/* Swizzles beside 0 to 3, as CUtensorMapSwizzle numbers them. */
enum {
    XG_SIM_SWIZZLE_ATOM_32 = 4,
    XG_SIM_SWIZZLE_ATOM_64 = 6
};
#define XG_SIM_TENSORMAP_MAGIC 0x50414D524F534E54u /* "TNSORMAP" */

/* The bytes of an element and the simulator's type for reductions, by CUtensorMapDataType. */
static const struct {
    uint8_t bytes, type;
} xg_sim_map_types[] = {{1, XG_SIM_B8}, {2, XG_SIM_U16}, {4, XG_SIM_U32}, {4, XG_SIM_S32}, {8, XG_SIM_U64},
    {8, XG_SIM_S64}, {2, XG_SIM_F16}, {4, XG_SIM_F32}, {8, XG_SIM_F64}, {2, XG_SIM_BF16}, {4, XG_SIM_F32},
    {4, XG_SIM_F32}, {4, XG_SIM_F32}};
XG_ONE_COPY XG_FN uint32_t xg_sim_map_bytes(const xg_sim_tensormap *m) { return xg_sim_map_types[m->type].bytes; }

/* What is wrong with a map; NULL when nothing is. */
XG_FN const char *xg_sim_tensormap_check(const xg_sim_tensormap *m) {
    uint32_t i, inner;
    if (m->type >= XG_COUNT(xg_sim_map_types)) return "the element type is not simulated";
    if (m->rank < 1 || m->rank > 5 || (m->im2col && m->rank < 3))
        return "a tensor map has rank 1 to 5, for im2col 3 to 5";
    if (m->interleave) return "interleaved layouts are not simulated";
    if (m->swizzle > 3 && m->swizzle != XG_SIM_SWIZZLE_ATOM_32 && m->swizzle != XG_SIM_SWIZZLE_ATOM_64)
        return "this swizzle is not simulated";
    if (m->fill > 1 || m->promotion > 3) return "an unknown fill or promotion";
    if (m->base % 16) return "the tensor's address must be a multiple of 16";
    for (i = 0; i + 1 < m->rank; i++)
        if (m->stride[i] % 16 || m->stride[i] >> 40) return "a stride must be a multiple of 16 below 2^40";
    for (i = 0; i < m->rank; i++) {
        if (!m->im2col && (m->box[i] < 1 || m->box[i] > 256)) return "a box has 1 to 256 elements in each dimension";
        if (m->step[i] < 1 || m->step[i] > 8) return "an element stride is 1 to 8";
    }
    if (m->im2col && (m->channels < 1 || m->channels > 256 || m->pixels < 1 || m->pixels > 1024))
        return "im2col takes 1 to 256 channels and 1 to 1024 pixels";
    inner = (m->im2col ? m->channels : m->box[0]) * xg_sim_map_bytes(m);
    if (inner % 16) return "a row of a box must be a multiple of 16 bytes";
    if (m->swizzle && inner > 16u << XG_MIN(m->swizzle, 3u)) return "a row of a box is longer than the swizzle allows";
    return NULL;
}
XG_SIM_FN const char *xg_sim_tensormap_encode(const xg_sim_tensormap *m, void *out) {
    xg_sim_tensormap copy = *m;
    const char *wrong = xg_sim_tensormap_check(m);
    if (wrong) return wrong;
    copy.magic = XG_SIM_TENSORMAP_MAGIC;
    memset(out, 0, XG_SIM_TENSORMAP_BYTES);
    memcpy(out, &copy, sizeof copy);
    return NULL;
}
XG_FN bool xg_sim_tensormap_read(const void *bytes, xg_sim_tensormap *m) {
    memcpy(m, bytes, sizeof *m);
    return m->magic == XG_SIM_TENSORMAP_MAGIC;
}
/* The same for a kernel that makes a map: it may begin with zeros. */
XG_FN bool xg_sim_tensormap_begin(const char *bytes, xg_sim_tensormap *m) {
    uint32_t i;
    if (xg_sim_tensormap_read(bytes, m)) return true;
    for (i = 0; i < XG_SIM_TENSORMAP_BYTES && !bytes[i]; i++) {}
    memset(m, 0, sizeof *m);
    m->magic = XG_SIM_TENSORMAP_MAGIC;
    return i == XG_SIM_TENSORMAP_BYTES;
}

/* The type of elements as PTX numbers it, which differs from CUtensorMapDataType; 255 for none that is simulated. */
XG_FN uint8_t xg_sim_tensormap_type(uint64_t x) {
    static const uint8_t types[] = {0, 1, 2, 3, 4, 5, 6, 7, 10, 8, 9, 11, 12};
    return x < XG_COUNT(types) ? types[x] : 255;
}
/* tensormap.replace: one field; the same numbers as PTX gives them. False when the value is none of the field's. */
XG_FN bool xg_sim_tensormap_set(xg_sim_tensormap *m, xg_sim_map_field field, uint32_t index, uint64_t x) {
    switch (field) {
    case XG_SIM_MAP_ADDRESS: m->base = x; return true;
    case XG_SIM_MAP_RANK: m->rank = (uint8_t)(x + 1); return x < 5;
    case XG_SIM_MAP_BOX: m->box[index] = (uint16_t)x; return x >= 1 && x <= 256;
    case XG_SIM_MAP_DIM: m->dim[index] = (uint32_t)x - 1; return true;
    case XG_SIM_MAP_STRIDE:
        if (index < 4) m->stride[index] = x;
        return index < 4;
    case XG_SIM_MAP_STEP: m->step[index] = (uint8_t)x; return x >= 1 && x <= 8;
    case XG_SIM_MAP_TYPE: m->type = xg_sim_tensormap_type(x); return m->type != 255;
    case XG_SIM_MAP_INTERLEAVE: m->interleave = (uint8_t)x; return x == 0;
    case XG_SIM_MAP_SWIZZLE:
        if (m->swizzle <= 3 || x != 3) m->swizzle = (uint8_t)x; /* the atoms may have been set before */
        return x < 4;
    case XG_SIM_MAP_ATOMICITY: /* 16 bytes; 32 and 64 go with the swizzle of 128 bytes */
        if (x == 1 || x == 3) m->swizzle = x == 1 ? XG_SIM_SWIZZLE_ATOM_32 : XG_SIM_SWIZZLE_ATOM_64;
        return x == 0 || x == 1 || x == 3;
    default: m->fill = (uint8_t)x; return x < 2;
    }
}

/* ---- boxes ---- */

typedef struct xg_sim_box {
    const xg_sim_tensormap *m;
    int64_t at[5];            /* of the first element */
    int64_t offset[3];        /* im2col: added to the pixels */
    uint32_t count[5];        /* elements, or with im2col count[0] channels and count[1] pixels */
    uint32_t item, row, rows; /* bytes of an element and of a row; rows */
    int32_t picked[4];        /* gather4 and scatter4: the rows, */
    bool picks;               /* instead of those of a box */
} xg_sim_box;
/* Row r: where its first element would be, and which of its elements [first, last) are inside. */
typedef struct xg_sim_box_line {
    uint64_t address;
    uint32_t first, last;
} xg_sim_box_line;

XG_APART XG_FN void xg_sim_box_make(
    xg_sim_box *b, const xg_sim_tensormap *m, const int32_t *at, const uint16_t *offset) {
    uint32_t i;
    memset(b, 0, sizeof *b);
    b->m = m;
    b->item = xg_sim_map_bytes(m);
    b->rows = 1;
    for (i = 0; i < m->rank; i++) {
        b->at[i] = at[i];
        b->count[i] = m->im2col ? 1u : i ? (m->box[i] + m->step[i] - 1u) / m->step[i] : m->box[i];
    }
    if (m->im2col) {
        b->count[0] = m->channels;
        b->count[1] = m->pixels;
        for (i = 0; offset && i + 2 < m->rank; i++) b->offset[i] = offset[i];
    }
    for (i = 1; i < m->rank; i++) b->rows *= b->count[i];
    b->row = b->count[0] * b->item;
}
/* The coordinates of im2col's pixel r: the bounding box is walked from the start, lowest dimension first, wrapping into
 * the next. */
XG_FN void xg_sim_box_pixel(const xg_sim_box *b, uint32_t r, int64_t *c) {
    const xg_sim_tensormap *m = b->m;
    uint32_t i;
    int64_t carry = r;
    for (i = 1; i + 1 < m->rank; i++) {
        int64_t low = m->lower[i - 1], high = (int64_t)m->dim[i] + m->upper[i - 1], n = (high - low) / m->step[i] + 1,
                k;
        if (n < 1) n = 1;
        k = (b->at[i] - low) / m->step[i] + carry;
        c[i] = low + k % n * m->step[i];
        carry = k / n;
    }
    c[m->rank - 1] = b->at[m->rank - 1] + carry;
    for (i = 1; i + 1 < m->rank; i++) c[i] += b->offset[i - 1];
}
XG_FN xg_sim_box_line xg_sim_box_row(const xg_sim_box *b, uint32_t r) {
    const xg_sim_tensormap *m = b->m;
    xg_sim_box_line l;
    int64_t c[5], first, last, n = b->count[0], dim = (int64_t)m->dim[0] + 1;
    bool inside = true;
    uint32_t i, rest = r;
    if (b->picks)
        c[1] = b->picked[r];
    else if (m->im2col)
        xg_sim_box_pixel(b, r, c);
    else
        for (i = 1; i < m->rank; i++) {
            c[i] = b->at[i] + (int64_t)(rest % b->count[i]) * m->step[i];
            rest /= b->count[i];
        }
    l.address = m->base;
    for (i = 1; i < m->rank; i++) {
        if (c[i] < 0 || c[i] > (int64_t)m->dim[i]) inside = false;
        l.address += (uint64_t)c[i] * m->stride[i - 1];
    }
    l.address += (uint64_t)(b->at[0] * (int64_t)b->item);
    first = b->at[0] < 0 ? -b->at[0] : 0;
    last = dim - b->at[0] < n ? dim - b->at[0] : n;
    if (!inside || first >= last) first = last = 0;
    l.first = (uint32_t)first;
    l.last = (uint32_t)last;
    return l;
}

/* The place of 16 bytes in shared memory: bits 4 to 6 of the address are mixed with those above. mode: 0 none; 1, 2, 3
 * for 32, 64, 128 bytes; of 128 bytes also with pieces of 32 and 64 bytes that stay together. */
XG_FN uint32_t xg_sim_swizzle(uint32_t at, uint32_t mode) {
    switch (mode) {
    case 1: return at ^ (at >> 3 & 0x10u);
    case 2: return at ^ (at >> 3 & 0x30u);
    case 3: return at ^ (at >> 3 & 0x70u);
    case XG_SIM_SWIZZLE_ATOM_32: return at ^ (at >> 2 & 0x60u);
    case XG_SIM_SWIZZLE_ATOM_64: return at ^ (at >> 1 & 0x40u);
    default: return at;
    }
}
/* What the elements outside of the tensor are. */
XG_FN void xg_sim_box_fill(const xg_sim_box *b, char *row) {
    uint32_t i;
    memset(row, 0, b->row);
    if (!b->m->fill) return;
    for (i = 0; i < b->count[0]; i++) {
        uint64_t nan = b->item == 2 ? 0x7FFFu : b->item == 4 ? 0x7FFFFFFFu : 0x7FFFFFFFFFFFFFFFu;
        memcpy(row + (size_t)i * b->item, &nan, b->item);
    }
}
/* One row from global to shared memory, or back. shared: the block's memory; at: where the box lies in it. */
XG_FN void xg_sim_box_load(const xg_sim_box *b, uint32_t r, char *shared, uint32_t at) {
    char row[2048];
    uint32_t k;
    xg_sim_box_line l = xg_sim_box_row(b, r);
    xg_sim_box_fill(b, row);
    if (l.first < l.last)
        memcpy(row + l.first * b->item, (const char *)(uintptr_t)l.address + l.first * b->item,
            (l.last - l.first) * b->item);
    for (k = 0; (b->m->type == 10 || b->m->type == 12) && k < b->row; k += 4) { /* the types that flush */
        uint32_t x;
        memcpy(&x, row + k, 4);
        if (!(x & 0x7F800000u)) {
            x &= 0x80000000u;
            memcpy(row + k, &x, 4);
        }
    }
    for (k = 0; k < b->row; k += 16) memcpy(shared + xg_sim_swizzle(at + r * b->row + k, b->m->swizzle), row + k, 16);
}
XG_FN void xg_sim_box_store(
    const xg_sim_box *b, uint32_t r, const char *shared, uint32_t at, int op) { /* op: a reduction, or -1 */
    char row[2048];
    uint32_t k;
    xg_sim_box_line l = xg_sim_box_row(b, r);
    if (l.first >= l.last) return;
    for (k = 0; k < b->row; k += 16) memcpy(row + k, shared + xg_sim_swizzle(at + r * b->row + k, b->m->swizzle), 16);
    if (op < 0) {
        memcpy((char *)(uintptr_t)l.address + l.first * b->item, row + l.first * b->item, (l.last - l.first) * b->item);
        return;
    }
    for (k = l.first; k < l.last; k++) {
        uint64_t x = 0;
        memcpy(&x, row + k * b->item, b->item);
        xg_sim_atomic((char *)(uintptr_t)l.address + k * b->item, (xg_sim_atom)op,
            (xg_sim_type)xg_sim_map_types[b->m->type].type, x, xg_sim_map_types[b->m->type].type == XG_SIM_F32);
    }
}

#endif /* XG_SIM_TENSORMAP_C */
