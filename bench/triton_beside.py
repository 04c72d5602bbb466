#!/usr/bin/env python3
"""bench/triton_beside.py [--gpus H100,...] [--rows NN,...] [--size 4096] -- our products and attention beside the best
of twelve tiles of Triton's, both by the model of time.

    T/bin/python bench/triton_beside.py > table         (T: a Python with triton, numpy, ml_dtypes)

Triton's kernels are those of its tutorials in kind; their PTX runs on the simulator with few blocks, whose counts are
scaled to the whole grid as in time_model.py. Ours is what `compile --emit=times` estimates of the kernel's IR: the same
formula, whose counts come from the IR instead of a run; products of up to 1024^3, whose loops are short for that, are
run whole on the simulator. Tiles that a GPU has no shared memory for are left out. Prints a table, the ratios above 1
where ours takes less time, and their geometric mean."""

import argparse, math, os, subprocess, sys, tempfile

import triton

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import time_model  # noqa: E402
from tensor_cores import GPUS, attention, dot  # noqa: E402

CC = {"A100": 80, "L40S": 89, "H100": 90, "B200": 100, "RTX 5090": 120}
# rows, columns and depth of a tile, warps, stages
TILES = [(128, 256, 64, 8, 3), (256, 128, 64, 8, 3), (128, 128, 64, 4, 3), (128, 128, 64, 8, 3), (128, 128, 32, 4, 4)]
TILES += [(128, 128, 32, 8, 4), (128, 64, 64, 4, 4), (64, 128, 64, 4, 4), (64, 256, 64, 4, 3), (256, 64, 64, 4, 3)]
TILES += [(64, 64, 64, 4, 4), (128, 256, 32, 8, 4)]
# queries and keys of a step, warps, stages
STEPS = [(128, 128, 8, 2), (128, 64, 8, 3), (128, 64, 4, 3), (128, 128, 4, 2), (64, 64, 4, 3), (64, 128, 4, 2)]
STEPS += [(128, 32, 4, 4), (128, 32, 8, 4), (64, 32, 4, 4), (64, 64, 4, 2), (256, 64, 8, 2), (64, 128, 8, 2)]
HEADS, KEYS, DEPTH, CAUSAL_DEPTH = 16, 4096, 128, 64
WHOLE = 1024  # products of up to this size are run whole


def best_product(gpu, size, turned, few=2):
    best = (math.inf, "")
    for bm, bn, bk, warps, stages in TILES:
        m, n = few * bm, few * bn
        memory = max(1, round(3 * size * size / (m * size + size * n + m * n)))
        arrays = [("A", "bf16", m * size, None), ("B", "bf16", size * n, None), ("C", "bf16", m * n, "out")]
        scalars, consts = [("M", m), ("N", n), ("K", size)], {"BM": bm, "BN": bn, "BK": bk, "TURNED": turned}
        grid, scale = str(few * few), (size // m) * (size // n)
        best = min(best, tried(gpu, time_model.product, arrays, scalars, consts, grid, scale, memory, warps, stages))
    return best


def best_attention(gpu):
    best = (math.inf, "")
    for bm, bn, warps, stages in STEPS:
        arrays = [(x, "bf16", KEYS * DEPTH, "out" if x == "O" else None) for x in "QKVO"]
        consts = {"S": KEYS, "D": DEPTH, "BM": bm, "BN": bn}
        scalars = [("scale", 1.4426950408889634 / DEPTH**0.5)]
        scale = HEADS * KEYS // bm // 2  # two blocks of a head run
        best = min(best, tried(gpu, time_model.attend, arrays, scalars, consts, "2,1", scale, HEADS, warps, stages))
    return best


def best_causal(gpu):
    """The two blocks in the middle of a head, which have as many steps as the others on average."""
    best = (math.inf, "")
    for bm, bn, warps, stages in STEPS:
        arrays = [(x, "bf16", KEYS * CAUSAL_DEPTH, "out" if x == "O" else None) for x in "QKVO"]
        consts = {"D": CAUSAL_DEPTH, "BM": bm, "BN": bn, "FIRST": KEYS // bm // 2 - 1}
        scalars = [("scale", 1.4426950408889634 / CAUSAL_DEPTH**0.5)]
        memory = round(HEADS * 4 * KEYS / (KEYS + 6 * bm))
        scale = HEADS * KEYS // bm // 2
        best = min(best, tried(gpu, time_model.attend_past, arrays, scalars, consts, "2", scale, memory, warps, stages))
    return best


def tried(gpu, fn, arrays, scalars, consts, grid, scale, memory, warps, stages):
    """(microseconds, what it was)."""
    name = "x".join(str(v) for k, v in consts.items() if k[0] == "B") + f", {warps} warps, {stages} stages"
    try:
        us, _ = time_model.predict(gpu, fn, CC[gpu], arrays, scalars, consts, grid, scale, memory, warps, stages)
        return us, name
    except (triton.runtime.errors.OutOfResources, triton.compiler.errors.CompilationError, SystemExit) as why:
        print(f"{gpu} {name}: {str(why).splitlines()[-1][:100]}", file=sys.stderr)
        return math.inf, name


def ours(gpu, text):
    with tempfile.NamedTemporaryFile("w", suffix=".hlo") as f:
        f.write(text)
        f.flush()
        command = [time_model.TOOL, "compile", f.name, f"--gpu={gpu}", f"--target={GPUS[gpu]}", "--emit=times"]
        out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return sum(float(x.split("\t")[0]) * int(x.split("\t")[3]) for x in out.splitlines()[1:])


def ours_run(gpu, text):
    """The same, run whole: all kernels' predictions of --stats."""
    with tempfile.NamedTemporaryFile("w", suffix=".hlo") as f:
        f.write(text)
        f.flush()
        where = ["--platform=host", f"--gpu={gpu}", f"--target={GPUS[gpu]}"]
        command = [time_model.TOOL, "run", f.name, "--stats"] + where
        out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    lines = [x.split("\t") for x in out.splitlines()]
    at = lines[0].index("predicted_us")
    return sum(float(x[at]) for x in lines[1:] if len(x) == len(lines[0]))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--gpus", default=",".join(CC))
    p.add_argument("--rows", default="NN,NT,attention,causal")
    p.add_argument("--size", type=int, default=4096)
    o = p.parse_args()
    n, ratios = o.size, []
    rows = {
        "NN": (f"bf16 {n}^3", lambda g: best_product(g, n, False), dot(n, n, n)),
        "NT": (f"bf16 {n}^3 NT", lambda g: best_product(g, n, True), dot(n, n, n, b_turned=True)),
        "attention": ("attention 16x4096x128", best_attention, attention(HEADS, KEYS, KEYS, DEPTH)),
        "causal": (
            "attention 16x4096x64, causal",
            best_causal,
            attention(HEADS, KEYS, KEYS, CAUSAL_DEPTH, causal=True),
        ),
    }
    print("| GPU | what | Triton's best, us | its tile | ours, us | Triton's by ours |")
    print("| -- | -- | -- | -- | -- | -- |")
    for gpu in o.gpus.split(","):
        for row in o.rows.split(","):
            name, best, text = rows[row]
            runs = row in ("NN", "NT") and n <= WHOLE
            (us, tile), own = best(gpu), ours_run(gpu, text) if runs else ours(gpu, text)
            ratios.append(us / own)
            print(f"| {gpu} | {name} | {us:.1f} | {tile} | {own:.1f} | {us / own:.2f} |", flush=True)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    least = f"least {min(ratios):.2f}, geometric mean {mean:.2f}"
    print(f"\n{sum(r >= 1 for r in ratios)} of {len(ratios)} at 1 or above, {least}")


if __name__ == "__main__":
    main()
