#!/bin/sh
# tests/scripts/llvm.sh -- the backend llvm with every LLVM from 16 on that is here: tests/corpus on the simulator, and
# a table of both backends in build/llvm/VERSION.tsv (bench/backends.py). Ends with "N passed, N failed".
set -u
. tests/scripts/tally.sh
mkdir -p build/llvm

some=
for v in 16 17 18 19 20 21; do
    c=/usr/lib/llvm-$v/bin/llvm-config
    [ -x "$c" ] || c=$(command -v llvm-config-$v) || continue
    [ -f "$($c --includedir)/llvm-c/Core.h" ] || continue
    some=1
    if LLVM_CONFIG=$c ./build.sh llvm > build/llvm/$v.log 2>&1; then ok "the tool with LLVM $v"
    else bad "the tool with LLVM $v"; tail -5 build/llvm/$v.log; continue; fi
    cp build/xlagpu-llvm build/llvm/xlagpu-$v
    sum=$(XLAGPU_TOOL=build/llvm/xlagpu-$v XLAGPU_FLAGS=--backend=llvm QUIET=1 sh tests/scripts/corpus.sh host | tee \
        build/llvm/corpus-$v.log | tail -1)
    case $sum in *" 0 failed") ok "LLVM $v: corpus, $sum" ;;
        *) bad "LLVM $v: corpus, $sum"; grep FAIL build/llvm/corpus-$v.log | head ;; esac
    flags="-DXLAGPU_USE_LLVM -DXLAGPU_IMPLEMENTATION -I$($c --includedir)" # every opcode, type, rank and layout
    if ${CC:-cc} -w -O1 -std=gnu99 $flags tests/programs/coverage.c -o build/llvm/coverage-$v -lm -ldl -lpthread \
        $($c --ldflags --libs all-targets passes irreader analysis core); then
        sum=$(build/llvm/coverage-$v --quick --backend llvm | tee build/llvm/coverage-$v.log | tail -1)
        case $sum in *" 0 failed") ok "LLVM $v: coverage, $sum" ;;
            *) bad "LLVM $v: coverage, $sum"; grep FAIL build/llvm/coverage-$v.log | head ;; esac
    else bad "the coverage with LLVM $v"; fi
    device=${CUDA_HOME:-/usr/local/cuda}/nvvm/libdevice/libdevice.10.bc
    if [ -f "$device" ]; then
        build/llvm/xlagpu-$v compile tests/llvm/functions.hlo --target=sm_80 --backend=llvm --libdevice="$device" \
            --emit=llvm > build/llvm/functions.ll
        n=$(grep -c '^declare .* @__nv_' build/llvm/functions.ll)
        if [ "$n" = 24 ] && build/llvm/xlagpu-$v run tests/llvm/functions.hlo --platform=host --backend=llvm \
            --libdevice="$device" --rtol=1e-5 --atol=1e-5 > build/llvm/functions.txt 2>&1; then ok "LLVM $v: libdevice"
        else bad "LLVM $v: libdevice, $n functions"; tail -3 build/llvm/functions.txt; fi
    else absent "libdevice: its functions were not tried"; fi
    python3 bench/backends.py --tool build/llvm/xlagpu-$v --out build/llvm/$v.tsv || bad "LLVM $v: bench/backends.py"
done
[ "$some" ] || absent "LLVM 16 or newer: the backend llvm was not tried"
finish
