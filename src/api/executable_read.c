/* api/executable_read.c -- reading executable bytes without trusting them: used by both headers.
 *
 * xg_exe_check answers NULL when header, sections and checksum are whole; what records say is checked by whoever uses
 * them. */
#ifndef XG_API_EXECUTABLE_READ_C
#define XG_API_EXECUTABLE_READ_C
#include "executable.h"

XG_FN XG_COLD size_t xg_exe_record_size(uint32_t kind) {
    XG_TABLE const uint8_t sizes[] = {
#define X(name, record) sizeof(record),
        XG_EXE_SECTIONS(X)
#undef X
    };
    return kind < XG_COUNT(sizes) ? sizes[kind] : 0;
}

/* What is wrong with the bytes, as half a sentence, or NULL. On success the header and the table of sections are copied
 * out. */
XG_FN XG_COLD const char *xg_exe_check(
    const unsigned char *p, size_t size, xg_exe_header *h, xg_exe_section *sections) {
    size_t body = offsetof(xg_exe_header, target);
    uint32_t k;
    if (!p || size < sizeof *h + XG_EXE_SECTION_COUNT * sizeof *sections) return "it is too short to be an executable";
    memcpy(h, p, sizeof *h);
    if (memcmp(h->magic, XG_EXE_MAGIC, sizeof h->magic) != 0)
        return "it is not an executable of xlagpu: its first bytes differ (was it copied as text?)";
    if (h->version != XG_EXE_VERSION) return "it is of another version of xlagpu: compile it again";
    if (h->size != size) return "it is truncated, or followed by other bytes";
    if (h->n_sections != XG_EXE_SECTION_COUNT) return "its table of sections is damaged";
    if (xg_exe_checksum(p + body, size - body) != h->checksum) return "its checksum is wrong: bytes are damaged";
    memcpy(sections, p + sizeof *h, XG_EXE_SECTION_COUNT * sizeof *sections);
    for (k = 0; k < XG_EXE_SECTION_COUNT; k++) {
        const xg_exe_section *s = &sections[k];
        if (s->kind != k || s->offset > size || s->bytes > size - s->offset || s->offset % XG_EXE_ALIGN)
            return "its table of sections is damaged";
        if (s->bytes / xg_exe_record_size(k) != s->count || s->bytes % xg_exe_record_size(k))
            return "a section has the wrong size";
    }
    k = XG_EXE_STRINGS;
    if (sections[k].bytes && p[sections[k].offset + sections[k].bytes - 1]) return "its strings are damaged";
    return NULL;
}

/* ---- one module for several targets: its executables, one behind the other ---- */

/* How many of the n bytes are the executable that they begin with; 0: they begin with none. */
XG_FN XG_COLD size_t xg_exe_first(const unsigned char *p, size_t n) {
    xg_exe_header h;
    if (n < sizeof h) return 0;
    memcpy(&h, p, sizeof h);
    return memcmp(h.magic, XG_EXE_MAGIC, sizeof h.magic) == 0 && h.size >= sizeof h && h.size <= n ? (size_t)h.size : 0;
}

/* "sm_90a" as 90 and 'a', wherever it stands; what lacks a letter has 0. */
XG_FN XG_COLD uint32_t xg_exe_target_number(const char *name, char *letter) {
    uint32_t number = 0;
    while (*name && (*name < '0' || *name > '9')) name++;
    for (; *name >= '0' && *name <= '9' && number < 1000; name++) number = number * 10 + (uint32_t)(*name - '0');
    *letter = *name == 'a' || *name == 'f' ? *name : (char)0;
    return number;
}

XG_FN XG_COLD bool xg_exe_is_object(const unsigned char *p, const xg_exe_section *s) {
    return s[XG_EXE_CUBIN].bytes >= sizeof(xg_exe_object) &&
           memcmp(p + s[XG_EXE_CUBIN].offset, XG_EXE_OBJECT_MAGIC, 8) == 0;
}
/* Object code: of the same processor, or of an earlier version of its kind: x86-64-v3 runs on x86-64-v4. */
XG_FN XG_COLD bool xg_exe_runs_on(const char *made_for, const char *target) {
    size_t n = strlen(made_for);
    bool version = n > 3 && made_for[n - 2] == 'v' && made_for[n - 3] == '-';
    if (!version || strlen(target) != n) return strcmp(made_for, target) == 0;
    return memcmp(made_for, target, n - 1) == 0 && made_for[n - 1] <= target[n - 1];
}

/* Twice the compute capability that its PTX names, plus 1 with a letter, if devices of the target run it; else 0. PTX
 * without a letter runs on what is newer, too, with a on nothing else, with f on what is newer of the same family. */
XG_FN XG_COLD uint32_t xg_exe_rank(const unsigned char *p, size_t n, const char *target) {
    xg_exe_header h;
    xg_exe_section s[XG_EXE_SECTION_COUNT];
    const char *named;
    char letter, other;
    uint32_t device = xg_exe_target_number(target, &other), wanted;
    if (xg_exe_check(p, n, &h, s)) return 0;
    if (xg_exe_is_object(p, s))
        return h.target_name < s[XG_EXE_STRINGS].bytes &&
               xg_exe_runs_on((const char *)p + s[XG_EXE_STRINGS].offset + h.target_name, target);
    if (strncmp(target, "sm_", 3) != 0) return 0;
    if (s[XG_EXE_PTX].bytes < 2 || p[s[XG_EXE_PTX].offset + s[XG_EXE_PTX].bytes - 1]) return 1; /* no kernels */
    named = strstr((const char *)p + s[XG_EXE_PTX].offset, ".target");
    wanted = named ? xg_exe_target_number(named, &letter) : 0;
    if (!named || device < wanted || (letter == 'a' && device != wanted) ||
        (letter == 'f' && device / 10 != wanted / 10))
        return 0;
    return wanted * 2 + (letter != 0);
}

/* The one to load of the executables that the bytes are: of those that run on the target the one for the newest; the
 * first, if none does. Bytes that are not whole executables alone stay as they are: xg_exe_check says what is wrong. */
XG_FN XG_COLD void xg_exe_choose(const unsigned char **p, size_t *n, const char *target) {
    size_t at, size, best = 0, best_size = 0;
    uint32_t most = 0;
    for (at = 0; at < *n; at += size) {
        uint32_t rank;
        size = xg_exe_first(*p + at, *n - at);
        if (!size || size == *n) return;
        rank = xg_exe_rank(*p + at, size, target);
        if (at && rank <= most) continue;
        most = rank;
        best = at;
        best_size = size;
    }
    if (!best_size) return;
    *p += best;
    *n = best_size;
}

#endif /* XG_API_EXECUTABLE_READ_C */
