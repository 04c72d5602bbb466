"""examples/flax/spirals.py -- trains a small Flax model to tell two spirals apart, and writes it for spirals.c:
spirals.mlir, the program, and spirals.safetensors, its weights. Run it in this folder: python spirals.py"""

import os, sys

import flax.linen as nn
import jax, jax.numpy as jnp

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/export"))
from export_jax import export

POINTS, TURNS, STEPS, RATE = 97, 1.5, 3000, 0.01  # spirals.c has the first two as well


class Spirals(nn.Module):
    @nn.compact
    def __call__(self, points):
        h = nn.tanh(nn.Dense(24)(points))
        h = nn.tanh(nn.Dense(24)(h))
        return nn.Dense(1)(h)[:, 0]


def spirals():
    t = jnp.linspace(0.1, 1, POINTS)
    arm = jnp.stack([t * jnp.cos(2 * jnp.pi * TURNS * t), t * jnp.sin(2 * jnp.pi * TURNS * t)], 1)
    return jnp.concatenate([arm, -arm]), jnp.concatenate([jnp.ones(POINTS), -jnp.ones(POINTS)])


def loss(weights, points, side):
    return jnp.mean(nn.softplus(-side * Spirals().apply(weights, points)))


@jax.jit
def step(k, weights, m, v, points, side):
    """Adam"""
    g = jax.grad(loss)(weights, points, side)
    m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, g)
    v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, v, g)
    new = lambda w, m, v: w - RATE * m / (1 - 0.9**k) / (jnp.sqrt(v / (1 - 0.999**k)) + 1e-8)
    return jax.tree.map(new, weights, m, v), m, v


def main():
    points, side = spirals()
    weights = Spirals().init(jax.random.key(0), points)
    m = v = jax.tree.map(jnp.zeros_like, weights)
    for k in range(1, STEPS + 1):
        weights, m, v = step(float(k), weights, m, v, points, side)
    print("loss", loss(weights, points, side))
    screen = jnp.zeros((32 * 64, 2))
    export(Spirals(), weights, (screen,), "spirals")
    os.remove("spirals.inputs.npz")
    os.remove("spirals.results.npz")


if __name__ == "__main__":
    main()
