/* choice/choice.h -- each kernel is decided once: by which way, in what form, with how many threads, over which memory.
 *
 * The pass kernel-choice, behind fusion, writes a record (fuse/record.c) into the backend_config of every fusion that
 * becomes a kernel. Scheduling, alias analysis and code read the record and decide nothing again.
 *
 * Ways are rows: the emitters (emit/emitters.h), which come first in order of priority, and the rules below, which
 * compete with the emitter by estimated time. A fusion that a rule takes is the rule's when its time is less.
 *
 * To add a way: a row of XG_RULES, and two functions (xg_way in emit.h), whose prototypes stand in a header of a room
 * below this one.
 *
 * plan: whether the way can make the fusion. False: it cannot, or should not; r->why may say why not, as a text that
 * lasts. True: it has written form (xg_record_put), launch, its time, and, if it knows better than the cost model, the
 * time that the emitter would take. A result may be written over an operand only if r->over says so:
 * xg_fuse_over(.., false, ..) has what the computation allows where all that a block reads of an operand is read before
 * any of it is written; xg_fuse_over(.., true, ..) where each thread reads an operand only at the place that it writes.
 * What job->given says is an order: obey it, or refuse with the reason. An order that is a whole record
 * (xg_record_is_whole) leaves nothing to search.
 *
 * emit: the kernel, by the record alone: job->given is the record. Its entry has the computation's parameters, then one
 * destination for each leaf of the result. The launch is checked against the record's. */
#ifndef XG_CHOICE_H
#define XG_CHOICE_H
#include "../emit/emit.h"
#include "../fuse/fuse.h"
#include "../sched/attention.h"
#include "../sched/library.h"
#include "../sched/sched.h"

/* clang-format off */
/* X(kind, text, plan, emit)   kind: "rule" or "library", the key of the record that names it */
#define XG_RULES(X) \
    X("rule", "tile", xg_tile_way_plan, xg_tile_way_emit) \
    XG_WHOLE(X("rule", "schedule", xg_schedule_way_plan, xg_schedule_way_emit)) \
    XG_WHOLE(X("rule", "attention", xg_attention_way_plan, xg_attention_way_emit)) \
    XG_WHOLE(X("library", "cublaslt", xg_cublaslt_plan, xg_library_emit)) \
    XG_WHOLE(X("library", "cudnn", xg_cudnn_plan, xg_library_emit))
/* clang-format on */

/* ---- tuned.c: records that were measured ---- */
typedef struct xg_tuned {
    const xg_source *from; /* NULL: there are none */
    xg_dict lines;         /* of the module's device, by key: the record's text */
} xg_tuned;
XG_FN void xg_tuned_open(xg_tuned *t, xg_arena *a, const xg_module *m); /* fails where the text is no such file */
XG_FN const xg_record *xg_tuned_find(const xg_tuned *t, xg_arena *a, const xg_inst *fusion); /* NULL: none */
XG_FN void xg_tuned_print(xg_buf *b, const xg_module *m); /* the records of a module, each kernel once */

/* ---- choice.c ---- */
XG_FN bool xg_choice_kernels(xg_module *m); /* the pass kernel-choice */
XG_FN bool xg_choice_rows(xg_module *m); /* row-epilogue-fusion: products move into the row programs that read them */
/* The record of one fusion that came later, or that is not in a module's steps. */
XG_FN void xg_choice_of(xg_arena *a, xg_inst *fusion, const xg_emit_target *target);
/* The kernel, by the fusion's record; fails where the record does not suit the fusion. */
XG_FN xg_kmodule *xg_choice_emit(
    xg_arena *a, const xg_inst *fusion, const xg_record *r, xg_str name, const xg_emit_target *target);
/* The same for fusions that compute alike and were decided as one; NULL: nothing is kept of it. */
XG_FN const void *xg_choice_class(const xg_inst *fusion);
XG_FN void xg_kept_drop(xg_module *m);               /* what decisions kept for the code; there is no more of it */
XG_FN void xg_choice_complete(xg_module *m);         /* records that are missing, or leave something open */
XG_FN bool xg_choice_needs_kernel(const xg_inst *i); /* a fusion that is made by a kernel */
XG_FN xg_emit_target xg_choice_target(const xg_module *m);

#endif /* XG_CHOICE_H */
