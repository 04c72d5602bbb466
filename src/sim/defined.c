/* sim/defined.c -- registers that a thread may read before it has written them.
 *
 * An analysis finds the registers that some path leaves unwritten before a use (a guarded write does not count).
 * Compilers leave such paths when they know that the program never takes them, so only running tells. For each of these
 * registers, and no other, a predicate is added that says which lanes have written it: false at the function's start,
 * true before each write, asked (K_INIT) before each use. A mov or selp may carry an unwritten value along, as the
 * joints of SSA form do; an operand of which a constant selector takes nothing is not used (convert.c).
 *
 * What a shuffle hands on is asked later. A reduction over fewer lanes than a warp has shuffles values that only its
 * first lanes have written, and the other lanes add up what no thread reads. So a watched register that a shuffle
 * reads is `carried`, and so is each register that arithmetic or a shuffle computes of a carried one: its predicate is
 * computed beside it, and asked where the value decides something: an address, a stored value, a guard, a matrix.
 *
 * The analysis takes 64 registers at a time, so that its sets are single words; registers whose mentions all lie in one
 * block behind an unguarded write are not looked at. Its work is bounded by XG_SIM_WATCH_WORK visits of a block;
 * registers beyond are not watched. */
#ifndef XG_SIM_DEFINED_C
#define XG_SIM_DEFINED_C
#include "late.c"

enum {
    XG_SIM_WATCH_WORK = 1 << 26
};

/* what: 0 a use, 1 a write under a guard, 2 a write */
typedef struct xg_sim_touch {
    uint32_t reg, record;
    uint8_t what;
} xg_sim_touch;
typedef XG_VEC(xg_sim_touch) xg_sim_touches;
typedef struct xg_sim_watch {
    uint32_t *first, *n; /* by register: its touches in `sorted` */
    xg_sim_touch *sorted;
    uint32_t *flag; /* by register: the predicate's operand code, 0 when it is not watched */
    bool *carried;  /* by register: its predicate is computed beside it */
} xg_sim_watch;

XG_FN void xg_sim_touch_add(xg_sim_asm *p, xg_sim_touches *t, uint32_t code, uint32_t record, uint8_t what) {
    xg_sim_touch x;
    if (code == XG_SIM_NOREG || code & 1) return;
    x.reg = code >> 1;
    x.record = record;
    x.what = what;
    xg_push(&p->scratch, xg_sim_touch, t, x);
}
/* Does a wgmma add to its old D whatever happens? With a scale that the program computes, D may be anything as long as
 * the scale is false; to watch each register of D for it would cost more records than the multiplication. */
XG_FN bool xg_sim_always_adds(const xg_sim_asm *p, const xg_sim_ins *in) {
    return in->c & 1 && p->consts.p[in->c >> 1].value;
}
/* Sources first, then destinations. */
XG_FN void xg_sim_touches_of(xg_sim_asm *p, xg_sim_touches *t, uint32_t record) {
    const xg_sim_ins *in = &p->code.p[record];
    uint32_t sources = xg_sim_list_sources(in, p->sites.p, p->copies.p), k, n = in->kind == XG_SIM_K_BRX ? 0 : in->n;
    uint8_t write = in->flags & XG_SIM_GUARDED ? 1 : 2;
    xg_sim_touch_add(p, t, in->guard, record, 0);
    xg_sim_touch_add(p, t, in->c, record, 0); /* of a copy: what selp chooses by */
    if (!(in->kind == XG_SIM_K_ALU && in->flags & XG_SIM_COPIES)) {
        xg_sim_touch_add(p, t, in->a, record, 0);
        xg_sim_touch_add(p, t, in->b, record, 0);
        xg_sim_touch_add(p, t, in->e, record, 0);
        if (in->kind == XG_SIM_K_TILE && (in->op & 255) == XG_SIM_T_WGMMA && !xg_sim_always_adds(p, in))
            sources -= in->d2bytes;
        for (k = 0; k < n && k < sources; k++) xg_sim_touch_add(p, t, p->list.p[in->list + k], record, 0);
    }
    for (k = sources; k < n; k++) xg_sim_touch_add(p, t, p->list.p[in->list + k], record, write);
    xg_sim_touch_add(p, t, in->d, record, write);
    xg_sim_touch_add(p, t, in->d2, record, write);
}

/* All touches sorted by register; in one register they keep the order of the text. */
XG_APART XG_FN void xg_sim_touches_sort(xg_sim_asm *p, xg_sim_watch *w) {
    xg_sim_touches t = {NULL, 0, 0};
    uint32_t i, sum = 0, *at;
    for (i = p->f->begin; i < p->code.n; i++) xg_sim_touches_of(p, &t, i);
    w->first = XG_NEW_N(&p->scratch, uint32_t, p->vregs.n + 1);
    w->n = XG_NEW_N(&p->scratch, uint32_t, p->vregs.n + 1);
    w->sorted = XG_NEW_N(&p->scratch, xg_sim_touch, t.n + 1);
    at = XG_NEW_N(&p->scratch, uint32_t, p->vregs.n + 1);
    for (i = 0; i < t.n; i++) w->n[t.p[i].reg]++;
    for (i = 0; i < p->vregs.n; i++) {
        w->first[i] = at[i] = sum;
        sum += w->n[i];
    }
    for (i = 0; i < t.n; i++) w->sorted[at[t.p[i].reg]++] = t.p[i];
}
XG_FN bool xg_sim_plainly_defined(const xg_sim_asm *p, const xg_sim_graph *g, const xg_sim_watch *w, uint32_t reg) {
    const xg_sim_touch *t = w->sorted + w->first[reg];
    uint32_t n = w->n[reg], i, begin = p->f->begin, uses = 0;
    for (i = 0; i < n; i++) uses += t[i].what == 0;
    if (!uses) return true;
    if (t[0].what != 2) return false;
    return g->of[t[0].record - begin] == g->of[t[n - 1].record - begin] ||
           g->of[t[0].record - begin] == 0; /* the first block comes before all others */
}

/* For up to 64 registers: a bit for each that is used where it may be unwritten. Adds to *work. */
XG_APART XG_FN uint64_t xg_sim_undefined_of(xg_sim_asm *p, const xg_sim_graph *g, const xg_sim_watch *w,
    const uint32_t *regs, uint32_t n, uint64_t args, uint64_t *in, uint64_t *gen, uint64_t *work) {
    uint32_t begin = p->f->begin, i, k;
    uint64_t bad = 0;
    bool moved = true;
    for (i = 0; i < g->n; i++) {
        in[i] = ~(uint64_t)0;
        gen[i] = 0;
    }
    for (k = 0; k < n; k++)
        for (i = 0; i < w->n[regs[k]]; i++) {
            const xg_sim_touch *t = &w->sorted[w->first[regs[k]] + i];
            if (t->what == 2) gen[g->of[t->record - begin]] |= (uint64_t)1 << k;
        }
    in[0] = args;
    while (moved && *work < XG_SIM_WATCH_WORK) {
        moved = false;
        for (i = 0; i < g->n; i++) {
            uint64_t out = in[i] | gen[i];
            for (k = 0; k < g->b[i].n_next; k++) {
                uint64_t *to = &in[g->edges[g->b[i].next + k]];
                if (*to & ~out) {
                    *to &= out;
                    moved = true;
                }
            }
        }
        *work += g->n;
    }
    if (moved) return 0;
    for (k = 0; k < n; k++) {
        const xg_sim_touch *t = w->sorted + w->first[regs[k]];
        uint32_t block = XG_SIM_NOREG;
        bool have = false;
        for (i = 0; i < w->n[regs[k]]; i++) {
            if (g->of[t[i].record - begin] != block) {
                block = g->of[t[i].record - begin];
                have = in[block] >> k & 1;
            }
            if (t[i].what == 2)
                have = true;
            else if (t[i].what == 0 && !have)
                bad |= (uint64_t)1 << k;
        }
    }
    return bad;
}

XG_FN bool xg_sim_is_argument(const xg_sim_asm *p, uint32_t reg) {
    uint32_t i;
    for (i = 0; i < p->f->n_args; i++)
        if (p->f->args[i].reg && p->f->args[i].at == reg) return true;
    return false;
}
/* Gives a predicate to each register that needs watching; how many. */
XG_APART XG_FN uint32_t xg_sim_watched(xg_sim_asm *p, const xg_sim_graph *g, xg_sim_watch *w) {
    uint32_t regs[64], n = 0, i, k, found = 0, all = p->vregs.n;
    uint64_t *sets = XG_NEW_N(&p->scratch, uint64_t, xg_mul(p->c, g->n, 2)), args = 0, work = 0;
    w->flag = XG_NEW_N(&p->scratch, uint32_t, all + 1);
    for (i = 0; i <= all && work < XG_SIM_WATCH_WORK; i++) {
        if (i < all && (!w->n[i] || xg_sim_plainly_defined(p, g, w, i))) continue;
        if (i < all) {
            if (xg_sim_is_argument(p, i)) args |= (uint64_t)1 << n;
            regs[n++] = i;
        }
        if (n && (n == 64 || i == all)) {
            uint64_t bad = xg_sim_undefined_of(p, g, w, regs, n, args, sets, sets + g->n, &work);
            for (k = 0; k < n; k++)
                if (bad >> k & 1) {
                    w->flag[regs[k]] = xg_sim_new_reg(p, 4) << 1;
                    found++;
                }
            n = 0;
            args = 0;
        }
    }
    return found;
}

/* ---- what shuffles hand on ---- */

enum {
    XG_SIM_HANDED_MAX = 3
};
XG_FN bool xg_sim_is_shuffle(const xg_sim_ins *in) { return in->kind == XG_SIM_K_WARP && in->op <= XG_SIM_W_IDX; }
/* The registers whose values a record hands on to its result; 0: it has none, or more than one result. */
XG_FN uint32_t xg_sim_handed(const xg_sim_ins *in, uint32_t out[XG_SIM_HANDED_MAX]) {
    const bool shuffle = xg_sim_is_shuffle(in), copy = in->kind == XG_SIM_K_ALU && in->flags & XG_SIM_COPIES;
    uint32_t code[XG_SIM_HANDED_MAX], n = 0, k;
    if (in->d == XG_SIM_NOREG || !(shuffle || in->kind == XG_SIM_K_ALU)) return 0;
    if (!shuffle && (in->d2 != XG_SIM_NOREG || in->e != XG_SIM_NOREG || in->n)) return 0;
    if (copy && in->b != XG_SIM_NOREG) return 0; /* selp carries without a predicate */
    code[0] = in->a;
    code[1] = shuffle ? XG_SIM_NOREG : in->b;
    code[2] = shuffle ? XG_SIM_NOREG : in->c;
    for (k = 0; k < XG_SIM_HANDED_MAX; k++)
        if (code[k] != XG_SIM_NOREG && !(code[k] & 1)) out[n++] = code[k] >> 1;
    return n;
}
/* True when a record hands a carried register on. */
XG_FN bool xg_sim_hands_on(const xg_sim_watch *w, const xg_sim_ins *in) {
    uint32_t regs[XG_SIM_HANDED_MAX], n = xg_sim_handed(in, regs), k;
    for (k = 0; k < n && !w->carried[regs[k]]; k++) {}
    return k < n;
}
/* Marks what is carried, until nothing more is found or the work is too much: what is not marked is asked at once. */
XG_APART XG_FN void xg_sim_find_carried(xg_sim_asm *p, xg_sim_watch *w) {
    const uint32_t begin = p->f->begin, end = p->code.n;
    uint64_t work = 0;
    uint32_t i;
    bool moved = false;
    w->carried = XG_NEW_N(&p->scratch, bool, p->vregs.n);
    for (i = begin; i < end; i++) {
        const xg_sim_ins *in = &p->code.p[i];
        if (!xg_sim_is_shuffle(in) || in->a & 1 || !w->flag[in->a >> 1]) continue;
        w->carried[in->a >> 1] = moved = true;
    }
    while (moved && work < XG_SIM_WATCH_WORK) {
        moved = false;
        for (i = begin; i < end; i++) {
            const xg_sim_ins *in = &p->code.p[i];
            if (!xg_sim_hands_on(w, in) || w->carried[in->d >> 1]) continue;
            if (!w->flag[in->d >> 1]) w->flag[in->d >> 1] = xg_sim_new_reg(p, 4) << 1;
            w->carried[in->d >> 1] = moved = true;
        }
        work += end - begin;
    }
}

/* ---- putting the records in ---- */

XG_FN xg_sim_ins xg_sim_empty_beside(const xg_sim_ins *beside, xg_sim_kind kind, bool guarded) {
    xg_sim_ins in;
    memset(&in, 0, sizeof in);
    in.kind = (uint8_t)kind;
    in.d = in.d2 = in.a = in.b = in.c = in.e = in.list = in.guard = XG_SIM_NOREG;
    in.at = beside->at;
    if (guarded) {
        in.flags = beside->flags & (XG_SIM_GUARDED | XG_SIM_NOT);
        in.guard = beside->guard;
    }
    return in;
}
XG_FN void xg_sim_insert_ask(xg_sim_asm *p, const xg_sim_watch *w, const xg_sim_ins *beside, uint32_t reg) {
    xg_sim_ins in = xg_sim_empty_beside(beside, XG_SIM_K_INIT, reg << 1 != beside->guard);
    in.a = w->flag[reg];
    in.imm = p->vregs.p[reg].name;
    in.op = w->carried[reg] ? XG_SIM_ASKS_CARRIED : XG_SIM_ASKS_WRITTEN;
    xg_push(&p->scratch, xg_sim_ins, &p->code, in);
}
/* In front of a record whose registers may be late, or which writes some that a wgmma will use. told: the block has
 * said that since its last fence. True when it has now. */
XG_APART XG_FN bool xg_sim_insert_late(xg_sim_asm *p, const xg_sim_ins *in, const uint8_t *regs, bool late, bool told) {
    uint32_t codes[6], sources = xg_sim_list_sources(in, p->sites.p, p->copies.p), k,
                       n = in->kind == XG_SIM_K_BRX ? 0 : in->n;
    codes[0] = in->d;
    codes[1] = in->d2;
    codes[2] = in->a;
    codes[3] = in->b;
    codes[4] = in->c;
    codes[5] = in->e;
    for (k = 0; k < 6 + n; k++) {
        const uint32_t code = k < 6 ? codes[k] : p->list.p[in->list + k - 6];
        const bool write = k < 6 ? k < 2 : k - 6 >= sources;
        xg_sim_ins ask;
        if (code == XG_SIM_NOREG || code & 1 || !(regs[code >> 1] & (write ? 3 : XG_SIM_LATE_WRITTEN))) continue;
        ask = xg_sim_empty_beside(in, XG_SIM_K_INIT, true);
        ask.a = code;
        ask.imm = p->vregs.p[code >> 1].name;
        ask.imm2 = write;
        ask.op = XG_SIM_ASKS_LATE;
        if (late) xg_push(&p->scratch, xg_sim_ins, &p->code, ask);
        ask.op = XG_SIM_TELLS_TOUCHED;
        if (write && !told) xg_push(&p->scratch, xg_sim_ins, &p->code, ask);
        told = told || (write && !(in->flags & XG_SIM_GUARDED));
    }
    return told;
}
/* flag = value, or with b: value and b. */
XG_FN void xg_sim_insert_flag(
    xg_sim_asm *p, const xg_sim_ins *beside, uint32_t flag, uint32_t value, uint32_t b, bool guarded) {
    xg_sim_ins in = xg_sim_empty_beside(beside, XG_SIM_K_ALU, guarded);
    in.op = b == XG_SIM_NOREG ? XG_SIM_F_mov_b32 : XG_SIM_F_and_b32;
    in.d = flag;
    in.a = value;
    in.b = b;
    xg_push(&p->scratch, xg_sim_ins, &p->code, in);
}
/* The predicate of a carried result: that of the lane a shuffle reads, or of all that arithmetic reads together. */
XG_APART XG_FN void xg_sim_insert_carried(xg_sim_asm *p, const xg_sim_watch *w, const xg_sim_ins *in, uint32_t yes) {
    const uint32_t flag = w->flag[in->d >> 1];
    uint32_t regs[XG_SIM_HANDED_MAX], n = xg_sim_handed(in, regs), sum = yes, k;
    if (xg_sim_is_shuffle(in)) {
        xg_sim_ins own = *in;
        own.flags = (uint8_t)(own.flags & ~XG_SIM_FIRST);
        own.a = w->flag[in->a >> 1];
        own.d = flag;
        own.d2 = XG_SIM_NOREG;
        xg_push(&p->scratch, xg_sim_ins, &p->code, own);
        return;
    }
    for (k = 0; k < n; k++) /* its own old one first, before it is written */
        if (regs[k] == in->d >> 1) sum = flag;
    for (k = 0; k < n; k++) {
        if (!w->carried[regs[k]] || w->flag[regs[k]] == flag) continue;
        xg_sim_insert_flag(p, in, flag, w->flag[regs[k]], sum == yes ? XG_SIM_NOREG : sum, true);
        sum = flag;
    }
}
XG_APART XG_FN void xg_sim_insert_around(
    xg_sim_asm *p, const xg_sim_watch *w, const xg_sim_ins *in, const xg_sim_touches *t, uint32_t first, uint32_t yes) {
    const bool carries = xg_sim_hands_on(w, in) && w->carried[in->d >> 1], shuffle = xg_sim_is_shuffle(in);
    uint32_t i;
    for (i = first; i < t->n; i++) {
        const uint32_t reg = t->p[i].reg;
        const bool handed = carries && w->carried[reg] && reg << 1 != in->guard && (!shuffle || reg << 1 == in->a);
        if (t->p[i].what == 0 && w->flag[reg] && !handed) xg_sim_insert_ask(p, w, in, reg);
    }
    for (i = first; i < t->n; i++) {
        const uint32_t reg = t->p[i].reg;
        if (t->p[i].what == 0 || !w->flag[reg]) continue;
        if (carries && reg == in->d >> 1)
            xg_sim_insert_carried(p, w, in, yes);
        else
            xg_sim_insert_flag(p, in, w->flag[reg], yes, XG_SIM_NOREG, true);
    }
}
/* True when records were put in: blocks and edges are to be found again. */
XG_APART XG_FN bool xg_sim_watch_registers(xg_sim_asm *p, const xg_sim_graph *g) {
    uint32_t begin = p->f->begin, n = p->code.n - begin, i, k, *moved, no, yes, all = p->vregs.n;
    xg_sim_ins *old;
    xg_sim_watch w;
    xg_sim_touches *t;
    uint32_t *from;
    uint8_t *regs;
    bool *late, now = false, told = false;
    memset(&w, 0, sizeof w);
    xg_sim_touches_sort(p, &w);
    regs = XG_NEW_N(&p->scratch, uint8_t, all);
    late = xg_sim_late_blocks(p, g, regs);
    if (!xg_sim_watched(p, g, &w) && !late) return false;
    xg_sim_find_carried(p, &w);
    no = xg_sim_constant(p, 0, 4);
    yes = xg_sim_constant(p, 0xFFFFFFFFu, 4);
    t = XG_NEW(&p->scratch, xg_sim_touches);
    from = XG_NEW_N(&p->scratch, uint32_t, n + 1);
    for (i = 0; i < n; i++) {
        from[i] = t->n;
        xg_sim_touches_of(p, t, begin + i);
    }
    from[n] = t->n;
    old = XG_NEW_N(&p->scratch, xg_sim_ins, n);
    moved = XG_NEW_N(&p->scratch, uint32_t, n);
    memcpy(old, p->code.p + begin, (size_t)n * sizeof *old);
    p->code.n = begin;
    for (k = 0; k < all; k++)
        if (w.flag[k])
            xg_sim_insert_flag(p, &old[0], w.flag[k], xg_sim_is_argument(p, k) ? yes : no, XG_SIM_NOREG, false);
    for (i = 0; i < n; i++) {
        xg_sim_touches some = *t;
        moved[i] = p->code.n;
        some.n = from[i + 1];
        if (late) {
            if (i == 0 || g->of[i] != g->of[i - 1]) {
                now = late[g->of[i]];
                told = false;
            }
            if (!xg_sim_is_wgmma(&old[i])) told = xg_sim_insert_late(p, &old[i], regs, now, told);
            told = told && !xg_sim_is_wgmma_fence(&old[i]);
            now = xg_sim_late_behind(&old[i], now);
        }
        xg_sim_insert_around(p, &w, &old[i], &some, from[i], yes);
        xg_push(&p->scratch, xg_sim_ins, &p->code, old[i]);
    }
    for (i = begin; i < p->code.n; i++) {
        xg_sim_ins *in = &p->code.p[i];
        if (in->kind == XG_SIM_K_BRA) in->imm = moved[in->imm - begin];
        if (in->kind == XG_SIM_K_BRX)
            for (k = 0; k < in->n; k++) p->list.p[in->list + k] = moved[p->list.p[in->list + k] - begin];
    }
    return true;
}

#endif /* XG_SIM_DEFINED_C */
