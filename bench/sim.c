/* bench/sim.c -- how many lane-instructions a second the simulator executes, on one core: each kernel of bench/kernels
 * with all checks, without checks, and on each vector unit that the host has. What a kernel computes is checked too.
 *
 *     cc -O1 bench/sim.c -o build/bench_sim -lm -ldl -lpthread && build/bench_sim [KERNEL|all [MILLISECONDS [FIRST UNIT
 *     [LAST UNIT]]]]
 *
 * Time is processor time of the run alone, the least of several; the machine may be busy with other things. Run from
 * the root. */
#define XLAGPU_IMPLEMENTATION
#include "../src/xlagpu_runtime.h"
#include <stdio.h>
#include <time.h>

typedef struct bench_buf {
    size_t bytes;
    char *p;
} bench_buf;
typedef struct bench {
    bench_buf in[2], out;
} bench;

/* ---- what is right ---- */

static float f32_at(const bench_buf *b, size_t i) {
    float x;
    memcpy(&x, b->p + 4 * i, 4);
    return x;
}
static uint32_t u32_at(const bench_buf *b, size_t i) {
    uint32_t x;
    memcpy(&x, b->p + 4 * i, 4);
    return x;
}
static double bf16_at(const bench_buf *b, size_t i) {
    uint16_t h;
    uint32_t u;
    float f;
    memcpy(&h, b->p + 2 * i, 2);
    u = (uint32_t)h << 16;
    memcpy(&f, &u, 4);
    return f;
}
static bool is_close(double got, double want, double tolerance) {
    double d = got - want;
    return (d < 0 ? -d : d) <= tolerance * (1 + (want < 0 ? -want : want));
}

static bool right_gelu(const bench *b) { /* tanh form; bf16 at each step */
    size_t i;
    for (i = 0; i < b->out.bytes / 2; i += 37) {
        double x = bf16_at(&b->in[0], i), want = 0.5 * x * (1 + tanh(0.79785 * (x + 0.044708 * x * x * x)));
        if (!is_close(bf16_at(&b->out, i), want, 0.03)) return false;
    }
    return true;
}
static bool right_softmax(const bench *b) {
    size_t row, i;
    for (row = 0; row < 256; row += 85) {
        double most = -1e30, sum = 0;
        for (i = 0; i < 2048; i++) most = XG_MAX(most, f32_at(&b->in[0], row * 2048 + i));
        for (i = 0; i < 2048; i++) sum += exp(f32_at(&b->in[0], row * 2048 + i) - most);
        for (i = 0; i < 2048; i++)
            if (!is_close(f32_at(&b->out, row * 2048 + i), exp(f32_at(&b->in[0], row * 2048 + i) - most) / sum, 1e-6))
                return false;
    }
    return true;
}
static bool right_transpose(const bench *b) {
    size_t x, y;
    for (y = 0; y < 1024; y++)
        for (x = 0; x < 1024; x++)
            if (u32_at(&b->out, y * 1024 + x) != u32_at(&b->in[0], x * 1024 + y)) return false;
    return true;
}
static bool right_matmul(const bench *b) {
    size_t x, y, k;
    for (y = 0; y < 192; y += 17)
        for (x = 0; x < 192; x++) {
            double sum = 0;
            for (k = 0; k < 192; k++) sum += (double)f32_at(&b->in[0], y * 192 + k) * f32_at(&b->in[1], k * 192 + x);
            if (!is_close(f32_at(&b->out, y * 192 + x), sum, 1e-4)) return false;
        }
    return true;
}
static bool right_reduce(const bench *b) {
    double sum = 0;
    size_t i;
    for (i = 0; i < b->in[0].bytes / 4; i++) sum += f32_at(&b->in[0], i);
    return is_close(f32_at(&b->out, 0), sum, 1e-3);
}
static bool right_histogram(const bench *b) {
    uint32_t want[256];
    size_t i;
    memset(want, 0, sizeof want);
    for (i = 0; i < b->in[0].bytes; i++) want[(unsigned char)b->in[0].p[i]]++;
    for (i = 0; i < 256; i++)
        if (u32_at(&b->out, i) != want[i]) return false;
    return true;
}

/* ---- the kernels ---- */

typedef struct row {
    const char *name;
    uint32_t grid[3], block[3];
    int ins;
    size_t in_bytes, out_bytes;
    int64_t size;     /* the last parameter, 32 bits; below 0: there is none */
    bool bytes, adds; /* random bytes instead of floats; the output is added to, so it is zeroed first */
    bool (*right)(const bench *b);
} row;
static const row rows[] = {
    {"gelu", {2048, 1, 1}, {128, 1, 1}, 1, (size_t)2048 * 512 * 2, (size_t)2048 * 512 * 2, -1, false, false,
        right_gelu},
    {"softmax", {256, 1, 1}, {256, 1, 1}, 1, (size_t)256 * 2048 * 4, (size_t)256 * 2048 * 4, 2048, false, false,
        right_softmax},
    {"transpose", {32, 32, 1}, {32, 8, 1}, 1, (size_t)1024 * 1024 * 4, (size_t)1024 * 1024 * 4, 1024, false, false,
        right_transpose},
    {"matmul", {12, 12, 1}, {16, 16, 1}, 2, (size_t)192 * 192 * 4, (size_t)192 * 192 * 4, 192, false, false,
        right_matmul},
    {"reduce", {128, 1, 1}, {256, 1, 1}, 1, (size_t)1 << 22, 4, 1 << 20, false, true, right_reduce},
    {"histogram", {64, 1, 1}, {256, 1, 1}, 1, (size_t)1 << 19, 1024, 1 << 19, true, true, right_histogram},
};

static void fill(const row *r, bench_buf *b, uint64_t seed) {
    size_t i;
    b->bytes = r->in_bytes;
    for (i = 0; i + 4 <= b->bytes; i += 4) {
        uint32_t u;
        float f;
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        u = (uint32_t)(seed >> 32);
        f = (float)(int32_t)u / 1073741824.0f;
        if (r->right == right_gelu) {
            memcpy(&u, &f, 4);
            u = u >> 16 | (u & 0xFFFF0000u);
            memcpy(b->p + i, &u, 4);
        } else if (r->bytes)
            memcpy(b->p + i, &u, 4);
        else
            memcpy(b->p + i, &f, 4);
    }
}

static char *read_text(const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    char *p = (char *)malloc(1 << 20);
    if (!f || !p) {
        fprintf(stderr, "bench/sim.c: cannot read %s\n", path);
        exit(1);
    }
    *n = fread(p, 1, 1 << 20, f);
    fclose(f);
    return p;
}
static double used(void) { return (double)clock() / CLOCKS_PER_SEC; }

typedef struct measure {
    double rate;
    bool right;
    uint64_t lanes;
} measure;

/* Makes the buffers known and writes their addresses, then the size, as the kernel's parameters. */
static uint32_t bind(const row *r, bench *b, xg_sim_memory *memory, char params[32]) {
    uint32_t at = 0;
    int k;
    for (k = 0; k <= r->ins; k++, at += 8) {
        bench_buf *q = k < r->ins ? &b->in[k] : &b->out;
        xg_sim_buffer n;
        memset(&n, 0, sizeof n);
        n.base = (uint64_t)(uintptr_t)q->p;
        n.bytes = q->bytes;
        n.name = "buffer";
        xg_sim_memory_add(memory, &n);
        xg_sim_memory_written(memory, n.base, n.bytes, 0);
        memcpy(params + at, &n.base, 8);
    }
    if (r->size >= 0) {
        int32_t size = (int32_t)r->size;
        memcpy(params + at, &size, 4);
        at += 4;
    }
    return at;
}
static measure run(
    xg_ctx *c, const row *r, bench *b, const xg_source *ptx, xg_sim_unit unit, bool checks, double budget) {
    measure m = {0, true, 0};
    xg_arena a;
    xg_sim_memory memory;
    xg_sim_launch l;
    char params[32];
    double begin = used(), least = 1e30;
    void *room;
    jmp_buf here, *outer;
    if (setjmp(here)) {
        fprintf(stderr, "%s\n", c->message);
        exit(1);
    }
    outer = xg_try(c, &here);
    xg_arena_init(&a, c);
    xg_sim_memory_init(&memory, c);
    memset(&l, 0, sizeof l);
    l.module = xg_sim_load_for(c, &a, ptx, unit);
    l.entry = xg_sim_entry_at(l.module, 0);
    memcpy(l.grid, r->grid, sizeof l.grid);
    memcpy(l.block, r->block, sizeof l.block);
    l.param_bytes = bind(r, b, &memory, params);
    l.params = params;
    l.memory = &memory;
    l.unchecked_shared = l.unchecked_global = l.unchecked_races = l.unchecked_registers = !checks;
    if (xg_sim_prepare(c, &l) != XLAGPU_OK) {
        fprintf(stderr, "%s\n", c->message);
        exit(1);
    }
    room = malloc(xg_sim_worker_bytes(&l));
    do {
        xg_sim_worker *w;
        double t;
        memset(b->out.p, 0, b->out.bytes);
        t = used();
        xg_sim_begin(&l);
        w = xg_sim_worker_init(room, &l);
        if (xg_sim_run(w, 0, (uint64_t)l.grid[0] * l.grid[1] * l.grid[2]) != XLAGPU_OK) {
            char text[1024];
            xg_sim_fault_text(w, text, sizeof text);
            fprintf(stderr, "%s\n", text);
            exit(1);
        }
        xg_sim_end(&l);
        t = used() - t;
        least = XG_MIN(least, t);
        m.lanes = xg_sim_worker_stats(w)->lane_instructions;
    } while (used() - begin < budget);
    m.rate = (double)m.lanes / least;
    m.right = r->right(b);
    free(room);
    xg_sim_memory_free(&memory);
    xg_arena_free(&a);
    xg_end(c, outer);
    return m;
}

int main(int argc, char **argv) {
    xg_ctx c;
    size_t i, n;
    int bad = 0;
    uint32_t unit,
        first = argc > 3 ? (uint32_t)atoi(argv[3]) : 0,
        last = argc > 4 ? XG_MIN((uint32_t)atoi(argv[4]), (uint32_t)xg_sim_unit_best()) : (uint32_t)xg_sim_unit_best();
    double budget = argc > 2 ? atof(argv[2]) / 1000 : 0.5;
    xg_ctx_init(&c, NULL, 0);
    printf(
        "kernel\tunit\tG lane-instructions/s, all checks\tno checks\tchecks cost\tmillion lane-instructions\tresult\n");
    for (i = 0; i < XG_COUNT(rows); i++) {
        const row *r = &rows[i];
        bench b;
        char path[256], *text;
        xg_source ptx;
        int k;
        if (argc > 1 && strcmp(argv[1], "all") != 0 && strcmp(argv[1], r->name) != 0) continue;
        snprintf(path, sizeof path, "bench/kernels/%s.ptx", r->name);
        text = read_text(path, &n);
        memset(&ptx, 0, sizeof ptx);
        ptx.name = path;
        ptx.text = text;
        ptx.size = n;
        memset(&b, 0, sizeof b);
        for (k = 0; k < r->ins; k++) {
            b.in[k].p = (char *)aligned_alloc(256, (r->in_bytes + 255) / 256 * 256);
            fill(r, &b.in[k], 7 + (uint64_t)k);
        }
        b.out.p = (char *)aligned_alloc(256, (r->out_bytes + 255) / 256 * 256);
        b.out.bytes = r->out_bytes;
        for (unit = first; unit <= last; unit++) {
            measure on = run(&c, r, &b, &ptx, (xg_sim_unit)unit, true, budget),
                    off = run(&c, r, &b, &ptx, (xg_sim_unit)unit, false, budget);
            bool right = on.right && off.right;
            bad += !right;
            printf("%s\t%s\t%.2f\t%.2f\t%.2fx\t%.1f\t%s\n", r->name, xg_sim_unit_name((xg_sim_unit)unit), on.rate / 1e9,
                off.rate / 1e9, off.rate / on.rate, (double)on.lanes / 1e6, right ? "right" : "WRONG");
            fflush(stdout);
        }
        for (k = 0; k < r->ins; k++) free(b.in[k].p);
        free(b.out.p);
        free(text);
    }
    return bad != 0;
}
