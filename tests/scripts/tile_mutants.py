#!/usr/bin/env python3
"""Errors planted in the emitters of tiles, one at a time: a text test must fail. Needs tcc; run from the root.

    python3 tests/scripts/tile_mutants.py [--from K] [--to N] [--seconds S] | --check

Each is a wrong fragment (rows, columns, halves, which words), a wrong swizzle or a missing barrier, wait or fence in
the code that makes matrix units' kernels, or a wrong piece, copy or order in what stands in front of it. A line has
the file, what stands there, what is put in its place, and the files of tests/text/sched that are to notice. Ends with
'N passed, N failed': what a test noticed, and what survived, is not there any more or does not compile. --check only
looks whether all is there, and the tests, too."""

import argparse, os, resource, shutil, subprocess, sys, tempfile

WAIT = "xg_attention_wait(w);"
JOIN = "\n    for (half = 0; half < w->p->halves; half++) xg_attention_join_row"
ATTENTION = "attention_turns attention_rows attention"
GROUPS = "attention_groups"
BEHIND = "attention_masks"
BACK = "attention_back_groups"
BACK_TENSOR = "attention_back_tensor"
SHOWN = "attention_back_shown"
UNITS = "units tiles gemm"
WARPS = "warp_groups bulk_copies"
TENSOR = "tensor_memory"
SUMS = "attention_tensor"
PAIRS = "pairs"
PAIRED = "attention_back_pair"
HALOS = "halos"
PATCHES = "patches"
RAGGED = "ragged"
STORES = "bulk_stays pairs"
FEW = "few_rows"
DOTS = "dot_algorithm"
PIECES = "attention_pieces attention_pieces_more"
SPLIT = "split"
ATOMICS = "../ptx/atomics"
POWERS = "attention_groups attention_tensor attention_pieces_more"
LAYOUT = "../opt/layout_assignment.c"
LAYOUTS = "../opt/layout_assignment"
ONCE = "attention_back_once"
COLUMNS = "conv_columns"
MUTANTS = [
    # fragments of attention, mma.sync
    ("attention_mma.c", "sums->def->a = which;", "sums->def->a = 1 - which;", ATTENTION),
    ("attention_mma.c", "transposed ? XG_KMATRIX_TRANSPOSED : 0", "0", ATTENTION),
    ("attention_mma.c", "r->transposed = transposed;", "", ATTENTION),
    ("attention_mma.c", "row = low;\n        piece = half;", "row = low;\n        piece = low;", ATTENTION),
    ("attention_mma.c", "piece = xg_tile_quotient(w->t, low, XG_ATTENTION_EIGHT);", "piece = half;", ATTENTION),
    ("attention_mma.c", "w->p->warp_rows, xg_elem_index", "XG_ATTENTION_ROWS, xg_elem_index", ATTENTION),
    ("attention_mma.c", "block * XG_ATTENTION_ROWS * pitch", "0 * block", ATTENTION),
    ("attention_mma.c", "&weights[i % 2]", "&weights[1 - i % 2]", ATTENTION),
    ("attention_mma.c", "PAIR * (2 * k + i / 2)", "PAIR * (2 * k + 1 - i / 2)", ATTENTION),
    ("attention_mma.c", "sums[i / 2][2 * j + i % 2]", "sums[i / 2][2 * j + 1 - i % 2]", ATTENTION),
    ("attention_mma.c", "place = at[0] * r->outer + at[1] * r->inner", "place = at[1] * r->inner", ATTENTION),
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
    ("attention_group.c", "xg_attention_await_side(w, XG_ATTENTION_SIDE_KEYS, XG_ATTENTION_FULL, turn, 0);",
     "", GROUPS),
    ("attention_group.c", "xg_attention_await_side(w, XG_ATTENTION_SIDE_VALUES, XG_ATTENTION_FULL, turn, 0);",
     "", GROUPS),
    ("attention_group.c", "xg_attention_await_side(w, side, XG_ATTENTION_EMPTY, turn, 1);", "", GROUPS),
    ("attention_group.c", "xg_kir_do_0(xg_attention_b(w), XG_K_OP_PROXY_FENCE);", "", GROUPS),
    ("attention_group.c", "XG_K_OP_WGMMA_WAIT)", "XG_K_OP_WGMMA_FENCE)", GROUPS),
    ("attention_group.c", "XG_KWGMMA_B_ROWS, sums, n", "0, sums, n", GROUPS),
    ("attention_group.c", "k % in * XG_KMMA_K_BYTES", "0 * in", GROUPS),
    ("attention_group.c", "xg_attention_release(w, XG_ATTENTION_SIDE_KEYS, turn);", "", GROUPS),
    # the backward pass by warp groups
    ("attention_back_group.c", "await_side(w, XG_ATTENTION_SIDE_KEYS, XG_ATTENTION_FULL, w->turn, 0)",
     "await_side(w, XG_ATTENTION_SIDE_KEYS, XG_ATTENTION_FULL, w->turn, 1)", BACK),
    ("attention_back_group.c", "xg_attention_await_side(w, XG_ATTENTION_SIDE_VALUES, XG_ATTENTION_FULL, w->turn, 0);",
     "", BACK),
    ("attention_back_group.c", "taken(w, false, grads)", "taken(w, false, 1 + grads)", BACK),
    ("attention_back_group.c", "taken(w, true, 0)", "taken(w, true, 1)", BACK),
    ("attention_back_group.c", "XG_K_OP_WGMMA_WAIT, 0)", "XG_K_OP_WGMMA_FENCE, 0)", BACK),
    ("attention_back_group.c", "= xg_attention_grad_at(p) * p->tile", "= 0 * p->tile", BACK),
    ("attention_back_emit.c", "xg_attention_release(w, XG_ATTENTION_SIDE_KEYS, w->turn);", "", BACK),
    ("attention_back_emit.c", "return cond ? xg_kselect(b, cond, v", "return !b ? xg_kselect(b, cond, v", BACK),
    ("attention_group.c", "return w->done ?", "return w->done && !w->f->back.is ?", BACK),
    # products by mma.sync
    ("tile_mma.c", "(*sum)->def->a = j % 2;", "(*sum)->def->a = 1 - j % 2;", UNITS),
    ("tile_mma.c", "rows_first ? low : crossed", "rows_first ? crossed : low", UNITS),
    ("tile_mma.c", "point->def->flags = w->p->fetch[side].by_rows ? 0 : XG_KMATRIX_TRANSPOSED;", "", UNITS),
    ("tile_mma.c", "v->b[i / v->rows * v->pairs + j / 2]", "v->b[j / 2]", "units tiles gemm few_rows"),
    # products by warp groups and tensor memory
    ("tile_wgmma.c", "XG_K_OP_XORI, own, line", "XG_K_OP_ORI, own, line", WARPS + " " + GROUPS),
    ("tile_wgmma.c", "xg_kir_do_0(&w->s.b, XG_K_OP_WGMMA_FENCE);", "", WARPS),
    ("tile_wgmma.c", "xg_tile_group_wait(w, 1);", "", WARPS),
    ("tile_wgmma.c", "op->flags |= XG_KWGMMA_B_ROWS;", "op->flags |= 0;", WARPS),
    ("tile_bulk.c", "xg_tile_bulk_await(w, XG_TILE_BULK_FULL, step, 0);", "", WARPS + " bulk_stays"),
    ("tile_tensor.c", "xg_tile_bulk_await(w, XG_TILE_BULK_FULL, step, 0);", "", TENSOR),
    ("tile_emit.c", "slices > 1 || !w->rank || w->inbox)", "slices > 1 || w->inbox)", TENSOR),
    # pairs of blocks
    ("tile_pairs.c", "    xg_tile_pairs_await(w, true);\n", "", PAIRS),
    ("tile_pairs.c", "    xg_tile_pairs_await(w, false);\n", "", PAIRS),
    ("tile_pairs.c", "    xg_cluster_wait(&w->s.b, &w->shared, 1);\n", "", PAIRS),
    ("tile_pairs.c", "return 2 * p->threads / XG_WARP_LANES;", "return p->threads / XG_WARP_LANES;", PAIRS),
    ("tile_pairs.c", "xg_tile_bulk_tell(w, XG_K_OP_MBARRIER_ARRIVE, taken, 0);", "(void)taken;", PAIRS),
    ("tile_pairs.c", "read_to(w, f, 0, columns", "read_to(w, 0, 0, columns", PAIRS),
    ("tile_pairs.c", "= xg_tile_quotient(w, number, wide);", "= xg_elem_index(&w->s, 0);", PAIRS),
    ("tile_bulk.c", "MBARRIER_EXPECT, full, 2 * bytes", "MBARRIER_EXPECT, full, bytes", PAIRS),
    ("tile_bulk.c", "full = xg_tile_pairs_first(w, full);", "", PAIRS),
    ("tile_bulk.c", "half_rows ? 2 * t->rows : t->rows", "t->rows", PAIRS),
    ("tile_bulk.c", "return empty ? 2 : 1;", "return 1;", PAIRS),
    ("tile_pairs.c", "op->a = NEIGHBOURS << k;", "op->a = NEIGHBOURS;", PAIRS),
    ("tile_pairs.c", "XG_CI_EQ, number, k", "XG_CI_EQ, number, 0", PAIRS),
    ("tile_emit.c", "w->pair, 2 * k)", "w->pair, 0)", PAIRS),
    ("tile_emit.c", "? xg_tile_join(w, id, 2, w->pair) : id,", "? id : id,", PAIRS),
    ("tile_bulk.c", "side ? w->pair : w->next;", "w->pair;", PAIRS),
    # attention in tensor memory
    ("attention_tensor.c", "xg_attention_await_tell(w, XG_ATTENTION_SUMMED, w->turn, 1);", ";", SUMS),
    ("attention_tensor.c", "xg_attention_await_tell(w, XG_ATTENTION_TAKEN, w->turn, 0);", ";", SUMS),
    ("attention_tensor.c", "xg_attention_await_tell(w, XG_ATTENTION_READY, turn, 0);", "", SUMS),
    ("attention_tensor.c", "x = by[XG_ATTENTION_HALVES * block +", "x = by[", SUMS),
    ("attention_tensor.c", "block * XG_ATTENTION_ROWS, first, columns", "0 * block, first, columns", SUMS),
    ("attention_tensor.c", "return xg_attention_is_apart(p, 1) ? p->shape.step : 0;",
     "return 0 * p->shape.step;", SUMS),
    # sums that are asked for behind the next scores
    ("attention_mma.c", "word = weights[i % 2][2 * k + i / 2]", "word = weights[i % 2][2 * k + 1 - i / 2]", BEHIND),
    ("attention_group.c", "xg_kaddi_int(b, turn, -1)", "turn", BEHIND),
    ("attention_group.c", "xg_attention_group_wait(w, behind);", "xg_attention_group_wait(w, 2 * behind);", BEHIND),
    ("attention_group.c", "xg_attention_group_wait(w, behind);", "xg_attention_group_wait(w, 1);", GROUPS),
    # pictures with a border
    ("tile_halo.c", "p->halo_moves[0][v] * p->shape.k", "p->halo_moves[0][1] * p->shape.k", HALOS),
    ("tile_halo.c", "row / p->pixels * xg_tile_halo_room(p, 0)", "0 * xg_tile_halo_room(p, 0)", HALOS),
    ("tile_halo.c", "return p->halo_at[side][k]", "return p->halo_at[side][0]", HALOS),
    ("tile_halo.c", "at += place % k->axes[v].extent * p->halo_moves[side][v];", "at += place % k->axes[v].extent;",
     HALOS),
    ("tile_wgmma.c", "halo ? p->halo_pitch[side] * XG_KWGMMA_LINE_BYTES", "halo ? XG_KWGMMA_ALIGN", HALOS),
    ("tile_tensor.c", "half) + apart *", "half) + 0 *", HALOS),
    ("tile_bulk.c", "xg_tile_bulk_await(w, XG_TILE_BULK_SEEN, w->picture, 0);", "(void)0;", HALOS),
    ("tile_bulk.c", "w->picture, xg_tile_halo_stages(w->p) - 1, first",
     "w->picture, xg_tile_halo_stages(w->p), first", HALOS),
    ("tile_emit.c", "(f->filled || xg_tile_halo_steps(p)) && k < f->rank", "k < 0", HALOS),
    # patches of pictures
    ("tile_patch.c", "xg_aff_mod(x, rest, g->axes[d].extent), t->by_place[d]",
     "xg_aff_mod(x, rest, g->axes[d].extent), t->by_place[1]", PATCHES),
    ("tile_patch.c", "return xg_kselect(&w->s.b, cond, at, zero);", "return at;", PATCHES),
    ("tile_patch.c", "xg_tile_put_zeros(w, p->fetch[0].vector, at);", "", PATCHES),
    ("tile_patch.c", "XG_TILE_PATCH_PIECES), 2 * xg_tile_patch_plane(p), at);", "XG_TILE_PATCH_PIECES), 0, at);", PATCHES),
    ("tile_patch.c", "own, 2 * xg_tile_patch_plane(p));", "own, xg_tile_patch_plane(p));", PATCHES),
    ("tile_patch.c", "xg_tile_over(t->source->shape->elements - t->channel, t->apart)",
     "t->source->shape->elements / t->apart", PATCHES),
    ("tile_patch.c", "(uint32_t)1 << place", "(uint32_t)1 << (p->patch.places - 1 - place)", PATCHES),
    ("tile_patch.c", "row = xg_tile_quotient(w, row, p->patch.stride);", "", PATCHES),
    ("tile_patch.c", "XG_K_OP_MULI, place, t->each)", "XG_K_OP_MULI, place, 1)", PATCHES),
    ("tile_patch.c", "xg_tile_quotient(w, w->now, xg_tile_patch_steps(t)), 1)",
     "xg_tile_quotient(w, w->now, xg_tile_patch_steps(t)), 0)", PATCHES),
    ("tile_patch.c", "buffer = xg_tile_rest(w, part, 2);", "buffer = xg_elem_index(&w->s, 0);", PATCHES),
    ("tile_patch.c", "run % p->shape.m ? own : tile", "tile", PATCHES),
    ("tile_patch.c", "w->masks + k * n,", "w->masks,", PATCHES),
    # groups of rows
    ("tile_ragged.c", "w->tile[0] = w->ragged.first;", "", RAGGED),
    ("tile_ragged.c", "w->tile[0] = xg_tile_join(w, w->pair, p->shape.m, w->tile[0]);", ";", RAGGED),
    ("tile_ragged.c", "XG_CI_SLT, row, w->ragged.end", "XG_CI_SLE, row, w->ragged.end", RAGGED),
    ("tile_limit.c", "v.v = xg_kselect(&w->s.b, some, v.v, none);", "", RAGGED),
    ("tile_ragged.c", "n, p->shape.k - 1), p->shape.k", "n, 0), p->shape.k", RAGGED),
    ("tile_ragged.c", "XG_K_OP_MAXSI, n, 1", "XG_K_OP_MAXSI, n, 0", RAGGED),
    ("tile_bring.c", "if (!xg_tile_sums_groups(w->p)) return cond;", "if (w) return cond;", RAGGED),
    ("tile_store.c", "(part + 1) * rows - 1", "part * rows", RAGGED),
    # results of 16 bits on their way to tensor stores
    ("tile_store.c", "XG_TILE_AT_HALF, XG_KMMA_N)", "XG_TILE_AT_HALF, 0)", STORES),
    ("tile_store.c", "sum + k / XG_KMMA_N, 0,", "sum, 0,", STORES),
    ("tile_store.c", "spots[turn][f]", "spots[0][f]", STORES),
    ("tile_store.c", "xg_tile_store_leave(w, leaves ? 0 : XG_TILE_STORE_BUFFERS - 1);", "(void)leaves;", STORES),
    ("tile_store.c", "        xg_kir_do_0(&w->s.b, XG_K_OP_PROXY_FENCE);\n", "", STORES),
    # two sums of f32 at a time
    ("tile_emit.c", "o[0] = vector;\n            o[1] = xg_elem_index(&w->s, j);",
     "o[0] = vector;\n            o[1] = xg_elem_index(&w->s, each - 1 - j);", FEW),
    ("tile_emit.c", "o[0] = sums[j].v;\n                o[1] = vector;",
     "o[0] = sums[each - 1 - j].v;\n                o[1] = vector;", FEW),
    ("tile_emit.c", "a[i].v = xg_tile_spread(w, a[i].v)", "a[i].v = xg_tile_spread(w, a[p->shape.tm - 1].v)", FEW),
    # the backward pass in tensor memory
    ("attention_back_tensor.c",
     "xg_attention_await_tell(w, grads ? XG_ATTENTION_TAKEN : XG_ATTENTION_READY, w->turn, 0);", "", BACK_TENSOR),
    ("attention_back_tensor.c", "grads ? XG_ATTENTION_SUMMED : XG_ATTENTION_MADE", "XG_ATTENTION_MADE", BACK_TENSOR),
    ("attention_back_tensor.c", "xg_attention_back_tensor_spot(w, other, half, k)",
     "xg_attention_back_tensor_spot(w, w->part, half, k)", BACK_TENSOR),
    ("attention_back_group.c", "if (w->p->keeps_grads) xg_attention_back_tensor_kept(w);", ";",
     BACK_TENSOR),
    ("attention_back_tensor.c", "xg_flow_if(&f, xg_kcmpi_(xg_attention_b(w), XG_CI_SLT, w->from, w->to));", "",
     BACK_TENSOR),
    ("attention_back_tensor.c", "xg_attention_await_tell(w, XG_ATTENTION_LEFT, xg_elem_index(&w->t->s, w->shared++), 0);"
     "\n    } else", "w->shared++;\n    } else", BACK_TENSOR),
    ("attention_back_tensor.c", "at += w->p->depth / 2;", "at += 0;", BACK_TENSOR),
    ("attention_back_tensor.c", "LINE, (k + j) % WORDS", "LINE, ((k + j) ^ 1) % WORDS", BACK_TENSOR),
    ("attention_back_tensor.c", "rows_only ? p->depth : 0)", "rows_only ? p->depth / 2 : 0)", BACK_TENSOR),
    ("attention_back_tensor.c", "xg_attention_await_side(w, XG_ATTENTION_SIDE_VALUES, XG_ATTENTION_EMPTY, turn, 1);",
     ";", BACK_TENSOR),
    ("attention_back_emit.c", "if (in_tensor && !first) xg_attention_back_tensor_next(w, NULL, true);", "",
     BACK_TENSOR),
    ("attention_back_emit.c", "if (w->p->shape.in_tensor) xg_attention_tensor_begin(w);\n    }", "}", BACK_TENSOR),
    ("attention_back_emit.c", WAIT + "\n        xg_attention_bring_grads(w);", "xg_attention_bring_grads(w);", SHOWN),
    ("attention_back_emit.c", "xg_attention_bring_grads(w);\n        " + WAIT, "xg_attention_bring_grads(w);", SHOWN),
    ("attention_back_tensor.c", "xg_attention_leave_side(w, XG_ATTENTION_SIDE_VALUES, w->turn);", "", BACK_TENSOR),
    ("attention_back_tensor.c", "xg_attention_await_side(w, XG_ATTENTION_SIDE_VALUES, XG_ATTENTION_FULL, w->turn, 0);",
     ";", BACK_TENSOR + " attention_back_shown"),
    ("attention_back_emit.c", "second ? 0 : w->p->shape.step", "second ? w->p->shape.step : 0", BACK_TENSOR),
    ("attention_back_group.c", "p->keeps_rows ? p->depth / 2", "p->keeps_rows ? 0", BACK_TENSOR),
    # attention's gradients by pairs of warps
    ("attention_back_pair.c", "if (!given) " + WAIT, ";", PAIRED),
    ("attention_back_pair.c", WAIT + " /* what the last step", "/* what the last step", PAIRED),
    ("attention_back_tensor.c", "} else\n        " + WAIT, "}", PAIRED),
    ("attention_back_pair.c", "given ? xg_attention_pair_other(w) : w->part", "w->part", PAIRED),
    ("attention_back_pair.c", "XG_K_OP_XORI, w->buffer, w->p->own", "XG_K_OP_ORI, w->buffer, w->p->own", PAIRED),
    ("attention_back_pair.c", "first, *y, v)", "first, v, *y)", PAIRED),
    ("attention_back_pair.c", "turned ? xg_attention_pair_other(w) :", "turned ? w->part :", PAIRED),
    ("attention_back_pair.c", "w->soft[k][words + c] =", "w->soft[k][words + (c ^ 1)] =", PAIRED),
    ("attention_back_pair.c", "&o.rows[1], &o.rows[0]", "&o.rows[0], &o.rows[1]", PAIRED),
    ("attention_back_pair.c", "k % 2 * w->p->shape.blocks", "0", PAIRED),
    ("attention_back_pair.c", "XG_CI_EQ, w->part, 1)", "XG_CI_EQ, w->part, 0)", PAIRED),
    ("attention_back_emit.c", "put < n * seen / units", "put < n * (seen - 1) / units", PAIRED),
    # dots of f32 in pieces
    ("dot_algorithm.c", "BF16_MASK = 0xFFFF", "BF16_MASK = 0x7FFF", DOTS),
    ("dot_algorithm.c", "XG_PIECES_TF32_MASK : XG_PIECES_BF16_MASK", "XG_PIECES_BF16_MASK : XG_PIECES_TF32_MASK", DOTS),
    ("dot_algorithm.c", "_x6\", false, 3, 3", "_x6\", false, 3, 2", DOTS),
    ("dot_algorithm.c", "[1 - (k & 1)] = XG_TILE_PIECES", "[1 - (k & 1)] = XG_TILE_PIECES - 1", DOTS),
    ("dot_algorithm.c", "for (order = w->order; order-- > 0;)", "for (order = 0; order < w->order; order++)", DOTS),
    ("dot_algorithm.c", "sum = xg_hb_select(b, same, sum,", "(void)xg_hb_select(b, same, sum,", DOTS),
    ("dot_algorithm.c", "if (k == 0) rest =", "if (k > n) rest =", DOTS),
    ("dot_algorithm.c", "if (k == 0) part =", "if (k > n) part =", DOTS),
    # weights of attention in pieces
    ("attention_mma.c", "DIGITS = 0x7632", "DIGITS = 0x5410", PIECES),
    ("attention_mma.c", "DIGITS = 0x7632", "DIGITS = 0x3276", PIECES),
    ("attention_mma.c", "BF16 = ~0xFFFF", "BF16 = ~0x7FFF", PIECES),
    ("attention_mma.c", "x = xg_k3(b, XG_K_OP_FMA, v, xg_kconst_float(b, XG_E_F32, LESS), x);", "x = v;", PIECES),
    ("attention_mma.c", "for (; pieces; pieces--)", "for (; pieces > 1; pieces--)", PIECES),
    ("attention_mma.c", "for (piece = pieces; piece-- > 0;)", "for (piece = pieces - 1; piece-- > 0;)", PIECES),
    ("attention_mma.c", "for (piece = pieces; piece-- > 0;)", "for (piece = pieces; piece-- > 1;)", PIECES),
    ("attention_mma.c", "weights = &o->weights[n * XG_ATTENTION_HALVES];\n                x[piece]",
     "weights = &o->weights[0];\n                x[piece]", PIECES),
    ("attention_group.c", "pieces - 1 - k % pieces", "XG_MIN(pieces - 1 - k % pieces, 1)", PIECES),
    ("attention_group.c", "k / pieces, pieces - 1", "k % steps, pieces - 1", PIECES),
    ("attention_group.c", "words[k * pieces + j]", "words[k * pieces + (j ? j : 1)]", PIECES),
    ("attention_group.c", "p->form.pieces[0] == 1 && !p->votes", "!p->votes", PIECES),
    ("attention_emit.c", "w->f->pieces[0] > 1 ? XLAGPU_F32 : w->f->held", "w->f->held", PIECES),
    ("attention_back_emit.c", "o.pieces = w->f->pieces[second];", "o.pieces = w->f->pieces[0];", PIECES),
    ("attention_back_emit.c", "w->f->pieces[part == XG_ATTENTION_SOFT]", "w->f->pieces[0]", PIECES),
    ("attention_form.c", " || xg_inst_attr(dot, XG_A_algorithm)) return 1", ") return 1", PIECES),
    # blocks that meet in memory
    ("tile_split.c", "block * each + part", "part", SPLIT),
    ("tile_split.c", "part * vectors + k);", "part + k);", SPLIT),
    ("tile_split.c", "i32(&w->s.b, parts - 1);", "i32(&w->s.b, parts);", SPLIT),
    ("tile_split.c", "XG_CI_EQ, o[0], parts - 1", "XG_CI_EQ, o[0], 0", SPLIT),
    ("tile_split.c", "xg_tile_split_wait(w, arrays, 3);\n    f =", "f =", SPLIT),
    ("tile_split.c", "xg_tile_split_wait(w, arrays, 3);\n    w->scratch", "w->scratch", SPLIT),
    ("tile_split.c", "if (p->out_slant) at =", "if (!p) at =", SPLIT),
    ("tile_split.c", "split_place(w, k));\n    xg_tile_wait(w);", "split_place(w, k));", SPLIT),
    ("tile_emit.c", "if (part) xg_tile_wait(w);\n        xg_tile_split_total", "xg_tile_split_total", SPLIT),
    ("../ptx/isel.c", "atom.acq_rel.gpu.global.inc", "atom.acquire.gpu.global.inc", ATOMICS),
    ("../ptx/isel.c", "atom.acq_rel.gpu.global.inc", "atom.release.gpu.global.inc", ATOMICS),
    # kinds of boxes below a stride
    ("tile_halo.c", "kind /= XG_MIN(p->halo_strides[v], k->axes[v].extent);", ";", HALOS),
    ("tile_halo.c", "place ? p->halo_strides[v] * all", "place ? all", HALOS),
    ("tile_halo.c", "place ? first * all", "place ? 0 * first", HALOS),
    ("tile_halo.c", "n = xg_tile_halo_below(p, k, v, first);", "n = xg_tile_halo_below(p, k, v, 0 * first);", HALOS),
    ("tile_halo.c", "kind-- > 0) n += xg_tile_halo_views(p, kind);", "kind-- > 0) n += 1;", HALOS),
    ("tile_bulk.c", "halo_kinds, xg_elem_index(&w->s, w->kind)", "halo_kinds, xg_elem_index(&w->s, 0)", HALOS),
    # powers by multiply-adds
    ("attention_kernel.c", "0xC2FE0000", "0xC1000000", POWERS),
    ("attention_kernel.c", "j < end ? j : 0", "j", POWERS),
    ("attention_kernel.c", "0.24221095", "0.20221095", POWERS),
    ("attention_kernel.c", "0.0013264727", "0.0010264727", POWERS),
    ("attention_kernel.c", "f = xg_attention_fma(w, z[k], numbers[1], numbers[2]);",
     "f = xg_attention_fma(w, z[k], numbers[1], numbers[0]);", POWERS),
    ("attention_kernel.c", "bool fine = xg_attention_is_fine(w->f);", "bool fine = false;", POWERS),
    ("attention_kernel.c", "if (n == 1) xg_attention_each(w, z[0], XG_E_I32, z);", "if (n == 1) z[1] = z[0];",
     POWERS),
    # copies where layouts meet
    (LAYOUT, "return xg_assign_asked(i);", "return NULL;", LAYOUTS),
    (LAYOUT, "shape->layout == l)", "shape->layout != l)", LAYOUTS),
    (LAYOUT, "x->shape != i->shape || xg_inst_order(i)", "x->shape != i->shape", LAYOUTS),
    (LAYOUT, "i == i->comp->root && x->op != XG_DOT", "i == i->comp->root", LAYOUTS),
    (LAYOUT, "bool changed = xg_assign_remove_copies(c);", "bool changed = false;", LAYOUTS),
    (LAYOUT, "i->comp->root = copy ? copy : xg_inst_new", "i->comp->root = xg_inst_new", LAYOUTS),
    (LAYOUT, "l->minor_to_major[0] == (int32_t)n;", "l->minor_to_major[0] != (int32_t)n;", LAYOUTS),
    (LAYOUT, "if (xg_assign_keeps(i)) changed =", "if (i->op == XG_COPY) changed =", LAYOUTS),
    # dQ in one walk; the order of blocks; columns of a convolution
    ("attention_back_once.c", "SUBF, v, w->pivot[half])", "SUBF, w->pivot[half], v)", ONCE),
    ("attention_back_once.c", "        w->pivot[half] = v;\n", "", ONCE),
    ("attention_back_once.c", "in_tensor ? 1.5 : 1.25", "in_tensor ? 1.5 : 1e30", ONCE),
    ("attention_back_once.c", "FMA, second, w->pivot[half], sum)", "FMA, second, w->by[half], sum)", ONCE),
    ("attention_back_once.c", "sum = k ? &w->stat", "sum = k > 1 ? &w->stat", ONCE),
    ("attention_back_once.c", "w, 0, 0, one, zero, one)", "w, 0, 0, one, one, one)", ONCE),
    ("attention_emit.c", "(w->t, own, p->together * heads);", "(w->t, own, p->together);", "attention_heads"),
    ("attention_emit.c", "xg_tile_quotient(w->t, copy, heads))", "xg_tile_rest(w->t, copy, heads))", BEHIND),
    ("conv_columns.c", "d->size - 1 - tap : tap", "tap : tap", COLUMNS),
    ("conv_columns.c", "d->pad_low - tap * d->window_dilation", "d->pad_low - tap", COLUMNS),
    ("conv_columns.c", "p->interior = d->base_dilation - 1", "p->interior = d->base_dilation", COLUMNS),
]


def test_file(name):
    return os.path.join("tests", "text", "sched", name + ".txt")


def built(tree):
    command = "tcc -w -std=gnu99 -DXLAGPU_DEBUG tests/programs/runner.c -o runner -lm -ldl -lpthread"
    return subprocess.run(command.split(), cwd=tree, capture_output=True, text=True)


def fails(tree, names, seconds):
    """How the tests end: None where all pass."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    for name in names.split():
        done = subprocess.run(["./runner", test_file(name)], cwd=tree, capture_output=True, text=True, preexec_fn=limit)
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
            missing = [t for t in tests.split() if not os.path.exists(test_file(t))]
            if old not in text or missing:
                said, noticed = f"{' '.join(missing) or 'this'} is not there", False
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
