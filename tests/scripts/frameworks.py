"""tests/scripts/frameworks.py [CASE ...] -- models of JAX, Keras, PyTorch and TensorFlow, exported by tools/export, run
by build/xlagpu with their weights by name, and compared with what the framework computes. Each framework is tried where
Python has it. Ends with "N passed, N failed"."""

import importlib, os, subprocess, sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("KERAS_BACKEND", "tensorflow" if sys.argv[1:] == ["tensorflow"] else "jax")
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, ROOT + "/tools/export")
counts = {"passed": 0, "failed": 0}


def verdict(ok, what, why=""):
    counts["passed" if ok else "failed"] += 1
    print(("  ok    " if ok else "  FAIL  ") + what + ("" if ok else ": " + why))


def xlagpu(*args):
    return subprocess.run([ROOT + "/build/xlagpu", *args], capture_output=True, text=True)


def runs(name, path, least_weights, tolerances=("--rtol=2e-4", "--atol=2e-5")):
    """As the framework has it; and with a weight less, that one is named."""
    args = ["run", path + ".mlir", "--platform=host", "--args", path + ".inputs.npz"]
    weights = ["--args", path + ".safetensors"]
    p = xlagpu(*args, *weights, "--expect", path + ".results.npz", *tolerances)
    ok = p.returncode == 0 and "right:" in p.stderr and "no parameter takes" not in p.stderr
    verdict(ok, name, p.stderr.strip()[-600:])
    if not least_weights:
        return
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


def pytorch(folder):
    import torch
    from export_torch import export

    nn, act = torch.nn, torch.nn.functional
    torch.manual_seed(0)

    class Encoder(nn.Module):
        def __init__(self):
            super().__init__()
            layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, norm_first=True, activation="gelu")
            self.embed, self.out = nn.Embedding(30, 16), nn.Linear(16, 30)
            self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
            self.register_buffer("mask", torch.ones(9, 9, dtype=torch.bool).triu(1))

        def forward(self, tokens, padding):
            h = self.layers(self.embed(tokens), mask=self.mask, src_key_padding_mask=padding, is_causal=False)
            return self.out(h)

    class Residual(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Conv2d(3, 8, 3, 2, 1, bias=False), nn.Conv2d(8, 8, 3, 1, 1, bias=False)
            self.na, self.nb, self.down = nn.BatchNorm2d(8), nn.BatchNorm2d(8), nn.Conv2d(3, 8, 1, 2)

        def forward(self, x):
            return act.relu(self.nb(self.b(act.relu(self.na(self.a(x))))) + self.down(x)).mean((2, 3))

    class Recurrent(nn.Module):
        def __init__(self, kind):
            super().__init__()
            self.cells, self.out = kind(5, 7, batch_first=True), nn.Linear(7, 2)

        def forward(self, x):
            return self.out(self.cells(x)[0])

    class Integers(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("weight", torch.randint(-128, 128, (12, 6), dtype=torch.int8))
            self.register_buffer("scale", torch.rand(6) * 0.1)

        def forward(self, x):
            whole = torch.clamp(torch.round(x / 0.03), -128, 127).to(torch.int8)
            return (whole.int() @ self.weight.int()).float() * 0.03 * self.scale

    padding = torch.zeros(2, 9, dtype=torch.bool)
    padding[0, 6:] = True
    mlp = nn.Sequential(nn.Linear(7, 16), nn.GELU(), nn.LayerNorm(16), nn.Dropout(0.1), nn.Linear(16, 3))
    coarse = nn.Sequential(nn.Linear(8, 16), nn.SiLU(), nn.Linear(16, 4)).to(torch.bfloat16)
    half = ("--rtol=2e-2", "--atol=1e-2")
    for name, model, inputs, weights, *tolerances in (
        ("mlp", mlp, (torch.randn(3, 7),), 6),
        ("encoder", Encoder(), (torch.randint(0, 30, (2, 9)), padding), 28),
        ("residual", Residual(), (torch.randn(2, 3, 12, 12),), 12),
        ("lstm", Recurrent(nn.LSTM), (torch.randn(2, 6, 5),), 6),
        ("gru", Recurrent(nn.GRU), (torch.randn(2, 6, 5),), 6),
        ("int8", Integers(), (torch.randn(4, 12),), 2),
        ("bfloat16", coarse, (torch.randn(3, 8).to(torch.bfloat16),), 4, half),
    ):
        path = folder + "torch_" + name
        export(model.eval(), inputs, path)
        runs("torch " + name, path, min(weights, 8), *tolerances)
    try:
        export(nn.BatchNorm1d(3).train(), (torch.randn(4, 3),), folder + "wrong")
        verdict(False, "refused: a model that is trained", "exported")
    except SystemExit as e:
        verdict("running_mean" in str(e), "refused: a model that is trained", str(e))


def tensorflow(folder):
    import keras, numpy as np, tensorflow as tf
    from export_tensorflow import export

    layers, data = keras.layers, np.random.RandomState(2)
    values = lambda *shape: tf.constant(data.randn(*shape), tf.float32)

    class Module(tf.Module):
        def __init__(self):
            super().__init__()
            self.w, self.c = tf.Variable(values(4, 3), name="w"), values(3)

        def __call__(self, x, y):
            return tf.einsum("bi,ij->bj", x, self.w) * self.c + tf.reduce_sum(y)

    def factors(x):
        q, r = tf.linalg.qr(x)
        s, _, v = tf.linalg.svd(x)
        return tf.abs(r), q @ r, s, v @ tf.linalg.matrix_transpose(v), tf.linalg.eigvalsh(x + tf.transpose(x))

    def pictures(x):
        small = tf.image.resize(x, (5, 7))
        return small, tf.image.rgb_to_grayscale(small), tf.image.adjust_contrast(x, 2.0), tf.math.erf(x)

    cases = [("module", Module(), (values(2, 4), values(3)), 2), ("pictures", pictures, (values(1, 8, 9, 3),), 0),
             ("factors", factors, (values(4, 4),), 0)]  # fmt: skip
    if keras.backend.backend() == "tensorflow":
        sequence = keras.Input((6, 8))
        attended = layers.MultiHeadAttention(2, 4)(sequence, sequence, use_causal_mask=True)
        convolutions = [layers.Input((12, 12, 3)), layers.Conv2D(8, 3, padding="same", strides=2),
                        layers.BatchNormalization(), layers.ReLU(), layers.SeparableConv2D(6, 3), layers.Flatten(),
                        layers.Dense(4, activation="softmax")]  # fmt: skip
        recurrent = [layers.Input((7, 5)), layers.Bidirectional(layers.LSTM(6, return_sequences=True)), layers.GRU(4)]
        dense = keras.Sequential([layers.Input((6,)), layers.Dense(4, activation="tanh"), layers.Dense(2)])
        dense.export(folder + "saved_model", verbose=False)
        cases += [("saved model", folder + "saved_model", (values(1, 6),), 4), ("dense", dense, (values(3, 6),), 4),
                  ("convolutions", keras.Sequential(convolutions), (values(2, 12, 12, 3),), 8),
                  ("recurrent", keras.Sequential(recurrent), (values(2, 7, 5),), 8),
                  ("attention", keras.Model(sequence, attended), (values(2, 6, 8),), 8)]  # fmt: skip
    for name, model, inputs, weights in cases:
        path = folder + "tensorflow_" + name.replace(" ", "_")
        export(model, inputs, path)
        runs("tensorflow " + name, path, weights)
    try:
        export(lambda x: tf.strings.as_string(x), (values(3),), folder + "wrong")
        verdict(False, "refused: an operation on text", "exported")
    except SystemExit as e:
        verdict("XLA can not compile" in str(e), "refused: an operation on text", str(e))


folder = ROOT + "/build/frameworks/"
os.makedirs(folder, exist_ok=True)
for case, needs in (
    (functions, "jax"), (linen, "flax"), (nnx, "flax"), (equinox, "equinox"), (haiku, "haiku"), (keras, "keras"),
    (pytorch, "torchax"), (tensorflow, "tensorflow")
):  # fmt: skip
    if sys.argv[1:] and case.__name__ not in sys.argv[1:]:
        continue
    try:
        for module in (["jax"] if needs != "tensorflow" else []) + [needs]:
            importlib.import_module(module)
    except ImportError as e:
        print(f"  not here: {case.__name__} ({e})")
        continue
    case(folder)
print(", ".join(f"{n} {what}" for what, n in counts.items()))
sys.exit(counts["failed"] != 0)
