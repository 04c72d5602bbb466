#!/bin/sh
# bench/contact.sh [DIR] -- all that a GPU can tell in a few minutes, as files in DIR (build/contact), and as one
# archive DIR.tar.gz. Run by ./build.sh gpu-contact; bench/contact.py reads the files.
#
#     machine.txt                 the driver's and the system's words about themselves
#     tests.tsv                   each corpus case, with all passes and without: exit status, seconds, verdict
#     results/NAME.npz            what the GPU computed
#     jit/NAME.log                registers, spills and time of each kernel, by the driver's compiler
#     gpu_test.log                tests/scripts/gpu.sh: random modules, every opcode, instructions, products
#     peers.tsv, models.tsv       kernels beside PyTorch's libraries, whole models beside XLA (bench/peers.py), where
#                                 Python has these
#     probe.tsv, approx.tsv       rates, latencies, costs of launches; the bits of approximations (bench/probe.c)
#     bench.tsv                   time of each module beside a copy of as many bytes (bench/gpu.c)
#     profile/NAME.tsv            time of each step
#     sanitizer/, ncu/            findings of compute-sanitizer, counters of Nsight Compute, where these are installed
#     times.tsv                   seconds that each part took
#
# CONTACT_SECONDS (570) are shared out among the parts, in the order of their value: what does not fit is named in
# left_out.txt, never dropped in silence. CONTACT_CASES limits the cases, CONTACT_QUICK=1 makes measurements short,
# CONTACT_PARTS runs these parts alone, CONTACT_JOBS (the processors) says how many processes may share the GPU where
# nothing is timed; CONTACT_MODELS are HLO files for models.tsv; XLAGPU_DRIVER names another driver library
# (tests/scripts/rehearse.sh does all this). Where the machine is lent by the minute, build before and call this script
# itself: sh bench/contact.sh DIR. Exit status 0: every file is there; the tests themselves may fail.
set -u
. tests/scripts/tally.sh
# --part NAME DIR: one part alone, a function of this file in a shell of its own, so that it can be stopped.
part=
case ${1:-} in
--part) part=$2; shift 2 ;;
--case | --sanitize) part=$1; shift ;; # DIR and what they take
esac
dir=${1:-build/contact}
[ $# = 0 ] || shift
limit=${CONTACT_SECONDS:-570}
quick=${CONTACT_QUICK:+--quick}
driver=${XLAGPU_DRIVER:+--driver=$XLAGPU_DRIVER}
jobs=${CONTACT_JOBS:-$(nproc 2>/dev/null || echo 2)}
cache=$dir.cache # the driver's machine code: kernels are compiled once
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
# case_of NAME VARIANT FLAGS...: a line of tests.tsv, in a file of its own: several run at once
case_of() {
    case_name=$1 case_variant=$2
    shift 2
    case_from=$(date +%s.%N)
    timeout 60 build/xlagpu run tests/corpus/$case_name.hlo --platform=cuda $driver --args tests/corpus/$case_name.npz \
        --expect tests/corpus/$case_name.npz \
        $(tolerances $case_name) "$@" > "$dir/cases/$case_name.$case_variant.log" 2>&1
    case_rc=$?
    case_took=$(awk -v from="$case_from" -v to="$(date +%s.%N)" 'BEGIN { printf "%.3f", to - from }')
    printf '%s\t%s\t%s\t%s\t%s\n' $case_name $case_variant $case_rc $case_took \
        "$(tail -1 "$dir/cases/$case_name.$case_variant.log" | tr '\t' ' ' | cut -c 1-300)" \
        > "$dir/cases/$case_name.$case_variant.tsv"
}
# The jobs of all_cases, a line each.
case_jobs() {
    for name in $(cases); do echo "$name passes --out $dir/results/$name.npz --jit-log $dir/jit/$name.log"; done
    for name in $(cases); do echo "$name no-passes --xla_disable_all_hlo_passes"; done
    for name in $(cases); do echo "$name no-graphs --no-command-buffers"; done
    for name in $(cases); do
        echo "$name graphs-of-loops --command-buffer-control --xla_gpu_graph_min_graph_size=1"
    done
    for name in $(cases); do echo "$name concurrent --concurrent"; done
}
all_cases() {
    mkdir -p "$dir/cases"
    case_jobs | xargs -P "$jobs" -L 1 sh bench/contact.sh --case "$dir"
    printf 'case\tvariant\tstatus\tseconds\tverdict\n' > "$dir/tests.tsv"
    case_jobs | while read -r name variant flags; do cat "$dir/cases/$name.$variant.tsv"; done >> "$dir/tests.tsv"
}
programs() {
    [ ! "$quick" ] || { echo "programs: not in a quick run" >> "$dir/left_out.txt"; return; }
    PART_DIR="$dir/log" JOBS=$jobs sh tests/scripts/gpu.sh > "$dir/gpu_test.log" 2>&1
}
peers() {
    have python3 && python3 -c 'import torch' 2> /dev/null ||
        { echo "peers: no Python with PyTorch is here" >> "$dir/left_out.txt"; return; }
    [ -f packages/python/xlagpu/libxlagpu.so ] || python3 packages/python/build_xlagpu.py --here
    python3 bench/peers.py --cache "$cache" --warm "$jobs" --rounds 20 --out "$dir/peers.tsv" > "$dir/peers.log" 2>&1
}
models() {
    have python3 && python3 -c 'import jax' 2> /dev/null && [ "${CONTACT_MODELS:-}" ] ||
        { echo "models: no Python with JAX is here, or no CONTACT_MODELS" >> "$dir/left_out.txt"; return; }
    python3 bench/peers.py --cache "$cache" --only '^$' --rounds 20 --xla --out "$dir/models.tsv" \
        --models $CONTACT_MODELS > "$dir/models.log" 2>&1
}
profiles() {
    for name in $(cases); do
        build/xlagpu run tests/corpus/$name.hlo --platform=cuda $driver --args tests/corpus/$name.npz \
            --reference_platform= --profile > "$dir/profile/$name.tsv" 2>&1
    done
    for file in ${CONTACT_MODELS:-}; do
        build/xlagpu run $file --platform=cuda $driver --reference_platform= --profile --cache="$cache" \
            > "$dir/profile/$(basename $file .hlo).tsv" 2>&1
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
    for tool in memcheck racecheck initcheck synccheck; do for name in $(cases); do echo $tool $name; done; done |
        xargs -P "$jobs" -L 1 sh bench/contact.sh --sanitize "$dir"
    grep -L 'ERROR SUMMARY: 0 errors' "$dir"/sanitizer/*.log > "$dir/sanitizer/not_clean.txt"
}
sanitize() {
    compute-sanitizer --tool $1 build/xlagpu run tests/corpus/$2.hlo --platform=cuda --args tests/corpus/$2.npz \
        --reference_platform= > "$dir/sanitizer/$2.$1.log" 2>&1
}
counters() {
    mkdir -p "$dir/ncu"
    metrics=smsp__inst_executed.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum,l1tex__data_bank_conflicts_pipe_lsu.sum,dram__bytes.sum,gpu__time_duration.sum
    for name in $(cases); do
        ncu --csv --metrics $metrics build/xlagpu run tests/corpus/$name.hlo --platform=cuda \
            --args tests/corpus/$name.npz --reference_platform= --no-command-buffers > "$dir/ncu/$name.csv" 2>&1
    done
}
wanted() { case " ${CONTACT_PARTS:-$1} " in *" $1 "*) return 0 ;; *) return 1 ;; esac; }
own() { if wanted "$1"; then step "$1" "$2" sh bench/contact.sh --part "$1" "$dir"; fi; }

if [ "$part" = --case ]; then case_of "$@"; exit; fi
if [ "$part" = --sanitize ]; then sanitize "$@"; exit; fi
if [ "$part" ]; then "$part"; exit; fi
rm -rf "$dir" "$dir.tar.gz"
mkdir -p "$dir/results" "$dir/jit" "$dir/profile"
: > "$dir/left_out.txt"
printf 'part\tseconds\n' > "$dir/times.tsv"

own machine 30
own all_cases 110
own peers 240
own probe 280
own models 370
own programs 460
own bench 490
own profiles 510
if have compute-sanitizer && [ ! "$driver" ]; then own sanitizer 540
else echo "sanitizer: compute-sanitizer is not here" >> "$dir/left_out.txt"; fi
if have ncu && [ ! "$driver" ]; then own counters 565; else echo "counters: ncu is not here" >> "$dir/left_out.txt"; fi
rm -rf "$dir/cases"
cat "$dir/left_out.txt"
(cd "$(dirname "$dir")" && tar -czf "$(basename "$dir").tar.gz" "$(basename "$dir")")
right=$(awk -F'\t' 'NR > 1 && $3 == 0' "$dir/tests.tsv" | wc -l)
echo "$right of $(($(wc -l < "$dir/tests.tsv") - 1)) runs right; all files in $dir and $dir.tar.gz;" \
    "next: python3 bench/contact.py $dir"
# Where nothing ran, one reason is that of all: say it, so that a machine without a driver is known at once.
[ "$right" != 0 ] || awk -F'\t' 'NR == 2 { print "the first of them: " $1 ": " $5 }' "$dir/tests.tsv"
[ "${CONTACT_PARTS:-}" ] && exit 0
for file in machine.txt tests.tsv bench.tsv probe.tsv approx.tsv; do
    [ -s "$dir/$file" ] || { echo "$dir/$file is missing or empty"; exit 1; }
done
