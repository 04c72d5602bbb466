"""Writes train.mlir: a step of training a network that tells two spirals apart. python3 model.py

The weights are donated: the step's results take their memory.
"""

import jax
import jax.numpy as jnp

POINTS, HIDDEN, RATE = 256, 24, 0.5


def guess(w, at):
    w1, b1, w2, b2, w3 = w
    return jnp.tanh(jnp.tanh(at @ w1 + b1) @ w2 + b2) @ w3


def loss(w, at, side):
    """at f32[POINTS, 2]; side f32[POINTS]: 1 or -1."""
    return jnp.log1p(jnp.exp(-side * guess(w, at))).mean()


def train(w1, b1, w2, b2, w3, at, side):
    w = w1, b1, w2, b2, w3
    value, slope = jax.value_and_grad(loss)(w, at, side)
    return *(a - RATE * g for a, g in zip(w, slope)), value, (guess(w, at) * side > 0).mean()


if __name__ == "__main__":
    shapes = (2, HIDDEN), (HIDDEN,), (HIDDEN, HIDDEN), (HIDDEN,), (HIDDEN,), (POINTS, 2), (POINTS,)
    arguments = [jax.ShapeDtypeStruct(s, jnp.float32) for s in shapes]
    lowered = jax.jit(train, donate_argnums=range(5)).lower(*arguments)
    print(lowered.as_text(), file=open("train.mlir", "w"), end="")
