/* tests/programs/variants.c -- has anything changed of what damaged inputs of the text tests come to? A table says it.
 *
 *     variants [--write] [--show] [--stop] [--only WORDS] [--table FILE] FILES...
 *
 * Each case of a text test is run again with an input in which one thing is damaged: a number is one more, one less,
 * twice or none, a word stands where another did, a sign is missing, a line is dropped or moved, the text ends. What
 * draws it is a digest of the case. About half is refused, with a message that has a place in it; the rest does
 * something that no test says. Behind these come the variants of tests/seeds.txt, in which a size, a type or an
 * operation is another throughout, chosen for what they reach (tests/scripts/seeds.py). A line of the table is a file
 * and has a digest of what all its variants came to, behind `out=` the numbers of those that are left out: they hang,
 * or what comes of them is not for the code to say. A kernel is simulated for so many instructions; no time decides
 * what a line is.
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
#ifdef REACH
#include "reach.h"
#endif
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    LINES = 2000,
    CASES = 500,            /* of a file */
    VARIANTS = 5000,        /* of a file */
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
typedef struct text_case {
    char stage[64], args[512];
    const char *in;
    size_t size;
} text_case;
/* seed: draws a change, by hurt_vary; 0: the damage is the `which`th of the case. */
typedef struct variant {
    const text_case *of;
    int which;
    uint64_t seed;
} variant;
typedef struct variants {
    const char *path;
    text_case cases[CASES];
    int n_cases;
    variant all[VARIANTS];
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
/* What the input of a case is made into; made has room for four times of it and more. */
static size_t make_variant(const text_case *c, int which, uint64_t seed, char *made) {
    bool kernel = strcmp(c->stage, "sim") == 0 || strcmp(c->stage, "planted") == 0;
    size_t n;
    hurt_state = digest_of(seed ? seed : (uint64_t)which, c->in, c->size);
    hurt_tokens(c->in, (uint32_t)c->size, !kernel);
    if (!hurt_n) return 0;
    n = seed ? hurt_vary(c->in, c->size, made) : hurt(c->in, c->size, made, 16);
    made[n] = 0;
    return n;
}
/* What it comes to; to be freed. */
static char *come_to(const variants *v, const text_case *c, const char *in, size_t n) {
    return run_case(v->path, c->stage, c->args, in, n, MEMORY);
}
static char *try_variant(const variants *v, const text_case *c, int which, uint64_t seed) {
    char *made = (char *)malloc(4 * c->size + 256), *got = NULL;
    size_t n = make_variant(c, which, seed, made);
    if (n || hurt_n) got = come_to(v, c, made, n);
    free(made);
    return got;
}
/* One variant: says its digest to the other process. */
static void try_one(const variants *v, int number, int to) {
    const variant *is = &v->all[number];
    char *got;
    uint64_t h;
    begin_clock();
    got = try_variant(v, is->of, is->which, is->seed);
    if (!got) return;
    h = digest_of(1, got, strlen(got));
    if (show) printf("%s:%d %08x %.60s\n", v->path, number, (unsigned)h, got);
    free(got);
    if (write(to, &number, sizeof number) < 0 || write(to, &h, sizeof h) < 0) _exit(3);
}
static int times_of(const char *stage) {
    size_t k;
    for (k = 0; k < sizeof stages / sizeof *stages; k++)
        if (strcmp(stages[k].name, stage) == 0) return stages[k].times;
    return 0;
}
/* The cases of a text, which is changed: those that are damaged at all. */
static void read_cases(variants *v, char *at) {
    char *next, *want;
    while (*at && v->n_cases < CASES) {
        text_case *c = &v->cases[v->n_cases];
        char *end = find_line(at, "====", &next), *split;
        bool more = *end != 0;
        *end = 0;
        split = find_line(at, "----", &want);
        if (sscanf(at, "# run: %63s%*[ ]%511[^\n]", c->stage, c->args) < 1) break;
        c->in = strchr(at, '\n');
        c->in = c->in ? c->in + 1 : split;
        c->size = split > c->in ? (size_t)(split - c->in) : 0;
        if (c->size && c->size < INPUT_BYTES && times_of(c->stage))
            v->n_cases++;
        else
            memset(c, 0, sizeof *c);
        at = more ? next : end;
    }
}
static void add_variant(variants *v, int number, int which, uint64_t seed) {
    if (v->n == VARIANTS || number >= v->n_cases) return;
    v->all[v->n].of = &v->cases[number];
    v->all[v->n].which = which;
    v->all[v->n++].seed = seed;
}
static void list_variants(variants *v) {
    static draw_of chosen[SEEDS];
    int n = seeds_of("variants", v->path, chosen), c, k;
    for (c = 0; c < v->n_cases; c++)
        for (k = 0; k < times_of(v->cases[c].stage); k++) add_variant(v, c, k, 0);
    for (k = 0; k < n; k++) add_variant(v, chosen[k].which, 0, chosen[k].seed);
}
/* The number of a variant that does not end as it should, or -1. */
static int in_a_process(variants *v, int first, const char **how) {
    int ends[2], number, status = 0, last = first - 1, k;
    uint64_t h;
    pid_t child;
    fflush(NULL);
    if (pipe(ends) < 0 || (child = fork()) < 0) exit(2);
    if (child == 0) {
        if (v->elsewhere && (!malloc(54320) || !malloc(5 << 20))) _exit(3); /* never given back */
        for (k = first; k < v->n; k++)
            if (!v->out[k]) try_one(v, k, ends[1]);
        fflush(stdout);
        _exit(0);
    }
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
static void run_all(variants *v) {
    const char *how = "";
    int wrong = -1;
    while ((wrong = in_a_process(v, wrong + 1, &how)) >= 0 && wrong < v->n) leave_out(v, wrong, how);
}
static void run_elsewhere(variants *v) {
    int k;
    memcpy(v->first, v->of, sizeof v->of);
    v->elsewhere = true;
    run_all(v);
    for (k = 0; k < v->n; k++)
        if (!v->out[k] && v->of[k] != v->first[k]) leave_out(v, k, "has addresses in it");
}
static void one_file(const char *path) {
    static variants v;
    static char line[1 << 15];
    const char *was = line_of(path);
    char what[1000];
    size_t n;
    char *text = read_whole(path, &n);
    memset(&v, 0, sizeof v);
    v.path = path;
    read_cases(&v, text);
    list_variants(&v);
    if (was) read_out(&v, was);
    if (v.n) run_all(&v);
    if (v.n && writes) run_elsewhere(&v);
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

#ifdef REACH
/* ---- what changes reach: see seeds.py ---- */

static int tries;
static uint64_t tries_from;
/* The inputs as they are, and their variants: what is reached anyway. */
static void explore_base(void *user, int k) {
    variants *v = (variants *)user;
    const text_case *c = &v->cases[k < v->n_cases ? k : 0];
    reach_begin();
    if (k < v->n_cases)
        free(come_to(v, c, c->in, c->size));
    else
        free(try_variant(v, v->all[k - v->n_cases].of, v->all[k - v->n_cases].which, v->all[k - v->n_cases].seed));
    reach_end_base();
}
static void explore_one(void *user, int k) {
    variants *v = (variants *)user;
    int c = k % v->n_cases;
    uint64_t number = tries_from + 1 + (uint64_t)(k / v->n_cases);
    reach_begin();
    free(try_variant(v, &v->cases[c], 0, number));
    reach_end("variants", v->path, c, number);
}
static void explore_file(const char *path, bool base) {
    static variants v;
    size_t n;
    char *text = read_whole(path, &n);
    memset(&v, 0, sizeof v);
    v.path = path;
    read_cases(&v, text);
    list_variants(&v);
    if (v.n_cases) reach_each(base ? explore_base : explore_one, &v, base ? v.n_cases + v.n : v.n_cases * tries);
    free(text);
}
#endif

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
#ifdef REACH
    reach_start();
    tries = getenv("XG_TRIES") ? atoi(getenv("XG_TRIES")) : 0;
    tries_from = getenv("XG_FROM") ? strtoull(getenv("XG_FROM"), NULL, 10) : 0;
    for (; a < argc; a++)
        if (strstr(argv[a], t.only)) explore_file(argv[a], !tries);
    reach_finish();
    return 0;
#endif
    for (; a < argc && !(t.stop && failed); a++)
        if (strstr(argv[a], t.only)) one_file(argv[a]);
    if (changed) printf("%d files differ; if that is meant, ./build.sh digests writes the table anew\n", changed);
    if (writes) fclose(writes);
    return finish();
}
