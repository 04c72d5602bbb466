/* stage nest: reads a loop nest, checks it, prints it; the text must not change when it is read and printed again.
 * stage schedule [MODE]: a loop nest, then the lines of a trace (src/sched/trace.c), and the steps towards code, a word
 *     each. Before and after, the nest must give the same results on random integers. It is printed as it is then.
 *         kernel      also runs it on the simulator, and prints what that counted
 *         kernel ptx  prints kernel IR and PTX too
 *         trace       prints the trace that was recorded instead; applied to the nest as it was, it must give this one
 *         quiet       prints nothing but differences: the results stay
 *         text        runs nothing: for nests that are too large for it
 *         host        runs it on the simulator, and prints differences only
 * stage schedule_rule MODE [RULE]: the rule that takes the nest; MODE trace: what it did; text: the nest; to:STEP:
 * after the steps up to that one; program: what the host does; host: the results stay, on the simulator too. stage
 * schedule_blocks [inline]: what the analysis says of each block of a nest in normal form. stage iter_map CHECK: what
 * indices say of iterators. stage schedule_each: a nest, then cases of primitives, one a line, each from the beginning.
 * stage schedule_host [kernels]: a nest, a trace and steps, then lines `call ARG; ARG`: the host's checks and launches,
 *     and what each call comes to; kernels: the nest of each kernel too.
 * stage contraction SMS: a module whose root is a fusion that the rule for contractions takes: its nest, and on the
 *     simulator the results of the evaluator.
 * stage fusion MODE [TILE]: see there.
 * stage schedule_random SEED COUNT [STEPS [SAMPLE]]: COUNT random nests, each with random primitives of random
 * arguments; those that are refused must leave it as it was, and the results must stay; for each SAMPLE-th on the
 * simulator too. */

typedef struct sched_run {
    xg_stage *io;
    xg_loopnest *n;
    xg_tread *reader;
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

static void sched_line(sched_run *r, const char *p, const char *end) {
    xg_str line = xg_str_of(p, (size_t)(end - p));
    uint32_t k, count;
    const xg_nest_step *steps = xg_nest_steps(&count);
    for (k = 0; k < count && !xg_str_is(line, steps[k].name); k++) {}
    if (xg_str_is(line, "regions"))
        xg_nest_show_regions(r->n);
    else if (k < count)
        steps[k].run(r->n);
    else
        xg_trace_line(r->reader, p, end);
    xg_nest_verify(r->n);
}
/* The steps up to that one. */
static void sched_finish_to(xg_loopnest *n, const char *last) {
    uint32_t k, count;
    const xg_nest_step *steps = xg_nest_steps(&count);
    for (k = 0; k < count; k++) {
        steps[k].run(n);
        xg_nest_verify(n);
        if (strcmp(steps[k].name, last) == 0) return;
    }
}
/* All steps that are still to come. */
static void sched_finish(xg_loopnest *n) {
    uint32_t k, count;
    const xg_nest_step *steps = xg_nest_steps(&count);
    for (k = 0; k < count; k++) {
        steps[k].run(n);
        xg_nest_verify(n);
    }
}
static const xg_literal **sched_simulate(xg_stage *io, xg_loopnest *n, bool show, bool counts);
#include "sched_random.c"
/* One kernel of the nest as PTX. */
static xg_kmodule *sched_ptx(xg_stage *io, xg_loopnest *n, bool show, xg_buf *whole) {
    const xg_target *target = xg_target_find(io->ctx, XG_STR("sm_90a"));
    xg_texts text = {0};
    xg_emit_target emit;
    xg_device device;
    xg_kmodule *m;
    xg_ptx *ptx;
    uint32_t k, in = 0, out = 0;
    size_t i;
    (void)xg_device_of_cc(target->cc, &device);
    device.blocks_per_cluster = device.red_bytes = 0;
    emit = xg_emit_target_of(&device, false);
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
    for (i = 0; i < XG_COUNT(xg_kir_pass_runs); i++) {
        xg_kir_pass_runs[i](m);
        xg_kir_verify(m);
    }
    ptx = xg_ptx_begin(io->ctx, io->arena, target, NULL);
    xg_ptx_kernel(ptx, m);
    (void)xg_ptx_finish(ptx, &text);
    xg_buf_init(whole, io->arena);
    xg_put_texts(whole, &text);
    if (show) xg_put_texts(&io->out, &text);
    return m;
}
static void sched_print_counts(xg_stage *io, xg_sim_worker *w) {
    const xg_sim_stats *st = xg_sim_worker_stats(w);
    int i;
#define X(name) \
    if (st->name) xg_printf(&io->out, "// " #name " %llu\n", (unsigned long long)st->name);
    XLAGPU_COUNTERS(X)
#undef X
    for (i = 0; i < XLAGPU_CLASS_COUNT; i++)
        if (st->class_warps[i])
            xg_printf(&io->out, "// class %s %llu\n", xlagpu_class_name(i), (unsigned long long)st->class_warps[i]);
}
/* An array of the host, aligned as the driver would align it. */
static void *sched_place(xg_stage *io, const xg_loopnest *n, const xg_nbuf *b, const void *from, uint64_t *bytes) {
    char *p;
    *bytes = (uint64_t)(xg_type_bytes(b->type) * xg_nbuf_size(n, b, NULL));
    p = (char *)xg_alloc(io->arena, (size_t)*bytes + 256);
    p += (256 - (uintptr_t)p % 256) % 256;
    if (from) memcpy(p, from, (size_t)*bytes);
    return p;
}
static bool sched_launch(xg_stage *io, const xg_nhost *h, const xg_nkernel *kernel, void *const *places, bool show,
    bool counts, const bool *written) {
    sim_case *c = XG_NEW(io->arena, sim_case);
    xg_buf whole;
    xg_kmodule *m = sched_ptx(io, kernel->nest, show, &whole);
    xlagpu_status status = XLAGPU_OK;
    xg_sim_memory memory;
    xg_sim_worker *w;
    xg_source src;
    uint32_t k;
    src.name = "ptx";
    src.text = whole.p;
    src.size = whole.n;
    xg_sim_memory_init(&memory, io->ctx);
    for (k = 0; k < kernel->args.n; k++) {
        uint32_t which = kernel->args.p[k];
        const xg_nbuf *b = h->bufs.p[which];
        uint64_t base = (uint64_t)(uintptr_t)places[which];
        xg_sim_buffer s;
        memset(&s, 0, sizeof s);
        s.bytes = (uint64_t)(xg_type_bytes(b->type) * xg_nbuf_size(kernel->nest, b, NULL));
        s.base = base;
        s.name = b->name.p;
        s.readonly = k < m->entry->n_inputs;
        xg_sim_memory_add(&memory, &s);
        if (written[which]) xg_sim_memory_written(&memory, s.base, s.bytes, 0);
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
    else if (counts)
        sched_print_counts(io, w);
    return w && status == XLAGPU_OK;
}
/* As kernels, on the simulator, with all its checks. */
static const xg_literal **sched_simulate(xg_stage *io, xg_loopnest *n, bool show, bool counts) {
    const xg_literal **args = sched_args(io, n), **results = XG_NEW_N(io->arena, const xg_literal *, n->bufs.n + 1);
    const xg_nhost *h = xg_nest_split(n);
    void **places = XG_NEW_N(io->arena, void *, h->bufs.n + 1);
    bool *written = XG_NEW_N(io->arena, bool, h->bufs.n + 1), more = true;
    uint32_t k, j, in = 0, out = 0;
    uint64_t bytes;
    for (k = 0; k < h->bufs.n; k++) {
        const xg_nbuf *b = h->bufs.p[k];
        written[k] = b->param && !b->output;
        places[k] = sched_place(io, n, b, written[k] ? args[in++]->data : NULL, &bytes);
    }
    for (k = 0; k < h->kernels.n && more; k++) {
        more = sched_launch(io, h, &h->kernels.p[k], places, show, counts, written);
        for (j = 0; j < h->kernels.p[k].args.n; j++) written[h->kernels.p[k].args.p[j]] = true;
    }
    for (k = 0; k < h->n_args; k++) {
        const xg_nbuf *b = h->bufs.p[k];
        xg_literal *l;
        if (!b->output) continue;
        l = xg_literal_new(io->arena, xg_shape_array(n->module, b->type, b->dims, b->rank, NULL, NULL));
        l->data = places[k];
        results[out++] = l;
    }
    return results;
}
/* The lines from there on; then the recorded trace must say the same. */
static void sched_apply(xg_stage *io, sched_run *r, size_t at) {
    while (at < io->in.size) {
        size_t end = at;
        while (end < io->in.size && io->in.text[end] != '\n') end++;
        sched_line(r, io->in.text + at, io->in.text + end);
        at = end + 1;
    }
}
static void sched_open(xg_stage *io, sched_run *r, const xg_source *src, size_t *at) {
    memset(r, 0, sizeof *r);
    r->io = io;
    r->n = xg_nest_parse(io->ctx, io->arena, xg_aff_new(io->arena), src, at);
    r->reader = xg_trace_reader(r->n, src);
    xg_nest_verify(r->n);
}
static void sched_print_trace(xg_stage *io, const sched_run *r) {
    xg_buf now, again;
    sched_run other;
    xg_source src;
    size_t at = 0;
    xg_buf_init(&now, io->arena);
    xg_buf_init(&again, io->arena);
    xg_nest_tidy(r->n);
    xg_nest_print(&now, r->n);
    sched_open(io, &other, &io->in, &at);
    src.name = "trace";
    src.text = xg_str_copy(io->arena, xg_trace_text(r->n)).p;
    src.size = xg_trace_text(r->n).n;
    xg_trace_apply(other.n, &src, 0);
    xg_nest_tidy(other.n);
    xg_nest_print(&again, other.n);
    xg_put_str(&io->out, xg_trace_text(r->n));
    if (now.n == again.n && memcmp(now.p, again.p, now.n) == 0) return;
    xg_puts(&io->out, "THE TRACE GIVES ANOTHER NEST:\n");
    xg_put(&io->out, again.p, again.n);
}
static void stage_schedule(xg_stage *io) {
    bool runs = strcmp(io->args, "text") != 0;
    const xg_literal **want = NULL;
    sched_run r;
    size_t at = 0;
    sched_open(io, &r, &io->in, &at);
    if (runs) want = sched_results(io, r.n, true);
    xg_trace_begin(r.n);
    sched_apply(io, &r, at);
    if (runs) sched_compare(io, want, sched_results(io, r.n, true));
    if (strcmp(io->args, "trace") == 0) {
        sched_print_trace(io, &r);
        return;
    }
    xg_nest_tidy(r.n);
    xg_nest_verify(r.n);
    if (runs) sched_compare(io, want, sched_results(io, r.n, true));
    if (strncmp(io->args, "kernel", 6) == 0)
        sched_compare(io, want, sched_simulate(io, r.n, strcmp(io->args, "kernel ptx") == 0, true));
    if (strcmp(io->args, "host") == 0) {
        sched_compare(io, want, sched_simulate(io, r.n, false, false));
    } else if (strcmp(io->args, "quiet") != 0)
        sched_print(io, r.n);
}

/* A nest, scheduled by the rule of that name or by the first that takes it: which one, and the trace. */
static void stage_schedule_rule(xg_stage *io) {
    xg_nrule_target target = {1024, 49152, {0, 0, 0, 0, 0}};
    char mode[16] = "trace", name[32] = "";
    const xg_literal **want = NULL;
    const char *rule = name;
    xg_loopnest *made;
    sched_run r;
    size_t at = 0;
    bool runs;
    (void)sscanf(io->args, "%15s %31s", mode, name);
    runs = strcmp(mode, "host") == 0 || strcmp(mode, "flat") == 0 || strcmp(mode, "kernel") == 0;
    sched_open(io, &r, &io->in, &at);
    if (runs) want = sched_results(io, r.n, true);
    made = name[0] ? xg_rule_apply_one(r.n, &target, xg_str_z(name)) : xg_rule_apply(r.n, &target, &rule);
    if (!made) {
        xg_puts(&io->out, "not taken\n");
        return;
    }
    r.n = made;
    xg_printf(&io->out, "# %s\n", rule);
    if (strcmp(mode, "trace") == 0) {
        sched_print_trace(io, &r);
        return;
    }
    xg_nest_verify(r.n);
    if (strcmp(mode, "program") == 0) {
        xg_nhost_print(&io->out, xg_nest_split(r.n));
        return;
    }
    if (strncmp(mode, "to:", 3) == 0) sched_finish_to(r.n, mode + 3);
    if (!runs) {
        xg_nest_tidy(r.n);
        sched_print(io, r.n);
        return;
    }
    sched_compare(io, want, sched_results(io, r.n, true));
    sched_finish(r.n);
    if (strcmp(mode, "flat") == 0) sched_print(io, r.n);
    sched_compare(io, want, sched_results(io, r.n, true));
    sched_compare(io, want, sched_simulate(io, r.n, false, strcmp(mode, "kernel") == 0));
}

/* A nest in normal form: its blocks, and what rules ask of each. */
static void stage_schedule_blocks(xg_stage *io) {
    const char *why = NULL;
    xg_ninfos v;
    sched_run r;
    size_t at = 0;
    uint32_t k, j;
    sched_open(io, &r, &io->in, &at);
    if (!xg_nest_normalize(r.n, &v, &why)) {
        xg_printf(&io->out, "no normal form: %s\n", why);
        return;
    }
    if (strcmp(io->args, "inline") == 0) xg_sched_try_inline_contiguous_spatial(r.n, &v);
    for (k = 0; k < v.n; k++) {
        const xg_nblock *b = v.p[k].block->block;
        const xg_imap *names = xg_nest_names(r.n, v.p[k].block, b);
        xg_aff_env env = xg_nest_env(r.n);
        const xg_aff *place;
        xg_nbuf *vectors[4];
        uint32_t count = xg_ninfo_is_gemv(r.n, &v.p[k], vectors, 4);
        xg_isum sum;
        xg_ninfo_print(&io->out, &v.p[k]);
        xg_printf(&io->out, "%s%s%s", xg_ninfo_is_reduction(&v.p[k]) ? " is_reduction" : "",
            xg_ninfo_is_injective(&v.p[k]) ? " is_injective" : "", count ? " is_gemv" : "");
        for (j = 0; j < count; j++) xg_printf(&io->out, " %s", vectors[j]->name.p);
        if (!xg_detect_dominant_read(r.n, b, &place)) continue;
        xg_puts(&io->out, "\n  dominant read ");
        xg_aff_print(&io->out, place, names);
        xg_puts(&io->out, "\n  ");
        if (xg_iter_sum_of(&env, io->arena, place, &sum))
            xg_isum_print(&io->out, &sum, names);
        else
            xg_puts(&io->out, "is no sum of splits");
        xg_puts(&io->out, "\n");
    }
}
/* Indexing maps, one a line: their iterator maps, or why they are none. The argument: no_check, injective, surjective,
 * bijective. */
static void stage_iter_map(xg_stage *io) {
    static const char *const checks[] = {"no_check", "injective", "surjective", "bijective"};
    xg_aff_ctx *aff = xg_aff_new(io->arena);
    size_t at = 0;
    uint32_t k, check = 0;
    for (k = 0; k < 4; k++)
        if (strcmp(io->args, checks[k]) == 0) check = k;
    while (at < io->in.size && io->in.text[at]) {
        const xg_imap *m = xg_imap_parse(aff, &io->in, &at);
        xg_aff_env env = xg_imap_env(aff, m);
        const xg_isum *sums;
        const char *why;
        while (at < io->in.size && (io->in.text[at] == '\n' || io->in.text[at] == ' ')) at++;
        sums = xg_detect_iter_map(&env, io->arena, m->results, m->n_results, (xg_icheck)check, &why);
        if (!sums) xg_printf(&io->out, "%s", why);
        for (k = 0; sums && k < m->n_results; k++) {
            if (k) xg_puts(&io->out, "; ");
            xg_isum_print(&io->out, &sums[k], m);
        }
        xg_puts(&io->out, "\n");
    }
}
/* A nest, then a case each line: primitives with `;` between them, applied to the nest as it was. The last one does its
 * work, and the results stay, on the simulator too where the case begins with `host`; or it is refused and the nest is
 * as it was before it. */
static void sched_case(xg_stage *io, xg_loopnest *n, const xg_source *src, xg_str line) {
    sched_run *r = XG_NEW(io->arena, sched_run);
    const xg_literal **want = sched_results(io, n, false);
    const char *p = line.p, *end = line.p + line.n, *why = NULL;
    bool host = line.n > 5 && memcmp(p, "host ", 5) == 0, done = true;
    r->io = io;
    r->n = xg_nest_copy(n);
    r->reader = xg_trace_reader(r->n, src);
    if (host) p += 5;
    while (p < end && done) {
        const char *from = p;
        while (p < end && *p != ';') p++;
        done = sched_random_try(r, from, (size_t)(p - from), &why);
        if (p < end) p++;
    }
    if (why)
        xg_printf(&io->out, "FAILED: %s\n", why);
    else if (!done)
        xg_printf(&io->out, "%.*s -> %s\n", (int)line.n, line.p, io->ctx->message);
    else {
        why = sched_random_check(r, want);
        if (!why && host) why = sched_random_host(r, want);
        xg_printf(&io->out, "%.*s%s%s\n", (int)line.n, line.p, why ? " -> FAILED: " : "", why ? why : "");
    }
}
static void stage_schedule_each(xg_stage *io) {
    sched_run r;
    size_t at = 0;
    sched_open(io, &r, &io->in, &at);
    while (at < io->in.size) {
        size_t end = at;
        while (end < io->in.size && io->in.text[end] != '\n') end++;
        if (end > at) sched_case(io, r.n, &io->in, xg_str_of(io->in.text + at, end - at));
        at = end + 1;
    }
}

/* One argument of a call: TYPE[DIMS] and what is special about it. */
static xg_narray sched_call_arg(xg_stage *io, xg_loopnest *n, xg_str text) {
    xg_narray a;
    char word[64], dims[64], type[16];
    int64_t *d = XG_NEW_N(io->arena, int64_t, 16), *strides = XG_NEW_N(io->arena, int64_t, 16);
    const char *p = text.p, *end = text.p + text.n;
    long long v;
    int used = 0, count;
    (void)n;
    memset(&a, 0, sizeof a);
    a.is_array = true;
    a.device = XG_NARRAY_CUDA;
    a.address = 4096;
    a.dims = d;
    while (p < end) {
        while (p < end && *p == ' ') p++;
        if (p == end || sscanf(p, "%63s%n", word, &used) != 1) break;
        p += used;
        if (sscanf(word, "strides=%63s", dims) == 1) {
            a.strides = strides;
            (void)xg_nnote_ints(xg_str_z(dims), strides, 16);
        } else if (sscanf(word, "offset=%lld", &v) == 1)
            a.byte_offset = (uint64_t)v;
        else if (sscanf(word, "address=%lld", &v) == 1)
            a.address = (uint64_t)v;
        else if (sscanf(word, "device=%lld", &v) == 1)
            a.device = v;
        else if (sscanf(word, "id=%lld", &v) == 1)
            a.device_id = v;
        else if (strcmp(word, "none") == 0)
            a.is_array = false;
        else if (sscanf(word, "%15[a-z0-9][%63[0-9,]]", type, dims) == 2) {
            count = xg_nnote_ints(xg_str_z(dims), d, 16);
            a.rank = (uint32_t)count;
            a.type = xg_type_find(xg_str_z(type));
        } else
            xg_fail(io->ctx, XLAGPU_ERROR_USAGE, "a call's argument is not '%s'", word);
    }
    return a;
}
/* `call ARG; ARG`: the first check that does not hold, or what is launched. */
static void sched_call(xg_stage *io, xg_loopnest *n, const xg_nhost *h, xg_str line) {
    xg_narray args[16];
    const xg_nhcheck *failed;
    const char *p = line.p + 4, *end = line.p + line.n;
    uint32_t count = 0;
    while (p < end && count < XG_COUNT(args)) {
        const char *from = p;
        while (p < end && *p != ';') p++;
        args[count++] = sched_call_arg(io, n, xg_str_copy(io->arena, xg_str_of(from, (size_t)(p - from))));
        p++;
    }
    failed = xg_nhost_check(h, args, count);
    xg_printf(&io->out, "%.*s -> ", (int)line.n, line.p);
    if (failed)
        xg_nhcheck_print(&io->out, h, failed);
    else
        xg_printf(&io->out, "%u launches", h->kernels.n);
    xg_putc(&io->out, '\n');
}
/* A nest, the lines of a trace and steps, then calls: the host's program, its kernels, and what each call comes to. */
static void stage_schedule_host(xg_stage *io) {
    const xg_nhost *h = NULL;
    sched_run r;
    size_t at = 0;
    uint32_t k;
    sched_open(io, &r, &io->in, &at);
    while (at < io->in.size) {
        size_t end = at;
        xg_str line;
        while (end < io->in.size && io->in.text[end] != '\n') end++;
        line = xg_str_of(io->in.text + at, end - at);
        if (line.n > 4 && memcmp(line.p, "call", 4) == 0) {
            if (!h) xg_nhost_print(&io->out, h = xg_nest_split(r.n));
            sched_call(io, r.n, h, line);
        } else
            sched_line(&r, line.p, line.p + line.n);
        at = end + 1;
    }
    if (!h) xg_nhost_print(&io->out, h = xg_nest_split(r.n));
    for (k = 0; k < h->kernels.n && strcmp(io->args, "kernels") == 0; k++) {
        xg_nest_tidy(h->kernels.p[k].nest);
        xg_nest_verify(h->kernels.p[k].nest);
        sched_print(io, h->kernels.p[k].nest);
    }
}

/* A module whose root is a fusion, as a nest: MODE nest prints it, trace what the rule does to it, host runs it on the
 * simulator; the results are those of the module's evaluation. M N K TM TN: the tile that is asked for. */
static void stage_fusion(xg_stage *io) {
    xg_module *m = xg_hlo_parse(io->ctx, io->arena, &io->in);
    xg_nrule_target target = {1024, 49152, {0, 0, 0, 0, 0}};
    const xg_literal **args, **want = XG_NEW_N(io->arena, const xg_literal *, 64), *whole;
    xg_loopnest *n, *made;
    const char *why, *rule;
    long long t[5] = {0, 0, 0, 0, 0};
    char mode[16] = "nest";
    uint32_t k;
    xg_hlo_verify(m);
    (void)sscanf(io->args, "%15s %lld %lld %lld %lld %lld", mode, &t[0], &t[1], &t[2], &t[3], &t[4]);
    target.tile.m = t[0];
    target.tile.n = t[1];
    target.tile.k = t[2];
    target.tile.tm = t[3];
    target.tile.tn = t[4];
    why = xg_nfusion_refuses(io->arena, m->entry->root);
    if (why) {
        xg_printf(&io->out, "no nest: %s\n", why);
        return;
    }
    n = xg_nfusion_nest(io->arena, m->entry->root, XG_STR("fusion"));
    xg_nest_verify(n);
    args = sched_args(io, n);
    whole = xg_eval_module(m, io->arena, args, m->entry->n_params, NULL);
    want[0] = whole;
    for (k = 0; whole->shape->type == XLAGPU_TUPLE && k < whole->shape->n_elems; k++) want[k] = whole->elems[k];
    sched_compare(io, want, sched_results(io, n, true));
    if (strcmp(mode, "nest") == 0) {
        sched_print(io, n);
        return;
    }
    made = xg_rule_apply(n, &target, &rule);
    xg_printf(&io->out, "# %s\n", made ? rule : "no rule");
    if (!made) return;
    xg_nest_verify(made);
    sched_compare(io, want, sched_results(io, made, true));
    if (strcmp(mode, "trace") == 0) {
        xg_put_str(&io->out, xg_trace_text(made));
        return;
    }
    xg_printf(&io->out, "kernels %u\n", xg_nest_split(made)->kernels.n);
    sched_finish(made);
    sched_compare(io, want, sched_simulate(io, made, false, false));
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
    got = sched_simulate(io, n, false, true);
    sched_compare(io, want, got);
    sched_print(io, n);
}
