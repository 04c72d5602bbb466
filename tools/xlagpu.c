/* tools/xlagpu.c -- the command line: its verbs are the rows of VERBS in flags.h. */
#if defined(__TINYC__) && !defined(_ISOC11_SOURCE)
#define _ISOC11_SOURCE 1 /* timespec_get of glibc: tcc says that it is of 1999 */
#endif
#include "tool.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <sys/time.h>
#else
#include <time.h>
#endif

int fail(int code, const char *format, ...) {
    va_list a;
    va_start(a, format);
    vfprintf(stderr, format, a);
    va_end(a);
    fputc('\n', stderr);
    return code;
}
int code_of(xlagpu_status s) {
    return s == XLAGPU_OK                                                                        ? OK
           : s == XLAGPU_ERROR_FAULT                                                             ? FAULT
           : s == XLAGPU_ERROR_DEVICE || s == XLAGPU_ERROR_NO_DEVICE || s == XLAGPU_ERROR_MEMORY ? DEVICE
                                                                                                 : BAD;
}
int fail_in(const char *path, xlagpu_status s, const char *message) {
    bool placed = strstr(message, ": error: ") != NULL || s == XLAGPU_ERROR_FAULT;
    return fail(code_of(s), "%s%s%s", placed ? "" : path, placed ? "" : ": error: ", message);
}
int unreadable(const char *path) {
    const char *why = errno == ENOENT ? "there is no such file" : errno == EISDIR ? "it is a folder" : strerror(errno);
    if (!*path) return fail(BAD, "xlagpu: error: the name of a file to read is empty");
    return fail(BAD, "%s: error: cannot be read: %s", path, why);
}
int unwritable(const char *path) {
    if (!*path) return fail(BAD, "xlagpu: error: the name of a file to write is empty");
    return fail(BAD, "%s: error: cannot be written: %s", path, why_unwritable());
}
double seconds(void) {
#ifdef _WIN32 /* its older C library has no timespec_get */
    struct timeval t;
    gettimeofday(&t, NULL);
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
#else
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
#endif
}
char *text_copy(const char *text, size_t n) {
    char *p = (char *)malloc(n + 1);
    if (!p) return NULL;
    memcpy(p, text, n);
    p[n] = 0;
    return p;
}
int worse(int a, int b) { return a > b ? a : b; }

int write_out(const char *path, const void *p, size_t n) {
    bool standard = !path || strcmp(path, "-") == 0, ok;
    FILE *f = standard ? stdout : fopen(path, "wb");
    ok = f && fwrite(p, 1, n, f) == n;
    if (f && (standard ? fflush(f) : fclose(f)) != 0) ok = false;
    return ok ? OK : unwritable(standard ? "standard output" : path);
}

static int unknown_verb(const char *word) {
    const char *dot = strrchr(word, '.'), *like = verb_nearest(word);
    bool kernel = dot && strcmp(dot, ".ptx") == 0;
    char list[128] = "";
    int k;
    if (dot)
        return fail(BAD, "xlagpu: error: unknown verb '%s': for a file write xlagpu %s %s (xlagpu --help)", word,
            kernel ? "sim" : "run", word);
    for (k = 0; verb_names[k]; k++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s",
            !k                  ? ""
            : verb_names[k + 1] ? ", "
                                : " and ",
            verb_names[k]);
    return fail(BAD, "xlagpu: error: unknown verb '%s'; %s%s%sthere are %s (xlagpu --help)", word,
        like ? "did you mean '" : "", like ? like : "", like ? "'? " : "", list);
}

static int verb_of(const char *word) {
    int k;
    for (k = 0; verb_names[k]; k++)
        if (strcmp(word, verb_names[k]) == 0) return k;
    return -1;
}

int main(int argc, char **argv) {
    static int (*const run[])(const flag_values *) = {
#define X(name, word, takes, help) verb_##word,
        VERBS(X)
#undef X
    };
    static flag_values f; /* large, and one process has one */
    const char *word = argc > 1 ? argv[1] : "";
    int verb = verb_of(word), rc;
    if (xla_tool(argc, argv, &rc)) return rc;
    if (argc < 2 || strcmp(word, "--help") == 0 || strcmp(word, "-help") == 0 || strcmp(word, "-h") == 0 ||
        strcmp(word, "help") == 0) {
        if (argc > 2 && verb_of(argv[2]) < 0) return unknown_verb(argv[2]);
        flags_help(argc > 2 ? verb_of(argv[2]) : -1);
        return argc < 2 ? BAD : OK;
    }
    if (strcmp(word, "--version") == 0 || strcmp(word, "-version") == 0 || strcmp(word, "version") == 0) {
        puts(XLAGPU_VERSION);
        return OK;
    }
    if (strcmp(word, "man") == 0) return write_manual();
    if (strcmp(word, "completions") == 0) return write_completions(argc > 2 ? argv[2] : "");
    if (verb < 0) return unknown_verb(word);
    rc = flags_read(&f, verb, argc, argv);
    if (rc) return rc;
    if (f.help) {
        flags_help(verb);
        return OK;
    }
    return run[verb](&f);
}
