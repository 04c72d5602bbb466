/* tools/compile.c -- the verbs compile and opt: no device is needed. */
#include "tool.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file read and parsed. */
typedef struct source {
    const char *path;
    xlagpu_context *context;
    xlagpu_module *module;
    unsigned char *text;
    size_t n;
} source;

static int source_open(source *s, const flag_values *f, const char *path) {
    xlagpu_context_desc d;
    memset(s, 0, sizeof *s);
    memset(&d, 0, sizeof d);
    d.memory_limit = (size_t)f->compiler_memory_limit;
    s->path = path;
    s->context = xlagpu_create(&d);
    if (!s->context) return fail(DEVICE, "xlagpu: error: out of memory");
    s->text = file_read(path, &s->n);
    return s->text ? OK : fail(BAD, "%s: error: cannot be read", path);
}
static int source_failed(const source *s) {
    return fail_in(s->path, xlagpu_error_status(s->context), xlagpu_error(s->context));
}
static int source_parse(source *s) {
    xlagpu_module_destroy(s->module);
    s->module = xlagpu_parse(s->context, s->path, (const char *)s->text, s->n);
    return s->module ? OK : source_failed(s);
}
static void source_close(source *s) {
    free(s->text);
    xlagpu_destroy(s->context);
}

/* ---- forms of a module ---- */

/* What --emit calls the forms of a module, and how files in them are named. */
static const struct {
    const char *emit, *suffix;
    xlagpu_format format;
} forms[] = {{"hlo", ".hlo", XLAGPU_FORMAT_HLO}, {"hlo.pb", ".hlo.pb", XLAGPU_FORMAT_HLO_PROTO},
    {"pb", ".pb", XLAGPU_FORMAT_PROTO}};
enum {
    FORMS = sizeof forms / sizeof forms[0]
};
/* --emit, or what the name of the file says; NULL: neither */
static const char *emit_wanted(const flag_values *f) {
    size_t n = f->o ? strlen(f->o) : 0, k;
    if (f->emit) return f->emit;
    for (k = 0; k < FORMS; k++)
        if (n > strlen(forms[k].suffix) && strcmp(f->o + n - strlen(forms[k].suffix), forms[k].suffix) == 0)
            return forms[k].emit;
    return NULL;
}
static int form_of(const char *emit) {
    int k;
    for (k = 0; emit && k < FORMS; k++)
        if (strcmp(emit, forms[k].emit) == 0) return k;
    return -1;
}
/* A module's text goes out in a form. */
static int write_form(const flag_values *f, source *s, const char *emit, const void *text, size_t n) {
    xlagpu_module *m;
    xlagpu_bytes made;
    if (form_of(emit) <= 0) return write_out(f->o, text, n); /* HLO */
    m = xlagpu_parse(s->context, s->path, (const char *)text, n);
    if (!m) return source_failed(s);
    made = xlagpu_print_as(m, forms[form_of(emit)].format);
    return made.data ? write_out(f->o, made.data, made.size) : source_failed(s);
}

/* ---- compile ---- */

/* What --emit takes, and the stage that is kept for it. */
static const char *const emits[][2] = {{"ptx", "ptx"}, {"indexing", "indexing"}, {"plan", "plan"},
    {"thunks", "thunk_sequence"}, {"buffers", "buffer-assignment"}, {"times", "times"}, {"ir", "ir"},
    {"llvm", "llvm/before"}, {"llvm-optimized", "llvm/after"}, {"exe", ""}, {"c", ""}};
static const char *emit_stage(const char *emit) {
    size_t k;
    if (form_of(emit) >= 0) return "hlo/after_optimizations";
    for (k = 0; k < sizeof emits / sizeof emits[0]; k++)
        if (strcmp(emit, emits[k][0]) == 0) return emits[k][1];
    return NULL;
}

/* The executable as C, for programs that carry it. NAME is the file's, as an identifier. */
static int write_c(const char *path, const char *base, const char *module, xlagpu_bytes exe) {
    bool standard = !path || strcmp(path, "-") == 0, ok;
    FILE *f = standard ? stdout : fopen(path, "wb");
    char name[256];
    size_t k;
    if (!f) return fail(BAD, "%s: error: cannot be written", path);
    for (k = 0; base[k] && k < sizeof name - 1; k++)
        name[k] = (base[k] >= 'a' && base[k] <= 'z') || (base[k] >= 'A' && base[k] <= 'Z') ||
                          (base[k] >= '0' && base[k] <= '9' && k)
                      ? base[k]
                      : '_';
    name[k] = 0;
    fprintf(f, "/* %s, compiled by xlagpu %s: xlagpu_rt_load(device, %s_xgx, %s_xgx_size). */\n", module,
        XLAGPU_VERSION, name, name);
    fprintf(f,
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\nextern const unsigned long %s_xgx_size;\nextern const unsigned "
        "char %s_xgx[];\n",
        name, name);
    fprintf(f, "const unsigned long %s_xgx_size = %zuul;\nconst unsigned char %s_xgx[] = {", name, exe.size, name);
    for (k = 0; k < exe.size; k++) fprintf(f, "%s%u,", k % 24 ? "" : "\n", exe.data[k]);
    fprintf(f, "\n};\n#ifdef __cplusplus\n}\n#endif\n");
    ok = !ferror(f) && (standard ? fflush(f) : fclose(f)) == 0;
    return ok ? OK : fail(BAD, "%s: error: cannot be written", standard ? "standard output" : path);
}

static int write_emitted(const flag_values *f, source *s, const char *emit, xlagpu_bytes exe, const dump_state *d) {
    char path[300];
    snprintf(path, sizeof path, "%s.xgx", d->base);
    if (strcmp(emit, "exe") == 0) return write_out(f->o ? f->o : path, exe.data, exe.size);
    if (strcmp(emit, "c") == 0) return write_c(f->o, d->base, d->module, exe);
    if (form_of(emit) >= 0 && d->wanted) return write_form(f, s, emit, d->wanted, d->wanted_n);
    return write_out(f->o, d->wanted ? d->wanted : "", d->wanted_n);
}

static void report_head(void) {
    printf("name\tcompile_ms\tkernels\tlibrary\ttemp_bytes\ttotal_bytes\tptx_lines\tregs\tspills\tptx_ms\tworkspace_"
           "bytes\tlargest_live\tmade_again\tpredicted_us\n");
}
static void report_line(const dump_state *d, double best, const xlagpu_report *r) {
    printf("%s\t%.3f\t%u\t%u\t%llu\t%llu\t%u\t-\t-\t%.3f\t%llu\t%llu\t%u\t%.3f\n", d->base, best * 1e3, r->kernels,
        r->library_calls, (unsigned long long)r->temp_bytes, (unsigned long long)r->total_bytes, r->instructions,
        best * 1e3, (unsigned long long)r->workspace_bytes, (unsigned long long)r->largest_live, r->made_again,
        (double)r->predicted_ns * 1e-3);
}

/* HLO text to bytes, `times` times; the stages are dumped the last time only. best: the least time. */
static int compile_timed(source *s, dump_state *d, int times, xlagpu_bytes *exe, double *best) {
    xlagpu_compile_desc desc;
    int k, rc = OK;
    *best = HUGE_VAL;
    for (k = 0; k < times && !rc; k++) {
        double t = seconds();
        rc = source_parse(s);
        if (rc) return rc;
        dump_describe(d, s->module, NULL, &desc);
        if (k + 1 < times) desc.dump = NULL;
        desc.predict_times = k + 1 == times && (d->f->report || strcmp(d->want ? d->want : "", "times") == 0);
        *exe = xlagpu_compile(s->module, &desc);
        if (!exe->data) rc = source_failed(s);
        t = seconds() - t;
        if (t < *best) *best = t;
    }
    return rc;
}

/* Machine code by ptxas, put into the executable. Its files stand beside the module's: NAME.ptx.tmp and
 * NAME.cubin.tmp. */
static int add_cubin(const source *s, const dump_state *d, const char *target, xlagpu_bytes *exe) {
    char ptx[300], cubin[300], command[900];
    xlagpu_bytes text = xlagpu_executable_ptx(*exe), code;
    unsigned char *file;
    size_t n;
    int rc;
    if (!text.data) return OK; /* no kernels */
    if (strpbrk(d->base, "'\"\\") || strpbrk(target, " ;|&'\""))
        return fail(BAD, "%s: error: a name with quotes cannot be handed to ptxas", s->path);
    snprintf(ptx, sizeof ptx, "%s.ptx.tmp", d->base);
    snprintf(cubin, sizeof cubin, "%s.cubin.tmp", d->base);
    snprintf(command, sizeof command, "ptxas -arch=%s \"%s\" -o \"%s\"", target, ptx, cubin);
    rc = write_out(ptx, text.data, text.size);
    if (!rc && system(command) != 0) rc = fail(BAD, "%s: error: ptxas failed: is it in PATH?", s->path);
    file = rc ? NULL : file_read(cubin, &n);
    if (!rc && !file) rc = fail(BAD, "%s: error: cannot be read", cubin);
    if (!rc) {
        code.data = file;
        code.size = n;
        *exe = xlagpu_attach_cubin(s->module, *exe, code);
        if (!exe->data) rc = source_failed(s);
    }
    free(file);
    remove(ptx);
    remove(cubin);
    return rc;
}

static int compile_one(const flag_values *f, int file, const char *emit) {
    source s;
    dump_state d;
    xlagpu_bytes exe = {NULL, 0};
    xlagpu_report report;
    double best = 0;
    int rc = source_open(&s, f, f->files[file]);
    dump_begin(&d, f, f->files[file], file, emit ? emit_stage(emit) : NULL);
    if (!rc) rc = compile_timed(&s, &d, f->report ? 3 : 1, &exe, &best);
    if (!rc && f->report && xlagpu_compile_report(s.module, &report)) report_line(&d, best, &report);
    if (!rc && f->cubin) rc = add_cubin(&s, &d, dump_target(f, s.module, NULL).name, &exe);
    if (!rc && emit) rc = write_emitted(f, &s, emit, exe, &d);
    dump_end(&d);
    source_close(&s);
    return rc;
}

int verb_compile(const flag_values *f) {
    const char *wanted = emit_wanted(f), *emit = wanted ? wanted : f->report ? NULL : "exe";
    int k, rc = OK;
    if (!f->n_files) return fail(BAD, "xlagpu: error: 'compile' needs a file");
    if (emit && !emit_stage(emit))
        return fail(BAD,
            "xlagpu: error: --emit=%s is not one of ptx, hlo, pb, hlo.pb, indexing, plan, buffers, thunks, ir, llvm, "
            "llvm-optimized, exe, c",
            emit);
    if (f->n_files > 1 && f->o && strcmp(f->o, "-") != 0)
        return fail(BAD, "xlagpu: error: %d modules cannot go into one file: leave -o out", f->n_files);
    if (f->report) report_head();
    for (k = 0; k < f->n_files; k++) rc = worse(rc, compile_one(f, k, emit));
    return rc;
}

/* ---- opt ---- */

/* Without --passes: the module that the compiler makes kernels of, whether or not it can. */
static int optimize_all(source *s, const flag_values *f) {
    xlagpu_compile_desc desc;
    dump_state d;
    int rc;
    dump_begin(&d, f, s->path, 0, "hlo/after_optimizations");
    dump_describe(&d, s->module, NULL, &desc);
    xlagpu_compile(s->module, &desc);
    rc = d.wanted ? write_form(f, s, emit_wanted(f), d.wanted, d.wanted_n) : source_failed(s);
    dump_end(&d);
    return rc;
}

int verb_opt(const flag_values *f) {
    source s;
    xlagpu_bytes made;
    uint32_t k;
    int rc;
    if (f->list_passes) {
        for (k = 0; xlagpu_pass_name(k); k++) puts(xlagpu_pass_name(k));
        return OK;
    }
    if (f->n_files != 1) return fail(BAD, "xlagpu: error: 'opt' needs one file");
    if (f->emit && form_of(f->emit) < 0)
        return fail(BAD, "xlagpu: error: 'opt' --emit=%s is not one of hlo, pb, hlo.pb", f->emit);
    rc = source_open(&s, f, f->files[0]);
    if (!rc) rc = source_parse(&s);
    if (!rc && !f->set[FLAG_passes])
        rc = optimize_all(&s, f);
    else if (!rc) {
        made = xlagpu_optimize(s.module, f->passes);
        rc = made.data ? write_form(f, &s, emit_wanted(f), made.data, made.size) : source_failed(&s);
    }
    source_close(&s);
    return rc;
}
