/* tools/npz.h -- files of arrays: safetensors, npz and npy are read by packages/c/xlagpu_weights.h, which maps them;
 * npz and npy are written here.
 *
 * Hostile files are normal: every offset and size is checked, errors come back as text. */
#ifndef XG_TOOLS_NPZ_H
#define XG_TOOLS_NPZ_H
#include "../packages/c/xlagpu_weights.h"

enum {
    NPY_RANK_MAX = XLAGPU_WEIGHTS_RANK_MAX
};
typedef xlagpu_weights_array npy_array;
typedef struct npz_file {
    const npy_array *arrays; /* in the file's memory, until npz_free */
    size_t n;
    xlagpu_weights *weights;
    unsigned char *input; /* what standard input held */
    char error[512];
} npz_file;

/* .safetensors, .npz or .npy (one array named after nothing); "-": standard input; false: error says why */
bool npz_read(const char *path, npz_file *out);
void npz_free(npz_file *f);
const npy_array *npz_find(const npz_file *f, const char *name); /* NULL when absent */
char npy_kind(const char *type); /* of HLO's type, numpy's letter: 'b' bool, 'i', 'u', 'f', 'c', 'V' raw bytes; bits of
                                  * types that numpy lacks are 'u' */
/* stored; a path ending in .npy writes the first array alone. A file that is replaced may still be mapped. */
bool npz_write(const char *path, const npy_array *arrays, size_t n, char error[256]);
const char *why_unwritable(void); /* opening or writing a file has just failed */
/* malloc'ed, NUL behind the end; NULL when it cannot be read */
unsigned char *file_read(const char *path, size_t *size);

#endif
