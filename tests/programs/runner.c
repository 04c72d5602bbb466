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
#define XG_ARENA_FENCES
#include "../stages/case.h"
#include <dirent.h>
#include <sys/stat.h>

typedef struct tally {
    int passed, failed;
    bool bless, quiet, stop;
} tally;

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
        got = run_case(path, stage, args + strspn(args, " "), eol, (size_t)(split - eol), 0);
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
