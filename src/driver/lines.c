/* driver/lines.c -- which line of a kernel's last IR comes from which HLO instruction: the stage "ir_lines/K".
 *
 * Laws
 * - Row k of the stage is the k-th operation in the order in which the IR is printed, each on a line of its own: the
 *   computation and the name of its HLO instruction; what comes from none in particular is the kernel's own.
 * - From here on xg_kop.loc is that number, from 1 on. What a backend makes of an operation carries it, too: it can say
 *   of each line of its code from which line of the IR that is made ("ptx_lines/K"). */
#ifndef XG_DRIVER_LINES_C
#define XG_DRIVER_LINES_C
#include "driver.h"

/* The instructions of a module by their ids; NULL where there is none any more. */
XG_FN const xg_inst **xg_driver_insts_by_id(const xg_module *m, xg_arena *a) {
    const xg_inst **all = XG_NEW_N(a, const xg_inst *, m->n_ids + (size_t)1);
    const xg_comp *c;
    for (c = m->first; c; c = c->next)
        XG_FOR_INSTS(i, c) all[i->id] = i;
    return all;
}
XG_FN void xg_driver_number_region(xg_kregion *r, xg_driver_lines *l) {
    uint32_t k;
    XG_FOR_KOPS(op, r) {
        const xg_inst *i = op->loc && op->loc <= l->n_ids ? l->insts[op->loc - 1] : NULL;
        if (op->op == XG_K_OP_YIELD && op->n_operands == 0) { /* it is not printed */
            op->loc = 0;
            continue;
        }
        if (!i) i = l->kernel;
        xg_printf(&l->text, "%s\t%s\n", i->comp->name.p, i->name.p);
        op->loc = ++l->n;
        for (k = 0; k < op->n_regions; k++) xg_driver_number_region(op->regions[k], l);
    }
}
XG_FN void xg_driver_number_lines(xg_kmodule *m, xg_driver_lines *lines) {
    lines->n = 0;
    xg_buf_init(&lines->text, m->arena);
    xg_driver_number_region(m->entry->body, lines);
}
XG_FN void xg_driver_dump_lines(const xg_kmodule *m, const xg_driver_options *o, const xg_driver_lines *lines) {
    char stage[256];
    xg_format(stage, sizeof stage, "ir_lines/%s", m->entry->name.p);
    xg_driver_dump_text(o, stage, &lines->text);
}

#endif /* XG_DRIVER_LINES_C */
