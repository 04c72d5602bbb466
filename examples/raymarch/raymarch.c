/* raymarch.c -- a picture from a module that JAX has written (scene.py made scene.mlir), as a PNG.
 *     raymarch [scene.mlir [picture.png [angle [height]]]] */
#define XLAGPU_IMPLEMENTATION
#include "../../xlagpu.h"
#include "../../xlagpu_runtime.h"
#include "../files.h"

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "examples/raymarch/scene.mlir";
    const char *to = argc > 2 ? argv[2] : "picture.png";
    float angle = argc > 3 ? (float)atof(argv[3]) : 0.5f, height = argc > 4 ? (float)atof(argv[4]) : 1.2f;
    size_t size = 0;
    char *text = read_file(path, &size);
    xlagpu_context *context = xlagpu_create(NULL);
    xlagpu_module *module = text ? xlagpu_parse(context, path, text, size) : NULL;
    xlagpu_compile_desc desc = {0};
    xlagpu_bytes exe = {0};
    xlagpu_program *program = NULL;
    xlagpu_device *device;
    xlagpu_value_info picture;
    xlagpu_rt_tensor in[2] = {{&angle, sizeof angle}, {&height, sizeof height}}, out = {0};
    int bad = xlagpu_rt_open(NULL, &device);
    if (!bad) bad = xlagpu_rt_target_desc(device, &desc.target); /* compiled for the very device that runs it */
    if (!bad && module) exe = xlagpu_compile(module, &desc);
    if (exe.data) program = xlagpu_rt_load(device, exe.data, exe.size);
    if (program && xlagpu_result_info(module, 0, &picture) && picture.rank == 3) {
        out.bytes = picture.bytes;
        out.data = malloc(out.bytes);
        bad = xlagpu_rt_run(program, in, 2, &out, 1) ||
              write_png(to, (unsigned char *)out.data, (int)picture.dims[1], (int)picture.dims[0]);
    }
    if (!text)
        fprintf(stderr, "%s: cannot be read\n", path);
    else if (!exe.data)
        fprintf(stderr, "%s\n", xlagpu_error(context));
    else if (!program || bad)
        fprintf(stderr, "%s\n", xlagpu_rt_error(device));
    else
        printf("%s: %d x %d pixels on %s\n", to, (int)picture.dims[1], (int)picture.dims[0], xlagpu_rt_name(device));
    free(out.data);
    free(text);
    xlagpu_rt_close(device);
    xlagpu_destroy(context);
    return !program || bad;
}
