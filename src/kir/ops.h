/* kir/ops.h -- THE table of kernel IR operations: high-level ones (tensors, indexing maps), structured control flow,
 * and the low-level ones that print as PTX. Names are those of the MLIR dialects that XLA:GPU uses, so that a reader of
 * its dumps recognises everything.
 *
 * X(NAME, text, lo, hi, results, regions, flags, types, attrs)
 *   lo, hi    number of operands (255: any)     results  number of results (-1: any)     regions  number of regions
 *   flags     KF_PURE no side effect, result depends on operands only; KF_COMM commutative; KF_TERM ends a region;
 *             KF_READ/KF_WRITE touches memory;
 *             KF_CONV convergent: may not be moved into or out of divergent control flow; KF_LOW may be printed as PTX
 *             by a target that has it
 *   types     the verifier's rule:  xg_kir_check_<types>
 *   attrs     what the fields of xg_kop hold, and the syntax:  xg_kprint_<attrs> and xg_kparse_<attrs>; `none`:
 *             operands, then one type for all */
#ifndef XG_KIR_OPS_H
#define XG_KIR_OPS_H

enum {
    KF_PURE = 1,
    KF_COMM = 2,
    KF_TERM = 4,
    KF_READ = 8,
    KF_WRITE = 16,
    KF_CONV = 32,
    KF_LOW = 64
};

/* clang-format off */
#define XG_KIR_OPS(X) \
    /* structure */ \
    X(RETURN, "return", 0, 255, 0, 0, KF_TERM | KF_LOW, any, values) \
    X(YIELD, "yield", 0, 255, 0, 0, KF_TERM | KF_LOW, any, values) \
    X(CALL, "xla_gpu.pure_call", 0, 255, -1, 0, KF_PURE, call, call) \
    X(FOR, "scf.for", 3, 255, -1, 1, KF_LOW, for, for) /* lower, upper, step, inits; region (induction variable, carried) yields carried; a: trips that its maker expects, b: the upper bound that it expects of what memory says; 0: it does not say */ \
    X(IF, "scf.if", 1, 1, -1, 2, KF_LOW, if, if) /* condition; both regions yield the results; a: 1: it seldom holds, more: once in so many times; b: in one of so many blocks; 0: it does not say */ \
    X(WHILE, "scf.while", 0, 255, -1, 2, KF_LOW, while, while) /* inits; before (carried) ends in CONDITION; after (results) yields carried; a: 1: it seldom goes on */ \
    X(CONDITION, "scf.condition", 1, 255, 0, 0, KF_TERM | KF_LOW, any, condition) /* go on?, results */ \
    X(LOOP, "xla_gpu.loop", 0, 255, -1, 1, 0, loop, loop) /* dims of the map (a = how many), inits; region (symbols, map results, carried) yields carried */ \
    /* where am I */ \
    X(THREAD_ID, "gpu.thread_id", 0, 0, 1, 0, KF_PURE | KF_LOW, id, axis_range) /* p: "xyz" axis in flags; a..b the range */ \
    X(BLOCK_ID, "gpu.block_id", 0, 0, 1, 0, KF_PURE | KF_LOW, id, axis_range) \
    X(APPLY, "xla_gpu.apply_indexing", 0, 255, -1, 0, KF_PURE, apply, map) /* dims then symbols of the map */ \
    /* tensors and vectors */ \
    X(EXTRACT, "tensor.extract", 1, 255, 1, 0, KF_PURE | KF_READ, extract, extract) /* tensor, indices */ \
    X(INSERT, "tensor.insert", 2, 255, 1, 0, KF_WRITE, insert, insert) /* value, tensor, indices -> tensor */ \
    X(READ, "vector.transfer_read", 2, 2, 1, 0, KF_PURE | KF_READ, transfer_read, read) /* flat tensor, index -> vector */ \
    X(WRITE, "vector.transfer_write", 3, 3, 1, 0, KF_WRITE, transfer_write, write) /* vector, tensor, the first one's place in memory -> tensor */ \
    X(VEXTRACT, "vector.extract", 2, 2, 1, 0, KF_PURE | KF_LOW, vextract, vextract) /* vector, index */ \
    X(VINSERT, "vector.insert", 3, 3, 1, 0, KF_PURE | KF_LOW, vinsert, vinsert) /* value, vector, index */ \
    X(BROADCAST, "vector.broadcast", 1, 1, 1, 0, KF_PURE | KF_LOW, broadcast, cast) /* a scalar -> a vector of it */ \
    X(ATOMIC_RMW, "xla_gpu.atomic_rmw", 1, 255, 1, 1, KF_READ | KF_WRITE, atomic_rmw, atomic_rmw) /* tensor, indices -> tensor; region (current element) yields the new one; as if nothing else happened between. Of a vector: element by element, each yields its sum with another one */ \
    X(ALLOC_SHARED, "xla_gpu.allocate_shared", 0, 0, 1, 0, 0, tensor_result, aligned) /* b: bytes that its place is a multiple of, if more than 16 */ \
    X(SYNC, "xla_gpu.sync_threads", 0, 255, -1, 0, KF_CONV | KF_READ | KF_WRITE, sync, team) /* tensors -> the same tensors; a: so many threads wait for each other at barrier b, 0: all at barrier 0, XG_KTEAM_CLUSTER: those of all blocks of the cluster, with b XG_KTEAM_RELAXED without what they wrote */ \
    X(PEER, "xla_gpu.peer_shared", 2, 2, 1, 0, KF_PURE, peer, result) /* array in shared memory, i32 -> that of the block of this rank in the cluster, to be read */ \
    X(VIEW, "xla_gpu.view_shared", 1, 1, 1, 0, KF_PURE, view, retyped) /* array -> the same bytes as a flat one, of elements of another type; what was written before is lost */ \
    X(LOAD_MATRIX, "xla_gpu.load_matrix", 2, 2, 1, 0, KF_READ | KF_CONV, load_matrix, matrix) /* flat tensor in shared memory, index -> four words: those of lane t of four matrices of 8 rows of 16 bytes, row r of matrix k being at the index that lane 8 k + r says; flags XG_KMATRIX_TRANSPOSED: of 8 x 8 elements of 16 bits, transposed */ \
    X(DESCRIBE_MATRIX, "xla_gpu.describe_matrix", 2, 2, 1, 0, KF_PURE, describe_matrix, strides) /* flat tensor in shared memory, index -> i64: what a warp group's multiplication knows of the matrix that begins there: lines of 128 bytes, eight of them together swizzled (bits 4 to 6 of an address are mixed with bits 7 to 9); b: bytes from eight lines to the next eight, below 1024: lines of 64 bytes (bits 4 and 5, mixed with 7 and 8); a: from one atom of lines to the next one beside it */ \
    X(SHARED_AT, "xla_gpu.shared_at", 2, 2, 1, 0, KF_PURE, shared_at, retyped) /* flat tensor, index -> a pointer to the element, in shared memory or not: for what goes on beside the thread, or needs one */ \
    X(SHUFFLE_REDUCE, "xla_gpu.shuffle_reduce", 1, 255, -1, 0, KF_CONV, shuffle_reduce, shuffle_reduce) /* scalars -> the same; p: the combiner; a: a power of two: lanes l + k, k < 2a, are combined in lane l of each group of 2a */ \
    /* constants and selection */ \
    X(CONST, "arith.constant", 0, 0, 1, 0, KF_PURE | KF_LOW, any, constant) /* a: the bits (floats: their own format); vectors: splat */ \
    X(SELECT, "arith.select", 3, 3, 1, 0, KF_PURE | KF_LOW, select, result) \
    X(CMPI, "arith.cmpi", 2, 2, 1, 0, KF_PURE | KF_LOW, cmpi, cmpi) \
    X(CMPF, "arith.cmpf", 2, 2, 1, 0, KF_PURE | KF_LOW, cmpf, cmpf) \
    /* integers, index and i1 */ \
    X(ADDI, "arith.addi", 2, 2, 1, 0, KF_PURE | KF_COMM | KF_LOW, int2, none) \
    X(SUBI, "arith.subi", 2, 2, 1, 0, KF_PURE | KF_LOW, int2, none) \
    X(MULI, "arith.muli", 2, 2, 1, 0, KF_PURE | KF_COMM | KF_LOW, int2, none) \
    X(MULHSI, "arith.mulsi_high", 2, 2, 1, 0, KF_PURE | KF_COMM | KF_LOW, int2, none) \
    X(MULHUI, "arith.mului_high", 2, 2, 1, 0, KF_PURE | KF_COMM | KF_LOW, int2, none) \
    X(DIVSI, "arith.divsi", 2, 2, 1, 0, KF_PURE | KF_LOW, int2, none) /* by zero and overflow: undefined here; the emitter guards */ \
    X(DIVUI, "arith.divui", 2, 2, 1, 0, KF_PURE | KF_LOW, int2, none) \
    X(REMSI, "arith.remsi", 2, 2, 1, 0, KF_PURE | KF_LOW, int2, none) \
    X(REMUI, "arith.remui", 2, 2, 1, 0, KF_PURE | KF_LOW, int2, none) \
    X(ANDI, "arith.andi", 2, 2, 1, 0, KF_PURE | KF_COMM | KF_LOW, int2, none) \
    X(ORI, "arith.ori", 2, 2, 1, 0, KF_PURE | KF_COMM | KF_LOW, int2, none) \
    X(XORI, "arith.xori", 2, 2, 1, 0, KF_PURE | KF_COMM | KF_LOW, int2, none) \
    X(SHLI, "arith.shli", 2, 2, 1, 0, KF_PURE | KF_LOW, int2, none) /* amounts >= the width: undefined here; the emitter guards */ \
    X(SHRSI, "arith.shrsi", 2, 2, 1, 0, KF_PURE | KF_LOW, int2, none) \
    X(SHRUI, "arith.shrui", 2, 2, 1, 0, KF_PURE | KF_LOW, int2, none) \
    X(MAXSI, "arith.maxsi", 2, 2, 1, 0, KF_PURE | KF_COMM | KF_LOW, int2, none) \
    X(MINSI, "arith.minsi", 2, 2, 1, 0, KF_PURE | KF_COMM | KF_LOW, int2, none) \
    X(MAXUI, "arith.maxui", 2, 2, 1, 0, KF_PURE | KF_COMM | KF_LOW, int2, none) \
    X(MINUI, "arith.minui", 2, 2, 1, 0, KF_PURE | KF_COMM | KF_LOW, int2, none) \
    X(CTPOP, "math.ctpop", 1, 1, 1, 0, KF_PURE | KF_LOW, int1, none) \
    X(CTLZ, "math.ctlz", 1, 1, 1, 0, KF_PURE | KF_LOW, int1, none) \
    /* conversions: the result type says to what */ \
    X(EXTSI, "arith.extsi", 1, 1, 1, 0, KF_PURE | KF_LOW, ext, cast) \
    X(EXTUI, "arith.extui", 1, 1, 1, 0, KF_PURE | KF_LOW, ext, cast) /* also from i1 */ \
    X(TRUNCI, "arith.trunci", 1, 1, 1, 0, KF_PURE | KF_LOW, trunc, cast) /* to i1: the lowest bit */ \
    X(INDEX_CAST, "arith.index_cast", 1, 1, 1, 0, KF_PURE, index_cast, cast) /* signed, between index and an integer */ \
    X(SITOFP, "arith.sitofp", 1, 1, 1, 0, KF_PURE | KF_LOW, int_to_float, cast) \
    X(UITOFP, "arith.uitofp", 1, 1, 1, 0, KF_PURE | KF_LOW, int_to_float, cast) /* also from i1 */ \
    X(FPTOSI, "arith.fptosi", 1, 1, 1, 0, KF_PURE | KF_LOW, float_to_int, cast) /* toward zero, saturating, NaN gives 0 */ \
    X(FPTOUI, "arith.fptoui", 1, 1, 1, 0, KF_PURE | KF_LOW, float_to_int, cast) \
    X(EXTF, "arith.extf", 1, 1, 1, 0, KF_PURE | KF_LOW, extf, cast) /* exact; also f8, f6, f4 */ \
    X(TRUNCF, "arith.truncf", 1, 1, 1, 0, KF_PURE | KF_LOW, truncf, cast) /* to nearest even, HLO's overflow rules */ \
    X(BITCAST, "arith.bitcast", 1, 1, 1, 0, KF_PURE | KF_LOW, bitcast, cast) /* equal width; scalars, vectors, or one of each (lane 0 lowest) */ \
    X(COMPLEX, "complex.create", 2, 2, 1, 0, KF_PURE, complex_create, result) \
    X(RE, "complex.re", 1, 1, 1, 0, KF_PURE, complex_part, part) \
    X(IM, "complex.im", 1, 1, 1, 0, KF_PURE, complex_part, part) \
    /* floats: bf16, f16, f32, f64 (f8 and smaller only convert) */ \
    X(ADDF, "arith.addf", 2, 2, 1, 0, KF_PURE | KF_COMM | KF_LOW, float2, none) \
    X(SUBF, "arith.subf", 2, 2, 1, 0, KF_PURE | KF_LOW, float2, none) \
    X(MULF, "arith.mulf", 2, 2, 1, 0, KF_PURE | KF_COMM | KF_LOW, float2, none) \
    X(DIVF, "arith.divf", 2, 2, 1, 0, KF_PURE | KF_LOW, float2, none) \
    X(REMF, "arith.remf", 2, 2, 1, 0, KF_PURE, float2, none) /* as C's fmod */ \
    X(NEGF, "arith.negf", 1, 1, 1, 0, KF_PURE | KF_LOW, float1, none) /* flips the sign bit, of NaN too */ \
    X(MAXF, "arith.maximumf", 2, 2, 1, 0, KF_PURE | KF_COMM | KF_LOW, float2, none) /* NaN if either is; +0 above -0 */ \
    X(MINF, "arith.minimumf", 2, 2, 1, 0, KF_PURE | KF_COMM | KF_LOW, float2, none) \
    X(MAXNUMF, "arith.maxnumf", 2, 2, 1, 0, KF_PURE | KF_COMM | KF_LOW, float2, none) /* the other one if one is NaN */ \
    X(MINNUMF, "arith.minnumf", 2, 2, 1, 0, KF_PURE | KF_COMM | KF_LOW, float2, none) \
    X(FMA, "math.fma", 3, 3, 1, 0, KF_PURE | KF_LOW, float3, none) /* rounded once */ \
    X(ABSF, "math.absf", 1, 1, 1, 0, KF_PURE | KF_LOW, float1, none) /* clears the sign bit */ \
    X(COPYSIGN, "math.copysign", 2, 2, 1, 0, KF_PURE | KF_LOW, float2, none) \
    X(FLOOR, "math.floor", 1, 1, 1, 0, KF_PURE | KF_LOW, float1, none) \
    X(CEIL, "math.ceil", 1, 1, 1, 0, KF_PURE | KF_LOW, float1, none) \
    X(TRUNC, "math.trunc", 1, 1, 1, 0, KF_PURE | KF_LOW, float1, none) \
    X(ROUNDEVEN, "math.roundeven", 1, 1, 1, 0, KF_PURE | KF_LOW, float1, none) \
    X(ROUND, "math.round", 1, 1, 1, 0, KF_PURE, float1, none) /* half away from zero */ \
    X(SQRT, "math.sqrt", 1, 1, 1, 0, KF_PURE | KF_LOW, float1, none) /* correctly rounded */ \
    X(RSQRT, "math.rsqrt", 1, 1, 1, 0, KF_PURE, float1, none) \
    X(CBRT, "math.cbrt", 1, 1, 1, 0, KF_PURE, float1, none) \
    X(EXP, "math.exp", 1, 1, 1, 0, KF_PURE, float1, none) \
    X(EXPM1, "math.expm1", 1, 1, 1, 0, KF_PURE, float1, none) \
    X(LOG, "math.log", 1, 1, 1, 0, KF_PURE, float1, none) \
    X(LOG1P, "math.log1p", 1, 1, 1, 0, KF_PURE, float1, none) \
    X(POW, "math.powf", 2, 2, 1, 0, KF_PURE, float2, none) \
    X(SIN, "math.sin", 1, 1, 1, 0, KF_PURE, float1, none) \
    X(COS, "math.cos", 1, 1, 1, 0, KF_PURE, float1, none) \
    X(TAN, "math.tan", 1, 1, 1, 0, KF_PURE, float1, none) \
    X(TANH, "math.tanh", 1, 1, 1, 0, KF_PURE, float1, none) \
    X(SINH, "math.sinh", 1, 1, 1, 0, KF_PURE, float1, none) \
    X(COSH, "math.cosh", 1, 1, 1, 0, KF_PURE, float1, none) \
    X(ASIN, "math.asin", 1, 1, 1, 0, KF_PURE, float1, none) \
    X(ACOS, "math.acos", 1, 1, 1, 0, KF_PURE, float1, none) \
    X(ATAN, "math.atan", 1, 1, 1, 0, KF_PURE, float1, none) \
    X(ATAN2, "math.atan2", 2, 2, 1, 0, KF_PURE, float2, none) \
    X(ASINH, "math.asinh", 1, 1, 1, 0, KF_PURE, float1, none) \
    X(ACOSH, "math.acosh", 1, 1, 1, 0, KF_PURE, float1, none) \
    X(ATANH, "math.atanh", 1, 1, 1, 0, KF_PURE, float1, none) \
    X(ERF, "math.erf", 1, 1, 1, 0, KF_PURE, float1, none) \
    /* what the machine offers beyond that (f32 unless said otherwise) */ \
    X(EX2A, "nvvm.ex2.approx", 1, 1, 1, 0, KF_PURE | KF_LOW, float1, approx) \
    X(LG2A, "nvvm.lg2.approx", 1, 1, 1, 0, KF_PURE | KF_LOW, float1, approx) \
    X(RCPA, "nvvm.rcp.approx", 1, 1, 1, 0, KF_PURE | KF_LOW, float1, approx) /* f64: rcp.approx.ftz.f64, a start value */ \
    X(RSQRTA, "nvvm.rsqrt.approx", 1, 1, 1, 0, KF_PURE | KF_LOW, float1, approx) /* f64: the start value of f32 quality */ \
    X(DIVFULL, "nvvm.div.full", 2, 2, 1, 0, KF_PURE | KF_LOW, float2, none) \
    X(MULWIDES, "nvvm.mul.wide.s32", 2, 2, 1, 0, KF_PURE | KF_LOW, wide, cast) /* i32 x i32 -> i64 */ \
    X(MULWIDEU, "nvvm.mul.wide.u32", 2, 2, 1, 0, KF_PURE | KF_LOW, wide, cast) \
    X(SHFL3, "nvvm.shf", 3, 3, 1, 0, KF_PURE | KF_LOW, int3, none) /* funnel shift right of (high, low) by amount mod 32 */ \
    X(PRMT, "nvvm.prmt", 3, 3, 1, 0, KF_PURE | KF_LOW, int3, none) /* four of the eight bytes of (operand 1, operand 0), as the digits of operand 2 number them */ \
    X(MASKXOR, "nvvm.lop3.and.xor", 3, 3, 1, 0, KF_PURE | KF_LOW, int3, none) /* (operand 0 and operand 1) xor operand 2 */ \
    X(MADI, "nvvm.mad.lo", 3, 3, 1, 0, KF_PURE | KF_LOW, int3, none) /* operand 0 times operand 1, and operand 2 */ \
    X(SUBBF2, "nvvm.sub.rn.bf16x2", 2, 2, 1, 0, KF_PURE | KF_LOW, int2, none) /* i32: of words of two bf16 each */ \
    X(SUBH2, "nvvm.sub.rn.f16x2", 2, 2, 1, 0, KF_PURE | KF_LOW, int2, none) \
    X(MULBF2, "nvvm.mul.rn.bf16x2", 2, 2, 1, 0, KF_PURE | KF_LOW, int2, none) \
    X(MULH2, "nvvm.mul.rn.f16x2", 2, 2, 1, 0, KF_PURE | KF_LOW, int2, none) \
    X(CVTBF2, "nvvm.cvt.rn.bf16x2.f32", 2, 2, 1, 0, KF_PURE | KF_LOW, wide, cast) /* two f32 -> i32: operand 0 in the low half */ \
    X(CVTH2, "nvvm.cvt.rn.f16x2.f32", 2, 2, 1, 0, KF_PURE | KF_LOW, wide, cast) \
    X(MAXF3, "nvvm.max3", 3, 3, 1, 0, KF_PURE | KF_LOW, float3, none) /* the largest; NaN if any is */ \
    X(MAXA3, "nvvm.max3.abs", 3, 3, 1, 0, KF_PURE | KF_LOW, float3, none) /* the same of absolute values */ \
    X(FMABF2, "nvvm.fma.rn.bf16x2", 3, 3, 1, 0, KF_PURE | KF_LOW, int3, none) \
    X(FMAF2, "nvvm.fma.rn.f32x2", 3, 3, 1, 0, KF_PURE | KF_LOW, int3, none) /* i64: of two f32 each */ \
    X(VOTEANY, "nvvm.vote.any.sync", 1, 1, 1, 0, KF_CONV | KF_LOW, int1, none) /* i1: does it hold in any lane of the warp? */ \
    X(SHFLDOWN, "nvvm.shfl.sync.down", 2, 2, 1, 0, KF_CONV | KF_LOW, shuffle, none) /* of all 32 lanes: what lane (own + operand 1) has; its own behind the end */ \
    X(SHFLUP, "nvvm.shfl.sync.up", 2, 2, 1, 0, KF_CONV | KF_LOW, shuffle, none) \
    X(SHFLBFLY, "nvvm.shfl.sync.bfly", 2, 2, 1, 0, KF_CONV | KF_LOW, shuffle, none) \
    X(SHFLIDX, "nvvm.shfl.sync.idx", 2, 2, 1, 0, KF_CONV | KF_LOW, shuffle, none) \
    /* memory, by address */ \
    X(PTR_ADD, "llvm.getelementptr", 2, 2, 1, 0, KF_PURE | KF_LOW, ptr_add, scale) /* pointer, i32 or i64 index; a: bytes per index (0: the index is bytes); b: constant bytes added. An i32 index is unsigned */ \
    X(LOAD, "llvm.load", 1, 1, 1, 0, KF_READ | KF_LOW, load, load) /* a: alignment in bytes; flags KM_INVARIANT allows ld.global.nc and lets the load move */ \
    X(STORE, "llvm.store", 2, 2, 0, 0, KF_WRITE | KF_LOW, store, store) /* value, pointer */ \
    X(ASYNC_COPY, "nvvm.cp.async.shared.global", 2, 3, 0, 0, KF_READ | KF_WRITE | KF_LOW, async_copy, store) /* pointer to shared memory, pointer to global memory, how many bytes are read there (an i32; without it all): the rest is zero, and with none the pointer may be any; a: bytes, 4, 8 or 16. There when the thread has waited */ \
    X(ASYNC_COMMIT, "nvvm.cp.async.commit.group", 0, 0, 0, 0, KF_READ | KF_WRITE | KF_CONV | KF_LOW, any, count) /* the thread's copies since the last one are a group */ \
    X(ASYNC_WAIT_GROUP, "nvvm.cp.async.wait.group", 0, 0, 0, 0, KF_READ | KF_WRITE | KF_CONV | KF_LOW, any, count) /* until all groups of the thread are there but the last b */ \
    X(LDMATRIX, "nvvm.ldmatrix", 1, 1, 1, 0, KF_READ | KF_CONV | KF_LOW, ldmatrix, matrix) /* as load_matrix, of a pointer */ \
    X(MMA, "nvvm.mma.sync", 3, 3, 1, 0, KF_CONV | KF_LOW, mma, mma) /* of a warp: 16 rows of a times 8 columns of b, 32 bytes of k, added to c; flags: XG_KMMA_*; a: which half of b's words */ \
    X(DESCRIPTOR, "nvvm.wgmma.descriptor", 1, 1, 1, 0, KF_PURE | KF_LOW, descriptor, strides) /* as describe_matrix, of a pointer */ \
    X(WGMMA, "nvvm.wgmma.mma_async", 3, 255, -1, 0, KF_READ | KF_CONV | KF_LOW, wgmma, wgmma) /* of a warp group: 64 rows of the matrix that operand 0 describes times as many columns of operand 1's as the sums are, 32 bytes of k, added to the sums: four for each eight columns, as of mma.sync. They are there behind the wait. flags: XG_KMMA_*, and which of both has its rows side by side */ \
    X(WGMMA_FENCE, "nvvm.wgmma.fence.aligned", 0, 0, 0, 0, KF_READ | KF_WRITE | KF_CONV | KF_LOW, any, count) /* what registers hold is seen by multiplications behind it */ \
    X(WGMMA_COMMIT, "nvvm.wgmma.commit.group.sync.aligned", 0, 0, 0, 0, KF_READ | KF_WRITE | KF_CONV | KF_LOW, any, count) /* the warp group's multiplications since the last one are a group */ \
    X(WGMMA_WAIT, "nvvm.wgmma.wait.group.sync.aligned", 0, 0, 0, 0, KF_READ | KF_WRITE | KF_CONV | KF_LOW, any, count) /* until all groups of the warp group are done but the last b */ \
    X(TENSOR_ALLOC, "nvvm.tcgen05.alloc.shared", 1, 1, 0, 0, KF_READ | KF_WRITE | KF_CONV | KF_LOW, mbarrier, amount) /* of a whole warp: b columns of tensor memory become the block's; their address goes to the four bytes of shared memory that the pointer names */ \
    X(TENSOR_FREE, "nvvm.tcgen05.dealloc", 1, 1, 0, 0, KF_READ | KF_WRITE | KF_CONV | KF_LOW, tensor_place, amount) /* of a whole warp: gives b columns from this address (an i32) back */ \
    X(TENSOR_MMA, "nvvm.tcgen05.mma", 4, 4, 0, 0, KF_READ | KF_WRITE | KF_CONV | KF_LOW, tensor_mma, tensor_mma) /* of one thread: 128 rows of the matrix that operand 1 describes, or that lies in tensor memory where operand 1, an i32, says, times b columns of operand 2's, 32 bytes of k, to the address in tensor memory that is operand 0; operand 3, an i1, says whether they are added to what is there. flags: as of wgmma */ \
    X(TENSOR_COMMIT, "nvvm.tcgen05.commit.arrive.shared", 1, 1, 0, 0, KF_READ | KF_WRITE | KF_CONV | KF_LOW, mbarrier, amount) /* one arrival at a barrier when all multiplications of the thread so far are done; b: blocks of the cluster whose barriers hear of it, as bits, 0 the own one */ \
    X(TENSOR_READ, "nvvm.tcgen05.ld.16x256b", 1, 1, -1, 0, KF_READ | KF_CONV | KF_LOW, tensor_read, tensor_read) /* of a whole warp: 16 lanes of b columns of tensor memory from this address, as many vectors of four as there are eight columns, which lie as sums of mma.sync */ \
    X(TENSOR_WRITE, "nvvm.tcgen05.st", 2, 255, 0, 0, KF_READ | KF_WRITE | KF_CONV | KF_LOW, tensor_write, amount) /* of a whole warp: vectors of four words to 16 lanes of tensor memory from this address on, eight columns each; those of f32 lie as sums of mma.sync, those of i32 as its first factor */ \
    X(TENSOR_BEFORE, "nvvm.tcgen05.fence.before_thread_sync", 0, 0, 0, 0, KF_READ | KF_WRITE | KF_CONV | KF_LOW, any, count) /* what the thread did with tensor memory comes before what other threads do behind the next barrier */ \
    X(TENSOR_AFTER, "nvvm.tcgen05.fence.after_thread_sync", 0, 0, 0, 0, KF_READ | KF_WRITE | KF_CONV | KF_LOW, any, count) /* ... and behind a barrier */ \
    X(PROXY_FENCE, "nvvm.fence.proxy.async", 0, 0, 0, 0, KF_READ | KF_WRITE | KF_CONV | KF_LOW, any, count) /* what the thread wrote to shared memory is seen by multiplications of warp groups behind a barrier */ \
    X(MBARRIER_INIT, "nvvm.mbarrier.init.shared", 1, 1, 0, 0, KF_READ | KF_WRITE | KF_CONV | KF_LOW, mbarrier, amount) /* pointer to eight bytes of shared memory: a barrier whose phases end with b arrivals */ \
    X(MBARRIER_EXPECT, "nvvm.mbarrier.arrive.expect_tx.shared", 1, 1, 0, 0, KF_READ | KF_WRITE | KF_CONV | KF_LOW, mbarrier, amount) /* one arrival; the phase also waits for b bytes of tensor copies */ \
    X(MBARRIER_ARRIVE, "nvvm.mbarrier.arrive.shared", 1, 1, 0, 0, KF_READ | KF_WRITE | KF_CONV | KF_LOW, mbarrier, amount) /* also in another block of the cluster */ \
    X(MBARRIER_WAIT, "nvvm.mbarrier.try_wait.parity.shared", 2, 2, 0, 0, KF_READ | KF_WRITE | KF_CONV | KF_LOW, mbarrier_wait, amount) /* until the phase of this parity (an i32) has ended */ \
    X(TENSOR_COPY, "nvvm.cp.async.bulk.tensor.shared.cluster.global", 3, 8, 0, 0, KF_READ | KF_WRITE | KF_CONV | KF_LOW, tensor_copy, amount) /* pointer to shared memory, to a barrier, then i32 coordinates, innermost first: a box of the entry's tensor map b; a: blocks of the cluster that get it, as bits, 0 the own one */ \
    X(STMATRIX, "nvvm.stmatrix", 2, 2, 0, 0, KF_WRITE | KF_CONV | KF_LOW, stmatrix, amount) /* of a whole warp: pointer to shared memory, four words: the reverse of ldmatrix; lane 8 k + r points at row r of matrix k */ \
    X(TENSOR_STORE, "nvvm.cp.async.bulk.tensor.global.shared.cta", 2, 7, 0, 0, KF_READ | KF_WRITE | KF_CONV | KF_LOW, tensor_store, amount) /* pointer to shared memory, then i32 coordinates, innermost first: from there to a box of the entry's tensor map b, as far as it lies in the array */ \
    X(BULK_COMMIT, "nvvm.cp.async.bulk.commit.group", 0, 0, 0, 0, KF_READ | KF_WRITE | KF_CONV | KF_LOW, any, count) /* the thread's tensor stores since the last one are a group */ \
    X(BULK_WAIT, "nvvm.cp.async.bulk.wait.group", 0, 0, 0, 0, KF_READ | KF_WRITE | KF_CONV | KF_LOW, any, count) /* until all groups of the thread are there but the last b */ \
    X(BULK_WAIT_READ, "nvvm.cp.async.bulk.wait.group.read", 0, 0, 0, 0, KF_READ | KF_WRITE | KF_CONV | KF_LOW, any, count) /* until all groups of the thread but the last b have left shared memory */ \
    X(MBARRIER_FENCE, "nvvm.fence.mbarrier.init", 0, 0, 0, 0, KF_READ | KF_WRITE | KF_CONV | KF_LOW, any, count) /* barriers that the thread began are seen by the cluster behind its barrier */ \
    X(REGISTERS_MORE, "nvvm.setmaxregister.increase", 0, 0, 0, 0, KF_READ | KF_WRITE | KF_CONV | KF_LOW, any, amount) /* of a warp group: each thread has b registers from here on */ \
    X(REGISTERS_LESS, "nvvm.setmaxregister.decrease", 0, 0, 0, 0, KF_READ | KF_WRITE | KF_CONV | KF_LOW, any, amount) \
    X(ASYNC_WAIT, "nvvm.cp.async.wait.all", 0, 0, 0, 0, KF_READ | KF_WRITE | KF_CONV | KF_LOW, any, team) \
    X(RED_ADDI, "llvm.atomicrmw.add", 2, 2, 0, 0, KF_READ | KF_WRITE | KF_LOW, store, store) /* value, pointer, as all of these */ \
    X(RED_ADDF, "llvm.atomicrmw.fadd", 2, 2, 0, 0, KF_READ | KF_WRITE | KF_LOW, store, store) \
    X(RED_AND, "llvm.atomicrmw.and", 2, 2, 0, 0, KF_READ | KF_WRITE | KF_LOW, store, store) \
    X(RED_OR, "llvm.atomicrmw.or", 2, 2, 0, 0, KF_READ | KF_WRITE | KF_LOW, store, store) \
    X(RED_XOR, "llvm.atomicrmw.xor", 2, 2, 0, 0, KF_READ | KF_WRITE | KF_LOW, store, store) \
    X(RED_MAXS, "llvm.atomicrmw.max", 2, 2, 0, 0, KF_READ | KF_WRITE | KF_LOW, store, store) \
    X(RED_MINS, "llvm.atomicrmw.min", 2, 2, 0, 0, KF_READ | KF_WRITE | KF_LOW, store, store) \
    X(RED_MAXU, "llvm.atomicrmw.umax", 2, 2, 0, 0, KF_READ | KF_WRITE | KF_LOW, store, store) \
    X(RED_MINU, "llvm.atomicrmw.umin", 2, 2, 0, 0, KF_READ | KF_WRITE | KF_LOW, store, store) \
    X(ATOM_INC, "llvm.atomicrmw.uinc_wrap", 2, 2, 1, 0, KF_READ | KF_WRITE | KF_LOW, cmpxchg, cmpxchg) /* i32, pointer -> what was there: one more is stored, 0 behind this number. What threads of the block did in front of a barrier before it is seen by those behind one after a later such operation on the place, by any block */ \
    X(ATOM_ADD, "llvm.atomicrmw.add.shared", 2, 2, 1, 0, KF_READ | KF_WRITE | KF_LOW, cmpxchg, cmpxchg) /* i32, pointer to shared memory -> what was there: their sum is stored */ \
    X(ATOM_CAS, "llvm.cmpxchg", 3, 3, 1, 0, KF_READ | KF_WRITE | KF_LOW, cmpxchg, cmpxchg) /* expected value, pointer, new value -> what was there; stored if that was expected */ \
    X(SHARED_PTR, "llvm.mlir.addressof", 0, 0, 1, 0, KF_PURE | KF_LOW, ptr_result, symbol) /* a: bytes, b: alignment of the static shared array named p */ \
    X(MAPA, "nvvm.mapa.shared.cluster", 2, 2, 1, 0, KF_PURE | KF_LOW, mapa, result) /* shared pointer, i32 -> a pointer to that place of the block of this rank in the cluster */ \
    X(BARRIER, "nvvm.barrier0", 0, 0, 0, 0, KF_CONV | KF_READ | KF_WRITE | KF_LOW, any, team) /* a, b: as of sync_threads */
/* The words of the last two columns: a switch over these is short, where one over all operations is not. */
#define XG_KIR_CHECKS(X) \
    X(any) X(call) X(for) X(if) X(while) X(loop) X(id) X(apply) X(extract) X(insert) X(transfer_read) \
    X(transfer_write) X(vextract) X(vinsert) X(broadcast) X(atomic_rmw) X(tensor_result) X(sync) X(peer) X(view) \
    X(load_matrix) X(describe_matrix) X(shared_at) X(shuffle_reduce) X(select) X(cmpi) X(cmpf) X(int2) X(int1) \
    X(ext) X(trunc) X(index_cast) X(int_to_float) X(float_to_int) X(extf) X(truncf) X(bitcast) \
    X(complex_create) X(complex_part) X(float2) X(float1) X(float3) X(wide) X(int3) X(shuffle) X(ptr_add) \
    X(load) X(store) X(async_copy) X(ldmatrix) X(mma) X(descriptor) X(wgmma) X(mbarrier) X(tensor_place) \
    X(tensor_mma) X(tensor_read) X(tensor_write) X(mbarrier_wait) X(tensor_copy) X(stmatrix) X(tensor_store) \
    X(cmpxchg) X(ptr_result) X(mapa)
#define XG_KIR_FORMS(X) \
    X(values) X(call) X(for) X(if) X(while) X(condition) X(loop) X(axis_range) X(map) X(extract) X(insert) \
    X(read) X(write) X(vextract) X(vinsert) X(atomic_rmw) X(aligned) X(team) X(result) X(retyped) X(matrix) \
    X(strides) X(shuffle_reduce) X(constant) X(cmpi) X(cmpf) X(none) X(cast) X(part) X(scale) X(load) X(store) \
    X(count) X(mma) X(wgmma) X(amount) X(tensor_mma) X(tensor_read) X(cmpxchg) X(symbol) X(approx)
/* clang-format on */

#endif /* XG_KIR_OPS_H */
