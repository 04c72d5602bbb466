#!/usr/bin/env python3
"""Writes tests/text/import/bytecode_ops.txt: StableHLO's bytecode of the texts in tests/text/import, by jaxlib.

    python3 tests/generate/gen_bytecode.py

A text and its bytecode are one module, so what the text test of the text expects is expected of the bytecode. Of all
that jaxlib takes as few are chosen as have every operation, in each version (XG_VHLO_OPS of src/import/bytecode.h),
that any of them has; what jaxlib writes today is the newest version only."""
import glob, os, re

os.environ["JAX_PLATFORMS"] = "cpu"
from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
from jaxlib.mlir.passmanager import PassManager

OUT = "tests/text/import/bytecode_ops.txt"
ROWS = {f"{n}_v{v}" for n, v in re.findall(r'X\("(\w+)", (\d+),', open("src/import/bytecode.h").read())}


def bytecode(text):
    """None: it is nothing that jaxlib takes."""
    try:
        with mlir.make_ir_context():
            module = ir.Module.parse(text)
            PassManager.parse("builtin.module(strip-debuginfo)").run(module.operation)
            return stablehlo.serialize_portable_artifact_str(str(module), stablehlo.get_current_version())
    except (ir.MLIRError, ValueError, RuntimeError):
        return None


def cases():
    for path in sorted(glob.glob("tests/text/import/*.txt")):
        for case in open(path).read().split("\n====\n"):
            head, _, rest = case.partition("\n")
            text, _, out = rest.partition("\n----\n")
            if head in ("# run: import", "# run: import eval") and "error:" not in out and path != OUT:
                made = bytecode(text)
                if made:
                    names = {n.decode() for n in re.findall(rb"[a-z_]+_v\d+", made)} & ROWS
                    yield head, out.rstrip("\n"), made, names


def main():
    found = list(cases())
    need, chosen = set().union(*(c[3] for c in found)), []
    while need:
        best = max(found, key=lambda c: len(c[3] & need) / (len(c[2]) + 200))
        chosen.append((*best, sorted(best[3] & need)))
        need -= best[3]
    with open(OUT, "w") as f:
        for k, (head, out, made, _, names) in enumerate(chosen):
            pairs = [made[i : i + 40].hex(" ") for i in range(0, len(made), 40)]
            f.write("====\n" * (k > 0) + f"{head} hex\n# {' '.join(names)}\n")
            f.write("\n".join(pairs) + f"\n----\n{out}\n")


if __name__ == "__main__":
    main()
