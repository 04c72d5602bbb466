"""tests/scripts/cli_snapshot.py HLO.pb FOLDER -- HloSnapshots around an HloProto whose module takes f32[2,3] and
returns f32[2,3]: right.pb with twice the argument as its result, wrong.pb with another one, open.pb with none, few.pb
without arguments, other.pb with arguments of another shape. Run by tests/scripts/cli.sh."""

import struct, sys

hlo, folder = open(sys.argv[1], "rb").read(), sys.argv[2]


def varint(n):
    return bytes([n | 128]) + varint(n >> 7) if n > 127 else bytes([n])


def field(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def literal(values, dims):
    """LiteralProto: Shape{element_type F32, dimensions, layout{minor_to_major 1, 0}}, f32s"""
    shape = b"\x10\x0b" + field(3, bytes(dims)) + field(5, field(1, bytes(range(len(dims)))[::-1]))
    return field(1, shape) + field(8, struct.pack("<%df" % len(values), *values))


x = [0.5, -1.0, 1.5, 2.0, -2.5, 3.0]
argument, result = field(2, literal(x, [2, 3])), field(3, literal([2 * v for v in x], [2, 3]))
for name, rest in {
    "right": argument + result,
    "wrong": argument + field(3, literal([2 * v + (v > 2.5) for v in x], [2, 3])),
    "open": argument,
    "few": result,
    "other": field(2, literal(x, [3, 2])) + result,
}.items():
    open(f"{folder}/{name}.pb", "wb").write(field(1, hlo) + rest)
