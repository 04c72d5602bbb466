"""Writes train.mlir: a step of the training of a small GPT-2 by Adam, every weight an array of its own.

Arguments: the weights in the order of NAMES, Adam's first and second moments in the same order, the count of steps
f32[], the text s32[BATCH, LENGTH + 1]. Results: the same but for the text, then the loss. python3 model.py
"""

import jax
import jax.numpy as jnp

LETTERS, WIDTH, HEADS, LENGTH, BATCH, LAYERS = 64, 32, 8, 16, 8, 2
RATE, BETA1, BETA2 = 0.01, 0.9, 0.99
LAYER = {
    "ln1_g": (WIDTH,), "ln1_b": (WIDTH,),
    "qkv_w": (WIDTH, 3, HEADS, WIDTH // HEADS), "qkv_b": (3, HEADS, WIDTH // HEADS),
    "out_w": (HEADS, WIDTH // HEADS, WIDTH), "out_b": (WIDTH,),
    "ln2_g": (WIDTH,), "ln2_b": (WIDTH,),
    "up_w": (WIDTH, 4 * WIDTH), "up_b": (4 * WIDTH,),
    "down_w": (4 * WIDTH, WIDTH), "down_b": (WIDTH,),
}  # fmt: skip
SHAPES = {"wte": (LETTERS, WIDTH), "wpe": (LENGTH, WIDTH)}
for layer in range(LAYERS):
    SHAPES.update({f"h{layer}_{n}": s for n, s in LAYER.items()})
SHAPES.update({"ln_g": (WIDTH,), "ln_b": (WIDTH,)})
NAMES = list(SHAPES)


def norm(x, g, b):
    return (x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * g + b


def block(w, x, h):
    def of(n):
        return w[f"h{h}_{n}"]

    y = norm(x, of("ln1_g"), of("ln1_b"))
    q, k, v = jnp.moveaxis(jnp.einsum("btc,cihd->bihtd", y, of("qkv_w")) + of("qkv_b")[:, :, None], 1, 0)
    scores = jnp.einsum("bhtd,bhsd->bhts", q, k) * (WIDTH // HEADS) ** -0.5
    weights = jax.nn.softmax(jnp.where(jnp.tril(jnp.ones((LENGTH, LENGTH), bool)), scores, -1e9), -1)
    mixed = jnp.einsum("bhts,bhsd->bthd", weights, v)
    x = x + jnp.einsum("bthd,hdc->btc", mixed, of("out_w")) + of("out_b")
    y = norm(x, of("ln2_g"), of("ln2_b"))
    return x + jax.nn.gelu(y @ of("up_w") + of("up_b")) @ of("down_w") + of("down_b")


def loss(weights, text):
    w = dict(zip(NAMES, weights))
    x = w["wte"][text[:, :-1]] + w["wpe"]
    for h in range(LAYERS):
        x = block(w, x, h)
    guess = jax.nn.log_softmax(norm(x, w["ln_g"], w["ln_b"]) @ w["wte"].T)
    return -jnp.take_along_axis(guess, text[:, 1:, None], -1).mean()


def train(weights, m, v, step, text):
    value, grads = jax.value_and_grad(loss)(weights, text)
    step = step + 1
    m = [BETA1 * a + (1 - BETA1) * g for a, g in zip(m, grads)]
    v = [BETA2 * a + (1 - BETA2) * g * g for a, g in zip(v, grads)]
    scale = RATE * jnp.sqrt(1 - BETA2**step) / (1 - BETA1**step)
    weights = [w - scale * a / (jnp.sqrt(b) + 1e-8) for w, a, b in zip(weights, m, v)]
    return weights, m, v, step, value


def main():
    arrays = [jax.ShapeDtypeStruct(s, jnp.float32) for s in SHAPES.values()]
    step, text = jax.ShapeDtypeStruct((), jnp.float32), jax.ShapeDtypeStruct((BATCH, LENGTH + 1), jnp.int32)
    lowered = jax.jit(train).lower(arrays, arrays, arrays, step, text)
    with open("train.mlir", "w") as f:
        f.write(lowered.as_text())


if __name__ == "__main__":
    main()
