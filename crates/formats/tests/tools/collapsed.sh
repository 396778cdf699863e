#!/usr/bin/env bash
# collapsed.sh DIRECTORY: collapsed stacks, added up by awk and drawn by
# flamegraph.pl. Needs: python3, libxml2-utils, libdevel-nytprof-perl (which
# has a flamegraph.pl).

set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
flamegraph=/usr/share/perl5/Devel/NYTProf/flamegraph.pl
status=0
for table in "$1"/*.tsv; do
    name=${table%.tsv}
    file=$name.collapsed.collapsedstack.txt
    echo "${file##*/}"
    LC_ALL=C sort -c "$file" || status=1
    # Everything but the last field is the stack.
    LC_ALL=C awk '
        { count = $NF; sub(/ [0-9]+$/, ""); n = split($0, frame, ";"); total += count }
        { own[frame[n]] += count; delete seen }
        { for (i = 1; i <= n; i++) if (!(frame[i] in seen)) { seen[frame[i]]; all[frame[i]] += count } }
        END {
            for (name in all) {
                json = name; gsub(/\\/, "\\\\\\\\", json); gsub(/"/, "\\\"", json)
                printf "{\"name\":\"%s\",\"own\":%d,\"inclusive\":%d}\n", json, own[name], all[name]
            }
        }' "$file" | python3 "$here/totals.py" collapsed "$table" || status=1
    # flamegraph.pl copies invalid UTF-8, which is not valid XML: ASCII only.
    svg=$(LC_ALL=C tr -d '\200-\377' <"$file" | perl "$flamegraph" --countname=ns --hash 2>&1)
    xmllint --noout - <<<"$svg" || status=1
    drawn=$(grep -c '<title>' <<<"$svg")
    echo "  flamegraph.pl: $drawn titles"
done
exit "$status"
