#!/bin/sh
# tests/scripts/bisect.sh -- xlagpu bisect finds errors that were planted: a line of src/ is changed, the tool is built
# with it (by tcc; or by $CC only the changed room, in front of build/inside.o), and must name the pass, the kernel or
# the step. Ends with "N passed, N failed".
set -u
. tests/scripts/tally.sh
. tests/scripts/programs.sh
W=build/bisect
rm -rf $W
mkdir -p $W
FAST="tcc -w"
inside=
if ! have tcc; then
    FAST="$CC $INSIDE"
    inside=build/inside.o
    [ -f $inside ] && [ -z "$(find src -newer $inside -type f | head -1)" ] || $(inside_command "$CC")
fi
expect() { # NAME STATUS PATTERN COMMAND...
    what=$1 status=$2 pattern=$3
    shift 3
    "$@" > $W/out 2>&1
    got=$?
    if [ $got != "$status" ]; then bad "$what: exit status $got, not $status"; tail -4 $W/out; return; fi
    if grep -qE -- "$pattern" $W/out; then ok "$what"; else bad "$what: no line matches '$pattern'"; tail -4 $W/out; fi
}

cat > $W/passes.hlo <<'END'
HloModule passes
body { s = (s32[], s32[8]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  v = s32[8] get-tuple-element(s), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  b = s32[8] broadcast(i), dimensions={}
  w = s32[8] subtract(v, b)
  ROOT t = (s32[], s32[8]) tuple(j, w) }
cond { s = (s32[], s32[8]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(4)
  ROOT c = pred[] compare(i, n), direction=LT }
ENTRY e {
  a = s32[8] parameter(0)
  b = s32[8] parameter(1)
  d = s32[8] subtract(a, b)
  s = s32[8] add(d, b)
  lt = pred[8] compare(a, b), direction=LT
  gt = pred[8] compare(a, b), direction=GT
  x = s32[8] select(lt, a, s)
  y = s32[8] select(gt, a, b)
  m = s32[8] multiply(x, y)
  z = s32[] constant(0)
  l = (s32[], s32[8]) tuple(z, m)
  w = (s32[], s32[8]) while(l), condition=cond, body=body
  g = s32[8] get-tuple-element(w), index=1
  ROOT r = s32[8] negate(g)
}
END
# Rounds that no pass knows; the kernel with the subtraction is in the loop, or in a branch in the loop.
cat > $W/loop.hlo <<'END'
HloModule loop
sum { x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT z = f32[] add(x, y) }
lt { x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT c = pred[] compare(x, y), direction=LT }
less { v = f32[32,64] parameter(0)
  h = f32[32,64] sort(v), dimensions={1}, to_apply=lt
  ROOT c = f32[32,64] subtract(h, v) }
more { v = f32[32,64] parameter(0)
  ROOT c = f32[32,64] abs(v) }
body { s = (f32[32,64], s32[], s32[]) parameter(0)
  v = f32[32,64] get-tuple-element(s), index=0
  i = s32[] get-tuple-element(s), index=1
  n = s32[] get-tuple-element(s), index=2
  one = s32[] constant(1)
  j = s32[] add(i, one)
  two = s32[] constant(2)
  q = pred[] compare(i, two), direction=LT
  w = f32[32,64] conditional(q, v, v), true_computation=more, false_computation=less
  z = f32[] constant(0)
  t = f32[32] reduce(w, z), dimensions={1}, to_apply=sum
  u = f32[32,64] broadcast(t), dimensions={0}
  k = f32[] constant(0.01)
  kk = f32[32,64] broadcast(k), dimensions={}
  uk = f32[32,64] multiply(u, kk)
  o = f32[32,64] add(w, uk)
  ROOT r = (f32[32,64], s32[], s32[]) tuple(o, j, n) }
cond { s = (f32[32,64], s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=1
  n = s32[] get-tuple-element(s), index=2
  ROOT c = pred[] compare(i, n), direction=LT }
ENTRY e {
  x = f32[32,64] parameter(0)
  any = s32[] parameter(1)
  three = s32[] constant(3)
  few = s32[] and(any, three)
  n = s32[] add(few, three)
  z = s32[] constant(0)
  l = (f32[32,64], s32[], s32[]) tuple(x, z, n)
  w = (f32[32,64], s32[], s32[]) while(l), condition=cond, body=body
  ROOT g = f32[32,64] get-tuple-element(w), index=0
}
END
# Kernels that hand values on in temporary memory.
cat > $W/chain.hlo <<'END'
HloModule chain
lt { x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT c = pred[] compare(x, y), direction=LT }
ENTRY e {
  a = f32[64,64] parameter(0)
  b = f32[64,64] parameter(1)
  c = f32[64,64] sort(a), dimensions={1}, to_apply=lt
  d = f32[64,64] sort(b), dimensions={0}, to_apply=lt
  e = f32[64,64] dot(c, d), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT f = f32[64,64] subtract(e, a)
}
END
# A kernel of two phases that is given a constant, which is no argument of the module.
cat > $W/phases.hlo <<'END'
HloModule phases
sum { x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT z = f32[] add(x, y) }
ENTRY e {
  x = f32[32,64] parameter(0)
  k = s32[3,1] constant({ {4}, {0}, {2} })
  z = f32[] constant(0)
  r = f32[32] reduce(x, z), dimensions={1}, to_apply=sum
  h = f32[3] gather(r, k), offset_dims={}, collapsed_slice_dims={0},
    start_index_map={0}, index_vector_dim=1, slice_sizes={1}
  b = f32[32,3] broadcast(h), dimensions={1}
  c = f32[32,3] broadcast(r), dimensions={0}
  o = f32[32,3] subtract(c, b)
  t = f32[3] reduce(o, z), dimensions={0}, to_apply=sum
  ROOT v = (f32[3], f32[32]) tuple(t, r)
}
END

# tool NAME FILE FROM TO: builds $W/NAME/xlagpu with the text FROM of src/FILE changed to TO; it must stand there.
tool() {
    T=$W/$1
    mkdir -p "$T/packages"
    cp -r src tools "$T"
    cp -r packages/c "$T/packages"
    if ! grep -qF -- "$3" "src/$2"; then bad "$1: src/$2 has no '$3'"; return 1; fi
    awk -v from="$3" -v to="$4" '{
        k = index($0, from)
        if (k) $0 = substr($0, 1, k - 1) to substr($0, k + length(from))
        print
    }' "src/$2" > "$T/src/$2"
    for u in xlagpu xlagpu_runtime; do
        printf '#define XLAGPU_IMPLEMENTATION\n#include "src/%s.h"\n' $u > "$T/unit_$u.c"
    done
    [ "$inside" ] && awk -v room="\"${2%%/*}/" '
        index($0, room) { print "#undef XG_FN\n#define XG_FN" }
        { print }
        index($0, room) { print "#undef XG_FN\n#define XG_FN extern inline __attribute__((gnu_inline))" }' \
        src/rooms.h > "$T/src/rooms.h"
    $FAST -I"$T" "$T"/tools/*.c "$T"/unit_*.c $inside -o "$T/xlagpu" $LIBS > "$T/log" 2>&1 ||
        { bad "$1 does not compile"; tail -3 "$T/log"; return 1; }
    X="$T/xlagpu"
}
found() { # NAME PATTERN MODULE [FLAGS...]
    expect "$1" 1 "$2" $X bisect "$3" --platform=host -o "$T/found" ${4:-}
}
# The command that it says shows the difference.
shown() { expect "$1" 1 "$2" $X run "$T/found.hlo" --args="$T/found.npz" --platform=host; }

X=build/xlagpu
for m in passes loop chain phases; do
    expect "$m: nothing planted, nothing found" 0 'right: ' $X bisect $W/$m.hlo --platform=host -o $W/none
done
if tool algsimp algsimp/arith.c 'XG_OPERAND(x, 1) == y) return XG_OPERAND(x, 0);' \
    'XG_OPERAND(x, 1) == y) return XG_OPERAND(x, 1);'; then
    found "a wrong rule of algsimp" "the pass 'algsimp' of 'simplification'" $W/passes.hlo
    expect "... its stages differ" 1 'the results differ' $X diff "$T/found.before.hlo" "$T/found.after.hlo" \
        --args="$T/found.npz"
    expect "... and it alone shows it" 1 'the results differ' sh -c \
        "$X opt $T/found.before.hlo --passes=algsimp > $T/alone.hlo && $X diff $T/found.before.hlo $T/alone.hlo"
    expect "... without it results are right" 0 right $X run $W/passes.hlo --platform=host \
        --xla_disable_hlo_passes=algsimp
fi
if tool unroll opt/while_simplifier.c 'state = w.init, k = 0; k < trips;' 'state = w.init, k = 0; k <= trips;'; then
    found "a loop that is written out once too often" "the pass 'simplify-while-loops' of 'simplification'" \
        $W/passes.hlo
fi
if tool isel ptx/isel.c 'sub.rn$f.f32 $d, $0, $1' 'sub.rn$f.f32 $d, $1, $0'; then
    found "swapped operands of an instruction" "the passes are right; the kernel of 'loop_subtract_fusion' \(fusion\)" \
        $W/chain.hlo
    shown "... the command that it prints shows it" "out0.*want"
    found "... in a branch in a loop" "passes are right; the kernel of '[a-z_]*subtract' \(fusion\)" \
        $W/loop.hlo
    shown "... the command that it prints shows it" "out0.*want"
    found "... in a kernel of two phases" "passes are right; the kernel of 'input_reduce_fusion' \(fusion\)" \
        $W/phases.hlo
    shown "... the command that it prints shows it" "out0.*want"
fi
if tool pack plan/pack.c '/* alive when b begins */' '/* alive when b begins */ n = 0;'; then
    found "buffers that overlap" "steps, each alone; together they are not: buffers or order" $W/chain.hlo
fi

# Stages of another compiler: files in order.
X=build/xlagpu
$X compile $W/passes.hlo -o $W/x.ptx --target=sm_90a --xla_dump_to=$W/dump --xla_dump_hlo_pass_re=.* 2> $W/out
stages=$(ls $W/dump/*before_optimizations.txt $W/dump/module_0000.passes.[0-9]*.txt)
expect "files: right stages" 0 'right: the last stage' $X bisect $stages -o $W/files
last=$(echo "$stages" | tail -1)
sed 's/subtract(/add(/; s/negate(/abs(/' "$last" > $W/dump/module_0000.passes.9998.wrong.txt
sed 's/negate(/not-an-opcode(/' "$last" > $W/dump/module_0000.passes.9999.unread.txt
expect "files: a wrong one, one that is not read" 1 \
    "results change between .*$(basename "$last").* and .*9998.wrong.txt" \
    $X bisect $stages $W/dump/*.9998.* $W/dump/*.9999.* -o $W/files
finish
