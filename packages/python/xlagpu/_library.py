"""The shared library: its functions with their types, and its structures."""

import ctypes
import pathlib
import re
from ctypes import POINTER, c_bool, c_char_p, c_int, c_int64, c_size_t, c_uint32, c_uint64, c_void_p


class Error(Exception):
    """What xlagpu refuses or fails at; `status` is its class, as in xlagpu_status."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class Tensor(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("bytes", c_size_t)]


class Buffer(ctypes.Structure):
    _fields_ = [("address", c_uint64), ("bytes", c_size_t)]


class Value(ctypes.Structure):
    _fields_ = [
        ("type", c_char_p),
        ("name", c_char_p),
        ("dims", POINTER(c_int64)),
        ("bytes", c_uint64),
        ("rank", c_uint32),
        ("size_of", c_uint32),
    ]


# Name: result, arguments. Handles are pointers.
FUNCTIONS = {
    "xlagpu_create": (c_void_p, [c_void_p]),
    "xlagpu_destroy": (None, [c_void_p]),
    "xlagpu_error": (c_char_p, [c_void_p]),
    "xlagpu_error_status": (c_int, [c_void_p]),
    "xlagpu_parse": (c_void_p, [c_void_p, c_char_p, c_char_p, c_size_t]),
    "xlagpu_evaluate": (c_int, [c_void_p, POINTER(Tensor), c_uint32, POINTER(Tensor), c_uint32, c_bool]),
    "xlagpu_rt_close": (None, [c_void_p]),
    "xlagpu_rt_error": (c_char_p, [c_void_p]),
    "xlagpu_rt_error_status": (c_int, [c_void_p]),
    "xlagpu_rt_name": (c_char_p, [c_void_p]),
    "xlagpu_rt_target": (c_char_p, [c_void_p]),
    "xlagpu_rt_load": (c_void_p, [c_void_p, c_char_p, c_size_t]),
    "xlagpu_rt_unload": (None, [c_void_p]),
    "xlagpu_rt_program_name": (c_char_p, [c_void_p]),
    "xlagpu_rt_run": (c_int, [c_void_p, POINTER(Tensor), c_uint32, POINTER(Tensor), c_uint32]),
    "xlagpu_rt_prepare": (c_void_p, [c_void_p]),
    "xlagpu_rt_execute": (c_int, [c_void_p, POINTER(Buffer), POINTER(Buffer), c_void_p]),
    "xlagpu_rt_execution_error": (c_char_p, [c_void_p]),
    "xlagpu_py_open": (c_void_p, [c_char_p, c_uint32, c_char_p, POINTER(c_int)]),
    "xlagpu_py_compile": (
        c_void_p,
        [c_void_p, c_void_p, c_char_p, c_char_p, c_uint32, POINTER(c_size_t)],
    ),
    "xlagpu_py_info": (c_uint32, [c_void_p, c_void_p, c_uint32, c_uint32, POINTER(Value)]),
    "xlagpu_py_ptx": (c_void_p, [c_char_p, c_size_t, POINTER(c_size_t)]),
    "xlagpu_py_version": (c_char_p, []),
}


def _load():
    folder = pathlib.Path(__file__).resolve().parent
    for name in ("libxlagpu.so", "xlagpu.dll"):
        if (folder / name).exists():
            return ctypes.CDLL(str(folder / name))
    raise ImportError(f"xlagpu: the shared library is not in {folder}: pip install ./packages/python builds it")


lib = _load()
for _name, (_result, _arguments) in FUNCTIONS.items():
    _function = getattr(lib, _name)
    _function.restype, _function.argtypes = _result, _arguments
version = lib.xlagpu_py_version().decode()
