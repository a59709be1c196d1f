#!/bin/sh
# single_headers.sh FOLDER: writes each umbrella header, and all of graft that it includes, as one file in FOLDER/graft.
# Each file in it keeps a guard of its own: several of these headers may be included in one translation unit.
set -eu
folder=$1
mkdir -p "$folder/graft"
for umbrella in "$(dirname "$0")"/*.hpp; do
  name=graft/${umbrella##*/}
  case $name in graft/config.hpp | graft/src.hpp | graft/version.hpp) continue ;; esac
  awk -v include="${umbrella%/graft/*}" -v name="$name" '
    function paste(file, path, line, guard) {
      if (file in seen) return
      seen[file] = 1
      path = include "/" file
      guard = toupper(file)
      gsub(/[^A-Z0-9]/, "_", guard)
      print "#ifndef " guard "\n#define " guard
      while ((getline line < path) > 0) {
        if (line ~ /^#include <graft\//) {
          gsub(/^#include <|>.*/, "", line)
          paste(line)
        } else if (line != "#pragma once") {
          print line
        }
      }
      close(path)
      print "#endif  // " guard
    }
    BEGIN {
      print "// " name " of graft and what it includes, in one file. SPDX-License-Identifier: Apache-2.0"
      print "#ifdef GRAFT_COMPILED"
      print "#error \"this header has the bodies, too: compile it without GRAFT_COMPILED\""
      print "#endif"
      paste(name)
    }' >"$folder/$name"
done
