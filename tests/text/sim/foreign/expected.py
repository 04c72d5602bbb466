#!/usr/bin/env python3
"""What the kernels of this folder must give, by NumPy. Prints, or with --check compares, the expected part of each case
of ../foreign.txt; run by hand.

python3 tests/text/sim/foreign/expected.py --check        ends with 'N passed, N failed'
"""

import itertools, os, re, sys
import numpy as np

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "foreign.txt")


def mod(n, a, b, m, o, s, dtype=np.float64):
    v = (np.arange(n, dtype=np.int64) * a + b) % m - o
    return v / s if dtype == np.float64 else np.trunc(v / s).astype(dtype)


def fnv(data):
    h = 0xCBF29CE484222325
    for byte in data:
        h = ((h ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return h


def bf16(x):
    u = int(np.float32(x).view(np.uint32))
    return float(np.uint32((u + 0x7FFF + (u >> 16 & 1)) & 0xFFFF0000).view(np.float32))


def number(x, digits=0):
    return str(int(x)) if float(x).is_integer() else f"{float(x):.{digits}g}" if digits else repr(float(x))


def show(name, v, digits=0):
    v = np.ascontiguousarray(v).reshape(-1)
    if v.size > 256:
        return f"{name}: {' '.join(number(x, digits) for x in v[:8])} ... {v.size} values, hash {fnv(v.tobytes()):x}"
    out, i, items = f"{name}:", 0, 0
    while i < v.size:
        run = 1
        while i + run < v.size and v[i + run] == v[i]:
            run += 1
        if run < 4:
            run = 1
        out += (
            ("\n  " if items and items % 8 == 0 else " ")
            + number(v[i], digits)
            + (f" ({run} times)" if run > 1 else "")
        )
        i += run
        items += 1
    return out


def add():
    return show("c", (mod(1000, 7, 3, 17, 8, 4) + mod(1000, 5, 1, 23, 11, 2)).astype(np.float32))


def gemm_tiled():
    return show(
        "c", (mod(1480, 7, 3, 17, 8, 1).reshape(40, 37) @ mod(1665, 5, 1, 23, 11, 2).reshape(37, 45)).astype(np.float32)
    )


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
    out = [
        min(1000, v.min()),
        max(-1000, v.max()),
        x,
        bits - (1 << 32 if bits >> 31 else 0),
        total & 0xFFFFFFFF,
        total >> 32,
        int(v.sum()) * 3,
        0,
    ]
    return show("out", np.array(out, dtype=np.int64))


def bitonic():
    return show("keys", np.sort(mod(1024, 7919, 11, 100003, 0, 1, np.int64)).astype(np.uint32))


def gemm_mma():
    return show(
        "c",
        (mod(10240, 7, 3, 17, 8, 2).reshape(128, 80) @ mod(5120, 5, 1, 23, 11, 4).reshape(64, 80).T).astype(np.float32),
    )


def gemm_wmma():
    return show(
        "c",
        (2 * (mod(1536, 7, 3, 17, 8, 2).reshape(32, 48) @ mod(2304, 5, 1, 23, 11, 4).reshape(48, 48)) + 1).astype(
            np.float32
        ),
    )


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
    def quotient(a, b):
        return int(a / b) if abs(a) < 2**52 else (abs(a) // b) * (1 if a >= 0 else -1)

    def wrap(x):
        return (x + 2**31) % 2**32 - 2**31

    table, kind, out, wide = [3, 1, 4, 1, 5, 9, 2, 6], [5, -6, 7], [], []
    for i, x in enumerate(mod(100, 37, 5, 101, 0, 1, np.int64)):
        x = int(x)
        stack = [x * k + table[k & 7] for k in range(16)]
        case = x % 7
        if case == 0:
            x = int(np.gcd(x + 12, 18))
        elif case == 1:
            x = stack[x & 15] + 1
        elif case == 2:
            x = x << 3 | 1
        elif case == 3:
            x = wrap(bin(x).count("1") + (32 - x.bit_length()) + wrap(int(f"{x:032b}"[::-1], 2) % 11))
        elif case == 4:
            x = -x
        elif case == 5:
            x = kind[i % 3]
        else:
            x = stack[(x >> 1) & 15] ^ 33
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
    return show(
        "c",
        (mod(12288, 7, 3, 17, 8, 2).reshape(64, 192) @ mod(18432, 5, 1, 23, 11, 4).reshape(96, 192).T).astype(
            np.float32
        ),
    )


def sort_pairs():
    keys, values = mod(1024, 7919, 11, 251, 0, 1, np.int64).reshape(2, 512), np.arange(1024).reshape(2, 512)
    order = np.argsort(keys, 1, kind="stable")
    return (
        show("keys_out", np.take_along_axis(keys, order, 1).astype(np.uint32))
        + "\n"
        + show("values_out", np.take_along_axis(values, order, 1).astype(np.int32))
    )


def scans():
    v = np.zeros(1024, dtype=np.int64)
    v[:1000] = mod(1000, 7919, 11, 1009, 500, 1, np.int64)
    v = v.reshape(4, 256)
    before, most = (np.cumsum(v, 1) - v).reshape(-1)[:1000], np.maximum.accumulate(v, 1).reshape(-1)[:1000]
    return "\n".join(
        [
            show("exclusive", before.astype(np.int32)),
            show("inclusive", most.astype(np.int32)),
            show("most", v.max(1) * 0.25),
            show("total", v.sum(1)),
        ]
    )


def counts():
    v = mod(1024, 37, 5, 64, 0, 1, np.int64)
    return (
        show("bins", np.bincount(v, minlength=64))
        + "\n"
        + show("heads", np.array([i == 0 or v[i] >> 4 != v[i - 1] >> 4 for i in range(1024)]).astype(np.int32))
    )


def objects():
    def wrap(x):
        return (x + 2**31) % 2**32 - 2**31

    def ackermann(m, n):
        return n + 1 if m == 0 else ackermann(m - 1, 1) if n == 0 else ackermann(m - 1, ackermann(m, n - 1))

    areas, ints = [], []
    for i in range(100):
        a = (i + 1.0) ** 2
        areas.append(0.5 * a + a if i % 3 else 0.5 * 2 * (i + 0.5) * 2 + (i + 0.5) * 2)
        h, n = 0, 4 + (i & 1)
        for order in itertools.permutations([i % 4, 1, 2, 3, 4][:n]):
            k = 0
            for x in order:
                k = (k * 7 + x) % 2**32
            h ^= k * 2654435761 % 2**32
        y = (
            sum(i * k for k in range(i % 21))
            + int(i * 0.5)
            + (i + i % 5 if i & 1 else i - 2 * (i % 5))
            + ackermann(i & 1, i % 4)
            + [8, 9, 10, 11][i % 4]
            + 3 * (i & 3)
            + i % 3
            + 1
        )
        case = i % 11
        if case == 0:
            y += 3
        elif case == 1:
            y *= 5
        elif case == 2:
            y ^= 77
        elif case == 3:
            y -= i
        elif case == 4:
            y <<= 2
        elif case == 5:
            y = ~y
        elif case == 6:
            y = int(y / 3)
        elif case == 7:
            y = int(np.fmod(y, 13))
        elif case == 8:
            y += bin(y % 2**32).count("1")
        elif case == 9:
            y = (y & -y).bit_length()
        else:
            y = -y
        ints.append(wrap(y ^ h & 0xFFFF))
    return show("areas", np.array(areas, dtype=np.float32)) + "\n" + show("ints", np.array(ints))


def bodies():
    p = mod(400, 7, 3, 17, 8, 1).reshape(100, 4)
    d = p[None, :, :3] - p[:, None, :3]
    w = np.where((d * d).sum(2) > 50, p[None, :, 3], 0)
    return show("force", np.concatenate([(d * w[:, :, None]).sum(1), np.full((100, 1), 100.0)], 1).astype(np.float32))


def stencil():
    v = mod(2560, 7, 3, 17, 8, 1).reshape(5, 16, 32)
    wide, out = np.pad(v, ((0, 0), (1, 1), (1, 1))), np.zeros_like(v)
    flat = wide[:, :-2, 1:-1] + wide[:, 2:, 1:-1] + wide[:, 1:-1, :-2] + wide[:, 1:-1, 2:] - 6 * v
    out[:-1] = flat[:-1] + v[1:]
    out[1:] += v[:-1]
    return show("out", out.astype(np.float32))


def transform():
    x = mod(512, 37, 5, 101, 0, 1, np.int64)
    w = [pow(11, 24 * k, 12289) for k in range(512)]
    return show(
        "out",
        np.array([sum(int(x[n]) * w[n * k % 512] for n in range(512)) % 12289 for k in range(512)], dtype=np.uint32),
    )


def halves():
    a, b, c = mod(64, 7, 3, 17, 8, 4).reshape(32, 2), mod(64, 5, 1, 23, 11, 2).reshape(32, 2), mod(32, 11, 3, 29, 14, 8)
    z = np.maximum((a * b + 0.5).astype(np.float16), (a - b).astype(np.float16)).astype(np.float64)
    z = (z + a[:, ::-1]).astype(np.float16).astype(np.float64)
    out = np.clip((z * 0.125).astype(np.float16), 0, 1)
    d = [bf16(bf16(bf16(u * 3.0 - u) * bf16(0.3)) + max(u, 3.0)) for u in c]
    flags = [int(a[i, 0] > b[i, 1]) | 2 * int((a[i] == b[i]).all()) | int(np.floor(z[i, 1])) << 4 for i in range(32)]
    return show("out", out, 5) + "\n" + show("d", np.array(d), 4) + "\n" + show("flags", np.array(flags))


def atomics():
    return "\n".join(
        [
            show("sum", np.array([1.5 + 0.5 * 127 * 64])),
            show("pairs", np.array([33.0, 66.0] * 4)),
            "most: 100",
            "bits: 18446744073709551615",
            "ticket: 256",
        ]
    )


def phases():
    x = mod(64, 7, 3, 17, 8, 1, np.int64)
    for _ in range(5):
        x = x * 3 + np.roll(x, -7)
    return show("out", x)


def groups():
    v, out = mod(256, 37, 5, 101, 0, 1, np.int64), []
    for t, x in enumerate(v):
        tile, warp = v[t // 16 * 16 : t // 16 * 16 + 16], v[t // 32 * 32 : t // 32 * 32 + 32]
        alike = tile[tile % 3 == x % 3]
        y = tile.sum() * 3 + tile[: t % 16 + 1].max() + alike.min() * 1000 + alike.size
        if x & 1:
            y += 7 * (warp[: t % 32] & 1).sum()
        y ^= int(((tile >> 1 & 1) == (x >> 1 & 1)).sum()) << 20
        out.append(y + tile[t % 16 ^ 5] + sum(1 << i for i in range(16) if tile[i] % 4 == x % 4) % 97)
    return show("out", np.array(out)) + "\n" + show("used", np.array([(v & 1).sum()]))


CASES = [
    add,
    add,
    gemm_tiled,
    reduce_sum,
    argmax,
    votes,
    histogram,
    extremes,
    bitonic,
    gemm_mma,
    gemm_wmma,
    gemm_bytes,
    pipeline,
    coop,
    language,
    count,
    locked,
    cluster,
    gemm_wgmma,
    sort_pairs,
    scans,
    counts,
    objects,
    bodies,
    stencil,
    transform,
    halves,
    atomics,
    phases,
    groups,
]


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
