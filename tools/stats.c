/* tools/stats.c -- --stats: what the simulator counted of each kernel, and of each of its loops. */
#include "tool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void stats_head(void) {
    uint32_t k;
    printf("kernel\tlaunches");
#define X(name) printf("\t" #name);
    XLAGPU_COUNTERS(X)
#undef X
    for (k = 0; k < XLAGPU_CLASS_COUNT; k++) printf("\t%s_warps\t%s_lanes", xlagpu_class_name(k), xlagpu_class_name(k));
    printf("\tpredicted_us\tlimited_by\t%%_of_peak\n");
}
void stats_line(const xlagpu_kernel_stats *s) {
    uint32_t k;
    printf("%s\t%llu", s->name, (unsigned long long)s->launches);
#define X(name) printf("\t%llu", (unsigned long long)s->name);
    XLAGPU_COUNTERS(X)
#undef X
    for (k = 0; k < XLAGPU_CLASS_COUNT; k++)
        printf("\t%llu\t%llu", (unsigned long long)s->class_warps[k], (unsigned long long)s->class_lanes[k]);
    printf("\t%.3f\t%s\t%.1f\n", (double)s->predicted_ns * 1e-3, s->predicted_ns ? xlagpu_limit_name(s->limit) : "-",
        s->peak_permille * 0.1);
}

/* ---- loops ---- */

typedef struct counted_line {
    const char *kernel; /* its name lives as long as the program */
    uint32_t line, target, class_index;
    uint64_t warps, lanes;
} counted_line;
struct line_counts {
    counted_line *p;
    size_t n, cap, next; /* next: where the launch before found its line */
};

/* A kernel's lines come in the same order in each launch, but those that it did not execute. */
static counted_line *lines_find(line_counts *c, const xlagpu_rt_line *l) {
    size_t k;
    for (k = 0; k < c->n; k++, c->next++) {
        counted_line *o = &c->p[c->next % c->n];
        if (o->line == l->line && strcmp(o->kernel, l->kernel) == 0) return o;
    }
    return NULL;
}
static void lines_count(void *user, const xlagpu_rt_line *l) {
    line_counts *c = *(line_counts **)user;
    counted_line *o;
    if (!c) c = *(line_counts **)user = (line_counts *)calloc(1, sizeof *c);
    if (!c) return;
    o = lines_find(c, l);
    if (!o) {
        if (c->n == c->cap) {
            counted_line *more = (counted_line *)realloc(c->p, (2 * c->cap + 256) * sizeof *more);
            if (!more) return;
            c->p = more;
            c->cap = 2 * c->cap + 256;
        }
        o = &c->p[c->next = c->n++];
        memset(o, 0, sizeof *o);
        o->kernel = l->kernel;
        o->line = l->line;
        o->target = l->target;
        o->class_index = l->class_index;
    }
    o->warps += l->warps;
    o->lanes += l->lanes;
}
void stats_watch(line_counts **counts, xlagpu_device_desc *d) {
    d->line = lines_count;
    d->line_user = counts;
}
/* From a branch back to where it leads, with the loops inside. */
static void loop_line(const line_counts *c, const counted_line *end) {
    uint64_t by[XLAGPU_CLASS_COUNT], warps = 0, lanes = 0;
    uint32_t k;
    size_t i;
    memset(by, 0, sizeof by);
    for (i = 0; i < c->n; i++) {
        const counted_line *o = &c->p[i];
        if (strcmp(o->kernel, end->kernel) || o->line < end->target || o->line > end->line) continue;
        warps += o->warps;
        lanes += o->lanes;
        by[o->class_index] += o->lanes;
    }
    printf("%s\t%u-%u\t%llu\t%llu\t%llu", end->kernel, end->target, end->line, (unsigned long long)end->warps,
        (unsigned long long)warps, (unsigned long long)lanes);
    for (k = 0; k < XLAGPU_CLASS_COUNT; k++) printf("\t%llu", (unsigned long long)by[k]);
    printf("\n");
}
void stats_loops(line_counts **counts) {
    line_counts *c = *counts;
    uint32_t k;
    size_t i, n = 0;
    for (i = 0; c && i < c->n; i++) {
        const counted_line *o = &c->p[i];
        if (!o->target || o->target > o->line) continue;
        if (!n++) {
            printf("loop_of\tptx_lines\trounds\twarp_instructions\tlane_instructions");
            for (k = 0; k < XLAGPU_CLASS_COUNT; k++) printf("\t%s_lanes", xlagpu_class_name(k));
            printf("\n");
        }
        loop_line(c, o);
    }
    if (c) free(c->p);
    free(c);
    *counts = NULL;
}
