"""tools/export/export_keras.py -- a Keras 3 model as files that xlagpu reads, by Keras' JAX backend.

    python tools/export/export_keras.py my_model.py make -o build/model

my_model.py has `def make(): return model, inputs`: a built Keras model and a tuple of example inputs. Or, in a program
that has set KERAS_BACKEND=jax: `from export_keras import export; export(model, inputs, "build/model")`. The files are
those of export_jax.py; weights have Keras' names: "dense.kernel" of dense/kernel.

Exported is the model's inference. Refused: other backends (the model can be saved there and loaded here:
keras.saving.load_model), models that are not built, inputs of text."""

import os, sys

os.environ.setdefault("KERAS_BACKEND", "jax")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import export_jax
import files
import keras


def export(model, inputs, path):
    if keras.backend.backend() != "jax":
        raise SystemExit(f"Keras runs on {keras.backend.backend()}: set KERAS_BACKEND=jax")
    if not model.built:
        raise SystemExit(f"{model.name} is not built: call it once on an input")
    weights = {v.path.replace("/", "."): v.value for v in model.variables}
    if len(weights) != len(model.variables):
        raise SystemExit(f"{model.name}: two weights have one name")

    def call(weights, *inputs):
        pick = lambda variables: [weights[v.path.replace("/", ".")] for v in variables]
        given = inputs[0] if len(inputs) == 1 else list(inputs)
        results, _ = model.stateless_call(
            pick(model.trainable_variables), pick(model.non_trainable_variables), given, training=False
        )
        return results

    return export_jax.export(call, weights, inputs, path)


if __name__ == "__main__":
    files.main(export, __doc__)
