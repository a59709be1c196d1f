#!/bin/sh
# install.sh PACKAGE...: installs those of the packages that are missing.
set -eu
missing=
for package; do
  [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
    missing="$missing $package"
done
[ "$missing" ] || exit 0
echo "installing$missing"
sudo=
[ "$(id -u)" -eq 0 ] || sudo=sudo
$sudo apt-get update -qq
# shellcheck disable=SC2086  # a list of words
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes --no-install-recommends $missing
