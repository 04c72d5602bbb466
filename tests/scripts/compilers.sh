#!/bin/sh
# tests/scripts/compilers.sh -- same text, same bytes, whoever compiled us: the PTX that examples/compile_only.c prints for
# every corpus case, built by each compiler that is here, on this processor and on aarch64. (C leaves the order of
# evaluating arguments open; a builder call nested in another's arguments twice shows here.) Ends with "N passed, N
# failed".
set -u
. tests/scripts/tally.sh
W=build/compilers
rm -rf $W
mkdir -p $W
target=sm_90a

# all_ptx NAME COMMAND: prints the PTX of every case with COMMAND into $W/NAME.ptx.
all_ptx() {
    for f in $(compiled_cases) examples/gelu.hlo; do echo "== $f"; 
        $2 "$f" $target || echo "exit status $? for $f"
    done > "$W/$1.ptx" 2>&1
    if grep '^exit status' "$W/$1.ptx"; then bad "$1: a case does not compile"; fi
}

# Another name of $CC is no other compiler.
others=
for c in gcc clang tcc; do [ "$($c --version 2>&1 | sed '1s/^[^ ]*//')" = \
    "$(${CC%% *} --version 2>&1 | sed '1s/^[^ ]*//')" ] || others="$others $c"; done

begin $W/jobs
for c in "$CC" $others; do have "${c%% *}" &&
    job "$c builds examples/compile_only.c" \
    "$c -w -O0 examples/compile_only.c -o $W/$(printf %s "$c" | tr -c a-z0-9 _) -lm"; done
have aarch64-linux-gnu-gcc && have qemu-aarch64 &&
    job "aarch64-linux-gnu-gcc builds it" \
    "aarch64-linux-gnu-gcc -w -O0 -static examples/compile_only.c -o $W/aarch64 -lm"
run_jobs
for c in gcc clang tcc; do have $c || absent $c; done

first=$(printf %s "$CC" | tr -c a-z0-9 _)
all_ptx "$first" "$W/$first"
grep -q '\.entry' "$W/$first.ptx" || bad "$CC: no PTX"
for c in $others aarch64; do
    [ -x "$W/$c" ] && [ "$c" != "$first" ] || continue
    emulator=
    [ $c = aarch64 ] && emulator="qemu-aarch64 "
    all_ptx $c "$emulator$W/$c"
    if cmp -s "$W/$first.ptx" "$W/$c.ptx"; then ok "$c gives the PTX that $CC gives"
    else bad "$c gives other PTX than $CC"; diff "$W/$first.ptx" "$W/$c.ptx" | head -4; fi
done
finish
