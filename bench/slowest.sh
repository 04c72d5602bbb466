#!/bin/sh
# bench/slowest.sh [GPU] M.hlo... -- the ten kernels of each module that take longest by the model of time, all their
# runs together, as the compiler estimates them, with what limits each. A table of Markdown (docs/time_model.md).
set -eu
cd "$(dirname "$0")/.."
gpu=H200
case "${1:-}" in *.hlo | "") ;; *) gpu=$1; shift ;; esac
for m in "$@"; do
    build/xlagpu compile "$m" --gpu="$gpu" --fill_elided_constants --emit=times -o build/slowest.tsv
    awk -F'\t' -v name="$(basename "$m" .hlo)" '
        NR > 1 { sum += $1 }
        END { printf "\n%s: %.0f us in %d steps\n\n", name, sum, NR - 1
              print "| us, all runs | runs | us, one | limit | % of peak | kernel |\n| -- | -- | -- | -- | -- | -- |" }
    ' build/slowest.tsv
    awk -F'\t' '
        NR > 1 { all[$6] += $1; runs[$6]++; if (!($6 in one) || $1 > one[$6]) { one[$6] = $1; limit[$6] = $2; peak[$6] = $3 } }
        END { for (k in all) printf "| %.0f | %d | %.1f | %s | %s | %s |\n", all[k], runs[k], one[k], limit[k], peak[k], k }
    ' build/slowest.tsv | sort -t'|' -k2,2rn -k7,7 | head -10
done
