#!/bin/sh
# tests/scripts/aarch64.sh -- xlagpu built for another processor, which is emulated: text tests of numbers and their
# texts, where processors differ, and of the other files every sixteenth by its name's checksum, without the kernels of
# others, the solvers, and random schedules and contractions; and the PTX of every eighth case of the corpus, which is
# that of this machine. One compilation serves both, by clang where it is: that takes half of gcc's time. soak runs all of them. Ends with "N passed, N failed".
set -u
. tests/scripts/tally.sh
W=build/aarch64
rm -rf $W
mkdir -p $W
A=aarch64-linux-gnu
have $A-gcc && have qemu-aarch64 || { absent "$A-gcc with qemu-aarch64"; echo "0 passed, 0 failed"; exit 0; }
one_in_sixteen() {
    while read -r path; do
        [ $(($(echo "$path" | cksum | cut -d " " -f 1) % 16)) = 0 ] && echo "$path"
    done
}
texts() {
    echo tests/text/base tests/text/eval tests/text/sim/planted
    find tests/text -name '*.txt' | grep -vE '/(base|eval|planted)/|sim/foreign|block/solver' |
        grep -vE 'sched/(random|tiles|rules|primitives|tensorize|units|few_rows)' | LC_ALL=C sort | one_in_sixteen
}
sed '/define XLAGPU_IMPLEMENTATION/d; s|"\.\./xlagpu.h"|"../../xlagpu.h"|' examples/compile_only.c > $W/user.c
AC=$A-gcc
have clang && AC="clang --target=$A"
begin $W/jobs
job "the runner of text tests, and examples/compile_only.c with the same object" \
    "$AC -std=gnu99 -w -DXLAGPU_DEBUG -O0 -c tests/programs/runner.c -o $W/runner.o &&
    $A-gcc -static $W/runner.o -o $W/runner $LIBS &&
    $A-objcopy --redefine-sym main=runner_main $W/runner.o $W/both.o &&
    $A-gcc -w -O0 -static $W/user.c $W/both.o -o $W/compile_there $LIBS"
job "examples/compile_only.c, with the compiler that ./build.sh has built" \
    "$CC -w $W/user.c build/compiler.o -o $W/compile_here -lm"
run_jobs
cases=$(echo $(compiled_cases) | tr ' ' '\n' | awk 'NR % 8 == 0')
# ptx NAME COMMAND: prints the PTX of the cases with COMMAND into $W/NAME.ptx
ptx() {
    for f in $cases; do
        echo "== $f"
        $2 "$f" sm_90a || echo "exit status $?"
    done > $W/$1.ptx 2>&1
    if grep '^exit status' $W/$1.ptx; then bad "$1: a case does not compile"; fi
}
ptx here $W/compile_here
ptx there "qemu-aarch64 $W/compile_there"
grep -q '\.entry' $W/here.ptx || bad "no PTX"
if cmp -s $W/here.ptx $W/there.ptx; then ok "the PTX that is made here"
else bad "other PTX than here"; diff $W/here.ptx $W/there.ptx | head -4; fi
qemu-aarch64 $W/runner $(texts) > $W/texts.log 2>&1
said=$(tail -1 $W/texts.log | sed -n 's/^\([0-9][0-9]*\) passed, \([0-9][0-9]*\) failed$/\1 \2/p')
[ "$said" ] || bad "the text tests have not ended"
passed=$((passed + ${said% *}))
failed=$((failed + ${said#* }))
[ "${said#* }" = 0 ] || grep -A6 FAIL $W/texts.log | head -40
finish
