/* ptx/targets.c -- the table of targets.
 *
 * A device line says what a typical chip of a compute capability is; a row of the name list says under which name it
 * can be asked for and from which PTX ISA version on the assembler knows that name. Features follow from the compute
 * capability.
 * Numbers of threads, blocks, registers and shared memory are limits of the hardware; clocks, bandwidth and caches
 * serve cost models only. */
#ifndef XG_PTX_TARGETS_C
#define XG_PTX_TARGETS_C
#include "ptx.h"

/* device, SMs, f32 lanes an SM, MHz, GB/s, L2, shared bytes an SM, of a block with opt-in, threads an SM, blocks an SM,
 * blocks of a cluster */
#define XG_TARGET_MIB(n) ((uint64_t)(n) << 20)
#define XG_TARGET_DEVICE_75 "T4", 40, 64, 1590, 320, XG_TARGET_MIB(4), 65536, 65536, 1024, 16, 1
#define XG_TARGET_DEVICE_80 "A100", 108, 64, 1410, 1555, XG_TARGET_MIB(40), 167936, 166912, 2048, 32, 1
#define XG_TARGET_DEVICE_86 "A40", 84, 128, 1740, 696, XG_TARGET_MIB(6), 102400, 101376, 1536, 16, 1
#define XG_TARGET_DEVICE_87 "Orin", 16, 128, 1300, 204, XG_TARGET_MIB(4), 167936, 166912, 1536, 16, 1
#define XG_TARGET_DEVICE_88 "Orin", 16, 128, 1300, 204, XG_TARGET_MIB(4), 167936, 166912, 1536, 16, 1
#define XG_TARGET_DEVICE_89 "L40", 142, 128, 2490, 864, XG_TARGET_MIB(96), 102400, 101376, 1536, 24, 1
#define XG_TARGET_DEVICE_90 "H100", 132, 128, 1980, 3352, XG_TARGET_MIB(50), 233472, 232448, 2048, 32, 8
#define XG_TARGET_DEVICE_100 "B200", 148, 128, 1965, 8000, XG_TARGET_MIB(126), 233472, 232448, 2048, 32, 8
#define XG_TARGET_DEVICE_103 "B300", 148, 128, 2032, 8000, XG_TARGET_MIB(126), 233472, 232448, 2048, 32, 8
#define XG_TARGET_DEVICE_110 "Thor", 20, 128, 1575, 273, XG_TARGET_MIB(32), 233472, 232448, 1536, 24, 1
#define XG_TARGET_DEVICE_120 "RTX 5090", 170, 128, 2407, 1792, XG_TARGET_MIB(96), 102400, 101376, 1536, 24, 1
#define XG_TARGET_DEVICE_121 "GB10", 48, 128, 2418, 273, XG_TARGET_MIB(24), 102400, 101376, 1536, 24, 1

/* X(device number = compute capability times 10, suffix, suffix character, ISA version times 10) */
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

/* In the order of the fields of xg_target. */
#define XG_TARGET_FIELDS( \
    name, cc, suffix, isa, device, sms, cores, mhz, gbs, l2, smem, block, threads, blocks, cluster) \
    {name, device, cc, suffix, isa, sms, cores, mhz, gbs, l2, smem, block, 49152, threads, blocks, 1024, cluster, \
        65536, 255},
#define XG_TARGET_EXPAND(...) XG_TARGET_FIELDS(__VA_ARGS__)
static const xg_target xg_targets[] = {
#define X(number, suffix, letter, isa) \
    XG_TARGET_EXPAND("sm_" #number suffix, number, letter, isa, XG_TARGET_DEVICE_##number)
    XG_TARGET_NAMES(X)
#undef X
};
#undef XG_TARGET_EXPAND
#undef XG_TARGET_FIELDS

static const uint32_t xg_target_feature_cc[] = {
#define X(name, text, cc) cc,
    XG_TARGET_FEATURES(X)
#undef X
};

XG_FN bool xg_target_has(const xg_target *t, xg_target_feature f) { return t->cc >= xg_target_feature_cc[f]; }
XG_FN const xg_target *xg_target_base(const xg_target *t) {
    size_t i;
    for (i = 0; i < XG_COUNT(xg_targets); i++)
        if (xg_targets[i].cc == t->cc && !xg_targets[i].suffix) return &xg_targets[i];
    return t;
}
XG_FN const xg_target *xg_target_at(size_t i) { return i < XG_COUNT(xg_targets) ? &xg_targets[i] : NULL; }

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

XG_FN const xg_target *xg_target_find(xg_ctx *c, xg_str name) {
    const char *nearby;
    size_t i;
    for (i = 0; i < XG_COUNT(xg_targets); i++)
        if (xg_target_is(xg_targets[i].name, name)) return &xg_targets[i];
    nearby = xg_nearest(name, xg_target_name_at, NULL);
    xg_fail(c, XLAGPU_ERROR_USAGE, "unknown target '%.*s'; %s%s%s", (int)XG_MIN(name.n, 40u), name.p,
        nearby ? "did you mean '" : "known are sm_75 and newer, such as ", nearby ? nearby : "sm_80, sm_90a, sm_120",
        nearby ? "'?" : "");
    return NULL; /* not reached */
}

#endif /* XG_PTX_TARGETS_C */
