/* ptx/isel.c -- THE instruction table: which PTX line an operation becomes.
 *
 * A row says: this operation, on these types of operand 0 (results when there is none) and of the result, on targets
 * from `cc` on, with PTX ISA `isa` or newer, is this text. The first row that fits is taken, so newer or narrower rows
 * stand first. Adding a row is all it takes.
 *
 * In a text, lines are separated by '|'. $d is the result (only the last line may write it), $0 $1 $2 the operands, $n1
 * operand 1 narrowed to 32 bits, $p the address that operand 1 is, $t $q $h $s temporaries of 32, 64 bits, a predicate,
 * 16 bits, $f ".ftz" where the module flushes subnormals, $c the condition of a compare (for integers with its sign
 * letter, "lt.u"), $x the axis of an id, $b which barrier, and how many
 * threads wait there if not all do, $v the lanes of operand 0 in braces, $l how many (".v4"). */
#ifndef XG_PTX_ISEL_C
#define XG_PTX_ISEL_C
#include "ptx.h"

/* Sets of element types: X(word, elements). An index is left only in the ids of threads and blocks and their casts,
 * where 32 bits hold it. A pointer is PG (global, 64 bits) or PS (shared, 32 bits). ANY stands first. */
/* clang-format off */
#define XG_PTX_OF(e) (1u << XG_E_##e)
#define XG_PTX_NARROW (XG_PTX_OF(I8) | XG_PTX_OF(I16))
#define XG_PTX_SETS(X) \
    X(ANY, 0) X(I1, XG_PTX_OF(I1)) X(I8, XG_PTX_OF(I8)) X(I16, XG_PTX_OF(I16)) X(I32, XG_PTX_OF(I32)) \
    X(I64, XG_PTX_OF(I64)) X(INDEX, XG_PTX_OF(INDEX)) X(BF16, XG_PTX_OF(BF16)) X(F16, XG_PTX_OF(F16)) \
    X(F32, XG_PTX_OF(F32)) X(F64, XG_PTX_OF(F64)) X(E4M3, XG_PTX_OF(F8E4M3FN)) X(E5M2, XG_PTX_OF(F8E5M2)) \
    X(PG, 1u << 30) X(PS, 1u << 29) X(S, XG_PTX_NARROW) X(SH, XG_PTX_OF(I32) | XG_PTX_OF(F32)) \
    X(H, XG_PTX_OF(BF16) | XG_PTX_OF(F16)) \
    X(R, XG_PTX_NARROW | XG_PTX_OF(I32) | XG_PTX_OF(F8E5M2) | XG_PTX_OF(F8E4M3) | XG_PTX_OF(F8E4M3FN) | \
        XG_PTX_OF(F8E3M4) | XG_PTX_OF(F8E4M3B11FNUZ) | XG_PTX_OF(F8E5M2FNUZ) | XG_PTX_OF(F8E4M3FNUZ) | \
        XG_PTX_OF(F8E8M0FNU) | XG_PTX_OF(F4E2M1FN) | XG_PTX_OF(F6E2M3FN) | XG_PTX_OF(F6E3M2FN))
/* clang-format on */
enum {
#define X(word, elements) XG_PT_##word,
    XG_PTX_SETS(X)
#undef X
};
XG_TABLE const uint32_t xg_ptx_sets[] = {
#define X(word, elements) elements,
    XG_PTX_SETS(X)
#undef X
};

/* X(OP, operand type, result type, cc, isa, flags, text); type words are pasted on XG_PT_. XA: on every target, without
 * flags. */
/* clang-format off */
#define XG_PTX_FIRST_ROWS(X, XA) \
    XA(THREAD_ID, I32, ANY, "mov.u32 $d, %tid.$x") \
    XA(THREAD_ID, INDEX, ANY, "mov.u32 $d, %tid.$x") \
    XA(THREAD_ID, I64, ANY, "mov.u32 $t, %tid.$x|cvt.u64.u32 $d, $t") \
    XA(BLOCK_ID, I32, ANY, "mov.u32 $d, %ctaid.$x") \
    XA(BLOCK_ID, INDEX, ANY, "mov.u32 $d, %ctaid.$x") \
    XA(INDEX_CAST, INDEX, I64, "cvt.u64.u32 $d, $0") \
    XA(BLOCK_ID, I64, ANY, "mov.u32 $t, %ctaid.$x|cvt.u64.u32 $d, $t") \
    X(SELECT, ANY, H, 0, 0, XG_PI_IMM16, "selp.b16 $d, $1, $2, $0") \
    XA(SELECT, ANY, R, "selp.b32 $d, $1, $2, $0") \
    XA(SELECT, ANY, PS, "selp.b32 $d, $1, $2, $0") \
    XA(SELECT, ANY, I64, "selp.b64 $d, $1, $2, $0") \
    XA(SELECT, ANY, PG, "selp.b64 $d, $1, $2, $0") \
    XA(SELECT, ANY, F32, "selp.f32 $d, $1, $2, $0") \
    XA(SELECT, ANY, F64, "selp.f64 $d, $1, $2, $0") \
    XA(CMPI, I32, ANY, "setp.$c32 $d, $0, $1") \
    XA(CMPI, I64, ANY, "setp.$c64 $d, $0, $1") \
    XA(CMPF, F32, ANY, "setp.$c$f.f32 $d, $0, $1") \
    XA(CMPF, F64, ANY, "setp.$c.f64 $d, $0, $1") \
    XA(CMPF, F16, ANY, "setp.$c.f16 $d, $0, $1") \
    X(CMPF, BF16, ANY, 90, 78, 0, "setp.$c.bf16 $d, $0, $1") \
    XA(ADDI, R, ANY, "add.s32 $d, $0, $1") \
    XA(ADDI, I64, ANY, "add.s64 $d, $0, $1") \
    XA(SUBI, R, ANY, "sub.s32 $d, $0, $1") \
    XA(SUBI, I64, ANY, "sub.s64 $d, $0, $1") \
    XA(MULI, R, ANY, "mul.lo.s32 $d, $0, $1") \
    XA(MULI, I64, ANY, "mul.lo.s64 $d, $0, $1") \
    XA(MULHSI, I32, ANY, "mul.hi.s32 $d, $0, $1") \
    XA(MULHSI, I64, ANY, "mul.hi.s64 $d, $0, $1") \
    XA(MULHUI, I32, ANY, "mul.hi.u32 $d, $0, $1") \
    XA(MULHUI, I64, ANY, "mul.hi.u64 $d, $0, $1") \
    XA(DIVSI, I32, ANY, "div.s32 $d, $0, $1") \
    XA(DIVSI, I64, ANY, "div.s64 $d, $0, $1") \
    XA(DIVUI, I32, ANY, "div.u32 $d, $0, $1") \
    XA(DIVUI, I64, ANY, "div.u64 $d, $0, $1") \
    XA(REMSI, I32, ANY, "rem.s32 $d, $0, $1") \
    XA(REMSI, I64, ANY, "rem.s64 $d, $0, $1") \
    XA(REMUI, I32, ANY, "rem.u32 $d, $0, $1") \
    XA(REMUI, I64, ANY, "rem.u64 $d, $0, $1") \
    XA(ANDI, I1, ANY, "and.pred $d, $0, $1") \
    XA(ANDI, R, ANY, "and.b32 $d, $0, $1") \
    XA(ANDI, I64, ANY, "and.b64 $d, $0, $1") \
    XA(ORI, I1, ANY, "or.pred $d, $0, $1") \
    XA(ORI, R, ANY, "or.b32 $d, $0, $1") \
    XA(ORI, I64, ANY, "or.b64 $d, $0, $1") \
    XA(XORI, I1, ANY, "xor.pred $d, $0, $1") \
    XA(XORI, R, ANY, "xor.b32 $d, $0, $1") \
    XA(XORI, I64, ANY, "xor.b64 $d, $0, $1") \
    XA(SHLI, R, ANY, "shl.b32 $d, $0, $1") \
    XA(SHLI, I64, ANY, "shl.b64 $d, $0, $n1") \
    XA(SHRUI, I32, ANY, "shr.u32 $d, $0, $1") \
    XA(SHRUI, I64, ANY, "shr.u64 $d, $0, $n1") \
    XA(SHRSI, I32, ANY, "shr.s32 $d, $0, $1") \
    XA(SHRSI, I64, ANY, "shr.s64 $d, $0, $n1") \
    XA(MAXSI, I32, ANY, "max.s32 $d, $0, $1") \
    XA(MAXSI, I64, ANY, "max.s64 $d, $0, $1") \
    XA(MINSI, I32, ANY, "min.s32 $d, $0, $1") \
    XA(MINSI, I64, ANY, "min.s64 $d, $0, $1") \
    XA(MAXUI, I32, ANY, "max.u32 $d, $0, $1") \
    XA(MAXUI, I64, ANY, "max.u64 $d, $0, $1") \
    XA(MINUI, I32, ANY, "min.u32 $d, $0, $1") \
    XA(MINUI, I64, ANY, "min.u64 $d, $0, $1") \
    XA(CTPOP, I32, ANY, "popc.b32 $d, $0") \
    XA(CTPOP, I64, ANY, "popc.b64 $t, $0|cvt.u64.u32 $d, $t") \
    XA(CTLZ, I32, ANY, "clz.b32 $d, $0") \
    XA(CTLZ, I64, ANY, "clz.b64 $t, $0|cvt.u64.u32 $d, $t") \
    XA(EXTSI, I1, R, "selp.s32 $d, -1, 0, $0") \
    XA(EXTSI, I1, I64, "selp.s64 $d, -1, 0, $0") \
    XA(EXTSI, I8, R, "cvt.s32.s8 $d, $0") \
    XA(EXTSI, I8, I64, "cvt.s64.s8 $d, $0") \
    XA(EXTSI, I16, I32, "cvt.s32.s16 $d, $0") \
    XA(EXTSI, I16, I64, "cvt.s64.s16 $d, $0") \
    XA(EXTSI, I32, I64, "cvt.s64.s32 $d, $0") \
    XA(EXTUI, I1, R, "selp.u32 $d, 1, 0, $0") \
    XA(EXTUI, I1, I64, "selp.u64 $d, 1, 0, $0") \
    XA(EXTUI, I8, R, "and.b32 $d, $0, 255") \
    XA(EXTUI, I8, I64, "cvt.u64.u8 $d, $0") \
    XA(EXTUI, I16, I32, "and.b32 $d, $0, 65535") \
    XA(EXTUI, I16, I64, "cvt.u64.u16 $d, $0") \
    XA(EXTUI, I32, I64, "cvt.u64.u32 $d, $0") \
    XA(TRUNCI, R, I1, "and.b32 $t, $0, 1|setp.ne.u32 $d, $t, 0") \
    XA(TRUNCI, I64, I1, "and.b64 $q, $0, 1|setp.ne.u64 $d, $q, 0") \
    XA(TRUNCI, I64, R, "cvt.u32.u64 $d, $0") \
    XA(SITOFP, I8, F32, "cvt.rn.f32.s8 $d, $0") \
    XA(SITOFP, I16, F32, "cvt.rn.f32.s16 $d, $0") \
    XA(SITOFP, I32, F32, "cvt.rn.f32.s32 $d, $0") \
    XA(SITOFP, I64, F32, "cvt.rn.f32.s64 $d, $0") \
    XA(SITOFP, I32, F64, "cvt.rn.f64.s32 $d, $0") \
    XA(SITOFP, I64, F64, "cvt.rn.f64.s64 $d, $0") \
    XA(UITOFP, I8, F32, "cvt.rn.f32.u8 $d, $0") \
    XA(UITOFP, I16, F32, "cvt.rn.f32.u16 $d, $0") \
    XA(UITOFP, I32, F32, "cvt.rn.f32.u32 $d, $0") \
    XA(UITOFP, I64, F32, "cvt.rn.f32.u64 $d, $0") \
    XA(UITOFP, I32, F64, "cvt.rn.f64.u32 $d, $0") \
    XA(UITOFP, I64, F64, "cvt.rn.f64.u64 $d, $0") \
    XA(UITOFP, I1, F32, "selp.f32 $d, 0f3F800000, 0f00000000, $0") \
    XA(UITOFP, I1, F64, "selp.f64 $d, 0d3FF0000000000000, 0d0000000000000000, $0") \
    XA(FPTOSI, F32, I32, "cvt.rzi.s32.f32 $d, $0") \
    XA(FPTOSI, F32, I64, "cvt.rzi.s64.f32 $d, $0") \
    XA(FPTOSI, F64, I32, "cvt.rzi.s32.f64 $d, $0") \
    XA(FPTOSI, F64, I64, "cvt.rzi.s64.f64 $d, $0") \
    XA(FPTOUI, F32, I32, "cvt.rzi.u32.f32 $d, $0") \
    XA(FPTOUI, F32, I64, "cvt.rzi.u64.f32 $d, $0") \
    XA(FPTOUI, F64, I32, "cvt.rzi.u32.f64 $d, $0") \
    XA(FPTOUI, F64, I64, "cvt.rzi.u64.f64 $d, $0") \
    X(EXTF, BF16, F32, 90, 78, 0, "cvt.f32.bf16 $d, $0") \
    X(EXTF, E4M3, F16, 90, 78, 0, "cvt.u16.u32 $s, $0|cvt.rn.f16x2.e4m3x2 $t, $s|mov.b32 {$d, $s}, $t") \
    X(EXTF, E4M3, F16, 89, 81, 0, "cvt.u16.u32 $s, $0|cvt.rn.f16x2.e4m3x2 $t, $s|mov.b32 {$d, $s}, $t") \
    X(EXTF, E5M2, F16, 90, 78, 0, "cvt.u16.u32 $s, $0|cvt.rn.f16x2.e5m2x2 $t, $s|mov.b32 {$d, $s}, $t") \
    X(EXTF, E5M2, F16, 89, 81, 0, "cvt.u16.u32 $s, $0|cvt.rn.f16x2.e5m2x2 $t, $s|mov.b32 {$d, $s}, $t") \
    XA(EXTF, BF16, F32, "mov.b32 $d, {0, $0}") \
    XA(EXTF, F16, F32, "cvt.f32.f16 $d, $0") \
    XA(EXTF, F16, F64, "cvt.f64.f16 $d, $0") \
    XA(EXTF, F32, F64, "cvt.f64.f32 $d, $0") \
    X(TRUNCF, F32, BF16, 80, 70, 0, "cvt.rn.bf16.f32 $d, $0") \
    X(TRUNCF, F32, E4M3, 90, 78, 0, "cvt.rn.satfinite.e4m3x2.f32 $s, 0f00000000, $0|cvt.u32.u16 $d, $s") \
    X(TRUNCF, F32, E4M3, 89, 81, 0, "cvt.rn.satfinite.e4m3x2.f32 $s, 0f00000000, $0|cvt.u32.u16 $d, $s") \
    X(TRUNCF, F32, E5M2, 90, 78, 0, "cvt.rn.satfinite.e5m2x2.f32 $s, 0f00000000, $0|cvt.u32.u16 $d, $s") \
    X(TRUNCF, F32, E5M2, 89, 81, 0, "cvt.rn.satfinite.e5m2x2.f32 $s, 0f00000000, $0|cvt.u32.u16 $d, $s") \
    XA(TRUNCF, F32, F16, "cvt.rn.f16.f32 $d, $0") \
    XA(TRUNCF, F64, F32, "cvt.rn$f.f32.f64 $d, $0") \
    XA(ADDF, F32, ANY, "add.rn$f.f32 $d, $0, $1") \
    XA(ADDF, F64, ANY, "add.rn.f64 $d, $0, $1") \
    XA(ADDF, F16, ANY, "add.rn.f16 $d, $0, $1") \
    X(ADDF, BF16, ANY, 90, 78, 0, "add.rn.bf16 $d, $0, $1") \
    XA(SUBF, F32, ANY, "sub.rn$f.f32 $d, $0, $1") \
    XA(SUBF, F64, ANY, "sub.rn.f64 $d, $0, $1") \
    XA(SUBF, F16, ANY, "sub.rn.f16 $d, $0, $1") \
    X(SUBF, BF16, ANY, 90, 78, 0, "sub.rn.bf16 $d, $0, $1") \
    XA(MULF, F32, ANY, "mul.rn$f.f32 $d, $0, $1") \
    XA(MULF, F64, ANY, "mul.rn.f64 $d, $0, $1") \
    XA(MULF, F16, ANY, "mul.rn.f16 $d, $0, $1") \
    X(MULF, BF16, ANY, 90, 78, 0, "mul.rn.bf16 $d, $0, $1") \
    X(DIVF, F32, ANY, 0, 0, XG_PI_ONE, "rcp.rn$f.f32 $d, $1") \
    X(DIVF, F64, ANY, 0, 0, XG_PI_ONE, "rcp.rn.f64 $d, $1") \
    XA(DIVF, F32, ANY, "div.rn$f.f32 $d, $0, $1") \
    XA(DIVF, F64, ANY, "div.rn.f64 $d, $0, $1") \
    XA(NEGF, F32, ANY, "neg$f.f32 $d, $0") \
    XA(NEGF, F64, ANY, "neg.f64 $d, $0") \
    XA(NEGF, F16, ANY, "neg.f16 $d, $0") \
    X(NEGF, BF16, ANY, 80, 70, 0, "neg.bf16 $d, $0") \
    XA(ABSF, F32, ANY, "abs$f.f32 $d, $0") \
    XA(ABSF, F64, ANY, "abs.f64 $d, $0") \
    X(ABSF, F16, ANY, 0, 65, 0, "abs.f16 $d, $0") \
    X(ABSF, BF16, ANY, 80, 70, 0, "abs.bf16 $d, $0") \
    X(MAXF, F32, ANY, 80, 70, 0, "max.NaN$f.f32 $d, $0, $1") \
    X(MAXF, F16, ANY, 80, 70, 0, "max.NaN.f16 $d, $0, $1") \
    X(MAXF, BF16, ANY, 80, 70, 0, "max.NaN.bf16 $d, $0, $1") \
    X(MINF, F32, ANY, 80, 70, 0, "min.NaN$f.f32 $d, $0, $1") \
    X(MINF, F16, ANY, 80, 70, 0, "min.NaN.f16 $d, $0, $1") \
    X(MINF, BF16, ANY, 80, 70, 0, "min.NaN.bf16 $d, $0, $1")
#define XG_PTX_OTHER_ROWS(X, XA) \
    XA(MAXNUMF, F32, ANY, "max$f.f32 $d, $0, $1") \
    XA(MAXNUMF, F64, ANY, "max.f64 $d, $0, $1") \
    X(MAXNUMF, F16, ANY, 80, 70, 0, "max.f16 $d, $0, $1") \
    X(MAXNUMF, BF16, ANY, 80, 70, 0, "max.bf16 $d, $0, $1") \
    XA(MINNUMF, F32, ANY, "min$f.f32 $d, $0, $1") \
    XA(MINNUMF, F64, ANY, "min.f64 $d, $0, $1") \
    X(MINNUMF, F16, ANY, 80, 70, 0, "min.f16 $d, $0, $1") \
    X(MINNUMF, BF16, ANY, 80, 70, 0, "min.bf16 $d, $0, $1") \
    XA(FMA, F32, ANY, "fma.rn$f.f32 $d, $0, $1, $2") \
    XA(FMA, F64, ANY, "fma.rn.f64 $d, $0, $1, $2") \
    XA(FMA, F16, ANY, "fma.rn.f16 $d, $0, $1, $2") \
    X(FMA, BF16, ANY, 80, 70, 0, "fma.rn.bf16 $d, $0, $1, $2") \
    XA(COPYSIGN, F32, ANY, "copysign.f32 $d, $1, $0") \
    XA(COPYSIGN, F64, ANY, "copysign.f64 $d, $1, $0") \
    XA(FLOOR, F32, ANY, "cvt.rmi$f.f32.f32 $d, $0") \
    XA(FLOOR, F64, ANY, "cvt.rmi.f64.f64 $d, $0") \
    XA(FLOOR, F16, ANY, "cvt.rmi.f16.f16 $d, $0") \
    XA(CEIL, F32, ANY, "cvt.rpi$f.f32.f32 $d, $0") \
    XA(CEIL, F64, ANY, "cvt.rpi.f64.f64 $d, $0") \
    XA(CEIL, F16, ANY, "cvt.rpi.f16.f16 $d, $0") \
    XA(TRUNC, F32, ANY, "cvt.rzi$f.f32.f32 $d, $0") \
    XA(TRUNC, F64, ANY, "cvt.rzi.f64.f64 $d, $0") \
    XA(TRUNC, F16, ANY, "cvt.rzi.f16.f16 $d, $0") \
    XA(ROUNDEVEN, F32, ANY, "cvt.rni$f.f32.f32 $d, $0") \
    XA(ROUNDEVEN, F64, ANY, "cvt.rni.f64.f64 $d, $0") \
    XA(ROUNDEVEN, F16, ANY, "cvt.rni.f16.f16 $d, $0") \
    XA(SQRT, F32, ANY, "sqrt.rn$f.f32 $d, $0") \
    XA(SQRT, F64, ANY, "sqrt.rn.f64 $d, $0") \
    XA(EX2A, F32, ANY, "ex2.approx$a.f32 $d, $0") \
    XA(LG2A, F32, ANY, "lg2.approx$a.f32 $d, $0") \
    XA(RCPA, F32, ANY, "rcp.approx$a.f32 $d, $0") \
    XA(RCPA, F64, ANY, "rcp.approx.ftz.f64 $d, $0") \
    XA(RSQRTA, F32, ANY, "rsqrt.approx$a.f32 $d, $0") \
    XA(RSQRTA, F64, ANY, "rsqrt.approx.ftz.f64 $d, $0") \
    XA(DIVFULL, F32, ANY, "div.full$f.f32 $d, $0, $1") \
    XA(MULWIDES, I32, ANY, "mul.wide.s32 $d, $0, $1") \
    XA(MULWIDEU, I32, ANY, "mul.wide.u32 $d, $0, $1") \
    XA(SHFL3, I32, ANY, "shf.r.wrap.b32 $d, $1, $0, $2") \
    XA(PRMT, I32, ANY, "prmt.b32 $d, $0, $1, $2") \
    XA(MASKXOR, I32, ANY, "lop3.b32 $d, $0, $1, $2, 0x6A") \
    XA(MADI, I32, ANY, "mad.lo.s32 $d, $0, $1, $2") \
    X(SUBBF2, I32, ANY, 90, 78, XG_PI_REG, "sub.rn.bf16x2 $d, $0, $1") \
    X(SUBBF2, I32, ANY, 80, 70, XG_PI_REG, "mov.b32 $t, 0xBF80BF80|fma.rn.bf16x2 $d, $1, $t, $0") \
    X(MULBF2, I32, ANY, 90, 78, XG_PI_REG, "mul.rn.bf16x2 $d, $0, $1") \
    X(MULBF2, I32, ANY, 80, 70, XG_PI_REG, "mov.b32 $t, 0x80008000|fma.rn.bf16x2 $d, $0, $1, $t") \
    X(MULH2, I32, ANY, 0, 0, XG_PI_REG, "mul.rn.f16x2 $d, $0, $1") \
    X(SUBH2, I32, ANY, 0, 0, XG_PI_REG, "sub.rn.f16x2 $d, $0, $1") \
    X(CVTBF2, F32, ANY, 80, 70, XG_PI_REG, "cvt.rn.bf16x2.f32 $d, $1, $0") \
    X(CVTH2, F32, ANY, 80, 70, XG_PI_REG, "cvt.rn.f16x2.f32 $d, $1, $0") \
    X(MAXF3, F32, ANY, 100, 88, XG_PI_REG, "max.NaN.f32 $d, $0, $1, $2") \
    X(MAXA3, F32, ANY, 100, 88, XG_PI_REG, "max.NaN.abs.f32 $d, $0, $1, $2") \
    X(FMABF2, I32, ANY, 80, 70, XG_PI_REG, "fma.rn.bf16x2 $d, $0, $1, $2") \
    X(FMAF2, I64, ANY, 100, 86, XG_PI_REG, "fma.rn.f32x2 $d, $0, $1, $2") \
    XA(VOTEANY, I1, ANY, "vote.sync.any.pred $d, $0, -1") \
    XA(RED_ADDI, I32, ANY, "red.global.add.u32 $p, $0") \
    XA(RED_ADDI, I64, ANY, "red.global.add.u64 $p, $0") \
    X(RED_ADDF, F32, ANY, 90, 81, XG_PI_VECTOR, "red.global.add$l.f32 $p, $v") \
    X(RED_ADDF, F16, ANY, 90, 81, XG_PI_VECTOR, "red.global.add.noftz$l.f16 $p, $v") \
    X(RED_ADDF, BF16, ANY, 90, 81, XG_PI_VECTOR, "red.global.add.noftz$l.bf16 $p, $v") \
    XA(RED_ADDF, F32, ANY, "red.global.add.f32 $p, $0") \
    X(RED_ADDF, F64, ANY, 60, 50, 0, "red.global.add.f64 $p, $0") \
    X(RED_ADDF, F16, ANY, 70, 63, 0, "red.global.add.noftz.f16 $p, $0") \
    X(RED_ADDF, BF16, ANY, 90, 78, 0, "red.global.add.noftz.bf16 $p, $0") \
    XA(RED_AND, I32, ANY, "red.global.and.b32 $p, $0") \
    XA(RED_AND, I64, ANY, "red.global.and.b64 $p, $0") \
    XA(RED_OR, I32, ANY, "red.global.or.b32 $p, $0") \
    XA(RED_OR, I64, ANY, "red.global.or.b64 $p, $0") \
    XA(RED_XOR, I32, ANY, "red.global.xor.b32 $p, $0") \
    XA(RED_XOR, I64, ANY, "red.global.xor.b64 $p, $0") \
    XA(RED_MAXS, I32, ANY, "red.global.max.s32 $p, $0") \
    XA(RED_MAXS, I64, ANY, "red.global.max.s64 $p, $0") \
    XA(RED_MINS, I32, ANY, "red.global.min.s32 $p, $0") \
    XA(RED_MINS, I64, ANY, "red.global.min.s64 $p, $0") \
    XA(RED_MAXU, I32, ANY, "red.global.max.u32 $p, $0") \
    XA(RED_MAXU, I64, ANY, "red.global.max.u64 $p, $0") \
    XA(RED_MINU, I32, ANY, "red.global.min.u32 $p, $0") \
    XA(RED_MINU, I64, ANY, "red.global.min.u64 $p, $0") \
    X(ATOM_INC, I32, ANY, 70, 60, 0, "atom.acq_rel.gpu.global.inc.u32 $d, $p, $0") \
    XA(ATOM_ADD, I32, ANY, "atom.shared.add.u32 $d, $p, $0") \
    X(ATOM_CAS, F16, ANY, 70, 63, 0, "atom.global.cas.b16 $d, $p, $0, $2") \
    XA(ATOM_CAS, I32, ANY, "atom.global.cas.b32 $d, $p, $0, $2") \
    XA(ATOM_CAS, I64, ANY, "atom.global.cas.b64 $d, $p, $0, $2") \
    XA(SHFLDOWN, SH, ANY, "shfl.sync.down.b32 $d, $0, $1, 31, -1") \
    XA(SHFLUP, SH, ANY, "shfl.sync.up.b32 $d, $0, $1, 0, -1") \
    XA(SHFLBFLY, SH, ANY, "shfl.sync.bfly.b32 $d, $0, $1, 31, -1") \
    XA(SHFLIDX, SH, ANY, "shfl.sync.idx.b32 $d, $0, $1, 31, -1") \
    X(ASYNC_COMMIT, ANY, ANY, 80, 70, 0, "cp.async.commit_group") \
    X(ASYNC_WAIT_GROUP, ANY, ANY, 80, 70, 0, "cp.async.wait_group $b") \
    X(ASYNC_WAIT, ANY, ANY, 80, 70, 0, "cp.async.wait_all") \
    X(PROXY_FENCE, ANY, ANY, 90, 80, 0, "fence.proxy.async.shared::cta") \
    X(MBARRIER_FENCE, ANY, ANY, 90, 80, 0, "fence.mbarrier_init.release.cluster") \
    X(BULK_COMMIT, ANY, ANY, 90, 80, 0, "cp.async.bulk.commit_group") \
    X(BULK_WAIT, ANY, ANY, 90, 80, 0, "cp.async.bulk.wait_group $b") \
    X(BULK_WAIT_READ, ANY, ANY, 90, 80, 0, "cp.async.bulk.wait_group.read $b") \
    X(WGMMA_FENCE, ANY, ANY, 90, 80, XG_PI_LETTER, "wgmma.fence.sync.aligned") \
    X(WGMMA_COMMIT, ANY, ANY, 90, 80, XG_PI_LETTER, "wgmma.commit_group.sync.aligned") \
    X(WGMMA_WAIT, ANY, ANY, 90, 80, XG_PI_LETTER, "wgmma.wait_group.sync.aligned $b") \
    X(TENSOR_BEFORE, ANY, ANY, 100, 86, XG_PI_LETTER, "tcgen05.fence::before_thread_sync") \
    X(TENSOR_AFTER, ANY, ANY, 100, 86, XG_PI_LETTER, "tcgen05.fence::after_thread_sync") \
    X(REGISTERS_MORE, ANY, ANY, 90, 80, XG_PI_LETTER, "setmaxnreg.inc.sync.aligned.u32 $b") \
    X(REGISTERS_LESS, ANY, ANY, 90, 80, XG_PI_LETTER, "setmaxnreg.dec.sync.aligned.u32 $b") \
    XA(BARRIER, ANY, ANY, "bar.sync $b")
#define XG_PTX_ROWS(X, XA) XG_PTX_FIRST_ROWS(X, XA) XG_PTX_OTHER_ROWS(X, XA)
/* clang-format on */

#define XA(op, in, out, text) X(op, in, out, 0, 0, 0, text)
XG_TABLE const xg_ptx_row xg_ptx_rows[] = {
#define X(op, in, out, cc, isa, flags, text) \
    {XG_K_OP_##op, XG_PT_##in, XG_PT_##out, cc, isa, flags, (uint8_t)sizeof(text)},
    XG_PTX_ROWS(X, XA)
#undef X
};
/* Their texts, one behind the other, where pointers would take as much again; in two, since C99 promises no longer
 * ones. */
#define X(op, in, out, cc, isa, flags, text) text "\0"
static const struct xg_ptx_texts {
    char first[sizeof(XG_PTX_FIRST_ROWS(X, XA))], other[sizeof(XG_PTX_OTHER_ROWS(X, XA))];
} xg_ptx_texts = {XG_PTX_FIRST_ROWS(X, XA), XG_PTX_OTHER_ROWS(X, XA)};
#undef X
#define X(op, in, out, cc, isa, flags, text) +1
enum {
    XG_PTX_FIRST = 0 XG_PTX_FIRST_ROWS(X, XA)
};
#undef X
#undef XA

/* The bit of a type in the sets above, of a vector that of its elements; 0 for what no instruction takes (tensors). */
static uint32_t xg_ptx_type_bit(const xg_ktype *t) {
    if (t->kind == XG_TK_POINTER) return xg_ptx_sets[XG_KSPACE_IS_SHORT(t->space) ? XG_PT_PS : XG_PT_PG];
    return t->kind == XG_TK_SCALAR || t->kind == XG_TK_VECTOR ? 1u << t->elem : 0;
}

static void xg_ptx_index_make(xg_ptx_index *x) {
    size_t i, text = sizeof xg_ptx_texts - 1;
    for (i = 0; i <= XG_K_OP_COUNT; i++) x->first[i] = (uint16_t)XG_COUNT(xg_ptx_rows);
    for (i = XG_COUNT(xg_ptx_rows); i-- > 0;) {
        if (i + 1 == XG_PTX_FIRST) text--; /* the end of the first ones */
        text -= xg_ptx_rows[i].length;
        x->first[xg_ptx_rows[i].op] = (uint16_t)i; /* rows of one opcode stand together */
        x->text[xg_ptx_rows[i].op] = (uint16_t)text;
    }
}
static const char *xg_ptx_row_text(const xg_ptx_index *x, const xg_ptx_row *row) {
    const char *text = (const char *)&xg_ptx_texts + x->text[row->op]; /* one behind the other */
    const xg_ptx_row *r = xg_ptx_rows + x->first[row->op];
    for (; r < row; r++) text += r->length;
    return text;
}

/* The row for an operation on a target; NULL when it has none. `of_one`: a row for operand 0 being 1. */
static const xg_ptx_row *xg_ptx_find_row_of(const xg_ptx_index *x, const xg_target *t, xg_kopcode op,
    const xg_ktype *operand, const xg_ktype *result, bool of_one) {
    uint32_t out = result ? xg_ptx_type_bit(result) : 0, in = operand ? xg_ptx_type_bit(operand) : out;
    uint32_t vector = (operand && operand->kind == XG_TK_VECTOR) || (result && result->kind == XG_TK_VECTOR)
                          ? (uint32_t)XG_PI_VECTOR
                          : 0;
    uint32_t kind = vector | (of_one ? (uint32_t)XG_PI_ONE : 0);
    size_t i;
    for (i = x->first[op]; i < XG_COUNT(xg_ptx_rows) && xg_ptx_rows[i].op == (uint16_t)op; i++) {
        const xg_ptx_row *r = &xg_ptx_rows[i];
        if ((r->in == XG_PT_ANY || (xg_ptx_sets[r->in] & in)) && (r->out == XG_PT_ANY || (xg_ptx_sets[r->out] & out)) &&
            (r->flags & (XG_PI_VECTOR | XG_PI_ONE)) == kind && t->cc >= r->cc &&
            (t->suffix || !(r->flags & XG_PI_LETTER)))
            return r;
    }
    return NULL;
}
static const xg_ptx_row *xg_ptx_find_row(
    const xg_ptx_index *x, const xg_target *t, xg_kopcode op, const xg_ktype *operand, const xg_ktype *result) {
    return xg_ptx_find_row_of(x, t, op, operand, result, false);
}
/* The number 1 is divided: a reciprocal, which is rounded the same way by fewer instructions. */
static bool xg_ptx_is_reciprocal(const xg_kop *op) {
    int64_t bits;
    if (op->op != XG_K_OP_DIVF || !xg_kval_is_const(XG_KOPERAND(op, 0), &bits)) return false;
    return op->results->type->elem == XG_E_F32   ? (uint32_t)(uint64_t)bits == 0x3F800000u
           : op->results->type->elem == XG_E_F64 ? (uint64_t)bits == (uint64_t)0x3FF << 52
                                                 : false;
}
XG_FN bool xg_ptx_has_row(const xg_ptx_index *x, const xg_target *t, const xg_kop *op) {
    return xg_ptx_find_row(x, t, op->op, op->n_operands ? XG_KOPERAND(op, 0)->type : NULL,
               op->n_results ? op->results[0].type : NULL) != NULL;
}

/* Conditions in the order of the lists of kir.h. */
XG_TABLE const char xg_ptx_cmpi_text[][5] = {
    "eq.s", "ne.s", "lt.s", "le.s", "gt.s", "ge.s", "lt.u", "le.u", "gt.u", "ge.u"};
XG_TABLE const char xg_ptx_cmpf_text[][4] = {
    "eq", "gt", "ge", "lt", "le", "ne", "num", "equ", "gtu", "geu", "ltu", "leu", "neu", "nan"};
XG_FN const char *xg_ptx_condition(const xg_kop *op) {
    return op->op == XG_K_OP_CMPI ? xg_ptx_cmpi_text[op->flags % XG_CI_COUNT]
                                  : xg_ptx_cmpf_text[op->flags % XG_CF_COUNT];
}

#endif /* XG_PTX_ISEL_C */
