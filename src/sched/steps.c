/* sched/steps.c -- what a scheduled nest goes through on its way to a kernel. */
#ifndef XG_SCHED_STEPS_C
#define XG_SCHED_STEPS_C
#include "sched.h"

static const xg_nest_step xg_nest_step_rows[] = {
#define X(name) {#name, xg_nest_##name},
    XG_NEST_STEPS(X)
#undef X
};
XG_FN const xg_nest_step *xg_nest_steps(uint32_t *count) {
    *count = XG_COUNT(xg_nest_step_rows);
    return xg_nest_step_rows;
}

#endif /* XG_SCHED_STEPS_C */
