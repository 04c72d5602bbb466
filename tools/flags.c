/* tools/flags.c -- reading the command line and XLA_FLAGS by the table of flags.h. */
#include "tool.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum flag_kind {
    KIND_BOOL,
    KIND_STR,
    KIND_INT,
    KIND_SIZE,
    KIND_REAL,
    KIND_LIST
} flag_kind;
static const char *const kind_help[] = {"", "", ": a whole number", ": a whole number, 0 or more",
    ": a number, 0 or more", ""}; /* in the order of the kinds */
typedef struct flag_row {
    const char *text;
    flag_kind kind;
    int verbs;
    const char *argument, *help;
} flag_row;
static const flag_row rows[] = {
#define X(field, text, kind, verbs, argument, help) {text, KIND_##kind, verbs, argument, help},
    FLAGS(X)
#undef X
};
const char *const verb_names[] = {
#define X(name, word, takes, help) #word,
    VERBS(X)
#undef X
        NULL};
const char *const verb_takes[] = {
#define X(name, word, takes, help) takes,
    VERBS(X)
#undef X
};
const char *const verb_help[] = {
#define X(name, word, takes, help) help,
    VERBS(X)
#undef X
};

void flags_help(int verb) {
    int k;
    printf("xlagpu %s: HLO text in, PTX out, run on a GPU or simulated\n\n", XLAGPU_VERSION);
    for (k = 0; verb_names[k]; k++)
        if (verb < 0 || verb == k) printf("  xlagpu %-8s%-14s%s\n", verb_names[k], verb_takes[k], verb_help[k]);
    if (verb < 0)
        printf("  xlagpu man                   the manual page: xlagpu man | man -l -\n"
               "  xlagpu completions SHELL     for bash, zsh or fish\n");
    printf("\nFlags%s (one dash or two; XLA_FLAGS is read too):\n", verb < 0 ? "" : " of this verb");
    for (k = 0; k < FLAG_COUNT; k++) {
        char left[160];
        if (verb >= 0 && !(rows[k].verbs & 1 << verb)) continue;
        snprintf(left, sizeof left, "--%s%s%s", rows[k].text, *rows[k].argument ? "=" : "", rows[k].argument);
        printf("  %-44s %s\n", left, rows[k].help);
    }
    printf("\nA file named - is standard input. Exit status: 0 equal, 1 differs, 2 bad input or usage, 3 device error, "
           "4 fault found by the simulator.\n");
}

/* ---- the nearest name ---- */

/* Levenshtein distance. */
static int distance(const char *a, size_t n, const char *b) {
    int row[64], m = (int)strlen(b), i, j;
    if (n > 60 || m > 60) return 99;
    for (j = 0; j <= m; j++) row[j] = j;
    for (i = 1; i <= (int)n; i++) {
        int last = row[0];
        row[0] = i;
        for (j = 1; j <= m; j++) {
            int up = row[j], best = last + (a[i - 1] != b[j - 1]);
            if (up + 1 < best) best = up + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            last = up;
            row[j] = best;
        }
    }
    return row[m];
}
/* A name is like a word of n letters if its distance is less: of a very short word something must be left. */
static int closeness(size_t n) { return n < 3 ? (int)n : (int)n / 3 + 2; }
/* Among those of the verb first: another verb's flag is a poor hint. */
static const char *nearest(const char *name, size_t n, int verb) {
    const char *found = NULL;
    int best = closeness(n), k, all;
    for (all = 0; all < 2 && !found; all++)
        for (k = 0; k < FLAG_COUNT; k++) {
            int d = all || rows[k].verbs & 1 << verb ? distance(name, n, rows[k].text) : 99;
            if (d < best && d < (int)strlen(rows[k].text)) { /* of -o and --v a letter must be left */
                best = d;
                found = rows[k].text;
            }
        }
    return found;
}

const char *verb_nearest(const char *word) {
    int best = closeness(strlen(word)), found = -1, k;
    for (k = 0; verb_names[k]; k++) {
        int d = distance(word, strlen(word), verb_names[k]);
        if (d < best) {
            best = d;
            found = k;
        }
    }
    return found < 0 ? NULL : verb_names[found];
}
const char *flag_help(int row) { return rows[row].help; }

/* --xla_disable_hlo_passes: a name that is no pass may be another compiler's, or a slip. */
static const char *pass_named(const char *name, size_t n, bool *exact) {
    const char *found = NULL, *pass;
    int best = closeness(n);
    uint32_t k;
    *exact = false;
    for (k = 0; (pass = xlagpu_pass_name(k)) != NULL; k++) {
        char same[128];
        size_t j;
        int d;
        for (j = 0; pass[j] && j + 1 < sizeof same; j++) same[j] = pass[j] == '_' ? '-' : pass[j];
        same[j] = 0;
        d = distance(name, n, same);
        if (d < best) {
            best = d;
            found = pass;
        }
    }
    *exact = found && best == 0;
    return found;
}
void note_unknown_passes(const char *list) {
    while (list && *list) {
        char name[128];
        size_t n = strcspn(list, ","), k;
        const char *like;
        bool exact;
        for (k = 0; k < n && k + 1 < sizeof name; k++) name[k] = list[k] == '_' ? '-' : list[k];
        like = pass_named(name, k, &exact);
        if (!exact && n)
            fprintf(stderr, "xlagpu: note: --xla_disable_hlo_passes: no pass is called '%.*s'%s%s%s\n", (int)n, list,
                like ? "; did you mean '" : "", like ? like : "", like ? "'?" : "");
        list += n + (list[n] == ',');
    }
}

/* ---- values ---- */

static bool store_bool(bool *to, const char *v) {
    bool yes = strcmp(v, "true") == 0 || strcmp(v, "1") == 0 || strcmp(v, "yes") == 0,
         no = strcmp(v, "false") == 0 || strcmp(v, "0") == 0 || strcmp(v, "no") == 0;
    *to = yes;
    return yes || no;
}
static bool store_int(long long *to, const char *v) {
    char *end;
    errno = 0;
    *to = strtoll(v, &end, 10);
    return end != v && !*end && !errno;
}
static bool store_size(long long *to, const char *v) { return store_int(to, v) && *to >= 0; }
static bool store_real(double *to, const char *v) {
    char *end;
    *to = strtod(v, &end);
    return end != v && !*end && *to >= 0; /* tolerances, all of them */
}
static bool store_str(const char **to, const char *v) {
    *to = v;
    return true;
}

/* False when the value does not fit the kind. */
static bool store(flag_values *f, int row, const char *v) {
    f->set[row] = true;
    switch (row) {
#define STORE_BOOL(field) store_bool(&f->field, v)
#define STORE_STR(field) store_str(&f->field, v)
#define STORE_INT(field) store_int(&f->field, v)
#define STORE_SIZE(field) store_size(&f->field, v)
#define STORE_REAL(field) store_real(&f->field, v)
#define STORE_LIST(field) (f->n_##field < FLAG_LIST_MAX && store_str(&f->field[f->n_##field++], v))
#define X(field, text, kind, verbs, argument, help) \
    case FLAG_##field: return STORE_##kind(field);
        FLAGS(X)
#undef X
    default: return false;
    }
}

/* ---- one flag ---- */

static int find(const char *name, size_t n) {
    int k;
    for (k = 0; k < FLAG_COUNT; k++)
        if (strlen(rows[k].text) == n && memcmp(rows[k].text, name, n) == 0) return k;
    return -1;
}

/* A name of XLA's for what has a row under another one. */
static const char *first_name(const char *name, size_t *n) {
    static const char same[] = "xla_gpu_exclude_nondeterministic_ops", as[] = "xla_gpu_deterministic_ops";
    if (*n != sizeof same - 1 || memcmp(name, same, *n) != 0) return name;
    *n = sizeof as - 1;
    return as;
}

/* The row of an argument that begins with a dash; *value is what stands behind =, or "false" for --noNAME. */
static int row_of(const char *arg, const char **value) {
    const char *name = arg + (arg[1] == '-' ? 2 : 1), *eq = strchr(name, '=');
    size_t n = eq ? (size_t)(eq - name) : strlen(name);
    int row;
    name = first_name(name, &n);
    row = find(name, n);
    *value = eq ? eq + 1 : NULL;
    if (row >= 0 || eq || n < 3 || memcmp(name, "no", 2) != 0) return row;
    row = find(name + 2, n - 2);
    if (row >= 0 && rows[row].kind != KIND_BOOL) row = -1;
    if (row >= 0) *value = "false";
    return row;
}

bool flag_of_verb(const char *arg, int verb) {
    const char *value;
    int row = row_of(arg, &value);
    return row >= 0 && (rows[row].verbs & 1 << verb);
}

/* Flags that XLA has and this compiler lacks: JAX programs set them for everything that they start. */
static bool is_of_xla(const char *word) { return strncmp(word + strspn(word, "-"), "xla_", 4) == 0; }

static int unknown(int verb, const char *from, const char *arg) {
    const char *name = arg + (arg[1] == '-' ? 2 : 1), *like = nearest(name, strcspn(name, "="), verb);
    if (!like && is_of_xla(arg))
        return fail(BAD,
            "xlagpu: error: %sunknown flag '%s'; XLA's flags that mean nothing here are taken in XLA_FLAGS", from, arg);
    if (!like) return fail(BAD, "xlagpu: error: %sunknown flag '%s' (xlagpu %s --help)", from, arg, verb_names[verb]);
    return fail(BAD, "xlagpu: error: %sunknown flag '%s'; did you mean '--%s'?", from, arg, like);
}

/* What stands before a flag's name in messages, as its users write it: -o, --args. */
static const char *dashes(int row) { return rows[row].text[1] ? "--" : "-"; }

/* A flag that only other verbs take. */
static int of_others(int verb, int row) {
    char list[128] = "";
    int k;
    for (k = 0; verb_names[k]; k++)
        if (rows[row].verbs & 1 << k)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", *list ? ", " : "", verb_names[k]);
    return fail(BAD, "xlagpu: error: '%s' does not take the flag '%s%s', which is of %s", verb_names[verb], dashes(row),
        rows[row].text, list);
}
/* One argument that begins with a dash; *used says whether the next argument was its value. Messages begin with
 * `from`: the name of the variable, or nothing. */
static int read_flag(flag_values *f, int verb, const char *from, const char *arg, const char *next, bool *used) {
    const char *value;
    int row = row_of(arg, &value);
    *used = false;
    if (row < 0) return unknown(verb, from, arg);
    if (!(rows[row].verbs & 1 << verb)) return of_others(verb, row);
    if (!value && rows[row].kind == KIND_BOOL) value = "true";
    if (!value) {
        if (!next || (next[0] == '-' && next[1] == '-'))
            return fail(BAD, "xlagpu: error: %s'%s%s' needs a value: %s", from, dashes(row), rows[row].text,
                rows[row].argument);
        value = next;
        *used = true;
    }
    if (store(f, row, value)) return OK;
    if (rows[row].kind == KIND_LIST)
        return fail(BAD, "xlagpu: error: %smore than %d '--%s'", from, (int)FLAG_LIST_MAX, rows[row].text);
    return fail(BAD, "xlagpu: error: %s'%s%s=%s' is not a value of the kind %s%s", from, dashes(row), rows[row].text,
        value, *rows[row].argument ? rows[row].argument : "true|false", kind_help[rows[row].kind]);
}

/* ---- XLA_FLAGS, as XLA reads it: flags separated by blanks, quotes and backslashes as in a shell; or, when it does
 * not begin with a dash, the name of a file of them. Flags of other verbs are allowed and have no effect, and so are
 * XLA's flags that are not here, with one note. ---- */

/* The next word, in place; NULL at the end. */
static char *next_word(char **at) {
    char *p = *at, *out, *word, quote = 0;
    while (isspace((unsigned char)*p)) p++;
    if (!*p) return NULL;
    for (word = out = p; *p && (quote || !isspace((unsigned char)*p)); p++) {
        if (quote ? *p == quote : *p == '\'' || *p == '"')
            quote = quote ? 0 : *p;
        else {
            if (*p == '\\' && quote != '\'' && p[1]) p++;
            *out++ = *p;
        }
    }
    *at = *p ? p + 1 : p;
    *out = 0;
    return word;
}

static void note_ignored(const char *first, int n) {
    if (!n) return;
    fprintf(stderr, "xlagpu: note: XLA_FLAGS: %.*s", (int)strcspn(first, "="), first);
    if (n > 1) fprintf(stderr, " and %d more", n - 1);
    fprintf(stderr, n > 1 ? " mean nothing here and are ignored\n" : " means nothing here and is ignored\n");
}
static int read_words(flag_values *f, int verb, char *text) {
    char *word, *ignored = NULL;
    int rc = OK, n_ignored = 0;
    while (!rc && (word = next_word(&text))) {
        const char *value;
        bool used;
        int row = word[0] == '-' ? row_of(word, &value) : -1;
        if (row >= 0 && !(rows[row].verbs & 1 << verb)) continue;
        if (row < 0 && word[0] == '-' && is_of_xla(word)) {
            if (!n_ignored++) ignored = word;
            continue;
        }
        rc = word[0] == '-' ? read_flag(f, verb, "XLA_FLAGS: ", word, NULL, &used)
                            : fail(BAD, "xlagpu: error: XLA_FLAGS: '%s' is not a flag", word);
    }
    note_ignored(ignored, n_ignored);
    return rc;
}

static int read_environment(flag_values *f, int verb) {
    static char *text; /* values point into it */
    const char *env = getenv("XLA_FLAGS");
    size_t n;
    if (!env) return OK;
    while (isspace((unsigned char)*env)) env++;
    if (!*env) return OK;
    if (*env != '-') {
        text = (char *)file_read(env, &n);
        return text ? read_words(f, verb, text)
                    : fail(BAD, "xlagpu: error: XLA_FLAGS: '%s' is neither flags nor a file that can be read", env);
    }
    n = strlen(env) + 1;
    text = (char *)malloc(n);
    if (!text) return fail(DEVICE, "xlagpu: error: out of memory");
    memcpy(text, env, n);
    return read_words(f, verb, text);
}

int flags_read(flag_values *f, int verb, int argc, char **argv) {
    int rc = read_environment(f, verb), k;
    for (k = 2; k < argc && !rc; k++) {
        bool used;
        if (argv[k][0] == '-' && argv[k][1]) {
            rc = read_flag(f, verb, "", argv[k], k + 1 < argc ? argv[k + 1] : NULL, &used);
            k += used;
        } else if (f->n_files < FLAG_FILES_MAX)
            f->files[f->n_files++] = argv[k];
        else
            rc = fail(BAD, "xlagpu: error: more than %d files", (int)FLAG_FILES_MAX);
    }
    if (f->target && strcmp(f->target, "portable") == 0) f->target = verb == VERB_COMPILE ? PORTABLE : NULL;
    return rc;
}
