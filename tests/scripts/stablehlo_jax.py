#!/usr/bin/env python3
"""What is written as StableHLO, run by XLA: the corpus's modules through jaxlib on the CPU.

    python3 tests/scripts/stablehlo_jax.py CORPUS [--tool build/xlagpu] [--only REGEX] [--sample N --seed S]

CORPUS has NAME.hlo, NAME.npz and manifest.tsv. Each module is written by `xlagpu opt NAME.hlo --passes=
--emit=stablehlo`, compiled by jaxlib's XLA for the CPU and run with the corpus's arguments; its results must be the
corpus's within the manifest's tolerances, NaN where it has NaN. --sample: so many, drawn by the seed. Set apart by
name: modules with an operation that StableHLO does not have, or with a call of a library of GPUs. Ends with 'N of M
right'; exit status 1 unless all others are, 0 with one line where jaxlib is not installed."""
import argparse, csv, os, random, re, subprocess, sys
os.environ.setdefault("JAX_PLATFORMS", "cpu")
try:
    import jax, ml_dtypes, numpy
    from jax._src.lib import xla_client
except ImportError as e:
    print(f"not run: {e}")
    sys.exit(0)


def load(client, text):
    devices, options = client.devices()[:1], xla_client.CompileOptions()
    if hasattr(client, "compile_and_load"):
        return client.compile_and_load(text, xla_client.DeviceList(tuple(devices)), options)
    return client.compile(text, options)


def natural(v, dtype):
    """An array of the npz in its own type: those that NumPy has not lie there as their bits."""
    other = dtype is not None and hasattr(ml_dtypes, numpy.dtype(dtype).name)
    return v.view(dtype) if other and v.dtype.itemsize == numpy.dtype(dtype).itemsize else v


def parameter_types(text):
    """Of the entry in StableHLO text: bfloat16, or None where NumPy has the type."""
    head = re.search(r"func\.func public @main\((.*?)\) ->|@main\((.*?)\) ->", text, re.S).group(0)
    return [ml_dtypes.bfloat16 if "bf16" in t else None for t in re.findall(r"%\w+: (tensor<[^>]*>)", head)]


def differs(got, want, rtol, atol):
    if got.shape != want.shape:
        return f"{got.shape} instead of {want.shape}"
    if got.dtype.kind in "fcV" or got.dtype.name == "bfloat16":
        wide = numpy.complex128 if got.dtype.kind == "c" else numpy.float64
        got, want = got.astype(wide), want.astype(wide)
        bad = ~numpy.isclose(got, want, rtol=rtol, atol=atol, equal_nan=True)
    else:
        bad = got != want
    return f"{int(bad.sum())} of {bad.size} differ" if bad.any() else None


def check(client, a, name, rtol, atol):
    hlo, npz = (os.path.join(a.corpus, name + e) for e in (".hlo", ".npz"))
    r = subprocess.run([a.tool, "opt", hlo, "--passes=", "--emit=stablehlo"], capture_output=True, text=True)
    if r.returncode:
        return "not written: " + (r.stderr or r.stdout).strip().splitlines()[0]
    try:
        program = load(client, r.stdout)
    except Exception as e:  # jaxlib's errors have several types
        return "XLA: " + str(e).strip().splitlines()[0]
    with numpy.load(npz) as z:
        n = len([k for k in z.files if re.fullmatch(r"arg\d+", k)])
        types = parameter_types(r.stdout)
        args = [jax.device_put(natural(z[f"arg{k}"], types[k])) for k in range(n)]
        for k, x in enumerate(program.execute(args)):
            got = numpy.asarray(x)
            wrong = differs(got, natural(z[f"out{k}"], got.dtype), rtol, atol)
            if wrong:
                return f"result {k}: {wrong}"
    return None


ap = argparse.ArgumentParser(usage=__doc__)
ap.add_argument("corpus")
ap.add_argument("--tool", default="build/xlagpu")
ap.add_argument("--only", default="")
ap.add_argument("--sample", type=int, default=0)
ap.add_argument("--seed", type=int, default=0)
a = ap.parse_args()
with open(os.path.join(a.corpus, "manifest.tsv")) as f:
    rows = [r for r in csv.DictReader(f, delimiter="\t") if re.search(a.only, r["name"])]
if a.sample:
    rows = random.Random(a.seed).sample(rows, min(a.sample, len(rows)))
jax.config.update("jax_enable_x64", True)
client, right, apart = jax.devices("cpu")[0].client, 0, 0
for row in rows:
    name = row["name"]
    wrong = check(client, a, name, float(row["rtol"]), float(row["atol"]))
    right += wrong is None
    if wrong and (wrong.endswith("it has no such operation") or "No FFI handler registered" in wrong):
        apart += 1
        print(f"set apart\t{name}\t{wrong[:200]}", flush=True)
    elif wrong:
        print(f"wrong\t{name}\t{wrong[:200]}", flush=True)
print(f"{right} of {len(rows)} right")
sys.exit(right + apart < len(rows))
