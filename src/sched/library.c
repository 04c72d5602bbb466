/* sched/library.c -- what all libraries have in common. */
#ifndef XG_SCHED_LIBRARY_C
#define XG_SCHED_LIBRARY_C
#include "library.h"

XG_FN xg_kmodule *xg_library_emit(xg_way_job *job, const xg_record *r, xg_str kernel_name) {
    (void)kernel_name;
    xg_hlo_fail(job->fusion, XLAGPU_ERROR_UNSUPPORTED, "compile with --libraries=none for a kernel",
        "the library %.*s makes this: it has no kernel", (int)r->way.n, r->way.p);
}
XG_FN bool xg_library_calls_one_of(const xg_inst *i, const char *targets) {
    return i->op == XG_CUSTOM_CALL && xg_word_in(targets, xg_attr_str(i, XG_A_custom_call_target)) >= 0;
}
#define X(name) XG_EXE_SOLVER_TARGET #name " "
XG_FN bool xg_library_is_target(const xg_inst *i) {
    return xg_library_calls_one_of(i, XG_EXE_SOLVERS(X) XG_EXE_FFT_TARGET " " XG_EXE_DNN_TARGET);
}
XG_FN bool xg_library_waits(const xg_inst *i) { return xg_library_calls_one_of(i, XG_EXE_SOLVERS_THAT_WAIT(X)); }
#undef X
XG_FN bool xg_library_makes(const xg_record *r) { return r && xg_str_is(r->kind, "library"); }
XG_FN int64_t xg_library_workspace(const xg_record *r) {
    const xg_numbers *n = xg_library_makes(r) ? xg_record_get(&r->form, "workspace") : NULL;
    return n && n->n == 1 ? XG_MAX(n->p[0], (int64_t)0) : 0;
}
XG_FN bool xg_library_bits(const char *list, uint32_t *bits, xg_str *wrong) {
    static const char *const names[] = {
#define X(name, text) text,
        XG_EXE_LIBRARIES(X)
#undef X
    };
    *bits = 0;
    while (list && *list) {
        size_t n = strcspn(list, ",");
        uint32_t k;
        *wrong = xg_str_of(list, n);
        for (k = 0; k < XG_COUNT(names) && !xg_str_is(*wrong, names[k]); k++) {}
        if (k < XG_COUNT(names))
            *bits |= 1u << k;
        else if (xg_str_is(*wrong, "always"))
            *bits |= XG_EXE_LIBRARY_ALWAYS;
        else if (n && !xg_str_is(*wrong, "none") && !xg_str_is(*wrong, "auto"))
            return false;
        list += n + (list[n] == ',');
    }
    return true;
}

#endif /* XG_SCHED_LIBRARY_C */
