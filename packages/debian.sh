#!/bin/sh
# packages/debian.sh [DIR] -- makes DIR/xlagpu_VERSION_ARCH.deb (DIR: build/debian): the tool, the headers, a static
# library, what CMake and pkg-config read, the manual page and completions. It needs cmake, dpkg-deb and a C compiler.
set -eu
cd "$(dirname "$0")/.."
out=${1:-build/debian}
version=$(sh packages/version.sh)
arch=$(dpkg --print-architecture)
root=$out/xlagpu_${version}_$arch
rm -rf "$root"
mkdir -p "$root/DEBIAN"
cmake -S packages/cmake -B "$out/cmake" -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_INSTALL_LIBDIR="lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH 2>/dev/null || echo .)" ${CMAKE_ARGS:-}
cmake --build "$out/cmake"
DESTDIR=$(realpath "$root") cmake --install "$out/cmake" --strip > /dev/null
gzip -9nf "$root/usr/share/man/man1/xlagpu.1"
mv "$root/usr/share/doc/xlagpu/LICENSE" "$root/usr/share/doc/xlagpu/copyright"
gzip -9nc CHANGES.md > "$root/usr/share/doc/xlagpu/changelog.gz"
zlib=$(ldd "$root/usr/bin/xlagpu" | grep -q libz && echo ", zlib1g" || true)
cat > "$root/DEBIAN/control" <<EOF
Package: xlagpu
Version: $version
Architecture: $arch
Maintainer: xlagpu developers <xlagpu@localhost>
Section: devel
Priority: optional
Depends: libc6$zlib
Suggests: libcuda1
Installed-Size: $(du -sk "$root/usr" | cut -f 1)
Description: compiler and runtime for XLA modules on NVIDIA GPUs
 Compiles HLO and StableHLO to PTX and runs it on an NVIDIA GPU, or on a simulator
 that checks every access. Two C headers, a library and a command line.
EOF
(cd "$root" && find usr -type f | LC_ALL=C sort | xargs md5sum > DEBIAN/md5sums)
dpkg-deb --build --root-owner-group "$root" "$out" > /dev/null
echo "$root.deb"
