#!/bin/sh
# Sets up what the tests need (Debian packages, npm packages of the GitHub mock and of the service tests),
# builds with ASan and UBSan, and runs every test labelled short; before that the concurrent parts under TSan,
# and the fuzzers, which are a build of their own.
#   tests/run.sh [ctest arguments]     for instance: tests/run.sh -R service, or -L long
set -eu
cd "$(dirname "$0")/.."
deploy/install-deps.sh test
echo "node $(node --version), npm $(npm --version)"
for folder in tests/support/github_mock tests/service; do
  (cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund)
done
# One cache serves every checkout of this machine.
export CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1

cmake --preset tsan >/dev/null
cmake --build --preset tsan -j "$(nproc)" --target runtime_test workers_test read_threads_test
build/tsan/tests/runtime_test
build/tsan/tests/workers_test
build/tsan/tests/read_threads_test

[ $# -gt 0 ] || set -- -L short
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz -j "$(nproc)"
ctest --preset fuzz -j "$(nproc)" "$@"

cmake --preset dev >/dev/null
cmake --build --preset dev -j "$(nproc)"
ctest --preset dev "$@"
