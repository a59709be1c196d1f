#!/bin/sh
# On Debian 12: installs missing packages, builds the quickstart and runs it with the given arguments. The program
# writes build/quickstart/quantized.onnx.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build/quickstart
"$root/tests/support/install.sh" g++ cmake ninja-build protobuf-compiler libprotobuf-dev libonnx-dev libeigen3-dev \
  libcli11-dev nlohmann-json3-dev libstb-dev libzip-dev python3-venv

runtime() {
  /usr/bin/python3 -m venv "$build/venv" &&
    "$build/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps \
      "$(grep onnxruntime "$root/tests/requirements.txt")" &&
    "$root/tests/support/onnxruntime.sh" "$build/venv" "$root/build/onnxruntime"
}
[ -e "$root/build/onnxruntime/lib/libonnxruntime.so" ] || runtime ||
  echo "without ONNX Runtime: graft's own evaluator runs the models"

cmake -S "$root" -B "$build" -G Ninja -D CMAKE_BUILD_TYPE=Release -D GRAFT_TESTS=OFF -D GRAFT_BENCHMARKS=OFF >/dev/null
cmake --build "$build" --target quickstart
for path in "$@"; do  # the program runs in its output folder
  set -- "$@" "$(realpath -m -- "$path")"
  shift
done
cd "$build"
exec examples/quickstart "$@"
