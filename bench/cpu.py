#!/usr/bin/env python3
"""Kernels as object code for this host's processor (--platform=llvm-cpu): GELU beside memcpy, whole models beside
XLA:CPU, and small modules beside the simulator, all on one thread.

    python3 bench/cpu.py [--tool build/xlagpu-llvm] [--repeat 20] [MODEL.hlo ...]      needs ./build.sh llvm
    python3 bench/cpu.py --corpus tests/corpus --every 4                               the simulator's time over ours

Times are milliseconds of the processor, the least of the repetitions, so that other programs may run beside. XLA:CPU is
asked where jaxlib is installed, in the same process order: its run, then ours. A ratio above 1: ours is faster; of
GELU it is memcpy's time for as many bytes over ours."""
import argparse, csv, math, os, platform, re, subprocess, sys, time

os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_cpu_multi_thread_eigen=false"
os.environ.setdefault("JAX_PLATFORMS", "cpu")
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
OUT = os.path.join(ROOT, "build", "cpu")
sys.path[:0] = [HERE]


def target():
    if platform.machine() == "aarch64":
        return "aarch64"
    with open("/proc/cpuinfo") as f:
        flags = set(re.search(r"flags\s*: (.*)", f.read()).group(1).split())
    return "x86-64-v4" if {"avx512f", "avx512bw", "avx512vl", "avx512dq", "avx512cd"} <= flags else "x86-64-v3"


def build():
    os.makedirs(OUT, exist_ok=True)
    program = os.path.join(OUT, "cpu")
    unit = os.path.join(OUT, "runtime.c")
    with open(unit, "w") as f:
        f.write('#define XLAGPU_IMPLEMENTATION\n#include "../../xlagpu_runtime.h"\n')
    subprocess.run([os.environ.get("CC", "gcc"), "-O1", "-DXLAGPU_NO_SIMULATOR", "-DXLAGPU_USE_LLVM_CPU", unit,
                    os.path.join(HERE, "cpu.c"), "-o", program, "-lm", "-ldl", "-lpthread"], check=True)
    return program


def ours(a, program, path):
    """(ms, memcpy's time over it), and how long compiling takes."""
    exe = os.path.join(OUT, os.path.basename(path) + ".xgx")
    begin = time.perf_counter()
    r = subprocess.run([a.tool, "compile", path, f"--target={target()}", "-o", exe], capture_output=True, text=True)
    compiled = time.perf_counter() - begin
    if r.returncode:
        return None, (r.stderr or r.stdout).strip().splitlines()[0], compiled
    r = subprocess.run([program, f"--repeat={a.repeat}", exe], capture_output=True, text=True)
    if r.returncode:
        return None, r.stderr.strip(), compiled
    row = r.stdout.split("\t")
    return float(row[1]), float(row[4]), compiled


class Xla:
    def __init__(self):
        import numpy
        from peers import Xla as Peer

        self.peer, self.numpy = Peer(), numpy

    def time(self, path, rounds):
        with open(path) as f:
            executable, shapes = self.peer.compile(f.read())
        random = self.numpy.random.default_rng(1)
        args = []
        for s in shapes:
            t = s.numpy_dtype()
            short = t.kind == "f" or t.name == "bfloat16"
            x = random.uniform(-4, 4, s.dimensions()).astype(t) if short else self.numpy.zeros(s.dimensions(), t)
            args.append(self.peer.jax.device_put(x, self.peer.device))
        least = math.inf
        for _ in range(rounds + 1):
            begin = time.process_time()
            for o in executable.execute(args):
                o.block_until_ready()
            least = min(least, time.process_time() - begin)
        return least * 1e3


def models(a, program):
    try:
        xla = Xla()
    except ImportError as e:
        xla = None
        print(f"# XLA:CPU was not asked: {e}")
    print("module\tms\tcompile_s\txla_ms\txla_over_ours\tmemcpy_over_ours")
    for path in [os.path.join(ROOT, "examples", "gelu.hlo")] + a.models:
        peer = None
        try:
            peer = xla and xla.time(path, a.repeat)
        except Exception as e:  # jaxlib's errors have several types
            print(f"# {path}: XLA: {str(e).splitlines()[0]}")
        ms, copy, compiled = ours(a, program, path)
        if ms is None:
            print(f"{os.path.basename(path)}\t-\t{compiled:.1f}\t{copy}")
            continue
        print(f"{os.path.basename(path)}\t{ms:.3f}\t{compiled:.1f}\t" +
              (f"{peer:.3f}\t{peer / ms:.2f}" if peer else "-\t-") + f"\t{copy:.3f}", flush=True)


def seconds_on(a, name, where):
    """Milliseconds of all steps on the platform, with the corpus's arguments; the least of the repetitions."""
    base = os.path.join(a.corpus, name)
    best = math.inf
    for _ in range(3):
        r = subprocess.run([a.tool, "run", base + ".hlo", f"--platform={where}", "--args", base + ".npz",
                            "--reference_platform=", "--profile"], capture_output=True, text=True)
        rows = [x.split("\t") for x in r.stdout.splitlines() if x.count("\t") > 5]
        if r.returncode or len(rows) < 2:
            return None
        best = min(best, sum(float(x[1]) for x in rows[1:]))
    return best


def corpus(a):
    product, n = 0.0, 0
    print("case\tms\tsimulator_ms\tratio")
    with open(os.path.join(a.corpus, "manifest.tsv")) as f:
        names = [r["name"] for r in csv.DictReader(f, delimiter="\t")]
    for name in names[::a.every]:
        mine, sim = seconds_on(a, name, "llvm-cpu"), seconds_on(a, name, "host")
        if not mine or not sim:
            continue
        product, n = product + math.log(sim / mine), n + 1
        print(f"{name}\t{mine:.3f}\t{sim:.3f}\t{sim / mine:.1f}", flush=True)
    print(f"geometric mean of {n}: {math.exp(product / max(n, 1)):.1f}")


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--tool", default=os.path.join(ROOT, "build", "xlagpu-llvm"))
    ap.add_argument("--repeat", type=int, default=20)
    ap.add_argument("--corpus")
    ap.add_argument("--every", type=int, default=1)
    ap.add_argument("models", nargs="*")
    a = ap.parse_args()
    if a.corpus:
        corpus(a)
    else:
        models(a, build())


if __name__ == "__main__":
    main()
