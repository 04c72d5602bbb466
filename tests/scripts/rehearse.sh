#!/bin/sh
# tests/scripts/rehearse.sh -- the first minutes on a GPU, rehearsed on the driver of tests/programs/fake_driver.h:
# gpu.sh on a sample of its cases, gpu-bench, gpu-contact, and the script that reads what comes back. Time on a GPU is
# short: no script may fail there for the first time. Ends with "N passed, N failed".
set -u
. tests/scripts/tally.sh
begin build/rehearse
fake_driver $job_dir/fake_cuda.so ||
    { bad "tests/programs/fake_cuda.c does not compile"; finish; }
XLAGPU_DRIVER=$job_dir/fake_cuda.so
export XLAGPU_DRIVER
contact=$job_dir/contact

# Ranges reach a profiler's library by version 3 of NVTX.
$CC -std=gnu99 -w -shared -fPIC -DFAKE_INJECTION tests/programs/fake_cuda.c -o $job_dir/injection.so ||
    bad "a profiler's library does not compile"
NVTX_INJECTION64_PATH=$job_dir/injection.so FAKE_INJECTION_LOG=$job_dir/ranges.log build/xlagpu run \
    tests/corpus/conditionals.hlo --platform=cuda \
    --driver=$XLAGPU_DRIVER --reference_platform= --nvtx > /dev/null 2>&1
[ "$(grep -c '^push ' $job_dir/ranges.log)" = 1 ] && [ "$(grep -c '^pop' $job_dir/ranges.log)" = 1 ] &&
    ok "NVTX ranges" || bad "NVTX ranges"
build/xlagpu run tests/corpus/conditionals.hlo --platform=cuda --driver=$XLAGPU_DRIVER --reference_platform= --nvtx \
    2>&1 | grep -q "note: no NVTX ranges" &&
    ok "without a profiler's library the tool says so" || bad "without a profiler's library the tool says so"

# said NAME FILE PATTERN: the file has such a line.
said() {
    if grep -q "$3" "$2" 2>/dev/null; then ok "$1"
    else bad "$1"; tail -5 "$2" 2>/dev/null | sed 's/^/          /'; fi
}

CONTACT_CASES="conditionals while_mandelbrot log_softmax_cross_entropy" # a branch, a loop, rows
CONTACT_QUICK=1
export CONTACT_CASES CONTACT_QUICK
build/xlagpu run examples/gelu.hlo --platform=cuda --driver=$XLAGPU_DRIVER --reference_platform= --summary \
    > $job_dir/gelu.log 2>&1
said "GELU runs on the fake driver" $job_dir/gelu.log "Fake GPU 70 (cuda)"
sh bench/contact.sh $contact > $job_dir/contact.log 2>&1 && ok "gpu-contact brings all files back" ||
    { bad "gpu-contact"; tail -5 $job_dir/contact.log; }
for variant in passes no-passes no-graphs graphs-of-loops concurrent; do
    for name in $CONTACT_CASES; do said "$name, $variant, is right" $contact/tests.tsv "^$name	$variant	0	"; done
done
for name in $CONTACT_CASES; do
    [ -s $contact/results/$name.npz ] && ok "results of $name" || bad "results of $name"
    said "the driver's compiler speaks of $name" $contact/jit/$name.log "Used 12 registers"
    said "a profile of $name" $contact/profile/$name.tsv "kernel"
    said "a timing of $name" $contact/bench.tsv "$name.hlo	"
done
for figure in fma_f32_latency f32_rate l1_latency l2_latency memory_latency launch_ns graph_ns clock_mhz \
    turn_of_a_loop; do
    said "the probe measures $figure" $contact/probe.tsv "$figure"
done
said "what is left out is said" $contact/left_out.txt "counters: ncu is not here"
[ -s $contact.tar.gz ] && ok "one archive" || bad "one archive"
build/bench_probe --platform=host --check=$contact/approx.tsv > $job_dir/check.log 2>&1 &&
    ok "the simulator agrees with the bits that came back" ||
    { bad "bits of approximations"; tail -3 $job_dir/check.log; }
sed 's/^\(rcp.approx.ftz.f32	[0-9a-f]*	\)....\(....\)/\1dead\2/' $contact/approx.tsv > $job_dir/wrong.tsv
build/bench_probe --platform=host --check=$job_dir/wrong.tsv > $job_dir/wrong.log 2>&1 &&
    bad "wrong bits are not found out" || ok "wrong bits are found out"
if have python3; then
    mkdir -p $job_dir/root/docs
    cp docs/performance.md $job_dir/root/docs/
    for turn in 1 2; do # the second time it replaces what the first one wrote
        CONTACT_ROOT=$job_dir/root python3 bench/contact.py $contact --write > $job_dir/read.log 2>&1 ||
            bad "bench/contact.py fails"
    done
    said "the script reads it" $job_dir/read.log "15 runs, 0 wrong"
    said "constants" $contact/constants.tsv "^l2_latency	"
    said "tests" $job_dir/root/tests/gpu/approx.tsv "^tanh.approx.f32	"
    said "tests of cases" $job_dir/root/tests/gpu/cases.tsv "	no-graphs	0	"
    said "the page" $job_dir/root/docs/performance.md "15 of 15 runs of the corpus are right"
    [ "$(grep -c 'On a GPU: Fake GPU 70' $job_dir/root/docs/performance.md)" = 1 ] && ok "the page has it once" ||
        bad "the page has it once"
else absent python3; fi

# The tests on a GPU, a sample of each; and a kernel that breaks the context. tcc makes the programs in a second.
if have tcc; then
    mkdir -p $job_dir/programs
    for name in medleys coverage sim_isa kernels reductions ptx_sweep; do
        tcc -w -std=gnu99 tests/programs/$name.c -DXLAGPU_IMPLEMENTATION -o $job_dir/programs/$name $LIBS ||
            bad "tests/programs/$name.c does not compile"
    done
    GPU_PROGRAMS=$job_dir/programs GPU_EVERY=120 GPU_MEDLEYS=360 GPU_CONTRACTIONS=1 GPU_WORK=100000 JOBS=1 \
        PART_DIR=$job_dir/parts sh tests/scripts/gpu.sh > $job_dir/gpu.log 2>&1 &&
        ok "the tests on a GPU, a sample" || { bad "the tests on a GPU"; grep -E '^failed:|FAIL' $job_dir/gpu.log; }
    adds="$job_dir/programs/coverage --platform=cuda --driver=$XLAGPU_DRIVER --only add --quick --part 1/4"
    FAKE_CUDA_POISON=5 $adds > $job_dir/broken.log 2>&1
    said "a broken context is opened again" $job_dir/broken.log "^it was opened again"
    said "and costs one case" $job_dir/broken.log "passed, 1 failed"
    FAKE_CUDA_POISON=5 FAKE_CUDA_POISON_STAYS=1 $adds > $job_dir/lost.log 2>&1
    said "where that does not help the rest is counted" $job_dir/lost.log "not tried: go on with --from"
else absent tcc; fi
finish
