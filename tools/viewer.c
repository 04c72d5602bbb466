/* tools/viewer.c -- --viewer=F.html: all stages of a compilation as one page that needs nothing else.
 *
 * A stage belongs to a family (the module, a kernel, "ptx" ...) in which each is a step after the one before. Passes
 * change little, so of a stage only the lines are kept that lie between those which it shares, at its head and at its
 * tail, with the one before. */
#include "tool.h"
#include "viewer_page.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct viewer_stage {
    char *name, *text; /* text: of the lines between */
    size_t family, head, tail, n;
    struct viewer_stage *next;
} viewer_stage;
typedef struct viewer_family {
    char *name, *text; /* text: the last stage, whole */
    size_t n;
} viewer_family;
enum {
    FAMILIES_MAX = 4096 /* kernels and a few more; what is beyond is left out */
};
struct viewer {
    viewer_stage *first, **end;
    viewer_family families[FAMILIES_MAX];
    size_t n_families;
    bool failed; /* there was no memory: the page is not written */
};

viewer *viewer_new(void) {
    viewer *v = (viewer *)calloc(1, sizeof *v);
    if (v) v->end = &v->first;
    return v;
}

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
    for (k = 0; k < v->n_families; k++)
        if (strcmp(v->families[k].name, name) == 0) return &v->families[k];
    if (k == FAMILIES_MAX) return NULL;
    v->families[k].name = text_copy(name, strlen(name));
    if (!v->families[k].name) return NULL;
    v->n_families++;
    return &v->families[k];
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
    s = f ? (viewer_stage *)calloc(1, sizeof *s) : NULL;
    if (!s) {
        v->failed = true;
        return;
    }
    *v->end = s;
    v->end = &s->next;
    s->family = (size_t)(f - v->families);
    head = common_head(f->text ? f->text : "", f->n, text, n, &s->head);
    tail = common_tail(f->text ? f->text + head : "", f->n - head, text + head, n - head, &s->tail);
    s->n = n - head - tail;
    s->name = text_copy(stage, strlen(stage));
    s->text = text_copy(text + head, s->n);
    free(f->text);
    f->text = text_copy(text, n);
    f->n = f->text ? n : 0;
    if (!s->name || !s->text || !f->text) v->failed = true;
}

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
/* The lines between: behind the head each ends with a line end, unless the text ends with it. */
static void put_lines(FILE *f, const viewer_stage *s) {
    size_t at = 0, n = s->n;
    bool first = true;
    if (n && s->tail && s->text[n - 1] == '\n') n--;
    fputc('[', f);
    while (s->n && at <= n) {
        size_t end = at;
        while (end < n && s->text[end] != '\n') end++;
        if (!first) fputc(',', f);
        put_json(f, s->text + at, end - at);
        first = false;
        at = end + 1;
    }
    fputc(']', f);
}
static void put_page(FILE *f, const viewer *v, const dump_state *d) {
    const viewer_stage *s;
    size_t k;
    fprintf(f, "<!doctype html>\n<html lang='en'><meta charset='utf-8'><title>%s</title>\n", "xlagpu");
    fprintf(f, "<script type='application/json' id='data'>{\"module\":");
    put_json(f, d->module, strlen(d->module));
    fprintf(f, ",\"target\":");
    put_json(f, d->target, strlen(d->target));
    fprintf(f, ",\"version\":\"%s\",\"stages\":[", XLAGPU_VERSION);
    for (s = v->first; s; s = s->next) {
        const char *family = v->families[s->family].name;
        fprintf(f, "%s\n[", s == v->first ? "" : ",");
        put_json(f, s->name, strlen(s->name));
        fputc(',', f);
        put_json(f, family, strlen(family));
        fprintf(f, ",%zu,%zu,", s->head, s->tail);
        put_lines(f, s);
        fputc(']', f);
    }
    fprintf(f, "]}</script>\n");
    for (k = 0; k < sizeof viewer_page / sizeof viewer_page[0]; k++) fprintf(f, "%s\n", viewer_page[k]);
    fprintf(f, "</html>\n");
}
static void viewer_free(viewer *v) {
    viewer_stage *s = v->first, *next;
    size_t k;
    for (; s; s = next) {
        next = s->next;
        free(s->name);
        free(s->text);
        free(s);
    }
    for (k = 0; k < v->n_families; k++) {
        free(v->families[k].name);
        free(v->families[k].text);
    }
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
        if (rc) fail(BAD, "%s: error: cannot be written", path);
    }
    viewer_free(v);
    return rc;
}
