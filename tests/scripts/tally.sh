# tests/scripts/tally.sh -- what check.sh, all.sh, soak.sh and gpu.sh share: counting, saying, running things side by
# side. Sourced from the project's root.
#
# Laws: nothing is skipped silently (absent says what is not here); a failure shows the end of its log; each script
# ends with "N passed, N failed".
CC=${CC:-cc}
CXX=${CXX:-c++}
JOBS=${JOBS:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)}
LIBS="-lm -ldl -lpthread"
# What xlagpu is compiled with wherever zero warnings are promised.
STRICT="-Wall -Wextra -Wpedantic -Wshadow -Werror"
passed=0
failed=0

ok() { passed=$((passed + 1)); [ "${QUIET:-}" ] || printf '  ok    %s\n' "$*"; }
bad() { failed=$((failed + 1)); printf '  FAIL  %s\n' "$*"; }
absent() { printf '  not here: %s\n' "$*"; }
have() { command -v "$1" >/dev/null 2>&1; }
is_tcc() { case "$($1 -v 2>&1)" in tcc*) ;; *) return 1 ;; esac; }
finish() { printf '%s passed, %s failed\n' "$passed" "$failed"; [ "$failed" = 0 ]; exit $?; }

# fake_driver FILE.so: the driver of tests/programs/fake_cuda.c, which has the simulator in it. all.sh builds it once for
# all its parts and says where by FAKE_DRIVER_SO.
fake_driver() {
    if [ "${FAKE_DRIVER_SO:-}" ]; then cp "$FAKE_DRIVER_SO" "$1"
    else ${FAKE_CC:-$CC} -std=gnu99 -w -O1 -shared -fPIC -DFAKE_DRIVER tests/programs/fake_cuda.c -o "$1" $LIBS; fi
}

# The corpus cases that compile (tests/scripts/corpus.sh says more of the table).
compiled_cases() { awk -F'\t' '$4 == "all" { print "tests/corpus/" $1 ".hlo" }' tests/corpus/manifest.tsv; }
# FILE.hlo ...: each as StableHLO text and as protobuf; prints their names.
imported_cases() {
    mkdir -p build/imported
    for imported in "$@"; do
        for form in mlir pb; do
            to=build/imported/$(basename "$imported" .hlo).$form
            build/xlagpu opt "$imported" --passes= -o "$to" 2>/dev/null >&2 && echo "$to"
        done
    done
}

# begin DIR: forgets the jobs of before. job NAME COMMAND: one more. run_jobs: all of them, JOBS at a time, then a
# line each, in the order given; a job passes when it exits 0. Each job's output stays in DIR/NNN.log.
begin() { job_dir=$1; job_count=1000; rm -rf "$job_dir"; mkdir -p "$job_dir"; }
job() { job_count=$((job_count + 1)); printf '%s\n' "$1" > "$job_dir/$job_count.name"; printf '%s\n' "$2" > "$job_dir/$job_count.job"; }
# A job that needs a C++ compiler, where there is one.
cxx_job() { if have "${CXX%% *}"; then job "$@"; else absent "${CXX%% *}: $1"; fi; }
run_jobs() {
    [ -f "$job_dir/1001.job" ] || { bad "$job_dir: nothing to do"; return; }
    ls "$job_dir"/*.job | xargs -P "$JOBS" -n 1 sh -c 'sh "$0" > "${0%.job}.log" 2>&1; echo $? > "${0%.job}.rc"'
    for one in "$job_dir"/*.job; do
        one=${one%.job}
        if [ "$(cat "$one.rc")" = 0 ]; then ok "$(cat "$one.name")"
        else bad "$(cat "$one.name")"; tail -${LOG_LINES:-8} "$one.log" | sed 's/^/          /'; fi
    done
}

# part NAME COMMAND...: one more script or function of ours that ends with "N passed, N failed"; one that only exits
# counts as one test. The words of COMMAND are a line of shell; begin_parts comes first. run_parts: all of them, JOBS
# at a time, each with JOBS=1 for what it runs itself; a line each as it ends. Long parts first.
# PART_DIR: where their output stays, of a script that is itself a part.
begin_parts() { part_dir=${PART_DIR:-build/log}; part_count=1000; rm -rf $part_dir; mkdir -p $part_dir; }
part() { part_count=$((part_count + 1)); part_name=$1; shift; printf '%s\n' "$part_name" > $part_dir/$part_count.name; printf '%s\n' "$*" > $part_dir/$part_count.part; }
run_parts() {
    for lane in $(seq "$JOBS"); do
        (
            JOBS=1
            for one in $part_dir/*.part; do
                mkdir "${one%.part}.taken" 2>/dev/null && one_part "${one%.part}"
            done
        ) &
    done
    wait
    for one in $part_dir/*.sum; do
        read -r part_p part_f < "$one"
        passed=$((passed + part_p))
        failed=$((failed + part_f))
    done
    for one in $part_dir/*.part; do [ -f "${one%.part}.sum" ] || bad "$(cat "${one%.part}.name") has not ended"; done
}
one_part() {
    part_name=$(cat "$1.name")
    part_log=$part_dir/$(printf %s "$part_name" | tr -c 'a-zA-Z0-9' _).log
    part_start=$(date +%s)
    (
        passed=0
        failed=0
        eval "$(cat "$1.part")"
        part_rc=$?
        times > "$1.times"
        exit $part_rc
    ) > "$part_log" 2>&1
    part_rc=$?
    part_cpu=$(awk '{ for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); s += t[1] * 60 + t[2] } } END { printf "%.0f", s }' \
        "$1.times")
    part_sum=$(tail -1 "$part_log" | sed -n 's/^\([0-9][0-9]*\) passed, \([0-9][0-9]*\) failed$/\1 \2/p')
    part_p=${part_sum% *}
    part_f=${part_sum#* }
    if [ -z "$part_sum" ]; then part_p=$((part_rc == 0)); part_f=$((part_rc != 0)); fi
    if [ "$part_rc" != 0 ] && [ "$part_f" = 0 ]; then part_f=1; fi
    echo "$part_p $part_f" > "$1.sum"
    {
        printf '%-28s %5s passed, %s failed  %4s s, %3s s of the processor\n' "$part_name" "$part_p" "$part_f" \
            "$(($(date +%s) - part_start))" "$part_cpu"
        grep '^  not here:' "$part_log" | sort -u
        if [ "$part_f" != 0 ]; then
            grep -A6 -E '^ *FAIL' "$part_log" | head -40 | sed 's/^/    /'
            [ "$part_sum" ] || tail -12 "$part_log" | sed 's/^/    /'
            echo "    (all of it: $part_log)"
        fi
    } > "$1.said"
    cat "$1.said"
}
