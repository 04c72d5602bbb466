#!/usr/bin/env python3
"""bench/time_model.py [ROW...] -- the model of time beside published measurements.

    python3 -m venv T && T/bin/pip install triton numpy ml_dtypes && T/bin/python bench/time_model.py > table

Each row is a kernel that somebody measured: its PTX is made by Triton's compiler (or by ours, where the kernel is an
HLO module), run on the simulator with a grid that is smaller by a whole number, and predicted for the whole grid. What
the harness adds to a kernel (events, launches) is added to the prediction; caches are cold, as harnesses leave them. No
constant of the model comes from a row. Prints a table, then how many rows are within 25 % and the median error."""

import os, re, subprocess, sys, tempfile
import numpy as np, ml_dtypes, triton, triton.language as tl
from triton.compiler import ASTSource
from triton.backends.compiler import GPUTarget

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOOL = os.path.join(ROOT, "build", "xlagpu")
WORK = tempfile.mkdtemp()
GRAPH_US = {
    "100": 1.27,
    "90": 1.27,
    "80": 1.35,
    "86": 1.10,
    "89": 0.94,
}  # what the prediction has of a launch: cost/device.c

# What a harness measures around an empty kernel, microseconds: Triton's do_bench (128 columns of relu squared in the
# same file), nvbench (CUB's reduction of 16 numbers on an H200), a loop of launches between two events.
DO_BENCH, NVBENCH, LOOP = 6.5, 5.0, 2.4


@triton.jit
def norm_rows(X, Y, W, B, C, N: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, N)
    x = tl.load(X + row * C + i, mask=i < C, other=0.0).to(tl.float32)
    mean = tl.sum(x, 0) / C
    d = tl.where(i < C, x - mean, 0.0)
    y = d * tl.rsqrt(tl.sum(d * d, 0) / C + 1e-6) * tl.load(W + i, mask=i < C) + tl.load(B + i, mask=i < C)
    tl.store(Y + row * C + i, y.to(Y.dtype.element_ty), mask=i < C)


@triton.jit
def softmax_rows(X, Y, C, N: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, N)
    x = tl.load(X + row * C + i, mask=i < C, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, 0))
    tl.store(Y + row * C + i, (e / tl.sum(e, 0)).to(Y.dtype.element_ty), mask=i < C)


@triton.jit
def relu_squared(X, Y, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    r = tl.maximum(tl.load(X + i).to(tl.float32), 0.0)
    tl.store(Y + i, (r * r).to(Y.dtype.element_ty))


@triton.jit
def swiglu(A, B, Y, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    a = tl.load(A + i).to(tl.float32)
    tl.store(Y + i, (a * tl.sigmoid(a) * tl.load(B + i).to(tl.float32)).to(Y.dtype.element_ty))


@triton.jit
def reduce_sum(X, Y, N: tl.constexpr, ROUNDS: tl.constexpr):
    base = tl.program_id(0) * N * ROUNDS
    total = tl.zeros((N,), tl.int32)
    for k in range(ROUNDS):
        total += tl.load(X + base + k * N + tl.arange(0, N))
    tl.atomic_add(Y, tl.sum(total, 0))


@triton.jit
def product(A, B, C, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, TURNED: tl.constexpr):
    across = N // BN
    m = tl.program_id(0) // across * BM + tl.arange(0, BM)
    n = tl.program_id(0) % across * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for at in range(0, K, BK):
        a = tl.load(A + m[:, None] * K + (at + k)[None, :])
        if TURNED:
            b = tl.load(B + n[:, None] * K + (at + k)[None, :]).T
        else:
            b = tl.load(B + (at + k)[:, None] * N + n[None, :])
        total = tl.dot(a, b, total)
    tl.store(C + m[:, None] * N + n[None, :], total.to(C.dtype.element_ty))


@triton.jit
def attend(Q, K, V, O, scale, S: tl.constexpr, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    base = tl.program_id(1) * S * D
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    q = tl.load(Q + base + m[:, None] * D + d[None, :])
    most = tl.full((BM,), -1e30, tl.float32)
    total = tl.zeros((BM,), tl.float32)
    out = tl.zeros((BM, D), tl.float32)
    for at in range(0, S, BN):
        n = at + tl.arange(0, BN)
        s = tl.dot(q, tl.load(K + base + n[:, None] * D + d[None, :]).T) * scale
        now = tl.maximum(most, tl.max(s, 1))
        p = tl.exp2(s - now[:, None])
        fade = tl.exp2(most - now)
        total = total * fade + tl.sum(p, 1)
        out = tl.dot(p.to(Q.dtype.element_ty), tl.load(V + base + n[:, None] * D + d[None, :]), out * fade[:, None])
        most = now
    tl.store(O + base + m[:, None] * D + d[None, :], (out / total[:, None]).to(O.dtype.element_ty))


@triton.jit
def attend_step(q, most, total, out, K, V, at, m, d, scale, D: tl.constexpr, BN: tl.constexpr, MASKED: tl.constexpr):
    n = at + tl.arange(0, BN)
    s = tl.dot(q, tl.load(K + n[:, None] * D + d[None, :]).T) * scale
    if MASKED:
        s = tl.where(m[:, None] >= n[None, :], s, -1e30)
    now = tl.maximum(most, tl.max(s, 1))
    p = tl.exp2(s - now[:, None])
    fade = tl.exp2(most - now)
    total = total * fade + tl.sum(p, 1)
    out = tl.dot(p.to(q.dtype), tl.load(V + n[:, None] * D + d[None, :]), out * fade[:, None])
    return now, total, out


@triton.jit
def attend_past(Q, K, V, O, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, FIRST: tl.constexpr):
    """Causal: steps left of the diagonal without a mask, then those on it."""
    at_most = (FIRST + tl.program_id(0)) * BM
    m = at_most + tl.arange(0, BM)
    d = tl.arange(0, D)
    q = tl.load(Q + m[:, None] * D + d[None, :])
    most = tl.full((BM,), -1e30, tl.float32)
    total = tl.zeros((BM,), tl.float32)
    out = tl.zeros((BM, D), tl.float32)
    whole = at_most // BN * BN
    for at in range(0, whole, BN):
        most, total, out = attend_step(q, most, total, out, K, V, at, m, d, scale, D, BN, False)
    for at in range(whole, at_most + BM, BN):
        most, total, out = attend_step(q, most, total, out, K, V, at, m, d, scale, D, BN, True)
    tl.store(O + m[:, None] * D + d[None, :], (out / total[:, None]).to(O.dtype.element_ty))


TYPES = {"f32": ("*fp32", np.float32), "bf16": ("*bf16", ml_dtypes.bfloat16), "i32": ("*i32", np.int32)}


def compiled(fn, sm, pointers, scalars, consts, warps, stages):
    """The kernel, and the registers that ptxas gives it."""
    signature = {n: TYPES[t][0] for n, t in pointers} | {
        n: "fp32" if isinstance(v, float) else "i32" for n, v in scalars
    }
    names = list(signature)
    signature |= {n: "constexpr" for n in consts}
    aligned = [
        i
        for i, n in enumerate(names)
        if n in dict(pointers) or (isinstance(dict(scalars)[n], int) and dict(scalars)[n] % 16 == 0)
    ]
    source = ASTSource(
        fn, signature=signature, constexprs=consts, attrs={(i,): [["tt.divisibility", 16]] for i in aligned}
    )
    k = triton.compile(source, target=GPUTarget("cuda", sm, 32), options=dict(num_warps=warps, num_stages=stages))
    path = os.path.join(WORK, "k.ptx")
    open(path, "w").write(k.asm["ptx"])
    ptxas = os.path.join(os.path.dirname(triton.__file__), "backends", "nvidia", "bin", "ptxas-blackwell")  # the newest
    arch = re.search(r"\.target (\w+)", k.asm["ptx"]).group(1)
    done = subprocess.run([ptxas, "-v", "-arch=" + arch, path, "-o", path + ".cubin"], capture_output=True, text=True)
    said = re.search(r"Used (\d+) registers", done.stdout + done.stderr)
    if not said:
        raise SystemExit(done.stdout + done.stderr)
    return k, path, int(said.group(1))


def predict(gpu, fn, sm, arrays, scalars, consts, grid, scale, memory_scale=None, warps=4, stages=3):
    """Microseconds and the limit. arrays: (name, type, elements, written)."""
    k, path, registers = compiled(fn, sm, [(a[0], a[1]) for a in arrays], scalars, consts, warps, stages)
    text = k.asm["ptx"]
    entry = re.search(r"\.entry (\w+)\(([^)]*)\)", text, re.S)
    rng, args = np.random.default_rng(1), []
    for name, t, n, written in arrays:
        x = (
            rng.integers(-9, 9, n).astype(np.int32)
            if t == "i32"
            else rng.standard_normal(n, dtype=np.float32).astype(TYPES[t][1])
        )
        if written == "out":
            x = np.zeros(n, TYPES[t][1])
        file = os.path.join(WORK, name + ".npy")
        np.save(file, x.view(np.uint16) if t == "bf16" else x)
        args += ["--arg", ("inout:%s:%s" % (file, file)) if written else "in:" + file]
    args += [y for _, v in scalars for y in ("--arg", ("f32:%.9g" if isinstance(v, float) else "i32:%d") % v)]
    args += ["--arg", "u64:0"] * (entry.group(2).count(".param") - len(args) // 2)
    block = re.search(r"\.reqntid (\d+)", text).group(1)
    command = [
        TOOL,
        "sim",
        path,
        "--entry",
        entry.group(1),
        "--grid",
        grid,
        "--block",
        block,
        "--shared",
        str(k.metadata.shared),
        "--gpu=" + gpu,
        "--registers=%d" % registers,
        "--predict-scale=%d" % scale,
        "--predict-memory-scale=%d" % (memory_scale or scale),
        "--stats",
    ] + args
    out = subprocess.run(command, capture_output=True, text=True)
    if out.returncode:
        raise SystemExit("%s\n%s" % (" ".join(command), out.stderr))
    head, line = [l.split("\t") for l in out.stdout.strip().split("\n")[:2]]
    row = dict(zip(head, line))
    return float(row["predicted_us"]), row["limited_by"]


def rows_kernel(fn, gpu, sm, t, rows, columns, few=64):
    n = 1 << (columns - 1).bit_length()
    warps = 4 if n < 2048 else 8 if n < 8192 else 16 if n < 32768 else 32  # as Liger chooses them
    arrays = [("X", t, few * columns, None), ("Y", t, few * columns, "out")]
    if fn is norm_rows:
        arrays += [("W", "f32", columns, None), ("B", "f32", columns, None)]
    return predict(gpu, fn, sm, arrays, [("C", columns)], {"N": n}, str(few), rows // few, warps=warps)


def flat_kernel(fn, gpu, sm, arrays, elements, block=4096, blocks=64, warps=8):
    n = block * blocks
    return predict(
        gpu,
        fn,
        sm,
        [(a, t, n, "out" if a == "Y" else None) for a, t in arrays],
        [],
        {"N": block},
        str(blocks),
        elements // n,
        warps=warps,
    )


def product_kernel(gpu, sm, size, tile, warps, stages, few=2):
    bm, bn, bk = tile
    m, n = few * bm, few * bn
    scale = (size // m) * (size // n)
    # device memory: each wave of tiles reads its rows and columns; the factor is of all of A, B and C beside what the
    # few tiles have
    memory = max(1, round((3 * size * size) / (m * size + size * n + m * n)))
    return predict(
        gpu,
        product,
        sm,
        [("A", "bf16", m * size, None), ("B", "bf16", size * n, None), ("C", "bf16", m * n, "out")],
        [("M", m), ("N", n), ("K", size)],
        {"BM": bm, "BN": bn, "BK": bk, "TURNED": False},
        str(few * few),
        scale,
        memory,
        warps,
        stages,
    )


def attention_kernel(gpu, sm, batch_heads, sequence, d, tile, warps, stages):
    bm, bn = tile
    n = sequence * d
    arrays = [(x, "bf16", n, "out" if x == "O" else None) for x in "QKVO"]
    # two blocks of one head, scaled to all blocks of all heads
    blocks = batch_heads * sequence // bm
    return predict(
        gpu,
        attend,
        sm,
        arrays,
        [("scale", 1.4426950408889634 / d**0.5)],
        {"S": sequence, "D": d, "BM": bm, "BN": bn},
        "2,1",
        blocks // 2,
        max(1, batch_heads // 2),
        warps,
        stages,
    )


def liger_norm(gpu, sm, columns):
    return lambda: rows_kernel(norm_rows, gpu, sm, "f32", 4096, columns)


def liger_softmax(gpu, sm, t, columns):
    return lambda: rows_kernel(softmax_rows, gpu, sm, t, 2048, columns)


def liger_relu(columns):
    return lambda: flat_kernel(relu_squared, "H100", 90, [("X", "bf16"), ("Y", "bf16")], 4096 * columns)


def liger_swiglu(columns):
    return lambda: flat_kernel(swiglu, "H100", 90, [("A", "bf16"), ("B", "bf16"), ("Y", "bf16")], 8192 * columns)


def cub_reduce(n):
    return lambda: predict(
        "H200",
        reduce_sum,
        90,
        [("X", "i32", 1 << 19, None), ("Y", "i32", 1, "out")],
        [],
        {"N": 4096, "ROUNDS": 8},
        "16",
        n >> 19,
        warps=8,
    )


LG = "Liger-Kernel benchmark/data/all_benchmark_data.csv"
# (name, microseconds measured, harness, source, compute capability, prediction)
ROWS = [
    ("layer norm f32 4096x%d, H100" % c, us, DO_BENCH, LG, "90", liger_norm("H100", 90, c))
    for c, us in ((1024, 18.9), (2048, 29.2), (4096, 51.0), (8192, 94.8), (16384, 184.8))
]
ROWS += [
    ("layer norm f32 4096x%d, A100 80GB" % c, us, DO_BENCH, LG, "80", liger_norm("A100 80GB", 80, c))
    for c, us in ((1024, 30.3), (2048, 49.9), (4096, 88.2), (8192, 165.0), (16384, 322.0))
]
ROWS += [
    ("relu squared bf16 4096x%d, H100" % c, us, DO_BENCH, LG, "90", liger_relu(c))
    for c, us in ((1024, 11.3), (4096, 27.9), (16384, 94.4))
]
ROWS += [
    ("swiglu bf16 8192x%d, H100" % c, us, DO_BENCH, LG, "90", liger_swiglu(c))
    for c, us in ((1024, 23.3), (8192, 137.0), (32768, 528.0))
]
ROWS += [
    ("softmax %s 2048x%d, RTX 3090" % (t, c), us, DO_BENCH, LG, "86", liger_softmax("RTX 3090", 86, t, c))
    for t, c, us in (("f32", 1024, 21.5), ("f32", 4096, 79.9), ("bf16", 4096, 41.0))
]
ROWS += [
    ("sum i32 2^%d, H200" % p, us, NVBENCH, "cccl pull request 9722, DeviceReduce", "90", cub_reduce(1 << p))
    for p, us in ((24, 25.7), (28, 249.3))
]
ROWS += [
    (
        "softmax f32 8192x8192, RTX 4070 Ti SUPER",
        875.0,
        LOOP,
        "learn-cuda 04, one block a row",
        "89",
        lambda: rows_kernel(softmax_rows, "RTX 4070 Ti SUPER", 89, "f32", 8192, 8192),
    )
]
# Products of bf16 by cuBLAS: size, device, TFLOP/s measured, where from, compute capability, tile, warps, stages.
PRODUCTS = (
    (8192, "H200", 783.5, "cuBLAS by PyTorch, random data: 769 to 798 TFLOP/s", 90, (128, 256, 64), 8, 3),
    (4096, "A100", 244, "cuBLAS: learn-cuda 02b", 80, (128, 256, 32), 8, 3),
    (4096, "B200", 1359, "cuBLAS: learn-cuda 02e", 100, (128, 256, 64), 8, 3),
    (4096, "B200", 1359, "cuBLAS: learn-cuda 02e", 100, (256, 256, 64), 8, 3),
)


def product_row(n, device, tflops, source, cc, tile, warps, stages):
    return (
        f"product bf16 {n}^3 by {tile[0]}x{tile[1]}, {device}",
        2 * n**3 / (tflops * 1e12) * 1e6,
        LOOP,
        source,
        str(cc),
        lambda: product_kernel(device, cc, n, tile, warps, stages),
    )


ROWS += [product_row(*row) for row in PRODUCTS]
ROWS += [
    (
        "attention bf16 16384 tokens, heads 16x128, sequence %d, H100" % s,
        4.0 * 16384 * s * 2048 / t * 1e-6,
        LOOP,
        "pytorch/benchmark 2391, Triton FA2, %g TFLOP/s" % t,
        "90",
        lambda s=s: attention_kernel("H100", 90, 16384 // s * 16, s, 128, (128, 64), 8, 3),
    )
    for s, t in ((1024, 390), (4096, 458))
]


def main():
    errors = []
    print("kernel\tmeasured_us\tpredicted_us\tpredicted/measured\tlimited_by\tsource")
    for name, measured, harness, source, cc, run in ROWS:
        if sys.argv[1:] and not any(a in name for a in sys.argv[1:]):
            continue
        us, limit = run()
        whole = us - GRAPH_US[cc] + harness
        errors.append(abs(whole / measured - 1))
        print("%s\t%.1f\t%.1f\t%.2f\t%s\t%s" % (name, measured, whole, whole / measured, limit, source), flush=True)
    errors.sort()
    print(
        "%d rows, %d within 25 %%, median error %.1f %%"
        % (len(errors), sum(e <= 0.25 for e in errors), 100 * errors[len(errors) // 2])
    )


if __name__ == "__main__":
    main()
