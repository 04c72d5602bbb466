#!/bin/sh
# tests/scripts/llvm.sh -- the backend llvm with every LLVM from 16 on that is here: tests/corpus on the simulator, and
# a table of both backends in build/llvm/VERSION.tsv: for each case PTX instructions, registers and bytes of spills
# (ptxas, most of a kernel; - where it is not here), milliseconds to compile, and what the simulator counts. What the
# table is made from is sm_80's. Ends with "N passed, N failed".
set -u
. tests/scripts/tally.sh
mkdir -p build/llvm
PTXAS=$(command -v ptxas || ls /usr/local/cuda/bin/ptxas 2>/dev/null)

# Sums of the columns lane_instructions and sectors of --stats; the most registers and all bytes of spills of ptxas -v.
cat > build/llvm/counts.awk <<'A'
BEGIN { FS = "\t" }
!width { for (i = 1; i <= NF; i++) { if ($i == "lane_instructions") l = i; if ($i == "sectors") s = i }
         if (l && s) width = NF
         next }
NF == width { lanes += $l; sectors += $s }
END { printf "%.0f %.0f", lanes, sectors }
A
cat > build/llvm/machine.awk <<'A'
match($0, /Used [0-9]+ reg/) { r = substr($0, RSTART + 5) + 0; if (r > most) most = r }
match($0, /[0-9]+ bytes spill stores/) { spills += substr($0, RSTART) + 0 }
END { print most + 0, spills + 0 }
A
# figures TOOL CASE FLAGS: instructions, registers, spills, compile_ms, lane instructions, sectors
figures() {
    base=tests/corpus/$2
    ptx=build/llvm/$2.ptx
    "$1" compile "$base.hlo" --target=sm_80 $3 --emit=ptx -o "$ptx" 2> /dev/null || { echo "- - - - - -"; return; }
    report=$("$1" compile "$base.hlo" --target=sm_80 $3 --report 2> /dev/null | awk -F'\t' 'NR == 2 { print $2, $7 }')
    counts=$("$1" run "$base.hlo" --target=sm_80 --platform=host $3 --args "$base.npz" --stats 2> /dev/null |
        awk -f build/llvm/counts.awk)
    machine="- -"
    [ "$PTXAS" ] && machine=$("$PTXAS" -v -arch=sm_80 "$ptx" -o /dev/null 2>&1 | awk -f build/llvm/machine.awk)
    set -- $report $machine $counts
    echo "$2 $3 $4 $1 $5 $6"
}
table() { # TOOL VERSION
    printf 'case\tbackend\tptx_instructions\tregisters\tspill_bytes\tcompile_ms\tlane_instructions\tsectors\n'
    for f in $(compiled_cases); do
        name=$(basename "$f" .hlo)
        for backend in ptx llvm; do
            printf '%s\t%s\t%s\n' "$name" "$backend" "$(figures "$1" "$name" --backend=$backend | tr ' ' '\t')"
        done
    done
}

some=
for v in 16 17 18 19 20 21; do
    c=/usr/lib/llvm-$v/bin/llvm-config
    [ -x "$c" ] || c=$(command -v llvm-config-$v) || continue
    [ -f "$($c --includedir)/llvm-c/Core.h" ] || continue
    some=1
    if LLVM_CONFIG=$c ./build.sh llvm > build/llvm/$v.log 2>&1; then ok "the tool with LLVM $v"
    else bad "the tool with LLVM $v"; tail -5 build/llvm/$v.log; continue; fi
    cp build/xlagpu-llvm build/llvm/xlagpu-$v
    sum=$(XLAGPU_TOOL=build/llvm/xlagpu-$v XLAGPU_FLAGS=--backend=llvm QUIET=1 sh tests/scripts/corpus.sh host | tee \
        build/llvm/corpus-$v.log | tail -1)
    case $sum in *" 0 failed") ok "LLVM $v: corpus, $sum" ;;
        *) bad "LLVM $v: corpus, $sum"; grep FAIL build/llvm/corpus-$v.log | head ;; esac
    table build/llvm/xlagpu-$v $v > build/llvm/$v.tsv
    awk -F'\t' -v v="$v" '
        NR == 1 { for (i = 3; i <= 8; i++) name[i] = $i }
        NR > 1 { for (i = 3; i <= 8; i++) sum[$2, i] += $i }
        END { for (i = 3; i <= 8; i++)
            if (sum["ptx", i]) printf "  LLVM %s / ptx, %s: %.3f\n", v, name[i], sum["llvm", i] / sum["ptx", i] }
        ' build/llvm/$v.tsv
done
[ "$some" ] || absent "LLVM 16 or newer: the backend llvm was not tried"
finish
