#!/bin/sh
# On a Debian 12: installs what is missing, builds the quickstart and runs it. Arguments go to the program.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
"$root/tests/support/install.sh" g++ cmake ninja-build protobuf-compiler libprotobuf-dev libonnx-dev libeigen3-dev \
  libcli11-dev nlohmann-json3-dev libstb-dev
cmake -S "$root" -B "$root/build/quickstart" -G Ninja -D CMAKE_BUILD_TYPE=Release \
  -D GRAFT_TESTS=OFF -D GRAFT_BENCHMARKS=OFF >/dev/null
cmake --build "$root/build/quickstart" --target quickstart
exec "$root/build/quickstart/examples/quickstart" "$@"
