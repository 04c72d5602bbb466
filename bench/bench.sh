#!/bin/sh
# bench/bench.sh -- measurements without a GPU, tab-separated: what each corpus module compiles to and how fast, the
# simulator's speed on GELU and on kernels by nvcc with and without checks, how compile times grow with the module, the
# speed of reading and printing literals. Run by ./build.sh bench. Times are the least of several and depend on the
# machine. What it prints is kept in build/bench.txt, and drawn as build/plots/*.svg where there is a Python.
set -u
if [ "${1:-}" != measure ]; then
    sh "$0" measure | tee build/bench.txt
    command -v python3 > /dev/null && python3 bench/plot.py build/bench.txt build/plots
    exit
fi
CC=${CC:-cc}
TARGET=${TARGET:-sm_90a}
echo "# machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -1), $(getconf _NPROCESSORS_ONLN) processors; $($CC --version | head -1)"
echo "# compiling for $TARGET: build/xlagpu compile --report"
build/xlagpu compile tests/corpus/*.hlo examples/gelu.hlo --target="$TARGET" --report
echo
echo "# GELU bf16[6,512,4096] on the simulator: build/xlagpu run examples/gelu.hlo --platform=host --summary"
build/xlagpu run examples/gelu.hlo --platform=host --summary
echo
echo "# simulator, one core: bench/sim.c"
$CC -O1 bench/sim.c -o build/bench_sim -lm -ldl -lpthread && build/bench_sim all 300
echo
echo "# growth: bench/scaling.c"
$CC -O2 bench/scaling.c build/compiler.o -o build/scaling -lm && build/scaling
echo
echo "# literals: bench/parse_literals.c"
$CC -O2 -I src bench/parse_literals.c -o build/parse_literals -lm && build/parse_literals
