#!/bin/sh
# tests/scripts/ptxas.sh [TARGET...] -- the PTX of every corpus case, printed twice (the same bytes?), then taken by
# ptxas without a warning or a spill. Without ptxas only the first half is done, and that is said. Ends with "N
# passed, N failed".
set -u
. tests/scripts/tally.sh
[ $# -gt 0 ] || set -- sm_75 sm_90a sm_120
PTXAS=$(command -v ptxas || ls /usr/local/cuda/bin/ptxas 2>/dev/null || true)
[ "$PTXAS" ] || absent "ptxas (PTX is printed, not assembled)"
begin build/ptxas
compiled_cases | sed 's|.*/||; s|[.]hlo$||' > $job_dir/list
for target in "$@"; do
    while read -r name; do
        f=$job_dir/$name.$target
        line="build/xlagpu compile tests/corpus/$name.hlo --target=$target --emit=ptx -o $f.ptx && \
            build/xlagpu compile tests/corpus/$name.hlo --target=$target --emit=ptx -o $f.again && \
            cmp $f.ptx $f.again || exit 1"
        # A module that only copies has no kernel, and no PTX.
        [ "$PTXAS" ] && line="$line; grep -q '\.entry' $f.ptx || exit 0; $PTXAS -v -arch=$target $f.ptx -o $f.cubin 2> $f.log || { cat $f.log; exit 1; }; if grep -qE 'warning|[1-9][0-9]* bytes spill' $f.log; then grep -E 'warning|spill' $f.log; exit 1; fi"
        job "$name for $target" "$line"
    done < $job_dir/list
done
LOG_LINES=4 run_jobs
finish
