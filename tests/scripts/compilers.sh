#!/bin/sh
# tests/scripts/compilers.sh [whole] -- same text, same bytes, whoever compiled us: the PTX that
# examples/compile_only.c prints for every corpus case, built by each compiler that is here; whole: also on aarch64,
# which is emulated (aarch64.sh has every fourth case). C leaves the order of evaluating arguments open; a builder call
# nested in another's arguments twice shows here. Ends with "N passed, N failed".
set -u
. tests/scripts/tally.sh
W=build/compilers
rm -rf $W
mkdir -p $W
target=sm_90a

cases="$(compiled_cases) examples/gelu.hlo"

# all_ptx NAME COMMAND CASES: prints the PTX of the cases with COMMAND into $W/NAME.ptx.
all_ptx() {
    for f in $3; do echo "== $f"
        $2 "$f" $target || echo "exit status $? for $f"
    done > "$W/$1.ptx" 2>&1
    if grep '^exit status' "$W/$1.ptx"; then bad "$1: a case does not compile"; fi
}

# Another name of $CC is no other compiler.
others=
for c in gcc clang tcc; do [ "$($c --version 2>&1 | sed '1s/^[^ ]*//')" = \
    "$(${CC%% *} --version 2>&1 | sed '1s/^[^ ]*//')" ] || others="$others $c"; done

begin $W/jobs
first=$(printf %s "$CC" | tr -c a-z0-9 _)
sed '/define XLAGPU_IMPLEMENTATION/d; s|"\.\./xlagpu.h"|"../../xlagpu.h"|' examples/compile_only.c > $W/user.c
job "$CC builds examples/compile_only.c, with the compiler that ./build.sh has built" \
    "$CC -w $W/user.c build/compiler.o -o $W/$first -lm"
for c in $others; do have "$c" &&
    job "$c builds examples/compile_only.c" "$c -w -O0 examples/compile_only.c -o $W/$c -lm"; done
[ "${1:-}" = whole ] && have aarch64-linux-gnu-gcc && have qemu-aarch64 &&
    job "aarch64-linux-gnu-gcc builds it" \
    "aarch64-linux-gnu-gcc -w -O0 -static examples/compile_only.c -o $W/aarch64 -lm"
run_jobs
for c in gcc clang tcc; do have $c || absent $c; done

all_ptx "$first" "$W/$first" "$cases"
grep -q '\.entry' "$W/$first.ptx" || bad "$CC: no PTX"
# agrees NAME WANTED: whether NAME's PTX is that of WANTED
agrees() {
    if cmp -s "$W/$2.ptx" "$W/$1.ptx"; then ok "$1 gives the PTX that $CC gives"
    else bad "$1 gives other PTX than $CC"; diff "$W/$2.ptx" "$W/$1.ptx" | head -4; fi
}
for c in $others; do
    [ -x "$W/$c" ] || continue
    all_ptx $c "$W/$c" "$cases"
    agrees $c "$first"
done
if [ -x $W/aarch64 ]; then
    all_ptx aarch64 "qemu-aarch64 $W/aarch64" "$cases"
    agrees aarch64 "$first"
fi
finish
