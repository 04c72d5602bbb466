"""Writes train.mlir and write.mlir: a transformer of one layer, a step of its training, and a step of its writing.

All weights are one vector, so that a program in C has one buffer to keep. python3 model.py
"""

import jax
import jax.numpy as jnp
from jax.flatten_util import ravel_pytree

LETTERS, WIDTH, HEADS, LENGTH, BATCH = 32, 32, 4, 32, 8
RATE, BETA1, BETA2 = 0.01, 0.9, 0.99


def initial(key):
    shapes = {
        "letters": (LETTERS, WIDTH), "places": (LENGTH, WIDTH), "qkv": (WIDTH, 3 * WIDTH), "out": (WIDTH, WIDTH),
        "up": (WIDTH, 4 * WIDTH), "down": (4 * WIDTH, WIDTH), "last": (WIDTH, LETTERS),
    }  # fmt: skip
    keys = jax.random.split(key, len(shapes))
    return {n: jax.random.normal(k, s) * 0.4 * s[0] ** -0.5 for k, (n, s) in zip(keys, shapes.items())}


def norm(x):
    return (x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)


def heads(x):
    return x.reshape(*x.shape[:-1], HEADS, WIDTH // HEADS)


def mix(q, k, v, allowed):
    """Attention: q [..., t, h, d] over k and v [..., s, h, d]; allowed [t, s]."""
    scores = jnp.einsum("...thd,...shd->...hts", q, k) * (WIDTH // HEADS) ** -0.5
    weights = jax.nn.softmax(jnp.where(allowed, scores, -1e9), -1)
    return jnp.einsum("...hts,...shd->...thd", weights, v).reshape(*q.shape[:-2], WIDTH)


def rest(w, x, mixed):
    x = x + mixed @ w["out"]
    return x + jax.nn.gelu(norm(x) @ w["up"]) @ w["down"]


def logits(w, letters):
    x = w["letters"][letters] + w["places"]
    q, k, v = (heads(p) for p in jnp.split(norm(x) @ w["qkv"], 3, -1))
    return norm(rest(w, x, mix(q, k, v, jnp.tril(jnp.ones((LENGTH, LENGTH), bool))))) @ w["last"]


START, unravel = ravel_pytree(initial(jax.random.key(0)))


def loss(flat, text):
    """Of predicting text s32[BATCH, LENGTH + 1] letter by letter."""
    guess = jax.nn.log_softmax(logits(unravel(flat), text[:, :-1]))
    return -jnp.take_along_axis(guess, text[:, 1:, None], -1).mean()


def train(flat, m, v, step, text):
    """Adam. step f32[] counts from 0."""
    value, g = jax.value_and_grad(loss)(flat, text)
    m, v, step = BETA1 * m + (1 - BETA1) * g, BETA2 * v + (1 - BETA2) * g * g, step + 1
    change = m / (1 - BETA1**step) / (jnp.sqrt(v / (1 - BETA2**step)) + 1e-8)
    return flat - RATE * change, m, v, step, value


def write(flat, cache, letter, place):
    """The next letter's logits; cache f32[2, LENGTH, WIDTH] has keys and values of the places before."""
    w = unravel(flat)
    x = w["letters"][letter] + w["places"][place]
    q, k, v = jnp.split(norm(x) @ w["qkv"], 3)
    cache = jax.lax.dynamic_update_slice(cache, jnp.stack([k, v])[:, None], (0, place, 0))
    mixed = mix(heads(q)[None], heads(cache[0]), heads(cache[1]), jnp.arange(LENGTH)[None] <= place)
    return norm(rest(w, x, mixed[0])) @ w["last"], cache


if __name__ == "__main__":
    f32, s32 = (lambda *s: jax.ShapeDtypeStruct(s, jnp.float32)), (lambda *s: jax.ShapeDtypeStruct(s, jnp.int32))
    flat, cache = f32(START.size), f32(2, LENGTH, WIDTH)
    trained = jax.jit(train, donate_argnums=(0, 1, 2, 3)).lower(flat, flat, flat, f32(), s32(BATCH, LENGTH + 1))
    print(trained.as_text(), file=open("train.mlir", "w"), end="")
    written = jax.jit(write, donate_argnums=1).lower(flat, cache, s32(), s32())
    print(written.as_text(), file=open("write.mlir", "w"), end="")
