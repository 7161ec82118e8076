#!/bin/sh
# From a bare Debian 12 to a breakdown: installs what the build needs, builds, starts the daemon on the
# embedded default and has it profile the built-in toy model on this machine's CPU.
#   deploy/try.sh          leaves the daemon running
#   deploy/try.sh stop     ends it
set -eu
cd "$(dirname "$0")/.."
folder=build/try
stepscope=build/release/server/stepscope

stop() {
  [ -f "$folder/pid" ] || return 0
  pid=$(cat "$folder/pid")
  # The number may be somebody else's by now: only a process of our own program is ended.
  if [ "$(readlink "/proc/$pid/exe" 2>/dev/null | sed 's/ (deleted)$//')" = "$PWD/$stepscope" ]; then
    kill "$pid"
    while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
  fi
  rm -f "$folder/pid"
}

if [ "${1:-}" = stop ]; then
  stop
  exit 0
fi

deploy/install-deps.sh build
cmake --preset release -DSTEPSCOPE_TESTS=OFF >/dev/null
cmake --build --preset release -j "$(nproc)"

stop
mkdir -p "$folder"
cp deploy/local.toml "$folder/stepscope.toml"
"$stepscope" serve --config "$folder/stepscope.toml" >"$folder/out" 2>"$folder/log" &
pid=$!
echo "$pid" >"$folder/pid"
url=
while [ -z "$url" ]; do
  kill -0 "$pid" 2>/dev/null || { cat "$folder/log" >&2; exit 1; }
  url=$(sed -n 's/^stepscope listens on //p' "$folder/out")
  [ -n "$url" ] || sleep 0.1
done

echo
"$stepscope" submit --server "$url" --token-file "$folder/api.token" --wait \
  "@stepscope profile toy-moe fp32 on cpu conc 4, 5 decode steps"
id=$("$stepscope" runs --server "$url" --query limit=1 | awk '{ print $1 }')
cat <<END

That is the comment which an issue would get. Where to look next:
  the page             $url/runs/$id
  the same figures     $url/api/v1/runs/$id/breakdown
  the trace            $url/runs/$id/trace        (opens in ui.perfetto.dev)
  a trace of your own  $stepscope analyze FILE.json.gz
  another run          $stepscope submit --server $url --token-file $folder/api.token --wait \\
                         "profile toy-moe fp32 on cpu conc 16, 10 decode steps"
  stop the daemon      deploy/try.sh stop           (log: $folder/log)
END
