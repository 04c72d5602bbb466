#!/bin/sh
# build.sh [FILE.html] -- the web demo: the command line as WebAssembly (compiler, evaluator, simulator) in one page
# that loads nothing from elsewhere and sends nothing. Needs Debian's emscripten (or another emcc from 3.1 on), gzip,
# base64.
set -eu
cd "$(dirname "$0")/../.."
out=${1:-build/web/xlagpu.html}
command -v emcc > /dev/null || { echo "build.sh: no emcc: install emscripten" >&2; exit 3; }
export NODE_PATH="${NODE_PATH:-/usr/share/nodejs}" # where Debian's emscripten has its acorn, for a node of other origin
flags="${WEB_CFLAGS:--O1} -w"
mkdir -p build/web
./build.sh viewer-page

# A unit is compiled again when a source is newer.
unit() { # NAME: its text on standard input
    cat > "build/web/$1.new"
    cmp -s "build/web/$1.new" "build/web/$1.c" || mv "build/web/$1.new" "build/web/$1.c"
    [ -f "build/web/$1.o" ] && [ -z "$(find src "build/web/$1.c" -newer "build/web/$1.o" -type f | head -1)" ] ||
        emcc $flags -std=c99 -c "build/web/$1.c" -o "build/web/$1.o"
}
printf '#define XLAGPU_IMPLEMENTATION\n#include "../../src/xlagpu.h"\n' | unit compiler
printf '#define XLAGPU_IMPLEMENTATION\n#include "../../src/xlagpu_runtime.h"\n' | unit runtime
for f in tools/*.c; do
    o=build/web/tool_$(basename "$f" .c).o
    [ -f "$o" ] && [ -z "$(find tools src -newer "$o" -type f | head -1)" ] || emcc $flags -std=gnu11 -c "$f" -o "$o"
done
emcc $flags build/web/*.o -o build/web/xlagpu.js -sMODULARIZE=1 -sEXPORT_NAME=xlagpu -sALLOW_MEMORY_GROWTH=1 \
    -sFORCE_FILESYSTEM=1 -sEXPORTED_RUNTIME_METHODS=FS,callMain -sINVOKE_RUN=0 -sEXIT_RUNTIME=1 -sASSERTIONS=0 \
    -sENVIRONMENT=web,worker,node

# One file: the page, its script, the module as text.
gzip -9 -c build/web/xlagpu.wasm | base64 -w 0 > build/web/wasm.txt
awk '
    /^@include / {
        path = substr($0, 10)
        while ((getline line < path) > 0) print line
        close(path)
        next
    }
    { print }' packages/web/page.html > "$out.new"
mv "$out.new" "$out"
echo "built $out: $(wc -c < "$out") bytes"
