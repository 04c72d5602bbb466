"""Programs that xla_optimized.py gives to XLA:GPU. A generator yields name, function, arguments, options of XLA."""

import jax, jax.numpy as jnp
import numpy as np
from jax import lax

bf = jnp.bfloat16
library = {"xla_gpu_enable_triton_gemm": False}
triton = {"xla_gpu_enable_triton_gemm": True}
hiding = dict(library, xla_gpu_enable_latency_hiding_scheduler=True)
buffers = dict(
    library,
    xla_gpu_enable_command_buffer="FUSION,CUBLAS,CUBLASLT,CUDNN,CUSTOM_CALL,WHILE,CONDITIONAL,COLLECTIVES,"
    "DYNAMIC_SLICE_FUSION",
    xla_gpu_graph_min_graph_size=1,
)


def normal(seed):
    """A function that makes arrays of normally distributed numbers."""
    rng = np.random.default_rng(seed)
    return lambda *dims, t=np.float32: jnp.asarray(rng.standard_normal(dims), t)


def operations():
    """Small programs, each about one operation or one option of XLA."""
    f, ints = normal(7), np.random.default_rng(8)
    sym = f(12, 12)
    sym = sym @ sym.T + 12 * jnp.eye(12)
    x, w, b = f(32, 64), f(64, 48), f(48)
    q = f(2, 4, 32, 16)

    def attention(q, k, v):
        s = jnp.einsum("bhmd,bhnd->bhmn", q, k) / 4
        return jnp.einsum("bhmn,bhnd->bhmd", jax.nn.softmax(s), v)

    def loss(w, b, x):
        return jnp.sum(jnp.tanh(x @ w + b) ** 2)

    def groups(x, w):
        from jax.experimental.xla_metadata import set_xla_metadata

        with set_xla_metadata(_scheduling_group_id="1"):
            y = jnp.sin(x)
        with set_xla_metadata(_scheduling_group_id="2"):
            z = x @ w
        return y.sum() + z.sum()

    def collective(x):
        return lax.psum(jnp.sin(x), "i") + lax.all_gather(x, "i").sum(0) + lax.ppermute(x, "i", [(0, 0)])

    yield "gemm_bias_relu_cublas", lambda x, w, b: jax.nn.relu(x @ w + b), (x, w, b), library
    yield "gemm_bias_relu_triton", lambda x, w, b: jax.nn.relu(x @ w + b), (x, w, b), triton
    yield "gemm_bf16_triton", lambda x, w: (x.astype(bf) @ w.astype(bf)), (x, w), triton
    yield (
        "gemm_int8_triton",
        lambda x, w: lax.dot(x, w, preferred_element_type=jnp.int32),
        (jnp.asarray(ints.integers(-9, 9, (32, 64)), jnp.int8), jnp.asarray(ints.integers(-9, 9, (64, 32)), jnp.int8)),
        triton,
    )
    yield (
        "gemm_gelu_cublaslt",
        lambda x, w, b: jax.nn.gelu(x @ w + b),
        (x, w, b),
        dict(library, xla_gpu_enable_cublaslt=True),
    )
    yield "gemm_f64", lambda x, w: jnp.dot(x, w), (f(16, 24), f(24, 8)), library
    yield "gemm_batched_transposed", lambda x, y: jnp.einsum("bij,bkj->bik", x, y), (f(3, 8, 16), f(3, 12, 16)), triton
    yield (
        "gemm_split_k",
        lambda x, w: x @ w,
        (f(16, 2048), f(2048, 16)),
        triton,
    )
    yield "attention_triton", attention, (q, q + 1, q - 1), triton
    yield "attention_cublas", attention, (q, q + 1, q - 1), library
    yield "softmax_triton", lambda x: jax.nn.softmax(x * 2), (f(64, 100),), triton
    yield (
        "layernorm",
        lambda x: (x - x.mean(1, keepdims=True)) * lax.rsqrt(x.var(1, keepdims=True) + 1e-5),
        (f(64, 96),),
        triton,
    )
    yield "grad_of_dense", jax.grad(loss, (0, 1)), (w, b, x), library
    yield (
        "conv_bias_relu_cudnn",
        lambda x, k, b: jax.nn.relu(
            lax.conv_general_dilated(x, k, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")) + b
        ),
        (f(2, 8, 8, 4), f(3, 3, 4, 8), f(8)),
        library,
    )
    yield (
        "conv_grads",
        jax.grad(lambda k, x: (lax.conv(x, k, (2, 2), "VALID") ** 2).sum(), (0, 1)),
        (f(8, 4, 3, 3), f(2, 4, 9, 9)),
        library,
    )
    yield (
        "conv_grouped",
        lambda x, k: lax.conv_general_dilated(x, k, (1,), "SAME", feature_group_count=4),
        (f(2, 8, 16), f(8, 2, 3)),
        library,
    )
    yield (
        "conv_bf16",
        lambda x, k: lax.conv(x.astype(bf), k.astype(bf), (1, 1), "SAME"),
        (f(1, 8, 8, 8), f(8, 8, 3, 3)),
        library,
    )
    yield "fft_real", lambda x: jnp.abs(jnp.fft.irfft(jnp.fft.rfft(x) * 2)), (f(4, 64),), library
    yield "fft_2d", lambda x: jnp.real(jnp.fft.ifft2(jnp.fft.fft2(x))), (f(8, 12),), library
    yield "sort_pairs", lambda k, v: lax.sort((k, v), num_keys=1), (f(2000), jnp.arange(2000)), library
    yield "top_k", lambda x: lax.top_k(x, 5), (f(8, 1000),), library
    yield (
        "cholesky_solve",
        lambda a, b: jax.scipy.linalg.cho_solve(jax.scipy.linalg.cho_factor(a), b),
        (sym, f(12, 3)),
        library,
    )
    yield "eigh", lambda a: jnp.linalg.eigvalsh(a), (sym,), library
    yield "qr", lambda a: jnp.abs(jnp.linalg.qr(a)[1]), (f(12, 8),), library
    yield "svd", lambda a: jnp.linalg.svd(a, compute_uv=False), (f(12, 8),), library
    yield "lu_solve", lambda a, b: jnp.linalg.solve(a, b), (sym, f(12, 2)), library
    yield (
        "scan",
        lambda x: lax.scan(lambda c, y: (jnp.tanh(c + y @ y.T), c.sum()), jnp.zeros((8, 8)), x),
        (f(10, 8, 8),),
        library,
    )
    yield (
        "while_and_cond",
        lambda x: lax.while_loop(
            lambda s: s[0] < 5, lambda s: (s[0] + 1, lax.cond(s[0] % 2 == 0, jnp.sin, jnp.cos, s[1])), (0, x)
        ),
        (f(32),),
        dict(library, xla_gpu_graph_min_graph_size=1),
    )
    yield (
        "loop_double_buffered",
        lambda x: lax.fori_loop(0, 6, lambda i, c: jnp.sin(c) @ c, x),
        (f(16, 16) / 8,),
        dict(library, xla_gpu_enable_while_loop_double_buffering=True),
    )
    yield "random", lambda k: jax.random.normal(jax.random.key(k), (50,)), (jnp.uint32(3),), library
    yield "scatter_add", lambda x, i, u: x.at[i].add(u), (f(20, 8), jnp.asarray([1, 5, 1, 19]), f(4, 8)), library
    yield "gather_dynamic", lambda x, i: jnp.take(x, i, axis=0) * 2, (f(20, 8), jnp.asarray([3, 0, 7])), library
    yield (
        "dynamic_update",
        lambda x, u, i: lax.dynamic_update_slice(jnp.sin(x), u, (i, 0)),
        (f(16, 8), f(2, 8), jnp.int32(5)),
        library,
    )
    yield "cumulative", lambda x: (jnp.cumsum(x, 1), lax.cummax(x, 0)), (f(12, 200),), library
    yield (
        "scheduling_groups",
        groups,
        (f(16, 16), f(16, 16)),
        dict(library, xla_gpu_enable_latency_hiding_scheduler=True),
    )
    yield (
        "fp8_dot",
        lambda x, w: lax.dot(
            x.astype(jnp.float8_e4m3fn), w.astype(jnp.float8_e4m3fn), preferred_element_type=jnp.float32
        ),
        (f(16, 32), f(32, 16)),
        library,
    )
    yield "collectives_of_one", jax.vmap(collective, axis_name="i", axis_size=1), (f(1, 16),), library
    yield (
        "multi_stream",
        lambda x, w: (x @ w, x @ (w + 1), jnp.sin(x)),
        (f(32, 32), f(32, 32)),
        dict(library, xla_gpu_async_dot=True, xla_gpu_enable_latency_hiding_scheduler=True),
    )
    yield (
        "command_buffers",
        lambda x, w: jnp.sin(jnp.cos(x @ w) @ w) @ w,
        (f(16, 16), f(16, 16)),
        dict(
            library,
            xla_gpu_enable_command_buffer="FUSION,CUBLAS,CUSTOM_CALL,WHILE,CONDITIONAL",
            xla_gpu_graph_min_graph_size=1,
        ),
    )


# ---- parts of models ----


def lstm(x, wi, wh, b):
    def step(carry, xt):
        h, s = carry
        i, g, forget, o = jnp.split(xt @ wi + h @ wh + b, 4, -1)
        s = jax.nn.sigmoid(forget) * s + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(s)
        return (h, s), h

    return lax.scan(step, (jnp.zeros((4, 8)), jnp.zeros((4, 8))), x)[1]


def grouped_attention(q, k, v):
    s = jnp.einsum("bhgmd,bhnd->bhgmn", q, k) / 4
    s = jnp.where(jnp.tril(jnp.ones((16, 16), bool)), s, -jnp.inf)
    return jnp.einsum("bhgmn,bhnd->bhgmd", jax.nn.softmax(s), v)


def mixture_of_experts(x, w, gate):
    p, i = lax.top_k(jax.nn.softmax(x @ gate), 2)
    o = jnp.einsum("td,edf->tef", x, w)
    return (jnp.take_along_axis(o, i[..., None], 1) * p[..., None]).sum(1)


def adam(p, g, m, v, t):
    m = 0.9 * m + 0.1 * g
    v = 0.99 * v + 0.01 * g * g
    return p - 1e-3 * (m / (1 - 0.9**t)) / (jnp.sqrt(v / (1 - 0.99**t)) + 1e-8), m, v


def conv3d_dilated(x, k):
    names = ("NDHWC", "DHWIO", "NDHWC")
    return lax.conv_general_dilated(x, k, (1, 1, 1), [(1, 1)] * 3, rhs_dilation=(2, 1, 1), dimension_numbers=names)


def conv_transpose_depthwise(x, k):
    names = ("NHWC", "HWIO", "NHWC")
    return lax.conv_general_dilated(
        x, k, (1, 1), [(1, 2), (1, 2)], lhs_dilation=(2, 2), feature_group_count=4, dimension_numbers=names
    )


def batchnorm_train(x, gain, bias):
    mean = x.mean((0, 1, 2))
    return (x - mean) * lax.rsqrt(x.var((0, 1, 2)) + 1e-5) * gain + bias, mean


def max_pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID").sum()


def cube_root(x):
    """By Newton's method; ends when all are near."""
    near = lambda s: jnp.abs(s[0] ** 3 - s[1]).max() > 1e-3
    step = lambda s: (s[0] - (s[0] ** 3 - s[1]) / (3 * s[0] ** 2 + 1e-6), s[1])
    return lax.while_loop(near, step, (jnp.abs(x) + 1, jnp.abs(x) + 0.5))[0]


def branches(i, x):
    inner = lambda x: lax.cond(x.sum() > 0, jnp.cos, jnp.tan, x)
    return lax.switch(i, [jnp.sin, inner, lambda x: x @ x], x)


def remat_mlp(w, x):
    return jnp.sum(jax.checkpoint(lambda w, x: jnp.tanh(jnp.tanh(x @ w) @ w))(w, x) ** 2)


def rmsnorm_rope(x, c, s):
    y = x.astype(jnp.float32)
    y = (y * lax.rsqrt((y**2).mean(-1, keepdims=True) + 1e-6)).astype(bf)
    a, b = y[..., :8], y[..., 8:]
    return jnp.concatenate([a * c - b * s, b * c + a * s], -1)


def kv_cache_update(cache, row, i, q):
    cache = lax.dynamic_update_slice(cache, row, (0, i, 0))
    return cache, jnp.einsum("bd,bnd->bn", q, cache)


def triangular_solve(a, b):
    a = jnp.tril(a) + 4 * jnp.eye(6)
    return lax.linalg.triangular_solve(a, b, left_side=True, lower=True, transpose_a=True)


def cross_entropy(w, x, y):
    return -jnp.take_along_axis(jax.nn.log_softmax(x @ w), y[:, None], 1).mean()


def models():
    """Parts of models, their gradients and optimisers, and numerical routines."""
    f, rng = normal(23), np.random.default_rng(24)

    def ints(low, high, *dims):
        return jnp.asarray(rng.integers(low, high, dims), jnp.int32)

    cell = (f(6, 4, 5), f(5, 32), f(8, 32), f(32))
    heads = (f(2, 2, 3, 16, 16), f(2, 2, 16, 16), f(2, 2, 16, 16))
    yield "lstm", lstm, cell, library
    yield "lstm_grad", jax.grad(lambda *a: (lstm(*a) ** 2).sum(), (1, 2, 3)), cell, hiding
    yield "attention_grouped_causal", grouped_attention, heads, triton
    yield "attention_grouped_grad", jax.grad(lambda *a: grouped_attention(*a).sum(), (0, 1, 2)), heads, buffers
    yield "mixture_of_experts", mixture_of_experts, (f(12, 8), f(4, 8, 6), f(8, 4)), triton
    yield "ragged_dot", lax.ragged_dot, (f(12, 8), f(3, 8, 5), jnp.asarray([5, 0, 7], jnp.int32)), library
    yield "adam", adam, (f(40, 30), f(40, 30), f(40, 30), jnp.abs(f(40, 30)), jnp.float32(3)), buffers
    yield "conv3d_dilated", conv3d_dilated, (f(1, 6, 6, 6, 3), f(3, 3, 3, 3, 4)), library
    yield "conv_transpose_depthwise", conv_transpose_depthwise, (f(1, 5, 5, 4), f(3, 3, 1, 4)), library
    yield "batchnorm_train", batchnorm_train, (f(4, 6, 6, 8), f(8), f(8)), library
    yield "maxpool_grad", jax.grad(max_pool), (f(2, 8, 8, 3),), library
    yield (
        "avgpool_overlap",
        lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 2, 2, 1), "SAME") / 9,
        (f(2, 9, 9, 3),),
        library,
    )
    yield "argmax_onehot", lambda x: jax.nn.one_hot(jnp.argmax(x, -1), 17, dtype=bf), (f(9, 17),), library
    yield "segment_sum", lambda x, i: jax.ops.segment_sum(x, i, 6), (f(20, 3), ints(0, 6, 20)), library
    yield "sort_two_keys", lambda a, b: lax.sort((a, b, jnp.arange(50)), num_keys=2), (ints(0, 5, 50), f(50)), library
    yield (
        "int4_dequant_matmul",
        lambda x, w, s: x @ (w.astype(jnp.int4).astype(jnp.float32) * s),
        (f(8, 16), ints(-8, 8, 16, 12).astype(jnp.int8), f(1, 12)),
        triton,
    )
    yield (
        "complex_matmul_fft",
        lambda x: jnp.fft.fftshift(jnp.fft.fft(x @ x.conj().T)),
        (f(8, 8).astype(jnp.complex64) + 1j * f(8, 8),),
        library,
    )
    yield "irfftn", lambda x: jnp.fft.irfftn(jnp.fft.rfftn(x) * 0.5), (f(4, 6, 8),), library
    yield "triangular_solve_batched", triangular_solve, (f(3, 6, 6), f(3, 6, 2)), library
    yield "newton", cube_root, (f(16),), buffers
    yield "switch_nested", branches, (jnp.int32(1), f(8, 8)), buffers
    yield "remat_mlp_grad", jax.grad(remat_mlp), (f(16, 16) / 4, f(8, 16)), hiding
    yield "bf16_rmsnorm_rope", rmsnorm_rope, (f(2, 12, 16, t=bf), f(12, 8, t=bf), f(12, 8, t=bf)), triton
    yield "kv_cache_update", kv_cache_update, (f(2, 16, 8), f(2, 1, 8), jnp.int32(9), f(2, 8)), buffers
    yield (
        "categorical_sample",
        lambda l, k: jax.random.categorical(jax.random.key(k), l, axis=-1),
        (f(6, 20), jnp.uint32(5)),
        library,
    )
    yield "svd_grad", jax.grad(lambda x: jnp.linalg.svd(x, compute_uv=False)[:2].sum()), (f(8, 5),), library
    yield "quantile", lambda x, q: jnp.quantile(x, q, axis=1), (f(5, 40), jnp.asarray([0.1, 0.5, 0.9])), library
    yield "cross_entropy_grad", jax.grad(cross_entropy), (f(12, 30), f(9, 12), ints(0, 30, 9)), triton
    yield (
        "dropout",
        lambda x, k: jnp.where(jax.random.bernoulli(jax.random.key(k), 0.7, x.shape), x / 0.7, 0),
        (f(33, 17), jnp.uint32(8)),
        library,
    )
    yield (
        "einsum_chain",
        lambda a, b, c: jnp.einsum("ijk,kl,lmi->jm", a, b, c),
        (f(4, 5, 6), f(6, 7), f(7, 3, 4)),
        library,
    )
