#!/bin/sh
# bench/gpu.sh [FILE.hlo ...] -- timings on the GPU (bench/gpu.c): GELU and every corpus module, or the files given. Run by ./build.sh gpu-bench on a
# machine with a driver; it fails where there is none.
set -eu
CC=${CC:-cc}
[ $# -gt 0 ] || set -- examples/gelu.hlo tests/corpus/*.hlo
$CC -O2 bench/gpu.c -o build/bench_gpu -lm -ldl -lpthread
exec build/bench_gpu --platform=cuda --repeat=21 "$@"
