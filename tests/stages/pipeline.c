/* tests/stages/pipeline.c -- HLO text through the rooms of the compiler: pass, partition, emit, plan, compile.
 *   pass NAMES      HLO passes (comma-separated), then the module; "excess" in front: more precision is allowed,
 *                   "double": two rounds of a loop in one; libraries=NAMES (or "always"); target=NAME:
 *                   for that target
 *   rule NAME       one rule of the algebraic simplifier, then the module
 *   tuned TARGET    records (choice/tuned.c), a line "===", a module: what kernel-choice makes of it, as
 *                   records
 *   partition COMP  how a computation is cut into functions
 *   emit            kernel IR of every fusion of the entry, as emitted
 *   walks           all HLO passes; for each kernel its emitter, threads and blocks, and each loop's map with the
 *                   points of its domain and the places it reaches, counted one by one
 *   plan            the whole way; buffer assignment and planned module; "alone": without optional passes
 *   run             the whole way, on the simulator (plan, plan_steps and run take limit=BYTES of device memory);
 *                   counters PREFIX: what its kernels moved
 *   compile STAGE   the whole way; what the driver dumps as STAGE ("ptx", "kir/.../final"; a trailing * matches any
 *                   rest)
 *   lines N STAGE   whether that has fewer than N lines: code that must not grow without end */

static xg_module *pipeline_parse(xg_stage *io) {
    xg_module *m = xg_hlo_parse(io->ctx, io->arena, &io->in);
    xg_hlo_verify(m);
    return m;
}

static void stage_pass(xg_stage *io) {
    xg_module *m = pipeline_parse(io);
    const char *names = io->args;
    xg_str wrong;
    if (strncmp(names, "excess ", 7) == 0) {
        m->excess_precision = true;
        names += 7;
    }
    if (strncmp(names, "double ", 7) == 0) {
        m->double_buffering = true;
        names += 7;
    }
    if (strncmp(names, "libraries=", 10) == 0) {
        size_t n = strcspn(names + 10, " ");
        if (!xg_library_bits(xg_str_copy(io->arena, xg_str_of(names + 10, n)).p, &m->libraries, &wrong))
            xg_fail(io->ctx, XLAGPU_ERROR_USAGE, "test: no library '%.*s'", (int)wrong.n, wrong.p);
        names += 11 + n;
    }
    if (strncmp(names, "target=", 7) == 0) {
        xg_str target = xg_str_of(names + 7, strcspn(names + 7, " "));
        xg_driver_aim_usual(m, xg_target_find(io->ctx, target));
        names = target.p + target.n + 1;
    }
    xg_driver_run_named(m, xg_str_z(names));
    xg_hlo_print(&io->out, m, NULL);
}

/* rule NAME: one rule of the algebraic simplifier, as often as it applies. */
static void stage_rule(xg_stage *io) {
    xg_module *m = pipeline_parse(io);
    xg_algsimp_only(m, io->args);
    xg_hlo_verify(m);
    xg_hlo_print(&io->out, m, NULL);
}

static void stage_tuned(xg_stage *io) {
    const char *module = strstr(io->in.text, "===\n"), *from = io->in.text;
    xg_source records = io->in, hlo = io->in;
    xg_module *m;
    while (strncmp(from, "//", 2) == 0) from += strcspn(from, "\n") + 1;
    records.text = from;
    records.size = (size_t)(module - from);
    hlo.text = module + 4;
    hlo.size = (size_t)(io->in.text + io->in.size - hlo.text);
    m = xg_hlo_parse(io->ctx, io->arena, &hlo);
    xg_hlo_verify(m);
    xg_driver_aim_usual(m, xg_target_find(io->ctx, xg_str_z(io->args)));
    m->tuned = &records;
    xg_driver_run_named(m, XG_STR("kernel-choice"));
    xg_tuned_print(&io->out, m);
}

static void stage_partition(xg_stage *io) {
    xg_module *m = pipeline_parse(io);
    xg_comp *c = (xg_comp *)xg_dict_get(&m->comp_names, xg_str_z(io->args));
    if (!c) xg_fail(io->ctx, XLAGPU_ERROR_USAGE, "no computation '%s'", io->args);
    xg_partition_print(&io->out, xg_fuse_partition(io->arena, xg_aff_new(io->arena), c));
}

static xg_kmodule *pipeline_emit(xg_stage *io, xg_inst *fusion, const xg_emit_target *t) {
    xg_choice_of(io->arena, fusion, t);
    return xg_choice_emit(io->arena, fusion, xg_record_read(io->arena, fusion), fusion->name, t);
}
static void stage_emit(xg_stage *io) {
    xg_module *m = pipeline_parse(io);
    xg_emit_target t = xg_emit_target_of(&m->device, false);
    XG_FOR_INSTS(i, m->entry)
        if (i->op == XG_FUSION) {
            xg_kmodule *k = pipeline_emit(io, i, &t);
            xg_kir_verify(k);
            xg_kir_print(&io->out, k);
        }
}

/* How many points the domain has, and how many different results they give. */
static void walks_count(xg_stage *io, const xg_imap *m) {
    enum {
        MOST = 1 << 20
    };
    XG_VEC(uint64_t) places = {NULL, 0, 0};
    int64_t at[XG_RANK_MAX], syms[64], place[XG_RANK_MAX], box = 1, points = 0;
    uint32_t k;
    for (k = 0; k < m->n_dims && box <= MOST; k++) box *= m->dims[k].range.hi - m->dims[k].range.lo + 1;
    for (k = 0; k < m->n_syms && box <= MOST; k++) box *= m->syms[k].range.hi - m->syms[k].range.lo + 1;
    if (m->state != XG_IMAP_OK || m->n_rts || box > MOST) {
        xg_puts(&io->out, "    too many to count\n");
        return;
    }
    indexing_first(m->dims, m->n_dims, at);
    do {
        indexing_first(m->syms, m->n_syms, syms);
        do {
            uint64_t h = 0;
            if (!xg_imap_eval(m, at, syms, place)) continue;
            for (k = 0; k < m->n_results; k++) h = h * 1000003u + (uint64_t)place[k];
            xg_push(io->arena, uint64_t, &places, h);
            points++;
        } while (indexing_next(m->syms, m->n_syms, syms));
    } while (indexing_next(m->dims, m->n_dims, at));
    if (points) qsort(places.p, places.n, 8, indexing_by_value);
    for (box = 0, k = 0; k < places.n; k++) box += !k || places.p[k] != places.p[k - 1];
    xg_printf(&io->out, "    %lld points, %lld places\n", (long long)points, (long long)box);
}
static void walks_region(xg_stage *io, const xg_kregion *r) {
    const xg_kop *o;
    uint32_t k;
    for (o = r->first; o; o = o->next) {
        if (o->op == XG_K_OP_LOOP) {
            xg_puts(&io->out, "  ");
            xg_imap_print(&io->out, (const xg_imap *)o->p);
            xg_putc(&io->out, '\n');
            walks_count(io, (const xg_imap *)o->p);
        }
        for (k = 0; k < o->n_regions; k++) walks_region(io, o->regions[k]);
    }
}
static void stage_walks(xg_stage *io) {
    xg_module *m = pipeline_parse(io);
    xg_driver_options o;
    xg_emit_target t;
    memset(&o, 0, sizeof o);
    o.target = *xg_target_find(io->ctx, XG_STR("sm_90a"));
    xg_driver_aim_usual(m, &o.target);
    t = xg_emit_target_of(&m->device, false);
    xg_driver_run_passes(m, &o);
    XG_FOR_INSTS(i, m->entry)
        if (i->op == XG_FUSION) {
            xg_kmodule *k = pipeline_emit(io, i, &t);
            const xg_kfunc *f = k->entry;
            xg_printf(&io->out, "%.*s: %u threads, %u blocks\n", (int)i->name.n, i->name.p,
                f->threads[0] * f->threads[1] * f->threads[2], f->blocks[0] * f->blocks[1] * f->blocks[2]);
            walks_region(io, f->body);
        }
}

/* limit=BYTES among the arguments of a stage: of device memory. */
static int64_t pipeline_limit(const xg_stage *io) {
    const char *p = strstr(io->args, "limit=");
    return p ? strtoll(p + 6, NULL, 10) : 0;
}

/* What is kept lies in an arena of its own: the driver takes back all that was allocated in the module's during a
 * dump. */
typedef struct pipeline_dump {
    xg_buf kept;
    const char *want;
} pipeline_dump;
static void pipeline_keep(void *user, const char *stage, const char *text, size_t n) {
    pipeline_dump *d = (pipeline_dump *)user;
    size_t k = strlen(d->want);
    bool any = k && d->want[k - 1] == '*';
    if (any ? strncmp(stage, d->want, k - 1) != 0 : strcmp(stage, d->want) != 0) return;
    if (any) xg_printf(&d->kept, "// %s\n", stage);
    xg_put(&d->kept, text, n);
}
/* off=a,b: these passes are left out, where a test is about what others make */
static xg_str pipeline_off(const xg_stage *io) {
    const char *at = strstr(io->args, "off=");
    return at ? xg_str_of(at + 4, strcspn(at + 4, " ")) : xg_str_of(NULL, 0);
}
static void pipeline_compile(xg_stage *io, const char *want) {
    xg_driver_options o;
    pipeline_dump d;
    xg_arena mine;
    memset(&o, 0, sizeof o);
    xg_arena_init(&mine, io->ctx);
    xg_buf_init(&d.kept, &mine);
    d.want = want;
    o.predict = strcmp(want, "times") == 0;
    o.schedules = strcmp(want, "schedule") == 0;
    o.target = *xg_target_find(io->ctx, XG_STR("sm_90a"));
    o.dump = pipeline_keep;
    o.dump_user = &d;
    o.memory_limit = pipeline_limit(io);
    /* so that a test of the plan stays what it is whatever the passes learn */
    o.disable_all_passes = strcmp(io->args, "alone") == 0;
    xg_driver_compile(pipeline_parse(io), io->arena, &o, NULL, io->arena);
    if (d.kept.n) xg_put(&io->out, d.kept.p, d.kept.n);
    xg_arena_free(&mine);
}
static void stage_compile(xg_stage *io) { pipeline_compile(io, io->args); }
static void stage_lines(xg_stage *io) {
    const long most = atol(io->args);
    long lines = 0;
    size_t k;
    pipeline_compile(io, io->args + strcspn(io->args, " ") + 1);
    for (k = 0; k < io->out.n; k++) lines += io->out.p[k] == '\n';
    io->out.n = 0;
    if (lines && lines < most)
        xg_printf(&io->out, "fewer than %ld lines\n", most);
    else
        xg_printf(&io->out, "%ld lines, and fewer than %ld are asked\n", lines, most);
}
static void stage_plan(xg_stage *io) {
    pipeline_compile(io, "buffer-assignment");
    io->in.name = "test";
    pipeline_compile(io, "plan");
}

/* plan_text: a planned module, read and printed; plan_again: a module planned, printed, read, printed, which must be
 * the same text, and compiled to the same bytes both ways. */
static void stage_plan_text(xg_stage *io) { xg_plan_print(&io->out, xg_plan_parse(io->ctx, io->arena, &io->in)); }

typedef struct pipeline_kept {
    xg_arena *arena;
    const char *want;
    xg_str text;
} pipeline_kept;
static void pipeline_keep_text(void *user, const char *stage, const char *text, size_t n) {
    pipeline_kept *k = (pipeline_kept *)user;
    if (strcmp(stage, k->want) == 0) k->text = xg_str_copy(k->arena, xg_str_of(text, n));
}
static xg_str pipeline_text(xg_stage *io, const char *want, xg_str *exe) {
    xg_driver_options o;
    pipeline_kept k;
    memset(&o, 0, sizeof o);
    memset(&k, 0, sizeof k);
    k.arena = io->arena;
    k.want = want;
    o.target = *xg_target_find(io->ctx, XG_STR("sm_90a"));
    o.disable_all_passes = strstr(io->args, "alone") != NULL;
    o.memory_limit = pipeline_limit(io);
    o.disable_passes = pipeline_off(io);
    o.command_buffer_control = strstr(io->args, "control") != NULL;
    o.command_buffer_least = o.command_buffer_control ? 1 : 0;
    o.dump = pipeline_keep_text;
    o.dump_user = &k;
    if (xg_plan_is_text(io->in.text, io->in.size))
        *exe = xg_driver_compile_plan(io->ctx, io->arena, &io->in, &o, NULL, io->arena);
    else
        *exe = xg_driver_compile(pipeline_parse(io), io->arena, &o, NULL, io->arena);
    return k.text;
}
/* plan_steps: the slices of memory and the steps alone, as the plan's text has them. */
static void stage_plan_steps(xg_stage *io) {
    xg_str exe, text = pipeline_text(io, "plan", &exe);
    const char *hlo = strstr(text.p, "\n\nHloModule ");
    xg_put(&io->out, text.p, (size_t)(hlo - text.p) + 1);
}
static void stage_plan_again(xg_stage *io) {
    xg_str first, second, exe, again;
    first = pipeline_text(io, "plan", &exe);
    io->in.text = first.p;
    io->in.size = first.n;
    second = pipeline_text(io, "plan", &again);
    xg_puts(&io->out, xg_str_eq(first, second) ? "same plan\n" : "another plan\n");
    xg_puts(&io->out, xg_str_eq(exe, again) ? "same bytes\n" : "other bytes\n");
}
/* thunks: the executable's, printed, read and printed again. */
static void stage_thunks(xg_stage *io) {
    xg_str exe, text = pipeline_text(io, "thunk_sequence", &exe);
    xg_source src;
    xg_buf b;
    src.name = "thunks";
    src.text = text.p;
    src.size = text.n;
    xg_buf_init(&b, io->arena);
    xg_listing_print(&b, xg_listing_parse(io->ctx, io->arena, &src));
    xg_put_str(&io->out, text);
    if (!xg_str_eq(text, xg_str_of(b.p, b.n))) {
        xg_puts(&io->out, "read back it is\n");
        xg_put(&io->out, b.p, b.n);
    }
}

/* listing: a list of thunks, read and printed. */
static void stage_listing(xg_stage *io) { xg_listing_print(&io->out, xg_listing_parse(io->ctx, io->arena, &io->in)); }

/* kinds: a planned module, or a list of thunks, that is to have steps of every kind of the table; printed only if it
 * changes when it is read and printed. Those that it lacks are named. */
static void stage_kinds(xg_stage *io) {
    xg_buf b;
    uint32_t k;
    bool plan = xg_plan_is_text(io->in.text, io->in.size);
    xg_buf_init(&b, io->arena);
    if (plan)
        xg_plan_print(&b, xg_plan_parse(io->ctx, io->arena, &io->in));
    else
        xg_listing_print(&b, xg_listing_parse(io->ctx, io->arena, &io->in));
    if (!xg_str_eq(xg_str_of(b.p, b.n), xg_str_of(io->in.text, io->in.size))) {
        xg_puts(&io->out, "read back it is\n");
        xg_put(&io->out, b.p, b.n);
    }
    for (k = 0; k < XG_EXE_THUNK_COUNT; k++) {
        xg_buf word;
        xg_buf_init(&word, io->arena);
        xg_printf(&word, "%s%s ", plan ? "  " : ": ", xg_exe_thunk_name(k));
        if (!strstr(io->in.text, word.p)) xg_printf(&io->out, "without %s\n", xg_exe_thunk_name(k));
    }
}

/* run: a module without parameters on the simulator; its result leaves as literals, or the device's message.
 * counters PREFIX: what its kernels of that name moved instead; counters PREFIX barriers: how often blocks met. */
static void pipeline_results(xg_stage *io, const xlagpu_rt_tensor *out, const xg_shape *const *shapes, uint32_t n) {
    uint32_t k;
    for (k = 0; k < n; k++) {
        xg_literal l;
        memset(&l, 0, sizeof l);
        l.shape = shapes[k];
        l.data = out[k].data;
        xg_literal_print(&io->out, &l, true);
        xg_putc(&io->out, '\n');
    }
}
static void pipeline_counters(xg_stage *io, xlagpu_program *program) {
    xlagpu_kernel_stats s[16];
    uint32_t n = xlagpu_rt_stats(program, s, 16), k;
    size_t prefix = strcspn(io->args, " ");
    for (k = 0; k < n && k < 16; k++)
        if (strncmp(s[k].name, io->args, prefix) == 0 && strcmp(io->args + prefix, " barriers") == 0)
            xg_printf(&io->out, "%s: %llu barriers\n", s[k].name, (unsigned long long)s[k].barriers);
        else if (strncmp(s[k].name, io->args, prefix) == 0)
            xg_printf(&io->out, "%s: %llu sectors of at least %llu, %llu bank conflicts, %llu atomics\n", s[k].name,
                (unsigned long long)s[k].sectors, (unsigned long long)s[k].minimum_sectors,
                (unsigned long long)s[k].bank_conflicts, (unsigned long long)s[k].atomics);
}
static void pipeline_run(xg_stage *io, bool counters) {
    xg_driver_options o;
    xlagpu_device_desc d;
    xlagpu_device *device;
    xlagpu_program *program;
    xlagpu_rt_tensor out[16];
    xg_module *m = pipeline_parse(io), *twin = pipeline_parse(io);
    const xg_shape *shapes[16];
    uint32_t n = 0, k;
    xg_str exe;
    memset(&o, 0, sizeof o);
    o.target = *xg_target_find(io->ctx, XG_STR("sm_90a"));
    o.memory_limit = pipeline_limit(io);
    exe = xg_driver_compile(twin, io->arena, &o, NULL, io->arena);
    xg_plan_leaf_shapes(m->entry_result, shapes, &n);
    memset(&d, 0, sizeof d);
    d.platform = "host";
    d.threads = 1;
    if (xlagpu_rt_open(&d, &device) == XLAGPU_OK) {
        program = xlagpu_rt_load(device, exe.p, exe.n);
        for (k = 0; k < n; k++) {
            out[k].bytes = (size_t)xg_plan_bytes(shapes[k]);
            out[k].data = xg_alloc(io->arena, out[k].bytes + 1);
        }
        if (!program || xlagpu_rt_run(program, NULL, 0, out, n) != XLAGPU_OK)
            xg_puts(&io->out, xlagpu_rt_error(device));
        else if (counters)
            pipeline_counters(io, program);
        else
            pipeline_results(io, out, shapes, n);
    }
    xlagpu_rt_close(device);
}
static void stage_run(xg_stage *io) { pipeline_run(io, false); }
static void stage_counters(xg_stage *io) { pipeline_run(io, true); }
