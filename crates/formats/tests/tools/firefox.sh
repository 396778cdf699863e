#!/usr/bin/env bash
# firefox.sh DIRECTORY: Firefox Profiler's files, checked column by column.
# Needs: python3.

set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
status=0
for table in "$1"/*.tsv; do
    file=${table%.tsv}.firefox.firefox.json
    echo "${file##*/}"
    python3 "$here/firefox.py" "$file" | python3 "$here/totals.py" text "$table" || status=1
done
exit "$status"
