/* tests/stages/affine.c -- affine expressions and indexing maps.
 *
 * affine print|simplify|drop   each line of the input is a map; printed as it was read, simplified, or simplified
 *                              without unused variables
 * affine compose               lines in pairs: first, then second
 * affine equal                 lines in pairs: are they equal when simplified
 * affine ranges                each line is a map: the range of each result
 * affine divisors              each line is a map: the plain divisor of each result
 * affine eval                  a map, then lines of numbers: dims, then symbols
 * affine random SEED COUNT     COUNT random maps: simplified ones agree with them at every point, are stable, survive
 *                              their
 *                              text form, and compose */

static const xg_imap *affine_next_map(xg_stage *io, xg_aff_ctx *x, size_t *at) {
    const xg_imap *m = xg_imap_parse(x, &io->in, at);
    return m;
}

static bool affine_more(xg_stage *io, size_t *at) {
    while (*at < io->in.size && (io->in.text[*at] == '\n' || io->in.text[*at] == ' ')) ++*at;
    return *at < io->in.size;
}

static void affine_print_line(xg_stage *io, const xg_imap *m) {
    xg_imap_print(&io->out, m);
    xg_putc(&io->out, '\n');
}

static void affine_ranges(xg_stage *io, xg_aff_ctx *x, const xg_imap *m, bool divisors) {
    uint32_t i;
    for (i = 0; i < m->n_results; i++) {
        xg_range r = xg_imap_result_range(x, m, i);
        xg_aff_print(&io->out, m->results[i], m);
        if (divisors)
            xg_printf(&io->out, " is a multiple of %lld\n", (long long)xg_aff_divisor(m->results[i]));
        else if (xg_range_known(r))
            xg_printf(&io->out, " in [%lld, %lld]\n", (long long)r.lo, (long long)r.hi);
        else
            xg_puts(&io->out, " unbounded\n");
    }
}

/* A line of integers. */
static uint32_t affine_numbers(xg_stage *io, size_t *at, int64_t *out, uint32_t cap) {
    uint32_t n = 0;
    while (*at < io->in.size && io->in.text[*at] != '\n') {
        bool minus = io->in.text[*at] == '-';
        if (minus) ++*at;
        if (io->in.text[*at] >= '0' && io->in.text[*at] <= '9' && n < cap) {
            int64_t v = 0;
            while (*at < io->in.size && io->in.text[*at] >= '0' && io->in.text[*at] <= '9')
                v = (int64_t)((uint64_t)v * 10 + (uint64_t)(io->in.text[(*at)++] - '0'));
            out[n++] = minus ? (int64_t)(0 - (uint64_t)v) : v;
        } else
            ++*at;
    }
    return n;
}

static void affine_eval(xg_stage *io, xg_aff_ctx *x, size_t *at) {
    const xg_imap *m = affine_next_map(io, x, at);
    int64_t v[64], out[64];
    uint32_t i;
    while (affine_more(io, at)) {
        memset(v, 0, sizeof v);
        (void)affine_numbers(io, at, v, 64);
        if (m->n_results > 64 || !xg_imap_eval(m, v, v + m->n_dims, out)) {
            xg_puts(&io->out, "outside\n");
            continue;
        }
        for (i = 0; i < m->n_results; i++) xg_printf(&io->out, "%s%lld", i ? ", " : "", (long long)out[i]);
        xg_puts(&io->out, "\n");
    }
}

/* ---- random maps ---- */

/* An expression as a tree of its own, so that its value owes nothing to the room under test. */
typedef struct affine_tree {
    char op;
    int64_t k;
    struct affine_tree *a, *b;
} affine_tree;

static uint32_t affine_pick(uint64_t *state, uint32_t n) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*state >> 33) % n);
}

enum {
    AFFINE_VARS = 4
};

static affine_tree *affine_grow(xg_stage *io, uint64_t *state, int depth) {
    static const int64_t nice[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 24, 32, 48, 60};
    affine_tree *t = XG_NEW(io->arena, affine_tree);
    uint32_t which = depth <= 0 ? affine_pick(state, 3) : affine_pick(state, 12);
    t->k = nice[affine_pick(state, XG_COUNT(nice))];
    if (which <= 1) {
        t->op = 'v';
        t->k = affine_pick(state, AFFINE_VARS);
        return t;
    }
    if (which == 2) {
        t->op = 'k';
        t->k = (int64_t)affine_pick(state, 40) - 20;
        return t;
    }
    t->a = affine_grow(io, state, depth - 1);
    if (which <= 6) {
        t->op = '+';
        t->b = affine_grow(io, state, depth - 1);
    } else if (which == 7) {
        t->op = '*';
        if (affine_pick(state, 3) == 0) t->k = -t->k;
    } else
        t->op = which <= 9 ? '/' : '%';
    return t;
}

static int64_t affine_value(const affine_tree *t, const int64_t *v) {
    int64_t a = t->a ? affine_value(t->a, v) : 0;
    switch (t->op) {
    case 'v': return v[t->k];
    case 'k': return t->k;
    case '+': return a + affine_value(t->b, v);
    case '*': return a * t->k;
    case '/': return (a - ((a % t->k) + t->k) % t->k) / t->k;
    default: return ((a % t->k) + t->k) % t->k;
    }
}

static const xg_aff *affine_build(xg_aff_ctx *x, const affine_tree *t) {
    switch (t->op) {
    case 'v': return t->k < 2 ? xg_aff_dim(x, (uint32_t)t->k) : xg_aff_sym(x, (uint32_t)t->k - 2);
    case 'k': return xg_aff_const(x, t->k);
    case '+': return xg_aff_add(x, affine_build(x, t->a), affine_build(x, t->b));
    case '*': return xg_aff_mul(x, affine_build(x, t->a), t->k);
    case '/': return xg_aff_div(x, affine_build(x, t->a), t->k);
    default: return xg_aff_mod(x, affine_build(x, t->a), t->k);
    }
}

/* Two results and one or two constraints over two dims and two symbols. */
typedef struct affine_case {
    xg_imap *map;
    affine_tree *results[2], *constraints[2];
    xg_range wanted[2];
    int n;
} affine_case;

static affine_case affine_random_case(xg_stage *io, xg_aff_ctx *x, uint64_t *state) {
    affine_case c;
    int i;
    memset(&c, 0, sizeof c);
    c.n = (int)affine_pick(state, 3);
    c.map = xg_imap_new(x, 2, 2, 0, 2, (uint32_t)c.n);
    for (i = 0; i < 4; i++) {
        int64_t lo = affine_pick(state, 3) ? 0 : (int64_t)affine_pick(state, 9) - 4,
                hi = lo + (int64_t)affine_pick(state, affine_pick(state, 2) ? 9 : 3);
        *(i < 2 ? &c.map->dims[i].range : &c.map->syms[i - 2].range) = xg_range_of(lo, hi);
    }
    for (i = 0; i < 2; i++) c.map->results[i] = affine_build(x, c.results[i] = affine_grow(io, state, 5));
    for (i = 0; i < c.n; i++) {
        int64_t lo = (int64_t)affine_pick(state, 30) - 10;
        c.constraints[i] = affine_grow(io, state, 3);
        c.wanted[i] = xg_range_of(lo, affine_pick(state, 3) ? lo + (int64_t)affine_pick(state, 40) : lo);
        c.map->constraints[i].expr = affine_build(x, c.constraints[i]);
        c.map->constraints[i].range = c.wanted[i];
    }
    return c;
}

static bool affine_agrees_at(const affine_case *c, const xg_imap *m, const int64_t *v) {
    int64_t out[2];
    bool in = true, got;
    int i;
    for (i = 0; i < c->n; i++) {
        int64_t e = affine_value(c->constraints[i], v);
        in = in && c->wanted[i].lo <= e && e <= c->wanted[i].hi;
    }
    got = xg_imap_eval(m, v, v + 2, out);
    return got == in && (!in || (out[0] == affine_value(c->results[0], v) && out[1] == affine_value(c->results[1], v)));
}

static bool affine_agrees(const affine_case *c, const xg_imap *m) {
    int64_t v[4];
    const xg_imap *o = c->map;
    for (v[0] = o->dims[0].range.lo; v[0] <= o->dims[0].range.hi; v[0]++)
        for (v[1] = o->dims[1].range.lo; v[1] <= o->dims[1].range.hi; v[1]++)
            for (v[2] = o->syms[0].range.lo; v[2] <= o->syms[0].range.hi; v[2]++)
                for (v[3] = o->syms[1].range.lo; v[3] <= o->syms[1].range.hi; v[3]++)
                    if (!affine_agrees_at(c, m, v)) return false;
    return true;
}

/* The composition at random points against one map after the other. */
static bool affine_composes(xg_aff_ctx *x, const affine_case *first, const affine_case *second, uint64_t *state) {
    const xg_imap *both = xg_imap_compose(x, first->map, second->map);
    int round, k;
    for (round = 0; round < 100; round++) {
        int64_t v[6], mid[4], want[2], got[2];
        bool in, same;
        for (k = 0; k < 6; k++) {
            const xg_imap *m = k < 4 ? first->map : second->map;
            xg_range r = k < 2 ? m->dims[k].range : m->syms[k & 1].range;
            v[k] = r.lo + (int64_t)affine_pick(state, (uint32_t)(r.hi - r.lo + 1));
        }
        mid[2] = v[4];
        mid[3] = v[5];
        in = xg_imap_eval(first->map, v, v + 2, mid) && xg_imap_eval(second->map, mid, mid + 2, want);
        same = xg_imap_eval(both, v, v + 2, got) == in && (!in || (got[0] == want[0] && got[1] == want[1]));
        if (!same) return false;
    }
    return true;
}

static xg_str affine_text(xg_stage *io, const xg_imap *m) {
    xg_buf b;
    xg_buf_init(&b, io->arena);
    xg_imap_print(&b, m);
    return xg_str_of(b.p, b.n);
}

static bool affine_survives_text(xg_stage *io, xg_aff_ctx *x, const xg_imap *m) {
    xg_str text = affine_text(io, m);
    xg_source src;
    size_t at = 0;
    src.name = "map";
    src.text = text.p;
    src.size = text.n;
    return xg_str_eq(affine_text(io, xg_imap_parse(x, &src, &at)), text);
}

static void affine_random(xg_stage *io, const char *args) {
    uint64_t state = 0;
    uint32_t count = 0, i, unstable = 0;
    while (*args >= '0' && *args <= '9') state = state * 10 + (uint64_t)(*args++ - '0');
    while (*args == ' ') args++;
    while (*args >= '0' && *args <= '9') count = count * 10 + (uint32_t)(*args++ - '0');
    for (i = 0; i < count; i++) {
        affine_case second;
        xg_mark mark = xg_arena_mark(io->arena);
        xg_aff_ctx *x = xg_aff_new(io->arena);
        affine_case c = affine_random_case(io, x, &state);
        const xg_imap *m = xg_imap_simplify(x, c.map);
        const char *wrong = !affine_agrees(&c, m)                                       ? "differs"
                            : m->state == XG_IMAP_OK && !affine_survives_text(io, x, m) ? "changes in text"
                                                                                        : NULL;
        if (!xg_imap_equal(m, xg_imap_simplify(x, m))) unstable++;
        second = affine_random_case(io, x, &state);
        second.map->dims[0].range = xg_range_of(-20, 100);
        second.map->dims[1].range = xg_range_of(-20, 100);
        if (!wrong && !affine_composes(x, &c, &second, &state)) wrong = "composes wrongly";
        if (wrong) {
            xg_printf(&io->out, "map %u %s\n", i, wrong);
            affine_print_line(io, c.map);
            affine_print_line(io, m);
            return;
        }
        xg_arena_reset(io->arena, mark);
    }
    xg_printf(&io->out, "%u maps agree, %u simplify further\n", count, unstable);
}

static void stage_affine(xg_stage *io) {
    xg_aff_ctx *x = xg_aff_new(io->arena);
    const char *op = io->args;
    size_t at = 0;
    if (strncmp(op, "random ", 7) == 0) {
        affine_random(io, op + 7);
        return;
    }
    if (strcmp(op, "eval") == 0) {
        affine_eval(io, x, &at);
        return;
    }
    while (affine_more(io, &at)) {
        const xg_imap *m = affine_next_map(io, x, &at), *second;
        if (strcmp(op, "print") == 0)
            affine_print_line(io, m);
        else if (strcmp(op, "simplify") == 0)
            affine_print_line(io, xg_imap_simplify(x, m));
        else if (strcmp(op, "drop") == 0)
            affine_print_line(
                io, xg_imap_drop_unused(x, xg_imap_simplify(x, m), XG_DROP_DIMS | XG_DROP_SYMS | XG_DROP_RTS, NULL));
        else if (strcmp(op, "ranges") == 0 || strcmp(op, "divisors") == 0)
            affine_ranges(io, x, m, op[0] == 'd');
        else if (strcmp(op, "compose") == 0 || strcmp(op, "equal") == 0) {
            second = affine_next_map(io, x, &at);
            if (op[0] == 'c')
                affine_print_line(io, xg_imap_compose(x, m, second));
            else
                xg_puts(&io->out,
                    xg_imap_equal(xg_imap_simplify(x, m), xg_imap_simplify(x, second)) ? "equal\n" : "different\n");
        } else
            xg_fail(io->ctx, XLAGPU_ERROR_USAGE, "affine: no operation '%s'", op);
    }
}
