"""Writes scene.mlir: a ray-marched picture as a function of the time and the camera's height. python3 scene.py"""

import jax
import jax.numpy as jnp

W, H, STEPS = 192, 128, 40


def distance(p):
    """To a ball that sinks into a wavy floor, two boxes beside it, smoothly joined."""
    x, y, z = p
    ball = jnp.sqrt(x * x + y * y + z * z) - 1.0
    floor = y + 0.8 + 0.06 * jnp.sin(4.0 * x) * jnp.sin(4.0 * z)
    side = jnp.maximum(jnp.maximum(jnp.abs(jnp.abs(x) - 2.1), jnp.abs(y + 0.3)), jnp.abs(z)) - 0.45
    k = jnp.clip(0.5 + 0.5 * (floor - ball) / 0.4, 0.0, 1.0)
    return jnp.minimum(floor * (1 - k) + ball * k - 0.4 * k * (1 - k), side)


def scene(angle, height):
    v, u = jnp.meshgrid(jnp.linspace(1, -1, H) * H / W, jnp.linspace(-1, 1, W), indexing="ij")
    c, s = jnp.cos(angle), jnp.sin(angle)
    eye = jnp.stack([-4.0 * s, height, -4.0 * c])
    ray = jnp.stack([u * c + 1.4 * s, v - 0.25 * height, -u * s + 1.4 * c])
    ray = ray / jnp.sqrt((ray * ray).sum(0))

    def at(t):
        return [e + r * t for e, r in zip(eye, ray)]

    t = jax.lax.fori_loop(0, STEPS, lambda _, t: t + 0.9 * distance(at(t)), jnp.zeros((H, W)))
    p = at(t)
    e, d = 1e-3, distance(p)
    n = jnp.stack([distance([q + e * (i == j) for j, q in enumerate(p)]) - d for i in range(3)]) / e
    light = jnp.array([0.5, 0.7, -0.5])
    lit = jnp.clip((n * light[:, None, None]).sum(0), 0.0, 1.0)

    def nearer(k, least):  # how close to something the way to the light comes
        return jnp.minimum(least, 6.0 * distance([q + l * 0.15 * k for q, l in zip(p, light)]) / k)

    shade = jnp.clip(jax.lax.fori_loop(1, 9, nearer, jnp.ones((H, W))), 0.0, 1.0)
    check = jnp.where((jnp.floor(2 * p[0]) + jnp.floor(2 * p[2])) % 2 == 0, 0.75, 1.0)
    own = jnp.where(p[1] < -0.6, 0.9 * check, 1.0)
    color = jnp.stack([0.95 * own, (0.55 + 0.15 * p[1]) * own, (0.35 + 0.25 * p[1]) * own])
    color = color * (0.15 + 0.85 * lit * shade)
    sky = jnp.stack([0.45 + 0.3 * ray[1], 0.6 + 0.3 * ray[1], 0.8 + 0.2 * ray[1]])
    fog = jnp.exp(-0.002 * t * t * t)
    picture = jnp.sqrt(jnp.clip(color * fog + sky * (1 - fog), 0.0, 1.0))
    return (picture.transpose(1, 2, 0) * 255).astype(jnp.uint8)


if __name__ == "__main__":
    f32 = jax.ShapeDtypeStruct((), jnp.float32)
    print(jax.jit(scene).lower(f32, f32).as_text(), file=open("scene.mlir", "w"), end="")
