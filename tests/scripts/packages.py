"""What the Python package promises, beside NumPy; with JAX, if it is here, functions of it. Exits 0 if all holds."""

import subprocess
import sys

import numpy as np
import xlagpu

TEXT = """HloModule m
ENTRY e {
  a = f32[2,3] parameter(0)
  b = f32[2,3] parameter(1)
  s = f32[2,3] add(a, b)
  u = f32[3,2] transpose(s), dimensions={1,0}
  ROOT t = (f32[2,3], f32[3,2]) tuple(s, u)
}
"""
HOST = xlagpu.Device("host")


def refused(error, words, call):
    try:
        call()
    except error as e:
        assert words in str(e), e
        return
    raise AssertionError(f"not refused: {words}")


def whole():
    f = xlagpu.compile(TEXT, device=HOST)
    a, b = np.arange(6, dtype=np.float32).reshape(2, 3), np.ones((2, 3), np.float32)
    for s, t in (f(a, b), f(a.tolist(), np.asfortranarray(b)), xlagpu.evaluate(TEXT, a, b)):
        assert np.array_equal(s, a + b) and np.array_equal(t, (a + b).T)
    assert ".entry" in f.ptx and [str(p) for p in f.parameters] == ["f32[2,3]", "f32[2,3]"]
    f.save("python.xgx")
    assert np.array_equal(xlagpu.load("python.xgx", HOST)(a, b)[0], a + b)
    refused(TypeError, "a: f32[2,3], b: f32[2,3]", lambda: f(a))
    refused(TypeError, "argument 1 (b) is f32[2,3] of numpy's float32, not float64[2, 3]", lambda: f(a, b.astype("f8")))
    refused(TypeError, "not float32[3, 2]", lambda: f(a, b.T))
    refused(xlagpu.Error, "did you mean 'add'?", lambda: xlagpu.compile(TEXT.replace("add(", "ad(")))
    refused(xlagpu.Error, "executable", lambda: xlagpu.load(b"xlagpu", HOST))
    refused(xlagpu.Error, "no_such", lambda: xlagpu.Device("no_such"))


def bounded():
    text = "ENTRY e { a = f32[<=4] parameter(0) ROOT c = f32[<=4] add(a, a) }"
    f = xlagpu.compile(text, device=HOST)
    for n in (0, 1, 4):
        x = np.arange(n, dtype=np.float32)
        assert np.array_equal(f(x), x + x) and np.array_equal(xlagpu.evaluate(text, x), x + x)
    refused(TypeError, "not float32[5]", lambda: f(np.zeros(5, np.float32)))


def of_jax():
    try:
        import jax
        import jax.numpy as jnp
    except ImportError:
        print("not here: jax")
        return

    def layer(p, x, unused):
        return {"y": jnp.tanh(x @ p["w"]), "sum": x.sum().astype(jnp.bfloat16)}

    w, x = np.linspace(-1, 1, 24).reshape(8, 3), np.linspace(0, 1, 40).reshape(5, 8)
    for function in (layer, jax.jit(layer), jax.grad(lambda p, x, unused: layer(p, x, unused)["y"].sum())):
        got, want = xlagpu.compile(function, device=HOST)({"w": w}, x, 3), function({"w": w}, x, 3)
        for g, v in zip(jax.tree_util.tree_leaves(got), jax.tree_util.tree_leaves(want)):
            assert g.dtype == v.dtype and g.shape == v.shape
            assert np.allclose(np.asarray(g, np.float32), np.asarray(v, np.float32), rtol=1e-5, atol=1e-6)


def outlives_modules():
    """What outlives the package's own names at the end of Python, as a cache of another package does, goes silently."""
    text = f"import builtins, xlagpu; builtins.kept = xlagpu.compile({TEXT!r}, device=xlagpu.Device('host'))"
    ended = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stderr


whole()
bounded()
outlives_modules()
of_jax()
