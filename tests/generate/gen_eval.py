#!/usr/bin/env python3
"""Writes tests/text/eval/gen_*.txt: every elementwise opcode by every class of type on edge values, what it should give
computed here with Python integers and numpy, independently of the evaluator. Needs numpy and ml_dtypes. Run from the
root: python3 tests/generate/gen_eval.py"""

import math, os
import numpy as np, ml_dtypes

HERE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "text")
FLOATS = {
    "f32": np.float32,
    "f64": np.float64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f8e5m2": ml_dtypes.float8_e5m2,
    "f8e4m3fn": ml_dtypes.float8_e4m3fn,
    "f8e4m3": ml_dtypes.float8_e4m3,
    "f8e3m4": ml_dtypes.float8_e3m4,
    "f8e4m3b11fnuz": ml_dtypes.float8_e4m3b11fnuz,
    "f8e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
    "f8e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
}
DIGITS = {"f32": (6, 9), "f64": (15, 17), "f16": (5, 5), "bf16": (4, 4), "f8e5m2": (2, 2), "f8e5m2fnuz": (2, 2)}
np.seterr(all="ignore")


def real(t, v):
    v = FLOATS[t](v)
    short, full = DIGITS.get(t, (3, 3))
    if v != v:
        return "-nan" if t.endswith("fnuz") else "nan"  # FNUZ formats have one NaN, 0x80
    x = float(v)
    if math.isinf(x):
        return "inf" if x > 0 else "-inf"
    s = "%.*g" % (short, x)
    return s if FLOATS[t](float(s)) == v else "%.*g" % (full, x)


def one(t, v):
    if t == "pred":
        return "1" if v else "0"
    if t[0] in "su":
        return str(int(v))
    if t[0] == "c":
        p = "f32" if t == "c64" else "f64"
        return "(%s, %s)" % (real(p, v.real), real(p, v.imag))
    return real(t, v)


def lit(t, vs):
    return "{" + ", ".join(one(t, v) for v in vs) + "}"


def case(op, types, ins, out_type, want, attrs=""):
    n = len(want)
    text = "# run: eval\nHloModule %s\nENTRY e {\n" % op.replace("-", "_")
    for k, t in enumerate(types):
        text += "  p%d = %s[%d] parameter(%d)\n" % (k, t, n, k)
    text += "  ROOT r = %s[%d] %s(%s)%s\n}\n" % (
        out_type,
        n,
        op,
        ", ".join("p%d" % k for k in range(len(types))),
        attrs,
    )
    for t, v in zip(types, ins):
        text += "// arg: %s\n" % lit(t, v)
    return text + "----\n" + lit(out_type, want) + "\n"


def write(name, cases):
    os.makedirs(os.path.join(HERE, "eval"), exist_ok=True)
    open(os.path.join(HERE, "eval", "gen_" + name + ".txt"), "w").write("====\n".join(cases))


# ---- integers: Python's are exact ----
def wrap(t, v):
    b = int(t[1:])
    v &= (1 << b) - 1
    return v - (1 << b) if t[0] == "s" and v >> (b - 1) else v


def trunc_div(a, b):
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def int_power(a, b, t):
    w = max(int(t[1:]), 8)
    if t[0] == "u" and b >> (w - 1):
        a, b = (a - (1 << w) if a >> (w - 1) else a), b - (1 << w)  # XLA takes the highest bit as a sign
    if b < 0:
        return 1 if a == 1 else (1 if b % 2 == 0 else -1) if a == -1 else 0
    return a ** (b & 63)


def int_tests(t):
    b = int(t[1:])
    lo, hi = (-(1 << b - 1), (1 << b - 1) - 1) if t[0] == "s" else (0, (1 << b) - 1)
    mask = (1 << b) - 1
    edge = sorted({v for v in (lo, -7, -1, 0, 1, 3, b - 1, 100, hi // 3, hi) if lo <= v <= hi})
    few = [v for v in (lo, -3, -1, 0, 1, b, hi) if lo <= v <= hi]
    A, B = [a for a in edge for _ in few], [c for _ in edge for c in few]
    un = {
        "abs": abs,
        "negate": lambda a: -a,
        "sign": lambda a: (a > 0) - (a < 0),
        "not": lambda a: ~a,
        "popcnt": lambda a: bin(a & mask).count("1"),
        "count-leading-zeros": lambda a: b - (a & mask).bit_length(),
    }
    bi = {
        "add": lambda a, c: a + c,
        "subtract": lambda a, c: a - c,
        "multiply": lambda a, c: a * c,
        "mulhi": lambda a, c: (a * c) >> b,
        "divide": lambda a, c: trunc_div(a, c) if c else -1,
        "remainder": lambda a, c: a - c * trunc_div(a, c) if c else a,
        "power": lambda a, c: int_power(a, c, t),
        "maximum": max,
        "minimum": min,
        "and": lambda a, c: a & c,
        "or": lambda a, c: a | c,
        "xor": lambda a, c: a ^ c,
        "shift-left": lambda a, c: a << (c & mask) if (c & mask) < b else 0,
        "shift-right-logical": lambda a, c: (a & mask) >> (c & mask) if (c & mask) < b else 0,
        "shift-right-arithmetic": lambda a, c: wrap("s%d" % b, a) >> min(c & mask, b - 1),
    }
    out = [
        case(op, [t], [edge], t, [wrap(t, f(a)) for a in edge])
        for op, f in un.items()
        if t[0] == "s" or op not in ("abs", "sign")
    ]
    out += [case(op, [t, t], [A, B], t, [wrap(t, f(a, c)) for a, c in zip(A, B)]) for op, f in bi.items()]
    rel = {
        "EQ": lambda a, c: a == c,
        "NE": lambda a, c: a != c,
        "LT": lambda a, c: a < c,
        "LE": lambda a, c: a <= c,
        "GT": lambda a, c: a > c,
        "GE": lambda a, c: a >= c,
    }
    out += [
        case("compare", [t, t], [A, B], "pred", [f(a, c) for a, c in zip(A, B)], ", direction=" + d)
        for d, f in rel.items()
    ]
    T = [(p, q, r) for p in few for q in few[::2] for r in few]
    out.append(case("clamp", [t] * 3, list(zip(*T)), t, [min(max(p, q), r) for p, q, r in T]))
    out.append(
        case(
            "select",
            ["pred", t, t],
            [[k % 3 == 0 for k in range(len(A))], A, B],
            t,
            [a if k % 3 == 0 else c for k, (a, c) in enumerate(zip(A, B))],
        )
    )
    write("int_" + t, out)


# ---- floats: numpy in double (f64: numpy), rounded once, narrow types by way of f32 ----
def rounded(t, v):
    with np.errstate(all="ignore"):
        if t in ("f32", "f64"):
            return FLOATS[t](v)
        return FLOATS[t](np.float32(v))


def fmax(a, b):
    return math.nan if a != a or b != b else (a if a > b or (a == b and not np.signbit(a)) else b)


def fmin(a, b):
    return math.nan if a != a or b != b else (a if a < b or (a == b and np.signbit(a)) else b)


def afz(x):
    return x if x != x or math.isinf(x) else math.copysign(math.floor(abs(x) + 0.5) if abs(x) < 2**52 else abs(x), x)


def power(a, b):
    if b == 0.5 and (a == 0 or math.isinf(a)):
        return abs(a)  # numpy takes the square root
    return np.power(a, b)


def erf(x):
    return x if x != x else math.erf(x)


def key(t, v):
    n = np.dtype(FLOATS[t]).itemsize
    u = int(np.array(v, FLOATS[t]).view("u%d" % n))
    s = 1 << (8 * n - 1)
    if "fnuz" in t and u == s:
        return -(1 << 70)
    return u if u < s else -(u - s) - 1


def float_tests(t):
    T = FLOATS[t]
    fi = ml_dtypes.finfo(T)
    raw = [
        0.0,
        -0.0,
        1,
        -1,
        0.5,
        -0.5,
        1.5,
        2.5,
        -2.5,
        3,
        0.25,
        -0.75,
        7,
        -12,
        0.1,
        math.nan,
        float(fi.max),
        float(fi.min),
        float(fi.tiny),
        float(fi.smallest_subnormal),
        1 + float(fi.eps),
    ]
    if not t.endswith("fnuz") and not t.endswith("fn"):
        raw += [math.inf, -math.inf]
    edge = [T(v) for v in raw]
    few = [T(v) for v in (-0.0, 1, -2.5, 0.5, math.nan)] + edge[-1:]
    un = {
        "abs": np.abs,
        "negate": np.negative,
        "sign": lambda x: x if x != x or x == 0 else np.sign(x),
        "floor": np.floor,
        "ceil": np.ceil,
        "round-nearest-afz": afz,
        "round-nearest-even": np.rint,
        "exponential": np.exp,
        "exponential-minus-one": np.expm1,
        "log": np.log,
        "log-plus-one": np.log1p,
        "logistic": lambda x: 1 / (1 + np.exp(-x)),
        "sqrt": np.sqrt,
        "rsqrt": lambda x: 1 / np.sqrt(x),
        "cbrt": np.cbrt,
        "erf": erf,
        "sine": np.sin,
        "cosine": np.cos,
        "tan": np.tan,
        "asin": np.arcsin,
        "acos": np.arccos,
        "sinh": np.sinh,
        "cosh": np.cosh,
        "tanh": np.tanh,
        "asinh": np.arcsinh,
        "acosh": np.arccosh,
        "atanh": np.arctanh,
        "real": lambda x: x,
        "imag": lambda x: 0.0,
    }
    bi = {
        "add": np.add,
        "subtract": np.subtract,
        "multiply": np.multiply,
        "divide": np.divide,
        "remainder": np.fmod,
        "power": power,
        "atan2": np.arctan2,
        "maximum": fmax,
        "minimum": fmin,
    }
    exact = {"rsqrt": [1, 0.25, 0.0], "log": [1], "acosh": [1]}  # f64 is libm's: only where every libm is exact
    simple = {
        "abs",
        "negate",
        "sign",
        "floor",
        "ceil",
        "round-nearest-afz",
        "round-nearest-even",
        "sqrt",
        "real",
        "imag",
    }
    out = []
    for op, f in un.items():
        vs = edge if t != "f64" or op in simple else [T(v) for v in exact.get(op, [0.0])]
        out.append(case(op, [t], [vs], t, [rounded(t, f(np.float64(v))) for v in vs]))
    out.append(case("is-finite", [t], [edge], "pred", [bool(np.isfinite(float(v))) for v in edge]))
    A, B = [a for a in edge for _ in few], [c for _ in edge for c in few]
    for op, f in bi.items():
        if op == "power" or op == "atan2":
            P = [(a, c) for a, c in zip(A, B) if t != "f64" or (float(a) in (0.0, 1.0, 0.5) and float(c) in (0.0, 1.0))]
        else:
            P = list(zip(A, B))
        out.append(case(op, [t, t], list(zip(*P)), t, [rounded(t, f(np.float64(a), np.float64(c))) for a, c in P]))
    A, B = A[::2] + B[::5], B[::2] + A[::5]
    rel = {
        "EQ": lambda a, c: a == c,
        "NE": lambda a, c: a != c,
        "LT": lambda a, c: a < c,
        "LE": lambda a, c: a <= c,
        "GT": lambda a, c: a > c,
        "GE": lambda a, c: a >= c,
    }
    for d, f in rel.items():
        if t not in ("f32", "bf16", "f8e4m3fn", "f8e4m3fnuz") and d not in ("LT", "NE"):
            continue
        out.append(
            case("compare", [t, t], [A, B], "pred", [f(float(a), float(c)) for a, c in zip(A, B)], ", direction=" + d)
        )
        out.append(
            case(
                "compare",
                [t, t],
                [A, B],
                "pred",
                [f(key(t, a), key(t, c)) for a, c in zip(A, B)],
                ", direction=" + d + ", type=TOTALORDER",
            )
        )
    Q = [(p, q, r) for p in few[::2] for q in few for r in few[1::2]]
    out.append(
        case(
            "clamp", [t] * 3, list(zip(*Q)), t, [rounded(t, fmin(fmax(float(p), float(q)), float(r))) for p, q, r in Q]
        )
    )
    out.append(
        case(
            "select",
            ["pred", t, t],
            [[k % 2 == 0 for k in range(len(A))], A, B],
            t,
            [a if k % 2 == 0 else c for k, (a, c) in enumerate(zip(A, B))],
        )
    )
    write("float_" + t, out)


# ---- conversions ----
def to_int(t, v):
    b = int(t[1:])
    lo, hi = (-(1 << b - 1), (1 << b - 1) - 1) if t[0] == "s" else (0, (1 << b) - 1)
    return 0 if v != v else lo if v <= lo else hi if v >= hi else int(v)


def from_int(t, v):
    if t == "f64":
        return float(v)
    f = np.array(v, np.uint64 if v > 0 else np.int64).astype(
        np.float32
    )  # rounds once; np.float32(v) would go through double
    return f if t == "f32" else FLOATS[t](f)  # bf16 too goes by way of f32, as in XLA


def convert_tests():
    ints = ["s4", "u4", "s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64"]
    out = []
    fl = [
        0.0,
        -0.0,
        0.5,
        1,
        -1.5,
        2.5,
        6,
        15.5,
        100.7,
        127.5,
        -128.5,
        240,
        255.5,
        448,
        464,
        480,
        32767.9,
        57344,
        61440,
        65519,
        65520,
        1e9,
        -3e9,
        2147483648.0,
        1.8e19,
        -1e19,
        1e-3,
        1e-6,
        math.inf,
        -math.inf,
        math.nan,
    ]
    iv = [
        0,
        1,
        7,
        8,
        127,
        128,
        255,
        256,
        257,
        384,
        385,
        32768,
        65519,
        65520,
        16777217,
        16777219,
        2**31,
        2**32 - 1,
        2**53 + 1,
        2**62 + 2**38 + 1,
        2**63,
        2**64 - 1,
        -1,
        -8,
        -9,
        -128,
        -129,
        -(2**31),
        -(2**63),
    ]
    for a in ints + ["pred"]:
        b = int(a[1:]) if a != "pred" else 1
        v = [
            wrap(a, x) if a != "pred" else x
            for x in iv
            if a == "pred"
            and x in (0, 1)
            or a != "pred"
            and (-(1 << b - 1) <= x < 1 << b - 1 if a[0] == "s" else 0 <= x < 1 << b)
        ]
        for c in ints:
            out.append(case("convert", [a], [v], c, [wrap(c, x) for x in v]))
        for c in FLOATS:
            out.append(case("convert", [a], [v], c, [from_int(c, x) for x in v]))
        out.append(case("convert", [a], [v], "pred", [x != 0 for x in v]))
        out.append(case("convert", [a], [v], "c64", [np.complex64(from_int("f32", x)) for x in v]))
    for a in FLOATS:
        v = [FLOATS[a](x) for x in fl if np.isfinite(float(FLOATS[a](x))) or not math.isfinite(x)]
        if a.endswith("fn") or a.endswith("fnuz"):
            v = [x for x in v if not math.isinf(float(x))]
        v = [x for x in v if float(x) == float(x)] + [FLOATS[a](math.nan)]
        if a[:2] == "f8" and a not in ("f8e5m2", "f8e4m3fn"):
            v = v[::2] + v[-1:]
        for c in ints[:: 1 if a in ("f32", "f64") else 3]:
            out.append(case("convert", [a], [v], c, [to_int(c, float(x)) for x in v]))
        for c in FLOATS:
            out.append(
                case(
                    "convert",
                    [a],
                    [v],
                    c,
                    [
                        FLOATS[c](float(x)) if c not in ("f16", "bf16", "f32") or a != "f64" else once(c, float(x))
                        for x in v
                    ],
                )
            )
        out.append(case("convert", [a], [v], "pred", [float(x) != 0 for x in v]))
        out.append(case("convert", [a], [v], "c128", [np.complex128(float(x)) for x in v]))
    write("convert", out)


def once(t, x):
    """double to t, rounded once: numpy does it for f32 and f16; for bf16 the double is first made odd at 24 bits"""
    if t != "bf16":
        return FLOATS[t](x)
    f = np.float32(x)
    if not np.isfinite(f) or float(f) == x:
        return FLOATS[t](f)
    lo = f if abs(float(f)) < abs(x) else np.nextafter(f, np.float32(0))
    return FLOATS[t]((lo.view(np.uint32) | np.uint32(1)).view(np.float32))


# ---- complex ----
def complex_tests(t):
    T = np.complex64 if t == "c64" else np.complex128
    r = "f32" if t == "c64" else "f64"
    R = FLOATS[r]
    v = [T(complex(a, b)) for a in (0.0, 1, -2.5, 0.5) for b in (0.0, -1, 3, 0.25)]
    out = []
    D = np.complex128
    if t == "c64":
        un = {
            "exponential": np.exp,
            "sine": np.sin,
            "cosine": np.cos,
            "tanh": np.tanh,
            "tan": np.tan,
            "sinh": np.sinh,
            "cosh": np.cosh,
            "sqrt": np.sqrt,
            "asin": np.arcsin,
            "acos": np.arccos,
            "asinh": np.arcsinh,
            "acosh": np.arccosh,
        }
        for op, f in un.items():
            out.append(case(op, [t], [v], t, [T(f(D(x))) for x in v]))
        w = [x for x in v if x != 0]
        for op, f in {"log": np.log, "rsqrt": lambda x: 1 / np.sqrt(x), "sign": lambda x: x / abs(x)}.items():
            out.append(case(op, [t], [w], t, [T(f(D(x))) for x in w]))
    out.append(case("abs", [t], [v], r, [R(abs(D(x))) for x in v]))
    out.append(case("real", [t], [v], r, [x.real for x in v]))
    out.append(case("imag", [t], [v], r, [x.imag for x in v]))
    out.append(case("negate", [t], [v], t, [-x for x in v]))
    A, B = [a for a in v for _ in v[1::3]], [b for _ in v for b in v[1::3]]
    for op, f in {
        "add": lambda a, b: a + b,
        "subtract": lambda a, b: a - b,
        "multiply": lambda a, b: complex(a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real),
    }.items():
        out.append(case(op, [t, t], [A, B], t, [T(f(complex(a), complex(b))) for a, b in zip(A, B)]))
    lex = lambda a: (a.real, a.imag)
    # XLA:GPU's own order, read off its PTX: GE and LE look at the real parts alone
    for d, f in {
        "EQ": lambda a, b: a == b,
        "NE": lambda a, b: a != b,
        "LT": lambda a, b: lex(a) < lex(b),
        "LE": lambda a, b: a.real <= b.real,
        "GT": lambda a, b: lex(a) > lex(b),
        "GE": lambda a, b: a.real >= b.real,
    }.items():
        out.append(
            case(
                "compare", [t, t], [A, B], "pred", [f(complex(a), complex(b)) for a, b in zip(A, B)], ", direction=" + d
            )
        )
    out.append(case("complex", [r, r], [[x.real for x in v], [x.imag for x in v]], t, v))
    write("complex_" + t, out)


for t in ("s2", "u2", "s4", "u4", "s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64"):
    int_tests(t)
for t in FLOATS:
    float_tests(t)
for t in ("c64", "c128"):
    complex_tests(t)
convert_tests()
