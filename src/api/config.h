/* api/config.h -- the few things that depend on the compiler, decided once.
 *
 * Laws: everything here is usable from C99 to C17 and from C++11 on; no feature-test macro is needed before the
 * header is included; no macro changes a public type. Compiler extensions are used only through these names and all of
 * them vanish under XLAGPU_NO_EXTENSIONS. */
#ifndef XG_API_CONFIG_H
#define XG_API_CONFIG_H

#include <float.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef XLAGPU_USE_LLVM
#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <llvm/Config/llvm-config.h>
#endif

#if (defined(__GNUC__) || defined(__clang__)) && !defined(XLAGPU_NO_EXTENSIONS)
#define XG_UNUSED __attribute__((unused))
#define XG_NORETURN __attribute__((noreturn))
/* No format of ours takes a number of floating point: a build for size does not keep the registers for them at each
 * function that takes any arguments. */
#if defined(__OPTIMIZE_SIZE__) && defined(__x86_64__) && __GNUC__ >= 12 && !defined(__clang__) && !defined(__cplusplus)
#define XG_PRINTF(text, first) __attribute__((format(__printf__, text, first), target("general-regs-only")))
#else
#define XG_PRINTF(text, first) __attribute__((format(__printf__, text, first)))
#endif
#define XG_LIKELY(x) __builtin_expect(!!(x), 1)
#define XG_UNLIKELY(x) __builtin_expect(!!(x), 0)
#ifdef __OPTIMIZE_SIZE__
#define XG_PREFETCH(p) ((void)(p))
#else
#define XG_PREFETCH(p) __builtin_prefetch(p)
#endif
#ifdef __OPTIMIZE__
#define XG_NOINLINE __attribute__((noinline))
#else
#define XG_NOINLINE
#endif
/* A short function that hundreds of places call: a build for size keeps one copy, the others may inline it. */
#ifdef __OPTIMIZE_SIZE__
#define XG_ONE_COPY XG_NOINLINE
#else
#define XG_ONE_COPY
#endif
/* What one place calls. Inlined, where a build for size has all such, it would share the frame of its caller with many
 * others: what lies far in a large frame takes longer instructions. */
#ifdef __OPTIMIZE_SIZE__
#define XG_APART XG_NOINLINE
#else
#define XG_APART
#endif
/* A table. gcc puts each at a multiple of 32 bytes, which leaves ten free in front of it: not in a build for size. */
#if defined(__OPTIMIZE_SIZE__) && !defined(__clang__)
#define XG_TABLE static __attribute__((aligned(8)))
#endif
#define XG_COLD __attribute__((cold)) /* runs once or when something fails: small code, out of the way */
/* Without optimisation inlining only makes code larger: a build for debugging is to be quick. */
#ifdef __OPTIMIZE__
#define XG_ALWAYS_INLINE always_inline
#else
#define XG_ALWAYS_INLINE unused
#endif
/* What runs for each vector of lanes, for instance: calls of it would cost the simulator up to a third of its speed. */
#define XG_INLINE_HOT static inline __attribute__((XG_ALWAYS_INLINE, unused))
#ifdef __OPTIMIZE_SIZE__ /* only what that makes smaller */
#define XG_INLINE static inline XG_UNUSED
#else
#define XG_INLINE XG_INLINE_HOT
#endif
#if defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 5 && !defined(__TINYC__))
#define XG_MUL_OVERFLOWS(a, b, out) __builtin_mul_overflow(a, b, out)
#define XG_ADD_OVERFLOWS(a, b, out) __builtin_add_overflow(a, b, out)
#endif
#else
#define XG_UNUSED
#define XG_ONE_COPY
#define XG_APART
#define XG_PRINTF(text, first)
#define XG_LIKELY(x) (x)
#define XG_UNLIKELY(x) (x)
#define XG_PREFETCH(p) ((void)(p))
#define XG_NOINLINE
#define XG_COLD
#define XG_INLINE static inline
#define XG_INLINE_HOT XG_INLINE
#endif
#ifndef XG_TABLE
#define XG_TABLE static
#endif
#ifndef XG_NORETURN /* what the standards have; it stands first in a declaration */
#if defined(__cplusplus)
#define XG_NORETURN [[noreturn]]
#elif defined(__TINYC__)
#define XG_NORETURN __attribute((noreturn)) /* glibc takes the usual word from it */
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define XG_NORETURN _Noreturn
#else
#define XG_NORETURN
#endif
#endif
#if defined(__MINGW32__) && defined(__x86_64__) && !defined(XLAGPU_NO_EXTENSIONS)
/* MinGW's library takes roots by the x87 unit, which rounds twice: one in some thousands is off in its last bit. */
XG_INLINE double xg_sqrt(double x) {
    double root;
    __asm__("sqrtsd %1, %0" : "=x"(root) : "x"(x));
    return root;
}
#else
XG_INLINE double xg_sqrt(double x) { return sqrt(x); }
#endif
#if defined(__MINGW32__) && !defined(XLAGPU_NO_EXTENSIONS)
#undef XG_PRINTF
#define XG_PRINTF(text, first) __attribute__((format(__gnu_printf__, text, first)))
#endif

/* A function whose plain reads and writes other threads may cross, on purpose: what is lost then only hides something
 * (sim/shadow.c). */
#if defined(__SANITIZE_THREAD__) || (defined(__has_feature) && !defined(XLAGPU_NO_EXTENSIONS))
#if defined(__SANITIZE_THREAD__)
#define XG_RACY __attribute__((no_sanitize("thread")))
#elif __has_feature(thread_sanitizer)
#define XG_RACY __attribute__((no_sanitize("thread")))
#endif
#endif
#ifndef XG_RACY
#define XG_RACY
#endif

/* Every internal function is XG_FN: static, and silent when a configuration leaves it unused. Without optimisation gcc
 * keeps each static function, whether something calls it or not, unless it is called inline: a small build then takes
 * half the time. Where small code is wanted gcc leaves each function as it is: what it makes of one for some of its
 * callers (members of what an argument points to in place of the pointer) takes more at their calls than it saves.
 * Tests may say what it is, to see what is inside. */
#if defined(XG_FN)
#undef XG_INLINE
#undef XG_INLINE_HOT
#define XG_INLINE XG_FN
#define XG_INLINE_HOT XG_FN
#elif defined(__GNUC__) && !defined(__clang__) && !defined(__TINYC__) && !defined(__OPTIMIZE__)
#define XG_FN static inline XG_UNUSED
#elif defined(__OPTIMIZE_SIZE__) && !defined(__clang__) && !defined(XLAGPU_NO_EXTENSIONS)
#define XG_FN static XG_UNUSED __attribute__((noclone))
#else
#define XG_FN static XG_UNUSED
#endif

/* Inlined for speed, unless small code is wanted (-Os). */
#ifdef __OPTIMIZE_SIZE__
#define XG_INLINE_FAST XG_FN
#else
#define XG_INLINE_FAST XG_INLINE
#endif

#ifdef __cplusplus
#define XG_RESTRICT
#define XG_ALIGNOF(T) alignof(T)
#else
#define XG_RESTRICT restrict
#define XG_ALIGNOF(T) \
    offsetof( \
        struct { \
            char c; \
            T t; \
        }, \
        t)
#endif

/* For our own bugs only, never for what a user passes in. */
#ifndef XLAGPU_ASSERT
#ifdef XLAGPU_DEBUG
#include <assert.h>
#define XLAGPU_ASSERT(x) assert(x)
#else
#define XLAGPU_ASSERT(x) ((void)0)
#endif
#endif

/* Large blocks in few pages of 2 MiB where the system has them, instead of in hundreds of small ones that each cost a
 * fault. A plea, which may be refused. */
#if defined(__linux__) && !defined(XLAGPU_NO_EXTENSIONS)
#include <sys/mman.h>
#if !defined(MADV_HUGEPAGE) && !defined(__cplusplus) /* -std=c99 hides both */
extern int madvise(void *at, size_t bytes, int advice);
#define XG_MADV_HUGEPAGE 14
#elif defined(MADV_HUGEPAGE)
#define XG_MADV_HUGEPAGE MADV_HUGEPAGE
#endif
#endif
#ifdef XG_MADV_HUGEPAGE
#define XG_HUGE_PAGES(at, bytes) ((void)madvise((at), (bytes), XG_MADV_HUGEPAGE))
#else
#define XG_HUGE_PAGES(at, bytes) ((void)(at), (void)(bytes))
#endif

/* What a build for size by gcc leaves out between these two words, in all rooms: passes of -Os that make this code
 * larger. Its functions are short and call much, and such passes keep more values alive across calls than there are
 * registers that a call preserves. A jump instead of a last call restores all registers there, and so does a way out
 * that saves fewer of them. Operands that are carried forward into other statements live longer, too. Not as C++, where
 * gcc warns of each prototype that follows its function. */
#if defined(__OPTIMIZE_SIZE__) && defined(__GNUC__) && !defined(__clang__) && !defined(__cplusplus) && \
    !defined(XLAGPU_NO_EXTENSIONS)
#define XG_ROOMS_BEGIN \
    _Pragma("GCC push_options") \
        _Pragma("GCC optimize(\"no-tree-sra,no-move-loop-invariants,no-tree-loop-im,no-caller-saves\")") \
            _Pragma("GCC optimize(\"no-expensive-optimizations,no-tree-dominator-opts\")") \
                _Pragma("GCC optimize(\"no-optimize-sibling-calls,no-shrink-wrap\")") \
                    _Pragma("GCC optimize(\"no-tree-tail-merge,no-tree-switch-conversion\")") \
                        _Pragma("GCC optimize(\"no-tree-forwprop\")") XG_ROOMS_SMALLEST
#if __GNUC__ >= 12 /* small constants go through the stack: 3 bytes instead of 5 */
#define XG_ROOMS_SMALLEST _Pragma("GCC optimize(\"Oz\")")
#else
#define XG_ROOMS_SMALLEST
#endif
#define XG_ROOMS_END _Pragma("GCC pop_options")
#else
#define XG_ROOMS_BEGIN
#define XG_ROOMS_END
#endif

#define XG_COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define XG_MIN(a, b) ((a) < (b) ? (a) : (b))
#define XG_MAX(a, b) ((a) > (b) ? (a) : (b))

#endif /* XG_API_CONFIG_H */
