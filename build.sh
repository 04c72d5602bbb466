#!/bin/sh
# build.sh -- everything: POSIX sh, awk and a C compiler are enough.
#
#   ./build.sh             the two headers at the root, and build/xlagpu
#   ./build.sh run         build, then the main job: GELU on the GPU, or on the simulator where there is none
#   ./build.sh test        every test
#   ./build.sh check       laws of the code: headers fresh, rooms in order, no mutable globals, only xlagpu_ symbols; sizes and times
#   ./build.sh digests     tests/digests.txt and variants.txt anew: what the compiler makes is meant to have changed
#   ./build.sh soak        the long tests      ./build.sh bench       measurements
#   ./build.sh gpu-test    the tests on CUDA   ./build.sh gpu-bench   timings on CUDA
#   ./build.sh gpu-contact DIR   ten minutes on a GPU: results, timings, figures of the device, logs, as files
#   ./build.sh format      clang-format over all C code (the format that check holds; clang-format 14 or newer)
#   ./build.sh llvm        build/xlagpu-llvm: the tool with LLVM 16 or newer as a second backend (LLVM_CONFIG: which)
#   ./build.sh clean
# CC (default cc, gcc, clang or tcc), CXX, CFLAGS (default -O1) and JOBS are taken from the environment.
set -eu
cd "$(dirname "$0")"
asked=${CC:-} # the compiler that the user wants, if he says so
if [ -z "${CC:-}" ]; then # cc, or what there is
    CC=cc
    for c in tcc clang gcc cc; do if command -v $c > /dev/null; then CC=$c; fi; done
fi
export CC
FRONT=${CFLAGS:-} # of the compiler unit, which is large: see level()
CFLAGS=${CFLAGS:--O1}
beside= # what tool() builds beside itself
WARN="-std=c99 -Wall -Wextra -Wpedantic -Wshadow"
LIBS="-lm -ldl -lpthread"
mkdir -p build

# Unless CFLAGS says it: the compiler unit is built at $1 (-O0, -Og, -O1: 15, 20, 30 seconds), or as it was built last
# if that is better.
level() {
    [ "$FRONT" ] && return
    FRONT=$1
    last=$(cut -d " " -f 1 build/front.stamp 2>/dev/null || true)
    case "$1 $last" in "-O0 -Og" | "-O0 -O1" | "-Og -O1") FRONT=$last ;; esac
}

# Writes header $1 with every #include "file" replaced by the file, each once, and the license behind it. Paths are
# relative to the including file. A #line that says what is so anyway stands before the rooms: where one is, gcc does
# not look for -Wmisleading-indentation, which takes it (before gcc 15) a minute in a file of so many lines.
amalgamate() {
    awk -v root="$1" '
    function dir(p) { sub(/[^\/]*$/, "", p); return p }
    function norm(p) { while (p ~ /[^\/.]+\/\.\.\//) sub(/[^\/.]+\/\.\.\//, "", p); return p }
    function say(text) { print text; lines++ }
    function put(path,   line, inc, ok) {
        while ((ok = (getline line < path)) > 0) {
            if (line ~ /^[ \t]*#[ \t]*include[ \t]*"/) {
                inc = line; sub(/^[^"]*"/, "", inc); sub(/".*$/, "", inc); inc = norm(dir(path) inc)
                if (inc ~ /\/rooms[^\/]*\.h$/) say("#line " lines + 2)
                if (!(inc in done)) { done[inc] = 1; put(inc) }
            } else say(line)
        }
        if (ok < 0) { print "build.sh: cannot read " path > "/dev/stderr"; exit 1 }
        close(path)
    }
    BEGIN {
        name = root; sub(/.*\//, "", name); done[root] = 1 # rt.h and public.c include the public API
        say("/* " name " -- all of it in one file; its version is XLAGPU_VERSION.")
        say(" * Generated from src/ by ./build.sh: edit src/ and run it again. */")
        put(root)
        print "\n/*"
        while ((getline line < "LICENSE") > 0) print line
        print "*/"
    }' "$1"
}

# Writes the two headers into folder $1, and leaves alone what is the same already.
headers() {
    for h in xlagpu.h xlagpu_runtime.h; do
        amalgamate "src/$h" > "build/$h.new"
        if cmp -s "build/$h.new" "$1/$h" 2>/dev/null; then rm "build/$h.new"; else mv "build/$h.new" "$1/$h"; fi
    done
}

# The page of --viewer, tools/viewer/, as C: each line of page.html a string, with the files that it includes.
viewer_page() {
    awk '
    function put(path,   line) {
        while ((getline line < path) > 0)
            if (line ~ /^@include /) put("tools/viewer/" substr(line, 10))
            else { gsub(/[\\"]/, "\\\\&", line); print "\"" line "\"," }
        close(path)
    }
    BEGIN {
        print "/* tools/viewer_page.h -- made from tools/viewer/ by ./build.sh: edit there. */"
        print "#ifndef XG_TOOLS_VIEWER_PAGE_H\n#define XG_TOOLS_VIEWER_PAGE_H\n/* clang-format off */"
        print "static const char *const viewer_page[] = {"
        put("tools/viewer/page.html")
        print "};\n/* clang-format on */\n#endif"
    }' > build/viewer_page.new
    if cmp -s build/viewer_page.new tools/viewer_page.h; then rm build/viewer_page.new
    else mv build/viewer_page.new tools/viewer_page.h; fi
}

# Runs each argument as a command, two at a time (JOBS), long ones first; fails when one does.
together() { printf '%s\n' "$@" | xargs -P "${JOBS:-2}" -I '{}' sh -c '{}'; }

# Every C file that is written by hand.
c_files() { find src tests tools bench examples packages -name build -prune -o -name '*.[ch]' -print | sort; }

zlib() { # -DXG_HAVE_ZLIB and -lz where there is zlib
    printf '#include <zlib.h>\nint main(void){return zlibVersion()==0;}\n' > build/zlib.c
    if $CC build/zlib.c -o build/zlib.out -lz 2>/dev/null; then echo yes; else echo no; fi
}

tool() {
    headers .
    viewer_page
    printf '#define XLAGPU_IMPLEMENTATION\n#include "../src/xlagpu.h"\n' > build/unit_compiler.c
    printf '#define XLAGPU_IMPLEMENTATION\n#include "../src/xlagpu_runtime.h"\n' > build/unit_runtime.c
    printf '#define XLAGPU_IMPLEMENTATION\n#define XLAGPU_SPLIT_SIM_UNIT\n#include "../src/xlagpu_runtime.h"\n' \
        > build/unit_sim.c
    Z=""; ZL=""; if [ "$(zlib)" = yes ]; then Z=-DXG_HAVE_ZLIB; ZL=-lz; fi
    F="$WARN $CFLAGS"
    R="-DXLAGPU_SPLIT_SIM -DXLAGPU_USE_NCCL -DXLAGPU_USE_LLVM_CPU"
    stamp="$CC $F $Z $R"
    newest=$(find src -newer build/tool.stamp -type f 2>/dev/null | head -1 || true)
    [ -f build/tool.stamp ] && [ "$(cat build/tool.stamp)" = "$stamp" ] || newest=all
    # The compiler has a stamp of its own: it may be built at another level, or later, than the rest.
    newer_front=$newest
    [ -f build/front.stamp ] && [ "$(cat build/front.stamp)" = "$FRONT $CC" ] && [ -f build/compiler.o ] ||
        newer_front=all
    [ "$newest" ] && rm -f build/front.stamp
    newer_tool=$(find tools -newer build/tool.o -type f 2>/dev/null | head -1 || true)
    front=true; runtime=true; sim=true; tools=true
    if [ "${1:-}" = small ]; then
        if [ "$newest" ] || [ ! -f build/small.o ]; then
            front="$CC $WARN -Wno-unused-function $FRONT -DXLAGPU_SMALL -c build/unit_compiler.c -o build/small.o"
        fi
    elif [ "$newer_front" ]; then
        front="$CC $WARN $FRONT -c build/unit_compiler.c -o build/compiler.o"
    fi
    [ "$newest" ] && runtime="$CC $F $R -c build/unit_runtime.c -o build/runtime.o"
    [ "$newest" ] && sim="$CC $F -DXLAGPU_SPLIT_SIM -c build/unit_sim.c -o build/sim.o"
    if [ "$newest$newer_tool" ] || [ ! -f build/tool.o ]; then
        tools="$CC $F -std=gnu11 $Z -r -nostdlib tools/*.c -o build/tool.o"
    fi
    together "${beside:-true}" "$front" "$sim" "$tools" "$runtime"
    [ "$newest" ] && echo "$stamp" > build/tool.stamp
    if [ "${1:-}" = small ]; then
        $CC build/tool.o build/small.o build/runtime.o build/sim.o -o build/xlagpu-small $ZL $LIBS
        return
    fi
    [ "$newer_front" ] && echo "$FRONT $CC" > build/front.stamp
    $CC build/tool.o build/compiler.o build/runtime.o build/sim.o -o build/xlagpu $ZL $LIBS
    for name in run_hlo_module hlo-opt; do ln -sf xlagpu build/$name; done # XLA's names for it: tools/xla_tools.c
}

runner() { # the command that builds it, by compiler $1
    echo "$1 -std=gnu99 -Wall -Wextra -Wshadow -DXLAGPU_DEBUG ${TESTFLAGS:--O0 -g} tests/programs/runner.c" \
        "-o build/test_runner $LIBS"
}
# For the tests the tool and the runner of text tests, built beside each other; clang takes a third of gcc's time.
# Without tcc the runner and other programs share the object build/inside.o.
with_runner() {
    quick=$CC
    if [ -z "$asked" ] && command -v clang > /dev/null; then quick=clang; fi
    beside=$(runner "$quick")
    case "$(command -v tcc) $quick" in
    *tcc*) ;;
    *) . tests/scripts/programs.sh
        beside="$(inside_command "$quick") && $quick -std=gnu99 -g $INSIDE tests/programs/runner.c -o build/test_runner \
            build/inside.o $LIBS" ;;
    esac
    level -Og
    tool
}

# The newest LLVM from 16 on, unless LLVM_CONFIG names one.
llvm_config() {
    if [ "${LLVM_CONFIG:-}" ]; then echo "$LLVM_CONFIG"; return; fi
    for v in 21 20 19 18 17 16; do
        for c in llvm-config-$v /usr/lib/llvm-$v/bin/llvm-config; do
            if command -v $c > /dev/null 2>&1; then echo $c; return; fi
        done
    done
}
# The tool with LLVM as a second backend: build/xlagpu-llvm.
llvm() {
    C=$(llvm_config)
    if [ -z "$C" ]; then echo "build.sh: no LLVM from 16 on: install llvm-16-dev, or set LLVM_CONFIG" >&2; exit 1; fi
    tool
    $CC $WARN $FRONT -DXLAGPU_USE_LLVM "-I$($C --includedir)" -c build/unit_compiler.c -o build/compiler_llvm.o
    $CC build/tool.o build/compiler_llvm.o build/runtime.o build/sim.o -o build/xlagpu-llvm $ZL $LIBS \
        $($C --ldflags --libs all-targets passes irreader analysis core)
    echo "built build/xlagpu-llvm with LLVM $($C --version)"
}

case "${1:-build}" in
build) level -O1; tool; echo "built build/xlagpu, xlagpu.h, xlagpu_runtime.h" ;;
llvm) level -O1; llvm ;;
headers) headers "${2:-.}" ;;
runner) $(runner "$CC") ;;
viewer-page) viewer_page ;;
run) # A first build is kept short: of the compiler what GELU needs, and nothing optimised. The simulator then takes a
    # second instead of a fifth for GELU, and a third of the time to build. Any other build makes all of it anew.
    shift
    if [ -f build/front.stamp ] || [ $# != 0 ]; then
        level -O0
        tool
        with=xlagpu
    else
        [ "$FRONT" ] || CFLAGS=-O0
        level -O0
        tool small
        with=xlagpu-small
    fi
    exec build/$with run examples/gelu.hlo --platform=auto --summary "$@" ;;
test) with_runner; exec sh tests/scripts/all.sh ;;
check) exec sh tests/scripts/check.sh "${2:-}" ;;
digests) exec sh tests/scripts/digests.sh ;;
soak) with_runner; exec sh tests/scripts/soak.sh ;;
bench) level -O1; tool; exec sh bench/bench.sh ;;
gpu-test) level -Og; tool; exec sh tests/scripts/gpu.sh ;;
gpu-bench) level -O1; tool; exec sh bench/gpu.sh ;;
gpu-contact) level -O1; tool; exec sh bench/contact.sh "${2:-build/contact}" ;;
format) ${CLANG_FORMAT:-clang-format} -i $(c_files) ;;
clean) rm -rf build ;;
*) sed -n '2,15p' "$0"; exit 2 ;;
esac
