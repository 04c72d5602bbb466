/* tools/check.c -- the verb check: reads and verifies modules, compiles nothing, and says what is wrong; --json for
 * editors, as one array with an object for each file that does not pass. */
#include "tool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct diagnostic {
    const char *file, *text, *hint; /* text: of n bytes */
    size_t n;
    uint32_t line, column, end;
    xlagpu_status status;
} diagnostic;

static bool in_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("_.-%@", c) != NULL;
}
/* The column behind the word at a place of the text: what an editor underlines. */
static uint32_t word_end(const char *text, size_t n, uint32_t line, uint32_t column) {
    size_t at = 0;
    uint32_t end = column;
    for (; line > 1 && at < n; at++) line -= text[at] == '\n';
    at += column ? column - 1 : 0;
    while (at < n && text[at] && in_word(text[at])) at++, end++;
    return end == column ? column + 1 : end;
}
/* "file:1:2: error: what\nthe line\n  ^\nhint: how": its parts. */
static void message_split(const char *message, diagnostic *d) {
    const char *error = strstr(message, ": error: "), *hint = strstr(message, "\nhint: ");
    d->text = error ? error + strlen(": error: ") : message;
    d->n = strcspn(d->text, "\n");
    d->hint = hint ? hint + strlen("\nhint: ") : NULL;
}

void json_string(const char *text, size_t n) {
    size_t k;
    putchar('"');
    for (k = 0; k < n; k++) {
        unsigned char c = (unsigned char)text[k];
        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c < ' ')
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}
static void put_diagnostic(const diagnostic *d, bool first) {
    printf("%s\n  {\"file\": ", first ? "" : ",");
    json_string(d->file, strlen(d->file));
    printf(", \"severity\": \"error\", \"line\": %u, \"column\": %u, \"endColumn\": %u, \"class\": ", d->line,
        d->column, d->end);
    json_string(xlagpu_status_text(d->status), strlen(xlagpu_status_text(d->status)));
    printf(", \"message\": ");
    json_string(d->text, d->n);
    if (d->hint) {
        printf(", \"hint\": ");
        json_string(d->hint, strcspn(d->hint, "\n"));
    }
    putchar('}');
}

/* found: whether a diagnostic was printed before. */
static int check_one(const flag_values *f, const char *path, bool *found) {
    diagnostic d;
    size_t n = 0;
    unsigned char *text = file_read(path, &n);
    xlagpu_context *c;
    int rc = OK;
    if (!text) return unreadable(path);
    c = xlagpu_create(NULL);
    if (!c) {
        free(text);
        return fail(DEVICE, "xlagpu: error: out of memory");
    }
    if (!module_parse(c, f, path, text, n)) {
        memset(&d, 0, sizeof d);
        d.file = path;
        d.status = xlagpu_error_status(c);
        xlagpu_error_position(c, &d.line, &d.column);
        d.end = d.column ? word_end((const char *)text, n, d.line, d.column) : 0;
        message_split(xlagpu_error(c), &d);
        if (f->json) put_diagnostic(&d, !*found);
        rc = f->json ? code_of(d.status) : fail_in(path, d.status, xlagpu_error(c));
        *found = true;
    }
    xlagpu_destroy(c);
    free(text);
    return rc;
}

int verb_check(const flag_values *f) {
    bool found = false;
    int k, rc = OK;
    if (!f->n_files) return fail(BAD, "xlagpu: error: 'check' needs a file: xlagpu check M.hlo");
    if (f->json) putchar('[');
    for (k = 0; k < f->n_files; k++) rc = worse(rc, check_one(f, f->files[k], &found));
    if (f->json) printf("%s]\n", found ? "\n" : "");
    return rc;
}
