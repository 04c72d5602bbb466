/* fuse/phases.c -- small kernels, of which one waits for another, as phases of one kernel: what such a fusion is, and
 * what is small. joining.c makes them (the pass small-kernel-joining).
 *
 * A launch takes longer than many a kernel. Where one multiprocessor makes what a kernel makes in less time than its
 * launch takes, it may as well be one block that does so, right behind the kernel that made what it reads: the launch
 * is saved, and what lies between the two is in shared memory instead of a temporary buffer. The result is a fusion of
 * fusions, of XLA's kind kCustom, which marks it: a fused computation of parameters, fusions, elements of tuples and
 * one tuple. Its members are emitted by the emitters that they would have had alone (emit/phases.c).
 *
 * Kernels that are too much for one block may still be small in parts: where each part of an outer dimension (of a
 * batch) is made of the same parts of what the others make (outer.c), each part has a block, which waits for no other,
 * and between its phases lies only its own part.
 *
 * - A kernel is small by what one multiprocessor needs for it: half of the lanes' speed (few warps, that wait for each
 *   other), and so many bytes a clock. That has to be less than XG_PHASES_GAIN of a launch.
 * - In parts it is small if it does not take that much longer than in a kernel of its own, where it has all
 *   multiprocessors, but each thread still does its steps one behind the other. Long contractions, which others split
 *   among threads, are not small.
 * - How many blocks there are follows from the computation alone (xg_fuse_phases_blocks), so it is written nowhere.
 * - The phase of a member is the number of members on the longest way to it. All of a phase is done before the next one
 *   begins.
 * - What updates an operand in place, waits for the whole device, or is made from values in other memory, stays as it
 *   is. */
#ifndef XG_FUSE_PHASES_C
#define XG_FUSE_PHASES_C
#include "fuse.h"
#include "legality.c"

enum {
    XG_PHASES_LANES_SHARE = 2,
    XG_PHASES_BYTES_PER_CLOCK = 32,
    XG_PHASES_GAIN_OF = 10,
    XG_PHASES_GAIN = 9,
    XG_PHASES_WALK = 4096 /* elements: a few for each thread */,
    XG_PHASES_SERIAL = 128 /* steps of a contraction, which one thread does */,
    XG_PHASES_UNIT_BITS = 16 /* of an element that matrix units multiply, at most */,
    XG_PHASES_UNIT_MACS = 1 << 18 /* multiply-adds up to which plain cores may do it */,
    XG_PHASES_ROW = 512,
    XG_PHASES_LONG_ROWS = 2 /* a team takes such rows one after the other */,
    XG_PHASES_MEMBERS = 32,
    XG_PHASES_OPS = 1500,
    XG_PHASES_BUFFERS = 128,
    XG_PHASES_SHARED = 16 << 10,
    XG_PHASES_STEP_CLOCKS = 16 /* of a contraction: both factors come from a cache, a few steps at a time */,
    XG_PHASES_MOST_LAUNCHES = 3,
    XG_PHASES_ALL_BUSY = 512,
    XG_PHASES_PART_WIDTH = 128 /* elements: a part should have that many */
};

/* ---- what such a fusion is ---- */

XG_FN void xg_fuse_mark(xg_inst *fusion, bool phases) {
    xg_str kind = phases ? XG_STR("kCustom") : XG_STR("kLoop");
    xg_inst_set_str(fusion, XG_A_kind, kind);
}
XG_FN bool xg_fuse_is_phases(const xg_inst *fusion) { return xg_str_is(xg_attr_str(fusion, XG_A_kind), "kCustom"); }
/* What a fusion of that kind holds beside its members, their results and a tuple of these; NULL: nothing. */
XG_FN const xg_inst *xg_phases_stranger(const xg_comp *c) {
    uint32_t n = 0, k;
    XG_FOR_INSTS(i, c) {
        if (i->op == XG_FUSION)
            n++;
        else if (i->op == XG_GET_TUPLE_ELEMENT) {
            if (XG_OPERAND(i, 0)->op != XG_FUSION) return i;
        } else if (i->op != XG_PARAMETER && (i->op != XG_TUPLE || i != c->root))
            return i;
    }
    for (k = 0; c->root->op == XG_TUPLE && k < c->root->n_operands; k++)
        if (XG_OPERAND(c->root, k)->op == XG_PARAMETER) return c->root;
    return n ? NULL : c->root;
}
XG_FN void xg_fuse_check_phases(const xg_inst *fusion) {
    const xg_inst *i = xg_phases_stranger(xg_attr_calls(fusion));
    if (i)
        xg_hlo_fail(fusion, XLAGPU_ERROR_INVALID, "a fusion of operations is of another kind: kLoop",
            "a fusion of kind kCustom consists of fusions, their results and a tuple of these; %s is none of them",
            i->name.p);
}
XG_FN const xg_inst *xg_fuse_phase_of(const xg_inst *fusion, uint32_t leaf) {
    const xg_inst *i;
    if (!xg_fuse_is_phases(fusion)) return fusion;
    i = xg_fuse_leaf(xg_attr_calls(fusion), leaf);
    return i->op == XG_GET_TUPLE_ELEMENT ? XG_OPERAND(i, 0) : i;
}
XG_FN xg_phase_list xg_fuse_phases(xg_arena *a, const xg_comp *c) {
    xg_phase_list l;
    xg_map64 levels; /* by instruction id + 1: its level + 1 */
    uint32_t k;
    memset(&l, 0, sizeof l);
    l.members = XG_NEW_N(a, const xg_inst *, c->n_insts + (size_t)1);
    l.level = XG_NEW_N(a, uint32_t, c->n_insts + (size_t)1);
    xg_map64_init(&levels, a);
    XG_FOR_INSTS(i, c) {
        uintptr_t level = 0;
        for (k = 0; k < i->n_operands; k++)
            level = XG_MAX(level, (uintptr_t)xg_map64_get(&levels, XG_OPERAND(i, k)->id + (uint64_t)1));
        if (i->op == XG_FUSION) {
            l.members[l.n] = i;
            l.level[l.n++] = (uint32_t)level++;
            l.levels = XG_MAX(l.levels, (uint32_t)level);
        }
        xg_map64_put(&levels, i->id + (uint64_t)1, (void *)level);
    }
    return l;
}
XG_FN int64_t xg_fuse_phases_shared(const xg_comp *c) {
    int64_t bytes = 0;
    XG_FOR_INSTS(i, c) {
        bool given = i == c->root;
        if ((i->op != XG_FUSION && i->op != XG_GET_TUPLE_ELEMENT) || !xg_shape_is_array(i->shape)) continue;
        XG_FOR_USES(u, i) given = given || u->user->op == XG_TUPLE;
        if (!given) bytes = xg_cost_add(bytes, (xg_cost_bytes(i->shape) + 15) / 16 * 16);
    }
    return bytes;
}

/* ---- what is small ---- */

typedef struct xg_phase_work {
    /* width: threads that have something to do; path: steps that one thread does one behind the other; own: bytes that
     * no other part moves */
    int64_t instructions, bytes, walk, width, path, own;
    bool serial, long_rows; /* few threads would do much, one step behind the other */
} xg_phase_work;

XG_FN bool xg_phases_takes_op(const xg_inst *i) {
    switch (i->op) {
    case XG_PARAMETER:
    case XG_TUPLE:
    case XG_GET_TUPLE_ELEMENT: return true;
    case XG_SCATTER:
    case XG_SELECT_AND_SCATTER: return false;
    case XG_REDUCE_WINDOW: return !xg_fuse_is_scan(i);
    default: return xg_op_fuses(i->op) != XG_OP_none;
    }
}
XG_FN bool xg_phases_takes_shape(const xg_shape *s) {
    uint32_t k;
    if (s->type == XLAGPU_TUPLE) {
        for (k = 0; k < s->n_elems; k++)
            if (!xg_shape_is_array(s->elems[k]) || !xg_phases_takes_shape(s->elems[k])) return false;
        return s->n_elems > 0;
    }
    return xg_fuse_is_static_array(s) && s->elements > 0 && xg_type_bits(s->type) >= 1 &&
           (!s->layout || (!s->layout->memory_space && !s->layout->element_bits));
}
/* One step of the loop inside: what it reads, by address. */
XG_FN int64_t xg_phases_step(const xg_inst *i) { return xg_cost_step(i) + (i->op == XG_DOT ? 3 : 1); }
/* What is asked of an instruction: so many elements, by one reader at most, each by so many steps of loops around it;
 * the dimension that is cut. */
typedef struct xg_phase_count {
    int64_t n, most, steps;
    int32_t cut;
} xg_phase_count;
XG_FN xg_phase_count *xg_phase_count_of(const xg_inst *i) { return (xg_phase_count *)i->scratch; }
XG_FN bool xg_phases_is_serial(const xg_inst *i) { return i->op == XG_DOT || i->op == XG_CONVOLUTION; }
/* What the reader asks of operand k. A part of what is read may ask for the whole of it. */
XG_APART XG_FN void xg_phases_ask(const xg_inst *i, uint32_t k, int64_t n, int64_t steps, int64_t parts) {
    const xg_inst *o = XG_OPERAND(i, k);
    const xg_phase_count *c = xg_phase_count_of(i);
    xg_phase_count *r = xg_phase_count_of(o);
    bool whole = parts > 1 && c->cut >= 0 && r->cut < 0;
    xg_access access;
    int64_t asked;
    if (i->op == XG_TUPLE) {
        r->n = XG_MAX(r->n, xg_fuse_elements(o) / parts);
        return;
    }
    access = xg_fuse_access(i, k);
    r->steps = XG_MAX(r->steps, xg_phases_is_serial(i) || i->op == XG_REDUCE_WINDOW
                                    ? xg_cost_mul(c->steps, XG_MAX(steps, (int64_t)1))
                                    : c->steps);
    asked = xg_cost_scale(whole ? xg_cost_mul(n, parts) : n, access.num, access.den);
    if (whole) asked = access.kind == XG_ACCESS_CONTRACTED ? xg_fuse_elements(o) : XG_MIN(asked, xg_fuse_elements(o));
    r->most = XG_MAX(r->most, asked);
    r->n = access.kind <= XG_ACCESS_ALIGNED || whole ? XG_MAX(r->n, asked) : xg_cost_add(r->n, asked);
}
/* How much code there is of it. */
XG_FN uint32_t xg_phases_ops(const xg_comp *c) {
    enum {
        MOST = 200 /* of one instruction: what takes more is a loop */
    };
    uint32_t n = 0;
    XG_FOR_INSTS(i, c) n += (uint32_t)XG_MIN(xg_cost_op(i), (int64_t)MOST);
    return n;
}
/* Elements that are made of each instruction for one of so many parts, from the roots down: as many as whoever reads
 * most asks for, and more where each reader asks at places of its own; in a row program, each once. */
XG_FN xg_phase_work xg_phases_work(xg_arena *a, const xg_comp *c, int64_t parts) {
    xg_phase_count *counts = XG_NEW_N(a, xg_phase_count, c->n_insts + (size_t)1);
    int32_t *cut = XG_NEW_N(a, int32_t, c->n_insts + (size_t)1);
    xg_phase_work w;
    uint32_t at = 0, k;
    const xg_inst *i;
    bool reduces = false, asked = false, rows = false;
    memset(&w, 0, sizeof w);
    if (parts > 1) (void)xg_fuse_outer(a, c, cut);
    w.own = w.bytes = xg_cost_bytes(c->root->shape) / parts;
    XG_FOR_INSTS(j, c) {
        reduces = reduces || j->op == XG_REDUCE;
        counts[at].cut = cut[at];
        counts[at].steps = 1;
        j->scratch = &counts[at++];
    }
    w.width = xg_fuse_elements(xg_fuse_leaf(c, 0)) / parts;
    if (c->root->op != XG_TUPLE) xg_phase_count_of(c->root)->n = xg_fuse_elements(c->root) / parts;
    for (i = c->last; i; i = i->prev) {
        int64_t n = xg_phase_count_of(i)->n, most = xg_phase_count_of(i)->most, steps = xg_fuse_steps(i), walk;
        if (reduces) {
            int64_t once = xg_fuse_elements(i) / (parts > 1 && xg_phase_count_of(i)->cut >= 0 ? parts : 1);
            if (n > once && !asked) {
                rows = xg_in_place_rows(a, c);
                asked = true;
            }
            if (rows) n = XG_MIN(n, once);
        }
        if (i->op == XG_PARAMETER) {
            int64_t bytes = XG_MIN(xg_cost_bytes(i->shape), xg_cost_mul(n, xg_type_bytes(i->shape->type)));
            w.bytes = xg_cost_add(w.bytes, bytes);
            if (parts > 1 && xg_phase_count_of(i)->cut >= 0) w.own = xg_cost_add(w.own, bytes);
            w.instructions = xg_cost_add_mul(w.instructions, n, 2);
        }
        w.instructions = xg_cost_add_mul(w.instructions, n, xg_cost_op(i));
        if (steps > 1) w.instructions = xg_cost_add_mul(w.instructions, xg_cost_mul(n, steps), xg_phases_step(i));
        walk = most ? XG_MIN(n, most) : n; /* one reader behind the other */
        w.walk = XG_MAX(w.walk, xg_phases_is_serial(i) ? walk : xg_cost_mul(walk, steps));
        if (i->op == XG_REDUCE) w.width = XG_MAX(w.width, xg_cost_mul(n, steps));
        w.serial = w.serial || (xg_phases_is_serial(i) && steps > XG_PHASES_SERIAL);
        w.long_rows = w.long_rows || (i->op == XG_REDUCE && steps > XG_PHASES_ROW && n > XG_PHASES_LONG_ROWS);
        if (xg_phases_is_serial(i)) w.path = XG_MAX(w.path, xg_cost_mul(xg_phase_count_of(i)->steps, steps));
        for (k = 0; k < i->n_operands; k++) xg_phases_ask(i, k, n, steps, parts);
    }
    return w;
}
/* Picoseconds of a kernel by an emitter, roughly: what it moves and computes. */
XG_FN int64_t xg_fuse_time(xg_arena *a, const xg_comp *c, int64_t threads) {
    xg_phase_work work = xg_phases_work(a, c, 1);
    xg_cost cost;
    memset(&cost, 0, sizeof cost);
    cost.device = &c->module->device;
    cost.blocks = xg_cost_blocks(cost.device, threads);
    cost.written = xg_cost_bytes(c->root->shape);
    cost.read.memory = cost.read.asked = cost.read.loaded = work.bytes - cost.written;
    return xg_cost_time(&cost, work.instructions);
}
/* Picoseconds of one multiprocessor. */
XG_FN int64_t xg_phases_clocks(const xg_device *m, int64_t instructions, int64_t bytes) {
    return xg_cost_scale(
        xg_cost_add(instructions / m->f32_rate, bytes / XG_PHASES_BYTES_PER_CLOCK), 1000000, m->clock_mhz);
}
XG_FN int64_t xg_phases_time(const xg_device *m, const xg_phase_work *w) {
    return xg_phases_clocks(m, xg_cost_mul(w->instructions, XG_PHASES_LANES_SHARE), w->bytes);
}
/* The same of one of several parts: where all threads of the block have something to do, they wait less. */
XG_FN int64_t xg_phases_part_time(const xg_device *m, const xg_phase_work *w) {
    return w->width < XG_PHASES_ALL_BUSY ? xg_phases_time(m, w)
                                         : xg_phases_clocks(m, xg_cost_scale(w->instructions, 3, 2), w->bytes);
}
/* Parts that one multiprocessor makes, one after the other. */
XG_FN int64_t xg_phases_rounds(const xg_device *m, int64_t parts) { return (parts + m->sm_count - 1) / m->sm_count; }
/* What it takes longer than in a kernel of its own, where all multiprocessors share it, but each thread does its steps
 * one behind the other. */
XG_FN int64_t xg_phases_loss(const xg_device *m, const xg_phase_work *w, int64_t parts) {
    int64_t time = xg_phases_part_time(m, w),
            path = xg_cost_scale(xg_cost_mul(w->path, XG_PHASES_STEP_CLOCKS), 1000000, m->clock_mhz);
    int64_t spread = xg_cost_scale(time, parts, m->sm_count);
    XG_ESTIMATED(time);
    XG_ESTIMATED(path);
    return XG_MAX(xg_cost_mul(time, xg_phases_rounds(m, parts)) - XG_MAX(path, spread), (int64_t)0);
}

/* A contraction of narrow operands that is left to matrix units, which members have not. */
XG_FN bool xg_phases_wants_unit(const xg_inst *i) {
    xlagpu_type t = xg_phases_is_serial(i) ? XG_OPERAND(i, 0)->shape->type : XLAGPU_PRED;
    return t != XLAGPU_PRED && i->comp->module->device.tensor_f16 && xg_type_bits(t) <= XG_PHASES_UNIT_BITS &&
           xg_cost_mul(i->shape->elements, xg_fuse_steps(i)) > XG_PHASES_UNIT_MACS;
}
/* One that may be a phase, if it is small enough. */
XG_FN bool xg_phases_takes(xg_arena *a, const xg_inst *i) {
    const xg_comp *c;
    uint32_t k, n, pattern;
    if (i->op != XG_FUSION || xg_fuse_is_phases(i) || !xg_phases_takes_shape(i->shape) ||
        xg_inst_attr(i, XG_A_output_to_operand_aliasing))
        return false;
    if (!i->first_use && i != i->comp->root) return false; /* nothing reads it: it would be no result of the whole */
    if (xg_inst_attr(i, XG_A_backend_config)) { /* members have emitters: a rule or a library is for a whole kernel */
        const xg_record *given = xg_record_read(a, i);
        if (given && given->kind.n && !xg_str_is(given->kind, "emitter")) return false;
    }
    c = xg_attr_calls(i);
    if (c->n_params != i->n_operands || (i->shape->type == XLAGPU_TUPLE) != (c->root->op == XG_TUPLE)) return false;
    if (i->shape->type == XLAGPU_TUPLE) { /* taken apart by its readers */
        if (i == i->comp->root) return false;
        XG_FOR_USES(u, i)
            if (u->user->op != XG_GET_TUPLE_ELEMENT || u->user == i->comp->root) return false;
    }
    n = (uint32_t)xg_shape_leaves(i->shape);
    if (xg_fuse_is_fill(c->root, &pattern)) return false;
    for (k = 0; k < c->n_params; k++)
        if (!xg_phases_takes_shape(c->params[k]->shape)) return false;
    XG_FOR_INSTS(j, c)
        if (!xg_phases_takes_op(j) || xg_phases_wants_unit(j) || (j->op == XG_TUPLE && j != c->root)) return false;
    for (k = 0; k < n; k++)
        if (xg_fuse_in_place(a, i, k) >= 0) return false;
    return true;
}
/* Contractions that take long however many parts there are: seen without a closer look. */
XG_FN bool xg_phases_is_long(const xg_device *m, const xg_comp *c) {
    int64_t most =
        xg_cost_scale((int64_t)XG_COST_LAUNCH_PS * XG_PHASES_MOST_LAUNCHES, m->clock_mhz * m->f32_rate, 1000000);
    const bool *made = c->module->made;
    if (!made[XG_DOT] && !made[XG_CONVOLUTION]) return false;
    XG_FOR_INSTS(i, c)
        if (xg_phases_is_serial(i) &&
            xg_cost_mul(xg_fuse_elements(i), xg_fuse_steps(i)) / m->sm_count > most / xg_phases_step(i))
            return true;
    return false;
}
/* So many bytes that it matters how many threads ask for them at a time. */
XG_FN bool xg_phases_is_much(const xg_device *m, int64_t bytes) {
    return xg_cost_scale(bytes, 1000, xg_device_gbs(m->bandwidth)) > XG_COST_LAUNCH_PS / 2;
}
XG_FN bool xg_phases_is_small(const xg_device *m, const xg_phase_work *w, int64_t parts) {
    int64_t most = (int64_t)XG_COST_LAUNCH_PS / XG_PHASES_GAIN_OF * XG_PHASES_GAIN;
    if (w->long_rows || w->walk > XG_PHASES_WALK * (parts > 1 ? 2 : 1)) return false;
    if (w->serial) return false;
    if (parts < 2) return xg_phases_time(m, w) <= most;
    if (xg_phases_is_much(m, xg_cost_mul(w->own, parts))) return false;
    return xg_phases_loss(m, w, parts) <= most && xg_cost_mul(xg_phases_part_time(m, w), xg_phases_rounds(m, parts)) <=
                                                      (int64_t)XG_COST_LAUNCH_PS * XG_PHASES_MOST_LAUNCHES;
}
/* Of a member that is small, how many threads have something to do in a part; 0: it is not small. */
XG_FN int64_t xg_phases_small_width(xg_arena *a, const xg_device *m, const xg_inst *member, int64_t parts) {
    xg_mark mark = xg_arena_mark(a);
    xg_phase_work w = xg_phases_work(a, xg_attr_calls(member), parts);
    xg_arena_reset(a, mark);
    return xg_phases_is_small(m, &w, parts) ? XG_MAX(w.width, (int64_t)1) : 0;
}

/* Is a value a result twice? Each result has a place of its own, but a value is made in one place. */
XG_FN bool xg_phases_gives_twice(const xg_comp *c) {
    xg_map64 seen;
    uint32_t k;
    xg_map64_init(&seen, c->module->work);
    for (k = 0; c->root->op == XG_TUPLE && k < c->root->n_operands; k++) {
        xg_inst *x = XG_OPERAND(c->root, k);
        bool element = x->op == XG_GET_TUPLE_ELEMENT;
        uint64_t key =
            (uint64_t)(element ? XG_OPERAND(x, 0) : x)->id << 32 | (element ? (uint64_t)xg_attr_index(x) + 1 : 0);
        if (xg_map64_get(&seen, key)) return true;
        xg_map64_put(&seen, key, x);
    }
    return false;
}

/* ---- one block for each part of an outer dimension ---- */

/* Into how many parts all members may be cut at most, where each part is made of the same parts of what others make; 0:
 * not at all. By parameter of the whole: cut or not. */
XG_FN int64_t xg_phases_outer(xg_arena *a, const xg_comp *c, int32_t *params) {
    int32_t *of;
    int64_t parts = 0, most;
    uint32_t k;
    for (k = 0; k < c->n_params; k++) params[k] = 0;
    XG_FOR_INSTS(i, c) {
        if (i->op != XG_FUSION) continue;
        of = XG_NEW_N(a, int32_t, i->n_operands + (size_t)1);
        most = xg_fuse_outer_params(a, xg_attr_calls(i), of);
        parts = xg_gcd(parts, most);
        if (!most || parts < 2) return 0;
        for (k = 0; k < i->n_operands; k++) {
            const xg_inst *o = XG_OPERAND(i, k);
            if (o->op != XG_PARAMETER ? of[k] != XG_CUT : params[o->number] && params[o->number] != of[k]) return 0;
            if (o->op == XG_PARAMETER) params[o->number] = of[k];
        }
    }
    return parts;
}
/* The same of the widest member; 0: not all are small. */
XG_FN int64_t xg_phases_width(xg_arena *a, const xg_comp *c, int64_t parts) {
    xg_device m = c->module->device;
    int64_t most = 1, width;
    if (xg_fuse_phases_shared(c) / parts > XG_PHASES_SHARED) return 0;
    XG_FOR_INSTS(i, c) {
        if (i->op != XG_FUSION) continue;
        width = xg_phases_small_width(a, &m, i, parts);
        if (!width) return 0;
        most = XG_MAX(most, width);
    }
    return most;
}
/* The next smaller number of parts, if its ratio is small. */
XG_FN int64_t xg_phases_fewer(int64_t parts) {
    int64_t k = 2;
    while (k <= 16 && parts % k) k++;
    return k <= 16 ? parts / k : 0;
}
/* One block if it is fast enough; else as many parts as there may be, but for parts that would leave most threads
 * without work, and no more than there are multiprocessors for: what all parts read is read by each. 0: neither. */
XG_FN int64_t xg_phases_choose(xg_arena *a, const xg_comp *c, int32_t *params) {
    xg_device m = c->module->device;
    int64_t parts, fewer, width;
    if (xg_phases_width(a, c, 1)) return 1;
    parts = xg_phases_outer(a, c, params);
    width = parts ? xg_phases_width(a, c, parts) : 0;
    if (!width) return 0;
    while ((fewer = xg_phases_fewer(parts)) > 1 && (width < XG_PHASES_PART_WIDTH || fewer >= (int64_t)m.sm_count) &&
           (width = xg_phases_width(a, c, fewer)) > 0)
        parts = fewer;
    return parts;
}
XG_FN int64_t xg_fuse_phases_parts(xg_arena *a, const xg_comp *c, int64_t parts, int32_t *params) {
    int64_t most;
    if (parts <= 1) return parts;
    most = xg_phases_outer(a, c, params);
    return most && most % parts == 0 ? parts : 0;
}
XG_FN int64_t xg_fuse_phases_blocks(xg_arena *a, const xg_comp *c, int32_t *params) {
    xg_mark mark = xg_arena_mark(a);
    int64_t parts = xg_phases_choose(a, c, params);
    xg_arena_reset(a, mark);
    return XG_MAX(parts, (int64_t)1);
}
XG_APART XG_FN xg_inst *xg_fuse_phases_part(xg_arena *a, const xg_inst *fusion, int64_t parts, const int32_t *params) {
    const xg_comp *c = xg_attr_calls(fusion);
    xg_module *m = fusion->comp->module;
    xg_comp *to = xg_comp_new(m, c->name, NULL), *around = xg_comp_new(m, c->name, NULL);
    xg_inst **operands = XG_NEW_N(a, xg_inst *, fusion->n_operands + c->n_insts + (size_t)1), *made;
    xg_map64 inside;
    uint32_t k;
    xg_map64_init(&inside, a);
    XG_FOR_INSTS(i, c) {
        for (k = 0; k < i->n_operands; k++)
            operands[k] = (xg_inst *)xg_map64_get(&inside, XG_OPERAND(i, k)->id + (uint64_t)1);
        made = xg_inst_clone((xg_inst *)i, to, operands, NULL);
        if (i->op != XG_PARAMETER || params[i->number] == XG_CUT) made->shape = xg_fuse_outer_shape(m, i->shape, parts);
        if (i->op == XG_FUSION) xg_inst_set_comp(made, XG_A_calls, xg_fuse_outer_part(a, xg_attr_calls(i), parts));
        xg_map64_put(&inside, i->id + (uint64_t)1, made);
    }
    to->root = (xg_inst *)xg_map64_get(&inside, c->root->id + (uint64_t)1);
    for (k = 0; k < fusion->n_operands; k++)
        operands[k] = xg_comp_add_param(around, to->params[k]->shape, XG_STR("param"));
    made = xg_inst_clone((xg_inst *)fusion, around, operands, NULL);
    made->shape = to->root->shape;
    xg_inst_set_comp(made, XG_A_calls, to);
    around->root = made;
    return made;
}

/* A module may come with such fusions: those that the pass could have made stay as they are, others are taken apart. */
XG_FN bool xg_fuse_keeps_phases(const xg_inst *fusion) {
    const xg_comp *c = xg_attr_calls(fusion);
    xg_arena *a = fusion->comp->module->work;
    uint32_t n = 0, ops = 0;
    if (!xg_fuse_is_phases(fusion) || xg_phases_stranger(c) ||
        fusion->n_operands + (uint32_t)xg_shape_leaves(fusion->shape) > XG_PHASES_BUFFERS)
        return false;
    if ((fusion->shape->type == XLAGPU_TUPLE) != (c->root->op == XG_TUPLE) || xg_phases_gives_twice(c)) return false;
    XG_FOR_INSTS(i, c) {
        if (i->op != XG_FUSION) continue;
        if (!xg_phases_takes(a, i)) return false;
        ops += xg_phases_ops(xg_attr_calls(i));
        if (ops > XG_PHASES_OPS || ++n > XG_PHASES_MEMBERS) return false;
    }
    return xg_phases_choose(a, c, XG_NEW_N(a, int32_t, c->n_params + (size_t)1)) > 0;
}

#endif /* XG_FUSE_PHASES_C */
