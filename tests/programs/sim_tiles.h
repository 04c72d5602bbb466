/* tests/programs/sim_tiles.h -- the part of sim_isa.c on tiles of matrices. Operands are small numbers, so that every
 * sum is exact in any order. */

typedef struct element {
    const char *name;
    int bits;
    bool real;
} element;
static const element elements[] = {{"f16", 16, true}, {"bf16", 16, true}, {"tf32", 32, true}, {"f64", 64, true},
    {"e4m3", 8, true}, {"e5m2", 8, true}, {"s8", 8, false}, {"u8", 8, false}, {"s4", 4, false}, {"u4", 4, false},
    {"b1", 1, false}};
static const element *element_of(const char *name) {
    size_t i;
    for (i = 0; i < XG_COUNT(elements); i++)
        if (!strcmp(elements[i].name, name)) return &elements[i];
    return NULL;
}

static uint32_t dice_state = 12345;
/* One more case; on a device its numbers are its own, whatever ran before it. */
static bool tile_takes(void) {
    if (!platform_takes()) return false;
    if (platform.on_device) dice_state = 12345 + (uint32_t)platform.number * 2654435761u;
    return true;
}
static uint32_t dice(uint32_t n) {
    dice_state = dice_state * 1664525u + 1013904223u;
    return (dice_state >> 8) % n;
}
/* A number of an element, as bits and as value. */
static u64_t draw(const element *e, double *value) {
    int v;
    if (!e->real) {
        u64_t x = dice(1u << e->bits);
        *value = e->name[0] == 's' && x >> (e->bits - 1) ? (double)x - (1 << e->bits) : (double)x;
        return x;
    }
    v = (int)dice(9) - 4;
    *value = v / 2.0;
    if (e->bits == 64) return UD(*value);
    if (e->bits == 32) return U((float)*value) | dice(1 << 13); /* tf32 ignores the low bits */
    if (!strcmp(e->name, "f16")) return UH(*value);
    if (!strcmp(e->name, "bf16")) return UB(*value);
    return byte_of(*value, e->name[1] == '4' ? 4 : 5, e->name[1] == '4' ? 3 : 2, 448);
}

/* ---- fragments of mma, after the figures of the PTX ISA: element i of a thread ---- */

static void at_a(int lane, int i, int bits, int m, int *row, int *col) {
    int group = lane >> 2, thread = lane & 3, per = bits == 64 ? 1 : 32 / bits, part = i / per;
    *row = m == 8 || part % 2 == 0 ? group : group + 8;
    *col = thread * per + i % per + (m == 8 ? part : part / 2) * 4 * per;
}
static void at_b(int lane, int i, int bits, int *row, int *col) {
    int per = bits == 64 ? 1 : 32 / bits;
    *row = (lane & 3) * per + i % per + i / per * 4 * per;
    *col = lane >> 2;
}
static void at_c(int lane, int i, int *row, int *col) {
    *row = (lane >> 2) + (i < 2 ? 0 : 8);
    *col = (lane & 3) * 2 + (i & 1);
}

typedef struct tile_case {
    int m, n, k;
    const char *a, *b, *d;
    bool sparse;
    const char *extra;
} tile_case;
typedef struct tile_data {
    double a[64][512], b[512][256], c[64][256];
    u64_t ra[128][16], rb[128][16], rc[128][8];
    uint32_t meta[128];
} tile_data;

static void put_bits(u64_t *regs, int i, int bits, u64_t x) {
    if (bits == 64)
        regs[i] = x;
    else
        regs[i * bits / 32] |= x << (i * bits % 32);
}
static void fill_mma(tile_data *t, const tile_case *c) {
    const element *a = element_of(c->a), *b = element_of(c->b);
    int lane, i, row, col, ka = c->sparse ? c->k / 2 : c->k;
    memset(t, 0, sizeof *t);
    for (lane = 0; lane < 32; lane++) {
        for (i = 0; i < c->m * ka / 32; i++) {
            double v;
            u64_t x = draw(a, &v);
            at_a(lane, i, a->bits, c->m, &row, &col);
            t->a[row][col] = v;
            put_bits(t->ra[lane], i, a->bits, x);
        }
        for (i = 0; i < c->k * c->n / 32; i++) {
            double v;
            u64_t x = draw(b, &v);
            at_b(lane, i, b->bits, &row, &col);
            t->b[row][col] = v;
            put_bits(t->rb[lane], i, b->bits, x);
        }
        for (i = 0; i < c->m * c->n / 32; i++) {
            double v = (double)dice(64) - 32;
            at_c(lane, i, &row, &col);
            t->c[row][col] = v;
            if (!strcmp(c->d, "f16"))
                put_bits(t->rc[lane], i, 16, UH(v));
            else
                put_bits(t->rc[lane], i, !strcmp(c->d, "f64") ? 64 : 32,
                    !strcmp(c->d, "s32")   ? (u64_t)(uint32_t)(int32_t)v
                    : !strcmp(c->d, "f64") ? UD(v)
                                           : U((float)v));
        }
    }
}
/* A with half of its elements; the metadata of each row, 4 bits a group. */
static void sparsify(tile_data *t, const tile_case *c, int selector) {
    static const int pairs[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    const element *a = element_of(c->a);
    int rows = c->m, row, g, width = a->bits == 32 ? 2 : a->bits == 4 ? 8 : 4, groups = c->k / width;
    for (row = 0; row < rows; row++) {
        double packed[256];
        u64_t meta = 0;
        memcpy(packed, t->a[row], sizeof packed);
        memset(t->a[row], 0, sizeof t->a[row]);
        for (g = 0; g < groups; g++) {
            const int *p = pairs[dice(6)];
            int one = (int)dice(2), j;
            if (width == 2) {
                meta |= (u64_t)(one ? 14 : 4) << (4 * g);
                t->a[row][2 * g + one] = packed[g];
            } else {
                meta |= (u64_t)(p[0] | p[1] << 2) << (4 * g);
                for (j = 0; j < 2; j++) {
                    if (width == 4)
                        t->a[row][4 * g + p[j]] = packed[2 * g + j];
                    else {
                        t->a[row][8 * g + 2 * p[j]] = packed[4 * g + 2 * j];
                        t->a[row][8 * g + 2 * p[j] + 1] = packed[4 * g + 2 * j + 1];
                    }
                }
            }
        }
        { /* which threads of four hold it */
            int warp = row / 16, r = row % 16, quad = warp * 32 + r % 8 * 4, half = r / 8;
            if (groups * 4 == 16)
                t->meta[quad + selector] |= (uint32_t)meta << (16 * half);
            else if (a->bits >= 16) {
                t->meta[quad + 2 * selector] |= (uint32_t)(meta & 0xFFFF) << (16 * half);
                t->meta[quad + 2 * selector + 1] |= (uint32_t)(meta >> 16) << (16 * half);
            } else if (groups * 4 == 32)
                t->meta[quad + 2 * selector + half] = (uint32_t)meta;
            else {
                t->meta[quad + half] = (uint32_t)meta;
                t->meta[quad + 2 + half] = (uint32_t)(meta >> 32);
            }
        }
    }
}
static u64_t result_of(const tile_data *t, const tile_case *c, int row, int col) {
    double s = t->c[row][col];
    int k;
    for (k = 0; k < c->k; k++)
        s += c->extra && strstr(c->extra, "xor") ? (double)((int)t->a[row][k] ^ (int)t->b[k][col])
                                                 : t->a[row][k] * t->b[k][col];
    if (!strcmp(c->d, "f64")) return UD(s);
    if (!strcmp(c->d, "f16")) return UH(s);
    if (!strcmp(c->d, "f32")) return U((float)s);
    return (uint32_t)(int64_t)s;
}
static size_t text_regs(char *out, size_t cap, const char *name, int n) {
    size_t k = 0;
    int i;
    k += (size_t)snprintf(out, cap, "{");
    for (i = 0; i < n; i++) k += (size_t)snprintf(out + k, cap - k, "%s%s%d", i ? "," : "", name, i);
    return k + (size_t)snprintf(out + k, cap - k, "}");
}

static void test_mma(const tile_case *c) {
    static tile_data t;
    static char ptx[8000], what[300];
    int na, nb, nc, lane, i, row, col, selector = 0, selectors = 1, s;
    const element *a = element_of(c->a), *b = element_of(c->b);
    bool wide = a->bits == 64;
    int cbits = !strcmp(c->d, "f16") ? 16 : wide ? 64 : 32;
    na = c->m * (c->sparse ? c->k / 2 : c->k) * a->bits / (wide ? 64 : 32) / 32;
    nb = c->k * c->n * b->bits / (wide ? 64 : 32) / 32;
    nc = c->m * c->n * cbits / (wide ? 64 : 32) / 32;
    if (c->sparse) {
        int bits = a->bits == 32 ? c->k * 2 : a->bits == 4 ? c->k / 2 : c->k;
        selectors = bits == 16 ? 4 : bits == 32 ? 2 : 1;
    }
    for (s = 0; s < selectors; s++) {
        machine m;
        uint64_t params[2], *in, *out;
        const char *message;
        char ra[200], rb[200], rc[200], tail[40];
        size_t n;
        selector = s;
        if (!tile_takes()) continue;
        fill_mma(&t, c);
        if (c->sparse) sparsify(&t, c, selector);
        machine_start(&m);
        in = (uint64_t *)machine_buffer(&m, 32 * 40 * 8);
        out = (uint64_t *)machine_buffer(&m, 32 * 8 * 8);
        for (lane = 0; lane < 32; lane++) {
            memcpy(in + lane * 40, t.ra[lane], 16 * 8);
            memcpy(in + lane * 40 + 16, t.rb[lane], 12 * 8);
            memcpy(in + lane * 40 + 28, t.rc[lane], 8 * 8);
            in[lane * 40 + 36] = t.meta[lane];
        }
        params[0] = (uint64_t)(uintptr_t)in;
        params[1] = (uint64_t)(uintptr_t)out;
        n = (size_t)snprintf(ptx, sizeof ptx,
            ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 pi, .param .u64 po) {\n.reg "
            ".b64 x, y; .reg .b32 t, e; .reg .b%d a<16>, b<16>, c<16>;\nmov.u32 t, %%tid.x; ld.param.u64 x, [pi]; "
            "mad.wide.u32 x, t, 320, x; ld.param.u64 y, [po]; mad.wide.u32 y, t, 64, y;\nld.global.b32 e, [x+288];\n",
            wide ? 64 : 32);
        for (i = 0; i < na; i++)
            n += (size_t)snprintf(ptx + n, sizeof ptx - n, "ld.global.b%d a%d, [x+%d];\n", wide ? 64 : 32, i, 8 * i);
        for (i = 0; i < nb; i++)
            n += (size_t)snprintf(
                ptx + n, sizeof ptx - n, "ld.global.b%d b%d, [x+%d];\n", wide ? 64 : 32, i, 128 + 8 * i);
        for (i = 0; i < nc; i++)
            n += (size_t)snprintf(
                ptx + n, sizeof ptx - n, "ld.global.b%d c%d, [x+%d];\n", wide ? 64 : 32, i, 224 + 8 * i);
        text_regs(ra, sizeof ra, "a", na);
        text_regs(rb, sizeof rb, "b", nb);
        text_regs(rc, sizeof rc, "c", nc);
        snprintf(tail, sizeof tail, c->sparse ? ", e, %d" : "", selector);
        snprintf(what, sizeof what, "mma%s.sync.aligned.m%dn%dk%d.row.col.%s.%s.%s.%s%s",
            c->sparse ? ".sp::ordered_metadata" : "", c->m, c->n, c->k, c->d, c->a, c->b, c->d,
            c->extra ? c->extra : "");
        n += (size_t)snprintf(ptx + n, sizeof ptx - n, "%s %s, %s, %s, %s%s;\n", what, rc, ra, rb, rc, tail);
        for (i = 0; i < nc; i++)
            n += (size_t)snprintf(ptx + n, sizeof ptx - n, "st.global.b%d [y+%d], c%d;\n", wide ? 64 : 32, 8 * i, i);
        snprintf(ptx + n, sizeof ptx - n, "ret;\n}\n");
        message = machine_run(&m, ptx, 1, 32, params, sizeof params);
        if (machine_skips(message)) {
            machine_end(&m);
            return;
        }
        if (message) {
            printf("%s\n", message);
            EXPECT_IN(false, what);
            machine_end(&m);
            return;
        }
        for (lane = 0; lane < 32; lane++)
            for (i = 0; i < c->m * c->n / 32; i++) {
                u64_t got;
                at_c(lane, i, &row, &col);
                got = cbits == 64
                          ? out[lane * 8 + i]
                          : out[lane * 8 + i * cbits / 32] >> (i * cbits % 32) & (cbits == 16 ? 0xFFFFu : 0xFFFFFFFFu);
                EXPECT_IN(got == result_of(&t, c, row, col), what);
            }
        machine_end(&m);
    }
}

/* ---- mma.m8n8k4 of f16: four multiplications in a warp, each by two quads ---- */

static void test_volta(bool acol, bool brow, bool half) {
    static char ptx[3000], what[100];
    double a[4][8][4], b[4][4][8], c[4][8][8];
    machine m;
    uint64_t params[2];
    uint32_t *in, *out;
    const char *message;
    int lane, i, k;
    if (!tile_takes()) return;
    machine_start(&m);
    in = (uint32_t *)machine_buffer(&m, 32 * 12 * 4);
    out = (uint32_t *)machine_buffer(&m, 32 * 8 * 4);
    memset(in, 0, 32 * 12 * 4);
    for (lane = 0; lane < 32; lane++) {
        int group = lane % 16 / 4, high = lane < 16 ? 0 : 4, quarter = lane % 4;
        for (i = 0; i < 4; i++) {
            double v, w;
            u64_t x = draw(&elements[0], &v), y = draw(&elements[0], &w);
            if (acol)
                a[group][i + high][quarter] = v;
            else
                a[group][quarter + high][i] = v;
            if (brow)
                b[group][quarter][i + high] = w;
            else
                b[group][i][quarter + high] = w;
            in[lane * 12 + i / 2] |= (uint32_t)x << (16 * (i & 1));
            in[lane * 12 + 2 + i / 2] |= (uint32_t)y << (16 * (i & 1));
        }
        for (i = 0; i < 8; i++) {
            double v = (double)dice(64) - 32;
            if (half) {
                c[group][quarter + high][i] = v;
                in[lane * 12 + 4 + i / 2] |= (uint32_t)UH(v) << (16 * (i & 1));
            } else {
                c[group][(lane & 1) + (i & 2) + high][(i & 4) + (lane & 2) + (i & 1)] = v;
                in[lane * 12 + 4 + i] = (uint32_t)U((float)v);
            }
        }
    }
    params[0] = (uint64_t)(uintptr_t)in;
    params[1] = (uint64_t)(uintptr_t)out;
    snprintf(what, sizeof what, "mma.sync.aligned.m8n8k4.%s.%s.%s.f16.f16.%s", acol ? "col" : "row",
        brow ? "row" : "col", half ? "f16" : "f32", half ? "f16" : "f32");
    snprintf(ptx, sizeof ptx,
        ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 pi, .param .u64 po) {\n.reg .b64 "
        "x, y; .reg .b32 t, r<12>;\nmov.u32 t, %%tid.x; ld.param.u64 x, [pi]; mad.wide.u32 x, t, 48, x; ld.param.u64 "
        "y, [po]; mad.wide.u32 y, t, 32, y;\n"
        "ld.global.v4.b32 {r0,r1,r2,r3}, [x]; ld.global.v4.b32 {r4,r5,r6,r7}, [x+16]; ld.global.v4.b32 "
        "{r8,r9,r10,r11}, [x+32];\n%s %s, {r0,r1}, {r2,r3}, %s;\nst.global.v4.b32 [y], {r4,r5,r6,r7}; st.global.v4.b32 "
        "[y+16], {r8,r9,r10,r11};\nret;\n}\n",
        what, half ? "{r4,r5,r6,r7}" : "{r4,r5,r6,r7,r8,r9,r10,r11}",
        half ? "{r4,r5,r6,r7}" : "{r4,r5,r6,r7,r8,r9,r10,r11}");
    message = machine_run(&m, ptx, 1, 32, params, sizeof params);
    if (machine_skips(message)) {
        machine_end(&m);
        return;
    }
    if (message) {
        printf("%s\n", message);
        EXPECT_IN(false, what);
        machine_end(&m);
        return;
    }
    for (lane = 0; lane < 32; lane++)
        for (i = 0; i < 8; i++) {
            int group = lane % 16 / 4, high = lane < 16 ? 0 : 4,
                r = half ? lane % 4 + high : (lane & 1) + (i & 2) + high, q = half ? i : (i & 4) + (lane & 2) + (i & 1);
            double s = c[group][r][q];
            for (k = 0; k < 4; k++) s += a[group][r][k] * b[group][k][q];
            EXPECT_IN(
                half ? (out[lane * 8 + i / 2] >> (16 * (i & 1)) & 0xFFFF) == UH(s) : out[lane * 8 + i] == U((float)s),
                what);
        }
    machine_end(&m);
}

/* ---- wmma: loads, multiplication, store; memory in both layouts ---- */

/* Puts an element at a bit of memory that is zero so far. */
static void put_element(char *memory, size_t at, u64_t x, int bits) {
    if (bits < 8)
        memory[at / 8] = (char)(memory[at / 8] | (char)(x << (at % 8)));
    else
        memcpy(memory + at / 8, &x, (size_t)bits / 8);
}
static void test_wmma(const tile_case *c, bool acol, bool bcol, int ra, int rb, int rc) {
    static tile_data t;
    static char ptx[8000], what[200];
    const element *a = element_of(c->a), *b = element_of(c->b);
    int i, j, lda = (acol ? c->m : c->k) + (a->bits >= 8 ? 16 : 0),
              ldb = (bcol ? c->k : c->n) + (b->bits >= 8 ? 16 : 0),
              size = !strcmp(c->d, "f16")   ? 2
                     : !strcmp(c->d, "f64") ? 8
                                            : 4,
              reg = size == 8 ? 64 : 32;
    char *ma, *mb, *mc, *md, ta[200], tb[200], tc[200];
    machine m;
    uint64_t params[4];
    size_t n;
    const char *message;
    if (!tile_takes()) return;
    machine_start(&m);
    memset(&t, 0, sizeof t);
    ma = (char *)machine_buffer(&m, 16384);
    mb = (char *)machine_buffer(&m, 16384);
    mc = (char *)machine_buffer(&m, 16384);
    md = (char *)machine_buffer(&m, 16384);
    memset(ma, 0, 16384);
    memset(mb, 0, 16384);
    for (i = 0; i < c->m; i++)
        for (j = 0; j < c->k; j++) {
            u64_t x = draw(a, &t.a[i][j]);
            size_t at = (size_t)(acol ? j * lda + i : i * lda + j) * (size_t)a->bits;
            put_element(ma, at, x, a->bits);
        }
    for (i = 0; i < c->k; i++)
        for (j = 0; j < c->n; j++) {
            u64_t x = draw(b, &t.b[i][j]);
            size_t at = (size_t)(bcol ? j * ldb + i : i * ldb + j) * (size_t)b->bits;
            put_element(mb, at, x, b->bits);
        }
    for (i = 0; i < c->m; i++)
        for (j = 0; j < c->n; j++) {
            double v = (double)dice(64) - 32;
            u64_t x = size == 2              ? UH(v)
                      : size == 8            ? UD(v)
                      : !strcmp(c->d, "s32") ? (u64_t)(uint32_t)(int32_t)v
                                             : U((float)v);
            t.c[i][j] = v;
            memcpy(mc + (size_t)(i * c->n + j) * (size_t)size, &x, (size_t)size);
        }
    params[0] = (uint64_t)(uintptr_t)ma;
    params[1] = (uint64_t)(uintptr_t)mb;
    params[2] = (uint64_t)(uintptr_t)mc;
    params[3] = (uint64_t)(uintptr_t)md;
    text_regs(ta, sizeof ta, "a", ra);
    text_regs(tb, sizeof tb, "b", rb);
    text_regs(tc, sizeof tc, "c", rc);
    n = (size_t)snprintf(ptx, sizeof ptx,
        ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 "
        "pc, .param .u64 pd) {\n.reg .b64 x, y, z, o; .reg .b%d a<16>, b<16>, c<16>;\nld.param.u64 x, [pa]; "
        "ld.param.u64 y, [pb]; ld.param.u64 z, [pc]; ld.param.u64 o, [pd];\n",
        reg);
    snprintf(what, sizeof what, "m%dn%dk%d %s %s %s %s%s", c->m, c->n, c->k, c->a, c->b, c->d, acol ? "col" : "row",
        bcol ? "col" : "row");
    n += (size_t)snprintf(ptx + n, sizeof ptx - n,
        "wmma.load.a.sync.aligned.%s.m%dn%dk%d.global.%s %s, [x], %d;\nwmma.load.b.sync.aligned.%s.m%dn%dk%d.%s %s, "
        "[y], %d;\nwmma.load.c.sync.aligned.row.m%dn%dk%d.%s %s, [z];\n",
        acol ? "col" : "row", c->m, c->n, c->k, c->a, ta, lda, bcol ? "col" : "row", c->m, c->n, c->k, c->b, tb, ldb,
        c->m, c->n, c->k, c->d, tc);
    if (!strcmp(c->a, "f16"))
        n += (size_t)snprintf(ptx + n, sizeof ptx - n, "wmma.mma.sync.aligned.%s.%s.m%dn%dk%d.%s.%s %s, %s, %s, %s;\n",
            acol ? "col" : "row", bcol ? "col" : "row", c->m, c->n, c->k, c->d, c->d, tc, ta, tb, tc);
    else
        n += (size_t)snprintf(ptx + n, sizeof ptx - n,
            "wmma.mma%s.sync.aligned.%s.%s.m%dn%dk%d.%s.%s.%s.%s %s, %s, %s, %s;\n", c->extra ? c->extra : "",
            acol ? "col" : "row", bcol ? "col" : "row", c->m, c->n, c->k, c->d, c->a, c->b, c->d, tc, ta, tb, tc);
    snprintf(ptx + n, sizeof ptx - n, "wmma.store.d.sync.aligned.col.m%dn%dk%d.global.%s [o], %s, %d;\nret;\n}\n", c->m,
        c->n, c->k, c->d, tc, c->m);
    message = machine_run(&m, ptx, 1, 32, params, sizeof params);
    if (machine_skips(message)) {
        machine_end(&m);
        return;
    }
    if (message) {
        printf("%s\n", message);
        EXPECT_IN(false, what);
    } else
        for (i = 0; i < c->m; i++)
            for (j = 0; j < c->n; j++) {
                u64_t got = 0;
                memcpy(&got, md + (size_t)(j * c->m + i) * (size_t)size, (size_t)size);
                EXPECT_IN(got == result_of(&t, c, i, j), what);
            }
    machine_end(&m);
}

/* ---- wgmma ---- */

/* Where element (mn, k) of a matrix lies: tiles of 8 rows and `span` bytes whose chunks of 16 bytes are mixed; the
 * caller's strides between tiles. */
static uint32_t place(int mode, bool transposed, int mn, int k, int bits, uint32_t lead,
    uint32_t stride) { /* mode: span in bytes, 16 without swizzle */
    int fast = transposed ? mn : k, slow = transposed ? k : mn, per = mode * 8 / bits, byte = fast % per * bits / 8,
        chunk = byte / 16, row = slow % 8;
    uint32_t tile = transposed ? (uint32_t)(mode == 16 ? mn / 8 : mn / per) * (mode == 16 ? stride : lead) +
                                     (uint32_t)(k / 8) * (mode == 16 ? lead : stride)
                               : (uint32_t)(mn / 8) * stride + (uint32_t)(k / per) * lead;
    if (mode == 128)
        chunk ^= row;
    else if (mode == 64)
        chunk ^= row >> 1;
    else if (mode == 32)
        chunk ^= row >> 2;
    return tile + (uint32_t)(row * mode + chunk * 16 + byte % 16);
}
static void test_wgmma(const tile_case *c, int mode, bool ta, bool tb, bool areg, bool keep) {
    static tile_data t;
    static char ptx[60000], what[200];
    const element *a = element_of(c->a), *b = element_of(c->b);
    int ka = c->sparse ? c->k / 2 : c->k, i, j, lane, row, col, half = a->bits == 16,
        cbits = !strcmp(c->d, "f16") ? 16 : 32, nc = c->n * cbits / 64;
    uint32_t lead_a = ta && mode > 16 ? (uint32_t)mode * 8 * 4 : 128,
             stride_a = ta && mode > 16 ? (uint32_t)mode * 8
                        : mode > 16     ? (uint32_t)mode * 8
                                        : 1024,
             lead_b = tb && mode > 16 ? (uint32_t)mode * 8 * 4 : 128,
             stride_b = tb && mode > 16 ? (uint32_t)mode * 8
                        : mode > 16     ? (uint32_t)mode * 8
                                        : 1024;
    u64_t base, da, db;
    unsigned char *smem;
    uint64_t params[3], *out;
    uint32_t *regs;
    machine m;
    size_t n;
    const char *message;
    char tail[60] = "", ra[100], *rc;
    if (!tile_takes()) return;
    machine_start(&m);
    m.shared = 65536; /* more than the 48 KiB that a kernel may declare: so it is dynamic */
    memset(&t, 0, sizeof t);
    smem = (unsigned char *)machine_buffer(&m, 65536);
    regs = (uint32_t *)machine_buffer(&m, 128 * 8 * 4);
    out = (uint64_t *)machine_buffer(&m, 128 * 128 * 8);
    memset(smem, 0, 65536);
    for (i = 0; i < 64; i++)
        for (j = 0; j < ka; j++) {
            u64_t x = draw(a, &t.a[i][j]);
            uint32_t at = place(mode, ta, i, j, a->bits, lead_a, stride_a);
            if (a->bits == 1)
                smem[at] = (unsigned char)(smem[at] | x << (j % 8));
            else
                memcpy(smem + at, &x, (size_t)a->bits / 8);
        }
    for (j = 0; j < c->k; j++)
        for (i = 0; i < c->n; i++) {
            u64_t x = draw(b, &t.b[j][i]);
            uint32_t at = 32768 + place(mode, tb, i, j, b->bits, lead_b, stride_b);
            if (b->bits == 1)
                smem[at] = (unsigned char)(smem[at] | x << (j % 8));
            else
                memcpy(smem + at, &x, (size_t)b->bits / 8);
        }
    if (areg)
        for (lane = 0; lane < 128; lane++)
            for (i = 0; i < 16 * ka / 32; i++) {
                double v;
                u64_t x = draw(a, &v);
                at_a(lane % 32, i, a->bits, 16, &row, &col);
                t.a[lane / 32 * 16 + row][col] = v;
                regs[lane * 8 + i * a->bits / 32] =
                    (i * a->bits % 32 ? regs[lane * 8 + i * a->bits / 32] : 0) | (uint32_t)(x << (i * a->bits % 32));
            }
    if (c->sparse) {
        tile_case whole = *c;
        whole.m = 64;
        sparsify(&t, &whole, 0);
    }
    for (lane = 0; lane < 128; lane++) regs[lane * 8 + 4] = t.meta[lane];
    base = mode == 128 ? (u64_t)1 << 62 : mode == 64 ? (u64_t)2 << 62 : mode == 32 ? (u64_t)3 << 62 : 0;
    da = base | (u64_t)(lead_a >> 4) << 16 | (u64_t)(stride_a >> 4) << 32;
    db = base | (u64_t)(lead_b >> 4) << 16 | (u64_t)(stride_b >> 4) << 32 | 32768 >> 4;
    n = (size_t)snprintf(ptx, sizeof ptx,
        ".version 9.0\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 sm[];\n.visible .entry "
        "k(.param .u64 ps, .param .u64 pr, .param .u64 po) {\n.reg .b64 x, y, z, da, db; .reg .b32 t, s, v, e; .reg "
        ".pred p; .reg .b32 a<4>; .reg .%s "
        "c<128>;\n"
        "mov.u32 t, %%tid.x; mov.u32 s, sm; ld.param.u64 x, [ps]; ld.param.u64 y, [pr]; mad.wide.u32 y, t, 32, y; "
        "ld.param.u64 z, [po]; mad.wide.u32 z, t, 1024, z;\nmad.wide.u32 x, t, 512, x; mad.lo.u32 s, t, 512, s;\n",
        cbits == 16 || !strcmp(c->d, "s32") ? "b32" : "f32");
    for (i = 0; i < 512; i += 16)
        n += (size_t)snprintf(ptx + n, sizeof ptx - n,
            "{.reg .b32 q<4>; ld.global.v4.b32 {q0,q1,q2,q3}, [x+%d]; st.shared.v4.b32 [s+%d], {q0,q1,q2,q3};}\n", i,
            i);
    /* Shared memory need not begin at address 0: low bits of a descriptor have its address, by 16 bytes. */
    n += (size_t)snprintf(ptx + n, sizeof ptx - n,
        "ld.global.v4.b32 {a0,a1,a2,a3}, [y]; ld.global.b32 e, [y+16];\nfence.proxy.async; bar.sync 0; mov.u32 v, sm; "
        "shr.u32 v, v, 4; cvt.u64.u32 da, v; add.u64 db, da, 0x%llx; add.u64 da, da, 0x%llx; setp.eq.u32 p, 0, %d;\n",
        (unsigned long long)db, (unsigned long long)da, keep ? 0 : 1);
    rc = (char *)xg_alloc(&m.arena, 2000);
    text_regs(rc, 2000, "c", nc);
    for (i = 0; i < nc; i++)
        n += (size_t)snprintf(ptx + n, sizeof ptx - n, "mov.b32 c%d, 0x%x;\n", i,
            !strcmp(c->d, "s32") ? 5
            : cbits == 16        ? 0x45004500
                                 : 0x40A00000);
    snprintf(ra, sizeof ra, areg ? "{a0,a1,a2,a3}" : "da");
    if (a->real)
        snprintf(tail, sizeof tail, ", 1, -1%s%s", half && !areg ? (ta ? ", 1" : ", 0") : "",
            half ? (tb ? ", 1" : ", 0") : "");
    snprintf(what, sizeof what, "wgmma.mma_async%s.sync.aligned.m64n%dk%d.%s.%s.%s%s", c->sparse ? ".sp" : "", c->n,
        c->k, c->d, c->a, c->b, c->extra ? c->extra : "");
    n += (size_t)snprintf(ptx + n, sizeof ptx - n,
        "wgmma.fence.sync.aligned;\n%s %s, %s, db%s, p%s;\nwgmma.commit_group.sync.aligned; "
        "wgmma.wait_group.sync.aligned 0;\n",
        what, rc, ra, c->sparse ? ", e, 0" : "", tail);
    for (i = 0; i < nc; i++) n += (size_t)snprintf(ptx + n, sizeof ptx - n, "st.global.b32 [z+%d], c%d;\n", 8 * i, i);
    snprintf(ptx + n, sizeof ptx - n, "ret;\n}\n");
    params[0] = (uint64_t)(uintptr_t)smem;
    params[1] = (uint64_t)(uintptr_t)regs;
    params[2] = (uint64_t)(uintptr_t)out;
    message = machine_run(&m, ptx, 1, 128, params, sizeof params);
    if (machine_skips(message)) {
        machine_end(&m);
        return;
    }
    if (message) {
        printf("%s\n", message);
        EXPECT_IN(false, what);
    } else
        for (lane = 0; lane < 128; lane++)
            for (i = 0; i < c->n / 2; i++) {
                u64_t got =
                          out[lane * 128 + i * cbits / 32] >> (i * cbits % 32) & (cbits == 16 ? 0xFFFFu : 0xFFFFFFFFu),
                      want;
                double s = keep ? 5 : 0;
                row = lane / 32 * 16 + lane % 32 / 4 + (i / 2 % 2 ? 8 : 0);
                col = lane % 4 * 2 + (i & 1) + i / 4 * 8;
                for (j = 0; j < c->k; j++) s += (a->real ? -1 : 1) * t.a[row][j] * t.b[j][col];
                want = !strcmp(c->d, "s32") ? (uint32_t)(int64_t)s : cbits == 16 ? UH(s) : U((float)s);
                if (a->real && (want == 0x80000000u || (want == 0x8000 && cbits == 16))) want = 0;
                if ((got == 0x80000000u && cbits == 32 && a->real) || (got == 0x8000 && cbits == 16 && a->real))
                    got = 0;
                EXPECT_IN(got == want, what);
            }
    machine_end(&m);
}

/* ---- ldmatrix, stmatrix, movmatrix ---- */

static void test_moves(void) {
    int trans, x, lane, j;
    for (trans = 0; trans < 2; trans++)
        for (x = 1; x <= 4; x *= 2) {
            static char ptx[3000];
            machine m;
            uint64_t params[1];
            uint32_t *out;
            const char *message, *regs = x == 4 ? "{r0,r1,r2,r3}" : x == 2 ? "{r0,r1}" : "{r0}";
            if (!tile_takes()) continue;
            machine_start(&m);
            out = (uint32_t *)machine_buffer(&m, 32 * 16 * 4);
            params[0] = (uint64_t)(uintptr_t)out;
            /* Shared halves count up from 0; matrices are read in reverse order of their lanes' rows; then stored, and
             * read back by 32 bits; then moved. */
            snprintf(ptx, sizeof ptx,
                ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 po) {\n.reg .b64 z; .reg "
                ".b32 t, u, s, r<4>, q<4>; .shared .align 16 .b8 sm[1024];\nmov.u32 t, %%tid.x; mov.u32 s, sm;\n"
                "{.reg .b32 i, v; mov.u32 i, 0;\nL: mad.lo.u32 v, i, 32, t; shl.b32 u, v, 2; add.u32 u, u, s; shl.b32 "
                "v, v, 1; mad.lo.u32 v, v, 0x10001, 0x10000; st.shared.b32 [u], v; add.u32 i, i, 1; .reg .pred p; "
                "setp.lt.u32 p, i, 4; @p bra L;}\nbar.sync 0;\n"
                "xor.b32 u, t, 5; mad.lo.u32 u, u, 16, s; ldmatrix.sync.aligned.m8n8.x%d%s.shared.b16 %s, "
                "[u];\nmad.lo.u32 u, t, 16, s; stmatrix.sync.aligned.m8n8.x%d%s.shared.b16 [u+512], %s;\nbar.sync 0;\n"
                "ld.param.u64 z, [po]; mad.wide.u32 z, t, 64, z;\n%s%s%smad.lo.u32 u, t, 16, s; and.b32 u, u, 0x3FF; "
                ".reg .pred e; setp.lt.u32 e, t, %d; @e ld.shared.v4.b32 {q0,q1,q2,q3}, [u+512]; @!e mov.b32 q0, 0; "
                "@!e mov.b32 q1, 0; @!e mov.b32 q2, 0; @!e mov.b32 q3, 0; st.global.v4.b32 [z+16], {q0,q1,q2,q3};\n"
                "movmatrix.sync.aligned.m8n8.trans.b16 q0, r0; st.global.b32 [z+32], q0;\nret;\n}\n",
                x, trans ? ".trans" : "", regs, x, trans ? ".trans" : "", regs, "st.global.b32 [z], r0;\n",
                x > 1 ? "st.global.b32 [z+4], r1;\n" : "",
                x > 2 ? "st.global.b32 [z+8], r2; st.global.b32 [z+12], r3;\n" : "", 8 * x);
            message = machine_run(&m, ptx, 1, 32, params, sizeof params);
            if (machine_skips(message)) {
                machine_end(&m);
                continue;
            }
            if (message) {
                printf("%s\n", message);
                EXPECT(false);
                machine_end(&m);
                continue;
            }
            for (lane = 0; lane < 32; lane++) {
                for (j = 0; j < x; j++) {
                    int r0 = trans ? lane % 4 * 2 : lane / 4, c0 = trans ? lane / 4 : lane % 4 * 2,
                        r1 = trans ? r0 + 1 : r0, c1 = trans ? c0 : c0 + 1;
                    uint32_t lo = (uint32_t)(((8 * j + r0) ^ 5) * 8 + c0), hi = (uint32_t)(((8 * j + r1) ^ 5) * 8 + c1);
                    EXPECT_IN(out[lane * 16 + j] == (lo | hi << 16), "ldmatrix");
                }
                if (lane < 8 * x)
                    for (j = 0; j < 4; j++) {
                        uint32_t at = (uint32_t)((lane ^ 5) * 8 + 2 * j);
                        EXPECT_IN(out[lane * 16 + 4 + j] == (at | (at + 1) << 16), "stmatrix");
                    }
                { /* the transposed of the fragment in r0 */
                    int r = lane / 4, k = lane % 4 * 2, a = trans ? r : k, b = trans ? k : r;
                    uint32_t lo = trans ? (uint32_t)((a ^ 5) * 8 + b) : (uint32_t)((a ^ 5) * 8 + b),
                             hi = trans ? (uint32_t)((a ^ 5) * 8 + b + 1) : (uint32_t)(((a + 1) ^ 5) * 8 + b);
                    EXPECT_IN(out[lane * 16 + 8] == (lo | hi << 16), "movmatrix");
                }
            }
            machine_end(&m);
        }
}

static void test_tiles(void) {
    static const tile_case mmas[] = {{16, 8, 8, "f16", "f16", "f16", 0, 0}, {16, 8, 8, "f16", "f16", "f32", 0, 0},
        {16, 8, 16, "f16", "f16", "f16", 0, 0}, {16, 8, 16, "f16", "f16", "f32", 0, 0},
        {16, 8, 8, "bf16", "bf16", "f32", 0, 0}, {16, 8, 16, "bf16", "bf16", "f32", 0, 0},
        {16, 8, 4, "tf32", "tf32", "f32", 0, 0}, {16, 8, 8, "tf32", "tf32", "f32", 0, 0},
        {8, 8, 4, "f64", "f64", "f64", 0, 0}, {16, 8, 4, "f64", "f64", "f64", 0, 0},
        {16, 8, 8, "f64", "f64", "f64", 0, 0}, {16, 8, 16, "f64", "f64", "f64", 0, 0},
        {8, 8, 16, "s8", "s8", "s32", 0, 0}, {8, 8, 16, "u8", "s8", "s32", 0, 0}, {16, 8, 16, "s8", "u8", "s32", 0, 0},
        {16, 8, 16, "u8", "u8", "s32", 0, 0}, {16, 8, 32, "s8", "s8", "s32", 0, ".satfinite"},
        {16, 8, 32, "u8", "s8", "s32", 0, 0}, {8, 8, 32, "s4", "u4", "s32", 0, 0}, {16, 8, 32, "s4", "s4", "s32", 0, 0},
        {16, 8, 64, "u4", "s4", "s32", 0, 0}, {16, 8, 64, "s4", "s4", "s32", 0, ".satfinite"},
        {8, 8, 128, "b1", "b1", "s32", 0, ".xor.popc"}, {16, 8, 128, "b1", "b1", "s32", 0, ".and.popc"},
        {16, 8, 256, "b1", "b1", "s32", 0, ".xor.popc"}, {16, 8, 256, "b1", "b1", "s32", 0, ".and.popc"},
        {16, 8, 32, "e4m3", "e5m2", "f32", 0, 0}, {16, 8, 32, "e5m2", "e4m3", "f16", 0, 0},
        {16, 8, 16, "e4m3", "e4m3", "f16", 0, 0}, {16, 8, 16, "e5m2", "e5m2", "f32", 0, 0},
        {16, 8, 16, "f16", "f16", "f16", 1, 0}, {16, 8, 32, "f16", "f16", "f32", 1, 0},
        {16, 8, 16, "bf16", "bf16", "f32", 1, 0}, {16, 8, 32, "bf16", "bf16", "f32", 1, 0},
        {16, 8, 8, "tf32", "tf32", "f32", 1, 0}, {16, 8, 16, "tf32", "tf32", "f32", 1, 0},
        {16, 8, 32, "s8", "u8", "s32", 1, 0}, {16, 8, 64, "u8", "s8", "s32", 1, 0},
        {16, 8, 64, "s4", "s4", "s32", 1, 0}, {16, 8, 128, "u4", "s4", "s32", 1, 0},
        {16, 8, 64, "e4m3", "e5m2", "f32", 1, 0}, {16, 8, 64, "e5m2", "e5m2", "f16", 1, 0}};
    static const struct {
        tile_case c;
        int a, b, r;
    } wmmas[] = {{{16, 16, 16, "f16", "f16", "f32", 0, 0}, 8, 8, 8}, {{16, 16, 16, "f16", "f16", "f16", 0, 0}, 8, 8, 4},
        {{8, 32, 16, "f16", "f16", "f32", 0, 0}, 8, 8, 8}, {{32, 8, 16, "f16", "f16", "f16", 0, 0}, 8, 8, 4},
        {{16, 16, 16, "bf16", "bf16", "f32", 0, 0}, 4, 4, 8}, {{8, 32, 16, "bf16", "bf16", "f32", 0, 0}, 2, 8, 8},
        {{32, 8, 16, "bf16", "bf16", "f32", 0, 0}, 8, 2, 8}, {{16, 16, 8, "tf32", "tf32", "f32", 0, 0}, 4, 4, 8},
        {{8, 8, 4, "f64", "f64", "f64", 0, 0}, 1, 1, 2}, {{16, 16, 16, "s8", "s8", "s32", 0, 0}, 2, 2, 8},
        {{8, 32, 16, "u8", "u8", "s32", 0, 0}, 1, 4, 8}, {{32, 8, 16, "s8", "s8", "s32", 0, 0}, 4, 1, 8},
        {{8, 8, 32, "s4", "s4", "s32", 0, 0}, 1, 1, 2}, {{8, 8, 32, "u4", "u4", "s32", 0, 0}, 1, 1, 2},
        {{8, 8, 128, "b1", "b1", "s32", 0, ".xor.popc"}, 1, 1, 2},
        {{8, 8, 128, "b1", "b1", "s32", 0, ".and.popc"}, 1, 1, 2}};
    static const tile_case wgmmas[] = {{64, 16, 16, "f16", "f16", "f32", 0, 0},
        {64, 64, 16, "bf16", "bf16", "f32", 0, 0}, {64, 128, 16, "f16", "f16", "f16", 0, 0},
        {64, 24, 8, "tf32", "tf32", "f32", 0, 0}, {64, 8, 32, "e4m3", "e5m2", "f32", 0, 0},
        {64, 40, 32, "e5m2", "e4m3", "f16", 0, 0}, {64, 48, 32, "s8", "u8", "s32", 0, 0},
        {64, 16, 256, "b1", "b1", "s32", 0, ".and.popc"}};
    static const tile_case sparse[] = {{64, 16, 32, "f16", "f16", "f32", 1, 0},
        {64, 16, 16, "tf32", "tf32", "f32", 1, 0}, {64, 16, 64, "e4m3", "e4m3", "f32", 1, 0},
        {64, 16, 64, "s8", "s8", "s32", 1, 0}};
    size_t i;
    int mode;
    for (i = 0; i < XG_COUNT(mmas); i++) test_mma(&mmas[i]);
    for (i = 0; i < XG_COUNT(wmmas); i++) {
        bool small = element_of(wmmas[i].c.a)->bits < 8;
        test_wmma(&wmmas[i].c, false, true, wmmas[i].a, wmmas[i].b, wmmas[i].r);
        if (!small) {
            test_wmma(&wmmas[i].c, true, false, wmmas[i].a, wmmas[i].b, wmmas[i].r);
            test_wmma(&wmmas[i].c, false, false, wmmas[i].a, wmmas[i].b, wmmas[i].r);
        }
    }
    for (i = 0; i < XG_COUNT(wgmmas); i++)
        for (mode = 16; mode <= 128; mode *= 2) {
            bool half = element_of(wgmmas[i].a)->bits == 16;
            test_wgmma(&wgmmas[i], mode, false, false, false, true);
            test_wgmma(&wgmmas[i], mode, false, false, wgmmas[i].extra == NULL, false);
            if (half) {
                test_wgmma(&wgmmas[i], mode, true, true, false, true);
                test_wgmma(&wgmmas[i], mode, true, false, false, false);
                test_wgmma(&wgmmas[i], mode, false, true, true, true);
            }
        }
    for (i = 0; i < XG_COUNT(sparse); i++) {
        test_wgmma(&sparse[i], 128, false, false, false, true);
        test_wgmma(&sparse[i], 64, false, false, true, false);
    }
    for (mode = 0; mode < 8; mode++) test_volta(mode & 1, (mode & 2) != 0, (mode & 4) != 0);
    test_moves();
}
