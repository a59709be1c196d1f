#!/bin/sh
# single_headers.sh COMPILER INCLUDE: makes single headers of the graft in INCLUDE. Each comes to the same text as the
# header that it is made of, and a program over two of them compiles with nothing of graft beside, and runs. COMPILER
# may have flags.
set -eu
compiler=$1 include=$2 folder=$PWD/single_headers
rm -rf "$folder"
"$include/graft/single_headers.sh" "$folder"

# Headers that are not graft's stay what they are, and are left out of the comparison.
standing_in=$folder/standing_in
grep -rhoE '^ *# *include *<[^>]+>' "$include" | sed 's/.*<//; s/>//' | grep -v '^graft/' | sort -u |
  while read -r name; do
    mkdir -p "$standing_in/$(dirname "$name")"
    : >"$standing_in/$name"
  done
text() {  # FOLDER NAME: what the compiler sees
  echo "#include <graft/$2>" | $compiler -std=c++20 -E -P -nostdinc -I "$1" -I "$standing_in" -x c++ - |
    grep -v '^ *$'
}
for header in "$folder"/graft/*.hpp; do
  name=${header##*/}
  text "$folder" "$name" >"$folder/single.txt"
  text "$include" "$name" >"$folder/apart.txt"
  cmp "$folder/single.txt" "$folder/apart.txt" || { echo "$name is another in one file" >&2; exit 1; }
  [ -s "$folder/single.txt" ]
done

# shellcheck disable=SC2046,SC2086  # the flags are several words
$compiler -std=c++20 -DONNX_NAMESPACE=onnx -I "$folder" $(pkg-config --cflags eigen3 protobuf) \
  "$(dirname "$0")/two_single_headers.cpp" -o "$folder/program" -lonnx_proto $(pkg-config --libs protobuf)
"$folder/program"
