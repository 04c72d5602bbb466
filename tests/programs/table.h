/* tests/programs/table.h -- the flags of programs whose expectation is a table with a line a file: digests.c and
 * variants.c. Include it behind expect.h. */
#ifndef XLAGPU_TESTS_TABLE_H
#define XLAGPU_TESTS_TABLE_H
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct table_flags {
    const char *path, *only; /* of the table; what the names of files have in them */
    bool write, show, stop;  /* writes it anew; prints what lines are made of; ends at the first difference */
    int medleys, choices;    /* random modules: that are run, that ask which kernels are chosen */
    bool functions, forms;   /* elementwise operations in all types; PTX statements */
} table_flags;

static int table_by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }
/* Reads them and sorts the files behind them; the number of the first file. */
static int table_read_flags(table_flags *t, int argc, char **argv) {
    int a;
    for (a = 1; a < argc && argv[a][0] == '-'; a++) {
        if (strcmp(argv[a], "--write") == 0)
            t->write = true;
        else if (strcmp(argv[a], "--show") == 0)
            t->show = true;
        else if (strcmp(argv[a], "--stop") == 0)
            t->stop = true;
        else if (strcmp(argv[a], "--only") == 0 && a + 1 < argc)
            t->only = argv[++a];
        else if (strcmp(argv[a], "--table") == 0 && a + 1 < argc)
            t->path = argv[++a];
        else if (strcmp(argv[a], "--medleys") == 0 && a + 1 < argc)
            t->medleys = atoi(argv[++a]);
        else if (strcmp(argv[a], "--choices") == 0 && a + 1 < argc)
            t->choices = atoi(argv[++a]);
        else if (strcmp(argv[a], "--functions") == 0)
            t->functions = true;
        else if (strcmp(argv[a], "--forms") == 0)
            t->forms = true;
        else {
            fprintf(stderr, "unknown flag %s\n", argv[a]);
            exit(2);
        }
    }
    qsort(argv + a, (size_t)(argc - a), sizeof *argv, table_by_name);
    return a;
}
/* The table, opened to be written, with its first line; NULL: it is only compared. */
static FILE *table_open(const table_flags *t, const char *head) {
    FILE *f = t->write ? fopen(t->path, "w") : NULL;
    if (t->write && !f) {
        fprintf(stderr, "cannot write %s\n", t->path);
        exit(2);
    }
    if (f) fputs(head, f);
    return f;
}

/* ---- seeds: tests/seeds.txt ---- */

/* Draws that reach what no other test does, as tests/scripts/seeds.py found them. A line has a program, a file or kind
 * of random module, and CASE:SEED ... */
typedef struct draw_of {
    int which;
    uint64_t seed;
} draw_of;
enum {
    SEEDS = 4000 /* of a line */
};
static char *seeds_text;
static bool seeds_read;
/* Those of a line, into a table of SEEDS; their number. */
static int seeds_of(const char *program, const char *name, draw_of *to) {
    FILE *f = seeds_read ? NULL : fopen("tests/seeds.txt", "rb");
    char key[300];
    char *p;
    int n = 0;
    if (f) {
        long size;
        fseek(f, 0, SEEK_END);
        size = ftell(f);
        rewind(f);
        seeds_text = (char *)calloc((size_t)size + 1, 1);
        if (fread(seeds_text, 1, (size_t)size, f) != (size_t)size) exit(2);
        fclose(f);
    }
    seeds_read = true;
    snprintf(key, sizeof key, "\n%s %s ", program, name);
    p = seeds_text ? strstr(seeds_text, key) : NULL;
    if (!p) return 0;
    for (p += strlen(key); *p >= '0' && *p <= '9' && n < SEEDS; n++) {
        to[n].which = (int)strtol(p, &p, 10);
        to[n].seed = strtoull(p + 1, &p, 10);
        p += *p == ' ';
    }
    return n;
}

#endif /* XLAGPU_TESTS_TABLE_H */
