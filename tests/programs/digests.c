/* tests/programs/digests.c -- has anything changed of what the compiler makes? A table of digests says it.
 *
 *     digests [--write] [--show] [--stop] [--only WORDS] [--medleys COUNT] [--choices COUNT] [--functions] [--forms]
 *             [--table FILE] FILES...
 *
 * FILES are modules, or text tests, whose inputs are taken where they are modules. Each goes the whole way, for a
 * target and by options that a digest of its text draws. A line of the table is a file, ten of the random modules of
 * medley.h, ten of sweep.h that ask which kernels are chosen, an elementwise operation in all types, or fifty PTX
 * statements of tests/text/sim/forms.list. Of each kind there are draws that tests/seeds.txt names, too: lines
 * "varied:" are modules in which something is changed, for some device, by some options, and compiled again as their
 * records or schedules say, changed as well. A line has a digest of each stage:
 *
 *     read   what the reader says: the message, or the module printed again, also in XLA's long form
 *     forms  the module as a proto and as StableHLO, and what the readers of these make of them
 *     hlo    the module after each HLO pass that changed it (of files that are modules)
 *     kir    the kernels' IR after each pass, the lines of their operations (of files that are modules)
 *     llvm   the kernels as LLVM IR (of files that are modules)
 *     costs  what the compiler estimates, of each way that it compares, not only of those that it takes (XG_ESTIMATED)
 *     plan   estimates of time, figures of the report; records, buffers, thunks (these of files that are modules)
 *     ptx    the kernels; the message, where the compiler refuses
 *     exe    the executable, which has the optimised module inside
 *     runs   where the arrays are small: results, and what the simulator counted, by kernel and by line; of statements
 *            what they make of registers (their records are `read`)
 *     value  there, too: what the evaluator makes of the same arguments, and of any bits
 *     other  the executable with libraries, and that of two devices
 *     again  executables for other devices, by other options
 *     hurt   what the reader says where one thing is damaged, or the module printed again (of files that are modules)
 *     loads  what the loader says of the executable where something is damaged
 *
 * It is a detector of changes and proves nothing right: a change that is meant is accepted by writing the table anew
 * (./build.sh digests), and the diff says how far it reached. --show prints the digests module by module, which
 * tells two builds' differences apart; --stop ends at the first difference. Folded constants and estimates come of the
 * C library, too: another one may want a table of its own. Ends with "N passed, N failed". */
#include <stddef.h>
#include <stdint.h>
#define XG_ARENA_FENCES
static void estimated(const void *data, size_t n);
#define XG_ESTIMATED(object) estimated(&(object), sizeof(object))
#include "../../src/xlagpu.h"
#include "../../src/xlagpu_runtime.h"
#include "expect.h"
#include "medley.h"
#include "sweep.h"
#include "forms.h"
#include "hurt.h"
#include "loads.h"
#include "table.h"
#ifdef REACH
#include "reach.h"
#endif
#include "../../tools/npz.c" /* file_read */

enum {
    RANDOM_A_LINE = 10,
    FORMS_A_LINE = 50,
    FORMS = 4000,            /* of tests/text/sim/forms.list */
    MEDLEY_MOST = 600,       /* elements of an array */
    RUN_BYTES = 16 << 10,    /* of arguments and results of what is run */
    RUN_THREADS = 1 << 14,   /* of all launches of what is run */
    RUN_SUM = 1024,          /* terms of a sum in what is run */
    MODULE_BYTES = 64 << 10, /* of a text in a text test: longer ones are slow, and no richer */
    LEAVES = 64,
    HURT = 24,      /* damaged texts of a module */
    KEPT = 1 << 17, /* bytes of records or schedules */
    LOADS = 4,      /* damaged executables of a module */
    MODULES = 1000, /* of a text test */
    LINES = 4000
};
#define STAGES(X) \
    X(read) \
    X(forms) X(hlo) X(kir) X(llvm) X(costs) X(plan) X(ptx) X(exe) X(runs) X(value) X(other) X(again) X(hurt) X(loads)
enum {
#define X(name) STAGE_##name,
    STAGES(X)
#undef X
    STAGE_COUNT
};
static const char *const stage_names[] = {
#define X(name) #name,
    STAGES(X)
#undef X
};
typedef struct digests {
    uint64_t of[STAGE_COUNT];
    bool whole;  /* a module of its own file: every stage */
    bool split;  /* on two devices, too */
    bool varied; /* a module that is changed: on any part, with its records */
} digests;

/* ---- digests ---- */

static void add(uint64_t *h, const void *data, size_t n) {
    const unsigned char *p = (const unsigned char *)data;
    uint64_t word;
    *h = (*h ^ n) * UINT64_C(0x9E3779B97F4A7C15);
    for (; n >= sizeof word; n -= sizeof word, p += sizeof word) {
        memcpy(&word, p, sizeof word);
        *h = (*h ^ word) * UINT64_C(0xBF58476D1CE4E5B9);
        *h ^= *h >> 29;
    }
    for (; n; n--, p++) *h = (*h ^ *p) * UINT64_C(0x94D049BB133111EB);
    *h ^= *h >> 32;
}
static uint64_t estimates; /* since they were put into a digest */
static void estimated(const void *data, size_t n) { add(&estimates, data, n); }
static void add_estimates(digests *d) {
    if (estimates) add(&d->of[STAGE_costs], &estimates, sizeof estimates);
    estimates = 0;
}
static void add_bytes(digests *d, int stage, xlagpu_bytes bytes) {
    if (bytes.data) add(&d->of[stage], bytes.data, bytes.size);
}
/* What it says, and where. */
static void add_refusal(digests *d, int stage, const xlagpu_context *c) {
    const char *said = xlagpu_error(c);
    add(&d->of[stage], said, strlen(said));
}

/* ---- one module ---- */

/* What says how the kernels of a varied module are made: the second compilation is given it, changed. */
static struct {
    char records[KEPT], schedules[KEPT], given[4 * KEPT + 256];
    size_t n_records, n_schedules, n_given;
} kept;
static size_t keep_text(char *to, const char *text, size_t n) {
    if (n >= KEPT) return 0;
    memcpy(to, text, n + 1);
    return n;
}
static void on_dump(void *user, const char *stage, const char *text, size_t n) {
    digests *d = (digests *)user;
    int to = strncmp(stage, "hlo/", 4) == 0      ? STAGE_hlo
             : strncmp(stage, "llvm", 4) == 0    ? STAGE_llvm
             : strncmp(stage, "kir", 3) == 0     ? STAGE_kir
             : strncmp(stage, "ir_", 3) == 0     ? STAGE_kir
             : strcmp(stage, "pass_report") == 0 ? STAGE_COUNT /* it has times in it */
             : strncmp(stage, "ptx", 3) == 0     ? STAGE_ptx
                                                 : STAGE_plan;
    if (d->varied && strcmp(stage, "records") == 0) kept.n_records = keep_text(kept.records, text, n);
    if (d->varied && strcmp(stage, "schedule") == 0) kept.n_schedules = keep_text(kept.schedules, text, n);
    if (to < STAGE_COUNT) add(&d->of[to], text, n);
}
static const char *const targets[] = {"sm_75", "sm_80", "sm_89", "sm_90a", "sm_90a", "sm_100a", "sm_120a"};
/* Others: large and small memory, links or none, many multiprocessors or few. */
static const char *const parts[] = {
    "T4", "A100 80GB", "RTX 3090", "Orin", "RTX 4070 Ti SUPER", "H100 PCIe", "H200", "B300", "Thor", "GB10"};
enum {
    PARTS = sizeof parts / sizeof *parts
};
static void draw_options(uint64_t drawn, xlagpu_compile_desc *o) {
    memset(o, 0, sizeof *o);
    o->target.name = targets[drawn % (sizeof targets / sizeof *targets)];
    o->fill_elided_constants = o->keep_hlo = o->predict_times = true;
    o->command_buffer_control = drawn >> 8 & 1;
    o->command_buffer_least = (uint32_t)(drawn >> 9 & 3);
    o->double_buffer_loops = (drawn >> 11 & 3) == 0;
    o->deterministic_ops = (drawn >> 13 & 7) == 0;
    o->allow_excess_precision = (drawn >> 16 & 7) == 0;
    o->ftz = (drawn >> 19 & 7) == 0;
    o->disable_all_passes = (drawn >> 22 & 15) == 0;
}

typedef struct memory {
    xlagpu_rt_tensor leaf[LEAVES];
    uint32_t n;
} memory;
/* Small whole numbers for the leaves; false: they are too many or too large. */
static bool take(xlagpu_module *m, bool results, memory *v) {
    xlagpu_value_info info;
    size_t all = 0, size, k;
    uint32_t n = results ? xlagpu_result_count(m) : xlagpu_parameter_count(m);
    for (v->n = 0; v->n < n && v->n < LEAVES; v->n++) {
        if (!(results ? xlagpu_result_info : xlagpu_parameter_info)(m, v->n, &info) || info.bytes > RUN_BYTES - all)
            break;
        all += info.bytes;
        size = xlagpu_type_bytes(info.type);
        v->leaf[v->n].bytes = info.bytes;
        v->leaf[v->n].data = calloc(info.bytes + 1, 1);
        for (k = 0; !results && size && k < info.bytes / size; k++)
            xlagpu_set_element(info.type, (char *)v->leaf[v->n].data + k * size, (double)(k * 5 % 4));
    }
    return v->n == n;
}
/* Bits of any kind, and of each second element a number of a moderate size. */
static void fill(xlagpu_type t, char *p, size_t bytes, medley *g) {
    size_t size = (size_t)xlagpu_type_bytes(t), k;
    int bits = xg_type_bits(t);
    for (k = 0; k < bytes; k++) p[k] = (char)draw(g, 256);
    for (k = 0; k < bytes / size; k++)
        if (k % 2 || bits < 8 || t == XLAGPU_PRED)
            xlagpu_set_element(t, p + k * size, (double)(draw(g, 64001) - 32000) / (t == XLAGPU_PRED ? 1 : 4000));
}
static void give(memory *v) {
    while (v->n) free(v->leaf[--v->n].data);
}
/* A NaN's bits may be the host's choice. */
static void add_values(uint64_t *h, xlagpu_type t, char *p, size_t bytes) {
    size_t size = (size_t)xlagpu_type_bytes(t), part = xg_type_class(t) & XGT_C ? size / 2 : size, k;
    for (k = 0; xg_type_class(t) & (XGT_F | XGT_C) && k + part <= bytes; k += part) {
        double v = xlagpu_get_element(t, p + k);
        if (v != v) memset(p + k, 255, part);
    }
    add(h, p, bytes);
}
static void add_results(digests *d, int stage, const xlagpu_module *m, const memory *v) {
    xlagpu_value_info info;
    uint32_t k;
    for (k = 0; k < v->n && xlagpu_result_info(m, k, &info); k++)
        add_values(&d->of[stage], info.type, (char *)v->leaf[k].data, v->leaf[k].bytes);
}
static digests *running; /* whose program the device runs */
static void on_line(void *user, const xlagpu_rt_line *l) {
    uint64_t is[] = {l->length, l->line, l->target, l->class_index, l->warps, l->lanes};
    add(&(*(digests **)user)->of[STAGE_runs], is, sizeof is);
}
static void run(digests *d, xlagpu_device *device, const xlagpu_module *m, xlagpu_bytes exe, memory *in, memory *out) {
    xlagpu_kernel_stats stats[32];
    xlagpu_program *p = xlagpu_rt_load(device, exe.data, exe.size);
    xlagpu_rt_kernel kernel;
    uint64_t threads = 0;
    uint32_t n, k;
    for (k = 0; p && xlagpu_rt_kernel_info(p, k, &kernel); k++)
        threads += (uint64_t)kernel.grid[0] * kernel.grid[1] * kernel.grid[2] * kernel.block[0] * kernel.block[1] *
                   kernel.block[2];
    if (threads > RUN_THREADS) {
        xlagpu_rt_unload(p);
        return;
    }
    if (p && xlagpu_rt_run(p, in->leaf, in->n, out->leaf, out->n) == XLAGPU_OK) {
        add_results(d, STAGE_runs, m, out);
        n = xlagpu_rt_stats(p, stats, 32);
        for (k = 0; k < n && k < 32; k++) {
            add(&d->of[STAGE_runs], stats[k].name, strlen(stats[k].name));
            stats[k].name = NULL;
            add(&d->of[STAGE_runs], &stats[k], sizeof stats[k]);
        }
    } else
        add(&d->of[STAGE_runs], xlagpu_rt_error(device), strlen(xlagpu_rt_error(device)));
    if (p) xlagpu_rt_unload(p);
}
/* What the evaluator makes of the same. */
static void evaluate(digests *d, xlagpu_context *c, xlagpu_module *m, const memory *in, memory *out) {
    xlagpu_tensor from[LEAVES], to[LEAVES];
    uint32_t k;
    for (k = 0; k < in->n; k++) from[k].data = in->leaf[k].data, from[k].bytes = in->leaf[k].bytes;
    for (k = 0; k < out->n; k++) to[k].data = out->leaf[k].data, to[k].bytes = out->leaf[k].bytes;
    if (xlagpu_evaluate(m, from, in->n, to, out->n, true) != XLAGPU_OK)
        add_refusal(d, STAGE_value, c);
    else
        add_results(d, STAGE_value, m, out);
}
/* Loops and windows that choose may be long. */
static bool may_evaluate(xlagpu_module *m, const char *text) {
    return !strstr(text, "while(") && !strstr(text, "select-and-scatter(") && !strstr(text, "feed(") &&
           xlagpu_module_devices(m) == 1 && xlagpu_longest_sum(m) <= RUN_SUM;
}
/* As the device and the evaluator do it; the evaluator also with any bits. */
static void compute(
    digests *d, xlagpu_context *c, xlagpu_device *device, xlagpu_module *m, xlagpu_bytes exe, const char *text) {
    static medley g;
    xlagpu_value_info info;
    memory in, out;
    uint32_t k;
    in.n = out.n = 0;
    if (may_evaluate(m, text) && take(m, false, &in) && take(m, true, &out)) {
        running = d;
        if (!strstr(text, "custom-call")) run(d, device, m, exe, &in, &out);
        evaluate(d, c, m, &in, &out);
        g.state = 1;
        for (k = 0; k < in.n && xlagpu_parameter_info(m, k, &info); k++)
            fill(info.type, (char *)in.leaf[k].data, in.leaf[k].bytes, &g);
        if (in.n && !strstr(text, "while")) evaluate(d, c, m, &in, &out); /* a loop might not end */
    }
    give(&in);
    give(&out);
}

/* What the report says: of time, memory, and what devices send. */
static void add_report(digests *d, const xlagpu_module *m) {
    xlagpu_report r;
    uint64_t is[] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    size_t k = 0;
    if (!xlagpu_compile_report(m, &r)) return;
    is[k++] = r.predicted_ns;
    is[k++] = r.links_ns;
    is[k++] = r.temp_bytes;
    is[k++] = r.total_bytes;
    is[k++] = r.largest_live;
    is[k++] = r.kernels;
    is[k++] = r.copies;
    is[k++] = r.collectives;
#define XLAGPU_X(name) is[8] = is[8] * 31 + r.name##_bytes;
    XLAGPU_COLLECTIVES(XLAGPU_X)
#undef XLAGPU_X
    add(&d->of[STAGE_plan], is, sizeof is);
}
/* Executables in which something is damaged. */
static void digest_loads(digests *d, xlagpu_bytes exe, uint64_t drawn) {
    static char said[4000];
    unsigned char *p = (unsigned char *)malloc(exe.size);
    int k;
    hurt_state = drawn;
    for (k = 0; k < LOADS; k++) {
        memcpy(p, exe.data, exe.size);
        if (!loads_damage(p, exe.size)) break;
        loads_say(p, exe.size, said, sizeof said);
        add(&d->of[STAGE_loads], said, strlen(said));
    }
    free(p);
}
static void compile(digests *d, xlagpu_context *c, xlagpu_module *m, xlagpu_compile_desc *o, int stage) {
    xlagpu_bytes exe = xlagpu_compile(m, o);
    add_bytes(d, stage, exe);
    if (exe.data) {
        add_report(d, m);
        if (xlagpu_module_devices(m) > 1) digest_loads(d, exe, exe.size);
    } else
        add_refusal(d, stage, c);
}
/* For other devices, by other options. */
static void compile_again(digests *d, xlagpu_context *c, xlagpu_module *m, uint64_t drawn) {
    xlagpu_compile_desc o;
    uint64_t k, n = d->whole ? PARTS / 3 : drawn % 3 == 0;
    for (k = 0; k < n; k++) {
        draw_options(drawn >> 5 ^ drawn << (7 + k), &o);
        o.target.name = NULL;
        o.target.part = parts[(drawn / 7 + 3 * k) % PARTS];
        compile(d, c, m, &o, STAGE_again);
    }
}
/* The module in another form, and that form read again. */
static void add_form(digests *d, xlagpu_context *c, xlagpu_module *m, xlagpu_format format) {
    xlagpu_bytes bytes = xlagpu_print_as(m, format);
    xlagpu_module *again = bytes.data ? xlagpu_parse(c, "form", (const char *)bytes.data, bytes.size) : NULL;
    add_bytes(d, STAGE_forms, bytes);
    if (again)
        add_bytes(d, STAGE_forms, xlagpu_print(again));
    else
        add_refusal(d, STAGE_forms, c);
    xlagpu_module_destroy(again);
}
/* For one of the parts; with libraries, little memory, one pass less, or with LLVM's form. */
static void vary_options(digests *d, uint64_t drawn, xlagpu_compile_desc *o) {
    uint32_t passes = 0;
    while (xlagpu_pass_name(passes)) passes++;
    o->target.name = NULL;
    o->target.part = parts[(drawn >> 26) % PARTS];
    o->dump = on_dump;
    o->dump_user = d;
    o->print_records = o->print_schedules = true;
    if ((drawn >> 32 & 3) == 0) o->libraries = "cublaslt,cufft,cusolver,cudnn,always";
    if ((drawn >> 34 & 3) == 0) o->disable_passes = xlagpu_pass_name((uint32_t)(drawn >> 36) % passes);
    if ((drawn >> 44 & 7) == 0) o->memory_limit = (uint64_t)1000 << (drawn >> 47 & 15);
    if ((drawn >> 51 & 3) == 0) o->backend = "llvm-ir";
    kept.n_records = kept.n_schedules = 0;
}
/* Once more, as the changed text of records or of schedules says. */
static void compile_as_said(digests *d, xlagpu_context *c, xlagpu_module *m, xlagpu_compile_desc *o, uint64_t drawn) {
    bool records = drawn >> 53 & 1;
    const char *text = records ? kept.records : kept.schedules;
    size_t n = records ? kept.n_records : kept.n_schedules;
    if (!n) return;
    hurt_state = drawn;
    hurt_tokens(text, (uint32_t)n, true);
    if (!hurt_n) return;
    kept.n_given = hurt_vary(text, n, kept.given);
    if (records) {
        o->tuned = kept.given;
        o->tuned_size = kept.n_given;
    } else {
        o->schedule = kept.given;
        o->schedule_size = kept.n_given;
    }
    o->disable_passes = NULL;
    compile(d, c, m, o, STAGE_again);
}
static void digest_module(digests *d, xlagpu_context *c, xlagpu_device *device, const char *text, uint64_t drawn) {
    xlagpu_module *m = xlagpu_parse(c, "module", text, strlen(text));
    xlagpu_compile_desc o;
    xlagpu_bytes exe;
    if (!m) {
        add_refusal(d, STAGE_read, c);
        return;
    }
    add_bytes(d, STAGE_read, xlagpu_print(m));
    if (drawn % 3 == 0 || d->whole) {
        add_bytes(d, STAGE_read, xlagpu_print_as(m, XLAGPU_FORMAT_HLO_LONG));
        add_form(d, c, m, XLAGPU_FORMAT_PROTO);
        add_form(d, c, m, XLAGPU_FORMAT_STABLEHLO);
    }
    draw_options(drawn, &o);
    if (d->whole) {
        o.dump = on_dump;
        o.dump_user = d;
        o.print_schedules = o.print_records = true;
        o.backend = "llvm-ir";
    }
    if (d->varied) vary_options(d, drawn, &o);
    exe = xlagpu_compile(m, &o);
    if (!exe.data) {
        add_refusal(d, STAGE_ptx, c);
        return;
    }
    add_bytes(d, STAGE_ptx, xlagpu_executable_ptx(exe));
    add_bytes(d, STAGE_exe, exe);
    add_report(d, m);
    if (d->whole) digest_loads(d, exe, drawn);
    compute(d, c, device, m, exe, text);
    if (d->varied)
        compile_as_said(d, c, m, &o, drawn);
    else
        compile_again(d, c, m, drawn);
    if (!d->whole) return;
    draw_options(drawn >> 3, &o);
    o.libraries = "cublaslt,cufft,cusolver,cudnn,always";
    compile(d, c, m, &o, STAGE_other);
}
/* Split along the batch: each device has its part. */
static void digest_two_devices(digests *d, xlagpu_context *c, const char *text, uint64_t drawn) {
    xlagpu_parse_desc p;
    xlagpu_compile_desc o;
    xlagpu_module *m;
    memset(&p, 0, sizeof p);
    p.text = text;
    p.size = strlen(text);
    p.placement.batch = "2";
    draw_options(drawn, &o);
    m = xlagpu_parse_with(c, &p);
    if (m)
        compile(d, c, m, &o, STAGE_other);
    else
        add_refusal(d, STAGE_other, c);
}
/* The text with one thing damaged, a few times. */
static void digest_hurt(digests *d, const char *text, uint64_t drawn) {
    size_t n = strlen(text), size;
    char *made = (char *)malloc(2 * n + 64);
    int k;
    hurt_tokens(text, (uint32_t)n, true);
    for (k = 0; k < HURT && hurt_n; k++) {
        xlagpu_context *c = xlagpu_create(NULL);
        xlagpu_module *m;
        hurt_state = drawn + (uint64_t)k;
        size = hurt(text, n, made, 17);
        m = xlagpu_parse(c, "module", made, size);
        if (m)
            add_bytes(d, STAGE_hurt, xlagpu_print(m));
        else
            add_refusal(d, STAGE_hurt, c);
        xlagpu_destroy(c);
    }
    free(made);
}
static void digest_text(digests *d, xlagpu_device *device, const char *text) {
    xlagpu_context_desc desc;
    xlagpu_context *c;
    uint64_t drawn = 1;
    memset(&desc, 0, sizeof desc);
    desc.memory_limit = (size_t)1 << 29;
    add(&drawn, text, strlen(text));
    c = xlagpu_create(&desc);
    digest_module(d, c, device, text, drawn);
    xlagpu_destroy(c);
    if (d->whole) digest_hurt(d, text, drawn);
    if (d->whole || d->split) {
        c = xlagpu_create(&desc);
        digest_two_devices(d, c, text, drawn);
        xlagpu_destroy(c);
    }
    add_estimates(d);
}

/* ---- lines ---- */

typedef struct line {
    char name[200], text[STAGE_COUNT * 16];
} line;
static line *table;
static int n_table, changed[STAGE_COUNT];
static bool show;

static void put_line(char *to, const digests *d) {
    int k;
    for (*to = 0, k = 0; k < STAGE_COUNT; k++)
        if (d->of[k]) sprintf(to + strlen(to), " %s=%06x", stage_names[k], (unsigned)(d->of[k] & 0xFFFFFF));
}
static const line *line_of(const char *name) {
    int k;
    for (k = 0; k < n_table; k++)
        if (strcmp(table[k].name, name) == 0) return &table[k];
    return NULL;
}
/* " ptx=012345" of a line; an empty text where it has none. */
static const char *field_of(const char *text, int stage, size_t *n) {
    char key[16];
    const char *at;
    sprintf(key, " %s=", stage_names[stage]);
    at = strstr(text, key);
    *n = at ? strcspn(at + 1, " ") + 1 : 0;
    return at ? at : "";
}
static void compare(const char *name, const char *is) {
    const line *was = line_of(name);
    char said[700] = "";
    int k;
    for (k = 0; was && k < STAGE_COUNT; k++) {
        size_t n, m;
        const char *a = field_of(was->text, k, &n), *b = field_of(is, k, &m);
        if (n == m && memcmp(a, b, n) == 0) continue;
        changed[k]++;
        sprintf(said + strlen(said), " %s", stage_names[k]);
    }
    if (!was)
        EXPECT_IN(false, (snprintf(said, sizeof said, "%s is not in the table", name), said));
    else {
        char text[1000];
        snprintf(text, sizeof text, "%s: changed in%s", name, said);
        EXPECT_IN(!*said, text);
    }
}
static FILE *writes;
static void finish_line(const char *name, const digests *d) {
    char text[STAGE_COUNT * 16];
    put_line(text, d);
    if (writes)
        fprintf(writes, "%s%s\n", name, text);
    else if (show)
        printf("%s%s\n", name, text);
    else
        compare(name, text);
}
static void read_table(const char *path) {
    size_t n;
    char *p = (char *)file_read(path, &n), *end;
    table = (line *)calloc(LINES, sizeof *table);
    for (; p && *p && n_table < LINES; p = end + 1) {
        size_t name = strcspn(p, " \n");
        end = p + strcspn(p, "\n");
        if (*p != '#' && name < sizeof table->name && (size_t)(end - p) - name < sizeof table->text) {
            memcpy(table[n_table].name, p, name);
            memcpy(table[n_table++].text, p + name, (size_t)(end - p) - name);
        }
        if (!*end) break;
    }
}

/* ---- files ---- */

static bool is_module(const char *text) {
    return strstr(text, "ENTRY") || strstr(text, "func.func") || strncmp(text, "HloModule", 9) == 0;
}
static void add_all(digests *d, const digests *alone) {
    int k;
    for (k = 0; k < STAGE_COUNT; k++)
        if (alone->of[k]) add(&d->of[k], &alone->of[k], sizeof alone->of[k]);
}
static void one(digests *d, xlagpu_device *device, const char *name, int number, const char *text) {
    digests alone;
    memset(&alone, 0, sizeof alone);
    alone.whole = d->whole;
    alone.split = d->split;
    digest_text(&alone, device, text);
    if (show) {
        char label[300];
        snprintf(label, sizeof label, "%s:%d", name, number);
        finish_line(label, &alone);
    }
    add_all(d, &alone);
}
static char *read_text(const char *path) {
    size_t n;
    unsigned char *bytes = file_read(path, &n);
    char *text = bytes ? (char *)realloc(bytes, n + 1) : NULL;
    if (!text) exit(2);
    text[n] = 0;
    return text;
}
/* The module as what a seed makes of it. */
static void vary_one(digests *d, xlagpu_device *device, const char *text, uint64_t seed) {
    size_t n = strlen(text);
    char *made = (char *)malloc(4 * n + 256);
    digests alone;
    hurt_state = seed;
    add(&hurt_state, text, n);
    hurt_tokens(text, (uint32_t)n, true);
    if (hurt_n) {
        made[hurt_vary(text, n, made)] = 0;
        memset(&alone, 0, sizeof alone);
        alone.varied = true;
        alone.split = seed % 8 == 0;
        digest_text(&alone, device, made);
        add_all(d, &alone);
    }
    free(made);
}
/* The modules of a file: of a text test the inputs of its cases, in a text that is cut into them. */
static int modules_of(const char *path, char *text, const char **to, int most) {
    char *at = text, *from, *end;
    int n = 0;
    if (!(strlen(path) > 4 && strcmp(path + strlen(path) - 4, ".txt") == 0)) {
        to[0] = text;
        return 1;
    }
    while (n < most && (at = strstr(at, "# run:")) != NULL) {
        from = at + strcspn(at, "\n");
        end = strstr(from, "\n----\n");
        if (!end) break;
        *end = 0;
        if (is_module(from) && end - from < MODULE_BYTES) to[n++] = from + 1;
        at = end + 1;
    }
    return n;
}
static void digest_varied(xlagpu_device *device, const char *path) {
    static draw_of chosen[SEEDS];
    static const char *modules[MODULES];
    char name[300], *text;
    digests d;
    int n = seeds_of("digests", path, chosen), count, k;
    if (!n) return;
    text = read_text(path);
    count = modules_of(path, text, modules, MODULES);
    memset(&d, 0, sizeof d);
    for (k = 0; k < n; k++)
        if (chosen[k].which < count) vary_one(&d, device, modules[chosen[k].which], chosen[k].seed);
    snprintf(name, sizeof name, "varied:%s", path);
    finish_line(name, &d);
    free(text);
}
static void digest_file(xlagpu_device *device, const char *path) {
    static const char *modules[MODULES];
    char *text = read_text(path);
    int n = modules_of(path, text, modules, MODULES), k;
    digests d;
    memset(&d, 0, sizeof d);
    d.whole = n == 1 && modules[0] == text;
    for (k = 0; k < n; k++) one(&d, device, path, k + 1, modules[k]);
    for (k = 0; k < STAGE_COUNT && !d.of[k]; k++) {}
    if (k < STAGE_COUNT) finish_line(path, &d);
    free(text);
    digest_varied(device, path);
}
static void digest_medley(digests *d, xlagpu_device *device, const char *name, uint64_t seed) {
    static medley g;
    make_medley(&g, seed, MEDLEY_MOST);
    one(d, device, name, (int)seed, g.whole);
}
/* Which kernels are chosen, by which estimates, on some device. */
static void digest_choice(digests *d, xlagpu_device *device, const char *name, uint64_t seed) {
    static const char *const libraries[] = {
        NULL, "cublaslt,cufft,cusolver,cudnn", "cublaslt,cufft,cusolver,cudnn,always"};
    static medley g;
    static sweep s;
    xlagpu_compile_desc o;
    xlagpu_context *c = xlagpu_create(NULL);
    xlagpu_module *m;
    (void)device, (void)name;
    make_sweep(&s, &g, seed);
    m = xlagpu_parse(c, "module", s.text, s.n);
    memset(&o, 0, sizeof o);
    o.target.part = parts[(seed * 7 / 16) % PARTS];
    o.dump = on_dump;
    o.dump_user = d;
    o.predict_times = o.print_schedules = o.print_records = true;
    o.libraries = libraries[seed % 3];
    if (m)
        compile(d, c, m, &o, STAGE_exe);
    else
        add_refusal(d, STAGE_read, c);
    if (show && !m) printf("%s%s\n", s.text, xlagpu_error(c));
    xlagpu_destroy(c);
    add_estimates(d);
}
typedef struct kind {
    const char *name;
    bool split;
    void (*digest)(digests *d, xlagpu_device *device, const char *name, uint64_t seed);
} kind;
static const kind medleys = {"medleys", true, digest_medley}, choices = {"choices", false, digest_choice};

/* Those numbered from 1 to `most`, then those of the seeds, ten a line. */
static void digest_kind(const table_flags *t, xlagpu_device *device, const kind *is, int most) {
    static draw_of chosen[SEEDS];
    int n = most ? seeds_of("digests", is->name, chosen) : 0, all = most / RANDOM_A_LINE * RANDOM_A_LINE + n, k, j;
    if (!strstr(is->name, t->only)) return;
    for (k = 0; k < all && !(t->stop && failed); k += RANDOM_A_LINE) {
        char name[60];
        digests d;
        bool drawn = k + RANDOM_A_LINE > most;
        memset(&d, 0, sizeof d);
        d.split = is->split;
        snprintf(name, sizeof name, "%s:%s%d-%d", is->name, drawn ? "seeds-" : "", drawn ? k - (all - n) + 1 : k + 1,
            (k + RANDOM_A_LINE < all ? k + RANDOM_A_LINE : all) - (drawn ? all - n : 0));
        for (j = k; j < k + RANDOM_A_LINE && j < all; j++)
            is->digest(&d, device, name, drawn ? chosen[j - (all - n)].seed : (uint64_t)j + 1);
        finish_line(name, &d);
    }
}

/* ---- elementwise operations ---- */

static void digest_function(digests *d, const char *text) {
    static medley g;
    xlagpu_context *c = xlagpu_create(NULL);
    xlagpu_module *m = xlagpu_parse(c, "module", text, strlen(text));
    xlagpu_value_info info;
    memory in, out;
    uint32_t k;
    in.n = out.n = 0;
    g.state = 1;
    if (!m)
        add_refusal(d, STAGE_value, c);
    else if (take(m, false, &in) && take(m, true, &out)) {
        for (k = 0; k < in.n && xlagpu_parameter_info(m, k, &info); k++)
            fill(info.type, (char *)in.leaf[k].data, in.leaf[k].bytes, &g);
        evaluate(d, c, m, &in, &out);
    }
    give(&in);
    give(&out);
    xlagpu_destroy(c);
}
/* The operation in all types. */
static void digest_elementwise(const sweep_op *o, const char *attributes) {
    char name[80], text[600];
    digests d;
    int t;
    memset(&d, 0, sizeof d);
    snprintf(name, sizeof name, "functions:%s%s", o->text, attributes + (*attributes ? 2 : 0));
    for (t = XLAGPU_PRED; t <= XLAGPU_C128; t++) {
        sweep_elementwise(text, sizeof text, o, (xlagpu_type)t, attributes);
        if (xg_type_class((xlagpu_type)t) & o->types) digest_function(&d, text);
    }
    finish_line(name, &d);
}
/* From a type to all others. */
static void digest_conversions(xlagpu_type t) {
    char name[40], text[600];
    digests d;
    int u;
    memset(&d, 0, sizeof d);
    snprintf(name, sizeof name, "functions:convert-%s", xlagpu_type_text(t));
    for (u = XLAGPU_PRED; u <= XLAGPU_C128; u++) {
        sweep_convert(text, sizeof text, "convert", t, (xlagpu_type)u, "");
        digest_function(&d, text);
        sweep_convert(text, sizeof text, "bitcast-convert", t, (xlagpu_type)u, "");
        if (xg_type_bits(t) == xg_type_bits((xlagpu_type)u)) digest_function(&d, text);
    }
    for (u = 0; u < 12 && xg_type_class(t) & XGT_F; u++) {
        char attributes[80];
        snprintf(attributes, sizeof attributes, ", exponent_bits=%d, mantissa_bits=%d", 1 + u * 5 % 11, u * 7 % 24);
        sweep_convert(text, sizeof text, "reduce-precision", t, t, attributes);
        digest_function(&d, text);
    }
    finish_line(name, &d);
}
static void digest_functions(const table_flags *t) {
    static const char *const directions[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
    char attributes[40];
    size_t k, j;
    int type;
    if (!strstr("functions", t->only)) return;
    for (k = 0; k < SWEEP_OPS && !(t->stop && failed); k++) {
        bool compares = strcmp(sweep_ops[k].text, "compare") == 0;
        if (!sweep_is_plain(&sweep_ops[k])) continue;
        for (j = 0; j < (compares ? sizeof directions / sizeof *directions : 1); j++) {
            snprintf(attributes, sizeof attributes, compares ? ", direction=%s" : "", directions[j]);
            digest_elementwise(&sweep_ops[k], attributes);
        }
    }
    for (type = XLAGPU_PRED; type <= XLAGPU_C128 && !(t->stop && failed); type++) digest_conversions((xlagpu_type)type);
}

/* ---- PTX statements ---- */

/* Without `e`: the host's vector unit decides what it is of loads and stores. */
static void add_records(digests *d, const xg_sim_module *m) {
    uint32_t k;
    for (k = 0; k < m->n_code; k++) {
        const xg_sim_ins *i = &m->code[k];
        uint32_t is[] = {i->kind, i->flags, i->dbytes, i->d2bytes, i->op, i->n, i->guard, i->d, i->d2, i->a, i->b, i->c,
            i->imm, i->imm2, i->before, m->classes[k]};
        add(&d->of[STAGE_read], is, sizeof is);
        if (i->n) add(&d->of[STAGE_read], m->list + i->list, i->n * sizeof *m->list);
    }
}
static void digest_form(digests *d, const char *target, const char *statement) {
    static char text[FORM_TEXT];
    char params[192];
    form_way runs = form_runs(statement);
    xg_sim_module *m;
    const char *wrong = NULL;
    form f;
    xg_ctx_init(&f.ctx, NULL, 0);
    xg_arena_init(&f.arena, &f.ctx);
    xg_sim_memory_init(&f.memory, &f.ctx);
    form_write(text, target, statement, runs);
    m = form_load(&f, text);
    if (!m)
        add(&d->of[STAGE_read], f.ctx.message, strlen(f.ctx.message));
    else
        add_records(d, m);
    if (m && runs) {
        char *p = form_memory(&f);
        memset(params, 0, sizeof params);
        memcpy(params, &p, sizeof p);
        wrong = form_run(&f, m, params, sizeof params);
        add(&d->of[STAGE_runs], wrong ? wrong : p + FORM_HALF,
            wrong ? strlen(wrong) : (size_t)(FORM_BYTES - FORM_HALF));
    }
    if (show)
        printf("%s %06x %06x %.100s %.200s\n", target, (unsigned)(d->of[STAGE_read] & 0xFFFFFF),
            (unsigned)(d->of[STAGE_runs] & 0xFFFFFF), statement, wrong ? wrong : "");
    xg_sim_memory_free(&f.memory);
    xg_arena_free(&f.arena);
}
typedef struct form_line {
    const char *target, *statement;
} form_line;
/* Those of tests/text/sim/forms.list: a target, perhaps behind a sign that it is refused, and a statement. */
static int form_lines(form_line *to) {
    char *at = read_text("tests/text/sim/forms.list"), *end, *tab;
    int n = 0;
    for (; *at && n < FORMS; at = end + 1) {
        end = at + strcspn(at, "\n");
        if (!*end) break;
        *end = 0;
        tab = strchr(at, '\t');
        if (!tab) continue;
        *tab = 0;
        to[n].target = at + (*at == '!');
        to[n++].statement = tab + 1;
    }
    return n;
}
/* The statement as what a seed makes of it. */
static void vary_form(digests *d, const form_line *f, uint64_t seed) {
    size_t n = strlen(f->statement);
    char *made = (char *)malloc(4 * n + 256);
    hurt_state = seed;
    add(&hurt_state, f->statement, n);
    hurt_tokens(f->statement, (uint32_t)n, true);
    if (n < FORM_TEXT / 16 && hurt_n) {
        made[hurt_vary(f->statement, n, made)] = 0;
        digest_form(d, f->target, made);
    }
    free(made);
}
/* So many statements a line; then those that seeds change. */
static void digest_forms(const table_flags *t) {
    static form_line lines[FORMS];
    static draw_of chosen[SEEDS];
    int n = form_lines(lines), all = n + seeds_of("digests", "forms", chosen), k, j, end;
    for (k = 0; k < all && !(t->stop && failed); k = end) {
        int from = k < n ? 0 : n;
        char name[60];
        digests d;
        memset(&d, 0, sizeof d);
        end = XG_MIN(k + FORMS_A_LINE, k < n ? n : all);
        for (j = k; j < end; j++)
            if (j < n)
                digest_form(&d, lines[j].target, lines[j].statement);
            else if (chosen[j - n].which < n)
                vary_form(&d, &lines[chosen[j - n].which], chosen[j - n].seed);
        snprintf(name, sizeof name, "forms:%s%d-%d", from ? "seeds-" : "", k - from + 1, end - from);
        finish_line(name, &d);
    }
}

#ifdef REACH
#include "explore.h"
#endif

int main(int argc, char **argv) {
    table_flags t = {"tests/digests.txt", "", false, false, false, 0, 0, false, false};
    xlagpu_device_desc desc;
    xlagpu_device *device;
    int a = table_read_flags(&t, argc, argv), k;
    memset(&desc, 0, sizeof desc);
    desc.platform = "host";
    desc.threads = 1;
    desc.line = on_line;
    desc.line_user = &running;
    if (xlagpu_rt_open(&desc, &device) != XLAGPU_OK) return 2;
    show = t.show;
    writes = table_open(&t, "# What the compiler makes, by digests: tests/programs/digests.c says of what. Written by "
                            "./build.sh digests.\n");
    if (!writes) read_table(t.path);
#ifdef REACH
    reach_start();
    explored = device;
    if (getenv("XG_TRIES")) return explore(&t, argv + a, argc - a);
    reach_begin();
#endif
    for (; a < argc && !(t.stop && failed); a++)
        if (strstr(argv[a], t.only)) digest_file(device, argv[a]);
    digest_kind(&t, device, &medleys, t.medleys);
    digest_kind(&t, device, &choices, t.choices);
    if (t.functions) digest_functions(&t);
    if (t.forms && strstr("forms", t.only)) digest_forms(&t);
    for (k = 0; k < STAGE_COUNT; k++)
        if (changed[k])
            printf("%s: %d lines differ; if that is meant, ./build.sh digests writes the table anew\n", stage_names[k],
                changed[k]);
#ifdef REACH
    reach_end_base();
    reach_finish();
#endif
    if (writes) fclose(writes);
    xlagpu_rt_close(device);
    return finish();
}
