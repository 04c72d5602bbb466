#!/bin/sh
# tests/scripts/wgmma.sh -- what the assembler makes of tiles that warp groups multiply: dots of 8192, 512, 4095 rows in
# several types and all transpositions, attention and its gradients, for sm_90a. No spill, and none of the remarks
# (C75xx) that say multiplications wait for each other; where nvdisasm is (NVDISASM, or on the path), those of a step
# follow each other: arithmetic may stand between them, but no wait, barrier, branch or access to memory; and nothing
# waits for all of a thread's memory, as barriers of a cluster would in each step. Attention for sm_100a is assembled,
# too. Without ptxas nothing is done, and that is said. Ends with "N passed, N failed".
set -u
. tests/scripts/tally.sh
PTXAS=$(command -v ptxas || ls /usr/local/cuda/bin/ptxas 2>/dev/null || true)
NVDISASM=${NVDISASM:-$(command -v nvdisasm || ls /usr/local/cuda/bin/nvdisasm 2>/dev/null || true)}
[ "$PTXAS" ] || { absent "ptxas"; ok "nothing to assemble with"; finish; }
[ "$NVDISASM" ] || absent "nvdisasm (the order of instructions is not looked at)"
begin build/wgmma

# module ROWS TYPE SUM LEFT RIGHT: a square dot; LEFT and RIGHT are the dimensions that are summed up.
module() {
    printf 'HloModule m\nENTRY e { a = %s[%s,%s] parameter(0)\n  b = %s[%s,%s] parameter(1)\n' $2 $1 $1 $2 $1 $1
    printf '  ROOT d = %s[%s,%s] dot(a, b), lhs_contracting_dims={%s}, rhs_contracting_dims={%s} }\n' $3 $1 $1 $4 $5
}
# Of a disassembly on standard input: fails unless there are multiplications, and in fours between two instructions that
# wait, branch or reach memory.
in_a_row() {
    grep -ao '/\*[0-9a-f]*\*/  *[A-Z@].*' | sed 's|^/\*[0-9a-f]*\*/ *||; s|^@!*U*P[0-9T]* ||' | awk '
        /^[HIQ]GMMA/ { run++; seen = 1 }
        /^(BAR|WARPGROUP|DEPBAR|SYNCS|FENCE|MEMBAR|LD|ST|ATOM|RED|BRA|BRX|JMP|CALL|RET|EXIT|WARPSYNC|BSYNC)/ {
            if (run % 4) bad = 1
            run = 0
        }
        END { exit bad || !seen }'
}
# attention TYPE DEPTH MASK: softmax(Q K) V of 16 heads and 1024 rows; MASK: what is compared with what, or nothing.
attention() {
    made=$1[16,1024,1024] rows="f32[16,1024]{1,0}" heads="lhs_batch_dims={0}, rhs_batch_dims={0}"
    printf 'HloModule m\n'
    for op in maximum add; do
        printf '%s { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] %s(a, b) }\n' $op $op
    done
    printf 'ENTRY e { q = %s[16,1024,%s] parameter(0)\n k = %s[16,1024,%s] parameter(1)\n' $1 $2 $1 $2
    printf ' v = %s[16,1024,%s] parameter(2)\n s = f32[16,1024,1024] dot(q, k), %s,' $1 $2 "$heads"
    printf ' lhs_contracting_dims={2}, rhs_contracting_dims={2}\n less = f32[] constant(-1e30)\n'
    printf ' low = f32[] constant(-inf)\n zero = f32[] constant(0)\n'
    x=s
    if [ "$3" ]; then
        printf ' r = s32[16,1024,1024] iota(), iota_dimension=1\n c = s32[16,1024,1024] iota(), iota_dimension=2\n'
        printf ' see = pred[16,1024,1024] compare(r, c), direction=%s\n' $3
        printf ' all = f32[16,1024,1024] broadcast(less), dimensions={}\n'
        printf ' seen = f32[16,1024,1024] select(see, s, all)\n'
        x=seen
    fi
    printf ' m = %s reduce(%s, low), dimensions={2}, to_apply=maximum\n' "$rows" $x
    printf ' n = f32[16,1024,1024] broadcast(m), dimensions={0,1}\n d = f32[16,1024,1024] subtract(%s, n)\n' $x
    printf ' w = f32[16,1024,1024] exponential(d)\n l = %s reduce(w, zero), dimensions={2}, to_apply=add\n' "$rows"
    printf ' t = f32[16,1024,1024] broadcast(l), dimensions={0,1}\n p = f32[16,1024,1024] divide(w, t)\n'
    printf ' b = %s convert(p)\n ROOT o = %s[16,1024,%s] dot(b, v), %s,' $made $1 $2 "$heads"
    printf ' lhs_contracting_dims={2}, rhs_contracting_dims={1} }\n'
}
# gradients TYPE DEPTH MASK: those of the same attention, without its result.
gradients() {
    attention "$@" | sed '/ROOT o/d'
    scores=f32[16,1024,1024] head=$1[16,1024,$2]
    printf ' g = %s parameter(3)\n dv = %s dot(b, g), %s,' $head $head "$heads"
    printf ' lhs_contracting_dims={1}, rhs_contracting_dims={1}\n dp = %s dot(g, v), %s,' $scores "$heads"
    printf ' lhs_contracting_dims={2}, rhs_contracting_dims={2}\n u = %s multiply(dp, p)\n' $scores
    printf ' e = %s reduce(u, zero), dimensions={2}, to_apply=add\n' "$rows"
    printf ' f = %s broadcast(e), dimensions={0,1}\n h = %s subtract(dp, f)\n' $scores $scores
    printf ' i = %s multiply(p, h)\n ds = %s convert(i)\n dq = %s dot(ds, k), %s,' $scores $made $head "$heads"
    printf ' lhs_contracting_dims={2}, rhs_contracting_dims={1}\n dk = %s dot(ds, q), %s,' $head "$heads"
    printf ' lhs_contracting_dims={1}, rhs_contracting_dims={1}\n ROOT all3 = (%s, %s, %s) tuple(dq, dk, dv) }\n' \
        $head $head $head
}
case_of() { # NAME, then a module and its arguments
    at=$job_dir/$1
    shift
    "$@" > $at.hlo
    build/xlagpu compile $at.hlo --target=sm_90a --gpu=H200 --emit=ptx -o $at.ptx && grep -q wgmma.mma_async $at.ptx &&
        $PTXAS -v -arch=sm_90a $at.ptx -o $at.cubin > $at.log 2>&1 || return 1
    ! grep -E 'C75|warning|[1-9][0-9]* bytes spill' $at.log || return 1
    [ "$NVDISASM" ] || return 0
    "$NVDISASM" -c $at.cubin > $at.sass
    in_a_row < $at.sass && ! grep -E 'MEMBAR[.A-Z]*GPU' $at.sass
}
# in_tensor NAME, then likewise, of 4096 rows: sums in tensor memory, and registers for those who ask for products; one
# word of a thread may be spilled, where steps are voted on
in_tensor() {
    at=$job_dir/$1.tensor
    shift
    "$@" > $at.hlo
    sed s/1024/4096/g $at.hlo | build/xlagpu compile - --gpu=B200 --emit=ptx -o $at.ptx &&
        grep -q setmaxnreg $at.ptx && grep -q tcgen05.mma $at.ptx &&
        $PTXAS -v -arch=sm_100a $at.ptx -o $at.cubin > $at.log 2>&1 || return 1
    ! grep -E 'C75|warning|spill stores' $at.log | grep -vqE ' (0|4) bytes spill stores'
}
# bytes whose k lies apart in memory, left 0 or right 0, are turned in registers; odd ones come through them, too
for one in "bf16 f32 8192 0 0" "bf16 f32 8192 0 1" "bf16 bf16 8192 1 0" "bf16 f32 8192 1 1" "f16 f16 512 1 0" \
    "f8e4m3fn f32 8192 1 1" "s8 s32 8192 0 1" "bf16 f32 4095 1 1"; do
    set -- $one
    name=$1_$3_$4$5
    if case_of $name module $3 $1 $2 $4 $5; then ok "$name"; else bad "$name"; fi
done
# what is chosen for a large product: pairs of blocks that stay, results by tensor stores
module 8192 bf16 bf16 1 0 > $job_dir/large.hlo
if build/xlagpu compile $job_dir/large.hlo --target=sm_90a --gpu=H100 --emit=records |
    grep -q '"bulk":"1","multicast":"2","stays":"1","tensor_store":"1"'; then ok "large"; else bad "large"; fi
for one in "bf16 128" "f16 64 GE" "bf16 128 GE"; do
    name=attention_$(echo $one | tr ' ' _)
    if case_of $name attention $one ''; then ok "$name"; else bad "$name"; fi
    if case_of back_$name gradients $one ''; then ok "back_$name"; else bad "back_$name"; fi
    if in_tensor $name attention $one ''; then ok "$name in tensor memory"; else bad "$name in tensor memory"; fi
    if in_tensor back_$name gradients $one ''; then ok "back_$name likewise"; else bad "back_$name likewise"; fi
done
finish
