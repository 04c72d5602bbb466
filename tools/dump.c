/* tools/dump.c -- what the compiler says while it works: files named as XLA names its dumps, --v=5 on stderr, one stage
 * kept for --emit. */
#include "tool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <direct.h>
#define make_dir(p) _mkdir(p)
#else
#if defined(__TINYC__) && !defined(_REGEX_NELTS)
#define _REGEX_NELTS(n) /* glibc sizes a parameter by one that stands before it; tcc does not take that */
#endif
#include <regex.h>
#include <sys/stat.h>
#define make_dir(p) mkdir((p), 0777)
#endif

/* Does a pass name match the pattern, anywhere in it? Without <regex.h>: substrings and .*, alternatives by |. */
static bool pass_matches(const char *re, const char *name) {
#ifdef _WIN32
    char part[128];
    for (; *re; re += strcspn(re, "|") + (re[strcspn(re, "|")] == '|')) {
        size_t n = strcspn(re, "|");
        if (n >= sizeof part) continue;
        memcpy(part, re, n);
        part[n] = 0;
        if (strcmp(part, ".*") == 0 || strstr(name, part)) return true;
    }
    return false;
#else
    regex_t r;
    bool found = false;
    if (regcomp(&r, re, REG_EXTENDED | REG_NOSUB)) return false;
    found = regexec(&r, name, 0, NULL, 0) == 0;
    regfree(&r);
    return found;
#endif
}

static void check_pattern(const char *re) {
#ifndef _WIN32
    regex_t r;
    if (regcomp(&r, re, REG_EXTENDED | REG_NOSUB) == 0)
        regfree(&r);
    else
        fail(0, "xlagpu: warning: --xla_dump_hlo_pass_re=%s is no regular expression: no pass matches", re);
#else
    (void)re;
#endif
}

static bool begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }
static bool ends(const char *text, const char *with) {
    size_t n = strlen(text), m = strlen(with);
    return n >= m && strcmp(text + n - m, with) == 0;
}

/* The pass of "hlo/<phase>.after_<pass>.before_<next>", written to out. */
static const char *pass_of(const char *stage, char out[400]) {
    const char *from = strstr(stage, ".after_"), *to = from ? strstr(from, ".before_") : NULL;
    snprintf(out, 400, "%.*s", to ? (int)(to - from - 7) : 0, from ? from + 7 : "");
    return out;
}

/* The rest of a stage's file name; false: it is not written. */
static bool suffix_of(dump_state *d, const char *stage, char out[400]) {
    static const char *const rows[][2] = {{"hlo/after_optimizations", "after_optimizations.txt"},
        {"buffer-assignment", "after_optimizations-buffer-assignment.txt"}};
    size_t k;
    char *p;
    for (k = 0; k < sizeof rows / sizeof rows[0]; k++)
        if (strcmp(stage, rows[k][0]) == 0) {
            snprintf(out, 400, "%s_gpu_%s", d->target, rows[k][1]);
            return true;
        }
    if (strcmp(stage, "hlo/before_optimizations") == 0)
        snprintf(out, 400, "before_optimizations.txt");
    else if (strcmp(stage, "thunk_sequence") == 0)
        snprintf(out, 400, "thunk_sequence.txt");
    else if (strcmp(stage, "indexing") == 0)
        snprintf(out, 400, "indexing_maps.txt");
    else if (strcmp(stage, "plan") == 0)
        snprintf(out, 400, "planned_module.txt");
    else if (strcmp(stage, "ptx") == 0)
        snprintf(out, 400, "ptx");
    else if (strcmp(stage, "fusion_log") == 0)
        snprintf(out, 400, "fusion_log.txt");
    else if (strcmp(stage, "propagation_log") == 0)
        snprintf(out, 400, "propagation_log.txt");
    else if (strcmp(stage, "pass_report") == 0)
        snprintf(out, 400, "pass_report.txt");
    else if (begins(stage, "hlo/")) {
        if (!d->f->dump_pass_re || !pass_matches(d->f->dump_pass_re, pass_of(stage, out))) return false;
        snprintf(out, 400, "%04d.%s.txt", d->number++, stage + 4);
    } else {
        snprintf(out, 400, "%s.%s", stage + (begins(stage, "kir/") ? 4 : 0), begins(stage, "nest/") ? "txt" : "mlir");
        for (p = out; *p; p++)
            if (*p == '/') *p = '.';
    }
    return true;
}

/* A folder that is missing fails for every stage: the first failure is reported, and no other file is tried. */
static void dump_file(dump_state *d, const char *suffix, const char *text, size_t n) {
    char path[1600];
    FILE *out;
    bool ok;
    if (d->unwritable) return;
    if ((size_t)snprintf(path, sizeof path, "%s/module_%04d.%s.%s", d->f->dump_to, d->file, d->module, suffix) >=
        sizeof path)
        return;
    out = fopen(path, "wb");
    ok = out && fwrite(text, 1, n, out) == n;
    if (out && fclose(out) != 0) ok = false;
    d->unwritable = !ok;
    if (!ok) fail(0, "xlagpu: warning: %s cannot be written: %s; --xla_dump_to stops here", path, why_unwritable());
}

static bool is_wanted(const dump_state *d, const char *stage) {
    if (!d->want) return false;
    return strcmp(d->want, "ir") == 0 ? begins(stage, "kir/") && ends(stage, "/final") : strcmp(stage, d->want) == 0;
}

static void dump(void *user, const char *stage, const char *text, size_t n) {
    dump_state *d = (dump_state *)user;
    char suffix[400];
    if (is_wanted(d, stage)) {
        char *more = (char *)realloc(d->wanted, d->wanted_n + n + 1);
        if (!more) exit(fail(DEVICE, "xlagpu: error: out of memory")); /* half a text is worse than none */
        memcpy(more + d->wanted_n, text, n);
        d->wanted = more;
        d->wanted_n += n;
        more[d->wanted_n] = 0;
    }
    if (d->viewer) viewer_add(d->viewer, stage, text, n);
    if (begins(stage, "ir_lines/") || begins(stage, "ptx_lines/")) return; /* numbers alone */
    if (d->f->v >= 5) fprintf(stderr, "// -----// %s //----- //\n%s\n", stage, text);
    if (d->f->dump_to && suffix_of(d, stage, suffix)) dump_file(d, suffix, text, n);
}

/* With the folders around it, as XLA does. */
static void make_folders(const char *path) {
    char part[1600];
    size_t k;
    for (k = 1; path[k - 1] && k < sizeof part; k++) {
        if (path[k] && path[k] != '/') continue;
        memcpy(part, path, k);
        part[k] = 0;
        (void)make_dir(part); /* one that is there already is as good */
    }
}
void dump_begin(dump_state *d, const flag_values *f, const char *path, int file, const char *want) {
    const char *base = strrchr(path, '/');
    char *dot;
    memset(d, 0, sizeof *d);
    d->f = f;
    d->want = want;
    d->file = file;
    snprintf(d->base, sizeof d->base, "%s", strcmp(path, "-") == 0 ? "stdin" : base ? base + 1 : path);
    dot = strrchr(d->base, '.');
    if (dot && dot != d->base) *dot = 0;
    if (f->dump_to) make_folders(f->dump_to);
    if (f->dump_pass_re && !file) check_pattern(f->dump_pass_re);
}

xlagpu_target_desc dump_target(const flag_values *f, const xlagpu_module *m, const xlagpu_target_desc *device) {
    xlagpu_target_desc t, of_gpu;
    memset(&t, 0, sizeof t);
    t.name = f->target;
    t.part = f->gpu;
    if (f->gpu && !f->target && xlagpu_target_describe(f->gpu, &of_gpu)) t.name = of_gpu.name;
    if (f->target || f->gpu) return t;
    if (device) return *device;
    if (xlagpu_module_target(m, &t)) return t;
    t.name = "sm_90a";
    return t;
}

void dump_describe(dump_state *d, const xlagpu_module *m, const xlagpu_target_desc *target, xlagpu_compile_desc *c) {
    const flag_values *f = d->f;
    const char *name;
    size_t n;
    char *p;
    memset(c, 0, sizeof *c);
    c->target = dump_target(f, m, target);
    c->disable_all_passes = f->disable_all;
    c->disable_passes = f->disable;
    if (d->file == 0) note_unknown_passes(f->disable);
    c->fill_elided_constants = f->fill_elided;
    c->ftz = f->ftz;
    c->deterministic_ops = f->deterministic;
    c->allow_excess_precision = f->excess_precision;
    c->double_buffer_loops = f->double_buffering;
    c->no_command_buffers = f->no_command_buffers;
    c->memory_limit = (uint64_t)f->memory_limit;
    c->command_buffer_least = (uint32_t)f->command_buffer_least;
    c->command_buffer_control = f->command_buffer_control;
    c->backend = f->backend;
    c->libraries = f->libraries;
    c->devices = (uint32_t)f->devices;
    c->machine_devices = (uint32_t)f->machine_devices;
    c->print_schedules = d->want && strcmp(d->want, "schedule") == 0;
    c->print_records = d->want && strcmp(d->want, "records") == 0;
    if (!c->backend && d->want && strncmp(d->want, "llvm/", 5) == 0)
        c->backend = strcmp(d->want, "llvm/before") == 0 ? "llvm-ir" : "llvm";
    if ((d->want && *d->want) || f->dump_to || f->v >= 5 || d->viewer) {
        c->dump = dump;
        c->dump_user = d;
    }
    d->device = c->target;
    (void)xlagpu_target_describe(d->device.part ? d->device.part : d->device.name, &d->device);
    snprintf(d->module, sizeof d->module, "%s", xlagpu_module_name(m));
    for (p = d->module; *p; p++)
        if (*p == '/') *p = '_';
    name = c->target.name ? c->target.name : "";
    n = strspn(name, "sm_"); /* sm_90a: sm_9.0 as XLA writes it */
    for (p = d->target; name[n] >= '0' && name[n] <= '9' && p < d->target + sizeof d->target - 2; n++) *p++ = name[n];
    *p = 0;
    if (p > d->target) {
        char digits[16];
        memcpy(digits, d->target, sizeof digits);
        snprintf(d->target, sizeof d->target, "sm_%.*s.%c", (int)(strlen(digits) - 1 < 8 ? strlen(digits) - 1 : 8),
            digits, digits[strlen(digits) - 1]);
    }
}
/* path NULL: there is none. */
static int dump_read(const char *path, char **kept, const char **text, size_t *n) {
    if (!path) return OK;
    free(*kept);
    *kept = (char *)file_read(path, n);
    *text = *kept;
    return *kept ? OK : unreadable(path);
}
int dump_texts(dump_state *d, xlagpu_compile_desc *c) {
    const char *libdevice = NULL;
    int bad;
    c->schedule_name = d->f->schedule;
    c->tuned_name = d->f->tuned;
    bad = dump_read(d->f->libdevice, &d->libdevice, &libdevice, &c->libdevice_size);
    c->libdevice = libdevice;
    bad = worse(bad, dump_read(d->f->schedule, &d->schedule, &c->schedule, &c->schedule_size));
    return worse(bad, dump_read(d->f->tuned, &d->tuned, &c->tuned, &c->tuned_size));
}
void dump_end(dump_state *d) {
    free(d->schedule);
    free(d->tuned);
    free(d->libdevice);
    d->schedule = d->tuned = d->libdevice = NULL;
    free(d->wanted);
    d->wanted = NULL;
}
