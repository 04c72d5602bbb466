"""tools/export/export_tensorflow.py -- a function or model of TensorFlow as files that xlagpu reads, by tf2xla.

    python tools/export/export_tensorflow.py my_model.py make -o build/model

my_model.py has `def make(): return model, inputs`: a function of tensors (plain or tf.function), a tf.Module, a Keras
model on TensorFlow's backend, or the name of a SavedModel's folder, whose signature serving_default is taken; and a
tuple of example tensors, or for a signature a dictionary of them. In a program: `from export_tensorflow import export;
export(model, inputs, "build/model")`.

Written are model.mlir (StableHLO of tf.function(jit_compile=True)), model.safetensors (the variables that the function
reads, by their names: "dense/kernel:0" is dense.kernel; tensors that it closes over are constant0 ...),
model.inputs.npz and model.results.npz (what TensorFlow itself computes, without XLA).

Refused: operations that tf2xla has no kernel of (strings, hash tables, py_function), functions that assign to
variables, sizes that depend on values, resources other than variables."""

import os, re, sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import files
import tensorflow as tf


def function(model):
    """It as a function of tensors."""
    if isinstance(model, (str, os.PathLike)):
        loaded = tf.saved_model.load(model)
        if "serving_default" not in loaded.signatures:
            raise SystemExit(f"{model} has no signature serving_default; there are {list(loaded.signatures)}")
        signature = loaded.signatures["serving_default"]
        names = list(signature.structured_input_signature[1])
        signature.keep = loaded  # its variables live as long as it
        return lambda *inputs: tf.nest.flatten(signature(**dict(zip(names, inputs)))), names
    if not callable(model):
        raise SystemExit(f"{type(model).__name__} can not be called")
    if hasattr(model, "stateless_call"):  # Keras: as for inference
        return lambda *inputs: model(inputs[0] if len(inputs) == 1 else list(inputs), training=False), None
    return model, None


def captured(concrete):
    """Name -> value of what the function takes beside its inputs, in the order in which it takes it."""
    by_handle = {id(v.handle): v for v in concrete.graph.variables}
    out, n = {}, 0
    for t in concrete.captured_inputs:
        v = by_handle.get(id(t))
        if v is None and t.dtype in (tf.resource, tf.variant, tf.string):
            raise SystemExit(f"the function closes over a tensor of {t.dtype.name}, which is no variable")
        name = "constant%d" % n if v is None else getattr(v, "path", v.name).split(":")[0].replace("/", ".")
        n += v is None
        while name in out:
            name += "_"
        out[name] = (t if v is None else v).numpy()
    return out


def without_places(text):
    """Without loc(...), whose brackets may be nested."""
    text = "\n".join(line for line in text.split("\n") if not line.startswith("#loc"))
    out, at = [], 0
    for m in re.finditer(r" loc\(", text):
        if m.start() < at:
            continue
        depth, end = 1, m.end()
        while depth:
            quote = re.match(r'"(?:[^"\\]|\\.)*"', text[end:]) if text[end] == '"' else None
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += quote.end() if quote else 1
        out.append(text[at : m.start()])
        at = end
    return "".join(out) + text[at:]


def with_names(text, names):
    """The parameters of @main get names."""
    head = re.search(r"@main\((%arg0.*?)\) -> ", text, re.S)
    arguments = re.split(r", (?=%arg\d+:)", head[1]) if head else []
    if len(arguments) != len(names):
        said = ", ".join(names)
        raise SystemExit(f"XLA makes {len(arguments)} parameters of {len(names)} inputs and variables: {said}")
    named = ", ".join(f'{a} loc("{name}")' for a, name in zip(arguments, names))
    return text[: head.start(1)] + named + text[head.end(1) :] if head else text


def export(model, inputs, path):
    call, names = function(model)
    if isinstance(inputs, dict):
        inputs = [inputs[name] for name in names or inputs]
    inputs = [tf.convert_to_tensor(x) for x in inputs]
    results = [r.numpy() for r in tf.nest.flatten(call(*inputs))]
    compiled = tf.function(call, jit_compile=True, autograph=False)
    concrete = compiled.get_concrete_function(*[tf.TensorSpec(x.shape, x.dtype) for x in inputs])
    weights = captured(concrete)
    names = names or ["x%d" % k if len(inputs) > 1 else "x" for k in range(len(inputs))]
    try:
        text = compiled.experimental_get_compiler_ir(*inputs)(stage="stablehlo")
    except Exception as e:
        raise SystemExit("XLA can not compile the function: " + str(e).split("\n")[0])
    with open(path + ".mlir", "w") as out:
        out.write(with_names(without_places(text), [*names, *weights]))
    files.write_safetensors(path + ".safetensors", weights)
    files.write_inputs(path, dict(zip(names, (x.numpy() for x in inputs))))
    files.write_results(path, results)
    return results


if __name__ == "__main__":
    files.main(export, __doc__)
