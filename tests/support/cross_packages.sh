# Sourced by scripts that cross-compile. Packages of Debian are unpacked into a folder, and the system stays as it is.

# unpack_packages FOLDER [arm64] PACKAGE...: downloads packages with what they need, and unpacks them to FOLDER/root.
# PACKAGE:arm64 is one of that architecture, without what it needs.
unpack_packages() {
  packages=$1
  shift
  apt_in "$packages"
  mkdir -p "$packages/root" "$packages/archives/partial"
  for package in "$@"; do
    case $package in
      *:arm64) (cd "$packages/archives" && apt-get -qq download "$package") ;;
      *) apt-get -qq -o "Dir::Cache::archives=$packages/archives" install -y --no-install-recommends --download-only \
           "$package" ;;
    esac
  done
  for archive in "$packages"/archives/*.deb; do dpkg -x "$archive" "$packages/root"; done
  # The assembler's libraries; scripts of the linker name places of the system.
  export LD_LIBRARY_PATH="$packages/root/usr/lib/x86_64-linux-gnu"
  for script in "$packages"/root/usr/*-linux-gnu/lib/lib*.so; do
    if grep -Iq GROUP "$script"; then sed -i 's#/usr/[^ /]*/lib/##g' "$script"; fi
  done
}

# get_source FOLDER PACKAGE: unpacks the sources of a package to FOLDER/PACKAGE.
get_source() {
  if [ -d "$1/$2" ]; then return; fi
  apt_in "$1"
  (cd "$1" && apt-get -qq source --download-only "$2" && dpkg-source --no-check -x "$2"_*.dsc "$2")
}

# apt_in FOLDER: apt-get reads lists of packages of both architectures, and of sources, which are kept in the folder.
apt_in() {
  mkdir -p "$1/lists/partial"
  sed 's/^Types: deb$/Types: deb deb-src/' /etc/apt/sources.list.d/debian.sources > "$1/debian.sources"
  cat > "$1/apt.conf" <<END
#clear APT::Architectures;
APT::Architectures { "amd64"; "arm64"; };
Dir::State::lists "$1/lists";
Dir::Etc::sourcelist "$1/debian.sources";
Dir::Etc::sourceparts "-";
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
END
  export APT_CONFIG="$1/apt.conf"
  if [ -z "$(ls "$1"/lists/*Packages* 2>/dev/null)" ]; then apt-get -qq update; fi
}
