/* kir/canonicalize.c -- applies the rules of rules.c, simplifies structured control flow and removes dead code, until
 * nothing changes.
 *
 * A worklist starts, in program order, with what has changed since the pass ran last; what changes puts its neighbours
 * back: users of a replaced value (for a yield the operation around it), definitions of operands that lost a use, and
 * operations that a rule made. Each step is cheap, so the cost is linear in what there is and what happens; a budget
 * ends it should two rules ever chase each other.
 * Keeps: values bit for bit (rules.c). An operation without effects whose results are not used goes. */
#ifndef XG_KIR_CANONICALIZE_C
#define XG_KIR_CANONICALIZE_C
#include "kir.h"
#include "rules.c"

typedef struct xg_kcanon {
    xg_kmodule *m;
    xg_kops work; /* a stack; an operation on it has scratch set */
    xg_krules *rules;
    xg_kb at; /* where rules build */
} xg_kcanon;

/* ---- the worklist ---- */

XG_FN void xg_kcanon_push(xg_kcanon *c, xg_kop *op) {
    if (!op || op->scratch || !op->parent) return;
    op->scratch = op;
    xg_push(c->m->temp, xg_kop *, &c->work, op);
}
XG_FN void xg_kcanon_push_users(xg_kcanon *c, const xg_kval *v) {
    const xg_kuse *u;
    for (u = v->first_use; u; u = u->next) {
        xg_kcanon_push(c, u->user);
        if ((xg_kop_flags(u->user->op) & KF_TERM) && u->user->parent) xg_kcanon_push(c, u->user->parent->owner);
    }
}
XG_FN void xg_kcanon_push_operands(xg_kcanon *c, const xg_kop *op) {
    uint32_t k;
    for (k = 0; k < op->n_operands; k++) {
        const xg_kval *v = op->operands[k].value;
        xg_kcanon_push(c, v->def ? v->def : v->region->owner);
    }
}
XG_FN void xg_kcanon_replace(xg_kcanon *c, xg_kval *from, xg_kval *to) {
    if (from == to) return;
    xg_kcanon_push_users(c, from);
    xg_kval_replace(from, to);
    xg_kcanon_push(c, to->def ? to->def : to->region->owner);
}
/* The owner of the region is worth another look when it has lost something that others see, or has little left. */
enum {
    XG_KCANON_LITTLE = 16
};
XG_FN void xg_kcanon_remove(xg_kcanon *c, xg_kop *op) {
    xg_kregion *r = op->parent;
    bool again = xg_kop_has_effects(op);
    const xg_kop *o;
    uint32_t n = 0;
    xg_kcanon_push_operands(c, op);
    xg_kop_remove(op);
    if (!r->owner || r->owner->scratch) return;
    for (o = r->first; o && n <= XG_KCANON_LITTLE; o = o->next) n++;
    if (again || n <= XG_KCANON_LITTLE) xg_kcanon_push(c, r->owner);
}

/* ---- dead code ---- */

/* What a removed region used outside may be dead now. */
XG_FN void xg_kcanon_release(xg_kcanon *c, const xg_kop *op) {
    const xg_kop *o;
    uint32_t k;
    xg_kcanon_push_operands(c, op);
    for (k = 0; k < op->n_regions; k++)
        for (o = op->regions[k]->first; o; o = o->next) xg_kcanon_release(c, o);
}

/* ---- carried values and results ---- */

/* Rebuilds op without those results that keep[] does not name; they have no uses. from_operand, from_arg: where carried
 * operands and arguments of region 0 begin (from_arg UINT32_MAX: there are no arguments). Terminators of all regions
 * lose the operands too. */
XG_FN void xg_kcanon_drop(xg_kcanon *c, xg_kop *op, const bool *keep, uint32_t from_operand, uint32_t from_arg) {
    xg_arena *a = c->m->temp;
    uint32_t n = op->n_results, kept = 0, k, i, no = XG_MIN(from_operand, op->n_operands);
    const xg_ktype **types = XG_NEW_N(a, const xg_ktype *, n + 1);
    xg_kval **operands = XG_NEW_N(a, xg_kval *, op->n_operands + 1), **vals = XG_NEW_N(a, xg_kval *, n + 1);
    xg_kop *to;
    for (k = 0; k < no; k++) operands[k] = op->operands[k].value;
    for (k = 0; k < n; k++)
        if (keep[k]) {
            types[kept++] = op->results[k].type;
            if (from_operand < op->n_operands) operands[no++] = op->operands[from_operand + k].value;
        }
    for (i = 0; i < op->n_regions; i++) {
        xg_kop *end = xg_kregion_end(op->regions[i]);
        xg_kb b = xg_kb_before(c->m, end);
        for (kept = 0, k = 0; k < n; k++)
            if (keep[k]) vals[kept++] = end->operands[k].value;
        xg_kcanon_push_operands(c, end);
        xg_kyield(&b, vals, kept);
        xg_kop_remove(end);
    }
    if (from_arg != UINT32_MAX) {
        xg_kregion *r = op->regions[0];
        xg_kval *old = r->args;
        uint32_t n_old = r->n_args, at = from_arg;
        const xg_ktype **arg_types = XG_NEW_N(a, const xg_ktype *, n_old + 1);
        for (k = 0; k < n_old; k++)
            if (k < from_arg)
                arg_types[k] = old[k].type;
            else if (keep[k - from_arg])
                arg_types[at++] = old[k].type;
        xg_kregion_set_args(c->m, r, arg_types, at);
        for (at = 0, k = 0; k < n_old; k++)
            if (k < from_arg || keep[k - from_arg]) {
                xg_kval_copy_facts(&r->args[at], &old[k]);
                xg_kval_replace(&old[k], &r->args[at++]);
            }
    }
    to = xg_kop_rebuild(c->m, op, operands, no, types, kept);
    for (kept = 0, k = 0; k < n; k++)
        if (keep[k]) {
            xg_kval_copy_facts(&to->results[kept], &op->results[k]);
            xg_kval_replace(&op->results[k], &to->results[kept++]);
        }
    xg_kcanon_remove(c, op);
    xg_kcanon_push(c, to);
}

/* ---- scf.if ---- */

XG_FN bool xg_kregion_only_ends(const xg_kregion *r) { return r->first == r->last; }

/* Puts region r in the place of op, whose results become what its terminator gives from operand `from` on. */
XG_FN void xg_kcanon_splice(xg_kcanon *c, xg_kop *op, xg_kregion *r) {
    xg_kop *end = xg_kregion_end(r), *o;
    uint32_t k;
    for (k = 0; k < op->n_results; k++) xg_kcanon_replace(c, &op->results[k], end->operands[k].value);
    xg_kop_remove(end);
    for (o = r->first; o; o = o->next) xg_kcanon_push(c, o);
    xg_kregion_take(r, op);
    xg_kcanon_release(c, op);
    xg_kcanon_remove(c, op);
}
/* A few cheap operations without memory cost less than a branch: they move out, so that the results are selected. */
enum {
    XG_KCANON_SPECULATE_MAX = 4
};
XG_FN bool xg_kcanon_is_cheap(const xg_kop *op) {
    uint32_t flags = xg_kop_flags(op->op);
    if (op->n_regions || !(flags & KF_PURE) || (flags & KF_READ) || !(flags & KF_LOW)) return false;
    return op->op != XG_K_OP_DIVF && op->op != XG_K_OP_SQRT && (op->op < XG_K_OP_DIVSI || op->op > XG_K_OP_REMUI);
}
XG_FN void xg_kcanon_lift(xg_kop *o, xg_kop *op) {
    xg_kop_move_before(o, op);
    if (o->op == XG_K_OP_CONST) return;
    o->results[0].lo = 1; /* what was known under the condition */
    o->results[0].hi = 0;
    xg_kop_infer_range(o);
}
XG_FN void xg_kcanon_if_speculate(xg_kop *op) {
    uint32_t k, count = 0;
    xg_kop *o, *next;
    for (k = 0; k < op->n_results; k++)
        if (op->results[k].type->kind != XG_TK_SCALAR) return;
    for (k = 0; k < 2; k++)
        for (o = op->regions[k]->first; o != op->regions[k]->last; o = o->next) {
            if (!xg_kcanon_is_cheap(o)) return;
            count += o->op != XG_K_OP_CONST && o->op != XG_K_OP_VEXTRACT;
            if (count > XG_KCANON_SPECULATE_MAX) return;
        }
    for (k = 0; k < 2; k++)
        for (o = op->regions[k]->first; o != op->regions[k]->last; o = next) {
            next = o->next;
            xg_kcanon_lift(o, op);
        }
}
XG_FN bool xg_kcanon_if_results(xg_kcanon *c, xg_kop *op) {
    xg_kop *yes = xg_kregion_end(op->regions[0]), *no = xg_kregion_end(op->regions[1]);
    bool *keep = XG_NEW_N(c->m->temp, bool, op->n_results + 1), all = true;
    bool both_empty = xg_kregion_only_ends(op->regions[0]) && xg_kregion_only_ends(op->regions[1]);
    uint32_t k;
    for (k = 0; k < op->n_results; k++) {
        xg_kval *r = &op->results[k], *x = yes->operands[k].value, *y = no->operands[k].value;
        xg_kb b = xg_kb_before(c->m, op);
        if (r->first_use && x == y)
            xg_kcanon_replace(c, r, x);
        else if (r->first_use && both_empty && r->type->kind != XG_TK_TENSOR) {
            xg_kval *s = xg_kselect(&b, op->operands[0].value, x, y);
            xg_kcanon_push(c, s->def);
            xg_kcanon_replace(c, r, s);
        }
        keep[k] = r->first_use != NULL;
        all = all && keep[k];
    }
    if (!all) xg_kcanon_drop(c, op, keep, UINT32_MAX, UINT32_MAX);
    return !all;
}
/* Inside a branch its condition is known. */
XG_FN void xg_kcanon_if_condition(xg_kcanon *c, xg_kop *op) {
    xg_kval *cond = op->operands[0].value, *known[2];
    xg_kuse *u, *next;
    uint32_t k, count = 0;
    known[0] = known[1] = NULL;
    for (u = cond->first_use; u; u = u->next) count++;
    if (count < 2 || count > 32) return;
    for (u = cond->first_use; u; u = next) {
        next = u->next;
        if (u->user == op) continue;
        for (k = 0; k < 2; k++)
            if (xg_kregion_inside(u->user->parent, op->regions[k])) {
                xg_kb b = xg_kb_before(c->m, op);
                if (!known[k]) known[k] = xg_kconst_int(&b, XG_E_I1, k == 0);
                xg_kcanon_push(c, u->user);
                xg_kop_set_operand(u->user, XG_KUSE_INDEX(u), known[k]);
            }
    }
}

/* Two branches on one condition with a little pure work between them, which the second does not need, are one. Nothing
 * there may read: the second may write to memory that two tensors share. */
enum {
    XG_KCANON_BETWEEN_MAX = 64
};
XG_FN bool xg_kregion_uses_any(const xg_kregion *r, xg_kop *const *ops, uint32_t n) {
    const xg_kop *o;
    uint32_t k, i;
    for (o = r->first; o; o = o->next) {
        for (k = 0; k < o->n_operands; k++)
            for (i = 0; i < n; i++)
                if (o->operands[k].value->def == ops[i]) return true;
        for (k = 0; k < o->n_regions; k++)
            if (xg_kregion_uses_any(o->regions[k], ops, n)) return true;
    }
    return false;
}
/* The next branch on the condition of op, if it may move up to it. */
XG_FN xg_kop *xg_kcanon_if_twin(const xg_kop *op) {
    xg_kop *between[XG_KCANON_BETWEEN_MAX], *o;
    uint32_t n = 0;
    for (o = op->next; o && (o->op != XG_K_OP_IF || o->operands[0].value != op->operands[0].value); o = o->next) {
        if (n == XG_KCANON_BETWEEN_MAX || o->n_regions || (xg_kop_flags(o->op) & (KF_PURE | KF_READ)) != KF_PURE)
            return NULL;
        between[n++] = o;
    }
    return o && !xg_kregion_uses_any(o->regions[0], between, n) && !xg_kregion_uses_any(o->regions[1], between, n)
               ? o
               : NULL;
}
/* Region k of the first, then that of the second, which sees the first one's results as what the region yields. */
XG_FN void xg_kcanon_if_append(xg_kcanon *c, xg_kop *first, xg_kop *second, uint32_t k) {
    xg_kregion *r = first->regions[k];
    xg_kop *end = xg_kregion_end(r), *last;
    uint32_t n = first->n_results, m = second->n_results, i;
    xg_kval **vals = XG_NEW_N(c->m->temp, xg_kval *, n + m + 1);
    xg_kuse *u, *next;
    xg_kb b;
    for (i = 0; i < n; i++) {
        vals[i] = end->operands[i].value;
        for (u = first->results[i].first_use; u; u = next) {
            next = u->next;
            if (xg_kregion_inside(u->user->parent, second->regions[k]))
                xg_kop_set_operand(u->user, XG_KUSE_INDEX(u), vals[i]);
        }
    }
    xg_kop_remove(end);
    xg_kregion_take_end(second->regions[k], r);
    last = xg_kregion_end(r);
    for (i = 0; i < m; i++) vals[n + i] = last->operands[i].value;
    xg_kop_remove(last);
    b = xg_kb_end(c->m, r);
    xg_kyield(&b, vals, n + m);
}
XG_FN bool xg_kcanon_if_merge(xg_kcanon *c, xg_kop *op) {
    xg_kop *twin = xg_kcanon_if_twin(op), *to;
    uint32_t n = op->n_results, k;
    const xg_ktype **types;
    if (!twin) return false;
    types = XG_NEW_N(c->m->temp, const xg_ktype *, n + twin->n_results + 1);
    for (k = 0; k < n; k++) types[k] = op->results[k].type;
    for (k = 0; k < twin->n_results; k++) types[n + k] = twin->results[k].type;
    for (k = 0; k < 2; k++) xg_kcanon_if_append(c, op, twin, k);
    to = xg_kop_rebuild(c->m, op, &XG_KOPERAND(op, 0), 1, types, n + twin->n_results);
    for (k = 0; k < to->n_results; k++) {
        xg_kval *old = k < n ? &op->results[k] : &twin->results[k - n];
        xg_kval_copy_facts(&to->results[k], old);
        xg_kval_replace(old, &to->results[k]);
    }
    xg_kop_remove(twin);
    xg_kop_remove(op);
    xg_kcanon_push(c, to);
    return true;
}

/* A branch in a branch that else gives the same values is one on both conditions: what was padded twice is read by one
 * access, which others need not wait for. */
XG_FN bool xg_kcanon_if_nested(xg_kcanon *c, xg_kop *op) {
    xg_kop *end = xg_kregion_end(op->regions[0]), *in = end->prev, *o, *next;
    uint32_t k, count = 0;
    xg_kb b = xg_kb_before(c->m, op);
    xg_kval *cond;
    if (!in || in->op != XG_K_OP_IF || !xg_kregion_only_ends(op->regions[1]) || !xg_kregion_only_ends(in->regions[1]))
        return false;
    for (k = 0; k < op->n_results; k++)
        if (end->operands[k].value->def != in ||
            xg_kregion_end(op->regions[1])->operands[k].value !=
                xg_kregion_end(in->regions[1])->operands[end->operands[k].value->index].value)
            return false;
    for (o = op->regions[0]->first; o != in; o = o->next)
        if (!xg_kcanon_is_cheap(o) || ++count > XG_KCANON_SPECULATE_MAX) return false;
    for (o = op->regions[0]->first; o != in; o = next) {
        next = o->next;
        xg_kcanon_lift(o, op);
    }
    cond = xg_kandi(&b, op->operands[0].value, in->operands[0].value);
    xg_kcanon_push(c, cond->def);
    xg_kop_set_operand(op, 0, cond);
    xg_kcanon_splice(c, in, in->regions[0]);
    xg_kcanon_push(c, op);
    return true;
}
XG_FN void xg_kcanon_if(xg_kcanon *c, xg_kop *op) {
    int64_t v;
    if (xg_kval_is_const(op->operands[0].value, &v)) {
        xg_kcanon_splice(c, op, op->regions[v ? 0 : 1]);
        return;
    }
    if (op->n_results) xg_kcanon_if_speculate(op);
    if (op->n_results && xg_kcanon_if_results(c, op)) return;
    if (op->n_results && xg_kcanon_if_nested(c, op)) return;
    if (xg_kcanon_if_merge(c, op)) return;
    xg_kcanon_if_condition(c, op);
}

/* ---- scf.for ---- */

XG_FN bool xg_kcanon_for_carried(xg_kcanon *c, xg_kop *op) {
    xg_kregion *r = op->regions[0];
    xg_kop *end = xg_kregion_end(r);
    bool *keep = XG_NEW_N(c->m->temp, bool, op->n_results + 1), all = true;
    uint32_t k;
    for (k = 0; k < op->n_results; k++) {
        xg_kval *arg = &r->args[k + 1], *init = op->operands[k + 3].value, *y = end->operands[k].value;
        keep[k] = true;
        if (y == arg || y == init) { /* never changes */
            xg_kcanon_replace(c, &op->results[k], init);
            xg_kop_set_operand(end, k, init);
            xg_kcanon_replace(c, arg, init);
            keep[k] = false;
        } else if (!op->results[k].first_use && !arg->first_use)
            keep[k] = false;
        else if (!op->results[k].first_use && y->def && xg_kused_once(y) && xg_kused_once(arg) &&
                 arg->first_use->user == y->def && !xg_kop_has_effects(y->def) && y->def->n_regions == 0)
            keep[k] = false; /* feeds only itself */
        all = all && keep[k];
    }
    if (all) return false;
    for (k = 0; k < op->n_results; k++)
        if (!keep[k] && r->args[k + 1].first_use) {
            xg_kop_set_operand(end, k, op->operands[k + 3].value);
            xg_kcanon_replace(c, &r->args[k + 1], op->operands[k + 3].value);
        }
    xg_kcanon_drop(c, op, keep, 3, 1);
    return true;
}
XG_FN void xg_kcanon_for(xg_kcanon *c, xg_kop *op) {
    int64_t trips = xg_kfor_trips(op);
    xg_kregion *r = op->regions[0];
    uint32_t k;
    if (trips == 0) {
        for (k = 0; k < op->n_results; k++) xg_kcanon_replace(c, &op->results[k], op->operands[k + 3].value);
        xg_kcanon_release(c, op);
        xg_kcanon_remove(c, op);
        return;
    }
    if (trips == 1) {
        xg_kcanon_replace(c, &r->args[0], op->operands[0].value);
        for (k = 0; k < op->n_results; k++) xg_kcanon_replace(c, &r->args[k + 1], op->operands[k + 3].value);
        xg_kcanon_splice(c, op, r);
        return;
    }
    if (op->n_results) (void)xg_kcanon_for_carried(c, op);
}

/* ---- one step ---- */

/* Operations that a rule put between `before` and op are new. */
XG_FN void xg_kcanon_push_new(xg_kcanon *c, const xg_kop *before, const xg_kop *op) {
    xg_kop *o;
    for (o = op->prev; o && o != before; o = o->prev) xg_kcanon_push(c, o);
}
XG_FN void xg_kcanon_rules(xg_kcanon *c, xg_kop *op) {
    uint32_t k, has, n;
    xg_kval *read[2]; /* what an operation changed in place may read no more */
    if (!c->rules->first[op->op]) return;
    has = xg_krule_has(op);
    k = xg_krules_fit(c->rules, op->op, has);
    if (!k) return;
    n = XG_MIN(op->n_operands, 2);
    read[0] = n > 0 ? op->operands[0].value : NULL;
    read[1] = n > 1 ? op->operands[1].value : NULL;
    for (; k; k = c->rules->next[k - 1]) {
        const xg_kop *before = op->prev;
        xg_kval *v;
        if (xg_krule_needs[k - 1] & ~has) continue;
        xg_kb_move(&c->at, op);
        v = xg_krule_functions[xg_krule_words[k - 1]](&c->at, op);
        if (!v) continue;
        xg_kcanon_push_new(c, before, op);
        if (v == op->results) {
            xg_kcanon_push(c, op);
            xg_kcanon_push_users(c, v);
            while (n-- > 0) xg_kcanon_push(c, read[n]->def);
            return;
        }
        xg_kcanon_replace(c, op->results, v);
        xg_kcanon_remove(c, op);
        return;
    }
}
XG_APART XG_FN void xg_kcanon_step(xg_kcanon *c, xg_kop *op) {
    if (!(op->n_results == 1 && op->results->first_use) && xg_kop_is_dead(op)) {
        xg_kcanon_release(c, op);
        xg_kcanon_remove(c, op);
    } else if (op->op == XG_K_OP_IF)
        xg_kcanon_if(c, op);
    else if (op->op == XG_K_OP_FOR)
        xg_kcanon_for(c, op);
    else if (op->n_results == 1)
        xg_kcanon_rules(c, op);
}

/* What has not changed, and reads nothing that has, was left as it is before: rules look no further. */
XG_FN bool xg_kcanon_is_due(const xg_kop *op) {
    uint32_t k;
    if (op->changed || op->n_regions) return true;
    for (k = 0; k < op->n_operands; k++) {
        const xg_kop *def = op->operands[k].value->def;
        if (def && def->changed && def->op != XG_K_OP_CONST) return true;
    }
    return false;
}
/* A step would find nothing to do: it is in use, and has no rules. */
XG_FN bool xg_kcanon_is_settled(const xg_kcanon *c, const xg_kop *op) {
    return !c->rules->first[op->op] && !op->n_regions &&
           (op->n_results == 1 ? op->results->first_use != NULL : (xg_kop_flags(op->op) & KF_TERM) != 0);
}
/* Puts what is due on the worklist, users before what they read, which asks whether that has changed. Answers how many
 * operations there are. */
XG_FN uint64_t xg_kcanon_start(xg_kcanon *c, xg_kregion *r) {
    xg_kop *op;
    uint64_t n = 0;
    uint32_t k;
    for (op = r->last; op; op = op->prev) {
        for (k = op->n_regions; k-- > 0;) n += xg_kcanon_start(c, op->regions[k]);
        n++;
        op->scratch = NULL;
        if (xg_kcanon_is_settled(c, op))
            op->changed = false;
        else if (xg_kcanon_is_due(op))
            xg_kcanon_push(c, op);
    }
    return n;
}
XG_APART XG_FN void xg_kcanon_func(xg_kcanon *c, xg_kfunc *f) {
    uint64_t budget;
    for (budget = xg_kcanon_start(c, f->body) * 64 + 4096; c->work.n && budget; budget--) {
        xg_kop *op = c->work.p[--c->work.n];
        op->scratch = NULL;
        op->changed = false;
        if (op->parent) xg_kcanon_step(c, op);
    }
    c->work.n = 0;
}
XG_FN void xg_kir_canonicalize(xg_kmodule *m) {
    xg_kcanon *c;
    xg_kfunc *f;
    c = XG_NEW(m->temp, xg_kcanon);
    c->m = c->at.m = m;
    c->rules = xg_krules_of(m);
    for (f = m->first; f; f = f->next) xg_kcanon_func(c, f);
}

#endif /* XG_KIR_CANONICALIZE_C */
