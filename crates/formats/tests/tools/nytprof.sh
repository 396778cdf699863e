#!/usr/bin/env bash
# nytprof.sh DIRECTORY: NYTProf's files, as Devel::NYTProf reads them: its data,
# nytprofcalls, and nytprofhtml's report. Needs: libdevel-nytprof-perl, python3.

set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0
for table in "$1"/*.tsv; do
    name=${table%.tsv}
    file=$name.nytprof.nytprof.out
    echo "${file##*/}"
    # No record has the root's self cost: it was never called.
    grep -av '^main()	' "$table" >"$scratch/table.tsv"
    perl "$here/nytprof.pl" "$file" | LC_ALL=C grep -av '"main::RUNTIME"' |
        python3 "$here/totals.py" nytprof "$scratch/table.tsv" || status=1

    # We wrote these stacks ourselves.
    nytprofcalls --stable "$file" | LC_ALL=C grep -av ' 0$' | LC_ALL=C sort >"$scratch/theirs"
    LC_ALL=C sort "$name.nytprof-calls.calls" | cmp - "$scratch/theirs" || status=1
    echo "  nytprofcalls: $(wc -l <"$scratch/theirs") stacks, the same as ours"

    report=$scratch/${name##*/}
    nytprofhtml --file "$file" --out "$report" >"$scratch/log" 2>&1 || status=1
    # Sources of invented programs cannot be shown.
    grep -av "^Unable to open '\|^Reading \|^Processing \|^Writing \|^Extracting \|^Generating " "$scratch/log" && status=1
    for part in index.html index-subs-excl.html all_stacks_by_time.svg; do
        [ -s "$report/$part" ] || {
            echo "  WRONG nytprofhtml made no $part"
            status=1
        }
    done
    # flamegraph.pl cuts names by bytes, possibly inside a letter.
    LC_ALL=C tr -d '\200-\377' <"$report/all_stacks_by_time.svg" | xmllint --noout - || status=1
    echo "  nytprofhtml: $(find "$report" -type f | wc -l) files"
done
exit "$status"
