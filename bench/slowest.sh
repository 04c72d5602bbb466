#!/bin/sh
# bench/slowest.sh [GPU] M.hlo... -- the ten steps of each module that take longest by the model of time, as the
# compiler estimates them, with what limits each.
set -eu
cd "$(dirname "$0")/.."
gpu=H200
case "${1:-}" in *.hlo | "") ;; *) gpu=$1; shift ;; esac
for m in "$@"; do
    build/xlagpu compile "$m" --gpu="$gpu" --fill_elided_constants --emit=times -o build/slowest.tsv
    awk -F'\t' -v m="$m" 'NR > 1 { sum += $1 } END { printf "\n%s: %.0f us in %d steps\n", m, sum, NR - 1 }' \
        build/slowest.tsv
    head -1 build/slowest.tsv
    tail -n +2 build/slowest.tsv | sort -rn | head -10
done
