/* driver/pipeline.c -- runs the HLO passes of passes.h in their order: times, verifies, dumps and counts them, so that
 * no pass has to.
 *
 * A phase of several rounds ends when each of its passes has seen the module as it is now: a pass that has run since
 * the last change of another one is not run again, in this phase or another, for every pass goes to its own fixed
 * point.
 *
 * A pass that changed something gives the dump callback the module under "hlo/<phase>.after_<pass>.before_<next>",
 * XLA's name for it; "pass_report" has a line for each pass that ran: times are the process's, so it is the one dump
 * that differs from run to run. */
#ifndef XG_DRIVER_PIPELINE_C
#define XG_DRIVER_PIPELINE_C
#include "driver.h"
#include "passes.h"

enum {
#define X(name, text, rounds) XG_PHASE_##name,
    XG_HLO_PHASES(X)
#undef X
    XG_PHASE_COUNT
};
XG_TABLE const char xg_hlo_phase_names[] =
#define X(name, text, rounds) text "\0"
    XG_HLO_PHASES(X)
#undef X
    ;
XG_TABLE const uint8_t xg_hlo_phase_rounds[] = {
#define X(name, text, rounds) rounds,
    XG_HLO_PHASES(X)
#undef X
};
/* The passes by column: rows would be filled up to 16 bytes. */
XG_TABLE bool (*const xg_hlo_pass_runs[])(xg_module *m) = {
#define X(phase, name, run, kind) run,
    XG_HLO_PASSES(X)
#undef X
};
XG_TABLE const uint8_t xg_hlo_pass_phases[] = {
#define X(phase, name, run, kind) XG_PHASE_##phase,
    XG_HLO_PASSES(X)
#undef X
};
XG_TABLE const uint8_t xg_hlo_pass_kinds[] = {
#define X(phase, name, run, kind) XG_PASS_##kind,
    XG_HLO_PASSES(X)
#undef X
};
XG_TABLE const char xg_hlo_pass_names[] =
#define X(phase, name, run, kind) name "\0"
    XG_HLO_PASSES(X)
#undef X
    ;
enum {
    XG_HLO_PASS_COUNT = sizeof xg_hlo_pass_kinds
};

/* bytes, warm ones for the next pass; what a greedy pass took is the module's to grow into */
enum {
    XG_PIPELINE_KEEPS = 1 << 20
};

typedef struct xg_pass_count {
    uint32_t runs, changes;
    double seconds;
} xg_pass_count;
typedef struct xg_pipeline {
    xg_module *m;
    const xg_driver_options *o;
    uint32_t version;                  /* of the module: goes up with each change */
    uint32_t seen[XG_HLO_PASS_COUNT];  /* by first row of a pass: the version that it last left behind, plus 1 */
    uint32_t first[XG_HLO_PASS_COUNT]; /* by row */
    bool off[XG_HLO_PASS_COUNT];
    bool control; /* there are control predecessors to look after */
    /* there are fusions that we have not made: passes for plain instructions rewrite what is inside, too */
    bool fused;
    xg_pass_count count[XG_HLO_PASS_COUNT];
} xg_pipeline;

/* ---- names ---- */

XG_FN xg_str xg_driver_next_word(xg_str *list) {
    uint32_t n = 0;
    xg_str word;
    while (n < list->n && list->p[n] != ',') n++;
    word = xg_str_of(list->p, n);
    *list = xg_str_of(list->p + XG_MIN(n + 1, list->n), list->n - XG_MIN(n + 1, list->n));
    return word;
}
XG_FN const char *xg_pass_name(uint32_t i) { return xg_text_nth(xg_hlo_pass_names, i); }
/* Some of XLA's names have dashes, some underscores; both are taken for each other. */
XG_FN bool xg_pass_is_called(uint32_t i, xg_str word) {
    const char *name = xg_pass_name(i);
    uint32_t k;
    if (strlen(name) != word.n) return false;
    for (k = 0; k < word.n; k++)
        if ((name[k] == '_' ? '-' : name[k]) != (word.p[k] == '_' ? '-' : word.p[k])) return false;
    return true;
}
XG_FN bool xg_pass_is_in(uint32_t i, xg_str list) {
    while (list.n)
        if (xg_pass_is_called(i, xg_driver_next_word(&list))) return true;
    return false;
}

/* A pass may stand in several phases: the first row of it. */
XG_FN uint32_t xg_pass_first(uint32_t i) {
    uint32_t k;
    for (k = 0; xg_hlo_pass_runs[k] != xg_hlo_pass_runs[i]; k++) {}
    return k;
}
/* The same of all rows at once. */
XG_FN void xg_pass_firsts(uint32_t *first) {
    enum {
        SLOTS = 512
    };
    uint32_t k, at;
    uint16_t slots[SLOTS]; /* a row + 1, by the function */
    memset(slots, 0, sizeof slots);
    for (k = 0; k < XG_HLO_PASS_COUNT; k++) {
        at = xg_hash_mix(0, (uint64_t)(uintptr_t)xg_hlo_pass_runs[k]) % SLOTS;
        while (slots[at] && xg_hlo_pass_runs[slots[at] - 1] != xg_hlo_pass_runs[k]) at = (at + 1) % SLOTS;
        if (!slots[at]) slots[at] = (uint16_t)(k + 1);
        first[k] = slots[at] - 1u;
    }
}
XG_FN const char *xg_driver_pass_name(uint32_t i) {
    uint32_t k;
    for (k = 0; k < XG_HLO_PASS_COUNT; k++)
        if (xg_pass_first(k) == k && i-- == 0) return xg_pass_name(k);
    return NULL;
}
XG_FN bool xg_driver_pass_is_required(const char *name) {
    uint32_t k;
    for (k = 0; k < XG_HLO_PASS_COUNT; k++)
        if (xg_hlo_pass_kinds[k] == XG_PASS_REQUIRED && strcmp(xg_pass_name(k), name) == 0) return true;
    return false;
}

/* ---- dumps ---- */

XG_FN void xg_driver_dump_text(const xg_driver_options *o, const char *stage, const xg_buf *text) {
    if (o->dump) o->dump(o->dump_user, stage, text->p ? text->p : "", text->n);
}

XG_FN void xg_driver_dump_hlo(xg_module *m, const xg_driver_options *o, const char *stage) {
    xg_buf text;
    xg_mark mark;
    if (!o->dump) return;
    mark = xg_arena_mark(m->arena);
    xg_buf_init(&text, m->arena);
    xg_hlo_print(&text, m, NULL);
    xg_driver_dump_text(o, stage, &text);
    xg_arena_reset(m->arena, mark);
}

XG_FN void xg_pipeline_dump(const xg_pipeline *p, uint32_t k) {
    const char *name;
    uint32_t phase = xg_hlo_pass_phases[k];
    char stage[256];
    if (!p->o->dump) return;
    name = xg_pass_name(k);
    for (k++; k < XG_HLO_PASS_COUNT && p->off[k]; k++) {}
    xg_format(stage, sizeof stage, "hlo/%s.after_%s.before_%s", xg_text_nth(xg_hlo_phase_names, phase), name,
        k < XG_HLO_PASS_COUNT && xg_hlo_pass_phases[k] == phase ? xg_pass_name(k) : "pipeline-end");
    xg_driver_dump_hlo(p->m, p->o, stage);
}

XG_FN void xg_pipeline_report(const xg_pipeline *p) {
    xg_buf text;
    uint32_t k;
    if (!p->o->dump) return;
    xg_buf_init(&text, p->m->arena);
    xg_puts(&text, "phase\tpass\truns\tchanges\tus\n");
    for (k = 0; k < XG_HLO_PASS_COUNT; k++) {
        const xg_pass_count *c = &p->count[k];
        if (c->runs)
            xg_printf(&text, "%s\t%s\t%u\t%u\t%lld\n", xg_text_nth(xg_hlo_phase_names, xg_hlo_pass_phases[k]),
                xg_pass_name(k), c->runs, c->changes, (long long)(c->seconds * 1e6));
    }
    xg_driver_dump_text(p->o, "pass_report", &text);
}

/* ---- running ---- */

XG_APART XG_FN bool xg_pipeline_run_pass(xg_pipeline *p, uint32_t k, uint32_t first) {
    xg_mark none = xg_arena_mark(p->m->work);
    clock_t begin = p->o->dump ? clock() : 0; /* it asks the system, which takes as long as a small pass */
    bool changed = xg_hlo_pass_runs[k](p->m);
    xg_pass_count *c = &p->count[k];
    if (p->o->dump) c->seconds += (double)(clock() - begin) / CLOCKS_PER_SEC;
    xg_arena_reset(p->m->work, none);
    xg_arena_trim(p->m->work, XG_PIPELINE_KEEPS);
    c->runs++;
    c->changes += changed;
    p->version += changed;
    p->seen[first] = p->version + 1;
    if (!changed) return false;
    if (p->control) xg_opt_settle_control(p->m);
    if (p->fused) xg_opt_settle_fusions(p->m);
#ifdef XLAGPU_DEBUG
    xg_hlo_verify(p->m);
#endif
    xg_pipeline_dump(p, k);
    return true;
}

/* One round of the phase whose passes are from .. to; says whether a further one may find something to do. */
XG_FN bool xg_pipeline_run_round(xg_pipeline *p, uint32_t from, uint32_t to) {
    bool changed = false;
    uint32_t k, first;
    for (k = from; k < to; k++) {
        if (p->off[k] || p->seen[first = p->first[k]] == p->version + 1) continue;
        changed = xg_pipeline_run_pass(p, k, first) || changed;
    }
    return changed;
}

/* What users leave out; what is required cannot be. Names that are no passes of ours are those of other compilers: they
 * are left out already. */
XG_FN void xg_pipeline_switch(xg_pipeline *p) {
    uint32_t k;
    for (k = 0; k < XG_HLO_PASS_COUNT; k++) {
        bool named = xg_pass_is_in(k, p->o->disable_passes);
        if (named && xg_driver_pass_is_required(xg_pass_name(k)))
            xg_fail(p->m->ctx, XLAGPU_ERROR_USAGE,
                "the pass '%s' cannot be switched off: kernels are made of what it leaves", xg_pass_name(k));
        p->off[k] =
            xg_hlo_pass_kinds[k] != XG_PASS_REQUIRED && (named || p->o->disable_all_passes || p->m->is_scheduled);
        p->off[k] = p->off[k] || (xg_hlo_pass_kinds[k] == XG_PASS_EXCESS && !p->o->excess_precision) ||
                    xg_hlo_pass_kinds[k] == XG_PASS_NAMED;
    }
}

XG_FN void xg_driver_thresholds(xg_module *m, const xg_driver_options *o) {
    m->combine_all_reduce = o->combine_all_reduce;
    m->combine_all_gather = o->combine_all_gather;
    m->combine_reduce_scatter = o->combine_reduce_scatter;
}
XG_APART XG_FN void xg_driver_run_passes(xg_module *m, const xg_driver_options *o) {
    xg_pipeline p;
    uint32_t from, to, round;
    memset(&p, 0, sizeof p);
    xg_pass_firsts(p.first);
    p.m = m;
    p.o = o;
    m->excess_precision = o->excess_precision;
    m->deterministic = o->deterministic;
    m->libraries = o->libraries;
    m->schedule = o->schedule.text ? &o->schedule : NULL;
    m->tuned = o->tuned.text ? &o->tuned : NULL;
    m->dump = o->dump;
    m->dump_user = o->dump_user;
    m->double_buffering = o->double_buffering;
    xg_driver_thresholds(m, o);
    p.control = xg_opt_has_control(m);
    p.fused = m->made[XG_FUSION];
    for (from = 0; from < XG_HLO_PASS_COUNT; from = to) {
        uint32_t phase = xg_hlo_pass_phases[from];
        xg_pipeline_switch(&p); /* again and again: the first phase may find that a schedule does not count */
        for (to = from; to < XG_HLO_PASS_COUNT && xg_hlo_pass_phases[to] == phase; to++) {}
        for (round = 0; round < xg_hlo_phase_rounds[phase] && xg_pipeline_run_round(&p, from, to); round++) {}
    }
    xg_pipeline_report(&p);
}

XG_FN const char *xg_driver_nth_name(const void *user, size_t i) {
    (void)user;
    return xg_driver_pass_name((uint32_t)i);
}

XG_FN void xg_driver_run_named(xg_module *m, xg_str names) {
    while (names.n) {
        xg_str word = xg_driver_next_word(&names);
        const char *nearby;
        uint32_t k = 0;
        while (k < XG_HLO_PASS_COUNT && !xg_pass_is_called(k, word)) k++;
        nearby = k == XG_HLO_PASS_COUNT ? xg_nearest(word, xg_driver_nth_name, NULL) : NULL;
        if (k == XG_HLO_PASS_COUNT)
            xg_fail(m->ctx, XLAGPU_ERROR_USAGE, "no pass is called '%.*s'%s%s%s", (int)word.n, word.p,
                nearby ? "; did you mean '" : "", nearby ? nearby : "",
                nearby ? "'?" : "; opt --list-passes, or xlagpu_pass_name, names them");
        xg_hlo_pass_runs[k](m);
        xg_opt_settle_control(m);
        xg_opt_settle_fusions(m);
        xg_hlo_verify(m);
    }
}

#endif /* XG_DRIVER_PIPELINE_C */
