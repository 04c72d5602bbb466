/* tests/programs/fake_hardware.h -- what real drivers and devices do that is easily forgotten, each on the fake driver,
 * which does it too. Included by tests/programs/fake_cuda.c. */

/* ---- copies from pageable memory land late ---- */

static const char offset_text[] = "ENTRY e { x = f32[64] parameter(0) c = f32[64] "
                                  "constant({0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23"
                                  ",24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,"
                                  "51,52,53,54,55,56,57,58,59,60,61,62,"
                                  "63}) ROOT y = f32[64] multiply(x, c) }";

/* An upload, then at once a run on a stream of the caller's that knows nothing of the default stream: both the
 * parameter and the program's constant must be there. sooner: the upload comes before the load, so that nothing behind
 * the load waits for the constant. */
static void upload_way(xlagpu_bytes exe, unsigned long long late, bool sooner) {
    xlagpu_device *d = NULL;
    xlagpu_program *p;
    xlagpu_execution *e;
    xlagpu_buffer in, out;
    void *stream = NULL;
    float x[64], y[64];
    int k;
    reset();
    fake->late = late;
    EXPECT(open_with("cuda", LIBRARY, 0, &d) == XLAGPU_OK);
    EXPECT(xlagpu_rt_alloc(d, sizeof x, &in) == XLAGPU_OK && xlagpu_rt_alloc(d, sizeof y, &out) == XLAGPU_OK);
    for (k = 0; k < 64; k++) x[k] = 1;
    if (sooner) EXPECT(xlagpu_rt_upload(d, in, x, sizeof x) == XLAGPU_OK);
    p = xlagpu_rt_load(d, exe.data, exe.size);
    e = xlagpu_rt_prepare(p);
    if (!EXPECT(e != NULL)) {
        xlagpu_rt_close(d);
        return;
    }
    EXPECT(!xr_cuda_push(&d->c, xr_cuda_of(d)) && !xr_cuda_of(d)->stream_create(&stream, 1));
    xr_cuda_pop(xr_cuda_of(d));
    fake->read_only[0] = in.address;
    if (!sooner) EXPECT(xlagpu_rt_upload(d, in, x, sizeof x) == XLAGPU_OK);
    memset(x, 0, sizeof x); /* the caller's memory is its own again */
    EXPECT(xlagpu_rt_execute(e, &in, &out, stream) == XLAGPU_OK && xlagpu_rt_wait(d, stream) == XLAGPU_OK);
    EXPECT(xlagpu_rt_download(d, y, out, sizeof y) == XLAGPU_OK);
    for (k = 0; k < 64; k++) EXPECT_IN(y[k] == (float)k, "a run sees bytes of before the upload");
    EXPECT_IN(fake->races == 0, "a run beside an upload that has not landed");
    EXPECT(!xr_cuda_push(&d->c, xr_cuda_of(d)) && !xr_cuda_of(d)->stream_destroy(stream));
    xr_cuda_pop(xr_cuda_of(d));
    xlagpu_rt_close(d);
    EXPECT(nothing_left());
}
static void uploads(xlagpu_context *c) {
    xlagpu_bytes exe = compile(c, offset_text);
    unsigned long long k;
    if (!EXPECT(exe.data != NULL)) return;
    for (k = 0; k < 16; k++) upload_way(exe, 7919 * (k / 2), k % 2);
    reset();
}

/* ---- copies in graphs between the device and the host ---- */

/* A copy node names the kind of memory of either end; the driver refuses a wrong one. */
static void host_copies(xlagpu_context *c) {
    static const char text[] =
        "ENTRY e { x = f32[64] parameter(0) a = f32[64] multiply(x, x) h = f32[64] custom-call(a), "
        "custom_call_target=\"MoveToHost\" n = f32[64] negate(x) d = f32[64] custom-call(h), "
        "custom_call_target=\"MoveToDevice\" ROOT y = f32[64] add(d, n) }";
    xlagpu_bytes exe = compile_commands(c, text, 1, false);
    xlagpu_device *d = NULL;
    xlagpu_program *p;
    xlagpu_execution *e;
    xlagpu_buffer in[2], out;
    float x[64], y[64];
    int k, r;
    if (!EXPECT(exe.data != NULL)) {
        printf("%s\n", xlagpu_error(c));
        return;
    }
    reset();
    EXPECT(open_with("cuda", LIBRARY, 0, &d) == XLAGPU_OK);
    p = xlagpu_rt_load(d, exe.data, exe.size);
    e = xlagpu_rt_prepare(p);
    EXPECT(xlagpu_rt_alloc(d, sizeof x, &in[0]) == XLAGPU_OK && xlagpu_rt_alloc(d, sizeof x, &in[1]) == XLAGPU_OK);
    EXPECT(e && xlagpu_rt_alloc(d, sizeof y, &out) == XLAGPU_OK);
    for (r = 0; r < 2; r++) { /* the second time from another address */
        for (k = 0; k < 64; k++) x[k] = (float)(k + r);
        EXPECT(xlagpu_rt_upload(d, in[r], x, sizeof x) == XLAGPU_OK);
        EXPECT(xlagpu_rt_execute(e, &in[r], &out, NULL) == XLAGPU_OK && !*xlagpu_rt_execution_note(e));
        EXPECT(xlagpu_rt_download(d, y, out, sizeof y) == XLAGPU_OK);
        for (k = 0; k < 64; k++) EXPECT(y[k] == x[k] * x[k] - x[k]);
    }
    EXPECT_IN(fake->graph_launches == 2 && fake->launches == 2 * 3, "the whole program is one graph");
    EXPECT_IN(fake->copy_nodes == 2, "to the host and back, built once");
    xlagpu_rt_close(d);
    EXPECT(nothing_left());
}

/* ---- graphs that the driver refuses ---- */

/* Every call that makes, changes or launches a graph is refused, once or from then on, with every code: the results
 * stay right, kernel by kernel if need be. Only short memory and a lost context fail the run. */
typedef struct refusal {
    const char *name;
    long at;
    int error;
    bool on;
} refusal;
static bool is_lost(int error) {
    static const int lost[] = {4, 214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721};
    size_t k;
    for (k = 0; k < XG_COUNT(lost); k++)
        if (lost[k] == error) return true;
    return false;
}
/* False: there are fewer such calls. */
static bool refuse(xlagpu_bytes exe, refusal r) {
    xlagpu_status s, want = r.error == 2 ? XLAGPU_ERROR_MEMORY : is_lost(r.error) ? XLAGPU_ERROR_DEVICE : XLAGPU_OK;
    char message[XG_MESSAGE_MAX], what[120], number[40];
    reset();
    fake->fail = r.name;
    fake->fail_at = r.at;
    fake->error = r.error;
    fake->fail_on = r.on;
    s = graph_way(exe, message);
    if (fake->seen < r.at) return false;
    snprintf(what, sizeof what, "%s, call %ld%s, error %d", r.name, r.at, r.on ? " and on" : "", r.error);
    snprintf(number, sizeof number, "error %d)", r.error);
    EXPECT_IN(s == want, what);
    EXPECT_IN(nothing_left(), what);
    if (want == XLAGPU_OK) EXPECT_TEXT(last_note, number);
    return true;
}
static void refusals(xlagpu_bytes exe) {
    static const char *const names[] = {"cuGraphCreate", "cuGraphAddKernelNode_v2", "cuGraphAddMemcpyNode",
        "cuGraphAddMemsetNode", "cuGraphAddNode", "cuGraphConditionalHandleCreate", "cuGraphInstantiateWithFlags",
        "cuGraphExecKernelNodeSetParams_v2", "cuGraphExecMemcpyNodeSetParams", "cuGraphExecMemsetNodeSetParams",
        "cuGraphLaunch"};
    static const int errors[] = {801, 1, 2, 719, 3, 4, 46, 200, 201, 214, 220, 226, 400, 401, 500, 700, 701, 702, 704,
        709, 710, 714, 715, 716, 717, 718, 720, 721, 800, 802, 900, 901, 910, 911, 912, 999};
    refusal r;
    size_t k, e;
    int on;
    for (k = 0; k < XG_COUNT(names); k++)
        for (e = 0; e < XG_COUNT(errors); e++)
            for (on = 0; on < 2; on++) {
                r.name = names[k];
                r.error = errors[e];
                r.on = on != 0;
                for (r.at = 1; r.at <= (e < 2 ? 1000 : 1) && refuse(exe, r); r.at++) {}
            }
    reset();
}
/* A refused change leads to one new build; when the driver takes no change at all, the next ones are not even tried. */
static void refused_changes(xlagpu_bytes exe) {
    char message[XG_MESSAGE_MAX];
    long execs_before;
    reset();
    fake->fail = "cuGraphExecKernelNodeSetParams_v2";
    fake->fail_at = 1;
    fake->fail_on = 1;
    fake->error = 801;
    execs_before = fake->graph_launches;
    EXPECT(graph_way(exe, message) == XLAGPU_OK && nothing_left());
    EXPECT_IN(fake->graph_launches - execs_before == 3, "all three runs are graphs");
    EXPECT_IN(fake->seen == 1 && fake->conditionals == 2 * 3, "one refusal, one new build");
    EXPECT_TEXT(last_note, "a command buffer is built anew where addresses change");
    fake->fail = "cuGraphInstantiateWithFlags";
    fake->seen = fake->graph_launches = 0;
    EXPECT(graph_way(exe, message) == XLAGPU_OK && nothing_left() && fake->graph_launches == 0 && fake->seen == 1);
    EXPECT_TEXT(last_note, "a command buffer runs kernel by kernel: making a graph executable: ");
    reset();
}
static void refused_graphs(xlagpu_context *c) {
    xlagpu_bytes plain = compile_commands(c, control_text, 1, false),
                 control = compile_commands(c, control_text, 1, true);
    if (!EXPECT(plain.data && control.data)) return;
    refusals(plain);
    refusals(control);
    refused_changes(control);
}

/* ---- a driver that is there and does not start ---- */

/* Simulating without a word would hide a broken installation. Only "there is no GPU", which a stub library says in its
 * own way, lets "auto" simulate. */
static void broken_drivers(void) {
    static const int errors[] = {1, 2, 3, 34, 36, 46, 100, 101, 102, 304, 802, 803, 804, 999};
    size_t k;
    for (k = 0; k < XG_COUNT(errors); k++) {
        xlagpu_device *d = NULL;
        bool absent = errors[k] == 34 || errors[k] == 100;
        xlagpu_status s;
        reset();
        fake->fail = "cuInit";
        fake->fail_at = 1;
        fake->error = errors[k];
        s = open_with("auto", LIBRARY, 0, &d);
        EXPECT((s == XLAGPU_OK) == absent);
        if (absent) EXPECT(strcmp(xlagpu_rt_platform(d), "host") == 0);
        if (!absent) EXPECT_TEXT(xlagpu_rt_error(d), "starting the NVIDIA driver: ");
        xlagpu_rt_close(d);
        EXPECT(nothing_left());
    }
    reset();
}
/* A driver that was started stays loaded: its threads may still run, and others may have asked it for functions. */
static void kept_library(void) {
    static const char path[] = "./build/fake_cuda_kept.so";
    xlagpu_device *d = NULL;
    void *still;
    EXPECT(system("cp " LIBRARY " ./build/fake_cuda_kept.so") == 0);
    EXPECT(dlopen(path, RTLD_NOW | RTLD_NOLOAD) == NULL);
    EXPECT(open_with("cuda", path, 0, &d) == XLAGPU_OK);
    xlagpu_rt_close(d);
    still = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    EXPECT_IN(still != NULL, "the driver's library is closed while its threads may run");
}

/* ---- what the host must read to decide ---- */

/* The loop begins at a number that the compiler does not know, so it stays one: with 1, four turns, five decisions.
 * Elements change places, so no thread has its own in all turns. */
static const char turns_text[] =
    "cond { s = (s32[], f32[6]) parameter(0) i = s32[] get-tuple-element(s), index=0 n = s32[] constant(5) ROOT lt = "
    "pred[] compare(i, n), direction=LT } "
    "body { s = (s32[], f32[6]) parameter(0) i = s32[] get-tuple-element(s), index=0 one = s32[] constant(1) j = s32[] "
    "add(i, one) x = f32[6] get-tuple-element(s), index=1 l = f32[3] slice(x), slice={[0:3]} "
    "r = f32[3] slice(x), slice={[3:6]} z = f32[6] concatenate(r, l), dimensions={0} y = f32[6] add(z, z) "
    "ROOT t = (s32[], f32[6]) tuple(j, y) } "
    "ENTRY e { x = f32[6] parameter(0) b = s32[] parameter(1) t = (s32[], f32[6]) tuple(b, x) "
    "w = (s32[], f32[6]) while(t), condition=cond, body=body ROOT y = f32[6] get-tuple-element(w), index=1 }";

/* A turn of a loop costs one asynchronous copy into pinned memory and one wait for the caller's stream: no blocking
 * copy, which would wait for the default stream and everything that it orders. */
static void decisions(xlagpu_context *c) {
    xlagpu_device *d = NULL;
    xlagpu_program *p;
    xlagpu_execution *e;
    xlagpu_buffer in[2], out;
    float x[6] = {1, 2, 3, 4, 5, 6}, y[6];
    int32_t b = 1, k;
    long calls, launches, waits;
    xlagpu_bytes turns = compile(c, turns_text);
    if (!EXPECT(turns.data != NULL)) return;
    reset();
    EXPECT(open_with("cuda", LIBRARY, 0, &d) == XLAGPU_OK);
    p = xlagpu_rt_load(d, turns.data, turns.size);
    e = xlagpu_rt_prepare(p);
    if (!EXPECT(e != NULL)) return;
    EXPECT(xlagpu_rt_alloc(d, sizeof x, &in[0]) == XLAGPU_OK && xlagpu_rt_alloc(d, 4, &in[1]) == XLAGPU_OK);
    EXPECT(xlagpu_rt_alloc(d, sizeof y, &out) == XLAGPU_OK);
    EXPECT(xlagpu_rt_upload(d, in[0], x, sizeof x) == XLAGPU_OK && xlagpu_rt_upload(d, in[1], &b, 4) == XLAGPU_OK);
    calls = fake->calls;
    launches = fake->launches;
    waits = fake->stream_waits;
    EXPECT(xlagpu_rt_execute(e, in, &out, NULL) == XLAGPU_OK);
    EXPECT_IN(fake->stream_waits - waits == 5, "five decisions, one wait each");
    EXPECT_IN(fake->downloads == 0, "a decision is read by a copy that waits for more than the stream");
    EXPECT_IN(fake->calls - calls <= 2 * 5 + (fake->launches - launches) + 12, "five decisions, two calls each");
    EXPECT(xlagpu_rt_download(d, y, out, sizeof y) == XLAGPU_OK);
    for (k = 0; k < 6; k++) EXPECT(y[k] == 16 * x[k]);
    xlagpu_rt_close(d);
    EXPECT(nothing_left());
}

/* ---- buffers that lie over each other ---- */

typedef struct overlap_case {
    size_t in[2], out[2]; /* offsets in one buffer, in floats */
    const char *wrong;    /* NULL: fine */
} overlap_case;
static void overlaps(xlagpu_context *c, const char *header, const overlap_case *cases, size_t n) {
    char text[400];
    xlagpu_bytes exe;
    xlagpu_device *d = NULL;
    xlagpu_program *p;
    xlagpu_execution *e;
    xlagpu_buffer all, in[2], out[2];
    size_t k, i;
    snprintf(text, sizeof text,
        "HloModule m%s\nENTRY e { a = f32[8] parameter(0) b = f32[8] parameter(1) s = f32[8] "
        "add(a, b) t = f32[8] negate(b) ROOT r = (f32[8], f32[8]) tuple(s, t) }",
        header);
    exe = compile(c, text);
    reset();
    EXPECT(open_with("cuda", LIBRARY, 0, &d) == XLAGPU_OK);
    p = exe.data ? xlagpu_rt_load(d, exe.data, exe.size) : NULL;
    e = xlagpu_rt_prepare(p);
    if (!EXPECT(e != NULL)) return;
    EXPECT(xlagpu_rt_alloc(d, 256, &all) == XLAGPU_OK);
    for (k = 0; k < n; k++) {
        static const float x[64] = {0};
        xlagpu_status s;
        for (i = 0; i < 2; i++) {
            in[i].address = all.address + 4 * cases[k].in[i];
            out[i].address = all.address + 4 * cases[k].out[i];
            in[i].bytes = out[i].bytes = 32;
        }
        EXPECT(xlagpu_rt_upload(d, all, x, sizeof x) == XLAGPU_OK);
        for (i = 0; i < 2; i++) { /* the second time nothing has changed since the first */
            s = xlagpu_rt_execute(e, in, out, NULL);
            EXPECT(s == (cases[k].wrong ? XLAGPU_ERROR_USAGE : XLAGPU_OK));
            if (cases[k].wrong) EXPECT_TEXT(xlagpu_rt_execution_error(e), cases[k].wrong);
        }
    }
    xlagpu_rt_close(d);
    EXPECT(nothing_left());
}
static void all_overlaps(xlagpu_context *c) {
    static const overlap_case own[] = {
        {{0, 8}, {16, 24}, NULL},
        {{0, 0}, {16, 24}, NULL}, /* parameters are read: they may be one buffer, */
        {{0, 4}, {16, 24}, NULL}, /* or share a part */
        {{0, 8}, {16, 20}, "the buffers of result 0 and result 1 overlap"},
        {{0, 8}, {16, 16}, "the buffers of result 0 and result 1 overlap"},
        {{0, 8}, {24, 20}, "the buffers of result 1 and result 0 overlap"},
        {{0, 8}, {0, 24}, "the buffers of parameter 0 and result 0 overlap"},
        {{0, 8}, {16, 4}, "result 1 overlap"},
        {{4, 40}, {16, 0}, "the buffers of result 1 and parameter 0 overlap"},
        {{0, 8}, {24, 16}, NULL},
    };
    static const overlap_case given[] = {
        {{0, 8}, {0, 24}, NULL},  /* given away */
        {{0, 8}, {16, 24}, NULL}, /* copied first */
        {{0, 0}, {0, 24}, "the buffers of parameter 1 and result 0 overlap"},
        {{0, 8}, {4, 24}, "and result 0 overlap"},
        {{0, 8}, {16, 0}, "the buffers of parameter 0 and result 1 overlap"},
        {{0, 8}, {0, 0}, "overlap"},
    };
    overlaps(c, "", own, XG_COUNT(own));
    overlaps(c, ", input_output_alias={ {0}: (0, {}, may-alias) }", given, XG_COUNT(given));
}
/* Against the plain way: every pair. */
static void random_overlaps(void) {
    enum {
        N = 12
    };
    static xg_exe_value values[N];
    static xlagpu_program p;
    static xlagpu_execution e;
    uint64_t bound[N], state = 1;
    xr_extent extents[N];
    int round, k, j, found = 0;
    e.program = &p;
    e.bound = bound;
    e.extents = extents;
    p.values = values;
    for (round = 0; round < 20000; round++) {
        bool meets = false;
#define DRAW(n) (state = state * 6364136223846793005u + 1442695040888963407u, (uint32_t)(state >> 33) % (uint32_t)(n))
        p.head.n_params = DRAW(7);
        p.head.n_results = 1 + DRAW(5);
        for (k = 0; k < (int)(p.head.n_params + p.head.n_results); k++) {
            bool result = k >= (int)p.head.n_params;
            bound[k] = 16 * (1 + DRAW(60));
            values[k].bytes = DRAW(5) ? 1 + DRAW(48) : 0;
            values[k].alias = result && p.head.n_params && DRAW(2) ? 1 + DRAW(p.head.n_params) : 0;
            if (values[k].alias) values[k].bytes = values[values[k].alias - 1].bytes;
            if (values[k].alias && DRAW(4)) bound[k] = bound[values[k].alias - 1];
        }
#undef DRAW
        for (k = 0; k < (int)(p.head.n_params + p.head.n_results); k++)
            for (j = 0; j < k; j++) {
                bool meet = values[k].bytes && values[j].bytes && bound[k] < bound[j] + values[j].bytes &&
                            bound[j] < bound[k] + values[k].bytes;
                bool shared = values[k].alias == (uint32_t)j + 1 && bound[k] == bound[j];
                meets = meets || (meet && k >= (int)p.head.n_params && !shared);
            }
        xr_begin(&e.c);
        EXPECT((xr_overlap_check(&e) != XLAGPU_OK) == meets);
        found += meets;
    }
    EXPECT(found > 1000 && found < 19000);
}

/* ---- ranges by a function of the caller's ---- */

typedef struct range_log {
    int depth, deepest, wrong;
    char names[2000];
} range_log;
static void range(void *user, const char *name) {
    range_log *l = (range_log *)user;
    if (!name) {
        l->wrong += l->depth-- <= 0;
        return;
    }
    snprintf(l->names + strlen(l->names), sizeof l->names - strlen(l->names), "%s\n", name);
    if (++l->depth > l->deepest) l->deepest = l->depth;
}
static void own_ranges(xlagpu_bytes exe) {
    static const char *const platforms[] = {"cuda", "host"};
    int k;
    for (k = 0; k < 2; k++) {
        range_log l = {0, 0, 0, ""};
        xlagpu_device_desc desc;
        xlagpu_device *d = NULL;
        xlagpu_program *p;
        reset();
        memset(&desc, 0, sizeof desc);
        desc.platform = platforms[k];
        desc.driver = LIBRARY;
        desc.range = range;
        desc.range_user = &l;
        EXPECT(xlagpu_rt_open(&desc, &d) == XLAGPU_OK);
        p = xlagpu_rt_load(d, exe.data, exe.size);
        EXPECT(p && run_whole(p) == XLAGPU_OK);
        EXPECT(strcmp(l.names, "whole\n") == 0 && l.depth == 0 && !l.wrong);
        xlagpu_rt_close(d);
    }
}
/* Where NVIDIA's library of ranges is missing, as with CUDA 13, the device says so. */
static void no_ranges(void) {
    xlagpu_device *d = NULL;
    void *there = dlopen("libnvToolsExt.so.1", RTLD_NOW | RTLD_LOCAL);
    if (there) dlclose(there);
    reset();
    ranges_wanted = true;
    EXPECT(open_with("cuda", LIBRARY, 0, &d) == XLAGPU_OK && !*xlagpu_rt_error(d));
    if (!there) EXPECT_TEXT(xlagpu_rt_note(d), "no NVTX ranges: libnvToolsExt.so.1 cannot be opened");
    ranges_wanted = false;
    xlagpu_rt_close(d);
}

/* ---- what PTX is made for ---- */

/* What was compiled for sm_90a and needs nothing of it runs on the devices behind it. */
static void later_devices(xlagpu_context *c, xlagpu_bytes exe) {
    static const int devices[][2] = {{9, 0}, {10, 0}, {10, 3}, {12, 0}};
    static const char *const own[XG_COUNT(devices)] = {"sm_90a", "sm_100a", "sm_103a", "sm_120a"};
    char message[XG_MESSAGE_MAX];
    xlagpu_device *d = NULL;
    xlagpu_bytes newest;
    xlagpu_target_desc figures;
    size_t k;
    for (k = 0; k < XG_COUNT(devices); k++) {
        reset();
        fake->major = devices[k][0];
        fake->minor = devices[k][1];
        EXPECT_IN(way(exe, message) == XLAGPU_OK && nothing_left(), message);
        EXPECT(open_with("cuda", LIBRARY, 0, &d) == XLAGPU_OK && strcmp(xlagpu_rt_target(d), own[k]) == 0);
        xlagpu_rt_close(d);
    }
    reset();
    fake->major = 13; /* that the table does not have: what the device asks for can be compiled for, and runs */
    EXPECT(open_with("cuda", LIBRARY, 0, &d) == XLAGPU_OK);
    newest = compile_for(c, whole_text, xlagpu_rt_target(d));
    EXPECT(xlagpu_rt_target_desc(d, &figures) == XLAGPU_OK && figures.f32_rate > 0 && figures.l2_latency > 0);
    xlagpu_rt_close(d);
    EXPECT(newest.data && way(newest, message) == XLAGPU_OK && nothing_left());
    reset();
    fake->major = 8;
    EXPECT(way(exe, message) == XLAGPU_ERROR_DEVICE && nothing_left());
    reset();
}
/* A kernel of n parameters and one result: 4,096 bytes of them are what every driver takes, more need PTX 8.1. */
static void many_parameters(xlagpu_context *c, int n, bool newer) {
    static char text[200000];
    static xlagpu_rt_tensor in[1000];
    static float x[1000][4];
    xlagpu_rt_tensor out;
    float y[4];
    xlagpu_bytes exe, ptx;
    xlagpu_device *d = NULL;
    xlagpu_program *p;
    size_t at = (size_t)snprintf(text, sizeof text, "HloModule many, is_scheduled=true\nf {");
    int k;
#define PUT(...) at += (size_t)snprintf(text + at, sizeof text - at, __VA_ARGS__)
    for (k = 0; k < n; k++) PUT(" p%d = f32[4] parameter(%d)", k, k);
    PUT(" t1 = f32[4] add(p0, p1)");
    for (k = 2; k < n; k++) PUT(" %st%d = f32[4] add(t%d, p%d)", k == n - 1 ? "ROOT " : "", k, k - 1, k);
    PUT(" }\nENTRY e {");
    for (k = 0; k < n; k++) PUT(" p%d = f32[4] parameter(%d)", k, k);
    PUT(" ROOT r = f32[4] fusion(");
    for (k = 0; k < n; k++) PUT("%sp%d", k ? ", " : "", k);
    PUT("), kind=kLoop, calls=f }");
#undef PUT
    exe = compile(c, text);
    if (!EXPECT(exe.data != NULL)) {
        printf("%s\n", xlagpu_error(c));
        return;
    }
    ptx = xlagpu_executable_ptx(exe);
    EXPECT_IN((strncmp((const char *)ptx.data, ".version 8.1\n", 13) == 0) == newer, "8.1 where it is needed only");
    for (k = 0; k < n; k++) {
        x[k][0] = x[k][1] = x[k][2] = x[k][3] = (float)k;
        in[k].data = x[k];
        in[k].bytes = 16;
    }
    out.data = y;
    out.bytes = 16;
    reset();
    EXPECT(open_with("cuda", LIBRARY, 0, &d) == XLAGPU_OK);
    p = xlagpu_rt_load(d, exe.data, exe.size);
    EXPECT(p && xlagpu_rt_run(p, in, (uint32_t)n, &out, 1) == XLAGPU_OK && y[3] == (float)(n * (n - 1) / 2));
    xlagpu_rt_close(d);
    EXPECT(nothing_left());
}

/* ---- loading many kernels ---- */

enum {
    MANY = 160
};
/* No two of these kernels are alike, and each is some kilobytes of PTX. */
static xlagpu_bytes many_kernels(xlagpu_context *c) {
    static char text[60000];
    size_t at = (size_t)snprintf(text, sizeof text, "ENTRY e { x = f32[%d] parameter(0)\n", MANY);
    int k;
    for (k = 0; k < MANY; k++)
        at += (size_t)snprintf(text + at, sizeof text - at,
            "a%d = f32[%d] slice(x), slice={[0:%d]} b%d = f32[%d] exponential-minus-one(a%d)\n", k, k + 1, k + 1, k,
            k + 1, k);
    at += (size_t)snprintf(text + at, sizeof text - at, "ROOT t = (");
    for (k = 0; k < MANY; k++) at += (size_t)snprintf(text + at, sizeof text - at, "%sf32[%d]", k ? ", " : "", k + 1);
    at += (size_t)snprintf(text + at, sizeof text - at, ") tuple(");
    for (k = 0; k < MANY; k++) at += (size_t)snprintf(text + at, sizeof text - at, "%sb%d", k ? ", " : "", k);
    snprintf(text + at, sizeof text - at, ") }");
    return compile_commands(c, text, 1u << 30, false); /* no passes: every operation is a kernel */
}
static void run_many(xlagpu_program *p) {
    static float x[MANY], y[MANY][MANY];
    xlagpu_rt_tensor in, out[MANY];
    int k;
    for (k = 0; k < MANY; k++) {
        x[k] = (float)(k % 2);
        out[k].data = y[k];
        out[k].bytes = (size_t)(k + 1) * 4;
    }
    in.data = x;
    in.bytes = sizeof x;
    EXPECT(xlagpu_rt_run(p, &in, 1, out, MANY) == XLAGPU_OK);
    for (k = 0; k < MANY; k++) EXPECT(y[k][0] == 0 && (k < 1 || (y[k][1] > 1.71f && y[k][1] < 1.72f)));
}
typedef struct jit_words {
    int calls, kernels;
    double milliseconds;
} jit_words;
static void jit_said(void *user, const char *program, double milliseconds, const char *text) {
    jit_words *w = (jit_words *)user;
    w->calls++;
    w->kernels += strstr(text, "Used 12 registers") != NULL;
    w->milliseconds += milliseconds;
    EXPECT(*program);
}
static void parts(xlagpu_context *c) {
    xlagpu_bytes exe = many_kernels(c), ptx;
    xlagpu_device_desc desc;
    xlagpu_device *d = NULL;
    xlagpu_program *p;
    uint32_t threads;
    long modules = 0, lines = 0, n;
    size_t at;
    jit_words words = {0, 0, 0};
    ptx = xlagpu_executable_ptx(exe);
    if (!EXPECT(exe.data && ptx.size > 2 * XR_PART_BYTES)) return;
    for (at = 0; at < ptx.size; at++) lines += ((const char *)ptx.data)[at] == '\n';
    memset(&desc, 0, sizeof desc);
    desc.platform = "cuda";
    desc.driver = LIBRARY;
    for (threads = 1; threads <= 8; threads *= 2) {
        reset();
        fake->meet = threads > 1 ? 2 : 1;
        desc.threads = threads;
        desc.jit_log = threads == 8 ? jit_said : NULL;
        desc.jit_log_user = &words;
        EXPECT(xlagpu_rt_open(&desc, &d) == XLAGPU_OK);
        lines_sought = 0;
        p = xlagpu_rt_load(d, exe.data, exe.size);
        if (!EXPECT(p != NULL)) printf("%s\n", xlagpu_rt_error(d));
        if (threads == 1) /* so many kernels are not looked for one by one */
            EXPECT_IN(lines_sought >= lines && lines_sought < 2 * lines, "loading walks over its text once");
        modules = fake->modules;
        EXPECT_IN((modules > 1) == (threads > 1), "several threads load several parts");
        EXPECT_IN(fake->loading_most <= (long)threads && (fake->loading_most > 1) == (threads > 1), "side by side");
        run_many(p);
        xlagpu_rt_close(d);
        EXPECT(nothing_left() && !fake->loading);
    }
    EXPECT(words.calls == modules && words.kernels == modules && words.milliseconds == 1.5 * (double)modules);
    desc.jit_log = NULL;
    for (n = 1; n <= modules; n++) { /* each part fails once */
        reset();
        fake->fail = "cuModuleLoadDataEx";
        fake->fail_at = n;
        fake->error = 218;
        fake->log = "a kernel of this part is wrong";
        EXPECT(xlagpu_rt_open(&desc, &d) == XLAGPU_OK);
        EXPECT(!xlagpu_rt_load(d, exe.data, exe.size));
        EXPECT_TEXT(xlagpu_rt_error(d), "a kernel of this part is wrong");
        xlagpu_rt_close(d);
        EXPECT(nothing_left());
    }
    cache_clear();
    (void)mkdir(CACHE, 0777);
    desc.cache = CACHE;
    for (n = 0; n < 2; n++) { /* parts are kept one by one, and found again */
        reset();
        EXPECT(xlagpu_rt_open(&desc, &d) == XLAGPU_OK);
        p = xlagpu_rt_load(d, exe.data, exe.size);
        EXPECT(p && cache_files() == modules && fake->linked == (n ? 0 : modules) && fake->from_code == modules);
        run_many(p);
        xlagpu_rt_close(d);
        EXPECT(nothing_left());
    }
    cache_clear();
    rmdir(CACHE);
    reset();
}
/* A text of 20 megabytes is walked over once, not once a kernel. */
static void one_walk(void) {
    enum {
        N = 20000,
        PADDING = 900
    };
    static xlagpu_device device;
    static xlagpu_program p;
    char *text = (char *)malloc((size_t)N * (PADDING + 200) + 100), *names = (char *)malloc((size_t)N * 20);
    size_t at = (size_t)sprintf(text, ".version 7.8\n.target sm_90\n.address_size 64\n");
    xr_cuda_code *code;
    int k, misread = 0;
    xg_ctx_init(&device.c, NULL, 0);
    device.threads = 4;
    p.device = &device;
    p.n_kernels = N;
    p.kernels = (xr_kernel *)calloc(N, sizeof *p.kernels);
    for (k = 0; k < N; k++) {
        int number = (int)((k * 7919u) % N); /* kernels stand in another order than in the table */
        sprintf(names + 20 * k, "kernel_%d", k);
        p.kernels[k].name = names + 20 * k;
        at += (size_t)sprintf(text + at, "\n// .entry kernel_0(.param\n.visible .entry kernel_%d(", number);
        if (number % 3) at += (size_t)sprintf(text + at, "\n\t.param .u64 .ptr .global .align 16 a");
        if (number % 3 == 2) at += (size_t)sprintf(text + at, ",\n\t.param .u64 .ptr .global .align 16 b");
        at += (size_t)sprintf(text + at, ")\n{\n%*s\n\tret;\n}\n", PADDING, ".param");
    }
    p.ptx.text = text;
    p.ptx.size = at;
    code = xr_code_new(&p);
    xr_scan(code);
    EXPECT(xr_scan_check(code) == XLAGPU_OK && code->n_entries == N);
    for (k = 0; k < N; k++) misread += p.kernels[k].n_params != (uint32_t)(k % 3);
    for (k = 1; k < N; k++) misread += memcmp(text + code->entries[k].begin - 2, "}\n", 2) != 0;
    EXPECT_IN(!misread, "a kernel's parameters, or its place in the text");
    p.kernels[7].name = "kernel_that_is_not_there";
    for (k = 0; k < N; k++) p.kernels[k].found = false;
    xg_mem_free(&device.c, code);
    code = xr_code_new(&p);
    xr_scan(code);
    EXPECT(xr_scan_check(code) == XLAGPU_ERROR_CORRUPT);
    EXPECT_TEXT(device.c.message, "the executable's PTX has no kernel 'kernel_that_is_not_there'");
    xg_mem_free(&device.c, code);
    free(p.kernels);
    free(text);
    free(names);
}

/* ---- running again ---- */

/* The easy way allocates once: device buffers, the execution, room to change layouts in. */
static void run_again(xlagpu_bytes exe) {
    xlagpu_device *d = NULL;
    xlagpu_program *p;
    long calls, allocations;
    int k;
    reset();
    EXPECT(open_with("cuda", LIBRARY, 0, &d) == XLAGPU_OK);
    p = xlagpu_rt_load(d, exe.data, exe.size);
    EXPECT(p && run_whole(p) == XLAGPU_OK);
    calls = count.calls;
    allocations = fake->allocations;
    for (k = 0; k < 5; k++) EXPECT(run_whole(p) == XLAGPU_OK);
    EXPECT_IN(count.calls == calls && fake->allocations == allocations, "a run like the one before allocates");
    fake->fail = "cuLaunchKernel";
    fake->fail_at = 1;
    fake->error = 719;
    EXPECT(run_whole(p) == XLAGPU_ERROR_DEVICE);
    EXPECT_TEXT(xlagpu_rt_error(d), "launching a kernel");
    fake->fail = NULL;
    EXPECT(run_whole(p) == XLAGPU_OK);
    xlagpu_rt_close(d);
    EXPECT(nothing_left());
}

static void hardware(xlagpu_context *c, xlagpu_bytes exe) {
    parts(c);
    one_walk();
    run_again(exe);
    host_copies(c);
    later_devices(c, exe);
    many_parameters(c, 511, false);
    many_parameters(c, 512, true);
    many_parameters(c, 900, true);
    broken_drivers();
    kept_library();
    decisions(c);
    all_overlaps(c);
    random_overlaps();
    own_ranges(exe);
    no_ranges();
    uploads(c);
    refused_graphs(c);
}
