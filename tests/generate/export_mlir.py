#!/usr/bin/env python3
"""Exports the corpus again, in the other forms that JAX has: of each NAME.hlo that make_corpus.py writes, StableHLO
text (NAME.mlir), StableHLO's portable bytecode (NAME.mlirbc), and the HLO protobuf (NAME.pb).

    python3 tests/generate/export_mlir.py MAKE_CORPUS OUT [--only SUBSTRING] [--debug]

MAKE_CORPUS is the corpus's own generator, whose functions and arguments are used; needs the JAX that it asks for.
--debug: with locations. tests/scripts/mlir_corpus.py compares what comes of each."""
import argparse
import importlib.util
import os
from jax._src.lib import _jax
from jaxlib.mlir.dialects import stablehlo

ap = argparse.ArgumentParser(usage=__doc__)
ap.add_argument("make_corpus")
ap.add_argument("out")
ap.add_argument("--only", default="")
ap.add_argument("--debug", action="store_true")
a = ap.parse_args()
spec = importlib.util.spec_from_file_location("make_corpus", a.make_corpus)
corpus = importlib.util.module_from_spec(spec)
spec.loader.exec_module(corpus)
WIDE = ("f64", "s64", "u64", "convert_matrix", "transpose_types")  # names of cases that need 64 bits
os.makedirs(a.out, exist_ok=True)
for name, _, _, _, make in corpus.CASES:
    if a.only not in name:
        continue
    corpus.jax.config.update("jax_enable_x64", any(w in name for w in WIDE))
    fn, args = make()
    lowered = corpus.jax.jit(fn, keep_unused=True).trace(*args).lower(lowering_platforms=("cuda",))
    path = os.path.join(a.out, name)
    with open(path + ".mlir", "w") as f:
        f.write(lowered.as_text(debug_info=a.debug))
    with open(path + ".mlirbc", "wb") as f:
        f.write(_jax.mlir.serialize_portable_artifact(lowered.compiler_ir("stablehlo"),
                                                      stablehlo.get_current_version(), True))
    with open(path + ".pb", "wb") as f:
        f.write(lowered.compiler_ir("hlo").as_serialized_hlo_module_proto())
print(len(os.listdir(a.out)), "files in", a.out)
