#!/bin/sh
# compiles.sh COMPILER [FLAG...]: parses all of graft, header-only, with warnings as errors.
#
# Variables name other protos and another protobuf:
#   PROTOC     compiles ONNX_PROTO, an onnx.proto, instead of taking the installed protos
#   PROTOBUF   the folders of its headers, and of abseil's; the default is the system's
set -eu
compiler=$1
shift
include=$(cd "$(dirname "$0")/../../include" && pwd)

missing() {
  echo "$1 is missing; on Debian 12: apt-get install $2" >&2
  exit 77
}
command -v "$compiler" >/dev/null || missing "$compiler" "$(echo "$compiler" | sed 's/clang++/clang/')"
case " $* " in
  *" -stdlib=libc++ "*)
    echo '#include <memory>' | "$compiler" "$@" -x c++ -fsyntax-only - 2>/dev/null ||
      missing libc++ "$(echo "$compiler" | sed 's/clang++\(.*\)/libc++\1-dev libc++abi\1-dev/')" ;;
esac

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
protos=
for each in ${PROTOBUF-}; do protos="$protos -isystem $each"; done
if [ "${PROTOC-}" ]; then
  mkdir "$folder/onnx"
  cp "$ONNX_PROTO" "$folder/onnx/onnx.proto"
  "$PROTOC" -I "$folder" --cpp_out "$folder" onnx/onnx.proto
  printf '#pragma once\n#include <onnx/onnx.pb.h>\n' >"$folder/onnx/onnx_pb.h"
  protos="-isystem $folder $protos"
fi
# shellcheck disable=SC2086  # $protos is several words
echo '#include <graft/graft.hpp>' | "$compiler" -std=c++20 -Werror -Wall -Wextra -Wpedantic -Wconversion -Wshadow \
  $protos -I "$include" -isystem /usr/include/eigen3 -fsyntax-only "$@" -x c++ -
