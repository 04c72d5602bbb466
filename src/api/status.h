/* api/status.h -- what a call answers, the allocator and the element types: shared by both public headers.
 *
 * Each list is a macro; enum, names and the evaluation of widths are expansions of it. */
#ifndef XG_API_STATUS_H
#define XG_API_STATUS_H
#include <stddef.h>

/* X(NAME, text): the class of a failure; the message beside it says what, where, and what to do. */
/* clang-format off */
#define XLAGPU_STATUSES(X) \
    X(OK, "ok") \
    X(ERROR_SYNTAX, "the text does not follow the grammar") \
    X(ERROR_INVALID, "the input breaks a rule of its language") \
    X(ERROR_UNSUPPORTED, "correct, but not supported here") \
    X(ERROR_USAGE, "the call or its arguments are wrong") \
    X(ERROR_MEMORY, "out of memory") \
    X(ERROR_LIMIT, "over a limit of this implementation or of the context") \
    X(ERROR_DEVICE, "the device or its driver failed") \
    X(ERROR_NO_DEVICE, "no such device or driver here") \
    X(ERROR_FAULT, "the simulator found a fault in a kernel") \
    X(ERROR_CORRUPT, "the bytes of an executable are damaged or of another version") \
    X(ERROR_INTERNAL, "a bug in xlagpu; please report it")
/* clang-format on */

typedef enum xlagpu_status {
#define XLAGPU_X(name, text) XLAGPU_##name,
    XLAGPU_STATUSES(XLAGPU_X)
#undef XLAGPU_X
    XLAGPU_STATUS_COUNT
} xlagpu_status;

/* Memory comes from here and goes back here. All zero: malloc and free.
 * alloc returns NULL when there is no memory; bytes are never 0; the result is aligned for any object (16 bytes). */
typedef struct xlagpu_allocator {
    void *(*alloc)(void *user, size_t bytes);
    void (*release)(void *user, void *memory);
    void *user;
} xlagpu_allocator;

/* Element types of HLO. X(NAME, text, bits, class): class is PRED, SINT, UINT, FLOAT, COMPLEX or OTHER; bits is the
 * width of the value, 0 for what has none. Order is ours; the text form names them. */
/* clang-format off */
#define XLAGPU_TYPES(X) \
    X(INVALID, "invalid", 0, OTHER) \
    X(PRED, "pred", 8, PRED) \
    X(S1, "s1", 1, SINT) \
    X(S2, "s2", 2, SINT) \
    X(S4, "s4", 4, SINT) \
    X(S8, "s8", 8, SINT) \
    X(S16, "s16", 16, SINT) \
    X(S32, "s32", 32, SINT) \
    X(S64, "s64", 64, SINT) \
    X(U1, "u1", 1, UINT) \
    X(U2, "u2", 2, UINT) \
    X(U4, "u4", 4, UINT) \
    X(U8, "u8", 8, UINT) \
    X(U16, "u16", 16, UINT) \
    X(U32, "u32", 32, UINT) \
    X(U64, "u64", 64, UINT) \
    X(F4E2M1FN, "f4e2m1fn", 4, FLOAT) \
    X(F6E2M3FN, "f6e2m3fn", 6, FLOAT) \
    X(F6E3M2FN, "f6e3m2fn", 6, FLOAT) \
    X(F8E3M4, "f8e3m4", 8, FLOAT) \
    X(F8E4M3, "f8e4m3", 8, FLOAT) \
    X(F8E4M3FN, "f8e4m3fn", 8, FLOAT) \
    X(F8E4M3B11FNUZ, "f8e4m3b11fnuz", 8, FLOAT) \
    X(F8E4M3FNUZ, "f8e4m3fnuz", 8, FLOAT) \
    X(F8E5M2, "f8e5m2", 8, FLOAT) \
    X(F8E5M2FNUZ, "f8e5m2fnuz", 8, FLOAT) \
    X(F8E8M0FNU, "f8e8m0fnu", 8, FLOAT) \
    X(BF16, "bf16", 16, FLOAT) \
    X(F16, "f16", 16, FLOAT) \
    X(F32, "f32", 32, FLOAT) \
    X(F64, "f64", 64, FLOAT) \
    X(C64, "c64", 64, COMPLEX) \
    X(C128, "c128", 128, COMPLEX) \
    X(TUPLE, "tuple", 0, OTHER) \
    X(TOKEN, "token", 0, OTHER) \
    X(OPAQUE, "opaque", 0, OTHER) \
    X(BUFFER, "b", 0, OTHER)
/* clang-format on */

typedef enum xlagpu_type {
#define XLAGPU_X(name, text, bits, cls) XLAGPU_##name,
    XLAGPU_TYPES(XLAGPU_X)
#undef XLAGPU_X
    XLAGPU_TYPE_COUNT
} xlagpu_type;

/* What an attribute of a custom call is: a number or pred of its type; an array of these; characters; or members, each
 * an attribute itself. */
typedef enum xlagpu_attribute_kind {
    XLAGPU_ATTRIBUTE_SCALAR,
    XLAGPU_ATTRIBUTE_ARRAY,
    XLAGPU_ATTRIBUTE_STRING,
    XLAGPU_ATTRIBUTE_DICTIONARY,
    XLAGPU_ATTRIBUTE_KIND_COUNT
} xlagpu_attribute_kind;

#endif /* XG_API_STATUS_H */
