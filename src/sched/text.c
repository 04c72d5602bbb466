/* sched/text.c -- loop nests as text.
 *
 *   file     = {HLO computation} nest                  computations: combiners that are more than one operation
 *   nest     = ["flat"] "nest" name "(" [param {"," param}] ")" "->" "(" param {"," param} ")" "{" {alloc} {stmt} "}"
 *   param    = name ":" shape
 *   alloc    = "alloc" param "in" scope ["at" integer] {"align" "(" axis "," factor "," offset ")"}
 *   stmt     = ["sync"]                                the threads of a block wait for each other, then:
 *              "for" name "in" extent ["at" kind] "{" {note} {stmt} "}"
 *            | "block" name "(" [iter {"," iter}] ")" ["where" domain]
 *              "{" {note} ["intrinsic" name] [regions] (body | {stmt}) "}"
 *   regions  = "reads" [region {"," region}] "writes" region {"," region}
 *   region   = buffer "[" [expr [":" expr] {"," expr [":" expr]}] "]"    expr: of the block's iterators
 *   iter     = ("S" | "R") name ":" extent "=" expr                      expr: of the loops around it
 *   domain   = expr "in" "[" integer "," integer "]" {"and" ...}
 *   note     = "note" string "=" string
 *   body     = ["allreduce" axis {"," axis} | "lanes" integer]           the threads of these axes, or lanes, combine
 *              ["init" value {"," value} ["if" domain]]
 *              {name "=" (read | "index" type "(" expr ")" | "holds" "(" domain ")" | HLO instruction)}
 *              place {"," place} [combiner] "=" value {"," value}
 *   read     = buffer "[" [expr {"," expr}] "]" ["if" domain "else" literal]
 *   place    = buffer "[" [expr {"," expr}] "]"        expr: of the block's iterators
 *   combiner = opcode | the name of a computation      add= updates, = stores
 * In a flat nest blocks have no iterators, and expr is of the loops everywhere. Layouts are row-major always: a
 * buffer's dimensions are those of its memory. */
#ifndef XG_SCHED_TEXT_C
#define XG_SCHED_TEXT_C
#include "../hlo/text.h"
#include "sched.h"
#include "../hlo/text.h"

/* ---- names ---- */

XG_FN void xg_nest_see(xg_imap *m, const xg_loopnest *n, uint32_t var) { m->dims[var].name = n->vars.p[var].name; }
/* The variables that can be seen at a place, by their names: the loops up to the next block, and its iterators; with
 * `own`, those of a block itself instead. Others have names that no text can have. */
XG_FN const xg_imap *xg_nest_names(const xg_loopnest *n, const xg_nstmt *at, const xg_nblock *own) {
    xg_imap *m = xg_imap_of_dims(n->aff, n->vars.n, 0);
    uint32_t k;
    for (k = 0; k < n->vars.n; k++) m->dims[k].name = XG_STR("(hidden)");
    if (own)
        for (k = 0; k < own->n_iters; k++) xg_nest_see(m, n, own->iters[k].var);
    else
        for (; at; at = at->parent) {
            if (at->op == XG_N_LOOP) xg_nest_see(m, n, at->var);
            if (at->op != XG_N_BLOCK) continue;
            for (k = 0; k < at->block->n_iters; k++) xg_nest_see(m, n, at->block->iters[k].var);
            break;
        }
    return m;
}

/* ---- printing ---- */

typedef struct xg_nprint {
    xg_buf *b;
    const xg_loopnest *n;
    uint32_t depth;
} xg_nprint;

XG_FN void xg_nprint_line(xg_nprint *p) {
    uint32_t k;
    xg_putc(p->b, '\n');
    for (k = 0; k < p->depth; k++) xg_puts(p->b, "  ");
}
XG_FN void xg_nprint_type(xg_nprint *p, const xg_nbuf *b) {
    uint32_t k;
    xg_put_str(p->b, b->name);
    xg_printf(p->b, ": %s[", xg_type_name(b->type));
    for (k = 0; k < b->rank; k++) xg_printf(p->b, "%s%lld", k ? "," : "", (long long)b->dims[k]);
    xg_putc(p->b, ']');
}
XG_FN void xg_nprint_place(xg_nprint *p, const xg_nbuf *b, const xg_aff *const *at, const xg_imap *names) {
    uint32_t k;
    xg_put_str(p->b, b->name);
    xg_putc(p->b, '[');
    for (k = 0; k < b->rank; k++) {
        if (k) xg_puts(p->b, ", ");
        xg_aff_print(p->b, at[k], names);
    }
    xg_putc(p->b, ']');
}
XG_FN void xg_nprint_domain(xg_nprint *p, const xg_constraint *c, uint32_t n, const xg_imap *names) {
    uint32_t k;
    for (k = 0; k < n; k++) {
        if (k) xg_puts(p->b, " and ");
        xg_aff_print(p->b, c[k].expr, names);
        xg_printf(p->b, " in [%lld, %lld]", (long long)c[k].range.lo, (long long)c[k].range.hi);
    }
}
XG_FN void xg_nprint_arg(xg_nprint *p, const xg_narg *a, xg_str name, const xg_imap *names) {
    xg_nprint_line(p);
    xg_put_str(p->b, name);
    xg_puts(p->b, " = ");
    if (a->kind == XG_NA_LOAD) {
        xg_nprint_place(p, a->buf, a->at, names);
        if (!a->n_where) return;
        xg_puts(p->b, " if ");
        xg_nprint_domain(p, a->where, a->n_where, names);
        xg_puts(p->b, " else ");
        xg_literal_print(p->b, a->value, true);
    } else if (a->kind == XG_NA_HOLDS) {
        xg_puts(p->b, "holds (");
        xg_nprint_domain(p, a->where, a->n_where, names);
        xg_putc(p->b, ')');
    } else if (a->kind == XG_NA_INDEX) {
        xg_printf(p->b, "index %s (", xg_type_name(a->type));
        xg_aff_print(p->b, a->at[0], names);
        xg_putc(p->b, ')');
    } else {
        xg_printf(p->b, "%s[] constant(", xg_type_name(a->type));
        xg_literal_print(p->b, a->value, true);
        xg_putc(p->b, ')');
    }
}
/* An instruction without the word that marks a root: what is written at the end of a block says which one it is. */
XG_FN void xg_nprint_inst(xg_nprint *p, const xg_inst *i, const xg_print_options *o) {
    xg_printer printer;
    xg_buf line;
    bool root;
    xg_buf_init(&line, p->n->arena);
    printer.b = &line;
    printer.o = *o;
    xg_print_inst(&printer, i);
    root = line.n > 5 && memcmp(line.p, "ROOT ", 5) == 0;
    xg_put(p->b, line.p + (root ? 5 : 0), line.n - (root ? 5 : 0));
}
/* Which threads combine what they have in this block. */
XG_FN void xg_nprint_together(xg_nprint *p, const xg_nblock *b) {
    uint32_t k, count = 0;
    if (!b->across && !b->lanes) return;
    xg_nprint_line(p);
    if (b->lanes)
        xg_printf(p->b, "lanes %u", b->lanes);
    else
        xg_puts(p->b, "allreduce ");
    for (k = 0; k < 3; k++)
        if (b->across >> k & 1)
            xg_printf(p->b, "%s%s", count++ ? ", " : "", xg_nkind_text((xg_nkind)(XG_NK_THREAD_X + k)));
}
XG_FN void xg_nprint_body(xg_nprint *p, const xg_nstmt *s) {
    const xg_nblock *b = s->block;
    const xg_imap *names = xg_nest_names(p->n, s->parent, p->n->flat ? NULL : b);
    xg_print_options o;
    uint32_t k;
    memset(&o, 0, sizeof o);
    xg_nprint_together(p, b);
    if (b->init)
        for (k = 0; k < b->n_outs; k++) {
            if (k == 0) xg_nprint_line(p);
            xg_puts(p->b, k ? ", " : "init ");
            xg_literal_print(p->b, b->init[k], true);
        }
    if (b->init && b->n_begin) xg_puts(p->b, " if ");
    if (b->init) xg_nprint_domain(p, b->begin, b->n_begin, names);
    o.whole_constants = true;
    XG_FOR_INSTS(i, b->body) {
        if (i->op == XG_PARAMETER)
            xg_nprint_arg(p, &b->args[i->number], i->name, names);
        else if (i != b->body->root || i->op != XG_TUPLE) {
            xg_nprint_line(p);
            xg_nprint_inst(p, i, &o);
        }
    }
    xg_nprint_line(p);
    for (k = 0; k < b->n_outs; k++) {
        if (k) xg_puts(p->b, ", ");
        xg_nprint_place(p, b->outs[k].buf, b->outs[k].at, names);
    }
    xg_putc(p->b, ' ');
    if (b->combine) {
        xg_opcode op = xg_eval_single(b->combine);
        if (op == XG_PARAMETER)
            xg_put_str(p->b, b->combine->name);
        else
            xg_puts(p->b, xg_op_name(op));
    }
    xg_puts(p->b, "= ");
    if (b->n_outs == 1)
        xg_put_str(p->b, b->body->root->name);
    else
        for (k = 0; k < b->n_outs; k++) {
            if (k) xg_puts(p->b, ", ");
            xg_put_str(p->b, XG_OPERAND(b->body->root, k)->name);
        }
}
XG_FN void xg_nprint_regions(xg_nprint *p, const xg_nstmt *s) {
    const xg_imap *names = xg_nest_names(p->n, s->parent, s->block);
    uint32_t k;
    for (k = 0; k < 2; k++) {
        xg_nregions v;
        xg_nest_regions_of((xg_loopnest *)p->n, s, k == 1, &v);
        xg_nprint_line(p);
        xg_puts(p->b, k ? "writes" : "reads");
        xg_nregions_print(p->b, (xg_loopnest *)p->n, &v, names);
    }
}
XG_FN void xg_nprint_stmt(xg_nprint *p, const xg_nstmt *s) {
    const xg_nblock *b = s->block;
    const xg_imap *names;
    const xg_nstmt *c;
    uint32_t k;
    xg_nprint_line(p);
    if (s->sync) {
        xg_puts(p->b, "sync");
        xg_nprint_line(p);
    }
    if (s->op == XG_N_LOOP) {
        xg_puts(p->b, "for ");
        xg_put_str(p->b, p->n->vars.p[s->var].name);
        xg_printf(p->b, " in %lld", (long long)s->extent);
        if (s->kind != XG_NK_SERIAL) xg_printf(p->b, " at %s", xg_nkind_text(s->kind));
    } else {
        names = xg_nest_names(p->n, s->parent, NULL);
        xg_puts(p->b, "block ");
        xg_put_str(p->b, b->name);
        xg_putc(p->b, '(');
        for (k = 0; k < b->n_iters; k++) {
            xg_printf(p->b, "%s%c ", k ? ", " : "", b->iters[k].kind);
            xg_put_str(p->b, p->n->vars.p[b->iters[k].var].name);
            xg_printf(p->b, ": %lld = ", (long long)b->iters[k].extent);
            xg_aff_print(p->b, b->iters[k].binding, names);
        }
        xg_putc(p->b, ')');
        if (b->n_where) xg_puts(p->b, " where ");
        xg_nprint_domain(p, b->where, b->n_where, names);
    }
    xg_puts(p->b, " {");
    p->depth++;
    for (k = 0; k < s->n_notes; k++) {
        xg_nprint_line(p);
        xg_puts(p->b, "note ");
        xg_put_quoted(p->b, s->notes[k].key);
        xg_puts(p->b, " = ");
        xg_put_quoted(p->b, s->notes[k].value);
    }
    if (s->op == XG_N_BLOCK && b->intrinsic.n) {
        xg_nprint_line(p);
        xg_puts(p->b, "intrinsic ");
        xg_put_str(p->b, b->intrinsic);
    }
    if (s->op == XG_N_BLOCK && b->regions && !p->n->flat) xg_nprint_regions(p, s);
    if (s->op == XG_N_BLOCK && b->body) xg_nprint_body(p, s);
    for (c = s->first; c; c = c->next) xg_nprint_stmt(p, c);
    p->depth--;
    xg_nprint_line(p);
    xg_putc(p->b, '}');
}
XG_FN void xg_nprint_params(xg_nprint *p, bool outputs) {
    uint32_t k, count = 0;
    xg_putc(p->b, '(');
    for (k = 0; k < p->n->bufs.n; k++) {
        const xg_nbuf *b = p->n->bufs.p[k];
        if (!b->param || b->output != outputs) continue;
        if (count++) xg_puts(p->b, ", ");
        xg_nprint_type(p, b);
    }
    xg_putc(p->b, ')');
}
/* Combiners that are no single operation, each once. */
XG_FN void xg_nprint_combiners(xg_nprint *p) {
    XG_VEC(const xg_comp *) seen = {NULL, 0, 0};
    const xg_nstmt *s;
    uint32_t k;
    for (s = p->n->root; s; s = xg_nstmt_next(s, p->n->root)) {
        const xg_comp *c = s->op == XG_N_BLOCK ? s->block->combine : NULL;
        if (!c || xg_eval_single(c) != XG_PARAMETER) continue;
        for (k = 0; k < seen.n && seen.p[k] != c; k++) {}
        if (k < seen.n) continue;
        xg_push(p->n->arena, const xg_comp *, &seen, c);
        xg_hlo_print_comp(p->b, c, NULL);
        xg_puts(p->b, "\n");
    }
}
XG_FN void xg_nest_print(xg_buf *b, const xg_loopnest *n) {
    xg_nprint p;
    const xg_nstmt *s;
    uint32_t k, j;
    memset(&p, 0, sizeof p);
    p.b = b;
    p.n = n;
    xg_nprint_combiners(&p);
    xg_puts(b, n->flat ? "flat nest " : "nest ");
    xg_put_str(b, n->name);
    xg_nprint_params(&p, false);
    xg_puts(b, " -> ");
    xg_nprint_params(&p, true);
    xg_puts(b, " {");
    p.depth++;
    for (k = 0; k < n->bufs.n; k++) {
        const xg_nbuf *t = n->bufs.p[k];
        if (t->param) continue;
        xg_nprint_line(&p);
        xg_puts(b, "alloc ");
        xg_nprint_type(&p, t);
        xg_printf(b, " in %s", xg_nscope_text(t->scope));
        if (t->padded) xg_puts(b, " padded");
        if (t->placed) xg_printf(b, " at %lld", (long long)t->place);
        for (j = 0; j < t->n_aligned; j++)
            xg_printf(b, " align(%u, %lld, %lld)", t->aligned[j].axis, (long long)t->aligned[j].factor,
                (long long)t->aligned[j].offset);
    }
    for (s = n->root->first; s; s = s->next) xg_nprint_stmt(&p, s);
    xg_puts(b, "\n}\n");
}

#endif /* XG_SCHED_TEXT_C */
