#!/bin/sh
# tests/scripts/examples.sh -- every command of README.md that starts with "cc ", run as printed; and the README's
# program is examples/hello.c. `cc` is the fastest compiler here, unless one was asked for: check compiles with all of
# them. Ends with "N passed, N failed".
set -u
. tests/scripts/tally.sh
JOBS=1 # a command may need what the one before it has made
sed -n '/^```c$/,/^```$/p' README.md | sed '1d' | sed '/^```$/,$d' > build/readme.c
if cmp -s build/readme.c examples/hello.c; then ok "README shows examples/hello.c as it is"
else bad "README shows another program than examples/hello.c"; diff build/readme.c examples/hello.c | head -5; fi
begin build/examples
if [ "$CC" = cc ] && have clang; then
    mkdir -p $job_dir/bin
    printf '#!/bin/sh\nexec clang "$@"\n' > $job_dir/bin/cc
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
finish
