#!/usr/bin/env python3
"""Modules as XLA:GPU leaves them when it has optimised them, compiled again and run. By hand, without a GPU.

    python3 tests/scripts/xla_optimized.py --target-config H200.txtpb [--tool build/xlagpu] [--keep DIR] [--only REGEX]
                                   [CASE.hlo ...]

It needs jax with its CUDA plugin, the CUDA toolkit's libraries, and a description of a GPU as text (XLA's
GpuTargetConfigProto). Each CASE.hlo, and each program below with the options that stand by it, goes through XLA:GPU;
the `...after_optimizations.txt` that XLA dumps is compiled by the tool. Where CASE.npz or JAX on the CPU says what
comes out, and the arguments are small, the simulator runs it and the results are compared; where XLA's own passes have
changed them (it leaves out roundings to narrow floats), with what the evaluator makes of the text. What the texts hold
is counted: library calls, Triton's fusions, asynchronous operations, annotations for the scheduler. Ends with 'N
passed, N failed'."""

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


# ---- programs ----


def programs():
    """name, function, arguments, options of XLA"""
    import jax, jax.numpy as jnp
    import numpy as np
    from jax import lax

    rng = np.random.default_rng(7)

    def f(*dims, t=np.float32):
        return jnp.asarray(rng.standard_normal(dims), t)

    bf = jnp.bfloat16
    library = {"xla_gpu_enable_triton_gemm": False}
    triton = {"xla_gpu_enable_triton_gemm": True}
    sym = f(12, 12)
    sym = sym @ sym.T + 12 * jnp.eye(12)
    x, w, b = f(32, 64), f(64, 48), f(48)
    q = f(2, 4, 32, 16)

    def attention(q, k, v):
        s = jnp.einsum("bhmd,bhnd->bhmn", q, k) / 4
        return jnp.einsum("bhmn,bhnd->bhmd", jax.nn.softmax(s), v)

    def loss(w, b, x):
        return jnp.sum(jnp.tanh(x @ w + b) ** 2)

    def groups(x, w):
        from jax.experimental.xla_metadata import set_xla_metadata

        with set_xla_metadata(_scheduling_group_id="1"):
            y = jnp.sin(x)
        with set_xla_metadata(_scheduling_group_id="2"):
            z = x @ w
        return y.sum() + z.sum()

    def collective(x):
        return lax.psum(jnp.sin(x), "i") + lax.all_gather(x, "i").sum(0) + lax.ppermute(x, "i", [(0, 0)])

    yield "gemm_bias_relu_cublas", lambda x, w, b: jax.nn.relu(x @ w + b), (x, w, b), library
    yield "gemm_bias_relu_triton", lambda x, w, b: jax.nn.relu(x @ w + b), (x, w, b), triton
    yield "gemm_bf16_triton", lambda x, w: (x.astype(bf) @ w.astype(bf)), (x, w), triton
    yield (
        "gemm_int8_triton",
        lambda x, w: lax.dot(x, w, preferred_element_type=jnp.int32),
        (jnp.asarray(rng.integers(-9, 9, (32, 64)), jnp.int8), jnp.asarray(rng.integers(-9, 9, (64, 32)), jnp.int8)),
        triton,
    )
    yield (
        "gemm_gelu_cublaslt",
        lambda x, w, b: jax.nn.gelu(x @ w + b),
        (x, w, b),
        dict(library, xla_gpu_enable_cublaslt=True),
    )
    yield "gemm_f64", lambda x, w: jnp.dot(x, w), (f(16, 24), f(24, 8)), library
    yield "gemm_batched_transposed", lambda x, y: jnp.einsum("bij,bkj->bik", x, y), (f(3, 8, 16), f(3, 12, 16)), triton
    yield (
        "gemm_split_k",
        lambda x, w: x @ w,
        (f(16, 2048), f(2048, 16)),
        triton,
    )
    yield "attention_triton", attention, (q, q + 1, q - 1), triton
    yield "attention_cublas", attention, (q, q + 1, q - 1), library
    yield "softmax_triton", lambda x: jax.nn.softmax(x * 2), (f(64, 100),), triton
    yield (
        "layernorm",
        lambda x: (x - x.mean(1, keepdims=True)) * lax.rsqrt(x.var(1, keepdims=True) + 1e-5),
        (f(64, 96),),
        triton,
    )
    yield "grad_of_dense", jax.grad(loss, (0, 1)), (w, b, x), library
    yield (
        "conv_bias_relu_cudnn",
        lambda x, k, b: jax.nn.relu(
            lax.conv_general_dilated(x, k, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")) + b
        ),
        (f(2, 8, 8, 4), f(3, 3, 4, 8), f(8)),
        library,
    )
    yield (
        "conv_grads",
        jax.grad(lambda k, x: (lax.conv(x, k, (2, 2), "VALID") ** 2).sum(), (0, 1)),
        (f(8, 4, 3, 3), f(2, 4, 9, 9)),
        library,
    )
    yield (
        "conv_grouped",
        lambda x, k: lax.conv_general_dilated(x, k, (1,), "SAME", feature_group_count=4),
        (f(2, 8, 16), f(8, 2, 3)),
        library,
    )
    yield (
        "conv_bf16",
        lambda x, k: lax.conv(x.astype(bf), k.astype(bf), (1, 1), "SAME"),
        (f(1, 8, 8, 8), f(8, 8, 3, 3)),
        library,
    )
    yield "fft_real", lambda x: jnp.abs(jnp.fft.irfft(jnp.fft.rfft(x) * 2)), (f(4, 64),), library
    yield "fft_2d", lambda x: jnp.real(jnp.fft.ifft2(jnp.fft.fft2(x))), (f(8, 12),), library
    yield "sort_pairs", lambda k, v: lax.sort((k, v), num_keys=1), (f(2000), jnp.arange(2000)), library
    yield "top_k", lambda x: lax.top_k(x, 5), (f(8, 1000),), library
    yield (
        "cholesky_solve",
        lambda a, b: jax.scipy.linalg.cho_solve(jax.scipy.linalg.cho_factor(a), b),
        (sym, f(12, 3)),
        library,
    )
    yield "eigh", lambda a: jnp.linalg.eigvalsh(a), (sym,), library
    yield "qr", lambda a: jnp.abs(jnp.linalg.qr(a)[1]), (f(12, 8),), library
    yield "svd", lambda a: jnp.linalg.svd(a, compute_uv=False), (f(12, 8),), library
    yield "lu_solve", lambda a, b: jnp.linalg.solve(a, b), (sym, f(12, 2)), library
    yield (
        "scan",
        lambda x: lax.scan(lambda c, y: (jnp.tanh(c + y @ y.T), c.sum()), jnp.zeros((8, 8)), x),
        (f(10, 8, 8),),
        library,
    )
    yield (
        "while_and_cond",
        lambda x: lax.while_loop(
            lambda s: s[0] < 5, lambda s: (s[0] + 1, lax.cond(s[0] % 2 == 0, jnp.sin, jnp.cos, s[1])), (0, x)
        ),
        (f(32),),
        dict(library, xla_gpu_graph_min_graph_size=1),
    )
    yield (
        "loop_double_buffered",
        lambda x: lax.fori_loop(0, 6, lambda i, c: jnp.sin(c) @ c, x),
        (f(16, 16) / 8,),
        dict(library, xla_gpu_enable_while_loop_double_buffering=True),
    )
    yield "random", lambda k: jax.random.normal(jax.random.key(k), (50,)), (jnp.uint32(3),), library
    yield "scatter_add", lambda x, i, u: x.at[i].add(u), (f(20, 8), jnp.asarray([1, 5, 1, 19]), f(4, 8)), library
    yield "gather_dynamic", lambda x, i: jnp.take(x, i, axis=0) * 2, (f(20, 8), jnp.asarray([3, 0, 7])), library
    yield (
        "dynamic_update",
        lambda x, u, i: lax.dynamic_update_slice(jnp.sin(x), u, (i, 0)),
        (f(16, 8), f(2, 8), jnp.int32(5)),
        library,
    )
    yield "cumulative", lambda x: (jnp.cumsum(x, 1), lax.cummax(x, 0)), (f(12, 200),), library
    yield (
        "scheduling_groups",
        groups,
        (f(16, 16), f(16, 16)),
        dict(library, xla_gpu_enable_latency_hiding_scheduler=True),
    )
    yield (
        "fp8_dot",
        lambda x, w: lax.dot(
            x.astype(jnp.float8_e4m3fn), w.astype(jnp.float8_e4m3fn), preferred_element_type=jnp.float32
        ),
        (f(16, 32), f(32, 16)),
        library,
    )
    yield "collectives_of_one", jax.vmap(collective, axis_name="i", axis_size=1), (f(1, 16),), library
    yield (
        "multi_stream",
        lambda x, w: (x @ w, x @ (w + 1), jnp.sin(x)),
        (f(32, 32), f(32, 32)),
        dict(library, xla_gpu_async_dot=True, xla_gpu_enable_latency_hiding_scheduler=True),
    )
    yield (
        "command_buffers",
        lambda x, w: jnp.sin(jnp.cos(x @ w) @ w) @ w,
        (f(16, 16), f(16, 16)),
        dict(
            library,
            xla_gpu_enable_command_buffer="FUSION,CUBLAS,CUSTOM_CALL,WHILE,CONDITIONAL",
            xla_gpu_graph_min_graph_size=1,
        ),
    )


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
    import jax

    out = a.keep or tempfile.mkdtemp()
    os.makedirs(out, exist_ok=True)
    xla, held, passed, failed, ran = Compiler(a.target_config), dict.fromkeys(KINDS, 0), 0, 0, 0
    work = [(os.path.basename(p)[:-4], p, None, None, None) for p in a.cases] + [
        (n, None, f, x, o) for n, f, x, o in programs()
    ]
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
