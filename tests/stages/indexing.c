/* tests/stages/indexing.c -- indexing maps of instructions. The input is a module; the root of its entry is asked, or
 * inst=NAME of it.
 *
 * indexing maps, inst=NAME        every map of the instruction, both ways, with the places of runtime symbols
 * indexing thread=T,B,U           the map of B blocks of T threads with U elements each to the result's indices, and to
 *                                 its offset in memory
 * indexing opcodes                for each opcode of the table the maps of the module's first instruction of it, or the
 *                                 reason why it has none
 * indexing module                 what --emit=indexing prints
 * indexing layout                 indices to offset and back
 * indexing group                  for every instruction of the computation, the maps from the result to it
 * indexing access=T,B,U           for each operand of the root under the thread map: offset, vector width, what the
 *                                 first warp touches
 * indexing depends [SEED]         for every instruction of the entry: each operand element is changed, the evaluator
 *                                 says which elements of the result change, and the pairs
 *                                 that were ever seen are compared with those of the maps, both ways: knows nothing of
 *                                 opcodes
 * indexing check [SEED]           for every instruction of the entry: the maps compute the same as the evaluator, and
 *                                 the two directions are the
 *                                 same relation */

static void indexing_put(xg_stage *io, const char *before, const xg_imap *m) {
    xg_indexing_print_map(&io->out, xg_aff_new(io->arena), before, m);
}
static void indexing_put_set(xg_stage *io, xg_imaps set) {
    xg_indexing_print_set(&io->out, xg_aff_new(io->arena), set);
}

/* The whole opcode table: what has no map says why, of what has one the module must have an instruction, whose maps are
 * printed. */
static void indexing_opcodes(xg_stage *io, xg_aff_ctx *x, const xg_module *m) {
    uint32_t op;
    for (op = 0; op < XG_OPCODE_COUNT; op++) {
        const char *why = xg_indexing_why_unknown((xg_opcode)op);
        const xg_inst *found = NULL;
        const xg_comp *c;
        for (c = m->first; c && !found; c = c->next)
            XG_FOR_INSTS(i, c)
                if (i->op == (xg_opcode)op && !found) found = i;
        xg_printf(&io->out, "== %s\n", xg_op_name((xg_opcode)op));
        if (why)
            xg_printf(&io->out, "unknown: %s\n", why);
        else if (!found)
            xg_fail(io->ctx, XLAGPU_ERROR_USAGE,
                "indexing opcodes: the module has no %s; add one, or a word for why it has no map",
                xg_op_name((xg_opcode)op));
        else if (!found->n_operands)
            xg_puts(&io->out, "no operands\n");
        else
            xg_indexing_print(&io->out, x, found);
    }
}

static void indexing_numbers(const char *z, int64_t *out, int n) {
    int k;
    for (k = 0; k < n; k++) {
        out[k] = 0;
        while (*z >= '0' && *z <= '9') out[k] = out[k] * 10 + (*z++ - '0');
        if (*z == ',') z++;
    }
}

static void indexing_group(xg_stage *io, xg_aff_ctx *x, const xg_inst *root) {
    xg_indexing_group *g = xg_indexing_group_back(x, root, NULL);
    XG_FOR_INSTS(i, root->comp) {
        xg_printf(&io->out, "%s\n", i->name.p);
        indexing_put_set(io, xg_indexing_group_maps(g, i, 0));
    }
}

static void indexing_access_of(
    xg_stage *io, xg_aff_ctx *x, const xg_imap *threads, const xg_imap *m, const xg_shape *s) {
    int64_t bytes = XG_MAX(xg_type_bytes(s->type), 1);
    const xg_imap *offset = xg_indexing_flatten(x, xg_imap_compose(x, threads, m), s);
    xg_warp_access a = xg_indexing_warp(offset, 0, NULL, NULL, bytes);
    indexing_put(io, "  ", offset);
    xg_printf(&io->out, "  vector of %lld; %u lanes, %u sectors of at least %u, %u lines, %u shared passes%s\n",
        (long long)xg_indexing_vector_width(x, offset, 0, 16 / bytes ? 16 / bytes : 1), a.lanes, a.sectors,
        a.least_sectors, a.lines, a.shared_passes, xg_indexing_is_coalesced(offset, bytes) ? "" : ", not coalesced");
}

static void indexing_access(xg_stage *io, xg_aff_ctx *x, const xg_inst *i, const char *numbers) {
    int64_t n[3];
    uint32_t k, j;
    const xg_imap *threads;
    indexing_numbers(numbers, n, 3);
    threads = xg_indexing_thread(x, i->shape, n[0], n[1], n[2]);
    for (k = 0; k < i->n_operands; k++) {
        xg_imaps set = xg_indexing_output_to_operand_set(x, i, 0, k);
        xg_printf(&io->out, "operand %u (%s)\n", k, XG_OPERAND(i, k)->name.p);
        for (j = 0; j < set.n; j++) indexing_access_of(io, x, threads, set.p[j], XG_OPERAND(i, k)->shape);
    }
}

/* ---- against the evaluator ---- */

typedef struct indexing_check {
    xg_stage *io;
    xg_aff_ctx *x;
    const xg_inst *i;
    const xg_literal **operands;
    const xg_imap **maps;
} indexing_check;

static int64_t indexing_row_major(const xg_shape *s, const int64_t *at) {
    int64_t n = 0;
    uint32_t k;
    for (k = 0; k < s->rank; k++) n = n * s->dims[k] + at[k];
    return n;
}
static void indexing_unflatten(const xg_shape *s, int64_t n, int64_t *at) {
    uint32_t k;
    for (k = s->rank; k-- > 0;) {
        at[k] = n % s->dims[k];
        n /= s->dims[k];
    }
}

/* The next point of a box; false after the last. */
static bool indexing_next(const xg_imap_var *v, uint32_t n, int64_t *at) {
    uint32_t k;
    for (k = n; k-- > 0;) {
        if (++at[k] <= v[k].range.hi) return true;
        at[k] = v[k].range.lo;
    }
    return false;
}
static void indexing_first(const xg_imap_var *v, uint32_t n, int64_t *at) {
    uint32_t k;
    for (k = 0; k < n; k++) at[k] = v[k].range.lo;
}

/* Runtime symbols read from the operands that the map names, clamped into their intervals. */
static void indexing_read_rts(indexing_check *c, const xg_imap *m, const int64_t *at, int64_t *syms) {
    int64_t place[XG_RANK_MAX], v = 0;
    uint32_t k, j;
    for (k = 0; k < m->n_rts; k++)
        for (j = 0; j < c->i->n_operands; j++) {
            xg_range r = m->syms[m->n_syms + k].range;
            if (XG_OPERAND(c->i, j) != m->rts[k].source || !xg_imap_eval(m->rts[k].map, at, syms, place)) continue;
            (void)xg_literal_get_int(c->operands[j], indexing_row_major(c->operands[j]->shape, place), &v);
            syms[m->n_syms + k] = v < r.lo ? r.lo : v > r.hi ? r.hi : v;
        }
}

/* Sum over the symbols of the product of the first n operands' elements; *any tells whether the domain had a point. */
static double indexing_sum(indexing_check *c, const int64_t *at, uint32_t first, uint32_t n, bool *any) {
    const xg_imap *m = c->maps[first];
    int64_t syms[64], place[XG_RANK_MAX];
    double sum = 0;
    *any = false;
    if (m->state != XG_IMAP_OK) return 0;
    indexing_first(m->syms, m->n_syms, syms);
    do {
        double v = 1;
        bool in = true;
        uint32_t k;
        for (k = first; k < first + n && in; k++) {
            const xg_shape *s = c->operands[k]->shape;
            indexing_read_rts(c, c->maps[k], at, syms);
            in = xg_imap_eval(c->maps[k], at, syms, place);
            if (in) v *= xg_literal_get_float(c->operands[k], indexing_row_major(s, place));
        }
        if (in) {
            sum += v;
            *any = true;
        }
    } while (indexing_next(m->syms, m->n_syms, syms));
    return sum;
}

static double indexing_value(indexing_check *c, const int64_t *at) {
    const xg_inst *i = c->i;
    uint32_t k;
    bool any;
    double v;
    if (i->op == XG_DOT || i->op == XG_CONVOLUTION) return indexing_sum(c, at, 0, 2, &any);
    if (i->op == XG_REDUCE || i->op == XG_REDUCE_WINDOW)
        return indexing_sum(c, at, 0, 1, &any) + indexing_sum(c, at, 1, 1, &any);
    if (i->op == XG_DYNAMIC_UPDATE_SLICE) {
        v = indexing_sum(c, at, 1, 1, &any);
        return any ? v : indexing_sum(c, at, 0, 1, &any);
    }
    if (i->op == XG_CONCATENATE) {
        for (k = 0; k < i->n_operands; k++) {
            v = indexing_sum(c, at, k, 1, &any);
            if (any) return v;
        }
        return -12345;
    }
    v = indexing_sum(c, at, 0, 1, &any);
    return any || i->op != XG_PAD ? v : indexing_sum(c, at, 1, 1, &any);
}

static bool indexing_agrees(indexing_check *c) {
    const xg_literal *want = xg_eval_inst_const(c->i, c->io->arena, c->operands, NULL);
    int64_t n, at[XG_RANK_MAX];
    for (n = 0; n < c->i->shape->elements; n++) {
        double got, wanted = xg_literal_get_float(want, n);
        indexing_unflatten(c->i->shape, n, at);
        got = indexing_value(c, at);
        if (got == wanted) continue;
        xg_printf(&c->io->out, "element %lld: the maps give %lld, the evaluator %lld\n", (long long)n, (long long)got,
            (long long)wanted);
        return false;
    }
    return true;
}

/* ---- the two directions ---- */

typedef struct indexing_pairs {
    XG_VEC(uint64_t) list;
} indexing_pairs;

/* Every (element of out, element of in) of a map in either direction; runtime symbols take all their values, which are
 * part of the pair. */
static void indexing_relation(
    xg_stage *io, const xg_imap *m, const xg_shape *from, const xg_shape *to, bool back, indexing_pairs *out) {
    int64_t at[XG_RANK_MAX], syms[64], place[XG_RANK_MAX];
    uint32_t n = m->n_syms + m->n_rts, k;
    if (m->state != XG_IMAP_OK) return;
    indexing_first(m->dims, m->n_dims, at);
    do {
        indexing_first(m->syms, n, syms);
        do {
            uint64_t pair, rts = 0, a, b;
            if (!xg_imap_eval(m, at, syms, place)) continue;
            a = (uint64_t)indexing_row_major(from, at);
            b = (uint64_t)indexing_row_major(to, place);
            for (k = m->n_syms; k < n; k++) rts = rts * 16 + (uint64_t)syms[k];
            pair = (rts << 40) + ((back ? a : b) << 20) + (back ? b : a);
            xg_push(io->arena, uint64_t, &out->list, pair);
        } while (indexing_next(m->syms, n, syms));
    } while (indexing_next(m->dims, m->n_dims, at));
}

static int indexing_by_value(const void *a, const void *b) {
    uint64_t x, y;
    memcpy(&x, a, 8);
    memcpy(&y, b, 8);
    return x < y ? -1 : x > y;
}
static void indexing_sort(indexing_pairs *p) {
    uint32_t k, n = 0;
    if (!p->list.n) return;
    qsort(p->list.p, p->list.n, 8, indexing_by_value);
    for (k = 0; k < p->list.n; k++)
        if (!n || p->list.p[n - 1] != p->list.p[k]) p->list.p[n++] = p->list.p[k];
    p->list.n = n;
}

static const char *indexing_directions(indexing_check *c, uint32_t k) {
    const xg_imap *there = c->maps[k], *back = xg_indexing_operand_to_output(c->x, c->i, k, 0);
    const xg_shape *in = XG_OPERAND(c->i, k)->shape, *out = c->i->shape;
    indexing_pairs a, b;
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    if (there->state == XG_IMAP_UNDEFINED || back->state == XG_IMAP_UNDEFINED) return "has one direction only";
    indexing_relation(c->io, there, out, in, true, &a);
    indexing_relation(c->io, back, in, out, false, &b);
    indexing_sort(&a);
    indexing_sort(&b);
    if (a.list.n != b.list.n || (a.list.n && memcmp(a.list.p, b.list.p, a.list.n * 8) != 0))
        return "differs between the directions";
    return "is the same relation both ways";
}

static const xg_literal *indexing_fill(xg_stage *io, const xg_shape *s, bool index, uint64_t *state) {
    xg_literal *l = xg_literal_new(io->arena, s);
    int64_t n;
    for (n = 0; n < s->elements; n++) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        xg_literal_set_float(l, n, index ? (double)(int64_t)((*state >> 33) % 12) - 3 : (double)((*state >> 33) % 50));
    }
    return l;
}

static void indexing_checks(xg_stage *io, xg_aff_ctx *x, const xg_inst *i, uint64_t state) {
    indexing_check c;
    uint32_t k, j;
    c.io = io;
    c.x = x;
    c.i = i;
    c.operands = XG_NEW_N(io->arena, const xg_literal *, i->n_operands);
    c.maps = XG_NEW_N(io->arena, const xg_imap *, i->n_operands);
    for (k = 0; k < i->n_operands; k++) {
        bool index = (i->op == XG_DYNAMIC_SLICE && k > 0) || (i->op == XG_DYNAMIC_UPDATE_SLICE && k > 1) ||
                     (i->op == XG_GATHER && k == 1);
        c.maps[k] = xg_indexing_output_to_operand(x, i, 0, k);
        c.operands[k] = NULL;
        for (j = 0; j < k; j++)
            if (XG_OPERAND(i, j) == XG_OPERAND(i, k)) c.operands[k] = c.operands[j];
        if (!c.operands[k]) c.operands[k] = indexing_fill(io, XG_OPERAND(i, k)->shape, index, &state);
    }
    xg_printf(&io->out, "%s: %s %s\n", i->name.p, xg_op_name(i->op),
        i->op == XG_BITCAST_CONVERT || (xg_op_flags(i->op) & XGF_EW) ? "is not evaluated"
        : indexing_agrees(&c)                                        ? "agrees with the evaluator"
                                                                     : "DIFFERS");
    for (k = 0; k < i->n_operands; k++) xg_printf(&io->out, "  operand %u %s\n", k, indexing_directions(&c, k));
}

/* ---- against the evaluator, by changing elements ---- */

/* pairs[o * in + n]: result element o depends on operand element n */
typedef struct indexing_seen {
    bool *pairs;
    int64_t out, in;
} indexing_seen;

static indexing_seen indexing_no_pairs(xg_stage *io, const xg_shape *out, const xg_shape *in) {
    indexing_seen s;
    s.out = out->elements;
    s.in = in->elements;
    s.pairs = XG_NEW_N(io->arena, bool, s.out *s.in + 1);
    return s;
}
static uint64_t indexing_random(uint64_t *state) {
    return (*state = *state * 6364136223846793005u + 1442695040888963407u) >> 33;
}
static void indexing_draw(xg_literal *l, int64_t n, uint64_t *state) {
    static const double values[] = {-2.5, -1, -0.75, -0.25, 0, 0.125, 0.25, 0.5, 0.75, 0.875, 1, 1.5, 2, 3, 7, 12};
    xlagpu_type t = l->shape->type;
    uint64_t r = indexing_random(state);
    if (xg_type_class(t) == XGT_I && !xg_type_signed(t) && r & 16)
        xg_literal_set_int(l, n, (int64_t)((r ^ r << 17) & (UINT64_MAX >> (64 - xg_type_bits(t)))));
    else if (xg_type_class(t) == XGT_I)
        xg_literal_set_int(l, n, (int64_t)(r % 8) - (xg_type_signed(t) ? 1 : 0));
    else if (xg_type_class(t) == XGT_C) {
        char *p = (char *)l->data + (size_t)n * (size_t)xg_type_bytes(t);
        xg_float_store(xg_type_real(t), p, values[r % 16]);
        xg_float_store(xg_type_real(t), p + xg_type_bytes(t) / 2, values[r / 16 % 16]);
    } else
        xg_literal_set_float(l, n,
            xg_type_class(t) == XGT_P ? (double)(r & 1)
            : r % 64 == 63            ? HUGE_VAL
                                      : values[r % 16]);
}
static void indexing_changes(const xg_literal *a, const xg_literal *b, int64_t element, indexing_seen *seen) {
    size_t bytes = (size_t)xg_type_bytes(a->shape->type);
    int64_t o;
    for (o = 0; o < a->shape->elements; o++)
        if (memcmp((const char *)a->data + (size_t)o * bytes, (const char *)b->data + (size_t)o * bytes, bytes) != 0)
            seen->pairs[o * seen->in + element] = true;
}
static const xg_literal *indexing_leaf(const xg_literal *l, uint32_t k) {
    return l->shape->type == XLAGPU_TUPLE ? l->elems[k] : l;
}

/* One round of all elements of operand k; rows[o] are the pairs of output o. */
static void indexing_change(
    xg_stage *io, const xg_inst *i, xg_literal **operands, uint32_t k, indexing_seen *rows, uint64_t *state) {
    const xg_literal *before = xg_eval_inst_const(i, io->arena, (const xg_literal *const *)operands, NULL);
    size_t bytes = (size_t)xg_type_bytes(operands[k]->shape->type);
    int64_t n;
    uint32_t o;
    for (n = 0; n < operands[k]->shape->elements; n++) {
        char kept[16];
        const xg_literal *after;
        memcpy(kept, (char *)operands[k]->data + (size_t)n * bytes, bytes);
        indexing_draw(operands[k], n, state);
        after = xg_eval_inst_const(i, io->arena, (const xg_literal *const *)operands, NULL);
        for (o = 0; o < xg_indexing_n_outputs(i); o++)
            indexing_changes(indexing_leaf(before, o), indexing_leaf(after, o), n, &rows[o]);
        memcpy((char *)operands[k]->data + (size_t)n * bytes, kept, bytes);
    }
}
/* What the maps of a set say; false: it is not known. */
static bool indexing_say(xg_imaps set, const xg_shape *from, const xg_shape *to, bool back, indexing_seen *said) {
    int64_t at[XG_RANK_MAX], syms[64], place[XG_RANK_MAX], a, b;
    uint32_t k;
    for (k = 0; k < set.n; k++) {
        const xg_imap *m = set.p[k];
        if (m->state == XG_IMAP_UNDEFINED) return false;
        if (m->state != XG_IMAP_OK) continue;
        indexing_first(m->dims, m->n_dims, at);
        do {
            indexing_first(m->syms, m->n_syms + m->n_rts, syms);
            do {
                if (!xg_imap_eval(m, at, syms, place)) continue;
                a = indexing_row_major(from, at);
                b = indexing_row_major(to, place);
                said->pairs[back ? a * said->in + b : b * said->in + a] = true;
            } while (indexing_next(m->syms, m->n_syms + m->n_rts, syms));
        } while (indexing_next(m->dims, m->n_dims, at));
    }
    return true;
}
static void indexing_compare(
    xg_stage *io, const char *way, bool known, const indexing_seen *seen, const indexing_seen *said) {
    int64_t k, pairs = 0, missed = 0, unseen = 0;
    for (k = 0; k < seen->out * seen->in; k++) {
        pairs += said->pairs[k];
        missed += seen->pairs[k] && !said->pairs[k];
        unseen += said->pairs[k] && !seen->pairs[k];
    }
    if (!known) {
        xg_printf(&io->out, ", %s not known", way);
        return;
    }
    xg_printf(&io->out, ", %s %lld pairs", way, (long long)pairs);
    if (missed) xg_printf(&io->out, " MISSING %lld", (long long)missed);
    if (unseen) xg_printf(&io->out, " of which %lld were not seen", (long long)unseen);
}
static void indexing_depends(xg_stage *io, xg_aff_ctx *x, const xg_inst *i, uint64_t state) {
    enum {
        ROUNDS = 80
    };
    uint32_t n = xg_indexing_n_outputs(i), k, o, round;
    xg_literal **operands = XG_NEW_N(io->arena, xg_literal *, i->n_operands + (size_t)1);
    indexing_seen **seen = XG_NEW_N(io->arena, indexing_seen *, i->n_operands + (size_t)1);
    int64_t e;
    for (k = 0; k < i->n_operands; k++) {
        operands[k] = xg_literal_new(io->arena, XG_OPERAND(i, k)->shape);
        seen[k] = XG_NEW_N(io->arena, indexing_seen, n);
        for (o = 0; o < n; o++)
            seen[k][o] = indexing_no_pairs(io, xg_indexing_output_shape(i, o), XG_OPERAND(i, k)->shape);
    }
    for (round = 0; round < ROUNDS; round++) {
        for (k = 0; k < i->n_operands; k++)
            for (e = 0; e < operands[k]->shape->elements; e++) indexing_draw(operands[k], e, &state);
        for (k = 0; k < i->n_operands; k++) indexing_change(io, i, operands, k, seen[k], &state);
    }
    xg_printf(&io->out, "%s: %s\n", i->name.p, xg_op_name(i->op));
    for (k = 0; k < i->n_operands; k++)
        for (o = 0; o < n; o++) {
            const xg_shape *out = xg_indexing_output_shape(i, o), *in = XG_OPERAND(i, k)->shape;
            indexing_seen back = indexing_no_pairs(io, out, in), forward = indexing_no_pairs(io, out, in);
            bool known = indexing_say(xg_indexing_output_to_operand_set(x, i, o, k), out, in, true, &back);
            xg_printf(&io->out, "  output %u, operand %u", o, k);
            indexing_compare(io, "back", known, &seen[k][o], &back);
            known = indexing_say(xg_indexing_operand_to_output_set(x, i, k, o), in, out, false, &forward);
            indexing_compare(io, "forward", known, &seen[k][o], &forward);
            xg_puts(&io->out, "\n");
        }
}

static const xg_inst *indexing_find(xg_stage *io, const xg_module *m, const char *name) {
    const xg_comp *c;
    size_t n = strcspn(name, " ");
    for (c = m->first; c; c = c->next)
        XG_FOR_INSTS(i, c)
            if (xg_str_eq(i->name, xg_str_of(name, n))) return i;
    xg_fail(io->ctx, XLAGPU_ERROR_USAGE, "no instruction named '%s'", name);
}

static void stage_indexing(xg_stage *io) {
    xg_aff_ctx *x = xg_aff_new(io->arena);
    xg_module *m = xg_hlo_parse(io->ctx, io->arena, &io->in);
    const xg_inst *root;
    const char *op = io->args;
    xg_hlo_verify(m);
    root = m->entry->root;
    if (strncmp(op, "inst=", 5) == 0) root = indexing_find(io, m, op + 5);
    if (strcmp(op, "maps") == 0 || strncmp(op, "inst=", 5) == 0)
        xg_indexing_print(&io->out, x, root);
    else if (strncmp(op, "thread=", 7) == 0) {
        int64_t n[3];
        const xg_imap *t;
        indexing_numbers(op + 7, n, 3);
        t = xg_indexing_thread(x, root->shape, n[0], n[1], n[2]);
        indexing_put(io, "", t);
        indexing_put(io, "", xg_imap_syms_to_dims(x, xg_indexing_flatten(x, t, root->shape)));
    } else if (strcmp(op, "layout") == 0) {
        indexing_put(io, "", xg_indexing_linear(x, root->shape));
        indexing_put(io, "", xg_indexing_delinear(x, root->shape));
    } else if (strcmp(op, "opcodes") == 0)
        indexing_opcodes(io, x, m);
    else if (strcmp(op, "module") == 0)
        xg_indexing_print_module(&io->out, m);
    else if (strcmp(op, "group") == 0)
        indexing_group(io, x, root);
    else if (strncmp(op, "access=", 7) == 0)
        indexing_access(io, x, root, op + 7);
    else if (strncmp(op, "depends", 7) == 0) {
        int64_t seed;
        indexing_numbers(op[7] ? op + 8 : "", &seed, 1);
        XG_FOR_INSTS(i, m->entry)
            if (i->n_operands && i->op != XG_TUPLE && i->op != XG_GET_TUPLE_ELEMENT)
                indexing_depends(io, x, i, (uint64_t)seed);
    } else if (strncmp(op, "check", 5) == 0) {
        int64_t seed;
        indexing_numbers(op[5] ? op + 6 : "", &seed, 1);
        XG_FOR_INSTS(i, m->entry)
            if (i->n_operands && i->op != XG_TUPLE) indexing_checks(io, x, i, (uint64_t)seed);
    } else
        xg_fail(io->ctx, XLAGPU_ERROR_USAGE, "indexing: no operation '%s'", op);
}
