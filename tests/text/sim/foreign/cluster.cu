// Clusters of sm_90: a histogram spread over the shared memory of four blocks.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void __cluster_dims__(4, 1, 1) histogram(const int *in, int *bins, int n) { // 64 bins, 16 a block
    __shared__ int mine[16];
    cg::cluster_group cluster = cg::this_cluster();
    int t = threadIdx.x;
    if (t < 16) mine[t] = 0;
    cluster.sync();
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
        int v = in[i] & 63;
        int *there = cluster.map_shared_rank(mine, v / 16);
        atomicAdd(there + v % 16, 1);
    }
    cluster.sync();
    if (t < 16) atomicAdd(&bins[cluster.block_rank() * 16 + t], mine[t]);
}
