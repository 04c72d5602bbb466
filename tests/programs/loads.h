/* tests/programs/loads.h -- what the loader says of executables in which something is damaged: a number of a record,
 * or a text. The checksum is right, so that what stands behind it is asked. For tests/programs/digests.c; include it
 * behind both headers, expect.h and hurt.h. */
#ifndef XLAGPU_TESTS_LOADS_H
#define XLAGPU_TESTS_LOADS_H

enum {
    LOADS_DEVICES = 16 /* the most that a program runs on */
};
static counter loads_memory;
/* Not more than 4 MiB at a time: damaged sizes ask for anything. */
static void *loads_alloc(void *user, size_t bytes) {
    return bytes > (size_t)4 << 20 ? NULL : counter_alloc(user, bytes);
}
/* Devices that load it; NULL: there are none for so many. Each number of them is opened once. */
static xlagpu_clique *loads_clique(uint32_t devices) {
    static xlagpu_clique *open[LOADS_DEVICES + 1];
    xlagpu_rt_clique_desc d;
    if (!devices || devices > LOADS_DEVICES) return NULL;
    if (open[devices]) return open[devices];
    memset(&d, 0, sizeof d);
    d.device.platform = "host";
    d.device.threads = 1;
    d.device.allocator = counter_of(&loads_memory);
    d.device.allocator.alloc = loads_alloc;
    d.devices = devices;
    return xlagpu_rt_clique_open(&d, &open[devices]) == XLAGPU_OK ? open[devices] : NULL;
}
static void loads_sums(unsigned char *p, size_t n) {
    size_t from = offsetof(xg_exe_header, target);
    uint64_t sum = xg_exe_checksum(p + from, n - from);
    memcpy(p + offsetof(xg_exe_header, checksum), &sum, 8);
}
/* A number in the section becomes another. */
static void loads_number(unsigned char *p, const xg_exe_section *s) {
    static const int32_t by[] = {0, 1, -1, 2, 3, 4, 7, 8, 15, 16, 100, 255, 4096, INT32_MAX, INT32_MIN};
    size_t words = (size_t)s->bytes / 4;
    int32_t word;
    if (!words) return;
    p += s->offset + 4 * hurt_draw((uint32_t)words);
    memcpy(&word, p, 4);
    switch (hurt_draw(5)) {
    case 0: word++; break;
    case 1: word--; break;
    case 2: word *= 2; break;
    case 3: word ^= (int32_t)(1u << hurt_draw(31)); break;
    default: word = by[hurt_draw(sizeof by / sizeof *by)]; break;
    }
    memcpy(p, &word, 4);
}
/* A digit or a sign of the section becomes another; what a collective does is text, too. */
static void loads_character(unsigned char *p, const xg_exe_section *s) {
    static const char by[] = "0123456789{}[],;=<> ax-\n";
    uint32_t at;
    if (!s->bytes) return;
    at = hurt_draw((uint32_t)s->bytes); /* in front of the other draw, whatever the compiler */
    p[s->offset + at] = (unsigned char)by[hurt_draw(sizeof by)];
}
/* Damages the bytes; false: they are none of an executable. */
static bool loads_damage(unsigned char *p, size_t n) {
    static const int kinds[] = {XG_EXE_ALLOCATIONS, XG_EXE_SLICES, XG_EXE_KERNELS, XG_EXE_THUNKS, XG_EXE_THUNKS,
        XG_EXE_LINKS, XG_EXE_VALUES, XG_EXE_ATTRIBUTES, XG_EXE_DIMS, XG_EXE_STRINGS, XG_EXE_STRINGS, XG_EXE_STRINGS};
    uint32_t how = hurt_draw(sizeof kinds / sizeof *kinds + 2);
    xg_exe_header h;
    xg_exe_section s[XG_EXE_SECTION_COUNT], head;
    if (xg_exe_check(p, n, &h, s)) return false;
    memset(&head, 0, sizeof head);
    head.offset = offsetof(xg_exe_header, target);
    head.bytes = sizeof h - head.offset + h.n_sections * sizeof *s;
    if (how >= sizeof kinds / sizeof *kinds)
        loads_number(p, &head);
    else if (kinds[how] == XG_EXE_STRINGS)
        loads_character(p, &s[kinds[how]]);
    else
        loads_number(p, &s[kinds[how]]);
    loads_sums(p, n);
    return true;
}
/* What is said of the program; text has room for size. */
static void loads_say(const unsigned char *p, size_t n, char *text, size_t size) {
    uint32_t devices = xlagpu_rt_devices(p, n), k;
    xlagpu_clique *c = loads_clique(devices);
    xlagpu_program *q = c ? xlagpu_rt_clique_load(c, p, n) : NULL;
    xlagpu_rt_value v;
    size_t at = xg_format(text, size, "%u ", devices);
    /* devices load side by side: whose message comes first is for the threads to say */
    if (c && !q) xg_format(text + at, size - at, "%s", devices > 1 ? "refused" : xlagpu_rt_clique_error(c));
    if (!q) return;
    at += xg_format(text + at, size - at, "%s %u %u", xlagpu_rt_program_name(q), xlagpu_rt_parameter_count(q),
        xlagpu_rt_kernel_count(q));
    for (k = 0; xlagpu_rt_clique_parameter(q, k, &v); k++)
        at += xg_format(text + at, size - at, " %d %zu %lld", (int)v.type, v.bytes, v.rank ? (long long)v.dims[0] : 0);
    for (k = 0; xlagpu_rt_clique_result(q, k, &v); k++)
        at += xg_format(text + at, size - at, " %d %zu %lld", (int)v.type, v.bytes, v.rank ? (long long)v.dims[0] : 0);
    xlagpu_rt_unload(q);
}

#endif /* XLAGPU_TESTS_LOADS_H */
