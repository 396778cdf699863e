#!/usr/bin/env bash
# trace.sh DIRECTORY: Chrome traces, as npm's @tracerbench/trace-model reads them.
# Needs: node, and the package in NODE_MODULES.

set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
status=0
for table in "$1"/*.tsv; do
    file=${table%.tsv}.chrome-trace.trace.json
    echo "${file##*/}"
    node "$here/trace.cjs" "$file" | python3 "$here/totals.py" text "$table" || status=1
done
exit "$status"
