/* choice/choice.c -- plans each fusion by every way (emitter or rule), writes the record of the fastest, and emits code
 * by the record.
 *
 * A way's plan may be restricted by an order: a record that the module brings, or that was measured (tuned). Equal
 * fusions are planned once and get equal records. */
#ifndef XG_CHOICE_CHOICE_C
#define XG_CHOICE_CHOICE_C
#include "choice.h"

XG_TABLE const xg_way xg_rules[] = {
#define X(kind, text, plan, emit) {kind, text, plan, emit},
    XG_RULES(X)
#undef X
        {NULL, NULL, NULL, NULL}};

XG_FN const xg_way *xg_choice_rule(xg_str kind, xg_str name) {
    const xg_way *w;
    for (w = xg_rules; w->name; w++)
        if (xg_str_is(kind, w->kind) && xg_str_is(name, w->name)) return w;
    return NULL;
}
/* The names of all ways by number, for xg_nearest. */
XG_FN const char *xg_choice_nth_name(const void *user, size_t i) {
    uint32_t n = 0;
    (void)user;
    while (xg_emit_row(n)) n++;
    return i < n ? xg_emit_row((uint32_t)i)->name : xg_rules[i - n].name;
}

/* ---- one fusion ---- */

typedef struct xg_choosing {
    xg_way_job job;
    const char *wrong, *hint; /* why the way cannot follow the order */
    xg_record *r;             /* the result */
    const xg_emitter *by;
    const xg_way *rule; /* exactly one of by and rule is not NULL */
    uint32_t n_leaves;
    xg_ints *over;
    xg_fusion_emission e;
} xg_choosing;

/* Keeps the message, which the caller raises or drops; always false. */
XG_PRINTF(3, 4) XG_FN bool xg_choice_wrong(xg_choosing *w, const char *hint, const char *format, ...) {
    va_list args;
    char text[400];
    va_start(args, format);
    xg_vformat(text, sizeof text, format, args);
    va_end(args);
    w->wrong = xg_str_copy(w->job.arena, xg_str_z(text)).p;
    w->hint = hint;
    return false;
}
XG_NORETURN XG_FN void xg_choice_fail(const xg_choosing *w) {
    xg_hlo_fail(w->job.fusion, XLAGPU_ERROR_INVALID, w->hint, "the record of this kernel: %s", w->wrong);
}
XG_FN bool xg_choice_unknown(xg_choosing *w) {
    const xg_record *r = w->job.given;
    const char *nearby = xg_nearest(r->way, xg_choice_nth_name, NULL), *ask = "; did you mean '";
    if (nearby && xg_str_is(r->way, nearby)) { /* the name exists under the other key */
        ask = "; did you mean the key '";
        nearby = xg_emit_find(r->way) ? "emitter" : "rule";
    }
    return xg_choice_wrong(w, "leave it out: what is not given is decided", "there is no %.*s '%.*s'%s%s%s",
        (int)r->kind.n, r->kind.p, (int)r->way.n, r->way.p, nearby ? ask : "", nearby ? nearby : "",
        nearby ? "'?" : "");
}
XG_FN bool xg_choice_refuse(xg_choosing *w, const xg_record *r, xg_str why) {
    if (!why.n) why = XG_STR("it does not take this fusion");
    return xg_choice_wrong(w, "leave out of the record what cannot be obeyed", "the %.*s '%.*s' cannot obey: %.*s",
        (int)r->kind.n, r->kind.p, (int)r->way.n, r->way.p, (int)why.n, why.p);
}
/* True if the plan has every number of the order; otherwise the message names the first that differs. */
XG_FN bool xg_choice_check(xg_choosing *w, const xg_record *made) {
    const char *which = w->job.given ? xg_record_disobeys(w->job.given, made) : NULL;
    const xg_numbers *is;
    xg_buf why;
    if (!which) return true;
    is = xg_record_get(&made->form, which);
    xg_buf_init(&why, w->job.arena);
    xg_printf(&why, "'%s' would be %s", which,
        is                                          ? ""
        : xg_record_get(&w->job.given->form, which) ? "left out"
                                                    : "another");
    if (is) xg_record_print_item(&why, is);
    return xg_choice_refuse(w, made, xg_str_z(why.p));
}

/* Any way that leaves the number of resident blocks open takes it from the order; not in a small build. */
XG_FN bool xg_choice_hold(xg_choosing *w, xg_record *made) {
#ifdef XLAGPU_SMALL
    (void)w;
    (void)made;
    return true;
#else
    const xg_device *d = &w->job.fusion->comp->module->device;
    const xg_launch *l = &made->launch;
    int64_t n = w->job.given ? w->job.given->launch.resident : 0,
            threads = (int64_t)l->threads[0] * l->threads[1] * l->threads[2];
    if (!n || l->resident) return true;
    if (n > d->blocks_per_sm || n * threads > d->threads_per_sm || n * l->shared > d->shared_per_sm)
        return xg_choice_refuse(w, made, XG_STR("a multiprocessor has no room for so many resident blocks"));
    made->launch.resident = (uint32_t)n;
    return true;
#endif
}

XG_FN xg_record *xg_choice_new(xg_arena *a) { return XG_NEW(a, xg_record); }

/* Which results may be written in place of which operands follows from the emitter's memory accesses: the loop emitter,
 * for one, computes all results of an element before it writes any. */
XG_FN void xg_choice_emitter_over(xg_choosing *w, const xg_emitter *by) {
    xg_record *r = w->e.record;
    xg_phase_list list;
    uint32_t k;
    if (w->e.parts) {
        xg_fuse_over(w->job.arena, w->job.fusion, by->emit == xg_emit_loop, w->over);
        r->over = w->over;
        r->n_results = w->n_leaves;
        return;
    }
    list = xg_fuse_phases(w->job.arena, w->e.comp);
    for (k = 0; k < w->e.n_members; k++) {
        const xg_inst *member = list.members[k];
        uint32_t n = (uint32_t)xg_shape_leaves(member->shape);
        xg_ints *over = XG_NEW_N(w->job.arena, xg_ints, n + (size_t)1);
        xg_fuse_over(w->job.arena, member, xg_str_is(w->e.members[k].way, "loop"), over);
        w->e.members[k].over = over;
        w->e.members[k].n_results = n;
    }
    xg_fuse_over_phases(w->job.arena, w->job.fusion, r->launch.blocks[0], w->e.members, w->over);
    r->over = w->over;
    r->n_results = w->n_leaves;
}
XG_FN bool xg_choice_by_emitter(xg_choosing *w) {
    const xg_record *given = w->job.given;
    const xg_emitter *by = NULL;
    w->e.given = given;
    if (!given || !given->way.n) {
        by = xg_emit_choose(&w->e);
        if (!by) return xg_choice_refuse(w, w->e.record, w->e.record->why);
    } else if ((by = xg_emit_find(given->way)) == NULL)
        return xg_choice_unknown(w);
    else if (!xg_emit_plan(&w->e, by))
        return xg_choice_refuse(w, w->e.record, w->e.record->why);
    xg_choice_emitter_over(w, by);
    w->r = w->e.record;
    w->by = by;
    return true;
}
XG_FN bool xg_choice_by_rule(xg_choosing *w, const xg_way *rule) {
    xg_way_times times;
    if (!rule) return xg_choice_unknown(w);
    w->r = xg_choice_new(w->job.arena);
    w->r->kind = xg_str_z(rule->kind);
    w->r->way = xg_str_z(rule->name);
    if (!rule->plan(&w->job, w->r, &times)) return xg_choice_refuse(w, w->r, w->r->why);
    w->rule = rule;
    return true;
}
/* The fastest rule's record; NULL: no rule takes the fusion. */
XG_FN xg_record *xg_choice_best_rule(xg_choosing *w, xg_way_times *best) {
    const xg_way *rule;
    xg_numbers_list all = {NULL, 0, 0};
    xg_record *found = NULL;
    void *form = NULL;
    for (rule = xg_rules; rule->name; rule++) {
        xg_record *r = xg_choice_new(w->job.arena);
        xg_way_times times = {0, 0};
        r->kind = xg_str_z(rule->kind);
        r->way = xg_str_z(rule->name);
        if (!rule->plan(&w->job, r, &times)) continue;
        xg_record_put(w->job.arena, &all, rule->name, &times.own, 1);
        if (found && times.own >= best->own) continue;
        found = r;
        w->rule = rule;
        form = w->job.form;
        *best = times;
    }
    w->job.form = form;
    if (found) found->estimates = all;
    return found;
}
/* Chooses the fastest way. Where a rule's estimate of the emitter's time is already worse, no emitter is planned. */
XG_FN bool xg_choice_best(xg_choosing *w) {
    xg_way_times times = {0, 0};
    xg_record *rule = w->e.parts ? xg_choice_best_rule(w, &times) : NULL;
    if ((!rule || !times.emitter || times.own >= times.emitter) && !xg_choice_by_emitter(w)) return false;
    if (!rule) return true;
    if (!times.emitter) {
        const xg_launch *l = &w->r->launch;
        times.emitter = xg_fuse_time(w->job.arena, w->e.comp, (int64_t)l->threads[0] * l->blocks[0]);
    }
    xg_record_put(w->job.arena, &rule->estimates, "emitter", &times.emitter, 1);
    if (times.own < times.emitter) {
        w->r = rule;
        return true;
    }
    w->r->estimates = rule->estimates;
    w->rule = NULL;
    return true;
}
/* Restricts in-place results to those that the order allows; fails where it asks for others. */
XG_FN bool xg_choice_narrow(xg_choosing *w) {
    const xg_record *given = w->job.given;
    uint32_t leaf, k;
    if (!w->r->n_results) { /* a rule that gives no list writes nothing in place */
        w->r->over = XG_NEW_N(w->job.arena, xg_ints, w->n_leaves + (size_t)1);
        w->r->n_results = w->n_leaves;
    }
    if (!given || !given->n_results) return true;
    for (leaf = 0; leaf < given->n_results; leaf++)
        for (k = 0; k < given->over[leaf].n; k++)
            if (!xg_ints_at(w->r->over[leaf], given->over[leaf].p[k], NULL)) {
                char why[96];
                xg_format(why, sizeof why, "result %u cannot be written over operand %lld", leaf,
                    (long long)given->over[leaf].p[k]);
                return xg_choice_refuse(w, w->r, xg_str_z(why));
            }
    w->r->over = given->over;
    return true;
}
XG_FN void xg_choice_job(
    xg_choosing *w, xg_arena *a, const xg_inst *fusion, const xg_record *given, const xg_emit_target *target) {
    w->job.arena = a;
    w->job.fusion = fusion;
    w->job.target = target;
    w->job.given = given;
}
XG_FN bool xg_choice_go(xg_choosing *w) {
    const xg_record *given = w->job.given;
    if (!given || !given->way.n) return xg_choice_best(w);
    return xg_str_is(given->kind, "emitter") ? xg_choice_by_emitter(w)
                                             : xg_choice_by_rule(w, xg_choice_rule(given->kind, given->way));
}
/* False: no way can follow the order. */
XG_FN bool xg_choice_make(
    xg_choosing *w, xg_arena *a, const xg_inst *fusion, const xg_record *given, const xg_emit_target *target) {
    xg_choice_job(w, a, fusion, given, target);
    w->n_leaves = (uint32_t)xg_shape_leaves(fusion->shape);
    w->over = XG_NEW_N(a, xg_ints, w->n_leaves + (size_t)1);
    w->job.e = &w->e;
    xg_emit_open(&w->e, NULL, a, fusion, target);
    xg_emit_check_leaves(&w->e);
    return xg_choice_go(w) && xg_choice_hold(w, w->r) && xg_choice_check(w, w->r) && xg_choice_narrow(w);
}
#ifndef XLAGPU_SMALL
/* Picoseconds of the planned kernel, which is emitted for the estimate alone. */
XG_FN int64_t xg_choice_time(const xg_choosing *w) {
    const xg_inst *fusion = w->job.fusion;
    xg_arena *a = xg_arena_inner(w->job.arena);
    xg_kmodule *m = xg_choice_emit(a, fusion, w->r, fusion->name, w->job.target);
    int64_t time = fusion->comp->module->kernel_time(fusion->comp->module, m);
    xg_arena_free(a);
    return time;
}
/* Emits and times every walk that the emitter leaves open, and gives the fastest. */
XG_FN xg_choosing *xg_choice_tried(xg_choosing *w) {
    xg_numbers_list open = w->r->open, all = {NULL, 0, 0};
    xg_choosing *best = w;
    int64_t least = INT64_MAX, time;
    uint32_t k;
    if (w->job.given || !open.n || !w->job.fusion->comp->module->kernel_time || !xg_emit_adds_nothing(&w->e)) return w;
    for (k = 0; k < open.n; k++) {
        xg_choosing *t = w;
        if (k) {
            xg_record *order = xg_choice_new(w->job.arena);
            order->kind = w->r->kind;
            order->way = w->r->way;
            xg_record_put_word(w->job.arena, &order->form, "walk", open.p[k].name.p);
            t = XG_NEW(w->job.arena, xg_choosing);
            if (!xg_choice_make(t, w->job.arena, (xg_inst *)(uintptr_t)w->job.fusion, order, w->job.target)) continue;
        }
        time = xg_choice_time(t);
        xg_record_put(w->job.arena, &all, open.p[k].name.p, &time, 1);
        if (time >= least) continue;
        least = time;
        best = t;
    }
    best->r->estimates = all;
    return best;
}
#endif
XG_FN void xg_choice_write(const xg_choosing *w, xg_inst *fusion) {
    xg_record r = *w->r;
    xg_phase_list list;
    uint32_t k;
    if (w->job.given && w->job.given->why.n) r.why = w->job.given->why;
    if (w->job.given) r.backend = w->job.given->backend;
    xg_record_write(fusion, &r);
    if (!w->e.n_members) return;
    list = xg_fuse_phases(w->job.arena, w->e.comp);
    for (k = 0; k < w->e.n_members; k++) xg_record_write((xg_inst *)list.members[k], &w->e.members[k]);
}
/* Plans the fusion and writes its record. advice: an order that is dropped if it cannot be followed, or if the module
 * brings a record of its own; NULL: none. */
XG_FN xg_choosing *xg_choice_decide(
    xg_arena *a, xg_inst *fusion, const xg_emit_target *target, const xg_record *advice) {
    const xg_record *given = xg_record_read(a, fusion);
    xg_choosing *w = XG_NEW(a, xg_choosing);
    bool advised = !given && advice && xg_choice_make(w, a, fusion, advice, target);
    if (!advised && !given && advice) {
        xg_emit_close(&w->e);
        w = XG_NEW(a, xg_choosing);
    }
    if (!advised && !xg_choice_make(w, a, fusion, given, target)) xg_choice_fail(w);
#ifndef XLAGPU_SMALL
    w = xg_choice_tried(w);
#endif
    xg_choice_write(w, fusion);
    return w;
}
XG_FN void xg_choice_of(xg_arena *a, xg_inst *fusion, const xg_emit_target *target) {
    xg_choosing *w = xg_choice_decide(a, fusion, target, NULL);
    xg_emit_close(&w->e);
}

/* ---- plans that wait for their code ---- */

/* The pass keeps its plans for the emission of the kernels, as far as memory allows. */
enum {
    XG_KEPT_BYTES_MAX = 8 << 20 /* of memory; later plans are dropped, and made again for emission */
};
typedef struct xg_kept {
    xg_arena *arena;
    size_t most;      /* bytes that the context may hold */
    xg_map64 plans;   /* by the fusion's id + 1 */
    xg_map64 ordered; /* likewise: fusions whose record the module brought */
} xg_kept;
/* The plan of a class of equal fusions; the first that is emitted consumes it. */
typedef struct xg_kept_plan {
    xg_choosing *w;     /* NULL: consumed, or not kept */
    const xg_str *text; /* of the record that was written for it */
} xg_kept_plan;

/* Drops all plans: their fusions may have changed. */
XG_FN void xg_kept_drop(xg_module *m) {
    xg_kept *k = (xg_kept *)m->kept_plans;
    if (k) xg_arena_free(k->arena);
    m->kept_plans = NULL;
}
XG_FN void xg_kept_open(xg_module *m) {
    xg_kept *k = XG_NEW(m->arena, xg_kept);
    xg_kept_drop(m);
    k->arena = xg_arena_inner(m->arena);
    k->most = m->ctx->live + XG_KEPT_BYTES_MAX;
    xg_map64_init(&k->plans, k->arena);
    xg_map64_init(&k->ordered, k->arena);
    m->kept_plans = k;
}
/* The plan; NULL: none, or the fusion's record has changed since. */
XG_FN xg_kept_plan *xg_kept_of(const xg_inst *fusion) {
    const xg_kept *k = (const xg_kept *)fusion->comp->module->kept_plans;
    xg_kept_plan *plan = k ? (xg_kept_plan *)xg_map64_get(&k->plans, fusion->id + (uint64_t)1) : NULL;
    const xg_attr *text = xg_inst_attr(fusion, XG_A_backend_config);
    return plan && text && text->v.str == plan->text ? plan : NULL;
}
XG_FN const void *xg_choice_class(const xg_inst *fusion) { return xg_kept_of(fusion); }
/* Consumes the plan; NULL: none. */
XG_FN xg_choosing *xg_kept_take(const xg_inst *fusion) {
    xg_kept_plan *plan = xg_kept_of(fusion);
    xg_choosing *w;
    if (!plan) return NULL;
    w = plan->w;
    plan->w = NULL;
    return w;
}

/* ---- the pass ---- */

/* The records, as attributes, of a class of equal fusions and of their members. */
typedef struct xg_choice_known {
    const xg_str *own, **members;
    xg_kept_plan *plan; /* NULL: none is kept */
} xg_choice_known;
typedef struct xg_choice_pass {
    xg_arena *work; /* of one fusion */
    xg_arena *kept;
    xg_kept *plans; /* NULL: none are kept */
    xg_dict known;  /* by fingerprint */
    xg_records records;
    xg_dict joins; /* by fingerprint: whether a product and the row program that reads it become one kernel */
    bool changed;
    xg_emit_target target;
    xg_tuned tuned;
} xg_choice_pass;

/* The measured record of the fusion; NULL: none, or the module has decided. */
XG_FN const xg_record *xg_choice_advice(const xg_choice_pass *p, const xg_inst *i, bool decided) {
#ifdef XLAGPU_SMALL
    (void)p;
    (void)i;
    (void)decided;
    return NULL;
#else
    return decided ? NULL : xg_tuned_find(&p->tuned, p->work, i);
#endif
}

XG_FN bool xg_choice_needs_kernel(const xg_inst *i) {
    uint32_t k, n, pattern;
    int64_t elements = 0;
    if (i->op != XG_FUSION) return false;
    n = (uint32_t)xg_shape_leaves(i->shape);
    if (n == 1 && xg_fuse_is_fill(xg_attr_calls(i)->root, &pattern)) return false;
    if (i->shape->type != XLAGPU_TUPLE) return i->shape->elements != 0;
    for (k = 0; k < i->shape->n_elems; k++) elements |= i->shape->elems[k]->elements;
    return elements != 0;
}
/* Equal for equal fusions with equal records. The order of instructions counts, because members' records are stored in
 * it. */
XG_FN xg_str xg_choice_key(const xg_choice_pass *p, const xg_inst *i, const xg_str *given) {
    const xg_comp *c = xg_attr_calls(i);
    xg_buf b;
    xg_buf_init(&b, p->work);
    xg_fuse_fingerprint(&b, c);
    if (given) xg_put_str(&b, *given);
    return xg_str_of(b.p, b.n);
}
XG_FN void xg_choice_set(xg_inst *i, const xg_str *text) {
    xg_attr attr;
    attr.key = XG_A_backend_config;
    attr.v.str = text;
    xg_inst_set_attr(i, attr);
}
XG_FN const xg_str *xg_choice_text(const xg_inst *i) {
    const xg_attr *a = xg_inst_attr(i, XG_A_backend_config);
    return a ? a->v.str : NULL;
}
XG_FN xg_phase_list xg_choice_members(xg_arena *a, const xg_inst *i) {
    xg_phase_list none;
    memset(&none, 0, sizeof none);
    return xg_fuse_is_phases(i) ? xg_fuse_phases(a, xg_attr_calls(i)) : none;
}
XG_FN void xg_choice_learn(xg_choice_pass *p, const xg_inst *i, xg_str key, xg_kept_plan *plan) {
    xg_phase_list list = xg_choice_members(p->work, i);
    xg_choice_known *known = XG_NEW(p->kept, xg_choice_known);
    uint32_t k;
    known->own = xg_choice_text(i);
    known->plan = plan;
    known->members = XG_NEW_N(p->kept, const xg_str *, list.n + (size_t)1);
    for (k = 0; k < list.n; k++) known->members[k] = xg_choice_text(list.members[k]);
    (void)xg_dict_put(&p->known, key, known);
}
XG_FN void xg_choice_repeat(xg_choice_pass *p, xg_inst *i, const xg_choice_known *known) {
    xg_phase_list list = xg_choice_members(p->work, i);
    uint32_t k;
    xg_choice_set(i, known->own);
    if (known->plan) xg_map64_put(&p->plans->plans, i->id + (uint64_t)1, known->plan);
    for (k = 0; k < list.n; k++) xg_choice_set((xg_inst *)list.members[k], known->members[k]);
}
XG_FN xg_kept *xg_choice_room(const xg_choice_pass *p, const xg_inst *i) {
    if (!p->plans || i->comp->module->ctx->live > p->plans->most) return NULL;
    return xg_fuse_is_phases(i) ? NULL : p->plans; /* plans of phases hold the code of all members */
}
/* Decides a fusion that has no equal yet. Its plan is kept unless it added computations to the module or memory is
 * short. */
XG_FN xg_kept_plan *xg_choice_new_one(xg_choice_pass *p, xg_inst *i, const xg_record *advice) {
    xg_kept *k = xg_choice_room(p, i);
    xg_arena *a = k ? k->arena : p->work;
    xg_mark none = xg_arena_mark(a);
    xg_choosing *w = xg_choice_decide(a, i, &p->target, advice);
    xg_kept_plan *plan;
    if (!k || !xg_emit_adds_nothing(&w->e)) {
        xg_emit_close(&w->e);
        xg_arena_reset(a, none);
        w = NULL;
    }
    if (!p->plans) return NULL;
    plan = XG_NEW(p->plans->arena, xg_kept_plan);
    plan->w = w;
    plan->text = xg_choice_text(i);
    xg_map64_put(&p->plans->plans, i->id + (uint64_t)1, plan);
    return plan;
}
XG_FN void xg_choice_visit(xg_choice_pass *p, xg_inst *i) {
    xg_mark none = xg_arena_mark(p->work);
    const xg_str *before = xg_choice_text(i);
    bool alone = (before && xg_fuse_is_phases(i)) ||
                 xg_inst_attr(i, XG_A_output_to_operand_aliasing); /* then members may have records of their own */
    xg_str key = alone ? xg_str_of(NULL, 0) : xg_choice_key(p, i, before);
    const xg_choice_known *known = alone ? NULL : (const xg_choice_known *)xg_dict_get(&p->known, key);
    if (known)
        xg_choice_repeat(p, i, known);
    else {
        const xg_record *advice = xg_choice_advice(p, i, alone || before);
        xg_kept_plan *plan = xg_choice_new_one(p, i, advice);
        if (!alone) xg_choice_learn(p, i, key, plan);
    }
    p->changed = p->changed || !before || !xg_str_eq(*before, *xg_choice_text(i));
    if (p->plans && (before || alone)) xg_map64_put(&p->plans->ordered, i->id + (uint64_t)1, i);
    xg_arena_reset(p->work, none);
}
#ifndef XLAGPU_SMALL

/* ---- products that move into the row programs that read them (sched/tile_rows_pass.c) ---- */

/* The record of a fusion that was decided without an order and by this way; else NULL. */
XG_FN const xg_record *xg_choice_decided(xg_choice_pass *p, const xg_inst *i, const char *way) {
    const xg_record *r;
    if (i->op != XG_FUSION || !xg_choice_text(i) || xg_map64_get(&p->plans->ordered, i->id + (uint64_t)1)) return NULL;
    r = xg_records_of(&p->records, i);
    return r && xg_str_is(r->way, way) ? r : NULL;
}
/* Picoseconds of a tile kernel, without the launch; 0: it is none. */
XG_FN int64_t xg_choice_tile_time(xg_choice_pass *p, const xg_inst *i) {
    const xg_record *r = xg_choice_decided(p, i, "tile");
    const xg_numbers *time = r ? xg_record_get(&r->estimates, "tile") : NULL;
    return time ? time->p[0] : 0;
}
/* Drops the plan that belongs to this instruction, the first of its class. */
XG_FN void xg_choice_forget(const xg_inst *i) {
    xg_kept_plan *plan = xg_kept_of(i);
    if (plan && plan->w && plan->w->job.fusion == i) plan->w = NULL;
}
/* True if one kernel is faster than two; answered once for each class of equal fusions. On success the fusion has its
 * record. */
XG_FN bool xg_choice_joins(xg_choice_pass *p, xg_behind *j, xg_inst *fusion) {
    static const char yes = 1, no = 0;
    xg_str key = xg_choice_key(p, fusion, NULL);
    const char *answer = (const char *)xg_dict_get(&p->joins, key);
    int64_t together, apart;
    if (!answer || *answer) xg_choice_visit(p, fusion);
    if (answer) return *answer != 0;
    together = xg_choice_tile_time(p, fusion);
    apart = xg_cost_add(xg_choice_tile_time(p, j->product), xg_behind_apart(j, xg_choice_decided(p, j->rows, "rows")));
    answer = together && together < apart ? &yes : &no;
    key.p = xg_str_copy(p->kept, key).p;
    (void)xg_dict_put(&p->joins, key, (void *)(uintptr_t)answer);
    return *answer != 0;
}
XG_FN bool xg_choice_join(xg_choice_pass *p, xg_inst *product, xg_inst *rows) {
    xg_behind j;
    xg_inst *fusion;
    memset(&j, 0, sizeof j);
    j.product = product;
    j.rows = rows;
    j.arena = p->work;
    fusion = xg_behind_make(&j);
    if (!fusion) return false;
    if (!xg_choice_joins(p, &j, fusion)) {
        xg_choice_forget(fusion);
        xg_behind_unmake(&j, fusion);
        return false;
    }
    xg_choice_forget(product);
    xg_choice_forget(rows);
    xg_behind_give(&j, fusion);
    return true;
}
XG_APART XG_FN bool xg_choice_join_all(xg_choice_pass *p, xg_comp *c) {
    xg_inst *i, *next;
    bool joined = false;
    uint32_t k;
    for (i = c->first; i; i = next) {
        xg_mark none = xg_arena_mark(p->work);
        next = i->next;
        for (k = 0; xg_choice_decided(p, i, "rows") && k < i->n_operands; k++)
            if (xg_choice_tile_time(p, XG_OPERAND(i, k)) && xg_choice_join(p, XG_OPERAND(i, k), i)) {
                joined = true;
                break;
            }
        xg_arena_reset(p->work, none);
    }
    return joined;
}
#endif
/* True if the fusion's record leaves nothing open. */
XG_FN bool xg_choice_is_complete(xg_choice_pass *p, const xg_inst *i) {
    const xg_record *r = xg_records_of(&p->records, i);
    return r && xg_record_is_whole(r);
}

XG_FN xg_emit_target xg_choice_target(const xg_module *m) { return xg_emit_target_of(&m->device, m->deterministic); }
XG_FN xg_comps xg_choice_open(xg_choice_pass *p, xg_module *m) {
    xg_comps steps = xg_opt_sequences(m);
    p->target = xg_choice_target(m);
    p->changed = false;
    p->plans = (xg_kept *)m->kept_plans;
    p->work = m->work;
    p->kept = xg_arena_inner(m->arena);
    xg_dict_init(&p->known, p->kept);
#ifndef XLAGPU_SMALL
    xg_tuned_open(&p->tuned, p->kept, m);
#endif
    xg_records_open(&p->records, p->kept);
    xg_dict_init(&p->joins, p->kept);
    return steps;
}
/* missing: visits only fusions without a complete record. */
XG_FN bool xg_choice_run(xg_module *m, bool missing) {
    xg_choice_pass p;
    xg_comps steps;
    uint32_t at;
    xg_kept_drop(m);
    if (!missing) xg_kept_open(m);
    steps = xg_choice_open(&p, m);
    for (at = 0; at < steps.n; at++)
        XG_FOR_INSTS(i, steps.p[at]) {
            xg_inst_bring_calls(i);
            if (xg_choice_needs_kernel(i) && !(missing && xg_choice_is_complete(&p, i))) xg_choice_visit(&p, i);
        }
    xg_arena_free(p.kept);
    return p.changed;
}
#ifndef XLAGPU_SMALL
/* Runs after kernel-choice, whose decisions it compares. */
XG_FN bool xg_choice_rows(xg_module *m) {
    xg_choice_pass p;
    xg_comps steps;
    bool joined = false;
    uint32_t at;
    if (!m->row_programs || !m->made[XG_DOT] || !m->kept_plans) return false;
    steps = xg_choice_open(&p, m);
    for (at = 0; at < steps.n; at++) joined = xg_choice_join_all(&p, steps.p[at]) || joined;
    xg_arena_free(p.kept);
    return joined;
}
#endif

XG_FN bool xg_choice_kernels(xg_module *m) { return xg_choice_run(m, false); }
XG_FN void xg_choice_complete(xg_module *m) { (void)xg_choice_run(m, true); }

/* ---- code ---- */

XG_FN xg_kmodule *xg_choice_emit_by_emitter(xg_choosing *w, xg_str name) {
    xg_fusion_emission *e = &w->e;
    xg_emit_move(e, w->job.arena, w->job.target);
    e->name = name;
    if (e->m->entry) e->m->entry->name = name; /* the plan has created the function already */
    xg_emit_by(e, w->by);
    return e->m;
}
/* Plans again, by the record: the result must not differ from it. */
XG_FN bool xg_choice_obey(xg_choosing *w) {
    const xg_record *r = w->job.given;
    if (!xg_str_is(r->kind, "emitter")) {
        w->rule = xg_choice_rule(r->kind, r->way);
        return w->rule || xg_choice_unknown(w);
    }
    w->by = xg_emit_find(r->way);
    if (!w->by) return xg_choice_unknown(w);
    xg_emit_open(&w->e, NULL, w->job.arena, w->job.fusion, w->job.target);
    xg_emit_check_leaves(&w->e);
    w->e.given = r;
    if (!xg_emit_plan(&w->e, w->by)) return xg_choice_refuse(w, w->e.record, w->e.record->why);
    return xg_choice_hold(w, w->e.record) && xg_choice_check(w, w->e.record);
}
XG_FN void xg_choice_check_launch(const xg_inst *fusion, const xg_record *r, const xg_kfunc *f) {
    const char *which = memcmp(f->threads, r->launch.threads, sizeof f->threads) != 0           ? "block"
                        : memcmp(f->blocks, r->launch.blocks, sizeof f->blocks) != 0            ? "grid"
                        : f->cluster != r->launch.cluster && f->cluster + r->launch.cluster > 1 ? "cluster"
                        : r->launch.shared != xg_shared_taken(f->body)                          ? "shared_bytes"
                                                                                                : NULL;
    if (which)
        xg_hlo_fail(fusion, XLAGPU_ERROR_INVALID, "leave the record out: it is decided then",
            "the record of this kernel: '%s' is not that of its code", which);
}
XG_FN xg_kmodule *xg_choice_emit(
    xg_arena *a, const xg_inst *fusion, const xg_record *r, xg_str name, const xg_emit_target *target) {
    xg_choosing *w = xg_kept_take(fusion);
    xg_kmodule *m;
    if (w)
        w->job.arena = a;
    else {
        w = XG_NEW(a, xg_choosing);
        xg_choice_job(w, a, fusion, r, target);
        if (!xg_choice_obey(w)) xg_choice_fail(w);
    }
    w->job.target = target;
    m = w->rule ? w->rule->emit(&w->job, r, name) : xg_choice_emit_by_emitter(w, name);
    if (w->by) xg_emit_close(&w->e);
    xg_choice_check_launch(fusion, r, m->entry);
    m->entry->resident = (uint32_t)r->launch.resident;
    return m;
}

#endif /* XG_CHOICE_CHOICE_C */
