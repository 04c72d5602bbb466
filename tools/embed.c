/* tools/embed.c -- --emit=c: the executable as C, for programs that carry it. With a name, FILE.c holds the bytes and
 * FILE.h says what they are: target, parameters and results with types, sizes and bytes. On standard output one file
 * holds both. Weights, which files of --args have, are words of FILE.c or the file FILE.weights. */
#include "tool.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAME_MAX_BYTES = 200, /* of an identifier that is made of a name in the module */
    PER_LINE = 24,        /* bytes of the array on a line of C */
    WORDS_PER_LINE = 5,   /* of weights */
    WEIGHTS_ALIGN = 64    /* bytes: of a weight in the file or the array */
};

/* A name as the rest of a C identifier: anything else becomes _. */
static void as_identifier(const char *name, bool upper, char out[NAME_MAX_BYTES]) {
    size_t k;
    for (k = 0; name[k] && k < NAME_MAX_BYTES - 1; k++) {
        bool fits = (name[k] >= 'a' && name[k] <= 'z') || (name[k] >= 'A' && name[k] <= 'Z') ||
                    (name[k] >= '0' && name[k] <= '9');
        out[k] = (char)(!fits ? '_' : upper ? toupper((unsigned char)name[k]) : name[k]);
    }
    out[k] = 0;
}
bool embed_symbol(const char *given, const char *base, char out[256]) {
    char name[NAME_MAX_BYTES];
    as_identifier(given ? given : base, false, name);
    snprintf(out, 256, "%s%s", isdigit((unsigned char)name[0]) || !name[0] ? "_" : "", name);
    return !given || strcmp(out, given) == 0;
}

static bool value_of(const xlagpu_module *m, bool result, uint32_t k, xlagpu_value_info *v) {
    return result ? xlagpu_result_info(m, k, v) : xlagpu_parameter_info(m, k, v);
}
/* X, or X_2 where an earlier value has the same name; results have only numbers. */
static void value_name(const xlagpu_module *m, bool result, uint32_t k, char out[NAME_MAX_BYTES]) {
    xlagpu_value_info v;
    char other[NAME_MAX_BYTES];
    uint32_t j;
    if (result || !value_of(m, false, k, &v) || !v.name || !*v.name) {
        snprintf(out, NAME_MAX_BYTES, "%u", k);
        return;
    }
    as_identifier(v.name, true, out);
    for (j = 0; j < k && value_of(m, false, j, &v); j++) {
        as_identifier(v.name ? v.name : "", true, other);
        if (strcmp(other, out) == 0) {
            size_t n = strlen(out);
            if (n > NAME_MAX_BYTES - 12) n = NAME_MAX_BYTES - 12;
            snprintf(out + n, NAME_MAX_BYTES - n, "_%u", k);
            return;
        }
    }
}
static void put_values(FILE *f, const xlagpu_module *m, const char *upper, bool result) {
    uint32_t n = result ? xlagpu_result_count(m) : xlagpu_parameter_count(m), k, d;
    const char *what = result ? "RESULT" : "PARAMETER";
    fprintf(f, "\n/* The %ss: number in the order of xlagpu_rt_run, bytes. */\n#define %s_%sS %u\n",
        result ? "result" : "parameter", upper, what, n);
    for (k = 0; k < n; k++) {
        xlagpu_value_info v;
        char name[NAME_MAX_BYTES];
        if (!value_of(m, result, k, &v)) continue;
        value_name(m, result, k, name);
        fprintf(f, "#define %s_%s_%s %u /* %s[", upper, what, name, k, xlagpu_type_text(v.type));
        for (d = 0; d < v.rank; d++) fprintf(f, "%s%lld", d ? "," : "", (long long)v.dims[d]);
        fprintf(f, "]%s */\n#define %s_%s_%s_BYTES %zu\n",
            v.size_of ? ", how much there is of a dimension of the one in front of it" : "", upper, what, name,
            v.bytes);
    }
}

/* ---- weights: one behind the other, each on its own lines of a cache ---- */

static size_t weight_room(const embedding *e, uint32_t k) { /* 0: no file has it */
    return e->given[k] ? (e->weights[k].bytes + WEIGHTS_ALIGN - 1) / WEIGHTS_ALIGN * WEIGHTS_ALIGN : 0;
}
static void put_weights_head(FILE *f, const embedding *e, const char *upper) {
    uint32_t n = xlagpu_parameter_count(e->module), k;
    char name[NAME_MAX_BYTES];
    size_t at = 0;
    if (e->beside)
        fprintf(f, "\n/* The weights are the file FILE.weights beside FILE.c. %s_WEIGHTS(in, its bytes in memory)\n",
            upper);
    else
        fprintf(f, "\n/* The weights. %s_WEIGHTS(in, %s_weights)\n", upper, e->symbol);
    fprintf(f, " * puts them into the array of arguments of xlagpu_rt_run. */\n");
    for (k = 0; k < n; k++) {
        if (e->given[k]) {
            value_name(e->module, false, k, name);
            fprintf(f, "#define %s_PARAMETER_%s_OFFSET %zu\n", upper, name, at);
        }
        at += weight_room(e, k);
    }
    fprintf(f, "#define %s_WEIGHTS_BYTES %zu\n#define %s_WEIGHTS(in, at) \\\n    (", upper, at, upper);
    for (at = 0, k = 0; k < n; at += weight_room(e, k), k++)
        if (e->given[k])
            fprintf(f, "(in)[%u].data = (unsigned char *)(at) + %zu, (in)[%u].bytes = %zu, \\\n    ", k, at, k,
                e->weights[k].bytes);
    fprintf(f, " (void)0)\n");
}
/* Words of the machine's order, which is little-endian wherever xlagpu runs: a C compiler reads them eight times as
 * fast as bytes. */
static void put_weight_words(FILE *f, const embedding *e) {
    uint32_t n = xlagpu_parameter_count(e->module), k;
    size_t at, line = 0;
    fprintf(f, "const unsigned long long %s_weights[] = {", e->symbol);
    for (k = 0; k < n; k++)
        for (at = 0; at < weight_room(e, k); at += 8, line++) {
            unsigned long long word = 0;
            size_t left = at < e->weights[k].bytes ? e->weights[k].bytes - at : 0;
            memcpy(&word, e->weights[k].data + (left ? at : 0), left < 8 ? left : 8);
            fprintf(f, "%s0x%llxu,", line % WORDS_PER_LINE ? "" : "\n", word);
        }
    fprintf(f, "\n};\n");
}
static void put_weight_bytes(FILE *f, const embedding *e) {
    static const unsigned char zeros[WEIGHTS_ALIGN];
    uint32_t n = xlagpu_parameter_count(e->module), k;
    for (k = 0; k < n; k++) {
        if (!e->given[k]) continue;
        fwrite(e->weights[k].data, 1, e->weights[k].bytes, f);
        fwrite(zeros, 1, weight_room(e, k) - e->weights[k].bytes, f);
    }
}

/* ---- the files ---- */

static void put_head(FILE *f, const embedding *e, const char *upper) {
    fprintf(f, "/* Module %s, compiled for %s by xlagpu %s:\n", e->module_name, e->target, XLAGPU_VERSION);
    fprintf(
        f, " *     xlagpu_program *program = xlagpu_rt_load(device, %s_xgx, %s_xgx_size); */\n", e->symbol, e->symbol);
    fprintf(f, "#ifndef %s_XGX_H\n#define %s_XGX_H\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n", upper, upper);
    fprintf(f, "extern const unsigned long %s_xgx_size;\nextern const unsigned char %s_xgx[];\n", e->symbol, e->symbol);
    if (e->weights && !e->beside) fprintf(f, "extern const unsigned long long %s_weights[];\n", e->symbol);
    fprintf(f, "#ifdef __cplusplus\n}\n#endif\n#define %s_TARGET \"%s\"\n", upper, e->target);
    put_values(f, e->module, upper, false);
    put_values(f, e->module, upper, true);
    if (e->weights) put_weights_head(f, e, upper);
    fprintf(f, "\n#endif\n");
}
static void put_bytes(FILE *f, const embedding *e) {
    size_t k;
    fprintf(f, "const unsigned long %s_xgx_size = %zuul;\n", e->symbol, e->exe.size);
    fprintf(f, "const unsigned char %s_xgx[] = {", e->symbol);
    for (k = 0; k < e->exe.size; k++) fprintf(f, "%s%u,", k % PER_LINE ? "" : "\n", e->exe.data[k]);
    fprintf(f, "\n};\n");
    if (e->weights && !e->beside) put_weight_words(f, e);
}

static int close_file(FILE *f, const char *path, bool standard) {
    bool ok = !ferror(f);
    if ((standard ? fflush(f) : fclose(f)) != 0) ok = false;
    return ok ? OK : unwritable(standard ? "standard output" : path);
}
/* FILE.h, or FILE.weights, beside FILE.c. */
static int write_beside(const embedding *e, const char *path, const char *upper, bool weights) {
    size_t n = strlen(path);
    char *name = (char *)malloc(n + sizeof ".weights");
    FILE *f;
    int rc;
    if (!name) return fail(DEVICE, "xlagpu: error: out of memory");
    memcpy(name, path, n + 1);
    if (n > 2 && strcmp(path + n - 2, ".c") == 0) name[n - 2] = 0;
    strcat(name, weights ? ".weights" : ".h");
    f = fopen(name, "wb");
    if (f && weights) put_weight_bytes(f, e);
    if (f && !weights) put_head(f, e, upper);
    rc = f ? close_file(f, name, false) : unwritable(name);
    free(name);
    return rc;
}
int embed_write(const embedding *e, const char *path) {
    bool standard = !path || strcmp(path, "-") == 0;
    char upper[NAME_MAX_BYTES];
    FILE *f;
    int rc;
    as_identifier(e->symbol, true, upper);
    rc = standard ? OK : write_beside(e, path, upper, false);
    if (!rc && e->weights && e->beside) rc = write_beside(e, path, upper, true);
    if (rc) return rc;
    f = standard ? stdout : fopen(path, "wb");
    if (!f) return unwritable(path);
    if (standard)
        put_head(f, e, upper);
    else
        fprintf(f, "/* Module %s; the header beside this file says what it takes and returns. */\n", e->module_name);
    fprintf(f, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
    if (!standard)
        fprintf(
            f, "extern const unsigned long %s_xgx_size;\nextern const unsigned char %s_xgx[];\n", e->symbol, e->symbol);
    if (!standard && e->weights && !e->beside) fprintf(f, "extern const unsigned long long %s_weights[];\n", e->symbol);
    put_bytes(f, e);
    fprintf(f, "#ifdef __cplusplus\n}\n#endif\n");
    return close_file(f, path, standard);
}
