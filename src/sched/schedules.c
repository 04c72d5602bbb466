/* sched/schedules.c -- schedules as files: of each fusion its nest and what a rule does to it; kernels by such text.
 *
 *     schedule NAME                 of the fusion of that name, and of all that compute the same
 *     b0 = get_block dot            lines of a trace (trace.c); "#" begins a comment: the nests are printed so
 *     ...
 *
 * Sections of fusions that are to stay as they are may be left out. A section says how the whole kernel is made: the
 * record (fuse/record.c) names it as the rule "schedule", and where its lines begin. What is printed lets all steps be
 * seen, so a fusion that no rule takes, or that is no nest or more than one kernel, has a comment. */
#ifndef XG_SCHED_SCHEDULES_C
#define XG_SCHED_SCHEDULES_C
#include "../fuse/fuse.h"
#include "../hlo/text.h"
#include "sched.h"
#include "trace.c"

static const char xg_schedule_word[] = "schedule";

/* ---- writing ---- */

XG_FN void xg_schedules_comment(xg_buf *b, xg_str text) {
    size_t k, from = 0;
    for (k = 0; k < text.n; k++) {
        if (text.p[k] != '\n') continue;
        xg_printf(b, "# %.*s\n", (int)(k - from), text.p + from);
        from = k + 1;
    }
}
/* Arrays that one kernel would hand to another; NULL: there are none. */
XG_FN const xg_nbuf *xg_schedules_between(const xg_loopnest *n) {
    uint32_t k;
    for (k = 0; k < n->bufs.n; k++)
        if (n->bufs.p[k]->scope == XG_NS_GLOBAL && !n->bufs.p[k]->param) return n->bufs.p[k];
    return NULL;
}
XG_APART XG_FN void xg_schedules_print_one(xg_buf *b, const xg_inst *fusion) {
    xg_arena *a = xg_arena_inner(fusion->comp->module->arena);
    const xg_device *m = &fusion->comp->module->device;
    const char *why = xg_nfusion_refuses(a, fusion), *rule;
    xg_nrule_target t;
    xg_loopnest *n, *made;
    xg_buf text;
    if (why) {
        xg_printf(b, "# %s: no nest: %s\n\n", fusion->name.p, why);
        return;
    }
    memset(&t, 0, sizeof t);
    t.threads_max = m->threads_per_block;
    t.shared_bytes = m->shared_per_block;
    n = xg_nfusion_nest(a, fusion, fusion->name);
    xg_buf_init(&text, a);
    xg_nest_print(&text, n);
    made = xg_rule_apply(n, &t, &rule);
    if (!made)
        xg_printf(b, "# %s: no rule takes it\n", fusion->name.p);
    else if (xg_schedules_between(made))
        xg_printf(b, "# %s by %s: more than one kernel, with %s between them\n", fusion->name.p, rule,
            xg_schedules_between(made)->name.p);
    else
        xg_printf(b, "%s %s\n# by %s\n", xg_schedule_word, fusion->name.p, rule);
    xg_schedules_comment(b, xg_str_of(text.p, text.n));
    if (made && xg_schedules_between(made))
        xg_schedules_comment(b, xg_trace_text(made));
    else if (made)
        xg_put_str(b, xg_trace_text(made));
    xg_puts(b, "\n");
}

/* ---- the fusions of a module ---- */

typedef struct xg_schedules {
    XG_VEC(xg_inst *) fusions;
    xg_str *keys; /* what each computes */
} xg_schedules;
XG_FN void xg_schedules_open(xg_schedules *s, xg_module *m, xg_arena *a) {
    xg_map64 inside; /* computations of fusions */
    xg_comp *c;
    uint32_t k;
    memset(s, 0, sizeof *s);
    xg_map64_init(&inside, a);
    for (c = m->first; c; c = c->next)
        XG_FOR_INSTS(i, c)
            if (i->op == XG_FUSION && xg_attr_calls(i)) {
                xg_comp *called = xg_attr_calls(i);
                xg_map64_put(&inside, called->id, called);
            }
    for (c = m->first; c; c = c->next) {
        if (xg_map64_get(&inside, c->id)) continue;
        XG_FOR_INSTS(i, c)
            if (i->op == XG_FUSION && xg_attr_calls(i) && !xg_fuse_is_phases(i)) xg_push(a, xg_inst *, &s->fusions, i);
    }
    s->keys = XG_NEW_N(a, xg_str, s->fusions.n + (size_t)1);
    for (k = 0; k < s->fusions.n; k++) {
        xg_buf b;
        xg_buf_init(&b, a);
        xg_fuse_fingerprint(&b, xg_attr_calls(s->fusions.p[k]));
        s->keys[k] = xg_str_of(b.p, b.n);
    }
}
XG_FN void xg_schedules_print(xg_buf *b, xg_module *m) {
    xg_arena *a = xg_arena_inner(m->arena);
    xg_schedules s;
    xg_dict known;
    uint32_t k;
    xg_schedules_open(&s, m, a);
    xg_dict_init(&known, a);
    for (k = 0; k < s.fusions.n; k++) {
        if (xg_dict_get(&known, s.keys[k])) continue;
        (void)xg_dict_put(&known, s.keys[k], s.fusions.p[k]);
        xg_schedules_print_one(b, s.fusions.p[k]);
    }
}

/* ---- reading ---- */

XG_FN const char *xg_schedules_nth(const void *user, size_t k) {
    const xg_schedules *s = (const xg_schedules *)user;
    return k < s->fusions.n ? s->fusions.p[k]->name.p : NULL;
}
XG_FN size_t xg_schedule_line_end(const xg_source *src, size_t at) {
    while (at < src->size && src->text[at] != '\n') at++;
    return at;
}
/* The name in a line that begins a section. */
XG_FN bool xg_schedule_head(const xg_source *src, size_t at, size_t end, xg_str *name) {
    const size_t word = sizeof xg_schedule_word - 1;
    const char *p = src->text + at, *last = src->text + end;
    if (end - at <= word || memcmp(p, xg_schedule_word, word) != 0 || (p[word] != ' ' && p[word] != '\t')) return false;
    for (p += word; p < last && (*p == ' ' || *p == '\t'); p++) {}
    while (last > p && (last[-1] == ' ' || last[-1] == '\t' || last[-1] == '\r')) last--;
    *name = xg_str_of(p, (size_t)(last - p));
    return true;
}
/* The fusion of that name gets a record, and so do those that compute the same. */
XG_FN void xg_schedule_give(const xg_schedules *s, xg_module *m, size_t at, xg_str name, size_t lines) {
    const char *why;
    int64_t section = (int64_t)lines;
    uint32_t k, j;
    for (k = 0; k < s->fusions.n && !xg_str_eq(s->fusions.p[k]->name, name); k++) {}
    if (k == s->fusions.n)
        xg_fail_at(m->ctx, XLAGPU_ERROR_USAGE, m->schedule, at, xg_nearest(name, xg_schedules_nth, s),
            "no fusion is called '%.*s'", (int)XG_MIN(name.n, 80u), name.p);
    why = xg_nfusion_refuses(m->work, s->fusions.p[k]);
    if (why)
        xg_fail_at(
            m->ctx, XLAGPU_ERROR_UNSUPPORTED, m->schedule, at, NULL, "%.*s is no nest: %s", (int)name.n, name.p, why);
    for (j = 0; j < s->fusions.n; j++) {
        xg_record r;
        if (!xg_str_eq(s->keys[j], s->keys[k])) continue;
        memset(&r, 0, sizeof r);
        r.kind = XG_STR("rule");
        r.way = XG_STR("schedule");
        xg_record_put(m->arena, &r.form, "section", &section, 1);
        r.n_results = (uint32_t)xg_shape_leaves(s->fusions.p[j]->shape);
        r.over = XG_NEW_N(m->work, xg_ints, r.n_results + (size_t)1); /* blocks read what others have written */
        xg_record_write(s->fusions.p[j], &r);
    }
}
XG_FN bool xg_schedule_kernels(xg_module *m) {
    const xg_source *src = m->schedule;
    bool some = false;
    size_t at, end;
    xg_schedules s;
    if (!src) return false;
    xg_schedules_open(&s, m, m->work);
    for (at = 0; at < src->size; at = end + 1) {
        xg_str name;
        end = xg_schedule_line_end(src, at);
        if (xg_schedule_head(src, at, end, &name)) {
            xg_schedule_give(&s, m, (size_t)(name.p - src->text), name, XG_MIN(end + 1, src->size));
            some = true;
            continue;
        }
        while (at < end && xg_tread_is_blank(src->text[at])) at++;
        if (!some && at < end && src->text[at] != '#')
            xg_fail_at(m->ctx, XLAGPU_ERROR_USAGE, src, at, "schedule NAME", "a line in front of the first schedule");
    }
    return some;
}

/* ---- the way ---- */

/* The lines of a section as a source of their own, in which places stay what they are. */
XG_FN xg_source xg_schedule_lines(const xg_source *src, size_t from) {
    xg_source lines = *src;
    size_t at = from, end;
    xg_str name;
    for (; at < src->size; at = end + 1) {
        end = xg_schedule_line_end(src, at);
        if (xg_schedule_head(src, at, end, &name)) break;
    }
    lines.size = XG_MIN(at, src->size);
    return lines;
}
/* The nest as it is now, if that is not what was shown last. */
XG_FN void xg_schedule_show(
    const xg_module *m, xg_loopnest *n, xg_str kernel, uint32_t step, const char *what, xg_str *last) {
    char stage[256], number[16];
    xg_buf text;
    if (!m->dump || !last) return;
    number[0] = 0;
    if (step) xg_format(number, sizeof number, "after_%02u_", step);
    xg_format(stage, sizeof stage, "nest/%.*s/%s%s", (int)XG_MIN(kernel.n, 160u), kernel.p, number, what);
    xg_buf_init(&text, n->arena);
    xg_nest_print(&text, n);
    if (xg_str_eq(*last, xg_str_of(text.p, text.n))) return;
    *last = xg_str_of(text.p, text.n);
    m->dump(m->dump_user, stage, text.p, text.n);
}
/* last: what was shown last of its stages; NULL: they are not shown, for a plan goes the same way. */
XG_FN xg_kmodule *xg_schedule_kernel(xg_way_job *job, xg_str name, xg_str *last) {
    const xg_module *m = job->fusion->comp->module;
    const xg_numbers *section = xg_record_get(&job->given->form, "section");
    const xg_nest_step *steps;
    xg_source lines;
    xg_loopnest *n;
    uint32_t count, k;
    lines = xg_schedule_lines(m->schedule, (size_t)section->p[0]);
    n = xg_nfusion_nest(job->arena, job->fusion, job->fusion->name);
    n->source = m->schedule;
    n->line = (size_t)XG_MAX(section->p[0] - 1, (int64_t)0);
    xg_schedule_show(m, n, name, 0, "nest", last);
    xg_trace_apply(n, &lines, (size_t)section->p[0]);
    n->line = (size_t)XG_MAX(section->p[0] - 1, (int64_t)0);
    if (xg_schedules_between(n))
        xg_sched_fail(n,
            "%s: one kernel cannot keep %s in memory: compute it inside of its reader, or in another scope", n->name.p,
            xg_schedules_between(n)->name.p);
    xg_schedule_show(m, n, name, 0, "scheduled", last);
    steps = xg_nest_steps(&count);
    for (k = 0; k < count; k++) {
        steps[k].run(n);
        xg_nest_verify(n);
        xg_schedule_show(m, n, name, k + 1, steps[k].name, last);
    }
    return xg_nest_lower(n, job->arena, name, job->target);
}
XG_FN bool xg_schedule_way_plan(xg_way_job *job, xg_record *r, xg_way_times *times) {
    const xg_module *m = job->fusion->comp->module;
    const xg_numbers *section = job->given ? xg_record_get(&job->given->form, "section") : NULL;
    const xg_kmodule *k;
    if (!job->given || !xg_str_is(job->given->way, "schedule")) return false;
    if (!m->schedule || !section || section->n != 1 || section->p[0] < 0 || (size_t)section->p[0] > m->schedule->size ||
        xg_nfusion_refuses(job->arena, job->fusion)) {
        r->why = XG_STR("no schedule of this compilation says how");
        return false;
    }
    k = xg_schedule_kernel(job, job->fusion->name, NULL);
    xg_record_put(job->arena, &r->form, "section", section->p, 1);
    memcpy(r->launch.blocks, k->entry->blocks, sizeof r->launch.blocks);
    memcpy(r->launch.threads, k->entry->threads, sizeof r->launch.threads);
    r->launch.shared = xg_shared_taken(k->entry->body);
    r->n_results = (uint32_t)xg_shape_leaves(job->fusion->shape);
    r->over = XG_NEW_N(job->arena, xg_ints, r->n_results + (size_t)1);
    times->own = times->emitter = 0;
    return true;
}
XG_FN xg_kmodule *xg_schedule_way_emit(xg_way_job *job, const xg_record *r, xg_str name) {
    xg_str last = xg_str_of(NULL, 0);
    (void)r;
    return xg_schedule_kernel(job, name, &last);
}

#endif /* XG_SCHED_SCHEDULES_C */
