#!/bin/sh
# bench/contact.sh [DIR] -- all that a GPU can tell in ten minutes, as files in DIR (build/contact), and as one archive
# DIR.tar.gz. Run by ./build.sh gpu-contact; bench/contact.py reads the files.
#
#     machine.txt                 the driver's and the system's words about themselves
#     tests.tsv                   each corpus case, with all passes and without: exit status, seconds, verdict
#     results/NAME.npz            what the GPU computed       jit/NAME.log   registers, spills and time of each kernel, by the driver's compiler
#     bench.tsv                   time of each module beside a copy of as many bytes (bench/gpu.c)
#     profile/NAME.tsv            time of each step           stats/NAME.tsv   what the simulator counts for the same module
#     probe.tsv, approx.tsv       rates, latencies, costs of launches; the bits of approximations (bench/probe.c)
#     sanitizer/, ncu/            findings of compute-sanitizer, counters of Nsight Compute, where these are installed
#     times.tsv                   seconds that each part took
#
# CONTACT_SECONDS (570) are shared out among the parts: what does not fit is named in left_out.txt, never dropped in
# silence. CONTACT_CASES limits the cases, CONTACT_QUICK=1 makes measurements short; XLAGPU_DRIVER names another driver
# library (tests/scripts/rehearse.sh uses all three). Exit status 0: every file is there; the tests themselves may fail.
set -u
. tests/scripts/tally.sh
# --part NAME DIR: one part alone, a function of this file in a shell of its own, so that it can be stopped.
part=
if [ "${1:-}" = --part ]; then part=$2; shift 2; fi
dir=${1:-build/contact}
limit=${CONTACT_SECONDS:-570}
quick=${CONTACT_QUICK:+--quick}
driver=${XLAGPU_DRIVER:+--driver=$XLAGPU_DRIVER}
begin_time=$(date +%s)

gone() { echo $(($(date +%s) - begin_time)); }
# step NAME UNTIL COMMAND...: runs a command unless that many seconds have gone by already, and stops it when they have.
step() {
    step_name=$1
    step_left=$(($2 * limit / 570 - $(gone)))
    step_from=$(date +%s)
    shift 2
    if [ $step_left -le 0 ]; then echo "$step_name: no time was left" >> "$dir/left_out.txt"
    else
        timeout $step_left "$@" || {
            step_rc=$?
            [ $step_rc != 124 ] || echo "$step_name: stopped after $step_left s" >> "$dir/left_out.txt"
        }
    fi
    printf '%s\t%s\n' "$step_name" $(($(date +%s) - step_from)) >> "$dir/times.tsv"
}
cases() {
    if [ "${CONTACT_CASES:-}" ]; then printf '%s\n' $CONTACT_CASES
    else awk -F'\t' 'NR > 1 && $4 == "all" { print $1 }' tests/corpus/manifest.tsv; fi
}
tolerances() { awk -F'\t' -v name="$1" '$1 == name { print "--rtol " $2 " --atol " $3 }' tests/corpus/manifest.tsv; }

machine() {
    {
        uname -a
        date -u
        nproc
        nvidia-smi -q || true
        build/xlagpu run examples/gelu.hlo --platform=cuda $driver --summary
    } > "$dir/machine.txt" 2>&1
}
# one_case NAME VARIANT FLAGS...
one_case() {
    one_name=$1 one_variant=$2
    shift 2
    one_from=$(date +%s.%N)
    build/xlagpu run tests/corpus/$one_name.hlo --platform=cuda $driver --args tests/corpus/$one_name.npz \
        --expect tests/corpus/$one_name.npz \
        $(tolerances $one_name) "$@" > "$dir/case.log" 2>&1
    one_rc=$?
    one_took=$(awk -v from="$one_from" -v to="$(date +%s.%N)" 'BEGIN { printf "%.3f", to - from }')
    printf '%s\t%s\t%s\t%s\t%s\n' $one_name $one_variant $one_rc $one_took \
        "$(tail -1 "$dir/case.log" | tr '\t' ' ' | cut -c 1-300)" >> "$dir/tests.tsv"
}
all_cases() {
    printf 'case\tvariant\tstatus\tseconds\tverdict\n' > "$dir/tests.tsv"
    for name in $(cases); do one_case $name passes --out "$dir/results/$name.npz" --jit-log "$dir/jit/$name.log"; done
    for name in $(cases); do one_case $name no-passes --xla_disable_all_hlo_passes; done
    for name in $(cases); do one_case $name no-graphs --no-command-buffers; done
    for name in $(cases); do
        one_case $name graphs-of-loops --command-buffer-control --xla_gpu_graph_min_graph_size=1
    done
    for name in $(cases); do one_case $name concurrent --concurrent; done
    rm -f "$dir/case.log"
}
profiles() {
    for name in $(cases); do
        build/xlagpu run tests/corpus/$name.hlo --platform=cuda $driver --args tests/corpus/$name.npz \
            --reference_platform= --profile > "$dir/profile/$name.tsv" 2>&1
    done
}
simulated() {
    for name in $(cases); do
        build/xlagpu run tests/corpus/$name.hlo --platform=host --args tests/corpus/$name.npz --reference_platform= \
            --stats > "$dir/stats/$name.tsv" 2>&1
    done
}
bench() {
    GPU_ROUNDS=${CONTACT_QUICK:-21} sh bench/gpu.sh examples/gelu.hlo $(cases | sed 's|.*|tests/corpus/&.hlo|') \
        > "$dir/bench.tsv" 2> "$dir/bench.err"
}
probe() {
    $CC -O1 bench/probe.c build/compiler.o build/runtime.o build/sim.o -o build/bench_probe $LIBS &&
        build/bench_probe --platform=cuda $driver $quick "--approx=$dir/approx.tsv" > "$dir/probe.tsv" \
            2> "$dir/probe.err"
}
sanitizer() {
    mkdir -p "$dir/sanitizer"
    for name in $(cases); do for tool in memcheck racecheck initcheck synccheck; do
        compute-sanitizer --tool $tool build/xlagpu run tests/corpus/$name.hlo --platform=cuda \
            --args tests/corpus/$name.npz --reference_platform= > "$dir/sanitizer/$name.$tool.log" 2>&1
    done; done
}
counters() {
    mkdir -p "$dir/ncu"
    metrics=smsp__inst_executed.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum,l1tex__data_bank_conflicts_pipe_lsu.sum,dram__bytes.sum,gpu__time_duration.sum
    for name in $(cases); do
        ncu --csv --metrics $metrics build/xlagpu run tests/corpus/$name.hlo --platform=cuda \
            --args tests/corpus/$name.npz --reference_platform= --no-command-buffers > "$dir/ncu/$name.csv" 2>&1
    done
}
own() { step "$1" "$2" sh bench/contact.sh --part "$1" "$dir"; }

if [ "$part" ]; then "$part"; exit; fi
rm -rf "$dir" "$dir.tar.gz"
mkdir -p "$dir/results" "$dir/jit" "$dir/profile" "$dir/stats"
: > "$dir/left_out.txt"
printf 'part\tseconds\n' > "$dir/times.tsv"

own machine 30
own all_cases 210
own probe 290
own bench 380
own profiles 420
own simulated 450
if have compute-sanitizer && [ ! "$driver" ]; then own sanitizer 510
else echo "sanitizer: compute-sanitizer is not here" >> "$dir/left_out.txt"; fi
if have ncu && [ ! "$driver" ]; then own counters 560; else echo "counters: ncu is not here" >> "$dir/left_out.txt"; fi
cat "$dir/left_out.txt"
(cd "$(dirname "$dir")" && tar -czf "$(basename "$dir").tar.gz" "$(basename "$dir")")
right=$(awk -F'\t' 'NR > 1 && $3 == 0' "$dir/tests.tsv" | wc -l)
echo "$right of $(($(wc -l < "$dir/tests.tsv") - 1)) runs right; all files in $dir and $dir.tar.gz;" \
    "next: python3 bench/contact.py $dir"
# Where nothing ran, one reason is that of all: say it, so that a machine without a driver is known at once.
[ "$right" != 0 ] || awk -F'\t' 'NR == 2 { print "the first of them: " $1 ": " $5 }' "$dir/tests.tsv"
for file in machine.txt tests.tsv bench.tsv probe.tsv approx.tsv; do
    [ -s "$dir/$file" ] || { echo "$dir/$file is missing or empty"; exit 1; }
done
