#!/usr/bin/env python3
"""Writes hlo/verify/forms.txt, eval/forms.txt and emit/tiles.txt in tests/: forms of HLO text with their neighbours.

    python3 tests/generate/gen_forms.py     needs numpy; with jaxlib it asks XLA's parser about each text that must be taken

Where the expectations come from
- Texts that are taken: XLA's parser takes them (this fails where it does not).
- Layouts with tiles: numpy pads, splits and transposes as XLA's page on tiled layouts describes it; nothing of xlagpu
  is asked.
- Products and sums of mixed types: numpy in f64, then rounded; the arguments are small, so that every sum is exact.
Refusals, with their places and hints, are written by hand in tests/text/hlo/verify/forms_refused.txt."""

import itertools, os
import numpy as np

HERE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "text")
try:
    from jaxlib import _hlo
except ImportError:
    _hlo = None


class File:
    refused = []

    def __init__(self, name):
        self.name, self.cases = name, []

    def add(self, run, text, want, ask=True):
        if ask and _hlo:
            try:
                _hlo.hlo_module_from_text(text)
            except Exception as e:
                File.refused.append((text, str(e)))
        self.cases.append(f"# run: {run}\n{text.rstrip()}\n----\n{want}\n")

    def write(self):
        with open(os.path.join(HERE, self.name), "w") as f:
            f.write("====\n".join(self.cases))
        print(self.name, len(self.cases))


def show(a):
    """An array as literals print: one row without blanks at its ends, further ones nested."""
    if a.ndim == 0:
        return number(a[()])
    if a.ndim == 1:
        return "{" + ", ".join(number(x) for x in a) + "}"

    def inner(x, mark, depth):
        if x.ndim == 1:
            return (
                "{" + number(x[0]) + "}"
                if x.size == 1
                else "{ " + ", ".join(number(v) for v in x) + " }" if x.size else "{}"
            )

        def below(k):
            return f"/*i{depth}={k}*/ " if a.ndim >= 4 and x.ndim > 2 else ""

        return "{ " + mark + ", ".join(inner(v, below(k), depth + 1) for k, v in enumerate(x)) + " }"

    return inner(a, "", 0)


def number(x):
    if isinstance(x, (bool, np.bool_)):
        return "1" if x else "0"
    return str(int(x)) if float(x) == int(x) else repr(float(x))


# ---- texts that must be taken ----

taken = File("hlo/verify/forms.txt")


def ok(body, before="", name="m"):
    taken.add("verify", f"HloModule {name}\n{before}ENTRY e {{\n{body}\n}}", "ok")


P = ["  a = f32[2,2] parameter(0)"]
for w in ("HIGH", "Highest", "DEFAULT", "high"):
    ok(
        P[0] + "\n  ROOT r = f32[2,2] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0},"
        f" operand_precision={{{w},{w}}}"
    )
    ok(
        "  x = f32[1,4,2] parameter(0)\n  k = f32[3,2,2] parameter(1)\n  ROOT r = f32[1,2,2] convolution(x, k),"
        f" window={{size=3}}, dim_labels=b0f_0io->b0f, operand_precision={{{w},default}}"
    )
for w in ("dot_bf16_bf16_f32", "DOT_BF16_BF16_F32", "Dot_tf32_tf32_f32_x3", "DOT_F32_F32_F32"):
    ok(P[0] + f"\n  ROOT r = f32[2,2] dot(a, a), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}, algorithm={w}")
for w in ("rng_uniform", "RNG_UNIFORM", "Rng_Normal"):
    ok(f"  a = f32[] constant(0)\n  b = f32[] constant(1)\n  ROOT r = f32[3] rng(a, b), distribution={w}")
for w in ("rng_philox", "RNG_PHILOX", "Rng_Default", "RNG_THREE_FRY"):
    ok(f"  a = u64[2] parameter(0)\n  ROOT r = (u64[2], u32[4]) rng-bit-generator(a), algorithm={w}")
for w in ("API_VERSION_TYPED_FFI", "api_version_typed_ffi", "Api_Version_Original"):
    ok(P[0] + f'\n  ROOT r = f32[2] custom-call(a), custom_call_target="f", api_version={w}')
for w in ("SCHEDULE_LATEST", "schedule_earliest", "Schedule_None"):
    ok(P[0] + f'\n  ROOT r = f32[2] custom-call(a), custom_call_target="f", schedule={w}')
for w in ("PADDING_SAME", "PADDING_VALID"):
    ok(P[0] + f'\n  ROOT r = f32[2] custom-call(a), custom_call_target="f", padding_type={w}')

LAYOUTS = [
    "{1,0:T(8,128)}",
    "{1,0:T(8,128)(2,1)}",
    "{0,1:T(4)}",
    "{1,0:T(*,128)}",
    "{1,0:T(2,2)L(64)}",
    "{1,0:L(16)}",
    "{1,0:S(1)}",
    "{0,1:S(5)}",
    "{1,0:T(8,128)S(3)}",
    "{1,0:SC(0:2)}",
    "{1,0:SC(0:1,2)(1:3)}",
    "{0,1:SC(0:5)}",
    "{0,1:SC(1:1,3)(0:5)}",
    "{1,0:T(8)M(1024)}",
    "{1,0:D(D,C)}",
    "{1,0:T(8,128)(4,1)E(32)S(5)}",
]
for l in LAYOUTS:
    t = "f32[4,6]"
    ok(f"  a = {t}{l} parameter(0)\n  ROOT r = {t}{l} negate(a)")
    ok(f"  a = {t} parameter(0)\n  c = {t}{l} copy(a)\n  ROOT r = ({t}{l}, {t}) tuple({t}{l} c, a)")
    taken.add(
        "verify",
        f"HloModule m, entry_computation_layout={{({t}{l})->{t}{l}}}\nf {{\n  p = {t}{l} parameter(0)\n  ROOT n ="
        f" {t}{l} abs(p)\n}}\nENTRY e {{\n  a = {t}{l} parameter(0)\n  ROOT r = {t}{l} fusion(a), kind=kLoop,"
        " calls=f\n}",
        "ok",
    )
for t in (
    "s4[4,6]{1,0:E(4)}",
    "u4[4,6]{0,1:E(4)}",
    "s4[4,6]{1,0:E(8)}",
    "s2[8]{0:E(2)}",
    "f4e2m1fn[8]{0:T(4)E(4)}",
    "s32[]{:T(128)}",
    "pred[6]{0:T(256)(4,1)}",
):
    ok(f"  a = {t} parameter(0)\n  ROOT r = {t} copy(a)")

ok(
    '  a = f32[2] parameter(0)\n  ROOT r = f32[2] custom-call(a), custom_call_target="f", backend_config="{\n    first:'
    ' 1,\n    second: 2}"'
)
ok(
    '  a = f32[2] parameter(0)\n  ROOT r = f32[2] custom-call(a), custom_call_target="f", backend_config={"a": {\n   '
    ' "b": 1}}'
)
ok('  a = f32[2] parameter(0), metadata={op_name="two\nlines"}\n  ROOT r = f32[2] negate(a)')
ok('  a = f32[2] parameter(0), frontend_attributes={k="one\ntwo"}\n  ROOT r = f32[2] negate(a)')
taken.add(
    "verify", "/* before\n the header */\n// and more\nHloModule m\nENTRY e {\n  ROOT a = f32[2] parameter(0)\n}", "ok"
)
taken.add(
    "verify",
    "HloModule m\n%e (%a f32[2], %b f32[]) -> f32[2] {\n  %a = f32[2] parameter(0)\n  %b = f32[] parameter(1)\n  ROOT"
    " %n = f32[2] negate(%a)\n}",
    "ok",
)
taken.add(
    "verify",
    "HloModule m\nENTRY %e (a: f32[2], %b f32[]) -> f32[2] {\n  %a = f32[2] parameter(0)\n  %b = f32[] parameter(1)\n "
    " ROOT %n = f32[2] negate(%a)\n}",
    "ok",
)
for s in (
    "{mesh['x'=8], [{'x':(1)2}, {}]}",
    "{mesh['x'=2,'y'=4], [{'x'}, {'y'}]}",
    "{mesh['x'=2,'y'=4], [{'x','y'}, {?}]}",
    "{mesh['x'=2], [{}, {}], replicated={'x'}}",
    "{devices=[2,1,2]0,1,2,3 last_tile_dims={manual}}",
    "{devices=[2,2]<=[4]}",
    "{devices=[2,1,4]<=[8] last_tile_dims={replicated}}",
    "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}",
):
    ok(f"  ROOT a = f32[8,4] parameter(0), sharding={s}")
ok("  a = s32[<=4] parameter(0)\n  ROOT r = s32[<=4] negate(s32[4] a)")
ok("  a = s32[4] parameter(0)\n  ROOT r = s32[4] negate(s32[<=4] a)")
ok("  a = (f32[2], s32[]) parameter(0)\n  ROOT r = (f32[2], s32[]) copy(a)")
ok("  a = (f32[2], (s32[], token[])) parameter(0)\n  ROOT r = (f32[2], (s32[], token[])) copy(a)")
ok(
    "  t = token[] after-all()\n  r = (f32[2], u32[], token[]) recv(t)\n  d = (f32[2], token[]) recv-done(r)\n  ROOT x"
    " = f32[2] get-tuple-element(d), index=0"
)
ok(
    "  a = f32[2] parameter(0)\n  t = token[] after-all()\n  s = (f32[2], u32[], token[]) send(a, t)\n  ROOT d ="
    " token[] send-done(s)"
)
ok("  a = f32[2] parameter(0)\n  b = s32[] parameter(1)\n  ROOT t = token[] after-all(a, b)")
ok(
    '  a = f32[4] parameter(0)\n  b = b(f32[4]) custom-call(a), custom_call_target="Pin",'
    ' output_to_operand_aliasing={{}: (0, {})}\n  ROOT u = f32[4] custom-call(b), custom_call_target="Unpin",'
    " output_to_operand_aliasing={{}: (0, {})}"
)
ok(
    '  b = b(f32[4]) custom-call(), custom_call_target="AllocateBuffer"\n  ROOT u = f32[4] custom-call(b),'
    ' custom_call_target="Unpin"'
)
ok('  a = f32[2] parameter(0)\n  ROOT r = f32[2] custom-call(a), custom_call_target="f", literal=s32[3]{0} {1, 2, 3}')
ok('  a = f32[2] parameter(0)\n  ROOT r = f32[2] custom-call(a), custom_call_target="f", literal=s32[] 7')
F = "f {\n  p = f32[2] parameter(0)\n  ROOT n = f32[2] negate(p)\n}\n"
ok("  a = f32[2] parameter(0)\n  ROOT s = ((f32[2]), f32[2], s32[]) async-start(a), calls=f", F)
ok(
    "  a = f32[2] parameter(0)\n  s = ((f32[2]), f32[2], s32[]) async-start(a), calls=f\n  d = f32[2] async-done(s)\n "
    " g = f32[2] async-done(s)\n  ROOT r = f32[2] add(d, g)",
    F,
)
ok(
    "  a = f32[2] parameter(0)\n  s = ((f32[2]), f32[2], s32[]) async-start(a), calls=f\n  u = ((f32[2]), f32[2],"
    " s32[]) async-update(s)\n  ROOT d = f32[2] async-done(u)",
    F,
)
ok(
    "  a = s32[] parameter(0)\n  s = ((s32[]), s32[], s32[]) call-start(a), to_apply={\n    b = s32[] parameter(0)\n   "
    ' ROOT c = s32[] abs(b)\n  }, async_execution_thread="host"\n  ROOT d = s32[] call-done(s)'
)
ok(
    '  a = f32[2] parameter(0)\n  s = ((f32[2]), f32[2], u32[]) custom-call-start(a), custom_call_target="HostExecute",'
    ' called_computations={h}, async_execution_thread="host"\n  ROOT d = f32[2] custom-call-done(s)',
    F.replace("f {", "h {").rstrip() + ', execution_thread="host"\n',
)
ok(
    "  a = f32[2] parameter(0)\n  ROOT r = f32[2] fusion(a), kind=kLoop, calls=f",
    "f {\n  p = f32[2] parameter(0)\n  s = f32[2] sine(p)\n  ROOT n = f32[2] negate(p)\n}\n",
)
ok(
    "  a = f32[2] parameter(0)\n  b = f32[3] parameter(1)\n  ROOT r = f32[2] fusion(a, b), kind=kLoop, calls=f",
    "f {\n  p = f32[2] parameter(0)\n  q = f32[3] parameter(1)\n  ROOT n = f32[2] negate(p)\n}\n",
)
# Outputs of a start that share memory with operands; meshes without commas.
TUPLE = "((f32[2], (f32[2], s32[])))"
for shape, operand, aliases in (
    ("((f32[2]), f32[2], s32[])", "f32[2]", "{0,0}: (0, {})"),
    ("((f32[2]), f32[2], s32[])", "f32[2]", "{1}: (0, {})"),
    ("((f32[2]), (f32[2], f32[2]), u32[])", "f32[2]", "{1,0}: (0, {}), {1,1}: (0, {})"),
    (f"({TUPLE}, f32[2], s32[])", TUPLE[1:-1], "{0,0,1,0}: (0, {1,0}), {0,0,1,1}: (0, {1,1})"),
):
    result = shape[shape.index(", (") + 2 : shape.rindex(",")] if ", (f32[2], f32" in shape else "f32[2]"
    root = "(f32[2], f32[2]) tuple(n, n)" if result != "f32[2]" else "f32[2] copy(n)"
    get = "f32[2] get-tuple-element(p), index=0" if operand != "f32[2]" else "f32[2] negate(p)"
    ok(
        f"  a = {operand} parameter(0)\n  s = {shape} async-start(a), calls=f,"
        f" output_to_operand_aliasing={{{aliases}}}\n  u = {shape} async-update(s)\n  ROOT d = {result} async-done(u)",
        f"f {{\n  p = {operand} parameter(0)\n  n = {get}\n  ROOT r = {root}\n}}\n",
    )
for s in (
    "{mesh['x'=8] [{'x':(1)2}, {'x':(2)4}]}",
    "{mesh['x'=2,'y'=4] [{'x'}, {}], replicated={'y'}}",
    "{mesh['x'=2,'y'=2] replicated}",
    "{mesh['x'=2,'y'=2,'z'=2] [{'x'}, {'y','z'}]}",
):
    ok(f"  ROOT a = f32[8,8] parameter(0), sharding={s}")
taken.write()

# ---- meaning ----

meaning, kernels = File("eval/forms.txt"), File("emit/tiles.txt")


def means(body, results, before="", args=(), header="", ask=True, run=True):
    """results: printed values. Evaluated, and run on the simulator where the module takes no arguments."""
    text = f"HloModule m{header}\n{before}ENTRY e {{\n{body}\n}}"
    want = results[0] if len(results) == 1 else "( " + ", ".join(results) + " )"
    meaning.add("eval", text + "".join(f"\n// arg: {a}" for a in args), want, ask)
    if run and not args:
        kernels.add("run", text, "\n".join(results), False)


for t, v, w in (
    ("f32[9]", "0", np.zeros(9)),
    ("s32[2,3]", "7", np.array([[7, 0, 0], [0, 0, 0]])),
    ("pred[3]", "true", np.array([1, 0, 0])),
    ("u8[4]", "255", np.array([255, 0, 0, 0])),
    ("s64[1]", "-5", np.array([-5])),
    ("bf16[2,2,1]", "1.5", np.array([[[1.5], [0]], [[0], [0]]])),
    ("f64[3]", "-2", np.array([-2, 0, 0])),
):
    means(f"  ROOT c = {t} constant({v})", [show(w)])
means("  ROOT c = u64[] constant(-1)", ["18446744073709551615"])


def tiled_flat(a, order, tiles, tail=1):
    """The elements of a in memory. order: dimensions from most major; tiles: one after another; '*' merges with the
    next."""
    x = np.transpose(a, order)
    for t in tiles:
        x = x.reshape((1,) * max(0, len(t) - x.ndim) + x.shape)
        shape, first = list(x.shape), x.ndim - len(t)
        for k in range(len(t) - 1, -1, -1):
            if t[k] == "*":
                shape[first + k : first + k + 2] = [shape[first + k] * shape[first + k + 1]]
        x, t = x.reshape(shape), [s for s in t if s != "*"]
        first = x.ndim - len(t)
        x = np.pad(x, [(0, 0)] * first + [(0, -x.shape[first + k] % s) for k, s in enumerate(t)])
        split = list(x.shape[:first])
        for k, s in enumerate(t):
            split += [x.shape[first + k] // s, s]
        x = x.reshape(split).transpose(
            list(range(first)) + [first + 2 * k for k in range(len(t))] + [first + 2 * k + 1 for k in range(len(t))]
        )
    x = x.reshape(-1)
    return np.pad(x, (0, -x.size % tail))


TILES = [
    ((3, 5), (0, 1), [(2, 4)], 1),
    ((3, 5), (1, 0), [(2, 4)], 1),
    ((4, 8), (0, 1), [(2, 4)], 1),
    ((4, 8), (0, 1), [(2, 4), (2, 1)], 1),
    ((8,), (0,), [(4,)], 1),
    ((6,), (0,), [(4,)], 1),
    ((2, 3, 4), (0, 1, 2), [(2, 2)], 1),
    ((2, 3, 4), (2, 0, 1), [(2, 2)], 1),
    ((2, 3, 4), (0, 1, 2), [(2, 2, 2)], 1),
    ((5,), (0,), [(2, 4)], 1),
    ((3, 2), (1, 0), [(4,)], 1),
    ((3, 5), (0, 1), [("*", 4)], 1),
    ((2, 3, 4), (0, 1, 2), [("*", "*", 8)], 1),
    ((3, 5), (0, 1), [], 8),
    ((3, 5), (0, 1), [(2, 4)], 32),
    ((6, 6), (0, 1), [(4, 4), (2, 2)], 1),
    ((6, 6), (0, 1), [(4, 4), (4, 1)], 1),
    ((1, 7), (1, 0), [(2, 2)], 1),
    ((), (), [(4,)], 1),
    ((2, 2, 2, 2), (3, 1, 0, 2), [(2, 3)], 1),
    ((3, 4), (0, 1), [(1, 4)], 1),
    ((5, 3), (0, 1), [(8, 128)], 1),
]
for dims, order, tiles, tail in TILES:
    n = int(np.prod(dims, dtype=int))
    d, m = ",".join(map(str, dims)), ",".join(map(str, reversed(order)))
    layout = (
        "{"
        + m
        + ":"
        + ("T" if tiles else "")
        + "".join("(" + ",".join(map(str, t)) + ")" for t in tiles)
        + (f"L({tail})" if tail > 1 else "")
        + "}"
    )
    a = np.arange(1, n + 1).reshape(dims)
    flat = tiled_flat(a, order, tiles, tail)
    if flat.size > 200:  # only there and back: the memory is wide
        means(
            f"  i = s32[{n}] iota(), iota_dimension=0\n  r = s32[{d}] reshape(i)\n  x = s32[{d}]{layout} copy(r)\n  f ="
            f" s32[{flat.size}]{{0}} bitcast(x)\n  b = s32[{d}]{layout} bitcast(f)\n  ROOT c = s32[{d}] copy(b)",
            [show(a - 1)],
        )
        continue
    back = np.zeros(dims, int)
    place = tiled_flat(np.arange(1, n + 1).reshape(dims), order, tiles, tail)
    for k, v in enumerate(place):
        if v:
            back.reshape(-1)[v - 1] = k
    means(
        f"  i = s32[{n}] iota(), iota_dimension=0\n  one = s32[] constant(1)\n  o = s32[{n}] broadcast(one),"
        f" dimensions={{}}\n  j = s32[{n}] add(i, o)\n  r = s32[{d}] reshape(j)\n  x = s32[{d}]{layout} copy(r)\n  f ="
        f" s32[{flat.size}]{{0}} bitcast(x)\n  k = s32[{flat.size}]{{0}} iota(), iota_dimension=0\n  b ="
        f" s32[{d}]{layout} bitcast(k)\n  ROOT t = tuple(f, b)",
        [show(flat), show(back)],
    )

# Memory of the layout {1,0} and of {0,1}; what stands in the layout that is written there, wherever it comes from.
A = "  i = s32[6] iota(), iota_dimension=0\n  a = s32[2,3]{1,0} reshape(i)\n"
MEMORY = {"{1,0}": np.arange(6), "{0,1}": np.arange(6).reshape(2, 3).T.reshape(-1)}


def lies(before, body, layout, sign=1):
    means(A + body, [show(sign * MEMORY[layout])], before)


# The parameter of a fusion or of a call, inside of which a bitcast stands.
for use in ("fusion(a), kind=kLoop, calls=f", "call(a), to_apply=f"):
    for inside, sign, middle in (
        ("{0,1}", 1, ""),
        ("{0,1}", -1, "  n = s32[2,3]{0,1} negate(p)\n"),
        ("{1,0}", -1, "  n = s32[2,3]{1,0} negate(p)\n"),
    ):
        lies(
            f"f {{\n  p = s32[2,3]{inside} parameter(0)\n{middle}  ROOT b = s32[6]{{0}}"
            f" bitcast({'n' if middle else 'p'})\n}}\n",
            f"  ROOT r = s32[6]{{0}} {use}",
            inside,
            sign,
        )
# Its result, which a bitcast sees: one array, or an element of a tuple at whose three places a layout is written.
for inside, outside in itertools.permutations(MEMORY, 2):
    lies(
        f"f {{\n  p = s32[2,3]{outside} parameter(0)\n  ROOT b = s32[2,3]{inside} negate(p)\n}}\n",
        f"  r = s32[2,3]{outside} fusion(a), kind=kLoop, calls=f\n  ROOT m = s32[6]{{0}} bitcast(r)",
        outside,
        -1,
    )
for made, root, result, got in itertools.product(MEMORY, repeat=4):
    lies(
        f"f {{\n  p = s32[2,3]{{1,0}} parameter(0)\n  n = s32[2,3]{made} negate(p)\n  ROOT t = (s32[2,3]{root},"
        " s32[2,3]{1,0}) tuple(n, p)\n}\n",
        f"  r = (s32[2,3]{result}, s32[2,3]{{1,0}}) fusion(a), kind=kLoop, calls=f\n  x = s32[2,3]{got}"
        " get-tuple-element(r), index=0\n  ROOT m = s32[6]{0} bitcast(x)",
        got,
        -1,
    )
# What hands on memory.
for layout in MEMORY:
    for passed in (
        "add-dependency(a, t)",
        "opt-barrier(a)",
        'domain(a), domain={kind="sharding", entry={maximal device=0}, exit={maximal device=0}}',
    ):
        lies(
            "", f"  t = token[] after-all()\n  x = s32[2,3]{layout} {passed}\n  ROOT m = s32[6]{{0}} bitcast(x)", layout
        )
    lies(
        "",
        f"  s = (s32[2,3]{layout}, s32[2,3]{{1,0}}, u32[]) copy-start(a)\n  x = s32[2,3]{layout} copy-done(s)\n  ROOT m"
        " = s32[6]{0} bitcast(x)",
        layout,
    )
    lies(
        "",
        f"  y = (s32[2,3]{{1,0}}, s32[2,3]{layout}) tuple(a, a)\n  x = s32[2,3]{layout} get-tuple-element(y), index=0\n"
        "  ROOT m = s32[6]{0} bitcast(x)",
        layout,
    )
    lies(
        f"f {{\n  ROOT p = s32[2,3]{{0,1}} parameter(0)\n}}\ng {{\n  ROOT p = s32[2,3]{{1,0}} parameter(0)\n}}\n",
        f"  c = pred[] constant(true)\n  x = s32[2,3]{layout} conditional(c, a, a), true_computation=f,"
        " false_computation=g\n  ROOT m = s32[6]{0} bitcast(x)",
        layout,
    )

# Fusions that no kernel can be.
C = "  c = s32[3] constant({1, 2, 3})\n"
means(
    C + "  t = (s32[3], s32[3]) tuple(c, c)\n  ROOT r = s32[3] fusion(t), kind=kLoop, calls=f",
    ["{2, 4, 6}"],
    "f {\n  p = (s32[3], s32[3]) parameter(0)\n  a = s32[3] get-tuple-element(p), index=0\n  b = s32[3]"
    " get-tuple-element(p), index=1\n  ROOT s = s32[3] add(a, b)\n}\n",
)
means(
    C + "  ROOT r = s32[3] map(c), dimensions={0}, to_apply=g",
    ["{1, 4, 9}"],
    "f {\n  p = s32[] parameter(0)\n  ROOT s = s32[] multiply(p, p)\n}\ng {\n  p = s32[] parameter(0)\n  ROOT s = s32[]"
    " fusion(p), kind=kLoop, calls=f\n}\n",
)
means(
    C + "  r = (s32[3], token[]) fusion(c), kind=kLoop, calls=f\n  ROOT x = s32[3] get-tuple-element(r), index=0",
    ["{-1, -2, -3}"],
    "f {\n  p = s32[3] parameter(0)\n  n = s32[3] negate(p)\n  t = token[] after-all()\n  ROOT s = (s32[3], token[])"
    " tuple(n, t)\n}\n",
)
means(
    C + "  ROOT r = s32[3] fusion(c), kind=kLoop, calls=f",
    ["{-1, -2, -3}"],
    "f {\n  p = s32[3] parameter(0)\n  s = s32[3] multiply(p, p)\n  ROOT n = s32[3] negate(p)\n}\n",
)
means(
    C + "  ROOT r = s32[3] fusion(c), kind=kLoop, calls=f",
    ["{1, 2, 4}"],
    "c {\n  p = (s32[3], s32[]) parameter(0)\n  k = s32[] get-tuple-element(p), index=1\n  n = s32[] constant(1)\n "
    " ROOT l = pred[] compare(k, n), direction=LT\n}\nb {\n  p = (s32[3], s32[]) parameter(0)\n  x = s32[3]"
    " get-tuple-element(p), index=0\n  k = s32[] get-tuple-element(p), index=1\n  one = s32[] constant(1)\n  n = s32[]"
    " add(k, one)\n  i = s32[3] constant({0, 0, 1})\n  y = s32[3] add(x, i)\n  ROOT t = (s32[3], s32[]) tuple(y,"
    " n)\n}\nf {\n  p = s32[3] parameter(0)\n  z = s32[] constant(0)\n  t = (s32[3], s32[]) tuple(p, z)\n  w = (s32[3],"
    " s32[]) while(t), condition=c, body=b\n  ROOT x = s32[3] get-tuple-element(w), index=0\n}\n",
)

# Copies of tuples, starts used anywhere, pinned buffers, other threads.
means(
    C + "  t = (s32[3], s32[3]) tuple(c, c)\n  u = (s32[3], s32[3]) copy(t)\n  ROOT r = s32[3] get-tuple-element(u),"
    " index=1",
    ["{1, 2, 3}"],
)
means(
    C + "  z = s32[] constant(4)\n  t = (s32[3], (s32[], s32[3])) tuple(c, (s32[], s32[3]) tuple(z, c))\n  u = (s32[3],"
    " (s32[], s32[3])) copy(t)\n  v = (s32[], s32[3]) get-tuple-element(u), index=1\n  ROOT r = s32[]"
    " get-tuple-element(v), index=0",
    ["4"],
)
N = "f {\n  p = s32[3] parameter(0)\n  ROOT n = s32[3] negate(p)\n}\n"
means(
    C + "  s = ((s32[3]), s32[3], u32[]) async-start(c), calls=f\n  d = s32[3] async-done(s)\n  g = s32[3]"
    " async-done(s)\n  ROOT r = s32[3] add(d, g)",
    ["{-2, -4, -6}"],
    N,
)
means(
    C + "  s = ((s32[3]), s32[3], u32[]) async-start(c), calls=f\n  a = (s32[3]) get-tuple-element(s), index=0\n  b ="
    " s32[3] get-tuple-element(a), index=0\n  d = s32[3] get-tuple-element(s), index=1\n  ROOT r = s32[3]"
    " subtract(b, d)",
    ["{2, 4, 6}"],
    N,
)
means(
    C + "  s = ((s32[3]), s32[3]) negate-start(c)\n  u = ((s32[3]), s32[3]) negate-update(s)\n  ROOT d = s32[3]"
    " negate-done(u)",
    ["{-1, -2, -3}"],
)
means(
    C + '  b = b(s32[3]) custom-call(c), custom_call_target="Pin", output_to_operand_aliasing={{}: (0, {})}\n'
    '  ROOT u = s32[3] custom-call(b), custom_call_target="Unpin", output_to_operand_aliasing={{}: (0, {})}',
    ["{1, 2, 3}"],
)
means(
    '  b = b(s32[3]) custom-call(), custom_call_target="CreateBuffer"\n  ROOT u = s32[3] custom-call(b),'
    ' custom_call_target="Unpin"',
    ["{0, 0, 0}"],
)
means(
    C + '  s = ((s32[3]), s32[3], u32[]) async-start(c), calls=f, async_execution_thread="host"\n  ROOT d = s32[3]'
    " async-done(s)",
    ["{-1, -2, -3}"],
    N.rstrip() + ', execution_thread="host"\n',
)
means(
    C
    + '  s = ((s32[3]), s32[3], u32[]) custom-call-start(c), custom_call_target="HostExecute", called_computations={f},'
    ' async_execution_thread="host"\n  ROOT d = s32[3] custom-call-done(s)',
    ["{-1, -2, -3}"],
    N.rstrip() + ', execution_thread="host"\n',
)

# What is gathered from nothing is zero.
means(
    "  a = s32[0,2] constant({})\n  i = s32[3] constant({0, 1, 2})\n  ROOT g = s32[3,2] gather(a, i), offset_dims={1},"
    " collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={0,2}",
    [show(np.zeros((3, 2)))],
)
means(
    "  a = f32[0] constant({})\n  i = s32[2,1] constant({{5}, {-1}})\n  ROOT g = f32[2] gather(a, i), offset_dims={},"
    " collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={0}",
    ["{0, 0}"],
)
means(
    "  a = s32[3,0] constant({{}, {}, {}})\n  i = s32[2] constant({0, 2})\n  ROOT g = s32[2,0] gather(a, i),"
    " offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,0}",
    ["{ {}, {} }"],
)


# Parts of arrays without elements, and what stands around them.
def empty(*dims):
    return show(np.zeros(dims, int))


Z = "  a = s32[0,4] constant({})\n  b = s32[4,0] constant({{}, {}, {}, {}})\n  i = s32[] constant(3)\n"
for body, want in (
    ("s32[0,2] slice(a), slice={[0:0], [1:3]}", empty(0, 2)),
    ("s32[2,0] slice(b), slice={[0:4:2], [0:0]}", empty(2, 0)),
    ("s32[0,4] dynamic-slice(a, i, i), dynamic_slice_sizes={0,4}", empty(0, 4)),
    ("s32[2,0] dynamic-slice(b, i, i), dynamic_slice_sizes={2,0}", empty(2, 0)),
    ("s32[0,4] dynamic-update-slice(a, a, i, i)", empty(0, 4)),
    ("s32[4,0] dynamic-update-slice(b, b, i, i)", empty(4, 0)),
    ("s32[2,4] pad(a, i), padding=1_1x0_0", show(np.full((2, 4), 3))),
    ("s32[4,3] pad(b, i), padding=0_0x2_1", show(np.full((4, 3), 3))),
    ("s32[0,4] concatenate(a, a), dimensions={0}", empty(0, 4)),
    ("s32[4,0] transpose(a), dimensions={1,0}", empty(4, 0)),
    ("s32[0,4] reverse(a), dimensions={0,1}", empty(0, 4)),
    ("s32[3,0] reshape(b)", empty(3, 0)),
    ("s32[0,5] broadcast(i), dimensions={}", empty(0, 5)),
    ("s32[4,4] dot(b, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}", show(np.zeros((4, 4), int))),
):
    means(Z + f"  ROOT r = {body}", [want])


# Integers of a few bits are taken modulo their number of values.
def wrap(x, t):
    bits = int(t[1:])
    x = np.asarray(x) & (1 << bits) - 1
    return np.where((t[0] == "s") & (x >= 1 << bits - 1), x - (1 << bits), x)


for t in ("s4", "u4", "s2", "u2"):
    x, y = wrap(np.arange(8) * 3 + 5, t), wrap(7 - np.arange(8), t)
    X = f"  x = {t}[8] constant({show(x)})\n  y = {t}[8] constant({show(y)})\n"
    for op, w in (
        ("add(x, y)", x + y),
        ("subtract(x, y)", x - y),
        ("multiply(x, y)", x * y),
        ("negate(x)", -x),
        ("maximum(x, y)", np.maximum(x, y)),
        ("xor(x, y)", x ^ y),
        ("not(x)", ~x),
    ):
        means(X + f"  ROOT r = {t}[8] {op}", [show(wrap(w, t))])
    means(X + f"  c = {t}[8] multiply(x, y)\n  ROOT r = s32[8] convert(c)", [show(wrap(x * y, t))])
    means(
        X + f"  z = {t}[] constant(1)\n  ROOT r = {t}[] reduce(x, z), dimensions={{0}}, to_apply=add",
        [show(wrap(x.sum() + 1, t))],
        f"add {{\n  p = {t}[] parameter(0)\n  q = {t}[] parameter(1)\n  ROOT s = {t}[] add(p, q)\n}}\n",
    )
    means(
        X + f"  ROOT r = {t}[] dot(x, y), lhs_contracting_dims={{0}}, rhs_contracting_dims={{0}}",
        [show(wrap((x * y).sum(), t))],
    )
    means(f"  ROOT r = {t}[40] iota(), iota_dimension=0", [show(wrap(np.arange(40), t))])

# Memory of the host: arrays stay where the module says.
B = "  b = s32[3] constant({1, 2, 3})\n"
for body in (
    "  h = s32[3]{0:S(5)} copy(b)\n  d = s32[3]{0} copy(h)\n  ROOT r = s32[3] add(d, d)",
    (
        "  s = (s32[3]{0:S(5)}, s32[3]{0}, u32[]) copy-start(b)\n  h = s32[3]{0:S(5)} copy-done(s)\n  t = (s32[3]{0},"
        " s32[3]{0:S(5)}, u32[]) copy-start(h)\n  d = s32[3]{0} copy-done(t)\n  ROOT r = s32[3] add(d, b)"
    ),
    (
        '  h = s32[3] custom-call(b), custom_call_target="MoveToHost"\n  d = s32[3] custom-call(h),'
        ' custom_call_target="MoveToDevice"\n  ROOT r = s32[3] add(d, b)'
    ),
    (
        '  h = s32[3] custom-call(b), custom_call_target="annotate_device_placement",'
        ' frontend_attributes={_xla_buffer_placement="pinned_host"}\n  d = s32[3] custom-call(h),'
        ' custom_call_target="annotate_device_placement", frontend_attributes={_xla_buffer_placement="device"}\n  ROOT'
        " r = s32[3] add(d, b)"
    ),
    "  h = s32[3]{0:S(1)} copy(b)\n  ROOT r = s32[3] add(h, h)",
):
    means(B + body, ["{2, 4, 6}"])

# A scatter whose promise of unique indices is broken by those beyond the array only: they write nothing.
for first, promise in itertools.product(
    (0, 2), ("unique_indices=true", "unique_indices=true, indices_are_sorted=true", "unique_indices=false")
):
    means(
        f"  a = s32[4] constant({{1, 2, 3, 4}})\n  i = s32[4,1] constant({{{{{first}}}, {{4}}, {{4}}, {{9}}}})\n  u ="
        " s32[4] constant({10, 20, 30, 40})\n  ROOT s = s32[4] scatter(a, i, u), update_window_dims={},"
        f" inserted_window_dims={{0}}, scatter_dims_to_operand_dims={{0}}, index_vector_dim=1, {promise}, to_apply=add",
        [show(np.array([1, 2, 3, 4]) + 10 * (np.arange(4) == first))],
        "add {\n  p = s32[] parameter(0)\n  q = s32[] parameter(1)\n  ROOT s = s32[] add(p, q)\n}\n",
    )

# Products and sums whose types differ.
L, R = np.array([[1, -2, 3], [2, 0, 1]]), np.array([[1, 2], [0, 3], [-1, 1]])
X = L @ R
for lt, rt, t in (
    ("f32", "f32", "s32"),
    ("f32", "f32", "pred"),
    ("f32", "f32", "s8"),
    ("bf16", "bf16", "f32"),
    ("f32", "f32", "bf16"),
    ("f32", "f32", "f64"),
    ("bf16", "f32", "f32"),
    ("f16", "bf16", "f32"),
    ("s8", "s8", "s32"),
    ("s8", "bf16", "bf16"),
    ("s32", "f32", "f32"),
    ("f64", "f32", "s64"),
    ("f16", "f16", "s16"),
    ("s16", "s16", "f32"),
):
    w = X != 0 if t == "pred" else X
    means(
        f"  a = {lt}[2,3] constant({show(L)})\n  b = {rt}[3,2] constant({show(R)})\n  ROOT d = {t}[2,2] dot(a, b),"
        " lhs_contracting_dims={1}, rhs_contracting_dims={0}",
        [show(w)],
    )
for lt, t in (("f32", "s32"), ("bf16", "f32"), ("f32", "pred"), ("f32", "f16")):
    w = np.array([[[1 - 2], [2 + 3], [3 - 1], [-1 + 4]]])
    means(
        f"  x = {lt}[1,5,1] constant({{{{{{1}}, {{-2}}, {{2}}, {{3}}, {{0}}}}}})\n  k = {lt}[2,1,1]"
        f" constant({{{{{{1}}}}, {{{{1}}}}}})\n  ROOT c = {t}[1,4,1] convolution(x, k), window={{size=2}},"
        " dim_labels=b0f_0io->b0f",
        [show((np.array([[[-1], [0], [5], [3]]]) != 0) if t == "pred" else np.array([[[-1], [0], [5], [3]]]))],
    )
for t, it, rt in (
    ("f32", "f32", "bf16"),
    ("bf16", "f32", "f32"),
    ("f16", "f16", "f32"),
    ("f64", "f32", "f64"),
    ("f32", "f64", "f32"),
):
    add = f"add {{\n  p = {rt}[] parameter(0)\n  q = {rt}[] parameter(1)\n  ROOT s = {rt}[] add(p, q)\n}}\n"
    means(
        f"  x = {t}[2,3] constant({{{{1, 2, 3}}, {{4, -5, 6}}}})\n  z = {it}[] constant(1)\n  ROOT r = {rt}[2]"
        " reduce(x, z), dimensions={1}, to_apply=add",
        ["{7, 6}"],
        add,
    )
    means(
        f"  x = {t}[4] constant({{1, 2, 3, -4}})\n  z = {it}[] constant(1)\n  ROOT r = {rt}[3] reduce-window(x, z),"
        " window={size=2}, to_apply=add",
        ["{4, 6, 0}"],
        add,
    )
one = (
    "add {\n  p = s32[] parameter(0)\n  q = s32[] parameter(1)\n  s = s32[] add(p, q)\n  ROOT t = (s32[]) tuple(s)\n}\n"
)
means(
    "  x = s32[2,3] constant({{1, 2, 3}, {4, 5, 6}})\n  z = s32[] constant(0)\n  r = (s32[2]) reduce(x, z),"
    " dimensions={1}, to_apply=add\n  ROOT g = s32[2] get-tuple-element(r), index=0",
    ["{6, 15}"],
    one,
)
means(
    "  x = s32[4] constant({1, 2, 3, 4})\n  z = s32[] constant(0)\n  r = (s32[4]) reduce-window(x, z), window={size=1},"
    " to_apply=add\n  ROOT g = s32[4] get-tuple-element(r), index=0",
    ["{1, 2, 3, 4}"],
    one,
)
meaning.write()
kernels.write()
for text, why in File.refused:
    print("XLA refuses this:\n" + text + "\n" + why)
raise SystemExit(len(File.refused) > 0)
