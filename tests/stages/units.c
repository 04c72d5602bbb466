/* stage units TARGET: a module of contractions, compiled and run on the simulator with small integers, whose sums are
 * exact in any order: the results must be the evaluator's. Of each kernel by tiles: its form; what its PTX has of mma,
 * ldmatrix or wgmma, and cp.async; what the simulator counted; multiply-adds of two at a time; where blocks
 * of a cluster meet, and reach each other; whether a block counts itself too early. */

typedef struct units_run {
    xg_stage *io;
    const xg_module *compiled;
    xg_str ptx;
} units_run;
static void units_see(void *user, const char *stage, const char *text, size_t n) {
    units_run *r = (units_run *)user;
    if (strcmp(stage, "ptx") == 0) r->ptx = xg_str_copy(r->io->arena, xg_str_of(text, n));
}
static unsigned units_count(xg_str text, const char *what) {
    const char *at = text.p;
    unsigned n = 0;
    for (; (at = strstr(at, what)) != NULL; at++) n++;
    return n;
}
/* The part of the text between the kernel's name and its last brace. */
static xg_str units_kernel(units_run *r, const char *name) {
    char entry[128];
    const char *from, *end;
    xg_format(entry, sizeof entry, ".entry %s(", name);
    from = r->ptx.n ? strstr(r->ptx.p, entry) : NULL;
    end = from ? strstr(from, "\n}") : NULL;
    return end ? xg_str_copy(r->io->arena, xg_str_of(from, (size_t)(end - from))) : XG_STR("");
}
/* The last one of these in front of a place. */
static const char *units_before(xg_str text, const char *what, const char *end) {
    const char *at = text.p, *found = NULL;
    for (; (at = strstr(at, what)) != NULL && at < end; at++) found = at;
    return found;
}
/* Whether a block counts itself with no barrier behind what its threads leave for others: the simulator, where blocks
 * of no cluster follow each other, does not see that. */
static bool units_counts_early(xg_str text) {
    const char *count = strstr(text.p, "atom.acq_rel"), *left, *barrier;
    if (!count) return false;
    left = units_before(text, "st.global", count);
    barrier = units_before(text, "bar.sync", count);
    return left && (!barrier || barrier < left);
}
static void units_say(void *user, xlagpu_program *program) {
    units_run *r = (units_run *)user;
    const xg_module *m = r->compiled;
    xlagpu_kernel_stats s[16];
    uint32_t n = xlagpu_rt_stats(program, s, 16), k;
    xg_buf *b = &r->io->out;
    for (k = 0; k < n && k < 16; k++) {
        xg_str text = units_kernel(r, s[k].name);
        XG_FOR_INSTS(i, m->entry) {
            const xg_record *made = xg_record_read(r->io->arena, i);
            if (!made || !xg_str_is(made->way, "tile") || !xg_str_is(i->name, s[k].name)) continue;
            xg_record_print_way(b, made);
        }
        xg_printf(b, "\n%s: ", s[k].name);
        if (units_count(text, "tcgen05.mma"))
            xg_printf(b, "%u tcgen05, ", units_count(text, "tcgen05.mma"));
        else if (units_count(text, "wgmma.mma"))
            xg_printf(b, "%u wgmma, ", units_count(text, "wgmma.mma"));
        else
            xg_printf(b, "%u mma, %u ldmatrix, %u transposed, ", units_count(text, "mma.sync"),
                units_count(text, "ldmatrix.sync"), units_count(text, "x4.trans"));
        xg_printf(b, "%u cp.async; ", units_count(text, "cp.async.c") - units_count(text, "cp.async.commit"));
        xg_printf(b, "%llu tensor operations, %llu bank conflicts", (unsigned long long)s[k].tensor_operations,
            (unsigned long long)s[k].bank_conflicts);
        if (units_count(text, "fma.rn.f32x2"))
            xg_printf(b, "; %u pairs of multiply-adds", units_count(text, "fma.rn.f32x2"));
        if (units_count(text, "barrier.cluster.wait"))
            xg_printf(b, "; %u meetings of a cluster, %u ways to write to another block, %u to read there",
                units_count(text, "barrier.cluster.wait"), units_count(text, "st.shared::cluster"),
                units_count(text, "ld.shared::cluster"));
        xg_puts(b, units_counts_early(text) ? "; counted in front of a barrier\n" : "\n");
    }
}
static void stage_units(xg_stage *io) {
    xg_driver_options o;
    xg_module *m = pipeline_parse(io), *twin = pipeline_parse(io);
    tiles_trial trial = {m, {NULL, 0}, tiles_fill, tiles_right, units_say, NULL};
    tiles_run t;
    units_run r;
    memset(&t, 0, sizeof t);
    memset(&r, 0, sizeof r);
    memset(&o, 0, sizeof o);
    t.io = r.io = io;
    t.state = 5;
    r.compiled = twin;
    o.target = *xg_target_find(io->ctx, xg_str_z(io->args));
    o.dump = units_see;
    o.dump_user = &r;
    trial.exe = xg_driver_compile(twin, io->arena, &o, NULL, io->arena);
    trial.user = &r;
    tiles_try(&t, &trial);
}
