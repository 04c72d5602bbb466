/* import/import.c -- whatever is read, as an HLO module. */
#ifndef XG_IMPORT_IMPORT_C
#define XG_IMPORT_IMPORT_C
#include "import.h"
#include "mlir.h"
#include "proto.h"

XG_FN xg_module *xg_import_mlir(xg_ctx *c, xg_arena *a, const xg_source *src) {
    return xg_ir_lower(xg_mlir_read(c, a, src));
}
XG_NORETURN XG_FN void xg_import_refuse(xg_ctx *c, const xg_source *src, xg_file_kind f) {
    static const char *const texts[][2] = {
#define X(name, what, hint) {what, hint},
        XG_FORMATS(X)
#undef X
    };
    xg_fail(c, XLAGPU_ERROR_UNSUPPORTED,
        "%s: error: this is %s; HLO and StableHLO text and HLO protobufs are read (%s)", src->name, texts[f][0],
        texts[f][1]);
}
XG_FN void xg_import_check(xg_ctx *c, const xg_source *src) {
    xg_file_kind f = xg_import_detect(src->text, src->size);
#define X(name, reader) \
    if (f == XG_FORMAT_##name) return;
    XG_READERS(X)
#undef X
    xg_import_refuse(c, src, f);
}
XG_FN xg_module *xg_import_parse(xg_ctx *c, xg_arena *a, const xg_source *src) {
    xg_file_kind f = xg_import_detect(src->text, src->size);
#define X(name, reader) \
    if (f == XG_FORMAT_##name) return reader(c, a, src);
    XG_READERS(X)
#undef X
    xg_import_refuse(c, src, f);
}

#endif /* XG_IMPORT_IMPORT_C */
