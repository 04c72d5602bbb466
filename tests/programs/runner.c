/* tests/programs/runner.c -- runs text tests: one process, thousands of cases.
 *
 * A test file holds cases separated by lines "====". A case is
 *     # run: STAGE ARGS
 *     input ...
 *     ----
 *     expected output ...
 * A stage is a function in tests/stages/STAGE.c that reads io->in and writes io->out; when it fails through the
 * context, the error message is the output. `runner [--bless] [--quiet] [--stop] FILE|DIR ...` compares, or
 * with --bless rewrites the expectations; --stop ends it at the first that differs. Ends with "N passed, N failed". */
#define XLAGPU_IMPLEMENTATION
#include "../../src/xlagpu.h"
#include "../../src/xlagpu_runtime.h"
#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>

typedef struct xg_stage {
    xg_ctx *ctx;
    xg_arena *arena;
    const char *args;
    xg_source in;
    xg_buf out;
} xg_stage;

static char *read_whole(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    char *text;
    long n;
    if (!f) {
        fprintf(stderr, "cannot open %s\n", path);
        exit(2);
    }
    fseek(f, 0, SEEK_END);
    n = ftell(f);
    rewind(f);
    text = (char *)malloc((size_t)n + 1);
    *size = fread(text, 1, (size_t)n, f);
    text[*size] = 0;
    fclose(f);
    return text;
}

#include "../stages/stages.h"

typedef struct stage_row {
    const char *name;
    void (*run)(xg_stage *io);
} stage_row;
static const stage_row stage_rows[] = {
#define X(name) {#name, stage_##name},
    STAGES(X)
#undef X
};

typedef struct tally {
    int passed, failed;
    bool bless, quiet, stop;
} tally;

/* Runs one case; the result is malloc'ed text. */
static char *run_case(const char *path, const char *stage, const char *args, const char *in, size_t n) {
    xg_ctx ctx;
    xg_arena arena;
    xg_stage io;
    jmp_buf here;
    char *result;
    size_t i, len;
    void (*volatile run)(xg_stage *) = NULL; /* kept over setjmp */
    for (i = 0; i < XG_COUNT(stage_rows); i++)
        if (strcmp(stage_rows[i].name, stage) == 0) run = stage_rows[i].run;
    if (!run) {
        fprintf(stderr, "%s: unknown stage '%s'\n", path, stage);
        exit(2);
    }
    xg_ctx_init(&ctx, NULL, 0);
    xg_arena_init(&arena, &ctx);
    memset(&io, 0, sizeof io);
    io.ctx = &ctx;
    io.arena = &arena;
    io.args = args;
    io.in.name = "test";
    io.in.text = in;
    io.in.size = n;
    if (setjmp(here) == 0) {
        jmp_buf *outer = xg_try(&ctx, &here);
        xg_buf_init(&io.out, &arena);
        run(&io);
        xg_end(&ctx, outer);
        len = io.out.n;
        result = (char *)malloc(len + 2);
        if (len) memcpy(result, io.out.p, len);
    } else {
        len = strlen(ctx.message);
        result = (char *)malloc(len + 2);
        memcpy(result, ctx.message, len);
    }
    while (len && result[len - 1] == '\n') len--;
    if (len) result[len++] = '\n';
    result[len] = 0;
    xg_arena_free(&arena);
    if (ctx.live) {
        fprintf(stderr, "%s: %zu bytes leaked\n", path, ctx.live);
        exit(1);
    }
    return result;
}

/* The start of the next line that is exactly `mark`, or the end. */
static char *find_line(char *at, const char *mark, char **after) {
    size_t n = strlen(mark);
    while (*at) {
        char *eol = strchr(at, '\n');
        if (strncmp(at, mark, n) == 0 && (at[n] == '\n' || at[n] == 0)) {
            *after = eol ? eol + 1 : at + n;
            return at;
        }
        if (!eol) break;
        at = eol + 1;
    }
    at += strlen(at);
    *after = at;
    return at;
}

static void show_difference(const char *path, int number, const char *want, const char *got) {
    printf("FAIL %s case %d\n--- want\n%s--- got\n%s", path, number, want, got);
}

static void run_file(const char *path, tally *t) {
    size_t size;
    char *text = read_whole(path, &size), *at = text, *out_text = NULL;
    size_t out_n = 0;
    FILE *out = NULL;
    int number = 0;
    (void)out_text;
    (void)out_n;
    if (t->bless) {
        char tmp[1024];
        snprintf(tmp, sizeof tmp, "%s.new", path);
        out = fopen(tmp, "wb");
    }
    while (*at) {
        char *next, *end = find_line(at, "====", &next), *want, *split, stage[64] = "", args[512] = "", *got, *eol,
                    saved = *end;
        *end = 0;
        split = find_line(at, "----", &want);
        if (sscanf(at, "# run: %63s%*[ ]%511[^\n]", stage, args) < 1) {
            fprintf(stderr, "%s: case %d lacks '# run: STAGE'\n", path, number + 1);
            exit(2);
        }
        eol = strchr(at, '\n');
        eol = eol ? eol + 1 : at + strlen(at);
        got = run_case(path, stage, args + strspn(args, " "), eol, (size_t)(split - eol));
        number++;
        if (out) fprintf(out, "%.*s----\n%s%s", (int)(split - at), at, got, saved ? "====\n" : "");
        if (strcmp(want, got) == 0 || t->bless)
            t->passed++;
        else {
            t->failed++;
            show_difference(path, number, want, got);
            if (t->stop) exit(1);
        }
        free(got);
        if (saved) *end = saved;
        at = saved ? next : end;
    }
    if (out) {
        char tmp[1024];
        fclose(out);
        snprintf(tmp, sizeof tmp, "%s.new", path);
        rename(tmp, path);
    }
    free(text);
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void run_path(const char *path, tally *t) {
    struct stat st;
    struct dirent *e;
    char *names[4096];
    int n = 0, i;
    DIR *d;
    if (stat(path, &st) != 0) {
        fprintf(stderr, "cannot open %s\n", path);
        exit(2);
    }
    if (!S_ISDIR(st.st_mode)) {
        run_file(path, t);
        return;
    }
    d = opendir(path);
    while (d && (e = readdir(d)) != NULL && n < 4096)
        if (e->d_name[0] != '.') {
            char *name = (char *)malloc(strlen(path) + strlen(e->d_name) + 2);
            sprintf(name, "%s/%s", path, e->d_name);
            if (stat(name, &st) == 0 &&
                (S_ISDIR(st.st_mode) || (strlen(name) > 4 && strcmp(name + strlen(name) - 4, ".txt") == 0)))
                names[n++] = name;
            else
                free(name);
        }
    if (d) closedir(d);
    qsort(names, (size_t)n, sizeof *names, by_name);
    for (i = 0; i < n; i++) {
        run_path(names[i], t);
        free(names[i]);
    }
}

int main(int argc, char **argv) {
    tally t = {0, 0, false, false, false};
    int i, paths = 0;
    for (i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--bless") == 0)
            t.bless = true;
        else if (strcmp(argv[i], "--quiet") == 0)
            t.quiet = true;
        else if (strcmp(argv[i], "--stop") == 0)
            t.stop = true;
        else {
            run_path(argv[i], &t);
            paths++;
        }
    }
    if (!paths) run_path("tests", &t);
    if (!t.quiet) printf("%d passed, %d failed\n", t.passed, t.failed);
    return t.failed != 0;
}
