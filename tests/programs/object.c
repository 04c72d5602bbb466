/* tests/programs/object.c -- object code of executables that are not what they say: `object M.xgx [N]`. M.xgx is for
 * the processor of this host. It loads; then N times some bytes of its objects are changed, and it loads or is refused
 * as damaged. Nothing of that is run. tests/scripts/llvm_cpu.sh builds it with sanitizers. */
#define XLAGPU_IMPLEMENTATION
#include "../../src/xlagpu_runtime.h"
#include <stdio.h>

static uint64_t seed = 88172645463325252ull;
static uint32_t draw(uint32_t n) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 16) % n;
}
static unsigned char *read_file(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    unsigned char *p = (unsigned char *)malloc(1 << 24);
    *size = f && p ? fread(p, 1, 1 << 24, f) : 0;
    if (f) fclose(f);
    return p;
}
/* Most of what counts stands in the file's header, and in its tables: at the end. */
static void change(unsigned char *object, size_t bytes) {
    static const unsigned char interesting[] = {0, 1, 2, 4, 0x7F, 0x80, 0xFF, 0xF1};
    uint32_t n = 1 + draw(4), k;
    for (k = 0; k < n; k++) {
        size_t at = draw(4) == 0 ? draw(80) : draw(2) ? bytes - 1 - draw((uint32_t)(bytes / 2)) : draw((uint32_t)bytes);
        object[at % bytes] = draw(2) ? interesting[draw(8)] : (unsigned char)draw(256);
    }
}
static void seal(unsigned char *p, size_t size) {
    uint64_t sum = xg_exe_checksum(p + offsetof(xg_exe_header, target), size - offsetof(xg_exe_header, target));
    memcpy(p + offsetof(xg_exe_header, checksum), &sum, sizeof sum);
}
int main(int argc, char **argv) {
    size_t size = 0;
    unsigned char *whole = argc > 1 ? read_file(argv[1], &size) : NULL, *copy = (unsigned char *)malloc(size + 1);
    long n = argc > 2 ? atol(argv[2]) : 2000, k, loaded = 0, refused = 0, failed = 0;
    xlagpu_device_desc desc;
    xlagpu_device *d = NULL;
    xlagpu_program *p;
    xg_exe_header h;
    xg_exe_section s[XG_EXE_SECTION_COUNT];
    memset(&desc, 0, sizeof desc);
    desc.platform = "llvm-cpu";
    desc.threads = 1;
    if (!copy || xlagpu_rt_open(&desc, &d) != XLAGPU_OK || xg_exe_check(whole, size, &h, s) ||
        !xg_exe_is_object(whole, s) || !(p = xlagpu_rt_load(d, whole, size))) {
        printf("FAIL %s does not load: %s\n0 passed, 1 failed\n", argc > 1 ? argv[1] : "", d ? xlagpu_rt_error(d) : "");
        return 1;
    }
    xlagpu_rt_unload(p);
    for (k = 0; k < n; k++) {
        memcpy(copy, whole, size);
        change(copy + s[XG_EXE_CUBIN].offset, (size_t)s[XG_EXE_CUBIN].bytes);
        seal(copy, size);
        p = xlagpu_rt_load(d, copy, size);
        if (p)
            loaded++;
        else if (xlagpu_rt_error_status(d) == XLAGPU_ERROR_CORRUPT || xlagpu_rt_error_status(d) == XLAGPU_ERROR_DEVICE)
            refused++;
        else {
            failed++;
            printf("FAIL change %ld: %s\n", k, xlagpu_rt_error(d));
        }
        xlagpu_rt_unload(p);
    }
    xlagpu_rt_close(d);
    free(copy);
    free(whole);
    if (!refused) failed++; /* the changes did not reach what is checked */
    printf("%ld loaded, %ld refused\n%ld passed, %ld failed\n", loaded, refused, loaded + refused, failed);
    return failed != 0;
}
