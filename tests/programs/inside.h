/* inside.h -- xlagpu compiled once for all the programs that look inside it. gcc takes a quarter of a minute for all of
 * src/; tcc takes a fifth of a second, and there each program brings its own (tests/scripts/programs.sh).
 *
 * Compiled by itself (INSIDE_OBJECT), this is the one object: its functions are external, and weak: a program may bring
 * some of its own. Before a program (-include), it makes declarations of the same functions: of what is `extern inline`
 * in GNU's sense a compiler that does not optimise emits no code. Types, tables and macros are there as ever. Both are
 * as tests want it: with assertions, and with fences between the blocks of arenas. */
#ifndef TESTS_INSIDE_H
#define TESTS_INSIDE_H
#ifdef INSIDE_OBJECT
#define XG_FN __attribute__((weak))
#else
#define XG_FN extern inline __attribute__((gnu_inline))
#endif
#define XLAGPU_DEF XG_FN
#define XLAGPU_DEBUG
#define XG_ARENA_FENCES
#ifdef INSIDE_OBJECT
#define XLAGPU_IMPLEMENTATION
#include "../../src/xlagpu.h"
#include "../../src/xlagpu_runtime.h"
#endif
#endif
