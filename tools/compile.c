/* tools/compile.c -- the verbs compile and opt: no device is needed. */
#include "tool.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- compile ---- */

/* X(name, stage, suffix): what --emit takes, the stage that is kept for it, and the suffix of files of its kind. The
 * first row of a suffix is what a file of that name gets without --emit. */
#define EMITS(X) \
    X("ptx", "ptx", ".ptx") \
    X("hlo", "hlo/after_optimizations", ".hlo") \
    X("hlo.pb", "hlo/after_optimizations", ".hlo.pb") \
    X("pb", "hlo/after_optimizations", ".pb") \
    X("stablehlo", "hlo/after_optimizations", ".mlir") \
    X("dot", "hlo/after_optimizations", ".dot") \
    X("indexing", "indexing", "") \
    X("schedule", "schedule", "") \
    X("records", "records", ".records") \
    X("plan", "plan", ".hlo") \
    X("buffers", "buffer-assignment", "") \
    X("thunks", "thunk_sequence", "") \
    X("ir", "ir", "") \
    X("llvm", "llvm/before", ".ll") \
    X("llvm-optimized", "llvm/after", ".ll") \
    X("times", "times", "") \
    X("exe", "", ".xgx") \
    X("c", "", ".c")
static const char *const emits[][3] = {
#define X(name, stage, suffix) {name, stage, suffix},
    EMITS(X)
#undef X
};
enum {
    EMIT_COUNT = sizeof emits / sizeof emits[0]
};
static const char *emit_stage(const char *emit) {
    size_t k;
    for (k = 0; k < EMIT_COUNT; k++)
        if (strcmp(emit, emits[k][0]) == 0) return emits[k][1];
    return NULL;
}
static bool ends_with(const char *path, const char *suffix) {
    size_t n = strlen(path), m = strlen(suffix);
    return m && n > m && strcmp(path + n - m, suffix) == 0;
}
/* What a file of this name holds; NULL: its name does not say. */
static const char *emit_of_name(const char *path) {
    size_t k;
    for (k = 0; path && k < EMIT_COUNT; k++)
        if (ends_with(path, emits[k][2])) return emits[k][0];
    return NULL;
}
/* What is often wanted under a name, and is not written. */
static int emit_of_others(const char *path) {
    static const char *const ways[][2] = {
        {".cubin", "ptxas makes one from F.ptx, and --cubin puts it into F.xgx"},
        {".fatbin", "F.xgx holds code for several targets"},
        {".o", "a C compiler makes one from F.c"},
        {".so", "a C compiler makes one from F.c"},
        {".exe", "xlagpu run F.xgx runs a module; F.c becomes a part of your program"},
    };
    size_t k;
    for (k = 0; path && k < sizeof ways / sizeof ways[0]; k++)
        if (ends_with(path, ways[k][0]))
            return fail(BAD, "xlagpu: error: -o %s: no %s is written: %s", path, ways[k][0], ways[k][1]);
    return OK;
}
/* --emit and the suffix of -o: one says it where the other does not, and they may not contradict each other. */
static int emit_chosen(const flag_values *f, const char **emit) {
    const char *named = emit_of_name(f->o);
    size_t k;
    if (!f->emit && emit_of_others(f->o)) return BAD;
    *emit = f->emit ? f->emit : named ? named : f->report || f->viewer ? NULL : "exe";
    if (*emit && !emit_stage(*emit)) {
        char list[256] = "";
        for (k = 0; k < EMIT_COUNT; k++)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", k ? ", " : "", emits[k][0]);
        return fail(BAD, "xlagpu: error: --emit=%s is not one of %s", f->emit, list);
    }
    for (k = 0; named && f->emit && k < EMIT_COUNT; k++)
        if (strcmp(f->emit, emits[k][0]) == 0 && !ends_with(f->o, emits[k][2]))
            return fail(BAD,
                "xlagpu: error: --emit=%s and -o %s contradict each other: a file of that name holds %s; leave "
                "--emit out, or name the file otherwise",
                f->emit, f->o, named);
    if (f->target && strchr(f->target, ',') &&
        (!*emit || f->report || f->cubin || (strcmp(*emit, "exe") != 0 && strcmp(*emit, "c") != 0)))
        return fail(BAD,
            "xlagpu: error: --target=%s: several targets go into an executable or C (-o F.xgx, -o F.c), "
            "without --report and --cubin; other texts are of one target",
            f->target);
    if (f->ptx_file &&
        (!*emit || (strcmp(*emit, "exe") != 0 && strcmp(*emit, "c") != 0) || !f->target || strchr(f->target, ',')))
        return fail(BAD, "xlagpu: error: --xla_gpu_ptx_file goes into an executable or C (-o F.xgx, -o F.c) of one "
                         "target: name it by --target");
    if (f->viewer && *emit && (strcmp(*emit, "exe") == 0 || strcmp(*emit, "c") == 0) &&
        (!f->target || strchr(f->target, ',')))
        return fail(BAD, "xlagpu: error: --viewer shows one target: name it by --target, or leave --emit and -o out");
    if ((f->symbol || f->n_args || f->weights) && (!*emit || strcmp(*emit, "c") != 0))
        return fail(BAD, "xlagpu: error: --%s of C: it needs --emit=c, or -o FILE.c",
            f->symbol   ? "symbol names the array"
            : f->n_args ? "args has the weights"
                        : "weights says where they go");
    if (f->weights && !f->n_args) return fail(BAD, "xlagpu: error: --weights needs a file that has them: --args=W.npz");
    if (f->weights && strcmp(f->weights, "in") != 0 && strcmp(f->weights, "beside") != 0)
        return fail(BAD,
            "xlagpu: error: --weights=%s: in (the array of C) or beside (a file FILE.weights that the program reads)",
            f->weights);
    if (f->weights && strcmp(f->weights, "beside") == 0 && (!f->o || strcmp(f->o, "-") == 0))
        return fail(BAD, "xlagpu: error: --weights=beside puts a file beside FILE.c: name that by -o FILE.c");
    return OK;
}

/* The forms that a module's text can go out in. */
static const struct {
    const char *emit;
    xlagpu_format format;
} forms[] = {{"hlo", XLAGPU_FORMAT_HLO}, {"hlo.pb", XLAGPU_FORMAT_HLO_PROTO}, {"pb", XLAGPU_FORMAT_PROTO},
    {"stablehlo", XLAGPU_FORMAT_STABLEHLO}};
enum {
    FORM_COUNT = sizeof forms / sizeof forms[0]
};
static int form_of(const char *emit) {
    int k;
    for (k = 0; emit && k < FORM_COUNT; k++)
        if (strcmp(emit, forms[k].emit) == 0) return k;
    return -1;
}
static int write_form(const flag_values *f, const source *s, const char *emit, const void *text, size_t n) {
    xlagpu_module *m;
    xlagpu_bytes made;
    if (form_of(emit) <= 0) return write_out(f->o, text, n); /* it is HLO */
    m = xlagpu_parse(s->context, s->path, (const char *)text, n);
    if (!m) return source_failed(s);
    made = xlagpu_print_as(m, forms[form_of(emit)].format);
    return made.data ? write_out(f->o, made.data, made.size) : source_failed(s);
}

/* The executable as C; parameters that a file of --args has go with it as weights. */
static int write_c(const flag_values *f, embedding *e) {
    uint32_t n = xlagpu_parameter_count(e->module);
    tensor *in = arrays_new(e->module, false, n);
    bool *given = (bool *)calloc((size_t)n + 1, sizeof *given);
    tensor_gaps gaps;
    int rc = in && given ? OK : fail(DEVICE, "xlagpu: error: out of memory");
    gaps.seed = NULL;
    gaps.given = given;
    if (!rc && f->n_args) rc = tensors_load(in, n, f->args, f->n_args, "arg", "parameter", &gaps);
    e->weights = f->n_args ? in : NULL;
    e->given = given;
    e->beside = f->weights && strcmp(f->weights, "beside") == 0;
    if (!rc) rc = embed_write(e, f->o);
    arrays_free(in, n);
    free(given);
    return rc;
}
static int write_emitted(const flag_values *f, const char *emit, const source *s, xlagpu_bytes exe, const dump_state *d,
    const char *targets) {
    char path[300], symbol[256];
    embedding e;
    snprintf(path, sizeof path, "%s.xgx", d->base);
    if (strcmp(emit, "exe") == 0) return write_out(f->o ? f->o : path, exe.data, exe.size);
    if (form_of(emit) > 0 && d->wanted) return write_form(f, s, emit, d->wanted, d->wanted_n);
    if (strcmp(emit, "dot") == 0) return dot_write(f->o, d->wanted ? d->wanted : "", d->wanted_n);
    if (strcmp(emit, "c") != 0) return write_out(f->o, d->wanted ? d->wanted : "", d->wanted_n);
    if (!embed_symbol(f->symbol, d->base, symbol))
        return fail(BAD, "xlagpu: error: --symbol=%s is no name of C: letters, digits and _ ('%s' would be one)",
            f->symbol, symbol);
    e.symbol = symbol;
    e.module_name = xlagpu_module_name(s->module);
    e.target = targets;
    e.module = s->module;
    e.exe = exe;
    return write_c(f, &e);
}

static void report_head(void) {
    printf("name\tcompile_ms\tkernels\tlibrary\ttemp_bytes\ttotal_bytes\tptx_lines\tregs\tspills\tptx_ms\tworkspace_"
           "bytes\tlargest_live\tmade_again\tpredicted_us\tcollectives");
#define X(name) printf("\t" #name "_bytes");
    XLAGPU_COLLECTIVES(X)
#undef X
    puts("\tlinks_us");
}
static void report_line(const dump_state *d, double best, const xlagpu_report *r) {
    printf("%s\t%.3f\t%u\t%u\t%llu\t%llu\t%u\t-\t-\t%.3f\t%llu\t%llu\t%u\t%.3f\t%u", d->base, best * 1e3, r->kernels,
        r->library_calls, (unsigned long long)r->temp_bytes, (unsigned long long)r->total_bytes, r->instructions,
        best * 1e3, (unsigned long long)r->workspace_bytes, (unsigned long long)r->largest_live, r->made_again,
        (double)r->predicted_ns * 1e-3, r->collectives);
#define X(name) printf("\t%llu", (unsigned long long)r->name##_bytes);
    XLAGPU_COLLECTIVES(X)
#undef X
    printf("\t%.3f\n", (double)r->links_ns * 1e-3);
}

/* HLO text to bytes, `times` times: each compiles a module of its own, the first the one that is there. The
 * stages are dumped the last time only. best: the least time. */
static int compile_timed(source *s, dump_state *d, int times, xlagpu_bytes *exe, double *best) {
    xlagpu_compile_desc desc;
    int k, rc = OK;
    *best = HUGE_VAL;
    for (k = 0; k < times && !rc; k++) {
        double t = seconds();
        if (s->is_fresh)
            t -= s->parse_time;
        else
            rc = source_parse(s);
        if (rc) return rc;
        s->is_fresh = false;
        dump_describe(d, s->module, NULL, &desc);
        rc = dump_texts(d, &desc);
        if (rc) return rc;
        if (k + 1 < times) desc.dump = NULL;
        desc.predict_times =
            k + 1 == times && (d->f->report || d->viewer || strcmp(d->want ? d->want : "", "times") == 0);
        compiling_begin(s->path);
        *exe = xlagpu_compile(s->module, &desc);
        compiling_end();
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
    if (!rc && !file) rc = unreadable(cubin);
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

/* ---- one file for several targets: the executables one behind the other ---- */

/* The targets to compile for, as a list; NULL: one, as the flags or the module say. */
static const char *targets_of(const flag_values *f, const xlagpu_module *m, const char *emit) {
    xlagpu_target_desc named;
    bool ships = emit && (strcmp(emit, "exe") == 0 || strcmp(emit, "c") == 0);
    if (f->target) return strchr(f->target, ',') ? f->target : NULL;
    return !ships || f->gpu || f->cubin || xlagpu_module_target(m, &named) ? NULL : PORTABLE;
}
/* The PTX without its head, which names the target. */
static const char *ptx_body(xlagpu_bytes exe) {
    xlagpu_bytes ptx = xlagpu_executable_ptx(exe);
    const char *body = ptx.data ? strstr((const char *)ptx.data, ".address_size") : NULL;
    return body ? body : "";
}
/* Compiles for each target of the list. Kernels that are the same as those of the target before are left out: these run
 * there, too. all: malloc'ed. */
static int compile_targets(source *s, const dump_state *d, const char *list, xlagpu_bytes *all, char names[128]) {
    flag_values *one = (flag_values *)malloc(sizeof *one); /* large */
    unsigned char *bytes = NULL;
    size_t n = 0, last = 0, k;
    char target[16];
    int rc = one ? OK : fail(DEVICE, "xlagpu: error: out of memory");
    names[0] = 0;
    for (; !rc && *list; list += k + (list[k] == ',')) {
        dump_state part = *d;
        xlagpu_bytes exe, before;
        unsigned char *more;
        double time;
        k = strcspn(list, ",");
        snprintf(target, sizeof target, "%.*s", (int)k, list);
        *one = *d->f;
        one->target = target;
        part.f = one;
        rc = compile_timed(s, &part, 1, &exe, &time);
        if (rc) break;
        before.data = bytes + last;
        before.size = n - last;
        if (n && strcmp(ptx_body(before), ptx_body(exe)) == 0) continue;
        more = (unsigned char *)realloc(bytes, n + exe.size);
        if (!more) {
            rc = fail(DEVICE, "xlagpu: error: out of memory");
            break;
        }
        bytes = more;
        last = n;
        memcpy(bytes + n, exe.data, exe.size);
        n += exe.size;
        snprintf(names + strlen(names), 128 - strlen(names), "%s%s", *names ? "," : "", target);
    }
    free(one);
    all->data = bytes;
    all->size = n;
    return rc;
}

static int compile_one(const flag_values *f, int file, const char *emit) {
    source s;
    dump_state d;
    xlagpu_bytes exe = {NULL, 0}, all = {NULL, 0};
    xlagpu_report report;
    char names[128];
    const char *list = NULL;
    double best = 0;
    int rc = source_open(&s, f, f->files[file]);
    if (!rc) rc = source_parse(&s);
    if (!rc) list = targets_of(f, s.module, emit);
    dump_begin(&d, f, f->files[file], file, emit ? emit_stage(emit) : NULL);
    if (!rc && f->viewer && !(d.viewer = viewer_new())) rc = fail(DEVICE, "xlagpu: error: out of memory");
    if (!rc && list) rc = compile_targets(&s, &d, list, &all, names);
    if (!rc && list)
        exe = all;
    else if (!rc)
        rc = compile_timed(&s, &d, f->report ? 3 : 1, &exe, &best);
    if (!rc && !list) snprintf(names, sizeof names, "%s", dump_target(f, s.module, NULL).name);
    if (!rc && f->report && xlagpu_compile_report(s.module, &report)) report_line(&d, best, &report);
    if (!rc) rc = put_ptx(f, s.context, s.module, &exe);
    if (!rc && f->cubin) rc = add_cubin(&s, &d, names, &exe);
    if (!rc && emit) rc = write_emitted(f, emit, &s, exe, &d, names);
    if (d.viewer) rc = worse(rc, viewer_write(d.viewer, rc ? NULL : f->viewer, &d));
    dump_end(&d);
    source_close(&s);
    free((void *)(uintptr_t)all.data);
    return rc;
}

/* "8x" or "8" in front of the rest: a count; 0: none. */
static long long topology_count(const char **text) {
    char *end = NULL;
    long long n = **text >= '0' && **text <= '9' ? strtoll(*text, &end, 10) : 0;
    if (!end || (*end && *end != 'x' && *end != 'X')) return 0;
    *text = end + !!*end;
    return n;
}
/* h200x8: so many devices of that part, on one machine; 2x8: two machines with eight each; 2xh200x8. */
static int topology(flag_values *f, char part[16]) {
    const char *at = f->topology, *x;
    long long machines = topology_count(&at), each;
    size_t n, k;
    x = strrchr(at, 'x');
    n = x && at[strspn(at, "0123456789")] ? (size_t)(x - at) : 0;
    for (k = 0; k < n && k < 15; k++) part[k] = (char)(at[k] >= 'a' && at[k] <= 'z' ? at[k] - 32 : at[k]);
    part[k] = 0;
    if (n) at = x + 1;
    each = topology_count(&at);
    if (!machines) machines = n ? 1 : 0;
    if (n > 15 || *at || each < 1 || machines < 1 || each > 1 << 16 || machines > 1 << 16 || machines * each > 1 << 16)
        return fail(BAD,
            "xlagpu: error: --topology=%s: h200x8, a part and how many of them; 2x8, machines with eight "
            "devices each; 2xh200x8",
            f->topology);
    f->devices = machines * each;
    f->machine_devices = each;
    if (n) f->gpu = part;
    return OK;
}

int verb_compile(const flag_values *given) {
    flag_values own = *given;
    const flag_values *f = &own;
    const char *emit;
    char part[16];
    int k, rc;
    if (f->topology && (rc = topology(&own, part)) != OK) return rc;
    if (!f->n_files) return fail(BAD, "xlagpu: error: 'compile' needs a file");
    rc = emit_chosen(f, &emit);
    if (rc) return rc;
    if (f->n_files > 1 && f->o && strcmp(f->o, "-") != 0)
        return fail(BAD, "xlagpu: error: %d modules cannot go into one file: leave -o out", f->n_files);
    if (f->n_files > 1 && f->viewer)
        return fail(BAD, "xlagpu: error: --viewer=%s shows one module, and %d are given", f->viewer, f->n_files);
    if (f->report) report_head();
    for (k = 0; k < f->n_files; k++) rc = worse(rc, compile_one(f, k, emit));
    return rc;
}

/* ---- opt ---- */

/* Without --emit and a suffix it is HLO. */
static const char *opt_emit(const flag_values *f) { return f->emit ? f->emit : f->o ? emit_of_name(f->o) : NULL; }

/* Without --passes: the module that the compiler makes kernels of, whether or not it can. */
static int optimize_all(source *s, const flag_values *f) {
    xlagpu_compile_desc desc;
    dump_state d;
    int rc;
    dump_begin(&d, f, s->path, 0, "hlo/after_optimizations");
    dump_describe(&d, s->module, NULL, &desc);
    compiling_begin(s->path);
    xlagpu_compile(s->module, &desc);
    compiling_end();
    rc = d.wanted ? write_form(f, s, opt_emit(f), d.wanted, d.wanted_n) : source_failed(s);
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
        return fail(BAD, "xlagpu: error: 'opt' --emit=%s is not one of hlo, pb, hlo.pb, stablehlo", f->emit);
    if (!f->emit && opt_emit(f) && form_of(opt_emit(f)) < 0)
        return fail(BAD,
            "xlagpu: error: -o %s: 'opt' writes modules, as .hlo, .pb, .hlo.pb or .mlir; 'compile' writes %s", f->o,
            opt_emit(f));
    rc = source_open(&s, f, f->files[0]);
    if (!rc) rc = source_parse(&s);
    if (!rc && !f->set[FLAG_passes])
        rc = optimize_all(&s, f);
    else if (!rc) {
        made = xlagpu_optimize(s.module, f->passes);
        rc = made.data ? write_form(f, &s, opt_emit(f), made.data, made.size) : source_failed(&s);
    }
    source_close(&s);
    return rc;
}
