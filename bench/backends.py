#!/usr/bin/env python3
"""Both backends of the compiler beside each other: our own printer of PTX, and LLVM's passes and NVPTX.

    python3 bench/backends.py [--tool build/xlagpu-llvm] [--corpus tests/corpus] [--target sm_80]
                              [--out build/llvm/backends.tsv] [--document docs/backends.md] [--from F.tsv]

One row a module and backend: PTX instructions, registers of the kernel that takes most and bytes of all spills (ptxas
-v), machine instructions (ptxas: the sections of code, 16 bytes each, filled up to whole lines of 128), milliseconds to
compile, and instructions of threads and sectors that the simulator counts. --document writes them as a table, with the
ratio of sums, and beside each module of which LLVM's code or counts are better by more than 5% the reason.
--from takes what was measured before. Without ptxas its columns are empty."""
import argparse, csv, os, re, shutil, struct, subprocess, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
COLUMNS = ["ptx_instructions", "registers", "spill_bytes", "machine_instructions", "compile_ms", "lane_instructions",
           "sectors"]
BACKENDS = ["ptx", "llvm"]
PTXAS = shutil.which("ptxas") or "/usr/local/cuda/bin/ptxas"

# Why LLVM's code is better, by module; what is better by more than 5% and not here is printed as a question.
ADDRESS = "products in addresses and bounds of loops: one in place of several; ptxas does the same to straight code"
CHECKS = "comparisons and selections put together: max for a guard against 0, one branch for nested ones"
DIVISOR = "a guard of the module against 0 and that of the division are one: max(y, 1)"
AHEAD = "ptxas, which may take the registers of few blocks (.minnctapersm), moves more loads ahead in our order"
CARRIED = "addresses and bounds of loops put together further; of ours, each address that a round moves on is added to"
NESTED = "one branch for nested ones (39, where ours has 61), and no moves of what they hand on"
PLACE = "one load from a place that is selected, in place of a load in each branch"
SUMS = "30 of 120 sums are dropped"
SCALED = ("one offset for all arrays of a shape, added to each address; ours are a multiplication each (mad.wide), "
          "whose base stands in registers")
NARROW = "8 and 16 bits are computed in 16: no sign extensions between operations, as ours have in 32"
ORDER = "more instructions than ours: quotients and addresses are made where they are used, so fewer wait in registers"
BYTES = "predicates in memory are put together as bytes, three at once, and compared with 0 behind it"
ONE_LINE = "conditions as selections, not predicates' arithmetic: one line of 128 bytes, eight instructions, less"
MOVES = "what branches and loops hand on is selected or renamed: 7 moves of f32, where ours have 52"
HOISTED = "the same load in a branch and behind it is one, in front of the branch"
REASONS = {
    **dict.fromkeys(["ffts", "ffts_of_many_lengths", "ffts_of_long_arrays", "ragged_dots",
                     "convolution_grads", "gathers"], ADDRESS),
    "cholesky_and_triangular_solve": CARRIED,
    **dict.fromkeys(["argmax_argmin", "concatenate_three", "kmeans_iteration", "layernorm_grad"], CHECKS),
    "image_gaussian_sobel": NESTED,
    **dict.fromkeys(["integer_s32", "integer_u32", "integer_u16"], DIVISOR),
    **dict.fromkeys(["integer_s64", "float8_conversions"], SCALED),
    **dict.fromkeys(["convert_matrix", "integer_u64"], SCALED + "; " + AHEAD),
    "complex_c64": AHEAD,
    "pads": PLACE,
    "dot_c64": SUMS,
    **dict.fromkeys(["integer_s16", "integer_s8"], NARROW),
    **dict.fromkeys(["input_slices", "iotas", "reduce_windows", "while_mandelbrot", "convnet_mnist_forward"], ORDER),
    **dict.fromkeys(["integer_edge_cases", "gather_out_of_bounds"], ONE_LINE),
    "select_clamp_predicates": BYTES,
    "cumulative": MOVES,
    "rng_bit_generator_philox": HOISTED,
    "random_threefry": "the same rounds in the branches of two sections are made once, of numbers that are selected",
}


def machine(ptx, target):
    """Registers, bytes of spills and machine instructions, of ptxas; empty where it is not here."""
    if not os.path.exists(PTXAS):
        return "", "", ""
    with tempfile.NamedTemporaryFile(suffix=".cubin") as out:
        r = subprocess.run([PTXAS, "-v", f"-arch={target}", ptx, "-o", out.name], capture_output=True, text=True)
        if r.returncode:
            raise RuntimeError(r.stderr)
        data = out.read()
    registers = max((int(x) for x in re.findall(r"Used (\d+) reg", r.stderr)), default=0)
    spills = sum(int(x) for x in re.findall(r"(\d+) bytes spill stores", r.stderr))
    offset, = struct.unpack_from("<Q", data, 40)
    each, count, names = struct.unpack_from("<HHH", data, 58)
    sections = [struct.unpack_from("<IIQQQQ", data, offset + k * each) for k in range(count)]
    strings = sections[names][4]
    code = sum(s[5] for s in sections if data[strings + s[0]:].startswith(b".text."))
    return registers, spills, code // 16


def counted(stats):
    """Sums of the columns lane_instructions and sectors of the first table of --stats: that of kernels."""
    lanes = sectors = 0
    where = None
    for line in stats.splitlines():
        row = line.split("\t")
        if "lane_instructions" in row:
            if where:
                break
            where = row.index("lane_instructions"), row.index("sectors"), len(row)
        elif where and len(row) == where[2]:
            lanes, sectors = lanes + int(row[where[0]]), sectors + int(row[where[1]])
    return lanes, sectors


def measure(a, name, backend):
    base = os.path.join(a.corpus, name)
    common = [a.tool, "compile", base + ".hlo", f"--target={a.target}", f"--backend={backend}"]
    with tempfile.TemporaryDirectory() as folder:
        ptx = os.path.join(folder, "k.ptx")
        subprocess.run(common + ["--emit=ptx", "-o", ptx], check=True, capture_output=True)
        with open(ptx) as f:
            kernels = ".entry" in f.read()
        asm = machine(ptx, a.target) if kernels else (0, 0, 0)
    report = subprocess.run(common + ["--report"], check=True, capture_output=True, text=True).stdout.splitlines()
    report = dict(zip(report[0].split("\t"), report[1].split("\t")))
    run = subprocess.run([a.tool, "run", base + ".hlo", f"--target={a.target}", "--platform=host", "--stats",
                          f"--backend={backend}", "--args", base + ".npz", "--expect", base + ".npz"] +
                         tolerance(a, name), capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError(f"{name}, {backend}: {(run.stderr or run.stdout).strip().splitlines()[0]}")
    return [report["ptx_lines"], *asm, report["compile_ms"], *counted(run.stdout)]


def tolerance(a, name):
    row = a.manifest[name]
    return ["--rtol", row["rtol"], "--atol", row["atol"]]


def better(ours, llvm):
    """Names of what LLVM has less of by more than 5%: of PTX and machine code, registers, instructions of threads,
    sectors."""
    names = {0: "PTX", 1: "registers", 3: "machine code", 5: "threads' instructions", 6: "sectors"}
    return [text for k, text in names.items() if ours[k] != "" and float(llvm[k]) < 0.95 * float(ours[k])]


def document(a, rows):
    sums = [[sum(float(r[b][k] or 0) for r in rows.values()) for k in range(len(COLUMNS))] for b in range(2)]
    cases = [f"| {name} | " + " | ".join("/".join(str(r[b][k]) for b in range(2)) for k in range(len(COLUMNS))) + " |"
             for name, r in rows.items()]
    found = [(name, better(*r)) for name, r in rows.items() if better(*r)]
    with open(a.document) as f:
        text = f.read()
    table = "\n".join(["| ours / LLVM | " + " | ".join(c.replace("_", " ") for c in COLUMNS) + " |",
                       "| --" * (len(COLUMNS) + 1) + " |"] + cases)
    ratios = " | ".join(f"{y / x:.3f}" if x else "-" for x, y in zip(*sums))
    table += f"\n| all, LLVM's over ours | {ratios} |"
    reasons = "\n".join(["| module | LLVM has less of | why |", "| -- | -- | -- |"] +
                        [f"| {name} | {', '.join(what)} | {REASONS.get(name, '?')} |" for name, what in found])
    for mark, body in (("table", table), ("reasons", reasons)):
        text = re.sub(rf"(<!-- {mark} -->\n).*?(<!-- end -->)", lambda m: m[1] + body + "\n" + m[2], text, flags=re.S)
    with open(a.document, "w") as f:
        f.write(text)
    return [name for name, _ in found if name not in REASONS]


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--tool", default=os.path.join(ROOT, "build", "xlagpu-llvm"))
    ap.add_argument("--corpus", default=os.path.join(ROOT, "tests", "corpus"))
    ap.add_argument("--target", default="sm_80")
    ap.add_argument("--out", default=os.path.join(ROOT, "build", "llvm", "backends.tsv"))
    ap.add_argument("--document")
    ap.add_argument("--from", dest="given")
    a = ap.parse_args()
    rows = {}
    with open(os.path.join(a.corpus, "manifest.tsv")) as f:
        a.manifest = {r["name"]: r for r in csv.DictReader(f, delimiter="\t") if r.get("where") != "interpreter"}
    if a.given:
        with open(a.given) as f:
            for r in list(csv.reader(f, delimiter="\t"))[1:]:
                rows.setdefault(r[0], []).append(r[2:])
    else:
        os.makedirs(os.path.dirname(a.out), exist_ok=True)
        with open(a.out, "w") as f:
            f.write("\t".join(["case", "backend"] + COLUMNS) + "\n")
            for name in a.manifest:
                rows[name] = [measure(a, name, b) for b in BACKENDS]
                for b, row in zip(BACKENDS, rows[name]):
                    f.write("\t".join(map(str, [name, b] + row)) + "\n")
                f.flush()
    for k, column in enumerate(COLUMNS):
        ours, llvm = (sum(float(r[b][k] or 0) for r in rows.values()) for b in range(2))
        if ours:
            print(f"  LLVM / ptx, {column}: {llvm / ours:.3f}")
    for name in document(a, rows) if a.document else []:
        print(f"  no reason is given for {name}")


if __name__ == "__main__":
    main()
