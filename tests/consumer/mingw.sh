#!/bin/sh
# mingw.sh [FOLDER]: builds the library and command line programs for 64-bit Windows with Debian's mingw-w64, and tries
# them under Wine, if there is one. By hand: it takes half an hour of a processor. FOLDER (build/mingw) keeps the
# packages, which are unpacked there and not installed, and the builds. It needs deb-src entries for the sources of
# protobuf, because Debian has no protobuf for mingw.
set -eu
sources=$(cd "$(dirname "$0")/../.." && pwd)
folder=${1:-$sources/build/mingw}
. "$sources/tests/support/cross_packages.sh"

unpack_packages "$folder" g++-mingw-w64-x86-64-posix wine64
get_source "$folder" protobuf

# GNU's assembler refuses objects with more than 65279 sections, without this option.
cat > "$folder/toolchain.cmake" <<END
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER $folder/root/usr/bin/x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER $folder/root/usr/bin/x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER $folder/root/usr/bin/x86_64-w64-mingw32-windres)
set(CMAKE_CXX_FLAGS_INIT -Wa,-mbig-obj)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
END

# The generator of code must have the version of the library: Debian's protoc has that of Debian's sources.
cmake -S "$folder"/protobuf -B "$folder/protobuf-build" -G Ninja -D CMAKE_TOOLCHAIN_FILE="$folder/toolchain.cmake" \
  -D CMAKE_BUILD_TYPE=None -D CMAKE_CXX_FLAGS="-O1 -w" -D CMAKE_INSTALL_PREFIX="$folder/protobuf-installed" \
  -D protobuf_BUILD_TESTS=OFF -D protobuf_BUILD_PROTOC_BINARIES=OFF -D protobuf_WITH_ZLIB=OFF
cmake --build "$folder/protobuf-build" --target install
