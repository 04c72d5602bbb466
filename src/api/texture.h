/* api/texture.h -- a texture of the PTX simulator: what cudaResourceDesc and cudaTextureDesc say of one. */
#ifndef XG_API_TEXTURE_H
#define XG_API_TEXTURE_H
#include <stdbool.h>
#include <stdint.h>

/* An array in device memory that `tex` reads, with CUDA's numbers. Zero is the default, as it is CUDA's: texels by
 * coordinates that count them, the nearest one, and those at the edge again beyond it. */
typedef struct xlagpu_texture {
    uint64_t address;   /* of the first texel: a multiple of a texel's bytes */
    uint64_t row_bytes; /* from one row to the next; 0: they follow each other */
    uint32_t dims[3];   /* texels: width, height, depth; height 0: one dimension, depth 0: two */
    uint32_t layers;    /* of tex1DLayered and tex2DLayered, one after the other; 0: it has none */
    uint32_t kind;      /* of a component: 0 signed, 1 unsigned, 2 float, as cudaChannelFormatKind */
    uint32_t bits;      /* of a component: 8, 16, 32 */
    uint32_t channels;  /* components of a texel: 1, 2, 4 */
    /* By dimension: 0 wrap, 1 clamp, 2 mirror, 3 border (which is 0), as cudaTextureAddressMode; wrap and mirror are
     * clamp where coordinates are not normalised. */
    uint32_t address_mode[3];
    uint32_t linear;           /* not 0: linear filtering */
    uint32_t normalized;       /* not 0: coordinates from 0 to 1 */
    uint32_t normalized_float; /* not 0: integers of 8 and 16 bits are read as floats from 0 or -1 to 1 */
} xlagpu_texture;

#endif /* XG_API_TEXTURE_H */
