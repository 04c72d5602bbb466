/* llvm/llvm.h -- the second way from kernel IR to PTX: LLVM IR as text, which LLVM optimises and prints for NVPTX.
 *
 *     legal kernel IR ──flow.c──▶ LLVM IR ──compile.c──▶ LLVM's passes at O3, NVPTX ──▶ PTX
 *
 * - This room prints the IR itself, without LLVM: so no version of LLVM's builder functions matters, and what LLVM gets
 *   can be read. Only compile.c needs LLVM's C API (16 or newer); it is there where XLAGPU_USE_LLVM is defined.
 * - What LLVM has a word for is in the table of ops.c. What it has none for (approximations, conversions that saturate,
 *   arithmetic of bf16, what a warp does together, atomic additions) is inline PTX, made of the rows of ptx/isel.c.
 * - A kernel that needs what neither has is printed by the ptx room, and stands in the same text. */
#ifndef XG_LLVM_H
#define XG_LLVM_H
#include "../ptx/ptx.h"

/* "ptx", "llvm"; an empty name is ptx. Fails where there is no such backend, or it is not in this build. */
XG_FN const xg_backend *xg_backend_find(xg_ctx *c, xg_str name);

/* For a target: the one that was asked for, or what fits; fails where they do not. */
XG_FN const xg_backend *xg_backend_for(xg_ctx *c, const xg_backend *asked, const xg_target *t);

/* ---- flow.c ---- */
/* The LLVM IR of a kernel that xg_ptx_prepare has made legal, as a module of its own. NULL: it holds an operation that
 * neither LLVM IR nor inline PTX has a word for. */
typedef struct xg_llvm_ir {
    xg_str text;
    uint32_t isa; /* PTX version times 10 that its inline PTX needs */
    bool calls_libdevice;
} xg_llvm_ir;
XG_FN bool xg_llvm_print(xg_arena *a, xg_kmodule *m, const xg_target *t, xg_llvm_ir *out);

/* ---- cpu.c ---- */
/* What LLVM is told of a processor. */
typedef struct xg_cpu_target {
    const char *name, *triple, *cpu, *features;
} xg_cpu_target;
XG_FN const xg_cpu_target *xg_cpu_target_of(const xg_target *t);
/* The LLVM IR of such a kernel for a processor, likewise; the operation that it has no words for, or NULL. */
XG_FN const xg_kop *xg_cpu_print(xg_arena *a, xg_kmodule *m, const xg_target *t, xg_str *out);

#endif /* XG_LLVM_H */
