#!/usr/bin/env python3
"""What this compiler makes on a GPU beside PyTorch's libraries (cuBLAS, cuDNN, its attention) and beside XLA, the same
work on the same data in one run.

    python3 bench/peers.py [--only REGEX] [--rounds 20] [--xla] [--models FILE.hlo ...] [--cache DIR] [--out F.tsv]
    python3 bench/peers.py --predict H100 [--measured F.tsv] [--tool build/xlagpu]     what the model of time says of
                                             the same cases, without a GPU, beside what was measured
    python3 bench/peers.py --warm N ...      first load all programs in N processes, so that the driver's compiler is
                                             not waited for (needs --cache)

Needs the Python package's library (python3 packages/python/build_xlagpu.py --here) and PyTorch with CUDA; --xla also
JAX with its CUDA plugin. A line is tab-separated:

    case, what limits it      name; `bytes` (a copy of as many bytes is the best) or `flops`
    us, peer_us, ratio        medians of --rounds; ratio above 1: ours is faster
    rate                      GB/s or TFLOP/s of ours
    error                     |ours - reference| / |reference|, the reference in float32 or wider by PyTorch; of a model
                              XLA's results, where JAX is asked
    xla_us                    XLA's executable of the same text
    compile_ms, verdict       HLO to a loaded program; WRONG where the error is above the bound of the result's type

Both sides run alternately, each as often as takes about a millisecond, behind a kernel that sleeps until all of them
are enqueued: what is measured is the GPU's time, not the host's. Data are random, for zeros run faster."""

import argparse, math, os, re, subprocess, sys, tempfile, time

try:
    import torch
    import torch.nn.functional as F
except ImportError:  # then there are the texts, and what is predicted
    torch = F = None

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "packages", "python")]
import tensor_cores as tc  # noqa: E402

# |ours - reference| / |reference| by the result's type, where a case has no bound of its own; integers: none.
BOUNDS = {"bf16": 1e-2, "f16": 2e-3, "f32": 1e-5, "c64": 1e-5, "f64": 1e-13, "c128": 1e-13}
F8_BOUND = 1e-2  # matrix units keep fewer bits of sums of f8
ROUND_US, MOST_RUNS, SLEEP_CLOCKS_A_RUN = 1000, 50, 60000
TORCH = {"pred": "bool", "s8": "int8", "u8": "uint8", "s16": "int16", "s32": "int32", "s64": "int64", "f16": "float16",
         "bf16": "bfloat16", "f32": "float32", "f64": "float64", "c64": "complex64", "c128": "complex128",
         "f8e4m3fn": "float8_e4m3fn", "f8e5m2": "float8_e5m2", "u32": "uint32", "u64": "uint64", "u16": "uint16"}


class Case:
    """text: HLO; peer: a function of the parameters, or None; wide: the same in higher precision, or None: the peer on
    float32; work: bytes or floating-point operations, by which of them is a name."""

    def __init__(self, name, text, peer, flops=0, wide=None, bound=None, scale=1.0):
        self.name, self.text, self.peer, self.wide, self.flops = name, text, peer, wide, flops
        self.bound, self.scale = bound, scale


def elementwise(name, t, n, body, peer, **how):
    return Case(name, f"ENTRY e {{\n  x = {t}[{n}] parameter(0)\n{body.format(t=t, n=n)}}}\n", peer, **how)


REDUCERS = """add {{ x = {t}[] parameter(0)
  y = {t}[] parameter(1)
  ROOT z = {t}[] add(x, y) }}
max {{ x = {t}[] parameter(0)
  y = {t}[] parameter(1)
  ROOT z = {t}[] maximum(x, y) }}
"""


def reduction(t, dims, dim, peer, name):
    rest = ",".join(str(d) for k, d in enumerate(dims) if k != dim)
    whole = ",".join(map(str, dims))
    return Case(name, REDUCERS.format(t=t) + f"""ENTRY e {{
  x = {t}[{whole}] parameter(0)
  zero = {t}[] constant(0)
  ROOT r = {t}[{rest}] reduce(x, zero), dimensions={{{dim}}}, to_apply=add
}}
""", peer)


def rows(t, m, n, norm):
    """Softmax or layer norm along rows, computed in f32."""
    text = REDUCERS.format(t="f32") + f"""ENTRY e {{
  p = {t}[{m},{n}] parameter(0)
  x = f32[{m},{n}] convert(p)
  zero = f32[] constant(0)
"""
    if norm:
        text += f"""  s = f32[{m}] reduce(x, zero), dimensions={{1}}, to_apply=add
  c = f32[] constant({1 / n!r})
  cb = f32[{m}] broadcast(c), dimensions={{}}
  mean = f32[{m}] multiply(s, cb)
  mb = f32[{m},{n}] broadcast(mean), dimensions={{0}}
  d = f32[{m},{n}] subtract(x, mb)
  q = f32[{m},{n}] multiply(d, d)
  v = f32[{m}] reduce(q, zero), dimensions={{1}}, to_apply=add
  var = f32[{m}] multiply(v, cb)
  eps = f32[] constant(1e-05)
  eb = f32[{m}] broadcast(eps), dimensions={{}}
  ve = f32[{m}] add(var, eb)
  r = f32[{m}] rsqrt(ve)
  rb = f32[{m},{n}] broadcast(r), dimensions={{0}}
  y = f32[{m},{n}] multiply(d, rb)
  ROOT o = {t}[{m},{n}] convert(y)
}}
"""
    else:
        text += f"""  low = f32[] constant(-inf)
  m = f32[{m}] reduce(x, low), dimensions={{1}}, to_apply=max
  mb = f32[{m},{n}] broadcast(m), dimensions={{0}}
  d = f32[{m},{n}] subtract(x, mb)
  e = f32[{m},{n}] exponential(d)
  s = f32[{m}] reduce(e, zero), dimensions={{1}}, to_apply=add
  sb = f32[{m},{n}] broadcast(s), dimensions={{0}}
  y = f32[{m},{n}] divide(e, sb)
  ROOT o = {t}[{m},{n}] convert(y)
}}
"""
    peer = (lambda x: F.layer_norm(x, (n,))) if norm else (lambda x: torch.softmax(x, 1))
    return Case(f"{'layer norm' if norm else 'softmax'} {t} {m}x{n}", text, peer)


def memory_cases():
    n = 1 << 27
    yield elementwise("negate f32 2^27", "f32", n, "  ROOT y = {t}[{n}] negate(x)\n", lambda x: torch.neg(x))
    yield elementwise("negate bf16 2^28", "bf16", 2 * n, "  ROOT y = {t}[{n}] negate(x)\n", lambda x: torch.neg(x))
    yield elementwise("tanh f32 2^27", "f32", n, "  ROOT y = {t}[{n}] tanh(x)\n", lambda x: torch.tanh(x))
    yield elementwise("exp bf16 2^28", "bf16", 2 * n, "  ROOT y = {t}[{n}] exponential(x)\n", lambda x: torch.exp(x))
    yield elementwise("add f32 2^26", "f32", n // 2, "  w = {t}[{n}] parameter(1)\n  ROOT y = {t}[{n}] add(x, w)\n",
                      lambda x, w: torch.add(x, w))
    gelu = open(os.path.join(HERE, "../examples/gelu.hlo")).read()
    yield Case("GELU bf16 6x512x4096", gelu, lambda x: F.gelu(x, approximate="tanh"))
    for t, k, m in (("u8", 16384, 16384), ("bf16", 16384, 8192), ("f32", 8192, 8192), ("f64", 8192, 4096)):
        yield Case(f"transpose {t} {k}x{m}", f"""ENTRY e {{
  x = {t}[{k},{m}] parameter(0)
  ROOT y = {t}[{m},{k}] transpose(x), dimensions={{1,0}}
}}
""", lambda x: x.t().contiguous())
    yield Case("transpose f32 64x512x32x128, 0213", """ENTRY e {
  x = f32[64,512,32,128] parameter(0)
  ROOT y = f32[64,32,512,128] transpose(x), dimensions={0,2,1,3}
}
""", lambda x: x.permute(0, 2, 1, 3).contiguous())
    yield reduction("f32", (16384, 8192), 1, lambda x: x.sum(1), "row sums f32 16384x8192")
    yield reduction("f32", (8192, 16384), 0, lambda x: x.sum(0), "column sums f32 8192x16384")
    yield reduction("f32", (1 << 27,), 0, lambda x: x.sum(0), "sum f32 2^27")
    yield rows("f32", 16384, 4096, False)
    yield rows("bf16", 16384, 8192, False)
    yield rows("f32", 16384, 4096, True)
    yield rows("bf16", 32768, 4096, True)
    yield Case("sort f32 2^22", """less { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = pred[] compare(a, b), direction=LT, type=TOTALORDER }
ENTRY e {
  x = f32[4194304] parameter(0)
  ROOT s = f32[4194304] sort(x), dimensions={0}, to_apply=less
}
""", lambda x: torch.sort(x)[0])
    yield Case("cumsum f32 4096x8192", """add { x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT z = f32[] add(x, y) }
ENTRY e {
  x = f32[4096,8192] parameter(0)
  zero = f32[] constant(0)
  ROOT w = f32[4096,8192] reduce-window(x, zero), window={size=1x8192 pad=0_0x8191_0}, to_apply=add
}
""", lambda x: torch.cumsum(x, 1))
    yield Case("fft c64 4096x4096", """ENTRY e {
  x = c64[4096,4096] parameter(0)
  ROOT y = c64[4096,4096] fft(x), fft_type=FFT, fft_length={4096}
}
""", lambda x: torch.fft.fft(x, dim=1))


def matmul(name, m, n, k, t="bf16", scale=1.0, **how):
    batch, out = how.get("batch", 0), how.get("out")

    def peer(a, b):
        if t == "f8e4m3fn":
            one = torch.ones((), device="cuda")
            return torch._scaled_mm(a, b.t(), one, one, out_dtype=torch.float32)
        if t == "s8":
            return torch._int_mm(a, b.t())
        if how.get("a_type"):
            a = a.to(b.dtype)
        a = a.transpose(-1, -2) if how.get("a_turned") else a
        b = b.transpose(-1, -2) if how.get("b_turned") else b
        return torch.matmul(a, b)

    def wide(a, b):
        to = torch.float64 if t in ("f32", "f64", "s8") else torch.float32
        a, b = a.to(to), b.to(to)
        a = a.transpose(-1, -2) if how.get("a_turned") else a
        b = b.transpose(-1, -2) if how.get("b_turned") else b
        return torch.matmul(a, b)

    bound = F8_BOUND if t == "f8e4m3fn" else None
    return Case(name, tc.dot(m, n, k, t=t, **how), peer, 2 * m * n * k * max(batch, 1), wide, bound, scale)


def product_cases():
    for s in (2048, 4096, 8192, 16384):
        yield matmul(f"bf16 {s}", s, s, s)
    yield matmul("f16 4096 NT", 4096, 4096, 4096, "f16", b_turned=True)
    yield matmul("bf16 4096 TN", 4096, 4096, 4096, a_turned=True)
    yield matmul("bf16 4096 TT", 4096, 4096, 4096, a_turned=True, b_turned=True)
    yield matmul("bf16 4096 NT", 4096, 4096, 4096, b_turned=True)
    yield matmul("f8 4096 NT", 4096, 4096, 4096, "f8e4m3fn", out="f32", b_turned=True)
    yield matmul("f8 8192 NT", 8192, 8192, 8192, "f8e4m3fn", out="f32", b_turned=True)
    yield matmul("s8 4096 NT", 4096, 4096, 4096, "s8", out="s32", b_turned=True)
    yield matmul("f32 2048", 2048, 2048, 2048, "f32")
    yield matmul("f32 4096", 4096, 4096, 4096, "f32")
    yield matmul("f64 2048", 2048, 2048, 2048, "f64")
    for m in (1, 8, 16, 64, 128, 256):
        yield matmul(f"bf16 {m}x4096x4096", m, 4096, 4096)
    yield matmul("f32 1x8192x8192", 1, 8192, 8192, "f32")
    yield matmul("f32 16x4096x4096", 16, 4096, 4096, "f32")
    yield matmul("bf16 256x256x16384", 256, 256, 16384)
    yield matmul("f32 32x64x4096", 32, 64, 4096, "f32")
    yield matmul("bf16 64 x 512x512x64", 512, 512, 64, batch=64)
    yield matmul("bf16 1000x1000x1000", 1000, 1000, 1000)
    yield matmul("bf16 4096, s8 on the left", 4096, 4096, 4096, a_type="s8")
    yield matmul("bf16 1024x50257x768", 1024, 50257, 768)
    yield matmul("bf16 4096x11008x4096", 4096, 11008, 4096)
    yield matmul("bf16 8192x3072x768", 8192, 3072, 768)
    yield matmul("bf16 512x512x512", 512, 512, 512)
    yield matmul("bf16 1024x1024x1024", 1024, 1024, 1024)


def convolution_cases():
    def peer(stride, pad):
        def run(x, w):  # NHWC by HWIO
            y = F.conv2d(x.permute(0, 3, 1, 2), w.permute(3, 2, 0, 1).contiguous(memory_format=torch.channels_last),
                         stride=stride, padding=pad)
            return y.permute(0, 2, 3, 1)
        return run

    for name, n, h, ci, co, window in (
        ("3x3 64x56x56x64", 64, 56, 64, 64, 3), ("1x1 64x28x28x256 512", 64, 28, 256, 512, 1),
        ("3x3 64x14x14x256", 64, 14, 256, 256, 3), ("3x3 32x28x28x128", 32, 28, 128, 128, 3),
    ):
        taps = window * window
        yield Case(f"convolution {name}", tc.convolution(n, h, ci, co, window), peer(1, window // 2),
                   2 * n * h * h * taps * ci * co)


def attention_cases():
    for heads, length, depth, causal in ((16, 4096, 128, False), (16, 8192, 128, False), (16, 4096, 64, True),
                                         (16, 8192, 128, True), (64, 1024, 64, False)):
        flops = 4 * heads * length * length * depth // (2 if causal else 1)

        def peer(q, k, v, causal=causal):
            return F.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=causal)[0]

        yield Case(f"attention {heads}x{length}x{depth}{', causal' if causal else ''}",
                   tc.attention(heads, length, length, depth, causal=causal), peer, flops, wide=peer)
    yield Case("attention decode 32 heads, 8192 keys", tc.attention(32, 1, 8192, 128),
               lambda q, k, v: F.scaled_dot_product_attention(q[None], k[None], v[None])[0])


def cases():
    yield from product_cases()
    yield from attention_cases()
    yield from convolution_cases()
    yield from memory_cases()


# ---- one side and the other ----

def inputs_of(program, scale=1.0):
    g = torch.Generator(device="cuda").manual_seed(1)
    out = []
    for p in program.parameters:
        dtype = getattr(torch, TORCH[p.type])
        if dtype.is_floating_point or dtype.is_complex:
            real = torch.float32 if dtype.itemsize < 4 else dtype
            x = (torch.randn(p.shape, device="cuda", generator=g, dtype=real) * scale).to(dtype)
        elif p.type in ("s8", "u8"):
            x = torch.randint(-8 if p.type == "s8" else 0, 8, p.shape, device="cuda", generator=g, dtype=dtype)
        else:
            x = torch.zeros(p.shape, device="cuda", dtype=dtype)
        out.append(x)
    return out


def outputs_of(program):
    """Filled with ones in all bits: what is not written shows."""
    out = []
    for r in program.results:
        dtype = getattr(torch, TORCH[r.type])
        size = max(1, math.prod(r.shape)) * dtype.itemsize
        raw = torch.full((size,), 255 if r.type != "pred" else 1, device="cuda", dtype=torch.uint8)
        out.append(raw.view(dtype).reshape(r.shape))
    return out


def timed(sides, rounds):
    """Medians in microseconds; a side that is None has none."""
    stream, runs, took = torch.cuda.current_stream(), [], [[] for _ in sides]
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    for side in sides:
        if side is None:
            runs.append(0)
            continue
        side()
        torch.cuda.synchronize()
        begin.record(stream)
        for _ in range(3):
            side()
        end.record(stream)
        end.synchronize()
        runs.append(int(min(max(ROUND_US / max(begin.elapsed_time(end) * 1000 / 3, 1), 1), MOST_RUNS)))
    for _ in range(rounds):
        for k, side in enumerate(sides):
            if side is None:
                continue
            torch.cuda._sleep(SLEEP_CLOCKS_A_RUN * (runs[k] + 1))
            begin.record(stream)
            for _ in range(runs[k]):
                side()
            end.record(stream)
            end.synchronize()
            took[k].append(begin.elapsed_time(end) * 1000 / runs[k])
    return [sorted(t)[len(t) // 2] if t else None for t in took]


def difference(got, want):
    kind = torch.complex128 if got.dtype.is_complex else torch.float64
    a, b = got.reshape(-1), want.reshape(-1)
    above = below = 0.0
    for lo in range(0, a.numel(), 1 << 26):
        x, y = a[lo:lo + (1 << 26)].to(kind), b[lo:lo + (1 << 26)].to(kind)
        above += float(torch.sum(torch.abs(x - y) ** 2))
        below += float(torch.sum(torch.abs(y) ** 2))
    return math.sqrt(above / below) if below else math.sqrt(above)


class Xla:
    """XLA's executables on the same GPU, from HLO text."""

    def __init__(self):
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        import jax
        from jax._src.interpreters.mlir import make_ir_context
        from jaxlib import _hlo, _jax, xla_client
        from jaxlib.mlir import ir

        self.jax, self.hlo, self.client, self.ir = jax, _hlo, xla_client, ir
        self.to = getattr(_jax, "hlo_to_stablehlo", None) or _jax.mlir.hlo_to_stablehlo
        self.context = make_ir_context()
        self.device = jax.devices()[0]

    def compile(self, text):
        if not text.startswith("HloModule"):
            text = "HloModule m\n" + text
        proto = self.hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto()
        mlir = self.ir.Module.parse(self.to(proto), self.context)
        shape = self.hlo.XlaComputation(proto).program_shape()
        options = self.client.CompileOptions()
        options.argument_layouts = shape.parameter_shapes()
        options.executable_build_options.result_layout = shape.result_shape()
        devices = self.client.DeviceList((self.device,))
        return self.device.client.compile_and_load(mlir, devices, options), shape.parameter_shapes()

    def time(self, text, given, rounds=20):
        """Microseconds of a run, as often as takes 10 ms enqueued together; and the results. given: tensors."""
        executable, shapes = self.compile(text)
        args = [self.jax.device_put(host(x, s.numpy_dtype()), self.device) for x, s in zip(given, shapes)]
        del given

        def run(n):
            begin = time.perf_counter()
            for _ in range(n):
                out = executable.execute(args)
            for o in out:
                o.block_until_ready()
            return (time.perf_counter() - begin) / n * 1e6

        run(1)
        runs = int(min(max(10000 / run(2), 1), 200))
        took = sorted(run(runs) for _ in range(rounds))
        return took[rounds // 2], executable.execute(args)


def host(x, dtype):
    """A tensor as an array of numpy, whatever its type."""
    if x.dtype in (torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2):
        x = x.view(torch.int16 if x.dtype.itemsize == 2 else torch.uint8)
    return x.cpu().numpy().view(dtype)


def beside_xla(ours, theirs):
    """|ours - XLA's| / |XLA's| of all results that are floats, the worst."""
    import numpy as np

    worst = 0.0
    for x, y in zip(ours, theirs):
        want = np.asarray(y)
        if want.dtype.kind in "iub":
            continue
        got, want = host(x, want.dtype).astype(np.float64), want.astype(np.float64)
        size = float(np.linalg.norm(want.ravel()))
        apart = float(np.linalg.norm((got - want).ravel()))
        worst = max(worst, apart / size if size else apart) if apart == apart else math.inf
    return worst


def measure(case, device, options, xla):
    import xlagpu

    begin = time.perf_counter()
    program = xlagpu.compile(case.text, device=device)
    made = (time.perf_counter() - begin) * 1e3
    args, out = inputs_of(program, case.scale), outputs_of(program)
    stream = torch.cuda.current_stream().cuda_stream
    program.enqueue(args, out, stream)
    torch.cuda.synchronize()
    error = None
    if case.peer or case.wide:
        f = case.wide or case.peer
        floats = args[0].dtype.is_floating_point
        with torch.no_grad():
            wide = f(*args) if case.wide or not floats else f(*[a.float() if a.dtype.itemsize < 4 else a for a in args])
        error = difference(out[0], wide)
        del wide
    peer = None
    if case.peer:
        def peer():
            with torch.no_grad():
                case.peer(*args)
    try:
        if peer:
            peer()
    except Exception as e:
        print(f"# {case.name}: no peer: {str(e).splitlines()[0][:200]}", flush=True)
        peer = None
    ours, theirs = timed([lambda: program.enqueue(args, out, stream), peer], options.rounds)
    size = sum(x.numel() * x.element_size() for x in args + out)
    rate = case.flops / ours / 1e6 if case.flops else size / ours / 1e3
    theirs_xla = xla.time(case.text, args)[0] if xla else None
    bound = BOUNDS.get(program.results[0].type, 0) if case.bound is None else case.bound
    wrong = error is not None and not error <= bound
    return [case.name, "flops" if case.flops else "bytes", f"{ours:.2f}", f"{theirs:.2f}" if theirs else "",
            f"{theirs / ours:.3f}" if theirs else "", f"{rate:.0f}", f"{error:.2g}" if error is not None else "",
            f"{theirs_xla:.2f}" if theirs_xla else "", f"{made:.0f}", "WRONG" if wrong else ""]


def model(path, device, options, xla):
    """A whole module on random arguments beside XLA."""
    import xlagpu

    text = open(path).read()
    begin = time.perf_counter()
    program = xlagpu.compile(text, device=device)
    made = (time.perf_counter() - begin) * 1e3
    args, out = inputs_of(program, 0.05), outputs_of(program)
    stream = torch.cuda.current_stream().cuda_stream
    ours = timed([lambda: program.enqueue(args, out, stream)], options.rounds)[0]
    finite = all(bool(torch.isfinite(o).all()) for o in out if o.dtype.is_floating_point)
    theirs = said = None
    if xla:
        theirs, results = xla.time(text, args)
        out = outputs_of(program)
        program.enqueue(args, out, stream)
        torch.cuda.synchronize()
        said = f"{beside_xla(out, results):.2g}"
    return [os.path.basename(path), "model", f"{ours:.1f}", f"{theirs:.1f}" if theirs else "",
            f"{theirs / ours:.3f}" if theirs else "", "", said or ("finite" if finite else "not finite"), "",
            f"{made:.0f}", ""]


def warm(options, chosen):
    """Compiles and loads in several processes: the driver's machine code lands in the cache."""
    processes = []
    for k in range(options.warm):
        part = f"{k}/{options.warm}"
        command = [sys.executable, os.path.abspath(__file__), "--warm-part", part, "--cache", options.cache]
        if options.only:
            command += ["--only", options.only]
        processes.append(subprocess.Popen(command + (["--models", *options.models] if options.models else [])))
    for p in processes:
        p.wait()


def warm_part(options, chosen):
    import xlagpu

    part, parts = map(int, options.warm_part.split("/"))
    device = xlagpu.Device("cuda", cache=options.cache)
    texts = [open(m).read() for m in options.models] + [c.text for c in chosen]
    for text in texts[part::parts]:
        try:
            xlagpu.compile(text, device=device)
        except Exception as e:
            print(f"# {str(e).splitlines()[0][:300]}", flush=True)


def predicted(tool, text, gpu, target):
    """Microseconds of all kernels, and what limits the longest."""
    with tempfile.NamedTemporaryFile("w", suffix=".hlo") as file:
        file.write(text)
        file.flush()
        p = subprocess.run([tool, "compile", file.name, f"--gpu={gpu}", f"--target={target}", "--emit=times"],
                           capture_output=True, text=True)
    if p.returncode:
        return None, p.stderr.strip().splitlines()[-1]
    kernels = [line.split("\t") for line in p.stdout.splitlines() if line[:1].isdigit()]
    longest = max(kernels, key=lambda k: float(k[0]) * int(k[3]))
    return sum(float(k[0]) * int(k[3]) for k in kernels), longest[1]


def predict(o, chosen):
    """A table of what is predicted; beside what was measured its error, and the median of all."""
    target = tc.GPUS.get(o.predict, "sm_90a")
    measured, errors = {}, []
    for line in open(o.measured) if o.measured else []:
        row = line.rstrip("\n").split("\t")
        if len(row) > 2 and re.fullmatch(r"[0-9.]+", row[2]):
            measured[row[0]] = float(row[2])
    print("case\tpredicted_us\tlimit\tmeasured_us\tpredicted_over_measured")
    todo = [(c.name, c.text) for c in chosen] + [(os.path.basename(m), open(m).read()) for m in o.models]
    for name, text in todo:
        us, limit = predicted(o.tool, text, o.predict, target)
        real = measured.get(name)
        if us is None:
            print(f"{name}\tFAILED\t{limit}")
            continue
        print(f"{name}\t{us:.2f}\t{limit}\t{real or ''}\t{f'{us / real:.3f}' if real else ''}", flush=True)
        if real:
            errors.append((abs(us / real - 1), name))
    if errors:
        errors.sort()
        median, (worst, name) = errors[len(errors) // 2][0], errors[-1]
        print(f"# median error {median:.1%} of {len(errors)}, worst {worst:.1%}: {name}")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--only", help="cases whose name this regular expression is found in; ^$: none")
    p.add_argument("--rounds", type=int, default=20)
    p.add_argument("--xla", action="store_true")
    p.add_argument("--models", nargs="*", default=[])
    p.add_argument("--cache")
    p.add_argument("--warm", type=int, default=0)
    p.add_argument("--warm-part")
    p.add_argument("--out")
    p.add_argument("--predict")
    p.add_argument("--measured")
    p.add_argument("--tool", default="build/xlagpu")
    o = p.parse_args()
    chosen = [c for c in cases() if not o.only or re.search(o.only, c.name)]
    if o.predict:
        return predict(o, chosen)
    if o.warm_part:
        return warm_part(o, chosen)
    if o.warm:
        warm(o, chosen)
    import xlagpu

    torch.zeros(1, device="cuda")
    device = xlagpu.Device("cuda", cache=o.cache)
    xla = Xla() if o.xla else None
    out = open(o.out, "w") if o.out else None

    def say(line):
        print(line, flush=True)
        if out:
            out.write(line + "\n")
            out.flush()

    say(f"# {device.name}, PyTorch {torch.__version__}, medians of {o.rounds}")
    say("case\tlimit\tus\tpeer_us\tratio\trate\terror\txla_us\tcompile_ms\tverdict")
    todo = [(c.name, lambda c=c: measure(c, device, o, xla)) for c in chosen]
    todo += [(m, lambda m=m: model(m, device, o, xla)) for m in o.models]
    for name, f in todo:
        try:
            say("\t".join(f()))
        except Exception as e:
            say(f"{name}\tFAILED\t{str(e).splitlines()[0][:300] if str(e) else type(e).__name__}")
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
