/* library_graphs.h -- of libraries.c: calls over the fake driver, in command buffers and outside of them.
 *
 * A call in a command buffer is captured into a graph of its own. Laws: it has the results that it has outside, bit for
 * bit, at other addresses, too; whatever the driver or the library refuses of it, the run goes on without it, and says
 * so; nothing is left. */
#ifndef XLAGPU_TESTS_LIBRARY_GRAPHS_H
#define XLAGPU_TESTS_LIBRARY_GRAPHS_H
#include "fake_state.h"

static fake_state *driver;
static void driver_reset(void) {
    memset(driver, 0, sizeof *driver);
    driver->devices = 1;
    driver->major = 9;
    driver->version = 12080;
}
static bool driver_left(void) {
    bool none = !count.live && !driver->contexts && !driver->memory && !driver->modules && !driver->pushed &&
                !driver->events && !driver->streams && !driver->graphs && !driver->execs;
    size_t k;
    for (k = 0; k < LIBRARIES; k++) none = none && !fakes[k]->live;
    return none;
}
/* concurrent: what the plan has on streams of their own is enqueued there */
static xlagpu_device *open_beside(const char *path, bool plain, bool concurrent) {
    xlagpu_device_desc desc;
    xlagpu_device *d = NULL;
    memset(&desc, 0, sizeof desc);
    memset(&count, 0, sizeof count);
    desc.platform = "cuda";
    desc.driver = path;
    desc.library_folder = FOLDER;
    desc.no_command_buffers = plain;
    desc.concurrent = desc.copy_stream = concurrent;
    desc.allocator = counter_of(&count);
    if (!EXPECT(xlagpu_rt_open(&desc, &d) == XLAGPU_OK)) printf("%s\n", xlagpu_rt_error(d));
    return d;
}
static xlagpu_device *open_over(const char *path, bool plain) { return open_beside(path, plain, false); }
enum {
    RUNS = 3 /* the second one at other addresses, the third one at the same */
};
typedef struct over_run {
    xlagpu_status status;
    double got[RUNS][RESULTS_MAX][ARRAY_MAX / 8];
    char note[600], error[2000];
} over_run;
static xlagpu_status run_at(xlagpu_device *d, xlagpu_execution *e, const call_run *r, xlagpu_buffer *in,
    xlagpu_buffer *out, double got[RESULTS_MAX][ARRAY_MAX / 8]) {
    xlagpu_status s = xlagpu_rt_upload(d, *in, r->given.data, r->given.bytes);
    uint32_t k;
    if (s == XLAGPU_OK) s = xlagpu_rt_execute(e, in, out, NULL);
    if (s == XLAGPU_OK) s = xlagpu_rt_execution_wait(e);
    for (k = 0; k < r->n && s == XLAGPU_OK; k++) s = xlagpu_rt_download(d, got[k], out[k], r->taken[k].bytes);
    return s;
}
static void run_over(const char *path, bool plain, const call_run *r, over_run *o) {
    xlagpu_device *d = open_over(path, plain);
    xlagpu_program *p = xlagpu_rt_load(d, r->exe.data, r->exe.size);
    xlagpu_execution *e = p ? xlagpu_rt_prepare(p) : NULL;
    xlagpu_buffer in[2], out[2][RESULTS_MAX];
    uint32_t k, j;
    memset(o, 0, sizeof *o);
    for (j = 0; j < 2 && e; j++) {
        xlagpu_rt_alloc(d, r->given.bytes, &in[j]);
        for (k = 0; k < r->n; k++) xlagpu_rt_alloc(d, r->taken[k].bytes, &out[j][k]);
    }
    o->status = e ? XLAGPU_OK : xlagpu_rt_error_status(d);
    for (j = 0; j < RUNS && o->status == XLAGPU_OK; j++) o->status = run_at(d, e, r, &in[j > 0], out[j > 0], o->got[j]);
    snprintf(o->note, sizeof o->note, "%s", xlagpu_rt_execution_note(e));
    snprintf(o->error, sizeof o->error, "%s", e ? xlagpu_rt_execution_error(e) : xlagpu_rt_error(d));
    xlagpu_rt_close(d);
}
static bool same_results(const call_run *r, const over_run *a, const over_run *b) {
    bool same = a->status == XLAGPU_OK && b->status == XLAGPU_OK;
    uint32_t k, j;
    for (j = 0; j < RUNS; j++)
        for (k = 0; k < r->n; k++) same = same && memcmp(a->got[0][k], b->got[j][k], r->taken[k].bytes) == 0;
    return same;
}

/* ---- equal inside and outside ---- */

/* Of cuSOLVER two wait for the device, and stay outside. */
static bool waits(const call_sample *s) { return strstr(s->text, "syevd") || strstr(s->text, "gesvd"); }
static void inside_and_outside(xlagpu_context *c, const call_sample *s) {
    static call_run r;
    static over_run plain, graph;
    unsigned long long late;
    if (!begin_call(c, s, "cublaslt,cufft,cudnn,cusolver,always", &r)) return;
    driver_reset();
    run_over(DRIVER, true, &r, &plain);
    EXPECT(driver_left() && !driver->captures && !driver->graph_launches);
    memcpy(r.got, plain.got[0], sizeof r.got);
    if (!EXPECT(plain.status == XLAGPU_OK && agree(&r, 0))) printf("%s\n%s\n", s->text, plain.error);
    for (late = 0; late < 3; late++) { /* as late, and in as odd an order, as streams and nodes may go */
        driver_reset();
        driver->late = late * 7919;
        run_over(DRIVER, false, &r, &graph);
        if (!EXPECT(same_results(&r, &plain, &graph))) printf("%s\n%s\n", s->text, graph.error);
        EXPECT(driver_left() && !driver->races);
        if (!EXPECT_IN(waits(s) || driver->children >= 1, graph.note)) printf("%s\n", s->text);
        EXPECT_IN(!graph.note[0], graph.note);
        if (waits(s) && strstr(s->text, "syevd")) EXPECT(driver->captures <= 1); /* of the product behind it */
    }
}

/* ---- refusals ---- */

/* Each call of the driver's functions of capturing fails once: results stay, and a note says what failed. */
static void refused_captures(xlagpu_context *c, const call_sample *s) {
    static const struct {
        const char *name, *why;
    } rows[] = {
        {"cuStreamCreate", "making a stream"},
        {"cuStreamBeginCapture_v2", "beginning to capture a stream"},
        {"cuStreamEndCapture", "capturing a stream"},
        {"cuGraphAddChildGraphNode", "adding a library's work to a graph"},
        {"cuGraphExecChildGraphNodeSetParams", "changing a library's work in a graph"},
    };
    static const int errors[] = {1, 900, 901, 719};
    static call_run r;
    static over_run plain, graph;
    size_t k, e;
    long n;
    if (!begin_call(c, s, "cublaslt,cufft,cudnn,cusolver,always", &r)) return;
    driver_reset();
    run_over(DRIVER, true, &r, &plain);
    for (k = 0; k < sizeof rows / sizeof *rows; k++)
        for (e = 0; e < sizeof errors / sizeof *errors; e++)
            for (n = 1; n < 100; n++) {
                bool lost = errors[e] == 719; /* LAUNCH_FAILED: the context is of no use any more */
                driver_reset();
                driver->fail = rows[k].name;
                driver->fail_at = n;
                driver->error = errors[e];
                run_over(DRIVER, false, &r, &graph);
                EXPECT_IN(driver_left(), rows[k].name);
                if (driver->seen < n) break;
                if (lost) {
                    EXPECT_IN(graph.status == XLAGPU_ERROR_DEVICE && strstr(graph.error, rows[k].why), graph.error);
                    continue;
                }
                EXPECT_IN(same_results(&r, &plain, &graph), rows[k].name);
                EXPECT_IN(strstr(graph.note, rows[k].why) && strstr(graph.note, "a command buffer"), graph.note);
            }
    driver_reset();
    run_over(PLAIN_DRIVER, false, &r, &graph); /* a driver that cannot capture */
    EXPECT(same_results(&r, &plain, &graph));
    EXPECT_TEXT(graph.note, "a command buffer runs kernel by kernel: the driver captures no streams");
}
/* Each call of the library fails once: while it is captured it is made again outside, else the failure is a status. */
static void failing_in_captures(xlagpu_context *c, const call_sample *s) {
    static call_run r;
    static over_run plain, graph;
    fake_lt *f = fakes[s->library];
    long calls, k, kept = 0;
    if (!begin_call(c, s, "cublaslt,cufft,cudnn,cusolver,always", &r)) return;
    driver_reset();
    run_over(DRIVER, true, &r, &plain);
    for (calls = 1, k = 0; k <= calls; k++) {
        driver_reset();
        f->calls = 0;
        f->fail_at = k;
        f->error = 5;
        run_over(DRIVER, false, &r, &graph);
        EXPECT_IN(driver_left(), s->text);
        if (!k) calls = f->calls;
        if (graph.status == XLAGPU_OK) {
            EXPECT_IN(same_results(&r, &plain, &graph), s->text);
            EXPECT_IN(!k || strstr(graph.note, ": status 5 of "), graph.note);
            kept += k > 0;
        } else
            EXPECT_IN(strstr(graph.error, ": status 5 of "), graph.error);
    }
    f->fail_at = 0;
    EXPECT_IN(kept >= 1 && calls > kept, s->text);
}
static void library_graphs(xlagpu_context *c) {
    void *library = NULL;
    size_t k;
    command_buffer_least = 1;
    if (!EXPECT(system(". tests/scripts/tally.sh; fake_driver " DRIVER) == 0 &&
                build_driver("-DcuStreamBeginCapture_v2=absent", PLAIN_DRIVER)))
        return;
    library = dlopen(DRIVER, RTLD_NOW | RTLD_LOCAL); /* stays open */
    driver = library ? (fake_state *)dlsym(library, "fake") : NULL;
    if (!EXPECT(driver != NULL)) return;
    for (k = 0; k < CALL_SAMPLES; k++) inside_and_outside(c, &call_samples[k]);
    refused_captures(c, &call_samples[0]);
    refused_captures(c, &call_samples[3]);
    failing_in_captures(c, &call_samples[0]);
    failing_in_captures(c, &call_samples[3]);
    failing_in_captures(c, &call_samples[9]);
    failing_in_captures(c, &call_samples[FIRST_DNN]);
    command_buffer_least = 0;
}

#endif
