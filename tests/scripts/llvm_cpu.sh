#!/bin/sh
# tests/scripts/llvm_cpu.sh -- kernels as object code for this host's processor, with every LLVM from 16 on that is
# here: tests/corpus on the platform llvm-cpu, and object code of each case for the other processors. Ends with
# "N passed, N failed".
set -u
. tests/scripts/tally.sh
mkdir -p build/llvm
case $(uname -m) in aarch64) own=aarch64 ;; *) own=x86-64-v3 ;; esac
${CC:-gcc} -std=c99 -g -O1 -fsanitize=address,undefined -DXLAGPU_NO_SIMULATOR -DXLAGPU_USE_LLVM_CPU \
    tests/programs/object.c -o build/llvm/object -lm -ldl -lpthread || bad "tests/programs/object.c"
some=
for v in 16 17 18 19 20 21; do
    c=/usr/lib/llvm-$v/bin/llvm-config
    [ -x "$c" ] || c=$(command -v llvm-config-$v) || continue
    [ -f "$($c --includedir)/llvm-c/Core.h" ] || continue
    some=1
    if LLVM_CONFIG=$c ./build.sh llvm > build/llvm/$v.log 2>&1; then ok "the tool with LLVM $v"
    else bad "the tool with LLVM $v"; tail -5 build/llvm/$v.log; continue; fi
    cp build/xlagpu-llvm build/llvm/xlagpu-$v
    sum=$(XLAGPU_TOOL=build/llvm/xlagpu-$v QUIET=1 sh tests/scripts/corpus.sh llvm-cpu | tee \
        build/llvm/corpus-cpu-$v.log | tail -1)
    case $sum in *" 0 failed") ok "LLVM $v: corpus on llvm-cpu, $sum" ;;
        *) bad "LLVM $v: corpus on llvm-cpu, $sum"; grep FAIL build/llvm/corpus-cpu-$v.log | head ;; esac
    # functions of one number of 16 bits: all five looked up in tables, three of them by the loop over an array
    build/llvm/xlagpu-$v compile tests/llvm/tables.hlo --target="$own" --emit=llvm > build/llvm/tables.ll 2>&1
    if [ "$(grep -c '\.table" = constant' build/llvm/tables.ll)" = 5 ] &&
        [ "$(grep -c '\.blocks"(.* noimplicitfloat {$' build/llvm/tables.ll)" = 3 ] && build/llvm/xlagpu-$v run \
        tests/llvm/tables.hlo --platform=llvm-cpu --rtol=0 --atol=0 > build/llvm/tables.txt 2>&1
    then ok "LLVM $v: tables"; else bad "LLVM $v: tables"; tail -3 build/llvm/tables.txt; fi
    # what the text test of loops with bounds of their own expects gives the right sums
    llc=$($c --bindir)/llc
    if [ "$own" = x86-64-v3 ] && [ -x "$llc" ]; then
        sed '1,/^----$/d' tests/text/llvm/cpu_loops.txt > build/llvm/loops.ll
        if "$llc" -O2 -filetype=obj -relocation-model=pic build/llvm/loops.ll -o build/llvm/loops.o \
            > build/llvm/loops.txt 2>&1 && ${CC:-gcc} tests/llvm/loops.c build/llvm/loops.o -o build/llvm/loops -lm \
            >> build/llvm/loops.txt 2>&1 && build/llvm/loops >> build/llvm/loops.txt
        then ok "LLVM $v: loops"; else bad "LLVM $v: loops"; tail -3 build/llvm/loops.txt; fi
    fi
    if build/llvm/xlagpu-$v compile tests/corpus/log_transpose_add.hlo --target="$own" -o build/llvm/case.xgx \
        > build/llvm/case.log 2>&1 && build/llvm/object build/llvm/case.xgx 20000 > build/llvm/case.log 2>&1
    then ok "LLVM $v: damaged objects, $(tail -2 build/llvm/case.log | head -1)"
    else bad "LLVM $v: damaged objects"; tail -5 build/llvm/case.log; fi
    for target in x86-64-v3 x86-64-v4 aarch64; do
        wrong=
        for f in $(compiled_cases); do
            build/llvm/xlagpu-$v compile "$f" --target=$target -o build/llvm/case.xgx > build/llvm/case.log 2>&1 ||
                wrong="$wrong $(basename "$f")"
        done
        if [ "$wrong" ]; then bad "LLVM $v: object code for $target:$wrong"
        else ok "LLVM $v: object code for $target"; fi
    done
done
[ "$some" ] || absent "LLVM 16 or newer: the platform llvm-cpu was not tried"
finish
