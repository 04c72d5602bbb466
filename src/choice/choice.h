/* choice/choice.h -- each kernel is decided once: by which way, in what form, with how many threads, over which memory.
 *
 * The pass kernel-choice, behind fusion, writes a record (fuse/record.c) into the backend_config of every fusion that
 * becomes a kernel. Scheduling, alias analysis and code read the record and decide nothing again.
 *
 * Ways are rows: the emitters (emit/emitters.h), which come first in order of priority, and the rules below, which
 * compete with the emitter by estimated time. A fusion that a rule takes is the rule's when its time is less.
 *
 * To add a way: a row of XG_RULES, and two functions, whose prototypes stand in a header of a room below.
 *     plan   Asks whether the way can make the fusion. False: it cannot, and r->why may say why, as a text that lasts.
 *            True: it has written the form (xg_record_put), the launch, *time (picoseconds), and, if a result may be
 *            written over an operand, r->over; job->over has what the computation itself would allow: elements of an
 *            operand are read at the place only where the result has its own. What job->given says of the form is an
 *            order: obey it, or refuse with the reason. The same order is given when the kernel is emitted.
 *     emit   The kernel, by the record alone. Its entry has the computation's parameters, then one destination for
 *            each leaf of the result. The launch is checked against the record's. */
#ifndef XG_CHOICE_H
#define XG_CHOICE_H
#include "../emit/emit.h"
#include "../fuse/fuse.h"

typedef struct xg_choice_job {
    xg_arena *arena;
    const xg_inst *fusion;
    const xg_emit_target *target; /* the device */
    const xg_record *given;       /* an order; NULL: none */
    const xg_ints *over;          /* by leaf of the result: operands that are read in place */
} xg_choice_job;

/* clang-format off */
/* X(kind, text, plan, emit)   kind: "rule" or "library", the key of the record that names it */
#define XG_RULES(X)
/* clang-format on */

typedef struct xg_way {
    const char *kind, *name;
    bool (*plan)(const xg_choice_job *job, xg_record *r, int64_t *time);
    xg_kmodule *(*emit)(const xg_choice_job *job, const xg_record *r, xg_str name);
} xg_way;

/* ---- choice.c ---- */
XG_FN bool xg_choice_kernels(xg_module *m); /* the pass kernel-choice */
/* The record of one fusion that came later, or that is not in a module's steps. */
XG_FN void xg_choice_of(xg_arena *a, xg_inst *fusion, const xg_emit_target *target);
/* The kernel, by the fusion's record; fails where the record does not suit the fusion. */
XG_FN xg_kmodule *xg_choice_emit(
    xg_arena *a, const xg_inst *fusion, const xg_record *r, xg_str name, const xg_emit_target *target);
XG_FN void xg_choice_complete(xg_module *m);         /* records that are missing, or leave something open */
XG_FN bool xg_choice_needs_kernel(const xg_inst *i); /* a fusion that is made by a kernel */
XG_FN xg_emit_target xg_choice_target(const xg_module *m);

#endif /* XG_CHOICE_H */
