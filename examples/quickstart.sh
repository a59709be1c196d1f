#!/bin/sh
# On Debian 12: installs missing packages, builds the quickstart and runs it with the given arguments. The program
# writes build/quickstart/quantized.onnx. Without arguments, the runtime's own quantizer then has the same pictures.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build/quickstart
"$root/tests/support/install.sh" g++ cmake ninja-build protobuf-compiler libprotobuf-dev libonnx-dev libeigen3-dev \
  libcli11-dev nlohmann-json3-dev libstb-dev libzip-dev python3-venv

runtime() {
  /usr/bin/python3 -m venv "$build/venv" &&
    grep -E "^(numpy|onnx|onnxruntime)=" "$root/tests/requirements.txt" |
    "$build/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile -r /dev/stdin &&
    "$root/tests/support/onnxruntime.sh" "$build/venv" "$root/build/onnxruntime"
}
[ -e "$root/build/onnxruntime/lib/libonnxruntime.so" ] || runtime || {
  rm -rf "$build/venv"
  echo "without ONNX Runtime: graft's own evaluator runs the models"
}

cmake -S "$root" -B "$build" -G Ninja -C "$root/examples/support/quick_build.cmake" -D GRAFT_TESTS=OFF \
  -D GRAFT_BENCHMARKS=OFF >/dev/null
cmake --build "$build" --target quickstart draw_shapes
for path in "$@"; do  # the program runs in its output folder
  set -- "$@" "$(realpath -m -- "$path")"
  shift
done
cd "$build"
examples/quickstart "$@"

for python in "$build/venv/bin/python" "$root/build/venv/bin/python"; do  # the second is that of tests/run.sh
  [ "$#" -eq 0 ] && [ -x "$python" ] || continue
  exec "$python" "$root/examples/data/quantize_static.py" examples/draw_shapes "$root/examples/data/shapes.onnx" \
    quantized.onnx
done
