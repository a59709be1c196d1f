#!/bin/sh
# two_versions.sh COMPILER LIBDIR INCLUDE: a program over two versions of graft: the compiled one that pkg-config finds
# in LIBDIR, and the headers of INCLUDE as a later version, which has another message and another layout of a class.
# COMPILER may have flags.
set -eu
compiler=$1 libdir=$2 include=$3 sources=$(dirname "$0")/two_versions later=$PWD/two_versions
rm -rf "$later"
mkdir "$later"
cp -R "$include/graft" "$later/graft"
find "$later" -name '*.[hi]pp' -exec sed -i 's/graft::inline v1\b/graft::inline v2/' {} +
# edit FILE FROM TO: a change that must hit.
edit() {
  grep -q "$2" "$later/graft/$1" || { echo "$1 has no '$2'" >&2; exit 1; }
  sed -i "s/$2/$3/" "$later/graft/$1"
}
edit graph/detail/graph_access.ipp '"has no input ' '"lacks input '
edit graph/node.hpp '  OpId op_ = ' '  std::uint64_t new_ = 0;\n  OpId op_ = '

export PKG_CONFIG_PATH="$libdir/pkgconfig"
use() {  # NAME FLAG...: compiles the user of one version
  name=$1
  shift
  $compiler -std=c++20 -DUSE="use_$name" "$@" -c "$sources/user.cpp" -o "$later/$name.o"
}
# shellcheck disable=SC2046  # the flags are several words
{
  use first $(pkg-config --cflags graft-compiled)
  use second -I "$later" $(pkg-config --cflags graft)
  $compiler -std=c++20 $(pkg-config --cflags graft) "$sources/main.cpp" "$later/first.o" "$later/second.o" \
    -o "$later/program" $(pkg-config --libs graft-compiled)
}
"$later/program"
