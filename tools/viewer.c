/* tools/viewer.c -- --viewer=F.html: all stages of a compilation as one page that needs nothing else.
 *
 * A stage belongs to a family (the module, a kernel, "ptx" ...) in which each is a step after the one before. Passes
 * change little, so of a stage only the lines are kept that lie between those which it shares, at its head and at its
 * tail, with the one before; and each line of text is kept once: a stage has runs of lines of one list. The page itself
 * is tools/viewer/, which build.sh writes into viewer_page.h. */
#include "tool.h"
#include "viewer_page.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A growing array: items of `size` bytes. */
typedef struct pile {
    void *p;
    size_t n, cap;
} pile;
typedef struct viewer_line {
    char *text;
    size_t n;
    uint32_t hash;
} viewer_line;
typedef struct viewer_stage {
    char *name;
    size_t family, head, tail, first, n; /* first, n: of its numbers of lines */
} viewer_stage;
typedef struct viewer_family {
    char *name, *text; /* text: the last stage, whole */
    size_t n;
} viewer_family;
struct viewer {
    pile families, stages, lines, numbers;
    size_t *table, table_n; /* by hash: 1 + the number of a line; 0: free */
    bool failed;            /* there was no memory: the page is not written */
};
#define ITEM(pile, T, k) (((T *)(pile).p)[k])

viewer *viewer_new(void) { return (viewer *)calloc(1, sizeof(viewer)); }

/* A new item, all zero; NULL: no memory. */
static void *pile_add(viewer *v, pile *p, size_t size) {
    if (p->n == p->cap) {
        size_t cap = p->cap ? 2 * p->cap : 64;
        void *more = realloc(p->p, cap * size);
        if (!more) {
            v->failed = true;
            return NULL;
        }
        p->p = more;
        p->cap = cap;
    }
    return memset((char *)p->p + size * p->n++, 0, size);
}
static char *copy_of(viewer *v, const char *text, size_t n) {
    char *p = text_copy(text, n);
    if (!p) v->failed = true;
    return p;
}

/* ---- each line once ---- */

static uint32_t hash_of(const char *text, size_t n) { /* FNV-1a */
    uint32_t h = 2166136261u;
    size_t k;
    for (k = 0; k < n; k++) h = (h ^ (unsigned char)text[k]) * 16777619u;
    return h;
}
/* At most half of the table is full. */
static bool table_grow(viewer *v) {
    size_t n = v->table_n ? 2 * v->table_n : 4096, k;
    size_t *table;
    if (2 * (v->lines.n + 1) <= v->table_n) return true;
    table = (size_t *)calloc(n, sizeof *table);
    if (!table) return false;
    for (k = 0; k < v->lines.n; k++) {
        size_t at = ITEM(v->lines, viewer_line, k).hash & (n - 1);
        while (table[at]) at = (at + 1) & (n - 1);
        table[at] = k + 1;
    }
    free(v->table);
    v->table = table;
    v->table_n = n;
    return true;
}
static void add_line(viewer *v, const char *text, size_t n) {
    uint32_t hash = hash_of(text, n);
    size_t at, *number;
    viewer_line *l;
    if (!table_grow(v)) v->failed = true;
    if (v->failed) return;
    for (at = hash & (v->table_n - 1); v->table[at]; at = (at + 1) & (v->table_n - 1)) {
        l = &ITEM(v->lines, viewer_line, v->table[at] - 1);
        if (l->hash == hash && l->n == n && memcmp(l->text, text, n) == 0) break;
    }
    if (!v->table[at]) {
        l = (viewer_line *)pile_add(v, &v->lines, sizeof *l);
        if (!l) return;
        l->text = copy_of(v, text, n);
        l->n = n;
        l->hash = hash;
        v->table[at] = v->lines.n;
    }
    number = (size_t *)pile_add(v, &v->numbers, sizeof *number);
    if (number) *number = v->table[at] - 1;
}

/* ---- stages ---- */

/* "hlo/...": the module; "kir/K/...": kernel K; else the stage itself. */
static void family_of(const char *stage, char out[300]) {
    if (strncmp(stage, "hlo/", 4) == 0)
        snprintf(out, 300, "module");
    else if (strncmp(stage, "kir/", 4) == 0)
        snprintf(
            out, 300, "kernel %.*s", (int)(strcspn(stage + 4, "/") < 250 ? strcspn(stage + 4, "/") : 250), stage + 4);
    else
        snprintf(out, 300, "%.250s", stage);
}
static viewer_family *family_find(viewer *v, const char *name) {
    size_t k;
    viewer_family *f;
    for (k = v->families.n; k-- > 0;) /* stages of a kernel follow each other */
        if (strcmp(ITEM(v->families, viewer_family, k).name, name) == 0) return &ITEM(v->families, viewer_family, k);
    f = (viewer_family *)pile_add(v, &v->families, sizeof *f);
    if (f) f->name = copy_of(v, name, strlen(name));
    if (f && !f->name) v->families.n--;
    return f && f->name ? f : NULL;
}

/* Whole lines that both texts begin with: their bytes, and how many there are. */
static size_t common_head(const char *a, size_t n, const char *b, size_t m, size_t *lines) {
    size_t k, whole = 0;
    *lines = 0;
    for (k = 0; k < n && k < m && a[k] == b[k]; k++)
        if (a[k] == '\n') {
            whole = k + 1;
            ++*lines;
        }
    return whole;
}
static size_t common_tail(const char *a, size_t n, const char *b, size_t m, size_t *lines) {
    size_t k, whole = 0;
    *lines = 0;
    for (k = 0; k < n && k < m && a[n - 1 - k] == b[m - 1 - k]; k++) {
        bool begins_line = (k + 1 == n || a[n - 2 - k] == '\n') && (k + 1 == m || b[m - 2 - k] == '\n');
        if (!begins_line) continue;
        whole = k + 1;
        ++*lines;
    }
    return whole;
}
/* The lines between: behind the head each ends with a line end, unless the text ends with it. */
static void add_lines(viewer *v, const char *text, size_t n, bool before_tail) {
    size_t at = 0, all = n;
    if (n && before_tail && text[n - 1] == '\n') n--;
    while (all && at <= n) {
        size_t end = at;
        while (end < n && text[end] != '\n') end++;
        add_line(v, text + at, end - at);
        at = end + 1;
    }
}

void viewer_add(viewer *v, const char *stage, const char *text, size_t n) {
    char name[300];
    viewer_family *f;
    viewer_stage *s;
    size_t head, tail;
    family_of(stage, name);
    f = family_find(v, name);
    while (n && text[n - 1] == '\n') n--; /* lines end between them, not behind the last */
    if (f && f->text && f->n == n && memcmp(f->text, text, n) == 0 && strstr(stage, "/after_") && stage[0] == 'k')
        return; /* unchanged */
    s = f ? (viewer_stage *)pile_add(v, &v->stages, sizeof *s) : NULL;
    if (!s) return;
    s->family = (size_t)(f - (viewer_family *)v->families.p);
    s->name = copy_of(v, stage, strlen(stage));
    s->first = v->numbers.n;
    head = common_head(f->text ? f->text : "", f->n, text, n, &s->head);
    tail = common_tail(f->text ? f->text + head : "", f->n - head, text + head, n - head, &s->tail);
    add_lines(v, text + head, n - head - tail, s->tail != 0);
    s->n = v->numbers.n - s->first;
    free(f->text);
    f->text = copy_of(v, text, n);
    f->n = f->text ? n : 0;
}

/* ---- the page ---- */

/* A string of JSON inside a <script>: no < stands in it. */
static void put_json(FILE *f, const char *text, size_t n) {
    size_t k;
    fputc('"', f);
    for (k = 0; k < n; k++) {
        unsigned char c = (unsigned char)text[k];
        if (c == '"' || c == '\\')
            fprintf(f, "\\%c", c);
        else if (c < ' ' || c == '<')
            fprintf(f, "\\u%04x", c);
        else
            fputc(c, f);
    }
    fputc('"', f);
}
static void put_member(FILE *f, const char *name, const char *text) {
    fprintf(f, "\"%s\":", name);
    put_json(f, text, strlen(text));
    fputc(',', f);
}
static void put_device(FILE *f, const xlagpu_target_desc *device) {
    fprintf(f, "\"device\":{");
    if (device->part) put_member(f, "part", device->part);
#define X(figure, most, what) fprintf(f, "\"" #figure "\":%llu,", (unsigned long long)device->figure);
    XLAGPU_TARGET_FIGURES(X)
#undef X
    fprintf(f, "\"\":0},\n");
}
/* [name, family, head, tail, runs]: see model.js. */
static void put_stage(FILE *f, const viewer *v, const viewer_stage *s) {
    const size_t *numbers = (const size_t *)v->numbers.p + s->first;
    const char *family = ITEM(v->families, viewer_family, s->family).name;
    size_t k, run;
    fputc('[', f);
    put_json(f, s->name, strlen(s->name));
    fputc(',', f);
    put_json(f, family, strlen(family));
    fprintf(f, ",%zu,%zu,[", s->head, s->tail);
    for (k = 0; k < s->n; k += run) {
        for (run = 1; k + run < s->n && numbers[k + run] == numbers[k] + run;) run++;
        fprintf(f, "%s%zu,%zu", k ? "," : "", numbers[k], run);
    }
    fprintf(f, "]]");
}
static void put_page(FILE *f, const viewer *v, const dump_state *d) {
    size_t k;
    fprintf(f, "<!doctype html>\n<html lang='en'><meta charset='utf-8'><title>");
    for (k = 0; d->module[k]; k++)
        if (d->module[k] != '<' && d->module[k] != '&') fputc(d->module[k], f);
    fprintf(f, " - xlagpu</title>\n<script type='application/json' id='data'>{");
    put_member(f, "module", d->module);
    put_member(f, "target", d->target);
    put_member(f, "version", XLAGPU_VERSION);
    put_device(f, &d->device);
    fprintf(f, "\"stages\":[");
    for (k = 0; k < v->stages.n; k++) {
        fprintf(f, k ? ",\n" : "\n");
        put_stage(f, v, &ITEM(v->stages, viewer_stage, k));
    }
    fprintf(f, "],\n\"lines\":[");
    for (k = 0; k < v->lines.n; k++) {
        fprintf(f, k ? ",\n" : "\n");
        put_json(f, ITEM(v->lines, viewer_line, k).text, ITEM(v->lines, viewer_line, k).n);
    }
    fprintf(f, "]}</script>\n");
    for (k = 0; k < sizeof viewer_page / sizeof viewer_page[0]; k++) fprintf(f, "%s\n", viewer_page[k]);
    fprintf(f, "</html>\n");
}
static void viewer_free(viewer *v) {
    size_t k;
    for (k = 0; k < v->stages.n; k++) free(ITEM(v->stages, viewer_stage, k).name);
    for (k = 0; k < v->lines.n; k++) free(ITEM(v->lines, viewer_line, k).text);
    for (k = 0; k < v->families.n; k++) {
        free(ITEM(v->families, viewer_family, k).name);
        free(ITEM(v->families, viewer_family, k).text);
    }
    free(v->stages.p);
    free(v->lines.p);
    free(v->families.p);
    free(v->numbers.p);
    free(v->table);
    free(v);
}
int viewer_write(viewer *v, const char *path, const dump_state *d) {
    FILE *f = NULL;
    int rc = OK;
    if (path && v->failed)
        rc = fail(DEVICE, "xlagpu: error: out of memory: the stages of %s", path);
    else if (path) {
        f = fopen(path, "wb");
        if (f) put_page(f, v, d);
        if (!f || ferror(f)) rc = BAD;
        if (f && fclose(f) != 0) rc = BAD;
        if (rc) (void)unwritable(path);
    }
    viewer_free(v);
    return rc;
}
