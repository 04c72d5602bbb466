/* eval/run.c -- runs, values, frames, and the opcodes of structure and control.
 *
 * A run owns every value it makes (one list), its plans and its frames (two arenas), and gives them all back when it
 * ends or fails. A plan fixes for one computation the order of its live instructions and where each value is used last.
 * Elements are taken out of a tuple right after the tuple appears, so that the tuple's own hold on them ends: that lets
 * a loop body update an array of its state in place. */
#ifndef XG_EVAL_RUN_C
#define XG_EVAL_RUN_C
#include "eval.h"

/* ---- values ---- */

enum {
    XG_VALUE_HEAD = (sizeof(xg_value) + 15) / 16 * 16,
    XG_EVAL_NEST = 1000
};

XG_FN xg_value *xg_eval_block(xg_eval_run *r, const xg_shape *shape, size_t bytes) {
    xg_value *v = (xg_value *)xg_mem_alloc(r->ctx, xg_add(r->ctx, XG_VALUE_HEAD, bytes));
    if (!v)
        xg_fail(r->ctx, XLAGPU_ERROR_MEMORY, "out of memory: the evaluator needs %zu bytes beyond the %zu in use",
            bytes, r->ctx->live);
    memset(v, 0, sizeof *v);
    v->shape = shape;
    v->refs = 1;
    v->next = r->values;
    if (v->next) v->next->prev = v;
    r->values = v;
    return v;
}

XG_FN size_t xg_eval_bytes(xg_eval_run *r, const xg_shape *s) {
    return xg_mul(r->ctx, (size_t)s->elements, (size_t)xg_type_bytes(s->type));
}

XG_FN xg_value *xg_eval_scratch(xg_eval_run *r, size_t bytes) {
    xg_value *v = xg_eval_block(r, NULL, bytes);
    v->data = (unsigned char *)v + XG_VALUE_HEAD;
    return v;
}

XG_FN xg_value *xg_eval_new(xg_eval_run *r, const xg_shape *shape) {
    xg_value *v;
    if (!xg_shape_is_array(shape)) return xg_eval_block(r, shape, 0);
    v = xg_eval_scratch(r, xg_eval_bytes(r, shape));
    v->shape = shape;
    return v;
}

XG_FN xg_value *xg_eval_new_splat(xg_eval_run *r, const xg_shape *shape) {
    xg_value *v = xg_eval_scratch(r, (size_t)xg_type_bytes(shape->type));
    v->shape = shape;
    v->splat = shape->elements != 1;
    return v;
}

XG_FN xg_value *xg_eval_new_tuple(xg_eval_run *r, const xg_shape *shape, xg_value *const *elems) {
    xg_value *v = xg_eval_block(r, shape, xg_mul(r->ctx, shape->n_elems, sizeof *elems));
    v->elems = (xg_value **)(void *)((unsigned char *)v + XG_VALUE_HEAD);
    if (shape->n_elems) memcpy(v->elems, elems, shape->n_elems * sizeof *elems);
    return v;
}

XG_FN xg_value *xg_eval_keep(xg_value *v) {
    v->refs++;
    return v;
}

XG_FN void xg_eval_release(xg_eval_run *r, xg_value *v, xg_value **dead) {
    if (!v || --v->refs) return;
    if (v->prev)
        v->prev->next = v->next;
    else
        r->values = v->next;
    if (v->next) v->next->prev = v->prev;
    v->next = *dead;
    *dead = v;
}

/* A list, not recursion: tuples may be nested as deep as a module is long. */
XG_FN void xg_eval_drop(xg_eval_run *r, xg_value *v) {
    xg_value *dead = NULL;
    uint32_t k;
    xg_eval_release(r, v, &dead);
    while (dead) {
        v = dead;
        dead = v->next;
        xg_eval_release(r, v->owner, &dead);
        if (v->elems)
            for (k = 0; k < v->shape->n_elems; k++) xg_eval_release(r, v->elems[k], &dead);
        xg_mem_free(r->ctx, v);
    }
}

XG_FN xg_value *xg_eval_share(xg_eval_run *r, const xg_shape *shape, xg_value *v) {
    xg_value *out;
    if (v->elems || !v->data || v->shape == shape) return xg_eval_keep(v);
    out = xg_eval_block(r, shape, 0);
    out->data = v->data;
    out->splat = v->splat && shape->elements != 1;
    out->borrowed = v->borrowed;
    out->owner = xg_eval_keep(v->owner ? v->owner : v);
    return out;
}

XG_FN bool xg_eval_owned(const xg_value *v) {
    return v->data && !v->splat && !v->borrowed && v->refs == 1 && (!v->owner || v->owner->refs == 1);
}

XG_FN const unsigned char *xg_eval_dense(xg_eval_run *r, xg_value **v) {
    xg_value *out;
    if (!(*v)->splat) return (*v)->data;
    out = xg_eval_new(r, (*v)->shape);
    xg_eval_fill(out->data, (*v)->data, (size_t)xg_type_bytes(out->shape->type), (size_t)out->shape->elements);
    xg_eval_drop(r, *v);
    return (*v = out)->data;
}

XG_FN xg_value *xg_eval_own(xg_eval_run *r, xg_value **v) {
    xg_value *out = *v;
    if (xg_eval_owned(out)) {
        *v = NULL;
        return out;
    }
    xg_eval_dense(r, v);
    if (xg_eval_owned(*v)) {
        out = *v;
        *v = NULL;
        return out;
    }
    out = xg_eval_new(r, (*v)->shape);
    memcpy(out->data, (*v)->data, xg_eval_bytes(r, out->shape));
    return out;
}

XG_FN int64_t xg_eval_int_at(const xg_value *v, int64_t index) {
    xlagpu_type t = v->shape->type;
    return xg_eval_load_int(t, v->data + (v->splat ? 0 : index * xg_type_bytes(t)));
}

XG_FN void xg_eval_spend(xg_eval_run *r, int64_t operations) {
    r->work += (uint64_t)operations;
    if (r->options.spent) *r->options.spent = r->work;
    if (r->options.max_work && r->work > r->options.max_work)
        xg_fail(r->ctx, XLAGPU_ERROR_LIMIT, "evaluating takes more than the %llu element operations that were allowed",
            (unsigned long long)r->options.max_work);
}

XG_FN void xg_eval_spend_each(xg_eval_run *r, int64_t times, int64_t operations) {
    int64_t n;
    xg_eval_spend(r, xg_mul64(times, operations, &n) ? n : INT64_MAX / 2);
}

/* ---- literals in and out ---- */

XG_FN xg_value *xg_eval_borrow(xg_eval_run *r, const xg_literal *l, uint32_t depth) {
    xg_value *v, **elems;
    xg_mark mark;
    uint32_t k;
    if (depth > XG_EVAL_NEST) xg_fail(r->ctx, XLAGPU_ERROR_LIMIT, "a tuple nested deeper than %d", (int)XG_EVAL_NEST);
    if (l->shape->type != XLAGPU_TUPLE) {
        v = xg_eval_block(r, l->shape, 0);
        v->data = (unsigned char *)l->data;
        if (!v->data && xg_shape_is_array(l->shape))
            v->data = (unsigned char *)v; /* no elements: never read, but not a token */
        v->borrowed = true;
        return v;
    }
    mark = xg_arena_mark(&r->stack);
    elems = XG_NEW_N(&r->stack, xg_value *, l->shape->n_elems);
    for (k = 0; k < l->shape->n_elems; k++) elems[k] = xg_eval_borrow(r, l->elems[k], depth + 1);
    v = xg_eval_new_tuple(r, l->shape, elems);
    xg_arena_reset(&r->stack, mark);
    return v;
}

XG_FN const xg_literal *xg_eval_literal(xg_eval_run *r, xg_arena *a, const xg_value *v, uint32_t depth) {
    xg_literal *l = XG_NEW(a, xg_literal);
    uint32_t k;
    if (depth > XG_EVAL_NEST) xg_fail(r->ctx, XLAGPU_ERROR_LIMIT, "a tuple nested deeper than %d", (int)XG_EVAL_NEST);
    l->shape = v->shape;
    if (v->shape->type == XLAGPU_TUPLE) {
        const xg_literal **elems = XG_NEW_N(a, const xg_literal *, v->shape->n_elems);
        for (k = 0; k < v->shape->n_elems; k++) elems[k] = xg_eval_literal(r, a, v->elems[k], depth + 1);
        l->elems = elems;
    } else if (v->data) {
        size_t bytes = xg_eval_bytes(r, v->shape);
        l->data = xg_alloc_raw(a, bytes);
        if (v->splat)
            xg_eval_fill(
                (unsigned char *)l->data, v->data, (size_t)xg_type_bytes(v->shape->type), (size_t)v->shape->elements);
        else if (bytes)
            memcpy(l->data, v->data, bytes);
    }
    return l;
}

/* ---- plans ---- */

XG_FN void xg_eval_plan_place(xg_eval_run *r, xg_eval_plan *p, const xg_inst *i) {
    uint32_t k = p->n;
    p->insts[p->n] = i;
    r->position[i->id] = p->n++;
    for (; k < p->n; k++) {
        if (p->insts[k]->shape->type != XLAGPU_TUPLE) continue;
        XG_FOR_USES(u, p->insts[k])
            if (u->user->op == XG_GET_TUPLE_ELEMENT && r->position[u->user->id] == UINT32_MAX) {
                p->insts[p->n] = u->user;
                r->position[u->user->id] = p->n++;
            }
    }
}

/* Does an instruction do more than give its value? Those run whether or not their value is read; and what may contain
 * one of them does. */
XG_FN bool xg_eval_calls_act(xg_eval_run *r);
XG_FN bool xg_eval_acts(xg_eval_run *r, const xg_inst *i) {
    switch (i->op) {
    case XG_SEND:
    case XG_RECV:
    case XG_RECV_DONE:
    case XG_INFEED:
    case XG_OUTFEED:
    case XG_RNG:
    case XG_RNG_GET_AND_UPDATE_STATE: return true;
    case XG_CUSTOM_CALL: return xg_attr_or_0(i, XG_A_custom_call_has_side_effect) != 0;
    case XG_CALL:
    case XG_WHILE:
    case XG_CONDITIONAL:
    case XG_FUSION:
    case XG_ASYNC_START: return xg_eval_calls_act(r);
    default: return false;
    }
}

/* Whether a called computation may hold one of those: any in the module, looked for when the first call is met. */
XG_FN bool xg_eval_calls_act(xg_eval_run *r) {
    const xg_comp *c;
    if (r->acts_known) return r->acts;
    r->acts_known = true; /* and false, while other calls are passed */
    for (c = r->module->first; c && !r->acts; c = c->next)
        XG_FOR_INSTS(i, c)
            if (xg_eval_acts(r, i)) {
                r->acts = true;
                break;
            }
    return r->acts;
}

/* An evaluation may be of one small computation of a large module: nothing here walks the module, and positions are
 * written by the plan of their computation. */
XG_FN void xg_eval_first_plan(xg_eval_run *r) {
    r->plans = XG_NEW_N(&r->mem, xg_eval_plan *, r->module->n_comp_ids);
    r->position = (uint32_t *)xg_alloc_raw(&r->mem, xg_mul(r->ctx, r->module->n_ids, sizeof *r->position));
}

XG_FN xg_eval_plan *xg_eval_plan_of(xg_eval_run *r, const xg_comp *c) {
    xg_eval_plan *p;
    uint32_t k, o;
    if (!r->plans) xg_eval_first_plan(r);
    p = r->plans[c->id];
    if (p) return p;
    p = r->plans[c->id] = XG_NEW(&r->mem, xg_eval_plan);
    p->insts = XG_NEW_N(&r->mem, const xg_inst *, c->n_insts);
    p->last = XG_NEW_N(&r->mem, uint32_t, c->n_insts);
    XG_FOR_INSTS(i, c) r->position[i->id] = UINT32_MAX;
    XG_FOR_INSTS(i, c)
        if (r->position[i->id] == UINT32_MAX) xg_eval_plan_place(r, p, i);
    for (k = 0; k < p->n; k++) p->last[k] = UINT32_MAX; /* not needed */
    p->last[r->position[c->root->id]] = p->n;
    for (k = p->n; k-- > 0;) {
        const xg_inst *i = p->insts[k];
        if (p->last[k] == UINT32_MAX && xg_eval_acts(r, i)) p->last[k] = k;
        if (p->last[k] == UINT32_MAX) continue;
        if (!r->dynamic && xg_shape_has_dynamic(i->shape)) r->dynamic = true;
        for (o = 0; o < i->n_operands; o++) {
            uint32_t at = r->position[XG_OPERAND(i, o)->id];
            if (p->last[at] == UINT32_MAX) p->last[at] = k;
        }
    }
    return p;
}

/* ---- frames ---- */

#ifdef XLAGPU_SMALL
#include "small.h"
#else
#define XG_EVAL_FUNCTION(word) xg_eval_##word
#define XG_EVAL_IS_DYNAMIC(r) ((r)->dynamic)
#endif
enum {
#define X(word) XG_EVAL_##word,
    XG_EVAL_WORDS(X)
#undef X
};
XG_TABLE const xg_eval_handler xg_eval_handlers[] = {
#define X(word) XG_EVAL_FUNCTION(word),
    XG_EVAL_WORDS(X)
#undef X
};
XG_TABLE const uint8_t xg_eval_words[] = {
#define X(name, text, lo, hi, flags, types, infer, index, eval, elem, fuse, attrs) XG_EVAL_##eval,
    XG_OPS(X)
#undef X
};

XG_FN xg_eval_handler xg_eval_handler_of(xg_opcode op) { return xg_eval_handlers[xg_eval_words[op]]; }

XG_FN bool xg_eval_is_sized(const xg_inst *i) {
    uint32_t k;
    if (xg_sized_transparent(i->op)) return false;
    if (xg_shape_has_dynamic(i->shape)) return true;
    for (k = 0; k < i->n_operands; k++)
        if (XG_OPERAND(i, k)->shape->dynamic) return true;
    return false;
}

XG_FN xg_value *xg_eval_step(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    xg_value *v =
        XG_EVAL_IS_DYNAMIC(r) && xg_eval_is_sized(i) ? xg_eval_sized(r, i, in) : xg_eval_handler_of(i->op)(r, i, in);
    if (XG_EVAL_IS_DYNAMIC(r)) v = xg_eval_settle(r, i, v);
    uint32_t k;
    for (k = 0; k < i->n_operands; k++) xg_eval_drop(r, in[k]);
    return v;
}

/* Operands whose last use this is leave their slot; the others are counted once more. */
XG_FN void xg_eval_operands(xg_eval_run *r, const xg_eval_plan *p, uint32_t at, xg_value **slots, xg_value **in) {
    const xg_inst *i = p->insts[at];
    uint32_t k;
    for (k = 0; k < i->n_operands; k++) in[k] = xg_eval_keep(slots[r->position[XG_OPERAND(i, k)->id]]);
    for (k = 0; k < i->n_operands; k++) {
        uint32_t from = r->position[XG_OPERAND(i, k)->id];
        if (p->last[from] == at && slots[from]) {
            xg_eval_drop(r, slots[from]);
            slots[from] = NULL;
        }
    }
}

XG_FN xg_value *xg_eval_frame(xg_eval_run *r, const xg_comp *c, xg_value **args) {
    const xg_eval_plan *p = xg_eval_plan_of(r, c);
    xg_mark mark = xg_arena_mark(&r->stack);
    xg_value **slots = XG_NEW_N(&r->stack, xg_value *, p->n), *result;
    uint32_t at;
    if (++r->depth > XG_EVAL_DEPTH)
        xg_fail(r->ctx, XLAGPU_ERROR_LIMIT, "computations call each other deeper than %d levels", (int)XG_EVAL_DEPTH);
    for (at = 0; at < p->n; at++) {
        const xg_inst *i = p->insts[at];
        if (i->op == XG_PARAMETER) {
            if (p->last[at] == UINT32_MAX)
                xg_eval_drop(r, args[i->number]);
            else
                slots[at] = XG_EVAL_IS_DYNAMIC(r) ? xg_eval_settle(r, i, args[i->number]) : args[i->number];
            args[i->number] = NULL;
        } else if (p->last[at] != UINT32_MAX) {
            xg_mark inner = xg_arena_mark(&r->stack);
            xg_value **in = XG_NEW_N(&r->stack, xg_value *, i->n_operands);
            xg_eval_operands(r, p, at, slots, in);
            slots[at] = xg_eval_step(r, i, in);
            if (p->last[at] == at) {
                xg_eval_drop(r, slots[at]);
                slots[at] = NULL;
            } /* it only acted */
            xg_arena_reset(&r->stack, inner);
        }
    }
    r->depth--;
    result = slots[r->position[c->root->id]];
    xg_arena_reset(&r->stack, mark);
    return result;
}

/* ---- entries ---- */

/* One computation or one instruction, on one device or on a team: args[d][k], results[d]; or what `work` does. */
typedef struct xg_eval_job {
    const xg_comp *comp;
    const xg_inst *inst;
    const xg_literal *const *const *args;
    const xg_literal **results;
    uint32_t n_devices;
    xg_arena *arena;
    xg_eval_work work;
    void *data;
} xg_eval_job;

/* Shapes of another module become ours: shapes are compared by their pointers. */
XG_FN void xg_eval_adopt(xg_eval_run *r, xg_value *v, const xg_shape *as) {
    uint32_t k;
    as = xg_shape_held(as);
    if (v->shape->type == XLAGPU_TUPLE)
        for (k = 0; k < v->shape->n_elems; k++) xg_eval_adopt(r, v->elems[k], as->elems[k]);
    else if (xg_shape_is_array(v->shape))
        v->shape = as->dynamic ? xg_shape_plain(r->module, as->type, v->shape->dims, as->rank) : as;
}

XG_APART XG_FN void xg_eval_do(xg_eval_run *r, const xg_eval_job *job) {
    uint32_t n = job->comp ? job->comp->n_params : job->inst->n_operands, k, d;
    xg_value **args = XG_NEW_N(&r->mem, xg_value *, xg_mul(r->ctx, n, job->n_devices)),
             **results = XG_NEW_N(&r->mem, xg_value *, job->n_devices);
    bool *active = XG_NEW_N(&r->mem, bool, job->n_devices);
    for (d = 0; d < job->n_devices; d++) {
        active[d] = true;
        for (k = 0; k < n; k++) {
            xg_value *v = args[k * job->n_devices + d] = xg_eval_borrow(r, job->args[d][k], 0);
            xg_eval_adopt(r, v, job->comp ? job->comp->params[k]->shape : XG_OPERAND(job->inst, k)->shape);
        }
    }
    if (job->inst) {
        r->dynamic = true;
        results[0] = xg_eval_step(r, job->inst, args);
    } else if (job->n_devices == 1)
        results[0] = xg_eval_frame(r, job->comp, args);
#ifndef XLAGPU_SMALL
    else
        xg_team_frame(r, job->comp, active, args, results);
#endif
    for (d = 0; d < job->n_devices; d++) {
        job->results[d] = xg_eval_literal(r, job->arena, results[d], 0);
        xg_eval_drop(r, results[d]);
    }
}

XG_FN xg_eval_run *xg_eval_begin(xg_module *m, const xg_eval_options *o) {
    xg_eval_run *r = (xg_eval_run *)xg_mem_alloc(m->ctx, sizeof *r);
    if (!r) xg_fail(m->ctx, XLAGPU_ERROR_MEMORY, "out of memory: no %zu bytes to begin an evaluation", sizeof *r);
    memset(r, 0, sizeof *r);
    r->ctx = m->ctx;
    r->module = m;
    if (o) r->options = *o;
    xg_arena_init(&r->mem, r->ctx);
    xg_arena_init(&r->stack, r->ctx);
    return r;
}

XG_FN void xg_eval_end(xg_eval_run *r) {
    xg_ctx *c = r->ctx;
    while (r->values) {
        xg_value *v = r->values;
        r->values = v->next;
        xg_mem_free(c, v);
    }
    xg_arena_free(&r->stack);
    xg_arena_free(&r->mem);
    xg_mem_free(c, r);
}

/* Runs a job; when it fails, gives back what the run holds and lets the failure go on to the guard outside, unless the
 * caller only asks. */
XG_FN void xg_eval_guarded(xg_module *m, const xg_eval_job *job, const xg_eval_options *o) {
    xg_ctx *const c = m->ctx;
    jmp_buf *const outer = c->guard;
    xg_eval_run *const r = xg_eval_begin(m, o);
    jmp_buf here;
    if (setjmp(here)) {
        c->guard = outer;
        xg_eval_end(r);
        if (!o || !o->may_refuse || c->status == XLAGPU_ERROR_MEMORY) xg_jump(c);
        c->status = XLAGPU_OK;
        c->message[0] = 0;
        return;
    }
    (void)xg_try(c, &here);
    r->n_devices = job->n_devices;
    r->partitions = job->n_devices == 1 ? 1 : (uint32_t)XG_MAX(m->num_partitions, (int64_t)1);
    xg_random_begin(r);
    if (job->work)
        job->work(r, job->data);
    else
        xg_eval_do(r, job);
    xg_end(c, outer);
    xg_eval_end(r);
}

XG_FN const char *xg_eval_shape_text(xg_arena *a, const xg_shape *s) {
    xg_buf b;
    xg_buf_init(&b, a);
    xg_shape_print(&b, s, false);
    return b.p;
}

/* Is a value of shape `have` one of shape `want`? The two may belong to different modules. */
XG_FN bool xg_eval_accepts(const xg_shape *want, const xg_shape *have) {
    uint32_t k;
    want = xg_shape_held(want);
    have = xg_shape_held(have);
    if (want->type != have->type || want->rank != have->rank || want->n_elems != have->n_elems) return false;
    if (want->type == XLAGPU_TUPLE) {
        for (k = 0; k < want->n_elems; k++)
            if (!xg_eval_accepts(want->elems[k], have->elems[k])) return false;
        return true;
    } /* as deep as shapes may be */
    for (k = 0; k < want->rank; k++) {
        uint8_t kind = want->dynamic ? want->dynamic[k] : (uint8_t)XG_DIM_STATIC;
        if (kind == XG_DIM_STATIC ? have->dims[k] != want->dims[k]
                                  : kind == XG_DIM_BOUNDED && have->dims[k] > want->dims[k])
            return false;
    }
    return true;
}

XG_FN void xg_eval_check_args(const xg_comp *c, xg_arena *a, const xg_literal *const *args, uint32_t n) {
    xg_ctx *ctx = c->module->ctx;
    uint32_t k;
    if (n != c->n_params)
        xg_fail(ctx, XLAGPU_ERROR_USAGE, "%.*s takes %u arguments, but %u were given", (int)c->name.n, c->name.p,
            c->n_params, n);
    for (k = 0; k < n; k++)
        if (!xg_eval_accepts(c->params[k]->shape, args[k]->shape))
            xg_fail(ctx, XLAGPU_ERROR_USAGE, "argument %u is %s, but parameter %.*s of %.*s is %s", k,
                xg_eval_shape_text(a, args[k]->shape), (int)c->params[k]->name.n, c->params[k]->name.p, (int)c->name.n,
                c->name.p, xg_eval_shape_text(a, c->params[k]->shape));
}

XG_FN const xg_literal *xg_eval_comp(
    xg_comp *c, xg_arena *a, const xg_literal *const *args, uint32_t n, const xg_eval_options *o) {
    const xg_literal *result = NULL;
    xg_eval_job job = {c, NULL, &args, &result, 1, a, NULL, NULL};
    xg_eval_check_args(c, a, args, n);
    xg_eval_guarded(c->module, &job, o);
    return result;
}

XG_FN const xg_literal *xg_eval_module(
    xg_module *m, xg_arena *a, const xg_literal *const *args, uint32_t n, const xg_eval_options *o) {
    return xg_eval_comp(m->entry, a, args, n, o);
}

XG_FN const xg_literal *const *xg_eval_replicas(xg_module *m, xg_arena *a, const xg_literal *const *const *args,
    uint32_t n_args, uint32_t n_devices, const xg_eval_options *o) {
    xg_eval_job job = {m->entry, NULL, args, NULL, n_devices, a, NULL, NULL};
    uint32_t d, partitions = (uint32_t)XG_MAX(m->num_partitions, (int64_t)1);
    if (!n_devices || (n_devices > 1 && n_devices % partitions))
        xg_fail(m->ctx, XLAGPU_ERROR_USAGE, "%u devices cannot hold replicas of %u partitions", n_devices, partitions);
    job.results = XG_NEW_N(a, const xg_literal *, n_devices);
    for (d = 0; d < n_devices; d++) xg_eval_check_args(m->entry, a, args[d], n_args);
    xg_eval_guarded(m, &job, o);
    return job.results;
}

XG_FN const xg_literal *xg_eval_inst_const(
    const xg_inst *i, xg_arena *a, const xg_literal *const *operands, const xg_eval_options *o) {
    const xg_literal *result = NULL;
    xg_eval_job job = {NULL, i, &operands, &result, 1, a, NULL, NULL};
    xg_eval_guarded(i->comp->module, &job, o);
    return result;
}

XG_FN void xg_eval_with(xg_module *m, xg_eval_work work, void *data, const xg_eval_options *o) {
    xg_eval_job job = {NULL, NULL, NULL, NULL, 1, NULL, work, data};
    xg_eval_guarded(m, &job, o);
}

/* ---- opcodes: sources and tuples ---- */

/* Parameters are taken by frames; alone, one has no value. */
XG_FN xg_value *xg_eval_parameter(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    (void)r;
    (void)in;
    xg_hlo_fail(i, XLAGPU_ERROR_USAGE, NULL, "it has no value by itself");
}

XG_FN bool xg_eval_is_elided(const xg_literal *l, uint32_t depth) {
    uint32_t k;
    if (l->elided) return true;
    if (l->shape->type == XLAGPU_TUPLE && depth < XG_EVAL_NEST)
        for (k = 0; k < l->shape->n_elems; k++)
            if (xg_eval_is_elided(l->elems[k], depth + 1)) return true;
    return false;
}

XG_FN xg_value *xg_eval_constant(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    xg_literal *filled;
    (void)in;
    if (!xg_eval_is_elided(i->literal, 0)) return xg_eval_borrow(r, i->literal, 0);
    if (!r->options.fill_elided)
        xg_hlo_invalid(i,
            "export the module with its constants in full (print_large_constants=true), or ask for made-up values with "
            "--fill_elided_constants",
            "its values were left out of the text");
    filled = xg_literal_new(&r->mem, i->shape);
    xg_literal_fill(filled, r->options.seed + xg_literal_seed(i));
    return xg_eval_borrow(r, filled, 0);
}

XG_FN xg_value *xg_eval_tuple(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    xg_value *v = xg_eval_new_tuple(r, i->shape, in);
    uint32_t k;
    for (k = 0; k < i->n_operands; k++) in[k] = NULL;
    return v;
}

XG_FN xg_value *xg_eval_get_tuple_element(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    (void)r;
    return xg_eval_keep(in[0]->elems[xg_attr_index(i)]);
}

XG_FN xg_value *xg_eval_first(xg_value **in) {
    xg_value *v = in[0];
    in[0] = NULL;
    return v;
}
XG_FN xg_value *xg_eval_opt_barrier(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    (void)r;
    (void)i;
    return xg_eval_first(in);
}
XG_FN xg_value *xg_eval_add_dependency(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    (void)r;
    (void)i;
    return xg_eval_first(in);
}
XG_FN xg_value *xg_eval_after_all(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    (void)in;
    return xg_eval_new(r, i->shape);
}

/* ---- opcodes: control ---- */

XG_FN xg_value *xg_eval_call(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    return xg_eval_frame(r, xg_attr_to_apply(i), in);
}
XG_FN xg_value *xg_eval_fusion(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    return xg_eval_frame(r, xg_attr_calls(i), in);
}

XG_FN xg_value *xg_eval_while(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    const xg_comp *condition = xg_attr_comp(i, XG_A_condition), *body = xg_attr_comp(i, XG_A_body);
    xg_value *state = xg_eval_first(in);
    for (;;) {
        xg_value *arg = xg_eval_keep(state), *more = xg_eval_frame(r, condition, &arg);
        bool go = more->data[0] != 0;
        xg_eval_drop(r, more);
        if (!go) return state;
        xg_eval_spend(r, 1);
        arg = state;
        state = xg_eval_frame(r, body, &arg);
    }
}

/* The branch that a pred or an index chooses; an index out of range chooses the last one. */
XG_FN uint32_t xg_eval_branch_of(const xg_inst *i, const xg_value *index) {
    int64_t n = (int64_t)i->n_operands - 1, k = xg_eval_int_at(index, 0);
    if (index->shape->type == XLAGPU_PRED) k = k ? 0 : 1;
    return (uint32_t)(k < 0 || k >= n ? n - 1 : k);
}
XG_FN const xg_comp *xg_eval_branch(const xg_inst *i, uint32_t k) {
    const xg_attr *branches = xg_inst_attr(i, XG_A_branch_computations);
    return branches ? branches->v.comps->p[k]
                    : xg_attr_comp(i, k == 0 ? XG_A_true_computation : XG_A_false_computation);
}
XG_FN xg_value *xg_eval_conditional(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    uint32_t k = xg_eval_branch_of(i, in[0]);
    return xg_eval_frame(r, xg_eval_branch(i, k), in + 1 + k);
}

XG_ONE_COPY XG_FN xg_value *xg_eval_scalar_int(xg_eval_run *r, const xg_inst *i, int64_t v) {
    xg_value *out = xg_eval_new(r, i->shape);
    xg_eval_store_int(i->shape->type, out->data, v);
    return out;
}
XG_FN xg_value *xg_eval_replica_id(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    (void)in;
    return xg_eval_scalar_int(r, i, r->n_devices > 1 ? r->device / r->partitions : r->options.replica);
}
XG_FN xg_value *xg_eval_partition_id(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    (void)in;
    return xg_eval_scalar_int(r, i, r->n_devices > 1 ? r->device % r->partitions : r->options.partition);
}

#endif /* XG_EVAL_RUN_C */
