/* sched/lower.c -- from a flat loop nest to a kernel.
 *
 * The nest is walked once, and code is made on the way. A variable is a number while its loop is written out, and a
 * value of the kernel otherwise; an expression of both is an indexing map of the values. A thread's own arrays are
 * registers: an element is a value, so every index of one must be a number when it is met, and loops that such an index
 * uses are written out. Arrays of parameters and shared memory are tensors of one dimension; what a loop or condition
 * changes of all that it carries (elem/flow.c).
 *
 * A product that is summed up is a fused multiply-add, as in every contraction (elem/contract.c says why that is
 * allowed). */
#ifndef XG_SCHED_LOWER_C
#define XG_SCHED_LOWER_C
#include "sched.h"
#include "run.c"
#include "flat.c"

enum {
    XG_NLOWER_REGS = 1024,
    XG_NLOWER_LANES = 16,
    XG_NLOWER_BYTES = 16
};
typedef struct xg_nhome {
    const xg_nbuf *buf;
    const xg_nstmt *home;  /* the loop in which all of its uses are */
    struct xg_nhome *pool; /* whose tensor holds it: its own, or that of arrays that were merged */
    xg_kval *tensor;       /* not of registers; of a pool: of the first one */
    xg_elem *regs;         /* by element; v NULL: nothing was written */
    int64_t strides[XG_RANK_MAX], size;
} xg_nhome;
typedef struct xg_nlower {
    xg_loopnest *n;
    xg_nhome *mem;     /* by buffer */
    const xg_aff **to; /* by variable: its number, or which of the values it is */
    XG_VEC(xg_kval *) values;
    XG_VEC(xg_range) ranges; /* of them */
    xg_scope s;
    xg_kval *axis[XG_NK_COUNT];
    int64_t extent[XG_NK_COUNT];
    xg_fusion_emission e;
} xg_nlower;

XG_NORETURN XG_FN void xg_nlower_fail(const xg_nlower *l, const char *what, xg_str name) {
    xg_fail(l->n->ctx, XLAGPU_ERROR_UNSUPPORTED, "loop nest '%.*s': %s '%.*s'", (int)l->n->name.n, l->n->name.p, what,
        (int)name.n, name.p);
}

/* ---- indices ---- */

XG_FN const xg_aff *xg_nlower_aff(xg_nlower *l, const xg_aff *e) {
    xg_aff_env env = xg_aff_env_of(l->n->aff, l->ranges.p, l->ranges.n, NULL, 0);
    xg_aff_rewrite w = xg_aff_rewrite_begin(&env, l->to, l->n->vars.n, NULL, 0);
    e = xg_aff_rewrite_one(&w, e);
    if (!e)
        xg_fail(l->n->ctx, XLAGPU_ERROR_LIMIT, "an index of the loop nest '%.*s' has grown too large",
            (int)l->n->name.n, l->n->name.p);
    return e;
}
/* An expression of the kernel's values as a value. */
XG_FN xg_kval *xg_nlower_value(xg_nlower *l, const xg_aff *e) {
    xg_imap *m;
    const xg_imap *least;
    uint32_t *kept, k;
    xg_kval **dims;
    if (e->kind == XG_AFF_CONST) return xg_kconst_int(&l->s.b, XG_E_INDEX, e->k);
    if (e->kind == XG_AFF_DIM) return l->values.p[e->n];
    m = xg_imap_of_dims(l->n->aff, l->values.n, 1);
    for (k = 0; k < l->values.n; k++) m->dims[k].range = l->ranges.p[k];
    m->results[0] = e;
    kept = XG_NEW_N(l->e.arena, uint32_t, l->values.n + 1);
    least = xg_imap_drop_unused_dims(l->n->aff, xg_imap_simplify(l->n->aff, m), kept);
    dims = XG_NEW_N(l->e.arena, xg_kval *, least->n_dims + 1);
    for (k = 0; k < least->n_dims; k++) dims[k] = l->values.p[kept[k]];
    return xg_kapply(&l->s.b, least, dims)->results;
}
XG_FN void xg_nlower_bind(xg_nlower *l, uint32_t var, xg_kval *v) {
    l->to[var] = xg_aff_dim(l->n->aff, l->values.n);
    xg_push(l->e.arena, xg_kval *, &l->values, v);
    xg_push(l->e.arena, xg_range, &l->ranges, l->n->ranges.p[var]);
}
/* Whether all of them hold; NULL: always. *never: one of them does not. */
XG_FN xg_kval *xg_nlower_holds(xg_nlower *l, const xg_constraint *c, uint32_t n, bool *never) {
    xg_kval *p = NULL;
    uint32_t k;
    *never = false;
    for (k = 0; k < n; k++) {
        const xg_aff *e = xg_nlower_aff(l, c[k].expr);
        xg_aff_env env = xg_aff_env_of(l->n->aff, l->ranges.p, l->ranges.n, NULL, 0);
        xg_range r = xg_aff_range(&env, e);
        if (xg_range_within(r, c[k].range)) continue;
        if (r.hi < c[k].range.lo || r.lo > c[k].range.hi) {
            *never = true;
            return NULL;
        }
        p = xg_elem_and(&l->s, p, xg_elem_within(&l->s, xg_nlower_value(l, e), c[k].range, r));
    }
    return p;
}

/* ---- memory ---- */

XG_FN const xg_aff *xg_nlower_flat(xg_nlower *l, const xg_nhome *m, const xg_aff *const *at) {
    xg_aff_env env = xg_aff_env_of(l->n->aff, l->ranges.p, l->ranges.n, NULL, 0);
    const xg_aff *flat = xg_aff_const(l->n->aff, m->buf->placed ? m->buf->place : 0);
    uint32_t d;
    for (d = 0; d < m->buf->rank && flat; d++)
        flat = xg_aff_add_scaled(&env, flat, xg_nlower_aff(l, at[d]), m->strides[d]);
    if (!flat)
        xg_fail(l->n->ctx, XLAGPU_ERROR_LIMIT, "an index of the loop nest '%.*s' has grown too large",
            (int)l->n->name.n, l->n->name.p);
    return flat;
}
XG_ONE_COPY XG_FN xg_elem *xg_nlower_reg(xg_nlower *l, const xg_nhome *m, const xg_aff *flat) {
    if (flat->kind != XG_AFF_CONST || flat->k < 0 || flat->k >= m->size)
        xg_nlower_fail(l, "an index is no number where it has to be, that of the registers", m->buf->name);
    return &m->regs[flat->k];
}
XG_FN xg_elem xg_nlower_zero(xg_nlower *l, xlagpu_type t) {
    xg_elem e = {NULL, NULL};
    e.v = xg_kconst_bits(&l->s.b, xg_kir_scalar(l->e.m, xg_kelem_of(xg_type_real(t))), 0);
    if (xg_type_class(t) & XGT_C) e.im = e.v;
    return e;
}
XG_FN xg_elem xg_nlower_constant(xg_nlower *l, const xg_literal *c) {
    xg_comp *comp = xg_comp_new(l->n->module, XG_STR("constant"), NULL);
    xg_elem e = {NULL, NULL};
    comp->root = xg_inst_new(comp, XG_CONSTANT, c->shape, NULL, 0, NULL, XG_STR(""));
    comp->root->literal = c;
    xg_elem_call_comp(&l->s, comp, &e, &e, 1);
    return e;
}
XG_FN xg_elem xg_nlower_load(xg_nlower *l, const xg_nbuf *buf, const xg_aff *flat) {
    xg_nhome *m = &l->mem[buf->id];
    xg_kval *at;
    if (m->regs) {
        xg_elem *r = xg_nlower_reg(l, m, flat);
        return r->v ? *r : xg_nlower_zero(l, buf->type);
    }
    at = xg_nlower_value(l, flat);
    return xg_emit_split(&l->s.b, xg_kextract(&l->s.b, m->pool->tensor, &at, 1));
}
XG_FN void xg_nlower_store(xg_nlower *l, const xg_nbuf *buf, const xg_aff *flat, xg_elem v) {
    xg_nhome *m = &l->mem[buf->id];
    xg_kval *at, *joined;
    if (m->regs) {
        *xg_nlower_reg(l, m, flat) = v;
        return;
    }
    at = xg_nlower_value(l, flat);
    joined = xg_emit_join(&l->s.b, v);
    m->pool->tensor = xg_kinsert_at(&l->s.b, joined, m->pool->tensor, at);
}

/* Memory gets its initial value where the condition holds, so that it can be read afterwards. */
XG_FN void xg_nlower_begin(xg_nlower *l, xg_kval *cond, const xg_nbuf *buf, const xg_aff *flat, xg_elem init) {
    xg_flow f = xg_flow_begin(&l->s);
    xg_flow_slot(&f, &l->mem[buf->id].pool->tensor);
    xg_flow_if(&f, cond);
    xg_nlower_store(l, buf, flat, init);
    xg_flow_end(&f);
}

/* ---- blocks ---- */

XG_FN xg_elem xg_nlower_arg(xg_nlower *l, const xg_narg *a) {
    xg_elem e = {NULL, NULL};
    bool never;
    xg_kval *cond;
    xg_flow f;
    switch (a->kind) {
    case XG_NA_CONST: return xg_nlower_constant(l, a->value);
    case XG_NA_INDEX: {
        xg_kelem t = xg_kelem_of(a->type);
        e.v = xg_kcast(&l->s.b, XG_K_OP_INDEX_CAST, xg_nlower_value(l, xg_nlower_aff(l, a->at[0])),
            t == XG_E_I8 || t == XG_E_I16 ? XG_E_I32 : t);
        if (e.v->type->elem != t) e.v = xg_scalar_wrap(&l->s.b, xg_kcast(&l->s.b, XG_K_OP_TRUNCI, e.v, t), a->type);
        return e;
    }
    case XG_NA_HOLDS:
        cond = xg_nlower_holds(l, a->where, a->n_where, &never);
        e.v = never || !cond ? xg_kconst_int(&l->s.b, XG_E_I1, !never) : cond;
        return e;
    default:
        cond = xg_nlower_holds(l, a->where, a->n_where, &never);
        if (never) return xg_nlower_constant(l, a->value);
        if (!cond) return xg_nlower_load(l, a->buf, xg_nlower_flat(l, &l->mem[a->buf->id], a->at));
        e = xg_nlower_constant(l, a->value);
        f = xg_flow_begin(&l->s);
        xg_flow_elem(&f, &e);
        xg_flow_if(&f, cond);
        e = xg_nlower_load(l, a->buf, xg_nlower_flat(l, &l->mem[a->buf->id], a->at));
        xg_flow_end(&f);
        return e;
    }
}
/* What the lanes of each aligned group have, combined: butterflies, so that each lane gets the result. */
XG_FN void xg_nlower_lanes_combine(xg_nlower *l, const xg_nblock *b, xg_elem *values) {
    xg_elem *in = XG_NEW_N(l->e.arena, xg_elem, 2 * (size_t)b->n_outs);
    int64_t distance;
    uint32_t k;
    for (distance = b->lanes / 2; distance; distance /= 2) {
        xg_kval *by = xg_kconst_i32(&l->s.b, distance);
        for (k = 0; k < b->n_outs; k++) {
            in[k] = values[k];
            in[b->n_outs + k].v = xg_kshuffle(&l->s.b, XG_K_OP_SHFLBFLY, values[k].v, by);
        }
        xg_elem_call_comp(&l->s, b->combine, in, values, b->n_outs);
    }
}
/* A sum of products of real floats: the accumulator's new value. */
XG_FN bool xg_nlower_is_fma(const xg_nblock *b) {
    const xg_inst *r = b->body->root;
    xlagpu_type t = r->shape->type;
    return b->combine && xg_eval_single(b->combine) == XG_ADD && r->op == XG_MULTIPLY &&
           (t == XLAGPU_F32 || t == XLAGPU_F64);
}
XG_APART XG_FN void xg_nlower_body(xg_nlower *l, const xg_nblock *b) {
    xg_elem *args = XG_NEW_N(l->e.arena, xg_elem, b->n_args + 1),
            *outs = XG_NEW_N(l->e.arena, xg_elem, 3 * (size_t)b->n_outs);
    const xg_aff **at = XG_NEW_N(l->e.arena, const xg_aff *, b->n_outs);
    bool fma = !b->lanes && xg_nlower_is_fma(b), never;
    xg_kval *first;
    uint32_t k;
    if (b->across) xg_nlower_fail(l, "the step 'shuffles' has to say how threads combine in", b->name);
    for (k = 0; k < b->n_args; k++) args[k] = xg_nlower_arg(l, &b->args[k]);
    for (k = 0; k < b->n_outs; k++) at[k] = xg_nlower_flat(l, &l->mem[b->outs[k].buf->id], b->outs[k].at);
    if (fma) {
        xg_elem_call_inst(&l->s, b->body, XG_OPERAND(b->body->root, 0), args, &outs[0], 1);
        xg_elem_call_inst(&l->s, b->body, XG_OPERAND(b->body->root, 1), args, &outs[1], 1);
    } else
        xg_elem_call_comp(&l->s, b->body, args, b->combine ? outs + b->n_outs : outs, b->n_outs);
    if (b->lanes)
        xg_nlower_lanes_combine(l, b, outs + b->n_outs);
    else if (b->combine) {
        xg_elem *in = fma ? &outs[2] : outs;
        first = b->init ? xg_nlower_holds(l, b->begin, b->n_begin, &never) : NULL;
        if (!b->init) never = true;
        for (k = 0; k < b->n_outs; k++) {
            if (first && !l->mem[b->outs[k].buf->id].regs) {
                xg_nlower_begin(l, first, b->outs[k].buf, at[k], xg_nlower_constant(l, b->init[k]));
                in[k] = xg_nlower_load(l, b->outs[k].buf, at[k]);
                continue;
            }
            if (never || first) in[k] = xg_nlower_load(l, b->outs[k].buf, at[k]);
            if (!never) {
                xg_elem init = xg_nlower_constant(l, b->init[k]);
                in[k].v = first ? xg_kselect(&l->s.b, first, init.v, in[k].v) : init.v;
                if (init.im) in[k].im = first ? xg_kselect(&l->s.b, first, init.im, in[k].im) : init.im;
            }
        }
        if (fma)
            outs[0].v = xg_k3(&l->s.b, XG_K_OP_FMA, outs[0].v, outs[1].v, outs[2].v);
        else
            xg_elem_call_comp(&l->s, b->combine, outs, outs, b->n_outs);
    }
    for (k = 0; k < b->n_outs; k++) xg_nlower_store(l, b->outs[k].buf, at[k], outs[(b->lanes ? b->n_outs : 0) + k]);
}
/* What is behind a statement may differ from what was before: registers and tensors go around it. */
XG_FN void xg_nlower_carry(xg_nlower *l, xg_flow *f, const xg_nstmt *loop) {
    const xg_nstmt *s;
    bool *seen = XG_NEW_N(l->e.arena, bool, l->n->bufs.n), syncs = false;
    uint32_t k;
    int64_t at;
    for (s = loop; s; s = xg_nstmt_next(s, loop)) {
        syncs |= s->sync && s != loop;
        if (s->op == XG_N_BLOCK)
            for (k = 0; k < s->block->n_outs; k++) seen[l->mem[s->block->outs[k].buf->id].pool->buf->id] = true;
    }
    for (k = 0; k < l->n->bufs.n; k++) {
        xg_nhome *m = &l->mem[k];
        if (m->pool != m || (!seen[k] && !(syncs && m->buf->scope == XG_NS_SHARED))) continue;
        if (!m->regs) {
            xg_flow_slot(f, &m->tensor);
            continue;
        }
        if (xg_nstmt_inside(m->home, loop) && loop->op == XG_N_LOOP) continue; /* made anew in each round */
        for (at = 0; at < m->size; at++) {
            if (!m->regs[at].v) m->regs[at] = xg_nlower_zero(l, m->buf->type);
            xg_flow_elem(f, &m->regs[at]);
        }
    }
}
XG_FN void xg_nlower_block(xg_nlower *l, const xg_nstmt *s) {
    bool never;
    xg_kval *cond = xg_nlower_holds(l, s->block->where, s->block->n_where, &never);
    xg_flow f = xg_flow_begin(&l->s);
    if (xg_nrun_crosses(l->n, s))
        xg_nlower_fail(l, "the step 'allreduce' has to come before threads combine in", s->block->name);
    if (never) return;
    if (cond) xg_nlower_carry(l, &f, s);
    xg_flow_if(&f, cond);
    xg_nlower_body(l, s->block);
    xg_flow_end(&f);
}

/* ---- several elements at once ---- */

/* Where the lanes of a loop lie: side by side from a place that a vector may begin at. */
XG_FN const xg_aff *xg_nlower_lanes(xg_nlower *l, const xg_nbuf *buf, const xg_aff *const *at, const xg_nstmt *loop) {
    const xg_nhome *m = &l->mem[buf->id];
    const xg_aff *first, *second, *apart;
    int64_t lanes = loop->extent, k, bytes = xg_type_bytes(buf->type);
    xg_aff_env env;
    if (m->regs || (lanes & (lanes - 1)) || lanes > XG_NLOWER_LANES || lanes * bytes > XG_NLOWER_BYTES ||
        !(xg_type_class(buf->type) & (XGT_I | XGT_F)) || xg_type_bits(buf->type) < 8)
        return NULL;
    l->to[loop->var] = xg_aff_const(l->n->aff, 0);
    first = xg_nlower_flat(l, m, at);
    env = xg_aff_env_of(l->n->aff, l->ranges.p, l->ranges.n, NULL, 0);
    for (k = 1; k < lanes; k++) {
        l->to[loop->var] = xg_aff_const(l->n->aff, k);
        second = xg_nlower_flat(l, m, at);
        apart = xg_aff_add_scaled(&env, second, first, -1);
        if (!apart || apart->kind != XG_AFF_CONST || apart->k != k) return NULL;
    }
    return xg_aff_divisor(first) % lanes ? NULL : first;
}
XG_APART XG_FN bool xg_nlower_vector(xg_nlower *l, const xg_nstmt *loop) {
    const xg_nstmt *s = loop->first;
    const xg_nblock *b = s->block;
    const xg_aff **from, *to;
    xg_kval **vectors, *result = NULL, *v[3];
    const xg_ktype *type, *scalar;
    xg_nhome *m;
    int64_t lane;
    uint32_t k;
    if (loop->kind != XG_NK_VECTORIZED || loop->first != loop->last || s->op != XG_N_BLOCK || s->sync || b->n_where ||
        b->combine || b->n_outs != 1)
        return false;
    for (k = 0; k < b->n_args; k++)
        if (b->args[k].n_where) return false;
    from = XG_NEW_N(l->e.arena, const xg_aff *, b->n_args + 1);
    vectors = XG_NEW_N(l->e.arena, xg_kval *, b->n_args + 1);
    for (k = 0; k < b->n_args; k++)
        if (b->args[k].kind == XG_NA_LOAD) from[k] = xg_nlower_lanes(l, b->args[k].buf, b->args[k].at, loop);
    to = xg_nlower_lanes(l, b->outs[0].buf, b->outs[0].at, loop);
    for (k = 0; k < b->n_args; k++)
        if (from[k]) {
            v[0] = l->mem[b->args[k].buf->id].pool->tensor;
            v[1] = xg_nlower_value(l, from[k]);
            type = xg_kir_vector(l->e.m, xg_kelem_of(b->args[k].type), loop->extent);
            vectors[k] = xg_kir_op(&l->s.b, XG_K_OP_READ, v, 2, &type, 1, 0)->results;
        }
    m = &l->mem[b->outs[0].buf->id];
    type = xg_kir_vector(l->e.m, xg_kelem_of(b->outs[0].buf->type), loop->extent);
    if (to) result = xg_kconst_bits(&l->s.b, type, 0);
    for (lane = 0; lane < loop->extent; lane++) {
        xg_elem *args = XG_NEW_N(l->e.arena, xg_elem, b->n_args + 1), out;
        l->to[loop->var] = xg_aff_const(l->n->aff, lane);
        for (k = 0; k < b->n_args; k++) {
            if (!from[k]) {
                args[k] = xg_nlower_arg(l, &b->args[k]);
                continue;
            }
            v[0] = vectors[k];
            v[1] = xg_kconst_int(&l->s.b, XG_E_INDEX, lane);
            scalar = xg_kir_scalar(l->e.m, xg_kelem_of(b->args[k].type));
            args[k] = xg_emit_split(&l->s.b, xg_kir_op(&l->s.b, XG_K_OP_VEXTRACT, v, 2, &scalar, 1, 0)->results);
        }
        xg_elem_call_comp(&l->s, b->body, args, &out, 1);
        if (!to) {
            xg_nlower_store(l, b->outs[0].buf, xg_nlower_flat(l, m, b->outs[0].at), out);
            continue;
        }
        v[0] = xg_emit_join(&l->s.b, out);
        v[1] = result;
        v[2] = xg_kconst_int(&l->s.b, XG_E_INDEX, lane);
        result = xg_kir_op(&l->s.b, XG_K_OP_VINSERT, v, 3, &type, 1, 0)->results;
    }
    if (to) {
        v[0] = result;
        v[1] = m->pool->tensor;
        v[2] = xg_nlower_value(l, to);
        m->pool->tensor = xg_kir_op(&l->s.b, XG_K_OP_WRITE, v, 3, &m->pool->tensor->type, 1, 0)->results;
    }
    return true;
}

/* ---- loops ---- */

/* An index of registers depends on the loop: it has to be a number. */
XG_FN bool xg_nlower_must_unroll(const xg_nlower *l, const xg_nstmt *loop) {
    const xg_aff *var = xg_aff_dim(l->n->aff, loop->var);
    const xg_nstmt *s;
    uint32_t k, d;
    for (s = loop->first; s; s = xg_nstmt_next(s, loop)) {
        if (s->op != XG_N_BLOCK) continue;
        for (k = 0; k < s->block->n_args; k++)
            if (s->block->args[k].kind == XG_NA_LOAD && l->mem[s->block->args[k].buf->id].regs)
                for (d = 0; d < s->block->args[k].buf->rank; d++)
                    if (xg_aff_uses(s->block->args[k].at[d], var)) return true;
        for (k = 0; k < s->block->n_outs; k++)
            if (l->mem[s->block->outs[k].buf->id].regs)
                for (d = 0; d < s->block->outs[k].buf->rank; d++)
                    if (xg_aff_uses(s->block->outs[k].at[d], var)) return true;
    }
    return false;
}
XG_FN void xg_nlower_sync(xg_nlower *l) {
    xg_flow f = xg_flow_begin(&l->s);
    uint32_t k;
    for (k = 0; k < l->n->bufs.n; k++)
        if (l->mem[k].buf->scope == XG_NS_SHARED && l->mem[k].pool == &l->mem[k]) xg_flow_slot(&f, &l->mem[k].tensor);
    xg_flow_wait(&f);
}
XG_FN void xg_nlower_stmts(xg_nlower *l, const xg_nstmt *parent);
XG_FN void xg_nlower_loop(xg_nlower *l, const xg_nstmt *s) {
    uint32_t values = l->values.n, k;
    const xg_aff *outer = l->to[s->var];
    int64_t v;
    xg_flow f;
    if (xg_nkind_is_axis(s->kind) && s->kind < XG_NK_VTHREAD_X) {
        if (s->extent != l->extent[s->kind]) { /* some of the threads have nothing to do here */
            f = xg_flow_begin(&l->s);
            xg_nlower_carry(l, &f, s);
            xg_flow_if(&f, xg_kcmpi_int(&l->s.b, XG_CI_SLT, l->axis[s->kind], s->extent));
            xg_nlower_bind(l, s->var, l->axis[s->kind]);
            xg_nlower_stmts(l, s);
            xg_flow_end(&f);
        } else {
            xg_nlower_bind(l, s->var, l->axis[s->kind]);
            xg_nlower_stmts(l, s);
        }
    } else if (s->extent == 1 || s->kind == XG_NK_UNROLLED || s->kind == XG_NK_VECTORIZED ||
               s->kind >= XG_NK_VTHREAD_X || xg_nlower_must_unroll(l, s)) {
        if (!xg_nlower_vector(l, s))
            for (v = 0; v < s->extent; v++) {
                l->to[s->var] = xg_aff_const(l->n->aff, v);
                xg_nlower_stmts(l, s);
            }
    } else {
        f = xg_flow_begin(&l->s);
        f.rolled = !xg_nstmt_note(s, XG_NOTE_MAY_UNROLL);
        xg_nlower_carry(l, &f, s);
        {
            xg_kval *lo = xg_kconst_int(&l->s.b, XG_E_INDEX, 0), *hi = xg_kconst_int(&l->s.b, XG_E_INDEX, s->extent);
            xg_nlower_bind(l, s->var, xg_flow_for(&f, lo, hi, 1, s->extent));
        }
        for (k = 0; k < l->n->bufs.n; k++)
            if (l->mem[k].regs && xg_nstmt_inside(l->mem[k].home, s))
                memset(l->mem[k].regs, 0, (size_t)l->mem[k].size * sizeof *l->mem[k].regs);
        xg_nlower_stmts(l, s);
        for (k = 0; k < l->n->bufs.n; k++)
            if (l->mem[k].regs && xg_nstmt_inside(l->mem[k].home, s))
                memset(l->mem[k].regs, 0, (size_t)l->mem[k].size * sizeof *l->mem[k].regs);
        xg_flow_end(&f);
    }
    l->to[s->var] = outer;
    l->values.n = l->ranges.n = values;
}
XG_FN void xg_nlower_stmts(xg_nlower *l, const xg_nstmt *parent) {
    const xg_nstmt *s;
    for (s = parent->first; s; s = s->next) {
        if (s->sync) xg_nlower_sync(l);
        if (s->op == XG_N_LOOP)
            xg_nlower_loop(l, s);
        else
            xg_nlower_block(l, s);
    }
}
/* ---- the kernel ---- */

/* Arrays of a type that were merged are parts of one. */
XG_FN void xg_nlower_pool(xg_nlower *l, xg_nhome *m) {
    int64_t size = 0;
    uint32_t k;
    for (k = 0; k < l->n->bufs.n; k++) {
        const xg_nbuf *b = l->n->bufs.p[k];
        if (b->scope != XG_NS_SHARED || b->type != m->buf->type || !b->placed) continue;
        size = XG_MAX(size, b->place + l->mem[k].size);
        if (&l->mem[k] == m || !l->mem[k].tensor) continue;
        m->pool = l->mem[k].pool;
        return;
    }
    m->tensor = xg_shared_array(&l->s.b, xg_kelem_of(m->buf->type), size);
    m->pool = m;
}
XG_APART XG_FN void xg_nlower_memory(xg_nlower *l, xg_kfunc *f, uint32_t n_in) {
    uint32_t k, in = 0, out = 0;
    for (k = 0; k < l->n->bufs.n; k++) {
        xg_nhome *m = &l->mem[k];
        xg_nplaces places;
        memset(&places, 0, sizeof places);
        if (m->buf->param) {
            m->tensor = &f->body->args[m->buf->output ? n_in + out++ : in++];
            continue;
        }
        xg_nest_places(l->n, m->buf, &places);
        m->home = places.n ? xg_nplaces_home(&places) : l->n->root;
        if (m->buf->scope == XG_NS_GLOBAL)
            xg_nlower_fail(l, "memory of one kernel for another is not made here:", m->buf->name);
        if (m->buf->scope == XG_NS_SHARED && m->buf->placed) {
            xg_nlower_pool(l, m);
            continue;
        }
        if (m->buf->scope == XG_NS_SHARED) {
            m->tensor = xg_shared_array(&l->s.b, xg_kelem_of(m->buf->type), m->size);
            continue;
        }
        if (m->buf->scope == XG_NS_WARP)
            xg_nlower_fail(l, "the step 'warps' has to come before this array of a warp:", m->buf->name);
        if (m->size > XG_NLOWER_REGS) xg_nlower_fail(l, "too many registers for", m->buf->name);
        m->regs = XG_NEW_N(l->e.arena, xg_elem, m->size);
    }
}
XG_FN xg_kmodule *xg_nest_lower(xg_loopnest *n, xg_arena *a, xg_str name, const xg_emit_target *target) {
    xg_nlower l;
    const xg_ktype **types = XG_NEW_N(a, const xg_ktype *, n->bufs.n + 1);
    uint32_t k, in = 0, out = 0;
    const xg_nstmt *s;
    xg_kval **results;
    xg_kfunc *f;
    memset(&l, 0, sizeof l);
    l.n = n;
    l.e.ctx = n->ctx;
    l.e.arena = a;
    l.e.target = target;
    l.e.m = xg_kir_module(n->ctx, a, n->aff);
    l.mem = XG_NEW_N(a, xg_nhome, n->bufs.n + 1);
    l.to = XG_NEW_N(a, const xg_aff *, n->vars.n + 1);
    for (k = 0; k < n->bufs.n; k++) {
        l.mem[k].buf = n->bufs.p[k];
        l.mem[k].size = xg_nbuf_size(n, n->bufs.p[k], l.mem[k].strides);
        l.mem[k].pool = &l.mem[k];
        if (n->bufs.p[k]->param && !n->bufs.p[k]->output)
            types[in++] = xg_kir_tensor(l.e.m, xg_kelem_of(n->bufs.p[k]->type), &l.mem[k].size, 1);
    }
    for (k = 0; k < n->bufs.n; k++)
        if (n->bufs.p[k]->output)
            types[in + out++] = xg_kir_tensor(l.e.m, xg_kelem_of(n->bufs.p[k]->type), &l.mem[k].size, 1);
    f = xg_kir_func(l.e.m, name, types, in + out, types + in, out);
    f->entry = true;
    f->n_inputs = in;
    f->args = XG_NEW_N(a, xg_karg, in + out);
    l.e.m->entry = f;
    l.s.e = &l.e;
    l.s.b = xg_kb_end(l.e.m, f->body);
    for (k = 0; k < XG_NK_COUNT; k++) l.extent[k] = 1;
    for (s = n->root->first; s; s = xg_nstmt_next(s, n->root))
        if (s->op == XG_N_LOOP) l.extent[s->kind] = XG_MAX(l.extent[s->kind], s->extent);
    for (k = 0; k < 3; k++) {
        if (l.extent[XG_NK_THREAD_X + k] > 1024 || l.extent[XG_NK_BLOCK_X + k] > (k ? 65535 : INT32_MAX))
            xg_nlower_fail(&l, "too many threads or blocks:", n->name);
        f->threads[k] = (uint32_t)l.extent[XG_NK_THREAD_X + k];
        f->blocks[k] = (uint32_t)l.extent[XG_NK_BLOCK_X + k];
        l.axis[XG_NK_THREAD_X + k] = xg_kthread_id(&l.s.b, (int)k, f->threads[k]);
        l.axis[XG_NK_BLOCK_X + k] = xg_kblock_id(&l.s.b, (int)k, f->blocks[k]);
    }
    if ((int64_t)f->threads[0] * f->threads[1] * f->threads[2] > 1024)
        xg_nlower_fail(&l, "too many threads in a block:", n->name);
    xg_nlower_memory(&l, f, in);
    xg_nlower_stmts(&l, n->root);
    results = XG_NEW_N(a, xg_kval *, out + 1);
    for (k = out = 0; k < n->bufs.n; k++)
        if (n->bufs.p[k]->output) results[out++] = l.mem[k].tensor;
    xg_kreturn(&l.s.b, results, out);
    return l.e.m;
}

#endif /* XG_SCHED_LOWER_C */
