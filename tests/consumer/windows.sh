#!/bin/sh
# windows.sh: on Debian 12, builds graft, its programs and the tests of patterns and rewriting for 64-bit Windows with
# mingw-w64, and runs the quickstart and these tests under Wine. Tests of graph/ use POSIX. By hand: it takes an hour of
# a processor. Debian has no libraries for mingw-w64: they are built from Debian's sources below build/windows, and not
# installed.
set -eu
cd "$(dirname "$0")/../.."
tests/support/install.sh g++-mingw-w64-x86-64-posix libz-mingw-w64-dev wine64 cmake ninja-build protobuf-compiler \
  libonnx-dev dpkg-dev
folder=$PWD/build/windows
root=$folder/root
mkdir -p "$root"

cat >"$folder/toolchain.cmake" <<END
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
set(CMAKE_CXX_FLAGS_INIT -Wa,-mbig-obj) # objects have more than 65,279 sections
# g++ puts some constants into writable sections in one file and into read-only ones in another.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static -Wl,--allow-multiple-definition")
set(CMAKE_FIND_ROOT_PATH $root/usr /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR /usr/lib/wine/wine64)
END

if [ ! -e "$root/usr/lib/libzip.a" ]; then
  mkdir -p "$folder/lists/partial" "$folder/archives"
  cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null | sed -n 's/^deb /deb-src /p' \
    >"$folder/sources.list"
  for file in /etc/apt/sources.list.d/*.sources; do
    [ ! -e "$file" ] || sed 's/^Types:.*/Types: deb-src/' "$file" >"$folder/$(basename "$file")"
  done
  cat >"$folder/apt.conf" <<END
Dir::State::lists "$folder/lists";
Dir::Etc::sourcelist "$folder/sources.list";
Dir::Etc::sourceparts "$folder";
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
END
  (
    cd "$folder/archives"
    apt-get -qq download libeigen3-dev libcli11-dev nlohmann-json3-dev libstb-dev catch2 # headers
    for archive in *.deb; do dpkg-deb -x "$archive" "$root"; done
    export APT_CONFIG="$folder/apt.conf"
    apt-get -qq update
    for package in protobuf libzip; do
      [ ! -d "$package" ] || continue
      apt-get -qq --download-only source "$package"
      dpkg-source -x "$package"_*.dsc "$package"
    done
  )
  # build PACKAGE ARGUMENT...: into $root
  build() {
    package=$1
    shift
    cmake -S "$folder/archives/$package" -B "$folder/$package" -G Ninja -D BUILD_SHARED_LIBS=OFF \
      -D CMAKE_TOOLCHAIN_FILE="$folder/toolchain.cmake" -D CMAKE_BUILD_TYPE=None -D CMAKE_CXX_FLAGS="-O1 -w" \
      -D CMAKE_INSTALL_PREFIX="$root/usr" "$@"
    cmake --build "$folder/$package" --target install
  }
  build protobuf -D protobuf_BUILD_TESTS=OFF -D protobuf_BUILD_PROTOC_BINARIES=OFF -D protobuf_WITH_ZLIB=OFF
  build libzip -D BUILD_TOOLS=OFF -D BUILD_REGRESS=OFF -D BUILD_EXAMPLES=OFF -D BUILD_DOC=OFF -D ENABLE_OPENSSL=OFF \
    -D ENABLE_GNUTLS=OFF -D ENABLE_MBEDTLS=OFF -D ENABLE_COMMONCRYPTO=OFF -D ENABLE_BZIP2=OFF -D ENABLE_LZMA=OFF \
    -D ENABLE_ZSTD=OFF
fi

export WINEPREFIX="$folder/wine" WINEDEBUG=-all
cmake -S . -B "$folder/build" -G Ninja -C examples/support/quick_build.cmake \
  -D CMAKE_TOOLCHAIN_FILE="$folder/toolchain.cmake" -D GRAFT_ONNX_PROTO=/usr/include/onnx/onnx.proto \
  -D installed_onnx_proto=/usr/include/onnx/onnx.proto -D LIBZIP_LIBRARY="$root/usr/lib/libzip.a;z;bcrypt" \
  -D GRAFT_JOIN_TESTS=40 -D GRAFT_BENCHMARKS=OFF \
  -D CMAKE_CXX_FLAGS=-Wa,-mbig-obj -D GRAFT_PYTHON=
cmake --build "$folder/build" --target quickstart graft-inspect graft-optimize graft-quantize graft-calibrate \
  graft-qonnx test_pattern test_rewrite
cd "$folder/build"
/usr/lib/wine/wine64 examples/quickstart.exe
for room in pattern rewrite; do
  /usr/lib/wine/wine64 "tests/$room/test_$room.exe" '~[slow]~[data]'
done
