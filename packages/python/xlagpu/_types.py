"""Element types of HLO as types of numpy, and arrays given as parameters."""

import numpy as np

try:
    import ml_dtypes
except ImportError:  # then narrow floats travel as their bits
    ml_dtypes = None

# HLO's name: numpy's, or that of ml_dtypes; what holds its bits without ml_dtypes.
PLAIN = {
    "pred": "bool", "s8": "int8", "s16": "int16", "s32": "int32", "s64": "int64", "u8": "uint8", "u16": "uint16",
    "u32": "uint32", "u64": "uint64", "f16": "float16", "f32": "float32", "f64": "float64", "c64": "complex64",
    "c128": "complex128",
}  # fmt: skip
NARROW = {
    "bf16": ("bfloat16", "uint16"), "s1": ("int1", "int8"), "s2": ("int2", "int8"), "s4": ("int4", "int8"),
    "u1": ("uint1", "uint8"), "u2": ("uint2", "uint8"), "u4": ("uint4", "uint8"),
    "f4e2m1fn": ("float4_e2m1fn", "uint8"), "f6e2m3fn": ("float6_e2m3fn", "uint8"),
    "f6e3m2fn": ("float6_e3m2fn", "uint8"), "f8e3m4": ("float8_e3m4", "uint8"), "f8e4m3": ("float8_e4m3", "uint8"),
    "f8e4m3fn": ("float8_e4m3fn", "uint8"), "f8e4m3b11fnuz": ("float8_e4m3b11fnuz", "uint8"),
    "f8e4m3fnuz": ("float8_e4m3fnuz", "uint8"), "f8e5m2": ("float8_e5m2", "uint8"),
    "f8e5m2fnuz": ("float8_e5m2fnuz", "uint8"), "f8e8m0fnu": ("float8_e8m0fnu", "uint8"),
}  # fmt: skip


def dtype_of(name):
    if name in PLAIN:
        return np.dtype(PLAIN[name])
    known, bits = NARROW[name]
    return np.dtype(getattr(ml_dtypes, known)) if hasattr(ml_dtypes, known) else np.dtype(bits)


class Spec:
    """A parameter or a result: name, type, dtype and shape (the bounds where dimensions are bounded)."""

    def __init__(self, value):
        self.type = value.type.decode()
        self.name = value.name.decode() if value.name else ""
        self.shape = tuple(value.dims[k] for k in range(value.rank))
        self.dtype = dtype_of(self.type)
        self.size_of = value.size_of  # of a size: 1 + the dimension of the array in front of it

    def empty(self):
        return np.empty(self.shape, self.dtype)

    def __str__(self):
        return f"{self.type}[{','.join(map(str, self.shape))}]"


def _fits(shape, spec, bounded):
    """bounded: the dimensions that may be smaller than the bound."""
    return len(shape) == len(spec.shape) and all(
        a == b or (k in bounded and a <= b) for k, (a, b) in enumerate(zip(shape, spec.shape))
    )


def _array(spec, given, number, bounded):
    array = np.asarray(given)
    if not hasattr(given, "dtype"):  # numbers and lists of Python take the parameter's type
        array = array.astype(spec.dtype)
    if array.dtype != spec.dtype or not _fits(array.shape, spec, bounded):
        raise TypeError(
            f"xlagpu: argument {number} ({spec.name}) is {spec} of numpy's {spec.dtype}, not {array.dtype}"
            f"{list(array.shape)}; x.astype(...) and x.reshape(...) change an array"
        )
    if array.shape != spec.shape:  # less than the bound: what stands beyond has no meaning
        whole = np.zeros(spec.shape, spec.dtype)
        whole[tuple(slice(0, n) for n in array.shape)] = array
        array = whole
    return np.ascontiguousarray(array)


def flatten(specs, given):
    """One array a parameter of the C API: what is given, and behind bounded ones their sizes."""
    wanted = [spec for spec in specs if not spec.size_of]
    if len(given) != len(wanted):
        said = ", ".join(f"{spec.name}: {spec}" for spec in wanted)
        raise TypeError(f"xlagpu: {len(given)} arguments were given, {len(wanted)} are wanted: {said}")
    out, number = [], -1
    for k, spec in enumerate(specs):
        if spec.size_of:
            out.append(np.array(np.shape(given[number])[spec.size_of - 1], np.int32))
            continue
        number += 1
        bounded = set()
        while k + 1 < len(specs) and specs[k + 1].size_of:
            k += 1
            bounded.add(specs[k].size_of - 1)
        out.append(_array(spec, given[number], number, bounded))
    return out


def trim(specs, arrays):
    """The results without what stands beyond their sizes."""
    out = []
    for spec, array in zip(specs, arrays):
        if not spec.size_of:
            out.append(array)
        else:
            axis = spec.size_of - 1
            out[-1] = np.take(out[-1], range(int(array)), axis=axis)
    return out
