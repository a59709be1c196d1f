#!/bin/sh
# arm64.sh [FOLDER]: cross-compiles the rule engine, its tests and the quickstart's program for arm64 with Debian's
# toolchain, and runs them under QEMU: the tests of graph/, pattern/ and rewrite/. By hand: it takes a quarter of an
# hour of a processor. FOLDER (build/arm64) keeps the packages, which are unpacked there and not installed, and the
# builds.
set -eu
sources=$(cd "$(dirname "$0")/../.." && pwd)
folder=${1:-$sources/build/arm64}
. "$sources/tests/support/cross_packages.sh"

unpack_packages "$folder" g++-aarch64-linux-gnu qemu-user-static \
  libprotobuf-dev:arm64 libprotobuf32:arm64 libonnx-dev:arm64 libonnx1:arm64 zlib1g:arm64
root=$folder/root
libraries=$root/usr/lib/aarch64-linux-gnu
flags="-std=c++20 -O1 -DGRAFT_COMPILED -DONNX_ML=1 -DONNX_NAMESPACE=onnx -I $sources/include -I $sources/tests
  -I $folder -isystem /usr/include/eigen3"

# compile OBJECT SOURCE: headers that do not depend on the machine are the system's.
compile() {
  # shellcheck disable=SC2086  # the flags are several words
  "$root/usr/bin/aarch64-linux-gnu-g++" $flags -c "$2" -o "$folder/$1.o"
}
link() {
  program=$1
  shift
  "$root/usr/bin/aarch64-linux-gnu-g++" "$@" -o "$folder/$program" -L "$libraries" -lonnx_proto -lprotobuf \
    "-Wl,-rpath-link,$libraries:$root/lib/aarch64-linux-gnu"
}
run() {
  program=$1
  shift
  "$root/usr/bin/qemu-aarch64-static" -L "$root/usr/aarch64-linux-gnu" \
    -E "LD_LIBRARY_PATH=$libraries:$root/lib/aarch64-linux-gnu" "$folder/$program" "$@"
}

printf '#define GRAFT_TEST_DATA ""\n#define GRAFT_PYTHON ""\n' > "$folder/settings.hpp"
for room in graph pattern rewrite; do
  echo "#include <graft/$room/src.hpp>" > "$folder/$room.cpp"
  compile "$room" "$folder/$room.cpp"
  engine="${engine:-} $folder/$room.o"
done
compile main "$sources/tests/main.cpp"
compile data "$sources/tests/support/data.cpp"
for room in graph pattern rewrite; do
  # Units of 40 files: each parses the headers once. Tests that need more than the rule engine are left out.
  rm -f "$folder/tests_$room"_*
  files=$(cd "$sources/tests" && find "$room" -name '*.cpp' | sort)
  # shellcheck disable=SC2086  # a list of words
  (cd "$sources/tests" && grep -LE '<graft/(testing|evaluate)|^graft_tool|int main' $files) |
    sed 's/.*/#include "&"/' | split -l 40 --additional-suffix .cpp - "$folder/tests_${room}_"
  objects=""
  for unit in "$folder/tests_$room"_*.cpp; do
    name=$(basename "$unit" .cpp)
    compile "$name" "$unit"
    objects="$objects $folder/$name.o"
  done
  # shellcheck disable=SC2086  # several objects
  link "test_$room" $objects $engine "$folder/main.o" "$folder/data.o"
  # Tests that kill programs or mount file systems are for real processors.
  run "test_$room" '~[slow]~[data]~faults:*'
done
