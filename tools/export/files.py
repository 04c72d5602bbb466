"""tools/export/files.py -- what the exporters of all frameworks write, and their command line."""

import argparse, importlib.util, json, os, struct, sys

import numpy as np

SAFETENSORS = {
    "bool": "BOOL", "uint8": "U8", "int8": "I8", "uint16": "U16", "int16": "I16", "uint32": "U32", "int32": "I32",
    "uint64": "U64", "int64": "I64", "float16": "F16", "bfloat16": "BF16", "float32": "F32", "float64": "F64",
    "float8_e4m3fn": "F8_E4M3", "float8_e5m2": "F8_E5M2", "complex64": "C64",
}  # fmt: skip


def write_safetensors(path, arrays):
    """arrays: name -> array of numpy"""
    header, at = {}, 0
    for name, a in arrays.items():
        if str(a.dtype) not in SAFETENSORS:
            raise SystemExit(f"{name}: safetensors has no type {a.dtype}")
        header[name] = {
            "dtype": SAFETENSORS[str(a.dtype)], "shape": list(a.shape), "data_offsets": [at, at + a.nbytes]
        }  # fmt: skip
        at += a.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        for a in arrays.values():
            f.write(np.ascontiguousarray(a).tobytes())


def bits(a):
    """numpy's files lack bfloat16 and float8: they hold the bits, which xlagpu takes for them."""
    return a if a.dtype.kind in "biufc" else a.view("u%d" % a.dtype.itemsize)


def write_inputs(path, arrays):
    np.savez(path + ".inputs.npz", **{k: bits(v) for k, v in arrays.items()})


def write_results(path, results):
    np.savez(path + ".results.npz", **{"out%d" % k: bits(r) for k, r in enumerate(results)})


def load(path, name):
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    spec = importlib.util.spec_from_file_location("exported", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if not hasattr(module, name):
        raise SystemExit(f"{path}: there is no function {name}")
    return getattr(module, name)()


def main(run, text):
    p = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("file", help="a Python file")
    p.add_argument("name", help="its function that makes what is exported")
    p.add_argument("-o", required=True, metavar="PATH", help="of the files, without suffix")
    args = p.parse_args()
    os.makedirs(os.path.dirname(os.path.abspath(args.o)), exist_ok=True)
    run(*load(args.file, args.name), args.o)
