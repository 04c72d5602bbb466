/* import/proto.h -- HLO modules as protocol buffers: HloModuleProto and the messages that XLA wraps it in.
 *
 * Ideas
 * - The wire format needs no schema: a message is a run of (field number, wire type, value). What the numbers mean is
 *   said by tables, which the reader and the writer share.
 * - An instruction's attributes are rows of XG_PROTO_ATTRS. The reader turns fields into the same values as the parser
 *   of HLO text and hands them to the parser's own xg_parse_build, so what an opcode needs and may carry is known once.
 * - What text can say in several ways and the graph keeps as text (shardings, replica groups, tiles) is written as text
 *   and read by the parser of that text: its checks and its canonical form serve both.
 *
 * Laws
 * - Unknown fields are skipped, missing ones have the default of the format. Anything else that is wrong fails at its
 *   byte.
 * - Memory is bounded by the size of the input, recursion by XG_PROTO_DEPTH_MAX.
 * - The bytes outlive the module: names of metadata point into them. */
#ifndef XG_IMPORT_PROTO_H
#define XG_IMPORT_PROTO_H
#include "../hlo/text.h"
#include "import.h"

enum {
    XG_PROTO_DEPTH_MAX = 200,      /* of messages inside messages */
    XG_PROTO_BYTES_MAX = INT32_MAX /* of a message: the format's reference library counts in 32 bits */
};

typedef enum xg_proto_wire {
    XG_WIRE_VARINT = 0,
    XG_WIRE_FIXED64 = 1,
    XG_WIRE_BYTES = 2,
    XG_WIRE_FIXED32 = 5
} xg_proto_wire;
typedef struct xg_proto_bytes {
    const unsigned char *p, *end;
} xg_proto_bytes;
typedef struct xg_proto_field {
    uint32_t number; /* XG_PROTO_KEY of an instruction's attribute */
    uint32_t wire;
    const unsigned char *at; /* its tag */
    uint64_t value;          /* of VARINT */
    xg_proto_bytes bytes;    /* of the others */
} xg_proto_field;

/* ---- the tables ---- */

/* X(element type, its number, the field of a literal that holds such elements, how they are written there)
 *   VARINT  packed varints
 *   RAW     little-endian elements one behind the other */
/* clang-format off */
#define XG_PROTO_TYPES(X) \
    X(PRED, 1, 2, VARINT) \
    X(S8, 2, 15, RAW) X(S16, 3, 17, RAW) X(S32, 4, 4, VARINT) X(S64, 5, 5, VARINT) \
    X(U8, 6, 3, RAW) X(U16, 7, 16, RAW) X(U32, 8, 6, VARINT) X(U64, 9, 7, VARINT) \
    X(S1, 30, 30, RAW) X(S2, 26, 26, RAW) X(S4, 21, 21, RAW) \
    X(U1, 31, 31, RAW) X(U2, 27, 27, RAW) X(U4, 22, 22, RAW) \
    X(F16, 10, 11, RAW) X(F32, 11, 8, RAW) X(BF16, 16, 13, RAW) X(F64, 12, 9, RAW) \
    X(F8E5M2, 19, 19, RAW) X(F8E4M3FN, 20, 20, RAW) X(F8E4M3B11FNUZ, 23, 23, RAW) X(F8E5M2FNUZ, 24, 24, RAW) \
    X(F8E4M3FNUZ, 25, 25, RAW) X(F8E4M3, 28, 28, RAW) X(F8E3M4, 29, 29, RAW) X(F8E8M0FNU, 33, 33, RAW) \
    X(F4E2M1FN, 32, 32, RAW) X(F6E3M2FN, 35, 35, RAW) X(F6E2M3FN, 36, 36, RAW) \
    X(C64, 15, 12, RAW) X(C128, 18, 18, RAW) \
    X(TUPLE, 13, 0, RAW) X(OPAQUE, 14, 0, RAW) X(TOKEN, 17, 0, RAW) X(BUFFER, 34, 0, RAW)
/* clang-format on */

/* The numbers of fields that the reader and the writer name. */
enum {
    XG_SNAPSHOT_HLO = 1,
    XG_SNAPSHOT_ARGUMENTS = 2,
    XG_SNAPSHOT_RESULT = 3,
    XG_HLO_PROTO_MODULE = 1,
    XG_HLO_PROTO_CONFIG = 2, /* of HloModuleProtoWithConfig */
    XG_CONFIG_REPLICAS = 4,
    XG_CONFIG_PARTITIONS = 5,
    XG_MODULE_NAME = 1,
    XG_MODULE_ENTRY_NAME = 2,
    XG_MODULE_COMPUTATIONS = 3,
    XG_MODULE_SHAPE = 4,
    XG_MODULE_ID = 5,
    XG_MODULE_ENTRY_ID = 6,
    XG_MODULE_SCHEDULE = 7,
    XG_MODULE_ALIASES = 8,
    XG_MODULE_DEVICES = 15,
    XG_MODULE_STACK = 17,
    XG_MODULE_DONORS = 18,
    XG_MODULE_FRONTEND = 19,
    XG_MODULE_PAYLOADS = 22,
    XG_COMP_NAME = 1,
    XG_COMP_INSTRUCTIONS = 2,
    XG_COMP_SHAPE = 4,
    XG_COMP_ID = 5,
    XG_COMP_ROOT = 6,
    XG_COMP_IS_FUSION = 7,
    XG_COMP_THREAD = 8,
    XG_INST_NAME = 1,
    XG_INST_OPCODE = 2,
    XG_INST_SHAPE = 3,
    XG_INST_LITERAL = 8,
    XG_INST_PARAMETER = 9,
    XG_INST_ID = 35,
    XG_INST_OPERANDS = 36,
    XG_INST_PREDECESSORS = 37,
    XG_INST_CALLED = 38,
    XG_INST_CONSTRAINED = 56, /* its operands have layouts: written with field 57 */
    XG_INST_CONFIG_PAYLOAD = 99,
    XG_SHAPE_TYPE = 2,
    XG_SHAPE_DIMENSIONS = 3,
    XG_SHAPE_TUPLE = 4,
    XG_SHAPE_LAYOUT = 5,
    XG_SHAPE_DYNAMIC = 6,
    XG_LAYOUT_ORDER = 1,
    XG_LAYOUT_TILES = 6,
    XG_LAYOUT_BITS = 7,
    XG_LAYOUT_SPACE = 8,
    XG_LAYOUT_LEVELS = 9,
    XG_LAYOUT_PHYSICAL = 10,
    XG_LAYOUT_INDEX_TYPE = 11,
    XG_LAYOUT_POINTER_TYPE = 12,
    XG_LAYOUT_PREFIX = 15,
    XG_LAYOUT_TAIL = 16,
    XG_LAYOUT_SPLITS = 17,
    XG_LITERAL_SHAPE = 1,
    XG_LITERAL_TUPLE = 10
};

/* X(path of the field, attribute, opcode, codec, detail)
 *   path     field number, or 1,2 for field 2 of the message in field 1, or 1,2,3
 *   opcode   the row is about this opcode alone; OPCODE_COUNT: about all that may carry the attribute
 *   codec    xg_proto_read_<codec> in proto_attr.c and xg_proto_write_<codec> in proto_write_attr.c
 *   detail   of INT the value that is left out, since it says nothing; of ENUM, ENUMS and NAME the words by number
 *            (- for a number that says nothing, ! for one that is not allowed); else ""
 * Rows are in the order of their paths. */
#define XG_PROTO_PRECISIONS "default high highest packed_nibble"
#define XG_PROTO_ALGORITHMS \
    "- dot_any_f8_any_f8_f32 dot_any_f8_any_f8_f32_fast_accum dot_f16_f16_f16 dot_f16_f16_f32 dot_bf16_bf16_bf16 " \
    "dot_bf16_bf16_f32 dot_bf16_bf16_f32_x3 dot_bf16_bf16_f32_x6 dot_tf32_tf32_f32 dot_tf32_tf32_f32_x3 " \
    "dot_f32_f32_f32 dot_f64_f64_f64 dot_bf16_bf16_f32_x9 dot_any_f8_any_f8_any dot_any_f8_any_f8_any_fast_accum"
/* clang-format off */
#define XG_PROTO_ATTRS(X) \
    X(7, 0, 0, metadata, OPCODE_COUNT, METADATA, "") \
    X(8, 0, 0, literal, CUSTOM_CALL, LITERAL, "") \
    X(11, 0, 0, kind, FUSION, NAME, "") \
    X(13, 0, 0, index, OPCODE_COUNT, INT, "") \
    X(14, 0, 0, dimensions, OPCODE_COUNT, INTS, "") \
    X(14, 0, 0, iota_dimension, OPCODE_COUNT, FIRST, "") \
    X(14, 0, 0, inferred_dimension, OPCODE_COUNT, FIRST, "") \
    X(15, 0, 0, window, OPCODE_COUNT, WINDOW, "") \
    X(16, 0, 0, dim_labels, OPCODE_COUNT, LABELS, "") \
    X(17, 0, 0, slice, OPCODE_COUNT, SLICES, "") \
    X(18, 0, 0, exponent_bits, OPCODE_COUNT, INT, "") \
    X(19, 0, 0, mantissa_bits, OPCODE_COUNT, INT, "") \
    X(20, 0, 0, dynamic_slice_sizes, OPCODE_COUNT, INTS, "") \
    X(21, 0, 0, padding, OPCODE_COUNT, PADS, "") \
    X(22, 0, 0, outfeed_config, OPCODE_COUNT, TEXT, "") \
    X(23, 0, 0, distribution, OPCODE_COUNT, ENUM, "! rng_uniform rng_normal") \
    X(24, 0, 0, epsilon, OPCODE_COUNT, FLOAT, "") \
    X(25, 0, 0, feature_index, OPCODE_COUNT, INT, "") \
    X(26, 0, 0, channel_id, OPCODE_COUNT, INT, "0") \
    X(27, 0, 0, infeed_config, OPCODE_COUNT, TEXT, "") \
    X(28, 0, 0, custom_call_target, OPCODE_COUNT, TEXT, "") \
    X(29, 0, 0, outfeed_shape, OPCODE_COUNT, SHAPE, "") \
    X(30, 1, 0, lhs_contracting_dims, OPCODE_COUNT, INTS, "") \
    X(30, 2, 0, rhs_contracting_dims, OPCODE_COUNT, INTS, "") \
    X(30, 3, 0, lhs_batch_dims, OPCODE_COUNT, INTS, "") \
    X(30, 4, 0, rhs_batch_dims, OPCODE_COUNT, INTS, "") \
    X(31, 0, 0, fft_type, OPCODE_COUNT, ENUM, "FFT IFFT RFFT IRFFT") \
    X(32, 0, 0, fft_length, OPCODE_COUNT, INTS, "") \
    X(33, 1, 0, offset_dims, OPCODE_COUNT, INTS, "") \
    X(33, 2, 0, collapsed_slice_dims, OPCODE_COUNT, INTS, "") \
    X(33, 3, 0, start_index_map, OPCODE_COUNT, INTS, "") \
    X(33, 4, 0, index_vector_dim, GATHER, INT, "") \
    X(33, 5, 0, operand_batching_dims, OPCODE_COUNT, INTS, "") \
    X(33, 6, 0, start_indices_batching_dims, OPCODE_COUNT, INTS, "") \
    X(34, 0, 0, slice_sizes, GATHER, FLAT, "") \
    X(40, 0, 0, sharding, OPCODE_COUNT, SHARDING, "") \
    X(43, 0, 0, backend_config, OPCODE_COUNT, CONFIG, "") \
    X(47, 0, 0, is_host_transfer, OPCODE_COUNT, BOOL, "") \
    X(48, 1, 0, update_window_dims, OPCODE_COUNT, INTS, "") \
    X(48, 2, 0, inserted_window_dims, OPCODE_COUNT, INTS, "") \
    X(48, 3, 0, scatter_dims_to_operand_dims, OPCODE_COUNT, INTS, "") \
    X(48, 4, 0, index_vector_dim, SCATTER, INT, "") \
    X(48, 5, 0, input_batching_dims, OPCODE_COUNT, INTS, "") \
    X(48, 6, 0, scatter_indices_batching_dims, OPCODE_COUNT, INTS, "") \
    X(49, 0, 0, replica_groups, OPCODE_COUNT, GROUPS, "") \
    X(50, 0, 0, feature_group_count, OPCODE_COUNT, INT, "1") \
    X(51, 1, 0, operand_precision, OPCODE_COUNT, ENUMS, XG_PROTO_PRECISIONS) \
    X(51, 2, 0, algorithm, OPCODE_COUNT, ENUM, XG_PROTO_ALGORITHMS) \
    X(52, 0, 0, source_target_pairs, OPCODE_COUNT, PAIRS, "") \
    X(54, 0, 0, domain, OPCODE_COUNT, DOMAIN, "") \
    X(55, 0, 0, domain, OPCODE_COUNT, DOMAIN, "") \
    X(56, 0, 0, constrain_layout, OPCODE_COUNT, BOOL, "") \
    X(57, 0, 0, operand_layout_constraints, OPCODE_COUNT, SHAPES, "") \
    X(58, 0, 0, batch_group_count, OPCODE_COUNT, INT, "1") \
    X(59, 1, 0, left_side, OPCODE_COUNT, BOOL, "") \
    X(59, 2, 0, lower, TRIANGULAR_SOLVE, BOOL, "") \
    X(59, 3, 0, unit_diagonal, OPCODE_COUNT, BOOL, "") \
    X(59, 4, 0, transpose_a, OPCODE_COUNT, ENUM, "- NO_TRANSPOSE TRANSPOSE ADJOINT") \
    X(60, 0, 0, is_stable, OPCODE_COUNT, BOOL, "") \
    X(61, 1, 0, parameter_replication, OPCODE_COUNT, BOOLS, "") \
    X(62, 1, 0, lower, CHOLESKY, BOOL, "") \
    X(63, 0, 0, direction, COMPARE, NAME, "") \
    X(65, 0, 0, custom_call_has_side_effect, OPCODE_COUNT, BOOL, "") \
    X(66, 0, 0, delta, OPCODE_COUNT, INT, "") \
    X(67, 0, 0, indices_are_sorted, OPCODE_COUNT, BOOL, "") \
    X(68, 0, 0, frontend_attributes, OPCODE_COUNT, MAP, "") \
    X(69, 0, 0, unique_indices, OPCODE_COUNT, BOOL, "") \
    X(70, 0, 0, algorithm, RNG_BIT_GENERATOR, ENUM, "rng_default rng_three_fry rng_philox") \
    X(71, 0, 0, use_global_device_ids, OPCODE_COUNT, BOOL, "") \
    X(72, 0, 0, type, COMPARE, NAME, "") \
    X(74, 0, 0, output_to_operand_aliasing, OPCODE_COUNT, ALIASES, "") \
    X(75, 0, 0, padding_type, OPCODE_COUNT, ENUM, "- PADDING_VALID PADDING_SAME") \
    X(76, 0, 0, schedule, OPCODE_COUNT, ENUM, "- SCHEDULE_LATEST SCHEDULE_EARLIEST") \
    X(77, 0, 0, api_version, OPCODE_COUNT, ENUM, "API_VERSION_UNSPECIFIED - API_VERSION_STATUS_RETURNING " \
        "API_VERSION_STATUS_RETURNING_UNIFIED API_VERSION_TYPED_FFI") \
    X(79, 0, 0, async_execution_thread, OPCODE_COUNT, TEXT, "") \
    X(80, 0, 0, cross_program_prefetch_index, OPCODE_COUNT, INT, "") \
    X(81, 0, 0, k, OPCODE_COUNT, INT, "") \
    X(82, 0, 0, statistics, OPCODE_COUNT, STATISTICS, "") \
    X(85, 0, 0, largest, OPCODE_COUNT, BOOL, "") \
    X(87, 1, 0, replica_groups, OPCODE_COUNT, GROUPS, "") \
    X(88, 0, 0, origin, OPCODE_COUNT, ORIGIN, "") \
    X(89, 0, 0, is_composite, OPCODE_COUNT, BOOL, "") \
    X(90, 1, 1, lhs_contracting_dims, RAGGED_DOT, INTS, "") \
    X(90, 1, 2, rhs_contracting_dims, RAGGED_DOT, INTS, "") \
    X(90, 1, 3, lhs_batch_dims, RAGGED_DOT, INTS, "") \
    X(90, 1, 4, rhs_batch_dims, RAGGED_DOT, INTS, "") \
    X(90, 2, 0, lhs_ragged_dims, OPCODE_COUNT, INTS, "") \
    X(90, 3, 0, rhs_group_dims, OPCODE_COUNT, INTS, "") \
    X(91, 0, 0, result_accuracy, OPCODE_COUNT, ACCURACY, "") \
    X(92, 0, 0, replica_groups, OPCODE_COUNT, IOTA_GROUPS, "") \
    X(93, 0, 0, replica_groups, OPCODE_COUNT, MESH_GROUPS, "") \
    X(94, 0, 0, is_reverse, OPCODE_COUNT, BOOL, "") \
    X(95, 0, 0, num_carries, OPCODE_COUNT, INT, "") \
    X(96, 0, 0, is_associative, OPCODE_COUNT, TRISTATE, "") \
    X(97, 0, 0, convolution_kind, OPCODE_COUNT, ENUM, "- fprop dgrad wgrad") \
    X(98, 0, 0, sparsity_config, OPCODE_COUNT, SPARSITY, "") \
    X(100, 0, 0, has_dynamic_root, OPCODE_COUNT, BOOL, "")
/* X(number, part of the metadata, kind): OpMetadata, in the order in which the text has its parts */
#define XG_PROTO_METADATA(X) \
    X(1, op_type, STRING) \
    X(2, op_name, STRING) \
    X(3, source_file, STRING) \
    X(4, source_line, NUMBER) \
    X(17, source_end_line, NUMBER) \
    X(18, source_column, NUMBER) \
    X(19, source_end_column, NUMBER) \
    X(12, deduplicated_name, STRING) \
    X(16, scheduling_name, STRING) \
    X(15, stack_frame_id, NUMBER) \
    X(8, size_of_generated_code_in_bytes, NUMBER) \
    X(9, size_of_memory_working_set_in_bytes, NUMBER)
/* X(opcode, path, number): what XLA's writer says where the text says nothing */
#define XG_PROTO_USUAL(X) \
    X(CUSTOM_CALL, 77, 0, 1) \
    X(TRIANGULAR_SOLVE, 59, 4, 1) \
    X(CONVOLUTION, 50, 0, 1) \
    X(CONVOLUTION, 58, 0, 1)
/* X(opcode, first, second): the attributes that its called computations go to, in order. Other opcodes have one. */
#define XG_PROTO_CALLS(X) \
    X(WHILE, body, condition) \
    X(SELECT_AND_SCATTER, select, scatter)
/* X(opcode, attribute): what text always has although the opcode does not need it. Collectives have replica groups. */
#define XG_PROTO_ALWAYS(X) \
    X(BROADCAST, dimensions) \
    X(MAP, dimensions) \
    X(DOT, lhs_contracting_dims) X(DOT, rhs_contracting_dims) \
    X(RAGGED_DOT, lhs_contracting_dims) X(RAGGED_DOT, rhs_contracting_dims) \
    X(SCALED_DOT, lhs_contracting_dims) X(SCALED_DOT, rhs_contracting_dims)
/* X(old opcode, direction): comparisons of files from before `compare` */
#define XG_PROTO_OLD_COMPARES(X) \
    X("equal-to", "EQ") X("not-equal-to", "NE") X("greater-than-or-equal-to", "GE") X("greater-than", "GT") \
    X("less-than-or-equal-to", "LE") X("less-than", "LT")
/* Every codec: a row names one of them by its number. */
#define XG_PROTO_CODECS(X) \
    X(METADATA) X(LITERAL) X(NAME) X(INT) X(INTS) X(FIRST) X(WINDOW) X(LABELS) X(SLICES) X(PADS) X(TEXT) X(ENUM) \
    X(FLOAT) X(SHAPE) X(FLAT) X(SHARDING) X(CONFIG) X(BOOL) X(GROUPS) X(ENUMS) X(PAIRS) X(DOMAIN) X(SHAPES) \
    X(BOOLS) X(MAP) X(ALIASES) X(STATISTICS) X(ORIGIN) X(ACCURACY) X(IOTA_GROUPS) X(MESH_GROUPS) X(TRISTATE) \
    X(SPARSITY)
/* clang-format on */
#define XG_PROTO_KEY(a, b, c) ((uint32_t)(a) << 16 | (uint32_t)(b) << 8 | (uint32_t)(c))
#define XG_PROTO_ANY XG_OPCODE_COUNT

/* ---- the reader ---- */

typedef struct xg_proto xg_proto;
typedef struct xg_proto_row {
    uint32_t key;
    uint8_t attr; /* an xg_attr_key */
    uint8_t op;   /* an opcode or XG_PROTO_ANY */
    uint8_t codec;
} xg_proto_row;
enum {
#define X(codec) XG_PROTO_CODEC_##codec,
    XG_PROTO_CODECS(X)
#undef X
};

struct xg_proto {
    xg_ctx *ctx;
    xg_arena *arena;
    const unsigned char *base;
    const xg_source *source; /* for messages */
    xg_parse *parse;
    xg_module *m;
    uint32_t depth;
    XG_VEC(xg_proto_field) fields; /* stack */
    xg_map64 comps;                /* by id */
    xg_dict metadata, shapes;      /* by bytes */
    /* of the computation that is read: instructions by id */
    xg_inst **near_ids;
    uint32_t n_near;
    xg_map64 far_ids;
    xg_map64 schedules; /* by computation: a field of the schedule */
    bool scheduled;
    XG_VEC(xg_proto_bytes) payloads;
    uint16_t first_row[128]; /* by field number: 1 + its first row; 0: none */
};

/* ---- the writer ---- */

typedef struct xg_proto_writer {
    xg_arena *arena;
    xg_ctx *ctx;
    const xg_module *m;
    xg_buf b;
    uint32_t *locals;                 /* by instruction: its number in its computation */
    xg_dict names;                    /* of all computations, to the instruction that keeps the name */
    int64_t *comps;                   /* by computation: its number */
    uint8_t first_row[XG_ATTR_COUNT]; /* by attribute: 1 + its first row; 0: none */
    uint8_t *next_row;                /* by row: 1 + the attribute's next one; 0: none */
} xg_proto_writer;

/* proto_wire.c */
XG_NORETURN XG_FN void xg_proto_fail(
    const xg_proto *p, const unsigned char *at, const char *hint, const char *format, ...) XG_PRINTF(4, 5);
XG_FN bool xg_proto_next(xg_proto *p, xg_proto_bytes *m, xg_proto_field *f); /* the next field; false at the end */
XG_FN uint64_t xg_proto_varint(xg_proto *p, xg_proto_bytes *m);
XG_FN int64_t xg_proto_int(xg_proto *p, const xg_proto_field *f);
XG_FN xg_proto_bytes xg_proto_message(xg_proto *p, const xg_proto_field *f);
XG_FN xg_str xg_proto_str(xg_proto *p, const xg_proto_field *f);
XG_FN void xg_proto_push_ints(xg_proto *p, const xg_proto_field *f); /* packed or not, on the parser's stack */
XG_FN xg_ints xg_proto_ints_of(xg_proto *p, xg_proto_bytes m, uint32_t number); /* a repeated field of a message */
XG_FN int64_t xg_proto_int_of(xg_proto *p, xg_proto_bytes m, uint32_t number);
XG_FN bool xg_proto_find(xg_proto *p, xg_proto_bytes m, uint32_t number, xg_proto_field *f); /* the last one */
XG_FN void xg_proto_enter(xg_proto *p, const unsigned char *at); /* bounds the recursion; p->depth-- leaves */
XG_FN bool xg_proto_is_dict(xg_str s);                           /* can it stand in HLO text without quotes? */
XG_FN void xg_proto_put_key(xg_buf *b, xg_str key);
XG_FN void xg_proto_put_value(xg_buf *b, xg_str s);
XG_FN void xg_proto_lex(xg_proto *p, const unsigned char *at, const xg_buf *text);
/* proto_shape.c */
typedef struct xg_proto_type_row { /* of XG_PROTO_TYPES */
    uint8_t type, number, field, how;
} xg_proto_type_row;
enum {
    XG_PROTO_IS_RAW,
    XG_PROTO_IS_VARINT
};
XG_FN const xg_proto_type_row *xg_proto_row_of_type(xlagpu_type type); /* of unknown ones: all zeros */
XG_FN const xg_shape *xg_proto_shape(xg_proto *p, xg_proto_bytes m);
XG_FN void xg_proto_program_shape(xg_proto *p, xg_proto_bytes m, const xg_shape **params, const xg_shape **result);
/* proto_literal.c */
XG_FN const xg_literal *xg_proto_literal(xg_proto *p, xg_proto_bytes m);
/* proto_devices.c */
XG_FN void xg_proto_put_sharding(xg_proto *p, xg_buf *b, xg_proto_bytes m);
/* proto_metadata.c */
XG_FN xg_str xg_proto_metadata_text(xg_proto *p, xg_proto_bytes m, xg_metadata *out);
XG_FN xg_str xg_proto_map_text(xg_proto *p, xg_proto_bytes m);
/* proto_attr.c */
XG_FN const xg_proto_row *xg_proto_rows(uint32_t *n);
XG_FN const char *xg_proto_detail(const xg_proto_row *row); /* of one of them */
/* The value of an attribute from its text, which stands for the bytes at `at`. */
XG_FN void xg_proto_read_text(xg_proto *p, const unsigned char *at, const xg_buf *text, xg_attr *a);
/* proto_module.c; the bytes outlive the module */
XG_FN xg_module *xg_proto_read(xg_ctx *c, xg_arena *a, const xg_source *src);

#endif /* XG_IMPORT_PROTO_H */
