/* tests/programs/reach.h -- which inputs reach code, or outcomes of comparisons, that no input before them did: for
 * tests/scripts/seeds.py, which builds digests.c and variants.c with -DREACH and clang's -fsanitize-coverage. A feature
 * is an edge, or a comparison with how its sides compare: equal, apart by one, less, more. XG_REACH_BASE names a file
 * of features that are reached anyway, XG_REACH_ALL one that gets all that the run reached. */
#ifndef XLAGPU_TESTS_REACH_H
#define XLAGPU_TESTS_REACH_H
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#define REACH_PLAIN __attribute__((no_sanitize("coverage")))

enum {
    REACH_BITS = 22,
    REACH_SECONDS = 1, /* of a candidate */
    REACH_BASE = 1,
    REACH_SEEN = 2
};
static uint64_t *reach_keys;           /* by hash: the feature; shared by all processes */
static unsigned char *reach_state;     /* of the same */
static uint64_t reach_recent[1 << 14]; /* of this candidate */
static uint32_t *reach_edges, *reach_mark, *reach_list, reach_n, reach_epoch;
static uint64_t reach_calls; /* a measure of time that is the same on any machine */

REACH_PLAIN static uint32_t reach_place(uint64_t key) {
    uint32_t k = (uint32_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> (64 - REACH_BITS));
    while (reach_keys[k] && reach_keys[k] != key) k = (k + 1) & ((1u << REACH_BITS) - 1);
    reach_keys[k] = key;
    return k;
}
REACH_PLAIN static void reach_note(uintptr_t pc, unsigned relation) {
    uint64_t key = (uint64_t)pc << 3 | relation, *recent = &reach_recent[key * UINT64_C(0x9E3779B97F4A7C15) >> 50];
    uint32_t k;
    reach_calls++;
    if (*recent == key || !reach_keys) return;
    *recent = key;
    k = reach_place(key);
    if (reach_mark[k] == reach_epoch) return;
    reach_mark[k] = reach_epoch;
    reach_list[reach_n++] = k;
}
REACH_PLAIN static void reach_compare(uintptr_t pc, uint64_t a, uint64_t b) {
    reach_note(pc, a == b ? 1 : a == b + 1 ? 2 : a + 1 == b ? 3 : a < b ? 4 : 5);
}
REACH_PLAIN static void reach_start(void) {
    size_t n = (size_t)1 << REACH_BITS;
    const char *base = getenv("XG_REACH_BASE");
    FILE *f = base ? fopen(base, "rb") : NULL;
    uint64_t key;
    reach_mark = (uint32_t *)calloc(n, 4);
    reach_list = (uint32_t *)calloc(n, 4);
    reach_state = (unsigned char *)mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    reach_epoch = 1;
    reach_keys = (uint64_t *)mmap(NULL, 8 * n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    while (f && fread(&key, 8, 1, f) == 1) reach_state[reach_place(key)] = REACH_BASE;
    if (f) fclose(f);
}
REACH_PLAIN static void reach_begin(void) {
    reach_epoch++;
    memset(reach_recent, 0, sizeof reach_recent);
    reach_n = 0;
    reach_calls = 0;
}
/* What began there was nothing that is to be chosen: it belongs to the base. */
REACH_PLAIN static void reach_end_base(void) {
    uint32_t k;
    for (k = 0; k < reach_n; k++) reach_state[reach_list[k]] |= REACH_BASE;
}
/* Prints the candidate, if it reached what none before it did. */
REACH_PLAIN static void reach_end(const char *program, const char *name, int which, uint64_t seed) {
    uint32_t k, news = 0;
    for (k = 0; k < reach_n; k++) news += !reach_state[reach_list[k]];
    if (!news) return;
    printf("KEEP %s %s %d:%llu %llu", program, name, which, (unsigned long long)seed, (unsigned long long)reach_calls);
    for (k = 0; k < reach_n; k++)
        if (!(reach_state[reach_list[k]] & REACH_BASE)) {
            printf(" %llx", (unsigned long long)reach_keys[reach_list[k]]);
            reach_state[reach_list[k]] |= REACH_SEEN;
        }
    printf("\n");
    fflush(stdout);
}
REACH_PLAIN static void reach_finish(void) {
    const char *all = getenv("XG_REACH_ALL");
    FILE *f = all ? fopen(all, "wb") : NULL;
    size_t k;
    for (k = 0; f && k < (size_t)1 << REACH_BITS; k++)
        if (reach_state[k] & REACH_BASE) fwrite(&reach_keys[k], 8, 1, f);
    if (f) fclose(f);
}
/* Calls attempt(user, k) for each k below n, in processes: one that crashes or takes long costs that number only. */
static void reach_each(void (*attempt)(void *, int), void *user, int n) {
    int *at = (int *)mmap(NULL, 4, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (*at = 0; *at < n; ++*at) {
        pid_t child;
        int status = 0;
        fflush(NULL);
        child = fork();
        if (child == 0) {
            for (; *at < n; ++*at) {
                struct itimerval t;
                memset(&t, 0, sizeof t);
                t.it_value.tv_sec = REACH_SECONDS;
                setitimer(ITIMER_PROF, &t, NULL);
                attempt(user, *at);
            }
            fflush(stdout);
            _exit(0);
        }
        while (waitpid(child, &status, 0) < 0) {}
        if (status == 0) break;
        printf("LOST %d %s\n", *at, WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF ? "long" : "crash");
    }
    munmap(at, 4);
}

#define REACH_HERE ((uintptr_t)__builtin_return_address(0))
REACH_PLAIN void __sanitizer_cov_trace_pc_guard_init(uint32_t *from, uint32_t *to) {
    uint32_t k;
    for (k = 1; from < to; from++) *from = k++;
    reach_edges = (uint32_t *)calloc(k, 4);
}
REACH_PLAIN void __sanitizer_cov_trace_pc_guard(uint32_t *guard) {
    reach_calls++;
    if (reach_edges[*guard] == reach_epoch) return;
    reach_edges[*guard] = reach_epoch;
    reach_note(REACH_HERE, 0);
}
#define X(name, type) \
    REACH_PLAIN void __sanitizer_cov_trace_##name(type a, type b) { reach_compare(REACH_HERE, a, b); }
X(cmp1, uint8_t)
X(cmp2, uint16_t)
X(cmp4, uint32_t)
X(cmp8, uint64_t)
X(const_cmp1, uint8_t)
X(const_cmp2, uint16_t)
X(const_cmp4, uint32_t)
X(const_cmp8, uint64_t)
#undef X
REACH_PLAIN void __sanitizer_cov_trace_switch(uint64_t value, uint64_t *cases) { (void)value, (void)cases; }

#endif /* XLAGPU_TESTS_REACH_H */
