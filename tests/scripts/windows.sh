#!/bin/sh
# tests/scripts/windows.sh [text] -- the tool and the header programs, built by MinGW and run by wine; with text also
# the text tests (some minutes). Run by hand and by soak. Ends with "N passed, N failed".
set -u
. tests/scripts/tally.sh
W=build/windows
rm -rf $W
mkdir -p $W
MINGW=x86_64-w64-mingw32-gcc
have $MINGW && have wine || { absent "$MINGW with wine"; echo "0 passed, 0 failed"; exit 0; }
export WINEDEBUG=-all WINEPREFIX="$PWD/$W/prefix"
wine wineboot -i > $W/boot.log 2>&1 || { absent "a wine that starts"; echo "0 passed, 0 failed"; exit 0; }

begin $W/build
printf '#define XLAGPU_IMPLEMENTATION\n#include "../../xlagpu.h"\n' > $W/compiler.c
printf '#define XLAGPU_IMPLEMENTATION\n#include "../../xlagpu_runtime.h"\n' > $W/runtime.c
for u in compiler runtime; do job "$u" "$MINGW -std=c99 -w -O0 -c $W/$u.c -o $W/$u.o"; done
run_jobs
begin $W/link
job "the tool" "$MINGW -std=gnu11 -w -O0 tools/*.c $W/compiler.o $W/runtime.o -o $W/xlagpu.exe -static"
DONE="-DXLAGPU_IMPLEMENTATION_DONE -DXLAGPU_RUNTIME_IMPLEMENTATION_DONE -DXLAGPU_IMPLEMENTATION"
for p in hello custom_call compile_only; do
    sed '/define XLAGPU_IMPLEMENTATION/d; s|"\.\./xlagpu|"../../xlagpu|' examples/$p.c > $W/$p.c
    job "$p" "$MINGW -std=c99 -w $W/$p.c $W/compiler.o $W/runtime.o -o $W/$p.exe -static"
done
[ "${1:-}" = text ] && job "the runner of text tests" \
    "$MINGW -std=gnu99 -w -O0 -DXLAGPU_DEBUG tests/programs/runner.c -o $W/runner.exe -static"
run_jobs

# expect STATUS PATTERN NAME COMMAND: the exit status, and a line of stdout or stderr that matches. C runtimes of
# Windows end lines with CR LF.
expect() {
    sh -c "$4" < /dev/null > $W/out.crlf 2>&1
    got=$?
    tr -d '\r' < $W/out.crlf > $W/out
    if [ "$got" != "$1" ]; then bad "$3: exit status $got, not $1"; tail -3 $W/out; return; fi
    if grep -qE -- "$2" $W/out; then ok "$3"; else bad "$3: no line matches '$2'"; tail -3 $W/out; fi
}
X="wine $W/xlagpu.exe"
# same NAME ARGUMENTS: the bytes that the tool of this machine writes.
same() {
    build/xlagpu $2 -o $W/here && $X $2 -o $W/there > $W/out 2>&1
    if cmp -s $W/here $W/there; then ok "$1: the same bytes"; else bad "$1: other bytes"; tail -3 $W/out; fi
    rm -f $W/here $W/there
}
expect 0 'log\(1 \+ 7\) = 2.07944' "examples/hello.c" "wine $W/hello.exe"
expect 0 '^0 2 6 12 14 15' "examples/custom_call.c" "wine $W/custom_call.exe"
expect 0 '\.entry' "examples/compile_only.c" "wine $W/compile_only.exe examples/gelu.hlo sm_90a"
expect 0 '^[0-9]+\.[0-9]+\.[0-9]+$' "--version" "$X --version"
expect 0 'Flags' "--help" "$X --help"
expect 2 'unknown verb' "an unknown verb" "$X frobnicate"
expect 2 'there is no such file' "a file that is not there" "$X run nowhere.hlo"
expect 0 'right: 4096 elements' "run" "$X run examples/tour.hlo --platform=host"
expect 0 'kernel' "run --summary" "$X run examples/tour.hlo --platform=host --summary"
expect 0 'right' "results to a file and back" "$X run examples/tour.hlo --platform=host --save_args=$W/a.npz \
    --out=$W/r.npz && $X run examples/tour.hlo --platform=host --args=$W/a.npz --expect=$W/r.npz --rtol=0 --atol=0"
expect 0 'right' "the same files on the machine around" \
    "build/xlagpu run examples/tour.hlo --platform=host --args=$W/a.npz --expect=$W/r.npz --rtol=0 --atol=0"
expect 3 'driver' "no driver" "$X run examples/tour.hlo --platform=cuda"
expect 0 '"errors": *\[\]|\[\]' "check --json" "$X check examples/tour.hlo --json"
expect 0 'ROOT' "opt" "$X opt examples/tour.hlo --passes=dce"
expect 0 'html' "compile --viewer" "$X compile examples/tour.hlo --viewer=$W/v.html && head -c 200 $W/v.html"
expect 0 'right' "an executable that this machine made" "build/xlagpu compile examples/tour.hlo -o $W/t.xgx && \
    $X run $W/t.xgx --platform=host --args=$W/a.npz --expect=$W/r.npz --rtol=0 --atol=0"
same "PTX of GELU" "compile examples/gelu.hlo --target=sm_90a --emit=ptx"
same "an executable" "compile examples/tour.hlo --target=sm_90a --emit=exe"
same "optimized HLO" "compile tests/corpus/dot_int8.hlo --target=sm_90a --emit=hlo"
same "a module as a protobuf" "opt examples/tour.hlo --passes= --emit=pb"
if [ "${1:-}" = text ]; then
    wine $W/runner.exe tests/text > $W/text.crlf 2>&1
    tr -d '\r' < $W/text.crlf > $W/text.log
    said=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' $W/text.log | tail -1)
    echo "text tests: ${said:-no answer}"
    case $said in *", 0 failed") ok "the text tests" ;; *) bad "the text tests"; grep -m 8 FAIL $W/text.log ;; esac
fi
wineserver -k 2>/dev/null || /usr/lib/wine/wineserver -k 2>/dev/null
finish
