#!/usr/bin/env python3
"""Modules as XLA:GPU leaves them when it has optimised them, compiled again and run. By hand, without a GPU.

    python3 tests/scripts/xla_optimized.py --target-config H200.txtpb [--tool build/xlagpu] [--keep DIR] [--only REGEX]
                                   [CASE.hlo ...]

It needs jax with its CUDA plugin, the CUDA toolkit's libraries, and a description of a GPU as text (XLA's
GpuTargetConfigProto). Each CASE.hlo, and each program of xla_programs.py with the options that stand by it, goes
through XLA:GPU; the `...after_optimizations.txt` that XLA dumps is compiled by the tool. Where CASE.npz or JAX on the
CPU says what comes out, and the arguments are small, the simulator runs it and the results are compared; where XLA's
own passes have changed them (it leaves out roundings to narrow floats), with what the evaluator makes of the text. What
the texts hold is counted: library calls, Triton's fusions, asynchronous operations, annotations for the scheduler. Ends
with 'N passed, N failed'."""

import argparse, glob, os, re, shutil, subprocess, sys, tempfile

CUDA = os.environ.get("CUDA_HOME", "/usr/local/cuda")
RUN_BYTES = 1 << 20  # of arguments and results of what the simulator runs
RUN_SECONDS = 60
KINDS = {
    "library calls": r'custom_call_target="(?:__cublas|__cudnn|__cusolver|cusolver|__cub|cu|xla\.gpu)',
    "calls of other libraries": r"custom_call_target=",
    "Triton's fusions": r'"kind":"__triton',
    "asynchronous operations": r" (?:[\w-]+-start)\(",
    "annotations for the scheduler": (
        r"_scheduling_group_id|operation_queue_id|force_earliest_schedule|wait_on_operation_queues"
    ),
    "command buffers": r"command_buffer",
    "reification costs": r"reification_cost",
    "memory spaces": r":S\(\d\)",
    "nested fusions": r"nested_gemm|block_level_fusion_config",
}


def arguments():
    a = argparse.ArgumentParser()
    a.add_argument("cases", nargs="*")
    a.add_argument("--target-config", required=True)
    a.add_argument("--tool", default="build/xlagpu")
    a.add_argument("--keep")
    a.add_argument("--only", default="")
    return a.parse_args()


def again_with_libraries(dump):
    """The libraries' folder must be known before Python starts."""
    e = dict(
        os.environ,
        XLA_OPTIMIZED_DUMP=dump,
        JAX_PLATFORMS="cpu",
        JAX_SKIP_CUDA_CONSTRAINTS_CHECK="1",
        TF_CPP_MIN_LOG_LEVEL="3",
        XLA_FLAGS=f"--xla_dump_to={dump} --xla_gpu_autotune_level=0",
        LD_LIBRARY_PATH=f"{CUDA}/lib64:{CUDA}/lib64/stubs:" + os.environ.get("LD_LIBRARY_PATH", ""),
    )
    return subprocess.run([sys.executable] + sys.argv, env=e).returncode


# ---- XLA ----


class Compiler:
    def __init__(self, config):
        from jax.experimental import topologies
        from jaxlib import xla_client

        topology = topologies.get_topology_desc(platform="cuda", target_config=open(config).read(), topology="1x1x1")
        self.client = topology.devices[0].client
        self.devices = xla_client.DeviceList(tuple(topology.devices[:1]))
        self.dump = os.environ["XLA_OPTIMIZED_DUMP"]

    def options(self, more):
        from jaxlib import xla_client

        o = xla_client.CompileOptions()
        o.env_option_overrides = [(k, v) for k, v in more.items()]
        return o

    def optimized(self, module, options):
        """The text that XLA dumps of its last module."""
        shutil.rmtree(self.dump)
        os.mkdir(self.dump)
        self.client.compile(module, self.devices, options)
        found = glob.glob(self.dump + "/**/*gpu_after_optimizations.txt", recursive=True)
        return open(max(found, key=os.path.getsize)).read()

    def of_file(self, path):
        from jax._src.interpreters.mlir import make_ir_context
        from jaxlib import _hlo, _jax
        from jaxlib.mlir import ir

        proto = _hlo.hlo_module_from_text(open(path).read()).as_serialized_hlo_module_proto()
        shape, o = _hlo.XlaComputation(proto).program_shape(), self.options({"xla_gpu_enable_triton_gemm": False})
        o.argument_layouts = shape.parameter_shapes()  # as the text says them
        o.executable_build_options.result_layout = shape.result_shape()
        return self.optimized(ir.Module.parse(_jax.mlir.hlo_to_stablehlo(proto), make_ir_context()), o)

    def of_program(self, fn, args, more):
        import jax

        lowered = jax.jit(fn, keep_unused=True).trace(*args).lower(lowering_platforms=("cuda",))
        return self.optimized(lowered.compiler_ir("stablehlo"), self.options(more))


# ---- ours ----


def tool(*args, seconds=600):
    try:
        flags = {k: v for k, v in os.environ.items() if k != "XLA_FLAGS"}
        r = subprocess.run(args, capture_output=True, text=True, timeout=seconds, env=flags)
    except subprocess.TimeoutExpired:
        return f"more than {seconds} seconds"
    return None if r.returncode == 0 else (r.stderr or r.stdout).strip()[:300]


def expected(path, args, results):
    import jax, numpy as np

    flat = {f"arg{k}": np.asarray(v) for k, v in enumerate(jax.tree.leaves(args))}
    flat.update({f"out{k}": np.asarray(v) for k, v in enumerate(jax.tree.leaves(results))})
    np.savez(path, **flat)


def small(npz):
    import numpy as np

    with np.load(npz) as z:
        return sum(z[k].nbytes for k in z.files) <= RUN_BYTES


def main():
    a = arguments()
    if "XLA_OPTIMIZED_DUMP" not in os.environ:
        dump = tempfile.mkdtemp()
        try:
            sys.exit(again_with_libraries(dump))
        finally:
            shutil.rmtree(dump, ignore_errors=True)
    import jax, xla_programs

    out = a.keep or tempfile.mkdtemp()
    os.makedirs(out, exist_ok=True)
    xla, held, passed, failed, ran = Compiler(a.target_config), dict.fromkeys(KINDS, 0), 0, 0, 0
    work = [(os.path.basename(p)[:-4], p, None, None, None) for p in a.cases]
    for programs in (xla_programs.operations, xla_programs.models):
        work += [(n, None, f, x, o) for n, f, x, o in programs()]
    for name, path, fn, args, more in work:
        if not re.search(a.only, name):
            continue
        text, npz = f"{out}/{name}.txt", f"{out}/{name}.npz"
        try:
            made = xla.of_file(path) if path else xla.of_program(fn, args, more)
            if fn:
                expected(npz, args, jax.jit(fn)(*args))
        except Exception as e:
            print(f"{name}: XLA does not compile it: {str(e).splitlines()[0][:160]}", flush=True)
            failed += 1
            continue
        open(text, "w").write(made)
        for kind, mark in KINDS.items():
            held[kind] += len(re.findall(mark, made))
        if path:
            npz = path[:-4] + ".npz"
        why = tool(a.tool, "compile", text, "--target=sm_90a", "--o=" + os.devnull)
        if not why and os.path.exists(npz) and small(npz):
            ran += 1
            run = [a.tool, "run", text, "--platform=host", "--args=" + npz]
            why = tool(*run, "--expect=" + npz, "--rtol=2e-2", "--atol=2e-2", seconds=RUN_SECONDS)
            if why and not tool(*run, seconds=RUN_SECONDS):
                print(f"{name}: XLA's passes have changed what it means; right as the text now says: {why}", flush=True)
                why = None
        passed, failed = passed + (not why), failed + bool(why)
        if why:
            print(f"{name}: {why}", flush=True)
    print("in the texts: " + ", ".join(f"{n} {k}" for k, n in held.items()))
    print(f"{ran} run on the simulator")
    print(f"{passed} passed, {failed} failed")
    if not a.keep:
        shutil.rmtree(out, ignore_errors=True)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
