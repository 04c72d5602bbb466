/* tools/diff.c -- the verb diff: do two modules mean the same?
 *
 * First by structure: both are brought into canonical order under canonical names, without metadata and without what
 * nothing uses (the passes canonical-order, canonical-names, strip-metadata, dce), and their texts are compared line by
 * line. The walk goes from operands to users, so the first line that differs is the first operation that does. Where
 * the structures differ, but parameters and results agree, both are evaluated on the same arguments, and the results
 * are compared as `run` compares them. */
#include "tool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DRAWS = 3, /* of random arguments */
    LINE = 200 /* characters of a line that are shown */
};

typedef struct side {
    subject s;
    char *canonical, *ordered; /* line by line the same operations; ordered: under the names of the file */
} side;

static char *passed(side *d, const char *passes) {
    xlagpu_bytes b = xlagpu_optimize(d->s.source.module, passes);
    return b.data ? text_copy((const char *)b.data, b.size) : NULL;
}
static int side_open(side *d, const flag_values *f, const char *path) {
    int rc = subject_open(&d->s, f, path);
    if (rc) return rc;
    d->ordered = passed(d, "dce,canonical-order,strip-metadata");
    d->canonical = d->ordered ? passed(d, "dce,canonical-order,strip-metadata,canonical-names") : NULL;
    return d->canonical ? OK : source_failed(&d->s.source);
}
static void side_close(side *d) {
    subject_close(&d->s);
    free(d->canonical);
    free(d->ordered);
}

/* ---- structure ---- */

/* Where the texts part: the lines of both sides under their own names, and the column; false: nowhere. */
typedef struct parting {
    const char *a, *b, *comp; /* comp: the head of a's computation; a or b NULL: the text has ended */
    size_t column;
} parting;
static const char *line_after(const char *p) {
    p += strcspn(p, "\n");
    return *p ? p + 1 : p;
}
/* Operations first: heads differ by what a module was compiled for, and say little. */
static bool find_parting(const side *a, const side *b, parting *at) {
    const char *p = line_after(a->canonical), *q = line_after(b->canonical);
    size_t head = (size_t)(p - a->canonical);
    memset(at, 0, sizeof *at);
    at->a = line_after(a->ordered);
    at->b = line_after(b->ordered);
    for (; *p || *q; p = line_after(p), q = line_after(q)) {
        size_t n = strcspn(p, "\n"), m = strcspn(q, "\n"), k = 0;
        if (n != m || memcmp(p, q, n) != 0) {
            while (k < n && k < m && p[k] == q[k]) k++;
            at->column = k;
            return true;
        }
        if (n && p[n - 1] == '{') at->comp = at->a;
        at->a = line_after(at->a);
        at->b = line_after(at->b);
    }
    at->a = a->ordered;
    at->b = b->ordered;
    at->comp = NULL;
    return strncmp(a->canonical, b->canonical, head) != 0;
}
/* A line with constants may be megabytes long: its head and what stands around the column. */
static void clip(const char *line, size_t column, char out[LINE + 80]) {
    size_t n, from;
    line += strspn(line, " ");
    n = strcspn(line, "\n");
    if (!n || *line == '}')
        snprintf(out, LINE + 80, "(the computation ends)");
    else if (n <= LINE || column < LINE / 2)
        snprintf(out, LINE + 80, "%.*s%s", (int)(n < LINE ? n : LINE), line, n > LINE ? " ..." : "");
    else {
        from = column < n ? column : n;
        from = from > LINE / 4 ? from - LINE / 4 : 0;
        snprintf(out, LINE + 80, "%.*s ... %.*s%s", LINE / 2, line, (int)(n - from < LINE / 2 ? n - from : LINE / 2),
            line + from, n - from > LINE / 2 ? " ..." : "");
    }
}
static void name_of_comp(const char *head, char out[128]) {
    size_t n = head ? strcspn(head, "\n") : 0;
    if (n > 2) n -= 2; /* " {" */
    snprintf(out, 128, "%.*s", (int)(n < 127 ? n : 127), head ? head : "");
}

/* ---- parameters, results ---- */

static void show_shape(const xlagpu_value_info *v, char out[160]) {
    uint32_t d;
    snprintf(out, 160, "%s[", xlagpu_type_text(v->type));
    for (d = 0; d < v->rank && strlen(out) < 130; d++)
        snprintf(out + strlen(out), 160 - strlen(out), "%s%lld", d ? "," : "", (long long)v->dims[d]);
    snprintf(out + strlen(out), 160 - strlen(out), "]");
}
/* False: they are not those of the same function; why says which. */
static bool same_signature(const side *a, const side *b, char why[700]) {
    const xlagpu_module *m = a->s.source.module, *n = b->s.source.module;
    uint32_t k, counts[2];
    int results;
    *why = 0;
    for (results = 0; results < 2; results++) {
        const char *what = results ? "result" : "parameter";
        counts[0] = results ? a->s.n_out : a->s.n_in;
        counts[1] = results ? b->s.n_out : b->s.n_in;
        if (counts[0] != counts[1]) {
            snprintf(why, 700, "%u %ss and %u", counts[0], what, counts[1]);
            return false;
        }
        for (k = 0; k < counts[0]; k++) {
            xlagpu_value_info v, w;
            char x[160], y[160];
            (results ? xlagpu_result_info : xlagpu_parameter_info)(m, k, &v);
            (results ? xlagpu_result_info : xlagpu_parameter_info)(n, k, &w);
            show_shape(&v, x);
            show_shape(&w, y);
            if (strcmp(x, y) == 0 && v.size_of == w.size_of) continue;
            snprintf(why, 700, "%s %u is %s and %s", what, k, x, y);
            return false;
        }
    }
    return true;
}

/* ---- results ---- */

/* Evaluates both: OK, DIFFERS (why, for which seed), or what an evaluation failed with. */
static int compare_results(side *a, side *b, const flag_values *f, char why[700], long long *seed) {
    int draw, draws = f->n_args ? 1 : DRAWS, rc = OK;
    for (draw = 0; draw < draws && !rc; draw++) {
        xlagpu_status s;
        *seed = f->seed + draw;
        rc = arrays_fill(a->s.in, a->s.n_in, f, (uint64_t)*seed);
        if (rc) return rc;
        s = subject_evaluate(&a->s, a->s.in);
        if (s != XLAGPU_OK) return fail_in(a->s.source.path, s, xlagpu_error(a->s.source.context));
        s = subject_evaluate(&b->s, a->s.in);
        if (s != XLAGPU_OK) return fail_in(b->s.source.path, s, xlagpu_error(b->s.source.context));
        if (!subject_agrees(&a->s, b->s.out, b->s.n_shown, why)) rc = DIFFERS;
    }
    return rc;
}
static size_t elements_of(const subject *s) {
    size_t n = 0;
    uint32_t k;
    for (k = 0; k < s->n_shown; k++) n += tensor_count(&s->out[k]);
    return n;
}

/* ---- what is said ---- */

typedef struct finding {
    bool same_structure, compared, same;
    char a[LINE + 80], b[LINE + 80], comp[128], why[700];
    long long seed;
    size_t elements;
} finding;

static void put_member(const char *key, const char *value) {
    printf(", \"%s\": ", key);
    json_string(value, strlen(value));
}
static void put_json(const side *a, const side *b, const finding *d) {
    printf("{\"same\": %s, \"structure\": \"%s\", \"results\": \"%s\"", d->same ? "true" : "false",
        d->same_structure ? "same" : "differs",
        !d->compared ? "not compared"
        : d->same    ? "agree"
                     : "differ");
    put_member("a", a->s.source.path);
    put_member("b", b->s.source.path);
    if (!d->same_structure) {
        put_member("computation", d->comp);
        put_member("line_a", d->a);
        put_member("line_b", d->b);
    }
    if (*d->why) put_member("why", d->why);
    if (d->compared) printf(", \"elements\": %zu, \"seed\": %lld", d->elements, d->seed);
    printf("}\n");
}
static void put_text(const side *a, const side *b, const flag_values *f, const finding *d) {
    const char *x = a->s.source.path, *y = b->s.source.path;
    int n = (int)(strlen(x) > strlen(y) ? strlen(x) : strlen(y));
    if (d->same_structure) {
        printf("%s and %s are the same, names, order and metadata aside\n", x, y);
        return;
    }
    printf("the structure differs first in %s:\n  %-*s  %s\n  %-*s  %s\n", *d->comp ? d->comp : "the head", n, x, d->a,
        n, y, d->b);
    if (!d->compared)
        printf("they are not the same function: %s\n", d->why);
    else if (d->same)
        printf("the results agree: %zu elements, for %s\n", d->elements,
            f->n_args ? f->args[0] : "random arguments, three times");
    else if (f->n_args)
        printf("the results differ for %s: %s\n", f->args[0], d->why);
    else
        printf("the results differ for random arguments (--seed %lld): %s\n", d->seed, d->why);
}

int verb_diff(const flag_values *f) {
    side a, b;
    finding d;
    parting at;
    int rc;
    if (f->n_files != 2) return fail(BAD, "xlagpu: error: 'diff' needs two files: xlagpu diff A.hlo B.hlo");
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    memset(&d, 0, sizeof d);
    rc = side_open(&a, f, f->files[0]);
    if (!rc) rc = side_open(&b, f, f->files[1]);
    if (!rc) {
        d.same = d.same_structure = !find_parting(&a, &b, &at);
        if (!d.same) {
            clip(at.a, at.column, d.a);
            clip(at.b, at.column, d.b);
            name_of_comp(at.comp, d.comp);
            d.compared = same_signature(&a, &b, d.why);
        }
        if (d.compared) {
            rc = compare_results(&a, &b, f, d.why, &d.seed);
            d.same = rc == OK;
            d.elements = elements_of(&a.s);
        }
    }
    if (rc <= DIFFERS) {
        if (f->json)
            put_json(&a, &b, &d);
        else if (!f->quiet)
            put_text(&a, &b, f, &d);
        rc = d.same ? OK : DIFFERS;
    }
    side_close(&a);
    side_close(&b);
    return rc;
}
