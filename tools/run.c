/* tools/run.c -- the verb run: a module or an executable, on a device or by the evaluator, its results compared and
 * shown. */
#include "tool.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct job {
    const flag_values *f;
    flag_values silent;          /* of a process that is not the first of several */
    uint32_t process, processes; /* that run the module together */
    const char *path;
    xlagpu_context *context;
    xlagpu_module *module; /* NULL for executables */
    xlagpu_clique *clique; /* of several devices; NULL: one */
    xlagpu_device *device; /* the first */
    xlagpu_program *program;
    xlagpu_bytes exe;
    unsigned char *text;
    size_t text_n;
    tensor *in, *out, *want;
    uint32_t n_in, n_out, n_want;
    double compile_s, load_s, run_s;
    difference worst; /* of all results */
    double worst_ulp;
    char worst_at[600];
    judge *judge;          /* made when a result is beyond the tolerance of its type */
    bool judged, snapshot; /* the arguments are those of an HloSnapshot */
    int file;              /* which of the command line */
    dump_state dump;
    progress progress;
    line_counts *lines;  /* with --stats, on one device */
    xlagpu_traffic sent; /* with --devices */
} job;

static int tensors_new(tensor **t, uint32_t n) {
    *t = (tensor *)calloc((size_t)n + 1, sizeof **t);
    return *t ? OK : fail(DEVICE, "xlagpu: error: out of memory");
}
static int tensor_alloc(tensor *t) {
    t->data = (unsigned char *)calloc(t->bytes + 1, 1);
    return t->data ? OK
                   : fail(DEVICE, "xlagpu: error: out of memory: %zu bytes for %s %s", t->bytes,
                         t->name ? "parameter" : "a", t->name ? t->name : "result");
}

static int job_shapes(job *j) {
    uint32_t k;
    int rc;
    xlagpu_value_info v;
    xlagpu_rt_value r;
    j->n_in = j->module ? xlagpu_parameter_count(j->module) : xlagpu_rt_parameter_count(j->program);
    j->n_out = j->n_want = j->module ? xlagpu_result_count(j->module) : xlagpu_rt_result_count(j->program);
    if ((rc = tensors_new(&j->in, j->n_in)) || (rc = tensors_new(&j->out, j->n_out)) ||
        (rc = tensors_new(&j->want, j->n_out)))
        return rc;
    for (k = 0; k < j->n_in + j->n_out; k++) {
        tensor *t = k < j->n_in ? &j->in[k] : &j->out[k - j->n_in];
        if (j->module) {
            if (k < j->n_in)
                xlagpu_parameter_info(j->module, k, &v);
            else
                xlagpu_result_info(j->module, k - j->n_in, &v);
            t->type = v.type;
            t->name = k < j->n_in ? v.name : NULL;
            t->rank = v.rank;
            t->dims = v.dims;
            t->bytes = v.bytes;
            t->size_of = v.size_of;
        } else {
            if (k < j->n_in)
                (j->clique ? xlagpu_rt_clique_parameter : xlagpu_rt_parameter)(j->program, k, &r);
            else
                (j->clique ? xlagpu_rt_clique_result : xlagpu_rt_result)(j->program, k - j->n_in, &r);
            t->type = r.type;
            t->name = k < j->n_in ? r.name : NULL;
            t->rank = r.rank;
            t->dims = r.dims;
            t->bytes = r.bytes;
        }
        if ((rc = tensor_alloc(t))) return rc;
        if (k >= j->n_in) {
            j->want[k - j->n_in] = *t;
            if ((rc = tensor_alloc(&j->want[k - j->n_in]))) return rc;
        }
    }
    return OK;
}

static void tensors_point(xlagpu_tensor *to, const tensor *from, uint32_t n) {
    uint32_t k;
    for (k = 0; to && k < n; k++) {
        to[k].data = from[k].data;
        to[k].bytes = from[k].bytes;
    }
}
/* The arguments of a snapshot, and with `results` its result; UNSUPPORTED: it is none, or has none. */
static xlagpu_status job_snapshot(job *j, bool results) {
    xlagpu_tensor *in = (xlagpu_tensor *)calloc((size_t)j->n_in + 1, sizeof *in),
                  *out = (xlagpu_tensor *)calloc((size_t)j->n_want + 1, sizeof *out);
    xlagpu_status s = XLAGPU_ERROR_MEMORY;
    tensors_point(in, j->in, j->n_in);
    tensors_point(out, j->want, j->n_want);
    if (in && out) s = xlagpu_snapshot(j->module, in, j->n_in, out, results ? j->n_want : 0);
    free(in);
    free(out);
    return s;
}
static int job_inputs(job *j) {
    xlagpu_status s = j->module && !j->f->n_args ? job_snapshot(j, false) : XLAGPU_ERROR_UNSUPPORTED;
    j->snapshot = s == XLAGPU_OK;
    if (s == XLAGPU_OK) return OK;
    if (s != XLAGPU_ERROR_UNSUPPORTED) return fail_in(j->path, s, xlagpu_error(j->context));
    return arrays_fill(j->in, j->n_in, j->f, (uint64_t)j->f->seed);
}

/* How many devices are asked for, by number or by a mesh; 0: nothing is said of them. */
static uint32_t job_devices(const job *j) {
    const flag_values *f = j->f;
    if (f->devices) return (uint32_t)f->devices;
    return f->num_partitions || f->replicas || f->mesh || f->auto_shard ? xlagpu_module_devices(j->module) : 0;
}
/* Into the leaves of the result, before they are trimmed. On so many devices together, or, 0, on one that has
 * everything. */
static int job_evaluate(job *j, tensor *to, uint32_t devices) {
    xlagpu_tensor *in = (xlagpu_tensor *)calloc((size_t)j->n_in + 1, sizeof *in),
                  *out = (xlagpu_tensor *)calloc((size_t)j->n_want + 1, sizeof *out);
    xlagpu_status s = XLAGPU_ERROR_MEMORY;
    tensors_point(in, j->in, j->n_in);
    tensors_point(out, to, j->n_want);
    if (in && out)
        s = devices
                ? xlagpu_evaluate_devices(j->module, devices, in, j->n_in, out, j->n_want, j->f->fill_elided, &j->sent)
                : xlagpu_evaluate(j->module, in, j->n_in, out, j->n_want, j->f->fill_elided);
    free(in);
    free(out);
    return s == XLAGPU_OK ? OK : fail_in(j->path, s, xlagpu_error(j->context));
}

static bool is_platform(const flag_values *f, const char *name) {
    const char *p = f->platform ? f->platform : "auto";
    size_t k;
    for (k = 0; p[k] && name[k]; k++)
        if ((p[k] | 32) != name[k]) return false;
    return !p[k] && !name[k];
}

/* user: the name of a file. */
static void append_jit_log(void *user, const char *program, double milliseconds, const char *text) {
    FILE *f = fopen((const char *)user, "a");
    if (!f) return;
    fprintf(f, "# %s: %.1f ms\n%s\n", program, milliseconds, text);
    fclose(f);
}
static void show_note(const char *note) {
    if (*note) fprintf(stderr, "xlagpu: note: %s\n", note);
}

static const char *job_error(const job *j) {
    return j->clique ? xlagpu_rt_clique_error(j->clique) : xlagpu_rt_error(j->device);
}
/* Under torchrun, mpirun or srun the processes run a module of several devices together, as many devices each. Process
 * 0 has the results and says what they are worth; the others say what goes wrong with them. */
static int job_share(job *j, uint32_t *devices) {
    uint32_t all = *devices;
    j->processes = 1;
    if (all <= 1 || is_platform(j->f, "host") || is_platform(j->f, "llvm-cpu")) return OK;
    j->processes = xlagpu_rt_processes(&j->process);
    if (j->processes <= 1) return OK; /* 0: opening the clique says why */
    if (all % j->processes)
        return fail(
            BAD, "xlagpu: error: %u devices cannot be shared by %u processes: each has as many", all, j->processes);
    *devices = all / j->processes;
    if (!j->process) return OK;
    j->silent = *j->f;
    j->silent.out = j->silent.save_args = j->silent.expect = j->silent.viewer = NULL;
    j->silent.reference_platform = "";
    j->silent.print_literals = j->silent.stats = j->silent.summary = false;
    j->silent.dump_to = j->silent.dump_pass_re = NULL;
    j->silent.v = 0;
    j->f = &j->silent;
    return OK;
}
static int job_open(job *j) {
    uint32_t devices = j->f->devices ? (uint32_t)j->f->devices
                       : j->module   ? xlagpu_module_devices(j->module)
                                     : xlagpu_rt_devices(j->exe.data, j->exe.size);
    xlagpu_device_desc d;
    xlagpu_status s;
    bool many = devices > 1;
    int rc = job_share(j, &devices);
    if (rc) return rc;
    memset(&d, 0, sizeof d);
    d.platform = is_platform(j->f, "cuda") || is_platform(j->f, "gpu") ? "cuda"
                 : is_platform(j->f, "host")                           ? "host"
                 : is_platform(j->f, "auto")                           ? "auto"
                                                                       : j->f->platform;
    d.threads = (uint32_t)j->f->threads;
    if (approximations_of(j->f->approx) < 0)
        return fail(BAD, "xlagpu: error: --approx=%s: there are usual, low, high and mixed", j->f->approx);
    d.approximations = (uint32_t)approximations_of(j->f->approx);
    d.cache = j->f->cache;
    d.part = j->f->gpu;
    d.predict = j->f->stats || j->f->profile;
    if (j->f->stats && !many) stats_watch(&j->lines, &d);
    d.predict_scale = (uint32_t)j->f->scale;
    d.predict_memory_scale = (uint32_t)j->f->memory_scale;
    d.nvtx = j->f->nvtx && !nvtx_begin(&d);
    if (j->f->jit_log) {
        d.jit_log = append_jit_log;
        memcpy(&d.jit_log_user, &j->f->jit_log, sizeof d.jit_log_user);
    }
    d.concurrent = j->f->concurrent;
    d.copy_stream = j->f->copy_stream;
    d.driver = j->f->driver;
    d.library_folder = j->f->library_folder;
    d.no_command_buffers = j->f->no_command_buffers;
    d.print = print_text;
    progress_begin(&j->progress, &d);
    if (many) {
        xlagpu_rt_clique_desc c;
        memset(&c, 0, sizeof c);
        c.device = d;
        c.devices = devices;
        c.environment = j->processes != 1;
        c.timeout = j->f->device_timeout;
        s = xlagpu_rt_clique_open(&c, &j->clique);
        j->device = xlagpu_rt_clique_device(j->clique, 0);
    } else
        s = xlagpu_rt_open(&d, &j->device);
    if (s == XLAGPU_OK) show_note(xlagpu_rt_note(j->device));
    return s == XLAGPU_OK ? OK : fail(s == XLAGPU_ERROR_USAGE ? BAD : DEVICE, "xlagpu: error: %s", job_error(j));
}

static int job_compile(job *j) {
    xlagpu_compile_desc c;
    xlagpu_target_desc target;
    double t = seconds();
    bool on_gpu = strcmp(xlagpu_rt_platform(j->device), "cuda") == 0;
    bool any = strcmp(xlagpu_rt_platform(j->device), "host") == 0; /* the simulator runs what is made for any */
    (void)xlagpu_rt_target_desc(j->device, &target);
    dump_begin(&j->dump, j->f, j->path, j->file, NULL);
    if (j->f->viewer && !(j->dump.viewer = viewer_new())) return fail(DEVICE, "xlagpu: error: out of memory");
    dump_describe(&j->dump, j->module, any ? NULL : &target, &c);
    if (dump_texts(&j->dump, &c)) return BAD;
    c.predict_times = j->dump.viewer != NULL;
    if (on_gpu && c.libraries && strcmp(c.libraries, "auto") == 0) c.libraries = xlagpu_rt_libraries(j->device);
    compiling_begin(j->path);
    j->exe = xlagpu_compile(j->module, &c);
    compiling_end();
    j->compile_s = seconds() - t;
    return j->exe.data ? put_ptx(j->f, j->context, j->module, &j->exe)
                       : fail_in(j->path, xlagpu_error_status(j->context), xlagpu_error(j->context));
}

static int job_load(job *j) {
    double t = seconds();
    j->program = j->clique ? xlagpu_rt_clique_load(j->clique, j->exe.data, j->exe.size)
                           : xlagpu_rt_load(j->device, j->exe.data, j->exe.size);
    j->load_s = seconds() - t;
    return j->program ? OK : fail_in(j->path, xlagpu_rt_error_status(j->device), job_error(j));
}

static int job_execute(job *j) {
    xlagpu_rt_tensor *in = (xlagpu_rt_tensor *)calloc((size_t)j->n_in + 1, sizeof *in),
                     *out = (xlagpu_rt_tensor *)calloc((size_t)j->n_out + 1, sizeof *out);
    long long repeat = j->f->repeat > 0 ? j->f->repeat : 1, n;
    enum {
        PROFILED = 1 << 20
    };
    xlagpu_execution *e = NULL;
    xlagpu_status s = XLAGPU_OK;
    int rc = OK;
    uint32_t k;
    if (!in || !out) {
        free(in);
        free(out);
        return fail(DEVICE, "xlagpu: error: out of memory");
    }
    for (k = 0; k < j->n_in; k++) {
        in[k].data = j->in[k].data;
        in[k].bytes = j->in[k].bytes;
    }
    for (k = 0; k < j->n_out; k++) {
        out[k].data = j->out[k].data;
        out[k].bytes = j->out[k].bytes;
    }
    j->run_s = HUGE_VAL;
    if (!j->clique && !(e = xlagpu_rt_prepare(j->program))) s = xlagpu_rt_error_status(j->device);
    if (e && (j->f->profile || j->f->trace || j->f->viewer)) s = xlagpu_rt_profile(e, PROFILED);
    for (n = 0; n < repeat && s == XLAGPU_OK; n++) {
        double t = seconds();
        s = j->clique ? xlagpu_rt_clique_run(j->program, in, j->n_in, out, j->n_out)
                      : xlagpu_rt_run_with(e, in, j->n_in, out, j->n_out);
        t = seconds() - t;
        if (t < j->run_s) j->run_s = t;
    }
    if (j->clique && s == XLAGPU_OK) s = xlagpu_rt_clique_gather(j->program, out, j->n_out);
    free(in);
    free(out);
    if (s == XLAGPU_OK && j->f->profile && e)
        rc = profile_print(e, j->f->target ? j->f->target : xlagpu_rt_target(j->device),
            strcmp(xlagpu_rt_platform(j->device), "host") == 0);
    if (s == XLAGPU_OK && j->f->trace && e)
        rc = worse(rc, profile_trace(e, j->f->trace, xlagpu_rt_program_name(j->program)));
    if (s == XLAGPU_OK && j->dump.viewer && e)
        rc = worse(rc, profile_view(e, j->dump.viewer, xlagpu_rt_program_name(j->program)));
    if (e) show_note(xlagpu_rt_execution_note(e));
    xlagpu_rt_finish(e);
    return s == XLAGPU_OK ? rc : fail_in(j->path, s, job_error(j));
}

/* The module's own rounding, unless tolerances were given or it cannot be measured: see verdict.c. */
static judge *job_judge(job *j) {
    uint32_t k;
    if (j->judged) return j->judge;
    j->judged = true;
    if (!j->module || j->f->set[FLAG_rtol] || j->f->set[FLAG_atol]) return NULL;
    if (xlagpu_result_count(j->module) != j->n_out) return NULL; /* sizes of dynamic dimensions were taken off */
    for (k = 0; k < j->n_in; k++)
        if (j->in[k].size_of) return NULL;
    j->judge = judge_new(j->module, j->path, j->in, j->n_in, j->n_out, j->f->fill_elided);
    return j->judge;
}
static void job_keep_worst(job *j, uint32_t k, const difference *d) {
    xlagpu_type real = tensor_real(j->out[k].type);
    double want = tensor_is_float(real) && d->index < tensor_count(&j->want[k])
                      ? xlagpu_get_element(real, j->want[k].data + d->index * xlagpu_type_bytes(j->want[k].type))
                      : 0,
           ulp = error_in_ulp(j->out[k].type, want, d->error);
    if (k && !(d->excess > j->worst.excess || (d->excess == j->worst.excess && ulp > j->worst_ulp))) return;
    j->worst = *d;
    j->worst_ulp = ulp;
    difference_show(&j->want[k], &j->out[k], k, d->index, j->worst_at);
}
static int job_compare_one(job *j, uint32_t k, const char *with) {
    double rtol, atol;
    const judge *own = NULL;
    difference d;
    char text[600], bound[160];
    if (!tensor_same_shape(&j->want[k], &j->out[k]))
        return fail(DIFFERS, "%s: out%u has other sizes than %s says", j->path, k, with);
    tolerance_of(&j->want[k], j->f, true, &rtol, &atol);
    d = tensor_compare(&j->want[k], &j->out[k], rtol, atol);
    if (d.bad) {
        own = job_judge(j);
        d = judge_compare(own, k, &j->want[k], &j->out[k], j->f);
        tolerance_of(&j->want[k], j->f, own != NULL, &rtol, &atol);
    }
    job_keep_worst(j, k, &d);
    if (!d.bad) return OK;
    difference_show(&j->want[k], &j->out[k], k, d.index, text);
    if (!tensor_is_float(tensor_real(j->out[k].type)))
        snprintf(bound, sizeof bound, "integers within %lld", j->f->int_atol);
    else if (own)
        snprintf(bound, sizeof bound, "rtol %g, atol %g, and beyond %g, which the module's own rounding allows", rtol,
            atol, d.bound);
    else
        snprintf(bound, sizeof bound, "rtol %g, atol %g", rtol, atol);
    return fail(DIFFERS, "%s: %zu of %zu elements of out%u differ from %s (%s); the worst is %s", j->path, d.bad,
        tensor_count(&j->out[k]), k, with, bound, text);
}
/* The line that says: compared with what, how much, how far off, how long. */
static void job_verdict(const job *j, const char *with) {
    size_t elements = 0;
    uint32_t k;
    if (j->f->quiet || j->f->summary) return;
    for (k = 0; k < j->n_out; k++) elements += tensor_count(&j->out[k]);
    fprintf(stderr, "%s: right: %zu element%s in %u result%s as %s has them", j->path, elements,
        elements == 1 ? "" : "s", j->n_out, j->n_out == 1 ? "" : "s", with);
    if (j->worst.error > 0)
        fprintf(stderr, ", worst error %.3g (%.3g ulp, %s)", j->worst.error, j->worst_ulp, j->worst_at);
    else
        fprintf(stderr, ", bit for bit or equal by value");
    if (j->worst.bound > 0)
        fprintf(stderr, ", within %.3g as the module's own rounding against float64 allows", j->worst.bound);
    else if (j->worst.error > 0 && j->worst.excess > 0)
        fprintf(stderr, ", within %.3g as %s allow", j->worst.error / j->worst.excess,
            j->f->set[FLAG_rtol] || j->f->set[FLAG_atol] ? "--rtol and --atol" : "numbers of its type");
    fprintf(stderr, "; ran in %.2f ms\n", j->run_s * 1e3);
}
static int job_compare(job *j, const char *with) {
    uint32_t k;
    int rc = OK;
    for (k = 0; k < j->n_out; k++) rc = worse(rc, job_compare_one(j, k, with));
    if (!rc) job_verdict(j, with);
    return rc;
}

static int job_check(job *j) {
    const char *reference = j->f->reference_platform;
    tensor_gaps none = {NULL, NULL};
    int rc;
    if (j->f->expect) {
        rc = tensors_load(j->want, j->n_want, &j->f->expect, 1, "out", "result", &none);
        if (!rc) rc = tensors_trim(j->want, &j->n_want);
        return rc ? rc : job_compare(j, j->f->expect);
    }
    if (!j->module && !reference && !j->f->quiet && !j->f->summary)
        fprintf(stderr,
            "%s: ran in %.2f ms; compared with nothing: an executable has no HLO to evaluate (--expect=R.npz)\n",
            j->path, j->run_s * 1e3);
    if (!j->module || (reference && !*reference)) return OK;
    if (j->snapshot && job_snapshot(j, true) == XLAGPU_OK) {
        rc = tensors_trim(j->want, &j->n_want);
        return rc ? rc : job_compare(j, "the snapshot");
    }
    if (is_platform(j->f, "interpreter") && !job_devices(j)) return OK;
    rc = job_evaluate(j, j->want, 0);
    if (!rc) rc = tensors_trim(j->want, &j->n_want);
    if (!rc && j->f->print_literals) {
        printf("\n** Result with reference runner Interpreter **\n");
        tensors_print(j->want, j->n_want);
    }
    return rc ? rc : job_compare(j, "the evaluator");
}

static void job_stats(job *j) {
    uint32_t n = j->program ? xlagpu_rt_stats(j->program, NULL, 0) : 0, k;
    xlagpu_kernel_stats *s = (xlagpu_kernel_stats *)calloc((size_t)n + 1, sizeof *s);
    stats_head();
    if (s && j->program) {
        xlagpu_rt_stats(j->program, s, n);
        for (k = 0; k < n; k++) stats_line(&s[k]);
    }
    free(s);
    stats_loops(&j->lines);
    if (j->program) printf("evaluator_ops\t0\n"); /* a device runs kernels, copies and fills only */
    if (j->module && job_devices(j) && !j->program)
        printf("collectives\t%u\nbytes_sent\t%.0f\n", j->sent.collectives, j->sent.bytes);
}

/* ---- the readable report ---- */

static void summary_rate(double amount, const char *what) {
    static const char *const units[] = {"", " thousand", " million", " billion", " trillion"};
    int k = 0;
    while (amount >= 1000 && k < 4) {
        amount /= 1000;
        k++;
    }
    printf("%.3g%s %s", amount, units[k], what);
}
static void summary_shape(const uint32_t n[3]) {
    printf("%u", n[0]);
    if (n[1] > 1 || n[2] > 1) printf("x%u", n[1]);
    if (n[2] > 1) printf("x%u", n[2]);
}
static void summary_kernels(const job *j) {
    enum {
        SHOWN = 8
    };
    xlagpu_rt_kernel k;
    uint32_t n = xlagpu_rt_kernel_count(j->program), i;
    for (i = 0; i < n && i < SHOWN && xlagpu_rt_kernel_info(j->program, i, &k); i++) {
        printf("%-14s%s: grid ", i ? "" : "launch", k.name);
        summary_shape(k.grid);
        printf(", block ");
        summary_shape(k.block);
        if (k.shared_bytes) printf(", %u bytes of shared memory", k.shared_bytes);
        putchar('\n');
    }
    if (n > SHOWN) printf("%-14s... and %u more (xlagpu compile %s --emit=thunks)\n", "", n - SHOWN, j->path);
}

static void job_summary(const job *j) {
    xlagpu_report r;
    size_t elements = 0;
    uint32_t k;
    for (k = 0; k < j->n_out; k++) elements += tensor_count(&j->out[k]);
    printf("module        %s\n", j->path);
    if (j->device)
        printf("device        %s (%s), compiled for %s\n", xlagpu_rt_name(j->device), xlagpu_rt_platform(j->device),
            j->program ? xlagpu_rt_program_target(j->program) : "nothing");
    if (j->module && xlagpu_compile_report(j->module, &r)) {
        printf("compile       %.2f ms, HLO text to PTX\n", j->compile_s * 1e3);
        printf("program       %u kernel%s, %u cop%s, %llu bytes of temporary memory, at least %llu are needed\n",
            r.kernels, r.kernels == 1 ? "" : "s", r.copies, r.copies == 1 ? "y" : "ies",
            (unsigned long long)r.temp_bytes, (unsigned long long)r.largest_live);
        printf("PTX           %u instructions, %llu bytes of text\n", r.instructions, (unsigned long long)r.ptx_bytes);
    }
    if (j->program) printf("load          %.2f ms, PTX to what runs\n", j->load_s * 1e3);
    if (j->program) summary_kernels(j);
    printf("run           %.2f ms, ", j->run_s * 1e3);
    summary_rate(j->run_s > 0 ? (double)elements / j->run_s : 0, "elements of the result a second\n");
    if (j->worst_at[0])
        printf("worst error   %.3g%s%s\n", j->worst.error, j->worst.error > 0 ? "   " : " (equal everywhere)",
            j->worst.error > 0 ? j->worst_at : "");
    if (!j->module) return;
    printf("look next     xlagpu compile %s --emit=ptx       the kernel\n", j->path);
    printf("              xlagpu run %s --v=5 2>&1 | less    every step from HLO to PTX\n", j->path);
    printf("              xlagpu run %s --stats              what the simulator counted\n", j->path);
}

/* ---- one file ---- */

/* The simulator is thousands of times slower than a GPU: say so before, not after. */
static void job_warn(const job *j) {
    enum {
        PER_SECOND = 1000000000,
        LONG = 10
    }; /* instructions of single threads that one worker runs */
    xlagpu_bytes ptx = xlagpu_executable_ptx(j->exe);
    const char *threads = strchr(xlagpu_rt_name(j->device), ','); /* "PTX simulator, 8 threads" */
    double work, s, workers = threads ? strtod(threads + 1, NULL) : 1;
    if (strcmp(xlagpu_rt_platform(j->device), "host") != 0 || !ptx.data) return;
    work = estimate_instructions(j->program, (const char *)ptx.data, ptx.size);
    s = work / PER_SECOND / workers * (double)(j->f->repeat > 1 ? j->f->repeat : 1);
    if (s < LONG) return;
    fail(0, "%s: note: about %.2g instructions of single threads to simulate: this may take %.0f %s%s", j->path, work,
        s < 120 ? s : s / 60, s < 120 ? "seconds" : "minutes",
        j->module ? "; --platform=interpreter evaluates without kernels" : "");
}

static int job_run(job *j) {
    int rc;
    bool executable;
    j->text = file_read(j->path, &j->text_n);
    if (!j->text) return unreadable(j->path);
    executable = j->text_n >= 6 && memcmp(j->text, "xlagpu", 6) == 0 &&
                 (j->text_n == 6 || j->text[6] < ' '); /* a damaged one too: the loader says how */
    if (!executable) {
        j->module = module_parse(j->context, j->f, j->path, j->text, j->text_n);
        if (!j->module) return fail_in(j->path, xlagpu_error_status(j->context), xlagpu_error(j->context));
        if (is_platform(j->f, "interpreter")) {
            double t;
            if ((rc = job_shapes(j)) || (rc = job_inputs(j))) return rc;
            t = seconds();
            rc = job_evaluate(j, j->out, job_devices(j));
            j->run_s = seconds() - t;
            return rc;
        }
        if ((rc = job_open(j)) || (rc = job_compile(j)) || (rc = job_load(j))) return rc;
    } else {
        if (is_platform(j->f, "interpreter"))
            return fail(BAD, "%s: error: the interpreter runs HLO text, not executables", j->path);
        if (j->f->viewer)
            return fail(BAD, "%s: error: --viewer shows how HLO becomes kernels: this is an executable", j->path);
        j->exe.data = j->text;
        j->exe.size = j->text_n;
        if ((rc = job_open(j)) || (rc = job_load(j))) return rc;
    }
    if ((rc = job_shapes(j)) || (rc = job_inputs(j))) return rc;
    job_warn(j);
    return job_execute(j);
}

static void job_close(job *j) {
    if (j->clique)
        xlagpu_rt_clique_close(j->clique);
    else
        xlagpu_rt_close(j->device);
    j->clique = NULL;
    j->device = NULL;
    j->program = NULL;
}

/* The headings are those of XLA's run_hlo_module. */
static void job_print(const job *j) {
    uint32_t k;
    const char *platform = j->device ? xlagpu_rt_platform(j->device) : j->processes > 1 ? "cuda" : "interpreter";
    for (k = 0; k < j->n_in; k++) {
        printf("\n** Argument %u **\n", k);
        tensors_print(&j->in[k], 1);
    }
    printf("\n** Result with test runner %s **\n", strcmp(platform, "cuda") == 0   ? "CUDA"
                                                   : strcmp(platform, "host") == 0 ? "Host"
                                                                                   : "Interpreter");
    tensors_print(j->out, j->n_out);
}

static int run_one(const flag_values *f, int file) {
    job j;
    xlagpu_context_desc desc;
    int rc, check;
    memset(&j, 0, sizeof j);
    memset(&desc, 0, sizeof desc);
    desc.memory_limit = (size_t)f->compiler_memory_limit;
    j.f = f;
    j.file = file;
    j.path = f->files[file];
    j.context = xlagpu_create(&desc);
    rc = j.context ? job_run(&j) : fail(DEVICE, "xlagpu: error: out of memory");
    if (!rc) rc = tensors_trim(j.out, &j.n_out);
    f = j.f;                            /* which of several processes it is has become known */
    if (j.processes > 1) job_close(&j); /* the others need not wait until the results have been looked at */
    if (!rc && f->print_literals) job_print(&j);
    if (!rc && f->save_args) rc = arrays_write(j.in, j.n_in, "arg", f->save_args);
    if (!rc && f->out) rc = arrays_write(j.out, j.n_out, "out", f->out);
    if (!rc) {
        check = job_check(&j);
        if (f->stats) job_stats(&j);
        if (f->summary) job_summary(&j);
        rc = check;
    }
    arrays_free(j.in, j.n_in);
    arrays_free(j.out, j.n_out);
    arrays_free(j.want, j.n_want);
    judge_free(j.judge);
    if (j.dump.viewer) rc = worse(rc, viewer_write(j.dump.viewer, rc && rc != BAD ? NULL : f->viewer, &j.dump));
    dump_end(&j.dump);
    progress_end(&j.progress);
    job_close(&j);
    xlagpu_destroy(j.context);
    free(j.text);
    return rc;
}

/* What needs no file to be wrong. */
static int check_flags(const flag_values *f) {
    static const char *const platforms[] = {"auto", "cuda", "gpu", "host", "llvm-cpu", "interpreter"};
    const char *reference = f->reference_platform;
    size_t k;
    if (!f->n_files) return fail(BAD, "xlagpu: error: 'run' needs a file");
    for (k = 0; k < sizeof platforms / sizeof platforms[0]; k++)
        if (is_platform(f, platforms[k])) break;
    if (k == sizeof platforms / sizeof platforms[0])
        return fail(BAD,
            "xlagpu: error: no platform is called '%s'; there are auto, cuda, host (the simulator), llvm-cpu and "
            "interpreter",
            f->platform);
    if (reference && *reference && strcmp(reference, "interpreter") != 0 && strcmp(reference, "default") != 0)
        return fail(BAD, "xlagpu: error: --reference_platform is 'interpreter' or ''; it was '%s'", reference);
    if (f->devices > 1 << 16) return fail(BAD, "xlagpu: error: --devices=%lld are too many", f->devices);
    if (f->devices > 1 && (f->profile || f->trace))
        return fail(BAD, "xlagpu: error: --profile and --trace are of one device, not of --devices=%lld", f->devices);
    if (f->viewer && (f->devices > 1 || f->n_files > 1 || is_platform(f, "interpreter")))
        return fail(BAD, "xlagpu: error: --viewer shows one module, compiled for one device");
    if (f->n_files > 1 && (f->out || f->save_args))
        return fail(BAD, "xlagpu: error: the %s of %d modules cannot go into one file",
            f->out ? "results" : "arguments", f->n_files);
    if (f->out && strcmp(f->out, "-") == 0 && (f->stats || f->summary || f->profile))
        return fail(
            BAD, "xlagpu: error: --out - writes to standard output, and so would --stats, --summary or --profile");
    return OK;
}

int verb_run(const flag_values *f) {
    int k, rc = check_flags(f);
    for (k = 0; k < f->n_files && rc != BAD; k++) rc = worse(rc, run_one(f, k));
    return rc;
}
