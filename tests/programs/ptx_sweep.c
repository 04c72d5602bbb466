/* tests/programs/ptx_sweep.c -- every low-level operation on every type for every target: assembled by ptxas, and run.
 *
 *     ptx_sweep                       runs every kernel on the PTX simulator for sm_75, sm_80 and sm_90 and compares
 *                                     with an interpreter of the kernel IR:
 *                                     of the IR as it came where the interpreter knows its operation, else of the legal
 *                                     one (which tests/programs/math.c measures)
 *     ptx_sweep DIR [TARGET ...]      also writes DIR/TARGET.ptx and runs ptxas on it; any complaint, warning or spill
 *                                     is a failure
 *     ptx_sweep --platform=cuda       runs them on a GPU instead, for its target alone; see platform.h
 *
 * Without ptxas (PTXAS, the PATH, /usr/local/cuda/bin) the texts are still made, and that is said. */
#include "../../src/xlagpu.h"
#include "../../src/xlagpu_runtime.h"
#include "interpret.h"
#include <stdio.h>
#include "platform.h"

static xg_ctx ctx;
static xg_arena arena;
static uint32_t kernels;

typedef struct kernel {
    xg_kmodule *m;
    xg_kb b;
    xg_kval *in[3], *out, *tid;
} kernel;
static kernel begin(const char *name) {
    kernel k;
    const xg_ktype *params[4], *i32;
    xg_kfunc *f;
    int i;
    memset(&k, 0, sizeof k);
    k.m = xg_kir_module(&ctx, &arena, xg_aff_new(&arena));
    for (i = 0; i < 4; i++) params[i] = xg_kir_pointer(k.m, XG_SPACE_GLOBAL);
    f = xg_kir_func(k.m, xg_str_copy(&arena, xg_str_z(name)), params, 4, NULL, 0);
    f->entry = true;
    f->threads[0] = LANES;
    f->args = XG_NEW_N(&arena, xg_karg, 4);
    for (i = 0; i < 4; i++) f->args[i].align = 256;
    k.m->entry = f;
    k.b = xg_kb_end(k.m, f->body);
    i32 = xg_kir_scalar(k.m, XG_E_I32);
    k.tid = xg_kir_op(&k.b, XG_K_OP_THREAD_ID, NULL, 0, &i32, 1, 0)->results;
    for (i = 0; i < 3; i++) k.in[i] = &f->body->args[i];
    k.out = &f->body->args[3];
    return k;
}
static xg_kval *offset(kernel *k, xg_kval *ptr, int64_t each) {
    xg_kval *v[2];
    xg_kop *op;
    v[0] = ptr;
    v[1] = k->tid;
    op = xg_kir_op(&k->b, XG_K_OP_PTR_ADD, v, 2, &ptr->type, 1, 0);
    op->a = each;
    return op->results;
}
static xg_kval *load(kernel *k, int which, const xg_ktype *t, int64_t align) {
    xg_kval *p = offset(k, k->in[which], xg_kelem_bytes(t->elem) * (t->kind == XG_TK_VECTOR ? t->elements : 1));
    xg_kop *op = xg_kir_op(&k->b, XG_K_OP_LOAD, &p, 1, &t, 1, 0);
    op->a = align;
    op->flags = which ? (uint32_t)KM_INVARIANT : 0;
    return op->results;
}
static void store(kernel *k, xg_kval *x, int64_t align) {
    xg_kval *v[2];
    const xg_ktype *t = x->type;
    v[0] = x;
    v[1] = offset(k, k->out, xg_kelem_bytes(t->elem) * (t->kind == XG_TK_VECTOR ? t->elements : 1));
    xg_kir_op(&k->b, XG_K_OP_STORE, v, 2, NULL, 0, 0)->a = align;
}
/* How a kernel's result is compared: as it came or legal; whether shifts or divisions restrict the second operand. */
typedef struct run_rule {
    bool raw, shift, divide, near, loose, moves;
    int bits;
    xg_kelem out, in0;
} run_rule;
static run_rule rule;
static int failures;
static const char *run_target; /* NULL: only print */
static bool ftz;               /* flush subnormals: other texts, so assembled too, for f32 only */
enum {
    PER_THREAD = 128,
    MEMORY_BYTES = LANES * PER_THREAD + 64,
    MEMORY_ALIGN = 256 /* as kernels are promised */
};
static unsigned char *memory_of[4], shared_memory[65536];
static void place_memory(void) {
    static unsigned char room[4][MEMORY_BYTES + MEMORY_ALIGN];
    int i;
    for (i = 0; i < 4; i++) memory_of[i] = room[i] + (MEMORY_ALIGN - (uintptr_t)room[i] % MEMORY_ALIGN) % MEMORY_ALIGN;
}
static uint64_t seed = 88172645463325252u;
static uint64_t next_random(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed * 0x2545F4914F6CDD1Du;
}

static void fill(void) {
    size_t i, k;
    for (k = 0; k < 3; k++)
        for (i = 0; i < (size_t)MEMORY_BYTES; i += 8) {
            uint64_t r = next_random(), v = next_random();
            float f[2];
            f[0] = (float)(int)(r >> 50) / 64 - 100;
            f[1] = (float)(int)(r >> 40 & 4095) / 256;
            if (r % 8 == 1) v = next_random() & 0x0003000200010003u;
            if (r % 8 == 2) v = 0x8000000080008080u;
            if (r % 8 == 3) v = 0;
            if (r % 8 > 4) memcpy(&v, f, 8);
            memcpy(memory_of[k] + i, &v, 8);
        }
    if (rule.in0 == XG_E_I1)
        for (k = 0; k < 3; k++)
            for (i = 0; i < (size_t)MEMORY_BYTES; i++)
                if (rule.out == XG_E_I1 || k == 0 || rule.bits == 1) memory_of[k][i] &= 1;
    if (rule.shift && rule.bits == 1)
        memset(memory_of[1], 0, MEMORY_BYTES); /* the only amount there is */
    else if (rule.shift || rule.divide)
        for (i = 0; i < LANES * PER_THREAD; i += (size_t)rule.bits / 8) {
            uint64_t v = 0, mask = mask_of(rule.out);
            memcpy(&v, memory_of[1] + i, (size_t)rule.bits / 8);
            v = rule.shift ? v % (uint64_t)rule.bits : v == 0 || v == mask ? 3 : v;
            memcpy(memory_of[1] + i, &v, (size_t)rule.bits / 8);
        }
}
static void interpret_into(const xg_kmodule *m, unsigned char *out) {
    machine v;
    int i;
    machine_begin(&v, m, 32);
    for (i = 0; i < 4; i++) v.params[i] = (uint64_t)(uintptr_t)memory_of[i];
    v.shared = shared_memory;
    memset(memory_of[3], 0xCD, MEMORY_BYTES);
    machine_run(&v);
    machine_end(&v);
    memcpy(out, memory_of[3], MEMORY_BYTES);
}
static bool simulate(const char *text, size_t size, uint32_t shared) {
    static xg_sim_launch l;
    xg_source src;
    xg_sim_memory mem;
    xg_sim_worker *w;
    uint64_t params[4];
    char fault[1024];
    int i;
    src.name = "kernel";
    src.text = text;
    src.size = size;
    memset(&l, 0, sizeof l);
    l.module = xg_sim_load(&ctx, &arena, &src);
    l.entry = xg_sim_entry_at(l.module, 0);
    xg_sim_memory_init(&mem, &ctx);
    for (i = 0; i < 4; i++) {
        xg_sim_buffer b;
        b.base = params[i] = (uint64_t)(uintptr_t)memory_of[i];
        b.bytes = MEMORY_BYTES;
        b.name = "buffer";
        b.readonly = i < 3;
        xg_sim_memory_add(&mem, &b);
        if (b.readonly) xg_sim_memory_written(&mem, b.base, b.bytes, 0);
    }
    l.block[0] = LANES;
    l.params = params;
    l.param_bytes = sizeof params;
    l.memory = &mem;
    l.dynamic_shared = shared;
    if (xg_sim_prepare(&ctx, &l) != XLAGPU_OK) {
        printf("%s\n", ctx.message);
        xg_sim_memory_free(&mem);
        return false;
    }
    w = xg_sim_worker_init(xg_alloc(&arena, xg_sim_worker_bytes(&l)), &l);
    memset(memory_of[3], 0xCD, MEMORY_BYTES);
    i = xg_sim_run(w, 0, 1) == XLAGPU_OK;
    if (!i && xg_sim_fault_text(w, fault, sizeof fault)) printf("%s\n", fault);
    xg_sim_memory_free(&mem);
    return i != 0;
}
/* The same on a device. */
static bool run_on_device(const kernel *k, const char *text, size_t size, uint32_t shared) {
    xlagpu_ptx_launch l;
    xlagpu_buffer b[4];
    uint64_t params[4];
    char name[128];
    xlagpu_status s = XLAGPU_OK;
    int i;
    memset(b, 0, sizeof b);
    memset(memory_of[3], 0xCD, MEMORY_BYTES);
    for (i = 0; i < 4 && s == XLAGPU_OK; i++) {
        s = xlagpu_rt_alloc(platform.device, MEMORY_BYTES, &b[i]);
        if (s == XLAGPU_OK) s = xlagpu_rt_upload(platform.device, b[i], memory_of[i], MEMORY_BYTES);
        params[i] = b[i].address;
    }
    xg_format(name, sizeof name, "%.*s", (int)k->m->entry->name.n, k->m->entry->name.p);
    memset(&l, 0, sizeof l);
    l.entry = name;
    l.block[0] = LANES;
    l.parameters = params;
    l.parameter_bytes = sizeof params;
    l.shared_bytes = shared;
    if (s == XLAGPU_OK) s = xlagpu_rt_launch_ptx(platform.device, name, text, size, &l, NULL);
    if (s == XLAGPU_OK) s = xlagpu_rt_download(platform.device, memory_of[3], b[3], MEMORY_BYTES);
    if (s != XLAGPU_OK) printf("%s\n", xlagpu_rt_error(platform.device));
    for (i = 0; i < 4; i++)
        if (b[i].bytes) xlagpu_rt_free(platform.device, b[i]);
    if (s != XLAGPU_OK) platform_check(name);
    return s == XLAGPU_OK;
}
static bool agree(uint64_t a, uint64_t b) {
    int bits = xg_kelem_bits(rule.out);
    int64_t x, y;
    if (a == b) return true;
    if (rule.moves || !xg_kelem_is_float(rule.out)) return false;
    if (number_of(rule.out, a) != number_of(rule.out, a)) return number_of(rule.out, b) != number_of(rule.out, b);
    /* what a NaN becomes: a zero of either sign */
    if (xg_kelem_bits(rule.out) < 8 && number_of(rule.out, a) == number_of(rule.out, b)) return true;
    if (rule.loose &&
        fabs(number_of(rule.out, a) - number_of(rule.out, b)) <= 1e-5 * fabs(number_of(rule.out, a)) + 3e-308)
        return true; /* subnormals may be flushed */
    if (!rule.near) return false;
    x = (int64_t)(a & (mask_of(rule.out) / 2)) * (a >> (bits - 1) ? -1 : 1);
    y = (int64_t)(b & (mask_of(rule.out) / 2)) * (b >> (bits - 1) ? -1 : 1);
    return x - y <= 8 && y - x <= 8;
}
static void end(kernel *k, xg_ptx *p) {
    static unsigned char want[MEMORY_BYTES];
    size_t bytes, i;
    xg_buf text;
    xg_texts pieces;
    bool ran;
    xg_kreturn(&k->b, NULL, 0);
    if (run_target && !platform_takes()) return;
    if (platform.on_device) seed = 88172645463325252u + platform.number; /* whatever ran before it */
    kernels++;
    if (!run_target) {
        xg_ptx_kernel(p, k->m);
        return;
    }
    p = xg_ptx_begin(&ctx, &arena, xg_target_find(&ctx, xg_str_z(run_target)), NULL);
    fill();
    if (rule.raw) interpret_into(k->m, want);
    xg_ptx_kernel(p, k->m);
    if (!rule.raw) interpret_into(k->m, want);
    xg_buf_init(&text, &arena);
    xg_ptx_finish(p, &pieces);
    xg_put_texts(&text, &pieces);
    bytes = (size_t)xg_kelem_bytes(rule.out);
    ran = platform.on_device ? run_on_device(k, text.p, text.n, k->m->shared_bytes)
                             : simulate(text.p, text.n, k->m->shared_bytes);
    for (i = 0; ran && i + bytes <= LANES * PER_THREAD; i += bytes) {
        uint64_t a = 0, b = 0;
        while (i + bytes <= LANES * PER_THREAD && memcmp(want + i, memory_of[3] + i, bytes) == 0) i += bytes;
        if (i + bytes > LANES * PER_THREAD) return;
        for (;;) {
            memcpy(&a, want + i, bytes);
            memcpy(&b, memory_of[3] + i, bytes);
            if (!agree(a, b)) break;
            i += bytes;
            if (i + bytes > LANES * PER_THREAD) return;
        }
        failures++;
        printf("FAIL %.*s for %s: item %u is 0x%llx, not 0x%llx\n", (int)k->m->entry->name.n, k->m->entry->name.p,
            run_target, (unsigned)(i / bytes), (unsigned long long)b, (unsigned long long)a);
        if (getenv("SHOW")) printf("%s", text.p);
        return;
    }
    failures++;
    printf("FAIL %.*s for %s did not run\n%s", (int)k->m->entry->name.n, k->m->entry->name.p, run_target, text.p);
}
static const char *name_of(const char *what, const char *a, const char *b, int n) {
    static char text[128];
    xg_format(text, sizeof text, "%s_%s_%s_%d", what, a, b, n);
    return text;
}
static void sweep_op(xg_ptx *p, xg_kopcode code, int operands, xg_kelem from, xg_kelem to, uint32_t flags) {
    kernel k;
    const xg_ktype *t, *r;
    xg_kval *v[3];
    xg_kop *op;
    int i;
    if (ftz && from != XG_E_F32 && to != XG_E_F32) return;
    k = begin(name_of(xg_kop_name(code), xg_kelem_name(from), xg_kelem_name(to), (int)flags));
    k.m->ftz = ftz;
    t = xg_kir_scalar(k.m, from);
    r = xg_kir_scalar(k.m, to);
    memset(&rule, 0, sizeof rule);
    rule.out = to;
    rule.in0 = code == XG_K_OP_SELECT ? XG_E_I1 : from;
    rule.bits = from == XG_E_I1 ? 1 : (int)xg_kelem_bytes(from) * 8;
    rule.raw = (code >= XG_K_OP_SELECT && code <= XG_K_OP_CTLZ) || code == XG_K_OP_EXTSI || code == XG_K_OP_EXTUI ||
               code == XG_K_OP_TRUNCI;
    rule.shift = (code == XG_K_OP_SHLI || code == XG_K_OP_SHRSI || code == XG_K_OP_SHRUI);
    rule.divide = code >= XG_K_OP_DIVSI && code <= XG_K_OP_REMUI;
    rule.near = (code >= XG_K_OP_RSQRT && code <= XG_K_OP_ERF) || (code >= XG_K_OP_EX2A && code <= XG_K_OP_DIVFULL);
    rule.loose = code >= XG_K_OP_EX2A && code <= XG_K_OP_DIVFULL;
    rule.moves = code == XG_K_OP_SELECT;
    for (i = 0; i < operands; i++)
        v[i] = load(&k, i, code == XG_K_OP_SELECT && i == 0 ? xg_kir_scalar(k.m, XG_E_I1) : t, xg_kelem_bytes(from));
    op = xg_kir_op(&k.b, code, v, (uint32_t)operands, &r, 1, 0);
    op->flags = flags;
    store(&k, op->results, xg_kelem_bytes(to));
    end(&k, p);
}
static void sweep_vector(xg_ptx *p, xg_kelem e, int64_t lanes, int64_t align) {
    kernel k = begin(name_of("copy", xg_kelem_name(e), "x", (int)(lanes * 100 + align)));
    const xg_ktype *t = xg_kir_vector(k.m, e, lanes), *s = xg_kir_scalar(k.m, e);
    xg_kval *v = load(&k, 1, t, align), *args[3], *x;
    memset(&rule, 0, sizeof rule);
    rule.raw = rule.moves = true;
    rule.out = rule.in0 = e;
    rule.bits = e == XG_E_I1 ? 1 : 8;
    args[0] = v;
    args[1] = xg_kconst_int(&k.b, XG_E_I32, lanes - 1);
    x = xg_kir_op(&k.b, XG_K_OP_VEXTRACT, args, 2, &s, 1, 0)->results;
    args[0] = x;
    args[1] = v;
    args[2] = k.tid; /* a lane nobody knows */
    v = xg_kir_op(&k.b, XG_K_OP_VINSERT, args, 3, &t, 1, 0)->results;
    store(&k, v, align);
    end(&k, p);
}
static void sweep_bitcast(xg_ptx *p, xg_kelem from, int64_t n, xg_kelem to) {
    int bits = xg_kelem_bits(from) * (int)n;
    kernel k = begin(name_of("bitcast", xg_kelem_name(from), xg_kelem_name(to), (int)n));
    int64_t m = bits / xg_kelem_bits(to);
    const xg_ktype *t = n > 1 ? xg_kir_vector(k.m, from, n) : xg_kir_scalar(k.m, from),
                   *r = m > 1 ? xg_kir_vector(k.m, to, m) : xg_kir_scalar(k.m, to);
    xg_kval *v = load(&k, 0, t, XG_MIN(bits / 8, 16));
    memset(&rule, 0, sizeof rule);
    rule.raw = rule.moves = true;
    rule.out = rule.in0 = to;
    rule.bits = 8;
    v = xg_kir_op(&k.b, XG_K_OP_BITCAST, &v, 1, &r, 1, 0)->results;
    store(&k, v, XG_MIN(bits / 8, 16));
    end(&k, p);
}
/* A loop that swaps and accumulates, an if with and without results, a while, shared memory with a barrier. */
static void sweep_control(xg_ptx *p, xg_kelem e, int64_t shared) {
    kernel k = begin(name_of("control", xg_kelem_name(e), "x", (int)shared));
    const xg_ktype *t = xg_kir_scalar(k.m, e), *i32 = xg_kir_scalar(k.m, XG_E_I32),
                   *sp = xg_kir_pointer(k.m, XG_SPACE_SHARED), *types[3];
    xg_str *symbol = XG_NEW(&arena, xg_str);
    xg_kval *x = load(&k, 0, t, xg_kelem_bytes(e)), *y = load(&k, 1, t, xg_kelem_bytes(e)), *lo, *hi, *step, *v[3],
            *base;
    xg_kval *inits[3], *c;
    xg_kop *op, *loop;
    xg_kb in;
    bool is_float = xg_kelem_is_float(e);
    xg_kopcode add = is_float ? XG_K_OP_ADDF : XG_K_OP_ADDI;
    memset(&rule, 0, sizeof rule);
    rule.raw = true;
    rule.out = rule.in0 = e;
    rule.bits = 8;
    *symbol = XG_STR("tile.1");
    op = xg_kir_op(&k.b, XG_K_OP_SHARED_PTR, NULL, 0, &sp, 1, 0);
    op->a = shared;
    op->b = 16;
    op->p = symbol;
    base = offset(&k, op->results, xg_kelem_bytes(e));
    v[0] = x;
    v[1] = base;
    xg_kir_op(&k.b, XG_K_OP_STORE, v, 2, NULL, 0, 0)->a = xg_kelem_bytes(e);
    xg_kir_op(&k.b, XG_K_OP_BARRIER, NULL, 0, NULL, 0, 0);
    lo = xg_kconst_int(&k.b, XG_E_I32, 0);
    hi = xg_kconst_int(&k.b, XG_E_I32, 10);
    step = xg_kconst_int(&k.b, XG_E_I32, 2);
    inits[0] = x;
    inits[1] = y;
    inits[2] = k.tid;
    loop = xg_kfor(&k.b, lo, k.tid, step, inits, 3);
    in = xg_kb_end(k.m, loop->regions[0]);
    v[0] = xg_kir_op(&in, XG_K_OP_LOAD, &base, 1, &t, 1, 0)->results;
    v[0] = xg_k2(&in, add, &loop->regions[0]->args[1], v[0]);
    c = xg_k2(&in, XG_K_OP_ADDI, &loop->regions[0]->args[3], &loop->regions[0]->args[0]);
    v[1] = v[0];
    v[0] = &loop->regions[0]->args[2];
    v[2] = c; /* swaps */
    xg_kyield(&in, v, 3);
    c = xg_kcmpi_(&k.b, XG_CI_ULT, &loop->results[2], hi);
    types[0] = t;
    types[1] = i32;
    op = xg_kif(&k.b, c, types, 2);
    in = xg_kb_end(k.m, op->regions[0]);
    v[0] = xg_kir_op(&in, XG_K_OP_LOAD, &base, 1, &t, 1, 0)->results;
    v[1] = k.tid;
    xg_kyield(&in, v, 2);
    in = xg_kb_end(k.m, op->regions[1]);
    v[0] = &loop->results[1];
    v[1] = hi;
    xg_kyield(&in, v, 2);
    x = &op->results[0];
    y = &op->results[1];
    v[0] = x;
    v[1] = y;
    types[0] = t;
    types[1] = i32;
    op = xg_kir_op(&k.b, XG_K_OP_WHILE, v, 2, types, 2, 2);
    xg_kir_region_args(&k.b, op, 0, types, 2);
    xg_kir_region_args(&k.b, op, 1, types, 2);
    in = xg_kb_end(k.m, op->regions[0]);
    v[0] = xg_kcmpi_(&in, XG_CI_SGT, &op->regions[0]->args[1], lo);
    v[1] = &op->regions[0]->args[0];
    v[2] = &op->regions[0]->args[1];
    xg_kir_op(&in, XG_K_OP_CONDITION, v, 3, NULL, 0, 0);
    in = xg_kb_end(k.m, op->regions[1]);
    v[0] = xg_k2(&in, add, &op->regions[1]->args[0], &op->regions[1]->args[0]);
    v[1] = xg_k2(&in, XG_K_OP_SUBI, &op->regions[1]->args[1], step);
    xg_kyield(&in, v, 2);
    x = &op->results[0];
    op = xg_kif(&k.b, c, NULL, 0);
    in = k.b;
    k.b = xg_kb_end(k.m, op->regions[0]);
    store(&k, x, xg_kelem_bytes(e));
    xg_kyield(&k.b, NULL, 0);
    k.b = xg_kb_end(k.m, op->regions[1]);
    xg_kyield(&k.b, NULL, 0);
    k.b = in;
    end(&k, p);
}
static void sweep(xg_ptx *p) {
    static const xg_kopcode int2[] = {XG_K_OP_ADDI, XG_K_OP_SUBI, XG_K_OP_MULI, XG_K_OP_MULHSI, XG_K_OP_MULHUI,
        XG_K_OP_DIVSI, XG_K_OP_DIVUI, XG_K_OP_REMSI, XG_K_OP_REMUI, XG_K_OP_ANDI, XG_K_OP_ORI, XG_K_OP_XORI,
        XG_K_OP_SHLI, XG_K_OP_SHRSI, XG_K_OP_SHRUI, XG_K_OP_MAXSI, XG_K_OP_MINSI, XG_K_OP_MAXUI, XG_K_OP_MINUI};
    static const xg_kopcode float2[] = {XG_K_OP_ADDF, XG_K_OP_SUBF, XG_K_OP_MULF, XG_K_OP_DIVF, XG_K_OP_REMF,
        XG_K_OP_MAXF, XG_K_OP_MINF, XG_K_OP_MAXNUMF, XG_K_OP_MINNUMF, XG_K_OP_COPYSIGN, XG_K_OP_POW, XG_K_OP_ATAN2};
    static const xg_kopcode float1[] = {XG_K_OP_NEGF, XG_K_OP_ABSF, XG_K_OP_FLOOR, XG_K_OP_CEIL, XG_K_OP_TRUNC,
        XG_K_OP_ROUNDEVEN, XG_K_OP_ROUND, XG_K_OP_SQRT, XG_K_OP_RSQRT, XG_K_OP_CBRT, XG_K_OP_EXP, XG_K_OP_EXPM1,
        XG_K_OP_LOG, XG_K_OP_LOG1P, XG_K_OP_SIN, XG_K_OP_COS, XG_K_OP_TAN, XG_K_OP_TANH, XG_K_OP_SINH, XG_K_OP_COSH,
        XG_K_OP_ASIN, XG_K_OP_ACOS, XG_K_OP_ATAN, XG_K_OP_ASINH, XG_K_OP_ACOSH, XG_K_OP_ATANH, XG_K_OP_ERF};
    static const xg_kelem ints[] = {XG_E_I8, XG_E_I16, XG_E_I32, XG_E_I64};
    static const xg_kelem every[] = {
        XG_E_I1, XG_E_I8, XG_E_I16, XG_E_I32, XG_E_I64, XG_E_BF16, XG_E_F16, XG_E_F32, XG_E_F64, XG_E_F8E4M3FN};
    static const xg_kelem wide[] = {XG_E_BF16, XG_E_F16, XG_E_F32, XG_E_F64};
    size_t i, j;
    uint32_t c;
    int64_t n, align;
    for (i = 0; i < XG_COUNT(int2); i++)
        for (j = 0; j < 4; j++) sweep_op(p, int2[i], 2, ints[j], ints[j], 0);
    for (i = 0; i < 3; i++) sweep_op(p, int2[i], 2, XG_E_I1, XG_E_I1, 0);
    for (i = 9; i < XG_COUNT(int2); i++) sweep_op(p, int2[i], 2, XG_E_I1, XG_E_I1, 0);
    for (j = 0; j < 5; j++) {
        sweep_op(p, XG_K_OP_CTPOP, 1, every[j], every[j], 0);
        sweep_op(p, XG_K_OP_CTLZ, 1, every[j], every[j], 0);
    }
    for (c = 0; c < XG_CI_COUNT; c++)
        for (j = 0; j < 5; j++) sweep_op(p, XG_K_OP_CMPI, 2, every[j], XG_E_I1, c);
    for (c = 0; c < XG_CF_COUNT; c++)
        for (j = 0; j < 4; j++) sweep_op(p, XG_K_OP_CMPF, 2, wide[j], XG_E_I1, c);
    for (i = 0; i < XG_COUNT(every); i++) sweep_op(p, XG_K_OP_SELECT, 3, every[i], every[i], 0);
    for (i = 0; i < XG_COUNT(float2); i++)
        for (j = 0; j < 4; j++) sweep_op(p, float2[i], 2, wide[j], wide[j], 0);
    for (i = 0; i < XG_COUNT(float1); i++)
        for (j = 0; j < 4; j++) sweep_op(p, float1[i], 1, wide[j], wide[j], 0);
    for (j = 0; j < 4; j++) sweep_op(p, XG_K_OP_FMA, 3, wide[j], wide[j], 0);
    sweep_op(p, XG_K_OP_DIVFULL, 2, XG_E_F32, XG_E_F32, 0);
    for (i = 0; i < 2; i++)
        for (c = 0; c < 2; c++) {
            sweep_op(p, c ? XG_K_OP_RCPA : XG_K_OP_RSQRTA, 1, i ? XG_E_F64 : XG_E_F32, i ? XG_E_F64 : XG_E_F32, 0);
        }
    sweep_op(p, XG_K_OP_EX2A, 1, XG_E_F32, XG_E_F32, 0);
    sweep_op(p, XG_K_OP_LG2A, 1, XG_E_F32, XG_E_F32, 0);
    sweep_op(p, XG_K_OP_MULWIDES, 2, XG_E_I32, XG_E_I64, 0);
    sweep_op(p, XG_K_OP_MULWIDEU, 2, XG_E_I32, XG_E_I64, 0);
    sweep_op(p, XG_K_OP_SHFL3, 3, XG_E_I32, XG_E_I32, 0);
    for (i = 0; i < 5; i++)
        for (j = 0; j < 5; j++) {
            if (i < j) {
                sweep_op(p, XG_K_OP_EXTSI, 1, every[i], every[j], 0);
                sweep_op(p, XG_K_OP_EXTUI, 1, every[i], every[j], 0);
            }
            if (i > j) sweep_op(p, XG_K_OP_TRUNCI, 1, every[i], every[j], 0);
        }
    for (i = 0; i < 5; i++)
        for (j = 5; j < XG_COUNT(every); j++) {
            sweep_op(p, XG_K_OP_SITOFP, 1, every[i], every[j], 0);
            sweep_op(p, XG_K_OP_UITOFP, 1, every[i], every[j], 0);
            sweep_op(p, XG_K_OP_FPTOSI, 1, every[j], every[i], 0);
            sweep_op(p, XG_K_OP_FPTOUI, 1, every[j], every[i], 0);
        }
    for (i = XG_E_BF16; i <= XG_E_F6E3M2FN; i++)
        for (j = XG_E_BF16; j <= XG_E_F6E3M2FN; j++)
            if (i != j)
                sweep_op(p, xg_kelem_bits((xg_kelem)i) < xg_kelem_bits((xg_kelem)j) ? XG_K_OP_EXTF : XG_K_OP_TRUNCF, 1,
                    (xg_kelem)i, (xg_kelem)j, 0);
    if (ftz) return;
    for (i = 0; i < XG_COUNT(every); i++)
        for (n = 2; n <= 16; n *= 2)
            for (align = xg_kelem_bytes(every[i]); align <= 16; align *= 4) sweep_vector(p, every[i], n, align);
    for (i = 1; i < 9; i++)
        for (j = 1; j < 9; j++)
            for (n = 1; n <= 8; n *= 2)
                if (i != j && xg_kelem_bits(every[i]) * n % xg_kelem_bits(every[j]) == 0)
                    sweep_bitcast(p, every[i], n, every[j]);
    for (i = 1; i < 9; i++) {
        sweep_control(p, every[i], 4096);
        sweep_control(p, every[i], 50000);
    }
}
/* 0: fine; the messages go to DIR/TARGET.log */
static int assemble(const char *dir, const char *target, const char *ptxas) {
    char command[1024];
    xg_format(command, sizeof command,
        "%s -v -arch=%s %s/%s.ptx -o %s/%s.cubin > %s/%s.log 2>&1 && ! grep -Eq 'warning|[1-9][0-9]* bytes spill' "
        "%s/%s.log",
        ptxas, target, dir, target, dir, target, dir, target, dir, target);
    return system(command);
}
int main(int argc, char **argv) {
    static const char *const known[] = {
        "sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_120"};
    static const char *ptxas;
    static int i, n, passed;
    jmp_buf here;
    for (i = n = 1; i < argc; i++)
        if (!platform_flag(argc, argv, &i)) argv[n++] = argv[i];
    argc = n;
    n = argc > 2 ? argc - 2 : (int)XG_COUNT(known);
    ptxas = getenv("PTXAS");
    if (!ptxas && system("command -v ptxas > /dev/null 2>&1") == 0) ptxas = "ptxas";
    if (!ptxas && system("test -x /usr/local/cuda/bin/ptxas") == 0) ptxas = "/usr/local/cuda/bin/ptxas";
    if (!ptxas && argc > 1) printf("ptxas is absent: texts are made, not assembled\n");
    place_memory();
    xg_ctx_init(&ctx, NULL, 0);
    xg_arena_init(&arena, &ctx);
    if (setjmp(here)) {
        printf("FAIL %s\n", ctx.message);
        return 1;
    }
    (void)xg_try(&ctx, &here);
    interpret_exact = true;
    if (platform.on_device) (void)platform_open(1);
    for (i = 0; i < (platform.on_device ? 1 : 3); i++) {
        static const char *const simulated[] = {"sm_75", "sm_80", "sm_90"};
        xg_mark mark = xg_arena_mark(&arena);
        run_target = platform.on_device ? platform.target : simulated[i];
        kernels = 0;
        sweep(NULL);
        xg_arena_reset(&arena, mark);
        printf("%s: %u kernels run, %d failed so far\n", run_target, kernels, failures);
        passed += (int)kernels;
    }
    passed -= failures;
    run_target = NULL;
    if (argc > 1) {
        char command[600];
        xg_format(command, sizeof command, "mkdir -p %s", argv[1]);
        if (system(command)) return 2;
    }
    for (i = 0; i < n && argc > 1; i++) {
        const char *target = argc > 2 ? argv[2 + i] : known[i];
        xg_ptx *p = xg_ptx_begin(&ctx, &arena, xg_target_find(&ctx, xg_str_z(target)), NULL);
        xg_buf text;
        xg_texts pieces;
        char path[512];
        FILE *f;
        kernels = 0;
        sweep(p);
        ftz = true;
        sweep(p);
        ftz = false;
        xg_buf_init(&text, &arena);
        xg_ptx_finish(p, &pieces);
        xg_put_texts(&text, &pieces);
        xg_format(path, sizeof path, "%s/%s.ptx", argv[1], target);
        f = fopen(path, "wb");
        if (!f) {
            fprintf(stderr, "cannot write %s\n", path);
            return 2;
        }
        fwrite(text.p, 1, text.n, f);
        fclose(f);
        if (ptxas && assemble(argv[1], target, ptxas)) {
            printf("FAIL %s: see %s/%s.log\n", target, argv[1], target);
            failures++;
        } else {
            passed++;
            printf("ok   %s: %u kernels, %zu bytes, .version %.3s\n", target, kernels, text.n, text.p + 9);
        }
    }
    xg_arena_free(&arena);
    platform_close();
    printf("%d passed, %d failed\n", passed, failures);
    return failures != 0;
}
