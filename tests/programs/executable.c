/* tests/programs/executable.c -- the bytes of an executable: the same every time, whole after a file, refused when
 * damaged.
 *
 * Three executables: one of kernels and constants, one with a loop and branches, one of command buffers. Of each, every
 * byte is flipped and every truncation tried; of the first two, moreover, every bit and many words of all that is not
 * PTX. The checksum is made right again, so that the checks behind it are met: such bytes are refused with
 * ERROR_CORRUPT or another named failure, or they run, without a memory error, whatever the results. --quick takes
 * every seventh of the bits, every 29th of the flips. Best under -fsanitize=address,undefined. Ends with "N passed, N
 * failed". */
#include "../../src/xlagpu.h"
#include "../../src/xlagpu_runtime.h"
#include "expect.h"

/* Not more than 1 MiB at a time: damaged sizes ask for anything. */
static void *small_alloc(void *user, size_t bytes) {
    return bytes > (size_t)1 << 20 ? NULL : counter_alloc(user, bytes);
}
static counter count;
static xlagpu_device *open_host(void) {
    xlagpu_device_desc d;
    xlagpu_device *device = NULL;
    memset(&d, 0, sizeof d);
    d.platform = "host";
    d.threads = 1;
    d.allocator = counter_of(&count);
    d.allocator.alloc = small_alloc;
    xlagpu_rt_open(&d, &device);
    return device;
}
static xlagpu_device *device;

/* ---- as it should be ---- */

static xlagpu_bytes compile_text(xlagpu_context *c, const char *text, const char *target) {
    xlagpu_compile_desc d;
    xlagpu_module *m = xlagpu_parse(c, "executable", text, strlen(text));
    memset(&d, 0, sizeof d);
    d.target.name = target;
    d.keep_hlo = true;
    return xlagpu_compile(m, &d);
}
/* Kernels, constants and a loop in command buffers. */
static xlagpu_bytes compile_commands(xlagpu_context *c) {
    static const char text[] =
        "HloModule commands\n"
        "cond { s = (s32[], f32[6]) parameter(0) i = s32[] get-tuple-element(s), index=0 n = s32[] constant(3) ROOT lt "
        "= pred[] compare(i, n), direction=LT }\n"
        "body { s = (s32[], f32[6]) parameter(0) i = s32[] get-tuple-element(s), index=0 one = s32[] constant(1) j = "
        "s32[] add(i, one) x = f32[6] get-tuple-element(s), index=1 "
        "k = f32[6] constant({1, 2, 3, 5, 8, 13}) y = f32[6] add(x, k) ROOT t = (s32[], f32[6]) tuple(j, y) }\n"
        "ENTRY e { x = f32[6] parameter(0) w = f32[6] constant({3, 1, 4, 1, 5, 9}) zero = s32[] constant(0) a = f32[6] "
        "multiply(x, w) n = f32[6] negate(a) "
        "t = (s32[], f32[6]) tuple(zero, n) l = (s32[], f32[6]) while(t), condition=cond, body=body y = f32[6] "
        "get-tuple-element(l), index=1 ROOT r = f32[6] abs(y) }\n";
    xlagpu_compile_desc d;
    xlagpu_module *m = xlagpu_parse(c, "commands", text, strlen(text));
    memset(&d, 0, sizeof d);
    d.target.name = "sm_90a";
    d.disable_all_passes = true; /* every operation is a kernel */
    d.command_buffer_least = 1;
    d.command_buffer_control = true;
    return xlagpu_compile(m, &d);
}
static bool has_command_buffer(xlagpu_bytes exe) {
    xg_exe_header h;
    xg_exe_section s[XG_EXE_SECTION_COUNT];
    xg_exe_thunk t;
    size_t k;
    if (xg_exe_check(exe.data, exe.size, &h, s)) return false;
    for (k = 0; k < s[XG_EXE_THUNKS].count; k++) {
        memcpy(&t, exe.data + s[XG_EXE_THUNKS].offset + k * sizeof t, sizeof t);
        if (t.kind == XG_EXE_THUNK_COMMAND_BUFFER) return true;
    }
    return false;
}
static xlagpu_bytes compile(xlagpu_context *c, const char *target) { return compile_text(c, whole_text, target); }
static bool runs_right(const void *bytes, size_t n) {
    xlagpu_program *p = xlagpu_rt_load(device, bytes, n);
    whole_data w;
    bool right = false;
    WHOLE_TENSORS(xlagpu_rt_tensor, in, out, &w);
    whole_fill(&w);
    if (p && xlagpu_rt_run(p, in, WHOLE_IN, out, WHOLE_OUT) == XLAGPU_OK)
        right = whole_right(&w);
    else
        printf("%s\n", xlagpu_rt_error(device));
    xlagpu_rt_unload(p);
    return right;
}
static void same_every_time(xlagpu_bytes exe) {
    xlagpu_context *c = xlagpu_create(NULL);
    xlagpu_bytes again = compile(c, "sm_90a"), third = compile(c, "sm_90a"), other = compile(c, "sm_80");
    EXPECT(again.size == exe.size && memcmp(again.data, exe.data, exe.size) == 0);
    EXPECT(third.size == exe.size && memcmp(third.data, exe.data, exe.size) == 0);
    EXPECT(other.data && (other.size != exe.size || memcmp(other.data, exe.data, exe.size) != 0));
    xlagpu_destroy(c);
}
static void through_a_file(xlagpu_bytes exe) {
    static const char path[] = "build/executable_test.xgx";
    unsigned char *back = (unsigned char *)malloc(exe.size + 1);
    FILE *f = fopen(path, "wb");
    EXPECT(f && fwrite(exe.data, 1, exe.size, f) == exe.size);
    if (f) fclose(f);
    f = fopen(path, "rb");
    EXPECT(f && fread(back, 1, exe.size + 1, f) == exe.size);
    if (f) fclose(f);
    EXPECT(runs_right(back, exe.size));
    free(back);
    remove(path);
}
static void facts(xlagpu_bytes exe) {
    xlagpu_program *p = xlagpu_rt_load(device, exe.data, exe.size);
    xlagpu_rt_value v;
    xlagpu_rt_kernel k;
    xlagpu_bytes ptx = xlagpu_executable_ptx(exe);
    EXPECT(p != NULL);
    EXPECT(ptx.data && ptx.data[ptx.size] == 0 && strstr((const char *)ptx.data, ".entry"));
    EXPECT(strcmp(xlagpu_rt_program_name(p), "whole") == 0);
    EXPECT(xlagpu_rt_parameter_count(p) == WHOLE_IN && xlagpu_rt_result_count(p) == WHOLE_OUT);
    EXPECT(xlagpu_rt_parameter(p, 0, &v) && v.type == XLAGPU_F32 && v.rank == 2 && v.dims[0] == 3 && v.dims[1] == 5 &&
           v.minor_to_major[0] == 0 && v.bytes == 60);
    EXPECT(xlagpu_rt_result(p, 4, &v) && v.type == XLAGPU_S32 && v.rank == 1 && v.bytes == 16);
    EXPECT(!xlagpu_rt_parameter(p, WHOLE_IN, &v) && !xlagpu_rt_result(p, WHOLE_OUT, &v));
    EXPECT(xlagpu_rt_kernel_count(p) > 0 && xlagpu_rt_kernel_info(p, 0, &k) && *k.name && k.grid[0] && k.block[0] &&
           !xlagpu_rt_kernel_info(p, xlagpu_rt_kernel_count(p), &k));
    xlagpu_rt_unload(p);
}

/* ---- damaged ---- */

static void right_sums(unsigned char *p, size_t n) {
    size_t from = offsetof(xg_exe_header, target);
    uint64_t size = n, sum;
    if (n < sizeof(xg_exe_header)) return;
    sum = xg_exe_checksum(p + from, n - from);
    memcpy(p + offsetof(xg_exe_header, size), &size, 8);
    memcpy(p + offsetof(xg_exe_header, checksum), &sum, 8);
}

/* Loaded only to be run in vain? A damaged grid may be large: that is not what is tested. */
static bool is_short(const xlagpu_program *p) {
    xlagpu_rt_kernel k;
    uint32_t i;
    for (i = 0; xlagpu_rt_kernel_info(p, i, &k); i++)
        if ((double)k.grid[0] * k.grid[1] * k.grid[2] > 256) return false;
    return true;
}
static void run_anyhow(xlagpu_program *p) {
    xlagpu_rt_tensor *t =
        (xlagpu_rt_tensor *)calloc((size_t)xlagpu_rt_parameter_count(p) + xlagpu_rt_result_count(p) + 1, sizeof *t);
    uint32_t n = xlagpu_rt_parameter_count(p), m = xlagpu_rt_result_count(p), k;
    xlagpu_rt_value v;
    size_t sum = 0;
    for (k = 0; k < n + m; k++) {
        if (k < n)
            xlagpu_rt_parameter(p, k, &v);
        else
            xlagpu_rt_result(p, k - n, &v);
        t[k].bytes = v.bytes;
        sum += v.bytes;
        if (sum < (size_t)1 << 20) t[k].data = calloc(v.bytes + 1, 1);
    }
    if (xlagpu_rt_run(p, t, n, t + n, m) != XLAGPU_OK)
        EXPECT_IN(*xlagpu_rt_error(device) && !strstr(xlagpu_rt_error(device), "a bug"), xlagpu_rt_error(device));
    for (k = 0; k < n + m; k++) free(t[k].data);
    free(t);
}

typedef enum outcome {
    REFUSED,
    RAN
} outcome;
/* bytes: malloc'ed of exactly this size. */
static outcome try_bytes(const unsigned char *bytes, size_t n, bool run) {
    xlagpu_program *p = xlagpu_rt_load(device, bytes, n);
    if (!p) {
        EXPECT_IN(*xlagpu_rt_error(device) != 0, "refused without a message");
        return REFUSED;
    }
    if (run && is_short(p)) run_anyhow(p);
    xlagpu_rt_unload(p);
    return RAN;
}

static void truncations(xlagpu_bytes exe, size_t step) {
    size_t n;
    for (n = 0; n < exe.size; n += n < 1200 ? 1 : step) {
        unsigned char *cut = (unsigned char *)malloc(n ? n : 1);
        xlagpu_bytes b;
        memcpy(cut, exe.data, n);
        EXPECT(try_bytes(cut, n, false) == REFUSED && device->c.status == XLAGPU_ERROR_CORRUPT);
        right_sums(cut, n);
        EXPECT(try_bytes(cut, n, false) == REFUSED && device->c.status == XLAGPU_ERROR_CORRUPT);
        b.data = cut;
        b.size = n;
        EXPECT(xlagpu_executable_ptx(b).data == NULL);
        free(cut);
    }
}

static void one_change(xlagpu_bytes exe, size_t at, unsigned char value, bool sums, bool run) {
    unsigned char *copy = (unsigned char *)malloc(exe.size);
    xlagpu_bytes b;
    memcpy(copy, exe.data, exe.size);
    copy[at] = value;
    if (sums)
        right_sums(copy, exe.size);
    else
        EXPECT(try_bytes(copy, exe.size, false) == REFUSED && device->c.status == XLAGPU_ERROR_CORRUPT);
    if (sums) try_bytes(copy, exe.size, run);
    b.data = copy;
    b.size = exe.size;
    b = xlagpu_executable_ptx(b);
    if (b.data) EXPECT(strlen((const char *)b.data) <= b.size);
    free(copy);
}
static void changes(xlagpu_bytes exe, size_t step, bool run) {
    static const unsigned char values[] = {0x00, 0xFF, 0x7F, 0x80, 1, 5};
    xg_exe_header h;
    xg_exe_section s[XG_EXE_SECTION_COUNT];
    size_t at, k;
    EXPECT(xg_exe_check(exe.data, exe.size, &h, s) == NULL);
    for (at = 0; at < exe.size; at++) {
        bool text = at >= s[XG_EXE_PTX].offset && at < s[XG_EXE_PTX].offset + s[XG_EXE_PTX].bytes;
        if (text && at % (19 * step)) continue;
        if (at < offsetof(xg_exe_header, checksum))
            one_change(exe, at, (unsigned char)(exe.data[at] ^ 1 << at % 8), false, false);
        if (at % step) continue;
        for (k = 0; k < (text ? 1 : 8); k++)
            one_change(exe, at, (unsigned char)(exe.data[at] ^ 1 << (text ? at / 19 % 8 : k)), true, run && !text);
        for (k = 0; k < sizeof values && !text; k++) one_change(exe, at, values[k], true, run);
    }
}
/* Every byte, of the PTX too: such PTX is read, not run. */
static void flips(xlagpu_bytes exe, size_t step, bool run) {
    xg_exe_header h;
    xg_exe_section s[XG_EXE_SECTION_COUNT];
    size_t at;
    EXPECT(xg_exe_check(exe.data, exe.size, &h, s) == NULL);
    for (at = 0; at < exe.size; at += step) {
        bool text = at >= s[XG_EXE_PTX].offset && at < s[XG_EXE_PTX].offset + s[XG_EXE_PTX].bytes;
        one_change(exe, at, exe.data[at] ^ 0xFF, false, false);
        one_change(exe, at, exe.data[at] ^ 1, false, false);
        one_change(exe, at, exe.data[at] ^ 0xFF, true, run && !text);
        one_change(exe, at, exe.data[at] ^ 1, true, run && !text);
    }
}
/* Whole words: the values that overflow sums and products. */
static void words(xlagpu_bytes exe, size_t step, bool run) {
    static const uint64_t values[] = {0x7FFFFFFF, 0x80000000u, 0xFFFFFFFF, 0x100000000u, 0x7FFFFFFFFFFFFFFF,
        0x8000000000000000u, 0xFFFFFFFFFFFFFFFFu, 0xFFFFFFFFFFFFFFF0u, 0x4000000000000000u};
    xg_exe_header h;
    xg_exe_section s[XG_EXE_SECTION_COUNT];
    size_t at, k;
    xg_exe_check(exe.data, exe.size, &h, s);
    for (at = offsetof(xg_exe_header, target); at + 8 <= s[XG_EXE_PTX].offset; at += 4 * step)
        for (k = 0; k < sizeof values / sizeof values[0]; k++) {
            unsigned char *copy = (unsigned char *)malloc(exe.size);
            memcpy(copy, exe.data, exe.size);
            memcpy(copy + at, &values[k], k < 3 ? 4 : 8);
            right_sums(copy, exe.size);
            try_bytes(copy, exe.size, run);
            free(copy);
        }
}

static void refused_with(const unsigned char *p, size_t n, const char *text) {
    EXPECT(try_bytes(p, n, false) == REFUSED);
    EXPECT(device->c.status == XLAGPU_ERROR_CORRUPT);
    EXPECT_TEXT(xlagpu_rt_error(device), text);
}
static void named_damage(xlagpu_bytes exe) {
    unsigned char *copy = (unsigned char *)malloc(2 * exe.size);
    size_t n = 0, k;
    for (k = 0; k < exe.size; k++) {
        if (exe.data[k] == '\n') copy[n++] = '\r';
        copy[n++] = exe.data[k];
    }
    refused_with(copy, n, "copied as text");
    memcpy(copy, exe.data, exe.size);
    copy[8]++;
    refused_with(copy, exe.size, "another version");
    memcpy(copy, exe.data, exe.size);
    copy[exe.size] = 0;
    refused_with(copy, exe.size + 1, "followed by other bytes");
    copy[exe.size / 2] ^= 4;
    refused_with(copy, exe.size, "checksum");
    refused_with((const unsigned char *)"HloModule", 9, "too short");
    refused_with(NULL, 0, "too short");
    free(copy);
}

/* Sequences that hold the same sequence twice, 60 times over: must be refused, not run 2^60 times. */
static void bomb(xlagpu_bytes exe) {
    xg_exe_header h;
    xg_exe_section s[XG_EXE_SECTION_COUNT];
    enum {
        LEVELS = 60
    };
    xg_exe_thunk t[LEVELS];
    uint32_t links[2 * LEVELS], k;
    size_t n = exe.size;
    unsigned char *copy = (unsigned char *)malloc(n + sizeof t + sizeof links + 64);
    EXPECT(xg_exe_check(exe.data, n, &h, s) == NULL);
    memcpy(copy, exe.data, n);
    memset(copy + n, 0, sizeof t + sizeof links + 64);
    memset(t, 0, sizeof t);
    for (k = 0; k < LEVELS; k++) {
        t[k].kind = XG_EXE_THUNK_SEQUENCE;
        t[k].first_link = 2 * k;
        t[k].n_links = k ? 2 : 0;
        links[2 * k] = links[2 * k + 1] = k ? k - 1 : 0;
    }
    n = (n + 15) / 16 * 16;
    s[XG_EXE_THUNKS].offset = n;
    s[XG_EXE_THUNKS].bytes = sizeof t;
    s[XG_EXE_THUNKS].count = LEVELS;
    memcpy(copy + n, t, sizeof t);
    n = (n + sizeof t + 15) / 16 * 16;
    s[XG_EXE_LINKS].offset = n;
    s[XG_EXE_LINKS].bytes = sizeof links;
    s[XG_EXE_LINKS].count = 2 * LEVELS;
    memcpy(copy + n, links, sizeof links);
    n += sizeof links;
    h.root_thunk = LEVELS - 1;
    memcpy(copy, &h, sizeof h);
    memcpy(copy + sizeof h, s, sizeof s);
    right_sums(copy, n);
    refused_with(copy, n, "tree of thunks");
    free(copy);
}

int main(int argc, char **argv) {
    size_t step = argc > 1 && strcmp(argv[1], "--quick") == 0 ? 7 : 1, apart = step == 1 ? 1 : 29;
    xlagpu_context *c = xlagpu_create(NULL);
    xlagpu_bytes exe = compile(c, "sm_90a"), control = compile_text(c, control_text, "sm_90a"),
                 commands = compile_commands(c);
    device = open_host();
    if (!EXPECT(exe.data && control.data && commands.data)) {
        printf("%s\n", xlagpu_error(c));
        return finish();
    }
    EXPECT(runs_right(exe.data, exe.size) && has_command_buffer(commands));
    same_every_time(exe);
    through_a_file(exe);
    facts(exe);
    named_damage(exe);
    bomb(exe);
    truncations(exe, apart);
    truncations(control, apart);
    truncations(commands, apart);
    changes(exe, step, true);
    words(exe, step, true);
    flips(exe, apart, true);
    changes(control, step, false); /* loaded only: a damaged loop may run forever */
    words(control, step, false);
    flips(control, apart, false);
    flips(commands, apart, false);
    EXPECT(runs_right(exe.data, exe.size));
    xlagpu_rt_close(device);
    xlagpu_destroy(c);
    EXPECT_IN(count.live == 0, "memory is not given back");
    return finish();
}
