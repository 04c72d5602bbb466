#!/usr/bin/env python3
"""A table of contractions on tensor cores: 24 named shapes on five GPUs, what is chosen and how fast the model of time
says it is.

    python3 bench/tensor_cores.py [--tool build/xlagpu] [--shapes NAME,...] [--gpus A100,...] [--no-run]

For each shape and GPU: the record's tile, steps in shared memory and threads; registers and spills by ptxas, where
there is one; blocks of a multiprocessor at a time; bytes of operands and results, and how many times as many the
kernels ask the second cache for; predicted time, what limits it, and the share of the device's best that it reaches
(tensor cores at their highest clock, or memory, whichever the shape keeps longer); the share of its own roofline, which
is a launch and then what the device holds: matrix units at the clock that power allows when they never pause (kernels
of less than 100 us: at the highest), memory at the rate of such a mix of reads and writes. Multiply-adds are those that
the shape asks for: of attention backward five products, where two kernels that recompute scores make seven, or nine.
The last columns are counted by the simulator, which runs a smaller shape of the same kind by the same records: bank
conflicts, and tensor operations for each hundred warp instructions that more of K adds (of attention: more keys), which
is the main loop and nothing else.
A shape of several kernels is their sum; its tile is that of the kernel that takes longest."""

import argparse, json, os, re, shutil, subprocess, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tiles import Tool, table  # noqa: E402

GPUS = {"A100": "sm_80", "L40S": "sm_89", "H100": "sm_90a", "B200": "sm_100a", "RTX 5090": "sm_120"}


def dot(m, n, k, t="bf16", out=None, a_turned=False, b_turned=False, batch=0, a_type=None, epilogue=""):
    """A product; turned: K does not lie where a row-major product has it."""
    out, lead = out or t, f"{batch}," if batch else ""
    a = f"{lead}{k},{m}" if a_turned else f"{lead}{m},{k}"
    b = f"{lead}{n},{k}" if b_turned else f"{lead}{k},{n}"
    shift = 1 if batch else 0
    dims = f"lhs_contracting_dims={{{(0 if a_turned else 1) + shift}}}"
    dims += f", rhs_contracting_dims={{{(1 if b_turned else 0) + shift}}}"
    if batch:
        dims += ", lhs_batch_dims={0}, rhs_batch_dims={0}"
    x = f"  p = {a_type or t}[{a}] parameter(0)\n" + (f"  a = {t}[{a}] convert(p)\n" if a_type else "")
    x += f"  b = {t}[{b}] parameter(1)\n" + (f"  c = {out}[{n}] parameter(2)\n" if epilogue else "")
    root = "" if epilogue else "ROOT "
    x += f"  {root}d = {out}[{lead}{m},{n}] dot({'a' if a_type else 'p'}, b), {dims}\n"
    if epilogue:
        x += f"""  w = {out}[{m},{n}] broadcast(c), dimensions={{1}}
  s = {out}[{m},{n}] add(d, w)
  ROOT t = {out}[{m},{n}] tanh(s)
"""
    return "HloModule product\nENTRY e {\n" + x + "}\n"


def convolution(n, h, ci, co, window, kind="forward"):
    """Of n pictures of h by h, window 3 with a border of 1; stride 2 where the window says so."""
    size, stride = (3, 2) if window == "strided" else (window, 1)
    pad, o = (1 if size == 3 else 0), h // stride
    steps = f" stride={stride}x{stride}" if stride > 1 else ""
    if kind == "forward":
        args = f"bf16[{n},{h},{h},{ci}]", f"bf16[{size},{size},{ci},{co}]"
        out, labels = f"bf16[{n},{o},{o},{co}]", "b01f_01io->b01f"
        w = f"size={size}x{size}{steps} pad={pad}_{pad if stride == 1 else 0}x{pad}_{pad if stride == 1 else 0}"
    elif kind == "input":
        args = f"bf16[{n},{o},{o},{co}]", f"bf16[{size},{size},{ci},{co}]"
        out, labels = f"bf16[{n},{h},{h},{ci}]", "b01f_01oi->b01f"
        low = pad if stride == 1 else size - 1
        w = f"size={size}x{size} pad={low}_{pad}x{low}_{pad} rhs_reversal=1x1" + steps.replace("stride", "lhs_dilate")
    else:
        args = f"bf16[{n},{h},{h},{ci}]", f"bf16[{n},{o},{o},{co}]"
        out, labels = f"bf16[{size},{size},{ci},{co}]", "f01b_i01o->01bf"
        w = f"size={o}x{o} pad={pad}_{pad}x{pad}_{pad}"
    return f"""HloModule convolution
ENTRY e {{
  p = {args[0]} parameter(0)
  q = {args[1]} parameter(1)
  ROOT s = {out} convolution(p, q), window={{{w}}}, dim_labels={labels}
}}
"""


def ragged(m, n, k, groups):
    return f"""HloModule experts
ENTRY e {{
  a = bf16[{m},{k}] parameter(0)
  b = bf16[{groups},{k},{n}] parameter(1)
  sizes = s32[{groups}] parameter(2)
  ROOT r = bf16[{m},{n}] ragged-dot(a, b, sizes), lhs_contracting_dims={{1}}, rhs_contracting_dims={{1}},
    lhs_ragged_dims={{0}}, rhs_group_dims={{0}}
}}
"""


def attention(heads, queries, keys, depth, causal=False, backward=False):
    s, o = f"f32[{heads},{queries},{keys}]", f"bf16[{heads},{queries},{depth}]"
    kv, one = f"bf16[{heads},{keys},{depth}]", f"f32[{heads},{queries}]"
    x = f"""  q = {o} parameter(0)
  k = {kv} parameter(1)
  v = {kv} parameter(2)
  s = {s} dot(q, k), lhs_batch_dims={{0}}, rhs_batch_dims={{0}}, lhs_contracting_dims={{2}}, rhs_contracting_dims={{2}}
  c = f32[] constant({depth ** -0.5:.7f})
  cb = {s} broadcast(c), dimensions={{}}
  t = {s} multiply(s, cb)
  lowest = f32[] constant(-inf)
"""
    if causal:
        x += f"""  i = s32[{queries},{keys}] iota(), iota_dimension=0
  j = s32[{queries},{keys}] iota(), iota_dimension=1
  past = pred[{queries},{keys}] compare(i, j), direction=GE
  seen = pred[{heads},{queries},{keys}] broadcast(past), dimensions={{1,2}}
  none = {s} broadcast(lowest), dimensions={{}}
  t.1 = {s} select(seen, t, none)
"""
    x += f"""  m = {one} reduce({'t.1' if causal else 't'}, lowest), dimensions={{2}}, to_apply=max
  mb = {s} broadcast(m), dimensions={{0,1}}
  d = {s} subtract({'t.1' if causal else 't'}, mb)
  p = {s} exponential(d)
  zero = f32[] constant(0)
  l = {one} reduce(p, zero), dimensions={{2}}, to_apply=add
  lb = {s} broadcast(l), dimensions={{0,1}}
  w = {s} divide(p, lb)
  wb = bf16[{heads},{queries},{keys}] convert(w)
"""
    if not backward:
        x += f"  ROOT o = {o} dot(wb, v), lhs_batch_dims={{0}}, rhs_batch_dims={{0}}, lhs_contracting_dims={{2}},"
        x += " rhs_contracting_dims={1}\n"
    else:
        rows, across = "lhs_contracting_dims={1}, rhs_contracting_dims={1}", "lhs_contracting_dims={2}"
        both = "lhs_batch_dims={0}, rhs_batch_dims={0}"
        x += f"""  do = {o} parameter(3)
  dv = {kv} dot(wb, do), {both}, {rows}
  dw = {s} dot(do, v), {both}, {across}, rhs_contracting_dims={{2}}
  u = {s} multiply(dw, w)
  r = {one} reduce(u, zero), dimensions={{2}}, to_apply=add
  rb = {s} broadcast(r), dimensions={{0,1}}
  e = {s} subtract(dw, rb)
  g = {s} multiply(w, e)
  h = {s} multiply(g, cb)
  ds = bf16[{heads},{queries},{keys}] convert(h)
  dq = {o} dot(ds, k), {both}, {across}, rhs_contracting_dims={{1}}
  dk = {kv} dot(ds, q), {both}, {rows}
  ROOT all = ({o}, {kv}, {kv}) tuple(dq, dk, dv)
"""
    both = "{ x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT z = f32[] "
    return f"HloModule attention\nmax {both}maximum(x, y) }}\nadd {both}add(x, y) }}\nENTRY e {{\n{x}}}\n"


def shapes():
    """Name: multiply-adds, the text, the smaller text, and the smaller text with twice as much of K."""
    def product(m, n, k, small=(256, 256, 128), **how):
        sm, sn, sk = small
        macs = m * n * k * (how.get("batch") or 1)
        tiny = dict(how, batch=2) if how.get("batch") else how
        return macs, dot(m, n, k, **how), dot(sm, sn, sk, **tiny), dot(sm, sn, 2 * sk, **tiny)

    def picture(n, h, ci, co, window, kind="forward"):
        o, taps = h // (2 if window == "strided" else 1), 1 if window == 1 else 9
        deep = {"forward": (64, 128, 1, 2), "input": (128, 64, 2, 1), "filter": (64, 64, 1, 1)}[kind]
        small = convolution(2, 16, deep[0], deep[1], window, kind)
        twice = (convolution(4, 16, deep[0], deep[1], window, kind) if kind == "filter" else
                 convolution(2, 16, deep[0] * deep[3], deep[1] * deep[2], window, kind))
        if kind == "input":
            small, twice = convolution(2, 16, 128, 64, window, kind), convolution(2, 16, 128, 128, window, kind)
        elif kind == "forward":
            small, twice = convolution(2, 16, 64, 128, window, kind), convolution(2, 16, 128, 128, window, kind)
        return n * o * o * taps * ci * co, convolution(n, h, ci, co, window, kind), small, twice

    def heads(h, q, k, d, **how):
        products = 5 if how.get("backward") else 2
        few = max(min(q, 256), 1)
        return (products * h * q * k * d // (2 if how.get("causal") else 1), attention(h, q, k, d, **how),
                attention(2, few, 256, d, **how), attention(2, few, 512, d, **how))

    return {
        "bf16 2048": product(2048, 2048, 2048),
        "bf16 4096": product(4096, 4096, 4096),
        "bf16 8192": product(8192, 8192, 8192),
        "f16 4096 NT": product(4096, 4096, 4096, t="f16", b_turned=True),
        "bf16 4096 TN": product(4096, 4096, 4096, a_turned=True),
        "bf16 4096 TT": product(4096, 4096, 4096, a_turned=True, b_turned=True),
        "f8 4096 NT": product(4096, 4096, 4096, t="f8e4m3fn", out="f32", b_turned=True, small=(256, 256, 256)),
        "s8 4096 NT": product(4096, 4096, 4096, t="s8", out="s32", b_turned=True, small=(256, 256, 256)),
        "64 rows of 4096": product(64, 4096, 4096, small=(64, 256, 256)),
        "16 rows of 4096": product(16, 4096, 4096, small=(16, 256, 256)),
        "split-K 256x256x16384": product(256, 256, 16384, small=(256, 256, 1024)),
        "64 x 512x512x64": product(512, 512, 64, batch=64),
        "odd 1000x1000x1000": product(1000, 1000, 1000, small=(250, 250, 125)),
        "s8 weights 4096": product(4096, 4096, 4096, a_type="s8"),
        "MLP 4096x11008x4096, bias, tanh": product(4096, 11008, 4096, epilogue="tanh"),
        "8 experts 4096x2048x1024": (4096 * 2048 * 1024, ragged(4096, 2048, 1024, 8), ragged(512, 256, 128, 2),
                                     ragged(512, 256, 256, 2)),
        "conv 3x3 64x56x56x64": picture(64, 56, 64, 64, 3),
        "conv 1x1 64x28x28x256 to 512": picture(64, 28, 256, 512, 1),
        "conv 3x3 stride 2, 64x56x56x128": picture(64, 56, 128, 128, "strided"),
        "conv 3x3, gradient of input": picture(64, 56, 64, 64, 3, "input"),
        "conv 3x3 stride 2, gradient of input": picture(64, 56, 128, 128, "strided", "input"),
        "conv 3x3, gradient of filter": picture(64, 56, 64, 64, 3, "filter"),
        "attention 16x4096x128": heads(16, 4096, 4096, 128),
        "attention 16x4096x64, causal": heads(16, 4096, 4096, 64, causal=True),
        "attention decode 32 heads, 8192 keys": heads(32, 1, 8192, 128),
        "attention backward 16x2048x128": heads(16, 2048, 2048, 128, backward=True),
    }


def scheduled(tool, text, where):
    """The module that is left when all passes have run, with its records."""
    plan = tool.call("compile", "-", *where, "--emit=plan", text=text)
    return plan[plan.index("HloModule "):]


FORM = re.compile(r'("rule":"(\w+)","form":)(\{[^}]*\})')


def obeying(small, large):
    """The small module with the forms of the large one's kernels, where both have as many of a rule."""
    forms = [m.groups() for m in FORM.finditer(large) if m.group(2) in ("tile", "attention")]
    own = [m.group(2) for m in FORM.finditer(small) if m.group(2) in ("tile", "attention")]
    if [f[1] for f in forms] != own:
        return None
    queue = iter(forms)
    return FORM.sub(lambda m: m.group(1) + (next(queue)[2] if m.group(2) in ("tile", "attention") else m.group(3)),
                    re.sub(r',"launch":\{[^}]*\}', "", small))


def assembled(tool, text, where, target):
    """Registers of the fattest kernel, and spilled bytes, by ptxas; None without it."""
    ptxas = shutil.which("ptxas") or "/usr/local/cuda/bin/ptxas"
    if not os.path.exists(ptxas):
        return None
    path = os.path.join(tool.dir, "k.ptx")
    tool.call("compile", "-", *where, "--emit=ptx", "-o", path, text=text)
    p = subprocess.run([ptxas, f"-arch={target}", "-v", path, "-o", "/dev/null"], capture_output=True, text=True)
    if p.returncode:
        sys.exit(f"ptxas: {p.stderr.strip()}")
    registers = [int(n) for n in re.findall(r"Used (\d+) registers", p.stderr)]
    spills = sum(int(n) for n in re.findall(r"(\d+) bytes spill stores", p.stderr))
    return max(registers or [0]), spills


def figures(tool, where):
    """What the compiler knows of the device: the page of --viewer has it."""
    page = os.path.join(tool.dir, "device.html")
    tool.call("compile", "-", *where, "--viewer=" + page, "-o", os.path.join(tool.dir, "device.ptx"),
              text="HloModule device\nENTRY e { ROOT p = f32[] parameter(0) }\n")
    with open(page) as f:
        return json.loads(re.search(r'"device":(\{[^}]*\})', f.read()).group(1))


WARM_US = 100  # shorter kernels run at the highest clock (cost/time.c)


def roofline(device, macs, moved, t):
    """Microseconds that no kernel of the shape can be faster than: a launch, and matrix units or memory."""
    rate = (t == "s8" and device["tensor_i8"]) or (t == "f8e4m3fn" and device["tensor_f8"]) or device["tensor_f16"]
    # B300 and later have slow 8-bit integers: their products go through f16
    units = macs / device["sm_count"] / max(rate, device["tensor_f16"])
    read, written = moved
    mixed = 2 * min(read, written) / (read + written)
    held = device["read_permille"] - (device["read_permille"] - device["copy_permille"]) * mixed
    memory = (read + written) / (device["bandwidth"] * held / 1000) * 1e6
    tensor = units / device["clock_mhz"]
    if max(tensor, memory) > WARM_US:
        tensor = units / min(device["clock_mhz"], device["tensor_mhz"])
    return device["graph_ns"] / 1e3 + max(tensor, memory)


def bytes_of(text):
    """Of parameters and of results of the entry."""
    size = {"bf16": 2, "f16": 2, "f32": 4, "s32": 4, "s8": 1, "f8e4m3fn": 1}
    entry, read, written = text[text.index("ENTRY"):], 0, 0
    lines = [x for x in entry.splitlines() if " parameter(" in x or "ROOT" in x]
    for line in lines:
        head = line.split(" = ")[1]
        head = head[:head.index(")")] if head.startswith("(") else head.split(" ")[0]
        for t, dims in re.findall(r"(\w+)\[([\d,]*)\]", head):
            count = size[t]
            for d in dims.split(","):
                count *= int(d or 1)
            read, written = (read, written + count) if "ROOT" in line else (read + count, written)
    return read, written


def counted(tool, small, twice, large, where):
    """Bank conflicts, and tensor operations for a hundred instructions of the main loop."""
    a, b = (obeying(scheduled(tool, x, where), large) for x in (small, twice))
    if not a or not b:
        return None
    target = [w for w in where if w.startswith("--gpu")] + [w for w in where if w.startswith("--target")]
    runs = []
    for text in (a, b):
        path = os.path.join(tool.dir, "small.hlo")
        with open(path, "w") as f:
            f.write(text)
        p = subprocess.run([tool.path, "run", path, "--platform=host", *target, "--stats", "--reference_platform="],
                           capture_output=True, text=True)
        if p.returncode:
            return None
        runs.append(table(p.stdout))
    loop = runs[1]["warp_instructions"] - runs[0]["warp_instructions"]
    tensor = runs[1]["tensor_operations"] - runs[0]["tensor_operations"]
    return runs[1]["bank_conflicts"], 100 * tensor / loop if loop > 0 else 0


def row(tool, name, shape, where, device, run):
    macs, text, small, twice = shape
    large = scheduled(tool, text, where)
    times = [x.split("\t") for x in tool.call("compile", "-", *where, "--emit=times", text=text).splitlines()[1:]]
    total = sum(float(t[0]) * int(t[3]) for t in times)
    best = sum(float(t[0]) * int(t[3]) * float(t[2]) for t in times) / total
    longest = max(times, key=lambda t: float(t[0]) * int(t[3]))
    way = re.search(r"%?" + re.escape(longest[4]) + r' = [^\n]*"xlagpu_kernel":(\{.*\})', large)
    record = way.group(1) if way else ""
    record = record[:record.find('"estimates"')]
    form = {k: v for k, v in re.findall(r'"(\w+)":(\[[^\]]*\]|"\d+")', record)}

    def numbers(key):
        return "x".join(re.findall(r"\d+", form[key])) if key in form else ""
    tile = numbers("tile") or numbers("group_tile") or numbers("warp_tile")
    part = "group" if "group_tile" in form else "warp" if "warp_tile" in form else ""
    code = assembled(tool, text, where, where[1].split("=")[1])
    moved, operand = bytes_of(text), re.search(r"= (\w+)\[[\d,]*\] parameter\(1\)", text).group(1)
    seen = counted(tool, small, twice, large, where) if run else None
    return [name, tile, f"{part} {numbers(part + '_tile')}" if part else "", numbers("stages"), numbers("block"),
            f"{code[0]}, {code[1]}" if code else "", f"{len(times)}", f"{sum(moved) / 1e6:.1f}", f"{total:.1f}",
            longest[1], f"{macs * 2 / total / 1e6:.0f}", f"{best:.0f}",
            f"{100 * roofline(device, macs, moved, operand) / total:.0f}",
            f"{seen[0]:.0f}" if seen else "", f"{seen[1]:.1f}" if seen else ""]


HEAD = ["shape", "tile", "of", "steps", "threads", "registers, spills", "kernels", "MB", "us", "limit", "TFLOP/s",
        "% of best",
        "% of roofline", "conflicts", "tensor / 100"]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--tool", default="build/xlagpu")
    p.add_argument("--shapes", help="names, or parts of names")
    p.add_argument("--gpus", default=",".join(GPUS))
    p.add_argument("--no-run", action="store_true", help="nothing on the simulator")
    o = p.parse_args()
    tool = Tool(os.path.abspath(o.tool), "")
    for gpu in o.gpus.split(","):
        where = [f"--gpu={gpu}", f"--target={GPUS[gpu]}"]
        device = figures(tool, where)
        print(f"\n{gpu} ({GPUS[gpu]})\n\n| {' | '.join(HEAD)} |\n|{' -- |' * len(HEAD)}")
        for name, shape in shapes().items():
            if not o.shapes or any(s in name for s in o.shapes.split(",")):
                print(f"| {' | '.join(row(tool, name, shape, where, device, not o.no_run))} |", flush=True)


if __name__ == "__main__":
    main()
