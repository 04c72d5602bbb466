/* import/import.c -- whatever is read, as an HLO module. */
#ifndef XG_IMPORT_IMPORT_C
#define XG_IMPORT_IMPORT_C
#include "import.h"
#include "mlir.h"

XG_FN xg_module *xg_import_parse(xg_ctx *c, xg_arena *a, const xg_source *src) {
    if (xg_import_detect(src->text, src->size) == XG_FORMAT_MLIR) return xg_ir_lower(xg_mlir_read(c, a, src));
    return xg_hlo_parse_lasting(c, a, src);
}

#endif /* XG_IMPORT_IMPORT_C */
