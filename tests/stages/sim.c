/* stages/sim.c -- runs a PTX kernel on the simulator.
 *
 * The input is PTX whose comments say what to run:
 *     // launch grid=2,1,1 block=32 cluster=2 shared=64 entry=name fuel=1000 stats twice
 *     unchecked=global|shared|races|registers approx=low|high|mixed seed=1 faults=4 clocks=H100
 *     shadow=BYTES     at most so many for what is known of accesses; the first buffer goes and comes back a few times
 *     // buf NAME TYPE COUNT VALUES     memory, and its address as the next parameter; VALUES repeat; `iota` counts;
 *                                       mod:A:B:M:O:S is
 *                                    ((i * A + B) % M - O) / S; `in` before TYPE: read-only; without VALUES it counts
 *                                    as never written; `freed`: given back before the launch; `freed-later`: before the
 *                                    second
 *     // mem ...                        the same without the parameter
 *     // cast NAME MEMBER MEMBER         that memory is a multicast object of these, which stand before it
 *     // val TYPE VALUE                 a scalar parameter
 *     // map NAME DATATYPE dims=64,32 box=16,16 strides=128 steps=1,2 swizzle=3 fill=1     a tensor map of that memory
 *         as the next parameter; strides in bytes;
 *                                    im2col: lower=-1,-1 upper=0,0 channels=16 pixels=8 instead of box
 *     // tex NAME dims=4,3 layers=2 channels=2 modes=0,3 row=64 linear normalized normfloat     a texture of that
 *         memory, whose elements are its components; its handle is the next parameter
 * With arguments, NAME TARGET ..., the PTX is that of tests/text/sim/foreign/NAME.TARGET.ptx, of each TARGET, and all
 * must give the same. Types: u8 u16 u32 u64 s8 s16 s32 s64 f16 bf16 f32 f64, and x8 x16 x32 x64 printed in hexadecimal.
 * The output is every buffer that the kernel may write, eight values a line (runs of one value are shortened; of more
 * than 256 values the first and the FNV-1a hash of the bytes), or the fault with addresses replaced by "ADDRESS". */

typedef struct sim_type {
    const char *name;
    int bytes;
    xlagpu_type type;
    bool hex;
} sim_type;
static const sim_type sim_types[] = {{"u8", 1, XLAGPU_U8, false}, {"u16", 2, XLAGPU_U16, false},
    {"u32", 4, XLAGPU_U32, false}, {"u64", 8, XLAGPU_U64, false}, {"s8", 1, XLAGPU_S8, false},
    {"s16", 2, XLAGPU_S16, false}, {"s32", 4, XLAGPU_S32, false}, {"s64", 8, XLAGPU_S64, false},
    {"f16", 2, XLAGPU_F16, false}, {"bf16", 2, XLAGPU_BF16, false}, {"f32", 4, XLAGPU_F32, false},
    {"f64", 8, XLAGPU_F64, false}, {"x8", 1, XLAGPU_U8, true}, {"x16", 2, XLAGPU_U16, true},
    {"x32", 4, XLAGPU_U32, true}, {"x64", 8, XLAGPU_U64, true}};
typedef struct sim_buf {
    char name[64];
    const sim_type *t;
    uint32_t count;
    char *p;
    bool readonly, written, freed, freed_later;
    uint64_t members[4];
    uint32_t n_members;
} sim_buf;
typedef struct sim_case {
    sim_buf bufs[16];
    uint32_t n, params;
    char param[512];
    xg_sim_launch l;
    xg_sim_approx approx;
    char entry[64];
    bool stats;
    char gpu[64];     /* whose clocks are printed; "": nothing is traced */
    xg_device device; /* that one */
    uint32_t again;   /* launches after the first */
    uint64_t shadow;  /* limit; 0: the usual one */
} sim_case;

static uint64_t sim_fuel; /* no case takes more; 0: it takes what it says */

static const char *sim_word(const char *p, char out[64]) {
    int n = 0;
    while (*p == ' ' || *p == ',') p++;
    while (*p && *p != ' ' && *p != '\n' && n < 63) out[n++] = *p++;
    out[n] = 0;
    return p;
}
static const sim_type *sim_type_of(xg_ctx *c, const char *name) {
    size_t i;
    for (i = 0; i < XG_COUNT(sim_types); i++)
        if (strcmp(sim_types[i].name, name) == 0) return &sim_types[i];
    xg_fail(c, XLAGPU_ERROR_USAGE, "test header: no type '%s'", name);
}
static bool sim_is_float(const sim_type *t) {
    return t->type == XLAGPU_F16 || t->type == XLAGPU_BF16 || t->type == XLAGPU_F32 || t->type == XLAGPU_F64;
}
static void sim_store(const sim_type *t, char *p, const char *word) {
    uint64_t v;
    if (sim_is_float(t) && strncmp(word, "0x", 2) != 0) {
        double d = 0;
        bool overflow;
        xg_float_parse(word, strlen(word), &d, &overflow);
        v = xg_float_encode(t->type, d);
    } else
        v = word[0] == '-' ? 0 - strtoull(word + 1, NULL, 0) : strtoull(word, NULL, 0);
    memcpy(p, &v, (size_t)t->bytes);
}
/* mod:A:B:M:O:S */
static void sim_formula(const sim_type *t, char *p, const char *word, uint32_t i) {
    long long x[5] = {0, 0, 1, 0, 1};
    int k;
    char text[64];
    for (k = 0; k < 5 && (word = strchr(word, ':')) != NULL; k++) x[k] = strtoll(++word, NULL, 10);
    if (sim_is_float(t)) {
        uint64_t v = xg_float_encode(t->type, (double)(((long long)i * x[0] + x[1]) % x[2] - x[3]) / (double)x[4]);
        memcpy(p, &v, (size_t)t->bytes);
        return;
    }
    xg_format(text, sizeof text, "%lld", (((long long)i * x[0] + x[1]) % x[2] - x[3]) / x[4]);
    sim_store(t, p, text);
}
static void sim_numbers(const char *text, long long *out, int n) {
    int i;
    for (i = 0; i < n && text; i++) {
        out[i] = strtoll(text, NULL, 0);
        text = strchr(text, ',');
        if (text) text++;
    }
}
static void sim_map(xg_stage *io, sim_case *k, const char *p) {
    static const char *const types[] = {
        "u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f64", "bf16", "f32_ftz", "tf32", "tf32_ftz"};
    xg_sim_tensormap m;
    char w[64];
    uint32_t i, n = 0;
    const char *wrong;
    long long v[5];
    memset(&m, 0, sizeof m);
    for (i = 0; i < 5; i++) m.step[i] = 1;
    p = sim_word(p, w);
    for (i = 0; i < k->n; i++)
        if (strcmp(k->bufs[i].name, w) == 0) m.base = (uint64_t)(uintptr_t)k->bufs[i].p;
    p = sim_word(p, w);
    for (i = 0; i < XG_COUNT(types); i++)
        if (strcmp(types[i], w) == 0) m.type = (uint8_t)i;
    for (p = sim_word(p, w); *w; p = sim_word(p, w)) {
        const char *q = strchr(w, '=');
        memset(v, 0, sizeof v);
        sim_numbers(q ? q + 1 : NULL, v, 5);
        for (i = 0; i < 5; i++) {
            if (strncmp(w, "dims=", 5) == 0) {
                m.dim[i] = (uint32_t)v[i] - 1;
                if (v[i]) n = i + 1;
            }
            if (strncmp(w, "box=", 4) == 0) m.box[i] = (uint16_t)v[i];
            if (strncmp(w, "steps=", 6) == 0 && v[i]) m.step[i] = (uint8_t)v[i];
            if (strncmp(w, "strides=", 8) == 0 && i < 4) m.stride[i] = (uint64_t)v[i];
            if (strncmp(w, "lower=", 6) == 0 && i < 3) {
                m.lower[i] = (int16_t)v[i];
                m.im2col = 1;
            }
            if (strncmp(w, "upper=", 6) == 0 && i < 3) m.upper[i] = (int16_t)v[i];
        }
        if (strncmp(w, "swizzle=", 8) == 0) m.swizzle = (uint8_t)v[0];
        if (strncmp(w, "fill=", 5) == 0) m.fill = (uint8_t)v[0];
        if (strncmp(w, "channels=", 9) == 0) m.channels = (uint16_t)v[0];
        if (strncmp(w, "pixels=", 7) == 0) m.pixels = (uint16_t)v[0];
    }
    m.rank = (uint8_t)n;
    k->params = (k->params + 63) / 64 * 64;
    wrong = xg_sim_tensormap_encode(&m, k->param + k->params);
    if (wrong) xg_fail(io->ctx, XLAGPU_ERROR_USAGE, "test header: %s", wrong);
    k->params += 128;
}
static sim_buf *sim_buf_of(sim_case *k, const char *name) {
    uint32_t i = 0;
    while (i < k->n && strcmp(k->bufs[i].name, name) != 0) i++;
    return &k->bufs[i];
}
/* The address of a buffer as the next parameter. */
static void sim_pointer(sim_case *k, const sim_buf *b) {
    const uint64_t address = (uint64_t)(uintptr_t)b->p;
    k->params = (k->params + 7) / 8 * 8;
    memcpy(k->param + k->params, &address, 8);
    k->params += 8;
}
static void sim_tex(xg_stage *io, sim_case *k, const char *p) {
    sim_buf *of, *object;
    xlagpu_texture t;
    const char *wrong;
    char w[64];
    memset(&t, 0, sizeof t);
    p = sim_word(p, w);
    of = sim_buf_of(k, w);
    if (of == &k->bufs[k->n]) xg_fail(io->ctx, XLAGPU_ERROR_USAGE, "test header: no memory '%s'", w);
    t.address = (uint64_t)(uintptr_t)of->p;
    t.kind = sim_is_float(of->t) ? 2 : of->t->name[0] == 's' ? 0 : 1;
    t.bits = (uint32_t)of->t->bytes * 8;
    t.channels = 1;
    for (p = sim_word(p, w); *w; p = sim_word(p, w)) {
        const char *q = strchr(w, '=');
        long long v[3] = {0, 0, 0};
        uint32_t i;
        sim_numbers(q ? q + 1 : NULL, v, 3);
        for (i = 0; i < 3; i++) {
            if (strncmp(w, "dims=", 5) == 0) t.dims[i] = (uint32_t)v[i];
            if (strncmp(w, "modes=", 6) == 0) t.address_mode[i] = (uint32_t)v[i];
        }
        if (strncmp(w, "layers=", 7) == 0) t.layers = (uint32_t)v[0];
        if (strncmp(w, "channels=", 9) == 0) t.channels = (uint32_t)v[0];
        if (strncmp(w, "row=", 4) == 0) t.row_bytes = (uint64_t)v[0];
        if (strcmp(w, "linear") == 0) t.linear = 1;
        if (strcmp(w, "normalized") == 0) t.normalized = 1;
        if (strcmp(w, "normfloat") == 0) t.normalized_float = 1;
    }
    object = &k->bufs[k->n++];
    xg_format(object->name, sizeof object->name, "texture");
    object->t = sim_type_of(io->ctx, "x64");
    object->count = XG_SIM_TEXTURE_BYTES / 8;
    object->readonly = object->written = true;
    object->p = (char *)xg_alloc(io->arena, XG_SIM_TEXTURE_BYTES + 256);
    object->p += (256 - (uintptr_t)object->p % 256) % 256;
    wrong = xg_sim_texture_encode(&t, object->p);
    if (wrong) xg_fail(io->ctx, XLAGPU_ERROR_USAGE, "test header: %s", wrong);
    sim_pointer(k, object);
}
static void sim_cast(sim_case *k, const char *p) {
    char w[64];
    sim_buf *b;
    p = sim_word(p, w);
    b = sim_buf_of(k, w);
    while (*(p = sim_word(p, w), w)) b->members[b->n_members++] = (uint64_t)(uintptr_t)sim_buf_of(k, w)->p;
}
static void sim_buffer(xg_stage *io, sim_case *k, const char *p, bool parameter) {
    sim_buf *b = &k->bufs[k->n++];
    char w[64], values[64][64];
    uint32_t i, n = 0;
    p = sim_word(p, b->name);
    p = sim_word(p, w);
    if (strcmp(w, "in") == 0) {
        b->readonly = true;
        p = sim_word(p, w);
    }
    if (strcmp(w, "freed") == 0) {
        b->freed = true;
        p = sim_word(p, w);
    }
    if (strcmp(w, "freed-later") == 0) {
        b->freed_later = true;
        p = sim_word(p, w);
    }
    b->t = sim_type_of(io->ctx, w);
    p = sim_word(p, w);
    b->count = (uint32_t)strtoul(w, NULL, 0);
    while (n < 64 && *(p = sim_word(p, values[n]), values[n])) n++;
    b->written = n != 0;
    b->p = (char *)xg_alloc(io->arena, (size_t)b->count * (size_t)b->t->bytes + 256);
    b->p += (256 - (uintptr_t)b->p % 256) % 256;
    for (i = 0; i < b->count && n; i++) {
        char number[24];
        xg_format(number, sizeof number, "%u", i);
        if (strncmp(values[i % n], "mod:", 4) == 0)
            sim_formula(b->t, b->p + (size_t)i * (size_t)b->t->bytes, values[i % n], i);
        else
            sim_store(b->t, b->p + (size_t)i * (size_t)b->t->bytes,
                strcmp(values[i % n], "iota") == 0 ? number : values[i % n]);
    }
    if (parameter) sim_pointer(k, b);
}
static void sim_header(xg_stage *io, sim_case *k, const char *p) {
    char w[64];
    if (strncmp(p, "// buf ", 7) == 0 || strncmp(p, "// mem ", 7) == 0) {
        sim_buffer(io, k, p + 7, p[3] == 'b');
        return;
    }
    if (strncmp(p, "// map ", 7) == 0) {
        sim_map(io, k, p + 7);
        return;
    }
    if (strncmp(p, "// tex ", 7) == 0) {
        sim_tex(io, k, p + 7);
        return;
    }
    if (strncmp(p, "// cast ", 8) == 0) {
        sim_cast(k, p + 8);
        return;
    }
    if (strncmp(p, "// val ", 7) == 0) {
        const sim_type *t;
        p = sim_word(p + 7, w);
        t = sim_type_of(io->ctx, w);
        sim_word(p, w);
        k->params = (k->params + (uint32_t)t->bytes - 1) / (uint32_t)t->bytes * (uint32_t)t->bytes;
        sim_store(t, k->param + k->params, w);
        k->params += (uint32_t)t->bytes;
        return;
    }
    if (strncmp(p, "// launch", 9) != 0) return;
    for (p = sim_word(p + 9, w); *w; p = sim_word(p, w)) {
        uint32_t *d = strncmp(w, "grid=", 5) == 0      ? k->l.grid
                      : strncmp(w, "block=", 6) == 0   ? k->l.block
                      : strncmp(w, "cluster=", 8) == 0 ? k->l.cluster
                                                       : NULL;
        char *q = strchr(w, '=');
        if (d) {
            int i;
            for (i = 0; i < 3 && q; i++) {
                d[i] = (uint32_t)strtoul(q + 1, NULL, 0);
                q = strchr(q + 1, ',');
            }
        } else if (strncmp(w, "shared=", 7) == 0)
            k->l.dynamic_shared = (uint32_t)strtoul(q + 1, NULL, 0);
        else if (strncmp(w, "fuel=", 5) == 0)
            k->l.fuel = strtoull(q + 1, NULL, 0);
        else if (strncmp(w, "entry=", 6) == 0)
            xg_format(k->entry, sizeof k->entry, "%s", q + 1);
        else if (strncmp(w, "approx=", 7) == 0)
            k->approx = strcmp(q + 1, "low") == 0    ? XG_SIM_APPROX_LOW
                        : strcmp(q + 1, "high") == 0 ? XG_SIM_APPROX_HIGH
                                                     : XG_SIM_APPROX_MIXED;
        else if (strncmp(w, "seed=", 5) == 0)
            k->l.seed = strtoull(q + 1, NULL, 0);
        else if (strncmp(w, "faults=", 7) == 0)
            k->l.max_faults = (uint32_t)strtoul(q + 1, NULL, 0);
        else if (strncmp(w, "shadow=", 7) == 0)
            k->shadow = strtoull(q + 1, NULL, 0);
        else if (strcmp(w, "stats") == 0)
            k->stats = true;
        else if (strncmp(w, "clocks=", 7) == 0)
            xg_format(k->gpu, sizeof k->gpu, "%s", w + 7);
        else if (strcmp(w, "twice") == 0)
            k->again = 1;
        else if (strcmp(w, "unchecked=global") == 0)
            k->l.unchecked_global = true;
        else if (strcmp(w, "unchecked=shared") == 0)
            k->l.unchecked_shared = true;
        else if (strcmp(w, "unchecked=races") == 0)
            k->l.unchecked_races = true;
        else if (strcmp(w, "unchecked=registers") == 0)
            k->l.unchecked_registers = true;
        else
            xg_fail(io->ctx, XLAGPU_ERROR_USAGE, "test header: '%s'", w);
    }
}
static void sim_value(xg_stage *io, const sim_type *t, const char *p) {
    uint64_t v = 0;
    memcpy(&v, p, (size_t)t->bytes);
    if (t->hex) {
        xg_puts(&io->out, "0x");
        xg_put_hex(&io->out, v, t->bytes * 2);
    } else if (sim_is_float(t))
        xg_float_print(&io->out, t->type, v);
    else if (t->name[0] == 's')
        xg_put_i64(&io->out, (int64_t)(v << (64 - 8 * t->bytes)) >> (64 - 8 * t->bytes));
    else
        xg_put_u64(&io->out, v);
}
static void sim_show(xg_stage *io, const sim_buf *b) {
    uint32_t i, run, items = 0;
    size_t size = (size_t)b->t->bytes;
    xg_printf(&io->out, "%s:", b->name);
    if (b->count > 256) {
        uint64_t hash = 0xCBF29CE484222325u;
        for (i = 0; i < b->count * size; i++) hash = (hash ^ (unsigned char)b->p[i]) * 0x100000001B3u;
        for (i = 0; i < 8; i++) {
            xg_putc(&io->out, ' ');
            sim_value(io, b->t, b->p + i * size);
        }
        xg_printf(&io->out, " ... %u values, hash %llx\n", b->count, (unsigned long long)hash);
        return;
    }
    for (i = 0; i < b->count; i += run, items++) {
        for (run = 1; i + run < b->count && memcmp(b->p + i * size, b->p + (i + run) * size, size) == 0; run++) {}
        if (run < 4) run = 1;
        xg_puts(&io->out, items && items % 8 == 0 ? "\n  " : " ");
        sim_value(io, b->t, b->p + i * size);
        if (run > 1) xg_printf(&io->out, " (%u times)", run);
    }
    xg_putc(&io->out, '\n');
}
static void sim_fault(xg_stage *io, const char *text) {
    size_t i, n = strlen(text);
    for (i = 0; i < n; i++) {
        if (i > 2 && memcmp(text + i - 3, "at 0x", 5) == 0) {
            xg_puts(&io->out, "ADDRESS");
            i += 1 + strspn(text + i + 2, "0123456789ABCDEF");
        } else
            xg_putc(&io->out, text[i]);
    }
    xg_putc(&io->out, '\n');
}
static void sim_headers(xg_stage *io, sim_case *k, const xg_source *text) {
    const char *p = text->text;
    while (p && p < text->text + text->size) {
        const char *end = (const char *)memchr(p, '\n', (size_t)(text->text + text->size - p));
        size_t n = end ? (size_t)(end - p) : (size_t)(text->text + text->size - p);
        sim_header(io, k, (char *)(uintptr_t)xg_str_copy(io->arena, xg_str_of(p, n)).p);
        p = end ? end + 1 : NULL;
    }
}
static void sim_memory(sim_case *k, xg_sim_memory *memory) {
    xg_sim_buffer b;
    uint32_t i;
    memory->shadow_limit = k->shadow;
    for (i = 0; i < k->n; i++) {
        memset(&b, 0, sizeof b);
        b.base = (uint64_t)(uintptr_t)k->bufs[i].p;
        b.bytes = (uint64_t)k->bufs[i].count * (uint64_t)k->bufs[i].t->bytes;
        b.name = k->bufs[i].name;
        b.readonly = k->bufs[i].readonly;
        b.members = k->bufs[i].members;
        b.n_members = k->bufs[i].n_members;
        xg_sim_memory_add(memory, &b);
        if (k->bufs[i].freed) xg_sim_memory_remove(memory, b.base);
        if (k->bufs[i].written) xg_sim_memory_written(memory, b.base, b.bytes, 0);
    }
    for (i = 0; k->shadow && i < 4; i++) {
        b = memory->p[0];
        b.shadow = NULL;
        xg_sim_memory_remove(memory, b.base);
        xg_sim_memory_add(memory, &b);
    }
}
/* What a kernel prints comes before its buffers. */
static void sim_print(void *user, const char *text, size_t bytes) { xg_put(&((xg_stage *)user)->out, text, bytes); }
/* Loads the kernel and launches it, as often as the case says. NULL: it was refused, and the context says why. */
static xg_sim_worker *sim_go(
    xg_stage *io, sim_case *k, const xg_source *text, xg_sim_memory *memory, xlagpu_status *status) {
    xg_sim_module *m = xg_sim_load_as(io->ctx, io->arena, text, xg_sim_unit_best(), k->approx);
    xg_sim_worker *w = NULL;
    uint32_t n;
    k->l.module = m;
    k->l.entry = k->entry[0] ? xg_sim_find(m, xg_str_z(k->entry)) : xg_sim_entry_at(m, 0);
    if (!k->l.entry) xg_fail(io->ctx, XLAGPU_ERROR_USAGE, "test header: no such entry");
    k->l.params = k->param;
    k->l.param_bytes = k->params;
    k->l.memory = memory;
    k->l.print = sim_print;
    k->l.print_user = io;
    if (sim_fuel && (!k->l.fuel || k->l.fuel > sim_fuel)) k->l.fuel = sim_fuel;
    if (xg_sim_prepare(io->ctx, &k->l) != XLAGPU_OK) return NULL;
    if (*k->gpu) {
        if (!xg_device_of_part(xg_str_z(k->gpu), &k->device)) xg_fail(io->ctx, XLAGPU_ERROR_USAGE, "no such GPU");
        k->l.trace = xg_sim_trace_new(io->ctx, &k->l, &k->device, 1);
    }
    *status = XLAGPU_OK;
    for (n = 0; n <= k->again && *status == XLAGPU_OK; n++) {
        uint32_t i;
        for (i = 0; n && i < k->n; i++)
            if (k->bufs[i].freed_later) xg_sim_memory_remove(memory, (uint64_t)(uintptr_t)k->bufs[i].p);
        xg_sim_begin(&k->l);
        w = xg_sim_worker_init(xg_alloc_raw(io->arena, xg_sim_worker_bytes(&k->l)), &k->l);
        *status = xg_sim_run(w, 0, (uint64_t)k->l.grid[0] * k->l.grid[1] * k->l.grid[2]);
        xg_sim_end(&k->l);
    }
    return w;
}
/* What the model of time gets of it. */
static void sim_clocks(xg_stage *io, sim_case *k, const xg_sim_stats *s) {
    xg_cost_counts c;
    xg_sim_trace_counts(k->l.trace, &k->l, s, &c);
    xg_sim_trace_free(k->l.trace);
    xg_printf(&io->out, "clocks %lld", (long long)c.warp_clocks);
    if (c.blocks > 1) xg_printf(&io->out, ", blocks %lld", (long long)c.blocks);
    if (c.warp_tensor) xg_printf(&io->out, ", matrix unit %lld", (long long)c.warp_tensor);
    if (c.shared_passes) xg_printf(&io->out, ", passes %lld", (long long)c.shared_passes);
    if (c.l2_sectors)
        xg_printf(&io->out, ", sectors %lld, bytes read %lld, written %lld", (long long)c.l2_sectors,
            (long long)c.read_bytes, (long long)c.written_bytes);
    if (k->l.entry->f.info.resident || k->l.entry->f.info.registers)
        xg_printf(&io->out, ", registers %lld", (long long)c.registers);
    xg_putc(&io->out, '\n');
}
/* Runs one PTX text under the header of the case. */
static void sim_run(xg_stage *io, const xg_source *ptx) {
    sim_case *k = XG_NEW(io->arena, sim_case);
    xg_sim_memory memory;
    xg_sim_worker *w;
    xlagpu_status status = XLAGPU_OK;
    uint32_t i;
    sim_headers(io, k, &io->in);
    xg_sim_memory_init(&memory, io->ctx);
    sim_memory(k, &memory);
    w = sim_go(io, k, ptx, &memory, &status);
    xg_sim_memory_free(&memory);
    if (!w) {
        xg_printf(&io->out, "%s\n", io->ctx->message);
        return;
    }
    if (status != XLAGPU_OK)
        for (i = 0; xg_sim_fault_at(w, i); i++) sim_fault(io, xg_sim_fault_at(w, i)->text);
    else
        for (i = 0; i < k->n; i++)
            if (!k->bufs[i].readonly) sim_show(io, &k->bufs[i]);
    if (k->l.trace) sim_clocks(io, k, xg_sim_worker_stats(w));
    if (k->stats) {
        const xg_sim_stats *s = xg_sim_worker_stats(w);
#define X(name) \
    if (s->name) xg_printf(&io->out, #name " %llu\n", (unsigned long long)s->name);
        XLAGPU_COUNTERS(X)
#undef X
        for (i = 0; i < XLAGPU_CLASS_COUNT; i++)
            if (s->class_warps[i])
                xg_printf(&io->out, "class %s %llu %llu\n", xlagpu_class_name(i), (unsigned long long)s->class_warps[i],
                    (unsigned long long)s->class_lanes[i]);
    }
}
static void stage_sim(xg_stage *io) {
    char name[64], target[64], path[256];
    const char *p = sim_word(io->args ? io->args : "", name);
    xg_buf first;
    if (!*name) {
        sim_run(io, &io->in);
        return;
    }
    memset(&first, 0, sizeof first);
    for (p = sim_word(p, target); *target; p = sim_word(p, target)) {
        xg_source ptx;
        char *text;
        memset(&ptx, 0, sizeof ptx);
        xg_format(path, sizeof path, "tests/text/sim/foreign/%s.%s.ptx", name, target);
        text = read_whole(path, &ptx.size);
        ptx.text = (char *)xg_str_copy(io->arena, xg_str_of(text, ptx.size)).p;
        free(text);
        ptx.name = name;
        xg_buf_init(&io->out, io->arena);
        sim_run(io, &ptx);
        if (!first.p)
            first = io->out;
        else if (first.n != io->out.n || memcmp(first.p, io->out.p, first.n) != 0) {
            xg_printf(&io->out, "(%s differs from the first target)\n", target);
            return;
        }
    }
}
