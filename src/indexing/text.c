/* indexing/text.c -- maps of instructions as text: what `--emit=indexing` prints and the tests of this room read. */
#ifndef XG_INDEXING_TEXT_C
#define XG_INDEXING_TEXT_C
#include "indexing.h"

/* Runtime symbols follow, each with the element that it is: "rt0 = NAME at MAP". The map of a place has the owner's own
 * symbols, not printed again. */
XG_FN void xg_indexing_print_map(xg_buf *b, xg_aff_ctx *x, const char *before, const xg_imap *m) {
    uint32_t k;
    xg_puts(b, before);
    xg_imap_print(b, m);
    xg_putc(b, '\n');
    for (k = 0; m->state == XG_IMAP_OK && k < m->n_rts; k++) {
        const xg_inst *source = (const xg_inst *)m->rts[k].source;
        xg_str name = xg_imap_sym_name(x, m, m->n_syms + k);
        xg_printf(b, "%s  %.*s = %.*s at ", before, (int)name.n, name.p, (int)source->name.n, source->name.p);
        xg_imap_print(b, m->rts[k].map);
        xg_putc(b, '\n');
    }
}

XG_FN void xg_indexing_print_set(xg_buf *b, xg_aff_ctx *x, xg_imaps set) {
    uint32_t k;
    if (!set.n) xg_puts(b, "  nothing\n");
    for (k = 0; k < set.n; k++) xg_indexing_print_map(b, x, "  ", set.p[k]);
}

enum {
    XG_INDEXING_PAIRS_MAX = 4096
};

XG_APART XG_FN void xg_indexing_print(xg_buf *b, xg_aff_ctx *x, const xg_inst *i) {
    uint32_t n = xg_indexing_n_outputs(i), o, k;
    if (xg_indexing_why_unknown(i->op)) {
        xg_printf(b, "unknown: %s\n", xg_indexing_why_unknown(i->op));
        return;
    }
    if ((uint64_t)n * i->n_operands > XG_INDEXING_PAIRS_MAX) {
        xg_printf(b, "not printed: %u outputs, each of %u operands\n", n, i->n_operands);
        return;
    }
    for (o = 0; o < n; o++)
        for (k = 0; k < i->n_operands; k++) {
            xg_printf(b, "output %u to operand %u (%s)\n", o, k, XG_OPERAND(i, k)->name.p);
            xg_indexing_print_set(b, x, xg_indexing_output_to_operand_set(x, i, o, k));
        }
    for (k = 0; k < i->n_operands; k++)
        for (o = 0; o < n; o++) {
            xg_printf(b, "operand %u (%s) to output %u\n", k, XG_OPERAND(i, k)->name.p, o);
            xg_indexing_print_set(b, x, xg_indexing_operand_to_output_set(x, i, k, o));
        }
}

XG_FN void xg_indexing_print_module(xg_buf *b, const xg_module *m) {
    const xg_comp *c;
    for (c = m->first; c; c = c->next) {
        xg_printf(b, "%s%.*s:\n", c == m->first ? "" : "\n", (int)c->name.n, c->name.p);
        XG_FOR_INSTS(i, c) {
            if (!i->n_operands) continue;
            xg_printf(b, "%.*s: %s\n", (int)i->name.n, i->name.p, xg_op_name(i->op));
            xg_indexing_print(b, xg_aff_new(b->arena), i);
        }
    }
}

#endif /* XG_INDEXING_TEXT_C */
