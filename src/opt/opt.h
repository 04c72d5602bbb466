/* opt/opt.h -- HLO to HLO, one pass a file. A pass is bool pass(xg_module *m): it changes the module and says whether it did. It neither prints nor
 * verifies nor times itself: the driver does (driver/passes.h lists them in order). */
#ifndef XG_OPT_H
#define XG_OPT_H
#include "../hlo/hlo.h"

XG_FN bool xg_opt_call_inliner(xg_module *m);      /* call_inliner.c: every call in place of its computation's copy */
XG_FN bool xg_opt_tuple_simplifier(xg_module *m);  /* tuple_simplifier.c: get-tuple-element of tuple, and through barriers */
XG_FN bool xg_opt_constant_folding(xg_module *m);  /* constant_folding.c: what depends on constants only */
XG_FN bool xg_opt_dce(xg_module *m);               /* dce.c: instructions and computations that nothing needs */
XG_FN bool xg_opt_entry_layout(xg_module *m);      /* entry_layout.c: parameters and results get the layouts of the entry */

XG_FN bool xg_opt_flatten_call_graph(xg_module *m); /* flatten_call_graph.c: loops and branches share no computations */
XG_FN bool xg_opt_is_control(const xg_inst *i);    /* while or conditional */
XG_FN xg_comps xg_opt_control_comps(xg_arena *a, const xg_inst *i); /* what it runs, in the order of its attributes */
XG_FN xg_comp *xg_opt_clone_comp(const xg_comp *from, xg_comp *before);

/* Copies the instructions of `from` before `at`, its parameters replaced by `args`; gives the copy of its root. */
XG_FN xg_inst *xg_opt_inline(const xg_comp *from, xg_comp *to, xg_inst *at, xg_inst *const *args);

#endif /* XG_OPT_H */
