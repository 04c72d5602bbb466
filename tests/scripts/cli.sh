#!/bin/sh
# tests/scripts/cli.sh -- what build/xlagpu promises on the command line: exit statuses, messages, files. Ends with "N
# passed, N failed".
set -u
. tests/scripts/tally.sh
W=build/cli
rm -rf $W
mkdir -p $W
X=build/xlagpu

# expect STATUS PATTERN NAME COMMAND: the exit status, and a line of stdout or stderr that matches.
expect() {
    sh -c "$4" > $W/out 2>&1
    got=$?
    if [ "$got" != "$1" ]; then bad "$3: exit status $got, not $1"; tail -3 $W/out; return; fi
    if grep -qE -- "$2" $W/out; then ok "$3"; else bad "$3: no line matches '$2'"; tail -3 $W/out; fi
}
# same NAME COMMAND FILE: the command succeeds, and its stdout is exactly the file, which is not empty. (What a pipe
# begins with may crash unseen: so none here, nor in expect's commands.)
same() { if sh -c "$2" > $W/same 2>/dev/null && [ -s "$3" ] && cmp -s $W/same "$3"; then ok "$1"; else bad "$1"; fi; }

cat > $W/good.hlo <<'END'
HloModule good
ENTRY main {
  x = f32[4,8] parameter(0)
  y = f32[4,8] add(x, x)
  ROOT t = f32[8,4] transpose(y), dimensions={1,0}
}
END
printf 'HloModule bad\n\nENTRY main {\n  x = f32[4] parameter(0)\n  ROOT y = f32[4] ad(x, x)\n}\n' > $W/opcode.hlo
printf 'HloModule bad\nENTRY main {\n  x = f32[4] parameter(0)\n  ROOT y = f32[5] add(x, x)\n}\n' > $W/shape.hlo
printf 'HloModule bad\nENTRY main {\n  x = f32[4] parameter(0' > $W/cut.hlo
: > $W/empty.hlo

expect 0 'Flags' "--help" "$X --help"
expect 0 '^[0-9]+\.[0-9]+\.[0-9]+$' "--version" "$X --version"
expect 2 'unknown verb' "an unknown verb" "$X frobnicate"
expect 2 "did you mean '--platform'" "an unknown flag names the nearest" "$X run $W/good.hlo --platfrom=host"
expect 2 "does not take" "a flag of another verb" "$X run $W/good.hlo --emit=ptx"
# The verdict. A dot of 4,096 terms is right whatever order its kernel adds in; one wrong element of 1 in 1,000 is not.
cat > $W/long.hlo <<'END'
HloModule long
ENTRY main {
  a = f32[8,4096] parameter(0)
  b = f32[4096,8] parameter(1)
  ROOT d = f32[8,8] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
END
sed 's/ROOT d = /c = /; s/^}$/  e = f32[8,8] constant({...})\n  ROOT d = f32[8,8] add(c, e)\n}/' $W/long.hlo \
    > $W/off.hlo
zeros="{0,0,0,0,0,0,0,0}"
sed -i "s/constant({...})/constant({$zeros,$zeros,$zeros,{0,0,0,0.004,0,0,0,0},$zeros,$zeros,$zeros,$zeros})/" \
    $W/off.hlo
expect 0 'long.hlo: right: 64 elements in 1 result as the evaluator has them, worst error .*, within .* allow' "run says its verdict" \
    "$X run $W/long.hlo --platform=host --save_args=$W/long.npz"
# A long sum of bf16 products stays f32: it errs as an f32 sum does, though its arguments have fewer bits.
cat > $W/narrow.hlo <<'END'
HloModule narrow
ENTRY main {
  a = bf16[32,65536] parameter(0)
  b = bf16[65536,32] parameter(1)
  d = f32[32,32] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT t = f32[32,32] tanh(d)
}
END
expect 0 "narrow.hlo: right: .*the module's own rounding" "the rounding of bf16 products in f32" \
    "$X run $W/narrow.hlo --platform=host --target=sm_80 --seed=3"
# Results of few bits are held to their usual size, not to the largest: 0.012 in a sine is wrong where it is small.
# The module's own rounding is measured in StableHLO, too, and acquits what the matrix units add in another order.
cat > $W/sine.mlir <<'END'
module { func.func @main(%x: tensor<256xf32>) -> tensor<256xbf16> {
  %y = stablehlo.sine %x : tensor<256xf32>
  %c = stablehlo.constant dense<0.0> : tensor<256xf32>
  %z = stablehlo.add %y, %c : tensor<256xf32>
  %r = stablehlo.convert %z : (tensor<256xf32>) -> tensor<256xbf16>
  return %r : tensor<256xbf16> } }
END
sed 's/dense<0.0>/dense<0.012>/' $W/sine.mlir > $W/sine_off.mlir
expect 1 'elements of out0 differ from .*own rounding allows' "bf16 that is 0.012 off is wrong" \
    "$X run $W/sine.mlir --platform=host --seed=5 --quiet --out=$W/sine.npz && \
    $X run $W/sine_off.mlir --platform=host --seed=5 --expect=$W/sine.npz"
expect 0 "right: .*the module's own rounding" "attention of bf16 in StableHLO is right" \
    "$X run tests/verdict/attention_bf16.mlir --platform=host --target=sm_80 --seed=3"
expect 0 '^$' "run --quiet says nothing" "[ -z \"\$($X run $W/long.hlo --platform=host --quiet 2>&1)\" ] && echo"
expect 0 'right: 64 elements' "arguments that were saved give the same" \
    "$X run $W/long.hlo --platform=host --out=$W/long_out.npz && \
    $X run $W/long.hlo --platform=host --args=$W/long.npz --expect=$W/long_out.npz --rtol=0 --atol=0"
expect 1 "1 of 64 elements of out0 differ from .*which the module's own rounding allows" \
    "an element that is 0.004 off is wrong" \
    "$X run $W/off.hlo --platform=host --args=$W/long.npz --expect=$W/long_out.npz"
expect 0 'right' "--out - writes to standard output" "$X run $W/long.hlo --platform=host --out=- > $W/piped.npz && \
    cmp $W/piped.npz $W/long_out.npz"
expect 2 'standard output' "--out - beside --stats" "$X run $W/long.hlo --platform=host --out=- --stats"
printf 'HloModule i\nENTRY main {\n  x = u8[4] parameter(0)\n  c = u8[4] constant({1,0,0,0})\n  ROOT y = u8[4] add(x, c)\n}\n' > $W/one.hlo
sed 's/{1,0,0,0}/{0,0,0,0}/' $W/one.hlo > $W/none.hlo
expect 1 'integers within 0' "an integer that is off by one is wrong" \
    "$X run $W/one.hlo --platform=host --out=$W/one.npz --quiet && \
    $X run $W/none.hlo --platform=host --expect=$W/one.npz"
expect 0 'right: 4 elements' "--int-atol 1 takes it" \
    "$X run $W/none.hlo --platform=host --expect=$W/one.npz --int-atol 1"

expect 2 'error' "a missing file" "$X run $W/nothing.hlo"
expect 2 'error' "a target that is none" "$X compile $W/good.hlo --target=sm_1 --emit=ptx"
expect 2 'opcode.hlo:5:[0-9]+: error: ' "an unknown opcode: file, line and column" \
    "$X run $W/opcode.hlo --platform=host"
expect 2 '^ *\^' "and a caret under it" "$X run $W/opcode.hlo --platform=host"
expect 2 'shape.hlo:4:[0-9]+: error: ' "a wrong shape" "$X opt $W/shape.hlo --passes="
expect 2 'cut.hlo:[0-9]+:[0-9]+: error: ' "a text that ends too soon" "$X opt $W/cut.hlo --passes="
expect 2 'error' "an empty file" "$X opt $W/empty.hlo --passes="
for p in host interpreter; do expect 0 ran "run on $p" "$X run $W/good.hlo --platform=$p && echo ran"; done
expect 0 '^share_%' "--profile: a table of steps" "$X run $W/good.hlo --platform=host --profile"
expect 0 '"ph":"X"' "--trace: Perfetto's JSON" "$X run $W/good.hlo --platform=host --trace=$W/trace.json && \
    cat $W/trace.json"
expect 0 same "a planned module is compiled on from there" "$X compile $W/good.hlo --emit=plan -o $W/good.plan && \
    $X compile $W/good.plan --emit=exe -o $W/a.xgx && $X compile $W/good.hlo --target=sm_90a -o $W/b.xgx && \
    cmp $W/a.xgx $W/b.xgx && echo same"
if have ptxas; then
    expect 0 ran "--cubin: machine code beside the PTX" "cd $W && \
        ../../$X compile good.hlo --target=sm_90a --cubin -o c.xgx && ../../$X run c.xgx --platform=host && echo ran"
else absent "ptxas (--cubin)"; fi
expect 0 '^evaluator_ops	0$' "--stats ends with evaluator_ops" \
    "$X run $W/good.hlo --platform=host --stats > $W/stats && tail -1 $W/stats"
expect 0 . "--out writes the results" "$X run $W/good.hlo --platform=interpreter --seed 3 --out $W/o.npz && \
    test -s $W/o.npz && echo written"
expect 0 ran "equal to --expect: 0" "$X run $W/good.hlo --platform=host --seed 3 --expect $W/o.npz && echo ran"
expect 1 . "different from --expect: 1" "$X run $W/good.hlo --platform=host --seed 4 --expect $W/o.npz"
expect 2 'error' "--args of another module" "$X run $W/good.hlo --platform=host --args tests/corpus/iotas.npz"
$X compile $W/good.hlo --target=sm_90a --emit=schedule -o $W/good.sched
expect 0 '^bind .* threadIdx.x' "--emit=schedule" "cat $W/good.sched"
expect 0 'right:' "--schedule: as it was written" "$X run $W/good.hlo --platform=host --schedule=$W/good.sched"
expect 0 'right:' "--schedule: with other blocks" "sed 's/_ 8\$/_ 4/' $W/good.sched > $W/s4.sched && \
    $X run $W/good.hlo --platform=host --schedule=$W/s4.sched"
expect 0 'nest/[a-z_]*/after_02_flatten' "--v=5 prints the stages of such a kernel" \
    "$X compile $W/good.hlo --target=sm_90a --schedule=$W/good.sched --v=5 -o $W/v.ptx"
expect 2 's.sched:[0-9]+:1: error: no primitive' "--schedule: a line that is wrong has its place" \
    "sed 's/^reorder/reordr/' $W/good.sched > $W/s.sched && $X run $W/good.hlo --platform=host --schedule=$W/s.sched"
expect 2 's.sched:[0-9]+:1: error: bind' "--schedule: so has one that is refused" "sed 's/^bind ax0_0 .*/&\nbind \
ax1_0 blockIdx.y/' $W/good.sched > $W/s.sched && $X run $W/good.hlo --platform=host --schedule=$W/s.sched"
expect 2 'no fusion is called' "--schedule: a fusion that is none" "echo 'schedule nobody' > $W/s.sched && \
    $X run $W/good.hlo --platform=host --schedule=$W/s.sched"
cat > $W/dot.hlo <<'EOF'
HloModule dot
ENTRY e {
  a = bf16[256,512] parameter(0)
  b = bf16[512,256] parameter(1)
  ROOT d = f32[256,256] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
EOF
expect 0 '^[0-9a-f]{16} "A100" .*"rule":"tile"' "--emit=records" \
    "$X compile $W/dot.hlo --target=sm_80 --emit=records -o $W/d.records && cat $W/d.records"
expect 0 '1 kernel, each once: .* us; [0-9]+ of [0-9]+ forms' "tune: by the model" \
    "$X tune $W/dot.hlo --target=sm_80 --platform=model -o $W/t.records 2>&1"
advice='"A100" {"rule":"tile","form":{"tile":["32","64","64"]}}'
sed -n "s/^\([0-9a-f]* \).*/\1$advice/p" $W/d.records > $W/u.records
expect 0 '"warp_tile".*"why":"tuned"' "--tuned: obeyed" \
    "$X compile $W/dot.hlo --target=sm_80 --tuned=$W/u.records --emit=hlo | grep backend_config"
expect 0 'right:' "--tuned: right" "$X run $W/dot.hlo --platform=host --target=sm_80 --tuned=$W/u.records"
expect 2 'u.records:1:1: error: no record of a kernel' "--tuned: a file of another kind" \
    "echo nonsense > $W/u.records && $X compile $W/dot.hlo --target=sm_80 --tuned=$W/u.records --emit=ptx"
expect 2 "tune' needs a module" "tune: no file" "$X tune"
expect 0 '\.entry' "--emit=ptx on stdout" "$X compile $W/good.hlo --target=sm_90a --emit=ptx"
for e in hlo indexing plan buffers thunks ir ptx; do expect 0 . "--emit=$e" \
    "$X compile $W/good.hlo --target=sm_80 --emit=$e"; done
expect 0 . "an executable, saved and run" "$X compile $W/good.hlo --emit=exe -o $W/good.xgx && \
    $X run $W/good.xgx --platform=host --reference_platform= && echo ran"
expect 0 'good.xgx: ran in .* compared with nothing' "... says that nothing was compared" \
    "$X run $W/good.xgx --platform=host"
expect 2 'error' "an executable, damaged" "head -c 200 $W/good.xgx > $W/cut.xgx; $X run $W/cut.xgx --platform=host"
expect 0 '^2$' "--report: a header and a line, tab-separated" \
    "$X compile $W/good.hlo --target=sm_90a --report > $W/report && \
    awk -F'\t' 'NR == 1 { n = NF } NF != n { bad = 1 } END { if (n > 5 && !bad) print NR }' $W/report"
expect 0 'kernels' "--report names kernels" "cat $W/report"
# Rings of four: seven all-reduces of 4000 bytes send 2 * 3/4 of them each, the all-gather three times 4000.
cat > $W/sums.hlo <<'END'
HloModule sums, num_partitions=4
add { x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT z = f32[] add(x, y) }
below { s = (s32[], f32[1000]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(7)
  ROOT c = pred[] compare(i, n), direction=LT }
step { s = (s32[], f32[1000]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[1000] get-tuple-element(s), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  y = f32[1000] all-reduce(x), replica_groups={{0,1,2,3}}, channel_id=1, use_global_device_ids=true, to_apply=add
  n = f32[1000] sine(y)
  ROOT t = (s32[], f32[1000]) tuple(j, n) }
ENTRY e {
  p = f32[1000] parameter(0)
  z = s32[] constant(0)
  init = (s32[], f32[1000]) tuple(z, p)
  w = (s32[], f32[1000]) while(init), condition=below, body=step
  x = f32[1000] get-tuple-element(w), index=1
  ROOT g = f32[4000] all-gather(x), replica_groups={{0,1,2,3}}, channel_id=1, use_global_device_ids=true, dimensions={0}
}
END
expect 0 '^2 42000 12000$' "--topology: bytes that a device sends, by kind of collective" \
    "$X compile $W/sums.hlo --report --topology=h200x4 > $W/report && \
    awk -F'\t' 'NR == 2 { print \$15, \$16, \$17 }' $W/report"
expect 0 'links.*7.*y' "--topology: the time of collectives" "$X compile $W/sums.hlo --emit=times --topology=h200x4"
expect 2 'h200x8' "--topology of something else" "$X compile $W/sums.hlo --report --topology=8"
cat > $W/rows.hlo <<'END'
HloModule rows, num_partitions=4
ENTRY e {
  x = bf16[8192,8192] parameter(0)
  w = bf16[8192,8192] parameter(1)
  a = bf16[32768,8192] all-gather(x), dimensions={0}, replica_groups={{0,1,2,3}}, channel_id=1,
    use_global_device_ids=true
  ROOT d = bf16[32768,8192] dot(a, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
END
# Three pieces of 134217728 bytes are sent while others are multiplied: what is predicted is the sum of all steps
# without them, and less than with whole arrays.
expect 0 '^1 1$' "what links do beside products is counted once" \
    "$X compile $W/rows.hlo --target=sm_90a --report > $W/report && \
    $X compile $W/rows.hlo --target=sm_90a --report --xla_disable_hlo_passes=windowed-einsum-handler > $W/whole && \
    $X compile $W/rows.hlo --target=sm_90a --emit=times > $W/times && \
    awk -F'\t' 'FILENAME ~ /times/ && FNR > 1 && \$2 != \"links\" { sum += \$1 }
        FILENAME ~ /report/ && FNR == 2 { p = \$14 }
        FILENAME ~ /whole/ && FNR == 2 { w = \$14 }
        END { print (p - sum < 0.01 && sum - p < 0.01), p < w }' \
    $W/times $W/report $W/whole"
# Two machines of two devices: both cards carry half of 54000 bytes at 50 GB/s; seven rings of six hops and one of
# three, a third of them to the other machine, 2.7 us, the others 0.6; eight launches of 2.41:
# 0.54 + 54.6 + 3.9 + 19.28.
expect 0 '^78.320$' "--topology=2xh200x2: machines with a network between them" \
    "$X compile $W/sums.hlo --report --topology=2xh200x2 > $W/report && \
    awk -F'\t' 'NR == 2 { print \$NF }' $W/report"
cat > $W/layers.hlo <<'END'
ENTRY e {
  x = f32[16,32] parameter(0)
  w1 = f32[32,64] parameter(1)
  w2 = f32[64,8] parameter(2)
  h = f32[16,64] dot(x, w1), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  t = f32[16,64] tanh(h)
  ROOT y = f32[16,8] dot(t, w2), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
END
expect 0 'right: 128' "--auto-shard: eight devices, each with two rows" \
    "$X run $W/layers.hlo --platform=host --auto-shard=8"
expect 0 'right: 128' "--mesh, --shard, --replicas: twice two by two" \
    "$X run $W/layers.hlo --platform=host --mesh=data=2,model=2 --auto-shard=data --shard=w1=-,model \
    --shard='w2=model' --replicas=2"
expect 0 'all-reduce.y., replica' "... and what each of them runs" \
    "$X opt $W/layers.hlo --mesh=2x2 --shard='w1=-,y;w2=y;x=x' --passes=sharding-propagation,spmd-partitioner"
expect 0 '^collectives.1$' "--num_partitions: the traffic of the evaluator's devices" \
    "$X run $W/layers.hlo --platform=interpreter --num_partitions=4 --mesh=4 --shard='w1=-,x;w2=x' --stats"
rm -rf $W/propagated
expect 0 'level 1: by dot h, dimension 0 of h: {devices=.2,2.<=.4.}' "each step of the propagation is logged" \
    "$X compile $W/layers.hlo --emit=ptx -o /dev/null --mesh=2x2 --auto-shard=x --shard='w1=-,y' \
    --xla_dump_to=$W/propagated && cat $W/propagated/*propagation_log.txt"
cat > $W/twice.hlo <<'END'
HloModule twice, num_partitions=4
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b) }
ENTRY e {
  p = f32[64] parameter(0)
  q = f32[64] parameter(1)
  r = f32[64] all-reduce(p), channel_id=1, use_global_device_ids=true, replica_groups={{0,1,2,3}}, to_apply=add
  s = f32[64] all-reduce(q), channel_id=2, use_global_device_ids=true, replica_groups={{0,1,2,3}}, to_apply=add
  g = f32[256] all-gather(p), channel_id=3, use_global_device_ids=true, replica_groups={{0,1,2,3}}, dimensions={0}
  h = f32[256] all-gather(q), channel_id=4, use_global_device_ids=true, replica_groups={{0,1,2,3}}, dimensions={0}
  i = f32[16] reduce-scatter(p), channel_id=5, use_global_device_ids=true, replica_groups={{0,1,2,3}},
    dimensions={0}, to_apply=add
  j = f32[16] reduce-scatter(q), channel_id=6, use_global_device_ids=true, replica_groups={{0,1,2,3}},
    dimensions={0}, to_apply=add
  ROOT t = (f32[64], f32[64], f32[256], f32[256], f32[16], f32[16]) tuple(r, s, g, h, i, j)
}
END
for k in all-reduce all-gather reduce-scatter; do
    flag=--xla_gpu_$(echo $k | tr - _)_combine_threshold_bytes
    count="--emit=hlo | grep -c ' $k('"
    expect 0 '^1$' "two of $k are one" "$X compile $W/twice.hlo $count"
    expect 0 '^2$' "$flag=300: they stay two" "$X compile $W/twice.hlo $flag=300 $count"
    expect 0 '^2$' "... in XLA_FLAGS" "XLA_FLAGS=$flag=300 $X compile $W/twice.hlo $count"
    expect 0 '^2$' "... for the pass alone" "$X opt $W/twice.hlo --passes=$k-combiner $flag=300 | grep -c ' $k('"
done
expect 2 'there is no such parameter' "--shard of what is not there" "$X run $W/layers.hlo --mesh=2 --shard=v=x"
expect 0 'right' "several devices on the simulator" "$X run $W/good.hlo --platform=host --devices=2"
expect 0 . "--list-passes" "$X opt --list-passes"
$X opt $W/good.hlo --passes= > $W/printed.hlo 2>/dev/null
same "printing what was printed gives the same" "$X opt $W/printed.hlo --passes=" $W/printed.hlo
for e in pb hlo.pb; do same "-o x.$e: a protobuf, which reads as the module" \
    "$X opt $W/good.hlo --passes= -o $W/good.$e && $X opt $W/good.$e --passes=" $W/printed.hlo; done
expect 0 'stablehlo.transpose' "-o x.mlir: StableHLO" \
    "$X opt $W/good.hlo --passes= -o $W/good.mlir && cat $W/good.mlir"
expect 0 ran "... which runs" "$X run $W/good.mlir --platform=interpreter && echo ran"
expect 2 'not one of hlo, pb, hlo.pb' "opt --emit of a step of compilation" "$X opt $W/good.hlo --emit=ptx"
expect 0 'before_optimizations.txt' "--xla_dump_to" \
    "$X compile $W/good.hlo --emit=ptx -o $W/good.ptx --xla_dump_to=$W/dump && ls $W/dump"
for f in after_optimizations.txt buffer-assignment.txt thunk_sequence.txt '\.ptx$'; do expect 0 "$f" "the dump has $f" \
    "ls $W/dump"; done
expect 0 'before_optimizations' "--xla_dump_to makes the folders around its own" \
    "$X compile $W/good.hlo --emit=ptx -o $W/good.ptx --xla_dump_to=$W/dump6/a//b/ && ls $W/dump6/a/b"
expect 0 '^1$' "--xla_dump_to a file: one warning, not one for each stage" \
    "$X compile $W/good.hlo --emit=ptx -o $W/good.ptx --xla_dump_to=$W/good.hlo/in 2>&1 | grep -c warning"
expect 0 'before_optimizations' "XLA_FLAGS is read" \
    "XLA_FLAGS=--xla_dump_to=$W/dump2 $X run $W/good.hlo --platform=host && ls $W/dump2"
expect 2 "XLA_FLAGS: unknown flag '--no_such_flag=1'" "XLA_FLAGS with an unknown flag" \
    "XLA_FLAGS=--no_such_flag=1 $X run $W/good.hlo --platform=host"
expect 2 "XLA_FLAGS: '--xla_gpu_ftz=perhaps' is not a value" "XLA_FLAGS with a value that is none" \
    "XLA_FLAGS=--xla_gpu_ftz=perhaps $X run $W/good.hlo --platform=host"
expect 2 "XLA_FLAGS: '--xla_dump_to' needs a value" "XLA_FLAGS with a flag without its value" \
    "XLA_FLAGS=--xla_dump_to $X run $W/good.hlo --platform=host"
expect 0 '^0$' "XLA_FLAGS: another name of XLA's for a flag that is here" \
    "XLA_FLAGS=--xla_gpu_exclude_nondeterministic_ops $X compile $W/good.hlo 2>&1 >/dev/null | grep -c note | grep 0"
# A sum of floats by atomic additions has the order in which threads come; one of integers does not show it.
for f in scatter_add_rows histogram_scatter; do
    $X compile tests/corpus/$f.hlo --target=sm_80 --emit=ptx -o $W/$f.ptx
    $X compile tests/corpus/$f.hlo --target=sm_80 --emit=ptx --xla_gpu_deterministic_ops -o $W/$f.ordered.ptx
done
expect 0 'red\.global\.add\.f32' "a sum of floats by atomic additions" "cat $W/scatter_add_rows.ptx"
expect 1 '^0$' "--xla_gpu_deterministic_ops: none of floats" \
    "grep -cE '^[^/]*(red|atom)\.global' $W/scatter_add_rows.ordered.ptx"
expect 0 '' "--xla_gpu_deterministic_ops: those of integers stay" \
    "cmp $W/histogram_scatter.ptx $W/histogram_scatter.ordered.ptx && grep red.global.add.u32 $W/histogram_scatter.ptx"
expect 0 'right' "--xla_gpu_deterministic_ops: what is summed in order is right" \
    "$X run tests/corpus/scatter_add_rows.hlo --platform=host --xla_gpu_deterministic_ops"
expect 0 "XLA_FLAGS: --xla_gpu_autotune_level means nothing here" "XLA_FLAGS with a flag of XLA's" \
    "XLA_FLAGS=--xla_gpu_autotune_level=0 $X run $W/good.hlo --platform=host"
expect 0 "and 1 more mean nothing here" "XLA_FLAGS with two flags of XLA's" \
    "XLA_FLAGS='--xla_gpu_autotune_level=0 --xla_no_such_flag' $X compile $W/good.hlo"
expect 2 "unknown flag .*are taken in XLA_FLAGS" "a flag of XLA's that is not here, on the command line" \
    "$X run $W/good.hlo --platform=host --xla_gpu_autotune_level=0"
expect 0 "no pass is called 'fusion-wraper'; did you mean 'fusion-wrapper'" \
    "a pass that is not there" "$X compile $W/good.hlo --xla_disable_hlo_passes=fusion-wraper"
expect 0 ran "--xla_disable_all_hlo_passes" "$X run $W/good.hlo --platform=host --xla_disable_all_hlo_passes && \
    echo ran"
expect 2 'cannot be switched off' "a required pass in --xla_disable_hlo_passes" \
    "$X compile $W/good.hlo --emit=ptx -o $W/good.ptx --xla_disable_hlo_passes=dce,fusion-wrapper"
expect 0 '0000.*after_.*before_.*txt' "--xla_dump_hlo_pass_re: XLA's file names" \
    "$X compile $W/good.hlo --emit=ptx -o $W/good.ptx --xla_dump_to=$W/dump3 --xla_dump_hlo_pass_re=.* && ls $W/dump3"
expect 0 'fusion-wrapper' "pass_report.txt has a line for each pass" "cat $W/dump3/*pass_report.txt"
expect 0 'loop|tensor' "--v=5 prints the IR" "$X compile $W/good.hlo --emit=ptx -o $W/v.ptx --v=5"
[ -e /usr/lib/x86_64-linux-gnu/libcuda.so.1 ] || [ -e /dev/nvidia0 ] ||
    expect 3 'error' "--platform=cuda without a driver: 3" "$X run $W/good.hlo --platform=cuda"

# ---- the platform cuda, over the driver of tests/programs/fake_cuda.c ----
if fake_driver $W/fake_cuda.so; then
    C="$X run $W/good.hlo --platform=cuda --driver=$W/fake_cuda.so"
    expect 0 'Fake GPU' "--driver" "$C --summary"
    expect 0 '^load +[0-9.]+ ms' "--summary: the time to load beside the time to compile" \
        "$C --summary | grep -A3 '^compile  '"
    expect 0 ran "--concurrent, --copy-stream, --nvtx" "$C --concurrent && $C --copy-stream && $C --nvtx && echo ran"
    expect 0 '^1$' "--cache" "mkdir -p $W/cubins && $C --cache=$W/cubins && $C --cache=$W/cubins && \
        ls $W/cubins | wc -l | tr -d ' '"
    expect 0 '0\.2500' "--profile: the times of the driver's events" "$C --profile"
    expect 0 '"dur":250' "--trace on cuda" "$C --trace=$W/cuda.json && cat $W/cuda.json"
    expect 3 'cannot be opened' "--driver: a file that is none" "$X run $W/good.hlo --platform=cuda --driver=$W/good.hlo"
else bad "tests/programs/fake_cuda.c does not compile"; fi

# ---- check: what is wrong, for people and for editors ----
expect 0 '^none$' "check of a right module says nothing" "[ -z \"\$($X check $W/good.hlo 2>&1)\" ] && echo none"
expect 2 'opcode.hlo:5:[0-9]+: error: ' "check of a wrong one" "$X check $W/good.hlo $W/opcode.hlo"
expect 0 '^\[\]$' "check --json of a right module" "$X check $W/good.hlo --json"
if have python3; then
    expect 0 "^5 19 21 'ad' is not an opcode; did you mean 'add'\?$" "check --json: place, message and hint" \
        "$X check $W/opcode.hlo $W/good.hlo $W/shape.hlo --json > $W/check.json; python3 -c \"
import json
d = json.load(open('$W/check.json'))
assert [e['file'].split('/')[-1] for e in d] == ['opcode.hlo', 'shape.hlo'] and d[1]['line'] == 4
print(d[0]['line'], d[0]['column'], d[0]['endColumn'], d[0]['message'] + ';', d[0]['hint'])\""
fi

# ---- under the names of XLA's tools: what its run_hlo_module_bin_test and lit tests look for ----
cat > $W/add.hlo <<'END'
// RUN: hlo-opt %s --passes=algsimp
HloModule f
ENTRY f {
  arg = f32[2,2]{1,0} parameter(0)
  z = f32[] constant(1)
  ones = f32[2,2] broadcast(z), dimensions={}
  s = f32[2,2]{1,0} add(arg, arg)
  ROOT product = f32[2,2] multiply(s, ones)
}
END
R=build/run_hlo_module
H=build/hlo-opt
expect 0 '^\*\* Results on Host and Interpreter are close enough\. \*\*$' "run_hlo_module" \
    "$R $W/add.hlo --platform=Host"
expect 0 '^0/3 runs miscompared\.$' "run_hlo_module --iterations" "$R --input_module=$W/add.hlo --platform=Host \
    --iterations=3 --random_init_input_literals --xla_gpu_autotune_level=0 --input_format=hlo"
expect 255 '^2/2 runs miscompared\.$' "run_hlo_module that differs: 255" \
    "$X compile $W/add.hlo --target=sm_90a --emit=ptx -o $W/add.ptx && \
    sed 's/add\([.a-z]*\).f32/mul\1.f32/' $W/add.ptx > $W/mul.ptx && \
    $R $W/add.hlo --platform=Host --iterations=2 --xla_gpu_ptx_file=$W/mul.ptx"
expect 0 '^Skipping reference runner$' "run_hlo_module without a reference" \
    "$R $W/add.hlo --platform=Host --reference_platform="
expect 255 'Failed to execute on Host' "run_hlo_module of what does not compile" "$R $W/opcode.hlo --platform=Host"
expect 1 'Must pass --platform' "run_hlo_module without a platform" "$R $W/add.hlo"
expect 1 "'yes' is not a value|'--print_literals=yes' is not" "run_hlo_module: a wrong value" \
    "$R $W/add.hlo --platform=Host --print_literals=yes"
expect 1 'unknown flag' "run_hlo_module: an unknown flag" "$R $W/add.hlo --platform=Host --frob"
expect 1 'format .riegeli. is not supported' "run_hlo_module: a format that is not read" \
    "$R $W/add.hlo --platform=Host --input_format=riegeli"
cat > $W/literal.hlo <<'END'
ENTRY e {
  a = f32[2,2] constant({{0.1, 0.2}, {-1.5, inf}})
  b = s32[3] constant({1, -2, 3})
  c = pred[2] constant({true, false})
  d = bf16[] constant(0.3)
  f = f32[1,2,1] constant({{{1}, {2}}})
  ROOT t = (f32[2,2], s32[3], pred[2], bf16[], f32[1,2,1]) tuple(a, b, c, d, f)
}
END
# Literal::ToString of these values.
printf '(\nf32[2,2] {\n  { 0.1, 0.2 },\n  { -1.5, inf }\n},\ns32[3] {1, -2, 3},\n' > $W/literals
printf 'pred[2] {1, 0},\nbf16[] 0.3,\nf32[1,2,1] {\n{\n  { 1 },\n  { 2 }\n}\n}\n)\n' >> $W/literals
same "run_hlo_module --print_literals" "$R $W/literal.hlo --platform=Host --print_literals --reference_platform= | \
    tail -n +3" $W/literals
expect 0 '^  ROOT %s = f32\[2,2\]\{1,0\} add\(%arg, %arg\)$' "hlo-opt --passes: XLA's long form" \
    "$H $W/add.hlo --passes=algsimp,dce"
expect 0 '^ENTRY %f \(arg: f32\[2,2\]\) -> f32\[2,2\] \{$' "hlo-opt --platform=gpu" "$H --platform=gpu $W/add.hlo"
expect 0 '^\.target sm_80' "hlo-opt --stage=ptx for the device of a file" "printf 'gpu_device_info {\n \
    cuda_compute_capability { major: 8 minor: 0 } }\ndevice_description_str: \"NVIDIA A100-SXM4-80GB\"\n' > $W/a100 && \
    $H - --platform=CUDA --stage=ptx --xla_gpu_target_config_filename=$W/a100 < $W/add.hlo"
expect 0 '^2$' "hlo-opt --split-input-file" "(cat $W/add.hlo; echo '// -----'; cat $W/good.hlo) > $W/split.hlo && \
    $H $W/split.hlo -split-input-file --passes=dce -o $W/split.out && grep -c ^HloModule $W/split.out"
expect 1 'not specified' "hlo-opt: several modules without it" "$H $W/split.hlo --passes=dce"
expect 0 '^algsimp$' "hlo-opt --list-passes" "$H --list-passes"
expect 0 '^buffer-assignment$' "hlo-opt --list-stages" "$H --list-stages"
expect 1 'Stage not supported' "hlo-opt: a stage that is none" "$H $W/add.hlo --platform=gpu --stage=html"
expect 1 "no pass is called 'algsim'; did you mean 'algsimp'" "hlo-opt: a pass that is none" \
    "$H $W/add.hlo --passes=algsim"
expect 1 'Provider not found' "hlo-opt: a platform that is none" "$H $W/add.hlo --platform=tpu"

# ---- kernels edited by hand ----
$X compile $W/good.hlo --target=sm_75 --emit=ptx -o $W/own.ptx
sed 's/add\([.a-z]*\).f32/sub\1.f32/' $W/own.ptx > $W/edited.ptx
R="$X run $W/good.hlo --platform=host --target=sm_75"
expect 0 right "--xla_gpu_ptx_file: the kernels of this file" "$R --xla_gpu_ptx_file=$W/own.ptx"
expect 1 'want' "... edited: other results" "$R --xla_gpu_ptx_file=$W/edited.ptx"
expect 1 'want' "... and in an executable" "$X compile $W/good.hlo --target=sm_75 --xla_gpu_ptx_file=$W/edited.ptx \
    -o $W/edited.xgx && $R --out=$W/own.npz --quiet && $X run $W/edited.xgx --platform=host --expect=$W/own.npz"
expect 2 'of one target' "... into an executable for several" \
    "$X compile $W/good.hlo --xla_gpu_ptx_file=$W/own.ptx -o $W/edited.xgx"
expect 2 'kernel' "... without the kernel" "sed 's/\.entry [a-z_]*/.entry other/' $W/own.ptx > $W/edited.ptx && \
    $R --xla_gpu_ptx_file=$W/edited.ptx"

# ---- diff: do two modules mean the same? ----
cat > $W/two.hlo <<'END'
HloModule two
ENTRY other {
  p1 = f32[4,8] parameter(1), metadata={op_name="b"}
  p0 = f32[4,8] parameter(0)
  unused = f32[4,8] exponential(p1)
  half = f32[] constant(0.5)
  h = f32[4,8] broadcast(half), dimensions={}
  d = f32[4,8] multiply(p1, h)
  ROOT s = f32[4,8] add(p0, d)
}
END
cat > $W/two_renamed.hlo <<'END'
HloModule renamed
ENTRY e {
  x = f32[4,8] parameter(0)
  c = f32[] constant(0.5)
  y = f32[4,8] parameter(1)
  b = f32[4,8] broadcast(c), dimensions={}
  m = f32[4,8] multiply(y, b)
  ROOT r = f32[4,8] add(x, m)
}
END
sed 's/multiply(y, b)/divide(y, b)/; s/(0.5)/(2)/' $W/two_renamed.hlo > $W/two_divide.hlo
sed 's/(0.5)/(0.25)/' $W/two_renamed.hlo > $W/two_other.hlo
D="$X diff $W/two.hlo"
expect 0 'are the same' "diff: names, order, metadata and what is unused aside" "$D $W/two_renamed.hlo"
expect 0 '^  .*two_divide.hlo  c = f32\[\] constant\(2\)' "diff: the first operation that differs" \
    "$D $W/two_divide.hlo"
expect 0 'the results agree: 32 elements' "diff: another structure, the same results" "$D $W/two_divide.hlo"
expect 1 'the results differ .*out0\[.*want' "diff: other results" "$D $W/two_other.hlo"
expect 1 'parameters? 0 is f32\[4,8\] and f32\[8,4\]|2 parameters and 1' "diff: another function" "$D $W/good.hlo"
expect 1 '"same": false, "structure": "differs", "results": "differ"' "diff --json" "$D $W/two_other.hlo --json"
expect 2 'needs two files' "diff of one file" "$D"
same "canonical texts are the same" "$X opt $W/two.hlo --passes=dce,strip-metadata,canonical-order,canonical-names \
    > $W/canonical && $X opt $W/two_renamed.hlo --passes=canonical-order,canonical-names" $W/canonical

# ---- reduce: a smaller module of which the command says the same ----
cat > $W/big.hlo <<'END'
HloModule big
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
ENTRY e {
  x = f32[4,8] parameter(0)
  y = f32[4,8] parameter(1)
  u = f32[8,4] parameter(2)
  s = f32[4,8] add(x, y)
  t = f32[4,8] tanh(s)
  d = f32[4,4] dot(t, u), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  z = f32[] constant(0)
  r = f32[4] reduce(d, z), dimensions={1}, to_apply=add
  l = f32[4] log(r)
  ROOT q = (f32[4], f32[4,8]) tuple(l, t)
}
END
cat > $W/tanh.hlo <<'END'
HloModule big

ENTRY e {
  s = f32[4,8]{1,0} parameter(0)
  ROOT t = f32[4,8]{1,0} tanh(s)
}
END
expect 0 'of [0-9]+ bytes, after [0-9]+ attempts' "reduce keeps what the command looks for" \
    "$X reduce $W/big.hlo --keep='grep -q \"tanh(\" {}' -o $W/least.hlo && cmp $W/least.hlo $W/tanh.hlo"
expect 0 'reduce\(d, z\)' "and the computations that it needs" "$X reduce $W/big.hlo -o $W/least.hlo \
    --keep='$X compile {} --emit=hlo 2>/dev/null | grep -q \"reduce(\"' && cat $W/least.hlo"
expect 2 'has no \{\}, where the name of the module goes' "a command that does not name the module" \
    "$X reduce $W/big.hlo --keep=true"
expect 2 "needs a file and a command" "reduce without a command" "$X reduce $W/big.hlo"

# ---- wrong uses, with all that is said ----
if have python3; then
    python3 tests/scripts/wrong_uses.py > $W/wrong
    while IFS= read -r line; do case $line in *FAIL*) bad "${line#*FAIL  }" ;; esac; done < $W/wrong
    passed=$((passed + $(tail -1 $W/wrong | cut -d " " -f 1)))
else absent python3; fi

# ---- how flags are written ----
expect 0 ran "--flag=value" "$X run $W/good.hlo --platform=host --seed=3 && echo ran"
expect 0 ran "--flag value" "$X run $W/good.hlo --platform host --seed 3 && echo ran"
expect 0 ran "-flag value, and flags before the file" "$X run -platform host -seed=3 $W/good.hlo && echo ran"
expect 0 ran "--noflag and --flag=false" "$X run $W/good.hlo --platform=host --nostats --summary=false && echo ran"
expect 2 "is not a value of the kind" "a number that is none" "$X run $W/good.hlo --seed=three"
expect 2 "is not a value of the kind" "a negative count" "$X run $W/good.hlo --threads=-1"
expect 2 "is not a value of the kind" "a truth value that is none" "$X run $W/good.hlo --stats=perhaps"
expect 2 "needs a value" "a flag without its value" "$X run $W/good.hlo --platform"
expect 2 "needs a value" "a flag where a value should be" "$X run $W/good.hlo --args --stats"
expect 2 "no platform is called 'vulkan'" "a platform that is none" "$X run $W/good.hlo --platform=vulkan"
expect 2 "not in this build: define XLAGPU_USE_LLVM" "a backend that is not built in" \
    "$X run $W/good.hlo --backend=llvm"
expect 2 "reference_platform" "a reference that is none" "$X run $W/good.hlo --platform=host --reference_platform=gpu"
expect 2 "needs a file" "no file" "$X run"
expect 0 'Flags of this verb' "--help of a verb" "$X sim --help"
expect 0 ran "XLA_FLAGS: several, quoted" \
    "XLA_FLAGS=\"  --xla_dump_to='$W/dump 3' --v=0\" $X run $W/good.hlo --platform=host && ls '$W/dump 3' && echo ran"
printf -- '--xla_disable_all_hlo_passes\n--list-passes\n' > $W/flags
expect 0 ran "XLA_FLAGS: a file, and flags of another verb" "XLA_FLAGS=$W/flags $X run $W/good.hlo --platform=host && \
    echo ran"
expect 2 'neither flags nor a file' "XLA_FLAGS: a file that is not there" \
    "XLA_FLAGS=$W/nothing $X run $W/good.hlo --platform=host"

# ---- files in and out ----
expect 0 ran "a module from standard input" "cat $W/good.hlo | $X run - --platform=host && echo ran"
expect 2 'opcode.hlo:5:' "several files: all are run, the worst status counts" \
    "$X run $W/good.hlo $W/opcode.hlo $W/good.hlo --platform=host"
expect 2 'cannot go into one file' "several results into one file" "$X run $W/good.hlo $W/good.hlo --out $W/o.npz"
expect 2 'cannot go into one file' "several modules into one file" \
    "$X compile $W/good.hlo $W/good.hlo --emit=ptx -o $W/both.ptx"
expect 0 '^3$' "--report of several files" "$X compile $W/good.hlo $W/good.hlo --report > $W/report2 && \
    wc -l < $W/report2 | tr -d ' '"
expect 0 'entry' "-o -" "$X compile $W/good.hlo --emit=ptx -o -"
expect 2 'cannot be written' "a file that cannot be written" "$X compile $W/good.hlo --emit=ptx -o $W/no/such/folder"
expect 2 'cannot be written' "results that cannot be written" \
    "$X run $W/good.hlo --platform=host --out $W/no/such/folder.npz"
(cd $W && ../../$X compile good.hlo > out 2>&1 && [ -s good.xgx ]) && ok "an executable gets the module's name" ||
    bad "an executable gets the module's name"
printf 'xlagpu\r\n' > $W/text.xgx
expect 2 'copied as text|too short' "an executable, copied as text" "$X run $W/text.xgx --platform=host"
expect 2 'interpreter runs HLO' "an executable on the interpreter" "$X run $W/good.xgx --platform=interpreter"
expect 0 ran "an executable: --args, --expect" "$X run $W/good.hlo --platform=interpreter --seed 5 --out $W/o5.npz && \
    $X run $W/good.xgx --platform=host --seed 5 --expect $W/o5.npz && echo ran"
[ -s $W/dump/module_0000.good.before_optimizations.txt ] && ok "dumps are named after the module" || bad "dumps are named after the module"
for f in sm_9.0_gpu_after_optimizations.txt sm_9.0_gpu_after_optimizations-buffer-assignment.txt thunk_sequence.txt \
    fusion_log.txt ptx; do [ -s $W/dump/module_0000.good.$f ] && ok "dump: $f" || bad "dump: $f"; done
expect 0 'after_memory-scheduler' "--xla_dump_hlo_pass_re" \
    "$X compile $W/good.hlo --emit=ptx -o $W/good.ptx --xla_dump_to=$W/dump4 '--xla_dump_hlo_pass_re=^memory-s.*r\$' && ls $W/dump4"
expect 1 '^1$' "which is a regular expression" \
    "ls $W/dump4 | grep -c '[0-9][.][a-z-]*[.]after_[a-z-]*[.]before_[a-z-]*[.]txt'; ls $W/dump4 | grep priority"
expect 0 'module_0001' "several files: several numbers" \
    "$X compile $W/good.hlo $W/good.hlo --emit=ptx --xla_dump_to=$W/dump5 > /dev/null && ls $W/dump5"
expect 0 'memory' "--compiler-memory-limit" "$X compile $W/good.hlo --emit=ptx --compiler-memory-limit=20000; \
    [ \$? = 3 ]"
expect 0 'made_again' "--memory-limit" "$X compile $W/good.hlo --report --memory-limit=100000 && \
    $X compile $W/good.hlo --report --memory-limit=1 2>&1 | grep -q 'device memory'"
expect 2 'what is planned is not changed' "--memory-limit of a planned module" \
    "$X compile $W/good.hlo --emit=plan > $W/good.plan || exit 9; $X compile $W/good.plan --emit=ptx --memory-limit=1"
expect 0 'launch.*block 1?[0-9]+' "--summary shows the launch" "$X run $W/good.hlo --platform=host --summary"
expect 0 'worst error.*equal' "--summary shows the worst error" "$X run $W/good.hlo --platform=host --summary"
expect 1 'want .*, got ' "a difference shows want and got" \
    "$X run $W/good.hlo --platform=host --seed 4 --expect $W/o.npz"
awk 'BEGIN { print "ENTRY m { v0 = f64[8000000] iota(), iota_dimension=0"; for (i = 1; i < 40; i++) print " v" i " = f64[8000000] tan(v" i - 1 ")"; print " ROOT r = f64[8000000] tan(v39) }" }' > $W/long.hlo
expect 0 'platform=interpreter' "a run that will take long says so before" \
    "timeout 20 $X run $W/long.hlo --platform=host --threads=1 --reference_platform= & p=\$!; \
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do sleep 0.3; grep -q interpreter $W/out && break; \
    done; kill \$p 2>/dev/null; true"
GPU="$X run --platform=CUDA --xla_disable_all_hlo_passes --reference_platform=\"\" --v=5 examples/gelu.hlo"
if [ -e /usr/lib/x86_64-linux-gnu/libcuda.so.1 ] || [ -e /dev/nvidia0 ]; then
    expect 0 . "the command line of the README, on a GPU" "$GPU"
else expect 3 'no NVIDIA driver here' "the command line of the README, without a driver" "$GPU"; fi

# ---- a C program that carries an executable needs the runtime header alone ----
cat > $W/carry.c <<'END'
#include <stdio.h>
#define XLAGPU_IMPLEMENTATION
#include "xlagpu_runtime.h"
extern const unsigned long good_xgx_size;
extern const unsigned char good_xgx[];
int main(void) {
    xlagpu_device_desc desc = {0};
    xlagpu_device *d;
    xlagpu_program *p;
    float x[32], y[32];
    xlagpu_rt_tensor in = {x, sizeof x}, out = {y, sizeof y};
    int i;
    for (i = 0; i < 32; i++) x[i] = (float)i;
    desc.platform = "host";
    if (xlagpu_rt_open(&desc, &d)) return 1;
    p = xlagpu_rt_load(d, good_xgx, good_xgx_size);
    if (!p || xlagpu_rt_run(p, &in, 1, &out, 1)) { puts(xlagpu_rt_error(d)); return 1; }
    printf("%s: %g %g %g\n", xlagpu_rt_program_name(p), y[1], y[4], y[31]);
    xlagpu_rt_close(d);
    return 0;
}
END
expect 0 '^good: 16 2 62$' "--emit=c, in a program" "$X compile $W/good.hlo --emit=c -o $W/good_xgx.c && \
    ${CC:-cc} -w -O0 -I. $W/carry.c $W/good_xgx.c -o $W/carry -lm -ldl -lpthread && $W/carry"
have "${CXX:-c++}" && expect 0 . "--emit=c is C++ too" "${CXX:-c++} -w -c -x c++ $W/good_xgx.c -o $W/good_xgx.o && echo yes"
printf '%s\n' '#include "fluid.h"' '#ifndef FLUID_TARGET' '#error' '#endif' \
    'int main(void) { return FLUID_PARAMETERS != 1 || FLUID_RESULTS != 1 || FLUID_PARAMETER_X != 0 ||' \
    'FLUID_PARAMETER_X_BYTES != 128 || FLUID_RESULT_0_BYTES != 128 || fluid_xgx[0] != 120 || !fluid_xgx_size; }' \
    > $W/fluid_user.c
expect 0 '^#define FLUID_PARAMETER_X 0 /\* f32\[4,8\] \*/$' "-o F.c --symbol: F.h says what the module takes" \
    "$X compile $W/good.hlo -o $W/fluid.c --symbol=fluid && ${CC:-cc} -Wall -Wextra -Werror $W/fluid_user.c \
    $W/fluid.c -o $W/fluid && $W/fluid && cat $W/fluid.h"
expect 0 '^/\* Module good, compiled for sm_75' "-o F.c: its header names the module and what it runs on" \
    "head -1 $W/fluid.h"
# Weights go with the executable: in the C source, or in a file beside it. y = x * w + b; w[k] = k + 1, b = 0.5.
cat > $W/dense.hlo <<'END'
ENTRY main {
  x = f32[3] parameter(0)
  w = f32[3] parameter(1)
  b = f32[] parameter(2)
  c = f32[3] broadcast(b), dimensions={}
  m = f32[3] multiply(x, w)
  ROOT y = f32[3] add(m, c)
}
END
cat > $W/dense_user.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#define XLAGPU_IMPLEMENTATION
#include "xlagpu_runtime.h"
#include "dense.h"
int main(int argc, char **argv) {
    xlagpu_device_desc desc = {0};
    xlagpu_device *d;
    xlagpu_program *p;
    float x[3] = {10, 20, 30}, y[3] = {0, 0, 0};
    xlagpu_rt_tensor in[DENSE_PARAMETERS] = {{0, 0}}, out = {0, 0};
#ifdef BESIDE
    static unsigned char bytes[DENSE_WEIGHTS_BYTES];
    FILE *f = fopen(argv[argc - 1], "rb");
    if (!f || fread(bytes, 1, sizeof bytes, f) != sizeof bytes || getc(f) != EOF) return 2;
    DENSE_WEIGHTS(in, bytes);
#else
    (void)argc, (void)argv;
    DENSE_WEIGHTS(in, dense_weights);
#endif
    in[DENSE_PARAMETER_X].data = x, in[DENSE_PARAMETER_X].bytes = sizeof x;
    out.data = y, out.bytes = sizeof y;
    desc.platform = "host";
    if (xlagpu_rt_open(&desc, &d)) return 1;
    p = xlagpu_rt_load(d, dense_xgx, dense_xgx_size);
    if (!p || xlagpu_rt_run(p, in, DENSE_PARAMETERS, &out, 1)) { puts(xlagpu_rt_error(d)); return 1; }
    printf("dense: %g %g %g\n", y[0], y[1], y[2]);
    xlagpu_rt_close(d);
    return 0;
}
END
if python3 -c 'import numpy' 2> /dev/null; then
    python3 -c "import numpy as np; np.savez('$W/dense.npz', w=np.arange(1, 4, dtype='f4'), b=np.float32(0.5))"
    user="${CC:-cc} -w -O0 -I. -I$W $W/dense_user.c $W/dense.c -o $W/dense -lm -ldl -lpthread"
    have tcc && user="tcc -w -I. -I$W $W/dense_user.c $W/dense.c -o $W/dense -lm -ldl -lpthread"
    expect 0 '^dense: 10.5 40.5 90.5$' "--emit=c --args: weights in the C source" \
        "$X compile $W/dense.hlo --args=$W/dense.npz -o $W/dense.c && $user && $W/dense"
    expect 0 '^dense: 10.5 40.5 90.5$' "--weights=beside: in a file of its own" "$X compile $W/dense.hlo \
        --args=$W/dense.npz --weights=beside -o $W/dense.c && $user -DBESIDE && $W/dense $W/dense.weights"
    expect 2 "there is no array 'arg0'; parameter 0 \(x\) is f32\[3\]" "--args without any weight" \
        "python3 -c \"import numpy as np; np.savez('$W/none.npz', q=np.arange(3.0))\" && \
        $X compile $W/dense.hlo --args=$W/none.npz -o $W/dense.c"
fi
expect 2 'args has the weights of C: it needs --emit=c' "compile --args without C" \
    "$X compile $W/good.hlo --args=$W/good.hlo"
expect 2 "in \(the array of C\) or beside" "--weights=elsewhere" \
    "$X compile $W/good.hlo --args=$W/good.hlo --weights=elsewhere -o $W/g.c"
expect 2 'name that by -o FILE.c' "--weights=beside without a file" \
    "$X compile $W/good.hlo --args=$W/good.hlo --weights=beside --emit=c"
# What ships runs everywhere: without a target code from sm_75 on, with more where it differs.
printf '%s\n' 'ENTRY e { a = bf16[64,64] parameter(0) b = bf16[64,64] parameter(1)' \
    'ROOT c = bf16[64,64] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} }' > $W/mm.hlo
expect 0 '^#define GOOD_TARGET "sm_75"' "a module without a target: for sm_75 and newer" \
    "$X compile $W/good.hlo -o $W/good.c && cat $W/good.h"
expect 0 '^#define MM_TARGET "sm_75,sm_80' "tensor cores differ: an image for each" \
    "$X compile $W/mm.hlo -o $W/mm.c && cat $W/mm.h"
expect 0 'compiled for sm_80$' "several targets are files one behind the other; the device's is taken" \
    "for t in sm_75 sm_80; do $X compile $W/mm.hlo --target=\$t -o $W/mm_\$t.xgx || exit 9; done && \
    cat $W/mm_sm_75.xgx $W/mm_sm_80.xgx > $W/mm_cat.xgx && \
    $X compile $W/mm.hlo --target=sm_75,sm_80 -o $W/mm.xgx && cmp $W/mm.xgx $W/mm_cat.xgx && \
    $X run $W/mm_cat.xgx --platform=host --summary"
expect 2 'truncated, or followed by other bytes' "the second of two executables is damaged" \
    "head -c -900 $W/mm_cat.xgx > $W/mm_cut.xgx; $X run $W/mm_cut.xgx --platform=host"
expect 2 'several targets go into an executable or C' "several targets and one text" \
    "$X compile $W/mm.hlo --target=sm_75,sm_80 --emit=ptx"
# ---- the page of all stages ----
if have node; then
    for e in ptx hlo; do
        stage=ptx
        [ $e = hlo ] && stage=hlo/after_optimizations
        expect 0 'stages, [1-9][0-9]* steps: shown' "--viewer: the page's script shows every stage ($stage)" \
            "$X compile $W/mm.hlo --target=sm_90a --emit=$e --viewer=$W/mm.html > $W/mm.text && \
            node tests/scripts/viewer.js $W/mm.html $W/mm.text $stage"
    done
else absent "node (--viewer)"; fi
expect 0 'measured: yes' "run --viewer: the page has what was measured, too" "$X run $W/mm.hlo --platform=host \
    --viewer=$W/mm_run.html && grep -q '\"trace\"' $W/mm_run.html && grep -q 'traceEvents' $W/mm_run.html && \
    echo measured: yes"
expect 2 'one module, compiled for one device' "run --viewer of the interpreter" \
    "$X run $W/mm.hlo --platform=interpreter --viewer=$W/mm_run.html"
if sh tests/scripts/viewer.sh --works > /dev/null; then
    expect 0 'probe: ok' "--viewer in a browser: every view, kernel and key" \
        "$X compile $W/mm.hlo --target=sm_90a --viewer=$W/mm.html && sh tests/scripts/viewer.sh $W/mm.html"
else absent "chromium (--viewer)"; fi
expect 2 'shows one target: name it by --target' "--viewer of what is made for several targets" \
    "$X compile $W/mm.hlo -o $W/mm.xgx --viewer=$W/mm.html"
expect 2 'cannot be written' "--viewer into a folder that is not there" "$X compile $W/mm.hlo --viewer=$W/no/mm.html"

# A graph: a label an instruction and a computation, a dashed edge a call.
expect 0 '^7 calls$' "--emit=dot" "$X compile tests/corpus/conditionals.hlo -o $W/t.dot && \
    $X compile tests/corpus/conditionals.hlo --emit=hlo > $W/t.hlo && \
    [ \$(grep -c 'label=' $W/t.dot) = \$(grep -c -e ' = ' -e ' {\$' $W/t.hlo) ] && \
    echo \"\$(grep -c dashed $W/t.dot) calls\""

# What a file is named says what it holds.
expect 0 '\.entry' "-o F.ptx implies --emit=ptx" "$X compile $W/good.hlo -o $W/named.ptx && cat $W/named.ptx"
expect 0 '^HloModule' "-o F.hlo implies --emit=hlo" "$X compile $W/good.hlo -o $W/named.hlo && cat $W/named.hlo"
expect 0 'ran' "-o F.xgx is an executable" \
    "$X compile $W/good.hlo -o $W/named.xgx && $X run $W/named.xgx --platform=host && echo ran"
expect 2 '--emit=ptx and -o .*x.xgx contradict each other: a file of that name holds exe' "--emit against the name" \
    "$X compile $W/good.hlo --emit=ptx -o $W/x.xgx"
expect 2 "'a_b' would be one" "--symbol that is no name of C" "$X compile $W/good.hlo --emit=c --symbol=a-b"
expect 2 'needs --emit=c' "--symbol without C" "$X compile $W/good.hlo --symbol=a"

# ---- bounded dimensions: arrays of the sizes that are there ----
cat > $W/dynamic.hlo <<'END'
HloModule dynamic
ENTRY main {
  x = f32[<=9,3] parameter(0)
  y = f32[<=9,3] parameter(1)
  s = f32[<=9,3] add(x, y)
  c = f32[<=18,3] concatenate(x, s), dimensions={0}
  n = s32[] get-dimension-size(c), dimensions={0}
  ROOT t = (f32[<=18,3], s32[]) tuple(c, n)
}
END
expect 0 ran "bounded dimensions on host, against the evaluator" "$X run $W/dynamic.hlo --platform=host && echo ran"
expect 0 ran "and against a file of the real sizes" \
    "$X run $W/dynamic.hlo --platform=interpreter --seed 2 --out $W/d.npz && \
    $X run $W/dynamic.hlo --platform=host --seed 2 --expect $W/d.npz && echo ran"
expect 0 ran "the same file from host" "$X run $W/dynamic.hlo --platform=host --seed 2 --out $W/d2.npz && \
    cmp $W/d.npz $W/d2.npz && echo ran"

# ---- .npz and .npy ----

# With a file that Python writes, where there is one.
expect_npz() { [ ! -f "$W/npz/vector.npy" ] || expect "$@"; }
if have python3; then
    mkdir -p $W/npz
    python3 tests/scripts/cli_npz.py $W/npz || bad "python3 tests/scripts/cli_npz.py"
    printf 'HloModule two\nENTRY e { x = f32[2,3] parameter(0) n = s32[3] parameter(1) y = f32[2,3] add(x, x) c = s32[3] constant({1,1,1}) m = s32[3] add(n, c) ROOT t = (f32[2,3], s32[3]) tuple(y, m) }' > $W/two.hlo
    npz() { expect "$1" "$2" "$3: $4" \
        "$X run $W/two.hlo --platform=interpreter --args $W/npz/$4 --expect $W/npz/${5:-stored.npz} && echo ran"; }
    for f in stored fortran version2 streamed zip64; do npz 0 ran npz $f.npz $f.npz; done
    if grep -q XG_HAVE_ZLIB build/tool.stamp; then npz 0 ran npz deflated.npz deflated.npz
        npz 2 'damaged' npz bad_deflate.npz
    else absent zlib; npz 2 'zlib' npz deflated.npz; fi
    npz 1 'out1\[2\]: want 11, got 10' npz stored.npz differs.npz
    npz 2 'big-endian' npz big_endian.npz
    npz 2 "has the shape \(3,2\); parameter 0 needs \(2,3\)" npz other_shape.npz
    npz 2 "has the shape \(6\)" npz other_rank.npz
    npz 2 "array 'arg0' is int32; parameter 0 is f32 and needs float32" npz other_type.npz
    npz 2 "array 'arg0' is float64; parameter 0 is f32 and needs float32" npz double.npz
    npz 2 "structured" npz structured.npz
    npz 2 "it holds text; numbers are needed" npz text.npz
    npz 2 "overflows" npz overflow.npz
    npz 2 "truncated" npz short.npz
    npz 2 "no array 'arg0'; parameter 0 \(.*\) is f32\[2,3\] and needs float32. The file holds '" npz other_name.npz
    npz 2 "not a .npy" npz no_npy.npz
    npz 2 "error" npz cut.npz
    npz 2 "no zip directory" npz no_directory.npz
    npz 2 "checksum" npz checksum.npz
    npz 2 "there is no array 'arg0'.* The file holds nothing" npz empty.npz
    npz 2 "there is no array 'arg1'" npy one.npy
    npz 2 "cannot be read" npz nothing.npz
    npz 0 "no parameter takes spare, out0, out1" "npz, by name," named.npz
    npz 2 "several arrays could be parameter 0 \(x\), '(model|ema).x' is one" npz both.npz
    npz 2 "array 'arg1' has the shape \(2,3\)" npz twice.npz
    npz 0 ran "safetensors, by name," whole.safetensors
    npz 2 "array 'x' is bf16; parameter 0 is f32 and needs float32" safetensors half.safetensors
    npz 2 "no array 'arg1'; parameter 1 \(n\) is s32\[3\] and needs int32. The file holds 'params/x', float32" \
        safetensors x.safetensors
    expect 0 ran "arguments from two files; one is replaced while mapped" "cp $W/npz/stored.npz $W/npz/mine.npz && \
        $X run $W/two.hlo --platform=interpreter --args $W/npz/x.safetensors --args $W/npz/n.safetensors \
        --args $W/npz/mine.npz --save_args $W/npz/mine.npz && \
        $X run $W/two.hlo --platform=interpreter --args $W/npz/mine.npz --expect $W/npz/stored.npz && echo ran"
    expect 0 ran "--fill_args draws what no file has" \
        "$X run $W/two.hlo --platform=host --args $W/npz/x.safetensors --fill_args --save_args $W/npz/filled.npz && \
        $X run $W/two.hlo --platform=host --args $W/npz/filled.npz && echo ran"
    printf 'ENTRY e { x = s4[4] parameter(0) ROOT y = s4[4] copy(x) }' > $W/narrow.hlo
    expect 0 ran "s4 by value" \
        "$X run $W/narrow.hlo --platform=interpreter --args $W/npz/narrow_good.npy --out $W/narrow.npy && \
        cmp $W/narrow.npy $W/npz/narrow_good.npy && echo ran"
    expect 2 'cannot have' "s4 out of range" "$X run $W/narrow.hlo --platform=interpreter --args $W/npz/narrow_bad.npy"
    # ---- HloSnapshot ----
    printf 'HloModule t\nENTRY e { x = f32[2,3] parameter(0) ROOT y = f32[2,3] add(x, x) }\n' > $W/t.hlo
    $X opt $W/t.hlo --passes= -o $W/t.hlo.pb && python3 tests/scripts/cli_snapshot.py $W/t.hlo.pb $W
    expect 0 'right: 6 elements in 1 result as the snapshot has them' "a snapshot is its own test" \
        "$X run $W/right.pb --platform=host"
    expect 0 'as the snapshot has them' "the interpreter is compared with a snapshot, too" \
        "$X run $W/right.pb --platform=interpreter"
    expect 1 'differ from the snapshot.*out0\[1,2\]: want 7, got 6' "a snapshot with another result" \
        "$X run $W/wrong.pb --platform=host"
    expect 0 'as the evaluator has them' "a snapshot without a result" \
        "$X run $W/open.pb --platform=host --save_args=$W/snapshot.npz"
    expect 0 'as .*snapshot.npz has them' "... whose arguments were used" \
        "$X run $W/open.pb --platform=host --save_args=$W/again.npz --quiet && cmp $W/again.npz $W/snapshot.npz && \
        $X run $W/right.pb --platform=host --out=$W/snapshot.npz --quiet && \
        $X run $W/right.pb --platform=host --args=$W/again.npz --expect=$W/snapshot.npz"
    expect 2 'the snapshot has 0 arguments; the module takes 1' "a snapshot without arguments" \
        "$X run $W/few.pb --platform=host"
    expect 2 'argument 0 of the snapshot has another shape' "a snapshot of another module" \
        "$X run $W/other.pb --platform=host"
else absent python3; fi

# A kernel of any origin.
cat > $W/k.ptx <<'END'
.version 7.0
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 p, .param .u32 n) {
  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %d<4>; .reg .f32 %f<3>;
  ld.param.u64 %d0, [p];
  ld.param.u32 %r0, [n];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  setp.ge.u32 %p0, %r4, %r0;
  @%p0 bra DONE;
  cvta.to.global.u64 %d1, %d0;
  mul.wide.u32 %d2, %r4, 4;
  add.s64 %d3, %d1, %d2;
  ld.global.f32 %f0, [%d3];
  add.f32 %f1, %f0, %f0;
  st.global.f32 [%d3], %f1;
DONE:
  ret;
}
END
expect_npz 0 . "sim runs a kernel" \
    "$X sim $W/k.ptx --entry twice --grid 2 --block 32 --arg inout:$W/npz/vector.npy:$W/y.npy --arg u32:50 && \
    test -s $W/y.npy && echo ran"
expect_npz 0 'warp_instructions' "sim --stats" \
    "$X sim $W/k.ptx --entry twice --grid 2 --block 32 --arg inout:$W/npz/vector.npy:$W/y.npy --arg u32:50 --stats"
cat > $W/loops.ptx << 'END'
.version 7.0
.target sm_70
.address_size 64
.visible .entry twice_three() {
  .reg .pred %p<3>;
  .reg .b32 %r<3>;
  .reg .f32 %f<2>;
  mov.b32 %r1, 0;
  mov.f32 %f1, 0f3F800000;
OUTER:
  mov.b32 %r2, 0;
INNER:
  fma.rn.f32 %f1, %f1, %f1, %f1;
  add.s32 %r2, %r2, 1;
  setp.lt.s32 %p1, %r2, 3;
  @%p1 bra INNER;
  add.s32 %r1, %r1, 1;
  setp.lt.s32 %p2, %r1, 2;
  @%p2 bra OUTER;
  ret;
}
END
# of 2 warps: rounds 2 * 2 and 2 * 2 * 3; inside 4 instructions a round, and 4 more an outer one; lanes less those of
# branches that their guard holds back
expect 0 '^twice_three	11-19	4	64	1856	.*	384	' "sim --stats: an outer loop" \
    "$X sim $W/loops.ptx --entry twice_three --block 64 --stats"
expect 0 '^twice_three	13-16	12	48	1408	.*	384	' "sim --stats: an inner loop" \
    "$X sim $W/loops.ptx --entry twice_three --block 64 --stats"
expect_npz 4 'k.ptx' "sim finds a store out of bounds: 4" \
    "$X sim $W/k.ptx --entry twice --grid 2 --block 32 --arg inout:$W/npz/vector.npy:$W/y.npy --arg u32:51"
expect 0 'f32:2,3: f32\[2,3\] \{  \{ 0, 0.5, 1 \},  \{ 1.5, 2, 2.5 \}\}$' "sim --print_literals: results without a file" \
    "$X sim examples/halves.ptx --block 32 --arg out:f32:2,3 --arg u32:6 --print_literals > $W/literals && \
    tr -d '\n' < $W/literals"
expect 0 '^PK' "sim: results on standard output, as .npz" \
    "$X sim examples/halves.ptx --block 32 --arg out:f32:8:- --arg u32:8 > $W/out0.npz && head -c 2 $W/out0.npz"
sed 's/add.f32 /add.f33 /' $W/k.ptx > $W/wrong.ptx
expect 2 'wrong.ptx:18:[0-9]+: error: ' "sim refuses an unknown instruction" \
    "$X sim $W/wrong.ptx --entry twice --arg out:f32:50:$W/y.npy --arg u32:50"
K="$X sim $W/k.ptx --entry twice --grid 2 --block 32"
expect_npz 0 ran "sim: inout, into another file" "$K --arg inout:$W/npz/vector.npy:$W/twice.npy --arg i32:50 && \
    [ -s $W/twice.npy ] && echo ran"
expect_npz 0 ran "sim: the only kernel needs no name" \
    "$X sim $W/k.ptx --grid=2 --block=32,1,1 --arg inout:$W/npz/vector.npy:$W/y.npy --arg u32:0x32 && echo ran"
expect 2 'no kernel' "sim: a kernel that is not there" \
    "$X sim $W/k.ptx --entry thrice --arg out:f32:50:$W/y.npy --arg u32:50"
expect 2 'more parameters' "sim: too few parameters" "$K --arg out:f32:50:$W/y.npy"
expect 2 'more --arg' "sim: too many parameters" "$K --arg out:f32:50:$W/y.npy --arg u32:50 --arg u32:1"
expect 2 'has 4 bytes|gives 8' "sim: a parameter of another size" "$K --arg out:f32:50:$W/y.npy --arg u64:50"
for v in u32:-1 u32:4294967296 i32:2147483648x i32:-2147483649 f32:one u32: q32:1; do expect 2 \
    'not understood|unknown|in:F.npy' "sim: --arg $v" "$K --arg out:f32:50:$W/y.npy --arg $v"; done
printf '\062\000\000\000' > $W/fifty
expect_npz 0 ran "sim: a parameter's own bytes" \
    "$K --arg inout:$W/npz/vector.npy:$W/y.npy --arg value:$W/fifty && echo ran"
expect 4 'uninitialised memory' "sim: an output that is read before it is written" \
    "$K --arg out:f32:50:$W/y.npy --arg u32:50"
expect 4 'argument 0, out:i32:5,10:.*, s32.5,10., offset 0, element .0,0., which nobody has written' \
    "sim: a fault names argument and element; out:i32 is out:s32" "$K --arg out:i32:5,10:$W/y.npy --arg u32:50"
expect 2 'no kernel .thrice.; it has twice' "sim: which kernels there are" \
    "$X sim $W/k.ptx --entry thrice --arg out:f32:50:$W/y.npy --arg u32:50"
sed 's/\.visible \.entry twice/.visible .entry _ZN3app5twiceIfEEvPT_i/' $W/k.ptx > $W/mangled.ptx
printf '.visible .entry other() { ret; }\n' >> $W/mangled.ptx
expect 2 'several kernels, name one: _ZN3app5twiceIfEEvPT_i .app::twice<...>. and other' \
    "sim: kernels by the names of their source" "$X sim $W/mangled.ptx --arg out:f32:50:$W/y.npy --arg u32:50"
expect_npz 0 ran "sim: a kernel is named as C++ calls it" \
    "$X sim $W/mangled.ptx --entry 'app::twice<...>' --grid 2 --block 32 \
    --arg inout:$W/npz/vector.npy:$W/y.npy --arg u32:50 && echo ran"
expect_npz 0 ran "sim: a template is named without its arguments" \
    "$X sim $W/mangled.ptx --entry app::twice --grid 2 --block 32 \
    --arg inout:$W/npz/vector.npy:$W/y.npy --arg u32:50 && echo ran"
expect 4 'app::twice' "sim: a fault names the kernel of the source" \
    "$X sim $W/mangled.ptx --entry _ZN3app5twiceIfEEvPT_i --block 32 --arg out:f32:50:$W/y.npy --arg u32:50"
printf '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\nL: bra L;\n}\n' > $W/endless.ptx
expect 4 'no end' "sim: --max-instructions" "$X sim $W/endless.ptx --block 32 --max-instructions=1000"
printf '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 d) {\n.reg .b64 %%d; .reg .b32 %%r;
ld.param.u64 %%d, [d]; st.global.u32 [%%d+20], 5; ld.global.nc.u32 %%r, [%%d+20]; ret;\n}\n' > $W/nc.ptx
expect 4 'load of offset 20 of argument 0, out:f32:2,4:.*, element .1,1., which the kernel has written' \
    "sim: a read-only load names argument and element" "$X sim $W/nc.ptx --arg out:f32:2,4:$W/y.npy"
printf '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 d) {\n.reg .b64 %%d; .reg .b32 %%r;
.reg .pred %%p; mov.u32 %%r, %%tid.x; setp.eq.u32 %%p, %%r, 0; ld.param.u64 %%d, [d];
@%%p st.global.u32 [%%d+32], 5;\n@!%%p ld.global.u32 %%r, [%%d+24];\nret;\n}\n' > $W/two.ptx
expect 4 '^2 different faults$' "sim: --max-faults" \
    "$X sim $W/two.ptx --block 2 --arg out:f32:2,4:$W/y.npy --max-faults=5"
expect 4 'offset 32 of argument 0, out:f32:2,4:.*, element .2,0.' "sim: one fault without --max-faults" \
    "$X sim $W/two.ptx --block 2 --arg out:f32:2,4:$W/y.npy"
cat > $W/tex.ptx << 'END'
.version 7.0
.target sm_75
.address_size 64
.visible .entry fetch(.param .u64 t, .param .u64 out) {
.reg .b64 %d<4>; .reg .b32 %r<2>; .reg .f32 %f<8>;
ld.param.u64 %d1, [t]; ld.param.u64 %d2, [out];
mov.u32 %r1, %tid.x; cvt.rn.f32.u32 %f1, %r1;
tex.1d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%d1, {%f1}];
mad.wide.u32 %d3, %r1, 4, %d2; st.global.f32 [%d3], %f2; ret;
}
END
T="$X sim $W/tex.ptx --block 4"
# 0, 16, 48 and 80: at 0 the first one, beyond whose middle is nothing else; at 1, 2 and 3 half way between two
{ printf '\223NUMPY\001\000v\000'
    printf '%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }"
    printf '\000\000\000\000\000\000\200\101\000\000\100\102\000\000\240\102'; } > $W/texels.npy
expect 0 '^ +0 +8 +32 +64$' "sim: tex:, filtered" \
    "$T --arg tex:$W/texels.npy,linear --arg out:f32:4:$W/t.npy && od -An -tf4 -j128 $W/t.npy"
expect_npz 2 'wrap and mirror are of normalized' "sim: tex: wraps only normalized coordinates" \
    "$T --arg tex:$W/npz/vector.npy,wrap --arg out:f32:4:$W/t.npy"
expect_npz 2 'stand linear, normalized' "sim: tex: another word" \
    "$T --arg tex:$W/npz/vector.npy,smooth --arg out:f32:4:$W/t.npy"
expect_npz 2 'stand linear, normalized' "sim: tex: two address modes" \
    "$T --arg tex:$W/npz/vector.npy,clamp,border --arg out:f32:4:$W/t.npy"
expect_npz 2 'only integers of 8 and 16 bits' "sim: tex: normalized floats" \
    "$T --arg tex:$W/npz/vector.npy,normfloat --arg out:f32:4:$W/t.npy"
expect_npz 2 'height,width' "sim: tex: layers without dimensions" \
    "$T --arg tex:$W/npz/vector.npy,layers --arg out:f32:4:$W/t.npy"
expect_npz 4 "no texture at .* 't', in argument 0, in:" "sim: an array is no texture" \
    "$T --arg in:$W/npz/vector.npy --arg out:f32:4:$W/t.npy"
expect_npz 0 'of 32 lanes active' "sim: --summary" "$K --arg inout:$W/npz/vector.npy:$W/y.npy --arg u32:50 --summary"
expect_npz 0 ran "sim: --seed" "$K --arg inout:$W/npz/vector.npy:$W/y.npy --arg u32:50 --seed=3 && echo ran"
expect_npz 0 ran "sim: --approx" "$K --arg inout:$W/npz/vector.npy:$W/y.npy --arg u32:50 --approx=mixed && echo ran"
expect_npz 2 'there are usual, low, high and mixed' "sim: --approx of another kind" \
    "$K --arg inout:$W/npz/vector.npy:$W/y.npy --arg u32:50 --approx=best"
expect 2 'there are usual, low, high and mixed' "run: --approx of another kind" \
    "$X run $W/good.hlo --platform=host --approx=best"
expect 2 'types of arrays' "sim: no type of ours" "$K --arg out:i24:50:$W/y.npy --arg u32:50"
expect 2 'grid and --block' "sim: a grid of nothing" "$X sim $W/k.ptx --grid 0 --arg out:f32:50:$W/y.npy --arg u32:50"
expect 2 '1024 threads' "sim: a block that is too large" \
    "$X sim $W/k.ptx --block 64,64 --arg out:f32:50:$W/y.npy --arg u32:50"
expect 2 'cannot run PTX' "sim: on the interpreter" "$K --platform=interpreter --arg out:f32:50:$W/y.npy --arg u32:50"
expect 2 'needs one PTX file' "sim: no file" "$X sim --entry twice"
cat > $W/logs.hlo <<'END'
HloModule logs, is_scheduled=true
logs {
  a = f32[8,200] parameter(0)
  b = f32[200,8] parameter(1)
  c = f32[200,8] log(b)
  ROOT d = f32[8,8] dot(a, c), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
ENTRY e {
  a = f32[8,200] parameter(0)
  b = f32[200,8] parameter(1)
  ROOT f = f32[8,8] fusion(a, b), kind=kLoop, calls=logs
}
END
expect 0 quiet "run: constants that no loop asks for do not say that it is long" \
    "$X run $W/logs.hlo --platform=host --reference_platform= > $W/logs 2>&1 && ! grep 'note: about' $W/logs && \
    echo quiet"
finish
