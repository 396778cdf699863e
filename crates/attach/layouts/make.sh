#!/usr/bin/env bash
# make.sh HEADERS…: prints the table of layouts for PHPs whose headers are in these folders, as layouts.txt has it.
#
# A folder is one that `php-config --include-dir` prints. Each PHP gets two columns: a plain and a thread-safe one.
# Needs a C compiler, and runs what it compiles.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
columns=()
for headers; do
    for threads in '' -DZTS=1; do
        "${CC:-cc}" -w $threads -D_GNU_SOURCE -I"$headers" -I"$headers/main" -I"$headers/Zend" -I"$headers/TSRM" \
            -o "$work/offsets" "$here/offsets.c"
        "$work/offsets" >"$work/values"
        name=$(sed -n 's/^number.api //p' "$work/values")${threads:+-zts}
        {
            echo "build $name"
            cat "$work/values"
        } >"$work/${#columns[@]}"
        columns+=("$work/${#columns[@]}")
    done
done
# The first file has the names; of the others only the values are printed.
awk '{ if (FNR in rows) rows[FNR] = rows[FNR] " " $2; else rows[FNR] = $0; last = FNR } END { for (i = 1; i <= last; i++) print rows[i] }' \
    "${columns[@]}"
