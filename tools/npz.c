/* tools/npz.c -- see npz.h. The zip directory is read from its end, as the format asks; 64-bit sizes are understood. */
#include "npz.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef XG_HAVE_ZLIB
#include <zlib.h>
#endif

static uint32_t le16(const unsigned char *p) { return p[0] | (uint32_t)p[1] << 8; }
static uint32_t le32(const unsigned char *p) { return le16(p) | le16(p + 2) << 16; }
static uint64_t le64(const unsigned char *p) { return le32(p) | (uint64_t)le32(p + 4) << 32; }

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

/* ---- npy ---- */

static const char *npy_find(const char *head, size_t n, const char *key) {
    size_t k = strlen(key), i;
    for (i = 0; i + k <= n; i++)
        if (memcmp(head + i, key, k) == 0) return head + i + k;
    return NULL;
}

/* {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } */
static const char *npy_header(const char *h, size_t n, npy_array *a, bool *fortran) {
    const char *d = npy_find(h, n, "'descr':"), *o = npy_find(h, n, "'fortran_order':"),
               *s = npy_find(h, n, "'shape':"), *end = h + n;
    if (!d || !o || !s) return "its header lacks descr, fortran_order or shape";
    while (d < end && *d == ' ') d++;
    if (d + 4 > end || *d != '\'') return "structured types are not supported";
    if (d[1] == '>') return "big-endian data are not supported: astype(a.dtype.newbyteorder('<'))";
    if (d[1] != '<' && d[1] != '|' && d[1] != '=') return "its type is not understood";
    if (d[2] == 'U' || d[2] == 'S') return "it holds text; numbers are needed";
    if (d[2] == 'O') return "it holds Python objects; numbers are needed";
    if (d[2] == 'M' || d[2] == 'm') return "it holds dates; numbers are needed: astype('int64')";
    a->kind = d[2];
    a->item = 0;
    for (d += 3; d < end && *d >= '0' && *d <= '9' && a->item < 1000; d++)
        a->item = a->item * 10 + (uint32_t)(*d - '0');
    if (!a->kind || !strchr("biufcV", a->kind) || a->item == 0 || a->item > 16) return "its type is not understood";
    while (o < end && *o == ' ') o++;
    *fortran = o < end && *o == 'T';
    while (s < end && (*s == ' ' || *s == '(')) s++;
    a->rank = 0;
    while (s < end && *s != ')') {
        int64_t v = 0;
        if (*s == ' ' || *s == ',' || *s == 'L') {
            s++;
            continue;
        }
        if (*s < '0' || *s > '9') return "its shape is not understood";
        for (; s < end && *s >= '0' && *s <= '9'; s++) {
            if (v > INT64_MAX / 16) return "its shape overflows";
            v = v * 10 + (*s - '0');
        }
        if (a->rank == NPY_RANK_MAX) return "it has too many dimensions";
        a->dims[a->rank++] = v;
    }
    return NULL;
}

static void npy_from_fortran(const npy_array *a, const unsigned char *from, unsigned char *to) {
    int64_t index[NPY_RANK_MAX] = {0};
    size_t n = a->bytes / a->item, k;
    uint32_t d;
    for (k = 0; k < n; k++) {
        size_t place = 0, step = 1;
        for (d = 0; d < a->rank; d++) {
            place += (size_t)index[d] * step;
            step *= (size_t)a->dims[d];
        }
        memcpy(to + k * a->item, from + place * a->item, a->item);
        for (d = a->rank; d-- > 0;) {
            if (++index[d] < a->dims[d]) break;
            index[d] = 0;
        }
    }
}

static const char *npy_parse(const unsigned char *p, size_t n, npy_array *a) {
    size_t head, bytes, k;
    bool fortran = false;
    const char *wrong;
    if (n < 12 || memcmp(p, "\x93NUMPY", 6) != 0) return "it is not a .npy file";
    if (p[6] < 1 || p[6] > 3) return "its format version is not known";
    if (p[6] == 1) {
        head = 10 + le16(p + 8);
        k = 10;
    } else {
        head = 12 + (size_t)le32(p + 8);
        k = 12;
    }
    if (head > n) return "it is truncated";
    wrong = npy_header((const char *)p + k, head - k, a, &fortran);
    if (wrong) return wrong;
    bytes = a->item;
    for (k = 0; k < a->rank; k++)
        if (a->dims[k] && bytes > (size_t)-1 / (size_t)a->dims[k])
            return "its size overflows";
        else
            bytes *= (size_t)a->dims[k];
    if (bytes > n - head) return "it is truncated";
    a->bytes = bytes;
    a->data = (unsigned char *)malloc(bytes + 1);
    if (!a->data) return "out of memory";
    if (fortran && a->rank > 1)
        npy_from_fortran(a, p + head, a->data);
    else
        memcpy(a->data, p + head, bytes);
    return NULL;
}

/* ---- zip ---- */

typedef struct zip_member {
    const unsigned char *name;
    size_t name_n;
    uint64_t packed, size, offset;
    uint32_t method, crc;
} zip_member;

/* Sizes of 0xFFFFFFFF stand in the zip64 extra field, in the order size, packed, offset. */
static void zip_wide(const unsigned char *extra, size_t n, zip_member *m) {
    size_t at = 0;
    while (at + 4 <= n) {
        uint32_t id = le16(extra + at), len = le16(extra + at + 2);
        const unsigned char *p = extra + at + 4, *end;
        if (len > n - at - 4) return;
        end = p + len;
        if (id == 1) {
            if (m->size == 0xFFFFFFFFu && p + 8 <= end) {
                m->size = le64(p);
                p += 8;
            }
            if (m->packed == 0xFFFFFFFFu && p + 8 <= end) {
                m->packed = le64(p);
                p += 8;
            }
            if (m->offset == 0xFFFFFFFFu && p + 8 <= end) m->offset = le64(p);
            return;
        }
        at += 4 + len;
    }
}

/* CRC-32, four bits at a time. */
static uint32_t crc_of(const unsigned char *p, size_t n, uint32_t crc) {
    static const uint32_t table[16] = {0x00000000u, 0x1DB71064u, 0x3B6E20C8u, 0x26D930ACu, 0x76DC4190u, 0x6B6B51F4u,
        0x4DB26158u, 0x5005713Cu, 0xEDB88320u, 0xF00F9344u, 0xD6D6A3E8u, 0xCB61B38Cu, 0x9B64C2B0u, 0x86D3D2D4u,
        0xA00AE278u, 0xBDBDF21Cu};
    crc = ~crc;
    for (; n--; p++) {
        crc = crc >> 4 ^ table[(crc ^ *p) & 15];
        crc = crc >> 4 ^ table[(crc ^ *p >> 4) & 15];
    }
    return ~crc;
}

static const char *zip_unpack(const unsigned char *p, const zip_member *m, unsigned char **out) {
    *out = (unsigned char *)malloc((size_t)m->size + 1);
    if (!*out) return "out of memory";
    if (m->method == 0) {
        if (m->packed != m->size) return "a stored member has two sizes";
        memcpy(*out, p, (size_t)m->size);
        return NULL;
    }
    if (m->method != 8) return "a member is packed by a method other than deflate";
#ifdef XG_HAVE_ZLIB
    {
        z_stream z;
        int r;
        memset(&z, 0, sizeof z);
        if (m->packed > 0x7FFFFFFF || m->size > 0x7FFFFFFF) return "a deflated member is larger than 2 GiB: store it";
        if (inflateInit2(&z, -15) != Z_OK) return "out of memory";
        z.next_in = (Bytef *)(uintptr_t)p;
        z.avail_in = (uInt)m->packed;
        z.next_out = *out;
        z.avail_out = (uInt)m->size;
        r = inflate(&z, Z_FINISH);
        inflateEnd(&z);
        return r == Z_STREAM_END && z.total_out == m->size ? NULL : "a deflated member is damaged";
    }
#else
    return "a member is deflated and this build has no zlib: install zlib1g-dev and build again, or save with "
           "numpy.savez";
#endif
}

static const char *zip_member_at(const unsigned char *p, size_t n, size_t *at, zip_member *m) {
    size_t extra, comment;
    if (n - *at < 46 || le32(p + *at) != 0x02014b50u) return "its directory is damaged";
    memset(m, 0, sizeof *m);
    if (le16(p + *at + 8) & 1) return "a member is encrypted";
    m->method = le16(p + *at + 10);
    m->crc = le32(p + *at + 16);
    m->packed = le32(p + *at + 20);
    m->size = le32(p + *at + 24);
    m->name_n = le16(p + *at + 28);
    extra = le16(p + *at + 30);
    comment = le16(p + *at + 32);
    m->offset = le32(p + *at + 42);
    if (m->name_n + extra + comment > n - *at - 46) return "its directory is damaged";
    m->name = p + *at + 46;
    zip_wide(m->name + m->name_n, extra, m);
    *at += 46 + m->name_n + extra + comment;
    if (m->offset > n || n - m->offset < 30 || le32(p + m->offset) != 0x04034b50u) return "a member is missing";
    m->offset += 30 + le16(p + m->offset + 26) + le16(p + m->offset + 28);
    if (m->offset > n || m->packed > n - m->offset) return "a member is truncated";
    if (m->size > 1032 * m->packed + 64) return "a member claims an impossible size";
    return NULL;
}

static const char *zip_end(const unsigned char *p, size_t n, size_t *at, uint64_t *count) {
    size_t k = n < 22 ? 0 : n - 22;
    uint64_t where;
    if (n < 22) return "it is too short for a zip file";
    while (le32(p + k) != 0x06054b50u) {
        if (k == 0 || n - k > 66000)
            return "it has no zip directory: it is no whole .npz file, which numpy.savez writes";
        k--;
    }
    *count = le16(p + k + 10);
    where = le32(p + k + 16);
    if ((where == 0xFFFFFFFFu || *count == 0xFFFF) && k >= 20 && le32(p + k - 20) == 0x07064b50u) {
        uint64_t wide = le64(p + k - 20 + 8);
        if (wide > n || n - wide < 56 || le32(p + wide) != 0x06064b50u) return "its zip64 directory is damaged";
        *count = le64(p + wide + 32);
        where = le64(p + wide + 48);
    }
    if (where > n || *count > n / 46) return "its directory is damaged";
    *at = (size_t)where;
    return NULL;
}

static const char *npz_parse(const unsigned char *p, size_t n, npz_file *out) {
    size_t at;
    uint64_t count, k, packed = 0;
    const char *wrong = zip_end(p, n, &at, &count);
    if (wrong) return wrong;
    out->arrays = (npy_array *)calloc((size_t)count + 1, sizeof *out->arrays);
    if (!out->arrays) return "out of memory";
    for (k = 0; k < count; k++) {
        zip_member m;
        unsigned char *raw = NULL;
        npy_array *a = &out->arrays[out->n];
        size_t len;
        wrong = zip_member_at(p, n, &at, &m);
        if (wrong) return wrong;
        packed += m.packed;
        if (packed > n) return "its members lie on each other";
        len = m.name_n > 4 && memcmp(m.name + m.name_n - 4, ".npy", 4) == 0 ? m.name_n - 4 : m.name_n;
        if (len >= sizeof a->name) len = sizeof a->name - 1;
        memcpy(a->name, m.name, len);
        a->name[len] = 0;
        wrong = zip_unpack(p + m.offset, &m, &raw);
        if (!wrong && crc_of(raw, (size_t)m.size, 0) != m.crc) wrong = "a member is damaged: its checksum is wrong";
        if (!wrong) wrong = npy_parse(raw, (size_t)m.size, a);
        free(raw);
        if (wrong) return wrong;
        out->n++;
    }
    return NULL;
}

bool npz_read(const char *path, npz_file *out) {
    size_t n = 0;
    unsigned char *p = file_read(path, &n);
    const char *wrong;
    memset(out, 0, sizeof *out);
    if (!p) {
        snprintf(out->error, sizeof out->error, "%.200s: error: cannot be read: %s", path,
            errno == ENOENT ? "there is no such file" : strerror(errno));
        return false;
    }
    if (n >= 6 && memcmp(p, "\x93NUMPY", 6) == 0) {
        out->arrays = (npy_array *)calloc(1, sizeof *out->arrays);
        wrong = out->arrays ? npy_parse(p, n, out->arrays) : "out of memory";
        out->n = wrong ? 0 : 1;
    } else
        wrong = npz_parse(p, n, out);
    free(p);
    if (!wrong) return true;
    npz_free(out);
    snprintf(out->error, sizeof out->error, "%.150s: error: %s", path, wrong);
    return false;
}

void npz_free(npz_file *f) {
    size_t k;
    for (k = 0; k < f->n; k++) free(f->arrays[k].data);
    free(f->arrays);
    f->arrays = NULL;
    f->n = 0;
}

const npy_array *npz_find(const npz_file *f, const char *name) {
    size_t k;
    for (k = 0; k < f->n; k++)
        if (strcmp(f->arrays[k].name, name) == 0) return &f->arrays[k];
    return NULL;
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
static size_t npy_head(const npy_array *a, unsigned char out[NPY_HEAD_MAX]) {
    char text[NPY_HEAD_MAX - 64];
    int n = snprintf(text, sizeof text, "{'descr': '%c%c%u', 'fortran_order': False, 'shape': (",
        a->item == 1 ? '|' : '<', a->kind, a->item);
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

bool npz_write(const char *path, const npy_array *arrays, size_t n, char error[256]) {
    bool standard = strcmp(path, "-") == 0;
    FILE *f = standard ? stdout : fopen(path, "wb");
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
        crc = crc_of(a->data, a->bytes, crc_of(npy, head, 0));
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
        snprintf(error, 256, "%.200s: error: %s", path,
            too_large ? "larger than 4 GiB: cannot be written" : "cannot be written");
    return ok;
}
