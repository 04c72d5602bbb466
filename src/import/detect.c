/* import/detect.c -- formats by their first bytes.
 *
 * Law: no text that the HLO parser accepts is claimed. Magic bytes of binary formats cannot begin HLO text; texts are
 * claimed only for words in an order that HLO's grammar does not have. */
#ifndef XG_IMPORT_DETECT_C
#define XG_IMPORT_DETECT_C
#include "import.h"

typedef struct xg_peek {
    const unsigned char *p;
    size_t n;
} xg_peek;
enum {
    XG_PEEK_BYTES = 4096, /* at each end of a file: where the names of an archive's members and models' words stand */
    XG_PEEK_TAR_AT = 257  /* where a tar header has its magic */
};

XG_FN bool xg_peek_at(xg_peek f, size_t at, const char *bytes, size_t n) {
    return f.n >= at + n && memcmp(f.p + at, bytes, n) == 0;
}
XG_FN bool xg_peek_in(const unsigned char *p, size_t n, const char *word) {
    size_t length = strlen(word), k;
    for (k = 0; k + length <= n; k++)
        if (p[k] == (unsigned char)*word && memcmp(p + k, word, length) == 0) return true;
    return false;
}
/* Is the word near the beginning or the end? */
XG_FN bool xg_peek_has(xg_peek f, const char *word) {
    size_t n = XG_MIN(f.n, (size_t)XG_PEEK_BYTES);
    return xg_peek_in(f.p, n, word) || xg_peek_in(f.p + f.n - n, n, word);
}

/* ---- binary formats ---- */

/* X(format, magic bytes at the beginning) */
/* clang-format off */
#define XG_MAGICS(X) \
    X(BYTECODE, "ML\xEFR") \
    X(UTF32, "\xFF\xFE\0\0") \
    X(UTF32, "\0\0\xFE\xFF") \
    X(UTF16, "\xFF\xFE") \
    X(UTF16, "\xFE\xFF") \
    X(GZIP, "\x1F\x8B") \
    X(ZSTD, "\x28\xB5\x2F\xFD") \
    X(XZ, "\xFD" "7zXZ\0") \
    X(BZIP2, "BZh91AY&SY") \
    X(NPY, "\x93NUMPY") \
    X(HDF5, "\x89HDF\r\n\x1A\n") \
    X(PICKLE, "\x80\x02") \
    X(PICKLE, "\x80\x03") \
    X(PICKLE, "\x80\x04") \
    X(PICKLE, "\x80\x05") \
    X(ELF, "\x7F" "ELF") \
    X(FATBIN, "\x50\xED\x55\xBA") \
    X(PE, "MZ\x90\0") \
    X(MACHO, "\xCF\xFA\xED\xFE") \
    X(MACHO, "\xCA\xFE\xBA\xBE") \
    X(LLVM_BITCODE, "BC\xC0\xDE") \
    X(SPIRV, "\x03\x02\x23\x07") \
    X(SEVEN_ZIP, "7z\xBC\xAF\x27\x1C") \
    X(LZ4, "\x04\x22\x4D\x18") \
    X(GGUF, "GGUF\x02\0\0\0") \
    X(GGUF, "GGUF\x03\0\0\0") \
    X(TENSORRT, "ftrt\0\0\0\0") \
    X(TENSORRT, "ptrt\0\0\0\0") \
    X(WASM, "\0asm") \
    X(SQLITE, "SQLite format 3\0") \
    X(IMAGE, "\x89PNG") \
    X(IMAGE, "\xFF\xD8\xFF")
/* X(format, a member's name): archives by what they hold; the first that fits. */
#define XG_MEMBERS(X) \
    X(TORCH_EXPORT, "serialized_exported_program") \
    X(TORCH_EXPORT, "archive_format") \
    X(TORCHSCRIPT, "constants.pkl") \
    X(TORCHSCRIPT, "data.pkl") \
    X(KERAS, "model.weights.h5") \
    X(NPZ, ".npy")
/* clang-format on */
typedef struct xg_detect_row {
    uint8_t format, n;
    char text[28]; /* n bytes, and a NUL */
} xg_detect_row;
#define XG_DETECT_ROW(format, text) {XG_FORMAT_##format, sizeof(text) - 1, text},
XG_FN xg_file_kind xg_detect_magic(xg_peek f) {
    XG_TABLE const xg_detect_row rows[] = {XG_MAGICS(XG_DETECT_ROW)};
    size_t k;
    for (k = 0; k < XG_COUNT(rows); k++)
        if (xg_peek_at(f, 0, rows[k].text, rows[k].n)) return (xg_file_kind)rows[k].format;
    return XG_FORMAT_HLO;
}
XG_FN xg_file_kind xg_detect_zip(xg_peek f) {
    XG_TABLE const xg_detect_row rows[] = {XG_MEMBERS(XG_DETECT_ROW)};
    size_t k;
    for (k = 0; k < XG_COUNT(rows); k++)
        if (xg_peek_has(f, rows[k].text)) return (xg_file_kind)rows[k].format;
    return XG_FORMAT_ZIP;
}
/* A protobuf's length at *at, which moves behind it; SIZE_MAX: there is none. */
XG_FN size_t xg_peek_length(xg_peek f, size_t *at) {
    size_t v = 0;
    int shift;
    for (shift = 0; shift < 35 && *at < f.n; shift += 7) {
        unsigned char b = f.p[(*at)++];
        v |= (size_t)(b & 127) << shift;
        if (b < 128) return v;
    }
    return SIZE_MAX;
}
/* HloModuleProto: its name as field 1, then the entry's name as field 2, whose tag is a byte that no text has. */
XG_FN bool xg_detect_module_proto(xg_peek f, size_t at) {
    size_t n, k;
    if (at >= f.n || f.p[at++] != 0x0A) return false;
    n = xg_peek_length(f, &at);
    if (n == SIZE_MAX || n == 0 || n > f.n - at) return false;
    for (k = 0; k < n; k++)
        if (f.p[at + k] < ' ' || f.p[at + k] == 127) return false;
    return xg_peek_at(f, at + n, "\x12", 1);
}
/* The module itself, or as field 1 of HloProto, which may be field 1 of HloSnapshot. */
XG_FN bool xg_detect_proto(xg_peek f) {
    size_t at = 0;
    int depth;
    for (depth = 0; depth < 3; depth++) {
        if (xg_detect_module_proto(f, at)) return true;
        if (at >= f.n || f.p[at++] != 0x0A || xg_peek_length(f, &at) == SIZE_MAX) return false;
    }
    return false;
}
/* GraphDef: nodes with a name and an operation, which look like a module with a name and an entry; the types of their
 * attributes tell. */
XG_FN bool xg_detect_graphdef(xg_peek f) {
    return xg_peek_has(f, "dtype") && (xg_peek_has(f, "Placeholder") || xg_peek_has(f, "Const"));
}
/* A map of few keys whose first is a short text. */
XG_FN bool xg_detect_msgpack(xg_peek f) {
    return f.n > 3 && f.p[0] > 0x80 && f.p[0] < 0x90 && f.p[1] > 0xA0 && f.p[1] < 0xC0 && f.p[2] >= ' ' && f.p[2] < 127;
}
XG_FN bool xg_detect_zeros(xg_peek f) {
    size_t k = 0, n = XG_MIN(f.n, (size_t)XG_PEEK_BYTES);
    while (k < n && !f.p[k]) k++;
    return k == n && n > 8;
}
/* A flatbuffer begins with the offset of its root; the artifact in it is bytecode. */
XG_FN bool xg_detect_export(xg_peek f) {
    return f.n > 16 && f.p[0] && !f.p[2] && !f.p[3] && xg_peek_in(f.p, f.n, "ML\xEFR") &&
           xg_peek_in(f.p, f.n, "StableHLO_v");
}
/* A length of 64 bits and JSON. */
XG_FN bool xg_detect_safetensors(xg_peek f) { return xg_peek_at(f, 6, "\0\0{\"", 4); }
/* Field 1 is a version, field 2 a name (ONNX) or a message (SavedModel). */
XG_FN xg_file_kind xg_detect_model(xg_peek f) {
    if (f.n < 4 || f.p[0] != 8 || f.p[1] > 20 || f.p[2] != 0x12) return XG_FORMAT_HLO;
    if (f.p[1] == 1 && (xg_peek_has(f, "tensorflow") || xg_peek_has(f, "serve") || xg_peek_has(f, "NodeDef")))
        return XG_FORMAT_SAVED_MODEL;
    return XG_FORMAT_ONNX;
}
XG_FN xg_file_kind xg_detect_binary(xg_peek f) {
    xg_file_kind found = xg_detect_magic(f);
    if (found != XG_FORMAT_HLO) return found;
    if (xg_peek_at(f, 0, "PK\x03\x04", 4)) return xg_detect_zip(f);
    if (xg_detect_proto(f)) return xg_detect_graphdef(f) ? XG_FORMAT_GRAPHDEF : XG_FORMAT_PROTO;
    if (xg_peek_at(f, 4, "TFL3", 4)) return XG_FORMAT_TFLITE;
    if (xg_detect_export(f)) return XG_FORMAT_EXPORT;
    if (xg_detect_safetensors(f)) return XG_FORMAT_SAFETENSORS;
    if (xg_peek_at(f, XG_PEEK_TAR_AT, "ustar", 5)) return XG_FORMAT_TAR;
    if (xg_detect_msgpack(f)) return XG_FORMAT_MSGPACK;
    if (xg_detect_zeros(f)) return XG_FORMAT_ZEROS;
    if (f.n > 6 && f.p[6] < ' ' && xg_peek_at(f, 0, "xlagpu", 6)) return XG_FORMAT_EXECUTABLE;
    if (f.n > 3 && f.p[0] && f.p[0] < 128 && !f.p[1] && f.p[2] && !f.p[3]) return XG_FORMAT_UTF16;
    return xg_detect_model(f);
}

/* ---- texts ---- */

/* X(format, how the text begins): a space stands for any white space or none, ~ for some. */
/* clang-format off */
#define XG_TEXTS(X) \
    X(MLIR, "module @") \
    X(MLIR, "module~attributes {") \
    X(MLIR, "func.func~@") \
    X(MLIR, "func.func~public~@") \
    X(MLIR, "func.func~private~@") \
    X(MLIR, "func.func~nested~@") \
    X(MLIR, "\"func.func\"(") \
    X(MLIR, "sdy.mesh @") \
    X(MLIR, "\"builtin.module\"(") \
    X(MLIR, "builtin.module @") \
    X(MLIR, "builtin.module~attributes {") \
    X(PTX, ".version~") \
    X(LLVM_IR, "; ModuleID =") \
    X(LLVM_IR, "source_filename = \"") \
    X(LLVM_IR, "target~datalayout = \"") \
    X(LLVM_IR, "target~triple = \"") \
    X(JAXPR, "{ lambda ") \
    X(PYTHON, "import~jax") \
    X(PYTHON, "import~numpy") \
    X(PYTHON, "import~torch") \
    X(PYTHON, "from~jax") \
    X(PYTHON, "#!/usr/bin/") \
    X(CUDA_SOURCE, "#include <") \
    X(CUDA_SOURCE, "#include \"") \
    X(CUDA_SOURCE, "__global__~") \
    X(CUDA_SOURCE, "extern \"C\"") \
    X(JSON, "{ \"") \
    X(JSON, "[ {") \
    X(HTML, "<!DOCTYPE ") \
    X(HTML, "<html") \
    X(XML, "<?xml ") \
    X(FX, "graph():") \
    X(SASS, ".headerflags") \
    X(LFS, "version https://git-lfs")
/* clang-format on */
XG_FN bool xg_text_white(unsigned char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
XG_FN size_t xg_text_skip(xg_peek f, size_t at) { /* white space and lines of comments */
    for (; at < f.n; at++) {
        if (xg_text_white(f.p[at])) continue;
        if (!xg_peek_at(f, at, "//", 2)) break;
        while (at + 1 < f.n && f.p[at + 1] != '\n') at++;
    }
    return at;
}
XG_FN bool xg_text_begins(xg_peek f, size_t at, const char *pattern) {
    for (; *pattern; pattern++) {
        if (*pattern == '~' && (at >= f.n || !xg_text_white(f.p[at]))) return false;
        if (*pattern == ' ' || *pattern == '~')
            for (; at < f.n && xg_text_white(f.p[at]); at++) {}
        else if (at < f.n && f.p[at] == (unsigned char)*pattern)
            at++;
        else
            return false;
    }
    return true;
}
/* #map = ..., !t = ...: nothing in HLO begins so. */
XG_FN bool xg_text_is_alias(xg_peek f, size_t at) {
    size_t from = ++at;
    if (at > f.n || (f.p[at - 1] != '#' && f.p[at - 1] != '!')) return false;
    while (at < f.n && f.p[at] > ' ' && f.p[at] < 127 && f.p[at] != '=') at++;
    return at > from && xg_text_begins(f, at, " =");
}
/* Behind `module {`, which may also begin an HLO computation of that name: MLIR goes on with "dialect.operation", with
 * or without quotes, and no equal sign behind it. */
XG_FN xg_file_kind xg_detect_body(xg_peek f, size_t at) {
    bool dot = false;
    if (at < f.n && f.p[at] == '"') return XG_FORMAT_MLIR;
    for (; at < f.n &&
           (f.p[at] == '_' || f.p[at] == '.' || xg_is_digit((char)f.p[at]) || (unsigned)((f.p[at] | 32) - 'a') < 26);
         at++)
        dot = dot || f.p[at] == '.';
    return dot && !xg_text_begins(f, at, " =") ? XG_FORMAT_MLIR : XG_FORMAT_HLO;
}
XG_FN xg_file_kind xg_detect_text(xg_peek f) {
    XG_TABLE const xg_detect_row rows[] = {XG_TEXTS(XG_DETECT_ROW)};
    size_t at = xg_text_skip(f, 0), k;
    for (k = 0; k < XG_COUNT(rows); k++)
        if (xg_text_begins(f, at, rows[k].text)) return (xg_file_kind)rows[k].format;
    if (xg_text_is_alias(f, at)) return XG_FORMAT_MLIR;
    if (xg_text_begins(f, at, "module {")) return xg_detect_body(f, xg_text_skip(f, xg_text_skip(f, at + 6) + 1));
    return XG_FORMAT_HLO;
}

XG_FN size_t xg_import_mark(const char *text, size_t n) {
    return n >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}
XG_FN xg_file_kind xg_import_detect(const char *text, size_t n) {
    xg_peek f;
    xg_file_kind found;
    size_t mark = xg_import_mark(text, n);
    f.p = (const unsigned char *)text + mark;
    f.n = n - mark;
    if (!f.n) return XG_FORMAT_HLO;
    found = xg_detect_binary(f);
    return found == XG_FORMAT_HLO ? xg_detect_text(f) : found;
}

#endif /* XG_IMPORT_DETECT_C */
