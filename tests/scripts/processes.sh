#!/bin/sh
# tests/scripts/processes.sh -- the tool as several processes of torchrun, mpirun or srun: each runs its devices of one
# module, they find each other on loopback and meet by the NCCL of tests/programs/fake_nccl.h over the driver of
# fake_cuda.c; process 0 alone writes results and verdict, which are those of one process. Ends with "N passed, N
# failed".
set -u
. tests/scripts/tally.sh
W=build/processes
rm -rf $W
mkdir -p $W build/fake_nccl
built=yes
CC=${FAKE_CC:-cc} # the driver needs a compiler whose variables can have a cleanup
fake_driver $W/fake_cuda.so || built=
$CC -std=gnu99 -w -O1 -shared -fPIC -DFAKE_NCCL tests/programs/nccl.c -o $W/libnccl.so.2 $LIBS || built=
[ $built ] || { bad "the imitations do not compile"; finish; }
export FAKE_NCCL_DRIVER=./$W/fake_cuda.so
cat > $W/m.hlo <<'END'
HloModule product, num_partitions=4
ENTRY e {
  p = f32[10,7] parameter(0), sharding={devices=[4,1]<=[4]}
  q = f32[7,9] parameter(1), sharding={devices=[1,2,2]<=[4] last_tile_dim_replicate}
  d = f32[10,9] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={devices=[2,2]<=[4]}
  r = f32[9,10] transpose(d), dimensions={1,0}
  ROOT t = (f32[10,9], f32[9,10], f32[7,9]) tuple(d, r, q), sharding={{devices=[2,2]<=[4]}, {devices=[1,4]<=[4]}, {replicated}}
}
END
sed 's/HloModule product/HloModule other/; s/, q), sharding/, q), frontend_attributes={a="b"}, sharding/; s/dot(p, q)/dot(p, n)/
    s/^  d = /  n = f32[7,9] negate(q)\n  d = /' $W/m.hlo > $W/other.hlo
sed 's/num_partitions=4/num_partitions=1/; s/, sharding={.*//' $W/m.hlo | sed 's/^  ROOT t.*/  ROOT t = (f32[10,9]) tuple(d)/' > $W/one.hlo
C="build/xlagpu run --platform=cuda --driver=$W/fake_cuda.so --library-folder=$W"

# port: one that is free now
port=$((20000 + $$ % 20000))
# two processes; their statuses in rc0 and rc1, what they say in log.0 and log.1
two() { # RANK-name SIZE-name LOCAL-name ARGUMENTS0 ARGUMENTS1
    port=$((port + 1))
    for k in 0 1; do
        eval "arguments=\${$((4 + k))}"
        (
            export $1=$k $2=2 $3=0 MASTER_ADDR=127.0.0.1 MASTER_PORT=$port
            sh -c "$C $arguments" > $W/log.$k 2>&1
            echo $? > $W/rc.$k
        ) &
    done
    wait
    rc0=$(cat $W/rc.0) rc1=$(cat $W/rc.1)
}
shows() { tail -n 3 $W/log.0; tail -n 3 $W/log.1; }
# holds NAME CONDITION
holds() { if eval "$2"; then ok "$1"; else bad "$1"; echo "          $rc0 $rc1"; shows | sed 's/^/          /'; fi; }

build/xlagpu run $W/m.hlo --devices=4 --platform=host --out=$W/host.npz --quiet || bad "on the simulator"
for names in "RANK WORLD_SIZE LOCAL_RANK" "OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_LOCAL_RANK" \
    "PMI_RANK PMI_SIZE MPI_LOCALRANKID" "SLURM_PROCID SLURM_NTASKS SLURM_LOCALID"; do
    rm -f $W/out.npz
    two $names "$W/m.hlo --devices=4 --out=$W/out.npz" "$W/m.hlo --devices=4 --out=$W/out1.npz"
    holds "two processes by ${names%% *}: process 0 says what the results are worth, the other one nothing" \
        '[ $rc0$rc1 = 00 ] && grep -q "right: 243 elements in 3 results" $W/log.0 && [ ! -s $W/log.1 ]'
    holds "their results are those of one process with four simulators" \
        'cmp -s $W/host.npz $W/out.npz && [ ! -e $W/out1.npz ]'
done
T="RANK WORLD_SIZE LOCAL_RANK"
two $T "$W/m.hlo --no-command-buffers --save_args=$W/args.npz" "$W/m.hlo --no-command-buffers --save_args=$W/args1.npz"
holds "devices as the module says, without command buffers; arguments are written once" \
    '[ $rc0$rc1 = 00 ] && [ -e $W/args.npz ] && [ ! -e $W/args1.npz ]'
build/xlagpu compile $W/m.hlo --devices=4 --target=sm_90a -o $W/m.xgx || bad "an executable"
two $T "$W/m.xgx --args=$W/args.npz --expect=$W/host.npz --out=$W/again.npz" "$W/m.xgx --args=$W/args.npz --expect=$W/host.npz"
holds "an executable; what is expected" '[ $rc0$rc1 = 00 ] && cmp -s $W/host.npz $W/again.npz && [ ! -s $W/log.1 ]'
two $T "$W/m.hlo --devices=4 --print_literals --summary" "$W/m.hlo --devices=4 --print_literals --summary"
holds "--print_literals and --summary: of process 0" \
    '[ $rc0$rc1 = 00 ] && grep -q "Result with test runner CUDA" $W/log.0 && grep -q "^run  " $W/log.0 && [ ! -s $W/log.1 ]'
two $T "$W/one.hlo --devices=1" "$W/one.hlo --devices=1"
holds "a module of one device: each process runs all of it" \
    '[ $rc0$rc1 = 00 ] && grep -q right $W/log.0 && grep -q right $W/log.1'
two $T "$W/m.hlo --devices=3" "$W/m.hlo --devices=3"
holds "devices that cannot be shared" '[ $rc0$rc1 = 22 ] && grep -q "3 devices cannot be shared by 2 processes" $W/log.0'
two $T "$W/m.hlo --devices=4 --device-timeout=2" "$W/other.hlo --devices=4 --device-timeout=2"
holds "another module" '[ $rc0 != 0 ] && [ $rc1 != 0 ] && grep -q "process 0 has another program" $W/log.1'
two $T "$W/m.hlo --platform=host --devices=4" "$W/m.hlo --platform=host --devices=4"
holds "simulators are those of each process" '[ $rc0$rc1 = 00 ] && grep -q right $W/log.0 && grep -q right $W/log.1'
two RANK NOTHING LOCAL_RANK "$W/m.hlo --devices=4" "$W/m.hlo --devices=4"
holds "half an environment" '[ $rc0$rc1 = 22 ] && grep -q "the environment has a RANK, but WORLD_SIZE and it are not both" $W/log.0'
two $T "$W/m.hlo --devices=4 --device-timeout=1" "$W/m.hlo --devices=4 --nonsense"
holds "one that does not come" '[ $rc0$rc1 = 32 ] && grep -q "1 of 2 processes have come to port $port within 1000 ms" $W/log.0'
finish
