/* tools/npz.c -- see npz.h. */
#ifdef XG_HAVE_ZLIB
#define XLAGPU_WEIGHTS_ZLIB
#endif
#define XLAGPU_WEIGHTS_IMPLEMENTATION
#include "npz.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

unsigned char *file_read(const char *path, size_t *size) {
    bool standard = strcmp(path, "-") == 0;
    FILE *f = standard ? stdin : fopen(path, "rb");
    unsigned char *p = NULL;
    size_t cap = 1 << 16, n = 0, got;
    if (!f) return NULL;
    p = (unsigned char *)malloc(cap + 1);
    while (p && (got = fread(p + n, 1, cap - n, f)) > 0) {
        n += got;
        if (n == cap) {
            unsigned char *q = cap > (size_t)-1 / 4 ? NULL : (unsigned char *)realloc(p, cap * 2 + 1);
            if (!q) {
                free(p);
                p = NULL;
                break;
            }
            p = q;
            cap *= 2;
        }
    }
    if (p && ferror(f)) {
        free(p);
        p = NULL;
    }
    if (!standard) fclose(f);
    if (p) p[n] = 0;
    *size = n;
    return p;
}

/* ---- reading ---- */

bool npz_read(const char *path, npz_file *out) {
    size_t n = 0;
    memset(out, 0, sizeof *out);
    if (!*path)
        snprintf(out->error, sizeof out->error, "xlagpu: error: the name of a file of arrays is empty");
    else if (strcmp(path, "-") != 0)
        out->weights = xlagpu_weights_open(path, out->error, sizeof out->error);
    else if ((out->input = file_read(path, &n)) != NULL)
        out->weights = xlagpu_weights_read("standard input", out->input, n, out->error, sizeof out->error);
    else
        snprintf(out->error, sizeof out->error, "standard input: error: cannot be read");
    if (!out->weights) {
        free(out->input);
        out->input = NULL;
        return false;
    }
    out->n = xlagpu_weights_count(out->weights);
    out->arrays = xlagpu_weights_at(out->weights, 0);
    return true;
}
void npz_free(npz_file *f) {
    xlagpu_weights_close(f->weights);
    free(f->input);
    f->weights = NULL;
    f->input = NULL;
    f->n = 0;
}
const npy_array *npz_find(const npz_file *f, const char *name) {
    return f->weights ? xlagpu_weights_find(f->weights, name) : NULL;
}

/* ---- writing ---- */

static void put16(unsigned char *p, uint32_t v) {
    p[0] = (unsigned char)v;
    p[1] = (unsigned char)(v >> 8);
}
static void put32(unsigned char *p, uint32_t v) {
    put16(p, v);
    put16(p + 2, v >> 16);
}

enum {
    NPY_HEAD_MAX = 100 + 23 * NPY_RANK_MAX + 64
};
char npy_kind(const char *type) {
    if (strcmp(type, "raw") == 0) return 'V';
    if (strcmp(type, "f16") == 0 || strcmp(type, "f32") == 0 || strcmp(type, "f64") == 0) return 'f';
    return type[0] == 'p' ? 'b' : type[0] == 's' ? 'i' : type[0] == 'c' ? 'c' : 'u';
}
static size_t npy_head(const npy_array *a, unsigned char out[NPY_HEAD_MAX]) {
    char text[NPY_HEAD_MAX - 64];
    int n = snprintf(text, sizeof text, "{'descr': '%c%c%u', 'fortran_order': False, 'shape': (",
        a->item == 1 ? '|' : '<', npy_kind(a->type), a->item);
    uint32_t k;
    size_t total;
    for (k = 0; k < a->rank; k++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%lld,%s", (long long)a->dims[k], k + 1 < a->rank ? " " : "");
    n += snprintf(text + n, sizeof text - (size_t)n, "), }");
    total = (10 + (size_t)n + 1 + 63) / 64 * 64;
    memcpy(out, "\x93NUMPY\x01\x00", 8);
    put16(out + 8, (uint32_t)(total - 10));
    memcpy(out + 10, text, (size_t)n);
    memset(out + 10 + n, ' ', total - 10 - (size_t)n);
    out[total - 1] = '\n';
    return total;
}

const char *why_unwritable(void) {
    return errno == ENOENT ? "there is no such folder" : errno == EISDIR ? "it is a folder" : strerror(errno);
}

/* A plain file goes away first: cut to nothing, it would take its arrays with it where they are mapped. */
static FILE *open_anew(const char *path) {
    struct stat s;
    if (stat(path, &s) == 0 && S_ISREG(s.st_mode)) remove(path);
    return fopen(path, "wb");
}
bool npz_write(const char *path, const npy_array *arrays, size_t n, char error[256]) {
    bool standard = strcmp(path, "-") == 0;
    FILE *f = standard ? stdout : open_anew(path);
    size_t len = strlen(path), k, head, offset = 0, start;
    unsigned char npy[NPY_HEAD_MAX], rec[46];
    uint32_t *place = (uint32_t *)malloc((n + 1) * 2 * sizeof *place);
    bool single = len > 4 && strcmp(path + len - 4, ".npy") == 0, too_large = false, ok = f && place;
    for (k = 0; ok && k < (single ? (n ? 1u : 0u) : n); k++) {
        const npy_array *a = &arrays[k];
        uint32_t crc, total;
        head = npy_head(a, npy);
        if (single) {
            ok = fwrite(npy, 1, head, f) == head && fwrite(a->data, 1, a->bytes, f) == a->bytes;
            break;
        }
        if (offset + a->bytes > 0xFFFFFFF0u || n > 0xFFFF) {
            too_large = true;
            ok = false;
            break;
        }
        crc = xw_crc(a->data, a->bytes, xw_crc(npy, head, 0));
        total = (uint32_t)(head + a->bytes);
        memset(rec, 0, sizeof rec);
        put32(rec, 0x04034b50u);
        put16(rec + 4, 20);
        put32(rec + 14, crc);
        put32(rec + 18, total);
        put32(rec + 22, total);
        put16(rec + 26, (uint32_t)strlen(a->name) + 4);
        ok = fwrite(rec, 1, 30, f) == 30 && fprintf(f, "%s.npy", a->name) > 0 && fwrite(npy, 1, head, f) == head &&
             fwrite(a->data, 1, a->bytes, f) == a->bytes;
        place[2 * k] = (uint32_t)offset;
        place[2 * k + 1] = crc;
        offset += 30 + strlen(a->name) + 4 + total;
    }
    start = offset;
    for (k = 0; ok && !single && k < n; k++) {
        uint32_t total = (uint32_t)(npy_head(&arrays[k], npy) + arrays[k].bytes);
        memset(rec, 0, sizeof rec);
        put32(rec, 0x02014b50u);
        put16(rec + 4, 20);
        put16(rec + 6, 20);
        put32(rec + 16, place[2 * k + 1]);
        put32(rec + 20, total);
        put32(rec + 24, total);
        put16(rec + 28, (uint32_t)strlen(arrays[k].name) + 4);
        put32(rec + 42, place[2 * k]);
        ok = fwrite(rec, 1, 46, f) == 46 && fprintf(f, "%s.npy", arrays[k].name) > 0;
        offset += 46 + strlen(arrays[k].name) + 4;
    }
    if (ok && !single) {
        memset(rec, 0, sizeof rec);
        put32(rec, 0x06054b50u);
        put16(rec + 8, (uint32_t)n);
        put16(rec + 10, (uint32_t)n);
        put32(rec + 12, (uint32_t)(offset - start));
        put32(rec + 16, (uint32_t)start);
        ok = fwrite(rec, 1, 22, f) == 22;
    }
    if (f && (standard ? fflush(f) : fclose(f)) != 0) ok = false;
    free(place);
    if (!ok)
        snprintf(error, 256, "%.150s: error: cannot be written: %.70s", *path ? path : "a file without a name",
            too_large ? "it would be larger than 4 GiB" : why_unwritable());
    return ok;
}
