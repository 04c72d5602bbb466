/* sim/tensor.c -- tensor memory: its allocation, its checks, and what moves data there and back.
 *
 * The idea. Each cell of 32 bits has a state beside it: not written, written, written by an operation that goes on
 * beside the threads (multiplication, copy, shift), or stored by a warp that has not yet waited for its stores. The
 * operations of one thread are done in their order; a commit makes all that its thread has issued a flight of async.c,
 * and they are complete when it lands. So an operation that no commit follows is never complete, and a thread that
 * reads its cells is found. What operations only read, cells and bytes of shared memory, counts as lent until then.
 *
 * Laws
 * - Data moves when an operation is issued; only the states say that it is not there yet.
 * - A block has the tensor memory of a multiprocessor for itself, and gives back what it took.
 * - The loads of a warp and its stores reach its own quarter of the lanes. */
#ifndef XG_SIM_TENSOR_C
#define XG_SIM_TENSOR_C
#include "small.c"

enum {
    XG_SIM_TENSOR_LANES = 128,
    XG_SIM_TENSOR_COLUMNS = 512,
    XG_SIM_TENSOR_CELLS = XG_SIM_TENSOR_LANES * XG_SIM_TENSOR_COLUMNS,
    XG_SIM_TENSOR_UNIT = 32 /* columns: the least that is allocated */
};

/* A cell's state: what, whose (5 bits), which of them (25 bits). Of ASYNC: the issuer and its operation; of STORED: the
 * warp and how often it had waited for its stores. */
enum {
    XG_SIM_CELL_UNWRITTEN,
    XG_SIM_CELL_WRITTEN,
    XG_SIM_CELL_ASYNC,
    XG_SIM_CELL_STORED,
    XG_SIM_CELL_WHAT = 3,
    XG_SIM_CELL_WHOSE = 2,
    XG_SIM_CELL_WHICH = 7
};
/* Cells of a lane that the last operation on it wrote, all with one state; `states` do not know it yet. */
typedef struct xg_sim_cell_run {
    uint16_t column, n; /* n 0: none */
    uint32_t state;
} xg_sim_cell_run;
struct xg_sim_tensor_block {
    uint32_t *cells, *states, *lent; /* lent: an ASYNC state whose operation reads the cell */
    bool lends;                      /* some cell has been lent */
    double *a, *b;                   /* operands of a multiplication (umma.c) */
    uint16_t
        taken[XG_SIM_TENSOR_COLUMNS / XG_SIM_TENSOR_UNIT]; /* by unit: columns of the allocation it begins; 1: inside */
    uint8_t group;                                         /* 1 or 2, as the first instruction said; 0: none yet */
    bool relinquished;
    uint32_t waits[XG_SIM_WARP],
        waited[XG_SIM_WARP], /* by warp: how often it waited for its stores; in which interval */
        loaded[XG_SIM_WARP]; /* by warp: the interval of its last load */
    xg_sim_cell_run runs[XG_SIM_TENSOR_LANES];
};

typedef enum xg_sim_tensordoes {
    XG_SIM_TENSOR_LOADS,
    XG_SIM_TENSOR_STORES,
    XG_SIM_TENSOR_TAKES, /* an operation reads */
    XG_SIM_TENSOR_PUTS   /* an operation writes */
} xg_sim_tensordoes;

/* The states of a lane's run go to its cells. */
XG_FN void xg_sim_run_end(xg_sim_tensor_block *t, uint32_t row) {
    xg_sim_cell_run *r = &t->runs[row];
    uint32_t *to = t->states + row * XG_SIM_TENSOR_COLUMNS + r->column, i;
    for (i = 0; i < r->n; i++) to[i] = r->state;
    r->n = 0;
}
/* Cells of a lane get a state, after a check of the same cells. Operations mostly write again and again the same ones,
 * which then cost one note. */
XG_FN void xg_sim_cells_set(xg_sim_worker *of, uint32_t row, uint32_t column, uint32_t n, uint32_t state) {
    xg_sim_cell_run *r = &of->tensor->runs[row];
    r->column = (uint16_t)column;
    r->n = (uint16_t)n;
    r->state = state;
}
XG_FN void xg_sim_cell_lend(xg_sim_worker *of, uint32_t row, uint32_t column, uint32_t state) {
    of->tensor->lent[row * XG_SIM_TENSOR_COLUMNS + column] = state;
    of->tensor->lends = true;
}
XG_FN void xg_sim_tensor_start(xg_sim_worker *w) { /* a block starts */
    xg_sim_tensor_block *t = w->tensor;
    memset(t->states, 0, XG_SIM_TENSOR_CELLS * sizeof *t->states);
    memset(t->lent, 0, XG_SIM_TENSOR_CELLS * sizeof *t->lent);
    memset(t->runs, 0, sizeof t->runs);
    t->lends = false;
    memset(t->taken, 0, sizeof t->taken);
    memset(t->waits, 0, sizeof t->waits);
    memset(t->waited, 0, sizeof t->waited);
    memset(t->loaded, 0, sizeof t->loaded);
    t->group = 0;
    t->relinquished = false;
}
/* A block has ended: all columns must be free again. */
XG_FN void xg_sim_tensor_end(xg_sim_worker *w) {
    uint32_t i, n = 0;
    for (i = 0; w->tensor && i < XG_COUNT(w->tensor->taken); i++) n += w->tensor->taken[i] != 0;
    if (n)
        xg_sim_fault(w, &w->warps[0], &w->m->code[w->warps[0].f->end], 0, XG_SIM_FAULT_OPERAND,
            "the block ends with %u columns of tensor memory allocated: tcgen05.dealloc is missing",
            n * XG_SIM_TENSOR_UNIT);
}
/* All of a kernel works with single blocks, or all with pairs. */
XG_FN bool xg_sim_tensor_group(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane) {
    uint8_t group = in->imm & XG_SIM_N_PAIR ? 2 : 1;
    if (!w->tensor->group) w->tensor->group = group;
    if (w->tensor->group != group)
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_OPERAND,
            "an instruction with .cta_group::%u in a block that has executed others with .cta_group::%u", group,
            w->tensor->group);
    else if (group == 2 && w->cluster->n % 2)
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_OPERAND,
            ".cta_group::2 needs a cluster of an even number of blocks, not of %u", w->cluster->n);
    return !w->faulted;
}
/* The other block of a pair. */
XG_FN xg_sim_worker *xg_sim_tensor_peer(const xg_sim_worker *w) { return w->cluster->peers[w->rank ^ 1]; }

/* ---- allocation ---- */

XG_FN bool xg_sim_tensor_size(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t n) {
    if (n >= XG_SIM_TENSOR_UNIT && n <= XG_SIM_TENSOR_COLUMNS && !(n & (n - 1))) return true;
    xg_sim_fault(w, v, in, 0, XG_SIM_FAULT_OPERAND,
        "tensor memory is allocated in powers of two from 32 to 512 columns, not %u", n);
    return false;
}
/* tcgen05.alloc; false: not yet, or a fault. */
XG_FN bool xg_sim_tensor_allocate(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    xg_sim_tensor_block *t = w->tensor;
    uint32_t n, at, units, i, address;
    char *p;
    if (mask != 0xFFFFFFFFu) {
        xg_sim_fault(w, v, in, xg_sim_first_lane(mask), XG_SIM_FAULT_INACTIVE,
            "all 32 threads of a warp must execute this instruction together; 0x%X do", mask);
        return false;
    }
    n = xg_sim_lane_u32(xg_sim_slot(w, v, in->b), 0);
    if (!xg_sim_tensor_group(w, v, in, 0) || !xg_sim_tensor_size(w, v, in, n)) return false;
    if (t->relinquished) {
        xg_sim_fault(w, v, in, 0, XG_SIM_FAULT_OPERAND, "an allocation after tcgen05.relinquish_alloc_permit");
        return false;
    }
    units = n / XG_SIM_TENSOR_UNIT;
    for (at = 0; at + units <= XG_COUNT(t->taken); at += units) { /* first fit: the same in both blocks of a pair */
        for (i = 0; i < units && !t->taken[at + i]; i++) {}
        if (i == units) break;
    }
    if (at + units > XG_COUNT(t->taken)) {
        v->state = XG_SIM_AT_EVENT;
        return false;
    }
    p = xg_sim_reach_bytes(w, v, in, 0, in->a, in->imm2, 4, 4, true);
    if (!p || !xg_sim_fresh_bytes(w, w, v, in, 0, 4, (size_t)(p - w->shared), 4, XG_SIM_WRITES)) return false;
    for (i = 0; i < units; i++) t->taken[at + i] = (uint16_t)(i ? 1 : n);
    address = at * XG_SIM_TENSOR_UNIT;
    memcpy(p, &address, 4);
    return w->unchecked || xg_sim_shadow_shared(w, v, in, 0, 4, (size_t)(p - w->shared), 4, XG_SIM_WRITES, false);
}
XG_FN void xg_sim_tensor_free_columns(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in) {
    xg_sim_tensor_block *t = w->tensor;
    uint32_t address = xg_sim_lane_u32(xg_sim_slot(w, v, in->a), 0), n = xg_sim_lane_u32(xg_sim_slot(w, v, in->b), 0);
    uint32_t unit = address / XG_SIM_TENSOR_UNIT, lane, i;
    if (!xg_sim_tensor_group(w, v, in, 0) || !xg_sim_tensor_size(w, v, in, n)) return;
    if (address % XG_SIM_TENSOR_UNIT || unit >= XG_COUNT(t->taken) || t->taken[unit] != n) {
        xg_sim_fault(w, v, in, 0, XG_SIM_FAULT_OPERAND,
            "no allocation of %u columns of tensor memory begins at address 0x%X", n, address);
        return;
    }
    for (i = 0; i < XG_COUNT(t->loaded); i++)
        if (i != v->id && t->loaded[i] == w->shared_tag && !w->l->unchecked_races) {
            xg_sim_fault(w, v, in, 0, XG_SIM_FAULT_RACE,
                "tensor memory is given back, but warp %u has loaded from it, and there was no barrier since", i);
            return;
        }
    for (i = 0; i < n / XG_SIM_TENSOR_UNIT; i++) t->taken[unit + i] = 0;
    for (lane = 0; lane < XG_SIM_TENSOR_LANES; lane++) {
        xg_sim_run_end(t, lane);
        memset(t->states + lane * XG_SIM_TENSOR_COLUMNS + address, 0, n * sizeof *t->states);
        memset(t->lent + lane * XG_SIM_TENSOR_COLUMNS + address, 0, n * sizeof *t->lent);
    }
    xg_sim_event(w);
}

/* ---- operations under way ---- */

/* The number under which the operations of a thread are counted. */
XG_FN uint32_t xg_sim_issuer_of(xg_sim_worker *w, const xg_sim_warp *v, uint32_t lane) {
    xg_sim_cluster *c = w->cluster;
    uint32_t thread = (w->rank << 10 | v->id << 5 | lane) + 1, i;
    for (i = 0; i < c->n_issuers && c->issuers[i].thread != thread; i++) {}
    if (i < c->n_issuers) return i;
    if (c->n_issuers == XG_SIM_ISSUERS)
        return XG_SIM_ISSUERS - 1; /* threads share the last one: faults may be missed */
    memset(&c->issuers[i], 0, sizeof c->issuers[i]);
    c->issuers[i].thread = thread;
    c->n_issuers++;
    return i;
}
XG_FN uint32_t xg_sim_operation_state(xg_sim_cluster *c, uint32_t issuer) {
    return XG_SIM_CELL_ASYNC | issuer << XG_SIM_CELL_WHOSE |
           (c->issuers[issuer].issued & 0x1FFFFFF) << XG_SIM_CELL_WHICH;
}
XG_FN bool xg_sim_under_way(const xg_sim_cluster *c, uint32_t state) {
    return (state & XG_SIM_CELL_WHAT) == XG_SIM_CELL_ASYNC &&
           state >> XG_SIM_CELL_WHICH > c->issuers[state >> XG_SIM_CELL_WHOSE & 31].done;
}

/* ---- checks of cells ---- */

XG_FN void xg_sim_tensor_fault(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane,
    uint32_t cell, xg_sim_faultkind kind, const char *what) {
    xg_sim_fault(w, v, in, lane, kind, "tensor memory, lane %u, column %u: %s", cell / XG_SIM_TENSOR_COLUMNS,
        cell % XG_SIM_TENSOR_COLUMNS, what);
}
/* What is wrong with an access to a cell whose state is not simply "written". False after a fault. */
XG_FN bool xg_sim_cell_check(xg_sim_worker *w, const xg_sim_worker *of, const xg_sim_warp *v, const xg_sim_ins *in,
    uint32_t lane, uint32_t cell, uint32_t state, xg_sim_tensordoes does, uint32_t issuer) {
    const xg_sim_tensor_block *t = of->tensor;
    uint32_t whose = state >> XG_SIM_CELL_WHOSE & 31, which = state >> XG_SIM_CELL_WHICH;
    bool reads = does == XG_SIM_TENSOR_LOADS || does == XG_SIM_TENSOR_TAKES, beside = does >= XG_SIM_TENSOR_TAKES;
    if (w->l->unchecked_shared) return true;
    if (!(state & XG_SIM_CELL_WHAT) && reads) {
        xg_sim_tensor_fault(w, v, in, lane, cell, XG_SIM_FAULT_UNWRITTEN, "read, but nothing has been written there");
        return false;
    }
    if ((state & XG_SIM_CELL_WHAT) == XG_SIM_CELL_ASYNC && xg_sim_under_way(of->cluster, state) &&
        !(beside && whose == issuer)) {
        xg_sim_tensor_fault(w, v, in, lane, cell, XG_SIM_FAULT_ASYNC,
            "an operation that is not known to be complete writes it: commit it to a memory barrier and wait for that");
        return false;
    }
    if ((state & XG_SIM_CELL_WHAT) != XG_SIM_CELL_STORED) return true;
    if (which == (t->waits[whose] & 0x1FFFFFF) && (beside || reads)) {
        xg_sim_tensor_fault(w, v, in, lane, cell, XG_SIM_FAULT_ASYNC,
            "a tcgen05.st that its warp has not waited for: tcgen05.wait::st is missing");
        return false;
    }
    if (whose != v->id && which + 1 == (t->waits[whose] & 0x1FFFFFF) && t->waited[whose] == of->shared_tag &&
        !w->l->unchecked_races) {
        xg_sim_tensor_fault(w, v, in, lane, cell, XG_SIM_FAULT_RACE,
            "another warp has stored it and waited for that, but there was no barrier since");
        return false;
    }
    return true;
}
/* `n` cells of a lane from a column on; lane is the thread's. False after a fault. */
XG_FN bool xg_sim_cells_check(xg_sim_worker *w, const xg_sim_worker *of, const xg_sim_warp *v, const xg_sim_ins *in,
    uint32_t lane, uint32_t row, uint32_t column, uint32_t n, xg_sim_tensordoes does, uint32_t issuer) {
    xg_sim_tensor_block *t = of->tensor;
    uint32_t cell = row * XG_SIM_TENSOR_COLUMNS + column, i;
    if (row >= XG_SIM_TENSOR_LANES || column + n > XG_SIM_TENSOR_COLUMNS) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_BOUNDS,
            "lane %u, columns %u to %u of tensor memory, which has 128 lanes of 512 columns", row, column,
            column + n - 1);
        return false;
    }
    for (i = column / XG_SIM_TENSOR_UNIT; i <= (column + n - 1) / XG_SIM_TENSOR_UNIT; i++)
        if (!t->taken[i]) {
            xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_BOUNDS,
                "columns %u to %u of tensor memory, of which the block has not allocated %u", column, column + n - 1,
                XG_MAX(i * XG_SIM_TENSOR_UNIT, column));
            return false;
        }
    if (t->runs[row].n == n && t->runs[row].column == column && !t->lends) /* cells of the same state need one look */
        return xg_sim_cell_check(w, of, v, in, lane, cell, t->runs[row].state, does, issuer);
    if (t->runs[row].n) xg_sim_run_end(t, row);
    if (memcmp(t->states + cell, t->states + cell + 1, (n - 1) * sizeof *t->states) == 0 &&
        (!t->lends || memcmp(t->lent + cell, t->lent + cell + 1, (n - 1) * sizeof *t->lent) == 0))
        n = 1;
    for (i = cell; i < cell + n; i++) {
        if (t->states[i] != XG_SIM_CELL_WRITTEN &&
            !xg_sim_cell_check(w, of, v, in, lane, i, t->states[i], does, issuer))
            return false;
        if ((does == XG_SIM_TENSOR_STORES || does == XG_SIM_TENSOR_PUTS) && t->lent[i] &&
            xg_sim_under_way(of->cluster, t->lent[i]) && !w->l->unchecked_shared &&
            !(does == XG_SIM_TENSOR_PUTS && (t->lent[i] >> XG_SIM_CELL_WHOSE & 31) == issuer)) {
            xg_sim_tensor_fault(w, v, in, lane, i, XG_SIM_FAULT_ASYNC,
                "write, but an operation that is not known to be complete still reads it");
            return false;
        }
    }
    return true;
}

/* ---- ld and st ---- */

/* Where register r of a thread lies in a shape: lane and column behind the address. */
XG_FN xg_sim_at xg_sim_tensor_at(xg_sim_tensorshape shape, uint32_t thread, uint32_t r, uint32_t half) {
    xg_sim_at p;
    switch (shape) {
    case XG_SIM_N_16X64:
        p.row = thread / 4 + 8 * (thread & 1);
        p.col = 2 * r + (thread >> 1 & 1);
        break;
    case XG_SIM_N_16X128:
        p.row = thread / 4 + 8 * (r & 1);
        p.col = 4 * (r / 2) + thread % 4;
        break;
    case XG_SIM_N_16X256:
        p.row = thread / 4 + 8 * (r >> 1 & 1);
        p.col = 8 * (r / 4) + 2 * (thread % 4) + (r & 1);
        break;
    case XG_SIM_N_16X32X2:
        p.row = thread % 16;
        p.col = r + thread / 16 * half;
        break;
    default: p.row = thread; p.col = r;
    }
    return p;
}
XG_FN uint32_t xg_sim_stored_state(const xg_sim_worker *w, const xg_sim_warp *v) {
    return XG_SIM_CELL_STORED | v->id << XG_SIM_CELL_WHOSE | (w->tensor->waits[v->id] & 0x1FFFFFF) << XG_SIM_CELL_WHICH;
}
XG_FN bool xg_sim_tensor_transfer_checks(
    xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t address, xg_sim_tensorshape shape) {
    uint32_t base = address >> 16, i;
    const char *slot = xg_sim_slot(w, v, in->a);
    for (i = 1; i < XG_SIM_WARP; i++)
        if (xg_sim_lane_u32(slot, i) != address) {
            xg_sim_fault(w, v, in, i, XG_SIM_FAULT_OPERAND,
                "the threads of a warp give different addresses of tensor memory, 0x%X and 0x%X", address,
                xg_sim_lane_u32(slot, i));
            return false;
        }
    if (base % 32 > (shape == XG_SIM_N_32X32 ? 0u : 16u) || base % 16 || base / 32 != v->id % 4) {
        xg_sim_fault(w, v, in, 0, XG_SIM_FAULT_OPERAND,
            "warp %u reaches the lanes %u to %u of tensor memory; .%s at lane %u is elsewhere", v->id, v->id % 4 * 32,
            v->id % 4 * 32 + 31, xg_sim_tensor_shapes[shape].text, base);
        return false;
    }
    return true;
}
/* What a warp's load or store reaches in each of its lanes of tensor memory: cells side by side, or two such parts.
 * False after a fault. */
XG_FN bool xg_sim_tensor_transfer_cells(
    xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t address, bool store) {
    const xg_sim_tensorshape shape = (xg_sim_tensorshape)(in->imm & 7);
    const uint32_t packed = in->imm & XG_SIM_N_PACKED ? 1 : 0, parts = shape == XG_SIM_N_16X32X2 ? 2 : 1;
    const uint32_t rows = shape == XG_SIM_N_32X32 ? 32 : 16, n = in->n * (32 / rows) / parts << packed;
    uint32_t threads[XG_SIM_WARP], row, part, r; /* by lane: one that has a register there */
    for (r = 4; r-- > 0;)
        for (part = XG_SIM_WARP; part-- > 0;) threads[xg_sim_tensor_at(shape, part, r, 0).row] = part;
    for (row = 0; row < rows; row++)
        for (part = 0; part < parts; part++) {
            const uint32_t at = (address & 0xFFFF) + (part * in->imm2 << packed);
            if (!xg_sim_cells_check(w, w, v, in, threads[row], (address >> 16) + row, at, n,
                    store ? XG_SIM_TENSOR_STORES : XG_SIM_TENSOR_LOADS, 0))
                return false;
            if (store) xg_sim_cells_set(w, (address >> 16) + row, at, n, xg_sim_stored_state(w, v));
        }
    return true;
}
XG_FN void xg_sim_tensor_transfer(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, bool store) {
    const uint32_t *list = w->m->list + in->list;
    const xg_sim_tensorshape shape = (xg_sim_tensorshape)(in->imm & 7);
    const uint32_t address = xg_sim_lane_u32(xg_sim_slot(w, v, in->a), 0), packed = in->imm & XG_SIM_N_PACKED ? 1 : 0;
    uint32_t *from, r, thread;
    if (!xg_sim_tensor_transfer_checks(w, v, in, address, shape)) return;
    if (!xg_sim_tensor_transfer_cells(w, v, in, address, store)) return;
    if (!store) w->tensor->loaded[v->id] = w->shared_tag;
    from = w->tensor->cells + (address >> 16) * XG_SIM_TENSOR_COLUMNS + (address & 0xFFFF);
    for (thread = 0; thread < XG_SIM_WARP; thread++)
        for (r = 0; r < in->n; r++) {
            const xg_sim_at p = xg_sim_tensor_at(shape, thread, r, in->imm2);
            uint32_t *cell = from + p.row * XG_SIM_TENSOR_COLUMNS + (p.col << packed);
            if (store) {
                const uint32_t x = xg_sim_lane_u32(xg_sim_slot(w, v, list[r]), thread);
                cell[0] = packed ? x & 0xFFFF : x;
                if (packed) cell[1] = x >> 16;
            } else
                xg_sim_put_u32(
                    v->regs + list[r], thread, packed ? (cell[0] & 0xFFFF) | (cell[1] & 0xFFFF) << 16 : cell[0]);
        }
}

/* ---- cp and shift ---- */

/* Sixteen bytes as they lie in tensor memory: 4- and 6-bit elements get a byte each. */
XG_FN void xg_sim_tensor_unpack(const uint8_t from[16], uint8_t to[16], uint32_t how) {
    uint32_t i;
    memcpy(to, from, 16);
    if (how) xg_sim_unpack_elements(from, to, how);
    for (i = 0; how == 1 && i < 16; i++)
        to[i] = (uint8_t)(to[i] << 2); /* in the middle of their bytes, as mma wants them */
}
XG_FN const char *xg_sim_umma_chunk(xg_sim_worker *w, xg_sim_worker *of, const xg_sim_warp *v, const xg_sim_ins *in,
    uint32_t lane, uint32_t at, uint32_t used); /* umma.c */
XG_FN uint32_t xg_sim_umma_row_at(uint64_t descriptor, uint32_t row, uint32_t chunk);

XG_FN bool xg_sim_tensor_copy_to(xg_sim_worker *w, xg_sim_worker *of, const xg_sim_warp *v, const xg_sim_ins *in,
    uint32_t lane, uint32_t issuer, uint32_t address, uint64_t matrix) {
    uint32_t rows = in->imm & 255, words = in->imm >> 8 & 3, spread = in->imm >> 10 & 7, how = in->imm >> 13 & 3;
    uint32_t row, chunk, copy, state = xg_sim_operation_state(w->cluster, issuer), i;
    uint32_t copies = spread == XG_SIM_N_SPREAD_X4                                         ? 4
                      : spread == XG_SIM_N_SPREAD_02_13 || spread == XG_SIM_N_SPREAD_01_23 ? 2
                                                                                           : 1;
    for (row = 0; row < rows; row++)
        for (chunk = 0; chunk < words; chunk++) {
            const char *from =
                xg_sim_umma_chunk(w, of, v, in, lane, xg_sim_umma_row_at(matrix, row, chunk), how ? 4 + 4 * how : 16);
            uint8_t bytes[16];
            if (!from) return false;
            xg_sim_tensor_unpack((const uint8_t *)from, bytes, how);
            for (copy = 0; copy < copies; copy++) {
                uint32_t to = (address >> 16) + row, column = (address & 0xFFFF) + 4 * chunk;
                if (spread == XG_SIM_N_SPREAD_STEP) to = (address >> 16) + 32 * row;
                if (spread == XG_SIM_N_SPREAD_X4) to += 32 * copy;
                if (spread == XG_SIM_N_SPREAD_02_13) to += 64 * copy;
                if (spread == XG_SIM_N_SPREAD_01_23) to += row / 32 * 32 + 32 * copy;
                if (!xg_sim_cells_check(w, of, v, in, lane, to, column, 4, XG_SIM_TENSOR_PUTS, issuer)) return false;
                memcpy(of->tensor->cells + to * XG_SIM_TENSOR_COLUMNS + column, bytes, 16);
                for (i = 0; i < 4; i++) of->tensor->states[to * XG_SIM_TENSOR_COLUMNS + column + i] = state;
            }
        }
    return true;
}
XG_FN bool xg_sim_tensor_copy_lane(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane) {
    uint32_t issuer = xg_sim_issuer_of(w, v, lane), address = xg_sim_lane_u32(xg_sim_slot(w, v, in->a), lane);
    uint64_t matrix = xg_sim_mb_get(xg_sim_slot(w, v, in->b) + (size_t)lane * 8);
    w->cluster->issuers[issuer].issued++;
    if (!xg_sim_tensor_copy_to(w, w, v, in, lane, issuer, address, matrix)) return false;
    return !(in->imm & XG_SIM_N_PAIR) ||
           xg_sim_tensor_copy_to(w, xg_sim_tensor_peer(w), v, in, lane, issuer, address, matrix);
}
/* Each lane but the last takes eight columns from the lane behind it. */
XG_FN bool xg_sim_tensor_shift_in(
    xg_sim_worker *w, xg_sim_worker *of, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane, uint32_t issuer) {
    uint32_t address = xg_sim_lane_u32(xg_sim_slot(w, v, in->a), lane), base = address >> 16, column = address & 0xFFFF;
    uint32_t row, i, state = xg_sim_operation_state(w->cluster, issuer);
    if (base % 32) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_OPERAND,
            "tcgen05.shift begins at a lane that is a multiple of 32, not at %u", base);
        return false;
    }
    for (row = base; row < XG_SIM_TENSOR_LANES; row++)
        if (!xg_sim_cells_check(w, of, v, in, lane, row, column, 8, XG_SIM_TENSOR_TAKES, issuer)) return false;
    for (row = base; row + 1 < XG_SIM_TENSOR_LANES; row++) {
        xg_sim_run_end(of->tensor, row);
        for (i = 0; i < 8; i++) {
            uint32_t cell = row * XG_SIM_TENSOR_COLUMNS + column + i;
            of->tensor->cells[cell] = of->tensor->cells[cell + XG_SIM_TENSOR_COLUMNS];
            of->tensor->states[cell] = state;
        }
    }
    return true;
}
XG_FN bool xg_sim_tensor_shift_lane(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane) {
    uint32_t issuer = xg_sim_issuer_of(w, v, lane);
    w->cluster->issuers[issuer].issued++;
    return xg_sim_tensor_shift_in(w, w, v, in, lane, issuer) &&
           (!(in->imm & XG_SIM_N_PAIR) || xg_sim_tensor_shift_in(w, xg_sim_tensor_peer(w), v, in, lane, issuer));
}

/* ---- commit ---- */

XG_FN bool xg_sim_tensor_commit_lane(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane) {
    uint32_t issuer = xg_sim_issuer_of(w, v, lane), mask = 1u << w->rank, r;
    char *bar = xg_sim_mb_at(w, v, in, lane, in->c, in->imm2 >> 16, false);
    xg_sim_flight *f;
    if (!bar) return false;
    if (in->flags & 64 && !(mask = xg_sim_multicast(w, v, in, lane))) return false;
    for (r = 0; r < w->cluster->n; r++) {
        char *at = in->flags & 64 ? xg_sim_in_peer(w, bar, r) : bar;
        if (!(mask >> r & 1)) continue;
        f = xg_sim_take_off(w, v, in, lane, at);
        f->commit = true;
        f->issuer = issuer;
        f->operation = w->cluster->issuers[issuer].issued;
        if (XG_UNLIKELY(w->tracer != NULL)) xg_sim_trace_commits(w, v, xg_sim_owner(w, at), at);
    }
    return true;
}

#endif /* XG_SIM_TENSOR_C */
