/* tests/fake_hardware.h -- what real drivers and devices do that is easily forgotten, each on the fake driver, which does
 * it too. Included by tests/fake_cuda.c. */

/* ---- copies from pageable memory land late ---- */

static const char offset_text[] =
    "ENTRY e { x = f32[64] parameter(0) c = f32[64] constant({0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23"
    ",24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,"
    "63}) ROOT y = f32[64] multiply(x, c) }";

/* An upload, then at once a run on a stream of the caller's that knows nothing of the default stream: both the
 * parameter and the program's constant must be there. */
static void upload_way(xlagpu_bytes exe, unsigned long long late) {
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
    p = xlagpu_rt_load(d, exe.data, exe.size);
    e = xlagpu_rt_prepare(p);
    if (!EXPECT(e != NULL)) {
        xlagpu_rt_close(d);
        return;
    }
    EXPECT(!xr_cuda_push(&d->c, xr_cuda_of(d)) && !xr_cuda_of(d)->stream_create(&stream, 1));
    xr_cuda_pop(xr_cuda_of(d));
    fake->read_only[0] = in.address;
    EXPECT(xlagpu_rt_upload(d, in, x, sizeof x) == XLAGPU_OK);
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
    for (k = 0; k < 8; k++) upload_way(exe, 7919 * k);
    reset();
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

static void hardware(xlagpu_context *c, xlagpu_bytes exe, xlagpu_bytes control) {
    (void)exe;
    (void)control;
    uploads(c);
    refused_graphs(c);
}
