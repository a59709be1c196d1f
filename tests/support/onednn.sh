#!/bin/sh
# onednn.sh VENV FOLDER: makes FOLDER/include and FOLDER/lib, for programs that use oneDNN's Graph API. Headers and
# library are those of the Python packages onednn-devel-cpu-gomp and onednn-cpu-gomp in VENV.
set -eu
[ $# = 2 ] || { echo "usage: onednn.sh VENV FOLDER" >&2; exit 2; }
venv=$(cd "$1" && pwd)
[ -e "$venv/include/oneapi/dnnl/dnnl_graph.hpp" ] && [ -e "$venv/lib/libdnnl.so" ] || exit 1
mkdir -p "$2/include" "$2/lib"
ln -sfn "$venv/include/oneapi" "$2/include/oneapi"
ln -sf "$venv"/lib/libdnnl.so* "$2/lib"
