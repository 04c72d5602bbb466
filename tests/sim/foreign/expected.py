#!/usr/bin/env python3
"""What the kernels of this folder must give, by NumPy. Prints, or with --check compares, the expected part of each case of ../foreign.txt; run by hand.

    python3 tests/sim/foreign/expected.py --check        ends with 'N passed, N failed'
"""
import os, re, sys
import numpy as np

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "foreign.txt")


def mod(n, a, b, m, o, s, dtype=np.float64):
    v = (np.arange(n, dtype=np.int64) * a + b) % m - o
    return (v / s if dtype == np.float64 else np.trunc(v / s).astype(dtype))


def fnv(data):
    h = 0xCBF29CE484222325
    for byte in data:
        h = ((h ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return h


def number(x):
    return str(int(x)) if float(x).is_integer() else repr(float(x))


def show(name, v):
    v = np.ascontiguousarray(v).reshape(-1)
    if v.size > 256:
        return f"{name}: {' '.join(number(x) for x in v[:8])} ... {v.size} values, hash {fnv(v.tobytes()):x}"
    out, i, items = f"{name}:", 0, 0
    while i < v.size:
        run = 1
        while i + run < v.size and v[i + run] == v[i]:
            run += 1
        if run < 4:
            run = 1
        out += ("\n  " if items and items % 8 == 0 else " ") + number(v[i]) + (f" ({run} times)" if run > 1 else "")
        i += run
        items += 1
    return out


def add():
    return show("c", (mod(1000, 7, 3, 17, 8, 4) + mod(1000, 5, 1, 23, 11, 2)).astype(np.float32))


def gemm_tiled():
    return show("c", (mod(1480, 7, 3, 17, 8, 1).reshape(40, 37) @ mod(1665, 5, 1, 23, 11, 2).reshape(37, 45)).astype(np.float32))


def reduce_sum():
    return show("out", np.array([7 + mod(3000, 7919, 11, 1009, 300, 1).sum()]))


def argmax():
    v = mod(777, 7919, 11, 503, 300, 4)
    return show("index", np.array([v.argmax()])) + "\n" + show("value", np.array([v.max()]))


def votes():
    v = mod(32, 5, 2, 7, 0, 1, np.int64)
    odd = sum(1 << i for i in range(32) if v[i] & 1)
    out = []
    for t in range(32):
        same = sum(1 << i for i in range(32) if v[i] == v[t])
        out.append((odd + (same << 1) + 1 + 2 + bin(same & ((1 << t) - 1)).count("1")) & 0xFFFFFFFF)
    return show("out", np.array(out, dtype=np.uint32))


def histogram():
    return show("bins", np.bincount(mod(5000, 7919, 11, 251, 0, 1, np.int64), minlength=256).astype(np.uint32))


def extremes():
    v = mod(300, 7919, 11, 1009, 500, 1, np.int64)
    bits = x = 0
    for k in v:
        x ^= int(k)
        bits |= 1 << (int(k) & 31)
    total = int(v.sum()) & 0xFFFFFFFFFFFFFFFF
    out = [min(1000, v.min()), max(-1000, v.max()), x, bits - (1 << 32 if bits >> 31 else 0), total & 0xFFFFFFFF, total >> 32, int(v.sum()) * 3, 0]
    return show("out", np.array(out, dtype=np.int64))


def bitonic():
    return show("keys", np.sort(mod(1024, 7919, 11, 100003, 0, 1, np.int64)).astype(np.uint32))


def gemm_mma():
    return show("c", (mod(10240, 7, 3, 17, 8, 2).reshape(128, 80) @ mod(5120, 5, 1, 23, 11, 4).reshape(64, 80).T).astype(np.float32))


def gemm_wmma():
    return show("c", (2 * (mod(1536, 7, 3, 17, 8, 2).reshape(32, 48) @ mod(2304, 5, 1, 23, 11, 4).reshape(48, 48)) + 1).astype(np.float32))


def gemm_bytes():
    c = mod(6144, 7, 3, 201, 100, 1).reshape(96, 64) @ mod(2560, 5, 1, 251, 125, 1).reshape(40, 64).T
    return show("c", c.T.astype(np.int32))


def pipeline():
    tiles = mod(1920, 7, 3, 17, 8, 1).reshape(15, 128)
    weight = np.array([(k - 1) % 128 // 32 + 1 for k in range(128)])
    return show("out", (tiles * weight).sum(1).astype(np.float32))


def coop():
    v = mod(128, 7, 3, 17, 0, 1, np.int64).reshape(2, 8, 8)
    before = np.cumsum(v, 2) - v
    odd = (v & 1).sum((1, 2))[:, None, None]
    return show("out", v.sum(2)[:, :, None] * 10000 + v.max(2)[:, :, None] * 100 + before + odd * 1000000)


def language():
    def quotient(a, b): return int(a / b) if abs(a) < 2**52 else (abs(a) // b) * (1 if a >= 0 else -1)
    def wrap(x): return (x + 2**31) % 2**32 - 2**31
    table, kind, out, wide = [3, 1, 4, 1, 5, 9, 2, 6], [5, -6, 7], [], []
    for i, x in enumerate(mod(100, 37, 5, 101, 0, 1, np.int64)):
        x = int(x)
        stack = [x * k + table[k & 7] for k in range(16)]
        case = x % 7
        if case == 0: x = int(np.gcd(x + 12, 18))
        elif case == 1: x = stack[x & 15] + 1
        elif case == 2: x = x << 3 | 1
        elif case == 3: x = wrap(bin(x).count("1") + (32 - x.bit_length()) + wrap(int(f"{x:032b}"[::-1], 2) % 11))
        elif case == 4: x = -x
        elif case == 5: x = kind[i % 3]
        else: x = stack[(x >> 1) & 15] ^ 33
        y = x * 0.5
        r = abs(x) % 100 * (1 if x >= 0 else -1)
        out.append(1.0 + y * (0.5 + y * 0.25) + (r * r if i & 1 else 2 * r))
        p, q = x * 1000000007, x * 77777
        wide.append((abs(p) // (i + 3)) * (1 if p >= 0 else -1) + (abs(q) % (i + 5)) * (1 if q >= 0 else -1))
    return show("out", np.array(out)) + "\n" + "wide:" + show("", np.array(wide, dtype=object))[1:]


def count():
    return show("out", np.array([100 + 63 * 64 // 2]))


def locked():
    v = 5
    for _ in range(128):
        v = v * 3 % 1009 + 1
    return "lock: 0\n" + show("value", np.array([v]))


def cluster():
    return show("bins", np.bincount(mod(3000, 7919, 11, 1009, 0, 1, np.int64) & 63, minlength=64))


def gemm_wgmma():
    return show("c", (mod(12288, 7, 3, 17, 8, 2).reshape(64, 192) @ mod(18432, 5, 1, 23, 11, 4).reshape(96, 192).T).astype(np.float32))


CASES = [add, add, gemm_tiled, reduce_sum, argmax, votes, histogram, extremes, bitonic, gemm_mma, gemm_wmma, gemm_bytes, pipeline, coop, language, count, locked, cluster, gemm_wgmma]


def main():
    text = open(FILE).read()
    cases = text.split("====\n")
    out = [re.sub(r"(?s)----\n.*", "----\n", c) + f() + "\n" for c, f in zip(cases, CASES)]
    if "--check" not in sys.argv:
        open(FILE, "w").write("====\n".join(out))
        return 0
    bad = sum(a != b for a, b in zip(out, cases)) + abs(len(cases) - len(out))
    print(f"{len(CASES) - bad} passed, {bad} failed")
    return bad != 0


sys.exit(main())
