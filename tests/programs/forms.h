/* tests/programs/forms.h -- what the simulator makes of a PTX statement, for tests/programs/digests.c: the records that
 * it becomes, and what it does to registers of any contents. Include it behind both headers and medley.h. */
#ifndef XLAGPU_TESTS_FORMS_H
#define XLAGPU_TESTS_FORMS_H

enum {
    FORM_TEXT = 1 << 15,
    FORM_SLOTS = 144,                /* of eight bytes: what a thread's registers begin with, how they end */
    FORM_HALF = 32 * FORM_SLOTS * 8, /* the same of a warp */
    FORM_FUEL = 4096                 /* warp instructions */
};
static const char form_head[] =
    ".version 9.0\n.target %s\n.address_size 64\n.extern .shared .align 1024 .b8 dsm[];\n.visible .entry "
    "k(.param .u64 P, .param .align 64 .b8 TM[128]) .maxntid 128,1,1 .minnctapersm 1 {\n"
    ".reg .b16 h<32>; .reg .b32 r<160>; .reg .f32 f<272>; .reg .b64 d<64>; .reg .f64 g<32>; .reg .pred p<8>; "
    ".reg .b128 q<4>; .reg .b64 at; .reg .b32 t;\n";

/* Only registers are touched, no address comes in, and nothing waits: it can be run as it is. */
static bool form_runs(const char *statement) {
    static const char *const words[] = {"[", "bar", "bra", "brx", "call", "exit", "ret", "trap", "wgmma", "fence",
        "cluster", "tcgen05", "alloca", "stack", "cp.", "griddep", "setmaxnreg", "nanosleep", "clock", "timer",
        "createpolicy", "brkpt", "pmevent", "prefetch", "q0", "dsm", "TM", "%", "map", "cvta"};
    size_t k;
    for (k = 0; k < sizeof words / sizeof *words; k++)
        if (strstr(statement, words[k])) return false;
    return true;
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
static void form_write(char *text, const char *target, const char *statement, bool runs) {
    size_t n = xg_format(text, FORM_TEXT, form_head, target);
    if (!runs) {
        xg_format(text + n, FORM_TEXT - n, "bra END;\n%s\nEND: ret;\n}\n", statement);
        return;
    }
    n += xg_format(text + n, FORM_TEXT - n, "ld.param.u64 at, [P]; mov.u32 t, %%tid.x; mad.wide.u32 at, t, %d, at;\n",
        FORM_SLOTS * 8);
    n = form_moves(text, n, false);
    /* the members of a shuffle; which elements a sparse operand has */
    n += xg_format(text + n, FORM_TEXT - n, "mov.b32 r4, -1; mov.b32 r30, 0xE44E4EE4;\n");
    n += xg_format(text + n, FORM_TEXT - n, "%s\n", statement);
    n = form_moves(text, n, true);
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
    f->l.memory = &f->memory;
    f->l.fuel = FORM_FUEL;
    if (xg_sim_prepare(&f->ctx, &f->l) != XLAGPU_OK) return f->ctx.message;
    xg_sim_begin(&f->l);
    w = xg_sim_worker_init(xg_alloc_raw(&f->arena, xg_sim_worker_bytes(&f->l)), &f->l);
    if (xg_sim_run(w, 0, 1) != XLAGPU_OK) {
        xg_sim_fault_text(w, text, sizeof text);
        return text;
    }
    xg_sim_end(&f->l);
    return NULL;
}
/* Memory in which a warp's registers begin and end. */
static char *form_memory(form *f) {
    static medley g;
    xg_sim_buffer b;
    char *p = (char *)xg_alloc(&f->arena, 2 * FORM_HALF + 256);
    p += (256 - (uintptr_t)p % 256) % 256;
    memset(&b, 0, sizeof b);
    b.base = (uint64_t)(uintptr_t)p;
    b.bytes = 2 * FORM_HALF;
    b.name = "registers";
    g.state = 7;
    form_fill(p, FORM_HALF, &g);
    memset(p + FORM_HALF, 0, FORM_HALF);
    xg_sim_memory_add(&f->memory, &b);
    xg_sim_memory_written(&f->memory, b.base, b.bytes, 0);
    return p;
}
#endif /* XLAGPU_TESTS_FORMS_H */
