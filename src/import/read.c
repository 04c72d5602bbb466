/* import/read.c -- a module from whatever a file holds. */
#ifndef XG_IMPORT_READ_C
#define XG_IMPORT_READ_C
#include "import.h"
#include "proto.h"

XG_FN xg_module *xg_import_read(xg_ctx *c, xg_arena *a, const xg_source *src) {
    static const char *const texts[][2] = {
#define X(name, what, hint) {what, hint},
        XG_FORMATS(X)
#undef X
    };
    xg_file_kind f = xg_import_detect(src->text, src->size);
    switch (f) {
#define X(name, reader) \
    case XG_FORMAT_##name: return reader(c, a, src);
        XG_READERS(X)
#undef X
    default: break;
    }
    xg_fail(c, XLAGPU_ERROR_UNSUPPORTED, "%s: error: this is %s; HLO text and HLO protobufs are read (%s)", src->name,
        texts[f][0], texts[f][1]);
}

#endif /* XG_IMPORT_READ_C */
