"""Writes fluid.mlir: one frame of smoke that a jet blows around. python3 fluid.py"""

import jax
import jax.numpy as jnp

N, STEP, PRESSURE_ROUNDS = 96, 0.9, 12


def sample(field, y, x):
    """The field between its points, around the edges."""
    y0, x0 = jnp.floor(y), jnp.floor(x)
    fy, fx = y - y0, x - x0
    a, b = y0.astype(jnp.int32) % N, x0.astype(jnp.int32) % N
    c, d = (a + 1) % N, (b + 1) % N
    top = field[a, b] * (1 - fx) + field[a, d] * fx
    return top * (1 - fy) + (field[c, b] * (1 - fx) + field[c, d] * fx) * fy


def around(f):
    return [jnp.roll(f, n, axis) for axis in (0, 1) for n in (1, -1)]


def frame(velocity, smoke, time):
    """velocity f32[2,N,N] (down, right), smoke f32[N,N]: what they are a frame later, and the picture."""
    row, column = jnp.meshgrid(jnp.arange(N, dtype=jnp.float32), jnp.arange(N, dtype=jnp.float32), indexing="ij")
    source = jnp.exp(-((row - 80) ** 2 + (column - 48 - 14 * jnp.sin(0.15 * time)) ** 2) / 14)
    smoke = smoke + 0.5 * source
    velocity = velocity.at[0].add(-0.35 * source - 0.03 * smoke).at[1].add(0.25 * source * jnp.cos(0.31 * time))
    back = row - STEP * velocity[0], column - STEP * velocity[1]
    velocity = jnp.stack([sample(v, *back) for v in velocity])
    smoke = 0.992 * sample(smoke, *back)
    up, down, _, _ = around(velocity[0])
    _, _, left, right = around(velocity[1])
    divergence = 0.5 * (down - up + right - left)
    pressure = jax.lax.fori_loop(
        0, PRESSURE_ROUNDS, lambda _, p: 0.25 * (sum(around(p)) - divergence), jnp.zeros((N, N))
    )
    up, down, left, right = around(pressure)
    velocity = velocity - 0.5 * jnp.stack([down - up, right - left])
    glow = jnp.clip(smoke, 0, 1)
    picture = jnp.stack([1.6 * glow, 1.1 * glow * glow + 0.05 * glow, 0.15 + 0.85 * glow**4], -1)
    return velocity, smoke, (jnp.clip(picture, 0, 1) * 255).astype(jnp.uint8)


if __name__ == "__main__":
    f = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)
    step = jax.jit(frame, donate_argnums=(0, 1))
    print(step.lower(f(2, N, N), f(N, N), f()).as_text(), file=open("fluid.mlir", "w"), end="")
