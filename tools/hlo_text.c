/* tools/hlo_text.c -- modules as the library prints them, one instruction a line: parts of lines, and modules made of
 * parts of a module. */
#include "tool.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- lines ---- */

char *hlo_entry(char *text, char **end) {
    char *p = strncmp(text, "ENTRY ", 6) == 0 ? text : strstr(text, "\nENTRY ");
    p = p ? strstr(p + 1, "{\n") : NULL;
    *end = p ? strstr(p, "\n}") : NULL;
    return *end ? p + 2 : NULL;
}
bool hlo_ends_name(char c) { return !isalnum((unsigned char)c) && c != '_' && c != '.' && c != '-'; }
bool hlo_line_split(const char *line, hlo_line *l) {
    const char *p = line + strspn(line, " ");
    int depth = 0;
    l->root = strncmp(p, "ROOT ", 5) == 0;
    l->name = l->root ? p + 5 : p;
    l->name_n = strcspn(l->name, " \n");
    if (strncmp(l->name + l->name_n, " = ", 3) != 0) return false;
    l->shape = l->name + l->name_n + 3;
    for (p = l->shape; *p && *p != '\n' && (depth || *p != ' '); p++) depth += (*p == '(') - (*p == ')');
    if (*p != ' ') return false;
    l->shape_n = (size_t)(p - l->shape);
    l->op = p + 1;
    l->parameter = strncmp(l->op, "parameter(", 10) == 0;
    return true;
}
bool hlo_is_op(const hlo_line *l, const char *opcode) {
    size_t n = strlen(opcode);
    return strncmp(l->op, opcode, n) == 0 && l->op[n] == '(';
}
static const char *next_line(const char *p) {
    p += strcspn(p, "\n");
    return *p ? p + 1 : p;
}
bool hlo_operand(const char **at, const char **name, size_t *n) {
    const char *p = *at;
    for (;;) {
        p += strspn(p, ", ");
        if (strncmp(p, "/*", 2) != 0) break;
        p = strstr(p, "*/");
        if (!p) return false;
        p += 2;
    }
    *name = p;
    *n = strcspn(p, ",)\n ");
    *at = p + *n;
    return *n > 0 && *p != ')';
}
bool hlo_called(const hlo_line *l, const char *attribute, uint32_t which, char name[256]) {
    char key[64];
    size_t rest = strcspn(l->op, "\n"), n;
    const char *p = l->op, *end = l->op + rest;
    snprintf(key, sizeof key, ", %s=", attribute);
    p = strstr(p, key);
    if (!p || p > end) return false;
    p += strlen(key);
    if (*p == '{')
        for (p++; which > 0; which--) {
            p += strcspn(p, ",}\n");
            if (*p != ',') return false;
            p += 1 + strspn(p + 1, " ");
        }
    else if (which)
        return false;
    n = strcspn(p, ",} \n");
    snprintf(name, 256, "%.*s", (int)n, p);
    return n > 0 && n < 256;
}
/* Every array has brackets; tokens, opaque values and dynamic dimensions are not counted. */
uint32_t hlo_leaves(const hlo_line *l) {
    uint32_t n = 0;
    size_t k;
    for (k = 0; k < l->shape_n; k++) {
        const char *p = l->shape + k;
        if (*p == '<' || strncmp(p, "token", 5) == 0 || strncmp(p, "opaque", 6) == 0 || strncmp(p, "b(", 2) == 0)
            return UINT32_MAX;
        n += *p == '[';
    }
    return n;
}

/* ---- modules of parts ---- */

typedef struct builder {
    char *p;
    size_t n, cap;
    bool failed;
} builder;
static void add(builder *b, const char *text, size_t n) {
    if (b->n + n + 1 > b->cap) {
        size_t cap = 2 * (b->n + n + 1);
        char *more = b->failed ? NULL : (char *)realloc(b->p, cap);
        if (!more) {
            b->failed = true;
            return;
        }
        b->p = more;
        b->cap = cap;
    }
    memcpy(b->p + b->n, text, n);
    b->n += n;
    b->p[b->n] = 0;
}
static void addf(builder *b, const char *format, ...) {
    char text[700];
    va_list a;
    int n;
    va_start(a, format);
    n = vsnprintf(text, sizeof text, format, a);
    va_end(a);
    add(b, text, n < 0 ? 0 : n < (int)sizeof text ? (size_t)n : sizeof text - 1);
}
static char *built(builder *b) {
    if (!b->failed) return b->p;
    free(b->p);
    return NULL;
}

/* The head for a part: layouts of parameters and aliases are those of the whole; the device is the part's, too. */
static void add_head(builder *b, const char *text) {
    size_t name = strcspn(text, ",\n"), line = strcspn(text, "\n");
    const char *device = strstr(text, ", frontend_attributes={"), *p;
    int depth = 0;
    add(b, text, name);
    p = strstr(text, ", is_scheduled=true");
    if (p && p < text + line) add(b, p, strlen(", is_scheduled=true"));
    if (device && device < text + line) {
        for (p = device; *p && *p != '\n'; p++) {
            depth += (*p == '{') - (*p == '}');
            if (*p == '}' && !depth) break;
        }
        add(b, device, (size_t)(p - device) + (*p == '}'));
    }
    add(b, "\n", 1);
}
/* The computations in front of ENTRY. */
static void add_callees(builder *b, const char *text) {
    const char *from = text + strcspn(text, "\n"), *entry = strstr(text, "\nENTRY ");
    if (entry && entry > from) add(b, from, (size_t)(entry - from));
}
/* A line without its place among the steps, which names other instructions. */
static void add_line(builder *b, const hlo_line *l, bool root) {
    size_t rest = strcspn(l->op, "\n");
    const char *after = strstr(l->op, ", control-predecessors={"), *close = after ? strchr(after, '}') : NULL;
    add(b, root ? "  ROOT " : "  ", root ? 7 : 2);
    add(b, l->name, (size_t)(l->op - l->name));
    if (after && after < l->op + rest && close) {
        add(b, l->op, (size_t)(after - l->op));
        add(b, close + 1, (size_t)(l->op + rest - close - 1));
    } else
        add(b, l->op, rest);
    add(b, "\n", 1);
}
static bool line_of(char *text, const char *name, size_t n, hlo_line *l) {
    char *end, *p = hlo_entry(text, &end);
    for (; p && p < end; p = p + (next_line(p) - p))
        if (hlo_line_split(p, l) && l->name_n == n && memcmp(l->name, name, n) == 0) return true;
    return false;
}
static bool has_line(const builder *b, size_t from, const char *name, size_t n) {
    const char *p;
    hlo_line l;
    for (p = b->p ? b->p + from : ""; *p; p = next_line(p))
        if (hlo_line_split(p, &l) && l.name_n == n && memcmp(l.name, name, n) == 0) return true;
    return false;
}
/* What an instruction uses, each once, in the order of its operands. begin: of the new ENTRY's lines. */
static void add_operands(builder *b, char *text, const hlo_line *l, size_t begin, uint32_t *parameters, int depth) {
    const char *at = strchr(l->op, '('), *name;
    size_t n;
    hlo_line from;
    at = at ? at + 1 : "";
    while (hlo_operand(&at, &name, &n)) {
        size_t op;
        if (has_line(b, begin, name, n) || !line_of(text, name, n, &from)) continue;
        op = strcspn(from.op, "(");
        if (hlo_is_op(&from, "constant"))
            add_line(b, &from, false);
        else if (op > 6 && memcmp(from.op + op - 6, "-start", 6) == 0 && depth < 8) {
            add_operands(b, text, &from, begin, parameters, depth + 1);
            add_line(b, &from, false);
        } else {
            add(b, "  ", 2);
            add(b, from.name, (size_t)(from.op - from.name));
            addf(b, "parameter(%u)\n", (*parameters)++);
        }
    }
}
char *hlo_alone(char *text, const char *line) {
    builder b = {NULL, 0, 0, false};
    hlo_line l;
    size_t begin;
    uint32_t parameters = 0;
    if (!hlo_line_split(line, &l)) return NULL;
    add_head(&b, text);
    add_callees(&b, text);
    addf(&b, "\nENTRY alone {\n");
    begin = b.n;
    add_operands(&b, text, &l, begin, &parameters, 0);
    add_line(&b, &l, true);
    addf(&b, "}\n");
    return built(&b);
}
char *hlo_all(char *text) {
    builder b = {NULL, 0, 0, false}, names = {NULL, 0, 0, false}, shapes = {NULL, 0, 0, false};
    char *end, *line = hlo_entry(text, &end);
    hlo_line l;
    add(&b, text, strcspn(text, ",\n"));
    add(&b, "\n", 1);
    add_callees(&b, text);
    addf(&b, "\nENTRY all {\n");
    for (; line && line < end; line = line + (next_line(line) - line)) {
        if (!hlo_line_split(line, &l)) continue;
        add_line(&b, &l, false);
        if (hlo_leaves(&l) == UINT32_MAX) continue;
        addf(&names, "%s", names.n ? ", " : "");
        addf(&shapes, "%s", shapes.n ? ", " : "");
        add(&names, l.name, l.name_n);
        add(&shapes, l.shape, l.shape_n);
    }
    addf(&b, "  ROOT every_value = (");
    add(&b, shapes.p ? shapes.p : "", shapes.n);
    addf(&b, ") tuple(");
    add(&b, names.p ? names.p : "", names.n);
    addf(&b, ")\n}\n");
    b.failed = b.failed || names.failed || shapes.failed;
    free(names.p);
    free(shapes.p);
    return built(&b);
}
char *hlo_with_entry(char *text, const char *comp) {
    builder b = {NULL, 0, 0, false};
    const char *from = text + strcspn(text, "\n"), *head, *end;
    char key[300];
    snprintf(key, sizeof key, "\n%s {\n", comp);
    head = strstr(from, key);
    end = head ? strstr(head, "\n}\n") : NULL;
    if (!end) return NULL;
    add_head(&b, text);
    add(&b, from, (size_t)(head - from));
    addf(&b, "\nENTRY ");
    add(&b, head + 1, (size_t)(end - head) + 2);
    return built(&b);
}

/* ---- a fusion alone ---- */

/* "NAME {" ... "}" before ENTRY, or ENTRY itself. */
typedef struct section {
    const char *name, *end;
    size_t name_n;
    bool wanted;
} section;
static section *sections_of(const char *text, uint32_t *n) {
    const char *p;
    section *all;
    uint32_t most = 1;
    for (p = text; (p = strstr(p, " {\n")) != NULL; p++) most++;
    all = (section *)calloc(most, sizeof *all);
    *n = 0;
    for (p = text; all && (p = strstr(p, "\n\n")) != NULL; p++) {
        const char *name = p + 2, *head = strstr(name, " {\n"), *end = strstr(name, "\n}\n");
        if (!head || !end || head > end) continue;
        all[*n].name = name;
        all[*n].name_n = (size_t)(head - name);
        all[(*n)++].end = end + 3;
    }
    return all;
}
/* "=NAME" in it, as a whole word */
static bool section_names(const section *s, const section *other) {
    const char *p = s->name + s->name_n;
    while ((p = (const char *)memchr(p, '=', (size_t)(s->end - p))) != NULL) {
        p++;
        if ((size_t)(s->end - p) > other->name_n && memcmp(p, other->name, other->name_n) == 0 &&
            hlo_ends_name(p[other->name_n]))
            return true;
    }
    return false;
}
static bool fusion_line(char *text, const char *fusion, hlo_line *l) {
    char *p;
    for (p = text; *p; p = p + (next_line(p) - p))
        if (hlo_line_split(p, l) && hlo_is_op(l, "fusion") && l->name_n == strlen(fusion) &&
            memcmp(l->name, fusion, l->name_n) == 0)
            return true;
    return false;
}
static void add_alone(builder *b, const section *called, const hlo_line *l) {
    const char *p, *kind = strstr(l->op, "kind=");
    uint32_t n = 0, k;
    hlo_line inner;
    addf(b, "\nENTRY alone {\n");
    for (p = called->name; p < called->end; p = next_line(p)) {
        if (!hlo_line_split(p, &inner) || !inner.parameter) continue;
        addf(b, "  p%u = ", (unsigned)strtoul(strchr(inner.op, '(') + 1, NULL, 10));
        add(b, inner.shape, inner.shape_n);
        addf(b, " ");
        add(b, inner.op, strcspn(inner.op, ")") + 1);
        addf(b, "\n");
        n++;
    }
    addf(b, "  ROOT ");
    add(b, l->name, (size_t)(l->op - l->name));
    addf(b, "fusion(");
    for (k = 0; k < n; k++) addf(b, "%sp%u", k ? ", " : "", k);
    addf(b, "), ");
    add(b, kind ? kind : "", kind ? strcspn(kind, ",") : 0);
    addf(b, ", calls=");
    add(b, called->name, called->name_n);
    addf(b, "\n}\n");
}
char *hlo_fusion_alone(char *text, const char *fusion) {
    builder b = {NULL, 0, 0, false};
    char name[256];
    section *all, *called = NULL;
    uint32_t n, k, j;
    hlo_line l;
    if (!fusion_line(text, fusion, &l) || !hlo_called(&l, "calls", 0, name)) return NULL;
    all = sections_of(text, &n);
    for (k = 0; k < n; k++)
        if (all[k].name_n == strlen(name) && memcmp(all[k].name, name, all[k].name_n) == 0) called = &all[k];
    if (called) called->wanted = true;
    for (k = n; called && k-- > 0;) /* callers stand behind what they call */
        for (j = 0; all[k].wanted && j < k; j++) all[j].wanted = all[j].wanted || section_names(&all[k], &all[j]);
    add_head(&b, text);
    for (k = 0; k < n; k++) {
        if (!all[k].wanted) continue;
        add(&b, "\n", 1);
        add(&b, all[k].name, (size_t)(all[k].end - all[k].name));
    }
    if (called) add_alone(&b, called, &l);
    b.failed = b.failed || !called;
    free(all);
    return built(&b);
}
