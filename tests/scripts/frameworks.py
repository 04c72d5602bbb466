"""tests/scripts/frameworks.py [CASE ...] -- models of JAX's and Keras' worlds, exported by tools/export, run by
build/xlagpu with their weights by name, and compared with what the framework computes. Each framework is tried where
Python has it. Ends with "N passed, N failed"."""

import importlib, os, subprocess, sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("KERAS_BACKEND", "jax")
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, ROOT + "/tools/export")
counts = {"passed": 0, "failed": 0}


def verdict(ok, what, why=""):
    counts["passed" if ok else "failed"] += 1
    print(("  ok    " if ok else "  FAIL  ") + what + ("" if ok else ": " + why))


def xlagpu(*args):
    return subprocess.run([ROOT + "/build/xlagpu", *args], capture_output=True, text=True)


def runs(name, path, least_weights):
    """As the framework has it; and with a weight less, that one is named."""
    args = ["run", path + ".mlir", "--platform=host", "--args", path + ".inputs.npz"]
    weights = ["--args", path + ".safetensors"]
    p = xlagpu(*args, *weights, "--expect", path + ".results.npz", "--rtol=2e-4", "--atol=2e-5")
    ok = p.returncode == 0 and "right:" in p.stderr and "no parameter takes" not in p.stderr
    verdict(ok, name, p.stderr.strip()[-600:])
    p = xlagpu(*args)
    missing = p.stderr.count("and needs")
    verdict(p.returncode == 2 and missing >= least_weights, name + ": its weights are asked for", p.stderr[-300:])


def functions(folder):
    import jax, jax.numpy as jnp
    from export_jax import export

    w = {"a": jnp.arange(6.0).reshape(2, 3), "b": [jnp.ones(3, jnp.bfloat16), 2]}
    export(lambda w, x, times: (x @ w["a"] * times, w["b"][0] * w["b"][1]), w, (jnp.ones((4, 2)), 3), folder + "f")
    runs("a function with a tree of weights", folder + "f", 3)
    for wrong, says in ((("text",), "is str"), ((jax.random.key(0),), "is a random key")):
        try:
            export(lambda w, x: x, w, wrong, folder + "wrong")
            verdict(False, "an argument that is no array", "exported")
        except SystemExit as e:
            verdict(says in str(e), "refused: " + says, str(e))


def linen(folder):
    import jax, jax.numpy as jnp, numpy as np
    import flax.linen as nn
    from export_jax import export

    class Mlp(nn.Module):
        @nn.compact
        def __call__(self, x):
            return nn.Dense(5)(nn.LayerNorm()(nn.gelu(nn.Dense(32)(x))))

    class Cnn(nn.Module):
        @nn.compact
        def __call__(self, x):
            x = nn.relu(nn.BatchNorm(use_running_average=True)(nn.Conv(8, (3, 3))(x)))
            return nn.Dense(10)(nn.avg_pool(x, (2, 2), (2, 2)).reshape(x.shape[0], -1))

    class Block(nn.Module):
        @nn.compact
        def __call__(self, tokens):
            x = nn.Embed(40, 16)(tokens)
            mask = nn.make_causal_mask(tokens)
            x = x + nn.MultiHeadDotProductAttention(num_heads=2)(nn.LayerNorm()(x), mask=mask)
            x = x + nn.Dense(16)(nn.gelu(nn.Dense(32)(nn.LayerNorm()(x))))
            return nn.Dense(40, use_bias=False)(x)

    data = np.random.RandomState(1)
    for model, x, weights in (
        (Mlp(), jnp.asarray(data.randn(3, 7), jnp.float32), 6),
        (Cnn(), jnp.asarray(data.randn(2, 12, 12, 3), jnp.float32), 8),
        (Block(), jnp.asarray(data.randint(0, 40, (2, 9)), jnp.int32), 18),
    ):
        path = folder + type(model).__name__
        export(model, model.init(jax.random.key(0), x), (x,), path)
        runs("flax.linen " + type(model).__name__, path, min(weights, 8))


def nnx(folder):
    import jax.numpy as jnp
    from flax import nnx
    from export_jax import export

    class Net(nnx.Module):
        def __init__(self, rngs):
            self.first, self.norm = nnx.Linear(6, 12, rngs=rngs), nnx.LayerNorm(12, rngs=rngs)
            self.second = nnx.Linear(12, 3, rngs=rngs)

        def __call__(self, x):
            return self.second(nnx.relu(self.norm(self.first(x))))

    export(Net(nnx.Rngs(0)), None, (jnp.ones((2, 6)),), folder + "nnx")
    runs("flax.nnx", folder + "nnx", 6)


def equinox(folder):
    import jax, jax.numpy as jnp, equinox as eqx
    from export_jax import export

    export(eqx.nn.MLP(4, 3, 8, 2, key=jax.random.key(0)), None, (jnp.ones(4),), folder + "equinox")
    runs("equinox", folder + "equinox", 6)


def haiku(folder):
    import jax, jax.numpy as jnp, haiku as hk
    from export_jax import export

    net = hk.transform(lambda x: hk.nets.MLP([16, 4])(x))
    x = jnp.ones((2, 5))
    export(net, net.init(jax.random.key(0), x), (x,), folder + "haiku")
    runs("haiku", folder + "haiku", 4)


def keras(folder):
    import keras, numpy as np
    from export_keras import export

    layers = keras.layers
    model = keras.Sequential(
        [layers.Input((10, 10, 1)), layers.Conv2D(4, 3, activation="relu"), layers.BatchNormalization(),
         layers.MaxPooling2D(), layers.Flatten(), layers.Dropout(0.5), layers.Dense(5, activation="softmax")]
    )  # fmt: skip
    export(model, (np.random.RandomState(0).rand(3, 10, 10, 1).astype("float32"),), folder + "keras")
    runs("keras", folder + "keras", 8)


folder = ROOT + "/build/frameworks/"
os.makedirs(folder, exist_ok=True)
for case, needs in (
    (functions, "jax"), (linen, "flax"), (nnx, "flax"), (equinox, "equinox"), (haiku, "haiku"), (keras, "keras")
):  # fmt: skip
    if sys.argv[1:] and case.__name__ not in sys.argv[1:]:
        continue
    try:
        for module in ("jax", needs):
            importlib.import_module(module)
    except ImportError as e:
        print(f"  not here: {case.__name__} ({e})")
        continue
    case(folder)
print(", ".join(f"{n} {what}" for what, n in counts.items()))
sys.exit(counts["failed"] != 0)
