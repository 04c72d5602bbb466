# tests/scripts/programs.sh -- the C programs under tests/programs/, the one list of them. Sourced.
#
# One line each: name | built on | arguments for ./build.sh test | arguments for ./build.sh soak | flags for soak;
# "-": not run there, or run by name elsewhere. Those on the API alone are linked with the objects of ./build.sh;
# those that need more of src/ include it, with macros of their own where the list says own. A program ends with
# "N passed, N failed", or only exits with 0 or 1. A file tests/programs/*.c that is not named here makes the tests
# fail.
SANITIZE="-fsanitize=address,undefined -fno-sanitize-recover=all"
PROGRAMS="
runner|src|-|-|
fuzz|api|-|-|
mutants|api|--count 2500 tests/corpus/*.hlo tests/text/opt/modules/*.hlo tests/corpus/mutants/*.hlo|--seconds ${MUTANT_SECONDS:-3600} tests/corpus/*.hlo tests/text/opt/modules/*.hlo tests/corpus/mutants/*.hlo|-O1 $SANITIZE
coverage|src|--quick||-O2
math|src|-n 7500|-n 200000|-O2
algebraic|src||-n 300|-O2
metamorphic|src|tests/text/opt/modules/*.hlo tests/corpus/c*.hlo|--sets 20 tests/text/opt/modules/*.hlo tests/corpus/*.hlo|-O1
graphs|src|--n 2000|--n 100000|-O2
digests|own|--medleys 100 --choices 800 --functions --forms tests/corpus/*.hlo tests/*/*/*.hlo tests/text/*/*/*.hlo tests/text/*/*.txt|-|
variants|src|tests/text/*/*.txt tests/text/*/*/*.txt|-|
medleys|src|--n 300 --most 1500|--n 4000 --seed 1000|-O2
reductions|src|--quick||-O2
kernels|api||--whole|-O1
hostile|api|||-O1 $SANITIZE
ptx_sweep|src|build/ptx_sweep sm_75 sm_90a|build/ptx_sweep|-O1
executable|src|--quick||-O1 $SANITIZE
texts|src|tests/corpus/*.hlo|--targets all tests/corpus/*.hlo|-O1 $SANITIZE
damage|src|--quick|--random 3000|-O1 $SANITIZE
fake_cuda|src|||-O1 $SANITIZE
memory|src|tests/corpus/[cd]*.hlo|tests/corpus/*.hlo|-O1 $SANITIZE
threads|api|||-O1 -fsanitize=thread
cliques|api|||-O1 -fsanitize=thread
nccl|api|||-O1 $SANITIZE
api|api|||-O1 $SANITIZE
sim_isa|src|||-O1 $SANITIZE
runtime|api|||-O1 $SANITIZE
libraries|api|||-O1 $SANITIZE
weights|api|||-O1 $SANITIZE
replay|api|-|-|
object|own||-|
"
program_names() { printf '%s' "$PROGRAMS" | sed '/^$/d; s/|.*//'; }
program_field() { printf '%s' "$PROGRAMS" | grep "^$1|" | cut -d'|' -f"$2"; }

# inside_command CC [FILE.o]: the command that compiles xlagpu once for all the programs that include src/. With $INSIDE
# among the flags of program_command such a program sees only declarations, and is linked with that object.
inside_command() {
    echo "$1 -std=gnu99 -w -O0 -g -DINSIDE_OBJECT -x c -c tests/programs/inside.h -o ${2:-build/inside.o}"
}
INSIDE="-O0 -w -include tests/programs/inside.h"

# program_command NAME DIR FLAGS...: the command that builds it. One on the API is linked with build/*.o; with
# sanitizers it brings all of xlagpu along.
program_command() {
    program=$1
    program_dir=$2
    shift 2
    program_with=-DXLAGPU_IMPLEMENTATION
    case "$(program_field "$program" 2) $*" in
    api*-fsanitize*) ;;
    api*) program_with="build/compiler.o build/runtime.o build/sim.o" ;;
    src*programs/inside.h*) program_with="-DXLAGPU_IMPLEMENTATION build/inside.o" ;;
    esac
    echo "$CC -std=gnu99 -Wall -Wextra -Wshadow -g $*" \
        "tests/programs/$program.c $program_with -o $program_dir/$program $LIBS"
}
unlisted_programs() {
    for program_file in tests/programs/*.c; do
        program_file=${program_file#tests/programs/}
        program_names | grep -qx "${program_file%.c}" || echo "$program_file"
    done
}
