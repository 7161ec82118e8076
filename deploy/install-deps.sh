#!/bin/sh
# The one list of Debian 12 packages, used by the README, .ci/run and the Dockerfile.
#   install-deps.sh build     what compiling the daemon needs
#   install-deps.sh test      build, and what the tests need
#   install-deps.sh runtime   what the installed daemon needs
# Needs root, or sudo where the caller is not root.
set -eu
build="clang-19 lld-19 cmake ninja-build ccache pkg-config git ca-certificates
  libboost1.81-dev libssl-dev libsqlite3-dev libcurl4-openssl-dev nlohmann-json3-dev
  libspdlog-dev libfmt-dev libisal-dev libhwy-dev libzip-dev libre2-dev libcli11-dev libtomlplusplus-dev
  doctest-dev"
test="libclang-rt-19-dev clang-tidy-19 clang-format-19 cmark-gfm python3 sqlite3 curl jq strace
  zlib1g-dev isal gzip zip"
runtime="libssl3 libsqlite3-0 libcurl4 libspdlog1.10 libfmt9 libisal2 libhwy1 libzip4 libre2-9
  ca-certificates"
case "${1:-}" in
build) packages=$build ;;
test)
  packages="$build $test"
  # Debian's npm does not go with a newer nodejs from elsewhere: each is installed only where it is absent.
  command -v node >/dev/null || packages="$packages nodejs"
  command -v npm >/dev/null || packages="$packages npm"
  ;;
runtime) packages=$runtime ;;
*)
  echo "usage: install-deps.sh build|test|runtime" >&2
  exit 2
  ;;
esac
as_root=
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || { echo "install-deps.sh: run me as root, or install sudo" >&2; exit 1; }
  as_root="sudo"
fi
missing=
for package in $packages; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q '^install ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get -o DPkg::Lock::Timeout=300 -q update
# shellcheck disable=SC2086 # a list of words
$as_root apt-get -o DPkg::Lock::Timeout=300 -qy install --no-install-recommends $missing
