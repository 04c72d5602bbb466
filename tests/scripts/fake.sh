#!/bin/sh
# tests/scripts/fake.sh [DIR] -- every case of DIR (tests/corpus) on the platform "cuda" over the driver of
# tests/programs/fake_cuda.c: right, and the same bytes whether steps run one after the other, beside each other on
# two streams, as branches of command buffers, or one kernel at a time: two of the four ways, by turns, all with
# FAKE_WAYS=all. The driver does what is enqueued as late as it may, streams and nodes in an order drawn by chance: a
# missing event or edge gives other results. Ends with "N passed, N failed".
set -u
. tests/scripts/tally.sh
dir=${1:-tests/corpus}
begin build/fake
fake_driver $job_dir/fake_cuda.so ||
    { bad "tests/programs/fake_cuda.c does not compile"; finish; }
cat > $job_dir/one.sh <<'END'
dir=$1 name=$2 rtol=$3 atol=$4 out=$5 turn=$6
run() { build/xlagpu run $dir/$name.hlo --platform=cuda --driver=${out%/*}/fake_cuda.so --args $dir/$name.npz "$@"; }
run --expect $dir/$name.npz --rtol $rtol --atol $atol && run --reference_platform= --out $out.0.npz || exit 1
n=0
for how in --concurrent --copy-stream "--concurrent --no-command-buffers" "--concurrent --command-buffer-control --xla_gpu_graph_min_graph_size=1"; do
    n=$((n + 1))
    [ "${FAKE_WAYS:-}" = all ] || [ $(((n + turn) % 2)) = 0 ] || continue
    FAKE_CUDA_LATE=$((n * 7919 + 1)) run --reference_platform= $how --out $out.$n.npz && cmp $out.0.npz $out.$n.npz || { echo "with $how"; exit 1; }
done
rm -f $out.*.npz
END
tail -n +2 $dir/manifest.tsv > $job_dir/list
while IFS="$(printf '\t')" read -r name rtol atol where; do
    [ "$where" = interpreter ] || job "$name in any order" "sh $job_dir/one.sh $dir $name $rtol $atol $job_dir/$name $job_count"
done < $job_dir/list
LOG_LINES=4 run_jobs
finish
