#!/bin/sh
# tests/scripts/check.sh -- the laws of the code, checked, and its sizes and times, printed. Run by ./build.sh check
# from the root; ends with "N passed, N failed". With the argument text: only what is read in the files, a minute
# instead of ten.
set -u
. tests/scripts/tally.sh
. tests/scripts/programs.sh
W=build/check
rm -rf $W
mkdir -p $W
# law NAME LOG: holds when the log is empty; otherwise its first lines say what breaks it.
law() { if [ -s "$2" ]; then bad "$1"; head -20 "$2"; else ok "$1"; fi; }

# ---- the order of the rooms: the one place where it is written down. A room may include itself and what stands ----
# ---- before it in its row. ----
COMPILER_ROOMS="api base cost hlo eval affine indexing opt algsimp spmd expand fuse kir elem block emit sched"
COMPILER_ROOMS="$COMPILER_ROOMS choice ptx llvm plan import driver"
RUNTIME_ROOMS="api base cost sim rt"

# ---- the committed headers are what src/ gives ----
mkdir -p $W/fresh
./build.sh headers $W/fresh || exit 1
for h in xlagpu.h xlagpu_runtime.h; do
    if cmp -s $W/fresh/$h $h; then ok "$h is what src/ gives"
    else bad "$h is not what src/ gives: ./build.sh headers, then commit it with the change in src/"; fi
done
awk '/^#line/ { if ($2 != FNR + 1) print FILENAME ":" FNR ": " $0; n++ } END { if (n != 2) print n " in all" }' \
    xlagpu.h xlagpu_runtime.h > $W/line.log
law "one #line in each header, which says what is so anyway" $W/line.log

# ---- includes ----
find src -name '*.c' -o -name '*.h' | sort > $W/files
awk -v compiler="$COMPILER_ROOMS" -v runtime="$RUNTIME_ROOMS" '
function rank(list, room,   n, a, i) { n = split(list, a, " "); for (i = 1; i <= n; i++) if (a[i] == room) return i; return 0 }
{
    file = $0
    if (split(file, part, "/") < 3) next # the skeletons
    room = part[2]
    while ((getline line < file) > 0) if (line ~ /^[ \t]*#[ \t]*include[ \t]*"/) {
        inc = line; sub(/^[^"]*"/, "", inc); sub(/".*/, "", inc)
        if (inc == "../xlagpu.h" || inc == "../xlagpu_runtime.h") continue # the public API, for whoever implements it
        to = inc ~ /^\.\.\// ? inc : "../" room "/" inc
        sub(/^\.\.\//, "", to); sub(/\/.*/, "", to)
        list = rank(runtime, room) > 3 ? runtime : compiler
        if (!rank(list, room)) print file ": room " room " is not in the list of tests/scripts/check.sh"
        else if (!rank(list, to) || rank(list, to) > rank(list, room)) print file ": includes " inc ": room " room " may use only what stands before it in: " list
        else if (to != room && to != "api" && inc ~ /\.c$/) print file ": includes " inc ": the header of a room is its only door"
    }
    close(file)
}' $W/files > $W/order.log
law "rooms include only themselves and lower rooms" $W/order.log

# ---- every file of src/ is in a skeleton ----
while read -r f; do
    case $f in src/*/*.c) grep -q "\"${f#src/}\"" src/rooms.h src/rooms_runtime.h ||
        grep -rq "include \"\(\.\./\)*${f#src/}\"" src ||
        echo "$f is in neither src/rooms.h nor src/rooms_runtime.h" ;; esac
done < $W/files > $W/listed.log
law "every file is in a skeleton" $W/listed.log

# ---- a file tells one story; lines that fit on a screen ----
wc -l $(cat $W/files) | awk '$2 != "total" && $1 > 900 { print $2 ": " $1 " lines" }' > $W/long.log
law "no file of src/ has more than 900 lines" $W/long.log
if have clang-format; then
    for f in $(find src tests tools bench examples packages -name '*.[ch]' | sort); do
        clang-format "$f" | cmp -s - "$f" || echo "$f is not formatted: ./build.sh format"
    done > $W/format.log
    law "the format of .clang-format" $W/format.log
else absent clang-format; fi
# Rows of tables stand between clang-format off and on and may be longer.
awk 'FNR == 1 { table = 0 } /clang-format off/ { table = 1 } /clang-format on/ { table = 0 }
    !table && length($0) > 120 && $0 !~ /[^ -~]/ { print FILENAME ":" FNR ": " length($0) " columns" }' \
    $(find src tests tools bench examples packages -name '*.[ch]') > $W/wide.log
law "no line above 120 columns" $W/wide.log

# ---- a file compiles alone: it includes what it uses, and what crosses rooms has a prototype in a header ----
if have clang; then
    for f in $(cat $W/files); do
        clang -std=c99 -fsyntax-only -Wno-everything -Werror=implicit-function-declaration -Isrc "$f" 2>&1 |
            grep -m 1 "error:"
    done > $W/alone.log
    law "every file of src/ compiles alone" $W/alone.log
else absent clang; fi

# ---- words that do not belong into src/ ----
grep -nwE 'TODO|FIXME|XXX|HACK' $(cat $W/files) > $W/words.log
law "no TODO, FIXME, XXX or HACK" $W/words.log
# A macro that is not XG_, XGT_, XR_ or XLAGPU_ must be undefined again in its room.
awk '{
    file = $0; split(file, part, "/"); room = part[2]
    while ((getline line < file) > 0) if (line ~ /^[ \t]*#[ \t]*(define|undef)[ \t]/) {
        gone = line ~ /undef/; n = line; sub(/^[ \t]*#[ \t]*(define|undef)[ \t]+/, "", n); sub(/[^A-Za-z0-9_].*/, "", n)
        if (n ~ /^((XG|XGT|XLAGPU|XR|xg|KF)_|WIN32_LEAN_AND_MEAN|NOMINMAX)/) continue
        if (gone) undone[room SUBSEP n] = 1; else made[room SUBSEP n] = file
    }
    close(file)
}
END { for (k in made) if (!(k in undone)) { split(k, part, SUBSEP); print made[k] ": macro " part[2] " is defined and not undefined" } }
' $W/files | sort > $W/macros.log
law "local macros are undefined again" $W/macros.log

# ---- C leaves open which argument of a call is evaluated first ----
if have python3; then
    python3 tests/scripts/order.py > $W/arguments.log || echo "tests/scripts/order.py failed" >> $W/arguments.log
    law "no call has two arguments that create operations" $W/arguments.log
    # Files that call each other in a circle are read together; between rooms none do. The bound only sinks.
    python3 tests/scripts/circles.py > $W/circles || echo "tests/scripts/circles.py failed" >> $W/circles
    awk '/ROOMS|failed/ { print } END { if (NR > 11) print NR " circles of files" }' $W/circles > $W/circles.log
    law "fewer than 12 circles of files in rooms, none between them" $W/circles.log
    python3 tests/scripts/files.py > $W/named.log || [ -s $W/named.log ] || echo "tests/scripts/files.py failed" > $W/named.log
    law "every file and function that a document names exists" $W/named.log
else absent python3; fi

if [ "${1:-}" = text ]; then finish; fi

# ---- compilers ----
# unit NAME LINES...: writes $W/NAME.c
unit() { unit_name=$1; shift; printf '%s\n' "$@" > "$W/$unit_name.c"; }
I='#define XLAGPU_IMPLEMENTATION'
unit compiler "$I" '#include "xlagpu.h"'
unit runtime "$I" '#include "xlagpu_runtime.h"'
unit both "$I" '#include "xlagpu.h"' '#include "xlagpu_runtime.h"'
cp $W/both.c $W/both.cc
begin $W/jobs
# The long ones first. They also give the times and sizes of the table below; times are of the processor, since two may
# run at once.
for h in compiler runtime; do
    for o in -O2 -O0; do
        job "gcc -std=c99 $o, $h: no warning" "gcc -std=c99 $STRICT $o -I$W/fresh -c $W/$h.c -o $W/$h$o.o || exit 1; \
            times > $W/$h$o.time"
    done
    have clang && job "clang -std=c11 -O1, $h: no warning" \
        "clang -std=c11 $STRICT -O1 -I$W/fresh -c $W/$h.c -o $W/$h.clang.o"
done
have clang && job "clang -Os, the runtime" "clang -std=c99 -w -Os -I$W/fresh -c $W/runtime.c -o $W/runtime.clang-Os.o"
# What a program that ships one executable takes along.
unit ship "$I" '#include "xlagpu_runtime.h"' \
    'int main(void) { xlagpu_device *d = 0; xlagpu_status s = xlagpu_rt_open(0, &d); xlagpu_rt_close(d); return s != XLAGPU_OK; }'
job "gcc -Os, a program with the runtime alone, without simulator" \
    "gcc -std=c99 -w -Os -s -DXLAGPU_NO_SIMULATOR -I$W/fresh $W/ship.c -o $W/ship.bare -lm -ldl -lpthread"
job "gcc -Os, a program with the runtime alone" \
    "gcc -std=c99 -w -Os -s -I$W/fresh $W/ship.c -o $W/ship.full -lm -ldl -lpthread"
job "gcc -Os, the small compiler" "gcc -std=c99 -w -Os -DXLAGPU_SMALL -I$W/fresh -c $W/compiler.c -o $W/small.o"
job "gcc -Os, without tables to unwind, both headers" \
    "gcc -std=c99 -w -Os -fno-asynchronous-unwind-tables -I$W/fresh -c $W/both.c -o $W/all.o"
job "gcc -O1 -fno-pie, both headers in one object" "gcc -std=c99 -O1 -fno-pie -I$W/fresh -c $W/both.c -o $W/both.o"
for std in c99 c11 c17; do
    for cc in gcc clang; do have $cc &&
        job "$cc -std=$std: no warning" "$cc -std=$std $STRICT -fsyntax-only -I$W/fresh $W/both.c"; done
done
for std in c++11 c++17 c++20 c++2b; do
    for cc in g++ clang++; do have $cc &&
        job "$cc -std=$std: no warning" "$cc -std=$std $STRICT -fsyntax-only -I$W/fresh $W/both.cc"; done
done
# What users with stricter rules than ours see.
CONVERSION="-Wconversion -Wsign-conversion -Werror"
for cc in gcc clang; do have $cc &&
    job "$cc $CONVERSION" "$cc -std=c99 $CONVERSION -fsyntax-only -I$W/fresh $W/both.c"; done
for cc in g++ clang++; do have $cc &&
    job "$cc $CONVERSION" "$cc -std=c++20 $CONVERSION -fsyntax-only -I$W/fresh $W/both.cc"; done
# All that clang can say, but for what is meant: C99's declarations and casts, bit patterns compared as floats, switches
# with a default, INFINITY of type float, texts of tables as formats, results that a flag beside them says are there.
MEANT="padded used-but-marked-unused declaration-after-statement switch-enum float-equal bad-function-cast cast-qual
    comma double-promotion conditional-uninitialized missing-noreturn implicit-fallthrough format-nonliteral
    duplicate-enum"
have clang && job "clang -Weverything, but for fourteen" "clang -std=c99 -Weverything -Werror \
    $(for w in $MEANT; do printf -- '-Wno-%s ' $w; done) -fsyntax-only -I$W/fresh $W/both.c"
# Every combination of the macros. Without extensions, functions that a configuration leaves unused cannot be marked,
# and C99 has no word for a function that does not return.
for small in "" -DXLAGPU_SMALL; do for static in "" -DXLAGPU_STATIC; do for ext in "" -DXLAGPU_NO_EXTENSIONS; do \
    for sim in "" -DXLAGPU_NO_SIMULATOR; do for as in "" "'-DXLAGPU_ASSERT(x)=((x)?(void)0:__builtin_trap())'"; do
    [ "$small$static$ext$sim$as" ] || continue
    relax=
    [ "$ext$small" ] && relax=-Wno-unused-function
    job "gcc -std=c11 $small $static $ext $sim ${as:+-DXLAGPU_ASSERT}" \
        "gcc -std=c11 $STRICT $relax $small $static $ext $sim $as -fsyntax-only -I$W/fresh $W/both.c"
done; done; done; done; done
# Arenas poison what they have not handed out, so the sanitizer sees an index beyond an array in one.
have clang && job "clang, address sanitizer: the text tests" "clang -std=gnu99 -w -O0 -g1 -DXLAGPU_DEBUG \
    -fsanitize=address tests/programs/runner.c -o $W/runner.asan -lm -ldl -lpthread && $W/runner.asan tests/text"
# As `test` does it where there is no tcc.
for cc in gcc clang; do have $cc && job "$cc: a program sees what is in an object of all of xlagpu" \
    "$(inside_command $cc $W/inside.$cc.o) && $cc -std=gnu99 $INSIDE tests/programs/graphs.c -DXLAGPU_IMPLEMENTATION \
    $W/inside.$cc.o -o $W/graphs.$cc $LIBS && $W/graphs.$cc --n 200"; done
have tcc && job "tcc -Wall: no warning" "tcc -Wall -I$W/fresh -c $W/both.c -o $W/tcc.o > $W/tcc.said 2>&1; \
    cat $W/tcc.said; [ -f $W/tcc.o ] && [ ! -s $W/tcc.said ]"
if have x86_64-w64-mingw32-gcc; then
    job "MinGW: no warning" "x86_64-w64-mingw32-gcc -std=c99 $STRICT -O1 -I$W/fresh -c $W/both.c -o $W/mingw.o"
    unit windows '#include <windows.h>' "$I" '#include "xlagpu_runtime.h"' '#include "xlagpu.h"'
    job "MinGW, after <windows.h>" "x86_64-w64-mingw32-gcc -std=gnu99 -fsyntax-only -I$W/fresh $W/windows.c"
    [ -f examples/hello.c ] && job "MinGW links examples/hello.c" \
        "x86_64-w64-mingw32-gcc -std=c99 -I$W/fresh examples/hello.c -o $W/hello.exe"
fi
# As MSVC's compilers read it, by clang for their target (clang-cl, and without its macro cl), with MinGW's headers for
# those of the Windows SDK: less the attributes that these write behind a declaration, where MSVC does not take them.
if have clang && [ -d /usr/x86_64-w64-mingw32/include ]; then
    mkdir -p $W/msvc
    : > $W/msvc/x86intrin.h
    { echo '#include <_mingw.h>' && echo '#undef __attribute__'
        for a in NORETURN DEPRECATED DEPRECATED_SEC_WARN DEPRECATED_MSVC2005; do
            printf '#undef __MINGW_ATTRIB_%s\n#define __MINGW_ATTRIB_%s\n' $a $a; done; } > $W/msvc/before.h
    for cl in "" "-U__clang__ -U__SIZEOF_INT128__"; do
        job "clang for MSVC's target $cl" "clang --target=x86_64-pc-windows-msvc -fms-extensions \
            -fms-compatibility-version=19.38 -isystem $W/msvc -isystem /usr/x86_64-w64-mingw32/include \
            -include $W/msvc/before.h $cl -std=c11 -Wall -Wgnu -Wno-unused-function -Werror -fsyntax-only -I$W/fresh \
            $W/both.c"
    done
fi
have aarch64-linux-gnu-gcc && job "aarch64: no warning" \
    "aarch64-linux-gnu-gcc -std=c99 $STRICT -O1 -I$W/fresh -c $W/both.c -o $W/aarch64.o"
run_jobs
for t in clang clang++ tcc x86_64-w64-mingw32-gcc aarch64-linux-gnu-gcc; do have $t || absent $t; done

# ---- what is in the object ----
if [ -f $W/both.o ]; then
    nm $W/both.o | awk '$(NF-1) ~ /^[bdBDCsSgG]$/ {print "mutable: " $NF " (class " $(NF-1) ")"}' > $W/globals.log
    law "no mutable globals" $W/globals.log
    nm -g --defined-only $W/both.o | awk '$NF !~ /^xlagpu_/ {print $NF}' > $W/exports.log
    law "only xlagpu_ symbols leave the object" $W/exports.log
    nm -u $W/both.o | awk '{print $NF}' |
        grep -xE '(v|f|vf|s|vs|sn|vsn)?printf|puts|putc|fput[cs]|exit|_exit|abort|__assert_fail|strto[dfl]|strtold|ato[fil]|setlocale|localeconv|rand|srand|getenv' > $W/calls.log
    grep -ln 'fopen *(' src/*/*.c | grep -vx src/rt/cuda_cache.c \
        >> $W/calls.log # files: only in the folder that the user names
    law "nothing prints, exits, opens files or depends on the locale" $W/calls.log
fi

# ---- the table: lines and the longest function of each room, then the cost of each header ----
awk '
BEGIN { print "\nroom\tfiles\tlines\tlongest function" }
{
    file = $0; n = split(file, part, "/"); room = n < 3 ? "(skeletons)" : part[2]
    if (!(room in files)) order[++rooms] = room
    files[room]++; line = 0; name = ""
    while ((getline text < file) > 0) {
        line++; lines[room]++
        if (text ~ /^[A-Za-z].*\(.*\{$/ && text !~ /=/) { name = text; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name); start = line }
        else if (text ~ /^}/ && name != "") { if (line - start + 1 > most[room]) { most[room] = line - start + 1; who[room] = name }; name = "" }
    }
    close(file)
}
END {
    for (k = 1; k <= rooms; k++) { r = order[k]; printf "%s\t%d\t%d\t%s\n", r, files[r], lines[r], most[r] ? most[r] \
        " " who[r] : "-"; f += files[r]; l += lines[r] }
    printf "all\t%d\t%d\t\n", f, l
}' $W/files | awk -F'\t' '{printf "%-12s %5s %7s  %s\n", $1, $2, $3, $4}'

# The times of the children, from the second line of `times`: user and system.
seconds() {
    [ -f "$1" ] && awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); s += t[1] * 60 + t[2] } printf "%.1f", s }' "$1" ||
        echo -
}
size_of() { [ -f "$1" ] && wc -c < "$1" | tr -d ' ' || echo -; }
warnings=$(cat $W/jobs/*.log | grep -cE 'warning:|\[-Werror')
printf '\n%-18s %7s %8s %8s %12s %12s\n' header lines "-O0 s" "-O2 s" "-O2 bytes" "stripped"
for h in compiler runtime; do
    name=xlagpu.h
    [ $h = runtime ] && name=xlagpu_runtime.h
    [ -f $W/$h-O2.o ] && strip -o $W/$h.stripped $W/$h-O2.o 2>/dev/null
    printf '%-18s %7s %8s %8s %12s %12s\n' $name "$(wc -l < $W/fresh/$name | tr -d ' ')" "$(seconds $W/$h-O0.time)" \
        "$(seconds $W/$h-O2.time)" "$(size_of $W/$h-O2.o)" "$(size_of $W/$h.stripped)"
done
# What is loaded of a program: code and data, without the padding of pages in the file.
loaded() { [ -f "$1" ] && size "$1" | awk 'NR == 2 { print $1 + $2 }' || echo -; }
at_most() {
    if [ "$(loaded "$2")" -le "$3" ] 2>/dev/null; then ok "$1: $(loaded "$2") bytes of code and data, at most $3"
    else bad "$1: $(loaded "$2") bytes of code and data, more than $3"; fi
}
at_most "a program with the runtime, without simulator" $W/ship.bare 100000
at_most "a program with the runtime" $W/ship.full 600000
at_most "the small compiler" $W/small.o 1000000
at_most "everything, without tables to unwind" $W/all.o 2300000
small=$(sh tests/scripts/small.sh $W/small.o 2>&1)
if [ $? = 0 ]; then ok "the small compiler: $(echo "$small" | tail -1)"
else bad "the small compiler"; echo "$small" | grep -A4 FAIL; fi
printf 'warnings in all of the above: %s\n\n' "$warnings"
finish
