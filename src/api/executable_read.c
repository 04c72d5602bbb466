/* api/executable_read.c -- reading executable bytes without trusting them: used by both headers.
 *
 * xg_exe_check answers NULL when header, sections and checksum are whole; what records say is checked by whoever uses
 * them. */
#ifndef XG_API_EXECUTABLE_READ_C
#define XG_API_EXECUTABLE_READ_C
#include "executable.h"

XG_FN size_t xg_exe_record_size(uint32_t kind) {
    static const uint8_t sizes[] = {
#define X(name, record) sizeof(record),
        XG_EXE_SECTIONS(X)
#undef X
    };
    return kind < XG_COUNT(sizes) ? sizes[kind] : 0;
}

/* What is wrong with the bytes, as half a sentence, or NULL. On success the header and the table of sections are copied
 * out. */
XG_FN const char *xg_exe_check(const unsigned char *p, size_t size, xg_exe_header *h, xg_exe_section *sections) {
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

#endif /* XG_API_EXECUTABLE_READ_C */
