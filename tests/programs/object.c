/* tests/programs/object.c -- object code for the processor of this host, right and not what it says.
 *
 * Without arguments: an object that is written here byte by byte, with sections of each kind and relocations of each
 * type (x86-64). Its sections and addresses come where they should; and one thing wrong with it at a time is refused.
 * Two of them are found in an executable. And a device of which the system begins only some of the threads.
 * `object M.xgx [N]`: M.xgx loads; then N times some bytes of its objects are changed, and it loads or is refused as
 * damaged. Nothing of that is run. tests/scripts/llvm_cpu.sh builds it with sanitizers. */
#ifdef __TINYC__
#error "tcc leaves out what this tests"
#endif
#ifndef XLAGPU_USE_LLVM_CPU
#define XLAGPU_USE_LLVM_CPU
#endif
#ifndef XLAGPU_NO_SIMULATOR
#define XLAGPU_NO_SIMULATOR
#endif
#ifndef XLAGPU_IMPLEMENTATION
#define XLAGPU_IMPLEMENTATION
#endif
#ifndef _WIN32
#include <pthread.h>
/* A system that refuses threads behind the first few. */
static unsigned threads_left = 1000;
static int few_threads(pthread_t *t, const pthread_attr_t *a, void *(*job)(void *), void *user) {
    return threads_left && threads_left-- > 0 ? pthread_create(t, a, job, user) : 1;
}
#define pthread_create few_threads
#endif
#include "../../src/xlagpu_runtime.h"
#include "expect.h"

static uint64_t seed = 88172645463325252ull;
static uint32_t draw(uint32_t n) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 16) % n;
}
static unsigned char *read_file(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    unsigned char *p = (unsigned char *)malloc(1 << 24);
    *size = f && p ? fread(p, 1, 1 << 24, f) : 0;
    if (f) fclose(f);
    return p;
}
/* Most of what counts stands in the file's header, and in its tables: at the end. */
static void change(unsigned char *object, size_t bytes) {
    static const unsigned char interesting[] = {0, 1, 2, 4, 0x7F, 0x80, 0xFF, 0xF1};
    uint32_t n = 1 + draw(4), k;
    for (k = 0; k < n; k++) {
        size_t at = draw(4) == 0 ? draw(80) : draw(2) ? bytes - 1 - draw((uint32_t)(bytes / 2)) : draw((uint32_t)bytes);
        object[at % bytes] = draw(2) ? interesting[draw(8)] : (unsigned char)draw(256);
    }
}
static void seal(unsigned char *p, size_t size) {
    uint64_t sum = xg_exe_checksum(p + offsetof(xg_exe_header, target), size - offsetof(xg_exe_header, target));
    memcpy(p + offsetof(xg_exe_header, checksum), &sum, sizeof sum);
}
/* ---- an object by hand ---- */

#if defined(XR_CPU) && defined(__x86_64__)
enum {
    TEXT = 1,
    RODATA,
    BSS,
    DEBUG,
    RELA_TEXT,
    RELA_RODATA,
    RELA_DEBUG,
    SYMTAB,
    EMPTY,
    STRTAB,
    SECTIONS,
    HEADERS = 64, /* where the table of sections begins */
    CODE = HEADERS + 64 * SECTIONS,
    CODE_BYTES = 40,
    CONSTANTS = CODE + CODE_BYTES,
    CONSTANT_BYTES = 24,
    BSS_BYTES = 40,
    RELOCATIONS = CONSTANTS + CONSTANT_BYTES, /* of the code, of the constants, of what is not mapped */
    SYMBOLS = RELOCATIONS + 24 * 7,
    SYMBOL_COUNT = 6,
    STRINGS = SYMBOLS + 24 * SYMBOL_COUNT,
    STRING_BYTES = 26,
    BYTES = STRINGS + STRING_BYTES
};
static const char strings[STRING_BYTES + 1] = "\0kernel\0table\0room\0memcpy\0"; /* at 1, 8, 14, 19 */
typedef struct made {
    unsigned char file[BYTES];
    uint64_t at[SECTIONS];
    char map[1 << 16];
    xr_object o;
    xr_objects all;
} made;

static void put(made *m, size_t at, uint64_t v, size_t bytes) { memcpy(m->file + at, &v, bytes); }
static void put_section(
    made *m, uint32_t k, uint32_t type, uint64_t flags, uint64_t offset, uint64_t size, uint64_t align) {
    xr_elf_section s;
    memset(&s, 0, sizeof s);
    s.type = type;
    s.flags = flags;
    s.offset = offset;
    s.size = size;
    s.align = align;
    s.link = k == SYMTAB ? STRTAB : SYMTAB;
    s.info = k >= RELA_TEXT && k <= RELA_DEBUG ? k - RELA_TEXT + (k == RELA_DEBUG ? DEBUG - 2 : TEXT) : 0;
    memcpy(m->file + HEADERS + 64 * k, &s, sizeof s);
}
static void put_relocation(made *m, uint32_t k, uint64_t offset, uint64_t symbol, uint32_t type, int64_t addend) {
    xr_elf_relocation r;
    r.offset = offset;
    r.info = symbol << 32 | type;
    r.addend = addend;
    memcpy(m->file + RELOCATIONS + 24 * k, &r, sizeof r);
}
static void put_symbol(made *m, uint32_t k, uint32_t name, uint16_t section, uint64_t value) {
    xr_elf_symbol y;
    memset(&y, 0, sizeof y);
    y.name = name;
    y.section = section;
    y.value = value;
    memcpy(m->file + SYMBOLS + 24 * k, &y, sizeof y);
}
static void make(made *m) {
    static const unsigned char ident[] = {0x7F, 'E', 'L', 'F', 2, 1, 1};
    uint32_t k;
    memset(m, 0, sizeof *m);
    memcpy(m->file, ident, sizeof ident);
    put(m, 16, 1, 2);
    put(m, 18, XR_ELF_MACHINE, 2);
    put(m, 40, HEADERS, 8);
    put(m, 58, 64, 2);
    put(m, 60, SECTIONS, 2);
    put_section(m, TEXT, 1, XR_ELF_ALLOC | XR_ELF_EXECUTE, CODE, CODE_BYTES, 16);
    put_section(m, RODATA, 1, XR_ELF_ALLOC, CONSTANTS, CONSTANT_BYTES, 8);
    put_section(m, BSS, XR_ELF_NOBITS, XR_ELF_ALLOC, UINT64_MAX, BSS_BYTES, 32); /* has no place in the file */
    put_section(m, DEBUG, 1, XR_ELF_WRITE, CODE, 8, 3);                          /* is not mapped: nobody asks */
    put_section(m, RELA_TEXT, XR_ELF_RELA, 0, RELOCATIONS, 24 * 4, 8);
    put_section(m, RELA_RODATA, XR_ELF_RELA, 0, RELOCATIONS + 24 * 4, 24 * 2, 8);
    put_section(m, RELA_DEBUG, XR_ELF_RELA, 0, RELOCATIONS + 24 * 6, 24, 8);
    put_section(m, SYMTAB, XR_ELF_SYMTAB, 0, SYMBOLS, 24 * SYMBOL_COUNT, 8);
    put_section(m, EMPTY, 1, XR_ELF_ALLOC | XR_ELF_WRITE, BYTES, 0, 1);
    put_section(m, STRTAB, 3, 0, STRINGS, STRING_BYTES, 1);
    for (k = 0; k < CODE_BYTES; k++) m->file[CODE + k] = (unsigned char)(k + 1);
    for (k = 0; k < CONSTANT_BYTES; k++) m->file[CONSTANTS + k] = (unsigned char)(k + 101);
    memcpy(m->file + STRINGS, strings, STRING_BYTES);
    put_relocation(m, 0, 36, 2, 2, 4);   /* the last 4 bytes of the code: table + 4, from there */
    put_relocation(m, 1, 8, 4, 4, -4);   /* memcpy, whose way is in the mapping */
    put_relocation(m, 2, 16, 3, 1, 7);   /* room + 7 */
    put_relocation(m, 3, 99, 0, 0, 0);   /* type 0: nothing; as for symbol 0, see below */
    put_relocation(m, 4, 16, 1, 24, -2); /* the last 8 bytes of the constants: kernel - 2, from there */
    put_relocation(m, 5, 0, 5, 1, 1);    /* an absolute symbol */
    put_relocation(m, 6, 1000, 77, 99, 0);
    put_relocation(m, 3, 28, 1, 0, 0);
    put_symbol(m, 1, 1, TEXT, 4);
    put_symbol(m, 2, 8, RODATA, 8);
    put_symbol(m, 3, 14, BSS, BSS_BYTES);
    put_symbol(m, 4, 19, 0, 0);
    put_symbol(m, 5, 0, XR_ELF_ABSOLUTE, UINT64_C(0x1234567890));
    m->o.file = m->file;
    m->o.bytes = BYTES;
    m->o.at = m->at;
}
/* What refuses it: 0 its headers, 1 where it lies, 2 its addresses, 3 nothing. */
static int refused_by(made *m) {
    if (!xr_object_open(&m->o)) return 0;
    if (!xr_cpu_layout(&m->o, 1, &m->all) || m->all.bytes > sizeof m->map) return 1;
    m->all.base = m->map;
    xr_object_copy(&m->o, &m->all);
    return xr_object_link(&m->o, &m->all) ? 3 : 2;
}
static uint64_t word(const char *p, size_t bytes) {
    uint64_t v = 0;
    memcpy(&v, p, bytes);
    return v;
}
static uint64_t place(const char *p) { return (uint64_t)(uintptr_t)p; }
static void right(made *m) {
    const char *code = m->map, *constants, *room;
    make(m);
    EXPECT(refused_by(m) == 3);
    EXPECT(m->o.n == SECTIONS && m->o.n_symbols == SYMBOL_COUNT);
    EXPECT(m->at[TEXT] == 1 && !m->at[DEBUG] && !m->at[EMPTY] && !m->at[SYMTAB]);
    EXPECT(m->all.stubs == 48 && m->all.code % 4096 == 0 && m->all.bytes == m->all.code + 4096);
    EXPECT(m->at[RODATA] == m->all.code + 1 && m->at[BSS] == m->all.code + 32 + 1);
    constants = m->map + m->all.code;
    room = constants + 32;
    EXPECT(code[0] == 1 && code[7] == 8 && code[12] == 13 && code[28] == 29 && code[35] == 36);
    EXPECT(constants[8] == 109 && constants[15] == 116 && room[0] == 0);
    EXPECT(word(code + 36, 4) == (uint32_t)(place(constants + 12) - place(code + 36)));
    EXPECT(word(code + 8, 4) == (uint32_t)(place(code + 48) + XR_OBJECT_memcpy * 16 - 4 - place(code + 8)));
    EXPECT(word(code + 16, 8) == place(room + BSS_BYTES + 7));
    EXPECT(word(constants + 16, 8) == place(code + 2) - place(constants + 16));
    EXPECT(word(constants, 8) == UINT64_C(0x1234567891));
    EXPECT(xr_object_find(&m->o, &m->all, "kernel", true, CODE_BYTES - 4) == code + 4);
    EXPECT(!xr_object_find(&m->o, &m->all, "kernel", true, CODE_BYTES - 3));
    EXPECT(!xr_object_find(&m->o, &m->all, "kernel", false, 1));
    EXPECT(xr_object_find(&m->o, &m->all, "table", false, 16) == constants + 8);
    EXPECT(xr_object_find(&m->o, &m->all, "room", false, 0) == room + BSS_BYTES);
    EXPECT(!xr_object_find(&m->o, &m->all, "memcpy", true, 0) && !xr_object_find(&m->o, &m->all, "kerne", true, 0));
    xr_object_stubs(m->map + m->all.stubs);
    EXPECT(word(code + 48, 8) == UINT64_C(0) + (word(code + 48, 8) & ~UINT64_C(0xFFFFFFFFFFFF)) + 0x25FF);
    EXPECT(word(code + 48 + 6, 8) == (uint64_t)(uintptr_t)xr_object_memcpy);
    EXPECT(word(code + 48 + 16 * XR_OBJECT_fmodf + 6, 8) == (uint64_t)(uintptr_t)xr_object_fmodf);
}
/* A word of the file is another one: who refuses it. */
#define SECTION_AT(k, field) (HEADERS + 64 * (k) + offsetof(xr_elf_section, field))
#define RELOCATION_AT(k, field) (RELOCATIONS + 24 * (k) + offsetof(xr_elf_relocation, field))
static void wrong(made *m) {
    static const struct {
        const char *what;
        size_t at, bytes;
        uint64_t is;
        int by;
    } rows[] = {{"no ELF", 1, 1, 'e', 0}, {"of 32 bits", 4, 1, 1, 0}, {"an executable", 16, 2, 2, 0},
        {"of another machine", 18, 2, 40, 0}, {"sections of another size", 58, 2, 56, 0},
        {"a table beyond the file", 40, 8, BYTES + 1, 0}, {"a table at its end", 40, 8, BYTES, 0},
        {"more sections than the file holds", 60, 2, (BYTES - HEADERS) / 64 + 1, 0},
        {"a section that ends behind the file", SECTION_AT(STRTAB, size), 8, STRING_BYTES + 1, 0},
        {"an empty section behind the file", SECTION_AT(EMPTY, offset), 8, BYTES + 1, 0},
        {"2^30 bytes that are not in the file", SECTION_AT(BSS, size), 8, 1 << 30, 1},
        {"more", SECTION_AT(BSS, size), 8, (1 << 30) + 1, 0},
        {"names in no section", SECTION_AT(SYMTAB, link), 4, SECTIONS, 0},
        {"names in what has no bytes", SECTION_AT(SYMTAB, link), 4, BSS, 0},
        {"two lists of symbols", SECTION_AT(RELA_DEBUG, type), 4, XR_ELF_SYMTAB, 0},
        {"what can be written", SECTION_AT(RODATA, flags), 8, XR_ELF_ALLOC | XR_ELF_WRITE, 1},
        {"an alignment of 3", SECTION_AT(RODATA, align), 8, 3, 1}, {"of 8192", SECTION_AT(TEXT, align), 8, 8192, 1},
        {"of 4096", SECTION_AT(TEXT, align), 8, 4096, 3}, {"of none", SECTION_AT(RODATA, align), 8, 0, 3},
        {"addresses in no section", SECTION_AT(RELA_TEXT, info), 4, SECTIONS, 2},
        {"addresses in what has no bytes", SECTION_AT(RELA_TEXT, info), 4, BSS, 2},
        {"relocations without addends", SECTION_AT(RELA_TEXT, type), 4, XR_ELF_REL, 2},
        {"the same of what is not mapped", SECTION_AT(RELA_DEBUG, type), 4, XR_ELF_REL, 3},
        {"an address of 4 bytes in 3", RELOCATION_AT(0, offset), 8, CODE_BYTES - 3, 2},
        {"an address of 8 bytes in 7", RELOCATION_AT(2, offset), 8, CODE_BYTES - 7, 2},
        {"in 8", RELOCATION_AT(2, offset), 8, CODE_BYTES - 8, 3},
        {"a distance of 8 bytes in 7", RELOCATION_AT(4, offset), 8, CONSTANT_BYTES - 7, 2},
        {"one behind its section", RELOCATION_AT(3, offset), 8, CODE_BYTES + 1, 2},
        {"nothing at its end", RELOCATION_AT(3, offset), 8, CODE_BYTES, 3},
        {"an unknown type", RELOCATION_AT(0, info), 4, 3, 2},
        {"a symbol that is not there", RELOCATION_AT(0, info) + 4, 4, 6, 2},
        {"too far", RELOCATION_AT(0, addend), 8, (uint64_t)1 << 31, 2},
        {"too far back", RELOCATION_AT(0, addend), 8, (uint64_t)0 - ((uint64_t)1 << 31) - (1 << 16), 2},
        {"not too far", RELOCATION_AT(0, addend), 8, ((uint64_t)1 << 31) - (1 << 16), 3},
        {"a symbol behind its section", SYMBOLS + 24 * 3 + 8, 8, BSS_BYTES + 1, 2},
        {"a symbol of what is not mapped", SYMBOLS + 24 * 3 + 6, 2, DEBUG, 2},
        {"a symbol of no section", SYMBOLS + 24 * 3 + 6, 2, SECTIONS, 2},
        {"an unknown function", SYMBOLS + 24 * 4, 4, 1, 2},
        {"a name behind the names", SYMBOLS + 24 * 4, 4, STRING_BYTES, 2},
        {"a name without end", STRINGS + STRING_BYTES - 1, 1, 'y', 2}};
    size_t k;
    for (k = 0; k < sizeof rows / sizeof *rows; k++) {
        make(m);
        put(m, rows[k].at, rows[k].is, rows[k].bytes);
        EXPECT_IN(refused_by(m) == rows[k].by, rows[k].what);
    }
    for (k = 0; k < XR_ELF_HEADER; k++) {
        make(m);
        m->o.bytes = k;
        EXPECT(refused_by(m) == 0);
    }
}
/* Two such files as the section of an executable, which does not begin with it: where each file begins. */
static void in_executable(made *m) {
    enum {
        OFFSET = 80,
        EACH = (sizeof(xg_exe_object) + BYTES + XG_EXE_ALIGN - 1) / XG_EXE_ALIGN * XG_EXE_ALIGN
    };
    static unsigned char bytes[OFFSET + 2 * EACH];
    static xlagpu_program p;
    static xr_kernel kernels[2];
    xr_object all[2];
    xg_exe_object head;
    uint32_t k;
    make(m);
    memcpy(head.magic, XG_EXE_OBJECT_MAGIC, sizeof head.magic);
    head.bytes = BYTES;
    for (k = 0; k < 2; k++) {
        head.n_params = 5 + k;
        memcpy(bytes + OFFSET + k * EACH, &head, sizeof head);
        memcpy(bytes + OFFSET + k * EACH + sizeof head, m->file, BYTES);
    }
    p.bytes = bytes;
    p.kernels = kernels;
    p.n_kernels = 2;
    p.sections[XG_EXE_CUBIN].offset = OFFSET;
    p.sections[XG_EXE_CUBIN].bytes = EACH + sizeof head + BYTES; /* nothing fills it up behind the last */
    EXPECT(xr_cpu_files(&p, all) == 2 * SECTIONS);
    for (k = 0; k < 2; k++) {
        EXPECT(all[k].file == bytes + OFFSET + k * EACH + sizeof head && all[k].bytes == BYTES);
        EXPECT(kernels[k].n_params == 5 + k);
    }
    p.sections[XG_EXE_CUBIN].bytes--;
    EXPECT(xr_cpu_files(&p, all) == 0); /* the last file is not whole */
    p.sections[XG_EXE_CUBIN].bytes = EACH + sizeof head - 1;
    EXPECT(xr_cpu_files(&p, all) == 0); /* what stands in front of it is not */
    p.sections[XG_EXE_CUBIN].bytes = EACH + sizeof head + BYTES;
    bytes[OFFSET + EACH]++;
    EXPECT(xr_cpu_files(&p, all) == 0); /* nor what begins there */
}
static void by_hand(void) {
    made *m = (made *)malloc(sizeof *m);
    right(m);
    wrong(m);
    in_executable(m);
    free(m);
}
#else
static void by_hand(void) {}
#endif

/* ---- threads ---- */

#if defined(XR_CPU) && !defined(_WIN32)
enum {
    BLOCKS = 1000,
    BLOCK_THREADS = 64
};
static void count_blocks(const uint64_t *buffers, void *scratch, uint32_t first, uint32_t end) {
    unsigned char *ran = (unsigned char *)(uintptr_t)buffers[0];
    uint32_t *own = (uint32_t *)scratch;
    for (; first < end; first++) {
        ran[first]++;
        ++*own;
    }
}
/* Each of as many blocks as there are workers waits until all have begun: no worker runs two of them. */
typedef struct meeting {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint32_t left;
} meeting;
static void meet(const uint64_t *buffers, void *scratch, uint32_t first, uint32_t end) {
    meeting *m = (meeting *)(uintptr_t)buffers[0];
    pthread_mutex_lock(&m->lock);
    *(uint32_t *)scratch += end - first;
    m->left -= end - first;
    pthread_cond_broadcast(&m->changed);
    while (m->left) pthread_cond_wait(&m->changed, &m->lock);
    pthread_mutex_unlock(&m->lock);
}
static void all_at_once(xr_cpu *c, uint32_t *counts) {
    static xr_cpu_kernel kernel;
    meeting m;
    const uint64_t buffers[1] = {(uint64_t)(uintptr_t)&m};
    uint32_t k, once = 0;
    pthread_mutex_init(&m.lock, NULL);
    pthread_cond_init(&m.changed, NULL);
    m.left = c->n;
    memset(counts, 0, c->n * sizeof *counts);
    kernel.code = meet;
    xr_cpu_run(c, &kernel, buffers, (char *)counts, sizeof *counts, c->n, XR_CPU_LITTLE);
    for (k = 0; k < c->n; k++) once += counts[k] == 1;
    EXPECT(once == c->n);
    pthread_cond_destroy(&m.changed);
    pthread_mutex_destroy(&m.lock);
}
/* Of four threads the caller's is one; the system begins as many as `left` of the others. Every block runs once. */
static void with_threads(uint32_t left) {
    static xr_cpu_kernel kernel;
    unsigned char ran[BLOCKS];
    const uint64_t buffers[1] = {(uint64_t)(uintptr_t)ran};
    const uint32_t n = XG_MIN(left, 3u) + 1;
    uint32_t *counts, k, sum = 0, once = 0;
    xlagpu_device_desc desc;
    xlagpu_device *d = NULL;
    memset(&desc, 0, sizeof desc);
    desc.platform = "llvm-cpu";
    desc.threads = 4;
    threads_left = left;
    if (!EXPECT(xlagpu_rt_open(&desc, &d) == XLAGPU_OK)) return;
    EXPECT(xr_cpu_of(d)->n == n && d->threads == n && d->figures.sm_count == n);
    counts = (uint32_t *)calloc(n, sizeof *counts);
    memset(ran, 0, sizeof ran);
    kernel.code = count_blocks;
    xr_cpu_run(xr_cpu_of(d), &kernel, buffers, (char *)counts, sizeof *counts, BLOCKS, BLOCK_THREADS);
    for (k = 0; k < BLOCKS; k++) once += ran[k] == 1;
    for (k = 0; k < n; k++) sum += counts[k];
    EXPECT(once == BLOCKS && sum == BLOCKS);
    all_at_once(xr_cpu_of(d), counts);
    xlagpu_rt_close(d);
    free(counts);
}
static void threads(void) {
    uint32_t left;
    if (!xr_cpu_target()) return;
    for (left = 0; left < 5; left++) with_threads(left);
}
#else
static void threads(void) {}
#endif

static int damage(int argc, char **argv) {
    size_t size = 0;
    unsigned char *whole = read_file(argv[1], &size), *copy = (unsigned char *)malloc(size + 1);
    long n = argc > 2 ? atol(argv[2]) : 2000, k, loaded = 0, refused = 0, wrongly = 0;
    xlagpu_device_desc desc;
    xlagpu_device *d = NULL;
    xlagpu_program *p;
    xg_exe_header h;
    xg_exe_section s[XG_EXE_SECTION_COUNT];
    memset(&desc, 0, sizeof desc);
    desc.platform = "llvm-cpu";
    desc.threads = 1;
    if (!copy || xlagpu_rt_open(&desc, &d) != XLAGPU_OK || xg_exe_check(whole, size, &h, s) ||
        !xg_exe_is_object(whole, s) || !(p = xlagpu_rt_load(d, whole, size))) {
        printf("FAIL %s does not load: %s\n0 passed, 1 failed\n", argv[1], d ? xlagpu_rt_error(d) : "");
        return 1;
    }
    xlagpu_rt_unload(p);
    for (k = 0; k < n; k++) {
        memcpy(copy, whole, size);
        change(copy + s[XG_EXE_CUBIN].offset, (size_t)s[XG_EXE_CUBIN].bytes);
        seal(copy, size);
        p = xlagpu_rt_load(d, copy, size);
        if (p)
            loaded++;
        else if (xlagpu_rt_error_status(d) == XLAGPU_ERROR_CORRUPT || xlagpu_rt_error_status(d) == XLAGPU_ERROR_DEVICE)
            refused++;
        else {
            wrongly++;
            printf("FAIL change %ld: %s\n", k, xlagpu_rt_error(d));
        }
        xlagpu_rt_unload(p);
    }
    xlagpu_rt_close(d);
    free(copy);
    free(whole);
    if (!refused) wrongly++; /* the changes did not reach what is checked */
    printf("%ld loaded, %ld refused\n%ld passed, %ld failed\n", loaded, refused, loaded + refused, wrongly);
    return wrongly != 0;
}
int main(int argc, char **argv) {
    if (argc > 1) return damage(argc, argv);
    by_hand();
    threads();
    return finish();
}
