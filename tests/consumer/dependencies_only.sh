#!/bin/sh
# dependencies_only.sh COMPILER INCLUDE: preprocesses all of graft with nothing on its include path but graft, what
# graft needs, and the C and C++ libraries. /usr/include has every other package too, so a folder of links stands in
# for it.
set -eu
compiler=$1 include=$2
links=$PWD/dependencies_only
rm -rf "$links"
mkdir "$links"
for entry in $(dpkg -L libc6-dev linux-libc-dev libcrypt-dev | sort -u | grep -E '^/usr/include/[^/]+$') \
    /usr/include/google /usr/include/onnx; do
  ln -s "$entry" "$links/"
done
system=$("$compiler" -E -v -x c++ /dev/null 2>&1 | sed -n '/#include <...>/,/^End/s/^ //p' |
  grep -vxE '/usr/include|/usr/local/include' | sed 's/^/-isystem /')
# shellcheck disable=SC2086  # several words
"$compiler" -std=c++20 -E -nostdinc $system -isystem /usr/include/eigen3 -isystem "$links" -I "$include" \
  -DONNX_NAMESPACE=onnx -include graft/graft.hpp -x c++ /dev/null -o /dev/null
