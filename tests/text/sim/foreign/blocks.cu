// The block primitives of cub: radix sort, scan, reduction, histogram, run lengths, exchange, load and store through warps.
#include <cub/cub.cuh>
struct Most { template <class T> __device__ T operator()(T a, T b) const { return a > b ? a : b; } };
struct Differ { template <class T> __device__ bool operator()(T a, T b) const { return a != b; } };
extern "C" __global__ void sort_pairs(const unsigned *keys, const int *values, unsigned *keys_out, int *values_out) {
    typedef cub::BlockRadixSort<unsigned, 128, 4, int> Sort;
    typedef cub::BlockLoad<unsigned, 128, 4, cub::BLOCK_LOAD_WARP_TRANSPOSE> Load;
    typedef cub::BlockStore<unsigned, 128, 4, cub::BLOCK_STORE_TRANSPOSE> Store;
    __shared__ union { Sort::TempStorage sort; Load::TempStorage load; Store::TempStorage store; } s;
    unsigned k[4];
    int v[4], at = blockIdx.x * 512;
    Load(s.load).Load(keys + at, k);
    for (int i = 0; i < 4; i++) v[i] = values[at + threadIdx.x * 4 + i];
    __syncthreads();
    Sort(s.sort).Sort(k, v); // stable
    __syncthreads();
    Store(s.store).Store(keys_out + at, k);
    for (int i = 0; i < 4; i++) values_out[at + threadIdx.x * 4 + i] = v[i];
}
extern "C" __global__ void scans(const int *in, int *exclusive, int *inclusive, double *most, int *total, int n) {
    typedef cub::BlockScan<int, 256, cub::BLOCK_SCAN_WARP_SCANS> Warps;
    typedef cub::BlockScan<int, 256, cub::BLOCK_SCAN_RAKING_MEMOIZE> Raking;
    typedef cub::BlockReduce<double, 256, cub::BLOCK_REDUCE_RAKING> Reduce;
    __shared__ union { Warps::TempStorage w; Raking::TempStorage r; Reduce::TempStorage m; } s;
    int i = blockIdx.x * 256 + threadIdx.x, x = i < n ? in[i] : 0, e, y, sum;
    Warps(s.w).ExclusiveSum(x, e, sum);
    __syncthreads();
    Raking(s.r).InclusiveScan(x, y, Most());
    __syncthreads();
    double m = Reduce(s.m).Reduce(x * 0.25, Most());
    if (i < n) { exclusive[i] = e; inclusive[i] = y; }
    if (threadIdx.x == 0) { total[blockIdx.x] = sum; most[blockIdx.x] = m; }
}
extern "C" __global__ void counts(const unsigned char *in, unsigned *bins, int *heads) {
    typedef cub::BlockHistogram<unsigned char, 128, 8, 64, cub::BLOCK_HISTO_SORT> Sorted;
    typedef cub::BlockDiscontinuity<int, 128> Heads;
    __shared__ union { Sorted::TempStorage h; Heads::TempStorage d; } s;
    __shared__ unsigned local[64];
    unsigned char x[8];
    int flags[8], v[8];
    for (int i = 0; i < 8; i++) { x[i] = in[threadIdx.x * 8 + i]; v[i] = x[i] >> 4; }
    Sorted(s.h).Histogram(x, local);
    __syncthreads();
    if (threadIdx.x < 64) bins[threadIdx.x] = local[threadIdx.x];
    __syncthreads();
    Heads(s.d).FlagHeads(flags, v, Differ());
    for (int i = 0; i < 8; i++) heads[threadIdx.x * 8 + i] = flags[i];
}
