#!/bin/sh
# bench/ladder.sh FAST_CU -- the model of time beside a published ladder: kernels 4, 7 and 8 of fast.cu (a checkout of
# github.com/pranjalssh/fast.cu), products of bf16 matrices of 8192 rows on an H100, as its author measured them. Wants
# nvcc. Prints rows of docs/time_model.md.
set -eu
NVCC=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
W=build/ladder
mkdir -p $W
${CC:-cc} -std=gnu99 -O1 bench/ladder.c -o $W/ladder -lm -ldl -lpthread
row() { # KERNEL PUBLISHED WHAT
    cat > $W/k$1.cu << EOF
#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda/barrier>
#include <cuda_bf16.h>
#include <cassert>
#include <stdio.h>
typedef __nv_bfloat16 bf16;
#define CEIL_DIV(M, N) (((M) + (N)-1) / (N))
#define cudaCheck(error) ((void)(error))
#include "$FAST/examples/matmul/matmul_$1.cuh"
void use(void) { runKernel$1(0, 0, 0, nullptr, nullptr, nullptr, nullptr); }
EOF
    "$NVCC" -w -std=c++17 -arch=sm_90a -DNDEBUG -ptx $W/k$1.cu -o $W/k$1.ptx
    set -- "$1" "$2" "$3" $($W/ladder $1 $W/k$1.ptx)
    echo "| $3 | $2 | $5 | $(echo "$5 $2" | awk '{ printf "%.2f", $1 / $2 }') | $6 |"
}
FAST=$(cd "$1" && pwd)
row 4 635 "4: 128x128, bulk copies by a warp group of their own"
row 7 778 "7: 128x256, two groups multiply, blocks stay"
row 8 799 "8: pairs of blocks share by multicast"
