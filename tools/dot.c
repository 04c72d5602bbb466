/* tools/dot.c -- --emit=dot: the optimised module as a graph for Graphviz. Each computation is a cluster, each
 * instruction a node; what an instruction calls hangs on it by a dashed edge. It reads the text that the compiler
 * prints, which has an instruction a line: `  ROOT x = f32[8]{0} add(a, b), dimensions={}`. */
#include "tool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct slice {
    const char *p;
    size_t n;
} slice;
typedef struct buffer {
    char *p;
    size_t n, cap;
    bool failed;
} buffer;

static const slice nothing = {"", 0};

static void put(buffer *b, const char *text, size_t n) {
    if (b->n + n + 1 > b->cap) {
        size_t cap = 2 * (b->n + n) + 4096;
        char *more = (char *)realloc(b->p, cap);
        if (!more) b->failed = true;
        if (b->failed) return;
        b->p = more;
        b->cap = cap;
    }
    memcpy(b->p + b->n, text, n);
    b->n += n;
    b->p[b->n] = 0;
}
static void put_text(buffer *b, const char *text) { put(b, text, strlen(text)); }
/* Inside of a quoted string of dot. */
static void put_quoted(buffer *b, slice s) {
    size_t k;
    for (k = 0; k < s.n; k++) {
        if (s.p[k] == '"' || s.p[k] == '\\') put(b, "\\", 1);
        put(b, s.p + k, 1);
    }
}
static void put_node(buffer *b, slice computation, slice name) {
    put_text(b, "\"");
    put_quoted(b, computation);
    put_text(b, "/");
    put_quoted(b, name);
    put_text(b, "\"");
}

/* Up to one of `ends` outside of brackets and strings, at most to `stop`. */
static const char *span(const char *p, const char *stop, const char *ends) {
    int depth = 0;
    for (; p < stop; p++) {
        if (*p == '"') {
            for (p++; p < stop && *p != '"'; p++)
                if (*p == '\\') p++;
            if (p >= stop) return stop;
            continue;
        }
        if (depth == 0 && strchr(ends, *p)) return p;
        depth += *p == '(' || *p == '[' || *p == '{';
        depth -= *p == ')' || *p == ']' || *p == '}';
    }
    return stop;
}
static slice slice_of(const char *from, const char *to) {
    slice s;
    s.p = from;
    s.n = (size_t)(to - from);
    return s;
}
/* The last word: an operand without its shape and without comments in front of it. */
static slice last_word(const char *from, const char *to) {
    const char *p = to;
    while (p > from && p[-1] != ' ' && p[-1] != '/') p--;
    return slice_of(p, to);
}
static bool is_word(slice s, const char *word) { return s.n == strlen(word) && memcmp(s.p, word, s.n) == 0; }

static void put_operands(buffer *b, slice computation, slice name, const char *from, const char *to) {
    while (from < to) {
        const char *end = span(from, to, ",");
        put_text(b, "    ");
        put_node(b, computation, last_word(from, end));
        put_text(b, " -> ");
        put_node(b, computation, name);
        put_text(b, ";\n");
        from = end + 1;
    }
}
static void put_call(buffer *b, slice computation, slice name, slice called) {
    put_text(b, "    ");
    put_node(b, called, nothing);
    put_text(b, " -> ");
    put_node(b, computation, name);
    put_text(b, " [style=dashed];\n");
}
/* Attributes that name a computation, or several in braces. */
static void put_calls(buffer *b, slice computation, slice name, const char *from, const char *to) {
    static const char *const keys[] = {"calls=", "to_apply=", "body=", "condition=", "true_computation=",
        "false_computation=", "branch_computations=", "called_computations="};
    size_t k;
    while (from < to) {
        const char *end = span(from, to, ","), *p, *comma;
        while (from < end && (*from == ' ' || *from == ',')) from++;
        for (k = 0; k < sizeof keys / sizeof keys[0]; k++) {
            size_t n = strlen(keys[k]);
            if ((size_t)(end - from) <= n || memcmp(from, keys[k], n) != 0) continue;
            p = from + n;
            for (p += *p == '{'; p < end && *p != '}'; p = comma + (comma < end && *comma == ',')) {
                while (p < end && *p == ' ') p++;
                comma = p + strcspn(p, ",}\n");
                if (comma > end) comma = end;
                put_call(b, computation, name, slice_of(p, comma));
            }
        }
        from = end + 1;
    }
}
/* What calls a computation hangs on a point behind its root. */
static void put_root(buffer *b, slice computation, slice name) {
    put_text(b, "    ");
    put_node(b, computation, nothing);
    put_text(b, " [shape=point];\n    ");
    put_node(b, computation, name);
    put_text(b, " -> ");
    put_node(b, computation, nothing);
    put_text(b, ";\n");
}
static void put_instruction(buffer *b, slice computation, const char *p, const char *end) {
    const char *equals, *type_end, *open, *close;
    slice name, opcode;
    bool root;
    while (p < end && *p == ' ') p++;
    root = end - p > 5 && memcmp(p, "ROOT ", 5) == 0;
    if (root) p += 5;
    equals = span(p, end, " ");
    if (end - equals < 3 || memcmp(equals, " = ", 3) != 0) return;
    name = slice_of(p, equals);
    type_end = span(equals + 3, end, " ");
    for (open = type_end; open < end && *open != '('; open++) {}
    if (open == end) return;
    opcode = slice_of(type_end + 1, open);
    close = span(open + 1, end, ")");
    put_text(b, "    ");
    put_node(b, computation, name);
    put_text(b, " [label=\"");
    put_quoted(b, name);
    put_text(b, "\\n");
    put_quoted(b, opcode);
    put_text(b, " ");
    put_quoted(b, slice_of(equals + 3, type_end));
    put_text(b, "\"");
    if (root) put_text(b, ", penwidth=2");
    if (is_word(opcode, "fusion")) put_text(b, ", style=filled");
    put_text(b, "];\n");
    if (root) put_root(b, computation, name);
    if (!is_word(opcode, "parameter") && !is_word(opcode, "constant"))
        put_operands(b, computation, name, open + 1, close);
    if (close < end) put_calls(b, computation, name, close + 1, end);
}

static void put_module(buffer *b, const char *text, size_t n) {
    const char *p = text, *stop = text + n, *end;
    slice computation = nothing;
    unsigned clusters = 0;
    for (; p < stop; p = end + 1) {
        end = (const char *)memchr(p, '\n', (size_t)(stop - p));
        if (!end) end = stop;
        if (p == end) continue;
        if (*p == '}') {
            if (computation.n) put_text(b, "  }\n");
            computation = nothing;
        } else if (*p == ' ' && computation.n)
            put_instruction(b, computation, p, end);
        else if (end[-1] == '{' && (end - p < 9 || memcmp(p, "HloModule", 9) != 0)) {
            char head[64];
            if (end - p > 6 && memcmp(p, "ENTRY ", 6) == 0) p += 6;
            computation = slice_of(p, span(p, end, " "));
            snprintf(head, sizeof head, "  subgraph cluster_%u {\n    label=\"", clusters++);
            put_text(b, head);
            put_quoted(b, computation);
            put_text(b, "\";\n");
        }
    }
}
int dot_write(const char *path, const char *text, size_t n) {
    buffer b;
    int rc;
    memset(&b, 0, sizeof b);
    put_text(&b, "digraph module {\n  node [shape=box, fontname=\"sans-serif\", fontsize=10];\n");
    put_module(&b, text, n);
    put_text(&b, "}\n");
    rc = b.failed ? fail(DEVICE, "xlagpu: error: out of memory") : write_out(path, b.p, b.n);
    free(b.p);
    return rc;
}
