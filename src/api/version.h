/* api/version.h -- the version, one for both headers, and the linkage of public functions.
 *
 * The two headers each carry a copy of this file; the first lines refuse copies of different releases. */
#if defined(XLAGPU_VERSION_NUMBER) && XLAGPU_VERSION_NUMBER != 100
#error "xlagpu.h and xlagpu_runtime.h are of different versions: take both from one release"
#endif
#ifndef XG_API_VERSION_H
#define XG_API_VERSION_H

#define XLAGPU_VERSION_MAJOR 0
#define XLAGPU_VERSION_MINOR 1
#define XLAGPU_VERSION_PATCH 0
#define XLAGPU_VERSION_NUMBER 100 /* major * 10000 + minor * 100 + patch; also above */
#define XLAGPU_VERSION "0.1.0"

/* Arrays, literals and executables are read as they lie in memory. */
#if (defined(__BYTE_ORDER__) && defined(__ORDER_BIG_ENDIAN__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) || \
    defined(__ARMEB__) || defined(__AARCH64EB__) || defined(__MIPSEB__) || defined(__s390__)
#error "xlagpu: this processor is big-endian; xlagpu runs on little-endian ones (x86-64, aarch64, riscv64, ppc64le ...)"
#endif

#ifndef XLAGPU_DEF
#if !defined(XLAGPU_STATIC)
#define XLAGPU_DEF extern
#elif (defined(__GNUC__) || defined(__clang__)) && !defined(XLAGPU_NO_EXTENSIONS)
#define XLAGPU_DEF static __attribute__((unused))
#else
#define XLAGPU_DEF static
#endif
#endif

#endif /* XG_API_VERSION_H */
