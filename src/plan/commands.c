/* plan/commands.c -- CommandBufferConversion: runs of steps that the device can take as one command become a command
 * buffer each.
 *
 * In every sequence the longest runs of convertible steps are found; one that stands for fewer commands than the least
 * number stays as it is. Kernels, copies (to and from host memory, too), fills and the numbers of replica and partition
 * are convertible; loops and branches only when asked for (and only with all that is in them), since they need
 * conditional nodes of the driver. Those cannot count, so a loop of a known number of turns asks its condition in
 * there. What is inside loops and branches that stay is converted by itself.
 *
 * What libraries enqueue, collectives among it, is captured when a command buffer is built. So neither a call that
 * waits for the device itself is convertible, nor a collective that is told by an operand what it does; and a loop or
 * branch with such steps stays, for the graphs inside conditional nodes take fewer kinds of nodes than a library may
 * enqueue.
 *
 * Collectives run beside what stands behind them. Where one stays, a run ends where a step needs what it gives, so that
 * the steps before that one need not wait with it. */
#ifndef XG_PLAN_COMMANDS_C
#define XG_PLAN_COMMANDS_C
#include "plan.h"
#include "thunks.c"

enum {
    XG_COMMANDS_COLLECTIVES = 16 /* so many in front of a step are looked at */
};

/* size: of each sequence, plus 1; 0: it cannot be converted as a whole */
typedef struct xg_commands {
    xg_plan *p;
    uint32_t least;
    bool control;
    uint32_t *size;
} xg_commands;

XG_FN bool xg_commands_on_device(const xg_plan *p, const xg_plan_step *s) {
    uint32_t k;
    for (k = 0; k < s->n_links; k++)
        if (p->buffers.p[s->links[k]]->space == XG_PLAN_HOST_SPACE) return false;
    return true;
}
/* Does the host wait for the device before all of the step is enqueued? */
XG_FN bool xg_commands_waits_on_host(const xg_plan_step *s) {
    const xg_inst *i = s->inst;
    if (s->kind == XG_EXE_THUNK_COLLECTIVE)
        return i->op == XG_RAGGED_ALL_TO_ALL || xg_attr_or_0(i, XG_A_has_dynamic_root);
    return xg_library_waits(i);
}
/* How many commands a step is; 0: it cannot be one. */
XG_FN uint32_t xg_commands_of(const xg_commands *c, const xg_plan_step *s) {
    const xg_exe_thunk_row *row = xg_exe_thunk_row_of(s->kind);
    uint32_t n = 1, k;
    if (!(row->flags & XG_EXE_INSIDE)) return 0;
    if ((row->flags & XG_EXE_CAPTURED) && xg_commands_waits_on_host(s)) return 0;
    if (!row->runs) return s->kind == XG_EXE_THUNK_COPY || xg_commands_on_device(c->p, s);
    for (k = 0; k < s->n_children && c->control; k++) {
        if (!c->size[s->children[k]]) return 0;
        n += c->size[s->children[k]] - 1;
    }
    return c->control ? n : 0;
}

/* The run from..to of a sequence becomes a sequence of its own under one step. */
XG_FN void xg_commands_wrap(xg_commands *c, xg_plan_sequence *q, uint32_t from, uint32_t to, xg_plan_sequence *out) {
    xg_plan *p = c->p;
    xg_plan_sequence *run = XG_NEW(p->arena, xg_plan_sequence);
    xg_plan_step *s;
    uint32_t k;
    run->comp = q->comp;
    for (k = from; k < to; k++) xg_push(p->arena, uint32_t, &run->steps, q->steps.p[k]);
    xg_push(p->arena, xg_plan_sequence *, &p->sequences, run);
    s = xg_plan_step_new(p, out, XG_EXE_THUNK_COMMAND_BUFFER, p->steps.p[q->steps.p[from]].inst, 0);
    s->n_children = 1;
    s->children = XG_NEW(p->arena, uint32_t);
    s->children[0] = p->sequences.n - 1;
}

/* The run from..to, so wrapped if it stands for enough. */
XG_FN void xg_commands_end(
    xg_commands *c, xg_plan_sequence *q, uint32_t from, uint32_t to, uint32_t total, xg_plan_sequence *out) {
    if (total >= c->least && to > from)
        xg_commands_wrap(c, q, from, to, out);
    else
        for (; from < to; from++) xg_push(c->p->arena, uint32_t, &out->steps, q->steps.p[from]);
}
XG_FN bool xg_commands_share(const xg_buffer *a, const xg_buffer *b) {
    bool temp = a->kind == XG_EXE_ALLOC_TEMP && b->kind == XG_EXE_ALLOC_TEMP && a->host == b->host;
    return a == b || (temp && a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes);
}
/* Collectives that no step has waited for, the last ones: places in the sequence. */
typedef struct xg_commands_flight {
    uint32_t n, at[XG_COMMANDS_COLLECTIVES];
} xg_commands_flight;
XG_FN void xg_commands_take_off(xg_commands_flight *f, uint32_t at) {
    if (f->n == XG_COMMANDS_COLLECTIVES) memmove(f->at, f->at + 1, --f->n * sizeof f->at[0]);
    f->at[f->n++] = at;
}
XG_APART XG_FN bool xg_commands_writes(const xg_plan_step *s, uint32_t link) {
    uint32_t marked = link >= s->n_links - s->n_written ? XG_EXE_WRITTEN : 0;
    return xg_exe_writes(s->kind, marked, link, s->n_links);
}
XG_FN bool xg_commands_meet(const xg_plan *p, const xg_plan_step *s, const xg_plan_step *t) {
    uint32_t j, k;
    for (j = 0; j < s->n_links; j++)
        for (k = 0; k < t->n_links; k++)
            if ((xg_commands_writes(s, j) || xg_commands_writes(t, k)) &&
                xg_commands_share(p->buffers.p[s->links[j]], p->buffers.p[t->links[k]]))
                return true;
    return false;
}
/* Has the step to wait for one of them? Then those up to the last such one have landed. */
XG_FN bool xg_commands_waits(
    const xg_plan *p, const xg_plan_sequence *q, const xg_plan_step *s, xg_commands_flight *f) {
    uint32_t k = f->n;
    while (k && !xg_commands_meet(p, s, &p->steps.p[q->steps.p[f->at[k - 1]]])) k--;
    memmove(f->at, f->at + k, (f->n - k) * sizeof f->at[0]);
    f->n -= k;
    return k > 0;
}

XG_FN void xg_commands_sequence(xg_commands *c, uint32_t number) {
    xg_plan *p = c->p;
    xg_plan_sequence *q = p->sequences.p[number], out;
    xg_commands_flight flight;
    uint32_t k, from = 0, total = 0;
    flight.n = 0;
    out = *q;
    memset(&out.steps, 0, sizeof out.steps);
    for (k = 0; k <= q->steps.n; k++) {
        const xg_plan_step *step = k < q->steps.n ? &p->steps.p[q->steps.p[k]] : NULL;
        uint32_t n = step ? xg_commands_of(c, step) : 0;
        if (n && xg_commands_waits(p, q, step, &flight) && k > from) {
            xg_commands_end(c, q, from, k, total, &out);
            from = k;
            total = 0;
        }
        if (step && step->kind == XG_EXE_THUNK_COLLECTIVE && !n) xg_commands_take_off(&flight, k);
        if (n) {
            total += n;
            continue;
        }
        xg_commands_end(c, q, from, k, total, &out);
        if (k < q->steps.n) xg_push(p->arena, uint32_t, &out.steps, q->steps.p[k]);
        from = k + 1;
        total = 0;
    }
    q->steps.p = out.steps.p;
    q->steps.n = out.steps.n;
    q->steps.cap = out.steps.cap;
}

/* A loop that stays is counted after all, if it can be. */
XG_FN void xg_commands_count_turns(xg_plan *p, const xg_plan_sequence *q) {
    uint32_t k, trips;
    for (k = 0; k < q->steps.n; k++) {
        xg_plan_step *s = &p->steps.p[q->steps.p[k]];
        if (s->kind != XG_EXE_THUNK_WHILE || !xg_plan_trip_count(s->inst, &trips)) continue;
        s->kind = XG_EXE_THUNK_FOR;
        s->value = trips;
        s->n_links = 0;
        s->n_children = 1;
        s->children[0] = s->children[1];
    }
}

/* Sequences inside of others have greater numbers. */
XG_APART XG_FN void xg_plan_command_buffers(xg_plan *p, uint32_t least, bool control) {
    uint32_t n = p->sequences.n, k, j;
    bool *inside = XG_NEW_N(p->arena, bool, n + (size_t)1); /* runs as part of a command buffer */
    xg_commands c;
    c.p = p;
    c.least = least;
    c.control = control;
    c.size = XG_NEW_N(p->arena, uint32_t, n + (size_t)1);
    for (k = n; k-- > 0;) {
        const xg_plan_sequence *q = p->sequences.p[k];
        c.size[k] = 1;
        for (j = 0; j < q->steps.n && c.size[k]; j++) {
            const xg_plan_step *s = &p->steps.p[q->steps.p[j]];
            uint32_t of = xg_exe_thunk_row_of(s->kind)->flags & XG_EXE_CAPTURED ? 0 : xg_commands_of(&c, s);
            c.size[k] = of ? c.size[k] + of : 0;
        }
    }
    for (k = 0; k < n; k++) {
        uint32_t l;
        if (inside[k])
            c.least = UINT32_MAX; /* stays as it is; so does what it runs */
        else {
            c.least = least;
            xg_commands_sequence(&c, k);
        }
        for (j = 0; j < p->sequences.p[k]->steps.n; j++) {
            const xg_plan_step *s = &p->steps.p[p->sequences.p[k]->steps.p[j]];
            if (s->kind != XG_EXE_THUNK_COMMAND_BUFFER) {
                for (l = 0; l < s->n_children; l++) inside[s->children[l]] = inside[k];
                continue;
            }
            for (l = 0; l < p->sequences.p[s->children[0]]->steps.n; l++) {
                const xg_plan_step *t = &p->steps.p[p->sequences.p[s->children[0]]->steps.p[l]];
                uint32_t d;
                for (d = 0; d < t->n_children; d++) inside[t->children[d]] = true;
            }
        }
        if (control && !inside[k]) xg_commands_count_turns(p, p->sequences.p[k]);
    }
}

#endif /* XG_PLAN_COMMANDS_C */
