#!/bin/sh
# onnxruntime.sh VENV FOLDER: makes FOLDER/include and FOLDER/lib, for programs that use ONNX Runtime's C API, and
# FOLDER/plugin, the headers for plugins, which are of a later release. The library is that of the Python package in
# VENV. Debian 12 has no package of the headers; those of the next two releases are unpacked from the same archive, not
# installed.
set -eu
[ $# = 2 ] || { echo "usage: onnxruntime.sh VENV FOLDER" >&2; exit 2; }
mkdir -p "$2"
venv=$(cd "$1" && pwd) folder=$(cd "$2" && pwd)

library=$(ls "$venv"/lib/python3*/site-packages/onnxruntime/capi/libonnxruntime.so.*)
mkdir -p "$folder/lib"
ln -sf "$library" "$folder/lib/libonnxruntime.so"
ln -sf "$library" "$folder/lib/libonnxruntime.so.1"

archive=$(apt-get indextargets --format '$(REPO_URI)' "Codename: bookworm" "Component: main" | head -n 1)

# unpack RELEASE NAME: the headers of a release of Debian as FOLDER/NAME
unpack() {
  [ "$archive" ] || { echo "apt knows no archive of Debian 12" >&2; exit 1; }
  apt=$(mktemp -d -p "$folder")
  trap 'rm -rf "$apt"' EXIT
  echo "deb $archive $1 main" >"$apt/sources.list"
  mkdir -p "$apt/lists/partial" "$apt/archives/partial"
  touch "$apt/status"
  cat >"$apt/apt.conf" <<CONF
Dir::State "$apt";
Dir::State::status "$apt/status";
Dir::Cache "$apt";
Dir::Etc::SourceList "$apt/sources.list";
Dir::Etc::SourceParts "/dev/null";
APT::Sandbox::User "root";
CONF
  APT_CONFIG="$apt/apt.conf" apt-get update -qq
  (cd "$apt" && APT_CONFIG="$apt/apt.conf" apt-get download -qq libonnxruntime-dev)
  dpkg-deb -x "$apt"/libonnxruntime-dev_*.deb "$apt/files"
  mv "$apt/files/usr/include/onnxruntime" "$folder/$2"
  rm -rf "$apt"
}
[ -e "$folder/include/onnxruntime_c_api.h" ] || unpack trixie include
[ -e "$folder/plugin/onnxruntime_ep_c_api.h" ] || unpack forky plugin
