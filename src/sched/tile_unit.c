/* sched/tile_unit.c -- tiles on matrix units: which unit takes the operands' types, and what a shape asks of the
 * device.
 *
 * A unit multiplies elements of 16 bits (sums are f32), of 8 bits (sums f32 or s32) or tf32. Operands whose values such
 * a type has exactly are held as that type in shared memory: bf16 that was converted to f32 is bf16 again, and small
 * floats and integers are f16 or bf16 where the device has no unit for them. So products are exact, and a sum differs
 * from that of the plain way in its order alone.
 *
 * In shared memory a row has its k side by side if the operand lies so in memory, or its elements have 8 bits; else a k
 * has its rows so, and ldmatrix transposes; words of tf32 are read one by one then. 16 bytes behind each row make the
 * number of its 16-byte pieces odd: eight rows that are read at once, or written, then lie in different banks.
 *
 * Bytes whose rows lie side by side in memory are turned in registers: a thread brings four k of them, makes words of
 * what belongs to a row, and neighbours store words of one row.
 *
 * Weights of one byte that meet a few rows of 16 bits may lie as bytes in shared memory, half of what they would be,
 * and become 16 bits as fragments: a fragment of theirs has the k of two of the others'. Where a row has its k side by
 * side, the others' words of k lie in the order in which bytes come out of it (xg_tile_word_place). Where a k has its
 * rows so, ldmatrix transposes pairs of bytes as if they were 16 bits: a word then has two k of two columns, of which
 * one is the first matrix's, the other the second's, and no k changes places. */
#ifndef XG_SCHED_TILE_UNIT_C
#define XG_SCHED_TILE_UNIT_C
#include "tile_pack.h"

/* Of a block: m, n, bytes of k; of a warp: m, n, multiples of 16 (fragments of columns come in pairs); steps in shared
 * memory. The first of equals is taken. */
/* clang-format off */
#define XG_TILE_UNIT_SHAPES(X) \
    X(128, 256, 64, 64, 64, 3) \
    X(256, 128, 64, 64, 64, 3) \
    X(128, 128, 128, 64, 64, 3) \
    X(128, 128, 64, 64, 32, 4) \
    X(128, 128, 64, 64, 64, 2) \
    X(128, 128, 64, 64, 32, 2) \
    X(128, 192, 64, 64, 96, 3) \
    X(128, 192, 64, 64, 96, 2) \
    X(128, 160, 64, 64, 80, 3) \
    X(128, 160, 64, 64, 80, 2) \
    X(192, 128, 64, 96, 64, 3) \
    X(160, 128, 64, 80, 64, 2) \
    X(160, 128, 128, 80, 32, 2) \
    X(128, 128, 128, 64, 64, 2) \
    X(128, 96, 64, 64, 48, 2) \
    X(128, 80, 128, 32, 80, 3) \
    X(96, 128, 128, 48, 64, 2) \
    X(80, 128, 128, 80, 32, 3) \
    X(96, 96, 64, 48, 48, 2) \
    X(64, 96, 128, 32, 48, 3) \
    X(96, 64, 128, 48, 32, 2) \
    X(64, 64, 128, 32, 32, 2) \
    X(256, 64, 64, 64, 64, 3) \
    X(320, 64, 64, 80, 64, 2) \
    X(192, 64, 128, 48, 64, 3) \
    X(160, 128, 64, 80, 64, 3) \
    X(192, 64, 64, 48, 64, 3) \
    X(192, 64, 64, 48, 64, 2) \
    X(64, 128, 128, 32, 64, 3) \
    X(128, 64, 128, 64, 32, 3) \
    X(64, 128, 64, 32, 64, 2) \
    X(128, 64, 64, 64, 32, 2) \
    X(64, 64, 128, 32, 32, 4) \
    X(64, 64, 64, 32, 32, 4) \
    X(64, 64, 64, 32, 32, 2) \
    X(32, 128, 128, 32, 32, 4) \
    X(128, 32, 128, 32, 32, 4) \
    X(32, 64, 128, 16, 32, 4) \
    X(64, 32, 128, 32, 16, 4) \
    X(32, 64, 64, 16, 32, 2) \
    X(64, 32, 64, 32, 16, 2) \
    X(32, 32, 128, 16, 16, 4) \
    X(32, 32, 64, 16, 16, 2) \
    X(16, 128, 128, 16, 32, 4) \
    X(16, 64, 128, 16, 16, 4) \
    X(16, 64, 64, 16, 16, 2) \
    X(16, 32, 128, 16, 16, 4) \
    X(16, 32, 256, 16, 16, 4) \
    X(16, 32, 512, 16, 16, 4) \
    X(32, 32, 256, 16, 16, 4) \
    X(16, 128, 256, 16, 32, 2) \
    X(16, 128, 256, 16, 32, 3) \
    X(16, 128, 256, 16, 64, 2) \
    X(16, 128, 128, 16, 64, 2) \
    X(16, 64, 256, 16, 16, 2) \
    X(16, 32, 256, 16, 16, 2) \
    X(16, 32, 512, 16, 16, 2) \
    X(80, 128, 256, 80, 32, 2) \
    X(96, 128, 256, 48, 64, 2) \
    X(64, 64, 256, 32, 32, 2) \
    X(112, 64, 256, 112, 16, 2) \
    X(112, 128, 128, 112, 32, 2) \
    X(48, 128, 256, 48, 32, 2)
/* clang-format on */

enum {
    XG_TILE_UNIT_BRICK = 4,        /* bytes along k that a word has */
    XG_TILE_UNIT_DEEP_BYTES = 128, /* of a step's k: what is on its way of more would take too many registers */
    XG_TILE_UNIT_LONG_BYTES = 256, /* ...: beyond, a sum fills all buffers, or most of them would stay empty */
    XG_TILE_UNIT_SLANT = 64,       /* bytes: two threads' 16 rows then begin half of the banks apart */
    XG_TILE_UNIT_WORD_PAD = 8,     /* words behind a k's rows: eight rows of four k then lie in different banks */
    XG_TILE_UNIT_MMA_LATENCY = 33, /* until the next product may be added to a sum */
    XG_TILE_UNIT_BANK_BYTES = 128, /* that shared memory takes in a cycle */
    XG_TILE_UNIT_VIEW_ISSUE = 6,   /* instructions for where a fragment's row lies in a patch */
    XG_TILE_UNIT_COPY_ISSUE = 4,   /* instructions for a piece that is copied, with its address and guard */
    XG_TILE_UNIT_BRING_ISSUE = 8,  /* ... that goes through registers, and for each of its elements */
    XG_TILE_UNIT_LANE_ISSUE = 3
};

/* ---- types ---- */

XG_FN bool xg_tile_is_small_float(xlagpu_type t) {
    return xg_type_class(t) == XGT_F && xg_type_bits(t) <= XG_TILE_UNIT_BITS && t != XLAGPU_F8E8M0FNU;
}
XG_FN bool xg_tile_is_small_int(xlagpu_type t) {
    return xg_type_class(t) == XGT_I && xg_type_bits(t) <= XG_TILE_UNIT_BITS;
}
XG_FN bool xg_tile_is_small(xlagpu_type t) { return xg_tile_is_small_float(t) || xg_tile_is_small_int(t); }
/* Each value of `from` is one of `to`. */
XG_FN bool xg_tile_holds(xlagpu_type from, xlagpu_type to) {
    if (from == to) return true;
    if (xg_type_class(to) == XGT_F && to != XLAGPU_F64)
        return (xg_tile_is_small(from) && xg_type_bits(to) >= 16) ||
               (to == XLAGPU_F32 && (from == XLAGPU_F16 || from == XLAGPU_BF16));
    return xg_type_class(to) == XGT_I && xg_tile_is_small_int(from) && xg_type_bits(to) > xg_type_bits(from) &&
           (xg_type_signed(to) || !xg_type_signed(from));
}
/* What an operand was made of by conversions that keep each value. */
XG_FN const xg_inst *xg_tile_narrow(const xg_inst *i) {
    while (i->op == XG_CONVERT && xg_tile_holds(XG_OPERAND(i, 0)->shape->type, i->shape->type)) i = XG_OPERAND(i, 0);
    return i;
}
XG_FN int32_t xg_tile_small_unit(xlagpu_type a, xlagpu_type b) {
    bool both = (a == XLAGPU_F8E4M3FN || a == XLAGPU_F8E5M2) && (b == XLAGPU_F8E4M3FN || b == XLAGPU_F8E5M2);
    if (!both) return XG_TILE_NO_UNIT;
    if (a == XLAGPU_F8E4M3FN) return b == a ? XG_KMMA_E4M3 : XG_KMMA_E4M3_E5M2;
    return b == a ? XG_KMMA_E5M2 : XG_KMMA_E5M2_E4M3;
}
XG_FN int32_t xg_tile_integer_unit(xlagpu_type a, xlagpu_type b) {
    if (!xg_tile_is_small_int(a) || !xg_tile_is_small_int(b)) return XG_TILE_NO_UNIT;
    if (xg_type_signed(a)) return xg_type_signed(b) ? XG_KMMA_S8 : XG_KMMA_S8_U8;
    return xg_type_signed(b) ? XG_KMMA_U8_S8 : XG_KMMA_U8;
}
/* The unit for elements of these types, whose sums are floats; *held: what they are converted to. */
XG_FN int32_t xg_tile_float_unit(xlagpu_type a, xlagpu_type b, const xg_device *m, xlagpu_type *held) {
    enum {
        F8_CC = 89,
        BF16_CC = 80
    };
    int32_t narrow = m->cc >= F8_CC && m->tensor_f8 ? xg_tile_small_unit(a, b) : XG_TILE_NO_UNIT;
    if (narrow != XG_TILE_NO_UNIT) return narrow;
    *held = a == XLAGPU_BF16 || b == XLAGPU_BF16 ? XLAGPU_BF16 : XLAGPU_F16;
    if (!xg_tile_holds(a, *held) || !xg_tile_holds(b, *held)) return XG_TILE_NO_UNIT;
    if (*held == XLAGPU_BF16) return m->cc >= BF16_CC ? (int32_t)XG_KMMA_BF16 : (int32_t)XG_TILE_NO_UNIT;
    return XG_KMMA_F16;
}
/* What is multiplied on a side: the operand's narrow elements, or what algorithm= rounds them to. */
XG_FN xlagpu_type xg_tile_factor(xg_tile_plan *p, uint32_t side) {
    const xg_tile_form *f = &p->form;
    const xg_inst *o = XG_OPERAND(f->hero, f->operand[side]), *narrow = xg_tile_narrow(o);
    xlagpu_type t = o->shape->type, rounded = xg_contract_rounding(f->hero, t);
    p->fetch[side].from = o;
    p->fetch[side].held = rounded;
    if (rounded != t && !xg_tile_holds(narrow->shape->type, rounded)) return rounded;
    p->fetch[side].from = narrow;
    p->fetch[side].held = narrow->shape->type;
    return narrow->shape->type;
}
XG_FN void xg_tile_choose_unit(xg_tile_plan *p, const xg_record *given, const xg_device *m) {
    xlagpu_type factor[2], held = XLAGPU_INVALID;
    bool floats = p->form.sum == XLAGPU_F32;
    uint32_t k;
    for (k = 0; k < XG_TILE_SIDES; k++) factor[k] = xg_tile_factor(p, k);
    p->unit = XG_TILE_NO_UNIT;
    p->device = m;
    p->on_processor = xg_device_is_cpu(m);
    if (m->tensor_f16 && !(given && xg_record_get(&given->form, "thread_tile"))) {
        if (floats)
            p->unit = xg_tile_float_unit(factor[0], factor[1], m, &held);
        else if (xg_type_class(p->form.sum) == XGT_I && xg_type_bits(p->form.sum) <= 32)
            p->unit = xg_tile_integer_unit(factor[0], factor[1]);
        if (xg_inst_is_tf32(p->form.hero) && m->tensor_tf32) {
            p->unit = XG_KMMA_TF32;
            held = XLAGPU_F32;
        }
    }
    for (k = 0; k < XG_TILE_SIDES; k++) {
        xg_tile_fetch *t = &p->fetch[k];
        if (p->unit == XG_TILE_NO_UNIT) {
            t->from = XG_OPERAND(p->form.hero, p->form.operand[k]);
            t->held = p->form.sum;
        } else if (held != XLAGPU_INVALID)
            t->held = held;
        else if (!floats)
            t->held = xg_type_signed(factor[k]) ? XLAGPU_S8 : XLAGPU_U8;
    }
    if (p->unit != XG_TILE_NO_UNIT && !floats) p->form.sum = XLAGPU_S32; /* wraps as the narrower sum does */
    p->held = p->fetch[0].held;
    p->may_group = p->unit != XG_TILE_NO_UNIT && xg_tile_may_group(p, m);
    p->in_tensor = p->may_group && m->tensor_memory;
}

/* ---- one shape ---- */

XG_FN const xg_tile_row *xg_tile_unit_row(const xg_tile_plan *p, size_t k) {
#define X(m, n, bytes, wm, wn, stages) {m, n, bytes, wm, wn, stages, 1, 0},
    static const xg_tile_row rows[] = {XG_TILE_UNIT_SHAPES(X)};
#undef X
    const xg_tile_row *r;
    if (k < XG_COUNT(rows)) return &rows[k];
    k -= XG_COUNT(rows);
    if (p->in_tensor) return xg_tile_tensor_row(k);
    r = p->may_group ? xg_tile_bulk_row(p, k) : NULL;
    return r || !p->may_group ? r : xg_tile_group_row(k - xg_tile_bulk_shapes(p));
}
XG_FN bool xg_tile_unit_by_words(const xg_tile_plan *p, uint32_t side) {
    bool packed = p->fetch[side].late && xg_tile_pack_is(p, XG_TILE_PACK_BESIDE);
    int64_t bytes = packed ? p->fetch[side].bytes : xg_type_bytes(p->fetch[side].held);
    return !p->fetch[side].by_rows && bytes == XG_TILE_WORD_BYTES;
}
XG_FN bool xg_tile_is_across(const xg_tile_plan *p, uint32_t side) {
    return p->fetch[side].late && !p->fetch[side].by_rows && !xg_tile_unit_by_words(p, side);
}
XG_FN int64_t xg_tile_buffer(const xg_tile_plan *p, uint32_t side) {
    const xg_tile_fetch *t = &p->fetch[side];
    if (xg_tile_halo_is(p, side)) return xg_tile_halo_boxes(p) * xg_tile_halo_room(p, side) * p->shape.k;
    if (t->line) return t->rows * p->shape.k;
    return (t->by_rows ? t->rows : xg_tile_pack_k(p, side)) * t->pitch + t->rows / XG_KMMA_M * t->slant;
}
/* Of an element in shared memory. */
XG_FN int64_t xg_tile_unit_each(const xg_tile_fetch *t) { return t->late ? t->bytes : xg_type_bytes(t->held); }
XG_FN int64_t xg_tile_staged_bytes(const xg_tile_fetch *t) { return t->raw ? t->bytes : xg_type_bytes(t->held); }
XG_FN void xg_tile_unit_fetch(xg_tile_plan *p, uint32_t side, int64_t vector) {
    xg_tile_fetch *t = &p->fetch[side];
    int64_t bytes, held = xg_type_bytes(t->held), moved, deep = xg_tile_pack_k(p, side);
    t->late = side && p->deep > 1;
    if (side && p->pack)
        t->from = p->pack->from;
    else if (side && p->n_scales) {
        t->from = t->late ? p->scaled : p->product;
        p->form.map[1] = t->late ? p->scaled_map : p->product_map;
    }
    bytes = xg_tile_unit_each(t);
    t->rows = side ? p->shape.n / (xg_tile_is_pair(p) ? 2 : 1) : p->shape.m;
    if (side && xg_tile_pack_is(p, XG_TILE_PACK_COLUMNS)) t->rows /= p->pack->each;
    t->by_rows = t->along_k || (bytes == 1 && !t->late);
    t->vector = XG_MIN(vector, t->along_k ? deep : t->rows);
    if (!side && xg_tile_pack_moves(p)) t->vector = XG_TILE_WORD_BYTES / bytes; /* words change places: xg_tile_spot */
    t->raw = t->vector * t->bytes % XG_TILE_WORD_BYTES == 0 && (t->bytes < held || (side && p->pack)) &&
             xg_type_class(t->from->shape->type) != XGT_P && xg_tile_is_moved(t->from);
    if (t->raw || p->shape.grouped) /* one store each, side by side; swizzled, pieces of one access lie apart */
        t->vector = XG_MIN(t->vector, XG_TILE_ACCESS_BYTES / bytes);
    moved = t->vector * bytes;
    t->async = (t->copied || t->late) && t->by_rows == t->along_k &&
               (moved == 4 || moved == 8 || moved == XG_TILE_ACCESS_BYTES);
    t->beside = xg_gcd(deep / t->vector, XG_WARP_LANES);
    t->pitch = (t->by_rows ? deep : t->rows) * bytes / held + XG_TILE_ACCESS_BYTES / held;
    if (xg_tile_unit_by_words(p, side)) t->pitch = (t->rows + XG_TILE_UNIT_WORD_PAD) * XG_TILE_WORD_BYTES / held;
    t->brick = !t->along_k && bytes == 1 && !t->late && t->vector >= XG_TILE_UNIT_BRICK ? XG_TILE_UNIT_BRICK : 1;
    t->line = p->shape.grouped ? XG_KWGMMA_LINE_BYTES / bytes : 0;
    if (!t->by_rows && xg_tile_is_pair(p)) t->line = xg_gcd(t->line, t->rows); /* half of them */
    t->slant = t->brick > 1 && !t->line ? XG_TILE_UNIT_SLANT / held : 0;
    t->vectors = t->rows * deep / t->vector / t->brick;
    t->rounds = xg_tile_over(t->vectors, p->threads) * t->brick;
    t->offset = !side ? 0
                : p->patch.places
                    ? xg_tile_patch_room(p)
                    : (xg_tile_halo_steps(p) ? xg_tile_halo_stages(p) : p->shape.stages) * xg_tile_buffer(p, 0);
#ifndef XLAGPU_SMALL
    xg_tile_settle_shift(p, side);
#endif
}
/* Every thread brings as many vectors: where 192 rows of bytes are turned it is not so. */
XG_FN bool xg_tile_unit_is_even(const xg_tile_plan *p, uint32_t side) {
    const xg_tile_fetch *t = &p->fetch[side];
    xg_tile_rounds r = xg_tile_rounds_of(p, t);
    return r.rows * r.ks == t->rounds && (p->shape.patch <= 1 || r.k_units % r.k_step == 0);
}
/* A sum waits for each product before the next: a warp of two sums would mostly wait. */
XG_FN int64_t xg_tile_unit_chains(const xg_tile_plan *p, const xg_tile_shape *s) {
    enum {
        FEW = 2, /* sums */
        CHAINS = 2
    };
    int64_t sums = s->tm / XG_KMMA_M * (s->tn / XG_KMMA_N), times = s->k * xg_type_bytes(p->held) / XG_KMMA_K_BYTES;
    return !s->grouped && sums <= FEW && times % CHAINS == 0 ? CHAINS : 1;
}
/* How many fragments of the left side's k one of the right side has: two of bytes, which no second warp converts again,
 * beside rows that are copied. */
XG_FN int64_t xg_tile_unit_deep(const xg_tile_plan *p, const xg_tile_shape *s, const int64_t *vectors) {
    const xg_tile_fetch *few = &p->fetch[0], *t = &p->fetch[1];
    const xg_inst *from = p->n_scales ? p->scaled : t->from;
    xlagpu_type type = from->shape->type;
    bool bytes = p->pack || (t->bytes == 1 && xg_type_bytes(p->held) == 2 &&
                                (xg_tile_is_small_int(type) || xg_tile_unit_has_floats(p, type)));
    if (!bytes || p->form.hero->op != XG_DOT || !(p->pack || xg_tile_is_moved(from)) || s->grouped ||
        (p->n_scales && !xg_tile_scale_sets(p, s->k)))
        return 1;
    if (t->along_k && !p->n_scales && p->form.group[XG_TILE_M].size > s->m && !xg_device_is_narrow(p->device))
        return 1; /* each tile of rows would make them anew */
    if (s->m > s->tm || !few->copied || !few->along_k || vectors[0] < 2) return 1;
    if (p->pack) return xg_tile_pack_deep(p, s, vectors[1]);
    if (t->along_k && vectors[1] < XG_TILE_ACCESS_BYTES && s->k < XG_TILE_UNIT_BANK_BYTES) return 1; /* rows meet */
    return vectors[1] >= XG_TILE_UNIT_BRICK && s->k % XG_KMMA_K_BYTES == 0 ? 2 : 1;
}
/* Registers of a thread for what is on its way through them. */
XG_FN int64_t xg_tile_unit_staged(const xg_tile_plan *p) {
    int64_t staged = 0;
    uint32_t k;
    for (k = 0; k < XG_TILE_SIDES; k++)
        if (!p->fetch[k].async)
            staged += xg_tile_over(p->fetch[k].rounds * p->fetch[k].vector * xg_tile_staged_bytes(&p->fetch[k]), 4);
    return staged;
}
/* Of a thread: sums, a round's fragments, what is on its way. */
XG_FN int64_t xg_tile_unit_needs(const xg_tile_plan *p) {
    int64_t fragments = p->shape.grouped ? 0 : (p->shape.tm + p->shape.tn) / XG_KMMA_M * 4;
    if (p->patch.places) fragments += p->shape.tm / XG_KMMA_M * 3; /* a row's place, bits, and place in a step */
    fragments += xg_tile_scale_numbers(p) * (xg_tile_scale_varies(p) ? 2 : 1);
    return p->n_sums * 4 + fragments + xg_tile_unit_staged(p) + XG_TILE_OWN_REGISTERS;
}
/* Warps whose sums take most registers have none for what goes through them: it would spill. */
XG_FN bool xg_tile_unit_fits(const xg_tile_plan *p) {
    enum {
        MOST = 255 /* of a thread */
    };
    return p->shape.grouped || !xg_tile_unit_staged(p) || xg_tile_unit_needs(p) <= MOST;
}
/* Rows of 16 bits fill whole passes, or two of them would meet in some banks. */
XG_FN xlagpu_type xg_tile_shown_type(const xg_tile_plan *p) {
    enum {
        PASS = 64 /* elements */
    };
    xlagpu_type type = p->form.hero->shape->type;
    bool whole = p->unit != XG_TILE_NO_UNIT && xg_tile_sharers(p) == 1 && !p->shape.grouped && !xg_tile_has_rows(p);
    bool narrow = xg_type_class(type) == XGT_F && xg_type_bits(type) == 16 && p->shape.n % PASS == 0;
    return whole && narrow ? type : p->form.sum;
}
XG_FN bool xg_tile_unit_settle(xg_tile_plan *p, const xg_tile_shape *s, const int64_t *vectors) {
    enum {
        OUT_PAD = 8 /* words behind a row of sums: those that four rows of a fragment give lie in different banks, and
                       with twice as many those of two rows */
    };
    int64_t bytes = xg_type_bytes(p->held), fragments = s->tm / XG_KMMA_M, loop, out;
    uint32_t k;
    p->shape = *s;
    p->quad = p->quad_n = p->lanes = 1;
    p->rows = s->m / s->tm;
    p->columns = p->warps_n = s->n / s->tn;
    p->threads = p->rows * p->columns * XG_WARP_LANES;
    p->lanes_n = 1;
    p->chains = xg_tile_unit_chains(p, s);
    p->n_sums = fragments * (s->tn / XG_KMMA_N) * p->chains;
    p->deep = xg_tile_unit_deep(p, s, vectors);
    if (p->pack && p->deep == 1) return false;
    xg_tile_settle_all(p);
    xg_tile_unit_fetch(p, 0, vectors[0]);
    if (!xg_tile_patch_settle(p)) return false;
    xg_tile_unit_fetch(p, 1, vectors[1]);
    p->out_vector = XG_MIN(p->out_most, XG_TILE_ACCESS_BYTES / xg_type_bytes(xg_tile_shown_type(p)));
    p->out_pitch = s->n + (xg_tile_is_across(p, 1) ? 2 : 1) * OUT_PAD;
    xg_tile_bulk_settle(p);
    loop = p->fetch[1].offset + s->stages * xg_tile_buffer(p, 1);
    out = p->rows * XG_KMMA_M * p->out_pitch * xg_type_bytes(xg_tile_shown_type(p));
    for (p->parts = 1; p->parts < fragments && out * (fragments / p->parts) > loop * bytes;) do
            p->parts++;
        while (fragments % p->parts);
    if (xg_tile_is_tensor(p)) p->parts = XG_MAX(p->parts, xg_tile_tensor_halves(p));
    out *= fragments / p->parts;
    p->shared = xg_tile_is_apart(p) ? loop : XG_MAX(loop, xg_tile_over(out, bytes));
    xg_tile_store_settle(p);
    if (s->grouped && (xg_tile_unit_by_words(p, 0) || xg_tile_unit_by_words(p, 1))) return false; /* k side by side */
    if (s->grouped && !(xg_tile_is_tensor(p) ? xg_tile_tensor_fits(p) : xg_tile_group_fits(p))) return false;
    if (p->blocks > INT32_MAX || p->threads > 1024 || !xg_tile_unit_fits(p)) return false;
    for (k = 0; k < XG_TILE_SIDES; k++)
        if (!p->fetch[k].async && s->k * xg_tile_staged_bytes(&p->fetch[k]) > XG_TILE_UNIT_DEEP_BYTES
                                                                                  << p->fetch[k].raw)
            return false;
    if (s->k * bytes > XG_TILE_UNIT_LONG_BYTES && p->steps < s->stages) return false;
    if (!s->grouped && s->tn % XG_KMMA_M) return false;
    return s->bulk || ((p->patch.places || xg_tile_unit_is_even(p, 0)) && xg_tile_unit_is_even(p, 1));
}

/* ---- the estimate ---- */

XG_FN int64_t xg_tile_unit_registers(const xg_tile_plan *p, const xg_device *m) {
    return XG_MIN(xg_tile_unit_needs(p), m->registers_per_thread);
}
XG_FN int64_t xg_tile_unit_resident(const xg_tile_plan *p, const xg_device *m) {
    int64_t shared =
        p->shared * xg_type_bytes(p->held) + m->shared_reserved + xg_tile_bulk_barriers(p) * 8 + xg_tile_store_bytes(p);
    int64_t r = XG_TILE_REGISTERS / (xg_tile_unit_registers(p, m) * p->threads);
    if (p->bulk) r = xg_tile_bulk_resident(p);
    r = XG_MIN(XG_MIN(r, m->shared_per_sm / shared), m->threads_per_sm / p->threads);
    return XG_MAX(r, (int64_t)1);
}
/* Multiply-adds of a multiprocessor in a thousand cycles. */
XG_FN int64_t xg_tile_unit_rate(const xg_tile_plan *p, const xg_device *m) {
    int64_t rate = xg_cost_tensor_rate(m, xg_kmma_row_of((uint32_t)p->unit)->tensor);
    return rate * (p->shape.grouped ? 1000 : XG_MAX(m->mma_permille, (int64_t)1));
}
/* Elements of a side that come with a step. */
XG_FN int64_t xg_tile_brought(const xg_tile_plan *p, uint32_t side) {
    return p->patch.places && !side ? xg_tile_patch_brings(p) : p->fetch[side].rows * xg_tile_pack_k(p, side);
}
/* Vectors fill whole passes. Of single elements a warp writes one of each lane in a pass, if their rows lie in
 * different banks. */
XG_FN int64_t xg_tile_put_passes(const xg_tile_plan *p) {
    enum {
        LINES_MEET = 4 /* 32 rows of swizzled lines: eight pieces of 16 bytes */
    };
    int64_t sum = 0, warps = xg_tile_over(p->threads, XG_WARP_LANES), bytes = xg_type_bytes(p->held), meet;
    uint32_t k;
    for (k = 0; k < XG_TILE_SIDES; k++) {
        const xg_tile_fetch *t = &p->fetch[k];
        bool across = t->by_rows != t->along_k;
        if (t->async || t->brick > 1 || (!across && t->vector * bytes >= XG_TILE_UNIT_BRICK)) {
            meet = k && t->along_k && t->beside == 2 ? 2 : 1; /* pairs in rows of an odd number of vectors */
            sum += meet * xg_tile_brought(p, k) * xg_tile_unit_each(t) / XG_TILE_UNIT_BANK_BYTES;
            continue;
        }
        meet = t->line ? (int64_t)LINES_MEET : xg_gcd(t->vector * t->pitch * bytes / XG_TILE_UNIT_BRICK, XG_WARP_LANES);
        sum += warps * t->rounds * (across ? t->vector * meet : 1);
    }
    return sum;
}
XG_FN int64_t xg_tile_unit_reads(const xg_tile_plan *p) {
    int64_t times = p->shape.k * xg_type_bytes(p->held) / XG_KMMA_K_BYTES;
    return times * (p->shape.tm / XG_KMMA_M) + times / p->deep * (p->shape.tn / XG_KMMA_M);
}
/* ... that find rows of fragments in a patch: where positions lie in k, for each k of them. */
XG_FN int64_t xg_tile_patch_issue(const xg_tile_plan *p) {
    int64_t each =
        p->patch.of == XG_TILE_M ? p->patch.together : 3 * p->shape.k * xg_type_bytes(p->held) / XG_KMMA_K_BYTES;
    return p->shape.tm / XG_KMMA_M * each * XG_TILE_UNIT_VIEW_ISSUE;
}
/* Instructions of a warp that bring its part of a step. */
XG_FN int64_t xg_tile_unit_issue(const xg_tile_plan *p) {
    int64_t sum = p->patch.places ? xg_tile_patch_issue(p) : 0, each;
    uint32_t k;
    for (k = 0; k < XG_TILE_SIDES; k++) {
        const xg_tile_fetch *t = &p->fetch[k];
        each = XG_TILE_UNIT_BRING_ISSUE + XG_TILE_UNIT_LANE_ISSUE * t->vector / t->brick;
        if (t->copied && t->along_k == t->by_rows) each = XG_TILE_UNIT_BRING_ISSUE;
        sum += t->rounds * (t->async ? (int64_t)XG_TILE_UNIT_COPY_ISSUE : each);
        if (t->late) sum += p->shape.k * p->shape.tn / XG_WARP_LANES * XG_TILE_UNIT_LANE_ISSUE;
        if (t->late && p->n_scales) {
            sum += p->shape.k * p->shape.tn / XG_WARP_LANES / 2 * xg_tile_scale_issue(p);
            if (xg_tile_scale_varies(p)) sum += xg_tile_scale_numbers(p) * XG_TILE_UNIT_BRING_ISSUE;
        }
    }
    return sum;
}
/* The fragments of the next k are read in front of the products of this one, where there are registers for both: a warp
 * of few products would wait for each of them, and one of many for a step's first ones. */
XG_FN bool xg_tile_unit_reads_ahead(const xg_tile_plan *p) {
    enum {
        FRAGMENT = 4, /* registers, as of a fragment's sums */
        AHEAD = 64,   /* registers of sums and both k's fragments, at most ... */
        COPIED = 192  /* ... where nothing else goes through registers: a warp of 64 by 64 */
    };
    int64_t fragments = (p->shape.tm + p->shape.tn) / XG_KMMA_M * XG_MAX(p->chains, p->deep);
    return (p->n_sums + 2 * fragments) * FRAGMENT <= (p->fetch[0].async && p->fetch[1].async ? COPIED : AHEAD);
}
/* ... or, where there are none for both, each takes the place of one that has met its last product: it is there before
 * the next k's products come to it. */
XG_FN bool xg_tile_unit_reads_in_place(const xg_tile_plan *p) {
    enum {
        MOST = 200 /* registers of sums and fragments: with more, as of 96 by 64, the assembler finds no order */
    };
    int64_t registers = 4 * (p->n_sums + (p->shape.tm + p->shape.tn) / XG_KMMA_M);
    return !xg_tile_unit_reads_ahead(p) && p->chains == 1 && p->deep == 1 && registers <= MOST;
}
XG_FN int64_t xg_tile_unit_times(const xg_tile_plan *p) {
    return p->shape.k * xg_type_bytes(p->held) / XG_KMMA_K_BYTES / (p->deep > 1 ? p->deep : p->chains);
}
/* The first fragments of a step come among the last products of the one before: nothing waits at its barrier. What
 * finds pixels of a picture takes longer than these. */
XG_FN bool xg_tile_unit_carries(const xg_tile_plan *p) {
    enum {
        PRODUCTS = 8 /* of a k, among which they come */
    };
    return p->unit != XG_TILE_NO_UNIT && xg_tile_unit_reads_ahead(p) && xg_tile_unit_times(p) > 1 && p->steps > 1 &&
           p->shape.stages > 1 && p->fetch[0].async && p->fetch[1].async && p->deep == 1 && !p->n_scales &&
           !p->shape.grouped && p->form.hero->op != XG_CONVOLUTION && p->n_sums >= PRODUCTS;
}
/* Where wgmma of what threads bring competes, steps are estimated in cycles. */
XG_FN bool xg_tile_in_cycles(const xg_tile_plan *p) {
    return p->may_group && !p->in_tensor && !p->bulk && (p->shape.grouped || !xg_tile_bulk_shapes(p));
}
/* Where wgmma competes, both are estimated so; else xg_tile_unit_time counts. Of a step of so many blocks at a time:
 * what units, shared memory and schedulers take, or one warp alone, or the way from memory, which as many steps share
 * as are on their way. */
XG_FN int64_t xg_tile_unit_cycles(const xg_tile_plan *p, const xg_device *m, int64_t blocks) {
    int64_t warps = blocks * p->threads / XG_WARP_LANES, bytes = xg_type_bytes(p->held);
    int64_t macs = (int64_t)p->shape.m * p->shape.n * p->shape.k, rate = xg_tile_unit_rate(p, m);
    int64_t times = p->shape.k * bytes / XG_KMMA_K_BYTES;
    int64_t multiply = macs * blocks * 1000 / rate, shared, issue, own, chain, memory;
    if (p->shape.grouped) return xg_tile_group_cycles(p, m, blocks);
    shared = warps * xg_tile_unit_reads(p) * XG_TILE_UNIT_READ_CYCLES;
    shared += blocks * xg_tile_put_passes(p);
    issue = xg_tile_unit_issue(p) + xg_tile_unit_reads(p) + times * (p->n_sums / p->chains);
    issue = warps * issue / XG_TILE_UNIT_SCHEDULERS;
    chain =
        times / p->chains * (XG_TILE_UNIT_MMA_LATENCY + (xg_tile_unit_reads_ahead(p) ? 0 : XG_TILE_UNIT_READ_LATENCY));
    own = macs * 1000 * XG_WARP_LANES / p->threads * XG_TILE_UNIT_SCHEDULERS / rate;
    own = XG_TILE_UNIT_READ_LATENCY + XG_MAX(own, chain) + xg_tile_unit_issue(p);
    memory = m->memory_latency / (p->fetch[0].async && p->fetch[1].async ? p->shape.stages - 1 : 1);
    shared = XG_MAX(XG_MAX(shared, issue), multiply) + XG_MIN(XG_MAX(shared, issue), multiply) / 8;
    return XG_MAX(XG_MAX(shared, own), memory) + XG_TILE_STEP_CYCLES;
}

#endif /* XG_SCHED_TILE_UNIT_C */
