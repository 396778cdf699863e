#!/usr/bin/env bash
# pprof.sh DIRECTORY: pprof's files, as npm's pprof-format reads them, and as
# `go tool pprof` does where there is Go. Needs: node, npm, python3.

set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if [ -z "${NODE_MODULES:-}" ]; then
    npm install --silent --no-fund --no-audit --prefix "$scratch" pprof-format@2 >/dev/null
    NODE_MODULES=$scratch/node_modules
fi
export NODE_MODULES
status=0
for table in "$1"/*.tsv; do
    file=${table%.tsv}.pprof.pb.gz
    echo "${file##*/}"
    node "$here/pprof.mjs" "$file" | python3 "$here/totals.py" text "$table" || status=1
    if command -v go >/dev/null; then
        # go tool pprof checks the file first.
        go tool pprof -top -sample_index=wall "$file" >"$scratch/top" 2>"$scratch/log" || {
            cat "$scratch/log"
            status=1
        }
        sed -n 's/^Showing/  go tool pprof: Showing/p' "$scratch/top"
    fi
done
exit "$status"
