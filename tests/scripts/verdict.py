#!/usr/bin/env python3
"""The default verdict of `xlagpu run`: it takes right results, and no wrong ones. From the project's root.

    python3 tests/scripts/verdict.py [--draws N] [--seed S] [--list]

tests/verdict/ has thirty JAX programs (tests/generate/gen_verdict.py). Each must be right as it is compiled. Then
errors are planted in its kernels: its PTX with one instruction changed (OPERATORS) runs by --xla_gpu_ptx_file. Changes
that leave every bit of the results as it was are no errors and are drawn again. PLANTED are thirty that must be found,
one a program. --draws plants so many more at random and counts those that the verdict takes; their lines are printed:
what changes results by less than the module's own rounding (an epsilon of a division) is no error that a tolerance can
find. Ends with "N passed, N failed"."""

import argparse
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys

TOOL, FOLDER, WORK = "build/xlagpu", pathlib.Path("tests/verdict"), pathlib.Path("build/verdict")
TARGET = "sm_80"
HANGS_S = 20


def line(pattern, change):
    """Sites: lines that match; change(match) is the new line."""
    compiled = re.compile(pattern)

    def sites(ptx):
        return [(k, change(m)) for k, text in enumerate(ptx) if (m := compiled.match(text))]

    return sites


def fraction(m):
    """The upper half of the fraction's bits is another one."""
    return f"{m[1]}0f{int(m[2], 16) ^ 0x00100000:08X}{m[3]}"


OPERATORS = {
    "swapped operands": line(
        r"(.*\b(?:sub|div|rem)\.[\w.]+ %\w+), ([^,]+), ([^,;]+);", lambda m: f"{m[1]}, {m[3]}, {m[2]};"
    ),
    "a dropped add": line(
        r"(.*)\badd(?:\.rn)?\.(f32|f64|s32) (%\w+), (%\w+), %\w+;", lambda m: f"{m[1]}mov.{m[2]} {m[3]}, {m[4]};"
    ),
    "a dropped term": line(
        r"(.*)\bfma\.rn\.(f32|f64) (%\w+), (%\w+), (\S+), (%\w+);", lambda m: f"{m[1]}mov.{m[2]} {m[3]}, {m[6]};"
    ),
    "a lost accumulator": line(
        r"(.*)\bfma\.rn\.(f32|f64) (%\w+), (%\w+), (\S+), %\w+;",
        lambda m: f"{m[1]}mul.rn.{m[2]} {m[3]}, {m[4]}, {m[5]};",
    ),
    "rounded to tf32": line(
        r"(\s+(?:fma\.rn|add\.rn|add|mul\.rn|mul|ld\.global(?:\.nc)?)\.f32 (%\w+), .*;)",
        lambda m: f"{m[1]} and.b32 {m[2]}, {m[2]}, 0xffffe000;",
    ),
    "a wrong address": line(
        r"(.*\b(?:ld|st)\.(?:global|shared)[\w.]* .*\[%\w+)(?:\+(\d+))?\](.*)",
        lambda m: f"{m[1]}+{int(m[2] or 0) + 16}]{m[3]}",
    ),
    "an index off by one": line(
        r"(.*\b(?:add|and|shl|shr|mad)[\w.]* %\w+, %\w+, )(\d+);", lambda m: f"{m[1]}{int(m[2]) + 1};"
    ),
    "a missing barrier": line(r"\s+bar\.sync .*", lambda m: ""),
    "a missing store": line(r"\s+st\.(?:global|shared).*", lambda m: ""),
    "the other branch": line(r"(.*)@(!?)(%p\w*) (.*)", lambda m: f"{m[1]}@{'' if m[2] else '!'}{m[3]} {m[4]}"),
    "another comparison": line(
        r"(.*\bsetp\.)(lt|le|gt|ge)(.*)",
        lambda m: m[1] + {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt"}[m[2]] + m[3],
    ),
    "a wrong constant": line(r"(.*)\b0f([0-9A-F]{8})(.*)", fraction),
    "the wrong lane": line(r"(.*\bshfl\.sync\.\w+\.b32 .*, )(1|2|4|8|16)(, \w+, \S+;)", lambda m: f"{m[1]}0{m[3]}"),
    "minimum for maximum": line(r"(.*\b)(min|max)(\..*)", lambda m: m[1] + {"min": "max", "max": "min"}[m[2]] + m[3]),
    "or for and": line(
        r"(.*\b)(and|or|xor)(\.b(?:32|64) %\w+, %\w+, %\w+;)",
        lambda m: m[1] + {"and": "or", "or": "and", "xor": "or"}[m[2]] + m[3],
    ),
}

# PROGRAM: the error that is planted in it. Of its sites, in seeded order, the first that changes a bit.
PLANTED = {
    "adam": "swapped operands",
    "attention_bf16": "the wrong lane",
    "attention_causal": "another comparison",
    "attention_f32": "rounded to tf32",
    "batch_norm": "a dropped add",
    "blur_u8": "an index off by one",
    "convolution": "a lost accumulator",
    "convolution_grad": "a dropped term",
    "cross_entropy": "swapped operands",
    "embedding_grad": "a wrong address",
    "heat_f64": "a dropped add",
    "histogram": "an index off by one",
    "layer_norm": "a wrong constant",
    "mandelbrot": "swapped operands",
    "matmul_f64": "a missing barrier",
    "matmul_long": "rounded to tf32",
    "matmul_s8": "a wrong address",
    "mix_u32": "or for and",
    "mlp_bf16": "a missing store",
    "mlp_f16": "a wrong address",
    "mlp_f32": "rounded to tf32",
    "mlp_step": "a dropped term",
    "modular_s64": "swapped operands",
    "nearest": "another comparison",
    "newton": "a wrong constant",
    "order_s32": "minimum for maximum",
    "recurrent": "a dropped term",
    "rms_norm_bf16": "a dropped add",
    "running": "the wrong lane",
    "softmax_f64": "swapped operands",
}


def run(name, ptx, out):
    """The exit status, and the results' bytes (None: there are none)."""
    out.unlink(missing_ok=True)
    command = [TOOL, "run", str(FOLDER / f"{name}.mlir"), "--platform=host", f"--target={TARGET}", "--threads=1"]
    command += [f"--out={out}"] + ([f"--xla_gpu_ptx_file={ptx}"] if ptx else [])
    # Seconds of the processor: by the clock of the wall a loaded machine may take longer.
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (HANGS_S, HANGS_S + 1))
    r = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit)
    if r.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return 4, None, "it hangs"
    return r.returncode, out.read_bytes() if out.exists() else None, r.stderr.strip()


class Program:
    def __init__(self, name):
        self.name, self.out = name, WORK / f"{name}.npz"
        self.path = WORK / f"{name}.ptx"
        made = [TOOL, "compile", str(FOLDER / f"{name}.mlir"), f"--target={TARGET}", "--emit=ptx", "-o", str(self.path)]
        subprocess.run(made, check=True)
        self.ptx = self.path.read_text().split("\n")
        self.status, self.right, self.said = run(name, None, self.out)

    def plant(self, operator, chance):
        """The first site that matters, in this order of chance: (line, exit status, what was said), or None."""
        sites = OPERATORS[operator](self.ptx)
        chance.shuffle(sites)
        wrong = WORK / f"{self.name}.wrong.ptx"
        for k, text in sites[:40]:
            wrong.write_text("\n".join(self.ptx[:k] + [text] + self.ptx[k + 1 :]))
            status, got, said = run(self.name, wrong, WORK / f"{self.name}.wrong.npz")
            if status in (2, 3) or got == self.right:
                continue  # it does not load; it changes nothing
            return f"{self.ptx[k].strip()} -> {text.strip()}", status, said
        return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--draws", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true")
    a = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    names = sorted(p.stem for p in FOLDER.glob("*.mlir"))
    programs = {n: Program(n) for n in names}
    failed = 0
    for n, p in programs.items():
        if p.status:
            failed += 1
            print(f"  FAIL  {n} is right, and the verdict is {p.status}: {p.said}")
    for n, operator in PLANTED.items():
        found = programs[n].plant(operator, random.Random(f"{n} {operator}"))
        if not found:
            failed += 1
            print(f"  FAIL  {n}: {operator}: no site changes a bit")
        elif found[1] not in (1, 4):
            failed += 1
            print(f"  FAIL  {n}: {operator} is taken: {found[0]}\n        {found[2]}")
        elif a.list:
            print(f"  ok    {n}: {operator}: {found[0]}\n        {found[2]}")
    chance, taken, planted = random.Random(a.seed), 0, 0
    while planted < a.draws:
        n, operator = chance.choice(names), chance.choice(list(OPERATORS))
        found = programs[n].plant(operator, chance)
        if not found:
            continue
        planted += 1
        if found[1] not in (1, 4):
            taken += 1
            print(f"  taken {n}: {operator}: {found[0]}\n        {found[2]}")
    if a.draws:
        print(f"{planted} errors planted at random, seed {a.seed}: {planted - taken} found, {taken} taken for rounding")
    print(f"{len(names) + len(PLANTED) - failed} passed, {failed} failed")
    return failed != 0


sys.exit(main())
