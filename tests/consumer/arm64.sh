#!/bin/sh
# arm64.sh [ROOM...]: on Debian 12, cross-compiles graft for arm64 with clang++, and runs the fast tests of the
# rooms and the quickstart under QEMU. By hand: it takes an hour of two processors. Packages of arm64 are unpacked below
# build/arm64, and not installed.
set -eu
cd "$(dirname "$0")/../.."
tests/support/install.sh clang lld llvm cmake ninja-build pkg-config protobuf-compiler qemu-user-static
folder=$PWD/build/arm64
root=$folder/root

if [ ! -e "$root/usr/include/onnx" ]; then
  mkdir -p "$folder/lists/partial" "$folder/archives/partial" "$root/usr/lib"
  : >"$folder/status" # as if nothing was installed: what the packages need is downloaded, too
  cat >"$folder/apt.conf" <<END
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
Dir::State::status "$folder/status";
Dir::State::lists "$folder/lists";
Dir::Cache::archives "$folder/archives";
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
END
  APT_CONFIG="$folder/apt.conf" apt-get -qq update
  APT_CONFIG="$folder/apt.conf" apt-get -qq --yes --no-install-recommends --download-only install \
    libstdc++-12-dev libprotobuf-dev libonnx-dev libeigen3-dev catch2 libcli11-dev nlohmann-json3-dev libstb-dev \
    libzip-dev
  ln -sfn usr/lib "$root/lib"
  for archive in "$folder"/archives/*.deb; do dpkg-deb -x "$archive" "$root"; done
  # Links to absolute paths would lead to this machine's files.
  find "$root" -type l -lname '/*' | while read -r link; do ln -sfn "$root$(readlink "$link")" "$link"; done
fi

cat >"$folder/toolchain.cmake" <<END
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_SYSROOT $root)
set(CMAKE_C_COMPILER clang)
set(CMAKE_CXX_COMPILER clang++)
set(CMAKE_C_COMPILER_TARGET aarch64-linux-gnu)
set(CMAKE_CXX_COMPILER_TARGET aarch64-linux-gnu)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_EXE_LINKER_FLAGS_INIT -fuse-ld=lld)
set(CMAKE_SHARED_LINKER_FLAGS_INIT -fuse-ld=lld)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L $root)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
END
PKG_CONFIG_LIBDIR=$root/usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig \
  PKG_CONFIG_SYSROOT_DIR=$root cmake -S . -B "$folder/build" -G Ninja -C examples/support/quick_build.cmake \
  -D CMAKE_TOOLCHAIN_FILE="$folder/toolchain.cmake" -D CMAKE_CXX_FLAGS=-Werror -D GRAFT_JOIN_TESTS=40 \
  -D GRAFT_BENCHMARKS=OFF -D GRAFT_PRECOMPILE=ON -D GRAFT_PYTHON=
cmake --build "$folder/build"
cd "$folder/build"
for room in ${*:-graph pattern rewrite evaluate vocabulary simplify lower precision transformer surgery qdq testing \
    quantize qonnx}; do
  # Tests that kill programs or mount file systems are for real processors.
  qemu-aarch64-static -L "$root" "tests/$room/test_$room" '~[slow]~[data]~faults:*'
done
qemu-aarch64-static -L "$root" examples/quickstart
