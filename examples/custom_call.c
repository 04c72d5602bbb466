/* examples/custom_call.c -- a module that calls a function of ours.
 *
 *     cc examples/custom_call.c -o build/custom_call -lm -ldl -lpthread && build/custom_call
 *
 * The module names it (custom_call_target) and tells it things (backend_config); the program registers it. The same
 * source compiles as C++. */
#define XLAGPU_IMPLEMENTATION
#include "../xlagpu.h"
#include "../xlagpu_runtime.h"
#include <stdio.h>
#include <string.h>

static const char module_text[] =
    "HloModule clamp\n"
    "ENTRY main {\n"
    "  x = f32[6] parameter(0)\n"
    "  scaled = f32[6] multiply(x, x)\n"
    "  clamped = f32[6] custom-call(scaled), custom_call_target=\"clamp_sum\", api_version=API_VERSION_TYPED_FFI,\n"
    "      backend_config={limit = 10.0 : f32}\n"
    "  ROOT y = f32[6] add(clamped, x)\n"
    "}\n";

/* Each element of the operand, limited. On "host" an address is a pointer; on "cuda" this would launch a kernel, or
 * call a library, on call->stream. */
static xlagpu_status clamp_sum(void *user, const xlagpu_rt_call *call) {
    const xlagpu_rt_attribute *limit = xlagpu_rt_attribute_of(call, "limit", XLAGPU_ATTRIBUTE_SCALAR, XLAGPU_F32);
    const float *x = (const float *)(uintptr_t)call->buffers[0].address;
    float *y = (float *)(uintptr_t)call->buffers[1].address;
    size_t k, n = call->buffers[0].bytes / sizeof *x;
    (void)user;
    if (!limit || call->arrays[0].type != XLAGPU_F32) {
        snprintf(call->error, call->error_bytes, "clamp_sum takes f32 and an attribute limit = NUMBER : f32");
        return XLAGPU_ERROR_INVALID;
    }
    for (k = 0; k < n; k++) y[k] = x[k] < *(const float *)limit->data ? x[k] : *(const float *)limit->data;
    return XLAGPU_OK;
}

static int run(xlagpu_device *d, xlagpu_context *c) {
    float x[6] = {0, 1, 2, 3, 4, 5}, y[6];
    xlagpu_rt_tensor in, out;
    xlagpu_compile_desc desc;
    xlagpu_module *m = xlagpu_parse(c, "clamp.hlo", module_text, strlen(module_text));
    xlagpu_bytes exe;
    xlagpu_program *p;
    int k;
    if (!m) return printf("%s\n", xlagpu_error(c)), 1;
    memset(&desc, 0, sizeof desc);
    desc.target.name = xlagpu_rt_target(d);
    exe = xlagpu_compile(m, &desc);
    if (!exe.data) return printf("%s\n", xlagpu_error(c)), 1;
    p = xlagpu_rt_load(d, exe.data, exe.size);
    in.data = x;
    in.bytes = sizeof x;
    out.data = y;
    out.bytes = sizeof y;
    if (!p || xlagpu_rt_run(p, &in, 1, &out, 1) != XLAGPU_OK) return printf("%s\n", xlagpu_rt_error(d)), 1;
    for (k = 0; k < 6; k++) printf("%g ", (double)y[k]);
    printf("\n"); /* 0 2 6 12 14 15 */
    return 0;
}

int main(void) {
    xlagpu_device_desc desc;
    xlagpu_context *c = xlagpu_create(NULL);
    xlagpu_device *d = NULL;
    int failed = 1;
    memset(&desc, 0, sizeof desc);
    desc.platform = "host";
    if (c && xlagpu_rt_open(&desc, &d) == XLAGPU_OK && xlagpu_rt_register(d, "clamp_sum", clamp_sum, NULL) == XLAGPU_OK)
        failed = run(d, c);
    else
        printf("%s\n", xlagpu_rt_error(d));
    xlagpu_rt_close(d);
    xlagpu_destroy(c);
    return failed;
}
