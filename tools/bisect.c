/* tools/bisect.c -- the verb bisect: from which step of compilation on are results other than the module's?
 *
 * The module is compiled and the text of each stage is kept. A stage is right when the evaluator computes from it what
 * it computes from the module, within the bound of `run` (verdict.c). If the last stage is wrong, halving finds a
 * right stage and the wrong one behind it: the pass between them is what is looked for. If the last one is right, the
 * program is run; where its results are wrong, each step of the planned module becomes a module of its own, which keeps
 * its record and so its kernel, and runs on the values that the evaluator has there; loops and branches are entered.
 *
 * Several files are stages in order, the first being the module: `--xla_dump_hlo_pass_re=.*` of this compiler or of XLA
 * writes them. */
#include "tool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum verdict {
    UNTRIED,
    RIGHT,
    WRONG,
    UNKNOWN /* it is not read or not evaluated */
} verdict;
typedef struct stage {
    char *name, *text;
    verdict verdict;
} stage;
typedef struct bisection {
    const flag_values *f;
    subject original;
    stage *stages;
    uint32_t n, cap;
    bool no_memory;
    xlagpu_device *device;
    const char *prefix;          /* of the files that show what was found */
    char why[700];               /* of the last difference */
    uint32_t evaluated, kernels; /* stages; steps that were run by themselves */
} bisection;
enum {
    ROUNDS = 1000, /* of a loop that are tried */
    NESTING = 16   /* loops in loops */
};

static void keep_stage(bisection *b, const char *name, const char *text, size_t n) {
    if (b->n && strlen(b->stages[b->n - 1].text) == n && memcmp(b->stages[b->n - 1].text, text, n) == 0) return;
    if (b->n == b->cap) {
        uint32_t cap = b->cap ? 2 * b->cap : 64;
        stage *more = (stage *)realloc(b->stages, cap * sizeof *more);
        if (!more) {
            b->no_memory = true;
            return;
        }
        b->stages = more;
        b->cap = cap;
    }
    b->stages[b->n].verdict = UNTRIED;
    b->stages[b->n].name = text_copy(name, strlen(name));
    b->stages[b->n].text = text_copy(text, n);
    b->no_memory = b->no_memory || !b->stages[b->n].name || !b->stages[b->n].text;
    b->n++;
}
/* The plan has the buffers in front of the module. */
static void take_stage(void *user, const char *name, const char *text, size_t n) {
    const char *module = text;
    if (strcmp(name, "plan") == 0) {
        module = strstr(text, "\nHloModule ");
        module = module ? module + 1 : text;
    } else if (strncmp(name, "hlo/", 4) != 0)
        return;
    keep_stage((bisection *)user, name, module, n - (size_t)(module - text));
}

/* ---- running ---- */

typedef struct runnable {
    xlagpu_program *program;
    dump_state dump;
} runnable;

static int device_open(bisection *b) {
    xlagpu_device_desc d;
    const char *p = b->f->platform ? b->f->platform : "auto";
    memset(&d, 0, sizeof d);
    d.platform = strcmp(p, "gpu") == 0 ? "cuda" : p;
    d.threads = (uint32_t)b->f->threads;
    d.part = b->f->gpu;
    return xlagpu_rt_open(&d, &b->device) == XLAGPU_OK ? OK
                                                       : fail(DEVICE, "xlagpu: error: %s", xlagpu_rt_error(b->device));
}
/* Compiles for the device; take: keeps the stages. */
static int compile_for(bisection *b, source *s, bool take, xlagpu_bytes *exe) {
    xlagpu_compile_desc c;
    xlagpu_target_desc target;
    dump_state d;
    bool on_gpu = strcmp(xlagpu_rt_platform(b->device), "cuda") == 0;
    (void)xlagpu_rt_target_desc(b->device, &target);
    dump_begin(&d, b->f, s->path, take ? 0 : 1, NULL);
    dump_describe(&d, s->module, on_gpu ? &target : NULL, &c);
    c.dump = take ? take_stage : NULL;
    c.dump_user = b;
    compiling_begin(s->path);
    *exe = xlagpu_compile(s->module, &c);
    compiling_end();
    dump_end(&d);
    return exe->data ? OK : source_failed(s);
}
/* Runs the executable on `in` and compares with the results of s, which has been evaluated: OK or DIFFERS, b->why. */
static int run_compared(bisection *b, subject *s, xlagpu_bytes exe, const tensor *in) {
    xlagpu_program *p = xlagpu_rt_load(b->device, exe.data, exe.size);
    xlagpu_rt_tensor *a = (xlagpu_rt_tensor *)calloc((size_t)s->n_in + 1, sizeof *a),
                     *r = (xlagpu_rt_tensor *)calloc((size_t)s->n_out + 1, sizeof *r);
    tensor *got = arrays_new(s->source.module, true, s->n_out);
    uint32_t k, n = s->n_out;
    int rc = p && a && r && got ? OK : DEVICE;
    for (k = 0; !rc && k < s->n_in; k++) {
        a[k].data = in[k].data;
        a[k].bytes = in[k].bytes;
    }
    for (k = 0; !rc && k < s->n_out; k++) {
        r[k].data = got[k].data;
        r[k].bytes = got[k].bytes;
    }
    if (rc)
        rc = fail(DEVICE, "%s: error: %s", s->source.path, p ? "out of memory" : xlagpu_rt_error(b->device));
    else if (xlagpu_rt_run(p, a, s->n_in, r, s->n_out) != XLAGPU_OK) {
        snprintf(b->why, sizeof b->why, "%.600s", xlagpu_rt_error(b->device));
        rc = DIFFERS;
    } else if (tensors_trim(got, &n))
        rc = DEVICE;
    else
        rc = subject_agrees(s, got, n, b->why) ? OK : DIFFERS;
    arrays_free(got, s->n_out);
    free(a);
    free(r);
    if (p) xlagpu_rt_unload(p);
    return rc;
}

/* ---- passes ---- */

static verdict stage_verdict(bisection *b, uint32_t k) {
    stage *s = &b->stages[k];
    subject t;
    if (s->verdict != UNTRIED) return s->verdict;
    s->verdict = UNKNOWN;
    b->evaluated++;
    if (subject_text(&t, b->f, s->name, s->text) == OK && t.n_in == b->original.n_in &&
        subject_evaluate(&t, b->original.in) == XLAGPU_OK)
        s->verdict = subject_agrees(&b->original, t.out, t.n_shown, b->why) ? RIGHT : WRONG;
    subject_close(&t);
    return s->verdict;
}
/* A right stage `lo` and a wrong one `hi` behind it, between which none is known: halving, around what is unknown. */
static void narrow(bisection *b, uint32_t *lo, uint32_t *hi) {
    for (;;) {
        uint32_t middle = *lo + (*hi - *lo) / 2, d, found = 0;
        for (d = 0; d < *hi - *lo && !found; d++) {
            if (middle + d < *hi && middle + d > *lo && stage_verdict(b, middle + d) != UNKNOWN) found = middle + d;
            if (!found && middle >= d && middle - d > *lo && stage_verdict(b, middle - d) != UNKNOWN)
                found = middle - d;
        }
        if (!found) return;
        *(stage_verdict(b, found) == RIGHT ? lo : hi) = found;
    }
}

static int write_file(const bisection *b, const char *suffix, const char *text) {
    char path[300];
    snprintf(path, sizeof path, "%.200s%s", b->prefix, suffix);
    return write_out(path, text, strlen(text));
}
static int write_arguments(const bisection *b, const tensor *in, uint32_t n) {
    char path[300];
    snprintf(path, sizeof path, "%.200s.npz", b->prefix);
    return arrays_write(in, n, "arg", path);
}
/* "hlo/<phase>.after_<pass>.before_<next>" */
static void show_pass(const bisection *b, const char *name, uint32_t lo, uint32_t hi, char pass[256]) {
    const char *phase = strncmp(name, "hlo/", 4) == 0 ? name + 4 : name, *after = strstr(phase, ".after_"),
               *before = after ? strstr(after, ".before_") : NULL;
    const char *file = b->original.source.path;
    *pass = 0;
    if (before && hi == lo + 1) {
        snprintf(pass, 256, "%.*s", (int)(before - after - 7), after + 7);
        printf("%s: the pass '%s' of '%.*s' changes results (stage %u of %u)\n", file, pass, (int)(after - phase),
            phase, hi, b->n - 1);
    } else if (hi == lo + 1)
        printf("%s: results change between '%s' and '%s' (stage %u of %u)\n", file, b->stages[lo].name, name, hi,
            b->n - 1);
    else
        printf("%s: results change between '%s' and '%s'; %u stages between them cannot be evaluated\n", file,
            b->stages[lo].name, name, hi - lo - 1);
}
/* -1: no stage is wrong. */
static int search_passes(bisection *b) {
    uint32_t lo = 0, hi = b->n - 1;
    char pass[256];
    int rc;
    if (stage_verdict(b, 0) == WRONG) {
        printf("%s: the module, printed and read again, gives other results: %s\n", b->original.source.path, b->why);
        return DIFFERS;
    }
    while (hi > 0 && stage_verdict(b, hi) == UNKNOWN) hi--;
    if (!hi || stage_verdict(b, hi) == RIGHT) return -1;
    narrow(b, &lo, &hi);
    b->stages[hi].verdict = UNTRIED; /* once more, for what differs */
    (void)stage_verdict(b, hi);
    rc = write_file(b, ".before.hlo", b->stages[lo].text);
    if (!rc) rc = write_file(b, ".after.hlo", b->stages[hi].text);
    if (!rc) rc = write_arguments(b, b->original.in, b->original.n_in);
    if (rc) return rc;
    show_pass(b, b->stages[hi].name, lo, hi, pass);
    printf("  %s\n  xlagpu diff %s.before.hlo %s.after.hlo --args=%s.npz\n", b->why, b->prefix, b->prefix, b->prefix);
    if (*pass && b->f->n_files == 1)
        printf("  xlagpu opt %s.before.hlo --passes=%s\n  xlagpu run %s --xla_disable_hlo_passes=%s\n", b->prefix, pass,
            b->original.source.path, pass);
    return DIFFERS;
}

/* ---- kernels ---- */

/* The values of every instruction of a module's ENTRY. */
typedef struct values {
    char *text; /* hlo_all */
    subject all;
} values;
/* The first array of an instruction among them; false: it has none there. */
static bool value_of(values *v, const char *name, size_t n, uint32_t *leaf, uint32_t *count) {
    char *end, *p = hlo_entry(v->text, &end);
    hlo_line l;
    for (*leaf = 0; p && p < end; p += strcspn(p, "\n") + 1) {
        uint32_t leaves;
        if (!hlo_line_split(p, &l)) continue;
        leaves = hlo_leaves(&l);
        *count = leaves;
        if (l.name_n == n && memcmp(l.name, name, n) == 0)
            return leaves != UINT32_MAX && *leaf + leaves <= v->all.n_out;
        if (leaves != UINT32_MAX) *leaf += leaves;
    }
    return false;
}
/* The values of the parameters of a part, which carry the names of the instructions that they stand for. */
static bool take_parameters(values *v, char *part, subject *s) {
    char *end, *p = hlo_entry(part, &end);
    uint32_t at = 0;
    hlo_line l;
    for (; p && p < end; p += strcspn(p, "\n") + 1) {
        uint32_t leaf, count, k;
        if (!hlo_line_split(p, &l) || !l.parameter) continue;
        if (!value_of(v, l.name, l.name_n, &leaf, &count) || at + count > s->n_in) return false;
        for (k = 0; k < count; k++, at++) {
            if (s->in[at].bytes != v->all.out[leaf + k].bytes) return false;
            memcpy(s->in[at].data, v->all.out[leaf + k].data, s->in[at].bytes);
        }
    }
    return at == s->n_in;
}

/* What an instruction is given, in the order of its operands: the parameters of the computation that it calls. */
static bool take_operands(values *v, const hlo_line *l, subject *s) {
    const char *at = strchr(l->op, '(') + 1, *name;
    uint32_t leaf, count, k, done = 0;
    size_t n;
    while (hlo_operand(&at, &name, &n)) {
        if (!value_of(v, name, n, &leaf, &count) || done + count > s->n_in) return false;
        for (k = 0; k < count; k++, done++) {
            if (s->in[done].bytes != v->all.out[leaf + k].bytes) return false;
            memcpy(s->in[done].data, v->all.out[leaf + k].data, s->in[done].bytes);
        }
    }
    return done == s->n_in;
}

static bool is_step(const hlo_line *l) {
    static const char *const others[] = {
        "parameter", "constant", "tuple", "get-tuple-element", "bitcast", "after-all", "add-dependency", "opt-barrier"};
    size_t k, n = strcspn(l->op, "(");
    for (k = 0; k < sizeof others / sizeof others[0]; k++)
        if (hlo_is_op(l, others[k])) return false;
    return !(n > 6 && memcmp(l->op + n - 6, "-start", 6) == 0) && hlo_leaves(l) != UINT32_MAX;
}

static int search_kernels(bisection *b, char *text, const tensor *in, int depth);

/* One part alone on the device: OK, DIFFERS, or -1: it cannot be tried (b->why keeps what was found before). */
static int try_part(bisection *b, subject *s) {
    xlagpu_bytes exe;
    if (subject_evaluate(s, s->in) != XLAGPU_OK) return -1;
    b->kernels++;
    if (compile_for(b, &s->source, false, &exe) != OK) return -1;
    return run_compared(b, s, exe, s->in);
}
static int report_part(bisection *b, const char *text, const subject *s, const char *what, const hlo_line *l) {
    char op[64];
    int rc = write_file(b, ".hlo", text);
    if (!rc) rc = write_arguments(b, s->in, s->n_in);
    if (rc) return rc;
    snprintf(op, sizeof op, "%.*s", (int)strcspn(l->op, "("), l->op);
    printf("%s: the passes are right; %s '%.*s' (%s) is not\n  %s\n  xlagpu run %s.hlo --args=%s.npz%s%s\n"
           "  xlagpu compile %s.hlo --emit=ptx\n",
        b->original.source.path, what, (int)l->name_n, l->name, op, b->why, b->prefix, b->prefix,
        b->f->platform ? " --platform=" : "", b->f->platform ? b->f->platform : "", b->prefix);
    return DIFFERS;
}
/* A computation of the module with these values for its parameters: as a whole, then step by step. */
static int search_computation(bisection *b, char *text, subject *s, int depth) {
    int rc = try_part(b, s);
    return rc == DIFFERS ? search_kernels(b, text, s->in, depth + 1) : rc == -1 ? OK : rc;
}
/* A loop that gives wrong results: the first round in which its condition or its body does. state: the loop's. */
static int search_loop(bisection *b, char *text, const hlo_line *l, const tensor *state, uint32_t n, int depth) {
    static const char *const which[] = {"condition", "body"};
    char name[256], *part[2] = {NULL, NULL};
    subject s[2];
    uint32_t k, round;
    int rc = OK;
    bool more = depth < NESTING;
    memset(s, 0, sizeof s);
    for (k = 0; k < 2 && more; k++)
        more = hlo_called(l, which[k], 0, name) && (part[k] = hlo_with_entry(text, name)) != NULL &&
               subject_text(&s[k], b->f, which[k], part[k]) == OK && s[k].n_in == n;
    for (k = 0; more && k < n; k++) {
        memcpy(s[0].in[k].data, state[k].data, state[k].bytes);
        memcpy(s[1].in[k].data, state[k].data, state[k].bytes);
    }
    for (round = 0; more && round < ROUNDS && !rc; round++) {
        for (k = 0; k < 2 && !rc && more; k++) {
            rc = search_computation(b, part[k], &s[k], depth);
            more = more && s[k].out && (k == 1 || s[0].out[0].data[0]);
        }
        for (k = 0; !rc && more && k < n; k++) {
            memcpy(s[0].in[k].data, s[1].out[k].data, s[0].in[k].bytes);
            memcpy(s[1].in[k].data, s[1].out[k].data, s[1].in[k].bytes);
        }
    }
    for (k = 0; k < 2; k++) {
        subject_close(&s[k]);
        free(part[k]);
    }
    return rc;
}
/* A branch that gives wrong results. in: the index or predicate, then what the branches get. */
static int search_branch(bisection *b, char *text, const hlo_line *l, values *v, int depth) {
    const char *at = strchr(l->op, '(') + 1, *name;
    char comp[256], *part = NULL;
    size_t n;
    uint32_t leaf, count, k, which = 0;
    int32_t index = 0;
    bool named;
    subject s;
    int rc = OK;
    memset(&s, 0, sizeof s);
    if (!hlo_operand(&at, &name, &n) || !value_of(v, name, n, &leaf, &count) || count != 1) return OK;
    if (v->all.out[leaf].type == XLAGPU_PRED)
        index = !v->all.out[leaf].data[0]; /* the true branch is the first */
    else
        memcpy(&index, v->all.out[leaf].data, sizeof index);
    named = hlo_called(l, "branch_computations", 0, comp);
    while (named && index >= 0 && which < (uint32_t)index && hlo_called(l, "branch_computations", which + 1, comp))
        which++;
    if (named && which != (uint32_t)index) /* beyond them it is the last */
        named = hlo_called(l, "branch_computations", which, comp);
    if (!named) {
        which = (uint32_t)index;
        named = hlo_called(l, index ? "false_computation" : "true_computation", 0, comp);
    }
    for (k = 0; k <= which && named; k++) named = hlo_operand(&at, &name, &n);
    if (named && value_of(v, name, n, &leaf, &count) && (part = hlo_with_entry(text, comp)) != NULL &&
        subject_text(&s, b->f, comp, part) == OK && s.n_in == count) {
        for (k = 0; k < count; k++) memcpy(s.in[k].data, v->all.out[leaf + k].data, s.in[k].bytes);
        rc = search_computation(b, part, &s, depth);
    }
    subject_close(&s);
    free(part);
    return rc;
}
/* A kernel of several fusions, phases or neighbours: one of them may be wrong alone. */
static int search_fused(bisection *b, char *text, const hlo_line *l, values *v, int depth) {
    char comp[256], *part = hlo_called(l, "calls", 0, comp) ? hlo_with_entry(text, comp) : NULL, *end,
                    *line = part ? hlo_entry(part, &end) : NULL;
    hlo_line inner;
    bool nested = false;
    subject s;
    int rc = OK;
    memset(&s, 0, sizeof s);
    for (; line && line < end; line += strcspn(line, "\n") + 1)
        nested = nested || (hlo_line_split(line, &inner) && hlo_is_op(&inner, "fusion"));
    if (nested && depth < NESTING && subject_text(&s, b->f, comp, part) == OK && take_operands(v, l, &s))
        rc = search_kernels(b, part, s.in, depth + 1);
    subject_close(&s);
    free(part);
    return rc;
}
static int search_step(bisection *b, char *text, const char *line, values *v, int depth) {
    char *part = hlo_alone(text, line), why[700];
    hlo_line l;
    subject s;
    int rc = OK;
    memset(&s, 0, sizeof s);
    (void)hlo_line_split(line, &l);
    if (part && subject_text(&s, b->f, "step", part) == OK && take_parameters(v, part, &s))
        rc = try_part(b, &s);
    else
        rc = -1;
    if (rc == DIFFERS) {
        memcpy(why, b->why, sizeof why);
        rc = hlo_is_op(&l, "while")         ? search_loop(b, text, &l, s.in, s.n_in, depth)
             : hlo_is_op(&l, "conditional") ? search_branch(b, text, &l, v, depth)
             : hlo_is_op(&l, "fusion")      ? search_fused(b, text, &l, v, depth)
                                            : OK;
        if (rc == OK) { /* nothing in it is wrong alone */
            memcpy(b->why, why, sizeof why);
            rc = report_part(b, part, &s, hlo_is_op(&l, "fusion") ? "the kernel of" : "the step", &l);
        }
    } else if (rc == -1)
        rc = OK;
    subject_close(&s);
    free(part);
    return rc;
}
/* OK: each step alone is right. DIFFERS: one is not, and was reported. */
static int search_kernels(bisection *b, char *text, const tensor *in, int depth) {
    values v;
    char *end, *line = hlo_entry(text, &end);
    hlo_line l;
    int rc = OK;
    memset(&v, 0, sizeof v);
    v.text = line ? hlo_all(text) : NULL;
    if (!v.text || subject_text(&v.all, b->f, "planned module", v.text) != OK ||
        subject_evaluate(&v.all, in) != XLAGPU_OK || v.all.n_shown != v.all.n_out)
        rc = fail(BAD, "%s: error: the planned module cannot be taken apart: %s", b->original.source.path,
            v.all.source.context ? xlagpu_error(v.all.source.context) : "it has no ENTRY");
    for (; !rc && line && line < end; line += strcspn(line, "\n") + 1)
        if (hlo_line_split(line, &l) && is_step(&l)) rc = search_step(b, text, line, &v, depth);
    subject_close(&v.all);
    free(v.text);
    return rc;
}

/* ---- the verb ---- */

static int bisect_module(bisection *b) {
    const char *path = b->original.source.path;
    xlagpu_bytes exe;
    char why[700];
    int rc;
    if (xlagpu_module_devices(b->original.source.module) > 1)
        return fail(BAD, "%s: error: bisect looks at one device, and the module is for %u", path,
            xlagpu_module_devices(b->original.source.module));
    rc = device_open(b);
    if (!rc) rc = compile_for(b, &b->original.source, true, &exe);
    if (!rc && b->no_memory) rc = fail(DEVICE, "xlagpu: error: out of memory");
    if (rc) return rc;
    rc = search_passes(b);
    if (rc >= 0) return rc;
    rc = run_compared(b, &b->original, exe, b->original.in);
    if (rc == OK)
        printf("%s: right: %u stages of %u evaluated, and the program gives the same\n", path, b->evaluated, b->n);
    if (rc != DIFFERS) return rc;
    memcpy(why, b->why, sizeof why);
    rc = search_kernels(b, b->stages[b->n - 1].text, b->original.in, 0);
    if (rc != OK) return rc;
    printf("%s: the passes are right, and so are %u steps, each alone; together they are not: buffers or order\n"
           "  %s\n  xlagpu compile %s --emit=buffers\n  xlagpu compile %s --emit=thunks\n",
        path, b->kernels, why, path, path);
    return DIFFERS;
}
static int bisect_files(bisection *b) {
    int k, rc;
    for (k = 0; k < b->f->n_files; k++) {
        size_t n = 0;
        unsigned char *text = file_read(b->f->files[k], &n);
        if (!text) return unreadable(b->f->files[k]);
        keep_stage(b, b->f->files[k], (const char *)text, n);
        free(text);
    }
    if (b->no_memory) return fail(DEVICE, "xlagpu: error: out of memory");
    rc = search_passes(b);
    if (rc >= 0) return rc;
    printf("%s: right: the last stage that can be evaluated gives the same (%u of %u were evaluated)\n",
        b->original.source.path, b->evaluated, b->n);
    return OK;
}

int verb_bisect(const flag_values *f) {
    bisection b;
    uint32_t k;
    xlagpu_status s;
    int rc;
    if (!f->n_files) return fail(BAD, "xlagpu: error: 'bisect' needs a file, or the stages of a compilation in order");
    memset(&b, 0, sizeof b);
    b.f = f;
    b.prefix = f->o && strcmp(f->o, "-") != 0 ? f->o : "bisect";
    rc = subject_open(&b.original, f, f->files[0]);
    if (!rc) rc = arrays_fill(b.original.in, b.original.n_in, f, (uint64_t)f->seed);
    if (!rc) {
        s = subject_evaluate(&b.original, b.original.in);
        if (s != XLAGPU_OK) rc = fail_in(f->files[0], s, xlagpu_error(b.original.source.context));
    }
    if (!rc) rc = f->n_files == 1 ? bisect_module(&b) : bisect_files(&b);
    for (k = 0; k < b.n; k++) {
        free(b.stages[k].name);
        free(b.stages[k].text);
    }
    free(b.stages);
    subject_close(&b.original);
    xlagpu_rt_close(b.device);
    return rc;
}
