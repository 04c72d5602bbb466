/* sim/decode_async.c -- what works on memory beside the threads: cp.async, bulk copies, tensor maps, memory barriers,
 * clusters; hints and fences.
 *
 * Statements whose modifiers come in a fixed order are matched against patterns (xg_sim_form): a pattern is a row of
 * words, `a|b` a choice, a `?` behind a word allows to leave it out. Addresses of these records are whole: an offset
 * has been added before, and how to read the register stands in a byte of imm2 (xg_sim_spot). */
#ifndef XG_SIM_DECODE_ASYNC_C
#define XG_SIM_DECODE_ASYNC_C
#include "decode_video.c"

/* op of K_ASYNC and K_WAIT. */
typedef enum xg_sim_asyncop {
    XG_SIM_Y_MB_INIT,
    XG_SIM_Y_MB_INVAL,
    XG_SIM_Y_MB_ARRIVE,
    XG_SIM_Y_MB_EXPECT,
    XG_SIM_Y_MB_COMPLETE,
    XG_SIM_Y_MB_PENDING,
    XG_SIM_Y_CP_ARRIVE,
    XG_SIM_Y_BULK,
    XG_SIM_Y_TENSOR,
    XG_SIM_Y_STORE,
    XG_SIM_Y_COMMIT,
    XG_SIM_Y_GROUPS,
    XG_SIM_Y_ARRIVE,
    XG_SIM_Y_MAPA,
    XG_SIM_Y_RANK,
    XG_SIM_Y_MAP_SET,
    XG_SIM_Y_MAP_COPY,
    XG_SIM_Y_FILL,
    XG_SIM_Y_ALLOCA, /* provided.c */
    XG_SIM_Y_STACK_SAVE,
    XG_SIM_Y_STACK_RESTORE,
    XG_SIM_Y_TRY_CANCEL,
    XG_SIM_Y_CANCELLED,
    XG_SIM_Y_MULTIMEM,
    XG_SIM_Y_MB_TEST,
    XG_SIM_Y_WAIT /* barrier.cluster.wait */
} xg_sim_asyncop;

/* imm of MB_ARRIVE and MB_TEST. */
enum {
    XG_SIM_MB_EXPECTS = 1,
    XG_SIM_MB_NO_COMPLETE = 2,
    XG_SIM_MB_DROP = 4,
    XG_SIM_MB_PARITY = 8
};

/* ---- patterns ---- */

/* What stands in patterns again and again: $a for the words of the first list, and so on. */
XG_FN bool xg_sim_form_list(char letter, xg_str mod) {
    XG_TABLE const char lists[] =
        "cta_group::1 cta_group::2\0mbarrier::complete_tx::bytes\0shared shared::cta\0shared::cluster\0shared::cta\0"
        "L2::cache_hint\0multicast::cluster\0L2::evict_first L2::evict_unchanged\0L2::evict_last L2::evict_normal\0"
        "1d 2d 3d 4d 5d\0cta cluster gpu sys\0kind::f16 kind::tf32 kind::f8f6f4 kind::i8\0"
        "32x32b 16x64b 16x128b 16x256b 16x32bx2\0x1 x2 x4 x8 x16 x32 x64 x128\0b6x16_p32 b4x16_p64\0";
    return xg_word_in(xg_text_nth(lists, (size_t)(letter - 'a')), mod) >= 0;
}
XG_FN bool xg_sim_form_word(const char **pattern, xg_str mod, bool have, bool *optional) {
    const char *q = *pattern, *end = q + strcspn(q, " ");
    bool found = false;
    *optional = end > q && end[-1] == '?';
    while (q < end) {
        size_t n = strcspn(q, "| ?");
        if (have && (*q == '$' ? xg_sim_form_list(q[1], mod) : mod.n == n && memcmp(mod.p, q, n) == 0)) found = true;
        q += n;
        if (*q == '|')
            q++;
        else
            break;
    }
    *pattern = end + strspn(end, " ");
    return found;
}
/* True when the modifiers are those of the pattern, in its order; they then count as understood. */
XG_FN bool xg_sim_form(xg_sim_stmt *s, const char *pattern) {
    uint32_t i = 0;
    while (*pattern) {
        bool optional,
            found = xg_sim_form_word(&pattern, i < s->n_mods ? s->mods[i] : xg_str_z(""), i < s->n_mods, &optional);
        if (found)
            i++;
        else if (!optional)
            return false;
    }
    if (i != s->n_mods) return false;
    s->used = i >= 32 ? 0xFFFFFFFFu : (1u << i) - 1;
    return true;
}
/* The first modifier that is one of the words, by the word's number; -1 when none is. */
XG_FN int xg_sim_which(const xg_sim_stmt *s, const char *words) {
    uint32_t i;
    int k = -1;
    for (i = 0; i < s->n_mods && k < 0; i++) k = xg_word_in(words, s->mods[i]);
    return k;
}
XG_FN bool xg_sim_has(const xg_sim_stmt *s, const char *words) { return xg_sim_which(s, words) >= 0; } /* any of them */
XG_NORETURN XG_FN void xg_sim_no_form(xg_sim_asm *p, const xg_sim_stmt *s) {
    xg_sim_unsupported(p, s->at, NULL, "'%.*s' has no form with these modifiers", (int)s->op.n, s->op.p);
}

/* ---- addresses ---- */

typedef struct xg_sim_spot {
    uint32_t code;
    xg_sim_space space;
    bool wide;
} xg_sim_spot;

XG_FN xg_sim_spot xg_sim_spot_of(xg_sim_asm *p, xg_sim_stmt *s, const xg_sim_operand *o, xg_sim_space space) {
    xg_sim_spot a;
    uint32_t offset;
    a.space = space;
    a.code = xg_sim_address(p, s, o, &a.space, &offset, &a.wide);
    if (offset) {
        uint32_t t = xg_sim_temp(p, a.wide ? 8 : 4);
        xg_sim_alu_2(p, s, a.wide ? XG_F(add_i64) : XG_F(add_i32), t, a.code,
            xg_sim_constant(p, (uint64_t)(int64_t)(int32_t)offset, a.wide ? 8 : 4));
        a.code = t;
    }
    return a;
}
XG_ONE_COPY XG_FN uint32_t xg_sim_spot_bits(xg_sim_spot a) { return (uint32_t)a.space | (a.wide ? 16u : 0u); }
XG_FN xg_sim_ins *xg_sim_put_async(xg_sim_asm *p, xg_sim_stmt *s, xg_sim_asyncop op) {
    xg_sim_ins *in = xg_sim_put(p, s, op >= XG_SIM_Y_MB_TEST ? XG_SIM_K_WAIT : XG_SIM_K_ASYNC);
    in->op = (uint16_t)op;
    return in;
}
/* Shared memory as the modifiers name it; generic when they do not. */
XG_FN xg_sim_space xg_sim_shared_word(const xg_sim_stmt *s) {
    return xg_sim_has(s, "shared") || xg_sim_has(s, "shared::cta") || xg_sim_has(s, "shared::cluster") ? XG_SIM_SHARED
                                                                                                       : XG_SIM_GENERIC;
}

/* ---- hints and fences ---- */

/* X(mnemonic, modifiers, operands, kind). Operands: a an address, t one in parameters or constants too, r a 32-bit
 * source, n a number. */
/* clang-format off */
#define XG_SIM_HINTS(X) \
    X("membar", "cta|gl|sys", "", FENCE) \
    X("membar", "proxy alias|async", "", FENCE) \
    X("membar", "proxy async global|$e|$d", "", FENCE) \
    X("fence", "sc|acq_rel|acquire|release? $k", "", FENCE) \
    X("fence", "mbarrier_init release cluster", "", FENCE) \
    X("fence", "acquire sync_restrict::shared::cluster cluster", "", FENCE) \
    X("fence", "release sync_restrict::shared::cta cluster", "", FENCE) \
    X("fence", "proxy alias|async", "", FENCE) \
    X("fence", "proxy async global|$e|$d", "", FENCE) \
    X("fence", "proxy tensormap::generic release $k", "", FENCE) \
    X("fence", "proxy tensormap::generic acquire $k", "an", FENCE) \
    X("fence", "proxy async::generic acquire sync_restrict::shared::cluster cluster", "", FENCE) \
    X("fence", "proxy async::generic release sync_restrict::shared::cta cluster", "", FENCE) \
    X("prefetch", "global|local? L1|L2", "a", NOP) \
    X("prefetch", "global $i", "a", NOP) \
    X("prefetch", "const|param|param::entry? tensormap", "t", NOP) \
    X("prefetchu", "L1", "a", NOP) \
    X("applypriority", "global? L2::evict_normal", "an", NOP) \
    X("discard", "global? L2", "an", NOP) \
    X("griddepcontrol", "launch_dependents|wait", "", NOP) \
    X("nanosleep", "u32", "r", NOP) \
    X("pmevent", "mask?", "n", NOP) \
    X("setmaxnreg", "inc|dec sync aligned u32", "n", NOP)
/* clang-format on */
/* imm of FENCE: between the proxies of threads and of copies, for shared and for global memory; of scope .cta only;
 * behind it tensor maps are seen that threads wrote. */
enum {
    XG_SIM_FENCE_PROXY = 1,
    XG_SIM_FENCE_NARROW = 2,
    XG_SIM_FENCE_PROXY_GLOBAL = 4,
    XG_SIM_FENCE_MAPS = 8
};

XG_FN void xg_sim_hint_operands(xg_sim_asm *p, xg_sim_stmt *s, const char *operands) {
    uint32_t i, n = (uint32_t)strlen(operands);
    xg_sim_operands_are(p, s, n);
    for (i = 0; i < n; i++) {
        if (operands[i] == 'r')
            xg_sim_source(p, s, i, XG_SIM_U32);
        else if (operands[i] == 'n')
            xg_sim_literal(p, s, i, 0xFFFF);
        else
            xg_sim_spot_of(p, s, &s->o[i],
                operands[i] == 't' && s->o[i].kind == XG_SIM_O_ADDR && s->o[i].items->kind == XG_SIM_O_VAR
                    ? s->o[i].items->sym->space
                : xg_sim_has(s, "global") ? XG_SIM_GLOBAL
                : xg_sim_has(s, "local")  ? XG_SIM_LOCAL
                                          : XG_SIM_GENERIC);
    }
}
XG_FN void xg_sim_d_hint(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    XG_TABLE const uint8_t kinds[] = {
#define X(op, form, operands, kind) XG_SIM_K_##kind,
        XG_SIM_HINTS(X)
#undef X
    };
    const char *form, *operands,
        *row =
#define X(op, form, operands, kind) op "\0" form "\0" operands "\0"
            XG_SIM_HINTS(X);
#undef X
    xg_sim_ins *in;
    size_t i;
    (void)arg;
    for (i = 0; i < XG_COUNT(kinds); i++, row = operands + strlen(operands) + 1) {
        form = row + strlen(row) + 1;
        operands = form + strlen(form) + 1;
        if (!xg_str_is(s->op, row) || !xg_sim_form(s, form)) continue;
        xg_sim_hint_operands(p, s, operands);
        if (xg_str_is(s->op, "setmaxnreg") && (s->o[0].value % 8 || s->o[0].value < 24 || s->o[0].value > 256))
            xg_sim_wrong(p, s->o[0].at, "a register count is a multiple of 8 from 24 to 256");
        in = xg_sim_put(p, s, (xg_sim_kind)kinds[i]);
        if (xg_sim_has(s, "proxy") && xg_sim_has(s, "async")) {
            if (!xg_sim_has(s, "global")) in->imm = XG_SIM_FENCE_PROXY;
            if (xg_sim_shared_word(s) == XG_SIM_GENERIC) in->imm |= XG_SIM_FENCE_PROXY_GLOBAL;
        }
        if (xg_sim_has(s, "tensormap::generic") && xg_sim_has(s, "acquire")) in->imm = XG_SIM_FENCE_MAPS;
        if (!xg_sim_has(s, "proxy") && xg_sim_has(s, "cta")) in->imm = XG_SIM_FENCE_NARROW;
        return;
    }
    xg_sim_no_form(p, s);
}
/* createpolicy: a number that the caches of a GPU understand; here nothing reads it. */
XG_FN void xg_sim_d_policy(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    XG_TABLE const char kinds[][20] = {"L2::evict_last", "L2::evict_normal", "L2::evict_first", "L2::evict_unchanged"};
    XG_TABLE const uint64_t bits[] = {
        0x14F0000000000000u, 0x1000000000000000u, 0x12F0000000000000u, 0x1400000000000000u};
    uint32_t i, d;
    (void)arg;
    if (xg_sim_form(s, "cvt L2 b64")) {
        xg_sim_operands_are(p, s, 2);
        xg_sim_alu_of_2(p, s, XG_F(mov_b64), XG_SIM_B64, XG_SIM_B64, XG_SIM_NO_TYPE);
        return;
    }
    if (xg_sim_form(s, "fractional $i|$h $h? b64")) {
        xg_sim_operands(p, s, 1, 2);
        if (s->n == 2) xg_sim_source(p, s, 1, XG_SIM_F32);
    } else if (xg_sim_form(s, "range global? $i|$h $h? b64")) {
        xg_sim_operands_are(p, s, 4);
        xg_sim_spot_of(p, s, &s->o[1], xg_sim_has(s, "global") ? XG_SIM_GLOBAL : XG_SIM_GENERIC);
        xg_sim_source(p, s, 2, XG_SIM_U32);
        xg_sim_source(p, s, 3, XG_SIM_U32);
    } else
        xg_sim_no_form(p, s);
    d = xg_sim_dest(p, s, XG_SIM_B64);
    for (i = 0; !xg_sim_has(s, kinds[i]); i++) {}
    xg_sim_alu_1(p, s, XG_F(mov_b64), d, xg_sim_constant(p, bits[i], 8));
}

/* ---- memory barriers ---- */

XG_FN void xg_sim_mbarrier_arrive(xg_sim_asm *p, xg_sim_stmt *s, uint32_t flags) {
    bool count = s->n == 3;
    xg_sim_spot a;
    uint32_t b, d = XG_SIM_NOREG;
    xg_sim_ins *in;
    xg_sim_operands(p, s, flags & (XG_SIM_MB_EXPECTS | XG_SIM_MB_NO_COMPLETE) ? 3 : 2, 3);
    a = xg_sim_spot_of(p, s, &s->o[1], xg_sim_shared_word(s));
    b = count ? xg_sim_source(p, s, 2, XG_SIM_U32) : xg_sim_constant(p, 1, 4);
    if (s->o[0].kind != XG_SIM_O_SINK) {
        if (xg_sim_has(s, "shared::cluster"))
            xg_sim_bad(p, s->o[0].at, "write _", "an arrival at another block's barrier gives no state");
        d = xg_sim_dest(p, s, XG_SIM_B64);
    }
    in = xg_sim_put_async(p, s, XG_SIM_Y_MB_ARRIVE);
    in->a = a.code;
    in->b = b;
    in->d = d;
    in->imm = flags;
    in->imm2 = xg_sim_spot_bits(a);
}
XG_FN void xg_sim_mbarrier_wait(xg_sim_asm *p, xg_sim_stmt *s, bool parity, bool hint) {
    xg_sim_spot a;
    uint32_t b, d;
    xg_sim_ins *in;
    xg_sim_operands(p, s, 3, hint ? 4 : 3);
    a = xg_sim_spot_of(p, s, &s->o[1], xg_sim_shared_word(s));
    b = xg_sim_source(p, s, 2, parity ? XG_SIM_U32 : XG_SIM_B64);
    if (s->n == 4) xg_sim_source(p, s, 3, XG_SIM_U32);
    d = xg_sim_dest(p, s, XG_SIM_PRED);
    in = xg_sim_put_async(p, s, XG_SIM_Y_MB_TEST);
    in->a = a.code;
    in->b = b;
    in->d = d;
    in->imm = parity ? XG_SIM_MB_PARITY : 0;
    in->imm2 = xg_sim_spot_bits(a);
}
/* init, inval, expect_tx, complete_tx: an address and perhaps a number. */
XG_FN void xg_sim_mbarrier_plain(xg_sim_asm *p, xg_sim_stmt *s, xg_sim_asyncop op) {
    xg_sim_spot a;
    uint32_t n = op == XG_SIM_Y_MB_INVAL ? 1 : 2, b = XG_SIM_NOREG;
    xg_sim_ins *in;
    xg_sim_operands_are(p, s, n);
    a = xg_sim_spot_of(p, s, &s->o[0], xg_sim_shared_word(s));
    if (n == 2) b = xg_sim_source(p, s, 1, XG_SIM_U32);
    in = xg_sim_put_async(p, s, op);
    in->a = a.code;
    in->b = b;
    in->imm2 = xg_sim_spot_bits(a);
}
XG_FN void xg_sim_d_mbarrier(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    uint32_t drop;
    (void)arg;
    if (xg_sim_form(s, "init $c? b64"))
        xg_sim_mbarrier_plain(p, s, XG_SIM_Y_MB_INIT);
    else if (xg_sim_form(s, "inval $c? b64"))
        xg_sim_mbarrier_plain(p, s, XG_SIM_Y_MB_INVAL);
    else if (xg_sim_form(s, "expect_tx relaxed? cta|cluster? $c|$d? b64"))
        xg_sim_mbarrier_plain(p, s, XG_SIM_Y_MB_EXPECT);
    else if (xg_sim_form(s, "complete_tx relaxed? cta|cluster? $c|$d? b64"))
        xg_sim_mbarrier_plain(p, s, XG_SIM_Y_MB_COMPLETE);
    else if (xg_sim_form(s, "pending_count b64")) {
        xg_sim_ins *in;
        uint32_t a, d;
        xg_sim_operands_are(p, s, 2);
        a = xg_sim_source(p, s, 1, XG_SIM_B64);
        d = xg_sim_dest(p, s, XG_SIM_B32);
        in = xg_sim_put_async(p, s, XG_SIM_Y_MB_PENDING);
        in->a = a;
        in->d = d;
    } else {
        drop = xg_sim_has(s, "arrive_drop") ? XG_SIM_MB_DROP : 0;
        if (xg_sim_form(s, "arrive|arrive_drop release|relaxed? cta|cluster? $c|$d? b64"))
            xg_sim_mbarrier_arrive(p, s, drop);
        else if (xg_sim_form(s, "arrive|arrive_drop expect_tx release|relaxed? cta|cluster? $c|$d? b64"))
            xg_sim_mbarrier_arrive(p, s, drop | XG_SIM_MB_EXPECTS);
        else if (xg_sim_form(s, "arrive|arrive_drop noComplete release? cta? $c? b64"))
            xg_sim_mbarrier_arrive(p, s, drop | XG_SIM_MB_NO_COMPLETE);
        else if (xg_sim_form(s, "test_wait|try_wait parity? acquire|relaxed? cta|cluster? $c? b64"))
            xg_sim_mbarrier_wait(p, s, xg_sim_has(s, "parity"), xg_sim_has(s, "try_wait"));
        else
            xg_sim_no_form(p, s);
    }
}

/* ---- clusters ---- */

XG_FN void xg_sim_cluster_barrier(xg_sim_asm *p, xg_sim_stmt *s) {
    xg_sim_operands_are(p, s, 0);
    if (xg_sim_form(s, "cluster arrive release|relaxed? aligned?"))
        xg_sim_put_async(p, s, XG_SIM_Y_ARRIVE);
    else if (xg_sim_form(s, "cluster wait acquire? aligned?"))
        xg_sim_put_async(p, s, XG_SIM_Y_WAIT);
    else
        xg_sim_no_form(p, s);
}
/* mapa: the same place in another block's shared memory; getctarank: whose it is. */
XG_FN void xg_sim_d_mapa(xg_sim_asm *p, xg_sim_stmt *s, uint32_t rank) {
    bool window = xg_sim_has(s, "shared::cluster"), wide = xg_sim_has(s, "u64");
    uint32_t a, b = XG_SIM_NOREG, d;
    xg_sim_ins *in;
    if (!xg_sim_form(s, "$d? u32|u64")) xg_sim_no_form(p, s);
    if (!window && !wide) xg_sim_bad(p, s->at, "add .shared::cluster, or use .u64", "generic addresses have 64 bits");
    xg_sim_operands(p, s, rank ? 2 : 3, rank ? 2 : 3);
    a = xg_sim_source(p, s, 1, wide ? XG_SIM_U64 : XG_SIM_U32);
    if (!rank) b = xg_sim_source(p, s, 2, XG_SIM_U32);
    d = xg_sim_dest(p, s, rank || !wide ? XG_SIM_U32 : XG_SIM_U64);
    in = xg_sim_put_async(p, s, rank ? XG_SIM_Y_RANK : XG_SIM_Y_MAPA);
    in->a = a;
    in->b = b;
    in->d = d;
    in->imm2 = (uint32_t)(window ? XG_SIM_SHARED : XG_SIM_GENERIC) | (wide ? 16u : 0u);
}

/* ---- cp.async ---- */

/* cp.async.{ca,cg}.shared.global [dst], [src], size[, src-size or ignore-src][, policy] */
XG_FN void xg_sim_cp_plain(xg_sim_asm *p, xg_sim_stmt *s) {
    bool policy = xg_sim_has(s, "L2::cache_hint");
    xg_sim_spot to, from;
    uint32_t size, c = XG_SIM_NOREG;
    xg_sim_ins *in;
    xg_sim_operands(p, s, policy ? 4 : 3, policy ? 5 : 4);
    to = xg_sim_spot_of(p, s, &s->o[0], XG_SIM_SHARED);
    from = xg_sim_spot_of(p, s, &s->o[1], XG_SIM_GLOBAL);
    size = xg_sim_literal(p, s, 2, 16);
    if (size != 4 && size != 8 && size != 16) xg_sim_wrong(p, s->o[2].at, "cp.async copies 4, 8 or 16 bytes");
    if (xg_sim_has(s, "cg") && size != 16) xg_sim_bad(p, s->o[2].at, "use .ca", "cp.async.cg copies 16 bytes");
    if (s->n - policy == 4) {
        bool pred = s->o[3].kind == XG_SIM_O_REG && s->o[3].sym->type == XG_SIM_PRED;
        c = xg_sim_source(p, s, 3, pred ? XG_SIM_PRED : XG_SIM_U32);
        if (pred) { /* true means: read nothing */
            uint32_t t = xg_sim_temp(p, 4), none = xg_sim_constant(p, 0, 4), all = xg_sim_constant(p, size, 4);
            xg_sim_alu(p, s, XG_F(sel_b32), t, none, all, c);
            c = t;
        }
    }
    if (policy) xg_sim_source(p, s, s->n - 1, XG_SIM_B64);
    in = xg_sim_put(p, s, XG_SIM_K_CPASYNC);
    in->a = to.code;
    in->b = from.code;
    in->c = c;
    in->imm = size;
    in->imm2 = to.wide;
}

/* ---- bulk copies ---- */

/* imm of BULK and TENSOR: what is where. imm2: addresses of a, b, c, one byte each. */
enum {
    XG_SIM_BK_TO_GLOBAL = 1,
    XG_SIM_BK_MULTICAST = 2,
    XG_SIM_BK_IM2COL = 4,
    XG_SIM_BK_MASKED = 8,
    XG_SIM_BK_PICKS = 1 << 9, /* gather4, scatter4 */
    XG_SIM_BK_PAIR = 1 << 10, /* the memory barrier may lie in the other block of a pair */
    XG_SIM_BK_REDUCE = 1 << 8 /* | op << 4 */,
    XG_SIM_BK_OP = 4,
    XG_SIM_BK_TYPE = 16,
    XG_SIM_BK_RANK = 24
};

XG_FN int xg_sim_reduction(xg_sim_stmt *s) {
    return xg_sim_which(s, "add min max and or xor - - inc dec"); /* by XG_SIM_ATOMS; no exch, no cas */
}
/* Operand i is the cache policy at the end. */
XG_FN void xg_sim_policy_at(xg_sim_asm *p, xg_sim_stmt *s, uint32_t i) {
    if (xg_sim_has(s, "L2::cache_hint")) xg_sim_source(p, s, i, XG_SIM_B64);
}

/* cp[.reduce].async.bulk between global and shared memory. */
XG_FN void xg_sim_bulk(xg_sim_asm *p, xg_sim_stmt *s, bool reduce) {
    bool load = false, inner = false, multicast = xg_sim_has(s, "multicast::cluster"),
         masked = xg_sim_has(s, "cp_mask");
    uint32_t n = 3u + xg_sim_has(s, "L2::cache_hint") + multicast + masked, at = 3, size, list;
    uint32_t third = XG_SIM_NOREG, mask = XG_SIM_NOREG;
    xg_sim_type t = XG_SIM_B32;
    xg_sim_spot to, from, bar;
    xg_sim_ins *in;
    int op = reduce ? xg_sim_reduction(s) : 0;
    memset(&bar, 0, sizeof bar);
    if (!reduce) {
        load = xg_sim_form(s, "async bulk $d|$e global $b $g? $f?");
        inner = !load && xg_sim_form(s, "async bulk $d $e $b");
        if (!load && !inner && !xg_sim_form(s, "async bulk global $e bulk_group $f? cp_mask?")) xg_sim_no_form(p, s);
    } else {
        inner = xg_sim_form(s, "reduce async bulk $d $e $b add|min|max|and|or|xor|inc|dec u32|s32|u64|s64|b32|b64");
        if (!inner && !xg_sim_form(s, "reduce async bulk global $e bulk_group $f? add|min|max|and|or|xor|inc|dec "
                                      "noftz? f16|bf16|b32|u32|s32|b64|u64|s64|f32|f64"))
            xg_sim_no_form(p, s);
        t = xg_sim_type_of(s->mods[s->n_mods - 1]);
    }
    n += load || inner;
    xg_sim_operands_are(p, s, n);
    to = xg_sim_spot_of(p, s, &s->o[0], load || inner ? XG_SIM_SHARED : XG_SIM_GLOBAL);
    from = xg_sim_spot_of(p, s, &s->o[1], load ? XG_SIM_GLOBAL : XG_SIM_SHARED);
    size = xg_sim_source(p, s, 2, XG_SIM_U32);
    if (load || inner) {
        bar = xg_sim_spot_of(p, s, &s->o[at++], XG_SIM_SHARED);
        third = bar.code;
    }
    if (multicast) mask = xg_sim_source(p, s, at++, XG_SIM_B16);
    xg_sim_policy_at(p, s, at);
    if (masked) mask = xg_sim_source(p, s, n - 1, XG_SIM_B16);
    list = xg_sim_list_begin(p);
    xg_sim_list_add(p, size);
    in = xg_sim_put_async(p, s, XG_SIM_Y_BULK);
    in->a = to.code;
    in->b = from.code;
    in->c = third;
    in->e = mask;
    in->list = list;
    in->n = 1;
    in->imm = (load || inner ? 0u : (uint32_t)XG_SIM_BK_TO_GLOBAL) | (multicast ? (uint32_t)XG_SIM_BK_MULTICAST : 0u) |
              (masked ? (uint32_t)XG_SIM_BK_MASKED : 0u) |
              (reduce ? (uint32_t)XG_SIM_BK_REDUCE | (uint32_t)op << XG_SIM_BK_OP : 0u) | (uint32_t)t << XG_SIM_BK_TYPE;
    in->imm2 = xg_sim_spot_bits(to) | xg_sim_spot_bits(from) << 8 | xg_sim_spot_bits(bar) << 16;
}

/* The coordinates of a box, and the offsets of im2col, as sources of a list; how many. */
XG_FN uint32_t xg_sim_coordinates(xg_sim_asm *p, xg_sim_stmt *s, const xg_sim_operand *box,
    const xg_sim_operand *offsets, uint32_t rank, uint32_t *list) {
    uint32_t codes[8], i, n = 0;
    if (!box || box->kind != XG_SIM_O_VEC || box->n != rank)
        xg_sim_wrong(
            p, box ? box->at : s->at, "a box of a tensor of rank %u needs %u coordinates in braces", rank, rank);
    for (i = 0; i < rank; i++) codes[n++] = xg_sim_source_of(p, s, &box->items[i], XG_SIM_S32);
    if (offsets) {
        if (offsets->kind != XG_SIM_O_VEC || offsets->n != rank - 2)
            xg_sim_wrong(p, offsets->at, "im2col of a tensor of rank %u needs %u offsets in braces", rank, rank - 2);
        for (i = 0; i < rank - 2; i++) codes[n++] = xg_sim_source_of(p, s, &offsets->items[i], XG_SIM_U16);
    }
    *list = xg_sim_list_begin(p);
    for (i = 0; i < n; i++) xg_sim_list_add(p, codes[i]);
    return n;
}
/* cp[.reduce].async.bulk[.prefetch].tensor. */
XG_FN void xg_sim_tensor(xg_sim_asm *p, xg_sim_stmt *s, bool reduce, bool prefetch) {
    bool load = !reduce && !prefetch && xg_sim_has(s, "mbarrier::complete_tx::bytes"),
         im2col = xg_sim_has(s, "im2col") || xg_sim_has(s, "im2col_no_offs"),
         multicast = xg_sim_has(s, "multicast::cluster"),
         picks = xg_sim_has(s, "tile::gather4") || xg_sim_has(s, "tile::scatter4");
    bool offsets = im2col && (load || prefetch);
    uint32_t rank = xg_sim_has(s, "1d")   ? 1
                    : xg_sim_has(s, "2d") ? 2
                    : xg_sim_has(s, "3d") ? 3
                    : xg_sim_has(s, "4d") ? 4
                                          : 5,
             n, at, list, count, third = XG_SIM_NOREG, mask = XG_SIM_NOREG;
    int op = reduce ? xg_sim_reduction(s) : 0;
    const xg_sim_operand *map = prefetch || !load ? &s->o[0] : &s->o[1], *side = load ? &s->o[0] : &s->o[1];
    xg_sim_spot tensor, shared, bar;
    xg_sim_ins *in;
    memset(&bar, 0, sizeof bar);
    memset(&shared, 0, sizeof shared);
    if (!(prefetch   ? xg_sim_form(s, "async bulk prefetch tensor $j L2 global tile|im2col? $f?")
            : reduce ? xg_sim_form(s, "reduce async bulk tensor $j global $e add|min|max|inc|dec|and|or|xor "
                                      "tile|im2col_no_offs? bulk_group $f?")
            : load   ? xg_sim_form(s, "async bulk tensor $j $d|$e global tile|im2col? $b $g? $a? $f?") ||
                         xg_sim_form(s, "async bulk tensor $j $a $d|$e global tile|im2col? $b $g? $f?") ||
                         xg_sim_form(s, "async bulk tensor 2d $d|$e global tile::gather4 $b $g? $a? $f?") ||
                         xg_sim_form(s, "async bulk tensor 2d tile::gather4 $d|$e global $b $g? $a? $f?")
                   : xg_sim_form(s, "async bulk tensor $j global $e tile|im2col_no_offs? bulk_group $f?") ||
                         xg_sim_form(s, "async bulk tensor 2d global $e tile::scatter4 bulk_group $f?") ||
                         xg_sim_form(s, "async bulk tensor 2d tile::scatter4 global $e bulk_group $f?")))
        xg_sim_no_form(p, s);
    if (im2col && rank < 3) xg_sim_wrong(p, s->at, "im2col needs a tensor of rank 3, 4 or 5");
    n = (prefetch ? 1u : load ? 3u : 2u) + offsets + multicast + xg_sim_has(s, "L2::cache_hint");
    at = prefetch ? 1 : load ? 3 : 2;
    xg_sim_operands_are(p, s, n);
    if (map->kind != XG_SIM_O_ADDR || !map->pair)
        xg_sim_bad(p, map->at, "write [map, {x, y}]", "expected a tensor map and coordinates");
    tensor = xg_sim_spot_of(p, s, map, XG_SIM_GENERIC);
    if (!prefetch) shared = xg_sim_spot_of(p, s, side, XG_SIM_SHARED);
    if (load) {
        bar = xg_sim_spot_of(p, s, &s->o[2], XG_SIM_SHARED);
        third = bar.code;
    }
    /* a column and four rows */
    count = xg_sim_coordinates(p, s, map->pair, offsets ? &s->o[at] : NULL, picks ? 5 : rank, &list);
    at += offsets;
    if (multicast) mask = xg_sim_source(p, s, at++, XG_SIM_B16);
    xg_sim_policy_at(p, s, at);
    if (prefetch) {
        xg_sim_put(p, s, XG_SIM_K_NOP);
        return;
    }
    in = xg_sim_put_async(p, s, XG_SIM_Y_TENSOR);
    in->a = shared.code;
    in->b = tensor.code;
    in->c = third;
    in->e = mask;
    in->list = list;
    in->n = (uint16_t)count;
    in->imm = (load ? 0u : (uint32_t)XG_SIM_BK_TO_GLOBAL) | (multicast ? (uint32_t)XG_SIM_BK_MULTICAST : 0u) |
              (im2col ? (uint32_t)XG_SIM_BK_IM2COL : 0u) | (picks ? (uint32_t)XG_SIM_BK_PICKS : 0u) |
              (xg_sim_has(s, "cta_group::2") ? (uint32_t)XG_SIM_BK_PAIR : 0u) |
              (reduce ? (uint32_t)XG_SIM_BK_REDUCE | (uint32_t)op << XG_SIM_BK_OP : 0u) | rank << XG_SIM_BK_RANK;
    in->imm2 = xg_sim_spot_bits(shared) | xg_sim_spot_bits(tensor) << 8 | xg_sim_spot_bits(bar) << 16;
}

/* The end of a group of copies, and the wait for all but n groups. imm: 1 bulk, 2 only their reads, 4 also for copies
 * in no group. */
XG_FN void xg_sim_groups(xg_sim_asm *p, xg_sim_stmt *s, bool wait, uint32_t flags, bool numbered) {
    xg_sim_ins *in;
    uint32_t n = 0;
    xg_sim_operands(p, s, numbered, numbered);
    if (numbered) n = xg_sim_literal(p, s, 0, 0x7FFFFFFF);
    in = xg_sim_put_async(p, s, wait ? XG_SIM_Y_GROUPS : XG_SIM_Y_COMMIT);
    in->imm = flags;
    in->imm2 = n;
}
XG_FN void xg_sim_d_cp(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    xg_sim_ins *in;
    (void)arg;
    if (xg_sim_form(s, "async commit_group"))
        xg_sim_groups(p, s, false, 0, false);
    else if (xg_sim_form(s, "async wait_group"))
        xg_sim_groups(p, s, true, 0, true);
    else if (xg_sim_form(s, "async wait_all"))
        xg_sim_groups(p, s, true, 4, false);
    else if (xg_sim_form(s, "async bulk commit_group"))
        xg_sim_groups(p, s, false, 1, false);
    else if (xg_sim_form(s, "async bulk wait_group read?"))
        xg_sim_groups(p, s, true, xg_sim_has(s, "read") ? 3 : 1, true);
    else if (xg_sim_form(s, "async ca|cg $c global $f? L2::64B|L2::128B|L2::256B?") ||
             xg_sim_form(s, "async ca|cg $c global L2::64B|L2::128B|L2::256B? $f?"))
        xg_sim_cp_plain(p, s);
    else if (xg_sim_form(s, "async mbarrier arrive noinc? $c? b64")) {
        xg_sim_spot a;
        xg_sim_operands_are(p, s, 1);
        a = xg_sim_spot_of(p, s, &s->o[0], xg_sim_shared_word(s));
        in = xg_sim_put_async(p, s, XG_SIM_Y_CP_ARRIVE);
        in->a = a.code;
        in->imm = xg_sim_has(s, "noinc");
        in->imm2 = xg_sim_spot_bits(a);
    } else if (xg_sim_form(s, "async bulk prefetch L2 global $f?")) {
        xg_sim_operands(p, s, 2, 3);
        xg_sim_spot_of(p, s, &s->o[0], XG_SIM_GLOBAL);
        xg_sim_source(p, s, 1, XG_SIM_U32);
        xg_sim_policy_at(p, s, 2);
        xg_sim_put(p, s, XG_SIM_K_NOP);
    } else if (xg_sim_has(s, "tensor"))
        xg_sim_tensor(p, s, xg_sim_has(s, "reduce"), xg_sim_has(s, "prefetch"));
    else if (xg_sim_has(s, "bulk"))
        xg_sim_bulk(p, s, xg_sim_has(s, "reduce"));
    else
        xg_sim_no_form(p, s);
}

/* st.async and red.async: to another block's shared memory, counted by a memory barrier there. */
XG_FN void xg_sim_st_async(xg_sim_asm *p, xg_sim_stmt *s, bool red) {
    xg_sim_spot a, bar;
    xg_sim_type t;
    uint32_t n, i, codes[4], list;
    const xg_sim_operand *items;
    int op = 0;
    xg_sim_ins *in;
    if (red ? !xg_sim_form(s, "async relaxed? cluster? $d? $b $d? inc|dec|min|max|add|and|or|xor u32|s32|u64|b32|s64")
            : !xg_sim_form(s, "async weak? $d? $b $d? v2|v4? b32|b64|u32|u64|s32|s64|f32|f64"))
        xg_sim_no_form(p, s);
    if (red) op = xg_sim_reduction(s);
    t = xg_sim_type_of(s->mods[s->n_mods - 1]);
    xg_sim_operands_are(p, s, 3);
    a = xg_sim_spot_of(p, s, &s->o[0], XG_SIM_SHARED);
    bar = xg_sim_spot_of(p, s, &s->o[2], XG_SIM_SHARED);
    s->used &= ~(xg_sim_has(s, "v2") || xg_sim_has(s, "v4") ? 1u << (s->n_mods - 2) : 0u);
    n = xg_sim_vector_of(p, s, &s->o[1], &items);
    for (i = 0; i < n; i++) codes[i] = xg_sim_source_of(p, s, &items[i], t);
    list = xg_sim_list_begin(p);
    for (i = 0; i < n; i++) xg_sim_list_add(p, codes[i]);
    in = xg_sim_put_async(p, s, XG_SIM_Y_STORE);
    in->a = a.code;
    in->c = bar.code;
    in->list = list;
    in->n = (uint16_t)n;
    in->imm = (red ? (uint32_t)XG_SIM_BK_REDUCE | (uint32_t)op << XG_SIM_BK_OP : 0u) | (uint32_t)t << XG_SIM_BK_TYPE;
    in->imm2 = xg_sim_spot_bits(a) | xg_sim_spot_bits(bar) << 16;
}

/* st.bulk: many bytes of shared memory become 0. */
XG_FN void xg_sim_st_bulk(xg_sim_asm *p, xg_sim_stmt *s) {
    xg_sim_spot a;
    uint32_t size;
    xg_sim_ins *in;
    if (!xg_sim_form(s, "bulk weak? $e?")) xg_sim_no_form(p, s);
    xg_sim_operands_are(p, s, 3);
    a = xg_sim_spot_of(p, s, &s->o[0], xg_sim_has(s, "shared::cta") ? XG_SIM_SHARED : XG_SIM_GENERIC);
    size = xg_sim_source(p, s, 1, XG_SIM_U64);
    if (s->o[2].kind != XG_SIM_O_NUM || s->o[2].value) xg_sim_wrong(p, s->o[2].at, "st.bulk writes zeros only");
    in = xg_sim_put_async(p, s, XG_SIM_Y_FILL);
    in->a = a.code;
    in->b = size;
    in->imm2 = xg_sim_spot_bits(a);
}

/* ---- tensor maps that a kernel makes ---- */

/* X(field, text, bytes of the value, has an index) */
/* clang-format off */
#define XG_SIM_MAP_FIELDS(X) \
    X(ADDRESS, "global_address", 8, 0) \
    X(RANK, "rank", 4, 0) \
    X(BOX, "box_dim", 4, 1) \
    X(DIM, "global_dim", 4, 1) \
    X(STRIDE, "global_stride", 8, 1) \
    X(STEP, "element_stride", 4, 1) \
    X(TYPE, "elemtype", 4, 0) \
    X(INTERLEAVE, "interleave_layout", 4, 0) \
    X(SWIZZLE, "swizzle_mode", 4, 0) \
    X(ATOMICITY, "swizzle_atomicity", 4, 0) \
    X(FILL, "fill_mode", 4, 0)
/* clang-format on */
typedef enum xg_sim_map_field {
#define X(name, text, bytes, index) XG_SIM_MAP_##name,
    XG_SIM_MAP_FIELDS(X)
#undef X
    XG_SIM_MAP_FIELD_COUNT
} xg_sim_map_field;

XG_FN void xg_sim_d_tensormap(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    static const struct {
        const char *text;
        uint8_t bytes, index;
    } rows[XG_SIM_MAP_FIELD_COUNT] = {
#define X(name, text, bytes, index) {text, bytes, index},
        XG_SIM_MAP_FIELDS(X)
#undef X
    };
    xg_sim_spot a, from;
    xg_sim_ins *in;
    uint32_t i, b, index = 0;
    (void)arg;
    if (xg_sim_form(
            s, "cp_fenceproxy global shared::cta tensormap::generic release cta|cluster|gpu|sys sync aligned")) {
        xg_sim_operands_are(p, s, 3);
        a = xg_sim_spot_of(p, s, &s->o[0], XG_SIM_GLOBAL);
        from = xg_sim_spot_of(p, s, &s->o[1], XG_SIM_SHARED);
        if (xg_sim_literal(p, s, 2, 128) != 128) xg_sim_wrong(p, s->o[2].at, "a tensor map has 128 bytes");
        in = xg_sim_put_async(p, s, XG_SIM_Y_MAP_COPY);
        in->a = a.code;
        in->b = from.code;
        in->imm2 = xg_sim_spot_bits(a) | xg_sim_spot_bits(from) << 8;
        return;
    }
    for (i = 0; i < XG_SIM_MAP_FIELD_COUNT && !xg_sim_has(s, rows[i].text); i++) {}
    if (i == XG_SIM_MAP_FIELD_COUNT ||
        !xg_sim_form(s, "replace tile "
                        "rank|box_dim|global_dim|element_stride|global_address|global_stride|elemtype|interleave_"
                        "layout|swizzle_mode|swizzle_atomicity|fill_mode global|$e? b1024 b32|b64") ||
        xg_sim_has(s, "b64") != (rows[i].bytes == 8))
        xg_sim_no_form(p, s);
    xg_sim_operands(p, s, 2 + rows[i].index, 2 + rows[i].index);
    a = xg_sim_spot_of(p, s, &s->o[0], xg_sim_has(s, "global") ? XG_SIM_GLOBAL : xg_sim_shared_word(s));
    if (rows[i].index) index = xg_sim_literal(p, s, 1, 4);
    b = xg_sim_source(p, s, 1u + rows[i].index, rows[i].bytes == 8 ? XG_SIM_B64 : XG_SIM_B32);
    in = xg_sim_put_async(p, s, XG_SIM_Y_MAP_SET);
    in->a = a.code;
    in->b = b;
    in->imm = i | index << 8;
    in->imm2 = xg_sim_spot_bits(a);
}

#endif /* XG_SIM_DECODE_ASYNC_C */
