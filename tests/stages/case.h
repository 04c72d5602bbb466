/* tests/stages/case.h -- one case of a text test: the stages, and what runs one. For tests/programs/runner.c and
 * variants.c. */
#ifndef XLAGPU_TESTS_CASE_H
#define XLAGPU_TESTS_CASE_H
#ifndef XLAGPU_IMPLEMENTATION
#define XLAGPU_IMPLEMENTATION
#endif
#include "../../src/xlagpu.h"
#include "../../src/xlagpu_runtime.h"
#include <dirent.h>
#include <stdio.h>

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

#include "stages.h"

typedef struct stage_row {
    const char *name;
    void (*run)(xg_stage *io);
} stage_row;
static const stage_row stage_rows[] = {
#define X(name) {#name, stage_##name},
    STAGES(X)
#undef X
};

/* Runs one case; the result is malloc'ed text. memory_limit: in at most so many bytes, and what a failed case holds on
 * to is forgiven; 0: as a test. */
static char *run_case(
    const char *path, const char *stage, const char *args, const char *in, size_t n, size_t memory_limit) {
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
    xg_ctx_init(&ctx, NULL, memory_limit);
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
    if (ctx.live && !memory_limit) {
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

#endif
