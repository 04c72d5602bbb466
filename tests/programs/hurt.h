/* tests/programs/hurt.h -- a text in which one thing is damaged: a number is one more, one less, twice or none, a word
 * stands where another did, a sign is missing, a line is dropped or moved, a byte is too many, the text ends. */
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

static bool hurt_digit(char c) { return c >= '0' && c <= '9'; }
static bool hurt_word(char c) {
    return hurt_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '%' ||
           c == '-';
}
/* comments: lines of "//" say what runs a kernel, and stay. */
static void hurt_tokens(const char *text, uint32_t n, bool comments) {
    uint32_t k = 0, from;
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

#endif /* XLAGPU_TESTS_HURT_H */
