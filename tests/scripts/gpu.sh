#!/bin/sh
# tests/scripts/gpu.sh -- every corpus case on the GPU: on its own target, then with no HLO passes. Run by ./build.sh
# gpu-test on a machine with a driver; it fails where there is none. XLAGPU_DRIVER names another driver library:
# tests/scripts/rehearse.sh has one without a GPU. Ends with "N passed, N failed".
set -u
. tests/scripts/tally.sh
JOBS=${GPU_JOBS:-4}
driver=${XLAGPU_DRIVER:+--driver=$XLAGPU_DRIVER}
export JOBS
build/xlagpu run examples/gelu.hlo --platform=cuda $driver --summary || { echo "0 passed, 1 failed"; exit 1; }
JOBS=1
begin_parts
part "corpus, cuda" env XLAGPU_FLAGS=\"$driver\" sh tests/scripts/corpus.sh cuda
part "corpus, cuda, no passes" env XLAGPU_FLAGS=\"$driver --xla_disable_all_hlo_passes\" sh tests/scripts/corpus.sh cuda
run_parts
finish
