/* rt/cuda_cache.c -- machine code kept in a folder that the user names, so that the driver compiles PTX only once.
 *
 * A file is named by a hash of the PTX, the driver's version and the GPU's target, and begins with these and a
 * checksum. What does not fit is as good as not there. A failure to read or write is none of the program's: then the
 * driver compiles as it does without a folder. Files are written under another name and renamed, so that no process
 * reads half of one. */
#ifndef XG_RT_CUDA_CACHE_C
#define XG_RT_CUDA_CACHE_C
#include "rt.h"
#include "cuda.c"
#include <stdio.h>

typedef struct xr_cached {
    char magic[8];
    uint64_t ptx, ptx_bytes, bytes, sum;
    int32_t driver;
    char target[20];
} xr_cached;

XG_FN XG_COLD uint64_t xr_cache_hash(const void *p, size_t n, uint64_t h) { /* FNV-1a */
    const unsigned char *c = (const unsigned char *)p;
    size_t k;
    for (k = 0; k < n; k++) h = (h ^ c[k]) * 0x100000001B3u;
    return h;
}

XG_FN XG_COLD bool xr_cache_key(xlagpu_device *d, const xg_source *ptx, xr_cached *key, char *path, size_t cap) {
    const xr_cuda *u = (const xr_cuda *)d->state;
    uint64_t h;
    if (!u->cache) return false;
    memset(key, 0, sizeof *key);
    memcpy(key->magic, "xgcubin", 8);
    key->ptx = xr_cache_hash(ptx->text, ptx->size, 0xCBF29CE484222325u);
    key->ptx_bytes = ptx->size;
    key->driver = u->version;
    memcpy(key->target, d->target, sizeof d->target);
    h = xr_cache_hash(&key->driver, sizeof key->driver + sizeof key->target, key->ptx);
    return xg_format(path, cap, "%s/xlagpu-%016llx.cubin", u->cache, (unsigned long long)h) < cap;
}

/* Has the file so many bytes behind its head, and no more? So that a damaged number asks for no memory. */
XG_FN XG_COLD bool xr_cache_holds(FILE *f, uint64_t bytes) {
    bool ok = bytes && bytes < (uint64_t)1 << 31 && fseek(f, 0, SEEK_END) == 0 &&
              (uint64_t)ftell(f) == sizeof(xr_cached) + bytes;
    return ok && fseek(f, (long)sizeof(xr_cached), SEEK_SET) == 0;
}

/* The machine code, from the device's allocator; NULL: there is none. */
XG_FN XG_COLD void *xr_cache_read(xlagpu_device *d, const xg_source *ptx) {
    xr_cached key, head;
    char path[1200];
    void *code = NULL;
    FILE *f;
    if (!xr_cache_key(d, ptx, &key, path, sizeof path)) return NULL;
    f = fopen(path, "rb");
    if (!f) return NULL;
    if (fread(&head, 1, sizeof head, f) == sizeof head) {
        key.bytes = head.bytes;
        key.sum = head.sum;
        if (memcmp(&key, &head, sizeof key) == 0 && xr_cache_holds(f, head.bytes))
            code = xg_mem_alloc(&d->c, (size_t)head.bytes);
    }
    if (code && (fread(code, 1, (size_t)head.bytes, f) != head.bytes ||
                    xr_cache_hash(code, (size_t)head.bytes, 1) != head.sum)) {
        xg_mem_free(&d->c, code);
        code = NULL;
    }
    fclose(f);
    return code;
}

XG_FN XG_COLD void xr_cache_write(xlagpu_device *d, const xg_source *ptx, const void *code, size_t bytes) {
    xr_cached head;
    char path[1200], other[1300]; /* a name that no other device has, in whatever process */
    FILE *f;
    bool ok;
    if (!xr_cache_key(d, ptx, &head, path, sizeof path)) return;
    head.bytes = bytes;
    head.sum = xr_cache_hash(code, bytes, 1);
    xg_format(
        other, sizeof other, "%s.%llx.%llx", path, (unsigned long long)xr_process(), (unsigned long long)(uintptr_t)d);
    f = fopen(other, "wb");
    if (!f) return;
    ok = fwrite(&head, 1, sizeof head, f) == sizeof head && fwrite(code, 1, bytes, f) == bytes;
    if (fclose(f) != 0) ok = false;
    if (ok) ok = rename(other, path) == 0;
    if (!ok) remove(other);
}

/* PTX to machine code by the driver's linker, where a folder is named for it. The code lives as long as the link, which
 * is the caller's to destroy. */
XG_FN XG_COLD bool xr_cache_link(
    const xr_cuda *u, const xg_source *ptx, void **link, const void **code, size_t *bytes) {
    enum {
        PTX = 1
    };
    void *text, *made = NULL;
    if (!u->cache || !u->linker || u->link_create(0, NULL, NULL, link)) return false;
    memcpy(&text, &ptx->text, sizeof text);
    if (u->link_add(*link, PTX, text, ptx->size + 1, "xlagpu", 0, NULL, NULL)) return false;
    if (u->link_complete(*link, &made, bytes)) return false;
    *code = made;
    return *bytes != 0;
}

#endif /* XG_RT_CUDA_CACHE_C */
