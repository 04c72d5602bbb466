/* eval/random.c -- rng-bit-generator: Threefry 2x32 (20 rounds) and Philox 4x32 (10 rounds), as XLA arranges their
 * words; rng and its state.
 *
 * rng has no state in HLO: each one that is executed on a device takes the next stretch of a Philox stream keyed by the
 * replica, which begins by the run's seed, so equal seeds give equal numbers. The numbers are those that RngExpander's
 * arithmetic gives (expand/random_expander.c), so a device that draws in the same order has the same: integers and
 * uniform floats bit for bit, normal ones, by Box and Muller's method, but for roundings of logarithm and cosine.
 *
 * Both turn a counter and a key into random words. The state is u64[2] or u64[3]: the key, then the counter. What the
 * opcode fixes beside the algorithms is which counter makes which element, and the counter that is handed on. */
#ifndef XG_EVAL_RANDOM_C
#define XG_EVAL_RANDOM_C
#include "eval.h"
#include "../api/executable.h"

XG_FN void xg_threefry(uint64_t counter, uint64_t key, uint32_t out[2]) {
    static const uint8_t turns[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    uint32_t ks[3], x0 = (uint32_t)counter, x1 = (uint32_t)(counter >> 32), round, k;
    ks[0] = (uint32_t)key;
    ks[1] = (uint32_t)(key >> 32);
    ks[2] = 0x1BD11BDAu ^ ks[0] ^ ks[1];
    x0 += ks[0];
    x1 += ks[1];
    for (round = 0; round < 5; round++) {
        for (k = 0; k < 4; k++) {
            uint32_t t = turns[round & 1][k];
            x0 += x1;
            x1 = (x1 << t | x1 >> (32 - t)) ^ x0;
        }
        x0 += ks[(round + 1) % 3];
        x1 += ks[(round + 2) % 3] + round + 1;
    }
    out[0] = x0;
    out[1] = x1;
}

XG_FN void xg_philox(const uint64_t counter[2], uint64_t key, uint32_t out[4]) {
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32), round;
    uint32_t x0 = (uint32_t)counter[0], x1 = (uint32_t)(counter[0] >> 32), x2 = (uint32_t)counter[1],
             x3 = (uint32_t)(counter[1] >> 32);
    for (round = 0; round < 10; round++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
        uint64_t p = (uint64_t)x0 * 0xD2511F53u, q = (uint64_t)x2 * 0xCD9E8D57u;
        x0 = (uint32_t)(q >> 32) ^ x1 ^ k0;
        x1 = (uint32_t)q;
        x2 = (uint32_t)(p >> 32) ^ x3 ^ k1;
        x3 = (uint32_t)p;
    }
    out[0] = x0;
    out[1] = x1;
    out[2] = x2;
    out[3] = x3;
}

XG_FN void xg_random_store(xlagpu_type t, unsigned char *out, int64_t at, uint64_t v) {
    size_t bytes = (size_t)xg_type_bytes(t);
    if (xg_type_class(t) == XGT_I) {
        xg_eval_store_int(t, out + (size_t)at * bytes, (int64_t)v);
        return;
    }
    v &= UINT64_MAX >> (64 - xg_type_bits(t));
    memcpy(out + (size_t)at * bytes, &v, bytes);
}

/* One dimension (the first even one, else the largest) is halved, rounding up; a counter at its place makes two
 * neighbours there. Counters number the halved array row by row. Returns how many counters were used. */
XG_APART XG_FN int64_t xg_random_threefry32(const xg_shape *s, unsigned char *out, uint64_t key, uint64_t counter) {
    int64_t inner = 1, length = 1, outer = 1, half, o, h, k;
    uint32_t d, split = 0;
    uint32_t words[2];
    for (d = 0; d < s->rank && s->dims[d] % 2; d++) {}
    if (d < s->rank)
        split = d;
    else
        for (d = 0; d < s->rank; d++)
            if (s->dims[d] > s->dims[split]) split = d;
    for (d = 0; d < s->rank; d++) {
        if (d < split)
            outer *= s->dims[d];
        else if (d == split)
            length = s->dims[d];
        else
            inner *= s->dims[d];
    }
    half = (length + 1) / 2;
    for (o = 0; o < outer; o++)
        for (h = 0; h < half; h++)
            for (k = 0; k < inner; k++) {
                xg_threefry(counter + (uint64_t)((o * half + h) * inner + k), key, words);
                xg_random_store(s->type, out, (o * length + 2 * h) * inner + k, words[0]);
                if (2 * h + 1 < length) xg_random_store(s->type, out, (o * length + 2 * h + 1) * inner + k, words[1]);
            }
    return outer * half * inner;
}

XG_FN int64_t xg_random_threefry64(const xg_shape *s, unsigned char *out, uint64_t key, uint64_t counter) {
    int64_t k;
    uint32_t words[2];
    for (k = 0; k < s->elements; k++) {
        xg_threefry(counter + (uint64_t)k, key, words);
        xg_random_store(s->type, out, k, words[0] | (uint64_t)words[1] << 32);
    }
    return s->elements;
}

/* Four words a counter, in order; a 64-bit element takes two, a narrow one the low bits of one. The counter has 128
 * bits. */
XG_FN void xg_random_philox(const xg_shape *s, unsigned char *out, uint64_t key, uint64_t counter[2]) {
    bool wide = xg_type_bits(s->type) == 64;
    int64_t at, k, words_each = wide ? 2 : 1, per = 4 / words_each;
    for (at = 0; at < s->elements; at += per) {
        uint32_t w[4];
        xg_philox(counter, key, w);
        if (++counter[0] == 0) counter[1]++;
        for (k = 0; k < per && at + k < s->elements; k++)
            xg_random_store(s->type, out, at + k, wide ? w[2 * k] | (uint64_t)w[2 * k + 1] << 32 : w[k]);
    }
}

XG_FN xg_value *xg_eval_rng_bit_generator(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    xg_str algorithm = xg_attr_str(i, XG_A_algorithm);
    bool tuple = i->shape->type == XLAGPU_TUPLE;
    const xg_shape *s = tuple ? i->shape->elems[1] : i->shape;
    xg_value *out = xg_eval_new(r, s), *state, *outs[2];
    uint64_t words[3] = {0, 0, 0}, counter[2];
    size_t n = XG_MIN(xg_eval_bytes(r, in[0]->shape), sizeof words), bytes = xg_eval_bytes(r, in[0]->shape);
    xg_eval_dense(r, &in[0]);
    if ((bytes != 16 && bytes != 24) || xg_type_bits(s->type) > 64 || xg_type_class(s->type) == XGT_C ||
        s->type == XLAGPU_PRED)
        xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, "give a state of u64[2] or u64[3] and ask for integers or floats",
            "this state or result is not evaluated");
    memcpy(words, in[0]->data, n);
    xg_eval_spend(r, s->elements);
    if (xg_str_is(algorithm, "rng_three_fry")) {
        int64_t used = xg_type_bits(s->type) == 64 ? xg_random_threefry64(s, out->data, words[0], words[1])
                                                   : xg_random_threefry32(s, out->data, words[0], words[1]);
        words[1] += (uint64_t)used;
    } else if (bytes == 24) {
        counter[0] = words[1];
        counter[1] = words[2];
        xg_random_philox(s, out->data, words[0], counter);
        words[1] = counter[0];
        words[2] = counter[1];
    } else { /* the short state serves as counter too, its halves exchanged; only the low half is handed on */
        counter[0] = words[1];
        counter[1] = words[0];
        xg_random_philox(s, out->data, words[0], counter);
        words[1] = counter[0];
    }
    if (!tuple) return out;
    state = xg_eval_new(r, i->shape->elems[0]);
    memcpy(state->data, words, n);
    outs[0] = state;
    outs[1] = out;
    return xg_eval_new_tuple(r, i->shape, outs);
}

/* ---- rng ---- */

XG_APART XG_FN void xg_random_begin(xg_eval_run *r) {
    uint32_t d;
    r->devices = XG_NEW_N(&r->mem, xg_device_state, r->n_devices);
    for (d = 0; d < r->n_devices; d++) r->devices[d].rng[0] = XG_EXE_RANDOM_FIRST + r->options.seed;
}

XG_FN void xg_rng_advance(uint64_t state[2], uint64_t delta) {
    state[0] += delta;
    if (state[0] < delta) state[1]++;
}
/* Gives the state of 128 bits, then adds delta to it. */
XG_FN xg_value *xg_eval_rng_get_and_update_state(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    xg_value *out = xg_eval_new(r, i->shape);
    uint64_t *state = r->devices[r->device].rng, delta = (uint64_t)xg_attr_or_0(i, XG_A_delta);
    (void)in;
    memcpy(out->data, state, 2 * sizeof *state);
    xg_rng_advance(state, delta);
    return out;
}

/* What f32 arithmetic makes of an exact result; f64's is what it is. */
XG_ONE_COPY XG_FN double xg_rng_rounded(bool wide, double x) { return wide ? x : (double)(float)x; }
/* A fraction in [0, 1) of a word's upper bits, as many as the arithmetic's mantissa has. */
XG_FN double xg_rng_fraction(bool wide, uint64_t word) {
    return wide ? ldexp((double)(word >> 12), -52) : ldexp((double)(word >> 9), -23);
}

typedef struct xg_rng_range {
    xlagpu_type type;
    bool wide; /* words of 64 bits, and f64 arithmetic */
    double a, b;
    int64_t lo;
    uint64_t span;
} xg_rng_range;

XG_FN xg_rng_range xg_rng_range_of(const xg_inst *i, xg_value *const *in) {
    xg_rng_range g;
    memset(&g, 0, sizeof g);
    g.type = i->shape->type;
    g.wide = true;
    if (xg_type_class(g.type) == XGT_F) {
        g.wide = g.type == XLAGPU_F64;
        g.a = xg_float_load(g.type, in[0]->data);
        g.b = xg_float_load(g.type, in[1]->data);
        return g;
    }
    g.lo = xg_eval_int_at(in[0], 0);
    g.span = (uint64_t)xg_eval_int_at(in[1], 0) - (uint64_t)g.lo;
    return g;
}

/* Rounding may reach b: then it is a once more. */
XG_FN void xg_rng_uniform(const xg_rng_range *g, unsigned char *out, uint64_t word) {
    double x = xg_rng_fraction(g->wide, word), over = xg_rng_rounded(g->wide, g->b - g->a);
    x = xg_rng_rounded(g->wide, x * over);
    xg_float_store(g->type, out, xg_rng_rounded(g->wide, x + g->a));
    if (g->a < g->b && xg_float_load(g->type, out) >= g->b) xg_float_store(g->type, out, g->a);
}
XG_FN void xg_rng_normal(const xg_rng_range *g, unsigned char *out, uint64_t first, uint64_t second) {
    double r = xg_rng_rounded(g->wide, log1p(-xg_rng_fraction(g->wide, first))), x;
    double turn = xg_rng_fraction(g->wide, second) * xg_rng_rounded(g->wide, 6.283185307179586);
    r = xg_rng_rounded(g->wide, sqrt(-2 * r));
    x = xg_rng_rounded(g->wide, r * xg_rng_rounded(g->wide, xg_cos(xg_rng_rounded(g->wide, turn))));
    x = xg_rng_rounded(g->wide, x * g->b);
    xg_float_store(g->type, out, xg_rng_rounded(g->wide, x + g->a));
}
XG_FN void xg_rng_integer(const xg_rng_range *g, unsigned char *out, uint64_t word) {
    if (g->type == XLAGPU_PRED)
        *out = (unsigned char)(word & 1);
    else
        xg_eval_store_int(g->type, out, (int64_t)((uint64_t)g->lo + (g->span ? word % g->span : 0)));
}

/* The words of one draw, four or two to a counter; the counter's last ones are kept. */
typedef struct xg_rng_stream {
    uint64_t key, first[2];
    bool wide;
    int64_t counter; /* behind the first; -1: none yet */
    uint32_t words[4];
} xg_rng_stream;

XG_FN xg_rng_stream xg_rng_stream_of(xg_eval_run *r, bool wide) {
    const xg_device_state *device = &r->devices[r->device];
    uint64_t replica = r->n_devices > 1 ? r->device / r->partitions : (uint64_t)r->options.replica;
    xg_rng_stream s;
    memset(&s, 0, sizeof s);
    s.key = XG_EXE_RANDOM_KEY ^ replica << 32;
    s.first[0] = device->rng[0];
    s.first[1] = device->rng[1];
    s.wide = wide;
    s.counter = -1;
    return s;
}
XG_FN uint64_t xg_rng_word(xg_rng_stream *s, int64_t k) {
    int64_t per = s->wide ? 2 : 4, at = k % per;
    if (s->counter != k / per) {
        uint64_t counter[2];
        s->counter = k / per;
        counter[0] = s->first[0];
        counter[1] = s->first[1];
        xg_rng_advance(counter, (uint64_t)s->counter);
        xg_philox(counter, s->key, s->words);
    }
    return s->wide ? s->words[2 * at] | (uint64_t)s->words[2 * at + 1] << 32 : s->words[at];
}
XG_FN xg_value *xg_eval_rng(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    xg_rng_range g = xg_rng_range_of(i, in);
    xg_value *out = xg_eval_new(r, i->shape);
    size_t bytes = (size_t)xg_type_bytes(i->shape->type);
    int64_t k, n = i->shape->elements;
    bool floats = xg_type_class(g.type) == XGT_F, normal = floats && xg_attr_is(i, XG_A_distribution, "rng_normal");
    xg_rng_stream words = xg_rng_stream_of(r, g.wide), more = words;
    xg_eval_spend(r, n);
    for (k = 0; k < n; k++) {
        unsigned char *to = out->data + (size_t)k * bytes;
        uint64_t word = xg_rng_word(&words, k);
        if (normal)
            xg_rng_normal(&g, to, word, xg_rng_word(&more, n + k));
        else if (floats)
            xg_rng_uniform(&g, to, word);
        else
            xg_rng_integer(&g, to, word);
    }
    if (n) xg_rng_advance(r->devices[r->device].rng, (uint64_t)((normal ? 2 * n : n) / (g.wide ? 2 : 4) + 1));
    return out;
}

#endif /* XG_EVAL_RANDOM_C */
