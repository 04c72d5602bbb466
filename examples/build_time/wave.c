/* wave.c -- runs a module that was compiled with the program: a wave on a ring, drawn as text. wave.h was made from
 * wave.hlo by CMakeLists.txt and says what the module takes and returns. */
#include "wave.h"
#include "xlagpu_runtime.h"
#include <stdio.h>
#include <string.h>

enum {
    SIZE = WAVE_RESULT_0_BYTES / sizeof(float),
    STEPS = 24
};

static void draw(const float *u) {
    static const char shades[] = " .-=#";
    int i;
    for (i = 0; i < SIZE; i++) {
        int k = (int)(4.5f * (u[i] < 0 ? -u[i] : u[i]));
        putchar(shades[k > 4 ? 4 : k]);
    }
    putchar('\n');
}

int main(void) {
    float now[SIZE] = {0}, last[SIZE], next[SIZE];
    xlagpu_rt_tensor in[WAVE_PARAMETERS], out[WAVE_RESULTS];
    xlagpu_device *device;
    xlagpu_program *program = NULL;
    int i, bad = xlagpu_rt_open(NULL, &device);
    for (i = 0; i < 8; i++) now[28 + i] = 1;
    memcpy(last, now, sizeof now);
    in[WAVE_PARAMETER_NOW].data = now;
    in[WAVE_PARAMETER_LAST].data = last;
    out[0].data = next;
    in[0].bytes = in[1].bytes = out[0].bytes = sizeof now;
    if (!bad) program = xlagpu_rt_load(device, wave_xgx, wave_xgx_size);
    bad = !program;
    for (i = 0; i < STEPS && !bad; i++) {
        if (i % 4 == 0) draw(now);
        bad = xlagpu_rt_run(program, in, WAVE_PARAMETERS, out, WAVE_RESULTS);
        memcpy(last, now, sizeof now);
        memcpy(now, next, sizeof now);
    }
    if (bad) puts(xlagpu_rt_error(device));
    xlagpu_rt_close(device);
    return bad;
}
