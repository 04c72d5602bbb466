#!/bin/sh
# tests/scripts/roundtrip.sh [DIR] -- every case of DIR (tests/corpus) compiled and saved, loaded by a program that
# has only the runtime, and run there: the results are the bytes that `xlagpu run` gives: on one thread, for atomic
# sums take blocks as they come. Cases without kernels for all of it are left out. Ends with "N passed, N failed".
set -u
. tests/scripts/tally.sh
dir=${1:-tests/corpus}
begin build/roundtrip
Z=""; if printf '#include <zlib.h>\nint main(void){return zlibVersion()==0;}\n' > $job_dir/zlib.c &&
    $CC $job_dir/zlib.c -o $job_dir/zlib.out -lz 2> /dev/null; then Z="-DXG_HAVE_ZLIB -lz"; fi
$CC -std=gnu11 -O1 tests/programs/replay.c build/runtime.o build/sim.o -o $job_dir/replay $Z $LIBS ||
    { bad "replay does not compile"; finish; }
tail -n +2 $dir/manifest.tsv > $job_dir/list
while IFS="$(printf '\t')" read -r name rtol atol where; do
    [ "$where" = interpreter ] && continue
    job "$name saved, loaded and run" \
        "build/xlagpu compile $dir/$name.hlo --target=sm_90a --emit=exe -o $job_dir/$name.xgx && \
        build/xlagpu run $dir/$name.hlo --target=sm_90a --platform=host --threads=1 --args $dir/$name.npz --reference_platform= --out $job_dir/$name.npz && $job_dir/replay $job_dir/$name.xgx $dir/$name.npz $job_dir/$name.npz"
done < $job_dir/list
LOG_LINES=4 run_jobs
finish
