#!/bin/sh
# pkg_config.sh COMPILER PREFIX: builds the consumer with what pkg-config says of the graft in PREFIX, and runs it.
set -eu
export PKG_CONFIG_PATH="$2/share/pkgconfig"
# shellcheck disable=SC2046  # the flags are several words
"$1" -std=c++20 "$(dirname "$0")/project/main.cpp" -o pkg_config_consumer $(pkg-config --cflags --libs graft)
./pkg_config_consumer
