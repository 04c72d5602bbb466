/* parallel.c -- trains a small GPT-2 on one device and, each in its own way, on eight that share the work: the losses
 * are the same. model.py made train.mlir, which says nothing of devices: what each of them has is said here.
 *     parallel [train.mlir [steps]]
 *
 * The devices are simulated. With platform "cuda", and XLAGPU_USE_NCCL, they are GPUs. */
#include "../../xlagpu.h"
#include "../../xlagpu_runtime.h"

#include "../files.h"
#include <math.h>
#include <string.h>

enum {
    LAYERS = 2,
    AROUND = 2,    /* weights in front of the layers, and behind them */
    IN_LAYER = 12, /* weights of a layer */
    WEIGHTS = 2 * AROUND + LAYERS * IN_LAYER,
    KINDS = 3,                   /* weights, and Adam's two moments of each */
    STATE = KINDS * WEIGHTS + 1, /* and the count of steps: what a step takes and gives */
    LETTERS = 64,
    STEPS_MAX = 100
};

/* A weight: the axes that split it where heads and wide layers are split (tensor parallelism, after Megatron), and
 * where every device has a part of everything (fully sharded data parallelism); whether it begins as 1, as 0, or at
 * random. */
typedef struct weight {
    const char *name, *tensor, *sharded;
    float start;
} weight;
static const weight outer[2 * AROUND] = {
    {"wte", "model", "data", 0.1f}, {"wpe", "", "data", 0.1f}, {"ln_g", "", "data", 1}, {"ln_b", "", "data", 0}};
static const weight inner[IN_LAYER] = {
    {"ln1_g", "", "data", 1},
    {"ln1_b", "", "data", 0},
    {"qkv_w", "-,-,model", "data", 0.1f},
    {"qkv_b", "-,model", "-,data", 0},
    {"out_w", "model", "data", 0.1f},
    {"out_b", "", "data", 0},
    {"ln2_g", "", "data", 1},
    {"ln2_b", "", "data", 0},
    {"up_w", "-,model", "data", 0.1f},
    {"up_b", "model", "data", 0},
    {"down_w", "model", "data", 0.1f},
    {"down_b", "", "data", 0},
};
static const weight *weight_of(int k) {
    int last = k - AROUND - LAYERS * IN_LAYER;
    return k < AROUND ? &outer[k] : last >= 0 ? &outer[AROUND + last] : &inner[(k - AROUND) % IN_LAYER];
}

/* A way to share the work: axes of devices, whether the batch is split along "data", and the weights. */
typedef struct way {
    const char *name, *mesh;
    bool batch, tensor, sharded;
} way;
static const way ways[] = {
    {"one device", "one=1", false, false, false},
    {"data", "data=8", true, false, false},
    {"tensor", "model=8", false, true, false},
    {"fully sharded", "data=8", true, false, true},
    {"data, tensor", "data=2,model=4", true, true, false},
};
enum {
    WAYS = sizeof ways / sizeof ways[0]
};

/* "arg0=model;out0=model;...": weights come and go as their moments do. */
static void put_shardings(const way *w, char *to) {
    int k, kind;
    for (*to = 0, k = 0; k < WEIGHTS; k++) {
        const char *axes = w->tensor ? weight_of(k)->tensor : w->sharded ? weight_of(k)->sharded : "";
        for (kind = 0; *axes && kind < KINDS; kind++) {
            int leaf = kind * WEIGHTS + k;
            to += sprintf(to, "arg%d=%s;out%d=%s;", leaf, axes, leaf, axes);
        }
    }
}

/* A step: its program on its devices, and what it takes and gives. */
typedef struct training {
    xlagpu_context *compiler;
    xlagpu_clique *devices;
    xlagpu_program *step;
    xlagpu_rt_tensor in[STATE + 1], out[STATE + 1];
    xlagpu_report report;
} training;

static bool training_compile(training *t, const way *w, const char *path, const char *text, size_t size) {
    static char shardings[KINDS * WEIGHTS * 64];
    xlagpu_rt_clique_desc desc;
    xlagpu_parse_desc parse;
    xlagpu_module *module;
    xlagpu_bytes exe;
    memset(&desc, 0, sizeof desc);
    memset(&parse, 0, sizeof parse);
    put_shardings(w, shardings);
    parse.name = path;
    parse.text = text;
    parse.size = size;
    parse.placement.mesh = w->mesh;
    parse.placement.shardings = shardings;
    parse.placement.batch = w->batch ? "data" : NULL;
    t->compiler = xlagpu_create(NULL);
    module = xlagpu_parse_with(t->compiler, &parse);
    exe.data = NULL;
    if (module) exe = xlagpu_compile(module, NULL);
    if (!exe.data) {
        fprintf(stderr, "%s\n", xlagpu_error(t->compiler));
        return false;
    }
    xlagpu_compile_report(module, &t->report);
    desc.devices = xlagpu_module_devices(module);
    desc.device.platform = "host";
    if (xlagpu_rt_clique_open(&desc, &t->devices) == XLAGPU_OK)
        t->step = xlagpu_rt_clique_load(t->devices, exe.data, exe.size);
    if (!t->step) fprintf(stderr, "%s\n", xlagpu_rt_clique_error(t->devices));
    return t->step != NULL;
}

static float random_unit(uint32_t *state) { /* -1 to 1 */
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / (1 << 23) - 1;
}
/* Weights at random but for gains and offsets, moments and the count 0, a text with a rule: the same for all ways. */
static bool training_begin(training *t) {
    uint32_t random = 1;
    size_t n;
    int k;
    for (k = 0; k <= STATE; k++) {
        xlagpu_rt_value v;
        if (!xlagpu_rt_clique_parameter(t->step, (uint32_t)k, &v)) return false;
        t->in[k].bytes = v.bytes;
        t->in[k].data = calloc(v.bytes, 1);
        if (!t->in[k].data || !xlagpu_rt_clique_result(t->step, (uint32_t)k, &v)) return false;
        t->out[k].bytes = v.bytes;
        t->out[k].data = calloc(v.bytes, 1);
        if (!t->out[k].data) return false;
        for (n = 0; k < WEIGHTS && n < t->in[k].bytes / 4; n++) {
            float start = weight_of(k)->start, any = start * random_unit(&random);
            ((float *)t->in[k].data)[n] = start < 1 ? any : start;
        }
    }
    for (n = 0; n < t->in[STATE].bytes / 4; n++) ((int32_t *)t->in[STATE].data)[n] = (int32_t)(n * n / 3 % LETTERS);
    return true;
}
/* Gives the loss of each step. */
static bool training_run(training *t, int steps, float *losses) {
    int step, k;
    for (step = 0; step < steps; step++) {
        if (xlagpu_rt_clique_run(t->step, t->in, STATE + 1, t->out, STATE + 1) != XLAGPU_OK) {
            fprintf(stderr, "%s\n", xlagpu_rt_clique_error(t->devices));
            return false;
        }
        for (k = 0; k < STATE; k++) memcpy(t->in[k].data, t->out[k].data, t->in[k].bytes);
        losses[step] = *(const float *)t->out[STATE].data;
    }
    return true;
}
static void training_end(training *t) {
    int k;
    for (k = 0; k <= STATE; k++) {
        free(t->in[k].data);
        free(t->out[k].data);
    }
    xlagpu_rt_clique_close(t->devices);
    xlagpu_destroy(t->compiler);
}

static double megabytes_sent(const xlagpu_report *r) {
    double sum = 0;
#define ADD(name) sum += (double)r->name##_bytes;
    XLAGPU_COLLECTIVES(ADD)
#undef ADD
    return sum / 1e6;
}

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "examples/parallel/train.mlir";
    int steps = argc > 2 ? atoi(argv[2]) : 5, k, step, failed = 0;
    static float losses[WAYS][STEPS_MAX];
    size_t size = 0;
    char *text = read_file(path, &size);
    if (!text || steps < 1 || steps > STEPS_MAX) {
        fprintf(stderr, text ? "1 to 100 steps\n" : "%s: cannot be read\n", path);
        free(text);
        return 2;
    }
    printf("%-14s%12s%14s   loss by step\n", "", "collectives", "MB sent");
    for (k = 0; k < WAYS && !failed; k++) {
        training t;
        memset(&t, 0, sizeof t);
        failed = !training_compile(&t, &ways[k], path, text, size) || !training_begin(&t) ||
                 !training_run(&t, steps, losses[k]);
        if (!failed) printf("%-14s%12u%14.3f  ", ways[k].name, t.report.collectives, megabytes_sent(&t.report));
        for (step = 0; step < steps && !failed; step++) {
            printf(" %.6f", (double)losses[k][step]);
            failed = fabsf(losses[k][step] - losses[0][step]) > 1e-5f * losses[0][step]; /* another order of sums */
        }
        printf(failed ? "   differs from one device\n" : "\n");
        training_end(&t);
    }
    free(text);
    return failed;
}
