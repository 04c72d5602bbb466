#!/bin/sh
# tests/scripts/llvm.sh [sample] -- the backend llvm with every LLVM from 16 on that is here: tests/corpus on the
# simulator, the coverage's modules (all with the newest, a part with the others), and a table of both backends in
# build/llvm/VERSION.tsv (bench/backends.py). sample: one in 20 of the coverage's part with the newest, in 20 seconds.
# Ends with "N passed, N failed".
set -u
. tests/scripts/tally.sh
mkdir -p build/llvm

newest=
some=
for v in 16 17 18 19 20 21; do
    c=/usr/lib/llvm-$v/bin/llvm-config
    [ -x "$c" ] || c=$(command -v llvm-config-$v) || continue
    [ -f "$($c --includedir)/llvm-c/Core.h" ] || continue
    newest=$v
    some="$some $v"
done
config() {
    if [ -x "/usr/lib/llvm-$1/bin/llvm-config" ]; then echo "/usr/lib/llvm-$1/bin/llvm-config"
    else echo "llvm-config-$1"; fi
}
coverage() { # VERSION COMPILER ARGS: every opcode, type, rank and layout
    c=$(config "$1") v=$1 compiler=$2
    shift 2
    flags="-DXLAGPU_USE_LLVM -DXLAGPU_IMPLEMENTATION -I$($c --includedir)"
    if $compiler -w -std=gnu99 $flags tests/programs/coverage.c -o "build/llvm/coverage-$v" -lm -ldl -lpthread \
        $($c --ldflags --libs all-targets passes irreader analysis core); then
        sum=$("build/llvm/coverage-$v" --backend llvm "$@" | tee "build/llvm/coverage-$v.log" | tail -1)
        case $sum in *" 0 failed") ok "LLVM $v: coverage, $sum" ;;
            *) bad "LLVM $v: coverage, $sum"; grep FAIL "build/llvm/coverage-$v.log" | head ;; esac
    else bad "the coverage with LLVM $v"; fi
}
if [ "${1:-}" = sample ] && [ "$newest" ]; then # compiled by the compiler that takes least
    coverage "$newest" "$(command -v tcc || echo "${CC:-cc} -O0")" --quick --part 1/20
    finish
fi
for v in $some; do
    c=$(config "$v")
    if LLVM_CONFIG=$c ./build.sh llvm > build/llvm/$v.log 2>&1; then ok "the tool with LLVM $v"
    else bad "the tool with LLVM $v"; tail -5 build/llvm/$v.log; continue; fi
    cp build/xlagpu-llvm build/llvm/xlagpu-$v
    sum=$(XLAGPU_TOOL=build/llvm/xlagpu-$v XLAGPU_FLAGS=--backend=llvm QUIET=1 sh tests/scripts/corpus.sh host | tee \
        build/llvm/corpus-$v.log | tail -1)
    case $sum in *" 0 failed") ok "LLVM $v: corpus, $sum" ;;
        *) bad "LLVM $v: corpus, $sum"; grep FAIL build/llvm/corpus-$v.log | head ;; esac
    if [ "$v" = "$newest" ]; then coverage "$v" "${CC:-cc} -O1"; else coverage "$v" "${CC:-cc} -O1" --quick; fi
    device=${CUDA_HOME:-/usr/local/cuda}/nvvm/libdevice/libdevice.10.bc
    if [ -f "$device" ]; then
        build/llvm/xlagpu-$v compile tests/llvm/functions.hlo --target=sm_80 --backend=llvm --libdevice="$device" \
            --emit=llvm > build/llvm/functions.ll
        n=$(grep -c '^declare .* @__nv_' build/llvm/functions.ll)
        if [ "$n" = 24 ] && build/llvm/xlagpu-$v run tests/llvm/functions.hlo --platform=host --backend=llvm \
            --libdevice="$device" --rtol=1e-5 --atol=1e-5 > build/llvm/functions.txt 2>&1; then ok "LLVM $v: libdevice"
        else bad "LLVM $v: libdevice, $n functions"; tail -3 build/llvm/functions.txt; fi
    else absent "libdevice: its functions were not tried"; fi
    # the launch bounds that our printer finds reach LLVM's text
    for e in llvm ptx; do
        build/llvm/xlagpu-$v compile tests/corpus/dot_c64.hlo --target=sm_80 --backend=llvm --emit=$e \
            > build/llvm/bounds.$e
    done
    if grep -q '"minctasm", i32 1' build/llvm/bounds.llvm && grep -q '^\.minnctapersm 1' build/llvm/bounds.ptx &&
        grep -q '^\.reqntid 128' build/llvm/bounds.ptx; then ok "LLVM $v: launch bounds"
    else bad "LLVM $v: launch bounds"; fi
    python3 bench/backends.py --tool build/llvm/xlagpu-$v --out build/llvm/$v.tsv || bad "LLVM $v: bench/backends.py"
done
[ "$some" ] || absent "LLVM 16 or newer: the backend llvm was not tried"
finish
