#!/bin/sh
# Compiles the kernels of this folder to the PTX that is committed beside them. Needs nvcc; run by hand.
set -e
cd "$(dirname "$0")"
for f in vector_add gemm_tiled reduce histogram bitonic gemm_mma gemm_wmma pipeline coop language; do
    for t in sm_75 sm_80 sm_90; do nvcc -ptx -O3 -std=c++17 -arch=$(echo $t | sed s/sm/compute/) $f.cu -o $f.$t.ptx; done
done
nvcc -ptx -O3 -std=c++17 -arch=compute_90 cluster.cu -o cluster.sm_90.ptx
nvcc -ptx -O3 -std=c++17 -arch=compute_90a gemm_wgmma.cu -o gemm_wgmma.sm_90a.ptx
for f in objects.sm_75 physics.sm_80 blocks.sm_80 halves.sm_80 halves.sm_90 scopes.sm_75 scopes.sm_90 groups.sm_75 groups.sm_90; do
    nvcc -ptx -O3 -std=c++17 -arch=$(echo ${f#*.} | sed s/sm/compute/) ${f%%.*}.cu -o $f.ptx
done
