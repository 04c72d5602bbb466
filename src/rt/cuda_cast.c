/* rt/cuda_cast.c -- multicast objects of the driver: memory of several GPUs behind one address, which NVLink's switches
 * reduce and write (peers.c).
 *
 * All devices are added to the object, each binds memory of its own to it, maps that, and maps the object. What has
 * been done half way, xr_cuda_uncast takes back: the driver refuses to end what did not begin. */
#ifndef XG_RT_CUDA_CAST_C
#define XG_RT_CUDA_CAST_C
#include "cuda.c"

#ifdef XR_CLIQUES
enum {
    XR_CUDA_ON_DEVICE = 1, /* a place */
    XR_CUDA_PINNED = 1,    /* memory */
    XR_CUDA_READ_WRITE = 3
};
/* The handle's memory at an address of its own, for the devices of parts `from` .. `to`. Of a failure nothing is told.
 */
XG_FN XG_COLD bool xr_cuda_map(const xr_cast *c, uint64_t handle, uint32_t from, uint32_t to, uint64_t *address) {
    const xr_cuda *u = xr_cuda_of(c->parts[from].device);
    xr_memory_access access[XG_EXE_PEERS_MAX];
    uint32_t k;
    for (k = from; k < to; k++) {
        access[k - from].place = XR_CUDA_ON_DEVICE;
        access[k - from].device = xr_cuda_of(c->parts[k].device)->device;
        access[k - from].flags = XR_CUDA_READ_WRITE;
    }
    return !u->address_reserve(address, (size_t)c->bytes, 0, 0, 0) &&
           !u->memory_map(*address, (size_t)c->bytes, 0, handle, 0) &&
           !u->memory_access(*address, (size_t)c->bytes, access, to - from);
}
XG_FN XG_COLD void xr_cuda_unmap(const xr_cuda *u, uint64_t address, size_t bytes) {
    if (!address) return;
    (void)u->memory_unmap(address, bytes);
    (void)u->address_free(address, bytes);
}
/* The device's memory, bound to the object; all devices are added before. */
XG_FN XG_COLD bool xr_cuda_cast_part(xr_cast *c, uint32_t k) {
    xr_cast_part *p = &c->parts[k];
    const xr_cuda *u = xr_cuda_of(p->device);
    xr_memory_prop prop;
    bool ok;
    memset(&prop, 0, sizeof prop);
    prop.type = XR_CUDA_PINNED;
    prop.place = XR_CUDA_ON_DEVICE;
    prop.device = u->device;
    if (u->context_push(u->context)) return false;
    ok = !u->memory_create(&p->handle, (size_t)c->bytes, &prop, 0) &&
         !u->cast_bind(c->handle, 0, p->handle, 0, (size_t)c->bytes, 0) &&
         xr_cuda_map(c, p->handle, k, k + 1, &p->address);
    xr_cuda_pop(u);
    return ok;
}
XG_FN XG_COLD bool xr_cuda_cast(xr_cast *c) {
    const xr_cuda *u = xr_cuda_of(c->parts[0].device);
    xr_cast_prop prop;
    size_t unit = 0;
    uint32_t k;
    memset(&prop, 0, sizeof prop);
    prop.devices = c->n;
    prop.bytes = (size_t)c->bytes;
    for (k = 0; k < c->n; k++)
        if (!u->casts || c->parts[k].device->figures.link_reduces != 1) return false;
    if (u->cast_bytes(&unit, &prop, 0) || !unit || c->bytes > UINT64_MAX - unit) return false;
    prop.bytes = (size_t)(c->bytes = (c->bytes + unit - 1) / unit * unit);
    if (u->cast_create(&c->handle, &prop)) return false;
    for (k = 0; k < c->n; k++)
        if (u->cast_add(c->handle, xr_cuda_of(c->parts[k].device)->device)) return false;
    for (k = 0; k < c->n; k++)
        if (!xr_cuda_cast_part(c, k)) return false;
    if (!xr_cuda_map(c, c->handle, 0, c->n, &c->parts[0].all)) return false;
    for (k = 1; k < c->n; k++) c->parts[k].all = c->parts[0].all;
    return true;
}
XG_FN XG_COLD void xr_cuda_uncast(xr_cast *c) {
    const xr_cuda *u = xr_cuda_of(c->parts[0].device);
    size_t bytes = (size_t)c->bytes;
    uint32_t k;
    xr_cuda_unmap(u, c->parts[0].all, bytes);
    for (k = 0; k < c->n; k++) {
        const xr_cast_part *p = &c->parts[k];
        xr_cuda_unmap(u, p->address, bytes);
        if (!p->handle) continue;
        (void)u->cast_unbind(c->handle, xr_cuda_of(p->device)->device, 0, bytes);
        (void)u->memory_release(p->handle);
    }
    if (c->handle) (void)u->memory_release(c->handle);
}
#else
#define xr_cuda_cast NULL
#define xr_cuda_uncast NULL
#endif

#endif /* XG_RT_CUDA_CAST_C */
