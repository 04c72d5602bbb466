/* training.c -- trains a network on the device. The weights are donated: xlagpu_rt_execute gets the same buffers as
 * parameters and as results, so nothing is copied and the host sees the loss alone. Writes its curve as loss.svg.
 * model.py made train.mlir.
 *     training [train.mlir [loss.svg [steps]]] */
#define XLAGPU_IMPLEMENTATION
#include "../../xlagpu.h"
#include "../../xlagpu_runtime.h"
#include "../files.h"
#include <math.h>

enum {
    WEIGHTS = 5,
    ARGUMENTS = 7, /* the weights, points, sides */
    RESULTS = 7,   /* the weights, the loss, how many are right */
    POINTS = 256,
    STEPS_MAX = 10000
};

/* Two spirals, each turning one and a half times. */
static void spirals(float *at, float *side) {
    int k;
    for (k = 0; k < POINTS; k++) {
        float t = (float)(k / 2) / (POINTS / 2), turn = 9.42f * t + (k % 2 ? 3.1416f : 0), far_out = 0.2f + 1.8f * t;
        at[2 * k] = far_out * cosf(turn);
        at[2 * k + 1] = far_out * sinf(turn);
        side[k] = k % 2 ? 1.0f : -1.0f;
    }
}

/* Weights begin small; a generator of our own makes every run the same. */
static xlagpu_status upload_start(xlagpu_device *d, xlagpu_buffer to, size_t bytes) {
    static uint32_t state = 1;
    float *w = (float *)malloc(bytes);
    size_t k;
    xlagpu_status s = w ? XLAGPU_OK : XLAGPU_ERROR_MEMORY;
    for (k = 0; w && k < bytes / sizeof *w; k++) {
        state = state * 1664525u + 1013904223u;
        w[k] = ((float)(state >> 8) / (1 << 24) - 0.5f) * 1.2f;
    }
    if (w) s = xlagpu_rt_upload(d, to, w, bytes);
    free(w);
    return s;
}

static int write_svg(const char *path, const float *loss, int n) {
    FILE *f = fopen(path, "w");
    float most = 0;
    int k;
    if (!f) return 1;
    for (k = 0; k < n; k++) most = loss[k] > most ? loss[k] : most;
    fprintf(f,
        "<svg xmlns='http://www.w3.org/2000/svg' width='640' height='360' font-family='sans-serif' font-size='13'>\n"
        "<rect width='640' height='360' fill='#fff'/><path d='M60 20V320H620' fill='none' stroke='#444'/>\n");
    for (k = 0; k <= 4; k++)
        fprintf(f, "<path d='M60 %dH620' stroke='#ddd'/><text x='52' y='%d' text-anchor='end'>%.2f</text>\n",
            320 - k * 75, 324 - k * 75, most * (float)k / 4);
    fprintf(f, "<text x='620' y='340' text-anchor='end'>%d steps</text><text x='70' y='16'>loss</text>\n", n);
    fprintf(f, "<polyline fill='none' stroke='#0a6' stroke-width='2' points='");
    for (k = 0; k < n; k++)
        fprintf(f, "%.1f,%.1f ", 60 + 560.0 * k / (n > 1 ? n - 1 : 1), 320 - 300.0 * loss[k] / (most > 0 ? most : 1));
    fprintf(f, "'/>\n</svg>\n");
    k = ferror(f);
    return fclose(f) != 0 || k;
}

/* All buffers are there: trains, and returns how many steps went well. */
static int train(
    xlagpu_device *d, xlagpu_execution *e, const xlagpu_buffer *in, const xlagpu_buffer *out, float *loss, int steps) {
    float right;
    int k;
    for (k = 0; k < steps; k++) {
        if (xlagpu_rt_execute(e, in, out, NULL) || xlagpu_rt_execution_wait(e)) {
            fprintf(stderr, "%s\n", xlagpu_rt_execution_error(e));
            return k;
        }
        if (xlagpu_rt_download(d, &loss[k], out[WEIGHTS], sizeof *loss) ||
            xlagpu_rt_download(d, &right, out[WEIGHTS + 1], sizeof right))
            return k;
        if (k % 50 == 0 || k + 1 == steps) printf("step %4d: loss %.4f, %.0f%% right\n", k, loss[k], 100 * right);
    }
    return k;
}

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "examples/training/train.mlir", *to = argc > 2 ? argv[2] : "loss.svg";
    int steps = argc > 3 ? atoi(argv[3]) : 600, k, done = 0, bad;
    static float at[2 * POINTS], side[POINTS], loss[STEPS_MAX];
    xlagpu_buffer in[ARGUMENTS] = {{0, 0}}, out[RESULTS] = {{0, 0}};
    size_t size = 0;
    char *text = read_file(path, &size);
    xlagpu_context *context = xlagpu_create(NULL);
    xlagpu_module *module = text ? xlagpu_parse(context, path, text, size) : NULL;
    xlagpu_compile_desc desc = {0};
    xlagpu_bytes exe = {0};
    xlagpu_program *program = NULL;
    xlagpu_execution *e = NULL;
    xlagpu_device *d;
    bad = xlagpu_rt_open(NULL, &d);
    if (!bad) bad = xlagpu_rt_target_desc(d, &desc.target);
    if (!bad && module) exe = xlagpu_compile(module, &desc);
    if (exe.data) program = xlagpu_rt_load(d, exe.data, exe.size);
    if (program) e = xlagpu_rt_prepare(program);
    if (steps > STEPS_MAX) steps = STEPS_MAX;
    spirals(at, side);
    for (k = 0; e && k < ARGUMENTS && !bad; k++) {
        xlagpu_rt_value v;
        xlagpu_rt_parameter(program, (uint32_t)k, &v);
        bad = xlagpu_rt_alloc(d, v.bytes, &in[k]);
        if (!bad && k < WEIGHTS) bad = upload_start(d, in[k], v.bytes);
        if (!bad && k >= WEIGHTS) bad = xlagpu_rt_upload(d, in[k], k == WEIGHTS ? at : side, v.bytes);
    }
    for (k = 0; e && k < RESULTS && !bad; k++) {
        xlagpu_rt_value v;
        xlagpu_rt_result(program, (uint32_t)k, &v);
        if (v.alias)
            out[k] = in[v.alias - 1]; /* donated: the new weights stand where the old ones did */
        else
            bad = xlagpu_rt_alloc(d, v.bytes, &out[k]);
    }
    if (e && !bad) done = train(d, e, in, out, loss, steps);
    if (done == steps && write_svg(to, loss, steps)) fprintf(stderr, "%s: cannot be written\n", to);
    if (!text)
        fprintf(stderr, "%s: cannot be read\n", path);
    else if (!exe.data)
        fprintf(stderr, "%s\n", xlagpu_error(context));
    else if (done < steps)
        fprintf(stderr, "%s\n", xlagpu_rt_error(d));
    xlagpu_rt_close(d); /* and with it the program, the execution and the buffers */
    xlagpu_destroy(context);
    free(text);
    return done != steps;
}
