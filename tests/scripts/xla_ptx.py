#!/usr/bin/env python3
"""Runs the PTX that XLA:GPU itself printed on the simulator and compares the results. Run by hand; it needs NumPy and
ml_dtypes.

    python3 tests/scripts/xla_ptx.py --dump DIR --cases DIR [--tool build/xlagpu] [--only REGEX] [--all] [--table FILE.md]
    [--target sm_90]

DIR of --dump holds a folder NAME for each module with what XLA writes under --xla_dump_to: PTX, optimised HLO, buffer
assignment, thunk sequence. DIR of --cases holds NAME.hlo, NAME.npz (arg0 ..., out0 ...) and manifest.tsv with
tolerances. Modules whose thunk sequence is one kernel are run, with --all those of several kernels and copies too: a
kernel's operands and results, in this order and each memory once, are its parameters. Ends with 'N passed, N failed'; a
line for each of the others says why they are left out. --table runs our kernels for the same modules and target beside
them and writes what both executed."""

import argparse, glob, math, os, re, subprocess, sys, tempfile
import ml_dtypes
import numpy as np

DTYPES = {
    "pred": np.bool_,
    "s8": np.int8,
    "s16": np.int16,
    "s32": np.int32,
    "s64": np.int64,
    "u8": np.uint8,
    "u16": np.uint16,
    "u32": np.uint32,
    "u64": np.uint64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    "c64": np.complex64,
    "c128": np.complex128,
    "f8e4m3fn": ml_dtypes.float8_e4m3fn,
    "f8e5m2": ml_dtypes.float8_e5m2,
    "f8e8m0fnu": ml_dtypes.float8_e8m0fnu,
}


class Skip(Exception):
    pass


def one(folder, pattern):
    found = glob.glob(os.path.join(glob.escape(folder), pattern))
    return open(found[0]).read() if found else ""


def leaves(shape):
    """'(f32[2]{0}, pred[])' to [(dtype, dims, minor_to_major)], in the order of the tuple."""
    out = []
    for t, dims, layout in re.findall(r"(\w+)\[([\d,]*)\](?:\{([\d,]*)[^}]*\})?", re.sub(r"/\*[^*]*\*/", "", shape)):
        d = [int(x) for x in dims.split(",") if x]
        out.append((t, d, [int(x) for x in layout.split(",") if x] if layout else list(range(len(d)))[::-1]))
    return out


class Table(dict):
    """Instructions by name; sorts: those inside of fusions, by name to the fusion."""

    def __init__(self):
        super().__init__()
        self.sorts = {}


def parse_entry(hlo):
    """The entry's instructions: name to (shape, opcode, operands, attributes); and the root's name."""
    body = hlo[hlo.index("\nENTRY") :]
    table, root = Table(), None
    for line in body.splitlines()[1:]:
        m = re.match(r"\s+(ROOT )?%([\w.\-]+) = (\(.*?\)|\S+) ([\w\-]+)\((.*)$", line)
        if not m:
            continue
        args = m[5].split("), ")[0]
        table[m[2]] = (m[3], m[4], re.findall(r"%([\w.\-]+)", args), m[5])
        if m[1]:
            root = m[2]
    inside, computation = {}, ""
    for line in hlo[: hlo.index("\nENTRY")].splitlines():
        m = re.match(r"%([\w.\-]+) \(|\s+(?:ROOT )?%([\w.\-]+) = (?:\(.*?\)|\S+) sort\(", line)
        if m and m[1]:
            computation = m[1]
        elif m:
            inside[computation] = m[2]
    for name, (_, op, _, rest) in table.items():
        called = re.search(r"calls=%([\w.\-]+)", rest)
        if op == "fusion" and called and called[1] in inside:
            table.sorts[inside[called[1]]] = name
    return table, root


def resolve(table, name, index):
    """The value that defines leaf `index` (a tuple of numbers) of an instruction."""
    shape, op, operands, rest = table[name]
    if op == "get-tuple-element":
        return resolve(table, operands[0], (int(re.search(r"index=(\d+)", rest)[1]),) + index)
    if op == "tuple":
        return resolve(table, operands[index[0]], index[1:])
    if op == "bitcast":
        return resolve(table, operands[0], index)
    return name, index


def slices(text):
    """(value, index) to (allocation, offset, size)."""
    out, allocation = {}, None
    for line in text.splitlines():
        m = re.match(r"allocation (\d+): size (\d+)", line)
        if m:
            allocation = int(m[1])
        m = re.match(r" value: <\d+ ([\w.\-]+)(\{[\d,]*\})? @\d+> \(size=(\d+),offset=(\d+)\)", line)
        if m:
            index = tuple(int(x) for x in (m[2] or "{}")[1:-1].split(",") if x)
            out.setdefault((m[1], index), (allocation, int(m[4]), int(m[3])))
        if line.startswith("Total bytes used"):
            break
    return out


def to_memory(array, minor_to_major):
    return (
        np.ascontiguousarray(np.transpose(array, minor_to_major[::-1])).view(np.uint8).reshape(-1)
        if array.ndim
        else np.frombuffer(array.tobytes(), np.uint8)
    )


def from_memory(data, dtype, dims, minor_to_major):
    a = np.frombuffer(data.tobytes(), dtype)
    order = minor_to_major[::-1]
    return np.transpose(a.reshape([dims[i] for i in order]), np.argsort(order)) if dims else a.reshape(())


def printed(shape, text):
    """A constant from its text, or None when that leaves numbers out."""
    t, dims, _ = leaves(shape)[0]
    words = re.findall(r"[\w.+\-]+", text.split(")")[0])
    if "..." in words or t not in DTYPES or t[0] == "c" or len(words) != math.prod(dims):
        return None
    return (
        np.array([w in ("true", "1") if t == "pred" else int(w) if t[0] in "su" else float(w) for w in words])
        .astype(DTYPES[t])
        .reshape(dims)
    )


def typed(array, name):
    t = np.dtype(DTYPES[name])
    return array.view(t) if array.dtype != t and array.dtype.itemsize == t.itemsize else array.astype(t)


def differ(got, want, rtol, atol):
    """Nothing, or how many elements are further apart than tolerated and one of them: a few far apart in a sum of many
    bf16 tell another story than half of them."""
    if got.dtype.kind in "biu":
        bad = got != want
    else:
        wide = np.complex128 if got.dtype.kind == "c" else np.float64
        bad = ~np.isclose(got.astype(wide), want.astype(wide), rtol=rtol, atol=atol, equal_nan=True)
    if not bad.any():
        return None
    at = tuple(int(k) for k in np.argwhere(bad)[0])
    return f"{np.count_nonzero(bad)} of {bad.size} elements differ, the first at {list(at)}: {got[at]}, not {want[at]}"


ALIGN = 256  # XLA's allocator places and rounds up what kernels get to this; they read and swap whole words beyond an array's end


class Memory:
    """The allocations of one module, filled with its parameters."""

    def __init__(self, table, where, data):
        self.bytes, self.table, self.where = {}, table, where
        for (value, index), (allocation, offset, size) in where.items():
            room = self.bytes.setdefault(allocation, np.zeros(0, np.uint8))
            end = offset + -(-size // ALIGN) * ALIGN
            if room.size < end:
                self.bytes[allocation] = np.concatenate([room, np.zeros(end - room.size, np.uint8)])
        for value, (shape, op, _, rest) in table.items():
            if op == "parameter" and (value, ()) in where:
                t, dims, layout = leaves(shape)[0]
                self.slice(value, ())[:] = to_memory(
                    typed(data[f"arg{int(re.match(r'([0-9]+)', rest)[1])}"], t), layout
                )
            if op == "constant" and (value, ()) in where and printed(shape, rest) is not None:
                self.slice(value, ())[:] = to_memory(printed(shape, rest), leaves(shape)[0][2])

    def spot(self, name, index):
        spot = self.where.get(resolve(self.table, name, index))
        if spot is None:
            raise Skip(f"no memory for {name}{list(index)}")
        return spot

    def slice(self, name, index):
        allocation, offset, size = self.spot(name, index)
        return self.bytes[allocation][offset : offset + size]

    def padded(self, spot):
        allocation, offset, size = spot
        return self.bytes[allocation][offset : offset + -(-size // ALIGN) * ALIGN]


def counters(text):
    """What `--stats` prints, summed over kernels: launches, lane instructions, sectors, the least sectors, bank
    conflicts."""
    rows = [line.split("\t") for line in text.splitlines()]
    at = next((k for k, row in enumerate(rows) if row[0] == "kernel"), None)
    kernels = (
        [dict(zip(rows[at], row)) for row in rows[at + 1 :] if len(row) == len(rows[at])] if at is not None else []
    )
    return {
        c: sum(int(k[c]) for k in kernels)
        for c in ("launches", "lane_instructions", "sectors", "minimum_sectors", "bank_conflicts")
    }


def launch(args, folder, memory, m, kernel):
    shape, _, operands, _ = memory.table[kernel]
    params = [(o, ()) for o in operands] + (
        [(kernel, (i,)) for i in range(len(leaves(shape)))] if shape.startswith("(") else [(kernel, ())]
    )
    if len(params) > 64:
        raise Skip("more parameters than the simulator takes from a command line")
    entry = re.sub(r"[.\-]", "_", m[1])
    ptx = [
        p
        for p in glob.glob(os.path.join(glob.escape(folder), "*.ptx"))
        if re.search(r"\.entry " + entry + r"\(", open(p).read())
    ]
    if not ptx:
        raise Skip("no PTX of " + kernel)
    wanted = len(re.findall(r"\.param", re.search(r"\.entry " + entry + r"\((.*?)\)", open(ptx[0]).read(), re.S)[1]))
    flags, seen, files, scratch = [], {}, [], tempfile.TemporaryDirectory()
    for name, index in params:
        made, op, _, rest = memory.table[resolve(memory.table, name, index)[0]]
        if op == "constant" and printed(made, rest) is None:
            raise Skip("an operand is a constant that the text does not print")
        spot = memory.spot(name, index)
        if spot in seen:
            if wanted == len(params):
                flags += ["--arg", f"same:{seen[spot]}"]
            continue
        seen[spot] = len(flags) // 2
        path = os.path.join(scratch.name, f"p{len(files)}.npy")
        files.append((spot, path))
        np.save(path, memory.padded(spot))
        flags += ["--arg", f"inout:{path}:{path}.out"]
    r = subprocess.run(
        [
            args.tool,
            "sim",
            ptx[0],
            "--entry=" + entry,
            "--grid=" + ",".join(m.group(2, 3, 4)),
            "--block=" + ",".join(m.group(5, 6, 7)),
            "--shared=" + m[8],
            "--stats",
        ]
        + flags,
        capture_output=True,
        text=True,
        timeout=300,
    )
    if r.returncode:
        return (r.stderr or r.stdout).strip()[:400], None
    for spot, path in files:
        memory.padded(spot)[:] = next(iter(np.load(path + ".out").values()))
    return None, counters(r.stdout)


def copied(memory):
    """What kCopy thunks copy, in order: copies, and operands of sorts, which sort in place. Pairs of (value, index)."""
    out = []
    for name, (shape, op, operands, _) in memory.table.items():
        if op == "copy":
            out.append(((name, ()), (operands[0], ())))
        if op == "sort" or name in memory.table.sorts.values():
            for k, o in enumerate(operands):
                to = (name, (k,) if shape.startswith("(") else ())
                if memory.spot(*to) != memory.spot(o, ()):
                    out.append((to, (o, ())))
    return out


def run(args, name, rtol, atol):
    """How many kernels ran, what is wrong, and what was counted."""
    folder = os.path.join(args.dump, name)
    thunks = [l for l in one(folder, "*thunk_sequence.txt").splitlines() if re.match(r"\s*\d+: k", l)]
    others = {re.search(r"k[A-Z]\w+", t)[0] for t in thunks} - {"kCustomKernel", "kKernel", "kCopy"}
    if others or not thunks or (len(thunks) > 1 and not args.all):
        raise Skip(f"{len(thunks)} thunks" + (": " + ", ".join(sorted(others)) if others else ""))
    table, root = parse_entry(one(folder, "*gpu_after_optimizations.txt"))
    unknown = {
        t
        for shape in [table[root][0]] + [v[0] for v in table.values() if v[1] == "parameter"]
        for t, _, _ in leaves(shape)
    } - {*DTYPES}
    if unknown:
        raise Skip("NumPy has not " + ", ".join(sorted(unknown)))
    data = np.load(os.path.join(args.cases, name + ".npz"))
    memory = Memory(table, slices(one(folder, "*after_optimizations-buffer-assignment.txt")), data)
    counted = {}
    copies, seen = copied(memory) if any(" kCopy" in t for t in thunks) else [], set()
    for t in thunks:
        if " kCopy" in t:
            if not copies:
                raise Skip("a copy that belongs to no instruction")
            to, source = copies.pop(0)
            memory.slice(*to)[:] = memory.slice(*source)
            continue
        m = re.search(
            r"k(?:Custom)?Kernel .*?([\w.\-]+) grid: \[(\d+), (\d+), (\d+)\] threads: \[(\d+), (\d+), (\d+)\].*?shared_memory: (\d+)",
            t,
        )
        kernel = m and (m[1] if m[1] in table else next((k for k in table if re.sub(r"[.\-]", "_", k) == m[1]), None))
        sort = m and next(
            (
                table.sorts.get(k, k)
                for k in [*table.sorts, *(n for n in table if table[n][1] == "sort")]
                if re.fullmatch(re.sub(r"[.\-]", "_", k) + r"(__\d+)?", m[1])
            ),
            None,
        )
        if sort:  # all the kernels of one sort
            kernel = sort
        elif kernel in seen:
            raise Skip("several instructions share a kernel")
        seen.add(kernel)
        if not kernel:
            raise Skip("a thunk is no instruction of the entry: " + t.split("]")[-1].strip()[:80])
        wrong, counts = launch(args, folder, memory, m, kernel)
        if wrong:
            return len(thunks), wrong, None
        counted = {c: counted.get(c, 0) + n for c, n in counts.items()}
    for i, (t, dims, layout) in enumerate(leaves(table[root][0])):
        raw = memory.slice(root, (i,) if table[root][0].startswith("(") else ())
        got = from_memory(raw[: int(np.prod(dims)) * np.dtype(DTYPES[t]).itemsize], DTYPES[t], dims, layout)
        wrong = differ(got, typed(data[f"out{i}"], t).reshape(dims), rtol, atol)
        if wrong:
            return len(thunks), f"result {i}: {wrong}", None
    return len(thunks), None, counted


def ours(args, name):
    path = os.path.join(args.cases, name)
    r = subprocess.run(
        [
            args.tool,
            "run",
            path + ".hlo",
            "--platform=host",
            "--target=" + args.target,
            f"--args={path}.npz",
            "--reference_platform=",
            "--stats",
        ],
        capture_output=True,
        text=True,
        timeout=300,
    )
    return counters(r.stdout)


HEAD = """# What kernels execute: XLA's PTX and ours on the simulator

Each row is a module. The PTX that XLA:GPU wrote for it and ours ran on the simulator, for the same target and with the
same arguments; `tests/scripts/xla_ptx.py --all --table` wrote the page. Less is better: a ratio below 1.00 says that
ours execute less. Over the %d modules for which both launch the same number of kernels, the geometric means are
%s.

| column | counts |
| -- | -- |
| kernels | launches of kernels |
| lane instructions | instructions, once for every thread that executes them |
| sectors | the 32-byte blocks of memory that loads and stores of warps touch |
| least sectors | how few such blocks hold the bytes that these accesses ask for |
| bank conflicts | additional passes through shared memory, because lanes of a warp use different words of one bank |

"""


def write_table(args, rows):
    """rows: (name, XLA's counters, ours)."""
    means = {"lane_instructions": [], "sectors": []}
    out = [
        "| module | kernels XLA | ours | lane instructions XLA | ours | ours/XLA | sectors XLA | ours | ours/XLA | least sectors ours | bank conflicts XLA | ours |",
        "|---|" + "---:|" * 11,
    ]
    for name, x, o in sorted(rows):
        ratio = {c: o[c] / x[c] if x[c] else 1 for c in means}
        for c in means:
            if x["launches"] == o["launches"]:
                means[c].append(ratio[c])
        cells = [
            x["launches"],
            o["launches"],
            x["lane_instructions"],
            o["lane_instructions"],
            f"{ratio['lane_instructions']:.2f}",
            x["sectors"],
            o["sectors"],
            f"{ratio['sectors']:.2f}",
            o["minimum_sectors"],
            x["bank_conflicts"],
            o["bank_conflicts"],
        ]
        out.append(f"| {name} | " + " | ".join(str(c) for c in cells) + " |")
    brief = [
        f"{c.replace('_', ' ')} {math.exp(sum(math.log(max(r, 1e-9)) for r in v) / len(v)):.3f} (worst {max(v):.2f})"
        for c, v in means.items()
        if v
    ]
    n = max((len(v) for v in means.values()), default=0)
    open(args.table, "w").write(HEAD % (n, " and ".join(brief)) + "\n".join(out) + "\n")


def main():
    ap = argparse.ArgumentParser()
    for flag, default in (
        ("--dump", None),
        ("--cases", None),
        ("--tool", "build/xlagpu"),
        ("--only", ""),
        ("--table", ""),
        ("--target", "sm_90"),
    ):
        ap.add_argument(flag, default=default, required=default is None)
    ap.add_argument("--all", action="store_true")
    args = ap.parse_args()
    passed = failed = skipped = kernels = 0
    rows = []
    for line in open(os.path.join(args.cases, "manifest.tsv")).read().splitlines()[1:]:
        name, _, rtol, atol = line.split("\t")[:4]
        if not re.search(args.only, name) or not os.path.isdir(os.path.join(args.dump, name)):
            continue
        try:
            n, wrong, counted = run(args, name, float(rtol), float(atol))
        except Skip as s:
            skipped += 1
            print(f"none\t{name}\t{s}")
            continue
        passed, failed, kernels = passed + (wrong is None), failed + (wrong is not None), kernels + n
        if args.table and counted:
            rows.append((name, counted, ours(args, name)))
        print(f"{'FAIL' if wrong else 'ok'}\t{name}\t{n} kernels\t{wrong or ''}", flush=True)
    if args.table:
        write_table(args, rows)
    print(f"{kernels} kernels run, {skipped} modules left out\n{passed} passed, {failed} failed")
    return failed != 0


sys.exit(main())
