/* ptx/kernel.c -- structured control flow to labels and branches, the entry, the module.
 *
 * A loop's carried values live in one register each; what the body yields is computed there at once when nothing reads
 * the old content afterwards, else moved at the end, all moves of an edge at once (cycles through a temporary).
 * The position of an operation (its place in program order) is kept in op->scratch while a kernel is printed. */
#ifndef XG_PTX_KERNEL_C
#define XG_PTX_KERNEL_C
#include "bits.c"
#include "matrix.c"
#include "wgmma.c"
#include "bulk.c"
#include "tensor.c"
#include "pressure.c"

static void xg_ptx_print_region(xg_ptx *p, xg_kregion *r);

/* ---- numbering and last uses ---- */
/* Only what registers hold may come this far: no tensors, no complex numbers, no index but the ids of threads and
 * blocks. */
static void xg_ptx_check_type(xg_ptx *p, const xg_kop *op, const xg_ktype *t) {
    bool id = op->op == XG_K_OP_THREAD_ID || op->op == XG_K_OP_BLOCK_ID || op->op == XG_K_OP_CONST;
    if (t->kind == XG_TK_TENSOR || xg_kelem_is_complex(t->elem) || (t->elem == XG_E_INDEX && !id))
        xg_fail(p->ctx, XLAGPU_ERROR_INTERNAL,
            "kernel '%.*s': %s still has a result of type %s; the passes before PTX must lower it", (int)p->f->name.n,
            p->f->name.p, xg_kop_name(op->op), t->kind == XG_TK_TENSOR ? "tensor" : xg_kelem_name(t->elem));
}
static void xg_ptx_number(xg_ptx *p, xg_kregion *r, size_t *n) {
    uint32_t i;
    if (++p->depth > XG_PTX_DEPTH_MAX)
        xg_fail(p->ctx, XLAGPU_ERROR_LIMIT, "control flow is nested deeper than %d", (int)XG_PTX_DEPTH_MAX);
    for (i = 0; i < r->n_args; i++) {
        r->args[i].scratch = NULL;
        if (r->owner) xg_ptx_check_type(p, r->owner, r->args[i].type);
    }
    XG_FOR_KOPS(op, r) {
        op->scratch = (void *)(++*n);
        for (i = 0; i < op->n_results; i++) xg_ptx_check_type(p, op, op->results[i].type);
        for (i = 0; i < op->n_results; i++) op->results[i].scratch = NULL;
        for (i = 0; i < op->n_regions; i++) xg_ptx_number(p, op->regions[i], n);
    }
    p->depth--;
}

/* Operations whose result may be nothing but another name for the operand's register. */
static bool xg_ptx_renames(const xg_kop *op) {
    switch (op->op) {
    case XG_K_OP_VEXTRACT:
    case XG_K_OP_VINSERT:
    case XG_K_OP_BITCAST:
    case XG_K_OP_TRUNCI:
    case XG_K_OP_EXTUI:
    case XG_K_OP_EXTSI:
    case XG_K_OP_INDEX_CAST:
    case XG_K_OP_PTR_ADD:
    case XG_K_OP_CONST:
    case XG_K_OP_SHARED_PTR:
    case XG_K_OP_WHILE:
    case XG_K_OP_CONDITION: return true;
    default: return false;
    }
}
/* The last position that reads v's register, SIZE_MAX if that is not plain. `except` does not count. */
static size_t xg_ptx_last_use(const xg_kval *v, const xg_kop *except, int depth) {
    const xg_kuse *u;
    size_t last = 0;
    for (u = v->first_use; u; u = u->next) {
        size_t at = xg_ptx_position(u->user);
        uint32_t i;
        if (u->user == except) continue;
        if (u->user->op == XG_K_OP_WHILE || u->user->op == XG_K_OP_CONDITION || u->user->op == XG_K_OP_YIELD ||
            depth == 0)
            return SIZE_MAX;
        if (xg_ptx_renames(u->user))
            for (i = 0; i < u->user->n_results; i++) {
                size_t more = xg_ptx_last_use(&u->user->results[i], NULL, depth - 1);
                at = XG_MAX(at, more);
            }
        last = XG_MAX(last, at);
    }
    return last;
}
static void xg_ptx_wish(xg_ptx *p, xg_kval *v, const xg_ptx_val *where) {
    xg_ptx_val *x = xg_ptx_val_new(p, v);
    uint32_t i;
    for (i = 0; i < x->n; i++) {
        x->lane[i] = where->lane[i];
        x->lane[i].zext = x->lane[i].sext = false;
    }
    x->wished = true;
}

/* ---- moves along an edge ---- */
typedef struct xg_ptx_moves {
    xg_ptx_lane *to, *from;
    uint32_t n, cap;
} xg_ptx_moves;
/* An address that a loop carries becomes itself and so many bytes. */
static bool xg_ptx_moves_on(const xg_ptx_lane *to, const xg_ptx_lane *from) {
    return from->kind == XG_PL_REG && from->bits && to->kind == XG_PL_REG && to->cls == from->cls &&
           to->num == from->num;
}
static void xg_ptx_moves_add(xg_ptx *p, xg_ptx_moves *m, const xg_ptx_val *to, const xg_ptx_val *from) {
    uint32_t i;
    for (i = 0; i < to->n; i++) {
        if (xg_ptx_lane_eq(&to->lane[i], &from->lane[i]) && from->lane[i].bits == 0) continue;
        if (xg_ptx_moves_on(&to->lane[i], &from->lane[i])) continue;
        if (m->n == m->cap) {
            uint32_t cap = m->cap;
            m->to = (xg_ptx_lane *)xg_vec_grow(p->arena, m->to, &m->cap, sizeof *m->to);
            m->from = (xg_ptx_lane *)xg_vec_grow(p->arena, m->from, &cap, sizeof *m->from);
        }
        m->to[m->n] = to->lane[i];
        m->from[m->n++] = from->lane[i].kind == XG_PL_REG ? xg_ptx_in_reg(p, &from->lane[i]) : from->lane[i];
    }
}
/* All at once: a move waits until nothing still reads its destination; what is left are cycles, broken by a temporary.
 * readers[cls][reg] counts pending reads, so the whole is linear in the moves (and registers are compared only along a
 * cycle). */
XG_APART static void xg_ptx_moves_run(xg_ptx *p, xg_ptx_moves *m) {
    uint32_t *readers = XG_NEW_N(p->arena, uint32_t, m->n + 1), *ready = XG_NEW_N(p->arena, uint32_t, m->n + 1);
    uint32_t i, n_ready = 0, left = m->n, scan = 0;
    bool *done = XG_NEW_N(p->arena, bool, m->n + 1);
    xg_map64 writer; /* destination register -> move + 1 */
#define XG_MOVE_KEY(l) ((uint64_t)(l).cls << 32 | (l).num | (uint64_t)1 << 62)
    xg_map64_init(&writer, p->arena);
    for (i = 0; i < m->n; i++) xg_map64_put(&writer, XG_MOVE_KEY(m->to[i]), (void *)(uintptr_t)(i + 1));
    for (i = 0; i < m->n; i++)
        if (m->from[i].kind == XG_PL_REG) {
            uintptr_t w = (uintptr_t)xg_map64_get(&writer, XG_MOVE_KEY(m->from[i]));
            if (w) readers[w - 1]++;
        }
    for (i = m->n; i-- > 0;)
        if (!readers[i]) ready[n_ready++] = i;
    while (left) {
        uintptr_t w;
        if (!n_ready) { /* a cycle: save one destination, whose reader then reads the copy */
            xg_ptx_lane t;
            while (done[scan]) scan++;
            t = xg_ptx_new_reg(p, (xg_ptx_class)m->to[scan].cls);
            xg_ptx_move(p, &t, &m->to[scan]);
            for (i = 0; i < m->n; i++)
                if (!done[i] && xg_ptx_lane_eq(&m->from[i], &m->to[scan])) m->from[i] = t;
            readers[scan] = 0;
            ready[n_ready++] = scan;
        }
        i = ready[--n_ready];
        xg_ptx_move(p, &m->to[i], &m->from[i]);
        done[i] = true;
        left--;
        w = m->from[i].kind == XG_PL_REG ? (uintptr_t)xg_map64_get(&writer, XG_MOVE_KEY(m->from[i])) : 0;
        if (w && !done[w - 1] && readers[w - 1] && --readers[w - 1] == 0) ready[n_ready++] = (uint32_t)w - 1;
    }
#undef XG_MOVE_KEY
}
static void xg_ptx_edge(xg_ptx *p, xg_kval *to, const xg_kop *from, uint32_t first, uint32_t n) {
    xg_ptx_moves m;
    uint32_t i;
    memset(&m, 0, sizeof m);
    for (i = 0; i < n; i++) xg_ptx_moves_add(p, &m, xg_ptx_of(&to[i]), xg_ptx_of(XG_KOPERAND(from, first + i)));
    if (m.n) xg_ptx_moves_run(p, &m);
    for (i = 0; i < n; i++) { /* behind all that may read what they were */
        const xg_ptx_lane *own = &xg_ptx_of(&to[i])->lane[0], *next = &xg_ptx_of(XG_KOPERAND(from, first + i))->lane[0];
        xg_ptx_lane bytes;
        if (!xg_ptx_moves_on(own, next)) continue;
        bytes = xg_ptx_imm(own->cls == XG_PC_RD ? XG_PC_RD : XG_PC_R, next->bits);
        xg_ptx_line(p, own->cls == XG_PC_RD ? "add.s64 $, $, $" : "add.s32 $, $, $", own, own, &bytes, NULL);
    }
}

static xg_ptx_lane xg_ptx_scalar(xg_ptx *p, const xg_kval *v) { return xg_ptx_in_reg(p, &xg_ptx_of(v)->lane[0]); }

/* May operation `op`, result k, be computed in the register of `old` (an argument of the loop around it)? */
static bool xg_ptx_may_overwrite(const xg_kval *old, const xg_kop *op, uint32_t k) {
    bool loop = op->op == XG_K_OP_FOR;
    size_t at = xg_ptx_position(op), last;
    if (loop) { /* reads its bounds all the time, its own k-th start value only once */
        const xg_kuse *u;
        for (u = old->first_use; u; u = u->next)
            if (u->user == op && XG_KUSE_INDEX(u) != 3 + k) return false;
        last = xg_ptx_last_use(old, op, 8);
        return last < at;
    }
    last = xg_ptx_last_use(old, NULL, 8);
    return last <= at;
}
static bool xg_ptx_yielded_before(const xg_kop *yield, uint32_t i) {
    uint32_t k;
    if (i > 64) return true;
    if (xg_kused_once(XG_KOPERAND(yield, i))) return false;
    for (k = 0; k < i; k++)
        if (XG_KOPERAND(yield, k) == XG_KOPERAND(yield, i)) return true;
    return false;
}
static void xg_ptx_print_for(xg_ptx *p, xg_kop *op) {
    xg_kregion *r = op->regions[0];
    xg_kop *yield = r->last;
    uint32_t n = op->n_results, i, start = p->labels++, end = 0;
    bool wide = r->args[0].type->elem == XG_E_I64;
    xg_ptx_lane cond, lo, hi, step, iv;
    int64_t a = 0, b = 0;
    bool once = xg_kval_is_const(XG_KOPERAND(op, 0), &a) && xg_kval_is_const(XG_KOPERAND(op, 1), &b);
    if (once) once = wide ? a < b : (int32_t)(uint32_t)(uint64_t)a < (int32_t)(uint32_t)(uint64_t)b;
    lo = xg_ptx_of(XG_KOPERAND(op, 0))->lane[0];
    hi = xg_ptx_of(XG_KOPERAND(op, 1))->lane[0];
    step = xg_ptx_of(XG_KOPERAND(op, 2))->lane[0];
    for (i = 0; i < n; i++) {
        xg_ptx_val *res = xg_ptx_define(p, &op->results[i]);
        xg_ptx_wish(p, &r->args[1 + i], res);
    }
    xg_ptx_edge(p, op->results, op, 3, n);
    iv = xg_ptx_new_reg(p, wide ? XG_PC_RD : XG_PC_R);
    xg_ptx_move(p, &iv, &lo);
    xg_ptx_define_as(p, &r->args[0], &iv, 1);
    if (!once) {
        end = p->labels++;
        cond = xg_ptx_new_reg(p, XG_PC_P);
        xg_ptx_line(p, wide ? "setp.ge.s64 $, $, $" : "setp.ge.s32 $, $, $", &cond, &iv, &hi, NULL);
        xg_ptx_branch(p, &cond, false, end);
    }
    for (i = 0; i < n; i++) {
        xg_kval *v = XG_KOPERAND(yield, i);
        if (v->def && v->def->parent == r && !xg_ptx_renames(v->def) && !xg_ptx_yielded_before(yield, i) &&
            xg_ptx_may_overwrite(&r->args[1 + i], v->def, v->index))
            xg_ptx_wish(p, v, xg_ptx_of(&op->results[i]));
    }
    xg_ptx_label(p, start);
    if (op->flags & KL_UNROLLED) xg_puts(&p->body, "\t.pragma \"nounroll\";\n");
    xg_ptx_print_region(p, r);
    xg_ptx_edge(p, op->results, yield, 0, n);
    xg_ptx_line(p, wide ? "add.s64 $, $, $" : "add.s32 $, $, $", &iv, &iv, &step, NULL);
    cond = xg_ptx_new_reg(p, XG_PC_P);
    xg_ptx_line(p, wide ? "setp.lt.s64 $, $, $" : "setp.lt.s32 $, $, $", &cond, &iv, &hi, NULL);
    xg_ptx_branch(p, &cond, false, start);
    if (!once) xg_ptx_label(p, end);
}

/* Whether a branch is so few plain operations (at most `most`; constants and names are none) that lines under a
 * predicate beat a jump. */
static bool xg_ptx_is_short(const xg_kregion *r, uint32_t most) {
    uint32_t n = 0;
    XG_FOR_KOPS(o, r) {
        if (o->n_regions || (xg_kop_flags(o->op) & KF_CONV) || o->op == XG_K_OP_DIVF || o->op == XG_K_OP_SQRT)
            return false;
        if (o->op != XG_K_OP_CONST && o->op != XG_K_OP_VEXTRACT && o->op != XG_K_OP_VINSERT && o->op != XG_K_OP_YIELD &&
            ++n > most)
            return false;
    }
    return true;
}
/* The short branch of an if whose other branch computes nothing; 2: it has none. */
static uint32_t xg_ptx_short_branch(const xg_kop *op) {
    uint32_t which = 0, most = op->n_results ? XG_PTX_PREDICATED_RESULT : XG_PTX_PREDICATED_MAX;
    while (which < 2 && !(xg_ptx_is_short(op->regions[which], most) && xg_ptx_is_short(op->regions[1 - which], 0)))
        which++;
    return which;
}
static void xg_ptx_if_branch(xg_ptx *p, xg_kop *op, uint32_t which) {
    xg_kregion *r = op->regions[which];
    xg_kop *yield = r->last;
    uint32_t i;
    for (i = 0; i < op->n_results; i++) {
        xg_kval *v = XG_KOPERAND(yield, i);
        if (v->def && v->def->parent == r && v->first_use == v->last_use && !xg_ptx_renames(v->def))
            xg_ptx_wish(p, v, xg_ptx_of(&op->results[i]));
    }
    xg_ptx_print_region(p, r);
    xg_ptx_edge(p, op->results, yield, 0, op->n_results);
}
static void xg_ptx_print_if(xg_ptx *p, xg_kop *op) {
    xg_ptx_lane cond = xg_ptx_scalar(p, XG_KOPERAND(op, 0));
    bool has_else = op->n_results || op->regions[1]->first != op->regions[1]->last;
    uint32_t other, end, i, few = p->guard.num ? 2 : xg_ptx_short_branch(op);
    /* a loop's predicate, which becomes its next value */
    for (i = 0; i < op->n_results; i++)
        if (xg_ptx_lane_eq(&xg_ptx_define(p, &op->results[i])->lane[0], &cond)) few = 2;
    if (few < 2) { /* the results are what the empty branch gives, until the lines of the other one run */
        xg_ptx_if_branch(p, op, 1 - few);
        p->guard = cond;
        p->guard_not = few == 1;
        xg_ptx_if_branch(p, op, few);
        p->guard.num = 0;
        return;
    }
    end = p->labels++;
    other = has_else ? p->labels++ : end;
    xg_ptx_branch(p, &cond, true, other);
    xg_ptx_if_branch(p, op, 0);
    if (has_else) {
        xg_ptx_branch(p, NULL, false, end);
        xg_ptx_label(p, other);
        xg_ptx_if_branch(p, op, 1);
    }
    xg_ptx_label(p, end);
}
static void xg_ptx_print_while(xg_ptx *p, xg_kop *op) {
    xg_kregion *before = op->regions[0], *after = op->regions[1];
    xg_kop *condition = before->last;
    uint32_t head = p->labels++, end = p->labels++, i;
    xg_ptx_lane cond;
    for (i = 0; i < before->n_args; i++) xg_ptx_define(p, &before->args[i]);
    xg_ptx_edge(p, before->args, op, 0, before->n_args);
    for (i = 0; i < op->n_results; i++) { /* an argument passed on is the result; what is made here is made in it */
        xg_kval *v = XG_KOPERAND(condition, 1 + i);
        const xg_ptx_val *x;
        if (!v->def && v->region == before)
            xg_ptx_define_as(p, &op->results[i], xg_ptx_of(v)->lane, xg_ptx_of(v)->n);
        else if (x = xg_ptx_define(p, &op->results[i]),
            v->def && v->def->parent == before && xg_kused_once(v) && !xg_ptx_renames(v->def))
            xg_ptx_wish(p, v, x);
    }
    xg_ptx_label(p, head);
    if (op->a) xg_puts(&p->body, "\t.pragma \"nounroll\";\n");
    xg_ptx_print_region(p, before);
    cond = xg_ptx_scalar(p, XG_KOPERAND(condition, 0));
    xg_ptx_edge(p, op->results, condition, 1, op->n_results); /* the results hold what was passed on last */
    xg_ptx_branch(p, &cond, true, end);
    for (i = 0; i < after->n_args; i++)
        xg_ptx_define_as(p, &after->args[i], xg_ptx_of(&op->results[i])->lane, xg_ptx_of(&op->results[i])->n);
    xg_ptx_print_region(p, after);
    xg_ptx_edge(p, before->args, after->last, 0, before->n_args);
    /* the assembler copies what stands in front of a loop's test; one that seldom goes on is tested at its end */
    if (!op->a) xg_ptx_branch(p, NULL, false, head);
    xg_ptx_label(p, end);
    if (op->a) xg_ptx_branch(p, &cond, false, head);
}

/* ---- the operations without a row of their own ---- */
/* A 16-bit or predicate constant needs a register where an instruction takes none as immediate. */
static bool xg_ptx_needs_reg(const xg_kval *v) {
    const xg_kuse *u;
    if (v->type->kind == XG_TK_VECTOR) return false;
    if (xg_ptx_class_of(v->type) != XG_PC_RS) return xg_ptx_class_of(v->type) == XG_PC_P;
    for (u = v->first_use; u; u = u->next)
        if (u->user->op != XG_K_OP_SELECT && u->user->op != XG_K_OP_YIELD && u->user->op != XG_K_OP_FOR) return true;
    return false;
}
static void xg_ptx_print_const(xg_ptx *p, xg_kop *op) {
    xg_kval *v = &op->results[0];
    uint32_t n = xg_ptx_lanes_of(v->type), i;
    xg_ptx_lane one, *lanes = n > 1 ? XG_NEW_N(p->arena, xg_ptx_lane, n) : &one;
    int bits = xg_ptx_elem_bits(v->type);
    uint64_t value = (uint64_t)op->a;
    if (bits == 8) value &= 0xFF;
    if (bits == 16) value &= 0xFFFF;
    lanes[0] = xg_ptx_imm(xg_ptx_class_of(v->type), (int64_t)value);
    lanes[0].zext = true;
    if (xg_ptx_needs_reg(v)) lanes[0] = xg_ptx_in_reg(p, &lanes[0]);
    for (i = 1; i < n; i++) lanes[i] = lanes[0];
    xg_ptx_define_as(p, v, lanes, n);
}
static uint32_t xg_ptx_lane_number(xg_ptx *p, const xg_kval *index, uint32_t n) {
    int64_t k = 0;
    if (!xg_kval_is_const(index, &k) || k < 0 || k >= (int64_t)n)
        xg_fail(p->ctx, XLAGPU_ERROR_INTERNAL, "a vector is indexed by something else than a constant in range");
    return (uint32_t)k;
}
static void xg_ptx_print_vextract(xg_ptx *p, xg_kop *op) {
    const xg_ptx_val *x = xg_ptx_of(XG_KOPERAND(op, 0));
    xg_ptx_define_as(p, &op->results[0], &x->lane[xg_ptx_lane_number(p, XG_KOPERAND(op, 1), x->n)], 1);
}
static void xg_ptx_print_vinsert(xg_ptx *p, xg_kop *op) {
    const xg_ptx_val *x = xg_ptx_of(XG_KOPERAND(op, 1));
    xg_ptx_lane *lanes = XG_NEW_N(p->arena, xg_ptx_lane, x->n);
    uint32_t k = xg_ptx_lane_number(p, XG_KOPERAND(op, 2), x->n);
    memcpy(lanes, x->lane, x->n * sizeof *lanes);
    lanes[k] = xg_ptx_of(XG_KOPERAND(op, 0))->lane[0];
    xg_ptx_define_as(p, &op->results[0], lanes, x->n);
}
/* Extensions of what is extended already, and truncations between small integers, are names. */
static bool xg_ptx_is_renaming_cast(const xg_kop *op) {
    const xg_ktype *from = XG_KOPERAND(op, 0)->type, *to = op->results[0].type;
    const xg_ptx_lane *l = &xg_ptx_of(XG_KOPERAND(op, 0))->lane[0];
    if (to->kind != XG_TK_SCALAR || xg_ptx_class_of(from) != XG_PC_R || xg_ptx_class_of(to) != XG_PC_R) return false;
    return op->op == XG_K_OP_TRUNCI || op->op == XG_K_OP_INDEX_CAST ||
           (op->op == XG_K_OP_EXTUI && l->zext && from->elem != XG_E_I32) || (op->op == XG_K_OP_EXTSI && l->sext);
}
static void xg_ptx_print_renaming(xg_ptx *p, xg_kop *op) {
    xg_ptx_lane l = xg_ptx_of(XG_KOPERAND(op, 0))->lane[0];
    if (op->op == XG_K_OP_TRUNCI) {
        l.zext = l.sext = false;
        if (l.kind == XG_PL_IMM) {
            l.bits &= op->results[0].type->elem == XG_E_I8 ? 0xFF : 0xFFFF;
            l.zext = true;
        }
    }
    xg_ptx_define_as(p, &op->results[0], &l, 1);
}

/* ---- clusters ---- */
static void xg_ptx_need_clusters(xg_ptx *p) {
    if (!xg_target_has(p->target, XG_TARGET_CLUSTERS))
        xg_fail(p->ctx, XLAGPU_ERROR_UNSUPPORTED, "kernel '%.*s' is for clusters of blocks, which %s does not have",
            (int)p->f->name.n, p->f->name.p, p->target->name);
}
static void xg_ptx_print_mapa(xg_ptx *p, xg_kop *op) {
    xg_ptx_lane at = xg_ptx_in_reg(p, &xg_ptx_of(XG_KOPERAND(op, 0))->lane[0]);
    xg_ptx_need_clusters(p);
    xg_ptx_line(p, "mapa.shared::cluster.u32 $, $, $", &xg_ptx_define(p, &op->results[0])->lane[0], &at,
        &xg_ptx_of(XG_KOPERAND(op, 1))->lane[0], NULL);
}
static void xg_ptx_print_cluster_barrier(xg_ptx *p, bool relaxed) {
    enum {
        ISA = 80 /* of .relaxed; where the target's kernels may have an older one, they wait until more is seen */
    };
    relaxed = relaxed && p->target->isa >= ISA;
    if (relaxed) xg_ptx_need_isa(p, ISA);
    xg_ptx_need_clusters(p);
    xg_ptx_line(p, relaxed ? "barrier.cluster.arrive.relaxed.aligned" : "barrier.cluster.arrive.aligned", NULL, NULL,
        NULL, NULL);
    xg_ptx_line(p, "barrier.cluster.wait.aligned", NULL, NULL, NULL, NULL);
}

/* Only 16 bytes may pass by the first cache, which has no use for what lies in shared memory. */
static void xg_ptx_print_async_copy(xg_ptx *p, xg_kop *op) {
    char *at = xg_ptx_line_begin(p);
    at = xg_ptx_pen_text(at, op->a == 16 ? "cp.async.cg.shared.global " : "cp.async.ca.shared.global ");
    at = xg_ptx_pen_address(p, at, &xg_ptx_of(XG_KOPERAND(op, 0))->lane[0]);
    at = xg_ptx_pen_address(p, xg_ptx_pen_text(at, ", "), &xg_ptx_of(XG_KOPERAND(op, 1))->lane[0]);
    at = xg_ptx_pen_digits(xg_ptx_pen_text(at, ", "), (uint32_t)op->a);
    if (op->n_operands > 2) at = xg_ptx_pen_lane(p, xg_ptx_pen_text(at, ", "), &xg_ptx_of(XG_KOPERAND(op, 2))->lane[0]);
    xg_ptx_line_end(p, at);
    xg_ptx_need_isa(p, 70);
}
static void xg_ptx_print_op(xg_ptx *p, xg_kop *op) {
    const xg_ptx_row *row;
    switch (op->op) {
    case XG_K_OP_FOR: xg_ptx_print_for(p, op); return;
    case XG_K_OP_IF: xg_ptx_print_if(p, op); return;
    case XG_K_OP_WHILE: xg_ptx_print_while(p, op); return;
    case XG_K_OP_YIELD:
    case XG_K_OP_RETURN:
    case XG_K_OP_CONDITION: return;
    case XG_K_OP_CONST: xg_ptx_print_const(p, op); return;
    case XG_K_OP_LOAD: xg_ptx_print_load(p, op); return;
    case XG_K_OP_STORE: xg_ptx_print_store(p, op); return;
    case XG_K_OP_ASYNC_COPY: xg_ptx_print_async_copy(p, op); return;
    case XG_K_OP_LDMATRIX: xg_ptx_print_ldmatrix(p, op); return;
    case XG_K_OP_MMA: xg_ptx_print_mma(p, op); return;
    case XG_K_OP_DESCRIPTOR: xg_ptx_print_descriptor(p, op); return;
    case XG_K_OP_WGMMA: xg_ptx_print_wgmma(p, op); return;
    case XG_K_OP_TENSOR_ALLOC: xg_ptx_print_tensor_alloc(p, op); return;
    case XG_K_OP_TENSOR_FREE: xg_ptx_print_tensor_free(p, op); return;
    case XG_K_OP_TENSOR_MMA: xg_ptx_print_tensor_mma(p, op); return;
    case XG_K_OP_TENSOR_COMMIT: xg_ptx_print_tensor_commit(p, op); return;
    case XG_K_OP_TENSOR_READ: xg_ptx_print_tensor_read(p, op); return;
    case XG_K_OP_TENSOR_WRITE: xg_ptx_print_tensor_write(p, op); return;
    case XG_K_OP_MBARRIER_INIT:
    case XG_K_OP_MBARRIER_EXPECT:
    case XG_K_OP_MBARRIER_ARRIVE: xg_ptx_print_mbarrier(p, op); return;
    case XG_K_OP_MBARRIER_WAIT: xg_ptx_print_mbarrier_wait(p, op); return;
    case XG_K_OP_TENSOR_COPY: xg_ptx_print_tensor_copy(p, op); return;
    case XG_K_OP_TENSOR_STORE: xg_ptx_print_tensor_store(p, op); return;
    case XG_K_OP_STMATRIX: xg_ptx_print_stmatrix(p, op); return;
    case XG_K_OP_PTR_ADD: xg_ptx_print_ptr_add(p, op); return;
    case XG_K_OP_SHARED_PTR: xg_ptx_print_shared(p, op); return;
    case XG_K_OP_MAPA: xg_ptx_print_mapa(p, op); return;
    case XG_K_OP_BARRIER:
        if (op->a == XG_KTEAM_CLUSTER) {
            xg_ptx_print_cluster_barrier(p, op->b == XG_KTEAM_RELAXED);
            return;
        }
        break;
    case XG_K_OP_VEXTRACT: xg_ptx_print_vextract(p, op); return;
    case XG_K_OP_VINSERT: xg_ptx_print_vinsert(p, op); return;
    case XG_K_OP_BITCAST: xg_ptx_print_bitcast(p, op); return;
    case XG_K_OP_TRUNCI:
    case XG_K_OP_EXTUI:
    case XG_K_OP_EXTSI:
    case XG_K_OP_INDEX_CAST:
        if (xg_ptx_is_renaming_cast(op) || xg_ptx_is_signed_index(op->results)) {
            xg_ptx_print_renaming(p, op);
            return;
        }
        break;
    default: break;
    }
    row = xg_ptx_find_row_of(&p->index, p->target, op->op, op->n_operands ? XG_KOPERAND(op, 0)->type : NULL,
        op->n_results ? op->results[0].type : NULL, xg_ptx_is_reciprocal(op));
    if (!row) {
        xg_fail(p->ctx, XLAGPU_ERROR_UNSUPPORTED,
            "%s has no PTX for operation %s on %s in kernel '%.*s'; it must be lowered before", p->target->name,
            xg_kop_name(op->op),
            xg_kelem_name(op->n_operands  ? XG_KOPERAND(op, 0)->type->elem
                          : op->n_results ? op->results[0].type->elem
                                          : XG_E_I1),
            (int)p->f->name.n, p->f->name.p);
    }
    xg_ptx_expand(p, op, row);
    if ((op->op == XG_K_OP_EXTUI) && xg_ptx_class_of(op->results[0].type) == XG_PC_R)
        xg_ptx_of(&op->results[0])->lane[0].zext = true;
}

/* Parameters are loaded at the head of the innermost branch that holds all their uses, outside of all loops. */
static xg_kregion *xg_ptx_common(xg_kregion *a, xg_kregion *b) {
    while (!xg_kregion_inside(b, a)) a = a->owner->parent;
    return a;
}
static xg_kregion *xg_ptx_param_home(const xg_kval *v) {
    xg_kregion *home = v->first_use->user->parent, *r;
    const xg_kuse *u;
    for (u = v->first_use; u; u = u->next) home = xg_ptx_common(home, u->user->parent);
    for (r = home; r->owner; r = r->owner->parent)
        if (r->owner->op != XG_K_OP_IF || xg_ptx_short_branch(r->owner) < 2) home = r->owner->parent;
    return home;
}
static void xg_ptx_load_params(xg_ptx *p, const xg_kregion *r) {
    uint32_t i;
    char *at;
    for (i = 0; i < p->f->body->n_args; i++) {
        if (p->homes[i] != r) continue;
        at = xg_ptx_pen_text(xg_ptx_line_begin(p), "ld.param.b64 ");
        at = xg_ptx_pen_text(xg_ptx_pen_lane(p, at, &xg_ptx_define(p, &p->f->body->args[i])->lane[0]), ", [");
        at = xg_ptx_pen_text(xg_ptx_pen_symbol(p, at, p->f->name), "_param_");
        at = xg_ptx_pen_digits(at, i);
        *at++ = ']';
        xg_ptx_line_end(p, at);
        p->params_left--;
    }
}
static void xg_ptx_place_params(xg_ptx *p, xg_kfunc *f) {
    uint32_t i;
    p->homes = XG_NEW_N(p->arena, const xg_kregion *, f->body->n_args + 1);
    p->params_left = 0;
    for (i = 0; i < f->body->n_args; i++) {
        const xg_kval *v = &f->body->args[i];
        if (v->type->kind != XG_TK_POINTER)
            xg_fail(p->ctx, XLAGPU_ERROR_INTERNAL, "parameter %u of kernel '%.*s' is not a pointer", i, (int)f->name.n,
                f->name.p);
        if (!v->first_use) continue;
        p->homes[i] = xg_ptx_param_home(v);
        p->params_left++;
    }
}

static void xg_ptx_put_place(xg_ptx *p, uint32_t loc) {
    xg_ptx_place place;
    if (!p->keeps_places) return;
    place.at = p->body.n;
    place.loc = loc;
    xg_push(p->arena, xg_ptx_place, &p->places, place);
}
/* The stage "ptx_lines/K": for each line behind the declarations of kernel K, xg_kop.loc of what it comes from. */
static void xg_ptx_dump_places(const xg_ptx *p, xg_backend_dump dump, void *user) {
    char stage[256];
    xg_buf text;
    size_t k;
    uint32_t next = 0, loc = 0;
    xg_buf_init(&text, p->arena);
    for (k = 0; k < p->body.n; k++) {
        for (; next < p->places.n && p->places.p[next].at <= k; next++) loc = p->places.p[next].loc;
        if (p->body.p[k] == '\n') xg_printf(&text, "%u\n", loc);
    }
    xg_format(stage, sizeof stage, "ptx_lines/%s", p->f->name.p);
    dump(user, stage, xg_str_of(text.p, text.n));
}
static void xg_ptx_print_region(xg_ptx *p, xg_kregion *r) {
    if (p->params_left) xg_ptx_load_params(p, r);
    XG_FOR_KOPS(op, r) {
        xg_ptx_put_place(p, op->loc);
        xg_ptx_print_op(p, op);
    }
    xg_ptx_put_place(p, r->owner ? r->owner->loc : 0); /* the branch behind a region is its operation's */
}

/* ---- the entry ---- */
static int64_t xg_ptx_param_align(const xg_kfunc *f, uint32_t i) {
    int64_t align = f->args ? f->args[i].align : 0, pow2 = 1;
    while (pow2 * 2 <= align && pow2 < 256) pow2 *= 2;
    return pow2;
}
/* A name PTX accepts and this module does not have yet; the function carries it from now on. */
static void xg_ptx_name(xg_ptx *p, xg_kfunc *f) {
    xg_buf b;
    uint32_t i;
    size_t n;
    xg_buf_init(&b, p->arena);
    if (!f->name.n || (f->name.p[0] >= '0' && f->name.p[0] <= '9')) xg_puts(&b, "k_");
    for (i = 0; i < f->name.n; i++) {
        char c = f->name.p[i];
        xg_putc(&b, (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ? c : '_');
    }
    n = b.n;
    for (i = 1; !xg_dict_put(&p->names, xg_str_of(b.p, b.n), p); i++) {
        b.n = n;
        xg_printf(&b, "_%u", i);
    }
    f->name = xg_str_copy(p->m->arena, xg_str_of(b.p, b.n));
}
/* Sums the shared arrays; over the static limit they become slices of one dynamic array, whose size the launch must
 * give. */
static void xg_ptx_measure_shared(xg_ptx *p) {
    xg_kops ops;
    xg_dict seen;
    uint32_t k;
    memset(&ops, 0, sizeof ops);
    xg_dict_init(&seen, p->arena);
    xg_kops_collect_of(p->arena, &ops, p->f->body, XG_K_OP_SHARED_PTR, XG_K_OP_SHARED_PTR);
    for (k = 0; k < ops.n; k++) {
        const xg_kop *op = ops.p[k];
        xg_str name = op->p ? *(const xg_str *)op->p : XG_STR("shared");
        int64_t align = op->b > 0 ? op->b : 16, at = (p->static_shared + align - 1) / align * align;
        p->shared_align = XG_MAX(p->shared_align, align);
        if (xg_dict_put(&seen, name, p) && !xg_add64(at, op->a, &p->static_shared))
            xg_fail(p->ctx, XLAGPU_ERROR_LIMIT, "the shared memory of kernel '%.*s' does not fit in 64 bits",
                (int)p->f->name.n, p->f->name.p);
    }
}
static void xg_ptx_comment(xg_buf *b, xg_str text) {
    uint32_t i;
    if (!text.n) return;
    xg_puts(b, "// ");
    for (i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (c == '\n') {
            if (i + 1 < text.n) xg_puts(b, "\n// ");
        } else
            xg_putc(b, (unsigned char)c < 32 ? ' ' : c);
    }
    xg_putc(b, '\n');
}
static void xg_ptx_put_param(xg_buf *b, const xg_kfunc *f, uint32_t i) {
    xg_put_str(b, f->name);
    xg_puts(b, "_param_");
    xg_put_u64(b, i);
}
static void xg_ptx_entry(xg_ptx *p, const xg_kfunc *f) {
    xg_buf *b = &p->head;
    uint32_t i;
    xg_putc(b, '\n');
    if (p->dynamic)
        xg_printf(b, ".extern .shared .align %lld .b8 %.*s_dynamic[];\n", (long long)p->shared_align, (int)f->name.n,
            f->name.p);
    xg_ptx_comment(b, p->m->comment);
    xg_puts(b, ".visible .entry ");
    xg_put_str(b, f->name);
    xg_putc(b, '(');
    for (i = 0; i < f->body->n_args; i++) {
        xg_puts(b, i ? ",\n\t.param .u64 .ptr .global .align " : "\n\t.param .u64 .ptr .global .align ");
        xg_put_i64(b, xg_ptx_param_align(f, i));
        xg_putc(b, ' ');
        xg_ptx_put_param(b, f, i);
    }
    xg_ptx_put_maps(b, f, !f->body->n_args);
    xg_puts(b, f->body->n_args || f->n_maps ? "\n)\n" : ")\n");
    if (f->threads[0] && f->resident) xg_printf(b, ".minnctapersm %u\n", f->resident);
    if (f->threads[0])
        xg_printf(b, ".reqntid %u, %u, %u\n", f->threads[0], XG_MAX(f->threads[1], 1u), XG_MAX(f->threads[2], 1u));
    if (f->cluster) xg_printf(b, ".explicitcluster\n.reqnctapercluster %u, 1, 1\n", f->cluster);
    xg_puts(b, "{\n");
    for (i = 0; i < XG_PC_COUNT; i++)
        if (p->regs[i]) xg_printf(b, "\t.reg .%s %s<%u>;\n", xg_ptx_class_types[i], xg_ptx_prefixes[i], p->regs[i] + 1);
}
/* The kernel's piece of the text. */
static void xg_ptx_assemble(xg_ptx *p, const xg_kfunc *f) {
    size_t bytes;
    char *piece;
    xg_ptx_entry(p, f);
    xg_puts(&p->body, "\tret;\n}\n");
    p->instructions++;
    bytes = xg_add(p->ctx, xg_add(p->ctx, p->head.n, p->shared.n), p->body.n);
    if (bytes > UINT32_MAX)
        xg_fail(p->ctx, XLAGPU_ERROR_LIMIT, "kernel '%.*s' has more than 4 GiB of text", (int)f->name.n, f->name.p);
    piece = (char *)xg_alloc_raw(p->all, bytes);
    memcpy(piece, p->head.p, p->head.n);
    if (p->shared.n) memcpy(piece + p->head.n, p->shared.p, p->shared.n);
    memcpy(piece + p->head.n + p->shared.n, p->body.p, p->body.n);
    xg_texts_add(&p->text, p->all, xg_str_of(piece, bytes));
}

XG_FN xg_ptx *xg_ptx_begin(xg_ctx *c, xg_arena *a, const xg_target *t, const xg_device *d) {
    xg_ptx *p = XG_NEW(a, xg_ptx);
    p->ctx = c;
    p->arena = p->all = a;
    p->target = t;
    p->device = d;
    if (!d) {
        xg_device *usual = XG_NEW(a, xg_device);
        (void)xg_device_of_cc(t->cc, usual); /* every target has one */
        p->device = usual;
    }
    p->isa = 0;
    /* the head says which instruction set the kernels ask for: it is written in the end */
    xg_texts_add(&p->text, a, XG_STR(""));
    xg_buf_init(&p->body, a);
    xg_buf_init(&p->head, a);
    xg_dict_init(&p->names, a);
    xg_ptx_index_make(&p->index);
    return p;
}
/* From PTX 8.1 on a kernel may have more bytes of parameters. */
static void xg_ptx_check_params(xg_ptx *p, const xg_kfunc *f) {
    enum {
        POINTER_BYTES = 8,
        ISA_OF_MORE = 81
    };
    uint32_t bytes = f->body->n_args * POINTER_BYTES + f->n_maps * XG_KMAP_BYTES + f->n_maps * XG_PTX_MAP_ALIGN;
    if (bytes > XG_PTX_PARAM_BYTES_MAX)
        xg_fail(p->ctx, XLAGPU_ERROR_UNSUPPORTED, "kernel '%.*s' has %u bytes of parameters; %d are the most",
            (int)f->name.n, f->name.p, bytes, (int)XG_PTX_PARAM_BYTES_MAX);
    if (bytes > XG_PTX_PARAM_BYTES_OLD) xg_ptx_need_isa(p, ISA_OF_MORE);
}
XG_FN void xg_ptx_prepare(xg_ptx *p, xg_kmodule *m) {
    xg_kfunc *f = m->entry ? m->entry : m->first;
    if (!f) xg_fail(p->ctx, XLAGPU_ERROR_INTERNAL, "a kernel module without an entry function");
    m->target = p->target;
    p->arena = m->arena;
    xg_ptx_legalize(m);
    p->m = m;
    p->f = f;
    p->body.n = p->head.n = 0; /* their memory is kept */
    memset(&p->places, 0, sizeof p->places);
    xg_buf_init(&p->shared, p->arena);
    xg_ptx_no_regs(p);
    memset(&p->guard, 0, sizeof p->guard);
    p->labels = p->depth = 0;
    p->static_shared = p->dynamic_at = 0;
    p->shared_align = 16;
    xg_dict_init(&p->arrays, p->arena);
    xg_ptx_name(p, f);
    xg_ptx_check_params(p, f);
    xg_ptx_measure_shared(p);
    p->dynamic = p->static_shared > p->device->shared_static;
    if (p->static_shared > p->device->shared_per_block)
        xg_fail(p->ctx, XLAGPU_ERROR_UNSUPPORTED,
            "kernel '%.*s' needs %lld bytes of shared memory, %s has %lld a block", (int)f->name.n, f->name.p,
            (long long)p->static_shared, p->target->name, (long long)p->device->shared_per_block);
    p->static_shared = xg_shared_whole(p->static_shared);
    m->shared_bytes = p->dynamic ? (uint32_t)p->static_shared : 0;
}
XG_FN void xg_ptx_find_resident(xg_ptx *p) {
    size_t n = 0;
    xg_ptx_number(p, p->f->body, &n);
    if (!p->f->resident) p->f->resident = xg_ptx_resident(p, p->f, n);
}
XG_FN void xg_ptx_print_prepared(xg_ptx *p) {
    xg_ptx_find_resident(p);
    xg_ptx_place_params(p, p->f);
    xg_ptx_print_region(p, p->f->body);
    xg_ptx_assemble(p, p->f);
}
XG_FN void xg_ptx_kernel(xg_ptx *p, xg_kmodule *m) {
    xg_ptx_prepare(p, m);
    xg_ptx_print_prepared(p);
}
XG_FN void xg_ptx_add(xg_ptx *p, xg_str entry, uint32_t isa, uint32_t instructions) {
    xg_texts_add(&p->text, p->all, entry);
    p->instructions += instructions;
    xg_ptx_need_isa(p, isa);
}
/* Code that needs nothing of the letter's is made for the target without it, so that it loads on later devices. */
XG_FN uint32_t xg_ptx_finish(xg_ptx *p, xg_texts *out) {
    const xg_target *t = p->letter ? p->target : xg_target_base(p->target);
    xg_buf head;
    xg_ptx_need_isa(p, t->isa);
    xg_buf_init(&head, p->all);
    xg_printf(&head, ".version %u.%u\n.target %s\n.address_size 64\n", p->isa / 10, p->isa % 10, t->name);
    p->text.bytes += head.n - p->text.p[0].n;
    p->text.p[0] = xg_str_of(head.p, head.n);
    *out = p->text;
    return p->instructions;
}

/* ---- as a backend ---- */
static void *xg_ptx_backend_begin(xg_ctx *c, xg_arena *a, const xg_target *t, const xg_device *d) {
    return xg_ptx_begin(c, a, t, d);
}
static void xg_ptx_backend_kernel(void *state, xg_kmodule *m, xg_backend_dump dump, void *user) {
    xg_ptx *p = (xg_ptx *)state;
    p->keeps_places = dump != NULL;
    xg_ptx_kernel(p, m);
    if (dump) xg_ptx_dump_places(p, dump, user);
}
static uint32_t xg_ptx_backend_finish(void *p, xg_texts *out) { return xg_ptx_finish((xg_ptx *)p, out); }
static const xg_backend xg_ptx_backend_row = {
    "ptx", xg_ptx_backend_begin, xg_ptx_backend_kernel, xg_ptx_backend_finish, false};
XG_FN const xg_backend *xg_ptx_backend(void) { return &xg_ptx_backend_row; }

#endif /* XG_PTX_KERNEL_C */
