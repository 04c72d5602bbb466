/* tools/npz.h -- NumPy's .npz and .npy files: zip members stored or deflated (with zlib), little-endian, C or Fortran
 * order.
 *
 * Hostile files are normal: every offset and size is checked, errors come back as text. */
#ifndef XG_TOOLS_NPZ_H
#define XG_TOOLS_NPZ_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    NPY_RANK_MAX = 64
};
typedef struct npy_array {
    char name[128]; /* the member's name without .npy */
    char kind;      /* 'b' bool, 'i', 'u', 'f', 'c', 'V' raw bytes */
    uint32_t item;  /* bytes of an element */
    uint32_t rank;
    int64_t dims[NPY_RANK_MAX];
    unsigned char *data; /* C order; freed by npz_free */
    size_t bytes;
} npy_array;
typedef struct npz_file {
    npy_array *arrays;
    size_t n;
    char error[256];
} npz_file;

/* .npz or .npy (one array named after nothing); false: error says why */
bool npz_read(const char *path, npz_file *out);
void npz_free(npz_file *f);
const npy_array *npz_find(const npz_file *f, const char *name); /* NULL when absent */
/* stored; a path ending in .npy writes the first array alone */
bool npz_write(const char *path, const npy_array *arrays, size_t n, char error[256]);
/* malloc'ed, NUL behind the end; NULL when it cannot be read */
unsigned char *file_read(const char *path, size_t *size);

#endif
