#!/usr/bin/env bash
# otlp.sh DIRECTORY: OTLP profiles, as PyPI's opentelemetry-proto reads them.
# Needs: python3 with venv. PYTHON says which Python has the package already.

set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if [ -z "${PYTHON:-}" ]; then
    python3 -m venv "$scratch/venv"
    "$scratch/venv/bin/pip" install --quiet 'opentelemetry-proto>=1.45'
    PYTHON=$scratch/venv/bin/python
fi
status=0
for table in "$1"/*.tsv; do
    file=${table%.tsv}.otlp-profiles-1-11.otlp.pb
    echo "${file##*/}"
    "$PYTHON" "$here/otlp.py" "$file" | python3 "$here/totals.py" text "$table" || status=1
done
exit "$status"
