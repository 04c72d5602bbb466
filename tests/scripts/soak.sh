#!/bin/sh
# tests/scripts/soak.sh -- the long versions: all targets, every program with its long arguments, text tests and
# fuzzing under the address and undefined behaviour sanitizers. Run by ./build.sh soak; about half an hour on two
# cores. Ends with "N passed, N failed".
set -u
. tests/scripts/tally.sh
. tests/scripts/programs.sh
export CC CXX JOBS
mkdir -p build/soak build/ptx_sweep
TARGETS="sm_75 sm_80 sm_86 sm_87 sm_89 sm_90 sm_90a sm_100 sm_120"

begin build/soak_jobs
job "build tests/programs/runner.c with sanitizers" "$(program_command runner build/soak -DXLAGPU_DEBUG -O1 $SANITIZE)"
job "build tests/programs/fuzz.c with sanitizers" "$(program_command fuzz build/soak -O1 $SANITIZE)"
for p in $(program_names); do
    args=$(program_field "$p" 4)
    [ "$args" = - ] || job "build tests/programs/$p.c" "$(program_command "$p" build/soak $(program_field "$p" 5))"
done
run_jobs
begin_parts
part "text tests, sanitized" build/soak/runner tests/text
printf '# run: spmd_random 1 5000\n----\n5000 equal\n' > build/soak/spmd_random.txt
part "random modules on 2 to 16 devices, sanitized" build/soak/runner build/soak/spmd_random.txt
printf '# run: schedule_random 11 5000 16 1\n----\n5000 nests, none differs\n' > build/soak/schedule_random.txt
part "random schedules, each as a kernel, sanitized" build/soak/runner build/soak/schedule_random.txt
have tcc && part "tcc, all texts" \
    "tcc -std=gnu99 -w -DXLAGPU_DEBUG tests/programs/runner.c -o build/soak/runner_tcc $LIBS && \
        build/soak/runner_tcc tests/text"
have aarch64-linux-gnu-gcc && have qemu-aarch64 &&
    part "aarch64, all texts" \
    "aarch64-linux-gnu-gcc -std=gnu99 -w -DXLAGPU_DEBUG -O1 -static tests/programs/runner.c \
        -o build/soak/runner_aarch64 $LIBS && qemu-aarch64 build/soak/runner_aarch64 tests/text"
part "corpus, fake driver, every way" env FAKE_WAYS=all sh tests/scripts/fake.sh
part "compilers agree, all cases" sh tests/scripts/compilers.sh whole
part "web demo" sh tests/scripts/web.sh
have python3 && part "documents, what compiles too" python3 tests/scripts/docs.py --all
part "corpus, host" sh tests/scripts/corpus.sh host
for a in low high mixed; do # the worst that the documented bounds of approximations allow
    part "corpus, host, approximations $a" env XLAGPU_FLAGS=--approx=$a sh tests/scripts/corpus.sh host
done
have python3 && part "progress and Ctrl-C on a terminal" python3 tests/scripts/terminal.py
have python3 && part "verdicts, 500 wrong kernels" python3 tests/scripts/verdict.py --draws 500
have python3 && part "StableHLO that is written, run by XLA" python3 tests/scripts/stablehlo_jax.py tests/corpus
part "corpus, libraries that compute" sh tests/scripts/libraries.sh
have python3 && part "contractions of any size" python3 tests/scripts/contractions.py --count 600
part "kernels by their printed records, all targets" sh tests/scripts/records.sh 1
part "the backend llvm, each LLVM that is here" sh tests/scripts/llvm.sh
part "the platform llvm-cpu" sh tests/scripts/llvm_cpu.sh
part "the web page" sh tests/scripts/web.sh
part "windows, under wine" sh tests/scripts/windows.sh text
part "ptxas, nine targets" sh tests/scripts/ptxas.sh $TARGETS
for p in $(program_names); do
    args=$(program_field "$p" 4)
    [ "$args" = - ] || part "$p" build/soak/$p $args
done
part "fuzz hlo, sanitized" build/soak/fuzz hlo 200 1000 tests/corpus/*.hlo
part "fuzz ptx, sanitized" build/soak/fuzz ptx 200 1000 $(compiled_cases)
part "fuzz foreign ptx, sanitized" build/soak/fuzz ptx 200 1000 tests/text/sim/foreign/*.ptx bench/kernels/*.ptx
have python3 && have tcc && part "errors planted in tiles" python3 tests/scripts/tile_mutants.py
have python3 && have tcc && part "changes of src that tests notice" python3 tests/scripts/source_mutants.py
part "fuzz import, sanitized" build/soak/fuzz import 200 5000 $(imported_cases tests/corpus/*.hlo)
part "fuzz npz, sanitized" build/soak/fuzz npz 200 1000 tests/corpus/*.npz
run_parts
finish
