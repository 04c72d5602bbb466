#!/bin/sh
# tests/scripts/examples.sh -- every command of README.md that starts with "cc ", run as printed; and the README's
# program is examples/hello.c; the larger examples, a few frames or steps of each. `cc` is the fastest compiler here,
# unless one was asked for, tcc before clang: check compiles with all of them. Ends with "N passed, N failed".
set -u
. tests/scripts/tally.sh
JOBS=1 # a command may need what the one before it has made
sed -n '/^```c$/,/^```$/p' README.md | sed '1d' | sed '/^```$/,$d' > build/readme.c
if cmp -s build/readme.c examples/hello.c; then ok "README shows examples/hello.c as it is"
else bad "README shows another program than examples/hello.c"; diff build/readme.c examples/hello.c | head -5; fi
begin build/examples
quick=
have clang && quick=clang
have tcc && quick="tcc -w"
if [ "$CC" = cc ] && [ "$quick" ]; then
    mkdir -p $job_dir/bin
    printf '#!/bin/sh\nexec %s "$@"\n' "$quick" > $job_dir/bin/cc
    chmod +x $job_dir/bin/cc
    PATH=$PWD/$job_dir/bin:$PATH
fi
grep -hE '^(cc|c\+\+) ' README.md > $job_dir/commands
[ -s $job_dir/commands ] || bad "README.md has no command that starts with cc"
while IFS= read -r line; do job "$line" "$line"; done < $job_dir/commands
run_jobs
grep -q 'log(1 + 7) = 2.07944' $job_dir/*.log && ok "examples/hello.c prints log(8)" ||
    bad "examples/hello.c does not print log(1 + 7) = 2.07944"
grep -q '^0 2 6 12 14 15' $job_dir/*.log && ok "examples/custom_call.c limits to 10" ||
    bad "examples/custom_call.c does not print 0 2 6 12 14 15"
grep -q '\.entry' $job_dir/*.log && ok "examples/compile_only.c prints PTX" ||
    bad "examples/compile_only.c prints no PTX"

# The larger ones, linked with what ./build.sh has compiled, so that only they are compiled here.
begin build/examples/large
E=build/examples
O="build/compiler.o build/runtime.o build/sim.o $LIBS"
DONE="-DXLAGPU_IMPLEMENTATION_DONE -DXLAGPU_RUNTIME_IMPLEMENTATION_DONE"
have clang++ && [ "$CXX" = c++ ] && CXX=clang++
have clang && [ "$CC" = cc ] && CC=clang
c() { echo "$CC $STRICT -std=c99 -O1 $DONE examples/$1/$1.c -o $E/$1 $O && $E/$1"; }
cpp() { echo "$CXX $STRICT -std=c++11 -I. -Ipackages/cpp examples/$1/$1.cc -o $E/$1 $O && $E/$1"; }
# A picture has the signature of PNG, and many different bytes.
picture() { echo "head -c 4 $1 | tail -c 3 | grep -q PNG && [ \$(od -An -v -tu1 -w1 $1 | sort -u | wc -l) -gt 60 ]"; }
job "raymarch: a picture" "$(c raymarch) examples/raymarch/scene.mlir $E/picture.png && $(picture $E/picture.png)"
job "flax: all points are right" "$CC $STRICT -std=c99 -O1 $DONE examples/flax/spirals.c -o $E/spirals $O && \
    $E/spirals examples/flax/spirals.mlir examples/flax/spirals.safetensors | grep '^194 of 194 points'"
job "own_kernel: counts what sin says" "$(c own_kernel) | tee $E/count && \
    grep -q \"^\$(awk 'BEGIN { for (; i < 256; i++) n += sin(0.1 * i) > 0.5; print n }') of 256 \" $E/count"
job "training: the loss falls, and is drawn" \
    "$(c training) examples/training/train.mlir $E/loss.svg 51 > $E/training.txt && \
    awk '/^step/ { l[n++] = \$4 } END { exit !(n == 2 && l[1] + 0 < l[0] - 0.05) }' $E/training.txt && \
    grep -q '<polyline' $E/loss.svg"
cxx_job "custom_call, as C++: limits to 10" "$CXX $STRICT -std=c++11 -O1 $DONE -x c++ examples/custom_call.c -x none \
    -o $E/custom_call $O && $E/custom_call | grep '^0 2 6 12 14 15'"
cxx_job "fluid: frames" "$(cpp fluid) examples/fluid/fluid.mlir 12 $E/fluid && [ -s $E/fluid000.png ] && \
    $(picture $E/fluid011.png)"
cxx_job "transformer: learns letters, and writes" \
    "$(cpp transformer) examples/transformer examples/transformer/text.txt 21 12 > $E/writes.txt && \
    awk '/^step/ { l[n++] = \$4 } END { exit !(n == 2 && l[0] > 3 && l[1] < 2) }' $E/writes.txt && \
    tail -1 $E/writes.txt | grep -qE '^.{13}$'"
# Four ways to share the work among eight devices, each with devices that talk, and the losses of one device.
job "parallel: GPT-2's training, split in four ways, has the losses of one device" \
    "$(c parallel) examples/parallel/train.mlir 2 > $E/parallel.txt && \
    awk 'NR > 2 && / [1-9][0-9]* +0[.][1-9]/ { n++ } END { exit n != 4 }' $E/parallel.txt"
for m in raymarch/scene training/train transformer/write; do
    job "$m.mlir: as the evaluator has it" "build/xlagpu run examples/$m.mlir --platform=host --int-atol=1"
done
run_jobs
finish
