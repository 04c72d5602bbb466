#!/usr/bin/env python3
"""Runs CUTLASS kernels that nvcc compiles, for several architectures, on the PTX simulator, and compares them
with NumPy. Needs no GPU. Run by hand; it needs Python with numpy and ml_dtypes, CUTLASS's headers, and nvcc of CUDA
12.8 or later:

    pip install nvidia-cutlass                       # the headers are in cutlass_library/source/include
    python3 tests/scripts/cutlass_kernels.py [--only REGEX] [--tool build/xlagpu] [--nvcc nvcc] [--include DIR] [--keep DIR]

A case is a kernel function around a CUTLASS kernel, whose parameters it makes itself, so that no host code is needed.
All of the simulator's checks are on. Prints a line for each case and 'N passed, N failed'.

Products by cp.async have whole tiles, and at least as many steps as stages: of rows beyond the matrix CUTLASS copies
nothing into shared memory, and multiplies what is there; the simulator reports such reads. Others have odd sizes."""

import argparse, os, re, subprocess, sys, tempfile, time
from concurrent.futures import ThreadPoolExecutor
import ml_dtypes
import numpy as np

BF16 = ml_dtypes.bfloat16
RNG = np.random.default_rng(5)

# The argument list of every product: D = epilogue(alpha A B + beta C).
HEAD = """
#include "cutlass/gemm/device/gemm.h"
#include "cutlass/gemm/device/gemm_batched.h"
#include "cutlass/epilogue/thread/linear_combination_relu.h"
#include "cutlass/epilogue/thread/linear_combination_gelu.h"
using namespace cutlass;
using R = layout::RowMajor;
using C = layout::ColumnMajor;
template <class S> __device__ gemm::GemmCoord tiles(int m, int n, int deep = 1) {
    return {(m + S::kM - 1) / S::kM, (n + S::kN - 1) / S::kN, deep};
}
template <class Op> __device__ typename Op::EpilogueOutputOp::Params factors(float alpha, float beta) {
    using E = typename Op::EpilogueOutputOp::ElementCompute;
    return {E(alpha), E(beta)};
}
#define ARGUMENTS const void *a, const void *b, const void *c, void *d, int m, int n, int k, float alpha, float beta
template <class Op> __device__ void product(ARGUMENTS) {
    using K = typename Op::GemmKernel;
    extern __shared__ __align__(128) char shared[];
    typename K::Params p({m, n, k}, tiles<typename Op::ThreadblockShape>(m, n),
        {(typename Op::ElementA *)a, Op::LayoutA::packed({m, k})},
        {(typename Op::ElementB *)b, Op::LayoutB::packed({k, n})},
        {(typename Op::ElementC *)c, Op::LayoutC::packed({m, n})},
        {(typename Op::ElementC *)d, Op::LayoutC::packed({m, n})},
        factors<Op>(alpha, beta));
    K()(p, *reinterpret_cast<typename K::SharedStorage *>(shared));
}
template <class Op> __device__ void batched(ARGUMENTS) {
    using K = typename Op::GemmKernel;
    extern __shared__ __align__(128) char shared[];
    const int batches = gridDim.z;
    typename K::Params p({m, n, k}, tiles<typename Op::ThreadblockShape>(m, n, batches),
        {(typename Op::ElementA *)a, Op::LayoutA::packed({m, k})}, (int64_t)m * k,
        {(typename Op::ElementB *)b, Op::LayoutB::packed({k, n})}, (int64_t)k * n,
        {(typename Op::ElementC *)c, Op::LayoutC::packed({m, n})}, (int64_t)m * n,
        {(typename Op::ElementC *)d, Op::LayoutC::packed({m, n})}, (int64_t)m * n, factors<Op>(alpha, beta), batches);
    K()(p, *reinterpret_cast<typename K::SharedStorage *>(shared));
}
#define KERNEL(function, Op) \\
    __device__ unsigned shared_bytes = sizeof(typename Op::GemmKernel::SharedStorage); \\
    extern "C" __global__ void __launch_bounds__(Op::GemmKernel::kThreadCount) kernel(ARGUMENTS) { \\
        function<Op>(a, b, c, d, m, n, k, alpha, beta); \\
    }
"""
GEMM = (
    "gemm::device::Gemm<%(a)s, %(la)s, %(b)s, %(lb)s, %(c)s, R, %(acc)s, arch::%(cls)s, arch::%(arch)s, "
    "%(shapes)s%(more)s>"
)


def shapes(block, warp, instruction):
    return ", ".join("gemm::GemmShape<%d, %d, %d>" % s for s in (block, warp, instruction))


def gemm(
    a="half_t",
    b=None,
    c="float",
    acc="float",
    la="R",
    lb="C",
    cls="OpClassTensorOp",
    arch="Sm80",
    shapes_="",
    more="",
    function="product",
    batched=False,
):
    op = GEMM % dict(a=a, b=b or a, c=c, acc=acc, la=la, lb=lb, cls=cls, arch=arch, shapes=shapes_, more=more)
    if batched:
        op = op.replace("device::Gemm<", "device::GemmBatched<")
    return HEAD + "using Op = %s;\nKERNEL(%s, Op)\n" % (op, "batched" if batched else "product")


# Hopper's and Blackwell's products by CuTe's layouts, atoms and partitions. All threads copy a tile; what they wrote
# must be made visible to the matrix units (CUTLASS's own loops over cp.async leave that fence out, and the simulator
# reports it); one block makes a tile of D.
CUTE = """
#include <cute/tensor.hpp>
#include <cutlass/arch/barrier.h>
#include <cute/arch/tmem_allocator_sm100.hpp>
using namespace cute;
using Element = cutlass::%(type)s;
constexpr int M = %(m)d, N = %(n)d, K = %(k)d;
template <class T> __device__ void fill(T &&to, Element const *from, int rows, int first, int row, int k) {
    for (int i = threadIdx.x; i < rows * K; i += blockDim.x)
        to(i / K, i %% K) = from[(size_t)(first + i / K) * row + k + i %% K];
}
template <class P> __device__ auto block_of(P *p, int m, int n) {
    return local_tile(make_tensor(make_gmem_ptr(p), make_shape(m, n), make_stride(n, 1)), Shape<Int<M>, Int<N>>{},
        make_coord(blockIdx.x, blockIdx.y));
}
// The tile of a pair of blocks.
template <class P> __device__ auto pair_of(P *p, int m, int n) {
    return local_tile(make_tensor(make_gmem_ptr(p), make_shape(m, n), make_stride(n, 1)), Shape<Int<M>, Int<N>>{},
        make_coord(blockIdx.x / 2, blockIdx.y));
}
#define FACTORS float alpha, float beta
#define ARGUMENTS const Element *a, const Element *b, const float *c, float *d, int m, int n, int k, FACTORS
"""
SM90 = CUTE + """
struct Shared {
    alignas(1024) Element a[M * K];
    alignas(1024) Element b[N * K];
};
__device__ unsigned shared_bytes = sizeof(Shared) + 1024;
extern "C" __global__ void __launch_bounds__(128) kernel(ARGUMENTS) {
    extern __shared__ __align__(1024) char room[];
    Shared &s = *reinterpret_cast<Shared *>(room);
    using Atom = GMMA::Layout_K_%(swizzle)s_Atom<Element>;
    auto la = tile_to_shape(Atom{}, Shape<Int<M>, Int<K>>{});
    auto lb = tile_to_shape(Atom{}, Shape<Int<N>, Int<K>>{});
    auto mma = make_tiled_mma(GMMA::ss_op_selector<Element, Element, float, Shape<Int<M>, Int<N>, Int<K>>>());
    auto part = mma.get_slice(threadIdx.x);
    Tensor fa = part.make_fragment_A(part.partition_A(make_tensor(make_smem_ptr(s.a), la)));
    Tensor fb = part.make_fragment_B(part.partition_B(make_tensor(make_smem_ptr(s.b), lb)));
    Tensor tc = part.partition_C(block_of(c, m, n));
    Tensor td = part.partition_C(block_of(d, m, n));
    Tensor sum = part.make_fragment_C(td);
    clear(sum);
    for (int at = 0; at < k; at += K) {
        fill(make_tensor(make_smem_ptr(s.a), la), a, M, blockIdx.x * M, k, at);
        fill(make_tensor(make_smem_ptr(s.b), lb), b, N, blockIdx.y * N, k, at);
        cutlass::arch::fence_view_async_shared();
        __syncthreads();
        warpgroup_arrive();
        gemm(mma, fa, fb, sum);
        warpgroup_commit_batch();
        warpgroup_wait<0>();
        __syncthreads();
    }
    for (int i = 0; i < size(sum); i++) td(i) = alpha * sum(i) + beta * tc(i);
}
"""
SM100 = CUTE + """
struct Shared {
    alignas(1024) Element a[M * K];
    alignas(1024) Element b[N * K];
    alignas(16) uint64_t done;
    alignas(16) uint32_t base;
};
__device__ unsigned shared_bytes = sizeof(Shared) + 1024;
extern "C" __global__ void __launch_bounds__(128) kernel(ARGUMENTS) {
    extern __shared__ __align__(1024) char room[];
    Shared &s = *reinterpret_cast<Shared *>(room);
    using Atom = UMMA::Layout_K_%(swizzle)s_Atom<Element>;
    auto mma = make_tiled_mma(%(op)s<Element, Element, float, M, N, UMMA::Major::K, UMMA::Major::K>{});
    auto la = tile_to_shape(Atom{}, Shape<Int<M>, Int<K>>{});
    auto lb = tile_to_shape(Atom{}, Shape<Int<N>, Int<K>>{});
    auto ua = UMMA::tile_to_mma_shape(Atom{}, partition_shape_A(mma, Shape<Int<M>, Int<K>>{}));
    auto ub = UMMA::tile_to_mma_shape(Atom{}, partition_shape_B(mma, Shape<Int<N>, Int<K>>{}));
    auto part = mma.get_slice(0);
    Tensor fa = part.make_fragment_A(make_tensor(make_smem_ptr(s.a), ua));
    Tensor fb = part.make_fragment_B(make_tensor(make_smem_ptr(s.b), ub));
    Tensor tc = part.partition_C(block_of(c, m, n));
    Tensor td = part.partition_C(block_of(d, m, n));
    Tensor sum = part.make_fragment_C(td);
    TMEM::Allocator1Sm columns;
    if (threadIdx.x / 32 == 0) columns.allocate(TMEM::Allocator1Sm::Sm100TmemCapacityColumns, &s.base);
    if (threadIdx.x == 0) initialize_barrier(s.done, 1);
    cutlass::arch::fence_barrier_init();
    __syncthreads();
    sum.data() = s.base;
    mma.accumulate_ = UMMA::ScaleOut::Zero;
    int phase = 0;
    for (int at = 0; at < k; at += K) {
        fill(make_tensor(make_smem_ptr(s.a), la), a, M, blockIdx.x * M, k, at);
        fill(make_tensor(make_smem_ptr(s.b), lb), b, N, blockIdx.y * N, k, at);
        cutlass::arch::fence_view_async_shared();
        __syncthreads();
        if (threadIdx.x / 32 == 0) {
            for (int j = 0; j < size<2>(fa); j++) {
                gemm(mma, fa(_, _, j), fb(_, _, j), sum);
                mma.accumulate_ = UMMA::ScaleOut::One;
            }
            cutlass::arch::umma_arrive(&s.done);
        }
        wait_barrier(s.done, phase);
        phase ^= 1;
    }
    auto load = make_tmem_copy(SM100_TMEM_LOAD_32dp32b1x{}, sum);
    auto own = load.get_slice(threadIdx.x);
    Tensor od = own.partition_D(td);
    Tensor oc = own.partition_D(tc);
    Tensor got = make_tensor<float>(shape(od));
    copy(load, own.partition_S(sum), got);
    for (int i = 0; i < size(got); i++) od(i) = alpha * got(i) + beta * oc(i);
    __syncthreads();
    if (threadIdx.x / 32 == 0) {
        columns.release_allocation_lock();
        columns.free(s.base, TMEM::Allocator1Sm::Sm100TmemCapacityColumns);
    }
}
"""

# Clusters of two blocks, whose tiles come by tensor maps. A block makes its maps itself, since no host code runs.
MAPS = CUTE + """
#include <cute/arch/cluster_sm90.hpp>
#include <cute/arch/copy_sm100_tma.hpp>
constexpr uint64_t HINT = 0x1000000000000000; // evict normally
struct alignas(128) Map {
    char bytes[128];
};
__device__ Map maps[256];
#define FIELD(name, type, code, ...) \\
    asm volatile("tensormap.replace.tile." name ".shared::cta.b1024." type " [%%0], " __VA_ARGS__ ";" ::"r"(at), code)
// Boxes of so many rows and K elements, 128 bytes each, with their swizzle; the whole warp.
__device__ void describe(Map *to, Map *here, Element const *from, int all, int k, int rows) {
    uint32_t at = cast_smem_ptr_to_uint(here), one = 1, box = K, kind = %(kind)d;
    uint64_t row = sizeof(Element) * k, address = (uint64_t)from;
    if (threadIdx.x < 32) ((uint32_t *)here)[threadIdx.x] = 0;
    __syncwarp();
    if (threadIdx.x == 0) {
        FIELD("global_address", "b64", "l"(address), "%%1");
        FIELD("rank", "b32", "r"(one), "%%1");
        FIELD("box_dim", "b32", "r"(box), "0, %%1");
        FIELD("box_dim", "b32", "r"(rows), "1, %%1");
        FIELD("global_dim", "b32", "r"(k), "0, %%1");
        FIELD("global_dim", "b32", "r"(all), "1, %%1");
        FIELD("global_stride", "b64", "l"(row), "0, %%1");
        FIELD("element_stride", "b32", "r"(one), "0, %%1");
        FIELD("element_stride", "b32", "r"(one), "1, %%1");
        FIELD("elemtype", "b32", "n"(%(kind)d), "%%1");
        FIELD("interleave_layout", "b32", "n"(0), "%%1");
        FIELD("swizzle_mode", "b32", "n"(3), "%%1");
        FIELD("fill_mode", "b32", "n"(0), "%%1");
    }
    __syncwarp();
    tma_descriptor_cp_fence_release((TmaDescriptor const *)to, *(TmaDescriptor *)here);
    tma_descriptor_fence_acquire((TmaDescriptor const *)to);
}
"""
# Two blocks with one B: each brings half of it to both.
SM90_MULTICAST = MAPS + """
struct Shared {
    alignas(1024) Element a[M * K];
    alignas(1024) Element b[N * K];
    Map map[2];
    alignas(16) uint64_t full;
};
__device__ unsigned shared_bytes = sizeof(Shared) + 1024;
extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(128) kernel(ARGUMENTS) {
    extern __shared__ __align__(1024) char room[];
    Shared &s = *reinterpret_cast<Shared *>(room);
    using Atom = GMMA::Layout_K_SW128_Atom<Element>;
    auto mma = make_tiled_mma(GMMA::ss_op_selector<Element, Element, float, Shape<Int<M>, Int<N>, Int<K>>>());
    auto part = mma.get_slice(threadIdx.x);
    auto la = tile_to_shape(Atom{}, Shape<Int<M>, Int<K>>{});
    auto lb = tile_to_shape(Atom{}, Shape<Int<N>, Int<K>>{});
    Tensor fa = part.make_fragment_A(part.partition_A(make_tensor(make_smem_ptr(s.a), la)));
    Tensor fb = part.make_fragment_B(part.partition_B(make_tensor(make_smem_ptr(s.b), lb)));
    Tensor tc = part.partition_C(block_of(c, m, n));
    Tensor td = part.partition_C(block_of(d, m, n));
    Tensor sum = part.make_fragment_C(td);
    Map *own = maps + 2 * (blockIdx.x + gridDim.x * blockIdx.y);
    const int rank = block_rank_in_cluster();
    int phase = 0;
    clear(sum);
    if (threadIdx.x < 32) {
        describe(own, &s.map[0], a, m, k, M);
        describe(own + 1, &s.map[1], b, n, k, N / 2);
    }
    if (threadIdx.x == 0) initialize_barrier(s.full, 1);
    cutlass::arch::fence_barrier_init();
    cluster_arrive_relaxed();
    cluster_wait();
    for (int at = 0; at < k; at += K, phase ^= 1) {
        if (threadIdx.x == 0) {
            set_barrier_transaction_bytes(s.full, (M + N) * K * sizeof(Element));
            SM90_TMA_LOAD_2D::copy(own, &s.full, HINT, s.a, at, blockIdx.x * M);
            SM90_TMA_LOAD_MULTICAST_2D::copy(own + 1, &s.full, 3, HINT, s.b + rank * (N / 2) * K, at,
                blockIdx.y * N + rank * (N / 2));
        }
        wait_barrier(s.full, phase);
        warpgroup_arrive();
        gemm(mma, fa, fb, sum);
        warpgroup_commit_batch();
        warpgroup_wait<0>();
        cluster_arrive();
        cluster_wait();
    }
    for (int i = 0; i < size(sum); i++) td(i) = alpha * sum(i) + beta * tc(i);
}
"""
# A pair of blocks that multiply together: each brings half of A and of B, both to the barrier of the first one.
SM100_PAIR = MAPS + """
struct Shared {
    alignas(1024) Element a[M / 2 * K];
    alignas(1024) Element b[N / 2 * K];
    Map map[2];
    alignas(16) uint64_t full;
    alignas(16) uint64_t done;
    alignas(16) uint32_t base;
};
__device__ unsigned shared_bytes = sizeof(Shared) + 1024;
extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(128) kernel(ARGUMENTS) {
    extern __shared__ __align__(1024) char room[];
    Shared &s = *reinterpret_cast<Shared *>(room);
    using Atom = UMMA::Layout_K_SW128_Atom<Element>;
    using Op = SM100_MMA_F16BF16_2x1SM_SS<Element, Element, float, M, N, UMMA::Major::K, UMMA::Major::K>;
    auto mma = make_tiled_mma(Op{});
    const int rank = block_rank_in_cluster(), pair = blockIdx.x / 2;
    auto ua = UMMA::tile_to_mma_shape(Atom{}, partition_shape_A(mma, Shape<Int<M>, Int<K>>{}));
    auto ub = UMMA::tile_to_mma_shape(Atom{}, partition_shape_B(mma, Shape<Int<N>, Int<K>>{}));
    auto part = mma.get_slice(rank);
    Tensor fa = part.make_fragment_A(make_tensor(make_smem_ptr(s.a), ua));
    Tensor fb = part.make_fragment_B(make_tensor(make_smem_ptr(s.b), ub));
    Tensor tc = part.partition_C(pair_of(c, m, n));
    Tensor td = part.partition_C(pair_of(d, m, n));
    Tensor sum = part.make_fragment_C(td);
    TMEM::Allocator2Sm columns;
    Map *own = maps + 2 * (blockIdx.x + gridDim.x * blockIdx.y);
    int phase = 0;
    if (threadIdx.x < 32) {
        columns.allocate(TMEM::Allocator2Sm::Sm100TmemCapacityColumns, &s.base);
        describe(own, &s.map[0], a, m, k, M / 2);
        describe(own + 1, &s.map[1], b, n, k, N / 2);
    }
    if (threadIdx.x == 0) {
        initialize_barrier(s.full, 1);
        initialize_barrier(s.done, 1);
    }
    cutlass::arch::fence_barrier_init();
    __syncthreads();
    cluster_arrive();
    cluster_wait();
    sum.data() = s.base;
    mma.accumulate_ = UMMA::ScaleOut::Zero;
    for (int at = 0; at < k; at += K, phase ^= 1) {
        if (threadIdx.x == 0) {
            if (rank == 0) set_barrier_transaction_bytes(s.full, (M + N) * K * sizeof(Element));
            SM100_TMA_2SM_LOAD_2D::copy(own, &s.full, HINT, s.a, at, pair * M + rank * (M / 2));
            SM100_TMA_2SM_LOAD_2D::copy(own + 1, &s.full, HINT, s.b, at, blockIdx.y * N + rank * (N / 2));
        }
        if (rank == 0 && threadIdx.x < 32) {
            wait_barrier(s.full, phase);
            for (int j = 0; j < size<2>(fa); j++) {
                gemm(mma, fa(_, _, j), fb(_, _, j), sum);
                mma.accumulate_ = UMMA::ScaleOut::One;
            }
            cutlass::arch::umma_arrive_multicast_2x1SM(&s.done, 3);
        }
        wait_barrier(s.done, phase);
    }
    auto load = make_tmem_copy(SM100_TMEM_LOAD_32dp32b1x{}, sum);
    auto mine = load.get_slice(threadIdx.x);
    Tensor od = mine.partition_D(td);
    Tensor oc = mine.partition_D(tc);
    Tensor got = make_tensor<float>(shape(od));
    copy(load, mine.partition_S(sum), got);
    for (int i = 0; i < size(got); i++) od(i) = alpha * got(i) + beta * oc(i);
    __syncthreads();
    cluster_arrive();
    cluster_wait();
    if (threadIdx.x < 32) {
        columns.release_allocation_lock();
        columns.free(s.base, TMEM::Allocator2Sm::Sm100TmemCapacityColumns);
    }
}
"""


class Case:
    def __init__(
        self, name, sm, source, block, a, b, c, d, want, sizes, factors=(1.0, 0.0), rtol=1e-3, atol=1e-3, batches=1
    ):
        self.__dict__.update(locals())


def numbers(shape, t, small=False):
    """Numbers that the product's type holds exactly: small integers, or values of few bits."""
    if np.dtype(t).kind == "i":
        return RNG.integers(-100, 100, shape).astype(t)
    return (RNG.integers(-8, 9, shape) / 8).astype(t)


def product_case(
    name,
    sm,
    source,
    block,
    t,
    sizes,
    lb="C",
    la="R",
    ct=np.float32,
    factors=(1.0, 0.0),
    after=lambda x: x,
    batches=1,
    **kw
):
    m, n, k = sizes
    a, b, c = numbers((batches, m, k), t), numbers((batches, k, n), t), numbers((batches, m, n), ct)
    wide = np.int64 if np.dtype(t).kind == "i" else np.float64
    want = after(np.einsum("bmk,bkn->bmn", a.astype(wide), b.astype(wide)) * factors[0] + c.astype(wide) * factors[1])
    lay = lambda x, l: np.ascontiguousarray(x if l == "R" else x.transpose(0, 2, 1))
    return Case(
        name, sm, source, block, lay(a, la), lay(b, lb), c, np.dtype(ct), want, sizes, factors, batches=batches, **kw
    )


def gelu(x):
    from math import erf

    return np.vectorize(lambda v: 0.5 * v * (1 + erf(v / 2**0.5)))(x)


# fmt: off
TILE = shapes((128, 128, 32), (64, 64, 32), (16, 8, 16))
SCALED = ", epilogue::thread::LinearCombination%s<%s, %d, float, float>"
INTS = ", epilogue::thread::LinearCombination<int32_t, 4, int32_t, float>"
DOUBLES = ", epilogue::thread::LinearCombination<double, 1, double, double>"
STAGES = ", gemm::threadblock::GemmIdentityThreadblockSwizzle<>, 4"
SIMT = dict(cls="OpClassSimt", more=SCALED % ("", "float", 1))
F16, F32, F64, S8, S32 = np.float16, np.float32, np.float64, np.int8, np.int32


def cute(text, t, m, n, k, swizzle="SW128", op="SM100_MMA_F16BF16_SS"):
    kind = dict(half_t=6, bfloat16_t=10).get(t, 0)  # of an element of a tensor map
    return text % dict(type=t, m=m, n=n, k=k, swizzle=swizzle, op=op, kind=kind)


def exact(x):
    return dict(ct=x, rtol=0 if x == S32 else 1e-12, atol=0 if x == S32 else 1e-12)


# Name, architecture, kernel, its tile, type of A and B, sizes, and what is not usual.
PRODUCTS = [
    ("f16 product, rows by columns", "80", gemm(shapes_=TILE), (128, 128), F16, (256, 128, 104), {}),
    ("f16 product, columns by rows, added to C", "80", gemm(la="C", lb="R", shapes_=TILE), (128, 128), F16,
     (128, 256, 136), dict(la="C", lb="R", factors=(0.5, 2.0))),
    ("bf16 product with relu, bf16 results", "80",
     gemm("bfloat16_t", c="bfloat16_t", shapes_=TILE, more=SCALED % ("Relu", "bfloat16_t", 8)), (128, 128), BF16,
     (128, 128, 96), dict(ct=BF16, after=lambda x: np.maximum(x, 0), rtol=1e-2)),
    ("f16 product with gelu", "80", gemm(shapes_=TILE, more=SCALED % ("GELU", "float", 4)), (128, 128), F16,
     (128, 128, 96), dict(factors=(0.25, 0.0), after=gelu)),
    ("f16 product by four stages, tiles of 256 by 64", "80",
     gemm(shapes_=shapes((256, 64, 32), (64, 64, 32), (16, 8, 16)), more=SCALED % ("", "float", 4) + STAGES), (256, 64),
     F16, (256, 64, 200), {}),
    ("tf32 product", "80", gemm("tfloat32_t", shapes_=shapes((128, 128, 16), (64, 64, 16), (16, 8, 8))), (128, 128),
     F32, (128, 128, 52), {}),
    ("s8 product", "80", gemm("int8_t", c="int32_t", acc="int32_t", more=INTS,
     shapes_=shapes((128, 128, 64), (64, 64, 64), (16, 8, 32))), (128, 128), S8, (128, 256, 208), exact(S32)),
    ("f64 product", "80", gemm("double", c="double", acc="double", more=DOUBLES,
     shapes_=shapes((64, 64, 16), (32, 32, 16), (8, 8, 4))), (64, 64), F64, (64, 128, 50), exact(F64)),
    ("f32 product without matrix units", "80", gemm("float", lb="R", **SIMT,
     shapes_=shapes((128, 128, 8), (32, 64, 8), (1, 1, 1))), (128, 128), F32, (130, 140, 33),
     dict(lb="R", factors=(1.0, 1.0))),
    ("f16 product by Turing's mma", "75", gemm(arch="Sm75", shapes_=shapes((128, 128, 32), (64, 64, 32), (16, 8, 8))),
     (128, 128), F16, (136, 128, 64), {}),
    ("s8 product by Turing's mma", "75", gemm("int8_t", c="int32_t", acc="int32_t", arch="Sm75", more=INTS,
     shapes_=shapes((64, 64, 64), (32, 32, 64), (8, 8, 16))), (64, 64), S8, (64, 128, 128), exact(S32)),
    ("f16 product by Volta's mma", "75", gemm(arch="Sm70", shapes_=shapes((128, 128, 32), (64, 64, 32), (8, 8, 4))),
     (128, 128), F16, (128, 128, 64), {}),
    ("batch of f16 products", "80", gemm(shapes_=TILE, batched=True), (128, 128), F16, (128, 128, 104),
     dict(batches=3)),
    ("batch of f32 products without matrix units", "80", gemm("float", batched=True, **SIMT,
     shapes_=shapes((64, 64, 8), (32, 32, 8), (1, 1, 1))), (64, 64), F32, (65, 70, 20), dict(batches=2)),
    ("f16 product by wgmma", "90a", cute(SM90, "half_t", 64, 128, 64), (64, 128), F16, (128, 256, 192),
     dict(factors=(2.0, 0.5))),
    ("bf16 product by wgmma, swizzle of 64 bytes", "90a", cute(SM90, "bfloat16_t", 128, 64, 32, "SW64"), (128, 64),
     BF16, (128, 128, 96), {}),
    ("tf32 product by wgmma", "90a", cute(SM90, "tfloat32_t", 64, 64, 32), (64, 64), F32, (128, 64, 128), {}),
    ("f16 product by tcgen05", "100a", cute(SM100, "half_t", 128, 256, 64), (128, 256), F16, (128, 512, 192),
     dict(factors=(2.0, 0.5))),
    ("bf16 product by tcgen05, swizzle of 64 bytes", "100a", cute(SM100, "bfloat16_t", 128, 64, 32, "SW64"), (128, 64),
     BF16, (256, 64, 96), {}),
    ("tf32 product by tcgen05", "100a", cute(SM100, "tfloat32_t", 128, 128, 32, op="SM100_MMA_TF32_SS"), (128, 128),
     F32, (128, 128, 64), {}),
    ("f16 product by wgmma, B by multicast", "90a", cute(SM90_MULTICAST, "half_t", 64, 128, 64), (64, 128), F16,
     (256, 256, 192), dict(factors=(2.0, 0.5))),
    ("bf16 product by wgmma, B by multicast", "90a", cute(SM90_MULTICAST, "bfloat16_t", 128, 64, 64), (128, 64), BF16,
     (256, 64, 320), {}),
    ("f16 product by tcgen05, pairs of blocks", "100a", cute(SM100_PAIR, "half_t", 256, 128, 64), (128, 128), F16,
     (512, 256, 192), dict(factors=(2.0, 0.5))),
    ("bf16 product by tcgen05, pairs of blocks", "100a", cute(SM100_PAIR, "bfloat16_t", 256, 256, 64), (128, 256),
     BF16, (256, 256, 128), {}),
]
# fmt: on


def cases():
    for name, sm, source, block, t, sizes, more in PRODUCTS:
        yield product_case(name, sm, source, block, t, sizes, **more)


def run(case, o, number):
    """Seconds, and what is wrong (None: nothing)."""
    begin, folder = time.time(), os.path.join(o.keep, "%02d" % number)
    os.makedirs(folder, exist_ok=True)
    at = lambda name: os.path.join(folder, name)
    open(at("k.cu"), "w").write(case.source)
    done = subprocess.run(
        [
            o.nvcc,
            "-std=c++17",
            "-ptx",
            "-w",
            "-lineinfo",
            "-arch=sm_" + case.sm,
            "-I" + o.include,
            "--expt-relaxed-constexpr",
            "-o",
            at("k.ptx"),
            at("k.cu"),
        ],
        capture_output=True,
        text=True,
    )
    if done.returncode:
        return time.time() - begin, "nvcc: " + done.stderr[:2000]
    ptx = open(at("k.ptx")).read()
    shared = re.search(r"shared_bytes = (\d+)", ptx).group(1)
    threads = re.search(r"\.maxntid (\d+)", ptx).group(1)
    raw = lambda x: x.view(np.uint16) if x.dtype == BF16 else x
    for name in "abc":
        np.save(at(name + ".npy"), raw(getattr(case, name)))
    m, n, k = case.sizes
    grid = "%d,%d,%d" % (-(-m // case.block[0]), -(-n // case.block[1]), case.batches)
    kind = "u16" if case.d == BF16 else {"f": "f", "i": "s"}[case.d.kind] + str(8 * case.d.itemsize)
    args = ["in:" + at(x + ".npy") for x in "abc"] + ["out:%s:%d:%s" % (kind, case.want.size, at("d.npy"))]
    args += ["i32:%d" % x for x in case.sizes] + ["f32:%g" % x for x in case.factors]
    command = [
        o.tool,
        "sim",
        at("k.ptx"),
        "--entry=kernel",
        "--grid=" + grid,
        "--block=" + threads,
        "--shared=" + shared,
    ]
    done = subprocess.run(command + [x for a in args for x in ("--arg", a)], capture_output=True, text=True)
    if done.returncode:
        return time.time() - begin, "%s\n%s" % (" ".join(command), done.stderr[-2000:])
    got = np.load(at("d.npy"))
    got = (got.view(BF16) if case.d == BF16 else got).astype(np.float64).reshape(case.want.shape)
    bad = np.abs(got - case.want) > case.atol + case.rtol * np.abs(case.want)
    if bad.any():
        i = tuple(np.argwhere(bad)[0])
        return time.time() - begin, "%d of %d differ, first at %s: %g, not %g" % (
            bad.sum(),
            bad.size,
            i,
            got[i],
            case.want[i],
        )
    return time.time() - begin, None


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--only", default="")
    p.add_argument("--tool", default="build/xlagpu")
    p.add_argument("--nvcc", default="nvcc")
    p.add_argument("--include", default="")
    p.add_argument("--keep", default="")
    o = p.parse_args()
    o.keep = o.keep or tempfile.mkdtemp()
    if not o.include:
        import cutlass_library

        o.include = os.path.join(os.path.dirname(cutlass_library.__file__), "source", "include")
    chosen = [(i, c) for i, c in enumerate(cases()) if re.search(o.only, "sm_%s %s" % (c.sm, c.name))]
    passed = 0
    for i, c in chosen:
        seconds, wrong = run(c, o, i)
        passed += wrong is None
        print(
            "%s sm_%-4s %5.1f s  %s%s"
            % ("ok  " if wrong is None else "FAIL", c.sm, seconds, c.name, "" if wrong is None else "\n" + wrong),
            flush=True,
        )
    print("%d passed, %d failed" % (passed, len(chosen) - passed))
    return passed != len(chosen)


sys.exit(main())
