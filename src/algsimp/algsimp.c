/* algsimp/algsimp.c -- AlgebraicSimplifier: applies the rules of algsimp.h until none applies.
 *
 * A queue of instructions: all of them in program order, then what a rewrite has touched: the instructions that it
 * made, the users of the new value, and operands that lost a user. So an instruction is looked at a few times, however
 * large the module. What has lost its last user is removed at once, and its operands with it, so that rules which ask
 * for a single user see the truth.
 *
 * The rules make programs smaller or move them one way; should two of them ever disagree, the number of rewrites is
 * bounded. */
#ifndef XG_ALGSIMP_ALGSIMP_C
#define XG_ALGSIMP_ALGSIMP_C
#include "algsimp.h"

typedef xg_inst *(*xg_alg_fn)(xg_alg *a, xg_inst *i);
enum {
    XG_ANY = XG_OPCODE_COUNT
};
/* Columns take less than rows, which would be filled up to 16 bytes. */
XG_TABLE const xg_alg_fn xg_alg_runs[] = {
#define X(name, op, law) xg_alg_##name,
    XG_ALG_RULES(X)
#undef X
};
XG_TABLE const uint8_t xg_alg_ops[] = {
#define X(name, op, law) (uint8_t) XG_##op,
    XG_ALG_RULES(X)
#undef X
};
XG_TABLE const uint8_t xg_alg_laws[] = {
#define X(name, op, law) XG_ALG_##law,
    XG_ALG_RULES(X)
#undef X
};
/* Their names, which tests ask for: one text takes less than pointers in the rows. */
XG_APART XG_FN const char *xg_alg_name(uint32_t k) {
    const char *name =
#define X(name, op, law) #name "\0"
        XG_ALG_RULES(X);
#undef X
    while (k--) name += strlen(name) + 1;
    return name;
}
enum {
    XG_ALG_RULE_COUNT = sizeof xg_alg_laws,
    XG_ALG_REWRITES = 8
};

typedef struct xg_alg_run {
    xg_alg a;
    const char *only;                    /* one rule, for its tests */
    uint16_t first[XG_OPCODE_COUNT + 2]; /* rules of an opcode: order[first[op]] .. order[first[op + 1] - 1] */
    uint16_t order[XG_ALG_RULE_COUNT];
    XG_VEC(xg_inst *) queue;
    uint32_t at;
    XG_VEC(unsigned char) state; /* by id */
    uint64_t budget;
    const unsigned char *precedes;
    uint32_t n_precedes;
} xg_alg_run;
enum {
    XG_ALG_QUEUED = 1,
    XG_ALG_GONE = 2
};

XG_FN void xg_alg_index(xg_alg_run *r) {
    uint16_t at[XG_OPCODE_COUNT + 1];
    uint32_t op, k;
    for (k = 0; k < XG_ALG_RULE_COUNT; k++)
        if (!r->only || strcmp(r->only, xg_alg_name(k)) == 0) r->first[xg_alg_ops[k] + 1]++;
    for (op = 0; op <= XG_OPCODE_COUNT; op++) {
        at[op] = r->first[op];
        r->first[op + 1] = (uint16_t)(r->first[op + 1] + r->first[op]);
    }
    for (k = 0; k < XG_ALG_RULE_COUNT; k++)
        if (!r->only || strcmp(r->only, xg_alg_name(k)) == 0) r->order[at[xg_alg_ops[k]]++] = (uint16_t)k;
}
XG_FN unsigned char *xg_alg_state(xg_alg_run *r, const xg_inst *i) {
    while (r->state.n <= i->id) xg_push(r->a.m->work, unsigned char, &r->state, 0);
    return &r->state.p[i->id];
}
XG_FN void xg_alg_enqueue(xg_alg_run *r, xg_inst *i) {
    unsigned char *s = xg_alg_state(r, i);
    if (*s) return;
    *s = XG_ALG_QUEUED;
    xg_push(r->a.m->work, xg_inst *, &r->queue, i);
}
/* Removes i if nothing needs it, then its operands; those that stay have one user less. */
XG_FN void xg_alg_drop(xg_alg_run *r, xg_inst *i) {
    XG_VEC(xg_inst *) work = {NULL, 0, 0};
    uint32_t k;
    xg_push(r->a.m->work, xg_inst *, &work, i);
    while (work.n) {
        xg_inst *d = work.p[--work.n];
        if (*xg_alg_state(r, d) & XG_ALG_GONE) continue;
        if (d->first_use || d == d->comp->root || d->op == XG_PARAMETER ||
            (d->id < r->n_precedes && r->precedes[d->id]) || xg_inst_order(d) ||
            (xg_op_flags(d->op) & (XGF_EFFECT | XGF_COLL | XGF_START | XGF_DONE)) || d->op == XG_WHILE ||
            d->op == XG_CONDITIONAL || d->op == XG_CALL) {
            if (d != i) xg_alg_enqueue(r, d);
            continue;
        }
        *xg_alg_state(r, d) |= XG_ALG_GONE;
        for (k = 0; k < d->n_operands; k++) xg_push(r->a.m->work, xg_inst *, &work, XG_OPERAND(d, k));
        xg_inst_remove(d);
    }
}
XG_FN bool xg_alg_is_static(const xg_inst *i) {
    uint32_t k;
    if (i->shape->dynamic) return false;
    for (k = 0; k < i->n_operands; k++)
        if (XG_OPERAND(i, k)->shape->dynamic) return false;
    return true;
}
XG_FN xg_inst *xg_alg_try(xg_alg_run *r, xg_inst *i, uint32_t op) {
    uint32_t k;
    for (k = r->first[op]; k < r->first[op + 1]; k++) {
        xg_inst *made = xg_alg_runs[r->order[k]](&r->a, i);
        if (made) return made;
    }
    return NULL;
}
/* One instruction; true when it was changed. */
XG_FN bool xg_alg_visit(xg_alg_run *r, xg_inst *i) {
    xg_inst *before = i->prev, *made, *k;
    uint32_t fresh = r->a.m->n_ids;
    if (r->a.m->has_dynamic && !xg_alg_is_static(i)) return false;
    r->a.b = xg_hb_at(i);
    made = xg_alg_try(r, i, i->op);
    if (!made && (xg_op_flags(i->op) & XGF_EW)) made = xg_alg_try(r, i, XG_ANY);
    for (k = before ? before->next : i->comp->first; k != i; k = k->next)
        if (k->id >= fresh) xg_alg_enqueue(r, k);
    if (!made) return false;
    if (made == i) {
        xg_alg_enqueue(r, i);
        XG_FOR_USES(u, i) xg_alg_enqueue(r, u->user);
        return true;
    }
    /* not those that the new value had before: they may be many, and nothing changed for them */
    XG_FOR_USES(u, i) xg_alg_enqueue(r, u->user);
    xg_opt_replace(i, made);
    xg_alg_enqueue(r, made);
    xg_alg_drop(r, i);
    return true;
}

/* The next one whose turn it is: removed where nothing needs it, else visited. */
XG_FN bool xg_alg_step(xg_alg_run *r, xg_inst *i) {
    unsigned char *s = xg_alg_state(r, i);
    if (*s & XG_ALG_GONE) return false;
    *s = 0;
    if (!i->first_use && i != i->comp->root && i->op != XG_PARAMETER) xg_alg_drop(r, i);
    if (*xg_alg_state(r, i) & XG_ALG_GONE || !xg_alg_visit(r, i)) return false;
    r->budget--;
    return true;
}
/* First all that there are, in program order, as if they stood in the queue; then the queue: what changes enqueued. A
 * rule removes nothing itself and makes what it makes in front of the instruction, so the next one stays the next. */
XG_FN bool xg_alg_run_rules(xg_module *m, const char *only) {
    xg_alg_run *r = XG_NEW(m->work, xg_alg_run);
    xg_comp *c;
    bool changed = false;
    r->a.m = m;
    r->only = only;
    r->precedes = xg_opt_control_sources(m);
    r->n_precedes = m->n_ids;
    r->budget = 1000;
    r->state.n = r->state.cap = m->n_ids;
    r->state.p = (unsigned char *)xg_alloc_raw(m->work, m->n_ids);
    memset(r->state.p, XG_ALG_QUEUED, m->n_ids);
    xg_alg_index(r);
    for (c = m->first; c; c = xg_comp_behind(c)) {
        xg_inst *i = c->first, *next;
        r->budget += (uint64_t)c->n_insts * XG_ALG_REWRITES;
        for (; i; i = next) {
            next = xg_inst_behind(i);
            if (i->id < r->n_precedes) changed = xg_alg_step(r, i) || changed;
        }
    }
    while (r->at < r->queue.n && r->budget) changed = xg_alg_step(r, r->queue.p[r->at++]) || changed;
    XLAGPU_ASSERT(r->budget); /* two rules turn each other back */
    return changed;
}
XG_FN bool xg_algsimp(xg_module *m) { return xg_alg_run_rules(m, NULL); }
/* For the tests of a rule: its name at an index (NULL at the end), and whether it is CLOSE. */
XG_FN const char *xg_algsimp_rule(uint32_t k, bool *close) {
    if (k >= XG_ALG_RULE_COUNT) return NULL;
    *close = xg_alg_laws[k] == XG_ALG_CLOSE;
    return xg_alg_name(k);
}
XG_FN bool xg_algsimp_only(xg_module *m, const char *rule) { return xg_alg_run_rules(m, rule); }

#endif /* XG_ALGSIMP_ALGSIMP_C */
