/* tools/tensor.c -- arrays of a module's types: drawn at random, taken from .npz files, compared, shown. In memory they
 * lie as xlagpu_tensor says. */
#include "tool.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- types ---- */

static bool type_is(xlagpu_type t, const char *prefix) {
    return strncmp(xlagpu_type_text(t), prefix, strlen(prefix)) == 0;
}
static bool is_complex(xlagpu_type t) { return t == XLAGPU_C64 || t == XLAGPU_C128; }
bool tensor_is_float(xlagpu_type t) { return type_is(t, "f") || t == XLAGPU_BF16; }
static bool is_integer(xlagpu_type t) { return type_is(t, "s") || type_is(t, "u"); }
xlagpu_type tensor_real(xlagpu_type t) { return t == XLAGPU_C64 ? XLAGPU_F32 : t == XLAGPU_C128 ? XLAGPU_F64 : t; }
size_t tensor_count(const tensor *t) {
    size_t b = xlagpu_type_bytes(t->type);
    return b ? t->bytes / b : 0;
}

/* ---- bounded dimensions: an array of the bounds, then a size for each of them ---- */

/* The s32[] behind t that says how much of its dimension d there is, or NULL. A list of tensors ends with one of
 * zeros. */
static const tensor *size_tensor(const tensor *t, uint32_t d) {
    for (t++; t->size_of; t++)
        if (t->size_of == d + 1) return t;
    return NULL;
}
static int64_t real_dim(const tensor *t, uint32_t d) {
    const tensor *s = size_tensor(t, d);
    int32_t n;
    if (!s) return t->dims[d];
    memcpy(&n, s->data, sizeof n);
    return n < 0 ? 0 : n > t->dims[d] ? t->dims[d] : n;
}
/* Rows of what is there, densely, to or from their places within the bounds; the dense ones may lie in the same memory
 * when it is read. */
static void move_rows(const tensor *t, const int64_t *real, unsigned char *dense, const unsigned char *from_dense) {
    size_t size = xlagpu_type_bytes(t->type), row = (size_t)(t->rank ? real[t->rank - 1] : 1) * size, rows = 1, k,
           place, index;
    uint32_t d;
    for (d = 0; d + 1 < t->rank; d++) rows *= (size_t)real[d];
    for (k = 0; row && k < rows; k++) {
        size_t scale = t->rank ? (size_t)t->dims[t->rank - 1] : 1;
        for (place = 0, index = k, d = t->rank ? t->rank - 1 : 0; d-- > 0; scale *= (size_t)t->dims[d]) {
            place += index % (size_t)real[d] * scale;
            index /= (size_t)real[d];
        }
        if (from_dense)
            memcpy(t->data + place * size, from_dense + k * row, row);
        else
            memmove(dense + k * row, t->data + place * size, row);
    }
}
/* A file of arrays, open as long as tensors have their data there; which arrays are some tensor's; by_name: one was
 * found by its parameter's name. */
typedef struct arrays_file {
    npz_file file;
    const char *path;
    bool *taken, by_name;
    uint32_t users;
} arrays_file;
static void file_release(arrays_file *f) {
    if (!f || --f->users) return;
    npz_free(&f->file);
    free(f->taken);
    free(f);
}
static void data_release(tensor *t) {
    if (t->file)
        file_release(t->file);
    else
        free(t->data);
    t->file = NULL;
    t->data = NULL;
}
void tensor_release(tensor *t) {
    data_release(t);
    free(t->own_dims);
    t->own_dims = NULL;
}
int tensors_trim(tensor *t, uint32_t *n) {
    uint32_t k, d, kept = 0;
    for (k = 0; k < *n; k++) {
        int64_t *real;
        if (t[k].size_of) {
            tensor_release(&t[k]);
            continue;
        }
        if (t[k + 1].size_of) {
            real = (int64_t *)malloc(((size_t)t[k].rank + 1) * sizeof *real);
            if (!real) return fail(DEVICE, "xlagpu: error: out of memory");
            t[k].bytes = xlagpu_type_bytes(t[k].type);
            for (d = 0; d < t[k].rank; d++) {
                real[d] = real_dim(&t[k], d);
                t[k].bytes *= (size_t)real[d];
            }
            move_rows(&t[k], real, t[k].data, NULL);
            t[k].dims = t[k].own_dims = real;
        }
        t[kept++] = t[k];
    }
    for (k = kept; k < *n; k++) memset(&t[k], 0, sizeof t[k]);
    *n = kept;
    return OK;
}

/* ---- random arguments ---- */

static inline double random_unit(uint64_t *s) { /* in [-1, 1) */
    uint64_t z = (*s += 0x9E3779B97F4A7C15u);
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (double)((z ^ z >> 31) >> 11) / 4503599627370496.0 - 1.0;
}

/* What xlagpu_set_element would store, for the types that fill large arrays: a double's upper bits, the last one of
 * which says whether all the lower ones are zero, make an f32 from which a bf16 is rounded right. No branch depends on
 * the value. */
static void random_f32(tensor *t, uint64_t *seed) {
    size_t n = t->bytes / 4, k;
    unsigned char *out = t->data; /* it and the seed in registers: the stores of bytes might change them else */
    uint64_t s = *seed;
    for (k = 0; k < n; k++) {
        float f = (float)random_unit(&s);
        memcpy(out + 4 * k, &f, 4);
    }
    *seed = s;
}
static void random_bf16(tensor *t, uint64_t *seed) {
    size_t n = t->bytes / 2, k;
    unsigned char *out = t->data; /* it and the seed in registers: the stores of bytes might change them else */
    uint64_t s = *seed;
    for (k = 0; k < n; k++) {
        double u = random_unit(&s);
        uint64_t d;
        uint32_t b;
        uint16_t h;
        memcpy(&d, &u, 8);
        b = (uint32_t)(d >> 32 & 0x80000000u) | ((uint32_t)((d & 0x7FFFFFFFFFFFFFFFu) >> 29) - ((1023u - 127u) << 23)) |
            ((d & 0x1FFFFFFFu) != 0);
        if (u == 0) b = 0; /* all others are normal numbers of both types */
        h = (uint16_t)((b + 0x7FFFu + (b >> 16 & 1)) >> 16);
        memcpy(out + 2 * k, &h, 2);
    }
    *seed = s;
}

/* What a float of at most 16 bits is made of, found by what 1, 1.5 and -1 are stored as. */
typedef struct small_float {
    uint32_t fraction, bias, sign;
} small_float;
static uint32_t small_code(xlagpu_type t, double x) {
    unsigned char p[16] = {0};
    xlagpu_set_element(t, p, x);
    return p[0] | (uint32_t)p[1] << 8;
}
static bool small_float_of(xlagpu_type t, small_float *f) {
    const uint32_t one = small_code(t, 1);
    uint32_t half = small_code(t, 1.5) - one;
    f->sign = one ^ small_code(t, -1);
    for (f->fraction = 1; half > 1; half /= 2) f->fraction++;
    f->bias = one >> f->fraction;
    return xlagpu_type_bytes(t) <= 2 && tensor_is_float(t) && half == 1 && one == f->bias << f->fraction && f->sign;
}
/* A double's exponent is moved and its fraction rounded to even; subnormal results are left to the library. */
static void random_small(tensor *t, const small_float *f, uint64_t *seed) {
    const size_t size = xlagpu_type_bytes(t->type), n = t->bytes / size;
    const uint32_t away = 52 - f->fraction;
    const uint64_t least = (uint64_t)(1023 + 1 - f->bias) << 52, moved = (uint64_t)(1023 - f->bias) << f->fraction;
    unsigned char *out = t->data;
    uint64_t s = *seed;
    size_t k;
    for (k = 0; k < n; k++, out += size) {
        double u = random_unit(&s);
        uint64_t d, m;
        memcpy(&d, &u, 8);
        m = d & 0x7FFFFFFFFFFFFFFFu;
        if (m < least) {
            xlagpu_set_element(t->type, out, u);
            continue;
        }
        m = ((m + ((uint64_t)1 << (away - 1)) - 1 + (m >> away & 1)) >> away) - moved;
        m |= d >> 63 ? f->sign : 0;
        out[0] = (unsigned char)m;
        if (size == 2) out[1] = (unsigned char)(m >> 8);
    }
    *seed = s;
}
/* Sixteen values: -8 to 7, or 0 to 15. */
static void random_integers(tensor *t, uint64_t *seed) {
    const size_t n = tensor_count(t), size = xlagpu_type_bytes(t->type);
    const bool is_unsigned = type_is(t->type, "u");
    unsigned char values[16][16], *out = t->data;
    uint64_t s = *seed;
    size_t k;
    for (k = 0; k < 16; k++) xlagpu_set_element(t->type, values[k], (double)k - (is_unsigned ? 0 : 8));
    for (k = 0; k < n; k++) memcpy(out + k * size, values[(int)((random_unit(&s) + 1) * 8)], size);
    *seed = s;
}

/* Floats uniform in [-1, 1), integers small, pred half true. Equal bounds get equal sizes, as most programs want
 * them. */
void tensor_random(tensor *t, uint64_t *seed) {
    size_t n = tensor_count(t), size = xlagpu_type_bytes(t->type), k;
    small_float small;
    if (t->size_of) {
        const tensor *of = t;
        int32_t v;
        uint64_t own = 977;
        while (of->size_of) of--;
        own += (uint64_t)of->dims[t->size_of - 1];
        v = (int32_t)((random_unit(&own) + 1) / 2 * (double)(of->dims[t->size_of - 1] + 1));
        memcpy(t->data, &v, sizeof v);
        return;
    }
    if (t->type == XLAGPU_F32) {
        random_f32(t, seed);
        return;
    }
    if (t->type == XLAGPU_BF16) {
        random_bf16(t, seed);
        return;
    }
    if (small_float_of(t->type, &small)) {
        random_small(t, &small, seed);
        return;
    }
    if (is_integer(t->type)) {
        random_integers(t, seed);
        return;
    }
    for (k = 0; k < n; k++) {
        unsigned char *p = t->data + k * size;
        double u = random_unit(seed);
        if (t->type == XLAGPU_PRED)
            *p = u > 0;
        else
            xlagpu_set_element(tensor_real(t->type), p, u);
        if (is_complex(t->type)) xlagpu_set_element(tensor_real(t->type), p + size / 2, random_unit(seed));
    }
}

/* ---- .npz ---- */

static void show_shape(const int64_t *dims, uint32_t rank, char out[256]) {
    uint32_t d;
    out[0] = 0;
    for (d = 0; d < rank && strlen(out) < 220; d++)
        snprintf(out + strlen(out), 256 - strlen(out), "%s%lld", d ? "," : "", (long long)dims[d]);
}

/* Types narrower than their bytes: a value that is none is refused; a truth value becomes 0 or 1, in memory alone. */
static bool narrow_ok(tensor *t) {
    size_t k;
    for (k = 0; k < t->bytes; k++) {
        unsigned char before = t->data[k], after = before;
        if (t->type == XLAGPU_PRED) {
            if (before > 1) t->data[k] = 1;
            continue;
        }
        if (!is_integer(t->type)) {
            if (type_is(t->type, "f4") ? before > 15 : type_is(t->type, "f6") && before > 63) return false;
            continue;
        }
        xlagpu_set_element(t->type, &after, type_is(t->type, "s") ? (double)(signed char)before : (double)before);
        if (xlagpu_get_element(t->type, &after) !=
            (type_is(t->type, "s") ? (double)(signed char)before : (double)before))
            return false;
    }
    return true;
}

/* numpy's name of a type, float32, or HLO's where it has none. */
static void show_type(const char *type, uint32_t item, char out[32]) {
    char kind = npy_kind(type);
    if (kind == 'b')
        snprintf(out, 32, "bool");
    else if (kind == 'V')
        snprintf(out, 32, "%u raw bytes", item);
    else if (kind == 'u' && type[0] != 'u')
        snprintf(out, 32, "%s", type);
    else
        snprintf(out, 32, "%s%u",
            kind == 'i'   ? "int"
            : kind == 'u' ? "uint"
            : kind == 'f' ? "float"
                          : "complex",
            8 * item);
}
static void show_needed(const tensor *t, char out[96]) {
    const char *type = xlagpu_type_text(t->type);
    uint32_t item = (uint32_t)xlagpu_type_bytes(t->type);
    char name[32];
    show_type(type, item, name);
    if (npy_kind(type) == 'u' && type[0] != 'u')
        snprintf(out, 96, "its bits as uint%u", 8 * item);
    else
        snprintf(out, 96, "%s", name);
}

static const npy_array *tensor_of_file(
    const tensor *t, const arrays_file *f, const char *prefix, uint32_t k, const npy_array **others) {
    char name[32];
    const npy_array *a;
    *others = NULL;
    snprintf(name, sizeof name, "%s%u", prefix, k);
    a = npz_find(&f->file, name);
    if (!a && k == 0 && f->file.n == 1 && !f->file.arrays[0].name[0]) a = &f->file.arrays[0]; /* a .npy file */
    return a || !t->name ? a : xlagpu_weights_match(f->file.weights, t->name, others);
}
static int file_open(const char *path, arrays_file **out) {
    arrays_file *f = *out = (arrays_file *)calloc(1, sizeof *f);
    int rc = f ? OK : fail(DEVICE, "xlagpu: error: out of memory");
    if (rc) return rc;
    f->path = path;
    f->users = 1;
    if (!npz_read(path, &f->file)) return fail(BAD, "%s", f->file.error);
    f->taken = (bool *)calloc(f->file.n + 1, sizeof *f->taken);
    return f->taken ? OK : fail(DEVICE, "xlagpu: error: out of memory");
}
static void file_note_extra(const arrays_file *f) {
    char list[400] = "";
    size_t k, extra = 0;
    for (k = 0; k < f->file.n; k++)
        if (!f->taken[k] && extra++ < 4)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%.80s", extra > 1 ? ", " : "",
                f->file.arrays[k].name);
    if (extra > 4) snprintf(list + strlen(list), sizeof list - strlen(list), " and %zu more", extra - 4);
    if (extra) fail(OK, "%s: note: no parameter takes %s", f->path, list);
}

/* What a file holds: "'a', float32 of shape (2,3); ..." */
static void show_arrays(const npz_file *f, char *list, size_t room) {
    char shape[256], of[32];
    size_t j;
    list[0] = 0;
    for (j = 0; j < f->n && strlen(list) < 300; j++) {
        const npy_array *a = &f->arrays[j];
        show_shape(a->dims, a->rank, shape);
        show_type(a->type, a->item, of);
        snprintf(list + strlen(list), room - strlen(list), "%s'%.80s', %s of shape (%.100s)", j ? "; " : "", a->name,
            of, shape);
    }
    snprintf(list + strlen(list), room - strlen(list), "%s%s", f->n ? "" : "nothing", j < f->n ? "; ..." : "");
}
/* " 0 (x) is f32[2] and needs float32" */
static void show_wanted(const tensor *t, uint32_t k, char *out, size_t room) {
    char need[256], type[96];
    show_shape(t->dims, t->rank, need);
    show_needed(t, type);
    snprintf(out, room, " %u%s%.80s%s is %s[%s] and needs %s", k, t->name ? " (" : "", t->name ? t->name : "",
        t->name ? ")" : "", xlagpu_type_text(t->type), need, type);
}
/* The arrays that are wanted and in none of the files: what is wanted, and what there is. */
static int no_arrays(
    const tensor *t, uint32_t n, const bool *missing, const arrays_file *file, const char *prefix, const char *what) {
    char text[1600] = "", list[700], one[600];
    uint32_t k, array = 0, said = 0, first = 0, most = 8;
    for (k = 0; k < n; k++) {
        if (t[k].size_of) continue;
        if (missing[k] && said++ < most && strlen(text) < 900) {
            if (said == 1) first = array;
            show_wanted(&t[k], array, one, sizeof one);
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s%s", said > 1 ? ", " : "", what, one);
        }
        array++;
    }
    if (said > most) snprintf(text + strlen(text), sizeof text - strlen(text), " and %u more", said - most);
    show_arrays(&file->file, list, sizeof list);
    return fail(
        BAD, "%s: error: there is no array '%s%u'; %s. The file holds %s", file->path, prefix, first, text, list);
}
/* The array becomes the tensor's, in the file's memory if it is whole. */
static int tensor_take(tensor *t, const npy_array *a, arrays_file *f, uint32_t k, const char *what) {
    const char *path = f->path;
    char have[256], need[256], has[32], needed[96], array[300] = "the array"; /* a .npy file has no name for it */
    const char *type = xlagpu_type_text(t->type);
    uint32_t item = (uint32_t)xlagpu_type_bytes(t->type), d;
    bool same = a->rank == t->rank, sized = t[1].size_of != 0;
    for (d = 0; same && d < t->rank; d++)
        same = a->dims[d] == t->dims[d] || (size_tensor(t, d) && a->dims[d] < t->dims[d]);
    show_shape(a->dims, a->rank, have);
    show_shape(t->dims, t->rank, need);
    if (a->name[0]) snprintf(array, sizeof array, "array '%s'", a->name);
    if (!same) return fail(BAD, "%s: error: %s has the shape (%s); %s %u needs (%s)", path, array, have, what, k, need);
    if (!xlagpu_weights_fits(a, type, item)) {
        show_type(a->type, a->item, has);
        show_needed(t, needed);
        return fail(BAD, "%s: error: %s is %s; %s %u is %s and needs %s", path, array, has, what, k, type, needed);
    }
    if (!sized && a->bytes != t->bytes)
        return fail(BAD, "%s: error: %s has %zu bytes; %s %u needs %zu", path, array, a->bytes, what, k, t->bytes);
    if (sized) { /* some of the array is there */
        for (d = 0; d < t->rank; d++)
            if (size_tensor(t, d)) {
                int32_t n = (int32_t)a->dims[d];
                memcpy(size_tensor(t, d)->data, &n, sizeof n);
            }
        move_rows(t, a->dims, NULL, a->data);
    } else {
        data_release(t);
        t->data = a->data;
        t->file = f;
        f->users++;
    }
    return item > 1 || narrow_ok(t)
               ? OK
               : fail(BAD, "%s: error: %s has a value that %s %u, of type %s, cannot have", path, array, what, k, type);
}
static int tensor_from_files(
    tensor *t, uint32_t k, arrays_file **files, int n_files, const char *prefix, const char *what, bool *missing) {
    const npy_array *a = NULL, *others = NULL;
    arrays_file *f = NULL;
    int i;
    for (i = 0; i < n_files && !a; i++) {
        f = files[i];
        a = tensor_of_file(t, f, prefix, k, &others);
        if (others)
            return fail(BAD, "%s: error: several arrays could be %s %u (%s), '%s' is one: give it that name or arg%u",
                f->path, what, k, t->name, others->name, k);
    }
    *missing = !a;
    if (!a) return OK;
    if (f->taken[a - f->file.arrays])
        return fail(BAD, "%s: error: array '%s' would be two %ss, the second is %u%s%s%s", f->path, a->name, what, k,
            t->name ? " (" : "", t->name ? t->name : "", t->name ? ")" : "");
    f->taken[a - f->file.arrays] = true;
    if (strncmp(a->name, prefix, strlen(prefix)) != 0 && a->name[0]) f->by_name = true;
    return tensor_take(t, a, f, k, what);
}
static int tensors_from_files(
    tensor *t, uint32_t n, arrays_file **files, int n_files, const char *prefix, const char *what, tensor_gaps *gaps) {
    bool *missing = (bool *)calloc((size_t)n + 1, sizeof *missing), any = false, some = false, by_name = false;
    uint32_t k, array = 0;
    int rc = missing ? OK : fail(DEVICE, "xlagpu: error: out of memory"), i;
    for (k = 0; k < n && !rc; k++) {
        if (t[k].size_of) { /* sizes stand behind their array */
            missing[k] = missing[k - 1];
            continue;
        }
        rc = tensor_from_files(&t[k], array++, files, n_files, prefix, what, &missing[k]);
        any = any || missing[k];
        some = some || !missing[k];
    }
    for (k = 0; k < n && !rc && gaps->seed; k++)
        if (missing[k]) tensor_random(&t[k], gaps->seed);
    for (k = 0; k < n && !rc && gaps->given; k++) gaps->given[k] = !missing[k];
    if (!rc && any && !gaps->seed && !(gaps->given && some))
        rc = no_arrays(t, n, missing, files[n_files - 1], prefix, what);
    for (i = 0; i < n_files && !rc; i++) by_name = by_name || files[i]->by_name;
    for (i = 0; i < n_files && !rc && by_name; i++) file_note_extra(files[i]);
    free(missing);
    return rc;
}
int tensors_load(tensor *t, uint32_t n, const char *const *paths, int n_paths, const char *prefix, const char *what,
    tensor_gaps *gaps) {
    arrays_file **files = (arrays_file **)calloc((size_t)n_paths + 1, sizeof *files);
    int rc = files ? OK : fail(DEVICE, "xlagpu: error: out of memory"), i;
    for (i = 0; i < n_paths && !rc; i++) rc = file_open(paths[i], &files[i]);
    if (!rc) rc = tensors_from_files(t, n, files, n_paths, prefix, what, gaps);
    for (i = 0; files && i < n_paths; i++) file_release(files[i]);
    free(files);
    return rc;
}

void tensor_array(const tensor *t, const char *name, npy_array *out) {
    memset(out, 0, sizeof *out);
    out->name = name;
    out->type = xlagpu_type_text(t->type);
    out->item = (uint32_t)xlagpu_type_bytes(t->type);
    out->rank = t->rank;
    out->dims = t->dims;
    out->data = t->data;
    out->bytes = t->bytes;
}

/* ---- comparing ---- */

double tensor_ulp(xlagpu_type t) {
    unsigned char one[16], next[16];
    memset(one, 0, sizeof one);
    xlagpu_set_element(t, one, 1);
    memcpy(next, one, sizeof next);
    next[0]++; /* little-endian: the mantissa's last bit; 1.0 has none set */
    return xlagpu_get_element(t, next) - xlagpu_get_element(t, one);
}
/* What an absolute tolerance is a part of, at most 1: the largest finite magnitude, or the usual one (root of the mean
 * square). */
static double size_of_values(const tensor *t, bool usual) {
    xlagpu_type r = tensor_real(t->type);
    size_t size = xlagpu_type_bytes(r), n = size ? tensor_count(t) * (r == t->type ? 1 : 2) : 0, k;
    double most = 0, squares = 0;
    for (k = 0; k < n && (usual || most < 1); k++) {
        double x = fabs(xlagpu_get_element(r, t->data + k * size));
        if (!isfinite(x)) continue;
        if (x > most) most = x;
        squares += x * x;
    }
    if (usual && n) most = sqrt(squares / (double)n);
    return most < 1 ? most : 1;
}
void tolerance_of(const tensor *want, const flag_values *f, bool strict, double *rtol, double *atol) {
    xlagpu_type r = tensor_real(want->type);
    double usual = !tensor_is_float(r) ? 0
                   : r == XLAGPU_F64   ? 1e-12
                   : r == XLAGPU_F32   ? 1e-5
                   : r == XLAGPU_F16   ? 2e-3
                   : r == XLAGPU_BF16  ? 1.6e-2
                                       : 0.25;
    *rtol = f->set[FLAG_rtol] ? f->rtol : usual;
    strict = strict && tensor_is_float(r) && tensor_ulp(r) > NARROW_ULP;
    *atol = f->set[FLAG_atol]   ? f->atol
            : f->set[FLAG_rtol] ? 0
                                : usual * (strict ? 0.5 : 1) * size_of_values(want, strict);
    if (is_integer(r)) *atol = (double)f->int_atol;
}

/* |got - want| over what is allowed; above 1 is too much. */
static void compare_reals(difference *d, xlagpu_type t, const unsigned char *want, const unsigned char *got,
    double rtol, double atol, size_t index, bool *bad) {
    double w = xlagpu_get_element(t, want), g = xlagpu_get_element(t, got), error = fabs(g - w),
           bound = tensor_is_float(t) ? atol + rtol * fabs(w) : 0, excess;
    if (tensor_is_float(t) ? w == g || (isnan(w) && isnan(g)) : memcmp(want, got, xlagpu_type_bytes(t)) == 0) return;
    if (is_integer(t)) bound = atol; /* --int-atol; 64-bit integers far from zero are compared as doubles */
    excess = isfinite(w) && isfinite(g) && bound > 0 ? error / bound : HUGE_VAL;
    if (isnan(error)) error = HUGE_VAL;
    if (excess > d->excess || (excess == d->excess && error > d->error)) {
        d->excess = excess;
        d->error = error;
        d->index = index;
    }
    *bad = *bad || excess > 1;
}
difference tensor_compare(const tensor *want, const tensor *got, double rtol, double atol) {
    size_t n = tensor_count(want), size = xlagpu_type_bytes(want->type), k;
    xlagpu_type real = tensor_real(want->type);
    difference d;
    memset(&d, 0, sizeof d);
    for (k = 0; k < n; k++) {
        const unsigned char *w = want->data + k * size, *g = got->data + k * size;
        bool bad = false;
        if (memcmp(w, g, size) == 0) continue;
        compare_reals(&d, real, w, g, rtol, atol, k, &bad);
        if (is_complex(want->type)) compare_reals(&d, real, w + size / 2, g + size / 2, rtol, atol, k, &bad);
        d.bad += bad;
    }
    return d;
}

void tensor_show_index(const tensor *t, size_t index, char out[256]) {
    int64_t at[NPY_RANK_MAX];
    uint32_t d;
    for (d = t->rank; d-- > 0;) {
        at[d] = t->dims[d] ? (int64_t)(index % (size_t)t->dims[d]) : 0;
        if (t->dims[d]) index /= (size_t)t->dims[d];
    }
    show_shape(at, t->rank, out);
}
void tensor_show(const tensor *t, size_t index, char out[96]) {
    size_t size = xlagpu_type_bytes(t->type);
    const unsigned char *p = t->data + index * size;
    int64_t i;
    if (index >= tensor_count(t)) {
        out[0] = 0;
        return;
    }
    if (size == 8 && is_integer(t->type)) {
        memcpy(&i, p, 8);
        if (type_is(t->type, "u"))
            snprintf(out, 96, "%llu", (unsigned long long)i);
        else
            snprintf(out, 96, "%lld", (long long)i);
    } else if (is_complex(t->type))
        snprintf(out, 96, "(%.9g, %.9g)", xlagpu_get_element(tensor_real(t->type), p),
            xlagpu_get_element(tensor_real(t->type), p + size / 2));
    else
        snprintf(out, 96,
            t->type == XLAGPU_F64      ? "%.17g"
            : tensor_is_float(t->type) ? "%.9g"
                                       : "%.0f",
            xlagpu_get_element(t->type, p));
}
bool tensor_same_shape(const tensor *a, const tensor *b) {
    uint32_t d;
    if (a->type != b->type || a->rank != b->rank) return false;
    for (d = 0; d < a->rank; d++)
        if (a->dims[d] != b->dims[d]) return false;
    return true;
}
void difference_show(const tensor *want, const tensor *got, uint32_t k, size_t index, char out[600]) {
    char at[256], wanted[96], found[96];
    tensor_show_index(got, index, at);
    tensor_show(want, index, wanted);
    tensor_show(got, index, found);
    snprintf(out, 600, "out%u[%s]: want %s, got %s", k, at, wanted, found);
}

/* ---- as XLA prints literals ---- */

/* The fewest digits that give the same element again. */
static void print_real(xlagpu_type t, const unsigned char *element) {
    double v = xlagpu_get_element(t, element);
    unsigned char again[16];
    char text[40];
    int digits;
    if (v != v || v - v != 0) {
        fputs(v != v ? "nan" : v < 0 ? "-inf" : "inf", stdout);
        return;
    }
    for (digits = 1; digits < 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        xlagpu_set_element(t, again, strtod(text, NULL));
        if (memcmp(again, element, xlagpu_type_bytes(t)) == 0) break;
    }
    printf("%.*g", digits, v);
}
static void print_element(const tensor *t, size_t index) {
    size_t size = xlagpu_type_bytes(t->type);
    const unsigned char *p = t->data + index * size;
    xlagpu_type real = tensor_real(t->type);
    char text[96];
    if (is_complex(t->type)) {
        putchar('(');
        print_real(real, p);
        fputs(", ", stdout);
        print_real(real, p + size / 2);
        putchar(')');
    } else if (tensor_is_float(t->type))
        print_real(t->type, p);
    else if (t->type == XLAGPU_PRED)
        putchar(*p ? '1' : '0');
    else {
        tensor_show(t, index, text);
        fputs(text, stdout);
    }
}
/* The elements from *index on of dimension d and those inside it: rows have blanks inside their braces, a vector has
 * none. */
static void print_dimension(const tensor *t, uint32_t d, size_t *index) {
    bool row = d + 1 == t->rank, vector = t->rank == 1;
    int64_t k;
    fputs(vector ? "{" : row ? "  { " : "{\n", stdout);
    for (k = 0; k < t->dims[d]; k++) {
        if (row)
            print_element(t, (*index)++);
        else
            print_dimension(t, d + 1, index);
        fputs(k + 1 == t->dims[d] ? "" : row ? ", " : ",\n", stdout);
    }
    fputs(vector ? "}" : row ? " }" : "\n}", stdout);
}
static void print_tensor(const tensor *t) {
    size_t index = 0;
    uint32_t d;
    printf("%s[", xlagpu_type_text(t->type));
    for (d = 0; d < t->rank; d++) printf("%s%lld", d ? "," : "", (long long)t->dims[d]);
    printf("] ");
    if (t->rank)
        print_dimension(t, 0, &index);
    else
        print_element(t, 0);
}
void tensors_print(const tensor *t, uint32_t n) {
    uint32_t k;
    if (n != 1) puts("(");
    for (k = 0; k < n; k++) {
        print_tensor(&t[k]);
        puts(k + 1 < n ? "," : "");
    }
    if (n != 1) puts(")");
}
