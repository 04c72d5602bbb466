/* tests/llvm/loops.c -- runs what tests/text/llvm/cpu_loops.txt expects, compiled by llc: two warps whose loops have
 * bounds of their own. tests/scripts/llvm_cpu.sh builds it. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
enum {
    LANES = 32,
    THREADS = 64
};
extern void f(const uint64_t *buffers, void *scratch, uint32_t first, uint32_t end);

/* What a lane's neighbour says in all rounds. */
static int32_t sum(int32_t neighbour, int32_t first, int32_t end, int32_t step) {
    int32_t s = 0, k;
    for (k = first; k < end; k += step) s += neighbour + k;
    return s;
}
int main(void) {
    static uint64_t scratch[1024];
    int32_t out[THREADS], t, wrong = 0;
    uint64_t buffers[1], at = ((uint64_t)(uintptr_t)scratch + 63) / 64 * 64;
    buffers[0] = (uint64_t)(uintptr_t)out;
    memset(out, 0, sizeof out);
    f(buffers, (void *)(uintptr_t)at, 0, 1);
    for (t = 0; t < THREADS; t++) {
        const int32_t warp = t / LANES, other = t ^ 1;
        const int32_t want =
            sum(other, warp, 3, 1) + 100 * sum(other, 0, warp + 1, 1) + 10000 * sum(other, 0, 4, warp + 1);
        if (out[t] != want) printf("FAIL thread %d: %d, not %d\n", (int)t, (int)out[t], (int)want);
        wrong += out[t] != want;
    }
    return wrong != 0;
}
