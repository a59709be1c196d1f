#!/bin/sh
# pkg_config.sh COMPILER LIBDIR PACKAGE: builds the consumer with what pkg-config reports of PACKAGE in LIBDIR, and runs
# it. COMPILER may have flags.
set -eu
export PKG_CONFIG_PATH="$2/pkgconfig"
project=$(dirname "$0")/project
# shellcheck disable=SC2046,SC2086  # the flags are several words
$1 -std=c++20 "$project/main.cpp" "$project/passes.cpp" -o "$3_consumer" $(pkg-config --cflags --libs "$3")
"./$3_consumer"
