/* tools/reduce.c -- the verb reduce: makes a module smaller as long as a command says of it what it said at first.
 *
 * --keep 'COMMAND' is run by the shell with {} replaced by the name of a file; a smaller module is kept when the exit
 * status is that of the whole one: `--keep 'xlagpu run {} --platform=host'` keeps a difference (1) or an error (2). Two
 * steps are tried on the instructions of ENTRY until neither helps: an instruction becomes the root, so that what comes
 * behind it goes; an instruction becomes a parameter, so that what comes in front of it goes. */
#include "tool.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reducer {
    const char *command, *path; /* path: of the file that is tried */
    int status;                 /* of the whole module */
    int tried;
    char *text; /* the smallest so far */
} reducer;

/* ---- texts ---- */

/* The module without what nobody uses, as text; NULL: it is none. What the head says of parameters and results (layout,
 * aliases) need not hold for a smaller module and is left out. */
static char *cleaned(const char *text) {
    static const xlagpu_bytes none = {NULL, 0};
    xlagpu_context *c = xlagpu_create(NULL);
    xlagpu_module *m = c ? xlagpu_parse(c, "reduced", text, strlen(text)) : NULL;
    xlagpu_bytes made = m ? xlagpu_optimize(m, "dce") : none;
    char *out = made.data ? text_copy((const char *)made.data, made.size) : NULL;
    size_t head, line;
    xlagpu_destroy(c);
    if (!out || strncmp(out, "HloModule ", 10) != 0) return out;
    line = strcspn(out, "\n");
    head = strcspn(out, ",\n");
    memmove(out + head, out + line, strlen(out + line) + 1);
    return out;
}
/* Is the name an operand somewhere between? */
static bool is_used(const char *from, const char *end, const char *name, size_t n) {
    const char *p;
    for (p = from; p + n < end; p++)
        if (strncmp(p, name, n) == 0 && hlo_ends_name(p[n]) && hlo_ends_name(p[-1]) && strncmp(p + n, " =", 2) != 0)
            return true;
    return false;
}
/* ---- the steps: the n-th line of ENTRY ---- */

static char *line_at(char *text, int n, char **end) {
    char *p = hlo_entry(text, end);
    for (; p && n > 0 && p < *end; n--) p += strcspn(p, "\n") + 1;
    return p && p < *end ? p : NULL;
}
/* What stands in front, with this line as the root. Parameters behind it are kept: their numbers have no gaps. */
static char *with_root(char *text, int n) {
    char *end, *line = line_at(text, n, &end), *out, *p;
    hlo_line l, other;
    if (!line || !hlo_line_split(line, &l) || l.root) return NULL;
    out = (char *)malloc(strlen(text) + 16);
    if (!out) return NULL;
    memcpy(out, text, (size_t)(line - text));
    p = out + (line - text);
    for (line += strcspn(line, "\n") + 1; line < end; line += strcspn(line, "\n") + 1)
        if (hlo_line_split(line, &other) && other.parameter) p += sprintf(p, "%.*s\n", (int)strcspn(line, "\n"), line);
    sprintf(p, "  ROOT %.*s\n}\n", (int)strcspn(l.name, "\n"), l.name);
    return out;
}
static int count_parameters(char *text) {
    char *end, *p = hlo_entry(text, &end);
    hlo_line l;
    int n = 0;
    for (; p && p < end; p += strcspn(p, "\n") + 1) n += hlo_line_split(p, &l) && l.parameter;
    return n;
}
static char *with_parameter(char *text, int n) {
    char *end, *line = line_at(text, n, &end), *out;
    hlo_line l;
    if (!line || !hlo_line_split(line, &l) || l.parameter || l.root || *l.shape == '(') return NULL;
    out = (char *)malloc(strlen(text) + 64);
    if (!out) return NULL;
    sprintf(out, "%.*s  %.*s = %.*s parameter(%d)%s", (int)(line - text), text, (int)l.name_n, l.name, (int)l.shape_n,
        l.shape, count_parameters(text), line + strcspn(line, "\n"));
    return out;
}
/* Without this parameter, which nothing uses; those of larger numbers come one down. */
static char *without_parameter(char *text, int n) {
    char *end, *line = line_at(text, n, &end), *out, *p, *q;
    hlo_line l;
    int number;
    if (!line || !hlo_line_split(line, &l) || !l.parameter || l.root ||
        is_used(hlo_entry(text, &end), end, l.name, l.name_n))
        return NULL;
    number = atoi(l.op + 10);
    out = (char *)malloc(strlen(text) + 64);
    if (!out) return NULL;
    sprintf(out, "%.*s%s", (int)(line - text), text, line + strcspn(line, "\n") + 1);
    for (p = hlo_entry(out, &end); p && p < end; p += strcspn(p, "\n") + 1)
        if (hlo_line_split(p, &l) && l.parameter && atoi(l.op + 10) > number) {
            char digits[16];
            q = out + (l.op + 10 - out);
            snprintf(digits, sizeof digits, "%d", atoi(q) - 1);
            memmove(q + strlen(digits), q + strspn(q, "0123456789"), strlen(q + strspn(q, "0123456789")) + 1);
            memcpy(q, digits, strlen(digits));
            (void)hlo_entry(out, &end);
        }
    return out;
}

/* Without all parameters that nothing uses; it takes the text. */
static char *without_parameters(char *text) {
    char *less, *end;
    int n;
    for (n = 0; text && line_at(text, n, &end);) {
        less = without_parameter(text, n);
        if (!less) {
            n++;
            continue;
        }
        free(text);
        text = less;
    }
    return text;
}

/* ---- one attempt ---- */

/* Runs the command on the text: does it say what it said of the whole module? -1: it could not be run. */
static int status_of(const reducer *r, const char *text) {
    size_t n = strlen(r->command) + 1, at = 0;
    const char *p;
    char *line;
    int status;
    for (p = r->command; (p = strstr(p, "{}")) != NULL; p += 2) n += strlen(r->path);
    line = (char *)malloc(n);
    if (!line || write_out(r->path, text, strlen(text)) != OK) {
        free(line);
        return -1;
    }
    for (p = r->command; *p;) {
        bool hole = strncmp(p, "{}", 2) == 0;
        if (hole)
            at += (size_t)snprintf(line + at, n - at, "%s", r->path);
        else
            line[at++] = *p;
        p += hole ? 2 : 1;
    }
    line[at] = 0;
    status = system(line);
    free(line);
    return status;
}
/* Keeps the text, which it owns, if it is a smaller module of which the command says the same. */
static bool keep(reducer *r, char *text) {
    char *clean = text ? without_parameters(cleaned(text)) : NULL;
    bool good = clean && strlen(clean) < strlen(r->text);
    free(text);
    if (good) {
        r->tried++;
        good = status_of(r, clean) == r->status;
    }
    if (good) {
        free(r->text);
        r->text = clean;
    } else
        free(clean);
    return good;
}

static bool round_of(reducer *r) {
    char *(*const steps[])(char *, int) = {with_root, with_parameter, without_parameter};
    bool any = false;
    size_t s;
    int n;
    for (s = 0; s < sizeof steps / sizeof steps[0]; s++)
        for (n = 0;; n++) {
            char *end;
            if (!line_at(r->text, n, &end)) break;
            if (keep(r, steps[s](r->text, n))) {
                any = true;
                n = s == 0 ? -1 : n - 1; /* the lines have moved */
            }
        }
    return any;
}

int verb_reduce(const flag_values *f) {
    reducer r;
    char path[300], *end;
    size_t n = 0;
    unsigned char *given;
    int rc = OK;
    if (f->n_files != 1 || !f->keep)
        return fail(
            BAD, "xlagpu: error: 'reduce' needs a file and a command: xlagpu reduce M.hlo --keep 'xlagpu run {}'");
    if (!strstr(f->keep, "{}"))
        return fail(BAD, "xlagpu: error: --keep '%s' has no {}, where the name of the module goes", f->keep);
    given = file_read(f->files[0], &n);
    if (!given) return unreadable(f->files[0]);
    memset(&r, 0, sizeof r);
    snprintf(path, sizeof path, "%.200s", f->o && strcmp(f->o, "-") != 0 ? f->o : "reduced.hlo");
    r.command = f->keep;
    r.path = path;
    r.text = cleaned((const char *)given);
    free(given);
    if (!r.text || !hlo_entry(r.text, &end)) {
        free(r.text);
        return fail(BAD, "%s: error: it is no module that can be read: xlagpu check %s", f->files[0], f->files[0]);
    }
    n = strlen(r.text);
    r.status = status_of(&r, r.text);
    while (r.status >= 0 && round_of(&r)) {}
    if (r.status < 0)
        rc = fail(BAD, "xlagpu: error: --keep '%s' cannot be run", f->keep);
    else
        rc = write_out(path, r.text, strlen(r.text));
    if (!rc) fprintf(stderr, "%s: %zu of %zu bytes, after %d attempts\n", path, strlen(r.text), n, r.tried);
    free(r.text);
    return rc;
}
