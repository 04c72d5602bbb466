#!/bin/sh
# tests/scripts/libraries.sh [EVERY] -- the corpus on host with every product, transform, convolution and factorisation
# that a vendor library can make made by an imitation of that library, which tests/programs/fake_*.h compute; of all
# cases, or one in EVERY, by the checksum of their names. Ends with "N passed, N failed".
set -u
folder=build/fake_libraries_corpus
mkdir -p $folder
for l in cublaslt:cublasLt.so.13 cufft:cufft.so.12 cudnn:cudnn.so.9 cusolver:cusolver.so.12; do
    ${CC:-cc} -std=gnu99 -w -O1 -shared -fPIC "-DFAKE_LIBRARY=\"fake_${l%%:*}.h\"" tests/programs/libraries.c \
        -o $folder/lib${l#*:} -lm || exit 1
done
XLAGPU_FLAGS="--libraries=cublaslt,cufft,cudnn,cusolver,always --library-folder=$folder" XLAGPU_EVERY=${1:-1} \
    exec sh tests/scripts/corpus.sh host
