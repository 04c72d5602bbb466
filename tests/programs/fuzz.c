/* tests/programs/fuzz.c -- hostile input, many thousand times in one process.
 *
 *     fuzz hlo CUTS DAMAGES FILE.hlo ...      the text cut at CUTS places and damaged DAMAGES times: bytes, numbers,
 *         words, lines
 *     fuzz ptx CUTS DAMAGES FILE ...          the PTX that we print for FILE.hlo, or FILE.ptx itself, the same, given
 *                                             to the simulator's parser
 *     fuzz npz CUTS DAMAGES FILE.npz ...      the same for the tool's reader of arguments
 *     fuzz import CUTS DAMAGES FILE ...       the same for a module in any form that is read: StableHLO as text or
 *                                             bytecode, artifacts of jax.export, HLO protobufs; nothing is compiled
 *     fuzz import every every FILE ...        cut behind every byte, and every bit of every byte wrong
 * (Executables: tests/programs/executable.c. Refused allocations: tests/programs/memory.c. Texts that are made to be
 * hard: tests/programs/hostile.c.)
 *
 * Law: whatever the bytes, a call either works or fails with a class, a message and, where a text is at fault, a line.
 * A module that is accepted prints to a text that reads back and prints the same. All memory is given back. A case may
 * take 20 seconds. Everything is drawn from a fixed seed. Best under -fsanitize=address,undefined
 * (tests/scripts/soak.sh). Ends with "N passed, N failed"; a case that fails is kept as build/fuzz_failure. */
#define _POSIX_C_SOURCE 200809L
#include "../../src/xlagpu.h"
#include "../../src/xlagpu_runtime.h"
#include "../../tools/npz.c"
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static unsigned long passed, failed;
static char now[512]; /* what runs, for the alarm */

static void too_long(int signal_number) {
    (void)signal_number;
    if (write(1, "FAIL over 20 seconds: ", 22) < 0 || write(1, now, strlen(now)) < 0 ||
        write(1, "\n0 passed, 1 failed\n", 20) < 0) {}
    _exit(1);
}

static uint64_t state = 88172645463325252u;
static uint64_t draw(uint64_t below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return below ? state % below : 0;
}

/* ---- an allocator that counts ---- */
static long live;
static void *count_alloc(void *user, size_t bytes) {
    void *p = malloc(bytes);
    (void)user;
    if (p) live++;
    return p;
}
static void count_release(void *user, void *p) {
    (void)user;
    if (p) live--;
    free(p);
}
static xlagpu_allocator counting(void) {
    xlagpu_allocator a;
    a.alloc = count_alloc;
    a.release = count_release;
    a.user = NULL;
    return a;
}

static void keep(const unsigned char *bytes, size_t n) {
    FILE *f = fopen("build/fuzz_failure", "wb");
    if (!f) return;
    fwrite(bytes, 1, n, f);
    fclose(f);
}
static void judge(const char *why, const unsigned char *bytes, size_t n) {
    if (!why && live) why = "memory is not given back";
    if (!why) {
        passed++;
        return;
    }
    if (failed++ < 10) {
        printf("FAIL %s: %s\n", now, why);
        keep(bytes, n);
    }
    live = 0;
}

/* ---- what is tried on one input: NULL, or what is wrong ---- */

static xlagpu_context *new_context(void) {
    xlagpu_context_desc d;
    memset(&d, 0, sizeof d);
    d.allocator = counting();
    d.memory_limit = (size_t)1 << 30;
    return xlagpu_create(&d);
}
static xlagpu_device *new_device(void) {
    xlagpu_device_desc d;
    xlagpu_device *device = NULL;
    memset(&d, 0, sizeof d);
    d.platform = "host";
    d.allocator = counting();
    d.threads = 1;
    xlagpu_rt_open(&d, &device);
    return device;
}

/* A refusal must be explained. place: it must say where. */
static const char *refusal(xlagpu_context *c, bool place) {
    xlagpu_status s = xlagpu_error_status(c);
    uint32_t line = 0, column = 0;
    xlagpu_error_position(c, &line, &column);
    if (s == XLAGPU_OK) return "refused, but the status is OK";
    if (s == XLAGPU_ERROR_INTERNAL) return xlagpu_error(c);
    if (!*xlagpu_error(c)) return "refused without a message";
    if (place && !line && (s == XLAGPU_ERROR_SYNTAX || s == XLAGPU_ERROR_INVALID)) return "refused without a line";
    return NULL;
}

static const char *print_twice(xlagpu_context *c, xlagpu_module *m) {
    xlagpu_bytes first = xlagpu_print(m), second;
    xlagpu_module *again;
    if (!first.data)
        return xlagpu_error_status(c) == XLAGPU_ERROR_MEMORY || xlagpu_error_status(c) == XLAGPU_ERROR_LIMIT
                   ? NULL
                   : "an accepted module does not print";
    again = xlagpu_parse(c, "again", (const char *)first.data, first.size);
    if (!again) return "what an accepted module prints does not read back";
    second = xlagpu_print(again);
    return second.size == first.size && memcmp(first.data, second.data, first.size) == 0 ? NULL
                                                                                         : "printing is not stable";
}

static const char *try_hlo(const unsigned char *bytes, size_t n) {
    xlagpu_context *c = new_context();
    xlagpu_module *m = xlagpu_parse(c, "fuzz", (const char *)bytes, n);
    const char *why = NULL;
    if (!m)
        why = refusal(c, true);
    else {
        why = print_twice(c, m);
        if (!why && !xlagpu_compile(m, NULL).data) why = refusal(c, false);
    }
    if (why) {
        static char text[600];
        snprintf(text, sizeof text, "%s", why);
        why = text;
    }
    xlagpu_destroy(c);
    return why;
}

/* Which form the bytes have is theirs to say; only one that is text has lines. */
static const char *try_import(const unsigned char *bytes, size_t n) {
    xlagpu_context *c = new_context();
    xlagpu_module *m = xlagpu_parse(c, "fuzz", (const char *)bytes, n);
    const char *why = m ? print_twice(c, m) : refusal(c, false);
    static char text[600];
    if (why) {
        snprintf(text, sizeof text, "%s", why);
        why = text;
    }
    xlagpu_destroy(c);
    return why;
}

static const char *device_refusal(xlagpu_device *d) {
    return *xlagpu_rt_error(d) ? strstr(xlagpu_rt_error(d), "bug in xlagpu") : "refused without a message";
}

static const char *try_ptx(const unsigned char *bytes, size_t n) {
    xlagpu_device *d = new_device();
    uint32_t offset, size;
    bool found = xlagpu_rt_ptx_parameter(d, "fuzz", (const char *)bytes, n, NULL, 0, &offset, &size);
    const char *why = found || !*xlagpu_rt_error(d) ? NULL : device_refusal(d);
    xlagpu_rt_close(d);
    return why ? "a bug in xlagpu is reported" : NULL;
}

static const char *try_npz(const unsigned char *bytes, size_t n) {
    const char *path = "build/fuzz.npz";
    npz_file f;
    FILE *out = fopen(path, "wb");
    const char *why = NULL;
    if (!out) return "cannot write build/fuzz.npz";
    fwrite(bytes, 1, n, out);
    fclose(out);
    if (!npz_read(path, &f) && !f.error[0]) why = "refused without a message";
    npz_free(&f);
    return why;
}

/* ---- damage ---- */

#define DAMAGE_ROOM 4096 /* what it may add */

static bool word_part(unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' ||
           c == '-' || c == '%';
}
/* A word of the text, at a drawn place or behind it; *from is the end of the text where there is none. */
static size_t draw_word(const unsigned char *text, size_t n, size_t *from) {
    size_t at = (size_t)draw(n), end;
    while (at < n && !word_part(text[at])) at++;
    while (at && at < n && word_part(text[at - 1])) at--;
    for (end = at; end < n && word_part(text[end]); end++) {}
    *from = at;
    return end - at;
}
/* The same for a number. */
static size_t draw_number(const unsigned char *text, size_t n, size_t *from) {
    size_t at = (size_t)draw(n), end;
    while (at < n && !(text[at] >= '0' && text[at] <= '9')) at++;
    for (end = at; end < n && text[end] >= '0' && text[end] <= '9'; end++) {}
    *from = at;
    return end - at;
}
static size_t draw_line(const unsigned char *text, size_t n, size_t *from) {
    size_t at = (size_t)draw(n), end;
    while (at && text[at - 1] != '\n') at--;
    for (end = at; end < n && text[end] != '\n'; end++) {}
    *from = at;
    return end - at + (end < n);
}
/* out: the text with its bytes [at, at + k) replaced by the m bytes of by, which may lie in the text. */
static size_t replace(
    unsigned char *out, const unsigned char *in, size_t n, size_t at, size_t k, const void *by, size_t m) {
    if (m > k + DAMAGE_ROOM) m = k + DAMAGE_ROOM;
    memcpy(out, in, at);
    memcpy(out + at, by, m);
    memcpy(out + at + m, in + at + k, n - at - k);
    return n - k + m;
}

/* Room for n + DAMAGE_ROOM bytes in out; the new size. */
static size_t damage(unsigned char *out, const unsigned char *in, size_t n) {
    static const char grammar[] = "{}()[]<>=,:;%.-+\"'/*0123456789 \n\t@$_#&|";
    static const char *const numbers[] = {"0", "1", "-1", "2", "3", "7", "31", "32", "33", "64", "255", "256", "1024",
        "65536", "2147483647", "2147483648", "4294967295", "4294967296", "9223372036854775807", "9223372036854775808",
        "18446744073709551615", "18446744073709551616", "1e999", "-1e999", "1e-999", "nan", "inf", "-inf", "-0", "0.5",
        "-9223372036854775808"};
    size_t at, k, from, m;
    memcpy(out, in, n);
    if (!n) return n;
    at = (size_t)draw(n);
    switch (draw(11)) {
    case 0: out[at] = (unsigned char)(out[at] ^ (1u << draw(8))); return n;
    case 1: out[at] = (unsigned char)draw(256); return n;
    case 2: out[at] = (unsigned char)grammar[draw(sizeof grammar - 1)]; return n;
    case 3: k = 1 + (size_t)draw(8); return replace(out, in, n, at, k < n - at ? k : n - at, "", 0);
    case 4: /* a piece of the text once more, elsewhere */
        from = (size_t)draw(n);
        k = 1 + (size_t)draw(60);
        return replace(out, in, n, at, 0, in + from, k < n - from ? k : n - from);
    case 5:
    case 6: /* a number that breaks something */
        k = draw_number(in, n, &at);
        from = (size_t)draw(sizeof numbers / sizeof numbers[0]);
        return replace(out, in, n, at, k, numbers[from], strlen(numbers[from]));
    case 7: /* another number of the text */
        k = draw_number(in, n, &at);
        m = draw_number(in, n, &from);
        return replace(out, in, n, at, k, in + from, m);
    case 8:
    case 9: /* another word of the text */
        k = draw_word(in, n, &at);
        m = draw_word(in, n, &from);
        return replace(out, in, n, at, k, in + from, m);
    default: /* a line twice, at another place, or instead of another */
        k = draw_line(in, n, &at);
        m = draw_line(in, n, &from);
        return replace(out, in, n, at, draw(2) ? k : 0, in + from, m);
    }
}
/* Now and then several damages at once. scratch has as much room as out. */
static size_t damage_some(unsigned char *out, unsigned char *scratch, const unsigned char *in, size_t n) {
    size_t m = damage(out, in, n), again;
    for (again = draw(3) ? 0 : 1 + (size_t)draw(3); again && m <= n; again--) { /* the room is for one that grows */
        memcpy(scratch, out, m);
        m = damage(out, scratch, m);
    }
    return m;
}

typedef const char *(*try_fn)(const unsigned char *bytes, size_t n);

/* A copy of the exact size, so that a sanitizer sees a read behind the end. */
static void attack_with(const unsigned char *bytes, size_t n, try_fn try_one) {
    unsigned char *exact = (unsigned char *)malloc(n ? n : 1);
    memcpy(exact, bytes, n);
    alarm(20);
    judge(try_one(exact, n), exact, n);
    alarm(0);
    free(exact);
}
static void attack_every(const char *name, unsigned char *bytes, size_t n, try_fn try_one) {
    size_t k;
    for (k = 0; k < n; k++) {
        snprintf(now, sizeof now, "%s cut to %lu bytes", name, (unsigned long)k);
        attack_with(bytes, k, try_one);
    }
    for (k = 0; k < 8 * n; k++) {
        snprintf(now, sizeof now, "%s with bit %d of byte %lu wrong", name, (int)(k % 8), (unsigned long)(k / 8));
        bytes[k / 8] = (unsigned char)(bytes[k / 8] ^ 1u << k % 8);
        attack_with(bytes, n, try_one);
        bytes[k / 8] = (unsigned char)(bytes[k / 8] ^ 1u << k % 8);
    }
}
static void attack(const char *name, const unsigned char *bytes, size_t n, long cuts, long damages, try_fn try_one) {
    unsigned char *work = (unsigned char *)malloc(n + DAMAGE_ROOM), *scratch = (unsigned char *)malloc(n + DAMAGE_ROOM);
    long k;
    size_t m;
    for (k = 0; k < cuts + damages; k++) {
        if (k < cuts) {
            m = cuts > 1 ? (size_t)((double)n * (double)k / (double)cuts) : n / 2;
            snprintf(now, sizeof now, "%s cut to %lu bytes", name, (unsigned long)m);
            memcpy(work, bytes, m);
        } else {
            m = damage_some(work, scratch, bytes, n);
            snprintf(now, sizeof now, "%s damaged, number %ld", name, k - cuts);
        }
        attack_with(work, m, try_one);
    }
    free(work);
    free(scratch);
}

/* The PTX of an HLO file: malloc'ed; NULL when there is none. */
static unsigned char *ptx_of(const unsigned char *text, size_t n, size_t *size) {
    xlagpu_context *c = new_context();
    xlagpu_module *m = xlagpu_parse(c, "fuzz", (const char *)text, n);
    xlagpu_bytes b = {NULL, 0};
    unsigned char *copy = NULL;
    if (m) b = xlagpu_executable_ptx(xlagpu_compile(m, NULL));
    if (b.data) {
        copy = (unsigned char *)malloc(b.size);
        memcpy(copy, b.data, b.size);
        *size = b.size;
    }
    xlagpu_destroy(c);
    return copy;
}

static const struct {
    const char *name;
    try_fn try_one;
} kinds[] = {{"hlo", try_hlo}, {"ptx", try_ptx}, {"npz", try_npz}, {"import", try_import}};

int main(int argc, char **argv) {
    const size_t n_kinds = sizeof kinds / sizeof kinds[0];
    size_t kind = 0;
    int k;
    while (kind < n_kinds && (argc <= 4 || strcmp(argv[1], kinds[kind].name) != 0)) kind++;
    if (kind == n_kinds) {
        fprintf(stderr, "usage: fuzz hlo|ptx|npz|import CUTS DAMAGES FILE ...\n");
        return 2;
    }
    signal(SIGALRM, too_long);
    for (k = 4; k < argc; k++) {
        size_t n = 0;
        unsigned char *bytes = file_read(argv[k], &n), *made;
        if (!bytes) {
            printf("FAIL cannot read %s\n", argv[k]);
            failed++;
            continue;
        }
        if (kinds[kind].try_one == try_ptx &&
            !(strlen(argv[k]) > 4 && strcmp(argv[k] + strlen(argv[k]) - 4, ".ptx") == 0)) {
            made = ptx_of(bytes, n, &n);
            free(bytes);
            bytes = made;
        }
        if (bytes && strcmp(argv[2], "every") == 0)
            attack_every(argv[k], bytes, n, kinds[kind].try_one);
        else if (bytes)
            attack(argv[k], bytes, n, atol(argv[2]), atol(argv[3]), kinds[kind].try_one);
        free(bytes);
    }
    printf("%lu passed, %lu failed\n", passed, failed);
    return failed != 0;
}
