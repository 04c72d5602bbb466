/* bench/parse.c -- how fast modules are read, in whatever form they come.
 *
 *     cc -O2 -DXLAGPU_IMPLEMENTATION bench/parse.c -lm -o parse && ./parse [-n TIMES] FILE ...
 *
 * Each file is read and checked TIMES times (20) by xlagpu_parse in a context of its own; the least processor time
 * counts. What a line says: milliseconds, MB of the file a second, and operations a second, where the operations are
 * the instructions of the module that comes of it. Needs POSIX clock_gettime. */
#define _POSIX_C_SOURCE 199309L
#include "../src/xlagpu.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double processor_seconds(void) { /* other processes aside */
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static unsigned char *whole_file(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    unsigned char *bytes = NULL;
    long n = 0;
    if (!f) return NULL;
    if (fseek(f, 0, SEEK_END) == 0 && (n = ftell(f)) >= 0 && fseek(f, 0, SEEK_SET) == 0) {
        bytes = (unsigned char *)malloc((size_t)n + 1);
        if (bytes && fread(bytes, 1, (size_t)n, f) != (size_t)n) {
            free(bytes);
            bytes = NULL;
        }
    }
    fclose(f);
    *size = (size_t)n;
    return bytes;
}
/* Instructions of the module: lines of its text that define one. */
static unsigned long count_operations(xlagpu_module *m) {
    xlagpu_bytes text = xlagpu_print(m);
    unsigned long n = 0;
    size_t k;
    for (k = 0; k + 3 <= text.size; k++) n += memcmp(text.data + k, " = ", 3) == 0;
    return n;
}
static int measure(const char *path, int times) {
    size_t size = 0;
    unsigned char *bytes = whole_file(path, &size);
    unsigned long operations = 0;
    double best = 1e30;
    int k;
    if (!bytes) return fprintf(stderr, "cannot read %s\n", path), 1;
    for (k = 0; k < times; k++) {
        xlagpu_context *c = xlagpu_create(NULL);
        double from = processor_seconds(), took;
        xlagpu_module *m = xlagpu_parse(c, path, (const char *)bytes, size);
        took = processor_seconds() - from;
        if (!m) return fprintf(stderr, "%s\n", xlagpu_error(c)), 1;
        if (took < best) best = took;
        if (!k) operations = size < (size_t)1 << 24 ? count_operations(m) : 0;
        xlagpu_destroy(c);
    }
    printf("%10.3f ms %9.1f MB/s %8.3f M operations/s (%lu)  %s\n", best * 1e3, (double)size / best * 1e-6,
        (double)operations / best * 1e-6, operations, path);
    free(bytes);
    return 0;
}
int main(int argc, char **argv) {
    int k = 1, times = 20, bad = 0;
    if (argc > 2 && strcmp(argv[1], "-n") == 0) {
        times = atoi(argv[2]);
        k = 3;
    }
    for (; k < argc; k++) bad |= measure(argv[k], times > 0 ? times : 1);
    return bad;
}
