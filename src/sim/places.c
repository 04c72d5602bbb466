/* sim/places.c -- where a fault is, in the words of whoever wrote the kernel: the source line that .loc names, the
 * array and its element, the kernel's name before the C++ compiler changed it.
 *
 * All of it is read from the PTX text and from what the caller has said of its buffers, and only when there is a
 * fault. */
#ifndef XG_SIM_PLACES_C
#define XG_SIM_PLACES_C
#include "flow.c"

enum {
    XG_SIM_PLACE_MAX = 300 /* bytes of a description: longer paths and names are cut */
};

/* ---- lines of the source ---- */

/* The line of a text that holds a place, without the blanks before it. */
XG_FN xg_str xg_sim_text_line(const xg_source *s, size_t at) {
    size_t from = XG_MIN(at, s->size), to = from;
    while (from > 0 && s->text[from - 1] != '\n') from--;
    while (to < s->size && s->text[to] != '\n') to++;
    while (from < to && (s->text[from] == ' ' || s->text[from] == '\t')) from++;
    return xg_str_of(s->text + from, to - from);
}
/* The next number in a text; it goes on behind it. */
XG_FN uint64_t xg_sim_take_number(xg_str *t) {
    uint64_t x = 0;
    while (t->n && !xg_sim_is_digit(*t->p)) t->p++, t->n--;
    for (; t->n && xg_sim_is_digit(*t->p) && x < 0x7FFFFFFF; t->p++, t->n--) x = x * 10 + (uint64_t)(*t->p - '0');
    return x;
}
/* What a .file directive calls its file: of a folder and a name, both. */
XG_FN size_t xg_sim_file_name(const xg_source *s, uint64_t number, char *out, size_t cap) {
    size_t at = 0, n = 0, i;
    while (at < s->size) {
        xg_str line = xg_sim_text_line(s, at);
        at = (size_t)(line.p - s->text) + line.n + 1;
        if (line.n < 5 || memcmp(line.p, ".file", 5) != 0 || xg_sim_take_number(&line) != number) continue;
        for (i = 0; i < line.n && n + 1 < cap; i++) {
            size_t end = i + 1;
            if (line.p[i] != '"') continue;
            while (end < line.n && line.p[end] != '"') end++;
            if (n && out[n - 1] != '/') out[n++] = '/';
            if (end > i + 1 && line.p[i + 1] == '/') n = 0; /* a whole path */
            n = XG_MIN(n + xg_format(out + n, cap - n, "%.*s", (int)(end - i - 1), line.p + i + 1), cap - 1);
            i = end;
        }
        return n;
    }
    return 0;
}
/* "FILE:LINE" of the statement at an offset of the text; 0 bytes where no .loc of its function stands before it. */
XG_FN size_t xg_sim_source_place(const xg_source *s, size_t at, char *out, size_t cap) {
    while (at > 0) {
        xg_str line = xg_sim_text_line(s, at);
        size_t n;
        uint64_t file;
        if (line.n > 6 && (memcmp(line.p, ".entry", 6) == 0 || memcmp(line.p, ".func", 5) == 0)) return 0;
        if (line.n > 8 && (memcmp(line.p, ".visible", 8) == 0 || memcmp(line.p, ".weak", 5) == 0)) return 0;
        if (line.n > 5 && memcmp(line.p, ".loc", 4) == 0 && (line.p[4] == ' ' || line.p[4] == '\t')) {
            file = xg_sim_take_number(&line);
            n = xg_sim_file_name(s, file, out, cap);
            if (!n) n = XG_MIN(xg_format(out, cap, "file %llu", (unsigned long long)file), cap - 1);
            n += xg_format(out + n, cap - n, ":%llu", (unsigned long long)xg_sim_take_number(&line));
            return XG_MIN(n, cap - 1);
        }
        while (at > 0 && s->text[at - 1] != '\n') at--;
        if (at > 0) at--;
    }
    return 0;
}

/* ---- arrays ---- */

/* "buffer 'x' of 64 bytes at 0x1000", or what the caller has said that it is. */
XG_FN size_t xg_sim_buffer_text(const xg_sim_buffer *b, bool address, char *out, size_t cap) {
    if (b->array) return XG_MIN(xg_format(out, cap, "%s", b->array->name), cap - 1);
    if (!address)
        return xg_format(out, cap, "buffer '%s' of %llu bytes", b->name ? b->name : "?", (unsigned long long)b->bytes);
    return xg_format(out, cap, "buffer '%s' of %llu bytes at 0x%llX", b->name ? b->name : "?",
        (unsigned long long)b->bytes, (unsigned long long)b->base);
}
/* ", element [3,4]" of an array that is described; of an offset behind its end the first index goes on. */
XG_FN size_t xg_sim_element_text(const xg_sim_buffer *b, uint64_t offset, char *out, size_t cap) {
    const xg_sim_array *a = b->array;
    uint64_t at[XG_SIM_ARRAY_RANK], rest;
    size_t n;
    uint32_t i;
    out[0] = 0;
    if (!a || !a->item) return 0;
    rest = offset / a->item;
    for (i = a->rank; i-- > 0;) {
        at[i] = i ? rest % XG_MAX(a->dims[i], 1u) : rest;
        rest /= XG_MAX(a->dims[i], 1u);
    }
    n = xg_format(out, cap, ", element [");
    for (i = 0; i < a->rank && n < cap; i++)
        n += xg_format(out + n, cap - n, i ? ",%llu" : "%llu", (unsigned long long)at[i]);
    if (n < cap && offset % a->item)
        n += xg_format(out + n, cap - n, "] byte %llu", (unsigned long long)(offset % a->item));
    else if (n < cap)
        n += xg_format(out + n, cap - n, "]");
    return XG_MIN(n, cap - 1);
}

/* ---- names ---- */

/* The name that C++ source gives a kernel, without the types of its parameters: of _ZN3app4gemmILi8EEEvPf it is
 * app::gemm<...>. What is not understood stays as it is. */
XG_FN size_t xg_sim_demangle(xg_str name, char *out, size_t cap) {
    size_t n = 0;
    xg_str t = name;
    bool nested;
    if (t.n < 3 || t.p[0] != '_' || t.p[1] != 'Z')
        return XG_MIN(xg_format(out, cap, "%.*s", (int)name.n, name.p), cap - 1);
    t.p += 2;
    t.n -= 2;
    nested = t.n && *t.p == 'N';
    if (nested) t.p++, t.n--;
    while (t.n && xg_sim_is_digit(*t.p)) {
        const size_t size = (size_t)xg_sim_take_number(&t), part = XG_MIN(size, t.n);
        const bool local = part > 8 && memcmp(t.p, "_GLOBAL_", 8) == 0;
        if (size > t.n) break;
        n += xg_format(out + n, cap - n, n ? "::%.*s" : "%.*s", local ? 11 : (int)part, local ? "(anonymous)" : t.p);
        if (n >= cap) return cap - 1;
        t.p += part;
        t.n -= (uint32_t)part;
        if (t.n && *t.p == 'I') { /* template arguments: to the E that ends them */
            size_t depth = 0, i = 0;
            do {
                if (t.p[i] == 'I' || t.p[i] == 'L' || t.p[i] == 'N' || t.p[i] == 'X' || t.p[i] == 'J')
                    depth++;
                else if (t.p[i] == 'E')
                    depth--;
                else if (xg_sim_is_digit(t.p[i]) && i && t.p[i - 1] != 'L' &&
                         !(t.p[i - 1] >= 'a' && t.p[i - 1] <= 'z')) {
                    size_t skip = 0;
                    while (i < t.n && xg_sim_is_digit(t.p[i])) skip = skip * 10 + (size_t)(t.p[i++] - '0');
                    i += XG_MIN(skip, t.n - XG_MIN(i, t.n));
                    i--;
                }
                i++;
            } while (depth && i < t.n);
            n += xg_format(out + n, cap - n, "<...>");
            if (n >= cap) return cap - 1;
            t.p += XG_MIN(i, t.n);
            t.n -= (uint32_t)XG_MIN(i, t.n);
        }
        if (!nested) break;
    }
    return n ? n : XG_MIN(xg_format(out, cap, "%.*s", (int)name.n, name.p), cap - 1);
}

#endif /* XG_SIM_PLACES_C */
