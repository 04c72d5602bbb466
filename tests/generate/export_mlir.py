#!/usr/bin/env python3
"""Exports the corpus again, as StableHLO text: NAME.mlir beside where make_corpus.py writes NAME.hlo.

    python3 tests/generate/export_mlir.py MAKE_CORPUS OUT [--only SUBSTRING] [--debug]

MAKE_CORPUS is the corpus's own generator, whose functions and arguments are used; needs the JAX that it asks for.
--debug: with locations. tests/scripts/mlir_corpus.py compares what comes of both."""
import argparse
import importlib.util
import os

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
    with open(os.path.join(a.out, name + ".mlir"), "w") as f:
        f.write(lowered.as_text(debug_info=a.debug))
print(len(os.listdir(a.out)), "files in", a.out)
