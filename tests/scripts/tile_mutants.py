#!/usr/bin/env python3
"""Errors planted in the emitters of tiles, one at a time: a text test must fail. Needs tcc; run from the root.

    python3 tests/scripts/tile_mutants.py [--from K] [--to N] [--seconds S] | --check

Each is a wrong fragment (rows, columns, halves, which words), a wrong swizzle or a missing barrier, wait or fence in
the code that makes matrix units' kernels; a line has the file, what stands there, what is put in its place, and the
files of tests/text/sched that are to notice. Ends with 'N passed, N failed': what a test noticed, and what survived, is
not there any more or does not compile. --check only looks whether all is there."""

import argparse, os, resource, shutil, subprocess, sys, tempfile

WAIT = "xg_attention_wait(w);"
JOIN = "\n    for (half = 0; half < w->p->halves; half++) xg_attention_join_row"
ATTENTION = "attention_turns attention_rows attention"
GROUPS = "attention_groups"
BACK = "attention_back_groups"
UNITS = "units tiles gemm"
WARPS = "warp_groups bulk_copies"
TENSOR = "tensor_memory"
SUMS = "attention_tensor"
PAIRS = "pairs"
MUTANTS = [
    # fragments of attention, mma.sync
    ("attention_mma.c", "sums->def->a = which;", "sums->def->a = 1 - which;", ATTENTION),
    ("attention_mma.c", "transposed ? XG_KMATRIX_TRANSPOSED : 0", "0", ATTENTION),
    ("attention_mma.c", "r.transposed = true;", "", ATTENTION),
    ("attention_mma.c", "row = low;\n        piece = half;", "row = low;\n        piece = low;", ATTENTION),
    ("attention_mma.c", "piece = xg_tile_quotient(&w->t, low, XG_ATTENTION_EIGHT);", "piece = half;", ATTENTION),
    ("attention_mma.c", "w->p->warp_rows, xg_elem_index", "XG_ATTENTION_ROWS, xg_elem_index", ATTENTION),
    ("attention_mma.c", "block * XG_ATTENTION_ROWS * pitch", "0 * block", ATTENTION),
    ("attention_mma.c", "half = i / XG_ATTENTION_PAIR % 2", "half = 1 - i / XG_ATTENTION_PAIR % 2", ATTENTION),
    ("attention_mma.c", "2 * k + i / XG_ATTENTION_SUMS", "2 * k + 1 - i / XG_ATTENTION_SUMS", ATTENTION),
    ("attention_mma.c", "sums[i / 2][2 * j + i % 2]", "sums[i / 2][2 * j + 1 - i % 2]", ATTENTION),
    ("attention_mma.c", "i / pairs * r->outer + i % pairs * r->inner", "i % pairs * r->inner", ATTENTION),
    ("attention_mma.c", "x[(k + 1) % 2]", "x[k % 2]", ATTENTION),
    ("attention_mma.c", "i % (XG_ATTENTION_AHEAD + 1)", "i % XG_ATTENTION_AHEAD", ATTENTION),
    # swizzles of attention
    ("attention_mma.c", "XORI, piece, 2 * k", "ADDI, piece, 2 * k", ATTENTION),
    ("attention_bring.c", "XG_K_OP_XORI, piece->piece, row", "XG_K_OP_ORI, piece->piece, row", ATTENTION),
    # barriers of attention
    # (without any wait the pass async-copies puts one in front of the barrier)
    ("attention_emit.c", "xg_attention_await(w, 0);", "xg_attention_await(w, 1);", ATTENTION),
    ("attention_emit.c", "xg_attention_await(w, 0);\n    " + WAIT, "xg_attention_await(w, 0);", ATTENTION),
    ("attention_emit.c", "xg_attention_bring_side(w, XG_ATTENTION_VALUES, w->place);\n", "", ATTENTION),
    ("attention_ends.c", WAIT + JOIN, JOIN, ATTENTION),
    ("attention_ends.c", "xg_attention_join_row(w, half);\n    " + WAIT, "xg_attention_join_row(w, half);", ATTENTION),
    ("attention_emit.c", "KEYS, xg_attention_wrapped", "VALUES, xg_attention_wrapped", ATTENTION),
    # attention by warp groups
    ("attention_group.c", "xg_attention_await_side(w, KEYS, XG_ATTENTION_FULL, turn, 0);", "", GROUPS),
    ("attention_group.c", "xg_attention_await_side(w, VALUES, XG_ATTENTION_FULL, turn, 0);", "", GROUPS),
    ("attention_group.c", "xg_attention_await_side(w, side, XG_ATTENTION_EMPTY, turn, 1);", "", GROUPS),
    ("attention_group.c", "xg_kir_do(xg_attention_b(w), XG_K_OP_PROXY_FENCE, NULL, 0);", "", GROUPS),
    ("attention_group.c", "XG_K_OP_WGMMA_WAIT, NULL, 0);", "XG_K_OP_WGMMA_FENCE, NULL, 0);", GROUPS),
    ("attention_group.c", "XG_KWGMMA_B_ROWS, sums, n", "0, sums, n", GROUPS),
    ("attention_group.c", "k % in * XG_KMMA_K_BYTES", "0 * in", GROUPS),
    ("attention_group.c", "xg_attention_release(w, KEYS, turn);", "", GROUPS),
    # the backward pass by warp groups
    ("attention_back_group.c", "await_side(w, XG_ATTENTION_SIDE_KEYS, XG_ATTENTION_FULL, w->turn, 0)",
     "await_side(w, XG_ATTENTION_SIDE_KEYS, XG_ATTENTION_FULL, w->turn, 1)", BACK),
    ("attention_back_group.c", "xg_attention_await_side(w, XG_ATTENTION_SIDE_VALUES, XG_ATTENTION_FULL, w->turn, 0);", "",
     BACK),
    ("attention_back_group.c", "taken(w, false, grads)", "taken(w, false, 1 + grads)", BACK),
    ("attention_back_group.c", "taken(w, true, 0)", "taken(w, true, 1)", BACK),
    ("attention_back_group.c", "XG_K_OP_WGMMA_WAIT, 0)", "XG_K_OP_WGMMA_FENCE, 0)", BACK),
    ("attention_back_group.c", "o.fixed_at = xg_attention_grad_at(w->p)", "o.fixed_at = 0", BACK),
    ("attention_back_emit.c", "xg_attention_release(w, XG_ATTENTION_SIDE_KEYS, w->turn);", "", BACK),
    ("attention_back_emit.c", "return cond ? xg_kselect(b, cond, v", "return !b ? xg_kselect(b, cond, v", BACK),
    ("attention_group.c", "return w->done ?", "return w->done && !w->f->back.is ?", BACK),
    # products by mma.sync
    ("tile_mma.c", "(*sum)->def->a = j % 2;", "(*sum)->def->a = 1 - j % 2;", UNITS),
    ("tile_mma.c", "rows_first ? low : crossed", "rows_first ? crossed : low", UNITS),
    ("tile_mma.c", "v->def->flags = t->by_rows ? 0 : XG_KMATRIX_TRANSPOSED;", "v->def->flags = 0;", UNITS),
    ("tile_mma.c", "v->b[i / v->rows * v->pairs + j / 2]", "v->b[j / 2]", "units tiles gemm few_rows"),
    # products by warp groups and tensor memory
    ("tile_wgmma.c", "XG_K_OP_XORI, own, line", "XG_K_OP_ORI, own, line", WARPS + " " + GROUPS),
    ("tile_wgmma.c", "xg_kir_do(&w->s.b, XG_K_OP_WGMMA_FENCE, NULL, 0);", "", WARPS),
    ("tile_wgmma.c", "xg_tile_group_wait(w, 1);", "", WARPS),
    ("tile_wgmma.c", "op->flags |= XG_KWGMMA_B_ROWS;", "op->flags |= 0;", WARPS),
    ("tile_bulk.c", "xg_tile_bulk_await(w, XG_TILE_BULK_FULL, step, 0);", "", WARPS + " bulk_stays"),
    ("tile_tensor.c", "xg_tile_bulk_await(w, XG_TILE_BULK_FULL, step, 0);", "", TENSOR),
    ("tile_emit.c", "if (slices || !w->rank || w->inbox)", "if (slices || w->inbox)", TENSOR),
    # pairs of blocks
    ("tile_pairs.c", "    xg_tile_pairs_await(w, true);\n", "", PAIRS),
    ("tile_pairs.c", "    xg_tile_pairs_await(w, false);\n", "", PAIRS),
    ("tile_pairs.c", "    xg_cluster_wait(&w->s.b, &w->shared, 1);\n", "", PAIRS),
    ("tile_pairs.c", "return 2 * p->threads / XG_WARP_LANES;", "return p->threads / XG_WARP_LANES;", PAIRS),
    ("tile_pairs.c", "xg_tile_bulk_tell(w, XG_K_OP_MBARRIER_ARRIVE, taken, 0);", "(void)taken;", PAIRS),
    ("tile_pairs.c", "read_to(w, f, 0, columns", "read_to(w, 0, 0, columns", PAIRS),
    ("tile_pairs.c", "xg_tile_quotient(w, number, wide));", "xg_elem_index(&w->s, 0));", PAIRS),
    ("tile_bulk.c", "MBARRIER_EXPECT, full, 2 * bytes", "MBARRIER_EXPECT, full, bytes", PAIRS),
    ("tile_bulk.c", "full = xg_tile_pairs_first(w, full);", "", PAIRS),
    ("tile_bulk.c", "half_rows ? 2 * t->rows : t->rows", "t->rows", PAIRS),
    ("tile_bulk.c", "return empty ? 2 : 1;", "return 1;", PAIRS),
    ("tile_pairs.c", "op->a = NEIGHBOURS << k;", "op->a = NEIGHBOURS;", PAIRS),
    ("tile_pairs.c", "made, BOTH << 2", "made, BOTH", PAIRS),
    ("tile_bulk.c", "side ? w->pair : w->next;", "w->pair;", PAIRS),
    # attention in tensor memory
    ("attention_tensor.c", "xg_attention_await_tell(w, XG_ATTENTION_SUMMED, turn, 1);", "", SUMS),
    ("attention_tensor.c", "xg_attention_await_tell(w, XG_ATTENTION_TAKEN, turn, 0);", "", SUMS),
    ("attention_tensor.c", "xg_attention_await_tell(w, XG_ATTENTION_READY, turn, 0);", "", SUMS),
    ("attention_tensor.c", "x = by[XG_ATTENTION_HALVES * block +", "x = by[", SUMS),
    ("attention_tensor.c", "block * XG_ATTENTION_ROWS, column", "0 * block, column", SUMS),
    ("attention_tensor.c", "return xg_attention_is_apart(p, 1) ? p->shape.step : 0;", "return 0 * p->shape.step;", SUMS),
]


def built(tree):
    command = "tcc -w -std=gnu99 -DXLAGPU_DEBUG tests/programs/runner.c -o runner -lm -ldl -lpthread"
    return subprocess.run(command.split(), cwd=tree, capture_output=True, text=True)


def fails(tree, names, seconds):
    """How the tests end: None where all pass."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    for name in names.split():
        text = f"tests/text/sched/{name}.txt"
        done = subprocess.run(["./runner", text], cwd=tree, capture_output=True, text=True, preexec_fn=limit)
        if done.returncode:
            return name
    return None


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--from", dest="first", type=int, default=0)
    p.add_argument("--to", type=int, default=len(MUTANTS))
    p.add_argument("--check", action="store_true")
    p.add_argument("--seconds", type=int, default=120, help="of processor time of a file of tests: a hang is caught")
    o = p.parse_args()
    passed, failed = 0, 0
    with tempfile.TemporaryDirectory() as tree:
        for part in () if o.check else ("src", "tests/programs", "tests/stages", "tests/text", "packages/c"):
            shutil.copytree(part, os.path.join(tree, part))
        for k, (name, old, new, tests) in list(enumerate(MUTANTS))[o.first:o.to]:
            path = os.path.join("src", "sched", name)
            text = open(path).read()
            if old not in text:
                said, noticed = "is not there", False
            elif o.check:
                said, noticed = "is there", True
            else:
                path = os.path.join(tree, path)
                with open(path, "w") as f:
                    f.write(text.replace(old, new, 1))
                made = built(tree)
                by = None if made.returncode else fails(tree, tests, o.seconds)
                said = f"does not compile: {made.stderr}" if made.returncode else f"by {by}" if by else "SURVIVED"
                noticed = by is not None
                with open(path, "w") as f:
                    f.write(text)
            passed += noticed
            failed += not noticed
            if not noticed or not o.check:
                print(f"{'' if noticed else 'FAIL '}{k} {name}: {old!r} -> {new!r}: {said}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
