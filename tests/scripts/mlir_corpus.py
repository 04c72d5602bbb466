#!/usr/bin/env python3
"""StableHLO text against HLO text: the corpus in both forms, results and optimised modules.

    python3 tests/scripts/mlir_corpus.py MLIR CORPUS [--tool build/xlagpu] [--platform host] [--only REGEX]

MLIR is what tests/generate/export_mlir.py writes; CORPUS has NAME.hlo, NAME.npz and manifest.tsv. Each NAME.mlir is run
with the corpus's arguments and must give its results within the manifest's tolerances; then `xlagpu opt` of both texts
is compared, names by their order. The results of both lie row by row, as JAX compiles them; the HLO text by itself asks
for the layout that each result had in the instruction that makes it. Ends with 'N of M right, N of M the same module';
exit status 1 unless all are right and 95 % are the same."""
import argparse, os, re, subprocess, sys, tempfile


def call(*args):
    r = subprocess.run(args, capture_output=True, text=True, errors="replace", timeout=300)
    return r.returncode, r.stdout, r.stderr


def by_order(text):
    """The module with its names replaced by numbers in the order of their first definition; no metadata."""
    text = re.sub(r", metadata=\{(?:[^{}\"]|\"(?:[^\"\\]|\\.)*\")*\}", "", text)
    text = re.sub(r"^HloModule [^,\n]*", "HloModule", text)
    text = re.sub(r", frontend_attributes=\{[^{}]*\}", "", text)
    calls, names, out = {}, {}, []
    for line in text.splitlines():
        head = re.match(r"(?:ENTRY )?%?([\w.-]+) (?:\(.*)?\{$", line)
        if head:
            names = {}
            calls[head.group(1)] = f"c{len(calls)}"
            line = re.sub(r"%?[\w.-]+ (?=[({])", calls[head.group(1)] + " ", line, 1)
        inst = re.match(r"\s+(?:ROOT )?%?([\w.-]+) = ", line)
        if inst:
            names[inst.group(1)] = f"i{len(names)}"
        known = {**calls, **names} if inst else {}
        out.append(re.sub(r"[\w.-]+(?![\w.(=-])", lambda m: known.get(m.group(0), m.group(0)), line))
    return "\n".join(out)


def row_by_row(hlo):
    """The text with results that lie in the order of their dimensions."""
    head, rest = hlo.split("\n", 1)
    args, results = head.split("->", 1)
    return args + "->" + re.sub(r"\{[\d,]+\}", lambda m: "{" + ",".join(
        str(k) for k in reversed(range(m.group(0).count(",") + 1))) + "}", results) + "\n" + rest


ap = argparse.ArgumentParser(usage=__doc__)
ap.add_argument("mlir")
ap.add_argument("corpus")
ap.add_argument("--tool", default="build/xlagpu")
ap.add_argument("--platform", default="host")
ap.add_argument("--only", default="")
ap.add_argument("--no-run", action="store_true", help="only compare the modules")
a = ap.parse_args()
total = right = same = 0
for row in open(os.path.join(a.corpus, "manifest.tsv")).read().splitlines()[1:]:
    name, _, rtol, atol, _ = row.split("\t")
    mlir, hlo, npz = (os.path.join(d, name + e) for d, e in ((a.mlir, ".mlir"), (a.corpus, ".hlo"), (a.corpus, ".npz")))
    if not re.search(a.only, name) or not os.path.exists(mlir):
        continue
    total += 1
    rc, out, err = (0, "", "") if a.no_run else call(
        a.tool, "run", mlir, "--platform=" + a.platform, "--args", npz, "--expect", npz, "--rtol", rtol, "--atol", atol)
    right += rc == 0
    if rc:
        print(f"wrong\t{name}\t{(err or out).strip().splitlines()[0][:200]}")
    with tempfile.NamedTemporaryFile("w", suffix=".hlo") as f:
        f.write(row_by_row(open(hlo).read()))
        f.flush()
        texts = [by_order(call(a.tool, "opt", path)[1]) for path in (mlir, f.name)]
    same += texts[0] == texts[1] != ""
    if texts[0] != texts[1]:
        pairs = [(x, y) for x, y in zip(texts[0].splitlines(), texts[1].splitlines()) if x != y]
        print(f"other module\t{name}" + "".join(f"\n    mlir {x.strip()[:150]}\n    hlo  {y.strip()[:150]}"
                                                 for x, y in pairs[:1]))
print(f"{right} of {total} right, {same} of {total} the same module")
sys.exit(right < total or same < 0.95 * total)
