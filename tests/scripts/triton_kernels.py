#!/usr/bin/env python3
"""Runs kernels that Triton's compiler makes, for several architectures, on the PTX simulator and compares them with
NumPy. Needs no GPU. Run by hand; it needs Python with triton, numpy and ml_dtypes.

    python3 tests/scripts/triton_kernels.py [--sm 80,89,90,100,120] [--only REGEX] [--tool build/xlagpu] [--out DIR] [--keep]

A case is a function of CASES: it gets the architecture and returns a Case (kernel, arguments, grid, options, expected
results), or None where the architecture cannot do it. All of the simulator's checks are on, so that a false alarm fails
a case as a wrong result does. Prints a line for each case and 'N passed, N failed'."""

import argparse, os, re, subprocess, sys, tempfile, time
from dataclasses import dataclass, field
import ml_dtypes
import numpy as np
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.language.extra import libdevice

BF16, E4M3, E5M2 = ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2
TYPES = {
    np.dtype(t): (s, n, raw)
    for t, s, n, raw in [
        (np.float16, "fp16", "f16", None),
        (BF16, "bf16", "bf16", np.uint16),
        (np.float32, "fp32", "f32", None),
        (np.float64, "fp64", "f64", None),
        (E4M3, "fp8e4nv", "u8", np.uint8),
        (E5M2, "fp8e5", "u8", np.uint8),
        (np.int8, "i8", "s8", None),
        (np.uint8, "u8", "u8", None),
        (np.int16, "i16", "s16", None),
        (np.int32, "i32", "s32", None),
        (np.uint32, "u32", "u32", None),
        (np.int64, "i64", "s64", None),
    ]
}


@dataclass
class Out:
    """A buffer that the kernel writes: the expected values, and what it holds before (None: nothing)."""

    want: np.ndarray
    dtype: object = np.float32
    init: object = None
    rtol: float = 1e-5
    atol: float = 1e-5


@dataclass
class Case:
    kernel: object
    args: list  # arrays (read-only), Out, int, float
    grid: tuple
    const: dict = field(default_factory=dict)
    warps: int = 4
    stages: int = 3
    ctas: int = 1
    prints: str = ""  # what a line of the simulator's output must hold


RNG = np.random.default_rng(7)


def rnd(dtype, *shape, scale=1.0):
    dtype = np.dtype(dtype)
    if dtype.kind in "iu":
        return RNG.integers(-8 if dtype.kind == "i" else 0, 8, shape).astype(dtype)
    return (RNG.standard_normal(shape) * scale).astype(dtype)


def f64(x):
    return np.asarray(x).astype(np.float64)


CASES = {}


def case(f):
    CASES[f.__name__] = f
    return f


# ---- elementwise ----


@triton.jit
def k_add(X, Y, O, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(O + i, tl.load(X + i, mask=i < n) + tl.load(Y + i, mask=i < n), mask=i < n)


@case
def add_f32(sm):
    x, y = rnd(np.float32, 1000), rnd(np.float32, 1000)
    return Case(k_add, [x, y, Out(f64(x) + f64(y)), 1000], (4,), dict(B=256))


@case
def add_bf16(sm):
    x, y = rnd(BF16, 777), rnd(BF16, 777)
    return Case(k_add, [x, y, Out((f64(x) + f64(y)), BF16, rtol=8e-3, atol=8e-3), 777], (2,), dict(B=512))


@triton.jit
def k_math(X, O, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    x = tl.load(X + i, mask=i < n, other=1.0)
    y = (
        tl.exp(x)
        + tl.log(tl.abs(x) + 1)
        + tl.sin(x) * tl.cos(x)
        + tl.sqrt(tl.abs(x))
        + tl.erf(x)
        + tl.sigmoid(x)
        + tl.rsqrt(x * x + 1)
        + tl.exp2(x)
        + tl.log2(x * x + 1)
    )
    y += (
        libdevice.tanh(x)
        + libdevice.pow(tl.abs(x), 1.5)
        + libdevice.atan2(x, x + 10)
        + tl.floor(x)
        + tl.ceil(x)
        + libdevice.round(x)
        + libdevice.fmod(x, 0.7)
        + libdevice.cbrt(x)
        + libdevice.log1p(x * x)
        + libdevice.expm1(x)
    )
    tl.store(O + i, y, mask=i < n)


@case
def math_f32(sm):
    from math import erf

    x = rnd(np.float32, 500)
    v = f64(x)
    w = (
        np.exp(v)
        + np.log(np.abs(v) + 1)
        + np.sin(v) * np.cos(v)
        + np.sqrt(np.abs(v))
        + np.vectorize(erf)(v)
        + 1 / (1 + np.exp(-v))
        + 1 / np.sqrt(v * v + 1)
        + 2**v
        + np.log2(v * v + 1)
    )
    w += (
        np.tanh(v)
        + np.abs(v) ** 1.5
        + np.arctan2(v, v + 10)
        + np.floor(v)
        + np.ceil(v)
        + np.round(v)
        + np.fmod(v, float(np.float32(0.7)))
        + np.cbrt(v)
        + np.log1p(v * v)
        + np.expm1(v)
    )
    return Case(k_math, [x, Out(w, rtol=2e-5, atol=2e-5), 500], (4,), dict(B=128))


@triton.jit
def k_gelu_bias(X, Bias, O, C, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    x = tl.load(X + r * C + i, mask=i < C, other=0).to(tl.float32) + tl.load(Bias + i, mask=i < C, other=0).to(
        tl.float32
    )
    tl.store(O + r * C + i, (0.5 * x * (1 + tl.erf(x * 0.7071067811865476))).to(O.dtype.element_ty), mask=i < C)


@case
def gelu_bias_f16(sm):
    from math import erf

    x, b = rnd(np.float16, 9, 200), rnd(np.float16, 200)
    v = f64(x) + f64(b)
    return Case(
        k_gelu_bias,
        [x, b, Out(0.5 * v * (1 + np.vectorize(erf)(v / 2**0.5)), np.float16, rtol=1e-3, atol=1e-3), 200],
        (9,),
        dict(B=256),
    )


@triton.jit
def k_casts(X, O8, O5, OI, n, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(X + i, mask=i < n, other=0)
    tl.store(O8 + i, x.to(tl.float8e4nv), mask=i < n)
    tl.store(O5 + i, x.to(tl.float8e5), mask=i < n)
    tl.store(OI + i, (x * 10).to(tl.int8), mask=i < n)


@case
def casts_f32(sm):
    if sm < 89:
        return None
    x = rnd(np.float32, 300, scale=3)
    i8 = np.trunc(f64(x) * 10)
    return Case(
        k_casts,
        [
            x,
            Out(x.astype(E4M3), E4M3, rtol=0, atol=0),
            Out(x.astype(E5M2), E5M2, rtol=0, atol=0),
            Out(i8, np.int8, rtol=0, atol=0),
            300,
        ],
        (1,),
        dict(B=512),
    )


@triton.jit
def k_dropout(X, O, n, seed, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    keep = tl.rand(seed, i) > 0.25
    tl.store(O + i, tl.where(keep, tl.load(X + i, mask=i < n, other=0) * 2, 0.0), mask=i < n)


def philox(seed, i):
    """Philox 4x32-10 as Triton's rand uses it; the first word."""
    k0, k1 = np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32)
    c = [i.astype(np.uint64), np.zeros_like(i, np.uint64), np.zeros_like(i, np.uint64), np.zeros_like(i, np.uint64)]
    m = np.uint64(0xFFFFFFFF)
    for _ in range(10):
        a, b = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [(b >> np.uint64(32)) ^ c[1] ^ k0, b & m, (a >> np.uint64(32)) ^ c[3] ^ k1, a & m]
        k0, k1 = (k0 + np.uint64(0x9E3779B9)) & m, (k1 + np.uint64(0xBB67AE85)) & m
    return c[0].astype(np.uint32)


@case
def dropout_philox(sm):
    x = rnd(np.float32, 400)
    bits = philox(123, np.arange(400)).view(np.int32)
    bits = np.where(bits < 0, -bits - 1, bits)
    keep = bits.astype(np.float32) * np.float32(4.6566127342e-10) > 0.25
    return Case(k_dropout, [x, Out(np.where(keep, f64(x) * 2, 0)), 400, 123], (2,), dict(B=256))


@triton.jit
def k_int_ops(X, Y, O, n, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(X + i, mask=i < n, other=0)
    y = tl.load(Y + i, mask=i < n, other=1)
    tl.store(
        O + i,
        (x // y) * 7
        + x % y
        + (x << 3)
        + (y >> 1)
        + (x & y)
        + (x ^ y)
        + tl.umulhi(x.to(tl.uint32), y.to(tl.uint32)).to(tl.int32)
        + tl.abs(x),
        mask=i < n,
    )


@case
def int_ops(sm):
    x = RNG.integers(1, 10000, 333).astype(np.int32)
    y = RNG.integers(1, 300, 333).astype(np.int32)
    w = (x // y) * 7 + x % y + (x << 3) + (y >> 1) + (x & y) + (x ^ y) + ((x.astype(np.int64) * y) >> 32) + x
    return Case(k_int_ops, [x, y, Out(w, np.int32), 333], (1,), dict(B=512))


# ---- reductions, scans, sorts ----


@triton.jit
def k_rows(X, S, M, A, V, C, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    x = tl.load(X + r * C + i, mask=i < C, other=0.0)
    s = tl.sum(x, 0)
    tl.store(S + r, s)
    tl.store(M + r, tl.max(tl.where(i < C, x, -float("inf")), 0))
    tl.store(A + r, tl.argmax(tl.where(i < C, x, -float("inf")), 0))
    d = tl.where(i < C, x - s / C, 0.0)
    tl.store(V + r, tl.sum(d * d, 0) / C)


@case
def row_statistics(sm):
    x = rnd(np.float32, 7, 900)
    v = f64(x)
    return Case(
        k_rows,
        [x, Out(v.sum(1), atol=1e-4), Out(v.max(1)), Out(v.argmax(1), np.int32), Out(v.var(1)), 900],
        (7,),
        dict(B=1024),
        warps=8,
    )


@triton.jit
def k_columns(X, O, R, C, BR: tl.constexpr, BC: tl.constexpr):
    c = tl.program_id(0) * BC + tl.arange(0, BC)
    acc = tl.zeros((BR, BC), tl.float32)
    for r in range(0, R, BR):
        rr = r + tl.arange(0, BR)
        acc += tl.load(X + rr[:, None] * C + c[None, :], mask=(rr[:, None] < R) & (c[None, :] < C), other=0).to(
            tl.float32
        )
    tl.store(O + c, tl.sum(acc, 0), mask=c < C)


@case
def column_sums_bf16(sm):
    x = rnd(BF16, 150, 100)
    return Case(k_columns, [x, Out(f64(x).sum(0), atol=1e-4), 150, 100], (2,), dict(BR=32, BC=64))


@triton.jit
def k_scan(X, O, P, C, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    x = tl.load(X + r * C + i, mask=i < C, other=0)
    tl.store(O + r * C + i, tl.cumsum(x, 0), mask=i < C)
    tl.store(P + r * C + i, tl.cumsum(x, 0, reverse=True), mask=i < C)


@case
def cumsum_rows(sm):
    x = rnd(np.float32, 5, 256)
    return Case(
        k_scan,
        [x, Out(f64(x).cumsum(1), atol=1e-4), Out(f64(x)[:, ::-1].cumsum(1)[:, ::-1], atol=1e-4), 256],
        (5,),
        dict(B=256),
    )


@triton.jit
def linear(a, x, b, y):
    return a * b, b * x + y


@triton.jit
def k_recurrence(A, X, O, N: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    n = tl.arange(0, N)
    at = i[:, None] * N + n[None, :]
    _, h = tl.associative_scan((tl.load(A + at), tl.load(X + at)), 1, linear)
    tl.store(O + at, h)


@case
def linear_recurrence(sm):
    a, x = RNG.uniform(0.5, 1, (16, 64)).astype(np.float32), rnd(np.float32, 16, 64)
    h, w = np.zeros(16), np.zeros((16, 64))
    for t in range(64):
        h = f64(a)[:, t] * h + f64(x)[:, t]
        w[:, t] = h
    return Case(k_recurrence, [a, x, Out(w, atol=1e-4)], (1,), dict(N=64, B=16))


@triton.jit
def k_sort(X, O, T, N: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, N)
    x = tl.load(X + r * N + i)
    tl.store(O + r * N + i, tl.sort(x))
    tl.store(T + r * 8 + tl.arange(0, 8), tl.topk(x, 8))


@case
def sort_topk(sm):
    x = rnd(np.float32, 3, 256)
    s = np.sort(f64(x), 1)
    return Case(k_sort, [x, Out(s), Out(s[:, ::-1][:, :8])], (3,), dict(N=256))


@triton.jit
def k_histogram(X, O, n, B: tl.constexpr, BINS: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    h = tl.histogram(tl.load(X + i, mask=i < n, other=0), BINS, mask=i < n)
    tl.atomic_add(O + tl.arange(0, BINS), h)


@case
def histogram(sm):
    x = RNG.integers(0, 64, 1000).astype(np.int32)
    return Case(
        k_histogram,
        [x, Out(np.bincount(x, minlength=64), np.int32, np.zeros(64, np.int32)), 1000],
        (4,),
        dict(B=256, BINS=64),
    )


@triton.jit
def combine_welford(m1, s1, n1, m2, s2, n2):
    n = n1 + n2
    d = m2 - m1
    return (m1 * n1 + m2 * n2) / n, s1 + s2 + d * d * n1 * n2 / n, n


@triton.jit
def k_welford(X, M, V, N: tl.constexpr, R: tl.constexpr):
    r = tl.arange(0, R)
    x = tl.load(X + r[:, None] * N + tl.arange(0, N)[None, :])
    m, s, n = tl.reduce((x, tl.zeros((R, N), tl.float32), tl.full((R, N), 1.0, tl.float32)), 1, combine_welford)
    tl.store(M + r, m)
    tl.store(V + r, s / n)


@case
def welford(sm):
    x = rnd(np.float32, 8, 128)
    return Case(k_welford, [x, Out(f64(x).mean(1)), Out(f64(x).var(1), rtol=1e-4)], (1,), dict(N=128, R=8))


@triton.jit
def k_layernorm(X, G, Bt, O, C, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    x = tl.load(X + r * C + i, mask=i < C, other=0).to(tl.float32)
    m = tl.sum(x, 0) / C
    d = tl.where(i < C, x - m, 0)
    y = d * tl.rsqrt(tl.sum(d * d, 0) / C + 1e-5) * tl.load(G + i, mask=i < C, other=0) + tl.load(
        Bt + i, mask=i < C, other=0
    )
    tl.store(O + r * C + i, y.to(O.dtype.element_ty), mask=i < C)


@case
def layernorm_bf16(sm):
    x, g, b = rnd(BF16, 6, 700), rnd(np.float32, 700), rnd(np.float32, 700)
    v = f64(x)
    w = (v - v.mean(1, keepdims=True)) / np.sqrt(v.var(1, keepdims=True) + 1e-5) * f64(g) + f64(b)
    return Case(k_layernorm, [x, g, b, Out(w, BF16, rtol=1e-2, atol=1e-2), 700], (6,), dict(B=1024))


@triton.jit
def k_softmax(X, O, R, C, B: tl.constexpr):
    i = tl.arange(0, B)
    for r in tl.range(tl.program_id(0), R, tl.num_programs(0), num_stages=3):
        x = tl.load(X + r * C + i, mask=i < C, other=-float("inf"))
        e = tl.exp(x - tl.max(x, 0))
        tl.store(O + r * C + i, e / tl.sum(e, 0), mask=i < C)


@case
def softmax_persistent(sm):
    x = rnd(np.float32, 21, 300)
    e = np.exp(f64(x) - f64(x).max(1, keepdims=True))
    return Case(k_softmax, [x, Out(e / e.sum(1, keepdims=True)), 21, 300], (4,), dict(B=512))


@triton.jit
def k_cross_entropy(X, T, L, G, C, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    x = tl.load(X + r * C + i, mask=i < C, other=-float("inf"))
    t = tl.load(T + r)
    m = tl.max(x, 0)
    s = tl.sum(tl.exp(x - m), 0)
    tl.store(L + r, tl.log(s) + m - tl.load(X + r * C + t))
    tl.store(G + r * C + i, tl.exp(x - m) / s - tl.where(i == t, 1.0, 0.0), mask=i < C)


@case
def cross_entropy(sm):
    x, t = rnd(np.float32, 8, 1000), RNG.integers(0, 1000, 8).astype(np.int64)
    v = f64(x)
    p = np.exp(v - v.max(1, keepdims=True))
    lse = np.log(p.sum(1)) + v.max(1)
    g = p / p.sum(1, keepdims=True)
    g[np.arange(8), t] -= 1
    return Case(k_cross_entropy, [x, t, Out(lse - v[np.arange(8), t]), Out(g), 1000], (8,), dict(B=1024), warps=8)


@triton.jit
def k_layernorm_backward(X, DY, W, DX, DW, Lock, R, C, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    m = i < C
    x = tl.load(X + r * C + i, mask=m, other=0)
    dy = tl.load(DY + r * C + i, mask=m, other=0)
    w = tl.load(W + i, mask=m, other=0)
    mean = tl.sum(x, 0) / C
    d = tl.where(m, x - mean, 0)
    rstd = tl.rsqrt(tl.sum(d * d, 0) / C + 1e-5)
    h = d * rstd
    wdy = w * dy
    tl.store(DX + r * C + i, (wdy - (h * (tl.sum(h * wdy, 0) / C) + tl.sum(wdy, 0) / C)) * rstd, mask=m)
    while tl.atomic_cas(Lock, 0, 1) == 1:
        pass
    tl.store(DW + i, tl.load(DW + i, mask=m) + dy * h, mask=m)
    tl.debug_barrier()
    tl.atomic_xchg(Lock, 0)


@case
def layernorm_backward_lock(sm):
    x, dy, w = rnd(np.float32, 6, 200), rnd(np.float32, 6, 200), rnd(np.float32, 200)
    v = f64(x)
    rstd = 1 / np.sqrt(v.var(1, keepdims=True) + 1e-5)
    h = (v - v.mean(1, keepdims=True)) * rstd
    wdy = f64(w) * f64(dy)
    dx = (wdy - (h * (h * wdy).mean(1, keepdims=True) + wdy.mean(1, keepdims=True))) * rstd
    return Case(
        k_layernorm_backward,
        [
            x,
            dy,
            w,
            Out(dx, atol=1e-4),
            Out((f64(dy) * h).sum(0), init=np.zeros(200, np.float32), atol=1e-4),
            Out(np.zeros(1), np.int32, np.zeros(1, np.int32)),
            6,
            200,
        ],
        (6,),
        dict(B=256),
    )


# ---- moving data ----


@triton.jit
def k_gather(X, I, O, N: tl.constexpr, M: tl.constexpr, C: tl.constexpr):
    c = tl.arange(0, C)
    x = tl.load(X + tl.arange(0, N)[:, None] * C + c[None, :])
    i = tl.load(I + tl.arange(0, M)[:, None] * C + c[None, :])
    tl.store(O + tl.arange(0, M)[:, None] * C + c[None, :], tl.gather(x, i, 0))


@case
def gather_axis0(sm):
    x, i = rnd(np.float32, 64, 16), RNG.integers(0, 64, (32, 16)).astype(np.int32)
    return Case(k_gather, [x, i, Out(np.take_along_axis(f64(x), i.astype(np.int64), 0))], (1,), dict(N=64, M=32, C=16))


@triton.jit
def k_embedding(T, I, O, D: tl.constexpr, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    d = tl.arange(0, D)
    tl.store(O + r[:, None] * D + d[None, :], tl.load(T + tl.load(I + r)[:, None] * D + d[None, :]))


@case
def embedding(sm):
    t, i = rnd(np.float16, 100, 64), RNG.integers(0, 100, 32).astype(np.int64)
    return Case(k_embedding, [t, i, Out(t[i], np.float16)], (2,), dict(D=64, B=16))


@triton.jit
def k_transpose(X, O, M, N, BM: tl.constexpr, BN: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    x = tl.load(X + m[:, None] * N + n[None, :], mask=(m[:, None] < M) & (n[None, :] < N), other=0)
    tl.store(O + n[:, None] * M + m[None, :], x.T, mask=(n[:, None] < N) & (m[None, :] < M))


@case
def transpose_f16(sm):
    x = rnd(np.float16, 90, 70)
    return Case(k_transpose, [x, Out(x.T, np.float16), 90, 70], (2, 2), dict(BM=64, BN=64))


@case
def transpose_u8(sm):
    x = rnd(np.uint8, 64, 64)
    return Case(k_transpose, [x, Out(x.T, np.uint8), 64, 64], (1, 1), dict(BM=64, BN=64))


@triton.jit
def k_shuffle(X, Y, A, B, C, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(X + i)
    y = tl.load(Y + i)
    tl.store(A + tl.arange(0, 2 * N), tl.interleave(x, y))
    e, o = tl.split(tl.reshape(x, (N // 2, 2)))
    tl.store(B + tl.arange(0, N // 2), e - o)
    z = tl.permute(tl.reshape(x, (4, 8, N // 32)), (2, 0, 1))
    tl.store(C + i, tl.reshape(z, (N,)) + tl.flip(y, 0))


@case
def reshape_split_join_flip(sm):
    x, y = rnd(np.float32, 256), rnd(np.float32, 256)
    return Case(
        k_shuffle,
        [
            x,
            y,
            Out(np.stack([x, y], 1)),
            Out(x[::2] - x[1::2]),
            Out(x.reshape(4, 8, 8).transpose(2, 0, 1).ravel() + y[::-1]),
        ],
        (1,),
        dict(N=256),
    )


@triton.jit
def k_rope(X, Cos, Sin, O, S, D: tl.constexpr, B: tl.constexpr):
    s = tl.program_id(0) * B + tl.arange(0, B)
    d = tl.arange(0, D // 2)
    at = s[:, None] * D + d[None, :]
    m = s[:, None] < S
    a = tl.load(X + at, mask=m, other=0).to(tl.float32)
    b = tl.load(X + at + D // 2, mask=m, other=0).to(tl.float32)
    c = tl.load(Cos + s[:, None] * (D // 2) + d[None, :], mask=m, other=0)
    n = tl.load(Sin + s[:, None] * (D // 2) + d[None, :], mask=m, other=0)
    tl.store(O + at, (a * c - b * n).to(O.dtype.element_ty), mask=m)
    tl.store(O + at + D // 2, (a * n + b * c).to(O.dtype.element_ty), mask=m)


@case
def rope_bf16(sm):
    x = rnd(BF16, 50, 64)
    t = np.outer(np.arange(50), 10000.0 ** (-np.arange(32) / 32))
    c, s = np.cos(t).astype(np.float32), np.sin(t).astype(np.float32)
    a, b = f64(x)[:, :32], f64(x)[:, 32:]
    return Case(
        k_rope,
        [x, c, s, Out(np.concatenate([a * c - b * s, a * s + b * c], 1), BF16, rtol=1e-2, atol=1e-2), 50],
        (4,),
        dict(D=64, B=16),
    )


@triton.jit
def k_atomics(X, I, S, M, N, C, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    x = tl.load(X + i, mask=i < n, other=0)
    k = tl.load(I + i, mask=i < n, other=0)
    tl.atomic_add(S + k, x, mask=i < n)
    tl.atomic_max(M + k, (x * 100).to(tl.int32), mask=i < n)
    tl.atomic_min(N + k, (x * 100).to(tl.int32), mask=i < n)
    tl.atomic_add(C, tl.sum((i < n).to(tl.int32), 0))


@case
def atomics(sm):
    x, i = (RNG.integers(-64, 64, 700) / 8).astype(np.float32), RNG.integers(0, 16, 700).astype(np.int32)
    s, hi, lo = np.zeros(16), np.full(16, -1000000), np.full(16, 1000000)
    np.add.at(s, i, x)
    np.maximum.at(hi, i, np.trunc(x * 100).astype(int))
    np.minimum.at(lo, i, np.trunc(x * 100).astype(int))
    return Case(
        k_atomics,
        [
            x,
            i,
            Out(s, init=np.zeros(16, np.float32)),
            Out(hi, np.int32, np.full(16, -1000000, np.int32)),
            Out(lo, np.int32, np.full(16, 1000000, np.int32)),
            Out(np.array([700]), np.int32, np.zeros(1, np.int32)),
            700,
        ],
        (3,),
        dict(B=256),
    )


@triton.jit
def k_atomic_halves(X, O, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(O + (i % 64), tl.load(X + i, mask=i < n, other=0), mask=i < n)


@case
def atomic_add_f16(sm):
    x = (RNG.integers(-8, 8, 512) / 4).astype(np.float16)
    return Case(
        k_atomic_halves,
        [x, Out(f64(x).reshape(8, 64).sum(0), np.float16, np.zeros(64, np.float16), rtol=1e-2, atol=1e-2), 512],
        (2,),
        dict(B=256),
    )


@triton.jit
def k_conv1d(X, W, O, N, K: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    acc = tl.zeros((B,), tl.float32)
    for k in tl.static_range(K):
        j = i + k - K // 2
        acc += tl.load(X + j, mask=(j >= 0) & (j < N), other=0) * tl.load(W + k)
    tl.store(O + i, acc, mask=i < N)


@case
def conv1d(sm):
    x, w = rnd(np.float32, 300), rnd(np.float32, 7)
    return Case(
        k_conv1d, [x, w, Out(np.convolve(f64(x), f64(w)[::-1], "same"), atol=1e-4), 300], (3,), dict(K=7, B=128)
    )


# ---- products ----


@triton.jit
def k_gemm(
    A,
    B,
    C,
    M,
    N,
    K,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    ACC: tl.constexpr,
    PREC: tl.constexpr,
    TB: tl.constexpr,
    ZERO: tl.constexpr,
):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), ACC)
    for s in range(0, K, BK):
        a = tl.load(A + m[:, None] * K + (s + k)[None, :], mask=(m[:, None] < M) & ((s + k)[None, :] < K), other=ZERO)
        if TB:
            b = tl.load(
                B + n[:, None] * K + (s + k)[None, :], mask=(n[:, None] < N) & ((s + k)[None, :] < K), other=ZERO
            ).T
        else:
            b = tl.load(
                B + (s + k)[:, None] * N + n[None, :], mask=((s + k)[:, None] < K) & (n[None, :] < N), other=ZERO
            )
        acc = tl.dot(a, b, acc, input_precision=PREC, out_dtype=ACC)
    tl.store(C + m[:, None] * N + n[None, :], acc.to(C.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N))


def gemm(
    sm,
    t,
    M,
    N,
    K,
    bm,
    bn,
    bk,
    out=np.float32,
    acc=tl.float32,
    prec="ieee",
    tb=False,
    warps=4,
    stages=3,
    rtol=1e-3,
    atol=1e-3,
):
    a, b = rnd(t, M, K), rnd(t, *((N, K) if tb else (K, N)))
    w = f64(a) @ (f64(b).T if tb else f64(b))
    return Case(
        k_gemm,
        [a, b, Out(w, out, rtol=rtol, atol=atol * K**0.5), M, N, K],
        (-(-M // bm), -(-N // bn)),
        dict(BM=bm, BN=bn, BK=bk, ACC=acc, PREC=prec, TB=tb, ZERO=0 if np.dtype(t).kind == "i" else 0.0),
        warps,
        stages,
    )


@case
def gemm_f16(sm):
    return gemm(sm, np.float16, 128, 128, 128, 64, 64, 32, np.float16, rtol=2e-3)


@case
def gemm_f16_large_tile(sm):
    return gemm(sm, np.float16, 128, 256, 192, 128, 128, 64, np.float16, rtol=2e-3, warps=8)


@case
def gemm_bf16_nt(sm):
    return gemm(sm, BF16, 128, 128, 192, 128, 64, 64, BF16, tb=True, warps=8, stages=4, rtol=1e-2, atol=1e-2)


@case
def gemm_f16_masked(sm):
    return gemm(sm, np.float16, 100, 75, 50, 64, 64, 32)


@case
def gemm_tf32(sm):
    return gemm(sm, np.float32, 128, 64, 96, 64, 64, 32, prec="tf32", rtol=5e-3, atol=5e-3)


@case
def gemm_tf32x3(sm):
    return gemm(sm, np.float32, 64, 64, 64, 64, 64, 32, prec="tf32x3", rtol=1e-4, atol=1e-4)


@case
def gemm_f32_ieee(sm):
    return gemm(sm, np.float32, 64, 64, 64, 32, 32, 32, prec="ieee", rtol=1e-5, atol=1e-5)


@case
def gemm_s8(sm):
    return gemm(sm, np.int8, 128, 128, 192, 128, 128, 64, np.int32, tl.int32, rtol=0, atol=0, warps=8, stages=4)


@case
def gemm_e4m3(sm):
    return gemm(sm, E4M3, 128, 128, 192, 128, 128, 64, tb=True, warps=8, stages=4) if sm >= 89 else None


@case
def gemm_e5m2_small(sm):
    return gemm(sm, E5M2, 64, 64, 128, 64, 64, 64, tb=True) if sm >= 89 else None


@case
def gemm_f64(sm):
    return gemm(sm, np.float64, 64, 32, 64, 32, 32, 16, np.float64, tl.float64, rtol=1e-12, atol=1e-12)


@case
def gemm_m16(sm):
    return gemm(sm, np.float16, 16, 64, 128, 16, 64, 64)


@case
def gemm_pipelined_k3(sm):
    return gemm(sm, np.float16, 128, 128, 96, 128, 128, 32, warps=8, stages=4)


@triton.jit
def k_batched(A, B, C, Z: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    z, m, n, k = tl.arange(0, Z)[:, None, None], tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(A + z * M * K + m[None, :, None] * K + k[None, None, :])
    b = tl.load(B + z * K * N + k[None, :, None] * N + n[None, None, :])
    tl.store(C + z * M * N + m[None, :, None] * N + n[None, None, :], tl.dot(a, b))


@case
def batched_dot(sm):
    a, b = rnd(np.float16, 4, 32, 32), rnd(np.float16, 4, 32, 32)
    return Case(k_batched, [a, b, Out(f64(a) @ f64(b), rtol=1e-3, atol=1e-3)], (1,), dict(Z=4, M=32, N=32, K=32))


@triton.jit
def k_split_k(A, B, C, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPLIT: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.program_id(2) * BK + tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for s in range(0, K, BK * SPLIT):
        acc = tl.dot(
            tl.load(A + m[:, None] * K + (s + k)[None, :]), tl.load(B + (s + k)[:, None] * N + n[None, :]), acc
        )
    tl.atomic_add(C + m[:, None] * N + n[None, :], acc)


@case
def gemm_split_k(sm):
    a, b = rnd(np.float16, 64, 256), rnd(np.float16, 256, 64)
    return Case(
        k_split_k,
        [a, b, Out(f64(a) @ f64(b), init=np.zeros((64, 64), np.float32), rtol=1e-3, atol=1e-2), 64, 64, 256],
        (1, 1, 2),
        dict(BM=64, BN=64, BK=64, SPLIT=2),
    )


@triton.jit
def k_persistent(A, B, C, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    tiles = tl.cdiv(M, BM) * tl.cdiv(N, BN)
    for t in tl.range(tl.program_id(0), tiles, tl.num_programs(0), flatten=True):
        m = t // tl.cdiv(N, BN) * BM + tl.arange(0, BM)
        n = t % tl.cdiv(N, BN) * BN + tl.arange(0, BN)
        k = tl.arange(0, BK)
        acc = tl.zeros((BM, BN), tl.float32)
        for s in range(0, K, BK):
            acc = tl.dot(
                tl.load(A + m[:, None] * K + (s + k)[None, :]), tl.load(B + (s + k)[:, None] * N + n[None, :]), acc
            )
        tl.store(C + m[:, None] * N + n[None, :], acc.to(C.dtype.element_ty))


@case
def gemm_persistent(sm):
    a, b = rnd(np.float16, 256, 128), rnd(np.float16, 128, 128)
    return Case(
        k_persistent,
        [a, b, Out(f64(a) @ f64(b), np.float16, rtol=2e-3, atol=1e-2), 256, 128, 128],
        (2,),
        dict(BM=64, BN=64, BK=64),
    )


@triton.jit
def k_w4a16(A, W, S, C, M, N, K, G: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for s in range(0, K, BK):
        a = tl.load(A + m[:, None] * K + (s + k)[None, :])
        w = tl.load(W + ((s + k)[:, None] // 2) * N + n[None, :])
        w = ((w >> ((k[:, None] % 2) * 4)) & 15).to(tl.int32) - 8
        w = w.to(tl.float16) * tl.load(S + ((s + k)[:, None] // G) * N + n[None, :])
        acc = tl.dot(a, w, acc)
    tl.store(C + m[:, None] * N + n[None, :], acc)


@case
def gemm_w4a16(sm):
    a, q, s = (
        rnd(np.float16, 32, 128),
        RNG.integers(0, 16, (128, 64)),
        RNG.uniform(0.5, 1.5, (4, 64)).astype(np.float16),
    )
    w = (q[::2] | q[1::2] << 4).astype(np.uint8)
    deq = ((q - 8).astype(np.float16) * np.repeat(s, 32, 0)).astype(np.float16)
    return Case(
        k_w4a16,
        [a, w, s, Out(f64(a) @ f64(deq), rtol=1e-3, atol=1e-2), 32, 64, 128],
        (1, 1),
        dict(G=32, BM=32, BN=64, BK=64),
    )


@triton.jit
def k_matvec(A, X, O, M, N, BM: tl.constexpr, BN: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    acc = tl.zeros((BM,), tl.float32)
    for s in range(0, N, BN):
        n = s + tl.arange(0, BN)
        a = tl.load(A + m[:, None] * N + n[None, :], mask=(m[:, None] < M) & (n[None, :] < N), other=0).to(tl.float32)
        acc += tl.sum(a * tl.load(X + n, mask=n < N, other=0).to(tl.float32)[None, :], 1)
    tl.store(O + m, acc, mask=m < M)


@case
def matvec_bf16(sm):
    a, x = rnd(BF16, 40, 300), rnd(BF16, 300)
    return Case(k_matvec, [a, x, Out(f64(a) @ f64(x), rtol=1e-4, atol=1e-3), 40, 300], (3,), dict(BM=16, BN=128))


@triton.jit
def k_grouped(P, D, n, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    tile = tl.program_id(0)
    last = 0
    for g in range(n):
        M, N, K = tl.load(D + g * 3), tl.load(D + g * 3 + 1), tl.load(D + g * 3 + 2)
        tiles = tl.cdiv(M, BM) * tl.cdiv(N, BN)
        while tile >= last and tile < last + tiles:
            t = tile - last
            a = tl.load(P + g * 3).to(tl.pointer_type(tl.float16))
            b = tl.load(P + g * 3 + 1).to(tl.pointer_type(tl.float16))
            c = tl.load(P + g * 3 + 2).to(tl.pointer_type(tl.float16))
            m = t // tl.cdiv(N, BN) * BM + tl.arange(0, BM)
            j = t % tl.cdiv(N, BN) * BN + tl.arange(0, BN)
            k = tl.arange(0, BK)
            acc = tl.zeros((BM, BN), tl.float32)
            for s in range(0, K, BK):
                acc = tl.dot(
                    tl.load(a + m[:, None] * K + (s + k)[None, :]), tl.load(b + (s + k)[:, None] * N + j[None, :]), acc
                )
            tl.store(c + m[:, None] * N + j[None, :], acc.to(tl.float16))
            tile += tl.num_programs(0)
        last += tiles


# ---- products with scales ----


@triton.jit
def k_dot_scaled(
    A,
    SA,
    B,
    SB,
    C,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
    TA: tl.constexpr,
    TB: tl.constexpr,
    PA: tl.constexpr,
    PB: tl.constexpr,
):
    m, n = tl.arange(0, M), tl.arange(0, N)
    ka, kb, ks = tl.arange(0, K // PA), tl.arange(0, K // PB), tl.arange(0, K // 32)
    a = tl.load(A + m[:, None] * (K // PA) + ka[None, :])
    b = tl.load(B + n[None, :] * (K // PB) + kb[:, None])
    sa = tl.load(SA + m[:, None] * (K // 32) + ks[None, :])
    sb = tl.load(SB + n[:, None] * (K // 32) + ks[None, :])
    tl.store(C + m[:, None] * N + n[None, :], tl.dot_scaled(a, sa, TA, b, sb, TB))


E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])


def scaled_operand(kind, rows, k):
    """Stored bytes, their values times the scales, the scales (ue8m0)."""
    s = RNG.integers(125, 130, (rows, k // 32)).astype(np.uint8)
    f = np.repeat(2.0 ** (s.astype(np.float64) - 127), 32, 1)
    if kind == "e2m1":
        q = RNG.integers(0, 16, (rows, k))
        return (q[:, ::2] | q[:, 1::2] << 4).astype(np.uint8), E2M1[q] * f, s
    x = rnd({"e4m3": E4M3, "e5m2": E5M2}[kind], rows, k)
    return x, f64(x) * f, s


def dot_scaled(ta, tb, m, n, k, warps=4):
    a, va, sa = scaled_operand(ta, m, k)
    b, vb, sb = scaled_operand(tb, n, k)
    return Case(
        k_dot_scaled,
        [a, sa, b, sb, Out(va @ vb.T, rtol=1e-3, atol=1e-2)],
        (1,),
        dict(M=m, N=n, K=k, TA=ta, TB=tb, PA=2 if ta == "e2m1" else 1, PB=2 if tb == "e2m1" else 1),
        warps,
    )


@case
def dot_scaled_mxfp8(sm):
    return dot_scaled("e4m3", "e4m3", 128, 128, 128) if sm >= 89 else None


@case
def dot_scaled_mxfp8_mixed(sm):
    return dot_scaled("e5m2", "e4m3", 128, 64, 128) if sm >= 89 else None


@case
def dot_scaled_mxfp4(sm):
    return dot_scaled("e2m1", "e2m1", 128, 128, 128) if sm >= 89 else None


@case
def dot_scaled_mxfp8_mxfp4(sm):
    return dot_scaled("e4m3", "e2m1", 128, 128, 128) if sm >= 89 else None


# ---- attention ----


@triton.jit
def k_attention(
    Q, K, V, O, L, scale, N: tl.constexpr, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr
):
    pm = tl.program_id(0)
    base = tl.program_id(1) * N * D
    rm, rd, rn = pm * BM + tl.arange(0, BM), tl.arange(0, D), tl.arange(0, BN)
    q = tl.load(Q + base + rm[:, None] * D + rd[None, :])
    m = tl.full((BM,), -1e30, tl.float32)
    l = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for j in range(0, (pm + 1) * BM if CAUSAL else N, BN):
        s = tl.dot(q, tl.load(K + base + (j + rn)[:, None] * D + rd[None, :]).T) * scale
        if CAUSAL:
            s = tl.where(rm[:, None] >= (j + rn)[None, :], s, -1e30)
        new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp2(s - new[:, None])
        r = tl.exp2(m - new)
        l = l * r + tl.sum(p, 1)
        acc = tl.dot(
            p.to(V.dtype.element_ty), tl.load(V + base + (j + rn)[:, None] * D + rd[None, :]), acc * r[:, None]
        )
        m = new
    tl.store(O + base + rm[:, None] * D + rd[None, :], (acc / l[:, None]).to(O.dtype.element_ty))
    tl.store(L + tl.program_id(1) * N + rm, m + tl.log2(l))


def attention(sm, t, H, N, D, bm, bn, causal, out=None, tol=1e-2, warps=4, stages=3):
    q, k, v = rnd(t, H, N, D), rnd(t, H, N, D), rnd(t, H, N, D)
    s = np.einsum("hmd,hnd->hmn", f64(q), f64(k)) / D**0.5
    if causal:
        s = np.where(np.tril(np.ones((N, N), bool)), s, -np.inf)
    p = np.exp(s - s.max(-1, keepdims=True))
    w = np.einsum("hmn,hnd->hmd", p / p.sum(-1, keepdims=True), f64(v))
    lse = (np.log(p.sum(-1)) + s.max(-1)) / np.log(2)
    scale = 1.4426950408889634 / D**0.5
    return Case(
        k_attention,
        [q, k, v, Out(w, out or t, rtol=tol, atol=tol), Out(lse, rtol=1e-3, atol=1e-3), scale],
        (N // bm, H),
        dict(N=N, D=D, BM=bm, BN=bn, CAUSAL=causal),
        warps,
        stages,
    )


@case
def attention_f16(sm):
    return attention(sm, np.float16, 2, 128, 64, 64, 64, False)


@case
def attention_bf16_causal(sm):
    return attention(sm, BF16, 1, 256, 64, 128, 64, True, tol=2e-2, warps=8)


@case
def attention_f16_d128(sm):
    return attention(sm, np.float16, 1, 128, 128, 128, 64, True, warps=8)


@case
def attention_e5m2(sm):
    return attention(sm, E5M2, 1, 128, 64, 64, 64, False, out=np.float32, tol=0.1) if sm >= 90 else None


# ---- tensor descriptors that the kernel makes ----


@triton.jit
def k_descriptor_copy(X, O, M, N, BM: tl.constexpr, BN: tl.constexpr):
    x = tl.make_tensor_descriptor(X, [M, N], [N, 1], [BM, BN])
    o = tl.make_tensor_descriptor(O, [M, N], [N, 1], [BM, BN])
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    o.store([m, n], x.load([m, n]) * 2)


@case
def descriptor_copy_f32(sm):
    x = rnd(np.float32, 100, 68)
    return Case(k_descriptor_copy, [x, Out(f64(x) * 2), 100, 68], (4, 3), dict(BM=32, BN=32))


@case
def descriptor_copy_f16(sm):
    x = rnd(np.float16, 64, 136)
    return Case(k_descriptor_copy, [x, Out(f64(x) * 2, np.float16), 64, 136], (1, 3), dict(BM=64, BN=64))


@triton.jit
def k_descriptor_gemm(A, B, C, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, WS: tl.constexpr):
    a = tl.make_tensor_descriptor(A, [M, K], [K, 1], [BM, BK])
    b = tl.make_tensor_descriptor(B, [N, K], [K, 1], [BN, BK])
    c = tl.make_tensor_descriptor(C, [M, N], [N, 1], [BM, BN])
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for s in tl.range(0, K, BK, warp_specialize=WS):
        acc = tl.dot(a.load([m, s]), b.load([n, s]).T, acc)
    c.store([m, n], acc.to(C.dtype.element_ty))


def descriptor_gemm(sm, t, M, N, K, bm, bn, bk, ws, out=np.float16, warps=4):
    a, b = rnd(t, M, K), rnd(t, N, K)
    return Case(
        k_descriptor_gemm,
        [a, b, Out(f64(a) @ f64(b).T, out, rtol=3e-3, atol=2e-2), M, N, K],
        (M // bm, N // bn),
        dict(BM=bm, BN=bn, BK=bk, WS=ws),
        warps,
    )


@case
def descriptor_gemm_f16(sm):
    return descriptor_gemm(sm, np.float16, 128, 128, 192, 64, 64, 64, False)


@case
def descriptor_gemm_f16_large(sm):
    return descriptor_gemm(sm, np.float16, 256, 128, 256, 128, 128, 64, False, warps=8)


@case
def descriptor_gemm_e4m3(sm):
    return descriptor_gemm(sm, E4M3, 128, 128, 256, 128, 128, 128, False, np.float32) if sm >= 89 else None


@case
def descriptor_gemm_warp_specialized(sm):
    return descriptor_gemm(sm, np.float16, 128, 128, 256, 128, 128, 64, True) if sm >= 90 else None


@triton.jit
def k_descriptor_persistent(A, B, C, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, WS: tl.constexpr):
    a = tl.make_tensor_descriptor(A, [M, K], [K, 1], [BM, BK])
    b = tl.make_tensor_descriptor(B, [N, K], [K, 1], [BN, BK])
    c = tl.make_tensor_descriptor(C, [M, N], [N, 1], [BM, BN])
    tiles = tl.cdiv(M, BM) * tl.cdiv(N, BN)
    for t in tl.range(tl.program_id(0), tiles, tl.num_programs(0), flatten=not WS, warp_specialize=WS):
        m, n = t // tl.cdiv(N, BN) * BM, t % tl.cdiv(N, BN) * BN
        acc = tl.zeros((BM, BN), tl.float32)
        for s in range(0, K, BK):
            acc = tl.dot(a.load([m, s]), b.load([n, s]).T, acc)
        c.store([m, n], acc.to(C.dtype.element_ty))


@case
def descriptor_gemm_persistent(sm):
    a, b = rnd(np.float16, 256, 128), rnd(np.float16, 256, 128)
    return Case(
        k_descriptor_persistent,
        [a, b, Out(f64(a) @ f64(b).T, np.float16, rtol=3e-3, atol=2e-2), 256, 256, 128],
        (2,),
        dict(BM=128, BN=128, BK=64, WS=False),
        4,
    )


@case
def descriptor_gemm_persistent_warp_specialized(sm):
    if sm != 100:
        return None
    a, b = rnd(np.float16, 256, 128), rnd(np.float16, 256, 128)
    return Case(
        k_descriptor_persistent,
        [a, b, Out(f64(a) @ f64(b).T, np.float16, rtol=3e-3, atol=2e-2), 256, 256, 128],
        (2,),
        dict(BM=128, BN=128, BK=64, WS=True),
        4,
    )


@triton.jit
def k_descriptor_attention(
    Q, K, V, O, scale, N: tl.constexpr, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, WS: tl.constexpr
):
    q_map = tl.make_tensor_descriptor(Q, [N, D], [D, 1], [BM, D])
    k_map = tl.make_tensor_descriptor(K, [N, D], [D, 1], [BN, D])
    v_map = tl.make_tensor_descriptor(V, [N, D], [D, 1], [BN, D])
    o_map = tl.make_tensor_descriptor(O, [N, D], [D, 1], [BM, D])
    at = tl.program_id(0) * BM
    q = q_map.load([at, 0])
    m = tl.full((BM,), -1e30, tl.float32)
    l = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for j in tl.range(0, N, BN, warp_specialize=WS):
        s = tl.dot(q, k_map.load([j, 0]).T) * scale
        new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp2(s - new[:, None])
        r = tl.exp2(m - new)
        l = l * r + tl.sum(p, 1)
        acc = tl.dot(p.to(tl.float16), v_map.load([j, 0]), acc * r[:, None])
        m = new
    o_map.store([at, 0], (acc / l[:, None]).to(tl.float16))


def descriptor_attention(N, D, bm, bn, ws, warps=4):
    q, k, v = rnd(np.float16, N, D), rnd(np.float16, N, D), rnd(np.float16, N, D)
    s = f64(q) @ f64(k).T / D**0.5
    p = np.exp(s - s.max(-1, keepdims=True))
    return Case(
        k_descriptor_attention,
        [
            q,
            k,
            v,
            Out(p / p.sum(-1, keepdims=True) @ f64(v), np.float16, rtol=1e-2, atol=1e-2),
            1.4426950408889634 / D**0.5,
        ],
        (N // bm,),
        dict(N=N, D=D, BM=bm, BN=bn, WS=ws),
        warps,
    )


@case
def descriptor_attention_f16(sm):
    return descriptor_attention(256, 64, 64, 64, False)


@case
def descriptor_attention_warp_specialized(sm):
    return descriptor_attention(256, 64, 128, 64, True) if sm in (90, 100) else None


@triton.jit
def k_descriptor_reduce(X, O, M: tl.constexpr, N: tl.constexpr):
    x = tl.make_tensor_descriptor(X, [M, N], [N, 1], [16, N])
    o = tl.make_tensor_descriptor(O, [16, N], [N, 1], [16, N])
    o.atomic_add([0, 0], x.load([tl.program_id(0) * 16, 0]))


@case
def descriptor_atomic_add(sm):
    if sm < 90:
        return None
    x = rnd(np.float32, 64, 32)
    return Case(
        k_descriptor_reduce,
        [x, Out(f64(x).reshape(4, 16, 32).sum(0), init=np.zeros((16, 32), np.float32), atol=1e-4)],
        (4,),
        dict(M=64, N=32),
    )


@triton.jit
def k_descriptor_gather(X, I, O, M: tl.constexpr, N: tl.constexpr, R: tl.constexpr, C: tl.constexpr):
    x = tl.make_tensor_descriptor(X, [M, N], [N, 1], [1, C])
    i = tl.load(I + tl.arange(0, R))
    c = tl.program_id(0) * C
    y = x.gather(i, c)
    tl.store(O + tl.arange(0, R)[:, None] * N + c + tl.arange(0, C)[None, :], y)


@case
def descriptor_gather(sm):
    if sm != 100:
        return None
    x, i = rnd(np.float16, 128, 128), RNG.integers(0, 128, 32).astype(np.int32)
    return Case(k_descriptor_gather, [x, i, Out(x[i], np.float16)], (2,), dict(M=128, N=128, R=32, C=64))


@triton.jit
def k_descriptor_scatter(X, I, O, M: tl.constexpr, N: tl.constexpr, R: tl.constexpr, C: tl.constexpr):
    o = tl.make_tensor_descriptor(O, [M, N], [N, 1], [1, C])
    i = tl.load(I + tl.arange(0, R))
    c = tl.program_id(0) * C
    o.scatter(tl.load(X + tl.arange(0, R)[:, None] * N + c + tl.arange(0, C)[None, :]), i, c)


@case
def descriptor_scatter(sm):
    if sm != 100:
        return None
    x, i = rnd(np.float16, 32, 128), RNG.permutation(128)[:32].astype(np.int32)
    w = np.zeros((128, 128))
    w[i] = x
    return Case(
        k_descriptor_scatter,
        [x, i, Out(w, np.float16, np.zeros((128, 128), np.float16))],
        (2,),
        dict(M=128, N=128, R=32, C=64),
    )


@triton.jit
def k_descriptor_3d(X, O, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    x = tl.make_tensor_descriptor(X, [A, B, C], [B * C, C, 1], [2, 16, 32])
    y = x.load([tl.program_id(0) * 2, tl.program_id(1) * 16, 0])
    tl.atomic_add(O + tl.arange(0, 32), tl.sum(tl.reshape(y, (32, 32)).to(tl.float32), 0))


@case
def descriptor_load_3d(sm):
    x = (RNG.integers(-16, 16, (4, 40, 24)) / 8).astype(np.float16)
    w = np.concatenate([f64(x).sum((0, 1)), np.zeros(8)])
    return Case(k_descriptor_3d, [x, Out(w, init=np.zeros(32, np.float32))], (2, 3), dict(A=4, B=40, C=24))


# ---- odds and ends ----


@triton.jit
def k_asm(X, O, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(X + i)
    y = tl.inline_asm_elementwise("prmt.b32 $0, $1, 0, 0x0123;", "=r,r", [x], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(O + i, y)


@case
def inline_asm(sm):
    x = RNG.integers(0, 2**31, 128).astype(np.int32)
    return Case(k_asm, [x, Out(x.byteswap().astype(np.int64), np.int32)], (1,), dict(N=128))


@triton.jit
def k_print(X, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(X + i)
    tl.device_print("x is", x)


@case
def device_print(sm):
    x = np.arange(32, dtype=np.int32) + 1000
    return Case(k_print, [x], (1,), dict(N=32), warps=1, prints="pid (0, 0, 0) idx (17) x is: 1017")


@triton.jit
def k_assert(X, O, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(X + i)
    tl.device_assert(x < 5000, "x is too large")
    tl.store(O + i, x + 1)


@case
def device_assert(sm):
    x = np.arange(128, dtype=np.int32)
    return Case(k_assert, [x, Out(x + 1, np.int32)], (1,), dict(N=128))


@triton.jit
def k_mandelbrot(O, W: tl.constexpr, H: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    cx, cy = (i % W).to(tl.float32) / W * 3 - 2, (i // W).to(tl.float32) / H * 2 - 1
    x = tl.zeros((B,), tl.float32)
    y = tl.zeros((B,), tl.float32)
    n = tl.zeros((B,), tl.int32)
    k = 0
    while k < 40 and tl.max((x * x + y * y < 4).to(tl.int32), 0) > 0:
        inside = x * x + y * y < 4
        t = x * x - y * y + cx
        y = tl.where(inside, 2 * x * y + cy, y)
        x = tl.where(inside, t, x)
        n += inside.to(tl.int32)
        k += 1
    tl.store(O + i, n)


@case
def mandelbrot(sm):
    i = np.arange(1024)
    c = (i % 32 / 32 * 3 - 2) + 1j * (i // 32 / 32 * 2 - 1)
    z, n = np.zeros(1024, complex), np.zeros(1024, int)
    for _ in range(40):
        inside = np.abs(z) < 2
        z = np.where(inside, z * z + c, z)
        n += inside
    return Case(k_mandelbrot, [Out(n, np.int32, atol=1.1)], (8,), dict(W=32, H=32, B=128))


# ---- running ----


@triton.jit
def add_pairs(f1, x1, f2, x2):
    return f1 | f2, tl.where(f2 != 0, x2, x1 + x2)


@triton.jit
def k_segmented(F, X, O, N: tl.constexpr):
    i = tl.arange(0, N)
    _, s = tl.associative_scan((tl.load(F + i), tl.load(X + i)), 0, add_pairs)
    tl.store(O + i, s)


@case
def segmented_scan(sm):
    f, x = (RNG.random(512) < 0.1).astype(np.int32), rnd(np.float32, 512)
    want, at = np.zeros(512), 0.0
    for i in range(512):
        at = f64(x)[i] + (0 if f[i] else at)
        want[i] = at
    return Case(k_segmented, [f, x, Out(want, atol=1e-4)], (1,), dict(N=512))


@triton.jit
def k_reverse_scans(X, P, M, R: tl.constexpr, C: tl.constexpr):
    at = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    x = tl.load(X + at)
    tl.store(P + at, tl.cumprod(x, 1, reverse=True))
    tl.store(M + at, tl.cumsum(x, 0, reverse=True))


@case
def reverse_scans(sm):
    x = RNG.uniform(0.9, 1.1, (32, 64)).astype(np.float32)
    w = f64(x)
    product, total = np.cumprod(w[:, ::-1], 1)[:, ::-1], np.cumsum(w[::-1], 0)[::-1]
    return Case(k_reverse_scans, [x, Out(product, rtol=1e-4), Out(total, rtol=1e-4)], (1,), dict(R=32, C=64))


@triton.jit
def k_look_back(X, S, F, O, B: tl.constexpr):
    """A scan in one pass: each block waits for the sum of all blocks before it."""
    p = tl.program_id(0)
    i = p * B + tl.arange(0, B)
    x = tl.load(X + i)
    before = 0
    if p > 0:
        while tl.atomic_add(F + p - 1, 0, sem="acquire") == 0:
            pass
        before = tl.load(S + p - 1, volatile=True)
    tl.store(S + p, before + tl.sum(x, 0))
    tl.debug_barrier()
    tl.atomic_xchg(F + p, 1, sem="release")
    tl.store(O + i, before + tl.cumsum(x, 0))


@case
def scan_look_back(sm):
    x = rnd(np.int32, 8 * 256)
    zero = np.zeros(8, np.int32)
    sums = np.cumsum(x.reshape(8, 256).sum(1))
    out = [Out(sums, np.int32, zero), Out(np.ones(8), np.int32, zero), Out(np.cumsum(x), np.int32)]
    return Case(k_look_back, [x] + out, (8,), dict(B=256))


@triton.jit
def k_extremes(X, A, I, R: tl.constexpr, C: tl.constexpr):
    at = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    x = tl.load(X + at)
    tl.store(A + tl.arange(0, R), tl.argmax(x, 1, tie_break_left=True))
    tl.store(I + tl.arange(0, C), tl.argmin(x, 0, tie_break_left=True))


@case
def argmax_ties(sm):
    x = RNG.integers(0, 5, (32, 64)).astype(np.float32)
    out = [Out(x.argmax(1), np.int32), Out(x.argmin(0), np.int32)]
    return Case(k_extremes, [x] + out, (1,), dict(R=32, C=64))


@triton.jit
def k_gather_rows(X, I, O, R: tl.constexpr, C: tl.constexpr):
    at = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    tl.store(O + at, tl.gather(tl.load(X + at), tl.load(I + at), 1))


@case
def gather_axis1(sm):
    x, i = rnd(np.float16, 16, 128), RNG.integers(0, 128, (16, 128)).astype(np.int32)
    want = np.take_along_axis(x, i.astype(np.int64), 1)
    return Case(k_gather_rows, [x, i, Out(want, np.float16)], (1,), dict(R=16, C=128))


@triton.jit
def k_sort_rows(X, O, R: tl.constexpr, C: tl.constexpr):
    at = tl.program_id(0) * R * C + tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    tl.store(O + at, tl.sort(tl.load(X + at), dim=1, descending=True))


@case
def sort_descending_s32(sm):
    x = RNG.integers(-1000, 1000, (8, 128)).astype(np.int32)
    return Case(k_sort_rows, [x, Out(-np.sort(-x, 1), np.int32)], (2,), dict(R=4, C=128))


@triton.jit
def k_quantise(X, Q, S, C: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, C)
    x = tl.load(X + r * C + c)
    scale = tl.max(tl.abs(x), 0) / 448.0
    tl.store(S + r, scale)
    tl.store(Q + r * C + c, (x / scale).to(tl.float8e4nv))


@case
def quantise_rows_e4m3(sm):
    if sm < 89:
        return None
    x = rnd(np.float32, 8, 256)
    s = np.abs(x).max(1) / np.float32(448)
    q = (x / s[:, None]).astype(np.float32).astype(E4M3)
    return Case(k_quantise, [x, Out(q, E4M3, rtol=0.07, atol=0.01), Out(s)], (8,), dict(C=256))


@triton.jit
def k_max_pool(X, O, H, W, B: tl.constexpr):
    y = tl.program_id(0)
    x = tl.arange(0, B)
    best = tl.full((B,), float("-inf"), tl.float32)
    for dy in tl.static_range(-1, 2):
        for dx in tl.static_range(-1, 2):
            ok = (y + dy >= 0) & (y + dy < H) & (x + dx >= 0) & (x + dx < W)
            best = tl.maximum(best, tl.load(X + (y + dy) * W + x + dx, mask=ok, other=float("-inf")))
    tl.store(O + y * W + x, best, mask=x < W)


@case
def max_pool_3x3(sm):
    x = rnd(np.float32, 19, 53)
    p = np.pad(x, 1, constant_values=-np.inf)
    want = np.max([p[i : i + 19, j : j + 53] for i in range(3) for j in range(3)], 0)
    return Case(k_max_pool, [x, Out(want)], (19,), dict(H=19, W=53, B=64))


@triton.jit
def k_jagged(X, At, O, B: tl.constexpr):
    r = tl.program_id(0)
    at, end = tl.load(At + r), tl.load(At + r + 1)
    total = tl.zeros((B,), tl.float32)
    while at < end:
        i = at + tl.arange(0, B)
        total += tl.load(X + i, mask=i < end, other=0.0)
        at += B
    tl.store(O + r, tl.sum(total, 0))


@case
def jagged_sums(sm):
    ends = np.array([0, 5, 5, 300, 1000, 1001], np.int32)
    x = rnd(np.float32, 1001)
    want = [f64(x)[a:b].sum() for a, b in zip(ends, ends[1:])]
    return Case(k_jagged, [x, ends, Out(np.array(want), atol=1e-4)], (5,), dict(B=128))


@triton.jit
def k_conv2d(X, W, O, H, WD, CI: tl.constexpr, CO: tl.constexpr, B: tl.constexpr):
    """A convolution of 3x3 as a product: a pixel a row, NHWC."""
    p = tl.program_id(0) * B + tl.arange(0, B)
    y, x, i, o = p // WD, p % WD, tl.arange(0, CI), tl.arange(0, CO)
    total = tl.zeros((B, CO), tl.float32)
    for k in range(9):
        yy, xx = y + k // 3 - 1, x + k % 3 - 1
        ok = (yy >= 0) & (yy < H) & (xx >= 0) & (xx < WD)
        a = tl.load(X + (yy * WD + xx)[:, None] * CI + i[None, :], mask=ok[:, None], other=0.0)
        total = tl.dot(a, tl.load(W + (k * CI + i)[:, None] * CO + o[None, :]), total)
    tl.store(O + p[:, None] * CO + o[None, :], total.to(O.dtype.element_ty))


@case
def conv2d_implicit_gemm(sm):
    x, w = rnd(np.float16, 8, 16, 32), rnd(np.float16, 3, 3, 32, 16, scale=0.1)
    p = np.pad(f64(x), ((1, 1), (1, 1), (0, 0)))
    want = sum(p[i : i + 8, j : j + 16] @ f64(w)[i, j] for i in range(3) for j in range(3))
    return Case(k_conv2d, [x, w, Out(want, np.float16, rtol=1e-2, atol=1e-2), 8, 16], (2,), dict(CI=32, CO=16, B=64))


@triton.jit
def k_bits(X, S, O, N: tl.constexpr):
    x = tl.load(X + tl.arange(0, N))
    tl.store(S, tl.xor_sum(x, 0))
    tl.store(S + 1, tl.reduce_or(x, 0))
    tl.store(O + tl.arange(0, N), tl.umulhi(x, x) ^ (x << (x & 7)) ^ (x >> 3))


@case
def bit_reductions(sm):
    x = RNG.integers(0, 2**32, 256, dtype=np.uint64).astype(np.uint32)
    w = x.astype(np.uint64)
    bits = (w * w >> np.uint64(32)) ^ (w << (w & np.uint64(7)) & np.uint64(0xFFFFFFFF)) ^ (w >> np.uint64(3))
    reduced = np.array([np.bitwise_xor.reduce(x), np.bitwise_or.reduce(x)])
    return Case(k_bits, [x, Out(reduced, np.uint32), Out(bits, np.uint32)], (1,), dict(N=256))


@triton.jit
def k_selective_scan(X, D, A, B, C, O, L: tl.constexpr, N: tl.constexpr):
    """A state-space model: N states, one channel a block."""
    d = tl.program_id(0)
    t, n = tl.arange(0, L), tl.arange(0, N)
    x, dt = tl.load(X + d * L + t), tl.load(D + d * L + t)
    fade = tl.exp(dt[:, None] * tl.load(A + d * N + n)[None, :])
    _, h = tl.associative_scan((fade, (dt * x)[:, None] * tl.load(B + t[:, None] * N + n[None, :])), 0, linear)
    tl.store(O + d * L + t, tl.sum(h * tl.load(C + t[:, None] * N + n[None, :]), 1))


@case
def selective_scan(sm):
    x, d, a = rnd(np.float32, 4, 64), RNG.uniform(0, 0.5, (4, 64)).astype(np.float32), -np.abs(rnd(np.float32, 4, 16))
    b, c = rnd(np.float32, 64, 16), rnd(np.float32, 64, 16)
    want = np.zeros((4, 64))
    for k in range(4):
        h = np.zeros(16)
        for t in range(64):
            h = np.exp(f64(d)[k, t] * f64(a)[k]) * h + f64(d)[k, t] * f64(x)[k, t] * f64(b)[t]
            want[k, t] = h @ f64(c)[t]
    return Case(k_selective_scan, [x, d, a, b, c, Out(want, rtol=1e-3, atol=1e-3)], (4,), dict(L=64, N=16))


@triton.jit
def k_butterflies(X, O, N: tl.constexpr):
    """A Walsh-Hadamard transform: halves by reshape, trans and split."""
    x = tl.load(X + tl.arange(0, N))
    for _ in tl.static_range(7):
        a, b = tl.split(tl.trans(tl.reshape(x, (2, N // 2))))
        x = tl.reshape(tl.join(a + b, a - b), (N,))
    tl.store(O + tl.arange(0, N), x)


@case
def walsh_hadamard(sm):
    x, h = rnd(np.float32, 128), np.ones((1, 1))
    for _ in range(7):
        h = np.kron(h, np.array([[1, 1], [1, -1]]))
    w = f64(x)
    for _ in range(7):
        a, b = w[:64], w[64:]
        w = np.stack([a + b, a - b], 1).ravel()
    assert np.allclose(np.sort(np.abs(w)), np.sort(np.abs(h @ f64(x))))
    return Case(k_butterflies, [x, Out(w, atol=1e-4)], (1,), dict(N=128))


@triton.jit
def k_descriptor_transpose(X, O, M, N, BM: tl.constexpr, BN: tl.constexpr):
    """Blocks that stay and take tile after tile, by descriptors that they make themselves."""
    x = tl.make_tensor_descriptor(X, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    o = tl.make_tensor_descriptor(O, shape=[N, M], strides=[M, 1], block_shape=[BN, BM])
    across = tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BM) * across, tl.num_programs(0)):
        m, n = tile // across * BM, tile % across * BN
        o.store([n, m], tl.trans(x.load([m, n])))


@case
def descriptor_transpose_persistent(sm):
    if sm < 90:
        return None
    x = rnd(np.float32, 100, 84)
    return Case(k_descriptor_transpose, [x, Out(x.T.copy()), 100, 84], (3,), dict(BM=32, BN=32))


@triton.jit
def k_lock(L, S, X, B: tl.constexpr):
    """Blocks add to one array by turns: a lock by compare and swap."""
    i = tl.arange(0, B)
    x = tl.load(X + tl.program_id(0) * B + i)
    while tl.atomic_cas(L, 0, 1, sem="acquire") == 1:
        pass
    tl.debug_barrier()
    tl.store(S + i, tl.load(S + i, volatile=True) * 0.5 + x)
    tl.debug_barrier()
    tl.atomic_xchg(L, 0, sem="release")


@case
def lock_compare_and_swap(sm):
    x = np.repeat(rnd(np.float32, 1, 128), 6, 0)  # in any order the same
    want = np.zeros(128)
    for k in range(6):
        want = want * 0.5 + f64(x)[k]
    lock, total = Out(np.zeros(1), np.int32, np.zeros(1, np.int32)), Out(want, init=np.zeros(128, np.float32))
    return Case(k_lock, [lock, total, x], (6,), dict(B=128))


@triton.jit
def k_descriptor_specialized(A, B, C, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    across = N // BN
    a = tl.make_tensor_descriptor(A, shape=[M, K], strides=[K, 1], block_shape=[BM, BK])
    b = tl.make_tensor_descriptor(B, shape=[K, N], strides=[N, 1], block_shape=[BK, BN])
    m, n = tl.program_id(0) // across * BM, tl.program_id(0) % across * BN
    total = tl.zeros((BM, BN), tl.float32)
    for k in tl.range(0, K, BK, warp_specialize=True):
        total = tl.dot(a.load([m, k]), b.load([k, n]), total)
    c = tl.make_tensor_descriptor(C, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    c.store([m, n], total.to(C.dtype.element_ty))


@case
def descriptor_gemm_bf16_specialized_k(sm):
    if sm < 90:
        return None
    a, b = rnd(BF16, 256, 192), rnd(BF16, 192, 128)
    out = Out(f64(a) @ f64(b), BF16, rtol=2e-2, atol=0.2)
    return Case(k_descriptor_specialized, [a, b, out, 256, 128, 192], (2,), dict(BM=128, BN=128, BK=64))


def signature(v):
    if isinstance(v, (np.ndarray, Out)):
        return "*" + TYPES[np.dtype(v.dtype)][0]
    return "i32" if isinstance(v, int) else "fp32"


def compile_case(c, sm):
    names = [n for n in c.kernel.arg_names if n not in c.const]
    sig = {n: signature(v) for n, v in zip(names, c.args)} | {n: "constexpr" for n in c.const}
    sig = {n: sig[n] for n in c.kernel.arg_names}
    div = [
        c.kernel.arg_names.index(n)
        for n, v in zip(names, c.args)
        if isinstance(v, (np.ndarray, Out)) or (isinstance(v, int) and v % 16 == 0)
    ]
    src = ASTSource(c.kernel, signature=sig, constexprs=c.const, attrs={(i,): [["tt.divisibility", 16]] for i in div})
    return triton.compile(
        src,
        target=GPUTarget("cuda", sm, 32),
        options=dict(num_warps=c.warps, num_stages=c.stages, num_ctas=c.ctas, debug="assert" in c.kernel.__name__),
    )


def save(path, x):
    raw = TYPES[np.dtype(x.dtype)][2]
    np.save(path, x.view(raw) if raw else x)


def run_case(name, c, sm, out, tool):
    k = compile_case(c, sm)
    ptx = k.asm["ptx"]
    stem = os.path.join(out, f"{name}.sm_{sm}")
    with open(stem + ".ptx", "w") as f:
        f.write(ptx)
    entry = re.search(r"\.entry (\w+)\(([^)]*)\)", ptx, re.S)
    threads = re.search(r"\.reqntid (\d+)", ptx)[1]
    args = []
    for i, v in enumerate(c.args):
        if isinstance(v, Out):
            _, text, _ = TYPES[np.dtype(v.dtype)]
            if v.init is not None:
                save(f"{stem}.{i}.npy", v.init)
                args.append(f"inout:{stem}.{i}.npy:{stem}.{i}.got.npy")
            else:
                args.append(f"out:{text}:{v.want.size}:{stem}.{i}.got.npy")
        elif isinstance(v, np.ndarray):
            save(f"{stem}.{i}.npy", v)
            args.append(f"in:{stem}.{i}.npy")
        else:
            args.append(f"i32:{v}" if isinstance(v, int) else f"f32:{np.float32(v):.9g}")
    for what in ("global", "profile"):  # the two buffers that Triton adds
        n = getattr(k.metadata, f"{what}_scratch_size", 0) * int(np.prod(c.grid)) * c.ctas
        if len(args) < entry[2].count(".param"):
            args.append(f"out:u8:{n}:{stem}.{what}.npy" if n else "u64:0")
    grid = list(c.grid)
    grid[0] *= c.ctas
    cmd = [
        tool,
        "sim",
        stem + ".ptx",
        "--entry",
        entry[1],
        "--grid",
        ",".join(map(str, grid)),
        "--block",
        threads,
        "--shared",
        str(k.metadata.shared),
    ]
    r = subprocess.run(cmd + [y for x in args for y in ("--arg", x)], capture_output=True, text=True, timeout=600)
    with open(stem + ".cmd", "w") as f:
        f.write(" ".join(cmd + [y for x in args for y in ("--arg", x)]) + "\n")
    if r.returncode:
        return f"exit {r.returncode}: " + (r.stderr.strip() or r.stdout.strip())[:600].replace("\n", " | ")
    if c.prints and c.prints not in r.stdout + r.stderr:
        return f"the output lacks '{c.prints}': {(r.stdout + r.stderr)[:300]}"
    for i, v in enumerate(c.args):
        if not isinstance(v, Out):
            continue
        got = np.load(f"{stem}.{i}.got.npy")
        raw = TYPES[np.dtype(v.dtype)][2]
        got = f64(got.view(np.dtype(v.dtype)) if raw else got).ravel()
        want = f64(v.want).ravel()
        bad = ~(np.abs(got - want) <= v.atol + v.rtol * np.abs(want))
        if bad.any():
            at = int(np.argmax(bad))
            return f"argument {i}: {int(bad.sum())} of {bad.size} differ, first [{at}] {got[at]} instead of {want[at]}"
    return None


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--sm", default="80,89,90,100,120")
    p.add_argument("--only", default="")
    p.add_argument("--tool", default=os.path.join(os.path.dirname(__file__), "..", "..", "build", "xlagpu"))
    p.add_argument("--out", help="keep the PTX and the arrays here")
    a = p.parse_args()
    passed, failed = 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        out = a.out or scratch
        os.makedirs(out, exist_ok=True)
        for sm in map(int, a.sm.split(",")):
            for name, make in CASES.items():
                if not re.search(a.only, name):
                    continue
                global RNG
                RNG = np.random.default_rng(7)
                c = make(sm)
                if c is None:
                    continue
                start = time.time()
                try:
                    wrong = run_case(name, c, sm, out, a.tool)
                except Exception as e:  # a failure to compile is one of the case
                    wrong = f"{type(e).__name__}: {str(e)[:400]}"
                passed, failed = passed + (wrong is None), failed + (wrong is not None)
                print(
                    f"{'pass' if wrong is None else 'FAIL'}  sm_{sm:<4} {name:<45} {time.time() - start:5.1f} s  {wrong or ''}",
                    flush=True,
                )
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
