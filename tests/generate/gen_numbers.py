#!/usr/bin/env python3
"""Writes tests/text/base/number_*.txt from numpy, ml_dtypes and Python's own exact arithmetic: the expectations do not come
from xlagpu.

pip install numpy ml_dtypes; python3 tests/generate/gen_numbers.py
"""

import os, random, struct, warnings
from fractions import Fraction
import ml_dtypes as md, numpy as np

warnings.filterwarnings("ignore")
HERE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "text", "base")
TYPES = {
    "f4e2m1fn": md.float4_e2m1fn,
    "f6e2m3fn": md.float6_e2m3fn,
    "f6e3m2fn": md.float6_e3m2fn,
    "f8e3m4": md.float8_e3m4,
    "f8e4m3": md.float8_e4m3,
    "f8e4m3fn": md.float8_e4m3fn,
    "f8e4m3b11fnuz": md.float8_e4m3b11fnuz,
    "f8e4m3fnuz": md.float8_e4m3fnuz,
    "f8e5m2": md.float8_e5m2,
    "f8e5m2fnuz": md.float8_e5m2fnuz,
    "f8e8m0fnu": md.float8_e8m0fnu,
    "bf16": md.bfloat16,
    "f16": np.float16,
}
BITS = {t: 4 if t[1] == "4" else 6 if t[1] == "6" else 8 if t[1] == "8" else 16 for t in TYPES}
carrier = lambda t: np.uint16 if BITS[t] == 16 else np.uint8


def weights(n):
    return np.arange(n, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(1)


def patterns(t):
    return np.arange(2 ** BITS[t]).astype(carrier(t)).view(TYPES[t])


def encode(t, v):
    return int(np.array([v], np.float32).astype(TYPES[t]).view(carrier(t))[0])


def decode_all(t):
    v = patterns(t).astype(np.float64)
    bits = np.where(np.isnan(v), np.uint64(0x7FF8000000000000), v.view(np.uint64))
    return "%016x" % int(np.sum(bits * weights(len(v)), dtype=np.uint64))


def encode_all(t):
    low = np.array([0, 1, 0xFFF, 0x1000, 0x1001, 0x2FFF, 0x3000, 0x3001, 0x7FFF, 0x8000, 0x8001, 0xFFFF], np.uint32)
    x = (np.arange(65536, dtype=np.uint32)[:, None] << np.uint32(16) | low).reshape(-1).view(np.float32)
    bits = x.astype(TYPES[t]).view(carrier(t)).astype(np.uint64)
    bits[np.isnan(x)] = 0
    return "%016x" % int(np.sum(bits * weights(len(x)), dtype=np.uint64))


def write(name, cases):
    text = "====\n".join(
        "# run: number\n%s\n----\n%s\n" % ("\n".join(q for q, _ in c), "\n".join(a for _, a in c)) for c in cases
    )
    with open(os.path.join(HERE, name), "w") as f:
        f.write(text)


def formats():
    cases = []
    for t in TYPES:
        c = [("decode-all " + t, decode_all(t)), ("encode-all " + t, encode_all(t)), ("reread-all " + t, "0 differ")]
        for v in ["nan", "-nan", "inf", "-inf", "0", "-0", "1", "-1", "0.5", "3e38", "-3e38", "1e-40"]:
            c.append(("encode %s %s" % (t, v), "%x" % encode(t, float(v))))
        finite = np.unique(patterns(t).astype(np.float64))
        finite = finite[np.isfinite(finite)]
        for v in (finite[-1], finite[-2], (finite[-1] + finite[-2]) / 2, finite[-1] * 1.0625):
            c.append(("encode %s %.17g" % (t, v), "%x" % encode(t, v)))
        cases.append(c)
    return cases


def nearest(text, mantissa, bias):
    """The bits of the float nearest to the decimal, by rational arithmetic."""
    sign = text.startswith("-")
    v = abs(Fraction(text))
    top = 2 * bias + 1
    if v == 0:
        return (sign << (mantissa + top.bit_length())), False
    e = max(v.numerator.bit_length() - v.denominator.bit_length() - 1, 1 - bias)
    while v >= Fraction(2) ** (e + 1):
        e += 1
    scaled = v / Fraction(2) ** (e - mantissa)
    m = scaled.numerator // scaled.denominator
    rest = scaled - m
    m += rest > Fraction(1, 2) or (rest == Fraction(1, 2) and m & 1)
    bits = ((e + bias - 1) << mantissa) + m
    over = bits >= top << mantissa
    return (min(bits, top << mantissa) | sign << (mantissa + top.bit_length())), bool(over)


def reading():
    rnd = random.Random(7)
    texts = [
        "0",
        "-0",
        "0.0",
        "1",
        "-1.5",
        "0.1",
        "1e22",
        "1e23",
        "123456789",
        "9007199254740993",
        "9007199254740992.5",
        "9007199254740993.0000000000000000000001",
        "16777217",
        "16777219",
        "33554433.5",
        "8388608.5",
        "1e308",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "1e309",
        "-1e309",
        "4.9e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "1e-400",
        "0e999",
        "1.",
        "-.5",
        "3.4028235677973366e38",
        "3.4028235677973362e38",
        "3.4028235e38",
        "340282356779733661637539395458142568447",
        "340282356779733661637539395458142568448",
        "1.401298464324817e-45",
        "7.006492321624085e-46",
        "7.0064923216240854e-46",
        "1.1754943508222875e-38",
        "1.17549421069244107548702944485e-38",
        "0." + "0" * 60 + "1",
        "1" + "0" * 60,
        "1" * 300,
        "0." + "3" * 1000,
        "9" * 400 + "e-380",
    ]
    for _ in range(16):
        b = rnd.getrandbits(63)
        d = struct.unpack("<d", struct.pack("<Q", b))[0]
        up = struct.unpack("<d", struct.pack("<Q", b + 1))[0]
        if b + 1 < 0x7FE0000000000000:
            texts += ["%.17g" % d, "%.*g" % (rnd.randint(1, 30), d)]
            f = (Fraction(d) + Fraction(up)) / 2  # the midpoint exactly, then a little above and below
            n = 0
            while f.denominator != 1:
                f *= 10
                n += 1
            texts += [
                "%de-%d" % (f.numerator, n),
                "%d1e-%d" % (f.numerator, n + 1),
                "%de-%d" % (f.numerator * 10 - 1, n + 1),
            ]
    for _ in range(40):
        b = rnd.getrandbits(31)
        if b + 1 < 0x7F800000:
            x, y = (Fraction(float(np.uint32(k).view(np.float32))) for k in (b, b + 1))
            f = (x + y) / 2
            n = 0
            while f.denominator != 1:
                f *= 10
                n += 1
            texts += [
                "%.9g" % float(x),
                "%de-%d" % (f.numerator, n),
                "%d1e-%d" % (f.numerator, n + 1),
                "%de-%d" % (f.numerator * 10 - 1, n + 1),
            ]
    cases = []
    for name, mantissa, bias, form in (("f64", 52, 1023, "%016x %d%s"), ("f32", 23, 127, "%08x %d%s")):
        c = []
        for t in texts:
            bits, over = nearest(t.rstrip(".") if t.endswith(".") else t.replace("-.", "-0."), mantissa, bias)
            c.append((name + " " + t, form % (bits, len(t), " overflow" if over else "")))
        zero = form.split()[0] % 0
        one, inf = ("3ff0000000000000", "7ff0000000000000") if name == "f64" else ("3f800000", "7f800000")
        c += [
            (name + " " + t, a)
            for t, a in (
                ("1e", one + " 1"),
                ("1e+", one + " 1"),
                ("1x", one + " 1"),
                (".", zero + " 0"),
                ("-", zero + " 0"),
                ("e5", zero + " 0"),
                ("x", zero + " 0"),
                ("inf", inf + " 3"),
                ("-inf", ("f" + inf[1:]) + " 4"),
                ("1e99999999999999999999", inf + " 22 overflow"),
                ("1e-99999999999999999999", zero + " 23"),
            )
        ]
        cases.append(c)
    return cases


def printing():
    rnd = random.Random(9)
    c = [
        ("g %d %s" % (n, t), "%.*g" % (n or 1, float(t)))
        for n in (0, 1, 2, 6, 9, 15, 17, 25, 40)
        for t in (
            "0",
            "-0",
            "1",
            "0.1",
            "9.5",
            "99.5",
            "0.00095",
            "0.5",
            "1e10",
            "123456789",
            "1e22",
            "1e23",
            "1e-5",
            "0.0001",
            "1e300",
            "4.9e-324",
            "-2.5",
            "1e15",
            "999999.5",
            "9999995",
            "inf",
            "-inf",
        )
    ]
    for _ in range(150):
        v = struct.unpack("<d", struct.pack("<Q", rnd.getrandbits(64)))[0]
        if v == v:
            n = rnd.randint(1, 40)
            c.append(("g %d %.17g" % (n, v), "%.*g" % (n, v)))
    for _ in range(80):
        v = rnd.randint(-(10**6), 10**6) / 8
        n = rnd.randint(1, 9)
        c.append(("g %d %.17g" % (n, v), "%.*g" % (n, v)))
    x = []

    def brief(v, short, full, back):
        s = "%.*g" % (short, v)
        return s if back(float(s)) == back(v) else "%.*g" % (full, v)

    for _ in range(150):
        f = np.uint32(rnd.getrandbits(32)).view(np.float32)
        if rnd.random() < 0.5:
            f = np.float32(rnd.randint(-(10**6), 10**6) / 10 ** rnd.randint(0, 8))
        if np.isfinite(f):
            x.append(("print f32 0x%x" % int(f.view(np.uint32)), brief(float(f), 6, 9, np.float32)))
        d = rnd.randint(-(10**9), 10**9) / 10 ** rnd.randint(0, 12) * rnd.choice([1, 1, 1 / 3])
        x.append(("print f64 0x%x" % struct.unpack("<Q", struct.pack("<d", d))[0], brief(d, 15, 17, float)))
    digits = {
        "f4e2m1fn": 2,
        "f6e2m3fn": 3,
        "f6e3m2fn": 2,
        "f8e3m4": 3,
        "f8e4m3": 3,
        "f8e4m3fn": 3,
        "f8e4m3b11fnuz": 3,
        "f8e4m3fnuz": 3,
        "f8e5m2": 2,
        "f8e5m2fnuz": 2,
        "f8e8m0fnu": 2,
        "bf16": 4,
        "f16": 5,
    }
    for t, n in digits.items():
        p = patterns(t)
        for i in [rnd.randrange(len(p)) for _ in range(12)]:
            v = float(p[i])
            if np.isfinite(v) and (t, i) != ("f8e8m0fnu", 0):
                x.append(("print %s 0x%x" % (t, i), "%.*g" % (n, v)))
    x += [
        ("print " + q, a)
        for q, a in (
            ("f32 0x7fc00000", "nan"),
            ("f32 0xffc00000", "-nan"),
            ("f32 0x7f800001", "nan(0x1)"),
            ("f32 0xffc00001", "-nan(0x400001)"),
            ("f32 0x7f800000", "inf"),
            ("f32 0xff800000", "-inf"),
            ("f32 0x80000000", "-0"),
            ("f64 0x7ff8000000000000", "nan"),
            ("f64 0xfff0000000000123", "-nan(0x123)"),
            ("bf16 0x7f81", "nan(0x1)"),
            ("f16 0xfe00", "-nan"),
            ("f8e5m2 0x7f", "nan(0x3)"),
            ("f8e4m3fn 0xff", "-nan"),
            ("f8e4m3fnuz 0x80", "-nan"),
            ("f8e8m0fnu 0xff", "nan"),
            ("f8e8m0fnu 0x0", "5.8774717541114375e-39"),
        )
    ]
    return [c, x]


def fast():
    rnd = random.Random(3)
    c = []
    values = (
        [
            0,
            0x80000000,
            0x3F800000,
            0x3F808000,
            0x3F818000,
            0x3F808001,
            0x7F7FFFFF,
            0x7F800000,
            0xFF800000,
            0x477FE000,
            0x477FEFFF,
            0x477FF000,
            0x33000000,
            0x33000001,
            0x33800000,
            0x33C00000,
            0x387FC000,
            0x387FDFFF,
            0x387FE000,
            0x387FF000,
            0x38800000,
            0x38801000,
            0x38803000,
            0x00000001,
            0x00008000,
            0x00018000,
        ]
        + [rnd.getrandbits(32) for _ in range(40)]
        + [0x33000000 + rnd.randrange(0x14800000) for _ in range(40)]
    )
    for b in values:
        f = np.uint32(b).view(np.float32)
        if f == f:
            c.append(
                (
                    "fast 0x%x" % b,
                    "%04x %04x"
                    % (int(np.array([f]).astype(md.bfloat16).view(np.uint16)[0]), int(np.float16(f).view(np.uint16))),
                )
            )
    c += [("fast 0x7fc00000", "7fc0 7e00"), ("fast 0xff800001", "ffc0 fe00")]
    return [c]


os.makedirs(HERE, exist_ok=True)
write("number_formats.txt", formats())
write("number_read.txt", reading())
write("number_print.txt", printing())
write("number_16bit.txt", fast())
