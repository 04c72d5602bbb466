// Cooperative groups: tiles, coalesced and labelled groups, reductions and scans of them, asynchronous copies of a group.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
extern "C" __global__ void groups(const int *in, int *out, int *used) {
    __shared__ int copy[128];
    cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, copy, in + blockIdx.x * 128, sizeof(int) * 128);
    cg::wait(block);
    int x = copy[block.thread_rank()], y = 0;
    auto tile = cg::tiled_partition<16>(block);
    y = cg::reduce(tile, x, cg::plus<int>()) * 3 + cg::inclusive_scan(tile, x, cg::greater<int>());
    auto labelled = cg::labeled_partition(tile, x % 3);
    y += cg::reduce(labelled, x, cg::less<int>()) * 1000 + labelled.size();
    if (x & 1) {
        auto active = cg::coalesced_threads();
        if (active.thread_rank() == 0) atomicAdd(used, active.size());
        y += cg::exclusive_scan(active, 1) * 7;
    }
    auto half = cg::binary_partition(tile, (x & 2) != 0);
    y ^= half.size() << 20;
    out[block.group_index().x * 128 + block.thread_rank()] = y + tile.shfl_xor(x, 5) + tile.match_any(x % 4) % 97;
}
