#!/usr/bin/env python3
"""Dots of any size, type, layout, prologue and epilogue on the simulator, or a GPU, compared with the evaluator.

    python3 tests/scripts/contractions.py [--count 24] [--seed 1] [--from 0] [--work 1048576] [--tool build/xlagpu]
                                              [--keep DIR] [--targets sm_80,...] [--types bf16,...]
                                              [--platform cuda] [--driver FILE]

M, N and K are 1 to 4097, often a power of two or beside one; a batch has 1 to 7 products. The largest of them shrinks
until there are at most --work multiply-adds. Integers have to be equal. Of floats the bound is that of a random walk of
roundings, which grows with the root of K times the size of a usual element, itself the root of K; what is written in a
narrower type may differ by a rounding. Each module runs twice: the bits have to be the same. A module that fails is
kept in --keep. With --platform=cuda they are compiled for the GPU that is there. Says every 20 modules how far it is;
--from goes on with the module of that number, which is the same in each run. Ends with 'N passed, N failed'."""

import argparse, math, os, random, subprocess, sys, tempfile

SIZE_MAX = 4097
SECONDS = 120  # a run that takes longer does not end
STEPS = 4  # roundings of an element beside those of its sum
EPS = {"f64": 2.0**-52, "f32": 2.0**-23, "f16": 2.0**-10, "bf16": 2.0**-7, "c64": 2.0**-23, "c128": 2.0**-52}
# what is multiplied, and what the products are summed up in
TYPES = [("f32", "f32")] * 4 + [("f64", "f64"), ("f16", "f32"), ("bf16", "f32"), ("c64", "c64"), ("c128", "c128")]
TYPES += [("s8", "s32"), ("s32", "s32"), ("u16", "s32"), ("s64", "s64"), ("f8e4m3fn", "f32"), ("f8e5m2", "f32")]
NARROW = {"f32": ("bf16",), "s32": ("s8",), "bf16": ("s8", "s4", "f8e4m3fn"), "f16": ("u8", "u4", "f8e5m2")}
NO_NEGATIVE = ("u", "f8")
TARGETS = ["sm_75", "sm_80", "sm_90a"]
SAID = 20  # modules from one report to the next


def size(r):
    if r.random() < 0.6:
        return min(max((1 << r.randint(0, 12)) + r.choice((-1, 0, 0, 1)), 1), SIZE_MAX)
    return int(math.exp(r.uniform(0, math.log(SIZE_MAX))))


def sizes(r, work):
    d = {"b": r.choice((1, 1, 1, 2, 3, 5, 7)), "m": size(r), "n": size(r), "k": size(r)}
    while d["b"] * d["m"] * d["n"] * d["k"] > work:
        largest = max(d, key=lambda name: d[name])
        d[largest] = (d[largest] + 1) // 2
    return d


class Module:
    """The text of a module with one dot, and the dimensions of its result."""

    def __init__(self, r, d, types):
        self.r, self.d, self.lines, self.params = r, d, [], 0
        self.type, self.sum = r.choice(types)
        self.out = self.sum
        result = self.prologue_and_dot()
        self.finish(result)

    def let(self, name, text):
        self.lines.append(f"  {name} = {text}")
        return name

    def parameter(self, type, dims, layout=None):
        name = f"p{self.params}"
        order = "{" + ",".join(map(str, layout)) + "}" if layout else ""
        self.let(name, f"{type}[{','.join(map(str, dims))}]{order} parameter({self.params})")
        self.params += 1
        return name

    def operand(self, name, names):
        """An operand whose dimensions are in any order, in any layout, and what is done to it before."""
        r = self.r
        names = r.sample(names, len(names))
        dims = [self.d[c] for c in names]
        text = ",".join(map(str, dims))
        stored, what = self.type, r.choice(("plain", "plain", "plain", "negate", "reverse", "convert"))
        if what == "convert" and self.type in NARROW:
            stored = r.choice(NARROW[self.type])
        x = self.parameter(stored, dims, r.sample(range(len(dims)), len(dims)))
        if stored != self.type:
            x = self.let(name + "c", f"{self.type}[{text}] convert({x})")
        elif what == "negate" and not self.type.startswith(NO_NEGATIVE):
            x = self.let(name + "n", f"{self.type}[{text}] negate({x})")
        elif what == "reverse":
            x = self.let(name + "r", f"{self.type}[{text}] reverse({x}), dimensions={{{r.randrange(len(dims))}}}")
        return x, names

    def prologue_and_dot(self):
        batch = ["b"] if self.d["b"] > 1 else []
        left, left_names = self.operand("a", batch + ["m", "k"])
        right, right_names = self.operand("w", batch + ["n", "k"])
        self.dims = [self.d[c] for c in batch + ["m", "n"]]
        self.shape = ",".join(map(str, self.dims))
        text = f"{self.sum}[{self.shape}] dot({left}, {right})"
        if batch:
            text += f", lhs_batch_dims={{{left_names.index('b')}}}, rhs_batch_dims={{{right_names.index('b')}}}"
        text += f", lhs_contracting_dims={{{left_names.index('k')}}}, rhs_contracting_dims={{{right_names.index('k')}}}"
        return self.let("d", text)

    def finish(self, x):
        r, shape = self.r, self.shape
        whole = f"{self.sum}[{shape}]"
        what = r.choice(("none", "none", "bias", "residual", "relu", "narrow", "both", "rows", "turned", "largest"))
        if what == "bias":
            row = self.parameter(self.sum, self.dims[-1:])
            row = self.let("row", f"{whole} broadcast({row}), dimensions={{{len(self.dims) - 1}}}")
            x = self.let("y", f"{whole} add({x}, {row})")
        elif what == "residual":
            more = self.parameter(self.sum, self.dims)
            x = self.let("y", f"{whole} subtract({more}, {x})")
        elif what == "relu" and self.sum[0] != "c":
            zero = self.let("zero", f"{self.sum}[] constant(0)")
            zero = self.let("zeros", f"{whole} broadcast({zero}), dimensions={{}}")
            x = self.let("y", f"{whole} maximum({x}, {zero})")
        elif what == "narrow" and self.sum == "f32":
            self.out = r.choice(("bf16", "f16"))
            x = self.let("y", f"{self.out}[{shape}] convert({x})")
        elif what == "both":
            y = self.let("y", f"{whole} negate({x})")
            x = self.let("t", f"({whole}, {whole}) tuple({y}, {x})")
        elif what == "turned":
            order = r.sample(range(len(self.dims)), len(self.dims))
            turned = ",".join(str(self.dims[k]) for k in order)
            x = self.let("y", f"{self.sum}[{turned}] transpose({x}), dimensions={{{','.join(map(str, order))}}}")
        elif what == "largest" and self.sum in ("f32", "f64"):
            least = self.let("least", f"{self.sum}[] constant(-inf)")
            dims = ",".join(map(str, range(len(self.dims))))
            y = self.let("y", f"{self.sum}[] reduce({x}, {least}), dimensions={{{dims}}}, to_apply=largest")
            x = self.let("t", f"({whole}, {self.sum}[]) tuple({x}, {y})")
        elif what == "rows" and self.sum in ("f32", "f64"):
            least = self.let("least", f"{self.sum}[] constant(-inf)")
            rows = ",".join(map(str, self.dims[:-1]))
            dim = len(self.dims) - 1
            x = self.let("y", f"{self.sum}[{rows}] reduce({x}, {least}), dimensions={{{dim}}}, to_apply=largest")
        self.root = self.lines[-1].split(" = ")[0].strip()

    def text(self):
        head = "HloModule contraction\n"
        if any("to_apply=largest" in line for line in self.lines):
            head += f"largest {{\n  x = {self.sum}[] parameter(0)\n  y = {self.sum}[] parameter(1)\n"
            head += f"  ROOT z = {self.sum}[] maximum(x, y)\n}}\n"
        lines = list(self.lines)
        lines[-1] = lines[-1].replace("  ", "  ROOT ", 1)
        return head + "ENTRY e {\n" + "\n".join(lines) + "\n}\n"

    def bounds(self):
        """--rtol and --atol. Arguments are of the size of 1."""
        if self.sum not in EPS:
            return ["--rtol=0", "--atol=0"]
        k = self.d["k"]
        atol = EPS[self.sum] * (STEPS + math.sqrt(k)) * math.sqrt(k)
        return [f"--rtol={EPS[self.out] if self.out != self.sum else EPS[self.sum] * STEPS}", f"--atol={atol}"]


def run(a, path, module, target, seed):
    args = [a.tool, "run", path, f"--platform={a.platform}", f"--seed={seed}"] + module.bounds()
    args += [f"--target={target}"] if a.platform == "host" else []
    args += [f"--driver={a.driver}"] if a.driver else []
    results = []
    for _ in range(2):
        with tempfile.NamedTemporaryFile(suffix=".npz") as out:
            try:
                p = subprocess.run(
                    args + [f"--out={out.name}"], capture_output=True, text=True, errors="replace", timeout=SECONDS
                )
            except subprocess.TimeoutExpired:
                return [f"does not end in {SECONDS} seconds"]
            if p.returncode:
                return (p.stderr or p.stdout).strip().splitlines()[-1:] or [f"exit {p.returncode}"]
            results.append(open(out.name, "rb").read())
    return None if results[0] == results[1] else ["two runs differ"]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--count", type=int, default=24)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--from", dest="first", type=int, default=0)
    ap.add_argument("--targets", default=",".join(TARGETS))
    ap.add_argument("--types", help="of what is multiplied: all of them without")
    ap.add_argument("--work", type=int, default=1 << 20)
    ap.add_argument("--tool", default="build/xlagpu")
    ap.add_argument("--keep", default="build/contractions")
    ap.add_argument("--platform", choices=("host", "cuda"), default="host")
    ap.add_argument("--driver", help="another driver library than the system's")
    a = ap.parse_args()
    passed = failed = 0
    os.makedirs(a.keep, exist_ok=True)
    types = [t for t in TYPES if not a.types or t[0] in a.types.split(",")]
    for n in range(a.first, a.count):
        r = random.Random(a.seed * 1000003 + n)
        module = Module(r, sizes(r, a.work), types)
        target = r.choice(a.targets.split(","))
        target = target if a.platform == "host" else "the GPU"
        path = os.path.join(a.keep, f"{a.seed}_{n}.hlo")
        with open(path, "w") as f:
            f.write(module.text())
        wrong = run(a, path, module, target, n)
        if wrong:
            failed += 1
            print(f"FAIL {path} on {target}, K {module.d['k']}: {wrong[0][:200]}", flush=True)
        else:
            passed += 1
            os.remove(path)
        if (n + 1) % SAID == 0:
            print(f"{n + 1} of {a.count}: {passed} passed, {failed} failed", flush=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
