/* tools/subject.c -- a module that is evaluated and compared: its text, arguments for it, its results. What run,
 * compile, bisect and diff share. */
#include "tool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- sources ---- */

/* All of --shard, joined by semicolons; malloc. */
static char *joined_shardings(const flag_values *f) {
    size_t n = 1;
    char *all;
    int k;
    for (k = 0; k < f->n_shard; k++) n += strlen(f->shard[k]) + 1;
    all = (char *)calloc(n, 1);
    for (k = 0; all && k < f->n_shard; k++) {
        if (k) strcat(all, ";");
        strcat(all, f->shard[k]);
    }
    return all;
}
/* What goes to the compiler as XLA's flags: thresholds, of which it takes nine digits. */
static const char *thresholds(const flag_values *f, char text[512]) {
    const struct {
        const char *kind;
        long long bytes;
    } rows[] = {{"all_reduce", f->combine_all_reduce}, {"all_gather", f->combine_all_gather},
        {"reduce_scatter", f->combine_reduce_scatter}};
    size_t k, n = 0;
    for (k = 0; k < sizeof rows / sizeof *rows; k++)
        if (rows[k].bytes > 0)
            n += (size_t)snprintf(text + n, 512 - n, " --xla_gpu_%s_combine_threshold_bytes=%lld", rows[k].kind,
                rows[k].bytes < 999999999 ? rows[k].bytes : 999999999);
    return n ? text : NULL;
}
xlagpu_module *module_parse(xlagpu_context *c, const flag_values *f, const char *path, const void *text, size_t n) {
    xlagpu_parse_desc d;
    xlagpu_module *m;
    char *shardings = joined_shardings(f), flags[512];
    memset(&d, 0, sizeof d);
    d.name = path;
    d.text = (const char *)text;
    d.size = n;
    d.dims = f->dims;
    d.allow_tf32 = f->allow_tf32;
    d.placement.replicas = (uint32_t)f->replicas;
    d.placement.partitions = (uint32_t)f->num_partitions;
    d.placement.mesh = f->mesh;
    d.placement.shardings = shardings;
    d.placement.batch = f->auto_shard;
    d.flags = thresholds(f, flags);
    m = xlagpu_parse_with(c, &d);
    free(shardings);
    return m;
}

static int source_create(source *s, const flag_values *f, const char *path) {
    xlagpu_context_desc d;
    memset(s, 0, sizeof *s);
    memset(&d, 0, sizeof d);
    d.memory_limit = (size_t)f->compiler_memory_limit;
    s->path = path;
    s->f = f;
    s->context = xlagpu_create(&d);
    return s->context ? OK : fail(DEVICE, "xlagpu: error: out of memory");
}
int source_open(source *s, const flag_values *f, const char *path) {
    int rc = source_create(s, f, path);
    if (rc) return rc;
    s->text = file_read(path, &s->n);
    return s->text ? OK : unreadable(path);
}
int source_text(source *s, const flag_values *f, const char *name, const char *text) {
    int rc = source_create(s, f, name);
    if (rc) return rc;
    s->n = strlen(text);
    s->text = (unsigned char *)malloc(s->n + 1);
    if (!s->text) return fail(DEVICE, "xlagpu: error: out of memory");
    memcpy(s->text, text, s->n + 1);
    s->module = xlagpu_parse(s->context, name, text, s->n);
    return s->module ? OK : code_of(xlagpu_error_status(s->context));
}
int source_failed(const source *s) {
    return fail_in(s->path, xlagpu_error_status(s->context), xlagpu_error(s->context));
}
int source_parse(source *s) {
    double begin = seconds();
    xlagpu_module_destroy(s->module);
    s->module = module_parse(s->context, s->f, s->path, s->text, s->n);
    s->parse_time = seconds() - begin;
    s->is_fresh = s->module != NULL;
    return s->is_fresh ? OK : source_failed(s);
}
void source_close(source *s) {
    free(s->text);
    xlagpu_destroy(s->context);
    memset(s, 0, sizeof *s);
}

int put_ptx(const flag_values *f, xlagpu_context *c, xlagpu_module *m, xlagpu_bytes *exe) {
    xlagpu_bytes ptx;
    unsigned char *text;
    size_t n = 0;
    int rc = OK;
    if (!f->ptx_file) return OK;
    text = file_read(f->ptx_file, &n);
    if (!text) return unreadable(f->ptx_file);
    ptx.data = text; /* file_read puts a NUL behind it */
    ptx.size = n + 1;
    *exe = xlagpu_attach_ptx(m, *exe, ptx);
    if (!exe->data) rc = fail_in(f->ptx_file, xlagpu_error_status(c), xlagpu_error(c));
    free(text);
    return rc;
}

/* ---- arrays ---- */

void arrays_free(tensor *t, uint32_t n) {
    uint32_t k;
    for (k = 0; t && k < n; k++) tensor_release(&t[k]);
    free(t);
}
tensor *arrays_new(const xlagpu_module *m, bool results, uint32_t n) {
    tensor *t = (tensor *)calloc((size_t)n + 1, sizeof *t);
    xlagpu_value_info v;
    uint32_t k;
    for (k = 0; t && k < n; k++) {
        if (results)
            xlagpu_result_info(m, k, &v);
        else
            xlagpu_parameter_info(m, k, &v);
        t[k].type = v.type;
        t[k].rank = v.rank;
        t[k].dims = v.dims;
        t[k].bytes = v.bytes;
        t[k].size_of = v.size_of;
        t[k].name = results ? NULL : v.name;
        t[k].data = (unsigned char *)calloc(v.bytes + 1, 1);
        if (!t[k].data) {
            arrays_free(t, n);
            return NULL;
        }
    }
    return t;
}
int arrays_fill(tensor *in, uint32_t n, const flag_values *f, uint64_t seed) {
    uint32_t k;
    tensor_gaps gaps = {NULL, NULL};
    if (f->fill_args) gaps.seed = &seed;
    if (f->n_args) return tensors_load(in, n, f->args, f->n_args, "arg", "parameter", &gaps);
    for (k = 0; k < n; k++) tensor_random(&in[k], &seed);
    return OK;
}
int arrays_write(const tensor *t, uint32_t n, const char *prefix, const char *path) {
    npy_array *a = (npy_array *)calloc((size_t)n + 1, sizeof *a);
    char error[256], (*names)[24] = (char(*)[24])calloc((size_t)n + 1, sizeof *names);
    uint32_t k, count = 0;
    bool ok;
    if (!a || !names) {
        free(a);
        free(names);
        return fail(DEVICE, "xlagpu: error: out of memory");
    }
    for (k = 0; k < n; k++)
        if (!t[k].size_of) {
            snprintf(names[count], sizeof names[count], "%s%u", prefix, count);
            tensor_array(&t[k], names[count], &a[count]);
            count++;
        }
    ok = npz_write(path, a, count, error);
    free(a);
    free(names);
    return ok ? OK : fail(BAD, "%s", error);
}

/* ---- subjects ---- */

int subject_begin(subject *s, const flag_values *f) {
    s->f = f;
    s->n_in = xlagpu_parameter_count(s->source.module);
    s->n_out = xlagpu_result_count(s->source.module);
    s->in = arrays_new(s->source.module, false, s->n_in);
    return s->in ? OK : fail(DEVICE, "xlagpu: error: out of memory");
}
int subject_open(subject *s, const flag_values *f, const char *path) {
    int rc;
    memset(s, 0, sizeof *s);
    rc = source_open(&s->source, f, path);
    if (!rc) rc = source_parse(&s->source);
    return rc ? rc : subject_begin(s, f);
}
int subject_text(subject *s, const flag_values *f, const char *name, const char *text) {
    int rc;
    memset(s, 0, sizeof *s);
    rc = source_text(&s->source, f, name, text);
    return rc ? rc : subject_begin(s, f);
}
/* The results are those of other arguments from now on. */
void subject_forget(subject *s) {
    arrays_free(s->out, s->n_shown);
    judge_free(s->judge);
    s->out = NULL;
    s->judge = NULL;
    s->judged = false;
}
void subject_close(subject *s) {
    subject_forget(s);
    arrays_free(s->in, s->n_in);
    source_close(&s->source);
}
xlagpu_status subject_evaluate(subject *s, const tensor *in) {
    xlagpu_tensor *a = (xlagpu_tensor *)calloc((size_t)s->n_in + 1, sizeof *a),
                  *r = (xlagpu_tensor *)calloc((size_t)s->n_out + 1, sizeof *r);
    xlagpu_status status = XLAGPU_ERROR_MEMORY;
    uint32_t k;
    subject_forget(s);
    s->n_shown = s->n_out;
    s->out = arrays_new(s->source.module, true, s->n_out);
    for (k = 0; a && k < s->n_in; k++) {
        a[k].data = in[k].data;
        a[k].bytes = in[k].bytes;
    }
    for (k = 0; r && s->out && k < s->n_out; k++) {
        r[k].data = s->out[k].data;
        r[k].bytes = s->out[k].bytes;
    }
    if (a && r && s->out) status = xlagpu_evaluate(s->source.module, a, s->n_in, r, s->n_out, s->f->fill_elided);
    free(a);
    free(r);
    if (status == XLAGPU_OK && tensors_trim(s->out, &s->n_shown)) status = XLAGPU_ERROR_MEMORY;
    return status;
}
/* The module's own rounding; NULL where the flags say a tolerance, or sizes of dimensions are values. */
static const judge *subject_judge(subject *s) {
    const source *m = &s->source;
    bool fixed = !s->f->set[FLAG_rtol] && !s->f->set[FLAG_atol] && s->n_shown == s->n_out;
    uint32_t k;
    for (k = 0; k < s->n_in; k++) fixed = fixed && !s->in[k].size_of;
    if (!s->judged && fixed) s->judge = judge_new(m->module, m->path, s->in, s->n_in, s->n_out, s->f->fill_elided);
    s->judged = true;
    return s->judge;
}
bool subject_agrees(subject *s, const tensor *got, uint32_t n, char why[700]) {
    uint32_t k;
    *why = 0;
    if (n != s->n_shown) {
        snprintf(why, 700, "%u results instead of %u", n, s->n_shown);
        return false;
    }
    for (k = 0; k < n; k++) {
        const tensor *want = &s->out[k];
        double rtol, atol;
        difference d;
        if (!tensor_same_shape(want, &got[k])) {
            snprintf(why, 700, "out%u has other sizes", k);
            return false;
        }
        tolerance_of(want, s->f, true, &rtol, &atol);
        d = tensor_compare(want, &got[k], rtol, atol);
        if (d.bad) d = judge_compare(subject_judge(s), k, want, &got[k], s->f);
        if (!d.bad) continue;
        snprintf(why, 700, "%zu of %zu elements of out%u; the worst is ", d.bad, tensor_count(want), k);
        difference_show(want, &got[k], k, d.index, why + strlen(why));
        return false;
    }
    return true;
}
