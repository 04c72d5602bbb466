/* tools/tune.c -- the verb tune: which form makes each kernel fastest?
 *
 * The module is compiled, and each of its kernels becomes a module of its own. From the record that the compiler chose
 * the search goes on to neighbours, as long as one is faster: a number of the form or of the block doubled or halved,
 * with the rest as it is or left to the compiler, and the other ways that the compiler had considered (of emitters:
 * the loop). A neighbour that the compiler cannot obey does not count, nor does a kernel that does not compile or run
 * alone; both are counted in what is said. Kernels that take longest come first; each gets its share of the time that
 * is left. What is faster is written as records that --tuned=FILE reads (src/choice/tuned.c).
 *
 * Times are those of a GPU (least of several runs), of the simulator's counts under the model of time, or of the model
 * alone, which needs nothing but the compiler. */
#include "tool.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NUMBERS = 8,       /* of one item of a form */
    ITEMS = 16,        /* of a form */
    WAYS = 8,          /* that the compiler had considered */
    TRIED_MAX = 512,   /* forms of a kernel */
    SECONDS = 60,      /* without --seconds */
    RUNS = 20,         /* on a GPU, beside the first */
    WORTH_PERMILLE = 5 /* that a form has to be faster, by the model; of a measured time four times as much */
};

/* ---- forms ---- */

typedef struct item {
    char name[32], word[32]; /* word: instead of numbers */
    long long v[NUMBERS];
    uint32_t n;
    bool list;
} item;
typedef struct form {
    char kind[16], way[32];
    item items[ITEMS];
    uint32_t n;
    item block;
    char ways[WAYS][32];
    uint32_t n_ways;
} form;

/* A string in quotes; NULL: there is none. */
static const char *read_string(const char *p, char out[32]) {
    size_t n;
    if (!p || *p != '"') return NULL;
    n = strcspn(++p, "\"");
    if (!p[n] || n > 31) return NULL;
    memcpy(out, p, n);
    out[n] = 0;
    return p + n + 1;
}
static bool read_number(const char *text, long long *v) {
    char *end;
    *v = strtoll(text, &end, 10);
    return *text && !*end;
}
/* "name":"8" or "name":["8","16"]; NULL: it is none. */
static const char *read_item(const char *p, item *i) {
    char text[32];
    memset(i, 0, sizeof *i);
    p = read_string(p, i->name);
    if (!p || *p++ != ':') return NULL;
    i->list = *p == '[';
    if (!i->list) {
        p = read_string(p, text);
        if (p && read_number(text, &i->v[0]))
            i->n = 1;
        else
            memcpy(i->word, text, sizeof i->word);
        return p;
    }
    for (p++; p && *p == '"'; p += p && *p == ',')
        if ((p = read_string(p, text)) == NULL || i->n == NUMBERS || !read_number(text, &i->v[i->n++])) return NULL;
    return p && *p == ']' ? p + 1 : NULL;
}
/* The members of an object by that key; false: one is no item. */
static bool read_items(const char *record, const char *key, item *items, uint32_t most, uint32_t *n) {
    const char *p = strstr(record, key);
    *n = 0;
    if (!p) return true;
    for (p += strlen(key); *p == '"'; p += *p == ',') {
        if (*n == most || (p = read_item(p, &items[*n])) == NULL) return false;
        ++*n;
    }
    return *p == '}';
}
static bool form_read(form *f, const char *record) {
    const char *block = strstr(record, "\"block\":[");
    item ways[WAYS], way;
    uint32_t k;
    memset(f, 0, sizeof *f);
    if (!read_item(record + 1, &way)) return false;
    snprintf(f->kind, sizeof f->kind, "%.15s", way.name);
    memcpy(f->way, way.word, sizeof f->way);
    if (!read_items(record, "\"form\":{", f->items, ITEMS, &f->n)) return false;
    if (!read_items(record, "\"estimates\":{", ways, WAYS, &f->n_ways)) return false;
    for (k = 0; k < f->n_ways; k++) memcpy(f->ways[k], ways[k].name, sizeof f->ways[k]);
    return !block || read_item(block, &f->block) != NULL;
}

typedef struct text {
    char p[1024];
    size_t n;
} text;
static void put(text *t, const char *s) {
    size_t n = strlen(s), room = sizeof t->p - 1 - t->n;
    if (n > room) n = room;
    memcpy(t->p + t->n, s, n);
    t->p[t->n += n] = 0;
}
static void put_item(text *t, const item *i) {
    char number[32];
    uint32_t k;
    put(t, "\"");
    put(t, i->name);
    put(t, i->list ? "\":[" : "\":");
    for (k = 0; k < i->n; k++) {
        snprintf(number, sizeof number, "%s\"%lld\"", k ? "," : "", i->v[k]);
        put(t, number);
    }
    if (!i->n && !i->list) {
        put(t, "\"");
        put(t, i->word);
        put(t, "\"");
    }
    put(t, i->list ? "]" : "");
}
/* only: that item of the form alone, by number; -1: all of them; ITEMS: none. */
static void form_write(text *t, const form *f, int only, bool block) {
    bool some = false;
    uint32_t k;
    t->n = 0;
    put(t, "{\"");
    put(t, f->kind);
    put(t, "\":\"");
    put(t, f->way);
    put(t, "\"");
    for (k = 0; k < f->n; k++) {
        if (only != -1 && only != (int)k) continue;
        put(t, some ? "," : ",\"form\":{");
        put_item(t, &f->items[k]);
        some = true;
    }
    put(t, some ? "}" : "");
    if (block) {
        put(t, ",\"launch\":{");
        put_item(t, &f->block);
        put(t, "}");
    }
}

/* ---- one kernel ---- */

typedef struct kernel {
    char name[256], key[20], part[40];
    char *record, *alone; /* malloc'ed; alone: its module */
    double before, best;  /* seconds */
    text found;           /* the record of the best, without its end; empty: the compiler's */
    uint32_t tried, obeyed;
} kernel;
typedef struct tuning {
    const flag_values *f;
    xlagpu_device *device; /* NULL: by the model */
    bool measured;         /* on a GPU */
    char *module, *records;
    bool no_memory;
    kernel *kernels;
    uint32_t n;
    double until;
    /* the kernel that is tried: */
    source source;
    tensor *in, *out;
    uint32_t n_in, n_out;
    char (*tried)[1024];
    uint32_t n_tried;
    bool obeyed;
} tuning;

static void keep_text(tuning *t, char **to, const char *p, size_t n) {
    free(*to);
    *to = text_copy(p, n);
    t->no_memory = t->no_memory || !*to;
}
static void take_module(void *user, const char *stage, const char *p, size_t n) {
    tuning *t = (tuning *)user;
    if (strcmp(stage, "hlo/after_optimizations") == 0) keep_text(t, &t->module, p, n);
    if (strcmp(stage, "records") == 0) keep_text(t, &t->records, p, n);
}
/* The word that the advice carries stands in the record if it was obeyed. */
static const char trial[] = "on trial";
static void take_obedience(void *user, const char *stage, const char *p, size_t n) {
    (void)n;
    if (strcmp(stage, "records") == 0) ((tuning *)user)->obeyed = strstr(p, trial) != NULL;
}

static void describe(tuning *t, const source *s, dump_state *d, xlagpu_compile_desc *c) {
    xlagpu_target_desc target;
    if (t->device) (void)xlagpu_rt_target_desc(t->device, &target);
    dump_begin(d, t->f, s->path, 0, NULL);
    dump_describe(d, s->module, t->measured ? &target : NULL, c);
    c->print_records = true;
    c->dump_user = t;
}

static double time_on_device(tuning *t, xlagpu_bytes exe) {
    xlagpu_program *p = xlagpu_rt_load(t->device, exe.data, exe.size);
    xlagpu_execution *e = p ? xlagpu_rt_prepare(p) : NULL;
    xlagpu_rt_tensor *in = (xlagpu_rt_tensor *)calloc((size_t)t->n_in + 1, sizeof *in),
                     *out = (xlagpu_rt_tensor *)calloc((size_t)t->n_out + 1, sizeof *out);
    uint32_t runs = t->measured ? RUNS : 1, steps = 0, n = 0, k, j;
    const xlagpu_rt_event *events = NULL;
    uint64_t dropped;
    double best = HUGE_VAL;
    bool ok = e && in && out;
    for (k = 0; ok && k < t->n_in; k++) {
        in[k].data = t->in[k].data;
        in[k].bytes = t->in[k].bytes;
    }
    for (k = 0; ok && k < t->n_out; k++) {
        out[k].data = t->out[k].data;
        out[k].bytes = t->out[k].bytes;
    }
    if (ok && t->measured) ok = xlagpu_rt_run_with(e, in, t->n_in, out, t->n_out) == XLAGPU_OK;
    if (ok) ok = xlagpu_rt_profile(e, 1 << 12) == XLAGPU_OK;
    for (k = 0; ok && k < runs; k++) ok = xlagpu_rt_run_with(e, in, t->n_in, out, t->n_out) == XLAGPU_OK;
    if (ok) events = xlagpu_rt_profile_events(e, &n, &dropped);
    steps = n / runs;
    for (k = 0; ok && steps && k < runs; k++) {
        double s = 0;
        for (j = 0; j < steps; j++) s += t->measured ? events[k * steps + j].seconds : events[k * steps + j].predicted;
        if (s < best) best = s;
    }
    free(in);
    free(out);
    xlagpu_rt_finish(e);
    if (p) xlagpu_rt_unload(p);
    return best;
}
/* record: advice, or NULL. HUGE_VAL: it cannot be obeyed, or does not run. */
static double time_of(tuning *t, const kernel *k, const char *record) {
    xlagpu_compile_desc c;
    xlagpu_report report;
    xlagpu_bytes exe;
    dump_state d;
    char advice[1200];
    double s = HUGE_VAL;
    describe(t, &t->source, &d, &c);
    if (record) {
        snprintf(advice, sizeof advice, "%s \"%s\" %s,\"why\":\"%s\"}\n", k->key, k->part, record, trial);
        c.tuned = advice;
        c.tuned_size = strlen(advice);
    }
    c.dump = take_obedience;
    c.predict_times = !t->device;
    t->obeyed = false;
    exe = xlagpu_compile(t->source.module, &c);
    if (exe.data && (t->obeyed || !record)) {
        if (t->device)
            s = time_on_device(t, exe);
        else if (xlagpu_compile_report(t->source.module, &report) && report.predicted_ns)
            s = (double)report.predicted_ns * 1e-9;
    }
    dump_end(&d);
    return s;
}

static bool is_new(tuning *t, const char *record) {
    uint32_t k;
    for (k = 0; k < t->n_tried; k++)
        if (strcmp(t->tried[k], record) == 0) return false;
    if (t->n_tried == TRIED_MAX) return false;
    snprintf(t->tried[t->n_tried++], sizeof *t->tried, "%s", record);
    return true;
}
/* True: it is the best now. */
static bool try_form(tuning *t, kernel *k, const text *record, double until) {
    double s, worth = 1 - WORTH_PERMILLE * (t->measured ? 4 : 1) * 1e-3;
    if (seconds() > until || !is_new(t, record->p)) return false;
    s = time_of(t, k, record->p);
    k->tried++;
    k->obeyed += s != HUGE_VAL;
    if (!(s < k->best * worth)) return false;
    k->best = s;
    k->found = *record;
    return true;
}
static bool try_item(tuning *t, kernel *k, const form *f, const item *i, int only, double until) {
    text record;
    form_write(&record, f, only, i == &f->block);
    if (try_form(t, k, &record, until)) return true;
    form_write(&record, f, -1, i == &f->block);
    return try_form(t, k, &record, until);
}
/* A number of an item doubled or halved, or one doubled and another one halved. */
static bool try_numbers(tuning *t, kernel *k, const form *f, item *i, int only, double until) {
    const item was = *i;
    uint32_t up, down; /* i->n: none */
    for (up = 0; up <= i->n; up++)
        for (down = 0; down <= i->n; down++) {
            *i = was;
            if (up == down || (down < i->n && was.v[down] % 2)) continue;
            if (up < i->n) i->v[up] *= 2;
            if (down < i->n) i->v[down] /= 2;
            if ((up == i->n || i->v[up] < INT32_MAX) && try_item(t, k, f, i, only, until)) return true;
        }
    *i = was;
    return false;
}
static bool try_neighbours(tuning *t, kernel *k, form *f, double until) {
    uint32_t i;
    text record;
    for (i = 0; i < f->n; i++)
        if (try_numbers(t, k, f, &f->items[i], (int)i, until)) return true;
    if (f->block.n && try_numbers(t, k, f, &f->block, ITEMS, until)) return true;
    for (i = 0; i < f->n_ways; i++) {
        form other;
        memset(&other, 0, sizeof other);
        snprintf(other.kind, sizeof other.kind, "%s", strcmp(f->ways[i], "emitter") == 0 ? "emitter" : "rule");
        snprintf(other.way, sizeof other.way, "%s", strcmp(f->ways[i], "emitter") == 0 ? "loop" : f->ways[i]);
        form_write(&record, &other, ITEMS, false);
        if (strcmp(other.way, f->way) != 0 && try_form(t, k, &record, until)) return true;
    }
    return false;
}
static int kernel_open(tuning *t, const kernel *k) {
    uint64_t seed = 1;
    uint32_t i;
    int rc = source_text(&t->source, t->f, k->name, k->alone);
    if (rc) return rc;
    if (!t->device) return OK;
    t->n_in = xlagpu_parameter_count(t->source.module);
    t->n_out = xlagpu_result_count(t->source.module);
    t->in = arrays_new(t->source.module, false, t->n_in);
    t->out = arrays_new(t->source.module, true, t->n_out);
    if (!t->in || !t->out) return fail(DEVICE, "xlagpu: error: out of memory");
    for (i = 0; i < t->n_in; i++) tensor_random(&t->in[i], &seed);
    return OK;
}
static void kernel_close(tuning *t) {
    arrays_free(t->in, t->n_in);
    arrays_free(t->out, t->n_out);
    t->in = t->out = NULL;
    t->n_in = t->n_out = 0;
    source_close(&t->source);
}
static void measure(tuning *t, kernel *k) {
    k->before = HUGE_VAL;
    if (kernel_open(t, k) == OK) k->before = time_of(t, k, NULL);
    k->best = k->before;
    kernel_close(t);
}
static void search(tuning *t, kernel *k, double until) {
    form f;
    t->n_tried = 0;
    if (kernel_open(t, k) == OK && form_read(&f, k->record)) {
        bool open = f.n > 0 || f.block.n > 0 || f.n_ways > 1;
        while (open && try_neighbours(t, k, &f, until)) {
            form was = f;
            text whole = k->found;
            put(&whole, "}");
            if (!form_read(&f, whole.p)) break;
            memcpy(f.ways, was.ways, sizeof f.ways);
            f.n_ways = was.n_ways;
            if (!f.block.n && strcmp(f.way, was.way) == 0) f.block = was.block;
        }
    }
    kernel_close(t);
}

/* ---- one module ---- */

static bool kernel_read(tuning *t, const char *comment, const char *line, kernel *k) {
    const char *record = strchr(line, '{');
    size_t n = strcspn(comment, ":\n"), end = strcspn(line, "\n");
    memset(k, 0, sizeof *k);
    if (n >= sizeof k->name || !record || sscanf(line, "%19s \"%39[^\"]\"", k->key, k->part) != 2) return false;
    memcpy(k->name, comment, n);
    k->record = text_copy(record, end - (size_t)(record - line));
    k->alone = hlo_fusion_alone(t->module, k->name);
    return k->record && k->alone;
}
/* "# name: ..." in front of each record */
static int kernels_read(tuning *t) {
    const char *p = t->records;
    uint32_t cap = 0;
    for (; *p; p += strcspn(p, "\n") + 1) cap++;
    t->kernels = (kernel *)calloc((size_t)cap + 1, sizeof *t->kernels);
    if (!t->kernels) return fail(DEVICE, "xlagpu: error: out of memory");
    for (p = t->records; *p == '#';) {
        const char *line = p + strcspn(p, "\n") + 1;
        if (kernel_read(t, p + 2, line, &t->kernels[t->n]))
            t->n++;
        else {
            free(t->kernels[t->n].record);
            free(t->kernels[t->n].alone);
        }
        p = line + strcspn(line, "\n") + 1;
    }
    return OK;
}
static int by_time(const void *a, const void *b) {
    const kernel *x = (const kernel *)a, *y = (const kernel *)b;
    if (x->before != y->before) return x->before > y->before ? -1 : 1;
    return strcmp(x->name, y->name);
}
static int module_compile(tuning *t, const char *path) {
    xlagpu_compile_desc c;
    dump_state d;
    source s;
    int rc = source_open(&s, t->f, path);
    if (!rc) rc = source_parse(&s);
    if (!rc) {
        describe(t, &s, &d, &c);
        rc = dump_texts(&d, &c);
        c.dump = take_module;
        compiling_begin(path);
        if (!rc && !xlagpu_compile(s.module, &c).data) rc = source_failed(&s);
        compiling_end();
        dump_end(&d);
    }
    source_close(&s);
    if (!rc && (t->no_memory || !t->module || !t->records)) rc = fail(DEVICE, "xlagpu: error: out of memory");
    return rc;
}
static void kernel_write(const tuning *t, const kernel *k, FILE *to) {
    fprintf(to, "# %s: %u forms tried, %u obeyed\n%s \"%s\" %s,\"why\":\"tuned: %.2f us, %.2f before, by %s\"}\n",
        k->name, k->tried, k->obeyed, k->key, k->part, k->found.p, k->best * 1e6, k->before * 1e6,
        t->measured ? "measurement"
        : t->device ? "the simulator"
                    : "the model");
}
static int module_tune(tuning *t, const char *path, FILE *to) {
    double before = 0, after = 0;
    uint32_t k, better = 0, tried = 0, obeyed = 0, alone = 0;
    int rc = module_compile(t, path);
    if (!rc) rc = kernels_read(t);
    for (k = 0; !rc && k < t->n; k++) measure(t, &t->kernels[k]);
    if (!rc && t->n > 1) qsort(t->kernels, t->n, sizeof *t->kernels, by_time);
    for (k = 0; !rc && k < t->n; k++) {
        kernel *one = &t->kernels[k];
        double now = seconds();
        if (one->before == HUGE_VAL) continue;
        alone++;
        search(t, one, now + (t->until - now) * 2 / (double)(t->n - k + 1));
        before += one->before;
        after += one->best;
        tried += one->tried;
        obeyed += one->obeyed;
        if (!one->found.n) continue;
        better++;
        kernel_write(t, one, to);
    }
    if (!rc && !t->f->quiet)
        fprintf(stderr,
            "%s: %u kernel%s, each once: %.2f us; %u of %u forms could be obeyed, %u kernel%s faster: %.2f us\n", path,
            alone, alone == 1 ? "" : "s", before * 1e6, obeyed, tried, better, better == 1 ? "" : "s", after * 1e6);
    if (!rc && alone < t->n)
        fprintf(stderr, "%s: %u kernel%s not compile or run alone, and keep%s the form they have\n", path, t->n - alone,
            t->n - alone == 1 ? " does" : "s do", t->n - alone == 1 ? "s" : "");
    for (k = 0; k < t->n; k++) {
        free(t->kernels[k].record);
        free(t->kernels[k].alone);
    }
    free(t->kernels);
    t->kernels = NULL;
    t->n = 0;
    return rc;
}

/* Without a GPU, and without --platform=host, the model says the times. */
static int device_open(tuning *t) {
    const char *p = t->f->platform ? t->f->platform : "auto";
    bool must = strcmp(p, "auto") != 0;
    xlagpu_device_desc d;
    if (strcmp(p, "model") == 0) return OK;
    if (strcmp(p, "interpreter") == 0)
        return fail(
            BAD, "xlagpu: error: --platform=interpreter runs no kernels; tune takes auto, cuda, host and model");
    memset(&d, 0, sizeof d);
    d.platform = !must || strcmp(p, "gpu") == 0 ? "cuda" : p;
    d.part = t->f->gpu;
    d.predict = true;
    d.no_command_buffers = true;
    if (xlagpu_rt_open(&d, &t->device) != XLAGPU_OK) {
        int rc = must ? fail(DEVICE, "xlagpu: error: %s", xlagpu_rt_error(t->device)) : OK;
        xlagpu_rt_close(t->device);
        t->device = NULL;
        return rc;
    }
    t->measured = strcmp(xlagpu_rt_platform(t->device), "cuda") == 0;
    return OK;
}
int verb_tune(const flag_values *f) {
    bool standard = !f->o || strcmp(f->o, "-") == 0;
    FILE *to = stdout;
    tuning t;
    int rc, k;
    if (!f->n_files) return fail(BAD, "xlagpu: error: 'tune' needs a module");
    memset(&t, 0, sizeof t);
    t.f = f;
    t.until = seconds() + (f->set[FLAG_seconds] ? f->seconds : SECONDS);
    t.tried = (char(*)[1024])malloc(sizeof *t.tried * TRIED_MAX);
    rc = t.tried ? device_open(&t) : fail(DEVICE, "xlagpu: error: out of memory");
    if (!rc && !standard && (to = fopen(f->o, "w")) == NULL) rc = unwritable(f->o);
    for (k = 0; !rc && k < f->n_files; k++) rc = module_tune(&t, f->files[k], to);
    if (to && (standard ? fflush(to) : fclose(to)) != 0 && !rc) rc = unwritable(standard ? "standard output" : f->o);
    free(t.tried);
    free(t.module);
    free(t.records);
    xlagpu_rt_close(t.device);
    return rc;
}
