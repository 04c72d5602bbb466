/* spirals.c -- a model of Flax with its weights in safetensors, run by a C program: spirals.py has trained it and
 * written spirals.mlir and spirals.safetensors. The weights are mapped and found by the names that they have in Flax.
 * Shows which points of the plane the model gives to which spiral, and how many of the spirals' own are right.
 *     spirals [spirals.mlir [spirals.safetensors]] */
#define XLAGPU_IMPLEMENTATION
#include "../../xlagpu.h"
#include "../../xlagpu_runtime.h"
#define XLAGPU_WEIGHTS_IMPLEMENTATION
#include "../../packages/c/xlagpu_weights.h"
#include "../files.h"
#include <math.h>

enum {
    WIDTH = 64,
    HEIGHT = 32,
    POINTS = WIDTH * HEIGHT,
    INPUTS_MAX = 16,
    ON_ARM = 97 /* points of a spiral, which turns one and a half times */
};

/* The plane from -1 to 1, row by row. */
static void screen(float *at) {
    int k;
    for (k = 0; k < POINTS; k++) {
        at[2 * k] = ((float)(k % WIDTH) + 0.5f) / WIDTH * 2 - 1;
        at[2 * k + 1] = 1 - ((float)(k / WIDTH) + 0.5f) / HEIGHT * 2;
    }
}
/* Both spirals, the first one's points in front; what else there is stays at the centre. */
static void spirals(float *at) {
    int k;
    memset(at, 0, 2 * POINTS * sizeof *at);
    for (k = 0; k < 2 * ON_ARM; k++) {
        float t = 0.1f + 0.9f * (float)(k % ON_ARM) / (ON_ARM - 1), turn = 9.424778f * t,
              side = k < ON_ARM ? 1.f : -1.f;
        at[2 * k] = side * t * cosf(turn);
        at[2 * k + 1] = side * t * sinf(turn);
    }
}

static xlagpu_program *compile(xlagpu_context *c, xlagpu_device *d, const char *path) {
    xlagpu_compile_desc desc;
    xlagpu_module *m;
    xlagpu_bytes exe;
    size_t n = 0;
    char *text = read_file(path, &n);
    if (!text) {
        fprintf(stderr, "%s cannot be read\n", path);
        return NULL;
    }
    memset(&desc, 0, sizeof desc);
    m = xlagpu_parse(c, path, text, n);
    free(text);
    exe = xlagpu_compile(m, &desc);
    if (!exe.data) {
        fprintf(stderr, "%s\n", xlagpu_error(c));
        return NULL;
    }
    return xlagpu_rt_load(d, exe.data, exe.size);
}
/* xlagpu_rt_run uploads the weights from where the file is mapped; a program that runs often keeps them in buffers of
 * the device (xlagpu_rt_upload, xlagpu_rt_execute). */
static int show(xlagpu_program *p, const xlagpu_weights *w) {
    static float at[2 * POINTS], side[POINTS];
    xlagpu_rt_tensor in[INPUTS_MAX], out;
    uint32_t n = xlagpu_rt_parameter_count(p), k;
    char message[1024];
    int right = 0;
    memset(in, 0, sizeof in);
    if (n > INPUTS_MAX || n == 0) return 1;
    in[n - 1].data = at; /* the last parameter; bind finds the others */
    in[n - 1].bytes = sizeof at;
    out.data = side;
    out.bytes = sizeof side;
    if (!xlagpu_weights_bind(w, p, in, n, message, sizeof message)) {
        fprintf(stderr, "%s\n", message);
        return 1;
    }
    screen(at);
    if (xlagpu_rt_run(p, in, n, &out, 1) != XLAGPU_OK) return 1;
    for (k = 0; k < POINTS; k++) {
        putchar(side[k] > 0 ? '#' : '.');
        if (k % WIDTH == WIDTH - 1) putchar('\n');
    }
    spirals(at);
    if (xlagpu_rt_run(p, in, n, &out, 1) != XLAGPU_OK) return 1;
    for (k = 0; k < 2 * ON_ARM; k++) right += (side[k] > 0) == (k < ON_ARM);
    printf("%d of %d points are on the right side\n", right, 2 * ON_ARM);
    return 0;
}

int main(int argc, char **argv) {
    const char *model = argc > 1 ? argv[1] : "spirals.mlir", *path = argc > 2 ? argv[2] : "spirals.safetensors";
    xlagpu_context *c = xlagpu_create(NULL);
    xlagpu_device *d = NULL;
    xlagpu_program *p = NULL;
    char message[256];
    xlagpu_weights *w = xlagpu_weights_open(path, message, sizeof message);
    int wrong = 1;
    if (!w)
        fprintf(stderr, "%s\n", message);
    else if (xlagpu_rt_open(NULL, &d) == XLAGPU_OK && (p = compile(c, d, model)) != NULL)
        wrong = show(p, w);
    if (w && wrong) fprintf(stderr, "%s\n", xlagpu_rt_error(d));
    xlagpu_weights_close(w);
    xlagpu_rt_close(d);
    xlagpu_destroy(c);
    return wrong;
}
