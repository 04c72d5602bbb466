#!/bin/sh
# tests/scripts/recipes.sh -- the recipes of CONTRIBUTING.md, followed: each is applied to a copy of src/, which must
# compile and do the new thing, and may touch four files (a kind of thunk: five). Where compiling takes long (without
# tcc) they are all applied to one copy. Ends with "N passed, N failed".
set -u
. tests/scripts/tally.sh
W=build/recipes
CC_TEXTS="$CC -w -O0"
have tcc && CC_TEXTS="tcc -w"
together=yes
if have tcc || is_tcc "$CC"; then together=; fi

# recipe NAME: a copy, fresh or with the recipes before it, in which the next lines write. row FILE ANCHOR TEXT: TEXT
# stands behind the first line that holds ANCHOR. lines FILE: a new file, from standard input. texts CASES: a text test,
# from standard input.
recipe() {
    name=$1
    before=src
    case=$W/$(printf %s "$name" | tr ' ' _)
    at=$case
    if [ $together ]; then
        at=$W/all
        before=$W/before
        rm -rf $before
        if [ -d $at ]; then cp -r $at/src $before; else cp -r src $before; fi
    fi
    [ -d "$at/src" ] && return
    mkdir -p "$at/tests"
    cp -r src "$at/src"
    cp -r tests/stages tests/programs "$at/tests/"
}
row() {
    awk -v anchor="$2" -v text="$3" '{ print } !done && index($0, anchor) { print text; done = 1 } END { exit !done }' \
        "$at/src/$1" > "$at/row" && mv "$at/row" "$at/src/$1" || bad "$name: nothing in src/$1 holds '$2'"
}
lines() { cat > "$at/src/$1"; }
# done_with MOST: counts the files that the recipe has touched; its text test is standard input.
done_with() {
    cat > "$case.txt"
    touched=$(diff -rq $before "$at/src" | wc -l | tr -d ' ')
    if [ "$touched" -le "$1" ]; then ok "$name: $touched files of at most $1"
    else bad "$name: touches $touched files, at most $1"; fi
    [ $together ] || works "$case.txt"
}
# works CASE...: builds the runner, runs text tests.
works() {
    if ! $CC_TEXTS -DXLAGPU_DEBUG "$at/tests/programs/runner.c" -o "$at/runner" $LIBS > "$at/log" 2>&1; then
        bad "$at does not compile"
        head -5 "$at/log"
        return
    fi
    for one in "$@"; do
        said="$(basename "$one" .txt | tr _ ' '): it"
        if "$at/runner" "$one" > "$at/log" 2>&1; then ok "$said works"
        else bad "$said does not work"; tail -12 "$at/log"; fi
    done
}
rm -rf $W
mkdir -p $W

recipe "an opcode"
row hlo/ops.h 'X(NEGATE, "negate"' \
    '    X(TWICE, "twice", 1, 1, XGF_EW, XGT_I | XGT_F, same, pointwise, elementwise, unary, kernel, "") \'
row eval/kernels.c 'X(NEGATE, (W)0 - (W)a)' '    X(TWICE, (W)a + (W)a) \'
row eval/kernels.c 'X(NEGATE, XG_EVAL_NEGATED(a))' '    X(TWICE, a + a) \'
row elem/scalar.c 'case XG_NEGATE: return xg_scalar_wrap(' \
    '    case XG_TWICE: return xg_scalar_wrap(b, xg_k2(b, XG_K_OP_ADDI, x, x), t);'
row elem/scalar.c 'case XG_REAL: return x;' '    case XG_TWICE: return xg_k2(b, XG_K_OP_ADDF, x, x);'
done_with 4 <<'END'
# run: run
HloModule m
ENTRY e { a = s32[3] constant({1, -2, 3}) b = bf16[2] constant({1.5, -2}) c = s32[3] twice(a) d = bf16[2] twice(b)
  ROOT r = (s32[3], bf16[2]) tuple(c, d) }
----
{2, -4, 6}
{3, -4}
END

recipe "a pass"
lines opt/double_negation.c <<'END'
/* opt/double_negation.c -- negate(negate(x)) is x. */
#ifndef XG_OPT_DOUBLE_NEGATION_C
#define XG_OPT_DOUBLE_NEGATION_C
#include "opt.h"

XG_FN bool xg_double_negation_matches(const xg_inst *i) {
    return i->op == XG_NEGATE && XG_OPERAND(i, 0)->op == XG_NEGATE;
}
XG_FN xg_inst *xg_double_negation_expand(const xg_hb *b, xg_inst *i) {
    (void)b;
    return XG_OPERAND(XG_OPERAND(i, 0), 0);
}
XG_FN bool xg_opt_double_negation(xg_module *m) {
    return xg_opt_expand(m, xg_double_negation_matches, xg_double_negation_expand);
}

#endif
END
row opt/opt.h 'XG_FN bool xg_opt_dce(' 'XG_FN bool xg_opt_double_negation(xg_module *m);'
row rooms.h '#include "opt/dce.c"' '#include "opt/double_negation.c"'
row driver/passes.h 'X(SIMPLIFY, "dce"' '    X(SIMPLIFY, "double-negation", xg_opt_double_negation, OPTIONAL) \'
done_with 4 <<'END'
# run: pass double-negation,dce
HloModule m
ENTRY e { a = f32[3] parameter(0) b = f32[3] negate(a) c = f32[3] negate(b) ROOT r = f32[3] sine(c) }
----
HloModule m, entry_computation_layout={(f32[3]{0})->f32[3]{0}}

ENTRY e {
  a = f32[3]{0} parameter(0)
  ROOT r = f32[3]{0} sine(a)
}
END

recipe "an emitter"
lines emit/plain.c <<'END'
/* emit/plain.c -- the loop emitter under another name, for those who order it. */
#ifndef XG_EMIT_PLAIN_C
#define XG_EMIT_PLAIN_C
#include "emit.h"

XG_FN bool xg_emit_plain_plan(xg_fusion_emission *e) { return xg_emit_loop_plan(e); }
XG_FN void xg_emit_plain(xg_fusion_emission *e) { xg_emit_loop(e); }

#endif
END
row emit/emit.h 'XG_FN void xg_emit_loop(xg_fusion_emission *e);' \
    'XG_FN bool xg_emit_plain_plan(xg_fusion_emission *e); XG_FN void xg_emit_plain(xg_fusion_emission *e);'
row rooms.h '#include "emit/loop.c"' '#include "emit/plain.c"'
row emit/emitters.h 'X(SLIDING, "sliding-windows"' '    X(PLAIN, "plain", xg_emit_plain_plan, xg_emit_plain) \'
done_with 4 <<'END'
# run: run
HloModule m
f { p = s32[3] parameter(0) ROOT n = s32[3] negate(p) }
ENTRY e { a = s32[3] constant({1, -2, 3}) ROOT r = s32[3] fusion(a), kind=kLoop, calls=f,
  backend_config={"xlagpu_kernel":{"emitter":"plain"}} }
----
{-1, 2, -3}
END

recipe "an instruction of the compiler"
row kir/ops.h 'X(NEGF, "arith.negf"' '    X(TWICEF, "arith.twicef", 1, 1, 1, 0, KF_PURE | KF_LOW, float1, none) \'
row ptx/isel.c 'XA(NEGF, F32, ANY' '    XA(TWICEF, F32, ANY, "add$f.f32 $d, $0, $0") \'
done_with 4 <<'END'
# run: ptx sm_80
func.func @f(%out: !llvm.ptr {llvm.align = 16, llvm.dereferenceable = 16, llvm.noalias, xla.slice_index = 0}) attributes {xla.entry, xla.inputs = 0, xla.threads = [1, 1, 1], xla.blocks = [1, 1, 1]} {
  %t = llvm.load %out {alignment = 4} : !llvm.ptr -> f32
  %u = arith.twicef %t : f32
  llvm.store %u, %out {alignment = 4} : f32, !llvm.ptr
  return
}
----
.version 7.0
.target sm_80
.address_size 64

.visible .entry f(
	.param .u64 .ptr .global .align 16 f_param_0
)
.reqntid 1, 1, 1
{
	.reg .b64 %rd<2>;
	.reg .f32 %f<3>;
	ld.param.b64 %rd1, [f_param_0];
	ld.global.f32 %f1, [%rd1];
	add.f32 %f2, %f1, %f1;
	st.global.f32 [%rd1], %f2;
	ret;
}
END

recipe "an instruction of the simulator"
row sim/rows.c 'R("abs", plain' '    R("average", plain, XG_SIM_BT_average) \'
row sim/decode.c '    X(not, not_b16' '    X(average, none, none, average_u32, none, none, none, none, none, none, none) \'
row sim/scalar.c 'S1(cnot_b32' '    S2(average_u32, u32, u32, u32, r = (uint32_t)(((uint64_t)a + b) / 2)) \'
done_with 4 <<'END'
# run: sim
// launch block=2
// buf d u32 2
.version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 pd) {
.reg .b64 %a;
.reg .b32 %t, %x;
mov.u32 %t, %tid.x;
ld.param.u64 %a, [pd];
mad.wide.u32 %a, %t, 4, %a;
add.u32 %x, %t, 4294967290;
average.u32 %x, %x, 2;
st.global.u32 [%a], %x;
ret;
}
----
d: 2147483646 2147483646
END

recipe "a kind of thunk"
row api/executable.h 'X(PARTITION_ID, "partition-id"' \
    '    X(STAMP, "stamp", "partition-id", 1, 0, NO, ALL, XG_EXE_INSIDE | XG_EXE_OWN) \'
sed -i 's/xg_plan_call(w, XG_EXE_THUNK_PARTITION_ID, i)/xg_plan_call(w, XG_EXE_THUNK_STAMP, i)/' "$at/src/plan/thunks.c"
row rt/execute.c 'XG_FN uint32_t xr_own_number' '    if (t->kind == XG_EXE_THUNK_STAMP) return 7;'
row rt/execute.c 'case XG_EXE_THUNK_REPLICA_ID:' '    case XG_EXE_THUNK_STAMP:'
done_with 5 <<'END'
# run: run
HloModule m
ENTRY e { p = u32[] partition-id() ROOT r = u32[] add(p, p) }
----
14
END

recipe "a GPU"
row cost/device.c '{"T4", 75,' '    {"T4x", 75, 41, 1590, 1000, 512, 15843721216, 320, XG_DEVICE_MIB(4), 1270, 0, 16},'
done_with 4 <<'END'
# run: parse
HloModule m, frontend_attributes={xlagpu.device="T4x, sm_count=41, clock_mhz=1500"}
ENTRY e { ROOT p = f32[] parameter(0) }
----
HloModule m, entry_computation_layout={(f32[])->f32[]}, frontend_attributes={xlagpu.device="T4x, clock_mhz=1500"}

ENTRY e {
  ROOT p = f32[] parameter(0)
}
END
[ $together ] && works $W/*.txt
finish
