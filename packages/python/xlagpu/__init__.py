"""Compiles XLA modules to PTX and runs them on an NVIDIA GPU, or on a PTX simulator where there is none.

    import xlagpu
    f = xlagpu.compile(jax_function)      # or HLO text, StableHLO text or bytecode, the path of such a file
    y = f(x)                              # numpy arrays in, numpy arrays out

`compile(..., target="sm_90a")` names another GPU than the one here; `f.save("f.xgx")` and `load("f.xgx")` keep what was
compiled. `evaluate` computes a module by the reference evaluator, without kernels.
"""

import ctypes
import os
import pathlib
import threading

import numpy as np

from . import _types
from ._library import Buffer, Error, Tensor, Value, lib, version

__all__ = ["Device", "Error", "Function", "Program", "compile", "evaluate", "load"]
__version__ = version


class Device:
    """Where programs run: "auto" (the GPU, or the simulator), "cuda" or "host". Used by one thread at a time.

    cache: a folder that keeps the driver's machine code from one process to the next."""

    def __init__(self, platform="auto", threads=0, cache=None):
        status = ctypes.c_int()
        folder = os.fsencode(cache) if cache else None
        self._handle = lib.xlagpu_py_open(platform.encode(), threads, folder, ctypes.byref(status))
        self.lock = threading.RLock()
        if status.value:
            raise Error(status.value, self.error())

    def __del__(self):
        handle, self._handle = getattr(self, "_handle", None), None
        if lib and handle:  # at the end of Python lib may go first
            lib.xlagpu_rt_close(handle)  # and with it what was loaded

    def error(self):
        return lib.xlagpu_rt_error(self._handle).decode() if self._handle else "out of memory"

    @property
    def name(self):
        return lib.xlagpu_rt_name(self._handle).decode()

    @property
    def target(self):
        """What to compile for here: "sm_90a"."""
        return lib.xlagpu_rt_target(self._handle).decode()

    def __repr__(self):
        return f"<xlagpu.Device {self.name}>"


_default = []


def _device(device):
    """The one that is named, or the one that all share."""
    if isinstance(device, Device):
        return device
    if device is not None:
        return Device(device)
    if not _default:
        _default.append(Device())
    return _default[0]


class _Module:
    """A context with one module in it."""

    def __init__(self, text, name):
        self.context = lib.xlagpu_create(None)
        self.handle = lib.xlagpu_parse(self.context, name.encode(), text, len(text))
        if not self.handle:
            self.fail()

    def __del__(self):
        if lib:
            lib.xlagpu_destroy(self.context)

    def fail(self):
        raise Error(lib.xlagpu_error_status(self.context), lib.xlagpu_error(self.context).decode())

    def values(self, which):
        return _values(None, self.handle, which)

    def compile(self, device, target, disable_passes, ftz):
        size = ctypes.c_size_t()
        words = [w.encode() if w else None for w in (target, disable_passes)]
        handle = device._handle if device else None
        made = lib.xlagpu_py_compile(self.handle, handle, *words, bool(ftz), ctypes.byref(size))
        if not made:
            self.fail()
        return ctypes.string_at(made, size.value)


def _values(program, module, which):
    """The parameters (which 0) or results (1), with sizes of bounded dimensions as values of their own."""
    found, value = [], Value()
    while lib.xlagpu_py_info(program, module, which, len(found), ctypes.byref(value)):
        found.append(_types.Spec(value))
    return found


def _call(run, parameters, results, arrays):
    """Gives run(inputs, outputs) host arrays for the parameters, and returns those of the results."""
    inputs = _types.flatten(parameters, arrays)
    outputs = [spec.empty() for spec in results]
    run(_tensors(inputs), len(inputs), _tensors(outputs), len(outputs))
    return _types.trim(results, outputs)


def _tensors(arrays):
    return (Tensor * max(1, len(arrays)))(*[Tensor(a.ctypes.data, a.nbytes) for a in arrays])


def _buffers(specs, arrays):
    """Arrays that lie on the device: those of PyTorch, or with __cuda_array_interface__ (CuPy, Numba)."""
    if len(arrays) != len(specs):
        raise TypeError(f"xlagpu: {len(arrays)} device arrays were given, {len(specs)} are wanted")
    out = (Buffer * max(1, len(specs)))()
    for k, (spec, a) in enumerate(zip(specs, arrays)):
        if hasattr(a, "data_ptr"):
            out[k] = Buffer(a.data_ptr(), a.numel() * a.element_size())
        else:
            shape = a.__cuda_array_interface__["shape"]
            size = np.dtype(a.__cuda_array_interface__["typestr"]).itemsize
            out[k] = Buffer(a.__cuda_array_interface__["data"][0], size * int(np.prod(shape, dtype=np.int64)))
    return out


def _one_or_all(results):
    return results[0] if len(results) == 1 else tuple(results)


class Program:
    """An executable on a device: called with one numpy array a parameter, it returns one a result."""

    def __init__(self, executable, device=None):
        self.executable = bytes(executable)
        self.device = _device(device)
        with self.device.lock:
            self._handle = lib.xlagpu_rt_load(self.device._handle, self.executable, len(self.executable))
            if not self._handle:
                raise Error(lib.xlagpu_rt_error_status(self.device._handle), self.device.error())
        self._execution = None
        self._parameters = _values(self._handle, None, 0)
        self._results = _values(self._handle, None, 1)
        self.parameters = [p for p in self._parameters if not p.size_of]
        self.results = [r for r in self._results if not r.size_of]

    def __del__(self):
        # At the end of Python lib or the device may go first.
        if lib and getattr(self, "_handle", None) and self.device._handle:
            with self.device.lock:
                lib.xlagpu_rt_unload(self._handle)

    def run(self, arrays):
        """A list of arrays in, a list of arrays out."""

        def run(*tensors):
            with self.device.lock:
                status = lib.xlagpu_rt_run(self._handle, *tensors)
                if status:
                    raise Error(status, self.device.error())

        return _call(run, self._parameters, self._results, arrays)

    def enqueue(self, inputs, outputs, stream=0):
        """Runs on arrays that lie on the device (contiguous, row-major; torch.Tensor, or what has
        __cuda_array_interface__) and returns at once. stream: the address of a CUstream (torch's `stream.cuda_stream`);
        0: the default one. The arrays must stay until the stream has passed. One thread at a time."""
        given = _buffers(self._parameters, inputs), _buffers(self._results, outputs)
        if self._execution is None:
            self._execution = lib.xlagpu_rt_prepare(self._handle)
            if not self._execution:
                raise Error(lib.xlagpu_rt_error_status(self.device._handle), self.device.error())
        status = lib.xlagpu_rt_execute(self._execution, *given, stream)
        if status:
            raise Error(status, lib.xlagpu_rt_execution_error(self._execution).decode())

    def __call__(self, *arrays):
        return _one_or_all(self.run(arrays))

    @property
    def name(self):
        return lib.xlagpu_rt_program_name(self._handle).decode()

    @property
    def ptx(self):
        size = ctypes.c_size_t()
        text = lib.xlagpu_py_ptx(self.executable, len(self.executable), ctypes.byref(size))
        return ctypes.string_at(text, size.value).decode() if text else ""

    def save(self, path):
        pathlib.Path(path).write_bytes(self.executable)

    def __repr__(self):
        said = ", ".join(map(str, self.parameters)), ", ".join(map(str, self.results))
        return f"<xlagpu.Program {self.name}({said[0]}) -> ({said[1]}) on {self.device.name}>"


class Function:
    """A function of JAX. It is lowered and compiled for each new set of shapes and types that it is called with."""

    def __init__(self, function, options):
        import jax

        self._jax = jax
        self._function = function if hasattr(function, "lower") else jax.jit(function, keep_unused=True)
        self._options = options
        self._programs = {}
        self.__name__ = getattr(function, "__name__", "function")

    def program(self, *args, **kwargs):
        """The Program for such arguments (arrays, or shapes and types), compiled if there is none yet."""
        return self._program(args, kwargs)[0]

    def _program(self, args, kwargs):
        leaves, tree = self._jax.tree_util.tree_flatten((args, kwargs))
        key = tree, tuple(self._jax.api_util.shaped_abstractify(leaf) for leaf in leaves)
        if key not in self._programs:
            lowered = self._function.lower(*args, **kwargs)
            kept = getattr(lowered, "_lowering").compile_args.get("kept_var_idx")
            kept = sorted(kept) if kept is not None else range(len(leaves))
            text = lowered.as_text().encode()
            self._programs[key] = _program(text, self.__name__, **self._options), kept, lowered.out_tree
        return self._programs[key]

    def __call__(self, *args, **kwargs):
        program, kept, out_tree = self._program(args, kwargs)
        leaves = self._jax.tree_util.tree_leaves((args, kwargs))
        arrays = [np.asarray(leaves[k]) for k in kept]
        if len(arrays) == len(program.parameters):  # as JAX does it: float64 becomes float32 unless x64 is on
            arrays = [a.astype(p.dtype, copy=False) for a, p in zip(arrays, program.parameters)]
        return self._jax.tree_util.tree_unflatten(out_tree, program.run(arrays))


def _program(text, name, device, target, disable_passes, ftz):
    device = _device(device)
    return Program(_Module(text, name).compile(device, target, disable_passes, ftz), device)


def _text(what):
    """The bytes and the name of a module given as text, bytes or a path."""
    if isinstance(what, (bytes, bytearray)):
        return bytes(what), "module"
    if isinstance(what, os.PathLike) or (isinstance(what, str) and "\n" not in what and os.path.exists(what)):
        return pathlib.Path(what).read_bytes(), os.fspath(what)
    if isinstance(what, str):
        return what.encode(), "module"
    if hasattr(what, "as_text"):  # what jax.jit(f).lower(x) returns
        return what.as_text().encode(), "module"
    raise TypeError(f"xlagpu: a function, HLO text or the path of a file is wanted, not {type(what).__name__}")


def compile(what, *, device=None, target=None, disable_passes=None, ftz=False):
    """Compiles a function of JAX (a Function comes back) or a module (a Program).

    device: a Device, or "cuda" or "host"; None: the GPU, or the simulator. target: "sm_80"; None: the device's own.
    """
    options = {"device": device, "target": target, "disable_passes": disable_passes, "ftz": ftz}
    if callable(what) and not hasattr(what, "as_text"):
        return Function(what, options)
    return _program(*_text(what), **options)


def load(executable, device=None):
    """A Program of what `Program.save` or `xlagpu compile` wrote: a path, or bytes."""
    if not isinstance(executable, (bytes, bytearray)):
        executable = pathlib.Path(executable).read_bytes()
    return Program(executable, device)


def evaluate(what, *arrays):
    """Computes a module by the reference evaluator: no kernels, no device."""
    module = _Module(*_text(what))

    def run(*tensors):
        if lib.xlagpu_evaluate(module.handle, *tensors, False):
            module.fail()

    return _one_or_all(_call(run, module.values(0), module.values(1), arrays))
