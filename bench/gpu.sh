#!/bin/sh
# bench/gpu.sh [FILE.hlo ...] -- timings on the GPU (bench/gpu.c): GELU and every corpus module, or the files given. Run
# by ./build.sh gpu-bench on a machine with a driver; it fails where there is none. XLAGPU_DRIVER names another driver
# library, GPU_ROUNDS how often each is timed (21).
set -eu
CC=${CC:-cc}
[ $# -gt 0 ] || set -- examples/gelu.hlo tests/corpus/*.hlo
$CC -O2 bench/gpu.c build/compiler.o build/runtime.o build/sim.o -o build/bench_gpu -lm -ldl -lpthread
exec build/bench_gpu --platform=cuda ${XLAGPU_DRIVER:+--driver=$XLAGPU_DRIVER} --repeat=${GPU_ROUNDS:-21} "$@"
