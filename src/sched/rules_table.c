/* sched/rules_table.c -- rules: a schedule for each kind of nest, tried in order (the order of TVM's DLight, whose
 * rules these follow; its rule for low batches comes in front of that for reductions). */
#ifndef XG_SCHED_RULES_TABLE_C
#define XG_SCHED_RULES_TABLE_C
#include "sched.h"
#include "rules.c"
#include "rules_matmul.c"

typedef struct xg_nrule {
    const char *name;
    bool (*run)(xg_loopnest *n, const xg_nrule_target *t);
} xg_nrule;

/* In order: the first that takes a nest has it. */
#define XG_NRULES(X) X(matmul) X(gemv) X(low_batch_gemv) X(reduction) X(general_reduction) X(transpose) X(fallback)
static const xg_nrule xg_nrules[] = {
#define X(name) {#name, xg_rule_##name},
    XG_NRULES(X)
#undef X
};
XG_FN xg_loopnest *xg_rule_try(xg_loopnest *n, const xg_nrule_target *t, const xg_nrule *rule) {
    xg_loopnest *copy = xg_nest_copy(n);
    xg_trace_begin(copy);
    return rule->run(copy, t) ? copy : NULL;
}
XG_APART XG_FN xg_loopnest *xg_rule_apply(xg_loopnest *n, const xg_nrule_target *t, const char **rule) {
    uint32_t k;
    for (k = 0; k < XG_COUNT(xg_nrules); k++) {
        xg_loopnest *made = xg_rule_try(n, t, &xg_nrules[k]);
        *rule = xg_nrules[k].name;
        if (made) return made;
    }
    *rule = NULL;
    return NULL;
}
XG_FN const char *xg_nrule_name(const void *user, size_t i) {
    (void)user;
    return i < XG_COUNT(xg_nrules) ? xg_nrules[i].name : NULL;
}
XG_FN xg_loopnest *xg_rule_apply_one(xg_loopnest *n, const xg_nrule_target *t, xg_str rule) {
    const char *close = xg_nearest(rule, xg_nrule_name, NULL);
    uint32_t k;
    for (k = 0; k < XG_COUNT(xg_nrules); k++)
        if (xg_str_is(rule, xg_nrules[k].name)) return xg_rule_try(n, t, &xg_nrules[k]);
    xg_sched_fail(n, "no rule is called '%.*s'%s%s", (int)rule.n, rule.p, close ? ": " : "", close ? close : "");
}

#endif /* XG_SCHED_RULES_TABLE_C */
