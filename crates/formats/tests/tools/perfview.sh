#!/usr/bin/env bash
# perfview.sh DIRECTORY: what `export` wrote for PerfView, as xmllint and
# Python's own XML, JSON and zip modules read it. Needs: libxml2-utils, python3.

set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
status=0
for table in "$1"/*.tsv; do
    name=${table%.tsv}
    for file in "$name".perfview*; do
        echo "${file##*/}"
        case $file in
            *.xml) xmllint --noout "$file" || status=1 ;;
            *.xml.zip) unzip -p "$file" | xmllint --noout - || status=1 ;;
        esac
        python3 "$here/perfview.py" "$file" | python3 "$here/totals.py" perfview "$table" || status=1
    done
done
exit "$status"
