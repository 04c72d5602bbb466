/* tests/programs/fake_multicast.h -- multicast objects of the fake driver: memory and objects by handle, addresses by
 * reservation, and who may use them.
 *
 * A reservation is a buffer of the simulator, and what is mapped there lies in it: each handle is mapped once. As on
 * hardware nothing is bound before all devices are added, and an address counts for the devices that were given access
 * to it alone. */
#ifndef XLAGPU_TESTS_FAKE_MULTICAST_H
#define XLAGPU_TESTS_FAKE_MULTICAST_H

enum {
    CAST_GRANULARITY = 1 << 16,
    CAST_PLACES = 64
};
typedef struct fake_handle { /* of memory, or of an object: then devices is not 0 */
    size_t bytes;
    int device, bound;
    unsigned devices, added;
    int members[DEVICES]; /* an object's devices, in the order in which they were added */
    struct fake_handle *memory[DEVICES];
    uint64_t address; /* 0: it is not mapped */
} fake_handle;
typedef struct fake_place { /* a reservation; bytes 0: free */
    uint64_t address;
    size_t bytes;
    fake_handle *of; /* NULL: nothing is mapped there */
    unsigned access; /* of devices, as bits */
    uint64_t members[DEVICES];
} fake_place;
static fake_place places[CAST_PLACES];
typedef struct fake_cast_prop {
    unsigned devices;
    size_t bytes;
    unsigned long long handle_types, flags;
} fake_cast_prop;
typedef struct fake_memory_prop {
    int type, handle_types, place, device;
    void *windows;
    unsigned char flags[8];
} fake_memory_prop;
typedef struct fake_access {
    int place, device, flags;
} fake_access;

static fake_handle *handle_of(unsigned long long handle) { return (fake_handle *)(uintptr_t)handle; }
static fake_place *place_of(uint64_t address) {
    int k;
    for (k = 0; k < CAST_PLACES; k++)
        if (places[k].bytes && address >= places[k].address && address - places[k].address < places[k].bytes)
            return &places[k];
    return NULL;
}
static int member_of(const fake_handle *h, int device) {
    unsigned k;
    for (k = 0; k < h->added; k++)
        if (h->members[k] == device) return (int)k;
    return -1;
}
/* A kernel is given the address: it may reach it, and what it does there it does to all members. */
static int cast_touch(const void *stream, uint64_t address, int device) {
    const fake_place *p = place_of(address);
    unsigned k;
    if (!p || !p->of) return p != NULL;
    if (!(p->access >> device & 1)) return 1;
    for (k = 0; k < p->of->devices; k++) touch(stream, p->members[k] + (address - p->address), 1, true);
    return 0;
}

int cuMulticastGetGranularity(size_t *bytes, const fake_cast_prop *prop, int option) {
    CALL("cuMulticastGetGranularity");
    if (option || !prop->devices || prop->handle_types || prop->flags) return 1;
    *bytes = CAST_GRANULARITY;
    return 0;
}
static int handle_new(unsigned long long *out, size_t bytes, unsigned devices, int device) {
    fake_handle *h = (fake_handle *)calloc(1, sizeof *h);
    h->bytes = bytes;
    h->devices = devices;
    h->device = device;
    count_up(&fake.handles, 1);
    *out = (unsigned long long)(uintptr_t)h;
    return 0;
}
int cuMulticastCreate(unsigned long long *handle, const fake_cast_prop *prop) {
    CALL("cuMulticastCreate");
    if (!fake.multicast) return 801; /* not supported */
    if (prop->devices < 2 || prop->devices > DEVICES || prop->bytes % CAST_GRANULARITY) return 1;
    return handle_new(handle, prop->bytes, prop->devices, 0);
}
int cuMulticastAddDevice(unsigned long long handle, int device) {
    fake_handle *h = handle_of(handle);
    CALL("cuMulticastAddDevice");
    if (h->added == h->devices || member_of(h, device) >= 0) return 1;
    h->members[h->added++] = device;
    return 0;
}
int cuMemCreate(unsigned long long *handle, size_t bytes, const fake_memory_prop *prop, unsigned long long flags) {
    CALL("cuMemCreate");
    if (flags || prop->type != 1 || prop->place != 1 || prop->handle_types || !bytes || bytes % CAST_GRANULARITY)
        return 1;
    return handle_new(handle, bytes, 0, prop->device);
}
int cuMemRelease(unsigned long long handle) {
    fake_handle *h = handle_of(handle);
    CALL("cuMemRelease");
    if (h->address) fake.races++; /* somebody may still use it */
    count_up(&fake.handles, -1);
    free(h);
    return 0;
}
int cuMulticastBindMem(unsigned long long handle, size_t at, unsigned long long memory, size_t from, size_t bytes,
    unsigned long long flags) {
    fake_handle *h = handle_of(handle), *m = handle_of(memory);
    int k = member_of(h, m->device);
    CALL("cuMulticastBindMem");
    if (h->added != h->devices) return 401; /* before all devices are there */
    if (at || from || flags || bytes != h->bytes || bytes != m->bytes || k < 0 || h->memory[k]) return 1;
    h->memory[k] = m;
    m->bound = 1;
    return 0;
}
int cuMulticastUnbind(unsigned long long handle, int device, size_t at, size_t bytes) {
    fake_handle *h = handle_of(handle);
    int k = member_of(h, device);
    CALL("cuMulticastUnbind");
    if (k < 0 || !h->memory[k] || at || bytes != h->bytes) return 1;
    h->memory[k] = NULL;
    return 0;
}
int cuMemAddressReserve(uint64_t *address, size_t bytes, size_t align, uint64_t at, unsigned long long flags) {
    xlagpu_buffer b;
    int k;
    HOLD;
    CALL("cuMemAddressReserve");
    for (k = 0; k < CAST_PLACES && places[k].bytes; k++) {}
    if (k == CAST_PLACES || align || at || flags || bytes % CAST_GRANULARITY) return 1;
    if (xlagpu_rt_alloc(simulator(), bytes, &b) != XLAGPU_OK) return 2;
    memset(&places[k], 0, sizeof places[k]);
    *address = places[k].address = b.address;
    places[k].bytes = bytes;
    fake.handles++;
    return 0;
}
int cuMemAddressFree(uint64_t address, size_t bytes) {
    fake_place *p = place_of(address);
    xlagpu_buffer b;
    HOLD;
    CALL("cuMemAddressFree");
    if (!p || p->of || p->address != address || p->bytes != bytes) return 1;
    b.address = address;
    b.bytes = 0;
    xlagpu_rt_free(simulator(), b);
    p->bytes = 0;
    fake.handles--;
    return 0;
}
int cuMemMap(uint64_t address, size_t bytes, size_t from, unsigned long long handle, unsigned long long flags) {
    fake_handle *h = handle_of(handle);
    fake_place *p = place_of(address);
    char *zeros;
    unsigned k;
    HOLD;
    CALL("cuMemMap");
    if (!p || p->of || h->address || from || flags || bytes != p->bytes || bytes != h->bytes) return 1;
    for (k = 0; k < h->devices; k++) {
        if (!h->memory[k] || !h->memory[k]->address) return 1; /* our fakes know the members' addresses */
        p->members[k] = h->memory[k]->address;
    }
    p->of = h;
    h->address = address;
    zeros = (char *)calloc(1, bytes);
    (void)put(address, zeros, bytes);
    free(zeros);
    if (h->devices) xg_sim_memory_members(&xr_host_of(simulator())->memory, address, p->members, h->devices);
    return 0;
}
int cuMemUnmap(uint64_t address, size_t bytes) {
    fake_place *p = place_of(address);
    HOLD;
    CALL("cuMemUnmap");
    if (!p || !p->of || p->bytes != bytes) return 1;
    if (queues_left(ALL_STREAMS)) fake.races++; /* work that may still use it */
    xg_sim_memory_members(&xr_host_of(simulator())->memory, address, NULL, 0);
    p->of->address = 0;
    p->of = NULL;
    p->access = 0;
    return 0;
}
int cuMemSetAccess(uint64_t address, size_t bytes, const fake_access *access, size_t n) {
    fake_place *p = place_of(address);
    size_t k;
    HOLD;
    CALL("cuMemSetAccess");
    if (!p || !p->of || p->bytes != bytes || !n) return 1;
    for (k = 0; k < n; k++) {
        int device = access[k].device;
        if (access[k].place != 1 || access[k].flags != 3) return 1;
        if (p->of->devices ? member_of(p->of, device) < 0 : p->of->device != device) return 1;
        p->access |= 1u << (device - 70);
    }
    return 0;
}
#endif
