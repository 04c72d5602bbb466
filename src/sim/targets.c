/* sim/targets.c -- what a target has: shared memory of a block, and which instructions from which compute capability
 * on.
 *
 * XG_SIM_NEEDS is a list of facts of the PTX manual, each "an instruction of this name with these words among its
 * modifiers needs that target". A bar separates words of which one is enough, a plus groups of words of which each must
 * fit. %word is the beginning of a special register's name, #3 stands for three operands, !word for a modifier that is
 * not there. All facts that fit an instruction hold. tests/text/sim/forms.list has what ptxas says.
 * feature 'a': only targets with a letter (sm_100a, sm_120f) have it; '=': only this one target, with its letter; 't':
 * those with tensor memory, sm_100a to sm_119a. Instructions that the oldest supported assembler takes for every target
 * need no row. */
#ifndef XG_SIM_TARGETS_C
#define XG_SIM_TARGETS_C
#include "decode_texture.c"

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
    X("add", "f32+f16|bf16", 100, 0) \
    X("sub", "f32+f16|bf16", 100, 0) \
    X("fma", "f32+f16|bf16", 100, 0) \
    X("min", "#4", 100, 0) \
    X("max", "#4", 100, 0) \
    X("min", "relu+s32", 90, 0) \
    X("max", "relu+s32", 90, 0) \
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
    X("cvt", "bf16|bf16x2|tf32|relu|f16x2", 80, 0) \
    X("cvt", "bf16+u16|s16|u32|s32|u64|s64|u8|s8|f16|f64", 90, 0) \
    X("cvt", "tf32+rn|rz", 90, 0) \
    X("cvt", "tf32+rn|rz+satfinite", 100, 0) \
    X("cvt", "e4m3x2|e5m2x2", 89, 0) \
    X("cvt", "e2m1x2|e2m3x2|e3m2x2|ue8m0x2", 100, 'a') \
    X("match", "sync", 70, 0) \
    X("redux", "sync", 80, 0) \
    X("redux", "f32", 100, 'a') \
    X("elect", "sync", 90, 0) \
    X("mov", "%cluster|%nclusterid|%is_explicit_cluster|%aggr_smem", 90, 0) \
    X("mov", "%reserved_smem", 80, 0) \
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
    X("atom", "L2::cache_hint", 80, 0) \
    X("red", "L2::cache_hint", 80, 0) \
    X("prefetch", "L2::evict_last|L2::evict_normal", 80, 0) \
    X("prefetch", "tensormap", 90, 0) \
    X("createpolicy", "", 80, 0) \
    X("discard", "", 80, 0) \
    X("applypriority", "", 80, 0) \
    X("ld", "v8", 100, 0) \
    X("st", "v8", 100, 0) \
    X("ld", "v4+b64|u64|s64|f64", 100, 0) \
    X("st", "v4+b64|u64|s64|f64", 100, 0) \
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
    X("cp", "cp_mask", 100, 0) \
    X("mbarrier", "", 80, 0) \
    X("mbarrier", "try_wait|expect_tx|complete_tx|cluster|shared::cluster|relaxed", 90, 0) \
    X("mbarrier", "arrive|arrive_drop+#3+!noComplete", 90, 0) \
    X("mapa", "", 90, 0) \
    X("getctarank", "", 90, 0) \
    X("barrier", "cluster", 90, 0) \
    X("fence", "async|mbarrier_init|cluster|tensormap::generic", 90, 0) \
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
    X("clusterlaunchcontrol", "multicast::cluster::all", 100, 'a') \
    X("ldmatrix", "m8n16|m16n16", 100, 'a') \
    X("stmatrix", "m16n8", 100, 'a') \
    X("mma", "kind::mxf8f6f4|kind::mxf4|kind::mxf4nvf4", 120, 'a') \
    X("mma", "kind::f8f6f4", 100, 'a') \
    X("mma", "kind::f8f6f4+e3m2|e2m3|e2m1", 120, 'a') \
    X("cp", "tile::gather4", 100, 0) \
    X("cp", "tile::gather4+shared::cluster", 100, 't') \
    X("cp", "tile::scatter4|cta_group::1|cta_group::2", 100, 't') \
    X("isspacep", "shared::cluster", 90, 0) \
    X("ldmatrix", "", 75, 0) \
    X("stmatrix", "", 90, 0) \
    X("movmatrix", "", 75, 0) \
    X("wmma", "", 70, 0) \
    X("wmma", "bf16|tf32|f64|and", 80, 0) \
    X("wmma", "s8|u8|s4|u4|b1", 75, 0) \
    X("mma", "m8n8k4", 70, 0) \
    X("mma", "m16n8k8|m8n8k16|m8n8k32|m8n8k128", 75, 0) \
    X("mma", "m16n8k4|m16n8k16|m16n8k32|m16n8k64|m16n8k128|m16n8k256|f64|bf16|tf32|sp", 80, 0) \
    X("mma", "and", 80, 0) \
    X("mma", "f64+m16n8k4|m16n8k8|m16n8k16", 90, 0) \
    X("mma", "e4m3|e5m2", 89, 0)
/* clang-format on */

/* The rows in two lists: the texts, each ended by a NUL, and what they need. Pointers would be three times as long. */
typedef struct xg_sim_need {
    uint8_t cc;
    char feature;
    uint8_t op, words; /* bytes of the texts, with their NUL */
} xg_sim_need;
XG_TABLE const xg_sim_need xg_sim_needs[] = {
#define X(op, words, cc, feature) {cc, feature, sizeof op, sizeof words},
    XG_SIM_NEEDS(X)
#undef X
};
XG_TABLE const char xg_sim_need_texts[] =
#define X(op, words, cc, feature) op "\0" words "\0"
    XG_SIM_NEEDS(X)
#undef X
    ;

/* Is the word of a fact there? *word becomes the modifier or register that it is. */
XG_FN bool xg_sim_need_word(const xg_sim_stmt *s, xg_str want, xg_str *word) {
    uint32_t i;
    if (want.p[0] == '#') return s->n == (uint32_t)(want.p[1] - '0');
    if (want.p[0] == '!') return !xg_sim_need_word(s, xg_str_of(want.p + 1, want.n - 1), word);
    for (i = 0; i < s->n && want.p[0] == '%'; i++)
        if (s->o[i].kind == XG_SIM_O_SREG && s->o[i].word.n >= want.n && memcmp(s->o[i].word.p, want.p, want.n) == 0) {
            *word = s->o[i].word;
            return true;
        }
    for (i = 0; i < s->n_mods; i++)
        if (xg_str_eq(s->mods[i], want)) {
            *word = s->mods[i];
            return true;
        }
    return false;
}
/* Does a fact fit the instruction? *word becomes what makes it so, empty when every modifier does. */
XG_FN bool xg_sim_need_fits(const char *op, const char *words, const xg_sim_stmt *s, xg_str *word) {
    const char *p = words;
    bool fits; /* a word of the group */
    *word = xg_str_of("", 0);
    if (!xg_str_is(s->op, op)) return false;
    for (fits = !*p; *p;) {
        size_t len = strcspn(p, "|+");
        fits = fits || xg_sim_need_word(s, xg_str_of(p, len), word);
        p += len;
        if (*p == '+' && !fits) return false;
        if (*p == '+') fits = false;
        p += *p != 0;
    }
    return fits;
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
        xg_sim_unsupported(p, s->at, NULL, "the target %.*s lacks '%.*s%s%.*s', which needs sm_%u%s",
            (int)p->m->target.n, p->m->target.p, (int)s->op.n, s->op.p,
            !word.n            ? ""
            : word.p[0] == '%' ? " of "
                               : ".",
            (int)word.n, word.p, (uint32_t)n->cc,
            n->feature == '='   ? "a and no other"
            : n->feature == 't' ? "a or another one below sm_120 with a letter"
            : n->feature        ? "a or a later one with a letter"
                                : " or a later one");
    }
}

/* Bytes of shared memory that a block of the target may have. */
XG_FN uint32_t xg_sim_target_shared(xg_str name) {
    char letter;
    uint32_t cc = xg_sim_target_number(name, &letter);
    if (cc < 70) return XG_SHARED_STATIC_BYTES;
    if (cc < 75) return 98304;
    if (cc < 80) return 65536;
    if (cc == 80 || cc == 87 || cc == 88) return 166912;
    if (cc < 90 || (cc >= 120 && cc < 9999)) return 101376;
    return 232448;
}

#endif /* XG_SIM_TARGETS_C */
