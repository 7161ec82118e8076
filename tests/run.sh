#!/bin/sh
# Sets up what the tests need (Debian packages, npm packages of the GitHub mock), builds with ASan and
# UBSan, and runs every test labelled short; then the concurrent parts again under TSan.
#   tests/run.sh [ctest arguments]     for instance: tests/run.sh -R service, or -L long
set -eu
cd "$(dirname "$0")/.."
deploy/install-deps.sh test
echo "node $(node --version), npm $(npm --version)"
(cd tests/support/github_mock && npm ci --ignore-scripts --no-audit --no-fund)

cmake --preset dev >/dev/null
cmake --build --preset dev -j "$(nproc)"
cmake --preset tsan >/dev/null
cmake --build --preset tsan -j "$(nproc)" --target runtime_test workers_test

# TSan first: its summary is short, and ctest's own stands last.
build/tsan/tests/runtime_test
build/tsan/tests/workers_test
if [ $# -eq 0 ]; then
  set -- -L short
fi
ctest --preset dev "$@"
