#!/bin/sh
# tests/scripts/all.sh -- every test, one line a part, about five minutes on two cores. Run by ./build.sh test, which
# has built build/xlagpu and build/test_runner before. Ends with "N passed, N failed".
set -u
. tests/scripts/tally.sh
. tests/scripts/programs.sh
export CC CXX JOBS
mkdir -p build/programs build/ptx_sweep

for f in $(unlisted_programs); do bad "tests/$f is not in the list of tests/scripts/programs.sh"; done

# Programs on the API link with what is built; the others are compiled when their turn comes.
begin build/programs_jobs
job "the driver of tests/programs/fake_cuda.c" ". tests/scripts/tally.sh; fake_driver build/programs/fake_cuda.so"
for p in $(program_names); do
    [ "$(program_field "$p" 2)" = api ] && job "build tests/programs/$p.c" "$(program_command "$p" build/programs -O1)"
done
run_jobs
FAKE_DRIVER_SO=$PWD/build/programs/fake_cuda.so
export FAKE_DRIVER_SO
# tcc compiles all of xlagpu in a fifth of a second, and what it makes runs as what gcc -O0 makes; what it cannot
# compile (128-bit integers) $CC does. Without it ./build.sh has compiled build/inside.o for all of them. It runs in a
# subshell, so CC is the program's own.
build_and_run() { # NAME ARGUMENTS...
    usual=$CC
    flags=-O0
    if have tcc; then CC="tcc -w"; elif [ "$(program_field "$1" 2)" = src ]; then flags=$INSIDE; fi
    $(program_command "$1" build/programs $flags) 2>/dev/null ||
        { CC=$usual; $(program_command "$1" build/programs -O0); } || return 1
    program=$1
    shift
    build/programs/$program "$@"
}

# The imitated libraries compute with complex numbers, the driver with many threads has variables with a cleanup, and
# tcc leaves out the loader of object code.
beyond_tcc() { # NAME
    is_tcc "$CC" || return 1
    absent "a compiler beside tcc: $1"
}

begin_parts
part "text tests" build/test_runner tests/text
part "headers" sh tests/scripts/headers.sh
part "ptxas, three targets" sh tests/scripts/ptxas.sh sm_75 sm_90a sm_120
part "matrices of warp groups, assembled" sh tests/scripts/wgmma.sh
part "compilers agree" sh tests/scripts/compilers.sh
part "aarch64, emulated" sh tests/scripts/aarch64.sh
part "examples" sh tests/scripts/examples.sh
have python3 && part "documents" python3 tests/scripts/docs.py
have python3 && part "errors to plant in tiles have their places" python3 tests/scripts/tile_mutants.py --check
have python3 && part "table of split factors" python3 tests/scripts/spmd_coverage.py --check
part "recipes" sh tests/scripts/recipes.sh
part "packages" sh tests/scripts/packages.sh
for p in $(program_names); do
    args=$(program_field "$p" 3)
    [ "$args" = - ] && continue
    case $p in libraries | nccl | object) beyond_tcc $p && continue ;; esac
    if [ "$(program_field "$p" 2)" = api ]; then part "$p" build/programs/$p $args
    else part "$p" build_and_run $p $args; fi
done
part "fuzz ptx" build/programs/fuzz ptx 20 60 $(compiled_cases)
part "command line" sh tests/scripts/cli.sh
part "bisect finds planted errors" sh tests/scripts/bisect.sh
have python3 && part "verdicts, right and wrong kernels" python3 tests/scripts/verdict.py
part "fuzz hlo" build/programs/fuzz hlo 20 60 tests/corpus/*.hlo
part "fuzz import" build/programs/fuzz import 20 60 $(imported_cases tests/corpus/[mp]*.hlo)
part "fuzz npz" build/programs/fuzz npz 50 100 tests/corpus/pads.npz tests/corpus/iotas.npz
part "corpus, interpreter" sh tests/scripts/corpus.sh interpreter
part "corpus, host" sh tests/scripts/corpus.sh host
part "coverage through LLVM, a sample" sh tests/scripts/llvm.sh sample
have python3 && part "StableHLO that is written, run by XLA" \
    python3 tests/scripts/stablehlo_jax.py tests/corpus --sample 4 --seed 7
have python3 && part "contractions of any size" python3 tests/scripts/contractions.py --work 200000
have python3 && part "models of frameworks" python3 tests/scripts/frameworks.py
part "kernels by their printed records" sh tests/scripts/records.sh
part "saved, loaded by the runtime alone" sh tests/scripts/roundtrip.sh
part "corpus, fake driver, in any order" sh tests/scripts/fake.sh
beyond_tcc "several processes" || part "several processes" sh tests/scripts/processes.sh
beyond_tcc "corpus, libraries that compute" ||
    part "corpus, libraries that compute, one in six" sh tests/scripts/libraries.sh 6
part "first contact with a GPU, rehearsed" sh tests/scripts/rehearse.sh
part "corpus, host, one in six with the worst approximations" \
    env XLAGPU_FLAGS=--approx=mixed XLAGPU_EVERY=6 sh tests/scripts/corpus.sh host
part "corpus, host, no passes" env XLAGPU_FLAGS=--xla_disable_all_hlo_passes sh tests/scripts/corpus.sh host
run_parts
finish
