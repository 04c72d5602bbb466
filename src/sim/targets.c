/* sim/targets.c -- what a target has: shared memory of a block, and which instructions from which compute capability
 * on.
 *
 * XG_SIM_NEEDS is a list of facts of the PTX manual, each "an instruction of this name with these words among its
 * modifiers needs that target"; a bar separates words of which one is enough. All facts that fit an instruction hold.
 * feature 'a': only targets with a letter (sm_100a, sm_120f) have it; '=': only this one target, with its letter; 't':
 * those with tensor memory, sm_100a to sm_119a. Instructions that the oldest supported assembler takes for every target
 * need no row. */
#ifndef XG_SIM_TARGETS_C
#define XG_SIM_TARGETS_C
#include "decode_system.c"

/* X(instruction, words, compute capability, feature) */
/* clang-format off */
#define XG_SIM_NEEDS(X) \
    X("add", "f16|f16x2", 53, 0) \
    X("sub", "f16|f16x2", 53, 0) \
    X("mul", "f16|f16x2", 53, 0) \
    X("fma", "f16|f16x2", 53, 0) \
    X("setp", "f16|f16x2", 53, 0) \
    X("set", "f16|f16x2", 53, 0) \
    X("add", "bf16|bf16x2", 90, 0) \
    X("sub", "bf16|bf16x2", 90, 0) \
    X("mul", "bf16|bf16x2", 90, 0) \
    X("fma", "bf16|bf16x2", 80, 0) \
    X("setp", "bf16|bf16x2", 90, 0) \
    X("set", "bf16|bf16x2", 90, 0) \
    X("add", "f32x2", 100, 0) \
    X("sub", "f32x2", 100, 0) \
    X("mul", "f32x2", 100, 0) \
    X("fma", "f32x2", 100, 0) \
    X("fma", "relu", 80, 0) \
    X("min", "f16|f16x2|bf16|bf16x2", 80, 0) \
    X("max", "f16|f16x2|bf16|bf16x2", 80, 0) \
    X("min", "NaN", 80, 0) \
    X("max", "NaN", 80, 0) \
    X("min", "xorsign", 86, 0) \
    X("max", "xorsign", 86, 0) \
    X("min", "u16x2|s16x2", 90, 0) \
    X("max", "u16x2|s16x2", 90, 0) \
    X("add", "u16x2|s16x2", 90, 0) \
    X("abs", "bf16|bf16x2", 80, 0) \
    X("neg", "bf16|bf16x2", 80, 0) \
    X("tanh", "f32|f16|f16x2", 75, 0) \
    X("tanh", "bf16|bf16x2", 90, 0) \
    X("ex2", "f16|f16x2", 75, 0) \
    X("ex2", "bf16|bf16x2", 90, 0) \
    X("cvt", "bf16|bf16x2|tf32|relu", 80, 0) \
    X("cvt", "e4m3x2|e5m2x2", 89, 0) \
    X("cvt", "e2m1x2|e2m3x2|e3m2x2|ue8m0x2", 100, 'a') \
    X("match", "sync", 70, 0) \
    X("redux", "sync", 80, 0) \
    X("redux", "f32", 100, 'a') \
    X("elect", "sync", 90, 0) \
    X("nanosleep", "", 70, 0) \
    X("bmsk", "", 70, 0) \
    X("szext", "", 70, 0) \
    X("dp4a", "", 61, 0) \
    X("dp2a", "", 61, 0) \
    X("ld", "relaxed|acquire", 70, 0) \
    X("st", "relaxed|release", 70, 0) \
    X("fence", "", 70, 0) \
    X("ld", "L2::cache_hint", 80, 0) \
    X("st", "L2::cache_hint", 80, 0) \
    X("createpolicy", "", 80, 0) \
    X("discard", "", 80, 0) \
    X("applypriority", "", 80, 0) \
    X("ld", "v8", 100, 0) \
    X("st", "v8", 100, 0) \
    X("ld", "b128", 70, 0) \
    X("st", "b128", 70, 0) \
    X("st", "async", 90, 0) \
    X("st", "bulk", 100, 0) \
    X("red", "async", 90, 0) \
    X("ld", "shared::cluster", 90, 0) \
    X("st", "shared::cluster", 90, 0) \
    X("atom", "f16", 70, 0) \
    X("red", "f16", 70, 0) \
    X("atom", "f16x2|f64", 60, 0) \
    X("red", "f16x2|f64", 60, 0) \
    X("atom", "bf16|bf16x2", 90, 0) \
    X("red", "bf16|bf16x2", 90, 0) \
    X("atom", "v2|v4|v8|b128|shared::cluster|cluster", 90, 0) \
    X("red", "v2|v4|v8|cluster", 90, 0) \
    X("cp", "async", 80, 0) \
    X("cp", "bulk", 90, 0) \
    X("mbarrier", "", 80, 0) \
    X("mbarrier", "try_wait|expect_tx|complete_tx|cluster|shared::cluster", 90, 0) \
    X("mapa", "", 90, 0) \
    X("getctarank", "", 90, 0) \
    X("barrier", "cluster", 90, 0) \
    X("fence", "async|mbarrier_init|cluster", 90, 0) \
    X("ld", "cluster", 90, 0) \
    X("st", "cluster", 90, 0) \
    X("griddepcontrol", "", 90, 0) \
    X("tensormap", "replace", 90, 'a') \
    X("tensormap", "cp_fenceproxy", 90, 0) \
    X("setmaxnreg", "", 90, 'a') \
    X("wgmma", "", 90, '=') \
    X("tcgen05", "", 100, 't') \
    X("multimem", "", 90, 0) \
    X("clusterlaunchcontrol", "", 100, 0) \
    X("ldmatrix", "m8n16|m16n16", 100, 'a') \
    X("stmatrix", "m16n8", 100, 'a') \
    X("mma", "kind::f8f6f4|kind::mxf8f6f4|kind::mxf4|kind::mxf4nvf4", 120, 'a') \
    X("cp", "tile::gather4|tile::scatter4", 100, 0) \
    X("isspacep", "shared::cluster", 90, 0) \
    X("ldmatrix", "", 75, 0) \
    X("stmatrix", "", 90, 0) \
    X("movmatrix", "", 75, 0) \
    X("wmma", "", 70, 0) \
    X("wmma", "bf16|tf32|f64", 80, 0) \
    X("wmma", "s8|u8|s4|u4|b1", 75, 0) \
    X("mma", "m8n8k4", 70, 0) \
    X("mma", "m16n8k8|m8n8k16|m8n8k32|m8n8k128", 75, 0) \
    X("mma", "m16n8k4|m16n8k16|m16n8k32|m16n8k64|m16n8k128|m16n8k256|f64|bf16|tf32|sp", 80, 0) \
    X("mma", "e4m3|e5m2", 89, 0)
/* clang-format on */

/* The rows in two lists: the texts, each ended by a NUL, and what they need. Pointers would be three times as long. */
typedef struct xg_sim_need {
    uint16_t cc;
    char feature;
    uint8_t op, words; /* bytes of the texts, with their NUL */
} xg_sim_need;
static const xg_sim_need xg_sim_needs[] = {
#define X(op, words, cc, feature) {cc, feature, sizeof op, sizeof words},
    XG_SIM_NEEDS(X)
#undef X
};
static const char xg_sim_need_texts[] =
#define X(op, words, cc, feature) op "\0" words "\0"
    XG_SIM_NEEDS(X)
#undef X
    ;

/* Does a fact fit the instruction? *word becomes the modifier that makes it so, empty when every modifier does. */
XG_FN bool xg_sim_need_fits(const char *op, const char *words, const xg_sim_stmt *s, xg_str *word) {
    const char *p = words;
    uint32_t i;
    *word = xg_str_of("", 0);
    if (!xg_str_is(s->op, op)) return false;
    if (!*p) return true;
    while (*p) {
        size_t len = strcspn(p, "|");
        for (i = 0; i < s->n_mods; i++)
            if (s->mods[i].n == len && memcmp(s->mods[i].p, p, len) == 0) {
                *word = s->mods[i];
                return true;
            }
        p += len + (p[len] == '|');
    }
    return false;
}
/* "sm_90a" is 90 and 'a'; a name that is none is the newest target. */
XG_FN uint32_t xg_sim_target_number(xg_str name, char *letter) {
    uint32_t n = 0;
    size_t i = 3;
    *letter = 0;
    if (!xg_sim_prefix(name, "sm_")) return 9999;
    for (; i < name.n && xg_sim_is_digit(name.p[i]) && n < 1000; i++) n = n * 10 + (uint32_t)(name.p[i] - '0');
    if (i < name.n) *letter = name.p[i];
    return n ? n : 9999;
}
XG_FN bool xg_sim_target_letter(xg_str name) {
    char letter;
    xg_sim_target_number(name, &letter);
    return letter != 0;
}
XG_FN void xg_sim_need_check(xg_sim_asm *p, const xg_sim_stmt *s) {
    size_t i;
    char letter;
    uint32_t cc = xg_sim_target_number(p->m->target, &letter);
    xg_str word;
    const char *op = xg_sim_need_texts, *words;
    for (i = 0; i < XG_COUNT(xg_sim_needs); i++, op = words + xg_sim_needs[i - 1].words) {
        const xg_sim_need *n = &xg_sim_needs[i];
        words = op + n->op;
        if ((cc >= n->cc && (!n->feature || letter) && (n->feature != '=' || cc == n->cc) &&
                (n->feature != 't' || cc < 120 || cc == 9999)) ||
            !xg_sim_need_fits(op, words, s, &word))
            continue;
        XG_SIM_UNSUPPORTED(p, s->at, NULL, "the target %.*s lacks '%.*s%s%.*s', which needs sm_%u%s",
            (int)p->m->target.n, p->m->target.p, (int)s->op.n, s->op.p, word.n ? "." : "", (int)word.n, word.p,
            (uint32_t)n->cc,
            n->feature == '='   ? "a and no other"
            : n->feature == 't' ? "a or another one below sm_120 with a letter"
            : n->feature        ? "a or a later one with a letter"
                                : " or a later one");
    }
}

enum {
    XG_SIM_STATIC_SHARED = 49152
}; /* bytes, on every target without a letter */
/* Bytes of shared memory that a block of the target may have. */
XG_FN uint32_t xg_sim_target_shared(xg_str name) {
    char letter;
    uint32_t cc = xg_sim_target_number(name, &letter);
    if (cc < 70) return 49152;
    if (cc < 75) return 98304;
    if (cc < 80) return 65536;
    if (cc == 80 || cc == 87 || cc == 88) return 166912;
    if (cc < 90 || (cc >= 120 && cc < 9999)) return 101376;
    return 232448;
}

#endif /* XG_SIM_TARGETS_C */
