#!/bin/sh
# deb.sh CPACK BUILD FOLDER: packs what BUILD has made as a Debian package, and unpacks it in FOLDER.
set -eu
cpack=$1 build=$2 folder=$3
rm -rf "$folder" packages
mkdir "$folder"
"$cpack" -G DEB --config "$build/CPackConfig.cmake" -B packages
package=$(echo packages/libgraft-dev_*.deb)
depends=$(dpkg-deb -f "$package" Depends)
for needed in libprotobuf-dev libeigen3-dev; do
  case $depends in *"$needed"*) ;; *) echo "the package does not depend on $needed: $depends" >&2; exit 1 ;; esac
done
dpkg-deb -x "$package" "$folder"
