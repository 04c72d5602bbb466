#!/bin/sh
# tests/scripts/digests.sh -- writes tests/digests.txt, what the compiler makes by digests, anew. Run by
# ./build.sh digests; a quarter of a minute.
set -eu
. tests/scripts/tally.sh
. tests/scripts/programs.sh
mkdir -p build/programs
have tcc && CC="tcc -w"
$(program_command digests build/programs -O0)
build/programs/digests --write $(program_field digests 3)
git diff --stat -- tests/digests.txt 2>/dev/null || true
