#!/bin/sh
# tests/scripts/gpu.sh -- the tests on a GPU. Run by ./build.sh gpu-test on a machine with a driver; it fails where
# there is none. Every corpus case on its own target, then with no HLO passes; contractions of any size; and the
# programs of tests/programs that run kernels and know what must come out. Each part is shared by JOBS processes (the
# processors, but 16 at most), about two minutes with 16. Ends with what failed, by name, and "N passed, N failed".
#
#   GPU_PROGRAMS=DIR   the programs lie there, built elsewhere; else in build/programs, made where they are older than
#                      what they are made from
#   GPU_MEDLEYS=2000   so many random modules    GPU_CONTRACTIONS=10, GPU_WORK=4194304   by each process, and their size
#   GPU_FULL=1         of coverage and reductions everything; some ten minutes
#   GPU_EVERY=1        one in so many of the programs' cases and of the corpus
#   XLAGPU_DRIVER      another driver library: tests/scripts/rehearse.sh has one without a GPU
set -u
wanted=${GPU_JOBS:-${JOBS:-}}
. tests/scripts/tally.sh
if [ "$wanted" ]; then JOBS=$wanted; elif [ "$JOBS" -gt 16 ]; then JOBS=16; fi
driver=${XLAGPU_DRIVER:+--driver=$XLAGPU_DRIVER}
every=${GPU_EVERY:-1}
quick=--quick
[ "${GPU_FULL:-}" ] && quick=
programs=${GPU_PROGRAMS:-build/programs}
work=build/gpu
shares=$JOBS
corpus_every=$((every > 10 ? 10 : every)) # it is small: more would leave nothing
build/xlagpu run examples/gelu.hlo --platform=cuda $driver --summary || { echo "0 passed, 1 failed"; exit 1; }

NAMES="medleys coverage sim_isa kernels reductions ptx_sweep"
if [ -z "${GPU_PROGRAMS:-}" ]; then
    begin $work/build
    mkdir -p $programs
    for name in $NAMES; do
        made=$programs/$name
        [ -x $made ] &&
            [ -z "$(find src tests/programs/$name.c tests/programs/*.h -type f -newer $made | head -1)" ] && continue
        job "build tests/programs/$name.c" \
            "$CC -std=gnu99 -w -O1 tests/programs/$name.c -DXLAGPU_IMPLEMENTATION -o $made $LIBS"
    done
    ls $job_dir/*.job > /dev/null 2>&1 && run_jobs
fi

sum_of() { sed -n 's/^\([0-9][0-9]*\) passed, \([0-9][0-9]*\) failed$/\1 \2/p' "$1" | tail -1; }
# spread NAME COMMAND...: so many of the command as there are shares at once, share being 1, 2 ...; says what they say,
# and the sum of their sums. One that ends without one counts as a failure.
spread() {
    at=$work/$1
    rm -rf "$at"
    mkdir -p "$at"
    shift
    for share in $(seq "$shares"); do (out=$at/$share; "$@" > "$out.log" 2>&1) & done
    wait
    p=0
    f=0
    for log in "$at"/*.log; do
        sum=$(sum_of "$log")
        [ "$sum" ] || { echo "FAIL $log has no end:"; tail -3 "$log"; }
        sum=${sum:-0 1}
        p=$((p + ${sum% *}))
        f=$((f + ${sum#* }))
        grep -vE '^[0-9]+ passed, [0-9]+ failed$' "$log"
    done
    echo "$p passed, $f failed"
    [ "$f" = 0 ]
}
# A share of a program's cases. Where a kernel has broken the process, another one goes on behind it; not for ever: ten
# broken ones are enough to know.
program() { # NAME ARGUMENTS...
    name=$1
    shift
    from=1
    p=0
    f=0
    for turn in 1 2 3 4 5 6 7 8 9 10; do
        "$programs/$name" "$@" --platform=cuda $driver --part "$share/$((shares * every))" --from "$from" \
            > "$out.one" 2>&1
        rc=$?
        grep -vE '^[0-9]+ passed, [0-9]+ failed$' "$out.one"
        sum=$(sum_of "$out.one")
        [ "$sum" ] || grep -q '^FAIL' "$out.one" || echo "FAIL $name ends with $rc"
        sum=${sum:-0 1}
        p=$((p + ${sum% *}))
        f=$((f + ${sum#* }))
        from=$(sed -n 's/.*go on with --from \([0-9]*\)$/\1/p' "$out.one" | tail -1)
        [ "$from" ] || break
    done
    [ "$from" ] && echo "FAIL $name: the cases from $from on were not tried"
    echo "$p passed, $((f + (${from:-0} > 0))) failed"
}
contractions() {
    python3 tests/scripts/contractions.py --platform=cuda $driver --seed "$share" --count "${GPU_CONTRACTIONS:-10}" \
        --work "${GPU_WORK:-4194304}" --keep $work/kept
}

JOBS=1 # parts come one after the other: each of them takes all processors
export JOBS
begin_parts
part "corpus, cuda" env JOBS=$shares XLAGPU_EVERY=$corpus_every XLAGPU_FLAGS=\"$driver\" sh tests/scripts/corpus.sh cuda
part "corpus, cuda, no passes" env JOBS=$shares XLAGPU_EVERY=$corpus_every \
    XLAGPU_FLAGS=\"$driver --xla_disable_all_hlo_passes\" sh tests/scripts/corpus.sh cuda
part "instructions" spread sim_isa program sim_isa
part "operations of the kernel IR" spread ptx_sweep program ptx_sweep
part "kernels of hard sizes" spread kernels program kernels
part "reductions" spread reductions program reductions $quick
part "every opcode" spread coverage program coverage $quick
part "random modules" spread medleys program medleys --n $((${GPU_MEDLEYS:-2000})) --most 20000
if have python3; then part "contractions of any size" spread contractions contractions; else absent python3; fi
run_parts
for log in $part_dir/*.log; do
    grep '^ *FAIL' "$log" | cut -c 1-160 | sed "s|^ *FAIL|failed: $(basename "$log" .log):|"
done
finish
