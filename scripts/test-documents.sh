# What documents say against what is: steps of `./x test`. Sourced by
# `scripts/test.sh`.

stub_agrees() {
    "$PHP" -n scripts/signatures.php xhprof.stub.php >"$logs/stub.txt"
    "$PHP" -n -d extension="$extension" scripts/signatures.php >"$logs/reflection.txt"
    diff -u "$logs/stub.txt" "$logs/reflection.txt"
    cat "$logs/reflection.txt"
}

# Checks that the names and defaults in scripts/xhprof.ini are the extension's. A test
# of crates/settings compares its text with the settings.
ini_settings() {
    local file=$logs/xhprof.ini names=$logs/ini-names
    sed -nE 's/^;(xhprof\.)/\1/p' scripts/xhprof.ini >"$file"
    sed -nE 's/^(xhprof\.[a-z_]+) =.*/\1/p' "$file" | sort >"$names"
    [ "$(wc -l <"$file")" = "$(wc -l <"$names")" ] || die 'a setting of scripts/xhprof.ini has no "name = value"'
    # With all lines active, every setting has its default.
    local print='foreach (ini_get_all("xhprof") as $name => $setting) echo "$name=$setting[global_value]\n";'
    "$PHP" -n -d extension="$extension" -r "$print" | sort >"$logs/ini-defaults"
    PHP_INI_SCAN_DIR='' "$PHP" -c "$file" -d extension="$extension" -r "$print" | sort >"$logs/ini-values"
    diff -u "$logs/ini-defaults" "$logs/ini-values"
    comm -23 "$names" <(cut -d= -f1 "$logs/ini-defaults") | sed 's/$/ is no setting of the extension/' | tee "$logs/ini-unknown"
    [ ! -s "$logs/ini-unknown" ]
}

# docs/code-map.md against the sources, ARCHITECTURE.md's arrows, and circles of imports.
code_map() { python3 scripts/architecture.py; }

# Checks the number of lines in ARCHITECTURE.md: it is an upper bound, and at most
# 100 lines above the real number.
hot_path_length() {
    local file lines=0 stated
    for file in stack/calls stack/frames table/rows; do
        lines=$((lines + $(awk '/^#\[cfg\(test\)\]/ { exit } { count++ } END { print count }' "crates/recorder/src/$file.rs")))
    done
    stated=$(tr -s '\n ' ' ' <ARCHITECTURE.md | sed -nE 's/.*`table\/rows\.rs` in `crates\/recorder`, together under ([0-9]+) lines without tests.*/\1/p')
    echo "the hot path has $lines lines, ARCHITECTURE.md says under ${stated:-nothing}"
    [ -n "$stated" ] || die 'ARCHITECTURE.md does not say: `table/rows.rs` in `crates/recorder`, together under N lines without tests'
    [ "$lines" -lt "$stated" ] || die "ARCHITECTURE.md says under $stated"
    [ "$lines" -ge $((stated - 100)) ] || die "ARCHITECTURE.md's bound is more than 100 lines too high"
}

# Checks that docs/settings.md has every setting with its default, and no other.
documented_settings() {
    diff -u <(sed -nE 's/^\| `(xhprof\.[a-z_]+)` \| (`([^`]*)`)? *\|.*/\1=\3/p' docs/settings.md | sort) \
        <("$PHP" -n -d extension="$extension" -r '
            foreach (ini_get_all("xhprof") as $name => $setting) echo "$name=$setting[global_value]\n";' | sort)
}

# Checks that the table of docs/fleet.md is what its formula gives.
fleet_table() {
    diff -u <(sed -n '/^| | 1 M runs/,/^$/p' docs/fleet.md | sed '/^$/d') <(python3 crates/store/tests/fleet/model.py)
}

# Checks the rows of docs/platforms.md against what `./x matrix` runs; and that a page whose
# rows are others is refused.
platforms_table() {
    local broken=$logs/platforms.md change
    mkdir -p "$logs"
    source scripts/matrix.sh
    platforms check
    for change in '/^| installed .* observer | tracing /d' 's/^| trixie /| unknown /' \
        's/^\(| installed .* | off | [0-9]* |\) 0 |/\1 1 |/'; do
        sed "$change" docs/platforms.md >"$broken"
        ! platforms check "$broken" >"$broken.log" 2>&1 || die "a page changed by $change was not refused"
    done
}

# Checks the links of all pages.
links() {
    git ls-files -z --cached --others --exclude-standard '*.md' | xargs -0 "$PHP" -n scripts/links.php
}

# Checks that `./x help` has every command once.
help_is_whole() {
    diff -u <(sed -nE 's/^x_([a-z-]+)\(\).*/\1/p' x | sort) <(./x help | sed -nE 's/^  \.\/x ([a-z-]+) .*/\1/p' | sort)
}
