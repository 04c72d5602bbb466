/* tests/programs/api.c -- the public functions, used wrongly and in unusual ways.
 *
 * Law: a wrong call gives a status and a message that says what would be right, whatever is NULL, too small or of the
 * wrong name; a right one gives the evaluator's results on the simulator, whatever the layouts, sizes and structure.
 * Best under -fsanitize=address,undefined. Ends with "N passed, N failed". */
#include "../../src/xlagpu.h"
#include "../../src/xlagpu_runtime.h"
#include "expect.h"
#include "refused.h"

static xlagpu_context *context;
static xlagpu_device *device;

static xlagpu_module *parse(const char *text) { return xlagpu_parse(context, "api.hlo", text, strlen(text)); }
#define REFUSED(call, status, text) \
    do { \
        EXPECT(call); \
        EXPECT(xlagpu_error_status(context) == (status)); \
        EXPECT_TEXT(xlagpu_error(context), (text)); \
    } while (0)
#define RT_REFUSED(call, status, text) \
    do { \
        EXPECT((call) == (status)); \
        EXPECT_TEXT(xlagpu_rt_error(device), (text)); \
    } while (0)

/* ---- textures ---- */

/* A texture of one dimension: what is wrong with one is said; a right one is an object in memory that is given back. */
static void textures(void) {
    static const float texels[4] = {1, 2, 3, 4};
    static const char ptx[] =
        ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 t, .param .u64 o) {\n"
        ".reg .b64 %d<3>; .reg .b32 %r<2>; .reg .f32 %f<5>;\nld.param.u64 %d1, [t]; ld.param.u64 %d2, [o];\n"
        "mov.u32 %r1, 2; tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%d1, {%r1}]; st.global.f32 [%d2], %f1; ret;\n}";
    xlagpu_buffer data, out, object;
    xlagpu_texture t;
    xlagpu_ptx_launch launch;
    uint64_t args[2];
    float got = 0;
    memset(&t, 0, sizeof t);
    memset(&launch, 0, sizeof launch);
    EXPECT(xlagpu_rt_alloc(device, sizeof texels, &data) == XLAGPU_OK);
    EXPECT(xlagpu_rt_alloc(device, sizeof got, &out) == XLAGPU_OK);
    EXPECT(xlagpu_rt_upload(device, data, texels, sizeof texels) == XLAGPU_OK);
    EXPECT(xlagpu_rt_make_texture(NULL, &t, &object) == XLAGPU_ERROR_USAGE);
    RT_REFUSED(xlagpu_rt_make_texture(device, NULL, &object), XLAGPU_ERROR_USAGE, "no texture");
    RT_REFUSED(xlagpu_rt_make_texture(device, &t, NULL), XLAGPU_ERROR_USAGE, "no room");
    RT_REFUSED(xlagpu_rt_make_texture(device, &t, &object), XLAGPU_ERROR_USAGE, "of 8, 16 or 32 bits");
    t.kind = 2;
    t.bits = 32;
    RT_REFUSED(xlagpu_rt_make_texture(device, &t, &object), XLAGPU_ERROR_USAGE, "1, 2 or 4 channels");
    t.channels = 1;
    RT_REFUSED(xlagpu_rt_make_texture(device, &t, &object), XLAGPU_ERROR_USAGE, "one to three dimensions");
    t.dims[0] = 4;
    t.address_mode[0] = 4;
    RT_REFUSED(xlagpu_rt_make_texture(device, &t, &object), XLAGPU_ERROR_USAGE, "modes 0 to 3");
    t.address_mode[0] = 0;
    t.address = data.address + 2;
    RT_REFUSED(xlagpu_rt_make_texture(device, &t, &object), XLAGPU_ERROR_USAGE, "multiples of a texel");
    t.address = data.address;
    t.normalized_float = 1;
    RT_REFUSED(xlagpu_rt_make_texture(device, &t, &object), XLAGPU_ERROR_USAGE, "8 and 16 bits");
    t.normalized_float = 0;
    t.kind = 1;
    t.linear = 1;
    RT_REFUSED(xlagpu_rt_make_texture(device, &t, &object), XLAGPU_ERROR_USAGE, "linear filtering");
    t.kind = 2;
    EXPECT(xlagpu_rt_make_texture(device, &t, &object) == XLAGPU_OK && object.address);
    args[0] = object.address;
    args[1] = out.address;
    launch.parameters = args;
    launch.parameter_bytes = sizeof args;
    EXPECT(xlagpu_rt_launch_ptx(device, "k", ptx, sizeof ptx - 1, &launch, NULL) == XLAGPU_OK);
    EXPECT(xlagpu_rt_download(device, &got, out, sizeof got) == XLAGPU_OK && got == 3);
    xlagpu_rt_free(device, object);
    RT_REFUSED(xlagpu_rt_launch_ptx(device, "k", ptx, sizeof ptx - 1, &launch, NULL), XLAGPU_ERROR_FAULT,
        "there is no texture at");
    xlagpu_rt_free(device, out);
    xlagpu_rt_free(device, data);
}

/* ---- what buffers are ---- */

/* A buffer that is described is named so in the texts of faults, with the element, if it has one to eight dimensions;
 * each fault that was looked for is there, in the order of the program, and none behind the last. A thread has one. */
static void described(void) {
    static const char ptx[] = ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 b) {\n"
                              ".reg .b64 %d<2>; .reg .f32 %f; .reg .b32 %t; .reg .pred %p<3>;\n"
                              "ld.param.u64 %d1, [b]; mov.u32 %t, %tid.x;\n"
                              "setp.eq.u32 %p0, %t, 0; setp.eq.u32 %p1, %t, 1; setp.eq.u32 %p2, %t, 2;\n"
                              "@%p0 ld.global.f32 %f, [%d1+1024];\n@%p1 ld.global.f32 %f, [%d1+1088];\n"
                              "@%p2 ld.global.f32 %f, [%d1+12];\n@%p2 st.global.f32 [%d1], %f;\nret;\n}";
    static const int64_t dims[9] = {2, 2, 2, 2, 2, 2, 2, 2, 1};
    static float data[256];
    xlagpu_buffer b;
    xlagpu_ptx_launch launch;
    memset(&launch, 0, sizeof launch);
    EXPECT(xlagpu_rt_alloc(device, sizeof data, &b) == XLAGPU_OK);
    EXPECT(xlagpu_rt_upload(device, b, data, sizeof data) == XLAGPU_OK);
    launch.parameters = &b.address;
    launch.parameter_bytes = sizeof b.address;
    launch.max_faults = 4;
    launch.block[0] = 3;
    EXPECT(xlagpu_rt_describe_buffer(NULL, b, "x", 4, dims, 8) == XLAGPU_ERROR_USAGE &&
           xlagpu_rt_describe_buffer(device, b, NULL, 4, dims, 8) == XLAGPU_ERROR_USAGE &&
           xlagpu_rt_describe_buffer(device, b, "x", 4, NULL, 8) == XLAGPU_ERROR_USAGE);
    EXPECT(xlagpu_rt_describe_buffer(device, b, "argument 0, b.npy", 4, dims, 8) == XLAGPU_OK);
    EXPECT(xlagpu_rt_launch_ptx(device, "k", ptx, sizeof ptx - 1, &launch, NULL) == XLAGPU_ERROR_FAULT);
    EXPECT(xlagpu_rt_fault(device, 0) && xlagpu_rt_fault(device, 1) && !xlagpu_rt_fault(device, 2));
    EXPECT_TEXT(xlagpu_rt_fault(device, 0), "argument 0, b.npy, element [2,0,0,0,0,0,0,0]");
    EXPECT_TEXT(xlagpu_rt_fault(device, 1), "argument 0, b.npy, element [2,0,0,1,0,0,0,0]");
    EXPECT(xlagpu_rt_describe_buffer(device, b, "argument 0, nine", 4, dims, 9) == XLAGPU_OK);
    EXPECT(xlagpu_rt_launch_ptx(device, "k", ptx, sizeof ptx - 1, &launch, NULL) == XLAGPU_ERROR_FAULT);
    EXPECT_TEXT(xlagpu_rt_fault(device, 0), "argument 0, nine");
    EXPECT(!strstr(xlagpu_rt_fault(device, 0), "element"));
    xlagpu_rt_forget_contents(device, b);
    EXPECT(xlagpu_rt_launch_ptx(device, "k", ptx, sizeof ptx - 1, &launch, NULL) == XLAGPU_ERROR_FAULT);
    EXPECT(xlagpu_rt_fault(device, 2) && !xlagpu_rt_fault(device, 3) && !xlagpu_rt_fault(NULL, 0));
    EXPECT_TEXT(xlagpu_rt_fault(device, 2), "offset 12, which nobody has written");
    xlagpu_rt_free(device, b);
}

/* ---- nothing where something should be ---- */

static void nothing(void) {
    xlagpu_value_info v;
    xlagpu_rt_value r;
    xlagpu_rt_kernel k;
    xlagpu_report report;
    xlagpu_buffer b = {0, 0};
    xlagpu_bytes none = {NULL, 0};
    uint32_t line = 7, column = 7;
    xlagpu_destroy(NULL);
    xlagpu_module_destroy(NULL);
    EXPECT(xlagpu_parse(NULL, "x", "x", 1) == NULL && *xlagpu_error(NULL) &&
           xlagpu_error_status(NULL) == XLAGPU_ERROR_MEMORY);
    xlagpu_error_position(NULL, &line, &column);
    EXPECT(line == 0 && column == 0);
    xlagpu_error_position(context, NULL, NULL);
    REFUSED(xlagpu_parse(context, NULL, NULL, 5) == NULL, XLAGPU_ERROR_USAGE, "no text");
    EXPECT(xlagpu_parse(context, NULL, NULL, 0) == NULL && xlagpu_error_status(context) == XLAGPU_ERROR_SYNTAX);
    EXPECT(!parse("HloModule m\nENTRY") && strstr(xlagpu_error(context), "cut off"));
    EXPECT(!parse("HloModule m\n@") && !strstr(xlagpu_error(context), "cut off"));
    EXPECT(!xlagpu_print(NULL).data && !xlagpu_compile(NULL, NULL).data && !xlagpu_optimize(NULL, "dce").data &&
           !xlagpu_executable_ptx(none).data);
    EXPECT(xlagpu_parameter_count(NULL) == 0 && xlagpu_result_count(NULL) == 0 && !xlagpu_parameter_info(NULL, 0, &v) &&
           !xlagpu_result_info(NULL, 0, &v));
    EXPECT(!*xlagpu_module_name(NULL) && !xlagpu_compile_report(NULL, &report) &&
           xlagpu_evaluate(NULL, NULL, 0, NULL, 0, false) == XLAGPU_ERROR_USAGE);
    EXPECT(xlagpu_get_element(XLAGPU_F32, NULL) == 0);
    xlagpu_set_element(XLAGPU_F32, NULL, 1);
    EXPECT(strcmp(xlagpu_status_text((xlagpu_status)99), "unknown status") == 0 &&
           strcmp(xlagpu_type_text((xlagpu_type)999), "invalid") == 0 && xlagpu_type_bytes((xlagpu_type)999) == 0);

    xlagpu_rt_close(NULL);
    xlagpu_rt_unload(NULL);
    xlagpu_rt_finish(NULL);
    xlagpu_rt_free(NULL, b);
    xlagpu_rt_free(device, b);
    EXPECT(xlagpu_rt_open(NULL, NULL) == XLAGPU_ERROR_USAGE && *xlagpu_rt_error(NULL) && !*xlagpu_rt_name(NULL) &&
           !*xlagpu_rt_target(NULL) && *xlagpu_rt_platform(NULL));
    EXPECT(
        xlagpu_rt_alloc(NULL, 4, &b) == XLAGPU_ERROR_USAGE && xlagpu_rt_alloc(device, 4, NULL) == XLAGPU_ERROR_USAGE);
    EXPECT(xlagpu_rt_upload(NULL, b, NULL, 0) == XLAGPU_ERROR_USAGE &&
           xlagpu_rt_download(NULL, NULL, b, 0) == XLAGPU_ERROR_USAGE &&
           xlagpu_rt_wait(NULL, NULL) == XLAGPU_ERROR_USAGE);
    EXPECT(!xlagpu_rt_load(NULL, "x", 1) && !xlagpu_rt_load(device, NULL, 0) && !xlagpu_rt_prepare(NULL));
    EXPECT(xlagpu_rt_execute(NULL, NULL, NULL, NULL) == XLAGPU_ERROR_USAGE && *xlagpu_rt_execution_error(NULL));
    EXPECT(xlagpu_rt_run(NULL, NULL, 0, NULL, 0) == XLAGPU_ERROR_USAGE && xlagpu_rt_stats(NULL, NULL, 9) == 0);
    EXPECT(!xlagpu_rt_parameter_count(NULL) && !xlagpu_rt_result_count(NULL) && !xlagpu_rt_parameter(NULL, 0, &r) &&
           !xlagpu_rt_result(NULL, 0, &r) && !xlagpu_rt_kernel_count(NULL) && !xlagpu_rt_kernel_info(NULL, 0, &k) &&
           !*xlagpu_rt_program_name(NULL));
    RT_REFUSED(xlagpu_rt_launch_ptx(device, NULL, NULL, 0, NULL, NULL), XLAGPU_ERROR_USAGE, "no PTX");
    RT_REFUSED(xlagpu_rt_launch_ptx(device, NULL, ".version 7.0", 12, NULL, NULL), XLAGPU_ERROR_USAGE, "no launch");
    {
        xlagpu_tensor_map map;
        uint64_t bytes[16];
        memset(&map, 0, sizeof map);
        RT_REFUSED(xlagpu_rt_encode_tensor_map(device, NULL, bytes), XLAGPU_ERROR_USAGE, "no tensor");
        RT_REFUSED(xlagpu_rt_encode_tensor_map(device, &map, bytes), XLAGPU_ERROR_USAGE, "rank");
        map.rank = 2;
        map.data_type = 7;
        map.address = 4096;
        map.dims[0] = map.dims[1] = 64;
        map.strides[0] = 250;
        map.box[0] = map.box[1] = 8;
        RT_REFUSED(xlagpu_rt_encode_tensor_map(device, &map, bytes), XLAGPU_ERROR_USAGE, "multiple of 16");
        map.strides[0] = 256;
        EXPECT(xlagpu_rt_encode_tensor_map(device, &map, bytes) == XLAGPU_OK && bytes[0] != 0);
    }
    refused(device);
    textures();
    described();
    EXPECT(!xlagpu_rt_ptx_parameter(device, NULL, "x", 1, NULL, 0, NULL, NULL));
}

/* ---- names that are none ---- */

static void names(void) {
    xlagpu_module *m = parse("ENTRY e { x = f32[4] parameter(0) ROOT y = f32[4] add(x, x) }");
    xlagpu_device_desc d;
    xlagpu_device *no = NULL;
    xlagpu_compile_desc c;
    xlagpu_target_desc target;
    uint32_t k;
    memset(&c, 0, sizeof c);
    memset(&d, 0, sizeof d);
    c.target.name = "sm_90b";
    REFUSED(!xlagpu_compile(m, &c).data, XLAGPU_ERROR_USAGE, "did you mean 'sm_90'?");
    REFUSED(!xlagpu_optimize(m, "dcee").data, XLAGPU_ERROR_USAGE, "did you mean 'dce'?");
    REFUSED(!xlagpu_optimize(m, "dce,,dce").data, XLAGPU_ERROR_USAGE, "no pass is called ''");
    EXPECT(xlagpu_optimize(m, NULL).data && xlagpu_optimize(m, "").data);
    for (k = 0; xlagpu_pass_name(k); k++) EXPECT(xlagpu_optimize(m, xlagpu_pass_name(k)).data != NULL);
    EXPECT(k > 0 && !xlagpu_pass_name(k + 1) && !xlagpu_pass_name(UINT32_MAX));
    d.platform = "vulkan";
    EXPECT(xlagpu_rt_open(&d, &no) == XLAGPU_ERROR_USAGE);
    EXPECT_TEXT(xlagpu_rt_error(no), "auto, cuda, host (the simulator) and llvm-cpu");
    xlagpu_rt_close(no);
    /* Extremes of a target that is given in numbers. */
    c.target.name = NULL;
    c.target.bandwidth = c.target.sm_count = c.target.threads_per_sm = c.target.shared_per_block = UINT64_MAX;
    EXPECT(xlagpu_compile(m, &c).data != NULL);
    c.target.bandwidth = c.target.sm_count = c.target.threads_per_sm = c.target.shared_per_block = 1;
    EXPECT(xlagpu_compile(m, &c).data != NULL);
    memset(&c, 0, sizeof c);
    c.target.part = "H20";
    REFUSED(!xlagpu_compile(m, &c).data, XLAGPU_ERROR_USAGE,
        "no device is called 'H20'; known are T4, A100, A100 80GB, A40, ");
    c.target.part = "L40";
    c.target.name = "sm_90a";
    REFUSED(!xlagpu_compile(m, &c).data, XLAGPU_ERROR_USAGE, "L40 is not a device of sm_90a");
    c.target.name = NULL;
    EXPECT(xlagpu_compile(m, &c).data != NULL);
    for (k = 0; xlagpu_part_name(k); k++) {
        EXPECT(xlagpu_target_describe(xlagpu_part_name(k), &target) && target.sm_count > 0 && target.memory_bytes > 0);
        EXPECT(xlagpu_target_describe(target.name, &target)); /* its target's usual one */
    }
    EXPECT(k > 0 && !xlagpu_target_describe("sm_20", &target) && !xlagpu_target_describe(NULL, &target));
    EXPECT(!xlagpu_module_target(m, &target));
    EXPECT(!xlagpu_module_target(NULL, &target));
    EXPECT(xlagpu_module_devices(m) == 1 && xlagpu_module_devices(NULL) == 1);
    c.disable_passes = "dce,no-such-pass";
    EXPECT(xlagpu_compile(m, &c).data != NULL);
    xlagpu_module_destroy(m);
    m = parse("HloModule m, num_partitions=4, frontend_attributes={xlagpu.device=\"H200, sm_count=100\"}\n"
              "ENTRY e { x = f32[4] parameter(0) ROOT y = f32[4] add(x, x) }");
    EXPECT(xlagpu_module_target(m, &target) && target.sm_count == 100 && xlagpu_module_devices(m) == 4);
    EXPECT_TEXT(target.name, "sm_90a");
    EXPECT_TEXT(target.part, "H200");
    xlagpu_module_destroy(m);
}

/* What a pass makes can be switched off by its name: softmax is one kernel, or three, which another pass joins. */
static const char softmax_text[] =
    "HloModule m\nsum { x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT r = f32[] add(x, y) }\nmost { x = f32[] "
    "parameter(0)\n y = f32[] parameter(1)\n ROOT r = f32[] maximum(x, y) }\n"
    "ENTRY e { p = f32[64,1000] parameter(0)\n z = f32[] constant(0)\n low = f32[] constant(-inf)\n m = f32[64] "
    "reduce(p, low), dimensions={1}, to_apply=most\n"
    " mb = f32[64,1000] broadcast(m), dimensions={0}\n d = f32[64,1000] subtract(p, mb)\n e = f32[64,1000] "
    "exponential(d)\n s = f32[64] reduce(e, z), dimensions={1}, to_apply=sum\n"
    " sb = f32[64,1000] broadcast(s), dimensions={0}\n ROOT q = f32[64,1000] divide(e, sb) }\n";
static uint32_t kernels_without(const char *passes) {
    xlagpu_module *m = parse(softmax_text);
    xlagpu_compile_desc c;
    xlagpu_report r;
    memset(&c, 0, sizeof c);
    memset(&r, 0, sizeof r);
    c.disable_passes = passes;
    EXPECT(xlagpu_compile(m, &c).data && xlagpu_compile_report(m, &r));
    xlagpu_module_destroy(m);
    return r.kernels;
}
static void switches(void) {
    EXPECT(kernels_without(NULL) == 1);
    EXPECT(kernels_without("row-fusion,small-kernel-joining") == 3);
    EXPECT(kernels_without("row_fusion,small_kernel_joining") == 3);
    EXPECT(kernels_without("row-fusion") == 1);
}

/* ---- tensors that do not fit ---- */

static xlagpu_program *load(xlagpu_module *m, bool fill) {
    xlagpu_compile_desc c;
    xlagpu_bytes exe;
    memset(&c, 0, sizeof c);
    c.fill_elided_constants = fill;
    exe = xlagpu_compile(m, &c);
    if (!exe.data) {
        printf("%s\n", xlagpu_error(context));
        return NULL;
    }
    return xlagpu_rt_load(device, exe.data, exe.size);
}

/* f32[<=4,3] is f32[4,3] and an s32[], on both ways. */
static void bounded(void) {
    static const char text[] = "HloModule m\nENTRY e { p = f32[<=4,3] parameter(0)\n q = f32[<=2,3] parameter(1)\n c = "
                               "f32[<=6,3] concatenate(p, q), dimensions={0}\n ROOT r = (f32[<=6,3]) tuple(c) }\n";
    xlagpu_module *m = parse(text);
    xlagpu_program *program = load(m, false);
    float p[12] = {1, 2, 3, 99, 99, 99, 99, 99, 99, 99, 99, 99}, q[6] = {4, 5, 6, 7, 8, 9}, c[18];
    int32_t np = 1, nq = 2, nc = 0, way, k;
    xlagpu_tensor in[4] = {{p, sizeof p}, {&np, 4}, {q, sizeof q}, {&nq, 4}}, out[2] = {{c, sizeof c}, {&nc, 4}};
    xlagpu_rt_tensor rin[4] = {{p, sizeof p}, {&np, 4}, {q, sizeof q}, {&nq, 4}}, rout[2] = {{c, sizeof c}, {&nc, 4}};
    xlagpu_value_info v;
    xlagpu_rt_value r;
    EXPECT(program && xlagpu_parameter_count(m) == 4 && xlagpu_result_count(m) == 2 &&
           xlagpu_rt_parameter_count(program) == 4 && xlagpu_rt_result_count(program) == 2);
    EXPECT(xlagpu_parameter_info(m, 0, &v) && v.rank == 2 && v.dims[0] == 4 && v.bytes == 48 && v.size_of == 0);
    EXPECT(xlagpu_parameter_info(m, 1, &v) && v.rank == 0 && v.type == XLAGPU_S32 && v.bytes == 4 && v.size_of == 1 &&
           strcmp(v.name, "p") == 0);
    EXPECT(xlagpu_rt_parameter(program, 0, &r) && !r.size_of && xlagpu_rt_parameter(program, 1, &r) && r.size_of == 1 &&
           xlagpu_rt_result(program, 0, &r) && !r.size_of && xlagpu_rt_result(program, 1, &r) && r.size_of == 1);
    for (way = 0; way < 2; way++) {
        memset(c, 0, sizeof c);
        nc = 0;
        EXPECT((way ? xlagpu_evaluate(m, in, 4, out, 2, false) : xlagpu_rt_run(program, rin, 4, rout, 2)) == XLAGPU_OK);
        EXPECT(nc == 3);
        for (k = 0; k < 9; k++) EXPECT(c[k] == (float)(k + 1));
    }
    np = 5;
    REFUSED(xlagpu_evaluate(m, in, 4, out, 2, false) == XLAGPU_ERROR_USAGE, XLAGPU_ERROR_USAGE,
        "dimension 0, of at most 4, is given the size 5");
    nq = -7; /* whatever the sizes, nothing is touched that is not ours */
    EXPECT(xlagpu_rt_run(program, rin, 4, rout, 2) == XLAGPU_OK);
    xlagpu_rt_unload(program);
    xlagpu_module_destroy(m);
}

static void sizes(void) {
    xlagpu_module *m = parse(whole_text);
    xlagpu_program *p = load(m, false);
    xlagpu_execution *e = xlagpu_rt_prepare(p);
    xlagpu_buffer given[8], half;
    unsigned char zeros[64];
    xlagpu_kernel_stats stats;
    whole_data w;
    xlagpu_value_info info;
    uint32_t k;
    WHOLE_TENSORS(xlagpu_rt_tensor, in, out, &w);
    WHOLE_TENSORS(xlagpu_tensor, ein, eout, &w);
    whole_fill(&w);
    EXPECT(p && e);
    EXPECT(strcmp(xlagpu_module_name(m), "whole") == 0);
    EXPECT(xlagpu_parameter_info(m, 1, &info) && info.type == XLAGPU_S32 && info.rank == 1 && info.dims[0] == 7 &&
           info.bytes == 28 && strcmp(info.name, "n") == 0 && !xlagpu_parameter_info(m, 2, &info) &&
           !xlagpu_parameter_info(m, 0, NULL));
    EXPECT(xlagpu_result_info(m, 4, &info) && info.bytes == 16 && !xlagpu_result_info(m, 5, &info));
    RT_REFUSED(xlagpu_rt_run(p, in, 1, out, WHOLE_OUT), XLAGPU_ERROR_USAGE, "1 input given; the program has 2");
    RT_REFUSED(xlagpu_rt_run(p, in, WHOLE_IN, out, 9), XLAGPU_ERROR_USAGE, "9 outputs given; the program has 5");
    RT_REFUSED(xlagpu_rt_run(p, in, UINT32_MAX, out, 2), XLAGPU_ERROR_USAGE, "4294967295 inputs");
    RT_REFUSED(xlagpu_rt_run(p, NULL, WHOLE_IN, out, WHOLE_OUT), XLAGPU_ERROR_USAGE, "no inputs");
    RT_REFUSED(xlagpu_rt_run(p, in, WHOLE_IN, NULL, WHOLE_OUT), XLAGPU_ERROR_USAGE, "no outputs");
    in[1].bytes = 27;
    RT_REFUSED(xlagpu_rt_run(p, in, WHOLE_IN, out, WHOLE_OUT), XLAGPU_ERROR_USAGE, "input 1 has 27 bytes; it needs 28");
    in[1].bytes = 28;
    out[2].data = NULL;
    RT_REFUSED(xlagpu_rt_run(p, in, WHOLE_IN, out, WHOLE_OUT), XLAGPU_ERROR_USAGE, "output 2 has no data");
    out[2].data = w.e;
    EXPECT(xlagpu_rt_run(p, in, WHOLE_IN, out, WHOLE_OUT) == XLAGPU_OK && whole_right(&w) && !*xlagpu_rt_error(device));
    memset(&stats, 0xA5, sizeof stats);
    EXPECT(xlagpu_rt_stats(p, &stats, 0) == xlagpu_rt_kernel_count(p) && stats.launches != 1); /* no room, none told */
    EXPECT(xlagpu_rt_stats(p, &stats, 1) == xlagpu_rt_kernel_count(p) && stats.launches == 1 &&
           stats.lane_instructions > 0);

    memset(&w.r, 0, sizeof w.r);
    REFUSED(xlagpu_evaluate(m, ein, 1, eout, WHOLE_OUT, false) == XLAGPU_ERROR_USAGE, XLAGPU_ERROR_USAGE,
        "1 input given; the module has 2");
    REFUSED(xlagpu_evaluate(m, ein, WHOLE_IN, eout, 4, false) == XLAGPU_ERROR_USAGE, XLAGPU_ERROR_USAGE,
        "4 outputs given; the module has 5");
    REFUSED(xlagpu_evaluate(m, NULL, WHOLE_IN, eout, WHOLE_OUT, false) == XLAGPU_ERROR_USAGE, XLAGPU_ERROR_USAGE,
        "no inputs");
    REFUSED(xlagpu_evaluate(m, ein, WHOLE_IN, NULL, WHOLE_OUT, false) == XLAGPU_ERROR_USAGE, XLAGPU_ERROR_USAGE,
        "no outputs");
    eout[3].bytes++;
    REFUSED(xlagpu_evaluate(m, ein, WHOLE_IN, eout, WHOLE_OUT, false) == XLAGPU_ERROR_USAGE, XLAGPU_ERROR_USAGE,
        "output 3 has 29 bytes; it needs 28");
    eout[3].bytes--;
    EXPECT(xlagpu_evaluate(m, ein, WHOLE_IN, eout, WHOLE_OUT, false) == XLAGPU_OK && whole_right(&w) &&
           !*xlagpu_error(context));

    memset(zeros, 0, sizeof zeros);
    for (k = 0; k < 7; k++) EXPECT(xlagpu_rt_alloc(device, 64, &given[k]) == XLAGPU_OK && given[k].address % 256 == 0);
    EXPECT(xlagpu_rt_execute(e, given, given + 2, NULL) == XLAGPU_ERROR_FAULT); /* nobody has written the parameters */
    EXPECT_TEXT(xlagpu_rt_execution_error(e), "nobody has written");
    for (k = 0; k < 2; k++) EXPECT(xlagpu_rt_upload(device, given[k], zeros, sizeof zeros) == XLAGPU_OK);
    EXPECT(xlagpu_rt_execute(e, NULL, given + 2, NULL) == XLAGPU_ERROR_USAGE);
    EXPECT_TEXT(xlagpu_rt_execution_error(e), "no buffers are given for the 2 parameters");
    EXPECT(xlagpu_rt_execute(e, given, NULL, NULL) == XLAGPU_ERROR_USAGE);
    half = given[1];
    given[1].address += 4;
    EXPECT(xlagpu_rt_execute(e, given, given + 2, NULL) == XLAGPU_ERROR_USAGE);
    EXPECT_TEXT(xlagpu_rt_execution_error(e), "parameter 1 is not 16-byte aligned");
    given[1] = half;
    given[6].bytes = 15;
    EXPECT(xlagpu_rt_execute(e, given, given + 2, NULL) == XLAGPU_ERROR_USAGE);
    EXPECT_TEXT(xlagpu_rt_execution_error(e), "result 4 has 15 bytes; it needs 16");
    given[6].bytes = 64;
    half = given[5]; /* a copy writes it */
    given[5].address = 4096;
    EXPECT(xlagpu_rt_execute(e, given, given + 2, NULL) == XLAGPU_ERROR_USAGE);
    EXPECT_TEXT(xlagpu_rt_execution_error(e), "not in a buffer of this device");
    given[5] = half;
    EXPECT(xlagpu_rt_execute(e, given, given + 2, NULL) == XLAGPU_OK && !*xlagpu_rt_execution_error(e));
    RT_REFUSED(
        xlagpu_rt_upload(device, given[0], &w, 65), XLAGPU_ERROR_USAGE, "uploading 65 bytes into a buffer of 64");
    RT_REFUSED(
        xlagpu_rt_download(device, &w, given[0], 65), XLAGPU_ERROR_USAGE, "downloading 65 bytes from a buffer of 64");
    RT_REFUSED(xlagpu_rt_upload(device, given[0], NULL, 4), XLAGPU_ERROR_USAGE, "from nowhere");
    RT_REFUSED(xlagpu_rt_download(device, NULL, given[0], 4), XLAGPU_ERROR_USAGE, "to nowhere");
    half.address = 4096;
    RT_REFUSED(xlagpu_rt_upload(device, half, &w, 4), XLAGPU_ERROR_USAGE, "not in a buffer of this device");
    for (k = 0; k < 7; k++) {
        xlagpu_rt_free(device, given[k]);
        xlagpu_rt_free(device, given[k]);
    } /* twice is once */
    RT_REFUSED(xlagpu_rt_upload(device, given[0], &w, 4), XLAGPU_ERROR_USAGE, "not in a buffer of this device");
    xlagpu_rt_unload(p);
    xlagpu_module_destroy(m);
}

/* ---- modules of unusual form: the simulator agrees with the evaluator, byte for byte ---- */

static void agrees(const char *text, bool fill) {
    xlagpu_module *m = parse(text);
    xlagpu_program *p = m ? load(m, fill) : NULL;
    uint32_t n_in = xlagpu_parameter_count(m), n_out = xlagpu_result_count(m), k;
    xlagpu_tensor t[64];
    xlagpu_rt_tensor r[64];
    xlagpu_value_info v;
    bool same = true;
    if (!EXPECT_IN(p != NULL, text)) {
        printf("%s %s\n", xlagpu_error(context), xlagpu_rt_error(device));
        return;
    }
    EXPECT(xlagpu_rt_parameter_count(p) == n_in && xlagpu_rt_result_count(p) == n_out);
    for (k = 0; k < n_in + n_out; k++) {
        size_t i;
        if (k < n_in)
            xlagpu_parameter_info(m, k, &v);
        else
            xlagpu_result_info(m, k - n_in, &v);
        t[k].bytes = r[k].bytes = v.bytes;
        t[k].data = (char *)calloc(v.bytes + 2, 1) + 1; /* data may begin at any address */
        r[k].data = k < n_in ? t[k].data : calloc(v.bytes + 1, 1);
        for (i = 0; k < n_in && i < v.bytes; i++)
            ((unsigned char *)t[k].data)[i] =
                (unsigned char)((i * 37 + k * 11) % 61); /* small and finite as any type */
    }
    EXPECT_IN(xlagpu_evaluate(m, t, n_in, t + n_in, n_out, fill) == XLAGPU_OK, text);
    EXPECT_IN(xlagpu_rt_run(p, r, n_in, r + n_in, n_out) == XLAGPU_OK, text);
    for (k = n_in; k < n_in + n_out; k++) same = same && memcmp(t[k].data, r[k].data, t[k].bytes) == 0;
    if (!EXPECT_IN(same, text)) printf("%s %s\n", xlagpu_error(context), xlagpu_rt_error(device));
    for (k = 0; k < n_in + n_out; k++) {
        free((char *)t[k].data - 1);
        if (k >= n_in) free(r[k].data);
    }
    xlagpu_rt_unload(p);
    xlagpu_module_destroy(m);
}

static void forms(void) {
    static const char *const texts[] = {"ENTRY none { ROOT c = f32[3] constant({1, 2, 3}) }",
        "ENTRY scalar { ROOT c = s32[] constant(42) }", "ENTRY through { ROOT x = f32[3] parameter(0) }",
        "ENTRY iota { ROOT c = s32[5,3] iota(), iota_dimension=0 }",
        "ENTRY wide { x = s64[5] parameter(0) y = f64[5] parameter(1) z = c64[5] parameter(2) a = s64[5] add(x, x) "
        "b = f64[5] subtract(y, y) c = c64[5] add(z, z) ROOT t = (s64[5], f64[5], c64[5]) tuple(a, b, c) }",
        "ENTRY unused { x = f32[3] parameter(0) y = f32[2] parameter(1) ROOT z = f32[3] negate(x) }",
        "ENTRY empty_tuple { x = f32[3] parameter(0) ROOT t = () tuple() }",
        "ENTRY twice { x = f32[4] parameter(0) y = f32[4] add(x, x) i = (f32[4], f32[4]) tuple(x, y) ROOT t = (f32[4], "
        "f32[4], (f32[4], f32[4])) tuple(y, y, i) }",
        "ENTRY tuples { x = (f32[4], (s8[3], (), pred[2])) parameter(0) a = f32[4] get-tuple-element(x), index=0 b = "
        "(s8[3], (), pred[2]) get-tuple-element(x), index=1 c = s8[3] get-tuple-element(b), index=0 "
        "d = s8[3] add(c, c) ROOT t = (s8[3], f32[4], (s8[3], (), pred[2])) tuple(d, a, b) }",
        "ENTRY zero { x = f32[0,3] parameter(0) y = f32[0,3] add(x, x) z = f32[3,0] transpose(y), dimensions={1,0} "
        "ROOT t = (f32[0,3], f32[3,0]) tuple(y, z) }",
        "ENTRY zero_beside { x = f32[0] parameter(0) y = f32[4] parameter(1) z = f32[4] negate(y) w = f32[4] "
        "concatenate(x, z), dimensions={0} ROOT t = (f32[4], f32[0]) tuple(w, x) }",
        "ENTRY chain { x = f32[100] parameter(0) a = f32[100] add(x, x) b = f32[100] negate(a) c = f32[100] "
        "multiply(b, a) d = f32[100] add(c, x) ROOT e = f32[100] subtract(d, b) }",
        "ENTRY buffer { x = b(f32[4]) parameter(0) ROOT y = f32[4] custom-call(x), custom_call_target=\"Unpin\", "
        "output_to_operand_aliasing={{}: (0, {})} }",
        "ENTRY buffers { x = (b(f32[4]), f32[2]) parameter(0) b = b(f32[4]) get-tuple-element(x), index=0 c = f32[2] "
        "get-tuple-element(x), index=1 u = f32[4] custom-call(b), custom_call_target=\"Unpin\" n = f32[4] negate(u) "
        "p = b(f32[4]) custom-call(n), custom_call_target=\"Pin\", output_to_operand_aliasing={{}: (0, {})} "
        "ROOT t = (f32[2], b(f32[4])) tuple(c, p) }",
        "ENTRY constants { x = f32[2,3] parameter(0) c = f32[2,3]{0,1} constant({{1,2,3},{4,5,6}}) d = f32[2,3] "
        "copy(c) ROOT y = f32[2,3] add(x, d) }"};
    size_t k;
    for (k = 0; k < sizeof texts / sizeof texts[0]; k++) agrees(texts[k], false);
}

static void control(void) {
    xlagpu_module *m = parse(control_text);
    xlagpu_program *p = load(m, false);
    float x[6] = {1, -2, 3, 0, 5, 0.5f}, y[6];
    int32_t b;
    agrees(control_text, false);
    for (b = -2; b < 4; b++) { /* an index that is none chooses the last branch */
        xlagpu_rt_tensor in[2], out;
        in[0].data = x;
        in[0].bytes = sizeof x;
        in[1].data = &b;
        in[1].bytes = 4;
        out.data = y;
        out.bytes = sizeof y;
        EXPECT(xlagpu_rt_run(p, in, 2, &out, 1) == XLAGPU_OK && control_right(x, b, y));
    }
    xlagpu_rt_unload(p);
    xlagpu_module_destroy(m);
}

/* Every pair of layouts of rank 2 and 3, through host arrays; then those who care what the order in memory is. */
static void layouts(void) {
    static const char *const who_cares[] = {"b = s32[12] bitcast(x) ROOT y = s32[12] negate(b) }",
        "o = s32[3,4] opt-barrier(x) ROOT y = s32[12] reshape(o) }",
        "t = (s32[3,4], s32[3,4]) tuple(x, x) g = s32[3,4] get-tuple-element(t), index=1 n = s32[3,4] negate(g) ROOT y "
        "= s32[12] reshape(n) }",
        "f = s32[12] fusion(x), kind=kLoop, calls=fused ROOT y = s32[12] negate(f) }"};
    static const char *const of2[] = {"1,0", "0,1"}, *const of3[] = {
                                                         "2,1,0", "2,0,1", "1,2,0", "1,0,2", "0,2,1", "0,1,2"};
    char text[600];
    size_t i, j;
    for (i = 0; i < 2; i++)
        for (j = 0; j < 2; j++) {
            sprintf(text,
                "HloModule l, entry_computation_layout={(f32[3,5]{%s})->f32[3,5]{%s}}\nENTRY e { x = f32[3,5] "
                "parameter(0) ROOT y = f32[3,5] negate(x) }",
                of2[i], of2[j]);
            agrees(text, false);
        }
    for (i = 0; i < 6; i++)
        for (j = 0; j < 6; j++) {
            sprintf(text,
                "HloModule l, entry_computation_layout={(s16[2,3,4]{%s}, s16[2,3,4]{%s})->(s16[2,3,4]{%s}, "
                "s16[2,3,4]{%s})}\nENTRY e { x = s16[2,3,4] parameter(0) w = s16[2,3,4] parameter(1) y = s16[2,3,4] "
                "add(x, w) ROOT t = (s16[2,3,4], s16[2,3,4]) tuple(y, x) }",
                of3[i], of3[j], of3[j], of3[(i + j) % 6]);
            agrees(text, false);
        }
    for (i = 0; i < 4; i++) {
        sprintf(text,
            "HloModule l, entry_computation_layout={(s32[3,4]{0,1})->s32[12]{0}}\nfused { p = s32[3,4] parameter(0) n "
            "= s32[3,4] negate(p) ROOT r = s32[12] bitcast(n) }\nENTRY e { x = s32[3,4] parameter(0) %s",
            who_cares[i]);
        agrees(text, false);
    }
    agrees(
        "HloModule l, entry_computation_layout={((s32[3,4]{0,1}, (s32[2,2]{0,1})))->((s32[3,4]{1,0}, (s32[2,2]{0,1})), "
        "s32[3,4]{0,1})}\nENTRY e { x = (s32[3,4], (s32[2,2])) parameter(0) g = s32[3,4] get-tuple-element(x), index=0 "
        "n = s32[3,4] negate(g) ROOT t = ((s32[3,4], (s32[2,2])), s32[3,4]) tuple(x, n) }",
        false);
    agrees("HloModule l, entry_computation_layout={((s32[3,4]{0,1}, s32[2,2]{1,0}))->(s32[3,4]{1,0}, "
           "s32[2,2]{0,1})}\nENTRY e { ROOT x = (s32[3,4], s32[2,2]) parameter(0) }",
        false);
}

/* The same in buffers that the caller owns: their order is minor_to_major's. */
static void buffer_layouts(void) {
    xlagpu_module *m = parse("HloModule l, entry_computation_layout={(s32[2,3,4]{0,2,1})->s32[2,3,4]{1,0,2}}\nENTRY e "
                             "{ x = s32[2,3,4] parameter(0) ROOT y = s32[2,3,4] negate(x) }");
    xlagpu_program *p = load(m, false);
    xlagpu_execution *e = xlagpu_rt_prepare(p);
    xlagpu_rt_value v, r;
    xlagpu_buffer in, out;
    int32_t x[24], y[24];
    int i, j, k;
    bool right = true;
    EXPECT(xlagpu_rt_parameter(p, 0, &v) && v.minor_to_major[0] == 0 && v.minor_to_major[1] == 2 &&
           v.minor_to_major[2] == 1);
    EXPECT(
        xlagpu_rt_result(p, 0, &r) && r.minor_to_major[0] == 1 && r.minor_to_major[1] == 0 && r.minor_to_major[2] == 2);
    for (i = 0; i < 2; i++)
        for (j = 0; j < 3; j++)
            for (k = 0; k < 4; k++) x[i + 2 * k + 8 * j] = 100 * i + 10 * j + k;
    EXPECT(xlagpu_rt_alloc(device, sizeof x, &in) == XLAGPU_OK && xlagpu_rt_alloc(device, sizeof y, &out) == XLAGPU_OK);
    EXPECT(xlagpu_rt_upload(device, in, x, sizeof x) == XLAGPU_OK &&
           xlagpu_rt_execute(e, &in, &out, NULL) == XLAGPU_OK &&
           xlagpu_rt_download(device, y, out, sizeof y) == XLAGPU_OK);
    for (i = 0; i < 2; i++)
        for (j = 0; j < 3; j++)
            for (k = 0; k < 4; k++) right = right && y[j + 3 * i + 6 * k] == -(100 * i + 10 * j + k);
    EXPECT(right);
    xlagpu_rt_unload(p);
    xlagpu_rt_free(device, in);
    xlagpu_rt_free(device, out);
    xlagpu_module_destroy(m);
}

static void elided(void) {
    static const char text[] =
        "ENTRY e { x = f32[2,5] parameter(0) c = f32[2,5] constant({...}) ROOT y = f32[2,5] add(x, c) }";
    xlagpu_module *m = parse(text);
    float x[10] = {0}, y[10];
    xlagpu_tensor in, out;
    in.data = x;
    out.data = y;
    in.bytes = out.bytes = sizeof x;
    EXPECT(m && xlagpu_print(m).data);
    EXPECT(xlagpu_print_as(m, XLAGPU_FORMAT_HLO).size == xlagpu_print(m).size);
    EXPECT(xlagpu_print_as(m, XLAGPU_FORMAT_PROTO).size + 3 <= xlagpu_print_as(m, XLAGPU_FORMAT_HLO_PROTO).size);
    EXPECT(!xlagpu_print_as(NULL, XLAGPU_FORMAT_PROTO).data);
    REFUSED(!xlagpu_compile(m, NULL).data, XLAGPU_ERROR_INVALID, "print_large_constants=True");
    EXPECT_TEXT(xlagpu_error(context), "api.hlo:1:");
    REFUSED(xlagpu_evaluate(m, &in, 1, &out, 1, false) != XLAGPU_OK, XLAGPU_ERROR_INVALID, "elided");
    agrees(text, true);
    xlagpu_module_destroy(m);
}

/* Many at once on one device, ended in another order. */
static void many(void) {
    xlagpu_program *p[20];
    xlagpu_execution *e[20];
    int k, i;
    for (k = 0; k < 20; k++) {
        char text[200];
        xlagpu_module *m;
        sprintf(text,
            "HloModule m%d\nENTRY e { x = f32[%d] parameter(0) c = f32[] constant(%d) b = f32[%d] broadcast(c), "
            "dimensions={} ROOT y = f32[%d] add(x, b) }",
            k, k + 1, k, k + 1, k + 1);
        m = parse(text);
        p[k] = load(m, false);
        xlagpu_module_destroy(m);
        e[k] = xlagpu_rt_prepare(p[k]);
        EXPECT(p[k] && e[k]);
    }
    for (i = 0; i < 20; i++) {
        float x[20] = {0}, y[20];
        xlagpu_rt_tensor in, out;
        k = i * 7 % 20;
        in.data = x;
        out.data = y;
        in.bytes = out.bytes = 4 * ((size_t)k + 1);
        EXPECT(xlagpu_rt_run(p[k], &in, 1, &out, 1) == XLAGPU_OK && y[0] == (float)k && y[k] == (float)k);
        if (i % 2) xlagpu_rt_finish(e[k]);
        if (i % 3) xlagpu_rt_unload(p[k]);
    }
}

static void dump(void *user, const char *stage, const char *text, size_t n) {
    uint32_t *seen = (uint32_t *)user;
    EXPECT(text[n] == 0 && strlen(text) == n);
    if (strcmp(stage, "hlo/before_optimizations") == 0) seen[0]++;
    if (strcmp(stage, "hlo/after_optimizations") == 0) seen[1]++;
    if (strncmp(stage, "kir/", 4) == 0) seen[2]++;
    if (strcmp(stage, "ptx") == 0) seen[3]++;
    if (strcmp(stage, "thunk_sequence") == 0 || strcmp(stage, "buffer-assignment") == 0) seen[4]++;
}
static void dumps(void) {
    xlagpu_module *m = parse(whole_text);
    xlagpu_compile_desc c;
    xlagpu_report r;
    uint32_t seen[5] = {0};
    memset(&c, 0, sizeof c);
    c.dump = dump;
    c.dump_user = seen;
    EXPECT(!xlagpu_compile_report(m, &r) && r.kernels == 0);
    EXPECT(xlagpu_compile(m, &c).data != NULL);
    EXPECT(seen[0] == 1 && seen[1] == 1 && seen[2] > 5 && seen[3] == 1 && seen[4] == 2);
    EXPECT(xlagpu_compile_report(m, &r) && r.kernels > 0 && r.copies >= 2 && r.ptx_bytes > 100 && r.instructions > 10 &&
           r.total_bytes >= 60 * 4 + 28 * 2 + 16);
    c.disable_all_passes = true;
    EXPECT(xlagpu_compile(m, &c).data != NULL);
    xlagpu_module_destroy(m);
}

/* A module of some thousand instructions: the compiler's own memory comes in large pieces then. The same bytes wherever
 * memory comes from, again and again in one context, beside a module that stays. */
static void large(void) {
    enum {
        LINES = 6000,
        LINE = 80
    };
    char *text = (char *)malloc(LINES * LINE + 200);
    size_t n = 0;
    int k;
    xlagpu_context *own = xlagpu_create(NULL);
    xlagpu_module *stays, *other = NULL;
    xlagpu_bytes first, again;
    if (!EXPECT(text && own)) {
        free(text);
        return;
    }
    n += (size_t)sprintf(
        text, "HloModule large\nENTRY e {\n  v0 = f32[64] parameter(0)\n  w0 = s32[64] iota(), iota_dimension=0\n");
    for (k = 1; k < LINES / 2; k++)
        n += (size_t)sprintf(text + n, "  v%d = f32[64] %s(v%d, v0)\n  w%d = s32[64] add(w%d, w0)\n", k,
            k % 2 ? "add" : "multiply", k - 1, k, k - 1);
    n += (size_t)sprintf(text + n, "  ROOT t = (f32[64], s32[64]) tuple(v%d, w%d)\n}\n", k - 1, k - 1);
    stays = xlagpu_parse(own, "large.hlo", text, n);
    first = xlagpu_compile(stays, NULL);
    if (!EXPECT(first.data != NULL)) puts(xlagpu_error(own));
    for (k = 0; k < 4 && first.data; k++) {
        other = xlagpu_parse(k == 3 ? context : own, "large.hlo", text, n);
        again = xlagpu_compile(other, NULL);
        EXPECT(again.size == first.size && again.data && memcmp(again.data, first.data, first.size) == 0);
        if (k == 1) {
            xlagpu_module_destroy(stays);
            stays = other;
            first = again;
        } else
            xlagpu_module_destroy(other);
    }
    xlagpu_destroy(own);
    free(text);
}

/* Long chains whose values are read again some steps later: wherever kernels end, several values cross. */
static void braids(void) {
    enum {
        LINES = 6000,
        LINE = 60
    };
    static const int steps[] = {2, 7, 40};
    char *text = (char *)malloc(LINES * LINE + 200);
    size_t j, n;
    int k;
    if (!EXPECT(text != NULL)) return;
    for (j = 0; j < sizeof steps / sizeof steps[0]; j++) {
        xlagpu_module *m;
        n = (size_t)sprintf(text, "ENTRY e {\n  v0 = f32[64] parameter(0)\n");
        for (k = 1; k < LINES; k++)
            n += (size_t)sprintf(text + n, "  %sv%d = f32[64] %s(v%d, v%d)\n", k + 1 == LINES ? "ROOT " : "", k,
                k % 2 ? "add" : "subtract", k - 1, k > steps[j] ? k - steps[j] : 0);
        n += (size_t)sprintf(text + n, "}\n");
        m = xlagpu_parse(context, "braid.hlo", text, n);
        if (!EXPECT(m && xlagpu_compile(m, NULL).data)) puts(xlagpu_error(context));
        xlagpu_module_destroy(m);
    }
    free(text);
}

/* ---- what the caller says of a text ---- */

static xlagpu_module *parse_said(const char *text, xlagpu_source format, const char *entry, const char *flags) {
    xlagpu_parse_desc d;
    memset(&d, 0, sizeof d);
    d.name = "said";
    d.text = text;
    d.size = strlen(text);
    d.format = format;
    d.entry = entry;
    d.flags = flags;
    return xlagpu_parse_with(context, &d);
}
static const char two_functions[] = "module @m {\n"
                                    "  func.func public @twice(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
                                    "    %0 = stablehlo.add %a, %a : tensor<4xf32>\n"
                                    "    return %0 : tensor<4xf32>\n  }\n"
                                    "  func.func public @first(%a: tensor<4xf32>) -> tensor<1xf32> {\n"
                                    "    %0 = stablehlo.slice %a [0:1] : (tensor<4xf32>) -> tensor<1xf32>\n"
                                    "    return %0 : tensor<1xf32>\n  }\n}\n";
static const char three_adds[] = "HloModule adds\nENTRY e { x = f32[4] parameter(0) a = f32[4] add(x, x)\n"
                                 "b = f32[4] multiply(a, x) ROOT c = f32[4] add(b, a) }";
static void entries(void) {
    xlagpu_value_info v;
    xlagpu_module *m = parse_said(two_functions, XLAGPU_SOURCE_ANY, "first", NULL);
    xlagpu_bytes b;
    EXPECT(m && xlagpu_result_info(m, 0, &v) && v.rank == 1 && v.dims[0] == 1);
    EXPECT(xlagpu_compile(m, NULL).data);
    b = xlagpu_optimize(m, "dce"); /* reads the text again */
    EXPECT(b.data && strstr((const char *)b.data, "slice") && !strstr((const char *)b.data, "add("));
    m = parse_said(two_functions, XLAGPU_SOURCE_STABLEHLO, "twice", NULL);
    EXPECT(m && xlagpu_result_info(m, 0, &v) && v.dims[0] == 4);
    REFUSED(!parse_said(two_functions, XLAGPU_SOURCE_ANY, NULL, NULL), XLAGPU_ERROR_INVALID, "which of 2 functions");
    REFUSED(!parse_said(two_functions, XLAGPU_SOURCE_ANY, "second", NULL), XLAGPU_ERROR_USAGE, "is called @second");
    REFUSED(!parse_said(three_adds, XLAGPU_SOURCE_ANY, "e", NULL), XLAGPU_ERROR_USAGE, "HLO has one ENTRY");
}
static void formats(void) {
    EXPECT(parse_said(three_adds, XLAGPU_SOURCE_HLO, NULL, NULL));
    REFUSED(!parse_said(two_functions, XLAGPU_SOURCE_HLO, NULL, NULL), XLAGPU_ERROR_SYNTAX, "not an opcode");
    REFUSED(!parse_said(three_adds, XLAGPU_SOURCE_PROTO, NULL, NULL), XLAGPU_ERROR_SYNTAX, "HLO protobuf");
    REFUSED(!parse_said(three_adds, XLAGPU_SOURCE_BYTECODE, NULL, NULL), XLAGPU_ERROR_SYNTAX, "bytecode");
    EXPECT(!parse_said(three_adds, XLAGPU_SOURCE_EXPORT, NULL, NULL));
    EXPECT(!parse_said(three_adds, XLAGPU_SOURCE_STABLEHLO, NULL, NULL));
    REFUSED(!parse_said(three_adds, (xlagpu_source)77, NULL, NULL), XLAGPU_ERROR_USAGE, "format");
}
static uint32_t kernels_with(const char *flags, const xlagpu_compile_desc *d) {
    xlagpu_report r;
    xlagpu_module *m = parse_said(three_adds, XLAGPU_SOURCE_ANY, NULL, flags);
    EXPECT(m && xlagpu_compile(m, d).data && xlagpu_compile_report(m, &r));
    return m ? r.kernels : 0;
}
static bool flushes(const char *flags) {
    xlagpu_module *m = parse_said(three_adds, XLAGPU_SOURCE_ANY, NULL, flags);
    xlagpu_bytes b = xlagpu_compile(m, NULL);
    return b.data && strstr((const char *)xlagpu_executable_ptx(b).data, ".ftz");
}
static void xla_flags(void) {
    xlagpu_compile_desc d;
    memset(&d, 0, sizeof d);
    EXPECT(kernels_with(NULL, NULL) == 1 && kernels_with("", &d) == 1);
    EXPECT(kernels_with("--xla_disable_all_hlo_passes=true", NULL) == 3);
    EXPECT(kernels_with(" --xla_cpu_x=y\n--xla_disable_all_hlo_passes", &d) == 3);
    EXPECT(kernels_with("--xla_disable_all_hlo_passes=0", &d) == 1);
    d.disable_all_passes = true;
    EXPECT(kernels_with("--xla_disable_all_hlo_passes=false", &d) == 3);
    EXPECT(flushes("--xla_gpu_ftz=1") && !flushes(NULL) && !flushes("--xla_gpu_ftz=false"));
    REFUSED(!parse_said(three_adds, XLAGPU_SOURCE_ANY, NULL, "--xla_gpu_ftz=maybe"), XLAGPU_ERROR_USAGE,
        "takes true or false");
    REFUSED(!parse_said(three_adds, XLAGPU_SOURCE_ANY, NULL, "--xla_gpu_graph_min_graph_size=-1"), XLAGPU_ERROR_USAGE,
        "a whole number");
    REFUSED(!parse_said(three_adds, XLAGPU_SOURCE_ANY, NULL, "--xla_gpu_all_reduce_combine_threshold_bytes=few"),
        XLAGPU_ERROR_USAGE, "a whole number");
    REFUSED(
        !parse_said(three_adds, XLAGPU_SOURCE_ANY, NULL, "--xla_disable_hlo_passes"), XLAGPU_ERROR_USAGE, "a value");
    REFUSED(!parse_said(three_adds, XLAGPU_SOURCE_ANY, NULL, "xla_gpu_ftz"), XLAGPU_ERROR_USAGE, "not a flag of XLA");
    REFUSED(!parse_said(three_adds, XLAGPU_SOURCE_ANY, NULL, "--fast"), XLAGPU_ERROR_USAGE, "'fast' is not a flag");
}

/* Products of f32 as tf32, but where the module asks for more; the evaluator rounds them, too. */
static void tf32(void) {
    static const char text[] = "HloModule products\nENTRY e { x = f32[1,1] parameter(0)\n"
                               "a = f32[1,1] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
                               "b = f32[1,1] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
                               "operand_precision={highest,highest}\n"
                               "ROOT t = (f32[1,1], f32[1,1]) tuple(a, b) }";
    float x = 1 + 3 / 2048.0f, a = 0, b = 0, rounded = 1 + 1 / 1024.0f;
    xlagpu_tensor in, out[2];
    xlagpu_parse_desc d;
    xlagpu_module *m;
    xlagpu_bytes hlo;
    memset(&d, 0, sizeof d);
    d.text = text;
    d.size = strlen(text);
    d.allow_tf32 = true;
    m = xlagpu_parse_with(context, &d);
    in.data = &x;
    out[0].data = &a;
    out[1].data = &b;
    in.bytes = out[0].bytes = out[1].bytes = sizeof x;
    EXPECT(m && xlagpu_evaluate(m, &in, 1, out, 2, false) == XLAGPU_OK);
    EXPECT(a == rounded * rounded && b == x * x);
    hlo = xlagpu_print(m);
    EXPECT(hlo.data && strstr((const char *)hlo.data, "algorithm=dot_tf32_tf32_f32"));
    EXPECT(xlagpu_compile(m, NULL).data);
    d.allow_tf32 = false;
    m = xlagpu_parse_with(context, &d);
    EXPECT(m && xlagpu_evaluate(m, &in, 1, out, 2, false) == XLAGPU_OK && a == x * x && b == a);
}

/* Of all bytes, four are blanks between two words of HLO and of StableHLO: no other byte may stand there. */
static void blanks(void) {
    static const char *const texts[] = {"HloModule m\nENTRY e {\n ROOT a = f32[2]#parameter(0)\n}\n",
        "func.func#@main(%a: tensor<2xf32>) -> tensor<2xf32> {\n  return %a : tensor<2xf32>\n}\n"};
    char text[200], what[40];
    size_t k;
    int byte;
    for (k = 0; k < sizeof texts / sizeof *texts; k++)
        for (byte = 1; byte < 256; byte++) {
            bool blank = byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
            xlagpu_module *m;
            snprintf(text, sizeof text, "%s", texts[k]);
            *strchr(text, '#') = (char)byte;
            snprintf(what, sizeof what, "byte %d of text %d", byte, (int)k);
            m = parse(text);
            EXPECT_IN((m != NULL) == blank, what);
            xlagpu_module_destroy(m);
        }
}

int main(void) {
    xlagpu_device_desc d;
    counter count;
    xlagpu_context_desc cd;
    memset(&d, 0, sizeof d);
    memset(&cd, 0, sizeof cd);
    memset(&count, 0, sizeof count);
    d.platform = "host";
    d.threads = 2;
    d.allocator = cd.allocator = counter_of(&count);
    context = xlagpu_create(&cd);
    EXPECT(xlagpu_rt_open(&d, &device) == XLAGPU_OK);
    nothing();
    names();
    switches();
    bounded();
    sizes();
    forms();
    control();
    layouts();
    buffer_layouts();
    elided();
    many();
    dumps();
    large();
    braids();
    entries();
    formats();
    xla_flags();
    tf32();
    blanks();
    xlagpu_rt_close(device);
    xlagpu_destroy(context);
    EXPECT(count.live == 0);
    return finish();
}
