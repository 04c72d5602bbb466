#!/bin/sh
# tests/scripts/digests.sh -- writes the tables of what the compiler makes anew: tests/digests.txt and
# tests/variants.txt, what damaged inputs of the text tests come to. Run by ./build.sh digests; half a minute.
set -eu
. tests/scripts/tally.sh
. tests/scripts/programs.sh
mkdir -p build/programs
have tcc && CC="tcc -w"
for p in digests variants; do
    $(program_command $p build/programs -O0)
    build/programs/$p --write $(program_field $p 3)
done
git diff --stat -- tests/digests.txt tests/variants.txt 2>/dev/null || true
