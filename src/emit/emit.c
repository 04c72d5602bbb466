/* emit/emit.c -- from a fusion instruction to a kernel module: declare, partition, choose the emitter. */
#ifndef XG_EMIT_EMIT_C
#define XG_EMIT_EMIT_C
#include "emit.h"
#include "emitters.h"
#include "convolution.c"
#include "scattered.c"
#include "sliding_rows.c"

typedef enum xg_emitter_id {
#define X(name, text, plan, emit) XG_EMITTER_##name,
    XG_EMITTERS(X)
#undef X
} xg_emitter_id;
XG_TABLE const xg_emitter xg_emitters[] = {
#define X(name, text, plan, emit) {text, plan, emit},
    XG_EMITTERS(X)
#undef X
};

XG_FN const xg_emitter *xg_emit_row(uint32_t k) { return k < XG_COUNT(xg_emitters) ? &xg_emitters[k] : NULL; }
XG_FN const xg_emitter *xg_emit_find(xg_str name) {
    uint32_t k;
    for (k = 0; k < XG_COUNT(xg_emitters); k++)
        if (xg_str_is(name, xg_emitters[k].name)) return &xg_emitters[k];
    return NULL;
}

/* The emitter of several kernels' work in one; a small build has none. */
XG_FN const xg_emitter *xg_emit_phases_row(void) {
#ifdef XLAGPU_SMALL
    return NULL;
#else
    return &xg_emitters[XG_EMITTER_PHASES];
#endif
}
/* What an emitter that refused has written is gone. */
XG_FN bool xg_emit_plan(xg_fusion_emission *e, const xg_emitter *by) {
    xg_record *r = e->record;
    memset(&r->form, 0, sizeof r->form);
    memset(&r->launch, 0, sizeof r->launch);
    r->why = xg_str_of(NULL, 0);
    r->kind = XG_STR("emitter");
    r->way = xg_str_z(by->name);
    if (!e->parts != (by == xg_emit_phases_row())) return false; /* members have elements, the whole has none */
    if (e->rounds && by != &xg_emitters[0]) return false;        /* a loop has one way */
    return by->plan(e);
}
/* An emitter that would take the fusion, but not in the form that is ordered, says why, and ends the search. */
XG_FN const xg_emitter *xg_emit_choose(xg_fusion_emission *e) {
    uint32_t k;
    for (k = 0; k < XG_COUNT(xg_emitters); k++) {
        if (xg_emit_plan(e, &xg_emitters[k])) return &xg_emitters[k];
        if (xg_form_is_ordered(e) && e->record->why.n) return NULL;
    }
    xg_hlo_fail(
        e->fusion, XLAGPU_ERROR_UNSUPPORTED, "run it with --platform=interpreter", "no emitter takes this fusion");
}

XG_FN xg_kfunc *xg_emit_entry(xg_fusion_emission *e, xg_str name) {
    uint32_t n = e->comp->n_params, all = n + e->n_roots, k;
    const xg_ktype **types = XG_NEW_N(e->arena, const xg_ktype *, all + 2);
    xg_kfunc *f;
    for (k = 0; k < n; k++) types[k] = xg_emit_tensor_type(e->m, e->comp->params[k]->shape);
    for (k = 0; k < e->n_roots; k++) types[n + k] = xg_emit_tensor_type(e->m, e->roots[k]->shape);
    if (e->scratch) types[all++] = e->scratch;
    if (e->record->launch.counters) types[all++] = xg_kir_tensor(e->m, XG_E_I32, &e->record->launch.counters, 1);
    f = xg_kir_func(e->m, name, types, all, types + n, e->n_roots);
    f->entry = true;
    f->n_inputs = n;
    f->args = XG_NEW_N(e->arena, xg_karg, all);
    for (k = n + e->n_roots; k < all; k++) {
        xg_emit_name(e->m, &f->body->args[k], "work%u", k - n - e->n_roots);
        f->args[k].written = true;
    }
    for (k = 0; k < n; k++) xg_emit_name(e->m, &f->body->args[k], n == 1 ? "input" : "input%u", k);
    for (k = 0; k < e->n_roots; k++)
        xg_emit_name(e->m, &f->body->args[n + k], e->n_roots == 1 ? "output" : "output%u", k);
    memcpy(f->threads, e->record->launch.threads, sizeof f->threads);
    memcpy(f->blocks, e->record->launch.blocks, sizeof f->blocks);
    f->cluster = (uint32_t)e->record->launch.cluster;
    e->m->entry = f;
    xg_set_init(&e->m->constants, e->m->arena); /* each constant once, from the first one on */
    return f;
}

/* Inside a kernel several outputs are made at one index; so they must have the same dimensions. */
XG_FN void xg_emit_check_outputs(const xg_inst *i) {
    uint32_t k;
    if (i->shape->type != XLAGPU_TUPLE || i->op == XG_RNG_BIT_GENERATOR || xg_is_block_call(i) ||
        (i->op == XG_TUPLE && i == i->comp->root))
        return;
    for (k = 0; k < i->shape->n_elems; k++)
        if (!xg_shape_is_array(i->shape->elems[k]) || !xg_shape_same_dims(i->shape->elems[k], i->shape->elems[0]))
            xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, "run it with --platform=interpreter",
                "%s with outputs of different dimensions is not supported in kernels", xg_op_name(i->op));
}

XG_FN void xg_emit_check_leaves(const xg_fusion_emission *e) {
    uint32_t k;
    if (e->parts)
        XG_FOR_INSTS(i, e->comp) xg_emit_check_outputs(i);
    for (k = 0; k < e->n_roots; k++)
        if (!xg_shape_is_array(e->roots[k]->shape))
            xg_hlo_fail(e->fusion, XLAGPU_ERROR_UNSUPPORTED, NULL, "a fusion may give arrays or one tuple of arrays");
    for (k = 0; k < e->comp->n_params; k++)
        if (!xg_shape_is_array(e->comp->params[k]->shape))
            xg_hlo_fail(
                e->fusion, XLAGPU_ERROR_UNSUPPORTED, NULL, "a fusion may take arrays only; operand %u is not one", k);
}

enum {
    XG_EMIT_NODES = 256
}; /* expressions of a kernel of usual size */
XG_FN xg_kmodule *xg_emit_module(xg_arena *a) {
    xg_aff_ctx *x = xg_aff_new(a);
    xg_set_reserve(&x->nodes, XG_EMIT_NODES);
    return xg_kir_module(a->ctx, a, x);
}

#ifndef XLAGPU_SMALL
/* One round is what elements are made of; the loop's results are what the round makes of them. */
XG_FN void xg_emit_open_loop(xg_fusion_emission *e) {
    xg_rounds *r = xg_rounds_open(e->arena, e->m->aff, e->comp);
    xg_inst **roots;
    uint32_t k;
    if (!r)
        xg_hlo_fail(e->fusion, XLAGPU_ERROR_UNSUPPORTED, "leave it outside of the fusion",
            "a loop of this form is not supported in kernels");
    e->n_roots = r->results.n;
    roots = XG_NEW_N(e->arena, xg_inst *, e->n_roots + (size_t)1);
    for (k = 0; k < e->n_roots; k++) roots[k] = r->state[r->results.p[k]].next;
    e->roots = roots;
    e->rounds = r;
    e->comp = r->comp;
    e->parts = r->parts;
}
#endif
XG_FN void xg_emit_open(
    xg_fusion_emission *e, xg_kmodule *m, xg_arena *a, const xg_inst *fusion, const xg_emit_target *target) {
    xg_inst **roots;
    uint32_t k;
    memset(e, 0, sizeof *e);
    e->ctx = a->ctx;
    e->arena = a;
    e->target = target;
    e->fusion = fusion;
    e->name = fusion->name;
    e->last = fusion->comp->module->last;
    e->record = XG_NEW(a, xg_record);
    e->comp = xg_attr_calls(fusion);
    e->m = m ? m : xg_emit_module(a);
#ifndef XLAGPU_SMALL
    if (e->comp->n_control) {
        xg_emit_open_loop(e);
        return;
    }
#endif
    if (!xg_fuse_is_phases(fusion)) { /* else there are no elements, but in its members */
        e->parts = xg_fuse_partition(a, e->m->aff, e->comp);
        e->n_roots = e->parts->n_roots;
        e->roots = e->parts->roots;
        return;
    }
    xg_fuse_check_phases(fusion);
    e->n_roots = (uint32_t)xg_shape_leaves(fusion->shape);
    roots = XG_NEW_N(a, xg_inst *, e->n_roots + (size_t)1);
    for (k = 0; k < e->n_roots; k++) roots[k] = xg_fuse_leaf(e->comp, k);
    e->roots = roots;
}
XG_FN void xg_emit_open_way(xg_fusion_emission *e, const xg_way_job *job) {
    if (job->e)
        *e = *job->e;
    else
        xg_emit_open(e, NULL, job->arena, job->fusion, job->target);
    e->given = job->given;
    e->record = XG_NEW(job->arena, xg_record);
}

/* What all threads ask for at a time should cover the way from memory. A thread of four elements of 16 bits asks for 8
 * bytes, and waits for them during most of its life; where the way takes more than that, of an H200 and of a B200,
 * accesses of 16 bytes bring eight. */
XG_FN int64_t xg_emit_widest(const xg_device *d) {
    enum {
        FEW = 4,
        MORE = 8,
        WAY_BYTES = 5, /* of a thread, on their way at a time: 8 for about two thirds of the time */
        KILO = 1000    /* MHz: bytes in a nanosecond, over clocks in a microsecond */
    };
    int64_t way =
        xg_cost_scale(xg_device_gbs(d->bandwidth) * KILO, d->memory_latency, XG_MAX(d->clock_mhz, (int64_t)1));
    return way > xg_device_threads(d) * WAY_BYTES ? MORE : FEW;
}
XG_FN xg_emit_target xg_emit_target_of(const xg_device *d, bool deterministic) {
    xg_emit_target t;
    t.resident_threads = xg_device_threads(d);
    t.sms = d->sm_count;
    t.max_unroll = xg_device_is_cpu(d) ? 1 : 4; /* a processor's lanes are neighbouring threads */
    t.max_vector = t.max_unroll == 1 ? 1 : xg_emit_widest(d);
    t.shared = d->shared_per_block;
    t.cluster = d->blocks_per_cluster;
    t.red_bytes = d->red_bytes;
    t.deterministic = deterministic;
    return t;
}

XG_FN void xg_emit_move(xg_fusion_emission *e, xg_arena *to, const xg_emit_target *target) {
    e->arena = to;
    e->m->arena = e->m->temp = to;
    e->m->aff->arena = to;
    e->target = target;
}
XG_FN bool xg_emit_adds_nothing(const xg_fusion_emission *e) { return e->fusion->comp->module->last == e->last; }
XG_FN void xg_emit_close(xg_fusion_emission *e) {
    xg_module *m = e->fusion->comp->module;
    xg_comp *c;
    while ((c = m->last) != e->last) xg_comp_remove(c);
}

XG_FN void xg_emit_by(xg_fusion_emission *e, const xg_emitter *by) {
    if (e->parts) xg_emit_entry(e, e->name);
    by->emit(e);
}

#endif /* XG_EMIT_EMIT_C */
