/* hello.c -- HLO text in a string, compiled and run: on the GPU if there is a driver, else on the PTX simulator. */
#define XLAGPU_IMPLEMENTATION
#include "../xlagpu.h"
#include "../xlagpu_runtime.h"
#include <stdio.h>

static const char text[] = "ENTRY main {                                   \n"
                           "  x = f32[8] parameter(0)                      \n"
                           "  one = f32[] constant(1)                      \n"
                           "  ones = f32[8] broadcast(one), dimensions={}  \n"
                           "  sum = f32[8] add(x, ones)                    \n"
                           "  ROOT y = f32[8] log(sum)                     \n"
                           "}";

int main(void) {
    float x[8] = {0, 1, 2, 3, 4, 5, 6, 7}, y[8];
    xlagpu_rt_tensor in = {x, sizeof x}, out = {y, sizeof y};
    xlagpu_compile_desc desc = {0};
    xlagpu_bytes exe = {0};
    xlagpu_program *program = NULL;
    xlagpu_device *device;
    xlagpu_context *context = xlagpu_create(NULL);
    xlagpu_module *module = xlagpu_parse(context, "hello", text, sizeof text - 1);
    int i, bad = xlagpu_rt_open(NULL, &device);
    desc.target.name = xlagpu_rt_target(device);
    if (module) exe = xlagpu_compile(module, &desc);
    if (exe.data) program = xlagpu_rt_load(device, exe.data, exe.size);
    if (program) bad = xlagpu_rt_run(program, &in, 1, &out, 1);
    if (!exe.data)
        puts(xlagpu_error(context));
    else if (!program || bad)
        puts(xlagpu_rt_error(device));
    else
        for (i = 0; i < 8; i++) printf("log(1 + %g) = %g\n", x[i], y[i]);
    xlagpu_rt_close(device);
    xlagpu_destroy(context);
    return !program || bad;
}
