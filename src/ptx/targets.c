/* ptx/targets.c -- the names of targets.
 *
 * A row says under which name a compute capability can be asked for and from which PTX ISA version on the assembler
 * knows that name. Features follow from the compute capability; what the devices are is said in cost/device.c. */
#ifndef XG_PTX_TARGETS_C
#define XG_PTX_TARGETS_C
#include "ptx.h"

/* X(compute capability times 10, suffix, suffix character, ISA version times 10) */
/* clang-format off */
#define XG_TARGET_NAMES(X) \
    X(75, "", 0, 63) \
    X(80, "", 0, 70) \
    X(86, "", 0, 71) \
    X(87, "", 0, 74) \
    X(88, "", 0, 90) \
    X(89, "", 0, 78) \
    X(90, "", 0, 78) \
    X(90, "a", 'a', 80) \
    X(100, "", 0, 86) \
    X(100, "a", 'a', 86) \
    X(100, "f", 'f', 88) \
    X(103, "", 0, 88) \
    X(103, "a", 'a', 88) \
    X(103, "f", 'f', 88) \
    X(110, "", 0, 90) \
    X(110, "a", 'a', 90) \
    X(110, "f", 'f', 90) \
    X(120, "", 0, 87) \
    X(120, "a", 'a', 87) \
    X(120, "f", 'f', 88) \
    X(121, "", 0, 88) \
    X(121, "a", 'a', 88) \
    X(121, "f", 'f', 88)
/* clang-format on */

XG_TABLE const xg_target xg_targets[] = {
#define X(number, suffix, letter, isa) {"sm_" #number suffix, number, letter, isa},
    XG_TARGET_NAMES(X)
#undef X
};

/* Processors of hosts, for llvm/compile.c: kernels for them have no more than those of the first GPUs in the table of
 * devices. */
#define XG_TARGET_CPUS(X) \
    X("x86-64-v3", XG_DEVICE_CPU_CC) X("x86-64-v4", XG_DEVICE_WIDE_CPU_CC) X("aarch64", XG_DEVICE_CPU_CC)
XG_TABLE const xg_target xg_cpu_targets[] = {
#define X(name, cc) {name, cc, XG_TARGET_CPU, 60},
    XG_TARGET_CPUS(X)
#undef X
};
#undef XG_TARGET_CPUS

XG_TABLE const uint32_t xg_target_feature_cc[] = {
#define X(name, text, cc) cc,
    XG_TARGET_FEATURES(X)
#undef X
};

XG_FN bool xg_target_has(const xg_target *t, xg_target_feature f) { return t->cc >= xg_target_feature_cc[f]; }
XG_FN const xg_target *xg_target_of(uint32_t cc) {
    const xg_target *best = NULL;
    size_t i;
    for (i = 0; i < XG_COUNT(xg_targets); i++)
        if (xg_targets[i].cc == cc && xg_targets[i].suffix != 'f') best = &xg_targets[i];
    for (i = 0; i < XG_COUNT(xg_cpu_targets) && !best; i++)
        if (xg_cpu_targets[i].cc == cc) best = &xg_cpu_targets[i];
    return best;
}
XG_FN const xg_target *xg_target_base(const xg_target *t) {
    size_t i;
    for (i = 0; i < XG_COUNT(xg_targets); i++)
        if (xg_targets[i].cc == t->cc && !xg_targets[i].suffix) return &xg_targets[i];
    return t;
}
XG_FN const xg_target *xg_target_at(size_t i) { return i < XG_COUNT(xg_targets) ? &xg_targets[i] : NULL; }

XG_FN const xg_target *xg_target_called(const char *name) {
    size_t i;
    for (i = 0; i < XG_COUNT(xg_targets); i++)
        if (strcmp(xg_targets[i].name, name) == 0) return &xg_targets[i];
    for (i = 0; i < XG_COUNT(xg_cpu_targets); i++)
        if (strcmp(xg_cpu_targets[i].name, name) == 0) return &xg_cpu_targets[i];
    return NULL;
}

static const char *xg_target_name_at(const void *user, size_t i) {
    (void)user;
    return i < XG_COUNT(xg_targets) ? xg_targets[i].name : NULL;
}

/* "sm_90a", "90a" and "9.0a" mean the same: compares without prefix and dot. */
static bool xg_target_is(const char *name, xg_str asked) {
    uint32_t i = 0;
    if (asked.n > 3 && memcmp(asked.p, "sm_", 3) == 0) i = 3;
    for (name += 3; i < asked.n; i++) {
        if (asked.p[i] == '.' && i > 0) continue;
        if (*name++ != asked.p[i]) return false;
    }
    return *name == 0;
}

/* A device that the table does not have runs what is made for an older one: the newest target without a letter at or
 * below it. NULL: this is no name of a device, or of one older than all. */
static const xg_target *xg_target_below(xg_str asked) {
    enum {
        CC_MOST = 199 /* 19.9: what is above is a slip of the keyboard, such as sm_900 */
    };
    const xg_target *best = NULL;
    uint32_t cc = 0, k = asked.n > 3 && memcmp(asked.p, "sm_", 3) == 0 ? 3 : 0;
    size_t i;
    for (; k < asked.n; k++) {
        if (asked.p[k] == '.' && k > 0) continue;
        if (asked.p[k] < '0' || asked.p[k] > '9' || cc > CC_MOST) return NULL;
        cc = cc * 10 + (uint32_t)(asked.p[k] - '0');
    }
    for (i = 0; i < XG_COUNT(xg_targets) && cc <= CC_MOST; i++)
        if (!xg_targets[i].suffix && xg_targets[i].cc <= cc && (!best || xg_targets[i].cc > best->cc))
            best = &xg_targets[i];
    return best;
}

XG_FN const xg_target *xg_target_find(xg_ctx *c, xg_str name) {
    const xg_target *older;
    const char *nearby;
    size_t i;
    for (i = 0; i < XG_COUNT(xg_targets); i++)
        if (xg_target_is(xg_targets[i].name, name)) return &xg_targets[i];
    for (i = 0; i < XG_COUNT(xg_cpu_targets); i++)
        if (xg_str_is(name, xg_cpu_targets[i].name)) return &xg_cpu_targets[i];
    older = xg_target_below(name);
    if (older) return older;
    nearby = xg_nearest(name, xg_target_name_at, NULL);
    xg_fail(c, XLAGPU_ERROR_USAGE, "unknown target '%.*s'; %s%s%s", (int)XG_MIN(name.n, 40u), name.p,
        nearby ? "did you mean '" : "known are sm_75 and newer, such as ",
        nearby ? nearby : "sm_80, sm_90a, sm_120 (the name of a GPU goes into target.part, --gpu)", nearby ? "'?" : "");
    return NULL; /* not reached */
}

#endif /* XG_PTX_TARGETS_C */
