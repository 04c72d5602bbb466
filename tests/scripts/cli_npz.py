"""tests/scripts/cli_npz.py -- writes .npz, .npy and safetensors files of every kind into a folder, good and damaged,
with Python's standard library alone. Run by tests/scripts/cli.sh.

The module takes arg0 = f32[2,3] and arg1 = s32[3] and gives out0 = arg0 * 2, out1 = arg1 + 1."""

import io, json, struct, sys, zipfile, zlib

folder = sys.argv[1]
F = [0.5, 1.0, 1.5, 2.0, 2.5, 3.0]
I = [7, 8, 9]


def npy(descr, shape, data, fortran=False, version=1):
    head = "{'descr': %r, 'fortran_order': %r, 'shape': (%s), }" % (descr, fortran, "".join("%d," % n for n in shape))
    head += " " * (-(len(head) + 1 + (10 if version == 1 else 12)) % 64) + "\n"
    return (
        b"\x93NUMPY"
        + bytes([version, 0])
        + struct.pack("<H" if version == 1 else "<I", len(head))
        + head.encode()
        + data
    )


def floats(values, order="<"):
    return struct.pack(order + "%df" % len(values), *values)


def ints(values, order="<"):
    return struct.pack(order + "%di" % len(values), *values)


ARG0 = npy("<f4", (2, 3), floats(F))
ARG1 = npy("<i4", (3,), ints(I))
OUT = [
    ("out0.npy", npy("<f4", (2, 3), floats([2 * x for x in F]))),
    ("out1.npy", npy("<i4", (3,), ints([x + 1 for x in I]))),
]


def npz(name, members, method=zipfile.ZIP_STORED, zip64=False, damage=lambda b: b):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as z:
        for member, data in members:
            with z.open(zipfile.ZipInfo(member), "w", force_zip64=zip64) if zip64 else io.BytesIO() as f:
                if zip64:
                    f.write(data)
            if not zip64:
                z.writestr(zipfile.ZipInfo(member), data, compress_type=method)
    open(folder + "/" + name, "wb").write(damage(out.getvalue()))


def wide(data):
    """The same zip with its sizes and offsets in zip64 records only, as a file of more than 4 GiB has them."""
    end = data.rindex(b"PK\x05\x06")
    count, size, start = struct.unpack("<H", data[end + 10 : end + 12])[0], *struct.unpack(
        "<II", data[end + 12 : end + 20]
    )
    at, central = start, b""
    while data[at : at + 4] == b"PK\x01\x02":
        head = bytearray(data[at : at + 46])
        packed, full = struct.unpack("<II", head[20:28])
        n, extra, comment = struct.unpack("<HHH", head[28:34])
        offset = struct.unpack("<I", head[42:46])[0]
        more = struct.pack("<HHQQQ", 1, 24, full, packed, offset)
        head[20:28] = b"\xff" * 8
        head[42:46] = b"\xff" * 4
        head[30:32] = struct.pack("<H", len(more))
        central += bytes(head) + data[at + 46 : at + 46 + n] + more
        at += 46 + n + extra + comment
    wide_end = struct.pack("<4sQHHIIQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, len(central), start)
    locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, start + len(central), 1)
    return (
        data[:start]
        + central
        + wide_end
        + locator
        + struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    )


def two(first=ARG0, second=ARG1):
    return [("arg0.npy", first), ("arg1.npy", second)]


columns = [F[3 * i + j] for j in range(3) for i in range(2)]
npz("stored.npz", two() + OUT)
npz("deflated.npz", two() + OUT, zipfile.ZIP_DEFLATED)
npz("fortran.npz", two(npy("<f4", (2, 3), floats(columns), fortran=True)) + OUT)
npz("version2.npz", two(npy("<f4", (2, 3), floats(F), version=2)) + OUT)
npz("streamed.npz", two() + OUT, zip64=True)
npz("zip64.npz", two() + OUT, damage=wide)
npz("differs.npz", two() + [OUT[0], ("out1.npy", npy("<i4", (3,), ints([8, 9, 11])))])
npz("big_endian.npz", two(npy(">f4", (2, 3), floats(F, ">"))))
npz("other_shape.npz", two(npy("<f4", (3, 2), floats(F))))
npz("other_rank.npz", two(npy("<f4", (6,), floats(F))))
npz("other_type.npz", two(npy("<i4", (2, 3), ints([1] * 6))))
npz("double.npz", two(npy("<f8", (2, 3), struct.pack("<6d", *F))))
npz("structured.npz", two(npy([("a", "<f4")], (2, 3), floats(F))))
npz("text.npz", two(npy("<U4", (2, 3), b"\0" * 96)))
npz("overflow.npz", two(npy("<f4", (1 << 40, 1 << 40), floats(F))))
npz("short.npz", two(npy("<f4", (2, 3), floats(F[:5]))))
npz("other_name.npz", [("q.npy", ARG0), ("arg1.npy", ARG1)])
npz("named.npz", [("n.npy", ARG1), ("x.npy", ARG0), ("spare.npy", ARG1)] + OUT)
npz("both.npz", [("model.x.npy", ARG0), ("ema.x.npy", ARG0), ("n.npy", ARG1)])
npz("twice.npz", [("arg1.npy", ARG0), ("x.npy", ARG0)])
npz("no_npy.npz", two(b"hello"))
npz("cut.npz", two(), damage=lambda b: b[: len(b) - 30])
npz("no_directory.npz", two(), damage=lambda b: b.replace(b"PK\x05\x06", b"PK\x05\x07"))
npz("checksum.npz", two(), damage=lambda b: b.replace(floats(F), floats(F[::-1])))
npz("bad_deflate.npz", two(), zipfile.ZIP_DEFLATED, damage=lambda b: b[:80] + bytes([b[80] ^ 0xFF]) + b[81:])
npz("empty.npz", [])


def safetensors(name, arrays):
    """arrays: name, type, shape, data"""
    header, data = {"__metadata__": {"format": "np"}}, b""
    for key, kind, shape, part in arrays:
        header[key] = {"dtype": kind, "shape": shape, "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    text = json.dumps(header).encode()
    open(folder + "/" + name, "wb").write(struct.pack("<Q", len(text)) + text + data)


safetensors("whole.safetensors", [("n", "I32", [3], ints(I)), ("model.x", "F32", [2, 3], floats(F))])
safetensors("x.safetensors", [("params/x", "F32", [2, 3], floats(F))])
safetensors("n.safetensors", [("n", "I32", [3], ints(I))])
safetensors("half.safetensors", [("n", "I32", [3], ints(I)), ("x", "BF16", [2, 3], bytes(12))])
open(folder + "/one.npy", "wb").write(ARG0)
open(folder + "/vector.npy", "wb").write(npy("<f4", (50,), floats([float(i) for i in range(50)])))
open(folder + "/narrow_good.npy", "wb").write(npy("|i1", (4,), struct.pack("4b", -8, 7, 0, -1)))
open(folder + "/narrow_bad.npy", "wb").write(npy("|i1", (4,), struct.pack("4b", -8, 8, 0, -1)))
