/* stage nest: reads a loop nest, checks it, prints it; the text must not change when it is read and printed again.
 * stage schedule: a loop nest, then primitives, a line each:
 *     [NAME ...] = PRIMITIVE ARG ...       names stand for the loops, blocks or buffers that it gives; ARG: such a
 *                                          name, a number, a word or "text"
 *     loops BLOCK -> NAME ...              the loops around a block get names
 * The nest is printed as it is then; before and after, it must give the same results on random integers.
 * stage contraction SMS: a module whose root is a fusion that the rule for contractions takes: its nest, and on the
 * simulator the results of the evaluator. stage schedule_random SEED COUNT [STEPS]: COUNT random nests, each with
 * random primitives of random arguments; those that are refused must leave it as it was, and the results must stay. */

typedef struct sched_name {
    xg_str name;
    xg_nstmt *s;
} sched_name;
typedef struct sched_run {
    xg_stage *io;
    xg_loopnest *n;
    sched_name names[128];
    uint32_t n_names;
    xg_str words[40];
    uint32_t n_words;
} sched_run;

static void sched_print(xg_stage *io, const xg_loopnest *n) {
    xg_buf again;
    xg_source src;
    size_t at = 0, from = io->out.n;
    const xg_loopnest *read;
    xg_nest_print(&io->out, n);
    src.name = "printed";
    src.text = xg_str_copy(io->arena, xg_str_of(io->out.p + from, io->out.n - from)).p;
    src.size = io->out.n - from;
    read = xg_nest_parse(io->ctx, io->arena, xg_aff_new(io->arena), &src, &at);
    xg_buf_init(&again, io->arena);
    xg_nest_print(&again, read);
    if (again.n != src.size || memcmp(again.p, src.text, again.n) != 0) {
        xg_puts(&io->out, "\nREAD AGAIN:\n");
        xg_put(&io->out, again.p, again.n);
    }
}
static void stage_nest(xg_stage *io) {
    size_t at = 0;
    xg_loopnest *n = xg_nest_parse(io->ctx, io->arena, xg_aff_new(io->arena), &io->in, &at);
    xg_nest_verify(n);
    sched_print(io, n);
}

/* Small integers in every element, so that sums are exact in any order. */
static const xg_literal **sched_args(xg_stage *io, xg_loopnest *n) {
    const xg_literal **args = XG_NEW_N(io->arena, const xg_literal *, n->bufs.n);
    uint64_t state = 1;
    uint32_t k, count = 0;
    for (k = 0; k < n->bufs.n; k++) {
        const xg_nbuf *b = n->bufs.p[k];
        xg_literal *l;
        int64_t e;
        if (!b->param || b->output) continue;
        l = xg_literal_new(io->arena, xg_shape_array(n->module, b->type, b->dims, b->rank, NULL, NULL));
        for (e = 0; e < l->shape->elements; e++) {
            int64_t v;
            state = state * 6364136223846793005u + 1442695040888963407u;
            v = (int64_t)(state >> 33) % 7 - 3;
            if (xg_type_class(b->type) & XGT_F)
                xg_literal_set_float(l, e, (double)v);
            else
                xg_literal_set_int(l, e, v);
        }
        args[count++] = l;
    }
    return args;
}
static const xg_literal **sched_results(xg_stage *io, xg_loopnest *n, bool threads) {
    const xg_literal **results = XG_NEW_N(io->arena, const xg_literal *, n->bufs.n);
    xg_nest_run(n, io->arena, sched_args(io, n), results, threads);
    return results;
}
static void sched_compare(xg_stage *io, const xg_literal *const *want, const xg_literal *const *got) {
    uint32_t k;
    for (k = 0; want[k]; k++)
        if (!xg_literal_equal(want[k], got[k])) xg_printf(&io->out, "RESULT %u DIFFERS\n", k);
}

static xg_nstmt *sched_stmt(sched_run *r, xg_str word) {
    xg_nstmt *s = NULL;
    uint32_t k;
    for (k = r->n_names; k-- > 0 && !s;)
        if (xg_str_eq(r->names[k].name, word)) s = r->names[k].s;
    if (!s) s = xg_nest_find(r->n, word);
    for (k = 0; k < r->n->vars.n && !s; k++)
        if (xg_str_eq(r->n->vars.p[k].name, word)) {
            xg_nstmt *t;
            for (t = r->n->root; t; t = xg_nstmt_next(t, r->n->root))
                if (t->op == XG_N_LOOP && t->var == k) s = t;
        }
    if (!s) xg_fail(r->io->ctx, XLAGPU_ERROR_USAGE, "the script has no '%.*s'", (int)word.n, word.p);
    return s;
}
static int64_t sched_int(sched_run *r, xg_str word) {
    int64_t v = 0;
    if (xg_str_is(word, "_")) return -1;
    if (!xg_lex_to_int(word, &v)) xg_fail(r->io->ctx, XLAGPU_ERROR_USAGE, "'%.*s' is no number", (int)word.n, word.p);
    return v;
}
static void sched_give(sched_run *r, xg_str name, xg_nstmt *s) {
    if (r->n_names == XG_COUNT(r->names)) xg_fail(r->io->ctx, XLAGPU_ERROR_USAGE, "too many names");
    r->names[r->n_names].name = name;
    r->names[r->n_names++].s = s;
}
#include "sched_primitives.c"

/* One line, split at blanks; what stands in brackets or quotes is one word without them. */
static void sched_line(sched_run *r, const char *p, const char *end) {
    uint32_t k, at = 0;
    r->n_words = 0;
    while (p < end) {
        const char *from;
        char close = 0;
        while (p < end && (*p == ' ' || *p == ',')) p++;
        if (p == end) break;
        if (*p == '[') close = ']';
        if (*p == '"') close = '"';
        from = close ? ++p : p;
        while (p < end && (close ? *p != close : *p != ' ' && *p != ',')) p++;
        if (r->n_words < XG_COUNT(r->words)) r->words[r->n_words++] = xg_str_of(from, (size_t)(p - from));
        if (close) p++;
    }
    if (!r->n_words) return;
    if (xg_str_is(r->words[0], "flatten")) {
        xg_nest_flatten(r->n);
        xg_nest_verify(r->n);
        return;
    }
    if (xg_str_is(r->words[0], "compact")) {
        xg_nest_compact(r->n);
        xg_nest_verify(r->n);
        return;
    }
    if (xg_str_is(r->words[0], "sync")) {
        xg_nest_sync(r->n);
        return;
    }
    for (k = 0; k < r->n_words; k++)
        if (xg_str_is(r->words[k], "=")) at = k + 1;
    for (k = 0; k < XG_COUNT(sched_rows); k++)
        if (xg_str_is(r->words[at], sched_rows[k].name)) break;
    if (k == XG_COUNT(sched_rows))
        xg_fail(r->io->ctx, XLAGPU_ERROR_USAGE, "no primitive is called '%.*s'", (int)r->words[at].n, r->words[at].p);
    sched_rows[k].run(r, r->words, at ? at - 1 : 0, r->words + at + 1, r->n_words - at - 1);
    xg_nest_verify(r->n);
}
#include "sched_random.c"
/* As a kernel, on the simulator, with all its checks. */
static const xg_literal **sched_simulate(xg_stage *io, xg_loopnest *n, bool show) {
    const xg_literal **args = sched_args(io, n), **results = XG_NEW_N(io->arena, const xg_literal *, n->bufs.n);
    const xg_target *target = xg_target_find(io->ctx, XG_STR("sm_90a"));
    xg_emit_target emit;
    xg_machine machine;
    xg_kmodule *m;
    xg_ptx *ptx;
    xg_texts text = {0};
    xg_buf whole;
    xg_source src;
    sim_case *c = XG_NEW(io->arena, sim_case);
    xg_sim_memory memory;
    xg_sim_worker *w;
    xlagpu_status status = XLAGPU_OK;
    uint32_t k, in = 0, out = 0;
    size_t i;
    memset(&machine, 0, sizeof machine);
    machine.sms = target->sms;
    machine.threads_per_sm = target->threads_per_sm;
    machine.shared_per_block = target->shared_per_block;
    emit = xg_emit_target_of(&machine, false);
    m = xg_nest_lower(n, io->arena, n->name, &emit);
    m->temp = io->arena;
    m->target = target;
    xg_kir_verify(m);
    for (k = 0; k < n->bufs.n; k++)
        if (n->bufs.p[k]->param) {
            xg_karg *a = &m->entry->args[n->bufs.p[k]->output ? m->entry->n_inputs + out : in];
            *(n->bufs.p[k]->output ? &out : &in) += 1;
            a->bytes = m->entry->body->args[a - m->entry->args].type->elements * xg_type_bytes(n->bufs.p[k]->type);
            a->align = 256;
            a->written = n->bufs.p[k]->output;
            a->slice = (int32_t)(a - m->entry->args);
        }
    if (show) {
        xg_kir_print(&io->out, m);
        xg_puts(&io->out, "\n");
    }
    for (i = 0; i < XG_COUNT(xg_kir_passes); i++) {
        xg_kir_passes[i].run(m);
        xg_kir_verify(m);
    }
    ptx = xg_ptx_begin(io->ctx, io->arena, target);
    xg_ptx_kernel(ptx, m);
    (void)xg_ptx_finish(ptx, &text);
    xg_buf_init(&whole, io->arena);
    xg_put_texts(&whole, &text);
    if (show) xg_put_texts(&io->out, &text);
    src.name = "ptx";
    src.text = whole.p;
    src.size = whole.n;
    xg_sim_memory_init(&memory, io->ctx);
    for (k = in = out = 0; k < n->bufs.n; k++) {
        const xg_nbuf *b = n->bufs.p[k];
        xg_sim_buffer s;
        void *p;
        if (!b->param) continue;
        memset(&s, 0, sizeof s);
        if (b->output)
            results[out] = xg_literal_new(io->arena, xg_shape_array(n->module, b->type, b->dims, b->rank, NULL, NULL));
        p = b->output ? results[out++]->data : args[in++]->data;
        s.bytes = (uint64_t)xg_type_bytes(b->type);
        for (i = 0; i < b->rank; i++) s.bytes *= (uint64_t)b->dims[i];
        { /* as the driver would align it */
            char *aligned = (char *)xg_alloc(io->arena, (size_t)s.bytes + 256);
            aligned += (256 - (uintptr_t)aligned % 256) % 256;
            memcpy(aligned, p, (size_t)s.bytes);
            if (b->output) ((xg_literal *)results[out - 1])->data = aligned;
            p = aligned;
        }
        s.base = (uint64_t)(uintptr_t)p;
        s.name = b->name.p;
        s.readonly = !b->output;
        xg_sim_memory_add(&memory, &s);
        if (!b->output) xg_sim_memory_written(&memory, s.base, s.bytes, 0);
    }
    for (k = in = out = 0; k < 2 * n->bufs.n; k++) { /* inputs first */
        const xg_nbuf *b = n->bufs.p[k % n->bufs.n];
        uint64_t base = 0;
        uint32_t j;
        if (!b->param || b->output != (k >= n->bufs.n)) continue;
        for (j = 0; j < memory.n; j++)
            if (strcmp(memory.p[j].name, b->name.p) == 0) base = memory.p[j].base;
        memcpy(c->param + c->params, &base, 8);
        c->params += 8;
    }
    for (k = 0; k < 3; k++) {
        c->l.grid[k] = m->entry->blocks[k];
        c->l.block[k] = m->entry->threads[k];
    }
    c->l.dynamic_shared = m->shared_bytes;
    w = sim_go(io, c, &src, &memory, &status);
    xg_sim_memory_free(&memory);
    if (!w)
        xg_printf(&io->out, "%s\n", io->ctx->message);
    else if (status != XLAGPU_OK)
        sim_fault(io, xg_sim_fault_at(w, 0)->text);
    else {
        const xg_sim_stats *st = xg_sim_worker_stats(w);
#define X(name) \
    if (st->name) xg_printf(&io->out, "// " #name " %llu\n", (unsigned long long)st->name);
        XLAGPU_COUNTERS(X)
#undef X
        for (i = 0; i < XLAGPU_CLASS_COUNT; i++)
            if (st->class_warps[i])
                xg_printf(
                    &io->out, "// class %s %llu\n", xlagpu_class_name((int)i), (unsigned long long)st->class_warps[i]);
    }
    return results;
}
static void stage_schedule(xg_stage *io) {
    sched_run r;
    size_t at = 0;
    const xg_literal **want;
    memset(&r, 0, sizeof r);
    r.io = io;
    r.n = xg_nest_parse(io->ctx, io->arena, xg_aff_new(io->arena), &io->in, &at);
    xg_nest_verify(r.n);
    want = sched_results(io, r.n, true);
    while (at < io->in.size) {
        size_t end = at;
        while (end < io->in.size && io->in.text[end] != '\n') end++;
        sched_line(&r, io->in.text + at, io->in.text + end);
        at = end + 1;
    }
    sched_compare(io, want, sched_results(io, r.n, true));
    xg_nest_tidy(r.n);
    xg_nest_verify(r.n);
    sched_compare(io, want, sched_results(io, r.n, true));
    if (strncmp(io->args, "kernel", 6) == 0)
        sched_compare(io, want, sched_simulate(io, r.n, strcmp(io->args, "kernel ptx") == 0));
    sched_print(io, r.n);
}

static void stage_contraction(xg_stage *io) {
    xg_module *m = xg_hlo_parse(io->ctx, io->arena, &io->in);
    xg_nmatmul w;
    xg_loopnest *n;
    const xg_literal **args, **want, **got;
    int sms = 132;
    xg_hlo_verify(m);
    (void)sscanf(io->args, "%d", &sms);
    if (!xg_nmatmul_match(&w, io->arena, m->entry->root, sms)) {
        xg_puts(&io->out, "not taken\n");
        return;
    }
    n = xg_nmatmul_nest(io->arena, &w, XG_STR("contraction"));
    xg_nest_verify(n);
    xg_nest_flatten(n);
    xg_nest_compact(n);
    xg_nest_sync(n);
    xg_nest_tidy(n);
    xg_nest_verify(n);
    args = sched_args(io, n);
    want = XG_NEW_N(io->arena, const xg_literal *, 2);
    want[0] = xg_eval_module(m, io->arena, args, m->entry->n_params, NULL);
    got = sched_simulate(io, n, false);
    sched_compare(io, want, got);
    sched_print(io, n);
}
