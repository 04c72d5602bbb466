/* import/bytecode.h -- MLIR's bytecode: its container, the attributes and types of builtin, VHLO and sdy in it.
 *
 * A file is a run of sections: strings, dialects, attributes and types (entries of bytes that are decoded when they are
 * first asked for), properties, operations. VHLO is StableHLO with a version behind each name; the properties of an
 * operation are its attributes in the alphabetical order of their names, which XG_BC_OPS lists.
 *
 * Laws
 * - Values end as those of MLIR text do (ir.h), so one translation to HLO serves both.
 * - A section or entry is never read beyond its end; entries that contain themselves are errors; recursion is
 *   bounded. */
#ifndef XG_IMPORT_BYTECODE_H
#define XG_IMPORT_BYTECODE_H
#include "ir.h"
#include "import.h"

enum {
    XG_BC_VERSION_MAX = 6,
    XG_BC_PADDING = 0xCB,
    XG_BC_LOC_PARTS_MAX = 256,      /* of one location: what lies deeper is not looked at */
    XG_BC_TEXT_BYTES_MAX = 1 << 20, /* of an attribute that is kept as text */
    XG_BC_SECTIONS = 9
};
typedef enum xg_bc_section {
    XG_BC_STRINGS,
    XG_BC_DIALECTS,
    XG_BC_DATA, /* of attributes and types */
    XG_BC_OFFSETS,
    XG_BC_IR,
    XG_BC_RESOURCES,
    XG_BC_RESOURCE_OFFSETS,
    XG_BC_DIALECT_VERSIONS,
    XG_BC_PROPERTIES
} xg_bc_section;

/* X(operations, newest version, the names of their attributes in alphabetical order), first of VHLO, then of other
 * dialects. Behind a name: ? it may be missing, + since version 2, - in version 1 alone */
/* clang-format off */
#define XG_VHLO_CONVOLUTION \
    "batch_group_count feature_group_count input_batch_dimension input_feature_dimension input_spatial_dimensions kernel_input_feature_dimension kernel_output_feature_dimension kernel_spatial_dimensions lhs_dilation output_batch_dimension output_feature_dimension output_spatial_dimensions padding- precision_config rhs_dilation window_reversal window_strides"
#define XG_BC_OPS(X) \
    X("cbrt cosine exponential exponential_minus_one log log_plus_one logistic rsqrt sine sqrt tan tanh", 2, "result_accuracy+") \
    X("func", 1, "arg_attrs function_type res_attrs sym_name sym_visibility") \
    X("call", 1, "callee") \
    X("constant", 1, "value") \
    X("iota dynamic_iota", 1, "iota_dimension") \
    X("compare", 1, "compare_type comparison_direction") \
    X("dot", 1, "precision_config") \
    X("dot_general", 2, "accumulation_type+ allow_imprecise_accumulation+ lhs_batching_dimensions lhs_component_count+ lhs_contracting_dimensions lhs_precision_type+ num_primitive_operations+ precision_config rhs_batching_dimensions rhs_component_count+ rhs_contracting_dimensions rhs_precision_type+") \
    X("convolution", 1, XG_VHLO_CONVOLUTION) \
    X("dynamic_conv", 2, XG_VHLO_CONVOLUTION) \
    X("gather", 2, "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims operand_batching_dims+ slice_sizes start_index_map start_indices_batching_dims+") \
    X("dynamic_gather", 2, "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims operand_batching_dims+ start_index_map start_indices_batching_dims+") \
    X("scatter", 2, "index_vector_dim indices_are_sorted input_batching_dims+ inserted_window_dims scatter_dims_to_operand_dims scatter_indices_batching_dims+ unique_indices update_window_dims") \
    X("all_gather", 2, "all_gather_dim channel_id replica_groups use_global_device_ids") \
    X("all_reduce", 2, "channel_id replica_groups use_global_device_ids") \
    X("reduce_scatter", 1, "channel_id replica_groups scatter_dimension use_global_device_ids") \
    X("all_to_all", 2, "channel_id concat_dimension replica_groups split_count split_dimension") \
    X("collective_broadcast", 2, "channel_id has_dynamic_root+ replica_groups") \
    X("collective_reduce", 1, "channel_id has_dynamic_root replica_groups use_global_device_ids") \
    X("collective_permute", 1, "channel_id source_target_pairs") \
    X("cross-replica-sum", 1, "replica_groups") \
    X("reduce_window", 1, "base_dilations padding window_dilations window_dimensions window_strides") \
    X("reduce map reverse", 1, "dimensions") \
    X("sort", 1, "dimension is_stable") \
    X("select_and_scatter", 1, "padding window_dimensions window_strides") \
    X("pad", 1, "edge_padding_high edge_padding_low interior_padding") \
    X("slice", 1, "limit_indices start_indices strides") \
    X("broadcast", 1, "broadcast_sizes") \
    X("broadcast_in_dim", 1, "broadcast_dimensions") \
    X("dynamic_broadcast_in_dim", 1, "broadcast_dimensions known_expanding_dimensions known_nonexpanding_dimensions") \
    X("transpose", 1, "permutation") \
    X("concatenate get_dimension_size set_dimension_size", 1, "dimension") \
    X("dynamic_slice", 1, "slice_sizes") \
    X("torch_index_select", 1, "batch_dims dim") \
    X("custom_call", 2, "api_version backend_config call_target_name called_computations has_side_effect operand_layouts output_operand_aliases result_layouts result_tilings+") \
    X("reduce_precision", 1, "exponent_bits mantissa_bits") \
    X("fft", 1, "fft_length fft_type") \
    X("cholesky", 1, "lower") \
    X("triangular_solve", 1, "left_side lower transpose_a unit_diagonal") \
    X("rng", 1, "rng_distribution") \
    X("rng_bit_generator", 1, "rng_algorithm") \
    X("composite", 2, "composite_attributes decomposition name version") \
    X("get_tuple_element", 1, "index") \
    X("batch_norm_training batch_norm_inference batch_norm_grad", 1, "epsilon feature_index") \
    X("einsum unary_einsum", 1, "einsum_config") \
    X("infeed", 1, "infeed_config layout") \
    X("outfeed", 1, "outfeed_config") \
    X("send recv", 2, "channel_id channel_type is_host_transfer source_target_pairs+") \
    X("builtin.module", 1, "sym_name? sym_visibility?") \
    X("sdy.mesh", 1, "mesh sym_name") \
    X("sdy.sharding_constraint sdy.reshard", 1, "sharding") \
    X("sdy.sharding_group", 1, "group_id") \
    X("sdy.manual_computation", 1, "in_shardings manual_axes out_shardings")
/* X(code, element type): VHLO's scalars */
#define XG_VHLO_TYPES(X) \
    X(0, PRED) X(2, BF16) X(3, F16) X(4, F32) X(5, F64) X(6, F8E4M3FN) X(7, F8E5M2) X(9, S64) X(10, S4) X(11, S8) \
    X(12, S16) X(13, S32) X(14, S64) X(15, U4) X(16, U8) X(17, U16) X(18, U32) X(19, U64) X(27, F8E4M3FNUZ) \
    X(28, F8E5M2FNUZ) X(29, F8E4M3B11FNUZ) X(31, S2) X(32, U2) X(35, F8E4M3) X(36, F8E3M4) X(37, F4E2M1FN) \
    X(38, F6E2M3FN) X(39, F6E3M2FN) X(40, F8E8M0FNU)
/* X(code of the attribute, its words by number) */
#define XG_VHLO_WORDS(X) \
    X(3, "EQ NE GE GT LE LT") \
    X(4, "NOTYPE FLOAT TOTALORDER SIGNED UNSIGNED") \
    X(7, "FFT IFFT RFFT IRFFT") \
    X(11, "DEFAULT HIGH HIGHEST") \
    X(12, "DEFAULT THREE_FRY PHILOX") \
    X(13, "- UNIFORM NORMAL") \
    X(16, "TRANSPOSE_INVALID NO_TRANSPOSE TRANSPOSE ADJOINT") \
    X(19, "DEFAULT HIGHEST TOLERANCE")
/* clang-format on */

typedef struct xg_bc_cur {
    const unsigned char *p, *end;
} xg_bc_cur;
typedef struct xg_bc_entry { /* an attribute or type */
    xg_bc_cur bytes;
    xg_str dialect;
    bool custom, open; /* open: it is being decoded */
    const void *value;
    const xg_ir_loc *loc; /* the same as a location */
} xg_bc_entry;
typedef struct xg_bc_name {
    xg_str text;
    int version; /* of VHLO */
    int row;     /* of XG_IR_OPS; -1: none */
    bool vhlo, registered;
    const char *props; /* the names of its properties; NULL: not known */
} xg_bc_name;
typedef XG_VEC(xg_ir_value *) xg_bc_values;
typedef struct xg_bc {
    xg_arena *arena;
    xg_ctx *ctx;
    xg_ir *ir;
    const unsigned char *base, *start; /* of the file, of the bytecode in it */
    const xg_source *source;           /* for messages */
    uint64_t version;
    bool has[XG_BC_SECTIONS];
    xg_str *strings, *dialects;
    uint32_t n_strings, n_dialects, n_attrs, n_types, n_props, n_names, depth;
    xg_bc_entry *attrs, *types;
    xg_bc_cur *props;
    xg_bc_name *names;
    xg_bc_values values; /* of the region that is read and those around it, by number */
    uint32_t scope;      /* the first of the function */
    uint32_t loc_parts;  /* of the location that is read, so far */
    xg_bc_cur sections[XG_BC_SECTIONS];
} xg_bc;

XG_NORETURN XG_FN void xg_bc_fail(const xg_bc *b, const unsigned char *at, const char *hint, const char *format, ...)
    XG_PRINTF(4, 5);
XG_FN uint64_t xg_bc_int(xg_bc *b, xg_bc_cur *c);
XG_FN int64_t xg_bc_signed(xg_bc *b, xg_bc_cur *c);
XG_FN uint32_t xg_bc_index(xg_bc *b, xg_bc_cur *c, uint32_t n, const char *what); /* below n */
XG_FN uint32_t xg_bc_count(xg_bc *b, xg_bc_cur *c);                               /* of items of at least a byte */
XG_FN xg_bc_cur xg_bc_take(xg_bc *b, xg_bc_cur *c, uint64_t n);
XG_FN xg_str xg_bc_string(xg_bc *b, xg_bc_cur *c);
XG_FN const xg_ir_attr *xg_bc_attr(xg_bc *b, xg_bc_cur *c);
XG_FN const xg_ir_attr *xg_bc_optional(xg_bc *b, xg_bc_cur *c); /* NULL: none */
XG_FN const xg_ir_type *xg_bc_type(xg_bc *b, xg_bc_cur *c);
XG_FN const xg_ir_loc *xg_bc_loc(xg_bc *b, xg_bc_cur *c);
XG_FN void xg_bc_enter(xg_bc *b, const unsigned char *at);
/* bytecode.c; the bytes outlive the module */
XG_FN xg_module *xg_bytecode_read(xg_ctx *c, xg_arena *a, const xg_source *src);
XG_FN xg_module *xg_export_read(xg_ctx *c, xg_arena *a, const xg_source *src);

#endif /* XG_IMPORT_BYTECODE_H */
