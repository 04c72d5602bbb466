// Cooperative groups: tiles of 8 threads, reductions, coalesced groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
extern "C" __global__ void tiles(const int *in, int *out) {
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    int v = in[blockIdx.x * blockDim.x + block.thread_rank()];
    int sum = cg::reduce(tile, v, cg::plus<int>()), most = cg::reduce(tile, v, cg::greater<int>()), before = cg::exclusive_scan(tile, v);
    __shared__ int total;
    if (block.thread_rank() == 0) total = 0;
    block.sync();
    if (v & 1) { // whoever is here
        auto here = cg::coalesced_threads();
        if (here.thread_rank() == 0) atomicAdd(&total, here.size());
    }
    block.sync();
    out[blockIdx.x * blockDim.x + block.thread_rank()] = sum * 10000 + most * 100 + before + total * 1000000;
}
