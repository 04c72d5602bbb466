/* xlagpu_weights.h -- the arrays of a safetensors, npz or npy file, mapped into memory, and the parameters of a program
 * that they are, by name. Public domain or MIT, as xlagpu.h.
 *
 * Do this in ONE C or C++ file:
 *     #include "xlagpu_runtime.h"           // before it, for xlagpu_weights_bind; the reader needs nothing
 *     #define XLAGPU_WEIGHTS_IMPLEMENTATION
 *     #include "xlagpu_weights.h"
 *
 *     xlagpu_weights *w = xlagpu_weights_open("model.safetensors", message, sizeof message);
 *     if (!w || !xlagpu_weights_bind(w, program, inputs, n_inputs, message, sizeof message)) puts(message);
 *     ...                                   // inputs[k].data of each parameter that was NULL is in the file now
 *     xlagpu_weights_close(w);              // after the upload
 *
 * The file is mapped, not read: an array costs memory of the host only where it is packed (deflate, with
 * XLAGPU_WEIGHTS_ZLIB defined) or in Fortran's order. The mapping is private: writing into an array changes no file.
 * While a file is open here nothing may shorten it.
 *
 * NAMES  A parameter's name has underscores for what HLO's names cannot have: params['Dense_0']['kernel'] is
 *        params__Dense_0____kernel__. So names are compared by their words, the runs of letters and digits:
 *        "Dense_0.kernel", "params/Dense_0/kernel" and "model.params.Dense_0.kernel" are that array, too, because up to
 *        two words in front, of both names together, may be missing if then one array alone fits. Equal names go first;
 *        the number that XLA hangs on (x.1) may be missing.
 *
 * Hostile files are normal: every offset, size and character is checked; what is wrong is a message. */
#ifndef XLAGPU_WEIGHTS_H
#define XLAGPU_WEIGHTS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

enum {
    XLAGPU_WEIGHTS_RANK_MAX = 64
};
typedef struct xlagpu_weights_array {
    const char *name; /* as in the file; of npz without .npy; "" in a file of one array */
    const char *type; /* as HLO has it: "f32", "bf16", "s8"; "raw": bytes that numpy has no type for */
    uint32_t item;    /* bytes of an element */
    uint32_t rank;
    const int64_t *dims;
    unsigned char *data; /* row-major, little-endian, aligned to nothing */
    size_t bytes;
} xlagpu_weights_array;
typedef struct xlagpu_weights xlagpu_weights;

/* NULL: message says why. */
xlagpu_weights *xlagpu_weights_open(const char *path, char *message, size_t message_bytes);
/* Of a file that is in memory, which stays the caller's and must stay until the end; name is for messages. */
xlagpu_weights *xlagpu_weights_read(const char *name, const void *bytes, size_t n, char *message, size_t message_bytes);
void xlagpu_weights_close(xlagpu_weights *w); /* NULL is allowed */
size_t xlagpu_weights_count(const xlagpu_weights *w);
const xlagpu_weights_array *xlagpu_weights_at(const xlagpu_weights *w, size_t index);
const xlagpu_weights_array *xlagpu_weights_find(const xlagpu_weights *w, const char *name); /* exactly that; or NULL */
/* The array that a parameter of this name is, by the rules above. NULL: none, or several: *others is another one of
 * them, or NULL. */
const xlagpu_weights_array *xlagpu_weights_match(
    const xlagpu_weights *w, const char *parameter, const xlagpu_weights_array **others);
/* Can the array be a parameter of this type, whose elements have so many bytes? Bits of types that numpy lacks may come
 * as integers. */
bool xlagpu_weights_fits(const xlagpu_weights_array *a, const char *type, size_t type_bytes);

#ifdef XLAGPU_RUNTIME_H
/* Points inputs[k] to the array of parameter k wherever inputs[k].data is NULL. False: message lists what is missing or
 * does not fit. True: message is "", or a note of arrays that no parameter takes. */
bool xlagpu_weights_bind(const xlagpu_weights *w, const xlagpu_program *program, xlagpu_rt_tensor *inputs,
    uint32_t n_inputs, char *message, size_t message_bytes);
#endif

#ifdef __cplusplus
}
#endif
#endif /* XLAGPU_WEIGHTS_H */

#if defined(XLAGPU_WEIGHTS_IMPLEMENTATION) && !defined(XLAGPU_WEIGHTS_IMPLEMENTATION_DONE)
#define XLAGPU_WEIGHTS_IMPLEMENTATION_DONE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <windows.h>
#else
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif
#ifdef XLAGPU_WEIGHTS_ZLIB
#include <zlib.h>
#endif
#ifdef __cplusplus
extern "C" {
#endif

enum {
    XLAGPU_WEIGHTS_HEADER_MAX = 100000000, /* bytes of a safetensors header, as its reference implementation has it */
    XLAGPU_WEIGHTS_DROPPED_MAX = 2         /* words in front that two names together may lack */
};

/* An entry of the table of names: an array, less so many words in front. */
typedef struct xw_key {
    uint64_t hash;
    uint32_t array, dropped;
} xw_key;
typedef struct xw_block {
    struct xw_block *next;
} xw_block;
struct xlagpu_weights {
    const char *path;
    unsigned char *base; /* the file */
    size_t size;
    bool mapped, owned;
    xlagpu_weights_array *arrays;
    size_t n, room;
    const xlagpu_weights_array **by_name; /* sorted */
    xw_key *keys;                         /* sorted by hash */
    size_t n_keys;
    xw_block *blocks; /* names, dims, unpacked arrays */
    char *message;
    size_t message_bytes;
};

static void xw_say(char *to, size_t room, const char *format, ...) {
    size_t n = room ? strlen(to) : 0;
    va_list args;
    if (n + 1 >= room) return;
    va_start(args, format);
    vsnprintf(to + n, room - n, format, args);
    va_end(args);
}
static bool xw_fail(xlagpu_weights *w, const char *what) {
    if (w->message_bytes && !w->message[0]) xw_say(w->message, w->message_bytes, "%.200s: error: %s", w->path, what);
    return false;
}
static bool xw_fail_name(xlagpu_weights *w, const char *name, size_t n, const char *what) {
    if (w->message_bytes && !w->message[0])
        xw_say(w->message, w->message_bytes, "%.200s: error: '%.*s': %s", w->path, n > 120 ? 120 : (int)n, name, what);
    return false;
}
static void *xw_alloc(xlagpu_weights *w, size_t bytes) {
    xw_block *b = bytes > (size_t)-1 / 2 ? NULL : (xw_block *)malloc(sizeof *b + 16 + bytes);
    if (!b) {
        xw_fail(w, "out of memory");
        return NULL;
    }
    b->next = w->blocks;
    w->blocks = b;
    return (unsigned char *)b + 16;
}
static uint32_t xw_le16(const unsigned char *p) { return p[0] | (uint32_t)p[1] << 8; }
static uint32_t xw_le32(const unsigned char *p) { return xw_le16(p) | xw_le16(p + 2) << 16; }
static uint64_t xw_le64(const unsigned char *p) { return xw_le32(p) | (uint64_t)xw_le32(p + 4) << 32; }

/* A new array of that name with room for the dimensions; NULL: no memory. */
static xlagpu_weights_array *xw_new(xlagpu_weights *w, const char *name, size_t n) {
    xlagpu_weights_array *a;
    char *kept;
    if (w->n == w->room) {
        size_t room = w->room ? 2 * w->room : 16;
        a = (xlagpu_weights_array *)realloc(w->arrays, room * sizeof *a);
        if (!a) {
            xw_fail(w, "out of memory");
            return NULL;
        }
        w->arrays = a;
        w->room = room;
    }
    kept = (char *)xw_alloc(w, n + 1);
    if (!kept) return NULL;
    memcpy(kept, name, n);
    kept[n] = 0;
    a = &w->arrays[w->n++];
    memset(a, 0, sizeof *a);
    a->name = kept;
    return a;
}
static bool xw_shape(xlagpu_weights *w, xlagpu_weights_array *a, const int64_t *dims, uint32_t rank) {
    size_t bytes = a->item;
    int64_t *kept = (int64_t *)xw_alloc(w, ((size_t)rank + 1) * sizeof *kept);
    uint32_t d;
    if (!kept) return false;
    a->rank = rank;
    a->dims = kept;
    for (d = 0; d < rank; d++) {
        kept[d] = dims[d];
        if (dims[d] && bytes > (size_t)-1 / (size_t)dims[d])
            return xw_fail_name(w, a->name, strlen(a->name), "its size overflows");
        bytes *= (size_t)dims[d];
    }
    a->bytes = bytes;
    return true;
}

/* ---- npy ---- */

static const char *xw_after(const char *head, size_t n, const char *key) {
    size_t k = strlen(key), i;
    for (i = 0; i + k <= n; i++)
        if (memcmp(head + i, key, k) == 0) return head + i + k;
    return NULL;
}
/* A type of numpy's: f4, i8. */
static const char *xw_npy_type(char kind, uint32_t item) {
    static const struct {
        const char *type;
        char kind;
        uint32_t item;
    } rows[] = {{"pred", 'b', 1}, {"s8", 'i', 1}, {"s16", 'i', 2}, {"s32", 'i', 4}, {"s64", 'i', 8}, {"u8", 'u', 1},
        {"u16", 'u', 2}, {"u32", 'u', 4}, {"u64", 'u', 8}, {"f16", 'f', 2}, {"f32", 'f', 4}, {"f64", 'f', 8},
        {"c64", 'c', 8}, {"c128", 'c', 16}};
    size_t k;
    for (k = 0; k < sizeof rows / sizeof rows[0]; k++)
        if (rows[k].kind == kind && rows[k].item == item) return rows[k].type;
    return kind == 'V' && item && item <= 16 ? "raw" : NULL;
}
static const char *xw_npy_descr(const char *d, const char *end, xlagpu_weights_array *a) {
    char kind;
    while (d < end && *d == ' ') d++;
    if (end - d < 4 || *d != '\'') return "structured types are not supported";
    if (d[1] == '>') return "big-endian data are not supported: astype(a.dtype.newbyteorder('<'))";
    if (d[1] != '<' && d[1] != '|' && d[1] != '=') return "its type is not understood";
    if (d[2] == 'U' || d[2] == 'S') return "it holds text; numbers are needed";
    if (d[2] == 'O') return "it holds Python objects; numbers are needed";
    if (d[2] == 'M' || d[2] == 'm') return "it holds dates; numbers are needed: astype('int64')";
    kind = d[2];
    for (d += 3; d < end && *d >= '0' && *d <= '9' && a->item < 1000; d++)
        a->item = a->item * 10 + (uint32_t)(*d - '0');
    a->type = xw_npy_type(kind, a->item);
    return a->type ? NULL : "its type is not understood";
}
/* Up to RANK_MAX dimensions of "2, 3)". */
static const char *xw_npy_dims(const char *s, const char *end, int64_t *dims, uint32_t *rank) {
    for (*rank = 0; s < end && *s != ')';) {
        int64_t v = 0;
        if (*s == ' ' || *s == ',' || *s == 'L' || *s == '(') {
            s++;
            continue;
        }
        if (*s < '0' || *s > '9') return "its shape is not understood";
        for (; s < end && *s >= '0' && *s <= '9'; s++) {
            if (v > INT64_MAX / 16) return "its shape overflows";
            v = v * 10 + (*s - '0');
        }
        if (*rank == XLAGPU_WEIGHTS_RANK_MAX) return "it has too many dimensions";
        dims[(*rank)++] = v;
    }
    return NULL;
}
static void xw_from_fortran(const xlagpu_weights_array *a, const unsigned char *from, unsigned char *to) {
    int64_t index[XLAGPU_WEIGHTS_RANK_MAX] = {0};
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
/* {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } */
static bool xw_npy(xlagpu_weights *w, unsigned char *p, size_t n, const char *name, size_t name_n) {
    xlagpu_weights_array *a = xw_new(w, name, name_n);
    int64_t dims[XLAGPU_WEIGHTS_RANK_MAX];
    const char *h, *end, *descr, *order, *shape, *wrong;
    size_t head, k;
    uint32_t rank;
    if (!a) return false;
    if (n < 12 || memcmp(p, "\x93NUMPY", 6) != 0) return xw_fail(w, "it is not a .npy file");
    if (p[6] < 1 || p[6] > 3) return xw_fail(w, "its format version is not known");
    k = p[6] == 1 ? 10 : 12;
    head = p[6] == 1 ? k + xw_le16(p + 8) : k + (size_t)xw_le32(p + 8);
    if (head > n) return xw_fail(w, "it is truncated");
    h = (const char *)p + k;
    end = (const char *)p + head;
    descr = xw_after(h, head - k, "'descr':");
    order = xw_after(h, head - k, "'fortran_order':");
    shape = xw_after(h, head - k, "'shape':");
    if (!descr || !order || !shape) return xw_fail(w, "its header lacks descr, fortran_order or shape");
    wrong = xw_npy_descr(descr, end, a);
    if (!wrong) wrong = xw_npy_dims(shape, end, dims, &rank);
    if (wrong) return xw_fail(w, wrong);
    if (!xw_shape(w, a, dims, rank)) return false;
    if (a->bytes > n - head) return xw_fail(w, "it is truncated");
    a->data = p + head;
    while (order < end && *order == ' ') order++;
    if (rank < 2 || order == end || *order != 'T') return true;
    a->data = (unsigned char *)xw_alloc(w, a->bytes + 1);
    if (a->data) xw_from_fortran(a, p + head, a->data);
    return a->data != NULL;
}

/* ---- npz: a zip file of npy members; its directory is read from its end, as the format asks ---- */

typedef struct xw_member {
    const unsigned char *name;
    size_t name_n;
    uint64_t packed, size, offset;
    uint32_t method, crc;
} xw_member;

/* Sizes of 0xFFFFFFFF stand in the zip64 extra field, in the order size, packed, offset. */
static void xw_zip_wide(const unsigned char *extra, size_t n, xw_member *m) {
    uint64_t *values[3];
    size_t at = 0, k;
    values[0] = &m->size;
    values[1] = &m->packed;
    values[2] = &m->offset;
    while (at + 4 <= n) {
        uint32_t id = xw_le16(extra + at), len = xw_le16(extra + at + 2);
        const unsigned char *p = extra + at + 4;
        if (len > n - at - 4) return;
        for (k = 0; id == 1 && k < 3; k++)
            if (*values[k] == 0xFFFFFFFFu && len >= 8) {
                *values[k] = xw_le64(p);
                p += 8;
                len -= 8;
            }
        if (id == 1) return;
        at += 4 + len;
    }
}
/* CRC-32, four bits at a time. */
static uint32_t xw_crc(const unsigned char *p, size_t n, uint32_t crc) {
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
/* Where a member's bytes are: in the file, or unpacked. */
static unsigned char *xw_zip_bytes(xlagpu_weights *w, unsigned char *p, const xw_member *m) {
    if (m->method == 0) {
        if (m->packed == m->size) return p;
        xw_fail(w, "a stored member has two sizes");
        return NULL;
    }
    if (m->method != 8) {
        xw_fail(w, "a member is packed by a method other than deflate");
        return NULL;
    }
#ifdef XLAGPU_WEIGHTS_ZLIB
    {
        unsigned char *out;
        z_stream z;
        int r;
        memset(&z, 0, sizeof z);
        if (m->packed > 0x7FFFFFFF || m->size > 0x7FFFFFFF) {
            xw_fail(w, "a deflated member is larger than 2 GiB: store it");
            return NULL;
        }
        out = (unsigned char *)xw_alloc(w, (size_t)m->size + 1);
        if (!out) return NULL;
        if (inflateInit2(&z, -15) != Z_OK) {
            xw_fail(w, "out of memory");
            return NULL;
        }
        z.next_in = (Bytef *)p;
        z.avail_in = (uInt)m->packed;
        z.next_out = out;
        z.avail_out = (uInt)m->size;
        r = inflate(&z, Z_FINISH);
        inflateEnd(&z);
        if (r == Z_STREAM_END && z.total_out == m->size) return out;
        xw_fail(w, "a deflated member is damaged");
    }
#else
    xw_fail(w, "a member is deflated and this build has no zlib: save it with numpy.savez, or build with zlib");
#endif
    return NULL;
}
static const char *xw_zip_member(const unsigned char *p, size_t n, size_t *at, xw_member *m) {
    size_t extra, comment;
    if (*at > n || n - *at < 46 || xw_le32(p + *at) != 0x02014b50u) return "its directory is damaged";
    memset(m, 0, sizeof *m);
    if (xw_le16(p + *at + 8) & 1) return "a member is encrypted";
    m->method = xw_le16(p + *at + 10);
    m->crc = xw_le32(p + *at + 16);
    m->packed = xw_le32(p + *at + 20);
    m->size = xw_le32(p + *at + 24);
    m->name_n = xw_le16(p + *at + 28);
    extra = xw_le16(p + *at + 30);
    comment = xw_le16(p + *at + 32);
    m->offset = xw_le32(p + *at + 42);
    if (m->name_n + extra + comment > n - *at - 46) return "its directory is damaged";
    m->name = p + *at + 46;
    xw_zip_wide(m->name + m->name_n, extra, m);
    *at += 46 + m->name_n + extra + comment;
    if (m->offset > n || n - m->offset < 30 || xw_le32(p + m->offset) != 0x04034b50u) return "a member is missing";
    m->offset += 30 + xw_le16(p + m->offset + 26) + xw_le16(p + m->offset + 28);
    if (m->offset > n || m->packed > n - m->offset) return "a member is truncated";
    if (m->size > 1032 * m->packed + 64) return "a member claims an impossible size";
    return NULL;
}
static const char *xw_zip_end(const unsigned char *p, size_t n, size_t *at, uint64_t *count) {
    size_t k = n < 22 ? 0 : n - 22;
    uint64_t where;
    if (n < 22) return "it is too short for a zip file";
    while (xw_le32(p + k) != 0x06054b50u) {
        if (k == 0 || n - k > 66000)
            return "it has no zip directory: it is no whole .npz file, which numpy.savez writes";
        k--;
    }
    *count = xw_le16(p + k + 10);
    where = xw_le32(p + k + 16);
    if ((where == 0xFFFFFFFFu || *count == 0xFFFF) && k >= 20 && xw_le32(p + k - 20) == 0x07064b50u) {
        uint64_t wide = xw_le64(p + k - 20 + 8);
        if (wide > n || n - wide < 56 || xw_le32(p + wide) != 0x06064b50u) return "its zip64 directory is damaged";
        *count = xw_le64(p + wide + 32);
        where = xw_le64(p + wide + 48);
    }
    if (where > n || *count > n / 46) return "its directory is damaged";
    *at = (size_t)where;
    return NULL;
}
static bool xw_npz(xlagpu_weights *w) {
    size_t at, name_n;
    uint64_t count, k, packed = 0;
    const char *wrong = xw_zip_end(w->base, w->size, &at, &count);
    if (wrong) return xw_fail(w, wrong);
    for (k = 0; k < count; k++) {
        xw_member m;
        unsigned char *bytes;
        wrong = xw_zip_member(w->base, w->size, &at, &m);
        if (wrong) return xw_fail(w, wrong);
        packed += m.packed;
        if (packed > w->size) return xw_fail(w, "its members lie on each other");
        bytes = xw_zip_bytes(w, w->base + m.offset, &m);
        if (!bytes) return false;
        if (xw_crc(bytes, (size_t)m.size, 0) != m.crc) return xw_fail(w, "a member is damaged: its checksum is wrong");
        name_n = m.name_n > 4 && memcmp(m.name + m.name_n - 4, ".npy", 4) == 0 ? m.name_n - 4 : m.name_n;
        if (!xw_npy(w, bytes, (size_t)m.size, (const char *)m.name, name_n)) return false;
    }
    return true;
}

/* ---- safetensors: 8 bytes of the header's size, the header in JSON, then the arrays ---- */

/* X(what the header says, HLO's type, bits) */
#define XW_TYPES(X) \
    X("BOOL", "pred", 8) \
    X("U8", "u8", 8) \
    X("I8", "s8", 8) \
    X("F8_E5M2", "f8e5m2", 8) \
    X("F8_E4M3", "f8e4m3fn", 8) \
    X("F8_E4M3FNUZ", "f8e4m3fnuz", 8) \
    X("F8_E5M2FNUZ", "f8e5m2fnuz", 8) \
    X("F8_E8M0", "f8e8m0fnu", 8) \
    X("U16", "u16", 16) \
    X("I16", "s16", 16) \
    X("F16", "f16", 16) \
    X("BF16", "bf16", 16) \
    X("U32", "u32", 32) \
    X("I32", "s32", 32) \
    X("F32", "f32", 32) \
    X("U64", "u64", 64) \
    X("I64", "s64", 64) \
    X("F64", "f64", 64) \
    X("C64", "c64", 64)

typedef struct xw_json {
    xlagpu_weights *w;
    const unsigned char *p, *end;
    char *text; /* of the last string, with its escapes resolved */
    size_t n, room;
} xw_json;
static bool xw_json_fail(xw_json *j, const char *what) {
    char text[160];
    snprintf(
        text, sizeof text, "its header is damaged at byte %llu: %s", (unsigned long long)(j->p - j->w->base), what);
    return xw_fail(j->w, text);
}
static void xw_json_space(xw_json *j) {
    while (j->p < j->end && (*j->p == ' ' || *j->p == '\n' || *j->p == '\t' || *j->p == '\r')) j->p++;
}
static bool xw_json_take(xw_json *j, char c) {
    xw_json_space(j);
    if (j->p == j->end || *j->p != (unsigned char)c) return false;
    j->p++;
    return true;
}
static bool xw_json_want(xw_json *j, char c) {
    char what[24];
    if (xw_json_take(j, c)) return true;
    snprintf(what, sizeof what, "'%c' is missing", c);
    return xw_json_fail(j, what);
}
static bool xw_json_hex(xw_json *j, uint32_t *out) {
    int k;
    *out = 0;
    if (j->end - j->p < 4) return xw_json_fail(j, "an escape is cut off");
    for (k = 0; k < 4; k++, j->p++) {
        unsigned char c = *j->p, lower = (unsigned char)(c | 32);
        if (!((c >= '0' && c <= '9') || (lower >= 'a' && lower <= 'f')))
            return xw_json_fail(j, "an escape is not hexadecimal");
        *out = *out << 4 | (uint32_t)(c <= '9' ? c - '0' : lower - 'a' + 10);
    }
    return true;
}
static void xw_json_utf8(xw_json *j, uint32_t c) {
    static const unsigned char heads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    int bytes = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4, k;
    for (k = bytes - 1; k > 0; k--, c >>= 6) j->text[j->n + (size_t)k] = (char)(0x80 | (c & 0x3F));
    j->text[j->n] = (char)(heads[bytes] | c);
    j->n += (size_t)bytes;
}
static bool xw_json_escape(xw_json *j) {
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *at = j->p < j->end && *j->p ? strchr(from, *j->p) : NULL;
    uint32_t c, low;
    if (at) {
        j->text[j->n++] = to[at - from];
        j->p++;
        return true;
    }
    if (j->p == j->end || *j->p != 'u') return xw_json_fail(j, "an escape is not known");
    j->p++;
    if (!xw_json_hex(j, &c)) return false;
    if (c >= 0xD800 && c < 0xDC00) {
        if (j->end - j->p < 2 || j->p[0] != '\\' || j->p[1] != 'u') return xw_json_fail(j, "half a character");
        j->p += 2;
        if (!xw_json_hex(j, &low)) return false;
        if (low < 0xDC00 || low > 0xDFFF) return xw_json_fail(j, "half a character");
        c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
    } else if (c >= 0xDC00 && c < 0xE000)
        return xw_json_fail(j, "half a character");
    if (!c) return xw_json_fail(j, "a name with a zero in it");
    xw_json_utf8(j, c);
    return true;
}
/* Leaves it in j->text. Nothing in it is longer than its JSON is. */
static bool xw_json_string(xw_json *j) {
    j->n = 0;
    if (!xw_json_want(j, '"')) return false;
    while (j->p < j->end && *j->p != '"') {
        if (*j->p < ' ') return xw_json_fail(j, "a control character in a string");
        if (j->n + 8 > j->room) {
            char *text = (char *)realloc(j->text, 2 * j->room + 256);
            if (!text) return xw_fail(j->w, "out of memory");
            j->text = text;
            j->room = 2 * j->room + 256;
        }
        if (*j->p != '\\') {
            j->text[j->n++] = (char)*j->p++;
            continue;
        }
        j->p++;
        if (!xw_json_escape(j)) return false;
    }
    if (j->p == j->end) return xw_json_fail(j, "a string does not end");
    j->p++;
    if (!j->n) return true;
    j->text[j->n] = 0;
    return true;
}
static bool xw_json_is(const xw_json *j, const char *word) {
    return j->n == strlen(word) && memcmp(j->text, word, j->n) == 0;
}
static bool xw_json_number(xw_json *j, uint64_t *out) {
    *out = 0;
    xw_json_space(j);
    if (j->p == j->end || *j->p < '0' || *j->p > '9') return xw_json_fail(j, "a whole number is missing");
    for (; j->p < j->end && *j->p >= '0' && *j->p <= '9'; j->p++) {
        if (*out > ((uint64_t)INT64_MAX - 9) / 10) return xw_json_fail(j, "a number is too large");
        *out = *out * 10 + (uint64_t)(*j->p - '0');
    }
    return true;
}
/* [1, 2, 3]: at most `most` of them. */
static bool xw_json_numbers(xw_json *j, uint64_t *out, uint32_t most, uint32_t *n) {
    *n = 0;
    if (!xw_json_want(j, '[')) return false;
    if (xw_json_take(j, ']')) return true;
    do {
        if (*n == most) return xw_json_fail(j, "a list is too long");
        if (!xw_json_number(j, &out[(*n)++])) return false;
    } while (xw_json_take(j, ','));
    return xw_json_want(j, ']');
}
/* {"format": "pt"}: texts of the writer's own. */
static bool xw_json_metadata(xw_json *j) {
    if (!xw_json_want(j, '{')) return false;
    if (xw_json_take(j, '}')) return true;
    do
        if (!xw_json_string(j) || !xw_json_want(j, ':') || !xw_json_string(j)) return false;
    while (xw_json_take(j, ','));
    return xw_json_want(j, '}');
}
static bool xw_json_type(xw_json *j, xlagpu_weights_array *a) {
    static const struct {
        const char *word, *type;
        uint32_t bits;
    } rows[] = {
#define X(word, type, bits) {word, type, bits},
        XW_TYPES(X)
#undef X
    };
    size_t k;
    if (!xw_json_string(j)) return false;
    for (k = 0; k < sizeof rows / sizeof rows[0]; k++)
        if (xw_json_is(j, rows[k].word)) {
            a->type = rows[k].type;
            a->item = rows[k].bits / 8;
            return true;
        }
    return xw_fail_name(j->w, a->name, strlen(a->name),
        xw_json_is(j, "F4") || xw_json_is(j, "F6_E2M3") || xw_json_is(j, "F6_E3M2")
            ? "its elements are parts of bytes, which are not read: save it as U8, one element a byte"
            : "its type is not known");
}
/* {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, in any order */
static bool xw_json_array(xw_json *j, xlagpu_weights_array *a, size_t data_at) {
    uint64_t shape[XLAGPU_WEIGHTS_RANK_MAX], offsets[2] = {0, 0};
    int64_t dims[XLAGPU_WEIGHTS_RANK_MAX];
    uint32_t rank = 0, n = 0, k;
    bool typed = false, shaped = false, placed = false;
    if (!xw_json_want(j, '{')) return false;
    do {
        bool *seen, ok;
        if (!xw_json_string(j)) return false;
        seen = xw_json_is(j, "dtype") ? &typed : xw_json_is(j, "shape") ? &shaped : &placed;
        if (seen == &placed && !xw_json_is(j, "data_offsets"))
            return xw_json_fail(j, "an array has dtype, shape and data_offsets");
        if (*seen) return xw_json_fail(j, "an array says it twice");
        *seen = true;
        if (!xw_json_want(j, ':')) return false;
        ok = seen == &typed    ? xw_json_type(j, a)
             : seen == &shaped ? xw_json_numbers(j, shape, XLAGPU_WEIGHTS_RANK_MAX, &rank)
                               : xw_json_numbers(j, offsets, 2, &n);
        if (!ok) return false;
    } while (xw_json_take(j, ','));
    if (!xw_json_want(j, '}')) return false;
    if (!typed || !shaped || !placed || n != 2) return xw_json_fail(j, "dtype, shape or data_offsets is missing");
    for (k = 0; k < rank; k++) dims[k] = (int64_t)shape[k];
    if (!xw_shape(j->w, a, dims, rank)) return false;
    if (offsets[0] > offsets[1] || offsets[1] > j->w->size - data_at)
        return xw_fail_name(j->w, a->name, strlen(a->name), "its data lie beyond the end of the file");
    if (offsets[1] - offsets[0] != a->bytes)
        return xw_fail_name(j->w, a->name, strlen(a->name), "its data have another size than its shape and type");
    a->data = j->w->base + data_at + offsets[0];
    return true;
}
static int xw_by_place(const void *x, const void *y) {
    const xlagpu_weights_array *a = *(const xlagpu_weights_array *const *)x,
                               *b = *(const xlagpu_weights_array *const *)y;
    if (a->data != b->data) return a->data < b->data ? -1 : 1;
    return a->bytes < b->bytes ? -1 : a->bytes > b->bytes;
}
/* The arrays lie one behind the other, up to the end of the file. */
static bool xw_places(xlagpu_weights *w, const unsigned char *data) {
    const xlagpu_weights_array **order =
        (const xlagpu_weights_array **)xw_alloc(w, (w->n + 1) * sizeof(const xlagpu_weights_array *));
    size_t k;
    if (!order) return false;
    for (k = 0; k < w->n; k++) order[k] = &w->arrays[k];
    qsort(order, w->n, sizeof *order, xw_by_place);
    for (k = 0; k < w->n; k++) {
        const char *name = order[k]->name;
        if (order[k]->data != data)
            return xw_fail_name(w, name, strlen(name),
                order[k]->data < data ? "its data lie on another array's" : "in front of it lie data of no array");
        data += order[k]->bytes;
    }
    return data == w->base + w->size || xw_fail(w, "behind its last array lie data of no array");
}
static bool xw_json_entry(xw_json *j, size_t data_at) {
    xlagpu_weights_array *a;
    if (!xw_json_string(j)) return false;
    if (xw_json_is(j, "__metadata__")) return xw_json_want(j, ':') && xw_json_metadata(j);
    a = xw_new(j->w, j->n ? j->text : "", j->n);
    return a && xw_json_want(j, ':') && xw_json_array(j, a, data_at);
}
static bool xw_safetensors(xlagpu_weights *w) {
    uint64_t head = xw_le64(w->base);
    xw_json j;
    bool ok = true;
    memset(&j, 0, sizeof j);
    if (head > XLAGPU_WEIGHTS_HEADER_MAX) return xw_fail(w, "its header claims more than 100 MB");
    if (head > w->size - 8) return xw_fail(w, "it is truncated: its header does not end");
    j.w = w;
    j.p = w->base + 8;
    j.end = j.p + head;
    if (!xw_json_want(&j, '{')) return false;
    if (!xw_json_take(&j, '}')) {
        do ok = xw_json_entry(&j, 8 + (size_t)head);
        while (ok && xw_json_take(&j, ','));
        ok = ok && xw_json_want(&j, '}');
    }
    xw_json_space(&j);
    if (ok && j.p != j.end) ok = xw_json_fail(&j, "something stands behind it");
    free(j.text);
    return ok && xw_places(w, w->base + 8 + head);
}

/* ---- names ---- */

static bool xw_in_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }
/* Behind the first `words` words of a name; its end where it has not so many. */
static const char *xw_skip(const char *s, uint32_t words) {
    for (; words; words--) {
        while (*s && !xw_in_word(*s)) s++;
        while (*s && xw_in_word(*s)) s++;
    }
    while (*s && !xw_in_word(*s)) s++;
    return s;
}
/* FNV-1a of the words up to the end, with one space before each; 0 for none. */
static uint64_t xw_words(const char *s, const char *end) {
    uint64_t h = 14695981039346656037u;
    bool any = false, gap = true;
    for (; s < end; s++) {
        if (!xw_in_word(*s)) {
            gap = true;
            continue;
        }
        if (gap) h = (h ^ ' ') * 1099511628211u;
        gap = false;
        any = true;
        h = (h ^ (unsigned char)*s) * 1099511628211u;
    }
    return any ? h | 1 : 0;
}
static bool xw_same_words(const char *a, const char *b, const char *b_end) {
    for (;;) {
        while (*a && !xw_in_word(*a)) a++;
        while (b < b_end && !xw_in_word(*b)) b++;
        if (!*a || b == b_end) return !*a && b == b_end;
        while (b < b_end && xw_in_word(*a) && *a == *b) {
            a++;
            b++;
        }
        if (xw_in_word(*a) || (b < b_end && xw_in_word(*b))) return false;
    }
}
static int xw_by_hash(const void *x, const void *y) {
    const xw_key *a = (const xw_key *)x, *b = (const xw_key *)y;
    if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
    if (a->dropped != b->dropped) return a->dropped < b->dropped ? -1 : 1;
    return a->array < b->array ? -1 : a->array > b->array;
}
/* The first key of that hash. */
static size_t xw_first(const xlagpu_weights *w, uint64_t hash) {
    size_t low = 0, high = w->n_keys;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (w->keys[mid].hash < hash)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}
static int xw_by_name(const void *x, const void *y) {
    return strcmp((*(const xlagpu_weights_array *const *)x)->name, (*(const xlagpu_weights_array *const *)y)->name);
}
/* The tables of names; no two arrays have the same one. */
static bool xw_index(xlagpu_weights *w) {
    size_t k;
    uint32_t d;
    if (w->n > 0x7FFFFFFF) return xw_fail(w, "it has too many arrays");
    w->by_name = (const xlagpu_weights_array **)xw_alloc(w, (w->n + 1) * sizeof *w->by_name);
    w->keys = (xw_key *)xw_alloc(w, (w->n + 1) * (XLAGPU_WEIGHTS_DROPPED_MAX + 1) * sizeof *w->keys);
    if (!w->by_name || !w->keys) return false;
    for (k = 0; k < w->n; k++) {
        const char *name = w->arrays[k].name;
        w->by_name[k] = &w->arrays[k];
        for (d = 0; d <= XLAGPU_WEIGHTS_DROPPED_MAX; d++) {
            const char *rest = d ? xw_skip(name, d) : name;
            xw_key *key = &w->keys[w->n_keys];
            if (!*rest) break;
            key->hash = xw_words(rest, rest + strlen(rest));
            key->array = (uint32_t)k;
            key->dropped = d;
            w->n_keys++;
        }
    }
    qsort(w->keys, w->n_keys, sizeof *w->keys, xw_by_hash);
    qsort(w->by_name, w->n, sizeof *w->by_name, xw_by_name);
    for (k = 1; k < w->n; k++)
        if (xw_by_name(&w->by_name[k - 1], &w->by_name[k]) == 0)
            return xw_fail_name(w, w->by_name[k]->name, strlen(w->by_name[k]->name), "two arrays have this name");
    return true;
}
size_t xlagpu_weights_count(const xlagpu_weights *w) { return w->n; }
const xlagpu_weights_array *xlagpu_weights_at(const xlagpu_weights *w, size_t index) {
    return index < w->n ? &w->arrays[index] : NULL;
}
const xlagpu_weights_array *xlagpu_weights_find(const xlagpu_weights *w, const char *name) {
    size_t low = 0, high = w->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int order = strcmp(w->by_name[mid]->name, name);
        if (!order) return w->by_name[mid];
        if (order < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return NULL;
}
/* The array whose name, less `theirs` words, has the words of s up to the end; *others: a second one. */
static const xlagpu_weights_array *xw_match(
    const xlagpu_weights *w, const char *s, const char *end, uint32_t theirs, const xlagpu_weights_array **others) {
    uint64_t hash = xw_words(s, end);
    const xlagpu_weights_array *found = NULL;
    size_t k;
    for (k = xw_first(w, hash); hash && k < w->n_keys && w->keys[k].hash == hash; k++) {
        const xlagpu_weights_array *a = &w->arrays[w->keys[k].array];
        if (w->keys[k].dropped != theirs || !xw_same_words(xw_skip(a->name, theirs), s, end)) continue;
        if (found && found != a) {
            *others = a;
            return found;
        }
        found = a;
    }
    return found;
}
const xlagpu_weights_array *xlagpu_weights_match(
    const xlagpu_weights *w, const char *parameter, const xlagpu_weights_array **others) {
    const xlagpu_weights_array *a = xlagpu_weights_find(w, parameter), *other = NULL;
    const char *end = parameter + strlen(parameter), *dot = end;
    uint32_t drop, ours, end_at;
    if (others) *others = NULL;
    while (dot > parameter && dot[-1] >= '0' && dot[-1] <= '9') dot--;
    dot = dot > parameter && dot < end && dot[-1] == '.' ? dot - 1 : NULL; /* in front of .1 */
    for (drop = 0; !a && drop <= XLAGPU_WEIGHTS_DROPPED_MAX; drop++)
        for (ours = 0; !a && ours <= drop; ours++)
            for (end_at = 0; !a && end_at < (dot ? 2u : 1u); end_at++) {
                const char *rest = ours ? xw_skip(parameter, ours) : parameter, *stop = end_at ? dot : end;
                if (rest < stop) a = xw_match(w, rest, stop, drop - ours, &other);
            }
    if (!other) return a;
    if (others) *others = other;
    return NULL;
}
bool xlagpu_weights_fits(const xlagpu_weights_array *a, const char *type, size_t type_bytes) {
    bool numpy = false; /* is it one of numpy's own types, which need no other's bits? */
    char kind = type[0] == 'p' ? 'u' : type[0], have = a->type[0] == 'p' ? 'u' : a->type[0];
    if (strcmp(a->type, type) == 0) return true;
    if (a->item != type_bytes) return false;
    if (strcmp(a->type, "raw") == 0) return true;
    numpy = strcmp(type, "f16") == 0 || strcmp(type, "f32") == 0 || strcmp(type, "f64") == 0 || kind == 'c';
    return !numpy && (have == 's' || have == 'u');
}

/* ---- files ---- */

static bool xw_read_all(xlagpu_weights *w, FILE *f) {
    size_t room = 1 << 16, got;
    w->base = (unsigned char *)malloc(room + 1);
    w->owned = true;
    while (w->base && (got = fread(w->base + w->size, 1, room - w->size, f)) > 0) {
        w->size += got;
        if (w->size == room) {
            unsigned char *more = room > (size_t)-1 / 4 ? NULL : (unsigned char *)realloc(w->base, room * 2 + 1);
            if (!more) return xw_fail(w, "out of memory");
            w->base = more;
            room *= 2;
        }
    }
    if (!w->base) return xw_fail(w, "out of memory");
    return !ferror(f) || xw_fail(w, errno == EISDIR ? "cannot be read: it is a folder" : "cannot be read");
}
#ifdef _WIN32
static bool xw_map(xlagpu_weights *w, const char *path) {
    HANDLE f = CreateFileA(path, GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL), m;
    LARGE_INTEGER n;
    if (f == INVALID_HANDLE_VALUE) return false;
    n.QuadPart = 0;
    m = GetFileSizeEx(f, &n) && n.QuadPart ? CreateFileMappingA(f, NULL, PAGE_WRITECOPY, 0, 0, NULL) : NULL;
    w->base = m ? (unsigned char *)MapViewOfFile(m, FILE_MAP_COPY, 0, 0, 0) : NULL;
    w->size = w->base ? (size_t)n.QuadPart : 0;
    if (m) CloseHandle(m);
    CloseHandle(f);
    return w->base != NULL;
}
static void xw_unmap(xlagpu_weights *w) { UnmapViewOfFile(w->base); }
#else
static bool xw_map(xlagpu_weights *w, const char *path) {
    int f = open(path, O_RDONLY);
    struct stat s;
    void *p = MAP_FAILED;
    if (f < 0) return false;
    if (fstat(f, &s) == 0 && S_ISREG(s.st_mode) && s.st_size > 0 && (uintmax_t)s.st_size <= (size_t)-1)
        p = mmap(NULL, (size_t)s.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, f, 0);
    close(f);
    if (p == MAP_FAILED) return false;
    w->base = (unsigned char *)p;
    w->size = (size_t)s.st_size;
    return true;
}
static void xw_unmap(xlagpu_weights *w) { munmap(w->base, w->size); }
#endif

static bool xw_parse(xlagpu_weights *w) {
    const unsigned char *p = w->base;
    if (w->size >= 6 && memcmp(p, "\x93NUMPY", 6) == 0) return xw_npy(w, w->base, w->size, "", 0);
    if (w->size >= 10 && p[8] == '{' && xw_le64(p) <= (uint64_t)1 << 40) return xw_safetensors(w);
    if (w->size && *p == '{')
        return xw_fail(w, "this is JSON: of a model in several files give each safetensors file, not their index");
    if (w->size < 2 || memcmp(p, "PK", 2) != 0)
        return xw_fail(w,
            w->size ? "it is no file of arrays: .npz (numpy.savez), .npy (numpy.save) or .safetensors" : "it is empty");
    return xw_npz(w);
}
static xlagpu_weights *xw_open(const char *name, char *message, size_t message_bytes) {
    xlagpu_weights *w = (xlagpu_weights *)calloc(1, sizeof *w);
    char *kept;
    if (message_bytes) message[0] = 0;
    if (!w) {
        xw_say(message, message_bytes, "%.200s: error: out of memory", name);
        return NULL;
    }
    w->message = message;
    w->message_bytes = message_bytes;
    w->path = name;
    kept = (char *)xw_alloc(w, strlen(name) + 1);
    if (kept) memcpy(kept, name, strlen(name) + 1);
    if (kept) w->path = kept;
    return w;
}
static xlagpu_weights *xw_done(xlagpu_weights *w, bool ok) {
    if (ok && xw_parse(w) && xw_index(w)) {
        w->message = NULL;
        w->message_bytes = 0;
        return w;
    }
    xlagpu_weights_close(w);
    return NULL;
}
xlagpu_weights *xlagpu_weights_read(
    const char *name, const void *bytes, size_t n, char *message, size_t message_bytes) {
    xlagpu_weights *w = xw_open(name, message, message_bytes);
    if (!w) return NULL;
    memcpy(&w->base, &bytes, sizeof w->base); /* only the caller writes there */
    w->size = n;
    return xw_done(w, true);
}
xlagpu_weights *xlagpu_weights_open(const char *path, char *message, size_t message_bytes) {
    xlagpu_weights *w = xw_open(path, message, message_bytes);
    char why[160];
    FILE *f;
    bool ok;
    if (!w) return NULL;
    w->mapped = xw_map(w, path);
    if (w->mapped) return xw_done(w, true);
    f = fopen(path, "rb"); /* a pipe, an empty file, or none at all */
    if (!f) {
        snprintf(
            why, sizeof why, "cannot be read: %.100s", errno == ENOENT ? "there is no such file" : strerror(errno));
        xw_fail(w, why);
        return xw_done(w, false);
    }
    ok = xw_read_all(w, f);
    fclose(f);
    return xw_done(w, ok);
}
void xlagpu_weights_close(xlagpu_weights *w) {
    if (!w) return;
    while (w->blocks) {
        xw_block *next = w->blocks->next;
        free(w->blocks);
        w->blocks = next;
    }
    if (w->mapped) xw_unmap(w);
    if (w->owned) free(w->base);
    free(w->arrays);
    free(w);
}

/* ---- the parameters of a program ---- */

#ifdef XLAGPU_RUNTIME_H
static void xw_put_array(char *to, size_t room, const char *name, const char *type, const int64_t *dims, uint32_t n) {
    uint32_t d;
    xw_say(to, room, "%.100s %s[", name, type);
    for (d = 0; d < n; d++) xw_say(to, room, d ? ",%lld" : "%lld", (long long)dims[d]);
    xw_say(to, room, "]");
}
static const char *xw_type_text(xlagpu_type t, size_t *bytes) {
    static const struct {
        const char *text;
        uint32_t bits;
    } rows[] = {
#define XLAGPU_X(name, text, bits, cls) {text, bits},
        XLAGPU_TYPES(XLAGPU_X)
#undef XLAGPU_X
    };
    *bytes = ((size_t)rows[t].bits + 7) / 8;
    return rows[t].text;
}
static bool xw_same_dims(const xlagpu_weights_array *a, const xlagpu_rt_value *v) {
    uint32_t d;
    for (d = 0; a->rank == v->rank && d < v->rank; d++)
        if (a->dims[d] != v->dims[d]) return false;
    return a->rank == v->rank;
}
/* Of one parameter; false: what is wrong stands in the message. */
static bool xw_bind_one(const xlagpu_weights *w, const xlagpu_rt_value *v, xlagpu_rt_tensor *input, bool *taken,
    char *message, size_t room) {
    const xlagpu_weights_array *other, *a = xlagpu_weights_match(w, v->name ? v->name : "", &other);
    size_t bytes;
    const char *type = xw_type_text(v->type, &bytes);
    if (a && xlagpu_weights_fits(a, type, bytes) && xw_same_dims(a, v) && !taken[a - w->arrays]) {
        taken[a - w->arrays] = true;
        input->data = a->data;
        input->bytes = a->bytes;
        return true;
    }
    if (!room) return false;
    if (*message)
        xw_say(message, room, "; ");
    else
        xw_say(message, room, "%.200s: error: ", w->path);
    xw_put_array(message, room, v->name ? v->name : "a parameter", type, v->dims, v->rank);
    if (!a)
        xw_say(message, room, other ? " is one of several arrays, such as '%.100s'" : " is missing",
            other ? other->name : "");
    else {
        xw_say(message, room, taken[a - w->arrays] ? " is what another parameter is: " : " is ");
        xw_put_array(message, room, a->name, a->type, a->dims, a->rank);
        xw_say(message, room, " in the file");
    }
    return false;
}
bool xlagpu_weights_bind(const xlagpu_weights *w, const xlagpu_program *program, xlagpu_rt_tensor *inputs,
    uint32_t n_inputs, char *message, size_t message_bytes) {
    bool *taken = (bool *)calloc(w->n + 1, sizeof *taken);
    xlagpu_rt_value v;
    enum {
        LISTED = 8
    };
    uint32_t k, wrong = 0;
    size_t j, extra = 0;
    if (message_bytes) message[0] = 0;
    if (!taken) {
        xw_say(message, message_bytes, "%.200s: error: out of memory", w->path);
        return false;
    }
    for (k = 0; k < n_inputs && xlagpu_rt_parameter(program, k, &v); k++)
        if (!inputs[k].data &&
            !xw_bind_one(w, &v, &inputs[k], taken, wrong < LISTED ? message : NULL, wrong < LISTED ? message_bytes : 0))
            wrong++;
    for (j = 0; !wrong && j < w->n; j++)
        if (!taken[j] && extra++ < LISTED)
            xw_say(message, message_bytes, "%s%.100s", extra == 1 ? "no parameter takes " : ", ", w->arrays[j].name);
    if (wrong + extra > LISTED)
        xw_say(message, message_bytes, " and %llu more", (unsigned long long)(wrong + extra - LISTED));
    free(taken);
    return wrong == 0;
}
#endif

#ifdef __cplusplus
}
#endif
#endif /* XLAGPU_WEIGHTS_IMPLEMENTATION */
