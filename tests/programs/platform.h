/* tests/programs/platform.h -- where a test program runs its kernels: on the simulator, or on a GPU.
 *
 *     --platform=host|cuda   host without it
 *     --driver=FILE          another driver library than the system's
 *     --part K/N             only every N-th case, from the K-th on: N processes share a program's cases
 *     --from CASE            only the cases from this number on, counted over all parts
 *
 * Cases are numbered from 1 in the order of the program, whatever part of them is run. A kernel that goes wrong on a
 * GPU may take the context with it: all later calls then fail, too. So a program calls platform_check where something
 * has failed on the device. It names the case, and opens the device anew; where that does not help, because the process
 * is of no use any more, the rest is counted as not tried, and the last line says from which case another process goes
 * on. The same is said of a kernel that does not end. Include it after xlagpu_runtime.h. */
#ifndef XLAGPU_TESTS_PLATFORM_H
#define XLAGPU_TESTS_PLATFORM_H
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#define PLATFORM_ALARM
#endif
#if defined(__GNUC__)
#define PLATFORM_FN __attribute__((unused)) static
#else
#define PLATFORM_FN static
#endif
#define PLATFORM_USAGE "[--platform=host|cuda] [--driver=FILE] [--part K/N] [--from CASE]"

enum {
    PLATFORM_SECONDS = 100, /* that a case may take on a GPU: the evaluator and the compiler are in it */
    PLATFORM_REASONS = 16
};
static struct {
    const char *name, *driver;
    unsigned long part, parts, from, number, not_tried, broken; /* broken: the case that ended it */
    bool on_device;                                             /* not the simulator */
    bool lost;                                                  /* nothing runs in this process any more */
    const char *target;
    uint32_t threads;
    xlagpu_device *device;
    const char *reasons[PLATFORM_REASONS];
    unsigned long skipped[PLATFORM_REASONS];
} platform = {"host", NULL, 1, 1, 1, 0, 0, 0, false, false, "sm_90a", 1, NULL, {NULL}, {0}};

/* Takes argv[*k], and the word behind it where it has one, if it is one of the flags above. */
PLATFORM_FN bool platform_flag(int argc, char **argv, int *k) {
    const char *a = argv[*k];
    char *end;
    if (strncmp(a, "--platform=", 11) == 0)
        platform.name = a + 11;
    else if (strncmp(a, "--driver=", 9) == 0)
        platform.driver = a + 9;
    else if (strcmp(a, "--part") == 0 && *k + 1 < argc) {
        platform.part = strtoul(argv[++*k], &end, 10);
        platform.parts = *end == '/' ? strtoul(end + 1, &end, 10) : 0;
        if (*end || !platform.part || platform.part > platform.parts) {
            fprintf(stderr, "--part: K/N with K from 1 to N\n");
            exit(2);
        }
    } else if (strcmp(a, "--from") == 0 && *k + 1 < argc)
        platform.from = strtoul(argv[++*k], NULL, 10);
    else
        return false;
    platform.on_device = strcmp(platform.name, "cuda") == 0;
    if (!platform.on_device && strcmp(platform.name, "host") != 0) {
        fprintf(stderr, "--platform: host or cuda\n");
        exit(2);
    }
    return true;
}
PLATFORM_FN bool platform_reopen(void) {
    xlagpu_device_desc d;
    xlagpu_rt_close(platform.device);
    memset(&d, 0, sizeof d);
    d.platform = platform.name;
    d.driver = platform.driver;
    d.threads = platform.threads;
    return xlagpu_rt_open(&d, &platform.device) == XLAGPU_OK;
}
#ifdef PLATFORM_ALARM
static void platform_alarm(int signal_number) {
    char text[160];
    int n = snprintf(
        text, sizeof text, "FAIL case %lu does not end: go on with --from %lu\n", platform.number, platform.number + 1);
    (void)signal_number;
    (void)!write(1, text, (size_t)n);
    _exit(3);
}
#endif
/* Opens the device; a program that cannot ends. Threads: of the simulator. */
PLATFORM_FN xlagpu_device *platform_open(uint32_t threads) {
    platform.threads = threads;
    if (!platform_reopen()) {
        fprintf(stderr, "%s\n", xlagpu_rt_error(platform.device));
        exit(1);
    }
    if (!platform.on_device) return platform.device;
    platform.target = xlagpu_rt_target(platform.device);
    {
        static char kept[32]; /* it outlives the device, which may be opened again */
        snprintf(kept, sizeof kept, "%s", platform.target);
        platform.target = kept;
    }
    setvbuf(stdout, NULL, _IOLBF, 0); /* what was said before the process dies is there */
    printf("on %s, %s\n", xlagpu_rt_name(platform.device), platform.target);
#ifdef PLATFORM_ALARM
    signal(SIGALRM, platform_alarm);
#endif
    return platform.device;
}
/* Counts one more case; whether it is run here. */
PLATFORM_FN bool platform_takes(void) {
    platform.number++;
    if (platform.number < platform.from || (platform.number - platform.part) % platform.parts) return false;
    platform.not_tried += platform.lost;
#ifdef PLATFORM_ALARM
    if (platform.on_device) alarm(platform.lost ? 0 : PLATFORM_SECONDS);
#endif
    return !platform.lost;
}
/* Memory that comes and goes. */
PLATFORM_FN bool platform_works(void) {
    xlagpu_buffer b;
    int out = 12345, in = 0;
    bool good;
    if (xlagpu_rt_alloc(platform.device, sizeof out, &b) != XLAGPU_OK) return false;
    good = xlagpu_rt_upload(platform.device, b, &out, sizeof out) == XLAGPU_OK &&
           xlagpu_rt_download(platform.device, &in, b, sizeof in) == XLAGPU_OK && in == out;
    xlagpu_rt_free(platform.device, b);
    return good;
}
/* Behind a failure on the device. What was loaded on it, and its buffers, must have been given back before. */
PLATFORM_FN void platform_check(const char *what) {
    if (!platform.on_device || platform.lost || platform_works()) return;
    printf("case %lu, %s, broke the device: %s\n", platform.number, what, xlagpu_rt_error(platform.device));
    if (platform_reopen() && platform_works()) {
        printf("it was opened again\n");
        return;
    }
    platform.lost = true;
    platform.broken = platform.number;
    printf("opening it again does not help: %s\n", xlagpu_rt_error(platform.device));
}
/* A case that cannot be run here; reasons are constant texts, and counted by their addresses. */
PLATFORM_FN void platform_skip(const char *why) {
    int k;
    for (k = 0; k < PLATFORM_REASONS - 1 && platform.reasons[k] && platform.reasons[k] != why; k++) {}
    if (!platform.reasons[k]) platform.reasons[k] = why;
    platform.skipped[k]++;
}
PLATFORM_FN void platform_close(void) {
    int k;
#ifdef PLATFORM_ALARM
    if (platform.on_device) alarm(PLATFORM_SECONDS);
#endif
    for (k = 0; k < PLATFORM_REASONS && platform.reasons[k]; k++)
        printf("skipped %lu: %s\n", platform.skipped[k], platform.reasons[k]);
    if (platform.lost) printf("%lu not tried: go on with --from %lu\n", platform.not_tried, platform.broken + 1);
    xlagpu_rt_close(platform.device);
    platform.device = NULL;
}
#endif
