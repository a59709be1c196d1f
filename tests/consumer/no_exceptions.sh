#!/bin/sh
# no_exceptions.sh COMPILER LIBDIR: builds a program without exceptions over the compiled library in LIBDIR, and runs
# it. COMPILER may have flags.
set -eu
export PKG_CONFIG_PATH="$2/pkgconfig"
# shellcheck disable=SC2046,SC2086  # the flags are several words
$1 -std=c++20 -fno-exceptions "$(dirname "$0")"/no_exceptions.cpp -o no_exceptions \
  $(pkg-config --cflags --libs graft-compiled)
./no_exceptions
