#!/usr/bin/env python3
"""Runs the PTX that XLA:GPU itself printed on the simulator and compares the results. Run by hand; it needs NumPy and ml_dtypes.

    python3 tests/xla_ptx.py --dump DIR --cases DIR [--tool build/xlagpu] [--only REGEX]

DIR of --dump holds a folder NAME for each module with what XLA writes under --xla_dump_to: PTX, optimised HLO, buffer assignment, thunk sequence.
DIR of --cases holds NAME.hlo, NAME.npz (arg0 ..., out0 ...) and manifest.tsv with tolerances. Modules whose thunk sequence is one kernel are run:
its operands and results, in this order and each memory once, are its parameters. Ends with 'N passed, N failed'; a line for each of the others says why
they are none.
"""
import argparse, glob, os, re, subprocess, sys, tempfile
import ml_dtypes
import numpy as np

DTYPES = {"pred": np.bool_, "s8": np.int8, "s16": np.int16, "s32": np.int32, "s64": np.int64, "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64, "f16": np.float16, "bf16": ml_dtypes.bfloat16,
          "f32": np.float32, "f64": np.float64, "c64": np.complex64, "c128": np.complex128, "f8e4m3fn": ml_dtypes.float8_e4m3fn, "f8e5m2": ml_dtypes.float8_e5m2}


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


def parse_entry(hlo):
    """The entry's instructions: name to (shape, opcode, operands, attributes); and the root's name."""
    body = hlo[hlo.index("\nENTRY"):]
    table, root = {}, None
    for line in body.splitlines()[1:]:
        m = re.match(r"\s+(ROOT )?%([\w.\-]+) = (\(.*?\)|\S+) ([\w\-]+)\((.*)$", line)
        if not m:
            continue
        args = m[5].split("), ")[0]
        table[m[2]] = (m[3], m[4], re.findall(r"%([\w.\-]+)", args), m[5])
        if m[1]:
            root = m[2]
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
    return np.ascontiguousarray(np.transpose(array, minor_to_major[::-1])).view(np.uint8).reshape(-1) if array.ndim else np.frombuffer(array.tobytes(), np.uint8)


def from_memory(data, dtype, dims, minor_to_major):
    a = np.frombuffer(data.tobytes(), dtype)
    order = minor_to_major[::-1]
    return np.transpose(a.reshape([dims[i] for i in order]), np.argsort(order)) if dims else a.reshape(())


def typed(array, name):
    t = np.dtype(DTYPES[name])
    return array.view(t) if array.dtype != t and array.dtype.itemsize == t.itemsize else array.astype(t)


def equal(got, want, rtol, atol):
    if got.dtype.kind in "biu":
        return bool((got == want).all())
    wide = np.complex128 if got.dtype.kind == "c" else np.float64
    return np.allclose(got.astype(wide), want.astype(wide), rtol=rtol, atol=atol, equal_nan=True)


def run(args, name, rtol, atol):
    folder = os.path.join(args.dump, name)
    thunks = [l for l in one(folder, "*thunk_sequence.txt").splitlines() if re.match(r"\s*\d+: k", l)]
    if len(thunks) != 1:
        raise Skip(f"{len(thunks)} thunks: " + ", ".join(sorted({re.search(r'k[A-Z]\w+', t)[0] for t in thunks})))
    m = re.search(r"k(?:Custom)?Kernel .*?([\w.\-]+) grid: \[(\d+), (\d+), (\d+)\] threads: \[(\d+), (\d+), (\d+)\].*?shared_memory: (\d+)", thunks[0])
    if not m:
        raise Skip("the thunk is no kernel: " + re.search(r"k[A-Z]\w+", thunks[0])[0])
    table, root = parse_entry(one(folder, "*gpu_after_optimizations.txt"))
    where = slices(one(folder, "*after_optimizations-buffer-assignment.txt"))
    kernel = m[1]
    name_of = kernel if kernel in table else next((k for k in table if k.replace(".", "_").replace("-", "_") == kernel), None)
    if not name_of:
        raise Skip("no instruction " + kernel)
    shape, op, operands, _ = table[name_of]
    params = []
    for o in operands:
        params += [resolve(table, o, ())]
    parts = leaves(shape)
    params += [(name_of, (i,)) for i in range(len(parts))] if shape.startswith("(") else [(name_of, ())]
    data, flags, seen, scratch = np.load(os.path.join(args.cases, name + ".npz")), [], {}, tempfile.TemporaryDirectory()
    for value, index in params:
        if (value, index) not in where:
            raise Skip(f"no memory for {value}{list(index)}")
        spot = where[(value, index)]
        if spot in seen:
            continue
        path = os.path.join(scratch.name, f"p{len(seen)}.npy")
        seen[spot] = path + ".out"
        content = np.zeros(spot[2], np.uint8)
        if table[value][1] == "parameter":
            number = int(re.match(r"(\d+)", table[value][3])[1])
            t, dims, layout = leaves(table[value][0])[0]
            content = to_memory(typed(data[f"arg{number}"], t), layout)
        elif table[value][1] == "constant":
            raise Skip("an operand is a constant of the module")
        np.save(path, content)
        flags += ["--arg", f"inout:{path}:{seen[spot]}"]
    ptx = glob.glob(os.path.join(glob.escape(folder), "*.ptx"))
    ptx = [p for p in ptx if ".entry " + re.sub(r"[.\-]", "_", kernel) in open(p).read()]
    if not ptx:
        raise Skip("no PTX of " + kernel)
    r = subprocess.run([args.tool, "sim", ptx[0], "--entry=" + re.sub(r"[.\-]", "_", kernel), "--grid=" + ",".join(m.group(2, 3, 4)), "--block=" + ",".join(m.group(5, 6, 7)), "--shared=" + m[8]] + flags, capture_output=True, text=True, timeout=120)
    if r.returncode:
        return (r.stderr or r.stdout).strip()[:400]
    outputs = leaves(table[root][0])
    for i, (t, dims, layout) in enumerate(outputs):
        spot = where[resolve(table, root, (i,) if table[root][0].startswith("(") else ())]
        path = seen.get(spot)
        if not path:
            raise Skip(f"result {i} is not written by the kernel")
        got = from_memory(next(iter(np.load(path).values()))[: int(np.prod(dims)) * np.dtype(DTYPES[t]).itemsize], DTYPES[t], dims, layout)
        if not equal(got, typed(data[f"out{i}"], t).reshape(dims), rtol, atol):
            return f"result {i} differs"
    return None


def main():
    ap = argparse.ArgumentParser()
    for flag, default in (("--dump", None), ("--cases", None), ("--tool", "build/xlagpu"), ("--only", "")):
        ap.add_argument(flag, default=default, required=default is None)
    args = ap.parse_args()
    passed = failed = skipped = 0
    for line in open(os.path.join(args.cases, "manifest.tsv")).read().splitlines()[1:]:
        name, _, rtol, atol = line.split("\t")[:4]
        if not re.search(args.only, name) or not os.path.isdir(os.path.join(args.dump, name)):
            continue
        try:
            wrong = run(args, name, float(rtol), float(atol))
        except Skip as s:
            skipped += 1
            print(f"none\t{name}\t{s}")
            continue
        passed, failed = passed + (wrong is None), failed + (wrong is not None)
        print(f"{'FAIL' if wrong else 'ok'}\t{name}\t{wrong or ''}", flush=True)
    print(f"{skipped} modules are not one kernel\n{passed} passed, {failed} failed")
    return failed != 0


sys.exit(main())
