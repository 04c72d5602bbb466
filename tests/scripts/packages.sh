#!/bin/sh
# tests/scripts/packages.sh -- what packages/ makes: the versions agree; CMake builds, installs and is found again, by
# its own config, by FetchContent's way and by pkg-config; the Python package is installed by pip and runs; the C++
# header compiles as C++11 and C++20. The fastest compiler here does it. Ends with "N passed, N failed".
set -u
. tests/scripts/tally.sh
JOBS=1 # each needs what the one before it has made
W=build/packages
rm -rf $W
begin $W/jobs
V=$(sh packages/version.sh)
FAST=$CC
FLAGS=-w
if have tcc; then # it defines no name for variable arrays, which the C library's regex.h wants
    FAST=tcc
    FLAGS="-w -D__STDC_NO_VLA__ -D_GNU_SOURCE"
fi
CONFIGURE="-DCMAKE_C_COMPILER=$FAST -DCMAKE_C_FLAGS='$FLAGS' -DCMAKE_BUILD_TYPE=Debug"
HERE=$PWD/$W

job "the version is the same everywhere" "[ -n '$V' ] && grep -q '\"version\": \"$V\"' packages/vcpkg/vcpkg.json && \
    grep -q 'URL xlagpu-$V.tar.gz' packages/cmake/CMakeLists.txt && grep -q '^## $V' CHANGES.md"
if have python3; then
    job "the recipes of vcpkg and conan can be read" "python3 -c \"
import ast, json
json.load(open('packages/vcpkg/vcpkg.json'))
ast.parse(open('packages/conan/conanfile.py').read())\""
    job "an editor's colours: opcodes, names, instructions of tests/corpus" \
        "python3 tests/scripts/grammar.py build/xlagpu"
fi
if have cmake; then
    job "cmake: builds and installs" "cmake -S packages/cmake -B $W/cmake $CONFIGURE \
        -DCMAKE_INSTALL_PREFIX=$HERE/root && cmake --build $W/cmake && cmake --install $W/cmake"
    job "what is installed: the tool of this version, its manual page, its completions, all headers" \
        "[ \"\$($W/root/bin/xlagpu --version)\" = $V ] && [ -f $W/root/include/xlagpu_weights.h ] && \
        [ -f $W/root/include/xlagpu.hpp ] && grep -q '^.TH XLAGPU 1' $W/root/share/man/man1/xlagpu.1 && \
        grep -q 'complete -F _xlagpu xlagpu' $W/root/share/bash-completion/completions/xlagpu && \
        grep -q compdef $W/root/share/zsh/site-functions/_xlagpu && \
        grep -q 'complete -c xlagpu' $W/root/share/fish/vendor_completions.d/xlagpu.fish"
    WAVE="cmake --build $W/BUILD && $W/BUILD/wave | tail -1 | grep -q ."
    job "find_package: a program with a module that is compiled when it is built" \
        "cmake -S examples/build_time -B $W/found $CONFIGURE -DCMAKE_PREFIX_PATH=$HERE/root && \
        ! grep -q 'FETCHCONTENT_BASE' $W/found/CMakeCache.txt && $(echo "$WAVE" | sed s/BUILD/found/g)"
    job "FetchContent: the same program without an installed xlagpu" \
        "cmake -S examples/build_time -B $W/fetched $CONFIGURE && $(echo "$WAVE" | sed s/BUILD/fetched/g)"
    if have pkg-config; then
        job "pkg-config: examples/hello.c, linked with the library" \
            "export PKG_CONFIG_PATH=$HERE/root/lib/pkgconfig && [ \$(pkg-config --modversion xlagpu) = $V ] && \
            sed 's|^#define XLAGPU_IMPL.*||; s|\"../xlagpu|\"xlagpu|' examples/hello.c > $W/hello.c && \
            $FAST $FLAGS $W/hello.c -o $W/hello \$(pkg-config --static --cflags --libs xlagpu) && \
            $W/hello | grep 2.07944"
    else absent pkg-config; fi
else absent cmake; fi
job "the library, shared" "printf '%s\n' '#define XLAGPU_IMPLEMENTATION' '#include \"../../xlagpu.h\"' \
    '#include \"../../xlagpu_runtime.h\"' > $W/all.c && $FAST $FLAGS -fPIC -shared $W/all.c -o $W/libxlagpu.so $LIBS"
have clang++ && [ "$CXX" = c++ ] && CXX=clang++
for std in 11 20; do
    cxx_job "xlagpu.hpp as C++$std: no warning" "$CXX -std=c++$std $STRICT -Wconversion -Wsign-conversion \
        -fsyntax-only -I. -Ipackages/cpp tests/programs/owners.cc"
done
cxx_job "xlagpu.hpp: runs, fails and frees as it should" "$CXX -std=c++17 -I. -Ipackages/cpp tests/programs/owners.cc \
    -o $W/owners -L$W -lxlagpu -Wl,-rpath,$HERE && $W/owners"
if have bash; then
    job "bash completes verbs, flags and values" "bash -c '. <(build/xlagpu completions bash)
        try() {
            COMP_WORDS=(xlagpu \$1)
            COMP_CWORD=\$2
            _xlagpu
            [ \"\${COMPREPLY[*]}\" = \"\$3\" ] || { echo \"\$1: \${COMPREPLY[*]}\"; exit 1; }
        }
        try comp 1 \"compile completions\"; try \"run --plat\" 2 --platform=
        try \"run --platform = in\" 4 interpreter; try \"sim --ent\" 2 --entry='"
else absent bash; fi
have zsh && job "zsh takes its completions" "build/xlagpu completions zsh > $W/_xlagpu && zsh -n $W/_xlagpu"
have groff && job "the manual page: no complaint of troff, every flag in it" "build/xlagpu man > $W/xlagpu.1 && \
    groff -man -Tascii -ww $W/xlagpu.1 > $W/xlagpu.txt 2> $W/troff.log && ! grep . $W/troff.log && \
    [ \$(grep -c '^.fB.-.-' $W/xlagpu.1) = \$(build/xlagpu --help | grep -c '^  --') ]"

# A Python with numpy: pip needs nothing else.
python=
for p in ${PYTHON:-python3 /usr/bin/python3}; do
    [ -z "$python" ] && have $p && $p -c 'import numpy, pip, venv' 2>/dev/null && python=$p
done
if [ "$python" ]; then
    job "pip install ./packages/python, in a fresh environment" "$python -m venv --without-pip $W/venv && CC=$FAST \
        CFLAGS='$FLAGS' $python -m pip -q --python $W/venv/bin/python install --no-index --no-deps ./packages/python"
    job "import xlagpu: compiles, runs, saves, refuses" "cd $W && \
        PYTHONPATH=\$(echo $HERE/venv/lib/python*/site-packages) $python ../../tests/scripts/packages.py"
else absent "python3 with numpy, pip and venv (the Python package)"; fi
run_jobs
finish
