/* import/import.h -- the front door: tells what file a user has at hand by its first bytes, and reads it.
 *
 * HLO text goes on to its parser, other formats of programs to their readers (XG_READERS). Any other format that is
 * recognised is an error that names the format and the way out, instead of the complaint of a parser that was given
 * something else. A format is a row of XG_FORMATS and a test in detect.c. */
#ifndef XG_IMPORT_H
#define XG_IMPORT_H
#include "../hlo/text.h"

/* What gives HLO text where a program is made. */
#define XG_FORMAT_AS_HLO "write HLO text where it is made: jax.jit(f).lower(x).as_text(dialect='hlo')"
#define XG_FORMAT_ORIGIN "the HLO text that it was made from is needed"
#define XG_DIALECT_LOWERED "give the StableHLO that it was lowered from"
/* X(NAME, what it is, what to do) */
/* clang-format off */
#define XG_FORMATS(X) \
    X(HLO, "HLO text", "") \
    X(MLIR, "StableHLO text (MLIR)", "") \
    X(BYTECODE, "MLIR bytecode", "") \
    X(EXPORT, "a jax.export artifact", "") \
    X(PROTO, "an HLO protobuf", "") \
    X(UTF16, "text in UTF-16", "save it as UTF-8: iconv -f UTF-16 -t UTF-8") \
    X(UTF32, "text in UTF-32", "save it as UTF-8: iconv -f UTF-32 -t UTF-8") \
    X(GZIP, "compressed by gzip", "unpack it first: gunzip FILE") \
    X(ZSTD, "compressed by Zstandard", "unpack it first: zstd -d FILE") \
    X(XZ, "compressed by xz", "unpack it first: unxz FILE") \
    X(BZIP2, "compressed by bzip2", "unpack it first: bunzip2 FILE") \
    X(NPZ, "an npz file of arrays", "pass it with --args or --expect") \
    X(NPY, "an npy file of one array", "pass arrays in an npz file with --args") \
    X(TORCHSCRIPT, "a PyTorch archive", XG_FORMAT_ORIGIN) \
    X(TORCH_EXPORT, "a torch.export program", XG_FORMAT_ORIGIN) \
    X(KERAS, "a Keras model", XG_FORMAT_ORIGIN) \
    X(ZIP, "a zip archive", "unpack it first: unzip FILE") \
    X(HDF5, "an HDF5 file", "it holds arrays; " XG_FORMAT_ORIGIN) \
    X(SAFETENSORS, "a safetensors file", "it holds arrays alone; " XG_FORMAT_AS_HLO) \
    X(PICKLE, "a Python pickle", XG_FORMAT_ORIGIN) \
    X(ONNX, "an ONNX model", XG_FORMAT_ORIGIN) \
    X(SAVED_MODEL, "a TensorFlow SavedModel", "tf.function(f, jit_compile=True).experimental_get_compiler_ir(x)(stage='hlo')") \
    X(TFLITE, "a TensorFlow Lite model", XG_FORMAT_ORIGIN) \
    X(EXECUTABLE, "an executable of xlagpu", "it is compiled already: xlagpu run FILE") \
    X(PTX, "PTX", "simulate it: xlagpu sim FILE --entry NAME") \
    X(ELF, "an ELF object (a cubin or a program)", XG_FORMAT_ORIGIN) \
    X(FATBIN, "a CUDA fat binary", XG_FORMAT_ORIGIN) \
    X(PE, "a Windows program", XG_FORMAT_ORIGIN) \
    X(MACHO, "a macOS program", XG_FORMAT_ORIGIN) \
    X(LLVM_BITCODE, "LLVM bitcode", XG_FORMAT_ORIGIN) \
    X(LLVM_IR, "LLVM IR", XG_FORMAT_ORIGIN) \
    X(SPIRV, "SPIR-V", XG_FORMAT_ORIGIN) \
    X(JAXPR, "a jaxpr", XG_FORMAT_AS_HLO) \
    X(PYTHON, "a Python program", XG_FORMAT_AS_HLO) \
    X(CUDA_SOURCE, "C, C++ or CUDA source", "compile it with nvcc -ptx and simulate that: xlagpu sim FILE.ptx") \
    X(JSON, "JSON", "a module begins with 'HloModule name'") \
    X(HTML, "a web page", "download the file itself") \
    X(LFS, "a Git LFS pointer", "fetch the file itself: git lfs pull") \
    X(IMAGE, "an image", "a module begins with 'HloModule name'") \
    X(TAR, "a tar archive", "unpack it first: tar xf FILE") \
    X(SEVEN_ZIP, "compressed by 7-Zip", "unpack it first: 7z x FILE") \
    X(LZ4, "compressed by lz4", "unpack it first: lz4 -d FILE") \
    X(GGUF, "a GGUF file", "it holds weights; " XG_FORMAT_ORIGIN) \
    X(MSGPACK, "MessagePack, as Flax writes weights", "it holds weights; " XG_FORMAT_AS_HLO) \
    X(TENSORRT, "a TensorRT engine", XG_FORMAT_ORIGIN) \
    X(GRAPHDEF, "a TensorFlow graph", "tf.function(f, jit_compile=True).experimental_get_compiler_ir(x)(stage='hlo')") \
    X(FX, "a graph of torch.fx", XG_FORMAT_ORIGIN) \
    X(XML, "XML, as OpenVINO writes models", XG_FORMAT_ORIGIN) \
    X(WASM, "WebAssembly", XG_FORMAT_ORIGIN) \
    X(SASS, "SASS", "the PTX that it was made from can be simulated: xlagpu sim FILE --entry NAME") \
    X(SQLITE, "an SQLite database", XG_FORMAT_ORIGIN) \
    X(ZEROS, "a file of zero bytes", "write or copy it again: a download may not have ended")
/* X(dialect, whose it is, what to do): MLIR that is not StableHLO. */
#define XG_DIALECTS(X) \
    X("tf", "TensorFlow", "tf.function(f, jit_compile=True).experimental_get_compiler_ir(x)(stage='hlo')") \
    X("tfl", "TensorFlow Lite", XG_FORMAT_ORIGIN) \
    X("torch", "torch-mlir", "torch-mlir-opt --torch-backend-to-stablehlo-backend-pipeline") \
    X("onnx", "onnx-mlir", XG_FORMAT_ORIGIN) \
    X("tt", "Triton", "the PTX that Triton makes of it can be simulated: xlagpu sim FILE --entry NAME") \
    X("ttg", "Triton", "the PTX that Triton makes of it can be simulated: xlagpu sim FILE --entry NAME") \
    X("tosa", "TOSA", XG_DIALECT_LOWERED) \
    X("linalg", "linalg", XG_DIALECT_LOWERED) \
    X("tensor", "tensor", XG_DIALECT_LOWERED) \
    X("arith", "arith", XG_DIALECT_LOWERED) \
    X("math", "math", XG_DIALECT_LOWERED) \
    X("affine", "affine", XG_DIALECT_LOWERED) \
    X("scf", "scf", XG_DIALECT_LOWERED) \
    X("cf", "cf", XG_DIALECT_LOWERED) \
    X("memref", "memref", XG_DIALECT_LOWERED) \
    X("vector", "vector", XG_DIALECT_LOWERED) \
    X("gpu", "gpu", XG_DIALECT_LOWERED) \
    X("nvvm", "NVVM", XG_DIALECT_LOWERED) \
    X("llvm", "LLVM", XG_DIALECT_LOWERED) \
    X("spirv", "SPIR-V", XG_DIALECT_LOWERED) \
    X("lmhlo", "LMHLO", XG_DIALECT_LOWERED) \
    X("xla_gpu", "XLA's own passes", XG_DIALECT_LOWERED)
/* clang-format on */
typedef enum xg_file_kind {
#define X(name, what, hint) XG_FORMAT_##name,
    XG_FORMATS(X)
#undef X
} xg_file_kind;

/* HLO for what nothing else claims: its parser then says what is wrong. */
XG_FN xg_file_kind xg_import_detect(const char *text, size_t n);
XG_FN size_t xg_import_mark(const char *text, size_t n); /* bytes of the mark in front of UTF-8, which editors write */
/* X(format, its reader): those that are read; XLAGPU_SMALL has the first alone. A reader is
 * `xg_module *read(xg_ctx *, xg_arena *, const xg_source *)`; the bytes outlive the module and, since some are text,
 * end with a NUL behind them. */
#define XG_READERS_SMALL(X) X(HLO, xg_hlo_parse_lasting)
#define XG_READERS_MORE(X) \
    X(MLIR, xg_import_mlir) \
    X(PROTO, xg_proto_read) \
    X(BYTECODE, xg_bytecode_read) \
    X(EXPORT, xg_export_read)
#ifdef XLAGPU_SMALL
#define XG_READERS(X) XG_READERS_SMALL(X)
#else
#define XG_READERS(X) \
    XG_READERS_SMALL(X) \
    XG_READERS_MORE(X)
#endif
/* Fails for what is not read. */
XG_FN void xg_import_check(xg_ctx *c, const xg_source *src);
/* A name as HLO text can have it: other characters become underscores, as in XLA. */
XG_FN xg_str xg_import_name(xg_arena *a, xg_str s);
/* A scanner in front of a text that a module keeps and the parser has checked; the key and the value of an entry of
 * {key="text",other={...}}, where brackets are a value as they stand. */
XG_FN xg_lex xg_import_scan(xg_ctx *c, xg_arena *a, xg_str text);
XG_FN xg_str xg_import_key(xg_arena *a, xg_lex *x);
XG_FN xg_str xg_import_value(xg_arena *a, xg_lex *x);
/* The arguments and the result in a snapshot: how many arguments there are; 0 and NULL where the protobuf is none. */
XG_FN uint32_t xg_proto_examples(
    xg_module *m, const xg_source *src, const xg_literal ***arguments, const xg_literal **result);
/* A module as HloModuleProto; wrapped: as HloProto. */
XG_FN void xg_proto_print(xg_buf *b, const xg_module *m, bool wrapped);
/* A module as StableHLO text. */
XG_FN void xg_stable_print(xg_buf *b, const xg_module *m);
/* A module of any format that is read; and of one that the caller knows. */
XG_FN xg_module *xg_import_parse(xg_ctx *c, xg_arena *a, const xg_source *src);
XG_FN xg_module *xg_import_parse_as(xg_ctx *c, xg_arena *a, const xg_source *src, xg_file_kind f);

#endif /* XG_IMPORT_H */
