/* stage tiles SEED COUNT [TARGET [units]]: random contractions (dots and convolutions of any type, layout, size, with
 * what a fusion does in front of and behind them), compiled and run on the simulator twice. Operands are small
 * integers, whose sums are exact in any order: the results must be the evaluator's bit for bit, and the same twice.
 * units: of types that matrix units take; how many of them are multiplied there is said.
 *
 * stage tiles_of FOLDER: of every module there, the contractions of more than 2^16 multiply-adds, and rows and columns,
 * that the passes leave in fusions: how many there are, and the names of those that are not made by tiles.
 *
 * stage units_of FOLDER TARGET: of those of more than 2^18, which are of types that the target's matrix units take: how
 * many there are, by tiles, attention or as a phase, and the names of those that are made by plain cores. */

typedef struct tiles_run {
    xg_stage *io;
    uint64_t state;
    xg_buf text;
    uint32_t n_params, done, tiled, by_units;
    uint32_t drawn; /* so often a trial runs again, with warps in another order */
    bool units;
} tiles_run;
static int64_t tiles_draw(tiles_run *r, int64_t n) {
    r->state = r->state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((r->state >> 33) % (uint64_t)n);
}
static bool tiles_chance(tiles_run *r, int64_t percent) { return tiles_draw(r, 100) < percent; }
static int64_t tiles_size(tiles_run *r) {
    static const int64_t nice[] = {16, 32, 48, 64, 96, 128}, odd[] = {17, 33, 63, 65, 77, 127};
    switch (tiles_draw(r, 4)) {
    case 0: return 1 + tiles_draw(r, 20);
    case 1: return nice[tiles_draw(r, 6)];
    case 2: return odd[tiles_draw(r, 6)];
    default: return 4 * (1 + tiles_draw(r, 24));
    }
}

/* An array type of these dimensions in some order of memory. */
typedef struct tiles_array {
    int64_t dims[8], order[8];
    uint32_t rank;
    const char *type;
} tiles_array;
static void tiles_lay(tiles_run *r, tiles_array *a) {
    uint32_t k;
    for (k = 0; k < a->rank; k++) a->order[k] = a->rank - 1 - k;
    if (tiles_chance(r, 60)) return;
    for (k = a->rank; k > 1; k--) {
        uint32_t j = (uint32_t)tiles_draw(r, k);
        int64_t o = a->order[k - 1];
        a->order[k - 1] = a->order[j];
        a->order[j] = o;
    }
}
static void tiles_list(xg_buf *b, const int64_t *v, uint32_t n) {
    uint32_t k;
    for (k = 0; k < n; k++) xg_printf(b, "%s%lld", k ? "," : "", (long long)v[k]);
}
static void tiles_type_as(tiles_run *r, const tiles_array *a, const char *type) {
    xg_printf(&r->text, "%s[", type);
    tiles_list(&r->text, a->dims, a->rank);
    xg_puts(&r->text, "]{");
    tiles_list(&r->text, a->order, a->rank);
    xg_puts(&r->text, "}");
}
static void tiles_type(tiles_run *r, const tiles_array *a) { tiles_type_as(r, a, a->type); }
static void tiles_param(tiles_run *r, const char *name, const tiles_array *a) {
    xg_printf(&r->text, "  %s = ", name);
    tiles_type(r, a);
    xg_printf(&r->text, " parameter(%u)\n", r->n_params++);
}

/* ---- in front and behind ---- */

/* What is done to an operand; the name of the result. */
static const char *tiles_prologue(tiles_run *r, const tiles_array *a, const char *name, const char *made) {
    const char *ops[] = {"negate(", "reverse(", "copy("};
    int64_t k = tiles_draw(r, 12);
    if (k > 2 || (k == 0 && a->type[0] == 'u')) return name;
    xg_printf(&r->text, "  %s = ", made);
    tiles_type(r, a);
    xg_printf(&r->text, " %s%s)", ops[k], name);
    if (k == 1) xg_printf(&r->text, ", dimensions={%lld}", (long long)tiles_draw(r, a->rank));
    xg_puts(&r->text, "\n");
    return made;
}
/* The root, made of d. */
static void tiles_epilogue(tiles_run *r, const tiles_array *d) {
    xg_buf *b = &r->text;
    int64_t dim = tiles_draw(r, d->rank), way = tiles_draw(r, 6);
    if (way == 1) {
        xg_printf(b, "  v = %s[%lld] parameter(%u)\n  w = ", d->type, (long long)d->dims[dim], r->n_params++);
        tiles_type(r, d);
        xg_printf(b, " broadcast(v), dimensions={%lld}\n  ROOT r = ", (long long)dim);
        tiles_type(r, d);
        xg_puts(b, " add(d, w)\n");
    } else if (way == 2) {
        tiles_param(r, "v", d);
        xg_puts(b, "  w = ");
        tiles_type(r, d);
        xg_puts(b, " subtract(d, v)\n  ROOT r = (");
        tiles_type(r, d);
        xg_puts(b, ", ");
        tiles_type(r, d);
        xg_puts(b, ") tuple(w, d)\n");
    } else if (way == 3 && d->type[0] == 'f') {
        xg_puts(b, "  ROOT r = ");
        tiles_type_as(r, d, "bf16");
        xg_puts(b, " convert(d)\n");
    } else {
        xg_puts(b, "  ROOT r = ");
        tiles_type(r, d);
        xg_puts(b, " copy(d)\n");
    }
}
static void tiles_unit_types(tiles_run *r, const char **left, const char **right, const char **out) {
    static const char *const rows[][3] = {{"f16", "f16", "f32"}, {"bf16", "bf16", "f32"}, {"f16", "f16", "f16"},
        {"bf16", "bf16", "bf16"}, {"s8", "s8", "s32"}, {"u8", "s8", "s32"}, {"s8", "u8", "s32"}, {"u8", "u8", "u32"},
        {"s8", "s8", "s8"}, {"f8e4m3fn", "f8e4m3fn", "f32"}, {"f8e5m2", "f8e4m3fn", "bf16"},
        {"f8e4m3fn", "f8e5m2", "f32"}, {"f8e5m2", "f8e5m2", "f16"}, {"f8e4m3fn", "bf16", "f32"},
        {"f16", "f8e5m2", "f32"}};
    uint32_t k = (uint32_t)tiles_draw(r, XG_COUNT(rows));
    *left = rows[k][0];
    *right = rows[k][1];
    *out = rows[k][2];
}
static void tiles_types(tiles_run *r, const char **in, const char **out) {
    static const char *const pairs[][2] = {{"f32", "f32"}, {"f32", "f32"}, {"f32", "f32"}, {"f64", "f64"},
        {"f16", "f32"}, {"bf16", "f32"}, {"f16", "f16"}, {"bf16", "bf16"}, {"s8", "s32"}, {"s32", "s32"}, {"u8", "u8"},
        {"s64", "s64"}, {"c64", "c64"}, {"c128", "c128"}, {"u16", "s32"}};
    uint32_t k = (uint32_t)tiles_draw(r, XG_COUNT(pairs));
    *in = pairs[k][0];
    *out = pairs[k][1];
}

/* ---- dots ---- */

/* The operand's dimensions by letter, in some order. */
typedef struct tiles_side {
    tiles_array a;
    char names[8];
} tiles_side;
static void tiles_dim(tiles_side *s, char name, int64_t size) {
    s->names[s->a.rank] = name;
    s->a.dims[s->a.rank++] = size;
}
static void tiles_mix(tiles_run *r, tiles_side *s) {
    uint32_t k;
    for (k = s->a.rank; k > 1 && tiles_chance(r, 40); k--) {
        uint32_t j = (uint32_t)tiles_draw(r, k);
        int64_t d = s->a.dims[k - 1];
        char c = s->names[k - 1];
        s->a.dims[k - 1] = s->a.dims[j];
        s->names[k - 1] = s->names[j];
        s->a.dims[j] = d;
        s->names[j] = c;
    }
    tiles_lay(r, &s->a);
}
static void tiles_roles(tiles_run *r, const char *what, const tiles_side *s, const char *letters) {
    int64_t at[8];
    uint32_t n = 0, k;
    for (; *letters; letters++)
        for (k = 0; k < s->a.rank; k++)
            if (s->names[k] == *letters) at[n++] = k;
    if (!n) return;
    xg_printf(&r->text, ", %s={", what);
    tiles_list(&r->text, at, n);
    xg_puts(&r->text, "}");
}
static void tiles_dot(tiles_run *r) {
    int64_t b = tiles_chance(r, 30) ? 1 + tiles_draw(r, 4) : 0, m = tiles_size(r), n = tiles_size(r), k = tiles_size(r);
    tiles_side s[2];
    tiles_array d;
    const char *name[2];
    uint32_t side, j;
    memset(s, 0, sizeof s);
    memset(&d, 0, sizeof d);
    if (tiles_chance(r, 12)) { /* few tiles, a long sum */
        m = 1 + tiles_draw(r, 48);
        n = 2 + tiles_draw(r, 64);
        k = 256 * (1 + tiles_draw(r, 8));
    }
    while (m * n * k < 1 << 15) k *= 2;
    tiles_types(r, &s[0].a.type, &d.type);
    s[1].a.type = s[0].a.type;
    if (r->units) tiles_unit_types(r, &s[0].a.type, &s[1].a.type, &d.type);
    for (side = 0; side < 2; side++) {
        if (b) tiles_dim(&s[side], 'b', b);
        tiles_dim(&s[side], side ? 'n' : 'm', side ? n : m);
        if (k % 4 == 0 && (m + n) % 3 == 0) tiles_dim(&s[side], 'l', 4);
        tiles_dim(&s[side], 'k', k % 4 == 0 && (m + n) % 3 == 0 ? k / 4 : k);
        tiles_mix(r, &s[side]);
        tiles_param(r, side ? "q" : "p", &s[side].a);
    }
    for (side = 0; side < 2; side++) {
        name[side] = tiles_prologue(r, &s[side].a, side ? "q" : "p", side ? "qq" : "pp");
        for (j = 0; j < s[side].a.rank; j++)
            if ((side ? 'n' : 'm') == s[side].names[j] || (!side && s[0].names[j] == 'b')) d.rank++;
    }
    d.rank = 0;
    if (b) d.dims[d.rank++] = b;
    d.dims[d.rank++] = m;
    d.dims[d.rank++] = n;
    tiles_lay(r, &d);
    xg_puts(&r->text, "  d = ");
    tiles_type(r, &d);
    xg_printf(&r->text, " dot(%s, %s)", name[0], name[1]);
    tiles_roles(r, "lhs_contracting_dims", &s[0], "kl");
    tiles_roles(r, "rhs_contracting_dims", &s[1], "kl");
    tiles_roles(r, "lhs_batch_dims", &s[0], "b");
    tiles_roles(r, "rhs_batch_dims", &s[1], "b");
    xg_puts(&r->text, "\n");
    tiles_epilogue(r, &d);
}

/* ---- convolutions ---- */

/* A place for each of n dimensions: labels in some order, written into text. */
static void tiles_labels(tiles_run *r, uint32_t n, const char *first, char *text, int64_t *place) {
    uint32_t k, order[8];
    for (k = 0; k < n; k++) order[k] = k;
    for (k = n; k > 1 && tiles_chance(r, 50); k--) {
        uint32_t j = (uint32_t)tiles_draw(r, k), o = order[k - 1];
        order[k - 1] = order[j];
        order[j] = o;
    }
    for (k = 0; k < n; k++) {
        uint32_t what = order[k];
        text[k] = (char)(what < 2 ? first[what] : '0' + (int)what - 2);
        place[what] = k;
    }
    text[n] = 0;
}
static void tiles_convolution(tiles_run *r) {
    uint32_t spatial = 1 + (uint32_t)tiles_draw(r, 2) + (uint32_t)tiles_chance(r, 15), k;
    int64_t groups = tiles_chance(r, 25) ? 2 + tiles_draw(r, 3) : 1, split = groups == 1 && tiles_chance(r, 10) ? 2 : 1;
    int64_t in = (1 + tiles_draw(r, 20)) * (tiles_chance(r, 40) ? 4 : 1),
            out = (1 + tiles_draw(r, 16)) * groups * split;
    int64_t batch = split * (1 + tiles_draw(r, 3)), place[3][8];
    char label[3][9], window[5][128];
    tiles_array x, w, d;
    const char *name;
    memset(&x, 0, sizeof x);
    memset(&w, 0, sizeof w);
    memset(&d, 0, sizeof d);
    memset(window, 0, sizeof window);
    tiles_types(r, &x.type, &d.type);
    w.type = x.type;
    if (r->units) tiles_unit_types(r, &x.type, &w.type, &d.type);
    x.rank = w.rank = d.rank = spatial + 2;
    tiles_labels(r, spatial + 2, "bf", label[0], place[0]);
    tiles_labels(r, spatial + 2, "io", label[1], place[1]);
    tiles_labels(r, spatial + 2, "bf", label[2], place[2]);
    x.dims[place[0][0]] = batch;
    x.dims[place[0][1]] = in * groups;
    w.dims[place[1][0]] = in;
    w.dims[place[1][1]] = out;
    d.dims[place[2][0]] = batch / split;
    d.dims[place[2][1]] = out;
    for (k = 0; k < spatial; k++) {
        int64_t size = 1 + tiles_draw(r, 4), length = 4 + tiles_draw(r, spatial == 1 ? 60 : spatial == 2 ? 14 : 5);
        int64_t stride = 1 + tiles_chance(r, 25), base = 1 + tiles_chance(r, 15), dilate = 1 + tiles_chance(r, 15);
        int64_t low = tiles_draw(r, 3), high = tiles_draw(r, 3), reach = (size - 1) * dilate + 1;
        int64_t padded = (length - 1) * base + 1 + low + high;
        if (padded < reach) high += reach - padded;
        padded = (length - 1) * base + 1 + low + high;
        x.dims[place[0][k + 2]] = length;
        w.dims[place[1][k + 2]] = size;
        d.dims[place[2][k + 2]] = (padded - reach) / stride + 1;
        snprintf(window[0] + strlen(window[0]), 30, "%s%lld", k ? "x" : "", (long long)size);
        snprintf(window[1] + strlen(window[1]), 30, "%s%lld_%lld", k ? "x" : "", (long long)low, (long long)high);
        snprintf(window[2] + strlen(window[2]), 30, "%s%lld", k ? "x" : "", (long long)stride);
        snprintf(window[3] + strlen(window[3]), 30, "%s%lld", k ? "x" : "", (long long)base);
        snprintf(window[4] + strlen(window[4]), 30, "%s%lld", k ? "x" : "", (long long)dilate);
    }
    tiles_lay(r, &x);
    tiles_lay(r, &w);
    tiles_lay(r, &d);
    tiles_param(r, "p", &x);
    tiles_param(r, "q", &w);
    name = tiles_prologue(r, &x, "p", "pp");
    xg_puts(&r->text, "  d = ");
    tiles_type(r, &d);
    xg_printf(&r->text,
        " convolution(%s, q), window={size=%s pad=%s stride=%s lhs_dilate=%s rhs_dilate=%s}, dim_labels=%s_%s->%s",
        name, window[0], window[1], window[2], window[3], window[4], label[0], label[1], label[2]);
    if (groups > 1) xg_printf(&r->text, ", feature_group_count=%lld", (long long)groups);
    if (split > 1) xg_printf(&r->text, ", batch_group_count=%lld", (long long)split);
    xg_puts(&r->text, "\n");
    tiles_epilogue(r, &d);
}

/* ---- one module ---- */

static void tiles_fill(tiles_run *r, xg_literal *l) {
    int64_t k, n = l->shape->elements, parts = xg_type_class(l->shape->type) == XGT_C ? 2 : 1;
    xg_shape real = *l->shape;
    xg_literal part = *l;
    real.type = xg_type_real(l->shape->type);
    part.shape = &real;
    for (k = 0; k < n * parts; k++) {
        bool below = l->shape->type != XLAGPU_U8 && l->shape->type != XLAGPU_U16;
        int64_t v = tiles_draw(r, 5) - 2 * below;
        if (xg_type_class(real.type) == XGT_F)
            xg_literal_set_float(&part, k, (double)v);
        else
            xg_literal_set_int(&part, k, v);
    }
}
static const xg_shape *tiles_leaf(const xg_module *m, uint32_t k) {
    const xg_shape *s = m->entry->root->shape;
    return s->type == XLAGPU_TUPLE ? s->elems[k] : s;
}
/* One run: what it gives must be what is wanted. */
static bool tiles_right(
    tiles_run *r, xlagpu_program *p, xg_module *m, const xlagpu_rt_tensor *in, const xg_literal *want) {
    uint32_t n = (uint32_t)xg_shape_leaves(m->entry->root->shape), k;
    xlagpu_rt_tensor out[2];
    for (k = 0; k < n; k++) {
        const xg_shape *s = tiles_leaf(m, k);
        out[k].bytes = (size_t)(s->elements * xg_type_bytes(s->type));
        out[k].data = xg_alloc(r->io->arena, out[k].bytes + 1);
    }
    if (xlagpu_rt_run(p, in, m->entry->n_params, out, n) != XLAGPU_OK) return false;
    for (k = 0; k < n; k++) {
        const xg_literal *w = want->elems ? want->elems[k] : want;
        if (memcmp(out[k].data, w->data, out[k].bytes) == 0) continue;
        xg_printf(&r->io->out, "result %u differs\n", k);
        return false;
    }
    return true;
}
/* A module's executable on the simulator: fill makes the arguments, judge runs it and compares with what the evaluator
 * gives, say tells about the run. */
enum {
    TILES_PARAMS_MAX = 8
};
typedef struct tiles_trial {
    xg_module *m; /* as it was before it was compiled */
    xg_str exe;
    void (*fill)(tiles_run *r, xg_literal *l);
    bool (*judge)(tiles_run *r, xlagpu_program *p, xg_module *m, const xlagpu_rt_tensor *in, const xg_literal *want);
    void (*say)(void *user, xlagpu_program *p);
    void *user;
} tiles_trial;
/* The simulator with warps in an order that a seed gives: what the usual order happens to hide is found. */
typedef struct tiles_drawn {
    xr_platform platform; /* first: the device points to it */
    uint64_t seed;
} tiles_drawn;
static xlagpu_status tiles_launch_drawn(xlagpu_execution *e, uint32_t kernel, void *stream) {
    xlagpu_device *d = e->program->device;
    xr_host_run r;
    xlagpu_status s;
    (void)stream;
    memset(&r, 0, sizeof r);
    xr_host_describe(e->program, kernel, &r.launch);
    r.launch.params = e->args;
    r.launch.seed = ((const tiles_drawn *)d->platform)->seed;
    s = xg_sim_prepare(&e->c, &r.launch);
    if (s != XLAGPU_OK) return s;
    r.device = d;
    r.name = e->program->kernels[kernel].name;
    return xr_host_go(&e->c, &r, (char *)e->state, 1, &e->stats[kernel]);
}
static bool tiles_judge(
    tiles_run *r, const tiles_trial *t, xlagpu_program *p, const xlagpu_rt_tensor *in, const xg_literal *want) {
    const xr_platform *usual = p->device->platform;
    tiles_drawn drawn;
    bool right = t->judge(r, p, t->m, in, want);
    drawn.platform = *usual;
    drawn.platform.launch = tiles_launch_drawn;
    p->device->platform = &drawn.platform;
    for (drawn.seed = 1; drawn.seed <= r->drawn && right; drawn.seed++) right = t->judge(r, p, t->m, in, want);
    p->device->platform = usual;
    return right;
}
static void tiles_try(tiles_run *r, const tiles_trial *t) {
    uint32_t n = t->m->entry->n_params, k;
    const xg_literal *args[TILES_PARAMS_MAX], *want;
    xlagpu_rt_tensor in[TILES_PARAMS_MAX];
    xlagpu_device_desc d;
    xlagpu_device *device;
    xlagpu_program *program;
    if (n > TILES_PARAMS_MAX) {
        xg_puts(&r->io->out, "too many parameters for this stage\n");
        return;
    }
    for (k = 0; k < n; k++) {
        xg_literal *l = xg_literal_new(r->io->arena, t->m->entry->params[k]->shape);
        t->fill(r, l);
        args[k] = l;
        in[k].data = l->data;
        in[k].bytes = (size_t)(l->shape->elements * xg_type_bytes(l->shape->type));
    }
    want = xg_eval_module(t->m, r->io->arena, args, n, NULL);
    memset(&d, 0, sizeof d);
    d.platform = "host";
    d.threads = 1;
    if (xlagpu_rt_open(&d, &device) == XLAGPU_OK) {
        program = xlagpu_rt_load(device, t->exe.p, t->exe.n);
        if (program && tiles_judge(r, t, program, in, want))
            t->say(t->user, program);
        else
            xg_puts(&r->io->out, xlagpu_rt_error(device));
    }
    xlagpu_rt_close(device);
}
static void tiles_see(void *user, const char *stage, const char *text, size_t n) {
    tiles_run *r = (tiles_run *)user;
    (void)n;
    if (strcmp(stage, "ptx") == 0 && strstr(text, "bar.sync")) r->tiled++;
    if (strcmp(stage, "ptx") == 0 && (strstr(text, "mma.sync") || strstr(text, "wgmma.mma_async"))) r->by_units++;
}
static void tiles_module(tiles_run *r, xlagpu_device *device, const char *target) {
    xg_stage *io = r->io;
    xg_driver_options o;
    xlagpu_rt_tensor in[8];
    const xg_literal *args[8], *want;
    xlagpu_program *program;
    xg_module *m, *twin;
    xg_source src;
    xg_str exe;
    uint32_t k;
    xg_buf_init(&r->text, io->arena);
    r->n_params = 0;
    xg_puts(&r->text, "HloModule contraction\nENTRY e {\n");
    if (tiles_chance(r, 60))
        tiles_dot(r);
    else
        tiles_convolution(r);
    xg_puts(&r->text, "}\n");
    src.name = "contraction";
    src.text = r->text.p;
    src.size = r->text.n;
    m = xg_hlo_parse(io->ctx, io->arena, &src);
    twin = xg_hlo_parse(io->ctx, io->arena, &src);
    xg_hlo_verify(m);
    memset(&o, 0, sizeof o);
    o.target = *xg_target_find(io->ctx, xg_str_z(target));
    o.dump = tiles_see;
    o.dump_user = r;
    exe = xg_driver_compile(twin, io->arena, &o, NULL, io->arena);
    for (k = 0; k < m->entry->n_params; k++) {
        xg_literal *l = xg_literal_new(io->arena, m->entry->params[k]->shape);
        tiles_fill(r, l);
        args[k] = l;
        in[k].data = l->data;
        in[k].bytes = (size_t)(l->shape->elements * xg_type_bytes(l->shape->type));
    }
    want = xg_eval_module(m, io->arena, args, m->entry->n_params, NULL);
    program = xlagpu_rt_load(device, exe.p, exe.n);
    if (program && tiles_right(r, program, m, in, want) && tiles_right(r, program, m, in, want))
        r->done++;
    else {
        xg_puts(&io->out, xlagpu_rt_error(device));
        xg_put(&io->out, r->text.p, r->text.n);
    }
    if (program) xlagpu_rt_unload(program);
}
static void stage_tiles(xg_stage *io) {
    char target[32] = "sm_90a", kind[8] = "";
    unsigned seed = 1, count = 1, k;
    xlagpu_device *device;
    xlagpu_device_desc d;
    tiles_run r;
    xg_mark mark;
    memset(&r, 0, sizeof r);
    memset(&d, 0, sizeof d);
    (void)sscanf(io->args, "%u %u %31s %7s", &seed, &count, target, kind);
    r.io = io;
    r.state = seed;
    r.units = strcmp(kind, "units") == 0;
    d.platform = "host";
    d.threads = 1;
    if (xlagpu_rt_open(&d, &device) != XLAGPU_OK) {
        xg_puts(&io->out, "no device");
        return;
    }
    mark = xg_arena_mark(io->arena);
    for (k = 0; k < count; k++) {
        size_t said = io->out.n;
        tiles_module(&r, device, target);
        if (io->out.n == said && said == 0) xg_arena_reset(io->arena, mark); /* else what was said lies there */
    }
    xlagpu_rt_close(device);
    xg_printf(&io->out, "%u of %u right, %u by tiles", r.done, count, r.tiled);
    if (r.units) xg_printf(&io->out, ", %u by matrix units", r.by_units);
    xg_puts(&io->out, "\n");
}

/* ---- the contractions of a folder ---- */

/* joined: one block makes it along with others, by one thread for each element. */
static void tiles_of_fusion(
    xg_stage *io, const char *path, const xg_inst *fusion, bool joined, const xg_device *m, uint32_t *n) {
    xg_emit_target t = xg_emit_target_of(m, false);
    const xg_comp *c = xg_attr_comp(fusion, XG_A_calls);
    xg_fusion_emission e;
    xg_tile_plan p;
    xg_tile_form f;
    if (!c || xg_fuse_is_phases(fusion)) return;
    XG_FOR_INSTS(i, c) {
        if (!xg_tile_is_hero(NULL, i, true) || !xg_tile_form_of(&f, xg_aff_new(io->arena), i)) continue;
        if (!xg_tile_is_worth(&f) || i->shape->elements * f.group[XG_TILE_K].size <= 1 << 16) continue;
        ++*n;
        memset(&p, 0, sizeof p);
        xg_emit_open(&e, NULL, io->arena, fusion, &t);
        if (!xg_tile_plan_of(&p, &e, m))
            xg_printf(&io->out, "%s: %.*s%s\n", path, (int)fusion->name.n, fusion->name.p, joined ? ", joined" : "");
    }
}
/* What such units are made for, not what the compiler thinks of it: two floats of 16 bits or less, but not of different
 * 16 bits, or two integers of 8. */
static bool tiles_unit_takes(const xg_inst *hero, uint32_t cc) {
    uint32_t k, halves = 0, integers = 0;
    for (k = 0; k < 2; k++) {
        xlagpu_type t = XG_OPERAND(hero, k)->shape->type;
        if (t == XLAGPU_BF16 ? cc < 80
                             : t != XLAGPU_F16 && t != XLAGPU_S8 && t != XLAGPU_F8E4M3FN && t != XLAGPU_F8E5M2)
            return false;
        integers += t == XLAGPU_S8;
        halves |= t == XLAGPU_F16 ? 1 : t == XLAGPU_BF16 ? 2 : 0;
    }
    return integers != 1 && halves != 3;
}
static bool tiles_has_unit(xg_arena *a, const xg_inst *fusion) {
    static const char *const forms[] = {"warp_tile", "group_tile", "matrix_unit"};
    const xg_record *r = xg_record_read(a, fusion);
    size_t k;
    for (k = 0; r && k < XG_COUNT(forms); k++)
        if (xg_record_get(&r->form, forms[k])) return true;
    return false;
}
static void tiles_units_of_fusion(
    xg_stage *io, const char *path, const xg_inst *fusion, bool joined, const xg_device *m, uint32_t *n) {
    xg_emit_target t = xg_emit_target_of(m, false);
    const xg_comp *c = xg_attr_comp(fusion, XG_A_calls);
    xg_tile_form f;
    if (!c || xg_fuse_is_phases(fusion)) return;
    XG_FOR_INSTS(i, c) {
        if (!xg_tile_is_hero(NULL, i, true) || !tiles_unit_takes(i, m->cc)) continue;
        if (!xg_tile_form_of(&f, xg_aff_new(io->arena), i) || !xg_tile_is_worth(&f)) continue;
        if (i->shape->elements * f.group[XG_TILE_K].size <= 1 << 18) continue;
        ++*n;
        if (!joined) xg_choice_of(io->arena, (xg_inst *)fusion, &t);
        if (joined || !tiles_has_unit(io->arena, fusion))
            xg_printf(&io->out, "%s: %.*s\n", path, (int)fusion->name.n, fusion->name.p);
    }
}
/* Is it the computation of a fusion of fusions? */
static bool tiles_joins(const xg_module *m, const xg_comp *joined) {
    const xg_comp *c;
    for (c = m->first; c; c = c->next)
        XG_FOR_INSTS(i, c)
            if (i->op == XG_FUSION && xg_fuse_is_phases(i) && xg_attr_comp(i, XG_A_calls) == joined) return true;
    return false;
}
static void tiles_of_module(xg_stage *io, const char *path, const xg_module *m, bool units, uint32_t *n) {
    const xg_comp *c;
    for (c = m->first; c; c = c->next)
        XG_FOR_INSTS(i, c) {
            if (i->op != XG_FUSION) continue;
            if (units)
                tiles_units_of_fusion(io, path, i, tiles_joins(m, c), &m->device, n);
            else
                tiles_of_fusion(io, path, i, tiles_joins(m, c), &m->device, n);
        }
}
static void tiles_of_file(xg_stage *io, const char *path, const char *target, bool units, uint32_t *n) {
    xg_driver_options o;
    xg_source src;
    xg_module *m;
    size_t size;
    char *text = read_whole(path, &size);
    memset(&o, 0, sizeof o);
    o.target = *xg_target_find(io->ctx, xg_str_z(target));
    src.name = path;
    src.text = xg_str_copy(io->arena, xg_str_of(text, size)).p;
    src.size = size;
    free(text);
    m = xg_hlo_parse(io->ctx, io->arena, &src);
    (void)xg_device_of_cc(o.target.cc, &m->device);
    xg_driver_run_passes(m, &o);
    tiles_of_module(io, path, m, units, n);
}
static int tiles_by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }
static void tiles_of_folder(xg_stage *io, const char *folder, const char *target, bool units) {
    DIR *d = opendir(folder);
    struct dirent *entry;
    XG_VEC(char *) paths = {0};
    uint32_t n = 0, k;
    while (d && (entry = readdir(d)) != NULL) {
        size_t length = strlen(entry->d_name), room = length + strlen(folder) + 2;
        char *path = (char *)xg_alloc(io->arena, room);
        if (length < 4 || strcmp(entry->d_name + length - 4, ".hlo") != 0) continue;
        snprintf(path, room, "%s/%s", folder, entry->d_name);
        xg_push(io->arena, char *, &paths, path);
    }
    if (d) closedir(d);
    if (paths.n) qsort(paths.p, paths.n, sizeof *paths.p, tiles_by_name);
    for (k = 0; k < paths.n; k++) tiles_of_file(io, paths.p[k], target, units, &n);
    xg_printf(&io->out, "%u contractions\n", n);
}
static void stage_tiles_of(xg_stage *io) { tiles_of_folder(io, io->args, "sm_90a", false); }
static void stage_units_of(xg_stage *io) {
    char folder[128] = "", target[32] = "sm_90a";
    (void)sscanf(io->args, "%127s %31s", folder, target);
    tiles_of_folder(io, folder, target, true);
}
