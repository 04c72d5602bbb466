/* tools/xla_tools.c -- the tool under the names of XLA's own: run_hlo_module and hlo-opt. A link of that name, or the
 * name as the verb, takes their flags and says what their users and tests look for; the work is that of `run`,
 * `compile` and `opt`.
 *
 * Flags that this tool has too (--xla_...) go on to it; XLA's others are named in one note and have no effect. */
#include "tool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* X(field, text, kind): kind BOOL, TEXT, COUNT or REAL */
/* clang-format off */
#define RUN_HLO_MODULE_FLAGS(X) \
    X(platform, "platform", TEXT) \
    X(reference_platform, "reference_platform", TEXT) \
    X(print_literals, "print_literals", BOOL) \
    X(run_test_hlo_passes, "run_test_hlo_passes", BOOL) \
    X(run_reference_hlo_passes, "run_reference_hlo_passes", BOOL) \
    X(use_large_float_range, "use_large_float_range", BOOL) \
    X(treat_gte_as_data_formatting, "treat_gte_as_data_formatting", BOOL) \
    X(random_init_input_literals, "random_init_input_literals", BOOL) \
    X(force_fake_data, "force_fake_data", BOOL) \
    X(different_random_seeds, "different_random_seeds", BOOL) \
    X(flatten_control_flow, "flatten_control_flow", BOOL) \
    X(isolate_instructions, "isolate_instructions", BOOL) \
    X(abs_error_bound, "abs_error_bound", REAL) \
    X(rel_error_bound, "rel_error_bound", REAL) \
    X(iterations, "iterations", COUNT) \
    X(input_format, "input_format", TEXT) \
    X(input_module, "input_module", TEXT) \
    X(input_literals_file, "input_literals_file", TEXT) \
    X(output_literals_file, "output_literals_file", TEXT)
#define HLO_OPT_FLAGS(X) \
    X(passes, "passes", TEXT) \
    X(list_passes, "list-passes", BOOL) \
    X(stage, "stage", TEXT) \
    X(list_stages, "list-stages", BOOL) \
    X(format, "format", TEXT) \
    X(split_input_file, "split-input-file", BOOL) \
    X(emit_proto, "emit-proto", BOOL) \
    X(o, "o", TEXT) \
    X(target_config, "xla_gpu_target_config_filename", TEXT)
/* clang-format on */

#define FIELD_BOOL(field) bool field;
#define FIELD_TEXT(field) const char *field;
#define FIELD_COUNT(field) long long field;
#define FIELD_REAL(field) double field;
typedef struct xla_flags {
#define X(field, text, kind) FIELD_##kind(field)
    RUN_HLO_MODULE_FLAGS(X)
    HLO_OPT_FLAGS(X)
#undef X
    const char *file;
} xla_flags;

static bool take_BOOL(bool *to, const char *v) {
    *to = !v || strcmp(v, "true") == 0 || strcmp(v, "1") == 0;
    return *to || strcmp(v, "false") == 0 || strcmp(v, "0") == 0;
}
static bool take_TEXT(const char **to, const char *v) {
    *to = v;
    return v != NULL;
}
static bool take_COUNT(long long *to, const char *v) {
    char *end = NULL;
    *to = v ? strtoll(v, &end, 10) : 0;
    return end && end != v && !*end && *to >= 0;
}
static bool take_REAL(double *to, const char *v) {
    char *end = NULL;
    *to = v ? strtod(v, &end) : 0;
    return end && end != v && !*end && *to >= 0;
}

typedef enum taken {
    NOT_MINE,
    TAKEN,
    BAD_VALUE
} taken;
static bool is_called(const char *name, size_t n, const char *text) {
    return strlen(text) == n && memcmp(name, text, n) == 0;
}
static taken take_flag(xla_flags *x, bool opt, const char *name, size_t n, const char *value) {
#define X(field, text, kind) \
    if (is_called(name, n, text)) return take_##kind(&x->field, value) ? TAKEN : BAD_VALUE;
    if (opt) {
        HLO_OPT_FLAGS(X)
        if (is_called(name, n, "platform")) return take_TEXT(&x->platform, value) ? TAKEN : BAD_VALUE;
    } else {
        RUN_HLO_MODULE_FLAGS(X)
    }
#undef X
    return NOT_MINE;
}
/* The flags of XLA's tool into x, those of ours into f. */
static int read_arguments(xla_flags *x, flag_values *f, bool opt, const char *tool, int argc, char **argv) {
    char *rest[FLAG_FILES_MAX]; /* what goes on to our own flags; [0] and [1] as main has them */
    const char *ignored = NULL;
    int k, n = 2, n_ignored = 0;
    rest[0] = rest[1] = argv[0];
    for (k = 1; k < argc; k++) {
        const char *arg = argv[k], *name = arg + strspn(arg, "-"), *value = strchr(name, '=');
        taken got;
        size_t length = value ? (size_t)(value - name) : strlen(name);
        if (arg[0] != '-' || !arg[1]) {
            if (x->file) return fail(1, "%s: error: one file at a time: %s and %s", tool, x->file, arg);
            x->file = arg;
            continue;
        }
        got = take_flag(x, opt, name, length, value ? value + 1 : NULL);
        if (got == BAD_VALUE && !value && k + 1 < argc) got = take_flag(x, opt, name, length, argv[++k]); /* -o F */
        switch (got) {
        case TAKEN: continue;
        case BAD_VALUE: return fail(1, "%s: error: '%s' is not a value of that flag", tool, arg);
        case NOT_MINE: break;
        }
        if (flag_of_verb(arg, opt ? VERB_COMPILE : VERB_RUN) && n < FLAG_FILES_MAX)
            rest[n++] = argv[k];
        else if (strncmp(name, "xla_", 4) != 0)
            return fail(1, "%s: error: unknown flag '%s'", tool, arg);
        else if (!n_ignored++)
            ignored = arg;
    }
    if (ignored) fprintf(stderr, "%s: note: %s%s: no effect here\n", tool, ignored, n_ignored > 1 ? " and others" : "");
    return flags_read(f, opt ? VERB_COMPILE : VERB_RUN, n, rest) ? 1 : OK;
}
static bool same_word(const char *a, const char *b) {
    for (; *a && *b; a++, b++)
        if ((*a | 32) != (*b | 32)) return false;
    return !*a && !*b;
}
/* Their names for platforms: CUDA, gpu, Host, CPU, Interpreter. */
static const char *our_platform(const char *name) {
    return same_word(name, "cuda") || same_word(name, "gpu")   ? "cuda"
           : same_word(name, "host") || same_word(name, "cpu") ? "host"
           : same_word(name, "interpreter")                    ? "interpreter"
                                                               : name;
}
static int unsupported_of(const xla_flags *x, const char *tool) {
    static const char *const formats[] = {"", "hlo", "txt", "pb", "stablehlo", "mhlo"};
    const char *format = x->input_format ? x->input_format : x->format ? x->format : "";
    size_t k;
    if (x->flatten_control_flow) return fail(1, "%s: error: --flatten_control_flow is not supported", tool);
    if (x->isolate_instructions)
        return fail(1, "%s: error: --isolate_instructions is not supported; xlagpu bisect tries each alone", tool);
    if (x->use_large_float_range) return fail(1, "%s: error: --use_large_float_range is not supported", tool);
    for (k = 0; k < sizeof formats / sizeof formats[0]; k++)
        if (strcmp(format, formats[k]) == 0) return OK; /* a file's first bytes say which it is */
    return fail(1, "%s: error: the format '%s' is not supported: hlo, pb and stablehlo are", tool, format);
}

/* ---- run_hlo_module ---- */

static int run_once(const flag_values *f, const char *platform, const char *reference) {
    double t = seconds();
    int rc;
    fprintf(stderr, "Running HLO module with runner %s...\n", platform);
    rc = verb_run(f);
    fprintf(stderr, "... compiled and ran in %gs.\n", seconds() - t);
    if (*reference && rc == OK)
        fprintf(stderr, "\n** Results on %s and %s are close enough. **\n", platform, reference);
    else if (rc != OK && rc != DIFFERS)
        fprintf(stderr, "Failed to execute on %s\n", platform);
    else if (!*reference)
        fprintf(stderr, "Skipping reference runner\n");
    return rc;
}
static int run_hlo_module(xla_flags *x, flag_values *f) {
    const char *tool = "run_hlo_module", *reference = x->reference_platform ? x->reference_platform : "default";
    long long k, failed = 0;
    int rc = unsupported_of(x, tool);
    if (rc) return rc;
    if (!x->platform) return fail(1, "%s: error: Must pass --platform flag.", tool);
    if (!x->input_module) x->input_module = x->file;
    if (!x->input_module) return fail(1, "%s: error: Must specify a single input file", tool);
    if (same_word(reference, "default")) reference = "Interpreter";
    f->platform = our_platform(x->platform);
    f->reference_platform = *reference ? our_platform(reference) : "";
    f->rtol = x->rel_error_bound;
    f->atol = x->abs_error_bound;
    f->set[FLAG_rtol] = f->set[FLAG_atol] = true;
    f->print_literals = x->print_literals;
    f->quiet = true;
    f->disable_all = f->disable_all || !x->run_test_hlo_passes;
    f->n_args = x->input_literals_file != NULL;
    f->args[0] = x->input_literals_file;
    f->out = x->output_literals_file;
    f->files[0] = x->input_module;
    f->n_files = 1;
    for (k = 1; k <= x->iterations; k++) {
        if (x->iterations != 1) fprintf(stderr, "\n=== Iteration %lld\n", k);
        rc = run_once(f, x->platform, reference);
        failed += rc != OK;
        f->seed++; /* other data each time */
    }
    if (*reference) fprintf(stderr, "%lld/%lld runs miscompared.\n", failed, x->iterations);
    return failed ? 255 : 0;
}

/* ---- hlo-opt ---- */

/* X(name, the stage of our compiler) */
#define STAGES(X) \
    X("hlo", "hlo/after_optimizations") \
    X("hlo-backend", "plan") \
    X("ptx", "ptx") \
    X("llvm", "llvm/after") \
    X("llvm-before-optimizations", "llvm/before") \
    X("llvm-after-optimizations", "llvm/after") \
    X("buffer-assignment", "buffer-assignment")
static const char *const stages[][2] = {
#define X(name, stage) {name, stage},
    STAGES(X)
#undef X
};

/* The GPU that a file of XLA's describes (gpu_specs/a100.txtpb): its compute capability, and its part if it has a name
 * here. */
static int read_target_config(const char *path, flag_values *f, char target[16]) {
    size_t n;
    char *text = (char *)file_read(path, &n);
    const char *cc = text ? strstr(text, "compute_capability") : NULL, *major = cc ? strstr(cc, "major:") : NULL,
               *minor = major ? strstr(major, "minor:") : NULL,
               *name = text ? strstr(text, "device_description_str") : NULL, *part;
    uint32_t k;
    if (!text) return unreadable(path) ? 1 : 1;
    for (k = 0; name && !f->gpu && (part = xlagpu_part_name(k)) != NULL; k++) {
        const char *found = strstr(name, part);
        if (found && found < name + strcspn(name, "\n") && strchr(" -\"", found[strlen(part)])) f->gpu = part;
    }
    if (major)
        snprintf(target, 16, "sm_%d%d%s", atoi(major + 6) % 100, minor ? atoi(minor + 6) % 10 : 0,
            atoi(major + 6) == 9 ? "a" : "");
    free(text);
    if (!major) return fail(1, "hlo-opt: error: %s names no compute capability", path);
    f->target = target;
    return OK;
}

/* XLA prints modules in the long form, with percent signs and the signatures of computations. */
static int put_long(FILE *out, source *s, const char *text, size_t n) {
    const char *module = text;
    source made;
    xlagpu_bytes b;
    flag_values none;
    int rc;
    memset(&none, 0, sizeof none);
    if (strncmp(text, "PlannedModule", 13) == 0 && (module = strstr(text, "\nHloModule ")) != NULL) module++;
    (void)n;
    rc = source_text(&made, &none, s->path, module ? module : text);
    b = xlagpu_print_as(made.module, XLAGPU_FORMAT_HLO_LONG);
    if (!rc && b.data)
        fprintf(out, "%s\n", (const char *)b.data);
    else
        rc = source_failed(&made);
    source_close(&made);
    return rc;
}
static int opt_stage(FILE *out, source *s, const flag_values *f, const char *stage) {
    xlagpu_compile_desc c;
    dump_state d;
    int rc = OK;
    dump_begin(&d, f, s->path, 0, stage);
    dump_describe(&d, s->module, NULL, &c);
    compiling_begin(s->path);
    (void)xlagpu_compile(s->module, &c);
    compiling_end();
    if (!d.wanted)
        rc = source_failed(s);
    else if (strncmp(stage, "hlo/", 4) == 0 || strcmp(stage, "plan") == 0)
        rc = put_long(out, s, d.wanted, d.wanted_n);
    else
        fprintf(out, "%s\n", d.wanted);
    dump_end(&d);
    return rc;
}
static int opt_module(FILE *out, const xla_flags *x, const flag_values *f, const char *text) {
    const char *stage = NULL;
    xlagpu_bytes b;
    source s;
    size_t k;
    int rc = source_text(&s, f, x->file, text);
    for (k = 0; k < sizeof stages / sizeof stages[0]; k++)
        if (strcmp(x->stage, stages[k][0]) == 0) stage = stages[k][1];
    if (rc)
        rc = source_failed(&s);
    else if (x->passes) {
        b = xlagpu_optimize(s.module, x->passes);
        rc = b.data ? put_long(out, &s, (const char *)b.data, b.size) : source_failed(&s);
    } else if (same_word(x->platform, "transforms"))
        rc = put_long(out, &s, (const char *)s.text, s.n);
    else if (!stage)
        rc = fail(1, "hlo-opt: error: Stage not supported: %s (--list-stages names them)", x->stage);
    else
        rc = opt_stage(out, &s, f, stage);
    source_close(&s);
    return rc;
}
static int opt_text(FILE *out, const xla_flags *x, const flag_values *f, char *text) {
    static const char separator[] = "// -----";
    int rc = OK;
    while (!rc && text) {
        char *next = x->split_input_file ? strstr(text, separator) : NULL, *more;
        if (next) *next = 0;
        more = strstr(text, "// ---");
        if (more && (more == text || more[-1] == '\n'))
            rc =
                x->split_input_file
                    ? fail(1, "hlo-opt: error: Unexpected separator found, expected exactly '%s'", separator)
                    : fail(1, "hlo-opt: error: '// ---' separator found in input, but -split-input-file not specified");
        else
            rc = opt_module(out, x, f, text);
        text = next ? next + strlen(separator) : NULL;
    }
    return rc;
}
static int hlo_opt(xla_flags *x, flag_values *f) {
    char target[16], *text;
    FILE *out = stdout;
    uint32_t k;
    size_t n;
    int rc = unsupported_of(x, "hlo-opt");
    if (rc) return rc;
    if (x->list_passes)
        for (k = 0; xlagpu_pass_name(k); k++) puts(xlagpu_pass_name(k));
    if (x->list_stages)
        for (k = 0; k < sizeof stages / sizeof stages[0]; k++) puts(stages[k][0]);
    if (x->list_passes || x->list_stages) return OK;
    if (!same_word(x->platform, "transforms") && strcmp(our_platform(x->platform), "cuda") != 0)
        return fail(
            1, "hlo-opt: error: Provider not found for platform: %s; there are gpu and transforms", x->platform);
    if (x->emit_proto)
        return fail(1,
            "hlo-opt: error: --emit-proto is protobuf's text form, which is not written here; "
            "xlagpu opt %s --passes= -o F.pb writes the binary one",
            x->file ? x->file : "M.hlo");
    if (!x->file) return fail(1, "hlo-opt: error: Must specify a single input file");
    if (x->target_config && (rc = read_target_config(x->target_config, f, target)) != OK) return rc;
    text = (char *)file_read(x->file, &n);
    if (!text) return unreadable(x->file) ? 1 : 1;
    if (x->o && strcmp(x->o, "-") != 0) out = fopen(x->o, "wb");
    if (!out)
        rc = fail(1, "hlo-opt: error: %s cannot be written", x->o);
    else {
        rc = opt_text(out, x, f, text);
        if (out == stdout ? fflush(out) : fclose(out)) rc = fail(1, "hlo-opt: error: the output cannot be written");
    }
    free(text);
    return rc ? 1 : 0;
}

/* ---- names ---- */

/* The tool of that name: 0 run_hlo_module, 1 hlo-opt, -1 another. path may have folders and .exe. */
static int tool_named(const char *path) {
    const char *base = path, *p;
    size_t n;
    for (p = path; *p; p++)
        if (*p == '/' || *p == '\\') base = p + 1;
    n = strlen(base);
    if (n > 4 && strcmp(base + n - 4, ".exe") == 0) n -= 4;
    return is_called(base, n, "run_hlo_module")                             ? 0
           : is_called(base, n, "hlo-opt") || is_called(base, n, "hlo_opt") ? 1
                                                                            : -1;
}
bool xla_tool(int argc, char **argv, int *rc) {
    static flag_values f;
    int tool = tool_named(argv[0]);
    xla_flags x;
    if (tool < 0 && argc > 1 && (tool = tool_named(argv[1])) >= 0) {
        argc--;
        argv++;
    }
    if (tool < 0) return false;
    memset(&x, 0, sizeof x);
    x.run_test_hlo_passes = true;
    x.iterations = 1;
    x.abs_error_bound = x.rel_error_bound = 1e-3; /* as XLA has them */
    x.stage = "hlo";
    if (tool == 1) x.platform = "transforms";
    *rc = read_arguments(&x, &f, tool == 1, tool ? "hlo-opt" : "run_hlo_module", argc, argv);
    if (!*rc) *rc = tool ? hlo_opt(&x, &f) : run_hlo_module(&x, &f);
    return true;
}
