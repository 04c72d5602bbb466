#!/bin/sh
# tests/scripts/corpus.sh [PLATFORM] -- runs every case of tests/corpus on interpreter, host or cuda and compares with
# what JAX computed on a CPU. A case of host or cuda passes only when every byte of its results came from kernels,
# copies or fills (--stats says evaluator_ops 0). The last column of manifest.tsv says where a case runs: all, or
# interpreter while the compiler has no kernel for one of its opcodes; such a case must then be refused on the other
# platforms with exit status 2 (when it is not, the word has to be changed). XLAGPU_FLAGS goes to every run; of the
# cases one in XLAGPU_EVERY is run, by the checksum of its name. Ends with "N passed, N failed".
set -u
. tests/scripts/tally.sh
platform=${1:-host}
tool=${XLAGPU_TOOL:-build/xlagpu}
# parts with other flags may run beside this one
begin "build/corpus_$platform$(printf %s "${XLAGPU_FLAGS:-}" | tr -dc a-z_)"
tail -n +2 tests/corpus/manifest.tsv > $job_dir/list
while IFS="$(printf '\t')" read -r name rtol atol where; do
    [ $(($(echo "$name" | cksum | cut -d " " -f 1) % ${XLAGPU_EVERY:-1})) = 0 ] || continue
    base=tests/corpus/$name
    run="$tool run $base.hlo --platform=$platform --args $base.npz --expect $base.npz --rtol $rtol --atol $atol ${XLAGPU_FLAGS:-}"
    if [ "$platform" = interpreter ]; then job "$name on $platform" "$run"
    elif [ "$where" = interpreter ]; then job "$name is refused on $platform" "$run; rc=\$?; [ \$rc = 0 ] && \
        echo 'it runs and is right: write all in its row of tests/corpus/manifest.tsv'; test \$rc = 2"
    else job "$name on $platform" "$run --stats > $job_dir/$name.out || { tail -3 $job_dir/$name.out; exit 1; }; \
        grep -qx 'evaluator_ops	0' $job_dir/$name.out || { echo 'no line evaluator_ops<TAB>0 in --stats'; exit 1; }"
    fi
done < $job_dir/list
LOG_LINES=4 run_jobs
finish
