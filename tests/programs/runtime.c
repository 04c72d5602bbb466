/* tests/programs/runtime.c -- what a program and its caller agree on: functions that modules call, parameters that are
 * given away, command buffers, waiting, profiles, and no allocation on the way. On the simulator; fake_cuda.c does the
 * same for the driver. Ends with "N passed, N failed". */
#include "../../src/xlagpu.h"
#include "../../src/xlagpu_runtime.h"
#include "expect.h"

static counter count;
static xlagpu_device *open_host(void) {
    xlagpu_device_desc d;
    xlagpu_device *device = NULL;
    memset(&d, 0, sizeof d);
    d.platform = "host";
    d.threads = 1;
    d.allocator = counter_of(&count);
    EXPECT(xlagpu_rt_open(&d, &device) == XLAGPU_OK);
    return device;
}
static xlagpu_program *load(xlagpu_device *d, const char *text, bool control) {
    xlagpu_context *c = xlagpu_create(NULL);
    xlagpu_module *m = xlagpu_parse(c, "runtime", text, strlen(text));
    xlagpu_compile_desc o;
    xlagpu_bytes exe = {NULL, 0};
    xlagpu_program *p;
    memset(&o, 0, sizeof o);
    o.target.name = "sm_90a";
    o.disable_passes = /* loops of five turns stay loops */
        "simplify-while-loops,while_loop_trip_count_annotator,while-loop-fusion";
    o.command_buffer_control = control;
    o.command_buffer_least = control ? 1 : 0;
    if (m) exe = xlagpu_compile(m, &o);
    if (!exe.data) printf("%s\n", xlagpu_error(c));
    p = exe.data ? xlagpu_rt_load(d, exe.data, exe.size) : NULL;
    xlagpu_destroy(c);
    return p;
}
static xlagpu_buffer buffer(xlagpu_device *d, const void *data, size_t bytes) {
    xlagpu_buffer b = {0, 0};
    EXPECT(xlagpu_rt_alloc(d, bytes, &b) == XLAGPU_OK && xlagpu_rt_upload(d, b, data, bytes) == XLAGPU_OK);
    return b;
}

/* ---- a thousand turns ---- */

static void turns(const char *config, bool control) {
    char text[2000];
    xlagpu_device *d = open_host();
    xlagpu_program *p;
    xlagpu_execution *e;
    float x[8] = {0}, y[8];
    xlagpu_buffer in, out;
    long calls;
    int k;
    snprintf(text, sizeof text,
        "below { s = (s32[], f32[8]) parameter(0) i = s32[] get-tuple-element(s), index=0 n = s32[] constant(1000) "
        "ROOT c = pred[] compare(i, n), direction=LT }\n"
        "step { s = (s32[], f32[8]) parameter(0) i = s32[] get-tuple-element(s), index=0 x = f32[8] "
        "get-tuple-element(s), index=1 one = s32[] constant(1) j = s32[] add(i, one) "
        "o = f32[] constant(1) b = f32[8] broadcast(o), dimensions={} y = f32[8] add(x, b) ROOT t = (s32[], f32[8]) "
        "tuple(j, y) }\n"
        "ENTRY e { z = s32[] constant(0) x = f32[8] parameter(0) i = (s32[], f32[8]) tuple(z, x) w = (s32[], f32[8]) "
        "while(i), condition=below, body=step%s ROOT r = f32[8] get-tuple-element(w), index=1 }\n",
        config);
    p = load(d, text, control);
    e = xlagpu_rt_prepare(p);
    if (!EXPECT(e != NULL)) {
        printf("%s\n", xlagpu_rt_error(d));
        return;
    }
    in = buffer(d, x, sizeof x);
    out = buffer(d, x, sizeof x);
    calls = count.calls;
    for (k = 0; k < 2; k++) EXPECT(xlagpu_rt_execute(e, &in, &out, NULL) == XLAGPU_OK);
    EXPECT_IN(count.calls == calls, "a loop of 1,000 turns allocates");
    EXPECT(xlagpu_rt_download(d, y, out, sizeof y) == XLAGPU_OK);
    for (k = 0; k < 8; k++) EXPECT(y[k] == 1000);
    xlagpu_rt_close(d);
    EXPECT(count.live == 0);
}

/* ---- functions ---- */

typedef struct seen {
    int calls, in, out;
    float last;
} seen;
/* both results: twice the operand, and its first element's half */
static xlagpu_status twice(void *user, const xlagpu_rt_call *c) {
    seen *s = (seen *)user;
    const float *x = (const float *)(uintptr_t)c->buffers[0].address;
    float y[4];
    int k;
    s->calls++;
    if (c->n_operands != 1 || c->n_results != 2 || strcmp(c->target, "twice") != 0 ||
        strcmp(c->config, "two words") != 0 || strcmp(c->hlo, "c") != 0)
        return XLAGPU_ERROR_INTERNAL;
    for (k = 0; k < 4; k++) y[k] = 2 * x[k];
    if (x[0] < 0) return XLAGPU_ERROR_DEVICE;
    if (xlagpu_rt_upload(c->device, c->buffers[1], y, sizeof y) != XLAGPU_OK) return XLAGPU_ERROR_DEVICE;
    y[0] = x[0] / 2;
    return xlagpu_rt_upload(c->device, c->buffers[2], y, 4);
}
static xlagpu_status infeed(void *user, const xlagpu_rt_call *c) {
    static const float values[4] = {10, 20, 30, 40};
    ((seen *)user)->in++;
    return c->n_results == 1 && c->n_operands == 0 && strcmp(c->config, "in") == 0
               ? xlagpu_rt_upload(c->device, c->buffers[0], values, sizeof values)
               : XLAGPU_ERROR_INTERNAL;
}
static xlagpu_status outfeed(void *user, const xlagpu_rt_call *c) {
    float v[4];
    ((seen *)user)->out++;
    if (c->n_results || c->n_operands != 1 || xlagpu_rt_download(c->device, v, c->buffers[0], sizeof v) != XLAGPU_OK)
        return XLAGPU_ERROR_INTERNAL;
    ((seen *)user)->last = v[3];
    return XLAGPU_OK;
}
static void functions(void) {
    static const char text[] =
        "ENTRY e { x = f32[4] parameter(0) c = (f32[4], f32[]) custom-call(x), custom_call_target=\"twice\", "
        "backend_config=\"two words\" y = f32[4] get-tuple-element(c), index=0\n"
        " h = f32[] get-tuple-element(c), index=1 r = u32[] replica-id() q = u32[] partition-id() k = token[] "
        "after-all() f = (f32[4], token[]) infeed(k), infeed_config=\"in\"\n"
        " g = f32[4] get-tuple-element(f), index=0 s = f32[4] add(y, g) o = token[] outfeed(s, k), "
        "outfeed_shape=f32[4], outfeed_config=\"out\"\n"
        " ROOT t = (f32[4], f32[], u32[], u32[]) tuple(s, h, r, q) }";
    xlagpu_device *d = open_host();
    xlagpu_program *p;
    xlagpu_execution *e;
    seen s = {0, 0, 0, 0};
    float x[4] = {8, 1, 2, 3}, y[4], h;
    uint32_t ids[2];
    xlagpu_rt_tensor in, out[4];
    EXPECT(load(d, text, false) == NULL);
    EXPECT_TEXT(xlagpu_rt_error(d), "functions that are not registered");
    EXPECT_TEXT(xlagpu_rt_error(d), "'twice' (HLO c), 'infeed' (HLO f), 'outfeed' (HLO o)");
    EXPECT(xlagpu_rt_register(d, "twice", twice, &s) == XLAGPU_OK &&
           xlagpu_rt_register(d, "infeed", infeed, &s) == XLAGPU_OK &&
           xlagpu_rt_register(d, "outfeed", outfeed, &s) == XLAGPU_OK);
    EXPECT(xlagpu_rt_register(d, "twice", twice, &s) == XLAGPU_ERROR_USAGE &&
           xlagpu_rt_register(d, "", twice, &s) == XLAGPU_ERROR_USAGE &&
           xlagpu_rt_register(d, "none", NULL, &s) == XLAGPU_ERROR_USAGE);
    p = load(d, text, false);
    e = xlagpu_rt_prepare(p);
    if (!EXPECT(e != NULL)) {
        printf("%s\n", xlagpu_rt_error(d));
        return;
    }
    in.data = x;
    in.bytes = sizeof x;
    out[0].data = y;
    out[0].bytes = sizeof y;
    out[1].data = &h;
    out[1].bytes = 4;
    out[2].data = &ids[0];
    out[2].bytes = 4;
    out[3].data = &ids[1];
    out[3].bytes = 4;
    xlagpu_rt_set_ids(e, 5, 6);
    EXPECT(xlagpu_rt_run_with(e, &in, 1, out, 4) == XLAGPU_OK);
    EXPECT(y[0] == 26 && y[1] == 22 && y[2] == 34 && y[3] == 46 && h == 4 && ids[0] == 5 && ids[1] == 6);
    EXPECT(s.calls == 1 && s.in == 1 && s.out == 1 && s.last == 46);
    x[0] = -1;
    EXPECT(xlagpu_rt_run_with(e, &in, 1, out, 4) == XLAGPU_ERROR_DEVICE);
    EXPECT_TEXT(xlagpu_rt_error(d), "the function 'twice' failed");
    EXPECT_TEXT(xlagpu_rt_error(d), "while running HLO c");
    xlagpu_rt_close(d);
    EXPECT(count.live == 0);
}

/* What a function with a beginning and an end has seen; refuse: what it is to fail in. */
typedef struct attended {
    int prepared, finished, calls;
    const char *refuse;
    uint64_t scratch[2];
} attended;
static const xlagpu_rt_attribute *of(const xlagpu_rt_call *c, const char *name, xlagpu_attribute_kind kind) {
    return xlagpu_rt_attribute_of(c, name, kind, XLAGPU_INVALID);
}
static bool array_is(const xlagpu_rt_value *v, xlagpu_type type, const char *name, uint32_t alias) {
    return v->type == type && strcmp(v->name, name) == 0 && v->alias == alias;
}
static xlagpu_status attend(void *user, xlagpu_rt_call *c) {
    attended *a = (attended *)user;
    const xlagpu_rt_attribute *times = of(c, "times", XLAGPU_ATTRIBUTE_SCALAR);
    EXPECT(c->n_operands == 1 && c->n_results == 2 && !c->buffers[0].address && c->buffers[0].bytes == 24);
    EXPECT(array_is(&c->arrays[0], XLAGPU_F32, c->arrays[0].name, 0) && c->arrays[0].rank == 2 &&
           c->arrays[0].dims[1] == 3 && c->arrays[0].minor_to_major[0] == 0);
    EXPECT(array_is(&c->arrays[1], XLAGPU_F32, "c", 1) && array_is(&c->arrays[2], XLAGPU_S16, "c", 0));
    if (strcmp(a->refuse, "prepare") == 0) {
        snprintf(c->error, c->error_bytes, "%s is not known", times ? times->name : "nothing");
        return XLAGPU_ERROR_INVALID;
    }
    a->prepared++;
    c->state = malloc(4);
    c->scratch.bytes = strcmp(a->refuse, "scratch") == 0 ? (size_t)1 << 50 : 1000;
    return XLAGPU_OK;
}
static void dismiss(void *user, const xlagpu_rt_call *c) {
    ((attended *)user)->finished++;
    free(c->state);
}
/* The first result is the operand times an attribute, over it; the second one the sum of a list of others. */
static xlagpu_status times(void *user, const xlagpu_rt_call *c) {
    attended *a = (attended *)user;
    const xlagpu_rt_attribute *by = xlagpu_rt_attribute_of(c, "times", XLAGPU_ATTRIBUTE_SCALAR, XLAGPU_F32),
                              *list = of(c, "list", XLAGPU_ATTRIBUTE_ARRAY),
                              *inner = of(c, "inner", XLAGPU_ATTRIBUTE_DICTIONARY),
                              *text = of(c, "text", XLAGPU_ATTRIBUTE_STRING);
    float *x = (float *)(uintptr_t)c->buffers[1].address;
    int16_t *sum = (int16_t *)(uintptr_t)c->buffers[2].address;
    const xlagpu_rt_attribute *member;
    uint32_t k;
    if (!EXPECT(by && list && inner && text && c->state)) return XLAGPU_ERROR_INTERNAL;
    if (strcmp(a->refuse, "call") == 0) {
        memset(c->error, 'x', c->error_bytes); /* not even an end */
        return XLAGPU_ERROR_FAULT;
    }
    member = (const xlagpu_rt_attribute *)inner->data;
    EXPECT(inner->count == 1 && strcmp(member->name, "deep") == 0 && *(const unsigned char *)member->data == 1);
    EXPECT(text->count == 3 && memcmp(text->data, "a\0b", 4) == 0);
    EXPECT(!of(c, "times", XLAGPU_ATTRIBUTE_ARRAY) && !of(c, "time", XLAGPU_ATTRIBUTE_SCALAR) &&
           !xlagpu_rt_attribute_of(c, "times", XLAGPU_ATTRIBUTE_SCALAR, XLAGPU_F64));
    EXPECT(c->buffers[0].address == c->buffers[1].address && c->scratch.bytes == 1000 && c->scratch.address % 256 == 0);
    memset((void *)(uintptr_t)c->scratch.address, 1, 1000);
    a->scratch[a->calls++ % 2] = c->scratch.address;
    for (k = 0; k < 6; k++) x[k] *= *(const float *)by->data;
    for (*sum = 0, k = 0; k < list->count; k++) *sum = (int16_t)(*sum + ((const int16_t *)list->data)[k]);
    return XLAGPU_OK;
}
static const char attended_text[] =
    "ENTRY e { p = f32[2,3]{0,1} parameter(0) a = f32[2,3]{0,1} negate(p) c = (f32[2,3]{0,1}, s16[]) custom-call(a), "
    "custom_call_target=\"times\", output_to_operand_aliasing={{0}: (0, {})}, api_version=API_VERSION_TYPED_FFI, "
    "backend_config={times = 2.5 : f32, list = array<i16: 1, -2, 40>, inner = {deep}, text = \"a\\00b\"} y = "
    "f32[2,3]{0,1} get-tuple-element(c), index=0 z = s16[] get-tuple-element(c), index=1 m = f32[2,3]{0,1} add(y, y) "
    "ROOT t = (f32[2,3]{0,1}, s16[]) tuple(m, z) }";
static void attendance(void) {
    xlagpu_device *d = open_host();
    xlagpu_rt_function_desc desc;
    xlagpu_program *p;
    xlagpu_execution *e[2];
    attended a = {0, 0, 0, "", {0, 0}};
    float x[6] = {1, 2, 3, 4, 5, 6}, y[6];
    int16_t z;
    xlagpu_rt_tensor in, out[2];
    xlagpu_buffer elsewhere[3];
    uint32_t k;
    memset(&desc, 0, sizeof desc);
    EXPECT(xlagpu_rt_register_function(d, NULL) == XLAGPU_ERROR_USAGE);
    desc.name = "times";
    EXPECT(xlagpu_rt_register_function(d, &desc) == XLAGPU_ERROR_USAGE);
    desc.call = times;
    desc.prepare = attend;
    desc.finish = dismiss;
    desc.user = &a;
    EXPECT(xlagpu_rt_register_function(d, &desc) == XLAGPU_OK);
    p = load(d, attended_text, false);
    in.data = x;
    in.bytes = sizeof x;
    out[0].data = y;
    out[0].bytes = sizeof y;
    out[1].data = &z;
    out[1].bytes = sizeof z;
    for (k = 0; k < 2; k++) {
        e[k] = xlagpu_rt_prepare(p);
        if (!EXPECT(e[k] != NULL)) {
            printf("%s\n", xlagpu_rt_error(d));
            return;
        }
        EXPECT(xlagpu_rt_run_with(e[k], &in, 1, out, 2) == XLAGPU_OK && y[0] == -5 && y[5] == -30 && z == 39);
    }
    EXPECT(a.prepared == 2 && a.calls == 2 && a.scratch[0] != a.scratch[1]);
    a.refuse = "call";
    EXPECT(xlagpu_rt_run_with(e[0], &in, 1, out, 2) == XLAGPU_ERROR_FAULT);
    EXPECT_TEXT(xlagpu_rt_error(d), "the function 'times' failed: xxx");
    a.refuse = "prepare";
    EXPECT(xlagpu_rt_prepare(p) == NULL && xlagpu_rt_error_status(d) == XLAGPU_ERROR_INVALID);
    EXPECT_TEXT(xlagpu_rt_error(d), "the function 'times' failed: times is not known\nwhile preparing HLO c");
    a.refuse = "scratch";
    EXPECT(xlagpu_rt_prepare(p) == NULL && xlagpu_rt_error_status(d) == XLAGPU_ERROR_MEMORY);
    EXPECT_TEXT(xlagpu_rt_error(d), "while preparing HLO c");
    EXPECT(a.prepared == 3 && a.finished == 1);
    xlagpu_rt_finish(e[1]);
    EXPECT(a.finished == 2);
    for (k = 0; k < 3; k++) { /* an address of the caller's own memory is not followed */
        elsewhere[k].address = ((uint64_t)(uintptr_t)x + 15) / 16 * 16;
        elsewhere[k].bytes = 1 << 20;
    }
    EXPECT(xlagpu_rt_execute(e[0], elsewhere, elsewhere + 1, NULL) != XLAGPU_OK);
    xlagpu_rt_close(d);
    EXPECT(a.finished == 3 && count.live == 0);
}

/* ---- parameters that are given away ---- */

static void donation(const char *header) {
    char text[1000];
    xlagpu_device *d = open_host();
    xlagpu_program *p;
    xlagpu_execution *e;
    xlagpu_rt_value v;
    float x[4] = {1, 2, 3, 4}, u[1] = {9}, y[4], back[4];
    int32_t at = 2;
    xlagpu_buffer in[3], out[1], other;
    bool must = strstr(header, "must-alias") != NULL;
    snprintf(text, sizeof text,
        "HloModule m, %s\nENTRY e { a = f32[4] parameter(0) u = f32[1] parameter(1) i = s32[] parameter(2) ROOT d = "
        "f32[4] dynamic-update-slice(a, u, i) }",
        header);
    p = load(d, text, false);
    e = xlagpu_rt_prepare(p);
    if (!EXPECT(e != NULL)) {
        printf("%s\n", xlagpu_rt_error(d));
        return;
    }
    EXPECT(xlagpu_rt_result(p, 0, &v) && v.alias == 1);
    in[0] = buffer(d, x, sizeof x);
    in[1] = buffer(d, u, sizeof u);
    in[2] = buffer(d, &at, 4);
    other = buffer(d, x, sizeof x);
    out[0] = other;
    EXPECT(xlagpu_rt_execute(e, in, out, NULL) == (must ? XLAGPU_ERROR_USAGE : XLAGPU_OK));
    if (must)
        EXPECT_TEXT(xlagpu_rt_execution_error(e), "result 0 must have the buffer of parameter 0");
    else { /* another buffer: the parameter stays as it is */
        EXPECT(xlagpu_rt_download(d, y, other, sizeof y) == XLAGPU_OK && y[0] == 1 && y[2] == 9 && y[3] == 4);
        EXPECT(xlagpu_rt_download(d, back, in[0], sizeof back) == XLAGPU_OK && memcmp(back, x, sizeof x) == 0);
    }
    out[0] = in[0];
    EXPECT(xlagpu_rt_execute(e, in, out, NULL) == XLAGPU_OK);
    EXPECT(xlagpu_rt_download(d, y, in[0], sizeof y) == XLAGPU_OK && y[0] == 1 && y[2] == 9 && y[3] == 4);
    xlagpu_rt_close(d);
    EXPECT(count.live == 0);
}

/* A parameter that is given away holds temporaries between its last use and the result that takes its memory; one that
 * is kept stays as it is. */
static void scratch(void) {
    static const char text[] =
        "HloModule m, buffer_donor={ (0, {}) }\nENTRY e { a = f32[2,2] parameter(0) b = f32[2,2] parameter(1)"
        " s = f32[2,2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} t = f32[2,2] dot(s, b), "
        "lhs_contracting_dims={1}, rhs_contracting_dims={0}"
        " u = f32[2,2] dot(t, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} ROOT v = f32[2,2] dot(u, b), "
        "lhs_contracting_dims={1}, rhs_contracting_dims={0} }";
    float a[4] = {1, 2, 3, 4}, b[4] = {1, 1, 0, 1}, want[4] = {1, 6, 3, 16}, y[4]; /* a times b to the fourth */
    xlagpu_device *d = open_host();
    xlagpu_program *p = load(d, text, false);
    xlagpu_execution *e = xlagpu_rt_prepare(p);
    xlagpu_rt_value v;
    xlagpu_buffer in[2], out;
    if (!EXPECT(e != NULL) || !EXPECT(xlagpu_rt_result(p, 0, &v) && v.alias == 1)) return;
    in[0] = buffer(d, a, sizeof a);
    in[1] = buffer(d, b, sizeof b);
    out = buffer(d, b, sizeof b);
    EXPECT(xlagpu_rt_execute(e, in, &out, NULL) == XLAGPU_OK && xlagpu_rt_download(d, y, out, sizeof y) == XLAGPU_OK &&
           memcmp(y, want, sizeof y) == 0);
    EXPECT(xlagpu_rt_download(d, y, in[0], sizeof y) == XLAGPU_OK && memcmp(y, a, sizeof y) == 0);
    EXPECT(xlagpu_rt_execute(e, in, in, NULL) == XLAGPU_OK && xlagpu_rt_download(d, y, in[0], sizeof y) == XLAGPU_OK &&
           memcmp(y, want, sizeof y) == 0);
    xlagpu_rt_close(d);
    EXPECT(count.live == 0);
}

/* ---- command buffers with loops and branches; waiting; profiles ---- */

static void commands(bool control) {
    xlagpu_device *d = open_host();
    xlagpu_program *p = load(d, control_text, control);
    xlagpu_execution *e = xlagpu_rt_prepare(p);
    const xlagpu_rt_event *events;
    float x[6] = {1, 2, 3, 4, 5, 6}, y[6];
    xlagpu_buffer in[2], out;
    uint32_t n;
    uint64_t dropped;
    double sum = 0;
    bool done = false;
    int32_t b;
    if (!EXPECT(e != NULL)) return;
    in[0] = buffer(d, x, sizeof x);
    out = buffer(d, x, sizeof x);
    for (b = 0; b < 3; b++) {
        in[1] = buffer(d, &b, 4); /* another address each time */
        EXPECT(xlagpu_rt_execute(e, in, &out, NULL) == XLAGPU_OK && xlagpu_rt_execution_wait(e) == XLAGPU_OK &&
               xlagpu_rt_execution_done(e, &done) == XLAGPU_OK && done);
        EXPECT(xlagpu_rt_download(d, y, out, sizeof y) == XLAGPU_OK && control_right(x, b, y));
    }
    EXPECT(xlagpu_rt_profile(e, 1000) == XLAGPU_OK && xlagpu_rt_execute(e, in, &out, NULL) == XLAGPU_OK);
    events = xlagpu_rt_profile_events(e, &n, &dropped);
    EXPECT(events && n > 10 && dropped == 0); /* a condition and a body, five times, and more */
    for (b = 0; events && b < (int32_t)n; b++) {
        sum += events[b].seconds;
        EXPECT(events[b].seconds >= 0 && *events[b].hlo && *events[b].kind && events[b].bytes &&
               (!*events[b].kernel || events[b].instructions));
    }
    EXPECT(sum > 0);
    EXPECT(xlagpu_rt_profile(e, 3) == XLAGPU_OK && xlagpu_rt_execute(e, in, &out, NULL) == XLAGPU_OK);
    (void)xlagpu_rt_profile_events(e, &n, &dropped);
    EXPECT(n == 3 && dropped > 7);
    EXPECT(xlagpu_rt_profile(e, 0) == XLAGPU_OK && xlagpu_rt_profile_events(e, &n, NULL) == NULL && n == 0);
    EXPECT(xlagpu_rt_execute(e, in, &out, NULL) == XLAGPU_OK);
    xlagpu_rt_close(d);
    EXPECT(count.live == 0);
}

/* ---- PTX without the compiler ---- */

static const char counting[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.global .align 4 .u32 launches;\n"
    ".visible .entry count(.param .u64 p, .param .u32 n) {\n.reg .b64 %x<4>; .reg .b32 %r<8>; .reg .pred %q;\n"
    "ld.param.u64 %x1, [p]; ld.param.u32 %r1, [n];\nmov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; "
    "mad.lo.u32 %r2, %r2, %r3, %r4;\n"
    "setp.eq.u32 %q, %r2, 0; mov.u64 %x2, launches;\n@%q red.global.add.u32 [%x2], 1;\nsetp.ge.u32 %q, %r2, %r1;\n@%q "
    "ret;\n"
    "mad.wide.u32 %x3, %r2, 4, %x1;\nst.global.u32 [%x3], %r2;\nsetp.ne.u32 %q, %r2, 0;\n@%q "
    "ret;\nld.relaxed.gpu.global.u32 %r5, [%x2];\nst.global.u32 [%x3], %r5;\nret;\n}\n";

typedef struct told {
    uint64_t calls, last, blocks;
} told;
static void tell(void *user, const char *kernel, uint64_t done, uint64_t blocks) {
    told *t = (told *)user;
    t->calls++;
    t->last = done;
    t->blocks = blocks;
    EXPECT(strcmp(kernel, "count") == 0 && done <= blocks);
}
static void any_ptx(void) {
    xlagpu_device_desc desc;
    xlagpu_device *d;
    xlagpu_ptx *p;
    xlagpu_buffer b;
    xlagpu_ptx_launch l;
    xlagpu_kernel_stats s;
    told t = {0, 0, 0};
    unsigned char args[12];
    uint32_t out[1000], n = 1000, k;
    memset(&desc, 0, sizeof desc);
    memset(&l, 0, sizeof l);
    desc.platform = "host";
    desc.progress = tell;
    desc.progress_user = &t;
    EXPECT(xlagpu_rt_open(&desc, &d) == XLAGPU_OK);
    EXPECT(!xlagpu_rt_load_ptx(d, "bad.ptx", "add.u32;", 8) && strstr(xlagpu_rt_error(d), "bad.ptx:1"));
    p = xlagpu_rt_load_ptx(d, "count.ptx", counting, sizeof counting - 1);
    EXPECT(p && xlagpu_rt_alloc(d, sizeof out, &b) == XLAGPU_OK);
    memcpy(args, &b.address, 8);
    memcpy(args + 8, &n, 4);
    l.entry = "count";
    l.grid[0] = 128;
    l.block[0] = 8;
    l.parameters = args;
    l.parameter_bytes = sizeof args;
    EXPECT(xlagpu_rt_run_ptx(p, &l, &s) == XLAGPU_OK && s.launches == 1 && s.global_stores == 126 &&
           s.class_lanes[XLAGPU_CLASS_ATOMIC] == 1);
    EXPECT(t.calls && t.last == 128 && t.blocks == 128);
    EXPECT(xlagpu_rt_run_ptx(p, &l, NULL) == XLAGPU_OK && xlagpu_rt_download(d, out, b, sizeof out) == XLAGPU_OK);
    EXPECT(out[0] == 2); /* the variable lives on */
    for (k = 1; k < n; k++) EXPECT(out[k] == k);
    n = 1001;
    memcpy(args + 8, &n, 4);
    EXPECT(xlagpu_rt_run_ptx(p, &l, &s) == XLAGPU_ERROR_FAULT && strstr(xlagpu_rt_error(d), "out of bounds") &&
           strstr(xlagpu_rt_error(d), "count.ptx:14") && s.faults == 1);
    EXPECT(xlagpu_rt_run_ptx(p, NULL, NULL) == XLAGPU_ERROR_USAGE &&
           xlagpu_rt_run_ptx(NULL, &l, NULL) == XLAGPU_ERROR_USAGE);
    EXPECT(xlagpu_class_name(XLAGPU_CLASS_COUNT - 1) && !xlagpu_class_name(XLAGPU_CLASS_COUNT));
    xlagpu_rt_unload_ptx(p);
    EXPECT(xlagpu_rt_load_ptx(d, NULL, counting, sizeof counting - 1)); /* closing unloads it */
    xlagpu_rt_close(d);
}

int main(void) {
    any_ptx();
    turns("", false);
    turns("", true);
    turns(", backend_config={\"known_trip_count\":{\"n\":\"1000\"}}", false);
    functions();
    attendance();
    donation("input_output_alias={ {}: (0, {}, may-alias) }");
    donation("input_output_alias={ {}: (0, {}, must-alias) }");
    donation("buffer_donor={ (0, {}) }");
    scratch();
    commands(false);
    commands(true);
    return finish();
}
