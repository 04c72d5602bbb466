#!/usr/bin/env python3
"""bench/few_rows.py -- products of a few rows, beside a kernel that only moves as many bytes: by the model of time.

    python3 bench/few_rows.py [--tool build/xlagpu] [--gpus H200,B200,...] [--types f32 bf16/s8 bf16/f8e4m3fn ...]
                              [--rows 1,2,4,8,16] [--shapes 4096x4096,...] [--scale 128]

A line for each shape (columns x summed up) and order of the right side: percent of the time of such a copy, for each
number of rows; then the least and the most of all. bf16/s8: bf16 by weights of another type; --scale: which a number of
each column and of so many k multiplies. f8e4m3fn/f8e5m2/f32: the result's type, too; operands of one size are not
converted."""

import argparse, subprocess

BYTES = {"f32": 4, "s32": 4, "bf16": 2, "f16": 2, "f8e4m3fn": 1, "f8e5m2": 1, "s8": 1, "u8": 1, "s4": 0.5, "u4": 0.5}
TARGETS = {"A100": "sm_80", "L40S": "sm_89", "H100": "sm_90a", "H200": "sm_90a", "B200": "sm_100a",
           "RTX 5090": "sm_120a"}


def product(t, w, out, m, n, k, turned, scale):
    b, part = (f"{n},{k}", f"{n},{k // (scale or k)}") if turned else (f"{k},{n}", f"{k // (scale or k)},{n}")
    spread = f"{part},{scale}" if turned else f"{k // (scale or k)},{scale},{n}"
    body = [f"a = {t}[{m},{k}] parameter(0)", f"b = {w}[{b}] parameter(1)"]
    right = "b"
    if w != t and not (out != t and BYTES[w] == BYTES[t]):
        body.append(f"c = {t}[{b}] convert(b)")
        right = "c"
    if scale:
        body += [f"s = {t}[{part}] parameter(2)",
                 f"g = {t}[{spread}] broadcast(s), dimensions={{0,{1 if turned else 2}}}",
                 f"r = {t}[{b}] reshape(g)", f"p = {t}[{b}] multiply(c, r)"]
        right = "p"
    dims = f"lhs_contracting_dims={{1}}, rhs_contracting_dims={{{int(turned)}}}"
    body.append(f"ROOT d = {out}[{m},{n}] dot(a, {right}), {dims}")
    return "HloModule p\nENTRY e {\n  " + "\n  ".join(body) + "\n}\n"


def time(a, text, gpu):
    args = [a.tool, "compile", "-", f"--target={TARGETS[gpu]}", f"--gpu={gpu}", "--emit=times"]
    out = subprocess.run(args, input=text, capture_output=True, text=True, check=True).stdout
    rows = [line.split("\t") for line in out.splitlines() if line[:1].isdigit()]
    return sum(float(r[0]) * int(r[3]) for r in rows)


def copy(a, size, gpu, known={}):
    n = int(size) // 8
    if (n, gpu) not in known:
        text = f"  x = f32[{n}] parameter(0)\n  ROOT c = f32[{n}] negate(x)\n"
        known[n, gpu] = time(a, "HloModule c\nENTRY e {\n" + text + "}\n", gpu)
    return known[n, gpu]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--tool", default="build/xlagpu")
    ap.add_argument("--gpus", default="H200,B200,A100,RTX 5090")
    ap.add_argument("--types", nargs="*", default=["f32", "bf16/s8", "bf16/f8e4m3fn", "bf16/f8e5m2"])
    ap.add_argument("--rows", default="1,2,4,8,16")
    ap.add_argument("--shapes", default="4096x4096,11008x4096,4096x11008")
    ap.add_argument("--scale", type=int, default=0)
    a = ap.parse_args()
    for gpu in a.gpus.split(","):
        for types in a.types:
            t, w = (types.split("/") * 2)[:2]
            out = types.split("/")[2] if types.count("/") == 2 else t
            for turned in (False, True):
                every = []
                for n, k in (map(int, s.split("x")) for s in a.shapes.split(",")):
                    line = []
                    for m in map(int, a.rows.split(",")):
                        size = m * k * BYTES[t] + k * n * BYTES[w] + m * n * BYTES[out]
                        size += n * (k // a.scale) * BYTES[t] if a.scale else 0
                        line.append(100 * copy(a, size, gpu) / time(a, product(t, w, out, m, n, k, turned, a.scale), gpu))
                    every += line
                    order = "n by k" if turned else "k by n"
                    print(f"{gpu}\t{types}\t{n}x{k}\t{order}\t" + "\t".join(f"{x:.0f}" for x in line), flush=True)
                print(f"{gpu}\t{types}\t{min(every):.0f} to {max(every):.0f}")


main()
