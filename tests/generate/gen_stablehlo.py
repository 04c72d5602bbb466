#!/usr/bin/env python3
"""Writes tests/text/import/values.txt: operations of StableHLO on small integers, what they give computed by NumPy.

    python3 tests/generate/gen_stablehlo.py      needs numpy

Every program is made of constants and gives one flat list. Pretty and generic forms take turns."""
import itertools, os
import numpy as np

HERE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "text", "import", "values.txt")
rng = np.random.RandomState(7)
cases = []
TYPE = {"int32": "i32", "uint32": "ui32", "bool": "i1", "float32": "f32", "int8": "i8", "int64": "i64"}


def type_of(a):
    return "tensor<" + "".join(f"{d}x" for d in a.shape) + TYPE[a.dtype.name] + ">"


def dense(a):
    def text(v):
        if isinstance(v, list):
            return "[" + ", ".join(map(text, v)) + "]"
        return str(v).lower() if isinstance(v, bool) else f"{v:e}" if isinstance(v, float) else str(v)
    return f"dense<{text(a.tolist())}> : {type_of(a)}"


def ints(*shape, low=-9, high=10, dtype=np.int32):
    return rng.randint(low, high, size=shape).astype(dtype)


def add(what, operands, body, want):
    """body: lines that define %r from %0, %1 ...; want: its value."""
    want = np.asarray(want)
    lines = [f"// {what}", "func.func @main() -> " + type_of(want.reshape(-1)) + " {"]
    lines += [f"  %{k} = stablehlo.constant {dense(np.asarray(a))}" for k, a in enumerate(operands)]
    lines += ["  " + l for l in body.splitlines()]
    lines += [f"  %flat = stablehlo.reshape %r : ({type_of(want)}) -> {type_of(want.reshape(-1))}",
              f"  return %flat : {type_of(want.reshape(-1))}", "}"]
    flat = [int(v) for v in want.reshape(-1)]
    cases.append("# run: import eval\n" + "\n".join(lines) + "\n----\n{" + ", ".join(map(str, flat)) + "}\n")


def op(name, operands, want, attrs="", pretty=None, what=None, region=""):
    """One operation, in its pretty form if that is given and it is its turn."""
    operands, want = [np.asarray(a) for a in operands], np.asarray(want)
    types = f"({', '.join(type_of(a) for a in operands)}) -> {type_of(want)}"
    values = ", ".join(f"%{k}" for k in range(len(operands)))
    text = f'%r = "stablehlo.{name}"({values}){" <{" + attrs + "}>" if attrs else ""}{region} : {types}'
    if pretty is not None and len(cases) % 2:
        text = f"%r = stablehlo.{name} {values}{pretty} : {types}"
    add(what or name, operands, text, want)


def reducer(name, t="i32"):
    return (" ({\n^bb0(%a: tensor<T>, %b: tensor<T>):\n  %s = stablehlo.NAME %a, %b : tensor<T>\n"
            "  stablehlo.return %s : tensor<T>\n})").replace("NAME", name).replace("<T>", f"<{t}>")


def array(v):
    return "array<i64: " + ", ".join(map(str, v)) + ">" if len(v) else "array<i64>"


def elementwise():
    for name, f in {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "maximum": np.maximum,
                    "minimum": np.minimum, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
                    "shift_left": np.left_shift, "shift_right_arithmetic": np.right_shift}.items():
        a, b = ints(2, 3), ints(2, 3, low=0, high=5)
        op(name, [a, b], f(a, b), pretty="")
    for name, f in {"abs": np.abs, "negate": np.negative, "not": np.invert, "sign": np.sign}.items():
        a = ints(4)
        op(name, [a], f(a), pretty="")
    a, b = ints(6), np.array([1, -2, 3, -4, 5, -6], np.int32)
    op("divide", [a, b], np.trunc(a / b).astype(np.int32), what="division rounds towards zero")
    op("remainder", [a, b], np.fmod(a, b), what="a remainder has the dividend's sign")
    a = ints(5, low=0, high=2 ** 31 - 1)
    op("popcnt", [a], np.array([bin(v).count("1") for v in a], np.int32), pretty="")
    op("count_leading_zeros", [a], np.array([32 - int(v).bit_length() for v in a], np.int32), pretty="")
    for name, f in {"EQ": np.equal, "NE": np.not_equal, "LT": np.less, "LE": np.less_equal, "GT": np.greater,
                    "GE": np.greater_equal}.items():
        for dtype, kind in ((np.int32, "SIGNED"), (np.uint32, "UNSIGNED")):
            a, b = ints(5, low=0, high=3, dtype=dtype), ints(5, low=0, high=3, dtype=dtype)
            add(f"compare {name}, {kind}", [a, b], f"%r = stablehlo.compare {name}, %0, %1, {kind} : "
                f"({type_of(a)}, {type_of(b)}) -> tensor<5xi1>", f(a, b))
    a, b, p = ints(2, 2), ints(2, 2), np.array([[True, False], [False, True]])
    op("select", [p, a, b], np.where(p, a, b))
    op("select", [np.array(False), a, b], b, what="select by one predicate")
    op("clamp", [np.int32(-2), a, np.int32(3)], np.clip(a, -2, 3), what="clamp between scalars")
    a = ints(4, low=-300, high=300)
    add("convert to fewer bits", [a], f"%n = stablehlo.convert %0 : ({type_of(a)}) -> tensor<4xi8>\n"
        "%r = stablehlo.convert %n : (tensor<4xi8>) -> tensor<4xi32>", a.astype(np.int8).astype(np.int32))
    a = ints(3, low=-128, high=127, dtype=np.int8)
    add("the same bits, unsigned", [a], "%n = stablehlo.bitcast_convert %0 : (tensor<3xi8>) -> tensor<3xui8>\n"
        "%r = stablehlo.convert %n : (tensor<3xui8>) -> tensor<3xi32>", a.view(np.uint8).astype(np.int32))


def movement():
    for dims, shape in (((0,), (3, 2)), ((1,), (2, 3)), ((0, 2), (3, 2, 4)), ((1, 0), (4, 3)), ((), (2, 2))):
        small = ints(*[shape[d] for d in dims])
        full = small.transpose(np.argsort(dims)) if dims else small
        want = np.broadcast_to(full.reshape([shape[d] if d in dims else 1 for d in range(len(shape))]), shape)
        op("broadcast_in_dim", [small], want, f"broadcast_dimensions = {array(dims)}", f", dims = {list(dims)}")
    a = ints(1, 3)
    op("broadcast_in_dim", [a], np.repeat(a, 2, 0), "broadcast_dimensions = array<i64: 0, 1>", ", dims = [0, 1]",
       "a dimension of size 1 grows")
    for perm in itertools.permutations(range(3)):
        a = ints(2, 3, 4)
        op("transpose", [a], a.transpose(perm), f"permutation = {array(perm)}", f", dims = {list(perm)}")
    for dims in ((0,), (1,), (0, 1)):
        a = ints(2, 3)
        op("reverse", [a], np.flip(a, dims), f"dimensions = {array(dims)}", f", dims = {list(dims)}")
    for s in (((0, 2, 1), (1, 3, 1)), ((0, 3, 2), (0, 4, 3)), ((1, 1, 1), (0, 4, 1)), ((2, 3, 1), (3, 4, 1))):
        a = ints(3, 4)
        want = a[tuple(slice(*d) for d in s)]
        text = ", ".join(f"{x}:{y}" + (f":{z}" if z > 1 else "") for x, y, z in s)
        add("slice", [a], f"%r = stablehlo.slice %0 [{text}] : ({type_of(a)}) -> {type_of(want)}", want)
    for low, high, inner in ((1, 2, 0), (0, 1, 2), (-1, 0, 0), (2, -1, 1), (0, -2, 0)):
        a = ints(4)
        wide = np.full(4 + 3 * inner, 7, np.int32)
        wide[:: inner + 1] = a
        wide = np.concatenate([np.full(max(low, 0), 7), wide[max(-low, 0):], np.full(max(high, 0), 7)])
        want = wide[: len(wide) + min(high, 0)].astype(np.int32)
        op("pad", [a, np.int32(7)], want, f"edge_padding_low = array<i64: {low}>, edge_padding_high = "
           f"array<i64: {high}>, interior_padding = array<i64: {inner}>",
           f", low = [{low}], high = [{high}], interior = [{inner}]")
    for dim in (0, 1):
        a, b = ints(2, 2), ints(2, 2)
        op("concatenate", [a, b], np.concatenate([a, b], dim), f"dimension = {dim} : i64", f", dim = {dim}")
    for start in (0, 2, 9, -3):
        a, at = ints(5), min(max(start, 0), 3)
        op("dynamic_slice", [a, np.int32(start)], a[at: at + 2], "slice_sizes = array<i64: 2>", ", sizes = [2]",
           f"a slice from {start} on, moved inside")
        b, want = ints(2), a.copy()
        want[at: at + 2] = b
        op("dynamic_update_slice", [a, b, np.int32(start)], want, pretty="", what=f"an update at {start}, moved inside")
    for dim in (0, 1):
        want = np.indices((2, 3))[dim].astype(np.int32)
        add("iota", [], f"%r = stablehlo.iota dim = {dim} : tensor<2x3xi32>", want)
    a, rows = ints(4, 3), np.array([[2], [0], [3]], np.int32)
    op("gather", [a, rows], a[rows[:, 0]], "dimension_numbers = #stablehlo.gather<offset_dims = [1], "
       "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>",
       what="rows by their numbers")
    a, rows, b = ints(4, 2), np.array([[2], [0], [2]], np.int32), ints(3, 2)
    want = a.copy()
    np.add.at(want, rows[:, 0], b)
    op("scatter", [a, rows, b], want, "scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], "
       "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>",
       what="sums into rows, one of them twice", region=reducer("add"))


def contraction():
    a, b = ints(3, 4), ints(4, 2)
    op("dot_general", [a, b], a @ b, "dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], "
       "rhs_contracting_dimensions = [0]>", ", contracting_dims = [1] x [0]")
    op("dot", [a, b], a @ b, pretty="")
    a, b = ints(2, 3, 4), ints(2, 4, 2)
    for _ in range(2):
        op("dot_general", [a, b], a @ b, "dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], "
           "rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>",
           ", batching_dims = [0] x [0], contracting_dims = [2] x [1]", "products of matrices in batches")
    a, b = ints(1, 5, 1), ints(3, 1, 2)
    want = np.array([[np.correlate(a[0, :, 0], b[:, 0, k]) for k in range(2)]]).transpose(0, 2, 1).astype(np.int32)
    add("convolution of one dimension", [a, b], "%r = stablehlo.convolution(%0, %1) dim_numbers = [b, 0, f]x[0, i, o]->"
        "[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
        f"({type_of(a)}, {type_of(b)}) -> {type_of(want)}", want)
    for name, f, init in (("add", np.sum, 0), ("maximum", np.max, -99), ("multiply", np.prod, 1),
                          ("minimum", np.min, 99)):
        for dims in ((0,), (1,), (0, 1)):
            a = ints(2, 3, low=-4, high=5)
            want = np.asarray(f(a, axis=dims)).astype(np.int32)
            if len(cases) % 2:
                add(f"reduce by {name}, short form", [a, np.int32(init)],
                    f"%r = stablehlo.reduce(%0 init: %1) applies stablehlo.{name} across dimensions = {list(dims)} : "
                    f"({type_of(a)}, tensor<i32>) -> {type_of(want)}", want)
            else:
                op("reduce", [a, np.int32(init)], want, f"dimensions = {array(dims)}", region=reducer(name))
    a = ints(6)
    want = np.array([a[k: k + 3].sum() for k in range(0, 4, 2)], np.int32)
    op("reduce_window", [a, np.int32(0)], want, "window_dimensions = array<i64: 3>, window_strides = array<i64: 2>, "
       "padding = dense<[[0, -1]]> : tensor<1x2xi64>", region=reducer("add"), what="sums of windows, the last cut off")
    want = np.array([np.concatenate([[0], a, [0]])[k: k + 3].max() for k in range(6)], np.int32)
    op("reduce_window", [a, np.int32(0)], np.maximum(want, 0), "window_dimensions = array<i64: 3>, padding = "
       "dense<1> : tensor<1x2xi64>", region=reducer("maximum"), what="largest of windows, padded")
    for direction, want in (("LT", np.sort(a)), ("GT", np.sort(a)[::-1])):
        op("sort", [a], want, "dimension = 0 : i64, is_stable = true", what=f"sort, {direction}", region=
           " ({\n^bb0(%a: tensor<i32>, %b: tensor<i32>):\n  %s = stablehlo.compare " + direction + ", %a, %b, SIGNED : "
           "(tensor<i32>, tensor<i32>) -> tensor<i1>\n  stablehlo.return %s : tensor<i1>\n})")
    a, b = ints(4), ints(4)
    op("map", [a, b], a * b, "dimensions = array<i64: 0>", region=reducer("multiply"))


def control():
    for p in (True, False):
        a, b = ints(3), ints(3)
        add(f"if, {p}", [np.array(p), a, b], '%r = "stablehlo.if"(%0) ({\n  %s = stablehlo.add %1, %2 : tensor<3xi32>\n'
            "  stablehlo.return %s : tensor<3xi32>\n}, {\n  stablehlo.return %2 : tensor<3xi32>\n}) : "
            "(tensor<i1>) -> tensor<3xi32>", a + b if p else b)
    for k in (0, 1, 2, -1):
        a = ints(3)
        add(f"case {k}: what is out of range is the last", [np.int32(k), a], '%r = "stablehlo.case"(%0) ({\n'
            "  stablehlo.return %1 : tensor<3xi32>\n}, {\n  %s = stablehlo.negate %1 : tensor<3xi32>\n"
            "  stablehlo.return %s : tensor<3xi32>\n}) : (tensor<i32>) -> tensor<3xi32>", a if k == 0 else -a)
    for n in (0, 5):
        a = ints(2)
        add(f"a loop of {n} rounds", [np.int32(n), np.int32(0), np.int32(1), a],
            "%w:2 = stablehlo.while(%i = %1, %x = %3) : tensor<i32>, tensor<2xi32>\ncond {\n"
            "  %p = stablehlo.compare LT, %i, %0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
            "  stablehlo.return %p : tensor<i1>\n} do {\n  %j = stablehlo.add %i, %2 : tensor<i32>\n"
            "  %y = stablehlo.add %x, %x : tensor<2xi32>\n  stablehlo.return %j, %y : tensor<i32>, tensor<2xi32>\n}\n"
            "%r = stablehlo.negate %w#1 : tensor<2xi32>", -(a * 2 ** n))
    a = ints(2)
    add("a loop whose only state is handed on", [a, np.array(False)], "%r = stablehlo.while(%x = %0) : tensor<2xi32>\n"
        "cond {\n  stablehlo.return %1 : tensor<i1>\n} do {\n  stablehlo.return %x : tensor<2xi32>\n}", a)
    a, b = ints(2), ints(2)
    add("a tuple", [a, b], "%t = stablehlo.tuple %0, %1 : tuple<tensor<2xi32>, tensor<2xi32>>\n%r = "
        "stablehlo.get_tuple_element %t[1] : (tuple<tensor<2xi32>, tensor<2xi32>>) -> tensor<2xi32>", b)
    q = "tensor<3x!quant.uniform<i8:f32, 0.5:3>>"
    a, b = np.array([1.5, -2.0, 60.0], np.float32), np.array([0.25, 1.0, 9.0], np.float32)
    stored = [np.clip(np.round(v / 0.5) + 3, -128, 127) for v in (a, b)]
    want = np.clip(np.round(sum((s - 3) * 0.5 for s in stored) / 0.5) + 3, -128, 127)
    add("a sum of quantised numbers, rounded and cut off", [a, b], "\n".join(
        f"%q{k} = stablehlo.uniform_quantize %{k} : (tensor<3xf32>) -> {q}" for k in (0, 1)) +
        f"\n%s = stablehlo.add %q0, %q1 : {q}\n%n = stablehlo.bitcast_convert %s : ({q}) -> tensor<3xi8>\n"
        "%r = stablehlo.convert %n : (tensor<3xi8>) -> tensor<3xi32>", want.astype(np.int32))


elementwise()
movement()
contraction()
control()
with open(HERE, "w") as f:
    f.write("====\n".join(cases))
print(len(cases), "cases")
