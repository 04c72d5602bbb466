/* tests/programs/modules.h -- what the programs share that rewrite modules and evaluate them: files, random numbers, a
 * module from its text, failures as results. Include it after the headers. */
#ifndef XLAGPU_TESTS_MODULES_H
#define XLAGPU_TESTS_MODULES_H
#include "../../tools/npz.c" /* file_read too */

static uint64_t rng_state = 88172645463325252u;
static uint64_t rng(void) {
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return rng_state;
}

static xg_module *module_of(xg_ctx *c, xg_arena *a, const char *name, const char *text) {
    xg_source *src = XG_NEW(a, xg_source); /* messages about the module point into it */
    xg_module *m;
    src->name = name;
    src->text = text;
    src->size = strlen(text);
    m = xg_hlo_parse(c, a, src);
    xg_hlo_verify(m);
    return m;
}

/* Runs it; false when it failed: the context's message says why. */
static bool guarded(xg_ctx *c, void (*run)(xg_ctx *c, void *user), void *user) {
    jmp_buf here, *outer;
    if (setjmp(here)) return false;
    outer = xg_try(c, &here);
    run(c, user);
    xg_end(c, outer);
    return true;
}

#endif
