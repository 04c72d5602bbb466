#!/usr/bin/env python3
"""Other forms of a program against HLO text: the corpus in each of them, results and optimised modules.

    python3 tests/scripts/mlir_corpus.py MLIR CORPUS [--forms mlir,mlirbc,pb] [--tool build/xlagpu] [--platform host]
                                         [--only REGEX] [--no-run]

MLIR is what tests/generate/export_mlir.py writes; CORPUS has NAME.hlo, NAME.npz and manifest.tsv. Each NAME.FORM is run
with the corpus's arguments and must give its results within the manifest's tolerances; then `xlagpu opt` of it and of
NAME.hlo is compared, names by their order. The HLO text, like the protobuf, asks for the layout that each result had in
the instruction that makes it; StableHLO's results lie row by row, so it is compared with the text changed to that. What
writes bytecode changes programs first: erf and others of chlo are spelt out, equal constants become one. Ends with
'FORM: N of M right, N of M the same module' for each form; exit status 1 unless of each all are right and 95 % are the
same."""
import argparse, collections, os, re, subprocess, sys, tempfile


def call(*args):
    r = subprocess.run(args, capture_output=True, text=True, errors="replace", timeout=300)
    return r.returncode, r.stdout, r.stderr


def by_order(text):
    """The module with its names replaced by numbers in the order of their first definition; no metadata."""
    text = re.sub(r", metadata=\{(?:[^{}\"]|\"(?:[^\"\\]|\\.)*\")*\}", "", text)
    text = re.sub(r"^HloModule [^,\n]*", "HloModule", text)
    text = re.sub(r"^(?:FileNames|FunctionNames|FileLocations|StackFrames)\n(?:.+\n)*\n*", "", text, flags=re.M)
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
ap.add_argument("--forms", default="mlir,mlirbc,pb")
ap.add_argument("--tool", default="build/xlagpu")
ap.add_argument("--platform", default="host")
ap.add_argument("--only", default="")
ap.add_argument("--no-run", action="store_true", help="only compare the modules")
a = ap.parse_args()


def runs(path, npz, rtol, atol):
    """What is wrong with its results, or None."""
    if a.no_run:
        return None
    rc, out, err = call(a.tool, "run", path, "--platform=" + a.platform, "--args", npz, "--expect", npz, "--rtol", rtol,
                        "--atol", atol)
    return (err or out).strip().splitlines()[0][:200] if rc else None


def first_difference(one, two):
    for x, y in zip(one.splitlines(), two.splitlines()):
        if x != y:
            return f"\n    this {x.strip()[:150]}\n    hlo  {y.strip()[:150]}"
    return "\n    one is longer"


total, right, same = collections.Counter(), collections.Counter(), collections.Counter()
for row in open(os.path.join(a.corpus, "manifest.tsv")).read().splitlines()[1:]:
    name, _, rtol, atol, _ = row.split("\t")
    hlo, npz = (os.path.join(a.corpus, name + e) for e in (".hlo", ".npz"))
    files = {form: os.path.join(a.mlir, name + "." + form) for form in a.forms.split(",")}
    files = {form: path for form, path in files.items() if os.path.exists(path)}
    if not files or not re.search(a.only, name):
        continue
    with tempfile.NamedTemporaryFile("w", suffix=".hlo") as f:
        f.write(row_by_row(open(hlo).read()))
        f.flush()
        wants = {path: by_order(call(a.tool, "opt", path)[1]) for path in (hlo, f.name)}
        wants = {form: wants[hlo if form == "pb" else f.name] for form in files}
    for form, path in files.items():
        total[form] += 1
        wrong = runs(path, npz, rtol, atol)
        right[form] += not wrong
        if wrong:
            print(f"wrong\t{name}.{form}\t{wrong}", flush=True)
        got, want = by_order(call(a.tool, "opt", path)[1]), wants[form]
        same[form] += got == want != ""
        if got != want:
            print(f"other module\t{name}.{form}{first_difference(got, want)}", flush=True)
for form in total:
    print(f"{form}: {right[form]} of {total[form]} right, {same[form]} of {total[form]} the same module")
sys.exit(not total or any(right[f] < total[f] or same[f] < 0.95 * total[f] for f in total))
