#!/usr/bin/env python3
"""Writes tests/verdict/*.mlir: thirty JAX programs, from an MLP to attention, of floats and integers of several widths.

    python3 tests/generate/gen_verdict.py          from the project's root; needs jax

tests/scripts/verdict.py runs them with the default verdict, and with kernels that are wrong."""

import pathlib

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

jax.config.update("jax_enable_x64", True)
FOLDER = pathlib.Path("tests/verdict")
PROGRAMS = {}


def program(*shapes):
    """Registers a function with the shapes of its arguments: 'f32 4 8'."""

    def add(f):
        PROGRAMS[f.__name__] = (f, shapes)
        return f

    return add


def spec(text):
    kind, *dims = text.split()
    names = {"f": "float", "s": "int", "u": "uint", "c": "complex", "b": "bfloat"}
    name = "bool" if kind == "pred" else kind.replace(kind.rstrip("0123456789"), names[kind[0]], 1)
    return jax.ShapeDtypeStruct(tuple(map(int, dims)), jnp.dtype(name))


# ---- layers ----


def mlp(x, w, b, v):
    return jax.nn.relu(x @ w + b) @ v


@program("f32 32 64", "f32 64 96", "f32 96", "f32 96 16")
def mlp_f32(x, w, b, v):
    return mlp(x, w, b, v)


@program("bf16 32 64", "bf16 64 96", "bf16 96", "bf16 96 16")
def mlp_bf16(x, w, b, v):
    return mlp(x, w, b, v)


@program("f16 32 64", "f16 64 96", "f16 96", "f16 96 16")
def mlp_f16(x, w, b, v):
    return mlp(x, w, b, v)


@program("f32 16 32", "f32 32 48", "f32 48", "f32 48 8", "f32 16 8")
def mlp_step(x, w, b, v, y):
    def loss(p):
        return jnp.mean((jax.nn.gelu(x @ p[0] + p[1]) @ p[2] - y) ** 2)

    l, g = jax.value_and_grad(loss)((w, b, v))
    return l, jax.tree.map(lambda p, d: p - 0.1 * d, (w, b, v), g)


def attention(q, k, v, mask=None):
    s = jnp.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(q.shape[-1]).astype(q.dtype)
    if mask is not None:
        s = jnp.where(mask, s, jnp.array(-1e9, s.dtype))
    return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(s, axis=-1), v)


@program(*["f32 1 2 32 16"] * 3)
def attention_f32(q, k, v):
    return attention(q, k, v)


@program(*["bf16 1 2 32 16"] * 3)
def attention_bf16(q, k, v):
    return attention(q, k, v)


@program(*["f32 1 2 24 16"] * 3)
def attention_causal(q, k, v):
    return attention(q, k, v, jnp.tril(jnp.ones((24, 24), bool)))


@program("f32 24 200", "f32 200", "f32 200")
def layer_norm(x, g, b):
    m = x.mean(-1, keepdims=True)
    return (x - m) * lax.rsqrt(((x - m) ** 2).mean(-1, keepdims=True) + 1e-5) * g + b


@program("bf16 24 256", "bf16 256")
def rms_norm_bf16(x, g):
    y = x.astype(jnp.float32)
    return (y * lax.rsqrt((y * y).mean(-1, keepdims=True) + 1e-6)).astype(x.dtype) * g


@program("f32 2 12 12 3", "f32 3 3 3 8")
def convolution(x, w):
    return lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


@program("f32 1 10 10 4", "f32 3 3 4 6")
def convolution_grad(x, w):
    return jax.grad(lambda w: (convolution(x, w) ** 2).sum())(w)


@program("f32 8 6 6 5", "f32 5", "f32 5")
def batch_norm(x, g, b):
    m, v = x.mean((0, 1, 2)), x.var((0, 1, 2))
    return (x - m) * lax.rsqrt(v + 1e-3) * g + b


@program("f32 48 24", "s32 40")
def embedding_grad(table, at):
    return jax.grad(lambda t: jnp.sin(t[at % 48]).sum())(table)


@program("f32 12 20", "f32 12 20", "f32 20 20", "f32 20 20")
def recurrent(h, x, w, u):
    return lax.scan(lambda h, _: (jnp.tanh(h @ w + x @ u), h.sum(-1)), h, None, length=6)


@program("f32 30 40", "s32 30")
def cross_entropy(x, label):
    def loss(x):
        return -jnp.take_along_axis(jax.nn.log_softmax(x), (label % 40)[:, None], 1).mean()

    return jax.value_and_grad(loss)(x)


@program(*["f32 500"] * 4)
def adam(p, g, m, v):
    m, v = 0.9 * m + 0.1 * g, 0.999 * jnp.abs(v) + 0.001 * g * g
    return p - 1e-3 * (m / 0.1) / (jnp.sqrt(v / 0.001) + 1e-8), m, v


# ---- numerics ----


@program("f64 24 64", "f64 64 24")
def matmul_f64(a, b):
    return a @ b


@program("f32 16 1024", "f32 1024 16")
def matmul_long(a, b):
    return a @ b


@program("f64 20 50")
def softmax_f64(x):
    return jax.nn.softmax(x * 20, -1)


@program("f64 34 34")
def heat_f64(u):
    def step(_, u):
        inner = u[1:-1, 1:-1]
        around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
        return u.at[1:-1, 1:-1].set(inner + 0.2 * (around - 4 * inner))

    return lax.fori_loop(0, 8, step, u)


@program("f32 300")
def newton(x):
    a = jnp.abs(x) + 0.5
    return lax.while_loop(lambda s: s[1] < 6, lambda s: ((s[0] + a / s[0]) / 2, s[1] + 1), (a, 0))[0]


@program("c64 16 16")
def mandelbrot(c):
    z = lax.fori_loop(0, 5, lambda _, z: z * z + c, jnp.zeros_like(c))
    return jnp.abs(z), z


@program("f32 20 70")
def running(x):
    return jnp.cumsum(x, 1), lax.cummax(x, axis=0)


@program("f32 40 6", "f32 9 6")
def nearest(x, c):
    d = ((x[:, None] - c[None]) ** 2).sum(-1)
    return jnp.argmin(d, 1), d.min(1)


# ---- integers ----


@program("s8 16 64", "s8 64 16")
def matmul_s8(a, b):
    return lax.dot(a, b, preferred_element_type=jnp.int32)


@program("s32 600")
def histogram(x):
    return jnp.zeros(17, jnp.int32).at[x % 17].add(1)


@program("u32 400")
def mix_u32(x):
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):
        x = (x ^ (x >> shift)) * jnp.uint32(factor)
    return x ^ (x >> 16), lax.population_count(x)


@program("u8 20 24")
def blur_u8(x):
    y = jnp.pad(x.astype(jnp.int32), 1, mode="edge")
    return (sum(y[i : i + 20, j : j + 24] for i in range(3) for j in range(3)) // 9).astype(jnp.uint8)


@program("s32 12 40")
def order_s32(x):
    return jnp.sort(x, 1), jnp.argsort(x % 7, 1, stable=True)


@program("s64 256", "s64 256")
def modular_s64(a, b):
    b = jnp.abs(b) % 1000 + 1
    return a // b, a % b, a * b - (a >> 3)


for name, (f, shapes) in PROGRAMS.items():
    text = jax.jit(f).lower(*map(spec, shapes)).as_text()
    (FOLDER / f"{name}.mlir").write_text(text)
print(len(PROGRAMS), "programs")
