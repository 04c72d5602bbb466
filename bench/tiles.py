#!/usr/bin/env python3
"""Tables of contractions on plain cores, from kernels that the simulator runs: what a main loop executes, what it
touches, beside Triton; and how products of a few rows and long sums use a device.

    python3 bench/tiles.py [loop] [triton] [few] [--tool build/xlagpu] [--gpu H200] [--peer PYTHON triton_ptx.py]

loop    of f32 and f64: FMAs among the lane instructions that more of K adds, which is the main loop and nothing else;
        bank conflicts; sectors, by those that the rows of the tiles touch where they really lie; spills by ptxas,
        where there is one. A product of 2048^3 runs as four tiles of the shape that 2048^3 gets.
triton  lane instructions and sectors by those of Triton's PTX for the same tile on sm_75, where it multiplies f32 and
        f64 by FMAs, too.
few     GEMV, up to 16 rows and long sums: sectors by those of operands and result, read once; multiprocessors that
        have a block; predicted time, and what share of it a kernel takes that only moves as many bytes."""

import argparse, math, os, re, shutil, subprocess, sys, tempfile

SECTOR = 32
BYTES = {"f32": 4, "f64": 8, "bf16": 2, "f16": 2}
TARGETS = ("sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90a", "sm_100", "sm_120")


def module(t, m, n, k, record="", turned=False):
    """A product; with a record, which is an order, as the fusion that it is for."""
    b = f"{n},{k}" if turned else f"{k},{n}"
    parameters = f"  a = {t}[{m},{k}] parameter(0)\n  b = {t}[{b}] parameter(1)\n"
    dims = f"lhs_contracting_dims={{1}}, rhs_contracting_dims={{{int(turned)}}}"
    dot = f"{parameters}  ROOT d = {t}[{m},{n}] dot(a, b), {dims}\n"
    if not record:
        return f"HloModule product\nENTRY e {{\n{dot}}}\n"
    return f"""HloModule product, is_scheduled=true
product {{
{dot}}}
ENTRY e {{
{parameters}  ROOT f = {t}[{m},{n}] fusion(a, b), kind=kLoop, calls=product, backend_config={{"xlagpu_kernel":{record}}}
}}
"""


# so many bytes that are read, and written
COPY = """HloModule copy
ENTRY e {
  a = f32[SIZE] parameter(0)
  ROOT c = f32[SIZE] negate(a)
}
"""


class Tool:
    def __init__(self, path, gpu):
        self.path, self.gpu, self.dir = path, gpu, tempfile.mkdtemp()

    def call(self, *args, text=None):
        p = subprocess.run([self.path, *args], input=text, capture_output=True, text=True)
        if p.returncode:
            sys.exit(f"{' '.join(args)}: {p.stderr.strip()}")
        return p.stdout

    def target(self, target):
        return [f"--target={target}"] + ([f"--gpu={self.gpu}"] if target == "sm_90a" else [])

    def compile(self, text, target, emit):
        return self.call("compile", "-", *self.target(target), f"--emit={emit}", text=text)

    def time(self, text, target):
        """Predicted microseconds of all kernels, and what limits them."""
        rows = [line.split("\t") for line in self.compile(text, target, "times").splitlines() if line[:1].isdigit()]
        return sum(float(row[0]) * int(row[3]) for row in rows), ",".join(sorted({row[1] for row in rows}))

    def stats(self, text, target):
        """The counters of the kernels, summed up, and what the model says of them."""
        path = os.path.join(self.dir, "m.hlo")
        with open(path, "w") as f:
            f.write(text)
        out = self.call("run", path, "--platform=host", *self.target(target), "--stats", "--reference_platform=")
        return table(out)


def table(out):
    lines = [line.split("\t") for line in out.splitlines() if "\t" in line]
    head = next(line for line in lines if line[0] == "kernel")
    total = {}
    for line in lines[lines.index(head) + 1:]:
        if len(line) == len(head):
            for name, value in zip(head, line):
                if re.fullmatch(r"[0-9.]+", value):
                    total[name] = total.get(name, 0) + float(value)
    return total


def form(hlo):
    """The record of the one kernel: its text, and its numbers."""
    text = re.search(r'"xlagpu_kernel":(\{.*?"launch")', hlo).group(1)[: -len(',"launch"')] + "}"
    numbers = {name: [int(x) for x in re.findall(r"\d+", value)]
               for name, value in re.findall(r'"(\w+)":(\[[^\]]*\]|"\d+")', text)}
    return text, numbers


def touched(begin, count, bytes):
    """Sectors of so many elements in a row."""
    first, last = begin * bytes, (begin + count) * bytes - 1
    return last // SECTOR - first // SECTOR + 1


def rows_touched(t, m, n, k, tile):
    """Sectors that the rows of all tiles touch: of A m by k, of B k by n, each step of each block; of the result."""
    tm, tn, tk = tile
    bytes, lead = BYTES[t], -k % tk
    steps = [(max(s - lead, 0), min(s - lead + tk, k)) for s in range(0, k + lead, tk)]
    a = sum(touched(row * k + lo, hi - lo, bytes) for row in range(m) for lo, hi in steps)
    widths = [(lo, min(tn, n - lo)) for lo in range(0, n, tn)]
    b = sum(touched(row * n + lo, count, bytes) for row in range(k) for lo, count in widths)
    out = sum(touched(row * n + lo, count, bytes) for row in range(m) for lo, count in widths)
    return a * len(widths) + b * math.ceil(m / tm) + out


def spills(tool, text):
    """The targets whose machine code spills; None: there is no ptxas."""
    ptxas = shutil.which("ptxas") or "/usr/local/cuda/bin/ptxas"
    if not os.path.exists(ptxas):
        return None
    found = []
    for target in TARGETS:
        path = os.path.join(tool.dir, "k.ptx")
        with open(path, "w") as f:
            f.write(tool.compile(text, target, "ptx"))
        p = subprocess.run([ptxas, "-v", f"-arch={target}", path, "-o", os.devnull], capture_output=True, text=True)
        if p.returncode or any(int(x) for x in re.findall(r"(\d+) bytes spill", p.stderr)):
            found.append(target)
    return found


LOOPS = [("f32", 2048, 2048, 2048, "sm_90a", False), ("f32", 2048, 2048, 2048, "sm_75", False),
         ("f32", 257, 511, 1023, "sm_90a", True), ("f64", 1024, 1024, 1024, "sm_90a", False)]


def loop_table(tool):
    print("type\tm,n,k\ttarget\ttile\tFMA_%_of_loop\tconflicts\tsectors_by_touched\tspills")
    for t, m, n, k, target, whole in LOOPS:
        text, numbers = form(tool.compile(module(t, m, n, k), target, "hlo"))
        tile = numbers["tile"]
        sm, sn, sk = (m, n, k) if whole else (2 * tile[0], 2 * tile[1], 8 * tile[2])
        one = tool.stats(module(t, sm, sn, sk, text), target)
        two = tool.stats(module(t, sm, sn, sk + 8 * tile[2], text), target)
        share = (two[f"{t}_lanes"] - one[f"{t}_lanes"]) / (two["lane_instructions"] - one["lane_instructions"])
        sectors = one["sectors"] / rows_touched(t, sm, sn, sk, tile)
        spilled = spills(tool, module(t, m, n, k))
        print(f"{t}\t{m},{n},{k}\t{target}\t{'x'.join(map(str, tile))}\t{100 * share:.1f}\t"
              f"{one['bank_conflicts']:.0f}\t{sectors:.2f}\t"
              f"{'-' if spilled is None else ' '.join(spilled) or 0}", flush=True)


def triton_table(tool, python, script):
    print("type\tm,n,k\ttile\tlane_instructions\tTriton's\tratio\tsectors\tTriton's\tratio")
    for t, tile, part, size in (("f32", (128, 128, 16), (8, 8), 256), ("f32", (64, 64, 16), (8, 4), 256),
                                ("f64", (64, 64, 16), (4, 8), 128)):
        words = [str(x) for x in tile]
        p = subprocess.run([python, script, "gemm", "--type", t, "--shape", f"{size},{size},{size}", "--tile",
                            ",".join(words), "--warps", str(tile[0] * tile[1] // (part[0] * part[1]) // 32), "--stages",
                            "2", "--sm", "75", "--out", tool.dir], capture_output=True, text=True)
        if p.returncode:
            sys.exit(p.stderr)
        name = f"{tool.dir}/gemm_{t}_{size}x{size}x{size}_sm75.cmd"
        theirs = table(tool.call(*open(name).read().split(), "--stats"))
        quoted = ",".join(f'"{x}"' for x in words)
        record = f'{{"rule":"tile","form":{{"tile":[{quoted}],"thread_tile":["{part[0]}","{part[1]}"]}}}}'
        ours = tool.stats(module(t, size, size, size, record), "sm_75")
        both = [(ours[x], theirs[x]) for x in ("lane_instructions", "sectors")]
        figures = [f"{a:.0f}\t{b:.0f}\t{a / b:.2f}" for a, b in both]
        print(f"{t}\t{size},{size},{size}\t{'x'.join(words)}\t" + "\t".join(figures), flush=True)


FEW = [("f32", 1, 4096, 4096, False), ("f32", 1, 4096, 4096, True), ("bf16", 1, 4096, 4096, True),
       ("f32", 4, 4096, 4096, False), ("f32", 16, 4096, 4096, False), ("f32", 16, 4096, 4096, True),
       ("bf16", 16, 4096, 4096, True), ("f32", 32, 64, 4096, False), ("f32", 768, 768, 8192, False),
       ("bf16", 768, 768, 8192, False)]


def few_table(tool):
    print("type\tm,n,k\tright_side\tkernels\tsectors_by_once\tmultiprocessors_%\tpredicted_us\tcopy_%\tlimited_by")
    target = "sm_90a"
    for t, m, n, k, turned in FEW:
        text = module(t, m, n, k, turned=turned)
        hlo = tool.compile(text, target, "hlo")
        grids = [int(x) for x in re.findall(r'"grid":\["(\d+)"', hlo)]
        us, limits = tool.time(text, target)
        once = (m * k + k * n + m * n) * BYTES[t]
        copy = tool.time(COPY.replace("SIZE", str(once // 8)), target)[0]
        small = m * n * k <= 1 << 26
        sectors = f"{tool.stats(text, target)['sectors'] * SECTOR / once:.2f}" if small else "-"
        print(f"{t}\t{m},{n},{k}\t{'n by k' if turned else 'k by n'}\t{len(grids)}\t{sectors}\t"
              f"{100 * min(max(grids), 132) / 132:.0f}\t{us:.2f}\t{100 * copy / us:.0f}\t{limits}", flush=True)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("tables", nargs="*", default=[])
    ap.add_argument("--tool", default="build/xlagpu")
    ap.add_argument("--gpu", default="H200")
    ap.add_argument("--peer", nargs=2, metavar=("PYTHON", "SCRIPT"))
    a = ap.parse_args()
    tool = Tool(a.tool, a.gpu)
    if not a.tables or "loop" in a.tables:
        loop_table(tool)
    if a.peer and (not a.tables or "triton" in a.tables):
        triton_table(tool, *a.peer)
    if not a.tables or "few" in a.tables:
        few_table(tool)


if __name__ == "__main__":
    main()
