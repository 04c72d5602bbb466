/* tools/sim.c -- the verb sim: a kernel of any origin, with its parameters from files and from the command line. */
#include "tool.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "X", "X,Y" or "X,Y,Z"; what is not given is 1. */
static bool three(const char *text, uint32_t out[3]) {
    int k;
    out[0] = out[1] = out[2] = 1;
    for (k = 0; k < 3; k++) {
        char *end;
        unsigned long v = strtoul(text, &end, 10);
        if (end == text || v == 0 || v > 0x7FFFFFFF) return false;
        out[k] = (uint32_t)v;
        if (!*end) return true;
        if (*end != ',') return false;
        text = end + 1;
    }
    return false;
}

/* is_value: the array's bytes are the parameter */
typedef struct sim_arg {
    xlagpu_buffer buffer;
    npy_array array;
    int64_t dims[NPY_RANK_MAX];
    npz_file file; /* whose array it is, if it is one */
    char out[512];
    bool is_buffer;
    bool is_value;
    unsigned char value[8];
    size_t bytes;
} sim_arg;

static int sim_upload(xlagpu_device *d, sim_arg *a) {
    xlagpu_status s = xlagpu_rt_alloc(d, a->array.bytes, &a->buffer);
    if (s == XLAGPU_OK && a->array.bytes) s = xlagpu_rt_upload(d, a->buffer, a->array.data, a->array.bytes);
    a->is_buffer = true;
    memcpy(a->value, &a->buffer.address, 8);
    a->bytes = 8;
    return s == XLAGPU_OK ? OK : fail_in("xlagpu", s, xlagpu_rt_error(d));
}

/* "i32:-5": a number in the range of its kind; a negative one is none of the unsigned kinds. */
static bool sim_scalar(const char *kind, const char *text, sim_arg *a) {
    bool wide = kind[1] == '6', real = kind[0] == 'f', negative = strchr(text, '-') != NULL;
    char *end = NULL;
    unsigned long long u = 0;
    double d = 0;
    float f;
    uint32_t w;
    errno = 0;
    if (real)
        d = strtod(text, &end);
    else if (kind[0] == 'i' && negative)
        u = (unsigned long long)strtoll(text, &end, 0);
    else
        u = strtoull(text, &end, 0);
    if (end == text || *end || (!real && errno) || (kind[0] == 'u' && negative)) return false;
    if (!real && !wide && (negative ? (long long)u < -2147483647 - 1 : u > 0xFFFFFFFFu)) return false;
    if (kind[0] == 'i' && !negative && wide && u > 0x7FFFFFFFFFFFFFFFu) return false;
    a->bytes = wide ? 8 : 4;
    f = (float)d;
    w = (uint32_t)u;
    if (real) {
        if (wide)
            memcpy(a->value, &d, 8);
        else
            memcpy(a->value, &f, 4);
    } else if (wide)
        memcpy(a->value, &u, 8);
    else
        memcpy(a->value, &w, 4);
    return true;
}

static const char *sim_dtype(const char *text, npy_array *a) {
    static const struct {
        const char *name, *type;
        uint32_t item;
    } rows[] = {{"pred", "pred", 1}, {"s8", "s8", 1}, {"s16", "s16", 2}, {"s32", "s32", 4}, {"s64", "s64", 8},
        {"u8", "u8", 1}, {"u16", "u16", 2}, {"u32", "u32", 4}, {"u64", "u64", 8}, {"f16", "f16", 2},
        {"bf16", "bf16", 2}, {"f32", "f32", 4}, {"f64", "f64", 8}, {"c64", "c64", 8}, {"c128", "c128", 16},
        {"i8", "s8", 1}, {"i16", "s16", 2}, {"i32", "s32", 4}, {"i64", "s64", 8}};
    size_t k, n;
    for (k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        n = strlen(rows[k].name);
        if (strncmp(text, rows[k].name, n) == 0 && text[n] == ':') {
            a->type = rows[k].type;
            a->item = rows[k].item;
            return text + n + 1;
        }
    }
    return NULL;
}

/* ---- textures ---- */

/* What an argument tex: may say behind its file, in any order. */
typedef enum tex_word {
    TEX_LINEAR,
    TEX_NORMALIZED,
    TEX_NORMFLOAT,
    TEX_CHANNELS,
    TEX_LAYERS,
    TEX_WRAP, /* the address modes stand last: one of them at most */
    TEX_CLAMP,
    TEX_MIRROR,
    TEX_BORDER,
    TEX_WORDS
} tex_word;
/* ",linear,wrap" to a bit for each word; false when there is another one, or two address modes. */
static bool tex_words(const char *text, bool has[TEX_WORDS], uint32_t *mode) {
    static const char *const words[] = {
        "linear", "normalized", "normfloat", "channels", "layers", "wrap", "clamp", "mirror", "border"};
    int k, modes = 0;
    *mode = TEX_CLAMP - TEX_WRAP;
    while (*text == ',') {
        const size_t n = strcspn(++text, ",");
        for (k = 0; k < TEX_WORDS && (strlen(words[k]) != n || strncmp(text, words[k], n) != 0); k++) {}
        if (k == TEX_WORDS) return false;
        has[k] = true;
        if (k >= TEX_WRAP) {
            *mode = (uint32_t)k - TEX_WRAP;
            modes++;
        }
        text += n;
    }
    return modes < 2;
}
/* The array's type and dimensions as a texture's; false when a texture cannot have them. */
static bool tex_shape(const npy_array *a, const bool has[TEX_WORDS], xlagpu_texture *t) {
    const char kind = npy_kind(a->type);
    uint32_t rank = a->rank, first = has[TEX_LAYERS] ? 1 : 0, k;
    t->kind = kind == 'i' ? 0 : kind == 'f' ? 2 : 1;
    t->bits = 8 * a->item;
    t->channels = 1;
    if ((kind != 'i' && kind != 'u' && kind != 'f') || strcmp(a->type, "bf16") == 0) return false;
    if (has[TEX_CHANNELS] && rank) t->channels = (uint32_t)a->dims[--rank];
    if (rank <= first || rank > 3 || a->item > 4) return false;
    for (k = 0; k < a->rank; k++)
        if (a->dims[k] < 1 || a->dims[k] > 0x7FFFFFFF) return false;
    if (first) t->layers = (uint32_t)a->dims[0];
    for (k = first; k < rank; k++) t->dims[rank - 1 - k] = (uint32_t)a->dims[k];
    return true;
}
/* "tex:F.npy[,word]...": the array in memory, a texture of it, and its handle as the parameter. */
static int sim_parse_tex(xlagpu_device *d, const char *text, sim_arg *a) {
    const size_t n = strcspn(text + 4, ",");
    bool has[TEX_WORDS] = {false};
    xlagpu_texture t;
    xlagpu_buffer object;
    uint32_t mode, k;
    char path[512];
    xlagpu_status s;
    memset(&t, 0, sizeof t);
    snprintf(path, sizeof path, "%.*s", (int)n, text + 4);
    if (!tex_words(text + 4 + n, has, &mode))
        return fail(BAD,
            "xlagpu: error: --arg %s: behind the file of a texture stand linear, normalized, normfloat, channels, "
            "layers, and one of wrap, clamp, mirror, border",
            text);
    if ((has[TEX_WRAP] || has[TEX_MIRROR]) && !has[TEX_NORMALIZED])
        return fail(BAD, "xlagpu: error: --arg %s: wrap and mirror are of normalized coordinates", text);
    if (!npz_read(path, &a->file)) return fail(BAD, "%s", a->file.error);
    if (!a->file.n) return fail(BAD, "%s: error: it holds no array", path);
    a->array = a->file.arrays[0];
    if (!tex_shape(&a->array, has, &t))
        return fail(BAD,
            "xlagpu: error: --arg %s: a texture is an array of u8, s8, u16, s16, u32, s32, f16 or f32, [depth,]height,"
            "width; [layers,[height,]width] with layers; and [,channels] behind that with channels",
            text);
    if (sim_upload(d, a) != OK) return DEVICE;
    t.address = a->buffer.address;
    for (k = 0; k < 3; k++) t.address_mode[k] = mode;
    t.linear = has[TEX_LINEAR];
    t.normalized = has[TEX_NORMALIZED];
    t.normalized_float = has[TEX_NORMFLOAT];
    s = xlagpu_rt_make_texture(d, &t, &object);
    if (s == XLAGPU_ERROR_USAGE) return fail(BAD, "xlagpu: error: --arg %s: %s", text, xlagpu_rt_error(d));
    if (s != XLAGPU_OK) return fail_in("xlagpu", s, xlagpu_rt_error(d));
    memcpy(a->value, &object.address, 8);
    return OK;
}

/* What argument k is, for the texts of faults: "argument 2, out:f32:255:b.npy, f32[255]". */
static void sim_describe(xlagpu_device *d, const char *text, int k, const sim_arg *a) {
    const char *type = a->array.type && strcmp(a->array.type, "raw") != 0 ? a->array.type : NULL;
    char name[256], shape[128] = "";
    size_t n = 0;
    uint32_t i;
    if (!a->is_buffer) return;
    if (type) {
        n = (size_t)snprintf(shape, sizeof shape, ", %s[", type);
        for (i = 0; i < a->array.rank && n < sizeof shape; i++)
            n += (size_t)snprintf(shape + n, sizeof shape - n, i ? ",%lld" : "%lld", (long long)a->array.dims[i]);
        if (n < sizeof shape) snprintf(shape + n, sizeof shape - n, "]");
    }
    snprintf(name, sizeof name, "argument %d, %.100s%s", k, text, shape);
    xlagpu_rt_describe_buffer(d, a->buffer, name, type ? a->array.item : 1, a->array.dims, type ? a->array.rank : 1);
}
static int sim_parse_arg(xlagpu_device *d, const char *text, sim_arg *a) {
    const char *rest = strchr(text, ':'), *second;
    char path[512];
    memset(a, 0, sizeof *a);
    a->array.dims = a->dims;
    if (!rest)
        return fail(BAD,
            "xlagpu: error: --arg %s: in:F.npy, inout:IN.npy:OUT.npy, out:DTYPE:SHAPE:F.npy, tex:F.npy, same:K, "
            "bytes:F, value:F or TYPE:VALUE",
            text);
    rest++;
    if (strncmp(text, "tex:", 4) == 0) return sim_parse_tex(d, text, a);
    if (strncmp(text, "in:", 3) == 0 || strncmp(text, "inout:", 6) == 0) {
        second = text[2] == 'o' ? strchr(rest, ':') : NULL;
        if (text[2] == 'o' && !second) return fail(BAD, "xlagpu: error: --arg %s: inout needs two files", text);
        snprintf(path, sizeof path, "%.*s", second ? (int)(second - rest) : (int)strlen(rest), rest);
        if (second) snprintf(a->out, sizeof a->out, "%s", second + 1);
        if (!npz_read(path, &a->file)) return fail(BAD, "%s", a->file.error);
        if (!a->file.n) return fail(BAD, "%s: error: it holds no array", path);
        a->array = a->file.arrays[0];
        return sim_upload(d, a);
    }
    if (strncmp(text, "out:", 4) == 0) {
        rest = sim_dtype(rest, &a->array);
        if (!rest)
            return fail(BAD,
                "xlagpu: error: --arg %s: the types of arrays are pred, s8 to s64 (or i8 to i64), u8 to u64, f16, "
                "bf16, f32, f64, "
                "c64 and c128",
                text);
        a->array.bytes = a->array.item;
        while (*rest && *rest != ':') {
            char *end;
            long long v = strtoll(rest, &end, 10);
            if (end == rest || v < 0 || a->array.rank == NPY_RANK_MAX ||
                (v && a->array.bytes > ((size_t)1 << 40) / (size_t)v))
                return fail(BAD,
                    "xlagpu: error: --arg %s: bad shape; sizes are joined by ',' or 'x': out:f32:6,512:F.npy", text);
            a->dims[a->array.rank++] = v;
            a->array.bytes *= (size_t)v;
            rest = *end == ',' || *end == 'x' ? end + 1 : end;
        }
        if (*rest) snprintf(a->out, sizeof a->out, "%s", rest + 1);
        a->array.name = "out0"; /* in a file of several */
        a->array.data = (unsigned char *)calloc(a->array.bytes + 1, 1);
        if (!a->array.data) return fail(DEVICE, "xlagpu: error: out of memory");
        if (sim_upload(d, a) != OK) return DEVICE;
        xlagpu_rt_forget_contents(d, a->buffer); /* zeros, but a kernel that reads them has forgotten to write them */
        return OK;
    }
    if (strncmp(text, "bytes:", 6) == 0) {
        a->array.data = file_read(rest, &a->array.bytes);
        return a->array.data ? sim_upload(d, a) : unreadable(rest);
    }
    if (strncmp(text, "value:", 6) == 0) {
        a->array.data = file_read(rest, &a->array.bytes);
        a->is_value = true;
        a->bytes = a->array.bytes;
        return a->array.data ? OK : unreadable(rest);
    }
    if ((strncmp(text, "i32:", 4) == 0 || strncmp(text, "u32:", 4) == 0 || strncmp(text, "i64:", 4) == 0 ||
            strncmp(text, "u64:", 4) == 0 || strncmp(text, "f32:", 4) == 0 || strncmp(text, "f64:", 4) == 0) &&
        sim_scalar(text, rest, a))
        return OK;
    return fail(BAD, "xlagpu: error: --arg %s is not understood: it is %s", text, flag_help(FLAG_arg));
}

/* "same:K": the memory of an earlier argument, counted from 0, once more. */
static int sim_parse_same(const char *text, sim_arg *args, int k) {
    char *end;
    long n = strtol(text + 5, &end, 10);
    if (end == text + 5 || *end || n < 0 || n >= k || args[n].bytes != 8)
        return fail(BAD, "xlagpu: error: --arg %s: no earlier argument", text);
    memset(&args[k], 0, sizeof args[k]);
    memcpy(args[k].value, args[n].value, 8);
    args[k].bytes = 8;
    return OK;
}

static int sim_parameters(xlagpu_device *d, const flag_values *f, const char *ptx, size_t n, const sim_arg *args,
    unsigned char *block, size_t *bytes) {
    int k;
    uint32_t offset, size;
    *bytes = 0;
    for (k = 0; k < f->n_arg; k++) {
        if (!xlagpu_rt_ptx_parameter(d, f->files[0], ptx, n, f->entry, (uint32_t)k, &offset, &size))
            return *xlagpu_rt_error(d) ? fail_in(f->files[0], xlagpu_rt_error_status(d), xlagpu_rt_error(d))
                                       : fail(BAD, "xlagpu: error: more --arg than the kernel has parameters");
        if (size != args[k].bytes)
            return fail(BAD, "xlagpu: error: parameter %d of the kernel has %u bytes; --arg %s gives %zu", k, size,
                f->arg[k], args[k].bytes);
        if (offset + size > 4096) return fail(BAD, "xlagpu: error: the kernel's parameters are larger than 4096 bytes");
        memcpy(block + offset, args[k].is_value ? args[k].array.data : args[k].value, size);
        if (offset + size > *bytes) *bytes = offset + size;
    }
    if (xlagpu_rt_ptx_parameter(d, f->files[0], ptx, n, f->entry, (uint32_t)k, &offset, &size))
        return fail(BAD,
            "xlagpu: error: the kernel has more parameters than the %d --arg given: number %d has %u bytes "
            "(--arg in:X.npy for an array, --arg u32:64 for a number; xlagpu sim --help)",
            f->n_arg, k, size);
    return *xlagpu_rt_error(d) ? fail_in(f->files[0], xlagpu_rt_error_status(d), xlagpu_rt_error(d)) : OK;
}

/* The array as a tensor, printed; one of a type that modules do not have is not. */
static void sim_print(const char *text, const npy_array *a) {
    tensor t;
    int type = 1;
    memset(&t, 0, sizeof t);
    while (type < XLAGPU_TYPE_COUNT && strcmp(xlagpu_type_text((xlagpu_type)type), a->type) != 0) type++;
    if (type == XLAGPU_TYPE_COUNT) return;
    t.type = (xlagpu_type)type;
    t.rank = a->rank;
    t.dims = a->dims;
    t.data = a->data;
    printf("--arg %s: ", text);
    tensors_print(&t, 1);
}
static int sim_results(const flag_values *f, xlagpu_device *d, sim_arg *args) {
    int k, rc = OK;
    char error[256];
    for (k = 0; k < f->n_arg && !rc; k++) {
        const bool shown = f->print_literals && (args[k].out[0] || strncmp(f->arg[k], "out:", 4) == 0);
        xlagpu_status s;
        if (!args[k].is_buffer || (!args[k].out[0] && !shown)) continue;
        s = xlagpu_rt_download(d, args[k].array.data, args[k].buffer, args[k].array.bytes);
        if (s != XLAGPU_OK)
            rc = fail_in("xlagpu", s, xlagpu_rt_error(d));
        else if (args[k].out[0] && !npz_write(args[k].out, &args[k].array, 1, error))
            rc = fail(BAD, "%s", error);
        else if (shown)
            sim_print(f->arg[k], &args[k].array);
    }
    return rc;
}

/* The file is no PTX: what it is, if the compiler knows its form ("this is CUDA source; ... (what to do)"). */
static int sim_refused(xlagpu_device *d, const char *path, const unsigned char *text, size_t n) {
    xlagpu_context *c = xlagpu_create(NULL);
    const char *what = NULL, *hint;
    int rc;
    if (c && !xlagpu_parse(c, path, (const char *)text, n)) what = strstr(xlagpu_error(c), ": error: this is ");
    hint = what ? strchr(what, '(') : NULL;
    if (what && hint && strncmp(what, ": error: this is PTX", 20) != 0)
        rc = fail(BAD, "%s%.*s, not PTX %s", path, (int)strcspn(what, ";"), what, strrchr(what, '('));
    else
        rc = fail_in(path, xlagpu_rt_error_status(d), xlagpu_rt_error(d));
    xlagpu_destroy(c);
    return rc;
}

static const char *sim_platform(const char *wish) {
    if (!wish || strcmp(wish, "host") == 0 || strcmp(wish, "HOST") == 0 || strcmp(wish, "auto") == 0) return "host";
    return strcmp(wish, "cuda") == 0 || strcmp(wish, "CUDA") == 0 ? "cuda" : NULL;
}

/* "usual", "low", "high" or "mixed"; -1: another word. */
int approximations_of(const char *word) {
    static const char *const words[] = {"usual", "low", "high", "mixed"};
    int k;
    for (k = 0; k < 4; k++)
        if (!word || strcmp(word, words[k]) == 0) return k;
    return -1;
}

/* All faults of the launch; the first one is the error. */
static int sim_faults(const flag_values *f, xlagpu_device *d, xlagpu_status s) {
    const char *text;
    uint32_t k;
    int rc = fail_in(f->files[0], s, xlagpu_rt_error(d));
    for (k = 1; (text = xlagpu_rt_fault(d, k)) != NULL; k++) fprintf(stderr, "\n%s\n", text);
    if (k > 1)
        fprintf(stderr, "\n%u different faults%s\n", k, k < (uint32_t)f->max_faults ? "" : "; there may be more");
    return rc;
}

/* ---- the summary ---- */

static void sim_amount(const char *label, double x, bool bytes, const char *what) {
    static const char *const units[2][5] = {
        {"", " thousand", " million", " billion", " trillion"}, {" B", " kB", " MB", " GB", " TB"}};
    int k = 0;
    while (x >= 1000 && k < 4) {
        x /= 1000;
        k++;
    }
    printf("%s%.3g%s%s", label, x, units[bytes][k], what);
}
static void sim_count(const char *label, uint64_t n, const char *what) { sim_amount(label, (double)n, false, what); }
static void sim_summary(const xlagpu_ptx_launch *l, const xlagpu_kernel_stats *s, const char *device, double spent) {
    const uint64_t shared = s->shared_loads + s->shared_stores;
    printf("kernel        %s, grid %ux%ux%u, block %ux%ux%u\n", s->name, l->grid[0], l->grid[1], l->grid[2],
        l->block[0], l->block[1], l->block[2]);
    printf("run           %.3g s, %s, ", spent, device);
    sim_amount("", spent > 0 ? (double)s->lane_instructions / spent : 0, false, " instructions of threads a second\n");
    sim_count("instructions  ", s->warp_instructions, " of warps, ");
    sim_count("", s->lane_instructions, " of threads");
    printf(" (%.1f of 32 lanes active)\n",
        s->warp_instructions ? (double)s->lane_instructions / (double)s->warp_instructions : 0);
    sim_count("global        ", s->global_loads, " loads, ");
    sim_count("", s->global_stores, " stores, ");
    sim_amount("", (double)s->sectors * 32, true, " in sectors");
    printf(", %.2f times the least\n", s->minimum_sectors ? (double)s->sectors / (double)s->minimum_sectors : 1);
    sim_count("shared        ", s->shared_loads, " loads, ");
    sim_count("", s->shared_stores, " stores, ");
    sim_count("", s->bank_conflicts, " passes more for bank conflicts");
    printf(" (%.2f an access)\n", shared ? (double)s->bank_conflicts / (double)shared : 0);
    sim_count("others        ", s->barriers, " barriers, ");
    sim_count("", s->divergent_branches, " divergent branches, ");
    sim_count("", s->atomics, " atomics, ");
    sim_count("", s->tensor_operations, " tensor operations\n");
}

/* ---- the verb ---- */

static int sim_describe_launch(const flag_values *f, xlagpu_device_desc *desc, xlagpu_ptx_launch *l) {
    const int approx = approximations_of(f->approx);
    desc->platform = sim_platform(f->platform);
    desc->threads = (uint32_t)f->threads;
    desc->part = f->gpu;
    desc->print = print_text;
    desc->predict = f->stats || f->summary;
    desc->predict_scale = (uint32_t)f->scale;
    desc->predict_memory_scale = (uint32_t)f->memory_scale;
    l->registers = (uint32_t)f->registers;
    if (approx < 0) return fail(BAD, "xlagpu: error: --approx=%s: there are usual, low, high and mixed", f->approx);
    desc->approximations = (uint32_t)approx;
    if (!desc->platform)
        return fail(BAD, "xlagpu: error: --platform=%s cannot run PTX; there are host and cuda", f->platform);
    if (f->n_files != 1) return fail(BAD, "xlagpu: error: 'sim' needs one PTX file");
    if (!three(f->grid ? f->grid : "1", l->grid) || !three(f->block ? f->block : "1", l->block))
        return fail(BAD, "xlagpu: error: --grid and --block are one to three positive numbers: X,Y,Z");
    l->entry = f->entry;
    l->shared_bytes = (uint32_t)f->shared;
    l->instructions = (uint64_t)f->max_instructions;
    l->seed = (uint64_t)f->seed;
    l->max_faults = (uint32_t)(f->max_faults < 1000 ? f->max_faults : 1000);
    return OK;
}
int verb_sim(const flag_values *f) {
    xlagpu_device *d = NULL;
    xlagpu_device_desc desc;
    xlagpu_ptx_launch l;
    xlagpu_kernel_stats stats;
    xlagpu_ptx *loaded = NULL;
    progress shown;
    line_counts *lines = NULL;
    sim_arg *args = (sim_arg *)calloc(65, sizeof *args);
    unsigned char *ptx = NULL, block[4096];
    double begin = 0;
    size_t n = 0;
    int rc, k;
    memset(&desc, 0, sizeof desc);
    memset(&l, 0, sizeof l);
    memset(block, 0, sizeof block);
    progress_begin(&shown, &desc);
    rc = args ? sim_describe_launch(f, &desc, &l) : fail(DEVICE, "xlagpu: error: out of memory");
    if (!rc && !(ptx = file_read(f->files[0], &n))) rc = unreadable(f->files[0]);
    if (!rc && (strncmp((const char *)ptx, "HloModule", 9) == 0 || strncmp((const char *)ptx, "ENTRY", 5) == 0))
        rc = fail(BAD, "%s: error: this is HLO, not PTX: xlagpu run %s, or xlagpu compile %s -o F.ptx", f->files[0],
            f->files[0], f->files[0]);
    if (f->stats) stats_watch(&lines, &desc);
    if (!rc && xlagpu_rt_open(&desc, &d) != XLAGPU_OK) rc = fail(DEVICE, "xlagpu: error: %s", xlagpu_rt_error(d));
    for (k = 0; k < f->n_arg && !rc; k++) {
        const bool same = strncmp(f->arg[k], "same:", 5) == 0;
        rc = same ? sim_parse_same(f->arg[k], args, k) : sim_parse_arg(d, f->arg[k], &args[k]);
        if (!rc && !same) sim_describe(d, f->arg[k], k, &args[k]);
    }
    if (!rc && !(loaded = xlagpu_rt_load_ptx(d, f->files[0], (const char *)ptx, n)))
        rc = sim_refused(d, f->files[0], ptx, n);
    if (!rc) rc = sim_parameters(d, f, (const char *)ptx, n, args, block, &l.parameter_bytes);
    if (!rc) {
        xlagpu_status s;
        l.parameters = block;
        begin = seconds();
        s = xlagpu_rt_run_ptx(loaded, &l, &stats);
        begin = seconds() - begin;
        progress_end(&shown);
        if (s != XLAGPU_OK) rc = sim_faults(f, d, s);
    }
    if (!rc) rc = sim_results(f, d, args);
    if (!rc && f->summary) sim_summary(&l, &stats, xlagpu_rt_name(d), begin);
    if (!rc && f->stats) {
        stats_head();
        stats_line(&stats);
        stats_loops(&lines);
    }
    for (k = 0; args && k < f->n_arg; k++) {
        if (!args[k].file.weights) free(args[k].array.data);
        npz_free(&args[k].file);
    }
    free(args);
    xlagpu_rt_close(d);
    free(ptx);
    return rc;
}
