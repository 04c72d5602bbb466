#!/bin/sh
# tests/scripts/small.sh [OBJECT] -- what a small build (XLAGPU_SMALL) compiles is right, and what it lacks it refuses
# by name. OBJECT is the compiler unit so built (made with $CC otherwise); the rest of the tool is build/*.o. Each case
# of the corpus runs on the simulator and is compared as corpus.sh does; those of `lacking` must be refused with their
# words. Ends with "N passed, N failed".
set -u
. tests/scripts/tally.sh
W=build/small
tool=$W/xlagpu
mkdir -p $W
unit=${1:-$W/compiler.o}
if [ $# = 0 ]; then
    printf '#define XLAGPU_IMPLEMENTATION\n#include "../../src/xlagpu.h"\n' > $W/compiler.c
    $CC -w -DXLAGPU_SMALL -c $W/compiler.c -o "$unit" || exit 1
fi
[ -f build/tool.o ] || ./build.sh build > /dev/null || exit 1
zlib=$(grep -q XG_HAVE_ZLIB build/tool.stamp && echo -lz)
$CC build/tool.o "$unit" build/runtime.o build/sim.o -o $tool $zlib $LIBS || exit 1

lacking() { # case of the corpus, what it lacks
    cat << 'END'
cholesky_and_triangular_solve solvers
complex_c64 complex numbers
dot_c64 complex numbers
ffts complex numbers
ffts_of_long_arrays complex numbers
ffts_of_many_lengths complex numbers
nan_and_compare sorts
ragged_dots ragged and scaled products
random_threefry sorts
rng_bit_generator_philox random numbers
top_k sorts
topk_classes sorts
END
}
# refuses NAME WORDS COMMAND...: exit status 2, and an error that names the words and the macro.
refuses() {
    printf '%s 2>&1 > /dev/null | tee %s/said | grep -q "%s.*(XLAGPU_SMALL)" || { cat %s/said; exit 1; }\n' \
        "$3" "$W/$1" "$2" "$W/$1" > "$W/$1.sh"
    mkdir -p "$W/$1"
    job "$1 is refused: $2" "sh $W/$1.sh"
}
module() { # NAME: the module on standard input
    cat > "$W/$1.hlo"
}

begin $W/jobs
lacking > $W/lacking
tail -n +2 tests/corpus/manifest.tsv > $W/list
while IFS="$(printf '\t')" read -r name rtol atol where; do
    [ "$where" = all ] || continue
    base=tests/corpus/$name
    words=$(sed -n "s/^$name //p" $W/lacking)
    run="$tool run $base.hlo --platform=host --args $base.npz --expect $base.npz --rtol $rtol --atol $atol"
    if [ "$words" ]; then refuses "$name" "$words" "$run"
    else job "$name" "$run --stats > $W/$name.out && grep -qx 'evaluator_ops	0' $W/$name.out"; fi
done < $W/list

# What the corpus does not have.
module scan << 'END'
add { a = f32[4] parameter(0)
  b = f32[4] parameter(1)
  s = f32[4] add(a, b)
  ROOT t = (f32[4], f32[4]) tuple(s, s) }
ENTRY e { x = f32[8,4] parameter(0)
  z = f32[] constant(0)
  i = f32[4] broadcast(z), dimensions={}
  ROOT s = (f32[8,4], f32[4]) scan(x, i), dimensions={0}, num_carries=1, to_apply=add }
END
module dynamic << 'END'
ENTRY e { x = f32[<=10] parameter(0)
  ROOT y = f32[<=10] negate(x) }
END
module cholesky << 'END'
ENTRY e { x = f32[4,4] parameter(0)
  ROOT y = f32[4,4] cholesky(x), lower=true }
END
module solve << 'END'
ENTRY e { a = f32[4,4] parameter(0)
  b = f32[4,2] parameter(1)
  ROOT y = f32[4,2] triangular-solve(a, b), left_side=true, lower=true, unit_diagonal=false, transpose_a=NO_TRANSPOSE }
END
module sum << 'END'
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b) }
ENTRY e { x = f32[8] parameter(0)
  ROOT y = f32[8] all-reduce(x), replica_groups={}, to_apply=add }
END
module call << 'END'
ENTRY e { x = f32[4,4] parameter(0)
  ROOT y = (f32[4,4], s32[4], s32[]) custom-call(x), custom_call_target="cusolver_getrf_ffi" }
END
module gemm << 'END'
ENTRY e { x = f32[4,4] parameter(0)
  ROOT y = (f32[4,4], s8[32]) custom-call(x, x), custom_call_target="__cublas$gemm" }
END
module plain << 'END'
ENTRY e { x = f32[8] parameter(0)
  ROOT y = f32[8] negate(x) }
END
printf 'module {\n  func.func @main(%%x: tensor<8xf32>) -> tensor<8xf32> {\n    return %%x : tensor<8xf32>\n  }\n}\n' \
    > $W/stable.mlir
compile="$tool compile --target=sm_80 --emit=ptx"
refuses scan scans "$compile $W/scan.hlo"
refuses dynamic "bounded dynamic dimensions" "$compile $W/dynamic.hlo"
refuses cholesky solvers "$compile $W/cholesky.hlo"
refuses solve solvers "$compile $W/solve.hlo"
refuses sum "what devices send each other" "$compile $W/sum.hlo"
refuses call "calls of solvers" "$compile $W/call.hlo"
refuses gemm "calls of cuBLAS" "$compile $W/gemm.hlo"
refuses stable "whose reader was compiled out" "$compile $W/stable.mlir"
refuses devices "programs of several devices" "$compile $W/plain.hlo --devices=2"
refuses mesh "the partitioner" "$compile $W/plain.hlo --mesh=data=2 --auto-shard=data"
refuses libraries "calls of libraries" "$compile $W/plain.hlo --libraries=cublaslt"
refuses time "the model of time" "$compile $W/plain.hlo --viewer=$W/plain.html"
refuses evaluator "the evaluator of all but" "$tool run tests/corpus/dot_f64.hlo --platform=interpreter"
LOG_LINES=4 run_jobs
finish
