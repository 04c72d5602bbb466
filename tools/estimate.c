/* tools/estimate.c -- how much work a program is, guessed from its PTX and its launches before it runs.
 *
 * Each kernel's instructions are counted in the text, those in a loop as often as the loop goes round. A loop is what
 * lies between a label and a later branch back to it; it goes round as often as the largest constant says that a
 * comparison has which one of its branches asks, or GUESS times when there is none. That is right for counted loops
 * from 0 in steps of 1, and never far too small. */
#include "tool.h"
#include <stdlib.h>
#include <string.h>

enum {
    GUESS = 16,
    LABELS = 4096
};

typedef struct label {
    const char *name;
    size_t n;
    const char *at;
} label;
typedef struct line {
    const char *p;
    size_t n;
} line;

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
           c == '%';
}

/* The next line without blanks in front; false at the end. */
static bool next_line(const char **at, const char *end, line *out) {
    const char *p = *at, *q;
    if (p >= end) return false;
    q = (const char *)memchr(p, '\n', (size_t)(end - p));
    if (!q) q = end;
    *at = q + 1;
    while (p < q && (*p == ' ' || *p == '\t')) p++;
    out->p = p;
    out->n = (size_t)(q - p);
    return true;
}
static bool is_label(const line *l) {
    size_t k = 0;
    while (k < l->n && is_word(l->p[k])) k++;
    return k > 0 && k < l->n && l->p[k] == ':';
}
static bool is_instruction(const line *l) {
    return l->n > 1 && (l->p[0] == '@' || (l->p[0] >= 'a' && l->p[0] <= 'z')) && !is_label(l);
}

/* The largest constant that a comparison between two places has, if it writes this predicate; 0: none has one. */
static double compared(const char *p, const char *end, const char *predicate, size_t n) {
    double most = 0;
    line l;
    while (next_line(&p, end, &l)) {
        size_t k = 0;
        if (l.n < 5 || memcmp(l.p, "setp.", 5) != 0) continue;
        while (k < l.n && l.p[k] != ' ') k++;
        while (k < l.n && l.p[k] == ' ') k++;
        if (k + n >= l.n || memcmp(l.p + k, predicate, n) != 0 || is_word(l.p[k + n])) continue;
        for (; k < l.n; k++)
            if (l.p[k] >= '0' && l.p[k] <= '9' && !is_word(l.p[k - 1]) && l.p[k - 1] != '.') {
                double v = strtod(l.p + k, NULL);
                if (v > most && v < 1e12) most = v;
            }
    }
    return most;
}
/* How often a loop between two places goes round: by the comparisons that its branches ask. */
static double trips(const char *from, const char *end) {
    const char *p = from;
    double most = 0;
    line l;
    while (next_line(&p, end, &l)) {
        const char *q = l.p + 1;
        size_t n = 0;
        double v;
        if (*l.p != '@') continue;
        if (*q == '!') q++;
        while (q + n < l.p + l.n && is_word(q[n])) n++;
        if (q + n + 4 >= l.p + l.n || memcmp(q + n, " bra", 4) != 0) continue;
        v = compared(from, l.p, q, n);
        if (v > most) most = v;
    }
    return most > 1 ? most : GUESS;
}

/* Where a branch goes, as a word of *n characters; NULL when the line is none. */
static const char *branch_target(const line *l, size_t *n) {
    const char *p = l->p, *end = l->p + l->n;
    if (*p == '@') {
        while (p < end && *p != ' ') p++;
        while (p < end && *p == ' ') p++;
    }
    if (end - p < 4 || memcmp(p, "bra", 3) != 0 || is_word(p[3])) return NULL;
    while (p < end && *p != ' ' && *p != '\t') p++; /* bra.uni */
    while (p < end && (*p == ' ' || *p == '\t')) p++;
    for (*n = 0; p + *n < end && is_word(p[*n]); ++*n) {}
    return p;
}

/* The instructions of one kernel's text. A branch back multiplies what was counted since its label; inner loops come
 * first. */
static double count(const char *p, const char *end) {
    label *labels = (label *)malloc(LABELS * sizeof *labels);
    double *before = (double *)malloc(LABELS * sizeof *before), n = 0; /* instructions in front of each label */
    size_t known = 0, k, j;
    line l;
    while (labels && before && next_line(&p, end, &l)) {
        const char *target;
        if (is_label(&l) && known < LABELS) {
            labels[known].name = l.p;
            labels[known].n = (size_t)((const char *)memchr(l.p, ':', l.n) - l.p);
            labels[known].at = l.p;
            before[known++] = n;
        }
        if (!is_instruction(&l)) continue;
        n++;
        target = branch_target(&l, &k);
        for (j = 0; target && j < known; j++)
            if (labels[j].n == k && memcmp(labels[j].name, target, k) == 0)
                n = before[j] + (n - before[j]) * trips(labels[j].at, l.p + l.n);
    }
    free(labels);
    free(before);
    return n;
}

/* The text of a kernel: from its name to the brace that stands first in a line. */
static const char *body(const char *ptx, const char *end, const char *name, const char **stop) {
    size_t n = strlen(name);
    const char *p = ptx;
    line l;
    while (next_line(&p, end, &l)) {
        const char *at = l.p, *last = l.p + l.n;
        while (at + 7 < last && memcmp(at, ".entry ", 7) != 0) at++;
        if (at + 7 + n > last || memcmp(at + 7, name, n) != 0 || (at + 7 + n < last && is_word(at[7 + n]))) continue;
        at = p;
        while (next_line(&p, end, &l))
            if (l.n && l.p[0] == '}') break;
        *stop = l.p;
        return at;
    }
    return NULL;
}

double estimate_instructions(const xlagpu_program *p, const char *ptx, size_t size) {
    const char *end = ptx + size, *from = ptx; /* kernels stand in the text in the order of the program, as a rule */
    double sum = 0;
    xlagpu_rt_kernel k;
    uint32_t i;
    for (i = 0; xlagpu_rt_kernel_info(p, i, &k); i++) {
        const char *stop = NULL, *at = body(from, end, k.name, &stop);
        double threads = (double)k.grid[0] * k.grid[1] * k.grid[2] * k.block[0] * k.block[1] * k.block[2];
        if (!at) at = body(ptx, end, k.name, &stop);
        if (at) {
            sum += threads * count(at, stop);
            from = stop;
        }
    }
    return sum;
}
