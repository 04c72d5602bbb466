/* plan/copies.c -- copy insertion: the moves that are left when all values that may lie in one place do.
 *
 * Asked last, of buffers and not of operations, so a copy stands only where two values are needed at the same time, or
 * where the memory is the caller's: the state of a loop that its init or its body could not be made in, a branch's
 * result, an operand that is updated in place and still needed, a result that is a parameter or stands twice. All moves
 * of one place happen at the same time; they are put into an order in which nothing is written before it is read. The
 * buffer assignment lists them. */
#ifndef XG_PLAN_COPIES_C
#define XG_PLAN_COPIES_C
#include "plan.h"
#include "values.c"

/* A site for the copy of an operand into the result's memory. */
XG_FN void xg_copies_operand(xg_plan *p, const xg_plan_value *from, const xg_plan_value *to) {
    xg_plan_site *s = xg_plan_site_of(p, to->inst);
    xg_plan_move m;
    if (!s) s = xg_plan_site_new(p, to->inst, 1);
    m.from = from->buffer;
    m.to = to->buffer;
    xg_push(p->arena, xg_plan_move, &s->moves[0], m);
}

XG_FN void xg_copies_add(xg_plan *p, xg_plan_moves *list, const xg_plan_value *v) {
    xg_plan_move m;
    if (!v->from || v->from->buffer == v->buffer || !v->buffer->bytes) return;
    m.from = v->from->buffer;
    m.to = v->buffer;
    xg_push(p->arena, xg_plan_move, list, m);
}

/* Moves that happen at the same time, one after the other: first those into what nothing reads any more. What is left
 * goes round in circles; each is cut by a spare. */
XG_FN void xg_copies_order(xg_plan *p, xg_plan_moves *list, const xg_inst *i, uint32_t at) {
    xg_plan_moves out = {NULL, 0, 0};
    uint32_t *ready, head = 0, n = 0, k, next = 0; /* each is ready once */
    uint32_t *reader = NULL;                       /* of the buffer that a move writes: the move that reads it */
    bool *done;
    xg_plan_move m;
    if (list->n < 2) return;
    ready = XG_NEW_N(p->arena, uint32_t, list->n);
    done = XG_NEW_N(p->arena, bool, list->n);
    for (k = 0; k < list->n; k++) {
        memset(&list->p[k].from->work, 0, sizeof list->p[k].from->work);
        memset(&list->p[k].to->work, 0, sizeof list->p[k].to->work);
    }
    for (k = 0; k < list->n; k++) {
        list->p[k].from->work.moves.reads++;
        list->p[k].to->work.moves.mover = k + 1;
    }
    for (k = 0; k < list->n; k++)
        if (!list->p[k].to->work.moves.reads) ready[n++] = k;
    for (;;) {
        while (head < n) {
            uint32_t t = ready[head++];
            xg_buffer *from = list->p[t].from;
            xg_push(p->arena, xg_plan_move, &out, list->p[t]);
            done[t] = true;
            k = from->work.moves.mover;
            if (--from->work.moves.reads == 0 && k && !done[k - 1]) ready[n++] = k - 1;
        }
        if (!reader && n < list->n) {
            reader = XG_NEW_N(p->arena, uint32_t, list->n);
            for (k = 0; k < list->n; k++)
                if (!done[k]) reader[list->p[k].from->work.moves.mover - 1] = k; /* a circle: each has one */
        }
        while (next < list->n && done[next]) next++;
        if (next == list->n) break;
        m.from = list->p[next].to;
        m.to = xg_plan_value_new(p, i, 0, XG_VALUE_SPARE, m.from->values.p[0]->shape, at)->buffer;
        m.to->work.moves.reads = 1;
        xg_push(p->arena, xg_plan_move, &out, m);
        list->p[reader[next]].from = m.to;
        ready[n++] = next;
    }
    *list = out;
}

XG_FN void xg_plan_copies(xg_plan *p) {
    uint32_t n = p->values.n, k, j;
    for (k = 0; k < n; k++) {
        const xg_plan_value *v = xg_plan_value_at(p, k);
        bool moves = v->role == XG_VALUE_IN || v->role == XG_VALUE_OUT || v->role == XG_VALUE_LANDED;
        xg_plan_site *s = moves ? xg_plan_site_of(p, v->inst) : NULL;
        if (v->copied) xg_copies_operand(p, xg_plan_value_of(p, XG_OPERAND(v->inst, v->over - 1), 0), v);
        if (v->role == XG_VALUE_IN) xg_copies_add(p, &s->moves[0], v);
        if (v->role == XG_VALUE_OUT) xg_copies_add(p, &s->moves[1], v);
        if (v->role == XG_VALUE_LANDED) xg_copies_add(p, &s->moves[v->branch], v);
        if (v->role == XG_VALUE_RESULT) xg_copies_add(p, &p->at_end, v);
        if (moves) s->at[v->role == XG_VALUE_IN ? 0 : v->role == XG_VALUE_OUT ? 1 : v->branch] = v->first;
    }
    for (k = 0; k < p->joins.n; k++) {
        xg_plan_site *s = xg_plan_site_of(p, p->joins.p[k]);
        for (j = 0; j < s->n && xg_opt_is_control(s->inst); j++) xg_copies_order(p, &s->moves[j], s->inst, s->at[j]);
    }
    xg_copies_order(p, &p->at_end, p->m->entry->root, p->end);
}

XG_FN xg_buffer *xg_plan_operand_buffer(const xg_plan *p, const xg_inst *i, uint32_t operand, uint32_t leaf) {
    const xg_plan_value *v = xg_plan_value_of(p, XG_OPERAND(i, operand), leaf);
    uint32_t n = xg_plan_site_of(p, i) && !xg_opt_is_control(i) ? (uint32_t)xg_shape_leaves(i->shape) : 0, k;
    for (k = 0; k < n; k++) {
        const xg_plan_value *to = xg_plan_value_of(p, i, k);
        if (to && to->copied && to->over == operand + 1) return to->buffer;
    }
    return v ? v->buffer : NULL;
}

/* ---- their list ---- */

XG_FN void xg_copies_print_list(xg_buf *b, const xg_plan_moves *list, const char *where, const xg_inst *i) {
    uint32_t k;
    for (k = 0; k < list->n; k++) {
        if (!list->p[k].to->bytes) continue;
        xg_puts(b, "  ");
        xg_report_value_name(b, list->p[k].from->values.p[0]);
        xg_printf(b, ", %lld bytes, %s", (long long)list->p[k].to->bytes, where);
        if (i) {
            xg_putc(b, ' ');
            xg_put_str(b, i->name);
        }
        xg_putc(b, '\n');
    }
}
XG_FN void xg_copies_print(xg_buf *b, const xg_plan *p) {
    size_t empty = b->n, begun;
    uint32_t k, j;
    xg_puts(b, "Copies:\n");
    begun = b->n;
    for (k = 0; k < p->joins.n; k++) {
        const xg_plan_site *s = xg_plan_site_of(p, p->joins.p[k]);
        for (j = 0; j < s->n; j++)
            xg_copies_print_list(b, &s->moves[j],
                s->inst->op == XG_WHILE         ? (j ? "at the end of each turn of" : "into the state of")
                : s->inst->op == XG_CONDITIONAL ? "at the end of a branch of"
                                                : "for the update in place",
                s->inst);
    }
    xg_copies_print_list(b, &p->at_end, "into a result", NULL);
    if (b->n == begun) b->n = empty;
}

#endif /* XG_PLAN_COPIES_C */
