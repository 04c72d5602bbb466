# tests/programs.sh -- the C programs under tests/, the one list of them. Sourced.
#
# One line each: name | arguments for ./build.sh test | arguments for ./build.sh soak | flags for soak; "-": not run there, or run by name elsewhere.
# A program ends with "N passed, N failed", or only exits with 0 or 1. A file tests/*.c that is not named here makes the tests fail.
SANITIZE="-fsanitize=address,undefined -fno-sanitize-recover=all"
PROGRAMS="
runner|-|-|
fuzz|-|-|
math||-n 200000|-O2
coverage|--quick||-O2
ptx_sweep|build/ptx_sweep sm_75 sm_90a sm_120|build/ptx_sweep|-O1
executable|--quick||-O1 $SANITIZE
memory|||-O1 $SANITIZE
fake_cuda|||-O1
threads|||-O1 -fsanitize=thread
api|||-O1 $SANITIZE
sim_isa|||-O1 $SANITIZE
"
program_names() { printf '%s' "$PROGRAMS" | sed '/^$/d; s/|.*//'; }
program_field() { printf '%s' "$PROGRAMS" | grep "^$1|" | cut -d'|' -f"$2"; }

# program_command NAME DIR FLAGS...: the command that builds it.
program_command() {
    program=$1
    program_dir=$2
    shift 2
    echo "$CC -std=gnu99 -Wall -Wextra -Wshadow -g $* tests/$program.c -o $program_dir/$program $LIBS"
}
unlisted_programs() { for program_file in tests/*.c; do program_file=${program_file#tests/}; program_names | grep -qx "${program_file%.c}" || echo "$program_file"; done; }
