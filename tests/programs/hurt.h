/* tests/programs/hurt.h -- a text in which one thing is damaged: a number is one more, one less, twice or none, a word
 * stands where another did, a sign is missing, a line is dropped or moved, a byte is too many, the text ends. Or one
 * that is changed: a number, a type or an operation becomes another wherever it stands, so that what is left agrees
 * with itself more often. */
#ifndef XLAGPU_TESTS_HURT_H
#define XLAGPU_TESTS_HURT_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HURT_TOKENS = 20000
};
static uint64_t hurt_state;
static uint32_t hurt_draw(uint32_t n) {
    hurt_state = hurt_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((hurt_state >> 33) % n);
}
typedef struct hurt_token {
    uint32_t at, n;
    char kind; /* 0 a number, a word, . a sign */
} hurt_token;
static hurt_token hurt_at[HURT_TOKENS];
static uint32_t hurt_n;
static bool hurt_comments;

static bool hurt_digit(char c) { return c >= '0' && c <= '9'; }
static bool hurt_word(char c) {
    return hurt_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '%' ||
           c == '-';
}
/* comments: lines of "//" say what runs a kernel, and stay. */
static void hurt_tokens(const char *text, uint32_t n, bool comments) {
    uint32_t k = 0, from;
    hurt_comments = comments;
    for (hurt_n = 0; k < n && hurt_n < HURT_TOKENS;) {
        from = k;
        if (!comments && text[k] == '/' && k + 1 < n && text[k + 1] == '/') {
            while (k < n && text[k] != '\n') k++;
            continue;
        }
        if (text[k] == ' ' || text[k] == '\n') {
            k++;
            continue;
        }
        if (hurt_digit(text[k]))
            while (k < n && hurt_digit(text[k])) k++;
        else if (text[k] == 'x' && hurt_n && hurt_at[hurt_n - 1].kind == '0' &&
                 hurt_at[hurt_n - 1].at + hurt_at[hurt_n - 1].n == k)
            k++; /* of 4x8xf32 */
        else if (hurt_word(text[k]))
            while (k < n && hurt_word(text[k])) k++;
        else
            k++;
        hurt_at[hurt_n].at = from;
        hurt_at[hurt_n].n = k - from;
        hurt_at[hurt_n++].kind = hurt_digit(text[from]) ? '0' : hurt_word(text[from]) ? 'a' : '.';
    }
}
/* A token of that kind; NULL: there is none near. */
static const hurt_token *hurt_any(char kind) {
    uint32_t k, at = hurt_draw(hurt_n);
    for (k = 0; k < hurt_n; k++)
        if (hurt_at[(at + k) % hurt_n].kind == kind) return &hurt_at[(at + k) % hurt_n];
    return NULL;
}
static void hurt_number(const char *text, const hurt_token *t, char *by) {
    long long was = t->n < 18 ? strtoll(text + t->at, NULL, 10) : 1;
    const hurt_token *u = hurt_any('0');
    switch (hurt_draw(6)) {
    case 0: was++; break;
    case 1: was--; break;
    case 2: was *= 2; break;
    case 3: was = 0; break;
    case 4: was = u->n < 18 ? strtoll(text + u->at, NULL, 10) : 3; break;
    default: was = hurt_draw(9); break;
    }
    sprintf(by, "%lld", was);
}
static size_t hurt_put(char *to, size_t n, const char *p, size_t size) {
    memcpy(to + n, p, size);
    return n + size;
}
static size_t line_end(const char *text, size_t n, size_t k) {
    while (k < n && text[k] != '\n') k++;
    return k < n ? k + 1 : n;
}
/* The line at a hurt_token goes, or changes places with the next. */
static size_t hurt_line(const char *text, size_t n, size_t at, bool moved, char *to) {
    size_t from = at, end = line_end(text, n, at), next = line_end(text, n, end), made;
    while (from && text[from - 1] != '\n') from--;
    made = hurt_put(to, 0, text, from);
    if (moved) {
        made = hurt_put(to, made, text + end, next - end);
        made = hurt_put(to, made, text + from, end - from);
        end = next;
    }
    return hurt_put(to, made, text + end, n - end);
}
/* to has room for twice the text and 64 bytes more. ways: 16, or 17: bytes that are too many, too. */
static size_t hurt(const char *text, size_t n, char *to, uint32_t ways) {
    uint32_t how = hurt_draw(ways);
    const hurt_token *t = hurt_any(how < 8 ? '0' : how < 12 ? 'a' : '.'), *u = hurt_any(how < 12 ? 'a' : '.');
    char by[64];
    size_t made;
    if (!t || !u) t = u = &hurt_at[hurt_draw(hurt_n)];
    if (how == 16) by[0] = (char)(1 + hurt_draw(255));
    if (how == 14) return hurt_put(to, 0, text, t->at);
    if (how == 15) return hurt_line(text, n, t->at, hurt_draw(2), to);
    made = hurt_put(to, 0, text, t->at);
    if (how == 16) return hurt_put(to, hurt_put(to, made, by, 1), text + t->at, n - t->at);
    if (t->kind == '0') {
        hurt_number(text, t, by);
        made = hurt_put(to, made, by, strlen(by));
    } else if (how != 12)
        made = hurt_put(to, made, text + u->at, u->n);
    return hurt_put(to, made, text + t->at + t->n, n - t->at - t->n);
}

/* ---- a text that is changed ---- */

/* A word becomes another of its line. */
static const char *const hurt_kin[] = {
    "f32 f16 bf16 f64 s32 u32 s64 u64 s8 u8 s16 u16 pred c64 c128 s4 u4 f8e4m3fn f8e5m2",
    "f32 f16 bf16 f64 i32 i64 i8 i16 i1 index f8E4M3FN f8E5M2", "ui8 ui16 ui32 ui64 i32 i64",
    "b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f16 bf16 f32 f64 f16x2 bf16x2",
    "add subtract multiply divide maximum minimum power remainder and or xor atan2 shift-left shift-right-logical "
    "shift-right-arithmetic complex",
    "abs negate exponential log tanh sqrt rsqrt cbrt sign floor ceil cosine sine not logistic copy real imag convert "
    "is-finite round-nearest-even exponential-minus-one log-plus-one popcnt clz erf tan",
    "add subtract multiply divide maximum minimum power remainder and or xor",
    "addf subf mulf divf remf maximumf minimumf maxnumf minnumf",
    "negf absf floor ceil trunc sqrt rsqrt exp exp2 log tanh",
    "addi subi muli divsi divui remsi remui andi ori xori shli shrsi shrui maxsi minsi maxui minui",
    "add sub mul min max and or xor shl shr div rem", "eq ne lt le gt ge lo ls hi hs", "EQ NE LT LE GT GE",
    "eq ne slt sle sgt sge ult ule ugt uge", "oeq one olt ole ogt oge ueq une ult ule ugt uge ord uno", "true false",
    "rn rz rm rp rni rzi", "global shared local const param", "ca cg cs lu cv nc", "v2 v4", "up down bfly idx",
    "relaxed acquire release acq_rel volatile weak", "cta cluster gpu sys", "FFT IFFT RFFT IRFFT",
    "all-reduce all-gather reduce-scatter all-to-all collective-permute collective-broadcast",
    "NO_TRANSPOSE TRANSPOSE ADJOINT", "DEFAULT HIGH HIGHEST",
    "cross_replica cross_partition cross_replica_and_partition flattened_id", "kLoop kInput kOutput kCustom", "row col",
    "wide lo hi", "reduce reduce-window scatter sort map", "sin cos ex2 lg2 rcp"};
static const int hurt_sizes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 96, 100,
    127, 128, 129, 192, 255, 256, 257, 500, 512, 513, 1000, 1023, 1024, 1025, 2048, 2049, 4096, 5000, 8192, 65535,
    65536, 100000};

static bool hurt_joins(char c) { return hurt_word(c) && c != '.' && c != '%' && c != '-'; }
/* Whether the bytes are a word, or a part of one between points. A size is one, too: of 4x8xf32. */
static bool hurt_stands_alone(const char *text, size_t n, size_t at, size_t size) {
    char front = at ? text[at - 1] : ' ', behind = at + size < n ? text[at + size] : ' ';
    bool digits = at > 1 && (hurt_digit(text[at - 2]) || text[at - 2] == '?');
    return (!hurt_joins(front) || (front == 'x' && digits)) &&
           (!hurt_joins(behind) || (behind == 'x' && hurt_digit(text[at])));
}
/* What stands at a place becomes `by`, there or everywhere. */
static size_t hurt_replace(const char *text, size_t n, size_t at, size_t size, const char *by, bool all, char *to) {
    size_t made = 0, k = 0, most = 2 * n, grows = strlen(by);
    while (k < n) {
        bool comment = !hurt_comments && text[k] == '/' && k + 1 < n && text[k + 1] == '/';
        bool same = all ? n - k >= size && memcmp(text + k, text + at, size) == 0 && hurt_stands_alone(text, n, k, size)
                        : k == at;
        if (comment) {
            size_t end = line_end(text, n, k);
            made = hurt_put(to, made, text + k, end - k);
            k = end;
        } else if (same && made + grows + n - k < most) {
            made = hurt_put(to, made, by, grows);
            k += size;
        } else
            to[made++] = text[k++];
    }
    return made;
}
static size_t hurt_resize(const char *text, size_t n, char *to) {
    const hurt_token *t = hurt_any('0');
    char by[64];
    if (!t) return hurt_put(to, 0, text, n);
    if (hurt_draw(2))
        hurt_number(text, t, by);
    else
        sprintf(by, "%d", hurt_sizes[hurt_draw(sizeof hurt_sizes / sizeof *hurt_sizes)]);
    return hurt_replace(text, n, t->at, t->n, by, hurt_draw(4) != 0, to);
}
/* The next word of a line of kin; its length. */
static size_t hurt_next(const char **p) {
    size_t n;
    *p += **p == ' ';
    n = strcspn(*p, " ");
    *p += n;
    return n;
}
/* Another word of a line that has this one; false: there is none. */
static bool hurt_other(const char *word, size_t size, char *by) {
    const size_t lines = sizeof hurt_kin / sizeof *hurt_kin;
    size_t first = hurt_draw((uint32_t)lines), k;
    for (k = 0; k < lines; k++) {
        const char *line = hurt_kin[(first + k) % lines], *p = line;
        uint32_t count = 0, pick;
        bool has = false;
        while (*p) {
            size_t got = hurt_next(&p);
            has = has || (got == size && memcmp(p - got, word, size) == 0);
            count++;
        }
        if (!has) continue;
        for (p = line, pick = hurt_draw(count); pick; pick--) (void)hurt_next(&p);
        size = hurt_next(&p);
        memcpy(by, p - size, size);
        by[size] = 0;
        return true;
    }
    return false;
}
/* Tries words, or their parts between points, until one has kin. */
static size_t hurt_rename(const char *text, size_t n, char *to) {
    char by[64];
    int tries;
    for (tries = 0; tries < 40; tries++) {
        const hurt_token *t = &hurt_at[hurt_draw(hurt_n)];
        uint32_t from = t->at, end = t->at + t->n, size;
        if (t->kind != 'a') continue;
        if (hurt_draw(4)) {
            uint32_t skip = hurt_draw(5), k;
            for (k = from; k < end && skip; k++)
                if (text[k] == '.') from = k + 1, skip--;
        }
        for (size = 0; from + size < end && text[from + size] != '.'; size++) {}
        if (size && hurt_other(text + from, size, by))
            return hurt_replace(text, n, from, size, by, hurt_draw(3) != 0, to);
    }
    return hurt_resize(text, n, to);
}
/* to has room for four times the text and 256 bytes more. One change, or two. */
static size_t hurt_vary(const char *text, size_t n, char *to) {
    uint32_t how = hurt_draw(8);
    char *first = (char *)malloc(2 * n + 64);
    size_t made;
    if (how < 3)
        made = hurt_resize(text, n, to);
    else if (how < 5)
        made = hurt_rename(text, n, to);
    else if (how == 5)
        made = hurt(text, n, to, 17);
    else {
        made = how == 6 ? hurt_resize(text, n, first) : hurt_rename(text, n, first);
        hurt_tokens(first, (uint32_t)made, hurt_comments);
        made = hurt_n && hurt_draw(3) ? hurt_resize(first, made, to) : hurt_n ? hurt_rename(first, made, to) : 0;
    }
    free(first);
    return made;
}

#endif /* XLAGPU_TESTS_HURT_H */
