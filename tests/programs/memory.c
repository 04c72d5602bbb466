/* tests/programs/memory.c [FILES.hlo] -- every allocation of the whole way refused in turn: create, parse, print,
 * evaluate, compile, optimize; open, load, prepare, execute, run; launch PTX; of the files: parse, compile.
 *
 * Law: a refused allocation is a failure with ERROR_MEMORY and a message, never a crash or a leak, and the same call
 * made again works. Fresh memory is filled with rubbish. Running allocates nothing, however long it takes. Best under
 * -fsanitize=address,undefined. Ends with "N passed, N failed". */
#include "../../src/xlagpu.h"
#include "../../src/xlagpu_runtime.h"
#include "expect.h"

static counter count;

/* The call once; when it was refused memory, the failure must say so, and the call works the second time (unless memory
 * stays refused). */
#define TRY(c, ok, status, message) \
    do { \
        long before_ = count.refused; \
        if (ok) break; \
        EXPECT_IN(count.refused > before_, "fails though nothing was refused: " #ok); \
        EXPECT_IN((status) == XLAGPU_ERROR_MEMORY, "another status than ERROR_MEMORY: " #ok); \
        EXPECT_TEXT((message), "out of memory"); \
        if (count.from_there_on) return false; \
        if (!(ok)) { \
            EXPECT_IN(false, "does not work the second time: " #ok); \
            return false; \
        } \
    } while (0)

static bool compiler(xlagpu_context *c, const char *text, xlagpu_bytes *exe, bool whole) {
    xlagpu_module *m = NULL;
    xlagpu_bytes b = {NULL, 0};
    whole_data w;
    WHOLE_TENSORS(xlagpu_tensor, in, out, &w);
    TRY(c, (m = xlagpu_parse(c, "memory", text, strlen(text))) != NULL, xlagpu_error_status(c), xlagpu_error(c));
    TRY(c, (b = xlagpu_print(m)).data != NULL, xlagpu_error_status(c), xlagpu_error(c));
    if (whole) {
        whole_fill(&w);
        TRY(c, xlagpu_evaluate(m, in, WHOLE_IN, out, WHOLE_OUT, false) == XLAGPU_OK, xlagpu_error_status(c),
            xlagpu_error(c));
        EXPECT(whole_right(&w));
    }
    TRY(c, (b = xlagpu_optimize(m, "call-inliner,tuple-simplifier,dce")).data != NULL, xlagpu_error_status(c),
        xlagpu_error(c));
    TRY(c, (*exe = xlagpu_compile(m, NULL)).data != NULL, xlagpu_error_status(c), xlagpu_error(c));
    return true;
}

static bool buffers(xlagpu_device *d, xlagpu_program *p, xlagpu_execution *e, const whole_data *w) {
    xlagpu_buffer in[WHOLE_IN], out[WHOLE_OUT];
    xlagpu_rt_value v;
    int32_t n[7];
    uint32_t k;
    bool right;
    for (k = 0; k < WHOLE_IN; k++) {
        xlagpu_rt_parameter(p, k, &v);
        TRY(d, xlagpu_rt_alloc(d, v.bytes, &in[k]) == XLAGPU_OK, d->c.status, xlagpu_rt_error(d));
    }
    for (k = 0; k < WHOLE_OUT; k++) {
        xlagpu_rt_result(p, k, &v);
        TRY(d, xlagpu_rt_alloc(d, v.bytes, &out[k]) == XLAGPU_OK, d->c.status, xlagpu_rt_error(d));
    }
    /* in the layout that it has: any floats will do */
    EXPECT(xlagpu_rt_upload(d, in[0], w->x, sizeof w->x) == XLAGPU_OK);
    EXPECT(xlagpu_rt_upload(d, in[1], w->n, sizeof w->n) == XLAGPU_OK);
    EXPECT(xlagpu_rt_execute(e, in, out, NULL) == XLAGPU_OK);
    EXPECT(xlagpu_rt_wait(d, NULL) == XLAGPU_OK);
    right = xlagpu_rt_download(d, n, out[3], sizeof n) == XLAGPU_OK && memcmp(n, w->n, sizeof n) == 0;
    EXPECT(right);
    for (k = 0; k < WHOLE_IN; k++) xlagpu_rt_free(d, in[k]);
    return right;
}

static bool runtime(xlagpu_device *d, xlagpu_bytes exe, bool whole) {
    xlagpu_program *p = NULL;
    xlagpu_execution *e = NULL;
    whole_data w;
    WHOLE_TENSORS(xlagpu_rt_tensor, in, out, &w);
    TRY(d, (p = xlagpu_rt_load(d, exe.data, exe.size)) != NULL, d->c.status, xlagpu_rt_error(d));
    TRY(d, (e = xlagpu_rt_prepare(p)) != NULL, d->c.status, xlagpu_rt_error(d));
    if (!whole) return true;
    whole_fill(&w);
    if (!buffers(d, p, e, &w)) return false;
    TRY(d, xlagpu_rt_run(p, in, WHOLE_IN, out, WHOLE_OUT) == XLAGPU_OK, d->c.status, xlagpu_rt_error(d));
    EXPECT(whole_right(&w));
    xlagpu_rt_finish(e);
    xlagpu_rt_unload(p);
    return true;
}

/* The whole way; true when it came to its end. */
static bool way(const char *text, bool whole) {
    xlagpu_context_desc cd;
    xlagpu_device_desc dd;
    xlagpu_context *c;
    xlagpu_device *d = NULL;
    xlagpu_bytes exe = {NULL, 0};
    bool end = false;
    memset(&cd, 0, sizeof cd);
    memset(&dd, 0, sizeof dd);
    cd.allocator = dd.allocator = counter_of(&count);
    dd.platform = "host";
    dd.threads = 2;
    c = xlagpu_create(&cd);
    if (!c && !count.from_there_on) c = xlagpu_create(&cd);
    if (c && compiler(c, text, &exe, whole)) {
        xlagpu_status s = xlagpu_rt_open(&dd, &d);
        if (s != XLAGPU_OK) {
            EXPECT(s == XLAGPU_ERROR_MEMORY && *xlagpu_rt_error(d));
            xlagpu_rt_close(d);
            d = NULL;
            if (!count.from_there_on) EXPECT(xlagpu_rt_open(&dd, &d) == XLAGPU_OK);
        }
        if (d && xlagpu_rt_platform(d)[0] == 'h') end = runtime(d, exe, whole);
    }
    xlagpu_rt_close(d);
    xlagpu_destroy(c);
    EXPECT_IN(count.live == 0, "memory is not given back");
    return end;
}

static void refuse_each(const char *text, bool whole) {
    long most = 1, k, mode;
    for (mode = 0; mode < 2; mode++)
        for (k = 0; k <= most; k++) {
            memset(&count, 0, sizeof count);
            count.refuse = k;
            count.from_there_on = mode == 1;
            EXPECT(way(text, whole) == (k == 0 || mode == 0 || !count.refused));
            if (k == 0) most = count.calls;
            if (k && !count.refused) EXPECT_IN(false, "fewer allocations than the first time");
        }
}

/* With a limit a call works or fails with ERROR_MEMORY, and a failure leaves the context as good as it was. */
static void limits(void) {
    size_t limit, before = 0;
    bool worked = false;
    for (limit = 1000; limit < (size_t)1 << 26; limit += limit / 4) {
        xlagpu_context_desc desc;
        xlagpu_context *c;
        xlagpu_module *m;
        memset(&desc, 0, sizeof desc);
        memset(&count, 0, sizeof count);
        desc.allocator = counter_of(&count);
        desc.memory_limit = limit;
        c = xlagpu_create(&desc);
        m = xlagpu_parse(c, "limit", whole_text, sizeof whole_text - 1);
        before = c->c.live;
        if (m && xlagpu_compile(m, NULL).data) {
            worked = true;
            EXPECT(c->c.live <= limit);
        } else {
            EXPECT_IN(!worked, "works with less memory but not with more");
            EXPECT(xlagpu_error_status(c) == XLAGPU_ERROR_MEMORY && *xlagpu_error(c));
            EXPECT(m || before == 0);
            xlagpu_module_destroy(m);
            EXPECT(c->c.live == 0);
            if (limit > 200000) EXPECT(xlagpu_parse(c, "small", "ENTRY m { ROOT x = f32[] parameter(0) }", 39) != NULL);
        }
        xlagpu_destroy(c);
        EXPECT(count.live == 0);
    }
    EXPECT(worked);
}

/* A loop allocates nothing, however often it turns: neither one that counts nor one that asks. */
static void loops(const char *body) {
    char text[1200];
    xlagpu_device_desc dd;
    xlagpu_context *c = xlagpu_create(NULL);
    xlagpu_module *m;
    xlagpu_device *d = NULL;
    xlagpu_program *p = NULL;
    xlagpu_execution *e;
    xlagpu_bytes exe;
    xlagpu_buffer in[2], out;
    int32_t turns[2] = {3, 1000}, i;
    float x[8] = {0}, y[8];
    long calls;
    memset(&dd, 0, sizeof dd);
    memset(&count, 0, sizeof count);
    dd.allocator = counter_of(&count);
    dd.platform = "host";
    dd.threads = 2;
    snprintf(text, sizeof text,
        "HloModule loops\n"
        "cond { s = (s32[], s32[], f32[8]) parameter(0) i = s32[] get-tuple-element(s), index=0 n = s32[] "
        "get-tuple-element(s), index=1 ROOT lt = pred[] compare(i, n), direction=LT }\n"
        "body { s = (s32[], s32[], f32[8]) parameter(0) i = s32[] get-tuple-element(s), index=0 one = s32[] "
        "constant(1) j = s32[] add(i, one) "
        "n = s32[] get-tuple-element(s), index=1 x = f32[8] get-tuple-element(s), index=2 %s ROOT t = (s32[], s32[], "
        "f32[8]) tuple(j, n, y) }\n"
        "ENTRY e { x = f32[8] parameter(0) n = s32[] parameter(1) zero = s32[] constant(0) t = (s32[], s32[], f32[8]) "
        "tuple(zero, n, x) "
        "w = (s32[], s32[], f32[8]) while(t), condition=cond, body=body ROOT y = f32[8] get-tuple-element(w), index=2 "
        "}\n",
        body);
    m = xlagpu_parse(c, "loops", text, strlen(text));
    exe = xlagpu_compile(m, NULL);
    EXPECT(exe.data && xlagpu_rt_open(&dd, &d) == XLAGPU_OK);
    if (exe.data) p = xlagpu_rt_load(d, exe.data, exe.size);
    e = xlagpu_rt_prepare(p);
    if (EXPECT(e && xlagpu_rt_alloc(d, sizeof x, &in[0]) == XLAGPU_OK && xlagpu_rt_alloc(d, 4, &in[1]) == XLAGPU_OK &&
               xlagpu_rt_alloc(d, sizeof y, &out) == XLAGPU_OK))
        for (i = 0; i < 2; i++) {
            EXPECT(xlagpu_rt_upload(d, in[0], x, sizeof x) == XLAGPU_OK &&
                   xlagpu_rt_upload(d, in[1], &turns[i], 4) == XLAGPU_OK);
            calls = count.calls;
            EXPECT(xlagpu_rt_execute(e, in, &out, NULL) == XLAGPU_OK && xlagpu_rt_wait(d, NULL) == XLAGPU_OK);
            EXPECT_IN(count.calls == calls, "a turn allocates");
            EXPECT(xlagpu_rt_download(d, y, out, sizeof y) == XLAGPU_OK && y[0] == (float)turns[i] &&
                   y[7] == (float)turns[i]);
        }
    else
        printf("%s%s\n", xlagpu_error(c), xlagpu_rt_error(d));
    xlagpu_rt_close(d);
    xlagpu_destroy(c);
    EXPECT(count.live == 0);
}

/* PTX whose kernel takes memory of the device's heap, with each allocation of its launch refused in turn. */
static void heap(void) {
    static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                              ".extern .func (.param .b64 r) malloc (.param .b64 n);\n"
                              ".visible .entry k(.param .u64 po) {\n"
                              ".reg .b64 o, p; .reg .b32 v;\n"
                              "ld.param.u64 o, [po];\n"
                              "{ .param .b64 n; .param .b64 r; st.param.b64 [n], 8; call.uni (r), malloc, (n); "
                              "ld.param.b64 p, [r]; }\n"
                              "st.u32 [p], 7; ld.u32 v, [p]; st.global.u32 [o], v; ret; }\n";
    long most = 1, k;
    for (k = 0; k <= most; k++) {
        xlagpu_device_desc dd;
        xlagpu_ptx_launch launch;
        xlagpu_device *d = NULL;
        xlagpu_buffer out;
        int32_t got = 0;
        long before;
        memset(&dd, 0, sizeof dd);
        memset(&launch, 0, sizeof launch);
        memset(&count, 0, sizeof count);
        dd.allocator = counter_of(&count);
        dd.platform = "host";
        dd.threads = 2;
        EXPECT(xlagpu_rt_open(&dd, &d) == XLAGPU_OK && xlagpu_rt_alloc(d, sizeof got, &out) == XLAGPU_OK);
        launch.grid[0] = launch.block[0] = 1;
        launch.parameters = &out.address;
        launch.parameter_bytes = sizeof out.address;
        before = count.calls;
        if (k) {
            count.refuse = before + k;
            EXPECT(xlagpu_rt_launch_ptx(d, "heap", ptx, sizeof ptx - 1, &launch, NULL) == XLAGPU_ERROR_MEMORY);
            EXPECT(count.refused == 1);
            EXPECT_TEXT(xlagpu_rt_error(d), "out of memory");
        }
        EXPECT(xlagpu_rt_launch_ptx(d, "heap", ptx, sizeof ptx - 1, &launch, NULL) == XLAGPU_OK);
        EXPECT(xlagpu_rt_download(d, &got, out, sizeof got) == XLAGPU_OK && got == 7);
        if (!k) most = count.calls - before;
        xlagpu_rt_close(d);
        EXPECT(count.live == 0);
    }
}

/* A module of a file, parsed and compiled with each allocation refused in turn. */
static void file_compiled(const char *path) {
    static char text[1 << 22];
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(text, 1, sizeof text, f) : 0;
    long most = 1, k;
    if (f) fclose(f);
    for (k = 0; k <= most; k++) {
        xlagpu_context_desc desc;
        xlagpu_context *c;
        memset(&desc, 0, sizeof desc);
        memset(&count, 0, sizeof count);
        count.refuse = k;
        desc.allocator = counter_of(&count);
        c = xlagpu_create(&desc);
        if (c) {
            xlagpu_module *m = xlagpu_parse(c, path, text, n);
            bool made = m && xlagpu_compile(m, NULL).data;
            EXPECT_IN(made || k == 0 ? made : xlagpu_error_status(c) == XLAGPU_ERROR_MEMORY, path);
        }
        xlagpu_destroy(c);
        EXPECT_IN(count.live == 0, path);
        if (k == 0) most = count.calls;
    }
}

int main(int argc, char **argv) {
    static const char *const others[] = {control_text, "ENTRY e { x = f32[9] parameter(0) ROOT y = f32[9] log(x) }",
        "ENTRY e { ROOT x = (f32[2], (s8[3])) parameter(0) }",
        "ENTRY e { x = f64[2,3] parameter(0) y = f64[3,2] reshape(x) z = f64[2,1] slice(x), slice={[0:2], [1:2]} ROOT "
        "t = (f64[3,2]) tuple(y) }"};
    size_t k;
    int f;
    for (f = 1; f < argc; f++) file_compiled(argv[f]);
    refuse_each(whole_text, true);
    for (k = 0; k < sizeof others / sizeof others[0]; k++) refuse_each(others[k], false);
    limits();
    heap();
    loops("o = f32[] constant(1) b = f32[8] broadcast(o), dimensions={} y = f32[8] add(x, b)");
    loops("r = f32[8] reverse(x), dimensions={0} o = f32[] constant(1) b = f32[8] broadcast(o), dimensions={} y = "
          "f32[8] add(r, b)"); /* the state cannot stay in one place */
    return finish();
}
