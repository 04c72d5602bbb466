/* tools/embed.c -- --emit=c: the executable as C, for programs that carry it. With a name, FILE.c holds the bytes and
 * FILE.h says what they are: target, parameters and results with types, sizes and bytes. On standard output one file
 * holds both. */
#include "tool.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAME_MAX_BYTES = 200, /* of an identifier that is made of a name in the module */
    PER_LINE = 24         /* bytes of the array on a line of C */
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
static void put_head(FILE *f, const embedding *e, const char *upper) {
    fprintf(f, "/* Module %s, compiled for %s by xlagpu %s:\n", e->module_name, e->target, XLAGPU_VERSION);
    fprintf(
        f, " *     xlagpu_program *program = xlagpu_rt_load(device, %s_xgx, %s_xgx_size); */\n", e->symbol, e->symbol);
    fprintf(f, "#ifndef %s_XGX_H\n#define %s_XGX_H\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n", upper, upper);
    fprintf(f, "extern const unsigned long %s_xgx_size;\nextern const unsigned char %s_xgx[];\n", e->symbol, e->symbol);
    fprintf(f, "#ifdef __cplusplus\n}\n#endif\n#define %s_TARGET \"%s\"\n", upper, e->target);
    put_values(f, e->module, upper, false);
    put_values(f, e->module, upper, true);
    fprintf(f, "\n#endif\n");
}
static void put_bytes(FILE *f, const embedding *e) {
    size_t k;
    fprintf(f, "const unsigned long %s_xgx_size = %zuul;\n", e->symbol, e->exe.size);
    fprintf(f, "const unsigned char %s_xgx[] = {", e->symbol);
    for (k = 0; k < e->exe.size; k++) fprintf(f, "%s%u,", k % PER_LINE ? "" : "\n", e->exe.data[k]);
    fprintf(f, "\n};\n");
}

static int close_file(FILE *f, const char *path, bool standard) {
    bool ok = !ferror(f);
    if ((standard ? fflush(f) : fclose(f)) != 0) ok = false;
    return ok ? OK : fail(BAD, "%s: error: cannot be written", standard ? "standard output" : path);
}
/* FILE.h beside FILE.c. */
static int write_header(const embedding *e, const char *path, const char *upper) {
    size_t n = strlen(path);
    char *header = (char *)malloc(n + 3);
    FILE *f;
    int rc;
    if (!header) return fail(DEVICE, "xlagpu: error: out of memory");
    memcpy(header, path, n + 1);
    if (n > 2 && strcmp(path + n - 2, ".c") == 0) header[n - 2] = 0;
    memcpy(header + strlen(header), ".h", 3);
    f = fopen(header, "wb");
    if (f) put_head(f, e, upper);
    rc = f ? close_file(f, header, false) : fail(BAD, "%s: error: cannot be written", header);
    free(header);
    return rc;
}
int embed_write(const embedding *e, const char *path) {
    bool standard = !path || strcmp(path, "-") == 0;
    char upper[NAME_MAX_BYTES];
    FILE *f;
    int rc;
    as_identifier(e->symbol, true, upper);
    rc = standard ? OK : write_header(e, path, upper);
    if (rc) return rc;
    f = standard ? stdout : fopen(path, "wb");
    if (!f) return fail(BAD, "%s: error: cannot be written", path);
    if (standard)
        put_head(f, e, upper);
    else
        fprintf(f, "/* Module %s; the header beside this file says what it takes and returns. */\n", e->module_name);
    fprintf(f, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
    if (!standard)
        fprintf(
            f, "extern const unsigned long %s_xgx_size;\nextern const unsigned char %s_xgx[];\n", e->symbol, e->symbol);
    put_bytes(f, e);
    fprintf(f, "#ifdef __cplusplus\n}\n#endif\n");
    return close_file(f, path, standard);
}
