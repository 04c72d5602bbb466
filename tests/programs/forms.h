/* tests/programs/forms.h -- what the simulator makes of a PTX statement, for tests/programs/digests.c: the records that
 * it becomes, and what it does to registers and memory of any contents. Include it behind both headers and medley.h. */
#ifndef XLAGPU_TESTS_FORMS_H
#define XLAGPU_TESTS_FORMS_H

enum {
    FORM_TEXT = 1 << 15,
    FORM_SLOTS = 144,                /* of eight bytes: what a thread's registers begin with, how they end */
    FORM_HALF = 32 * FORM_SLOTS * 8, /* the same of a warp */
    FORM_OWN = 512, /* bytes of a thread: of shared memory, and of global memory beside the registers */
    FORM_DATA = 32 * FORM_OWN,
    FORM_BYTES = 2 * FORM_HALF + 2 * FORM_DATA, /* registers before and after, global memory, shared memory after */
    FORM_FUEL = 4096                            /* warp instructions */
};
static const char form_head[] =
    ".version 9.0\n.target %s\n.address_size 64\n.extern .shared .align 1024 .b8 dsm[];\n.visible .entry "
    "k(.param .u64 P, .param .align 64 .b8 TM[128]) .maxntid 128,1,1 .minnctapersm 1 {\n"
    ".reg .b16 h<32>; .reg .b32 r<160>; .reg .f32 f<272>; .reg .b64 d<64>; .reg .f64 g<32>; .reg .pred p<8>; "
    ".reg .b128 q<4>; .reg .b64 at; .reg .b32 t;\n";

/* How a statement can be run: not at all; as it is, as only registers are touched; with addresses. */
typedef enum form_way {
    FORM_READ,
    FORM_REGISTERS,
    FORM_MEMORY
} form_way;
static form_way form_runs(const char *statement) {
    static const char *const words[] = {"bra", "brx", "call", "exit", "ret", "trap", "wgmma", "cluster", "alloc",
        "stack", "griddep", "setmaxnreg", "nanosleep", "clock", "timer", "brkpt", "pmevent", "%", "map", "multimem",
        "cvta", "[P"};
    static const char *const others[] = {
        "[", "bar", "fence", "tcgen05", "cp.", "createpolicy", "prefetch", "q0", "dsm", "TM"};
    size_t k;
    for (k = 0; k < sizeof words / sizeof *words; k++)
        if (strstr(statement, words[k])) return FORM_READ;
    for (k = 0; k < sizeof others / sizeof *others; k++)
        if (strstr(statement, others[k])) return FORM_MEMORY;
    return FORM_REGISTERS;
}
/* Loads or stores of the first registers of each kind. */
static size_t form_moves(char *text, size_t n, bool store) {
    static const struct {
        char name;
        const char *type;
        int count;
    } kinds[] = {{'h', "b16", 8}, {'r', "b32", 48}, {'f', "f32", 48}, {'d', "b64", 8}, {'g', "f64", 24}};
    int at = store ? FORM_HALF : 0, i;
    size_t k;
    for (k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (i = 0; i < kinds[k].count; i++, at += 8)
            if (store)
                n += xg_format(
                    text + n, FORM_TEXT - n, "st.global.%s [at+%d], %c%d;\n", kinds[k].type, at, kinds[k].name, i);
            else
                n += xg_format(
                    text + n, FORM_TEXT - n, "ld.global.%s %c%d, [at+%d];\n", kinds[k].type, kinds[k].name, i, at);
    for (i = 0; i < 4; i++, at += 8)
        if (store)
            n += xg_format(text + n, FORM_TEXT - n, "selp.b32 t, 1, 0, p%d; st.global.b32 [at+%d], t;\n", i, at);
        else
            n += xg_format(text + n, FORM_TEXT - n, "and.b32 t, r%d, 1; setp.ne.u32 p%d, t, 0;\n", i, i);
    return n;
}
/* Bytes of each thread between shared memory, which begins as the registers do, and global memory. */
static size_t form_share(char *text, size_t n, bool out) {
    int at;
    n += xg_format(
        text + n, FORM_TEXT - n, "mov.u32 t, %%tid.x; shl.b32 t, t, 9; mov.u32 r159, dsm; add.u32 t, t, r159;\n");
    for (at = 0; at < FORM_OWN; at += 16)
        n += xg_format(text + n, FORM_TEXT - n,
            out ? "ld.shared.v4.b32 {r150,r151,r152,r153}, [t+%d]; st.global.v4.b32 [d63+%d], {r150,r151,r152,r153};\n"
                : "ld.global.v4.b32 {r150,r151,r152,r153}, [at+%d]; st.shared.v4.b32 [t+%d], {r150,r151,r152,r153};\n",
            at, at);
    return n;
}
/* Addresses in the registers that the statements of forms.list have for them. A barrier waits for one thread. */
static size_t form_address(char *text, size_t n, const char *statement) {
    bool barrier = strstr(statement, "mbarrier") != NULL;
    n = form_share(text, n, false);
    n += xg_format(text + n, FORM_TEXT - n,
        "mov.u32 t, %%tid.x; shl.b32 r30, t, 4; add.u32 r30, r30, r159; mov.b32 r31, 16; mad.lo.u32 r3, t, 64, r159;\n"
        "add.u32 r4, r3, 4096; add.u32 r5, r3, 8192; add.u32 r6, r3, 64; shl.b32 r9, t, 3; add.u32 r9, r9, r159;\n"
        "mov.b64 d3, d62; mov.b64 d4, 0; mov.b64 d12, 0; setp.eq.u32 p7, t, 0;\n");
    if (barrier && strstr(statement, "[d3]") && !strstr(statement, "global"))
        n += xg_format(text + n, FORM_TEXT - n, "cvt.u64.u32 d3, r3; cvta.shared.u64 d3, d3;\n");
    if (barrier && !strstr(statement, "mbarrier.init"))
        n += xg_format(
            text + n, FORM_TEXT - n, "mbarrier.init.shared.b64 [%s], 2;\n", strstr(statement, "[r9]") ? "r9" : "r3");
    return n;
}
/* A thread alone copies in bulk; what it has not waited for is waited for. */
static size_t form_touch(char *text, size_t n, const char *target, const char *statement) {
    bool bulk = strstr(statement, "bulk") != NULL;
    n = form_address(text, n, statement);
    n += xg_format(text + n, FORM_TEXT - n, bulk ? "@!p7 bra SKIP;\n%s\nSKIP:\n" : "%s\n", statement);
    if (strstr(statement, "cp.async") && !bulk) n += xg_format(text + n, FORM_TEXT - n, "cp.async.wait_all;\n");
    if (bulk && atoi(target + 3) >= 90)
        n += xg_format(text + n, FORM_TEXT - n, "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n");
    return n + xg_format(text + n, FORM_TEXT - n, "bar.sync 0; mov.b64 d3, 0;\n"); /* d3: no address in what is kept */
}
static void form_write(char *text, const char *target, const char *statement, form_way way) {
    size_t n = xg_format(text, FORM_TEXT, form_head, target);
    if (way == FORM_READ) {
        xg_format(text + n, FORM_TEXT - n, "bra END;\n%s\nEND: ret;\n}\n", statement);
        return;
    }
    n += xg_format(text + n, FORM_TEXT - n, "ld.param.u64 at, [P]; mov.u32 t, %%tid.x; mad.wide.u32 at, t, %d, at;\n",
        FORM_SLOTS * 8);
    n = form_moves(text, n, false);
    /* the members of a shuffle; which elements a sparse operand has */
    n += xg_format(text + n, FORM_TEXT - n, "mov.b32 r4, -1; mov.b32 r30, 0xE44E4EE4;\n");
    if (way == FORM_MEMORY) {
        n += xg_format(text + n, FORM_TEXT - n,
            "mov.u32 t, %%tid.x; ld.param.u64 d62, [P]; mad.wide.u32 d62, t, %d, d62; add.u64 d62, d62, %d; add.u64 "
            "d63, d62, %d;\n",
            FORM_OWN, 2 * FORM_HALF, FORM_DATA);
        n = form_touch(text, n, target, statement);
    } else
        n += xg_format(text + n, FORM_TEXT - n, "%s\n", statement);
    n = form_moves(text, n, true);
    if (way == FORM_MEMORY) n = form_share(text, n, true);
    xg_format(text + n, FORM_TEXT - n, "ret;\n}\n");
}
/* Numbers of all sizes, and some that are special to one type or another. */
static void form_fill(char *p, size_t bytes, medley *g) {
    static const uint32_t special[] = {0, 1, 0x7F, 0x80, 0xFFFF, 0x7C00, 0x3F800000, 0xBF000000, 0x7F800000, 0x7FC00000,
        0x80000000, 0x00400000, 0x3C003C00, 0x42280000};
    size_t k;
    for (k = 0; k + 4 <= bytes; k += 4) {
        uint32_t x = (uint32_t)draw_bits(g) >> (draw(g, 3) ? 0 : draw(g, 32));
        if (draw(g, 4) == 0) x = special[draw(g, sizeof special / sizeof *special)];
        memcpy(p + k, &x, 4);
    }
}

typedef struct form {
    xg_ctx ctx;
    xg_arena arena;
    xg_sim_memory memory;
    xg_sim_launch l;
    xg_source source; /* the module points to it */
} form;
/* The module of the text; NULL: the message says why not. */
static xg_sim_module *form_load(form *f, const char *text) {
    jmp_buf here;
    xg_sim_module *m;
    f->source.name = "form";
    f->source.text = text;
    f->source.size = strlen(text);
    if (setjmp(here)) {
        f->ctx.guard = NULL;
        return NULL;
    }
    xg_try(&f->ctx, &here);
    m = xg_sim_load(&f->ctx, &f->arena, &f->source);
    f->ctx.guard = NULL;
    return m;
}
/* A message without what depends on addresses: long numbers, and what lies beside a place outside of all buffers. */
static void form_forget_addresses(char *text) {
    char *at = text, *to = text, *line = strstr(text, "out of bounds\n");
    line = line ? strchr(line + 14, '\n') : NULL;
    if (line) *line = 0;
    for (; *at; at++) {
        size_t n = at[0] == '0' && at[1] == 'x' ? 2 + strspn(at + 2, "0123456789abcdef") : strspn(at, "0123456789");
        if (n > 6)
            at += n - 1;
        else
            *to++ = *at;
    }
    *to = 0;
}
/* Runs one warp; what goes wrong, NULL: nothing. */
static const char *form_run(form *f, xg_sim_module *m, const void *params, size_t bytes) {
    static char text[1024];
    xg_sim_worker *w;
    memset(&f->l, 0, sizeof f->l);
    f->l.module = m;
    f->l.entry = xg_sim_entry_at(m, 0);
    f->l.grid[0] = 1;
    f->l.block[0] = 32;
    f->l.params = params;
    f->l.param_bytes = bytes;
    f->l.dynamic_shared = FORM_DATA;
    f->l.memory = &f->memory;
    f->l.fuel = FORM_FUEL;
    if (xg_sim_prepare(&f->ctx, &f->l) != XLAGPU_OK) return f->ctx.message;
    xg_sim_begin(&f->l);
    w = xg_sim_worker_init(xg_alloc_raw(&f->arena, xg_sim_worker_bytes(&f->l)), &f->l);
    if (xg_sim_run(w, 0, 1) != XLAGPU_OK) {
        xg_sim_fault_text(w, text, sizeof text);
        form_forget_addresses(text);
        return text;
    }
    xg_sim_end(&f->l);
    return NULL;
}
/* Memory in which a warp's registers begin and end. */
static char *form_memory(form *f) {
    static medley g;
    xg_sim_buffer b;
    char *p = (char *)xg_alloc(&f->arena, FORM_BYTES + 256);
    p += (256 - (uintptr_t)p % 256) % 256;
    memset(&b, 0, sizeof b);
    b.base = (uint64_t)(uintptr_t)p;
    b.bytes = FORM_BYTES;
    b.name = "registers";
    g.state = 7;
    form_fill(p, FORM_HALF, &g);
    memset(p + FORM_HALF, 0, FORM_BYTES - FORM_HALF);
    form_fill(p + 2 * FORM_HALF, FORM_DATA, &g);
    xg_sim_memory_add(&f->memory, &b);
    xg_sim_memory_written(&f->memory, b.base, b.bytes, 0);
    return p;
}
#endif /* XLAGPU_TESTS_FORMS_H */
