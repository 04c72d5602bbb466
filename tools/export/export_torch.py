"""tools/export/export_torch.py -- a model of PyTorch as files that xlagpu reads, by torch.export and torchax.

    pip install torch torchax jax        (the CPU's torch is enough)
    python tools/export/export_torch.py my_model.py make -o build/model

my_model.py has `def make(): return model, inputs`: a torch.nn.Module and a tuple of example tensors, or the name of a
file that torch.export.save wrote in place of the model. In a program: `from export_torch import export;
export(model, inputs, "build/model")`. The files are those of export_jax.py; weights and buffers have their names in the
state dict: "layers.0.self_attn.in_proj_weight". model.results.npz is what PyTorch computes, not JAX.

Exported is the model in the mode in which it is: call model.eval() first. Types of 64 bits stay what they are where
inputs or results have them. What the model does not use of its state (counters of batch norms) is left out. Refused:
models that torch.export refuses (branches that depend on values), operations that torchax has no translation of
(their names are said), sizes that are left open, models that change their own buffers (batch norms that are trained),
inputs that are no tensors or numbers, tensors of quantised types (dequantise them: weights of int8 and their scales as
arguments are allowed)."""

import os, sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import jax
import export_jax
import files
import numpy as np
import torch
import torchax.export
import ml_dtypes

torchax.default_env()  # reads torchax' translations

BITS = {
    torch.bfloat16: (torch.int16, ml_dtypes.bfloat16),
    torch.float8_e4m3fn: (torch.uint8, ml_dtypes.float8_e4m3fn),
    torch.float8_e5m2: (torch.uint8, ml_dtypes.float8_e5m2),
}
WIDE = ("i8", "u8", "f8", "c16")  # 64 bits, which JAX has only where it is told so


def array(t, name="it"):
    """A tensor as an array of numpy of the same type."""
    if isinstance(t, (bool, int, float)):
        return np.asarray(t)
    if not isinstance(t, torch.Tensor):
        raise SystemExit(f"{name} is {type(t).__name__}; tensors and numbers can be exported")
    if t.is_quantized:
        raise SystemExit(f"{name} is quantised; dequantise it, or pass its integers and scales as tensors")
    t = t.detach().cpu().contiguous()
    if t.dtype in BITS:
        through, made = BITS[t.dtype]
        return t.view(through).numpy().view(made)
    return t.numpy()


def program(model, inputs):
    """What torch.export makes of it."""
    if isinstance(model, torch.export.ExportedProgram):
        return model
    if isinstance(model, (str, os.PathLike)):
        return torch.export.load(model)
    if not isinstance(model, torch.nn.Module):
        raise SystemExit(f"{type(model).__name__} is no torch.nn.Module; a function can stand in one's forward")
    return torch.export.export(model, tuple(inputs))


def missing(exported):
    """The operations that torchax does not translate."""
    known = torchax.export.ops_registry.all_aten_ops
    exported = exported.run_decompositions(torchax.export.decompositions.DECOMPOSITIONS)
    used = {n.target for n in exported.graph.nodes if isinstance(n.target, torch._ops.OpOverload)}
    return sorted(str(t) for t in used if t not in known and t.overloadpacket not in known)


def function(exported):
    """It as a function of JAX, f(weights by name, *inputs); its weights; the names of its inputs."""
    sign = exported.graph_signature
    if sign.buffers_to_mutate or sign.user_inputs_to_mutate:
        changed = ", ".join([*sign.buffers_to_mutate.values(), *sign.user_inputs_to_mutate.values()])
        raise SystemExit(f"the model changes {changed}: call model.eval(), or give the new values as results")
    if exported.range_constraints:
        raise SystemExit("sizes are left open: export without dynamic_shapes")
    names, states, call = torchax.export.exported_program_to_jax(exported, export_raw=True)
    names = list(names) + list(sign.lifted_tensor_constants)
    if len(names) != len(states):
        raise SystemExit(f"torchax gives {len(states)} values for {len(names)} names")
    used = [bool(n.users) for n in exported.graph.nodes if n.op == "placeholder"]
    weights = {name: array(value, name) for name, value, u in zip(names, states, used) if u}
    inputs = [name for name in sign.user_inputs if isinstance(name, str)]
    return lambda weights, *inputs: call([weights.get(n) for n in names], inputs), weights, inputs


def export(model, inputs, path):
    with torch.no_grad():
        exported = program(model, inputs)
        results = exported.module()(*inputs)
        exported = exported.run_decompositions()  # what changes a buffer says so from here on
    call, weights, names = function(exported)
    inputs = torch.utils._pytree.tree_leaves(tuple(inputs))
    inputs = tuple(array(x, name) for x, name in zip(inputs, names))
    results = [array(r, "a result") for r in torch.utils._pytree.tree_leaves(results)]
    jax.config.update("jax_enable_x64", any(a.dtype.str[1:] in WIDE for a in [*inputs, *results]))
    try:
        made = export_jax.export(call, weights, inputs, path, names)
    except AssertionError:
        raise SystemExit("torchax has no " + (", ".join(missing(exported)) or "translation of it"))
    for k, (r, m) in enumerate(zip(results, made)):
        if r.dtype != m.dtype or r.shape != m.shape:
            raise SystemExit(f"result {k} is {r.dtype}{list(r.shape)}; torchax makes it {m.dtype}{list(m.shape)}")
    files.write_results(path, results)
    return results


if __name__ == "__main__":
    files.main(export, __doc__)
