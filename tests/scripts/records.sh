#!/bin/sh
# tests/scripts/records.sh [EVERY [TARGETS]] -- a kernel emitted by its printed record is the kernel that was decided:
# modules of the corpus compiled at once, and printed as planned modules, read back and compiled on from there, are
# the same bytes. Of all pairs of modules and targets each EVERYth is compiled (13), from number SEED on (0). MODULES:
# other files than the corpus'. Ends with "N passed, N failed".
set -u
. tests/scripts/tally.sh
every=${1:-13}
targets=${2:-$(sed -n 's/^    X(\([0-9]*\), "\([a-z]*\)", .*/sm_\1\2/p' src/ptx/targets.c)}
begin build/records
number=${SEED:-0}
for case in ${MODULES:-$(compiled_cases)}; do
    for target in $targets; do
        number=$((number + 1))
        [ $((number % every)) = 0 ] || continue
        at=$job_dir/$number
        job "$(basename "$case" .hlo), $target" "build/xlagpu compile $case --target=$target --emit=exe -o $at.x &&
            build/xlagpu compile $case --target=$target --emit=plan -o $at.hlo &&
            build/xlagpu compile $at.hlo --target=$target --emit=exe -o $at.y && cmp $at.x $at.y && rm $at.x $at.y $at.hlo"
    done
done
run_jobs
finish
