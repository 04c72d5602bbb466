#!/bin/sh
# packages/release.sh [DIR] -- makes DIR/xlagpu-VERSION.tar.gz (DIR: build/release) of the committed files and checks
# it: versions agree, the headers are what src/ gives, and what is unpacked builds and runs README's first program.
set -eu
cd "$(dirname "$0")/.."
out=${1:-build/release}
version=$(sh packages/version.sh)
name=xlagpu-$version
fault() { echo "release: $*" >&2; exit 1; }

set -- $(echo "$version" | tr . ' ')
number=$(($1 * 10000 + $2 * 100 + $3))
[ "$(grep -c "XLAGPU_VERSION_NUMBER $number\>\|XLAGPU_VERSION_NUMBER != $number\>" src/api/version.h)" = 2 ] ||
    fault "XLAGPU_VERSION_NUMBER of src/api/version.h is not $number, as $version asks for"
grep -q "\"version\": \"$version\"" packages/vcpkg/vcpkg.json || fault "packages/vcpkg/vcpkg.json has another version"
grep -q "^## $version\>" CHANGES.md || fault "CHANGES.md has no part '## $version'"
[ -z "$(git status --porcelain --untracked-files=no)" ] || fault "commit first: an archive is of committed files"

mkdir -p "$out"
rm -rf "${out:?}/$name"
git -c tar.umask=0022 archive --format=tar --prefix="$name/" HEAD | gzip -9n > "$out/$name.tar.gz"
tar xzf "$out/$name.tar.gz" -C "$out"
(
    cd "$out/$name"
    mkdir -p build/fresh
    sh build.sh headers build/fresh
    for h in xlagpu.h xlagpu_runtime.h; do
        cmp -s $h build/fresh/$h || fault "$h is not what src/ gives: ./build.sh headers, and commit it"
    done
    ${CC:-cc} examples/hello.c -o build/hello -lm -ldl -lpthread
    build/hello | grep -q 'log(1 + 7) = 2.07944' || fault "examples/hello.c does not say what it should"
)
rm -rf "${out:?}/$name"
(cd "$out" && sha256sum "$name.tar.gz" > "$name.tar.gz.sha256")
echo "$out/$name.tar.gz: $(wc -c < "$out/$name.tar.gz") bytes"
