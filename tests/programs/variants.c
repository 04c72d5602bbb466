/* tests/programs/variants.c -- has anything changed of what damaged inputs of the text tests come to? A table says it.
 *
 *     variants [--write] [--show] [--stop] [--only WORDS] [--table FILE] FILES...
 *
 * Each case of a text test is run again with an input in which one thing is damaged: a number is one more, one less,
 * twice or none, a word stands where another did, a sign is missing, a line is dropped or moved, the text ends. What
 * draws it is a digest of the case. About half is refused, with a message that has a place in it; the rest does
 * something that no test says. A line of the table is a file and has a digest of what all its variants came to, behind
 * `out=` the numbers of those that are left out: they hang, or what comes of them is not for the code to say. A kernel
 * is simulated for so many instructions; no time decides what a line is.
 *
 * A variant whose result has addresses in it is found where the table is written, by a second run at other addresses.
 *
 * Like digests.c it is a detector of changes, proves nothing right, and is written anew by ./build.sh digests; what was
 * left out before stays so. A variant must end, in any case: a crash and a hang fail. Ends with 'N passed, N failed' */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#define XG_ARENA_FENCES
#include "../stages/case.h"
#include "expect.h"
#include "hurt.h"
#include "table.h"
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    LINES = 2000,
    VARIANTS = 4000,        /* of a file */
    MEMORY = 1 << 28,       /* bytes that a case may take */
    INPUT_BYTES = 16 << 10, /* of a case: longer ones are slow, and no richer */
    FUEL = 1 << 15,         /* warp instructions of a block of a kernel that is simulated: the same on any machine */
    SECONDS = 20            /* of the processor: what takes more hangs, however busy the machine is */
};
/* How often each case of a stage is damaged; stages without a row draw their inputs themselves, or are slow. */
static const struct {
    const char *name;
    int times;
} stages[] = {{"oracle", 1}, {"eval", 4}, {"sim", 8}, {"verify", 8}, {"rule", 4}, {"pass", 8}, {"run", 4},
    {"planted", 4}, {"parse", 16}, {"import", 16}, {"dynamic", 2}, {"literal", 16}, {"indexing", 6}, {"proto", 16},
    {"kir_pass", 8}, {"kir_run", 4}, {"infer", 16}, {"roundtrip", 16}, {"ptx", 12}, {"ptx_legal", 12},
    {"plan_steps", 8}, {"kir", 16}, {"schedule_rule", 4}, {"schedule", 8}, {"emit", 6}, {"walks", 6}, {"affine", 16},
    {"spmd", 8}, {"place", 16}, {"thunks", 12}, {"counters", 4}, {"compile", 8}, {"number", 16}, {"plan_again", 6},
    {"plan", 12}, {"time", 32}, {"sharding", 16}, {"graph", 16}, {"tuned", 12}, {"proto_write", 12}, {"stablehlo", 16},
    {"nest", 32}, {"llvm", 12}, {"format", 16}, {"schedule_each", 32}, {"schedule_blocks", 16}, {"partition", 16},
    {"listing", 32}, {"lines", 8}, {"iter_map", 32}, {"device", 16}, {"kinds", 16}, {"factors", 32}, {"fusion", 2},
    {"units", 1}, {"attention", 1}};

/* ---- a file ---- */

static uint64_t digest_of(uint64_t h, const char *p, size_t n) {
    for (h = (h ^ n) * UINT64_C(0x9E3779B97F4A7C15); n; n--, p++) h = (h ^ (unsigned char)*p) * UINT64_C(0x100000001B3);
    return h ^ h >> 31;
}
typedef struct variants {
    const char *path;
    uint64_t of[VARIANTS], first[VARIANTS]; /* first: of an earlier run */
    bool elsewhere;                         /* memory begins at other addresses than usually */
    bool out[VARIANTS];
    int n;
} variants;
static bool show;

static void begin_clock(void) {
    struct itimerval t;
    memset(&t, 0, sizeof t);
    t.it_value.tv_sec = SECONDS;
    setitimer(ITIMER_PROF, &t, NULL); /* its signal ends the process */
}
/* One variant: says its digest to the other process. */
static void try_one(
    variants *v, int number, int which, const char *stage, const char *args, const char *in, size_t n, int to) {
    char *made = (char *)malloc(2 * n + 64), *got;
    bool kernel = strcmp(stage, "sim") == 0 || strcmp(stage, "planted") == 0;
    size_t size;
    uint64_t h;
    hurt_state = digest_of((uint64_t)which, in, n);
    hurt_tokens(in, (uint32_t)n, !kernel);
    if (!hurt_n) return;
    size = hurt(in, n, made, 16);
    made[size] = 0;
    begin_clock();
    got = run_case(v->path, stage, args, made, size, MEMORY);
    h = digest_of(1, got, strlen(got));
    if (show) printf("%s:%d %08x %.60s\n", v->path, number, (unsigned)h, got);
    free(got);
    free(made);
    if (write(to, &number, sizeof number) < 0 || write(to, &h, sizeof h) < 0) _exit(3);
}
static int times_of(const char *stage) {
    size_t k;
    for (k = 0; k < sizeof stages / sizeof *stages; k++)
        if (strcmp(stages[k].name, stage) == 0) return stages[k].times;
    return 0;
}
/* Variants from number `first` on, in a process of their own. text is changed. */
static int all_from(variants *v, char *text, int first, int to) {
    char *at = text, *next, *want, stage[64], args[512];
    int number = 0, k;
    while (*at) {
        char *end = find_line(at, "====", &next), *split, *in;
        bool more = *end != 0;
        *end = 0;
        split = find_line(at, "----", &want);
        *stage = *args = 0;
        if (sscanf(at, "# run: %63s%*[ ]%511[^\n]", stage, args) < 1) break;
        in = strchr(at, '\n');
        in = in ? in + 1 : split;
        for (k = 0; split > in && split - in < INPUT_BYTES && k < times_of(stage) && number < VARIANTS; k++, number++)
            if (number >= first && !v->out[number] && to >= 0)
                try_one(v, number, k, stage, args + strspn(args, " "), in, (size_t)(split - in), to);
        at = more ? next : end;
    }
    return number;
}
/* The number of a variant that does not end as it should, or -1. */
static int in_a_process(variants *v, const char *bytes, size_t n, int first, const char **how) {
    char *text = (char *)malloc(n + 1);
    int ends[2], number, status = 0, last = first - 1, k;
    uint64_t h;
    pid_t child;
    memcpy(text, bytes, n + 1);
    fflush(NULL);
    if (pipe(ends) < 0 || (child = fork()) < 0) exit(2);
    if (child == 0) {
        if (v->elsewhere && (!malloc(54320) || !malloc(5 << 20))) _exit(3); /* never given back */
        (void)all_from(v, text, first, ends[1]);
        fflush(stdout);
        _exit(0);
    }
    free(text);
    close(ends[1]);
    while (read(ends[0], &number, sizeof number) == sizeof number && read(ends[0], &h, sizeof h) == sizeof h)
        v->of[number] = h, last = number;
    close(ends[0]);
    while (waitpid(child, &status, 0) < 0) {}
    if (status == 0) return -1;
    *how = WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF ? "takes long" : "crashes";
    for (k = last + 1; k < v->n && v->out[k]; k++) {}
    return k;
}

/* ---- the table ---- */

static char *table_text;
static FILE *writes;
static int changed;

/* The file's line: behind the name. NULL: there is none. */
static const char *line_of(const char *path) {
    size_t n = strlen(path);
    const char *p;
    for (p = table_text; p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL)
        if (strncmp(p, path, n) == 0 && p[n] == ' ') return p + n + 1;
    return NULL;
}
static void read_out(variants *v, const char *line) {
    const char *end = line + strcspn(line, "\n"), *p = strstr(line, "out=");
    if (!p || p > end) return;
    for (p += 4; hurt_digit(*p); p += *p == ',') {
        long k = strtol(p, (char **)(uintptr_t)&p, 10);
        if (k < VARIANTS) v->out[k] = true;
    }
}
static void put_line(const variants *v, char *to, size_t size) {
    uint64_t h = 1;
    size_t n;
    int k;
    for (k = 0; k < v->n; k++)
        if (!v->out[k]) h = digest_of(h, (const char *)&v->of[k], sizeof v->of[k]);
    n = (size_t)snprintf(to, size, "%08x", (unsigned)h);
    for (k = 0, h = 0; k < v->n && n + 16 < size; k++)
        if (v->out[k]) n += (size_t)snprintf(to + n, size - n, "%s%d", h++ ? "," : " out=", k);
}
static void leave_out(variants *v, int number, const char *how) {
    char what[1000];
    v->out[number] = true;
    snprintf(what, sizeof what, "%s, variant %d, %s", v->path, number, how);
    if (writes)
        printf("%s\n", what);
    else
        EXPECT_IN(false, what);
}
static void run_all(variants *v, const char *text, size_t n) {
    const char *how = "";
    int wrong = -1;
    while ((wrong = in_a_process(v, text, n, wrong + 1, &how)) >= 0 && wrong < v->n) leave_out(v, wrong, how);
}
static void run_elsewhere(variants *v, const char *text, size_t n) {
    int k;
    memcpy(v->first, v->of, sizeof v->of);
    v->elsewhere = true;
    run_all(v, text, n);
    for (k = 0; k < v->n; k++)
        if (!v->out[k] && v->of[k] != v->first[k]) leave_out(v, k, "has addresses in it");
}
static void one_file(const char *path) {
    static variants v;
    static char line[1 << 15];
    const char *was = line_of(path);
    char what[1000];
    size_t n;
    char *text = read_whole(path, &n), *copy = (char *)malloc(n + 1);
    memset(&v, 0, sizeof v);
    v.path = path;
    memcpy(copy, text, n + 1);
    v.n = all_from(&v, copy, 0, -1);
    free(copy);
    if (was) read_out(&v, was);
    if (v.n) run_all(&v, text, n);
    if (v.n && writes) run_elsewhere(&v, text, n);
    free(text);
    if (!v.n) return;
    put_line(&v, line, sizeof line);
    if (writes)
        fprintf(writes, "%s %s\n", path, line);
    else if (!show) {
        snprintf(what, sizeof what, "%s: damaged inputs come to something else", path);
        if (!EXPECT_IN(was && strlen(line) == strcspn(was, "\n") && strncmp(was, line, strlen(line)) == 0, what))
            changed++;
    }
}

int main(int argc, char **argv) {
    table_flags t = {"tests/variants.txt", "", false, false, false, 0, 0, false, false};
    int a = table_read_flags(&t, argc, argv);
    FILE *f = fopen(t.path, "rb");
    size_t n;
    if (f) {
        fclose(f);
        table_text = read_whole(t.path, &n);
    }
    show = t.show;
    sim_fuel = FUEL;
    writes =
        table_open(&t, "# What damaged inputs of the text tests come to, by digests: see tests/programs/variants.c. "
                       "Written by\n# ./build.sh digests.\n");
    for (; a < argc && !(t.stop && failed); a++)
        if (strstr(argv[a], t.only)) one_file(argv[a]);
    if (changed) printf("%d files differ; if that is meant, ./build.sh digests writes the table anew\n", changed);
    if (writes) fclose(writes);
    return finish();
}
