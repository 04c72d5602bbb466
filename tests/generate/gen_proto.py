#!/usr/bin/env python3
"""Writes tests/text/import/protos.txt: HLO modules as XLA's protobuf beside the text of the same module.

    python3 tests/generate/gen_proto.py [CORPUS OUT]     needs jaxlib

Both come from XLA, so "same" says that xlagpu reads in the bytes what it reads in the text. What XLA no longer writes
(wrappers, unpacked lists, old opcodes) is made of its bytes here. With two folders it also writes OUT/NAME.pb for each
CORPUS/NAME.hlo."""

import glob, os, sys
from jaxlib import _hlo

HERE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "text", "import", "protos.txt")

# ---- the wire format, as far as rewriting needs it


def varint(v):
    out = b""
    v &= 2**64 - 1
    while v > 127:
        out += bytes([v & 127 | 128])
        v >>= 7
    return out + bytes([v])


def message(number, payload):
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def number(field, v):
    return varint(field << 3) + varint(v)


def read_varint(b, at):
    v = shift = 0
    while True:
        v |= (b[at] & 127) << shift
        shift += 7
        at += 1
        if b[at - 1] < 128:
            return v, at


def fields(b):
    at = 0
    while at < len(b):
        tag, at = read_varint(b, at)
        if tag & 7 == 0:
            v, at = read_varint(b, at)
        else:
            n, at = (read_varint(b, at)) if tag & 7 == 2 else (4 if tag & 7 == 5 else 8, at)
            v = b[at : at + n]
            at += n
        yield tag, v


def rebuild(b, change):
    """The message with each (tag, value) as change(tag, value) gives it: bytes, or None to leave it as it is."""
    out = b""
    for tag, v in fields(b):
        new = change(tag, v)
        plain = v if isinstance(v, bytes) else varint(v)
        out += new if new is not None else varint(tag) + (varint(len(v)) if tag & 7 == 2 else b"") + plain
    return out


def instructions(b, change):
    """The module with each instruction as change(bytes) gives it."""
    comp = lambda tag, v: message(2, change(v)) if tag == 2 << 3 | 2 else None
    return rebuild(b, lambda tag, v: message(3, rebuild(v, comp)) if tag == 3 << 3 | 2 else None)


def unpacked(inst):
    """Operand ids and dimensions one by one, as writers before packed lists have them."""
    def one(tag, v):
        if tag not in (36 << 3 | 2, 14 << 3 | 2):
            return None
        out, at = b"", 0
        while at < len(v):
            n, at = read_varint(v, at)
            out += number(tag >> 3, n)
        return out
    return rebuild(inst, one)


def reversed_fields(inst):
    parts = [rebuild(inst, lambda tag, v, k=k, c=[-1]: (c.__setitem__(0, c[0] + 1), None if c[0] == k else b"")[1])
             for k in range(sum(1 for _ in fields(inst)))]
    return b"".join(reversed(parts))


def old_compare(inst):
    if b"compare" not in inst:
        return inst
    drop = lambda tag, v: message(2, b"less-than") if tag == 2 << 3 | 2 else b"" if tag >> 3 in (63, 72) else None
    return rebuild(inst, drop)


def old_ids(inst):
    """Ids that are unique in the module and have no computation above them."""
    def one(tag, v):
        if tag == 35 << 3:
            return number(35, (v & 0xFFFFFFFF) + 1000)
        if tag == 36 << 3 | 2:
            out, at = b"", 0
            while at < len(v):
                n, at = read_varint(v, at)
                out += varint((n & 0xFFFFFFFF) + 1000)
            return message(36, out)
        return None
    made = rebuild(inst, one)
    return made if any(tag == 35 << 3 for tag, _ in fields(inst)) else made + number(35, 1000)


def old_roots(b):
    root = lambda tag, v: number(6, (v & 0xFFFFFFFF) + 1000) if tag == 6 << 3 else None
    def comp(v):
        made = rebuild(v, root)
        return made if any(tag == 6 << 3 for tag, _ in fields(v)) else made + number(6, 1000)
    return rebuild(b, lambda tag, v: message(3, comp(v)) if tag == 3 << 3 | 2 else None)


# ---- the cases

ADD = "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b) }\n"
CASES = [
    ("an entry, shapes, a compare whose type follows", """HloModule m
ENTRY e { p = f32[2,3] parameter(0)
 q = f32[2,3]{0,1} copy(p)
 c = pred[2,3] compare(p, q), direction=GE
 ROOT s = f32[2,3] select(c, p, q) }"""),
    ("comparisons whose type does not follow", """HloModule m
ENTRY e { p = f32[4] parameter(0)
 ROOT c = pred[4] compare(p, p), direction=EQ, type=TOTALORDER }"""),
    ("constants of every width, also in a layout", """HloModule m
ENTRY e {
 a = pred[3] constant({true, false, true})
 b = s4[4] constant({-8, -1, 0, 7})
 c = u4[3] constant({0, 7, 15})
 d = s8[3] constant({-128, 0, 127})
 f = u16[2] constant({0, 65535})
 g = s32[10] constant({-2147483648, -1, 0, 1, 2, 3, 4, 5, 127, 128})
 h = u64[2] constant({0, 18446744073709551615})
 i = s64[3] constant({-9223372036854775808, 300, 9223372036854775807})
 j = f32[2,3]{0,1} constant({{1, 2, 3}, {4, 5, -0.5}})
 k = bf16[2] constant({1.5, -inf})
 l = f8e4m3fn[2] constant({0.5, 448})
 n = c64[2] constant({(1, -2), (0.25, 3)})
 o = f64[] constant(1e300)
 q = s2[4] constant({-2, -1, 0, 1})
 r = f32[0] constant({})
 ROOT t = (pred[3], s4[4], u4[3], s8[3], u16[2], s32[10], u64[2], s64[3], f32[2,3]{0,1}, bf16[2], f8e4m3fn[2],
  c64[2], f64[], s2[4], f32[0]) tuple(a, b, c, d, f, g, h, i, j, k, l, n, o, q, r) }"""),
    ("zeros that are not written: dimension 0, index 0, empty lists", """HloModule m
ENTRY e { p = (f32[4], s32[]) parameter(0)
 g = f32[4] get-tuple-element(p), index=0
 z = f32[] constant(0)
 b = f32[4] broadcast(z), dimensions={}
 i = f32[4] iota(), iota_dimension=0
 s = f32[4] slice(g), slice={[0:4]}
 a = f32[4] add(b, i)
 ROOT r = f32[4] multiply(a, s) }"""),
    ("movement", """HloModule m
ENTRY e { p = f32[4,6] parameter(0)
 z = f32[] constant(1)
 i = s32[] parameter(1)
 t = f32[6,4] transpose(p), dimensions={1,0}
 r = f32[6,4] reverse(t), dimensions={0}
 s = f32[2,2] slice(r), slice={[1:5:2], [0:4:2]}
 d = f32[4,3] pad(s, z), padding=1_1_0x0_0_1
 c = f32[8,3] concatenate(d, d), dimensions={0}
 y = f32[2,3] dynamic-slice(c, i, i), dynamic_slice_sizes={2,3}
 u = f32[8,3] dynamic-update-slice(c, y, i, i)
 h = f32[24] reshape(u)
 v = s32[24] bitcast-convert(h)
 e = f32[24] reduce-precision(h), exponent_bits=5, mantissa_bits=10
 ROOT o = (s32[24], f32[24]) tuple(v, e) }"""),
    ("gather and scatter", "HloModule m\n" + ADD + """ENTRY e { p = f32[8,4] parameter(0)
 i = s32[3,1] parameter(1)
 g = f32[3,4] gather(p, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1,
  slice_sizes={1,4}, indices_are_sorted=true
 ROOT s = f32[8,4] scatter(p, i, g), update_window_dims={1}, inserted_window_dims={0},
  scatter_dims_to_operand_dims={0}, index_vector_dim=1, unique_indices=true, to_apply=add }"""),
    ("contractions", """HloModule m
ENTRY e { p = f32[2,4,4] parameter(0)
 d = f32[2,4,4] dot(p, p), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0},
  rhs_contracting_dims={1}, operand_precision={high,highest}
 a = f32[2,4,4] dot(d, p), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0},
  rhs_contracting_dims={1}, algorithm=dot_bf16_bf16_f32_x3
 v = f32[3] parameter(1)
 o = f32[3,3] dot(v, v), lhs_contracting_dims={}, rhs_contracting_dims={}
 c = f32[2,4,4] cholesky(a), lower=true
 t = f32[2,4,4] triangular-solve(c, p), left_side=true, lower=true, unit_diagonal=true, transpose_a=ADJOINT
 f = c64[2,4,3] fft(t), fft_type=RFFT, fft_length={4}
 ROOT r = (f32[3,3], f32[2,4,4]) tuple(o, t) }"""),
    ("a convolution", """HloModule m
ENTRY e { p = f32[2,9,9,6] parameter(0)
 q = f32[3,3,3,8] parameter(1)
 ROOT c = f32[2,5,9,8] convolution(p, q), window={size=3x3 stride=2x1 pad=1_1x1_1 rhs_reversal=1x0},
  dim_labels=b01f_01io->b01f, feature_group_count=2, operand_precision={highest,highest} }"""),
    ("reductions, windows, sorting", "HloModule m\n" + ADD + """lt { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT c = pred[] compare(a, b), direction=LT }
ENTRY e { p = f32[4,6] parameter(0)
 z = f32[] constant(0)
 r = f32[6] reduce(p, z), dimensions={0}, to_apply=add
 w = f32[4,3] reduce-window(p, z), window={size=1x2 stride=1x2}, to_apply=add
 b = f32[4,6] select-and-scatter(p, w, z), window={size=1x2 stride=1x2}, select=lt, scatter=add
 s = f32[4,6] sort(b), dimensions={1}, is_stable=true, to_apply=lt
 k = (f32[4,2], s32[4,2]) topk(s), k=2, largest=true
 m = f32[6] map(r, r), dimensions={0}, to_apply=add
 ROOT t = ((f32[4,2], s32[4,2]), f32[6]) tuple(k, m) }"""),
    ("loops, branches, calls, a fusion", "HloModule m\n" + """cond { s = (s32[], f32[8]) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 n = s32[] constant(4)
 ROOT l = pred[] compare(i, n), direction=LT }
body { s = (s32[], f32[8]) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 o = s32[] constant(1)
 v = f32[8] get-tuple-element(s), index=1
 j = s32[] add(i, o)
 ROOT t = (s32[], f32[8]) tuple(j, v) }
x { a = f32[8] parameter(0)
 ROOT r = f32[8] negate(a) }
y { a = f32[8] parameter(0)
 ROOT r = f32[8] exponential(a), result_accuracy={mode=highest} }
f { a = f32[8] parameter(0)
 ROOT r = f32[8] add(a, a) }
ENTRY e { p = f32[8] parameter(0)
 b = pred[] parameter(1)
 z = s32[] parameter(2)
 t = (s32[], f32[8]) tuple(z, p)
 w = (s32[], f32[8]) while(t), condition=cond, body=body, backend_config={"known_trip_count":{"n":"4"}}
 g = f32[8] get-tuple-element(w), index=1
 c = f32[8] conditional(b, g, g), true_computation=x, false_computation=y
 h = f32[8] conditional(z, g, g), branch_computations={x, y}
 k = f32[8] call(h), to_apply=x
 ROOT u = f32[8] fusion(k), kind=kLoop, calls=f }"""),
    ("devices", "HloModule m, replica_count=4\n" + ADD + """ENTRY e { p = f32[8] parameter(0)
 a = f32[8] all-reduce(p), replica_groups={{0,1},{2,3}}, to_apply=add, channel_id=1, use_global_device_ids=true
 b = f32[8] all-reduce(a), replica_groups=[2,2]<=[2,2]T(1,0), to_apply=add
 c = f32[8] all-reduce(b), replica_groups={}, to_apply=add
 d = f32[8] all-reduce(c), replica_groups=mesh['x'=2,'y'=2] {'y'}, to_apply=add
 f = f32[32] all-gather(d), replica_groups={{0,1,2,3}}, dimensions={0}
 g = f32[8] reduce-scatter(f), replica_groups={{0,1,2,3}}, dimensions={0}, to_apply=add
 h = f32[8] all-to-all(g), replica_groups={{0,1,2,3}}, dimensions={0}
 ROOT q = f32[8] collective-permute(h), source_target_pairs={{0,0},{1,2},{2,1}},
  channel_id=2 }"""),
    ("shardings; the empty message is a replicated one", """HloModule m
ENTRY e { p = f32[8,8] parameter(0), sharding={replicated}
 q = f32[8,8] parameter(1), sharding={maximal device=3}
 r = f32[8,8] parameter(2), sharding={devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}
 s = f32[8,8] parameter(3), sharding={devices=[2,2]0,2,1,3}
 t = f32[8,8] parameter(4), sharding={devices=[2,1,2,2]<=[8] last_tile_dims={manual, replicated}}
 u = f32[8,8] parameter(5), sharding={mesh['x'=2,'y'=4], [{'x'}, {'y':(1)2}], replicated={'y':(2)2}}
 v = f32[8,8] parameter(6), sharding={manual}
 ROOT o = (f32[8,8], f32[8,8]) tuple(p, q), sharding={{replicated}, {maximal device=0}} }"""),
    ("metadata, frontend attributes, configurations", """HloModule m, frontend_attributes={k="v"}
ENTRY e { p = f32[8] parameter(0), metadata={op_name="a\\"b"}, frontend_attributes={b="x y",a={"j":[1,2]}}
 q = f32[8] add(p, p),
  metadata={op_type="t" op_name="n" source_file="f.py" source_line=3
   source_end_line=4 source_column=1 source_end_column=2 scheduling_name="s"}
 d = f32[8] domain(q), domain={kind="sharding", entry={maximal device=0}, exit={maximal device=1}}
 c = f32[8] custom-call(d, q), custom_call_target="x", api_version=API_VERSION_TYPED_FFI, schedule=SCHEDULE_LATEST,
  operand_layout_constraints={f32[8]{0}, f32[8]{0}}, custom_call_has_side_effect=true,
  output_to_operand_aliasing={{}: (0, {})}, backend_config="ab\\nc"
 ROOT r = f32[8] custom-call(c), custom_call_target="y", literal=s32[2]{0} {1, 2}, backend_config={"a":1} }"""),
    ("aliases, donors, a schedule, control edges", """HloModule m, is_scheduled=true, input_output_alias={ {1}: (0,
  {}, must-alias) }, buffer_donor={ (1, {}) }
ENTRY e { p = f32[8] parameter(0)
 a = f32[8] add(p, p)
 q = f32[8] parameter(1)
 b = f32[8] add(q, p), control-predecessors={a}
 ROOT t = (f32[8], f32[8]) tuple(a, b) }"""),
    ("layouts with tiles and memory spaces", """HloModule m
ENTRY e { p = f32[16,256]{1,0:T(8,128)S(1)} parameter(0)
 q = s4[16]{0:E(4)} parameter(1)
 ROOT t = (f32[16,256]{1,0:T(8,128)S(1)}, s4[16]{0:E(4)}) tuple(p, q) }"""),
    ("bounded dimensions, tokens, the host", """HloModule m
ENTRY e { p = f32[<=8,4] parameter(0)
 t = token[] after-all()
 i = ((f32[2]), token[]) infeed(t), infeed_config="cfg"
 o = token[] outfeed(p, t), outfeed_shape=f32[<=8,4], outfeed_config="x"
 b = f32[<=8,4] add(p, p)
 ROOT s = s32[] get-dimension-size(b), dimensions={0} }"""),
    ("random numbers and normalisation", """HloModule m
ENTRY e { p = u64[2] parameter(0)
 b = (u64[2], u32[8]) rng-bit-generator(p), algorithm=rng_philox
 z = f32[] constant(0)
 o = f32[] constant(1)
 r = f32[8] rng(z, o), distribution=rng_uniform
 x = f32[4,2] reshape(r)
 s = f32[2] parameter(1)
 n = (f32[4,2], f32[2], f32[2]) batch-norm-training(x, s, s), epsilon=0.001, feature_index=1
 ROOT t = ((u64[2], u32[8]), (f32[4,2], f32[2], f32[2])) tuple(b, n) }"""),
]


def of_xla(text):
    """The bytes and the text of one module, in the order of the bytes."""
    first = _hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto()
    pb = _hlo.HloModule.from_serialized_hlo_module_proto(first).as_serialized_hlo_module_proto()
    options = _hlo.HloPrintOptions.short_parsable()
    options.print_large_constants = options.print_metadata = options.print_backend_config = True
    options.print_control_dependencies = options.print_extra_attributes = True
    options.include_layout_in_shapes = True
    return pb, _hlo.HloModule.from_serialized_hlo_module_proto(pb).to_string(options)


def case(title, pb, text):
    code = pb.hex(" ")
    lines = "\n".join(code[k : k + 120 - 120 % 3].rstrip() for k in range(0, len(code), 120 - 120 % 3))
    body = "\n".join(line.rstrip() for line in text.strip().split("\n"))
    return f"# run: proto\n# {title}\n{lines}\n{body}\n----\nsame\n"


def corpus(folder, out):
    os.makedirs(out, exist_ok=True)
    for path in sorted(glob.glob(os.path.join(folder, "*.hlo"))):
        pb = _hlo.hlo_module_from_text(open(path).read()).as_serialized_hlo_module_proto()
        open(os.path.join(out, os.path.basename(path)[:-4] + ".pb"), "wb").write(pb)


def main():
    cases = []
    for title, text in CASES:
        cases.append(case(title, *of_xla(text)))
    pb, text = of_xla(CASES[0][1])
    cases.append(case("an HloProto around it", message(1, pb) + message(3, b"\x0a\x00"), text))
    cases.append(case("an HloSnapshot around that", message(1, message(1, pb)) + message(4, b"CUDA"), text))
    cases.append(case("with a configuration: two replicas, three partitions",
        message(1, pb) + message(2, number(4, 2) + number(5, 3)),
        text.replace("HloModule m,", "HloModule m, replica_count=2, num_partitions=3,", 1)))
    cases.append(case("unpacked lists, and fields that nothing knows",
        instructions(pb, lambda i: unpacked(i) + message(9999, b"?") + number(300, 7)), text))
    cases.append(case("fields from the last to the first", instructions(pb, reversed_fields), text))
    cases.append(case("ids that are unique in the module", old_roots(instructions(pb, old_ids)), text))
    old = of_xla(CASES[9][1])
    cases.append(case("comparisons that were opcodes", instructions(old[0], old_compare), old[1]))
    with open(HERE, "w") as f:
        f.write("====\n".join(cases))
    print(os.path.relpath(HERE), len(cases))
    if len(sys.argv) == 3:
        corpus(sys.argv[1], sys.argv[2])


main()
