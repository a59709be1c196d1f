#!/bin/sh
# Tests everything on a Debian 12, after installing what is missing:
#   g++      builds everything and runs every test, those against ONNX Runtime and the checks of the sources included;
#   clang++  builds the library, its tests and the fuzz targets with the address and undefined behaviour sanitizers, and
#            a program of several threads with the thread sanitizer; runs the fast tests, and each fuzz target for some
#            seconds.
#
# tests/run.sh [--quick | --data]     --quick: g++ and the fast tests only
#                                    --data: g++ and the tests that depend on the data only
#
# Models and images come from $GRAFT_TEST_DATA, or from ../shared/data where that variable is not set. Without them, or
# where it is set to nothing, tests take models with made-up weights. Everything is made below build/.
set -eu
cd "$(dirname "$0")/.."

only=
case "${1-}" in
  "") ;;
  --quick | --data) only=${1#--} ;;
  *) echo "usage: tests/run.sh [--quick | --data]" >&2; exit 2 ;;
esac

packages="g++ cmake ninja-build pkg-config protobuf-compiler libprotobuf-dev libonnx-dev libeigen3-dev catch2
  libcli11-dev nlohmann-json3-dev libstb-dev libzip-dev libbenchmark-dev libonnx-testdata
  libopenmpi-dev openmpi-bin python3 ccache"
[ "$only" = quick ] || packages="$packages chromium clang libclang-rt-dev python3-venv"
# shellcheck disable=SC2086  # a list of words
tests/support/install.sh $packages

python=
if [ "$only" != quick ]; then
  python=$PWD/build/venv/bin/python
  if [ ! -x "$python" ] || ! cmp -s tests/requirements.txt build/venv/requirements.txt; then
    rm -rf build/venv
    /usr/bin/python3 -m venv build/venv
    "$python" -m pip install --quiet --disable-pip-version-check -r tests/requirements.txt
    cp tests/requirements.txt build/venv/
  fi
  newest=onnxruntime==1.32.0 # beside that of the requirements: targets tell what differs
  if [ "$(cat build/newest_onnxruntime/requirement 2>/dev/null)" != "$newest" ]; then
    rm -rf build/newest_onnxruntime
    if "$python" -m pip install --quiet --disable-pip-version-check --no-deps --target build/newest_onnxruntime \
      "$newest"; then
      echo "$newest" >build/newest_onnxruntime/requirement
    else
      rm -rf build/newest_onnxruntime
      echo "there is no $newest: what is tried on it too is skipped"
    fi
  fi
  tests/support/onnxruntime.sh build/venv build/onnxruntime ||
    echo "there are no headers of ONNX Runtime: what needs its C API is skipped"
  tests/support/onednn.sh build/venv build/onednn ||
    echo "there is no oneDNN: what compares with it is skipped"
fi

# Several consumers compile the library with the same flags.
export CCACHE_DIR="${CCACHE_DIR-$PWD/build/ccache}" CCACHE_BASEDIR="${CCACHE_BASEDIR-$PWD}" CCACHE_NOHASHDIR=1

failed=
# run NAME COMPILER LABELS CMAKE_ARGUMENT...: builds everything in build/NAME and runs the tests of these labels.
run() {
  name=$1 compiler=$2 labels=$3
  shift 3
  echo "== $name: $compiler, tests: $labels"
  data=-UGRAFT_TEST_DATA # that of an earlier run
  [ ! "${GRAFT_TEST_DATA+set}" ] || data="-DGRAFT_TEST_DATA=$GRAFT_TEST_DATA"
  cmake -S . -B "build/$name" -G Ninja -D CMAKE_CXX_COMPILER="$compiler" "$data" -D GRAFT_PYTHON="$python" \
    -D GRAFT_JOIN_TESTS=40 "$@" >"build/$name.log" ||
    { cat "build/$name.log"; exit 1; }
  cmake --build "build/$name"
  (cd "build/$name" && ctest --parallel "$(nproc)" --label-regex "$labels" --output-on-failure --no-tests=error) ||
    failed="$failed $name"
}

# The library as the quickstart compiles it.
gcc="-C examples/support/quick_build.cmake -D CMAKE_CXX_FLAGS=-Werror -D GRAFT_QUICK_PROGRAMS=ON -D GRAFT_PRECOMPILE=ON"
mkdir -p build
# shellcheck disable=SC2086  # $gcc is several words
if [ "$only" ]; then
  run gcc g++ "$([ "$only" = quick ] && echo fast || echo data)" $gcc
else
  run gcc g++ "fast|slow|conformance|runtime|consumer|check" $gcc
  # The library in a few units: each of its own would parse protobuf and Eigen.
  run clang clang++ "fast|fuzz" -D GRAFT_SANITIZE=ON -D GRAFT_FUZZ=ON -D GRAFT_PRECOMPILE=ON -D GRAFT_BENCHMARKS=OFF \
    -D GRAFT_EXAMPLES=OFF -D CMAKE_BUILD_TYPE=None -D "CMAKE_CXX_FLAGS=-Werror -O0" -D GRAFT_PYTHON= \
    -D CMAKE_UNITY_BUILD=ON -D CMAKE_UNITY_BUILD_BATCH_SIZE=2
fi
[ ! "$failed" ] || { echo "failed:$failed" >&2; exit 1; }
