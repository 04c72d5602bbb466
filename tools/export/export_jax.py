"""tools/export/export_jax.py -- a function of JAX, or a model of Flax, Equinox or Haiku, as files that xlagpu reads.

    python tools/export/export_jax.py my_model.py make -o build/model

my_model.py has `def make(): return f, weights, inputs`: a function f(weights, *inputs) or a model, its weights (any
tree of arrays; None where the model carries them), and a tuple of example inputs, whose shapes and types count. Or, in
a program:

    from export_jax import export
    export(f, weights, inputs, "build/model")

Written are
    build/model.mlir           StableHLO with the names of all parameters
    build/model.safetensors    the weights, by the names that they have in the tree: "Dense_0.kernel"
    build/model.inputs.npz     the example inputs, by the names that the function gives them
    build/model.results.npz    what JAX computes of them: out0, out1 ...

and it runs by
    xlagpu run build/model.mlir --args build/model.safetensors --args build/model.inputs.npz \\
        --expect build/model.results.npz

Models: flax.linen modules with their variables, flax.nnx modules, equinox modules, haiku.Transformed with its
parameters. A model that needs random numbers (dropout) is exported as it is for inference; a function may take a key's
bits, jax.random.key_data(key), and wrap them itself. Refused: sizes that depend on values, callbacks to Python,
arguments that are no arrays."""

import inspect, os, re, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import files
import jax
import numpy as np

def array(a):
    """As JAX takes it: a number of Python has the type that JAX gives it."""
    return np.asarray(jax.numpy.asarray(a))


def flat(tree, what):
    """path -> array, in the order of JAX"""
    out = {}
    for path, leaf in jax.tree_util.tree_flatten_with_path(tree)[0]:
        name = jax.tree_util.keystr(path, simple=True, separator=".")
        if not hasattr(leaf, "dtype") and not isinstance(leaf, (bool, int, float, complex)):
            raise SystemExit(f"{what}: {name or 'it'} is {type(leaf).__name__}; arrays and numbers can be exported")
        if hasattr(leaf, "dtype") and jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
            raise SystemExit(f"{what}: {name or 'it'} is a random key: pass jax.random.key_data(key)")
        out[name] = leaf
    return out


def as_function(f, weights):
    """A model as f(weights, *inputs), and its weights as a tree of dictionaries."""
    kind = [c.__module__ for c in type(f).__mro__]
    if any(m.startswith("flax.linen") for m in kind):
        return lambda weights, *inputs: f.apply(weights, *inputs), weights
    if any(m.startswith("flax.nnx") for m in kind):
        from flax import nnx

        graph, state = nnx.split(f)
        rest = nnx.to_pure_dict(state) if weights is None else weights

        def call(weights, *inputs):
            whole = nnx.clone(state) if hasattr(nnx, "clone") else state
            nnx.replace_by_pure_dict(whole, weights)
            return nnx.merge(graph, whole)(*inputs)

        return call, rest
    if any(m.startswith("equinox") for m in kind):
        import equinox

        arrays, rest = equinox.partition(f, equinox.is_array)
        return lambda weights, *inputs: equinox.combine(weights, rest)(*inputs), arrays if weights is None else weights
    if type(f).__name__ in ("Transformed", "MultiTransformed") and hasattr(f, "apply"):
        return lambda weights, *inputs: f.apply(weights, None, *inputs), weights
    return f, weights


def input_names(f, inputs):
    """What f calls its inputs; x0, x1 ... where it does not say."""
    try:
        rows = list(inspect.signature(f).parameters.values())[1:]
    except (TypeError, ValueError):
        rows = []
    plain = [p.name for p in rows if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return plain[: len(inputs)] if len(plain) >= len(inputs) else ["x%d" % k for k in range(len(inputs))]


def export(f, weights, inputs, path, names=None):
    """Writes the four files; gives the results of JAX as a list of arrays. names: of the inputs, where f has none."""
    f, weights = as_function(f, weights)
    names = names or input_names(f, inputs)
    weights = {} if weights is None else weights
    flat(weights, "weights")
    for name, x in zip(names, inputs):
        flat(x, name)
    made = eval("lambda weights, %s: f(weights, %s)" % (", ".join(names), ", ".join(names)), {"f": f})
    made.__name__ = re.sub(r"\W", "_", os.path.basename(path))
    jitted = jax.jit(made, keep_unused=True)
    lowered = jitted.lower(weights, *inputs)
    with open(path + ".mlir", "w") as out:
        out.write(names_alone(lowered.as_text(debug_info=True)))
    files.write_safetensors(path + ".safetensors", {k: array(v) for k, v in flat(weights, "weights").items()})
    files.write_inputs(path, {k: array(v) for k, v in flat(dict(zip(names, inputs)), "inputs").items()})
    results = [np.asarray(r) for r in jax.tree_util.tree_leaves(jitted(weights, *inputs))]
    files.write_results(path, results)
    return results


def names_alone(text):
    """Of all locations only those that are names of parameters: the others say where the Python files lay."""
    text = re.sub(r' loc\((#loc\d*|"[^"]*"\(#loc\d*\))\)', "", text)
    return "\n".join(line for line in text.split("\n") if line and not line.startswith("#loc")) + "\n"


if __name__ == "__main__":
    files.main(export, __doc__)
