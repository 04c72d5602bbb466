/* sched/attention_mask.c -- which keys a tile of rows can see: what masks say of them, so that the others are not read.
 *
 *     select(row + 24 >= key, score, -inf)          no key behind the tile's last row + 24
 *     select(key < length[batch], score, -1e9)      none from the length on, which is read when the kernel runs
 *
 * A comparison of sums of iotas, constants and integers of the batch, with the key once in it, bounds the keys of each
 * row; a mask of several that all have to hold has a bound of each. What is not understood bounds nothing.
 *
 * A masked score of -inf has the weight 0 whatever the others are. One of a finite number has it if the row's maximum
 * is so much larger that exp of the difference is 0; the kernel looks at that when it has seen all other keys, and
 * where it does not hold (rows of which all keys are masked, say) it goes through the rest as well. */
#ifndef XG_SCHED_ATTENTION_MASK_C
#define XG_SCHED_ATTENTION_MASK_C
#include "attention.h"

enum {
    XG_ATTENTION_MASK_DEPTH = 16, /* operations one behind the other */
    XG_ATTENTION_SAMPLES = 64     /* tiles of which a plan counts the steps */
};

/* ---- integers as expressions of the five numbers ---- */

/* e, and integers that are read, with their factors. */
typedef struct xg_attention_integer {
    const xg_aff *e;
    uint32_t n;
    xg_inst *of[XG_ATTENTION_BOUND_READS];
    const xg_imap *map[XG_ATTENTION_BOUND_READS];
    int64_t scale[XG_ATTENTION_BOUND_READS];
} xg_attention_integer;

XG_FN bool xg_attention_is_counted(xlagpu_type t) { return t == XLAGPU_S32 || t == XLAGPU_S64; }
/* The number that all of its elements are. */
XG_FN const xg_inst *xg_attention_uniform(const xg_inst *i) {
    while (i->op == XG_BROADCAST || i->op == XG_CONVERT || xg_attention_moves(i)) i = XG_OPERAND(i, 0);
    return i->op == XG_CONSTANT && !i->literal->elided && i->shape->elements == 1 ? i : NULL;
}
/* The number that all elements of a constant are. */
XG_FN bool xg_attention_constant(const xg_inst *i, double *v) {
    const xg_inst *c = xg_attention_uniform(i);
    if (!c || xg_type_class(c->shape->type) != XGT_F) return false;
    *v = xg_literal_get_float(c->literal, 0);
    return true;
}
XG_FN bool xg_attention_read_integer(
    const xg_attention_site *w, xg_inst *i, const xg_imap *map, int64_t scale, xg_attention_integer *out) {
    if (out->n == XG_ATTENTION_BOUND_READS || !xg_attention_ignores(w, map, XG_ATTENTION_KEY) ||
        !xg_attention_ignores(w, map, XG_ATTENTION_ROW))
        return false;
    out->of[out->n] = i;
    out->map[out->n] = map;
    out->scale[out->n++] = scale;
    return true;
}
/* out += scale times the integer at what map leads to. */
XG_FN bool xg_attention_integer_of(
    xg_attention_site *w, xg_inst *i, const xg_imap *map, int64_t scale, uint32_t depth, xg_attention_integer *out) {
    const xg_inst *constant = xg_attention_uniform(i);
    int64_t v;
    uint32_t k;
    if (!depth || !xg_attention_is_counted(i->shape->type) || !xg_imap_ok(map) ||
        map->n_syms + map->n_rts + map->n_constraints)
        return false;
    if (constant) {
        if (!xg_literal_get_int(constant->literal, 0, &v) || v > INT32_MAX || v < INT32_MIN) return false;
        out->e = xg_aff_add_k(w->x, out->e, scale * v);
        return out->e != NULL;
    }
    switch (i->op) {
    case XG_IOTA:
        k = (uint32_t)xg_attr_or_0(i, XG_A_iota_dimension);
        out->e = xg_aff_add_mul(w->x, out->e, map->results[k], scale);
        return out->e != NULL;
    case XG_ADD:
    case XG_SUBTRACT:
        return xg_attention_integer_of(w, XG_OPERAND(i, 0), map, scale, depth - 1, out) &&
               xg_attention_integer_of(w, XG_OPERAND(i, 1), map, i->op == XG_ADD ? scale : -scale, depth - 1, out);
    case XG_NEGATE: return xg_attention_integer_of(w, XG_OPERAND(i, 0), map, -scale, depth - 1, out);
    case XG_CONVERT:
        if (XG_OPERAND(i, 0)->shape->type != XLAGPU_S32) break;
        return xg_attention_integer_of(w, XG_OPERAND(i, 0), map, scale, depth - 1, out);
    default: break;
    }
    if (xg_attention_moves(i) || i->op == XG_BROADCAST || i->op == XG_SLICE) {
        map = xg_imap_compose(w->x, map, xg_indexing_operand(w->x, i, 0));
        return xg_attention_integer_of(w, XG_OPERAND(i, 0), map, scale, depth - 1, out);
    }
    return xg_attention_read_integer(w, i, map, scale, out);
}

/* ---- bounds ---- */

/* How the expression goes with the row: 1: up, -1: down, 0: not at all, 2: it is not known. *period: of the row modulo
 * it; -1: of the row itself; 0: not yet known. */
XG_FN int xg_attention_slope(const xg_aff *e, const xg_aff *row, int64_t *period) {
    int all = 0, one;
    int64_t own = e == row ? -1 : e->k;
    uint32_t k;
    if (!xg_aff_uses(e, row)) return 0;
    if (e == row || (e->kind == XG_AFF_MOD && e->of == row)) {
        if (*period && *period != own) return 2;
        *period = own;
        return 1;
    }
    if (e->kind == XG_AFF_DIV) return xg_attention_slope(e->of, row, period);
    if (e->kind != XG_AFF_SUM) return 2;
    for (k = 0; k < e->n; k++) {
        one = xg_attention_slope(e->terms[k].of, row, period);
        if (!one) continue;
        if (one == 2 || (all && all != (e->terms[k].scale > 0 ? one : -one))) return 2;
        all = e->terms[k].scale > 0 ? one : -one;
    }
    return all;
}
/* The key, or, of queries that share keys, its remainder or quotient. */
XG_FN const xg_aff *xg_attention_key_in(const xg_attention_form *f, const xg_aff *e, const xg_aff *key) {
    uint32_t k;
    for (k = 0; f->back.turned && e->kind == XG_AFF_SUM && k < e->n; k++)
        if ((e->terms[k].of->kind == XG_AFF_MOD || e->terms[k].of->kind == XG_AFF_DIV) && e->terms[k].of->of == key)
            return e->terms[k].of;
    return key;
}
/* v >= 0 for each score that is not masked; false: no bound says so. */
XG_FN bool xg_attention_note_bound(xg_attention_site *w, xg_attention_integer *v) {
    const xg_aff *all = xg_aff_dim(w->x, XG_ATTENTION_KEY), *row = xg_aff_dim(w->x, XG_ATTENTION_ROW);
    const xg_aff *key = xg_attention_key_in(w->f, v->e, all);
    int64_t way = xg_aff_scale_of(v->e, key), period = key->kind == XG_AFF_MOD ? key->k : 0;
    int64_t each = key->kind == XG_AFF_DIV ? key->k : 1; /* keys of one quotient */
    xg_attention_bound *b = &w->f->bounds[w->f->n_bounds];
    xg_range dims[XG_ATTENTION_DIMS], range;
    xg_aff_env env;
    uint32_t k;
    if ((way != 1 && way != -1) || w->f->n_bounds == XG_ATTENTION_BOUNDS) return false;
    memset(b, 0, sizeof *b);
    b->upper = way < 0;
    b->at = xg_aff_mul(w->x, xg_aff_add_mul(w->x, v->e, key, -way), -way);
    if (b->at) b->at = xg_aff_add_k(w->x, xg_aff_mul(w->x, b->at, each), b->upper ? each - 1 : 0);
    if (!b->at || xg_aff_uses(b->at, all) || (w->f->n_bounds && w->f->key_period != period) ||
        (period && w->f->keys % period))
        return false;
    b->slope = xg_attention_slope(b->at, row, &b->period);
    for (k = 0; k < XG_ATTENTION_DIMS; k++) dims[k] = xg_range_of(0, w->counts[k] - 1);
    env = xg_aff_env_of(w->x, dims, XG_ATTENTION_DIMS, NULL, 0);
    range = xg_aff_range(&env, b->at);
    if (b->slope == 2 || !xg_range_within(range, xg_range_of(-XG_ATTENTION_BOUND_LIMIT, XG_ATTENTION_BOUND_LIMIT)))
        return false;
    b->least = range.lo;
    for (k = 0; k < v->n; k++) {
        xg_attention_part part = (xg_attention_part)(XG_ATTENTION_READ0 + w->f->n_reads);
        if (w->f->n_reads == XG_ATTENTION_READS || !xg_attention_cut(w, part, v->of[k], NULL, 0)) return false;
        w->f->stages[part].map = v->map[k];
        b->part[b->n] = part;
        b->scale[b->n++] = -way * each * v->scale[k];
        w->f->n_reads++;
    }
    w->f->key_period = period;
    w->f->n_bounds++;
    return true;
}
/* These and the next ones answer whether bounds say all of it. x - y times way - less >= 0 */
XG_FN bool xg_attention_apart_by(
    xg_attention_site *w, xg_inst *x, xg_inst *y, int64_t way, const xg_imap *map, int64_t less) {
    xg_attention_integer v;
    memset(&v, 0, sizeof v);
    v.e = xg_aff_const(w->x, -less);
    return xg_attention_integer_of(w, x, map, 1, XG_ATTENTION_MASK_DEPTH, &v) &&
           xg_attention_integer_of(w, y, map, -way, XG_ATTENTION_MASK_DEPTH, &v) && xg_attention_note_bound(w, &v);
}
/* x - y - less >= 0; of an absolute y it holds for both signs. */
XG_FN bool xg_attention_at_least(xg_attention_site *w, xg_inst *x, xg_inst *y, const xg_imap *map, int64_t less) {
    bool up, down;
    if (y->op != XG_ABS) return xg_attention_apart_by(w, x, y, 1, map, less);
    up = xg_attention_apart_by(w, x, XG_OPERAND(y, 0), 1, map, less);
    down = xg_attention_apart_by(w, x, XG_OPERAND(y, 0), -1, map, less);
    return up && down;
}
/* x is compared with y, and the answer is `holds`. */
XG_FN bool xg_attention_compared(xg_attention_site *w, const xg_inst *i, const xg_imap *map, bool holds) {
    xg_str direction = xg_attr_str(i, XG_A_direction);
    xg_inst *x = XG_OPERAND(i, 0), *y = XG_OPERAND(i, 1);
    bool less = xg_word_in("LT LE", direction) >= 0, strict, one, other;
    if (xg_str_is(direction, holds ? "EQ" : "NE")) {
        one = xg_attention_at_least(w, x, y, map, 0);
        other = xg_attention_at_least(w, y, x, map, 0);
        return one && other;
    }
    if (!less && xg_word_in("GT GE", direction) < 0) return false;
    strict = xg_word_in("LT GT", direction) >= 0;
    if (less == holds) /* y is more, or x is not less */
        return xg_attention_at_least(w, y, x, map, strict == holds);
    return xg_attention_at_least(w, x, y, map, strict == holds);
}
/* The condition is `holds` for each score that is not masked. */
XG_FN bool xg_attention_condition(
    xg_attention_site *w, const xg_inst *i, const xg_imap *map, bool holds, uint32_t depth) {
    bool one, other;
    if (!depth || !xg_imap_ok(map)) return false;
    if (i->op == XG_COMPARE) return xg_attention_compared(w, i, map, holds);
    if (i->op == XG_NOT) return xg_attention_condition(w, XG_OPERAND(i, 0), map, !holds, depth - 1);
    if (i->op == (holds ? XG_AND : XG_OR)) {
        one = xg_attention_condition(w, XG_OPERAND(i, 0), map, holds, depth - 1);
        other = xg_attention_condition(w, XG_OPERAND(i, 1), map, holds, depth - 1);
        return one && other;
    }
    if (!xg_attention_moves(i) && i->op != XG_BROADCAST) return false;
    map = xg_imap_compose(w->x, map, xg_indexing_operand(w->x, i, 0));
    return xg_attention_condition(w, XG_OPERAND(i, 0), map, holds, depth - 1);
}

/* ---- masks ---- */

/* Larger than what a mask of v makes of a score, whatever it is rounded to. */
XG_FN double xg_attention_rounded_up(double v) { return v * 0.99; }
/* The operand of a selection that is the scores; the other one is a number. */
XG_FN uint32_t xg_attention_masked(const xg_inst *i) { return xg_attention_uniform(XG_OPERAND(i, 2)) ? 1 : 2; }
/* A selection between scores and a number: its bounds, and whether they say all of it; the operand that is the scores,
 * 0: it is no mask. */
XG_FN uint32_t xg_attention_mask(xg_attention_site *w, const xg_inst *i, const xg_imap *map, bool *whole) {
    enum {
        LARGEST = -1000 /* of a mask's number: nearer to 0 it may be meant as a score */
    };
    const xg_inst *number = xg_attention_uniform(XG_OPERAND(i, 2));
    uint32_t scores = xg_attention_masked(i), before = w->f->n_bounds;
    double v;
    if (!number) number = xg_attention_uniform(XG_OPERAND(i, 1));
    if (!number || xg_type_class(number->shape->type) != XGT_F) return 0;
    v = xg_literal_get_float(number->literal, 0);
    if (!(v <= (double)LARGEST)) return 0;
    map = xg_imap_compose(w->x, map, xg_indexing_operand(w->x, i, 0));
    *whole = xg_attention_condition(w, XG_OPERAND(i, 0), map, scores == 1, XG_ATTENTION_MASK_DEPTH);
    if (w->f->n_bounds > before && v > -INFINITY) {
        v = xg_attention_rounded_up(v);
        w->f->masked = w->f->votes ? XG_MAX(w->f->masked, v) : v;
        w->f->votes = true;
    }
    return scores;
}
/* A sum of scores and a selection between -inf and numbers; the operand that is the scores, 2: it is none. */
XG_FN uint32_t xg_attention_added_mask(xg_attention_site *w, const xg_inst *i, const xg_imap *map) {
    uint32_t k, j;
    for (k = 0; k < 2; k++) {
        const xg_inst *o = XG_OPERAND(i, k), *number;
        const xg_imap *at = xg_imap_compose(w->x, map, xg_indexing_operand(w->x, i, k));
        while (o->op == XG_BROADCAST || o->op == XG_CONVERT || xg_attention_moves(o)) {
            at = xg_imap_compose(w->x, at, xg_indexing_operand(w->x, o, 0));
            o = XG_OPERAND(o, 0);
        }
        if (o->op != XG_SELECT || XG_OPERAND(o, 0)->shape->rank != o->shape->rank) continue;
        for (j = 1; j < 3; j++) {
            number = xg_attention_uniform(XG_OPERAND(o, j));
            if (!number || xg_literal_get_float(number->literal, 0) > -INFINITY) continue;
            at = xg_imap_compose(w->x, at, xg_indexing_operand(w->x, o, 0));
            (void)xg_attention_condition(w, XG_OPERAND(o, 0), at, j == 2, XG_ATTENTION_MASK_DEPTH);
            return 1 - k;
        }
    }
    return 2;
}
/* Stages of the scores without masks, and of masks, which steps inside of all bounds do not need. */
XG_FN void xg_attention_without_masks(xg_attention_site *w, xg_inst *scores) {
    xg_attention_form *f = w->f;
    xg_inst *root = f->stages[XG_ATTENTION_SCORES].root, *dot = f->match.scores_dot;
    xg_attention_stage *bare = &f->stages[XG_ATTENTION_BARE], *masked = &f->stages[XG_ATTENTION_MASKED];
    bare->root = masked->root = NULL;
    if (!scores || scores == dot) return;
    if (xg_attention_cut(w, XG_ATTENTION_BARE, scores, &dot, 1) &&
        xg_attention_cut(w, XG_ATTENTION_MASKED, root, &scores, 1)) {
        bare->map = masked->map = f->stages[XG_ATTENTION_SCORES].map;
        return;
    }
    bare->root = masked->root = NULL;
}
XG_FN void xg_attention_bounds(xg_attention_site *w) {
    const xg_inst *i = w->f->stages[XG_ATTENTION_SCORES].root;
    const xg_imap *map = w->f->stages[XG_ATTENTION_SCORES].map;
    xg_inst *bare = NULL;
    bool whole = true;
    uint32_t depth, k;
    xg_attention_count(w, 1, 1);
    for (depth = 0; depth < XG_ATTENTION_MASK_DEPTH && xg_imap_ok(map); depth++) {
        bool all = true;
        k = 0;
        if (i->op == XG_SELECT) {
            if (XG_OPERAND(i, 0)->shape->rank != i->shape->rank) break;
            k = xg_attention_mask(w, i, map, &all);
            if (!k) break;
            whole = whole && all;
            if (whole) bare = XG_OPERAND(i, k);
        } else if (i->op == XG_ADD) {
            k = xg_attention_added_mask(w, i, map);
            if (k == 2) break;
            whole = false;
        } else if (i->op != XG_CONVERT) {
            if (!xg_attention_moves(i)) break;
            whole = false;
        }
        map = xg_imap_compose(w->x, map, xg_indexing_operand(w->x, i, k));
        i = XG_OPERAND(i, k);
    }
    xg_attention_without_masks(w, bare);
}

XG_FN xg_inst *xg_attention_unmoved(xg_inst *i) {
    while (xg_attention_moves(i)) i = XG_OPERAND(i, 0);
    return i;
}
XG_FN void xg_attention_find_scale(xg_attention_form *f) {
    xg_inst *i = xg_attention_unmoved(f->stages[XG_ATTENTION_SCORES].root), *dot = f->match.scores_dot;
    const double least = 1.0 / (1 << 20);
    double v;
    uint32_t k;
    if (f->unit == XG_TILE_NO_UNIT || !f->match.max) return;
    if (!xg_attention_constant(XG_OPERAND(f->match.max, 1), &v) || v > -INFINITY) return;
    while (i->op == XG_SELECT && !xg_attention_depends(XG_OPERAND(i, 0), dot)) {
        k = xg_attention_masked(i);
        if (!xg_attention_constant(XG_OPERAND(i, 3 - k), &v) || v > -INFINITY) return;
        i = xg_attention_unmoved(XG_OPERAND(i, k));
    }
    if (i->op != XG_MULTIPLY || i->shape->type != f->sum || dot->shape->type != f->sum) return;
    for (k = 0; k < 2 && (xg_attention_unmoved(XG_OPERAND(i, k)) != dot ||
                             !xg_attention_constant(XG_OPERAND(i, 1 - k), &f->scale));
         k++) {}
    if (k < 2 && f->scale >= least && f->scale <= 1) f->scaled = i;
}

/* ---- how many steps ---- */

/* The bound in a tile of rows: the most of an upper one, the least of a lower one. Where a period begins in the tile,
 * that is at its first row, or at the one before. */
XG_FN int64_t xg_attention_bound_row(const xg_attention_bound *b, int64_t first, int64_t last) {
    int64_t cut = b->period > 0 ? last / b->period * b->period : 0;
    if (first < cut) {
        first = cut;
        last = cut - 1;
    }
    return (b->slope > 0) == b->upper ? last : first;
}
/* Of the tile, as far as it is known before the kernel runs. */
XG_FN int64_t xg_attention_tile_steps(const xg_attention_plan *p, int64_t tile) {
    const xg_attention_form *f = &p->form;
    int64_t first = tile * p->tile, last = XG_MIN(first + p->tile, f->rows) - 1, from = 0, v;
    int64_t keys = f->key_period ? f->key_period : f->keys, to = keys;
    uint32_t k;
    for (k = 0; k < f->n_bounds; k++) {
        const xg_attention_bound *b = &f->bounds[k];
        int64_t at[XG_ATTENTION_DIMS] = {0, 0, 0, 0, 0};
        at[XG_ATTENTION_ROW] = xg_attention_bound_row(b, first, last);
        if (b->n || !xg_aff_eval(b->at, at, NULL, &v)) continue;
        if (b->upper)
            to = XG_MIN(to, v + 1);
        else
            from = XG_MAX(from, v);
    }
    if (to <= from) return 0;
    return (xg_tile_over(to, p->shape.step) - from / p->shape.step) * (f->keys / keys);
}
XG_APART XG_FN int64_t xg_attention_mean_steps(const xg_attention_plan *p) {
    int64_t samples = XG_MIN(p->tiles, (int64_t)XG_ATTENTION_SAMPLES), sum = 0, k;
    for (k = 0; k < samples; k++) /* of heads that share keys not always the same ones */
        sum += xg_attention_tile_steps(p, (k * p->tiles / samples + (samples < p->tiles ? k : 0)) % p->tiles);
    return XG_MAX(xg_tile_over(sum, samples), (int64_t)1);
}
/* Of rows that see different keys the last ones see most: mostly, but not of keys where queries see what is behind. */
XG_FN bool xg_attention_grows(const xg_attention_form *f) {
    bool rises = false, falls = false;
    uint32_t k;
    for (k = 0; k < f->n_bounds; k++) {
        rises = rises || (f->bounds[k].upper && f->bounds[k].slope > 0);
        falls = falls || (!f->bounds[k].upper && f->bounds[k].slope > 0);
    }
    return rises || !falls;
}
/* Tiles whose steps rise, or fall: those of a head's queries. */
XG_FN int64_t xg_attention_ramp(const xg_attention_plan *p) {
    int64_t tiles = p->tiles;
    uint32_t k;
    for (k = 0; k < p->form.n_bounds; k++) {
        int64_t period = p->form.bounds[k].period;
        if (period > 0 && period % p->tile == 0) tiles = XG_MIN(tiles, period / p->tile);
    }
    return p->tiles % tiles ? p->tiles : tiles;
}
/* Blocks begin by falling work, as far as half of the second cache has the keys and values of their heads. */
XG_APART XG_FN void xg_attention_order(xg_attention_plan *p, const xg_device *m) {
    const xg_attention_form *f = &p->form;
    int64_t bytes = xg_cost_mul(f->keys * (f->depth + f->columns), xg_type_bytes(f->held)), k, steps, before = 0;
    p->ramp = xg_attention_ramp(p);
    p->together = XG_MIN(XG_MAX(m->l2_bytes / 2 / bytes, (int64_t)1), f->batch);
    while (f->batch % p->together) p->together--;
    for (k = 0; k < 3; k++, before = steps) {
        int64_t place = k * (p->ramp - 1) / 2;
        steps = xg_attention_tile_steps(p, xg_attention_grows(f) ? p->ramp - 1 - place : place);
        if (!k) p->longest = (steps + 1) * 1000 / (p->walked + 1); /* a begin and an end are about a step */
        if (k && steps > before) p->longest = 0;
    }
    if (p->together < f->batch || p->longest < 1000 || p->cluster > 1) p->longest = 0;
}

#endif /* XG_SCHED_ATTENTION_MASK_C */
